"""``counterfold repro cheat``: what views of Cheat cost, how agents fare, and the original game."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from counterfold.cli.options import Json, Quiet
from counterfold.cli.output import advise, duration, make_folder, say
from counterfold.errors import ParameterError
from counterfold.research.columns import Columns, print_columns, print_table
from counterfold.research.reproduction import (
    Folder,
    Iterations,
    Job,
    Plot,
    Runs,
    Seed,
    check_minutes,
    given,
    pick,
    refuse,
    reproduce,
    tell_time,
)

if TYPE_CHECKING:
    from counterfold.research.cheat.costs import Costs
    from counterfold.research.cheat.original import OriginalTable
    from counterfold.research.cheat.price import Prices
    from counterfold.research.cheat.rates import Rates

__all__ = ["KEYS", "VERBS"]

KEYS = """\b
Keys of --json: paper, figure or table, plot; cpu_seconds (not of original). Of tables 1
and 2 iterations, rows, findings; of a figure runs, iterations, games, baseline, curves,
findings; of price health, infosets, uniform, rows; of original rows.
"""


def cheat(
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="1, 2, price or original.")
    ] = None,
    figure: Annotated[str | None, typer.Option(metavar="N", help="1, 2 or 3.")] = None,
    runs: Runs = None,
    iterations: Iterations = None,
    minutes: Annotated[
        float | None,
        typer.Option(metavar="M", help="original: training for each number of players. [5]"),
    ] = None,
    folder: Folder = None,
    seed: Seed = 0,
    plot: Plot = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Curriculum learning in Cheat: tables 1 and 2, figures 1 to 3, and beyond them."""
    part = pick(
        "cheat",
        table=(table, ("1", "2", "price", "original")),
        figure=(figure, ("1", "2", "3")),
    )
    job = _original(runs, iterations, minutes, folder, seed) if table == "original" else None
    if job is None:
        refuse(f"cheat --{part}", minutes=minutes, folder=folder)
        job = _trained(part, runs, iterations, seed)
    reproduce(job, plot, json, quiet)


VERBS = {"cheat": cheat}


def _trained(part: str, runs: int | None, iterations: int | None, seed: int) -> Job:
    """The four agents in Mini-Cheat."""
    from counterfold.research.cheat import costs, pictures, price, rates

    kind, name = part.split()
    if kind == "figure":
        make = partial(
            rates.figure, int(name), seed=seed, **given(runs=runs, iterations=iterations)
        )
        return Job(make, _print_rates, pictures.draw_rates, "training")
    if runs is not None:
        raise ParameterError("cheat's tables take no --runs: every deal is in what they count")
    options = given(iterations=iterations)
    if name == "price":
        return Job(
            partial(price.prices, **options), _print_prices, pictures.draw_prices, unit="agent"
        )
    make_table = partial(costs.table, int(name), seed=seed, **options)
    return Job(make_table, _print_costs, pictures.draw_costs, unit="agent")


def _original(
    runs: int | None, iterations: int | None, minutes: float | None, folder: str | None, seed: int
) -> Job:
    from counterfold.research.cheat.original import original_table

    refuse("cheat --table original", runs=runs, iterations=iterations)
    check_minutes(minutes)
    make_folder(folder)
    make = partial(original_table, seed=seed, folder=folder, **given(minutes=minutes))
    return Job(make, _print_original, None, "training", "part")


def _print_original(result: OriginalTable) -> None:
    advise(
        "The original Cheat: 52 cards, no health points. Strategies trained against themselves by "
        "sampled CFR over an abstraction, with a horizon that moves away; none has met a bot."
    )
    say()
    columns: Columns = {
        "players": "{0[0].players}",
        "training": lambda pair: duration(pair[0].seconds),
        "games": "{0[0].training_games:,}",
        "infosets": "{0[0].infosets:,}",
        "against": "{0[1].agents[1]}",
        "wins": "{0[1].rate:.4f}",
        "95%": "{0[1].interval[0]:.4f} to {0[1].interval[1]:.4f}",
        "fair": "{0[1].fair:.3f}",
    }
    pairs = [(row, contest) for row in result.rows for contest in row.contests]
    print_table(pairs, columns)
    say()
    unfinished = sum(contest.unfinished for _, contest in pairs)
    advise(
        f"Bots sit in all other seats, and seats change from game to game. {unfinished:,} games "
        "were not over at the limit of turns and count as a fair share."
    )


def _print_prices(result: Prices) -> None:
    advise(
        f"What a view costs in Mini-Cheat with {result.health} health points: the exact "
        f"exploitability of the average strategy in the game itself ({result.infosets:,} "
        "infosets), against responders who remember everything. Every iteration goes through "
        "every deal."
    )
    say()
    print_table(
        result.rows,
        {"agent": "{0.agent}", "infosets": "{0.infosets:,}"}
        | {name: f"{{0.exploitability[{name}]:.2g}}" for name in result.columns},
    )
    say()
    tell_time(result, f"Uniform play has {result.uniform:.3f}.")


def _print_costs(result: Costs) -> None:
    from counterfold.research.cheat.published import NAMES

    abstract = result.number == 2
    advise(
        f"Cheat, table {result.number}: the four agents {'with' if abstract else 'without'} "
        f"infoset abstraction in Mini-Cheat with so many health points, {result.iterations:,} "
        "chance-sampled iterations of CFR, simultaneous updates."
    )
    say()
    columns: Columns = {
        "agent": lambda row: NAMES[row.view] + ("†" if abstract else ""),
        "health": "{0.health}",
        "infosets": "{0.expected:,.0f}",
        "sd": "{0.spread:,.1f}",
        "published": "{0.paper_infosets:,}",
        "off, sd": "{0.off:+.1f}",
        "reachable": "{0.reachable:,}",
        "CPU s": "{0.cpu_seconds:,.2f}",
        "published s": "{0.paper_seconds:,}",
        "faster": "{0.faster:,.0f}x",
        "every deal": lambda r: "" if r.graph_seconds is None else f"{r.graph_seconds:,.2f}",
        "MB": "{0.megabytes:,.1f}",
    }
    print_table(result.rows, columns)
    say()
    advise(
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
    _print_findings(result)


def _print_rates(result: Rates) -> None:
    from counterfold.research.cheat.rates import TRAINED_IN

    health = TRAINED_IN[result.number]
    words = {
        1: f"training in Cheat-{health}, win rates by iteration",
        2: f"trained in Cheat-{health}, win rates in games with other health points",
        3: f"training in Cheat-{health}, from nothing and after Cheat-{health - 1}; "
        "win rates by iteration",
    }[result.number]
    advise(
        f"Cheat, figure {result.number}: {words}. Means of {result.runs} runs of "
        f"{result.iterations:,} chance-sampled iterations, {result.games:,} games at each mark; "
        "± is half a 95% interval over runs. † with infoset abstraction."
    )
    for bot in ("random", "heuristic"):
        say()
        say(f"against the {bot} bot")
        print_columns(_rate_rows(result, bot, health))
    _print_findings(result)


def _rate_rows(result: Rates, bot: str, health: int) -> list[list[str]]:
    """A row a curve at some of its marks; beside the random bot's, what the heuristic bot wins."""
    own = [curve for curve in result.curves if curve.bot == bot]
    elsewhere, two_starts = result.number == 2, result.number == 3
    shown = list(own[0].marks)
    if not elsewhere:
        early = [mark for mark in shown if mark <= result.iterations]
        shown = [*early[:: max(1, (len(early) - 1) // 5)], *shown[len(early) :]]
    head = [f"C-{mark}" if elsewhere else f"{mark:,}" for mark in shown]
    rows = [["agent", *(["start"] if two_starts else []), *head, "±"]]
    for curve in own:
        start = ["carried over" if curve.start == "carried" else "nothing"] if two_starts else []
        margin = "" if curve.margins[-1] != curve.margins[-1] else f"{curve.margins[-1]:.3f}"
        rows.append([curve.name, *start, *(f"{curve.at(mark):.3f}" for mark in shown), margin])
    if bot == "random":
        duels = [result.baseline.get(mark if elsewhere else health) for mark in shown]
        cells = ["" if duel is None else f"{duel.rate:.3f}" for duel in duels]
        rows.append(["heuristic bot", *([""] if two_starts else []), *cells, ""])
    return rows


def _print_findings(result: Costs | Rates) -> None:
    say()
    say("What the paper finds, and whether it holds here:")
    for finding in result.findings():
        say(f"  {'yes' if finding.holds else 'no ':3}  {finding.claim}")
        say(f"       {finding.measured}")
    say()
    tell_time(result)
