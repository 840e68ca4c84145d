"""Names with parameters, such as ``leduc(raises=1+2)``, and the checks of parameters."""

from __future__ import annotations

import math
import numbers
import operator
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, SupportsIndex, TypeVar

from counterfold.errors import ParameterError, SpecError

Real = int | float | Fraction
"""An amount as people write it."""
Parameter = Any
"""What is written for a parameter; who takes it looks what it is."""
_Amount = TypeVar("_Amount")

_KEYWORD = re.compile(r"([A-Za-z_]\w*)\s*=(.*)", re.DOTALL)
_WHOLE = re.compile(r"[+-]?\d+")
_FLOAT = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf)", re.IGNORECASE)
_FRACTION = re.compile(r"[+-]?\d+/\d+")


@dataclass(frozen=True)
class Spec:
    """A name and the parameters written after it.

    >>> str(Spec("leduc", (), {"raises": (1, 2)}))
    'leduc(raises=1+2)'
    """

    name: str
    args: tuple[Parameter, ...] = ()
    kwargs: Mapping[str, Parameter] = field(default_factory=dict)

    def __str__(self) -> str:
        told = [written(value) for value in self.args]
        told += [f"{key}={written(value)}" for key, value in self.kwargs.items()]
        return f"{self.name}({','.join(told)})" if told else self.name

    def __hash__(self) -> int:
        return hash(str(self))


def parse_spec(text: str) -> Spec:
    """Read a name with its parameters.

    Values are whole numbers, decimals, fractions, ``true``, ``false``, ``None``, tuples joined by
    ``+``, and text (in quotes where it holds a comma or looks like one of the others).

    >>> parse_spec("leduc(raises=1+2, suited=true)")
    Spec(name='leduc', args=(), kwargs={'raises': (1, 2), 'suited': True})
    >>> parse_spec("hs-pcfr+(30)")
    Spec(name='hs-pcfr+', args=(30,), kwargs={})
    """
    if not isinstance(text, str) or not text.strip():
        raise SpecError("a name is needed, such as 'kuhn' or 'leduc(ranks=4)'")
    text = text.strip()
    start = _opening(text)
    if start is None:
        return Spec(text)
    name = text[:start].rstrip()
    if not name:
        raise SpecError(f"{text!r} has parameters but no name before them")
    args: list[Parameter] = []
    kwargs: dict[str, Parameter] = {}
    inside = text[start + 1 : -1]
    for part in _split(inside, ",") if inside.strip() else ():
        part = part.strip()
        if not part:
            raise SpecError(f"{text!r} has an empty parameter between its commas")
        keyword = _KEYWORD.fullmatch(part)
        if keyword is None:
            if kwargs:
                raise SpecError(f"{text!r} has {part!r} without a name after a named parameter")
            args.append(_value(part, text))
            continue
        key, value = keyword[1], keyword[2].strip()
        if key in kwargs:
            raise SpecError(f"{text!r} gives {key} twice")
        if not value:
            raise SpecError(f"{text!r} gives no value for {key}")
        kwargs[key] = _value(value, text)
    return Spec(name, tuple(args), kwargs)


def written(value: object) -> str:
    """A parameter as ``parse_spec`` reads it back.

    >>> written((1, 2)), written(True), written("a,b")
    ('1+2', 'true', '"a,b"')
    """
    if isinstance(value, tuple | list):
        return "+".join(written(v) for v in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(value).replace("e+", "e")  # a plus would cut it in two
    if isinstance(value, str) and (not _plain(value) or _scalar(value) != value):
        quote = "'" if '"' in value else '"'
        return f"{quote}{value}{quote}"
    return str(value)


def whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """A parameter that counts something.

    >>> whole("players", 3, least=2)
    3
    """
    number = None
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        with suppress(TypeError):  # of arrays, only some are a number
            number = operator.index(value)
    if number is None or number < least or (most is not None and number > most):
        span = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ParameterError(f"{name} must be a whole number {span}, not {_brief(value)}")
    return number


def positive(name: str, value: _Amount) -> _Amount:
    """A parameter that is an amount: finite and more than zero.

    >>> positive("ante", 0.5)
    0.5
    """
    number = 0.0
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
    if not 0 < number < math.inf:
        raise ParameterError(f"{name} must be a finite number above zero, not {_brief(value)}")
    return value


def choice(name: str, value: object, options: Iterable[str]) -> str:
    """A parameter that is one of a few words.

    >>> choice("prizes", "random", ["descending", "ascending", "random"])
    'random'
    """
    known = tuple(options)
    if not isinstance(value, str) or value not in known:
        raise ParameterError(f"{name} must be {' or '.join(known)}, not {_brief(value)}")
    return value


def flag(name: str, value: object) -> bool:
    """A parameter that is true or false.

    >>> flag("suited", False)
    False
    """
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be true or false, not {_brief(value)}")
    return value


def _brief(value: object) -> str:
    text = written(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _opening(text: str) -> int | None:
    """Where the parenthesis opens that the last character closes."""
    opened: list[int] = []
    quote = ""
    match = None
    for i, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"" and opened:
            quote = char
        elif char == "(":
            opened.append(i)
        elif char == ")":
            if not opened:
                raise SpecError(f"{text!r} closes a parenthesis that it never opened")
            match = opened.pop()
    if quote:
        raise SpecError(f"{text!r} has a quotation mark that is never closed")
    if opened:
        raise SpecError(f"{text!r} has a parenthesis that is never closed")
    if match is not None and not text.endswith(")"):
        tail = text[text.rindex(")") + 1 :]
        if not re.search(r"[./\\:]", tail):
            raise SpecError(f"{text!r} goes on with {tail!r} after its parameters")
        return None
    return match


def _split(text: str, mark: str) -> list[str]:
    """Cut at the marks that are in no quotation and no parentheses."""
    parts, depth, quote, begin = [], 0, "", 0
    for i, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == mark and not depth:
            parts.append(text[begin:i])
            begin = i + 1
    return [*parts, text[begin:]]


def _value(text: str, whole_text: str) -> Parameter:
    try:
        return _scalar(text)
    except (ValueError, ZeroDivisionError):
        short = text if len(text) <= 40 else text[:37] + "..."
        raise SpecError(f"{short!r} in {whole_text[:60]!r} is not a number") from None


def _scalar(text: str) -> Parameter:
    if re.fullmatch(r"'[^']*'|\"[^\"]*\"", text):
        return text[1:-1]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text == "None":
        return None
    if _WHOLE.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _FRACTION.fullmatch(text):
        return Fraction(text)
    parts = [part.strip() for part in _split(text, "+")]
    if len(parts) > 1 and all(parts):
        return tuple(_scalar(part) for part in parts)
    return text


def _plain(text: str) -> bool:
    return bool(text) and text == text.strip() and not set(text) & set(",=+()'\"")
