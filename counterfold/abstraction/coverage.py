"""How many infosets of two-player Cheat a number of sampled deals lead to.

A walk through a deal meets the same infosets whatever has been learned, so what each of the few
different deals meets tells all that chance can do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.deal_engine import Deal, DealEngine
from counterfold.abstraction.deal_form import DealForm, rules_of
from counterfold.abstraction.maps import Mapped
from counterfold.arrays import Floats, Ints
from counterfold.errors import UnsupportedError
from counterfold.games.cheat import Cheat
from counterfold.solvers.solver import Solver


@dataclass(frozen=True)
class Coverage:
    """Which infosets each deal leads to: ``met[infoset]`` has a bit for each deal."""

    odds: Floats
    met: NDArray[np.uint64] = field(repr=False)

    @property
    def reachable(self) -> int:
        """All infosets of the game."""
        return len(self.met)

    def expected(self, iterations: int) -> float:
        """The mean number of infosets met in so many sampled deals, exactly."""
        bits = (self.met[:, None] >> np.arange(len(self.odds), dtype=np.uint64)) & np.uint64(1)
        missed = 1.0 - bits.astype(np.float64) @ self.odds
        return float((1.0 - np.maximum(missed, 0.0) ** iterations).sum())

    def sampled(self, iterations: int, runs: int, seed: int) -> Ints:
        """The number of infosets met in each of many runs."""
        random = np.random.default_rng(seed)
        counts = np.zeros(runs, np.int64)
        for run in range(runs):
            drawn = np.flatnonzero(random.multinomial(iterations, self.odds))
            mask = np.bitwise_or.reduce(np.uint64(1) << drawn.astype(np.uint64))
            counts[run] = np.count_nonzero(self.met & mask)
        return counts


def all_deals(game: Cheat) -> list[tuple[Deal, float]]:
    """Every deal of two hands and a starter, suits left aside, with its probability.

    >>> deals = all_deals(Cheat())
    >>> len(deals), round(sum(odds for _, odds in deals), 12)
    (42, 1.0)
    """
    rules, (first, second) = rules_of(game), game.dealt
    counts = range(rules.copies + 1)
    found = []
    for one in product(counts, repeat=rules.ranks):
        if sum(one) != first:
            continue
        for other in product(counts, repeat=rules.ranks):
            if sum(other) != second or max(map(int.__add__, one, other)) > rules.copies:
                continue
            ways = 1
            for a, b in zip(one, other, strict=True):
                ways *= comb(rules.copies, a) * comb(rules.copies - a, b)
            found += [(Deal((one, other), starter), ways) for starter in range(2)]
    total = sum(ways for _, ways in found)
    return [(deal, ways / total) for deal, ways in found]


def coverage(game: Cheat | Mapped, on_deal: Callable[[], None] | None = None) -> Coverage:
    """Walk once through every deal of a game.

    >>> from counterfold.abstraction.maps import RelativeCards
    >>> coverage(Mapped(Cheat(view="hp"), RelativeCards())).reachable
    606
    """
    form = DealForm(game, thorough=True)
    deals = all_deals(form.own)
    if len(deals) > 64:
        raise UnsupportedError(
            f"{game} has {len(deals):,} deals, too many to walk through them all"
        )
    solver = Solver(form, traversal="chance", alternating=False)
    engine = solver.engine
    assert isinstance(engine, DealEngine)
    engine.deals = (deal for deal, _ in deals)
    met = np.zeros(0, np.uint64)
    for n in range(len(deals)):
        solver.step()
        met = np.concatenate([met, np.zeros(engine.infosets - len(met), np.uint64)])
        met[engine.met()] |= np.uint64(1) << np.uint64(n)
        if on_deal:
            on_deal()
    return Coverage(np.array([odds for _, odds in deals]), met)
