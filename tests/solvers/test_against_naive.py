"""Every method, schedule and form against textbook CFR over the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import counterfold as cf
from counterfold.solvers.history_engine import HistoryEngine
from counterfold.solvers.sequence_engine import SequenceEngine
from tests import naive
from tests.random_games import WithoutTies, games, meeting_games, random_game
from tests.solvers.layout import flat, regrets, unflat

ITERATIONS = 7


def check(
    game: Any, method: str, alternating: bool, form: str = "auto", iterations: int = ITERATIONS
) -> cf.Solver:
    """Regrets, strategies and averages after some iterations equal the oracle's."""
    solver = cf.Solver(game, method, alternating=alternating, form=form)
    solver.step(iterations)
    slow = naive.Cfr(game, naive.RULES[method], alternating).run(iterations)
    tree, engine = solver.tree, solver.engine
    np.testing.assert_allclose(regrets(solver), flat(tree, slow.regret), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(engine.current(), flat(tree, slow.strategy), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(engine.average(), flat(tree, slow.average()), rtol=1e-8, atol=1e-8)
    if isinstance(engine, HistoryEngine):
        total = engine._tables.total
        np.testing.assert_allclose(total, flat(tree, slow.total), rtol=1e-9, atol=1e-9)
    return solver


def check_with_ties(
    game: Any, method: str, alternating: bool, form: str = "auto", iterations: int = ITERATIONS
) -> None:
    """The same step by step, for games where rounding decides between tied actions."""
    solver = cf.Solver(game, method, alternating=alternating, form=form)
    slow = naive.Cfr(game, naive.RULES[method], alternating)
    tree, engine = solver.tree, solver.engine
    for _ in range(iterations):
        solver.step()
        slow.step(unflat(tree, slow.strategy, engine.current()))
        np.testing.assert_allclose(regrets(solver), flat(tree, slow.regret), atol=1e-9)
        np.testing.assert_allclose(engine.current(), flat(tree, slow.strategy), atol=1e-6)
    np.testing.assert_allclose(engine.average(), flat(tree, slow.average()), atol=1e-6)


BOTH = pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])


@BOTH
@pytest.mark.parametrize("method", naive.RULES)
@settings(max_examples=12)
@given(game=games())
def test_random_games(method: str, alternating: bool, game: Any) -> None:
    fast = check(game, method, alternating)
    assert isinstance(fast.engine, SequenceEngine)
    assert isinstance(check(game, method, alternating, "history").engine, HistoryEngine)


@BOTH
@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "hs-pcfr+"])
@settings(max_examples=12)
@given(game=games(recall=False))
def test_imperfect_recall(method: str, alternating: bool, game: Any) -> None:
    check(game, method, alternating)


@pytest.mark.parametrize("recall", [True, False], ids=["recall", "no recall"])
@pytest.mark.parametrize("method", ["cfr", "linear", "pcfr+"])
def test_merged_histories_give_the_numbers_of_the_tree(method: str, recall: bool) -> None:
    met = []

    @settings(max_examples=25)
    @given(pair=meeting_games(recall=recall))
    def compare(pair: Any) -> None:
        apart, merged = pair
        trees = cf.compile_game(apart), cf.compile_game(merged)
        assert trees[1].histories <= trees[0].histories
        met.append(trees[1].histories < trees[0].histories)
        for alternating in (True, False):
            for game in pair:
                check_with_ties(game, method, alternating)
            check_with_ties(merged, method, alternating, "history")
        assert trees[0].infosets.labels == trees[1].infosets.labels
        for seed in range(2):
            one = cf.Strategy.random(trees[0], seed)
            same = cf.Strategy.of(trees[1], one.probabilities)
            np.testing.assert_allclose(cf.values(one), cf.values(same), atol=1e-12)
            np.testing.assert_allclose(cf.nash_conv(one), cf.nash_conv(same), atol=1e-12)

    compare()
    assert sum(met) > len(met) / 2


@pytest.mark.parametrize("form", ["auto", "history"])
@BOTH
@pytest.mark.parametrize("method", naive.RULES)
def test_kuhn(method: str, alternating: bool, form: str) -> None:
    check(WithoutTies(cf.Kuhn()), method, alternating, form, 30)
    check_with_ties(cf.Kuhn(), method, alternating, form, 30)


@pytest.mark.parametrize("form", ["auto", "history"])
@BOTH
@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "hs-pcfr+"])
def test_three_player_kuhn(method: str, alternating: bool, form: str) -> None:
    check(WithoutTies(cf.Kuhn(players=3)), method, alternating, form, 4)
    check_with_ties(cf.Kuhn(players=3), method, alternating, form, 4)


@pytest.mark.parametrize("form", ["auto", "history"])
@BOTH
@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "hs-pcfr+"])
def test_small_leduc(method: str, alternating: bool, form: str) -> None:
    check(WithoutTies(cf.Leduc(ranks=2, max_raises=1)), method, alternating, form)


@pytest.mark.pure
@BOTH
@pytest.mark.parametrize("method", naive.RULES)
def test_a_few_of_each_kind(method: str, alternating: bool) -> None:
    """A sample of the above, small enough for kernels that run as plain Python."""
    check(WithoutTies(cf.Kuhn()), method, alternating, iterations=4)
    for players in (1, 2, 3, 4):
        for form in ("auto", "history"):
            check(random_game(players, players), method, alternating, form, 4)
        check(random_game(players, players, recall=False), method, alternating, iterations=4)


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "hs-pcfr+"])
@pytest.mark.parametrize("form", ["auto", "history"])
def test_single_precision_is_close(method: str, form: str) -> None:
    """Regret matching is not continuous, so only games without ties are compared closely."""
    small = (
        WithoutTies(cf.Kuhn()),
        WithoutTies(cf.Leduc(ranks=2, max_raises=1)),
        random_game(3, 3),
    )
    for game in small:
        runs = []
        for dtype in ("float64", "float32"):
            solver = cf.Solver(game, method, form=form, dtype=dtype)
            assert solver.engine._tables.regret.dtype == dtype
            solver.step(ITERATIONS)
            runs.append((regrets(solver), solver.engine.current(), solver.engine.average()))
        for double, single in zip(*runs, strict=True):
            np.testing.assert_allclose(single, double, atol=2e-3)


def test_linear_cfr_weighs_iteration_t_by_t() -> None:
    """DCFR(1, 1, 1) is the sum of t x regret and of t x strategy, up to the scale t."""
    game = cf.Kuhn()
    solver = cf.Solver(game, "linear", alternating=False)
    weighted = strategies = 0.0
    for t in range(1, 20):
        profile = solver.engine.current()
        strategy = unflat(solver.tree, naive.uniform(game), profile)
        regret, reach = {}, {}
        for player in range(2):
            new, own = naive.regrets_and_reach(game, strategy, player)
            regret |= new
            reach |= own
        weighted = weighted + t * flat(solver.tree, regret)
        strategies = strategies + t * flat(solver.tree, reach)
        solver.step()
        np.testing.assert_allclose(regrets(solver) * t, weighted, atol=1e-10)
    average = naive_average(solver.tree, strategies)
    np.testing.assert_allclose(solver.engine.average(), average, atol=1e-10)


def naive_average(tree: Any, total: np.ndarray) -> np.ndarray:
    start = tree.infosets.start.astype(int)
    parts = np.split(total, start[1:-1])
    return np.concatenate([naive.to_one(part.tolist()) for part in parts])
