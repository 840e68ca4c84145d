"""How strong poker hands are, and which of them differ by more than the names of suits.

A set of cards is 64 bits: 16 a suit (clubs, diamonds, hearts, spades from the lowest up), of which
the lowest 13 are the ranks from deuce to ace. A strength is a number that grows with the hand and
is equal for hands that tie: its category in the highest bits, then the ranks that decide first,
then the kickers, each a set of 13 bits. Zero is no strength: it marks hands that cannot be held.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT = 0, 1, 2, 3, 4
FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = 5, 6, 7, 8
CATEGORY_BITS, FIRST_BITS = 26, 13  # where the category and the ranks that decide first begin

_ONE, _TWO, _RANKS = np.uint64(1), np.uint64(2), np.uint64(0x1FFF)
_SUIT, _RANK = np.uint64(3), np.uint64(2)
_16, _32, _48 = np.uint64(16), np.uint64(32), np.uint64(48)
_FIRST = np.uint64(FIRST_BITS)
_IS_STRAIGHT = np.uint64(STRAIGHT << CATEGORY_BITS)
_IS_PAIR = np.uint64(PAIR << CATEGORY_BITS)
_IS_TWO_PAIR = np.uint64(TWO_PAIR << CATEGORY_BITS)
_IS_TRIPS = np.uint64(TRIPS << CATEGORY_BITS)
_IS_FULL_HOUSE = np.uint64(FULL_HOUSE << CATEGORY_BITS)
_IS_QUADS = np.uint64(QUADS << CATEGORY_BITS)


class Tables(NamedTuple):
    """What is known of each set of ranks, 8,192 of them."""

    single: np.ndarray  # uint32 strength where no rank comes twice: a straight or a high card
    suited: np.ndarray  # uint32 strength where all are of one suit; zero for fewer than five
    top1: np.ndarray  # uint16 the highest rank
    top2: np.ndarray  # uint16 the two highest
    top3: np.ndarray  # uint16 the three highest


def _highest(ranks, count):
    """The highest ``count`` ranks of each set."""
    left, found = ranks.copy(), np.zeros_like(ranks)
    for _ in range(count):
        smeared = left.copy()
        for shift in (1, 2, 4, 8):
            smeared |= smeared >> shift
        top = smeared ^ (smeared >> 1)
        found |= top
        left ^= top
    return found


@lru_cache(1)
def tables():
    """The tables of the evaluator, made in about a millisecond."""
    ranks = np.arange(1 << 13, dtype=np.uint32)
    many = _highest(ranks, 5) != _highest(ranks, 4)  # five or more
    low_ace = (ranks << 1) | (ranks >> 12)
    runs = low_ace & (low_ace >> 1) & (low_ace >> 2) & (low_ace >> 3) & (low_ace >> 4)
    straight = _highest(runs, 1) << 3  # its highest rank
    high = _highest(ranks, 5)
    single = np.where(straight > 0, STRAIGHT << CATEGORY_BITS, HIGH_CARD << CATEGORY_BITS)
    suited = np.where(straight > 0, STRAIGHT_FLUSH << CATEGORY_BITS, FLUSH << CATEGORY_BITS)
    best = np.where(straight > 0, straight, high) << FIRST_BITS
    made = [(single | best).astype(np.uint32), np.where(many, suited | best, 0).astype(np.uint32)]
    made += [_highest(ranks, count).astype(np.uint16) for count in (1, 2, 3)]
    return Tables(*made)


@inlined
def bit(card):
    """The set of one card; cards are numbered 4 x rank + suit."""
    number = np.uint64(card)
    return _ONE << (((number & _SUIT) << np.uint64(4)) + (number >> _RANK))


@inlined
def strength(hand, known):
    """The strength of the best five of the five to seven cards in ``hand``."""
    c, d = hand & _RANKS, (hand >> _16) & _RANKS
    h, s = (hand >> _32) & _RANKS, hand >> _48
    flush = known.suited[c] | known.suited[d] | known.suited[h] | known.suited[s]
    if flush != 0:  # with seven cards at most, one suit only, and no full house or quads
        return np.uint64(flush)
    ranks = c | d | h | s
    twice = (c & d) | (h & s) | ((c | d) & (h | s))
    single = np.uint64(known.single[ranks])
    if twice == 0:
        return single
    thrice = (c & d & (h | s)) | (h & s & (c | d))
    if thrice == 0:
        if single >= _IS_STRAIGHT:
            return single
        if twice & (twice - _ONE) == 0:
            return _IS_PAIR | (twice << _FIRST) | np.uint64(known.top3[ranks ^ twice])
        pairs = np.uint64(known.top2[twice])
        return _IS_TWO_PAIR | (pairs << _FIRST) | np.uint64(known.top1[ranks ^ pairs])
    quads = c & d & h & s
    if quads != 0:
        return _IS_QUADS | (quads << _FIRST) | np.uint64(known.top1[ranks ^ quads])
    trips = np.uint64(known.top1[thrice])
    rest = twice ^ trips
    if rest != 0:
        return _IS_FULL_HOUSE | (trips << _FIRST) | np.uint64(known.top1[rest])
    if single >= _IS_STRAIGHT:
        return single
    return _IS_TRIPS | (trips << _FIRST) | np.uint64(known.top2[ranks ^ trips])


@inlined
def bits(cards):
    """The set of some cards."""
    found = np.uint64(0)
    for k in range(cards.size):
        found |= bit(cards[k])
    return found


@jit
def strengths(cards, known, out):
    """The strength of each row of five to seven cards."""
    for i in range(cards.shape[0]):
        out[i] = strength(bits(cards[i]), known)


@jit
def strengths_on_boards(boards, low, high, known, out):
    """The strength of each hole (two cards, ``low`` and ``high``) on each board, or zero."""
    for b in range(boards.shape[0]):
        board = bits(boards[b])
        for i in range(low.size):
            hole = bit(low[i]) | bit(high[i])
            out[b, i] = strength(board | hole, known) if hole & board == 0 else np.uint64(0)


@inlined
def _ways(first, second):
    """How many ways to name suits tell a pair of card sets apart, or zero.

    The suits are compared by their cards in ``first``, then in ``second``. Of all pairs that
    differ in the names of suits only, one has its suits in falling order from spades to clubs;
    the others give zero.
    """
    ways, same = 24, 1
    last = np.uint64(0)
    for k in range(4):
        shift = np.uint64(48 - 16 * k)
        key = (((first >> shift) & _RANKS) << _FIRST) | ((second >> shift) & _RANKS)
        if k > 0:
            if key > last:
                return 0
            same = same + 1 if key == last else 1
            ways //= same
        last = key
    return ways


@jit
def standard_boards(size, picks, boards, weights):
    """Write the boards that stand for all of their size; ``picks`` is room for one.

    Returns how many there are; where ``boards`` has no rows, they are only counted.
    """
    found = 0
    for k in range(size):
        picks[k] = size - 1 - k  # falling
    while True:
        board = np.uint64(0)
        for k in range(size):
            board |= bit(picks[k])
        ways = _ways(board, np.uint64(0))
        if ways > 0:
            if boards.shape[0] > 0:
                for k in range(size):
                    boards[found, k] = picks[k]
                weights[found] = ways
            found += 1
        k = size - 1
        while k >= 0 and picks[k] + 1 >= (52 if k == 0 else picks[k - 1]):
            k -= 1
        if k < 0:
            return found
        picks[k] += 1
        for j in range(k + 1, size):
            picks[j] = size - 1 - j


@jit
def count_holes(boards, low, high, classes, ways):
    """For each standard board, how many classes of holes there are and how many situations."""
    for b in range(boards.shape[0]):
        board = bits(boards[b])
        classes[b] = 0
        ways[b] = 0
        for i in range(low.size):
            hole = bit(low[i]) | bit(high[i])
            if hole & board == 0:
                here = _ways(board, hole)
                classes[b] += here > 0
                ways[b] += here
