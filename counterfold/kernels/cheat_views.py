"""What a player of two-player Cheat knows, as a 64-bit key, and the table that finds its row.

A key is a hash with the player in its last bit: two infosets meet in one key about once in
2^64 / n^2 runs with n infosets, five times in a million for ten million of them. A key of 0 marks
an empty place.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import cheat
from counterfold.kernels.jit import inlined, jit, subkernel

NOTHING, CLAIMS, EVERYTHING = 0, 1, 2
"""What is remembered of past rounds: nothing; how many cards were claimed and whether they were
challenged; or all that was ever seen: cards that were shown or taken, and one's own discards."""


MOST_HEALTH = 1 << 12


class View(NamedTuple):
    """What a player's infosets tell apart beyond the hand, the rank and the claim."""

    health: bool  # both players' health points
    horizon: int  # health points beyond this many count as this many
    carried: int  # the same in a smaller game whose tables were taken over; 0 if there is none
    record: int  # NOTHING, CLAIMS or EVERYTHING
    window: int  # only so many last rounds are remembered; 0 for all of them
    relative: bool  # ranks are counted from the current one, which is not told apart


class Past(NamedTuple):
    """The rounds on the way to a state, as each player saw them, by the number of the round."""

    code: np.ndarray  # [rounds, 2]
    total: np.ndarray  # [rounds + 1, 2] hashes of all rounds before this one


class Index(NamedTuple):
    """An open-addressing table from keys to rows."""

    place: np.ndarray  # [capacity, 2] key and row
    start: np.ndarray  # [rows + 1] first slot of each row
    count: np.ndarray  # [2] rows and slots in use


@inlined
def _mix(hashed, number):
    # The two must not change places: hashes are mixed with hashes, and equals would cancel out.
    z = (hashed + np.uint64(0xD1342543DE82EF95)) * np.uint64(0x9E3779B97F4A7C15)
    z = z ^ (z >> np.uint64(32)) ^ np.uint64(number)
    z = (z ^ (z >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return z ^ (z >> np.uint64(32))


@inlined
def _cards(rules, states, k, owner):
    """An owner's cards by rank as one number, from the current rank on."""
    number = np.uint64(1)
    for r in range(rules.ranks):
        rank = cheat.ahead(rules, states[k, cheat.RANK], r)
        count = cheat.held(rules, states, k, owner, rank)
        number = number * np.uint64(rules.copies + 1) + np.uint64(count)
    return number


@subkernel
def remember(rules, view, past, states, k, challenged):
    """Note how the round in row k ends, before the answer is carried out."""
    if view.record == NOTHING:
        return
    t, who = states[k, cheat.TURNS], np.int64(states[k, cheat.DISCARDER])
    claim = np.uint64(2) * np.uint64(states[k, cheat.CLAIM]) + np.uint64(1 if challenged else 0)
    takes = who if cheat.lied(rules, states, k) else 1 - who
    for p in range(2):
        code = claim
        if view.record == EVERYTHING and (challenged or p == who):
            code = _mix(code, _cards(rules, states, k, rules.players + 1))
            if challenged and p == takes:  # and sees the whole pile
                code = _mix(code, _cards(rules, states, k, rules.players))
        past.code[t, p] = code
        past.total[t + 1, p] = _mix(past.total[t, p], code)


@subkernel
def key(rules, view, horizon, past, states, k):
    """The infoset of the player who is to move in row k."""
    who, rank = np.int64(states[k, cheat.MOVER]), np.int64(states[k, cheat.RANK])
    other = 1 - who
    hashed = np.uint64(who)
    if states[k, cheat.PHASE] == cheat.DISCARD:
        hashed = hashed * np.uint64(2) + np.uint64(1 if cheat.size(states, k, other) == 1 else 0)
    else:
        hashed = hashed * np.uint64(rules.most + 1) + np.uint64(states[k, cheat.CLAIM] + 4)
    hashed = hashed * np.uint64(rules.ranks + 1)
    if not view.relative:
        hashed += np.uint64(rank + 1)
    if view.health:
        for n in range(2):
            player = who if n == 0 else other
            points = min(np.int64(states[k, cheat.HEALTH + 2 * player]), horizon)
            hashed = hashed * np.uint64(MOST_HEALTH) + np.uint64(points)
    hashed = _mix(np.uint64(0), hashed)
    packed = np.uint64(0)
    first = rank if view.relative else 0
    for r in range(rules.ranks):
        held = cheat.held(rules, states, k, who, cheat.ahead(rules, first, r))
        packed = packed * np.uint64(rules.copies + 1) + np.uint64(held)
        if r % 13 == 12:
            hashed = _mix(hashed, packed)
            packed = np.uint64(0)
    hashed = _mix(hashed, packed)
    if view.record != NOTHING:
        t = np.int64(states[k, cheat.TURNS])
        if view.window == 0:
            hashed = _mix(hashed, past.total[t, who])
        else:
            for back in range(1, min(view.window, t) + 1):
                hashed = _mix(hashed, past.code[t - back, who])
    # The last bit tells the player; no key is 0.
    hashed = (hashed >> np.uint64(1) << np.uint64(1)) + np.uint64(who)
    return hashed if hashed != 0 else np.uint64(2)


@inlined
def _probe(place, wanted):
    """Where a key is in a table, or else the empty place where it belongs."""
    mask = np.uint64(place.shape[0] - 1)
    at = wanted & mask
    while place[at, 0] != 0 and place[at, 0] != wanted:
        at = (at + np.uint64(1)) & mask
    return at


@inlined
def find(index, wanted):
    """The row of a key, or -1."""
    at = _probe(index.place, wanted)
    return np.int64(index.place[at, 1]) if index.place[at, 0] != 0 else np.int64(-1)


@inlined
def add(index, wanted, slots):
    """A new row for a key that has none; the caller has seen to it that there is room."""
    at = _probe(index.place, wanted)
    row = index.count[0]
    index.place[at, 0] = wanted
    index.place[at, 1] = np.uint64(row)
    index.count[0] += 1
    index.count[1] += slots
    index.start[row + 1] = np.uint32(index.count[1])
    return row


@jit
def rehash(old, new):
    """Put all places of one table into another, empty one."""
    for k in range(old.shape[0]):
        if old[k, 0] != 0:
            at = _probe(new, old[k, 0])
            new[at, 0] = old[k, 0]
            new[at, 1] = old[k, 1]
