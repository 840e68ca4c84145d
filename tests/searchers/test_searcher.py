"""A searcher finds its subgames, keeps to a budget, and gives back whole strategies."""

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import MismatchError, ParameterError
from counterfold.searchers.gadget import maxmargin
from counterfold.searchers.opponents import shuffled
from counterfold.searchers.refine import refine
from counterfold.searchers.refined import stitch
from counterfold.searchers.searcher import Searcher
from counterfold.tree.story import story


@pytest.fixture(scope="module")
def blueprint():
    return cf.solve(cf.Leduc(), until=cf.Until(exploitability=1e-3)).strategy


def test_where_play_is(blueprint):
    searcher = Searcher(blueprint, 1)
    nodes = story(blueprint.tree).follow(("Ks", "Qh", "check", "check", "Qs", "check"))
    places = [searcher.engine.at(node) for node in nodes]
    assert places[:5] == [None] * 5
    assert places[5] == places[6]
    assert searcher.engine.subgames[places[5]].knows(0)[0].endswith("check check | Q")


def test_a_range_from_a_model(blueprint):
    searcher = Searcher(blueprint, 1)
    number = searcher.places[0]
    assert searcher.range(number, blueprint) == pytest.approx(searcher.entry(number).range)
    model = shuffled(blueprint, 1.0, 1)
    assert np.abs(searcher.range(number, model) - searcher.entry(number).range).sum() > 0.01
    with pytest.raises(MismatchError, match="the strategy is for kuhn"):
        searcher.range(number, cf.Strategy.uniform(cf.Kuhn()))
    with pytest.raises(ParameterError, match="the player is"):
        Searcher(blueprint, 3)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("budget", [0.01, 0.2])
def test_within_a_budget(blueprint, player, budget):
    searcher = Searcher(blueprint, player)
    model = shuffled(blueprint, 0.7, 5)
    refined, alphas = [], []
    for number in searcher.places:
        judged = searcher.range(number, model)
        alphas.append(searcher.alpha_within(number, judged, budget))
        refined.append(searcher.refine(number, alpha=alphas[-1], range=judged, mark="best"))
        assert searcher.rise(refined[-1]) <= budget + 1e-9
    assert 0 < min(alphas) < 1
    before = cf.best_response(blueprint, 1 - player).value
    after = cf.best_response(stitch(blueprint, refined), 1 - player).value
    risen = max(searcher.rise(found) for found in refined)
    assert after <= before + risen + 1e-9
    assert after <= before + budget


def test_everywhere(blueprint):
    searcher = Searcher(blueprint, 0)
    one = searcher.everywhere(maxmargin)
    entries = [searcher.entry(place) for place in searcher.places]
    other = stitch(blueprint, [refine(entry, maxmargin(entry)) for entry in entries])
    assert (one.strategy.probabilities == other.probabilities).all()
    assert one.searches == len(entries) > 0
