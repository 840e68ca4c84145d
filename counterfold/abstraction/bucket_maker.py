"""Buckets in the making: for games too large for every hand, hands that look alike share one.

Before the flop a bucket is one of the 169 starting hands. On each street after it, from the last
one back, clusters come from k-means on a sample of hands, by what ``features`` compares; then every
hand on every board is given to its nearest center, so that a lookup is one read of a table. What is
done so far can be kept, and a build that goes on from there ends with the same tables, bit for bit,
on any number of threads, and by whatever workers do pieces of it (``bucket_pieces``).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_pieces import Draw, Stage, handed_out
from counterfold.abstraction.buckets import (
    BUILD,
    MOST,
    Buckets,
    board_sizes,
    renamings,
    save_buckets,
    standard_words,
    starting_hands,
)
from counterfold.abstraction.clusters import fit, nearest
from counterfold.abstraction.features import (
    BINS,
    Features,
    Places,
    Points,
    Spread,
    Strength,
    first_spread,
)
from counterfold.arrays import Array, Floats
from counterfold.checkpoints import Checkpoints
from counterfold.errors import FileError, MismatchError, ParameterError, UnsupportedError
from counterfold.files.arrays import read_arrays, write_arrays
from counterfold.files.text import Json
from counterfold.games.spec import choice, whole
from counterfold.pieces.cluster import Crew
from counterfold.poker.cards import CARDS, HOLES
from counterfold.poker.game import PokerGame
from counterfold.poker.isomorphism import hole_classes

KINDS = ("potential", "equity", "worth")
"""What hands are compared by: before the last street the next street's buckets or the equity; on
the last one their equities, or what actions are worth."""
GROUPS = 8
"""Groups of opponents' starting hands, on the last street."""
SAMPLE = 200_000
"""Hands that k-means looks at."""
SAMPLED_BOARDS = {0: 3000, 1: 3000, 2: 400}
"""Boards that they are from, by the cards still to come before those of their histograms."""
STEP, BLOCK = 32, 1024
"""Boards that a thread takes at a time, and that wait for one at the most."""

Look = Callable[[str, float], None]
Rows = tuple[int, int, Array]  # of some boards: from, to, and what they give


@dataclass(frozen=True)
class Recipe:
    """What buckets are made of: two builds of one recipe make the same tables.

    ``sizes`` are those of the boards, (0, 3) for flop hold'em and (0, 3, 4, 5) for hold'em; on
    boards of the last size no card is to come. There are ``counts`` buckets on each after the
    first, or one number for all of them.

    >>> Recipe.of((0, 3, 4, 5), 200).counts
    (200, 200, 200)
    """

    sizes: tuple[int, ...]
    counts: tuple[int, ...]  # of the sizes with cards
    kind: str = KINDS[0]
    seed: int = 0

    @classmethod
    def of(
        cls, sizes: Sequence[int], count: int | Sequence[int] = 200, kind: str = KINDS[0],
        seed: int = 0,
    ) -> Recipe:  # fmt: skip
        """A recipe that can be followed; ParameterError for any other."""
        if not sizes or any(n not in (0, 3, 4, 5) for n in sizes) or list(sizes) != sorted(sizes):
            given = tuple(sizes)
            raise ParameterError(f"boards have 0, 3, 4 or 5 cards, in this order, not {given}")
        streets = sum(size > 0 for size in sizes)
        counts = [count] * streets if isinstance(count, int) else list(count)
        if len(counts) != streets:
            raise ParameterError(f"give one number of buckets, or {streets}: one for each street")
        for number in counts:
            whole("buckets", number, least=1, most=MOST)
        choice("kind", kind, KINDS)
        whole("seed", seed, least=0)
        return cls(tuple(sizes), tuple(counts), kind, seed)

    @classmethod
    def for_game(
        cls, game: PokerGame, count: int | Sequence[int] = 200, kind: str = KINDS[0], seed: int = 0
    ) -> Recipe:
        """The recipe for a hold'em game with a full deck."""
        if game.rules.hole != 2 or sorted(game.rules.deck) != list(range(CARDS)):
            raise UnsupportedError(
                f"{game.name} is not played with two cards each from 52; use a bucket for every "
                "hand"
            )
        made = cls.of(board_sizes(game), count, kind, seed)
        if kind == "worth":
            from counterfold.abstraction.worth import check_worth

            check_worth(game)
        return made

    @property
    def later(self) -> tuple[int, ...]:
        """Boards with cards."""
        return tuple(size for size in self.sizes if size)

    def check(self, buckets: Sequence[Buckets], path: str | os.PathLike[str]) -> None:
        """MismatchError unless buckets of a file were made by this recipe."""
        given = {one.cards: (one.count, one.about) for one in buckets if one.cards}
        if given != {size: (self.count(size), self.about) for size in self.later}:
            raise MismatchError(f"{path} has other buckets than these; name another file")

    @property
    def about(self) -> Json:
        """What buckets tell of how they were made."""
        return {"kind": self.kind, "seed": self.seed, "last": self.sizes[-1]}

    def ahead(self, size: int) -> int:
        """How many cards come before the boards over which hands of a size are spread."""
        if self.kind == "equity" or size == self.sizes[-1]:
            return self.sizes[-1] - size
        return self.later[self.later.index(size) + 1] - size

    def count(self, size: int) -> int:
        """How many buckets there are on boards of a size."""
        return self.counts[self.later.index(size)]


def _drawn(recipe: Recipe, size: int, random: np.random.Generator) -> tuple[Draw, int]:
    """What chance has to do with the clusters of a street: a sample of hands, and a seed."""
    weights = standard_words(size)[1]
    boards = min(len(weights), SAMPLED_BOARDS[recipe.ahead(size)])
    rows = np.sort(random.choice(len(weights), boards, replace=False))
    share = weights[rows] / weights[rows].sum()
    hands = random.multinomial(SAMPLE, share)
    return Draw(rows, hands, random.integers(0, 1 << 63, size=boards)), _seed(random)


def _seed(random: np.random.Generator) -> int:
    return int(random.integers(0, 1 << 63))


class BucketMaker:
    """A build of buckets: ``make`` goes on until it is done.

    It is kept in the file ``path`` now and then, and goes on from there if the file has it. The
    kind "worth" needs the ``game``, or its ``worth`` if that is known already.
    ``look`` is told what is done and which share of the whole, and may end it by raising.
    A ``crew`` does it in pieces, in the place of threads.
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        game: PokerGame | None = None,
        worth: Features | None = None,
        threads: int = 2,
        path: str | os.PathLike[str] | None = None,
        look: Look = lambda what, share: None,
        crew: Crew | None = None,
    ) -> None:
        if recipe.kind == "worth" and game is None and worth is None:
            raise ParameterError("buckets by worth are made for a game: say which")
        if recipe.kind == "worth" and crew is not None:
            raise UnsupportedError(
                "buckets by worth come from one run of the whole game, which is not many pieces: "
                "make them without a cluster"
            )
        self.recipe, self.path, self.game, self._known = recipe, path, game, worth
        self.threads = whole("threads", threads, least=1, most=64)
        self._look, self._crew = look, crew
        random = np.random.default_rng(recipe.seed)
        self._seed = _seed(random)  # of the groups
        self._draws = {size: _drawn(recipe, size, random) for size in reversed(recipe.later)}
        self._group: NDArray[np.uint8] | None = None
        self._centers: dict[int, Points] = {}
        self._tables: dict[int, NDArray[np.uint16]] = {}
        self._done: dict[int, int] = {}  # boards of each table
        self._kept = Checkpoints(None if path is None else self._save)
        if path is not None and os.path.exists(path):
            self._resume(path)

    def make(self) -> tuple[Buckets, ...]:
        """Do what is left to do. What is done is in the file, if there is one, however it ends."""
        recipe = self.recipe
        try:
            if recipe.later and recipe.kind != "worth":
                self._find_groups()
            for size in reversed(recipe.later):
                self._find_centers(size)
                self._fill_table(size)
        except BaseException:
            self._kept.save()
            raise
        made = tuple(self._street(size) if size else starting_hands() for size in recipe.sizes)
        if self.path is not None:
            save_buckets(self.path, made)
        return made

    def _street(self, size: int) -> Buckets:
        words, count = standard_words(size)[2], len(self._centers[size])
        table, about = self._tables[size], self.recipe.about
        return Buckets(size, count, table, words, renamings()[0], about=about)

    # Stages

    def _find_groups(self) -> None:
        """Groups of starting hands, by the equity they come to on the last boards."""
        if self._group is not None:
            return
        spread = self._levels[1]
        if self.recipe.kind != "equity":
            del self._levels  # which is large
        points = np.cumsum(spread, axis=1) / spread.sum(axis=1, keepdims=True)
        # Holes of one class have the same histogram but for rounding, and must share a group.
        points = points[hole_classes().hole][hole_classes().of].astype(np.float32)
        centers = fit(points, GROUPS, self._seed, squared=False)
        self._group = nearest(points, centers, squared=False).astype(np.uint8)
        self._kept.look()

    def _find_centers(self, size: int) -> None:
        if size in self._centers:
            return
        features = self._features(size)
        points = self._sample(size, features)
        count = min(self.recipe.count(size), len(points))
        self._centers[size] = fit(
            points, count, self._draws[size][1], squared=features.squared,
            look=lambda share: self._tell(size, 0.05 + 0.15 * share),
        )  # fmt: skip
        self._kept.look()

    def _fill_table(self, size: int) -> None:
        """The bucket of every hand on every board of a size, the weakest hands first."""
        boards, centers = standard_words(size)[0], self._centers[size]
        if self._done.get(size, 0) == len(boards):
            return
        features = self._features(size)
        if features(boards[:1]).shape[2] != centers.shape[1]:
            raise FileError(f"{self.path} is damaged: its centers are not of these hands")
        table = self._tables.setdefault(size, np.zeros((len(boards), HOLES), np.uint16))
        start = self._done.setdefault(size, 0)
        ahead, count = dict[int, int](), start
        for first, stop, found in self._rows(Stage(size, features, centers), start):
            table[first:stop], ahead[first] = found, stop
            count += stop - max(first, start)
            while ahead and min(ahead) <= self._done[size]:
                self._done[size] = max(self._done[size], ahead.pop(min(ahead)))
            self._tell(size, 0.2 + 0.8 * count / len(boards))
            self._kept.look()
        self._kept.look()

    # What hands are compared by

    @cached_property
    def _levels(self) -> tuple[NDArray[np.uint8], Floats]:
        """Steps of equity on the last boards, and how often each starting hand comes to them."""

        size = self.recipe.sizes[-1]
        levels = np.empty((len(standard_words(size)[0]), HOLES), np.uint8)
        for first, stop, found in self._rows(Stage(size)):
            levels[first:stop] = found
            self._tell(0, stop / len(levels))
        return levels, first_spread(size, levels)

    def _features(self, size: int) -> Features:
        recipe = self.recipe
        if size == recipe.sizes[-1]:
            return self.worth if recipe.kind == "worth" else Strength(self._group)
        if recipe.kind == "equity":
            levels = self._levels[0]
            return Spread(recipe.sizes[-1], levels, Places.in_line(BINS))
        later = size + recipe.ahead(size)
        centers = self._centers[later]
        if later != recipe.sizes[-1]:
            centers = centers[::-1]  # in the order of the buckets
        return Spread(later, self._tables[later], Places.of(centers))

    @cached_property
    def worth(self) -> Features:
        """What actions are worth to every hand."""
        if self._known is not None:
            return self._known
        from counterfold.abstraction.worth import Worth

        assert self.game is not None
        return Worth.of(self.game, self.threads, lambda share: self._tell(0, share))

    def _sample(self, size: int, features: Features) -> Points:
        """Some hands on some boards, each as likely as it comes up in play."""
        draw, found = self._draws[size][0], dict[int, Points]()
        for first, stop, points in self._rows(Stage(size, features, draw=draw)):
            found[first] = points
            self._tell(size, 0.05 * stop / len(draw.rows))
        return np.concatenate([found[first] for first in sorted(found)])

    def _rows(self, stage: Stage, start: int = 0) -> Iterator[Rows]:
        """What all boards of a stage give from one on, as it comes."""
        if self._crew is not None:
            yield from handed_out(stage, self._crew, start)
            return

        def some(first: int) -> Rows:
            stop = min(first + STEP, stage.count)
            return first, stop, stage.on(first, stop)

        while start < stage.count:
            end = min(start + BLOCK, stage.count)
            with ThreadPoolExecutor(self.threads) as pool:
                yield from pool.map(some, range(start, end, STEP))
            start = end

    # Progress and checkpoints

    @cached_property
    def _costs(self) -> dict[int, float]:
        """About what each street costs; 0 stands for the groups of starting hands."""
        recipe = self.recipe
        found = {
            0: len(standard_words(recipe.sizes[-1])[0]) * (90.0 if recipe.kind == "worth" else 1)
        }
        for size, count in zip(recipe.later, recipe.counts, strict=True):
            found[size] = len(standard_words(size)[0]) * (2.0 + count / 50.0)
        return found

    def _tell(self, size: int, share: float) -> None:
        """Say how far it is: so much of a street."""
        order = (0, *reversed(self.recipe.later))
        costs = self._costs
        done = sum(costs[k] for k in order[: order.index(size)]) + share * costs[size]
        first = "a run without buckets" if self.recipe.kind == "worth" else "equities"
        what = {0: first, 3: "flop", 4: "turn", 5: "river"}[size]
        self._look(what, done / sum(costs.values()))

    def _save(self) -> None:
        assert self.path is not None
        done = {str(size): rows for size, rows in self._done.items()}
        header = {"recipe": json.dumps(asdict(self.recipe)), "done": json.dumps(done)}
        arrays: dict[str, Array] = {}
        if self._group is not None:
            arrays["group"] = self._group
        for size, centers in self._centers.items():
            arrays[f"centers.{size}"] = centers
            if size in self._done:
                arrays[f"table.{size}"] = self._tables[size][: self._done[size]]
        write_arrays(self.path, BUILD, header, arrays)

    def _resume(self, path: str | os.PathLike[str]) -> None:
        saved = read_arrays(path, BUILD, "buckets in the making")
        if saved.json("recipe") != json.loads(json.dumps(asdict(self.recipe))):
            raise MismatchError(
                f"{path} is a build of other buckets: it was asked for {saved.text('recipe')}; "
                "name another file"
            )
        done = saved.fields("done")
        if "group" in saved:
            self._group = saved.array("group", np.uint8, (HOLES,), most=GROUPS - 1)
        for size in reversed(self.recipe.later):
            if f"centers.{size}" not in saved:
                break
            count = self.recipe.count(size)
            centers = saved.array(f"centers.{size}", np.float32, (None, None), least=0)
            if not 1 <= len(centers) <= count:
                raise saved.damaged(f"it has {len(centers)} centers where {count} were asked for")
            self._centers[size] = centers
            boards = len(standard_words(size)[0])
            rows = done.whole(str(size), 0, boards) if str(size) in done else 0
            table = self._tables[size] = np.zeros((boards, HOLES), np.uint16)
            if rows:
                name, most = f"table.{size}", len(centers) - 1
                table[:rows] = saved.array(name, np.uint16, (rows, HOLES), most=most)
            self._done[size] = rows
            if rows < boards:
                break
        saved.finish()


def buckets_for(
    game: PokerGame,
    count: int | Sequence[int] = 200,
    *,
    kind: str = KINDS[0],
    seed: int = 0,
    threads: int = 2,
) -> tuple[Buckets, ...]:
    """Buckets for each street of a hold'em game with a full deck: ``count`` after the flop.

    ``BucketMaker`` makes them too, tells how far it is and goes on where it was ended.
    """
    recipe = Recipe.for_game(game, count, kind, seed)
    return BucketMaker(recipe, game=game, threads=threads).make()
