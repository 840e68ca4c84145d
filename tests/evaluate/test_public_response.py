"""Best responses on public trees as strategies: they earn what the exact walk says."""

import numpy as np
import pytest

from counterfold.errors import ParameterError
from counterfold.evaluate.exact import assess, best_response
from counterfold.poker.holdem import fhp, leduc
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from tests.naive_poker import tiny_flop, tiny_river, tiny_turn


def drawn(tree, seed=1):
    """A random strategy with some actions that are never taken."""
    rng = np.random.default_rng(seed)
    tables = [
        rng.random((tree.rows(p), tree.columns(p)))
        * (rng.random((tree.rows(p), tree.columns(p))) < 0.8)
        for p in (0, 1)
    ]
    return Strategy.of(tree, (tables[0], tables[1]))


@pytest.mark.parametrize(
    "game",
    [
        leduc(),
        tiny_river(),
        tiny_turn(suits_alike=True),
        tiny_flop(suits_alike=True),
        fhp(deck="JQKA", cap=2),
    ],
    ids=lambda game: game.name,
)
@pytest.mark.parametrize("symmetry", [True, False])
def test_it_earns_the_best_value(game, symmetry):
    tree = PublicTree(game, symmetry=symmetry)
    strategy = drawn(tree)
    best = assess(strategy).best
    for player in (0, 1):
        answer = best_response(strategy, player).strategy
        found = assess(answer)
        assert found.values[player] == pytest.approx(best[player], abs=1e-12)
        assert found.gains[player] == pytest.approx(0, abs=1e-12)
        assert answer.tables[1 - player] is strategy.tables[1 - player]
        for node in answer.hands.decisions(0):
            if game.betting.player[node] == player:
                assert set(np.unique(answer.hands.rows(node, 0))) <= {0.0, 1.0}


def test_more_lines_than_one_chunk_holds():
    """With five bets a round the flop is worked on in pieces that share their room."""
    tree = PublicTree(fhp(deck="QKA", cap=5))
    assert tree.nodes.chunks[1, 1] - tree.nodes.chunks[1, 0] > 1
    strategy = drawn(tree)
    best = assess(strategy).best
    for player in (0, 1):
        answer = best_response(strategy, player).strategy
        assert assess(answer).values[player] == pytest.approx(best[player])


def test_players():
    with pytest.raises(ParameterError, match="from 0 to 1, not 2"):
        best_response(drawn(PublicTree(leduc())), 2)
