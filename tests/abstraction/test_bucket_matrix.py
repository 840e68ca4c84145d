"""What strategies over buckets win from each other, against exact values of every seating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction import bucket_matrix
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_matrix import Matrix, winnings
from counterfold.abstraction.buckets import every_hand, starting_hands
from counterfold.errors import MismatchError, UnsupportedError
from counterfold.poker import holdem
from counterfold.strategy.strategy import Strategy
from counterfold.tree.named import poker_game
from tests.abstraction.test_edge_betting import by_history, edge_form, history_cut

GAMES = {
    "kuhn of two": holdem.kuhn(),
    "kuhn of three": holdem.kuhn(players=3),
    "leduc of two": holdem.leduc(),
    "leduc of three": holdem.leduc(players=3, max_raises=1),
}


def some(name: str) -> list[Strategy[BucketForm]]:
    form = BucketForm(GAMES[name], every_hand(GAMES[name]))
    return [Strategy.uniform(form), Strategy.random(form, 1), Strategy.random(form, 2)]


def exactly(strategies: Sequence[Strategy[Any]]) -> np.ndarray:
    """By the value of every seating."""
    found, players = np.zeros((len(strategies),) * 2), strategies[0].players
    for i, one in enumerate(strategies):
        for j, other in enumerate(strategies):
            for p in range(players) if i != j else ():
                seats = [one if q == p else other for q in range(players)]
                tables = one.layout.combine([each.tables for each in seats])
                worth = cf.assess(Strategy(one.layout, tables)).values[p]
                found[i, j] += worth / players
    return found


def off(found: Matrix, wanted: np.ndarray) -> float:
    """By how many standard errors, at the most; rounding beside."""
    assert np.abs(wanted).max() > 0.05
    return float((np.abs(found.wins - wanted) / (found.error + 1e-6)).max())


@pytest.mark.parametrize("name", GAMES)
def test_the_matrix_is_that_of_all_seatings(name: str) -> None:
    strategies = some(name)
    found = winnings(strategies, 3_000, seed=3)
    assert off(found, exactly(strategies)) < 4
    assert found.error.max() < (1e-6 if "kuhn" in name else 0.005)  # no board, no luck


def test_lines_left_out_at_times_change_nothing_on_average(monkeypatch) -> None:
    strategies = some("leduc of three")
    whole = winnings(strategies, 3_000, seed=3)
    monkeypatch.setattr(bucket_matrix, "LEAST", 3.0)
    found = winnings(strategies, 3_000, seed=3)
    assert off(found, exactly(strategies)) < 4
    assert (found.error + np.eye(3) > 1.1 * whole.error).all()


@pytest.mark.parametrize("players", [2, 3])
def test_continuations_behind_a_depth_limit(players: int) -> None:
    form, cut = edge_form(players), history_cut(players)
    solver = cf.Solver(form, "linear", "external", seed=1)
    strategies = [solver.strategy()]
    for iterations in (30, 1_000):
        solver.step(iterations)
        strategies.append(solver.strategy())
    wanted = exactly([by_history(strategy, cut) for strategy in strategies])
    found = winnings(strategies, 6_000, seed=5)
    assert off(found, wanted) < 4
    assert found.error.max() < 0.01


def test_any_number_of_threads_draws_the_same_boards() -> None:
    one, two = (winnings(some("leduc of three"), 600, threads=count) for count in (1, 2))
    assert np.array_equal(one.wins, two.wins)


def test_who_cannot_sit_down_together() -> None:
    with pytest.raises(MismatchError, match="cannot play one of"):
        winnings([some("kuhn of two")[0], some("leduc of two")[0]], 10)
    table = BucketForm(poker_game("holdem:jamfold(players=4,stack=6)"), (starting_hands(),))
    with pytest.raises(UnsupportedError, match="for 2 or 3"):
        winnings([Strategy.uniform(table)] * 2, 10)
