"""A job that makes a blueprint of a table of hold'em: buckets of hands, then sampled deals.

It does what two commands do, which the page tells: the requests are the same.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from counterfold.abstraction.bucket_gains import Gain
from counterfold.abstraction.bucket_maker import Recipe
from counterfold.cli import clock
from counterfold.cli.blueprint import train
from counterfold.cli.blueprint_gains import GainsWatch
from counterfold.cli.buckets import counts_in, find_buckets
from counterfold.cli.output import StoppedError
from counterfold.cli.request import words_of
from counterfold.cli.verbs.abstracting import BlueprintRequest, BucketsRequest
from counterfold.files.arrays import header_in
from counterfold.files.text import Json
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Report
from counterfold.studio.folder import OWN
from counterfold.studio.worker import Desk
from counterfold.tree.named import poker_game

LEAST = 1.0
"""Seconds of a run that goes on when its time was over."""


def requests_of(
    wish: Json, file: str, root: Path = Path()
) -> tuple[BucketsRequest, BlueprintRequest]:
    """What sorts hands into buckets, once for all tables of a folder, and what samples deals."""
    game, buckets = wish["game"], wish["buckets"].replace(" ", "")
    cards = str(root / OWN / f"buckets {buckets}.cf")
    minutes = wish["seconds"] / 60 if "iterations" not in wish else None
    return BucketsRequest(game, save=cards, buckets=buckets), BlueprintRequest(
        game, buckets=buckets, cards=cards, iterations=wish.get("iterations"), minutes=minutes,
        save=str(root / file),
    )  # fmt: skip


def commands_of(wish: Json, file: str) -> str:
    """The same as a person types it in the folder."""
    return " && ".join(shlex.join(words_of(one)) for one in requests_of(wish, file))


def blueprint_job(desk: Desk) -> Json | None:
    """Sort what no job has sorted, sample to the limit, and measure what a response would gain."""
    game = poker_game(desk.request["game"])
    sorting, sampling = requests_of(desk.request, desk.job["file"], desk.folder.path)
    desk.tell(at_once=True, seats=list(game.players), blind=game.big_blind)
    try:
        with _Watch(desk) as watch:
            if desk.file.is_file():
                sampling = _going_on(sampling)
            elif game.rules.hole > 1:
                recipe = Recipe.for_game(game, counts_in(sorting.buckets))
                find_buckets(recipe, sorting.save, None, watch, sorting.threads, game)
            clock.start()  # as the second command is one of its own
            made = train(sampling, game, watch)
    except (StoppedError, KeyboardInterrupt):
        return None
    solver, gained = made.solver, made.gained or ()
    if gained:
        watch.gained(solver, gained)
    desk.tell(at_once=True, doing="")
    return {
        "method": solver.method.name,
        "iterations": solver.iteration,
        "seconds": solver.seconds,
        "memory": solver.nbytes,
        "seats": list(game.players),
        "blind": game.big_blind,
        "gains": [{"player": one.player, "gain": one.gain, "error": one.error} for one in gained],
    }


def _going_on(sampling: BlueprintRequest) -> BlueprintRequest:
    """The rest of a run that is in its file, with its buckets."""
    file, minutes = str(sampling.save), sampling.minutes
    if minutes is not None:
        spent = header_in(file).fields("run").number("seconds", 0)
        minutes = max(60 * minutes - spent, LEAST) / 60
    return replace(sampling, save=None, resume=file, cards=None, minutes=minutes)


class _Watch(GainsWatch):
    """Tells the page."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(quiet=True)
        self.desk = desk
        self.trace: list[list[float]] = list(desk.state.get("trace", []))

    def doing(self, what: str) -> None:
        self.check()
        self.desk.tell(at_once=True, doing=what)

    def part(self, what: str, done: float, total: float, note: str = "") -> None:
        self.check()
        self.desk.tell(doing=f"{what}, once for this folder: {note}")

    def report(self, report: Report) -> None:
        self.desk.tell(doing="sampling deals", iteration=report.iteration, seconds=report.seconds)

    def gained(self, solver: Solver, gains: tuple[Gain, ...]) -> None:
        mean = max(sum(one.gain for one in gains) / len(gains), 0.0)
        self.trace.append([solver.iteration, solver.seconds, mean])
        self.desk.tell(at_once=True, trace=self.trace)
