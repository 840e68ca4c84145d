"""Dataclasses of plain values as objects of JSON, and back with every field checked."""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable
from contextlib import suppress
from typing import (
    TYPE_CHECKING,
    Any,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from counterfold.errors import CounterfoldError, FileError, short
from counterfold.files.text import Fields, Json, is_number, is_whole

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Made = TypeVar("Made", bound="DataclassInstance")


@overload
def to_json(thing: DataclassInstance) -> Json: ...
@overload
def to_json(thing: object) -> object: ...
def to_json(thing: object) -> object:
    """A dataclass (or a list, tuple or dict of plain values) as JSON has it.

    JSON has no infinity: it becomes the text "inf".

    >>> to_json([1.0, -math.inf])
    [1.0, '-inf']
    """
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {f.name: to_json(getattr(thing, f.name)) for f in dataclasses.fields(thing)}
    if isinstance(thing, dict):
        return {str(key): to_json(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [to_json(value) for value in thing]
    if isinstance(thing, float) and math.isinf(thing):
        return "inf" if thing > 0 else "-inf"
    return thing


def from_json(cls: type[Made], fields: Fields) -> Made:
    """The dataclass that an object tells of; a field of another type than declared is refused.

    >>> from counterfold.solvers.methods import Method
    >>> from_json(Method, Fields({"name": "mine", "alpha": "inf", "floor": True}, "a.json")).floor
    True
    >>> from_json(Method, Fields({"name": "mine", "gamma": True}, "a.json"))
    Traceback (most recent call last):
    counterfold.errors.FileError: a.json: "gamma" cannot be True
    """
    hints = get_type_hints(cls)
    known = {f.name: f for f in dataclasses.fields(cls)}
    fields.only(known)
    given: dict[str, object] = {}
    for name, item in known.items():
        needed = item.default is item.default_factory is dataclasses.MISSING
        if name in fields or needed:
            value = fields.raw(name)
            try:
                given[name] = _value(value, hints[name])
            except TypeError:
                raise FileError(f'{fields.where}: "{name}" cannot be {short(value)}') from None
    try:
        return cls(**given)
    except FileError:
        raise
    except CounterfoldError as error:
        raise FileError(f"{fields.where}: {error}") from None


_PLAIN: dict[object, Callable[[object], bool]] = {
    Any: lambda value: True,
    types.NoneType: lambda value: value is None,
    str: lambda value: isinstance(value, str),
    bool: lambda value: isinstance(value, bool),
    int: lambda value: is_whole(value, -(2**64), 2**64),
    float: lambda value: is_number(value) or value in ("inf", "-inf"),
}
"""What a value of JSON must be to stand for each plain type."""


def _value(value: Any, kind: Any) -> object:
    """A value as its declared type, or TypeError."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in _PLAIN and _PLAIN[kind](value):
        return float(value) if kind is float else value
    if origin in (Union, types.UnionType):
        for one in inner:
            with suppress(TypeError):
                return _value(value, one)
    if origin in (tuple, list) and isinstance(value, list):
        kinds = [inner[0]] * len(value) if origin is list or inner[-1] is Ellipsis else inner
        if len(kinds) == len(value):
            return origin(_value(v, one) for v, one in zip(value, kinds, strict=True))
    if origin is dict and isinstance(value, dict):
        return {key: _value(v, inner[1]) for key, v in value.items()}
    if dataclasses.is_dataclass(kind) and isinstance(kind, type) and isinstance(value, dict):
        return from_json(kind, Fields(value, kind.__name__))
    fields = getattr(kind, "_fields", ())  # of a named tuple
    if fields and isinstance(value, list) and len(value) == len(fields):
        hints = get_type_hints(kind)
        return kind(*(_value(v, hints[name]) for v, name in zip(value, fields, strict=True)))
    raise TypeError
