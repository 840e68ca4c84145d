"""Ordered games: variants G_1, G_2, ... of a game, and the way down from a larger to a smaller."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import pairwise

import numpy as np

from counterfold.abstraction.maps import Mapped
from counterfold.arrays import Floats, Ints
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.games.base import Game, spec_of
from counterfold.games.spec import Parameter
from counterfold.tree.history import Infosets

Down = Callable[[str], Iterable[str]]
"""From the name of an infoset to names in a smaller game, the nearest first."""

_POINTS = re.compile(r"\d+(:\d+)+")
_ROUND = re.compile(r"(x\d+|[\dAJQK]+(\+[\dAJQK]+)*)(!\S*)?")


def same(name: str) -> Iterator[str]:
    """An infoset answers to its own name only: for games whose infosets hold those of the next.

    >>> list(same("A 2 | rank A"))
    ['A 2 | rank A']
    """
    yield name


def clipped(name: str, most: int) -> str:
    """Counters such as the health ``4:2`` in a name, each at most so large.

    >>> clipped("A 2 | rank A | 4:2", 3)
    'A 2 | rank A | 3:2'
    """
    parts = name.split(" | ")
    return " | ".join(
        ":".join(str(min(int(n), most)) for n in part.split(":"))
        if _POINTS.fullmatch(part)
        else part
        for part in parts
    )


def nearest(most: int) -> Down:
    """The rule for games that are ordered by a counter such as health.

    A counter beyond ``most`` is answered as if it were ``most``. If that is not known either, the
    oldest rounds of a history are forgotten one by one; then lower counters are tried.

    >>> list(nearest(2)("A | rank 2 | 4:1 | 1 2!"))[:3]
    ['A | rank 2 | 4:1 | 1 2!', 'A | rank 2 | 2:1 | 1 2!', 'A | rank 2 | 2:1 | 2!']
    """

    def down(name: str) -> Iterator[str]:
        told = name
        yield name
        for points in range(most, 0, -1):
            for shorter in _forgetting(clipped(name, points)):
                if shorter != told:
                    yield shorter

    return down


def _forgetting(name: str) -> Iterator[str]:
    """A name, and again with fewer and fewer rounds of its history, which is its last part."""
    yield name
    before, _, history = name.rpartition(" | ")
    words = history.split(" ")
    if not before or not all(map(_ROUND.fullmatch, words)):
        return
    for first in range(1, len(words)):
        yield f"{before} | {' '.join(words[first:])}"
    yield before


def variant(game: Game, **changes: Parameter) -> Game:
    """The same game with other parameters; maps over it stay.

    >>> from counterfold.games.cheat import Cheat
    >>> str(variant(Cheat(view="hp"), health=5))
    'cheat(health=5,view=hp)'
    """
    if isinstance(game, Mapped):
        return Mapped(variant(game.game, **changes), *game.maps)
    known: list[str] = [f.name for f in fields(game) if f.init] if is_dataclass(game) else []
    for name in changes:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise UnsupportedError(f"{spec_of(game)} has no parameter {name!r}; {has}")
    return replace(game, **changes) if is_dataclass(game) else game


@dataclass(frozen=True, eq=False)
class Fit:
    """Which infoset of a smaller game answers for each one of a larger game."""

    row: Ints
    """By infoset of the larger game; -1 where none does."""

    same: int
    """How many have the same name in both."""

    nearest: int
    """How many are answered for by another one."""

    slots: Ints
    """By slot of the larger game; -1 where none answers."""

    @property
    def fresh(self) -> int:
        """How many nobody answers for."""
        return len(self.row) - self.same - self.nearest

    def carried(self, table: Floats, rest: float = 0.0) -> Floats:
        """A table over the smaller game's slots, laid out over those of the larger."""
        return np.where(self.slots >= 0, np.append(table, rest)[self.slots], rest)


def rows_of(infosets: Infosets) -> dict[tuple[int, str], int]:
    """The row of each infoset, by its player and its name."""
    names = zip(infosets.owner.tolist(), infosets.labels, strict=True)
    return {name: row for row, name in enumerate(names)}


def fit(large: Infosets, small: Infosets, down: Down = same) -> Fit:
    """The fit of two games. Infosets that answer for each other must have the same actions.

    >>> from counterfold.games.cheat import Cheat
    >>> from counterfold.tree.history import compile_game
    >>> two, three = (compile_game(Cheat(health=n, view="hp")).infosets for n in (2, 3))
    >>> found = fit(three, two, nearest(2))
    >>> found.same, found.nearest, found.fresh
    (496, 780, 66)
    """
    places = rows_of(small)
    row = np.full(len(large.labels), -1, dtype=np.int64)
    equal = 0
    for i, (owner, name) in enumerate(zip(large.owner.tolist(), large.labels, strict=True)):
        for told in down(name):
            found = places.get((owner, told), -1)
            if found < 0 or small.actions[found] != large.actions[i]:
                if found >= 0 and told == name:
                    raise MismatchError(
                        f"{name!r} has the actions {', '.join(small.actions[found])} in the "
                        f"smaller game and {', '.join(large.actions[i])} in the larger; "
                        "these games are not ordered"
                    )
                continue
            row[i] = found
            equal += told == name
            break
    known = int((row >= 0).sum())
    if not known and len(row):
        raise MismatchError(
            f"no infoset of the larger game, such as {large.labels[0]!r}, answers to one of the "
            f"smaller, such as {small.labels[0] if small.labels else 'none'!r}; "
            "these games are not ordered by this map"
        )
    sizes, start = large.sizes, small.start[:-1].astype(np.int64)
    within = np.arange(large.slots) - np.repeat(large.start[:-1].astype(np.int64), sizes)
    above = np.repeat(row, sizes)
    slots = np.where(above >= 0, np.append(start, 0)[above] + within, -1)
    return Fit(row, equal, known - equal, slots)


def check_increasing(values: Iterable[object], name: str) -> tuple[int, ...]:
    """Stages must grow."""
    given = tuple(values)
    found = tuple(v for v in given if isinstance(v, int) and not isinstance(v, bool))
    if not given:
        raise ParameterError(f"say which {name} to go through, such as 3,4,5")
    if len(found) < len(given):
        raise ParameterError(f"{name} must be whole numbers such as 3,4,5")
    if any(b <= a for a, b in pairwise(found)):
        raise ParameterError(
            f"{name} must grow from stage to stage, not {','.join(map(str, found))}"
        )
    return found
