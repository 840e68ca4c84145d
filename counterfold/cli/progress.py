"""Progress on standard error: a live bar on a terminal, a line now and then in a pipe."""

from __future__ import annotations

import logging
import math
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, Self

from counterfold import interrupts
from counterfold.cli.output import duration, in_units, on_terminal, safe_console, tell, tiny

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from counterfold.poker.units import Units
    from counterfold.solvers.until import Report, Until


LINE_SECONDS = 5.0
CHECKS = 12
"""How many of the latest checks of exploitability a forecast looks at."""
PATIENCE = 0.5
"""Seconds of work in parts before the time that is left is told."""
FARTHEST = 1000
"""How many times as many iterations as were seen a forecast may reach."""


def time_left(until: Until, reports: Sequence[Report]) -> float | None:
    """Seconds until the first limit is reached, from the latest reports; None if unknown.

    Iterations and seconds pass evenly; exploitability falls as a power of the iterations, a
    straight line between their logarithms.
    """
    if len(reports) < 3:
        return None
    last, first = reports[-1], reports[0]
    forecasts = []
    if until.seconds is not None:
        forecasts.append(until.seconds - last.run_seconds)
    pace = math.nan
    if last.iteration > first.iteration:
        pace = (last.run_seconds - first.run_seconds) / (last.iteration - first.iteration)
    if until.iterations is not None:
        forecasts.append((until.iterations - last.iteration) * pace)
    if until.target is not None:
        goal = _iterations_for(until.target, reports)
        forecasts.append((goal - last.iteration) * pace)
    return max(0.0, min(forecasts)) if (forecasts := _finite(forecasts)) else None


def _finite(numbers: Sequence[float]) -> list[float]:
    return [number for number in numbers if math.isfinite(number)]


def _iterations_for(target: float, reports: Sequence[Report]) -> float:
    """Where the least-squares line through the latest checks meets the target."""
    points = [
        (math.log(report.iteration), math.log(report.exploitability))
        for report in reports
        if report.exploitability and report.iteration > 0
    ][-CHECKS:]
    if len(points) < 3:
        return math.nan
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0
    if not slope < -0.01:
        return math.nan
    goal = mean_x + (math.log(target) - mean_y) / slope
    far = goal > points[-1][0] + math.log(FARTHEST)
    return math.nan if far else math.exp(goal)


class Watch:
    """Shows how a run gets on, and takes Ctrl-C and its kin; a context in which the bar lives.

    ``counting`` fits the progress of ``compile_game`` and ``measure``, ``report`` that of
    ``solve``; ``doing`` names what is being waited for. Exploitability is told in the ``units`` of
    the game, if it has any.

    A signal is only noted, and raised at the next of these calls: a kernel that is being compiled
    or loaded would swallow it (see ``interrupts``).
    """

    work, measure = "solving", "exploitability"  # what is being done, and what goes down

    def __init__(self, quiet: bool = False, units: Units | None = None) -> None:
        self.units = units
        self._face: _Face = _Silence()
        if not quiet:
            self._face = _Bar() if on_terminal(sys.stderr) else _Lines()
        self.until: Until | None = None
        self.histories = 0
        self._checks: deque[Report] = deque(maxlen=2 * CHECKS)
        self._latest: deque[Report] = deque(maxlen=50)
        self._parts: tuple[str, float, float] | None = None  # what, where it began, when

    def __enter__(self) -> Self:
        self._open = ExitStack()
        self._open.enter_context(interrupts.patient())
        self._face.start()
        self._open.callback(self._face.stop)
        self._open.enter_context(self._telling_of_kernels())
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @contextmanager
    def _telling_of_kernels(self) -> Iterator[None]:
        """Name the kernels that are compiled; where they are kept, nothing of them is loaded."""
        log, listener = logging.getLogger("counterfold.kernels"), logging.Handler()

        def tell(record: logging.LogRecord) -> None:
            self._face.show("compiling, once on this machine", record.getMessage(), None)
            self._parts = None  # such seconds say nothing of those to come

        listener.emit = tell  # type: ignore[method-assign]
        log.addHandler(listener)
        level = log.level
        log.setLevel(logging.INFO)
        try:
            yield
        finally:
            log.setLevel(level)
            log.removeHandler(listener)

    def check(self) -> None:
        """Raise the signal that was noted, if there was one."""
        interrupts.check()

    def doing(self, what: str) -> None:
        """Say what comes now."""
        self.check()
        self._face.show(what, "", None)

    def begin(self, until: Until) -> None:
        """A new run with these limits begins."""
        self.until = until
        self._checks.clear()
        self._latest.clear()

    def counting(self, histories: int, about: float | None = None) -> None:
        """The rules have been followed to so many histories, of about so many."""
        self.check()
        self.histories = histories
        from counterfold.tree.memory import count_in_words

        of = f" of {count_in_words(about)}" if about and about > histories else ""
        self._face.show("reading the rules", f"{histories:,}{of} histories", None)

    def part(self, what: str, done: float, total: float, note: str = "") -> None:
        """So much of some work is done, with a note on it; the time that is left is told."""
        self.check()
        now = time.monotonic()
        if self._parts is None or self._parts[0] != what or done <= self._parts[1]:
            self._parts = what, done, now
        _, first, began = self._parts
        note, share = note or f"{done:,} of {total:,}", None
        if done > first and now > began + PATIENCE:
            note += f", {duration(math.ceil((now - began) * (total - done) / (done - first)))} left"
            share = done / total
        self._face.show(what, note, share)

    def report(self, report: Report) -> None:
        """The solver has come to this point."""
        self._latest.append(report)
        if report.exploitability is not None:
            self._checks.append(report)
        left = None
        if self.until is not None:
            seen = {id(r): r for r in (*self._checks, *self._latest)}
            left = time_left(self.until, sorted(seen.values(), key=lambda r: r.iteration))
        note = f"iteration {report.iteration:,}"
        if self._checks:
            latest = self._checks[-1].exploitability
            assert latest is not None
            note += f", {self.measure} "
            note += tiny(latest) if self.units is None else in_units(self.units, latest)
        part = None
        if left is not None:
            note += f", {duration(math.ceil(left))} left"
            part = report.run_seconds / (report.run_seconds + left + 1e-9)
        self._face.show(self.work, note, part)


class _Face(Protocol):
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def show(self, what: str, note: str, part: float | None) -> None: ...


class _Silence:
    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def show(self, what: str, note: str, part: float | None) -> None:
        pass


class _Lines(_Silence):
    """For a pipe or a log file."""

    def start(self) -> None:
        self._last = time.monotonic()

    def show(self, what: str, note: str, part: float | None) -> None:
        now = time.monotonic()
        if note and now - self._last >= LINE_SECONDS:
            self._last = now
            with suppress(OSError):  # nobody reads any more: no reason to end the work
                tell(f"{what}: {note}")


class _Bar:
    """For a terminal; gone when the work is done."""

    def start(self) -> None:
        from rich import progress

        console = safe_console(stderr=True)
        room = max(6, min(24, console.width - 66))
        self._progress: Progress = progress.Progress(
            progress.BarColumn(bar_width=room),
            progress.TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
        )
        self._task: TaskID = self._progress.add_task("starting", total=None)
        self._progress.start()

    def stop(self) -> None:
        self._progress.stop()

    def show(self, what: str, note: str, part: float | None) -> None:
        self._progress.update(
            self._task,
            description=note if what == "solving" and note else f"{what}  {note}".rstrip(),
            total=None if part is None else 1.0,
            completed=0.0 if part is None else part,
        )
