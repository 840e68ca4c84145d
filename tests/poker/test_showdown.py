"""Strengths of all holes on a board, and what they are called."""

from __future__ import annotations

import numpy as np
import pytest

from counterfold.errors import ParameterError
from counterfold.kernels import hands
from counterfold.poker import showdown
from counterfold.poker.cards import hole_cards, parse_board
from tests.poker import naive


@pytest.mark.parametrize("board", ["Ks 9h 6s 4d 2c", "7h 7d 7c Kd", "Ts 9s 8s"])
def test_order_of_holes_on_a_board(board: str) -> None:
    cards = parse_board(board)
    found = showdown.order(cards)
    left = 52 - len(cards)
    assert len(found.holes) == len(set(found.holes.tolist())) == left * (left - 1) // 2
    scores = [naive.best((*cards, *hole_cards(hole))) for hole in found.holes.tolist()]
    assert scores == sorted(scores)
    first: dict[naive.Score, int] = {}
    for k, score in enumerate(scores):
        first.setdefault(score, k)
    last = {score: k + 1 for k, score in enumerate(scores)}
    assert found.begin.tolist() == [first[score] for score in scores]
    assert found.end.tolist() == [last[score] for score in scores]
    assert (np.diff(found.strengths.astype(np.int64)) >= 0).all()
    for begin, end in {(first[score], last[score]) for score in scores}:  # ties by number
        assert (np.diff(found.holes[begin:end].astype(np.int64)) > 0).all()


def test_many_boards_at_once() -> None:
    boards = [parse_board(text) for text in ("Ks9h6s4d2c", "AsAhAdAcKs", "2c3c4c5c6c")]
    found = showdown.strengths(boards)
    assert found.shape == (3, 1326)
    for row, board in zip(found, boards, strict=True):
        assert (row == showdown.strengths(board)).all()
    assert len(np.unique(found[1][found[1] > 0])) == 1  # four aces and a king for everybody
    assert showdown.strengths(np.empty((0, 5), int)).shape == (0, 1326)


def test_the_layout_of_a_strength_is_the_one_of_the_kernel() -> None:
    assert showdown._CATEGORY_BITS == hands.CATEGORY_BITS
    assert showdown._FIRST_BITS == hands.FIRST_BITS


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("AsKsQsJsTs2c2d", "straight flush to A"),
        ("9c9d9h9sAc", "four of a kind 9, kicker A"),
        ("KcKdKhQcQdQh2s", "full house K over Q"),
        ("AsJs9s4s2s", "flush AJ942"),
        ("5c4d3h2sAd", "straight to 5"),
        ("7c7d7hAs9d", "three of a kind 7, kicker A9"),
        ("AcAdKcKdQcQdJs", "two pair AK, kicker Q"),
        ("AcAdKcQd9c7d2s", "pair A, kicker KQ9"),
        ("AcKdQc9d7c3d2s", "high card AKQ97"),
    ],
)
def test_strengths_in_words(cards: str, words: str) -> None:
    assert showdown.describe(showdown.strength(cards)) == words
    assert words.startswith(showdown.category(showdown.strength(cards)))


@pytest.mark.parametrize("cards", ["AsKsQsJs", "AsKsQsJsTs9s8s7s", "AsAsKsQsJs", [1, 2, 3, 4, 52]])
def test_hands_without_strength(cards: str | list[int]) -> None:
    with pytest.raises(ParameterError):
        showdown.strength(cards)


@pytest.mark.parametrize(
    "boards", [[1, 2], [[1, 2, 3, 4, 5, 6]], [1, 1, 2], [1, 2, 52], [-1, 2, 3]]
)
def test_impossible_boards(boards: list[int]) -> None:
    with pytest.raises(ParameterError):
        showdown.strengths(boards)
