"""Tournaments: the table is that of the matches, whatever the threads, and a fair one."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import t as student

import counterfold as cf
from counterfold.errors import ParameterError
from counterfold.pieces.store import store_at
from counterfold.play.agents import make_agent
from counterfold.play.match import Match
from counterfold.play.series import match_seed
from counterfold.play.tournament import tournament
from counterfold.tree.history import compile_game


@pytest.fixture(scope="module")
def kuhn():
    return compile_game(cf.Kuhn())


@pytest.fixture(scope="module")
def kuhn3():
    return compile_game(cf.Kuhn(players=3))


def match_of(tree, specs, lineup, number, seed, hands, **how):
    """One match of a tournament, played alone."""
    agents = [make_agent(spec, tree) for spec in specs]
    own = match_seed(match_seed(seed, lineup), number)
    return cf.Match(tree, *agents, seed=own, **how).play(hands)


def without_times(result):
    told = result.to_dict()
    return {k: v for k, v in told.items() if not k.endswith("seconds")}


def test_a_single_match_is_told_with_its_own_interval(kuhn):
    specs = ["seocfr-iw", "deocfr", "random"]
    found = tournament(kuhn, specs, hands=300, seed=4)
    for lineup, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
        match = match_of(kuhn, [specs[g] for g in pair], lineup, 0, 4, 300)
        assert found.meetings[lineup].agents == pair
        for place, g in enumerate(pair):
            assert found.cell(g, pair[1 - place]) == match.scores[place].reduced
    assert found.cell(1, 1) is None


def test_several_matches_are_told_with_their_spread(kuhn):
    found = tournament(kuhn, ["q", "uniform"], hands=200, matches=6, seed=1)
    means = np.array(
        [match_of(kuhn, ["q", "uniform"], 0, m, 1, 200).scores[0].reduced.mean for m in range(6)]
    )
    low, high = student.interval(0.95, 5, means.mean(), means.std(ddof=1) / math.sqrt(6))
    cell = found.cell(0, 1)
    assert cell.mean == pytest.approx(means.mean(), abs=1e-12)
    assert (cell.low, cell.high) == (pytest.approx(low), pytest.approx(high))
    assert len(set(means)) == 6, "every match has a seed of its own"


def test_threads_change_nothing(kuhn):
    specs = ["seocfr-iw", "dbbr-ws", "dynamic(every=70)", "sophisticated"]
    one = tournament(kuhn, specs, hands=250, matches=4, seed=2, threads=1)
    many = tournament(kuhn, specs, hands=250, matches=4, seed=2, threads=3)
    assert without_times(one) == without_times(many)


def test_fixed_strategies_get_their_exact_values(kuhn):
    found = tournament(kuhn, ["equilibrium", "uniform", "random(seed=3)"], hands=100)
    for meeting in found.meetings:
        assert meeting.reduced
        for estimate, exact in zip(meeting.estimates, meeting.exact, strict=True):
            assert estimate.mean == pytest.approx(exact, abs=1e-9)
    uniform, equilibrium = (make_agent(name, kuhn).strategy for name in ("uniform", "equilibrium"))
    first = cf.value(equilibrium, uniform)
    second = -cf.value(uniform, equilibrium)
    assert found.cell(0, 1).mean == pytest.approx((first + second) / 2, abs=1e-9)


def test_what_one_wins_the_other_loses_and_the_best_comes_first(kuhn):
    specs = ["random", "equilibrium", "uniform", "q"]
    found = tournament(kuhn, specs, hands=200, matches=2)
    for row in range(4):
        own = [found.cell(row, column) for column in range(4) if column != row]
        for column in range(4):
            if row != column:
                assert found.cell(row, column).mean == -found.cell(column, row).mean
        (place,) = [s for s in found.ranking if s.agent == specs[row]]
        assert place.estimate.mean == pytest.approx(sum(e.mean for e in own) / 3)
        assert place.estimate.half == pytest.approx(math.sqrt(sum(e.half**2 for e in own)) / 3)
    means = [standing.estimate.mean for standing in found.ranking]
    assert means == sorted(means, reverse=True)


def test_three_players_sit_in_every_combination(kuhn3):
    specs = ["uniform", "random", "equilibrium", "random(seed=5)"]
    found = tournament(kuhn3, specs, hands=99)
    assert [m.agents for m in found.meetings] == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    both = [m.exact[m.agents.index(3)] for m in found.meetings if {1, 3} <= set(m.agents)]
    assert len(both) == 2
    assert found.cell(3, 1).mean == pytest.approx(sum(both) / 2, abs=1e-9)
    (last,) = [s for s in found.ranking if s.agent == specs[3]]
    own = [m.exact[m.agents.index(3)] for m in found.meetings if 3 in m.agents]
    assert last.estimate.mean == pytest.approx(sum(own) / 3, abs=1e-9)


def test_learners_start_afresh_and_are_left_alone(kuhn):
    learner = cf.Learner(kuhn, "deocfr")
    uniform = make_agent("uniform", kuhn)
    found = tournament(kuhn, [learner, uniform], hands=150, matches=3, seed=8)
    assert learner.hands == 0
    last = match_of(kuhn, ["deocfr", "uniform"], 0, 2, 8, 150)
    again = tournament(kuhn, ["deocfr", "uniform"], hands=150, matches=3, seed=8)
    assert found.cell(0, 1) == again.cell(0, 1)
    three = [match_of(kuhn, ["deocfr", "uniform"], 0, m, 8, 150) for m in (0, 1)] + [last]
    mean = sum(match.scores[0].reduced.mean for match in three) / 3
    assert found.cell(0, 1).mean == pytest.approx(mean, abs=1e-12)


class Counting(cf.Agent):
    """Folds and checks until it has seen so many hands, which no single match has."""

    def __init__(self, most):
        self.most, self.seen = most, 0

    def act(self, observation, rng):
        assert self.seen <= self.most
        return observation.actions[0]

    def learn(self, hand):
        self.seen += 1


class Broken(cf.Agent):
    def act(self, observation, rng):
        return "jump" if observation.hand % 10 == 9 else observation.actions[-1]


def test_agents_in_python_start_afresh_too(kuhn):
    counting = Counting(20)
    found = tournament(kuhn, [counting, "uniform"], hands=20, matches=3)
    assert counting.seen == 0
    assert [standing.faults for standing in found.ranking] == [0, 0]
    assert tournament(kuhn, [Counting(5), "uniform"], hands=20).messages


def test_faults_are_counted_for_the_one_who_made_them(kuhn):
    found = tournament(kuhn, ["uniform", Broken(), "random"], hands=30, matches=2)
    faults = {standing.agent: standing.faults for standing in found.ranking}
    assert faults["uniform"] == faults["random"] == 0
    assert 4 <= faults["Broken"] <= 12  # the last of ten hands, where it came to move
    assert {message.agent for message in found.messages} == {1}
    assert "jump" in found.to_dict()["messages"][0]["message"]
    reduced = {meeting.agents: meeting.reduced for meeting in found.meetings}
    assert reduced == {(0, 1): False, (0, 2): True, (1, 2): False}


def test_an_early_end_keeps_the_matches_that_were_over(kuhn, monkeypatch):
    monkeypatch.setattr("counterfold.play.tournament.LOOK", 0.001)
    specs = ["seocfr-iw", "q", "uniform"]
    whole = tournament(kuhn, specs, hands=40_000, matches=30, seed=6)
    told = []

    def stop(done, total):
        told.append((done, total))
        if done >= 300_000:
            raise KeyboardInterrupt

    part = tournament(kuhn, specs, hands=40_000, matches=30, seed=6, on_progress=stop)
    assert part.stopped == "interrupted"
    played = [meeting.matches for meeting in part.meetings]
    assert len(played) == 3
    assert sum(played) < 90
    assert max(played) - min(played) <= 2, "all pairs meet before any meets again"
    assert part.played == 40_000 * sum(played)
    assert whole.played == 90 * 40_000
    assert {total for _, total in told} == {whole.played}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert threading.active_count() < 10


def test_what_is_refused(kuhn):
    class Stuck(cf.Agent):
        def __init__(self):
            self.lock = threading.Lock()

        def act(self, observation, rng):
            return observation.actions[0]

    for agents, how, words in (
        (["uniform"], {}, "needs 2"),
        (["uniform", "q", "uniform"], {}, "twice"),
        (["uniform", "q"], {"hands": 0}, "hands"),
        (["uniform", "q"], {"matches": 0}, "matches"),
        (["uniform", "q"], {"seed": -1}, "seed"),
        ([Stuck(), "q"], {}, "cannot start afresh"),
    ):
        with pytest.raises(ParameterError, match=words):
            tournament(kuhn, agents, **{"hands": 10, **how})


def test_an_error_in_a_thread_comes_out(kuhn):
    class Late(cf.Agent):
        def begin(self, game):
            raise RuntimeError("not today")

        def act(self, observation, rng):
            return observation.actions[0]

    with pytest.raises(RuntimeError, match="not today"):
        tournament(kuhn, [Late(), "uniform"], hands=10)


def test_the_document_is_whole(kuhn):
    told = tournament(kuhn, ["q", "uniform", "random"], hands=50, duplicate=True).to_dict()
    assert [len(row) for row in told["table"]] == [3, 3, 3]
    assert told["table"][1][1] is None
    assert set(told["table"][0][1]) == {"mean", "half"}
    assert told["duplicate"] is True
    assert told["meetings"][0]["agents"] == ["q", "uniform"]
    assert {m["reduced"] for m in told["meetings"]} == {True}
    assert told["meetings"][0]["exact"] is None
    assert told["meetings"][2]["exact"][0] == pytest.approx(-told["meetings"][2]["exact"][1])


def test_who_plays_the_matches_does_not_show():
    names = ["uniform", "random", "equilibrium", "q"]
    here = tournament("kuhn", names, 500, matches=3, seed=3).to_dict()
    with ThreadPoolExecutor(2) as executor:
        there = tournament("kuhn", names, 500, matches=3, seed=3, executor=executor).to_dict()
        with pytest.raises(ParameterError, match="names"):
            tournament(cf.Kuhn(), names, 500, executor=executor)
    for spent in ("seconds", "cpu_seconds"):
        here.pop(spent), there.pop(spent)
    assert there == here


def test_matches_that_a_library_has_are_not_played_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store, bot, names = store_at(tmp_path / "lib"), tmp_path / "bot.py", ["uniform", "bot.py:Bot"]
    text = (
        "from counterfold import Agent\n\n\nclass Bot(Agent):\n"
        "    def act(self, observation, rng):\n        return observation.actions[{}]\n"
    )
    bot.write_text(text.format(0))

    def told(**how):
        found = tournament("kuhn", names, 40, matches=3, seed=3, **how).to_dict()
        return {key: value for key, value in found.items() if "seconds" not in key}

    here = told()
    assert told(library=store) == here
    assert len(store.names()) == 3
    monkeypatch.setattr(Match, "play", None)
    assert told(library=store) == here, "nobody plays"
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    bot.write_text(text.format(-1))
    other = told()
    assert other != here
    assert told(library=store) == other, "as another bot has that name now"
    assert len(store.names()) == 6
    with pytest.raises(ParameterError, match="names"):
        tournament(cf.Kuhn(), names, 40, library=store)
