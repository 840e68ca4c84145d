"""What figures 3 and 4 have in every game: points by alpha and error, opponents, and means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import ClassVar

import numpy as np

from counterfold.files.text import Json
from counterfold.research.results import Result

ERRORS = (0.0, 0.3, 0.6, 0.9, 1.2)
"""L1 distances of the range that the hero believes in from the true one."""
SHARES = (0.0, 0.3, 0.7)
"""Shares of infosets at which opponents are shuffled; 0 is a blueprint of another seed."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One opponent, one error of judgement and one alpha: means of both seats."""

    share: float
    seed: int
    error: float
    alpha: float
    payoff: float
    exploitability: float


@dataclass(frozen=True)
class Opponent:
    """An opponent, and what the blueprint and a best response earn against it."""

    share: float
    seed: int
    distance: float  # mean L1 distance from the blueprint over infosets
    blueprint: float
    best: float


@dataclass(frozen=True, kw_only=True)
class Sweep(Result, paper="ses"):
    """Every point, with the opponents and what does not depend on them."""

    scale: ClassVar[float] = 1000.0  # of what is printed and drawn
    unit: ClassVar[str] = "thousandths of a chip a hand"
    game: str
    iterations: int  # of the blueprint
    seed: int
    exploitability: float  # of the blueprint
    opponents: tuple[Opponent, ...]
    points: Sequence[Point] = field(repr=False)
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

    def curve(self, share: float, error: float, name: str) -> list[float]:
        """Means over seeds by alpha: of ``payoff``, ``exploitability`` and so on."""
        settings = [(share, error, alpha) for alpha in self.alphas]
        return _means(self.points, name, ("share", "error", "alpha"), settings)

    def blueprint(self, share: float) -> float:
        """What the blueprint earns from opponents of a kind."""
        return mean(o.blueprint for o in self.opponents if o.share == share)


IN_BUCKETS = "in buckets"
"""A response over the blueprint's buckets, as the paper makes it."""


@dataclass(frozen=True, kw_only=True)
class FhpPoint(Point):
    """A point of Flop Hold'em, in mbb a hand.

    Where flops were drawn, ``exploitability`` is too high on average and ``at_least`` too low;
    ``payoff_error`` is one standard error, 0 with all flops. ``in_buckets`` is the exploitability
    by an opponent who knows buckets only, ``gap`` the mean distance of a search from its optimum.
    """

    payoff_error: float
    at_least: float
    gap: float
    in_buckets: float | None


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


@dataclass(frozen=True, kw_only=True)
class FhpSweep(Sweep, also=("exact",)):
    """Figure 3's lower half, or figure 4 with responses beside the searches; mbb a hand."""

    scale: ClassVar[float] = 1.0
    unit: ClassVar[str] = "mbb a hand"
    figure: int
    blueprint_kind: str
    search_iterations: int  # at most
    search_gap: float  # in chips, where a search ends
    flops: int  # on which searches were made
    all_flops: int
    in_buckets: float | None  # the blueprint's exploitability by who knows buckets only
    random_distance: float  # mean L1 distance of a random strategy from the blueprint
    responses: tuple[FhpResponse, ...] = field(repr=False)
    fresh: Spent  # searches that began with nothing
    later: Spent  # searches that went on from another on the same flop

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

    def response_curve(self, share: float, budget: str, name: str) -> list[float]:
        """Means of responses over seeds, by p."""
        settings = [(share, budget, p) for p in self.ps]
        return _means(self.responses, name, ("share", "budget", "p"), settings)

    def to_dict(self) -> Json:
        """The documented JSON, with the seconds of one search of each kind."""
        each = {f"seconds_a_{kind}_search": getattr(self, kind).each for kind in ("fresh", "later")}
        return super().to_dict() | each


def _means(
    rows: Sequence[object], name: str, keys: tuple[str, ...], settings: Sequence[tuple[object, ...]]
) -> list[float]:
    """Means of what the rows of each setting hold by a name; keys tell a row's setting."""
    setting_of = attrgetter(*keys)
    return [
        mean(getattr(row, name) for row in rows if setting_of(row) == setting)
        for setting in settings
    ]


def mean(numbers: Iterable[float | None]) -> float:
    """The mean, which is no number where one of them is unknown."""
    known = [np.nan if number is None else number for number in numbers]
    return float(np.mean(known)) if known else np.nan


def mean_or_none(numbers: Iterable[float | None]) -> float | None:
    """The mean, or None where one of them is unknown."""
    average = mean(numbers)
    return None if np.isnan(average) else average
