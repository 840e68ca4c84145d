"""How many infosets sampled deals meet: the published counts, and simulation against sums."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from counterfold.abstraction.coverage import all_deals, coverage
from counterfold.abstraction.maps import Mapped, RelativeCards
from counterfold.errors import UnsupportedError
from counterfold.games.cheat import Cheat
from tests.abstraction.test_deals import dealing


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


def seen_as(view: str, cards: bool = False, health: int = 3) -> Cheat | Mapped:
    game = Cheat(health=health, view=view)
    return Mapped(game, RelativeCards()) if cards else game


@pytest.mark.parametrize(
    ("view", "cards", "health", "wanted"),
    [
        ("memoryless", False, 3, 292),
        ("memoryless", True, 3, 100),
        ("memoryless", False, 4, 292),
        ("hp", False, 3, 1342),
        ("hp", True, 3, 606),
        ("hp", False, 4, 2596),
        ("hp", True, 4, 1068),
    ],
)
def test_infosets_are_as_many_as_published(
    view: str, cards: bool, health: int, wanted: int
) -> None:
    assert coverage(seen_as(view, cards, health)).reachable == wanted


def test_hp_aware_counts_of_100_sampled_iterations() -> None:
    for cards, published in ((False, 1331), (True, 604)):
        counts = coverage(seen_as("hp", cards)).sampled(100, 400, seed=1)
        assert abs(published - counts.mean()) < 3 * counts.std(ddof=1)


def test_sampled_counts_are_those_of_a_solver_and_have_the_expected_mean() -> None:
    game = Cheat(health=2, view="history")
    found = coverage(game)
    counts = found.sampled(20, 2000, seed=3)
    error = counts.std(ddof=1) / 2000**0.5
    assert counts.mean() == pytest.approx(found.expected(20), abs=4 * error)
    met = []
    for seed in range(60):
        solver = dealing(game, seed=seed)
        solver.step(20)
        met.append(solver.engine.infosets)
    assert np.mean(met) == pytest.approx(
        found.expected(20), abs=4 * counts.std(ddof=1) / len(met) ** 0.5
    )
    assert max(met) <= found.reachable


def test_too_many_deals_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="deals, too many"):
        coverage(Cheat(ranks=5, health=1, view="hp"))
