"""Equities against counting, pair by pair and card by card."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from counterfold.evaluate.equity import showdown
from counterfold.poker.cards import hole_cards, parse_board, parse_hole
from counterfold.poker.game import CardRules
from counterfold.poker.holdem import holdem_range, holdem_rules, leduc
from counterfold.poker.ranges import Range
from tests.equity_by_hand import equity
from tests.naive_poker import naive_showdown


def counted(
    rules: CardRules, board: tuple[int, ...], first: Any, second: Any, more: int
) -> tuple[Any, float]:
    """Player 0's equity by hole, and in all: every pair of hands on every whole board."""
    left = [card for card in rules.deck if card not in board]
    boards = [(*board, *some) for some in combinations(left, more)]
    strengths = rules.strengths(np.array(boards, np.uint8)).astype(np.int64)
    won, met = np.zeros(1326), np.zeros(1326)
    for mine in np.flatnonzero(first):
        for theirs in np.flatnonzero(second):
            held = {*hole_cards(int(mine)), *hole_cards(int(theirs))}
            if len(held) < 4 or held & set(board):
                continue
            there = [k for k, cards in enumerate(boards) if not held & set(cards)]
            gap = strengths[there, mine] - strengths[there, theirs]
            won[mine] += second[theirs] * ((gap > 0) + (gap == 0) / 2).mean()
            met[mine] += second[theirs]
    with np.errstate(invalid="ignore"):
        return won / met, float(first @ won / (first @ met))


@pytest.mark.parametrize(
    ("board", "deal", "deck"),
    [
        ("Ks Qh Js 2c 3d", (), "23TJQKA"),
        ("Ks Qh Js 2c", (1,), "2TJQKA"),
        ("Ks Qh Js", (1, 1), "TJQKA"),
        ("Kc Qc Jc", (1, 1), "JQKA"),
        ("", (3,), "QKA"),
    ],
)
def test_equity_is_counted_right(board: str, deal: tuple[int, ...], deck: str) -> None:
    rules = holdem_rules((0, *deal), deck)
    cards = parse_board(board)
    one = Range.parse("AA,KQs,AJo:0.5,AhKd:0.25,22").without(cards).weights
    two = Range.parse("QQ,AKs,KJs:0.3,JJ:0.5,AhAd").without(cards).weights
    there = holdem_range(rules.deck) > 0
    one, two = one * there, two * there
    found = equity(rules, cards, one, two, deal)
    first, mean = counted(rules, cards, one, two, sum(deal))
    second, other = counted(rules, cards, two, one, sum(deal))
    np.testing.assert_allclose(found.first[one > 0], first[one > 0], atol=2e-6)
    np.testing.assert_allclose(found.second[two > 0], second[two > 0], atol=2e-6)
    assert np.isnan(found.first[one == 0]).all()
    assert found.mean == pytest.approx(mean, abs=1e-6)
    assert mean + other == pytest.approx(1)


def test_a_flop_of_known_equity() -> None:
    board = parse_board("Qs Jh 2h")
    oop = Range.parse(
        "AA,AKs,AKo,AQs,AQo,AJs,AJo:0.5,ATs,A9s:0.5,A5s:0.75,A4s:0.75,A3s:0.75,KK,KQs,KQo:0.5,"
        "KJs,KTs,K9s:0.5,QQ,QJs,QTs,JJ,JTs,TT,T9s,99:0.5,98s:0.5,88:0.25,87s:0.5,76s:0.5,65s:0.5"
    )
    ip = Range.parse(
        "AKo:0.25,AQs,AQo:0.75,AJs,AJo:0.25,ATs,A9s,A8s,A7s:0.5,A6s:0.5,A5s,A4s,KQs,KQo:0.5,KJs,"
        "KTs,K9s:0.5,QQ:0.25,QJs,QTs,Q9s,JJ,JTs,J9s,TT,T9s,T8s,99,98s,88,87s,77,76s,66,65s,55,"
        "54s,44:0.5,33:0.5,22:0.5"
    )
    found = equity(holdem_rules((0, 1, 1)), board, oop.weights, ip.weights, (1, 1))
    assert found.mean == pytest.approx(0.60378, abs=1e-5)
    assert found.first[parse_hole("QdQc")] > 0.9


def test_a_showdown_is_counted_pair_by_pair() -> None:
    rules, board = holdem_rules((0,)), parse_board("Ks 9h 6s 4d 2c")
    rng = np.random.default_rng(1)
    weights = Range(rng.random(1326) * (rng.random(1326) < 0.1)).without(board).weights
    strengths, cards = rules.strengths(np.array([board]))[0], rules.cards
    found = showdown(rules, board, weights)
    free = ~np.isin(cards, board).any(1)
    for shares, got in (
        ((1, 0, 0), found.beaten),
        ((0, 1, 0), found.tied),
        ((1, 1, 1), found.all),
    ):
        want = np.array(naive_showdown(strengths, cards, weights, *shares, board))
        np.testing.assert_allclose(got[free], want[free], atol=1e-10)


def test_a_showdown_of_single_cards() -> None:
    game = leduc()
    met = showdown(game.rules, (game.rules.deck[-1],), np.where(np.arange(52) == 38, 2.0, 0.0))
    assert met.beaten[[39, 42, 47]].tolist() == [0, 2, 2]
    assert met.tied[[38, 39, 42]].tolist() == [0, 2, 0]
