"""Buckets of poker hands: numbers of boards, equities, and clusters of hands that look alike.

A set of cards has a number (the sum of choose(card, place) over its cards from the lowest up), and
a word that says which standard board it turns into and by which renaming of suits: ``row * 24 +
renaming``. Tables have a row for each standard board and a column for each hole.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.prefetch import prefetch_to_read

RENAMINGS = np.uint32(24)


class Sorted(NamedTuple):
    """Room for counting hands: how many of each group are below, tie, and are there at all.

    Row 53 counts all hands, the others those with a card.
    """

    below: np.ndarray  # [54, groups]
    tie: np.ndarray
    all: np.ndarray


@inlined
def set_number(cards, row, size, choose):
    """The number of the set of the first cards of a row."""
    number = np.uint32(0)
    for k in range(size):
        place = 1
        for j in range(size):
            place += cards[row, j] < cards[row, k]
        number += choose[cards[row, k], place]
    return number


@jit
def set_numbers(cards, choose, out):
    """The number of each row of cards, as a set."""
    for b in range(cards.shape[0]):
        out[b] = set_number(cards, b, cards.shape[1], choose)


@inlined
def word_of(cards, number, street):
    """The word of a board of a street by its number; ``cards`` are ``poker_deals.Cards``."""
    if street == 0:
        return cards.words0[number]
    if street == 1:
        return cards.words1[number]
    if street == 2:
        return cards.words2[number]
    return cards.words3[number]


@inlined
def board_word(cards, boards, row, street):
    """The word of a board of a street."""
    return word_of(cards, set_number(boards, row, cards.sizes[street], cards.choose), street)


@inlined
def look_up(cards, word, hand, street):
    """The bucket of a hand on the board of a street."""
    row = word // RENAMINGS
    column = cards.renamed[word % RENAMINGS, hand]
    if street == 0:
        return cards.table0[row, column]
    if street == 1:
        return cards.table1[row, column]
    if street == 2:
        return cards.table2[row, column]
    return cards.table3[row, column]


@inlined
def ask_for(cards, word, hand, street):
    """Ask for what ``look_up`` is going to read, on the streets with large tables."""
    row = np.uint64(word // RENAMINGS)
    column = np.uint64(cards.renamed[word % RENAMINGS, hand])
    if street == 2:
        prefetch_to_read(cards.table2, row * np.uint64(cards.table2.shape[1]) + column)
    else:
        prefetch_to_read(cards.table3, row * np.uint64(cards.table3.shape[1]) + column)


@inlined
def _next_set(picks, size):
    """Move to the set with the next number."""
    k = 0
    while k + 1 < size and picks[0, k] + 1 == picks[0, k + 1]:
        picks[0, k] = k
        k += 1
    picks[0, k] += 1


@jit
def index_boards(size, codes, choose, words, picks):
    """Fill in the words of all boards; those of the standard boards are there.

    ``codes`` has the renaming of each way to name suits (two bits for each), and ``picks`` is room
    for three rows: a board, what it turns into, and the keys and names of the four suits.
    """
    for k in range(size):
        picks[0, k] = k
    for number in range(words.size):
        for suit in range(4):
            picks[2, suit] = 0
        for k in range(size):
            picks[2, picks[0, k] & 3] |= 1 << (picks[0, k] >> 2)
        code = 0
        for suit in range(4):
            greater = 0
            for other in range(4):
                key, rival = picks[2, suit], picks[2, other]
                greater += rival > key or (rival == key and other > suit)
            picks[2, 4 + suit] = 3 - greater
            code |= (3 - greater) << (2 * suit)
        for k in range(size):
            card = picks[0, k]
            picks[1, k] = card - (card & 3) + picks[2, 4 + (card & 3)]
        standard = words[set_number(picks, 1, size, choose)] // RENAMINGS
        words[number] = standard * RENAMINGS + codes[code]
        if number + 1 < words.size:
            _next_set(picks, size)


@inlined
def _clear(counts):
    for k in range(counts.shape[0]):
        for g in range(counts.shape[1]):
            counts[k, g] = 0


@inlined
def _count(counts, low, high, group, by):
    counts[low, group] += by
    counts[high, group] += by
    counts[53, group] += by


@inlined
def _others(counts, low, high, g, same):
    """Hands of a group that share no card with a hand, which itself is in it or not."""
    return counts[53, g] - counts[low, g] - counts[high, g] + same


@jit
def equities(keys, blocked, low, high, group, room, out):
    """The equity of each hole against each group of holes, on each board: out[board, hole, group].

    ``keys`` are strength << 11 | hole, in rising order; the first ``blocked`` of them cannot be
    held. Where a hole leaves no hand of a group, its equity against all hands stands in.
    """
    holes, groups = keys.shape[1], out.shape[2]
    eleven, last = np.uint64(11), np.uint64(2047)
    for b in range(keys.shape[0]):
        _clear(room.below)
        _clear(room.tie)
        _clear(room.all)
        for i in range(blocked, holes):
            h = keys[b, i] & last
            _count(room.all, low[h], high[h], group[h], 1)
        i = blocked
        while i < holes:
            j = i
            while j < holes and keys[b, j] >> eleven == keys[b, i] >> eleven:
                h = keys[b, j] & last
                _count(room.tie, low[h], high[h], group[h], 1)
                j += 1
            for k in range(i, j):
                h = keys[b, k] & last
                won_all, all_all = 0, 0
                for g in range(groups):
                    same = 1 if group[h] == g else 0
                    won = 2 * _others(room.below, low[h], high[h], g, 0)
                    won += _others(room.tie, low[h], high[h], g, same)
                    met = 2 * _others(room.all, low[h], high[h], g, same)
                    won_all += won
                    all_all += met
                    out[b, h, g] = np.float32(won) / np.float32(met) if met > 0 else np.float32(-1)
                for g in range(groups):
                    if out[b, h, g] < 0:
                        out[b, h, g] = np.float32(won_all) / np.float32(all_all)
            for k in range(i, j):
                h = keys[b, k] & last
                _count(room.below, low[h], high[h], group[h], 1)
                _count(room.tie, low[h], high[h], group[h], -1)
            i = j
        for i in range(blocked):
            h = keys[b, i] & last
            for g in range(groups):
                out[b, h, g] = np.float32(-1)


@jit
def bins_of(equity, bins, out):
    """Equities in equal steps; ``bins`` where a hole cannot be held."""
    for b in range(equity.shape[0]):
        for h in range(equity.shape[1]):
            value = equity[b, h, 0]
            at = min(int(value * bins), bins - 1)
            out[b, h] = at if value >= 0 else bins


class Later(NamedTuple):
    """Where hands on later boards are: the columns of their buckets in a histogram."""

    choose: np.ndarray
    words: np.ndarray  # of the later boards
    renamed: np.ndarray
    table: np.ndarray  # [rows, holes] their buckets
    places: np.ndarray  # [buckets, axes] the column of a bucket on each axis
    first: np.ndarray  # [axes + 1] the first column of each axis


@inlined
def _add_board(picks, size, low, high, later, counts):
    """Count what each hole has become on one later board."""
    word = later.words[set_number(picks, 0, size, later.choose)]
    standard, names = word // RENAMINGS, word % RENAMINGS
    gone = np.uint64(0)
    for k in range(size):
        gone |= np.uint64(1) << np.uint64(picks[0, k])
    for h in range(counts.shape[0]):
        if (gone >> np.uint64(low[h]) | gone >> np.uint64(high[h])) & np.uint64(1):
            continue
        bucket = later.table[standard, later.renamed[names, h]]
        for a in range(later.places.shape[1]):
            counts[h, later.places[bucket, a]] += 1


@jit
def histograms(boards, more, low, high, later, picks, counts, out):
    """How holes are spread over later buckets, summed up along each axis from its first column.

    ``more`` cards (one or two) come before the later board. ``counts`` is room for one board.
    """
    size, axes = boards.shape[1], later.places.shape[1]
    for b in range(boards.shape[0]):
        for h in range(counts.shape[0]):
            for k in range(counts.shape[1]):
                counts[h, k] = 0
        gone = np.uint64(0)
        for k in range(size):
            picks[0, k] = boards[b, k]
            gone |= np.uint64(1) << np.uint64(boards[b, k])
        for first in range(52):
            if gone >> np.uint64(first) & np.uint64(1):
                continue
            picks[0, size] = first
            if more == 1:
                _add_board(picks, size + 1, low, high, later, counts)
                continue
            for second in range(first):
                if gone >> np.uint64(second) & np.uint64(1):
                    continue
                picks[0, size + 1] = second
                _add_board(picks, size + 2, low, high, later, counts)
        for h in range(counts.shape[0]):
            total = 0
            for k in range(later.first[1]):
                total += counts[h, k]
            for a in range(axes):
                running = 0
                for k in range(later.first[a], later.first[a + 1]):
                    running += counts[h, k]
                    out[b, h, k] = np.float32(running) / np.float32(total) if total > 0 else -1


@jit
def first_histograms(levels, weights, out):
    """The same before any board: counts by hole and bin (not summed up)."""
    for b in range(levels.shape[0]):
        for h in range(levels.shape[1]):
            out[h, levels[b, h]] += weights[b]


@inlined
def _distance(points, i, centers, c, squared):
    """The earth mover's distance of summed-up histograms, or the square of the usual one."""
    total = np.float32(0)
    if squared:
        for d in range(points.shape[1]):
            step = points[i, d] - centers[c, d]
            total += step * step
    else:
        for d in range(points.shape[1]):
            total += abs(points[i, d] - centers[c, d])
    return total


@inlined
def _nearest(points, i, centers, heights, squared):
    """The nearest center. They lie in the order of ``heights``, the sums of their coordinates.

    No center is nearer than its sum tells, so the search goes both ways from the point's own sum
    and stops where sums alone are too far apart.
    """
    count, width = centers.shape[0], points.shape[1]
    height = np.float32(0)
    for d in range(width):
        height += points[i, d]
    lo, hi = 0, count
    while lo < hi:
        middle = (lo + hi) // 2
        if heights[middle] < height:
            lo = middle + 1
        else:
            hi = middle
    below, above = lo - 1, lo
    best, least = 0, np.float32(np.inf)
    scale = np.float32(1.0 / width)
    while below >= 0 or above < count:
        if above < count:
            gap = heights[above] - height
            if (gap * gap * scale if squared else gap) > least:
                above = count
            else:
                far = _distance(points, i, centers, above, squared)
                if far < least or (far == least and above < best):
                    best, least = above, far
                above += 1
        if below >= 0:
            gap = height - heights[below]
            if (gap * gap * scale if squared else gap) > least:
                below = -1
            else:
                far = _distance(points, i, centers, below, squared)
                if far < least or (far == least and below < best):
                    best, least = below, far
                below -= 1
    return best, least


@jit
def seed_centers(points, centers, near, squared, random):
    """First centers: each is a point drawn by its squared distance from those before it."""
    for i in range(points.shape[0]):
        near[i] = np.inf
    chosen = int(uniform(random) * points.shape[0])
    for c in range(centers.shape[0]):
        for d in range(points.shape[1]):
            centers[c, d] = points[chosen, d]
        total = 0.0
        for i in range(points.shape[0]):
            far = np.float64(_distance(points, i, centers, c, squared))
            near[i] = min(near[i], far if squared else far * far)
            total += near[i]
        left = uniform(random) * total
        for i in range(points.shape[0]):
            left -= near[i]
            if left < 0.0:
                chosen = i
                break


@jit
def move_centers(points, centers, heights, sums, sizes, squared):
    """Give each point to its nearest center and sum up what each got; returns the mean distance."""
    for c in range(centers.shape[0]):
        sizes[c] = 0
        for d in range(points.shape[1]):
            sums[c, d] = 0.0
    total = 0.0
    for i in range(points.shape[0]):
        c, far = _nearest(points, i, centers, heights, squared)
        total += far
        sizes[c] += 1
        for d in range(points.shape[1]):
            sums[c, d] += points[i, d]
    return total / points.shape[0]


@jit
def assign(points, centers, heights, squared, out):
    """The nearest center of each point; none (zero) where a point has a negative coordinate."""
    for i in range(points.shape[0]):
        out[i] = 0
        if points[i, 0] >= 0:
            best, _ = _nearest(points, i, centers, heights, squared)
            out[i] = best
