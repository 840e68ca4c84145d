"""``counterfold solve`` for poker on a public tree: spots, and games such as Flop Hold'em."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from counterfold.cli import clock
from counterfold.cli.certificate import print_panel
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    memory_of,
    print_json,
    tell,
)
from counterfold.cli.poker_certificate import poker_certificate, size_lines, size_told, units
from counterfold.cli.poker_conditions import PokerConditions, read_conditions
from counterfold.cli.poker_names import game_in, poker_game, run_of
from counterfold.cli.progress import Watch
from counterfold.errors import MismatchError, ParameterError
from counterfold.plot import Curve, Point, check_plot, convergence
from counterfold.poker.game import PokerGame
from counterfold.solve.methods import method
from counterfold.solve.result import Result, resume, solve
from counterfold.solve.settings import Settings, defaults_of
from counterfold.solve.until import Until
from counterfold.tree.memory import memory_at_hand
from counterfold.tree.public_size import PublicSize, public_size

if TYPE_CHECKING:
    from counterfold.cli.solve import Request

__all__ = ["PokerOutcome", "PokerWatch", "run", "solved"]

SAMPLING = ("traversal", "seed", "explore", "alternating")
SETTINGS = ("average", "dtype", "bits")


class PokerWatch(Watch):
    """Tells exploitability in the units of poker."""

    def __init__(self, game: PokerGame, quiet: bool = False) -> None:
        super().__init__(quiet)
        self.game = game

    def told(self, exploitability: float) -> str:
        return units(self.game, exploitability)


@dataclass(frozen=True)
class PokerOutcome:
    """A result, the limits it ran under, and the file that holds it."""

    result: Result
    until: Until
    saved: str | None

    def end(self) -> None:
        """Close an interrupted run with a sentence and its exit code."""
        from counterfold.cli.solve import farewell

        if self.result.stopped == "interrupted":
            raise StoppedError(farewell(self.saved, self.result.iterations))


def run(request: Request) -> None:
    """Solve, or only measure, and print."""
    game = _game(request)
    conditions = _check(request, game)
    if request.dry_run:
        _tell_size(request, game, conditions)
        return
    outcome = solved(request, game, conditions)
    result = outcome.result
    if request.plot:
        points = [Point(r.iteration, r.cpu_seconds, r.exploitability) for r in result.trace]
        title = f"{result.game}, {result.method}, in chips"
        convergence([Curve("exploitability", points)], title, request.plot)
    if request.json:
        print_json(result.to_dict())
    else:
        lines = poker_certificate(result, outcome.until, outcome.saved)
        if conditions:
            lines.insert(2, ("wishes", conditions.description))
        if request.plot:
            lines.append(("picture", request.plot))
        print_panel("Certificate", lines)
        advise(_hint(outcome.saved))
    outcome.end()


def solved(
    request: Request, game: PokerGame | None = None, conditions: PokerConditions | None = None
) -> PokerOutcome:
    """The outcome of a request, with its progress on standard error."""
    from counterfold.cli.solve import WORTH_KEEPING, farewell, rescue_file, stamp

    game = game or _game(request)
    conditions = read_conditions(request, game) if conditions is None else conditions
    until = _limits(request, game)
    before = stamp(request.target)
    if not request.resume:
        found = _size(request, game, conditions)
        if not request.quiet:
            tell(f"{game.spec}: {size_told(found)}")
        found.check(None if request.memory is None else memory_of(request.memory))
    with PokerWatch(game, request.quiet) as watch:
        watch.doing("building the tree and loading the kernels (compiled when first used)")
        run = clock.left(until)
        watch.begin(run)
        common: dict[str, Any] = {"every": request.every, "on_report": watch.report}
        try:
            if request.resume:
                result = resume(
                    request.resume, run, save=request.save, threads=request.threads, **common
                )
                return PokerOutcome(result, until, request.target)
            rescue = None if request.save else rescue_file(game.spec)
            kept: dict[str, Any] = {"save": request.save, "rescue": rescue}
            settings = request.given((*SETTINGS, "threads"))
            if conditions:
                result = _with_conditions(
                    request, game, conditions, watch, until, {**kept, **common}
                )
            else:
                result = solve(
                    game, request.method, run, memory=1 << 62, **kept, **settings, **common
                )
        except KeyboardInterrupt:
            saved = request.target if stamp(request.target) != before else None
            raise StoppedError(farewell(saved)) from None
    if rescue and os.path.exists(rescue) and result.seconds < WORTH_KEEPING:
        os.unlink(rescue)
    return PokerOutcome(result, until, request.save or (rescue if stamp(rescue) else None))


def _with_conditions(
    request: Request,
    game: PokerGame,
    conditions: PokerConditions,
    watch: Watch,
    until: Until,
    how: Any,
) -> Result:
    """Solve under locks and preferences; what a lock shifts is solved without them first."""
    settings = request.given((*SETTINGS, "threads"))
    tree, start = conditions.tree(game), None
    if conditions.needs_start:
        watch.doing("solving without locks first, which they begin from")
        usual = defaults_of(game).until
        if until.seconds is not None:  # half of the time is for the beginning
            usual = replace(usual, seconds=clock.left(until, 2).seconds)
        first = solve(tree, request.method, usual, on_report=watch.report, **settings)
        if first.stopped == "interrupted":
            raise KeyboardInterrupt
        start = first.strategy
        watch.begin(until)
    solver = conditions.solver(tree, request.method, start, settings)
    return solve(solver, until=clock.left(until), **how)


def _game(request: Request) -> PokerGame:
    if request.resume:
        kept = game_in(request.resume)
        if request.game is not None and poker_game(request.game).about != kept.about:
            raise MismatchError(
                f"{request.resume} is a run of {kept.spec}, not of {request.game}; "
                "leave the game out"
            )
        return kept
    return poker_game(str(request.game))


def _check(request: Request, game: PokerGame) -> PokerConditions:
    """Refuse what cannot work before anything is computed."""
    from counterfold.cli.solve import OPTIONS, check_not_foreign

    for name in SAMPLING:
        if request.given((name,)) and (name, getattr(request, name)) not in (
            ("traversal", "full"),
            ("alternating", True),
        ):
            option = OPTIONS.get(name, f"--{name}")
            raise ParameterError(
                f"a public tree is walked in full, player by player, and takes no {option}"
            )
    if request.every is not None and request.every < 1:
        raise ParameterError(f"--every is {request.every}, and must be at least 1 iteration")
    if request.every is not None and request.target is None:
        raise ParameterError("--every needs a file for its checkpoints: name it with --save")
    if request.by_lp:
        raise ParameterError(
            "the linear program is for games in history form; poker on a public tree takes "
            "--method dcfr and others"
        )
    if request.threads is not None and not 1 <= request.threads <= 256:
        raise ParameterError(f"--threads is {request.threads}, and must be from 1 to 256")
    if request.method is not None:
        method(request.method)
    Settings(**request.given(SETTINGS))
    _limits(request, game)
    if request.resume:
        _check_same(request)
        if request.locks or request.prefer or request.give_up is not None:
            raise ParameterError(
                f"{request.resume} goes on with the locks and the style that it began with; leave "
                "out --locks, --prefer and --give-up"
            )
    conditions = PokerConditions() if request.resume else read_conditions(request, game)
    if request.plot:
        check_can_write(request.plot, "--plot")
        check_plot(request.plot)
    if request.target:
        check_can_write(request.target, "--save" if request.save else "--resume")
    if request.save:
        check_not_foreign(request.save)
    return conditions


def _check_same(request: Request) -> None:
    """A resumed run cannot change its method in the middle."""
    from counterfold.cli.solve import same_method

    path = str(request.resume)
    run = run_of(path)
    settings, at = run.object("settings"), run.whole("iteration", 0)
    for name, wanted in request.given(("method", *SETTINGS)).items():
        was = settings.raw(name, None)
        if wanted != was and not (name == "method" and same_method(wanted, was)):
            raise MismatchError(
                f"{path} was made with {name} {was}, so it cannot go on with {name} {wanted}; "
                f"leave --{name} out, or start a new run"
            )
    if request.iterations is not None and request.iterations < at:
        raise ParameterError(
            f"{path} is already at iteration {at:,}; --iterations counts from the "
            "start of the run, so it must be more than that"
        )


def _limits(request: Request, game: PokerGame) -> Until:
    given = request.given(("iterations", "exploitability", "seconds"))
    if "exploitability" in given:
        given["exploitability"] = game.units.chips(given["exploitability"])
    return Until(**given) if given else defaults_of(game).until


def _size(request: Request, game: PokerGame, conditions: PokerConditions) -> PublicSize:
    alike = bool(game.about.get("symmetry", True)) and conditions.symmetric(game)
    return public_size(
        game, symmetry=alike, bits=request.bits or 32,
        predictive=method(request.method or defaults_of(game).method).prediction > 0,
        dtype=request.dtype or defaults_of(game).dtype,
    )  # fmt: skip


def _tell_size(request: Request, game: PokerGame, conditions: PokerConditions) -> None:
    found = _size(request, game, conditions)
    room = int(0.9 * memory_at_hand()) if request.memory is None else memory_of(request.memory)
    fits = found.bytes <= room
    if request.json:
        told = {
            "boards": found.boards,
            "nodes": found.nodes,
            "decisions": found.decisions,
            "infosets": found.infosets,
            "hands": list(found.hands),
            "bytes": found.bytes,
            "bytes_in_16_bits": found.half,
        }
        print_json({"game": game.spec, **told, "memory": room, "fits": fits})
        return
    print_panel("Size", size_lines(game, found, room))


def _hint(saved: str | None) -> str:
    if saved:
        name = shlex.quote(saved)
        return f"Look at it with `counterfold show {name}`, walk it with `--browse`."
    return "Keep the strategy with --save FILE to look at it with `counterfold show FILE`."
