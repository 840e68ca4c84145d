"""Threads change no bit of the result.

They are used for two-player zero-sum games alone: with more players the two ways to run a
gradient are compiled to sums in another order.
"""

from __future__ import annotations

import numpy as np
import pytest

import counterfold as cf
from counterfold.errors import ParameterError
from counterfold.solvers.engine import Setup
from counterfold.solvers.sequence_engine import SequenceEngine
from counterfold.solvers.settings import Settings
from counterfold.solvers.solver import Solver
from tests.random_games import random_game

GAMES = {
    "kuhn": cf.Kuhn(),
    "leduc": cf.Leduc(),
    "goofspiel": cf.Goofspiel(cards=4, prizes="random"),
    "drawn": random_game(11, 2, 5, zero_sum=True),
    "nobody decides": random_game(3, 2, 0),
}


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("method", ["dcfr", "hs-pcfr+"])
@pytest.mark.parametrize("name", GAMES)
def test_threads_change_nothing(name: str, method: str, dtype: str, alternating: bool) -> None:
    tree, rule = cf.compile_game(GAMES[name]), cf.method(method)
    settings = Settings(rule.name, dtype=dtype, alternating=alternating)
    schedule = rule.schedule(1, 60, np.zeros(4))
    states = []
    for threads in (1, 2, 3):
        engine = SequenceEngine(Setup(tree, rule, settings, threads))
        engine.step(schedule)
        states.append(engine.state())
    for state in states[1:]:
        for table, array in state.items():
            assert array.tobytes() == states[0][table].tobytes(), table


def test_a_solver_takes_the_threads_that_it_is_given() -> None:
    solver = Solver(cf.Leduc(), "cfr+", threads=2)
    solver.step(200)
    alone = Solver(cf.Leduc(), "cfr+", threads=1)
    alone.step(200)
    assert solver.engine._threads == 2  # type: ignore[attr-defined]
    assert np.array_equal(solver.probabilities(), alone.probabilities())
    three = Solver(cf.Kuhn(players=3), "cfr+", threads=2)
    assert three.engine._threads == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("threads", [0, -1, 1000])
def test_wrong_numbers_of_threads(threads: int) -> None:
    with pytest.raises(ParameterError, match="threads"):
        Solver(cf.Kuhn(), threads=threads)
