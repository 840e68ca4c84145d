"""Traversals of the history graph: every history at once, or a sampled part of them.

A traversal leaves sampled or exact counterfactual regrets in ``new`` for the infosets that it
touched, and adds to the average strategy; ``_settle`` then applies the one update rule.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.rule import (
    AVERAGE,
    LOG_AVERAGE,
    LOG_NEGATIVE,
    LOG_POSITIVE,
    LOWEST,
    NEGATIVE,
    POSITIVE,
    PREDICTION,
    accumulate,
    weigh,
)

NONE = np.uint32(0xFFFFFFFF)
CHANCE, TERMINAL = -1, -2


class Graph(NamedTuple):
    """A history graph in topological order; see ``tree.history.HistoryTree``."""

    turn: np.ndarray
    first: np.ndarray
    child: np.ndarray
    prob: np.ndarray
    infoset: np.ndarray
    leaf: np.ndarray
    payoff: np.ndarray
    start: np.ndarray  # [infosets + 1] first slot of each infoset
    rows: np.ndarray  # [players + 1] infosets of player p: rows[p] to rows[p + 1]


class Tables(NamedTuple):
    """What a solver learns, one number a slot; ``new`` is empty between iterations."""

    regret: np.ndarray
    strategy: np.ndarray
    total: np.ndarray
    new: np.ndarray
    seen: np.ndarray  # [infosets, 3] the schedule's logarithms when a row was last brought up


class Dense(NamedTuple):
    """Room for a full traversal, one number a node."""

    others: np.ndarray  # probability that chance and the other players come here
    own: np.ndarray  # that chance and the player itself do
    value: np.ndarray


@inlined
def _match(tables, lo, hi, positive, negative, lowest, prediction):
    """The update rule for one infoset whose new regrets lie in ``tables.new``."""
    dtype = tables.regret.dtype.type
    weight = dtype(0)
    for a in range(lo, hi):
        new = tables.new[a]
        tables.new[a] = dtype(0)
        now = accumulate(tables.regret[a], new, positive, negative, lowest)
        tables.regret[a] = now
        ahead = weigh(now, new, prediction)
        tables.strategy[a] = ahead
        weight += ahead
    for a in range(lo, hi):
        if weight > 0:
            tables.strategy[a] /= weight
        else:
            tables.strategy[a] = dtype(1) / dtype(hi - lo)


@inlined
def _respond(graph, player, tables, row):
    dtype = tables.regret.dtype.type
    positive, negative = dtype(row[POSITIVE]), dtype(row[NEGATIVE])
    lowest, prediction = dtype(row[LOWEST]), dtype(row[PREDICTION])
    for i in range(graph.rows[player], graph.rows[player + 1]):
        _match(
            tables, graph.start[i], graph.start[i + 1], positive, negative, lowest, prediction
        )


@inlined
def _sweep(graph, player, tables, room, average):
    """Exact regrets and average for one player: reach going down, values coming back."""
    dtype = tables.regret.dtype.type
    zero, one = dtype(0), dtype(1)
    for s in range(graph.start[graph.rows[player]], graph.start[graph.rows[player + 1]]):
        tables.total[s] *= average
    for v in range(graph.turn.size):
        room.others[v] = zero
        room.own[v] = zero
    room.others[0] = one
    room.own[0] = one
    for v in range(graph.turn.size):
        who = graph.turn[v]
        if who == TERMINAL:
            continue
        first = graph.first[v]
        others, own = room.others[v], room.own[v]
        slot = graph.start[graph.infoset[v]] if who >= 0 else np.uint32(0)
        for e in range(first, graph.first[v + 1]):
            w = graph.child[e]
            if who == CHANCE:
                room.others[w] += others * dtype(graph.prob[e])
                room.own[w] += own * dtype(graph.prob[e])
            else:
                played = tables.strategy[slot + (e - first)]
                if who == player:
                    room.others[w] += others
                    room.own[w] += own * played
                    tables.total[slot + (e - first)] += own * played
                else:
                    room.others[w] += others * played
                    room.own[w] += own
    for back in range(graph.turn.size):
        v = graph.turn.size - 1 - back
        who = graph.turn[v]
        if who == TERMINAL:
            room.value[v] = dtype(graph.payoff[graph.leaf[v], player])
            continue
        first, last = graph.first[v], graph.first[v + 1]
        slot = graph.start[graph.infoset[v]] if who >= 0 else np.uint32(0)
        value = zero
        for e in range(first, last):
            share = dtype(graph.prob[e]) if who == CHANCE else tables.strategy[slot + (e - first)]
            value += share * room.value[graph.child[e]]
        room.value[v] = value
        if who == player:
            for e in range(first, last):
                tables.new[slot + (e - first)] += room.others[v] * (
                    room.value[graph.child[e]] - value
                )


@jit
def sweep(graph, tables, room, schedule, alternating):
    """Full iterations over the graph, one a row of the schedule."""
    players = graph.rows.size - 1
    for t in range(schedule.shape[0]):
        row = schedule[t]
        for player in range(players):
            _sweep(graph, player, tables, room, tables.regret.dtype.type(row[AVERAGE]))
            if alternating:
                _respond(graph, player, tables, row)
        if not alternating:
            for player in range(players):
                _respond(graph, player, tables, row)


class Sparse(NamedTuple):
    """Room for a sampled traversal: visits in the order in which they were made."""

    node: np.ndarray
    above: np.ndarray  # the visit that led here
    slot: np.ndarray  # the updating player's action that did, or NONE
    others: np.ndarray  # weight of regrets here, corrected for sampling
    own: np.ndarray  # weight in the average strategy, corrected for sampling
    share: np.ndarray  # what the value here counts for above
    boost: np.ndarray  # the same for the value of the action that led here
    value: np.ndarray
    touched: np.ndarray  # [infosets] rows with new regrets
    stamp: np.ndarray  # [infosets] the iteration in which a row was last put there


@inlined
def uniform(random):
    """The next number in [0, 1) of the splitmix64 stream whose state is ``random[0]``."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inlined
def _draw(weights, lo, hi, random):
    """An index from lo to hi with probability in proportion to weights that sum to one."""
    left = uniform(random)
    for k in range(lo, hi - np.uint32(1)):
        left -= weights[k]
        if left < 0:
            return np.uint32(k)
    k = hi - np.uint32(1)
    while k > lo and weights[k] <= 0:  # rounding must not choose what is never played
        k -= np.uint32(1)
    return k


@inlined
def _visit(room, count, node, above, slot, others, own, share, boost):
    room.node[count] = node
    room.above[count] = above
    room.slot[count] = slot
    room.others[count] = others
    room.own[count] = own
    room.share[count] = share
    room.boost[count] = boost
    room.value[count] = 0.0
    return count + 1


@inlined
def _add_to_average(graph, tables, i, weight, row):
    """Add the current strategy at infoset i, first discounting what lies there."""
    dtype = tables.total.dtype.type
    lo, hi = graph.start[i], graph.start[i + 1]
    if tables.seen[i, 2] != row[LOG_AVERAGE]:
        fade = dtype(np.exp(row[LOG_AVERAGE] - tables.seen[i, 2]))
        tables.seen[i, 2] = row[LOG_AVERAGE]
        for a in range(lo, hi):
            tables.total[a] *= fade
    for a in range(lo, hi):
        tables.total[a] += dtype(weight) * tables.strategy[a]


@inlined
def _settle(graph, tables, room, count, row):
    """Apply the update rule to the rows with new regrets, wherever they were last discounted."""
    dtype = tables.regret.dtype.type
    lowest, prediction = dtype(row[LOWEST]), dtype(row[PREDICTION])
    for k in range(count):
        i = room.touched[k]
        positive = negative = dtype(1)
        if tables.seen[i, 0] != row[LOG_POSITIVE]:
            positive = dtype(np.exp(row[LOG_POSITIVE] - tables.seen[i, 0]))
            tables.seen[i, 0] = row[LOG_POSITIVE]
        if tables.seen[i, 1] != row[LOG_NEGATIVE]:
            negative = dtype(np.exp(row[LOG_NEGATIVE] - tables.seen[i, 1]))
            tables.seen[i, 1] = row[LOG_NEGATIVE]
        _match(
            tables, graph.start[i], graph.start[i + 1], positive, negative, lowest, prediction
        )


@lru_cache(None)
def sampler(sample_others: bool, sample_own: bool):
    """The kernel that samples chance and, as asked, the other players and the player itself.

    Chance alone is chance sampling, chance and others is external sampling, all three is
    outcome sampling. Sampled branches are weighed so that regrets are right on average.
    """

    @jit
    def walk(graph, tables, room, schedule, alternating, random, explore, clock):
        players = graph.rows.size - 1
        for t in range(schedule.shape[0]):
            row = schedule[t]
            clock += 1
            rows = 0
            for player in range(players):
                partner = (player + 1) % players  # whose average external sampling adds to
                count = _visit(room, 0, np.uint32(0), np.uint32(0), NONE, 1.0, 1.0, 0.0, 0.0)
                k = 0
                while k < count:  # visits grow while they are made
                    v = room.node[k]
                    who = graph.turn[v]
                    others, own = room.others[k], room.own[k]
                    at, first, last = np.uint32(k), graph.first[v], graph.first[v + 1]
                    if who == TERMINAL:
                        room.value[k] = graph.payoff[graph.leaf[v], player]
                    elif who == CHANCE:
                        e = _draw(graph.prob, first, last, random)
                        count = _visit(
                            room, count, graph.child[e], at, NONE, others, own, 1.0, 0.0
                        )
                    elif who == player:
                        i = graph.infoset[v]
                        lo, hi = graph.start[i], graph.start[i + 1]
                        if room.stamp[i] != clock:
                            room.stamp[i] = clock
                            room.touched[rows] = i
                            rows += 1
                        if sample_own or not sample_others:
                            _add_to_average(graph, tables, i, own, row)
                        if sample_own:
                            even = 1.0 / (hi - lo)
                            if uniform(random) < explore:
                                a = lo + np.uint32(uniform(random) * (hi - lo))
                            else:
                                a = _draw(tables.strategy, lo, hi, random)
                            played = tables.strategy[a]
                            odds = explore * even + (1.0 - explore) * played
                            count = _visit(
                                room, count, graph.child[first + (a - lo)], at, a,
                                others / odds, own * played / odds, played / odds, 1.0 / odds,
                            )  # fmt: skip
                        else:
                            for a in range(lo, hi):
                                played = tables.strategy[a]
                                count = _visit(
                                    room, count, graph.child[first + (a - lo)], at, np.uint32(a),
                                    others, own * played, played, 1.0,
                                )  # fmt: skip
                    else:
                        i = graph.infoset[v]
                        lo, hi = graph.start[i], graph.start[i + 1]
                        if sample_others:
                            if not sample_own and who == partner:
                                _add_to_average(graph, tables, i, own, row)
                            a = _draw(tables.strategy, lo, hi, random)
                            if sample_own or who != partner:
                                own /= tables.strategy[a]
                            count = _visit(
                                room, count, graph.child[first + (a - lo)], at, NONE,
                                others, own, 1.0, 0.0,
                            )  # fmt: skip
                        else:
                            for a in range(lo, hi):
                                played = tables.strategy[a]
                                count = _visit(
                                    room, count, graph.child[first + (a - lo)], at, NONE,
                                    others * played, own, played, 0.0,
                                )  # fmt: skip
                    k += 1
                for back in range(count):
                    k = count - 1 - back
                    value, v = room.value[k], room.node[k]
                    if graph.turn[v] == player:
                        i = graph.infoset[v]
                        loss = tables.new.dtype.type(room.others[k] * value)
                        for a in range(graph.start[i], graph.start[i + 1]):
                            tables.new[a] -= loss
                    if k > 0:
                        above = room.above[k]
                        room.value[above] += room.share[k] * value
                        if room.slot[k] != NONE:
                            tables.new[room.slot[k]] += tables.new.dtype.type(
                                room.others[above] * room.boost[k] * value
                            )
                if alternating:
                    _settle(graph, tables, room, rows, row)
                    rows = 0
            if not alternating:
                _settle(graph, tables, room, rows, row)

    return walk


@jit
def most_visits(turn, first, child, player, sample_others, sample_own):
    """How many visits the longest walk of a player can make, from each node on."""
    most = np.zeros(turn.size, dtype=np.float64)
    for back in range(turn.size):
        v = turn.size - 1 - back
        sampled = turn[v] == CHANCE or (sample_own if turn[v] == player else sample_others)
        below = 0.0
        for e in range(first[v], first[v + 1]):
            if sampled:
                below = max(below, most[child[e]])
            else:
                below += most[child[e]]
        most[v] = 1.0 + below
    return most[0]
