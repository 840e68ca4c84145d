"""Parameters that games refuse, each in one sentence that names what is wrong."""

import pytest

from counterfold.errors import ParameterError
from counterfold.games.goofspiel import Goofspiel
from counterfold.games.leduc import Leduc
from counterfold.games.liars_dice import LiarsDice
from counterfold.games.onecard import OneCard

REFUSED = {
    OneCard: [
        ({"players": 1}, "players"),
        ({"players": 11}, "players"),
        ({"ranks": 0}, "ranks"),
        ({"ranks": 2.5}, "ranks"),
        ({"ranks": True}, "ranks"),
        ({"suits": -1}, "suits"),
        ({"ante": 0}, "ante"),
        ({"ante": -1}, "ante"),
        ({"ante": float("nan")}, "ante"),
        ({"bet": float("inf")}, "bet"),
        ({"bet": "two"}, "bet"),
        ({"bet": 10**400}, "bet"),
        ({"players": 4, "ranks": 3}, "too few"),
    ],
    Leduc: [
        ({"players": 1}, "players"),
        ({"ranks": 0}, "ranks"),
        ({"suits": 0}, "suits"),
        ({"ante": -1}, "ante"),
        ({"max_raises": 0}, "max_raises"),
        ({"max_raises": 1000}, "max_raises"),
        ({"raises": 2}, "raises"),
        ({"raises": (2,)}, "raises"),
        ({"raises": (2, float("nan"))}, "raises"),
        ({"raises": (2, -4)}, "raises"),
        ({"suited": 1}, "suited"),
        ({"ranks": 1}, "too few"),
        ({"players": 6}, "too few"),
    ],
    LiarsDice: [
        ({"players": 1}, "players"),
        ({"sides": 1}, "sides"),
        ({"dice": 0}, "dice"),
        ({"dice": 1.5}, "dice"),
        ({"dice": (1, 0)}, "dice"),
        ({"dice": (1, 2, 3)}, "each of the 2 players"),
    ],
    Goofspiel: [
        ({"players": 1}, "players"),
        ({"cards": 0}, "cards"),
        ({"cards": 4.0}, "cards"),
        ({"prizes": "up"}, "descending or ascending or random"),
        ({"returns": "money"}, "win_loss or points"),
        ({"imperfect": "yes"}, "imperfect"),
    ],
}


@pytest.mark.parametrize(
    ("game", "parameters", "word"),
    [(game, *row) for game, rows in REFUSED.items() for row in rows],
)
def test_bad_parameters(game, parameters, word):
    with pytest.raises(ParameterError, match=word) as told:
        game(**parameters)
    assert "\n" not in str(told.value)
