"""Series of matches: hand for hand those of ``Match``, whatever the threads."""

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.play.agents import Dynamic
from counterfold.play.series import match_seed, series


@pytest.fixture(scope="module")
def tree():
    return cf.compile_game(cf.OneCard(ranks=5))


def drawn(tree, number):
    return cf.StrategyAgent(cf.Strategy.random(tree, number))


@pytest.mark.parametrize("rule", ["seocfr-iw", "seocfr", "q", "dbbr-ws"])
@pytest.mark.parametrize("other", ["fixed", "drawn", "dynamic", "learner"])
def test_every_match_is_a_match(tree, rule, other):
    makers = {
        "fixed": lambda number: cf.StrategyAgent(cf.Strategy.uniform(tree)),
        "drawn": lambda number: drawn(tree, number),
        "dynamic": lambda number: Dynamic(tree, 70, seed=number),
        "learner": lambda number: cf.Learner(tree, "deocfr"),
    }
    make = makers[other]
    entrant = make(0) if other in ("fixed", "learner") else make
    marks = (1, 64, 333)
    won = series(tree, cf.Learner(tree, rule), entrant, matches=11, marks=marks, seed=5)
    assert won.shape == (11, 3, 2)
    for number in (0, 7, 10):
        match = cf.Match(tree, cf.Learner(tree, rule), make(number), seed=match_seed(5, number))
        for place, mark in enumerate(marks):
            scores = match.play(mark - match.hands).scores
            assert won[number, place] == pytest.approx([s.plain.mean for s in scores], abs=1e-12)


def test_threads_change_nothing(tree):
    one, two, many = (
        series(tree, cf.Learner(tree, "dbbr-ws"), lambda n: drawn(tree, n), matches=21,
               marks=(50, 200), seed=2, threads=threads)
        for threads in (1, 2, 5)
    )  # fmt: skip
    assert np.array_equal(one, two)
    assert np.array_equal(one, many)
    assert len(np.unique(one[:, 1, 0])) > 15  # and the matches differ


def test_a_learner_begins_as_it_stands_and_stays_so(tree):
    uniform = cf.StrategyAgent(cf.Strategy.uniform(tree))
    learner = cf.Learner(tree)
    fresh = series(tree, learner, uniform, matches=60, marks=(300,), seed=3)[:, 0, 0]
    assert learner.hands == 0
    cf.Match(tree, learner, uniform, seed=1).play(30_000)
    before = learner.strategy().probabilities.copy()
    taught = series(tree, learner, uniform, matches=60, marks=(300,), seed=3)[:, 0, 0]
    assert learner.hands == 30_000
    assert np.array_equal(before, learner.strategy().probabilities)
    assert taught.mean() > fresh.mean() + 0.05


def test_fixed_strategies_win_what_they_should(tree):
    agents = drawn(tree, 1), drawn(tree, 2)
    won = series(tree, *agents, matches=400, marks=(500,), seed=1)[:, 0]
    exact = cf.Match(tree, *agents).exact()
    error = won[:, 0].std() / 20
    assert abs(won[:, 0].mean() - exact[0]) < 4 * error < 0.02
    assert np.allclose(won.sum(axis=1), 0.0)


def test_three_players():
    tree = cf.compile_game(cf.Kuhn(players=3))
    agents = [drawn(tree, seed) for seed in range(3)]
    won = series(tree, *agents, matches=3, marks=(100, 101), seed=4)
    scores = cf.Match(tree, *agents, seed=match_seed(4, 2)).play(101).scores
    assert won[2, 1] == pytest.approx([score.plain.mean for score in scores])


def test_given_up(tree):
    seen = []

    def stop(done):
        seen.append(done)
        raise KeyboardInterrupt

    uniform = cf.StrategyAgent(cf.Strategy.uniform(tree))
    with pytest.raises(KeyboardInterrupt):
        series(tree, cf.Learner(tree), uniform, matches=1000, marks=(10,), on_progress=stop)
    assert len(seen) == 1


class Bot(cf.Agent):
    def act(self, observation, rng):
        return observation.actions[0]


@pytest.mark.parametrize(
    ("given", "words", "error"),
    [
        ({"matches": 0}, "matches", ParameterError),
        ({"marks": ()}, "mark", ParameterError),
        ({"marks": (0,)}, "mark", ParameterError),
        ({"marks": (20, 10)}, "greater", ParameterError),
        ({"threads": 0}, "threads", ParameterError),
        ({"seed": -1}, "seed", ParameterError),
        ({"agents": 1}, "game for 2", ParameterError),
        ({"agents": "bot"}, "table in Python", UnsupportedError),
    ],
)
def test_refused(tree, given, words, error):
    agents = [cf.StrategyAgent(cf.Strategy.uniform(tree))] * 2
    asked = given.pop("agents", 2)
    agents = [agents[0], Bot()] if asked == "bot" else agents[:asked]
    with pytest.raises(error, match=words):
        series(tree, *agents, **({"matches": 2, "marks": (10,)} | given))
