"""Cards, holes and boards: their numbers, and their names as every poker tool writes them.

A card is 4 x rank + suit, with ranks from deuce (0) to ace (12) and suits in the order of their
letters: clubs 0, diamonds 1, hearts 2, spades 3. So 2c is 0 and As is 51.

A hole is two cards in a player's hand. There are 1,326; the hole of cards low < high has the
number high x (high - 1) / 2 + low. So 2d2c is 0 and AsAh is 1,325, and the holes of any deck
without its highest cards are the first ones.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Bools
from counterfold.errors import ParameterError, short

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS = 52
HOLES = CARDS * (CARDS - 1) // 2
NO_CARD = CARDS  # stands for the second card of a hand of one

_PAIRS = [(low, high) for high in range(CARDS) for low in range(high)]
LOW: NDArray[np.uint8] = np.array([low for low, _ in _PAIRS], np.uint8)
HIGH: NDArray[np.uint8] = np.array([high for _, high in _PAIRS], np.uint8)
LOW.flags.writeable = HIGH.flags.writeable = False

_HOW = f"a card is one of {RANKS} and one of {SUITS}, as in As or Td"


def card_sets(cards: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Sets of one card each, as kernels take them: 16 bits a suit."""
    numbers = cards.astype(np.uint64)
    found: NDArray[np.uint64] = np.uint64(1) << (numbers % 4 * 16 + numbers // 4)
    return found


def card_name(card: int) -> str:
    """The name of a card.

    >>> card_name(0), card_name(51)
    ('2c', 'As')
    """
    if not 0 <= card < CARDS:
        raise ParameterError(f"there is no card {card}; cards are numbered from 0 to {CARDS - 1}")
    return RANKS[card // 4] + SUITS[card % 4]


def parse_cards(text: str) -> tuple[int, ...]:
    """The cards of a text, in its order; spaces and commas between cards are allowed.

    >>> parse_cards("2c7d Ts")
    (0, 21, 35)
    >>> parse_cards("2c7x")
    Traceback (most recent call last):
    ...
    counterfold.errors.ParameterError: '7x' at character 3 of '2c7x' is not a card; \
a card is one of 23456789TJQKA and one of cdhs, as in As or Td
    """
    found: list[int] = []
    at = 0
    while at < len(text):
        if text[at].isspace() or text[at] == ",":
            at += 1
            continue
        rank, suit = RANKS.find(text[at].upper()), SUITS.find(text[at + 1 : at + 2].lower() or "?")
        if rank < 0 or suit < 0:
            raise ParameterError(
                f"{text[at : at + 2]!r} at character {at + 1} of {short(text)} is not a card; "
                f"{_HOW}"
            )
        found.append(4 * rank + suit)
        at += 2
    return check_distinct(found)


def check_distinct(cards: Iterable[int]) -> tuple[int, ...]:
    """The cards, if they are cards and none of them comes twice."""
    found = tuple(int(card) for card in cards)
    names = [card_name(card) for card in found]
    for k, name in enumerate(names):
        if name in names[:k]:
            raise ParameterError(f"{name} comes twice in {''.join(names)}; a deck has one of each")
    return found


def parse_card(text: str) -> int:
    """The number of one card.

    >>> parse_card("Td")
    33
    """
    found = parse_cards(text)
    if len(found) != 1:
        raise ParameterError(f"{short(text)} is not one card; {_HOW}")
    return found[0]


def cards_name(cards: Iterable[int]) -> str:
    """The names of cards, in their order.

    >>> cards_name([0, 21, 35])
    '2c7dTs'
    """
    return "".join(card_name(card) for card in cards)


def hole_number(first: int, second: int) -> int:
    """The number of a hole, whichever of its cards comes first.

    >>> hole_number(51, 50), hole_number(0, 1)
    (1325, 0)
    """
    low, high = sorted(check_distinct((first, second)))
    return high * (high - 1) // 2 + low


def hole_cards(hole: int) -> tuple[int, int]:
    """The cards of a hole, the higher one first.

    >>> hole_cards(1325)
    (51, 50)
    """
    if not 0 <= hole < HOLES:
        raise ParameterError(f"there is no hole {hole}; holes are numbered from 0 to {HOLES - 1:,}")
    return int(HIGH[hole]), int(LOW[hole])


def hole_name(hole: int) -> str:
    """The name of a hole, the higher card first.

    >>> hole_name(parse_hole("KdAh"))
    'AhKd'
    """
    return cards_name(hole_cards(hole))


def parse_hole(text: str) -> int:
    """The number of the hole that a text names.

    >>> parse_hole("AsAh")
    1325
    """
    found = parse_cards(text)
    if len(found) != 2:
        raise ParameterError(
            f"{short(text)} has {len(found)} card{'s' * (len(found) != 1)}; a hole has two, as in "
            "AhKd"
        )
    return hole_number(*found)


def parse_board(text: str) -> tuple[int, ...]:
    """The cards of a board in the order they were dealt: none, a flop, a turn or a river.

    >>> board_name(parse_board("ks9s4hJD"))
    'Ks 9s 4h Jd'
    """
    found = parse_cards(text)
    if len(found) not in (0, 3, 4, 5):
        many = f"{len(found)} card" + "s" * (len(found) != 1)
        raise ParameterError(
            f"the board {short(text)} has {many}; a flop has 3, a turn 4 and a river 5"
        )
    return found


def board_name(board: Iterable[int]) -> str:
    """The name of a board, with spaces."""
    return " ".join(card_name(card) for card in board)


def holes_without(cards: Iterable[int]) -> Bools:
    """Which of the 1,326 holes have none of these cards.

    >>> int(holes_without(parse_board("Ks 9h 6s 4d 2c")).sum())
    1081
    """
    gone = np.array(check_distinct(cards), np.uint8)
    found: Bools = ~(np.isin(LOW, gone) | np.isin(HIGH, gone))
    return found
