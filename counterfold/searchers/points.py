"""Where a search may begin: a moment of play, named by a user, as nodes of the tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Bools, Ints
from counterfold.errors import ParameterError
from counterfold.files.text import whole_of
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.searchers.paths import paths
from counterfold.strategy.layout import fits
from counterfold.tree.history import HistoryTree

Point = str | Callable[[HistoryTree, int], bool] | NDArray[np.integer]
"""A name (see ``roots_at``), a question asked of each node, or the nodes themselves."""


def roots_at(tree: HistoryTree, point: Point) -> Ints:
    """The nodes with which play passes a point, in the order of the tree.

    ============  =============================================================================
    ``board``     the first deal after players have begun to decide; the same as ``deal:1``
    ``deal:N``    right after the N-th such deal (deals in a row are one)
    ``round:N``   the same moment before that deal: the N-th round of decisions is over
    ``move:N``    right after the players' N-th move, and the deal that follows it if one does
    ``seen:TEXT`` where the player to move sees what fits a pattern, for the first time
    ============  =============================================================================

    >>> import counterfold as cf
    >>> len(roots_at(cf.compile_game(cf.Leduc()), "board"))
    600
    >>> roots_at(cf.compile_game(cf.Leduc()), "flop")
    Traceback (most recent call last):
    counterfold.errors.ParameterError: there is no point 'flop'; name board, deal:N, round:N, \
move:N or seen:TEXT
    """
    marked = np.zeros(tree.histories, dtype=bool)
    if isinstance(point, np.ndarray):
        if not len(point) or point.min() < 0 or point.max() >= tree.histories:
            raise ParameterError(f"the nodes of a point must be from 0 to {tree.histories - 1}")
        marked[point] = True
    elif callable(point):
        marked[:] = [bool(point(tree, node)) for node in range(tree.histories)]
    else:
        marked = _named(tree, point)
    roots = np.flatnonzero(marked & ~_below(tree, marked) & (tree.turn != TERMINAL))
    if not len(roots):
        raise ParameterError(f"play never passes {_told(point)} in {tree.spec}")
    return roots


def _told(point: Point) -> str:
    return repr(point) if isinstance(point, str) else "that point"


def _named(tree: HistoryTree, name: str) -> Bools:
    kind, _, rest = ("deal", ":", "1") if name == "board" else name.partition(":")
    if kind == "seen" and rest:
        rows = [fits(label, rest) for label in tree.infosets.labels]
        return np.append(rows, False)[np.minimum(tree.infoset, len(rows))]
    if kind not in ("deal", "round", "move") or not whole_of(rest):
        raise ParameterError(
            f"there is no point {name!r}; name board, deal:N, round:N, move:N or seen:TEXT"
        )
    moves, deals = _counted(tree)
    if kind == "round":
        begun: Bools = (tree.turn == CHANCE) & (moves > 0) & (deals == int(rest) - 1)
        return begun
    # A deal is over when the next node is somebody's.
    found: Bools = ((moves if kind == "move" else deals) == int(rest)) & (tree.turn != CHANCE)
    return found


def _counted(tree: HistoryTree) -> tuple[Ints, Ints]:
    """How many moves were made before each node, and how many deals after the first move."""
    way = paths(tree)
    chance = np.append(tree.turn == CHANCE, False)  # the root's parent, -1, is none
    decided = np.append(tree.turn >= 0, False)
    moves, deals = np.zeros((2, tree.histories), dtype=np.int64)
    for level in way.levels[1:]:
        above = way.parent[level]
        moves[level] = moves[above] + decided[above]
        begins = chance[above] & ~chance[way.parent[above]] & (moves[above] > 0)
        deals[level] = deals[above] + begins
    return moves, deals


def _below(tree: HistoryTree, marked: Bools) -> Bools:
    """Nodes with a marked one above them."""
    way = paths(tree)
    below = np.zeros(tree.histories, dtype=bool)
    for level in way.levels[1:]:
        above = way.parent[level]
        below[level] = below[above] | marked[above]
    return below
