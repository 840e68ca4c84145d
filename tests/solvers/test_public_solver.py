"""Vector CFR against CFR over histories: every method on many games, threads and 16 bits."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.poker import holdem
from counterfold.solvers.lp import solve_lp
from counterfold.solvers.methods import METHODS
from counterfold.solvers.result import solve
from counterfold.solvers.solver import Solver, is_check
from counterfold.solvers.until import Until
from counterfold.tree import public_nodes, traversal
from counterfold.tree.public import PublicTree
from tests import naive, naive_poker
from tests.naive_poker import NaivePoker
from tests.public_layout import BothForms, both_forms, close, random_poker, without_ties
from tests.solvers.layout import regrets, rows


def check(both: BothForms, method: str, iterations: int, begun: bool = True, **how: Any) -> Solver:
    """Regrets, averages, values and gains after some iterations are those of the history."""
    public = Solver(both.tree, method, dtype="float64", **({"threads": 1} | how))
    history = cf.Solver(both.history, method, alternating=how.get("alternating", True))
    if begun:
        both.begin(public, history)
    public.step(iterations)
    history.step(iterations)
    close(both.regrets(public), regrets(history))
    close(both.average(public), history.probabilities(), 1e-8)
    for p, row, column in both.absent:
        assert abs(public.engine.learning[p].regret[row, column]) < 1e-12
    found, wanted = public.assess(), history.assess()
    np.testing.assert_allclose(found.values, wanted.values, atol=1e-9)
    np.testing.assert_allclose(found.gains, wanted.gains, atol=1e-9)
    assert found.exploitability == pytest.approx(wanted.exploitability, abs=1e-9)
    return public


def test_there_is_a_poker_method_for_every_method() -> None:
    assert set(METHODS) <= set(naive.RULES)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["kuhn", "leduc", "river"])
def test_from_the_first_iteration_on(name: str, method: str) -> None:
    check(both_forms(name), method, 25, begun=False)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["turn", "flop", "alike flop", "fhp", "alike fhp"])
def test_cut_down_holdem(name: str, method: str) -> None:
    check(both_forms(name), method, 6)


@pytest.mark.parametrize("method", METHODS)
def test_simultaneous_updates(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one piece, and with boards cut into tasks for threads."""
    check(both_forms("leduc"), method, 12, begun=False, alternating=False)
    check(both_forms("turn"), method, 6, alternating=False)
    monkeypatch.setattr(traversal, "SMALL", 0)
    check(both_forms("leduc"), method, 12, begun=False, alternating=False, threads=2)


def test_the_cut_down_games_are_what_they_should_be() -> None:
    """Uneven weights, hands that nobody can meet, boards that stand for others."""
    assert both_forms("flop").absent
    assert both_forms("turn").told.all()
    for name in ("alike flop", "alike fhp"):
        both = both_forms(name)
        assert len(both.tree.boards[0].renamings) > 1
        assert both.told.mean() < 0.7
        assert max(hands.size.max() for hands in both.tree.hands[0]) > 1
        assert len(np.unique(both.poker.ranges[0])) > 3


@pytest.mark.parametrize("seed", range(24))
def test_random_games(seed: int) -> None:
    both = BothForms(without_ties(random_poker(seed), seed))
    check(both, list(METHODS)[seed % len(METHODS)], 3)


@pytest.mark.pure
@pytest.mark.parametrize("seed", [0, 1, 12, 14])
def test_a_few_random_games(seed: int) -> None:
    both = BothForms(without_ties(random_poker(seed), seed))
    check(both, ["dcfr", "pcfr+"][seed % 2], 2)


@pytest.mark.pure
@pytest.mark.parametrize("method", METHODS)
def test_kuhn_in_a_few_steps(method: str) -> None:
    check(both_forms("kuhn"), method, 4, begun=False)


@pytest.mark.parametrize("method", METHODS)
def test_leduc_itself(method: str) -> None:
    """The very games of the catalogue: suits told apart, and merged, where a rank's regret is the
    sum over its suits."""
    both = _leduc()
    public = Solver(both.tree, method, dtype="float64", threads=1)
    suited, merged = cf.Solver(cf.Leduc(suited=True), method), cf.Solver(cf.Leduc(), method)
    for solver in (public, suited, merged):
        solver.step(8)
    found, ours = both.regrets(public), rows(both.history)
    wanted, theirs = regrets(suited), rows(suited.tree)
    assert set(ours) == set(theirs)
    together: dict[Any, Any] = {}
    for name, at in ours.items():
        close(found[at], wanted[theirs[name]])
        plain = name[0], name[1].replace("h", "").replace("s", "")
        together[plain] = together.get(plain, 0.0) + found[at]
    wanted, theirs = regrets(merged), rows(merged.tree)
    known = {(p, n.replace("h", "").replace("s", "")): at for (p, n), at in theirs.items()}
    assert set(together) == set(known)
    for name, numbers in together.items():
        close(numbers, wanted[known[name]])
    for solver in (suited, merged):
        one, two = public.assess(), solver.assess()
        np.testing.assert_allclose(one.values, two.values, atol=1e-9)
        np.testing.assert_allclose(one.gains, two.gains, atol=1e-9)


@lru_cache(None)
def _leduc() -> BothForms:
    return BothForms(holdem.leduc())


def test_kuhn_itself() -> None:
    """Its regrets tie, so that rounding decides early on; these methods come out the same."""
    both = BothForms(holdem.kuhn())
    for method in ("cfr", "cfr+", "dcfr+", "pcfr+", "pdcfr+", "hs-pcfr+"):
        public = Solver(both.tree, method, dtype="float64")
        known = cf.Solver(cf.Kuhn(), method)
        public.step(12)
        known.step(12)
        close(both.regrets(public), regrets(known))
        assert public.exploitability() == pytest.approx(known.exploitability(), abs=1e-12)
    for method in METHODS:
        public = Solver(both.tree, method, dtype="float64")
        public.step(2000)
        assert public.assess().values[0] == pytest.approx(-1 / 18, abs=2e-3)
        assert public.exploitability() < 3e-3


@pytest.mark.parametrize("game", [naive_poker.tiny_river, naive_poker.tiny_turn])
def test_the_value_is_that_of_the_linear_program(game: Any) -> None:
    plain = game()
    value = solve_lp(cf.compile_game(NaivePoker(plain))).value
    solver = Solver(plain, "dcfr", dtype="float64", threads=1)
    solver.step(400)
    found = solver.assess()
    assert found.exploitability < 5e-3
    assert found.best[0] >= value - 1e-9
    assert -found.best[1] <= value + 1e-9
    assert found.values[0] == pytest.approx(value, abs=2 * found.exploitability)


@pytest.mark.parametrize("method", ["cfr+", "dcfr", "sapcfr+"])
def test_the_last_iterate(method: str) -> None:
    both = both_forms("leduc")
    public = Solver(both.tree, method, dtype="float64", threads=1, average=False)
    history = cf.Solver(both.history, method, average=False)
    public.step(9)
    history.step(9)
    np.testing.assert_allclose(public.assess().values, history.assess().values, atol=1e-9)
    np.testing.assert_allclose(public.assess().gains, history.assess().gains, atol=1e-9)


def test_steps_may_be_cut_anywhere() -> None:
    for name in ("river", "turn"):
        one, two = (Solver(both_forms(name).tree, dtype="float64") for _ in range(2))
        one.step(9)
        for count in (1, 0, 5, 3):
            two.step(count)
        for p in (0, 1):
            assert np.array_equal(one.engine.learning[p].regret, two.engine.learning[p].regret)
            assert np.array_equal(one.engine.learning[p].total, two.engine.learning[p].total)
        assert two.iteration == 9


@pytest.mark.parametrize(
    ("bits", "dtype", "method"),
    [(32, "float32", "dcfr"), (16, "float32", "dcfr"), (32, "float64", "pcfr+")],
)
def test_threads_change_no_bit(bits: int, dtype: str, method: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(traversal, "SMALL", 0)
    made = []
    for threads in (1, 2, 3):
        solver = Solver(both_forms("fhp").tree, method, dtype=dtype, bits=bits, threads=threads)
        assert len(solver.engine.traversal.tasks) > 2
        solver.step(5)
        made.append((solver, solver.assess()))
    one, found = made[0]
    for other, again in made[1:]:
        for p in (0, 1):
            assert one.engine.learning[p].regret.any()
            assert np.array_equal(one.engine.learning[p].regret, other.engine.learning[p].regret)
            assert np.array_equal(one.engine.learning[p].total, other.engine.learning[p].total)
        assert found == again


@pytest.mark.parametrize("name", ["turn", "flop", "alike flop", "alike fhp"])
def test_boards_walked_in_parts_give_the_same(name: str, monkeypatch: Any) -> None:
    """Small trees are walked over in one call, large ones in tasks."""
    monkeypatch.setattr(traversal, "SMALL", 0)
    assert check(both_forms(name), "dcfr", 4).engine.traversal.tasks
    monkeypatch.setattr(public_nodes, "CHUNK", 1)
    both = copy(both_forms(name))
    both.tree = PublicTree(both.poker, symmetry=both.tree.symmetry)
    assert len(both.tree.nodes.chunk) > both.tree.nodes.streets + 2
    check(both, "pcfr+", 4)


def test_sixteen_bits_are_nearly_as_good() -> None:
    poker = naive_poker.tiny_turn()
    for iterations in (30, 150):
        whole, packed = (Solver(poker, "dcfr", bits=bits) for bits in (32, 16))
        for solver in (whole, packed):
            solver.step(iterations)
        assert packed.engine.learning[0].regret.dtype == np.int16
        assert packed.engine.learning[0].total.dtype == np.uint16
        wanted, found = whole.assess(), packed.assess()
        np.testing.assert_allclose(found.values, wanted.values, atol=0.02)
        assert wanted.exploitability > 0.001
        assert found.exploitability < 1.5 * wanted.exploitability + 0.003


def test_a_forced_move() -> None:
    """After a call the big blind can only check, where nobody may raise."""
    both = BothForms(without_ties(naive_poker.tiny_fhp(cap=1)))
    assert (both.poker.betting.count == 1).any()
    check(both, "cfr+", 4, begun=False)


def test_single_precision_is_close() -> None:
    both = both_forms("leduc")
    runs = [Solver(both.tree, "dcfr", dtype=dtype) for dtype in ("float32", "float64")]
    for solver in runs:
        solver.step(6)
    close(both.regrets(runs[0]), both.regrets(runs[1]), 1e-4)
    assert runs[0].exploitability() == pytest.approx(runs[1].exploitability(), abs=1e-4)


def test_a_run_ends_where_it_should_and_reports() -> None:
    solver = Solver(holdem.leduc(), "dcfr", dtype="float64", threads=1)
    reports = list(solver.run(Until(exploitability=0.01, iterations=5000)))
    last = reports[-1]
    assert last.exploitability is not None
    assert last.exploitability <= 0.01
    assert last.values is not None
    assert last.values[0] == pytest.approx(-0.0856064, abs=0.02)
    assert last.iteration == solver.iteration < 5000
    assert last.exploitability == pytest.approx(solver.exploitability())


def test_checks_are_made_where_they_may_find_the_target_reached() -> None:
    """A check is dearer than an iteration, so most of those far from the target are left out."""
    until = Until(exploitability=1e-3)
    made = [
        (report.iteration, report.exploitability)
        for report in Solver(holdem.leduc(), "dcfr", dtype="float64").run(until)
        if report.exploitability is not None
    ]
    at = [iteration for iteration, _ in made]
    assert all(is_check(iteration) for iteration in at)
    assert len(at) < 0.6 * sum(is_check(iteration) for iteration in range(1, at[-1] + 1))
    for (before, far), (after, _) in pairwise(made):
        skipped = [t for t in range(before + 1, after) if is_check(t)]
        assert all(t < 2 * before and far * (before / t) ** 2 > 1e-3 for t in skipped)
    assert made[-1][1] <= 1e-3 < made[-2][1]


def test_what_cannot_be() -> None:
    with pytest.raises(ParameterError, match="16 or 32 bits"):
        Solver(holdem.kuhn(), bits=8)
    with pytest.raises(ParameterError, match="float64 or float32"):
        Solver(holdem.kuhn(), dtype="int8")
    with pytest.raises(ParameterError, match="threads"):
        Solver(holdem.kuhn(), threads=0)
    with pytest.raises(ParameterError, match="negative"):
        Solver(holdem.kuhn(), dtype="float64").step(-1)
    with pytest.raises(TreeTooLargeError, match=r"leduc needs 0\.0 MB .*16 bits"):
        solve(holdem.leduc(), memory=1000)
    apart = np.zeros(52)
    apart[holdem.kuhn().rules.deck[0]] = 1.0
    with pytest.raises(ParameterError, match="no two hands"):
        Solver(replace(holdem.kuhn(), ranges=(apart, apart)))
