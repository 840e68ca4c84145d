"""Ends of hands on a public tree, sixteen at a time, for all hands of one player."""

import numpy as np

from counterfold.kernels.jit import inlined, subkernel
from counterfold.kernels.lanes import (
    LANES,
    add,
    lanes_to_rows,
    load,
    mul,
    rows_to_lanes,
    splat,
    store,
    sub,
)

CALLED, FOLDED, BEATEN, TIED, FIRST, SECOND = 0, 1, 2, 3, 4, 5
SHARES = 6  # rows of numbers that a batch of ends has
CARDS = 54  # and for hands of one card a second that no hand of the other player has


@inlined
def _clear(card, zero, count):
    nothing = load(zero, 0)
    for c in range(count):
        store(card, c, nothing)


@inlined
def _put(card, first, second, number):
    """Add a hand's weight to the sums of its two cards."""
    store(card, first, add(load(card, first), number))
    store(card, second, add(load(card, second), number))


@inlined
def _met(total, card, first, second):
    """Of a total, those who hold neither card; those who hold both are taken off twice."""
    return sub(sub(total, load(card, first)), load(card, second))


@subkernel
def settle(board, mine, theirs, boards, me, share, room):
    """Ends of the last street.

    With B whom a hand beats, E those and whom it ties, T all that it can meet, an end is worth
    win * B + tie * (E - B) + lose * (T - E): a sum of three with weights of its own. Hands lie
    in the order of strength, so B and E are sums so far.
    """
    face, other, same = mine.face[board], theirs.face[board], mine.same[board]
    card, called, folded, kept, lost = room.card, room.called, room.folded, room.kept, room.lost
    _clear(card, room.zero, 2 * CARDS)
    by_call, by_fold = load(share, CALLED), load(share, FOLDED)
    total = load(room.zero, 0)
    for o in range(theirs.count[board]):
        number = add(mul(by_call, load(called, o)), mul(by_fold, load(folded, o)))
        _put(card, CARDS + np.uint32(other[o, 0]), CARDS + np.uint32(other[o, 1]), number)
        total = add(total, number)
    one, two = load(share, FIRST), load(share, SECOND)
    for h in range(mine.count[board]):
        met = _met(total, card, CARDS + np.uint32(face[h, 0]), CARDS + np.uint32(face[h, 1]))
        s = same[h]
        met = add(met, add(mul(by_call, load(called, s)), mul(by_fold, load(folded, s))))
        store(kept, h, mul(one, met))
        store(lost, h, mul(two, met))
    beaten, tied = load(share, BEATEN), load(share, TIED)
    total = load(room.zero, 0)
    o, h = np.uint32(0), np.uint32(0)
    for g in range(boards.group[board], boards.group[board + 1]):
        stop, until = np.uint32(boards.bound[g, me]), np.uint32(boards.bound[g, 1 - me])
        for k in range(h, stop):
            met = _met(total, card, face[k, 0], face[k, 1])
            store(kept, k, add(load(kept, k), mul(beaten, met)))
        for k in range(o, until):
            number = load(called, k)
            _put(card, other[k, 0], other[k, 1], number)
            total = add(total, number)
        for k in range(h, stop):
            met = add(_met(total, card, face[k, 0], face[k, 1]), load(called, same[k]))
            store(kept, k, add(load(kept, k), mul(tied, met)))
        o, h = until, stop


@subkernel
def end_early(board, mine, theirs, boards, share, room):
    """Ends before the last street, where one has folded: hands are classes of pairs of cards."""
    inner = boards.inner[board]
    cards, hand = theirs.cards[inner], theirs.hand[inner]
    face, same = mine.face[board], mine.same[board]
    card, called, folded, kept = room.card, room.called, room.folded, room.kept
    _clear(card, room.zero, CARDS)
    one, total = load(share, FIRST), load(room.zero, 0)
    for o in range(theirs.many[board]):
        number = load(called, hand[o])
        store(folded, o, number)
        _put(card, cards[o, 0], cards[o, 1], number)
        total = add(total, number)
    for h in range(mine.count[board]):
        met = add(_met(total, card, face[h, 0], face[h, 1]), load(folded, same[h]))
        store(kept, h, mul(one, met))


@subkernel
def roll_out(board, mine, theirs, boards, share, room):
    """Ends of the last street where cards are still to come: by how often hands win on these."""
    inner = boards.inner[board]
    cards, hand = theirs.cards[inner], theirs.hand[inner]
    last = inner + mine.beaten.shape[0] - boards.inner.size  # among boards of the last street
    beaten, upto = mine.beaten[last], mine.upto[last]
    face, same = mine.face[board], mine.same[board]
    card, called, folded, kept = room.card, room.called, room.folded, room.kept
    _clear(card, room.zero, CARDS)
    by_call, by_fold = load(share, CALLED), load(share, FOLDED)
    one, two, total = load(share, FIRST), load(share, SECOND), load(room.zero, 0)
    for o in range(theirs.count[board]):
        store(folded, o, add(mul(by_call, load(called, o)), mul(by_fold, load(folded, o))))
    for o in range(theirs.many[board]):
        number = load(folded, hand[o])
        _put(card, cards[o, 0], cards[o, 1], number)
        total = add(total, number)
    wins, ties, scale = load(share, BEATEN), load(share, TIED), kept.dtype.type(boards.rest[0])
    for h in range(mine.count[board]):
        met = add(_met(total, card, face[h, 0], face[h, 1]), load(folded, same[h]))
        less, most = load(room.zero, 0), load(room.zero, 0)
        for o in range(theirs.count[board]):
            number = load(called, o)
            less = add(less, mul(splat(kept.dtype.type(beaten[h, o])), number))
            most = add(most, mul(splat(kept.dtype.type(upto[h, o])), number))
        won = mul(splat(scale), add(mul(wins, less), mul(ties, most)))
        store(kept, h, add(mul(one, met), won))
        store(room.lost, h, mul(two, met))


@inlined
def _end_late(board, both, boards, me, share, room, beaten):
    """Ends of the last street. What ``beaten`` decides, given by itself, is compiled alone."""
    if beaten is None:
        settle(board, both[0], both[1], boards, me, share, room)
    else:
        roll_out(board, both[0], both[1], boards, share, room)


@subkernel
def end(board, chunk, both, boards, ends, me, room, last):
    """All ends of a chunk; of ``both`` players' hands, those of whom a walk is for come first."""
    mine, theirs = both
    hands, others = mine.count[board], theirs.count[board]
    for lane in range(ends.start[chunk], ends.start[chunk + 1], LANES):
        for h in range(0, others, LANES):
            rows_to_lanes(room.theirs, ends.called, lane, h, room.called, h)
        where = np.uint32(SHARES) * np.uint32(lane) // np.uint32(LANES)
        share = ends.share[where : where + SHARES]
        if last:
            for h in range(0, others, LANES):
                rows_to_lanes(room.theirs, ends.folded, lane, h, room.folded, h)
            _end_late(board, both, boards, me, share, room, mine.beaten)
            for h in range(0, hands, LANES):
                lanes_to_rows(room.lost, h, room.value, ends.also, lane, h)
        else:
            end_early(board, mine, theirs, boards, share, room)
        for h in range(0, hands, LANES):
            lanes_to_rows(room.kept, h, room.value, ends.to, lane, h)
