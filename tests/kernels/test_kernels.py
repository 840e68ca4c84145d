"""The smallest parts: the update rule, the random numbers, and how far a walk can go."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterfold as cf
from counterfold.kernels import history, rule
from counterfold.solvers.history_engine import SAMPLED
from tests.random_games import games, meeting_game, random_game


@pytest.mark.pure
@settings(max_examples=50)
@given(
    old=st.floats(-10, 10),
    new=st.floats(-10, 10),
    positive=st.floats(0, 1),
    negative=st.floats(0, 1),
    floor=st.booleans(),
)
def test_accumulate(old: float, new: float, positive: float, negative: float, floor: bool) -> None:
    wanted = old * (positive if old > 0 else negative) + new
    lowest = 0.0 if floor else -np.inf
    found = rule.accumulate(old, new, positive, negative, lowest)
    assert found == pytest.approx(max(wanted, 0.0) if floor else wanted, abs=1e-12)


@pytest.mark.pure
def test_weigh() -> None:
    assert rule.weigh(rule.predict(2.0, -0.5, 1.0)) == 1.5
    assert rule.weigh(rule.predict(2.0, -0.5, 0.0)) == 2.0
    assert rule.weigh(rule.predict(0.5, -1.0, 1.0)) == 0.0
    assert rule.weigh(rule.predict(-1.0, 3.0, 0.0)) == 0.0


def splitmix(state: int) -> tuple[int, float]:
    """Steele, Lea and Flood (2014), in whole numbers."""
    mask = (1 << 64) - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return state, ((z ^ (z >> 31)) >> 11) / 2**53


@pytest.mark.pure
@pytest.mark.parametrize("seed", [0, 1, 42, 2**63, 2**64 - 1])
def test_random_numbers_are_splitmix(seed: int) -> None:
    random = np.array([seed], dtype=np.uint64)
    state = seed
    for _ in range(50):
        state, wanted = splitmix(state)
        assert history.uniform(random) == wanted
        assert int(random[0]) == state
    # The published first outputs for the seed 1234567.
    random[0] = 1234567
    assert [int(history.uniform(random) * 2**53) for _ in range(3)] == [
        6457827717110365317 >> 11, 3203168211198807973 >> 11, 9817491932198370423 >> 11,
    ]  # fmt: skip


@pytest.mark.pure
def test_draws_follow_their_weights() -> None:
    weights = np.array([9.0, 0.2, 0.0, 0.5, 0.3, 0.0, 9.0])
    random = np.array([3], dtype=np.uint64)
    lo, hi = np.uint32(1), np.uint32(6)
    counts = np.bincount([history._draw(weights, lo, hi, random) for _ in range(4000)], minlength=7)
    wanted = 4000 * np.where(np.arange(7) % 6 == 0, 0, weights)
    assert (np.abs(counts - wanted) <= 4 * np.sqrt(wanted + 1e-12)).all()
    assert not counts[[0, 2, 5, 6]].any()


@pytest.mark.pure
def test_rounding_never_draws_what_is_never_played() -> None:
    """Weights that sum to a little less than one must not give the last action a chance."""
    weights = np.array([0.5, 0.5 - 1e-3, 0.0, 0.0])
    random = np.array([3], dtype=np.uint64)
    drawn = {int(history._draw(weights, np.uint32(0), np.uint32(4), random)) for _ in range(5000)}
    assert drawn == {0, 1}
    only = np.array([0.0, 1.0])
    assert {int(history._draw(only, np.uint32(0), np.uint32(2), random)) for _ in range(50)} == {1}


def most(game: Any, player: int, others: bool, own: bool) -> int:
    """The most visits of a walk, by the rules; the root's own is one."""

    def walk(state: Any) -> int:
        turn = game.turn(state)
        if turn == -2:
            return 0
        if turn == -1:
            return max(walk(game.next(state, o)) for o, _ in game.chance(state))
        below = [walk(game.next(state, a)) for a in game.actions(state)]
        sampled = own if turn == player else others
        stops = turn == player or not others
        return stops + (max(below) if sampled else sum(below))

    return 1 + walk(game.root())


@settings(max_examples=25)
@given(game=games())
def test_room_for_the_longest_walk(game: Any) -> None:
    tree = cf.compile_game(game)
    for kind in SAMPLED.values():
        for player in range(game.players):
            room = np.zeros(tree.histories)
            found = history.most_visits(tree.turn, tree.first, tree.child, player, kind, room)
            assert found == most(game, player, *kind)


@pytest.mark.pure
@pytest.mark.parametrize("traversal", SAMPLED)
def test_walks_stay_in_their_room(traversal: str) -> None:
    """With guards behind the arrays: nothing is written past their ends."""
    for game in (random_game(4, 2, 4), random_game(4, 3, 3), meeting_game(4, 2, 3)[1]):
        solver = cf.Solver(game, "linear", traversal, seed=1)
        engine: Any = solver.engine
        guarded = {}
        for name, array in engine._scratch._asdict().items():
            longer = np.full(len(array) + 3, 77, dtype=array.dtype)
            longer[: len(array)] = array
            guarded[name] = longer
        engine._scratch = type(engine._scratch)(**guarded)
        solver.step(100)
        for name, array in guarded.items():
            assert (array[-3:] == 77).all(), name


@pytest.mark.pure
@pytest.mark.parametrize("form", ["auto", "history"])
def test_no_index_wraps_around(form: str) -> None:
    """Indices are uint32, and NumPy would tell in plain Python."""
    tree = cf.compile_game(cf.Kuhn())
    assert tree.first.dtype == tree.child.dtype == tree.infoset.dtype == np.uint32
    with np.errstate(over="raise"):
        solver = cf.Solver(tree, "cfr+", form=form)
        solver.step(3)
        assert solver.exploitability() > 0


@pytest.mark.pure
@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="only plain Python can tell")
@pytest.mark.parametrize("traversal", SAMPLED)
def test_no_index_wraps_around_in_samples(traversal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The random numbers wrap on purpose, so here they come from whole numbers."""
    state = 5

    def uniform(random: np.ndarray) -> float:
        nonlocal state
        state, number = splitmix(state)
        return number

    monkeypatch.setattr(history, "uniform", uniform)
    with np.errstate(over="raise"):
        for game in (cf.Kuhn(), random_game(4, 3, 4), random_game(5, 1, 4)):
            solver = cf.Solver(game, "dcfr", traversal)
            solver.step(50)
            assert np.isfinite(solver.probabilities()).all()
