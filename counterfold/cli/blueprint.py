"""``counterfold blueprint``: sampled CFR over buckets of hands, for poker that does not fit."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from counterfold.checkpoints import Checkpoints
from counterfold.cli import clock
from counterfold.cli.certificate import Lines, print_panel, won
from counterfold.cli.names import poker_game
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    duration,
    in_units,
    print_json,
    size,
    tell,
)
from counterfold.cli.progress import Watch
from counterfold.errors import OutOfTimeError, ParameterError
from counterfold.poker.game import PokerGame
from counterfold.solvers.result import DISK
from counterfold.solvers.solver import Solver, run_until
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy

if TYPE_CHECKING:
    from counterfold.abstraction.blueprint import Against
    from counterfold.abstraction.buckets import Buckets
    from counterfold.cli.blueprint_exact import Measured, Measurement

__all__ = ["Wish", "run"]

ITERATIONS = 10_000_000
WORDS = {"external": "external sampling", "public": "public chance sampling"}


@dataclass(frozen=True)
class Wish:
    """What was asked for on the command line."""

    game: str
    buckets: int = 200
    cards: str | None = None
    method: str = "linear"
    traversal: str = "external"
    iterations: int | None = None
    seconds: float | None = None
    threads: int = 1
    seed: int = 0
    save: str | None = None
    resume: str | None = None
    against: str | None = None
    seat: int = 1
    rnr: float | None = None
    strategy: str | None = None
    exact: bool = False
    json: bool = False
    quiet: bool = False


def run(wish: Wish) -> None:
    """Make or find the buckets, sample, measure, save and tell."""
    game = poker_game(wish.game)
    for path, option in (
        (wish.save or wish.resume, "--save" if wish.save else "--resume"),
        (wish.strategy, "--strategy"),
        (wish.cards, "--cards"),
    ):
        if path and not (option == "--cards" and os.path.exists(path)):
            check_can_write(path, option)
    if wish.traversal not in WORDS:
        raise ParameterError(f"--traversal is external or public, not {wish.traversal!r}")
    _check_against(wish, game)
    until = _limits(wish)
    target, solver = wish.save or wish.resume, None
    with Watch(wish.quiet) as watch:
        try:
            solver = _solver(wish, game, watch)
            checkpoints = Checkpoints(partial(solver.save, target) if target else None)
            measurement = None
            if until.seconds is not None:
                watch.doing("trying what an exact measurement will take")
                measurement = _measurement(wish, solver, until)
            _sample(solver, until, measurement, checkpoints, watch)
            checkpoints.save()
            if until.seconds is None:
                measurement = _measurement(wish, solver, until)
            found = _measured(wish, measurement, watch)
        except KeyboardInterrupt:
            if solver is not None and target:
                solver.save(target)
            raise StoppedError(_farewell(wish, solver)) from None
    _tell(wish, solver, found)


def _sample(
    solver: Solver,
    until: Until,
    measurement: Measurement | None,
    checkpoints: Checkpoints,
    watch: Watch,
) -> None:
    """Iterate as long as there is time for what is to be done in the end."""
    run = clock.left(until)
    watch.begin(run)
    rest = 0.0 if measurement is None else measurement.seconds
    saving = solver.nbytes / DISK if checkpoints.saves else 0.0
    for report in run_until(solver, run, reserve=lambda: rest + (checkpoints.cost or saving)):
        watch.report(report)
        watch.check()
        checkpoints.look()


def _measurement(wish: Wish, solver: Solver, until: Until) -> Measurement | None:
    """The measurement that was asked for, unless there is no time for it."""
    if not (wish.exact or wish.strategy):
        return None
    from counterfold.cli.blueprint_exact import Measurement

    measurement = Measurement(solver, until, wish.strategy)
    if measurement.fits:
        return measurement
    tell(_left_out(wish, f"that would take about {duration(measurement.seconds)}"))
    return None


def _measured(wish: Wish, measurement: Measurement | None, watch: Watch) -> Measured | None:
    """What it finds; nothing, and a sentence, if the time is over before."""
    if measurement is None:
        return None
    watch.doing("measuring the strategy in the game without buckets")
    try:
        return measurement.run()
    except OutOfTimeError as error:
        tell(_left_out(wish, str(error)))
        return None


def _left_out(wish: Wish, why: str) -> str:
    what = "neither measured nor written hand by hand" if wish.strategy else "not measured"
    return f"the strategy is {what} within --seconds: {why}; give it more time, or no limit"


def _farewell(wish: Wish, solver: Solver | None) -> str:
    if solver is None:
        return "stopped before the first iteration; nothing was saved"
    told = f"stopped after {solver.iteration:,} iterations"
    target = wish.save or wish.resume
    if target is None:
        return f"{told}; nothing was saved (--save FILE keeps the work)"
    words = ["counterfold", "blueprint", wish.game, "--resume", target]
    if wish.cards:
        words += ["--cards", wish.cards]
    else:
        words += ["--buckets", str(wish.buckets), "--seed", str(wish.seed)]
    if wish.against is not None:
        words += ["--against", wish.against, "--seat", str(wish.seat), "--rnr", f"{wish.rnr:g}"]
    if wish.iterations is not None:
        words += ["--iterations", str(wish.iterations)]
    return f"{told}; the work is saved in {target}: go on with `{shlex.join(words)}`"


def _check_against(wish: Wish, game: PokerGame) -> None:
    if wish.against is None:
        if wish.rnr is not None or wish.seat != 1:
            raise ParameterError("--rnr and --seat are for an answer: say to whom with --against")
        return
    if wish.seat not in (1, 2):
        raise ParameterError(f"--seat is {wish.seat}, and must be 1 or 2")
    if wish.rnr is None or not 0 <= wish.rnr <= 1:
        raise ParameterError("say with --rnr how far to trust the opponent's play, from 0 to 1")
    if wish.cards is None and game.rules.hole > 1:
        raise ParameterError(
            f"--against {wish.against} plays by buckets: name the file that has them with --cards"
        )


def _limits(wish: Wish) -> Until:
    if wish.iterations is None and wish.seconds is None:
        return Until(iterations=ITERATIONS)
    return Until(iterations=wish.iterations, seconds=wish.seconds)


def _buckets(wish: Wish, game: PokerGame, watch: Watch) -> tuple[Buckets, ...]:
    from counterfold.abstraction.buckets import every_hand, load_buckets, save_buckets
    from counterfold.abstraction.clusters import buckets_for

    if wish.cards and os.path.exists(wish.cards):
        return load_buckets(wish.cards)
    if game.rules.hole == 1:
        return every_hand(game)
    watch.doing(f"sorting hands into {wish.buckets} buckets a street")
    doing = (
        "while hands were sorted into buckets: give it more time, fewer --buckets, or the file of "
        "an earlier run with --cards"
    )
    made = buckets_for(
        game, wish.buckets, seed=wish.seed, threads=max(wish.threads, 2),
        look=lambda: clock.check(_limits(wish), doing),
    )  # fmt: skip
    if wish.cards:
        save_buckets(wish.cards, made)
    return made


def _solver(wish: Wish, game: PokerGame, watch: Watch) -> Solver:
    from counterfold.abstraction.blueprint import Against, resume_blueprint
    from counterfold.abstraction.bucket_form import BucketForm

    form = BucketForm(game, _buckets(wish, game, watch))
    watch.doing("laying out the table and loading the kernels (compiled when first used)")
    against = None
    if wish.against is not None:
        model = Strategy.load(wish.against, form)
        against = Against(model, wish.seat - 1, float(wish.rnr or 0.0))
    if wish.resume:
        return resume_blueprint(wish.resume, form, against)
    return Solver(
        form, wish.method, wish.traversal, seed=wish.seed, threads=wish.threads, locks=against
    )


def _told(wish: Wish, solver: Solver, found: Measured | None) -> dict[str, Any]:
    from counterfold.abstraction.blueprint import against_in, engine_in

    form, against = engine_in(solver).form, against_in(solver)
    whole = None if found is None else found.whole
    pace = 2 * solver.iteration / solver.cpu_seconds if solver.cpu_seconds else None
    return {
        "game": form.game.name,
        "method": solver.method.name,
        "traversal": solver.settings.traversal,
        "buckets": [one.count for one in form.buckets],
        "iterations": solver.iteration,
        "traversals_a_cpu_second": pace,
        "nodes": len(form.game.betting),
        "infoset_actions": form.size,
        "memory": int(engine_in(solver).table.nbytes),
        "seconds": solver.seconds,
        "cpu_seconds": solver.cpu_seconds,
        "seed": solver.settings.seed,
        "values": None if whole is None else list(whole.values),
        "exploitability": None if whole is None else whole.exploitability,
        "percent_of_pot": None if whole is None else whole.percent_of_pot,
        "mbb": None if whole is None else whole.mbb,
        "answer": None
        if against is None
        else {
            "model": wish.against,
            "seat": wish.seat,
            "p": against.p,
            "winnings": None if found is None else found.winnings,
            "guarantee": None if found is None else found.guarantee,
        },
        "saved": wish.save or wish.resume,
        "strategy": None if found is None else wish.strategy,
    }


def _tell(wish: Wish, solver: Solver, found: Measured | None) -> None:
    from counterfold.abstraction.blueprint import against_in

    told, against, game = _told(wish, solver, found), against_in(solver), solver.tree.game
    if wish.json:
        print_json(told)
        return
    pace = told["traversals_a_cpu_second"]
    lines = [
        ("game", game.name),
        ("method", f"{solver.method.name}, {WORDS[solver.settings.traversal]}"),
        ("buckets", ", ".join(str(count) for count in told["buckets"]) + " by street"),
        ("iterations", f"{solver.iteration:,}"),
        ("pace", "" if pace is None else f"{pace:,.0f} traversals a CPU second"),
        ("table", f"{told['infoset_actions']:,} infoset-actions, {size(told['memory'])}"),
        ("time", f"{duration(solver.cpu_seconds)} CPU, {duration(solver.seconds)} wall"),
    ]
    if found is not None and found.whole is not None:
        exact = f"{in_units(game, found.whole.exploitability)} (exact)"
        lines.insert(4, ("exploitability", exact))
    if against is not None:
        lines[1:1] = _answer(wish, game, against, found)
    lines += [(key, told[key]) for key in ("saved", "strategy") if told[key]]
    print_panel("Blueprint" if against is None else "Response", lines)
    if told["strategy"]:
        advise(f"Look at it with `counterfold show {wish.strategy}`.")
    elif not wish.exact:
        advise("Exploitability is not measured while sampling; --exact does it where it fits.")


def _answer(wish: Wish, game: PokerGame, against: Against, found: Measured | None) -> Lines:
    who = game.players[against.seat]
    lines = [("response", f"of {who} to {wish.against}, trusted by {against.p:g}")]
    for words, chips in (
        ("from the model (exact)", None if found is None else found.winnings),
        ("at least (exact)", None if found is None else found.guarantee),
    ):
        if chips is not None:
            lines.append(("wins", f"{won(game, against.seat, chips)} {words}"))
    return lines
