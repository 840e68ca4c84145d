"""Hands dealt and played out by strategies over a public tree: what exact numbers are held to.

Cards are dealt as a dealer deals them. Each hand looks up what it does on the board of the tree
that stands for its own, with suits renamed; showdowns are settled on the cards that were dealt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.errors import MismatchError, ParameterError
from counterfold.poker.cards import NO_CARD
from counterfold.poker.game import DEAL, DECISION, FOLD
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree

BATCH = 1 << 16


class Sampled(NamedTuple):
    """What players won in hands that were played: the mean and its standard error."""

    hands: int
    mean: tuple[float, float]
    error: tuple[float, float]


def play_hands(
    first: Strategy[PublicTree],
    second: Strategy[PublicTree],
    hands: int,
    random: np.random.Generator,
) -> Sampled:
    """Player 0 plays its part of ``first`` and player 1 its part of ``second``.

    >>> from counterfold.poker.holdem import kuhn
    >>> uniform = Strategy.uniform(PublicTree(kuhn()))
    >>> found = play_hands(uniform, uniform, 20_000, np.random.default_rng(1))
    >>> abs(found.mean[0] - 0.125) < 3 * found.error[0]
    True
    """
    if first.tree.fingerprint != second.tree.fingerprint:
        raise MismatchError("the two strategies are of different games or of different trees")
    if isinstance(hands, bool) or not isinstance(hands, int) or hands < 2:
        raise ParameterError(f"hands is {hands!r}, and must be a whole number from 2 up")
    total, square, left = np.zeros(2), np.zeros(2), hands
    while left:
        size = min(left, BATCH)
        won = _Table(first, second, size, random).play()
        total, square, left = total + won.sum(0), square + (won**2).sum(0), left - size
    mean = total / hands
    error = np.sqrt(np.maximum(square / hands - mean**2, 0.0) / (hands - 1))
    return Sampled(hands, (float(mean[0]), float(mean[1])), (float(error[0]), float(error[1])))


class _Table:
    """A batch of hands, all played at once: at each node, those that come there."""

    def __init__(
        self,
        first: Strategy[PublicTree],
        second: Strategy[PublicTree],
        size: int,
        random: np.random.Generator,
    ) -> None:
        self.tree: PublicTree = first.tree
        self.tables = first.tables[0], second.tables[1]
        self.game, self.rules = self.tree.game, self.tree.game.rules
        self.random = random
        self.cards = self.rules.cards.astype(np.int64)
        self.holes = self._deal_holes(size)  # [hands, 2]
        self.dealt = np.zeros((size, 0), np.int64)  # to the board, beyond the first board
        self.board = np.zeros(size, np.int64)  # the tree's board that stands for it
        self.names = np.tile(np.arange(4), (size, 1))  # the tree's suit for each suit
        self.won = np.full((size, 2), np.nan)

    def _deal_holes(self, size: int) -> Ints:
        weights = [np.asarray(weight, np.float64) for weight in self.game.ranges]
        found = np.zeros((0, 2), np.int64)
        while len(found) < size:
            drawn = [
                self.random.choice(len(weight), size, p=weight / weight.sum()) for weight in weights
            ]
            one, other = (self.cards[holes] for holes in drawn)
            meet = (one[:, :, None] == other[:, None, :]) & (one != NO_CARD)[:, :, None]
            found = np.concatenate([found, np.stack(drawn, 1)[~meet.any((1, 2))]])
        return found[:size]

    def play(self) -> Floats:
        """[hands, 2] what each player won."""
        self._go(0, np.arange(len(self.holes)))
        return self.won

    def _go(self, node: int, who: Ints) -> None:
        betting = self.game.betting
        if not len(who):
            return
        kind = betting.kind[node]
        if kind == DECISION:
            taken = self._choose(node, who)
            for a, child in enumerate(betting.children(node)):
                self._go(child, who[taken == a])
        elif kind == DEAL:
            self._deal(int(betting.street[node]) + 1, who)
            self._go(int(betting.first[node]), who)
        elif kind == FOLD:
            self.won[who] = betting.payoff[node, :, 0]
        else:
            case = self._compare(who, int(betting.street[node]))
            self.won[who, 0] = betting.payoff[node, 0][case]
            self.won[who, 1] = betting.payoff[node, 1][2 - case]

    def _choose(self, node: int, who: Ints) -> Ints:
        """The action of each hand at a node."""
        nodes = self.tree.nodes
        n = int(nodes.new[node])
        owner, actions = int(nodes.owner[n]), int(nodes.count[n])
        numbers, place = np.unique(self.board[who], return_inverse=True)
        column = np.full((len(numbers), self.rules.holes), -1, np.int32)
        for row, number in zip(column, numbers, strict=True):
            hands = self.tree.hands[owner][number]
            row[hands.pairs] = hands.of
        columns = column[place, self._renamed_holes(who, owner)]
        assert (columns >= 0).all(), "a hand that its board does not leave"
        rows = self.tree.base[self.board[who], owner] + int(nodes.slot[n])
        weights = self.tables[owner][rows[:, None] + np.arange(actions), columns[:, None]]
        weights = np.maximum(weights.astype(np.float64), 0.0)
        weights[weights.sum(1) == 0] = 1.0
        sums = np.cumsum(weights, 1)
        point = self.random.random(len(who)) * sums[:, -1]
        taken: Ints = (point[:, None] >= sums).sum(1)
        return np.minimum(taken, actions - 1)

    def _renamed_holes(self, who: Ints, player: int) -> Ints:
        faces = self.cards[self.holes[who, player]]
        if self.rules.hole == 1:
            return self._renamed(faces[:, :1], who)[:, 0]
        low, high = np.sort(self._renamed(faces, who), 1).T
        numbers: Ints = high * (high - 1) // 2 + low
        return numbers

    def _renamed(self, cards: Ints, who: Ints) -> Ints:
        """[hands, cards] with the suits of the tree."""
        suits = np.take_along_axis(self.names[who], cards % 4, 1)
        return cards // 4 * 4 + suits

    def _deal(self, street: int, who: Ints) -> None:
        """Cards of a street from what is left of each hand's deck; the tree's board for them."""
        before, more = sum(self.rules.deal[1:street]), self.rules.deal[street]
        if self.dealt.shape[1] < before + more:
            room = np.full((len(self.holes), more), NO_CARD)
            self.dealt = np.concatenate([self.dealt, room], 1)
        order = self.random.random((len(who), NO_CARD + 1))
        gone = np.ones(NO_CARD + 1, bool)
        gone[list(self.rules.deck)] = False
        gone[list(self.game.board)] = True
        order[:, gone] = 2.0
        held = self.cards[self.holes[who]].reshape(len(who), -1)
        for cards in (held, self.dealt[who, :before]):
            np.put_along_axis(order, cards, 2.0, 1)
        new = np.argsort(order, 1)[:, :more]
        self.dealt[who, before : before + more] = new
        self._find_boards(who, np.sort(self._renamed(new, who), 1))

    def _find_boards(self, who: Ints, new: Ints) -> None:
        """Go on to the boards of the tree that stand for what has come."""
        digits = 64 ** np.arange(new.shape[1])
        here = self.board[who].copy()
        for number in np.unique(here):
            board, some = self.tree.boards[number], here == number
            codes = np.stack(
                [np.sort(new[some] // 4 * 4 + names[new[some] % 4], 1) @ digits
                 for names in board.renamings]
            )  # fmt: skip
            which = codes.argmin(0)
            children = np.array(self.tree.children[number])
            known = np.array(
                [np.sort(self.tree.boards[c].cards[len(board.cards) :]) @ digits for c in children]
            )
            order = np.argsort(known)
            at = order[np.searchsorted(known, codes.min(0), sorter=order)]
            self.board[who[some]] = children[at]
            turned = board.renamings[which]
            self.names[who[some]] = np.take_along_axis(turned, self.names[who[some]], 1)

    def _compare(self, who: Ints, street: int) -> Ints:
        """Who has the better cards: 0 for player 0, 1 for both, 2 for player 1."""
        size = sum(self.rules.deal[1 : street + 1])
        first = np.tile(np.array(self.game.board, np.int64), (len(who), 1))
        boards = np.concatenate([first, np.sort(self.dealt[who, :size], 1)], 1).astype(np.uint8)
        unique, at = np.unique(boards, axis=0, return_inverse=True)
        at = at.reshape(-1)
        case = np.zeros(len(who), np.int64)
        for begin in range(0, len(unique), 4096):
            strengths = self.rules.strengths(unique[begin : begin + 4096])
            some = np.flatnonzero((at >= begin) & (at < begin + 4096))
            one, other = (
                strengths[at[some] - begin, self.holes[who[some], p]].astype(np.int64)
                for p in (0, 1)
            )
            case[some] = 1 - np.sign(one - other)
        return case
