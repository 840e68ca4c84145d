"""``counterfold style --target``: the style that meets wanted frequencies, and its price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from counterfold.cli.certificate import advise_reading, print_panel
from counterfold.cli.output import (
    StoppedError,
    advise,
    duration,
    in_units,
    print_columns,
    print_json,
    say,
)
from counterfold.cli.progress import Watch
from counterfold.cli.request import check_files, options_given
from counterfold.cli.solve import compiled, stamp
from counterfold.cli.verbs.styling import StyleRequest
from counterfold.errors import ParameterError, short
from counterfold.files.text import number_of
from counterfold.plot import COLOURS, figure, save
from counterfold.poker.game import PokerGame
from counterfold.poker.statistics import NAMES
from counterfold.poker.units import Units
from counterfold.solvers.conditions import symmetry_under
from counterfold.style.frequency import Frequency
from counterfold.style.target_search import Stage
from counterfold.style.targets import Meeting, meet
from counterfold.tree.form import Form
from counterfold.tree.named import game_named
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(request: StyleRequest) -> None:
    """Find the style, and tell how close it came and what it costs."""
    others = ("prefer", "player", "seen", "round", "preset", "strength", "exploitability",
              "seconds", "frontier", "epsilon")  # fmt: skip
    if request.best or request.traversal != "full" or options_given(request, others):
        raise ParameterError(
            "--target finds the style by itself: only --give-up, --method, --iterations, "
            "--seed, --save, --plot and --json go with it"
        )
    wanted = _wanted(request.target)
    check_files(request)
    if request.blueprint is not None:
        from counterfold.cli.statistic_target import run as meet_words

        meet_words(request, wanted)
        return
    if words := [word for word in wanted if word.rpartition(":")[2].strip().lower() in NAMES]:
        raise ParameterError(
            f"{words[0]} is a statistic of a blueprint; say of which with --blueprint FILE"
        )
    game = game_named(request.game)
    units = game.units if isinstance(game, PokerGame) else Units()
    before = stamp(request.save)
    with Watch(request.quiet, units) as watch:
        try:
            form = compiled(
                game, watch, symmetry=symmetry_under(game, None, *map(Frequency.parse, wanted))
            )
            watch.doing("solving, and looking at what can be had")

            def report(stage: Stage) -> None:
                watch.check()
                reached = ", ".join(f"{share:.3f}" for share in stage.reached)
                watch.doing(f"adapting the style: {reached} at iteration {stage.iteration:,}")

            meeting = meet(
                form,
                wanted,
                give_up=request.give_up or 0.0,
                method=request.method,
                iterations=request.iterations,
                seed=request.seed,
                save=request.save,
                on_report=report,
            )
        except KeyboardInterrupt:
            raise StoppedError(_farewell(request, before)) from None
    if request.save:
        meeting.strategy.with_about(exploitability=meeting.exploitability).save(request.save)
    if request.plot:
        save(_picture(meeting), request.plot)
    if request.json:
        print_json(_document(meeting, request))
        return
    _print(meeting, units)
    if request.plot:
        say(f"Picture: {request.plot}")
    advise_reading("the strategy", request.save)


def _farewell(request: StyleRequest, before: object) -> str:
    if stamp(request.save) == before:
        return "stopped; nothing was saved"
    return f"stopped; the best strategy so far is in {request.save}"


def _wanted(targets: Sequence[str]) -> dict[str, float]:
    """``raise@round1=0.6`` as a frequency and a number; 1/3 is a number too."""
    wanted: dict[str, float] = {}
    for text in targets:
        name, sign, number = text.rpartition("=")
        share = number_of(number) if sign and name.strip() else None
        if share is None:
            raise ParameterError(
                f"a target is a frequency and a number, such as raise@round1=0.6, not {short(text)}"
            )
        if wanted.setdefault(name.strip(), share) != share:
            raise ParameterError(
                f"{name.strip()} cannot be both {wanted[name.strip()]} and {share}"
            )
    return wanted


def _print(meeting: Meeting, units: Units) -> None:
    say(f"{meeting.game}, targets by {meeting.method}")
    say()
    rows = [("target", "wanted", "reached", "off by", "plain")]
    rows += [
        (
            _whose(one.frequency, meeting.strategy.tree),
            f"{one.wanted:.4f}",
            f"{one.reached:.4f}",
            f"{one.error:+.4f}",
            f"{one.plain:.4f}",
        )
        for one in meeting.targets
    ]
    print_columns(rows)
    say()
    optimum = "not known for this game"
    if meeting.optimum is not None:
        optimum = f"{in_units(units, meeting.optimum)}: the least at which any strategy does this"
    print_panel(
        "Price",
        [
            ("exploitability", f"{in_units(units, meeting.exploitability)} (exact)"),
            ("plain solving", in_units(units, meeting.plain_exploitability)),
            ("exact optimum", optimum),
            ("budget", f"{meeting.give_up:g}, {'kept' if meeting.within_budget else 'exceeded'}"),
            ("targets", "met" if meeting.met else "not met within 0.01"),
            ("iterations", f"{meeting.iterations:,} in {duration(meeting.cpu_seconds)} of CPU"),
        ],
    )
    if not meeting.met:
        advise(
            "Nothing that was found has these frequencies within the budget: --give-up N lets so "
            f"much exploitability be spent{', in chips' if units.pot or units.big_blind else ''}, "
            "--iterations N search longer."
        )
    say()
    say("The style, infoset by infoset:")
    for line in meeting.description[:20]:
        say(f"  {line}")
    if len(meeting.description) > 20:
        say(f"  and {len(meeting.description) - 20} more in --json")


def _whose(frequency: Frequency, form: Form) -> str:
    """A frequency in words, which begin with its player's name where players have names."""
    if not isinstance(form, PublicTree):
        return str(frequency)
    words = str(frequency).removeprefix(f"player{frequency.player + 1}:")
    return f"{form.game.players[frequency.player]}:{words}"


def _document(meeting: Meeting, request: StyleRequest) -> dict[str, object]:
    left_out = ("targets", "style", "strategy", "plain", "trace", "optima")
    parts = {f.name: getattr(meeting, f.name) for f in fields(meeting) if f.name not in left_out}
    return {
        **parts,
        "cost": meeting.cost,
        "met": meeting.met,
        "optima": {str(player + 1): cost for player, cost in meeting.optima.items()},
        "targets": [
            {
                "frequency": str(one.frequency),
                "wanted": one.wanted,
                "reached": one.reached,
                "plain": one.plain,
            }
            for one in meeting.targets
        ],
        "trace": [vars(stage) for stage in meeting.trace],
        "saved": request.save,
        "plot": request.plot,
    }


def _picture(meeting: Meeting) -> Figure:
    """How the frequencies came to their targets, and exploitability on the way."""
    drawing, (left, right) = figure(1, 2, size=(11, 4.2))
    iterations = [stage.iteration for stage in meeting.trace]
    for n, one in enumerate(meeting.targets):
        colour = COLOURS[n % len(COLOURS)]
        left.plot(
            iterations,
            [s.reached[n] for s in meeting.trace],
            color=colour,
            label=str(one.frequency),
        )
        left.axhline(one.wanted, color=colour, linestyle="--", linewidth=1)
    left.set_xlabel("iterations")
    left.set_ylabel("frequency (dashed: wanted)")
    left.legend()
    right.semilogy(iterations, [s.exploitability for s in meeting.trace], color=COLOURS[0])
    if meeting.optimum is not None and meeting.optimum > 1e-9:
        right.axhline(meeting.optimum, color=COLOURS[1], linestyle="--", label="exact optimum")
        right.legend()
    right.set_xlabel("iterations")
    right.set_ylabel("exploitability")
    drawing.suptitle(f"{meeting.game}: a style for targets")
    return drawing
