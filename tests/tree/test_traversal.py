"""Walks over a public tree: values of strategies, hand by hand and for both players."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError
from counterfold.kernels import public
from counterfold.strategy.strategy import Strategy
from counterfold.tree import traversal
from counterfold.tree.public import PublicTree
from counterfold.tree.traversal import Traversal
from tests import naive_poker
from tests.naive_poker import NaivePoker, naive_showdown
from tests.public_layout import BothForms, random_poker


def tables(strategy: Any) -> Any:
    return tuple(public.Table(table, table) for table in strategy)


@pytest.mark.parametrize("parts", [False, True], ids=["whole", "in parts"])
@pytest.mark.parametrize("seed", [1, 2, 3, 4, 8, 9, 11])
def test_values_of_random_strategies(seed: int, parts: bool, monkeypatch: Any) -> None:
    if parts:
        monkeypatch.setattr(traversal, "SMALL", 0)
    both = BothForms(random_poker(seed))
    strategy = cf.Strategy.random(both.history, seed)
    walk = Traversal(both.tree, "float64", threads=1)
    assert bool(walk.tasks) == (parts and both.tree.last > 0)
    given = tables(both.tables_of(strategy.probabilities, scaled=False))
    for me in (0, 1):
        walk.run(me, given, (None, None), None, True, public.VALUE)
        assert walk.expected(me) == pytest.approx(cf.values(strategy)[me], abs=1e-12)


@pytest.mark.pure
def test_what_each_hand_earns() -> None:
    """Everybody checks or folds: what a hand earns is the showdown, in chips per deal of it."""
    game = naive_poker.tiny_river(rake=(0.1, 3.0))
    tree = PublicTree(game)
    strategy = Strategy.uniform(tree)
    for node in strategy.hands.decisions():
        labels = [game.betting.label[c] for c in game.betting.children(node)]
        rows = np.array([[float(word in ("check", "fold"))] * 1326 for word in labels])
        strategy.hands.put(node, 0, rows)
    walk = Traversal(tree, "float64", threads=1)
    strengths = game.rules.strengths(np.array([game.board]))[0].tolist()
    for me in (0, 1):
        walk.run(me, tables(strategy.tables), (None, None), None, True, public.VALUE)
        wanted = np.array(
            naive_showdown(
                strengths, game.rules.cards, game.ranges[1 - me].tolist(), 4.0, -0.5, -5.0
            )
        )
        found = walk.first_values(me)
        np.testing.assert_allclose(
            found, wanted[tree.hands[me][0].holes] / tree.weight_sum, atol=1e-12
        )
        assert walk.expected(me) == pytest.approx(game.ranges[me] @ wanted / tree.weight_sum)


def test_a_value_does_not_depend_on_symmetry_or_parts(monkeypatch: Any) -> None:
    game = naive_poker.tiny_fhp(seed=6)
    known = cf.values(cf.Strategy.uniform(NaivePoker(game)))
    for small in (0, 1 << 20):
        monkeypatch.setattr(traversal, "SMALL", small)
        for symmetry in (True, False):
            tree = PublicTree(game, symmetry=symmetry)
            walk = Traversal(tree, "float64", threads=2)
            given = tables(Strategy.uniform(tree).tables)
            for me in (0, 1):
                walk.run(me, given, (None, None), None, True, public.VALUE)
                assert walk.expected(me) == pytest.approx(known[me], abs=1e-12)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_no_bit(threads: int, monkeypatch: Any) -> None:
    """Tasks work in whatever room is free, one for each thread."""
    monkeypatch.setattr(traversal, "SMALL", 0)
    tree = PublicTree(naive_poker.tiny_flop())
    rng = np.random.default_rng(5)
    shapes = [(tree.rows(p), tree.columns(p)) for p in (0, 1)]
    given = tables([rng.uniform(0, 1, shape) for shape in shapes])
    found = []
    for count in (1, threads):
        walk = Traversal(tree, "float64", threads=count)
        assert walk.rooms.qsize() == count
        for _ in range(2):  # what a walk leaves behind is no matter to the next
            for me in (0, 1):
                walk.run(me, given, (None, None), None, True, public.VALUE)
                found.append(walk.first_values(me))
        assert walk.rooms.qsize() == count
    for k in range(2):
        for other in found[k::2]:
            assert np.array_equal(found[k], other)


def test_every_board_is_walked_once(monkeypatch: Any) -> None:
    monkeypatch.setattr(traversal, "SMALL", 0)
    tree = PublicTree(naive_poker.tiny_flop())
    walk = Traversal(tree, "float64", threads=1)
    steps = np.concatenate([walk.down, *walk.tasks, walk.up])
    inner = [k for k, board in enumerate(tree.boards) if board.street < tree.last]
    last = [k for k, board in enumerate(tree.boards) if board.street == tree.last]
    for what, boards in ((public.DOWN, inner), (public.UP, inner), (public.LAST, last)):
        assert sorted(steps[steps[:, 0] == what, 1].tolist()) == boards
    assert len(walk.tasks) == 6  # no more than there are turns
    monkeypatch.setattr(traversal, "SMALL", 1 << 20)
    whole = Traversal(tree, "float64", threads=1).whole
    assert np.array_equal(whole, steps)


@pytest.mark.parametrize("threads", [0, -1, 257, 1.5, True, "2"])
def test_threads_are_a_whole_number(threads: Any) -> None:
    with pytest.raises(ParameterError, match=r"threads is .* whole number from 1 to 256"):
        Traversal(PublicTree(naive_poker.kuhn()), "float64", threads)
