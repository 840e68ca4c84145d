"""One-card poker and Kuhn poker: counts, OpenSpiel's tree, ties, parameters."""

from fractions import Fraction

import pyspiel
import pytest

from counterfold.errors import ParameterError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.betting import betting, card_names, rank_names, settle
from counterfold.games.onecard import Kuhn, OneCard
from tests.naive_counts import Counts, after, counts, openspiel_value, same_tree, survey, transcript


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        (2, Counts(58, 30, (6, 6))),
        (3, Counts(617, 312, (16, 16, 16))),
        (4, Counts(7886, 3960, (40, 40, 40, 40))),
    ],
)
def test_kuhn_is_openspiels(players, expected):
    native = pyspiel.load_game(f"kuhn_poker(players={players})")
    assert same_tree(Kuhn(players), native) == expected
    found, value = survey(Kuhn(players))
    assert found == expected
    assert value == pytest.approx(openspiel_value(native), abs=1e-12)


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (OneCard(), Counts(1418, 780, (26, 26))),
        (OneCard(ranks=3, suits=2), Counts(277, 150, (6, 6))),
        (OneCard(players=3, ranks=4), Counts(617, 312, (16, 16, 16))),
    ],
)
def test_counts(game, expected):
    assert counts(game) == expected


def test_kuhn_is_one_card_poker_with_one_rank_more_than_players():
    assert survey(Kuhn(3)) == survey(OneCard(players=3, ranks=4))


def test_equal_ranks_split_the_pot():
    game = OneCard(ranks=2, suits=2)
    assert game.payoff(after(game, "Ks", "Kh", "bet", "call")) == (0.0, 0.0)
    assert game.payoff(after(game, "Ks", "Qh", "bet", "call")) == (2.0, -2.0)
    three = OneCard(players=3, ranks=2, suits=2)
    assert three.payoff(after(three, "Ks", "Qs", "Kh", "bet", "call", "call")) == (1.0, -2.0, 1.0)


def test_players_see_ranks_and_not_suits():
    game = OneCard(ranks=2, suits=2)
    assert game.observe(after(game, "Ks", "Qh"), 0) == game.observe(after(game, "Kh", "Qh"), 0)


def test_a_player_without_a_card_sees_nothing():
    game = Kuhn()
    assert game.observe(game.root(), 0) == ("", "")
    assert game.observe(after(game, "Q"), 1) == ("", "")


def test_bets_and_antes_are_paid():
    game = OneCard(ranks=3, ante=Fraction(1, 2), bet=2.5)
    assert game.payoff(after(game, "J", "Q", "bet", "call")) == (-3.0, 3.0)
    assert game.payoff(after(game, "J", "Q", "bet", "fold")) == (0.5, -0.5)


def test_names_of_cards():
    assert rank_names(1) == ("K",)
    assert rank_names(5) == ("T", "J", "Q", "K", "A")
    assert "".join(rank_names(13)) == "23456789TJQKA"
    assert rank_names(14)[-1] == "14"
    assert card_names(1, 5) == ("K-1", "K-2", "K-3", "K-4", "K-5")
    for ranks, suits in [(3, 2), (13, 4), (20, 6)]:
        assert len(set(card_names(ranks, suits))) == ranks * suits


def test_betting_tables_agree_with_each_other():
    tables = betting(3, 1, (2, 4), 2)
    for node, turn in enumerate(tables.turns):
        assert (turn == CHANCE) == (tables.dealt[node] >= 0)
        assert (turn >= 0) == bool(tables.actions[node]) == bool(tables.after[node])
        assert tuple(tables.after[node]) == tables.actions[node]
        assert turn != TERMINAL or tables.left[node]


def test_settle_gives_what_was_paid():
    payoffs = settle((3.0, 3.0, 3.0, 1.0), (0, 1, 2), (7, 7, 2, 9))
    assert payoffs == (2.0, 2.0, -3.0, -1.0)
    assert sum(payoffs) == 0


def test_kuhn_needs_two_players():
    with pytest.raises(ParameterError, match="players"):
        Kuhn(players=1)


def test_games_are_equal_and_hashable():
    assert OneCard(ranks=5) == OneCard(ranks=5)
    assert len({Kuhn(), Kuhn(2), Kuhn(3)}) == 2
    assert str(Kuhn(3)) == "kuhn(players=3)"


def test_transcripts():
    assert transcript(Kuhn(), seed=1) == [
        "chance: J",
        "chance: K",
        "player 0 [J] check/bet: check",
        "player 1 [K | check] check/bet: bet",
        "player 0 [J | check bet] fold/call: fold",
        "payoff: -1 1",
    ]
    assert transcript(Kuhn(3), seed=2) == [
        "chance: A",
        "chance: K",
        "chance: J",
        "player 0 [A] check/bet: check",
        "player 1 [K | check] check/bet: bet",
        "player 2 [J | check bet] fold/call: fold",
        "player 0 [A | check bet fold] fold/call: call",
        "payoff: 3 -2 -1",
    ]
    assert transcript(OneCard(), seed=3) == [
        "chance: 5",
        "chance: 9",
        "player 0 [5] check/bet: bet",
        "player 1 [9 | bet] fold/call: call",
        "payoff: -2 2",
    ]
