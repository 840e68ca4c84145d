"""``counterfold repro cheat``: what views of Cheat cost, how agents fare, and the original game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from counterfold.cli.options import option
from counterfold.cli.output import duration
from counterfold.research.cheat.published import NAMES, PAPER_ITERATIONS
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.reproduction import Job, Swept, verb_of

if TYPE_CHECKING:
    from counterfold.research.cheat.costs import Costs
    from counterfold.research.cheat.original import OriginalTable
    from counterfold.research.cheat.price import Prices
    from counterfold.research.cheat.rates import Rates

KEYS = """\b
Keys of --json: paper, figure or table, plot; cpu_seconds (not of original). Of tables 1
and 2 iterations, rows, findings; of a figure runs, iterations, games, baseline, curves,
findings; of price health, infosets, uniform, rows; of original rows.
"""


@dataclass(frozen=True)
class CheatRequest(Swept):
    """Curriculum learning in Cheat: tables 1 and 2, figures 1 to 3, and beyond them."""

    table: str | None = option("NAME", "1, 2, price or original.")
    figure: str | None = option("N", "1, 2 or 3.")
    minutes: float | None = option("M", "original: training for each number of players. [5]")


def _jobs(request: CheatRequest) -> dict[str, Job]:
    from counterfold.research.cheat import costs, original, pictures, price, rates

    return {
        **{
            f"table {n}": Job(
                partial(costs.table, n), _show_costs, pictures.draw_costs, unit="agent"
            )
            for n in (1, 2)
        },
        "table price": Job(price.prices, _show_prices, pictures.draw_prices, unit="agent"),
        "table original": Job(original.original_table, _show_original, None, "training", "part"),
        **{
            f"figure {n}": Job(
                partial(rates.figure, n), _show_rates, pictures.draw_rates, "training"
            )
            for n in (1, 2, 3)
        },
    }


VERBS = verb_of("cheat", CheatRequest, _jobs)


def _show_original(result: OriginalTable) -> Iterator[Part]:
    yield (
        "The original Cheat: 52 cards, no health points. Strategies trained against themselves by "
        "sampled CFR over an abstraction, with a horizon that moves away; none has met a bot."
    )
    columns: Columns = {
        "players": "{0[0].players}",
        "training": lambda pair: duration(pair[0].training_seconds),
        "games": "{0[0].training_games:,}",
        "infosets": "{0[0].infosets:,}",
        "against": "{0[1].agents[1]}",
        "wins": "{0[1].rate:.4f}",
        "95%": "{0[1].interval[0]:.4f} to {0[1].interval[1]:.4f}",
        "fair": "{0[1].fair:.3f}",
    }
    pairs = [(row, contest) for row in result.rows for contest in row.contests]
    yield Table(pairs, columns)
    unfinished = sum(contest.unfinished for _, contest in pairs)
    yield (
        f"Bots sit in all other seats, and seats change from game to game. {unfinished:,} games "
        "were not over at the limit of turns and count as a fair share."
    )


def _show_prices(result: Prices) -> Iterator[Part]:
    yield (
        f"What a view costs in Mini-Cheat with {result.health} health points: the exact "
        f"exploitability of the average strategy in the game itself ({result.infosets:,} "
        "infosets), against responders who remember everything. Every iteration goes through "
        "every deal."
    )
    columns: Columns = {
        "agent": "{0.agent}",
        "infosets": "{0.infosets:,}",
        **{name: f"{{0.exploitability[{name}]:.2g}}" for name in result.columns},
    }
    yield Table(result.rows, columns)
    yield f"Uniform play has {result.uniform:.3f}."


def _show_costs(result: Costs) -> Iterator[Part]:
    abstract = result.table == 2
    yield (
        f"Cheat, table {result.table}: the four agents {'with' if abstract else 'without'} "
        f"infoset abstraction in Mini-Cheat with so many health points, {result.iterations:,} "
        "chance-sampled iterations of CFR, simultaneous updates."
    )
    columns: Columns = {
        "agent": lambda row: NAMES[row.view] + ("†" if abstract else ""),
        "health": "{0.health}",
        "infosets": "{0.expected:,.0f}",
        "sd": "{0.spread:,.1f}",
        "published": "{0.paper_infosets:,}",
        "off, sd": "{0.off:+.1f}" if result.alike else "",
        "reachable": "{0.reachable:,}",
        "CPU s": "{0.cpu_seconds:,.2f}",
        "published s": "{0.paper_seconds:,}",
        "faster": "{0.faster:,.0f}x" if result.alike else "",
        "every deal": lambda r: "" if r.graph_seconds is None else f"{r.graph_seconds:,.2f}",
        "MB": "{0.megabytes:,.1f}",
    }
    yield Table(result.rows, columns)
    yield (
        "Every deal: CPU seconds where each iteration goes through all of them, in a merged graph. "
        "Infosets are those met in so many sampled deals: the exact mean over all runs, and the "
        "standard deviation of one. Keys: player, hand, rank, claim, whether another has one card "
        "left; HP-aware: both health points; with a history: of each round the cards claimed and "
        "whether they were challenged."
        + (
            " †: cards relative to the current rank, which is left out, and the last 3 rounds. "
            "Three rounds cannot tell apart as many as were published for agents with a history."
            if abstract
            else ""
        )
    )
    yield _verdicts(result)


def _show_rates(result: Rates) -> Iterator[Part]:
    health = result.trained_in
    words = {
        1: f"training in Cheat-{health}, win rates by iteration",
        2: f"trained in Cheat-{health}, win rates in games with other health points",
        3: f"training in Cheat-{health}, from nothing and after Cheat-{health - 1}; "
        "win rates by iteration",
    }[result.figure]
    yield (
        f"Cheat, figure {result.figure}: {words}. Means of {result.runs} runs of "
        f"{result.iterations:,} chance-sampled iterations, {result.games:,} games at each mark; "
        "± is half a 95% interval over runs. † with infoset abstraction."
    )
    for bot in ("random", "heuristic"):
        yield _rates_against(result, bot)
    yield _verdicts(result)


def _rates_against(result: Rates, bot: str) -> Table:
    """A row a curve at some of its marks; beside the random bot's, what the heuristic bot wins."""
    own = [curve for curve in result.curves if curve.bot == bot]
    elsewhere = result.figure == 2
    shown = list(own[0].marks)
    if not elsewhere:
        early = [mark for mark in shown if mark <= result.iterations]
        shown = [*early[:: max(1, (len(early) - 1) // 5)], *shown[len(early) :]]
    starts = {"carried": "carried over", "nothing": "nothing" if result.figure == 3 else ""}
    rows = []
    for curve in own:
        half = curve.sampled.estimates[-1].half
        margin = "" if half is None else f"{half:.3f}"
        rates = [f"{curve.at(mark):.3f}" for mark in shown]
        rows.append([curve.name, starts[curve.start], *rates, margin])
    if bot == "random":
        known = [result.baseline.get(mark if elsewhere else result.trained_in) for mark in shown]
        cells = ["" if one is None else f"{one.rate:.3f}" for one in known]
        rows.append(["heuristic bot", "", *cells, ""])
    head = [f"C-{mark}" if elsewhere else f"{mark:,}" for mark in shown]
    return Table(rows, ["agent", "start", *head, "±"], f"against the {bot} bot")


def _verdicts(result: Costs | Rates) -> Table:
    """What the paper finds, and whether it holds here; no verdict where settings differ."""
    words = {True: "yes", False: "no", None: "-"}
    rows = []
    for finding in result.findings:
        rows += [[words[finding.holds], finding.claim], ["", f"  {finding.measured}"]]
    width = max(len(words) for _, words in rows)
    title = "What the paper finds, and whether it holds here:"
    if any(finding.holds is None for finding in result.findings):
        title = (
            "What the paper finds, and whether it holds here (-: no verdict, for the paper's "
            f"iterations are {PAPER_ITERATIONS} and these {result.iterations:,}):"
        )
    return Table([[verdict, words.ljust(width)] for verdict, words in rows], ["", ""], title)
