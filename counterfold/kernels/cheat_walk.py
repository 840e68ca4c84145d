"""Chance-sampled CFR for two-player Cheat: one deal's whole tree, depth first, never stored.

Infosets are rows of growing tables that are found by their keys. A walk that finds them nearly
full stops where it is, with its way in the arrays, and goes on when it is called again.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import cheat, cheat_views
from counterfold.kernels.history import Tables, add_to_average, settle
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.rule import LOG_POSITIVE

BOTH = 2
DONE, FULL, PAUSED = 0, 1, 2


class Game(NamedTuple):
    """What is walked through, and how it is seen."""

    rules: cheat.Rules
    sight: cheat_views.View  # how infosets are told apart
    lots: np.ndarray  # all discards, see ``cheat.lots``


class Frames(NamedTuple):
    """The way from the deal to where a walk is, one place a level."""

    states: np.ndarray
    past: cheat_views.Past
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


class Learned(NamedTuple):
    """Infosets that were met, and the tables of their rows."""

    index: cheat_views.Index
    tables: Tables


class Walk(NamedTuple):
    """How a walk is made."""

    row: np.ndarray  # of the schedule
    update: int  # the player who learns, or BOTH
    clock: int  # number of the walk
    skip: bool  # whether what neither player ever plays is left out, which changes no number
    pause: int  # visits after which it looks up


@inlined
def _list_actions(game, frames, d):
    """Write down what can be done at level d; returns how many actions there are."""
    if frames.states[d, cheat.PHASE] == cheat.ANSWER:
        return 2
    return cheat.list_lots(game.rules, frames.states, d, game.lots, frames.lot)


@inlined
def _inherit(game, frames, d, tables, slot, width, before):
    """Start a new row with what a smaller game has learned at its counterpart, if anything."""
    source = np.int64(-1)
    view, index, learned = game.sight, before.index, before.tables
    if view.carried > 0:
        wanted = cheat_views.key(game.rules, view, view.carried, frames.past, frames.states, d)
        source = cheat_views.find(index, wanted)
    first = np.int64(index.start[source]) if source >= 0 else np.int64(0)
    for a in range(width):
        known = source >= 0
        tables.regret[slot + a] = learned.regret[first + a] if known else 0.0
        tables.strategy[slot + a] = learned.strategy[first + a] if known else 1.0 / width
        tables.total[slot + a] = learned.total[first + a] if known else 0.0
        tables.new[slot + a] = 0.0


@inlined
def _enter(game, frames, learned, before, room, walk):
    """Find the infoset at the deepest level and add to its average; False if tables are full."""
    d = room.depth[0]
    index, tables, states = learned.index, learned.tables, frames.states
    wanted = cheat_views.key(game.rules, game.sight, game.sight.horizon, frames.past, states, d)
    row = cheat_views.find(index, wanted)
    width = _list_actions(game, frames, d)
    if row < 0:
        if (
            index.count[0] + 2 > room.stamp.size
            or index.count[1] + width > tables.regret.size
            or index.count[0] * 10 > index.place.shape[0] * 6
        ):
            return False
        row = cheat_views.add(index, wanted, width)
        _inherit(game, frames, d, tables, np.int64(index.start[row]), width, before)
        for n in range(3):
            tables.seen[row, n] = walk.row[LOG_POSITIVE + n]
        room.stamp[row] = -1
    who = np.int64(states[d, cheat.MOVER])
    if walk.update in (BOTH, who):
        if room.stamp[row] != walk.clock:
            room.stamp[row] = walk.clock
            room.touched[room.rows[0]] = row
            room.rows[0] += 1
        add_to_average(index, tables, row, frames.reach[d, who], walk.row)
    frames.row[d] = row
    frames.width[d] = width
    frames.action[d] = -1
    frames.value[d] = 0.0
    room.visits[0] += 1
    return True


@inlined
def _follow(game, frames, d, a):
    """Carry out action a of level d at level d + 1."""
    rules, states = game.rules, frames.states
    cheat.copy(states, d, d + 1)
    if states[d, cheat.PHASE] == cheat.DISCARD:
        cheat.lay_lot(rules, states, d + 1, game.lots, frames.lot[d, a])
    else:
        cheat_views.remember(rules, game.sight, frames.past, states, d, a == 1)
        cheat.answer(rules, states, d + 1, a == 1)


@inlined
def _return(learned, frames, d, a, value, update):
    """Take the value of action a at level d into account."""
    tables, who = learned.tables, np.int64(frames.states[d, cheat.MOVER])
    slot = np.int64(learned.index.start[frames.row[d]]) + a
    frames.value[d] += tables.strategy[slot] * value
    if update in (BOTH, who):
        tables.new[slot] += frames.reach[d, 1 - who] * (value if who == 0 else -value)


@inlined
def _leave(learned, frames, d, update):
    """All actions of level d are known: turn their values into regrets."""
    who = np.int64(frames.states[d, cheat.MOVER])
    if update in (BOTH, who):
        value = frames.value[d] if who == 0 else -frames.value[d]
        loss = frames.reach[d, 1 - who] * value
        slot = np.int64(learned.index.start[frames.row[d]])
        for a in range(frames.width[d]):
            learned.tables.new[slot + a] -= loss


@jit
def iterate(game, frames, learned, before, preference, room, walk):
    """One iteration over the deal in row 0 of the frames: DONE, FULL or PAUSED.

    ``before`` is what a smaller game has learned.
    """
    index, tables = learned.index, learned.tables
    if room.depth[0] < 0:
        room.depth[0] = 0
        room.rows[0] = 0
        frames.reach[0, 0] = 1.0
        frames.reach[0, 1] = 1.0
        frames.action[0] = -2
    last = room.visits[0] + walk.pause
    while room.depth[0] >= 0:
        d = room.depth[0]
        if frames.action[d] == -2:  # just arrived
            if room.visits[0] >= last:
                return PAUSED
            if not _enter(game, frames, learned, before, room, walk):
                return FULL
        a = frames.action[d] + 1
        who = np.int64(frames.states[d, cheat.MOVER])
        slot = np.int64(index.start[frames.row[d]])
        if walk.skip and frames.reach[d, 1 - who] == 0:
            while a < frames.width[d] and tables.strategy[slot + a] == 0:
                a += 1
        if a == frames.width[d]:
            _leave(learned, frames, d, walk.update)
            room.depth[0] = d - 1
            if d > 0:
                above = frames.action[d - 1]
                _return(learned, frames, d - 1, above, frames.value[d], walk.update)
            continue
        frames.action[d] = a
        _follow(game, frames, d, a)
        if frames.states[d + 1, cheat.PHASE] == cheat.OVER:
            value = cheat.payoff(game.rules, frames.states, d + 1, 0)
            _return(learned, frames, d, a, value, walk.update)
            continue
        frames.reach[d + 1, who] = frames.reach[d, who] * tables.strategy[slot + a]
        frames.reach[d + 1, 1 - who] = frames.reach[d, 1 - who]
        frames.action[d + 1] = -2
        room.depth[0] = d + 1
    settle(index, tables, preference, room, room.rows[0], walk.row)
    return DONE


@jit
def lead(game, frames, moves):
    """Make these moves (numbers of actions) from row 0; returns the key of whoever is next."""
    for d in range(moves.size):
        _list_actions(game, frames, d)
        _follow(game, frames, d, moves[d])
    view = game.sight
    return cheat_views.key(game.rules, view, view.horizon, frames.past, frames.states, moves.size)
