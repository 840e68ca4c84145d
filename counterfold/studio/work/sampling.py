"""A job that makes a blueprint of a table of hold'em: buckets of hands, then sampled deals."""

from __future__ import annotations

import os
from functools import partial

from counterfold.abstraction.blueprint import resume_blueprint
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_gains import Gain, response_gains
from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.abstraction.buckets import BUILD, Buckets, load_buckets
from counterfold.checkpoints import Checkpoints
from counterfold.cli.blueprint_gains import AT_THE_END, LEAST, MOST, ON_THE_WAY
from counterfold.cli.buckets import counts_in
from counterfold.files.arrays import header_of
from counterfold.files.text import Json
from counterfold.poker.game import PokerGame
from counterfold.solvers.run import run_until
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.studio.worker import Desk
from counterfold.tree.named import poker_game

FIRST = 10.0
"""Seconds before the first check; the next ones come after twice the time."""


def blueprint_job(desk: Desk) -> Json | None:
    """Sample until the time is up; what a response would gain is measured on the way."""
    request = desk.request
    game = poker_game(request["game"])
    solver = _solver(desk, game)
    checkpoints = Checkpoints(partial(solver.save, desk.file))
    trace: list[list[float]] = list(desk.state.get("trace", []))
    due, until = FIRST, Until(seconds=request["seconds"])
    desk.tell(at_once=True, doing="sampling deals", seats=list(game.players), blind=game.big_blind)

    def gains(share: float) -> tuple[Gain, ...]:
        walks = min(max(int(share * solver.iteration), LEAST), MOST)
        return response_gains(solver.strategy(), walks, solver.iteration)

    try:
        if solver.seconds < until.seconds:  # type: ignore[operator]
            left = Until(seconds=until.seconds - solver.seconds)  # type: ignore[operator]
            for report in run_until(solver, left):
                desk.tell(iteration=report.iteration, seconds=report.seconds, trace=trace)
                checkpoints.look()
                if report.run_seconds >= due and report.iteration >= LEAST:
                    due = 2 * report.run_seconds
                    trace.append([report.iteration, report.seconds, _mean(gains(ON_THE_WAY))])
        checkpoints.save()
        desk.tell(at_once=True, doing="measuring what a response over the same buckets would gain")
        found = gains(AT_THE_END)
    except KeyboardInterrupt:
        checkpoints.save()
        return None
    trace.append([solver.iteration, solver.seconds, _mean(found)])
    desk.tell(at_once=True, trace=trace, doing="")
    return {
        "method": solver.method.name,
        "iterations": solver.iteration,
        "seconds": solver.seconds,
        "memory": solver.nbytes,
        "seats": list(game.players),
        "blind": game.big_blind,
        "gains": [{"player": one.player, "gain": one.gain, "error": one.error} for one in found],
    }


def _mean(gains: tuple[Gain, ...]) -> float:
    return max(sum(one.gain for one in gains) / len(gains), 0.0)


def _solver(desk: Desk, game: PokerGame) -> Solver:
    """The run in the job's file, or a new one."""
    if desk.file.is_file():
        desk.tell(at_once=True, doing="reading what is done")
        form = Strategy.load(desk.file).tree
        assert isinstance(form, BucketForm)
        return resume_blueprint(desk.file, form)
    return Solver(BucketForm(game, _buckets(desk, game)), "linear", "external")


def _buckets(desk: Desk, game: PokerGame) -> tuple[Buckets, ...]:
    """Hands in buckets, which are sorted once for all tables of the folder."""
    text = desk.request["buckets"].replace(" ", "")
    recipe = Recipe.for_game(game, counts_in(text))
    path = desk.folder.own / f"buckets {text}.cf"
    if path.is_file() and header_of(os.fspath(path)).get("kind") != BUILD:
        desk.tell(at_once=True, doing="reading the buckets")
        found = load_buckets(path)
        recipe.check(found, str(path))
        return found

    def look(what: str, share: float) -> None:
        desk.tell(doing=f"sorting hands into buckets, once for this folder: {what}, {share:.0%}")

    return BucketMaker(recipe, game=game, path=path, look=look).make()
