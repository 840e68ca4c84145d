"""Sampled CFR over a betting tree and buckets of hands: one board a walk, and all hands at once.

A walk goes through the whole betting, with vectors over the hands that the board leaves, from the
weakest to the strongest. Hands of one bucket share a row of the table (see ``poker_lines``):
its regrets are the sum of theirs, each as heavy as its weight in the range.
"""

import numpy as np

from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.poker_buckets import board_word, look_up
from counterfold.kernels.poker_ends import Walk, end_of, fold
from counterfold.kernels.poker_lines import (
    BASE,
    COUNT,
    FOLD,
    NEXT,
    OWNER,
    PAIR,
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
def _carry_down(walk, edges, d, a, count):
    """The other player's reach by each continuation one action further, where it decides."""
    lines, field, table, many = walk.lines, walk.field, walk.table, edges.root.shape[2]
    other = 1 - walk.player
    for k in range(count):
        node = edges.node[d, other, k]
        what = told(lines, node, WHAT)
        base, step, street = told(lines, node, BASE), lines.step[what & OWNER], what & STREETS
        here, below = d * many + k, (d + 1) * many + k
        for j in range(walk.hands):
            low = np.uint64(base + field.bucket[street, j] * step) * PAIR
            edges.theirs[below, j] = edges.theirs[here, j] * table[low + np.uint64(a)]


@inlined
def _carry_up(walk, edges, d, a, count, mine):
    """The values of depth d + 1 by each own continuation to those above."""
    lines, field, table, many = walk.lines, walk.field, walk.table, edges.root.shape[2]
    for k in range(count):
        node = edges.node[d, walk.player, k]
        what = told(lines, node, WHAT)
        base, step, street = told(lines, node, BASE), lines.step[what & OWNER], what & STREETS
        here, below = d * many + k, (d + 1) * many + k
        if mine:
            for j in range(walk.hands):
                low = np.uint64(base + field.bucket[street, j] * step) * PAIR
                edges.value[here, j] += edges.value[below, j] * table[low + np.uint64(a)]
        else:
            for j in range(walk.hands):
                edges.value[here, j] += edges.value[below, j]


@inlined
def _all_come(walk, edges, d, own, others):
    """The end of a hand behind an edge: it is worth the same by all own continuations."""
    field, many = walk.field, edges.root.shape[2]
    for j in range(walk.hands):
        field.theirs[d, j] = edges.theirs[d * many, j]
    for k in range(1, others):
        for j in range(walk.hands):
            field.theirs[d, j] += edges.theirs[d * many + k, j]
    field.node[d] = edges.node[d, 0, 0]
    end_of(walk, d)
    for k in range(own):
        for j in range(walk.hands):
            edges.value[d * many + k, j] = field.value[d, j]


@inlined
def _behind(walk, edges, top, own, others):
    """The values of each own continuation behind an edge, against the other's mixture of them.

    What the other may choose is carried as reaches, and what the player may as values: each end is
    evaluated once.
    """
    lines, many = walk.lines, edges.root.shape[2]
    edges.done[top] = -1
    d = top
    while d >= top:
        what = told(lines, edges.node[d, 0, 0], WHAT)
        kind, count = kind_of(what), np.int64(what >> COUNT)
        mine = kind == walk.player
        if kind >= FOLD:
            _all_come(walk, edges, d, own, others)
            edges.done[d] = count
        elif edges.done[d] < 0:
            for k in range(own):
                for j in range(walk.hands):
                    edges.value[d * many + k, j] = np.float32(0)
            edges.done[d] = 0
        else:
            _carry_up(walk, edges, d, edges.done[d], own, mine)
            edges.done[d] += 1
        if edges.done[d] < count:
            for player in range(2):
                for k in range(many):
                    after = told(lines, edges.node[d, player, k], NEXT)
                    edges.node[d + 1, player, k] = after + np.uint32(edges.done[d])
            if mine:
                for k in range(others):
                    for j in range(walk.hands):
                        edges.theirs[(d + 1) * many + k, j] = edges.theirs[d * many + k, j]
            else:
                _carry_down(walk, edges, d, edges.done[d], others)
            edges.done[d + 1] = -1
            d += 1
        else:
            d -= 1


@inlined
def _edge(walk, style, edges, d, state):
    """The value of an edge at depth d, where players choose among continuations."""
    field, hands, many = walk.field, walk.hands, edges.root.shape[2]
    mine, theirs = edges.choice[state, walk.player], edges.choice[state, 1 - walk.player]
    own, others = many if mine >= 0 else 1, many if theirs >= 0 else 1
    for player in range(2):
        for k in range(many):
            edges.node[d, player, k] = edges.root[state, player, k]
    if theirs >= 0:
        field.node[d] = np.uint32(theirs)
        _strategies(walk, style, d)
    for k in range(others):
        for j in range(hands):
            share = field.play[d * walk.width + k, j] if theirs >= 0 else np.float32(1)
            edges.theirs[d * many + k, j] = field.theirs[d, j] * share
    _behind(walk, edges, d, own, others)
    for j in range(hands):
        field.value[d, j] = edges.value[d * many, j]
    if mine >= 0:
        field.node[d] = np.uint32(mine)
        _strategies(walk, style, d)
        for j in range(hands):
            field.value[d, j] = np.float32(0)
        for k in range(many):
            row = d * walk.width + k
            for j in range(hands):
                field.worth[row, j] = edges.value[d * many + k, j]
                field.value[d, j] += field.play[row, j] * field.worth[row, j]
        _learn(walk, d)


@inlined
def _state_at(edges, node):
    """The state of the edge that begins at a node; -1 if none does."""
    return np.int64(-1) if edges is None else np.int64(edges.number[node])


@inlined
def _walk(walk, style, edges):
    lines, field, hands, width = walk.lines, walk.field, walk.hands, walk.width
    field.node[0] = 0
    field.done[0] = -1
    d = 0
    while d >= 0:
        node = field.node[d]
        what = told(lines, node, WHAT)
        kind, count = kind_of(what), np.int64(what >> COUNT)
        state = _state_at(edges, node)
        mine = kind == walk.player and state < 0
        if state >= 0:
            if edges is not None:
                _edge(walk, style, edges, d, state)
            field.done[d] = count
        elif kind >= FOLD:
            end_of(walk, d)
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
            if mine and what & STREETS < lines.held:
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
    fold(field, 0, hands, 1.0)
    for j in range(hands):
        field.own[0, j] = field.weight[j] * field.value[0, j]


@jit
def public(lines, cards, rule, table, style, boards, room, streets):
    """Walks of both players on each board; ``room`` is a field, and edges or None."""
    field, edges = room
    width = field.play.shape[0] // field.node.size
    for b in range(boards.count.size):
        hands = boards.count[b]
        _lay(cards, boards, field, b, streets)
        for player in range(2):
            _sit(boards, field, b, player)
            _walk(Walk(lines, rule, table, boards, field, b, player, hands, width), style, edges)


@jit
def worths(lines, cards, rule, table, boards, room, streets, told_of):
    """Walks of one player on each board: add what each of its hands wins by the table, and how much
    it meets."""
    field, edges = room
    width, player = field.play.shape[0] // field.node.size, told_of.player
    for b in range(boards.count.size):
        hands = boards.count[b]
        _lay(cards, boards, field, b, streets)
        _sit(boards, field, b, player)
        for j in range(hands):
            told_of.met[boards.hand[b, j]] += field.value[0, j]
        _walk(Walk(lines, rule, table, boards, field, b, player, hands, width), None, edges)
        for j in range(hands):
            told_of.won[boards.hand[b, j]] += field.value[0, j]
