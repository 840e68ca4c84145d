"""Hold'em spots: what is measured is what is said to be, and other solvers stand beside it."""

from __future__ import annotations

import io
import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from counterfold.errors import ParameterError
from counterfold.research.bench import poker, poker_methods
from counterfold.research.bench.peers import Reach
from counterfold.research.bench.spots import OTHER_SPOTS, PEERS, SPOTS
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
        assert cost.fastest is None
        assert cost.ratio is None
        assert [reached.target for reached in cost.reached] == [1.0, 0.5, 0.1]
        for reached in cost.reached:
            assert reached.seconds == reached.iterations * cost.one_thread
    text = shown(poker.table(costs))
    assert "short" in text
    assert "resident" in text
    document = json.loads(json.dumps(poker.to_json(costs)))
    assert document["costs"][1]["bits"] == 16
    assert len(document["peers"]) == len(PEERS)
    assert poker.plot(costs) is not None


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


def test_the_fastest_solver_with_as_many_bits_is_the_measure():
    def cost(spot, bits, seconds):
        reached = tuple(Reach(target, seconds, 100) for target in poker.TARGETS)
        return poker.Cost(spot, bits, "dcfr", 0.1, 0.01, 0.006, 2e7, 1e10, 8, None, reached)

    flop = cost("flop_small", 32, 50.4)
    assert flop.fastest.name == "postflop-solver"
    assert flop.ratio == pytest.approx(50.4 / (0.48 * 210))
    assert flop.bandwidth == pytest.approx(2e9)
    assert flop.share == pytest.approx(0.2)
    packed = cost("flop_small", 16, 41.6)
    assert packed.ratio == pytest.approx(41.6 / (0.52 * 160))
    assert cost("turn_wide", 32, None).ratio is None
    text = shown(poker.table([flop, packed]))
    assert "0.50" in text
    assert "postflop-solver" in text


def test_the_triad_counts_four_transfers(monkeypatch):
    triad = poker.Triad(1.0, block=1 << 10)
    clock = iter([10.0, 12.0])
    monkeypatch.setattr(poker, "process_time", lambda: next(clock))
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
    told: list[str] = []
    names = ["river_short", "river_threebet"]
    races = poker_methods.run(names, 30.0, told.append, ["dcfr", "cfr+(2)"])
    assert [(race.spot, race.method) for race in races] == [
        (name, method) for name in names for method in ("dcfr", "cfr+(2)")
    ]
    assert told[0] == "river_short, dcfr"
    counts = [[reached.iterations for reached in race.reached] for race in races]
    mean = poker_methods.means(races)
    assert mean["dcfr"][2] ** 2 == pytest.approx(counts[0][2] * counts[2][2])
    assert mean["dcfr"][2] < mean["cfr+(2)"][2]
    assert "geometric mean" in shown(poker_methods.table(races))
    assert poker_methods.plot(races) is not None
    assert poker_methods.to_json(races)["races"][0]["method"] == "dcfr"
