"""Poker compiled to its betting tree with buckets of hands: for games that do not fit by hands."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.buckets import Buckets, streets_for
from counterfold.arrays import Bools, Ints
from counterfold.errors import MismatchError
from counterfold.files.arrays import Saved
from counterfold.poker.game import DECISION, PokerGame
from counterfold.solvers.settings import Defaults
from counterfold.solvers.until import Until
from counterfold.tree.form import PokerForm
from counterfold.tree.history import Infosets

ITERATIONS = 10_000_000
"""Of a run whose length nobody says."""


class Unnamed(NamedTuple):
    """Where infosets lie, for conditions on them."""

    spec: str
    infosets: Infosets


class Part(NamedTuple):
    """A part of a table that is cut by public line: the trunk, and what lies behind some lines."""

    street: int  # with which the lines begin; what is before is the trunk
    seen: Bools  # [nodes of the betting] the trunk and its own lines
    own: Bools  # its own lines, and of the trunk's ends those that it counts


class BucketForm(PokerForm):
    """A poker game with buckets, one set for each street: an infoset is a decision and a bucket.

    Numbers of a strategy lie decision by decision, bucket by bucket, an action after the other.

    >>> from counterfold.abstraction.buckets import every_hand
    >>> from counterfold.poker.holdem import kuhn
    >>> form = BucketForm(kuhn(), every_hand(kuhn()))
    >>> form.infoset_count, form.size
    (12, 24)
    """

    defaults = Defaults("linear", "float32", Until(iterations=ITERATIONS))

    promise = (
        "Over buckets: the average strategy nears an equilibrium among those that see buckets; "
        "exploitability is exact, in the game without them."
    )

    def __init__(
        self,
        game: PokerGame,
        buckets: Sequence[Buckets],
        *,
        twin: Ints | None = None,
        held_from: int = 4,
        part: Part | None = None,
    ) -> None:
        self.part = part
        self.game, self.buckets = game, streets_for(game, buckets)
        tree, buckets = game.betting, self.buckets
        decides = tree.kind == DECISION
        self.twin: Ints = np.arange(len(tree)) if twin is None else twin
        """[nodes of the betting] the decision whose numbers one has: itself, or one before it."""
        self.held_from, self.held = held_from, np.zeros(0, np.float32)
        """The street from which nobody learns, and the probabilities of a strategy there."""
        none = np.zeros((0, tree.players), np.int64)
        self.choices, self.copies = none, none[:, :, None]
        """[states of an edge, players] where players choose among continuations (-1: they do not),
        and where the copies behind them begin [states, players, continuations]."""
        own = decides & (self.twin == np.arange(len(tree)))
        if part is not None:
            own &= part.seen
        self.nodes: NDArray[np.uint32] = np.flatnonzero(own).astype(np.uint32)
        """The decisions that have numbers of their own."""
        counts = np.array([one.count for one in buckets] + [0] * tree.streets, np.int64)
        self.counts: Ints = counts[tree.street] * decides
        """[nodes of the betting] buckets of its street; 0 where nobody decides."""
        self.actions: Ints = tree.count.astype(np.int64) * decides
        """[nodes of the betting] 0 where nobody decides."""
        ends = np.cumsum(self.counts * self.actions * own)
        self.start: Ints = (ends - self.counts * self.actions * own)[self.twin]
        """[nodes of the betting] where the numbers of a decision begin."""
        self.size = int(ends[-1])

    def __repr__(self) -> str:
        counts = ", ".join(str(one.count) for one in self.buckets)
        return f"<BucketForm {self.game.name}: {counts} buckets>"

    @property
    def whole_game(self) -> PokerGame:
        """The game as it is played, with streets on which nobody bets."""
        return self.game

    @cached_property
    def fingerprint(self) -> str:
        """Tells games and buckets apart."""
        parts = (game_print(self.game), *(one.fingerprint for one in self.buckets))
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]

    @property
    def histories(self) -> int:
        """Lines of the betting: hands and boards are sampled, and never counted."""
        return len(self.game.betting)

    @property
    def infoset_count(self) -> int:
        return int(self.counts[self.nodes].sum())

    @cached_property
    def holds(self) -> Bools:
        """[size] the numbers from which nobody learns, behind a depth limit."""
        behind = self.game.betting.street[self.nodes] >= self.held_from
        numbers = self.counts[self.nodes] * self.actions[self.nodes]
        held: Bools = np.repeat(behind, numbers)
        return held

    @property
    def learned(self) -> int:
        """Infosets whose strategy is found."""
        before = self.game.betting.street[self.nodes] < self.held_from
        return int(self.counts[self.nodes[before]].sum())

    @property
    def tells_suits(self) -> bool:
        """Whether buckets tell suits apart that nothing else does."""
        return any(one.kind == "all" for one in self.buckets)

    @cached_property
    def widths(self) -> Ints:
        """How many actions each infoset has."""
        widths: Ints = np.repeat(self.actions[self.nodes], self.counts[self.nodes])
        return widths

    @cached_property
    def unnamed(self) -> Unnamed:
        """All infosets without their names, of which there may be many millions."""
        owner = np.repeat(self.game.betting.player[self.nodes], self.counts[self.nodes])
        start = np.concatenate([[0], np.cumsum(self.widths)]).astype(np.uint32)
        return Unnamed(self.spec, Infosets(owner.astype(np.int8), start, (), ()))

    @cached_property
    def infosets(self) -> Infosets:
        """All infosets by name, decision by decision."""
        betting = self.game.betting
        owners, labels, actions = [], list[str](), list[tuple[str, ...]]()
        for node in self.nodes.tolist():
            count, line = int(self.counts[node]), ", ".join(betting.line(node))
            names = tuple(betting.label[child] for child in betting.children(node))
            owners += [int(betting.player[node])] * count
            labels += [f"bucket {n} | {line}" if line else f"bucket {n}" for n in range(count)]
            actions += [names] * count
        start = np.concatenate([[0], np.cumsum(self.widths)]).astype(np.uint32)
        return Infosets(np.array(owners, np.int8), start, tuple(labels), tuple(actions))


def game_print(game: PokerGame) -> str:
    """Tells games apart: their betting, cards and ranges."""
    tree, rules = game.betting, game.rules
    digest = hashlib.sha256(
        repr((rules.deck, rules.hole, rules.deal, game.board, tree.label)).encode()
    )
    arrays = [tree.street, tree.kind, tree.player, tree.first, tree.count, tree.payoff]
    if tree.players > 2:
        arrays += [tree.chips, tree.rivals]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    for weights in game.ranges:
        digest.update(np.ascontiguousarray(weights).tobytes())
    return digest.hexdigest()[:16]


def check_prints(saved: Saved, form: BucketForm) -> None:
    """Was a file made for this game and these buckets?"""
    if saved.text("betting") != game_print(form.game):
        raise MismatchError(
            f"{saved.path} was made for {saved.text('game')} with other betting, "
            f"cards or ranges than this {form.game.name}"
        )
    if saved.json("buckets") != [one.fingerprint for one in form.buckets]:
        raise MismatchError(f"{saved.path} was made with other buckets of cards than these")
