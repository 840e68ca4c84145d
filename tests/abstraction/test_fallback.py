"""Strategies outside their game: the nearest answers, and a lifted strategy plays the same."""

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.curriculum import graph_values
from counterfold.abstraction.fallback import FallbackAgent, lifted, observations
from counterfold.abstraction.maps import Mapped, RelativeCards
from counterfold.agent import Observation
from counterfold.errors import MismatchError
from counterfold.games.base import label
from counterfold.games.cheat import Cheat
from counterfold.play.bots import Random
from counterfold.play.winning import win_rate
from counterfold.tree.history import compile_game


def solved(game, iterations=50):
    solver = cf.Solver(compile_game(game), "cfr", form="history")
    solver.step(iterations)
    return solver.strategy()


@pytest.mark.parametrize("view", ["memoryless", "hp", "general"])
@pytest.mark.parametrize("maps", [(), (RelativeCards(),)])
def test_a_lifted_strategy_is_worth_the_same(view, maps):
    game = Cheat(health=2, view=view)
    strategy = solved(Mapped(game, *maps) if maps else game, 20)
    full = lifted(strategy, compile_game(Cheat(health=2)))
    abstract = graph_values(strategy.tree, strategy.probabilities)
    assert cf.values(full) == pytest.approx(abstract, abs=1e-12)
    # Against a fixed opponent as well, so that each seat is right by itself.
    other = cf.Strategy.random(full.tree, 3)
    small = lifted(solved(game, 5), full.tree)
    assert cf.value(full, other) != pytest.approx(cf.value(small, other))


def test_observations_stand_in_the_order_of_infosets():
    for game in (Cheat(health=1), Mapped(Cheat(health=2, view="hp"), RelativeCards())):
        tree = compile_game(game)
        found = observations(tree)
        assert [label(seen.seen) for seen in found] == list(tree.infosets.labels)
        assert [seen.player for seen in found] == tree.infosets.owner.tolist()
        assert [tuple(map(label, seen.actions)) for seen in found] == list(tree.infosets.actions)


def test_the_nearest_answers_beyond_the_horizon():
    strategy = solved(Cheat(health=2, view="hp"))
    agent = FallbackAgent(strategy)
    large = Cheat(health=9)
    state = large.root()
    for event in ("1 gets 1xA", "1 gets 1x2", "2 gets 0xA", "2 gets 0x2", "2 begins", "3"):
        state = large.next(state, event)
    seen = Observation(0, large.observe(state, 0), large.actions(state))
    assert agent.odds(seen) == tuple(
        strategy.at("A 2", "rank A", "claim 1", "2:2", player=0).values()
    )
    assert (agent.known, agent.nearby, agent.lost) == (0, 1, 0)


def test_it_plays_games_that_were_never_compiled():
    agent = FallbackAgent(solved(Mapped(Cheat(health=3, view="hp"), RelativeCards())))
    rate = win_rate(Cheat(health=100), agent, Random, hands=200, seed=1)
    assert rate.low > 0.7
    assert agent.nearby > agent.lost
    assert agent.known == 0  # nobody comes down from 100 to 3 in these games
    win_rate(Cheat(health=3), agent, Random, hands=20, seed=1)
    assert agent.known > 0
    rate = win_rate(Cheat(health=None), agent, Random, hands=200, seed=1)
    assert rate.low > 0.7
    assert agent.lost == 0
    memoryless = FallbackAgent(solved(Cheat(health=3, view="memoryless")))
    assert win_rate(Cheat(health=None), memoryless, Random, hands=200, seed=1).low > 0.7
    assert memoryless.lost == memoryless.nearby == 0


def test_choices_follow_the_odds():
    strategy = solved(Cheat(health=1, view="memoryless"))
    agent, game = FallbackAgent(strategy), Cheat(health=1)
    state = game.root()
    for event in ("1 gets 1xA", "1 gets 1x2", "2 gets 0xA", "2 gets 0x2", "2 begins", "3"):
        state = game.next(state, event)
    seen = Observation(0, game.observe(state, 0), game.actions(state))
    rng = np.random.default_rng(1)
    drawn = [agent.act(seen, rng) for _ in range(2_000)]
    assert drawn.count("pass") / 2_000 == pytest.approx(agent.odds(seen)[0], abs=0.04)


def test_other_rules_are_refused():
    agent = FallbackAgent(cf.Strategy.uniform(Cheat(health=1, view="hp")))
    agent.begin(Cheat(health=50))
    with pytest.raises(MismatchError, match="no variant"):
        agent.begin(Cheat(ranks=4))
    with pytest.raises(MismatchError, match="no variant"):
        agent.begin(cf.Leduc())
    with pytest.raises(MismatchError, match="nothing to answer"):
        lifted(cf.Strategy.uniform(Cheat(health=1, view="hp")), compile_game(cf.Leduc()))
