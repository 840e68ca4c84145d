"""The worked examples of a lecture on regret matching and CFR, in fractions where it has them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.files.arrays import Saved
from counterfold.games.normal_form import general_rock_paper_scissors
from tests.random_games import DrawnGame, Node
from tests.solvers.layout import regrets, rows

MATRIX = np.array([[2, 1, 0], [2, 0, 3], [-1, 3, -3]])


def fractions(text: str) -> list[float]:
    return [float(Fraction(part)) for part in text.split()]


def near(found: np.ndarray, text: str) -> None:
    np.testing.assert_allclose(found, fractions(text), rtol=0, atol=1e-13)


def steps_to(solver: cf.Solver, cumulative: str, strategy: str) -> None:
    """One iteration, and the regrets and the next strategy after it."""
    solver.step()
    near(regrets(solver), cumulative)
    near(solver.engine.current(), strategy)


@pytest.mark.pure
def test_regret_matching_in_a_general_sum_game() -> None:
    """Instantaneous and cumulative regrets and strategies of the first four iterations."""
    solver = cf.Solver(general_rock_paper_scissors(), "cfr", alternating=False)
    slides = [
        # instantaneous, cumulative, next strategy: player 1 and player 2
        ("0 -1/3 1/3 -1/3 2/3 -1/3", "0 -1/3 1/3 -1/3 2/3 -1/3", "0 0 1 0 1 0"),
        ("-4 -3 0 2 0 1", "-4 -10/3 1/3 5/3 2/3 2/3", "0 0 1 5/9 2/9 2/9"),
        ("4/9 5/9 0 2/3 -4/3 -1/3", "-32/9 -25/9 1/3 7/3 -2/3 1/3", "0 0 1 7/8 0 1/8"),
        ("15/8 19/8 0 1/8 -15/8 -7/8", "-121/72 -29/72 1/3 59/24 -61/24 -13/24", "0 0 1 1 0 0"),
    ]
    before = np.zeros(6)
    for instantaneous, cumulative, strategy in slides:
        steps_to(solver, cumulative, strategy)
        near(regrets(solver) - before, instantaneous)
        before = regrets(solver)


@pytest.mark.pure
def test_regret_matching_in_the_comparison_game() -> None:
    solver = cf.Solver(cf.NormalForm(MATRIX.tolist()), "cfr", alternating=False)
    steps_to(solver, "2/9 8/9 -10/9 -2/9 -5/9 7/9", "1/5 4/5 0 0 0 1")
    steps_to(solver, "-98/45 67/45 -293/45 8/45 74/45 7/9", "0 1 0 8/117 74/117 35/117")
    near(solver.engine.average(), "4/15 17/30 1/6 1/6 1/6 2/3")
    solver.step()
    near(solver.engine.average(), "8/45 32/45 1/9 47/351 113/351 191/351")


@pytest.mark.pure
def test_regret_matching_plus_in_the_comparison_game() -> None:
    solver = cf.Solver(cf.NormalForm(MATRIX.tolist()), "cfr+")
    steps_to(solver, "2/9 8/9 0 0 4/3 0", "1/5 4/5 0 0 1 0")
    steps_to(
        solver,
        "46/45 31/45 14/5 396/203 4/3 709/203",
        "46/203 31/203 18/29 1188/4127 812/4127 2127/4127",
    )


def gap(strategy: np.ndarray) -> float:
    """What the best row earns against the column player, less what the best column leaves."""
    return float((MATRIX @ strategy[3:]).max() - (strategy[:3] @ MATRIX).min())


def test_the_gaps_of_regret_matching() -> None:
    solver = cf.Solver(cf.NormalForm(MATRIX.tolist()), "cfr", alternating=False)
    for iterations, wanted in ((10, 1.006), (100, 0.303), (1000, 0.100), (10_000, 0.0313)):
        solver.step(iterations - solver.iteration)
        found = gap(solver.probabilities())
        assert found == pytest.approx(wanted, rel=5e-3)
        assert sum(solver.assess().gains) == pytest.approx(found, rel=1e-9)


def test_the_gaps_of_regret_matching_plus() -> None:
    """Two conventions, one run: by t are weighed the strategies that come out of iteration t,
    or, as here and in Tammelin's CFR+, those that were played in it. Both go to zero alike.
    """
    solver = cf.Solver(cf.NormalForm(MATRIX.tolist()), "cfr+")
    after = np.zeros(6)
    figures = {
        10: (0.0892, 0.1836),
        100: (0.0229, 0.03147),
        1000: (0.00353, 0.003798),
        10_000: (0.00021, 0.0001958),
    }
    for t in range(1, 10_001):
        solver.step()
        after += t * solver.engine.current()
        if t in figures:
            wanted_after, wanted_ours = figures[t]
            assert gap(after / after[:3].sum()) == pytest.approx(wanted_after, rel=5e-3)
            assert gap(solver.probabilities()) == pytest.approx(wanted_ours, rel=1e-3)


def test_the_value_of_the_comparison_game() -> None:
    result = cf.solve(cf.NormalForm(MATRIX.tolist()), "lp")
    assert result.value == pytest.approx(1, abs=1e-9)
    near_enough = fractions("0 2/3 1/3 1/5 3/5 1/5")
    np.testing.assert_allclose(result.strategy.probabilities, near_enough, atol=1e-9)


def after_one_iteration(
    game: Any, strategy: dict[tuple[int, str], list[float]], traversal: str = "full"
) -> dict[str, list[float]]:
    """Regrets at player 1's infosets after one simultaneous iteration from a strategy."""
    solver = cf.Solver(game, "cfr", traversal, alternating=False, form="history")
    state, where = solver.engine.state(), rows(solver.tree)
    for key, numbers in strategy.items():
        state["strategy"][where[key]] = numbers
    solver.engine.restore(Saved("memory", {}, state))
    solver.step()
    return {name: regrets(solver)[at].tolist() for (owner, name), at in where.items() if not owner}


def test_the_counterfactual_regrets_of_the_example_tree() -> None:
    """Player 2 leads to I.1 (left 1/2, right 1/4) or to I.2 (1/4); I.3 lies below I.1's right.

    The tree is an image in the slides; this one has every number that their text gives. They
    leave r(L1) open: it is -5/18, and r(R1) = 5/9, so that the played average is zero.
    """
    game = DrawnGame(
        2,
        [
            Node(1, (1, 2, 3), infoset="root"),
            Node(0, (4, 5), infoset="I.1"),
            Node(0, (6, 7), infoset="I.1"),
            Node(0, (8, 9), infoset="I.2"),
            Node(1, (10, 11), infoset="x"),
            Node(-2, payoff=(8 / 3, 0)),
            Node(1, (12, 13), infoset="y"),
            Node(-2, payoff=(1, 0)),
            Node(-2, payoff=(1, 0)),
            Node(-2, payoff=(5, 0)),
            Node(-2, payoff=(0, 0)),
            Node(-2, payoff=(1, 0)),
            Node(-2, payoff=(3, 0)),
            Node(0, (14, 15), infoset="I.3"),
            Node(-2, payoff=(0, 0)),
            Node(-2, payoff=(1, 0)),
        ],
    )
    thirds = [1 / 3, 2 / 3]
    strategy = {
        (1, "root"): [1 / 2, 1 / 4, 1 / 4],
        (1, "x"): thirds,
        (1, "y"): thirds,
        (0, "I.1"): [2 / 3, 1 / 3],
        (0, "I.2"): [1 / 4, 3 / 4],
        (0, "I.3"): [0.0, 1.0],
    }
    found = after_one_iteration(game, strategy)
    assert found["I.3"] == pytest.approx([-1 / 6, 0])
    assert found["I.1"] == pytest.approx([-5 / 18, 5 / 9])
    assert 2 / 3 * found["I.1"][0] + 1 / 3 * found["I.1"][1] == pytest.approx(0)
    # "As in a normal-form game, except for the 1/4 with which player 2 reaches I.2."
    assert found["I.2"] == pytest.approx([(1 - 4) / 4, (5 - 4) / 4])


@pytest.mark.parametrize("traversal", ["full", "chance", "external"])
def test_the_regrets_of_the_external_sampling_example(traversal: str) -> None:
    """Sampling left L1 with 3 and R1 with 1: regrets 2/3 and -4/3."""
    game = DrawnGame(
        2,
        [
            Node(1, (1, 2), infoset="two"),
            Node(0, (3, 4), infoset="one"),
            Node(0, (5, 6), infoset="one"),
            Node(-2, payoff=(3, 0)),
            Node(-2, payoff=(1, 0)),
            Node(-2, payoff=(9, 0)),
            Node(-2, payoff=(9, 0)),
        ],
    )
    strategy = {(1, "two"): [1.0, 0.0], (0, "one"): [2 / 3, 1 / 3]}
    assert after_one_iteration(game, strategy, traversal)["one"] == pytest.approx([2 / 3, -4 / 3])
