"""What figures 3 and 4 find in Flop Hold'em: points, opponents, responses, and their means."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

__all__ = ["IN_BUCKETS", "FhpOpponent", "FhpPoint", "FhpResponse", "FhpSweep", "Spent"]

IN_BUCKETS = "in buckets"
"""A response over the blueprint's buckets, as the paper makes it."""


@dataclass(frozen=True)
class FhpPoint:
    """One opponent, one error of judgement and one alpha: means of both seats, in mbb a hand."""

    share: float
    seed: int
    error: float
    alpha: float
    payoff: float
    payoff_error: float  # one standard error, from the flops that were drawn; 0 with all of them
    exploitability: float  # where flops were drawn, too high on average
    at_least: float  # and this too low
    gap: float  # mean distance of a search from its optimum
    in_buckets: float | None  # exploitability by an opponent who knows buckets only


@dataclass(frozen=True)
class FhpOpponent:
    """An opponent, and what the blueprint and a best response earn against it, in mbb a hand."""

    share: float
    seed: int
    distance: float  # mean L1 distance from the blueprint over infosets
    blueprint: float
    best: float


@dataclass(frozen=True)
class FhpResponse:
    """A restricted Nash response of the whole game: means of both seats, in mbb a hand."""

    share: float
    seed: int
    p: float
    budget: str  # normal, big, or in buckets
    payoff: float
    exploitability: float
    in_buckets: float | None  # exploitability by an opponent who knows buckets only
    gap: float | None  # distance from the best for its p; nobody knows it over buckets
    iterations: float
    cpu_seconds: float  # of one seat


@dataclass(frozen=True)
class Spent:
    """Searches of a kind (one line on one flop each), and their CPU seconds."""

    count: int
    seconds: float

    @property
    def each(self) -> float:
        """CPU seconds for one."""
        return self.seconds / max(self.count, 1)


@dataclass(frozen=True)
class FhpSweep:
    """Every point, with the opponents and what does not depend on them."""

    figure: int
    game: str
    blueprint_kind: str
    iterations: int  # of the blueprint
    search_iterations: int  # at most
    search_gap: float  # in chips, where a search ends
    seed: int
    flops: int  # on which searches were made
    all_flops: int
    exploitability: float  # of the blueprint
    in_buckets: float | None  # the same by an opponent who knows buckets only
    random_distance: float  # mean L1 distance of a random strategy from the blueprint
    opponents: tuple[FhpOpponent, ...]
    points: tuple[FhpPoint, ...] = field(repr=False)
    responses: tuple[FhpResponse, ...] = field(repr=False)
    fresh: Spent  # searches that began with nothing
    later: Spent  # searches that went on from another on the same flop
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
    def ps(self) -> tuple[float, ...]:
        return tuple(sorted({response.p for response in self.responses}))

    @property
    def budgets(self) -> tuple[str, ...]:
        order = ("normal", "big", IN_BUCKETS)
        return tuple(b for b in order if any(r.budget == b for r in self.responses))

    @property
    def exact(self) -> bool:
        """Were searches made on all flops?"""
        return self.flops == self.all_flops

    def curve(self, share: float, error: float, name: str) -> list[float]:
        """Means over seeds by alpha: of ``payoff``, ``exploitability`` and so on."""
        return [
            _mean(
                getattr(point, name)
                for point in self.points
                if (point.share, point.error, point.alpha) == (share, error, alpha)
            )
            for alpha in self.alphas
        ]

    def response_curve(self, share: float, budget: str, name: str) -> list[float]:
        """The same of responses, by p."""
        return [
            _mean(
                getattr(response, name)
                for response in self.responses
                if (response.share, response.budget, response.p) == (share, budget, p)
            )
            for p in self.ps
        ]

    def blueprint(self, share: float) -> float:
        """What the blueprint earns from opponents of a kind."""
        return _mean(o.blueprint for o in self.opponents if o.share == share)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON of ``counterfold repro ses --figure 3 --game fhp``, and of 4."""
        told = asdict(self)
        return {
            "paper": "ses",
            **told,
            "exact": self.exact,
            "seconds_a_fresh_search": self.fresh.each,
            "seconds_a_later_search": self.later.each,
        }


def _mean(numbers: Any) -> float:
    found = [float("nan") if number is None else number for number in numbers]
    return float(np.mean(found)) if found else float("nan")
