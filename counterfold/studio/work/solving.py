"""A job that solves: a spot or a game, from the beginning or from its checkpoint."""

from __future__ import annotations

from functools import partial

from counterfold.exploit.lock_files import read_locks
from counterfold.exploit.locks import Locks
from counterfold.files.text import Json
from counterfold.pieces.store import store_at
from counterfold.poker.game import PokerGame
from counterfold.poker.spot import spot
from counterfold.solvers.result import Result, resume, solve
from counterfold.solvers.shelf import solve_in
from counterfold.solvers.until import Report, Until
from counterfold.studio.worker import Desk
from counterfold.tree.form import AnyGame
from counterfold.tree.named import game_named

__all__ = ["game_of", "solve_job"]


def game_of(request: Json, name: str = "spot") -> AnyGame:
    """The game that a request has in full, as a spot, or names."""
    if "spot" in request:
        return spot(request["spot"], name=name)
    return game_named(request["game"], request.get("form"))


def solve_job(desk: Desk) -> Json | None:
    """Solve to the limit of the request; nothing if somebody stopped it."""
    request = desk.request
    game = game_of(request, desk.file.stem)
    until = _until(request)
    desk.tell(at_once=True, doing="building the tree and loading the kernels")
    follow = _Follower(desk, game, until)
    if desk.file.is_file():
        named = None if "spot" in request else game
        result = resume(desk.file, until, named, on_report=follow)
    else:
        locks = _locks(request, game)
        library, solve_it = desk.file.parent / "library", solve
        if library.is_dir() and locks is None and (until is None or until.exploitability):
            solve_it = partial(solve_in, store_at(library))
        result = solve_it(
            game, request.get("method"), until, save=desk.file, on_report=follow, locks=locks
        )
    if result.stopped == "interrupted":
        return None
    desk.tell(trace=_trace(result), doing="")
    return _certificate(result)


def _locks(request: Json, game: AnyGame) -> Locks | None:
    """Decisions that were painted, if there are any."""
    given = request.get("locks")
    if not given:
        return None
    return Locks(read_locks(given, game))


def _until(request: Json) -> Until | None:
    """The limits of a request; the usual ones where it has none."""
    limits = {key: request[key] for key in ("iterations", "exploitability", "seconds")
              if request.get(key)}  # fmt: skip
    return Until(**limits) if limits else None


class _Follower:
    """Notes the curve of a run as it falls."""

    def __init__(self, desk: Desk, game: AnyGame, until: Until | None) -> None:
        self.desk = desk
        self.units = game.units if isinstance(game, PokerGame) else None
        self.trace: list[list[float]] = list(desk.state.get("trace", []))
        limits = until.on(game) if until else None
        goal = limits.exploitability if limits else None
        self.goal = goal if isinstance(goal, float | int) else None
        self.limit = limits.iterations if limits else None
        pot = self.units.pot if self.units else None
        desk.tell(at_once=True, goal=self.goal, limit=self.limit, pot=pot)

    def __call__(self, report: Report) -> None:
        new = report.exploitability is not None and (
            not self.trace or report.iteration > self.trace[-1][0]
        )
        if new and report.exploitability is not None:
            self.trace.append([report.iteration, report.seconds, report.exploitability])
        self.desk.tell(
            at_once=new, doing="solving", iteration=report.iteration, seconds=report.seconds,
            trace=self.trace,
        )  # fmt: skip


def _trace(result: Result) -> list[list[float]]:
    return [
        [r.iteration, r.seconds, r.exploitability]
        for r in result.trace
        if r.exploitability is not None
    ]


def _certificate(result: Result) -> Json:
    """What is told of a result, without its trace."""
    found = result.to_dict()
    found.pop("trace")
    return found
