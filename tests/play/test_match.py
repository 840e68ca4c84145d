"""Matches: exact values, unbiased estimates, the same deals everywhere, saved and gone on."""

from __future__ import annotations

import math

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.exploit.online import Learner
from counterfold.play.agents import Dynamic, StrategyAgent
from counterfold.play.match import CHUNK, Match, next_mark
from counterfold.play.record import read_record
from counterfold.tree.history import compile_game


class Wrapped(cf.Agent):
    """A strategy behind a door: nobody knows what it plays."""

    def __init__(self, strategy):
        self.inner = StrategyAgent(strategy)
        self.name = "wrapped"

    def act(self, observation, rng):
        return self.inner.act(observation, rng)


def fixed(tree, seed):
    return StrategyAgent(cf.Strategy.random(tree, seed), name=f"random {seed}")


@pytest.fixture(scope="module")
def leduc():
    return compile_game(cf.Leduc())


def exact_by_values(tree, a, b):
    first, second = cf.values(a, b)[0], cf.values(b, a)[1]
    return (first + second) / 2


def test_the_exact_value_is_that_of_both_seats(leduc):
    a, b = fixed(leduc, 1), fixed(leduc, 2)
    found = Match(leduc, a, b).play(10).scores
    expected = exact_by_values(leduc, a.strategy, b.strategy)
    assert found[0].exact == pytest.approx(expected, abs=1e-12)
    assert found[1].exact == pytest.approx(-expected, abs=1e-12)


def test_plain_results_are_right_within_their_interval(leduc):
    inside = 0
    for seed in range(100):
        score = Match(leduc, fixed(leduc, 1), fixed(leduc, 2), seed=seed).play(2_000).scores[0]
        inside += score.plain.low <= score.exact <= score.plain.high
    assert 89 <= inside <= 100  # 95 expected, three standard errors


def test_between_known_strategies_every_hand_tells_the_exact_value(leduc):
    score = Match(leduc, fixed(leduc, 1), fixed(leduc, 2), seed=1).play(1_000).scores[0]
    assert score.reduced.mean == pytest.approx(score.exact, abs=1e-9)
    assert math.isinf(score.factor)


@pytest.mark.parametrize("stranger", [0, 1])
def test_a_stranger_is_judged_without_bias(leduc, stranger):
    """The guess about the stranger is wrong, and the estimate right all the same."""
    inside = 0
    for seed in range(100):
        match = Match(leduc, fixed(leduc, 1), fixed(leduc, 2), seed=seed, stranger=stranger)
        score = match.play(2_000).scores[0]
        inside += score.reduced.low <= score.exact <= score.reduced.high
    assert 89 <= inside <= 100
    match = Match(leduc, fixed(leduc, 1), fixed(leduc, 2), seed=7, stranger=stranger)
    score = match.play(2_000_000).scores[0]
    assert abs(score.reduced.mean - score.exact) < 1.5 * score.reduced.half
    assert score.factor > 1.5


def test_one_known_side_near_equilibrium_saves_ten_times_the_hands(leduc):
    agents = [cf.make_agent(name, leduc) for name in ("equilibrium", "sophisticated(flaw=0.1)")]
    score = Match(leduc, *agents, seed=1, stranger=1).play(200_000).scores[0]
    assert score.factor > 10
    assert abs(score.reduced.mean - score.exact) < 1.5 * score.reduced.half


def test_luck_is_taken_out_of_learners_without_bias():
    """Against the mean of the same matches, paired: the difference must be pure luck."""
    tree = compile_game(cf.OneCard(ranks=5))
    differences, halves = [], []
    for seed in range(200):
        match = Match(tree, Learner(tree), cf.make_agent("q", tree), seed=seed)
        score = match.play(500).scores[0]
        differences.append(score.plain.mean - score.reduced.mean)
        halves.append((score.plain.half, score.reduced.half))
    error = np.std(differences) / math.sqrt(len(differences))
    assert abs(np.mean(differences)) < 3 * error
    assert np.mean([b for _, b in halves]) < 0.6 * np.mean([a for a, _ in halves])


def test_python_agents_get_the_same_deals(leduc, tmp_path):
    compiled, table = fixed(leduc, 1), Wrapped(cf.Strategy.random(leduc, 1))
    for name, agent in (("a", compiled), ("b", table)):
        Match(leduc, agent, fixed(leduc, 2), seed=9).play(300, record=tmp_path / name)
    one, two = (list(read_record(tmp_path / name).hands()) for name in "ab")
    assert [hand.events[:2] for hand in one] == [hand.events[:2] for hand in two]
    assert len({hand.events[:2] for hand in one}) == 30


def test_uneven_chances_are_dealt_alike(tmp_path):
    tree = compile_game(cf.OneCard(ranks=3, suits=1))
    uneven = compile_game(cf.load("liars_dice(sides=3)"))
    for game in (tree, uneven):
        for name, agent in (("a", fixed(game, 1)), ("b", Wrapped(cf.Strategy.random(game, 1)))):
            Match(game, agent, fixed(game, 2), seed=4).play(200, record=tmp_path / name)
        one, two = (list(read_record(tmp_path / name).hands()) for name in "ab")
        assert [hand.events[0] for hand in one] == [hand.events[0] for hand in two]


def test_at_the_table_a_stranger_is_judged_as_in_the_arena(leduc):
    a, b = cf.Strategy.random(leduc, 1), cf.Strategy.random(leduc, 2)
    score = Match(leduc, StrategyAgent(a), Wrapped(b), seed=1).play(4_000).scores[0]
    exact = exact_by_values(leduc, a, b)
    assert score.exact is None
    assert abs(score.reduced.mean - exact) < 1.5 * score.reduced.half
    assert score.reduced.half < 0.8 * score.plain.half


def test_a_learner_at_the_table_is_judged_by_the_odds_it_played():
    tree = compile_game(cf.OneCard(ranks=5))
    differences = []
    for seed in range(60):
        match = Match(tree, Learner(tree), Wrapped(cf.Strategy.uniform(tree)), seed=seed)
        score = match.play(150).scores[0]
        differences.append(score.plain.mean - score.reduced.mean)
    assert abs(np.mean(differences)) < 3 * np.std(differences) / math.sqrt(len(differences))


def test_duplicate_deals_are_dealt_once_in_each_seat(leduc, tmp_path):
    match = Match(leduc, fixed(leduc, 1), fixed(leduc, 2), seed=3, duplicate=True)
    match.play(400, record=tmp_path / "hands")
    hands = list(read_record(tmp_path / "hands").hands())
    for one, two in zip(hands[::2], hands[1::2], strict=True):
        assert one.events[:2] == two.events[:2]
        assert one.players == (0, 1)
        assert two.players == (1, 0)


def test_duplicate_deals_have_honest_intervals(leduc):
    inside, widths = 0, []
    for seed in range(100):
        match = Match(leduc, fixed(leduc, 1), fixed(leduc, 2), seed=seed, duplicate=True)
        score = match.play(2_000).scores[0]
        inside += score.plain.low <= score.exact <= score.plain.high
        widths.append(score.plain.half)
    assert 89 <= inside <= 100
    plain = Match(leduc, fixed(leduc, 1), fixed(leduc, 2)).play(2_000).scores[0].plain.half
    assert np.mean(widths) < 0.95 * plain


def test_three_players_take_all_seats():
    tree = compile_game(cf.Kuhn(players=3))
    agents = [fixed(tree, seed) for seed in range(3)]
    result = Match(tree, *agents, seed=1).play(300_000)
    assert sum(score.plain.mean for score in result.scores) == pytest.approx(0, abs=1e-12)
    for score in result.scores:
        assert abs(score.plain.mean - score.exact) < 1.5 * score.plain.half
        assert score.reduced.mean == pytest.approx(score.exact, abs=1e-9)


def test_a_match_goes_on_where_it_was_saved(tmp_path):
    tree = compile_game(cf.OneCard(ranks=5))
    pairs = [("seocfr-iw", "dynamic(every=700)"), ("dbbr-ws", "q"), ("uniform", "equilibrium")]
    for names in pairs:
        whole, half = (Match(tree, *(cf.make_agent(n, tree) for n in names)) for _ in "ab")
        expected = whole.play(5_000).to_dict()
        half.play(1_777)
        half.save(tmp_path / "match.safetensors")
        found = Match.load(tmp_path / "match.safetensors").play(3_223).to_dict()
        for time in ("seconds", "cpu_seconds"):
            expected.pop(time), found.pop(time)
        assert found == expected


def test_a_match_with_python_code_cannot_be_saved(leduc, tmp_path):
    match = Match(leduc, Wrapped(cf.Strategy.uniform(leduc)), fixed(leduc, 1))
    with pytest.raises(UnsupportedError, match="what wrapped keeps in mind is not known"):
        match.save(tmp_path / "match.safetensors")


def test_a_match_of_another_game_is_not_loaded(leduc, tmp_path):
    match = Match(leduc, fixed(leduc, 1), fixed(leduc, 2))
    match.play(10)
    match.save(tmp_path / "match.safetensors")
    with pytest.raises(MismatchError, match="was played in leduc"):
        Match.load(tmp_path / "match.safetensors", cf.Kuhn())


def test_a_match_played_in_pieces_is_the_same_match(leduc):
    whole = Match(leduc, Learner(leduc), fixed(leduc, 2), seed=5)
    pieces = Match(leduc, Learner(leduc), fixed(leduc, 2), seed=5)
    whole.play(3_000)
    for hands in (1, 999, 2_000):
        pieces.play(hands)
    assert [s.to_dict() for s in whole.result().scores] == [
        s.to_dict() for s in pieces.result().scores
    ]


def test_the_seed_decides_everything(leduc):
    def won(seed):
        return Match(leduc, fixed(leduc, 1), fixed(leduc, 2), seed=seed).play(500).scores[0].plain

    assert won(1) == won(1)
    assert won(1) != won(2)


def test_a_dynamic_agent_changes_when_it_says():
    tree = compile_game(cf.Kuhn())
    agent = Dynamic(tree, every=100, seed=1)
    strategies = [agent.phase(hand).strategy.probabilities.tolist() for hand in (0, 99, 100)]
    assert strategies[0] == strategies[1] != strategies[2]
    match = Match(tree, agent, fixed(tree, 2), seed=1)
    result = match.play(1_000)
    expected = np.mean(
        [exact_by_values(tree, agent.phase(h).strategy, fixed(tree, 2).strategy)
         for h in range(0, 1_000, 100)]
    )  # fmt: skip
    assert result.scores[0].reduced.mean == pytest.approx(expected, abs=1e-9)


def test_the_curve_ends_with_the_match(leduc):
    result = Match(leduc, fixed(leduc, 1), fixed(leduc, 2)).play(CHUNK + 10)
    hands = [point.hands for point in result.curve]
    assert hands == sorted(set(hands))
    assert hands[-1] == result.hands == CHUNK + 10
    assert hands[0] == next_mark(0) == 1


def test_ctrl_c_keeps_what_was_played(leduc, tmp_path):
    def press(done, hands):
        if done:
            raise KeyboardInterrupt

    match = Match(leduc, fixed(leduc, 1), fixed(leduc, 2))
    result = match.play(10**9, on_progress=press, record=tmp_path / "hands")
    assert result.stopped == "interrupted"
    assert 0 < result.hands == sum(1 for _ in read_record(tmp_path / "hands").hands())


def test_wrong_matches_are_refused(leduc):
    kuhn = compile_game(cf.Kuhn())
    with pytest.raises(ParameterError, match="a game for 2; agents given: 1"):
        Match(leduc, fixed(leduc, 1))
    with pytest.raises(MismatchError, match="is for kuhn"):
        Match(leduc, fixed(kuhn, 1), fixed(leduc, 1))
    with pytest.raises(MismatchError, match="learned kuhn"):
        Match(leduc, Learner(kuhn), fixed(leduc, 1))
    with pytest.raises(ParameterError, match="hands must be a whole number of at least 1"):
        Match(leduc, fixed(leduc, 1), fixed(leduc, 2)).play(0)
    with pytest.raises(ParameterError, match="time limit"):
        Match(leduc, fixed(leduc, 1), fixed(leduc, 2), time_limit=0)
    with pytest.raises(ParameterError, match="no method act"):
        Match(leduc, object(), fixed(leduc, 2))  # type: ignore[arg-type]


def test_a_strategy_sits_down_itself(leduc):
    solved = cf.solve(leduc, until=20).strategy
    itself = Match(leduc, solved, "uniform", seed=3).play(50)
    agent = Match(leduc, StrategyAgent(solved), "uniform", seed=3).play(50)
    assert itself.scores == agent.scores
    assert itself.agents == ("sapcfr+", "uniform")
    played = cf.tournament(leduc, [solved, "uniform"], hands=20, matches=1)
    assert played.agents == ("sapcfr+", "uniform")
    with pytest.raises(MismatchError, match="the strategy is for leduc"):
        Match("kuhn", solved, "uniform")
