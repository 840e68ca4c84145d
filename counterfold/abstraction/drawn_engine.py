"""CFR over deals that were drawn once: the sequence form's rule, with gradients from the deals."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.drawn_form import DrawnEvaluator, DrawnForm
from counterfold.solvers.engine import Setup, runs_on
from counterfold.solvers.sequence_engine import SequenceEngine


class DrawnEngine(SequenceEngine):
    """Full traversals of all deals, player by player."""

    name = "drawn deals"
    can = SequenceEngine.can - {"cce gap"}
    checks_cost: ClassVar[bool] = True
    refusal: ClassVar[str] = "a table over drawn deals"

    def __init__(self, setup: Setup[Any]) -> None:
        _ = setup.form.sequence_form  # which is kept with it
        super().__init__(setup)
        self._play = self._kernels.Play(*(np.zeros(0, a.dtype) for a in self._play))
        self._advised = []
        self._walks = DrawnEvaluator(setup.form, threads=setup.threads)

    def step(self, schedule: NDArray[np.float64]) -> None:
        strategy, into = self._tables.strategy, self._work.gradient
        self._iterate(schedule, lambda player: self._walks.gradient(strategy, player, into))


runs_on(DrawnForm, DrawnEngine)
