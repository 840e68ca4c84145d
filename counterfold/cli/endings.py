"""How a verb ends: with an exit code and a sentence, whatever happened; never with a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from counterfold import interrupts
from counterfold.cli import clock
from counterfold.cli.output import StoppedError, tell
from counterfold.errors import CounterfoldError, FileError, ParameterError, cut, reason, short

# The parent of all complaints about options; newer typers carry click inside themselves.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]

MOST_WORD, MOST_SENTENCE = 200, 600
"""Letters of what is told about an error, whatever it quotes."""
CLOSED_PIPE = 141
"""What a shell reports for any program whose reader has left: 128 + SIGPIPE."""


class _EndedError(Exception):
    """Something that was read ended too early, and it was not what a person types."""


class Verbs(TyperGroup):
    """Ends every verb with an exit code and a sentence, never with a traceback."""

    def invoke(self, ctx: Any) -> object:
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
            raise _EndedError from error
        except BrokenPipeError:
            _leave_quietly()

    def main(self, *args: Any, **extra: Any) -> Any:
        # The name is ours under `python -m` as well.
        extra |= {"standalone_mode": False, "prog_name": "counterfold"}
        try:
            _check_streams()
            _check_words(sys.argv[1:])
            code = super().main(*args, **extra)
            sys.stdout.flush()  # --help and --version end before a verb does
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
            if isinstance(error, _EndedError) and isinstance(error.__cause__, EOFError):
                error = error.__cause__
            if os.environ.get("COUNTERFOLD_TRACEBACK"):
                raise
            _end(*_unexpected(error))


def _check_streams() -> None:
    """Letters of any kind in all streams; what was closed leads nowhere."""
    closed = [name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None]
    for name in closed:
        # In the place of the closed one, lest a file that is opened later comes to lie there.
        nowhere = os.open(os.devnull, os.O_RDWR)
        if name != "stdin":
            made = open(nowhere, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, made)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names of cards must not end a verb in Latin-1
            stream.reconfigure(errors="replace")
    if "stdout" in closed:
        raise FileError("standard output is closed; send it to /dev/null if nobody wants it")


def _check_words(words: Sequence[str]) -> None:
    """Refuse what could be kept in no file later: bytes that are no letters here."""
    for word in words:
        if any("\ud800" <= letter <= "\udfff" for letter in word):
            raise ParameterError(
                f"{short(word)} has bytes that are no letters in {sys.getfilesystemencoding()}; "
                "set LC_ALL=C.UTF-8, or rename the file"
            )


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
        tell(_bounded(sentence))
    except OSError:
        _leave_quietly()
    sys.exit(code)


def _bounded(sentence: str) -> str:
    """One line of a sentence: a word of a thousand letters is no word, nor a page a sentence.

    >>> len(_bounded("word " * 1000)), len(_bounded("x" * 1000))
    (600, 200)
    """
    words = [
        word if len(word) <= MOST_WORD else f"{word[: MOST_WORD - 60]}…{word[-59:]}"
        for word in sentence.split()
    ]
    return cut(" ".join(words), MOST_SENTENCE)


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
    context: typer.Context | None = getattr(error, "ctx", None)
    verb = context.command_path if context is not None else "counterfold"
    sentence = error.format_message().rstrip(".")
    return f"{sentence[:1].lower()}{sentence[1:]}; `{verb} --help` lists what there is"


def _unexpected(error: Exception) -> tuple[str, int]:
    what = reason(error)
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
