"""All-in before the last card: on how many boards each hand beats each other hand, exactly.

Before the flop of hold'em these are 1,326 x 1,326 numbers over all 1,712,304 boards that a pair of
hands leaves. They are counted once, on the 134,459 boards that differ by more than the names of
suits, and kept in the user's cache.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import combinations, permutations
from math import comb
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Bools, Ints
from counterfold.errors import FileError, TreeTooLargeError
from counterfold.files.arrays import read_arrays, write_arrays
from counterfold.poker import showdown
from counterfold.poker.cards import CARDS, HIGH, HOLES, LOW, NO_CARD, card_sets
from counterfold.poker.game import CardRules
from counterfold.poker.isomorphism import hole_classes, holes_renamed, standard_boards

if TYPE_CHECKING:
    from counterfold.kernels.equity import Room

Wins = NDArray[np.uint32]
"""[holes, holes] on how many boards the first hand beats the second; 0 where they share a card."""
_Mine: TypeAlias = "tuple[Room, NDArray[np.uint16], NDArray[np.uint16], Wins]"
OnBoards = Callable[[int, int], None]
BOARDS = comb(CARDS - 4, 5)
"""Boards that a pair of hands leaves before the flop."""
MOST_WORK = 4e10  # comparisons of hands where nothing is known of suits: some seconds
TASK = 256  # boards
_log = logging.getLogger(__name__)


def boards_left(rules: CardRules, board: Sequence[int], cards: int) -> int:
    """How many boards of so many more cards two hands leave."""
    return comb(len(rules.deck) - len(board) - 2 * rules.hole, cards)


def wins_after(
    rules: CardRules, board: Sequence[int], cards: int, on_boards: OnBoards | None = None
) -> Wins:
    """On how many boards of ``cards`` more cards each hand beats each other one.

    >>> from counterfold.poker.cards import parse_board, parse_hole
    >>> from counterfold.poker.holdem import holdem_rules
    >>> rules, turn = holdem_rules((0,)), parse_board("Ks 9h 6s 2d")
    >>> wins = wins_after(rules, turn, 1)
    >>> int(wins[parse_hole("AsQs"), parse_hole("KdKc")]), boards_left(rules, turn, 1)
    (7, 44)
    """
    deck = [card for card in rules.deck if card not in board]
    if rules.strengths is showdown.strengths and len(deck) == CARDS and cards == 5:
        return preflop_wins(on_boards)
    live = np.flatnonzero(np.isin(rules.cards, [*deck, NO_CARD]).all(1))
    count = comb(len(deck), cards)
    if count * len(live) ** 2 > MOST_WORK:
        raise TreeTooLargeError(
            f"{count:,} boards can come to {len(live):,} hands here, too many to compare all; "
            "begin on a later street or take a smaller deck"
        )
    from counterfold.kernels import equity

    dealt = list(combinations(deck, cards))
    boards = np.array([(*board, *more) for more in dealt], np.uint8).reshape(count, -1)
    faces, blocked = rules.cards[live], np.uint32(0xFFFFFFFF)
    found, line = np.zeros((len(live),) * 2, np.uint32), np.zeros(len(live), np.uint16)
    for begin in range(0, count, TASK):
        some = boards[begin : begin + TASK]
        ranks = np.ascontiguousarray(rules.strengths(some)[:, live], np.uint32)
        met = (faces[None, :, :, None] == some[:, None, None, :]).any((2, 3))
        ranks[met] = blocked
        equity.count_wins(ranks, blocked, np.uint32(1), line, found)
        if on_boards:
            on_boards(min(begin + TASK, count), count)
    wins = np.zeros((rules.holes,) * 2, np.uint32)
    wins[np.ix_(live, live)] = np.where(apart(faces), found, 0)
    return wins


def apart(cards: NDArray[np.uint8]) -> Bools:
    """[hands, hands] whether two hands can be held at once."""
    held = np.zeros((len(cards), NO_CARD + 1), np.float32)
    held[np.arange(len(cards))[:, None], cards] = 1
    held[:, NO_CARD] = 0
    found: Bools = held @ held.T == 0
    return found


def preflop_wins(on_boards: OnBoards | None = None) -> Wins:
    """On how many of the ``BOARDS`` before the flop each hole beats each other one.

    Read from the user's cache; where it is not there it is counted, which takes some seconds, with
    ``on_boards`` told how many boards are done, of how many.
    """
    if not _MADE:
        wins = _expanded(_kept(on_boards))
        wins.flags.writeable = False
        _MADE.append(wins)
    return _MADE[0]


_MADE: list[Wins] = []


def _kept(on_boards: OnBoards | None) -> Wins:
    """[169, holes] the wins of one hole of each class: from the cache, or counted and put there."""
    path = _file()
    if path is not None and path.exists():
        try:
            saved = read_arrays(path, "equities", "equities before the flop")
            return saved.array("wins", np.uint32, (len(hole_classes().hole), HOLES), most=BOARDS)
        except FileError as error:
            _log.warning("%s; counting again", error)
    wins = _averaged(_counted(on_boards))
    if path is not None:
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_arrays(path, "equities", {}, {"wins": wins})
        except (OSError, FileError) as error:  # they are as good without being kept
            _log.warning("equities are not kept: %s", error)
    return wins


def _file() -> Path | None:
    """Where equities are kept; None where there is no folder of the user's own."""
    from counterfold.kernels.cache import cache_folder

    folder = cache_folder()
    return folder and folder.parent / "equities" / "preflop.safetensors"


def _counted(on_boards: OnBoards | None) -> Ints:
    """[holes, holes] wins on boards that stand for all, each as often as boards it stands for."""
    from counterfold.kernels import equity
    from counterfold.kernels.hands import tables

    known, cards = tables(), card_sets(LOW) | card_sets(HIGH)
    all_boards = standard_boards(5)
    boards = np.bitwise_or.reduce(card_sets(all_boards.cards), axis=1)
    tasks = []
    for weight in np.unique(all_boards.weights):
        some = boards[all_boards.weights == weight]
        tasks += [(weight, some[k : k + TASK]) for k in range(0, len(some), TASK)]
    threads = max(1, min(8, len(os.sched_getaffinity(0))))
    rooms: SimpleQueue[_Mine] = SimpleQueue()
    for _ in range(threads):
        room = equity.Room(np.empty((2, HOLES), np.uint64), np.empty(1024, np.uint32), np.empty(0))
        ranks, line = np.empty((TASK, HOLES), np.uint16), np.empty(HOLES, np.uint16)
        rooms.put((room, ranks, line, np.zeros((HOLES, HOLES), np.uint32)))

    def work(task: tuple[np.uint32, NDArray[np.uint64]]) -> int:
        weight, some = task
        room, ranks, line, wins = mine = rooms.get()
        equity.rank_hands(some, cards, known, room, ranks)
        equity.count_wins(ranks[: len(some)], np.uint16(equity.BLOCKED), weight, line, wins)
        rooms.put(mine)
        return len(some)

    done = work(tasks[0])  # compiled by one thread
    pool = ThreadPoolExecutor(threads)
    try:
        for more in pool.map(work, tasks[1:]):
            done += more
            if on_boards:
                on_boards(done, len(boards))
    finally:
        pool.shutdown(cancel_futures=True)
    wins: Ints = sum(
        (rooms.get()[3].astype(np.int64) for _ in range(threads)), np.zeros((), np.int64)
    )
    return wins


@lru_cache(1)
def _renamings() -> list[Ints]:
    """For each renaming of suits, the hole that each one turns into."""
    cards = np.stack([HIGH, LOW], 1)
    return [holes_renamed(cards, np.array(names)) for names in permutations(range(4))]


def _averaged(wins: Ints) -> Wins:
    """[169, holes] wins on all boards, from those on boards that stand for them."""
    reps = hole_classes().hole.astype(np.int64)
    total = sum(wins[turned[reps][:, None], turned[None, :]] for turned in _renamings())
    together = apart(np.stack([HIGH, LOW], 1))[reps]
    return np.where(together, np.asarray(total) // len(_renamings()), 0).astype(np.uint32)


def _expanded(wins: Wins) -> Wins:
    """[holes, holes] the same for all holes, by the renaming that turns each into its class's."""
    classes = hole_classes()
    found = np.empty((HOLES, HOLES), np.uint32)
    for turned in _renamings():
        rows = np.flatnonzero(turned == classes.hole[classes.of])
        found[rows] = wins[classes.of[rows]][:, turned]
    return found
