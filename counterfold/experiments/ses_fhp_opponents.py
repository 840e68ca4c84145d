"""Blueprints of Flop Hold'em, the opponents made from them, and judgements that are wrong.

At full size a strategy takes over a gigabyte. An opponent here gives its rows board by board, the
same ones each time, and is written out as a whole only to be measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.blueprint import Blueprint
from counterfold.errors import ParameterError
from counterfold.poker.game import DECISION
from counterfold.search.public_entry import Floats, to_one
from counterfold.solve.public import PublicSolver
from counterfold.strategy.public import PublicStrategy
from counterfold.tree.public import PublicTree

__all__ = [
    "Bucketed",
    "Opponent",
    "Shuffled",
    "Trunk",
    "Whole",
    "blurred",
    "shaken",
    "shares_of",
    "started_at_random",
    "written",
]

Rows = NDArray[np.float32]


class Opponent(Protocol):
    """A strategy of both players that can be asked for board by board."""

    def rows(self, player: int, board: int) -> Rows:
        """[rows, hands] weights of the player's actions on a board."""
        ...


class Whole:
    """A strategy that is all there."""

    def __init__(self, strategy: PublicStrategy) -> None:
        self.strategy = strategy

    def rows(self, player: int, board: int) -> Rows:
        tree = self.strategy.tree
        at, count = int(tree.base[board, player]), len(tree.hands[player][board].holes)
        width = int(tree.nodes.width[tree.boards[board].street, player])
        found: Rows = np.asarray(self.strategy.tables[player][at : at + width, :count], np.float32)
        return found


class Shuffled:
    """Another opponent, shaken: at a share of infosets, actions times numbers from 0 to 1."""

    def __init__(self, tree: PublicTree, calm: Opponent, share: float, seed: Sequence[int]) -> None:
        _check(share)
        self.tree, self.calm, self.share, self.seed = tree, calm, share, list(seed)

    def rows(self, player: int, board: int) -> Rows:
        rows = self.calm.rows(player, board)
        random = np.random.default_rng([*self.seed, player, board])
        factor = random.random(rows.shape, np.float32)
        nodes, found = self.tree.nodes, np.empty_like(rows)
        for first, count in _decisions(nodes, self.tree.boards[board].street, player):
            part = slice(first, first + count)
            shaken = random.random(rows.shape[1]) < self.share
            even = rows[part].sum(0) <= 0
            weights = np.where(even, np.float32(1), rows[part])
            found[part] = np.where(shaken, weights * factor[part], weights)
        return found


def shaken(calm: Blueprint, share: float, seed: Sequence[int]) -> Blueprint:
    """The same for a blueprint over buckets: a bucket at a decision is an infoset."""
    _check(share)
    random = np.random.default_rng(list(seed))
    made = replace(calm, probabilities=calm.probabilities.copy(), about={"shuffled": share})
    for node in made.layout.nodes.tolist():
        rows = made.at(node)
        chosen = random.random(len(rows)) < share
        rows[chosen] *= random.random((int(chosen.sum()), rows.shape[1]), np.float32)
        rows /= rows.sum(1, keepdims=True)
    return made


def _check(share: float) -> None:
    if not 0 <= share <= 1:
        raise ParameterError(f"the share of infosets is {share!r}, and must be from 0 to 1")


class Bucketed:
    """A blueprint over buckets, as every hand plays it."""

    def __init__(self, tree: PublicTree, blueprint: Blueprint) -> None:
        self.tree, self.blueprint = tree, blueprint

    def rows(self, player: int, board: int) -> Rows:
        tree, nodes = self.tree, self.tree.nodes
        street, holes = tree.boards[board].street, tree.hands[player][board].holes
        bucket = self.blueprint.buckets[street].on(tree.boards[board].cards)[holes]
        found = np.empty((int(nodes.width[street, player]), len(holes)), np.float32)
        for n in range(nodes.begin[street], nodes.begin[street + 1]):
            if nodes.kind[n] == DECISION and nodes.owner[n] == player:
                first, count = int(nodes.slot[n]), int(nodes.count[n])
                found[first : first + count] = self.blueprint.at(int(nodes.old[n]))[bucket].T
        return found


def _decisions(nodes: Any, street: int, player: int) -> list[tuple[int, int]]:
    return [
        (int(nodes.slot[n]), int(nodes.count[n]))
        for n in range(nodes.begin[street], nodes.begin[street + 1])
        if nodes.kind[n] == DECISION and nodes.owner[n] == player
    ]


def written(tree: PublicTree, opponent: Opponent, **about: Any) -> PublicStrategy:
    """An opponent as a strategy, all boards of it."""
    if isinstance(opponent, Whole):
        return opponent.strategy
    strategy = PublicStrategy.uniform(tree)
    for player in (0, 1):
        for board in range(len(tree.boards)):
            rows, at = opponent.rows(player, board), int(tree.base[board, player])
            strategy.tables[player][at : at + len(rows), : rows.shape[1]] = rows
    return PublicStrategy(tree, strategy.tables, about)


def started_at_random(
    tree: PublicTree, iterations: int, seed: int, threads: int | None = None
) -> PublicStrategy:
    """A coarse solution of the game itself: few iterations from random regrets."""
    solver = PublicSolver(tree, threads=threads)
    random = np.random.default_rng([seed, 7])
    scale = 1.0 / np.asarray(tree.game.ranges[0]).sum()
    for table in solver.tables:
        table.regret[:] = random.random(table.regret.shape, np.float32) * np.float32(scale)
    solver.step(iterations)
    return solver.strategy(seed=seed)


def blurred(range: Floats, error: float, seed: Any) -> Floats:
    """Ranges at an L1 distance from the true ones, row by row.

    Each hand's weight is multiplied by a random number, exp(s x) with x from a normal
    distribution, and s is such that the distance comes out.

    >>> true = np.full((1, 50), 0.02)
    >>> round(float(np.abs(blurred(true, 0.6, 1) - true).sum()), 4)
    0.6
    """
    if not 0 <= error < 2:
        raise ParameterError(f"an L1 distance of ranges is from 0 to 2, not {error!r}")
    if not error:
        return range
    noise = np.random.default_rng(seed).standard_normal(range.shape)
    noise -= noise.max(1, keepdims=True)
    low, high = np.zeros((len(range), 1)), np.full((len(range), 1), 64.0)
    found = range
    for _ in np.arange(30):
        middle = (low + high) / 2
        found = to_one(range * np.exp(middle * noise))
        near = np.abs(found - range).sum(1, keepdims=True) < error
        low, high = np.where(near, middle, low), np.where(near, high, middle)
    return found


def shares_of(rows: NDArray[Any]) -> Floats:
    """Weights of actions as probabilities, evenly where there are none."""
    rows = rows.astype(np.float64)
    total = rows.sum(0)
    return np.where(total > 0, rows / np.where(total > 0, total, 1.0), 1.0 / len(rows))


class Trunk:
    """An opponent's strategy before the flop, as far as ``Arrivals`` asks."""

    def __init__(self, tree: PublicTree, who: Opponent) -> None:
        self.tree, self.who = tree, who

    def rows(self, node: int, board: int = 0) -> Floats:
        """[actions, hands] what the owner's hands do at a betting node."""
        nodes = self.tree.nodes
        n = int(nodes.new[node])
        rows = self.who.rows(int(nodes.owner[n]), board)
        return shares_of(rows[int(nodes.slot[n]) : int(nodes.slot[n] + nodes.count[n])])
