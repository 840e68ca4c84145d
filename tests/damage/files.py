"""Saved files taken apart and put together again, so that one part alone can be changed.

The bytes are the same in every run: the header is sorted, and times in it are set to a constant.
A file that carries a checksum gets the right one, so that what lies behind that check is tested.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.files.arrays import checksum as arrays_checksum
from counterfold.files.sealed import Seal
from counterfold.files.sealed import checksum as document_checksum
from counterfold.files.tensors import DTYPES

__all__ = ["Packed", "Part", "form_of", "head_of", "sealed", "steady"]


@dataclass
class Part:
    """One array of a file, as its header tells it and as bytes."""

    dtype: str
    shape: list[int]
    data: bytes

    def array(self) -> NDArray[Any]:
        """A copy that may be changed."""
        return np.frombuffer(self.data, DTYPES[self.dtype]).reshape(self.shape).copy()

    @classmethod
    def of(cls, array: NDArray[Any]) -> Part:
        name = next(key for key, dtype in DTYPES.items() if array.dtype == dtype)
        return cls(name, list(array.shape), array.tobytes())


@dataclass
class Packed:
    """A safetensors file: what it tells about itself, and its arrays in their order."""

    told: dict[str, str]
    parts: dict[str, Part]

    @classmethod
    def of(cls, content: bytes) -> Packed:
        size = int.from_bytes(content[:8], "little")
        header, body = json.loads(content[8 : 8 + size]), content[8 + size :]
        told = header.pop("__metadata__", {})
        parts = {}
        for name in sorted(header, key=lambda name: header[name]["data_offsets"]):
            begin, stop = header[name]["data_offsets"]
            part = Part(header[name]["dtype"], header[name]["shape"], body[begin:stop])
            parts[name] = part
        return cls(told, parts)

    def content(self) -> bytes:
        """The file again; sizes and offsets need not make sense."""
        header: dict[str, Any] = {"__metadata__": dict(sorted(self.told.items()))}
        place = 0
        for name, part in self.parts.items():
            offsets = [place, place + len(part.data)]
            header[name] = {"dtype": part.dtype, "shape": part.shape, "data_offsets": offsets}
            place = offsets[1]
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        return (
            len(text).to_bytes(8, "little") + text + b"".join(p.data for p in self.parts.values())
        )


def form_of(name: str, content: bytes) -> str:
    """How a file is written: arrays, json, lines (of JSON) or text."""
    if content[8:9] == b"{" and content[:1] != b"{":
        return "arrays"
    return {"json": "json", "jsonl": "lines"}.get(name.rpartition(".")[2], "text")


def head_of(content: bytes, form: str) -> int:
    """How many bytes come before the arrays, or make the first line."""
    if form == "arrays":
        return min(8 + int.from_bytes(content[:8], "little"), len(content))
    return min(content.find(b"\n") % (len(content) + 1), 400)


def steady(content: bytes, form: str) -> bytes:
    """The same file with constant times."""
    if form == "arrays":
        packed = Packed.of(content)
        for key, text in packed.told.items():
            if text.startswith(("[", "{")):
                packed.told[key] = json.dumps(_timeless(json.loads(text)))
        content = packed.content()
    elif form == "json":
        content = json.dumps(_timeless(json.loads(content)), indent=1).encode()
    return sealed(content, form)


def _timeless(thing: Any) -> Any:
    if isinstance(thing, dict):
        return {
            key: 0.5 if key.endswith("seconds") and value is not None else _timeless(value)
            for key, value in thing.items()
        }
    return [_timeless(one) for one in thing] if isinstance(thing, list) else thing


def sealed(content: bytes, form: str) -> bytes:
    """The file with the right checksum, if it carries one and can have one."""
    if b'"checksum"' not in content:
        return content
    with suppress(KeyError, TypeError, ValueError, RecursionError, OverflowError):
        return _SEALS[form](content)
    return content


def _seal_arrays(content: bytes) -> bytes:
    packed = Packed.of(content)
    arrays = {name: part.array() for name, part in packed.parts.items()}
    packed.told["checksum"] = arrays_checksum(packed.told, arrays)
    return packed.content()


def _seal_document(content: bytes) -> bytes:
    document = json.loads(content)
    del document["checksum"]
    document["checksum"] = document_checksum(document)
    return json.dumps(document, indent=1).encode()


def _seal_lines(content: bytes) -> bytes:
    seal, lines = Seal(), content.splitlines(True)[:-1]
    for line in lines:
        seal.add(line)
    return b"".join(lines) + seal.line()


_SEALS: dict[str, Callable[[bytes], bytes]] = {
    "arrays": _seal_arrays,
    "json": _seal_document,
    "lines": _seal_lines,
}
