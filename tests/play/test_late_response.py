"""Best responses from a street on: exact where nothing is drawn, unbiased where lines are."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import every_hand
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.play.late_response import best_gains, late_response
from counterfold.play.public_lines import PublicLines, poker_policy
from counterfold.poker.holdem import fhp, kuhn, leduc
from tests.play.test_lbr import blueprint


@pytest.mark.parametrize("game", [leduc(), fhp(deck="KA", cap=1)], ids=lambda game: game.name)
def test_from_the_first_street_on_it_is_the_best_response(game):
    strategy = cf.Strategy.random(game, np.random.default_rng(3))
    found = late_response(strategy, 0, 2)
    assert found.gain == pytest.approx(cf.exploitability(strategy), abs=1e-6)
    assert (found.error, found.reached) == (pytest.approx(0, abs=1e-12), 1.0)


def gains_over_all_boards(strategy, street: int) -> tuple[float, float]:
    """The same response, with every line and board that there is."""
    lines = PublicLines(*poker_policy(strategy))
    return best_gains(lines, lines.root(), street)


def test_drawn_lines_tell_the_gain_without_bias():
    game = leduc()
    form = BucketForm(game, every_hand(game))
    strategy = cf.Strategy.random(form, np.random.default_rng(3))
    exact = gains_over_all_boards(strategy, 1)
    found = late_response(strategy, 1, 300, seed=4)
    assert abs(found.gain - sum(exact) / 2) < 4 * found.error
    assert found.error < 0.1 * found.gain
    assert 0 < found.reached < 1
    assert found.gain < cf.exploitability(strategy)


def test_at_a_table_of_holdem_the_river_is_answered():
    _, strategy = blueprint(stack=6)
    found = late_response(strategy, 3, 6, seed=1)
    assert found.boards == 6
    assert found.gain >= 0


def test_other_games_are_refused():
    with pytest.raises(UnsupportedError, match="two players"):
        late_response(cf.Strategy.uniform(BucketForm(kuhn(3), every_hand(kuhn(3)))), 0, 2)
    with pytest.raises(ParameterError, match="streets"):
        late_response(cf.Strategy.uniform(leduc()), 2, 2)
