"""CFR over deals that were drawn once: the sequence form's rule, with gradients from the deals."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.drawn_form import DrawnEvaluator, DrawnForm
from counterfold.evaluate.exact import evaluator_of
from counterfold.solvers.engine import Setup, runs_on
from counterfold.solvers.sequence_engine import SequenceEngine

TASK = 20_000  # deals


class DrawnEngine(SequenceEngine):
    """Full traversals of all deals, player by player.

    Tasks are always the same, and what they come to is added up in their order: results do not
    depend on how many threads there are.
    """

    name = "drawn deals"
    can = SequenceEngine.can - {"cce gap"}
    checks_cost: ClassVar[bool] = True
    refusal: ClassVar[str] = "a table over drawn deals"

    def __init__(self, setup: Setup[Any]) -> None:
        _ = setup.form.sequence_form  # which is kept with it
        super().__init__(setup)
        self._play = self._kernels.Play(*(np.zeros(0, a.dtype) for a in self._play))
        self._advised = []
        self._threads = setup.threads or max(1, min(8, len(os.sched_getaffinity(0))))
        form: DrawnForm = setup.form
        measure = evaluator_of(form)
        assert isinstance(measure, DrawnEvaluator)
        self._lines, self._deals = measure.lines, measure.drawn.arrays
        self._tasks = range(0, len(self._deals.hand), TASK)
        self._found = np.zeros((len(self._tasks), self._form.sequences))

    def step(self, schedule: NDArray[np.float64]) -> None:
        with ThreadPoolExecutor(self._threads) as pool:
            self._iterate(schedule, lambda player: self._gradient(player, pool))

    def _gradient(self, player: int, pool: ThreadPoolExecutor) -> None:
        from counterfold.kernels import drawn

        form = self._typed
        first, last = (int(form.start[form.groups[p]]) for p in (player, player + 1))
        strategy, count = self._tables.strategy, len(self._deals.hand)

        def work(task: int) -> None:
            into = self._found[task]
            into[player] = into[first:last] = 0
            begin, room = task * TASK, np.zeros(len(self._lines.kind))
            stop = min(begin + TASK, count)
            drawn.gradient(self._lines, self._deals, player, strategy, room, into, begin, stop)

        list(pool.map(work, range(len(self._tasks))))
        gradient = self._work.gradient
        gradient[player] = self._found[:, player].sum()
        gradient[first:last] = self._found[:, first:last].sum(0)


runs_on(DrawnForm, DrawnEngine)
