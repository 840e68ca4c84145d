"""Equity of two ranges of hold'em on any board, or none: all boards if they are few, else some."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import permutations
from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Floats, Ints
from counterfold.errors import ParameterError
from counterfold.evaluate.certificate import Certified
from counterfold.intervals import Erring
from counterfold.notebook import brief
from counterfold.poker.cards import (
    CARDS,
    HIGH,
    LOW,
    board_name,
    card_name,
    card_sets,
    cards_name,
    check_distinct,
    parse_board,
    parse_cards,
)
from counterfold.poker.game import meetings, safe_weights
from counterfold.poker.ranges import Range
from counterfold.tree.public import HARDLY

WHOLE = 5  # cards of a whole board
MOST = 200_000_000
"""Strengths of hands that all boards may take, a few seconds, before some are drawn instead."""
DRAWN = 30_000_000  # strengths of hands that boards drawn at random take, unless it is said
LEAST_DRAWN = 20_000
TASK = 4096  # boards
InRange = str | Range | Floats
Cards = str | Iterable[int]
OnBoards = Callable[[int, int], None]


@dataclass(frozen=True)
class RangeEquity(Erring, Certified):
    """What the first of two ranges wins if all money goes in now.

    Every pair of hands that can be held at once counts by its weights.
    """

    equity: float  # wins and half of the ties; the second range has the rest
    win: float
    tie: float
    error: float  # the standard error of the equity; zero if it is exact
    boards: int  # how many were looked at
    exact: bool  # whether they stand for all

    def __repr__(self) -> str:
        off = "" if self.exact else f" ± {self.half:.4%}"
        return brief(self, f"{self.equity:.4%}{off} on {self.boards:,} boards")

    @property
    def lose(self) -> float:
        """How often the second range wins."""
        return max(0.0, 1.0 - self.win - self.tie)


def range_equity(
    first: InRange,
    second: InRange,
    board: Cards = "",
    dead: Cards = "",
    *,
    samples: int | str | None = None,
    seed: int = 0,
    on_boards: OnBoards | None = None,
) -> RangeEquity:
    """The equity of two ranges on a board of no, 3, 4 or 5 cards; no dead card comes or is held.

    Ranges are words or ``Range``, cards words or numbers. Boards that differ only in suits which
    the ranges do not tell apart are counted as one. Where all of them would take longer than some
    seconds (wide ranges with suits of their own, before the flop), boards are drawn at random;
    on each all hands count. ``samples`` says how many to draw, or ``"all"``. ``on_boards`` is told
    how many are done, of how many.

    >>> found = range_equity("AdAc", "KhKs")
    >>> round(found.equity, 4), found.exact, found.error
    (0.8126, True, 0.0)
    >>> found = range_equity("AA,KK", "QQ+,AKs", board="Qs Jh 2c")
    >>> round(found.equity, 3), round(found.tie, 3)
    (0.444, 0.085)
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError(f"the seed is {seed!r}, and must be a whole number from 0 up")
    deal = _Deal(first, second, board, dead, on_boards)
    every = comb(len(deal.deck), WHOLE - len(deal.board))
    if samples is None:
        wanted = 0 if deal.work() <= MOST else max(LEAST_DRAWN, DRAWN // deal.live(deal.ranges))
    elif samples == "all":
        wanted = 0
    elif isinstance(samples, bool) or not isinstance(samples, int) or samples < 2:
        raise ParameterError(f'samples is {samples!r}, and must be "all" or a number from 2 up')
    else:
        wanted = samples if samples < every else 0
    return deal.drawn(wanted, seed) if wanted else deal.counted()


class _Deal:
    """Two ranges and the cards that can come."""

    def __init__(
        self, first: InRange, second: InRange, board: Cards, dead: Cards, tell: OnBoards | None
    ) -> None:
        self.tell = tell
        self.board = parse_board(board) if isinstance(board, str) else _board(board)
        self.dead = parse_cards(dead) if isinstance(dead, str) else check_distinct(dead)
        for card in self.dead:
            if card in self.board:
                raise ParameterError(f"{card_name(card)} is on the board and dead; say it once")
        gone = (*self.board, *self.dead)
        self.deck = [card for card in range(CARDS) if card not in gone]
        if len(self.deck) < WHOLE - len(self.board) + 4:
            raise ParameterError(
                f"{len(self.dead)} dead cards leave too few for two hands and a whole board"
            )
        asked = _range("first", first), _range("second", second)
        self.ranges = asked[0].without(gone).weights, asked[1].without(gone).weights
        for which, given, weights in zip(("first", "second"), asked, self.ranges, strict=True):
            if not given.weights.any():
                raise ParameterError(f"the {which} range has no hand: all its weights are zero")
            if not weights.any():
                known = _names(self.board, self.dead)
                raise ParameterError(f"the {which} range, {given}, has no hand that {known} leave")
        self.ranges = safe_weights(self.ranges[0]), safe_weights(self.ranges[1])
        self.names, self.alike = self._symmetry()
        if not _meet(*self.ranges):
            raise ParameterError(
                "no two hands of these ranges can be held at once: they need the same cards"
            )
        one, two = self.ranges
        if not one @ meetings(two) > HARDLY * float(one.sum() * two.sum()):
            raise ParameterError(
                "hardly any two hands of these ranges can be held at once; widen a range"
            )

    def _symmetry(self) -> tuple[Ints, tuple[Floats, Floats]]:
        """Renamings of suits that change nothing, and the ranges made alike under them.

        What a hand wins against a range is the same for all hands that a renaming which keeps
        the range and the known cards turns into it; so the other range may be spread over these.
        """
        keep = [
            names
            for names in map(np.array, permutations(range(4)))
            if all(_kept(cards, names) for cards in (self.board, self.dead))
        ]
        best: list[list[Ints]] = []
        for weights in self.ranges:
            best.append([n for n in keep if (weights[_turned(n)] == weights).all()])
        fixed = int(len(best[1]) >= len(best[0]))
        names, alike = best[fixed], list(self.ranges)
        spread = alike[1 - fixed]
        alike[1 - fixed] = np.mean([spread[_turned(n)] for n in names], axis=0)
        if (np.abs(alike[1 - fixed] - spread) < 1e-12).all():
            alike[1 - fixed] = spread  # it was alike already: no rounding
        return np.array(names), (alike[0], alike[1])

    def live(self, ranges: Sequence[Floats]) -> int:
        """How many hands anybody can hold."""
        return int(np.count_nonzero(ranges[0] + ranges[1]))

    def work(self) -> int:
        """About how many strengths of hands it takes to count all boards."""
        boards = comb(len(self.deck), WHOLE - len(self.board)) // len(self.names)
        return boards * self.live(self.alike)

    def counted(self) -> RangeEquity:
        """All boards."""
        from counterfold.kernels import equity

        deck, picks = np.array(self.deck, np.uint8), np.empty(WHOLE, np.int64)
        size, names = WHOLE - len(self.board), np.ascontiguousarray(self.names, np.int64)
        boards, weights = np.empty(0, np.uint64), np.empty(0)
        for room in (True, False):
            begin = _cards(self.board)
            count = equity.standard(deck, size, begin, names, picks, boards, weights)
            if room:
                boards, weights = np.empty(count, np.uint64), np.empty(count)
        found = self._compare(boards, self.alike)
        win, tie, met = (float(weights @ found[:, k]) for k in range(3))
        return _told(win / met, tie / met, 0.0, len(boards), True)

    def drawn(self, count: int, seed: int) -> RangeEquity:
        """Boards drawn at random, each as likely as another."""
        from counterfold.kernels import equity

        boards = np.empty(count, np.uint64)
        random = np.random.SeedSequence(seed).generate_state(1, np.uint64)
        size = WHOLE - len(self.board)
        equity.draw(np.array(self.deck, np.uint8), size, _cards(self.board), random, boards)
        found = self._compare(boards, self.ranges)
        win, tie, met = found.mean(0)
        if not met > 0:
            raise ParameterError(
                f"no two hands can be held on any of {count:,} boards; draw more of them"
            )
        share = (win + tie / 2) / met
        off = found[:, 0] + found[:, 1] / 2 - share * found[:, 2]  # of a ratio of two means
        error = sqrt(float(off @ off) / (count - 1) / count) / met
        return _told(float(win / met), float(tie / met), float(error), count, False)

    def _compare(self, boards: NDArray[np.uint64], ranges: Sequence[Floats]) -> Floats:
        """[boards, 3] how much of the second range the first beats, ties and meets."""
        from counterfold.kernels import equity
        from counterfold.kernels.hands import tables

        live = np.flatnonzero(ranges[0] + ranges[1])
        low, high = LOW[live], HIGH[live]
        bits = card_sets(low) | card_sets(high)
        hands = equity.Hands(bits, low, high, ranges[0][live], ranges[1][live])
        found, known = np.empty((len(boards), 3)), tables()

        def work(begin: int) -> None:
            room = equity.Room(
                np.empty((2, len(live)), np.uint64), np.empty(1024, np.uint32), np.empty(CARDS)
            )
            part = slice(begin, begin + TASK)
            equity.compare(boards[part], hands, known, room, found[part])

        work(0)  # compiled by one thread
        pool = ThreadPoolExecutor(max(1, min(8, len(os.sched_getaffinity(0)))))
        try:
            later = range(TASK, len(boards), TASK)
            for done, _ in zip(later, pool.map(work, later), strict=True):
                if self.tell:
                    self.tell(done + TASK, len(boards))
        finally:
            pool.shutdown(cancel_futures=True)
        return found


def _told(win: float, tie: float, error: float, boards: int, exact: bool) -> RangeEquity:
    tie = tie if tie > 1e-12 else 0.0  # differences of equal sums leave dust
    win = min(max(win, 0.0), 1.0 - tie) if win > 1e-12 else 0.0
    return RangeEquity(win + tie / 2, win, tie, error, boards, exact)


def _range(which: str, given: InRange) -> Range:
    try:
        if isinstance(given, Range):
            return given
        return Range.parse(given) if isinstance(given, str) else Range(given)
    except ParameterError as error:
        raise ParameterError(f"the {which} range: {error}") from None


def _board(cards: Iterable[int]) -> tuple[int, ...]:
    return parse_board(cards_name(cards))


def _names(board: Sequence[int], dead: Sequence[int]) -> str:
    parts = [f"the board {board_name(board)}"] if board else []
    return " and ".join(parts + ([f"the dead cards {board_name(dead)}"] if dead else []))


def _cards(cards: Sequence[int]) -> np.uint64:
    return np.uint64(np.bitwise_or.reduce(card_sets(np.array(cards, np.uint8)), initial=0))


def _kept(cards: Sequence[int], names: Ints) -> bool:
    return {card - card % 4 + int(names[card % 4]) for card in cards} == set(cards)


def _turned(names: Ints) -> Ints:
    """The hole that each one turns into when suits are renamed."""
    one, two = (x.astype(np.int64) // 4 * 4 + names[x % 4] for x in (LOW, HIGH))
    high = np.maximum(one, two)
    numbers: Ints = high * (high - 1) // 2 + np.minimum(one, two)
    return numbers


def _meet(first: Floats, second: Floats) -> bool:
    """Whether two hands can be held at once."""
    held = [np.stack([LOW[w > 0], HIGH[w > 0]], 1) for w in (first, second)]
    return any(not np.isin(held[1], hole).any(1).all() for hole in held[0])
