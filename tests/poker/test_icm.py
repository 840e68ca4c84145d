"""Places paid by chips: against all orders in which players may finish."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise, permutations, product

import numpy as np
import pytest

from counterfold.abstraction.drawn_deals import ends_of
from counterfold.poker.game import SHOWDOWN
from counterfold.poker.icm import icm, worth_after
from counterfold.poker.table import Holdem, jam_or_fold


@cache
def naive(before: tuple[float, ...], after: tuple[float, ...], payouts: tuple[float, ...]):
    """What each is paid: by every order of those with chips, then of those who lost theirs.

    An order of the former is as likely as its next player's part of the chips that are left, one
    place after the other. Of the latter who began with more is ahead; the like are in any order.
    """
    inside = [p for p, chips in enumerate(after) if chips]
    out = [p for p, chips in enumerate(after) if not chips]
    falls = [
        order
        for order in permutations(out)
        if all(before[a] >= before[b] for a, b in pairwise(order))
    ]
    paid = np.zeros(len(after))
    for order in permutations(inside):
        chance, left = 1.0, float(sum(after))
        for p in order:
            chance *= after[p] / left
            left = sum(after[q] for q in order[order.index(p) + 1 :])
        for fallen in falls:
            for prize, p in zip(payouts, (*order, *fallen), strict=False):
                paid[p] += chance / len(falls) * prize
    return paid


CASES = [
    ((20, 10, 10), (40, 0, 0)),
    ((5, 9, 14, 3), (10, 0, 21, 0)),
    ((5, 5, 5, 5, 5), (0, 15, 0, 10, 0)),
    ((4, 7, 1), (4, 8, 0)),
    ((3, 3), (2, 4)),
    ((1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6)),
    ((0.125, 1e4, 2.5), (0.125, 9999.5, 3.0)),
]


@pytest.mark.parametrize(("before", "after"), CASES)
@pytest.mark.parametrize("payouts", [(50, 30, 20), (1,), (9, 6, 4, 3, 2, 1), (7, 7)])
def test_shares_are_those_of_all_orders(before, after, payouts):
    """More payouts than players too: what is left of them nobody gets."""
    wanted = naive(before, after, payouts)
    assert worth_after(before, after, payouts) == pytest.approx(wanted, abs=1e-12)
    assert icm(before, payouts) == pytest.approx(naive(before, before, payouts), abs=1e-12)


def test_who_has_nothing_before_the_hand_gets_nothing_of_the_chips():
    assert icm((0, 3, 1), (10, 6, 4)) == pytest.approx((0, 9, 7))
    assert icm((0, 0, 2), (10, 6)) == (0, 0, 10)


TABLES = {
    "side pots": jam_or_fold((5.0, 3.0, 8.0, 5.0), 4, ante=0.125, payouts=(50.0, 30.0, 20.0)),
    "equal stacks": jam_or_fold(4.0, 4, payouts=(50.0, 50.0)),
    "one place": jam_or_fold((2.0, 6.0, 3.0), 3, payouts=10.0),
    "all are paid": jam_or_fold((2.0, 6.0, 3.0), 3, big_blind_ante=1.0, payouts=(5.0, 3.0, 2.0)),
    "a blind that is all-in": jam_or_fold((4.0, 2.0, 1.0), 3, payouts=(5.0, 3.0)),
    "chips": jam_or_fold((5.0, 3.0, 8.0, 5.0), 4, ante=0.125),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_outcome_of_every_showdown_is_worth_what_rules_and_orders_say(name: str) -> None:
    """By the rules of the table, for all ways in which hands can be stronger, or tie."""
    table = TABLES[name]
    game = table.poker
    betting = game.betting.checked_down()
    ends, end = ends_of(replace(game, betting=betting))
    before = table._stacks(table.players)
    start = naive(before, before, table.prizes)
    looked = 0
    for e in range(len(ends.base)):
        members = ends.member[ends.first[e] : ends.first[e + 1]].tolist()
        node = next(n for n in np.flatnonzero(betting.kind == SHOWDOWN).tolist() if end[n] == e)
        state = _state(table, betting.line(node))
        for ranks in product(range(len(members)), repeat=len(members)):
            strengths = [0] * table.players
            for p, rank in zip(members, ranks, strict=True):
                strengths[p] = rank
            won = np.array(table.betting.payoffs(state, strengths))
            if table.prizes:
                after = tuple(chips if chips > 1e-9 else 0.0 for chips in (before + won).tolist())
                won = naive(before, after, table.prizes) - start
            found = ends.worth[:, ends.case[e] + _outcome(ranks)]
            assert found == pytest.approx(won, abs=1e-12)
            looked += 1
    assert looked >= ends.worth.shape[1] > 0


def _outcome(ranks: tuple[int, ...]) -> int:
    """By its definition: is each weaker than all before it, as good as the best, or better?"""
    return sum(
        3 ** (k - 1) * ((ranks[k] >= max(ranks[:k])) + (ranks[k] > max(ranks[:k])))
        for k in range(1, len(ranks))
    )


def _state(table: Holdem, line: tuple[str, ...]):
    state = table.betting.root()
    for word in line:
        state = dict(table.betting.moves(state))[word]
    while moves := table.betting.moves(state):  # cards that nobody bets on
        state = moves[0][1]
    return state
