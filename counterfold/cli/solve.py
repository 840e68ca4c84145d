"""``counterfold solve``: check the request, run it, print the certificate."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Any

from counterfold.cli import clock
from counterfold.cli.certificate import certificate, print_panel
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    memory_of,
    print_json,
    size,
)
from counterfold.cli.progress import Watch
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.files.typed import from_json
from counterfold.games.base import spec_of
from counterfold.games.catalog import load, load_named
from counterfold.interrupts import aside
from counterfold.plot import Curve, Point, check_plot, convergence
from counterfold.solve.methods import DEFAULT_METHOD, method
from counterfold.solve.result import Result, resume, solve
from counterfold.solve.settings import Settings, default_until
from counterfold.solve.until import Until
from counterfold.strategy.store import read
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.memory import memory_at_hand
from counterfold.tree.walk import measure

__all__ = ["Outcome", "Request", "check", "run", "solved"]

SETTINGS = ("traversal", "alternating", "average", "dtype", "seed", "explore")
LIMITS = ("iterations", "exploitability", "seconds")
WORTH_KEEPING = 1.0
"""Seconds of work that are saved for a user who interrupts a run without --save."""
OPTIONS = {"alternating": "--simultaneous/--alternating", "average": "--last-iterate/--average"}


@dataclass(frozen=True)
class Request:
    """What was asked for; None where an option was not given."""

    game: str | None
    method: str | None = None
    traversal: str | None = None
    iterations: int | None = None
    exploitability: float | str | None = None
    seconds: float | None = None
    alternating: bool | None = None
    average: bool | None = None
    dtype: str | None = None
    seed: int | None = None
    explore: float | None = None
    save: str | None = None
    every: int | None = None
    resume: str | None = None
    plot: str | None = None
    dry_run: bool = False
    memory: str | None = None
    json: bool = False
    quiet: bool = False
    form: str | None = None
    bits: int | None = None
    threads: int | None = None
    locks: str | None = None
    prefer: tuple[str, ...] = ()
    give_up: float | None = None

    @property
    def by_lp(self) -> bool:
        return self.method is not None and self.method.strip().lower() == "lp"

    @property
    def target(self) -> str | None:
        """Where the result goes: a resumed run goes back to its file."""
        return self.save or self.resume

    def given(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Those of the options that were given."""
        found = {name: getattr(self, name) for name in names}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True)
class Outcome:
    """A result, the limits it ran under, and the file that holds it."""

    result: Result
    until: Until | None
    saved: str | None

    def end(self) -> None:
        """Close an interrupted run with a sentence and its exit code."""
        if self.result.stopped == "interrupted":
            raise StoppedError(farewell(self.saved, self.result.iterations))


def run(request: Request) -> None:
    """Solve, or only measure, and print."""
    if for_poker(request):
        from counterfold.cli import poker_solve

        poker_solve.run(request)
        return
    check(request)
    if request.dry_run:
        _tell_size(request)
        return
    outcome = solved(request)
    result = outcome.result
    if request.plot:
        _draw(result, request.plot)
    if request.json:
        print_json(result.to_dict())
    else:
        lines = certificate(result, outcome.until, outcome.saved)
        if request.plot:
            lines.append(("picture", request.plot))
        print_panel("Certificate", lines)
        advise(_hint(result, outcome.saved))
    outcome.end()


def for_poker(request: Request) -> bool:
    """Whether a request is about poker on a public tree."""
    from counterfold.cli.poker_names import is_poker_file, means_poker

    if request.resume:
        return is_poker_file(request.resume)
    return request.game is not None and means_poker(request.game, request.form)


def solved(request: Request) -> Outcome:
    """The outcome of a request, with its progress on standard error."""
    memory = None if request.memory is None else memory_of(request.memory)
    before = stamp(request.target)
    with Watch(request.quiet) as watch:
        try:
            if request.resume:
                return _resumed(request, memory, watch)
            return _solved(request, memory, watch)
        except KeyboardInterrupt:
            saved = request.target if stamp(request.target) != before else None
            raise StoppedError(farewell(saved)) from None


def check(request: Request) -> None:
    """Refuse what cannot work before anything is computed."""
    if request.resume is None and request.game is None:
        raise ParameterError("say which game to solve, such as `counterfold solve leduc`")
    if request.every is not None and request.every < 1:
        raise ParameterError(f"--every is {request.every}, and must be at least 1 iteration")
    if request.every is not None and request.target is None:
        raise ParameterError("--every needs a file for its checkpoints: name it with --save")
    for name in ("bits", "threads", "locks", "prefer", "give_up"):
        if getattr(request, name) not in (None, ()):
            option = name.replace("_", "-")
            raise ParameterError(f"--{option} is for poker on a public tree; leave it out here")
    from counterfold.cli.poker_names import check_no_unit

    check_no_unit(request.exploitability)
    if request.by_lp:
        stray = request.given((*SETTINGS, *LIMITS, "every", "resume", "plot"))
        if stray:
            raise ParameterError(
                f"the linear program runs to its optimum and takes no {_option(next(iter(stray)))}"
            )
    else:
        if request.method is not None:
            method(request.method)
        Settings(**request.given(("method", *SETTINGS)))
        _limits(request, request.traversal or "full")
    if request.plot:
        check_can_write(request.plot, "--plot")
        check_plot(request.plot)
    if request.target:
        check_can_write(request.target, "--save" if request.save else "--resume")
    if request.save:
        check_not_foreign(request.save)


def _limits(request: Request, traversal: str, largest: float = 1.0) -> Until:
    return _given(request) or default_until(traversal, largest)


def _given(request: Request) -> Until | None:
    """The limits that a person has named."""
    given = request.given(LIMITS)
    return Until(**given) if given else None


def compiled_game(
    spec: str,
    memory: int | None,
    watch: Watch,
    until: Until | None = None,
    path: str | None = None,
) -> HistoryTree:
    """The compiled game of a name that a person gave, or that the file at ``path`` says.

    What a person has given time for is given up when that is over.
    """
    game = load(spec) if path is None else load_named(spec, path)
    count = watch.counting if until is None else until.counting(watch.counting)
    tree = compile_game(game, memory, count)
    watch.doing("loading the kernels (compiled when they are first used)")
    return tree


def _solved(request: Request, memory: int | None, watch: Watch) -> Outcome:
    began = perf_counter()
    given = _given(request)
    tree = compiled_game(str(request.game), memory, watch, given)
    compiled = perf_counter() - began
    until = rescue = None
    if request.by_lp:
        watch.doing("solving the linear program")
        result = aside(lambda: solve(tree, "lp", save=request.save))
    else:
        until = _limits(request, request.traversal or "full", tree.largest_payoff)
        rescue = None if request.save else rescue_file(tree.spec)
        limits = clock.left(until) if given else until
        watch.begin(limits)
        result = solve(
            tree,
            request.method or DEFAULT_METHOD,
            limits,
            save=request.save,
            every=request.every,
            rescue=rescue,
            on_report=watch.report,
            **request.given(SETTINGS),
        )
    result = replace(result, compile_seconds=result.compile_seconds + compiled)
    if rescue and os.path.exists(rescue) and result.seconds < WORTH_KEEPING:
        os.unlink(rescue)
    return Outcome(result, until, request.save or (rescue if stamp(rescue) else None))


def _resumed(request: Request, memory: int | None, watch: Watch) -> Outcome:
    path = str(request.resume)
    strategy, _, run = read(path)
    if run is None:
        raise FileError(f"{path} holds a strategy without a solver's state: nothing to resume")
    settings, at = from_json(Settings, run.object("settings")), run.whole("iteration", 0)
    _check_same(request, asdict(settings), path)
    if request.iterations is not None and request.iterations < at:
        raise ParameterError(
            f"{path} is already at iteration {at:,}; --iterations counts from the start of the "
            "run, so it must be more than that"
        )
    began = perf_counter()
    given = _given(request)
    named = None if request.game else path
    tree = compiled_game(request.game or strategy.spec, memory, watch, given, named)
    compiled = perf_counter() - began
    until = _limits(request, settings.traversal, tree.largest_payoff)
    limits = clock.left(until) if given else until
    watch.begin(limits)
    result = resume(
        path, limits, tree, save=request.save, every=request.every, on_report=watch.report
    )
    result = replace(result, compile_seconds=result.compile_seconds + compiled)
    return Outcome(result, until, request.target)


def _check_same(request: Request, settings: dict[str, Any], path: str) -> None:
    """A resumed run cannot change its method in the middle."""
    for name, wanted in request.given(("method", *SETTINGS)).items():
        was = settings.get(name)
        same = wanted == was
        if name == "method":
            same = same_method(wanted, was)
        if not same:
            raise MismatchError(
                f"{path} was made with {_spoken(name, was)}, so it cannot go on with "
                f"{_spoken(name, wanted)}; leave {_option(name)} out, or start a new run"
            )


def same_method(wanted: str, was: Any) -> bool:
    """Whether two names of methods mean the same."""
    if not isinstance(was, str):
        return False
    return replace(method(wanted), name="") == replace(method(was), name="")


def _option(name: str) -> str:
    return OPTIONS.get(name, f"--{name}")


def _spoken(name: str, value: Any) -> str:
    if name == "alternating":
        return "alternating updates" if value else "simultaneous updates"
    if name == "average":
        return "the average strategy" if value else "the last iterate"
    return f"{name} {value}"


def check_not_foreign(path: str) -> None:
    """Keep a slip of the hand (--save mygame.py) from replacing what is no strategy file."""
    try:
        with open(path, "rb") as file:
            start = file.read(9)
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    if start and start[8:] != b"{":
        raise FileError(f"{path} exists and is no strategy file; choose another name")


def rescue_file(spec: str) -> str | None:
    """A free name in this folder for the work of an interrupted run that has no --save."""
    if not os.access(".", os.W_OK | os.X_OK):
        return None
    stem = re.sub(r"[^\w.+=-]+", "-", os.path.basename(spec)).strip("-")[:60]
    names = (f"{stem}-interrupted{n or ''}.safetensors" for n in range(1000))
    return next((name for name in names if not os.path.exists(name)), None)


def stamp(path: str | None) -> Any:
    """Changes whenever the file is written."""
    try:
        found = os.stat(path) if path else None
    except OSError:
        return None
    return found and (found.st_ino, found.st_mtime_ns)


def farewell(saved: str | None, iterations: int | None = None) -> str:
    at = f" at iteration {iterations:,}" if iterations else ""
    if saved is None:
        return f"stopped{at}; nothing was saved"
    which = f"the work is saved in {saved}" if at else f"{saved} holds the last checkpoint"
    return f"stopped{at}; {which}: go on with `counterfold solve --resume {shlex.quote(saved)}`"


def _hint(result: Result, saved: str | None) -> str:
    if saved:
        return f"Read the strategy with `counterfold show {shlex.quote(saved)}`."
    return (
        f"Keep the strategy with --save FILE; `counterfold show {shlex.quote(result.game)}` "
        "solves and prints it."
    )


def _draw(result: Result, path: str) -> None:
    points = [Point(r.iteration, r.cpu_seconds, r.exploitability, r.cce_gap) for r in result.trace]
    title = f"{result.game}, {result.method}"
    if result.traversal != "full":
        title += f", {result.traversal} sampling"
    convergence([Curve("exploitability", points)], title, path)


def _tell_size(request: Request) -> None:
    room = int(0.9 * memory_at_hand()) if request.memory is None else memory_of(request.memory)
    if request.game:
        made = load(request.game)
    elif request.resume:
        made = load_named(read(request.resume)[0].spec, request.resume)
    else:
        raise ParameterError("say which game to measure, such as `counterfold solve leduc`")
    with Watch(request.quiet) as watch:
        try:
            found = measure(made, room, watch.counting)
        except KeyboardInterrupt:
            raise StoppedError(f"stopped after counting {watch.histories:,} histories") from None
    fits = found.bytes <= room
    if request.json:
        print_json({"game": spec_of(made), **found._asdict(), "memory": room, "fits": fits})
        return
    print_panel(
        "Size",
        [
            ("game", spec_of(made)),
            ("histories", f"{found.histories:,}"),
            ("terminals", f"{found.terminals:,}"),
            ("infosets", f"{found.infosets:,}"),
            ("action slots", f"{found.slots:,}"),
            ("memory", f"{size(found.bytes)}, estimated for the tree and a solver's tables"),
            ("at hand", f"{size(room)}: it {'fits' if fits else 'does not fit'}"),
        ],
    )
