"""Text and JSON that somebody else wrote: read strictly, with one sentence on what is wrong."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NoReturn, TypeGuard

import numpy as np

from counterfold.errors import FileError, cut, short, visible

MOST_BYTES = 2**26
"""The largest text that is read unless a caller says otherwise."""
DEEPEST = 64
"""Lists and objects within each other; no file of ours comes near."""
MOST_DIGITS = 40
"""Of a whole number; the state of a random generator has 128 bits."""

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
# Texts without these have no number that is too large, and are read without hooks.
_LARGE = re.compile(r"\d(?:\d{40}|[eE]\+?\d{3})")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan)", re.ASCII)
_RATIO = re.compile(r"[+-]?\d{1,300}/\d{1,300}", re.ASCII)
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_NEEDED: object = object()


def read_bytes(path: str | os.PathLike[str], what: str, most: int = MOST_BYTES) -> bytes:
    """All of an ordinary file, or of a pipe that somebody writes into.

    ``what`` says in errors what was expected there, as in "a spot".
    """
    try:
        # Not to wait for ever where nobody will write.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            mode = os.fstat(handle).st_mode
            if stat.S_ISDIR(mode):
                raise FileError(f"{path} is a folder, and must be {what}")
            if not stat.S_ISREG(mode) and not stat.S_ISFIFO(mode):
                raise FileError(f"{path} is a device, and must be {what}")
            if hasattr(os, "set_blocking"):
                os.set_blocking(handle, True)
            with open(handle, "rb", closefd=False) as file:
                data = file.read(most + 1)
        finally:
            os.close(handle)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"{path} cannot be read as {what}: {reason}") from None
    except ValueError:  # a name with a NUL in it
        raise FileError(f"{short(os.fspath(path))} is no name of a file") from None
    if len(data) > most:
        raise FileError(f"{path} has more than {most:,} bytes, which is too long for {what}")
    return data


def read_text(path: str | os.PathLike[str], what: str, most: int = MOST_BYTES) -> str:
    """The text of a file in UTF-8, with line ends as ``\\n`` and without a byte order mark."""
    data = read_bytes(path, what, most)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileError(f"{path} is written in UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(
            f"{path} is not a text file: line {line} is not UTF-8, and it must be {what}"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileError(
            f"{path} is not a text file: line {line} has a NUL byte, and it must be {what}"
        )
    return text.replace("\r\n", "\n")


Json = dict[str, Any]
"""A document, or a part of one: what its reader finds under a name has any of JSON's types."""


def read_json(path: str | os.PathLike[str], what: str, most: int = MOST_BYTES) -> object:
    """What a file of JSON says; see ``parse_json``."""
    return parse_json(read_text(path, f"{what} in JSON", most), os.fspath(path))


def parse_json(text: str | bytes, where: str, first: int = 1) -> object:
    """What a JSON text says, strictly; ``where`` is what errors call it.

    Refused are NaN and Infinity, numbers that fit nowhere, keys given twice, halves of
    characters, and lists and objects deeper than ``DEEPEST``. ``first`` is the number of the
    text's first line, where it is a part of a file.

    >>> parse_json('{"pot": 20}', "river.json")
    {'pot': 20}
    >>> parse_json('{"pot": NaN}', "river.json")
    Traceback (most recent call last):
    counterfold.errors.FileError: river.json, line 1, column 9: NaN is no number of JSON
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise FileError(f"{where} is not UTF-8") from None
    return _Document(text, where, first).value()


class _RefusedError(Exception):
    """What a hook of the decoder will not have, and the word to find it by."""

    def __init__(self, reason: str, word: str | None = None) -> None:
        self.reason, self.word = reason, word


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for n, key in enumerate(keys) if key in keys[:n])
        raise _RefusedError(f'"{cut(twice, 60)}" is given twice; keep one of them')
    return found


def _constant(word: str) -> NoReturn:
    raise _RefusedError(f"{word} is no number of JSON", word)


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise _RefusedError(f"the number of {len(digits)} digits is too large", digits)
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        many = f" of {len(digits)} digits" if len(digits) > MOST_DIGITS else f" {digits}"
        raise _RefusedError(f"the number{many} is too large", digits)
    return number


_PLAIN = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_constant)
_CAREFUL = json.JSONDecoder(
    object_pairs_hook=_once, parse_constant=_constant, parse_int=_whole, parse_float=_number
)


class _Document:
    def __init__(self, text: str, where: str, first: int) -> None:
        self.text, self.where, self.first = text, where, first

    def value(self) -> object:
        text = self.text
        if text.count("[") + text.count("{") > DEEPEST:
            self._check_depth()
        try:
            found: object = (_CAREFUL if _LARGE.search(text) else _PLAIN).decode(text)
        except json.JSONDecodeError as error:
            self._refuse(f"this is not JSON ({error.msg.lower()})", error.pos)
        except _RefusedError as error:
            if error.word is None:
                raise FileError(f"{self.where}: {error.reason}") from None
            self._refuse(error.reason, max(self._bare().find(error.word), 0))
        except RecursionError:
            raise FileError(f"{self.where} is nested too deeply") from None
        if "\\u" in text and _HALF.search(text):
            self._check_characters(found)
        return found

    def _check_depth(self) -> None:
        marks = np.frombuffer(self._bare().encode("utf-32-le"), dtype="<u4")
        opened = np.isin(marks, (ord("["), ord("{")))
        depth = np.cumsum(opened.astype(np.int8) - np.isin(marks, (ord("]"), ord("}"))), dtype=int)
        if depth.max(initial=0) > DEEPEST:
            self._refuse(
                f"this is nested too deeply, with more than {DEEPEST} lists and objects within "
                "each other",
                int(np.argmax(depth > DEEPEST)),
            )

    def _check_characters(self, found: object) -> None:
        waiting = [found]
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict):
                waiting += [*one, *one.values()]
            elif isinstance(one, list):
                waiting += one
            elif isinstance(one, str) and any("\ud800" <= c <= "\udfff" for c in one):
                raise FileError(f"{self.where}: the text {short(one)} has half a character in it")

    def _bare(self) -> str:
        """The text without what strings hold, as long as before."""
        return _STRING.sub(lambda found: " " * len(found[0]), self.text)

    def _refuse(self, reason: str, at: int) -> NoReturn:
        line = self.first + self.text.count("\n", 0, at)
        column = at - self.text.rfind("\n", 0, at)
        raise FileError(f"{self.where}, line {line}, column {column}: {reason}") from None


def number_of(text: str) -> float | None:
    """A finite number as people write it, a fraction too; None for anything else.

    >>> number_of("1/4"), number_of("2.5e3"), number_of("1/0"), number_of("1e999")
    (0.25, 2500.0, None, None)
    """
    text = text.strip()
    if _RATIO.fullmatch(text):
        try:
            # Of whole numbers alone: the fraction 1e999999999 would fill the memory.
            number = float(Fraction(text))
        except (ZeroDivisionError, OverflowError):
            return None
    elif _NUMBER.fullmatch(text):
        number = float(text)
    else:
        return None
    return number if math.isfinite(number) else None


def whole_of(text: str) -> int | None:
    """A whole number from 0 up in at most 18 digits; None for anything else.

    >>> whole_of("12"), whole_of("-1"), whole_of("9" * 5000)
    (12, None, None)
    """
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) <= 18 else None


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV; a text that a spreadsheet would take for a formula begins with a quote.

    >>> print(csv_text([["=1+1", "-0.5", -0.5, "-bet"]]), end="")
    '=1+1,-0.5,-0.5,'-bet
    """
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(_cell, row) for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value.startswith(("=", "+", "-", "@", "\t", "\r")) and not _NUMBER.fullmatch(value):
        value = f"'{value}"
    return visible(value)


class Fields:
    """An object of JSON, whose fields are asked for by name and kind.

    A field without a default is needed. Whatever is wrong is a ``FileError`` that says where.

    >>> told = Fields({"hands": 10, "seed": "x"}, "match.json")
    >>> told.whole("hands", 0), told.whole("matches", default=1)
    (10, 1)
    >>> told.whole("seed")
    Traceback (most recent call last):
    counterfold.errors.FileError: match.json: "seed" must be a whole number, not 'x'
    """

    def __init__(self, value: object, where: str) -> None:
        self.where = where
        if not isinstance(value, Mapping):
            raise FileError(f"{where} must be an object of JSON, not {short(value)}")
        self.value: Mapping[str, object] = value

    def __contains__(self, key: object) -> bool:
        return key in self.value

    def raw(self, key: str, default: object = _NEEDED) -> object:
        """Whatever it is."""
        if key not in self.value and default is _NEEDED:
            raise FileError(f'{self.where}: "{key}" is missing')
        return self.value.get(key, default)

    def _checked(
        self, key: str, good: Callable[[object], bool], what: str, default: object = _NEEDED
    ) -> Any:
        """A field that is good, or the default."""
        value = self.raw(key, default)
        if key in self.value and not good(value):
            self.wrong(key, what)
        return value

    def text(self, key: str, default: object = _NEEDED) -> str:
        """A text."""
        value: str = self._checked(key, lambda one: isinstance(one, str), "a text", default)
        return value

    def flag(self, key: str, default: object = _NEEDED) -> bool:
        """True or false."""
        what = "true or false"
        value: bool = self._checked(key, lambda one: isinstance(one, bool), what, default)
        return value

    def whole(
        self, key: str, low: int = -(2**63), high: int = 2**63 - 1, default: object = _NEEDED
    ) -> int:
        """A whole number from low to high."""
        what = "a whole number" + _bounds(low, high)
        value: int = self._checked(key, lambda one: is_whole(one, low, high), what, default)
        return value

    def number(self, key: str, low: float = -math.inf, high: float = math.inf) -> float:
        """A finite number from low to high."""
        what = "a number" + _bounds(low, high)
        return float(self._checked(key, lambda one: is_number(one, low, high), what))

    def items(self, key: str) -> list[object]:
        """A list of whatever it is."""
        return self._all(key, lambda one: True, "a list")

    def texts(self, key: str) -> list[str]:
        """A list of texts."""
        return self._all(key, lambda one: isinstance(one, str), "a list of texts")

    def wholes(self, key: str, low: int = -(2**63), high: int = 2**63 - 1) -> list[int]:
        """A list of whole numbers from low to high."""
        what = "a list of whole numbers" + _bounds(low, high)
        return self._all(key, lambda one: is_whole(one, low, high), what)

    def numbers(self, key: str, low: float = -math.inf, high: float = math.inf) -> list[float]:
        """A list of finite numbers from low to high."""
        what = "a list of numbers" + _bounds(low, high)
        return self._all(key, lambda one: is_number(one, low, high), what)

    def object(self, key: str, default: Json | None = None) -> Fields:
        """An object within this one."""
        found = self.raw(key) if default is None else self.raw(key, default)
        if not isinstance(found, Mapping):
            self.wrong(key, "an object")
        return Fields(found, f'{self.where}: "{key}"')

    def objects(self, key: str, default: Iterable[Json] | None = None) -> list[Fields]:
        """A list of objects."""
        found = self.items(key) if default is None or key in self else default
        return [Fields(one, f'{self.where}: "{key}", number {n}') for n, one in enumerate(found, 1)]

    def only(self, known: Iterable[str]) -> None:
        """Refuse keys that mean nothing here."""
        known = [*known]
        for key in self.value:
            if key not in known:
                raise FileError(
                    f"{self.where}: {short(key)} is no key here; there are {', '.join(known)}"
                )

    def wrong(self, key: str, kind: str) -> NoReturn:
        """Complain that a field is not what it must be."""
        raise FileError(f'{self.where}: "{key}" must be {kind}, not {short(self.value[key])}')

    def _all(self, key: str, good: Callable[..., bool], what: str) -> list[Any]:
        values: list[Any] = self._checked(key, lambda one: isinstance(one, list), what)
        for one in values:
            if not good(one):
                raise FileError(f'{self.where}: "{key}" must be {what}, and holds {short(one)}')
        return values


def is_whole(value: object, low: int, high: int) -> TypeGuard[int]:
    """Is it a whole number from low to high?"""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def is_number(value: object, low: float = -math.inf, high: float = math.inf) -> TypeGuard[float]:
    """Is it a finite number from low to high?"""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return low <= value <= high and abs(value) <= 1e308


def _bounds(low: float, high: float) -> str:
    below, above = abs(low) >= 2**63 - 1, abs(high) >= 2**63 - 1
    if below and above:
        return ""
    if above:
        return f" from {low} up"
    return f" up to {high}" if below else f" from {low} to {high}"
