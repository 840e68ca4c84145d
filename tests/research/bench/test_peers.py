"""The peers benchmark: rendering of stubbed measurements, and one small real run."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from counterfold.errors import FileError, ParameterError
from counterfold.plot import save
from counterfold.research.bench import peers
from counterfold.research.bench.peers import Measurement, Report, show
from counterfold.research.bench.solvers import GAMES, PEERS, Peer
from counterfold.research.bench.timing import Reach
from tests.research.bench.test_methods import shown


def measured(peer, game="leduc", method="cfr+", scale=1.0, reached=(0.01, 1.0), **more):
    return Measurement(
        peer=peer,
        method=method,
        game=game,
        iteration_seconds=20e-6 * scale,
        build_seconds=0.25 * scale,
        memory_bytes=int(4e6 * scale),
        baseline_bytes=100_000_000,
        reached=tuple(
            Reach(target, seconds, None if seconds is None else 100)
            for target, seconds in zip(peers.TARGETS, reached, strict=True)
        ),
        budget=60.0,
        **more,
    )


@pytest.fixture
def report():
    return Report(
        (
            measured("counterfold"),
            measured("counterfold", method="pcfr+", reached=(0.02, 0.5)),
            measured("openspiel", scale=400, reached=(5.0, None)),
            Measurement("jax", "cfr+", "leduc", note=PEERS["jax"].title + " is not installed"),
            measured("liteefg", scale=100, reached=(2.0, 50.0)),
            measured("counterfold", game="leduc_external", reached=(None, None)),
        ),
        budget=60.0,
        machine={"python": "3.11"},
    )


def test_the_table_tells_times_and_ratios(report):
    text = shown(show(report))
    assert "20 us" in text
    assert "8 ms (400x)" in text
    assert "2 ms (100x)" in text
    assert "> 60 s (> 120x)" in text  # against our fastest method, 0.5 s
    assert "50 s (100x)" in text
    assert "Leduc, suits seen, OpenSpiel JAX: OpenSpiel JAX is not installed" in text
    assert "1,600 MB (400x)" in text


def test_the_fastest_method_counts_for_a_target(report):
    assert report.fastest("leduc", "counterfold", 1e-3).method == "cfr+"
    assert report.fastest("leduc", "counterfold", 1e-6).method == "pcfr+"
    assert report.plain("leduc", "counterfold").method == "cfr+"
    assert report.peers("leduc") == ["counterfold", "openspiel", "jax", "liteefg"]


def test_json_goes_there_and_back(report):
    document = json.loads(json.dumps(report.to_dict()))
    again = tuple(Measurement.from_dict(one) for one in document["measurements"])
    assert replace(report, measurements=again) == report


def test_the_plot_is_a_picture(report, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "peers.png"
    save(peers.draw(report), path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [p.name for p in tmp_path.iterdir()] == ["peers.png"]


def test_plots_that_cannot_be_written(report, tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(ParameterError, match=r"\.xyz"):
        save(peers.draw(report), tmp_path / "peers.xyz")
    with pytest.raises(FileError, match="cannot write"):
        save(peers.draw(report), tmp_path / "nowhere" / "peers.png")
    with pytest.raises(ParameterError, match="nothing to plot"):
        peers.draw(Report((), 1.0))
    assert list(tmp_path.iterdir()) == []


class Halving:
    """A solver whose exploitability is one over its iterations."""

    def __init__(self):
        self.iterations = 0
        self.checked = []

    def step(self, n):
        self.iterations += n
        sum(range(2000 * n))  # some CPU

    def exploitability(self):
        self.checked.append(self.iterations)
        return 1 / self.iterations


def test_a_measurement_finds_the_first_iterations_below_a_target():
    runners = []

    def build(*_):
        runners.append(Halving())
        return runners[-1]

    got = peers.measure(GAMES["kuhn"], "openspiel", "cfr+", 0.5, build=build)
    easy, hard = got.reached
    assert 1000 <= easy.iterations <= 1300
    assert 0 < easy.seconds < 0.5
    assert (hard.seconds, hard.iterations) == (None, None)
    assert got.iteration_seconds > 0
    first, again = runners
    assert first.checked == sorted(set(first.checked))
    assert again.checked == [easy.iterations]


def test_external_sampling_tells_where_it_got_instead_of_targets():
    got = peers.measure(
        GAMES["leduc_external"], "openspiel", "mccfr", 0.1, build=lambda *_: Halving()
    )
    assert got.reached == ()
    assert got.exploitability == pytest.approx(1 / got.iterations)
    assert "its" in shown(show(Report((got,), 0.1)))


def test_rounds_become_medians():
    rounds = [measured("openspiel", scale=s, reached=(s, None if s > 1 else s)) for s in (1, 9, 2)]
    got = peers._median(rounds)
    assert got.iteration_seconds == pytest.approx(40e-6)
    assert got.reach(1e-3).seconds == 2
    assert got.reach(1e-6).seconds is None  # missed in two of three
    assert got.rounds == 3


def test_later_rounds_do_not_repeat_a_long_search(monkeypatch):
    budgets = []

    def stub(game, peer, method, budget):
        budgets.append((peer, budget))
        slow = {"cpu_seconds": 50.0} if peer == "openspiel" else {}
        reached = (3.0, 30.0) if budget else (None, None)
        made = measured(peer, game.key, method, len(budgets), reached, **slow)
        return replace(made, budget=budget, build_seconds=90.0 if peer == "jax" else 1.0)

    monkeypatch.setattr(peers, "_in_worker", stub)
    for name in ("openspiel", "jax"):
        monkeypatch.setitem(PEERS, name, Peer(name, (), ("cfr+",)))
    report = peers.run(["kuhn"], budget=60.0, peers=["openspiel", "jax"], rounds=3)
    assert budgets == [("openspiel", 60.0), ("jax", 60.0), ("openspiel", 0.0), ("openspiel", 0.0)]
    timed, once = report.measurements
    assert timed.iteration_seconds == pytest.approx(60e-6)  # the median of 1, 3 and 4
    assert (timed.reach(1e-6).seconds, timed.rounds, once.rounds) == (30.0, 3, 1)


def test_failures_are_notes(monkeypatch):
    monkeypatch.setitem(PEERS, "openspiel", Peer("Absent", ("no_such_module",), ("cfr+",)))
    report = peers.run(["kuhn"], budget=0.1, peers=["openspiel"])
    note = "not installed: pip install 'counterfold[peers]'"
    assert [m.note for m in report.measurements] == [note]
    assert note in shown(show(report))
    broken = peers._in_worker(GAMES["kuhn"], "nobody", "cfr+", 0.1)
    assert broken.note.startswith("failed: ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"games": ["chess"]}, "There is no game 'chess' here"),
        ({"peers": ["gambit"]}, "There is no solver 'gambit' here"),
        ({"budget": 0.0}, "budget"),
        ({"budget": float("nan")}, "budget"),
        ({"rounds": 0}, "round"),
    ],
)
def test_impossible_requests(arguments, says):
    with pytest.raises(ParameterError, match=says):
        peers.run(**arguments)


def test_a_real_worker_on_kuhn():
    pytest.importorskip("pyspiel")
    seen = []
    report = peers.run(
        ["kuhn"],
        budget=0.3,
        on_progress=lambda done, total, words: seen.append((done, total, words)),
        peers=["openspiel"],
        rounds=1,
    )
    (got,) = report.measurements
    assert got.note == ""
    assert 0 < got.iteration_seconds < 0.01
    assert 10 < got.reach(1e-3).iterations < 2000
    assert got.baseline_bytes > 10_000_000
    assert 0 <= got.memory_bytes < 100_000_000
    assert seen == [(0, 1, "Kuhn: OpenSpiel C++ cfr+")]


def test_the_worker_answers_with_json_only():
    pytest.importorskip("pyspiel")
    job = json.dumps(["kuhn", "openspiel", "cfr+", 0.05])
    done = subprocess.run(
        [sys.executable, "-m", "counterfold.research.bench.peers", "--worker", job],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["peer"] == "openspiel"
