"""The verb for games that are solved in stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from counterfold.cli import options
from counterfold.cli.options import flag, number, option
from counterfold.cli.request import Answered, verb


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
class CurriculumRequest(Answered):
    """Solve a game that grows, stage by stage, each from what the last one taught."""

    game: options.MaybeGame = None
    health: str | None = option("N,N,...", "Health points of the stages: 3,4,5.")
    order: str | None = option("NAME=N,N,...", "Another parameter that grows, for any game.")
    view: str | None = option("VIEW", "What players see, where a game has views.")
    abstract: tuple[str, ...] = option(
        "MAP", "cards, rounds=K, drop=PART...; may be given again.", default=()
    )
    iterations: options.Iterations = None
    method: options.OtherMethod = None
    traversal: options.Traversal = None
    seed: options.MaybeSeed = None
    hands: int | None = number("N", "Games against each bot after each stage.")
    save: str | None = option("DIR", "A checkpoint for each stage goes there.")
    resume: options.Resume = None
    plot: options.Plot = None


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
class BlueprintRequest(Answered):
    """Solve poker by sampling over buckets of hands."""

    game: Annotated[
        str, typer.Argument(metavar="GAME", help="fhp, or a spot in JSON, before the flop too.")
    ]
    buckets: int = number(
        "N", "Buckets a street after the flop. [200]", default=200, show_default=False
    )
    cards: str | None = option("FILE", "Keep the buckets there, and take them if it exists.")
    method: str = option("NAME", "cfr, cfr+, linear, dcfr, dcfr+ or hs-dcfr.", default="linear")
    traversal: str = option(
        "KIND", "external, or public: all hands on one board.", default="external"
    )
    iterations: options.Iterations = None
    seconds: options.Seconds = None
    threads: int = option("N", "They share one table; 1 makes a seed repeatable.", default=1)
    seed: options.Seed = 0
    save: options.Save = None
    resume: options.Resume = None
    against: str | None = option("FILE", "Answer an opponent: a checkpoint of the same buckets.")
    player: options.Player = 1
    rnr: options.Trust = None
    strategy: str | None = option("FILE", "Write the strategy hand by hand, for `show`.")
    exact: bool = flag("Measure it in the game without buckets, if that fits.")
