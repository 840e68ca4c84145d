"""``counterfold solve``: check the request, run it, print the certificate."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from counterfold.cli import clock
from counterfold.cli.certificate import (
    certificate,
    history_size,
    in_poker,
    print_panel,
    public_size_lines,
    tables,
)
from counterfold.cli.names import game_in, game_named
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    memory_of,
    print_json,
    size,
    tell,
)
from counterfold.cli.poker_wishes import Wishes, read_wishes
from counterfold.cli.progress import Watch
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.files.arrays import header_in, header_of
from counterfold.files.typed import from_json
from counterfold.games.base import Game, spec_of
from counterfold.games.catalog import load, load_named
from counterfold.interrupts import aside
from counterfold.plot import Curve, Point, check_plot, convergence
from counterfold.poker.game import PokerGame
from counterfold.poker.units import Units
from counterfold.solve.engine import check_can
from counterfold.solve.methods import method
from counterfold.solve.result import Result, check_lp, resume, solve, table_size
from counterfold.solve.settings import Settings, check_threads, defaults_of
from counterfold.solve.solver import Solver
from counterfold.solve.until import Until
from counterfold.strategy.store import read
from counterfold.tree.form import Form, form_of
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.memory import ANY_SIZE, memory_at_hand
from counterfold.tree.public_size import PublicSize
from counterfold.tree.walk import measure

__all__ = ["Outcome", "Request", "Task", "run", "solved", "task_of"]

SETTINGS = ("traversal", "alternating", "average", "dtype", "bits", "seed", "explore")
LIMITS = ("iterations", "exploitability", "seconds")
WORTH_KEEPING = 1.0
"""Seconds of work that are saved for a user who interrupts a run without --save."""
OPTIONS = {"alternating": "--alternating/--simultaneous", "average": "--average/--last-iterate"}
NEEDS = {
    "traversal": "sampling",
    "seed": "sampling",
    "explore": "sampling",
    "alternating": "simultaneous",
    "average": "last iterate",
    "bits": "16 bits",
    "threads": "threads",
    "locks": "locks",
}
"""What an engine must be able to do for an option that is not as usual."""


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

    @property
    def until(self) -> Until | None:
        """The limits that a person has named."""
        given = self.given(LIMITS)
        return Until(**given) if given else None

    @property
    def bytes(self) -> int | None:
        """The most memory to take, if somebody says."""
        return None if self.memory is None else memory_of(self.memory)

    def given(self, names: Iterable[str]) -> dict[str, Any]:
        """Those of the options that were given."""
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value not in (None, ())}


@dataclass(frozen=True)
class Task:
    """A request that has been checked: its game, its limits, and what holds in its solution."""

    request: Request
    game: Game | PokerGame
    traversal: str
    until: Until | None
    wishes: Wishes

    @property
    def units(self) -> Units | None:
        return self.game.units if isinstance(self.game, PokerGame) else None

    @property
    def settings(self) -> dict[str, Any]:
        return self.request.given((*SETTINGS, "threads"))

    def table_size(self, game: PokerGame) -> PublicSize:
        """How large the tables of the run will be."""
        return table_size(game, self.request.method, self.settings, self.symmetry(game))

    def symmetry(self, game: PokerGame) -> bool | None:
        """Whether suits may be taken as one; where no wish tells them apart, the game says."""
        return None if self.wishes.symmetric(game) else False


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
    task = task_of(request)
    if request.dry_run:
        _tell_size(task)
        return
    outcome = solved(task)
    result = outcome.result
    if request.plot:
        _draw(result, request.plot)
    if request.json:
        print_json(result.to_dict())
    else:
        lines = certificate(result, outcome.until, outcome.saved)
        if task.wishes:
            lines.insert(2, ("wishes", task.wishes.told))
        if request.plot:
            lines.append(("picture", request.plot))
        print_panel("Certificate", lines)
        advise(_hint(result, outcome.saved))
    outcome.end()


def solved(task: Task) -> Outcome:
    """The outcome of a task, with its progress on standard error."""
    request, until = task.request, None
    before = stamp(request.target)
    rescue = None if request.target or request.by_lp else rescue_file(spec_of(task.game))
    with Watch(request.quiet, task.units) as watch:
        try:
            began = perf_counter()
            form = _compiled(task, watch)
            if request.by_lp:
                watch.doing("solving the linear program")
                result = aside(lambda: solve(form, "lp", save=request.save))
                compiled = perf_counter() - began - result.seconds
            else:
                solver = None if request.resume else _solver(task, form, watch)
                compiled = perf_counter() - began
                until = task.until or defaults_of(form, task.traversal).until
                limits = clock.left(until) if task.until else until
                watch.begin(limits)
                common: dict[str, Any] = {
                    "save": request.save, "every": request.every, "on_report": watch.report
                }  # fmt: skip
                if request.resume:
                    result = resume(request.resume, limits, form, threads=request.threads, **common)
                else:
                    result = solve(solver, until=limits, rescue=rescue, **common)
        except KeyboardInterrupt:
            saved = request.target if stamp(request.target) != before else None
            raise StoppedError(farewell(saved)) from None
    if rescue and os.path.exists(rescue) and result.seconds < WORTH_KEEPING:
        os.unlink(rescue)
    result = replace(result, compile_seconds=result.compile_seconds + compiled)
    return Outcome(result, until, request.target or (rescue if stamp(rescue) else None))


def _compiled(task: Task, watch: Watch) -> Form | PokerGame:
    """The compiled game; poker that is resumed stays in its file, which has the tree."""
    request, game = task.request, task.game
    if not isinstance(game, PokerGame):
        return _compiled_rules(game, request.bytes, watch, task.until)
    watch.doing("building the tree and loading the kernels (compiled when first used)")
    if request.resume:
        return game
    found = task.table_size(game)
    if not request.quiet:
        tell(f"{game.spec}: {tables(found.boards, found.nodes, found.infosets, found.bytes)}")
    found.check(request.bytes)
    form: Form = form_of(game, ANY_SIZE, symmetry=task.symmetry(game))
    return form


def compiled_game(
    spec: str,
    memory: int | None,
    watch: Watch,
    until: Until | None = None,
    path: str | None = None,
) -> HistoryTree:
    """The compiled game of a name that a person gave, or that the file at ``path`` says."""
    game = load(spec) if path is None else load_named(spec, path)
    return _compiled_rules(game, memory, watch, until)


def _compiled_rules(
    game: Game, memory: int | None, watch: Watch, until: Until | None
) -> HistoryTree:
    """What a person has given time for is given up when that is over."""
    tree = compile_game(game, memory, until.counting(watch.counting) if until else watch.counting)
    watch.doing("loading the kernels (compiled when they are first used)")
    return tree


def _solver(task: Task, form: Any, watch: Watch) -> Solver:
    """A solver that is ready; what a lock shifts is solved without it first."""
    rule, wishes, start = task.request.method, task.wishes, None
    if not wishes:
        return Solver(form, rule, **task.settings)
    if wishes.needs_start:
        watch.doing("solving without locks first, which they begin from")
        usual = defaults_of(form).until
        if task.until and task.until.seconds is not None:  # half of the time is for the beginning
            usual = replace(usual, seconds=clock.left(task.until, 2).seconds)
        watch.begin(usual)
        first = solve(form, rule, usual, on_report=watch.report, **task.settings)
        if first.stopped == "interrupted":
            raise KeyboardInterrupt
        start = first.strategy
    return wishes.solver(form, rule, start, task.settings)


# What is refused before anything is computed.


def task_of(request: Request) -> Task:
    """A request with its game, checked."""
    if request.resume is None and request.game is None:
        raise ParameterError("say which game to solve, such as `counterfold solve leduc`")
    _check_options(request)
    traversal = request.traversal or "full"
    if request.resume:
        traversal = _check_same(request).traversal
        game = game_in(request.resume, request.game, request.form)
    else:
        game = game_named(str(request.game), request.form)
    for name, feature in NEEDS.items():
        if getattr(request, name) not in (None, getattr(Settings, name, None)):
            check_can(game, feature, _option(name), traversal)
    if request.by_lp:
        check_lp(game)
    until = request.until.on(game) if request.until else None
    task = Task(request, game, traversal, until, _wishes(request, game))
    _check_files(request)
    return task


def _check_options(request: Request) -> None:
    if request.every is not None and request.every < 1:
        raise ParameterError(f"--every is {request.every}, and must be at least 1 iteration")
    if request.every is not None and request.target is None:
        raise ParameterError("--every needs a file for its checkpoints: name it with --save")
    check_threads(request.threads, "--threads")
    if request.by_lp:
        stray = request.given((*SETTINGS, *LIMITS, "every", "resume", "plot"))
        if stray:
            raise ParameterError(
                f"the linear program runs to its optimum and takes no {_option(next(iter(stray)))}"
            )
        return
    if request.method is not None:
        method(request.method)
    Settings(**request.given(("method", *SETTINGS)))


def _check_files(request: Request) -> None:
    if request.plot:
        check_can_write(request.plot, "--plot")
        check_plot(request.plot)
    if request.target:
        check_can_write(request.target, "--save" if request.save else "--resume")
    if request.save:
        check_not_foreign(request.save)


def _wishes(request: Request, game: Game | PokerGame) -> Wishes:
    given = request.given(("locks", "prefer", "give_up"))
    if request.resume and given:
        raise ParameterError(
            f"{request.resume} goes on with the locks and the style that it began with; leave "
            "out --locks, --prefer and --give-up"
        )
    if request.resume:
        return Wishes()
    if isinstance(game, PokerGame):
        return read_wishes(request, game)
    if given:
        raise ParameterError(
            f"{_option(next(iter(given)))} is for hands on a public tree; `counterfold style` "
            "gives every game a style"
        )
    return Wishes()


def _check_same(request: Request) -> Settings:
    """The settings of a run to go on with, which cannot change in its middle."""
    path = str(request.resume)
    if not header_of(path):
        read(path)  # says what is wrong
    saved = header_in(path)
    if "run" not in saved.header:
        raise FileError(f"{path} holds a strategy without a solver's state: nothing to resume")
    past = saved.fields("run")
    settings, at = from_json(Settings, past.object("settings")), past.whole("iteration", 0)
    for name, wanted in request.given(("method", *SETTINGS)).items():
        was = getattr(settings, name)
        if wanted != was and not (name == "method" and _same_method(wanted, was)):
            raise MismatchError(
                f"{path} was made with {_spoken(name, was)}, so it cannot go on with "
                f"{_spoken(name, wanted)}; leave {_option(name)} out, or start a new run"
            )
    if request.iterations is not None and request.iterations < at:
        raise ParameterError(
            f"{path} is already at iteration {at:,}; --iterations counts from the start of the "
            "run, so it must be more than that"
        )
    return settings


def _same_method(wanted: str, was: str) -> bool:
    return replace(method(wanted), name="") == replace(method(was), name="")


def _option(name: str) -> str:
    return OPTIONS.get(name, f"--{name.replace('_', '-')}")


def _spoken(name: str, value: object) -> str:
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


# Files of a run.


def rescue_file(spec: str) -> str | None:
    """A free name in this folder for the work of an interrupted run that has no --save."""
    if not os.access(".", os.W_OK | os.X_OK):
        return None
    stem = re.sub(r"[^\w.+=-]+", "-", os.path.basename(spec)).strip("-")[:60]
    names = (f"{stem}-interrupted{n or ''}.safetensors" for n in range(1000))
    return next((name for name in names if not os.path.exists(name)), None)


def stamp(path: str | None) -> tuple[int, int] | None:
    """Changes whenever the file is written."""
    try:
        state = os.stat(path) if path else None
    except OSError:
        return None
    return state and (state.st_ino, state.st_mtime_ns)


def farewell(saved: str | None, iterations: int | None = None) -> str:
    """What is said to somebody who ends a run."""
    at = f" at iteration {iterations:,}" if iterations else ""
    if saved is None:
        return f"stopped{at}; nothing was saved"
    which = f"the work is saved in {saved}" if at else f"{saved} holds the last checkpoint"
    return f"stopped{at}; {which}: go on with `counterfold solve --resume {shlex.quote(saved)}`"


# What is told.


def _hint(result: Result, saved: str | None) -> str:
    if not saved:
        return "Keep the strategy with --save FILE, and read it with `counterfold show FILE`."
    walk = ", walk it with `--browse`" if result.poker else ""
    return f"Read the strategy with `counterfold show {shlex.quote(saved)}`{walk}."


def _draw(result: Result, path: str) -> None:
    points = [Point(r.iteration, r.cpu_seconds, r.exploitability, r.cce_gap) for r in result.trace]
    title = f"{result.game}, {result.method}" + (", in chips" if result.poker else "")
    if result.traversal != "full":
        title += f", {result.traversal} sampling"
    convergence([Curve("exploitability", points)], title, path)


def _tell_size(task: Task) -> None:
    """What the game would take, and whether it fits."""
    request, game = task.request, task.game
    room = int(0.9 * memory_at_hand()) if request.bytes is None else request.bytes
    if isinstance(game, PokerGame):
        public = task.table_size(game)
        need, name, lines = public.bytes, in_poker(game), public_size_lines(game, public)
        document = {
            key: getattr(public, key)
            for key in ("boards", "nodes", "decisions", "infosets", "hands", "bytes")
        } | {"bytes_in_16_bits": public.half}
    else:
        with Watch(request.quiet) as watch:
            try:
                histories = measure(game, room, watch.counting)
            except KeyboardInterrupt:
                counted = f"stopped after counting {watch.histories:,} histories"
                raise StoppedError(counted) from None
        need, name, lines = histories.bytes, spec_of(game), history_size(histories)
        document = histories._asdict()
    fits = need <= room
    if request.json:
        print_json({"game": spec_of(game), **document, "memory": room, "fits": fits})
        return
    verdict = f"{size(room)}: it {'fits' if fits else 'does not fit'}"
    print_panel("Size", [("game", name), *lines, ("at hand", verdict)])
