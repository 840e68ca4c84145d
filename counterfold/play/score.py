"""What a match says about its agents: win rates with intervals, and how much luck was taken out.

Players are strata: every agent is each of them equally often, so the spread between them is
no luck. Where deals are played again as every player, all hands on one deal count as one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.intervals import Z95
from counterfold.notebook import brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from counterfold.kernels.arena import Tally

Document = dict[str, object]
"""What becomes JSON."""


@dataclass(frozen=True)
class Estimate:
    """A win rate a hand, with half the width of its 95% interval (None while it is unknown)."""

    mean: float
    half: float | None

    @property
    def low(self) -> float:
        return self.mean - (math.inf if self.half is None else self.half)

    @property
    def high(self) -> float:
        return self.mean + (math.inf if self.half is None else self.half)

    def __repr__(self) -> str:
        return brief(self, str(self))

    def __str__(self) -> str:
        return f"{self.mean:+.6g}" + ("" if self.half is None else f" ± {self.half:.2g}")

    def to_dict(self) -> Document:
        return {"mean": self.mean, "half": self.half}


@dataclass(frozen=True)
class Score:
    """One agent's result: plain, by player, and with luck taken out where that was possible."""

    name: str
    hands: int
    plain: Estimate
    by_player: tuple[Estimate, ...]
    reduced: Estimate | None
    exact: float | None

    def __repr__(self) -> str:
        reduced = "" if self.reduced is None else f", with luck taken out {self.reduced}"
        return brief(self, f"of {self.name}: {self.plain} over {self.hands:,} hands{reduced}")

    @property
    def factor(self) -> float | None:
        """How many times fewer hands the reduced estimate needs; infinite if it has no spread."""
        if self.reduced is None or self.plain.half is None or self.reduced.half is None:
            return None
        if self.reduced.half <= 1e-6 * self.plain.half:
            return math.inf
        return (self.plain.half / self.reduced.half) ** 2

    def to_dict(self) -> Document:
        factor = self.factor
        return {
            "agent": self.name,
            "hands": self.hands,
            **self.plain.to_dict(),
            "by_player": [player.to_dict() for player in self.by_player],
            "reduced": None if self.reduced is None else self.reduced.to_dict(),
            "factor": None if factor is None or math.isinf(factor) else factor,
            "without_spread": factor is not None and math.isinf(factor),
            "exact": self.exact,
        }


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of results and their squares: ``total`` and ``square`` of [agents, players, 2].

    The last axis is plain and reduced. ``repeat`` is how many hands were played on a deal; with
    more than one, squares are of whole deals and lie with player 0. ``counts`` has the hands that
    each agent played as each player.
    """

    counts: Ints
    repeat: int
    total: Floats
    square: Floats

    @property
    def hands(self) -> int:
        return int(self.counts[0].sum())

    def estimate(self, agent: int, which: int) -> Estimate:
        """The mean over all hands: which = 0 plain, 1 reduced."""
        mean = float(self.total[agent, :, which].sum()) / self.hands
        return Estimate(mean, _half(self._variance(agent, which)))

    def by_player(self, agent: int) -> tuple[Estimate, ...]:
        """Plain results player by player."""
        found = []
        for player in range(self.total.shape[1]):
            count = int(self.counts[agent, player])
            total, square = self.total[agent, player, 0], self.square[agent, player, 0]
            variance = None if self.repeat > 1 else _of_mean(total, square, count)
            found.append(Estimate(float(total) / count if count else math.nan, _half(variance)))
        return tuple(found)

    def _variance(self, agent: int, which: int) -> float | None:
        """Variance of the mean."""
        if self.repeat > 1:
            deals = self.hands // self.repeat
            total = self.total[agent, :, which].sum()
            found = _of_mean(total, self.square[agent, 0, which], deals)
            return None if found is None else found / self.repeat**2
        parts = 0.0
        for player in range(self.total.shape[1]):
            count = int(self.counts[agent, player])
            one = _of_mean(
                self.total[agent, player, which], self.square[agent, player, which], count
            )
            if one is None:
                return None
            parts += one * (count / self.hands) ** 2
        return parts


def turns(agents: int, hands: int) -> Ints:
    """How many of the hands from the first on each agent plays as each player.

    >>> turns(2, 5).tolist()
    [[3, 2], [2, 3]]
    """
    agent, player = np.indices((agents, agents))
    return (hands - (agent - player) % agents + agents - 1) // agents


def blank_tally(players: int) -> Tally:
    from counterfold.kernels.arena import Tally

    shape = (players, players, 2)
    return Tally(np.zeros(shape), np.zeros(shape), np.zeros((players, 2)))


def add_hand(
    tally: Tally,
    repeat: int,
    number: int,
    players: Sequence[int],
    payoffs: Sequence[float],
    fair: Sequence[float],
) -> None:
    """Count a hand, whose payoffs are ``fair`` with luck taken out, as compiled code does."""
    for player, agent in enumerate(players):
        for k, won in enumerate((payoffs[player], fair[player])):
            tally.total[agent, player, k] += won
            if repeat == 1:
                tally.square[agent, player, k] += won * won
            else:
                tally.unit[agent, k] += won
    if repeat > 1 and number % repeat == repeat - 1:
        tally.square[:, 0, :] += tally.unit**2
        tally.unit[:] = 0.0


def _of_mean(total: float, square: float, count: int) -> float | None:
    if count < 2:
        return None
    return max(float(square) - float(total) ** 2 / count, 0.0) / (count - 1) / count


def _half(variance: float | None) -> float | None:
    return None if variance is None else Z95 * math.sqrt(variance)


def scores(
    names: tuple[str, ...], sums: Sums, *, reduced: bool, exact: tuple[float, ...] | None
) -> tuple[Score, ...]:
    """The scores of all agents of a match."""
    return tuple(
        Score(
            name=name,
            hands=sums.hands,
            plain=sums.estimate(g, 0),
            by_player=sums.by_player(g),
            reduced=sums.estimate(g, 1) if reduced else None,
            exact=None if exact is None else exact[g],
        )
        for g, name in enumerate(names)
    )
