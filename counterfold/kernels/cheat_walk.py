"""Chance-sampled CFR for two-player Cheat: one deal's whole tree, depth first, never stored.

Infosets are rows of growing tables that are found by their keys. A walk that finds them nearly
full stops where it is, with its way in the arrays, and goes on when it is called again.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import cheat, cheat_views
from counterfold.kernels.history import add_to_average, settle
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.rule import LOG_POSITIVE

BOTH = 2
DONE, FULL, PAUSED = 0, 1, 2


class Frames(NamedTuple):
    """The way from the deal to where a walk is, one place a level."""

    states: np.ndarray
    lot: np.ndarray  # [levels, lots] discards that can be made
    row: np.ndarray  # of the infoset
    width: np.ndarray  # actions
    action: np.ndarray  # the one that is being followed
    reach: np.ndarray  # [levels, 2] each player's own probability to come here
    value: np.ndarray  # to player 0


class Room(NamedTuple):
    """What a walk keeps between two calls."""

    depth: np.ndarray  # [1] level of the walk, or -1 before it starts
    visits: np.ndarray  # [1] decisions visited so far, for speeds
    touched: np.ndarray  # [rows] with new regrets
    stamp: np.ndarray  # [rows] walk in which a row was last touched
    rows: np.ndarray  # [1] how many are touched


@inlined
def _list_actions(rules, table, frames, d):
    """Write down what can be done at level d; returns how many actions there are."""
    if cheat.phase(rules, frames.states, d) == cheat.ANSWER:
        return 2
    count = 0
    for lot in range(table.shape[0]):
        if cheat.has_lot(rules, frames.states, d, table, lot):
            frames.lot[d, count] = lot
            count += 1
    return count


@inlined
def _inherit(rules, view, past, frames, d, tables, slot, width, before):
    """Start a new row with what a smaller game has learned at its counterpart, if anything."""
    index, learned = before
    source = np.int64(-1)
    if view.carried > 0:
        source = cheat_views.find(
            index, cheat_views.key(rules, view, view.carried, past, frames.states, d)
        )
    first = np.int64(index.start[source]) if source >= 0 else np.int64(0)
    for a in range(width):
        known = source >= 0
        tables.regret[slot + a] = learned.regret[first + a] if known else 0.0
        tables.strategy[slot + a] = learned.strategy[first + a] if known else 1.0 / width
        tables.total[slot + a] = learned.total[first + a] if known else 0.0
        tables.new[slot + a] = 0.0


@inlined
def _enter(rules, view, table, frames, past, index, tables, room, before, schedule, update, clock):
    """Find the infoset at the deepest level and add to its average; False if tables are full."""
    d = room.depth[0]
    wanted = cheat_views.key(rules, view, view.horizon, past, frames.states, d)
    row = cheat_views.find(index, wanted)
    width = _list_actions(rules, table, frames, d)
    if row < 0:
        if (
            index.count[0] + 2 > room.stamp.size
            or index.count[1] + width > tables.regret.size
            or index.count[0] * 10 > index.place.shape[0] * 6
        ):
            return False
        row = cheat_views.add(index, wanted, width)
        slot = np.int64(index.start[row])
        _inherit(rules, view, past, frames, d, tables, slot, width, before)
        for n in range(3):
            tables.seen[row, n] = schedule[LOG_POSITIVE + n]
        room.stamp[row] = -1
    who = cheat.mover(rules, frames.states, d)
    if update in (BOTH, who):
        if room.stamp[row] != clock:
            room.stamp[row] = clock
            room.touched[room.rows[0]] = row
            room.rows[0] += 1
        add_to_average(index, tables, row, frames.reach[d, who], schedule)
    frames.row[d] = row
    frames.width[d] = width
    frames.action[d] = -1
    frames.value[d] = 0.0
    room.visits[0] += 1
    return True


@inlined
def _follow(rules, view, table, frames, past, d, a):
    """Carry out action a of level d at level d + 1."""
    states = frames.states
    cheat.copy(states, d, d + 1)
    if cheat.phase(rules, states, d) == cheat.DISCARD:
        cheat.lay_lot(rules, states, d + 1, table, frames.lot[d, a])
    else:
        cheat_views.remember(rules, view, past, states, d, a == 1)
        if a == 0:
            cheat.let_pass(rules, states, d + 1)
        else:
            cheat.challenge(rules, states, d + 1)


@inlined
def _return(index, tables, frames, rules, d, a, value, update):
    """Take the value of action a at level d into account."""
    who = cheat.mover(rules, frames.states, d)
    slot = np.int64(index.start[frames.row[d]]) + a
    frames.value[d] += tables.strategy[slot] * value
    if update in (BOTH, who):
        tables.new[slot] += frames.reach[d, 1 - who] * (value if who == 0 else -value)


@inlined
def _leave(index, tables, frames, rules, d, update):
    """All actions of level d are known: turn their values into regrets."""
    who = cheat.mover(rules, frames.states, d)
    if update in (BOTH, who):
        value = frames.value[d] if who == 0 else -frames.value[d]
        loss = frames.reach[d, 1 - who] * value
        slot = np.int64(index.start[frames.row[d]])
        for a in range(frames.width[d]):
            tables.new[slot + a] -= loss


@jit
def walk(
    rules, view, table, frames, past, index, tables, preference, room, before, schedule, update,
    clock, skip, pause,
):  # fmt: skip
    """One iteration over the deal in row 0 of the frames: DONE, FULL or PAUSED.

    ``before`` is what a smaller game has learned: its index and its tables. With ``skip`` what
    neither player ever plays is left out, which changes no number but leaves infosets
    undiscovered. A walk pauses after so many visits.
    """
    if room.depth[0] < 0:
        room.depth[0] = 0
        room.rows[0] = 0
        frames.reach[0, 0] = 1.0
        frames.reach[0, 1] = 1.0
        frames.action[0] = -2
    last = room.visits[0] + pause
    while room.depth[0] >= 0:
        d = room.depth[0]
        if frames.action[d] == -2:  # just arrived
            if room.visits[0] >= last:
                return PAUSED
            if not _enter(
                rules, view, table, frames, past, index, tables, room, before, schedule, update,
                clock,
            ):  # fmt: skip
                return FULL
        a = frames.action[d] + 1
        who = cheat.mover(rules, frames.states, d)
        slot = np.int64(index.start[frames.row[d]])
        if skip and frames.reach[d, 1 - who] == 0:
            while a < frames.width[d] and tables.strategy[slot + a] == 0:
                a += 1
        if a == frames.width[d]:
            _leave(index, tables, frames, rules, d, update)
            room.depth[0] = d - 1
            if d > 0:
                value = frames.value[d]
                _return(index, tables, frames, rules, d - 1, frames.action[d - 1], value, update)
            continue
        frames.action[d] = a
        _follow(rules, view, table, frames, past, d, a)
        if cheat.phase(rules, frames.states, d + 1) == cheat.OVER:
            value = cheat.payoff(rules, frames.states, d + 1, 0)
            _return(index, tables, frames, rules, d, a, value, update)
            continue
        frames.reach[d + 1, who] = frames.reach[d, who] * tables.strategy[slot + a]
        frames.reach[d + 1, 1 - who] = frames.reach[d, 1 - who]
        frames.action[d + 1] = -2
        room.depth[0] = d + 1
    settle(index, tables, preference, room, room.rows[0], schedule)
    return DONE


@jit
def deal_row(rules, states, random):
    """Deal into row 0."""
    cheat.deal(rules, states, 0, random)


@jit
def begin_row(rules, states, starter):
    """Begin with the hands that lie in row 0."""
    cheat.begin(rules, states, 0, starter)


@jit
def lead(rules, view, table, frames, past, moves):
    """Make these moves (numbers of actions) from row 0; returns the key of whoever is next."""
    for d in range(moves.size):
        _list_actions(rules, table, frames, d)
        _follow(rules, view, table, frames, past, d, moves[d])
    return cheat_views.key(rules, view, view.horizon, past, frames.states, moves.size)
