"""``counterfold repro ocfr``: online learners against opponents, and against one another."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterfold.cli.options import Json, Quiet, count
from counterfold.cli.output import advise, duration, say
from counterfold.research.columns import Columns, print_columns, print_table
from counterfold.research.reproduction import Job, Plot, Seed, given, pick, reproduce

if TYPE_CHECKING:
    from counterfold.play.score import Estimate
    from counterfold.research.ocfr.curves import Curve, Curves
    from counterfold.research.ocfr.round_robin import RoundRobin, Table

__all__ = ["KEYS", "VERBS"]

KEYS = """\b
Keys of --json: paper, experiment, game, matches, hands, seed, seconds, cpu_seconds, plot.
Of 1 and check: ceilings, curves (agent, opponent, mean, half, late, hands, curve); of 2:
plain, fitted (agents, table, sums, ranking, same_winner, pairs), published.
"""


def ocfr(
    experiment: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="1 (curves against three opponents), 2 (one against one), or check."
        ),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Of each pair. [1,000; of 2: 10,000]"),
    ] = None,
    hands: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Of each match. [5,000; 2: 1,500]"),
    ] = None,
    seed: Seed = 0,
    plot: Plot = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Online CFR: learners at one-card poker, against who does not learn and who does."""
    part = pick("ocfr", experiment=(experiment, ("1", "2", "check")))
    from counterfold.research.ocfr import curves, pictures, round_robin

    job = {
        "experiment 1": Job(curves.experiment_1, _print_curves, pictures.draw_curves),
        "experiment 2": Job(
            round_robin.experiment_2, _print_round_robin, pictures.draw_round_robin
        ),
        "experiment check": Job(curves.check, _print_check, pictures.draw_curves),
    }[part]
    make = partial(job.make, **given(matches=matches, hands=hands, seed=seed))
    job = job._replace(make=make, doing="playing", unit="match")
    reproduce(job, plot, json, quiet)


VERBS = {"ocfr": ocfr}


def _rate(estimate: Estimate) -> str:
    """A win rate with half its interval."""
    half = "" if estimate.half is None else f" ± {estimate.half:.4f}"
    return f"{estimate.mean:+.4f}{half}"


def _print_curves(result: Curves) -> None:
    from counterfold.research.ocfr.curves import OPPONENTS

    last, before = result.curves[0].hands[-1], result.curves[0].hands[-2]
    advise(
        f"Online CFR, experiment 1: one-card poker with 13 cards, {result.matches:,} matches of "
        f"{result.hands:,} hands each, seats alternating. $ a hand with 95% intervals over "
        f"matches; late is after hand {before:,}, best is a best response that knows the opponent."
    )
    for opponent in OPPONENTS:
        say()
        advise(f"{opponent.name}: {opponent.description}")
        own = [curve for curve in result.curves if curve.opponent == opponent.name]
        own.sort(key=lambda curve: -curve.whole.mean)
        looks = sorted({_nearest(own[0].hands, last * part) for part in (0.04, 0.1, 0.3)})
        rows = [["", *(f"{own[0].hands[look]:,} hands" for look in looks), f"{last:,}", "late"]]
        for curve in own:
            early = [f"{curve.points[look].mean:+.4f}" for look in looks]
            rows.append([curve.agent, *early, _rate(curve.whole), _rate(curve.late)])
        rows.append(["best", *("" for _ in looks), f"{result.ceilings[opponent.name]:+.4f}", ""])
        print_columns(rows)
    _print_time(result)


def _nearest(hands: tuple[int, ...], wanted: float) -> int:
    """The place of the mark nearest to so many hands."""
    return min(range(len(hands)), key=lambda place: abs(hands[place] - wanted))


def _print_check(result: Curves) -> None:
    from counterfold.research.ocfr.curves import LEAST_WON, MOST_LOST

    advise(
        f"{result.curves[0].agent} in one-card poker with 13 cards: {result.matches:,} matches of "
        f"{result.hands:,} hands, seats alternating, $ a hand with 95% intervals over matches."
    )
    say()

    def wanted(curve: Curve) -> str:
        least = f"at least {LEAST_WON:+.2f}"
        return least if curve.opponent == "uniform" else f"above {-MOST_LOST:+.2f}"

    def holds(curve: Curve) -> str:
        won = curve.whole.mean
        return (
            "yes"
            if (won >= LEAST_WON if curve.opponent == "uniform" else won > -MOST_LOST)
            else "no"
        )

    columns: Columns = {
        "against": "{0.opponent}",
        "whole match": lambda curve: _rate(curve.whole),
        "late": lambda curve: _rate(curve.late),
        "best": lambda curve: f"{result.ceilings[curve.opponent]:+.4f}",
        "wanted": wanted,
        "": holds,
    }
    print_table(result.curves, columns)
    _print_time(result)


def _print_round_robin(result: RoundRobin) -> None:
    from counterfold.research.ocfr.round_robin import PUBLISHED

    advise(
        f"Online CFR, experiment 2: one-card poker with 13 cards, {result.matches:,} matches of "
        f"{result.hands:,} hands a pair, seats alternating. What the row won from the column, "
        "$ a hand; sums are over the paper's six."
    )
    say()
    say("published, table 1 (intervals of 0.0006 to 0.0009)")
    _print_cells(PUBLISHED)
    for title, table in (
        ("the settings that came nearest", result.fitted),
        ("defaults, and our own learner", result.plain),
    ):
        halves = [cell.half for cell in table.cells.values() if cell.half is not None]
        say()
        say(f"{title} (intervals of {min(halves):.4f} to {max(halves):.4f})")
        _print_cells(table)
        _print_agreement(table)
    say()
    say(f"Published ranking: {_ranked(PUBLISHED)}.")
    _print_time(result)


def _print_cells(table: Table) -> None:
    size = range(len(table.agents))
    rows = [["", *table.agents, "sum"]]
    for row in size:
        cells = [table.cell(row, column) for column in size]
        means = ["" if cell is None else f"{cell.mean:+.3f}" for cell in cells]
        rows.append([table.agents[row], *means, f"{table.total(row):+.3f}"])
    print_columns(rows)


def _print_agreement(table: Table) -> None:
    pairs: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for row, column, same in table.signs():
        pairs[same].append(f"{table.agents[row]} and {table.agents[column]}")
    say(f"Ranking: {_ranked(table)}.")
    sentence = f"The same one wins as in the paper in {len(pairs[True])} of 15 pairs"
    if pairs[False]:
        sentence += f"; not between {', '.join(pairs[False])}"
    if pairs[None]:
        sentence += f"; not decided between {', '.join(pairs[None])}"
    advise(f"{sentence}.")


def _ranked(table: Table) -> str:
    return " > ".join(table.agents[row] for row in table.ranking)


def _print_time(result: Any) -> None:
    say()
    say(f"{duration(result.seconds)} by the clock, CPU time {duration(result.cpu_seconds)}.")
