"""A strategy: what every player does at every infoset, and which game it belongs to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import MismatchError, ParameterError
from counterfold.files.text import csv_text
from counterfold.games.base import label
from counterfold.tree.history import HistoryTree, Infosets, compile_game

__all__ = ["Row", "Strategy", "fits"]


class Row(NamedTuple):
    """One infoset of a strategy, as people read it."""

    player: int
    infoset: str
    actions: dict[str, float]


@dataclass(frozen=True, eq=False)
class Strategy:
    """Action probabilities at every infoset of a game, for all of its players. Immutable.

    >>> import counterfold as cf
    >>> strategy = cf.Strategy.uniform(cf.Kuhn())
    >>> strategy.at("K", "bet")
    {'fold': 0.5, 'call': 0.5}
    """

    spec: str
    players: int
    infosets: Infosets
    probabilities: NDArray[np.float64]
    fingerprint: str
    about: Mapping[str, Any] = field(default_factory=dict)
    compiled: HistoryTree | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        probabilities = np.array(self.probabilities, dtype=np.float64)
        _check(self.infosets, probabilities)
        probabilities.flags.writeable = False
        object.__setattr__(self, "probabilities", probabilities)
        object.__setattr__(self, "about", MappingProxyType(dict(self.about)))

    @classmethod
    def of(
        cls, tree: HistoryTree, probabilities: NDArray[np.float64], about: Mapping[str, Any] = {}
    ) -> Strategy:
        """A strategy over the slots of a compiled game."""
        return cls(
            tree.spec, tree.players, tree.infosets, probabilities, tree.fingerprint, about, tree
        )

    @classmethod
    def uniform(cls, game: Any) -> Strategy:
        """Every action equally often everywhere, in a game or a compiled tree."""
        tree = game if isinstance(game, HistoryTree) else compile_game(game)
        return cls.of(tree, tree.infosets.evenly(), {"method": "uniform"})

    @classmethod
    def random(cls, game: Any, seed: int | np.random.Generator) -> Strategy:
        """A strategy drawn evenly from the simplex at each infoset."""
        tree = game if isinstance(game, HistoryTree) else compile_game(game)
        drawn = np.random.default_rng(seed).exponential(size=tree.infosets.slots)
        return cls.of(tree, tree.infosets.to_one(drawn), {"method": "random"})

    @classmethod
    def ruled(cls, game: Any, rule: Callable[[int, str, tuple[str, ...]], Any]) -> Strategy:
        """A strategy from a rule: what a player does at an infoset, given its actions.

        The rule returns the name of an action, or a weight for each of them.

        >>> import counterfold as cf
        >>> bold = cf.Strategy.ruled(cf.Kuhn(), lambda player, infoset, actions: actions[-1])
        >>> bold.at("J"), bold.at("J", "bet")
        ({'check': 0.0, 'bet': 1.0}, {'fold': 0.0, 'call': 1.0})
        """
        tree = game if isinstance(game, HistoryTree) else compile_game(game)
        weights: list[float] = []
        names = zip(
            tree.infosets.owner.tolist(), tree.infosets.labels, tree.infosets.actions, strict=True
        )
        for player, infoset, actions in names:
            found = rule(player, infoset, actions)
            if isinstance(found, str):
                found = [float(action == found) for action in actions]
            if len(found) != len(actions) or not sum(found) > 0:
                raise ParameterError(
                    f"the rule gives {found!r} at {infoset!r}, where the actions are "
                    f"{', '.join(actions)}"
                )
            weights.extend(found)
        return cls.of(tree, tree.infosets.to_one(np.array(weights)), {"method": "rule"})

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Any = None) -> Strategy:
        """Read a strategy (or the strategy of a checkpoint) from a file.

        ``game`` is needed where its rules are a Python file, which no file may name.
        """
        from counterfold.strategy.store import read

        found = read(path)[0]
        if game is None:
            return found
        tree = game if isinstance(game, HistoryTree) else compile_game(game)
        found.check_fits(tree)
        return replace(found, compiled=tree)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the strategy to a file, whole or not at all."""
        from counterfold.strategy.store import save_strategy

        save_strategy(self, path)

    def to_openspiel(self, game: Any = None) -> Any:
        """The strategy as an OpenSpiel policy; see ``counterfold.strategy.openspiel``."""
        from counterfold.strategy.openspiel import to_openspiel

        return to_openspiel(self, game)

    @classmethod
    def from_openspiel(cls, policy: Any, game: Any = None) -> Strategy:
        """A strategy from an OpenSpiel policy; see ``counterfold.strategy.openspiel``."""
        from counterfold.strategy.openspiel import from_openspiel

        return from_openspiel(policy, game)

    @cached_property
    def tree(self) -> HistoryTree:
        """The compiled game, built from its name if the strategy came from a file."""
        if self.compiled is not None:
            return self.compiled
        from counterfold.games.catalog import load_named

        tree = compile_game(load_named(self.spec, "the strategy"))
        self.check_fits(tree)
        return tree

    def check_fits(self, tree: HistoryTree) -> None:
        """Raise MismatchError unless this strategy was made for the same game."""
        if tree.fingerprint != self.fingerprint:
            raise MismatchError(
                f"the strategy is for {self.spec} ({len(self.infosets.owner):,} infosets), "
                f"and the game here is {tree.spec} ({len(tree.infosets.owner):,} infosets)"
                + ("; the rules have changed since" if tree.spec == self.spec else "")
            )

    def at(self, *seen: Any, player: int | None = None) -> dict[str, float]:
        """Action probabilities where a player sees this; parts are given as they are printed."""
        name = label(tuple(seen))
        found = [
            i for i in self._index.get(name, ()) if player in (None, int(self.infosets.owner[i]))
        ]
        if not found:
            import difflib

            near = difflib.get_close_matches(name, self._index, n=3, cutoff=0.3)
            hint = f"; near it: {', '.join(map(repr, near))}" if near else ""
            raise ParameterError(f"nobody ever sees {name!r} in {self.spec}{hint}")
        if len(found) > 1:
            raise ParameterError(f"several players may see {name!r}: say which with player=0, 1, …")
        return self._row(found[0]).actions

    def rows(self, pattern: str | None = None, player: int | None = None) -> Iterator[Row]:
        """Infosets whose name fits a pattern: a part of the name, or a glob with ``*`` and ``?``.

        >>> import counterfold as cf
        >>> [row.infoset for row in cf.Strategy.uniform(cf.Kuhn()).rows("K*", player=0)]
        ['K', 'K | check bet']
        """
        for i, name in enumerate(self.infosets.labels):
            if player is not None and self.infosets.owner[i] != player:
                continue
            if pattern is None or fits(name, pattern):
                yield self._row(i)

    def with_about(self, **more: Any) -> Strategy:
        """The same strategy with more told about it."""
        return replace(self, about={**self.about, **more})

    def to_csv(self, pattern: str | None = None, player: int | None = None) -> str:
        """Lines of ``player,infoset,action,probability``."""
        lines = (
            [row.player + 1, row.infoset, action, repr(probability)]
            for row in self.rows(pattern, player)
            for action, probability in row.actions.items()
        )
        return csv_text([["player", "infoset", "action", "probability"], *lines])

    def to_json(self, pattern: str | None = None, player: int | None = None) -> str:
        """A document with the game, what is known of the strategy, and all infosets."""
        document = {
            "game": self.spec,
            "about": dict(self.about),
            "infosets": [
                {"player": row.player + 1, "infoset": row.infoset, "actions": row.actions}
                for row in self.rows(pattern, player)
            ],
        }
        return json.dumps(document, indent=1)

    def _row(self, i: int) -> Row:
        lo, hi = int(self.infosets.start[i]), int(self.infosets.start[i + 1])
        numbers = self.probabilities[lo:hi].tolist()
        actions = dict(zip(self.infosets.actions[i], numbers, strict=True))
        return Row(int(self.infosets.owner[i]), self.infosets.labels[i], actions)

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = {}
        for i, name in enumerate(self.infosets.labels):
            index.setdefault(name, []).append(i)
        return index


def fits(name: str, pattern: str) -> bool:
    """Does an infoset's name hold this text, or fit this glob?"""
    if any(c in pattern for c in "*?["):
        return fnmatchcase(name, pattern)
    return pattern in name


def _check(infosets: Infosets, probabilities: NDArray[np.float64]) -> None:
    if probabilities.shape != (infosets.slots,):
        raise ParameterError(
            f"a strategy of this game has {infosets.slots:,} probabilities, "
            f"not {probabilities.size:,}"
        )
    if not len(probabilities):
        return
    if not np.isfinite(probabilities).all() or probabilities.min() < -1e-9:
        raise ParameterError("a strategy's probabilities must be finite and not negative")
    sums = np.add.reduceat(probabilities, infosets.start[:-1].astype(np.int64))
    worst = int(np.argmax(np.abs(sums - 1)))
    if abs(sums[worst] - 1) > 1e-6:
        raise ParameterError(
            f"probabilities at {infosets.labels[worst]!r} sum to {sums[worst]:.9g}, not to one"
        )
