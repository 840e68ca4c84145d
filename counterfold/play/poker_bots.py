"""Poker by a few rules: opponents that everybody has met, to gauge strategies with."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from counterfold.agent import Agent, Observation, drawn
from counterfold.poker.cards import parse_cards
from counterfold.poker.made import DRAWS, MADE, kinds_of

_RAISES = ("bet", "raise", "all-in")


def chen(hole: tuple[int, ...]) -> float:
    """Bill Chen's points of two cards before the flop, from -1 (72o) to 20 (AA).

    >>> from counterfold.poker.cards import parse_cards
    >>> [chen(parse_cards(text)) for text in ("AsAh", "AsKs", "Th9h", "7s2d", "5c5d")]
    [20.0, 12.0, 8.0, -1.0, 5.0]
    """
    high, low = sorted((card // 4 for card in hole), reverse=True)
    points = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}.get(high, (high + 2) / 2)
    if high == low:
        return max(2 * points, 5.0)
    gap = high - low - 1
    points += 2.0 * (hole[0] % 4 == hole[1] % 4) + (gap < 2 and high < 10)
    points -= (0, 1, 2, 4)[gap] if gap < 4 else 5
    return float(np.ceil(points))


class _Bot(Agent):
    """Takes actions as often as it tells."""

    def odds(self, observation: Observation) -> dict[str, float]:
        raise NotImplementedError

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        return drawn(self.odds(observation), rng)


@dataclass(kw_only=True)
class RuleBot(_Bot):
    """Plays by thresholds: the points it enters and raises with, and what it thinks is good.

    ``strong`` and ``fair`` are the last made hands (of ``made.MADE``) that it bets, and calls with;
    draws are called too. Where none fits it bluffs with probability ``bluff``, and else checks or
    folds.
    """

    name: str
    enters: float
    raises: float
    strong: str
    fair: str
    bluff: float

    def odds(self, observation: Observation) -> dict[str, float]:
        """How often it takes each action."""
        assert isinstance(observation.seen, tuple)
        hole, board = (parse_cards(text) for text in observation.seen[:2])
        if board:
            made, *draws = kinds_of(hole, board)
            rank, drawing = MADE.index(made), any(draw in DRAWS[:3] for draw in draws)
            good, some = rank <= MADE.index(self.strong), rank <= MADE.index(self.fair) or drawing
        else:
            points = chen(hole)
            good, some = points >= self.raises, points >= self.enters
        raising = _raise(observation.actions)
        other = _call(observation.actions) if some else _fold(observation.actions)
        if good or raising == other:
            return {raising: 1.0}
        return {raising: self.bluff, other: 1 - self.bluff}


class AlwaysCall(_Bot):
    """Checks, or calls whatever is bet."""

    name = "always-call"

    def odds(self, observation: Observation) -> dict[str, float]:
        return {_call(observation.actions): 1.0}


class AlwaysFold(_Bot):
    """Folds, or checks where that costs nothing: it loses three quarters of a big blind a hand."""

    name = "always-fold"

    def odds(self, observation: Observation) -> dict[str, float]:
        return {_fold(observation.actions): 1.0}


def tight() -> Agent:
    """Few hands, and bets with what is good."""
    return RuleBot(
        name="tight", enters=8, raises=9, strong="top pair", fair="second pair", bluff=0.03
    )


def loose() -> Agent:
    """Most hands, and calls with anything."""
    return RuleBot(
        name="loose", enters=2, raises=11, strong="two pair", fair="underpair", bluff=0.02
    )


def maniac() -> Agent:
    """Bets most of the time, whatever it holds."""
    return RuleBot(
        name="maniac", enters=0, raises=6, strong="second pair", fair="ace high", bluff=0.6
    )


def _verb(action: Hashable) -> str:
    return str(action).partition(" ")[0]


def _first(actions: tuple[Hashable, ...], *verbs: str) -> str | None:
    return next((str(one) for one in actions if _verb(one) in verbs), None)


def _raise(actions: tuple[Hashable, ...]) -> str:
    """The smallest bet or raise; a call where there is none."""
    return _first(actions, *_RAISES) or _call(actions)


def _call(actions: tuple[Hashable, ...]) -> str:
    """A check or a call; where blinds may not be called, the smallest raise."""
    return _first(actions, "check", "call") or _raise(actions)


def _fold(actions: tuple[Hashable, ...]) -> str:
    """A check if that is free, else a fold."""
    return _first(actions, "check") or _first(actions, "fold") or _call(actions)
