"""Exact evaluation over the sequence form: values and best responses of history games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike, NDArray

from counterfold.arrays import Floats
from counterfold.errors import UnsupportedError
from counterfold.evaluate.assessment import Assessment, Evaluator
from counterfold.strategy.infosets import slots_of
from counterfold.strategy.layout import Tables
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import SequenceForm, sequence_form

if TYPE_CHECKING:
    from counterfold.kernels.sequence import Scratch


def workspace(form: SequenceForm, dtype: DTypeLike = np.float64) -> Scratch:
    """Scratch arrays for the kernels of a sequence form."""
    from counterfold.kernels.sequence import Scratch

    widest = int(np.diff(form.form.infoset.astype(np.int64)).max(initial=0))
    return Scratch(
        np.zeros(form.sequences, dtype), np.zeros(widest, dtype), np.zeros(widest, dtype)
    )


def assess_form(
    form: SequenceForm, probabilities: Floats, work: Scratch | None = None
) -> tuple[Assessment, NDArray[np.uint32]]:
    """Assess a strategy over the tree's slots; also the best reply's action at each infoset."""
    from counterfold.kernels import sequence as kernels

    players = form.tree.players
    best, earned = np.zeros(players), np.zeros(players)
    choice = np.empty(len(form.form.parent), dtype=np.uint32)
    kernels.assess(
        form.form,
        form.by_sequence(probabilities),
        np.empty(form.sequences),
        workspace(form) if work is None else work,
        choice,
        earned,
        best,
    )
    return Assessment(tuple(earned.tolist()), tuple(best.tolist())), choice


class SequenceEvaluator(Evaluator):
    """Measures strategies over the infosets of a history graph."""

    def __init__(self, tree: HistoryTree) -> None:
        self.tree = tree

    def assess(self, tables: Tables) -> Assessment:
        return assess_form(sequence_form(self.tree), tables[0])[0]

    def best_response(self, tables: Tables, player: int) -> tuple[float, Tables]:
        form, (given,) = sequence_form(self.tree), tables
        if not form.perfect_recall:
            raise UnsupportedError(
                f"{self.tree.spec} has imperfect recall: a best response may need more memory "
                "than its infosets have, so there is no strategy to return"
            )
        assessment, choice = assess_form(form, given)
        probabilities = given.copy()
        first, last = slots_of(self.tree.infosets, player)
        probabilities[first:last] = form.pure(choice, player)[first:last]
        return assessment.best[player], (probabilities,)
