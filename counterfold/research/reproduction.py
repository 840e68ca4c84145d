"""What the verbs of all papers share: one experiment is made, drawn and shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import typer

from counterfold.cli.options import count
from counterfold.cli.output import StoppedError, advise, check_can_write, duration, print_json, say
from counterfold.cli.progress import Watch
from counterfold.errors import ParameterError

__all__ = [
    "Folder",
    "Iterations",
    "Job",
    "Plot",
    "Runs",
    "Seed",
    "check_minutes",
    "given",
    "pick",
    "refuse",
    "reproduce",
    "tell_time",
]

Seed = Annotated[int, typer.Option(metavar="N", parser=count, help="For starts and sampling.")]
Plot = Annotated[str | None, typer.Option(metavar="FILE", help="Draw it, as .png, .svg or .pdf.")]
Runs = Annotated[int | None, typer.Option(metavar="N", parser=count, help="Runs of each setting.")]
Iterations = Annotated[
    int | None, typer.Option(metavar="N", parser=count, help="Iterations of each run.")
]
Folder = Annotated[
    str | None, typer.Option(metavar="DIR", help="Where files are kept, to go on from.")
]


class Job(NamedTuple):
    """One experiment: how to make it, how to show what came out, and how to draw it."""

    make: Callable[..., Any]  # takes on_progress(done, of, words); the result has to_dict()
    show: Callable[[Any], None]
    draw: Callable[[Any], Any] | None  # None where there is no picture
    doing: str = "solving"
    unit: str = "run"
    stopped: str = "stopped; nothing was saved"  # what Ctrl-C is answered with


def reproduce(job: Job, plot: str | None, json: bool, quiet: bool) -> None:
    """Run one experiment and tell about it in every form that was asked for."""
    from counterfold.plot import check_plot, save

    if plot:
        if job.draw is None:
            raise ParameterError("this experiment has no picture: leave --plot out")
        check_can_write(plot, "--plot")
        check_plot(plot)
    watch = _Runs(job, quiet)
    with watch:
        try:
            result = job.make(on_progress=watch.runs)
            if plot and job.draw is not None:
                watch.doing("drawing")
                save(job.draw(result), plot)
        except KeyboardInterrupt:
            raise StoppedError(job.stopped) from None
    if json:
        print_json(result.to_dict() | {"plot": plot})
        return
    job.show(result)
    if plot:
        say(f"Picture: {plot}")


class _Runs(Watch):
    """Progress over many runs."""

    def __init__(self, job: Job, quiet: bool) -> None:
        super().__init__(quiet)
        self._job = job

    def runs(self, done: float, total: float, words: str = "") -> None:
        """So many of the runs are done, or of anything else that ``words`` tell about."""
        note = words or f"{self._job.unit} {min(done + 1, total):,} of {total:,}"
        self.part(self._job.doing, done, total, note)


def pick(paper: str, **offered: tuple[str | None, Sequence[str]]) -> str:
    """The one that is asked for, among names by option: ``"figure 4"``.

    >>> pick("ses", figure=("2", ("2", "3")), table=(None, ("drift",)))
    'figure 2'
    """
    asked = [(option, *both) for option, both in offered.items() if both[0] is not None]
    if len(asked) != 1:
        lists = [f"--{option} {_listed(names)}" for option, (_, names) in offered.items()]
        raise ParameterError(f"say which: {', or '.join(lists)}")
    option, name, names = asked[0]
    if name not in names:
        raise ParameterError(f"{paper} has no {option} {name!r}; it has {', '.join(names)}")
    return f"{option} {name}"


def _listed(names: Sequence[str]) -> str:
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def refuse(part: str, **options: object) -> None:
    """Refuse options that mean nothing to a part of a paper."""
    for name in given(**options):
        raise ParameterError(f"{part} does not take --{name}")


def given(**options: Any) -> dict[str, Any]:
    """The options that somebody has given."""
    return {name: value for name, value in options.items() if value is not None}


def check_minutes(minutes: float | None) -> None:
    """Refuse a time that is none."""
    if minutes is not None and not 0 < minutes < math.inf:
        raise ParameterError(f"--minutes is {minutes:g}, and must be above 0")


def tell_time(result: Any, before: str = "") -> None:
    """The CPU time that an experiment took, at the end of a sentence."""
    advise(f"{before} CPU time {duration(result.cpu_seconds)}.".lstrip())
