"""Leduc poker: counts, OpenSpiel's tree for two and three players, parameters."""

import pyspiel
import pytest

from counterfold.errors import TreeTooLargeError
from counterfold.games import betting
from counterfold.games.leduc import Leduc
from tests.naive_counts import Counts, after, counts, openspiel_value, same_tree, survey, transcript


def test_players_see_ranks_by_default():
    assert counts(Leduc()) == Counts(9457, 5520, (144, 144))


def test_two_players_with_suits_are_openspiels():
    native = pyspiel.load_game("leduc_poker")
    game = Leduc(suited=True)
    assert same_tree(game, native) == Counts(9457, 5520, (468, 468))
    value = openspiel_value(native)
    assert survey(game)[1] == pytest.approx(value, abs=1e-12)
    assert survey(Leduc())[1] == pytest.approx(value, abs=1e-12)


def test_infosets_are_those_of_openspiels_suit_isomorphism():
    native = pyspiel.load_game("leduc_poker(suit_isomorphism=True)")
    seen = [set(), set()]
    stack = [native.new_initial_state()]
    while stack:
        state = stack.pop()
        if not state.is_terminal():
            if not state.is_chance_node():
                player = state.current_player()
                seen[player].add(state.information_state_string(player))
            stack += [state.child(action) for action in state.legal_actions()]
    assert counts(Leduc()).infosets == tuple(map(len, seen))
    assert survey(Leduc())[1] == pytest.approx(openspiel_value(native), abs=1e-12)


def test_three_players_are_openspiels():
    native = pyspiel.load_game("leduc_poker(players=3)")
    game = Leduc(players=3, ranks=4, suited=True)
    part = same_tree(game, native, one_deal=0)
    assert part == Counts(228951, 130494, (1075, 6461, 6461))
    found, value = survey(game)
    assert found == Counts(1831601, 1043952, (8600, 8600, 8600))
    assert value == pytest.approx(openspiel_value(native), abs=1e-10)


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (Leduc(raises=(1, 2)), Counts(9457, 5520, (144, 144))),
        (Leduc(max_raises=1), Counts(3517, 1860, (60, 60))),
        (Leduc(suits=3, ranks=2), Counts(9457, 5520, (66, 66))),
    ],
)
def test_counts_of_variants(game, expected):
    assert counts(game) == expected


def test_a_pair_beats_a_higher_card_and_equal_cards_split():
    game = Leduc()
    calls = ("check", "bet", "call")
    assert game.payoff(after(game, "Js", "Kh", *calls, "Jh", *calls)) == (7.0, -7.0)
    assert game.payoff(after(game, "Js", "Kh", *calls, "Qh", *calls)) == (-7.0, 7.0)
    assert game.payoff(after(game, "Qs", "Qh", *calls, "Kh", *calls)) == (0.0, 0.0)


def test_raises_have_the_size_of_their_round():
    game = Leduc(raises=(1, 2))
    raised = after(game, "Js", "Kh", "bet", "raise")
    assert game.actions(raised) == ("fold", "call")
    assert game.payoff(game.next(raised, "fold")) == (-2.0, 2.0)
    late = after(game, "Js", "Kh", "check", "check", "Qs", "bet", "raise", "fold")
    assert game.payoff(late) == (-3.0, 3.0)


def test_folded_players_speak_no_more():
    game = Leduc(players=3, ranks=4)
    state = after(game, "Js", "Qs", "Ks", "check", "bet", "call", "fold", "As")
    assert game.turn(state) == 1
    assert game.observe(state, 1) == ("Q", "check bet call fold", "A", "")


def test_observation_shows_suits_when_told():
    assert Leduc().observe(after(Leduc(), "Ks", "Kh", "check", "check", "Qs"), 1) == (
        "K",
        "check check",
        "Q",
        "",
    )
    game = Leduc(suited=True)
    assert game.observe(after(game, "Ks", "Kh"), 1) == ("Kh", "")
    assert game.observe(after(game, "Ks"), 1) == ("", "")


def test_betting_of_too_many_players_is_refused(monkeypatch):
    monkeypatch.setattr(betting, "MOST_BETTING_NODES", 10_000)
    game = Leduc(players=10, ranks=10, max_raises=100)
    with pytest.raises(TreeTooLargeError, match="10 players"):
        game.turn(game.root())


def test_a_list_of_raises_makes_the_same_game():
    assert Leduc(raises=[1, 2]) == Leduc(raises=(1, 2))
    assert str(Leduc(raises=[1, 2], suited=True)) == "leduc(raises=1+2,suited=true)"


def test_transcript():
    assert transcript(Leduc(), seed=3) == [
        "chance: Jh",
        "chance: Qh",
        "player 0 [J] check/bet: bet",
        "player 1 [Q | bet] fold/call/raise: raise",
        "player 0 [J | bet raise] fold/call: call",
        "chance: Ks",
        "player 0 [J | bet raise call | K] check/bet: check",
        "player 1 [Q | bet raise call | K | check] check/bet: check",
        "payoff: -5 5",
    ]
