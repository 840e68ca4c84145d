"""What the verbs of all papers and benchmarks share: an experiment is made, drawn and shown."""

from __future__ import annotations

import json as jsonlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

from counterfold.cli.options import count, number
from counterfold.cli.output import (
    StoppedError,
    check_can_write,
    duration,
    make_folder,
    print_json,
    say,
)
from counterfold.cli.progress import Watch
from counterfold.cli.request import Answered, command_of
from counterfold.errors import ParameterError
from counterfold.files.whole import write_whole
from counterfold.pieces.cluster import reached
from counterfold.pieces.store import store_at
from counterfold.research.columns import Part, print_parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Seed = Annotated[int, typer.Option(metavar="N", parser=count, help="For starts and sampling.")]
Plot = Annotated[str | None, typer.Option(metavar="FILE", help="Draw it, as .png, .svg or .pdf.")]
Iterations = Annotated[
    int | None, typer.Option(metavar="N", parser=count, help="Iterations of each run.")
]
Folder = Annotated[
    str | None, typer.Option(metavar="DIR", help="Where files are kept, to go on from.")
]


@dataclass(frozen=True, kw_only=True)
class Drawn(Answered):
    """What all requests of research end with: a picture may be had of what they tell."""

    plot: Plot = None


@dataclass(frozen=True, kw_only=True)
class Seeded(Drawn):
    """Those of papers, which draw something."""

    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class Swept(Seeded):
    """Those of papers with runs of many settings, whose files are kept in a folder."""

    runs: int | None = number("N", "Runs of each setting.")
    iterations: Iterations = None
    folder: Folder = None


R = TypeVar("R", bound=Drawn)


class Job(NamedTuple):
    """One experiment: how to make it, how to show what came out, and how to draw it.

    Its options are the parameters of ``make``, whose result has ``to_dict``. What takes an
    ``executor`` is many pieces of work, which a cluster may do.
    """

    make: Callable[..., Any]  # takes on_progress(done, of, words)
    show: Callable[[Any], Iterable[Part]]
    draw: Callable[[Any], Figure] | None  # None where there is no picture
    doing: str = "solving"
    unit: str = "run"


PARTS = ("figure", "table", "experiment")
"""Options that name a part of a paper."""
OUTPUT = ("plot", "out", "json", "quiet")
"""Options on what becomes of the answer."""


def verb_of(
    name: str, kind: type[R], jobs: Callable[[R], Mapping[str, Job]]
) -> dict[str, Callable[..., None]]:
    """The verb of a paper: ``kind`` has its options, ``jobs(request)`` its parts by their names.

    A part is named as ``figure 4`` is; without a name it is what is made where none is given.
    """

    def run(request: R) -> None:
        told = {field.name: getattr(request, field.name) for field in fields(request)}
        chosen = {option: told.pop(option) for option in PARTS if option in told}
        options = {option: value for option, value in told.items() if option not in OUTPUT}
        parts = jobs(request)
        part = pick(name, chosen, parts)
        run_job(f"{name} --{part}" if part else name, parts[part], request, **options)

    return {name: command_of(kind, run)}


def pick(paper: str, chosen: Mapping[str, str | None], parts: Iterable[str]) -> str:
    """The one part that was chosen; that without a name where nothing was, if there is one.

    >>> pick("ses", {"figure": "2", "table": None}, ["figure 2", "figure 3", "table drift"])
    'figure 2'
    """
    names: dict[str, list[str]] = {option: [] for option in chosen}
    for part in filter(None, parts):
        option, name = part.split()
        names[option].append(name)
    wanted = [option for option, name in chosen.items() if name is not None]
    if not wanted and "" in parts:
        return ""
    if len(wanted) != 1:
        lists = [f"--{option} {_listed(some)}" for option, some in names.items()]
        raise ParameterError(f"say which: {', or '.join(lists)}")
    (option,) = wanted
    if chosen[option] not in names[option]:
        raise ParameterError(
            f"{paper} has no {option} {chosen[option]!r}; it has {', '.join(names[option])}"
        )
    return f"{option} {chosen[option]}"


def _listed(names: Sequence[str]) -> str:
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def run_job(name: str, job: Job, output: Drawn, **options: object) -> None:
    """Run one experiment and tell about it in every form that was asked for."""
    from counterfold.plot import check_plot, save

    cluster, library = getattr(output, "cluster", None), getattr(output, "library", None)
    given = _checked(name, job, options)
    out: str | None = getattr(output, "out", None)
    if out is not None:
        check_can_write(out, "--out")
    if output.plot is not None:
        if job.draw is None:
            raise ParameterError("this experiment has no picture: leave --plot out")
        check_can_write(output.plot, "--plot")
        check_plot(output.plot)
    watch = _Runs(job, output.quiet)
    with watch:
        try:
            with reached(cluster, watch.doing) as executor:
                if executor is not None:
                    given["executor"] = executor
                if library is not None:
                    given["library"] = store_at(library)
                result = job.make(**given, on_progress=watch.runs)
            if output.plot is not None and job.draw is not None:
                watch.doing("drawing")
                save(job.draw(result), output.plot)
        except KeyboardInterrupt:
            raise StoppedError(_stopped(job, given, library)) from None
    document = result.to_dict() | {"plot": output.plot}
    if out is not None:
        write_whole(out, (jsonlib.dumps(document, indent=1) + "\n").encode())
    if output.json:
        print_json(document)
        return
    print_parts(_timed(job.show(result), result))
    for word, path in (("Picture", output.plot), ("Written", out)):
        if path is not None:
            say(f"{word}: {path}")


def _checked(name: str, job: Job, options: Mapping[str, object]) -> dict[str, object]:
    """The options that were given; those that the experiment does not know are refused."""
    known = signature(job.make).parameters
    given = {key: value for key, value in options.items() if value is not None}
    for option, key in (("cluster", "executor"), ("library", "library")):
        if given.pop(option, None) is not None and key not in known:
            raise ParameterError(f"{name} is not cut into pieces and does not take --{option}")
    if "seed" not in known and given.get("seed") == 0:  # which is there without being given
        del given["seed"]
    for key in given:
        if key not in known:
            raise ParameterError(f"{name} does not take --{key}")
    minutes = given.get("minutes")
    if isinstance(minutes, float) and not 0 < minutes < math.inf:
        raise ParameterError(f"--minutes is {minutes:g}, and must be above 0")
    folder = given.get("folder")
    if isinstance(folder, str):
        make_folder(folder)
    return given


def _stopped(job: Job, given: Mapping[str, object], library: str | None) -> str:
    """What Ctrl-C is answered with."""
    if library is not None:
        return f"stopped; the same command goes on from what {library} keeps"
    if "folder" not in signature(job.make).parameters:
        return "stopped; nothing was saved"
    if "folder" not in given:
        return "stopped; nothing was saved: with --folder it would go on from here"
    return f"stopped; the same command goes on from what {given['folder']} keeps"


def _timed(parts: Iterable[Part], result: object) -> list[Part]:
    """The parts, with the time that the experiment took in the last of their paragraphs."""
    shown = list(parts)
    if not hasattr(result, "cpu_seconds"):
        return shown
    words = f"CPU time {duration(result.cpu_seconds)}."
    if hasattr(result, "seconds"):
        words = f"{duration(result.seconds)} by the clock, {words}"
    if isinstance(shown[-1], str) and len(shown) > 1:
        words = f"{shown.pop()} {words}"
    return [*shown, words]


class _Runs(Watch):
    """Progress over many runs."""

    def __init__(self, job: Job, quiet: bool) -> None:
        super().__init__(quiet)
        self._job = job

    def runs(self, done: float, total: float, words: str = "") -> None:
        """So many of the runs are done, or of anything else that ``words`` tell about."""
        note = words or f"{self._job.unit} {min(done + 1, total):,} of {total:,}"
        self.part(self._job.doing, done, total, note)
