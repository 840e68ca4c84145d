"""Goofspiel: counts, OpenSpiel's tree in turns, what players see, parameters."""

import pyspiel
import pytest

from counterfold.games.goofspiel import Goofspiel
from tests.naive_counts import Counts, after, counts, openspiel_value, same_tree, survey, transcript

RETURNS = {"win_loss": "win_loss", "points": "point_difference"}


@pytest.mark.parametrize(
    ("game", "expected"),
    [
        (Goofspiel(cards=1), Counts(3, 1, (1, 1))),
        (Goofspiel(cards=1, prizes="random"), Counts(4, 1, (1, 1))),
        (Goofspiel(cards=2, prizes="random"), Counts(15, 8, (2, 2))),
        (Goofspiel(cards=3, prizes="random"), Counts(418, 216, (45, 45))),
        (Goofspiel(cards=4), Counts(1077, 576, (81, 81))),
        (Goofspiel(cards=4, prizes="ascending", returns="points"), Counts(1077, 576, (81, 81))),
        (Goofspiel(cards=4, prizes="random"), Counts(26773, 13824, (1804, 1804))),
        (Goofspiel(cards=5), Counts(26931, 14400, (1062, 1062))),
        (Goofspiel(players=3, cards=3), Counts(418, 216, (10, 10, 10))),
        (
            Goofspiel(players=3, cards=3, prizes="random", returns="points"),
            Counts(2551, 1296, (57, 57, 57)),
        ),
    ],
    ids=str,
)
def test_openspiels_game(game, expected):
    native = pyspiel.load_game(
        f"turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards={game.cards},"
        f"points_order={game.prizes},players={game.players},returns_type={RETURNS[game.returns]}))"
    )
    assert same_tree(game, native) == expected
    found, value = survey(game)
    assert found == expected
    assert value == pytest.approx(openspiel_value(native), abs=1e-12)


def test_with_open_bids_everything_but_the_running_round_is_seen():
    game = Goofspiel(imperfect=False)
    assert counts(game) == Counts(1077, 576, (161, 161))
    state = after(game, "4", "2", "1")
    assert game.observe(state, 0) == ("prizes 4 3", "bids 4:2", "own 1")
    assert game.observe(state, 1) == ("prizes 4 3", "bids 4:2", "")


def test_bids_of_the_running_round_are_hidden():
    game = Goofspiel()
    assert game.observe(after(game, "4"), 1) == game.observe(after(game, "1"), 1)


def test_the_last_card_plays_itself():
    game = Goofspiel(cards=3, returns="points")
    # Points 3 and 2; the last round of 2 against 2 discards its prize.
    assert game.payoff(after(game, "3", "1", "1", "3")) == (0.5, -0.5)
    # Points 3 and 2; the last round of 1 against 2 gives its prize to the second player.
    assert game.payoff(after(game, "3", "1", "2", "3")) == (0.0, 0.0)


def test_ties_discard_the_prize():
    game = Goofspiel(cards=2)
    assert game.payoff(after(game, "1", "1")) == (0.0, 0.0)
    three = Goofspiel(players=3, cards=2)
    assert three.payoff(after(three, "2", "2", "1")) == (-0.5, -0.5, 1.0)


def test_transcript():
    assert transcript(Goofspiel(prizes="random"), seed=2) == [
        "chance: 4",
        "player 0 [prizes 4] 1/2/3/4: 1",
        "player 1 [prizes 4] 1/2/3/4: 1",
        "chance: 1",
        "player 0 [prizes 4 1 | bids 1 | won by -] 2/3/4: 2",
        "player 1 [prizes 4 1 | bids 1 | won by -] 2/3/4: 4",
        "chance: 3",
        "player 0 [prizes 4 1 3 | bids 1 2 | won by - 2] 3/4: 4",
        "player 1 [prizes 4 1 3 | bids 1 4 | won by - 2] 2/3: 3",
        "payoff: 1 -1",
    ]
