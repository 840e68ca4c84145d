"""The update rule on rows of hands: one node of a public tree at a time.

``weight[at + a, h]`` is what action a weighs for hand h; rows of the actions of one node are
neighbours, and so are the rows of reach and of value of its children. The plain rule works on
regrets in place; whatever else a method, a style or a lock asks for goes through ``choose``.
"""

import numpy as np

from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.rule import (
    BEST,
    LOWEST,
    NEGATIVE,
    POSITIVE,
    PREDICTION,
    WEIGHT,
    accumulate,
)

PLAIN, ALIKE, BY_HAND = 0, 1, 2  # whether a style has a say at a node, and one for all hands

# Multiples of these, less their whole part, are spread evenly from 0 to 1.
GOLDEN, PLASTIC = 0.6180339887498949, 0.7548776662466927


@inlined
def _least(dtype):
    """The least sum of weights that counts: one over it is still a number."""
    fine = dtype(1e-300)  # zero in 32 bits
    return fine if fine > dtype(0) else dtype(1e-37)


@jit
def spread(weight, at, actions, hands, reach, above, below):
    """Reach after each action, in proportion to its weight; evenly where none weighs."""
    dtype = reach.dtype.type
    zero, one, least = dtype(0), dtype(1), _least(dtype)
    if actions == 1:  # a forced move
        for h in range(hands):
            reach[below, h] = reach[above, h]
    elif actions == 2:
        half = dtype(0.5)
        for h in range(hands):
            x, y = max(dtype(weight[at, h]), zero), max(dtype(weight[at + 1, h]), zero)
            total = x + y
            into = reach[above, h]
            scale = into / total if total > least else zero
            even = zero if total > least else into * half
            reach[below, h] = x * scale + even
            reach[below + 1, h] = y * scale + even
    elif actions == 3:
        third = one / dtype(3)
        for h in range(hands):
            x, y = max(dtype(weight[at, h]), zero), max(dtype(weight[at + 1, h]), zero)
            z = max(dtype(weight[at + 2, h]), zero)
            total = x + y + z
            into = reach[above, h]
            scale = into / total if total > least else zero
            even = zero if total > least else into * third
            reach[below, h] = x * scale + even
            reach[below + 1, h] = y * scale + even
            reach[below + 2, h] = z * scale + even
    else:
        even, last = one / dtype(actions), below + actions - 1
        for h in range(hands):
            reach[below, h] = max(dtype(weight[at, h]), zero)
        for a in range(1, actions - 1):
            for h in range(hands):
                reach[below, h] += max(dtype(weight[at + a, h]), zero)
        for h in range(hands):
            total = reach[below, h] + max(dtype(weight[at + actions - 1, h]), zero)
            into = reach[above, h]
            reach[last, h] = into / total if total > least else -into * even
        for a in range(actions):
            for h in range(hands):
                scale = reach[last, h]
                x = max(dtype(weight[at + a, h]), zero) * scale
                reach[below + a, h] = x if scale >= zero else -scale


@jit
def note(total, at, actions, hands, reach, below, average):
    """The average strategy takes in what is played now."""
    for a in range(actions):
        for h in range(hands):
            total[at + a, h] = total[at + a, h] * average + reach[below + a, h]


@jit
def mean(weight, at, actions, hands, value, place, below, spare):
    """The value of a node that is played by weights."""
    dtype = value.dtype.type
    zero, one, least = dtype(0), dtype(1), _least(dtype)
    even = one / dtype(actions)
    for h in range(hands):
        spare[h] = zero
    for a in range(actions):
        for h in range(hands):
            spare[h] += max(dtype(weight[at + a, h]), zero)
    for h in range(hands):
        spare[h] = one / spare[h] if spare[h] > least else -even
        value[place, h] = zero
    for a in range(actions):
        for h in range(hands):
            scale = spare[h]
            share = max(dtype(weight[at + a, h]), zero) * scale if scale >= zero else -scale
            value[place, h] += share * value[below + a, h]


@jit
def learn(regret, at, actions, hands, value, place, below, spare, row):
    """The value of the player's own node, and what it regrets there."""
    dtype = value.dtype.type
    zero, one, least = dtype(0), dtype(1), _least(dtype)
    positive, negative, lowest = dtype(row[POSITIVE]), dtype(row[NEGATIVE]), dtype(row[LOWEST])
    if actions == 2:
        half = dtype(0.5)
        for h in range(hands):
            r0, r1 = regret[at, h], regret[at + 1, h]
            v0, v1 = value[below, h], value[below + 1, h]
            x, y = max(r0, zero), max(r1, zero)
            total = x + y
            here = (x * v0 + y * v1) / total if total > least else half * (v0 + v1)
            value[place, h] = here
            regret[at, h] = accumulate(r0, v0 - here, positive, negative, lowest)
            regret[at + 1, h] = accumulate(r1, v1 - here, positive, negative, lowest)
    elif actions == 3:
        third = one / dtype(3)
        for h in range(hands):
            r0, r1, r2 = regret[at, h], regret[at + 1, h], regret[at + 2, h]
            v0, v1, v2 = value[below, h], value[below + 1, h], value[below + 2, h]
            x, y, z = max(r0, zero), max(r1, zero), max(r2, zero)
            total = x + y + z
            mixed = (x * v0 + y * v1 + z * v2) / (total if total > least else one)
            here = mixed if total > least else third * (v0 + v1 + v2)
            value[place, h] = here
            regret[at, h] = accumulate(r0, v0 - here, positive, negative, lowest)
            regret[at + 1, h] = accumulate(r1, v1 - here, positive, negative, lowest)
            regret[at + 2, h] = accumulate(r2, v2 - here, positive, negative, lowest)
    else:
        mean(regret, at, actions, hands, value, place, below, spare)
        for a in range(actions):
            for h in range(hands):
                new = value[below + a, h] - value[place, h]
                regret[at + a, h] = accumulate(regret[at + a, h], new, positive, negative, lowest)


@jit
def best(actions, hands, value, place, below):
    """The value of the best action."""
    for h in range(hands):
        value[place, h] = value[below, h]
    for a in range(1, actions):
        for h in range(hands):
            value[place, h] = max(value[place, h], value[below + a, h])


@jit
def read(table, at, actions, hands, rows, scale):
    """A node's numbers as they are meant: those in 16 bits times their scale."""
    dtype = rows.dtype.type
    for a in range(actions):
        for h in range(hands):
            rows[a, h] = dtype(table[at + a, h]) * scale


@jit
def foresee(last, at, actions, hands, rows, prediction):
    """Add the newest regrets, as a guess at the next."""
    for a in range(actions):
        for h in range(hands):
            rows[a, h] += prediction * last[at + a, h]


@jit
def prefer(delta, beta, hole, slot, node, actions, hands, rows, spare, weight, alike):
    """A style: what exceeds the allowance beta counts, times the preference delta."""
    zero = rows.dtype.type(0)
    if alike:
        allowance = weight * beta[node, hole[0]]
        for a in range(actions):
            degree = delta[slot + a, hole[0]]
            for h in range(hands):
                rows[a, h] = max(rows[a, h] - allowance, zero) * degree
    else:
        for h in range(hands):
            spare[h] = weight * beta[node, hole[h]]
        for a in range(actions):
            for h in range(hands):
                rows[a, h] = max(rows[a, h] - spare[h], zero) * delta[slot + a, hole[h]]


@jit
def to_one(actions, hands, rows, spare):
    """Weights as probabilities: in proportion, evenly where none weighs."""
    dtype = rows.dtype.type
    zero, one, least = dtype(0), dtype(1), _least(dtype)
    even = one / dtype(actions)
    for h in range(hands):
        spare[h] = zero
    for a in range(actions):
        for h in range(hands):
            spare[h] += max(rows[a, h], zero)
    for h in range(hands):
        spare[h] = one / spare[h] if spare[h] > least else -even
    for a in range(actions):
        for h in range(hands):
            scale = spare[h]
            rows[a, h] = max(rows[a, h], zero) * scale if scale >= zero else -scale


@jit
def share(fallback, hole, slot, actions, hands, rows, spare, alike):
    """Weights as probabilities under a style, which says what is played where none weighs."""
    dtype = rows.dtype.type
    zero, one, least = dtype(0), dtype(1), _least(dtype)
    for h in range(hands):
        spare[h] = zero
    for a in range(actions):
        for h in range(hands):
            spare[h] += rows[a, h]
    for h in range(hands):
        spare[h] = one / spare[h] if spare[h] > least else zero
    for a in range(actions):
        rest = fallback[slot + a, hole[0]]
        if alike:
            for h in range(hands):
                rows[a, h] = rows[a, h] * spare[h] if spare[h] > zero else rest
        else:
            for h in range(hands):
                rest = fallback[slot + a, hole[h]]
                rows[a, h] = rows[a, h] * spare[h] if spare[h] > zero else rest


@jit
def pick(fallback, hole, slot, actions, hands, rows, spare):
    """The heaviest action alone, the first of several; what the style says where none weighs."""
    dtype = rows.dtype.type
    zero, one = dtype(0), dtype(1)
    for h in range(hands):
        spare[h] = zero
    for a in range(actions):
        for h in range(hands):
            spare[h] = max(spare[h], rows[a, h])
    for a in range(actions):
        for h in range(hands):
            rest, most = fallback[slot + a, hole[h]], spare[h]
            first = most > zero and rows[a, h] == most
            alone = one if first else zero
            rows[a, h] = rest if most == zero else alone
            spare[h] = -one if first else most


@jit
def choose(regret, pack, extra, hole, at, n, wide, actions, hands, rows, spare, row):
    """The strategy of a node by the whole rule: predictions and a style."""
    dtype = rows.dtype.type
    if pack is None:
        read(regret, at, actions, hands, rows, dtype(1))
    else:
        read(regret, at, actions, hands, rows, pack.regret[at])
    if extra.last.size > 0:
        foresee(extra.last, at, actions, hands, rows, dtype(row[PREDICTION]))
    if extra.delta.size > 0:
        weight, alike = dtype(row[WEIGHT]), extra.styled[n] != BY_HAND
        prefer(extra.delta, extra.beta, hole, wide, n, actions, hands, rows, spare, weight, alike)
        if row[BEST] > 0:
            pick(extra.fallback, hole, wide, actions, hands, rows, spare)
        else:
            share(extra.fallback, hole, wide, actions, hands, rows, spare, alike)
    else:
        to_one(actions, hands, rows, spare)


@jit
def lock(trust, held, number, first, actions, hands, rows):
    """Mix what a player is held to into its strategy: (1 - trust) rows + trust held."""
    one = rows.dtype.type(1)
    for a in range(actions):
        for h in range(hands):
            share = trust[number, h]
            rows[a, h] = (one - share) * rows[a, h] + share * held[first + a, h]


@jit
def hold(trust, held, number, first, actions, hands, value, place, below):
    """Mix the value of what a player is held to into the value of its node."""
    one = value.dtype.type(1)
    for h in range(hands):
        value[place, h] *= one - trust[number, h]
    for a in range(actions):
        for h in range(hands):
            value[place, h] += trust[number, h] * held[first + a, h] * value[below + a, h]


@jit
def earn(actions, hands, rows, value, place, below):
    """The value of a node that is played by probabilities; the rows then hold new regrets."""
    for h in range(hands):
        value[place, h] = 0
    for a in range(actions):
        for h in range(hands):
            value[place, h] += rows[a, h] * value[below + a, h]
    for a in range(actions):
        for h in range(hands):
            rows[a, h] = value[below + a, h] - value[place, h]


@jit
def regret_more(regret, at, actions, hands, rows, row):
    """Add new regrets to a table."""
    dtype = rows.dtype.type
    positive, negative, lowest = dtype(row[POSITIVE]), dtype(row[NEGATIVE]), dtype(row[LOWEST])
    for a in range(actions):
        for h in range(hands):
            regret[at + a, h] = accumulate(
                regret[at + a, h], rows[a, h], positive, negative, lowest
            )


@jit
def copy(table, at, actions, hands, rows):
    """Keep rows in a table."""
    for a in range(actions):
        for h in range(hands):
            table[at + a, h] = rows[a, h]


@jit
def learn_from(regret, pack, last, at, actions, hands, rows, more, row):
    """Take in new regrets of a node that the whole rule has played."""
    if last.size > 0:
        copy(last, at, actions, hands, rows)
    if pack is None:
        regret_more(regret, at, actions, hands, rows, row)
    else:
        read(regret, at, actions, hands, more, pack.regret[at])
        regret_more(more, np.uint32(0), actions, hands, rows, row)
        squeeze(regret, pack.regret, at, actions, hands, more, rows.dtype.type(32767), row[WEIGHT])


@jit
def squeeze(table, scale, at, actions, hands, rows, most, seed):
    """Numbers of a node in 16 bits, with one scale for all of them.

    Rounding to the nearest would lose every change of less than half a unit, again and again,
    so numbers are rounded up as often as they are near to it: the threshold moves with ``seed``,
    the action and the hand, and is even over them.
    """
    dtype = rows.dtype.type
    largest = dtype(0)
    for a in range(actions):
        for h in range(hands):
            largest = max(largest, abs(rows[a, h]))
    scale[at] = largest / most
    by = most / largest if largest > 0 else dtype(0)
    start = GOLDEN * seed + PLASTIC * at
    start = dtype(start - np.floor(start))
    for a in range(actions):
        for h in range(hands):
            share = dtype(GOLDEN) * dtype(h) + start
            share -= np.floor(share)
            table[at + a, h] = min(np.floor(rows[a, h] * by + share), most)
        start += dtype(PLASTIC)


@inlined
def learn_packed(regret, scale, at, actions, hands, value, place, below, rows, spare, row):
    """As ``learn``, on regrets in 16 bits."""
    read(regret, at, actions, hands, rows, scale[at])
    learn(rows, np.uint32(0), actions, hands, value, place, below, spare, row)
    squeeze(regret, scale, at, actions, hands, rows, rows.dtype.type(32767), row[WEIGHT])


@jit
def note_packed(total, scale, at, actions, hands, reach, below, average, rows, seed):
    """As ``note``, on sums in 16 bits."""
    by = scale[at] * average
    for a in range(actions):
        for h in range(hands):
            rows[a, h] = total[at + a, h] * by + reach[below + a, h]
    squeeze(total, scale, at, actions, hands, rows, rows.dtype.type(65535), seed)
