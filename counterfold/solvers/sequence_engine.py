"""Full traversals of a game of perfect recall, over its sequence form."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from counterfold.arrays import Array, Arrays, Floats
from counterfold.evaluate.sequence import workspace
from counterfold.solvers.advice import advice
from counterfold.solvers.engine import Engine, Setup, Slots, runs_on
from counterfold.solvers.history_engine import HistoryEngine, InfosetEngine
from counterfold.solvers.locked_engine import LockedEngine
from counterfold.solvers.settings import Settings
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import SequenceForm, sequence_form

WORTH_SHARING = 2_000_000
"""Leaves of a sequence form from which two threads are faster than one (measured)."""

MOST_PAIRS = 100_000
"""Pairs of moves whose worth is followed."""


class SequenceEngine(InfosetEngine):
    """Full traversals of a game of perfect recall.

    Threads share out gradients where there is enough to share; they change no bit of the result.
    """

    name = "sequence form"
    can = frozenset(
        {"full", "prediction", "simultaneous", "last iterate", "float64", "float32", "threads"}
        | {"style", "warm start", "cce gap", "exact"}
    )

    def __init__(self, setup: Setup[HistoryTree]) -> None:
        from counterfold.kernels import sequence as kernels

        super().__init__(setup)
        form, tree, dtype = sequence_form(setup.form), setup.form, self.dtype
        self._kernels = kernels
        self._form = form
        self._work = workspace(form, dtype)
        self._typed = form.form._replace(val=form.form.val.astype(dtype))
        self._tables = kernels.Tables(*(np.zeros(form.sequences, dtype) for _ in range(4)))
        self.begin_from_nothing()
        # The play so far is followed where its gap to a coarse correlated equilibrium is told.
        follow = not tree.two_player_zero_sum or _one_shot(form)
        # What advice is worth takes pairs of moves: where they cost no more than the leaves do.
        most = min(len(form.form.val), MOST_PAIRS)
        self._advised = (advice(form, most) if follow else None) or []
        none = [np.zeros(0, np.int64)]
        told = np.concatenate(none + [p.plans.sequences[p.told] for p in self._advised])
        taken = np.concatenate(none + [p.plans.sequences[p.taken] for p in self._advised])
        sequences, players = (form.sequences, tree.players) if follow else (0, 0)
        self._play = kernels.Play(
            np.zeros(sequences), np.zeros(players), np.zeros(len(told)),
            told.astype(np.uint32), taken.astype(np.uint32),
        )  # fmt: skip
        self._threads = 1 if follow else setup.threads or _usual_threads(form)

    def _places(self) -> tuple[Array, Array]:
        form = sequence_form(self.form)
        return form.slot, form.infosets()

    def begin(self, regrets: Slots, strategy: Slots | None, average: Slots | None) -> None:
        form = self._form
        strategy = self._match(regrets) if strategy is None else strategy
        self._tables.regret[:] = form.by_sequence(regrets)
        self._tables.regret[: form.tree.players] = 0
        self._tables.strategy[:] = form.by_sequence(strategy)
        self._tables.reach[:] = form.reach(form.by_sequence(strategy))
        self._tables.total[:] = 0 if average is None else form.reach(form.by_sequence(average))

    def learned(self, logs: Floats) -> tuple[Slots, Slots]:
        regrets, sizes = self._form.by_slot(self._tables.regret), self.form.infosets.sizes
        regrets[np.repeat(sizes == 1, sizes)] = 0
        return regrets, self.average()

    def step(self, schedule: Floats) -> None:
        if self._threads > 1:
            self._step_together(schedule)
        else:
            self._kernels.iterate(
                self._typed, self._tables, self._preference, self._play, self._work, schedule,
                self.alternating,
            )  # fmt: skip

    def _step_together(self, schedule: Floats) -> None:
        """The same iterations, bit for bit, with each gradient shared out to threads."""
        kernels, form, tables, work = self._kernels, self._typed, self._tables, self._work
        shares = [self._shares(player) for player in range(self.form.players)]
        with ThreadPoolExecutor(self._threads - 1) as pool:

            def gradient(player: int) -> None:
                mine, *rest = shares[player]
                others = [
                    pool.submit(kernels.gather, form, tables.reach, work.gradient, lo, hi)
                    for lo, hi in rest
                ]
                kernels.gather(form, tables.reach, work.gradient, player, player + 1)
                kernels.gather(form, tables.reach, work.gradient, *mine)
                for other in others:
                    other.result()

            self._iterate(schedule, gradient)

    def _iterate(self, schedule: Floats, gradient: Callable[[int], None]) -> None:
        """Iterations whose gradients, written to the scratch, come from elsewhere."""
        form, tables, work = self._typed, self._tables, self._work
        players = range(self.form.players)
        for row in schedule:
            if not self.alternating:
                for player in players:
                    gradient(player)
            for player in players:
                if self.alternating:
                    gradient(player)
                self._kernels.respond(form, player, tables, self._preference, work, row)

    def _shares(self, player: int) -> list[tuple[int, int]]:
        """The player's sequences in runs of about equally many leaves, one a thread."""
        form = self._form.form
        first = int(form.start[form.groups[player]])
        last = int(form.start[form.groups[player + 1]])
        ends = np.linspace(int(form.ptr[first]), int(form.ptr[last]), self._threads + 1)
        cuts = first + np.searchsorted(form.ptr[first : last + 1], ends[1:-1])
        edges = [first, *cuts.tolist(), last]
        return list(itertools.pairwise(edges))

    def average(self) -> Slots:
        strategy = np.ones(self._form.sequences)
        total = self._tables.total.astype(np.float64)
        self._kernels.normalise(self._form.form, total, strategy, workspace(self._form))
        return self._form.by_slot(strategy)

    def current(self) -> Slots:
        return self.form.infosets.to_one(self._form.by_slot(self._tables.strategy))

    def cce_gaps(self) -> tuple[float, ...] | None:
        weight = float(self._tables.total[0])
        if not len(self._play.earned) or not weight > 0:
            return None
        work = workspace(self._form)
        work.gradient[:] = self._play.gradient
        best = np.zeros(self.form.players)
        choice = np.zeros(len(self._form.form.parent), dtype=np.uint32)
        self._kernels.hindsight(self._form.form, work, choice, best)
        return tuple(((best - self._play.earned) / weight).tolist())

    def correlated_gaps(self) -> tuple[float, ...] | None:
        weight, first = float(self._tables.total[0]), 0
        if not self._advised or not weight > 0:
            return None
        for player in self._advised:
            player.gradient = self._play.gradient[player.plans.sequences]
            player.pairs = self._play.pairs[first : first + len(player.told)]
            first += len(player.told)
        return tuple(player.gaps()[1] / weight for player in self._advised)

    def _changing(self) -> Arrays:
        summed = ("gradient", "earned", *(["pairs"] if self._advised else ()))
        play = {f"play_{name}": getattr(self._play, name) for name in summed}
        return {**self._tables._asdict(), **play}


def _over_histories(tree: HistoryTree, settings: Settings) -> type[Engine]:
    by_sequences = settings.traversal == "full" and settings.form != "history"
    if by_sequences and sequence_form(tree).perfect_recall:
        return SequenceEngine
    return HistoryEngine


runs_on(HistoryTree, SequenceEngine, HistoryEngine, LockedEngine, choose=_over_histories)


def _usual_threads(form: SequenceForm) -> int:
    return min(2, os.cpu_count() or 1) if form.leaves >= WORTH_SHARING else 1


def _one_shot(form: SequenceForm) -> bool:
    """Is it a normal-form game: one decision a player?"""
    return bool((form.form.parent < form.tree.players).all()) and len(form.form.parent) <= (
        form.tree.players
    )
