"""How large a poker game is as a public tree, told before it is built, and what would fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from counterfold.arrays import Ints
from counterfold.errors import TreeTooLargeError
from counterfold.poker.cards import NO_CARD
from counterfold.poker.game import DECISION, PokerGame, meetings
from counterfold.tree.boards import Board, boards_of, renamed_holes
from counterfold.tree.memory import LIBRARIES, gigabytes, memory_at_hand
from counterfold.tree.public import PublicTree
from counterfold.tree.public_nodes import PublicNodes

Counts = Ints


@dataclass(frozen=True)
class PublicSize:
    """Boards, nodes and hands of a public tree, and the bytes of a solver's tables on it."""

    game: str
    boards: int  # that differ by more than the names of suits
    nodes: int  # of the betting, on all boards
    decisions: int
    hands: tuple[int, int]  # the most on a board, of each player
    histories: int  # nodes with a pair of hands each, on all boards that there are
    infosets: int
    bytes: int
    half: int  # bytes in 16 bits

    @property
    def peak(self) -> int:
        """The most that the process takes that solves it, in bytes."""
        return self.bytes + LIBRARIES

    def check(self, memory: int | None = None) -> None:
        """Refuse what does not fit, and say what would."""
        room = int(0.9 * memory_at_hand()) if memory is None else memory
        if self.bytes <= room:
            return
        if self.half <= room < self.bytes:
            advice = f"in 16 bits it takes {gigabytes(self.half)}, which fits"
        else:
            also = f" (16 bits take {gigabytes(self.half)})" if self.half < self.bytes else ""
            advice = (
                "offer fewer bet sizes, give a cap of raises, narrow the ranges or begin on a "
                f"later street{also}"
            )
        raise TreeTooLargeError(
            f"{self.game} needs {gigabytes(self.bytes)} for {self.decisions:,} decisions of up "
            f"to {max(self.hands):,} hands on {self.boards:,} boards, where {gigabytes(room)} "
            f"may be used; {advice}"
        )


def public_size(
    game: PokerGame,
    *,
    symmetry: bool = True,
    predictive: bool = False,
    bits: int = 32,
    dtype: str = "float32",
) -> PublicSize:
    """How large a game will be; a method that predicts keeps one more table.

    >>> from counterfold.poker.holdem import fhp
    >>> public_size(fhp(cap=2, deck="TJQKA")).boards
    96
    """
    boards, nodes = boards_of(game, symmetry), PublicNodes(game.betting.checked_down())
    hands = [_hands(game, boards, player) for player in (0, 1)]
    return _size(game, nodes, boards, hands, predictive, bits, dtype)


def size_of(
    tree: PublicTree, *, predictive: bool = False, bits: int = 32, dtype: str = "float32"
) -> PublicSize:
    """How large a tree is that has been built."""
    hands = [np.array([len(hands.holes) for hands in tree.hands[player]]) for player in (0, 1)]
    return _size(tree.game, tree.nodes, tree.boards, hands, predictive, bits, dtype)


def _hands(game: PokerGame, boards: Sequence[Board], player: int) -> Ints:
    """How many hands of the range each board leaves; equal ones are one before the last street."""
    rules, live = game.rules, np.flatnonzero(np.asarray(game.ranges[player]) > 0)
    cards = rules.cards[live].astype(np.int64)
    together = np.zeros((NO_CARD + 1, NO_CARD + 1), np.int64)
    np.add.at(together, (cards[:, 0], cards[:, 1]), 1)
    together += together.T
    by_card = together.sum(1)
    found = np.empty(len(boards), np.int64)
    betting = game.betting  # hands on boards to which cards come are classes
    last = betting.played if betting.played < betting.streets else betting.streets - 1
    for k, board in enumerate(boards):
        dealt = list(board.cards)
        if board.street < last and len(board.renamings) > 1:
            left = live[~np.isin(cards, dealt).any(1)]
            alike = [renamed_holes(rules, left, names) for names in board.renamings]
            found[k] = len(np.unique(np.min(alike, 0)))
        else:
            twice = int(together[np.ix_(dealt, dealt)].sum()) // 2
            found[k] = len(live) - int(by_card[dealt].sum()) + twice
    return found


def _size(
    game: PokerGame, nodes: PublicNodes, boards: Sequence[Board], hands: Sequence[Counts],
    predictive: bool, bits: int, dtype: str,
) -> PublicSize:  # fmt: skip
    street = np.array([board.street for board in boards])
    each = np.zeros((nodes.streets, 2), np.int64)
    decides = nodes.kind == DECISION
    np.add.at(each, (nodes.street[decides], nodes.owner[decides].astype(np.int64)), 1)
    each_street = np.bincount(nodes.street, minlength=nodes.streets)
    width = np.asarray(nodes.width, np.int64)
    most = [int(counts.max()) for counts in hands]
    cells = sum(int(width[street, p].sum()) * (-(-most[p] // 4) * 4) for p in (0, 1))
    number, predicted = np.dtype(dtype).itemsize, int(predictive)
    wins = 16 * most[0] * most[1] * int((street == nodes.streets - 1).sum())
    wins *= nodes.streets < game.betting.streets  # of each player, and where it does not lose
    full, half = (2 + predicted) * number * cells, (4 + predicted * number) * cells
    return PublicSize(
        game=game.name,
        boards=len(boards),
        nodes=int(each_street[street].sum()),
        decisions=int(each[street].sum()),
        hands=(most[0], most[1]),
        histories=_histories(game, boards, each_street),
        infosets=sum(int((each[street, p] * hands[p]).sum()) for p in (0, 1)),
        bytes=(half if bits == 16 else full) + wins,
        half=half + wins,
    )


def _histories(game: PokerGame, boards: Sequence[Board], nodes: Ints) -> int:
    """Nodes with both hands and all cards told apart; each board counts for those it stands for."""
    rules, total = game.rules, 0
    live = [(np.asarray(weights) > 0).astype(np.float64) for weights in game.ranges]
    times = [1] * len(boards)
    for k, board in enumerate(boards):
        if board.street:
            unseen = len(rules.deck) - len(boards[board.before].cards) - 2 * rules.hole
            ways = board.chance * comb(unseen, rules.deal[board.street])
            times[k] = times[board.before] * round(ways)
        free = rules.apart(board.cards)
        pairs = round(float((live[0] * free) @ meetings(live[1] * free)))
        total += times[k] * int(nodes[board.street]) * pairs
    return total
