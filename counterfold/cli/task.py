"""What ``counterfold solve`` is asked for, and what is refused before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from counterfold.cli import clock
from counterfold.cli.names import game_in, game_named
from counterfold.cli.output import check_can_write, check_not_foreign, memory_of
from counterfold.cli.request import options_given
from counterfold.cli.verbs.solving import SolveRequest
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.files.arrays import header_in, header_of
from counterfold.files.typed import from_json
from counterfold.games.base import Game
from counterfold.plot import check_plot
from counterfold.poker.game import PokerGame
from counterfold.poker.units import Units
from counterfold.solvers.engine import SAMPLING, check_can
from counterfold.solvers.methods import method
from counterfold.solvers.result import check_lp, table_size
from counterfold.solvers.settings import Settings, check_threads
from counterfold.solvers.until import Until
from counterfold.strategy.store import read
from counterfold.tree.public_size import PublicSize

if TYPE_CHECKING:
    from counterfold.cli.poker_conditions import PokerConditions

__all__ = ["Task", "bytes_of", "task_of"]

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
    game: Game | PokerGame
    traversal: str
    until: Until | None
    conditions: PokerConditions | None

    @property
    def units(self) -> Units | None:
        return self.game.units if isinstance(self.game, PokerGame) else None

    @property
    def settings(self) -> dict[str, Any]:
        return options_given(self.request, (*SETTINGS, "threads"))

    def table_size(self, game: PokerGame) -> PublicSize:
        """How large the tables of the run will be."""
        return table_size(game, self.request.method, self.settings, self.symmetry(game))

    def symmetry(self, game: PokerGame) -> bool | None:
        """Whether suits may be taken as one; where no condition tells them apart, the game says."""
        return None if self.conditions is None or self.conditions.symmetric(game) else False


def bytes_of(request: SolveRequest) -> int | None:
    """The most memory to take, if somebody says."""
    return None if request.memory is None else memory_of(request.memory)


def task_of(request: SolveRequest) -> Task:
    """A request with its game, checked."""
    if request.resume is None and (request.game or request.again) is None:
        raise ParameterError("say which game to solve, such as `counterfold solve leduc`")
    _check_options(request)
    traversal = request.traversal or "full"
    if request.resume:
        traversal = _check_same(request).traversal
        game = game_in(request.resume, request.game or request.again, request.form)
    else:
        game = game_named(str(request.game or request.again), request.form)
    check_can(game, (traversal,), "--traversal")
    for name, features in NEEDS.items():
        if getattr(request, name) not in (None, getattr(Settings, name, None)):
            check_can(game, features, _option(name), traversal)
    if request.by_lp:
        check_lp(game)
    until = named.on(game) if (named := clock.until_of(request)) else None
    task = Task(request, game, traversal, until, _conditions(request, game))
    _check_files(request)
    return task


def _check_options(request: SolveRequest) -> None:
    if request.every is not None and request.every < 1:
        raise ParameterError(f"--every is {request.every}, and must be at least 1 iteration")
    if request.every is not None and request.target is None:
        raise ParameterError("--every needs a file for its checkpoints: name it with --save")
    check_threads(request.threads, "--threads")
    if request.by_lp:
        stray = options_given(request, (*SETTINGS, *clock.LIMITS, "every", "resume", "plot"))
        if stray:
            raise ParameterError(
                f"the linear program runs to its optimum and takes no {_option(next(iter(stray)))}"
            )
        return
    if request.method is not None:
        method(request.method)
    Settings(**options_given(request, ("method", *SETTINGS)))


def _check_files(request: SolveRequest) -> None:
    if request.plot:
        check_can_write(request.plot, "--plot")
        check_plot(request.plot)
    if request.target:
        check_can_write(request.target, "--save" if request.save else "--resume")
    if request.save:
        check_not_foreign(request.save)


def _conditions(request: SolveRequest, game: Game | PokerGame) -> PokerConditions | None:
    given = options_given(request, ("locks", "prefer", "give_up"))
    if request.resume and given:
        raise ParameterError(
            f"{request.resume} goes on with the locks and the style that it began with; leave "
            "out --locks, --prefer and --give-up"
        )
    if isinstance(game, PokerGame) and not request.resume:
        from counterfold.cli.poker_conditions import read_conditions

        return read_conditions(request, game)
    if given:
        raise ParameterError(
            f"{_option(next(iter(given)))} is for hands on a public tree; `counterfold style` "
            "gives every game a style"
        )
    return None


def _check_same(request: SolveRequest) -> Settings:
    """The settings of a run to go on with, which cannot change in its middle."""
    path = str(request.resume)
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
