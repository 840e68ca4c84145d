"""Made hands and draws against a plain ranking of five cards, and against trying every card."""

from __future__ import annotations

import numpy as np
import pytest

from counterfold.errors import ParameterError
from counterfold.poker.cards import (
    HOLES,
    hole_cards,
    hole_number,
    holes_without,
    parse_board,
    parse_cards,
)
from counterfold.poker.made import DRAWS, MADE, kinds, wanted_holes
from tests.poker import naive

BOARDS = ["Ks 9s 4d", "7h 7d 2c", "Jh Tc 9h 2s", "Ad 5d 4d 3c", "Ks 9h 6s 4d 2c", "8s 8h 8d Kc Kd"]
CATEGORY = {"straight flush": 8, "quads": 7, "full house": 6, "flush": 5, "straight": 4}


@pytest.mark.parametrize("words", BOARDS)
def test_every_hole_is_one_made_hand_of_its_category(words: str) -> None:
    board = parse_board(words)
    on = kinds(board)
    possible = holes_without(board)
    assert (np.sum([on[name] for name in MADE], 0) == possible).all()
    for hole in np.flatnonzero(possible).tolist()[::3]:
        category = naive.best((*hole_cards(hole), *board))[0]
        name = next(name for name in MADE if on[name][hole])
        assert CATEGORY.get(name, -1) == (category if category >= 4 else -1)
        assert category >= {"set": 3, "trips": 3, "two pair": 2}.get(
            name, 1 if "pair" in name else 0
        )


@pytest.mark.parametrize("words", BOARDS[:4])
def test_draws_are_what_another_card_makes(words: str) -> None:
    board = parse_board(words)
    on = kinds(board)
    for hole in np.flatnonzero(holes_without(board)).tolist()[::7]:
        own = hole_cards(hole)
        now = naive.best((*own, *board))[0]
        left = [card for card in range(52) if card not in (*own, *board)]
        made = {card: naive.best((*own, *board, card))[0] for card in left}
        flush = {card % 4 for card in left if now < 5 and made[card] in (5, 8)}
        assert on["flush draw"][hole] == any(card % 4 in flush for card in own)
        if now < 4:
            alone = {r for r in range(13) if _straight([card // 4 for card in board] + [r])}
            ranks = {card // 4 for card in left if made[card] in (4, 8)} - alone
            seen = {"open-ender": len(ranks) > 1, "gutshot": len(ranks) == 1}
            # A card of a flush hides the straight that it makes too, but not in every suit.
            assert {name: bool(on[name][hole]) for name in seen} == seen


def _straight(ranks: list[int]) -> bool:
    held = {rank + 1 for rank in ranks} | {0 for rank in ranks if rank == 12}
    return any({low, low + 1, low + 2, low + 3, low + 4} <= held for low in range(10))


@pytest.mark.parametrize(
    ("board", "hole", "names"),
    [
        ("Ks 9s 4d", "KhKd", {"set"}),
        ("Ks 9s 4d", "AhAd", {"overpair", "pair"}),
        ("Ks 9s 4d", "QhQd", {"underpair", "pair"}),
        ("Ks 9s 4d", "9h8h", {"second pair", "middle pair", "pair"}),
        ("Ks 9s 4d", "As4s", {"low pair", "bottom pair", "pair", "flush draw", "draw"}),
        ("9s 7d 2c", "AhKh", {"ace high", "overcards"}),
        ("7h 7d 2c", "7sAs", {"trips"}),
        ("7h 7d 2c", "KhQh", {"nothing", "overcards", "backdoor flush draw"}),
        ("Ks 9s 4d 7c 2h", "9h4h", {"two pair"}),
    ],
)
def test_what_players_call_them(board: str, hole: str, names: set[str]) -> None:
    number = hole_number(*parse_cards(hole))
    assert {name for name, mask in kinds(parse_board(board)).items() if mask[number]} == names


def test_words_are_put_together() -> None:
    board = parse_board("Ks 9s 4d")
    on = kinds(board)
    both = wanted_holes("Top pair & flush draws", board)
    assert (both == on["top pair"] & on["flush draw"]).all()
    some = wanted_holes("set, QQ", board)
    assert some.sum() == on["set"].sum() + 6
    assert set(DRAWS) <= set(on)
    assert len(some) == HOLES
    with pytest.raises(ParameterError, match="begin with the flop"):
        wanted_holes("set", ())
    with pytest.raises(ParameterError, match="did you mean 'top pair'"):
        wanted_holes("topp pair", board)
    with pytest.raises(ParameterError, match="write hands as in"):
        wanted_holes("XX", board)
