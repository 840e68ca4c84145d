"""How a verb ends: with an exit code and a sentence, whatever happened; never with a traceback."""

from __future__ import annotations

import os
import sys
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from counterfold import interrupts
from counterfold.cli import clock
from counterfold.cli.output import StoppedError, tell
from counterfold.errors import CounterfoldError

__all__ = ["Verbs"]

# The parent of all complaints about options; newer typers carry click inside themselves.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]

CLOSED_PIPE = 141
"""What a shell reports for any program whose reader has left: 128 + SIGPIPE."""


class Verbs(TyperGroup):
    """Ends every verb with an exit code and a sentence, never with a traceback."""

    def invoke(self, ctx: Any) -> Any:
        # What typer would make a silent end of is turned into something else here.
        clock.start()
        try:
            with interrupts.taken():
                found = super().invoke(ctx)
            sys.stdout.flush()
            _tell_of_cache()
            return found
        except KeyboardInterrupt:
            raise StoppedError("stopped; nothing was saved") from None
        except EOFError as error:
            raise _EndOfFileError(error) from error
        except BrokenPipeError:
            _leave_quietly()

    def main(self, *args: Any, **extra: Any) -> Any:
        # The name is ours under `python -m` as well.
        extra |= {"standalone_mode": False, "prog_name": "counterfold"}
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # names of cards must not end a verb in Latin-1
                stream.reconfigure(errors="replace")
        try:
            code = super().main(*args, **extra)
            sys.exit(code if isinstance(code, int) else 0)
        except CounterfoldError as error:
            _end(str(error) + _place(error.__cause__), 2)
        except StoppedError as error:
            _end(str(error), interrupts.exit_code())
        except _UsageError as error:
            _end(_complaint(error), 2)
        except typer.Abort:
            _end("stopped", interrupts.exit_code())
        except MemoryError:
            _end(
                "the machine has no memory left for this; `counterfold solve GAME --dry-run` "
                "tells what a game takes",
                2,
            )
        except BrokenPipeError:
            _leave_quietly()
        except OSError as error:
            about = f"{error.filename}: " if error.filename else "cannot go on: "
            _end(about + (error.strerror or str(error)), 2)
        except Exception as error:
            if os.environ.get("COUNTERFOLD_TRACEBACK"):
                raise
            _end(*_unexpected(error))


class _EndOfFileError(Exception):
    """Some code has met the end of a file: no wish to stop, which typer takes it for."""

    def __init__(self, error: EOFError) -> None:
        self.error = error


def _tell_of_cache() -> None:
    """A verb that had to compile its kernels says why they are not kept."""
    cache = sys.modules.get("counterfold.kernels.cache")
    if cache is not None and cache.trouble():
        tell(cache.trouble())


def _end(sentence: str, code: int) -> NoReturn:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_quietly()
    except OSError:  # a full disk: what is still held back cannot be written, the sentence can
        _drop_output()
    try:
        tell(" ".join(sentence.split()))
    except OSError:
        _leave_quietly()
    sys.exit(code)


def _leave_quietly() -> NoReturn:
    """Nobody reads any more."""
    _drop_output()
    sys.exit(CLOSED_PIPE)


def _drop_output() -> None:
    """Keep the interpreter from complaining at its last flush."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        pass


def _complaint(error: Any) -> str:
    context = getattr(error, "ctx", None)
    verb = context.command_path if context is not None else "counterfold"
    sentence = error.format_message().rstrip(".")
    return f"{sentence[:1].lower()}{sentence[1:]}; `{verb} --help` lists what there is"


def _unexpected(error: Exception) -> tuple[str, int]:
    if isinstance(error, _EndOfFileError):
        error = error.error
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    place = _place(error)
    if place:
        return f"the rules fail with {what}{place}", 2
    return (
        f"this should not happen, {what}; please report it with what "
        "COUNTERFOLD_TRACEBACK=1 prints",
        1,
    )


def _place(error: BaseException | None) -> str:
    """Where in a user's own file an error came up; nothing if it did not."""
    step = None if error is None else error.__traceback__
    place = ""
    while step is not None:
        if step.tb_frame.f_globals.get("__name__", "").startswith("counterfold_user_"):
            code = step.tb_frame.f_code
            place = f" ({code.co_filename}, line {step.tb_lineno}, in {code.co_name})"
        step = step.tb_next
    return place
