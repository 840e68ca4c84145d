"""The public tree of a poker game: its betting on every board, all hands at every node."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Ints
from counterfold.errors import ParameterError, TreeTooLargeError, short
from counterfold.poker.cards import board_name
from counterfold.poker.equities import Wins, wins_after
from counterfold.poker.game import DECISION, CardRules, PokerGame, meetings
from counterfold.tree.boards import Board, boards_of, renamed_holes
from counterfold.tree.form import PokerForm
from counterfold.tree.memory import memory_at_hand
from counterfold.tree.public_hands import Dealt, Hands
from counterfold.tree.public_nodes import PublicNodes

if TYPE_CHECKING:
    from counterfold.tree.public_size import PublicSize

HARDLY = 1e-9  # of all pairs of hands of two ranges: fewer that can meet are too few to weigh
_PAD = 4  # columns of tables come in fours
_AT_ONCE = 1 << 17  # strengths of hands that are looked up together


class PublicTree(PokerForm):
    """Boards, nodes and hands of a poker game. Immutable.

    ``memory`` is how many bytes the tables of a solver may take; a tree that needs more is
    refused with its size. Betting nodes are named by their numbers in ``game.betting``.
    """

    def __init__(
        self, game: PokerGame, *, symmetry: bool = True, memory: int | None = None
    ) -> None:
        if not isinstance(game, PokerGame):
            raise ParameterError(
                'a public tree is of a game of poker, such as cf.load_spot("spot.json") or '
                f"cf.fhp(), and not of {short(game)}"
            )
        self.game = game
        self.symmetry = symmetry
        self.boards: list[Board] = boards_of(game, symmetry)
        self.betting = game.betting.checked_down()
        """The betting, which ends where nobody decides any more."""
        self.nodes = PublicNodes(self.betting)
        self.last = self.nodes.streets - 1
        self.rest = sum(game.rules.deal[self.nodes.streets : game.betting.streets])
        """Cards that come after the last street, before hands are shown."""
        weights = [np.asarray(weight, np.float64) for weight in game.ranges]
        self.weight_sum = float((weights[0] * meetings(weights[1])).sum())
        # What can meet is a difference of sums, and hands that cannot leave dust.
        if not self.weight_sum > HARDLY * float(weights[0].sum() * weights[1].sum()):
            raise ParameterError(
                f"{game.name}: no two hands of these ranges can be dealt at once, or hardly any; "
                "widen a range"
            )
        self._check_memory(memory)
        self.hands: tuple[Dealt, Dealt] = self._deal()

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
            most = int(self.hands[player].counts.max())
        else:
            most = int((np.asarray(self.game.ranges[player]) > 0).sum())
        return -(-most // _PAD) * _PAD

    def table_bytes(self, itemsize: int = 4, tables: int = 2) -> int:
        """The size of a solver's tables, regrets and sums of strategies, in bytes."""
        return itemsize * tables * sum(self.rows(p) * self.columns(p) for p in (0, 1))

    def _deal(self) -> tuple[Dealt, Dealt]:
        """Hands of both players on each board, and where those of the last street tie."""
        rules = self.game.rules
        live = [np.asarray(weight) > 0 for weight in self.game.ranges]
        early: tuple[list[Hands], list[Hands]] = ([], [])
        count: tuple[list[int], list[int]] = ([], [])
        final = [board.cards for board in self.boards if not self.by_class(board)]
        begin = len(self.boards) - len(final)
        holes = [np.zeros((len(final), int(some.sum())), np.uint16) for some in live]
        bound, ends = [np.zeros((0, 2), np.uint16)], [0] * (begin + 1)
        size = max(1, _AT_ONCE // rules.holes)
        for k, board in enumerate(self.boards):
            free = rules.apart(board.cards)
            if k < begin:
                for p in (0, 1):
                    pairs = np.flatnonzero(live[p] & free)
                    early[p].append(_classes(rules, board, pairs))
                continue
            number = k - begin
            if number % size == 0:
                dealt = np.array(final[number : number + size], np.uint8)
                table = rules.strengths(dealt.reshape(len(dealt), -1))
            strengths = table[number % size]
            values = []
            for p in (0, 1):
                pairs = np.flatnonzero(live[p] & free)
                pairs = pairs[np.argsort(strengths[pairs], kind="stable")]
                values.append(strengths[pairs])
                holes[p][number, : len(pairs)] = pairs
                count[p].append(len(pairs))
            ties = np.unique(np.concatenate(values))
            found = [np.searchsorted(value, ties, "right") for value in values]
            bound.append(np.stack(found, 1).astype(np.uint16))
            ends.append(ends[-1] + len(ties))
        self.bound: NDArray[np.uint16] = np.concatenate(bound)
        """[groups, 2] where a group of hands that tie ends among each player's hands."""
        self.group: NDArray[np.uint32] = np.array(ends, np.uint32)
        """[boards + 1] the first group of each board."""
        return Dealt(early[0], holes[0], count[0]), Dealt(early[1], holes[1], count[1])

    def by_class(self, board: Board) -> bool:
        """Whether hands are one that suits do not tell apart: where a card is still to come."""
        return board.street < self.last or self.rest > 0

    def wins(self, board: int) -> Wins:
        """[holes, holes] on how many boards after one of the last street hands beat each other."""
        return wins_after(self.game.rules, self.boards[board].cards, self.rest)

    def groups(self, board: int) -> NDArray[np.uint16]:
        """[groups, 2] where hands that tie on a board end, of each player, the weakest first."""
        return self.bound[self.group[board] : self.group[board + 1]]

    @cached_property
    def children(self) -> list[list[int]]:
        """The boards after each board."""
        found: list[list[int]] = [[] for _ in self.boards]
        for number, board in enumerate(self.boards[1:], 1):
            found[board.before].append(number)
        return found

    @cached_property
    def base(self) -> Ints:
        """[boards, 2] the first row of each board in each player's tables."""
        street = np.array([board.street for board in self.boards])
        width = self.nodes.width[street]
        result: Ints = np.cumsum(width, 0) - width
        return result

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

    @cached_property
    def size(self) -> PublicSize:
        """Boards, nodes, histories and infosets, and the bytes of plain tables."""
        from counterfold.tree.public_size import size_of

        return size_of(self)

    @property
    def histories(self) -> int:
        return self.size.histories

    @property
    def infoset_count(self) -> int:
        return self.size.infosets

    def __repr__(self) -> str:
        board = board_name(self.game.board) if self.game.board else "no board"
        return f"<PublicTree {self.game.name}: {board}, {len(self.boards):,} boards>"


def _classes(rules: CardRules, board: Board, pairs: Ints) -> Hands:
    """Hands before the last street: one for all that renamings of suits make equal."""
    least = pairs.copy()
    for names in board.renamings:
        least = np.minimum(least, renamed_holes(rules, pairs, names))
    holes, of, size = np.unique(least, return_inverse=True, return_counts=True)
    return Hands(holes, pairs, of, size)
