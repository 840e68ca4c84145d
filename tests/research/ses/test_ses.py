"""SES's figures in small: the matrix game in closed form, and a sweep whose theorems hold."""

import json
import math

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import CounterfoldError
from counterfold.research.ses.leduc import figure_3
from counterfold.research.ses.matrix import figure_2, matrix_game
from counterfold.research.ses.pictures import draw_figure_2, draw_figure_3
from counterfold.searchers.entry import enter
from counterfold.searchers.gadget import ses
from counterfold.searchers.refine import refine
from counterfold.searchers.subgame import subgames


@pytest.mark.parametrize(("u", "w", "f"), [(4, 9.9, 10), (4, 99, 100), (2, 5, 8)])
def test_matrix_game_in_closed_form(u, w, f):
    turn = 100.5 / (100.5 + f - w)
    alphas = [0.01, 0.3, 0.9, turn - 1e-4, turn + 1e-4, 1.0]
    found = figure_2(alphas, u, w, f)
    assert found.alpha_star == pytest.approx(turn)
    for point in found.points:
        safe = point.alpha < turn
        assert point.payoff == pytest.approx(w if safe else f, abs=1e-6)
        assert point.exploitability == pytest.approx(0 if safe else 100.5, abs=1e-6)
        strategy = (0, 0.5, 0.5, 0) if safe else (0, 0, 0, 1)
        assert point.strategy == pytest.approx(strategy, abs=1e-6)
        mixed = point.alpha * f + (1 - point.alpha) * (u + w) / 2
        assert point.mixing_payoff == pytest.approx(mixed)
        assert point.mixing_exploitability == pytest.approx(100.5 * point.alpha)


def test_matrix_game_by_cfr():
    tree = cf.compile_game(matrix_game())
    blueprint = cf.Strategy.of(tree, np.array([0.5, 0.5, 0, 0.5, 0.5, 0, 0]))
    (subgame,) = subgames(tree, "move:1")
    entry = enter(subgame, blueprint, 1)
    assert entry.value == pytest.approx([-0.5, -0.5, -6.95])
    for alpha, expected in ((0.5, (0, 0.5, 0.5, 0)), (1.0, (0, 0, 0, 1))):
        found = refine(entry, ses(entry, alpha, np.array([0, 0, 1.0])), tolerance=1e-5)
        assert found.weights == pytest.approx(expected, abs=1e-3)


@pytest.fixture(scope="module")
def sweep():
    return figure_3(
        runs=1, iterations=300_000, alphas=(0.0, 0.3, 0.7, 1.0), errors=(0.0, 0.9), seed=3
    )


def test_theorems_hold_at_every_point(sweep):
    assert len(sweep.points) == 3 * 2 * 4
    assert sweep.theorems_hold
    for point in sweep.points:
        assert point.safe
        assert point.exploitability <= point.certificate + 1e-7
        assert math.isfinite(point.certificate) == (point.alpha < 1)
    assert sweep.nearest < sweep.exploitability


def test_the_ends_are_maxmargin_and_unsafe(sweep):
    assert sweep.maxmargin_gap <= 1e-4
    assert sweep.unsafe_gap <= 1e-4
    # No range matters at alpha 0.
    careful = {p.exploitability for p in sweep.points if p.alpha == 0}
    assert len(careful) == 1


def test_curves_as_in_the_paper(sweep):
    right, wrong = (sweep.curve(0.7, error, "payoff") for error in (0.0, 0.9))
    # A true range wins more with a larger alpha, and more than the blueprint; a wrong one loses.
    assert right[-1] > right[0] + 0.005
    assert right[-1] > sweep.blueprint(0.7) + 0.005
    assert wrong[-1] < right[0] - 0.01
    for share in sweep.shares:
        for error in sweep.errors:
            risk = sweep.curve(share, error, "exploitability")
            assert risk[-1] > 3 * risk[0]
            assert risk[1] < 2 * sweep.exploitability
    # What nobody plays badly cannot be exploited: the other blueprint.
    assert sweep.curve(0.0, 0.0, "payoff")[1] == pytest.approx(0, abs=0.003)


def test_what_is_told_and_drawn(sweep):
    told = json.loads(json.dumps(sweep.to_dict(), allow_nan=False))
    assert told["theorems_hold"] is True
    assert len(told["points"]) == len(sweep.points)
    assert len(draw_figure_3(sweep).axes) == 6
    two = figure_2([0.1, 0.9])
    assert json.loads(json.dumps(two.to_dict(), allow_nan=False))["figure"] == 2
    assert len(draw_figure_2(two).axes) == 2


def test_another_game():
    found = figure_3("kuhn", 1, 20_000, point="move:1", alphas=(0.0, 0.5), errors=(0.3,))
    assert found.theorems_hold
    assert found.game == "kuhn"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"game": "chess"}, "chess"),
        ({"game": "kuhn"}, "never passes 'board'"),
        ({"runs": 0}, "runs"),
        ({"alphas": (2.0,), "game": "kuhn", "point": "move:1"}, "alpha is 2.0"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(CounterfoldError, match=message):
        figure_3(**{"iterations": 100, "runs": 1} | given)
