"""Numbers at the edges of floating point: certified in double, never NaN, and never for ever."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import NumericError, ParameterError
from counterfold.evaluate.exact import (
    Assessment,
    BestResponse,
    assess,
    best_response,
    best_value,
    earned_against,
)
from counterfold.evaluate.public import PublicEvaluator
from counterfold.evaluate.public_view import Browser
from counterfold.evaluate.range_equity import RangeEquity, range_equity
from counterfold.exploit.locks import Lock, Locks
from counterfold.exploit.responses import restricted_solver
from counterfold.files.arrays import unsealed
from counterfold.games.normal_form import NormalForm
from counterfold.poker.game import PokerGame, safe_weights
from counterfold.poker.holdem import kuhn
from counterfold.poker.spot import spot
from counterfold.poker.units import Units
from counterfold.solvers.lp import solve_lp
from counterfold.solvers.precision import Precision
from counterfold.solvers.result import resume, solve
from counterfold.solvers.run import run_to
from counterfold.solvers.settings import default_until
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Report, Until
from counterfold.strategy.strategy import Strategy
from counterfold.style.price import Earnings, earnings
from counterfold.tree.history import compile_game
from counterfold.tree.public import PublicTree
from counterfold.tree.traversal import Traversal
from tests.public_layout import BothForms

RIVER = {
    "board": "Ks 9h 6s 4d 2c", "pot": 100, "stack": 300, "oop": "AA,JJ,KK:0.3", "ip": "QQ,AKs",
    "bets": ["75%", "allin"], "raises": ["allin"],
}  # fmt: skip


def river(**more: Any) -> PokerGame:
    return spot({**RIVER, **more})


# Certificates in double.


@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("deep", [3, 10**6, 10**9])
def test_spots_are_certified_in_double(deep: int, bits: int) -> None:
    """However deep the stacks: what tables in 32 bits play is measured by the history's doubles."""
    both = BothForms(river(stack=100 * deep))
    solver = Solver(both.tree, bits=bits, threads=1)
    solver.step(30)
    found = solver.assess()
    wanted = cf.assess(cf.Strategy.of(both.history, both.average(solver)))
    slack = 1e-9 * 100 + 1e-14 * 100 * deep  # of the pot, and what doubles say of the stacks
    np.testing.assert_allclose(found.values, wanted.values, rtol=0, atol=slack)
    np.testing.assert_allclose(found.best, wanted.best, rtol=0, atol=slack)
    result = solve(solver, until=Until(iterations=30))
    assert result.exploitability == found.exploitability
    assert result.values == found.values


def test_what_is_made_of_a_strategy_is_measured_in_double() -> None:
    both = BothForms(river(stack=10**8))
    random = np.random.default_rng(1)
    tables = [random.random((both.tree.rows(p), both.tree.columns(p)), np.float32) for p in (0, 1)]
    strategy = Strategy.of(both.tree, (tables[0], tables[1]))
    weights = both.slots_of(tables, scaled=False)
    wanted = cf.assess(cf.Strategy.of(both.history, both.history.infosets.to_one(weights)))
    coarse = Traversal(both.tree, "float32", 1)
    near = {"rel": 1e-12}
    for walk in (None, coarse):
        vars(both.tree)["evaluator"] = PublicEvaluator(both.tree, walk)
        assert assess(strategy).values == pytest.approx(wanted.values, **near)
        for p in (0, 1):
            assert best_value(strategy, p) == pytest.approx(wanted.best[p], **near)
            earned = earned_against(strategy, p, strategy)
            assert earned == pytest.approx(wanted.values[p], **near)
            reply = assess(best_response(strategy, p).strategy)
            assert reply.values[p] == pytest.approx(wanted.best[p], **near)
    assert earnings(strategy, strategy)[0].plain == pytest.approx(wanted.values[0], **near)
    assert Browser(strategy).summary()["ev"]["oop"] - 50 == pytest.approx(wanted.values[0], **near)


def test_locks_and_models_are_measured_in_double() -> None:
    game = river(stack=10**8)
    locks = Locks([Lock("check", {"check": 0.3, "all-in": 0.7}, trust=0.9)])
    solver = Solver(game, locks=locks)
    solver.step(20)
    fine = Solver(game, locks=locks, dtype="float64")
    for p in (0, 1):
        fine.engine.learning[p].total[:] = solver.engine.learning[p].total
    assert solver.assess().best == pytest.approx(fine.assess().best, rel=1e-6)
    model = Strategy.uniform(PublicTree(game))
    found = restricted_solver(model, 0, 0.3)
    found.step(20)
    response = found.response()
    hero = replace(response.strategy, about={})
    assert response.winnings == pytest.approx(earned_against(hero, 0, model), rel=1e-12)
    assert response.guarantee == pytest.approx(-best_value(hero, 1), rel=1e-12)


# No NaN, by construction.


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_nothing_can_be_certified_by_what_is_no_number(wrong: float) -> None:
    strategy = cf.Strategy.uniform(cf.Kuhn())
    good = cf.solve(cf.Kuhn(), until=Until(iterations=1))
    poker = solve(river(), until=Until(iterations=1))
    player = Earnings(0, 1.0, 1.0, 1.0, 1.0, None, None)
    report = good.trace[0]
    for make in (
        lambda: Assessment((wrong, 0.0), (0.0, 0.0)),
        lambda: Assessment((0.0, 0.0), (0.0, wrong), Units(1.0, 1.0)),
        lambda: BestResponse(0, wrong, strategy),
        lambda: RangeEquity(wrong, 0.0, 0.0, 0.0, 1, True),
        lambda: replace(report, exploitability=wrong),
        lambda: replace(good, values=(wrong, 0.0)),
        lambda: replace(good, exploitability=wrong),
        lambda: replace(poker.poker, evs=(0.0, wrong)),
        lambda: replace(poker.poker, frequencies={"check": wrong}),
        lambda: replace(player, styled_guarantee=wrong),
    ):
        with pytest.raises(NumericError, match="no certificate: "):
            make()


def test_chips_that_no_table_holds_are_refused() -> None:
    game, until = river(), Until(iterations=20)

    def worth(unit: float) -> PokerGame:
        betting = replace(game.betting, payoff=unit * game.betting.payoff)
        return replace(game, betting=betting, pot=unit * 100)

    for unit in (1e20, 1e-20):
        with pytest.raises(ParameterError, match="out of the reach of float32"):
            solve(worth(unit))
    plain = solve(game, until=until).poker.percent_of_pot
    for unit in (2.0**40, 2.0**-40):  # which rounds nothing
        assert solve(worth(unit), until=until).poker.percent_of_pot == plain


@pytest.mark.parametrize("weight", ["1e-20", "1e-300", "5e-324"])
def test_ranges_of_tiny_weights(weight: str) -> None:
    plain = solve(river(), until=Until(iterations=20))
    small = {player: f"{RIVER[player]}" for player in ("oop", "ip")}
    small["oop"] = f"AA:{weight},JJ:{weight}"
    wanted = solve(river(oop="AA,JJ"), until=Until(iterations=20))
    found = solve(river(**small), until=Until(iterations=20))
    assert found.values == pytest.approx(wanted.values, abs=1e-9)
    assert found.exploitability == pytest.approx(wanted.exploitability, abs=1e-9)
    assert found.exploitability != plain.exploitability
    both = range_equity(small["oop"], f"QQ:{weight}", board="Ks 9h 6s")
    assert both.equity == pytest.approx(range_equity("AA,JJ", "QQ", board="Ks 9h 6s").equity)


def test_tiny_weights_keep_their_suits_apart() -> None:
    """Weights that are all next to nothing are not the same."""
    one = range_equity("AsKs:1e-15,AhKh:3e-15", "QsJs", board="Ts 9s 2h")
    assert one.equity == pytest.approx(
        range_equity("AsKs:0.1,AhKh:0.3", "QsJs", board="Ts 9s 2h").equity
    )


def test_ranges_that_hardly_meet_are_a_sentence() -> None:
    with pytest.raises(ParameterError, match="hardly any"):
        solve(river(oop="AsAh", ip="AsAd,QQ:1e-20"))
    with pytest.raises(ParameterError, match="hardly any"):
        range_equity("AsAh", "AsAd,QQ:1e-20", board="Ks 9h 6s")


def test_weights_of_a_usual_size_stay_as_they_are() -> None:
    usual = np.array([0.0, 0.25, 1.0])
    assert safe_weights(usual) is usual
    assert safe_weights(1e200 * usual).tolist() == [0, 0.25, 1]
    for wrong in (math.nan, math.inf, -1.0):
        with pytest.raises(ParameterError, match="weights of a range"):
            safe_weights(np.array([wrong, 1.0]))


# Payoffs of any size.


def matching(unit: float) -> NormalForm:
    """Worth a seventh of the unit to player 1, who plays the first row three times in seven."""
    return NormalForm([[3 * unit, -unit], [-2 * unit, unit]])


@pytest.mark.parametrize("unit", [1e-100, 1e-12, 1e-9, 1e-3, 1.0, 1e6, 1e19, 1e100])
def test_payoffs_of_any_size(unit: float) -> None:
    tree = compile_game(matching(unit))
    lp = solve_lp(tree)
    assert lp.value == pytest.approx(unit / 7, rel=1e-7)
    assert cf.exploitability(lp.strategy) <= 1e-9 * unit
    found = cf.solve(tree)
    assert found.stopped == "exploitability"
    assert found.exploitability <= default_until("full", 3 * unit).exploitability
    assert found.value == pytest.approx(unit / 7, rel=1e-4)


def test_a_small_game_is_not_zero_sum_because_it_is_small() -> None:
    payoff = 1e-12 * np.array([[[3.0, 2.0], [0.0, 0.0]], [[0.0, 0.0], [2.0, 3.0]]])
    assert not compile_game(NormalForm(payoff)).two_player_zero_sum


@pytest.mark.parametrize(("unit", "dtype"), [(1e300, "float64"), (1e-300, "float64"),
                                             (1e19, "float32"), (1e-19, "float32")])  # fmt: skip
def test_payoffs_that_no_table_holds_are_refused(unit: float, dtype: str) -> None:
    with pytest.raises(ParameterError, match="out of the reach of " + dtype):
        cf.solve(matching(unit), dtype=dtype)


# Runs that cannot get any better.


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "pcfr+", "hs-pcfr+"])
def test_32_bits_stop_when_they_get_worse(method: str) -> None:
    """At their worst Kuhn's tables in 32 bits were 500 times worse than at their best."""
    found = cf.solve(cf.Kuhn(), method, Until(iterations=4_000_000), dtype="float32")
    best = min(report.exploitability for report in found.trace)
    assert found.stopped == "precision"
    assert found.iterations < 4_000_000
    assert found.exploitability < 50 * best
    assert "float32 tables have become too coarse" in found.promise
    assert "float64" in found.promise
    assert found.to_dict()["stopped"] == "precision"


def test_doubles_go_on() -> None:
    found = cf.solve(cf.Kuhn(), "cfr", Until(iterations=1_000_000))
    assert (found.stopped, found.iterations) == ("iterations", 1_000_000)
    assert "coarse" not in found.promise


def test_a_target_that_no_double_reaches_is_not_waited_for() -> None:
    found = cf.solve(matching(1e19), "pcfr+", Until(exploitability=1e-6))
    assert found.stopped == "precision"
    assert found.exploitability < 1e-10 * 1e19


def test_16_bits_stop_where_they_stand_still() -> None:
    found = solve(river(), until=Until(exploitability=1e-9), bits=16)
    assert found.stopped == "precision"
    assert "16-bit tables" in found.promise


def test_a_resumed_run_stops_where_the_other_does(tmp_path: Any) -> None:
    whole = cf.solve(cf.Kuhn(), "pcfr+", Until(iterations=100_000), dtype="float32")
    path = tmp_path / "run.safetensors"
    cf.solve(cf.Kuhn(), "pcfr+", Until(iterations=1000), dtype="float32", save=path)
    rest = cf.resume(path, Until(iterations=100_000))
    assert (rest.stopped, rest.iterations) == (whole.stopped, whole.iterations)
    assert rest.exploitability == whole.exploitability


def coarse(form: str, until: Until, **more: Any) -> Any:
    """A run whose tables in 32 bits become too coarse soon."""
    if form == "history":
        return cf.solve(cf.Kuhn(), "pcfr+", until, dtype="float32", **more)
    return solve(kuhn(), "pcfr+", until, dtype="float32", **more)


@pytest.mark.parametrize("form", ["history", "public"])
def test_a_run_that_became_too_coarse_ends_with_its_best_strategy(form: str, tmp_path: Any) -> None:
    path = tmp_path / "run"
    found = coarse(form, Until(iterations=1_000_000), save=path)
    assert found.stopped == "precision"
    checks = {report.iteration: report.exploitability for report in found.trace}
    assert found.iterations == max(checks)
    assert found.certified_at < found.iterations / 2
    assert found.exploitability == checks[found.certified_at]
    assert found.exploitability <= min(checks.values()) / 0.99
    assert checks[found.iterations] > 2 * found.exploitability
    assert f"The strategy is that of iteration {found.certified_at:,}." in found.promise
    for strategy in (found.strategy, Strategy.load(path)):
        measured = assess(strategy)
        assert measured.exploitability == found.exploitability
        assert tuple(measured.values) == found.values
        assert strategy.about["iteration"] == found.certified_at
        assert strategy.about["exploitability"] == found.exploitability
    again = resume(path, Until(iterations=1_000_000))
    assert (again.stopped, again.iterations) == ("precision", found.iterations)
    assert again.certified_at == found.certified_at
    assert assess(again.strategy).exploitability == found.exploitability


@pytest.mark.parametrize("form", ["history", "public"])
@pytest.mark.parametrize("after", [False, True])
def test_the_best_strategy_survives_a_checkpoint(form: str, after: bool, tmp_path: Any) -> None:
    """Saved on the way, with the best check in the past, and after a stop: bit for bit the same."""
    path = tmp_path / "run"
    whole = coarse(form, Until(iterations=1_000_000), save=tmp_path / "whole")
    middle = whole.iterations if after else 2 * whole.certified_at
    coarse(form, Until(iterations=middle), save=path)
    solver, trace = Solver.resume(path)
    assert solver.precision.best == (whole.certified_at, whole.exploitability)
    final, stopped = run_to(solver, Until(iterations=1_000_000), trace, path)
    assert (stopped, final.iteration) == ("precision", whole.certified_at)
    assert unsealed(path)[1].keys() == unsealed(tmp_path / "whole")[1].keys()
    for name, array in unsealed(tmp_path / "whole")[1].items():
        assert np.array_equal(unsealed(path)[1][name], array), name


def test_ordinary_runs_keep_no_second_strategy() -> None:
    for solver in (
        Solver(cf.Kuhn(), "cfr+"),
        Solver(cf.Kuhn(), "cfr+", "external", dtype="float32"),
        Solver(river()),
    ):
        for _ in solver.run(Until(iterations=150)):
            pass
        assert solver.precision.kept == ()


def run_of(*checks: float, dtype: str = "float32", falls: bool = True) -> Precision:
    run = Precision(dtype, 1.0, falls)
    for k, exploitability in enumerate(checks):
        run.note(1000 * 2**k, exploitability, partial(list, [np.array([exploitability])]))
    return run


def test_what_is_to_be_blamed_on_numbers() -> None:
    assert run_of(1e-6, 2e-6, 4e-6, 8e-6).verdict() == "worse"
    assert run_of(*[1e-6] * 6).verdict() == "no better"
    assert run_of(*[1e-6] * 4).verdict() is None  # too early: nothing much is lost
    assert run_of(1e-6, 2e-6, 4e-6, 8e-6, dtype="float64").verdict() is None
    assert run_of(1e-6, 2e-6, 4e-6, 8e-6, falls=False).verdict() is None
    assert run_of(0.1, 0.2, 0.4, 0.8).verdict() is None  # more than rounding can do
    assert run_of(4e-6, 3e-6, 2e-6, 1e-6).verdict() is None
    assert Precision("float32", 1.0, True).verdict() is None
    still = Report(8000, 0.0, 0.0, 0.0, exploitability=1e-6, verdict="no better")
    assert Until(exploitability=1e-9).reached_by(still) == "precision"
    assert Until(iterations=9000).reached_by(still) is None
    assert Until(iterations=9000).reached_by(replace(still, verdict="worse")) == "precision"
