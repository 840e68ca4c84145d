"""Suits have no order: situations that differ only in their names, and one that stands for each.

A situation is a board, street by street, and a hole. Suits are compared by their cards on the
first street, then on the next, and by those of the hole last; the standard form gives the names
spades, hearts, diamonds, clubs to the suits from the greatest to the least. So the board of a
standard situation is the standard form of that board by itself, and holes nest in boards.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Ints
from counterfold.errors import ParameterError
from counterfold.poker.cards import HIGH, HOLES, LOW, NO_CARD, check_distinct, holes_without


class Boards(NamedTuple):
    """One board for each class of boards that differ only in the names of suits."""

    cards: NDArray[np.uint8]  # [boards, cards] the highest card first
    weights: NDArray[np.uint32]  # how many boards each stands for


class HoleClasses(NamedTuple):
    """The classes of holes on a board whose suits can partly be renamed."""

    of: NDArray[np.uint32]  # [1,326] the class of each hole; len(hole) for those that it blocks
    hole: NDArray[np.uint32]  # [classes] the hole that stands for it
    weight: NDArray[np.uint32]  # [classes] how many holes it stands for


def canonical(*groups: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    """The standard form of groups of cards: boards first, the hole last, as they are dealt.

    Cards within a group have no order, and come back with the highest first. Two situations have
    the same standard form if and only if a renaming of suits turns one into the other.

    >>> from counterfold.poker.cards import cards_name, parse_cards
    >>> flop, hole = canonical(parse_cards("Qc7d2c"), parse_cards("AdKd"))
    >>> cards_name(flop), cards_name(hole)
    ('Qs7h2s', 'AhKh')
    """
    dealt = [tuple(int(card) for card in group) for group in groups]
    check_distinct(card for group in dealt for card in group)
    keys = [
        tuple(sum(1 << card // 4 for card in group if card % 4 == suit) for group in dealt)
        for suit in range(4)
    ]
    fall = sorted(range(4), key=lambda suit: keys[suit], reverse=True)
    name = {suit: 3 - k for k, suit in enumerate(fall)}
    return tuple(
        tuple(sorted((card - card % 4 + name[card % 4] for card in group), reverse=True))
        for group in dealt
    )


def renamed(cards: NDArray[np.integer], names: Ints) -> Ints:
    """Cards whose suits have been renamed; ``NO_CARD`` stays."""
    return np.where(cards == NO_CARD, NO_CARD, cards // 4 * 4 + names[cards % 4]).astype(np.int64)


def holes_renamed(cards: NDArray[np.integer], names: Ints) -> Ints:
    """The numbers that hands of one or two cards, [hands, 2], turn into when suits are renamed."""
    first, second = renamed(cards.astype(np.int64), names).T
    if len(second) and second[0] == NO_CARD:
        return np.asarray(first)
    high, low = np.maximum(first, second), np.minimum(first, second)
    return np.asarray(high * (high - 1) // 2 + low)


@lru_cache(1)
def _turned_holes() -> dict[tuple[int, ...], NDArray[np.uint32]]:
    """For each renaming of suits, the number that each hole turns into."""
    cards = np.stack([HIGH, LOW], 1)
    return {
        names: holes_renamed(cards, np.array(names)).astype(np.uint32)
        for names in permutations(range(4))
    }


def hole_classes(*groups: Iterable[int]) -> HoleClasses:
    """The classes of holes that a board does not tell apart, given as one group or by street.

    Each class is named by its hole of the highest number, and classes are in the order of these.

    >>> from counterfold.poker.cards import parse_board
    >>> [len(hole_classes(parse_board(text)).hole) for text in ("", "QsJh2h", "Ks9s4hJd")]
    [169, 721, 1128]
    """
    dealt = [frozenset(check_distinct(group)) for group in groups]
    left = holes_without(card for group in dealt for card in group)
    best = np.arange(HOLES, dtype=np.uint32)
    for names, turned in _turned_holes().items():
        if all({card - card % 4 + names[card % 4] for card in group} == group for group in dealt):
            best = np.maximum(best, turned)
    hole, inverse, weight = np.unique(best[left], return_inverse=True, return_counts=True)
    of = np.full(HOLES, len(hole), np.uint32)
    of[left] = inverse
    return HoleClasses(of, hole, weight.astype(np.uint32))


def _check_size(size: int) -> None:
    if size not in (3, 4, 5):
        raise ParameterError(f"there are no boards of {size} cards; give 3, 4 or 5")


def standard_boards(size: int = 3) -> Boards:
    """The boards of 3, 4 or 5 cards, as sets, that stand for all others, and for how many.

    >>> flops = standard_boards()
    >>> len(flops.cards), int(flops.weights.sum())
    (1755, 22100)
    """
    from counterfold.kernels import hands

    _check_size(size)
    room = np.zeros(size, np.int64)
    cards, weights = np.empty((0, size), np.uint8), np.empty(0, np.uint32)
    found = hands.standard_boards(size, room, cards, weights)
    cards, weights = np.empty((found, size), np.uint8), np.empty(found, np.uint32)
    hands.standard_boards(size, room, cards, weights)
    return Boards(cards, weights)


def count_classes(size: int = 3) -> tuple[int, int]:
    """How many classes of hole and board there are, and how many situations they stand for.

    >>> count_classes(3)
    (1286792, 25989600)
    """
    from counterfold.kernels import hands

    boards = standard_boards(size)
    classes, ways = (np.empty(len(boards.cards), np.int64) for _ in range(2))
    hands.count_holes(boards.cards, LOW.copy(), HIGH.copy(), classes, ways)
    return int(classes.sum()), int(ways.sum())
