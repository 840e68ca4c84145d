"""Clusters of points by k-means: the centers, in an order, and the nearest of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.features import Points

ROUNDS = 30
"""Most rounds of k-means."""
ENOUGH = 1e-3
"""It ends when a round makes the mean distance less by a smaller share than this."""


def fit(
    points: Points,
    count: int,
    seed: int,
    *,
    squared: bool,
    look: Callable[[float], None] = lambda share: None,
) -> Points:
    """Centers of clusters, in the order of the sums of their coordinates.

    The first centers are far apart: each is drawn by its squared distance from those before it.
    ``look`` is told which share of the rounds is done, and may end it by raising.

    >>> points = np.array([[0.0], [0.1], [0.9], [1.0]], np.float32)
    >>> fit(points, 2, seed=1, squared=True).round(2).tolist()
    [[0.05000000074505806], [0.949999988079071]]
    """
    from counterfold.kernels import poker_buckets as kernels

    centers = np.zeros((count, points.shape[1]), np.float32)
    sums, sizes = np.zeros(centers.shape), np.zeros(count, np.int64)
    stream = np.array([seed], np.uint64)
    kernels.seed_centers(points, centers, np.zeros(len(points)), squared, stream)
    least = math.inf
    for turn in range(ROUNDS):
        look(turn / ROUNDS)
        before = centers
        centers, heights = in_order(centers)
        mean = kernels.move_centers(points, centers, heights, sums, sizes, squared)
        if mean > least:  # means are not the best centers for L1
            return in_order(before)[0]
        kept = sizes > 0
        centers[kept] = (sums[kept] / sizes[kept, None]).astype(np.float32)
        if mean > least * (1 - ENOUGH):
            break
        least = mean
    return in_order(centers)[0]


def nearest(points: Points, centers: Points, *, squared: bool) -> NDArray[np.uint16]:
    """The number of the nearest center of each point, for centers in order."""
    from counterfold.kernels import poker_buckets as kernels

    out = np.empty(len(points), np.uint16)
    kernels.assign(points, *in_order(centers), squared, out)
    return out


def in_order(centers: Points) -> tuple[Points, Points]:
    """Centers and the sums of their coordinates, in the order of these."""
    heights = centers.sum(axis=1, dtype=np.float32)
    order = np.argsort(heights, kind="stable")
    return np.ascontiguousarray(centers[order]), np.ascontiguousarray(heights[order])
