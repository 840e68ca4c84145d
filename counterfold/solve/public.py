"""Vector CFR: a method at work on the public tree of a poker game, all hands at once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import FileError, ParameterError
from counterfold.evaluate.public import PublicAssessment, assess_tables
from counterfold.files.typed import from_json
from counterfold.interrupts import uncut
from counterfold.poker.game import PokerGame
from counterfold.solve.methods import Method, method
from counterfold.solve.precision import Precision
from counterfold.solve.solver import (
    Report,
    Until,
    check_range,
    go_on,
    is_check,
    next_piece,
    run_of,
    run_until,
)
from counterfold.strategy.public import PublicStrategy, read_public, save_public
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import aligned, asked_in
from counterfold.tree.traversal import Traversal

__all__ = ["POKER_METHOD", "PublicSettings", "PublicSolver"]

POKER_METHOD = "dcfr(1.5, 0, 4)"
"""The fewest iterations to 0.1% of the pot without leaps, by ``bench poker-methods``."""

DERIVED = ("hole", "last", "styled")
"""Further fields that a checkpoint need not keep as asked for: they follow from the rest."""


@dataclass(frozen=True)
class PublicSettings:
    """What was asked for; a checkpoint carries it."""

    method: str = POKER_METHOD
    dtype: str = "float32"
    bits: int = 32
    average: bool = True

    def __post_init__(self) -> None:
        if self.bits not in (16, 32):
            raise ParameterError(f"tables are stored in 16 or 32 bits, not {self.bits!r}")
        if self.dtype not in ("float32", "float64"):
            raise ParameterError(f"numbers are float32 or float64, not {self.dtype!r}")


class PublicSolver:
    """A method at work on a poker game; steps, reports and checkpoints are those of ``Solver``.

    ``asked`` are the further fields of each player (kernels.public.Extra): styles, locks and
    models come here as arrays.

    >>> from counterfold.poker.holdem import kuhn
    >>> solver = PublicSolver(kuhn(), "cfr+", dtype="float64")
    >>> solver.step(2000)
    >>> round(solver.assess().values[0] * 18, 2)
    -1.0
    """

    def __init__(
        self,
        game: PokerGame | PublicTree,
        method: str | Method = POKER_METHOD,
        *,
        dtype: str = "float32",
        bits: int = 32,
        average: bool = True,
        threads: int | None = None,
        symmetry: bool | None = None,
        memory: int | None = None,
        asked: Sequence[dict[str, Any]] = ({}, {}),
        best: bool = False,
    ) -> None:
        self.method = _method(method)
        self.settings = PublicSettings(self.method.name, dtype, bits, average)
        if isinstance(game, PublicTree):
            self.tree = game
        else:
            alike = bool(game.about.get("symmetry", True)) if symmetry is None else symmetry
            self.tree = PublicTree(game, symmetry=alike, memory=memory)
        modelled = any("model" in fields for fields in asked)
        betting = self.tree.game.betting
        largest = float(np.abs(betting.payoff).max())
        check_range(largest / min(1.0, self.tree.weight_sum), dtype)
        styled = modelled or any("delta" in fields for fields in asked)
        self.precision = Precision(dtype, largest, betting.zero_sum and not styled, bits)
        self.traversal = Traversal(self.tree, dtype, threads, model=modelled)
        self.best = best
        self.iteration, self.seconds, self.cpu_seconds = 0, 0.0, 0.0
        self.check_seconds = 0.0  # of the last check
        self.look: Callable[[], None] | None = None
        """Called within a check now and then, which it may end by raising."""
        self._logs, self._row = np.zeros(4), np.zeros(_columns())
        self._cold, self._piece = True, 1
        self._make_tables(asked)

    def _make_tables(self, asked: Sequence[dict[str, Any]]) -> None:
        from counterfold.kernels import public

        arrays, tree = self.traversal.arrays, self.tree
        packed = self.settings.bits == 16
        kinds = (np.int16, np.uint16) if packed else (arrays.dtype, arrays.dtype)
        tables, packs, extras = [], [], []
        for p in (0, 1):
            shape = max(tree.rows(p), 1), tree.columns(p)
            fields = dict(asked[p])
            if self.method.prediction:
                fields["last"] = aligned(shape, arrays.dtype)
            scales = (np.zeros(shape[0], arrays.dtype) for _ in range(2))
            tables.append(public.Table(*(aligned(shape, kind) for kind in kinds)))
            packs.append(public.Pack(*scales) if packed else None)
            extras.append(fields)
        self.tables: Any = tuple(tables)
        self.packs: Any = tuple(packs)
        self.extras: Any = None, None
        if any(extras):
            self.extras = tuple(arrays.extra(p, **fields) for p, fields in enumerate(extras))

    @property
    def nbytes(self) -> int:
        """What a checkpoint takes, about."""
        return sum(table.regret.nbytes + table.total.nbytes for table in self.tables)

    def step(self, iterations: int = 1) -> None:
        """Run some iterations."""
        from counterfold.kernels import rule

        if iterations < 0:
            raise ParameterError(f"iterations is {iterations}, and must not be negative")
        if self._cold:  # compiling or loading the kernels is no part of an iteration
            self._warm()
        while iterations > 0:
            count = min(iterations, self._piece)
            schedule = self.method.schedule(self.iteration + 1, count, self._logs)
            schedule[:, rule.BEST] = self.best
            # The first takes longest, and leaves nothing behind that could be kept.
            with uncut() if self.iteration else nullcontext():
                wall, cpu = time.perf_counter(), time.process_time()
                self._iterate(schedule)
                spent = time.perf_counter() - wall
                self.seconds += spent
                self.cpu_seconds += time.process_time() - cpu
                self._row = schedule[-1].copy()
                self._logs = schedule[-1, rule.LOG_POSITIVE : rule.WEIGHT + 1].copy()
                self.iteration += count
            iterations -= count
            self._piece = next_piece(self._piece, count, spent)

    def _iterate(self, schedule: NDArray[np.float64]) -> None:
        from counterfold.kernels import public

        walk = self.traversal
        before = np.vstack([self._row, schedule])[:-1]
        rows = np.stack([schedule, before, before, schedule, before, schedule], 1)
        rows = rows.reshape(-1, 3, schedule.shape[1])
        if not walk.tasks:
            who = np.tile(np.array([0, 1]), len(schedule))
            walk.call(walk.whole, self.tables, self.packs, self.extras, who, rows)
            return
        for k, row in enumerate(rows):
            walk.run(k % 2, self.tables, self.extras, row, False, public.LEARN, self.packs)

    def _warm(self) -> None:
        walk, nobody = self.traversal, np.zeros(0, np.int64)
        rows = np.zeros((0, 3, _columns()))
        walk.call(walk.whole, self.tables, self.packs, self.extras, nobody, rows)
        self._cold = False

    def strategy(self, best: bool = False, **about: Any) -> PublicStrategy:
        """The average strategy so far (or of the ``best`` check), with what is known about it.

        It shares the tables.
        """
        kept = self.precision.best if best else None
        at = self.iteration if kept is None else kept[0]
        one, two = self._totals() if kept is None else self.precision.kept
        told = {"method": self.settings.method, "iteration": at, **about}
        return PublicStrategy(self.tree, (one, two), told)

    def _totals(self) -> list[NDArray[Any]]:
        return [table.total for table in self.tables]

    def assess(self) -> PublicAssessment:
        """Exact values and best responses of the strategy so far, in double precision."""
        average = self.settings.average
        if average and not self.locked:  # what the sums say is all there is to know
            return assess_tables(self.traversal, self.tables, look=self.look)
        rows, packs = np.stack([self._row] * 3), (None, None) if average else self.packs
        return assess_tables(
            self.traversal, self.tables, self._held(), average=average, rows=rows, packs=packs,
            look=self.look,
        )  # fmt: skip

    @property
    def locked(self) -> bool:
        """Whether a player is held to something."""
        return any(extra is not None and extra.lock.size > 0 for extra in self.extras)

    def _held(self) -> Any:
        """What counts when a strategy is measured: locks do, a model does not."""
        if self.extras[0] is None:
            return self.extras
        none = np.zeros((0, 0), self.traversal.arrays.dtype)
        found = []
        for extra in self.extras:
            last = none if self.settings.average else extra.last
            found.append(in_double(extra._replace(model=none, last=last)))
        return tuple(found)

    def exploitability(self) -> float:
        """Exact exploitability of the strategy so far, in chips a hand."""
        return self.assess().exploitability

    def report(self, run_seconds: float = 0.0, check: bool = True) -> Report:
        """Where the run stands now."""
        base = (self.iteration, self.seconds, self.cpu_seconds, run_seconds)
        if not check:
            return Report(*base)
        began = time.perf_counter()
        found = self.assess()
        if is_check(self.iteration):
            self.precision.note(self.iteration, found.exploitability, self._totals)
        self.check_seconds = time.perf_counter() - began
        return Report(
            *base,
            exploitability=found.exploitability,
            values=found.values,
            gains=found.gains,
            verdict=self.precision.verdict(),
        )

    def run(self, until: Until) -> Iterator[Report]:
        """Iterate, yielding a report now and then; the last one meets ``until``."""
        return run_until(self, until)

    def save(
        self, path: str | os.PathLike[str], trace: Any = (), best: bool = False, **about: Any
    ) -> None:
        """Write a checkpoint, which is also a strategy file: of the ``best`` check, or of now."""
        run = run_of(self, trace) | {"best": self.best}
        state = {"logs": self._logs, "row": self._row}
        if best:  # the strategy is what was kept, and its sums of now are the run's alone
            state |= {f"total.{p}": total for p, total in enumerate(self._totals())}
        else:
            state |= self.precision.state()
        for p in (0, 1):
            state |= {f"{name}.{p}": array for name, array in self._changing(p).items()}
            if self.extras[p] is not None:
                asked = {k: a for k, a in self.extras[p]._asdict().items() if a.size}
                state |= {f"asked.{k}.{p}": asked[k] for k in asked if k not in DERIVED}
        save_public(self.strategy(best, **about), path, state, run)

    def _changing(self, p: int) -> dict[str, NDArray[Any]]:
        """What changes with every iteration, beside the sums of strategies."""
        found = {"regret": self.tables[p].regret}
        if self.packs[p] is not None:
            found |= {"scale": self.packs[p].regret, "size": self.packs[p].total}
        if self.extras[p] is not None and self.extras[p].last.size:
            found["last"] = self.extras[p].last
        return found

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], *, threads: int | None = None
    ) -> tuple[PublicSolver, list[Report]]:
        """Continue from a checkpoint: the solver as it was, and the trace so far."""
        strategy, state, run = read_public(path)
        if run is None:
            raise FileError(f"{path} holds a strategy without a solver's state: nothing to resume")
        settings = from_json(PublicSettings, run.object("settings"))
        asked = asked_in(state.part("asked."), strategy.tree, (settings.dtype,))
        solver = cls(
            strategy.tree, from_json(Method, run.object("rule")), dtype=settings.dtype,
            bits=settings.bits, average=settings.average, threads=threads, asked=asked,
            best=run.flag("best"),
        )  # fmt: skip
        for p in (0, 1):
            if strategy.tables[p].dtype != solver.tables[p].total.dtype:
                raise state.damaged("its sums of strategies are of another kind than its settings")
            if "total.0" in state or (p and solver.precision.kept):
                solver.precision.kept += (strategy.tables[p],)
                state.fill(f"total.{p}", solver.tables[p].total, least=0)
            else:
                solver.tables[p].total[:] = strategy.tables[p]
            for name, array in solver._changing(p).items():
                state.fill(f"{name}.{p}", array)
        state.fill("logs", solver._logs)
        state.fill("row", solver._row, finite=False)
        solver.precision.restore(state, solver._totals())
        state.finish()
        return solver, go_on(solver, run)


def in_double(extra: Any) -> Any:
    """What is asked of a player in double precision, for walks that certify.

    What locks hold to adds up to one again: chips times what 32 bits leave over can be a pot.
    The large tables stay as they are.
    """
    fine = {
        name: array.astype(np.float64)
        for name, array in extra._asdict().items()
        if array.dtype.kind == "f" and name not in ("last", "model")
    }
    held, first = fine["held"], extra.first.tolist()
    for begin, stop in pairwise([*first, len(held)]):
        total = held[begin:stop].sum(0)
        held[begin:stop] /= np.where(total > 0, total, 1.0)
    return extra._replace(**fine)


_method = method


def _columns() -> int:
    from counterfold.kernels import rule

    return rule.COLUMNS
