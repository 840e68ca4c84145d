"""Sampled CFR over a betting tree and buckets of hands: one board a walk, and all hands at once.

A walk goes through the whole betting, with vectors over the hands that the board leaves, from the
weakest to the strongest. Hands of one bucket share a row of the table (see ``poker_lines``):
its regrets are the sum of theirs, each as heavy as its weight in the range.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.poker_buckets import board_word, look_up
from counterfold.kernels.poker_lines import (
    COUNT,
    FOLD,
    NEXT,
    PAYOFF,
    STREETS,
    TWO,
    WHAT,
    kind_of,
    refresh,
    row_of,
    told,
)
from counterfold.kernels.poker_sampling import styled_share, styled_sums, styled_weight
from counterfold.kernels.rule import accumulate, average, match, weigh

NO_CARD = 52


class Boards(NamedTuple):
    """Whole boards, and the hands that each leaves in the order of their strength."""

    cards: np.ndarray  # uint8 [boards, 5]
    hand: np.ndarray  # uint32 [boards, hands]
    strength: np.ndarray  # uint32 [boards, hands]
    count: np.ndarray  # int64 [boards]
    ranges: np.ndarray  # float32 [2, hands by number]
    scale: np.ndarray  # float32 [1] so that the weight of all pairs is one, on average


class Field(NamedTuple):
    """Room for a walk; rows of hands are by depth, or by depth and action."""

    bucket: np.ndarray  # uint32 [4, hands]
    low: np.ndarray  # uint8 [hands] their cards
    high: np.ndarray
    weight: np.ndarray  # float32 [hands] of the walking player's hands
    theirs: np.ndarray  # float32 [depth, hands] how likely the other player comes here
    own: np.ndarray  # the same for the walking player
    value: np.ndarray
    play: np.ndarray  # [depth * actions, hands]
    worth: np.ndarray
    node: np.ndarray  # uint32 [depth]
    done: np.ndarray  # int64 [depth] actions tried
    sums: np.ndarray  # float64 [2, 54] by card; 53 for all
    fresh: np.ndarray  # float32 [buckets, 2 * actions] new regrets and strategies, or a strategy
    met: np.ndarray  # int64 [buckets] when a bucket was last met
    list: np.ndarray  # uint32 [buckets] those that were met
    tick: np.ndarray  # int64 [1]


class Told(NamedTuple):
    """What walks tell of a player's hands, by number: chips in all, and what they met."""

    player: int
    won: np.ndarray  # float64
    met: np.ndarray  # float64


class Walk(NamedTuple):
    """A walk of a player on a board."""

    lines: NamedTuple
    rule: NamedTuple
    table: np.ndarray
    boards: Boards
    field: Field
    board: int
    player: int
    hands: int  # that the board leaves
    width: int  # actions at most


@inlined
def _add(sums, row, low, high, mass):
    sums[row, 53] += mass
    sums[row, low] += mass
    if high < NO_CARD:
        sums[row, high] += mass


@inlined
def _free(sums, row, low, high, same):
    """What shares no card with a hand; its own mass has been taken away twice if it has two."""
    left = sums[row, 53] - sums[row, low]
    if high < NO_CARD:
        left += same - sums[row, high]
    return left


@inlined
def _fold(field, d, hands, worth):
    sums = field.sums
    for c in range(54):
        sums[0, c] = 0.0
    for j in range(hands):
        _add(sums, 0, field.low[j], field.high[j], field.theirs[d, j])
    for j in range(hands):
        mass = _free(sums, 0, field.low[j], field.high[j], field.theirs[d, j])
        field.value[d, j] = np.float32(mass * worth)


@inlined
def _showdown(walk, d, win, tie, lose):
    """All that is met loses, and then those that are weaker and those that tie are set right."""
    field, hands, strength = walk.field, walk.hands, walk.boards.strength[walk.board]
    _fold(field, d, hands, lose)
    sums = field.sums
    for c in range(54):
        sums[0, c] = 0.0  # of weaker hands
        sums[1, c] = 0.0  # of hands that tie
    i = 0
    while i < hands:
        j = i
        while j < hands and strength[j] == strength[i]:
            _add(sums, 1, field.low[j], field.high[j], field.theirs[d, j])
            j += 1
        for k in range(i, j):
            low, high = field.low[k], field.high[k]
            won = _free(sums, 0, low, high, 0.0) * (win - lose)
            even = _free(sums, 1, low, high, field.theirs[d, k]) * (tie - lose)
            field.value[d, k] += np.float32(won + even)
        for k in range(i, j):
            _add(sums, 0, field.low[k], field.high[k], field.theirs[d, k])
        for k in range(i, j):
            low, high = field.low[k], field.high[k]
            sums[1, low] = 0.0
            sums[1, high] = 0.0
        sums[1, 53] = 0.0
        i = j


@inlined
def _meet(field, bucket, width):
    """Note a bucket; whether it is new."""
    if field.met[bucket] == field.tick[0]:
        return False
    field.met[bucket] = field.tick[0]
    for a in range(width):
        field.fresh[bucket, a] = np.float32(0)
    return True


@inlined
def _strategy(walk, style, low, count, bucket, held):
    """The strategy of a bucket's row, into its place among the fresh ones."""
    table, field = walk.table, walk.field
    if style is None:
        total = np.float32(0)
        for a in range(count):
            part = weigh(table[low + a])
            field.fresh[bucket, a] = part
            total += part
        even = np.float32(1) / np.float32(count)
        for a in range(count):
            field.fresh[bucket, a] = match(field.fresh[bucket, a], total, even)
    else:
        total, first = styled_sums(table, style, low, count, held)
        for a in range(count):
            part = styled_weight(table, style, low, count, a, held)
            part = styled_share(part, style[low + count + a], total, a == first, walk.rule.best)
            field.fresh[bucket, a] = part


@inlined
def _strategies(walk, style, d):
    """The strategy of each hand at the node of depth d, by its bucket."""
    lines, rule, field = walk.lines, walk.rule, walk.field
    node = field.node[d]
    what = told(lines, node, WHAT)
    count, street = np.uint64(what >> COUNT), what & STREETS
    held = rule.later if walk.player == 1 and kind_of(what) == 0 else rule.held
    field.tick[0] += 1
    for j in range(walk.hands):
        bucket = field.bucket[street, j]
        if _meet(field, bucket, count):
            low = row_of(lines, node, bucket)
            refresh(walk.table, low, count, rule)
            _strategy(walk, style, low, count, bucket, held)
        for a in range(count):
            field.play[d * walk.width + a, j] = field.fresh[bucket, a]


@inlined
def _learn(walk, d):
    """Add the regrets and the strategy of all hands to the rows of their buckets."""
    lines, rule, table, field = walk.lines, walk.rule, walk.table, walk.field
    node = field.node[d]
    what = told(lines, node, WHAT)
    count, street = np.uint64(what >> COUNT), what & STREETS
    field.tick[0] += 1
    one = np.float32(1)
    met = 0
    for j in range(walk.hands):
        bucket = field.bucket[street, j]
        if _meet(field, bucket, TWO * count):
            field.list[met] = bucket
            met += 1
        for a in range(count):
            row = d * walk.width + a
            gain = field.worth[row, j] - field.value[d, j]
            field.fresh[bucket, a] += field.weight[j] * gain
            field.fresh[bucket, a + count] += field.own[d, j] * field.play[row, j]
    for k in range(met):
        bucket = field.list[k]
        low = row_of(lines, node, bucket)
        for a in range(count):
            gained = field.fresh[bucket, a] * rule.gain
            table[low + a] = accumulate(table[low + a], gained, one, one, rule.lowest)
            new = field.fresh[bucket, a + count] * rule.share
            table[low + count + a] = average(table[low + count + a], one, new)


@inlined
def _end(walk, d):
    """The values of the end of a hand, at depth d."""
    lines, field, player = walk.lines, walk.field, walk.player
    node = field.node[d]
    row = 8 * np.int64(told(lines, node, PAYOFF))
    win, tie = lines.payoff[row + 6 * player], lines.payoff[row + 4 * player + 1]
    lose = lines.payoff[row + 2 + 2 * player]
    if kind_of(told(lines, node, WHAT)) == FOLD:
        _fold(field, d, walk.hands, win)
    else:
        _showdown(walk, d, win, tie, lose)


@inlined
def _step_down(field, d, a, hands, width, mine):
    """Reach one action further."""
    row = d * width + a
    for j in range(hands):
        play = field.play[row, j]
        field.own[d + 1, j] = field.own[d, j] * (play if mine else np.float32(1))
        field.theirs[d + 1, j] = field.theirs[d, j] * (np.float32(1) if mine else play)


@inlined
def _step_up(field, d, a, hands, width, mine):
    """Add the values of depth d + 1 to those above."""
    row = d * width + a
    if mine:
        for j in range(hands):
            worth = field.value[d + 1, j]
            field.worth[row, j] = worth
            field.value[d, j] += field.play[row, j] * worth
    else:
        for j in range(hands):
            field.value[d, j] += field.value[d + 1, j]


@inlined
def _walk(walk, style):
    lines, field, hands, width = walk.lines, walk.field, walk.hands, walk.width
    field.node[0] = 0
    field.done[0] = -1
    d = 0
    while d >= 0:
        node = field.node[d]
        what = told(lines, node, WHAT)
        kind, count = kind_of(what), np.int64(what >> COUNT)
        mine = kind == walk.player
        if kind >= FOLD:
            _end(walk, d)
            field.done[d] = count
        elif field.done[d] < 0:
            _strategies(walk, style, d)
            for j in range(hands):
                field.value[d, j] = np.float32(0)
            field.done[d] = 0
        else:
            _step_up(field, d, field.done[d], hands, width, mine)
            field.done[d] += 1
        if field.done[d] < count:
            _step_down(field, d, field.done[d], hands, width, mine)
            field.node[d + 1] = told(lines, node, NEXT) + np.uint32(field.done[d])
            field.done[d + 1] = -1
            d += 1
        else:
            if mine:
                _learn(walk, d)
            d -= 1


@inlined
def _lay(cards, boards, field, b, streets):
    """The hands that a board leaves: their cards, and their buckets on each street."""
    for j in range(boards.count[b]):
        hand = boards.hand[b, j]
        field.low[j] = cards.cards[hand, 0]
        field.high[j] = cards.cards[hand, 1]
    for street in range(streets):
        word = board_word(cards, boards.cards, b, street)
        for j in range(boards.count[b]):
            field.bucket[street, j] = look_up(cards, word, boards.hand[b, j], street)


@inlined
def _sit(boards, field, b, player):
    """Both ranges at the root, and as its value what each of a player's hands can meet."""
    hands = boards.count[b]
    for j in range(hands):
        hand = boards.hand[b, j]
        field.weight[j] = boards.ranges[player, hand] * boards.scale[0]
        field.theirs[0, j] = boards.ranges[1 - player, hand]
    _fold(field, 0, hands, 1.0)
    for j in range(hands):
        field.own[0, j] = field.weight[j] * field.value[0, j]


@jit
def public(lines, cards, rule, table, style, boards, field, streets):
    """Walks of both players on each board."""
    width = field.play.shape[0] // field.node.size
    for b in range(boards.count.size):
        hands = boards.count[b]
        _lay(cards, boards, field, b, streets)
        for player in range(2):
            _sit(boards, field, b, player)
            _walk(Walk(lines, rule, table, boards, field, b, player, hands, width), style)


@jit
def worths(lines, cards, rule, table, boards, field, streets, told_of):
    """Add what each of a player's hands wins by the table on all boards, and how much it meets."""
    width, player = field.play.shape[0] // field.node.size, told_of.player
    for b in range(boards.count.size):
        hands = boards.count[b]
        _lay(cards, boards, field, b, streets)
        _sit(boards, field, b, player)
        for j in range(hands):
            told_of.met[boards.hand[b, j]] += field.value[0, j]
        _walk(Walk(lines, rule, table, boards, field, b, player, hands, width), None)
        for j in range(hands):
            told_of.won[boards.hand[b, j]] += field.value[0, j]
