"""What hands are compared by when they are sorted into buckets: points, a row for each hand.

On the last board a hand is its equities against groups of opponents' starting hands (opponent
cluster hand strength, Johanson, Burch, Valenzano and Bowling, 2013), and hands are as far apart as
these points. On boards before it a hand is spread over what it can become, and hands are as far
apart as the earth mover's distance between the two histograms: over the equity on the last board,
or over the next street's buckets (potential-aware buckets, Ganzfried and Sandholm, 2014).

The earth mover's distance is exact where the bins lie on a line: it is the L1 distance between
histograms that are summed up along it. Buckets of the next street lie on the principal axes of
their centers; the distance is summed over these axes. That is never more than the earth mover's
distance whose ground distance is summed over the axes too, and equals it where there is one axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.buckets import choose, renamings, standard_words
from counterfold.arrays import Array, Floats, Ints
from counterfold.poker.cards import CARDS, HIGH, HOLES, LOW

BINS = 32
"""Steps of equity in a histogram, or along the longest axis."""
AXES = 4
"""Principal axes of the next street's buckets, at most."""

Points = NDArray[np.float32]
Boards = NDArray[np.uint8]


class Features(Protocol):
    """Points of all holes on some boards: [boards, holes, width]; negative where they meet."""

    @property
    def squared(self) -> bool:
        """Is the distance between points the square of the usual one, or else their L1?"""

    def __call__(self, boards: Boards) -> Points: ...


@dataclass(frozen=True, eq=False)
class Strength:
    """Equities against each group of holes on last boards; without groups, against all."""

    group: NDArray[np.uint8] | None = None  # [holes]
    squared: bool = True

    def __call__(self, boards: Boards) -> Points:
        from counterfold.kernels import hands
        from counterfold.kernels import poker_buckets as kernels

        group = np.zeros(HOLES, np.uint8) if self.group is None else self.group
        count, low, high = int(group.max()) + 1, LOW.copy(), HIGH.copy()
        strengths = np.empty((len(boards), HOLES), np.uint32)
        hands.strengths_on_boards(boards, low, high, hands.tables(), strengths)
        keys = strengths.astype(np.uint64) << np.uint64(11) | np.arange(HOLES, dtype=np.uint64)
        keys.sort(axis=1)
        out = np.empty((len(boards), HOLES, count), np.float32)
        room = kernels.Sorted(*(np.zeros((54, count), np.int32) for _ in range(3)))
        blocked = HOLES - math.comb(CARDS - boards.shape[1], 2)
        kernels.equities(keys, blocked, low, high, group, room, out)
        return out


@dataclass(frozen=True, eq=False)
class Places:
    """Where buckets lie: the column of each on each axis, in a row of all axes' bins."""

    columns: NDArray[np.uint16]  # [buckets, axes]
    first: Ints  # [axes + 1] the first column of each axis

    @property
    def width(self) -> int:
        return int(self.first[-1])

    @classmethod
    def in_line(cls, bins: int) -> Places:
        """Bins that lie side by side on one axis, each its own bucket."""
        return cls(np.arange(bins, dtype=np.uint16)[:, None], np.array([0, bins]))

    @classmethod
    def of(cls, centers: Array, bins: int = BINS, axes: int = AXES) -> Places:
        """Buckets on the principal axes of their centers, in steps that are as long on each axis.

        >>> Places.of(np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]]), bins=4).columns.tolist()
        [[0], [1], [3]]
        """
        spots = centers.astype(np.float64) - centers.mean(axis=0, dtype=np.float64)
        turned = spots @ np.linalg.svd(spots, full_matrices=False)[2][:axes].T
        turned *= np.where(turned[-1] < turned[0], -1.0, 1.0)  # the strongest bucket is the last
        low, reach = turned.min(axis=0), np.ptp(turned, axis=0)
        step = reach[0] * (1 + 1e-9) / bins or 1.0
        kept = max(1, int((reach >= step).sum()))
        columns = ((turned - low)[:, :kept] / step).astype(np.int64)
        first = np.concatenate([[0], np.cumsum(columns.max(axis=0) + 1)])
        return cls((columns + first[:-1]).astype(np.uint16), first)

    def summed(self, histogram: Array) -> Floats:
        """A histogram over the buckets, summed up along each axis.

        The earth mover's distance of two is the L1 distance of these, in steps of an axis.
        """
        spread = np.zeros(self.width)
        for axis in self.columns.T:
            np.add.at(spread, axis, histogram)
        parts = np.split(spread, self.first[1:-1])
        return np.concatenate([np.cumsum(part) for part in parts])


@dataclass(frozen=True, eq=False)
class Spread:
    """Histograms over the buckets of later boards, summed up along the axes these lie on."""

    size: int  # cards of the later boards
    table: Array  # [standard boards, holes] buckets there
    places: Places
    squared: bool = False

    def __call__(self, boards: Boards) -> Points:
        from counterfold.kernels import poker_buckets as kernels

        words, places = standard_words(self.size)[2], self.places
        later = kernels.Later(
            choose(), words, renamings()[0], self.table, places.columns, places.first
        )
        out = np.empty((len(boards), HOLES, places.width), np.float32)
        counts, picks = np.empty((HOLES, places.width), np.int32), np.zeros((1, 8), np.int64)
        more = self.size - boards.shape[1]
        kernels.histograms(boards, more, LOW.copy(), HIGH.copy(), later, picks, counts, out)
        return out


def levels_on(boards: Boards) -> NDArray[np.uint8]:
    """The step of each hole's equity on last boards; ``BINS`` where they meet."""
    from counterfold.kernels import poker_buckets as kernels

    levels = np.empty((len(boards), HOLES), np.uint8)
    kernels.bins_of(Strength()(boards), BINS, levels)
    return levels


def first_spread(size: int, levels: NDArray[np.uint8]) -> Floats:
    """How often each hole comes to each step of equity, before there is any board."""
    from counterfold.kernels import poker_buckets as kernels

    spread = np.zeros((HOLES, BINS + 1))
    kernels.first_histograms(levels, standard_words(size)[1], spread)
    return spread[:, :BINS]
