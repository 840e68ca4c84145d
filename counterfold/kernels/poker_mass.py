"""How often play over buckets comes to each node of the betting on a board, and what it wins.

Some holes that share no card are dealt to the players in many ways, the tuples; what each hole does
is worked out once for a node, whoever holds it.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit

DECISION, FOLD, DEAL, SHOWDOWN = 0, 1, 2, 3  # as in poker.game


class Tree(NamedTuple):
    """The betting."""

    kind: np.ndarray  # uint8 [nodes]
    player: np.ndarray  # int8 [nodes]
    street: np.ndarray  # uint8 [nodes]
    first: np.ndarray  # uint32 [nodes]
    count: np.ndarray  # uint32 [nodes]
    start: np.ndarray  # uint64 [nodes] where the numbers of a decision begin
    lost: np.ndarray  # float64 [nodes, players] what a player has at an end who wins no pot
    pot: np.ndarray  # uint32 [nodes + 1]
    chips: np.ndarray  # float64 [pots]
    rivals: np.ndarray  # uint16 [pots] a bit for each player


class Deal(NamedTuple):
    """Holes on a board."""

    bucket: np.ndarray  # uint32 [streets, holes]
    weight: np.ndarray  # float64 [players, holes] of the ranges
    strength: np.ndarray  # uint32 [holes]
    tuples: np.ndarray  # uint32 [tuples, players] who holds which


class Room(NamedTuple):
    """Room for a walk."""

    node: np.ndarray  # uint32 [nodes waiting]
    depth: np.ndarray  # uint32 [nodes waiting]
    move: np.ndarray  # uint32 [nodes waiting] which action leads there
    above: np.ndarray  # uint32 [depths] the node at a depth
    reach: np.ndarray  # float64 [depths, players, holes]


@inlined
def _come(tree, table, deal, room, node, depth, move):
    """Reaches at a node from those of the node above; whether anybody comes there."""
    here, up = room.reach[depth], room.reach[depth - 1]
    for p in range(here.shape[0]):
        for h in range(here.shape[1]):
            here[p, h] = up[p, h]
    above = room.above[depth - 1]
    if tree.kind[above] != DECISION:
        return True
    p, width, total = tree.player[above], np.uint64(tree.count[above]), 0.0
    bucket = deal.bucket[tree.street[above]]
    for h in range(here.shape[1]):
        here[p, h] *= table[tree.start[above] + np.uint64(bucket[h]) * width + np.uint64(move)]
        total += here[p, h]
    return total > 0.0


@inlined
def _showdown(tree, deal, node, k, chance, value, won):
    """Share out the pots of a showdown for one tuple."""
    players = deal.tuples.shape[1]
    paid = np.uint32(0)
    for pot in range(tree.pot[node], tree.pot[node + 1]):
        best, winners = np.uint32(0), 0
        for p in range(players):
            if tree.rivals[pot] >> p & 1:
                strength = deal.strength[deal.tuples[k, p]]
                if winners == 0 or strength > best:
                    best, winners = strength, 1
                elif strength == best:
                    winners += 1
        for p in range(players):
            if tree.rivals[pot] >> p & 1 and deal.strength[deal.tuples[k, p]] == best:
                value[p] += chance * tree.chips[pot] / winners
                if not paid >> np.uint32(p) & np.uint32(1):
                    won[p] += chance
                    paid |= np.uint32(1) << np.uint32(p)


@inlined
def _count(tree, deal, room, node, depth, mass, value, won):
    """Add up all tuples at a node."""
    kind, players, reach = tree.kind[node], deal.tuples.shape[1], room.reach[depth]
    total = 0.0
    for k in range(deal.tuples.shape[0]):
        chance = 1.0
        for p in range(players):
            chance *= reach[p, deal.tuples[k, p]]
        total += chance
        if kind == SHOWDOWN and chance > 0.0:
            _showdown(tree, deal, node, k, chance, value, won)
    mass[node] += total
    if kind in (FOLD, SHOWDOWN):
        for p in range(players):
            value[p] += total * tree.lost[node, p]


@jit
def masses(tree, table, deal, room, streets, mass, value, won):
    """Walk the betting of the first streets; sums over tuples are added to the last three."""
    waiting = 1
    room.node[0], room.depth[0] = 0, 1
    for p in range(deal.weight.shape[0]):
        for h in range(deal.weight.shape[1]):
            room.reach[0, p, h] = deal.weight[p, h]
    while waiting > 0:
        waiting -= 1
        node, depth = room.node[waiting], room.depth[waiting]
        if node == 0:
            for p in range(deal.weight.shape[0]):
                for h in range(deal.weight.shape[1]):
                    room.reach[depth, p, h] = room.reach[0, p, h]
        elif not _come(tree, table, deal, room, node, depth, room.move[waiting]):
            continue
        room.above[depth] = node
        _count(tree, deal, room, node, depth, mass, value, won)
        if tree.kind[node] == DEAL and tree.street[node] + 1 >= streets:
            continue
        for k in range(tree.count[node]):
            room.node[waiting] = tree.first[node] + np.uint32(k)
            room.depth[waiting] = depth + np.uint32(1)
            room.move[waiting] = k
            waiting += 1


class Tables(NamedTuple):
    """Strategies over buckets, one for each player."""

    start: np.ndarray  # uint64 [players, nodes] where the numbers of a decision begin
    shares: np.ndarray  # float32, of all of them


@inlined
def _mixed(tree, tables, node, held, value):
    """The value of a decision: its children's, as often as the bucket that is held takes each."""
    own, width = tree.player[node], np.uint64(tree.count[node])
    at = tables.start[own, node] + np.uint64(held) * width
    for k in range(width):
        share = np.float64(tables.shares[at + np.uint64(k)])
        child = tree.first[node] + np.uint32(k)
        for p in range(value.shape[1]):
            value[node, p] += share * value[child, p]


@inlined
def _shared(tree, node, strength, value):
    """Give each pot of a showdown to the strongest of those who play for it."""
    for pot in range(tree.pot[node], tree.pot[node + 1]):
        best, winners = np.uint32(0), 0
        for p in range(strength.size):
            if tree.rivals[pot] >> p & 1:
                if winners == 0 or strength[p] > best:
                    best, winners = strength[p], 1
                elif strength[p] == best:
                    winners += 1
        for p in range(strength.size):
            if tree.rivals[pot] >> p & 1 and strength[p] == best:
                value[node, p] += tree.chips[pot] / winners


@jit
def worths(tree, tables, nodes, bucket, strength, weight, value, out):
    """What players win from some nodes on, by deals of given weights that are added to ``out``.

    ``nodes`` are whole subtrees, parents first; ``bucket`` is [deals, streets, players],
    ``strength`` [deals, players], ``value`` room for [nodes, players] of one deal.
    """
    players = strength.shape[1]
    for d in range(strength.shape[0]):
        for i in range(nodes.size - 1, -1, -1):
            node = nodes[i]
            kind = tree.kind[node]
            for p in range(players):
                value[node, p] = tree.lost[node, p] if kind in (FOLD, SHOWDOWN) else 0.0
            if kind == DECISION:
                held = bucket[d, tree.street[node], tree.player[node]]
                _mixed(tree, tables, node, held, value)
            elif kind == DEAL:
                for p in range(players):
                    value[node, p] = value[tree.first[node], p]
            elif kind == SHOWDOWN:
                _shared(tree, node, strength[d], value)
            for p in range(players):
                out[node, p] += weight[d] * value[node, p]


APART = np.uint64(0x9E3779B97F4A7C15 * 256 & 0xFFFFFFFFFFFFFFFF)
"""So far lie the random numbers of two deals, of which each takes fewer than 256."""


@inlined
def _ended(tree, tables, node, held, random):
    """The end that is come to from a node, if everybody draws what to do."""
    while tree.kind[node] == DECISION or tree.kind[node] == DEAL:
        move = np.uint32(0)
        if tree.kind[node] == DECISION:
            own, width = tree.player[node], tree.count[node]
            at = tables.start[own, node] + np.uint64(held[tree.street[node], own]) * np.uint64(
                width
            )
            left = uniform(random)
            while move + np.uint32(1) < width and left >= tables.shares[at + np.uint64(move)]:
                left -= tables.shares[at + np.uint64(move)]
                move += np.uint32(1)
        node = tree.first[node] + move
    return node


@jit
def played_out(tree, tables, node, bucket, strength, random, value, won):
    """What the one who decides at a node wins, each deal played out once after each action.

    ``won`` is [deals, actions]. The actions of a deal have the same random numbers; the rest is as
    for ``worths``.
    """
    player = tree.player[node]
    for d in range(strength.shape[0]):
        begin = random[0]
        for k in range(tree.count[node]):
            random[0] = begin
            end = _ended(tree, tables, tree.first[node] + np.uint32(k), bucket[d], random)
            for p in range(strength.shape[1]):
                value[end, p] = tree.lost[end, p]
            if tree.kind[end] == SHOWDOWN:
                _shared(tree, end, strength[d], value)
            won[d, k] = value[end, player]
        random[0] = begin + APART
