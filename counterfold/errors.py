"""Every error that Counterfold raises on purpose: one sentence that says what is wrong.

The command line turns any of them into that sentence and exit code 2.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

Raised = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]
"""What a block that ends hands on: three times None, or an error."""

# Controls of both kinds, lone halves of characters, and marks that turn the direction of a text.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


class CounterfoldError(Exception):
    """The parent of all errors that are raised on purpose; ``key`` says of what, if known."""

    key: str | None = None


@contextmanager
def complaints_of(key: str) -> Iterator[None]:
    """While something is read, errors say of what they are, unless they say so themselves."""
    try:
        yield
    except CounterfoldError as error:
        error.key = error.key or key
        raise


class SpecError(CounterfoldError):
    """A game or method name that cannot be understood."""


class CodeError(CounterfoldError):
    """A file that names code of a user's, which only a person may name."""


class ParameterError(CounterfoldError):
    """A parameter outside the range where it means something."""


class NumericError(CounterfoldError):
    """Numbers that have left the range of floating point, so that nothing can be certified."""


class RulesError(CounterfoldError):
    """A game whose rules break the contract of ``Game``."""


class TreeTooLargeError(CounterfoldError):
    """A game tree that would not fit into the memory at hand."""


class FileError(CounterfoldError):
    """A file that is missing, damaged, or not what it should be."""


class MismatchError(CounterfoldError):
    """A strategy or checkpoint that belongs to another game."""


class MissingExtraError(CounterfoldError):
    """An optional package that is needed here and not installed."""


class OutOfTimeError(CounterfoldError):
    """The time that was given is over before anything could be found."""


class ClusterError(CounterfoldError):
    """A cluster that cannot be reached, or that failed at its work."""


class UnsupportedError(CounterfoldError):
    """A request that is not defined for this game."""


def visible(text: str, keep: str = "") -> str:
    r"""A text that somebody else wrote, with what would move a terminal's cursor made visible.

    >>> visible("a\x1b[31mred\n"), visible("two\nlines", keep="\n")
    ('a\\x1b[31mred\\n', 'two\nlines')
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: _named(found[0], keep), text)


def _named(character: str, keep: str) -> str:
    return character if character in keep else ascii(character)[1:-1]


def short(value: object, most: int = 80) -> str:
    """A value as an error quotes it: on one line, cut where it is long, whatever it is.

    >>> short("raise"), short(list(range(99)), 20)
    ("'raise'", '[0, 1, 2, 3, 4, 5, \u2026')
    """
    try:
        text = repr(value)
    except Exception as error:  # an object of a user whose repr raises
        text = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    return cut(visible(text), most)


def cut(text: str, most: int) -> str:
    """The beginning of a text that is too long.

    >>> cut("abcdef", 4), cut("abcd", 4)
    ('abc\u2026', 'abcd')
    """
    return text if len(text) <= most else text[: most - 1] + "\u2026"


def reason(error: BaseException, most: int = 200) -> str:
    """An exception of somebody else's code, on one line.

    >>> reason(KeyError("ace")), reason(ValueError())
    ("KeyError: 'ace'", 'ValueError')
    """
    try:
        lines = str(error).strip().splitlines()
    except Exception:
        lines = []
    text = lines[0] if lines else ""
    return cut(visible(f"{type(error).__name__}: {text}".removesuffix(": ")), most)
