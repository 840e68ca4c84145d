"""A strategy over betting tree x buckets: what sampled CFR makes, and how to read it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.buckets import Buckets, board_sizes
from counterfold.errors import MismatchError, ParameterError
from counterfold.files.arrays import Saved, read_arrays, write_arrays
from counterfold.poker.cards import check_distinct
from counterfold.poker.game import DECISION, PokerGame
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree

__all__ = ["Blueprint", "Layout", "game_print"]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the numbers of each decision lie: bucket by bucket, an action after the other."""

    nodes: NDArray[np.uint32]  # the decisions
    buckets: NDArray[np.int64]  # [nodes of the tree] of its street; 0 where nobody decides
    actions: NDArray[np.int64]  # [nodes of the tree] 0 where nobody decides
    start: NDArray[np.int64]  # [nodes of the tree] where a decision begins
    size: int

    @classmethod
    def of(cls, game: PokerGame, buckets: Sequence[Buckets]) -> Layout:
        """The layout for a game; checks that the buckets are for its streets."""
        tree, sizes = game.betting, board_sizes(game)
        given = tuple(one.cards for one in buckets)
        if given != sizes:
            raise MismatchError(
                f"{game.name} needs buckets on boards of {', '.join(map(str, sizes))} cards, "
                f"and these are on boards of {', '.join(map(str, given)) or 'none'}"
            )
        decides = tree.kind == DECISION
        count = np.array([one.count for one in buckets], np.int64)[tree.street] * decides
        actions = tree.count.astype(np.int64) * decides
        ends = np.cumsum(count * actions)
        nodes = np.flatnonzero(decides).astype(np.uint32)
        return cls(nodes, count, actions, ends - count * actions, int(ends[-1]))


def game_print(game: PokerGame) -> str:
    """Tells games apart: their betting, cards and ranges."""
    tree, rules = game.betting, game.rules
    digest = hashlib.sha256(
        repr((rules.deck, rules.hole, rules.deal, game.board, tree.label)).encode()
    )
    for array in (tree.street, tree.kind, tree.player, tree.first, tree.count, tree.payoff):
        digest.update(np.ascontiguousarray(array).tobytes())
    for weights in game.ranges:
        digest.update(np.ascontiguousarray(weights).tobytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class Blueprint:
    """How to play a poker game by buckets. ``about`` says how it was made."""

    game: PokerGame = field(repr=False)
    buckets: tuple[Buckets, ...] = field(repr=False)
    layout: Layout = field(repr=False)
    probabilities: NDArray[np.float32] = field(repr=False)
    about: Mapping[str, Any] = field(default_factory=dict)

    def at(self, node: int) -> NDArray[np.float32]:
        """[buckets, actions] the strategy of a decision's owner."""
        if not 0 <= node < len(self.layout.start) or not self.layout.actions[node]:
            raise ParameterError(
                f"nobody decides at node {node} of the betting of {self.game.name}"
            )
        start, count = self.layout.start[node], self.layout.buckets[node]
        size = count * self.layout.actions[node]
        return self.probabilities[start : start + size].reshape(count, -1)

    def strategy_at(self, node: int, bucket: int) -> dict[str, float]:
        """How often each action is taken with a bucket."""
        found, betting = self.at(node), self.game.betting
        if not 0 <= bucket < len(found):
            raise ParameterError(
                f"there is no bucket {bucket}; there are {len(found)} at this node"
            )
        names = [betting.label[child] for child in betting.children(node)]
        return dict(zip(names, found[bucket].tolist(), strict=True))

    def expand(self, board: Iterable[int], node: int) -> NDArray[np.float32]:
        """[actions, hands] the strategy of every hand on a board; even where a hand meets it.

        ``board`` may have more cards than the street of the node knows: only the first count.
        """
        rows = self.at(node)
        cards = self.buckets[int(self.game.betting.street[node])]
        known = check_distinct(board)[: cards.cards]
        out = np.ascontiguousarray(rows[cards.on(known)].T)
        out[:, np.isin(self.game.rules.cards, known).any(axis=1)] = 1 / len(out)
        return out

    def public(
        self, tree: PublicTree, look: Callable[[float], None] | None = None
    ) -> Strategy[PublicTree]:
        """The same strategy hand by hand on the game's public tree, for exact values and search.

        ``look`` is told after each board which share is done, and may end it by raising.
        """
        if tree.game is not self.game and game_print(tree.game) != game_print(self.game):
            raise MismatchError(f"the tree is not of the game of this blueprint, {self.game.name}")
        alike = tree.symmetry and any(len(board.renamings) > 1 for board in tree.boards)
        if alike and any(one.kind == "all" for one in self.buckets):
            raise MismatchError(
                "the tree takes suits as equal, and the buckets of this blueprint tell them apart; "
                "make the tree without symmetry"
            )
        made = Strategy.uniform(tree)
        for number, board in enumerate(tree.boards):
            rows = self.buckets[board.street].on(board.cards)
            for node in made.hands.decisions(number):
                made.hands.put(node, number, self.at(node)[rows].T)
            if look:
                look((number + 1) / len(tree.boards))
        return replace(made, about=dict(self.about))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as one file, whole or not at all; buckets have their own."""
        header = {
            "game": self.game.name,
            "fingerprint": game_print(self.game),
            "buckets": json.dumps([one.fingerprint for one in self.buckets]),
            "about": json.dumps(dict(self.about)),
        }
        write_arrays(path, "blueprint", header, {"probabilities": self.probabilities})

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], game: PokerGame, buckets: Sequence[Buckets]
    ) -> Blueprint:
        """Read a file that was made for this game and these buckets."""
        saved = read_arrays(path, "blueprint", "a blueprint for poker")
        layout = Layout.of(game, buckets)
        check_prints(saved, game, buckets)
        found = saved.array("probabilities", np.float32, (layout.size,), least=0)
        saved.finish()
        made = cls(game, tuple(buckets), layout, found, saved.fields("about").value)
        for node in layout.nodes:
            if not np.allclose(made.at(int(node)).sum(axis=1), 1, atol=1e-4):
                raise saved.damaged("its probabilities do not sum to one")
        return made


def check_prints(saved: Saved, game: PokerGame, buckets: Sequence[Buckets]) -> None:
    """Was a file made for this game and these buckets?"""
    if saved.text("fingerprint") != game_print(game):
        raise MismatchError(
            f"{saved.path} was made for {saved.text('game')} with other betting, "
            f"cards or ranges than this {game.name}"
        )
    if saved.json("buckets") != [one.fingerprint for one in buckets]:
        raise MismatchError(f"{saved.path} was made with other buckets of cards than these")


def check_fits(made: Blueprint, game: PokerGame, buckets: Sequence[Buckets]) -> None:
    """Is a blueprint of this game and these buckets?"""
    if game_print(made.game) != game_print(game):
        raise MismatchError(f"the blueprint is of {made.game.name}, and not of this {game.name}")
    if [one.fingerprint for one in made.buckets] != [one.fingerprint for one in buckets]:
        raise MismatchError("the blueprint was made with other buckets of cards than these")
