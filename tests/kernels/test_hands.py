"""The evaluator against all five-card hands, all seven-card hands, and two other evaluators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from counterfold.kernels import hands
from counterfold.kernels.jit import jit
from counterfold.poker.cards import HIGH, LOW, parse_cards
from counterfold.poker.isomorphism import standard_boards
from tests.poker import naive

SHIFT = np.uint64(hands.CATEGORY_BITS)


def strengths(cards: Any) -> np.ndarray:
    rows = np.ascontiguousarray(cards, np.uint8)
    out = np.empty(len(rows), np.uint32)
    hands.strengths(rows, hands.tables(), out)
    return out


def deals(count: int, size: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.argsort(random.random((count, 52)), axis=1)[:, :size]


@jit
def all_fives(known, out):
    n = 0
    for a in range(4, 52):
        for b in range(a):
            for c in range(b):
                for d in range(c):
                    four = hands.bit(a) | hands.bit(b) | hands.bit(c) | hands.bit(d)
                    for e in range(d):
                        out[n] = hands.strength(four | hands.bit(e), known)
                        n += 1
    return n


@jit
def all_sevens(known, counts):
    for a in range(6, 52):
        for b in range(a):
            for c in range(b):
                three = hands.bit(a) | hands.bit(b) | hands.bit(c)
                for d in range(c):
                    for e in range(d):
                        five = three | hands.bit(d) | hands.bit(e)
                        for f in range(e):
                            six = five | hands.bit(f)
                            for g in range(f):
                                counts[hands.strength(six | hands.bit(g), known) >> SHIFT] += 1


def test_every_five_card_hand() -> None:
    found = np.empty(2_598_960, np.uint32)
    assert all_fives(hands.tables(), found) == len(found)
    counts = np.bincount(found >> hands.CATEGORY_BITS)
    assert counts[::-1].tolist() == [
        40, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540,
    ]  # fmt: skip
    assert len(np.unique(found)) == 7_462


def test_every_seven_card_hand() -> None:
    counts = np.zeros(9, np.int64)
    all_sevens(hands.tables(), counts)
    assert counts.sum() == 133_784_560
    assert counts[::-1].tolist() == [
        41_584, 224_848, 3_473_184, 4_047_644, 6_180_020, 6_461_620, 31_433_400, 58_627_800,
        23_294_460,
    ]  # fmt: skip


def same_order(values: Any, scores: list[Any]) -> bool:
    """Whether two measures rank hands alike, ties included."""
    ranks = {score: k for k, score in enumerate(sorted(set(scores)))}
    levels = np.unique(np.asarray(values))
    return np.searchsorted(levels, values).tolist() == [ranks[score] for score in scores]


def test_all_five_card_hands_up_to_suits_rank_as_tuples_do() -> None:
    cards = standard_boards(5).cards
    scores = [naive.five(row) for row in cards.tolist()]
    assert len(set(scores)) == 7_462
    assert same_order(strengths(cards), scores)


@pytest.mark.pure
@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_rank_as_tuples_do(size: int) -> None:
    cards = deals(1_000, size, seed=size)
    assert same_order(strengths(cards), [naive.best(row) for row in cards.tolist()])


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_rank_as_phevaluator_says(size: int) -> None:
    other = pytest.importorskip("phevaluator")
    cards = deals(20_000, size, seed=10 + size)
    # The same numbers of cards; its ranks fall as hands grow.
    scores = [-other.evaluate_cards(*row) for row in cards.tolist()]
    assert same_order(strengths(cards), scores)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("5c4d3h2sAd Kh Kc", "AdAhKcKd9s8s7h"),  # the wheel is a straight
        ("6c5d4h3s2d Ah Kc", "5c4d3h2sAd Kh Kc"),  # and the lowest one
        ("6s5s4s3s2s As Ks", "5s4s3s2sAs KsQs"),
        ("AsKsQs9s2s ThJh", "AhKdQsJcTs2s3s"),  # a flush beats a straight
        ("KcKdKhQcQdQh2s", "KcKdKhJcJdJh2s"),  # two sets of three are a full house
        ("AcAdKcKdQcQdJs", "AcAdKcKdJcJdTs"),  # three pairs: the third gives the kicker
        ("2c2d2h2sAc", "2c2d2h2sKc"),
        ("9c9d9h9s8c8d8h", "AcAdAhKcKdKh2s"),
    ],
)
def test_hands_that_are_easily_got_wrong(better: str, worse: str) -> None:
    first, second = (strengths([parse_cards(text)])[0] for text in (better, worse))
    assert first > second


@pytest.mark.pure
def test_holes_on_boards() -> None:
    boards = deals(2, 4, seed=3)
    picked = np.arange(0, 1326, 7)
    low, high = LOW[picked], HIGH[picked]
    out = np.empty((2, len(picked)), np.uint32)
    hands.strengths_on_boards(boards.astype(np.uint8), low, high, hands.tables(), out)
    for b, board in enumerate(boards.tolist()):
        for k, hole in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            cards = [*board, *hole]
            assert out[b, k] == (strengths([cards])[0] if len(set(cards)) == 6 else 0)
