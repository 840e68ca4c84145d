"""Local best response (Lisy and Bowling 2017): what a simple opponent wins from a strategy.

It knows the strategy, keeps the range of hands that the other may hold by Bayes' rule, and takes
the action that is best if the rest of the hand were checked and called. What it wins is a lower
bound on what a best response would. The other's cards are never drawn: its actions are by its whole
range, and so is what a showdown is worth, which is what makes few hands enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from counterfold.abstraction.bucket_layout import BucketLayout, BucketTables
from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError, short
from counterfold.games.spec import whole
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, PokerGame, meetings
from counterfold.strategy.hands import HandTables
from counterfold.strategy.strategy import Strategy
from counterfold.tree.boards import renamed_holes
from counterfold.tree.find import find_board
from counterfold.tree.public import PublicTree

Policy = Callable[[int, tuple[int, ...]], Floats]
"""[actions, holes] what every hand does at a node of the betting on a board."""

KINDS = {
    "fold-call": "folds or calls, and never bets",
    "late": "bets on the last two streets, all sizes that the strategy knows",
    "all": "bets on every street, all sizes that the strategy knows",
}
"""What it may do, by name."""
BOARDS = 300
"""Whole boards that are drawn to guess equities where there are more."""


@dataclass(frozen=True)
class LocalResponse:
    """What a local best response wins, in the game's units a hand, with its standard error."""

    kind: str
    hands: int
    value: float
    error: float
    by_player: tuple[float, float]  # as which player it won how much
    exact: bool

    @property
    def half(self) -> float:
        """Half of the 95% interval."""
        return 1.96 * self.error


def local_best_response(
    strategy: Strategy[Any],
    hands: int | None = None,
    kind: str = "all",
    *,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> LocalResponse:
    """What a local best response wins from a strategy of two-player poker, as each player in turn.

    Without a number of hands all of them are looked at, which small games allow.

    >>> import counterfold as cf
    >>> from counterfold.poker.holdem import kuhn
    >>> found = local_best_response(cf.Strategy.uniform(kuhn()))
    >>> found.exact, round(found.by_player[1], 6)
    (True, 0.416667)
    """
    if kind not in KINDS:
        raise ParameterError(f"{short(kind)} is no local best response; there are {list(KINDS)}")
    game, policy = _policy(strategy)
    walks = [_Walk(game, policy, me, kind, np.random.default_rng([seed, me])) for me in (0, 1)]
    if hands is None:
        own = [walk.all_hands() for walk in walks]
        return LocalResponse(kind, 0, sum(own) / 2, 0.0, (own[0], own[1]), True)
    whole("hands", hands, least=4)
    won: tuple[list[float], list[float]] = [], []
    for n in range(hands):
        won[n % 2].append(walks[n % 2].one_hand())
        if on_progress:
            on_progress(n + 1, hands)
    means = [float(np.mean(own)) for own in won]
    errors = [float(np.std(own, ddof=1)) / math.sqrt(len(own)) for own in won]
    error = math.hypot(*errors) / 2
    return LocalResponse(kind, hands, sum(means) / 2, error, (means[0], means[1]), False)


def _policy(strategy: Strategy[Any]) -> tuple[PokerGame, Policy]:
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
    if len(game.ranges) != 2:
        raise UnsupportedError("a local best response is for two players")
    return game, lru_cache(256)(policy)


class _Walk:
    """Hands of a local best response as one player."""

    def __init__(
        self, game: PokerGame, policy: Policy, me: int, kind: str, random: np.random.Generator
    ) -> None:
        self.game, self.policy, self.me, self.kind, self.random = game, policy, me, kind, random
        self.tree, self.rules = game.betting, game.rules
        self.cards = game.rules.cards.astype(np.int64)
        first, second = game.ranges[me], game.ranges[1 - me]
        self.mass = np.asarray(first * meetings(second))
        self.ends = len(game.board) + sum(game.rules.deal)
        self.everything = False
        self._equities: dict[tuple[int, ...], tuple[Floats, Floats]] = {}

    def all_hands(self) -> float:
        """The exact value, over all hands and boards."""
        self.everything = True
        total = 0.0
        for hole in np.flatnonzero(self.mass).tolist():
            total += self.mass[hole] * self._hand(hole)
        return float(total / self.mass.sum())

    def one_hand(self) -> float:
        """What one hand is worth that is drawn by the ranges."""
        return self._hand(int(self.random.choice(len(self.mass), p=self.mass / self.mass.sum())))

    def _hand(self, hole: int) -> float:
        self.hole, self._equities = hole, {}
        self.held = [int(card) for card in self.cards[hole][: self.rules.hole]]
        range_ = np.asarray(self.game.ranges[1 - self.me], np.float64)
        range_ = self._without(range_, tuple(self.held))
        return self._value(0, tuple(self.game.board), range_ / range_.sum())

    def _value(self, node: int, board: tuple[int, ...], range_: Floats) -> float:
        """The expectation from here on, against a range that sums to one."""
        tree, kind = self.tree, int(self.tree.kind[node])
        if kind in (FOLD, SHOWDOWN):
            return self._end(node, board, range_)
        if kind == DEAL:
            return self._deal(node, board, range_)
        children = list(tree.children(node))
        if tree.player[node] == self.me:
            return self._value(children[self._choice(node, board, range_)], board, range_)
        shares = self.policy(node, board) * range_
        likely = shares.sum(1)
        return sum(
            weight * self._value(children[k], board, shares[k] / likely[k])
            for k, weight in self._branches(likely / likely.sum())
        )

    def _branches(self, likely: Floats) -> Iterable[tuple[int, float]]:
        """All that can happen by how likely it is, or one thing that is drawn."""
        if self.everything:
            return [(k, float(p)) for k, p in enumerate(likely) if p > 0]
        return [(int(self.random.choice(len(likely), p=likely)), 1.0)]

    def _deal(self, node: int, board: tuple[int, ...], range_: Floats) -> float:
        """Cards come by how much of the range leaves them in the deck: all sets of them, or one."""
        after = int(self.tree.first[node])
        count = self.rules.deal[int(self.tree.street[after])]
        gone = {*board, *self.held}
        left = [card for card in self.rules.deck if card not in gone]
        if self.everything:
            sets = list(combinations(left, count))
        else:  # one by one
            sets = [()]
            while len(sets[0]) < count:
                rest = [card for card in left if card not in sets[0]]
                free = np.array([self._without(range_, (*sets[0], card)).sum() for card in rest])
                sets = [(*sets[0], int(self.random.choice(rest, p=free / free.sum())))]
        kept = [self._without(range_, cards) for cards in sets]
        masses = np.array([float(one.sum()) for one in kept])
        masses /= masses.sum()
        total = 0.0
        for cards, one, share in zip(sets, kept, masses.tolist(), strict=True):
            if share > 0:
                total += share * self._value(after, (*board, *cards), one / one.sum())
        return total

    def _without(self, range_: Floats, cards: tuple[int, ...]) -> Floats:
        """What of a range holds none of some cards."""
        return np.where(np.isin(self.cards, cards).any(1), 0.0, range_)

    def _end(self, node: int, board: tuple[int, ...], range_: Floats) -> float:
        payoff = self.tree.payoff[node, self.me]
        if self.tree.kind[node] == FOLD:
            return float(payoff[0])
        strengths = self.rules.strengths(np.array([board], np.uint8))[0].astype(np.int64)
        mine, theirs = strengths[self.hole], strengths
        wins, ties = float(range_[theirs < mine].sum()), float(range_[theirs == mine].sum())
        return float(payoff @ [wins, ties, max(0.0, 1.0 - wins - ties)])

    def _choice(self, node: int, board: tuple[int, ...], range_: Floats) -> int:
        """The place of the action that is best if nobody bets after it (their equations 1 to 3)."""
        tree, me = self.tree, self.me
        paid = tree.paid[node]
        pot, asked = float(paid.sum()), float(paid[1 - me] - paid[me])
        late = int(tree.street[node]) >= tree.streets - 2
        worth = []
        for child in tree.children(node):
            raised = float(tree.paid[child, me] - paid[1 - me])
            if tree.kind[child] == FOLD and tree.player[child] == me:
                worth.append(0.0)
            elif raised <= 0:
                share = self._equity(board, range_)
                worth.append(share * pot - (1 - share) * asked)
            elif self.kind == "all" or (self.kind == "late" and late):
                worth.append(self._raise(child, board, range_, pot, asked, raised))
            else:
                worth.append(-math.inf)
        return int(np.argmax(worth))

    def _raise(
        self, child: int, board: tuple[int, ...], range_: Floats, pot: float, asked: float,
        raised: float,
    ) -> float:  # fmt: skip
        """What a bet is worth: the pot where the other folds, else a showdown for more."""
        tree, stays, folds = self.tree, range_, 0.0
        if tree.kind[child] == DECISION and tree.player[child] != self.me:
            shares = self.policy(child, board)
            gives_up = [tree.kind[k] == FOLD for k in tree.children(child)]
            stays = range_ * shares[~np.array(gives_up)].sum(0)
            folds = 1.0 - float(stays.sum())
        if not stays.sum() > 0:
            return pot
        share = self._equity(board, stays)
        return folds * pot + (1 - folds) * (share * (pot + raised) - (1 - share) * (asked + raised))

    def _equity(self, board: tuple[int, ...], range_: Floats) -> float:
        """The share of the pot at a showdown against a range, over the cards that come."""
        wins, met = self._against(board)
        return float(range_ @ wins / max(float(range_ @ met), 1e-300))

    def _against(self, board: tuple[int, ...]) -> tuple[Floats, Floats]:
        """[holes] what is won from each hand, and on how many boards it is met; some are drawn."""
        if board in self._equities:
            return self._equities[board]
        gone, more = {*board, *self.held}, self.ends - len(board)
        left = [card for card in self.rules.deck if card not in gone]
        if math.comb(len(left), more) <= (math.inf if self.everything else 4 * BOARDS):
            rest = np.array(list(combinations(left, more)), np.uint8)
        else:
            keys = self.random.random((BOARDS, len(left)))
            rest = np.array(left, np.uint8)[np.argpartition(keys, more, 1)[:, :more]]
        rest = rest.reshape(len(rest), more)
        boards = np.hstack([np.tile(np.array(board, np.uint8), (len(rest), 1)), rest])
        strengths = self.rules.strengths(boards).astype(np.int64)
        mine = strengths[:, self.hole, None]
        blocked = np.zeros((len(rest), 256), bool)
        np.put_along_axis(blocked, rest.astype(np.int64), True, 1)
        free = ~blocked[:, self.cards[:, 0]]
        if self.rules.hole == 2:
            free &= ~blocked[:, self.cards[:, 1]]
        won = np.where(strengths < mine, 1.0, np.where(strengths == mine, 0.5, 0.0))
        self._equities[board] = (won * free).sum(0), free.sum(0).astype(np.float64)
        return self._equities[board]
