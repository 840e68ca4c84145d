"""The verb for games that are solved in stages."""

from __future__ import annotations

from dataclasses import MISSING, dataclass

from counterfold.cli import options
from counterfold.cli.options import argument, flag, number, option
from counterfold.cli.request import Answered, InPieces, Kept, verb


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
    epilog="""Once for many blueprints: every game with this deck and these streets takes the file
(`blueprint --cards FILE`). Hands are compared on the last street by their equities against eight
groups of opponents' hands, and before it by what they can become: potential is by the next street's
buckets, equity by the equity in the end. In games with one street of boards, worth compares them by
what each action is worth in a short run without buckets, and loses least. Ctrl-C ends it
with its work in the file; the same command goes on. With 200 buckets a street hold'em takes
minutes, with 1,000 up to an hour. A cluster makes the same tables, in pieces of boards; its workers
elsewhere need a --library.

\b
Keys of --json: game, kind, seed, streets (cards, buckets, boards, fingerprint), bytes,
seconds, cpu_seconds, saved.
"""
)
@dataclass(frozen=True)
class BucketsRequest(InPieces):
    """Sort poker hands into buckets, and keep them for blueprints."""

    game: str = argument("GAME", "holdem (all four streets), fhp, or a spot.")
    save: str = option("FILE", "Where they go; may be half done.", default=MISSING)
    buckets: str = option("N[,N,N]", "Buckets on each street after the first cards.", default="200")
    kind: str = option("KIND", "potential, equity, or worth for fhp.", default="potential")
    seconds: options.Seconds = None
    threads: int = option("N", "Any number makes the same buckets.", default=2)
    seed: options.Seed = 0


@verb(
    epilog="""For poker that does not fit hand by hand: hands that are worth much the same share a
bucket on each street, and deals are sampled. `counterfold blueprint fhp --exact` is that of
the paper on safe exploitation search. Ctrl-C ends it with its work saved, if there is a file.
Usually 10 million iterations. With --against it is a restricted Nash response to one who plays
by another blueprint. Tables have two to six players and more; what a response over the same
buckets would gain in each seat is told on the way and in the end, with its standard error.
With --cluster every worker trains a copy of the table, or a part of it (--parts), and they are
merged now and then.

\b
Keys of --json: game, method, traversal, buckets, iterations,
traversals_a_cpu_second, nodes, infoset_actions, memory, seconds, cpu_seconds,
seed, values, exploitability, percent_of_pot, mbb, gains (player, gain, error),
answer (model, player, p, winnings, guarantee), saved, strategy, merged (copies, parts, merges,
bytes; null without --cluster),
statistics (of tables, by seat; see show --stats).
With --dry-run: game, players, nodes, decisions, buckets, infosets, infoset_actions, memory,
memory_at_hand.
"""
)
@dataclass(frozen=True)
class BlueprintRequest(Kept):
    """Solve poker by sampling over buckets of hands."""

    game: str = argument("GAME", "holdem:3max, fhp, a table or a spot in JSON.")
    buckets: str = option("N[,N,N]", "Buckets on each street after the first cards.", default="200")
    kind: str = option("KIND", "Of buckets: potential, equity or worth.", default="potential")
    cards: str | None = option("FILE", "Keep the buckets there, and take them if it exists.")
    method: str = option("NAME", "cfr, cfr+, linear, dcfr, dcfr+ or hs-dcfr.", default="linear")
    traversal: str = option(
        "KIND", "external, or public: all hands on one board.", default="external"
    )
    prune: bool = flag("Skip actions that are far behind in 19 of 20 walks.")
    iterations: options.Iterations = None
    seconds: options.Seconds = None
    minutes: float | None = option("M", "The same in minutes.")
    threads: int = option(
        "N",
        "They share one table; 1 makes a seed repeatable. On a cluster: copies. [1, or a worker's]",
        default=1,
    )
    cluster: options.Cluster = None
    library: str | None = option(
        "ADDRESS", "Where the workers of a cluster elsewhere hand tables on: a folder or s3://..."
    )
    merge_every: int | None = number(
        "N", "On a cluster: iterations between two merges. [a fiftieth of those so far]"
    )
    parts: int | None = number(
        "N", "On a cluster: cut the table by public line into N, so that nobody trains all of it."
    )
    seed: options.Seed = 0
    against: str | None = option("FILE", "Answer an opponent: a checkpoint of the same buckets.")
    player: options.Player = 1
    rnr: options.Trust = None
    strategy: str | None = option("FILE", "Write the strategy hand by hand, for `show`.")
    exact: bool = flag("Measure it in the game without buckets, if that fits.")
    dry_run: bool = flag("Only tell what it would take in memory.")
