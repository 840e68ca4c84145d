"""How many infosets sampled deals meet: the published counts, and simulation against sums."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from counterfold.abstraction.coverage import all_deals, coverage
from counterfold.abstraction.deals import DealSolver, Lens
from counterfold.errors import UnsupportedError
from counterfold.games.cheat import Cheat


def test_deals_are_as_likely_as_by_shuffling() -> None:
    # All orders of six cards; the first two are one hand, the next two the other.
    counted: dict[tuple, int] = {}
    for cards in permutations((0, 0, 1, 1, 2, 2)):
        hands = tuple(
            tuple(hand.count(rank) for rank in range(3)) for hand in (cards[:2], cards[2:4])
        )
        counted[hands] = counted.get(hands, 0) + 1
    found = all_deals(Cheat())
    assert len(found) == 2 * len(counted)
    for deal, odds in found:
        assert odds == pytest.approx(counted[deal.hands] / 720 / 2)


@pytest.mark.parametrize(
    ("lens", "health", "wanted"),
    [
        (Lens("memoryless"), 3, 292),
        (Lens("memoryless", cards=True), 3, 100),
        (Lens("memoryless"), 4, 292),
        (Lens("hp"), 3, 1342),
        (Lens("hp", cards=True), 3, 606),
        (Lens("hp"), 4, 2596),
        (Lens("hp", cards=True), 4, 1068),
    ],
    ids=str,
)
def test_infosets_are_as_many_as_published(lens: Lens, health: int, wanted: int) -> None:
    assert coverage(Cheat(health=health), lens).reachable == wanted


def test_hp_aware_counts_of_100_sampled_iterations() -> None:
    for lens, published in ((Lens("hp"), 1331), (Lens("hp", cards=True), 604)):
        counts = coverage(Cheat(), lens).sampled(100, 400, seed=1)
        assert abs(published - counts.mean()) < 3 * counts.std(ddof=1)


def test_sampled_counts_are_those_of_a_solver_and_have_the_expected_mean() -> None:
    game, lens = Cheat(health=2), Lens("history")
    found = coverage(game, lens)
    counts = found.sampled(20, 2000, seed=3)
    error = counts.std(ddof=1) / 2000**0.5
    assert counts.mean() == pytest.approx(found.expected(20), abs=4 * error)
    met = []
    for seed in range(60):
        solver = DealSolver(game, lens, seed=seed)
        solver.step(20)
        met.append(solver.infosets)
    assert np.mean(met) == pytest.approx(
        found.expected(20), abs=4 * counts.std(ddof=1) / len(met) ** 0.5
    )
    assert max(met) <= found.reachable


def test_too_many_deals_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="deals, too many"):
        coverage(Cheat(ranks=5, health=1), Lens("hp"))
