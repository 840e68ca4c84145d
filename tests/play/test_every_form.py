"""Strategies of one game in both forms play alike: at the table, in compiled code, and exactly."""

from functools import cache

import numpy as np
import pytest

import counterfold as cf
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.buckets import every_hand
from counterfold.abstraction.deal_form import DealForm
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.exploit.line_model import LineModel
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.play.agents import answer_to, make_agent
from counterfold.play.bots import seated
from counterfold.play.safe import RestrictedAgent, SafeSearcher
from counterfold.poker import holdem
from counterfold.poker.game import DECISION
from counterfold.poker.rules import PokerRules
from counterfold.solvers.result import equilibrium_of
from counterfold.tree.public import PublicTree
from tests.played_poker import as_strategy
from tests.public_layout import BothForms


@pytest.fixture(scope="module")
def leduc():
    return BothForms(holdem.leduc())


@pytest.fixture(scope="module")
def pairs(leduc):
    """A strategy that beats another one, each as both forms have it: history, then public."""
    weak, other = (cf.Strategy.random(leduc.history, seed) for seed in (1, 2))
    mixed = (answer_to(weak).probabilities + other.probabilities) / 2
    made = []
    for history in (cf.Strategy.of(leduc.history, mixed), weak):
        tables = tuple(leduc.tables_of(history.probabilities, scaled=False))
        made.append((history, cf.Strategy.of(leduc.tree, tables)))
    return made


def agents(pairs, form):
    return [cf.StrategyAgent(pair[form], f"agent {n}") for n, pair in enumerate(pairs)]


def test_every_infoset_is_played_alike(leduc, pairs):
    rules = PokerRules(leduc.poker)
    tree = cf.compile_game(rules)
    for history, public in pairs:
        played = as_strategy(tree, rules, cf.StrategyAgent(public))
        assert cf.values(played) == pytest.approx(cf.values(history), abs=1e-12)
        for player in (0, 1):
            wanted = cf.best_response(history, player).value
            assert cf.best_response(played, player).value == pytest.approx(wanted, abs=1e-12)


def test_exact_results_are_equal_and_matches_come_to_them(leduc, pairs):
    compiled = cf.Match(leduc.history, *agents(pairs, 0), seed=5)
    table = cf.Match(leduc.poker, *agents(pairs, 1), seed=6)
    assert compiled.compiled
    assert not table.compiled
    exact = compiled.exact()
    one, two = (pair[0] for pair in pairs)
    assert exact[0] == pytest.approx((cf.value(one, two) - cf.value(two, one)) / 2, abs=1e-12)
    assert table.exact() == pytest.approx(exact, abs=1e-12)
    assert abs(exact[0]) > 0.3, "so that it matters who plays what"
    for match, hands in ((compiled, 100_000), (table, 3_000)):
        score = match.play(hands).scores[0]
        error = score.plain.half / 1.96
        assert score.exact == pytest.approx(exact[0], abs=1e-12)
        assert abs(score.plain.mean - exact[0]) < 3 * error
        assert error < abs(exact[0]) / 3, "or the error would hide the other's result"


def test_a_tournament_at_a_table_has_the_exact_results_of_the_compiled_one(leduc, pairs):
    compiled = cf.tournament(leduc.history, agents(pairs, 0), hands=20)
    table = cf.tournament(leduc.poker, agents(pairs, 1), hands=20, matches=2)
    assert table.meetings[0].exact == pytest.approx(compiled.meetings[0].exact, abs=1e-12)
    cell = table.cell(0, 1)
    assert (cell.mean, cell.half) == (table.meetings[0].exact[0], 0.0)
    assert table.ranking[0].agent == compiled.ranking[0].agent


def test_forms_meet_at_one_table(leduc, pairs):
    """Whoever plays by hands and whoever plays by infosets, if the rules are the same."""
    rules = PokerRules(leduc.poker)
    tree = cf.compile_game(rules)
    one = cf.StrategyAgent(pairs[0][1], "hands")
    two = cf.StrategyAgent(as_strategy(tree, rules, cf.StrategyAgent(pairs[1][1])), "infosets")
    exact = cf.Match(leduc.poker, *agents(pairs, 1)).exact()[0]
    for game in (tree, leduc.poker):
        match = cf.Match(game, one, two, seed=3)
        assert not match.compiled
        assert match.exact() is None
        score = match.play(1_000).scores[0]
        assert not any(match.faults)
        assert abs(score.plain.mean - exact) < 3 * score.plain.half / 1.96
        if score.reduced is not None:
            assert abs(score.reduced.mean - exact) < 3 * score.reduced.half / 1.96


def test_another_game_is_refused(leduc, pairs):
    other = holdem.leduc(raises=(1, 2))
    for form in (0, 1):
        with pytest.raises(MismatchError, match="another game"):
            cf.Match(other, *agents(pairs, form))
    with pytest.raises(MismatchError, match="another game"):
        cf.Match(cf.Kuhn(), *agents(pairs, 1))


def test_names_mean_the_same_in_both_forms(leduc):
    history, public = leduc.history, leduc.tree
    for name in ("uniform", "equilibrium", "best-response(uniform)"):
        one, two = (make_agent(name, form).strategy for form in (history, public))
        assert cf.values(two) == pytest.approx(cf.values(one), abs=1e-4)
        assert cf.exploitability(two) == pytest.approx(cf.exploitability(one), abs=1e-4)
    assert cf.exploitability(equilibrium_of(public)) < 1e-4
    assert equilibrium_of(public) is equilibrium_of(public)
    drawn = [make_agent(f"random(seed={seed})", public).strategy for seed in (1, 1, 2)]
    assert cf.values(drawn[0]) == cf.values(drawn[1]) != cf.values(drawn[2])
    dynamic = make_agent("dynamic(every=5)", public)
    assert dynamic.phase(7).until == 10
    assert cf.Match(leduc.poker, dynamic, make_agent("uniform", public)).play(20).hands == 20


def test_files_play_in_either_symmetry(tmp_path):
    poker = holdem.leduc()
    path = str(tmp_path / "leduc.safetensors")
    cf.Strategy.random(PublicTree(poker, symmetry=False), 1).save(path)
    loaded, uniform = seated(PokerRules(poker), [path, "uniform"], PublicTree(poker))
    assert not loaded.strategy.tree.symmetry
    assert uniform.strategy.tree.symmetry
    match = cf.Match(poker, loaded, uniform)
    assert match.exact() is None
    assert not any(match.play(50).faults)


@pytest.fixture(scope="module")
def blueprints(leduc):
    """A near-equilibrium in both forms: history, then public."""
    history = cf.solve(leduc.history, "cfr+", until=cf.Until(iterations=300)).strategy
    tables = tuple(leduc.tables_of(history.probabilities, scaled=False))
    return history, cf.Strategy.of(leduc.tree, tables)


@pytest.fixture(scope="module")
def weak(leduc):
    """Hardly ever folds or raises, also before the board."""
    likes = {"fold": 0.05, "raise": 0.02, "bet": 0.05}
    uniform = cf.Strategy.uniform(leduc.tree)
    tables = uniform.layout.weighed(uniform.tables, lambda action: likes.get(action, 1.0))
    return cf.Strategy.of(leduc.tree, tables)


def test_safe_search_is_measured_alike_in_both_forms(blueprints):
    risks = []
    for blueprint in blueprints:
        agent = SafeSearcher(blueprint, 0.5, tolerance=1e-4)
        both = [agent.certificate(player) for player in (0, 1)]
        risks.append(sum(one.blueprint for one in both) / 2)
        for one in both:
            assert one.exploitability <= one.bound + agent.tolerance
            assert set(one.alphas) == {0.5}
        played = cf.exploitability(agent.strategy())
        assert sum(one.exploitability for one in both) / 2 == pytest.approx(played, abs=1e-6)
        assert risks[-1] == pytest.approx(cf.exploitability(blueprint), abs=1e-6)
    assert risks[0] == pytest.approx(risks[1], abs=1e-6)


def test_safe_search_from_a_blueprint_over_buckets(tmp_path):
    """It risks what the same blueprint does hand by hand, and sits down by its file."""
    poker = holdem.leduc()
    form = BucketForm(poker, every_hand(poker))
    solver = cf.Solver(form, "linear", "external", seed=1)
    solver.step(20_000)
    solver.save(tmp_path / "coarse.cf")
    whole = by_hand(solver.strategy())
    agents = [SafeSearcher(one, 0.5) for one in (solver.strategy(), whole)]
    one, two = (agent.certificate(0) for agent in agents)
    assert one.blueprint == pytest.approx(cf.assess(whole).gains[1], abs=1e-6)
    assert one.exploitability == pytest.approx(two.exploitability, abs=1e-6)
    assert one.exploitability <= one.bound + agents[0].tolerance
    assert one.alphas == two.alphas
    tree = PublicTree(poker, symmetry=False)
    spec = f"ses(alpha=0.3,blueprint={tmp_path / 'coarse.cf'})"
    match = cf.Match(poker, *(make_agent(name, tree) for name in (spec, "uniform")), seed=2)
    assert not any(match.play(4).faults), match.messages
    with pytest.raises(UnsupportedError, match="neither by histories nor by all hands"):
        SafeSearcher(cf.Strategy.uniform(DealForm(cf.Cheat(health=1))), 0.5)


def test_safe_search_learns_on_a_public_tree(leduc, blueprints, weak):
    blueprint = blueprints[1]
    before = SafeSearcher(blueprint, "auto", budget=1.0)
    assert {before.search(player, 3).alpha for player in (0, 1)} == {0.0}, "nothing is known yet"
    model, budget = LineModel(blueprint), 0.5
    agents = cf.StrategyAgent(weak, "weak"), cf.StrategyAgent(blueprint, "we")
    match = cf.Match(leduc.poker, *agents, seed=4)
    match._table._teach = lambda hand, *_: model.learn_line(
        ", ".join(hand.events[2:]), hand.players.index(0)
    )
    match.play(400)
    agent = SafeSearcher(blueprint, "auto", budget, model=model)
    found = [agent.certificate(player) for player in (0, 1)]
    assert max(alpha for one in found for alpha in one.alphas) > 0.1
    for player, one in enumerate(found):
        assert one.exploitability <= one.blueprint + budget + agent.tolerance
        ours, plain = (
            cf.values(*((s, weak) if player == 0 else (weak, s)))[player]
            for s in (one.strategy, blueprint)
        )
        assert ours > plain + 0.01


def test_safe_agents_sit_at_a_table_of_poker(leduc):
    for name in ("ses(alpha=0.3)", "ses(budget=0.1)"):
        agents = [make_agent(spec, leduc.tree) for spec in (name, "uniform")]
        match = cf.Match(leduc.poker, *agents, seed=2)
        assert not any(match.play(6).faults), match.messages
        assert agents[0].model.hands == match.agents[0].model.hands == 6
        assert "can be exploited by" in match.agents[0].report()


def test_restricted_responses_are_played_on_a_public_tree():
    poker = holdem.kuhn()
    tree = PublicTree(poker)
    uniform = cf.Strategy.uniform(tree)
    model = LineModel(uniform, strength=1000)
    agent = RestrictedAgent(cf.solve(tree).strategy, 0.9, every=20, model=model)
    before = cf.values(agent.strategy(), uniform)[0]
    match = cf.Match(poker, agent, cf.StrategyAgent(uniform, "uniform"), seed=1)
    assert not any(match.play(20).faults), match.messages
    after = match.agents[0].strategy()
    response = cf.restricted_response(model.strategy(), 0, 0.9)
    assert cf.values(after, uniform)[0] > before + 0.1
    assert cf.values(after, uniform)[0] == pytest.approx(
        cf.values(response.strategy, uniform)[0], abs=0.02
    )


@pytest.mark.parametrize("make", [holdem.kuhn, lambda: holdem.leduc(raises=(1, 1))])
def test_rates_of_a_strategy_are_those_of_all_its_hands(make):
    rules = PokerRules(make())
    tree = PublicTree(rules.poker)
    prior = cf.Strategy.random(tree, 3)
    model, found = LineModel(prior), {}

    @cache
    def odds(seen, player):
        return prior.at(*seen, player=player)

    def walk(state, reach):
        turn = rules.turn(state)
        if turn == TERMINAL:
            return
        if turn == CHANCE:
            moves = rules.chance(state)
        else:
            moves = list(odds(rules.observe(state, turn), turn).items())
            rates = found.setdefault(state[2], [0.0] * len(moves))
            for a, (_, share) in enumerate(moves):
                rates[a] += reach * share
        for move, share in moves:
            walk(rules.next(state, move), reach * share)

    walk(rules.root(), 1.0)
    assert set(found) == set(np.flatnonzero(rules.betting.kind == DECISION).tolist())
    for node, rates in found.items():
        assert model.rates(node) == pytest.approx(np.array(rates) / sum(rates), abs=1e-6)


def test_a_model_of_lines_is_between_its_prior_and_what_was_seen(blueprints):
    model = LineModel(blueprints[1], strength=20)
    rates = model.rates(0)
    for _ in range(30):
        model.learn_line("bet, fold", 0)
    wanted = (20 * rates + np.array([0.0, 30.0])) / 50
    now = LineModel(model.strategy())
    assert model.hands == 30
    assert rates[1] + 0.1 < now.rates(0)[1] < wanted[1]
    for hand in ("Js", "Qs", "Ks"):
        before, after = (list(s.at(hand).values()) for s in (blueprints[1], model.strategy()))
        tilted = np.array(before) * wanted / rates
        assert after == pytest.approx(tilted / tilted.sum(), abs=1e-6)
    assert model.strategy().at("Ks", "check") == blueprints[1].at("Ks", "check"), "nothing was seen"
    drawn = [LineModel(model.draw(np.random.default_rng(k))).rates(0)[1] for k in range(40)]
    assert np.mean(drawn) == pytest.approx(now.rates(0)[1], abs=0.05)
    assert np.std(drawn) > 0.01
    with pytest.raises(ParameterError, match="strength is 0"):
        LineModel(blueprints[1], strength=0)
