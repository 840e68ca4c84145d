"""The verb for games that are solved in stages."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfold.cli.app import Json, Quiet, app, count


@app.command(
    epilog="""Each stage begins from the regrets and the average strategy of the one before: the
infoset of the same name, or the nearest, with health points clipped to what the smaller game has.
Cheat's views are memoryless, hp, history, general and perfect; maps are cards (relative to the
current rank), rounds=K (the last K rounds), drop=PART and keep=PART+PART. Ctrl-C ends it with its
work saved, if there is a folder.

\b
Keys of --json: games, method, traversal, alternating, seed, stages (number, game,
iteration, iterations, histories, infosets, same, nearest, fresh, value,
compile_seconds, seconds, cpu_seconds, win_rates (against, hands, share, low, high,
draws), file), saved, plot.
"""
)
def curriculum(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Such as cheat:mini.", show_default=False)
    ] = None,
    health: Annotated[
        str | None, typer.Option(metavar="N,N,...", help="Health points of the stages: 3,4,5.")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(metavar="NAME=N,N,...", help="Another parameter that grows, for any game."),
    ] = None,
    view: Annotated[
        str | None, typer.Option(metavar="VIEW", help="What players see, where a game has views.")
    ] = None,
    abstract: Annotated[
        list[str] | None,
        typer.Option(metavar="MAP", help="cards, rounds=K, drop=PART...; may be given again."),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="In each stage. [100]")
    ] = None,
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="As for `counterfold solve`. [cfr]")
    ] = None,
    traversal: Annotated[
        str | None, typer.Option(metavar="KIND", help="full, chance, external or outcome. [full]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="Of samples and games. [0]")
    ] = None,
    hands: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=count,
            help="Games against each bot after each stage, where there are bots. [500]",
        ),
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="DIR", help="A checkpoint for each stage goes there.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="DIR", help="Go on with a saved curriculum.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the win rates, as .png, .svg or .pdf."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve a game that grows, stage by stage, each from what the last one taught."""
    from counterfold.cli.curriculum import Request, run

    run(
        Request(
            game=game,
            health=health,
            order=order,
            view=view,
            abstract=tuple(abstract or ()),
            iterations=iterations,
            method=method,
            traversal=traversal,
            seed=seed,
            hands=hands,
            save=save,
            resume=resume,
            plot=plot,
            json=json,
            quiet=quiet,
        )
    )


@app.command(
    epilog="""For poker that does not fit hand by hand: hands that are worth much the same share a
bucket on each street, and deals are sampled. `counterfold blueprint fhp --exact` is that of
the paper on safe exploitation search. Ctrl-C ends it with its work saved, if there is a file.
With --against it is a restricted Nash response to one who plays by another blueprint.

\\b
Keys of --json: game, method, traversal, buckets, iterations,
traversals_a_cpu_second, nodes, infoset_actions, memory, seconds, cpu_seconds,
seed, values, exploitability, percent_of_pot, mbb, answer (model, seat, p,
winnings, guarantee), saved, strategy.
"""
)
def blueprint(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="fhp, or a spot in JSON, before the flop too.")
    ],
    buckets: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Buckets a street after the flop. [200]"),
    ] = None,
    cards: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Keep the buckets there, and take them if it exists."),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="cfr, cfr+, linear, dcfr, dcfr+ or hs-dcfr.")
    ] = "linear",
    traversal: Annotated[
        str, typer.Option(metavar="KIND", help="external, or public: all hands on one board.")
    ] = "external",
    iterations: Annotated[
        int | None,
        typer.Option(metavar="N", parser=count, help="Two walks each. [10 million]"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="Seconds for all of it, buckets and --exact included."),
    ] = None,
    threads: Annotated[
        int, typer.Option(metavar="N", help="They share one table; 1 makes a seed repeatable.")
    ] = 1,
    seed: Annotated[
        int | None, typer.Option(metavar="N", parser=count, help="Of buckets and deals. [0]")
    ] = None,
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a checkpoint to go on from, once a minute too."),
    ] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="FILE", help="Go on from a checkpoint, and write it back.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Answer an opponent: a checkpoint of the same buckets."),
    ] = None,
    seat: Annotated[int, typer.Option(metavar="N", help="Where you sit, counted from 1.")] = 1,
    rnr: Annotated[
        float | None,
        typer.Option(metavar="P", help="How far to trust that the opponent plays so, 0 to 1."),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the strategy hand by hand, for `show`."),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Measure it in the game without buckets, if that fits.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve poker by sampling over buckets of hands."""
    from counterfold.cli.blueprint import Wish, run

    run(
        Wish(
            game, 200 if buckets is None else buckets, cards, method, traversal, iterations,
            seconds, threads, seed or 0, save, resume, against, seat, rnr, strategy, exact, json,
            quiet,
        )
    )  # fmt: skip
