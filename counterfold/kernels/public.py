"""Vector CFR over a public tree: every node holds all hands of both players at once.

A betting tree is played on every board. What a player learns is a row of hands for each action
of each of its nodes on each board; how a player gets to a node is a row too. A tape of boards
says what is done: down with reaches, up with values, both on the last street.

Where nobody asks for more than the plain rule, ``extra`` is None and nothing of it is compiled.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import rule
from counterfold.kernels.jit import inlined, jit, subkernel
from counterfold.kernels.public_ends import end
from counterfold.kernels.public_rule import (
    PLAIN,
    Here,
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
    rest: np.ndarray  # [1] one over the boards that can come after the last street


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
    # where cards come after the last street, [boards, hands, hands] on how many boards it; else
    # None, and nothing of it is compiled
    beaten: np.ndarray  # beats those that a hand of the opponent stands for
    upto: np.ndarray  # and beats or ties them


class Table(NamedTuple):
    """What a player learns."""

    regret: np.ndarray  # [rows, hands]
    total: np.ndarray  # [rows, hands] weighted sum of strategies


class Pack(NamedTuple):
    """The scales of tables in 16 bits, one a node, at its first row."""

    regret: np.ndarray  # [rows]
    total: np.ndarray  # [rows]


class Ground(NamedTuple):
    """What is played on, the same for all strategies."""

    money: Money
    boards: Boards
    ends: tuple  # of each player


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


class Sides(NamedTuple):
    """What both players have: pairs, by player; of a walk, those of whom it is for come first."""

    hands: tuple
    tables: tuple
    packs: tuple  # None where tables are in 32 or 64 bits
    extras: tuple  # None where the plain rule will do


class Walk(NamedTuple):
    """One walk over a tape."""

    me: int  # whom it is for
    average: bool  # strategies come from the sums so far instead of from regrets
    how: int  # LEARN, VALUE or BEST


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
    return extra.delta.size == 0 or (extra.styled[n] == PLAIN and row[rule.BEST] == 0)


@subkernel
def _play(table, pack, extra, here, reach, average, row, room):
    """One player's reach through one of its nodes."""
    if row is None:
        spread(table.total, here.at, here, reach)
    elif average:
        spread(table.total, here.at, here, reach)
    elif extra is None:
        spread(table.regret, here.at, here, reach)
    elif _is_plain(extra, here.board, here.node, row):
        spread(table.regret, here.at, here, reach)
    else:
        choose(table.regret, pack, extra, here, room.sigma, room.spare, row)
        if _is_locked(extra, here.board, here.node):
            lock(extra, here, room.sigma)
        spread(room.sigma, np.uint32(0), here, reach)


@inlined
def _fetch(up, hands, reach, above, below):
    """A reach on the board before, as the hands of this one."""
    for h in range(hands):
        reach[below, h] = reach[above, up[h]]


@subkernel
def _begin(board, hands, extra, room, before, node, me):
    """Reaches where a street begins; on the first board nothing is above."""
    mine, theirs = hands
    count, others = mine.count[board], theirs.count[board]
    above, here = before[ROW + 1 - me], node[ROW + 1 - me]
    if board == 0:
        for h in range(count):
            room.mine[node[ROW + me], h] = mine.start[h]
        for h in range(others):
            room.theirs[here, h] = theirs.start[h]
    else:
        _fetch(mine.up[board], count, room.mine, before[ROW + me], node[ROW + me])
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
def _meet(table, pack, extra, here, average, row, room):
    """The opponent's reach through one of its nodes; a part of it may play a model."""
    if extra is None:
        _play(table, pack, extra, here, room.theirs, average, row, room)
    elif extra.model.size == 0:
        _play(table, pack, extra, here, room.theirs, average, row, room)
    else:
        _play(table, pack, extra, here, room.free, average, row, room)
        spread(extra.model, here.at, here, room.model)
        below = here.below
        for a in range(here.actions):
            for h in range(here.hands):
                room.theirs[below + a, h] = room.free[below + a, h] + room.model[below + a, h]


@subkernel
def _note(table, pack, here, room, row):
    """The average strategy takes in what is played now."""
    share = room.mine.dtype.type(row[rule.AVERAGE])
    if pack is None:
        note(table.total, here, room.mine, share)
    else:
        note_packed(table.total, pack.total, here, room.mine, share, room.sigma, row[rule.WEIGHT])


@inlined
def _here(hands, board, n, nodes, column):
    """A node of a player with these hands, with its rows of what a column tells."""
    node = nodes[n]
    return Here(
        board, n, node[WIDE], hands.base[board] + node[SLOT], node[COUNT], hands.count[board],
        node[column], nodes[node[CHILD], column],
    )  # fmt: skip


@subkernel
def _down(board, chunk, money, sides, room, walk, rows):
    """Reaches of both players through a chunk."""
    (mine, theirs), (my_table, their_table) = sides.hands, sides.tables
    (my_pack, their_pack), (my_extra, their_extra) = sides.packs, sides.extras
    me, nodes = walk.me, money.node
    for n in range(money.chunk[chunk], money.chunk[chunk + 1]):
        node = nodes[n]
        if n == 0 or node[LINE] != NOTHING:
            before = nodes[node[LINE] if n > 0 else 0]
            _begin(board, sides.hands, their_extra, room, before, node, me)
        if node[KIND] == DECISION:
            if node[OWNER] != me:
                here = _here(theirs, board, n, nodes, ROW + 1 - me)
                row = None if rows is None else rows[THEIRS]
                _meet(their_table, their_pack, their_extra, here, walk.average, row, room)
            elif rows is not None and walk.how == LEARN:
                mine_here = _here(mine, board, n, nodes, ROW + me)
                _play(
                    my_table, my_pack, my_extra, mine_here, room.mine, walk.average, rows[MINE],
                    room,
                )  # fmt: skip
                _note(my_table, my_pack, mine_here, room, rows[NOW])
        elif node[KIND] == DEAL:
            for h in range(mine.count[board]):
                room.value[node[PLACE], h] = 0


@subkernel
def _decide(table, pack, extra, here, room, walk, rows):
    """The value of one of the player's own nodes; regrets if it learns."""
    regret, value, how = table.regret, room.value, walk.how
    plain = True
    if extra is not None and rows is not None:
        plain = _is_plain(extra, here.board, here.node, rows[MINE])
    if how == BEST:
        best(here, value)
    elif rows is None:
        mean(table.total, here.at, here, value, room.spare)
    elif walk.average:
        mean(table.total, here.at, here, value, room.spare)
    elif plain:
        if how == VALUE:
            mean(regret, here.at, here, value, room.spare)
        elif pack is None:
            learn(regret, here.at, here, value, room.spare, rows[NOW])
        else:
            learn_packed(regret, pack.regret, here, value, room.sigma, room.spare, rows[NOW])
    elif extra is not None:
        choose(regret, pack, extra, here, room.sigma, room.spare, rows[MINE])
        earn(here, room.sigma, value)
        if how == LEARN:
            learn_from(regret, pack, extra.last, here, room.sigma, room.more, rows[NOW])
    if extra is not None:
        if _is_locked(extra, here.board, here.node) and (how == BEST or not walk.average):
            hold(extra, here, value)


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
def _up(board, chunk, money, sides, room, walk, rows):
    """Values and regrets through a chunk, from the last nodes to the first."""
    mine, table, pack, extra = sides.hands[0], sides.tables[0], sides.packs[0], sides.extras[0]
    hands, value, nodes = mine.count[board], room.value, money.node
    begin, stop = np.int64(money.chunk[chunk]), np.int64(money.chunk[chunk + 1])
    for n in range(stop - 1, begin - 1, -1):
        node = nodes[n]
        if node[KIND] == DECISION:
            if node[OWNER] == walk.me:
                _decide(table, pack, extra, _here(mine, board, n, nodes, PLACE), room, walk, rows)
            else:
                hidden = HIDDEN + walk.me
                _gather(nodes, node[CHILD], node[COUNT], hidden, value, hands, node[PLACE])
        if node[LINE] != NOTHING:
            above, here = nodes[node[LINE], PLACE], node[PLACE]
            up, passed = mine.up[board], mine.passed[board]
            for h in range(hands):
                value[above, up[h]] += passed[h] * value[here, h]


@jit
def traverse(tape, ground, sides, room, who, rows, average, how):
    """Walks over a tape of boards, one for each entry of ``who``: the player it is for.

    ``rows[k]`` are the numbers of the rule in walk k: this iteration's, and those of each
    player's last one. ``average`` takes strategies from the sums so far instead of from regrets.
    Without ``rows`` these are measured, and nothing that learns is compiled.
    """
    money, boards, ends = ground
    hands, tables, packs, extras = sides
    own = Sides(
        (hands[0], hands[1]), (tables[0], tables[1]), (packs[0], packs[1]), (extras[0], extras[1])
    )
    others = Sides(
        (hands[1], hands[0]), (tables[1], tables[0]), (packs[1], packs[0]), (extras[1], extras[0])
    )
    for number in range(who.size):
        me, row = who[number], None if rows is None else rows[number]
        walk = Walk(me, average, how)
        turned = own if me == 0 else others
        end_here = ends[0] if me == 0 else ends[1]
        for k in range(tape.shape[0]):
            what, board = tape[k, 0], tape[k, 1]
            street = boards.street[board]
            for chunk in range(money.chunks[street, 0], money.chunks[street, 1]):
                if what != UP:
                    _down(board, chunk, money, turned, room, walk, row)
                if what != DOWN:
                    end(board, chunk, turned.hands, boards, end_here, me, room, what == LAST)
                    _up(board, chunk, money, turned, room, walk, row)
