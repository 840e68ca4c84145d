"""Hands played in compiled code, with honest accounts of what was won.

Deals come from a stream of their own that depends on the seed and the number of the deal only,
so the same deal can be played again with other agents in other seats.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.history import CHANCE, EVEN, NONE, TERMINAL, uniform
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.online import DBBR, FIXED, learn, note_moves


class Course(NamedTuple):
    """How a match goes: the same for all of its hands."""

    agents: int
    deal_seed: np.uint64
    repeat: int  # hands on one deal: 1, or one a seat
    random: np.ndarray  # [1] the stream of the agents' choices
    deal: np.ndarray  # [1] the stream of the deal in play


class Tally(NamedTuple):
    """What was won by agent and seat, plainly and with luck taken out.

    Squares are of hands, or where deals are repeated of all hands on one deal, kept in seat 0.
    """

    total: np.ndarray  # [agents, players, 2]
    square: np.ndarray  # [agents, players, 2]
    unit: np.ndarray  # [agents, 2] the deal in play


class Insight(NamedTuple):
    """What tells luck from play; empty arrays if that is not wanted.

    By values of histories: what chance and known strategies happened to choose is taken out.
    By advantages, where one stranger meets known strategies: only what the stranger chose is
    kept, judged over all that the others may hold.
    """

    value: np.ndarray  # [rotations, nodes, players]
    known: np.ndarray  # [agents] whose choices are drawn from the strategies in play
    advantage: np.ndarray  # [rotations, slots, players] of a stranger's action
    base: np.ndarray  # [rotations, players] what the hand is worth before it begins
    luck: np.ndarray  # [players] of the hand in play


class Book(NamedTuple):
    """What is written down of hands."""

    tally: Tally
    insight: Insight
    leaves: np.ndarray  # where each ended, as far as there is room


class Learning(NamedTuple):
    """What agents learn with; see ``kernels/online.py``."""

    minds: NamedTuple
    ground: NamedTuple
    trace: NamedTuple


@inlined
def _start_deal(course, number):
    """Scatter the number of a deal over all seeds."""
    z = course.deal_seed + np.uint64(number) * np.uint64(0xD1342543DE82EF95)
    z = (z ^ (z >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    z = (z ^ (z >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    course.deal[0] = z ^ (z >> np.uint64(32))


@inlined
def _draw_outcome(graph, v, deal):
    first, last = graph.first[v], graph.first[v + 1]
    left = uniform(deal)
    if graph.leaf[v] == EVEN:
        return first + np.uint32(left * (last - first))
    for e in range(first, last - np.uint32(1)):
        left -= graph.prob[e]
        if left < 0:
            return np.uint32(e)
    return last - np.uint32(1)


@inlined
def _draw_action(strategy, g, lo, hi, random):
    left = uniform(random)
    for a in range(lo, hi - np.uint32(1)):
        left -= strategy[g, a]
        if left < 0:
            return np.uint32(a)
    a = hi - np.uint32(1)
    while a > lo and strategy[g, a] <= 0:  # rounding must not choose what is never played
        a -= np.uint32(1)
    return a


@inlined
def _note_chance(insight, turn, v, w):
    for p in range(insight.luck.size):
        insight.luck[p] += insight.value[turn, w, p] - insight.value[turn, v, p]


@inlined
def _note_choice(graph, strategy, insight, turn, v, g, a):
    """What the choice of action a at v was worth, beyond what was to be expected."""
    first, lo = graph.first[v], graph.start[graph.infoset[v]]
    if not insight.known[g]:
        if insight.advantage.size > 0:
            for p in range(insight.luck.size):
                insight.luck[p] += insight.advantage[turn, a, p]
        return
    if insight.value.size == 0:
        return
    for p in range(insight.luck.size):
        expected = 0.0
        for e in range(first, graph.first[v + 1]):
            expected += strategy[g, lo + (e - first)] * insight.value[turn, graph.child[e], p]
        insight.luck[p] += insight.value[turn, graph.child[first + (a - lo)], p] - expected


@inlined
def _reduced(insight, turn, p, won):
    if insight.advantage.size > 0:
        return insight.base[turn, p] + insight.luck[p]
    return won - insight.luck[p]


@inlined
def _close(course, tally, insight, payoff, leaf, turn):
    """Write a hand down, and the deal if it ends with it."""
    for p in range(course.agents):
        g = (p + turn) % course.agents
        won = payoff[leaf, p]
        fair = _reduced(insight, turn, p, won)
        insight.luck[p] = 0.0
        tally.total[g, p, 0] += won
        tally.total[g, p, 1] += fair
        if course.repeat == 1:
            tally.square[g, p, 0] += won * won
            tally.square[g, p, 1] += fair * fair
        else:
            tally.unit[g, 0] += won
            tally.unit[g, 1] += fair
    if course.repeat > 1 and turn == course.agents - 1:
        for g in range(course.agents):
            for k in range(2):
                tally.square[g, 0, k] += tally.unit[g, k] ** 2
                tally.unit[g, k] = 0.0


@inlined
def _note_decision(learning, course, v, i, lo, a, g):
    """The agent remembers what it chose, the others what they saw of it."""
    trace, move = learning.trace, learning.ground.move[v]
    k = trace.length[g]
    trace.infoset[g, k] = i
    trace.slot[g, k] = a
    trace.length[g] = k + 1
    if move != NONE:
        for other in range(course.agents):
            if other != g:
                trace.moves[other, trace.others[other]] = move + (a - lo)
                trace.others[other] += 1


@inlined
def _play_hand(graph, strategy, learning, course, insight, hand):
    """One hand, remembered by those who may learn from it; the node where it ends."""
    by_value = insight.value.size > 0
    by_choice = by_value or insight.advantage.size > 0
    turn = hand % course.agents
    _start_deal(course, hand // course.repeat)
    if learning is not None:
        for g in range(course.agents):
            learning.trace.length[g] = 0
            learning.trace.others[g] = 0
    v = np.uint32(0)
    who = graph.turn[v]
    while who != TERMINAL:
        if who == CHANCE:
            w = graph.child[_draw_outcome(graph, v, course.deal)]
            if by_value:
                _note_chance(insight, turn, v, w)
        else:
            g = (who + turn) % course.agents
            i = graph.infoset[v]
            lo = graph.start[i]
            a = _draw_action(strategy, g, lo, graph.start[i + 1], course.random)
            if by_choice:
                _note_choice(graph, strategy, insight, turn, v, g, a)
            w = graph.child[graph.first[v] + (a - lo)]
            if learning is not None:
                if graph.start[i + 1] - lo > 1:
                    _note_decision(learning, course, v, i, lo, a, g)
        v = w
        who = graph.turn[v]
    return v


@jit
def play(graph, strategy, learning, study, course, book, begin, hands):
    """Hands by strategies, a row an agent, which those who learn change after every hand.

    ``learning`` is None where nobody learns, and ``study`` where nobody does so by DBBR, whose
    kernel takes long to compile: then nothing of it is compiled.
    """
    for hand in range(begin, begin + hands):
        v = _play_hand(graph, strategy, learning, course, book.insight, hand)
        if hand - begin < book.leaves.size:
            book.leaves[hand - begin] = v
        leaf = graph.leaf[v]
        if learning is not None:
            minds, trace = learning.minds, learning.trace
            for p in range(course.agents):
                g = (p + hand) % course.agents
                if minds.kind[g] == DBBR:
                    if study is not None:
                        note_moves(minds, study, trace, g, p)
                elif minds.kind[g] != FIXED:
                    learn(minds, learning.ground, trace, g, p, leaf, graph.payoff[leaf, p])
        _close(course, book.tally, book.insight, graph.payoff, leaf, hand % course.agents)


@jit
def values(graph, strategy, turn, value):
    """What every history is worth to each player when agent (p + turn) mod n sits in seat p."""
    agents, players = strategy.shape[0], graph.payoff.shape[1]
    for back in range(graph.turn.size):
        v = graph.turn.size - 1 - back
        who = graph.turn[v]
        if who == TERMINAL:
            for p in range(players):
                value[turn, v, p] = graph.payoff[graph.leaf[v], p]
            continue
        first = graph.first[v]
        for p in range(players):
            value[turn, v, p] = 0.0
        for e in range(first, graph.first[v + 1]):
            share = graph.prob[e]
            if who >= 0:
                slot = graph.start[graph.infoset[v]] + (e - first)
                share = strategy[(who + turn) % agents, slot]
            for p in range(players):
                value[turn, v, p] += share * value[turn, graph.child[e], p]


@jit
def advantages(graph, strategy, turn, stranger, value, reach, mass, advantage):
    """What each action of the stranger is worth to all, over what the others may hold.

    ``value`` has been filled for this turn. ``reach`` (nodes) and ``mass`` (infosets) are room.
    """
    agents, players = strategy.shape[0], graph.payoff.shape[1]
    seat = (stranger - turn) % agents
    for v in range(graph.turn.size):
        reach[v] = 0.0
    for i in range(mass.size):
        mass[i] = 0.0
    reach[0] = 1.0
    for v in range(graph.turn.size):
        who = graph.turn[v]
        first = graph.first[v]
        if who == seat:
            mass[graph.infoset[v]] += reach[v]
        for e in range(first, graph.first[v + 1]):
            share = graph.prob[e]
            if who >= 0 and who != seat:
                slot = graph.start[graph.infoset[v]] + (e - first)
                share = strategy[(who + turn) % agents, slot]
            reach[graph.child[e]] += reach[v] * share
    for v in range(graph.turn.size):
        if graph.turn[v] != seat or reach[v] <= 0.0:
            continue
        i, first = graph.infoset[v], graph.first[v]
        for e in range(first, graph.first[v + 1]):
            for p in range(players):
                gain = value[turn, graph.child[e], p] - value[turn, v, p]
                advantage[turn, graph.start[i] + (e - first), p] += reach[v] / mass[i] * gain
