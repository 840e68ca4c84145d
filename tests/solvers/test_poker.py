"""Poker from a game to a certificate: values, units, sizes told ahead, Ctrl-C and going on."""

import signal
from dataclasses import replace

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError, TreeTooLargeError, UnsupportedError
from counterfold.evaluate.exact import assess
from counterfold.poker.holdem import fhp, kuhn, leduc
from counterfold.solvers.result import resume, root_frequencies, solve, table_size
from counterfold.solvers.run import Saving
from counterfold.solvers.settings import defaults_of
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public_size import public_size, size_of
from tests.naive_poker import NaivePoker, tiny_flop, tiny_turn

RIVER = {
    "board": "Ks 9h 6s 4d 2c", "pot": 200, "stack": 300, "oop": "AA,KQs,QQ,76s",
    "ip": "KJs,TT-88,A5s:0.5", "bets": ["50%", "allin"], "raises": ["allin"], "big_blind": 10,
}  # fmt: skip


def river(**more):
    return cf.spot({**RIVER, **more}, name="river")


def test_a_spot_is_worth_what_the_history_form_says():
    game = river()
    result = solve(game, until=cf.Until(exploitability=1e-3), dtype="float64")
    exact = cf.solve(cf.compile_game(NaivePoker(game)), until=cf.Until(exploitability=1e-4))
    assert result.stopped == "exploitability"
    assert result.value == pytest.approx(exact.value, abs=2.2e-3)
    assert sum(result.poker.evs) == pytest.approx(200, abs=1e-6)
    assert result.poker.evs[0] == pytest.approx(100 + result.value)
    assert result.poker.percent_of_pot == pytest.approx(result.exploitability / 2)
    assert result.poker.mbb == pytest.approx(result.exploitability * 100)
    assert result.exploitability == pytest.approx(sum(result.nash_conv) / 2)
    found = assess(result.strategy)
    assert found.exploitability == pytest.approx(result.exploitability, rel=0.02)


def test_first_actions_are_weighed_by_the_hands_that_can_be_met():
    game = river()
    strategy = solve(game, until=cf.Until(iterations=30)).strategy
    cards = game.rules.cards
    played, total = strategy.hands.at(0), np.zeros(3)
    for one in np.flatnonzero(game.ranges[0]):
        for two in np.flatnonzero(game.ranges[1]):
            if not set(cards[one]) & set(cards[two]):
                total += game.ranges[0][one] * game.ranges[1][two] * played[:, one]
    found = root_frequencies(strategy)
    assert list(found) == ["check", "bet 100", "all-in 300"]
    assert list(found.values()) == pytest.approx((total / total.sum()).tolist())


def test_units_of_exploitability():
    game = river()
    assert game.units.chips("0.5%") == pytest.approx(1.0)
    assert game.units.chips("2 mbb/h") == pytest.approx(0.02)
    assert game.units.chips(3) == 3
    assert defaults_of(game).until.exploitability == pytest.approx(0.6)
    assert defaults_of(fhp(deck="QKA")).until.exploitability == pytest.approx(0.002)
    assert defaults_of(kuhn()).until.exploitability == 1e-6
    for amount in ("0%", "-1%", "nan", "1 pot", ""):
        with pytest.raises(ParameterError, match="no exploitability"):
            game.units.chips(amount)
    with pytest.raises(ParameterError, match="neither"):
        kuhn().units.chips("1%")
    with pytest.raises(ParameterError, match="big blind"):
        replace(game, big_blind=None).units.chips("1mbb")


@pytest.mark.parametrize("game", [river(), tiny_turn(), leduc(), fhp(cap=2, deck="QKA")])
def test_the_size_told_ahead_is_that_of_the_tree(game):
    tree = cf.PublicTree(game)
    told = public_size(game)
    assert told == size_of(tree)
    assert told.bytes == tree.table_bytes()
    assert told.boards == len(tree.boards)
    solver = Solver(tree, "dcfr", dtype="float32")
    assert told.bytes == sum(t.regret.nbytes + t.total.nbytes for t in solver.engine.learning)
    half = Solver(tree, "dcfr", dtype="float32", bits=16)
    assert told.half == sum(t.regret.nbytes + t.total.nbytes for t in half.engine.learning)
    three = Solver(tree, "pcfr+", dtype="float32")
    size = sum(t.regret.nbytes + t.total.nbytes for t in three.engine.learning)
    assert (
        size + sum(extra.last.nbytes for extra in three.engine.extras)
        == size_of(tree, predictive=True).bytes
    )


def test_histories_are_those_of_the_history_form():
    # The naive form has a chance node before each hand that is dealt.
    for game in (kuhn(), leduc(), tiny_turn(), tiny_flop()):
        naive = NaivePoker(game)
        before = 1 + sum(1 for hand in naive.chance(naive.root()))
        assert public_size(game).histories + before == cf.measure(naive).histories


def test_what_does_not_fit_is_refused_with_what_would():
    game = river()
    need = public_size(game)
    with pytest.raises(TreeTooLargeError, match=r"in 16 bits it takes .* which fits"):
        solve(game, memory=need.half)
    with pytest.raises(TreeTooLargeError, match="fewer bet sizes"):
        solve(game, memory=need.half - 1)
    result = solve(game, memory=need.half, bits=16, until=cf.Until(iterations=3))
    told = table_size(game, settings={"bits": 16}).bytes
    assert told == need.half == result.poker.memory


@pytest.mark.usefixtures("heeded_signals")
def test_ctrl_c_keeps_the_work_and_going_on_changes_no_bit(tmp_path):
    game = river()

    def press(report):
        if report.iteration == 9:
            signal.raise_signal(signal.SIGINT)

    cut = solve(
        game, until=cf.Until(iterations=40), save=Saving(rescue=tmp_path / "cut"), on_report=press
    )
    assert cut.stopped == "interrupted"
    assert 9 <= cut.iterations < 40
    rest = resume(tmp_path / "cut", cf.Until(iterations=40))
    whole = solve(game, until=cf.Until(iterations=40), save=tmp_path / "whole", every=15)
    assert rest.exploitability == whole.exploitability
    assert rest.iterations == whole.iterations == 40
    assert [r.iteration for r in rest.trace] == [r.iteration for r in whole.trace]
    for one, two in zip(
        rest.strategy.tables, Strategy.load(tmp_path / "whole").tables, strict=True
    ):
        assert np.array_equal(one, two)


def test_promises_and_names():
    assert "zero-sum: the average" in solve(river(), until=cf.Until(iterations=1)).promise
    raked = river(rake={"rate": 0.05, "cap": 20})
    assert "rake" in solve(raked, until=cf.Until(iterations=1)).promise
    assert leduc(raises=(1, 2)).spec == "leduc(raises=1+2)"
    assert river().spec == "river"
    document = solve(river(), until=cf.Until(iterations=2)).to_dict()
    wanted = "game method iterations value exploitability histories infosets seconds cpu_seconds"
    assert set(wanted.split()) | {"percent_of_pot", "mbb", "memory"} <= set(document)


def test_a_solver_that_is_ready_is_run_as_it_is():
    solver = Solver(kuhn(), "cfr+", dtype="float64")
    result = solve(solver, until=cf.Until(iterations=500))
    assert result.method == "cfr+"
    assert result.value == pytest.approx(-1 / 18, abs=1e-3)
    with pytest.raises(ParameterError, match="has its method"):
        solve(solver, "dcfr")
    with pytest.raises(UnsupportedError, match="history form"):
        solve(kuhn(), "lp")
    with pytest.raises(ParameterError, match="checkpoints need a file"):
        solve(kuhn(), every=3)
