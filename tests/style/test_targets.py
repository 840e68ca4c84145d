"""Targets against the exact optimum, the evaluator, and what cannot be had."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.buckets import every_hand
from counterfold.abstraction.horizon_form import HorizonForm
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.poker.holdem import kuhn
from counterfold.solvers.conditions import Conditions
from counterfold.style import targets as module
from counterfold.style.frequency import Frequency
from counterfold.style.targets import Meeting, Stage, meet
from counterfold.tree.sequence import sequence_form
from tests.random_games import random_game

KUHN = cf.compile_game(cf.Kuhn())
LEDUC = cf.compile_game(cf.Leduc())


def check(found: Meeting, tolerance: float = 0.01) -> None:
    """What a meeting says of itself is so, and is near the exact optimum."""
    assert found.met
    assert cf.exploitability(found.strategy) == pytest.approx(found.exploitability, abs=1e-12)
    assert cf.exploitability(found.plain) == found.plain_exploitability
    for one in found.targets:
        assert one.frequency.of(found.strategy) == one.reached
        assert abs(one.reached - one.wanted) < tolerance
    found.style.check(found.strategy.tree)
    assert found.optimum is not None
    assert found.optimum == pytest.approx(sum(found.optima.values()) / 2)
    assert found.exploitability < max(2 * found.optimum, found.optimum + 0.005)
    # Nobody has the wanted frequencies for less; small errors may be paid back.
    assert found.exploitability > found.optimum - 0.5 * max(abs(m.error) for m in found.targets)


@pytest.mark.parametrize("share", [0, 0.1, 0.2, 0.3, 1 / 3])
def test_every_equilibrium_of_kuhn(share: float) -> None:
    found = meet(KUHN, {"bet@J": share}, give_up=0.0)
    check(found, tolerance=0.001)
    assert found.exploitability < 2e-4
    assert found.cost < 2e-4
    # The rest of the equilibrium comes along: three times as many bets with the king.
    assert found.strategy.at("K")["bet"] == pytest.approx(3 * share, abs=0.01)


@pytest.mark.parametrize(("share", "budget"), [(0.35, 0.004), (0.5, 0.03), (0.9, 0.1)])
def test_beyond_equilibria_at_the_optimum(share: float, budget: float) -> None:
    found = meet(KUHN, {"bet@J": share}, give_up=budget)
    check(found, tolerance=0.001)
    assert found.exploitability <= budget
    assert found.exploitability == pytest.approx(found.optimum, abs=2e-4)


@pytest.mark.parametrize(
    ("text", "share", "budget"),
    [
        ("bet@round1", 0.25, 0.007),
        ("bet@round1", 0.6, 0.005),
        ("bet@round1", 0.7, 0.025),
        ("raise@round1", 0.05, 0.003),
        ("raise@round1", 0.3, 0.007),
        ("raise@round1", 0.5, 0.03),
        ("player2:bet@round1", 0.7, 0.005),
        ("bet", 0.5, 0.008),
    ],
)
def test_leduc(text: str, share: float, budget: float) -> None:
    found = meet(LEDUC, {text: share}, give_up=budget, iterations=20_000)
    check(found, tolerance=0.005)
    assert found.exploitability <= budget


@pytest.mark.parametrize(
    ("tree", "targets", "budget"),
    [
        (KUHN, {"bet@J": 0.2, "call@Q | check bet": 0.2 + 1 / 3}, 0.0),
        (KUHN, {"bet@J": 0.3, "bet@Q": 0.2}, 0.007),
        (KUHN, {"bet@J": 0.4, "player2:call@Q | bet": 0.5}, 0.03),
        (LEDUC, {"bet@round1": 0.6, "raise@round1": 0.25}, 0.008),
        (LEDUC, {"bet@round1": 0.4, "player2:raise@round1": 0.4}, 0.006),
    ],
)
def test_several_at_once(tree: cf.HistoryTree, targets: dict[str, float], budget: float) -> None:
    found = meet(tree, targets, give_up=budget, iterations=10_000)
    check(found, tolerance=0.005)
    assert [one.wanted for one in found.targets] == list(targets.values())
    assert found.exploitability <= max(budget, 2e-4)


def test_other_seats_keep_their_plain_part() -> None:
    found = meet(KUHN, {"bet@J": 0.5}, give_up=0.03, iterations=2000)
    other = KUHN.infosets.owner[np.repeat(np.arange(12), KUHN.infosets.sizes)] == 1
    assert np.array_equal(found.strategy.probabilities[other], found.plain.probabilities[other])


@pytest.mark.parametrize("name", ["cfr", "cfr+", "dcfr", "hs-pcfr+"])
def test_other_methods(name: str) -> None:
    found = meet(KUHN, {"bet@J": 0.4}, give_up=0.02, method=name, iterations=5000)
    check(found, tolerance=0.005)
    assert found.method == name


def test_the_style_makes_the_strategy_by_itself() -> None:
    found = meet(KUHN, {"bet@J": 0.4}, give_up=0.02)
    again = cf.solve(KUHN, until=cf.Until(iterations=5000), style=found.style)
    assert again.strategy.at("J")["bet"] == pytest.approx(0.4, abs=0.005)
    (line,) = found.description
    assert line.startswith("player 1 at J: check 1.5 to bet 1; give up 0.1")


def test_reports_and_repetition() -> None:
    seen: list[Stage] = []
    targets = {Frequency.parse("bet@J"): 0.25}
    found = meet(cf.Kuhn(), targets, iterations=777, on_report=seen.append)
    assert found.trace == tuple(seen)
    assert [stage.iteration for stage in seen] == sorted({stage.iteration for stage in seen})
    assert seen[-1].iteration == found.iterations == 777
    assert seen[-1].reached == pytest.approx([one.reached for one in found.targets])
    again = meet(KUHN, {"bet@J": 0.25}, iterations=777)
    assert np.array_equal(again.strategy.probabilities, found.strategy.probabilities)


@pytest.mark.parametrize("iterations", [1, 3, 60])
def test_short_runs(iterations: int) -> None:
    found = meet(KUHN, {"bet@J": 0.25}, iterations=iterations)
    assert found.trace[-1].iteration == iterations


def test_the_budget_is_kept_by_stopping_short() -> None:
    # The exact optimum is 0.0032, and Pref-CFR needs about 0.005.
    found = meet(LEDUC, {"raise@round1": 0.3}, give_up=0.0034, iterations=10_000)
    assert found.exploitability <= 0.0034
    assert found.within_budget
    assert 0.25 < found.targets[0].reached < 0.3
    assert found.met == (abs(found.targets[0].error) <= module.TOLERANCE)


def test_three_players() -> None:
    tree = cf.compile_game(cf.Kuhn(players=3))
    found = meet(tree, {"bet@J": 0.3}, give_up=0.02, iterations=5000)
    assert found.met
    assert found.optimum is None
    assert not found.optima
    assert found.targets[0].plain < 0.01
    assert found.targets[0].reached == pytest.approx(0.3, abs=0.01)
    assert cf.exploitability(found.strategy) <= 0.02
    short = meet(tree, {"bet@J": 0.3, "player2:bet@J | check": 0.5}, 0.005, iterations=5000)
    assert not short.met
    assert short.exploitability <= 0.005
    with pytest.raises(ParameterError, match="no strategy meets all of these at once"):
        meet(tree, {"bet@J": 0.3, "check@J": 0.3}, give_up=1.0)


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 6, 13, 25])
def test_games_drawn_at_random(seed: int) -> None:
    tree = cf.compile_game(random_game(seed, depth=5, zero_sum=True))
    asked = Frequency(("a",), player=seed % 2)
    wanted = asked.of(cf.Strategy.random(tree, seed), cf.solve(tree, "lp").strategy)
    found = meet(tree, {asked: wanted}, give_up=10.0, iterations=3000)
    assert found.met
    assert found.optimum is not None
    assert found.exploitability < max(1.5 * found.optimum, found.optimum + 0.02)


def test_too_dear() -> None:
    with pytest.raises(ParameterError, match=r"0\.09444 \(epsilon 0\.1889\).*bet@J = 0\.3333$"):
        meet(KUHN, {"bet@J": 0.9})
    with pytest.raises(ParameterError, match=r"bet@J = 0\.4833$"):
        meet(KUHN, {"bet@J": 0.9}, give_up=0.025)
    with pytest.raises(ParameterError, match=r"alone is bet@J = 0\.3, bet@Q = 0$"):
        meet(KUHN, {"bet@J": 0.3, "bet@Q": 0.5})
    with pytest.raises(ParameterError, match=r"player2:call@Q | bet = 0\.3333$"):
        meet(KUHN, {"bet@J": 0.3, "player2:call@Q | bet": 0.5})


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ({}, "at least one target"),
        ({"bet@J": 1.1}, "must be from 0 to 1, not 1.1"),
        ({"bet@J": float("nan")}, "must be from 0 to 1"),
        ({"bet@J": "0.5"}, "must be from 0 to 1"),
        ({"bet@J": 0.1, "player1:bet@J": 0.2}, "contradict each other"),
        ({"bet@J": 0.1, "bet@J*": 0.2}, "contradict each other"),
        ({"bet@J": 0.1, "check@J": 0.2}, "no strategy meets all of these at once"),
        ({"jump@J": 0.1}, "never has the action 'jump'"),
        ({"bet@X": 0.1}, "fits 'X'"),
        ({"player3:bet": 0.1}, "no player 3"),
    ],
)
def test_bad_targets(targets: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        meet(KUHN, targets, give_up=0.2)


@pytest.mark.parametrize(
    "wrong", [{"give_up": -1.0}, {"give_up": float("inf")}, {"iterations": 0}, {"iterations": 1.5}]
)
def test_bad_parameters(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        meet(KUHN, {"bet@J": 0.1}, **wrong)


def test_imperfect_recall() -> None:
    drawn = (random_game(seed, depth=5, zero_sum=True, recall=False) for seed in range(50))
    game = next(game for game in drawn if not sequence_form(cf.compile_game(game)).perfect_recall)
    with pytest.raises(UnsupportedError, match="imperfect recall"):
        meet(game, {"a": 0.5}, give_up=1.0)


@pytest.mark.parametrize("form", ["auto", "history"])
def test_a_solver_takes_another_style_on_the_way(form: str) -> None:
    bold = cf.Style({"bet": 30.0}, give_up=0.05, player=0).on(KUHN)
    changed, plain = cf.Solver(KUHN, "cfr+", form=form), cf.Solver(KUHN, "cfr+", form=form)
    for solver in (changed, plain):
        solver.step(50)
    changed.condition(bold)
    assert changed.conditions is bold
    for solver in (changed, plain):
        solver.step(500)
    assert changed.strategy().at("J")["bet"] > plain.strategy().at("J")["bet"] + 0.05
    assert np.allclose(changed.current().sum(), len(KUHN.infosets.owner))
    # From the first step on it is the same as a solver that was made with the style, but for
    # the strategy of the first iteration.
    late, early = cf.Solver(KUHN, "cfr", form=form), cf.Solver(KUHN, "cfr", form=form, style=bold)
    late.condition(bold)
    for solver in (late, early):
        solver.step(3000)
    assert np.abs(late.probabilities() - early.probabilities()).max() < 0.05
    with pytest.raises(ParameterError):
        changed.condition(Conditions.by_infosets(bold.delta * 0.1, bold.beta))


def test_games_in_other_forms_are_refused() -> None:
    game = kuhn()
    for form in (BucketForm(game, every_hand(game)), HorizonForm(cf.load("cheat:original"))):
        with pytest.raises(UnsupportedError, match="compiled to another form"):
            meet(form, {"bet": 0.5})
