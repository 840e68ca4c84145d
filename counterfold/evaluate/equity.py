"""Equity: what share of the pot each hand wins if all money goes in now."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import ParameterError, UnsupportedError
from counterfold.poker.cards import board_name, check_distinct
from counterfold.poker.game import (
    DEAL,
    NO_CARD,
    SHOWDOWN,
    BettingTree,
    CardRules,
    PokerGame,
    meetings,
    safe_weights,
)
from counterfold.tree.public import HARDLY as FEW
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import PublicArrays, money_of
from counterfold.tree.public_nodes import PublicNodes
from counterfold.tree.traversal import tape_of

__all__ = ["AllIn", "Equity", "Met", "equity", "showdown"]

Floats = NDArray[np.float64]
MOST_BOARDS = 500_000  # all cards of a hand, before suits are renamed
HARDLY = 1e-6  # of a range: where less of it can be met, strategies in 32 bits know no mean


class Equity(NamedTuple):
    """Shares of the pot by the numbers of hands, and player 0's over all pairs of hands."""

    first: Floats  # NaN where a hand weighs nothing or meets nobody
    second: Floats
    mean: float


class Met(NamedTuple):
    """How much of a range each hand meets on a whole board."""

    beaten: Floats  # [hands] by those that it beats
    tied: Floats
    all: Floats


def mean_over(total: Floats, met: Floats) -> Floats:
    """A sum over the opponents that each hand meets as a mean; NaN where it meets hardly any."""
    found = np.full(len(total), np.nan)
    some = met > HARDLY * met.max(initial=0.0)
    found[some] = total[some] / met[some]
    return found


def showdown(rules: CardRules, board: Sequence[int], weights: Floats) -> Met:
    """How much of a range each hand beats and ties on a board to which no card comes any more.

    Hands that the board blocks must weigh nothing; what is said of them means nothing.
    """
    strengths = rules.strengths(np.array([board], np.uint8).reshape(1, -1))[0]
    live = np.flatnonzero(weights > 0)
    live = live[np.argsort(strengths[live], kind="stable")]
    by_card = np.zeros((len(live) + 1, NO_CARD + 2))  # sums so far: by card, and of all
    at = np.arange(1, len(live) + 1)
    cards = rules.cards.astype(np.int64)
    by_card[at[:, None], cards[live]] = weights[live, None]
    by_card[:, NO_CARD] = 0.0
    by_card[1:, NO_CARD + 1] = weights[live]
    by_card = np.cumsum(by_card, 0)

    def met(upto: NDArray[np.int64]) -> Floats:
        found: Floats = by_card[upto, -1]
        return found - by_card[upto, cards[:, 0]] - by_card[upto, cards[:, 1]]

    ranked = strengths[live]
    beaten = met(np.searchsorted(ranked, strengths, "left"))
    same = weights if rules.hole == 2 else 0.0  # taken off with each of its two cards
    upto = met(np.searchsorted(ranked, strengths, "right")) + same
    # Differences of equal sums leave dust.
    dust = 1e-12 * float(weights.sum())
    beaten, tied = (np.where(x > dust, x, 0.0) for x in (beaten, upto - beaten))
    return Met(beaten, tied, meetings(rules, weights))


def deals(streets: int) -> BettingTree:
    """Betting in which nobody bets: cards come, and the best hand takes a pot of one."""
    count = np.arange(streets) < streets - 1
    payoff = np.zeros((streets, 2, 3))
    payoff[-1] = 1.0, 0.5, 0.0
    return BettingTree(
        street=np.arange(streets, dtype=np.uint8),
        kind=np.where(count, DEAL, SHOWDOWN).astype(np.uint8),
        player=np.full(streets, -1, np.int8),
        parent=np.arange(-1, streets - 1, dtype=np.int32),
        first=np.where(count, np.arange(1, streets + 1), 0).astype(np.int32),
        count=count.astype(np.int32),
        label=("",) * streets,
        paid=np.zeros((streets, 2)),
        payoff=payoff,
    )


class AllIn:
    """Equities on the boards of a public tree, whatever its betting."""

    def __init__(self, arrays: PublicArrays, room: Any = None) -> None:
        self.arrays, self.tree = arrays, arrays.tree
        self.nodes = PublicNodes(deals(self.tree.nodes.streets))
        self._room = arrays.room() if room is None else room
        self._given: Any = None

    def _arrays(self) -> Any:
        """The betting without bets as kernels take it; cards and hands are those of the tree."""
        from counterfold.kernels import public

        if self._given is None:
            money, ends = money_of(self.nodes, 1.0, self.arrays.dtype)
            none = np.zeros((1, 4), np.float32)  # as most strategies: one kernel for both
            self._given = money, ends, public.Table(none, none)
        return self._given

    def on(self, board: int, me: int, weights: Floats, met: Floats) -> Floats:
        """[holes] a player's equity on a board of the tree against weights of the opponent's.

        ``met`` is how much of these each hole meets. Before the last street the weights must be
        the same for holes that are one hand there.
        """
        tree, rules = self.tree, self.tree.game.rules
        hands = tree.hands[me][board]
        found = np.full(rules.holes, np.nan)
        if tree.boards[board].street == tree.last:
            shown = showdown(rules, tree.boards[board].cards, weights)
            shares = mean_over(shown.beaten + shown.tied / 2, met)
            found[hands.pairs] = shares[hands.pairs]
            return found
        found[hands.pairs] = mean_over(self._walk(board, me, weights)[hands.of], met[hands.pairs])
        return found

    def _walk(self, board: int, me: int, weights: Floats) -> Floats:
        """What each hand wins in all, over all boards that come after one."""
        from counterfold.kernels import public, rule

        money, ends, table = self._arrays()
        room, tree, arrays, nodes = self._room, self.tree, self.arrays, self.nodes
        street = tree.boards[board].street
        theirs, place = tree.hands[1 - me][board].holes, int(nodes.place[street])
        room.theirs[int(nodes.row[1 - me, street]), : len(theirs)] = weights[theirs]
        room.value[place] = 0
        tape = np.array(tape_of(tree, board)[1:-1], np.uint32).reshape(-1, 2)
        public.traverse(
            tape, money, arrays.boards, arrays.hands, (table, table), (None, None), (None, None),
            ends, room, np.array([me]), np.zeros((1, 3, rule.COLUMNS)), True, public.VALUE,
        )  # fmt: skip
        found: Floats = room.value[place, : len(tree.hands[me][board].holes)].astype(np.float64)
        return found


def equity(
    rules: CardRules,
    board: Sequence[int],
    first: Floats,
    second: Floats,
    deal: Sequence[int] = (),
) -> Equity:
    """Equities of two ranges on a board, exactly, over all cards that can still come.

    ``deal`` has how many cards each later street brings: ``(1, 1)`` on a flop. From before the
    flop to the river there are too many boards for that.

    >>> from counterfold.poker.cards import parse_board, parse_hole
    >>> from counterfold.poker.holdem import holdem_rules
    >>> from counterfold.poker.ranges import Range
    >>> board = parse_board("Ks 9h 6s 4d 2c")
    >>> one, two = Range.parse("AA,QQ"), Range.parse("KQs,QJs").without(board)
    >>> found = equity(holdem_rules((0,)), board, one.weights, two.weights)
    >>> round(found.mean, 4), float(found.second[parse_hole("KcQc")])
    (0.8571, 0.3333333333333333)
    """
    cards, deal = check_distinct(board), tuple(int(n) for n in deal)
    ranges = tuple(_range(rules, cards, weights) for weights in (first, second))
    met = [meetings(rules, weights) for weights in reversed(ranges)]
    total = float(ranges[0] @ met[0])
    if not total > FEW * float(ranges[0].sum() * ranges[1].sum()):
        raise ParameterError(
            "no two hands of these ranges can be held at once, or hardly any; widen a range"
        )
    shares = []
    if deal:
        _check_size(rules, cards, deal)
        told = CardRules(rules.deck, rules.hole, (0, *deal), rules.strengths)
        game = PokerGame("equity", told, deals(len(deal) + 1), cards, (ranges[0], ranges[1]))
        all_in = AllIn(PublicArrays(PublicTree(game), "float64"))
        shares = [all_in.on(0, p, ranges[1 - p], met[p]) for p in (0, 1)]
    else:
        for p in (0, 1):
            shown = showdown(rules, cards, ranges[1 - p])
            share = mean_over(shown.beaten + shown.tied / 2, met[p])
            shares.append(np.where(ranges[p] > 0, share, np.nan))
    mean = float(np.nansum(shares[0] * ranges[0] * met[0]) / total)
    return Equity(shares[0], shares[1], mean)


def _range(rules: CardRules, board: tuple[int, ...], weights: Floats) -> Floats:
    """A range without the hands that the board or the deck rules out."""
    there = np.zeros(NO_CARD + 1, bool)
    there[[*(set(rules.deck) - set(board)), NO_CARD]] = True
    found = np.asarray(weights, np.float64)
    if found.shape != (rules.holes,) or not (found >= 0).all():
        raise ParameterError(f"a range has {rules.holes:,} weights of 0 or more")
    return safe_weights(np.where(there[rules.cards].all(1), found, 0.0))


def _check_size(rules: CardRules, board: tuple[int, ...], deal: tuple[int, ...]) -> None:
    left, boards = len(rules.deck) - len(board), 1
    for count in deal:
        boards *= comb(left, count)
        left -= count
    if boards > MOST_BOARDS:
        where = f"after {board_name(board)}" if board else "before any card has come"
        raise UnsupportedError(
            f"{where} {boards:,} boards can follow, too many for equities by hand; deal a flop "
            "first, or ask for the ranges as a whole with evaluate.range_equity"
        )
