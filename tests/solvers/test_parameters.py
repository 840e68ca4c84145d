"""Parameters that mean nothing are refused in a sentence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import CounterfoldError, ParameterError, SpecError
from tests import naive

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    "limits",
    [
        {}, {"iterations": 0}, {"iterations": -5}, {"iterations": 2.5}, {"iterations": 1e3},
        {"iterations": NAN},
        {"iterations": INF}, {"iterations": "many"}, {"iterations": True},
        {"exploitability": 0}, {"exploitability": -1e-3}, {"exploitability": NAN},
        {"exploitability": INF}, {"exploitability": "fine"},
        {"seconds": 0}, {"seconds": -1}, {"seconds": NAN}, {"seconds": INF},
    ],
    ids=str,
)  # fmt: skip
def test_when_to_stop(limits: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        cf.Until(**limits)


@pytest.mark.parametrize(
    "settings",
    [
        {"traversal": "sideways"}, {"dtype": "float16"}, {"dtype": "int64"}, {"form": "normal"},
        {"seed": -1}, {"seed": 2**64}, {"seed": 1.5}, {"seed": True}, {"seed": None},
        {"explore": 0}, {"explore": -0.1}, {"explore": 1.1}, {"explore": NAN},
        {"method": cf.Method("x", gamma=2.0), "explore": INF},
    ],
    ids=str,
)  # fmt: skip
def test_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        cf.Solver(cf.Kuhn(), **settings)


@pytest.mark.parametrize(
    "text",
    [
        "magic", "", "cfr(1)", "cfr+(1, 2)", "dcfr(a)", "dcfr(nan, 0, 2)", "dcfr(1.5, nan, 2)",
        "dcfr(1.5, 0, nan)", "dcfr(1.5, 0, -1)", "dcfr(1.5, 0, inf)", "dcfr(delta=1)",
        "cfr+(true)", "hs-dcfr(30, 0)", "hs-dcfr(30, -5)", "hs-dcfr(4)", "hs-pcfr+(30, nan)",
        "dcfr(1,2,3,4)", "cfr+(", "lp",
    ],
)  # fmt: skip
def test_methods(text: str) -> None:
    with pytest.raises(CounterfoldError) as caught:
        cf.Solver(cf.Kuhn(), text)
    assert isinstance(caught.value, SpecError | ParameterError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["alpha", "beta", "gamma", "alpha_slope", "gamma_slope"])
def test_a_method_of_no_numbers(field: str) -> None:
    with pytest.raises(ParameterError, match=field):
        cf.Method("mine", **{field: NAN})


def test_the_table_of_methods_is_that_of_the_papers() -> None:
    assert set(cf.METHODS) == {name for name in naive.RULES if "(" not in name}
    for name, rule in naive.RULES.items():
        made = cf.method(name)
        for field in rule.__dataclass_fields__:
            assert getattr(made, field) == getattr(rule, field), (name, field)
    assert cf.method(cf.method("dcfr")) == cf.method("dcfr")
    assert cf.method("CFR+") == cf.method("cfr+")


def test_steps_are_counted_from_zero_up() -> None:
    solver = cf.Solver(cf.Kuhn())
    solver.step(0)
    assert solver.iteration == 0
    with pytest.raises(ParameterError):
        solver.step(-1)
    assert np.array_equal(solver.probabilities(), np.full(24, 0.5))  # nothing was played yet


def test_the_last_iterate() -> None:
    last = cf.Solver(cf.Kuhn(), "cfr+", average=False)
    average = cf.Solver(cf.Kuhn(), "cfr+")
    for solver in (last, average):
        solver.step(20)
    assert np.array_equal(last.probabilities(), average.engine.current())
    assert not np.array_equal(last.probabilities(), average.probabilities())
    assert last.strategy().about["iterate"] == "last"


def test_a_run_ends_at_the_first_limit_that_is_reached() -> None:
    for until, stopped in (
        (cf.Until(iterations=7), "iterations"),
        (cf.Until(exploitability=0.2, iterations=10**6), "exploitability"),
        (cf.Until(seconds=0.05), "seconds"),
    ):
        result = cf.solve(cf.Kuhn(), "cfr", until)
        assert result.stopped == stopped
        assert result.iterations == result.trace[-1].iteration
        assert result.trace[-1].exploitability == result.exploitability
    assert cf.solve(cf.Kuhn(), "cfr", cf.Until(iterations=7)).iterations == 7
