"""Hold'em spots: what is measured is what is said to be, and other solvers stand beside it."""

from __future__ import annotations

import io
import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from counterfold.errors import FileError, ParameterError
from counterfold.research.bench import poker, poker_methods, timing
from counterfold.research.bench.spot_peer import SpotPeer
from counterfold.research.bench.spots import OTHER_SPOTS, SPOTS
from counterfold.research.bench.timing import Reach
from counterfold.solvers.solver import Solver
from counterfold.tree.public import PublicTree
from tests.research.bench.test_methods import shown

EXAMPLES = Path(__file__).parents[3] / "examples" / "spots"


@pytest.mark.parametrize(
    ("name", "combos", "weights"),
    [
        ("river_full", (1081, 1081), (1081.0, 1081.0)),
        ("turn_wide", (504, 395), (425.0, 368.25)),
        ("flop_small", (147, 186), (115.5, 147.75)),
    ],
)
def test_the_examples_are_the_spots_that_are_measured(name, combos, weights):
    assert json.loads((EXAMPLES / f"{name}.json").read_text()) == SPOTS[name]
    ranges = [np.asarray(range_) for range_ in poker.load(name).ranges]
    assert tuple(int((range_ > 0).sum()) for range_ in ranges) == combos
    assert tuple(float(range_.sum()) for range_ in ranges) == weights


def test_a_spot_is_measured_in_both_kinds_of_tables(tmp_path):
    path = tmp_path / "short.json"
    path.write_text(json.dumps(OTHER_SPOTS["river_short"]))
    costs = poker.measure(
        str(path), "dcfr", seconds=1e-3, rounds=2, triad=poker.Triad(0.5), memory=False
    )
    tree = PublicTree(poker.load(str(path)))
    assert [(cost.spot, cost.bits) for cost in costs] == [("short", 32), ("short", 16)]
    wide, packed = costs
    assert wide.table_bytes == tree.table_bytes() == 2 * packed.table_bytes
    # Regrets three times, sums twice: five halves of both tables.
    assert wide.moved == 2.5 * wide.table_bytes
    for cost in costs:
        assert cost.one_thread > 0
        assert cost.two_threads > 0
        assert cost.share == pytest.approx(cost.moved / cost.one_thread / cost.triad)
        assert cost.peer is cost.ratio is cost.iteration_ratio is None
        assert [reached.target for reached in cost.reached] == [1.0, 0.5, 0.1]
        for reached in cost.reached:
            assert reached.seconds == reached.iterations * cost.one_thread
    result = poker.Costs(tuple(costs), 2, (0.5, 0.5, 0.5))
    text = shown(poker.show(result))
    assert "short" in text
    assert "resident" in text
    assert "their" not in text
    document = json.loads(json.dumps(result.to_dict()))
    assert document["costs"][1]["bits"] == 16
    assert document["peers"] == []
    assert poker.draw(result) is not None


@pytest.mark.parametrize("bits", [32, 16])
def test_a_target_is_told_where_it_is_first_met(bits):
    tree = PublicTree(poker._tree("short", OTHER_SPOTS["river_short"]).game)
    reached = poker.reach(tree, "dcfr", bits)
    checks = poker._checks()
    solver = Solver(tree, "dcfr", bits=bits, threads=1)
    percents = {}
    for iteration in checks[: checks.index(reached[-1].iterations) + 1]:
        solver.step(iteration - solver.iteration)
        percents[iteration] = solver.assess().percent_of_pot
    for each in reached:
        assert percents[each.iterations] <= each.target
        assert all(percents[k] > each.target for k in percents if k < each.iterations)
    assert reached[0].seconds <= reached[1].seconds <= reached[2].seconds


def test_checks_come_every_three_percent():
    checks = poker._checks(1000)
    assert checks[:3] == [1, 2, 3]
    assert all(b - a <= max(1, a / 32) for a, b in pairwise(checks))


def test_a_run_that_is_too_long_reaches_nothing():
    tree = poker._tree("short", OTHER_SPOTS["river_short"])
    reached = poker.reach(tree, "cfr", targets=(1e-9,), budget=1e-6)
    assert reached == (Reach(1e-9),)


PEER = """
import json, sys
board, pot, stack, oop, ip, bets, raises, bits = sys.argv[1:]
assert (board, pot, stack, bits) == ("JcTc4d4s9h", "600", "300", bits), sys.argv
assert (bets, raises) == ("25%, 50%, a", "a")
print(json.dumps({"build_cpu": 0.1}), flush=True)
done = 0
for line in sys.stdin:
    word, *count = line.split()
    if word == "step":
        done += int(count[0])
        answer = {"cpu": 0.5 * int(count[0]), "t": done}
    else:
        answer = {"exp": 100 / done}
    print(json.dumps(answer), flush=True)
"""


def test_a_peer_takes_turns_with_ours(tmp_path):
    """A peer that says half a second an iteration, and a hundred iterations to 1%."""
    path, program = tmp_path / "short.json", tmp_path / "peer.py"
    path.write_text(json.dumps(OTHER_SPOTS["river_short"]))
    program.write_text(PEER)
    costs = poker.measure(
        str(path), "dcfr", peer=f"{sys.executable} {program}", seconds=1e-3, rounds=2,
        triad=poker.Triad(0.5), memory=False,
    )  # fmt: skip
    for cost in costs:
        assert cost.peer.one_thread == 0.5
        counts = [reached.iterations for reached in cost.peer.reached]
        for count, target in zip(counts, poker.TARGETS, strict=False):
            if count is not None:
                assert 100 / target <= count <= 103.2 / target
        assert counts[0] is not None
        assert cost.iteration_ratio == cost.one_thread / 0.5
        assert cost.ratio is None  # the budget of 120 CPU seconds has ended before 0.1%
    result = poker.Costs(tuple(costs), 2, (0.5, 0.5, 0.5))
    assert "The peer in the same rounds" in shown(poker.show(result))
    assert result.to_dict()["peers"][1]["bits"] == 16
    assert poker.draw(result) is not None
    met = cost.peer.reached[:1] * 3
    both = poker.replace(cost, reached=cost.reached, peer=poker.replace(cost.peer, reached=met))
    assert both.ratio == cost.reached[-1].seconds / met[0].seconds


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/no/such/program", "cannot be started"),
        (f"{sys.executable} -c print('hello')", "not a line of JSON"),
        (f"{sys.executable} -c print('[]')", "not a line of JSON"),
    ],
)
def test_peers_that_do_not_answer(command, words):
    with pytest.raises(FileError, match=words):
        poker.run(["river_short"], peer=command)


def test_a_peer_that_answers_something_else():
    command = f"""{sys.executable} -c 'print("{{}}", flush=True); input(); print("{{}}")'"""
    with SpotPeer(command, OTHER_SPOTS["river_short"], 32) as peer:
        with pytest.raises(FileError, match="answers 'step 1' without 'cpu'"):
            peer.step(1)
        with pytest.raises(FileError, match="not a line of JSON"):  # it has ended
            peer.exploitability()


def test_a_peer_is_asked_for_percent_alone():
    with pytest.raises(ParameterError, match="percent of the pot"):
        SpotPeer("true", OTHER_SPOTS["river_short"] | {"bets": ["40c"]}, 32)


def test_the_triad_counts_four_transfers(monkeypatch):
    triad = poker.Triad(1.0, block=1 << 10)
    clock = iter([10.0, 12.0])
    monkeypatch.setattr(timing, "process_time", lambda: next(clock))
    assert triad() == 4 * 2**20 / 2.0
    assert (triad.a == 7.0).all()


def test_memory_is_told_by_a_process_of_its_own(monkeypatch):
    job = ["short", OTHER_SPOTS["river_short"], "dcfr", 32]
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(job)))
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    peaks = iter([1000, 1750])
    monkeypatch.setattr(poker, "peak_memory", lambda: next(peaks))
    poker._worker()
    assert sys.stdout.getvalue() == "750"


def test_spots_that_are_not_there():
    with pytest.raises(ParameterError, match=r"no spot 'flop_large'.*river_full"):
        poker.run(["flop_large"])


def test_methods_race_on_several_spots():
    heard: list[str] = []
    names = ["river_short", "river_threebet"]
    result = poker_methods.run(
        names, 30.0, lambda done, total, words: heard.append(words), ["dcfr", "cfr+(2)"]
    )
    races = result.races
    assert [(race.spot, race.method) for race in races] == [
        (name, method) for name in names for method in ("dcfr", "cfr+(2)")
    ]
    assert heard[0] == "river_short, dcfr"
    counts = [[reached.iterations for reached in race.reached] for race in races]
    mean = result.means
    assert mean["dcfr"][2] ** 2 == pytest.approx(counts[0][2] * counts[2][2])
    assert mean["dcfr"][2] < mean["cfr+(2)"][2]
    assert "geometric mean" in shown(poker_methods.show(result))
    assert poker_methods.draw(result) is not None
    assert result.to_dict()["races"][0]["method"] == "dcfr"
