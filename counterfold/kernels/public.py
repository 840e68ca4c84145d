"""Vector CFR over a public tree: every node holds all hands of both players at once.

A betting tree is played on every board. What a player learns is a row of hands for each action
of each of its nodes on each board; how a player gets to a node is a row too. A tape of boards
says what is done: down with reaches, up with values, both on the last street.

Where nobody asks for more than the plain rule, ``extra`` is None and nothing of it is compiled.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.public_ends import end
from counterfold.kernels.public_rule import (
    best,
    choose,
    hold,
    learn,
    learn_from,
    learn_packed,
    lock,
    mean,
    note,
    note_packed,
    spread,
)
from counterfold.kernels.rule import AVERAGE

NOTHING = 0xFFFFFFFF
DECISION, FOLD, DEAL, SHOWDOWN = 0, 1, 2, 3  # kinds of nodes, as in poker.game
DOWN, LAST, UP = 0, 1, 2  # what is done on a board
LEARN, VALUE, BEST = 0, 1, 2  # what the player who is traversed for does at its own nodes
NOW, MINE, THEIRS = 0, 1, 2  # rows of a schedule: this iteration's, and each one's last


class Money(NamedTuple):
    """The betting tree. Nodes of a street are neighbours, and so are those of one line in it."""

    kind: np.ndarray  # [nodes]
    owner: np.ndarray  # [nodes] who decides
    first: np.ndarray  # [nodes] the first child
    count: np.ndarray  # [nodes] how many children
    slot: np.ndarray  # [nodes] the first of its rows among the owner's rows of a board
    line: np.ndarray  # [nodes] where a street begins: the node of the deal before; else NOTHING
    place: np.ndarray  # [nodes] the row of its values
    row: np.ndarray  # [2, nodes] the row of each player's reach
    hidden: np.ndarray  # [2, nodes] 1 where values are counted elsewhere when traversing for one
    chunk: np.ndarray  # [chunks + 1] the first node of each chunk, which is worked on at once
    chunks: np.ndarray  # [streets, 2] the chunks of each street: the first, and where they end


class Ends(NamedTuple):
    """How hands end for one player, in batches of sixteen."""

    start: np.ndarray  # [chunks + 1] the first end of each chunk
    called: np.ndarray  # [ends] the opponent's reach that comes to the showdown
    folded: np.ndarray  # [ends] the opponent's reach that folds here
    share: np.ndarray  # [SHARES * batches, 16] what these are worth
    to: np.ndarray  # [ends] the row of values of the call
    also: np.ndarray  # [ends] the row of values of the player's own fold


class Boards(NamedTuple):
    """The boards of all streets."""

    street: np.ndarray  # [boards]
    inner: np.ndarray  # [boards] its number among boards before the last street
    group: np.ndarray  # [boards + 1] its first group of hands that tie
    bound: np.ndarray  # [groups, 2] where a group ends among each player's hands


class Hands(NamedTuple):
    """One player's hands on each board."""

    base: np.ndarray  # [boards] the first row of a board in the player's tables
    count: np.ndarray  # [boards] how many hands
    up: np.ndarray  # [boards, hands] the hand on the board before
    passed: np.ndarray  # [boards, hands] what a value counts for on the board before
    face: np.ndarray  # [boards, hands, 2] cards
    same: np.ndarray  # [boards, hands] the same hand of the opponent
    many: np.ndarray  # [boards] how many pairs of cards before the last street
    cards: np.ndarray  # [inner boards, pairs, 2] their cards
    hand: np.ndarray  # [inner boards, pairs] the hand that each is
    start: np.ndarray  # [hands] how much of each hand the game begins with


class Table(NamedTuple):
    """What a player learns."""

    regret: np.ndarray  # [rows, hands]
    total: np.ndarray  # [rows, hands] weighted sum of strategies


class Extra(NamedTuple):
    """What else is asked of a player; each part is empty where it is not."""

    scale: np.ndarray  # [rows] of regrets in 16 bits
    size: np.ndarray  # [rows] of sums in 16 bits
    last: np.ndarray  # [rows, hands] the newest regrets, which predict the next
    hole: np.ndarray  # [boards, hands] the number of a hand whatever the board
    wide: np.ndarray  # [nodes] the first of a node's actions among all of the player's
    delta: np.ndarray  # [actions, holes] preference degrees
    fallback: np.ndarray  # [actions, holes] what is played where no regret counts
    beta: np.ndarray  # [nodes, holes] vulnerability degrees
    lock: np.ndarray  # [boards, nodes] the number of a lock, or NOTHING
    first: np.ndarray  # [locks] its first row in ``held``
    trust: np.ndarray  # [locks, hands] how much of each hand is held to it
    held: np.ndarray  # [rows of locks, hands] what these play
    free: np.ndarray  # [hands] with a model: the first reach of the part that plays freely
    bound: np.ndarray  # [hands] and of the part that plays the model
    model: np.ndarray  # [rows, hands] weights of the model's actions


class Room(NamedTuple):
    """Room to work in, for one thread."""

    mine: np.ndarray  # [rows, hands] reach of the player traversed for; row 0 is all zero
    theirs: np.ndarray  # [rows, hands] the opponent's
    free: np.ndarray  # [rows, hands] its free part, where another plays a model
    model: np.ndarray  # [rows, hands] that part
    value: np.ndarray  # [rows, hands] values; row 0 is for what nobody reads
    called: np.ndarray  # [hands + 1, 16]
    folded: np.ndarray  # [hands + 1, 16]
    kept: np.ndarray  # [hands, 16]
    lost: np.ndarray  # [hands, 16]
    card: np.ndarray  # [108, 16] sums by card: of those who come to the showdown, and of all
    sigma: np.ndarray  # [actions, hands] a node's strategy
    more: np.ndarray  # [actions, hands]
    spare: np.ndarray  # [hands]
    zero: np.ndarray  # [1, 16]


@inlined
def _is_locked(extra, board, n):
    return extra.lock.size > 0 and extra.lock[board, n] != NOTHING


@jit
def _play(table, extra, board, n, at, actions, hands, reach, above, below, average, row, room):
    """One player's reach through one of its nodes."""
    if average:
        spread(table.total, at, actions, hands, reach, above, below)
    elif extra is None:
        spread(table.regret, at, actions, hands, reach, above, below)
    elif extra.last.size + extra.delta.size + extra.lock.size == 0:
        spread(table.regret, at, actions, hands, reach, above, below)
    else:
        hole = extra.hole[board]
        choose(table.regret, extra, hole, at, n, actions, hands, room.sigma, room.spare, row)
        if _is_locked(extra, board, n):
            number = extra.lock[board, n]
            lock(extra.trust, extra.held, number, extra.first[number], actions, hands, room.sigma)
        spread(room.sigma, np.uint32(0), actions, hands, reach, above, below)


@jit
def _note(table, extra, at, actions, hands, room, below, average):
    """The average strategy takes in what is played now."""
    if extra is None:
        note(table.total, at, actions, hands, room.mine, below, average)
    elif extra.size.size > 0:
        note_packed(
            table.total, extra.size, at, actions, hands, room.mine, below, average, room.sigma
        )
    else:
        note(table.total, at, actions, hands, room.mine, below, average)


@inlined
def _fetch(up, hands, reach, above, below):
    """A reach on the board before, as the hands of this one."""
    for h in range(hands):
        reach[below, h] = reach[above, up[h]]


@jit
def _begin(n, board, before, mine, theirs, extra, room, my, your):
    """Reaches where a street begins."""
    hands, others = mine.count[board], theirs.count[board]
    if n == 0:
        for h in range(hands):
            room.mine[my[0], h] = mine.start[h]
        for h in range(others):
            room.theirs[your[0], h] = theirs.start[h]
    else:
        _fetch(mine.up[board], hands, room.mine, my[before], my[n])
        _fetch(theirs.up[board], others, room.theirs, your[before], your[n])
    if extra is not None:
        if extra.model.size > 0:
            if n == 0:
                for h in range(others):
                    room.free[your[0], h] = extra.free[h]
                    room.model[your[0], h] = extra.bound[h]
                    room.theirs[your[0], h] = extra.free[h] + extra.bound[h]
            else:
                _fetch(theirs.up[board], others, room.free, your[before], your[n])
                _fetch(theirs.up[board], others, room.model, your[before], your[n])


@jit
def _meet(table, extra, board, n, at, actions, others, above, below, average, row, room):
    """The opponent's reach through one of its nodes; a part of it may play a model."""
    if extra is None:
        _play(
            table, extra, board, n, at, actions, others, room.theirs, above, below, average, row,
            room,
        )  # fmt: skip
    elif extra.model.size == 0:
        _play(
            table, extra, board, n, at, actions, others, room.theirs, above, below, average, row,
            room,
        )  # fmt: skip
    else:
        _play(
            table, extra, board, n, at, actions, others, room.free, above, below, average, row,
            room,
        )  # fmt: skip
        spread(extra.model, at, actions, others, room.model, above, below)
        for a in range(actions):
            for h in range(others):
                room.theirs[below + a, h] = room.free[below + a, h] + room.model[below + a, h]


@jit
def _down(board, chunk, money, hands, tables, extras, room, me, rows, average, noted):
    """Reaches of both players through a chunk."""
    (mine, theirs), (my_table, their_table), (my_extra, their_extra) = hands, tables, extras
    my, your = money.row[me], money.row[1 - me]
    for n in range(money.chunk[chunk], money.chunk[chunk + 1]):
        if n == 0 or money.line[n] != NOTHING:
            _begin(n, board, money.line[n], mine, theirs, their_extra, room, my, your)
        if money.kind[n] == DECISION:
            child, actions, slot = money.first[n], money.count[n], money.slot[n]
            if money.owner[n] != me:
                _meet(
                    their_table, their_extra, board, n, theirs.base[board] + slot, actions,
                    theirs.count[board], your[n], your[child], average, rows[THEIRS], room,
                )  # fmt: skip
            elif noted:
                at = mine.base[board] + slot
                _play(
                    my_table, my_extra, board, n, at, actions, mine.count[board], room.mine,
                    my[n], my[child], average, rows[MINE], room,
                )  # fmt: skip
                share = room.mine.dtype.type(rows[NOW, AVERAGE])
                _note(
                    my_table, my_extra, at, actions, mine.count[board], room, my[child], share
                )  # fmt: skip
        elif money.kind[n] == DEAL:
            for h in range(mine.count[board]):
                room.value[money.place[n], h] = 0


@jit
def _decide(table, extra, board, n, at, actions, hands, place, below, rows, average, how, room):
    """The value of one of the player's own nodes; regrets if it learns."""
    regret, value = table.regret, room.value
    if extra is None:
        if how == LEARN:
            learn(regret, at, actions, hands, value, place, below, room.spare, rows[NOW])
        elif how == BEST:
            best(actions, hands, value, place, below)
        elif average:
            mean(table.total, at, actions, hands, value, place, below, room.spare)
        else:
            mean(regret, at, actions, hands, value, place, below, room.spare)
    else:
        hole = extra.hole[board]
        if how == BEST:
            best(actions, hands, value, place, below)
        elif how == VALUE and average:
            mean(table.total, at, actions, hands, value, place, below, room.spare)
        elif how == LEARN and extra.last.size + extra.delta.size + extra.lock.size == 0:
            if extra.scale.size > 0:
                learn_packed(
                    regret, extra.scale, at, actions, hands, value, place, below, room.sigma,
                    room.spare, rows[NOW],
                )  # fmt: skip
            else:
                learn(regret, at, actions, hands, value, place, below, room.spare, rows[NOW])
        else:
            choose(regret, extra, hole, at, n, actions, hands, room.sigma, room.spare, rows[MINE])
            if how == LEARN:
                learn_from(
                    regret, extra, at, actions, hands, value, place, below, room.sigma,
                    room.more, rows[NOW],
                )  # fmt: skip
            else:
                mean(room.sigma, np.uint32(0), actions, hands, value, place, below, room.spare)
        if _is_locked(extra, board, n) and not (how == VALUE and average):
            number = extra.lock[board, n]
            hold(
                extra.trust, extra.held, number, extra.first[number], actions, hands, value,
                place, below,
            )  # fmt: skip


@jit
def _gather(child, actions, hidden, value, hands, place, below):
    """The value of one of the opponent's nodes: what its actions come to together."""
    fresh = True
    for a in range(actions):
        if hidden[child + a] == 0:
            if fresh:
                for h in range(hands):
                    value[place, h] = value[below + a, h]
                fresh = False
            else:
                for h in range(hands):
                    value[place, h] += value[below + a, h]


@jit
def _up(board, chunk, money, mine, table, extra, room, me, rows, average, how):
    """Values and regrets through a chunk, from the last nodes to the first."""
    hands, value = mine.count[board], room.value
    begin, stop = np.int64(money.chunk[chunk]), np.int64(money.chunk[chunk + 1])
    for n in range(stop - 1, begin - 1, -1):
        place = money.place[n]
        if money.kind[n] == DECISION:
            child, actions = money.first[n], money.count[n]
            below = money.place[child]
            if money.owner[n] == me:
                at = mine.base[board] + money.slot[n]
                _decide(
                    table, extra, board, n, at, actions, hands, place, below, rows, average, how,
                    room,
                )  # fmt: skip
            else:
                _gather(child, actions, money.hidden[me], value, hands, place, below)
        if money.line[n] != NOTHING:
            above = money.place[money.line[n]]
            up, passed = mine.up[board], mine.passed[board]
            for h in range(hands):
                value[above, up[h]] += passed[h] * value[place, h]


@jit
def traverse(tape, money, boards, hands, tables, extras, ends, room, me, rows, average, how):
    """Do what the tape says, board by board, for the player ``me``.

    ``hands``, ``tables`` and ``extras`` are pairs: the player's own and the opponent's.
    ``average`` takes strategies from the sums so far instead of from regrets.
    """
    mine, theirs = hands
    for k in range(tape.shape[0]):
        what, board = tape[k, 0], tape[k, 1]
        street = boards.street[board]
        for chunk in range(money.chunks[street, 0], money.chunks[street, 1]):
            if what != UP:
                _down(
                    board, chunk, money, hands, tables, extras, room, me, rows, average,
                    how == LEARN,
                )  # fmt: skip
            if what != DOWN:
                end(board, chunk, mine, theirs, boards, ends, me, room, what == LAST)
                _up(board, chunk, money, mine, tables[0], extras[0], room, me, rows, average, how)


@jit
def iterate(tape, money, boards, hands, tables, extras, ends, room, schedule, rows, average, how):
    """One iteration for each row of a schedule but the first, the two players in turn.

    The first row is that of the iteration before. ``average`` is false and ``how`` is LEARN,
    given as they come from outside, so that nothing is compiled twice.
    """
    turned = (hands[1], hands[0]), (tables[1], tables[0]), (extras[1], extras[0])
    for t in range(1, schedule.shape[0]):
        for k in range(schedule.shape[1]):
            rows[NOW, k] = schedule[t, k]
            rows[MINE, k] = schedule[t - 1, k]
            rows[THEIRS, k] = schedule[t - 1, k]
        traverse(
            tape, money, boards, hands, tables, extras, ends[0], room, np.int64(0), rows,
            average, how,
        )  # fmt: skip
        for k in range(schedule.shape[1]):
            rows[THEIRS, k] = schedule[t, k]
        traverse(
            tape, money, boards, turned[0], turned[1], turned[2], ends[1], room, np.int64(1),
            rows, average, how,
        )  # fmt: skip
