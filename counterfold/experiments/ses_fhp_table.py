"""The table at which figures of Flop Hold'em are made: game, blueprint, opponents and flops."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import SpecError
from counterfold.experiments.ses_fhp_opponents import (
    Bucketed,
    Opponent,
    Shuffled,
    Whole,
    shaken,
    shares_of,
    started_at_random,
    written,
)
from counterfold.games.spec import parse_spec, whole
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.holdem import FULL_DECK, fhp
from counterfold.tree.public import PublicTree
from counterfold.tree.traversal import Traversal

__all__ = ["BUCKETS", "COARSE", "SAMPLED", "Table", "drawn", "read_game"]

BUCKETS, SAMPLED, COARSE = 200, 10_000_000, 20
"""The paper's buckets and iterations; and iterations where a cut-down deck is solved coarsely."""
FULL_BYTES = 3.0e9  # of a solver's tables at full size


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


class Table:
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
        self.blueprint = written(self.tree, first)
        self.calm: Opponent = Whole(self.blueprint)
        self._bucketed = first.blueprint if isinstance(first, Bucketed) else None
        self.walk = Traversal(self.tree, "float32", threads)
        self.boards, self.weights = drawn(self.tree, asked, seed)

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
            digest.update(np.ascontiguousarray(self.calm.rows(player, 0)).tobytes())
        return digest.hexdigest()[:16]

    def mbb(self, chips: Sequence[float]) -> float:
        """The mean of some amounts, in thousandths of a big blind."""
        return 1000.0 * float(np.mean(chips)) / float(self.game.big_blind or 1.0)

    def _blueprint(self, seed: int) -> Opponent:
        if not self.full:
            return Whole(started_at_random(self.tree, self.iterations, seed, self.threads))
        from counterfold.abstraction.clusters import buckets_for
        from counterfold.abstraction.sampled import blueprint

        if self.buckets is None:
            self.buckets = buckets_for(self.game, BUCKETS, seed=self.seed, threads=self.threads)
        made = blueprint(self.game, self.buckets, self.iterations, seed)
        return Bucketed(self.tree, made)

    def opponent(self, share: float, run: int) -> Opponent:
        """A blueprint of another seed, or the hero's own, shaken at a share of infosets."""
        if not share:
            return self._blueprint(self.seed + run + 1)
        seed = [self.seed, run, round(1000 * share)]
        if self._bucketed is not None:
            return Bucketed(self.tree, shaken(self._bucketed, share, seed))
        return Shuffled(self.tree, self.calm, share, seed)

    def distance(self, opponent: Opponent) -> float:
        """Mean L1 distance from the blueprint over infosets, on a hundred of the flops or all."""
        nodes, total, count = self.tree.nodes, 0.0, 0
        some = self.boards[:: max(1, len(self.boards) // 100)]
        for board, player in product([0, *some], (0, 1)):
            street = self.tree.boards[board].street
            pair = [who.rows(player, board) for who in (self.calm, opponent)]
            for n in range(nodes.begin[street], nodes.begin[street + 1]):
                if nodes.kind[n] == DECISION and nodes.owner[n] == player:
                    at = slice(int(nodes.slot[n]), int(nodes.slot[n] + nodes.count[n]))
                    one, other = (shares_of(rows[at]) for rows in pair)
                    total += float(np.abs(one - other).sum())
                    count += one.shape[1]
        return total / count


def drawn(tree: PublicTree, count: int | None, seed: int) -> tuple[list[int], NDArray[np.float64]]:
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
