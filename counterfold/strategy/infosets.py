"""Strategies over the infosets of a history graph: one table, a slot for each action."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from counterfold.arrays import Array, Arrays
from counterfold.errors import MismatchError, ParameterError
from counterfold.files.arrays import Saved
from counterfold.files.text import Fields, parse_json
from counterfold.games.base import label
from counterfold.strategy.layout import Row, Tables, fits, lays_out
from counterfold.tree.history import HistoryTree, Infosets, compile_game

MOST_PLAYERS = 127  # an owner is an int8


@dataclass(frozen=True, eq=False)
class InfosetLayout:
    """Probabilities over the slots of ``Infosets``, for all players in one array.

    A file carries the names of its infosets, so that a strategy can be read without its rules.
    """

    spec: str
    players: int
    infosets: Infosets
    fingerprint: str
    compiled: HistoryTree | None = None

    name: ClassVar[str] = "history"
    before: ClassVar[str] = ""

    @classmethod
    def of(cls, tree: HistoryTree) -> InfosetLayout:
        """The layout of a compiled game."""
        return cls(tree.spec, tree.players, tree.infosets, tree.fingerprint, tree)

    @cached_property
    def form(self) -> HistoryTree:
        """The compiled game, built from its name if the strategy came from a file."""
        if self.compiled is not None:
            return self.compiled
        from counterfold.games.catalog import load_named

        tree = compile_game(load_named(self.spec, "the strategy"))
        if tree.fingerprint != self.fingerprint:
            raise MismatchError(
                f"the strategy is for {self.spec} ({self.size}), and the game here is {tree.spec} "
                f"({len(tree.infosets.owner):,} infosets); the rules have changed since"
            )
        return tree

    @property
    def size(self) -> str:
        return f"{self.infoset_count:,} infosets"

    @property
    def infoset_count(self) -> int:
        return len(self.infosets.owner)

    def check(self, tables: Sequence[Array]) -> Tables:
        infosets, (given,) = self.infosets, tables
        probabilities = np.array(given, dtype=np.float64)
        if probabilities.shape != (infosets.slots,):
            raise ParameterError(
                f"a strategy of this game has {infosets.slots:,} probabilities, "
                f"not {probabilities.size:,}"
            )
        probabilities.flags.writeable = False
        if not len(probabilities):
            return (probabilities,)
        if not np.isfinite(probabilities).all() or probabilities.min() < -1e-9:
            raise ParameterError("a strategy's probabilities must be finite and not negative")
        sums = np.add.reduceat(probabilities, infosets.start[:-1].astype(np.int64))
        worst = int(np.argmax(np.abs(sums - 1)))
        if abs(sums[worst] - 1) > 1e-6:
            raise ParameterError(
                f"probabilities at {infosets.labels[worst]!r} sum to {sums[worst]:.9g}, not to one"
            )
        return (probabilities,)

    def even(self) -> Tables:
        return (self.infosets.evenly(),)

    def random(self, random: np.random.Generator) -> Tables:
        return (self.infosets.to_one(random.exponential(size=self.infosets.slots)),)

    def combine(self, profile: Sequence[Tables]) -> Tables:
        probabilities = profile[0][0].copy()
        for player, (theirs,) in enumerate(profile[1:], start=1):
            lo, hi = slots_of(self.infosets, player)
            probabilities[lo:hi] = theirs[lo:hi]
        return (probabilities,)

    def weighed(self, tables: Tables, weigh: Callable[[str], float]) -> Tables:
        known = {actions: [*map(weigh, actions)] for actions in set(self.infosets.actions)}
        factors = [factor for actions in self.infosets.actions for factor in known[actions]]
        return (self.infosets.to_one(tables[0] * np.array(factors)),)

    def at(self, tables: Tables, seen: tuple[object, ...], player: int | None) -> dict[str, float]:
        name = label(seen)
        places = [
            i for i in self._index.get(name, ()) if player in (None, int(self.infosets.owner[i]))
        ]
        return self._row(tables, only_place(places, name, self._index, self.spec)).actions

    def rows(self, tables: Tables, pattern: str | None, player: int | None) -> Iterator[Row]:
        for i, name in enumerate(self.infosets.labels):
            if player is not None and self.infosets.owner[i] != player:
                continue
            if pattern is None or fits(name, pattern):
                yield self._row(tables, i)

    def _row(self, tables: Tables, i: int) -> Row:
        lo, hi = int(self.infosets.start[i]), int(self.infosets.start[i + 1])
        numbers = tables[0][lo:hi].tolist()
        actions = dict(zip(self.infosets.actions[i], numbers, strict=True))
        return Row(int(self.infosets.owner[i]), self.infosets.labels[i], actions)

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = {}
        for i, name in enumerate(self.infosets.labels):
            index.setdefault(name, []).append(i)
        return index

    def header(self) -> dict[str, str]:
        return {"players": str(self.players)}

    def arrays(self, tables: Tables) -> Arrays:
        infosets = self.infosets
        lists = {actions: n for n, actions in enumerate(dict.fromkeys(infosets.actions))}
        names = {
            "labels": infosets.labels,
            "lists": list(lists),
            "actions": [lists[actions] for actions in infosets.actions],
        }
        blob = json.dumps(names, ensure_ascii=False, separators=(",", ":")).encode()
        return {
            "probabilities": tables[0],
            "owner": infosets.owner,
            "start": infosets.start,
            "names": np.frombuffer(blob, dtype=np.uint8),
        }

    @classmethod
    def read(cls, saved: Saved, tree: HistoryTree | None) -> tuple[InfosetLayout, Tables]:
        """The layout and the tables of a file."""
        players = saved.whole("players", 1, MOST_PLAYERS)
        infosets = _infosets(saved, players)
        tables = (saved.array("probabilities", np.float64, (infosets.slots,)),)
        fingerprint = saved.text("fingerprint")
        if tree is not None and tree.fingerprint != fingerprint:
            tree = None  # whoever asked for it is told by Strategy.check_fits
        return cls(saved.text("game"), players, infosets, fingerprint, tree), tables


lays_out(HistoryTree, InfosetLayout)


def only_place(places: Sequence[int], name: str, names: Iterable[str], spec: str) -> int:
    """The one infoset among the places of a name; ParameterError if there is none or another."""
    if not places:
        near = difflib.get_close_matches(name, list(names), n=3, cutoff=0.3)
        hint = f"; near it: {', '.join(map(repr, near))}" if near else ""
        raise ParameterError(f"nobody ever sees {name!r} in {spec}{hint}")
    if len(places) > 1:
        raise ParameterError(f"several players may see {name!r}: say which with player=0, 1, …")
    return places[0]


def slots_of(infosets: Infosets, player: int) -> tuple[int, int]:
    """The range of a player's slots in flat strategy arrays."""
    rows = np.searchsorted(infosets.owner, [player, player + 1])
    return int(infosets.start[rows[0]]), int(infosets.start[rows[1]])


def _infosets(saved: Saved, players: int) -> Infosets:
    owner = saved.array("owner", np.int8, (None,), 0, players - 1)
    count = len(owner)
    start = saved.array("start", np.uint32, (count + 1,))
    blob = saved.array("names", np.uint8, (None,)).tobytes()
    where = f"{saved.path} is damaged: its names"
    names = Fields(parse_json(blob, where), where)
    lists = [
        tuple(Fields({"actions": one}, where).texts("actions")) for one in names.items("lists")
    ]
    chosen = names.wholes("actions", 0, len(lists) - 1)
    infosets = Infosets(owner, start, tuple(names.texts("labels")), tuple(lists[n] for n in chosen))
    sizes = [len(actions) for actions in infosets.actions]
    ends = np.cumsum([0, *sizes])
    if len(infosets.labels) != count or len(sizes) != count or not np.array_equal(start, ends):
        raise saved.damaged("the sizes of its tables do not fit each other")
    return infosets
