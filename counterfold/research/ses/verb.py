"""``counterfold repro ses``: figures 2, 3 and 4, and a match against drifting opponents."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterfold.cli.options import Json, Quiet, count
from counterfold.cli.output import advise, make_folder, say
from counterfold.research.columns import Columns, print_columns, print_table
from counterfold.research.reproduction import (
    Folder,
    Iterations,
    Job,
    Plot,
    Runs,
    Seed,
    given,
    pick,
    refuse,
    reproduce,
    tell_time,
)

if TYPE_CHECKING:
    from counterfold.research.ses.drift import Drift
    from counterfold.research.ses.leduc import LeducSweep
    from counterfold.research.ses.matrix import MatrixFigure
    from counterfold.research.ses.sweep import FhpSweep, Spent, Sweep

__all__ = ["KEYS", "VERBS"]

KEYS = """\b
Keys of --json: paper, figure, game, plot. Of 2: alpha_star, points. Of 3 and 4: seed,
iterations, opponents, points (share, seed, error, alpha, payoff, exploitability, ...),
cpu_seconds; with fhp also responses, flops, all_flops, exact. Of drift: hands,
opponents, share, every, best, blueprint, rows.
"""


def ses(
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="2 (a matrix game), 3 (alpha and errors), or with fhp 4 (SES against RNR).",
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="drift: opponents that change.")
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="Another game than Leduc: fhp, 'fhp(flops=100)'."),
    ] = None,
    runs: Runs = None,
    iterations: Iterations = None,
    hands: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="drift: hands of each match.")
    ] = None,
    folder: Folder = None,
    seed: Seed = 0,
    plot: Plot = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Safe exploitation search: what is won and risked by alpha, against RNR, while playing."""
    part = pick("ses", figure=(figure, ("2", "3", "4")), table=(table, ("drift",)))
    large = figure == "4" or (figure == "3" and _is_fhp(game))
    words = f"ses --{part}" + (" --game fhp" if large else "")
    if not large:
        refuse(words, folder=folder)
    if part != "table drift":
        refuse(words, hands=hands)
    options = given(game=game, iterations=iterations, seed=seed)
    from counterfold.research.ses import pictures

    if part == "figure 2":
        from counterfold.research.ses.matrix import figure_2

        refuse(words, game=game, runs=runs, iterations=iterations)
        job = Job(figure_2, _print_matrix, pictures.draw_figure_2, unit="alpha")
    elif part == "table drift":
        from counterfold.research.ses.drift import drift

        options |= given(opponents=runs, hands=hands)
        job = Job(partial(drift, **options), _print_drift, pictures.draw_drift, "playing", "match")
    elif large:
        job = _fhp_job(int(str(figure)), options | given(runs=runs), folder)
    else:
        from counterfold.research.ses.leduc import figure_3

        options |= given(runs=runs)
        job = Job(
            partial(figure_3, **options), _print_leduc, pictures.draw_figure_3, unit="opponent"
        )
    reproduce(job, plot, json, quiet)


VERBS = {"ses": ses}


def _is_fhp(game: str | None) -> bool:
    return game is not None and game.split("(")[0].strip() == "fhp"


def _fhp_job(figure: int, options: dict[str, Any], folder: str | None) -> Job:
    """A figure of Flop Hold'em, which is played in another form of tree, and takes long."""
    from counterfold.research.ses import pictures
    from counterfold.research.ses.fhp import fhp_figure
    from counterfold.research.ses.fhp_setup import read_game

    read_game(options.get("game", "fhp"))
    make_folder(folder)
    stopped = "stopped; nothing was saved: with --folder it would go on from here"
    if folder is not None:
        stopped = f"stopped; what was found is in {folder}: the same command goes on from there"
    draw = pictures.draw_figure_3 if figure == 3 else pictures.draw_figure_4
    make = partial(fhp_figure, figure, folder=folder, **options)
    return Job(make, _print_fhp, draw, "searching", stopped=stopped)


def _print_matrix(result: MatrixFigure) -> None:
    advise(
        "SES, figure 2: the matrix game. Player 2 searches from the blueprint U/O and believes "
        "that player 1 plays R; mixing is the blueprint with alpha of the best response."
    )
    say()
    shown = [*result.points[:: max(1, len(result.points) // 14)], result.points[-1]]
    columns: Columns = {
        "alpha": "{0.alpha:.5g}",
        "SES wins": "{0.payoff:.4g}",
        "exploitable by": "{0.exploitability:.4g}",
        **{action: f"{{0.strategy[{k}]:.3f}}" for k, action in enumerate("UODF")},
        "mixing wins": "{0.mixing_payoff:.4g}",
        "by": "{0.mixing_exploitability:.4g}",
    }
    print_table(dict.fromkeys(shown), columns)
    say()
    tell_time(
        result,
        f"Up to alpha* = {result.turn:.5f} SES plays O and D: nothing is risked and R is beaten "
        "for 9.9. Beyond it plays F.",
    )


Row = tuple[str, str, list[float]]
"""Whose row it is, of what, and its numbers."""


def _print_sweep(sweep: Sweep, rows: list[Row]) -> None:
    """Rows of numbers by alpha; a name stands in the first of its rows only."""
    lines, before = [["", "", *(f"{alpha:g}" for alpha in sweep.alphas)]], ""
    for name, title, numbers in rows:
        if numbers[0] == numbers[0]:
            shown = [f"{sweep.scale * x:.1f}" for x in numbers]
            lines.append(["" if name == before else name, title, *shown])
            before = name
    print_columns(lines)


def _searched(sweep: Sweep, share: float, measures: dict[str, str]) -> list[Row]:
    """A row for each error and each of some measures of the searches."""
    return [
        (f"SES, error {error:g}", title, sweep.curve(share, error, name))
        for error in sweep.errors
        for title, name in measures.items()
    ]


def _kind(sweep: Sweep, share: float) -> str:
    """Whom the hero meets, and what can be won from them."""
    some = [o for o in sweep.opponents if o.share == share]
    distance, best = (
        sum(getattr(o, name) for o in some) / len(some) for name in ("distance", "best")
    )
    kind = f"opponents shuffled at {share:g} of their infosets" if share else "other blueprints"
    return (
        f"{kind} (L1 distance {distance:.3f}; the blueprint wins "
        f"{sweep.scale * sweep.blueprint(share):.1f}, a best response {sweep.scale * best:.1f})"
    )


def _print_leduc(result: LeducSweep) -> None:
    advise(
        f"SES, figure 3: {result.game}, searches after {result.point}, blueprint of "
        f"{result.iterations:,} sampled iterations (exploitability "
        f"{1000 * result.exploitability:.2f}). Thousandths of a chip a hand, exact, means of both "
        "seats and of all opponents."
    )
    for share in result.shares:
        say()
        say(_kind(result, share))
        measures = {"wins": "payoff", "exploitable": "exploitability"}
        _print_sweep(result, _searched(result, share, measures))
    say()
    broken = sum(point.printed < -1e-7 for point in result.points)
    advise(
        f"SES(0) is within {result.maxmargin_gap:.1e} of maxmargin, SES(1) with the true range "
        f"within {result.unsafe_gap:.1e} of unsafe search. Theorem 1 and Theorem 2 (with the "
        "largest change of a value in its last term) "
        + ("hold at every point" if result.holds else "do NOT hold everywhere")
        + f"; as printed in the paper, Theorem 2 fails at {broken} of {len(result.points)} points. "
        f"Theorem 1's bound is finite at {result.finite} points with alpha above 0; our own bound "
        "is finite wherever alpha is below 1."
    )
    each = 1000 * result.search_seconds / max(result.searches, 1)
    tell_time(result, f"{result.searches:,} searches, {each:.1f} ms each;")


def _print_fhp(result: FhpSweep) -> None:
    flops = (
        f"all {result.all_flops:,} flops"
        if result.exact
        else f"{result.flops:,} of {result.all_flops:,} flops, which stand for all"
    )
    known = result.in_buckets
    advise(
        f"SES, figure {result.figure}: {result.game}, searches on {flops}. Blueprint: "
        f"{result.blueprint_kind}, {result.iterations:,} iterations, exploitability "
        f"{result.exploitability:.1f}"
        + ("" if known is None else f" (by a best reply that knows buckets only: {known:.1f})")
        + ". All in mbb a hand, means of both seats; exploitability is of the full game, by a best "
        "reply that knows every hand."
        + (
            ""
            if result.exact
            else " With flops that were drawn it is too high on average, and what it is at least "
            "too low; both vary with the draw."
        )
    )
    for share in result.shares:
        say()
        say(_kind(result, share))
        _print_sweep(result, _fhp_rows(result, share))
    say()
    _print_budgets(result)
    tell_time(
        result,
        f"Searches end within {result.search_gap:g} chips of their best or after "
        f"{result.search_iterations} iterations. {_spent(result.fresh, 'began with nothing')}"
        f"{_spent(result.later, 'went on from another on the same flop')}A random strategy is at "
        f"L1 distance {result.random_distance:.3f} from the blueprint.",
    )


def _fhp_rows(result: FhpSweep, share: float) -> list[Row]:
    measures = {"wins": "payoff", "exploitable": "exploitability"}
    estimated = {} if result.exact else {"at least": "at_least", "wins, +-": "payoff_error"}
    in_buckets = {"in buckets": "in_buckets"}
    rows = _searched(result, share, measures | estimated | in_buckets)
    for budget in result.budgets:
        for title, name in (measures | in_buckets).items():
            curve = result.response_curve(share, budget, name)
            rows.append((f"RNR ({budget})", title, curve))
    return rows


def _print_budgets(result: FhpSweep) -> None:
    from counterfold.research.ses.sweep import IN_BUCKETS

    for budget in result.budgets:
        some = [r for r in result.responses if r.budget == budget]
        spent = sum(r.cpu_seconds for r in some) / len(some)
        steps = sum(r.iterations for r in some) / len(some)
        of = "samples over buckets" if budget == IN_BUCKETS else "iterations of the whole game"
        advise(
            f"RNR ({budget}): {spent:.1f} s of CPU time and {steps:,.0f} {of} for each p and seat."
        )
    if result.responses:
        advise("Columns are alpha of SES and p of RNR.")


def _spent(some: Spent, words: str) -> str:
    if not some.count:
        return ""
    return f"{some.count:,} {words}, {1000 * some.each:.1f} ms of CPU time each. "


def _print_drift(result: Drift) -> None:
    advise(
        f"Drifting opponents in {result.game}: {result.opponents} of them, each going from one "
        f"shuffled blueprint (at {result.share:g} of the infosets) to another over "
        f"{result.hands:,} hands. Chips a hand; winnings and exploitability are exact, taken every "
        f"{result.every} hands from what the contender plays then."
    )
    say()
    columns: Columns = {
        "contender": "{0.contender}",
        "wins": "{0.winnings:+.4f}",
        "exploitability": "{0.exploitability:.4f}",
        "worst": "{0.worst:.4f}",
        "in play": "{0.played:+.4f}",
        "+-": "{0.played_half:.4f}",
        "CPU ms a hand": "{0.milliseconds:.2f}",
    }
    print_table(result.rows, columns)
    say()
    advise(
        f"A best response that knew the opponent would win {result.best:.4f}; the blueprint's own "
        f"exploitability is {result.blueprint:.4f}. In play: the match itself with luck taken out, "
        "and half its 95% interval."
    )
