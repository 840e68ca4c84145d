"""Safe exploitation at the table: what is played, what it risks, and an alpha that sets itself."""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.exploit.models import OpponentModel
from counterfold.play.agents import StrategyAgent
from counterfold.play.match import Match
from counterfold.play.record import read_record
from counterfold.play.safe import RestrictedAgent, SafeSearcher
from counterfold.searchers.bounds import safety_bound
from counterfold.searchers.opponents import shuffled


@pytest.fixture(scope="module")
def blueprint():
    return cf.solve(cf.load("leduc:ses"), "cfr+", until=cf.Until(iterations=300)).strategy


@pytest.fixture(scope="module")
def opponent(blueprint):
    """Mostly folds and never raises: far from the blueprint, also before the board."""
    infosets = blueprint.tree.infosets
    odds = {"fold": 0.1, "raise": 0.0, "bet": 0.05}
    habit = np.array([odds.get(a, 1.0) for row in infosets.actions for a in row])
    return cf.Strategy.of(blueprint.tree, infosets.to_one(habit))


@pytest.fixture(scope="module")
def informed(blueprint, opponent, tmp_path_factory):
    """A model that has seen many hands of that opponent."""
    path = tmp_path_factory.mktemp("hands") / "hands.jsonl"
    uniform = cf.Strategy.uniform(blueprint.tree)
    agents = StrategyAgent(opponent, "them"), StrategyAgent(uniform, "us")
    Match(blueprint.tree, *agents, seed=1).play(20_000, record=path)
    model = OpponentModel(blueprint, 10.0)
    hands = list(read_record(path).hands())
    model.learn([h.events for h in hands], [h.players.index(0) for h in hands])
    return model


def test_before_any_evidence_alpha_is_zero(blueprint):
    agent = SafeSearcher(blueprint, "auto", budget=1.0)
    for player in range(2):
        assert {
            agent.search(player, k).alpha for k in range(len(agent.searchers[0].engine.subgames))
        } == {0.0}


def test_alpha_grows_with_the_budget_and_keeps_to_it(blueprint, informed):
    alphas = []
    for budget in (0.0, 0.02, 0.2, 2.0):
        agent = SafeSearcher(blueprint, "auto", budget, model=informed, seed=3)
        found = [agent.search(1, k) for k in range(len(agent.searchers[0].engine.subgames))]
        assert max(one.rise for one in found) <= budget + agent.tolerance
        alphas.append(np.mean([one.alpha for one in found]))
    assert alphas[0] < alphas[1] < alphas[2] < alphas[3] <= 0.95


def test_the_same_distance_is_worth_less_when_the_model_is_unsure(blueprint, informed):
    few = OpponentModel(blueprint, 0.5)
    few.learn([("Ks", "Qh", "check", "check", "Qs", "check", "check")] * 2, player=0)
    unsure = SafeSearcher(blueprint, "auto", 1.0, model=few)
    sure = SafeSearcher(blueprint, "auto", 1.0, model=informed)
    number = next(
        k for k in range(15) if "check check" in sure.searchers[0].engine.subgames[k].name()
    )
    assert unsure.search(1, number).evidence < sure.search(1, number).evidence


@pytest.mark.parametrize("budget", [0.02, 0.3])
@pytest.mark.parametrize("player", [0, 1])
def test_the_certificate_holds(blueprint, informed, player, budget):
    agent = SafeSearcher(blueprint, "auto", budget, model=informed, tolerance=1e-4)
    found = agent.certificate(player)
    assert found.exploitability <= found.bound + 1e-9
    assert found.bound <= found.blueprint + budget + 1e-3
    assert found.exploitability <= found.theorem + 1e-9
    assert max(found.alphas) > 0
    # The measure itself: the game's value less what a best response leaves.
    value = -0.0524557485 * (1 if player == 0 else -1)
    left = -cf.best_response(found.strategy, 1 - player).value
    assert found.exploitability == pytest.approx(value - left, abs=1e-6)


def test_alpha_zero_is_safe_and_a_search_only_touches_subgames(blueprint):
    agent = SafeSearcher(blueprint, 0.0, tolerance=1e-4)
    for player in range(2):
        found = agent.certificate(player)
        assert found.exploitability <= found.blueprint + 1e-3
    played = agent.strategy().probabilities
    outside = agent.searchers[0].engine.subgames.outside
    np.testing.assert_array_equal(played[outside], blueprint.probabilities[outside])
    assert (played[~outside] != blueprint.probabilities[~outside]).any()


def test_believing_a_true_range_wins_more(blueprint, opponent, informed):
    def wins(alpha):
        agent = SafeSearcher(blueprint, alpha, model=informed, tolerance=1e-4)
        now = agent.strategy()
        return cf.values(now, opponent)[0] + cf.values(opponent, now)[1]

    assert wins(0.9) > wins(0.0) + 0.02


def test_it_plays_what_it_says(blueprint):
    """Frequencies of the agent at the table are those of its strategy, while it learns nothing."""
    agent = SafeSearcher(blueprint, 0.5)
    agent.model.learn_seen = lambda hand: None  # type: ignore[method-assign]
    strategy = agent.strategy()
    other = StrategyAgent(cf.Strategy.uniform(blueprint.tree))
    score = Match(blueprint.tree, agent, other, seed=1, stranger=0).play(1_500).scores[0]
    exact = (cf.values(strategy, other.strategy)[0] + cf.values(other.strategy, strategy)[1]) / 2
    assert abs(score.reduced.mean - exact) < 1.5 * score.reduced.half
    assert score.reduced.half < 0.7 * score.plain.half


def test_it_learns_while_it_plays(blueprint, opponent):
    agent = SafeSearcher(blueprint, "auto", budget=0.5, seed=2)
    Match(blueprint.tree, agent, StrategyAgent(opponent, "them"), seed=1).play(400)
    assert agent.model.hands == 400
    assert agent.cpu_seconds > 0
    assert (
        max(agent.search(1, k).alpha for k in range(len(agent.searchers[0].engine.subgames))) > 0.1
    )


def test_a_restricted_agent_beats_who_it_models(blueprint, opponent):
    agent = RestrictedAgent(blueprint, 0.8, every=100)
    Match(blueprint.tree, agent, StrategyAgent(opponent, "them"), seed=1).play(1_000)
    now = agent.strategy()
    won = (cf.values(now, opponent)[0] + cf.values(opponent, now)[1]) / 2
    still = (cf.values(blueprint, opponent)[0] + cf.values(opponent, blueprint)[1]) / 2
    assert won > still + 0.1


def test_wrong_settings_are_told(blueprint):
    for alpha in (-0.1, 1.1, "much"):
        with pytest.raises(ParameterError, match="and must be from 0 to 1, or auto"):
            SafeSearcher(blueprint, alpha)
    with pytest.raises(ParameterError, match="budget"):
        SafeSearcher(blueprint, "auto", -1.0)
    with pytest.raises(ParameterError, match="p is 2"):
        RestrictedAgent(blueprint, 2)
    with pytest.raises(ParameterError, match="every is 0"):
        RestrictedAgent(blueprint, 0.5, every=0)
    with pytest.raises(UnsupportedError):
        SafeSearcher(cf.Strategy.uniform(cf.Kuhn(players=3)), 0.5)


def test_shuffled_opponents_stay_near(blueprint):
    near = shuffled(blueprint, 0.7, 1)
    mean = np.abs(near.probabilities - blueprint.probabilities).sum() / len(near.infosets.owner)
    assert 0.05 < mean < 0.4


def test_theorem_one_needs_a_small_alpha():
    assert safety_bound(0.6, 0.01, 0.5) == np.inf
