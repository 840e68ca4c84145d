"""Values and best responses on public trees against the history and against brute force."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.evaluate.exact import assess
from counterfold.evaluate.public import PublicEvaluator
from counterfold.poker import holdem
from counterfold.poker.money import Rake
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from counterfold.tree.traversal import Traversal
from tests import naive_poker
from tests.public_layout import BothForms, checked_down, flop_with_alike_suits, random_poker


def drawn(
    both: BothForms, seed: int, pure: bool = False
) -> tuple[Strategy[PublicTree], cf.Strategy]:
    """The same random strategy in both forms; ``pure`` plays one action of each node."""
    history = cf.Strategy.random(both.history, seed)
    if pure:
        start = both.history.infosets.start[:-1].astype(int)
        most = np.maximum.reduceat(history.probabilities, start)
        most = np.repeat(most, both.history.infosets.sizes)
        history = cf.Strategy.of(both.history, (history.probabilities == most) * 1.0)
    first, second = both.tables_of(history.probabilities, scaled=False)
    return Strategy.of(both.tree, (first, second)), history


@pytest.mark.parametrize("pure", [False, True], ids=["mixed", "pure"])
@pytest.mark.parametrize(
    "game",
    [
        holdem.leduc(),
        naive_poker.tiny_river(rake=(0.05, 2.0)),
        naive_poker.tiny_turn(seed=3, rake=(0.05, 2.0)),
        naive_poker.tiny_flop(seed=4),
        flop_with_alike_suits(),
        checked_down(holdem.leduc()),
        checked_down(naive_poker.tiny_turn(seed=3), rake=Rake(0.05, 2.0)),
        checked_down(naive_poker.tiny_flop(seed=4)),
        checked_down(naive_poker.tiny_flop(seed=4), 2),
        checked_down(flop_with_alike_suits()),
        checked_down(naive_poker.tiny_fhp("QKA", "dhs", seed=3)),
        *(random_poker(seed) for seed in (2, 5, 10, 13, 21)),
    ],
    ids=lambda game: game.name,
)
def test_random_strategies(game: Any, pure: bool) -> None:
    both = BothForms(game)
    public, history = drawn(both, 1, pure)
    found, wanted = assess(public), cf.assess(history)
    np.testing.assert_allclose(found.values, wanted.values, atol=1e-12)
    np.testing.assert_allclose(found.best, wanted.best, atol=1e-12)
    assert found.exploitability == pytest.approx(wanted.exploitability, abs=1e-12)
    assert found.exploitability > 0.01


@pytest.mark.pure
@pytest.mark.parametrize("player", [0, 1])
def test_a_best_response_by_trying_all(player: int) -> None:
    """Kuhn: 64 pure strategies of each player, played out by the history."""
    both = BothForms(holdem.kuhn())
    public, history = drawn(both, 2)
    sets = both.history.infosets
    mine = np.flatnonzero(sets.owner == player)
    start = sets.start.astype(int)
    found = []
    for choice in product((0, 1), repeat=len(mine)):
        tried = history.probabilities.copy()
        for infoset, action in zip(mine, choice, strict=True):
            tried[start[infoset] : start[infoset] + 2] = [1 - action, action]
        found.append(cf.values(cf.Strategy.of(both.history, tried))[player])
    assert len(found) == 64
    assert assess(public).best[player] == pytest.approx(max(found), abs=1e-12)


def test_what_each_hand_earns_in_the_best_response() -> None:
    game = naive_poker.tiny_turn(seed=5)
    both = BothForms(game)
    public, history = drawn(both, 3)
    for player in (0, 1):
        evaluator = PublicEvaluator(both.tree, Traversal(both.tree, "float64", 1))
        found = evaluator._run(public.tables, player, best=True).first_values(player)
        reply = cf.best_response(history, player)
        assert found @ game.ranges[player][both.tree.hands[player][0].holes] == pytest.approx(
            reply.value
        )
        # Hand by hand: a game in which the player always has that hand.
        holes = both.tree.hands[player][0].holes
        for k in (0, len(holes) // 2):
            only = np.zeros(1326)
            only[holes[k]] = 1.0
            ranges = [only, game.ranges[1]] if player == 0 else [game.ranges[0], only]
            alone = BothForms(_with_ranges(game, ranges))
            same, _ = drawn(alone, 0)
            for p in (0, 1):
                _copy(public, same, p)
            scale = both.tree.weight_sum / alone.tree.weight_sum
            assert assess(same).best[player] == pytest.approx(found[k] * scale)


def _with_ranges(game: Any, ranges: Any) -> Any:
    from dataclasses import replace

    return replace(game, ranges=tuple(ranges))


def _copy(source: Strategy[PublicTree], target: Strategy[PublicTree], player: int) -> None:
    """What a player does, at every node and board, for the hands that are left."""
    for board in range(len(source.tree.boards)):
        for node in source.hands.decisions(board):
            if source.tree.game.betting.player[node] == player:
                target.hands.put(node, board, source.hands.at(node, board))


def test_units() -> None:
    tree = PublicTree(naive_poker.tiny_river())
    found = assess(Strategy.uniform(tree))
    assert found.percent_of_pot == pytest.approx(100 * found.exploitability / 10.0)
    assert found.mbb is None
    tree = PublicTree(naive_poker.tiny_fhp(seed=1))
    found = assess(Strategy.uniform(tree))
    assert found.mbb == pytest.approx(1000 * found.exploitability / 2.0)
    assert found.percent_of_pot is None
    assert found.exploitability == pytest.approx(sum(found.gains) / 2)


@pytest.mark.parametrize("played", [1, 2])
def test_suits_that_are_alike_change_nothing_where_cards_come_at_the_end(played: int) -> None:
    game = checked_down(flop_with_alike_suits(), played)
    alike, apart = PublicTree(game), PublicTree(game, symmetry=False)
    assert len(alike.hands[0][0].holes) < len(apart.hands[0][0].holes)
    found = [assess(Strategy.uniform(tree)) for tree in (alike, apart)]
    np.testing.assert_allclose(found[0].values, found[1].values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[0].best, found[1].best, rtol=0, atol=1e-12)
