"""``counterfold repro slides``: the worked tables of a lecture, ours beside theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from counterfold.cli.options import option
from counterfold.research.columns import Columns, Part, Table, named
from counterfold.research.reproduction import Drawn, Iterations, Job, verb_of

if TYPE_CHECKING:
    from counterfold.research.slides.lecture import Comparison, Number, Regrets, Worked

KEYS = """\b
Keys of --json: paper, table, game, plot. Of rm and cfr: numbers (iteration, what, player,
action, ours, theirs, same); of rm+: rows (method, iteration, regrets, strategy, average)
and gaps.
"""


@dataclass(frozen=True)
class SlidesRequest(Drawn):
    """A lecture on regret matching and CFR: its worked numbers, iteration by iteration."""

    table: str | None = option(
        "NAME",
        "rm (regret matching), rm+ (beside RM) or cfr (regrets in a tree, and a sample).",
    )
    iterations: Iterations = None


def _jobs(request: SlidesRequest) -> dict[str, Job]:
    from counterfold.research.slides import lecture

    return {
        "table rm": Job(lecture.worked, _show_worked, None, unit="iteration"),
        "table rm+": Job(lecture.comparison, _show_comparison, None, unit="method"),
        "table cfr": Job(lecture.regrets, _show_regrets, None, unit="infoset"),
    }


VERBS = verb_of("slides", SlidesRequest, _jobs)


def _exact(number: float | None) -> str:
    """A number as the slides write it."""
    if number is None:
        return ""
    near = Fraction(number).limit_denominator(5000)
    return str(near) if abs(near - number) < 1e-12 else f"{number:.6f}"


def _beside(numbers: Sequence[Number], title: str) -> Table:
    agree = {True: "yes", False: "NO", None: ""}
    columns: Columns = {
        **named("player", "what", "action"),
        "ours": lambda number: _exact(number.ours),
        "the slides": lambda number: _exact(number.theirs),
        "same": lambda number: agree[number.same],
    }
    return Table(numbers, columns, title)


def _show_worked(result: Worked) -> Iterator[Part]:
    yield (
        "Regret matching in the general-sum rock, paper, scissors of the slides, from uniform play "
        "and updated simultaneously: regrets, cumulative regrets, and the strategy that comes next."
    )
    for iteration in range(1, result.iterations + 1):
        own = [number for number in result.numbers if number.iteration == iteration]
        yield _beside(own, f"iteration {iteration}")
    yield (
        "What differs is a slip of the slides: player 2's third strategy is printed as 5/2, 1, 1, "
        "which is no distribution. Its positive regrets are 5/3, 2/3 and 2/3 with the sum 3, so it "
        "is 5/9, 2/9, 2/9. (In the steps before, two quotients are printed upside down, with "
        "results that are right.)"
    )


def _show_comparison(result: Comparison) -> Iterator[Part]:
    yield (
        "RM (simultaneous, uniform average) beside RM+ (regrets never below 0, players in turn, "
        "linear average) in the zero-sum game of the slides, whose table is empty there. Its value "
        "is 1; player 1's equilibrium is 0, 2/3, 1/3, player 2's 1/5, 3/5, 1/5."
    )

    head = [f"{player}: {action}" for player in (1, 2) for action in "RPS"]
    titles = {
        "regrets": "cumulative regrets",
        "strategy": "the next strategy",
        "average": "the average so far",
    }
    for method in result.gaps:
        own = [row for row in result.rows if row.method == method]
        for name, title in titles.items():
            cells = [[str(row.iteration), *map(_exact, getattr(row, name))] for row in own]
            yield Table(cells, ["iteration", *head], f"{method}, {title}")
    marks = [f"{mark:,}" for mark in next(iter(result.gaps.values()))]
    rows = [[name, *(f"{gap:.5f}" for gap in gaps.values())] for name, gaps in result.gaps.items()]
    title = "How far the averages are from an equilibrium: both gains together, by iteration"
    yield Table(rows, ["", *marks], title)


def _show_regrets(result: Regrets) -> Iterator[Part]:
    yield (
        "Counterfactual regrets of player 1 in the tree of the slides, which was a drawing and is "
        "rebuilt from the numbers around it: exact values where player 1 does all it can to reach "
        "the infoset, with an action less with what it plays there."
    )
    yield _beside(result.numbers, "regrets")
    yield (
        "The slides leave r(L1) as a sum, which comes to -5/18, and do not work out r(R1): weighed "
        "by 2/3 and 1/3 the two are 0, as they must. From r(L3) = -1/6 and r(R3) = 0 alone regret "
        "matching would play both alike; the slides go on with R3, so it had a regret before."
    )
