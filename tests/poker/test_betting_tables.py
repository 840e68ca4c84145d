"""Betting trees of more than two players: the same game as the seven methods of a table."""

from __future__ import annotations

import math

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import starting_hands
from counterfold.abstraction.compiled import lines_of
from counterfold.errors import TreeTooLargeError, UnsupportedError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.leduc import Leduc
from counterfold.games.onecard import Kuhn
from counterfold.poker.betting import build, count, limit
from counterfold.poker.game import DECISION, FOLD, SHOWDOWN
from counterfold.poker.holdem import kuhn, leduc
from counterfold.poker.rules import PokerRules
from counterfold.poker.table import Holdem, jam_or_fold
from counterfold.tree.named import poker_game
from counterfold.tree.public import PublicTree

TABLES = {
    "three": Holdem(players=3, stack=(4.0, 9.0, 6.0), ante=0.5),
    "straddle": Holdem(
        players=4, stack=(5.0, 3.0, 5.0, 7.0), straddle=2.0, bets="", raises="allin"
    ),
    "rake": Holdem(players=3, stack=5, rake=0.05, rake_cap=0.3, bets="allin"),
    "two": Holdem(stack=(8.0, 5.0)),
    "five": Holdem(players=5, stack=(3.0, 6.0, 2.0, 9.0, 4.0), raises="allin", last_street="flop"),
    "jam": jam_or_fold(6.0, players=6),
}


@pytest.mark.parametrize("name", TABLES)
def test_hands_go_and_end_as_at_the_table(name: str) -> None:
    """The same actions, the same cards to come, and the same chips for everybody at the end."""
    table, rng = TABLES[name], np.random.default_rng(5)
    rules = PokerRules(table.poker)
    assert rules.players == table.players
    several = 0
    for _ in range(60):
        here, there = table.root(), rules.root()
        while table.turn(here) != TERMINAL:
            assert rules.turn(there) == table.turn(here)
            if table.turn(here) == CHANCE:
                outcomes = table.chance(here)
                move = outcomes[rng.integers(len(outcomes))][0]
            else:
                assert rules.actions(there) == table.actions(here)
                odds = np.array([0.2 if move == "fold" else 1.0 for move in table.actions(here)])
                move = rng.choice(table.actions(here), p=odds / odds.sum())
            here, there = table.next(here, move), rules.next(there, move)
        assert rules.turn(there) == TERMINAL
        assert rules.payoff(there) == pytest.approx(table.payoff(here), abs=1e-9)
        assert rules.shown(there) == table.shown(here)
        node = there[2]
        assert int(rules.betting.folded[node]) == here.betting.folded
        several += int(rules.betting.pot[node + 1] - rules.betting.pot[node]) > 1
    assert several or name in ("two", "rake", "jam")


@pytest.mark.parametrize("name", TABLES)
def test_what_ends_are_worth_to_who_wins_ties_and_loses(name: str) -> None:
    betting, tree = TABLES[name].betting, TABLES[name].poker.betting
    n = betting.players
    assert len(tree) == sum(street.nodes for street in count(betting))
    assert tree.zero_sum == (name != "rake")
    for node in np.flatnonzero(np.isin(tree.kind, (FOLD, SHOWDOWN)))[::17]:
        for p in range(n):
            for case, own in enumerate((1, 0, -1)):
                strengths = [0] * n
                strengths[p] = own
                assert tree.won(node, strengths)[p] == pytest.approx(tree.payoff[node, p, case])


def test_a_tree_is_told_apart_by_what_was_paid() -> None:
    tree = build(limit((1, 1, 1), raises=(1,), cap=1))
    lines = {tree.line(node): node for node in range(len(tree))}
    node = lines["bet", "fold", "call"]
    assert tree.paid[node].tolist() == [2, 1, 2]
    assert (tree.folded[node], tree.player[lines["bet",]]) == (0b010, 1)
    assert tree.won(node, [3, 9, 3]) == [0.5, -1.0, 0.5]
    assert tree.payoff[lines["bet", "fold", "fold"]].tolist() == [[2] * 3, [-1] * 3, [-1] * 3]


@pytest.mark.parametrize(
    ("game", "history"),
    [(kuhn(players=3), Kuhn(players=3)), (leduc(players=3), Leduc(players=3, suited=True))],
)
def test_small_games_are_those_of_the_history_form(game: cf.PokerGame, history: cf.Game) -> None:
    ours, theirs = cf.compile_game(PokerRules(game)), cf.compile_game(history)
    assert ours.infoset_count == theirs.infoset_count
    assert ours.histories == theirs.histories or game.rules.deal == (0, 1)
    value = [cf.assess(cf.Strategy.uniform(tree)).values for tree in (ours, theirs)]
    assert value[0] == pytest.approx(value[1], abs=1e-12)


def test_a_table_by_its_name() -> None:
    game = poker_game("holdem:3max(stack=10)")
    assert game.spec == "holdem(players=3,stack=10)"
    assert poker_game(game.spec).players == game.players == ("BTN", "SB", "BB")
    assert game.behind(0) == (10.0, 9.5, 9.0)
    assert math.comb(52, 2) == game.ranges[2].sum()
    with pytest.raises(UnsupportedError, match="3 players, where a public tree has two"):
        PublicTree(game)
    form = BucketForm(poker_game("holdem:jamfold(players=3,payouts=50)"), (starting_hands(),))
    with pytest.raises(UnsupportedError, match="payouts"):
        lines_of(form, False)


def test_payouts_are_those_of_the_table() -> None:
    table = jam_or_fold(players=3, stack=(5.0, 9.0, 14.0), payouts=(50.0, 30.0, 20.0))
    state, rules = table.deal("AsAh", "KsKh", "7c2d"), PokerRules(table.poker)
    other = rules.root()
    for hand in ("AsAh", "KsKh", "7c2d"):
        other = rules.next(other, hand)
    words = ["all-in 5", "call", "fold", "2s", "3h", "8d", "9c", "Jc"]
    words[1] = table.actions(table.next(state, words[0]))[-1]
    for word in words:
        state, other = table.next(state, word), rules.next(other, word)
    assert rules.payoff(other) == pytest.approx(table.payoff(state))
    assert sum(rules.payoff(other)) == pytest.approx(0.0)


def test_what_does_not_fit_is_refused_before_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    from counterfold.poker import betting

    monkeypatch.setattr(betting, "MOST_NODES", 10_000)
    with pytest.raises(TreeTooLargeError, match="over 10,000 nodes; give fewer or larger sizes"):
        _ = Holdem(players=6).poker
    assert (build(Holdem(players=3, stack=5).betting).kind == DECISION).sum() < 10_000
