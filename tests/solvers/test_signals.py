"""A signal in a run whose checks take long: no other check is begun, and nothing is claimed."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.poker.holdem import kuhn
from counterfold.solvers import run
from counterfold.solvers.result import Result, resume, solve
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Report, Until
from counterfold.strategy.strategy import Strategy

pytestmark = pytest.mark.usefixtures("heeded_signals")


def interrupted(until: Until, at: int, during: str, path: Path, monkeypatch: Any) -> Result:
    """A run that gets Ctrl-C in its iteration ``at``, or in the check that follows."""
    solver = Solver(kuhn(), "cfr+", dtype="float64")
    where = solver.engine if during == "step" else solver
    before, left = getattr(where, during), [1]

    def hit(*given: Any, **more: Any) -> Any:
        found = before(*given, **more) if during == "step" else None
        if left and solver.iteration == at - (during == "step"):
            left.pop()
            os.kill(os.getpid(), signal.SIGINT)
        return before(*given, **more) if during == "assess" else found

    monkeypatch.setattr(where, during, hit)
    return solve(solver, until=until, save=path, every=1)


@pytest.mark.parametrize(("during", "at"), [("step", 13), ("assess", 14)])
def test_a_long_check_is_left_out(
    during: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Iterations 12 and 14 are checked, and 13 is not."""
    monkeypatch.setattr(run, "LAST_CHECK", 0.0)
    path = tmp_path / "run"
    found = interrupted(Until(iterations=40), at, during, path, monkeypatch)
    assert (found.stopped, found.iterations, found.certified_at) == ("interrupted", at, 12)
    straight = solve(kuhn(), "cfr+", Until(iterations=12), dtype="float64")
    assert found.exploitability == straight.exploitability
    assert found.values == straight.values
    assert [report.iteration for report in found.trace][-1] == 12
    saved = Strategy.load(path)
    for strategy in (found.strategy, saved):  # of which nothing is known
        assert strategy.about["iteration"] == at
        assert "exploitability" not in strategy.about
    last = solve(kuhn(), "cfr+", Until(iterations=at), dtype="float64")
    assert np.array_equal(saved.tables[0], last.strategy.tables[0])

    rest = resume(path, Until(iterations=40))
    whole = solve(kuhn(), "cfr+", Until(iterations=40), dtype="float64")
    assert rest.exploitability == whole.exploitability
    assert [r.iteration for r in rest.trace] == [r.iteration for r in whole.trace]
    assert np.array_equal(rest.strategy.tables[1], whole.strategy.tables[1])


@pytest.mark.parametrize(("during", "at"), [("step", 13), ("assess", 14)])
def test_a_quick_check_is_made(
    during: str, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "LAST_CHECK", 60.0)
    found = interrupted(Until(iterations=40), at, during, tmp_path / "run", monkeypatch)
    assert (found.stopped, found.iterations, found.certified_at) == ("interrupted", at, at)
    assert found.strategy.about["exploitability"] == found.exploitability


def test_the_first_check_is_made_whatever_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result without any certificate would be none."""
    monkeypatch.setattr(run, "LAST_CHECK", 0.0)
    found = interrupted(Until(iterations=40), 1, "assess", tmp_path / "run", monkeypatch)
    assert (found.stopped, found.iterations, found.certified_at) == ("interrupted", 1, 1)


def test_a_history_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LAST_CHECK", 0.0)

    def hit(report: Report) -> None:
        if report.iteration >= 1000 and report.exploitability is None:
            os.kill(os.getpid(), signal.SIGINT)

    path = tmp_path / "run"
    found = cf.solve(cf.Kuhn(), "cfr", Until(iterations=10**7), save=path, every=7, on_report=hit)
    checks = [report.iteration for report in found.trace]
    assert found.certified_at == checks[-1] < found.iterations
    assert "exploitability" not in cf.Strategy.load(path).about
    assert cf.Strategy.load(path).about["iteration"] == found.iterations
    assert cf.resume(path, Until(iterations=found.iterations)).certified_at == found.iterations


def test_what_was_just_saved_is_not_saved_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "LAST_CHECK", 0.0)
    solver, saved = Solver(kuhn(), "cfr+"), []

    def save(*_: Any, **about: Any) -> None:
        saved.append(solver.iteration)
        if solver.iteration == 14:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(solver, "save", save)
    found = solve(solver, until=Until(iterations=40), save=tmp_path / "run", every=7)
    assert found.stopped == "interrupted"
    assert saved[:2] == [7, 14]
    assert len(set(saved)) == len(saved)
