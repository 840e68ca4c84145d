"""Compiled games of Cheat: win rates against exact values, and against the Python table."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.contest import contest
from counterfold.abstraction.coverage import all_deals
from counterfold.abstraction.deal_form import DealForm
from counterfold.abstraction.fallback import observations
from counterfold.abstraction.maps import LastRounds, Mapped, RelativeCards
from counterfold.agent import Observation
from counterfold.errors import ParameterError
from counterfold.games.base import TERMINAL
from counterfold.games.cheat import Cheat
from counterfold.games.cheat_states import Turn
from counterfold.play.bots import Heuristic, Random
from counterfold.play.match import Match
from tests.abstraction.test_deals import dealing


@pytest.mark.parametrize("view", ["hp", "general", "perfect"])
def test_rates_are_those_of_exact_values(view: str) -> None:
    game = Cheat(health=2, view=view)
    solver = dealing(game, seed=1)
    solver.step(40)
    tree = cf.compile_game(game)
    strategy, places = solver.strategy(), observations(tree)
    shares = [strategy.at(*place.seen, player=place.player).values() for place in places]
    learned = cf.Strategy.of(tree, np.array([share for at in shares for share in at]))
    even = cf.Strategy.uniform(tree)
    # The agents change seats from game to game.
    worth = (cf.value(learned, even) - cf.value(even, learned)) / 2
    played = contest(game, solver.strategy(), "random", games=40_000, seed=2)
    assert worth > 0.2
    assert sum(played.wins) == played.games
    assert played.rate == pytest.approx((1 + worth) / 2, abs=4 * played.margin / 1.96)
    turned = contest(game, "random", solver.strategy(), games=40_000, seed=3)
    assert turned.rate == pytest.approx((1 - worth) / 2, abs=4 * turned.margin / 1.96)


def test_bots_win_as_often_as_at_the_table() -> None:
    game = Cheat(health=2)
    hands = 600
    match = Match(game, Heuristic(), Random(), seed=4).play(hands)
    won = match.scores[0].plain.mean
    compiled = contest(game, "heuristic", "random", games=40_000)
    assert 2 * compiled.rate - 1 == pytest.approx(won, abs=4 * (1 - won**2) ** 0.5 / hands**0.5)


def test_the_heuristic_bot_remembers_in_compiled_games() -> None:
    # It draws no lots, so each deal has one course between two of them.
    game = Cheat(ranks=4, copies=2, hand=3, health=4)
    lengths, odds = [], []
    for deal, chance in all_deals(game):
        state = Turn(deal.hands, (0,) * 4, (4, 4), deal.starter, 0, None, -1, -1, ("", ""))
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
    played = contest(game, "heuristic", "heuristic", games=40_000)
    assert played.turns / played.games == pytest.approx(mean, abs=4 * spread / 200)


def test_health_points_beyond_the_training_are_answered_as_the_highest_known() -> None:
    solver = dealing(Cheat(health=2, view="hp"), seed=1)
    solver.step(60)
    home = contest(Cheat(health=2), solver.strategy(), "random", games=20_000)
    away = contest(Cheat(health=50), solver.strategy(), "random", games=20_000)
    assert home.rate > 0.7
    assert away.rate > 0.62
    blind = cf.Strategy.uniform(DealForm(Cheat(health=2, view="hp")))  # has learned nothing
    played = contest(Cheat(health=50), blind, "random", games=20_000)
    assert played.rate == pytest.approx(0.5, abs=0.015)


def test_a_curriculum_begins_where_the_smaller_game_ended() -> None:
    def variant(health: int) -> Mapped:
        return Mapped(Cheat(health=health, view="general"), RelativeCards(), LastRounds(3))

    smaller, larger = dealing(variant(3), seed=1), dealing(variant(4))
    smaller.step(60)
    larger.engine.inherit(smaller.engine)
    begun = contest(Cheat(health=4), larger.strategy(), "random", games=20_000)
    carried = contest(Cheat(health=4), smaller.strategy(), "random", games=20_000)
    assert begun.rate == pytest.approx(carried.rate, abs=0.015)
    assert begun.rate > 0.6


def test_games_are_told_by_their_seed() -> None:
    one, same, other = (
        contest(Cheat(), "heuristic", "random", games=500, seed=seed) for seed in (1, 1, 2)
    )
    assert one == same != other
    assert np.isfinite(one.margin)


def test_what_does_not_fit_is_refused() -> None:
    learned = cf.Strategy.uniform(DealForm(Cheat()))
    with pytest.raises(ParameterError, match="no bot"):
        contest(Cheat(), "clever", "random")
    with pytest.raises(ParameterError, match="only one"):
        contest(Cheat(), learned, learned)
    with pytest.raises(ParameterError, match="has 2 players"):
        contest(Cheat(), learned)
