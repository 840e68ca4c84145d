"""The gadget solved as a game, as a linear program, and its objective written out agree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterfold as cf
from counterfold.errors import ParameterError, SpecError
from counterfold.searchers.entry import enter, enters
from counterfold.searchers.gadget import (
    GADGETS,
    gadget,
    maxmargin,
    objective,
    ox,
    reach_maxmargin,
    resolving,
    ses,
    unsafe,
)
from counterfold.searchers.gadget_tree import compose
from counterfold.searchers.refine import refine
from counterfold.searchers.searcher import Searcher
from counterfold.searchers.subgame import subgames
from counterfold.solvers.lp import solve_lp
from tests.searchers.public_games import PublicGame, opened, own_slots, passing, public_games

TIGHT = 1e-6
SETTINGS = {"ses": {"alpha": 0.6}, "ox": {"beta": 0.7}}


def random_entries(game, seed, point="move:2"):
    """Entries into all subgames from both sides, by a random strategy that avoids some actions."""
    tree = cf.compile_game(game)
    random = np.random.default_rng(seed)
    weights = random.exponential(size=tree.infosets.slots)
    weights[random.random(len(weights)) < 0.2] = 0.0
    found = passing(tree, point)
    if found is None:
        return []
    probabilities = tree.infosets.to_one(weights)
    entries = [enters(subgame, probabilities, player) for subgame in found for player in (0, 1)]
    return [entry for entry in entries if entry.reached]


def some_range(entry, random):
    return np.where(entry.mass > 0, random.dirichlet(np.ones(len(entry.mass))), 0.0)


@given(public_games(), st.integers(0, 100), st.sampled_from(sorted(GADGETS)))
@settings(max_examples=30)
def test_game_program_and_objective_agree(game, seed, name):
    random = np.random.default_rng(seed)
    for entry in random_entries(game, seed)[:4]:
        given_range = (
            {"range": some_range(entry, random)} if name in ("ses", "ox", "unsafe") else {}
        )
        made = gadget(name, entry, **SETTINGS.get(name, {}), **given_range)
        exact = refine(entry, made, "lp")
        assert exact.gap < 1e-8
        # The composed game, solved by the solver's own linear program: the player is worth it.
        tree = compose(entry, made)
        sign = 1 if entry.player == 0 else -1
        assert sign * solve_lp(tree).value == pytest.approx(exact.objective, abs=1e-7)
        # The composed game, solved by CFR: what it promises is what the objective says.
        found = refine(entry, made, tolerance=TIGHT, most=30_000)
        said = objective(entry, made, entry.best_values(found.into(entry.probabilities)))
        assert said == pytest.approx(found.objective, abs=1e-10)
        assert exact.objective - found.gap - 1e-9 <= said <= exact.objective + 1e-9


@pytest.mark.parametrize("method", ["cfr", "dcfr", "pcfr+", "hs-pcfr+"])
def test_any_method_solves_a_gadget(method):
    entry = random_entries(PublicGame(3), 1)[0]
    made = ses(entry, 0.5)
    found, exact = refine(entry, made, method, 1e-3), refine(entry, made, "lp")
    assert abs(found.objective - exact.objective) <= 1e-3


@given(public_games(), st.integers(0, 100))
def test_alpha_from_maxmargin_to_unsafe(game, seed):
    random = np.random.default_rng(seed)
    for entry in random_entries(game, seed)[:3]:
        believed = some_range(entry, random)
        careful = refine(entry, ses(entry, 0.0, believed), "lp")
        margin = refine(entry, maxmargin(entry, "blueprint"), "lp")
        assert careful.objective == pytest.approx(margin.objective, abs=1e-9)
        bold = refine(entry, ses(entry, 1.0, believed), "lp")
        trusting = refine(entry, unsafe(entry, believed), "lp")
        live = entry.live
        shares = believed[live] / believed[live].sum()
        level = float(shares @ entry.value[live])
        assert bold.objective == pytest.approx(trusting.objective + level, abs=1e-9)
        # Between them what is won against the range rises with alpha, and the margin falls.
        won, least = [], []
        for alpha in (0.0, 0.3, 0.6, 0.9, 1.0):
            found = refine(entry, ses(entry, alpha, believed), "lp").into(entry.probabilities)
            best = entry.best_values(found)[live]
            won.append(-float(shares @ best))
            least.append(float((entry.value[live] - best).min()))
        assert (np.diff(won) >= -1e-8).all()
        assert (np.diff(least) <= 1e-8).all()


@given(public_games(), st.integers(0, 100), st.integers(0, 1))
def test_safe_searches_are_safe(game, seed, player):
    blueprint, found = opened(game, seed, "move:1")
    if found is None:
        return
    before = cf.best_response(blueprint, 1 - player).value
    for make in (resolving, maxmargin, reach_maxmargin):
        after = Searcher(blueprint, player, "move:1", method="lp").everywhere(make).strategy
        assert cf.best_response(after, 1 - player).value <= before + 1e-8
        # Only the player's decisions in the subgames are touched.
        outside = found.outside | ~own_slots(blueprint.tree, player)
        assert (after.probabilities == blueprint.probabilities)[outside].all()


@pytest.mark.parametrize(
    ("spec", "point"),
    [("kuhn", "move:1"), ("liars_dice(sides=3)", "move:2"), ("goofspiel(cards=3)", "move:2")],
)
def test_small_games_of_the_engine(spec, point):
    blueprint = cf.Strategy.random(cf.load(spec), 4)
    for player in (0, 1):
        before = cf.best_response(blueprint, 1 - player).value
        for make in (resolving, maxmargin, lambda entry: ses(entry, 0.3)):
            refined = list(Searcher(blueprint, player, point).each(make, gap=1e-4))
            exact = list(Searcher(blueprint, player, point, method="lp").each(make))
            gaps = [b.objective - a.objective for a, b in zip(refined, exact, strict=True)]
            assert -1e-9 <= min(gaps) <= max(gaps) <= 1e-4 + 1e-9
        after = Searcher(blueprint, player, point).everywhere(maxmargin, gap=1e-6).strategy
        assert cf.best_response(after, 1 - player).value <= before + 1e-6


def test_unsafe_search_is_not():
    blueprint = cf.solve(cf.Kuhn(), until=cf.Until(exploitability=1e-6)).strategy
    risen = {}
    for make in (unsafe, maxmargin):
        after = Searcher(blueprint, 1, "move:1", method="lp").everywhere(make).strategy
        risen[make] = cf.best_response(after, 0).value - cf.best_response(blueprint, 0).value
    assert risen[unsafe] > 0.05
    assert risen[maxmargin] <= 1e-9


def test_reach_maxmargin_uses_gifts():
    """Room from gifts makes the optimum larger, and never smaller."""
    gained = []
    for seed in range(6):
        for entry in random_entries(PublicGame(seed), seed):
            plain = refine(entry, maxmargin(entry), "lp").objective
            gained.append(refine(entry, reach_maxmargin(entry), "lp").objective - plain)
    assert min(gained) >= -1e-9
    assert max(gained) > 0.1


@given(public_games(), st.integers(0, 100), st.sampled_from([0.5, 2.0, 10.0]))
def test_adaptation_safety(game, seed, beta):
    """OX: no class gains more than the exploiting part can pay for."""
    random = np.random.default_rng(seed)
    for entry in random_entries(game, seed)[:3]:
        believed = some_range(entry, random)
        made = ox(entry, beta, believed)
        found = refine(entry, made, "lp")
        live = entry.live
        margins = (entry.best - entry.best_values(found.into(entry.probabilities)))[live]
        # The optimum is at least that of the blueprint, which is 0: what the range gives,
        # divided by beta, pays for all that the classes gain.
        gain = float((believed / believed[live].sum())[live] @ margins)
        assert -np.minimum(margins, 0).sum() <= gain / beta + 1e-8


def test_dead_classes_and_idle_decisions():
    """Classes that never meet the player do not count, and what is not met stays as it was."""
    tree = cf.compile_game(cf.Leduc())
    probabilities = cf.Strategy.random(tree, 1).probabilities.copy()
    names = tree.infosets.labels
    for i, name in enumerate(names):  # player 2 folds K to a bet at once
        if tree.infosets.owner[i] == 1 and name == "K | bet":
            lo = int(tree.infosets.start[i])
            probabilities[lo : lo + 3] = (1.0, 0.0, 0.0)
    blueprint = cf.Strategy.of(tree, probabilities)
    (called,) = [s for s in subgames(tree) if s.knows(1)[0].split(" | ")[1:3] == ["bet call", "K"]]
    entry = enter(called, blueprint, 1)
    assert entry.live.sum() == 3
    found = refine(entry, maxmargin(entry))
    kings = [
        i for i, slot in enumerate(called.treeplexes[1].slots) if names[_row(tree, slot)][0] == "K"
    ]
    assert kings
    assert (found.weights[kings] == probabilities[called.treeplexes[1].slots[kings]]).all()
    # The other way round: player 1 with K has left, so that nobody plays against that class.
    mine = enter(called, blueprint, 0)
    assert [called.knows(1)[j][0] for j in np.flatnonzero(mine.range == 0)] == ["K"]


def _row(tree, slot):
    return int(np.searchsorted(tree.infosets.start, slot, side="right")) - 1


def test_a_player_who_never_comes():
    tree = cf.compile_game(cf.Kuhn())
    probabilities = tree.infosets.evenly()
    for i, name in enumerate(tree.infosets.labels):
        if tree.infosets.owner[i] == 0 and " | " not in name:
            probabilities[int(tree.infosets.start[i]) :][:2] = (1.0, 0.0)
    checker = cf.Strategy.of(tree, probabilities)
    found = subgames(tree, "move:1")
    assert [enter(s, checker, 0).reached for s in found] == [True, False]
    with pytest.raises(ParameterError, match="never comes"):
        maxmargin(enter(found[1], checker, 0))
    assert len(list(Searcher(checker, 0, "move:1").each(maxmargin))) == 1


def test_bad_settings():
    strategy = cf.Strategy.uniform(cf.Leduc())
    entry = enter(subgames(strategy.tree)[0], strategy, 1)
    for alpha in (-0.1, 1.1, float("nan"), "0.5"):
        with pytest.raises(ParameterError, match="alpha is"):
            ses(entry, alpha)
    with pytest.raises(ParameterError, match="sums to zero"):
        ses(entry, 0.5, np.zeros(3))
    with pytest.raises(ParameterError, match="has 3 numbers"):
        unsafe(entry, np.ones(4))
    with pytest.raises(ParameterError, match="finite numbers from 0 up"):
        unsafe(entry, np.array([1.0, -1.0, 1.0]))
    with pytest.raises(ParameterError, match="beta is"):
        ox(entry, -1)
    with pytest.raises(ParameterError, match="best or blueprint"):
        maxmargin(entry, "guess")
    with pytest.raises(SpecError, match="there is no gadget 'magic'"):
        gadget("magic", entry)
    with pytest.raises(ParameterError, match="does not take alpha"):
        gadget("maxmargin", entry, alpha=1)
    with pytest.raises(ParameterError, match="tolerance"):
        refine(entry, maxmargin(entry), tolerance=0)


@pytest.mark.parametrize("player", [0, 1])
def test_leduc_after_a_short_trunk(player):
    """Safe searches lose less than 1e-3 a hand, unsafe search at least twenty times as much."""
    solver = cf.Solver(cf.Leduc(), "cfr+")
    solver.step(500)
    blueprint, value = solver.strategy(), -0.0856064 * (1 if player == 0 else -1)
    lost = {}
    for name in ("unsafe", "resolving", "maxmargin", "reach-maxmargin"):
        searcher = Searcher(blueprint, player, method="sapcfr+")
        after = searcher.everywhere(GADGETS[name], gap=1e-5).strategy
        lost[name] = value + cf.best_response(after, 1 - player).value
    for name in ("resolving", "maxmargin", "reach-maxmargin"):
        assert lost[name] < value + cf.best_response(blueprint, 1 - player).value
        assert lost[name] < 1e-3
    assert lost["unsafe"] > 0.02
