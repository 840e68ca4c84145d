"""A run that was saved and resumed is, bit for bit, the run that never stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import FileError, MismatchError
from counterfold.files.arrays import Saved, seal, unsealed
from counterfold.solvers.solver import Solver
from tests.random_games import meeting_game, random_game

METHODS = ["cfr", "cfr+", "linear", "dcfr", "pcfr+", "hs-dcfr(30, 20)", "hs-pcfr+"]


def assert_same(one: Solver, other: Solver) -> None:
    assert one.iteration == other.iteration
    assert one.settings == other.settings
    states = one.engine.state(), other.engine.state()
    assert states[0].keys() == states[1].keys()
    for name, array in states[0].items():
        assert array.dtype == states[1][name].dtype
        assert array.tobytes() == states[1][name].tobytes(), name
    assert one._logs.tobytes() == other._logs.tobytes()
    assert one.probabilities().tobytes() == other.probabilities().tobytes()


def check(path: Path, game: Any, method: Any, traversal: str, **settings: Any) -> None:
    tree = cf.compile_game(game)
    straight = Solver(tree, method, traversal, **settings)
    straight.step(29)
    stopped = Solver(tree, method, traversal, **settings)
    stopped.step(5)
    stopped.step(8)
    stopped.save(path)
    resumed, _ = Solver.resume(path, tree)
    assert_same(resumed, stopped)
    resumed.step(16)
    assert_same(resumed, straight)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("traversal", ["full", "history", "chance", "external", "outcome"])
@pytest.mark.parametrize("method", METHODS)
def test_resumed_is_straight(tmp_path: Path, method: str, traversal: str, dtype: str) -> None:
    settings: dict[str, Any] = {"dtype": dtype, "seed": 7}
    if traversal == "history":
        traversal, settings["form"] = "full", "history"
    for alternating in (True, False):
        for game in (cf.Kuhn(), random_game(8, 3, 5), meeting_game(4, 2)[1]):
            check(tmp_path / "run", game, method, traversal, alternating=alternating, **settings)


@pytest.mark.pure
@pytest.mark.parametrize("traversal", ["full", "chance", "external", "outcome"])
def test_resumed_is_straight_in_a_small_game(tmp_path: Path, traversal: str) -> None:
    check(tmp_path / "run", random_game(8, 3, 3), "dcfr", traversal, average=False, explore=0.3)


def test_the_parameters_of_a_method_are_kept(tmp_path: Path) -> None:
    """Also of one that was made by hand and has the name of another, or none."""
    for name in ("", "cfr+", "mine"):
        method = cf.Method(name, alpha=2.3, gamma=5.0, floor=True, gamma_slope=-1.0, horizon=9)
        check(tmp_path / "run", cf.Kuhn(), method, "full")


def test_a_checkpoint_is_a_strategy_and_knows_its_game(tmp_path: Path) -> None:
    solver = Solver(cf.Kuhn(), "cfr+")
    solver.step(50)
    solver.save(tmp_path / "run", exploitability=solver.exploitability())
    strategy = cf.Strategy.load(tmp_path / "run")
    assert strategy.about["iteration"] == 50
    assert strategy.about["exploitability"] == pytest.approx(cf.exploitability(strategy))
    assert np.array_equal(strategy.probabilities, solver.probabilities())
    resumed, _ = Solver.resume(tmp_path / "run")  # the game is loaded by its name
    assert_same(resumed, solver)
    with pytest.raises(MismatchError):
        Solver.resume(tmp_path / "run", cf.Leduc())


def test_a_strategy_is_no_checkpoint(tmp_path: Path) -> None:
    cf.Strategy.uniform(cf.Kuhn()).save(tmp_path / "uniform")
    with pytest.raises(FileError, match="nothing to resume"):
        Solver.resume(tmp_path / "uniform")


@pytest.mark.parametrize("traversal", ["full", "external"])
def test_a_resumed_run_reaches_the_same_result(tmp_path: Path, traversal: str) -> None:
    """Through the front door: limits, trace and all but the clocks."""
    settings: dict[str, Any] = {"method": "dcfr", "traversal": traversal, "seed": 3}
    straight = cf.solve(cf.Kuhn(), until=cf.Until(iterations=700), **settings)
    path = tmp_path / "run"
    cf.solve(cf.Kuhn(), until=cf.Until(iterations=300), save=path, every=50, **settings)
    resumed = cf.resume(path, cf.Until(iterations=700))
    assert np.array_equal(resumed.strategy.probabilities, straight.strategy.probabilities)
    assert resumed.values == straight.values
    assert resumed.iterations == straight.iterations == 700
    both = {report.iteration: report.exploitability for report in straight.trace}
    for report in resumed.trace:
        if report.iteration != 300:  # where the first run ended is no mark of the second
            assert both[report.iteration] == report.exploitability


def test_the_state_is_a_copy() -> None:
    solver = Solver(cf.Kuhn(), "cfr")
    solver.step(3)
    state = solver.engine.state()
    kept = {name: array.copy() for name, array in state.items()}
    solver.step(3)
    for name in state:
        assert np.array_equal(state[name], kept[name])
    solver.engine.restore(Saved("memory", {}, state), ())
    assert np.array_equal(solver.engine.state()["regret"], kept["regret"])


@pytest.mark.parametrize("traversal", ["full", "external"])
def test_states_that_do_not_fit_are_refused(traversal: str) -> None:
    engine = Solver(cf.Kuhn(), "cfr", traversal).engine
    other = Solver(cf.Kuhn(), "cfr", traversal, dtype="float32").engine
    leduc = Solver(cf.Leduc(), "cfr", traversal).engine
    lacking, spoiled = engine.state(), engine.state()
    del lacking["total"]
    spoiled["regret"][0] = np.nan
    for state, told in (
        (other.state(), "must be float64"),
        (leduc.state(), "must be float64"),
        (lacking, "total"),
        (spoiled, "not numbers"),
    ):
        with pytest.raises(FileError, match=told):
            engine.restore(Saved("memory", {}, state), ())


def test_a_run_resumed_between_checks_stops_where_a_straight_one_does(tmp_path: Path) -> None:
    until = cf.Until(exploitability=1e-3)
    straight = cf.solve(cf.Kuhn(), "cfr+", until)
    between = straight.iterations - 1
    path = tmp_path / "run.safetensors"
    solver = cf.Solver(cf.Kuhn(), "cfr+")
    solver.step(between)
    assert solver.exploitability() < 1e-3, "the checkpoint must itself be good enough to stop"
    solver.save(path)
    resumed = cf.resume(path, until)
    assert resumed.iterations == straight.iterations
    assert (resumed.strategy.probabilities == straight.strategy.probabilities).all()


def test_a_check_without_its_exploitability_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "run"
    cf.solve(cf.Kuhn(), "cfr", cf.Until(iterations=20), save=path)
    header, arrays = unsealed(path)
    run = json.loads(header["run"])
    del run["trace"][3]["exploitability"]
    seal(path, {**header, "run": json.dumps(run)}, arrays)
    with pytest.raises(FileError, match="damaged: a check of its trace"):
        Solver.resume(path)


def test_a_run_that_predictions_mislead_begins_again_and_resumes_bit_for_bit(
    tmp_path, monkeypatch
) -> None:
    """Here wherever a check is no better than the last one, so that it comes soon."""
    monkeypatch.setattr("counterfold.solvers.precision.SOON", 40)
    path, game = tmp_path / "run", cf.Leduc()
    monkeypatch.setattr("counterfold.solvers.precision.WINDOW", 1.05)
    whole = cf.solve(game, until=300)
    assert "began again without them (dcfr+)" in whole.promise
    again = int(whole.promise.partition("after iteration ")[2].split()[0])
    for stop in (again, again + 1, again + 30):
        first = cf.solve(game, until=stop, save=path)
        assert first.exploitability <= whole.trace[0].exploitability
        rest = cf.resume(path, 300)
        assert (rest.method, rest.iterations) == (whole.method, whole.iterations)
        assert rest.strategy == whole.strategy
        assert rest.promise == whole.promise
        checks = [r.iteration for r in whole.trace]
        assert [r.iteration for r in rest.trace if r.iteration in checks] == checks
    # What was reached before is what a run ends with that has not come as far again.
    short = cf.solve(game, until=again + 1)
    assert short.certified_at == again
    assert cf.exploitability(short.strategy) == pytest.approx(short.exploitability, abs=1e-15)
    # Whoever names a method gets it.
    assert "began again" not in cf.solve(game, "sapcfr+", 300).promise


@pytest.mark.parametrize(
    ("spec", "iterations"),
    [("kuhn", 55), ("leduc", 7072), ("goofspiel", 143), ("liars_dice(sides=4)", 277)],
)
def test_predictions_that_help_are_kept(spec: str, iterations: int) -> None:
    result = cf.solve(spec, until="1e-6")
    assert result.iterations <= 1.1 * iterations
    assert "began again" not in result.promise


def test_liars_dice_is_solved_without_predictions() -> None:
    result = cf.solve("liars_dice", until="1e-5")
    assert "began again without them" in result.promise
    assert result.iterations < 6000  # with them some 22,000
