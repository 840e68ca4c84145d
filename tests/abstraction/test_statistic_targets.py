"""Targets in players' words: met by a blueprint that learns on, with a price, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counterfold.abstraction import statistic_targets
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.buckets import every_hand
from counterfold.abstraction.statistic_targets import meet_statistics
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.exact import assess, values
from counterfold.evaluate.statistics import statistics
from counterfold.poker.holdem import leduc
from counterfold.solvers.solver import Solver
from tests.cli.conftest import invoked


@pytest.fixture(scope="module")
def blueprint() -> Solver:
    form = BucketForm(leduc(), every_hand(leduc()))
    solver = Solver(form, "linear", "external", seed=0)
    solver.step(100_000)
    return solver


def exactly(strategy: Any, name: str) -> float:
    """A statistic of both seats together, over all hands."""
    both = [one for one in statistics(by_hand(strategy)).by_name[name] if one is not None]
    return float(np.average([one.value for one in both], weights=[one.chances for one in both]))


@pytest.mark.parametrize(
    "targets", [{"vpip": 0.5}, {"vpip": 0.75, "pfr": 0.4}, {"wtsd": 0.55}, {"cbet": 0.5}]
)
def test_targets_are_met(blueprint: Solver, targets: dict[str, float]) -> None:
    found = meet_statistics(blueprint, targets, iterations=40_000)
    assert found.met
    for name, share in targets.items():
        assert exactly(found.strategy, name) == pytest.approx(share, abs=0.015), found.targets


def test_the_price_is_what_it_loses(blueprint: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistic_targets, "BOARDS", 1000)
    found = meet_statistics(blueprint, {"vpip": 0.15}, iterations=40_000)
    plain = by_hand(blueprint.strategy())
    free, styled = (
        np.array([values(by_hand(one), plain)[0], values(plain, by_hand(one))[1]])
        for one in (found.free, found.strategy)
    )
    exact = float((free - styled).mean())
    assert exact > 0.004  # 0.013
    assert abs(found.price - exact) < 1.5 * found.half
    assert assess(by_hand(found.strategy)).exploitability > assess(plain).exploitability


def test_what_the_blueprint_has_anyway_costs_nothing(
    blueprint: Solver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistic_targets, "BOARDS", 1000)
    own = exactly(blueprint.strategy(), "vpip")
    found = meet_statistics(blueprint, {"vpip": round(own, 3)}, iterations=8_000)
    assert found.half < 0.01
    assert abs(found.price) < 0.01 + found.half


def test_one_seat_alone(blueprint: Solver) -> None:
    found = meet_statistics(blueprint, {"second:vpip": 0.4}, iterations=40_000)
    exact = statistics(by_hand(found.strategy))
    assert exact.of("vpip", 1).value == pytest.approx(0.4, abs=0.01)
    plain = statistics(by_hand(blueprint.strategy())).of("vpip", 0).value
    assert abs(exact.of("vpip", 0).value - plain) < 0.2


def test_refusals(blueprint: Solver) -> None:
    for targets, says in (
        ({"pfr": 0.6, "vpip": 0.3}, "the nearest is pfr = 0"),
        ({"fold": 0.3}, "there is no statistic"),
        ({"af": 0.3}, "cannot be a target"),
        ({"UTG:vpip": 0.3}, "there is no seat"),
        ({"vpip": 1.3}, "from 0 to 1"),
        ({}, "at least one"),
    ):
        with pytest.raises(ParameterError, match=says):
            meet_statistics(blueprint, targets, iterations=8_000)
    floored = Solver(blueprint.tree, "cfr+", "external")
    with pytest.raises(UnsupportedError, match="linear or dcfr"):
        meet_statistics(floored, {"vpip": 0.3})


def test_on_the_command_line(blueprint: Solver, tmp_path: Path) -> None:
    saved, out = str(tmp_path / "leduc"), str(tmp_path / "out")
    assert invoked(
        "blueprint", "leduc", "--iterations", 50_000, "--save", saved, "-q", "--json"
    ).code == 0  # fmt: skip
    words = ("style", "leduc", "--blueprint", saved, "--target", "vpip=0.5", "-q")
    answer = invoked(*words, "--iterations", 20_000, "--save", out, "--json").document
    assert answer["met"]
    assert answer["price_mbb"] is None  # it has no blinds
    assert set(json.loads(json.dumps(answer["statistics"]))["seats"]) == {"first", "second"}
    assert invoked(*words, "--iterations", 20_000).told("vpip", "met", "against the blueprint")
    assert invoked("show", out, "--stats").told("VPIP")
    Path(out).unlink()
    for more, says in (
        (("--target", "pfr=0.9"), "the nearest is"),
        (("--iterations", 3), "at least 8"),
        (("--method", "dcfr"), "takes --iterations"),
    ):
        assert invoked(*words, *more, "--save", out).refused(says)
    assert invoked("style", "fhp", *words[2:], "--save", out).refused("another game than fhp")
    assert invoked("style", "leduc", "--target", "vpip=0.5").refused("--blueprint FILE")
    assert not Path(out).exists()
