"""Liar's dice: counts, OpenSpiel's tree, unequal dice, parameters."""

import pyspiel
import pytest

from counterfold.games.liars_dice import LiarsDice
from tests.naive_counts import Counts, after, counts, openspiel_value, same_tree, survey, transcript


@pytest.mark.parametrize(
    ("dice", "sides", "expected"),
    [
        (1, 3, Counts(1147, 567, (96, 96))),
        (1, 4, Counts(8181, 4080, (512, 512))),
        (1, 5, Counts(51181, 25575, (2560, 2560))),
        (1, 6, Counts(294883, 147420, (12288, 12288))),
        (2, 2, Counts(8191, 4080, (384, 384))),
    ],
)
def test_openspiels_game(dice, sides, expected):
    native = pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={sides})")
    game = LiarsDice(dice=dice, sides=sides)
    assert same_tree(game, native) == expected
    if sides < 6:
        found, value = survey(game)
        assert found == expected
        assert value == pytest.approx(openspiel_value(native), abs=1e-12)


def test_unequal_dice_and_more_players():
    assert counts(LiarsDice(dice=(1, 2), sides=2)) == counts(LiarsDice(dice=[1, 2], sides=2))
    assert counts(LiarsDice(dice=(1, 2), sides=2)) == Counts(1023, 504, (64, 96))
    assert counts(LiarsDice(players=3, sides=2)) == Counts(1023, 504, (44, 42, 42))


def test_dice_are_seen_in_order():
    game = LiarsDice(dice=2, sides=6)
    assert game.observe(after(game, "5", "2", "6", "1"), 0) == ("2 5", "")
    assert game.observe(after(game, "5", "2", "6", "1"), 1) == ("1 6", "")


def test_highest_face_is_wild_and_a_bid_on_it_counts_it_once():
    game = LiarsDice(sides=6)
    assert game.payoff(after(game, "6", "3", "2x3", "liar")) == (1.0, -1.0)
    assert game.payoff(after(game, "6", "3", "2x6", "liar")) == (-1.0, 1.0)
    assert game.payoff(after(game, "6", "6", "2x6", "liar")) == (1.0, -1.0)


def test_only_bidder_and_challenger_are_paid():
    game = LiarsDice(players=3, sides=3)
    assert game.payoff(after(game, "1", "1", "2", "1x1", "2x1", "liar")) == (0.0, 1.0, -1.0)
    assert game.payoff(after(game, "1", "1", "2", "1x1", "2x2", "liar")) == (0.0, -1.0, 1.0)


def test_the_first_player_cannot_challenge():
    game = LiarsDice(sides=2)
    assert game.actions(after(game, "1", "2")) == ("1x1", "1x2", "2x1", "2x2")
    assert game.actions(after(game, "1", "2", "2x2")) == ("liar",)


def test_transcript():
    assert transcript(LiarsDice(dice=(1, 2), sides=3), seed=1) == [
        "chance: 1",
        "chance: 3",
        "chance: 3",
        "player 0 [1] 1x1/1x2/1x3/2x1/2x2/2x3/3x1/3x2/3x3: 2x2",
        "player 1 [3 3 | 2x2] 2x3/3x1/3x2/3x3/liar: 2x3",
        "player 0 [1 | 2x2 2x3] 3x1/3x2/3x3/liar: liar",
        "payoff: -1 1",
    ]
