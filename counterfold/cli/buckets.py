"""``counterfold buckets``: hands sorted into buckets once, for many blueprints."""

from __future__ import annotations

import os
import shlex
import time
from typing import TYPE_CHECKING

from counterfold.cli import clock
from counterfold.cli.certificate import print_panel
from counterfold.cli.output import (
    StoppedError,
    advise,
    duration,
    print_json,
    size,
)
from counterfold.cli.progress import Watch
from counterfold.cli.request import check_files
from counterfold.cli.verbs.abstracting import BucketsRequest
from counterfold.errors import ClusterError, FileError, OutOfTimeError, ParameterError
from counterfold.pieces.cluster import Crew, check_place, crew_at
from counterfold.solvers.until import Until
from counterfold.tree.named import poker_game

if TYPE_CHECKING:
    from counterfold.abstraction.bucket_maker import Recipe
    from counterfold.abstraction.buckets import Buckets
    from counterfold.poker.game import PokerGame

HOLDEM = (0, 3, 4, 5)
STREETS = {0: "before the flop", 1: "board", 3: "flop", 4: "turn", 5: "river"}


def run(request: BucketsRequest) -> None:
    """Make buckets, or go on with those of the file, and tell of them."""
    game, recipe = _recipe(request)
    check_files(request)
    if request.cluster is not None:
        check_place(request.cluster, request.library)
    elif request.library:
        raise ParameterError("--library is for work on a cluster: name one with --cluster")
    began, worked = time.perf_counter(), time.process_time()
    with Watch(request.quiet) as watch:
        try:
            until = None if request.seconds is None else Until(seconds=request.seconds)
            with crew_at(request.cluster, request.library, watch.doing) as crew:
                made = find_buckets(recipe, request.save, until, watch, request.threads, game, crew)
        except OutOfTimeError as error:
            raise OutOfTimeError(_farewell(request, str(error))) from None
        except (ClusterError, FileError) as error:
            if request.cluster is None:
                raise
            raise type(error)(_farewell(request, str(error))) from None
        except KeyboardInterrupt:
            told = _farewell(request, "stopped before the buckets were done")
            raise StoppedError(told) from None
    _tell(request, made, time.perf_counter() - began, time.process_time() - worked)


def _farewell(request: BucketsRequest, told: str) -> str:
    if not os.path.exists(request.save):
        return f"{told}; nothing is done so far that could be kept"
    words = ["counterfold", "buckets", request.game, "--save", request.save]
    words += ["--buckets", request.buckets, "--kind", request.kind]
    words += ["--seed", str(request.seed)] if request.seed else []
    for option in ("cluster", "library"):
        value = getattr(request, option)
        words += [] if value is None else [f"--{option}", value]
    return f"{told}; what is done is kept in {request.save}: go on with `{shlex.join(words)}`"


def counts_in(text: str) -> int | tuple[int, ...]:
    """How many buckets: one number, or one for each street.

    >>> counts_in("200"), counts_in("200,1000,1000")
    (200, (200, 1000, 1000))
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise ParameterError(f"buckets are a number, or one for each street, not {text!r}")
    counts = tuple(int(part[:9]) for part in parts)
    return counts[0] if len(counts) == 1 else counts


def find_buckets(
    recipe: Recipe,
    path: str | None,
    until: Until | None,
    watch: Watch,
    threads: int = 2,
    game: PokerGame | None = None,
    crew: Crew | None = None,
) -> tuple[Buckets, ...]:
    """The buckets of a file, those that it has begun, or new ones, which are then kept there."""
    from counterfold.abstraction.bucket_maker import BucketMaker
    from counterfold.abstraction.buckets import BUILD, load_buckets
    from counterfold.files.arrays import header_of

    if path is not None and os.path.exists(path) and header_of(path).get("kind") != BUILD:
        watch.doing("reading the buckets")
        found = load_buckets(path)
        recipe.check(found, path)
        return found

    def look(what: str, share: float) -> None:
        note = f"{what}, {100 * share:.0f}%"
        watch.part("sorting hands into buckets", share, 1.0, note)
        if until is not None:
            clock.check(until, "while hands were sorted into buckets")

    return BucketMaker(recipe, game=game, threads=threads, path=path, look=look, crew=crew).make()


def _recipe(request: BucketsRequest) -> tuple[PokerGame | None, Recipe]:
    from counterfold.abstraction.bucket_maker import Recipe

    counts = counts_in(request.buckets)
    if request.game == "holdem":
        return None, Recipe.of(HOLDEM, counts, request.kind, request.seed)
    game = poker_game(request.game)
    return game, Recipe.for_game(game, counts, request.kind, request.seed)


def _tell(
    request: BucketsRequest, made: tuple[Buckets, ...], seconds: float, worked: float
) -> None:
    later = [one for one in made if one.cards]
    told = {
        "game": request.game,
        "kind": request.kind,
        "seed": request.seed,
        "streets": [
            {"cards": one.cards, "buckets": one.count, "boards": len(one.table),
             "fingerprint": one.fingerprint}
            for one in made
        ],
        "bytes": os.path.getsize(request.save),
        "seconds": seconds,
        "cpu_seconds": worked,
        "saved": request.save,
    }  # fmt: skip
    if request.json:
        print_json(told)
        return
    lines = [("game", request.game), ("kind", f"{request.kind}, seed {request.seed}")]
    lines += [
        (STREETS[one.cards], f"{one.count:,} buckets, {len(one.table):,} boards up to suits")
        for one in later
    ]
    lines.append(("time", f"{duration(worked)} CPU, {duration(seconds)} wall"))
    lines.append(("saved", f"{request.save}, {size(os.path.getsize(request.save))}"))
    print_panel("Buckets", lines)
    advise(f"Use them with `counterfold blueprint GAME --cards {shlex.quote(request.save)}`.")
