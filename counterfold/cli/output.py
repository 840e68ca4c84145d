"""What all verbs share: the two streams, how amounts are written, and early checks of paths."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from counterfold.errors import FileError, ParameterError, short, visible
from counterfold.files.whole import sweep

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    from counterfold.poker.game import PokerGame
    from counterfold.poker.units import Units


_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)


SPECIAL = ("/dev/", "/proc/", "/sys/")
"""Folders of what is no file."""


class StoppedError(Exception):
    """Ctrl-C or SIGTERM, with a sentence on what was saved and how to go on."""


_OURS = os.urandom(8).hex()
"""Stands for the escape character in what ``styled`` makes; names from files cannot know it."""


def say(text: str = "") -> None:
    """A line of the answer, on standard output."""
    print(_shown(text))


def advise(text: str) -> None:
    """A sentence below the answer; a terminal gets it broken between words."""
    print(_broken(text, sys.stdout))


def tell(text: str) -> None:
    """A sentence about the work, on standard error."""
    print(_broken(f"counterfold: {text}", sys.stderr), file=sys.stderr, flush=True)


def ask(prompt: str) -> str | None:
    """A line that somebody types, or that a pipe holds; None at the end of the input."""
    if sys.stdin is None:
        raise FileError("standard input is closed, so that nobody can answer")
    if on_terminal(sys.stdin) and sys.stdout.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401  # arrow keys move in the line, and to lines before it
        with suppress(EOFError):
            return input(_shown(prompt)).strip()
        say()
        return None
    print(_shown(prompt), end="", flush=True)
    line = sys.stdin.readline()
    say(line.rstrip("\r\n"))
    return line.strip() if line else None


def styled(text: str, code: str) -> str:
    """A text in a colour or weight of the terminal, by its number there; plain elsewhere."""
    if not code or not text.strip() or not coloured():
        return text
    return f"{_OURS}[{code}m{text}{_OURS}[0m"


def coloured() -> bool:
    """Does standard output show colours?"""
    return on_terminal(sys.stdout) and not os.environ.get("NO_COLOR")


def _shown(text: str) -> str:
    """A text with our own colours, and nothing else that a terminal would obey."""
    return "\x1b".join(map(visible, text.split(_OURS)))


def _broken(text: str, stream: TextIO) -> str:
    text = visible(text)
    if not on_terminal(stream):
        return text
    width = os.get_terminal_size(stream.fileno()).columns
    return textwrap.fill(text, max(width, 20), break_long_words=False, break_on_hyphens=False)


def on_terminal(stream: TextIO) -> bool:
    """Does a person watch this stream?"""
    return bool(stream.isatty()) and os.environ.get("TERM", "") not in ("dumb", "unknown")


def paint(*parts: object) -> None:
    """Print things of rich to a terminal, in its colours and width."""
    console = safe_console()
    for part in parts:
        console.print(part)


def safe_console(*, stderr: bool = False) -> Console:
    """A console of rich that shows names from files, and does not obey them."""
    from rich.console import Console
    from rich.segment import Segment

    class _Console(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                if segment.control or segment.text.isprintable():
                    yield segment
                else:
                    yield Segment(visible(segment.text, keep="\n"), segment.style)

    return _Console(highlight=False, markup=False, emoji=False, stderr=stderr)


def print_json(document: object) -> None:
    """One JSON document on standard output; numbers that are not finite become null."""
    print(json.dumps(_finite(document), indent=1, allow_nan=False))


def _finite(thing: object) -> object:
    if isinstance(thing, float):
        return thing if math.isfinite(thing) else None
    if isinstance(thing, dict):
        return {str(key): _finite(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [_finite(value) for value in thing]
    return thing


def print_columns(rows: Sequence[Sequence[str]], words: int = 1) -> None:
    """Rows under their head: so many columns of words to the left, numbers to the right."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    if on_terminal(sys.stdout):
        room = os.get_terminal_size(sys.stdout.fileno()).columns
        widths[0] = min(widths[0], max(room - sum(widths[1:]) - 2 * len(widths), 12))
    for number, row in enumerate(rows):
        # Of a long name the end, where paths differ.
        first = row[0] if len(row[0]) <= widths[0] else f"…{row[0][1 - widths[0] :]}"
        cells = [
            cell.ljust(width) if column < words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip((first, *row[1:]), widths, strict=True))
        ]
        line = f"  {'  '.join(cells)}".rstrip()
        say(line if number else styled(line, "2"))


def amount(number: float) -> str:
    """A payoff.

    >>> amount(-1 / 18), amount(2.0)
    ('-0.0555556', '2')
    """
    return f"{number:.6g}"


def tiny(number: float | None) -> str:
    """A distance that should go to zero.

    >>> tiny(5.07e-7), tiny(0.25)
    ('5.07e-07', '0.25')
    """
    return "unknown" if number is None else f"{number:.3g}"


def in_units(units: Units | PokerGame, distance: float) -> str:
    """The same in percent of the pot and mbb/h, or in payoffs where there is neither.

    >>> from counterfold.poker.units import Units
    >>> in_units(Units(pot=200, big_blind=10), 0.5), in_units(Units(), 5.07e-7)
    ('0.25% of the pot, 50 mbb/h', '5.07e-07')
    """
    parts = []
    if units.pot:
        parts.append(f"{_short(100 * distance / units.pot)}% of the pot")
    if units.big_blind:
        parts.append(f"{_short(1000 * distance / units.big_blind)} mbb/h")
    return ", ".join(parts) or tiny(distance)


def _short(number: float) -> str:
    return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"


def size(count: float) -> str:
    """Bytes as people read them.

    >>> size(800), size(28_996_407)
    ('800 bytes', '27.7 MB')
    """
    if count < 1024:
        return f"{count:.0f} bytes"
    for unit in ("kB", "MB", "GB"):
        count /= 1024
        if count < 999.5:
            return f"{count:.3g} {unit}"
    return f"{count / 1024:,.4g} TB"


def duration(seconds: float) -> str:
    """A time as people read it.

    >>> duration(0.0213), duration(75), duration(4000)
    ('0.021 s', '1 min 15 s', '1 h 6 min')
    """
    if seconds < 9.95:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def memory_of(text: str) -> int:
    """Bytes from a size such as ``2G`` or ``500M``.

    >>> memory_of("2G") == 2 * 2**30, memory_of("1.5 MiB")
    (True, 1572864)
    """
    found = _MEMORY.fullmatch(text.strip())
    count = 0.0
    if found:
        count = float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " ")
    if not 1 <= count < 2**63:
        raise ParameterError(f"--memory is {short(text)}, and must be a size such as 2G or 500M")
    return int(count)


def check_can_write(path: str, option: str) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    target = Path(os.path.realpath(path))  # what is written goes through a link
    if target.is_dir():
        raise FileError(f"{option} {path} is a folder; name a file in it")
    folder = target.parent if os.path.islink(path) else Path(path).parent
    special = (f"{one}/".startswith(SPECIAL) for one in (Path(path).parent.resolve(), folder))
    if any(special) or (target.exists() and not target.is_file()):
        # A whole file takes the place of the old one: of a device nothing would be left.
        raise FileError(f"{option} {path} is no ordinary file; choose another name")
    if not folder.is_dir():
        raise FileError(f"{option} {path}: there is no folder {folder}; make it first")
    _try_writing(folder, f"{option} {path}")


def check_not_foreign(path: str) -> None:
    """Keep a slip of the hand (--save mygame.py) from replacing what is no strategy file."""
    try:
        with open(path, "rb") as file:
            start = file.read(9)
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    if start and start[8:] != b"{":
        raise FileError(f"{path} exists and is no strategy file; choose another name")


def make_folder(path: str | None, option: str = "--folder") -> None:
    """Have a folder for what is kept, made if need be, before any work is done for it."""
    if path is None:
        return
    folder = Path(path)
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{option} {path} is a file; name a folder")
    if not folder.parent.is_dir():
        raise FileError(f"{option} {path}: there is no folder {folder.parent}; make it first")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"{option} {path} cannot be made: {error.strerror or error}") from None
    _try_writing(folder, f"{option} {path}")


def _try_writing(folder: Path, named: str) -> None:
    sweep(folder)
    try:
        tempfile.TemporaryFile(dir=folder).close()  # permissions alone do not tell
    except OSError as error:
        raise FileError(f"{named} cannot be written: {error.strerror or error}") from None
