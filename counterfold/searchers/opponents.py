"""Opponents and judgements of them that are wrong by a known amount, for experiments."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.searchers.entry import distribution
from counterfold.strategy.strategy import Strategy
from counterfold.tree.form import Form

F = TypeVar("F", bound=Form)


def shuffled(strategy: Strategy[F], share: float, seed: int | np.random.Generator) -> Strategy[F]:
    """A strategy shaken at a share of its infosets: actions times random numbers from 0 to 1.

    >>> import counterfold as cf
    >>> calm = cf.Strategy.uniform(cf.Kuhn())
    >>> shaken = shuffled(calm, 0.5, 1)
    >>> sum(a.actions != b.actions for a, b in zip(calm.rows(), shaken.rows()))
    5
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"the share of infosets is {share!r}, and must be from 0 to 1")
    random = np.random.default_rng(seed)
    infosets = strategy.infosets
    shaken = np.repeat(random.random(len(infosets.owner)) < share, infosets.sizes)
    factor = np.where(shaken, random.random(infosets.slots), 1.0)
    weights = strategy.probabilities * factor
    told = {"method": "shuffled", "share": share}
    return Strategy.of(strategy.tree, infosets.to_one(weights), told)


def misjudged(range: Floats, error: float, seed: int | np.random.Generator) -> Floats:
    """Another range at an L1 distance from the true one, or as far as there is room.

    It lies in a random direction. Where that direction ends too early, it bends to a class that
    is far enough away.

    >>> p = np.array([0.5, 0.3, 0.2])
    >>> round(float(np.abs(misjudged(p, 0.6, 1) - p).sum()), 9)
    0.6
    """
    if not 0 <= error <= 2:
        raise ParameterError(f"an L1 distance of ranges is from 0 to 2, not {error!r}")
    true = distribution(range, "the range")
    random = np.random.default_rng(seed)
    aim = random.dirichlet(np.ones(len(true)))
    away = 2 * (1 - true)
    far = np.flatnonzero(away >= error)
    corner = int(random.choice(far)) if len(far) else int(np.argmax(away))
    if not error or not len(true) > 1:
        return true
    if np.abs(aim - true).sum() < error:
        # The distance is convex along the way to the corner, and enough at its end.
        end = np.zeros(len(true))
        end[corner] = 1.0
        low, high = 0.0, 1.0
        for _ in np.arange(60):
            middle = (low + high) / 2
            if np.abs(aim + middle * (end - aim) - true).sum() < error:
                low = middle
            else:
                high = middle
        return aim + high * (end - aim)
    found: Floats = true + error / np.abs(aim - true).sum() * (aim - true)
    return found
