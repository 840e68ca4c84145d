"""The ends of hands and the rows of the update rule against plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from counterfold.kernels import public_ends, public_rule, rule
from counterfold.kernels.public_ends import SHARES
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import PublicArrays
from tests import naive_poker
from tests.naive_poker import naive_fold, naive_showdown
from tests.public_layout import flop_with_alike_suits, random_poker

LANES = 16


def reaches(rng: np.random.Generator, hands: int) -> np.ndarray:
    """Reaches of sixteen ends: some of nobody, some of one hand, some of zeros among others."""
    found = rng.uniform(0, 1, (hands, LANES)) * (rng.random((hands, LANES)) < 0.7)
    found[:, 0] = 0.0
    found[1:, 1] = 0.0
    return found


@pytest.mark.pure
@pytest.mark.parametrize("me", [0, 1])
@pytest.mark.parametrize("seed", [0, 1, 6, 7, 13, 19, 25, None])
def test_ends_of_the_last_street(seed: int | None, me: int) -> None:
    game = naive_poker.tiny_river() if seed is None else random_poker(seed)
    rng = np.random.default_rng(seed)
    tree = PublicTree(game, symmetry=False)
    arrays = PublicArrays(tree, "float64")
    room = arrays.room()
    mine, theirs = (tree.hands[p][0].holes for p in (me, 1 - me))
    called, folded = (reaches(rng, len(theirs)) for _ in range(2))
    room.called[: len(theirs)], room.folded[: len(theirs)] = called, folded
    win, tie, lose, out, own = (rng.uniform(-3, 3, LANES) for _ in range(5))
    one = np.ones(LANES)
    some = np.union1d(mine, theirs)
    own_rows, other_rows = np.searchsorted(some, mine), np.searchsorted(some, theirs)
    cards = game.rules.cards[some]
    strengths = game.rules.strengths(np.array([game.board], np.uint8).reshape(1, -1))[0][some]

    def whole(lane: np.ndarray) -> list[float]:
        reach = np.zeros(len(some))
        reach[other_rows] = lane
        return reach.tolist()

    def settle(*shares: Any) -> None:
        share = np.ascontiguousarray(shares, np.float64)
        assert len(share) == SHARES
        public_ends.settle(
            np.uint32(0), arrays.hands[me], arrays.hands[1 - me], arrays.boards, me, share, room
        )

    # The opponent folds or calls: both count at once.
    settle(lose, out, win - tie, tie - lose, one, 0 * one)
    for lane in range(LANES):
        shown = naive_showdown(
            strengths, cards, whole(called[:, lane]), win[lane], tie[lane], lose[lane], game.board
        )
        gone = naive_fold(cards, whole(folded[:, lane]), out[lane], game.board)
        wanted = (np.array(shown) + gone)[own_rows]
        np.testing.assert_allclose(room.kept[: len(mine), lane], wanted, atol=1e-12)
    # The player calls or folds: two values of the same reach.
    settle(one, 0 * one, win - tie, tie - lose, lose, own)
    for lane in range(LANES):
        reach = whole(called[:, lane])
        shown = naive_showdown(strengths, cards, reach, win[lane], tie[lane], lose[lane])
        np.testing.assert_allclose(
            room.kept[: len(mine), lane], np.array(shown)[own_rows], atol=1e-12
        )
        gone = naive_fold(cards, reach, own[lane])
        np.testing.assert_allclose(
            room.lost[: len(mine), lane], np.array(gone)[own_rows], atol=1e-12
        )


@pytest.mark.pure
@pytest.mark.parametrize("me", [0, 1])
@pytest.mark.parametrize(
    "game",
    [
        naive_poker.tiny_fhp(seed=3),
        flop_with_alike_suits(),
        naive_poker.tiny_turn(),
        naive_poker.leduc("QKA", "dhs"),
    ],
    ids=lambda game: game.name,
)
def test_folds_before_the_last_street(game: Any, me: int) -> None:
    rng = np.random.default_rng(4)
    tree = PublicTree(game)
    arrays = PublicArrays(tree, "float64")
    room = arrays.room()
    for board in [k for k, b in enumerate(tree.boards) if b.street < tree.last][:4]:
        mine, theirs = tree.hands[me][board], tree.hands[1 - me][board]
        called = reaches(rng, len(theirs.holes))
        room.called[: len(called)] = called
        worth = rng.uniform(-3, 3, LANES)
        share = np.zeros((SHARES, LANES))
        share[public_ends.CALLED], share[public_ends.FIRST] = 1, worth
        public_ends.end_early(
            np.uint32(board), arrays.hands[me], arrays.hands[1 - me], arrays.boards, share, room
        )
        some = np.union1d(mine.pairs, theirs.pairs)
        for lane in range(LANES):
            reach = np.zeros(len(some))
            reach[np.searchsorted(some, theirs.pairs)] = called[theirs.of, lane]
            wanted = np.array(naive_fold(game.rules.cards[some], reach.tolist(), worth[lane]))
            np.testing.assert_allclose(
                room.kept[mine.of, lane], wanted[np.searchsorted(some, mine.pairs)], atol=1e-12
            )


def node(actions: int, seed: int = 0) -> tuple[Any, ...]:
    """Regrets, values and reaches of a node with some actions, among other rows."""
    rng = np.random.default_rng(seed)
    regret = rng.normal(size=(actions + 4, 11))
    regret[:, 0] = -np.abs(regret[:, 0])  # nothing that counts
    regret[:, 1] = 0.0
    regret[2, 2] = 0.0
    value, reach = rng.normal(size=(2, actions + 5, 11))
    return regret, value, np.abs(reach)


def here(actions: int, hands: int, above: int = 0, below: int = 1, at: int = 0) -> Any:
    """A node with some actions, as kernels take it."""
    none, many = np.uint32(0), np.uint32(actions)
    return public_rule.Here(none, none, none, np.uint32(at), many, hands, above, below)


def played(weights: np.ndarray) -> np.ndarray:
    positive = np.maximum(weights, 0.0)
    total = positive.sum(0)
    even = np.full_like(positive, 1 / len(weights))
    return np.where(total > 0, positive / np.where(total > 0, total, 1), even)


@pytest.mark.parametrize("actions", [1, 2, 3, 4, 6])
def test_reach_is_spread_over_actions(actions: int) -> None:
    regret, _, reach = node(actions)
    before = reach.copy()
    public_rule.spread(regret, np.uint32(2), here(actions, 9, 1, 3), reach)
    wanted = before[1] * played(regret[2 : 2 + actions])
    np.testing.assert_allclose(reach[3 : 3 + actions, :9], wanted[:, :9])
    reach[3 : 3 + actions, :9] = before[3 : 3 + actions, :9]
    assert np.array_equal(reach, before)


@pytest.mark.pure
@pytest.mark.parametrize("actions", [1, 2, 3, 4, 6])
def test_values_and_regrets_of_a_node(actions: int) -> None:
    row = np.zeros(rule.COLUMNS)
    row[[rule.POSITIVE, rule.NEGATIVE, rule.LOWEST]] = 0.9, 0.4, -0.2
    regret, value, _ = node(actions)
    old, below = regret.copy(), value[4 : 4 + actions].copy()
    spare = np.zeros(11)
    strategy = played(old[2 : 2 + actions])
    worth = (strategy * below).sum(0)
    public_rule.mean(old, np.uint32(2), here(actions, 9, 1, 4), value, spare)
    np.testing.assert_allclose(value[1, :9], worth[:9])
    public_rule.learn(regret, np.uint32(2), here(actions, 9, 2, 4), value, spare, row)
    np.testing.assert_allclose(value[2, :9], worth[:9])
    mine = old[2 : 2 + actions]
    wanted = np.maximum(mine * np.where(mine > 0, 0.9, 0.4) + below - worth, -0.2)
    np.testing.assert_allclose(regret[2 : 2 + actions, :9], wanted[:, :9])
    regret[2 : 2 + actions, :9] = old[2 : 2 + actions, :9]
    assert np.array_equal(regret, old)
    public_rule.best(here(actions, 9, 3, 4), value)
    assert np.array_equal(value[3, :9], below.max(0)[:9])


@pytest.mark.pure
def test_sixteen_bits_keep_numbers_to_a_part_of_the_largest() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(3, 8)) * 1000
    table, scale = np.zeros((5, 8), np.int16), np.zeros(5)
    public_rule.squeeze(table, scale, here(3, 7, at=1), rows, 32767.0, 5.0)
    error = np.abs(table[1:4, :7] * scale[1] - rows[:, :7])
    assert error.max() <= np.abs(rows[:, :7]).max() / 32500
    assert not table[[0, 4]].any()
    assert not table[:, 7].any()
    public_rule.squeeze(table, scale, here(3, 7, at=1), 0 * rows, 32767.0, 6.0)
    assert scale[1] == 0
    assert not table.any()


@pytest.mark.pure
@pytest.mark.parametrize("actions", [2, 3, 5])
def test_sums_too_small_to_divide_by_count_as_none(actions: int) -> None:
    weight = np.full((actions, 16), 1e-42, np.float32)  # what fades fast ends like this
    reach = np.zeros((actions + 1, 16), np.float32)
    reach[0] = 0.5
    public_rule.spread(weight, np.uint32(0), here(actions, 16, 0, 1), reach)
    np.testing.assert_allclose(reach[1:], 0.5 / actions, rtol=1e-6)


@pytest.mark.pure
def test_sixteen_bits_are_right_on_average() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(3, 8))
    rows[1] /= 1e4  # a few units of the scale, and less
    table, scale, total = np.zeros((3, 8), np.int16), np.zeros(3), np.zeros((3, 8))
    for seed in range(500):
        public_rule.squeeze(table, scale, here(3, 8), rows, 32767.0, float(seed))
        total += table * scale[0]
    np.testing.assert_allclose(total / 500, rows, rtol=0, atol=0.02 * scale[0])
