"""Bets of any size for agents whose tree has a few of them (Ganzfried and Sandholm 2013)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from counterfold.agent import Agent, Observation
from counterfold.errors import MismatchError
from counterfold.notebook import brief
from counterfold.poker.game import DEAL, DECISION
from counterfold.poker.money import Betting, State
from counterfold.poker.table import DEALT, Holdem

_RAISES = ("bet", "raise", "all-in")


def pseudo_harmonic(x: float, low: float, high: float) -> float:
    """How often a bet of x pots is taken for the smaller one of its neighbours.

    The mapping of Ganzfried and Sandholm (2013): where calling a bet with a bluff-catcher is even,
    half of them are.

    >>> pseudo_harmonic(0.5, 0.5, 1.0), round(pseudo_harmonic(0.75, 0.5, 1.0), 4)
    (1.0, 0.4286)
    """
    return (high - x) * (1 + low) / ((high - low) * (1 + x))


class Translated(Agent):
    """An agent of one table at another, where all else is alike but the sizes of bets.

    What was bet is taken for one of the neighbouring sizes of the agent's own tree, drawn once by
    ``pseudo_harmonic``; what it bets itself is the same part of the pot at the real table. Where
    the two have come apart (its own hand is all-in already), it checks or calls.

    >>> from counterfold.play.poker_bots import AlwaysCall
    >>> agent = Translated(AlwaysCall(), Holdem(stack=200))
    >>> agent.begin(Holdem(stack=20000, blinds=(50, 100), chip=1))
    >>> seen = Observation(1, ("AsKs", "", "raise 275"), ("fold", "call", "all-in 20000"))
    >>> agent.act(seen, np.random.default_rng(0)), agent.heard
    ('call', ('raise 3',))
    """

    def __init__(self, agent: Agent, own: Holdem, name: str = "") -> None:
        self.agent, self.own = agent, own
        self.name = name or agent.name
        self._game: Holdem | None = None
        self._forget(None)

    def __repr__(self) -> str:
        return brief(self, f"{self.name}, by {self.own.name}")

    def _forget(self, hand: Any) -> None:
        """Begin a hand."""
        self._hand = hand
        self._lines: tuple[list[str], list[str]] = [], []
        self._chosen: str | None = None  # of its own tree, for the word that comes next
        self._apart = False
        self._own = self.own.betting.root()
        self._real = self._game.betting.root() if self._game else self._own

    @property
    def heard(self) -> tuple[str, ...]:
        """The hand so far in the words of its own tree."""
        return tuple(self._lines[1])

    def begin(self, game: Any) -> None:
        """Refuse tables that differ in more than sizes and the worth of a chip."""
        same = isinstance(game, Holdem) and _shape(game) == _shape(self.own)
        if not same:
            raise MismatchError(
                f"{self.name} plays {self.own}, and this table has other players, stacks or blinds"
            )
        self._game = game
        self._forget(None)
        if hasattr(self.agent, "begin"):
            self.agent.begin(self.own)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        assert self._game is not None
        assert isinstance(observation.seen, tuple)
        hole, board, line = observation.seen
        words = line.split(", ") if line else []
        if (observation.hand, hole) != self._hand or words[: len(self._lines[0])] != self._lines[0]:
            self._forget((observation.hand, hole))
        for word in words[len(self._lines[0]) :]:
            self._hear(word, rng)
        if self._apart or self._own.kind != DECISION or self._own.player != observation.player:
            return "check" if "check" in observation.actions else "call"
        names = tuple(name for name, _ in self.own.betting.moves(self._own))
        mine = (hole, board, ", ".join(self._lines[1]))
        chosen = self.agent.act(Observation(observation.player, mine, names, observation.hand), rng)
        self._chosen = str(chosen)
        return self._told(self._chosen, observation.actions)

    def _hear(self, word: str, rng: np.random.Generator) -> None:
        """Something was said or dealt at the real table."""
        assert self._game is not None
        self._lines[0].append(word)
        if word.startswith("["):
            self._lines[1].append(word)
            cards = sum(one.startswith("[") for one in self._lines[0])
            self._real = _dealt(self._game.betting, self._real, cards)
            self._own = _dealt(self.own.betting, self._own, cards)
            return
        self._apart |= self._own.kind != DECISION or self._own.player != self._real.player
        if not self._apart:
            meant = self._chosen or self._meant(word, rng)
            self._apart = meant is None
            if meant is not None:
                self._lines[1].append(meant)
                self._own = self.own.betting.ways(self._own)[meant]
        self._chosen = None
        betting = self._game.betting
        after = betting.ways(self._real).get(word)
        chips = betting.free(self._real, word)
        self._real = after or betting.raised(self._real, chips or 0.0)

    def _meant(self, word: str, rng: np.random.Generator) -> str | None:
        """What was said, in its own tree; None where nothing there is like it."""
        assert self._game is not None
        names = [name for name, _ in self.own.betting.moves(self._own)]
        verb = word.partition(" ")[0]
        if verb not in _RAISES:
            alike = ("fold",) if verb == "fold" else ("check", "call")
            return next((name for name in names if name in alike), None)
        sizes = [(_share(self.own.betting, self._own, name), name) for name in _raises(names)]
        x = _share(self._game.betting, self._real, word)
        above = [size for size in sizes if size[0] >= x - 1e-9]
        below = [size for size in sizes if size[0] < x - 1e-9]
        if not above or not below:
            return (above[0] if above else below[-1])[1] if sizes else None
        low, high = below[-1], above[0]
        return (low if rng.random() < pseudo_harmonic(x, low[0], high[0]) else high)[1]

    def _told(self, chosen: str, actions: tuple[Hashable, ...]) -> str:
        """An action of its own tree at the real table."""
        assert self._game is not None
        betting, state = self._game.betting, self._real
        if chosen == "fold" and "fold" in actions:
            return "fold"
        bounds = betting.bounds(state)
        if chosen.partition(" ")[0] not in _RAISES or bounds is None:
            return "check" if "check" in actions else "call"
        if betting.fixed:
            return next(str(name) for name in actions if str(name).split()[0] in _RAISES)
        level, pot = max(state.bets), _pot(state)
        wanted = level + _share(self.own.betting, self._own, chosen) * pot
        if chosen.startswith("all-in"):
            wanted = bounds[1]
        chips = min(max(betting.rounded(wanted), bounds[0]), bounds[1])
        return betting.name(state, chips)


def _raises(names: list[str]) -> list[str]:
    return [name for name in names if name.partition(" ")[0] in _RAISES]


def _pot(state: State) -> float:
    """The pot after calling."""
    return sum(state.before) + sum(state.bets) + max(state.bets) - state.bets[state.player]


def _share(betting: Betting, state: State, word: str) -> float:
    """How much more than a call a bet or raise is, in pots after calling."""
    after = betting.ways(state).get(word)
    if after is None:
        after = betting.raised(state, betting.free(state, word) or 0.0)
    return (after.bets[state.player] - max(state.bets)) / _pot(state)


def _dealt(betting: Betting, state: State, cards: int) -> State:
    """The betting when so many cards of the board are there."""
    if state.kind == DEAL and cards == DEALT[state.street + 1]:
        return betting.moves(state)[0][1]
    return state


def _shape(table: Holdem) -> tuple[Any, ...]:
    """What two tables must have in common, in big blinds."""
    big, betting = table.blinds[1], table.betting
    amounts = (*betting.posted, *betting.stacks, *betting.before, *(table.limit or ()))
    return (
        table.players, table.limit is None, table.cap, table.streets, table.limps,
        *(round(chips / big, 6) for chips in amounts),
    )  # fmt: skip
