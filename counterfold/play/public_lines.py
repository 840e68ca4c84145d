"""Public lines of a poker game, drawn with all hands of both players at once.

A line is what everybody sees: betting and board. Nobody's cards are drawn; with each line goes how
often every hand of both players comes along it, by what they play.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from counterfold.abstraction.bucket_layout import BucketLayout, BucketTables
from counterfold.arrays import Floats
from counterfold.errors import UnsupportedError
from counterfold.evaluate.equity import showdown
from counterfold.poker.cards import CARDS
from counterfold.poker.game import DEAL, DECISION, FOLD, CardRules, PokerGame, meetings
from counterfold.strategy.hands import HandTables
from counterfold.strategy.strategy import AnyStrategy
from counterfold.tree.boards import renamed_holes
from counterfold.tree.find import find_board
from counterfold.tree.public import PublicTree

Policy = Callable[[int, tuple[int, ...]], Floats]
"""[actions, holes] what every hand does at a node of the betting on a board."""
Respond = Callable[[int, tuple[int, ...], Floats], Floats]
"""[holes] what a decision is worth to a response, of what actions [actions, holes] are."""
Deals = Callable[[tuple[int, ...], int], Sequence[tuple[int, ...]]]
"""Sets of so many cards that come to a board, each as likely as any other."""


def poker_policy(strategy: AnyStrategy) -> tuple[PokerGame, Policy]:
    """The game of a strategy, and what all of its hands do."""
    form = strategy.tree
    if isinstance(strategy.layout, BucketLayout):
        tables, game = BucketTables.of(strategy), form.game
        policy: Policy = lambda node, board: tables.expand(board, node).astype(np.float64)  # noqa: E731
    elif isinstance(form, PublicTree):
        by_hand, game = HandTables(form, strategy.tables), form.game

        def policy(node: int, board: tuple[int, ...]) -> Floats:
            number, names = find_board(form, board)
            shares = by_hand.at(node, number)
            every = np.arange(game.rules.holes)
            return np.nan_to_num(shares[:, renamed_holes(game.rules, every, names)])
    else:
        raise UnsupportedError(
            f"a local best response is for poker, and {strategy.spec} is not laid out as that"
        )
    return game, lru_cache(256)(policy)


class Line(NamedTuple):
    """Where a line has come to, with the weights of both players' hands there."""

    node: int
    board: tuple[int, ...]
    reach: tuple[Floats, Floats]

    @property
    def mass(self) -> float:
        """Of all pairs of hands that can be held at once."""
        return float(self.reach[0] @ meetings(self.reach[1]))


class CardDraws:
    """Cards of a street by how likely they come, given what both players may hold."""

    def __init__(self, rules: CardRules) -> None:
        self.rules = rules
        self.free = np.stack([~(rules.cards == card).any(1) for card in range(CARDS)])

    def drawn(
        self, board: tuple[int, ...], count: int, reach: Sequence[Floats], rng: np.random.Generator
    ) -> tuple[tuple[int, ...], float]:
        """So many cards that come to a board, and how likely they were in this order."""
        found: tuple[int, ...] = ()
        chance = 1.0
        while len(found) < count:
            left = [c for c in self.rules.deck if c not in board and c not in found]
            mass = np.array([self._met(reach, (*found, card)) for card in left])
            k = int(rng.choice(len(left), p=mass / mass.sum()))
            found, chance = (*found, left[k]), chance * float(mass[k] / mass.sum())
        return found, chance

    def _met(self, reach: Sequence[Floats], cards: tuple[int, ...]) -> float:
        first, second = (self.without(own, cards) for own in reach)
        return float(first @ meetings(second))

    def without(self, weights: Floats, cards: tuple[int, ...]) -> Floats:
        """What of a range holds none of some cards."""
        for card in cards:
            weights = weights * self.free[card]
        return weights


class PublicLines(CardDraws):
    """Lines of a game between strategies, and what hands are worth on them.

    ``deals`` says which cards come where values are summed: all sets of them unless it is given.
    """

    def __init__(self, game: PokerGame, policy: Policy, deals: Deals | None = None) -> None:
        super().__init__(game.rules)
        self.game, self.policy, self.deals, self.tree = game, policy, deals, game.betting

    def root(self) -> Line:
        first, second = (np.asarray(weights, np.float64) for weights in self.game.ranges)
        return Line(0, tuple(self.game.board), (first, second))

    def street(self, line: Line) -> int:
        return int(self.tree.street[line.node])

    def next_street(
        self, line: Line, rng: np.random.Generator, policies: tuple[Policy, Policy] | None = None
    ) -> Line | None:
        """Play a street by policies of the players; None where the hand ends on it."""
        tree, (node, board, (first, second)) = self.tree, line
        reach = [first, second]
        while tree.kind[node] == DECISION:
            me = int(tree.player[node])
            shares = (policies[me] if policies else self.policy)(node, board)
            likely = (shares * reach[me]) @ meetings(reach[1 - me])
            k = int(rng.choice(len(likely), p=likely / likely.sum()))
            reach[me] = reach[me] * shares[k]
            node = int(tree.first[node]) + k
        if tree.kind[node] != DEAL:
            return None
        cards, _ = self.drawn(board, self.rules.deal[int(tree.street[node]) + 1], reach, rng)
        first, second = (self.without(own, cards) for own in reach)
        return Line(int(tree.first[node]), (*board, *cards), (first, second))

    def value(
        self, node: int, board: tuple[int, ...], other: Floats, me: int, respond: Respond
    ) -> Floats:
        """[2, holes] what a player's hands win against what the other came with, not yet divided:
        by a response, and by the strategy. Where both are the same there may be one row."""
        tree, kind = self.tree, int(self.tree.kind[node])
        if kind == FOLD:
            return (float(tree.payoff[node, me, 0]) * meetings(other))[None]
        if kind == DEAL:
            return self._deal(node, board, other, me, respond)
        if kind != DECISION:
            wins, ties, all_ = showdown(self.rules, board, other)
            win, tie, lose = tree.payoff[node, me].tolist()
            return np.asarray(win * wins + tie * ties + lose * (all_ - wins - ties))[None]
        shares, children = self.policy(node, board), list(tree.children(node))
        if tree.player[node] != me:
            parts = [
                self.value(child, board, other * own, me, respond)
                for child, own in zip(children, shares, strict=True)
                if (other * own).any()
            ]
            return np.asarray(sum(parts, np.zeros((1, len(other)))))
        values = [self.value(child, board, other, me, respond) for child in children]
        own = (shares * np.stack([each[-1] for each in values])).sum(0)
        return np.stack([respond(node, board, np.stack([each[0] for each in values])), own])

    def _deal(
        self, node: int, board: tuple[int, ...], other: Floats, me: int, respond: Respond
    ) -> Floats:
        """The mean over the cards that can come to two hands."""
        count = self.rules.deal[int(self.tree.street[node]) + 1]
        left = [card for card in self.rules.deck if card not in board]
        sets = list(combinations(left, count)) if self.deals is None else self.deals(board, count)
        total, after = np.zeros((1, len(other))), int(self.tree.first[node])
        for cards in sets:
            found = self.value(after, (*board, *cards), self.without(other, cards), me, respond)
            total = total + self.without(found, cards)
        ways = math.comb(len(left) - 2 * self.rules.hole, count)
        return total * math.comb(len(left), count) / (len(sets) * ways)
