"""Hands that are dealt and played come to what exact walks say."""

import numpy as np
import pytest

from counterfold.errors import MismatchError, ParameterError
from counterfold.evaluate.exact import assess
from counterfold.evaluate.public_sampling import _Table, play_hands
from counterfold.poker.holdem import fhp, kuhn, leduc
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from tests.evaluate.test_public_response import drawn
from tests.naive_poker import tiny_flop, tiny_turn

GAMES = [
    kuhn(),
    leduc(),
    tiny_turn(suits_alike=True, rake=(0.05, 3.0)),
    tiny_flop(suits_alike=True),
    fhp(deck="TJQK", cap=2),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_means_are_the_exact_values(game):
    tree = PublicTree(game)
    strategy = drawn(tree, 5)
    exact = assess(strategy).values
    found = play_hands(strategy, strategy, 60_000, np.random.default_rng(2))
    for p in (0, 1):
        assert 0 < found.error[p] < 0.2
        assert abs(found.mean[p] - exact[p]) < 3 * found.error[p]


def test_each_player_plays_its_own_strategy():
    tree = PublicTree(leduc())
    bold, meek = (
        Strategy.of(
            tree, tuple(np.zeros((tree.rows(p), tree.columns(p))) for p in (0, 1))
        )
        for _ in range(2)
    )  # fmt: skip
    for strategy, last in ((bold, True), (meek, False)):
        for board in range(len(tree.boards)):
            for node in strategy.hands.decisions(board):
                owner = int(tree.game.betting.player[node])
                rows = tree.row(board, node)
                strategy.tables[owner][rows.stop - 1 if last else rows.start] = 1
    found = play_hands(bold, meek, 100, np.random.default_rng(0))
    assert found.mean == (1.0, -1.0)  # every bet wins the ante
    assert found.error == (0.0, 0.0)
    turned = play_hands(meek, bold, 100, np.random.default_rng(0))
    assert turned.mean == (-1.0, 1.0)


def test_cards_are_dealt_once():
    game = fhp(deck="QKA", cap=2)
    strategy = Strategy.uniform(PublicTree(game))
    table = _Table(strategy, strategy, 2000, np.random.default_rng(3))
    table.play()
    seen = table.dealt[:, 0] < 52
    cards = np.concatenate(
        [table.cards[table.holes[seen]].reshape(-1, 4), table.dealt[seen]], axis=1
    )
    assert seen.sum() > 500
    assert all(len(set(row)) == 7 for row in cards.tolist())
    assert set(np.unique(cards)) == set(game.rules.deck)


def test_refused():
    uniform = Strategy.uniform(PublicTree(kuhn()))
    other = Strategy.uniform(PublicTree(leduc()))
    with pytest.raises(MismatchError, match="different games"):
        play_hands(uniform, other, 10, np.random.default_rng(0))
    with pytest.raises(ParameterError, match="hands is 1"):
        play_hands(uniform, uniform, 1, np.random.default_rng(0))
