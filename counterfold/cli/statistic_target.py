"""``counterfold style --blueprint``: a blueprint that meets VPIP and its like, and its price."""

from __future__ import annotations

from collections.abc import Mapping

from counterfold.abstraction.bucket_form import BucketForm, game_print
from counterfold.abstraction.statistic_targets import (
    EPOCHS,
    ITERATIONS,
    StatMeeting,
    meet_statistics,
)
from counterfold.arrays import Floats
from counterfold.cli.certificate import advise_reading, print_panel
from counterfold.cli.output import StoppedError, duration, print_columns, print_json, say
from counterfold.cli.progress import Watch
from counterfold.cli.show_statistics import print_statistics
from counterfold.cli.verbs.styling import StyleRequest
from counterfold.errors import MismatchError, ParameterError
from counterfold.files.text import Json
from counterfold.solvers.solver import Solver
from counterfold.tree.named import poker_game


def run(request: StyleRequest, wanted: Mapping[str, float]) -> None:
    """Learn on, and tell how close it came and what it costs."""
    if request.plot or request.give_up is not None or request.method is not None:
        raise ParameterError(
            "with --blueprint a target takes --iterations, --seed, --save and --json"
        )
    game = poker_game(request.game)
    with Watch(request.quiet, game.units) as watch:
        try:
            watch.doing("reading the blueprint")
            solver, _ = Solver.resume(str(request.blueprint))
            form = solver.tree
            if not isinstance(form, BucketForm) or game_print(form.game) != game_print(game):
                raise MismatchError(
                    f"{request.blueprint} is of {form.spec}, another game than {request.game}"
                )
            watch.doing("looking at what can be had")

            def report(iteration: int, reached: Floats) -> None:
                watch.check()
                shares = ", ".join(f"{share:.3f}" for share in reached)
                watch.doing(f"learning on: {shares} at iteration {iteration:,}")

            count = ITERATIONS if request.iterations is None else request.iterations
            if count < EPOCHS:
                raise ParameterError(f"--iterations is {count}, and must be at least {EPOCHS}")
            meeting = meet_statistics(solver, wanted, count, request.seed, report)
        except KeyboardInterrupt:
            raise StoppedError("stopped; nothing was saved") from None
    if request.save:
        meeting.strategy.save(request.save)
    if request.json:
        print_json(_document(meeting, request, bool(game.big_blind)))
        return
    _print(meeting, "mbb/h" if game.big_blind else "thousandths of a chip a hand")
    say()
    print_statistics(meeting.statistics)
    advise_reading("the strategy", request.save)


def _print(meeting: StatMeeting, unit: str) -> None:
    say(f"{meeting.game}, a blueprint that learns on")
    say()
    rows = [("statistic", "wanted", "reached", "off by", "blueprint")]
    rows += [
        (
            one.statistic,
            f"{one.wanted:.3f}",
            f"{one.reached:.3f}",
            f"{one.error:+.3f}",
            f"{one.plain:.3f}",
        )
        for one in meeting.targets
    ]
    print_columns(rows)
    say()
    print_panel(
        "Price",
        [
            ("loses", f"{1000 * meeting.price:.1f} ±{1000 * meeting.half:.1f} {unit} against the "
             "blueprint, on drawn boards"),
            ("targets", "met" if meeting.met else "not met within 0.01"),
            ("iterations", f"{meeting.iterations:,} in {duration(meeting.cpu_seconds)} of CPU"),
        ],
    )  # fmt: skip


def _document(meeting: StatMeeting, request: StyleRequest, blinds: bool) -> Json:
    return {
        "game": meeting.game,
        "targets": [vars(one) for one in meeting.targets],
        "met": meeting.met,
        "price": meeting.price,
        "half": meeting.half,
        "price_mbb": 1000 * meeting.price if blinds else None,
        "half_mbb": 1000 * meeting.half if blinds else None,
        "prices": list(meeting.prices),
        "statistics": meeting.statistics.to_dict(),
        "iterations": meeting.iterations,
        "cpu_seconds": meeting.cpu_seconds,
        "saved": request.save,
    }
