"""Compiled games of Cheat: win rates against exact values, and against the Python table."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.coverage import all_deals
from counterfold.abstraction.deals import Deal, DealSolver, Lens
from counterfold.abstraction.duels import duel
from counterfold.agent import Observation
from counterfold.errors import ParameterError
from counterfold.games.base import CHANCE, TERMINAL, label
from counterfold.games.cheat import Cheat, Turn
from counterfold.play.bots import Heuristic, Random
from counterfold.play.match import Match


@pytest.mark.parametrize("view", ["hp", "general", "perfect"])
def test_rates_are_those_of_exact_values(view: str) -> None:
    game = Cheat(health=2, view=view)
    solver = DealSolver(game, Lens(view), seed=1)
    solver.step(40)
    tree = cf.compile_game(game)
    rows = {
        (tree.infosets.labels[i], int(tree.infosets.owner[i])): int(tree.infosets.start[i])
        for i in range(len(tree.infosets.owner))
    }
    probabilities = tree.infosets.evenly()
    left = [(game.root(), None, ())]
    while left:
        state, deal, moves = left.pop()
        player = game.turn(state)
        if player == TERMINAL:
            continue
        if player == CHANCE:
            for outcome, _ in game.chance(state):
                after = game.next(state, outcome)
                known = None if game.turn(after) == CHANCE else (after.hands, after.seat)
                left.append((after, known, ()))
            continue
        slot = rows[label(game.observe(state, player)), player]
        found = solver.at(Deal(*deal), moves)
        if found is not None:
            probabilities[slot : slot + len(found)] = found
        for number, action in enumerate(game.actions(state)):
            left.append((game.next(state, action), deal, (*moves, number)))
    learned = cf.Strategy.of(tree, probabilities)
    even = cf.Strategy.uniform(tree)
    # The agents change seats from game to game.
    worth = (cf.value(learned, even) - cf.value(even, learned)) / 2
    played = duel(game, solver.learned(), "random", games=40_000, seed=2)
    assert worth > 0.2
    assert played.wins + played.losses == played.games
    assert played.rate == pytest.approx((1 + worth) / 2, abs=4 * played.margin / 1.96)
    turned = duel(game, "random", solver.learned(), games=40_000, seed=3)
    assert turned.rate == pytest.approx((1 - worth) / 2, abs=4 * turned.margin / 1.96)


def test_bots_win_as_often_as_at_the_table() -> None:
    game = Cheat(health=2)
    hands = 600
    match = Match(game, Heuristic(), Random(), seed=4).play(hands)
    won = match.scores[0].plain.mean
    compiled = duel(game, "heuristic", "random", games=40_000)
    assert 2 * compiled.rate - 1 == pytest.approx(won, abs=4 * (1 - won**2) ** 0.5 / hands**0.5)


def test_the_heuristic_bot_remembers_in_compiled_games() -> None:
    # It draws no lots, so each deal has one course between two of them.
    game = Cheat(ranks=4, copies=2, hand=3, health=4)
    lengths, odds = [], []
    for deal, chance in all_deals(game):
        state = Turn(deal.hands, (0,) * 4, (4, 4), deal.starter, 0, None, -1, ("", ""), -1)
        bot = Heuristic()
        bot.begin(game)
        turns = 0
        while game.turn(state) != TERMINAL:
            player = game.turn(state)
            seen = Observation(player, game.observe(state, player), tuple(game.actions(state)))
            turns += state.laid is None
            state = game.next(state, bot.act(seen, np.random.default_rng(0)))
        lengths.append(turns)
        odds.append(chance)
    mean = np.dot(odds, lengths)
    spread = np.sqrt(np.dot(odds, (np.array(lengths) - mean) ** 2))
    played = duel(game, "heuristic", "heuristic", games=40_000)
    assert played.turns / played.games == pytest.approx(mean, abs=4 * spread / 200)


def test_health_points_beyond_the_training_are_answered_as_the_highest_known() -> None:
    solver = DealSolver(Cheat(health=2), Lens("hp"), seed=1)
    solver.step(60)
    home = duel(Cheat(health=2), solver.learned(), "random", 20_000)
    away = duel(Cheat(health=50), solver.learned(), "random", 20_000)
    assert home.rate > 0.7
    assert away.rate > 0.62
    blind = DealSolver(Cheat(health=2), Lens("hp")).learned()  # has learned nothing
    assert duel(Cheat(health=50), blind, "random", 20_000).rate == pytest.approx(0.5, abs=0.015)


def test_a_curriculum_begins_where_the_smaller_game_ended() -> None:
    lens = Lens("general", cards=True, rounds=3)
    smaller = DealSolver(Cheat(health=3), lens, seed=1)
    smaller.step(60)
    larger = DealSolver(Cheat(health=4), lens, before=smaller.learned())
    begun = duel(Cheat(health=4), larger.learned(), "random", 20_000)
    carried = duel(Cheat(health=4), smaller.learned(), "random", 20_000)
    assert begun.rate == pytest.approx(carried.rate, abs=0.015)
    assert begun.rate > 0.6


def test_games_are_told_by_their_seed() -> None:
    one, same, other = (duel(Cheat(), "heuristic", "random", 500, seed) for seed in (1, 1, 2))
    assert one == same != other
    assert np.isfinite(one.margin)


def test_what_does_not_fit_is_refused() -> None:
    learned = DealSolver(Cheat(), Lens("hp")).learned()
    with pytest.raises(ParameterError, match="no bot"):
        duel(Cheat(), "clever", "random")
    with pytest.raises(ParameterError, match="only one"):
        duel(Cheat(), learned, learned)
