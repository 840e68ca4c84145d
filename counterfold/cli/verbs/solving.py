"""The verbs that find a strategy and read it."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold.cli.app import Json, Memory, Quiet, app, count


@app.command()
def games(
    name: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="A game to look at more closely.")
    ] = None,
    json: Json = False,
) -> None:
    """List the games that have a name, or tell more about one."""
    from counterfold.cli.games import describe, overview

    overview(json) if name is None else describe(name, json)


@app.command(
    epilog="""A limit that is given replaces the default ones; the first that is reached ends the
run. Ctrl-C ends it too, with its work saved.

\b
Keys of --json: game, method, traversal, iterations, value (to player 1), values,
exploitability (exact), nash_conv (by player), cce_gap, histories, infosets,
seconds, cpu_seconds, compile_seconds, stopped (exploitability, iterations,
seconds, interrupted, optimum), promise, trace (iteration, cpu_seconds,
exploitability, cce_gap).
"""
)
def solve(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            help="A name such as leduc or 'one_card(ranks=13)' (see `counterfold games`), "
            "mygame.py:MyGame, openspiel:NAME, or a .efg, .txt or .json file.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="cfr, cfr+, linear, dcfr, dcfr+, pcfr+, pdcfr+, sapcfr+, hs-dcfr, hs-pcfr+ "
            "(parameters may follow in brackets), or lp. [sapcfr+]",
        ),
    ] = None,
    traversal: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="full, chance, external or outcome sampling. [full]"),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=count, help="Stop after so many in all. [1,000,000 if full]"
        ),
    ] = None,
    exploitability: Annotated[
        float | None,
        typer.Option(
            "--exploitability",
            "--target",
            metavar="X",
            help="Stop when the exact exploitability is as low. [1e-6; 1e-3 if sampled]",
        ),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Stop after so many seconds. [60]")
    ] = None,
    simultaneous: Annotated[
        bool | None,
        typer.Option("--simultaneous/--alternating", help="When the players update. [alternating]"),
    ] = None,
    last_iterate: Annotated[
        bool | None,
        typer.Option("--last-iterate/--average", help="Which strategy is the answer. [average]"),
    ] = None,
    dtype: Annotated[
        str | None, typer.Option(metavar="TYPE", help="float64 or float32. [float64]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="For sampling. [0]")
    ] = None,
    explore: Annotated[
        float | None, typer.Option(metavar="E", help="Exploration of outcome sampling. [0.6]")
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the strategy, ready to be resumed.")
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Also save about every N iterations."),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Go on from a saved run (and save there, unless --save is given)."
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the convergence, as .png, .svg or .pdf."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what the game would take in memory.")
    ] = False,
    memory: Memory = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve a game and certify the result: exact value and exploitability."""
    from counterfold.cli.solve import Request, run

    run(
        Request(
            game=game,
            method=method,
            traversal=traversal,
            iterations=iterations,
            exploitability=exploitability,
            seconds=seconds,
            alternating=None if simultaneous is None else not simultaneous,
            average=None if last_iterate is None else not last_iterate,
            dtype=dtype,
            seed=seed,
            explore=explore,
            save=save,
            every=every,
            resume=resume,
            plot=plot,
            dry_run=dry_run,
            memory=memory,
            json=json,
            quiet=quiet,
        )
    )


@app.command()
def show(
    what: Annotated[
        str,
        typer.Argument(metavar="FILE|GAME", help="A saved strategy, or a game to solve first."),
    ],
    pattern: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATTERN]",
            help="Infosets to show: a part of the name, or a glob such as 'K*bet'.",
        ),
    ] = None,
    player: Annotated[
        int | None, typer.Option(metavar="N", help="Only this player, counted from 1.")
    ] = None,
    sort: Annotated[str, typer.Option(metavar="ORDER", help="play or name.")] = "play",
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", help="Rows to print, 0 for all. [40 on a terminal, else all]"),
    ] = None,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write CSV there; - is standard output.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print a strategy as people read it."""
    from counterfold.cli.show import run

    run(what, pattern, player, sort=sort, limit=limit, csv=csv, json=json, quiet=quiet)
