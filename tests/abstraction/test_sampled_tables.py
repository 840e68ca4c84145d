"""Sampled CFR over buckets for more than two players: against full walks and exact deviations."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.blueprint import Against, engine_in
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_gains import response_gains
from counterfold.abstraction.buckets import every_hand, starting_hands
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.evaluate.exact import best_value, earned_against
from counterfold.poker import holdem
from counterfold.poker.game import DECISION
from counterfold.poker.rules import PokerRules
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree
from counterfold.tree.named import poker_game

GAMES = {"kuhn": holdem.kuhn(players=3), "leduc": holdem.leduc(players=3, max_raises=1)}


@cache
def form(name: str) -> BucketForm:
    return BucketForm(GAMES[name], every_hand(GAMES[name]))


@cache
def history(name: str) -> HistoryTree:
    return cf.compile_game(PokerRules(GAMES[name]))


def run(name: str, iterations: int, method: str = "linear", **more: object) -> cf.Solver:
    solver = cf.Solver(form(name), method, "external", seed=1, per_round=100, **more)
    solver.step(iterations)
    return solver


@pytest.mark.parametrize("name", GAMES)
def test_even_play_is_worth_what_it_is_in_the_history_form(name: str) -> None:
    even, known = (cf.assess(Strategy.uniform(tree)) for tree in (form(name), history(name)))
    assert even.values == pytest.approx(known.values, abs=1e-6)
    assert even.gains == pytest.approx(known.gains, abs=1e-6)
    assert form(name).infoset_count >= history(name).infoset_count  # a bucket on its own card too


# After so many iterations the largest gain was at most two thirds of the bound, with 5 seeds.
@pytest.mark.parametrize(
    ("name", "method", "iterations", "bound", "more"),
    [
        ("kuhn", "linear", 60_000, 0.02, {}),
        ("kuhn", "dcfr", 60_000, 0.02, {}),
        ("kuhn", "cfr+", 60_000, 0.03, {}),
        ("leduc", "linear", 60_000, 0.25, {}),
        ("leduc", "linear", 60_000, 0.25, {"prune": 20.0, "threads": 2}),
    ],
)
def test_nobody_gains_much_by_leaving_what_was_learned(
    name: str, method: str, iterations: int, bound: float, more: dict[str, float]
) -> None:
    exact = cf.assess(run(name, iterations, method, **more).strategy())
    assert max(exact.gains) < bound
    assert min(exact.gains) > -1e-6


def test_what_is_skipped_is_what_is_far_behind() -> None:
    """With pruning walks meet fewer decisions, and two players still come to an equilibrium."""
    game = holdem.leduc()
    both = BucketForm(game, every_hand(game))
    plain, pruned = (
        cf.Solver(both, "linear", "external", seed=1, per_round=100, prune=prune)
        for prune in (None, 3.0)
    )
    for solver in (plain, pruned):
        solver.step(60_000)
    assert engine_in(pruned).visits < 0.97 * engine_in(plain).visits
    lowest = engine_in(pruned).table.min() / engine_in(pruned)._gain
    assert -1.06 * 3 * both.largest_payoff < lowest < -3 * both.largest_payoff
    assert cf.exploitability(pruned.strategy()) < 0.15
    with pytest.raises(ParameterError, match="prune is 0"):
        cf.Solver(both, "linear", "external", prune=0.0)
    with pytest.raises(UnsupportedError, match="pruning"):
        cf.Solver("kuhn", prune=1.0)


def test_a_run_is_saved_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "three"
    whole = run("leduc", 4_000, prune=50.0)
    half = run("leduc", 2_000, prune=50.0)
    half.save(path)
    again, _ = cf.Solver.resume(path, form("leduc"))
    again.step(2_000)
    assert again.settings.prune == 50.0
    assert np.array_equal(again.strategy().tables[0], whole.strategy().tables[0])
    other = holdem.leduc(players=3, ante=2)
    with pytest.raises(MismatchError, match="other betting"):
        cf.Solver.resume(path, BucketForm(other, every_hand(other)))


def test_a_style_is_worn_by_each_seat() -> None:
    plain, styled = (
        run("kuhn", 30_000),
        run("kuhn", 30_000, style=cf.Style({"bet": 20.0}, 1.0, player=2)),
    )
    bets = [
        [solver.strategy().at(card, "check, check")["bet"] for card in ("Js", "Qs", "Ks", "As")]
        for solver in (plain, styled)
    ]
    assert sum(bets[1]) > sum(bets[0]) + 0.5


def test_an_answer_to_the_others() -> None:
    model = Strategy.uniform(form("kuhn"))
    solver = run("kuhn", 30_000, locks=Against(model, 2, 1.0))
    answer = solver.strategy()
    won = earned_against(answer, 2, model)
    assert won == pytest.approx(best_value(model, 2), abs=0.02)
    with pytest.raises(ParameterError, match="from 0 to 2"):
        Against(model, 3, 1.0)


def test_a_table_of_hold_em() -> None:
    """Jam or fold by four: the strongest hand goes in, the weakest does not."""
    table = BucketForm(poker_game("holdem:jamfold(players=4,stack=6)"), (starting_hands(),))
    solver = cf.Solver(table, "linear", "external", seed=1)
    solver.step(30_000)
    strategy = solver.strategy()
    assert strategy.at("AsAh", "")["all-in 6"] > 0.99
    assert strategy.at("7c2d", "")["fold"] > 0.9
    assert (table.game.betting.kind == DECISION).sum() == 15 - 1
    with pytest.raises(UnsupportedError, match="two players"):
        cf.Solver(table, "linear", "public")


@pytest.mark.parametrize("name", GAMES)
def test_what_a_response_would_gain_is_nearly_what_the_best_one_gains(name: str) -> None:
    """Every hand has a bucket of its own here, so the best response is the exact one."""
    strategy = run(name, 1_000).strategy()
    exact = cf.nash_conv(strategy)
    for gain in response_gains(strategy, 100_000, seed=3):
        wanted = exact[gain.player]
        assert gain.gain == pytest.approx(wanted, abs=4 * gain.error + 0.05 * wanted)
        assert 0 < gain.error < 0.05
    (first, *_), again = (
        response_gains(strategy, 500, seed=3),
        response_gains(strategy, 500, seed=3),
    )
    assert first == again[0]


def test_a_response_that_few_deals_taught_does_not_pass_for_a_loss() -> None:
    """It leaves the strategy only where that does better on other deals."""
    strategy = run("leduc", 200_000).strategy()
    gains = [*response_gains(strategy, 300, seed=1), *response_gains(strategy, 300, seed=2)]
    assert sum(gain.gain == gain.error == 0 for gain in gains) >= 2
    assert all(gain.gain >= -4 * gain.error for gain in gains)
