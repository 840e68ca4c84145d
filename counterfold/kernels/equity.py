"""Two ranges all-in: every board, or boards drawn at random, with all hands on each at once.

A board is a set of cards as in ``hands``. On each the hands that are held by anybody are sorted by
strength, and one pass over them counts how much of the second range each hand of the first beats,
ties and meets, with the cards of the hand itself taken out.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.hands import bit, strength
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit

WIN, TIE, MET = 0, 1, 2  # columns of what is found on a board
BLOCKED = 0xFFFF  # the rank of a hand that meets the board

_FEW = 40  # hands that are sorted by insertion
_DIGITS = 1024
_DIGIT = np.uint64(_DIGITS - 1)
_BITS = (np.uint64(11), np.uint64(21), np.uint64(31))  # where the digits of a key begin
_INDEX = np.uint64(11)  # bits of a key that name the hand
_HAND = np.uint64(2047)
_LANE, _LANES = np.uint64(0xFFFF), np.uint64(16)


class Hands(NamedTuple):
    """The hands of two ranges."""

    cards: np.ndarray  # uint64 [hands] sets of two
    low: np.ndarray  # uint8 [hands] the same one by one
    high: np.ndarray
    first: np.ndarray  # float64 [hands] weights
    second: np.ndarray


class Room(NamedTuple):
    """Room for one thread."""

    keys: np.ndarray  # uint64 [2, hands] strength and number of each hand
    count: np.ndarray  # uint32 [1024]
    by_card: np.ndarray  # float64 [52] weight of the second range so far, by card


@inlined
def _renamed(cards, names, k):
    """A set of cards after the k-th renaming of suits."""
    found = np.uint64(0)
    for suit in range(4):
        lane = (cards >> (_LANES * np.uint64(suit))) & _LANE
        found |= lane << (_LANES * np.uint64(names[k, suit]))
    return found


@jit
def standard(deck, size, begin, names, picks, boards, weights):
    """Write the boards that stand for all that begin with some cards, and for how many each does.

    ``names`` has renamings of suits, a group; of the boards that they make one of another the
    largest stands for all. Returns how many there are; where ``boards`` is empty they are only
    counted. ``picks`` is room for one.
    """
    found, cards = 0, deck.size
    for k in range(size):
        picks[k] = k
    while True:
        board = np.uint64(begin)
        for k in range(size):
            board |= bit(deck[picks[k]])
        same, largest = 0, True
        for k in range(names.shape[0]):
            other = _renamed(board, names, k)
            if other > board:
                largest = False
                break
            same += other == board
        if largest:
            if boards.size > 0:
                boards[found] = board
                weights[found] = names.shape[0] // same
            found += 1
        k = size - 1
        while k >= 0 and picks[k] == cards - size + k:
            k -= 1
        if k < 0:
            return found
        picks[k] += 1
        for j in range(k + 1, size):
            picks[j] = picks[j - 1] + 1


@jit
def draw(deck, size, begin, random, boards):
    """Boards drawn at random, each of some cards and ``size`` more of the deck, which is mixed."""
    for b in range(boards.size):
        board = np.uint64(begin)
        for k in range(size):
            at = k + int(uniform(random) * (deck.size - k))
            card = deck[at]
            deck[at] = deck[k]
            deck[k] = card
            board |= bit(card)
        boards[b] = board


@inlined
def _sort(keys, count, many):
    """Sort the first keys by strength; returns the row of ``keys`` that has them."""
    if many <= _FEW:
        for i in range(1, many):
            key = keys[0, i]
            j = i
            while j > 0 and keys[0, j - 1] > key:
                keys[0, j] = keys[0, j - 1]
                j -= 1
            keys[0, j] = key
        return 0
    row = 0
    for shift in _BITS:
        for d in range(_DIGITS):
            count[d] = 0
        for i in range(many):
            count[(keys[row, i] >> shift) & _DIGIT] += np.uint32(1)
        total = np.uint32(0)
        for d in range(_DIGITS):
            here = count[d]
            count[d] = total
            total += here
        for i in range(many):
            digit = (keys[row, i] >> shift) & _DIGIT
            keys[1 - row, count[digit]] = keys[row, i]
            count[digit] += np.uint32(1)
        row = 1 - row
    return row


@jit
def compare(boards, hands, known, room, found):
    """How much of the second range the first one beats, ties and meets on each board."""
    keys, by_card = room.keys, room.by_card
    for b in range(boards.size):
        board, many = boards[b], 0
        for i in range(hands.cards.size):
            if hands.cards[i] & board == 0:
                value = np.uint64(strength(board | hands.cards[i], known))
                keys[0, many] = (value << _INDEX) | np.uint64(i)
                many += 1
        row = _sort(keys, room.count, many)
        for card in range(52):
            by_card[card] = 0.0
        all_so_far, win, tie, met = 0.0, 0.0, 0.0, 0.0
        start = 0
        while start < many:
            level = keys[row, start] >> _INDEX
            end = start
            while end < many and keys[row, end] >> _INDEX == level:
                i = keys[row, end] & _HAND
                less = all_so_far - by_card[hands.low[i]] - by_card[hands.high[i]]
                win += hands.first[i] * less
                tie -= hands.first[i] * less
                end += 1
            for at in range(start, end):
                i = keys[row, at] & _HAND
                all_so_far += hands.second[i]
                by_card[hands.low[i]] += hands.second[i]
                by_card[hands.high[i]] += hands.second[i]
            for at in range(start, end):
                i = keys[row, at] & _HAND
                upto = all_so_far - by_card[hands.low[i]] - by_card[hands.high[i]]
                tie += hands.first[i] * (upto + hands.second[i])
            start = end
        for at in range(many):
            i = keys[row, at] & _HAND
            there = all_so_far - by_card[hands.low[i]] - by_card[hands.high[i]]
            met += hands.first[i] * (there + hands.second[i])
        found[b, WIN], found[b, TIE], found[b, MET] = win, tie, met


@jit
def rank_hands(boards, cards, known, room, ranks):
    """[boards, hands] the rank of a hand on each board, equal for ties; BLOCKED if it meets it."""
    keys = room.keys
    for b in range(boards.size):
        board, many = boards[b], 0
        for i in range(cards.size):
            ranks[b, i] = BLOCKED
            if cards[i] & board == 0:
                value = np.uint64(strength(board | cards[i], known))
                keys[0, many] = (value << _INDEX) | np.uint64(i)
                many += 1
        row = _sort(keys, room.count, many)
        rank, last = 0, np.uint64(0)
        for k in range(many):
            level = keys[row, k] >> _INDEX
            if level != last:
                rank += 1
                last = level
            ranks[b, keys[row, k] & _HAND] = rank


@jit
def count_wins(ranks, blocked, weight, line, wins):
    """Add to ``wins[i, j]`` how often hand i is ranked above hand j, times ``weight``.

    A hand that a board blocks has the rank ``blocked``, above all others. ``line`` is room.
    """
    hands = ranks.shape[1]
    for i in range(hands):
        for j in range(hands):
            line[j] = 0
        for b in range(ranks.shape[0]):
            own = ranks[b, i]
            if own != blocked:
                for j in range(hands):
                    line[j] += np.uint16(ranks[b, j] < own)
        for j in range(hands):
            wins[i, j] += weight * np.uint32(line[j])
