"""The verb for games that are solved in stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from counterfold.cli import options
from counterfold.cli.options import count
from counterfold.cli.request import verb


@verb(
    epilog="""Usually 100 iterations of cfr a stage, and then 500 games against each bot where there
are bots. Each stage begins from the regrets and the average strategy of the one before: the
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
@dataclass(frozen=True)
class CurriculumRequest:
    """Solve a game that grows, stage by stage, each from what the last one taught."""

    game: options.MaybeGame = None
    health: Annotated[
        str | None, typer.Option(metavar="N,N,...", help="Health points of the stages: 3,4,5.")
    ] = None
    order: Annotated[
        str | None,
        typer.Option(metavar="NAME=N,N,...", help="Another parameter that grows, for any game."),
    ] = None
    view: Annotated[
        str | None, typer.Option(metavar="VIEW", help="What players see, where a game has views.")
    ] = None
    abstract: Annotated[
        tuple[str, ...],
        typer.Option(metavar="MAP", help="cards, rounds=K, drop=PART...; may be given again."),
    ] = ()
    iterations: options.Iterations = None
    method: options.OtherMethod = None
    traversal: options.Traversal = None
    seed: options.MaybeSeed = None
    hands: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=count,
            help="Games against each bot after each stage.",
        ),
    ] = None
    save: Annotated[
        str | None, typer.Option(metavar="DIR", help="A checkpoint for each stage goes there.")
    ] = None
    resume: options.Resume = None
    plot: options.Plot = None
    json: options.Json = False
    quiet: options.Quiet = False


@verb(
    epilog="""For poker that does not fit hand by hand: hands that are worth much the same share a
bucket on each street, and deals are sampled. `counterfold blueprint fhp --exact` is that of
the paper on safe exploitation search. Ctrl-C ends it with its work saved, if there is a file.
Usually 10 million iterations. With --against it is a restricted Nash response to one who plays
by another blueprint.

\\b
Keys of --json: game, method, traversal, buckets, iterations,
traversals_a_cpu_second, nodes, infoset_actions, memory, seconds, cpu_seconds,
seed, values, exploitability, percent_of_pot, mbb, answer (model, player, p,
winnings, guarantee), saved, strategy.
"""
)
@dataclass(frozen=True)
class BlueprintRequest:
    """Solve poker by sampling over buckets of hands."""

    game: Annotated[
        str, typer.Argument(metavar="GAME", help="fhp, or a spot in JSON, before the flop too.")
    ]
    buckets: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=count,
            show_default=False,
            help="Buckets a street after the flop. [200]",
        ),
    ] = 200
    cards: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Keep the buckets there, and take them if it exists."),
    ] = None
    method: Annotated[
        str, typer.Option(metavar="NAME", help="cfr, cfr+, linear, dcfr, dcfr+ or hs-dcfr.")
    ] = "linear"
    traversal: Annotated[
        str, typer.Option(metavar="KIND", help="external, or public: all hands on one board.")
    ] = "external"
    iterations: options.Iterations = None
    seconds: options.Seconds = None
    threads: Annotated[
        int, typer.Option(metavar="N", help="They share one table; 1 makes a seed repeatable.")
    ] = 1
    seed: options.Seed = 0
    save: options.Save = None
    resume: options.Resume = None
    against: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Answer an opponent: a checkpoint of the same buckets."),
    ] = None
    player: options.Player = 1
    rnr: options.Trust = None
    strategy: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the strategy hand by hand, for `show`."),
    ] = None
    exact: Annotated[
        bool, typer.Option("--exact", help="Measure it in the game without buckets, if that fits.")
    ] = False
    json: options.Json = False
    quiet: options.Quiet = False
