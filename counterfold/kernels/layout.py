"""Compiling a history graph further: own sequences, chance weights, sizes of walks."""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import jit

NONE = np.uint32(0xFFFFFFFF)


class Memory(NamedTuple):
    """What players remember; NONE and zero where nobody has come yet."""

    sequence: np.ndarray  # [nodes, players] each one's own last sequence
    parent: np.ndarray  # [infosets] the sequence that leads there
    weight: np.ndarray  # [nodes] of chance


@jit
def own_sequences(turn, first, child, prob, infoset, slots, memory):
    """Follow each player's own last sequence down the graph, and note it in ``memory``.

    ``slots[i]`` is the first sequence of infoset i, or NONE where it has a single action and
    needs no sequence of its own. Returns False if a node or an infoset is reached with two
    different memories: then recall is imperfect.
    """
    seq, parent, weight = memory
    players = seq.shape[1]
    weight[0] = 1.0
    for p in range(players):
        seq[0, p] = p
    for v in range(turn.size):
        who = turn[v]
        base = NONE
        if who >= 0:
            i = infoset[v]
            base = slots[i]
            mine = seq[v, who]
            if parent[i] == NONE:
                parent[i] = mine
            elif parent[i] != mine and base != NONE:  # a forced move forgets nothing
                return False
        for e in range(first[v], first[v + 1]):
            w = child[e]
            weight[w] += weight[v] * prob[e]
            for p in range(players):
                s = seq[v, p]
                if p == who and base != NONE:
                    s = base + np.uint32(e - first[v])
                if seq[w, p] == NONE:
                    seq[w, p] = s
                elif seq[w, p] != s:
                    return False
    return True
