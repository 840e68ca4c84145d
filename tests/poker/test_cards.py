"""Names and numbers of cards, holes and boards."""

from __future__ import annotations

import numpy as np
import pytest

from counterfold.errors import ParameterError
from counterfold.poker import cards


def test_names_and_numbers_of_cards_go_both_ways() -> None:
    names = [cards.card_name(card) for card in range(52)]
    assert [cards.parse_card(name) for name in names] == list(range(52))
    assert names[:5] == ["2c", "2d", "2h", "2s", "3c"]
    assert len(set(names)) == 52


def test_names_and_numbers_of_holes_go_both_ways() -> None:
    for hole in range(cards.HOLES):
        high, low = cards.hole_cards(hole)
        assert high > low
        assert (high, low) == (cards.HIGH[hole], cards.LOW[hole])
        assert cards.hole_number(low, high) == cards.hole_number(high, low) == hole
        assert cards.parse_hole(cards.hole_name(hole)) == hole


def test_notation_is_forgiving() -> None:
    wanted = (0, 21, 35)
    for text in ("2c7dTs", "2c 7d Ts", "2C,7D,tS", " 2c, 7d,  ts "):
        assert cards.parse_board(text) == wanted
    assert cards.cards_name(wanted) == "2c7dTs"
    assert cards.board_name(wanted) == "2c 7d Ts"
    assert cards.parse_board("") == ()


@pytest.mark.parametrize(
    ("parse", "text", "part"),
    [
        (cards.parse_cards, "2c7x", "'7x' at character 3"),
        (cards.parse_cards, "AsK", "'K' at character 3"),
        (cards.parse_cards, "10h", "'10' at character 1"),
        (cards.parse_cards, "AsKdAs", "As comes twice in AsKdAs"),
        (cards.parse_card, "", "not one card"),
        (cards.parse_card, "AsKs", "not one card"),
        (cards.parse_hole, "As", "a hole has two"),
        (cards.parse_hole, "AsAs", "As comes twice"),
        (cards.parse_board, "AsKs", "a flop has 3, a turn 4 and a river 5"),
        (cards.parse_board, "AsKsQsJsTs9s", "has 6 cards"),
        (cards.card_name, 52, "there is no card 52"),
        (cards.hole_cards, 1326, "there is no hole 1326"),
    ],
)
def test_complaints_point_at_the_place(parse, text, part) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_holes_without_cards() -> None:
    for board in ((), (51,), (0, 21, 35), (0, 1, 2, 3, 4)):
        left = cards.holes_without(board)
        rest = 52 - len(board)
        assert left.sum() == rest * (rest - 1) // 2
        for hole in np.flatnonzero(left):
            assert not set(cards.hole_cards(hole)) & set(board)
