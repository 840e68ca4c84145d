"""Agents by name: what each of them is, and what is said about names that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import CounterfoldError
from counterfold.play.agents import AGENTS, StrategyAgent
from counterfold.tree.history import compile_game

BOT = """
class Bot:
    def __init__(self, action="bet"):
        self.action = action

    def act(self, observation, rng):
        return self.action if self.action in observation.actions else observation.actions[0]

class NoAgent:
    pass

class Picky:
    def __init__(self):
        raise RuntimeError("not today")

    def act(self, observation, rng):
        return None
"""


@pytest.fixture(scope="module")
def tree():
    return compile_game(cf.Leduc())


def test_every_named_agent_can_be_made(tree):
    for name in AGENTS.keys() - {"tight", "loose", "maniac"}:  # of hold'em: test_poker_bots.py
        agent = cf.make_agent("best-response(uniform)" if name == "best-response" else name, tree)
        seen = cf.Observation(0, ("K", ""), ("check", "bet"))
        assert agent.act(seen, np.random.default_rng(1)) in seen.actions


def test_a_sophisticated_opponent_is_near_equilibrium_with_a_flaw(tree):
    flaws = [
        cf.exploitability(cf.make_agent(f"sophisticated(flaw={flaw})", tree).strategy)
        for flaw in (0, 0.1, 0.25)
    ]
    assert flaws[0] < 1e-4 < flaws[1] < flaws[2] < 1.2  # uniform play: 2.37
    one, two = (cf.make_agent(f"sophisticated(seed={s})", tree).strategy for s in (1, 2))
    assert (one.probabilities != two.probabilities).any()


def test_a_random_opponent_is_kept_by_its_seed(tree):
    one, two, three = (cf.make_agent(f"random(seed={s})", tree).strategy for s in (1, 1, 2))
    assert (one.probabilities == two.probabilities).all()
    assert (one.probabilities != three.probabilities).any()


def test_a_best_response_is_one_in_every_seat(tree):
    agent = cf.make_agent("best-response(random(seed=1))", tree)
    target = cf.Strategy.random(tree, 1)
    for player in range(2):
        pair = (agent.strategy, target) if player == 0 else (target, agent.strategy)
        best = cf.best_response(target, player).value
        assert cf.values(*pair)[player] == pytest.approx(best, abs=1e-9)


def test_a_strategy_file_is_an_agent(tree, tmp_path):
    strategy = cf.Strategy.random(tree, 4)
    strategy.save(tmp_path / "mine.safetensors")
    agent = cf.make_agent(str(tmp_path / "mine.safetensors"), tree)
    np.testing.assert_array_equal(agent.strategy.probabilities, strategy.probabilities)


def test_an_agent_of_ones_own_is_found_in_its_file(tree, tmp_path):
    (tmp_path / "bots.py").write_text(BOT)
    agent = cf.make_agent(f"{tmp_path}/bots.py:Bot(action=call)", tree)
    assert agent.action == "call"
    assert agent.name.endswith("bots.py:Bot(action=call)")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("unifrom", "did you mean 'uniform'"),
        ("nobody at all", "there is no agent 'nobody at all'; there are uniform, random"),
        ("missing.safetensors", "there is no file missing.safetensors"),
        ("random(seed=-1)", "seed must be a whole number"),
        ("random(sead=1)", "has parameters that random does not take"),
        ("sophisticated(flaw=2)", "flaw must be from 0 to 1"),
        ("dynamic(every=0)", "every must be a whole number"),
        ("best-response(q)", "needs a fixed strategy"),
        ("best-response", "say what to respond to"),
        ("ses(alpha=2)", "alpha is 2, and must be from 0 to 1"),
        ("ses(point='seen:K*')", "public point"),
        ("ses(blueprint=none.safetensors)", "there is no file"),
        ("rnr(p=-1)", "p is -1"),
        ("{bots}", "say which of its classes"),
        ("q(rate=5)", "rate must be above 0"),
        ("nobots.py:Bot", "there is no such file"),
        ("{bots}:Nobody", "has no class 'Nobody'"),
        ("{bots}:NoAgent", "lacks the method act"),
        ("{bots}:Picky", "cannot be made: RuntimeError: not today"),
        ("{bots}:Bot(1,2,3)", "cannot be made: TypeError"),
    ],
)
def test_wrong_agents_are_told_in_one_sentence(tree, tmp_path, spec, told):
    (tmp_path / "bots.py").write_text(BOT)
    with pytest.raises(CounterfoldError, match=told) as raised:
        cf.make_agent(spec.format(bots=f"{tmp_path}/bots.py"), tree)
    assert "\n" not in str(raised.value)


def test_acting_follows_the_strategy(tree):
    strategy = cf.Strategy.random(tree, 3)
    agent, rng = StrategyAgent(strategy), np.random.default_rng(1)
    seen = cf.Observation(0, ("K", ""), ("check", "bet"))
    share = np.mean([agent.act(seen, rng) == "bet" for _ in range(4_000)])
    wanted = strategy.at("K", player=0)["bet"]
    assert abs(share - wanted) < 3 * np.sqrt(wanted * (1 - wanted) / 4_000)
