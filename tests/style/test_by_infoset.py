"""Styles in the update rule: both forms against the formula written out, seats, resuming."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError
from counterfold.solvers.conditions import Conditions
from tests.random_games import random_game

TREE = cf.compile_game(cf.Kuhn())


def drawn(tree: cf.HistoryTree, seed: int, best: bool) -> Conditions:
    random = np.random.default_rng(seed)
    delta = 1.0 + 4.0 * random.random(tree.infosets.slots)
    return Conditions.by_infosets(delta, 0.05 * random.random(len(tree.infosets.owner)), best)


def by_hand(style: Conditions, tree: cf.HistoryTree, average: np.ndarray) -> np.ndarray:
    """Equations 10 to 13, infoset by infoset."""
    out = np.zeros(tree.infosets.slots)
    for i in range(len(tree.infosets.owner)):
        lo, hi = int(tree.infosets.start[i]), int(tree.infosets.start[i + 1])
        delta = style.delta[lo:hi]
        weight = delta * np.maximum(average[lo:hi] - style.beta[i], 0)
        if weight.sum() > 0:
            if style.best:
                out[lo + int(np.argmax(weight))] = 1
            else:
                out[lo:hi] = weight / weight.sum()
        else:
            liked = delta == delta.max() if style.best else delta
            out[lo:hi] = liked / liked.sum()
    return out


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("form", ["auto", "history"])
def test_the_strategy_is_the_formula_of_the_average_regret(best: bool, form: str) -> None:
    style = drawn(TREE, 3, best)
    solver = cf.Solver(TREE, "cfr", alternating=False, average=False, form=form, style=style)
    for _ in range(5):
        solver.step(7)
        state = solver.engine.state()["regret"]
        if form == "auto":
            from counterfold.tree.sequence import sequence_form

            regrets = sequence_form(TREE).by_slot(state)
        else:
            regrets = state
        expected = by_hand(style, TREE, regrets / solver.iteration)
        assert np.abs(solver.probabilities() - expected).max() < 1e-9


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr", "sapcfr+"])
def test_both_forms_agree(seed: int, best: bool, method: str) -> None:
    tree = cf.compile_game(random_game(seed))
    style = drawn(tree, seed, best)
    one, other = (cf.Solver(tree, method, form=form, style=style) for form in ("auto", "history"))
    one.step(12)
    other.step(12)
    assert np.abs(one.probabilities() - other.probabilities()).max() < 1e-7


def test_no_preference_is_no_style() -> None:
    nothing = Conditions.by_infosets(
        np.ones(TREE.infosets.slots), np.zeros(len(TREE.infosets.owner))
    )
    for traversal in ("full", "chance", "external", "outcome"):
        plain = cf.Solver(TREE, "dcfr", traversal)
        styled = cf.Solver(TREE, "dcfr", traversal, style=nothing)
        plain.step(300)
        styled.step(300)
        assert np.abs(plain.probabilities() - styled.probabilities()).max() < 1e-12


@pytest.mark.parametrize("traversal", ["full", "external"])
def test_a_style_is_resumed_bit_for_bit(traversal: str, tmp_path: Path) -> None:
    style = cf.Style({"bet": 5.0}, give_up=0.02, player=0, best=True)
    straight = cf.solve(cf.Kuhn(), "dcfr", cf.Until(iterations=400), traversal, style=style)
    path = tmp_path / "half.safetensors"
    cf.solve(cf.Kuhn(), "dcfr", cf.Until(iterations=150), traversal, style=style, save=path)
    resumed = cf.resume(path, cf.Until(iterations=400))
    assert (resumed.strategy.probabilities == straight.strategy.probabilities).all()


def test_a_style_taken_up_later_knows_the_weight_of_regrets() -> None:
    style = drawn(TREE, 1, False)
    late = cf.Solver(TREE, "dcfr", average=False)
    late.step(50)
    late.condition(style)
    assert late._logs[3] == pytest.approx(cf.method("dcfr").weight(50))
    late.step(1)
    always = cf.Solver(TREE, "dcfr", style=style)
    always.step(51)
    assert late._logs[3] == always._logs[3]


def test_sampled_styles_lean_the_same_way() -> None:
    style = cf.Style({"bet": 10.0}, player=0, best=True)
    bluffs = []
    for seed in range(5):
        solver = cf.Solver(TREE, "cfr", "external", seed=seed, style=style)
        solver.step(100_000)
        bluffs.append(solver.strategy().at("J")["bet"])
    error = np.std(bluffs, ddof=1) / np.sqrt(len(bluffs))
    assert np.mean(bluffs) - 4 * error > 0.25, "plain CFR bluffs about 0.2"


def test_one_seat_of_three() -> None:
    """Three-player Kuhn, a style for seat 2: payoffs move along the known equilibria.

    Szafron, Gibson and Sturtevant: -k (1/2 + b), -k/2, k (1 + b) with b from 0 to 1/4.
    """
    k = 1 / 24
    shares = {}
    for action in ("bet", "check"):
        style = cf.Style({action: 10.0}, player=1, best=True)
        result = cf.solve(cf.Kuhn(players=3), "cfr", cf.Until(iterations=60_000), style=style)
        apart = sum(result.nash_conv)  # as far as this is from an equilibrium, values may be off
        assert apart < 5e-3
        one, two, three = result.values
        shares[action] = three / k - 1
        assert two == pytest.approx(-k / 2, abs=apart)
        assert one == pytest.approx(-k * (1 / 2 + shares[action]), abs=apart)
    assert shares["bet"] > 0.15, "the bold second seat pays the third"
    assert abs(shares["check"]) < 0.1


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: cf.Style({"bet": 0.5}), "from 1 up"),
        (lambda: cf.Style({"bet": float("nan")}), "from 1 up"),
        (lambda: cf.Style({"bet": 2.0}, give_up=-1), "from 0 up"),
        (lambda: cf.Style({"bets": 2.0}).on(TREE), "no action 'bets'; it has 'bet'"),
        (lambda: cf.Style({"bet": 2.0}, seen="A*").on(TREE), "at 'A"),
        (lambda: cf.Style({"bet": 2.0}, player=2).on(TREE), "players 0 to 1"),
        (lambda: cf.Style({"bet": 2.0}, round=2).on(TREE), "in round 2"),
    ],
)
def test_styles_that_mean_nothing(make, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        make()


def test_styles_add_up() -> None:
    both = cf.Style({"bet": 2.0}, seen="K") + cf.Style({"bet": 3.0}, player=0, give_up=0.1)
    style = both.on(TREE)
    names = TREE.infosets.labels
    king, jack = names.index("K"), names.index("J")
    bet = TREE.infosets.actions[king].index("bet")
    assert style.delta[int(TREE.infosets.start[king]) + bet] == 6.0
    assert style.delta[int(TREE.infosets.start[jack]) + bet] == 3.0
    assert style.beta[king] == style.beta[jack] == 0.1
    assert style.beta[names.index("J | check bet")] == 0.0, "there is nothing to bet there"
