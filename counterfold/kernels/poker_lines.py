"""Betting times buckets in memory: its nodes, and the rows of a table that sampled walks fill.

A row is a decision with a bucket: the regrets of its actions, their sums of probability and, where
a row fades when it is next touched, the round in which it was last brought up. What is read
together lies together: the rows of a bucket, and the nodes of a street after the same line.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.rule import accumulate, average, match

FOLD, SHOWDOWN = 14, 15  # kinds of nodes; smaller ones are decisions of that player
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
WHAT, NEXT, BASE, PAYOFF = ZERO, ONE, TWO, THREE  # of a node, in ``Lines.info``
FOUR, EIGHT = np.uint64(4), np.uint64(8)  # numbers of a node, and of a payoff of two
WHO, COUNT = np.uint32(2), np.uint32(6)  # bits of WHAT before: kind, number of actions
STREETS, KIND = np.uint32(3), np.uint32(15)
OWNER, OWNERS = np.uint32(63), 64  # street and kind, and how many there are
PAIR = TWO  # places of rows are counted in pairs of numbers
NOTHING = -30.0  # the logarithm of a factor that leaves nothing


class Lines(NamedTuple):
    """The betting. A deal is written as what comes after it, so that lines run through."""

    info: np.ndarray  # uint32 [nodes x 4] what it is, its first child, its rows and its payoff
    payoff: np.ndarray  # float32 [payoffs x 8] what it is worth to each of two, 4 numbers a player:
    # if player 0 wins, ties or loses. Of more players [payoffs x block_of]: what each has who wins
    # no pot, then pots, each its chips and a bit for each rival, until there are no chips
    step: np.ndarray  # uint32 [64] by street and owner, from a bucket's rows to those of the next
    seats: tuple  # numbers of players: how many there are is known where this is compiled
    held: np.uint32  # the street from which rows stay as they are: what lies behind a depth limit
    aside: tuple | None  # of a part: the first street behind the trunk, and how far behind a row of
    # the trunk its regrets are added; None: a table is whole


class Rule(NamedTuple):
    """How a row fades from one round to another, and the least that a regret can be.

    Either rows fade when they are next touched, or what is new weighs more in each round.
    """

    scale: np.ndarray  # [rounds, 5] of regrets above zero and its inverse; of the average and its;
    now: int  # the running logarithm of the other regrets
    fading: bool
    gain: np.float32  # the weight of new regrets
    share: np.float32  # the weight of a strategy in the average
    lowest: np.float32
    held: np.float32  # what regrets have been summed with when the round began, for a style
    later: np.float32  # the same for players who have walked in this iteration
    best: bool  # a style plays the heaviest action alone
    skip: np.float32 | None  # regrets below it are skipped in most walks; None: nothing ever is
    lock: np.ndarray | None = None  # float32 [table] of locks; None: nobody is held to anything


@inlined
def told(lines, node, what):
    """One of the four numbers of a node."""
    return lines.info[np.uint64(node) * FOUR + what]


@inlined
def kind_of(what):
    """Who decides, or how the hand ends."""
    return what >> WHO & KIND


@inlined
def row_of(lines, node, bucket):
    """Where the row of a decision and a bucket begins."""
    at = told(lines, node, BASE) + bucket * lines.step[told(lines, node, WHAT) & OWNER]
    return np.uint64(at) * PAIR


@inlined
def block_of(players):
    """How many numbers a payoff of so many players takes: what each has, and their pots."""
    return np.uint64(8 if players <= 3 else 16 if players <= 5 else 32)  # a zero behind the pots


@inlined
def learned_at(aside, what, low):
    """Where the regrets of a row are added."""
    if aside is None:
        return low
    street, behind = aside
    return low + behind if what & STREETS < street else low


@inlined
def refresh(table, low, count, rule):
    """Let a row fade for the rounds since it was last touched."""
    if rule.fading:
        stamp = low + TWO * count
        then, now, scale = np.int64(table[stamp]), rule.now, rule.scale
        if then != now:
            table[stamp] = np.float32(now)
            positive = np.float32(scale[now, 0] * scale[then, 1])
            factor = np.float32(scale[now, 2] * scale[then, 3])
            gap = scale[now, 4] - scale[then, 4]
            negative = np.float32(np.exp(gap)) if gap > NOTHING else np.float32(0)
            zero = np.float32(0)
            for a in range(low, low + count):
                table[a] = accumulate(table[a], zero, positive, negative, rule.lowest)
                table[a + count] = average(table[a + count], factor, zero)


@jit
def most_visits(lines, player, most):
    """How many decisions the longest walk of a player can meet; ``most`` is room for each node."""
    for back in range(most.size):
        v = most.size - 1 - back
        kind, count = kind_of(told(lines, v, WHAT)), told(lines, v, WHAT) >> COUNT
        most[v] = 0
        if kind < FOLD:
            below = 0
            for a in range(count):
                here = most[told(lines, v, NEXT) + np.uint32(a)]
                below = below + here if kind == player else max(below, here)
            most[v] = below + 1
    return most[0] + 1


@jit
def spread(lines, nodes, buckets, given, table):
    """Put probabilities, in the order of ``averages``, where a table has regrets."""
    at = np.uint64(0)
    for n in range(nodes.size):
        count = np.uint64(told(lines, nodes[n], WHAT) >> COUNT)
        for bucket in range(buckets[n]):
            low = row_of(lines, nodes[n], np.uint32(bucket))
            for a in range(count):
                table[low + np.uint64(a)] = given[at]
                at += np.uint64(1)


@jit
def averages(lines, nodes, buckets, table, out):
    """The average strategy of each decision and bucket, one after the other."""
    to = np.uint64(0)
    for n in range(nodes.size):
        count = np.uint64(told(lines, nodes[n], WHAT) >> COUNT)
        even = np.float32(1) / np.float32(count)
        for bucket in range(buckets[n]):
            low = row_of(lines, nodes[n], np.uint32(bucket)) + count
            total = np.float32(0)
            for a in range(count):
                total += table[low + np.uint64(a)]
            for a in range(count):
                out[to] = match(table[low + np.uint64(a)], total, even)
                to += np.uint64(1)


@inlined
def _whole_row(lines, node, bucket):
    """How many actions a row has, where it begins, and where its regrets are added."""
    what, low = told(lines, node, WHAT), row_of(lines, node, bucket)
    return np.uint64(what >> COUNT), low, learned_at(lines.aside, what, low)


@jit
def sums(lines, nodes, buckets, rule, table, out):
    """Regrets and sums of probability in the order of ``averages``, brought up to a round.

    Regrets that lie aside come in the place of those of the trunk.
    """
    at = np.uint64(0)
    for n in range(nodes.size):
        for bucket in range(buckets[n]):
            count, low, learned = _whole_row(lines, nodes[n], np.uint32(bucket))
            refresh(table, low, count, rule)
            for a in range(count):
                out[0, at] = table[learned + a]
                out[1, at] = table[low + count + a]
                at += ONE


@jit
def put_sums(lines, nodes, buckets, rule, given, table):
    """The same back, as of a round; nothing lies aside."""
    at = np.uint64(0)
    for n in range(nodes.size):
        for bucket in range(buckets[n]):
            count, low, learned = _whole_row(lines, nodes[n], np.uint32(bucket))
            for a in range(count):
                table[learned + a] = np.float32(0)
                table[low + a] = given[0, at]
                table[low + count + a] = given[1, at]
                at += ONE
            if rule.fading:
                table[low + TWO * count] = np.float32(rule.now)
