"""What ``counterfold solve`` is asked for, and what is refused before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from counterfold.cli import clock
from counterfold.cli.names import game_in
from counterfold.cli.output import memory_of
from counterfold.cli.request import Options, check_files, options_given
from counterfold.cli.verbs.solving import SolveRequest
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.files.arrays import header_in, header_of
from counterfold.files.typed import from_json
from counterfold.poker.game import PokerGame
from counterfold.solvers.conditions import symmetry_under
from counterfold.solvers.engine import SAMPLING, check_can
from counterfold.solvers.methods import method
from counterfold.solvers.result import check_lp, table_size
from counterfold.solvers.settings import Settings, check_threads
from counterfold.solvers.until import Until
from counterfold.strategy.store import read
from counterfold.tree.form import AnyGame
from counterfold.tree.named import game_named
from counterfold.tree.public_size import PublicSize

if TYPE_CHECKING:
    from counterfold.exploit.locks import Locks
    from counterfold.style.preferences import Style

SETTINGS = ("traversal", "alternating", "average", "dtype", "bits", "seed", "explore")
OPTIONS = {"alternating": "--alternating/--simultaneous", "average": "--average/--last-iterate"}
NEEDS = {
    "seed": SAMPLING,
    "explore": SAMPLING,
    "alternating": ("simultaneous",),
    "average": ("last iterate",),
    "bits": ("16 bits",),
    "threads": ("threads",),
    "locks": ("locks",),
}
"""What an engine must be able to do for an option that is not as usual."""


@dataclass(frozen=True)
class Task:
    """A request that has been checked: its game, its limits, and what holds in its solution."""

    request: SolveRequest
    game: AnyGame
    traversal: str
    until: Until | None
    memory: int | None
    style: Style | None = None
    locks: Locks | None = None

    @property
    def settings(self) -> Options:
        """Settings of the solver that were given, the traversal apart."""
        named = options_given(self.request, (*SETTINGS, "threads"))
        return {name: value for name, value in named.items() if name != "traversal"}

    @property
    def symmetry(self) -> bool | None:
        """Whether suits may be one; where no condition tells them apart, the game says."""
        return symmetry_under(self.game, None, self.style, self.locks)

    def table_size(self, game: PokerGame) -> PublicSize:
        """How large the tables of the run will be."""
        return table_size(game, self.request.method, self.settings, self.symmetry)

    @property
    def conditions(self) -> str:
        """The locks and the style in words."""
        count = len(self.locks.locks) if self.locks else 0
        parts = [f"{count} lock{'s' * (count != 1)}"] if count else []
        return ", ".join([*parts, *([repr(self.style)] if self.style is not None else [])])


def task_of(request: SolveRequest) -> Task:
    """A request with its game, checked."""
    named = request.game or request.again
    if request.resume is None and named is None:
        raise ParameterError("say which game to solve, such as `counterfold solve leduc`")
    _check_options(request)
    traversal = request.traversal or "full"
    if request.resume:
        traversal = _check_same(request, request.resume).traversal
        game = game_in(request.resume, named, request.form)
    else:
        game = game_named(str(named), request.form)
    check_can(game, (traversal,), "--traversal")
    for name, features in NEEDS.items():
        if getattr(request, name) not in (None, getattr(Settings, name, None)):
            check_can(game, features, _option(name), traversal)
    if request.by_lp:
        check_lp(game)
    until = clock.until_of(request)
    until = until.on(game) if until else None
    memory = None if request.memory is None else memory_of(request.memory)
    task = Task(request, game, traversal, until, memory)
    if request.resume:
        if options_given(request, ("locks", "prefer", "give_up")):
            raise ParameterError(
                f"{request.resume} goes on with the locks and the style that it began with; leave "
                "out --locks, --prefer and --give-up"
            )
    else:
        task = replace(task, style=_style(request, game), locks=_locks(request, game))
    check_files(request)
    return task


def _check_options(request: SolveRequest) -> None:
    if request.library and (request.by_lp or request.resume):
        raise ParameterError("a library is for solving by a method, from the beginning")
    if request.every is not None and request.every < 1:
        raise ParameterError(f"--every is {request.every}, and must be at least 1 iteration")
    if request.every is not None and request.target is None:
        raise ParameterError("--every needs a file for its checkpoints: name it with --save")
    check_threads(request.threads, "--threads")
    if request.by_lp:
        held = ("locks", "prefer", "give_up")
        stray = options_given(request, (*SETTINGS, *clock.LIMITS, "every", "resume", "plot", *held))
        if stray:
            raise ParameterError(
                f"the linear program runs to its optimum and takes no {_option(next(iter(stray)))}"
            )
        return
    if request.method is not None:
        method(request.method)
    Settings(**options_given(request, ("method", *SETTINGS)))


def _style(request: SolveRequest, game: AnyGame) -> Style | None:
    if request.give_up is not None and not request.prefer:
        raise ParameterError("--give-up is what preferences may cost; say them with --prefer")
    if not request.prefer:
        return None
    from counterfold.cli.preferences import place_in, read_preferences

    return read_preferences(request.prefer, game, place_in(game, request.give_up))


def _locks(request: SolveRequest, game: AnyGame) -> Locks | None:
    """The locks of a request, those in the file of its spot among them."""
    in_spot = isinstance(game, PokerGame) and request.game is not None
    if not request.locks and not in_spot:
        return None
    from counterfold.exploit.lock_files import read_locks, spot_locks
    from counterfold.exploit.locks import Locks

    locks = spot_locks(request.game, game) if isinstance(game, PokerGame) else []
    locks += read_locks(request.locks, game) if request.locks else []
    return Locks(locks) if locks else None


def _check_same(request: SolveRequest, path: str) -> Settings:
    """The settings of a run to go on with, which cannot change in its middle."""
    if not header_of(path):
        read(path)  # says what is wrong
    saved = header_in(path)
    if "run" not in saved.header:
        raise FileError(f"{path} holds a strategy without a solver's state: nothing to resume")
    past = saved.fields("run")
    settings, at = from_json(Settings, past.object("settings")), past.whole("iteration", 0)
    for name, wanted in options_given(request, ("method", *SETTINGS)).items():
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
