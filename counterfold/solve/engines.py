"""The two ways to run an iteration: over the sequence form, or over the history graph.

Both keep their tables as flat arrays, take a schedule (see ``methods``), and can hand their
whole state out and take it back, bit for bit.
"""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import TreeTooLargeError
from counterfold.evaluate.exact import workspace
from counterfold.files.arrays import Saved
from counterfold.solve.leaning import Leaning, plain
from counterfold.tree.graph import graph_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.memory import memory_at_hand
from counterfold.tree.sequence import SequenceForm, sequence_form

__all__ = ["Engine", "HistoryEngine", "SequenceEngine"]

Arrays = dict[str, NDArray[Any]]
Slots = NDArray[np.float64]

WORTH_SHARING = 2_000_000
"""Leaves of a sequence form from which two threads are faster than one (measured)."""

# Which of the other players and the updating player itself a traversal samples.
SAMPLED = {"chance": (False, False), "external": (True, False), "outcome": (True, True)}


class Engine(Protocol):
    """What a solver needs of an engine."""

    def begin(self, regrets: Slots, strategy: Slots, average: Slots | None) -> None:
        """Start from these, over the tree's slots; the average strategy counts as one iteration."""

    def learned(self) -> tuple[Slots, Slots]:
        """Regrets and the average strategy over the tree's slots, as ``begin`` takes them."""

    def lean(self, leaning: Leaning) -> None:
        """Follow this style from the next update on."""

    def step(self, schedule: NDArray[np.float64]) -> None:
        """Run one iteration a row."""

    def average(self) -> NDArray[np.float64]:
        """The average strategy over the tree's slots."""

    def current(self) -> NDArray[np.float64]:
        """The strategy of the next iteration over the tree's slots."""

    def cce_gaps(self) -> tuple[float, ...] | None:
        """What each player would have gained by one fixed strategy against the play so far."""

    def state(self) -> Arrays:
        """Everything that the next iteration depends on."""

    def restore(self, state: Saved) -> None:
        """Take back what ``state`` handed out, from a file."""


class SequenceEngine:
    """Full traversals of a game of perfect recall."""

    def __init__(
        self,
        form: SequenceForm,
        dtype: Any,
        *,
        alternating: bool,
        follow_play: bool,
        threads: int = 1,
        leaning: Leaning | None = None,
    ) -> None:
        from counterfold.kernels import sequence as kernels

        self._kernels = kernels
        self._form = form
        self._alternating = alternating
        self._work = workspace(form, dtype)
        self._typed = form.form._replace(val=form.form.val.astype(dtype))
        size, players = form.sequences, form.tree.players
        self._taste = plain(dtype)
        if leaning is not None:
            self.lean(leaning)
        self._tables = kernels.Tables(*(np.zeros(size, dtype) for _ in range(4)))
        self.begin(*_blank(form.tree, leaning))
        followed = (size, players) if follow_play else (0, 0)
        self._play = kernels.Play(np.zeros(followed[0]), np.zeros(followed[1]))

        self._threads = 1 if follow_play else threads

    def lean(self, leaning: Leaning) -> None:
        form, dtype = self._form, self._typed.val.dtype
        self._taste = leaning.taste(form.tree, form.slot, form.infosets(), dtype)

    def begin(self, regrets: Slots, strategy: Slots, average: Slots | None) -> None:
        form = self._form
        self._tables.regret[:] = form.by_sequence(regrets)
        self._tables.regret[: form.tree.players] = 0
        self._tables.strategy[:] = form.by_sequence(strategy)
        self._tables.reach[:] = form.reach(form.by_sequence(strategy))
        self._tables.total[:] = 0 if average is None else form.reach(form.by_sequence(average))

    def learned(self) -> tuple[Slots, Slots]:
        regrets = self._form.by_slot(self._tables.regret)
        regrets[np.repeat(self._form.tree.infosets.sizes == 1, self._form.tree.infosets.sizes)] = 0
        return regrets, self.average()

    def step(self, schedule: NDArray[np.float64]) -> None:
        if self._threads > 1:
            self._step_together(schedule)
        else:
            self._kernels.iterate(
                self._typed, self._tables, self._taste, self._play, self._work, schedule,
                self._alternating,
            )  # fmt: skip

    def _step_together(self, schedule: NDArray[np.float64]) -> None:
        """The same iterations, bit for bit, with each gradient shared out to threads."""
        kernels, form, tables, work = self._kernels, self._typed, self._tables, self._work
        players = range(self._form.tree.players)
        shares = [self._shares(player) for player in players]
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

            for row in schedule:
                if not self._alternating:
                    for player in players:
                        gradient(player)
                for player in players:
                    if self._alternating:
                        gradient(player)
                    kernels.respond(form, player, tables, self._taste, work, row)

    def _shares(self, player: int) -> list[tuple[int, int]]:
        """The player's sequences in runs of about equally many leaves, one a thread."""
        form = self._form.form
        first = int(form.start[form.groups[player]])
        last = int(form.start[form.groups[player + 1]])
        ends = np.linspace(int(form.ptr[first]), int(form.ptr[last]), self._threads + 1)
        cuts = first + np.searchsorted(form.ptr[first : last + 1], ends[1:-1])
        edges = [first, *cuts.tolist(), last]
        return list(itertools.pairwise(edges))

    def average(self) -> NDArray[np.float64]:
        strategy = np.ones(self._form.sequences)
        total = self._tables.total.astype(np.float64)
        self._kernels.normalise(self._form.form, total, strategy, workspace(self._form))
        return self._form.by_slot(strategy)

    def current(self) -> NDArray[np.float64]:
        return self._form.tree.infosets.to_one(self._form.by_slot(self._tables.strategy))

    def cce_gaps(self) -> tuple[float, ...] | None:
        weight = float(self._tables.total[0])
        if not len(self._play.earned) or not weight > 0:
            return None
        work = workspace(self._form)
        work.gradient[:] = self._play.gradient
        best = np.zeros(self._form.tree.players)
        choice = np.zeros(len(self._form.form.parent), dtype=np.uint32)
        self._kernels.hindsight(self._form.form, work, choice, best)
        return tuple(((best - self._play.earned) / weight).tolist())

    def state(self) -> Arrays:
        return {
            **{name: array.copy() for name, array in self._tables._asdict().items()},
            **{f"play_{name}": array.copy() for name, array in self._play._asdict().items()},
        }

    def restore(self, state: Saved) -> None:
        for name, array in self._tables._asdict().items():
            state.fill(name, array)
        for name, array in self._play._asdict().items():
            state.fill(f"play_{name}", array)


class HistoryEngine:
    """Any traversal of any history graph."""

    def __init__(
        self,
        tree: HistoryTree,
        dtype: Any,
        *,
        traversal: str,
        alternating: bool,
        seed: int,
        explore: float,
        leaning: Leaning | None = None,
    ) -> None:
        from counterfold.kernels import history as kernels

        self._kernels = kernels
        self._tree = tree
        self._alternating = alternating
        self._explore = explore
        self._graph = graph_of(tree)
        slots, infosets = tree.infosets.slots, len(tree.infosets.owner)
        self._tables = kernels.Tables(
            regret=np.zeros(slots, dtype),
            strategy=np.zeros(slots, dtype),
            total=np.zeros(slots, dtype),
            new=np.zeros(slots, dtype),
            seen=np.zeros((infosets, 3)),
        )
        self._taste = plain(dtype)
        if leaning is not None:
            self.lean(leaning)
        self.begin(*_blank(tree, leaning))
        self._random = np.array([seed], dtype=np.uint64)
        self._clock = 0
        self._sampled = SAMPLED.get(traversal)
        self._room = self._make_room(dtype)

    def lean(self, leaning: Leaning) -> None:
        slots, infosets = self._tree.infosets.slots, len(self._tree.infosets.owner)
        self._taste = leaning.taste(
            self._tree, np.arange(slots), np.arange(infosets), self._tables.regret.dtype
        )

    def _make_room(self, dtype: Any) -> Any:
        kernels, tree = self._kernels, self._tree
        if self._sampled is None:
            return kernels.Dense(*(np.zeros(tree.histories, dtype) for _ in range(3)))
        room = np.zeros(tree.histories)
        most = max(
            kernels.most_visits(tree.turn, tree.first, tree.child, player, self._sampled, room)
            for player in range(tree.players)
        )
        if most * 60 > 0.9 * memory_at_hand():
            raise TreeTooLargeError(
                f"one sampled traversal may visit {most:.3g} histories, which do not fit in "
                "memory; sample more of the game (external or outcome)"
            )
        size = int(most)
        infosets = len(tree.infosets.owner)
        return kernels.Sparse(
            *(np.zeros(size, np.uint32) for _ in range(3)),
            *(np.zeros(size) for _ in range(5)),
            touched=np.zeros(infosets, np.uint32),
            stamp=np.zeros(infosets, np.int64),
        )

    def begin(self, regrets: Slots, strategy: Slots, average: Slots | None) -> None:
        self._tables.regret[:] = regrets
        self._tables.strategy[:] = strategy
        self._tables.total[:] = 0 if average is None else average

    def learned(self) -> tuple[Slots, Slots]:
        """The average as it was summed up: an infoset that was seldom reached counts for little."""
        return self._tables.regret.astype(np.float64), self._tables.total.astype(np.float64)

    def step(self, schedule: NDArray[np.float64]) -> None:
        if self._sampled is None:
            self._kernels.sweep(
                self._graph, self._tables, self._taste, self._room, schedule, self._alternating
            )
            return
        self._kernels.sample(
            self._graph, self._tables, self._taste, self._room, schedule, self._alternating,
            self._random, self._explore, self._sampled, self._clock,
        )  # fmt: skip
        self._clock += len(schedule)

    def average(self) -> NDArray[np.float64]:
        return self._tree.infosets.to_one(self._tables.total)

    def current(self) -> NDArray[np.float64]:
        return self._tree.infosets.to_one(self._tables.strategy)

    def cce_gaps(self) -> tuple[float, ...] | None:
        return None

    def state(self) -> Arrays:
        tables = {name: array.copy() for name, array in self._tables._asdict().items()}
        return {**tables, "random": self._random.copy()}

    def restore(self, state: Saved) -> None:
        for name, array in {**self._tables._asdict(), "random": self._random}.items():
            state.fill(name, array)


def _blank(tree: HistoryTree, leaning: Leaning | None) -> tuple[Slots, Slots, None]:
    """No regrets, and what the rule plays without any."""
    strategy = tree.infosets.evenly() if leaning is None else leaning.fallback(tree)
    return np.zeros(tree.infosets.slots), strategy, None


def make_engine(
    tree: HistoryTree,
    traversal: str,
    dtype: Any,
    *,
    alternating: bool,
    seed: int,
    explore: float,
    form: str = "auto",
    threads: int | None = None,
    leaning: Leaning | None = None,
) -> Engine:
    """The fastest engine that is right: the sequence form for full traversals that remember.

    Threads share out gradients where there is enough to share (by default); they change no
    bit of the result. Sampled traversals and small games run in one thread, which is faster.
    """
    if traversal == "full" and form != "history":
        sequences = sequence_form(tree)
        if sequences.perfect_recall:
            if threads is None:
                threads = min(2, os.cpu_count() or 1) if sequences.leaves >= WORTH_SHARING else 1
            follow = not tree.two_player_zero_sum or _one_shot(sequences)
            return SequenceEngine(
                sequences, dtype, alternating=alternating, follow_play=follow, threads=threads,
                leaning=leaning,
            )  # fmt: skip
    return HistoryEngine(
        tree, dtype, traversal=traversal, alternating=alternating, seed=seed, explore=explore,
        leaning=leaning,
    )  # fmt: skip


def _one_shot(form: SequenceForm) -> bool:
    """Is it a normal-form game: one decision a player?"""
    return bool((form.form.parent < form.tree.players).all()) and len(form.form.parent) <= (
        form.tree.players
    )
