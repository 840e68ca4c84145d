"""Strategies beyond the game they were trained in: the nearest trained infoset answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import fields, is_dataclass

import numpy as np

from counterfold.abstraction.maps import Mapped
from counterfold.abstraction.ordered import Down, nearest, rows_of, same
from counterfold.agent import Agent, Observation
from counterfold.errors import MismatchError
from counterfold.games.base import label, spec_of
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.history import HistoryTree, kept_with
from counterfold.tree.story import rules_of
from counterfold.tree.walk import read_rules

VARIED = ("health", "view", "rounds", "turns")
"""Parameters in which variants of a game may differ."""


class FallbackAgent(Agent):
    """Plays a strategy in a game that it was not trained in, and that may never end.

    What it sees is told to it as its own game tells it (``adopt`` of that game, then its maps),
    and looked up; where the strategy has no such infoset, ``down`` names others, the nearest
    first. Without any it chooses evenly. ``known``, ``nearby`` and ``lost`` count its decisions.

    >>> import counterfold as cf
    >>> from counterfold.games.cheat import Cheat
    >>> small, large = Cheat(health=1, view="hp"), Cheat(health=100)
    >>> agent = FallbackAgent(cf.Strategy.uniform(small))
    >>> state = large.root()
    >>> for event in ("1 gets 2xA", "2 gets 2x2", "1 begins"):
    ...     state = large.next(state, event)
    >>> seen = cf.Observation(0, large.observe(state, 0), large.actions(state))
    >>> agent.odds(seen), agent.nearby
    ((0.5, 0.5), 1)
    """

    at_table = True
    """It plays at a table in Python, where the compiled game would not help."""

    def __init__(
        self, strategy: AnyStrategy, game: object = None, down: Down | None = None, name: str = ""
    ) -> None:
        if game is None:
            game = strategy.tree.game
        self.strategy, self.game = strategy, game
        self.down = natural(game) if down is None else down
        self.name = name or str(strategy.about.get("method", "strategy"))
        self.known = self.nearby = self.lost = 0
        self._shares = getattr(strategy.layout, "shares", None)  # of one without a list of infosets
        self._rows = {} if self._shares else rows_of(strategy.infosets)
        self._found: dict[tuple[int, str, tuple[str, ...]], tuple[int, bool]] = {}

    def begin(self, game: object) -> None:
        """Refuse a game that the strategy's own is no variant of."""
        own = self.game.game if isinstance(self.game, Mapped) else self.game
        if type(game) is not type(own) or _fixed(game) != _fixed(own):
            raise MismatchError(
                f"the strategy was trained in {spec_of(own)}, which {spec_of(game)} is no variant "
                f"of; they may differ in {', '.join(VARIED)} only"
            )

    def odds(self, observation: Observation) -> tuple[float, ...]:
        """Probabilities of the legal actions."""
        names = self.names(observation.seen, observation.actions)
        told, player = _adopted(self.game, observation.seen), observation.player
        if self._shares:
            shares, exact = self._shares(self.strategy.tables, told, player), True
        else:
            row, exact = self._row(player, label(told), names)
            lo, hi = self.strategy.infosets.start[row : row + 2] if row >= 0 else (0, 0)
            shares = self.strategy.probabilities[lo:hi].tolist()
        if not shares:
            self.lost += 1
            return (1 / len(names),) * len(names)
        self.known += exact
        self.nearby += not exact
        return tuple(shares)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        odds, left = self.odds(observation), float(rng.random())
        for action, share in zip(observation.actions, odds, strict=True):
            left -= share
            if left < 0:
                return action
        return observation.actions[int(np.argmax(odds))]

    def names(self, seen: Hashable, actions: Sequence[Hashable]) -> tuple[str, ...]:
        """Actions as the strategy's own game calls them."""
        if isinstance(self.game, Mapped):
            own = _adopted(self.game.game, seen)
            actions = self.game.called(own, actions)
        return tuple(map(label, actions))

    def _row(self, player: int, told: str, names: tuple[str, ...]) -> tuple[int, bool]:
        key = (player, told, names)
        if key not in self._found:
            if len(self._found) > 1_000_000:
                self._found.clear()
            self._found[key] = self._look(player, told, names)
        return self._found[key]

    def _look(self, player: int, told: str, names: tuple[str, ...]) -> tuple[int, bool]:
        for name in self.down(told):
            row = self._rows.get((player, name), -1)
            if row >= 0 and self.strategy.infosets.actions[row] == names:
                return row, name == told
        return -1, False


def _fixed(game: object) -> dict[str, object]:
    """The parameters that variants of a game have in common."""
    if not is_dataclass(game):
        return {"spec": spec_of(game)}
    return {f.name: getattr(game, f.name) for f in fields(game) if f.name not in VARIED}


def natural(game: object) -> Down:
    """The rule that a game's own parameters suggest: its health points, if it has any."""
    health = getattr(game, "health", None)
    return nearest(health) if isinstance(health, int) else same


def lifted(strategy: Strategy, tree: HistoryTree, game: object = None) -> Strategy[HistoryTree]:
    """A strategy of an abstract game, laid out over the infosets of a fuller one.

    ``game`` is the abstract game (the strategy's own, if not given). The result plays in the
    fuller game what the strategy plays in its own, so that exact evaluation there tells what
    the abstraction costs.

    >>> import counterfold as cf
    >>> from counterfold.games.cheat import Cheat
    >>> full = cf.compile_game(Cheat(health=1))
    >>> half = cf.Strategy.uniform(Cheat(health=1, view="memoryless"))
    >>> cf.value(lifted(half, full)) == cf.value(cf.Strategy.uniform(full))
    True
    """
    agent = FallbackAgent(strategy, game)
    if tree.players != strategy.players:
        raise MismatchError(
            f"the strategy is for {strategy.players} players, and {tree.spec} has {tree.players}"
        )
    probabilities = np.empty(tree.infosets.slots)
    for row, seen in enumerate(observations(tree)):
        start, after = int(tree.infosets.start[row]), int(tree.infosets.start[row + 1])
        probabilities[start:after] = agent.odds(seen)
    if agent.lost:
        raise MismatchError(
            f"{agent.lost:,} infosets of {tree.spec} have nothing to answer for them in "
            f"{spec_of(agent.game)}"
        )
    return Strategy.of(tree, probabilities, {**strategy.about, "lifted from": strategy.spec})


def observations(tree: HistoryTree) -> list[Observation]:
    """What is seen at each infoset of a tree, found once by a walk over its rules.

    >>> import counterfold as cf
    >>> observations(cf.compile_game(cf.Kuhn()))[0]
    Observation(player=0, seen=('J', ''), actions=('check', 'bet'), hand=0)
    """
    return kept_with(tree, "observations", _observations)


def _observations(tree: HistoryTree) -> list[Observation]:
    reading = read_rules(rules_of(tree))
    return [
        Observation(player, seen, actions)
        for player, rows in enumerate(reading.rows)
        for seen, actions in zip(rows, reading.actions[player], strict=True)
    ]


def _adopted(game: object, seen: Hashable) -> Hashable:
    adopt = getattr(game, "adopt", None)
    told: Hashable = adopt(seen) if callable(adopt) else seen
    return told
