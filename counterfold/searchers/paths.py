"""How play gets to each node of a tree: its parent, the move that was made, and who made it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.errors import UnsupportedError
from counterfold.notebook import brief
from counterfold.tree.history import HistoryTree, kept_with


@dataclass(frozen=True, eq=False)
class Paths:
    """The way down a tree, node by node. The root has no parent: -1.

    ``slot[v]`` is the place in flat strategy arrays of the player's move that leads to ``v``,
    or -1 where chance led there. ``levels`` are the nodes by their depth, the root first.
    """

    tree: HistoryTree
    parent: Ints
    edge: Ints
    slot: Ints
    levels: tuple[Ints, ...]

    def __repr__(self) -> str:
        return brief(self, f"of {self.tree.spec}: {len(self.parent):,} nodes")

    @property
    def mover(self) -> Ints:
        """Whose move leads to each node (CHANCE for nature's; for the root as well)."""
        return np.where(self.parent < 0, -1, self.tree.turn[self.parent]).astype(np.int64)

    def reach(self, probabilities: Floats, player: int) -> Floats:
        """How likely the player's own choices lead to each node; -1 stands for chance.

        >>> import counterfold as cf
        >>> tree = cf.compile_game(cf.Kuhn())
        >>> float(paths(tree).reach(tree.infosets.evenly(), 0).min())
        0.25
        """
        made = self.mover == player
        step = np.ones(len(made))
        if player < 0:
            made[0] = False
            step[made] = self.tree.prob[self.edge[made]]
        else:
            step[made] = probabilities[self.slot[made]]
        reach = np.ones(len(made))
        for level in self.levels[1:]:
            reach[level] = reach[self.parent[level]] * step[level]
        return reach

    def under(self, roots: Ints) -> Ints:
        """The number of the root above each node (a root is above itself), or -1."""
        under = np.full(len(self.parent), -1, dtype=np.int64)
        under[roots] = np.arange(len(roots))
        for level in self.levels[1:]:
            above = under[self.parent[level]]
            under[level] = np.where(above >= 0, above, under[level])
        return under


def paths(tree: HistoryTree) -> Paths:
    """The paths of a tree, found once."""
    return kept_with(tree, "paths", _found)


def _found(tree: HistoryTree) -> Paths:
    nodes = tree.histories
    first, child = tree.first.astype(np.int64), tree.child.astype(np.int64)
    if len(np.unique(child)) != len(child):
        raise UnsupportedError(
            f"histories of {tree.spec} meet again (its rules merge states), and a search needs "
            "each history by itself; leave merge out of the rules"
        )
    source = tree.source
    parent, edge, slot = np.full((3, nodes), -1, dtype=np.int64)
    parent[child] = source
    edge[child] = np.arange(len(child))
    decided = tree.turn[source] >= 0
    rows = tree.infoset[source[decided]]
    place = np.arange(len(child))[decided] - first[source[decided]]
    slot[child[decided]] = tree.infosets.start[rows].astype(np.int64) + place
    levels = [np.zeros(1, dtype=np.int64)]
    while len(levels[-1]):
        above = levels[-1]
        widths = first[above + 1] - first[above]
        shift = np.repeat(first[above] - np.cumsum(widths) + widths, widths)
        levels.append(child[shift + np.arange(widths.sum())])
    return Paths(tree, parent, edge, slot, tuple(levels[:-1]))
