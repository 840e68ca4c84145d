"""Flop Hold'em as figures 3 and 4 play it: the game, the blueprint, the opponents and the flops."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables, by_hand
from counterfold.abstraction.buckets import Buckets
from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.files.text import Json
from counterfold.games.spec import whole
from counterfold.poker.holdem import FULL_DECK
from counterfold.research.fhp.exact import read_game
from counterfold.research.ses.sweep import mean_or_none
from counterfold.searchers.gadget import to_one
from counterfold.solvers.public_engine import PublicEngine
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from counterfold.tree.traversal import Traversal

BUCKETS, SAMPLED, COARSE = 200, 10_000_000, 20
"""The paper's buckets and iterations; and iterations where a cut-down deck is solved coarsely."""
FULL_BYTES = 3.0e9  # of a solver's tables at full size

Rows = NDArray[np.float32]


class FhpOpponent(NamedTuple):
    """A strategy of both players, and what it is over buckets where it was made there."""

    strategy: Strategy[PublicTree]
    in_buckets: Strategy[BucketForm] | None = None


def rows_of(strategy: Strategy[PublicTree], player: int, board: int) -> Rows:
    """[rows, hands] weights of the player's actions on a board."""
    tree = strategy.tree
    at, count = int(tree.base[board, player]), len(tree.hands[player][board].holes)
    width = int(tree.nodes.width[tree.boards[board].street, player])
    return np.asarray(strategy.tables[player][at : at + width, :count], np.float32)


def shuffled_hands(
    unshuffled: Strategy[PublicTree], share: float, seed: Sequence[int]
) -> Strategy[PublicTree]:
    """Another opponent, shaken: at a share of infosets, actions times numbers from 0 to 1."""
    _check(share)
    tree, nodes = unshuffled.tree, unshuffled.tree.nodes
    shaken = Strategy.uniform(tree)
    for player, board in product((0, 1), range(len(tree.boards))):
        rows = rows_of(unshuffled, player, board)
        random = np.random.default_rng([*seed, player, board])
        factor = random.random(rows.shape, np.float32)
        for node in shaken.hands.decisions(board):
            n = int(nodes.new[node])
            if nodes.owner[n] == player:
                part = slice(int(nodes.slot[n]), int(nodes.slot[n] + nodes.count[n]))
                chosen = random.random(rows.shape[1]) < share
                weights = np.where(rows[part].sum(0) <= 0, np.float32(1), rows[part])
                weights = np.where(chosen, weights * factor[part], weights)
                shaken.tables[player][tree.row(board, node), : rows.shape[1]] = weights
    return Strategy.of(tree, shaken.tables, {"shuffled": share})


def shuffled_blueprint(
    unshuffled: Strategy[BucketForm], share: float, seed: Sequence[int]
) -> Strategy[BucketForm]:
    """The same for a blueprint over buckets: a bucket at a decision is an infoset."""
    _check(share)
    random = np.random.default_rng(list(seed))
    form, table = unshuffled.tree, unshuffled.tables[0].copy()
    for node in form.nodes.tolist():
        rows = BucketTables(form, table).rows(node)
        chosen = random.random(len(rows)) < share
        rows[chosen] *= random.random((int(chosen.sum()), rows.shape[1]), np.float32)
        rows /= rows.sum(1, keepdims=True)
    return Strategy.of(form, table, {"shuffled": share})


def _check(share: float) -> None:
    if not 0 <= share <= 1:
        raise ParameterError(f"the share of infosets is {share!r}, and must be from 0 to 1")


def coarse_blueprint(
    tree: PublicTree, iterations: int, seed: int, threads: int | None = None
) -> Strategy[PublicTree]:
    """A coarse solution of the game itself: few iterations from random regrets."""
    solver = Solver(tree, threads=threads)
    random = np.random.default_rng([seed, 7])
    scale = 1.0 / np.asarray(tree.game.ranges[0]).sum()
    assert isinstance(solver.engine, PublicEngine)
    for table in solver.engine.learning:
        table.regret[:] = random.random(table.regret.shape, np.float32) * np.float32(scale)
    solver.step(iterations)
    return solver.strategy(seed=seed)


def misjudged_ranges(range: Floats, error: float, seed: int | Sequence[int]) -> Floats:
    """Ranges at an L1 distance from the true ones, row by row.

    Each hand's weight is multiplied by a random number, exp(s x) with x from a normal
    distribution, and s is such that the distance comes out.

    >>> true = np.full((1, 50), 0.02)
    >>> round(float(np.abs(misjudged_ranges(true, 0.6, 1) - true).sum()), 4)
    0.6
    """
    if not 0 <= error < 2:
        raise ParameterError(f"an L1 distance of ranges is from 0 to 2, not {error!r}")
    if not error:
        return range
    noise = np.random.default_rng(seed).standard_normal(range.shape)
    noise -= noise.max(1, keepdims=True)
    low, high = np.zeros((len(range), 1)), np.full((len(range), 1), 64.0)
    judged = range
    for _ in np.arange(30):
        middle = (low + high) / 2
        judged = to_one(range * np.exp(middle * noise))
        near = np.abs(judged - range).sum(1, keepdims=True) < error
        low, high = np.where(near, middle, low), np.where(near, high, middle)
    return judged


class Setup:
    """The game, the hero's blueprint, and the flops on which it searches."""

    def __init__(self, game: str, iterations: int | None, seed: int, threads: int) -> None:
        self.game, flops = read_game(game)
        self.name, self.seed, self.threads = game, seed, threads
        self.tree = PublicTree(self.game)
        self.full = self.game.rules.deck == FULL_DECK
        usual = SAMPLED if self.full else COARSE
        self.iterations = usual if iterations is None else iterations
        whole("iterations", self.iterations, least=1)
        self.kind = f"{BUCKETS} buckets" if self.full else "coarse"
        self.buckets: Sequence[Buckets] | None = None
        self.blueprint, self._in_buckets = self._blueprint(seed)
        self.walk = Traversal(self.tree, "float32", threads)
        self.boards, self.weights = draw_flops(self.tree, flops, seed)

    @property
    def exact(self) -> bool:
        """Are all flops searched?"""
        return len(self.boards) == len(self.tree.boards) - 1

    def described(self) -> Json:
        """The game and the blueprint, by the names of a sweep."""
        return {
            "game": self.name,
            "blueprint_kind": self.kind,
            "iterations": self.iterations,
            "flops": len(self.boards),
            "all_flops": len(self.tree.boards) - 1,
            "random_distance": self.distance(Strategy.uniform(self.tree)),
        }

    @property
    def part(self) -> float:
        """How large the game is beside the whole one; its budgets are as large a part."""
        return min(1.0, self.tree.table_bytes() / FULL_BYTES)

    @property
    def fingerprint(self) -> str:
        """Tells blueprints apart, by what they play before the flop."""
        digest = hashlib.sha256()
        for player in (0, 1):
            digest.update(np.ascontiguousarray(rows_of(self.blueprint, player, 0)).tobytes())
        return digest.hexdigest()[:16]

    def mbb(self, chips: Sequence[float]) -> float:
        """The mean of some amounts, in thousandths of a big blind."""
        return 1000.0 * float(np.mean(chips)) / float(self.game.big_blind or 1.0)

    def mbb_or_none(self, chips: Sequence[float | None]) -> float | None:
        """The same, or None where one of them is unknown."""
        mean = mean_or_none(chips)
        return None if mean is None else self.mbb([mean])

    def _blueprint(self, seed: int) -> FhpOpponent:
        if not self.full:
            return FhpOpponent(coarse_blueprint(self.tree, self.iterations, seed, self.threads))
        from counterfold.abstraction.blueprint import blueprint
        from counterfold.abstraction.bucket_maker import buckets_for

        if self.buckets is None:
            self.buckets = buckets_for(self.game, BUCKETS, seed=self.seed, threads=self.threads)
        made = blueprint(self.game, self.buckets, self.iterations, seed)
        return FhpOpponent(by_hand(made, self.tree), made)

    def opponent(self, share: float, run: int) -> FhpOpponent:
        """A blueprint of another seed, or our own, shaken at a share of infosets."""
        if not share:
            return self._blueprint(self.seed + run + 1)
        seed = [self.seed, run, round(1000 * share)]
        if self._in_buckets is not None:
            made = shuffled_blueprint(self._in_buckets, share, seed)
            return FhpOpponent(by_hand(made, self.tree), made)
        return FhpOpponent(shuffled_hands(self.blueprint, share, seed))

    def distance(self, strategy: Strategy[PublicTree]) -> float:
        """Mean L1 distance from the blueprint over infosets, on a hundred of the flops or all."""
        total, count = 0.0, 0
        for board in [0, *self.boards[:: max(1, len(self.boards) // 100)]]:
            for node in strategy.hands.decisions(board):
                one, other = (who.hands.rows(node, board) for who in (self.blueprint, strategy))
                total += float(np.abs(one - other).sum())
                count += one.shape[1]
        return total / count


def draw_flops(tree: PublicTree, count: int | None, seed: int) -> tuple[list[int], Floats]:
    """Boards of the last street, and how many of all each stands for.

    Systematic sampling: evenly along the list, in proportion to how often a board comes.
    """
    boards = [k for k, board in enumerate(tree.boards) if board.street == tree.last]
    chance = np.array([tree.boards[k].chance for k in boards])
    if count is None or count >= len(boards):
        return boards, np.ones(len(boards))
    expected = np.minimum(count * chance / chance.sum(), 1.0)
    ends = np.cumsum(expected) + np.random.default_rng([seed, 3]).random()
    picked = np.flatnonzero(np.floor(ends) > np.floor(ends - expected))
    return [boards[k] for k in picked], 1.0 / expected[picked]
