"""Traversals of the history graph: every history at once, or a sampled part of them.

A traversal leaves sampled or exact counterfactual regrets in ``new`` for the infosets that it
touched, and adds to the average strategy; ``settle`` then applies the one update rule.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import rule
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.rule import (
    accumulate,
    average,
    fade,
    heaviest,
    predict,
    scale,
    share,
    weigh,
)

NONE = np.uint32(0xFFFFFFFF)
EVEN = np.uint32(0xFFFFFFFE)
CHANCE, TERMINAL = -1, -2


class Graph(NamedTuple):
    """A history graph in topological order; see ``tree.history.HistoryTree``."""

    turn: np.ndarray
    first: np.ndarray
    child: np.ndarray
    prob: np.ndarray
    infoset: np.ndarray
    leaf: np.ndarray  # row of payoff; EVEN at chance nodes whose outcomes are equally likely
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
def _match(tables, preference, i, lo, hi, positive, negative, row):
    """The update rule for one infoset whose new regrets lie in ``tables.new``."""
    dtype = tables.regret.dtype.type
    lowest, prediction = dtype(row[rule.LOWEST]), dtype(row[rule.PREDICTION])
    styled = preference.delta.size > 0
    allowance = dtype(row[rule.WEIGHT]) * preference.beta[i] if styled else dtype(0)
    total = most = dtype(0)
    for a in range(lo, hi):
        new = tables.new[a]
        tables.new[a] = dtype(0)
        now = accumulate(tables.regret[a], new, positive, negative, lowest)
        tables.regret[a] = now
        ahead = predict(now, new, prediction)
        if styled:
            weight = weigh(ahead, preference.delta[a], allowance)
            most = max(most, weight)
        else:
            weight = weigh(ahead)
        tables.strategy[a] = weight
        total += weight
    if styled and row[rule.BEST] > 0:
        for a in range(lo, hi):
            tables.strategy[a], most = heaviest(tables.strategy[a], most, preference.fallback[a])
    else:
        factor = scale(total, dtype(1), dtype(1) / dtype(hi - lo))
        for a in range(lo, hi):
            fallback = preference.fallback[a] if styled else -factor
            tables.strategy[a] = share(tables.strategy[a], factor, fallback)


@inlined
def _respond(graph, player, tables, preference, row):
    dtype = tables.regret.dtype.type
    positive, negative = dtype(row[rule.POSITIVE]), dtype(row[rule.NEGATIVE])
    for i in range(graph.rows[player], graph.rows[player + 1]):
        _match(tables, preference, i, graph.start[i], graph.start[i + 1], positive, negative, row)


@inlined
def _sweep(graph, player, tables, room, factor):
    """Exact regrets and average for one player: reach going down, values coming back."""
    dtype = tables.regret.dtype.type
    zero, one = dtype(0), dtype(1)
    for s in range(graph.start[graph.rows[player]], graph.start[graph.rows[player + 1]]):
        tables.total[s] = average(tables.total[s], factor, zero)
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
def sweep(graph, tables, preference, room, schedule, alternating):
    """Full iterations over the graph, one a row of the schedule."""
    players = graph.rows.size - 1
    for t in range(schedule.shape[0]):
        row = schedule[t]
        for player in range(players):
            _sweep(graph, player, tables, room, tables.regret.dtype.type(row[rule.AVERAGE]))
            if alternating:
                _respond(graph, player, tables, preference, row)
        if not alternating:
            for player in range(players):
                _respond(graph, player, tables, preference, row)


class Sparse(NamedTuple):
    """Room for a sampled traversal: its visits in the order in which they were made.

    Only nodes from which several branches may go on are visits; what lies between is sampled
    through. Visit 0 stands above the first one and collects the value of the whole walk.
    """

    node: np.ndarray
    above: np.ndarray  # the visit that led here
    slot: np.ndarray  # the updating player's action that did, or NONE
    others: np.ndarray  # weight of regrets here, corrected for sampling
    own: np.ndarray  # weight in the average strategy, corrected for sampling
    share: np.ndarray  # what the value here counts for above
    boost: np.ndarray  # the same for the action that led here, as a regret
    value: np.ndarray
    touched: np.ndarray  # [infosets] rows with new regrets
    stamp: np.ndarray  # [infosets] the walk in which a row was last put there


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
def add_to_average(graph, tables, i, weight, row):
    """Add the current strategy at infoset i, first discounting what lies there."""
    dtype = tables.total.dtype.type
    factor = dtype(fade(tables.seen[i, 2], row[rule.LOG_AVERAGE]))
    tables.seen[i, 2] = row[rule.LOG_AVERAGE]
    for a in range(graph.start[i], graph.start[i + 1]):
        tables.total[a] = average(tables.total[a], factor, dtype(weight) * tables.strategy[a])


@inlined
def settle(graph, tables, preference, room, count, row):
    """Apply the update rule to the rows with new regrets, wherever they were last discounted."""
    dtype = tables.regret.dtype.type
    for k in range(count):
        i = room.touched[k]
        positive = dtype(fade(tables.seen[i, 0], row[rule.LOG_POSITIVE]))
        negative = dtype(fade(tables.seen[i, 1], row[rule.LOG_NEGATIVE]))
        tables.seen[i, 0] = row[rule.LOG_POSITIVE]
        tables.seen[i, 1] = row[rule.LOG_NEGATIVE]
        _match(tables, preference, i, graph.start[i], graph.start[i + 1], positive, negative, row)


class Sampling(NamedTuple):
    """What is drawn, and from where."""

    random: np.ndarray  # [1] the stream of numbers
    explore: float
    others: bool  # moves of the other players
    own: bool  # and of the player itself


class Walk(NamedTuple):
    """Who walks, and with what."""

    player: int
    partner: int  # whose average strategy the walk adds to; see ``sample``
    row: np.ndarray  # of the schedule
    sampling: Sampling


class Branch(NamedTuple):
    """A move to follow: fields of a visit (``Sparse``)."""

    node: int  # that it leads to
    above: int
    slot: int
    own: float
    share: float
    boost: float


@inlined
def _descend(graph, tables, room, walk, count, branch):
    """Follow sampled moves from a branch to the next visit, or to the end of the game."""
    v, above, slot, own, share, boost = branch
    random = walk.sampling.random
    while graph.turn[v] != walk.player and graph.turn[v] != TERMINAL:
        first = graph.first[v]
        if graph.turn[v] == CHANCE:
            if graph.leaf[v] == EVEN:
                width = graph.first[v + 1] - first
                v = graph.child[first + np.uint32(uniform(random) * width)]
            else:
                v = graph.child[_draw(graph.prob, first, graph.first[v + 1], random)]
        elif walk.sampling.others:
            i = graph.infoset[v]
            lo = graph.start[i]
            partner = graph.turn[v] == walk.partner
            if partner:
                add_to_average(graph, tables, i, own, walk.row)
            a = _draw(tables.strategy, lo, graph.start[i + 1], random)
            if not partner:
                own /= tables.strategy[a]
            v = graph.child[first + (a - lo)]
        else:
            break
    if graph.turn[v] == TERMINAL:
        value = graph.payoff[graph.leaf[v], walk.player]
        room.value[above] += share * value
        if slot != NONE:
            tables.new[slot] += tables.new.dtype.type(room.others[above] * boost * value)
        return count
    room.node[count] = v
    room.above[count] = above
    room.slot[count] = slot
    room.own[count] = own
    room.share[count] = share
    room.boost[count] = boost
    room.value[count] = 0.0
    # Regrets count with the others' probability where they are all followed, and with
    # the inverse of the player's own odds where it is sampled.
    if slot == NONE:
        room.others[count] = room.others[above] * share if above > 0 else 1.0
    else:
        room.others[count] = room.others[above] * boost
    return count + 1


@inlined
def _expand(graph, tables, room, walk, count, k):
    """Go on from visit k: along every action, or along a sampled one of the player's own."""
    v, own, above = room.node[k], room.own[k], np.uint32(k)
    i, first = graph.infoset[v], graph.first[v]
    lo, hi = graph.start[i], graph.start[i + 1]
    mine = graph.turn[v] == walk.player
    averaged = graph.turn[v] == walk.partner
    if averaged:
        add_to_average(graph, tables, i, own, walk.row)
    if walk.sampling.own:
        random, explore = walk.sampling.random, walk.sampling.explore
        if uniform(random) < explore:
            a = lo + np.uint32(uniform(random) * (hi - lo))
        else:
            a = _draw(tables.strategy, lo, hi, random)
        played = tables.strategy[a]
        odds = explore / (hi - lo) + (1.0 - explore) * played
        weight = own * (played if averaged else 1.0) / odds
        node = graph.child[first + (a - lo)]
        branch = Branch(node, above, a, weight, played / odds, 1.0 / odds)
        return _descend(graph, tables, room, walk, count, branch)
    for a in range(lo, hi):
        played = tables.strategy[a]
        slot, weight = np.uint32(a) if mine else NONE, own * played if averaged else own
        branch = Branch(graph.child[first + (a - lo)], above, slot, weight, played, 1.0)
        count = _descend(graph, tables, room, walk, count, branch)
    return count


@inlined
def _collect(graph, tables, room, count, player, clock, rows):
    """Carry values back up, leaving regrets; returns how many rows are touched."""
    dtype = tables.new.dtype.type
    for back in range(count - 1):
        k = count - 1 - back
        value, v = room.value[k], room.node[k]
        if graph.turn[v] == player:
            i = graph.infoset[v]
            if room.stamp[i] != clock:
                room.stamp[i] = clock
                room.touched[rows] = i
                rows += 1
            loss = dtype(room.others[k] * value)
            for a in range(graph.start[i], graph.start[i + 1]):
                tables.new[a] -= loss
        above = room.above[k]
        room.value[above] += room.share[k] * value
        if room.slot[k] != NONE:
            tables.new[room.slot[k]] += dtype(room.others[above] * room.boost[k] * value)
    return rows


@jit
def sample(graph, tables, preference, room, schedule, alternating, sampling, clock):
    """Sampled iterations, one a row of the schedule.

    Chance is always sampled; ``sampling`` says whether the other players and the player itself
    are: neither is chance sampling, the others external, both outcome sampling. Sampled
    branches are weighed so that regrets are right on average.

    A walk adds to the player's own average strategy where all actions of the others are
    followed. Where they are sampled, it adds to the next player's: that one chooses by its own
    strategy, and the walking player comes everywhere, so the weights are right whatever it plays.
    """
    players = graph.rows.size - 1
    for t in range(schedule.shape[0]):
        row = schedule[t]
        clock += 1
        rows = 0
        for player in range(players):
            partner = (player + 1) % players if sampling.others else player
            way = Walk(player, partner, row, sampling)
            top = Branch(np.uint32(0), np.uint32(0), NONE, 1.0, 1.0, 1.0)
            count = _descend(graph, tables, room, way, 1, top)
            k = 1
            while k < count:  # visits grow while they are made
                count = _expand(graph, tables, room, way, count, k)
                k += 1
            rows = _collect(graph, tables, room, count, player, clock, rows)
            if alternating:
                settle(graph, tables, preference, room, rows, row)
                rows = 0
        if not alternating:
            settle(graph, tables, preference, room, rows, row)


@jit
def most_visits(turn, first, child, player, kind, most):
    """How many visits the longest walk of a player can make; ``most`` is room for each node."""
    sample_others, sample_own = kind
    for back in range(turn.size):
        v = turn.size - 1 - back
        sampled = turn[v] == CHANCE or (sample_own if turn[v] == player else sample_others)
        below = 0.0
        for e in range(first[v], first[v + 1]):
            if sampled:
                below = max(below, most[child[e]])
            else:
                below += most[child[e]]
        stops = turn[v] == player or (turn[v] >= 0 and not sample_others)
        most[v] = below + (1.0 if stops else 0.0)
    return most[0] + 1.0
