"""The strategy nearest to an equilibrium that takes the actions of a public set at given rates.

Only its owner can tell the infosets of a public set apart; here they are its buckets, from ``lo``
to ``hi`` in ``public`` (see ``kernels.dbbr``). ``room.holds`` says how likely each is, and
``room.wanted`` how often each action is to be taken, all buckets together. ``model`` holds the
equilibrium at first. Buckets that are never held stay as they are.
"""

import numpy as np

from counterfold.kernels.jit import inlined

_CLOSE = 1e-13  # how far the rates of least squares may be off, before the last repair
_GRAIN = 1e6  # equilibria are sorted in steps of one over this: finer is a solver's noise
_TIE = 1e-12  # rates that differ by less are as far off: two actions that are left always are


@inlined
def rates(public, lo, hi, size, holds, strategy, rates):
    """How often a set's actions are taken, all buckets together; ``holds`` sums to one."""
    for a in range(size):
        rates[a] = 0.0
    for j in range(lo, hi):
        s = np.int64(public.start[j])
        for a in range(size):
            rates[a] += holds[j - lo] * strategy[s + a]


@inlined
def in_proportion(public, lo, hi, size, model, room):
    """Bring the rates of ``model`` to those wanted at the least L1 distance.

    An action taken too often gives up the same share of itself in every bucket; what a bucket
    is freed of goes to the actions taken too seldom, in proportion to what they lack. All moves
    of one action have one sign, so that the distance is the sum of |found - wanted|: less is
    impossible.
    """
    found, wanted = room.found, room.wanted
    rates(public, lo, hi, size, room.holds, model, found)
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
        if above >= count or above == 0:
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
    rates(public, lo, hi, size, room.holds, model, room.found)
    worst = 0.0
    for a in range(size):
        room.gap[a] = room.found[a] - room.wanted[a]
        worst = max(worst, abs(room.gap[a]))
    return worst


@inlined
def _derivative(public, lo, hi, size, model, room):
    """The derivative of the rates by the prices, as a lower triangle."""
    m = room.matrix
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


@inlined
def _newton_step(public, lo, hi, size, damping, model, room):
    """Solve (derivative of the rates by the prices + damping) step = -gap, by Cholesky."""
    m, step = room.matrix, room.step
    _derivative(public, lo, hi, size, model, room)
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
def _slope(size, room):
    """How the convex function behind the rates changes along the step."""
    total = 0.0
    for a in range(size):
        total += room.gap[a] * room.step[a]
    return total


@inlined
def _bend(public, lo, hi, size, model, room):
    """How that slope changes along the step, as long as the same actions are played."""
    total = 0.0
    for j in range(lo, hi):
        s = np.int64(public.start[j])
        active, once, twice = 0, 0.0, 0.0
        for a in range(size):
            if model[s + a] > 0.0:
                active += 1
                once += room.step[a]
                twice += room.step[a] * room.step[a]
        total += room.holds[j - lo] * (twice - once * once / active)
    return total


@inlined
def _along(public, lo, hi, size, equilibrium, worst, model, room):
    """Follow the step from the prices to where the slope has at least halved.

    The slope grows in linear pieces: Newton steps within what is known to be too short and too
    long. Moves the prices, and returns the largest gap there.
    """
    short, long, length = 0.0, np.inf, 1.0
    steepest = _slope(size, room)
    gap = worst
    for _ in range(60):
        for a in range(size):
            room.trial[a] = room.price[a] + length * room.step[a]
        gap = _at_prices(public, lo, hi, size, equilibrium, room.trial, model, room)
        slope = _slope(size, room)
        if gap <= 0.5 * worst or 0.5 * steepest <= slope <= 0.0:
            break
        if slope < 0.0:
            short = length
        else:
            long = length
        bend = _bend(public, lo, hi, size, model, room)
        after = length - slope / bend if bend > 0.0 else short
        if not short < after < long:
            after = 0.5 * (short + long) if long < np.inf else 4.0 * length
        length = after
    for a in range(size):
        room.price[a] = room.trial[a]
    return gap


@inlined
def least_squares(public, lo, hi, size, equilibrium, model, room):
    """Bring the rates to those wanted at the least L2 distance, buckets by how likely they are.

    The nearest strategy is, bucket by bucket, the projection of the equilibrium plus one price
    an action, the same in all buckets. The rates are the gradient of a convex function of the
    prices, linear in pieces: damped Newton steps find where it meets the rates wanted.
    """
    for a in range(size):
        room.price[a] = 0.0
    worst = _at_prices(public, lo, hi, size, equilibrium, room.price, model, room)
    for _ in range(50):
        if worst <= _CLOSE:
            break
        _newton_step(public, lo, hi, size, max(worst, 1e-12), model, room)
        worst = _along(public, lo, hi, size, equilibrium, worst, model, room)
    in_proportion(public, lo, hi, size, model, room)


@inlined
def _key(public, bucket, a, equilibrium):
    """What buckets are sorted by: a rate in whole millionths."""
    return np.floor(equilibrium[np.int64(public.start[bucket]) + a] * _GRAIN + 0.5)


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
            key = _key(public, lo + place, a, equilibrium)
            h = k
            while h >= gap:
                other = places[h - gap]
                value = _key(public, lo + other, a, equilibrium)
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
def shift_weight(public, lo, hi, size, equilibrium, model, room):
    """Bring the rates to those wanted by shifting weight, one action after the other.

    The action whose rate is furthest from the one wanted comes first (the first of several: the
    last two always tie). If it is too seldom, the bucket in which the equilibrium takes it most
    takes it always, then the next, the last one as much as is still missing. If it is too
    frequent, the bucket in which the equilibrium takes it least never takes it, then the next,
    the last one partly. Buckets that tie, to a millionth, keep their order. The other actions
    of a bucket shrink or grow in proportion (from nothing: by what they lack). The action is
    settled then, and the others are done in the same way with the weight that it leaves in each
    bucket.
    """
    found, wanted, gap, settled = room.found, room.wanted, room.gap, room.settled
    for a in range(size):
        settled[a] = 0.0
    for k in range(hi - lo):
        room.left[k] = 1.0
    for _ in range(size - 1):
        rates(public, lo, hi, size, room.holds, model, found)
        worst, action = 0.0, np.int64(-1)
        for a in range(size):
            gap[a] = found[a] - wanted[a]
            if settled[a] == 0.0 and abs(gap[a]) > worst + _TIE:
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
