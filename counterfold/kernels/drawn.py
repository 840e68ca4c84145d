"""Betting over deals that were drawn: what each player's moves would have earned in them.

Nodes lie in the order in which a walk meets them, every subtree in one piece, so that what the
others never play is skipped. A strategy is by sequence, as ``kernels.sequence`` lays it out; hands
of one class are neighbours there.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.hands import bit, strength
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit

DECISION, FOLD, PAIR, CROWD = 0, 1, 2, 3  # kinds of nodes: who is left at an end
NOTHING = 0xFFFFFFFF
NEVER = 1e-12  # how often what is never played comes at most, in averages of what is played


class Lines(NamedTuple):
    """The betting. Index arrays are all uint32."""

    kind: np.ndarray  # [nodes]
    owner: np.ndarray  # [nodes] who has moved to get here
    parent: np.ndarray  # [nodes]
    skip: np.ndarray  # [nodes] the node after its subtree
    move: np.ndarray  # [nodes] the sequence of that move by hands of class 0
    last: np.ndarray  # [nodes, players] each player's last move, or NOTHING
    row: np.ndarray  # [nodes] an end's first row of ``worth``
    which: np.ndarray  # [nodes] of which pair, or of which pattern of pots, an end is
    worth: np.ndarray  # [rows, players] payoffs: of a fold; of a pair that wins, ties, loses; ...


class Deals(NamedTuple):
    """What was drawn."""

    hand: np.ndarray  # [deals, players] classes of hands
    win: np.ndarray  # [deals, pairs] how often the first of a pair beats the second
    tie: np.ndarray  # [deals, pairs]
    outcome: np.ndarray  # [patterns, deals, boards] who wins which pot, as rows of ``worth``


@jit
def draw(deck, random, known, holes, ranks):
    """Deal two cards to each player and boards: [deals, players, 2], [deals, boards, players].

    The ranks of hands on a board are their strengths, higher for the better. The deck is mixed.
    """
    players = holes.shape[1]
    for d in range(holes.shape[0]):
        for k in range(2 * players):
            at = k + int(uniform(random) * (52 - k))
            deck[k], deck[at] = deck[at], deck[k]
            holes[d, k // 2, k % 2] = deck[k]
        for b in range(ranks.shape[1]):
            board = np.uint64(0)
            for j in range(5):
                k = 2 * players + j
                at = k + int(uniform(random) * (52 - k))
                deck[k], deck[at] = deck[at], deck[k]
                board |= bit(deck[k])
            for p in range(players):
                held = bit(holes[d, p, 0]) | bit(holes[d, p, 1])
                ranks[d, b, p] = strength(board | held, known)


@inlined
def _worth(lines, deals, d, n, player):
    """What an end is worth to a player in a deal."""
    row, worth = lines.row[n], lines.worth
    if lines.kind[n] == FOLD:
        return worth[row, player]
    if lines.kind[n] == PAIR:
        k = lines.which[n]
        win, tie = deals.win[d, k], deals.tie[d, k]
        lose = 1.0 - win - tie
        return (
            win * worth[row, player] + tie * worth[row + 1, player] + lose * worth[row + 2, player]
        )
    outcome, total = deals.outcome[lines.which[n], d], 0.0
    for b in range(outcome.size):
        total += worth[row + np.uint32(outcome[b]), player]
    return total / outcome.size


@jit
def gradient(lines, deals, player, strategy, reach, g, begin, stop):
    """Add what the player's sequences earn in some deals against the others' strategies to ``g``.

    ``reach`` is room for a number a node.
    """
    nodes, hand, scale = lines.kind.size, deals.hand, 1.0 / deals.hand.shape[0]
    for d in range(begin, stop):
        reach[0] = scale
        n = np.uint32(1)
        while n < nodes:
            owner, here = lines.owner[n], reach[lines.parent[n]]
            if owner != player:
                here *= strategy[lines.move[n] + hand[d, owner]]
                if here < NEVER * scale:
                    n = lines.skip[n]
                    continue
            reach[n] = here
            if lines.kind[n] != DECISION:
                last = lines.last[n, player]
                at = np.uint32(player) if last == NOTHING else last + hand[d, player]
                g[at] += here * _worth(lines, deals, d, n, player)
            n += np.uint32(1)


@jit
def earnings(lines, deals, strategy, reach, earned):
    """[deals, players] what everybody earns in each deal."""
    nodes, hand, players = lines.kind.size, deals.hand, deals.hand.shape[1]
    for d in range(hand.shape[0]):
        for p in range(players):
            earned[d, p] = 0.0
        reach[0] = 1.0
        n = np.uint32(1)
        while n < nodes:
            here = reach[lines.parent[n]] * strategy[lines.move[n] + hand[d, lines.owner[n]]]
            if here < NEVER:
                n = lines.skip[n]
                continue
            reach[n] = here
            if lines.kind[n] != DECISION:
                for p in range(players):
                    earned[d, p] += here * _worth(lines, deals, d, n, p)
            n += np.uint32(1)
