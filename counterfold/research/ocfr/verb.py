"""``counterfold repro ocfr``: online learners against opponents, and against one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from counterfold.cli.options import number, option
from counterfold.cli.request import InPieces
from counterfold.research import columns
from counterfold.research.columns import Columns, Part
from counterfold.research.reproduction import Job, Seeded, verb_of

if TYPE_CHECKING:
    from counterfold.play.score import Estimate
    from counterfold.research.ocfr.curves import Curve, Curves
    from counterfold.research.ocfr.round_robin import RoundRobin, Table

KEYS = """\b
Keys of --json: paper, experiment, game, matches, hands, seed, seconds, cpu_seconds, plot.
Of 1 and check: ceilings, curves (agent, opponent, mean, half, late, hands, curve); of 2:
plain, fitted (agents, table, sums, ranking, same_winner, pairs), published.
"""


@dataclass(frozen=True)
class OcfrRequest(Seeded, InPieces):
    """Online CFR: learners at one-card poker, against who does not learn and who does."""

    experiment: str | None = option(
        "N", "1 (curves against three opponents), 2 (one against one), or check."
    )
    matches: int | None = number("N", "Of each pair. [1,000; of 2: 10,000]")
    hands: int | None = number("N", "Of each match. [5,000; 2: 1,500]")


def _jobs(request: OcfrRequest) -> dict[str, Job]:
    from counterfold.research.ocfr import curves, pictures, round_robin

    jobs = {
        "experiment 1": Job(partial(curves.experiment, "1"), _show_curves, pictures.draw_curves),
        "experiment 2": Job(round_robin.experiment_2, _show_round_robin, pictures.draw_round_robin),
        "experiment check": Job(
            partial(curves.experiment, "check"), _show_check, pictures.draw_curves
        ),
    }
    return {name: job._replace(doing="playing", unit="match") for name, job in jobs.items()}


VERBS = verb_of("ocfr", OcfrRequest, _jobs)


def _rate(estimate: Estimate) -> str:
    """A win rate with half its interval."""
    half = "" if estimate.half is None else f" ± {estimate.half:.4f}"
    return f"{estimate.mean:+.4f}{half}"


def _show_curves(result: Curves) -> Iterator[Part]:
    from counterfold.research.ocfr.curves import OPPONENTS

    before, last = (0, *result.curves[0].hands)[-2:]
    yield (
        f"Online CFR, experiment 1: one-card poker with 13 cards, {result.matches:,} matches of "
        f"{result.hands:,} hands each, seats alternating. $ a hand with 95% intervals over "
        f"matches; late is after hand {before:,}, best is a best response that knows the opponent."
    )
    for opponent in OPPONENTS:
        own = [curve for curve in result.curves if curve.opponent == opponent.name]
        own.sort(key=lambda curve: -curve.whole.mean)
        looks = sorted({_nearest(own[0].hands, last * part) for part in (0.04, 0.1, 0.3)})
        head = ["", *(f"{own[0].hands[look]:,} hands" for look in looks), f"{last:,}", "late"]
        rows = []
        for curve in own:
            early = [f"{curve.points[look].mean:+.4f}" for look in looks]
            rows.append([curve.agent, *early, _rate(curve.whole), _rate(curve.late)])
        rows.append(["best", *("" for _ in looks), f"{result.ceilings[opponent.name]:+.4f}", ""])
        yield columns.Table(rows, head, f"{opponent.name}: {opponent.description}")


def _nearest(hands: tuple[int, ...], wanted: float) -> int:
    """The place of the mark nearest to so many hands."""
    return min(range(len(hands)), key=lambda place: abs(hands[place] - wanted))


def _show_check(result: Curves) -> Iterator[Part]:
    from counterfold.research.ocfr.curves import CHECKED, LEAST_WON, MOST_LOST

    yield (
        f"{result.curves[0].agent} in one-card poker with 13 cards: {result.matches:,} matches of "
        f"{result.hands:,} hands, seats alternating, $ a hand with 95% intervals over matches."
    )

    def wanted(curve: Curve) -> str:
        least = f"at least {LEAST_WON:+.2f}"
        return least if curve.opponent == "uniform" else f"above {-MOST_LOST:+.2f}"

    def holds(curve: Curve) -> str:
        if result.hands != CHECKED:
            return ""
        won = curve.whole.mean
        fine = won >= LEAST_WON if curve.opponent == "uniform" else won > -MOST_LOST
        return "yes" if fine else "no"

    shown: Columns = {
        "against": "{0.opponent}",
        "whole match": lambda curve: _rate(curve.whole),
        "late": lambda curve: _rate(curve.late),
        "best": lambda curve: f"{result.ceilings[curve.opponent]:+.4f}",
        f"wanted over {CHECKED:,} hands": wanted,
        "": holds,
    }
    yield columns.Table(result.curves, shown)


def _show_round_robin(result: RoundRobin) -> Iterator[Part]:
    from counterfold.research.ocfr.round_robin import PUBLISHED

    yield (
        f"Online CFR, experiment 2: one-card poker with 13 cards, {result.matches:,} matches of "
        f"{result.hands:,} hands a pair, seats alternating. What the row won from the column, "
        "$ a hand; sums are over the paper's six."
    )
    yield _cells(PUBLISHED, "published, table 1 (intervals of 0.0006 to 0.0009)")
    for title, table in (
        ("the settings that came nearest", result.fitted),
        ("defaults, and our own learner", result.plain),
    ):
        halves = [cell.half for cell in table.cells.values() if cell.half is not None]
        yield _cells(table, f"{title} (intervals of {min(halves):.4f} to {max(halves):.4f})")
        yield _agreement(table)
    yield f"Published ranking: {_ranked(PUBLISHED)}."


def _cells(table: Table, title: str) -> columns.Table:
    size = range(len(table.agents))
    rows = []
    for row in size:
        cells = [table.cell(row, column) for column in size]
        means = ["" if cell is None else f"{cell.mean:+.3f}" for cell in cells]
        rows.append([table.agents[row], *means, f"{table.total(row):+.3f}"])
    return columns.Table(rows, ["", *table.agents, "sum"], title)


def _agreement(table: Table) -> str:
    from counterfold.research.ocfr.round_robin import HANDS

    if table.hands != HANDS:
        return (
            f"Ranking: {_ranked(table)}. Winners are not compared: matches have {HANDS:,} hands in "
            f"the paper and {table.hands:,} here."
        )
    pairs: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for row, column, same in table.signs():
        pairs[same].append(f"{table.agents[row]} and {table.agents[column]}")
    sentence = f"The same one wins as in the paper in {len(pairs[True])} of 15 pairs"
    if pairs[False]:
        sentence += f"; not between {', '.join(pairs[False])}"
    if pairs[None]:
        sentence += f"; not decided between {', '.join(pairs[None])}"
    return f"Ranking: {_ranked(table)}. {sentence}."


def _ranked(table: Table) -> str:
    return " > ".join(table.agents[row] for row in table.ranking)
