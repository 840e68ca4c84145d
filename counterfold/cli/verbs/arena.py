"""The verbs of the arena: matches, tournaments, records of hands, and who can play."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold.cli.app import GameAgain, Json, Quiet, app, count

Game = Annotated[
    str | None, typer.Option(metavar="GAME", help="As for `counterfold solve`.", show_default=False)
]
Duplicate = Annotated[
    bool,
    typer.Option("--duplicate", help="Play every deal once for each way of sitting: less luck."),
]
Reveal = Annotated[bool, typer.Option("--reveal", help="Show learners all cards after every hand.")]


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
    agents: Annotated[
        list[str] | None,
        typer.Argument(metavar="AGENT", help="Who plays: two, or as many as the game takes."),
    ] = None,
    game: Game = None,
    hands: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=count,
            help="Hands in all. [100,000; 1,000 with an agent written in Python or at a spot]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Of the deals and all choices. [0]"),
    ] = None,
    duplicate: Duplicate = False,
    reveal: Reveal = False,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="S", help="Seconds a move for agents written in Python. [10]"),
    ] = None,
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
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Keep the match, learners and all, to go on later."),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Go on with a saved match (and save there, unless --save is given).",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the win rates, as .png, .svg or .pdf."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let agents play, and tell who wins how much, with 95% intervals."""
    from counterfold.cli.match import Request, run

    run(
        Request(
            agents=tuple(agents or ()),
            game=game,
            hands=hands,
            seed=seed,
            duplicate=duplicate,
            reveal=reveal,
            time_limit=time_limit,
            on_fault=on_fault,
            stranger=stranger,
            record=record,
            save=save,
            resume=resume,
            plot=plot,
            json=json,
            quiet=quiet,
        )
    )


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
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT", help="As for `counterfold match`.")
    ] = None,
    game: Game = None,
    hands: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=count,
            help="Hands of a match. [100,000; 1,000 with an agent written in Python or at a spot]",
        ),
    ] = None,
    matches: Annotated[
        int,
        typer.Option(
            metavar="M",
            parser=count,
            help="Matches of each pair; from 2 on, intervals come from their spread.",
        ),
    ] = 1,
    seed: Annotated[
        int, typer.Option(metavar="N", parser=count, help="Of the deals and all choices.")
    ] = 0,
    duplicate: Duplicate = False,
    reveal: Reveal = False,
    time_limit: Annotated[
        float, typer.Option(metavar="S", help="Seconds a move for agents written in Python.")
    ] = 10.0,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write CSV there; - is standard output.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the table, as .png, .svg or .pdf."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let all agents play each other, and rank them."""
    from counterfold.cli.tournament import Request, run

    run(
        Request(
            agents=tuple(agents or ()),
            game=game,
            hands=hands,
            matches=matches,
            seed=seed,
            duplicate=duplicate,
            reveal=reveal,
            time_limit=time_limit,
            csv=csv,
            plot=plot,
            json=json,
            quiet=quiet,
        )
    )


@app.command(
    epilog="""Type `?` at the table for the keys. Ctrl-D or `q` leaves; a session that is saved can
be resumed."""
)
def play(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="As for `counterfold solve`.")
    ] = None,
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
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep the session, to go on later.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="FILE", help="Go on with a saved session.")
    ] = None,
    again: GameAgain = None,
    hints: Annotated[
        bool, typer.Option("--hints", help="Tell before every move what would be right.")
    ] = False,
    quiet: Quiet = False,
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
    game: GameAgain = None,
    json: Json = False,
    quiet: Quiet = False,
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
def agents(json: Json = False) -> None:
    """List the agents that have a name."""
    from counterfold.cli.agents import run

    run(json)
