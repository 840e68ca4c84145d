"""Cheat's experiments, as ``counterfold repro`` shows them."""

from __future__ import annotations

from functools import partial
from typing import Any

from counterfold.cli.output import advise, duration, make_folder, say
from counterfold.cli.repro import Job, Wish, print_columns
from counterfold.errors import ParameterError

__all__ = ["job"]

TABLES = ("1", "2", "price", "original")
FIGURES = ("1", "2", "3")


def job(wish: Wish) -> Job:
    """The table or figure that is wished for."""
    wish.refuse_other("cheat", "table", "figure", "runs", "iterations", "minutes", "folder")
    if wish.table != "original":
        wish.refuse_other("that part of cheat", "table", "figure", "runs", "iterations")
    if (wish.table is None) == (wish.figure is None):
        raise ParameterError("say which: --table 1, 2, price or original, or --figure 1, 2 or 3")
    for option, name, known in (("table", wish.table, TABLES), ("figure", wish.figure, FIGURES)):
        if name is not None and name not in known:
            raise ParameterError(f"cheat has no {option} {name!r}; it has {', '.join(known)}")
    from counterfold.experiments import cheat, cheat_pictures, cheat_rates

    given = {"iterations": wish.iterations, "runs": wish.runs}
    asked: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if wish.table == "original":
        wish.refuse_other("cheat --table original", "table", "minutes", "folder")
        return _original(wish)
    if wish.table == "price":
        from counterfold.experiments import cheat_price

        if wish.runs is not None:
            raise ParameterError("cheat's prices take no --runs: every deal is in each iteration")
        price = partial(cheat_price.prices, **asked)
        return Job(price, cheat_price.draw_prices, _print_prices, "solving", "agent")
    if wish.table is not None:
        if wish.runs is not None:
            raise ParameterError("cheat's tables take no --runs: their counts are over all deals")
        make = partial(cheat.table, int(wish.table), seed=wish.seed, **asked)
        return Job(make, cheat_pictures.draw_costs, _print_costs, "solving", "agent")
    figure = partial(cheat_rates.figure, int(str(wish.figure)), seed=wish.seed, **asked)
    return Job(figure, cheat_pictures.draw_rates, _print_rates, "training", "run")


def _original(wish: Wish) -> Job:
    from counterfold.experiments import cheat_original

    if wish.minutes is not None and not 0 < wish.minutes < float("inf"):
        raise ParameterError(f"--minutes is {wish.minutes:g}, and must be above 0")
    make_folder(wish.folder)

    def make(on_progress: Any) -> Any:
        return cheat_original.original_table(
            minutes=5.0 if wish.minutes is None else wish.minutes,
            seed=wish.seed,
            folder=wish.folder,
            on_progress=lambda _, part: on_progress(int(1000 * part), 1000),
        )

    return Job(make, _no_picture, _print_original, "training", "part")


def _no_picture(found: Any) -> Any:
    raise ParameterError("the table of the original game has no picture: leave --plot out")


def _print_original(found: Any) -> None:
    advise(
        "The original Cheat: 52 cards, no health points. Strategies trained against themselves by "
        "sampled CFR over an abstraction, with a horizon that moves away; none has met a bot."
    )
    say()
    rows = [["players", "training", "games", "infosets", "against", "wins", "95%", "fair"]]
    for row in found.rows:
        for one in row.contests:
            low, high = one.interval
            rows.append(
                [
                    str(row.players),
                    duration(row.seconds),
                    f"{row.training_games:,}",
                    f"{row.infosets:,}",
                    one.agents[1],
                    f"{one.rate:.4f}",
                    f"{low:.4f} to {high:.4f}",
                    f"{one.fair:.3f}",
                ]
            )
    print_columns(rows)
    say()
    unfinished = sum(one.unfinished for row in found.rows for one in row.contests)
    advise(
        f"Bots sit in all other seats, and seats change from game to game. {unfinished:,} games "
        "were not over at the limit of turns and count as a fair share."
    )


def _print_prices(found: Any) -> None:
    advise(
        f"What a view costs in Mini-Cheat with {found.health} health points: the exact "
        f"exploitability of the average strategy in the game itself ({found.infosets:,} infosets), "
        "against responders who remember everything. Every iteration goes through every deal."
    )
    say()
    rows = [["agent", "infosets", *found.columns]]
    for row in found.rows:
        cells = [f"{row.exploitability[column]:.2g}" for column in found.columns]
        rows.append([row.agent, f"{row.infosets:,}", *cells])
    print_columns(rows)
    say()
    advise(f"Uniform play has {found.uniform:.3f}. CPU time {duration(found.cpu_seconds)}.")


def _print_costs(found: Any) -> None:
    from counterfold.experiments.cheat import NAMES

    kind = "with" if found.number == 2 else "without"
    advise(
        f"Cheat, table {found.number}: the four agents {kind} infoset abstraction in Mini-Cheat "
        f"with so many health points, {found.iterations:,} chance-sampled iterations of CFR, "
        "simultaneous updates."
    )
    say()
    rows = [
        ["agent", "health", "infosets", "sd", "published", "off, sd", "reachable", "CPU s",
         "published s", "faster", "MB"]
    ]  # fmt: skip
    for row in found.rows:
        rows.append(
            [
                NAMES[row.view] + ("†" if found.number == 2 else ""),
                str(row.health),
                f"{row.expected:,.0f}",
                f"{row.spread:,.1f}",
                f"{row.paper_infosets:,}",
                f"{row.off:+.1f}",
                f"{row.reachable:,}",
                f"{row.cpu_seconds:,.2f}",
                f"{row.paper_seconds:,}",
                f"{row.paper_seconds / max(row.cpu_seconds, 1e-9):,.0f}x",
                f"{row.megabytes:,.1f}",
            ]
        )
    print_columns(rows)
    say()
    advise(
        "Infosets are those met in so many sampled deals: the exact mean over all runs, and the "
        "standard deviation of one. Keys: player, hand, rank, claim, whether another has one card "
        "left; HP-aware: both health points; with a history: of each round the cards claimed and "
        "whether they were challenged."
        + (
            " †: cards relative to the current rank, which is left out, and the last 3 rounds. "
            "Three rounds cannot tell apart as many as were published for agents with a history."
            if found.number == 2
            else ""
        )
    )
    _print_findings(found)


def _print_rates(found: Any) -> None:
    from counterfold.experiments.cheat_rates import TRAINED_IN

    health = TRAINED_IN[found.number]
    told = {
        1: f"training in Cheat-{health}, win rates by iteration",
        2: f"trained in Cheat-{health}, win rates in games with other health points",
        3: f"training in Cheat-{health}, from nothing and after Cheat-{health - 1}; "
        "win rates by iteration",
    }[found.number]
    advise(
        f"Cheat, figure {found.number}: {told}. Means of {found.runs} runs of "
        f"{found.iterations:,} chance-sampled iterations, {found.games:,} games at each mark; "
        "± is half a 95% interval over runs. † with infoset abstraction."
    )
    for bot in ("random", "heuristic"):
        own = [curve for curve in found.curves if curve.bot == bot]
        marks = own[0].marks
        early = [mark for mark in marks if mark <= found.iterations]
        some = [*early[:: max(1, (len(early) - 1) // 5)], *marks[len(early) :]]
        shown = list(marks) if found.number == 2 else some
        say()
        say(f"against the {bot} bot")
        head = [f"C-{mark}" if found.number == 2 else f"{mark:,}" for mark in shown]
        rows = [["agent", *(["start"] if found.number == 3 else []), *head, "±"]]
        for curve in own:
            start = ["carried over" if curve.start == "carried" else "nothing"]
            rows.append(
                [
                    curve.name,
                    *(start if found.number == 3 else []),
                    *(f"{curve.at(mark):.3f}" for mark in shown),
                    "" if curve.margins[-1] != curve.margins[-1] else f"{curve.margins[-1]:.3f}",
                ]
            )
        if bot == "random":
            line = [found.baseline.get(mark if found.number == 2 else health) for mark in shown]
            cells = ["" if one is None else f"{one.rate:.3f}" for one in line]
            rows.append(["heuristic bot", *([""] if found.number == 3 else []), *cells, ""])
        print_columns(rows)
    _print_findings(found)


def _print_findings(found: Any) -> None:
    say()
    say("What the paper finds, and whether it holds here:")
    for finding in found.findings():
        say(f"  {'yes' if finding.holds else 'no ':3}  {finding.claim}")
        say(f"       {finding.measured}")
    say()
    advise(f"CPU time {duration(found.cpu_seconds)}.")
