"""The verbs of the arena: matches, tournaments, records of hands, and who can play."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold.cli import options
from counterfold.cli.app import app
from counterfold.cli.options import count, request_of


@app.command(
    epilog="""An agent is a name (`counterfold agents` lists them) with its parameters, a strategy
or learner file, or mybot.py:MyBot. Seats alternate. Where strategies are known, luck is taken out
of the score (AIVAT), which keeps the mean and needs fewer hands.

\b
Keys of --json: game, agents, seed, duplicate, reveal, stranger, learning, reports, hands,
scores (for each agent: agent, hands, mean, half (of the 95% interval), by_seat
(mean, half), reduced (mean, half: luck taken out, or null), factor (how many times
fewer hands that needs; null if without_spread), without_spread, exact), faults (by
agent), messages (hand, agent, message), stopped (hands, fault, interrupted),
seconds, cpu_seconds, curve (hands; mean, half, reduced, reduced_half by agent),
record, saved, plot.
"""
)
def match(
    agents: options.Agents = None,
    game: options.GameAtTable = None,
    hands: options.Hands = None,
    seed: options.Seed = None,
    duplicate: options.Duplicate = False,
    reveal: options.Reveal = False,
    time_limit: options.TimeLimit = None,
    on_fault: Annotated[
        str | None,
        typer.Option(
            metavar="go-on|stop",
            help="What happens when an agent breaks the rules, fails or is too slow; it loses the "
            "hand in any case. [go-on]",
        ),
    ] = None,
    stranger: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            help="Judge this one, by name or number from 1, as if its strategy were not known.",
        ),
    ] = None,
    record: Annotated[
        str | None, typer.Option(metavar="FILE.jsonl", help="Write down every hand.")
    ] = None,
    save: options.Save = None,
    resume: options.Resume = None,
    plot: options.Plot = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Let agents play, and tell who wins how much, with 95% intervals."""
    given = locals()
    from counterfold.cli.match import Request, run

    run(request_of(Request, given))


@app.command(
    epilog="""Every pair plays (every line-up of n in a game for n), each match from a fresh start
and with a seed of its own. Luck is taken out where strategies are known; at poker spots, pairs of
strategies are compared exactly.

\b
Keys of --json: game, agents, hands (of a match), matches (of a line-up), seed,
duplicate, table (row against column: mean, half (of the 95% interval), or null),
ranking (agent, mean, half, faults), meetings (agents, matches, mean, half, reduced
(was luck taken out?), exact (by agent, or null)), messages (hand, agent, message),
stopped (matches, interrupted), seconds, cpu_seconds, csv, plot.
"""
)
def tournament(
    agents: options.Agents = None,
    game: options.GameAtTable = None,
    hands: options.Hands = None,
    matches: Annotated[
        int,
        typer.Option(
            metavar="M",
            parser=count,
            help="Matches of each pair; from 2 on, intervals come from their spread.",
        ),
    ] = 1,
    seed: options.Seed = None,
    duplicate: options.Duplicate = False,
    reveal: options.Reveal = False,
    time_limit: options.TimeLimit = None,
    csv: options.Csv = None,
    plot: options.Plot = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Let all agents play each other, and rank them."""
    given = locals()
    from counterfold.cli.tournament import Request, run

    run(request_of(Request, given))


@app.command(
    epilog="""Type `?` at the table for the keys. Ctrl-D or `q` leaves; a session that is saved can
be resumed."""
)
def play(
    game: options.Game = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT",
            help="As for `counterfold match`; given again where more play. [equilibrium]",
        ),
    ] = None,
    hands: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="Leave after so many in all.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="Of the deals. [drawn]")
    ] = None,
    save: options.Save = None,
    resume: options.Resume = None,
    again: options.GameAgain = None,
    hints: Annotated[
        bool, typer.Option("--hints", help="Tell before every move what would be right.")
    ] = False,
    quiet: options.Quiet = False,
) -> None:
    """Sit down at the table yourself."""
    from counterfold.cli.play import run

    run(
        game=game or again,
        against=against,
        hands=hands,
        seed=seed,
        save=save,
        resume=resume,
        hints=hints,
        quiet=quiet,
    )


@app.command(
    epilog="""\b
Keys of --json: record, game, agents, seed, duplicate, hands, scores (as of `match`,
without luck taken out), faults (by agent). With --hand: record, game, hand, seats (names), events
(seat, agent (both null for chance), event, seen (by seat, after it)), shown,
payoffs (by seat), fault (agent, message).
"""
)
def replay(
    record: Annotated[
        str, typer.Argument(metavar="FILE.jsonl", help="What `match --record` has written.")
    ],
    hand: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Tell this hand, numbered as in the file."),
    ] = None,
    game: options.GameAgain = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Play recorded hands again by the rules: score the match, or tell one hand."""
    from counterfold.cli.replay import run

    run(record, game=game, hand=hand, json=json, quiet=quiet)


@app.command(
    epilog="""\b
Keys of --json: agents (name, kind (strategy, learner), told, parameters with their
defaults, null where there is none), also.
"""
)
def agents(json: options.Json = False) -> None:
    """List the agents that have a name."""
    from counterfold.cli.agents import run

    run(json)
