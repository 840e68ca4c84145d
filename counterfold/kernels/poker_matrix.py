"""What strategies over buckets win from each other at a table of two or three, board by board.

On a board the cards that are left are dealt as holes that share no card. What a hole does is worked
out once for a node, whoever holds it, and no action is drawn. At an end all ways to give holes to
the players are added up at once: sums over pairs of holes are products of sums, less the pairs of a
hole with itself. Holes lie from the weakest to the strongest, so that sums from the first on tell
who wins. A table of two has a third seat that holds nothing of this and is always there.

Behind a depth limit a player goes on as one of some continuations. Nobody sees which, so what a
player does there is the sum of them, each as often as it is chosen.

Lines that matter little are walked in few boards, and then weigh more (Russian roulette): sums are
right on average however many are left out.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.poker_buckets import board_word, look_up
from counterfold.kernels.poker_deals import END, START, shown_board, shown_strength
from counterfold.kernels.poker_mass import DECISION, FOLD, SHOWDOWN

SEATS = 3


class Tables(NamedTuple):
    """What strategies do, and the continuations behind a depth limit that they share."""

    share: np.ndarray  # float32 [strategies, numbers] before the limit: actions and choices
    held: np.ndarray  # float32 [numbers x continuations] of a decision and bucket, one by one
    start: np.ndarray  # uint64 [nodes] where a decision begins, in either
    choice: np.ndarray  # int64 [nodes, 3] where choices at a deal begin; -1: the first alone
    behind: np.uint8  # the first street behind the limit
    count: np.uint64  # continuations


class Field(NamedTuple):
    """A board with its holes, and room for a walk."""

    deck: np.ndarray  # uint8 in the order of the last deal
    board: np.ndarray  # uint8 [1, 5]
    hand: np.ndarray  # uint32 [holes] the last ones are nobody's, for whole registers
    bucket: np.ndarray  # uint64 [streets, holes]
    strength: np.ndarray  # uint64 [holes]
    low: np.ndarray  # int64 [holes] how many are weaker
    high: np.ndarray  # int64 [holes] how many are not stronger
    ranges: np.ndarray  # float32 [3, hands]
    reach: np.ndarray  # float32 [slots, strategies, holes]
    total: np.ndarray  # float32 [slots, strategies]
    lead: np.ndarray  # float32 [slots, continuations, holes] by each continuation from the limit on
    chosen: np.ndarray  # float32 [3, strategies, continuations, holes] and reach there with it
    slot: np.ndarray  # int64 [depths, 3] where the reach of a player is
    weight: np.ndarray  # float64 [depths] what a line counts that was not left out
    above: np.ndarray  # uint32 [depths] the node at a depth
    waiting: np.ndarray  # uint32 [nodes waiting, 3] node, depth and action
    stake: np.ndarray  # float64 [nodes] how much a line matters that everybody goes
    sums: np.ndarray  # float32 [3, holes + 1] from the first hole on, of two players and products
    worth: np.ndarray  # float32 [holes]
    random: np.ndarray  # uint64 [1]
    holes: int  # that are dealt
    least: float  # lines that matter less are left out at times


@inlined
def _draw(field, k):
    """Bring a random card of those that are left to place k of the deck."""
    size = field.deck.size
    at = min(k + np.int64(uniform(field.random) * (size - k)), size - 1)
    card = field.deck[at]
    field.deck[at] = field.deck[k]
    field.deck[k] = card
    return np.uint32(card)


@inlined
def _deal(cards, field, streets):
    """A board, its holes from the weakest to the strongest, and their buckets."""
    drawn = 0
    for k in range(cards.sizes[START], cards.sizes[END]):
        field.board[0, k] = _draw(field, drawn)
        drawn += 1
    shown = shown_board(cards, field, 0)
    pairs = cards.cards.shape[0] > 52
    for h in range(field.holes):
        hand = _draw(field, drawn)
        drawn += 1
        if pairs:
            other = _draw(field, drawn)
            drawn += 1
            most, least = max(hand, other), min(hand, other)
            hand = most * (most - np.uint32(1)) // np.uint32(2) + least
        strength, at = shown_strength(cards, hand, shown), h
        while at > 0 and field.strength[at - 1] > strength:
            field.strength[at], field.hand[at] = field.strength[at - 1], field.hand[at - 1]
            at -= 1
        field.strength[at], field.hand[at] = strength, hand
    for h in range(field.holes):
        tied = h > 0 and field.strength[h] == field.strength[h - 1]
        field.low[h] = field.low[h - 1] if tied else h
    for h in range(field.holes - 1, -1, -1):
        tied = h + 1 < field.holes and field.strength[h] == field.strength[h + 1]
        field.high[h] = field.high[h + 1] if tied else h + 1
    for street in range(streets):
        word = board_word(cards, field.board, 0, street)
        for h in range(field.holes):
            field.bucket[street, h] = look_up(cards, word, field.hand[h], street)


@inlined
def _sum(field, slot):
    for s in range(field.total.shape[1]):
        total = np.float32(0)
        for h in range(field.reach.shape[2]):
            total += field.reach[slot, s, h]
        field.total[slot, s] = total


@inlined
def _begin(field, players):
    """Everybody's range at the root; a third seat of two holds what nobody else can."""
    for p in range(SEATS):
        for s in range(field.total.shape[1]):
            for h in range(field.reach.shape[2]):
                dealt = p < players and h < field.holes
                weight = field.ranges[p, field.hand[h]] if dealt else np.float32(0)
                field.reach[p, s, h] = weight
        _sum(field, p)
        if p >= players:
            for s in range(field.total.shape[1]):
                field.total[p, s] = np.float32(1)
        field.slot[0, p] = p
    field.weight[0] = 1.0
    field.above[0] = 0


@inlined
def _act(tree, tables, field, depth, move):
    """The reach of who has acted, one action further."""
    above = field.above[depth - 1]
    p, width = tree.player[above], np.uint64(tree.count[above])
    old, new = field.slot[depth - 1, p], SEATS * depth + p
    field.slot[depth, p] = new
    bucket, start = field.bucket[tree.street[above]], tables.start[above]
    if tree.street[above] < tables.behind:
        for s in range(field.total.shape[1]):
            for h in range(field.reach.shape[2]):
                share = tables.share[s, start + bucket[h] * width + np.uint64(move)]
                field.reach[new, s, h] = field.reach[old, s, h] * share
    else:
        for h in range(field.reach.shape[2]):
            at = (start + bucket[h] * width) * tables.count + np.uint64(move)
            for k in range(tables.count):
                share = tables.held[at + np.uint64(k) * width]
                field.lead[new, k, h] = field.lead[old, k, h] * share
        for s in range(field.total.shape[1]):
            for h in range(field.reach.shape[2]):
                field.reach[new, s, h] = field.chosen[p, s, 0, h] * field.lead[new, 0, h]
            for k in range(1, tables.count):
                for h in range(field.reach.shape[2]):
                    field.reach[new, s, h] += field.chosen[p, s, k, h] * field.lead[new, k, h]
    _sum(field, new)


@inlined
def _choose(tables, field, depth):
    """Everybody's choice among continuations at a deal."""
    node, count = field.above[depth - 1], tables.count
    for p in range(SEATS):
        old, new, start = field.slot[depth - 1, p], SEATS * depth + p, tables.choice[node, p]
        field.slot[depth, p] = new
        for k in range(count):
            for h in range(field.reach.shape[2]):
                field.lead[new, k, h] = np.float32(1)
        for s in range(field.total.shape[1]):
            field.total[new, s] = field.total[old, s]
            for h in range(field.reach.shape[2]):
                field.reach[new, s, h] = field.reach[old, s, h]
                for k in range(count):
                    share = np.float32(1 if k == 0 else 0)
                    if start >= 0:
                        at = np.uint64(start) + field.bucket[0, h] * count + np.uint64(k)
                        share = tables.share[s, at]
                    field.chosen[p, s, k, h] = field.reach[old, s, h] * share


@inlined
def _matters(field, node, depth):
    """Whether a line is walked: always if it matters much, else at times, and weighs more then."""
    size = field.stake[node] * field.weight[depth - 1]
    for p in range(SEATS):
        most = np.float32(0)
        for s in range(field.total.shape[1]):
            most = max(most, field.total[field.slot[depth, p], s])
        size *= most
    field.weight[depth] = field.weight[depth - 1]
    if size >= field.least:
        return True
    if uniform(field.random) * field.least >= size:
        return False
    field.weight[depth] *= field.least / size
    return True


@inlined
def _apart(field, one, two, s, scale):
    """Put the mass of two others' holes that differ from each other and from one's own to worth."""
    first, second, both = field.reach[one, s], field.reach[two, s], np.float32(0)
    for h in range(first.size):
        both += first[h] * second[h]
    here, there = field.total[one, s], field.total[two, s]
    for h in range(first.size):
        a, b = first[h], second[h]
        field.worth[h] = scale * ((here - a) * (there - b) - (both - a * b))


@inlined
def _accumulate(field, one, two, s):
    """Sums from the weakest hole on."""
    zero = np.float32(0)
    a, b, both = zero, zero, zero
    field.sums[0, 0], field.sums[1, 0], field.sums[2, 0] = zero, zero, zero
    for h in range(field.holes):
        a += field.reach[one, s, h]
        b += field.reach[two, s, h]
        both += field.reach[one, s, h] * field.reach[two, s, h]
        field.sums[0, h + 1], field.sums[1, h + 1], field.sums[2, h + 1] = a, b, both


@inlined
def _of_two(field, one, two, s, side, chips):
    """A pot between a player and one other (``side`` of the sums), whatever the third holds."""
    half, mine = np.float32(0.5), one if side == 0 else two
    third = two if side == 0 else one
    rest = field.total[third, s]
    for h in range(field.holes):
        low, high = field.low[h], field.high[h]
        a, b = field.reach[mine, s, h], field.reach[third, s, h]
        less, tied = field.sums[side, low], field.sums[side, high] - field.sums[side, low] - a
        both = field.sums[2, low] + half * (field.sums[2, high] - field.sums[2, low] - a * b)
        field.worth[h] += chips * ((rest - b) * (less + half * tied) - both)


@inlined
def _of_three(field, one, two, s, chips):
    """A pot that all three play for."""
    half, third = np.float32(0.5), np.float32(1 / 3)
    for h in range(field.holes):
        low, high = field.low[h], field.high[h]
        a, b = field.reach[one, s, h], field.reach[two, s, h]
        less, fewer, below = field.sums[0, low], field.sums[1, low], field.sums[2, low]
        tied = field.sums[0, high] - less - a
        even = field.sums[1, high] - fewer - b
        both = field.sums[2, high] - below - a * b
        won = less * fewer - below + half * (tied * fewer + less * even)
        field.worth[h] += chips * (won + third * (tied * even - both))


@inlined
def _worths(tree, field, node, p, s, slots):
    """What an end is worth to each hole of a player, when the others play strategy s."""
    one, two = slots
    _apart(field, one, two, s, np.float32(tree.lost[node, p]))
    if tree.kind[node] != SHOWDOWN:
        return
    _accumulate(field, one, two, s)
    for pot in range(tree.pot[node], tree.pot[node + 1]):
        rivals, chips = tree.rivals[pot], np.float32(tree.chips[pot])
        if rivals >> p & 1:
            first, second = rivals >> (p + 1) % SEATS & 1, rivals >> (p + 2) % SEATS & 1
            if first and second:
                _of_three(field, one, two, s, chips)
            else:
                _of_two(field, one, two, s, 0 if first else 1, chips)


@inlined
def _end(tree, field, node, depth, out):
    """Add what each strategy wins in one seat from each other in all others."""
    slot = field.slot[depth]
    for p in range(tree.lost.shape[1]):
        own, slots = slot[p], (slot[(p + 1) % SEATS], slot[(p + 2) % SEATS])
        for s in range(out.shape[1]):
            if field.total[slots[0], s] <= 0 or field.total[slots[1], s] <= 0:
                continue
            _worths(tree, field, node, p, s, slots)
            for i in range(out.shape[0]):
                if i != s and field.total[own, i] > 0:
                    won = np.float32(0)
                    for h in range(field.worth.size):
                        won += field.reach[own, i, h] * field.worth[h]
                    out[i, s] += field.weight[depth] * won


@inlined
def _walk(tree, tables, field, out):
    field.waiting[0, 0], field.waiting[0, 1] = 0, 1
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node, depth = field.waiting[waiting, 0], np.int64(field.waiting[waiting, 1])
        above = field.above[depth - 1]
        for p in range(SEATS):
            field.slot[depth, p] = field.slot[depth - 1, p]
        if node > 0 and tree.kind[above] == DECISION:
            _act(tree, tables, field, depth, field.waiting[waiting, 2])
        elif node > 0 and tree.street[above] + 1 == tables.behind:
            _choose(tables, field, depth)
        if not _matters(field, node, depth):
            continue
        field.above[depth] = node
        if tree.kind[node] in (FOLD, SHOWDOWN):
            _end(tree, field, node, depth, out)
            continue
        for k in range(tree.count[node]):
            field.waiting[waiting, 0] = tree.first[node] + np.uint32(k)
            field.waiting[waiting, 1] = depth + 1
            field.waiting[waiting, 2] = k
            waiting += 1


@jit
def matrix(tree, tables, cards, field, streets, mass, out):
    """Boards, one a row: the mass of all deals, and what rows of ``out`` win from columns."""
    players = tree.lost.shape[1]
    for b in range(mass.size):
        _deal(cards, field, streets)
        _begin(field, players)
        _apart(field, 1, 2, 0, np.float32(1))
        for h in range(field.worth.size):
            mass[b] += field.reach[0, 0, h] * field.worth[h]
        _walk(tree, tables, field, out[b])
