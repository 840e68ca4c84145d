"""CFR over deals that were drawn once: the sequence form's rule, with gradients from the deals."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from counterfold import interrupts
from counterfold.abstraction.drawn_form import DrawnEvaluator, DrawnForm, Look
from counterfold.arrays import Floats
from counterfold.evaluate.assessment import Assessment
from counterfold.solvers.engine import Setup, runs_on
from counterfold.solvers.sequence_engine import SequenceEngine


class DrawnEngine(SequenceEngine):
    """Full traversals of all deals, player by player."""

    name = "drawn deals"
    can = SequenceEngine.can - {"cce gap"}
    checks_cost: ClassVar[bool] = True
    checks_first: ClassVar[bool] = False  # for that takes minutes
    refusal: ClassVar[str] = "a table over drawn deals"

    def __init__(self, setup: Setup[Any]) -> None:
        form = setup.form
        _ = form.sequence_form, form.lines, form.drawn  # which are kept with it
        super().__init__(setup)
        self._play = self._kernels.Play(*(np.zeros(0, a.dtype) for a in self._play))
        self._advised = []
        self._walks = DrawnEvaluator(form, threads=setup.threads)

    def step(self, schedule: Floats) -> None:
        """Iterations; where a signal ends one, all of them are taken back."""
        strategy, into = self._tables.strategy, self._work.gradient
        before = [table.copy() for table in self._tables]
        try:
            self._iterate(
                schedule, lambda p: self._walks.gradient(strategy, p, into, interrupts.give_up)
            )
        except interrupts.GivenUpError:
            for table, kept in zip(self._tables, before, strict=True):
                table[:] = kept
            raise

    def assess(self, average: bool, look: Look | None = None) -> Assessment:
        return self._walks.assess(self.tables(average), look)


runs_on(DrawnForm, DrawnEngine)
