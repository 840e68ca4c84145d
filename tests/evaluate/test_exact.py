"""Values and best responses against the oracle over the rules, brute force and OpenSpiel."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterfold as cf
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.tree.sequence import sequence_form
from tests import naive
from tests.random_games import DrawnGame, Node, games, meeting_games, random_game
from tests.solvers.layout import rows, unflat


def table(strategy: cf.Strategy, game: Any) -> naive.Table:
    return unflat(strategy.tree, naive.uniform(game), strategy.probabilities)


def pure(tree: Any, seed: int) -> cf.Strategy:
    """A strategy that never mixes, so that most of the game is never reached."""
    drawn = np.random.default_rng(seed).random(tree.infosets.slots)
    start = tree.infosets.start.tolist()
    numbers = np.zeros(len(drawn))
    for lo, hi in pairwise(start):
        numbers[lo + drawn[lo:hi].argmax()] = 1.0
    return cf.Strategy.of(tree, numbers)


def check(game: Any, strategy: cf.Strategy) -> None:
    found = cf.assess(strategy)
    slow = table(strategy, game)
    assert found.values == pytest.approx(naive.values(game, slow), abs=1e-12)
    gains = naive.gains(game, slow)
    assert min(gains) > -1e-12
    assert found.gains == pytest.approx(gains, abs=1e-12)
    assert found.exploitability == pytest.approx(sum(gains) / game.players, abs=1e-12)
    assert cf.values(strategy) == found.values
    assert cf.value(strategy) == found.values[0]
    assert cf.nash_conv(strategy) == found.gains
    assert cf.exploitability(strategy) == found.exploitability


@settings(max_examples=60)
@given(game=games(), seed=st.integers(0, 100))
def test_random_games(game: Any, seed: int) -> None:
    tree = cf.compile_game(game)
    assert sequence_form(tree).perfect_recall
    for strategy in (cf.Strategy.uniform(tree), cf.Strategy.random(tree, seed), pure(tree, seed)):
        check(game, strategy)


@settings(max_examples=60)
@given(game=games(recall=False, depths=(3, 5)), seed=st.integers(0, 100))
def test_imperfect_recall_grants_the_responder_a_perfect_memory(game: Any, seed: int) -> None:
    tree = cf.compile_game(game)
    for strategy in (cf.Strategy.random(tree, seed), pure(tree, seed)):
        check(game, strategy)


@settings(max_examples=40)
@given(pair=st.booleans().flatmap(lambda recall: meeting_games(recall=recall)))
def test_merged_histories(pair: Any) -> None:
    apart, merged = pair
    tree = cf.compile_game(merged)
    assert (
        sequence_form(tree).perfect_recall == sequence_form(cf.compile_game(apart)).perfect_recall
    )
    check(merged, cf.Strategy.random(tree, 1))


@pytest.mark.pure
@pytest.mark.parametrize("game", [cf.Kuhn(), random_game(5, 3, 4), random_game(9, 1, 4)], ids=str)
def test_a_few(game: Any) -> None:
    for seed in range(3):
        check(game, cf.Strategy.random(game, seed))


def test_the_oracle_itself_by_brute_force() -> None:
    """The best of all pure strategies of Kuhn poker, one by one."""
    game = cf.Kuhn()
    tree = cf.compile_game(game)
    for seed in range(3):
        base = table(cf.Strategy.random(tree, seed), game)
        for player in range(2):
            mine = [infoset for infoset in base if infoset[0] == player]
            best = max(
                naive.values(game, {**base, **dict(zip(mine, plan, strict=True))})[player]
                for plan in product(([1.0, 0.0], [0.0, 1.0]), repeat=len(mine))
            )
            assert naive.best_value(game, player, [(1.0, base)]) == pytest.approx(best, abs=1e-12)


@settings(max_examples=40)
@given(game=games(), seed=st.integers(0, 100))
def test_the_best_response_earns_what_it_promises(game: Any, seed: int) -> None:
    strategy = cf.Strategy.random(game, seed)
    for player in range(game.players):
        answer = cf.best_response(strategy, player)
        assert answer.player == player
        assert set(np.unique(answer.strategy.probabilities[slots(strategy, player)])) <= {0.0, 1.0}
        others = np.delete(np.arange(strategy.infosets.slots), slots(strategy, player))
        assert np.array_equal(answer.strategy.probabilities[others], strategy.probabilities[others])
        earned = naive.values(game, table(answer.strategy, game))[player]
        best = naive.best_value(game, player, [(1.0, table(strategy, game))])
        assert answer.value == pytest.approx(best, abs=1e-12)
        assert earned == pytest.approx(best, abs=1e-12)


def slots(strategy: cf.Strategy, player: int) -> np.ndarray:
    owner = np.repeat(strategy.infosets.owner, strategy.infosets.sizes)
    return np.flatnonzero(owner == player)


@settings(max_examples=20)
@given(game=games(), seed=st.integers(0, 100))
def test_one_strategy_a_player(game: Any, seed: int) -> None:
    tree = cf.compile_game(game)
    each = [cf.Strategy.random(tree, seed + player) for player in range(game.players)]
    joint = {}
    for player, strategy in enumerate(each):
        joint |= {i: row for i, row in table(strategy, game).items() if i[0] == player}
    assert cf.values(*each) == pytest.approx(naive.values(game, joint), abs=1e-12)
    assert cf.nash_conv(*each) == pytest.approx(naive.gains(game, joint), abs=1e-12)


def test_forced_moves_teach_nothing() -> None:
    """A forced move whose observation forgets does not make recall imperfect."""
    game = DrawnGame(
        2,
        [
            Node(0, (1, 2), infoset="first"),
            Node(0, (3,), infoset="pass"),
            Node(0, (4,), infoset="pass"),
            Node(0, (5, 6), infoset="left"),
            Node(0, (7, 8), infoset="right"),
            *(Node(-2, payoff=(x, -x)) for x in (1.0, 2.0, 4.0, 3.0)),
        ],
    )
    tree = cf.compile_game(game)
    assert sequence_form(tree).perfect_recall
    assert cf.solve(game, "lp").value == pytest.approx(4)
    check(game, cf.Strategy.random(tree, 1))


def test_a_game_without_decisions() -> None:
    game = DrawnGame(
        3,
        [
            Node(-1, (1, 2), chances=(0.25, 0.75)),
            Node(-2, payoff=(4.0, 0.0, -1.0)),
            Node(-2, payoff=(0.0, 4.0, 1.0)),
        ],
    )
    strategy = cf.Strategy.uniform(game)
    assert cf.values(strategy) == (1.0, 3.0, 0.5)
    assert cf.exploitability(strategy) == 0
    assert cf.best_response(strategy, 1).value == 3.0
    result = cf.solve(game, until=cf.Until(iterations=3))
    assert result.values == (1.0, 3.0, 0.5)


def test_known_numbers() -> None:
    assert cf.assess(cf.Strategy.uniform(cf.Kuhn())).exploitability == pytest.approx(11 / 24)
    assert cf.value(cf.Strategy.uniform(cf.Kuhn())) == pytest.approx(1 / 8)
    uniform = cf.Strategy.uniform(cf.Goofspiel(cards=4))
    assert cf.best_response(uniform, 0).value == pytest.approx(0.708, abs=5e-4)


def test_the_equilibria_of_kuhn() -> None:
    """Player 1 bluffs with alpha, bets kings with 3 alpha, calls queens with alpha + 1/3."""
    tree = cf.compile_game(cf.Kuhn())
    where = rows(tree)
    for alpha in (0, 1 / 6, 1 / 3):
        numbers = np.tile([1.0, 0.0], 12)
        for player, name, p in (
            (0, "J", alpha), (0, "K", 3 * alpha), (0, "Q | check bet", alpha + 1 / 3),
            (0, "K | check bet", 1), (1, "J | check", 1 / 3), (1, "K | check", 1),
            (1, "K | bet", 1), (1, "Q | bet", 1 / 3),
        ):  # fmt: skip
            numbers[where[player, name]] = 1 - p, p
        strategy = cf.Strategy.of(tree, numbers)
        assert cf.exploitability(strategy) < 1e-15
        assert cf.value(strategy) == pytest.approx(-1 / 18)


def test_bad_requests() -> None:
    kuhn, leduc = cf.Strategy.uniform(cf.Kuhn()), cf.Strategy.uniform(cf.Leduc())
    with pytest.raises(MismatchError, match="leduc"):
        cf.value(kuhn, leduc)
    with pytest.raises(ParameterError, match="2 players"):
        cf.value(kuhn, kuhn, kuhn)
    for player in (-1, 2):
        with pytest.raises(ParameterError, match="player"):
            cf.best_response(kuhn, player)
    for wrong in ((), (5,), (kuhn, "kuhn")):
        with pytest.raises(ParameterError, match="a strategy is needed"):
            cf.exploitability(*wrong)
    with pytest.raises(ParameterError, match="and not None"):
        cf.best_response(None, 0)
    forgetful = next(
        game
        for game in (random_game(seed, 2, 5, recall=False) for seed in range(100))
        if not sequence_form(cf.compile_game(game)).perfect_recall
    )
    with pytest.raises(UnsupportedError, match="imperfect recall"):
        cf.best_response(cf.Strategy.uniform(forgetful), 0)
