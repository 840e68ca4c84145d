"""``counterfold repro ses``: figures 2, 3 and 4, and a match against drifting opponents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from counterfold.cli.options import number, option
from counterfold.cli.request import InPieces
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.progress import Progress, no_progress
from counterfold.research.reproduction import Job, Swept, verb_of

if TYPE_CHECKING:
    from counterfold.research.ses.drift import Drift
    from counterfold.research.ses.leduc import LeducSweep
    from counterfold.research.ses.matrix import MatrixFigure
    from counterfold.research.ses.sweep import FhpSweep, Spent, Sweep

KEYS = """\b
Keys of --json: paper, figure, game, plot. Of 2: alpha_star, points. Of 3 and 4: seed,
iterations, opponents, points (share, seed, error, alpha, payoff, exploitability, ...),
cpu_seconds; with fhp also responses, flops, all_flops, exact. Of drift: hands,
opponents, share, every, best, blueprint, rows.
"""


@dataclass(frozen=True)
class SesRequest(Swept, InPieces):
    """Safe exploitation search: what is won and risked by alpha, against RNR, while playing."""

    figure: str | None = option(
        "N", "2 (a matrix game), 3 (alpha and errors), or with fhp 4 (SES against RNR)."
    )
    table: str | None = option("NAME", "drift: opponents that change.")
    game: str | None = option("GAME", "Another game than Leduc: fhp, 'fhp(flops=100)'.")
    hands: int | None = number("N", "drift: hands of each match.")


def _jobs(request: SesRequest) -> dict[str, Job]:
    from counterfold.research.ses import pictures
    from counterfold.research.ses.drift import drift
    from counterfold.research.ses.leduc import figure_3
    from counterfold.research.ses.matrix import figure_2

    three, four = (
        Job(partial(_fhp_figure, number), _show_fhp, draw, "searching")
        for number, draw in ((3, pictures.draw_figure_3), (4, pictures.draw_figure_4))
    )
    if (request.game or "").split("(")[0].strip() != "fhp":
        three = Job(figure_3, _show_leduc, pictures.draw_figure_3, unit="opponent")
    return {
        "figure 2": Job(figure_2, _show_matrix, pictures.draw_figure_2, unit="alpha"),
        "figure 3": three,
        "figure 4": four,
        "table drift": Job(drift, _show_drift, pictures.draw_drift, "playing", "match"),
    }


def _fhp_figure(
    number: int,
    game: str = "fhp",
    runs: int = 1,
    iterations: int | None = None,
    seed: int = 0,
    folder: str | None = None,
    on_progress: Progress = no_progress,
) -> FhpSweep:
    """A figure of Flop Hold'em, which is played in another form of tree, and takes long."""
    from counterfold.research.ses.fhp import fhp_figure

    options = {"runs": runs, "iterations": iterations, "seed": seed}
    return fhp_figure(number, game, folder=folder, on_progress=on_progress, **options)


VERBS = verb_of("ses", SesRequest, _jobs)


def _show_matrix(result: MatrixFigure) -> Iterator[Part]:
    yield (
        "SES, figure 2: the matrix game. Player 2 searches from the blueprint U/O and believes "
        "that player 1 plays R; mixing is the blueprint with alpha of the best response."
    )
    shown = [*result.points[:: max(1, len(result.points) // 14)], result.points[-1]]
    columns: Columns = {
        "alpha": "{0.alpha:.5g}",
        "SES wins": "{0.payoff:.4g}",
        "exploitable by": "{0.exploitability:.4g}",
        **{action: f"{{0.strategy[{k}]:.3f}}" for k, action in enumerate("UODF")},
        "mixing wins": "{0.mixing_payoff:.4g}",
        "by": "{0.mixing_exploitability:.4g}",
    }
    yield Table(dict.fromkeys(shown), columns)
    yield (
        f"Up to alpha* = {result.alpha_star:.5f} SES plays O and D: nothing is risked and R is "
        "beaten for 9.9. Beyond it plays F."
    )


Row = tuple[str, str, list[float]]
"""Whose row it is, of what, and its numbers."""


def _by_alpha(sweep: Sweep, share: float, rows: list[Row]) -> Table:
    """Rows of numbers by alpha; a name stands in the first of its rows only."""
    lines: list[list[str]] = []
    before = ""
    for name, title, numbers in rows:
        if numbers[0] == numbers[0]:
            shown = [f"{sweep.scale * x:.1f}" for x in numbers]
            lines.append(["" if name == before else name, title, *shown])
            before = name
    head = ["", "", *(f"{alpha:g}" for alpha in sweep.alphas)]
    return Table(lines, head, _kind(sweep, share))


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


def _show_leduc(result: LeducSweep) -> Iterator[Part]:
    yield (
        f"SES, figure 3: {result.game}, searches after {result.point}, blueprint of "
        f"{result.iterations:,} sampled iterations (exploitability "
        f"{1000 * result.exploitability:.2f}). Thousandths of a chip a hand, exact, means of both "
        "seats and of all opponents."
    )
    measures = {"wins": "payoff", "exploitable": "exploitability"}
    for share in result.shares:
        yield _by_alpha(result, share, _searched(result, share, measures))
    broken = sum(point.printed < -1e-7 for point in result.points)
    yield (
        f"SES(0) is within {result.maxmargin_gap:.1e} of maxmargin, SES(1) with the true range "
        f"within {result.unsafe_gap:.1e} of unsafe search. Theorem 1 and Theorem 2 (with the "
        "largest change of a value in its last term) "
        + ("hold at every point" if result.theorems_hold else "do NOT hold everywhere")
        + f"; as printed in the paper, Theorem 2 fails at {broken} of {len(result.points)} points. "
        f"Theorem 1's bound is finite at {result.finite_bounds} points with alpha above 0; our own "
        "bound is finite wherever alpha is below 1."
    )
    each = 1000 * result.search_seconds / max(result.searches, 1)
    yield f"{result.searches:,} searches, {each:.1f} ms each."


def _show_fhp(result: FhpSweep) -> Iterator[Part]:
    flops = (
        f"all {result.all_flops:,} flops"
        if result.exact
        else f"{result.flops:,} of {result.all_flops:,} flops, which stand for all"
    )
    known = result.in_buckets
    yield (
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
        yield _by_alpha(result, share, _fhp_rows(result, share))
    yield from _budgets(result)
    yield (
        f"Searches end within {result.search_gap:g} chips of their best or after "
        f"{result.search_iterations} iterations. {_spent(result.fresh, 'began with nothing')}"
        f"{_spent(result.later, 'went on from another on the same flop')}A random strategy is at "
        f"L1 distance {result.random_distance:.3f} from the blueprint."
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


def _budgets(result: FhpSweep) -> Iterator[Part]:
    from counterfold.research.ses.sweep import IN_BUCKETS

    for budget in result.budgets:
        some = [r for r in result.responses if r.budget == budget]
        spent = sum(r.cpu_seconds for r in some) / len(some)
        steps = sum(r.iterations for r in some) / len(some)
        of = "samples over buckets" if budget == IN_BUCKETS else "iterations of the whole game"
        yield (
            f"RNR ({budget}): {spent:.1f} s of CPU time and {steps:,.0f} {of} for each p and seat."
        )
    if result.responses:
        yield "Columns are alpha of SES and p of RNR."


def _spent(some: Spent, words: str) -> str:
    if not some.count:
        return ""
    return f"{some.count:,} {words}, {1000 * some.each:.1f} ms of CPU time each. "


def _show_drift(result: Drift) -> Iterator[Part]:
    yield (
        f"Drifting opponents in {result.game}: {result.opponents} of them, each going from one "
        f"shuffled blueprint (at {result.share:g} of the infosets) to another over "
        f"{result.hands:,} hands. Chips a hand; winnings and exploitability are exact, taken every "
        f"{result.every} hands from what the contender plays then."
    )
    columns: Columns = {
        "contender": "{0.contender}",
        "wins": "{0.winnings:+.4f}",
        "exploitability": "{0.exploitability:.4f}",
        "worst": "{0.worst:.4f}",
        "in play": "{0.played:+.4f}",
        "+-": "{0.played_half:.4f}",
        "CPU ms a hand": "{0.milliseconds:.2f}",
    }
    yield Table(result.rows, columns)
    yield (
        f"A best response that knew the opponent would win {result.best:.4f}; the blueprint's own "
        f"exploitability is {result.blueprint:.4f}. In play: the match itself with luck taken out, "
        "and half its 95% interval."
    )
