"""Deviation-based best response: a model of an opponent from action counts, and its best reply.

Ganzfried and Sandholm (2011). The opponent acts in public sets; the infosets of one set are its
buckets, among which only the opponent can tell. What it did in a set was counted, whatever it
held. The model is the strategy nearest to an equilibrium that acts as often as was counted; the
three flavours are three meanings of near.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.layout import NONE
from counterfold.kernels.sequence import best_reply

L1, L2, WEIGHT_SHIFTING = 1, 2, 3
"""The flavours."""

_CLOSE = 1e-13  # how far the rates of L2 may stay from those wanted, before the last repair


class Public(NamedTuple):
    """The public sets of a two-player game, both players' in one numbering. Indices are uint32.

    Buckets stand in the order of their sets, and within one in the order of infosets.
    """

    seats: np.ndarray  # [players + 1] sets of player p: order[seats[p]] to order[seats[p + 1]]
    order: np.ndarray  # sets with a choice, by player, none before a set that leads to it
    of: np.ndarray  # [infosets] the set of each infoset
    first: np.ndarray  # [sets + 1] action a of set n is counted in counts[first[n] + a]
    bucket: np.ndarray  # [sets + 1] first bucket of each set
    start: np.ndarray  # [buckets] first slot of each bucket's actions
    parent: np.ndarray  # [buckets] slot of its owner's last choice before; NONE if there is none
    weight: np.ndarray  # [buckets] chance of its histories, all actions taken as certain
    slots: np.ndarray  # [players + 1] slots of player p: slots[p] to slots[p + 1]
    slot: np.ndarray  # [sequences] slot of each sequence of the sequence form


class Room(NamedTuple):
    """Room to work in."""

    ideal: np.ndarray  # [slots] how likely the equilibrium's own choices lead there
    reach: np.ndarray  # [slots] the same for the model
    holds: np.ndarray  # [most buckets] how likely each bucket of a set is
    left: np.ndarray  # [most buckets] what its settled actions leave to the others
    sorted: np.ndarray  # [most buckets] places of buckets, int64
    wanted: np.ndarray  # [most actions] how often the model has to take each action
    found: np.ndarray  # [most actions] how often it does so far
    gap: np.ndarray  # [most actions] found less wanted
    price: np.ndarray  # [most actions]
    step: np.ndarray  # [most actions]
    trial: np.ndarray  # [most actions]
    matrix: np.ndarray  # [most actions squared]
    settled: np.ndarray  # [most actions] 1 once an action is done with
    x: np.ndarray  # [sequences] probabilities of the opponent's sequences
    met: np.ndarray  # [sequences] how much of the model's play is met after a sequence
    gradient: np.ndarray  # [sequences]
    value: np.ndarray  # [largest group]
    choice: np.ndarray  # [infosets of the form] uint32


@jit
def chance_weights(first, child, prob, weight):
    """Chance of each node, all players' actions taken as certain; ``weight`` starts as zeros."""
    weight[0] = 1.0
    for v in range(first.size - 1):
        for e in range(first[v], first[v + 1]):
            weight[child[e]] += weight[v] * prob[e]


@inlined
def _hold(public, lo, hi, reach, holds):
    """How likely each bucket is, up to a factor, for a player with these reaches; their sum."""
    total = 0.0
    for j in range(lo, hi):
        above = public.parent[j]
        weight = public.weight[j]
        if above != NONE:
            weight *= reach[above]
        holds[j - lo] = weight
        total += weight
    return total


@inlined
def _descend(public, lo, hi, size, strategy, reach):
    """Reach of the actions of a set, from the reach of its buckets."""
    for j in range(lo, hi):
        above = public.parent[j]
        own = 1.0
        if above != NONE:
            own = reach[above]
        s = np.int64(public.start[j])
        for a in range(size):
            reach[s + a] = own * strategy[s + a]


@inlined
def _rates(public, lo, hi, size, holds, strategy, rates):
    """How often a set's actions are taken, all buckets together; ``holds`` sums to one."""
    for a in range(size):
        rates[a] = 0.0
    for j in range(lo, hi):
        s = np.int64(public.start[j])
        for a in range(size):
            rates[a] += holds[j - lo] * strategy[s + a]


@inlined
def _posterior(public, n, lo, hi, size, counts, equilibrium, prior, room):
    """How often the opponent takes each action: the equilibrium's rates as ``prior`` sightings."""
    holds = room.holds
    total = _hold(public, lo, hi, room.ideal, holds)
    if total <= 0.0:  # the equilibrium never comes here: by chance alone
        total = 0.0
        for j in range(lo, hi):
            holds[j - lo] = public.weight[j]
            total += public.weight[j]
    for k in range(hi - lo):
        holds[k] /= total
    _rates(public, lo, hi, size, holds, equilibrium, room.wanted)
    first = np.int64(public.first[n])
    seen = 0.0
    for a in range(size):
        seen += counts[first + a]
    if seen > 0.0:
        for a in range(size):
            room.wanted[a] = (room.wanted[a] * prior + counts[first + a]) / (prior + seen)


@inlined
def _in_proportion(public, lo, hi, size, model, room):
    """Bring the rates of ``model`` to those wanted at the least L1 distance.

    An action taken too often gives up the same share of itself in every bucket; what a bucket
    is freed of goes to the actions taken too seldom, in proportion to what they lack. All moves
    of one action have one sign, so that the distance is the sum of |found - wanted|: less is
    impossible.
    """
    found, wanted = room.found, room.wanted
    _rates(public, lo, hi, size, room.holds, model, found)
    lacking = 0.0
    for a in range(size):
        if wanted[a] > found[a]:
            lacking += wanted[a] - found[a]
    if lacking <= 0.0:
        return
    for j in range(lo, hi):
        if room.holds[j - lo] <= 0.0:
            continue
        s = np.int64(public.start[j])
        freed = 0.0
        for a in range(size):
            if found[a] > wanted[a]:
                kept = model[s + a] * (wanted[a] / found[a])
                freed += model[s + a] - kept
                model[s + a] = kept
        for a in range(size):
            if wanted[a] > found[a]:
                model[s + a] += freed * ((wanted[a] - found[a]) / lacking)


@inlined
def _project(s, size, equilibrium, price, model):
    """The point of the simplex nearest to the equilibrium at a bucket plus prices."""
    total = 0.0
    for a in range(size):
        total += equilibrium[s + a] + price[a]
    count = size
    cut = (total - 1.0) / count
    while True:
        total = 0.0
        above = 0
        for a in range(size):
            y = equilibrium[s + a] + price[a]
            if y > cut:
                total += y
                above += 1
        if above == count or above == 0:
            break
        count = above
        cut = (total - 1.0) / count
    for a in range(size):
        model[s + a] = max(equilibrium[s + a] + price[a] - cut, 0.0)


@inlined
def _at_prices(public, lo, hi, size, equilibrium, price, model, room):
    """The model that prices make; leaves the gaps of its rates, and returns the largest."""
    for j in range(lo, hi):
        if room.holds[j - lo] > 0.0:
            _project(np.int64(public.start[j]), size, equilibrium, price, model)
    _rates(public, lo, hi, size, room.holds, model, room.found)
    worst = 0.0
    for a in range(size):
        room.gap[a] = room.found[a] - room.wanted[a]
        worst = max(worst, abs(room.gap[a]))
    return worst


@inlined
def _newton_step(public, lo, hi, size, damping, model, room):
    """Solve (derivative of the rates by the prices + damping) step = -gap, by Cholesky."""
    m, step = room.matrix, room.step
    for k in range(size * size):
        m[k] = 0.0
    for j in range(lo, hi):
        hold = room.holds[j - lo]
        if hold <= 0.0:
            continue
        s = np.int64(public.start[j])
        active = 0
        for a in range(size):
            if model[s + a] > 0.0:
                active += 1
        share = hold / active
        for a in range(size):
            if model[s + a] > 0.0:
                m[a * size + a] += hold
                for c in range(a + 1):
                    if model[s + c] > 0.0:
                        m[a * size + c] -= share
    for a in range(size):
        for c in range(a):
            acc = m[a * size + c]
            for k in range(c):
                acc -= m[a * size + k] * m[c * size + k]
            m[a * size + c] = acc / m[c * size + c]
        acc = m[a * size + a] + damping
        for k in range(a):
            acc -= m[a * size + k] * m[a * size + k]
        m[a * size + a] = np.sqrt(max(acc, 1e-15))
    for a in range(size):
        acc = -room.gap[a]
        for k in range(a):
            acc -= m[a * size + k] * step[k]
        step[a] = acc / m[a * size + a]
    for back in range(size):
        a = size - 1 - back
        acc = step[a]
        for k in range(a + 1, size):
            acc -= m[k * size + a] * step[k]
        step[a] = acc / m[a * size + a]


@inlined
def _least_squares(public, lo, hi, size, equilibrium, model, room):
    """Bring the rates to those wanted at the least L2 distance, buckets by how likely they are.

    The nearest strategy is, bucket by bucket, the projection of the equilibrium plus one price
    an action, the same in all buckets. The rates are the gradient of a convex function of the
    prices, linear in pieces: damped Newton steps, halved while they go beyond the lowest point.
    """
    price, trial, step = room.price, room.trial, room.step
    for a in range(size):
        price[a] = 0.0
    worst = _at_prices(public, lo, hi, size, equilibrium, price, model, room)
    for _ in range(100):
        if worst <= _CLOSE:
            break
        _newton_step(public, lo, hi, size, max(0.1 * worst, 1e-12), model, room)
        length, before, found = 1.0, worst, False
        for _ in range(40):
            for a in range(size):
                trial[a] = price[a] + length * step[a]
            worst = _at_prices(public, lo, hi, size, equilibrium, trial, model, room)
            slope = 0.0
            for a in range(size):
                slope += room.gap[a] * step[a]
            if slope <= 0.0 or worst <= 0.5 * before:
                found = True
                break
            length *= 0.5
        if not found:  # rounding is all that is left
            break
        for a in range(size):
            price[a] = trial[a]
    _in_proportion(public, lo, hi, size, model, room)


@inlined
def _sort(public, lo, hi, a, equilibrium, highest, places):
    """Places of buckets by how often the equilibrium takes action a, ties in their order."""
    width = hi - lo
    for k in range(width):
        places[k] = k
    gap = 1
    while gap < width:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, width):
            place = places[k]
            key = equilibrium[np.int64(public.start[lo + place]) + a]
            h = k
            while h >= gap:
                other = places[h - gap]
                value = equilibrium[np.int64(public.start[lo + other]) + a]
                ahead = key > value if highest else key < value
                if not (ahead or (key == value and place < other)):
                    break
                places[h] = other
                h -= gap
            places[h] = place
        gap //= 3


@inlined
def _shift(s, size, a, amount, model, room, k, lacking):
    """Give action a ``amount`` more at a bucket; the unsettled others shrink or grow alike.

    Where they have nothing that could grow, they share by what they lack.
    """
    rest = 0.0
    for c in range(size):
        if c != a and room.settled[c] == 0.0:
            rest += model[s + c]
    now = min(max(model[s + a] + amount, 0.0), room.left[k])
    after = room.left[k] - now
    model[s + a] = now
    for c in range(size):
        if c != a and room.settled[c] == 0.0:
            if rest > 0.0:
                model[s + c] *= after / rest
            elif lacking > 0.0:
                model[s + c] = after * max(-room.gap[c], 0.0) / lacking


@inlined
def _shift_weight(public, lo, hi, size, equilibrium, model, room):
    """Bring the rates to those wanted by shifting weight, one action after the other.

    The action whose rate is furthest from the one wanted comes first (the first of several). If
    it is too seldom, the bucket in which the equilibrium takes it most takes it always, then
    the next, the last one as much as is still missing. If it is too frequent, the bucket in
    which the equilibrium takes it least never takes it, then the next, the last one partly.
    Buckets that tie keep their order. The other actions of a bucket shrink or grow in
    proportion (from nothing: by what they lack). The action is settled then, and the others
    are done in the same way with the weight that it leaves in each bucket.
    """
    found, wanted, gap, settled = room.found, room.wanted, room.gap, room.settled
    for a in range(size):
        settled[a] = 0.0
    for k in range(hi - lo):
        room.left[k] = 1.0
    for _ in range(size - 1):
        _rates(public, lo, hi, size, room.holds, model, found)
        worst, action = 0.0, np.int64(-1)
        for a in range(size):
            gap[a] = found[a] - wanted[a]
            if settled[a] == 0.0 and abs(gap[a]) > worst:
                worst, action = abs(gap[a]), np.int64(a)
        if action < 0:
            return
        lacking = 0.0
        for a in range(size):
            if settled[a] == 0.0:
                lacking += max(-gap[a], 0.0)
        raised = gap[action] < 0.0
        _sort(public, lo, hi, action, equilibrium, raised, room.sorted)
        for place in range(hi - lo):
            k = room.sorted[place]
            hold = room.holds[k]
            if hold <= 0.0 or worst <= 0.0:
                continue
            s = np.int64(public.start[lo + k])
            able = room.left[k] - model[s + action] if raised else model[s + action]
            moved = max(min(able, worst / hold), 0.0)
            worst -= hold * moved
            _shift(s, size, action, moved if raised else -moved, model, room, k, lacking)
        settled[action] = 1.0
        for j in range(lo, hi):
            room.left[j - lo] -= model[np.int64(public.start[j]) + action]


@inlined
def _respond(form, public, equilibrium, strategy, room, seat):
    """The best reply to the model whose reach is in ``room``."""
    hero, x, met = 1 - seat, room.x, room.met
    for s in range(np.int64(public.slots[hero]), np.int64(public.slots[hero + 1])):
        strategy[s] = equilibrium[s]
    first, last = np.int64(form.groups[seat]), np.int64(form.groups[seat + 1])
    x[seat] = 1.0
    for q in range(np.int64(form.start[first]), np.int64(form.start[last])):
        x[q] = room.reach[public.slot[q]]
    first, last = np.int64(form.groups[hero]), np.int64(form.groups[hero + 1])
    room.gradient[hero] = 0.0
    met[hero] = 0.0
    for q in range(np.int64(form.start[first]), np.int64(form.start[last])):
        worth, total = 0.0, 0.0
        for k in range(form.ptr[q], form.ptr[q + 1]):
            total += x[form.col[k]]
            worth += form.val[k] * x[form.col[k]]
        room.gradient[q] = worth
        met[q] = total
    best_reply(form, hero, room, room.choice)
    for back in range(last - first):
        group = last - 1 - back
        start, below = np.int64(form.start[group]), np.int64(form.infoset[group])
        width = np.int64(form.infoset[group + 1]) - below
        stop = np.int64(form.start[group + 1])
        for k in range(width):
            total = 0.0
            for q in range(start + k, stop, width):
                total += met[q]
            if total > 0.0:
                met[form.parent[below + k]] += total
                chosen = start + np.int64(room.choice[below + k]) * width + k
                for q in range(start + k, stop, width):
                    strategy[public.slot[q]] = 1.0 if q == chosen else 0.0


@jit
def rebuild(form, public, counts, equilibrium, model, strategy, room, seat, prior, flavour):
    """Model player ``seat`` from counts, and reply to it as the other player.

    Writes the model into the slots of ``seat`` in ``model``, and the best reply into the other
    player's slots of ``strategy``. Public sets are modelled from the top down: how likely each
    bucket is follows from chance and from the model above. Sets that the model never comes to
    keep the equilibrium. The reply is pure, ties go to the first action; it is the equilibrium
    at infosets to which the model never lets it come (or where the model leaves nothing to win
    or lose), for there the equilibrium is the better guess if the model proves wrong.
    """
    for s in range(np.int64(public.slots[seat]), np.int64(public.slots[seat + 1])):
        model[s] = equilibrium[s]
    for place in range(np.int64(public.seats[seat]), np.int64(public.seats[seat + 1])):
        n = np.int64(public.order[place])
        lo, hi = np.int64(public.bucket[n]), np.int64(public.bucket[n + 1])
        size = np.int64(public.first[n + 1]) - np.int64(public.first[n])
        _posterior(public, n, lo, hi, size, counts, equilibrium, prior, room)
        _descend(public, lo, hi, size, equilibrium, room.ideal)
        total = _hold(public, lo, hi, room.reach, room.holds)
        if total > 0.0:
            for k in range(hi - lo):
                room.holds[k] /= total
            if flavour == L1:
                _in_proportion(public, lo, hi, size, model, room)
            elif flavour == L2:
                _least_squares(public, lo, hi, size, equilibrium, model, room)
            else:
                _shift_weight(public, lo, hi, size, equilibrium, model, room)
        _descend(public, lo, hi, size, model, room.reach)
    _respond(form, public, equilibrium, strategy, room, seat)
