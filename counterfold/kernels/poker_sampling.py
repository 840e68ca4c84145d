"""Sampled CFR over a betting tree and buckets of hands: one deal a walk.

A walk deals hands and a whole board (``poker_deals``). The walking player tries every action, the
others play by their strategies ("external sampling"), so that each decision of the player has
sampled regrets, and each of the others' adds to its average strategy, in the rows of a table
(``poker_lines``).

A walk has a queue for the player and one for the others. Where it comes to a decision it asks for
the row, and goes on elsewhere until the row has come; the walking player's own rows are read on the
way back only. Deals are made some at a time, for the same reason.

With three players and more, what an average strategy is made of weighs as much as the players who
neither walk nor decide play towards it: walks come there as often. Where one player alone leaves
its strategy, which is all that an equilibrium asks about, that is how often they are there at all.

Actions that are far behind may be skipped in most walks ("pruning", Brown and Sandholm 2019): they
have no regrets then, and their values are not numbers. What ends the hand is never skipped, nor
what leads to the last street, nor anything where no action has done well.

Where a player is answered whose play is known in part (a restricted Nash response), some of the
hero's walks meet a table that does not learn, in the place of the one that does.

Where a table is cut, a walk knows a part of the lines alone, and what lies elsewhere is worth
nothing to it. Regrets are sums over lines, so those of the trunk, which all parts share, are whole
once the parts' are added up; until then they lie aside, and the trunk is played as it was. Draws
are then by deal and node, so that all parts walk alike.

A style is a table of the same places: preference degrees where regrets lie, the fallback where sums
do, and the vulnerability degree in the place of the stamp. Without one it is None, and kernels are
compiled as if there were no such thing. Locks are one more such table, beside a style: what players
are held to where regrets lie, and how far in the place of the stamp. What a row learns is the part
that is left free, and what is drawn and what a visit is worth is of both parts.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.poker_deals import DEALT, PLAYS, TIED, deals, uniform, walker_of
from counterfold.kernels.poker_lines import (
    BASE,
    COUNT,
    EIGHT,
    FOLD,
    FOUR,
    NEXT,
    ONE,
    OWNER,
    OWNERS,
    PAIR,
    PAYOFF,
    STREETS,
    THREE,
    TWO,
    WHAT,
    ZERO,
    block_of,
    kind_of,
    learned_at,
    refresh,
    told,
)
from counterfold.kernels.prefetch import prefetch, prefetch_to_read
from counterfold.kernels.rule import accumulate, average, match, weigh

ROW, FIRST, IS, SLOT = ZERO, ONE, TWO, THREE  # of a visit, in ``Room.visit``, which has FOUR
DEALS = 16  # that are made at a time
LOWER = np.uint32((1 << 16) - 1)
LOOKS = 0.05  # of all walks skip nothing


class Model(NamedTuple):
    """A player who follows a table of its own in a share of the other one's walks."""

    table: np.ndarray  # float32 probabilities where regrets lie (a row may fade as a whole: the
    # mix stays); sums mean nothing
    hero: int  # who meets it; -1 if nobody does
    share: float
    alone: bool = False  # whether the hero alone walks


@inlined
def _chance(aside, room, n, node):
    """A number in [0, 1) for a draw: the next of the stream, or that of a deal and a node."""
    if aside is None:
        return uniform(room.random, PLAYS)
    z = room.random[DEALT] + np.uint64(node) * np.uint64(0xD1B54A32D192ED03)
    z = z ^ ((np.uint64(n) + ONE) * np.uint64(0x9E3779B97F4A7C15))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(np.int64(z >> np.uint64(11))) * (1.0 / 9007199254740992.0)


@inlined
def _won(lines, row, player, outcome):
    """What the walking player of three and more has at an end; nothing where there is none."""
    players = len(lines.seats)
    at = np.uint64(row) * block_of(players)
    won = lines.payoff[at + np.uint64(player)]
    at += np.uint64(players)
    while lines.payoff[at] > 0:
        rivals = np.uint32(lines.payoff[at + ONE])
        mine = rivals & (np.uint32(1) << player) != 0
        if mine and rivals & outcome & LOWER == 0:
            tied, share = rivals & (outcome >> TIED), np.float32(1)
            while tied != 0:
                tied &= tied - np.uint32(1)
                share += np.float32(1)
            won += lines.payoff[at] / share
        at += TWO
    return won


@inlined
def _arrive(lines, table, room, walk, node, slot, own, others):
    """Come to a node: an end has its value at once, a decision waits for its turn.

    Both are done without asking which it is, since asking takes longer: what a decision is worth
    is overwritten later, and the visit of an end by the next one.
    """
    player, start, outcome = walk
    what, after = told(lines, node, WHAT), told(lines, node, NEXT)
    if len(lines.seats) == 2:
        payoff = np.uint64(told(lines, node, PAYOFF)) * EIGHT
        room.value[slot] = lines.payoff[payoff + outcome]
    else:
        room.value[slot] = _won(lines, told(lines, node, PAYOFF), player, np.uint32(outcome))
    at = told(lines, node, BASE) + room.start[start + np.uint64(what & OWNER)]
    low = np.uint64(at) * PAIR
    prefetch(table, low)
    prefetch(table, low + np.uint64(what >> COUNT) * TWO - ONE)
    prefetch_to_read(lines.info, np.uint64(after) * FOUR)
    kind = kind_of(what)
    mine = (kind == player) & (what & STREETS < lines.held)  # behind a depth limit all draw
    to = own if mine else others
    room.visit[to + ROW] = at
    room.visit[to + FIRST] = after
    room.visit[to + IS] = what
    room.visit[to + SLOT] = slot
    own += FOUR if mine else ZERO
    theirs = (kind < FOLD) & (not mine)
    others += FOUR if theirs else ZERO
    return own, others


@inlined
def _draw(table, rule, chance, low, count):
    """An action of another player, by a strategy that joins its average."""
    zero, one = np.float32(0), np.float32(1)
    total = zero
    for a in range(low, low + count):
        total += weigh(table[a])
    known = total > 0
    whole = total if known else np.float32(count)
    share = rule.share / whole
    left = np.float32(chance) * whole
    chosen = np.uint32(0)
    for a in range(low, low + count):
        part = weigh(table[a]) if known else one
        table[a + count] = average(table[a + count], one, part * share)
        left -= part
        chosen += np.uint32(left >= 0)
    if chosen >= count:  # rounding must not choose what is never played
        chosen = np.uint32(count - ONE)
        while known and chosen > 0 and table[low + chosen] <= 0:
            chosen -= np.uint32(1)
    return chosen


@inlined
def styled_weight(table, style, low, count, a, held):
    """What an action weighs under a style."""
    return weigh(table[low + a], style[low + a], held * style[low + TWO * count])


@inlined
def styled_sums(table, style, low, count, held):
    """The sum of all weights at a row, and the heaviest action, the first of several.

    Weights are computed again where they are used, and may be rounded otherwise there: so it is
    the action that is remembered, and not its weight.
    """
    total, most, first = np.float32(0), np.float32(0), np.int64(-1)
    for a in range(count):
        part = styled_weight(table, style, low, count, a, held)
        total += part
        if part > most:
            most, first = part, np.int64(a)
    return total, first


@inlined
def styled_share(part, fallback, total, first, best):
    """What is played of an action, which is the ``first`` of the heaviest or not."""
    if best and total > np.float32(0):
        return np.float32(1) if first else np.float32(0)
    return match(part, total, fallback)


@inlined
def _with_lock(lock, low, count, a, free):
    """What is played of an action, of which a row has learned the free part."""
    if lock is None:
        return free
    trust = lock[low + TWO * count]
    return (np.float32(1) - trust) * free + trust * lock[low + a]


@inlined
def _draw_styled(table, style, rule, chance, low, count, held):
    """The same under a style."""
    one = np.float32(1)
    total, first = styled_sums(table, style, low, count, held)
    left = np.float32(chance)
    chosen, last = np.uint32(0), np.uint32(0)
    for a in range(count):
        part = styled_weight(table, style, low, count, a, held)
        part = styled_share(part, style[low + count + a], total, a == first, rule.best)
        at = low + count + a
        table[at] = average(table[at], one, part * rule.share)
        part = _with_lock(rule.lock, low, count, a, part)
        left -= part
        chosen += np.uint32(left >= 0)
        if part > 0:
            last = np.uint32(a)
    return min(chosen, last)


@inlined
def _tried(skip, worth):
    """What an action is worth; nothing if it was skipped, which is never played."""
    if skip is None:
        return worth
    return worth if worth == worth else np.float32(0)


@inlined
def _value(table, style, rule, room, low, count, slot):
    """What a visit of the walking player's is worth by its strategy, as far as it is free."""
    zero = np.float32(0)
    total, value, plain = zero, zero, zero
    if style is None:
        for a in range(count):
            part, worth = weigh(table[low + a]), room.value[slot + a]
            worth = _tried(rule.skip, worth)
            total += part
            value += part * worth
            plain += worth
        return match(value, total, plain / np.float32(count))
    total, first = styled_sums(table, style, low, count, rule.held)
    for a in range(count):
        part = styled_weight(table, style, low, count, a, rule.held)
        part = styled_share(part, style[low + count + a], total, a == first, rule.best)
        value += part * _tried(rule.skip, room.value[slot + a])
    return value


@inlined
def _earned(lock, room, low, count, slot, value):
    """What a visit is worth with what the player is held to."""
    if lock is None:
        return value
    forced, trust = np.float32(0), lock[low + TWO * count]
    for a in range(count):
        forced += lock[low + a] * room.value[slot + a]
    return (np.float32(1) - trust) * value + trust * forced


@inlined
def _collect(lines, rule, table, style, room, own):
    """Carry values back up, adding the regrets of each own visit to its row.

    Without ``lines`` no regrets are added: it is what a walk is worth by the table.
    """
    one = np.float32(1)
    width = np.uint64(room.width)
    k, slot = own, own // FOUR * width
    while k > FOUR:
        k -= FOUR
        slot -= width
        low = np.uint64(room.visit[k + ROW]) * PAIR
        count = np.uint64(room.visit[k + IS] >> COUNT)
        if lines is not None:
            refresh(table, low, count, rule)
        value = _value(table, style, rule, room, low, count, slot)
        if lines is not None:
            to = learned_at(lines.aside, room.visit[k + IS], low)
            for a in range(count):
                gained = (room.value[slot + a] - value) * rule.gain
                gained = _tried(rule.skip, gained)
                table[to + a] = accumulate(table[to + a], gained, one, one, rule.lowest)
        room.value[room.visit[k + SLOT]] = _earned(rule.lock, room, low, count, slot, value)
    return room.value[0]


@inlined
def _other(theirs, style, rule, chance, low, count, later, known):
    """What another player draws: by its style, unless its play is known."""
    if style is None:
        return _draw(theirs, rule, chance, low, count)
    if known:
        return _draw(theirs, rule, chance, low, count)
    held = rule.later if later else rule.held
    return _draw_styled(theirs, style, rule, chance, low, count, held)


@inlined
def _skips(lines, node, regret, skip, spared):
    """Whether a walk passes over an action that is far behind."""
    what = told(lines, node, WHAT)
    ends = kind_of(what) >= FOLD or what & STREETS >= spared
    return regret < skip and not ends


@inlined
def _try(lines, rule, skip, table, room, walk, at, ends):
    """Go on from an own visit along the actions that are not far behind."""
    (k, slot, spared), (own, others) = at, ends
    after, count = room.visit[k + FIRST], room.visit[k + IS] >> COUNT
    low, leads = np.uint64(room.visit[k + ROW]) * PAIR, False
    refresh(table, low, np.uint64(count), rule)
    for a in range(count):
        leads |= table[low + np.uint64(a)] > 0
    for a in range(count):
        if leads and _skips(lines, after + a, table[low + np.uint64(a)], skip, spared):
            room.value[slot + a] = np.float32(np.nan)
        else:
            own, others = _arrive(lines, table, room, walk, after + a, slot + a, own, others)
    return own, others


@inlined
def descend(lines, rule, table, style, theirs, known, room, n, player, skip, spared):
    """A walk of a player with deal n, down to the ends; returns its visits, and all of them.

    The others play by ``theirs``: the same table, or a model's, whose play is ``known``. Nothing
    is skipped that leads to streets from ``spared`` on.
    """
    outcome = np.uint64(room.outcome[n])
    if len(lines.seats) == 2:
        outcome += np.uint64(4 * player)
    walk = np.uint32(player), np.uint64(OWNERS * n), outcome
    zero, width = np.uint32(0), np.uint32(room.width)
    middle = np.uint64(room.visit.size // 2)
    k, slot, j = FOUR, width, middle  # the first place for a value is that of the whole walk
    own, others = _arrive(lines, table, room, walk, zero, zero, FOUR, middle)
    while k < own or j < others:
        while k < own:  # every action
            if skip is None:
                after, count = room.visit[k + FIRST], room.visit[k + IS] >> COUNT
                for a in range(count):
                    to = slot + a
                    own, others = _arrive(lines, table, room, walk, after + a, to, own, others)
            else:
                at, ends = (k, slot, spared), (own, others)
                own, others = _try(lines, rule, skip, table, room, walk, at, ends)
            k += FOUR
            slot += width
        while j < others:  # one that is drawn
            low = np.uint64(room.visit[j + ROW]) * PAIR
            count = np.uint64(room.visit[j + IS] >> COUNT)
            refresh(theirs, low, count, rule)
            later = kind_of(room.visit[j + IS]) < np.uint32(player)
            still = known or room.visit[j + IS] & STREETS >= lines.held
            chance = _chance(lines.aside, room, n, room.visit[j + FIRST])
            drawn = _other(theirs, style, rule, chance, low, count, later, still)
            node = room.visit[j + FIRST] + drawn
            to = room.visit[j + SLOT]
            own, others = _arrive(lines, table, room, walk, node, to, own, others)
            j += FOUR
    return own, np.int64(own + others - middle) // 4 - 1


@inlined
def _spared(skip, room, streets):
    """The street to which everything is tried in a walk: the first in one of twenty walks."""
    if skip is None:
        return np.uint32(0)
    return np.uint32(0 if uniform(room.random, PLAYS) < LOOKS else streets - 1)


@jit
def external(lines, cards, rule, table, style, model, room, iterations, streets):
    """Walks, one for each player an iteration; returns how many decisions they came to."""
    met, players = 0, len(lines.seats)
    walks = players * iterations
    for begin in range(0, walks, DEALS):
        count = min(DEALS, walks - begin)
        deals(lines, cards, model, room, begin, count, streets)
        for n in range(count):
            player = walker_of(lines, model, begin + n)
            theirs, known = table, False
            if player == model.hero and uniform(room.random, PLAYS) < model.share:
                theirs, known = model.table, True
            skip, spared = rule.skip, _spared(rule.skip, room, streets)
            own, visits = descend(
                lines, rule, table, style, theirs, known, room, n, player, skip, spared
            )
            _collect(lines, rule, table, style, room, own)
            met += visits
    return met


@jit
def gained(lines, cards, rule, model, response, rooms, streets, out):
    """What the hero of a model wins more on each of some deals by a response than by the model's
    own play in its seat: both meet the same cards and the same moves of the others."""
    room, twin = rooms
    for begin in range(0, out.size, DEALS):
        count = min(DEALS, out.size - begin)
        deals(lines, cards, model, room, begin, count, streets)
        for n in range(count):
            own, _ = descend(
                lines, rule, model.table, None, model.table, True, room, n, model.hero, None,
                np.uint32(0),
            )  # fmt: skip
            for k in range((own // FOUR + ONE) * np.uint64(room.width)):
                twin.value[k] = room.value[k]
            before = _collect(None, rule, model.table, None, room, own)
            after = _collect(None, rule, response, None, twin, own)
            out[begin + n] = np.float64(after) - np.float64(before)
