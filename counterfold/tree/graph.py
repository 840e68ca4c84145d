"""The history graph as kernels take it: flat arrays, with evenly dealt chance nodes marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.games.base import CHANCE
from counterfold.tree.history import HistoryTree, kept_with

if TYPE_CHECKING:
    from counterfold.kernels.history import Graph


def graph_of(tree: HistoryTree) -> Graph:
    """The arrays of a tree for the kernels of the history graph, made once."""
    return kept_with(tree, "graph", _laid_out)


def _laid_out(tree: HistoryTree) -> Graph:
    from counterfold.kernels.history import Graph

    players = np.arange(tree.players + 1)
    rows = np.searchsorted(tree.infosets.owner, players).astype(np.uint32)
    return Graph(
        tree.turn, tree.first, tree.child, tree.prob, tree.infoset,
        _mark_even(tree), tree.payoff, tree.infosets.start, rows,
    )  # fmt: skip


def _mark_even(tree: HistoryTree) -> NDArray[np.uint32]:
    """``leaf`` with a mark at chance nodes whose outcomes are equally likely."""
    from counterfold.kernels.history import EVEN

    leaf = tree.leaf.copy()
    nodes = np.flatnonzero(tree.turn == CHANCE)
    if len(nodes):
        first, last = tree.first[nodes].astype(np.int64), tree.first[nodes + 1].astype(np.int64)
        # Every node has edges but the terminal ones, so these ranges cover no stranger's edges.
        bounds = np.stack([first, last], axis=1).reshape(-1)
        padded = np.append(tree.prob, 0.0)
        high = np.maximum.reduceat(padded, bounds)[::2]
        low = np.minimum.reduceat(padded, bounds)[::2]
        leaf[nodes[high - low <= 1e-15]] = EVEN
    return leaf
