"""Flop Hold'em as figures 3 and 4 play it: the game, the blueprint, the opponents and the flops.

At full size a strategy takes over a gigabyte. An opponent here gives its rows board by board, the
same ones each time, and is written out as a whole only to be measured.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.errors import ParameterError, SpecError
from counterfold.games.spec import parse_spec, whole
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.holdem import FULL_DECK, fhp
from counterfold.research.ses.sweep import mean_or_none
from counterfold.searchers.public_entry import Floats, to_one
from counterfold.solvers.public_engine import PublicEngine
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from counterfold.tree.traversal import Traversal

__all__ = [
    "Bucketed",
    "Opponent",
    "Setup",
    "Shuffled",
    "Trunk",
    "Whole",
    "as_strategy",
    "coarse_blueprint",
    "draw_flops",
    "misjudged_ranges",
    "probabilities",
    "read_game",
    "shuffled_blueprint",
]

BUCKETS, SAMPLED, COARSE = 200, 10_000_000, 20
"""The paper's buckets and iterations; and iterations where a cut-down deck is solved coarsely."""
FULL_BYTES = 3.0e9  # of a solver's tables at full size

Rows = NDArray[np.float32]


class Opponent(Protocol):
    """A strategy of both players that can be asked for board by board."""

    def rows(self, player: int, board: int) -> Rows:
        """[rows, hands] weights of the player's actions on a board."""
        ...


class Whole:
    """A strategy that is all there."""

    def __init__(self, strategy: Strategy[PublicTree]) -> None:
        self.strategy = strategy

    def rows(self, player: int, board: int) -> Rows:
        tree = self.strategy.tree
        at, count = int(tree.base[board, player]), len(tree.hands[player][board].holes)
        width = int(tree.nodes.width[tree.boards[board].street, player])
        found: Rows = np.asarray(self.strategy.tables[player][at : at + width, :count], np.float32)
        return found


class Shuffled:
    """Another opponent, shaken: at a share of infosets, actions times numbers from 0 to 1."""

    def __init__(
        self, tree: PublicTree, unshuffled: Opponent, share: float, seed: Sequence[int]
    ) -> None:
        _check(share)
        self.tree, self.unshuffled, self.share, self.seed = tree, unshuffled, share, list(seed)

    def rows(self, player: int, board: int) -> Rows:
        rows = self.unshuffled.rows(player, board)
        random = np.random.default_rng([*self.seed, player, board])
        factor = random.random(rows.shape, np.float32)
        found = np.empty_like(rows)
        for _, part in _decisions(self.tree, self.tree.boards[board].street, player):
            shaken = random.random(rows.shape[1]) < self.share
            even = rows[part].sum(0) <= 0
            weights = np.where(even, np.float32(1), rows[part])
            found[part] = np.where(shaken, weights * factor[part], weights)
        return found


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


class Bucketed:
    """A blueprint over buckets, as every hand plays it."""

    def __init__(self, tree: PublicTree, tables: BucketTables) -> None:
        self.tree, self.tables = tree, tables

    @property
    def blueprint(self) -> Strategy[BucketForm]:
        """The strategy whose tables these are."""
        return Strategy.of(self.tables.form, self.tables.table)

    def rows(self, player: int, board: int) -> Rows:
        tree, nodes = self.tree, self.tree.nodes
        street, holes = tree.boards[board].street, tree.hands[player][board].holes
        bucket = self.tables.buckets[street].on(tree.boards[board].cards)[holes]
        found = np.empty((int(nodes.width[street, player]), len(holes)), np.float32)
        for n, part in _decisions(tree, street, player):
            found[part] = self.tables.rows(int(nodes.old[n]))[bucket].T
        return found


def _decisions(tree: PublicTree, street: int, player: int) -> list[tuple[int, slice]]:
    """A player's nodes on a street, and the rows of their actions."""
    nodes = tree.nodes
    return [
        (n, slice(int(nodes.slot[n]), int(nodes.slot[n] + nodes.count[n])))
        for n in range(nodes.begin[street], nodes.begin[street + 1])
        if nodes.kind[n] == DECISION and nodes.owner[n] == player
    ]


def as_strategy(tree: PublicTree, opponent: Opponent, **about: Any) -> Strategy[PublicTree]:
    """An opponent as a strategy, all boards of it."""
    if isinstance(opponent, Whole):
        return opponent.strategy
    strategy = Strategy.uniform(tree)
    for player in (0, 1):
        for board in range(len(tree.boards)):
            rows, at = opponent.rows(player, board), int(tree.base[board, player])
            strategy.tables[player][at : at + len(rows), : rows.shape[1]] = rows
    return Strategy.of(tree, strategy.tables, about)


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


def misjudged_ranges(range: Floats, error: float, seed: Any) -> Floats:
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
    found = range
    for _ in np.arange(30):
        middle = (low + high) / 2
        found = to_one(range * np.exp(middle * noise))
        near = np.abs(found - range).sum(1, keepdims=True) < error
        low, high = np.where(near, middle, low), np.where(near, high, middle)
    return found


def probabilities(rows: NDArray[Any]) -> Floats:
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
        return probabilities(rows[int(nodes.slot[n]) : int(nodes.slot[n] + nodes.count[n])])


def read_game(text: str) -> tuple[PokerGame, int | None]:
    """The game, and how many flops are searched (None for all): ``fhp(deck=TJQKA, flops=50)``."""
    spec = parse_spec(text)
    if spec.name != "fhp" or spec.args:
        raise SpecError(f"this figure is of fhp, such as 'fhp(deck=TJQKA)', not of {text!r}")
    told = dict(spec.kwargs)
    asked = told.pop("flops", None)
    if isinstance(told.get("deck"), int):  # ranks that look like a number
        told["deck"] = str(told["deck"])
    try:
        game = fhp(**told)
    except TypeError:
        raise SpecError(f"fhp takes cap, raises, blinds, deck and flops, not {text!r}") from None
    return game, None if asked in (None, "all") else whole("flops", asked, least=2)


class Setup:
    """The game, the hero's blueprint, and the flops on which it searches."""

    def __init__(self, game: str, iterations: int | None, seed: int, threads: int) -> None:
        self.game, asked = read_game(game)
        self.name, self.seed, self.threads = game, seed, threads
        self.tree = PublicTree(self.game)
        self.full = self.game.rules.deck == FULL_DECK
        usual = SAMPLED if self.full else COARSE
        self.iterations = usual if iterations is None else iterations
        whole("iterations", self.iterations, least=1)
        self.kind = f"{BUCKETS} buckets" if self.full else "coarse"
        self.buckets: Any = None
        first = self._blueprint(seed)
        self.blueprint = as_strategy(self.tree, first)
        self.unshuffled: Opponent = Whole(self.blueprint)
        self._bucketed = first.blueprint if isinstance(first, Bucketed) else None
        self.walk = Traversal(self.tree, "float32", threads)
        self.boards, self.weights = draw_flops(self.tree, asked, seed)

    @property
    def exact(self) -> bool:
        """Are all flops searched?"""
        return len(self.boards) == len(self.tree.boards) - 1

    @property
    def part(self) -> float:
        """How large the game is beside the whole one; its budgets are as large a part."""
        return min(1.0, self.tree.table_bytes() / FULL_BYTES)

    @property
    def fingerprint(self) -> str:
        """Tells blueprints apart, by what they play before the flop."""
        digest = hashlib.sha256()
        for player in (0, 1):
            digest.update(np.ascontiguousarray(self.unshuffled.rows(player, 0)).tobytes())
        return digest.hexdigest()[:16]

    def mbb(self, chips: Sequence[float]) -> float:
        """The mean of some amounts, in thousandths of a big blind."""
        return 1000.0 * float(np.mean(chips)) / float(self.game.big_blind or 1.0)

    def mbb_or_none(self, chips: Sequence[float | None]) -> float | None:
        """The same, or None where one of them is unknown."""
        mean = mean_or_none(chips)
        return None if mean is None else self.mbb([mean])

    def _blueprint(self, seed: int) -> Opponent:
        if not self.full:
            return Whole(coarse_blueprint(self.tree, self.iterations, seed, self.threads))
        from counterfold.abstraction.blueprint import blueprint
        from counterfold.abstraction.clusters import buckets_for

        if self.buckets is None:
            self.buckets = buckets_for(self.game, BUCKETS, seed=self.seed, threads=self.threads)
        made = blueprint(self.game, self.buckets, self.iterations, seed)
        return Bucketed(self.tree, BucketTables.of(made))

    def opponent(self, share: float, run: int) -> Opponent:
        """A blueprint of another seed, or the hero's own, shaken at a share of infosets."""
        if not share:
            return self._blueprint(self.seed + run + 1)
        seed = [self.seed, run, round(1000 * share)]
        if self._bucketed is not None:
            made = shuffled_blueprint(self._bucketed, share, seed)
            return Bucketed(self.tree, BucketTables.of(made))
        return Shuffled(self.tree, self.unshuffled, share, seed)

    def distance(self, opponent: Opponent) -> float:
        """Mean L1 distance from the blueprint over infosets, on a hundred of the flops or all."""
        total, count = 0.0, 0
        some = self.boards[:: max(1, len(self.boards) // 100)]
        for board, player in product([0, *some], (0, 1)):
            street = self.tree.boards[board].street
            pair = [who.rows(player, board) for who in (self.unshuffled, opponent)]
            for _, part in _decisions(self.tree, street, player):
                one, other = (probabilities(rows[part]) for rows in pair)
                total += float(np.abs(one - other).sum())
                count += one.shape[1]
        return total / count


def draw_flops(
    tree: PublicTree, count: int | None, seed: int
) -> tuple[list[int], NDArray[np.float64]]:
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
