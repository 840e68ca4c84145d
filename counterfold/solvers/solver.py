"""The solver: iterations of a method over a compiled game, that can be stopped and resumed."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import cached_property
from typing import Unpack

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import FileError, MismatchError, ParameterError, UnsupportedError
from counterfold.evaluate.assessment import Assessment
from counterfold.files.typed import from_json, to_json
from counterfold.games.catalog import load_named
from counterfold.interrupts import uncut
from counterfold.notebook import brief
from counterfold.poker.game import PokerGame
from counterfold.solvers import public_engine  # noqa: F401  (it registers)
from counterfold.solvers.conditions import (
    Condition,
    Conditions,
    conditions_on,
    symmetry_under,
)
from counterfold.solvers.engine import Setup, engine_for, engine_of
from counterfold.solvers.methods import STEADY_METHOD, Method
from counterfold.solvers.methods import method as method_of
from counterfold.solvers.precision import Precision
from counterfold.solvers.sequence_engine import SequenceEngine
from counterfold.solvers.settings import Given, Settings, check_range, check_threads, settings_for
from counterfold.solvers.until import Report, Until
from counterfold.strategy.infosets import InfosetLayout
from counterfold.strategy.layout import Tables
from counterfold.strategy.store import read, save_strategy
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.form import Form, InfosetForm, form_of
from counterfold.tree.history import compile_game
from counterfold.tree.named import as_game

MOST_ITERATIONS = 2**62
MOST_PIECE = 1 << 16
PIECE_SECONDS = 0.25


class Solver:
    """A method at work on a game, whatever its form.

    ``style`` and ``locks`` are what a run is held to; further ``settings`` are fields of
    ``Settings``. ``method`` and ``dtype`` are the usual ones of the game unless they are given (see
    ``settings.defaults_of``).

    >>> import counterfold as cf
    >>> solver = cf.Solver(cf.Kuhn(), method="cfr+")
    >>> solver.step(1000)
    >>> round(solver.strategy().at("K", "bet")["call"], 3), solver.exploitability() < 1e-3
    (1.0, True)
    """

    def __init__(
        self,
        game: object,
        method: str | Method | None = None,
        traversal: str = "full",
        *,
        threads: int | None = None,
        style: Condition | Conditions | None = None,
        locks: Condition | Conditions | None = None,
        symmetry: bool | None = None,
        **settings: Unpack[Given],
    ) -> None:
        game = as_game(game)
        self.method, self.settings = settings_for(game, method, settings, traversal)
        check_threads(threads)
        alike = symmetry_under(game, symmetry, style, locks)
        self.tree = form_of(game, symmetry=alike, form=self.settings.form)
        self.conditions = conditions_on(self.tree, style, locks)
        check_range(self.tree, self.settings.dtype)
        setup = Setup(self.tree, self.method, self.settings, threads, self.conditions)
        self.engine = engine_for(setup)
        self.iteration = 0
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self.check_seconds = 0.0  # of the last check
        self.look: Callable[[], None] | None = None
        """Called within a check now and then, which it may end by raising."""
        self._may_restart = method is None and type(self) is Solver and self._predicts
        self._cold = True
        self._piece = self.engine.first_piece
        self._logs = np.zeros(4)

    def __repr__(self) -> str:
        done = f"{self.iteration:,} iterations of {self.settings.method}"
        return brief(self, f"of {self.tree.spec}: {done}")

    @property
    def nbytes(self) -> int:
        """What a checkpoint takes, about."""
        return self.engine.nbytes

    @property
    def _predicts(self) -> bool:
        """Whether predictions may mislead it where theory promises that it falls."""
        plain = self.conditions is None and self.settings.average
        return plain and self.method.prediction > 0 and isinstance(self.engine, SequenceEngine)

    def _restart(self) -> None:
        """Begin again without predictions; what was reached is kept until it is bettered."""
        assert isinstance(self.engine, SequenceEngine)
        self.precision.restart(self._tables())
        self.method, self._may_restart = method_of(STEADY_METHOD), False
        self._logs = np.zeros(4)
        self.engine.begin_from_nothing()

    @cached_property
    def precision(self) -> Precision:
        """The checks so far, and whether the tables still take in what is learned."""
        settings, tree = self.settings, self.tree
        return Precision(settings.dtype, tree.largest_payoff, self.engine.falls, settings.bits)

    def condition(self, conditions: Conditions) -> None:
        """Go on under another style: what was learned stays, the next regrets weigh anew.

        >>> import counterfold as cf
        >>> solver = cf.Solver(cf.Kuhn(), "cfr+")
        >>> solver.step(100)
        >>> solver.condition(cf.Style({"bet": 20.0}, player=0).on(solver.tree))
        >>> solver.step(2000)
        >>> solver.strategy().at("J")["bet"] > 0.22
        True
        """
        self.engine.condition(conditions)
        if self.conditions is None:
            self._logs[3] = self.method.weight(self.iteration)
        self.conditions = conditions

    def begin_at_random(self, seed: int | np.random.Generator) -> None:
        """Start from regrets drawn evenly from 0 to 1 and a random average strategy."""
        if self.iteration:
            raise ParameterError("the run has begun: a random start comes before the first step")
        if not isinstance(self.tree, InfosetForm):
            raise UnsupportedError(f"{self.tree.spec} in this form does not begin at random")
        random, infosets = np.random.default_rng(seed), self.tree.infosets
        regrets = random.random(infosets.slots)
        average = infosets.to_one(random.random(infosets.slots))
        self.engine.begin(regrets, None, average)

    def learned(self) -> tuple[Floats, Floats]:
        """Regrets and the average strategy (summed up, or as probabilities in the sequence form)
        over the tree's slots, for another run to ``begin`` from."""
        return self.engine.learned(self._logs)

    def begin(
        self,
        regrets: Floats,
        average: Floats,
        strategy: Floats | None = None,
    ) -> None:
        """Start from what was ``learned`` elsewhere; the regrets say the first strategy, if none
        is given.

        >>> import counterfold as cf
        >>> first, second = cf.Solver(cf.Kuhn(), "cfr"), cf.Solver(cf.Kuhn(), "cfr")
        >>> first.step(1000)
        >>> second.begin(*first.learned())
        >>> abs(second.exploitability() - first.exploitability()) < 1e-12
        True
        """
        if self.iteration:
            raise ParameterError("the run has begun: what it begins from comes before a step")
        slots = self.engine.slots
        given = (regrets, average) if strategy is None else (regrets, average, strategy)
        if any(np.shape(a) != (slots,) or not np.isfinite(a).all() for a in given):
            raise ParameterError(
                f"{self.tree.spec} begins from {slots:,} finite numbers a table, one a slot"
            )
        self.engine.begin(regrets, strategy, average)

    def step(self, iterations: int = 1) -> None:
        """Run some iterations."""
        from counterfold.kernels import rule

        if iterations < 0:
            raise ParameterError(f"iterations is {iterations}, and must not be negative")
        if iterations and self._may_restart and self.precision.misled:
            self._restart()
        if self._cold:  # compiling or loading the kernels is no part of an iteration
            self.engine.step(np.zeros((0, rule.COLUMNS)))
            self._cold = False
        while iterations > 0:
            count = min(iterations, self._piece)
            schedule, logs = self._schedule(count)
            # The first iteration takes longest, and leaves nothing behind that could be kept.
            with uncut() if self.iteration else nullcontext():
                wall, cpu = time.perf_counter(), time.process_time()
                self.engine.step(schedule)
                spent = time.perf_counter() - wall
                self.seconds += spent
                self.cpu_seconds += time.process_time() - cpu
                self._logs = logs
                self.iteration += count
            iterations -= count
            self._piece = next_piece(self._piece, count, spent)

    def _schedule(self, count: int) -> tuple[Floats, Floats]:
        """A row for each of the next iterations, and the running sums once they are done.

        The sums are of whole rounds: one that is left half done has its row made again.
        """
        from counterfold.kernels import rule

        size, done = self.engine.per_round, self.iteration - self.precision.restarted
        first, last = done // size + 1, (done + count - 1) // size + 1
        rows = self.method.schedule(
            first, last - first + 1, self._logs, weighed=self.engine.weighed
        )
        rows[:, rule.BEST] = self.conditions is not None and self.conditions.best
        whole = (done + count) // size - first + 1
        sums = slice(rule.LOG_POSITIVE, rule.WEIGHT + 1)
        logs = rows[whole - 1, sums].copy() if whole else self._logs
        if size > 1:
            rows = rows[np.arange(done, done + count) // size - (first - 1)]
        return rows, logs

    @property
    def logs(self) -> Floats:
        """Running sums of the schedule, of whole rounds: with the iteration, where a run stands."""
        return self._logs

    def stand_at(self, iteration: int, logs: Floats) -> None:
        """Stand where another run does whose engine has the same tables."""
        self.iteration, self._logs = iteration, np.array(logs, np.float64)

    def next_round(self) -> Floats:
        """The row of the schedule for a whole round, which counts as done from now on."""
        rows, self._logs = self._schedule(self.engine.per_round)
        self.iteration += self.engine.per_round
        row: Floats = rows[0]
        return row

    def probabilities(self) -> Floats:
        """The strategy so far over the tree's slots: the average, or the last iterate."""
        return self.strategy().probabilities

    def current(self) -> Floats:
        """The strategy of the next iteration over the tree's slots."""
        return self.engine.tables(average=False)[0]

    def strategy(self, best: bool = False, **about: object) -> AnyStrategy:
        """The strategy so far (or of the ``best`` check), with what is known about it."""
        known = {
            "method": self.settings.method,
            "traversal": self.settings.traversal,
            "iteration": self.precision.best[0] if best and self.precision.best else self.iteration,
            "seed": self.settings.seed,
            "iterate": "average" if self.settings.average else "last",
            **self.engine.about,
            **about,
        }
        tables = self.precision.kept if best else self._tables()
        return Strategy.of(self.tree, tables, known)

    def _tables(self) -> Tables:
        return self.engine.tables(self.settings.average)

    def assess(self) -> Assessment:
        """Exact values and best responses of the strategy so far."""
        return self.engine.assess(self.settings.average, self.look)

    def exploitability(self) -> float:
        """Exact exploitability of the strategy so far."""
        return self.assess().exploitability

    def cce_gaps(self) -> tuple[float, ...] | None:
        """What each player would have gained by one fixed strategy against the play so far.

        The largest of them is the gap to a coarse correlated equilibrium: what regret matching
        promises to close in every game. Followed in full traversals of games of perfect recall
        that are not two-player zero-sum, and of normal-form games; None elsewhere.
        """
        return self.engine.cce_gaps()

    def correlated_gaps(self) -> tuple[float, ...] | None:
        """What each player would have gained by leaving the play so far when told its next move.

        None where ``cce_gaps`` is None, and in games with more pairs of moves than leaves.
        """
        return self.engine.correlated_gaps()

    def report(self, run_seconds: float = 0.0, check: bool = True) -> Report:
        """Where the run stands now."""
        base = (self.iteration, self.seconds, self.cpu_seconds, run_seconds)
        if not check:
            return Report(*base)
        began = time.perf_counter()
        measured, gaps = self.assess(), self.cce_gaps()
        if is_check(self.iteration):
            self.precision.note(self.iteration, measured.exploitability, self._tables)
        self.check_seconds = time.perf_counter() - began
        return Report(
            *base,
            exploitability=measured.exploitability,
            values=measured.values,
            gains=measured.gains,
            cce_gap=None if gaps is None else max(gaps),
            verdict=self.precision.verdict(),
        )

    def run(self, until: Until | int | str) -> Iterator[Report]:
        """Iterate, yielding a report now and then; the last one meets ``until``.

        Exploitability is checked at fixed iterations (each a tenth further than the last), so
        that a resumed run stops where an uninterrupted one would; where checks are dear, only at
        those that may find it low enough; by an engine that cannot measure it while it runs, not
        at all.
        """
        from counterfold.solvers.run import run_until

        limits = Until.of(until)
        assert limits is not None
        return run_until(self, limits.on(self.tree))

    def save(
        self,
        path: str | os.PathLike[str],
        trace: Iterable[Report] = (),
        best: bool = False,
        **about: object,
    ) -> None:
        """Write a checkpoint, which is also a strategy file: of the ``best`` check, or of now."""
        run = {
            "settings": to_json(self.settings),
            "rule": to_json(self.method),
            "iteration": self.iteration,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "best": self.conditions is not None and self.conditions.best,
            "kept": best,  # whether the strategy beside the state is that of the best check
            "restarted": self.precision.restarted,
            "may_restart": self._may_restart,
            "trace": [to_json(report) for report in trace],
        }
        apart = best or not self.settings.average  # the strategy tells nothing of the sums
        state = {**self.engine.state(alone=apart), "logs": self._logs.copy()}
        if not best:
            state |= self.precision.state()
        save_strategy(self.strategy(best, **about), path, state, run)

    @classmethod
    def resume(
        cls,
        path: str | os.PathLike[str],
        game: object = None,
        memory: int | None = None,
        *,
        threads: int | None = None,
    ) -> tuple[Solver, list[Report]]:
        """Continue from a checkpoint: the solver as it was, and the trace so far."""
        known = game is None or isinstance(game, PokerGame)  # whose tree the file has
        given = None if known else form_of(game, memory)
        strategy, state, run = read(path, given)
        if run is None:
            raise FileError(f"{path} holds a strategy without a solver's state: nothing to resume")
        settings = from_json(Settings, run.object("settings"))
        rule = from_json(Method, run.object("rule"))
        form = given or _form_of(strategy, path, memory)
        strategy.check_fits(form)
        if isinstance(game, PokerGame) and strategy.tree.game.about != game.about:
            raise MismatchError(
                f"{path} is a run of {form.spec}, not of {game.spec}; leave the game out"
            )
        conditions = engine_of(form, settings).conditions_in(form, state, run, settings)
        how = asdict(settings) | {"method": rule}
        solver = cls(form, **how, threads=threads, style=conditions)
        solver.settings = settings  # a run that has begun again is still of its first method
        state.fill("logs", solver._logs)
        kept = run.flag("kept", False)
        apart = kept or not settings.average
        solver.engine.restore(state, None if apart else strategy.tables)
        if kept:
            solver.precision.kept = strategy.tables
        else:
            solver.precision.restore(state, strategy.tables)
        state.finish()
        solver.iteration = run.whole("iteration", 0, MOST_ITERATIONS)
        solver.seconds, solver.cpu_seconds = run.number("seconds", 0), run.number("cpu_seconds", 0)
        trace = [from_json(Report, entry) for entry in run.objects("trace")]
        if any(report.exploitability is None for report in trace):
            raise state.damaged("a check of its trace does not tell the exploitability")
        restarted = run.whole("restarted", 0, solver.iteration, default=0)
        solver.precision.begin(checks_of(trace), restarted)
        solver._may_restart = run.flag("may_restart", False) and solver._predicts
        return solver, trace


def _form_of(strategy: Strategy, path: str | os.PathLike[str], memory: int | None) -> Form:
    """The compiled game of a checkpoint, by the name that it says."""
    if isinstance(strategy.layout, InfosetLayout):
        return compile_game(load_named(strategy.spec, path), memory)
    form: Form = strategy.tree
    return form


def next_piece(piece: int, count: int, seconds: float) -> int:
    """Iterations for the next call of a kernel, in which no signal is heard.

    >>> next_piece(16, 16, 0.001), next_piece(16, 3, 0.001), next_piece(16, 16, 2.0)
    (128, 16, 2)
    """
    if seconds > PIECE_SECONDS:
        return max(1, int(count * PIECE_SECONDS / seconds))
    return min(8 * piece, MOST_PIECE) if count == piece and 8 * seconds < PIECE_SECONDS else piece


def next_check(iteration: int) -> int:
    """The first check after an iteration, on a grid that grows by a tenth."""
    if iteration == 0:
        return 1
    step = math.floor(math.log(iteration, 1.1) + 1e-9) + 1
    return max(iteration + 1, math.ceil(1.1**step))


def is_check(iteration: int) -> bool:
    """Does an uninterrupted run check here?"""
    return iteration > 0 and next_check(iteration - 1) == iteration


def checks_of(trace: Sequence[Report]) -> list[tuple[int, float]]:
    """The checks of a trace at which an uninterrupted run would have looked, too."""
    return [
        (report.iteration, report.exploitability)
        for report in trace
        if report.exploitability is not None and is_check(report.iteration)
    ]
