"""The gap to a coarse correlated equilibrium is the external regret of the recorded play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import counterfold as cf
from counterfold.errors import UnsupportedError
from counterfold.files.arrays import Saved
from counterfold.games.normal_form import general_rock_paper_scissors
from counterfold.solvers.correlated import RecordedPlay
from counterfold.tree.sequence import sequence_form
from tests import naive
from tests.random_games import games, random_game
from tests.solvers.layout import unflat


def check(game: Any, method: str, alternating: bool, iterations: int = 6) -> None:
    solver = cf.Solver(game, method, alternating=alternating)
    tree, infosets = solver.tree, naive.uniform(game)
    rule = naive.RULES[method]
    play: list[tuple[float, naive.Table]] = []
    for t in range(1, iterations + 1):
        along = min(t / rule.horizon, 1)
        fade = ((t - 1) / t) ** (rule.gamma + rule.gamma_slope * along)
        profile = unflat(tree, infosets, solver.engine.current())
        play = [(weight * fade, table) for weight, table in play] + [(1.0, profile)]
        solver.step()
        gaps = solver.cce_gaps()
        if tree.two_player_zero_sum and not isinstance(game, cf.NormalForm):
            continue
        assert gaps is not None
        assert gaps == pytest.approx(naive.external_regret(game, play), abs=1e-9)


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "hs-pcfr+(15, 5)"])
@settings(max_examples=10)
@given(game=games(zero_sum=False))
def test_random_games(method: str, alternating: bool, game: Any) -> None:
    check(game, method, alternating)


@pytest.mark.pure
@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
def test_normal_form(alternating: bool) -> None:
    check(general_rock_paper_scissors(), "cfr", alternating, 12)
    check(cf.NormalForm([[2, 1, 0], [2, 0, 3], [-1, 3, -3]]), "cfr+", alternating, 12)


def test_three_players() -> None:
    check(cf.Kuhn(players=3), "cfr", False, 4)
    check(cf.Kuhn(players=3), "linear", True, 4)


def test_the_gap_goes_to_zero_where_nash_is_not_promised() -> None:
    """Shapley's game: regret matching cycles, but nobody regrets the play."""
    row = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    column = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    game = cf.NormalForm([row, column])
    solver = cf.Solver(game, "cfr", alternating=False)
    state = solver.engine.state()
    state["regret"][2:5] = 0.1, 0.05, 0.0  # off the symmetric start
    solver.engine.restore(Saved("memory", {}, state))
    solver.step(20_000)
    gaps = solver.cce_gaps()
    assert gaps is not None
    assert max(gaps) < 0.01


def test_where_it_is_not_followed() -> None:
    assert cf.Solver(cf.Kuhn(), "cfr").cce_gaps() is None
    solver = cf.Solver(random_game(3, 3), "cfr", form="history")
    solver.step(3)
    assert solver.cce_gaps() is None
    assert cf.Solver(cf.Kuhn(players=3), "cfr").cce_gaps() is None  # nothing was played yet


def test_simultaneous_regret_is_the_sum_of_regrets_in_a_matrix_game() -> None:
    """With uniform weights the gap is the largest cumulative regret over the iterations."""
    solver = cf.Solver(general_rock_paper_scissors(), "cfr", alternating=False)
    solver.step(50)
    regret = solver.engine.state()["regret"][2:].reshape(2, 3).max(axis=1)
    np.testing.assert_allclose(solver.cce_gaps(), regret / 50, atol=1e-12)


@settings(max_examples=25)
@given(game=games(zero_sum=False))
def test_advice_that_tells_nothing_is_worth_a_best_response(game: Any) -> None:
    """Of a single profile both gaps are what a best response gains."""
    strategy = cf.Strategy.random(game, 3)
    play = RecordedPlay(strategy.tree)
    play.add(strategy.probabilities)
    for gaps in play.gaps():
        assert gaps == pytest.approx(cf.nash_conv(strategy), abs=1e-9)


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("method", ["cfr", "linear", "dcfr"])
def test_the_coarse_gap_is_the_same_and_the_other_is_no_smaller(
    method: str, alternating: bool
) -> None:
    game = cf.Kuhn(players=3)
    solver = cf.Solver(game, method, alternating=alternating)
    solver.step(40)
    gaps = cf.correlated_gaps(game, method, 40, alternating)
    assert gaps.coarse == pytest.approx(solver.cce_gaps(), abs=1e-12)
    assert all(fine >= coarse - 1e-12 for coarse, fine in zip(*gaps, strict=True))
    assert sum(gaps.correlated) > sum(gaps.coarse) + 1e-4
    assert solver.correlated_gaps() == pytest.approx(gaps.correlated, abs=1e-12)


def test_results_tell_both_gaps_and_checkpoints_keep_them(tmp_path: Path) -> None:
    game = general_rock_paper_scissors()
    whole = cf.solve(game, "cfr", 30, save=tmp_path / "run.cfs")
    assert whole.cce_gap is not None
    assert whole.correlated_gap is not None
    assert whole.to_dict()["correlated_gap"] == whole.correlated_gap >= whole.cce_gap
    resumed = cf.resume(tmp_path / "run.cfs", 60)
    assert resumed.correlated_gap == cf.solve(game, "cfr", 60).correlated_gap
    assert cf.solve("leduc", until=5).correlated_gap is None


def test_chicken() -> None:
    """Aumann's example: 1/3 each on (go, stop), (stop, go) and (stop, stop) is in equilibrium."""
    game = cf.NormalForm([[[0, 7], [2, 6]], [[0, 2], [7, 6]]])
    pure = {"go": np.array([1.0, 0.0]), "stop": np.array([0.0, 1.0])}

    def gaps(*profiles: tuple[str, str]) -> Any:
        play = RecordedPlay(game)
        for profile in profiles:
            play.add(np.concatenate([pure[move] for move in profile]))
        return play.gaps()

    fair = gaps(("go", "stop"), ("stop", "go"), ("stop", "stop"))
    assert fair.correlated == (0.0, 0.0)
    assert max(fair.coarse) < 0  # going always would earn 14/3, and they earn 5
    # Told to stop, the other one stops in 3 of 4: going pays 7 * 3/4, stopping 6 * 3/4 + 2 * 1/4.
    soft = gaps(("go", "stop"), ("stop", "go"), *[("stop", "stop")] * 3)
    assert soft.correlated == pytest.approx((0.8 * 0.25, 0.8 * 0.25))
    assert soft.coarse == pytest.approx((5.6 - 5.4, 5.6 - 5.4))  # going always


def test_advice_is_left_where_it_tells_something() -> None:
    """Rock, paper, scissors after a move that changes nothing: a swap below the first move."""
    play = RecordedPlay(cf.load("rps"))
    for action in (0, 0, 1, 2):
        play.add(np.tile(np.arange(3) == action, 2) * 1.0)
    assert play.gaps().correlated == (1.0, 1.0)
    assert play.gaps().coarse == (0.25, 0.25)


def test_where_there_are_no_correlated_gaps() -> None:
    drawn = (random_game(seed, depth=5, recall=False) for seed in range(50))
    game = next(game for game in drawn if not sequence_form(cf.compile_game(game)).perfect_recall)
    with pytest.raises(UnsupportedError, match="perfect recall"):
        RecordedPlay(game)
    with pytest.raises(UnsupportedError, match="by their histories"):
        cf.correlated_gaps(cf.fhp(deck="QKA"))
