"""Buckets by clustering: hands that look alike share one, for games too large for every hand.

Before the flop a bucket is one of the 169 starting hands. On the street after which no card comes,
hands are alike whose equities are, against each of eight groups of opponents' starting hands (as
in "OCHS", opponent cluster hand strength, of Johanson, Burch, Valenzano and Bowling, 2013). On
streets before it, hands are alike whose equity against any hand is spread alike over the cards to
come, by the earth mover's distance between histograms. Clusters come from k-means on a sample of
hands, with first centers that are far apart; then every hand on every board is given to its
nearest center, so that a lookup is one read of a table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.buckets import (
    Buckets,
    board_sizes,
    choose,
    renamings,
    standard_words,
    starting_hands,
)
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.games.spec import whole
from counterfold.poker.cards import CARDS, HIGH, HOLES, LOW
from counterfold.poker.game import PokerGame
from counterfold.poker.isomorphism import hole_classes

__all__ = ["buckets_for", "card_buckets"]

GROUPS = 8
"""Groups of opponents' starting hands, on the last street."""
BINS = 32
"""Steps of equity in a histogram, on the streets before."""
SAMPLE = 200_000
"""Hands that k-means looks at."""
SAMPLED_BOARDS = {0: 3000, 1: 3000, 2: 400}
"""Boards that they are from, by the cards still to come."""
ROUNDS = 30
"""Most rounds of k-means."""

Words = NDArray[np.uint32]
Table = NDArray[np.uint16]
Points = NDArray[np.float32]
Features = Callable[[NDArray[np.uint8]], Points]  # boards -> [boards, holes, width]


def buckets_for(
    game: PokerGame,
    count: int | Sequence[int] = 200,
    *,
    seed: int = 0,
    threads: int = 2,
    look: Callable[[], None] | None = None,
) -> tuple[Buckets, ...]:
    """Buckets for each street of a hold'em game with a full deck: ``count`` after the flop.

    ``look`` is called now and then, and may end it by raising.
    """
    if game.rules.hole != 2 or sorted(game.rules.deck) != list(range(CARDS)):
        raise UnsupportedError(
            f"{game.name} is not played with two cards each from 52; use a bucket for every hand"
        )
    return card_buckets(board_sizes(game), count, seed=seed, threads=threads, look=look)


def card_buckets(
    sizes: Sequence[int],
    count: int | Sequence[int] = 200,
    *,
    seed: int = 0,
    threads: int = 2,
    look: Callable[[], None] | None = None,
) -> tuple[Buckets, ...]:
    """Buckets for boards of these sizes, (0, 3) for flop hold'em and (0, 3, 4, 5) for hold'em.

    ``count`` is for each board with cards, or one number for all of them. Boards of the last size
    are those that decide: no card comes after them.
    """
    if not sizes or any(size not in (0, 3, 4, 5) for size in sizes) or list(sizes) != sorted(sizes):
        raise ParameterError(f"boards have 0, 3, 4 or 5 cards, in this order, not {tuple(sizes)}")
    later = [size for size in sizes if size]
    counts = [count] * len(later) if isinstance(count, int) else list(count)
    if len(counts) != len(later):
        raise ParameterError(f"give one number of buckets, or {len(later)}: one for each street")
    for number in counts:
        whole("buckets", number, least=1, most=10_000)
    whole("seed", seed, least=0)
    whole("threads", threads, least=1, most=64)
    if not later:
        return (starting_hands(),)
    made = _Maker(later[-1], np.random.default_rng(seed), threads, look or _nobody_looks)
    about = {"seed": seed, "last": later[-1]}
    wanted = dict(zip(later, counts, strict=True))
    return tuple(
        made.street(size, wanted[size], about) if size else starting_hands() for size in sizes
    )


class _Maker:
    """Buckets of the streets of one game, which share the equities on its last boards."""

    def __init__(
        self, last: int, random: np.random.Generator, threads: int, look: Callable[[], None]
    ) -> None:
        from counterfold.kernels import poker_buckets as kernels

        self.last, self.random, self.threads, self.look = last, random, threads, look
        self._kernels = kernels
        self._low, self._high = LOW.copy(), HIGH.copy()
        boards, weights, _ = standard_words(last)
        self._group = np.zeros(HOLES, np.uint8)
        self._groups = 1
        self._levels = np.empty((len(boards), HOLES), np.uint8)
        self._share(boards, self._equities, self._fill_levels)
        spread = np.zeros((HOLES, BINS + 1))
        kernels.first_histograms(self._levels, weights, spread)
        points = np.cumsum(spread[:, :BINS], axis=1) / spread[:, :BINS].sum(1, keepdims=True)
        # Holes of one class have the same histogram but for rounding, and must share a group.
        points = points[hole_classes().hole][hole_classes().of].astype(np.float32)
        centers = self._fit(points, GROUPS, squared=False)
        self._group = self._assign(points, centers, squared=False).astype(np.uint8)
        self._groups = GROUPS

    def street(self, size: int, count: int, about: dict[str, Any]) -> Buckets:
        """Buckets on boards of a size, the weakest hands first."""
        boards, weights, words = standard_words(size)
        features = self._equities if size == self.last else self._spread
        squared = size == self.last
        points = self._sample(boards, weights, features)
        centers = self._fit(points, min(count, len(points)), squared=squared)
        table = np.empty((len(boards), HOLES), np.uint16)

        def fill(lo: int, hi: int, found: Points) -> None:
            flat = found.reshape(-1, found.shape[2])
            given = self._assign(flat, centers, squared=squared).reshape(hi - lo, HOLES)
            # Summed-up histograms are the greater the weaker the hand.
            weak_first = given if squared else len(centers) - 1 - given
            table[lo:hi] = np.where(found[:, :, 0] < 0, 0, weak_first)

        self._share(boards, features, fill)
        return Buckets(size, len(centers), table, words, renamings()[0], about=dict(about))

    def _share(
        self,
        boards: NDArray[np.uint8],
        features: Features,
        use: Callable[[int, int, Points], None],
    ) -> None:
        """Features of boards, some at a time, on all threads."""
        step = 32

        def work(lo: int) -> None:
            self.look()
            part = boards[lo : lo + step]
            use(lo, lo + len(part), features(part))

        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(work, range(0, len(boards), step)))

    def _equities(self, boards: NDArray[np.uint8]) -> Points:
        """Equities against each group of holes, on last boards."""
        from counterfold.kernels import hands

        strengths = np.empty((len(boards), HOLES), np.uint32)
        hands.strengths_on_boards(boards, self._low, self._high, hands.tables(), strengths)
        keys = strengths.astype(np.uint64) << np.uint64(11) | np.arange(HOLES, dtype=np.uint64)
        keys.sort(axis=1)
        out = np.empty((len(boards), HOLES, self._groups), np.float32)
        room = self._kernels.Sorted(*(np.zeros((54, self._groups), np.int32) for _ in range(3)))
        blocked = HOLES - math.comb(CARDS - boards.shape[1], 2)
        self._kernels.equities(keys, blocked, self._low, self._high, self._group, room, out)
        return out

    def _fill_levels(self, lo: int, hi: int, equity: Points) -> None:
        self._kernels.bins_of(equity, BINS, self._levels[lo:hi])

    def _spread(self, boards: NDArray[np.uint8]) -> Points:
        """Summed-up histograms of equity over the cards to come."""
        out = np.empty((len(boards), HOLES, BINS), np.float32)
        counts, picks = np.empty((HOLES, BINS + 1), np.int32), np.zeros((1, 8), np.int64)
        words, renamed = standard_words(self.last)[2], renamings()[0]
        more = self.last - boards.shape[1]
        self._kernels.histograms(
            boards, more, choose(), words, renamed, self._levels, picks, counts, out
        )
        return out

    def _sample(self, boards: NDArray[np.uint8], weights: Words, features: Features) -> Points:
        """Some hands on some boards, each as likely as it comes up in play."""
        most = SAMPLED_BOARDS[self.last - boards.shape[1]]
        size = min(len(boards), most)
        picked = np.sort(self.random.choice(len(boards), size, replace=False))
        share = weights[picked] / weights[picked].sum()
        drawn = self.random.multinomial(SAMPLE, share)
        seeds = self.random.integers(0, 1 << 63, size=len(picked))
        found: list[Any] = [None] * len(picked)

        def draw(lo: int, hi: int, points: Points) -> None:
            for k in range(lo, hi):
                live = points[k - lo][points[k - lo][:, 0] >= 0]
                random = np.random.default_rng(seeds[k])
                found[k] = live[random.integers(0, len(live), drawn[k])]

        self._share(boards[picked], features, draw)
        return np.concatenate(found)

    def _fit(self, points: Points, count: int, *, squared: bool) -> Any:
        """Centers of clusters, in the order of the sums of their coordinates."""
        kernels = self._kernels
        centers = np.zeros((count, points.shape[1]), np.float32)
        sums, sizes = np.zeros(centers.shape), np.zeros(count, np.int64)
        stream = self.random.integers(0, 1 << 63, size=1).astype(np.uint64)
        kernels.seed_centers(points, centers, np.zeros(len(points)), squared, stream)
        before = math.inf
        for _ in range(ROUNDS):
            self.look()
            centers, heights = _in_order(centers)
            mean = kernels.move_centers(points, centers, heights, sums, sizes, squared)
            kept = sizes > 0
            centers[kept] = (sums[kept] / sizes[kept, None]).astype(np.float32)
            if mean > before * (1 - 1e-3):
                break
            before = mean
        return _in_order(centers)[0]

    def _assign(self, points: Points, centers: Any, *, squared: bool) -> Table:
        out = np.empty(len(points), np.uint16)
        centers, heights = _in_order(centers)
        self._kernels.assign(points, centers, heights, squared, out)
        return out


def _nobody_looks() -> None:
    pass


def _in_order(centers: Points) -> tuple[Points, Points]:
    """Centers and the sums of their coordinates, in the order of these."""
    heights = centers.sum(axis=1, dtype=np.float32)
    order = np.argsort(heights, kind="stable")
    return np.ascontiguousarray(centers[order]), np.ascontiguousarray(heights[order])
