"""``counterfold blueprint``: sampled CFR over buckets of hands, for poker that does not fit."""

from __future__ import annotations

import os
import shlex
from contextlib import ExitStack
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from counterfold.checkpoints import Checkpoints
from counterfold.cli import clock
from counterfold.cli.blueprint_check import (
    check_answer_options,
    check_blueprints,
    check_cluster_options,
)
from counterfold.cli.blueprint_gains import (
    Gains,
    GainsWatch,
    check_size,
    gains_in_words,
    size_lines,
    size_of,
)
from counterfold.cli.buckets import counts_in, find_buckets
from counterfold.cli.certificate import Lines, print_panel, won
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    duration,
    in_units,
    print_json,
    say,
    size,
    tell,
)
from counterfold.cli.progress import Watch
from counterfold.cli.request import check_files
from counterfold.cli.show_statistics import print_statistics
from counterfold.cli.verbs.abstracting import BlueprintRequest
from counterfold.errors import (
    ClusterError,
    CounterfoldError,
    FileError,
    OutOfTimeError,
    ParameterError,
)
from counterfold.evaluate.statistics import statistics
from counterfold.files.arrays import header_in
from counterfold.files.text import Json
from counterfold.pieces.cluster import Crew, crew_at, workers_of
from counterfold.poker.game import PokerGame
from counterfold.poker.holdem import kuhn
from counterfold.poker.statistics import Statistics
from counterfold.solvers.run import DISK, run_until
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.tree.named import poker_game
from counterfold.tree.public_size import public_size

if TYPE_CHECKING:
    from counterfold.abstraction.blueprint import Against
    from counterfold.abstraction.bucket_form import BucketForm
    from counterfold.abstraction.bucket_gains import Gain
    from counterfold.abstraction.buckets import Buckets
    from counterfold.abstraction.merging import Merging
    from counterfold.cli.blueprint_exact import Measured, Measurement

ITERATIONS = 10_000_000
PRUNE = 100.0
"""Times the largest payoff that a regret is below zero where --prune skips its action."""
STAT_BOARDS, COUNTED = 100, 100_000
"""Boards that are drawn for statistics, of tables with at most so many nodes of betting."""
WORDS = {"external": "external sampling", "public": "public chance sampling"}


def run(request: BlueprintRequest) -> None:
    """Make or find the buckets, sample, measure, save and tell."""
    game = poker_game(request.game)
    _limits(request)
    _check(request, game)
    told = size_of(game, counts_in(request.buckets))
    if request.dry_run:
        if request.json:
            print_json(told)
        else:
            print_panel("Size", size_lines(told))
        return
    if not request.resume and not (request.cards and os.path.exists(request.cards)):
        check_size(told)
    with GainsWatch(request.quiet) as watch:
        made = train(request, game, watch)
    _tell(request, made)


class Trained(NamedTuple):
    """What a run came to: its solver, what was measured exactly, what a response would gain."""

    solver: Solver
    found: Measured | None
    gained: tuple[Gain, ...] | None
    merging: Merging | None


def train(request: BlueprintRequest, game: PokerGame, watch: GainsWatch) -> Trained:
    """Find the buckets, sample to the limit, save and measure; a signal ends it, saved."""
    target, solver, until = request.save or request.resume, None, _limits(request)
    merging: Merging | None = None

    def save() -> None:
        assert solver is not None
        assert target is not None
        if merging is not None:
            merging.collect()
        solver.save(target)

    with ExitStack() as closing:
        try:
            crew = closing.enter_context(crew_at(request.cluster, request.library, watch.doing))
            solver = _solver(request, game, watch, crew)
            merging = _merging(request, solver, crew)
            if merging is not None:
                closing.callback(merging.close)
            checkpoints = Checkpoints(save if target else None)
            measurement = None
            if until.seconds is not None:
                watch.doing("trying what an exact measurement will take")
                measurement = _measurement(request, solver, until)
            gains = _gains(request, solver, watch)
            _sample(solver, merging, until, measurement, checkpoints, (watch, gains))
            checkpoints.save()
            gained = gains.measure() if gains is not None and gains.fits else None
            if until.seconds is None:
                measurement = _measurement(request, solver, until)
            return Trained(solver, _measured(request, measurement, watch), gained, merging)
        except KeyboardInterrupt:
            if solver is not None and target:
                save()
            raise StoppedError(_farewell(request, solver)) from None
        except (ClusterError, FileError) as error:
            if merging is None or not target or not merging.merges:
                raise
            save()
            raise type(error)(f"{error}; {_farewell(request, solver)}") from None


def _merging(request: BlueprintRequest, solver: Solver, crew: Crew | None) -> Merging | None:
    """The training by the workers of a cluster, if there is one."""
    if crew is None:
        return None
    from counterfold.abstraction.merging import Merging

    return Merging(solver, *crew, every=request.merge_every, parts=request.parts or 0)


def _gains(request: BlueprintRequest, solver: Solver, watch: GainsWatch) -> Gains | None:
    """Checks of how converged it is: of walks with one deal, and of no answer to somebody."""
    plain = request.traversal == "external" and request.against is None
    return Gains(solver, watch) if plain else None


def _sample(
    solver: Solver,
    merging: Merging | None,
    until: Until,
    measurement: Measurement | None,
    checkpoints: Checkpoints,
    checks: tuple[Watch, Gains | None],
) -> None:
    """Iterate as long as there is time for what is to be done in the end."""
    run, (watch, gains) = clock.left(until), checks
    watch.begin(run)
    rest = 0.0 if measurement is None else measurement.seconds
    saving = solver.nbytes / DISK if checkpoints.saves else 0.0

    def reserve() -> float:
        later = 0.0 if gains is None else min(gains.seconds, 0.5 * (run.seconds or 0.0))
        return rest + later + (checkpoints.cost or saving)

    steps = merging.run(run, reserve) if merging else run_until(solver, run, reserve=reserve)
    for report in steps:
        watch.report(report)
        watch.check()
        checkpoints.look()
        if gains is not None and gains.due(report.run_seconds):
            if merging is not None:
                merging.collect()
            gains.look(report.run_seconds)


def _measurement(request: BlueprintRequest, solver: Solver, until: Until) -> Measurement | None:
    """The measurement that was asked for, unless there is no time for it."""
    if not (request.exact or request.strategy):
        return None
    from counterfold.cli.blueprint_exact import Measurement

    measurement = Measurement(solver, until, request.strategy)
    if measurement.fits:
        return measurement
    tell(_left_out(request, f"that would take about {duration(measurement.seconds)}"))
    return None


def _measured(
    request: BlueprintRequest, measurement: Measurement | None, watch: Watch
) -> Measured | None:
    """What it finds; nothing, and a sentence, if the time is over before."""
    if measurement is None:
        return None
    watch.doing("measuring the strategy in the game without buckets")
    try:
        return measurement.run()
    except OutOfTimeError as error:
        tell(_left_out(request, str(error)))
        return None


def _left_out(request: BlueprintRequest, why: str) -> str:
    what = "neither measured nor written hand by hand" if request.strategy else "not measured"
    return f"the strategy is {what} within --seconds: {why}; give it more time, or no limit"


def _farewell(request: BlueprintRequest, solver: Solver | None) -> str:
    if solver is None:
        return "stopped before the first iteration; nothing was saved"
    told = f"stopped after {solver.iteration:,} iterations"
    target = request.save or request.resume
    if target is None:
        return f"{told}; nothing was saved (--save FILE keeps the work)"
    words = ["counterfold", "blueprint", request.game, "--resume", target]
    if request.cards:
        words += ["--cards", request.cards]
    if request.minutes is not None:
        words += ["--minutes", f"{request.minutes:g}"]
    if request.against is not None:
        words += [
            "--against",
            request.against,
            "--player",
            str(request.player),
            "--rnr",
            f"{request.rnr:g}",
        ]
    for option in ("iterations", "cluster", "library", "merge_every", "parts"):
        if getattr(request, option) is not None:
            words += [f"--{option.replace('_', '-')}", str(getattr(request, option))]
    return f"{told}; the work is saved in {target}: go on with `{shlex.join(words)}`"


def _check(request: BlueprintRequest, game: PokerGame) -> None:
    """Refuse what cannot work before hands are sorted and deals are sampled, which takes long."""
    from counterfold.abstraction.bucket_form import BucketForm
    from counterfold.abstraction.buckets import every_hand

    if request.traversal not in WORDS:
        raise ParameterError(f"--traversal is external or public, not {request.traversal!r}")
    check_files(request)
    check_cluster_options(request)
    if request.cards and not os.path.exists(request.cards):
        check_can_write(request.cards, "--cards")
    check_blueprints(request, game)
    check_answer_options(request)
    small = kuhn()  # which takes the same settings
    Solver(
        BucketForm(small, every_hand(small)), request.method, request.traversal,
        seed=request.seed, threads=request.threads, prune=_prune(request),
    )  # fmt: skip
    if request.exact and not request.strategy and game.betting.players > 2:
        return
    if request.exact or request.strategy:
        option = "--strategy" if request.strategy else "--exact"
        try:
            public_size(game).check()
        except CounterfoldError as error:
            why = str(error).partition(";")[0]
            raise type(error)(
                f"{option} needs every hand on every board, and {why}; leave it out: --save FILE "
                "keeps the blueprint, which show, match and play take"
            ) from None


def _limits(request: BlueprintRequest) -> Until:
    seconds = request.seconds
    if request.minutes is not None:
        if seconds is not None:
            raise ParameterError("give --seconds or --minutes, not both")
        seconds = 60 * request.minutes
    if request.iterations is None and seconds is None:
        return Until(iterations=ITERATIONS)
    return Until(iterations=request.iterations, seconds=seconds)


def _prune(request: BlueprintRequest) -> float | None:
    return PRUNE if request.prune else None


def _buckets(
    request: BlueprintRequest, game: PokerGame, watch: Watch, crew: Crew | None
) -> tuple[Buckets, ...]:
    from counterfold.abstraction.bucket_maker import Recipe
    from counterfold.abstraction.buckets import BUILD, every_hand, load_buckets

    cards = request.cards
    if cards and os.path.exists(cards) and header_in(cards).header.get("kind") != BUILD:
        return load_buckets(cards)
    if game.rules.hole == 1:
        return every_hand(game)
    recipe = Recipe.for_game(game, counts_in(request.buckets), request.kind, request.seed)
    if recipe.kind == "worth":
        crew = None  # of one run, here
    return find_buckets(recipe, cards, _limits(request), watch, max(request.threads, 2), game, crew)


def _form(
    request: BlueprintRequest, game: PokerGame, watch: Watch, crew: Crew | None
) -> BucketForm:
    """The game with the buckets of a blueprint that is named, or with its own."""
    from counterfold.abstraction.bucket_form import BucketForm

    cards = request.cards is not None and os.path.exists(request.cards)
    for path in (request.resume, request.against):
        if path and not cards and "streets" in header_in(path).header:
            form = Strategy.load(path).tree
            assert isinstance(form, BucketForm)  # checked before
            return form
    if request.against and not cards and game.rules.hole > 1:
        raise ParameterError(
            f"--against {request.against} plays by buckets that it does not have: name the file "
            "that has them with --cards"
        )
    return BucketForm(game, _buckets(request, game, watch, crew))


def _solver(request: BlueprintRequest, game: PokerGame, watch: Watch, crew: Crew | None) -> Solver:
    from counterfold.abstraction.blueprint import Against, resume_blueprint

    form = _form(request, game, watch, crew)
    watch.doing("laying out the table and loading the kernels (compiled when first used)")
    against = None
    if request.against is not None:
        model = Strategy.load(request.against, form)
        against = Against(model, request.player - 1, float(request.rnr or 0.0))
    if request.resume:
        return resume_blueprint(request.resume, form, against)
    threads = request.threads
    if crew is not None and not request.parts and threads == 1:
        threads = workers_of(crew.executor)
        if not threads:
            raise ClusterError(
                f"{request.cluster} has no workers yet, and trains as many copies as there are: "
                "say how many with --threads, or start the workers first"
            )
    return Solver(
        form,
        request.method,
        request.traversal,
        seed=request.seed,
        threads=threads,
        locks=against,
        prune=_prune(request),
    )


def _told(request: BlueprintRequest, made: Trained) -> Json:
    from counterfold.abstraction.blueprint import against_in, engine_in
    from counterfold.cli.blueprint_exact import Measured

    solver, found, gains, merging = made
    form, against = engine_in(solver).form, against_in(solver)
    measured = found or Measured()
    whole = measured.whole
    answer = against and {
        "model": request.against, "player": request.player, "p": against.p,
        "winnings": measured.winnings, "guarantee": measured.guarantee,
    }  # fmt: skip
    walks = form.players * solver.iteration
    pace = walks / solver.cpu_seconds if solver.cpu_seconds else None
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
        "gains": gains and [{**gain._asdict(), "player": gain.player + 1} for gain in gains],
        "answer": answer,
        "saved": request.save or request.resume,
        "strategy": None if found is None else request.strategy,
        "merged": None
        if merging is None
        else {
            "copies": merging.copies,
            "parts": request.parts,
            "merges": merging.merges,
            "bytes": merging.bytes_moved,
        },
        "statistics": None if (played := _statistics(solver)) is None else played.to_dict(),
    }


@lru_cache(1)
def _statistics(solver: Solver) -> Statistics | None:
    """VPIP and its like, of tables that are counted soon."""
    from counterfold.abstraction.blueprint import engine_in

    game = engine_in(solver).form.game
    if "table" not in game.about or len(game.betting) > COUNTED:
        return None
    return statistics(solver.strategy(), STAT_BOARDS)


def _tell(request: BlueprintRequest, made: Trained) -> None:
    from counterfold.abstraction.blueprint import against_in, engine_in

    told, (solver, found, gains, _) = _told(request, made), made
    against, game = against_in(solver), engine_in(solver).form.game
    if request.json:
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
    if gains is not None:
        words = gains_in_words(game, gains)
        lines[4:4] = [("a response gains" if not k else "", one) for k, one in enumerate(words)]
    if against is not None:
        lines[1:1] = _answer(request, engine_in(solver).form, against, found)
    lines += [(key, told[key]) for key in ("saved", "strategy") if told[key]]
    print_panel("Blueprint" if against is None else "Response", lines)
    if (played := _statistics(solver)) is not None:
        say()
        print_statistics(played)
        say()
    if told["strategy"]:
        advise(f"Look at it with `counterfold show {request.strategy}`.")
    elif told["saved"]:
        advise(f"Look at it with `counterfold show {told['saved']}`; match and play take it too.")
    elif not request.exact:
        advise(
            "What a response gains is at least that, and was learned from as many deals; --exact "
            "measures the strategy where that fits."
        )


def _answer(
    request: BlueprintRequest, form: BucketForm, against: Against, found: Measured | None
) -> Lines:
    who = form.game.players[against.player]
    lines = [("response", f"of {who} to {request.against}, trusted by {against.p:g}")]
    for words, chips in (
        ("from the model (exact)", None if found is None else found.winnings),
        ("at least (exact)", None if found is None else found.guarantee),
    ):
        if chips is not None:
            lines.append(("wins", f"{won(form, against.player, chips)} {words}"))
    return lines
