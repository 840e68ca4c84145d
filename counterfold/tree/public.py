"""The public tree of a poker game: its betting on every board, all hands at every node."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.poker.cards import board_name
from counterfold.poker.game import DECISION, NO_CARD, CardRules, PokerGame
from counterfold.tree.boards import Board, boards_of, renamed_holes
from counterfold.tree.memory import memory_at_hand
from counterfold.tree.public_nodes import PublicNodes

__all__ = ["Hands", "PublicTree", "meetings"]

_PAD = 4  # columns of tables come in fours


@dataclass(frozen=True, eq=False)
class Hands:
    """One player's hands on one board.

    On the last street every hand stands for itself, and they lie in the order of strength.
    Before it, hands that a renaming of suits makes equal are one.
    """

    holes: NDArray[np.int64]  # [hands] one hole for each
    pairs: NDArray[np.int64]  # [pairs] all holes of the range that the board leaves
    of: NDArray[np.int64]  # [pairs] the hand that each is
    size: NDArray[np.int64]  # [hands] how many holes each stands for


def meetings(rules: CardRules, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of a range each hand can meet: all that hold none of its cards."""
    cards = rules.cards.astype(np.int64)
    by_card = np.zeros(NO_CARD + 1)
    for column in (0, 1):
        np.add.at(by_card, cards[:, column], weights)
    by_card[NO_CARD] = 0.0
    same = weights if rules.hole == 2 else 0.0  # taken off twice with its two cards
    found: NDArray[np.float64] = weights.sum() - by_card[cards[:, 0]] - by_card[cards[:, 1]] + same
    return np.maximum(found, 0.0)


class PublicTree:
    """Boards, nodes and hands of a poker game. Immutable.

    ``memory`` is how many bytes the tables of a solver may take; a tree that needs more is
    refused with its size. Betting nodes are named by their numbers in ``game.betting``.
    """

    def __init__(
        self, game: PokerGame, *, symmetry: bool = True, memory: int | None = None
    ) -> None:
        self.game = game
        self.symmetry = symmetry
        self.nodes = PublicNodes(game.betting)
        self.boards: list[Board] = boards_of(game, symmetry)
        self.last = self.nodes.streets - 1
        weights = [np.asarray(weight, np.float64) for weight in game.ranges]
        self.weight_sum = float((weights[0] * meetings(game.rules, weights[1])).sum())
        if not self.weight_sum > 0:
            raise ParameterError(
                f"{game.name}: no two hands of these ranges can be dealt at once; widen a range"
            )
        self._check_memory(memory)
        self.hands: tuple[list[Hands], list[Hands]] = self._deal()

    def _check_memory(self, memory: int | None) -> None:
        need = self.table_bytes()
        most = int(0.9 * memory_at_hand()) if memory is None else memory
        if need > most:
            raise TreeTooLargeError(
                f"{self.game.name} needs {need / 2**30:,.1f} GB for its tables where "
                f"{most / 2**30:,.1f} GB may be used; offer fewer bet sizes, narrow the ranges, "
                "begin on a later street, or store in 16 bits, which takes half"
            )

    def rows(self, player: int) -> int:
        """How many rows of hands a player learns: an action of a node on a board each."""
        street = np.array([board.street for board in self.boards])
        return int(self.nodes.width[street, player].sum())

    def columns(self, player: int) -> int:
        """How many hands a row has room for."""
        if hasattr(self, "hands"):
            most = max(len(hands.holes) for hands in self.hands[player])
        else:
            most = int((np.asarray(self.game.ranges[player]) > 0).sum())
        return -(-most // _PAD) * _PAD

    def table_bytes(self, itemsize: int = 4, tables: int = 2) -> int:
        """The size of a solver's tables, regrets and sums of strategies, in bytes."""
        return itemsize * tables * sum(self.rows(p) * self.columns(p) for p in (0, 1))

    def _deal(self) -> tuple[list[Hands], list[Hands]]:
        rules, faces = self.game.rules, self.game.rules.cards
        live = [np.asarray(weight) > 0 for weight in self.game.ranges]
        final = [k for k, board in enumerate(self.boards) if board.street == self.last]
        found: tuple[list[Hands], list[Hands]] = ([], [])
        self.groups: list[NDArray[np.int64]] = []  # where hands that tie end, of each player
        size = max(1, 4_000_000 // rules.holes)
        strengths: dict[int, Any] = {}
        for k, board in enumerate(self.boards):
            if board.street == self.last and k not in strengths:
                some = final[final.index(k) : final.index(k) + size]
                dealt = np.array([self.boards[j].cards for j in some], np.uint8)
                table = rules.strengths(dealt.reshape(len(some), -1))
                strengths = dict(zip(some, table, strict=True))
            blocked = np.zeros(NO_CARD + 1, bool)
            blocked[list(board.cards)] = True
            free = ~blocked[faces].any(1)
            values = []
            for p in (0, 1):
                pairs = np.flatnonzero(live[p] & free)
                if board.street == self.last:
                    pairs = pairs[np.argsort(strengths[k][pairs], kind="stable")]
                    values.append(strengths[k][pairs])
                    one = np.ones(len(pairs), np.int64)
                    found[p].append(Hands(pairs, pairs, np.arange(len(pairs)), one))
                else:
                    found[p].append(_classes(rules, board, pairs))
            if values:
                ties = np.unique(np.concatenate(values))
                self.groups.append(
                    np.stack([np.searchsorted(value, ties, "right") for value in values], 1)
                )
            else:
                self.groups.append(np.zeros((0, 2), np.int64))
        return found

    @cached_property
    def children(self) -> list[list[int]]:
        """The boards after each board."""
        found: list[list[int]] = [[] for _ in self.boards]
        for number, board in enumerate(self.boards[1:], 1):
            found[board.before].append(number)
        return found

    @cached_property
    def base(self) -> NDArray[np.int64]:
        """[boards, 2] the first row of each board in each player's tables."""
        street = np.array([board.street for board in self.boards])
        width = self.nodes.width[street]
        return np.cumsum(width, 0) - width

    def row(self, board: int, node: int) -> slice:
        """The rows of a decision's actions on a board, in its owner's tables."""
        n = int(self.nodes.new[node])
        if self.nodes.kind[n] != DECISION or self.nodes.street[n] != self.boards[board].street:
            raise ParameterError(f"node {node} is no decision on board {board}")
        at = int(self.base[board, int(self.nodes.owner[n])] + self.nodes.slot[n])
        return slice(at, at + int(self.nodes.count[n]))

    @cached_property
    def fingerprint(self) -> str:
        """What tells this tree from others: money, boards and ranges."""
        betting, digest = self.game.betting, hashlib.sha256()
        for array in (betting.kind, betting.player, betting.parent, betting.payoff):
            digest.update(np.ascontiguousarray(array).tobytes())
        for weight in self.game.ranges:
            digest.update(np.ascontiguousarray(weight, np.float64).tobytes())
        digest.update(repr([board.cards for board in self.boards]).encode())
        return digest.hexdigest()[:16]

    def __repr__(self) -> str:
        board = board_name(self.game.board) if self.game.board else "no board"
        return f"<PublicTree {self.game.name}: {board}, {len(self.boards):,} boards>"


def _classes(rules: CardRules, board: Board, pairs: NDArray[np.int64]) -> Hands:
    """Hands before the last street: one for all that renamings of suits make equal."""
    least = pairs.copy()
    for names in board.renamings:
        least = np.minimum(least, renamed_holes(rules, pairs, names))
    holes, of, size = np.unique(least, return_inverse=True, return_counts=True)
    return Hands(holes, pairs, of, size)
