"""``counterfold repro``: a paper's figures and tables, made again."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from counterfold.cli.output import StoppedError, check_can_write, duration, print_json, say
from counterfold.cli.progress import Watch
from counterfold.errors import ParameterError
from counterfold.plot import check_plot, save

__all__ = ["ITERATIONS", "PAPERS", "Job", "Wish", "print_columns", "run"]

PAPERS = {
    "pref-cfr": "counterfold.cli.repro_pref_cfr",
    "ocfr": "counterfold.cli.repro_ocfr",
    "ses": "counterfold.cli.repro_ses",
    "cheat": "counterfold.cli.repro_cheat",
    "fhp": "counterfold.cli.repro_fhp",
}
"""Papers and the modules that know them; each has ``job(wish)``."""

ITERATIONS = 10_000
"""Of each run where nothing else is asked for."""


class Wish(NamedTuple):
    """What was asked for; None where it was not."""

    figure: str | None
    table: str | None
    experiment: str | None
    runs: int | None
    iterations: int | None
    matches: int | None
    hands: int | None
    game: str | None
    minutes: float | None
    folder: str | None
    seed: int

    def refuse_other(self, paper: str, *known: str) -> None:
        """Refuse options that mean nothing to a paper."""
        for name, value in self._asdict().items():
            if value is not None and name not in (*known, "seed"):
                told = ", ".join(f"--{option}" for option in known)
                raise ParameterError(f"{paper} does not take --{name}; it takes {told}")


class Job(NamedTuple):
    """One experiment: how to make it, how to draw what was found, how to show it."""

    make: Callable[..., Any]  # takes on_progress(done, of); the result has to_dict()
    draw: Callable[[Any], Any]
    show: Callable[[Any], None]
    doing: str = "solving"
    unit: str = "run"
    stopped: str = "stopped; nothing was saved"  # what Ctrl-C is answered with


def run(
    paper: str,
    *,
    figure: str | None = None,
    table: str | None = None,
    experiment: str | None = None,
    runs: int | None = None,
    iterations: int | None = None,
    matches: int | None = None,
    hands: int | None = None,
    game: str | None = None,
    minutes: float | None = None,
    folder: str | None = None,
    seed: int = 0,
    plot: str | None = None,
    json: bool = False,
    quiet: bool = False,
) -> None:
    """Run one experiment and tell about it in every form that was asked for."""
    if paper not in PAPERS:
        raise ParameterError(f"there is no paper {paper!r}; there are {', '.join(PAPERS)}")
    wish = Wish(
        figure, table, experiment, runs, iterations, matches, hands, game, minutes, folder, seed
    )
    job: Job = import_module(PAPERS[paper]).job(wish)
    if plot:
        check_can_write(plot, "--plot")
        check_plot(plot)
    with _Runs(job, quiet) as watch:
        try:
            found = job.make(on_progress=watch.runs)
            if plot:
                watch.doing("drawing")
                save(job.draw(found), plot)
        except KeyboardInterrupt:
            raise StoppedError(job.stopped) from None
    if json:
        print_json(found.to_dict() | {"plot": plot})
        return
    job.show(found)
    if plot:
        say(f"Picture: {plot}")


class _Runs(Watch):
    """Progress over many runs."""

    def __init__(self, job: Job, quiet: bool) -> None:
        super().__init__(quiet)
        self._job = job

    def __enter__(self) -> _Runs:
        super().__enter__()
        self._began = time.monotonic()  # or when the first run begins
        self._first: float | None = None  # what was done before this
        return self

    def runs(self, done: float, total: float, words: str = "") -> None:
        """So many of the runs are done, or of anything else that ``words`` tell about."""
        self.check()
        if self._first is None or done <= self._first:
            self._began, self._first = time.monotonic(), done
        note = words or f"{self._job.unit} {min(done + 1, total):,} of {total:,}"
        part = None
        if done > self._first:
            left = (time.monotonic() - self._began) * (total - done) / (done - self._first)
            note += f", {duration(math.ceil(left))} left"
            part = done / total
        self._face.show(self._job.doing, note, part)


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Cells under one another, the first column to the left."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        say(("  " + "  ".join([row[0].ljust(widths[0]), *cells[1:]])).rstrip())
