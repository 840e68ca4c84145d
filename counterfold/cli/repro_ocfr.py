"""Online CFR's experiments, as ``counterfold repro`` shows them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from counterfold.cli.output import advise, duration, say
from counterfold.cli.repro import Job, Wish, print_columns
from counterfold.errors import ParameterError

__all__ = ["job"]

EXPERIMENTS = ("1", "2", "check")


def job(wish: Wish) -> Job:
    """The experiment that is wished for."""
    wish.refuse_other("ocfr", "experiment", "matches", "hands")
    if wish.experiment is None:
        raise ParameterError(f"say which: --experiment {', '.join(EXPERIMENTS[:-1])} or check")
    if wish.experiment not in EXPERIMENTS:
        told = ", ".join(EXPERIMENTS)
        raise ParameterError(f"ocfr has no experiment {wish.experiment!r}; it has {told}")
    from counterfold.experiments import ocfr, ocfr_pictures, ocfr_table

    makers: dict[str, tuple[Callable[..., Any], Callable[[Any], Any], Callable[[Any], None]]] = {
        "1": (ocfr.experiment_1, ocfr_pictures.draw_curves, _print_curves),
        "2": (ocfr_table.experiment_2, ocfr_pictures.draw_round_robin, _print_round_robin),
        "check": (ocfr.check, ocfr_pictures.draw_curves, _print_check),
    }
    make, draw, show = makers[wish.experiment]
    given = {"matches": wish.matches, "hands": wish.hands}
    asked = {name: value for name, value in given.items() if value is not None}
    return Job(partial(make, seed=wish.seed, **asked), draw, show, "playing", "match")


def _rate(estimate: Any, digits: int = 4) -> str:
    """A win rate with half its interval."""
    half = "" if estimate.half is None else f" ± {estimate.half:.{digits}f}"
    return f"{estimate.mean:+.{digits}f}{half}"


def _print_curves(found: Any) -> None:
    from counterfold.experiments.ocfr import OPPONENTS

    last, before = found.curves[0].hands[-1], found.curves[0].hands[-2]
    advise(
        f"Online CFR, experiment 1: one-card poker with 13 cards, {found.matches:,} matches of "
        f"{found.hands:,} hands each, seats alternating. $ a hand with 95% intervals over matches; "
        f"late is after hand {before:,}, best is a best response that knows the opponent."
    )
    for opponent in OPPONENTS:
        say()
        advise(f"{opponent.name}: {opponent.told}")
        own = [curve for curve in found.curves if curve.opponent == opponent.name]
        own.sort(key=lambda curve: -curve.whole.mean)
        looks = sorted({_nearest(own[0].hands, last * part) for part in (0.04, 0.1, 0.3)})
        rows = [["", *(f"{own[0].hands[look]:,} hands" for look in looks), f"{last:,}", "late"]]
        rows += [
            [
                curve.agent,
                *(f"{curve.points[look].mean:+.4f}" for look in looks),
                _rate(curve.whole),
                _rate(curve.late),
            ]
            for curve in own
        ]
        rows.append(["best", *("" for _ in looks), f"{found.ceilings[opponent.name]:+.4f}", ""])
        print_columns(rows)
    say()
    _print_time(found)


def _nearest(hands: tuple[int, ...], wanted: float) -> int:
    """The place of the mark nearest to so many hands."""
    return min(range(len(hands)), key=lambda place: abs(hands[place] - wanted))


def _print_check(found: Any) -> None:
    from counterfold.experiments.ocfr import LEAST_WON, MOST_LOST

    weak, strong = found.curves
    advise(
        f"{weak.agent} in one-card poker with 13 cards: {found.matches:,} matches of "
        f"{found.hands:,} hands, seats alternating, $ a hand with 95% intervals over matches."
    )
    say()
    won, lost = weak.whole.mean, -strong.whole.mean
    rows = [
        ["against", "whole match", "late", "best", "wanted", ""],
        ["uniform", _rate(weak.whole), _rate(weak.late), f"{found.ceilings['uniform']:+.4f}",
         f"at least {LEAST_WON:+.2f}", "yes" if won >= LEAST_WON else "no"],
        ["equilibrium", _rate(strong.whole), _rate(strong.late),
         f"{found.ceilings['equilibrium']:+.4f}", f"above {-MOST_LOST:+.2f}",
         "yes" if lost < MOST_LOST else "no"],
    ]  # fmt: skip
    print_columns(rows)
    say()
    _print_time(found)


def _print_round_robin(found: Any) -> None:
    from counterfold.experiments.ocfr_table import PAPER, TABLE_1

    advise(
        f"Online CFR, experiment 2: one-card poker with 13 cards, {found.matches:,} matches of "
        f"{found.hands:,} hands a pair, seats alternating. What the row won from the column, "
        "$ a hand; sums are over the paper's six."
    )
    sums = [sum(row) for row in TABLE_1]
    say()
    say("published, table 1 (intervals of 0.0006 to 0.0009)")
    rows = [["", *PAPER, "sum"]]
    for name, row, total in zip(PAPER, TABLE_1, sums, strict=True):
        rows.append([name, *(f"{x:+.3f}" if x else "" for x in row), f"{total:+.3f}"])
    print_columns(rows)
    for title, table in (
        ("the settings that came nearest", found.fitted),
        ("defaults, and our own learner", found.plain),
    ):
        halves = [cell.half for cell in table.cells.values() if cell.half is not None]
        say()
        say(f"{title} (intervals of {min(halves):.4f} to {max(halves):.4f})")
        _print_table(table)
        _print_agreement(table)
    say()
    published = sorted(range(len(PAPER)), key=lambda row: -sums[row])
    say(f"Published ranking: {_ranked([PAPER[row] for row in published])}.")
    _print_time(found)


def _print_table(table: Any) -> None:
    size = range(len(table.agents))
    rows = [["", *table.agents, "sum"]]
    for row in size:
        cells = [table.cell(row, column) for column in size]
        told = ["" if cell is None else f"{cell.mean:+.3f}" for cell in cells]
        rows.append([table.agents[row], *told, f"{table.total(row):+.3f}"])
    print_columns(rows)


def _print_agreement(table: Any) -> None:
    found: dict[bool | None, list[str]] = {True: [], False: [], None: []}
    for row, column, same in table.signs():
        found[same].append(f"{table.agents[row]} and {table.agents[column]}")
    say(f"Ranking: {_ranked([table.agents[row] for row in table.ranking])}.")
    told = f"The same one wins as in the paper in {len(found[True])} of 15 pairs"
    if found[False]:
        told += f"; not between {', '.join(found[False])}"
    if found[None]:
        told += f"; not decided between {', '.join(found[None])}"
    advise(f"{told}.")


def _ranked(names: list[str]) -> str:
    return " > ".join(names)


def _print_time(found: Any) -> None:
    say(f"{duration(found.seconds)} by the clock, CPU time {duration(found.cpu_seconds)}.")
