"""What a sweep of safe exploitation search finds: points, opponents, and their means."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Opponent", "Sweep", "SweepPoint"]


@dataclass(frozen=True)
class SweepPoint:
    """One opponent, one error of judgement and one alpha; means of both seats.

    ``bound`` is Theorem 1's: what exploitability may be at most (infinite where the theorem says
    nothing). ``certificate`` is the same by our own bound (``search.bounds.trade_bound``). Neither
    is exceeded in any seat where it is ``safe``.

    ``reserve`` is the least that the hero wins in a subgame beyond Theorem 2's bound (infinite at
    alpha 0), and ``printed`` the same for the theorem as printed, which does not always hold (see
    ``search.bounds``).
    """

    share: float
    seed: int
    error: float
    alpha: float
    payoff: float
    exploitability: float
    bound: float
    certificate: float
    safe: bool
    reserve: float
    printed: float

    @property
    def holds(self) -> bool:
        """Do both theorems hold here?"""
        return self.safe and self.reserve >= -1e-7


@dataclass(frozen=True)
class Opponent:
    """An opponent, and what the blueprint and a best response earn against it."""

    share: float
    seed: int
    distance: float  # mean L1 distance from the blueprint over infosets
    blueprint: float
    best: float


@dataclass(frozen=True)
class Sweep:
    """Figure 3: every point, with the opponents and what does not depend on them."""

    game: str
    point: str
    iterations: int
    seed: int
    opponents: tuple[Opponent, ...]
    exploitability: float  # of the blueprint
    nearest: float  # of the nearest equilibrium
    maxmargin_gap: float
    unsafe_gap: float
    points: tuple[SweepPoint, ...] = field(repr=False)
    searches: int
    search_seconds: float
    cpu_seconds: float

    @property
    def alphas(self) -> tuple[float, ...]:
        return tuple(sorted({point.alpha for point in self.points}))

    @property
    def errors(self) -> tuple[float, ...]:
        return tuple(sorted({point.error for point in self.points}))

    @property
    def shares(self) -> tuple[float, ...]:
        return tuple(sorted({point.share for point in self.points}))

    @property
    def holds(self) -> bool:
        """Do both theorems hold at every point?"""
        return all(point.holds for point in self.points)

    @property
    def finite(self) -> int:
        """At how many points with alpha above 0 does Theorem 1 say something?"""
        return sum(point.alpha > 0 and math.isfinite(point.bound) for point in self.points)

    def curve(self, share: float, error: float, name: str) -> list[float]:
        """Means over seeds by alpha: of ``payoff``, ``exploitability`` and so on."""
        return [
            float(
                np.mean(
                    [
                        getattr(point, name)
                        for point in self.points
                        if (point.share, point.error, point.alpha) == (share, error, alpha)
                    ]
                )
            )
            for alpha in self.alphas
        ]

    def blueprint(self, share: float) -> float:
        """What the blueprint earns from opponents of a kind."""
        return float(np.mean([o.blueprint for o in self.opponents if o.share == share]))

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON of ``counterfold repro ses --figure 3``."""
        return {
            "paper": "ses",
            "figure": 3,
            "game": self.game,
            "point": self.point,
            "iterations": self.iterations,
            "seed": self.seed,
            "blueprint_exploitability": self.exploitability,
            "nearest_exploitability": self.nearest,
            "maxmargin_gap": self.maxmargin_gap,
            "unsafe_gap": self.unsafe_gap,
            "theorems_hold": self.holds,
            "finite_bounds": self.finite,
            "searches": self.searches,
            "search_seconds": self.search_seconds,
            "cpu_seconds": self.cpu_seconds,
            "opponents": [_told(opponent) for opponent in self.opponents],
            "points": [_told(point) for point in self.points],
        }


def _told(row: Any) -> dict[str, Any]:
    """A row for JSON, which knows no infinity."""
    told = {name: getattr(row, name) for name in row.__dataclass_fields__}
    return {
        name: None if isinstance(x, float) and not math.isfinite(x) else x
        for name, x in told.items()
    }
