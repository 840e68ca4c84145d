"""``counterfold solve``: check the request, run it, print the certificate."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from counterfold.cli import clock
from counterfold.cli.certificate import (
    certificate,
    drawn_size,
    history_size,
    in_poker,
    print_panel,
    public_size_lines,
    tables,
)
from counterfold.cli.output import (
    StoppedError,
    advise,
    print_json,
    size,
    tell,
)
from counterfold.cli.progress import Watch
from counterfold.cli.request import Options
from counterfold.cli.task import Task, task_of
from counterfold.cli.verbs.solving import SolveRequest
from counterfold.games.base import spec_of
from counterfold.interrupts import aside
from counterfold.pieces.store import store_at
from counterfold.plot import Curve, Point, convergence
from counterfold.poker.equities import preflop_wins
from counterfold.poker.game import PokerGame
from counterfold.solvers.result import Result, resume, solve
from counterfold.solvers.run import Saving
from counterfold.solvers.settings import defaults_of
from counterfold.solvers.shelf import solve_in
from counterfold.solvers.until import Until
from counterfold.tree.form import AnyGame, Form, form_of
from counterfold.tree.memory import ANY_SIZE, memory_at_hand
from counterfold.tree.walk import measure

if TYPE_CHECKING:
    from counterfold.exploit.locks import Locks

WORTH_KEEPING = 1.0
"""Seconds of work that are saved for a user who interrupts a run without --save."""


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


def run(request: SolveRequest) -> None:
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
        if task.conditions:
            lines.insert(2, ("wishes", task.conditions))
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
    units = task.game.units if isinstance(task.game, PokerGame) else None
    with Watch(request.quiet, units) as watch:
        try:
            began = perf_counter()
            form = _form(task, watch)
            reading = perf_counter() - began
            if request.by_lp:
                watch.doing("solving the linear program")
                result = aside(lambda: solve(form, "lp", save=request.save))
            else:
                until = task.until or defaults_of(form, task.traversal).until
                locks = _ready_locks(task, form, watch)
                limits = clock.left(until) if task.until else until
                watch.begin(limits)
                common: Options = {
                    "memory": task.memory, "on_report": watch.report,
                    "save": Saving(request.target, request.every, rescue),
                }  # fmt: skip
                if request.resume:
                    result = resume(request.resume, limits, form, threads=request.threads, **common)
                else:
                    solve_it = (
                        partial(solve_in, store_at(request.library)) if request.library else solve
                    )
                    result = solve_it(
                        form, request.method, limits, task.traversal, style=task.style,
                        locks=locks, **common, **task.settings,
                    )  # fmt: skip
        except KeyboardInterrupt:
            saved = request.target if stamp(request.target) != before else None
            raise StoppedError(farewell(saved)) from None
    if rescue and os.path.exists(rescue) and result.seconds < WORTH_KEEPING:
        os.unlink(rescue)
    result = replace(result, compile_seconds=result.compile_seconds + reading)
    return Outcome(result, until, request.target or (rescue if stamp(rescue) else None))


def _form(task: Task, watch: Watch) -> Form | PokerGame:
    """The compiled game; poker that is resumed stays in its file, which has the tree."""
    game = task.game
    if not isinstance(game, PokerGame):
        return compiled(game, watch, task.until, task.memory)
    if game.of_drawn_deals and not task.request.resume:
        return compiled(game, watch)
    if task.request.resume:
        watch.doing("building the tree and loading the kernels (compiled when first used)")
        return game
    public = task.table_size(game)
    if not task.request.quiet:
        told = tables(public.boards, public.nodes, public.infosets, public.bytes)
        tell(f"{game.spec}: {told}")
    public.check(task.memory)
    return compiled(game, watch, memory=ANY_SIZE, symmetry=task.symmetry)


def _ready_locks(task: Task, form: Form | PokerGame, watch: Watch) -> Locks | None:
    """Locks with what they begin from: what a lock shifts is solved without it first."""
    if task.locks is None:
        return None
    from counterfold.exploit.locks import needs_start

    if not needs_start(task.locks.locks):
        return task.locks
    watch.doing("solving without locks first, which they begin from")
    usual = defaults_of(form).until
    if task.until and task.until.seconds is not None:  # half of the time is for the beginning
        usual = replace(usual, seconds=clock.left(task.until, 2).seconds)
    watch.begin(usual)
    first = solve(form, task.request.method, usual, on_report=watch.report, **task.settings)
    if first.stopped == "interrupted":
        raise KeyboardInterrupt
    return replace(task.locks, start=first.strategy)


def compiled(
    game: AnyGame,
    watch: Watch,
    until: Until | None = None,
    memory: int | None = None,
    *,
    symmetry: bool | None = None,
) -> Form:
    """The compiled game; what a person has given time for is given up when that is over."""
    if isinstance(game, PokerGame):
        watch.doing("building the tree and loading the kernels (compiled when first used)")
        ready_equities(game, watch)
    counting = until.counting(watch.counting) if until else watch.counting
    form: Form = form_of(game, memory, counting, symmetry=symmetry)
    if hasattr(form, "on_fresh"):
        form.on_fresh = partial(watch.part, "measuring with fresh deals")
    watch.doing("loading the kernels (compiled when they are first used)")
    return form


def ready_equities(game: PokerGame, watch: Watch) -> None:
    """Have the equities that a game before the flop needs, which are counted once on a machine."""
    if game.before_the_flop and game.rules.hole == 2:
        preflop_wins(
            lambda done, total: watch.part(
                "counting equities, once on this machine",
                done,
                total,
                f"{done:,} of {total:,} boards",
            )
        )


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
    room = int(0.9 * memory_at_hand()) if task.memory is None else task.memory
    if isinstance(game, PokerGame) and game.of_drawn_deals:
        from counterfold.abstraction.drawn_form import DrawnForm

        form = DrawnForm(game)
        need, name, lines = form.nbytes, in_poker(game), drawn_size(form)
        document = {"infosets": form.infoset_count, "deals": form.deals}
    elif isinstance(game, PokerGame):
        public = task.table_size(game)
        need, name, lines = public.bytes, in_poker(game), public_size_lines(game, public)
        document = {
            key: getattr(public, key)
            for key in ("boards", "nodes", "decisions", "infosets", "hands", "bytes", "peak")
        } | {"bytes_in_16_bits": public.half}
    else:
        with Watch(request.quiet) as watch:
            try:
                histories = measure(game, room, watch.counting)
            except KeyboardInterrupt:
                counted = f"stopped after counting {watch.histories:,} histories"
                raise StoppedError(counted) from None
        need, name, lines = histories.bytes, spec_of(game), history_size(histories)
        document = histories._asdict() | {"peak": histories.peak}
    fits = need <= room
    if request.json:
        print_json({"game": spec_of(game), **document, "memory": room, "fits": fits})
        return
    verdict = f"{size(room)}: it {'fits' if fits else 'does not fit'}"
    print_panel("Size", [("game", name), *lines, ("at hand", verdict)])
