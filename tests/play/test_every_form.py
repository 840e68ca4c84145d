"""Strategies of one game in both forms play alike: at the table, in compiled code, and exactly."""

import pytest

import counterfold as cf
from counterfold.errors import MismatchError
from counterfold.play.agents import answer_to, make_agent
from counterfold.play.bots import seated
from counterfold.poker import holdem
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
