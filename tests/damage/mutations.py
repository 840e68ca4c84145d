"""How files get damaged: by chance (bits, bytes, blocks), or on purpose (one part of them)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import numpy as np

from counterfold.files.tensors import DTYPES
from tests.damage.files import Packed, Part, head_of, sealed

__all__ = ["MUTATIONS", "TRAP", "TRAP_RUN", "TRAP_SOURCE", "Mutated", "mutate"]

NUMBERS = (
    "-1", "0", "1", "0.5", "1e-320", "2147483648", "-2147483649", "9223372036854775808",
    "18446744073709551616", "1e308", "-1e308", "NaN", "Infinity", "-Infinity", "9" * 400,
)  # fmt: skip
DEPTH = 100_000
OTHERS = (
    "null", "true", "[]", "{}", '""', '"x"', '"nan"', "[0]", '{"a": 1}', '"\\u001b[31mred"',
    '"\\ud800"', '"=1+1"', json.dumps("x" * DEPTH), "[" * DEPTH + "]" * DEPTH,
)  # fmt: skip
"""What may stand where JSON has a number, and what may stand for any value."""

TRAP, TRAP_RUN = "trap.py", "trap-was-run"
TRAP_SOURCE = f"""from counterfold import Kuhn as Game
open({TRAP_RUN!r}, "w").close()
"""
"""A file of code that lies beside every damaged file, and tells if somebody runs it."""


class Mutated(NamedTuple):
    """A damaged file, and what was done to it."""

    content: bytes
    how: str
    by_chance: bool


Changed = tuple[bytes, str]
"""A file, and what was changed in it."""
Change = Callable[[bytes, str, Random], Changed | None]
"""Takes a file, its form and a source of chance; None if the file has nothing of the sort."""


@dataclass(frozen=True)
class Mutation:
    """A way to damage files of some forms."""

    change: Change
    by_chance: bool
    forms: tuple[str, ...] = ("arrays", "json", "lines", "text")
    weight: int = 1


def mutate(content: bytes, form: str, rng: Random) -> Mutated:
    """Damage a file in one of the ways that fit it."""
    names = [name for name, one in MUTATIONS.items() if form in one.forms]
    while True:
        (name,) = rng.choices(names, [MUTATIONS[name].weight for name in names])
        found = MUTATIONS[name].change(content, form, rng)
        if found is None or found[0] == content:
            continue
        made, how = found
        by_chance = MUTATIONS[name].by_chance
        return Mutated(made if by_chance else sealed(made, form), f"{name}: {how}", by_chance)


# By chance: whatever happens to bytes on their way.


def _flip(content: bytes, form: str, rng: Random) -> Changed | None:
    return _flipped(content, 0, len(content), rng)


def _flip_head(content: bytes, form: str, rng: Random) -> Changed | None:
    return _flipped(content, 0, max(head_of(content, form), 1), rng)


def _flip_array(content: bytes, form: str, rng: Random) -> Changed | None:
    packed, place = Packed.of(content), head_of(content, form)
    chosen = _filled(packed, rng)
    for name, part in packed.parts.items():
        if name == chosen:
            made, how = _flipped(content, place, len(part.data), rng)
            return made, f"{how}, in {name}"
        place += len(part.data)
    return None


def _flipped(content: bytes, place: int, size: int, rng: Random) -> Changed:
    made, bit = bytearray(content), 8 * place + rng.randrange(8 * size)
    made[bit // 8] ^= 1 << bit % 8
    return bytes(made), f"bit {bit % 8} of byte {bit // 8} of {len(content)}"


def _filled(packed: Packed, rng: Random) -> str:
    """An array with elements: small ones as often as large, and indices as often as all others."""
    names = [name for name, part in packed.parts.items() if part.data]
    indices = [name for name in names if packed.parts[name].dtype[0] in "IU"]
    return rng.choice(indices if indices and rng.random() < 0.5 else names)


def _byte(content: bytes, form: str, rng: Random) -> Changed | None:
    made, place, value = bytearray(content), rng.randrange(len(content)), rng.choice((0, 255))
    made[place] = value
    return bytes(made), f"byte {place} of {len(content)} is {value}"


def _cut(content: bytes, form: str, rng: Random) -> Changed | None:
    head = head_of(content, form)
    places = (0, 1, 8, head - 1, head, head + 1, len(content) - 1, rng.randrange(len(content)))
    size = max(0, rng.choice(places))
    return content[:size], f"{size} of {len(content)} bytes are left"


def _append(content: bytes, form: str, rng: Random) -> Changed | None:
    more = rng.choice((rng.randbytes(rng.randint(1, 64)), b"\0" * 4096, b"\n", content))
    return content + more, f"{len(more)} bytes more"


def _block(content: bytes, form: str, rng: Random) -> Changed | None:
    """Some bytes twice, or not at all."""
    size = rng.choice((1, 2, 8, rng.randint(1, 256)))
    begin = rng.randrange(max(len(content) - size, 1))
    stop = min(begin + size, len(content))
    if rng.random() < 0.5:
        return content[:stop] + content[begin:], f"bytes {begin} to {stop} twice"
    return content[:begin] + content[stop:], f"bytes {begin} to {stop} are gone"


def _number(content: bytes, form: str, rng: Random) -> Changed | None:
    """An extreme number in place of another one, in a header or anywhere in a text."""
    begin, stop = (8, head_of(content, form)) if form == "arrays" else (0, len(content))
    found = list(re.finditer(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?", content[begin:stop]))
    if not found:
        return None
    place, new = rng.choice(found), rng.choice(NUMBERS)
    text = content[begin : begin + place.start()] + new.encode()
    text += content[begin + place.end() : stop]
    how = f"{place[0].decode()} at byte {begin + place.start()} is {_short(new)}"
    if form == "arrays":
        text = text.rstrip(b" ")
        text += b" " * (-len(text) % 8)
        return len(text).to_bytes(8, "little") + text + content[stop:], how
    return text, how


# On purpose: one part is changed and the file is whole again, with the right checksum.


def _in_parts(change: Callable[[Packed, Random], str | None]) -> Change:
    """A change of a file's arrays and header, which are taken apart and put together again."""

    def changed(content: bytes, form: str, rng: Random) -> Changed | None:
        packed = Packed.of(content)
        how = change(packed, rng)
        return None if how is None else (packed.content(), how)

    return changed


def _dtype(packed: Packed, rng: Random) -> str | None:
    name = rng.choice(list(packed.parts))
    part = packed.parts[name]
    new = rng.choice([*(key for key in DTYPES if key != part.dtype), "BF16"])
    if new == "BF16" or (rng.random() < 0.5 and np.dtype(DTYPES[new]).itemsize == _width(part)):
        packed.parts[name] = Part(new, part.shape, part.data)
        return f"{name} is said to be {new}, not {part.dtype}"
    with np.errstate(all="ignore"):
        packed.parts[name] = Part.of(part.array().astype(DTYPES[new]))
    return f"{name} is {new}, not {part.dtype}"


def _width(part: Part) -> int:
    return int(np.dtype(DTYPES[part.dtype]).itemsize)


def _shape(packed: Packed, rng: Random) -> str | None:
    name = rng.choice(list(packed.parts))
    old = packed.parts[name]
    array = old.array()
    flat = array.reshape(-1)
    ways = [flat, array[None], array.T, flat[:-1], flat[:0], np.concatenate([flat, flat])]
    if array.ndim:
        ways += [np.concatenate([array, array[-1:]]), array[:-1], array[..., :-1]]
    new = rng.choice(ways)
    packed.parts[name] = Part.of(np.ascontiguousarray(new))
    if rng.random() < 0.1:
        packed.parts[name].shape = [2**40, 0]
        packed.parts[name].data = b""
    return f"{name} is {packed.parts[name].shape}, not {old.shape}"


def _element(packed: Packed, rng: Random) -> str | None:
    name = _filled(packed, rng)
    array = packed.parts[name].array()
    place = rng.randrange(array.size)
    if rng.random() < 0.4:
        bits = array.reshape(-1).view(np.uint8)
        bits[place * array.itemsize + rng.randrange(array.itemsize)] ^= 1 << rng.randrange(8)
        new = array.reshape(-1)[place]
    else:
        new = rng.choice(_extremes(array))
        with np.errstate(all="ignore"):
            array.reshape(-1)[place] = new
    packed.parts[name] = Part.of(array)
    return f"{name}[{place} of {array.size}] is {new}"


def _extremes(array: Any) -> list[Any]:
    if array.dtype.kind == "f":
        far = float(np.finfo(array.dtype).max)
        return [math.nan, math.inf, -math.inf, far, -far, 1e-310, -1.0, 0.0, 2.0, 1e9]
    if array.dtype.kind == "b":
        return [False, True]
    info = np.iinfo(array.dtype)
    near = [0, 1, array.size, int(array.max()) + 1, int(array.max()) + 2]
    return [info.max, info.min, info.max - 1, *(n for n in near if n <= info.max)]


def _drop(packed: Packed, rng: Random) -> str | None:
    name = rng.choice([*packed.parts, *packed.told])
    (packed.parts if name in packed.parts else packed.told).pop(name)
    return f"{name} is gone"


def _rename(packed: Packed, rng: Random) -> str | None:
    name = rng.choice(list(packed.parts))
    new = rng.choice((name + "0", name[:-1], "state.more", "", "\x1b[31m", name.upper()))
    packed.parts = {new if key == name else key: part for key, part in packed.parts.items()}
    return f"{name} is called {new!r}"


def _trade(packed: Packed, rng: Random) -> str | None:
    if len(packed.parts) < 2:
        return None
    one, two = rng.sample(list(packed.parts), 2)
    packed.parts[one], packed.parts[two] = packed.parts[two], packed.parts[one]
    return f"{one} and {two} are exchanged"


_HOLE = "@hole@"


def _field(content: bytes, form: str, rng: Random) -> Changed | None:
    """Another value somewhere in the JSON of a file or of its header."""
    documents = _documents(content, form)
    number, key, holder = _place(documents, rng)
    new = rng.choice(NUMBERS + OTHERS)
    old, holder[key] = holder[key], _HOLE
    return (
        _written(content, form, documents, number, new),
        f"{number}.{key} is {_short(new)}, not {_short(json.dumps(old))}",
    )


def _without(content: bytes, form: str, rng: Random) -> Changed | None:
    documents = _documents(content, form)
    number, key, holder = _place(documents, rng)
    if holder is documents and form != "arrays":
        return None
    del holder[key]
    return _written(content, form, documents, number, ""), f"{number}.{key} is gone"


def _code(content: bytes, form: str, rng: Random) -> Changed | None:
    """The name of a file with code, where a game or an agent is named."""
    documents = _documents(content, form)
    named = [
        (number, key, holder)
        for number, key, holder in _places(documents)
        if isinstance(holder[key], str) and re.search("game|agent|against|name", f"{number}.{key}")
    ]
    if not named:
        return None
    number, key, holder = rng.choice(named)
    holder[key] = f"{TRAP}:Game"
    return _written(content, form, documents, number, ""), f"{number}.{key} names code"


def _documents(content: bytes, form: str) -> dict[str, Any]:
    """The parts of a file that are JSON, and the words of its header."""
    if form == "json":
        return {"": json.loads(content)}
    if form == "lines":
        return {f"line {n}": json.loads(line) for n, line in enumerate(content.splitlines(), 1)}
    told = Packed.of(content).told
    return {key: json.loads(t) if t[:1] in ("[", "{") else t for key, t in told.items()}


def _places(thing: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every value, as the path of what holds it, its key, and what holds it."""
    pairs = thing.items() if isinstance(thing, dict) else enumerate(thing)
    for key, value in list(pairs):
        yield path, key, thing
        if isinstance(value, dict | list):
            yield from _places(value, f"{path}.{key}" if path else str(key))


def _place(documents: dict[str, Any], rng: Random) -> tuple[str, Any, Any]:
    found = list(_places(documents))
    # Each key as often as another, or long lists would take nearly all.
    by_key: dict[str, list[tuple[str, Any, Any]]] = {}
    for one in found:
        by_key.setdefault(re.sub(r"\d+", "", f"{one[0]}.{one[1]}"), []).append(one)
    return rng.choice(by_key[rng.choice(sorted(by_key))])


def _written(content: bytes, form: str, documents: dict[str, Any], path: str, new: str) -> bytes:
    """The file with these documents; a hole in them is filled with a text."""

    def text(thing: Any) -> str:
        return json.dumps(thing, ensure_ascii=False).replace(json.dumps(_HOLE), new)

    if form == "arrays":
        packed = Packed.of(content)
        packed.told = {
            key: new if one == _HOLE else one if isinstance(one, str) else text(one)
            for key, one in documents.items()
        }
        return packed.content()
    return "\n".join(text(one) for one in documents.values()).encode() + b"\n"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}... ({len(text)} characters)"


DATA = ("arrays", "json", "lines")
MUTATIONS: dict[str, Mutation] = {
    "flip": Mutation(_flip, True, weight=4),
    "flip head": Mutation(_flip_head, True, weight=3),
    "flip array": Mutation(_flip_array, True, ("arrays",), 2),
    "byte": Mutation(_byte, True),
    "cut": Mutation(_cut, True),
    "append": Mutation(_append, True),
    "block": Mutation(_block, True, weight=2),
    "number": Mutation(_number, True, weight=2),
    "dtype": Mutation(_in_parts(_dtype), False, ("arrays",), 2),
    "shape": Mutation(_in_parts(_shape), False, ("arrays",), 3),
    "element": Mutation(_in_parts(_element), False, ("arrays",), 4),
    "drop": Mutation(_in_parts(_drop), False, ("arrays",)),
    "rename": Mutation(_in_parts(_rename), False, ("arrays",)),
    "trade": Mutation(_in_parts(_trade), False, ("arrays",)),
    "field": Mutation(_field, False, DATA, 4),
    "without": Mutation(_without, False, DATA),
    "code": Mutation(_code, False, DATA),
}
