"""OpenSpiel games through the adapter, against OpenSpiel's own evaluation of them."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score

from counterfold.errors import MissingExtraError, SpecError, UnsupportedError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.openspiel import OpenSpielGame, _named
from counterfold.testing import check_game

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"


def uniform_value(game, state):
    """Expected payoffs when everybody plays uniformly: plain recursion over the rules."""
    turn = game.turn(state)
    if turn == TERMINAL:
        return list(game.payoff(state))
    if turn == CHANCE:
        branches = game.chance(state)
    else:
        names = game.actions(state)
        branches = [(name, 1 / len(names)) for name in names]
    total = [0.0] * game.players
    for name, probability in branches:
        for player, value in enumerate(uniform_value(game, game.next(state, name))):
            total[player] += probability * value
    return total


def walk(game):
    """Every state of the game, by an explicit stack."""
    stack = [game.root()]
    while stack:
        state = stack.pop()
        yield state
        turn = game.turn(state)
        if turn == CHANCE:
            stack.extend(game.next(state, name) for name, _ in game.chance(state))
        elif turn != TERMINAL:
            stack.extend(game.next(state, name) for name in game.actions(state))


@pytest.mark.parametrize(
    "text",
    [
        "kuhn_poker",
        "kuhn_poker(players=3)",
        "leduc_poker",
        "liars_dice(numdice=1,dice_sides=3)",
        "matrix_rps",
        "matching_pennies_3p",
        "tiny_bridge_2p",
        "python_kuhn_poker",
        "pig(horizon=6,diceoutcomes=2)",
        "first_sealed_auction(max_value=4)",
        GOOFSPIEL,
        "goofspiel(num_cards=3,imp_info=True,points_order=random,returns_type=point_difference)",
        "oshi_zumo(coins=3,size=1,min_bid=1)",
    ],
)
def test_uniform_play_is_worth_what_openspiel_says(text):
    game = OpenSpielGame(text)
    original = pyspiel.load_game(text)
    if original.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        original = pyspiel.convert_to_turn_based(original)
    uniform = policy.UniformRandomPolicy(original)
    expected = expected_game_score.policy_value(
        original.new_initial_state(), [uniform] * original.num_players()
    )
    assert uniform_value(game, game.root()) == pytest.approx(list(expected), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "states", "infosets"),
    [
        ("kuhn_poker", 58, 12),
        ("leduc_poker", 9_457, 936),
        ("liars_dice(numdice=1,dice_sides=3)", 1_147, 192),
        (GOOFSPIEL, 67, 16),
    ],
)
def test_counts(text, states, infosets):
    game = OpenSpielGame(text)
    seen = list(walk(game))
    observed = {(game.turn(s), game.observe(s, game.turn(s))) for s in seen if game.turn(s) >= 0}
    assert len(seen) == states
    assert len(set(seen)) == states
    assert len(observed) == infosets


def test_three_player_leduc_has_consistent_nodes():
    game = OpenSpielGame("leduc_poker(players=3)")
    assert game.players == 3
    state = game.root()
    for name in ("Chance outcome:0", "Chance outcome:3", "Chance outcome:5"):
        assert game.turn(state) == CHANCE
        assert sum(p for _, p in game.chance(state)) == pytest.approx(1)
        state = game.next(state, name)
    assert game.turn(state) == 0
    assert list(state.ids) == list(game.actions(state)) == ["Call", "Raise"]
    assert len({game.observe(state, player) for player in range(3)}) == 3
    folded = state
    for name in ("Raise", "Fold", "Fold"):
        folded = game.next(folded, name)
    assert game.turn(folded) == TERMINAL
    assert sum(game.payoff(folded)) == pytest.approx(0)


def test_later_movers_do_not_see_the_same_round():
    game = OpenSpielGame(GOOFSPIEL)
    after = [game.next(game.root(), name) for name in game.actions(game.root())]
    assert [game.turn(state) for state in after] == [1, 1, 1]
    assert len({game.observe(state, 1) for state in after}) == 1
    assert len({game.observe(state, 0) for state in after}) == 3


def test_perfect_information_without_information_states_observes_the_history():
    game = OpenSpielGame("pig(horizon=6,diceoutcomes=2)")
    states = [state for state in walk(game) if game.turn(state) >= 0]
    assert len({game.observe(state, game.turn(state)) for state in states}) == len(states)


def test_states_are_values():
    game = OpenSpielGame("kuhn_poker")
    one, other = (game.next(game.root(), "Deal:1") for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != game.next(game.root(), "Deal:2")
    assert one != (1,)
    game.next(one, "Deal:0")
    assert one == other
    assert repr(one) == "OpenSpielState([1])"


def test_equal_names_are_told_apart():
    class Twins:
        def legal_actions(self):
            return [3, 5, 8]

        def action_to_string(self, turn, action):
            return "go" if action != 5 else "stay"

    assert _named(Twins(), 0) == {"go #3": 3, "stay": 5, "go #8": 8}


def test_spec_is_the_text_as_given():
    assert str(OpenSpielGame("kuhn_poker(players=3)")) == "openspiel:kuhn_poker(players=3)"
    assert str(OpenSpielGame("openspiel:kuhn_poker")) == "openspiel:kuhn_poker"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no_such_game", "Unknown game 'no_such_game'"),
        ("leduc_poker(foo=3)", "Unknown parameter 'foo'"),
        ("leduc_poker(players=99)", "num_players_ = 99"),
        ("leduc_poker(players=many)", "Wrong type for parameter players"),
        ("leduc_poker(players=3", "Missing closing bracket"),
        ("", "OpenSpiel cannot load ''"),
        ("efg_game(filename=/no/such/file)", "OpenSpiel cannot load"),
    ],
)
def test_what_openspiel_cannot_load_is_one_sentence(text, says, capfd):
    with pytest.raises(SpecError, match=r"\w") as caught:
        OpenSpielGame(text)
    message = str(caught.value)
    assert says in message
    assert "\n" not in message
    assert "/open_spiel/" not in message
    assert len(message) < 300
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mfg_crowd_modelling", "mean-field"),
        ("negotiation", "probabilities"),
        ("gin_rummy", "information states"),
    ],
)
def test_what_is_not_a_tree_is_refused(text, says):
    with pytest.raises(UnsupportedError, match=says):
        OpenSpielGame(text)


def test_without_openspiel_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'counterfold\[openspiel\]'"):
        OpenSpielGame("kuhn_poker")


@pytest.mark.parametrize("text", ["kuhn_poker(players=3)", "matrix_rps", GOOFSPIEL])
def test_the_contract_of_games_holds(text):
    assert check_game(OpenSpielGame(text)).complete
