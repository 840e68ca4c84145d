"""Vector CFR over a public tree: every node holds all hands of both players at once.

A betting tree is played on every board. What a player learns is a row of hands for each action
of each of its nodes on each board; how a player gets to a node is a row too. A tape of boards
says what is done: down with reaches, up with values, both on the last street.

Where nobody asks for more than the plain rule, ``extra`` is None and nothing of it is compiled.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit, subkernel
from counterfold.kernels.public_ends import end
from counterfold.kernels.public_rule import (
    PLAIN,
    best,
    choose,
    earn,
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
from counterfold.kernels.rule import AVERAGE, WEIGHT
from counterfold.kernels.rule import BEST as HEAVIEST

NOTHING = 0xFFFFFFFF
DECISION, FOLD, DEAL, SHOWDOWN = 0, 1, 2, 3  # kinds of nodes, as in poker.game
DOWN, LAST, UP = 0, 1, 2  # what is done on a board
LEARN, VALUE, BEST = 0, 1, 2  # what the player who is traversed for does at its own nodes
NOW, MINE, THEIRS = 0, 1, 2  # rows of a schedule: this iteration's, and each one's last


# Columns of the table of nodes. Nodes of a street are neighbours, and so are those of one line.
KIND = 0
OWNER = 1  # who decides
CHILD = 2  # the first child
COUNT = 3  # how many children
SLOT = 4  # the first of its rows among the owner's rows of a board
LINE = 5  # where a street begins: the node of the deal before; else NOTHING
PLACE = 6  # the row of its values
ROW = 7  # the row of each player's reach: two columns
HIDDEN = 9  # 1 where values are counted elsewhere when traversing for a player: two columns
WIDE = 11  # the first of its actions among all of the owner's
FIELDS = 12


class Money(NamedTuple):
    """The betting tree."""

    node: np.ndarray  # [nodes, FIELDS]
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


class Pack(NamedTuple):
    """The scales of tables in 16 bits, one a node, at its first row."""

    regret: np.ndarray  # [rows]
    total: np.ndarray  # [rows]


class Extra(NamedTuple):
    """What else is asked of a player; each part is empty where it is not."""

    last: np.ndarray  # [rows, hands] the newest regrets, which predict the next
    hole: np.ndarray  # [boards, hands] the number of a hand whatever the board
    styled: np.ndarray  # [nodes] PLAIN, ALIKE or BY_HAND: where there is a style, and for whom
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


@inlined
def _is_plain(extra, board, n, row):
    """Does the plain rule do at a node, which needs no more than regrets?"""
    if extra.last.size > 0 or _is_locked(extra, board, n):
        return False
    return extra.delta.size == 0 or (extra.styled[n] == PLAIN and row[HEAVIEST] == 0)


@subkernel
def _play(table, pack, extra, board, n, node, at, hands, reach, above, below, average, row, room):
    """One player's reach through one of its nodes."""
    actions = node[COUNT]
    if average:
        spread(table.total, at, actions, hands, reach, above, below)
    elif extra is None:
        spread(table.regret, at, actions, hands, reach, above, below)
    elif _is_plain(extra, board, n, row):
        spread(table.regret, at, actions, hands, reach, above, below)
    else:
        hole = extra.hole[board]
        choose(
            table.regret, pack, extra, hole, at, n, node[WIDE], actions, hands, room.sigma,
            room.spare, row,
        )  # fmt: skip
        if _is_locked(extra, board, n):
            number = extra.lock[board, n]
            lock(extra.trust, extra.held, number, extra.first[number], actions, hands, room.sigma)
        spread(room.sigma, np.uint32(0), actions, hands, reach, above, below)


@inlined
def _fetch(up, hands, reach, above, below):
    """A reach on the board before, as the hands of this one."""
    for h in range(hands):
        reach[below, h] = reach[above, up[h]]


@subkernel
def _begin(board, mine, theirs, extra, room, mine_above, mine_here, above, here):
    """Reaches where a street begins; on the first board nothing is above."""
    hands, others = mine.count[board], theirs.count[board]
    if board == 0:
        for h in range(hands):
            room.mine[mine_here, h] = mine.start[h]
        for h in range(others):
            room.theirs[here, h] = theirs.start[h]
    else:
        _fetch(mine.up[board], hands, room.mine, mine_above, mine_here)
        _fetch(theirs.up[board], others, room.theirs, above, here)
    if extra is not None:
        if extra.model.size > 0:
            if board == 0:
                for h in range(others):
                    room.free[here, h] = extra.free[h]
                    room.model[here, h] = extra.bound[h]
                    room.theirs[here, h] = extra.free[h] + extra.bound[h]
            else:
                _fetch(theirs.up[board], others, room.free, above, here)
                _fetch(theirs.up[board], others, room.model, above, here)


@subkernel
def _meet(table, pack, extra, board, n, node, at, others, above, below, average, row, room):
    """The opponent's reach through one of its nodes; a part of it may play a model."""
    if extra is None:
        _play(
            table, pack, extra, board, n, node, at, others, room.theirs, above, below, average,
            row, room,
        )  # fmt: skip
    elif extra.model.size == 0:
        _play(
            table, pack, extra, board, n, node, at, others, room.theirs, above, below, average,
            row, room,
        )  # fmt: skip
    else:
        _play(
            table, pack, extra, board, n, node, at, others, room.free, above, below, average, row,
            room,
        )  # fmt: skip
        actions = node[COUNT]
        spread(extra.model, at, actions, others, room.model, above, below)
        for a in range(actions):
            for h in range(others):
                room.theirs[below + a, h] = room.free[below + a, h] + room.model[below + a, h]


@subkernel
def _note(table, pack, at, actions, hands, room, below, average, seed):
    """The average strategy takes in what is played now."""
    if pack is None:
        note(table.total, at, actions, hands, room.mine, below, average)
    else:
        note_packed(
            table.total, pack.total, at, actions, hands, room.mine, below, average, room.sigma, seed
        )  # fmt: skip


@subkernel
def _down(board, chunk, money, hands, tables, packs, extras, room, me, rows, average, noted):
    """Reaches of both players through a chunk."""
    (mine, theirs), (my_table, their_table) = hands, tables
    (my_pack, their_pack), (my_extra, their_extra) = packs, extras
    my, your = ROW + me, ROW + 1 - me
    nodes = money.node
    for n in range(money.chunk[chunk], money.chunk[chunk + 1]):
        node = nodes[n]
        if n == 0 or node[LINE] != NOTHING:
            before = nodes[node[LINE] if n > 0 else 0]
            _begin(
                board, mine, theirs, their_extra, room, before[my], node[my], before[your],
                node[your],
            )  # fmt: skip
        if node[KIND] == DECISION:
            child = nodes[node[CHILD]]
            if node[OWNER] != me:
                _meet(
                    their_table, their_pack, their_extra, board, n, node,
                    theirs.base[board] + node[SLOT], theirs.count[board], node[your], child[your],
                    average, rows[THEIRS], room,
                )  # fmt: skip
            elif noted:
                at = mine.base[board] + node[SLOT]
                _play(
                    my_table, my_pack, my_extra, board, n, node, at, mine.count[board], room.mine,
                    node[my], child[my], average, rows[MINE], room,
                )  # fmt: skip
                share = room.mine.dtype.type(rows[NOW, AVERAGE])
                _note(
                    my_table, my_pack, at, node[COUNT], mine.count[board], room, child[my], share,
                    rows[NOW, WEIGHT],
                )  # fmt: skip
        elif node[KIND] == DEAL:
            for h in range(mine.count[board]):
                room.value[node[PLACE], h] = 0


@subkernel
def _decide(table, pack, extra, board, n, node, at, hands, below, rows, average, how, room):
    """The value of one of the player's own nodes; regrets if it learns."""
    regret, value = table.regret, room.value
    actions, place = node[COUNT], node[PLACE]
    plain = True
    if extra is not None:
        plain = _is_plain(extra, board, n, rows[MINE])
    if how == BEST:
        best(actions, hands, value, place, below)
    elif average:
        mean(table.total, at, actions, hands, value, place, below, room.spare)
    elif plain:
        if how == VALUE:
            mean(regret, at, actions, hands, value, place, below, room.spare)
        elif pack is None:
            learn(regret, at, actions, hands, value, place, below, room.spare, rows[NOW])
        else:
            learn_packed(
                regret, pack.regret, at, actions, hands, value, place, below, room.sigma,
                room.spare, rows[NOW],
            )  # fmt: skip
    elif extra is not None:
        choose(
            regret, pack, extra, extra.hole[board], at, n, node[WIDE], actions, hands, room.sigma,
            room.spare, rows[MINE],
        )  # fmt: skip
        earn(actions, hands, room.sigma, value, place, below)
        if how == LEARN:
            learn_from(
                regret, pack, extra.last, at, actions, hands, room.sigma, room.more, rows[NOW]
            )
    if extra is not None:
        if _is_locked(extra, board, n) and (how == BEST or not average):
            number = extra.lock[board, n]
            hold(
                extra.trust, extra.held, number, extra.first[number], actions, hands, value,
                place, below,
            )  # fmt: skip


@subkernel
def _gather(nodes, child, actions, hidden, value, hands, place):
    """The value of one of the opponent's nodes: what its actions come to together."""
    below, fresh = nodes[child, PLACE], True
    for a in range(actions):
        if nodes[child + a, hidden] == 0:
            if fresh:
                for h in range(hands):
                    value[place, h] = value[below + a, h]
                fresh = False
            else:
                for h in range(hands):
                    value[place, h] += value[below + a, h]


@subkernel
def _up(board, chunk, money, mine, table, pack, extra, room, me, rows, average, how):
    """Values and regrets through a chunk, from the last nodes to the first."""
    hands, value, nodes = mine.count[board], room.value, money.node
    begin, stop = np.int64(money.chunk[chunk]), np.int64(money.chunk[chunk + 1])
    for n in range(stop - 1, begin - 1, -1):
        node = nodes[n]
        if node[KIND] == DECISION:
            if node[OWNER] == me:
                at, below = mine.base[board] + node[SLOT], nodes[node[CHILD], PLACE]
                _decide(
                    table, pack, extra, board, n, node, at, hands, below, rows, average, how, room
                )
            else:
                _gather(nodes, node[CHILD], node[COUNT], HIDDEN + me, value, hands, node[PLACE])
        if node[LINE] != NOTHING:
            above, here = nodes[node[LINE], PLACE], node[PLACE]
            up, passed = mine.up[board], mine.passed[board]
            for h in range(hands):
                value[above, up[h]] += passed[h] * value[here, h]


@jit
def traverse(
    tape, money, boards, hands, tables, packs, extras, ends, room, who, rows, average, how
):
    """Walks over a tape of boards, one for each entry of ``who``: the player it is for.

    ``hands``, ``tables``, ``packs``, ``extras`` and ``ends`` are pairs, by player. ``rows[k]`` are
    the numbers of the rule in walk k: this iteration's, and those of each player's last one.
    ``average`` takes strategies from the sums so far instead of from regrets.
    """
    own, others = (hands[0], hands[1]), (hands[1], hands[0])
    own_table, other_table = (tables[0], tables[1]), (tables[1], tables[0])
    own_pack, other_pack = (packs[0], packs[1]), (packs[1], packs[0])
    own_extra, other_extra = (extras[0], extras[1]), (extras[1], extras[0])
    for walk in range(who.size):
        me, row = who[walk], rows[walk]
        pair = own if me == 0 else others
        table = own_table if me == 0 else other_table
        pack = own_pack if me == 0 else other_pack
        extra = own_extra if me == 0 else other_extra
        end_here = ends[0] if me == 0 else ends[1]
        for k in range(tape.shape[0]):
            what, board = tape[k, 0], tape[k, 1]
            street = boards.street[board]
            for chunk in range(money.chunks[street, 0], money.chunks[street, 1]):
                if what != UP:
                    _down(
                        board, chunk, money, pair, table, pack, extra, room, me, row, average,
                        how == LEARN,
                    )  # fmt: skip
                if what != DOWN:
                    last = what == LAST
                    end(board, chunk, pair[0], pair[1], boards, end_here, me, room, last)
                    _up(
                        board, chunk, money, pair[0], table[0], pack[0], extra[0], room, me, row,
                        average, how,
                    )  # fmt: skip
