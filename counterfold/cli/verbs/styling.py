"""The verb that gives a strategy a style."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from counterfold.cli.app import Json, Quiet, app, count
from counterfold.cli.verbs.solving import low


@app.command(
    epilog="""Frequencies are shares of the decisions where an action can be taken, each infoset
counted as often as play gets there. A style may be left out if a frontier is asked for.
In a poker spot every hand is played at once, and what is told is of the first street.

\b
Keys of --json: game, style, cost (in exploitability), plain and styled (the keys of
`solve --json`), by_player, by_round, by_hand (player, round, hand, action, plain,
styled), distance (mean, largest, player, infoset, action), seats (player, plain,
styled, styled_against_plain, plain_against_styled, plain_guarantee,
styled_guarantee, cost), frontier (frequency, value, points: epsilon, low, high;
strategies: name, cost, frequency, low, high), saved, plot. Of a spot: game, style,
cost, plain, styled, first and street (player, action, plain, styled), seats, saved.
"""
)
def style(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="As for `counterfold solve`, spots too.")
    ],
    prefer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ACTION=N",
            help="Like an action N times as much; may be given again. In a spot also "
            "oop:raise@turn=N or ip:call[JJ-22]=N.",
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FREQUENCY=X",
            help="Instead of preferences: find the style that meets this, such as "
            "raise@round1=0.6; may be given again.",
        ),
    ] = None,
    give_up: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Average regret that may be ignored at each such infoset; with --target, the "
            "most exploitability to spend. [0]",
        ),
    ] = None,
    player: Annotated[
        int | None, typer.Option(metavar="N", help="Only for this player, counted from 1.")
    ] = None,
    seen: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN", help="Only where the infoset's name has this part or fits this glob."
        ),
    ] = None,
    round: Annotated[
        int | None, typer.Option(metavar="N", help="Only in this round, counted from 1.")
    ] = None,
    best: Annotated[
        bool,
        typer.Option(
            "--best", help="Play the heaviest action alone, Pref-CFR(BR): a stronger pull."
        ),
    ] = False,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A style of poker: aggressive, passive, loose, tight."),
    ] = None,
    strength: Annotated[
        float | None, typer.Option(metavar="N", help="How strong the preset is, from 1 up. [5]")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="As for `counterfold solve`, but not lp. [cfr; sapcfr+ with --target; in spots as "
            "there]",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Stop each run after so many. [10,000]"),
    ] = None,
    exploitability: Annotated[
        Any,
        typer.Option(
            metavar="X",
            parser=low,
            help="Stop a run when its exact exploitability is as low; in poker 0.5% of the pot or "
            "1mbb, too.",
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Stop after so many seconds in all.")
    ] = None,
    traversal: Annotated[
        str, typer.Option(metavar="KIND", help="full, chance, external or outcome sampling.")
    ] = "full",
    seed: Annotated[int, typer.Option(metavar="N", parser=count, help="For sampling.")] = 0,
    frontier: Annotated[
        str | None,
        typer.Option(
            metavar="FREQUENCY",
            help="Also tell exactly how often a player can do this at what cost: bet@J, "
            "raise@round1, player2:fold+call.",
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(metavar="X,X,...", help="Costs on the frontier. [0,0.01,0.02,0.05,0.1]"),
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the styled strategy.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the comparison, as .png, .svg or .pdf."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Give a strategy a style, and tell exactly what the style changes and costs."""
    if target:
        from counterfold.cli import target as targets
        from counterfold.errors import ParameterError

        given = (prefer, player, seen, round, best, preset, strength, exploitability, seconds)
        if any(given) or traversal != "full" or frontier or epsilon:
            raise ParameterError(
                "--target finds the style by itself: only --give-up, --method, --iterations, "
                "--seed, --save, --plot and --json go with it"
            )
        targets.run(
            targets.Request(
                game, tuple(target), give_up, method, iterations, seed, save, plot, json, quiet
            )
        )
        return
    from counterfold.cli.style import Request, run

    run(
        Request(
            game=game,
            prefer=tuple(prefer or ()),
            give_up=give_up,
            player=player,
            seen=seen,
            round=round,
            best=best,
            preset=preset,
            strength=strength,
            method=method,
            iterations=iterations,
            exploitability=exploitability,
            seconds=seconds,
            traversal=traversal,
            seed=seed,
            frontier=frontier,
            epsilon=epsilon,
            save=save,
            plot=plot,
            json=json,
            quiet=quiet,
        )
    )
