"""Sampled traversals: right on average, discounted as if every row were, and converging."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import counterfold as cf
from counterfold.files.arrays import Saved
from counterfold.kernels import rule
from tests import naive
from tests.random_games import WithoutTies, games, meeting_game, random_game
from tests.solvers.layout import flat, regrets, unflat

SAMPLED = ("chance", "external", "outcome")


def one_iteration() -> np.ndarray:
    """Plain CFR: nothing fades."""
    return cf.method("cfr").schedule(1, 1, np.zeros(4))


def mixed(tree: Any, seed: int) -> np.ndarray:
    """A random strategy that plays nothing too rarely to be met in some thousand samples."""
    rng = np.random.default_rng(seed)
    return tree.infosets.to_one(rng.uniform(0.2, 1.0, tree.infosets.slots))


def spotty(tree: Any, seed: int) -> np.ndarray:
    """The same, but some actions are never played."""
    drawn = mixed(tree, seed) * (np.random.default_rng(seed).random(tree.infosets.slots) > 0.15)
    return tree.infosets.to_one(drawn)


def exact(tree: Any, strategy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Regrets and additions to the average of one iteration, by the oracle over the rules."""
    table = unflat(tree, naive.uniform(tree.game), strategy)
    regret, reach = {}, {}
    for player in range(tree.players):
        new, own = naive.regrets_and_reach(tree.game, table, player)
        regret |= new
        reach |= own
    return flat(tree, regret), flat(tree, reach)


def samples(
    tree: Any,
    traversal: str,
    strategy: np.ndarray,
    count: int,
    seed: int = 1,
    dtype: str = "float64",
) -> np.ndarray:
    """Sampled regrets and additions to the average, from one state: [count, 2, slots]."""
    engine = cf.Solver(tree, "cfr", traversal, alternating=False, seed=seed, dtype=dtype).engine
    state, row = engine.state(), one_iteration()
    state["strategy"] = strategy.astype(dtype)
    out = np.empty((count, 2, len(strategy)))
    for n in range(count):
        engine.restore(Saved("memory", {}, state))
        engine.step(row)
        after = engine.state()
        assert not after["new"].any()
        out[n] = after["regret"], after["total"]
        state["random"] = after["random"]
    return out


def assert_mean(found: np.ndarray, wanted: np.ndarray, errors: float = 4.5) -> None:
    """The mean is within some standard errors, and exact where nothing varies."""
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    off = np.abs(found.mean(axis=0) - wanted)
    assert (off <= errors * error + 1e-9).all(), (off / (error + 1e-12)).max()


GAMES = {
    "two players": cf.Kuhn(),
    "three players": cf.Kuhn(players=3),
    "uneven chance": random_game(11, 2, 5),
    "three, uneven chance": random_game(25, 3, 5),
    "no recall": random_game(7, 2, 5, recall=False),
    "merged": meeting_game(5, 2, 4, 3)[1],
    "one player": random_game(3, 1, 5),
}


@pytest.mark.parametrize("traversal", SAMPLED)
@pytest.mark.parametrize("kind", GAMES)
def test_unbiased(kind: str, traversal: str) -> None:
    """Also where actions are never played, but for the average of three players and more.

    There the others are sampled and weighed by the inverse of what they play, which is right
    only as long as they play everything.
    """
    tree = cf.compile_game(GAMES[kind])
    for seed in (1, 2):
        for strategy in (mixed(tree, seed), spotty(tree, seed)):
            regret, reach = exact(tree, strategy)
            assert np.abs(regret).max() > 0.01
            found = samples(tree, traversal, strategy, 3000, seed)
            assert_mean(found[:, 0], regret)
            if tree.players < 3 or traversal == "chance" or strategy.all():
                assert_mean(found[:, 1], reach)


@pytest.mark.pure
@pytest.mark.parametrize("traversal", SAMPLED)
def test_unbiased_in_a_small_game(traversal: str) -> None:
    game = random_game(12, 2, 3)
    tree = cf.compile_game(game)
    strategy = spotty(tree, 1)
    regret, reach = exact(tree, strategy)
    assert np.abs(regret).max() > 0.01
    found = samples(tree, traversal, strategy, 300)
    assert_mean(found[:, 0], regret)
    assert_mean(found[:, 1], reach)
    assert found[:, 0].std() > 0


@pytest.mark.parametrize("traversal", SAMPLED)
def test_single_precision_samples_the_same(traversal: str) -> None:
    tree = cf.compile_game(cf.Kuhn())
    strategy = cf.Strategy.random(tree, 5).probabilities
    double = samples(tree, traversal, strategy, 200)
    single = samples(tree, traversal, strategy, 200, dtype="float32")
    # A draw within rounding of a boundary may differ, so the odd sample may.
    same = np.isclose(double, single, rtol=1e-4, atol=1e-4).all(axis=(1, 2))
    assert same.mean() > 0.98


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("method", naive.RULES)
@settings(max_examples=6)
@given(game=games(chance=False))
def test_without_chance_chance_sampling_is_the_full_traversal(
    method: str, alternating: bool, game: Any
) -> None:
    """Nothing is left to sample: tables, discounts and all equal the oracle's."""
    solver = cf.Solver(game, method, "chance", alternating=alternating)
    solver.step(4)
    slow = naive.Cfr(game, naive.RULES[method], alternating).run(4)
    tree = solver.tree
    np.testing.assert_allclose(regrets(solver), flat(tree, slow.regret), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        solver.engine._tables.total, flat(tree, slow.total), rtol=1e-9, atol=1e-9
    )


@settings(max_examples=10)
@given(game=games(players=1, chance=False))
def test_one_player_without_chance_external_sampling_is_the_full_traversal(game: Any) -> None:
    solver = cf.Solver(game, "dcfr", "external")
    solver.step(4)
    slow = naive.Cfr(game, naive.RULES["dcfr"], True).run(4)
    np.testing.assert_allclose(regrets(solver), flat(solver.tree, slow.regret), atol=1e-9)
    np.testing.assert_allclose(
        solver.engine.average(), flat(solver.tree, slow.average()), atol=1e-9
    )


@pytest.mark.parametrize("traversal", SAMPLED)
@pytest.mark.parametrize("method", [*naive.RULES, "dcfr(1.5, -inf, 2)"])
def test_rows_discounted_when_touched_equal_rows_discounted_always(
    method: str, traversal: str
) -> None:
    """The samples of each iteration, put into tables that fade in full at every iteration."""
    tree = cf.compile_game(WithoutTies(cf.Kuhn()))
    setting: dict[str, Any] = {"alternating": False, "seed": 4}
    solver = cf.Solver(tree, method, traversal, **setting)
    twin = cf.Solver(tree, "cfr", traversal, **setting).engine
    blank, still = twin.state(), one_iteration()
    size = tree.infosets.slots
    regret, total, strategy = np.zeros(size), np.zeros(size), tree.infosets.evenly()
    for t in range(1, 60):
        row = solver.method.schedule(t, 1, np.zeros(4))[0]
        now = solver.engine.state()
        changed = {**blank, "strategy": now["strategy"], "random": now["random"]}
        twin.restore(Saved("memory", {}, changed))
        twin.step(still)
        new, reach = (twin.state()[name] for name in ("regret", "total"))
        fade = np.where(regret > 0, row[rule.POSITIVE], row[rule.NEGATIVE])
        regret = np.maximum(regret * (fade if t > 1 else 1.0) + new, row[rule.LOWEST])
        total = total * row[rule.AVERAGE] + reach
        touched = np.repeat(twin._scratch.stamp == twin._clock, tree.infosets.sizes)
        ahead = np.maximum(regret + row[rule.PREDICTION] * new, 0.0)
        strategy = np.where(touched, tree.infosets.to_one(ahead), strategy)
        solver.step()
        np.testing.assert_allclose(solver.engine.current(), strategy, atol=1e-7)
        np.testing.assert_allclose(solver.engine.average(), tree.infosets.to_one(total), atol=1e-7)
    assert not touched.all() or traversal == "chance"
    # Rows that have not been touched for a while still have to fade.
    tables = solver.engine.state()
    late = np.exp(solver._logs[:3] - tables["seen"])
    late = np.repeat(late, tree.infosets.sizes, axis=0)
    found = tables["regret"] * np.where(tables["regret"] > 0, late[:, 0], late[:, 1])
    np.testing.assert_allclose(found, regret, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(tables["total"] * late[:, 2], total, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize(
    ("game", "traversal", "iterations", "most"),
    [
        (cf.Kuhn(), "chance", 20_000, 0.01),
        (cf.Kuhn(), "external", 100_000, 0.01),
        (cf.Kuhn(), "outcome", 200_000, 0.02),
        (cf.Leduc(), "chance", 40_000, 0.08),
        (cf.Leduc(), "external", 200_000, 0.05),
        (cf.Leduc(), "outcome", 300_000, 0.25),
    ],
    ids=lambda x: str(x),
)
@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
def test_converges(
    game: Any, traversal: str, iterations: int, most: float, alternating: bool
) -> None:
    solver = cf.Solver(game, "cfr", traversal, alternating=alternating, seed=1)
    solver.step(iterations)
    assert solver.exploitability() < most


@pytest.mark.parametrize("traversal", SAMPLED)
@pytest.mark.parametrize("method", ["cfr+", "linear", "dcfr", "hs-pcfr+"])
def test_every_method_can_be_sampled(method: str, traversal: str) -> None:
    solver = cf.Solver(cf.Kuhn(), method, traversal, seed=1)
    solver.step(30_000)
    # Regret matching+ does not like noise, but it stays far from uniform play (0.458).
    assert solver.exploitability() < 0.1


@pytest.mark.parametrize("traversal", SAMPLED)
def test_seeds(traversal: str) -> None:
    def run(seed: int) -> np.ndarray:
        solver = cf.Solver(cf.Kuhn(), "cfr", traversal, seed=seed)
        solver.step(50)
        return regrets(solver)

    assert np.array_equal(run(3), run(3))
    assert not np.array_equal(run(3), run(4))
