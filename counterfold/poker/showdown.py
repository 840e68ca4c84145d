"""Who wins: strengths of hands, in words, and of all holes on a board in their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterfold.errors import ParameterError
from counterfold.poker.cards import HIGH, HOLES, LOW, RANKS, check_distinct, parse_cards

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
_CATEGORY_BITS, _FIRST_BITS = 26, 13  # as in kernels.hands


class Order(NamedTuple):
    """The holes that a board leaves, from the weakest to the strongest; ties by number."""

    holes: NDArray[np.uint32]
    strengths: NDArray[np.uint32]  # of each of them
    begin: NDArray[np.uint32]  # where the holes that tie with it begin: all before it lose to it
    end: NDArray[np.uint32]  # where they end: all from here on beat it


def strength(cards: str | Iterable[int]) -> int:
    """The strength of the best five of five to seven cards: higher wins, equal ties.

    >>> strength("As Ks Qs Js Ts 2c 2d") > strength("Ac Ad Ah As Kd")
    True
    >>> strength("AcKd 7h7s5d4c2h") == strength("AdKc 7h7s5d4c3h")
    True
    """
    from counterfold.kernels import hands

    found = parse_cards(cards) if isinstance(cards, str) else check_distinct(cards)
    if not 5 <= len(found) <= 7:
        raise ParameterError(f"a hand of {len(found)} cards has no strength; give 5, 6 or 7")
    out = np.empty(1, np.uint32)
    hands.strengths(np.array([found], np.uint8), hands.tables(), out)
    return int(out[0])


def category(value: int) -> str:
    """The category of a strength.

    >>> category(strength("AcAd7h7s5d4c2h"))
    'two pair'
    """
    return CATEGORIES[value >> _CATEGORY_BITS]


def describe(value: int) -> str:
    """A strength in words: its category, the ranks that decide, and the kickers.

    >>> describe(strength("AcAd7h7s5d4c2h")), describe(strength("5c4d3h2sAd"))
    ('two pair A7, kicker 5', 'straight to 5')
    >>> describe(strength("9c9d9h2s2dKcQc"))
    'full house 9 over 2'
    """
    kind = category(value)
    first, second = (
        "".join(RANKS[k] for k in range(12, -1, -1) if value >> shift >> k & 1)
        for shift in (_FIRST_BITS, 0)
    )
    if "straight" in kind:
        return f"{kind} to {first}"
    if kind == "full house":
        return f"{kind} {first} over {second}"
    return f"{kind} {first}" + (f", kicker {second}" if second else "")


def strengths(boards: ArrayLike) -> NDArray[np.uint32]:
    """The strength of each of the 1,326 holes on each board, zero where a card is on both.

    ``boards`` is one board of three to five cards (the answer is a row) or a row for each board.

    >>> from counterfold.poker.cards import parse_board
    >>> int(np.count_nonzero(strengths(parse_board("Ks 9h 6s 4d 2c"))))
    1081
    """
    from counterfold.kernels import hands

    given = np.array(boards)
    rows = np.atleast_2d(given)
    if rows.ndim != 2 or not 3 <= rows.shape[1] <= 5:
        raise ParameterError("strengths need boards of 3, 4 or 5 cards each")
    if rows.size and (rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() > 51):
        raise ParameterError("a board holds card numbers from 0 to 51")
    dealt = np.sort(rows, axis=1)
    if (dealt[:, 1:] == dealt[:, :-1]).any():
        raise ParameterError("a card comes twice on a board; a deck has one of each")
    out = np.empty((len(rows), HOLES), np.uint32)
    # Read-only arrays are another type to the compiler: give it copies that can be written.
    cards = np.ascontiguousarray(rows, np.uint8)
    hands.strengths_on_boards(cards, LOW.copy(), HIGH.copy(), hands.tables(), out)
    return out[0] if given.ndim == 1 else out


def order(board: Iterable[int]) -> Order:
    """The holes that a board leaves, sorted by strength.

    >>> from counterfold.poker.cards import hole_name, parse_board
    >>> found = order(parse_board("Ks 9h 6s 4d 2c"))
    >>> hole_name(found.holes[0]), hole_name(found.holes[-1]), len(found.holes)
    ('7c3c', '5s3s', 1081)
    """
    values = strengths(check_distinct(board))
    holes = np.argsort(values, kind="stable")[np.count_nonzero(values == 0) :]
    sorted_values = values[holes]
    begin = np.searchsorted(sorted_values, sorted_values, side="left")
    end = np.searchsorted(sorted_values, sorted_values, side="right")
    return Order(
        holes.astype(np.uint32), sorted_values, begin.astype(np.uint32), end.astype(np.uint32)
    )
