"""Best responses from a street on: the strategy is played to the street, and answered exactly.

The response plays as the strategy does before the street, and from there on what is best against
what the other may hold, over all cards that can come. What it gains is a lower bound on
exploitability, since a best response may leave the strategy earlier. Lines and boards up to the
street are drawn by how often they come: each is answered exactly, so that nothing but the draw is
left to chance, and no maximum is taken over anything that was drawn. The mean is that of the gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.equity import showdown
from counterfold.games.spec import whole
from counterfold.play.lbr import poker_policy
from counterfold.poker.cards import CARDS
from counterfold.poker.game import DEAL, DECISION, FOLD, PokerGame, meetings
from counterfold.strategy.strategy import Strategy


@dataclass(frozen=True)
class LateResponse:
    """What a best response from a street on gains, in the game's units a hand.

    ``gain`` is over both players (half of what they gain together), with its standard error; it
    bounds exploitability from below. ``reached`` is the share of drawn lines that came so far.
    """

    street: int
    boards: int
    gain: float
    error: float
    by_player: tuple[float, float]
    reached: float

    @property
    def half(self) -> float:
        """Half of the 95% interval."""
        return 1.96 * self.error


def late_response(
    strategy: Strategy[Any],
    street: int,
    boards: int,
    *,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> LateResponse:
    """Draw so many lines with their boards, and answer the strategy from a street on.

    Each is answered for both players. From the first street on there is nothing to draw, and the
    gain is the exploitability itself.

    >>> import counterfold as cf
    >>> from counterfold.poker.holdem import leduc
    >>> uniform = cf.Strategy.uniform(leduc())
    >>> round(late_response(uniform, 0, 2).gain - cf.exploitability(uniform), 6)
    0.0
    """
    game, policy = poker_policy(strategy)
    if len(game.ranges) != 2:
        raise UnsupportedError("best responses from a street on are for two players")
    whole("boards", boards, least=2)
    if not 0 <= street < game.betting.streets:
        raise ParameterError(f"{game.name} has {game.betting.streets} streets")
    answers = _Answers(game, policy, street)
    rng, gains, reached = np.random.default_rng(seed), [], 0
    for n in range(boards):
        try:
            found = answers.drawn(rng)
            if on_progress:
                on_progress(n + 1, boards)
        except KeyboardInterrupt:
            if n < 2:
                raise
            break
        reached += found is not None
        gains.append(found or (0.0, 0.0))
    each = np.array(gains)
    both = each.mean(1)
    first, second = each.mean(0).tolist()
    error = float(both.std(ddof=1)) / math.sqrt(len(both))
    return LateResponse(
        street, len(both), float(both.mean()), error, (first, second), reached / len(both)
    )


class _Answers:
    """Values of a strategy, and of what is best against it, hand by hand over the betting."""

    def __init__(self, game: PokerGame, policy: Any, street: int) -> None:
        self.game, self.policy, self.street = game, policy, street
        self.tree, self.rules = game.betting, game.rules
        self.cards = game.rules.cards
        self.free = np.stack([~(self.cards == card).any(1) for card in range(CARDS)])

    def drawn(self, rng: np.random.Generator) -> tuple[float, float] | None:
        """What each player gains on a line that is drawn; None where the hand ends before."""
        tree, node, board = self.tree, 0, tuple(self.game.board)
        reach = [np.asarray(weights, np.float64) for weights in self.game.ranges]
        while int(tree.street[node]) < self.street:
            if tree.kind[node] == DEAL:
                count = self.rules.deal[int(tree.street[node]) + 1]
                cards = self._cards(board, count, reach, rng)
                board = (*board, *cards)
                reach = [self._without(own, cards) for own in reach]
                node = int(tree.first[node])
            elif tree.kind[node] == DECISION:
                me = int(tree.player[node])
                shares = self.policy(node, board)
                other = meetings(reach[1 - me])
                likely = (shares * reach[me]) @ other
                k = int(rng.choice(len(likely), p=likely / likely.sum()))
                reach[me] = reach[me] * shares[k]
                node = int(tree.first[node]) + k
            else:
                return None
        mass = float(reach[0] @ meetings(reach[1]))
        gains = []
        for me in (0, 1):
            values = [
                float(reach[me] @ self.value(node, board, reach[1 - me], me, best)) / mass
                for best in (True, False)
            ]
            gains.append(max(values[0] - values[1], 0.0))
        return gains[0], gains[1]

    def _cards(
        self, board: tuple[int, ...], count: int, reach: list[Floats], rng: np.random.Generator
    ) -> tuple[int, ...]:
        """Cards of a street by how likely they come, given what both may hold."""
        found: tuple[int, ...] = ()
        while len(found) < count:
            left = [c for c in self.rules.deck if c not in board and c not in found]
            mass = np.array([self._met(reach, (*found, card)) for card in left])
            found = (*found, int(rng.choice(left, p=mass / mass.sum())))
        return found

    def _met(self, reach: list[Floats], cards: tuple[int, ...]) -> float:
        first, second = (self._without(own, cards) for own in reach)
        return float(first @ meetings(second))

    def _without(self, weights: Floats, cards: tuple[int, ...]) -> Floats:
        for card in cards:
            weights = weights * self.free[card]
        return weights

    def value(
        self, node: int, board: tuple[int, ...], other: Floats, me: int, best: bool
    ) -> Floats:
        """[holes] what a player's hands win against what the other came with, not yet divided."""
        tree, kind = self.tree, int(self.tree.kind[node])
        if kind == FOLD:
            return float(tree.payoff[node, me, 0]) * meetings(other)
        if kind == DEAL:
            return self._deal(node, board, other, me, best)
        if kind != DECISION:
            wins, ties, all_ = showdown(self.rules, board, other)
            win, tie, lose = tree.payoff[node, me].tolist()
            return np.asarray(win * wins + tie * ties + lose * (all_ - wins - ties))
        shares, children = self.policy(node, board), list(tree.children(node))
        if tree.player[node] != me:
            parts = [
                self.value(child, board, other * own, me, best)
                for child, own in zip(children, shares, strict=True)
                if (other * own).any()
            ]
            return np.asarray(sum(parts, np.zeros(len(other))))
        values = np.stack([self.value(child, board, other, me, best) for child in children])
        if best and tree.street[node] >= self.street:
            return np.asarray(values.max(0))
        return np.asarray((shares * values).sum(0))

    def _deal(
        self, node: int, board: tuple[int, ...], other: Floats, me: int, best: bool
    ) -> Floats:
        """The mean over all cards that can come to two hands."""
        count = self.rules.deal[int(self.tree.street[node]) + 1]
        left = [card for card in self.rules.deck if card not in board]
        ways = math.comb(len(left) - 2 * self.rules.hole, count)
        total, after = np.zeros(len(other)), int(self.tree.first[node])
        for cards in combinations(left, count):
            found = self.value(after, (*board, *cards), self._without(other, cards), me, best)
            total += self._without(found, cards)
        return total / ways
