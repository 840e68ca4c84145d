"""Poker from a game to a certificate: values, units, sizes told ahead, Ctrl-C and going on."""

import signal
from dataclasses import replace

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError, TreeTooLargeError, UnsupportedError
from counterfold.evaluate.public import assess_public
from counterfold.poker.holdem import fhp, kuhn, leduc
from counterfold.solve.poker import (
    chips_of,
    poker_spec,
    poker_until,
    resume_poker,
    root_frequencies,
    solve_poker,
)
from counterfold.solve.poker_size import poker_size, size_of
from counterfold.solve.public import PublicSolver
from counterfold.strategy.public import read_public
from tests.naive_poker import NaivePoker, tiny_flop, tiny_turn

RIVER = {
    "board": "Ks 9h 6s 4d 2c", "pot": 200, "stack": 300, "oop": "AA,KQs,QQ,76s",
    "ip": "KJs,TT-88,A5s:0.5", "bets": ["50%", "allin"], "raises": ["allin"], "big_blind": 10,
}  # fmt: skip


def river(**more):
    return cf.spot({**RIVER, **more}, name="river")


def test_a_spot_is_worth_what_the_history_form_says():
    game = river()
    result = solve_poker(game, until=cf.Until(exploitability=1e-3), dtype="float64")
    exact = cf.solve(cf.compile_game(NaivePoker(game)), until=cf.Until(exploitability=1e-4))
    assert result.stopped == "exploitability"
    assert result.value == pytest.approx(exact.value, abs=2.2e-3)
    assert sum(result.evs) == pytest.approx(200, abs=1e-6)
    assert result.evs[0] == pytest.approx(100 + result.value)
    assert result.percent_of_pot == pytest.approx(result.exploitability / 2)
    assert result.mbb == pytest.approx(result.exploitability * 100)
    assert result.exploitability == pytest.approx(sum(result.nash_conv) / 2)
    found = assess_public(result.strategy)
    assert found.exploitability == pytest.approx(result.exploitability, rel=0.02)


def test_first_actions_are_weighed_by_the_hands_that_can_be_met():
    game = river()
    strategy = solve_poker(game, until=cf.Until(iterations=30)).strategy
    cards = game.rules.cards
    played, total = strategy.at(0), np.zeros(3)
    for one in np.flatnonzero(game.ranges[0]):
        for two in np.flatnonzero(game.ranges[1]):
            if not set(cards[one]) & set(cards[two]):
                total += game.ranges[0][one] * game.ranges[1][two] * played[:, one]
    found = root_frequencies(strategy)
    assert list(found) == ["check", "bet 100", "all-in 300"]
    assert list(found.values()) == pytest.approx((total / total.sum()).tolist())


def test_units_of_exploitability():
    game = river()
    assert chips_of(game, "0.5%") == pytest.approx(1.0)
    assert chips_of(game, "2 mbb/h") == pytest.approx(0.02)
    assert chips_of(game, 3) == 3
    assert poker_until(game).exploitability == pytest.approx(0.6)
    assert poker_until(fhp(deck="QKA")).exploitability == pytest.approx(0.002)
    assert poker_until(kuhn()).exploitability == 1e-6
    for amount in ("0%", "-1%", "nan", "1 pot", ""):
        with pytest.raises(ParameterError, match="no exploitability"):
            chips_of(game, amount)
    with pytest.raises(ParameterError, match="without a pot"):
        chips_of(kuhn(), "1%")
    with pytest.raises(ParameterError, match="big blind"):
        chips_of(replace(game, big_blind=None), "1mbb")


@pytest.mark.parametrize("game", [river(), tiny_turn(), leduc(), fhp(cap=2, deck="QKA")])
def test_the_size_told_ahead_is_that_of_the_tree(game):
    tree = cf.PublicTree(game)
    told = poker_size(game)
    assert told == size_of(tree)
    assert told.bytes == tree.table_bytes()
    assert told.boards == len(tree.boards)
    solver = PublicSolver(tree)
    assert told.bytes == sum(t.regret.nbytes + t.total.nbytes for t in solver.tables)
    half = PublicSolver(tree, bits=16)
    assert told.half == sum(t.regret.nbytes + t.total.nbytes for t in half.tables)
    three = PublicSolver(tree, "pcfr+")
    size = sum(t.regret.nbytes + t.total.nbytes for t in three.tables)
    assert size + sum(extra.last.nbytes for extra in three.extras) == size_of(tree, "pcfr+").bytes


def test_histories_are_those_of_the_history_form():
    # The naive form has a chance node before each hand that is dealt.
    for game in (kuhn(), leduc(), tiny_turn(), tiny_flop()):
        naive = NaivePoker(game)
        before = 1 + sum(1 for hand in naive.chance(naive.root()))
        assert poker_size(game).histories + before == cf.measure(naive).histories


def test_what_does_not_fit_is_refused_with_what_would():
    game = river()
    need = poker_size(game)
    with pytest.raises(TreeTooLargeError, match=r"in 16 bits it takes .* which fits"):
        solve_poker(game, memory=need.half)
    with pytest.raises(TreeTooLargeError, match="fewer bet sizes"):
        solve_poker(game, memory=need.half - 1)
    heard = []
    result = solve_poker(
        game, memory=need.half, bits=16, on_size=heard.append, until=cf.Until(iterations=3)
    )
    assert [size.bytes for size in heard] == [need.half] == [result.memory]


@pytest.mark.usefixtures("heeded_signals")
def test_ctrl_c_keeps_the_work_and_going_on_changes_no_bit(tmp_path):
    game = river()

    def press(report):
        if report.iteration == 9:
            signal.raise_signal(signal.SIGINT)

    cut = solve_poker(game, until=cf.Until(iterations=40), rescue=tmp_path / "cut", on_report=press)
    assert cut.stopped == "interrupted"
    assert 9 <= cut.iterations < 40
    rest = resume_poker(tmp_path / "cut", cf.Until(iterations=40))
    whole = solve_poker(game, until=cf.Until(iterations=40), save=tmp_path / "whole", every=15)
    assert rest.exploitability == whole.exploitability
    assert rest.iterations == whole.iterations == 40
    assert [r.iteration for r in rest.trace] == [r.iteration for r in whole.trace]
    for one, two in zip(
        rest.strategy.tables, read_public(tmp_path / "whole")[0].tables, strict=True
    ):
        assert np.array_equal(one, two)


def test_promises_and_names():
    assert "zero-sum: the average" in solve_poker(river(), until=cf.Until(iterations=1)).promise
    raked = river(rake={"rate": 0.05, "cap": 20})
    assert "rake" in solve_poker(raked, until=cf.Until(iterations=1)).promise
    assert poker_spec(leduc(raises=(1, 2))) == "leduc(raises=1+2)"
    assert poker_spec(river()) == "river"
    document = solve_poker(river(), until=cf.Until(iterations=2)).to_dict()
    wanted = "game method iterations value exploitability histories infosets seconds cpu_seconds"
    assert set(wanted.split()) | {"percent_of_pot", "mbb", "memory"} <= set(document)


def test_a_solver_that_is_ready_is_run_as_it_is():
    solver = PublicSolver(kuhn(), "cfr+", dtype="float64")
    result = solve_poker(solver, until=cf.Until(iterations=500))
    assert result.method == "cfr+"
    assert result.value == pytest.approx(-1 / 18, abs=1e-3)
    with pytest.raises(ParameterError, match="has its method"):
        solve_poker(solver, "dcfr")
    with pytest.raises(UnsupportedError, match="history form"):
        solve_poker(kuhn(), "lp")
    with pytest.raises(ParameterError, match="checkpoints need a file"):
        solve_poker(kuhn(), every=3)
