"""A solver on its way to a limit: pieces of work, checks at fixed iterations, checkpoints."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from counterfold import interrupts
from counterfold.checkpoints import Checkpoints
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.files.text import Json
from counterfold.solvers.solver import MOST_ITERATIONS, Solver, is_check, next_check
from counterfold.solvers.until import Report, Until

CHUNK_SECONDS = 0.1
LAST_CHECK = 0.2
"""Seconds that the last check may take when somebody waits for the end."""
DISK = 2e8
"""Bytes a second that a checkpoint is written with, until one has been."""

PathLike = str | os.PathLike[str]
OnReport = Callable[[Report], None]


@dataclass(frozen=True)
class Saving:
    """Where a run is kept: in ``path`` at the end, and on the way once a minute or ``every`` so
    many iterations.

    ``rescue`` is the file of a run that a signal ends if ``path`` names none; it is written
    ``on_the_way`` too if that is wanted.
    """

    path: PathLike | None = None
    every: int | None = None
    rescue: PathLike | None = None
    on_the_way: bool = False

    def __post_init__(self) -> None:
        if self.every is not None and self.every < 1:
            raise ParameterError(f"every is {self.every}, and must be at least 1 iteration")
        if self.every is not None and self.path is None:
            raise ParameterError("checkpoints need a file: say where with save")

    @classmethod
    def of(cls, save: PathLike | Saving | None, every: int | None = None) -> Saving:
        """What a caller says, in a file's name or in full."""
        return save if isinstance(save, Saving) else cls(save, every)


def run_until(
    solver: Solver,
    until: Until,
    every: int | None = None,
    reserve: Callable[[], float] = lambda: 0.0,
) -> Iterator[Report]:
    """Iterations of a solver in small pieces, with a report after each, up to a limit.

    A piece ends at every multiple of ``every``. The last report is in time for another check and
    for what else is to be done in the end, which takes the seconds that ``reserve`` tells.
    """
    measures = "exact" in solver.engine.can
    if not measures and until.iterations is None and until.seconds is None:
        raise UnsupportedError(
            f"{solver.engine.refusal} does not measure exploitability while it runs; say "
            "iterations or seconds"
        )
    clock = _Clock(solver, until, reserve)
    latest = clock.report(measures and is_check(solver.iteration))
    reached = solver.iteration > 0 and until.reached_by(latest) is not None
    if reached or latest.exploitability is not None:  # which a signal may have kept a run from
        yield latest
    while not reached:
        check_at = _check_at(solver, until.target) if measures else MOST_ITERATIONS
        if until.iterations is not None:
            check_at = min(check_at, until.iterations)
        stop = min(check_at, (solver.iteration // every + 1) * every) if every else check_at
        before, spent = solver.iteration, clock.elapsed()
        solver.step(min(stop - before, clock.piece()))
        clock.pace = max((clock.elapsed() - spent) / (solver.iteration - before), 1e-7)
        late = clock.late
        latest = clock.report(measures and (solver.iteration == check_at or late))
        if latest.exploitability is not None:  # is there time for another check?
            late |= clock.late
        yield latest
        reached = late or until.reached_by(latest) is not None


def _check_at(solver: Solver, target: float | None) -> int:
    """Where the next check is: the first on the grid that may find the target reached.

    Only where checks are dear. Exploitability is taken to fall with the square of the iterations at
    most, and is looked at whenever these have doubled. It follows from the checks so far alone, so
    that a run that is resumed looks where an uninterrupted one does.
    """
    check_at, latest = next_check(solver.iteration), solver.precision.latest
    if target and latest and solver.engine.checks_cost:
        iteration, exploitability = latest
        reached = iteration * min(2.0, math.sqrt(exploitability / target))
        while check_at < reached:
            check_at = next_check(check_at)
    return check_at


def working_time() -> float:
    """Seconds on a clock that stands still while kernels are compiled.

    That happens once on a machine, and would leave a run of some seconds no time for itself.
    """
    from counterfold.kernels.jit import compiling

    return time.perf_counter() - compiling()


class _Clock:
    """The time of a run: what its pieces and its checks take, and what is left."""

    def __init__(self, solver: Solver, until: Until, reserve: Callable[[], float]) -> None:
        self.solver, self.seconds, self.reserve = solver, until.seconds, reserve
        self.began, self.begun = working_time(), solver.iteration
        self.pace = 1e-4  # seconds of an iteration
        # A check may come after a run alone, where none can be made on the way.
        self.checking = 0.0 if "exact" in solver.engine.can else solver.check_seconds
        self.checks = 0
        # The first iteration takes longer than others; a second may be begun that seems too long.
        self.slack = min(1.0, 0.1 * (until.seconds or 0.0))

    def elapsed(self) -> float:
        """Seconds since it began."""
        return working_time() - self.began

    def left(self) -> float:
        """Seconds until the last check must begin."""
        if self.seconds is None:
            return math.inf
        rest = self.checking + self.reserve()
        return self.seconds - rest - self.elapsed()

    @property
    def late(self) -> bool:
        """Is there no time for another iteration?"""
        return self.left() + self.slack < self.pace

    def piece(self) -> int:
        """How many iterations a piece of time has room for; of the first, nobody knows."""
        if "exact" not in self.solver.engine.can and self.solver.iteration == self.begun:
            return self.solver.engine.first_piece
        return max(1, int(min(CHUNK_SECONDS, self.left()) / self.pace))

    def report(self, check: bool) -> Report:
        at = self.elapsed()
        report = self.solver.report(at, check=check)
        if check and self.checks:  # the first one has kernels to load
            self.checking = self.elapsed() - at
        self.checks += check
        return report


def run_to(
    solver: Solver,
    until: Until,
    trace: list[Report],
    save: PathLike | Saving | None = None,
    on_report: OnReport | None = None,
    *,
    measures: bool = True,
) -> tuple[Report, str]:
    """Run a solver to a limit or to a signal, with its checkpoints: the last report, why it ended.

    ``trace`` grows by the reports that know the exploitability. The last report is of the last
    iteration, but where ``Result`` says otherwise; it knows the exploitability too, unless nothing
    ``measures`` the form.
    """
    run = _Run(solver, trace, Saving.of(save), measures)
    stopped, report = "interrupted", None
    with interrupts.patient(), interrupts.uncut():
        solver.look = run.look  # which checks of poker call between their walks
        try:
            for report in run_until(solver, until, run.saving.every, run.reserve):
                run.note(report)
                if on_report:
                    on_report(report)
                if until.reached_by(report) or interrupts.noted():
                    break
                run.checkpoint()
            else:
                stopped = "seconds"  # or there would not be time for what is left to do
        except interrupts.GivenUpError:
            if not trace:  # there is nothing yet that could be kept
                raise KeyboardInterrupt from None
        finally:
            solver.look = None
        if report is not None:
            stopped = until.reached_by(report) or stopped
        return run.end(stopped, 0.0 if report is None else report.run_seconds), stopped


class _Run:
    """The trace and the checkpoints of a run."""

    def __init__(self, solver: Solver, trace: list[Report], saving: Saving, measures: bool) -> None:
        self.solver, self.trace, self.saving, self.measures = solver, trace, saving, measures
        self.started = solver.iteration
        self.kept: tuple[int, int] | None = None  # iteration and checks of the last checkpoint
        self.on_the_way = saving.path or (saving.rescue if saving.on_the_way else None)
        self.clock = Checkpoints(self._keep if self.on_the_way else None)

    def _keep(self) -> None:
        solver, trace = self.solver, self.trace
        assert self.on_the_way is not None
        solver.save(self.on_the_way, trace, **(known(solver, trace[-1], "") if trace else {}))
        self.kept = solver.iteration, len(trace)

    def look(self) -> None:
        """Give up a check that takes long, once a signal has come; some the first, too."""
        given_up = self.trace or not self.solver.engine.checks_first
        if interrupts.noted() and given_up and not _quick(self.solver):
            raise interrupts.GivenUpError

    def reserve(self) -> float:
        """Seconds that the last checkpoint will take."""
        return (self.clock.cost or self.solver.nbytes / DISK) if self.saving.path else 0.0

    def note(self, report: Report) -> None:
        """Keep a report that knows the exploitability."""
        is_new = not self.trace or report.iteration > self.trace[-1].iteration
        if report.exploitability is not None and is_new:
            self.trace.append(report)

    def checkpoint(self) -> None:
        """Save, if it is time to."""
        every = self.saving.every
        if not every:
            self.clock.look()
        elif self.solver.iteration % every == 0 and self.solver.iteration > self.started:
            self.clock.save()

    def end(self, stopped: str, seconds: float) -> Report:
        """The last check and the last checkpoint."""
        solver, trace = self.solver, self.trace
        cut = stopped == "interrupted"
        if not self.measures:
            final = solver.report(seconds, check=False)
        else:
            is_new = not trace or trace[-1].iteration != solver.iteration
            if is_new and (not trace or not cut or _quick(solver)):
                trace.append(solver.report(seconds))
            final = _best_check(solver, trace, stopped) or trace[-1]
        target = self.saving.path or (self.saving.rescue if cut else None)
        if target and (not cut or self.kept != (solver.iteration, len(trace))):
            solver.save(target, trace, **known(solver, final, stopped))
        return final


def _quick(solver: Solver) -> bool:
    return 0 < solver.check_seconds <= LAST_CHECK


def known(solver: Solver, final: Report, stopped: str) -> Json:
    """Which strategy a run ends with, and what is known of it: for ``strategy`` and ``save``.

    The exploitability is told only of the strategy at which it was measured.
    """
    if (_too_coarse(final, stopped) or solver.precision.behind) and solver.precision.kept:
        return {"best": True, "exploitability": final.exploitability}
    if final.iteration == solver.iteration:
        return {"exploitability": final.exploitability}
    return {}


def shortfall(solver: Solver, final: Report, stopped: str) -> str:
    """What to add to a promise: that a run began again, or that its numbers keep it from it."""
    sentence, at = "", solver.precision.restarted
    if at:
        sentence += (
            f" Predictions misled the run, so after iteration {at:,} it began again without them "
            f"({solver.method.name})."
        )
    if final.verdict is not None and _too_coarse(final, stopped):
        sentence += f" {solver.precision.sentence(final.verdict)}"
    if final.iteration < solver.iteration and solver.precision.kept:
        sentence += f" The strategy is that of iteration {final.iteration:,}."
    return sentence


def _best_check(solver: Solver, trace: list[Report], stopped: str) -> Report | None:
    """The check whose strategy a run ends with that has become too coarse, or was restarted."""
    coarse = _too_coarse(trace[-1], stopped)
    if not (coarse or solver.precision.behind) or not solver.precision.kept:
        return None
    assert solver.precision.best is not None
    at, _ = solver.precision.best
    best = next(report for report in trace if report.iteration == at)
    return replace(best, verdict=trace[-1].verdict)


def _too_coarse(final: Report, stopped: str) -> bool:
    return final.verdict == "worse" or (final.verdict is not None and stopped == "precision")
