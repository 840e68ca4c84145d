"""Betting before the flop alone: jam or fold against published figures, payouts, whole charts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import counterfold as cf
from counterfold.evaluate.public_view import view
from counterfold.poker.table import Holdem
from counterfold.solvers.result import Result


@lru_cache(8)
def solved(spec: str) -> Result:
    return cf.solve(spec)


def played(result: Result, line: str, action: int) -> float:
    """How many of all holes take an action, in percent."""
    seen = view(result.strategy, line)
    return 100 * float(np.mean(np.nan_to_num(seen.strategy[action])))


@pytest.mark.parametrize(
    ("stack", "value", "jams", "calls"),
    [
        (2, 0.009549, 89.443, 100.0),
        (5, 0.056201, 71.484, 62.068),
        (10, -0.045371, 58.284, 37.376),
        (15, -0.127227, 45.655, 28.547),
    ],
)
def test_jam_or_fold_for_two(stack: float, value: float, jams: float, calls: float) -> None:
    result = solved(f"holdem:jamfold(stack={stack})")
    assert result.value == pytest.approx(value, abs=6e-7)
    assert result.exploitability < 1e-6
    assert result.poker is not None
    assert played(result, "", 1) == pytest.approx(jams, abs=0.003)
    assert played(result, "all-in", 1) == pytest.approx(calls, abs=0.01)


def test_hands_that_mix_at_ten_big_blinds() -> None:
    strategy = solved("holdem:jamfold(stack=10)").strategy
    assert strategy.at("4s3s")["all-in 10"] == pytest.approx(0.712, abs=0.01)
    assert strategy.at("Qh6h", "all-in")["call"] == pytest.approx(0.402, abs=0.01)
    assert strategy.at("4s3s") == strategy.at("4d3d")


def test_payouts_for_two_are_chips_in_another_unit() -> None:
    chips, prizes = (
        solved("holdem:jamfold(stack=10)"),
        solved("holdem:jamfold(stack=10,payouts=65+35)"),
    )
    assert prizes.value == pytest.approx(chips.value * 30 / 20, abs=1e-6)


def test_a_small_blind_that_may_call_wins_more() -> None:
    tight = solved("holdem:jamfold(stack=8)")
    wide = cf.solve(
        Holdem(stack=8, raises="allin", last_street="preflop"),
        until=cf.Until(exploitability=1e-5),
    )
    assert wide.exploitability <= 1e-5
    assert wide.value > tight.value + 1e-3


def test_what_antes_do() -> None:
    """Everybody's ante is dead money: with large ones all hands jam and call."""
    result = cf.solve("holdem:jamfold(stack=3,ante=1)")
    assert played(result, "", 1) == pytest.approx(100.0, abs=1e-3)
    assert played(result, "all-in", 1) == pytest.approx(100.0, abs=1e-3)
    assert result.value == pytest.approx(0.0, abs=1e-6)
