"""Behind a depth limit of poker: how likely each hand's own actions lead to each node."""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import jit


class Below(NamedTuple):
    """The nodes of betting behind one state of the edge, each after its parent; it is the first."""

    parent: np.ndarray  # uint32 [nodes] by the order here
    owner: np.ndarray  # uint8 [nodes] who made the move that leads there; 255: nobody
    street: np.ndarray  # uint32 [nodes] on which that was
    row: np.ndarray  # uint32 [nodes] where the numbers of that decision and action begin
    width: np.ndarray  # uint32 [nodes] from a bucket to the next


@jit
def lead(below, player, tables, bucket, out):
    """``out[node, k, hand]``: the product of the player's probabilities by each continuation.

    ``tables[k]`` are the continuations' probabilities, ``bucket[street, hand]`` where a hand is.
    """
    nodes, count, hands = out.shape
    for k in range(count):
        for hand in range(hands):
            out[0, k, hand] = 1
    for node in range(1, nodes):
        above = below.parent[node]
        mine = below.owner[node] == player
        street, row, width = below.street[node], below.row[node], below.width[node]
        for k in range(count):
            for hand in range(hands):
                share = out[above, k, hand]
                if mine:
                    share *= tables[k, np.uint64(row) + np.uint64(bucket[street, hand]) * width]
                out[node, k, hand] = share
