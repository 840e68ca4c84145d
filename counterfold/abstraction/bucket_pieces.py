"""Stages in the making of buckets: what is found out about boards, each of which stands alone.

On every stage boards give rows: the steps of their hands' equities, a sample of points for k-means,
or the buckets of their hands. So boards go to threads here, or in pieces to whatever executes them;
rows are the same. What a piece needs beside its boards (the table of the next street, centers) lies
in a store under the digest of what it holds, which goes into the name of the piece.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from counterfold.abstraction.buckets import standard_words
from counterfold.abstraction.clusters import nearest
from counterfold.abstraction.features import (
    Boards,
    Features,
    Places,
    Points,
    Spread,
    Strength,
    levels_on,
)
from counterfold.arrays import Array, Arrays, Ints
from counterfold.errors import FileError
from counterfold.files.text import Json
from counterfold.pieces.cluster import Crew
from counterfold.pieces.piece import Outcome, Piece, outcomes
from counterfold.pieces.store import Kept, Store, got, put, store_at
from counterfold.poker.cards import HOLES

BOARDS = {3: 32, 4: 128, 5: 1024}
"""Boards of a piece, by their cards: some seconds of work."""


class Draw(NamedTuple):
    """What chance has to do with a sample: boards, hands of each, and seeds to draw them by."""

    rows: Ints
    hands: Ints
    seeds: Ints


@dataclass(frozen=True, eq=False)
class Stage:
    """What is found out about boards of a size: the buckets of their hands, if centers are there,
    points of a sample, if one is drawn, and steps of equity otherwise."""

    size: int
    features: Features | None = None
    centers: Points | None = None
    draw: Draw | None = None

    @property
    def count(self) -> int:
        """How many boards there are."""
        return len(standard_words(self.size)[0] if self.draw is None else self.draw.rows)

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Of what is found."""
        if self.draw is not None:
            return np.dtype(np.float32)
        few = self.centers is None or len(self.centers) <= 256
        return np.dtype(np.uint8 if few else np.uint16)

    def rows(self, first: int, stop: int) -> int:
        """How many rows some boards give."""
        return stop - first if self.draw is None else int(self.draw.hands[first:stop].sum())

    def on(self, first: int, stop: int) -> Array:
        """What some of the boards give."""
        boards = standard_words(self.size)[0]
        if self.draw is not None:
            return self._sample(boards[self.draw.rows[first:stop]], first)
        boards = boards[first:stop]
        return levels_on(boards) if self.features is None else self._buckets(boards)

    def _sample(self, boards: Boards, first: int) -> Points:
        assert self.features is not None
        assert self.draw is not None
        found = []
        for k, points in enumerate(self.features(boards), first):
            live = points[points[:, 0] >= 0]
            random = np.random.default_rng(self.draw.seeds[k])
            found.append(live[random.integers(0, len(live), self.draw.hands[k])])
        return np.concatenate(found)

    def _buckets(self, boards: Boards) -> Array:
        assert self.features is not None
        assert self.centers is not None
        found, squared = self.features(boards), self.features.squared
        flat = found.reshape(-1, found.shape[2])
        given = nearest(flat, self.centers, squared=squared).reshape(len(boards), HOLES)
        # Summed-up histograms are the greater the weaker the hand.
        weak_first = given if squared else len(self.centers) - 1 - given
        return np.where(found[:, :, 0] < 0, 0, weak_first).astype(self.dtype)


def handed_out(stage: Stage, crew: Crew, start: int) -> Iterator[tuple[int, int, Array]]:
    """What all boards from one on give, piece by piece as they come back: from, to, and rows."""
    common = {"size": stage.size, **_needed(stage, crew.store)}
    width, pieces = BOARDS[stage.size], []
    for first in range(start // width * width, stage.count, width):
        stop = min(first + width, stage.count)
        given: dict[str, object] = {**common, "first": first, "stop": stop}
        if stage.draw is not None:
            parts = (part[first:stop].tolist() for part in stage.draw)
            given["draw"] = dict(zip(Draw._fields, parts, strict=True))
        pieces.append(Piece("buckets", given, ("npy",), at=crew.store.address))

    def rows(piece: Piece, outcome: Outcome) -> Array:
        first, stop = piece.given["first"], piece.given["stop"]
        found = _array(outcome.files["npy"])
        top = 255 if stage.centers is None else len(stage.centers) - 1
        if len(found) != stage.rows(first, stop) or found.dtype != stage.dtype:
            raise FileError(f"it has {len(found)} rows of {found.dtype}")
        if found.ndim != 2 or (stage.draw is None and found.shape[1] != HOLES):
            raise FileError(f"its rows are {found.shape}")
        if not (found >= 0).all() or (stage.draw is None and found.max() > top):
            raise FileError("it holds numbers that are out of their range")
        return found

    for piece, outcome in outcomes(pieces, find, crew.executor, crew.store, check=rows):
        yield piece.given["first"], piece.given["stop"], rows(piece, outcome)


def find(given: Json, wants: tuple[str, ...]) -> Outcome:
    """The work of a piece, on whatever machine: what some boards give."""
    store, draw = given["store"], given.get("draw")
    features = None if given["features"] is None else _features(store, *given["features"])
    centers = None if given["centers"] is None else _centers(store, *given["centers"])
    first, stop = given["first"], given["stop"]
    if draw is not None:  # which is of this piece alone
        drawn = Draw(*(np.array(draw[key], np.int64) for key in Draw._fields))
        found = Stage(given["size"], features, centers, drawn).on(0, stop - first)
    else:
        found = Stage(given["size"], features, centers).on(first, stop)
    return Outcome({"rows": len(found)}, {"npy": _bytes(found)})


# What pieces need: files by the digest of what they hold.


def _needed(stage: Stage, store: Store) -> dict[str, Kept | None]:
    """Where a piece finds what its boards are compared by, and the centers."""
    features: Arrays | None = None
    if isinstance(stage.features, Strength):
        group = stage.features.group
        features = {"group": np.zeros(HOLES, np.uint8) if group is None else group}
    elif isinstance(stage.features, Spread):
        one = stage.features
        small = one.table.astype(np.uint8) if one.table.max() < 256 else one.table
        features = {
            "size": np.array(one.size), "table": small, "columns": one.places.columns,
            "first": one.places.first,
        }  # fmt: skip
    else:
        assert stage.features is None
    centers = None if stage.centers is None else {"centers": stage.centers}
    return {"features": _put(store, features), "centers": _put(store, centers)}


def _put(store: Store, arrays: Arrays | None) -> Kept | None:
    if arrays is None:
        return None
    room = io.BytesIO()
    np.savez(room, **arrays)  # type: ignore[arg-type]
    content = room.getvalue()
    name = f"cards-{hashlib.sha256(content).hexdigest()[:32]}.npz"
    return put(store, name, content)


@lru_cache(1)
def _features(address: str, name: str, digest: str) -> Features:
    """What hands are compared by: a large table is read once by a process."""
    found = _arrays(address, name, digest)
    if "group" in found:
        return Strength(found["group"])
    places = Places(found["columns"], found["first"])
    return Spread(int(found["size"]), found["table"].astype(np.uint16), places)


@lru_cache(1)
def _centers(address: str, name: str, digest: str) -> Points:
    centers: Points = _arrays(address, name, digest)["centers"]
    return centers


def _arrays(address: str, name: str, digest: str) -> Arrays:
    with np.load(io.BytesIO(got(store_at(address), (name, digest))), allow_pickle=False) as found:
        return dict(found)


def _bytes(array: Array) -> bytes:
    room = io.BytesIO()
    np.save(room, array, allow_pickle=False)
    return room.getvalue()


def _array(content: bytes) -> Array:
    try:
        found: Array = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise FileError(f"it holds no array ({error})") from None
    return found
