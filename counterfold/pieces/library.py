"""A library: outcomes of pieces in a store, to be listed, checked and asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from counterfold.errors import FileError
from counterfold.pieces.piece import document
from counterfold.pieces.store import Store


@dataclass(frozen=True)
class Entry:
    """A document of a library; nothing is known of one that is damaged but why."""

    name: str
    kind: str = ""
    version: str = ""
    given: Mapping[str, object] | None = None
    result: Mapping[str, object] | None = None
    files: tuple[str, ...] = ()
    damage: str = ""

    def fits(self, pattern: str | None) -> bool:
        """Whether it has all words of a pattern: beginnings of values, or key=value."""
        told = " ".join([self.name, *_words({"version": self.version, **(self.given or {})}),
                         *_words(self.result or {})]).lower().split()  # fmt: skip
        values = [word.partition("=")[2] for word in told]
        return all(
            any(one.startswith(word) for one in (*told, *values))
            for word in (pattern or "").lower().split()
        )


def _words(part: Mapping[str, object]) -> Iterator[str]:
    for key, value in part.items():
        if isinstance(value, Mapping):
            yield from _words(value)
        else:
            yield f"{key}={value}"


def entries(store: Store, check: bool = False) -> Iterator[Entry]:
    """What a library holds, by name; with ``check`` every file is read through."""
    names = store.names()
    for name in names:
        if name.endswith(".json"):
            yield _entry(store, name.removesuffix(".json"), set(names), check)


def _entry(store: Store, name: str, names: set[str], check: bool) -> Entry:
    try:
        told = document(name, store.read(f"{name}.json") or b"")
        digests = told.object("files").value
        entry = Entry(
            name, told.text("kind"), told.text("version"), told.object("given").value,
            told.object("result").value, tuple(digests),
        )  # fmt: skip
        for end, digest in digests.items():
            if f"{name}.{end}" not in names:
                raise FileError(f"{name}.{end} is missing")
            if check:
                content = store.read(f"{name}.{end}") or b""
                if hashlib.sha256(content).hexdigest() != digest:
                    raise FileError(f"{name}.{end} is damaged: its digest does not fit")
    except FileError as error:
        return Entry(name, damage=str(error))
    return entry
