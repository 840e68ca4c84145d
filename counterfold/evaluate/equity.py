"""Equity: what share of the pot each hand wins if all money goes in now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.poker.cards import NO_CARD
from counterfold.poker.equities import boards_left
from counterfold.poker.game import DEAL, SHOWDOWN, BettingTree, CardRules, meetings
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import PublicArrays, money_of
from counterfold.tree.public_nodes import PublicNodes
from counterfold.tree.traversal import tape_of

if TYPE_CHECKING:
    from counterfold.kernels import public

HARDLY = 1e-6  # of a range: where less of it can be met, strategies in 32 bits know no mean


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

    def met(upto: Ints) -> Floats:
        found: Floats = by_card[upto, -1]
        return found - by_card[upto, cards[:, 0]] - by_card[upto, cards[:, 1]]

    ranked = strengths[live]
    beaten = met(np.searchsorted(ranked, strengths, "left"))
    same = weights if rules.hole == 2 else 0.0  # taken off with each of its two cards
    upto = met(np.searchsorted(ranked, strengths, "right")) + same
    # Differences of equal sums leave dust.
    dust = 1e-12 * float(weights.sum())
    beaten, tied = (np.where(x > dust, x, 0.0) for x in (beaten, upto - beaten))
    return Met(beaten, tied, meetings(weights))


def shown_on(tree: PublicTree, board: int, weights: Floats) -> Met:
    """The same on a board of a tree's last street: a mean over the cards that come after it."""
    rules, cards = tree.game.rules, tree.boards[board].cards
    if not tree.rest:
        return showdown(rules, cards, weights)
    wins, left = tree.wins(board), boards_left(rules, cards, tree.rest)
    beaten, met = wins @ weights / left, meetings(weights)
    return Met(beaten, met - beaten - weights @ wins / left, met)


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

    def __init__(self, arrays: PublicArrays, room: public.Room | None = None) -> None:
        self.arrays, self.tree = arrays, arrays.tree
        self.nodes = PublicNodes(deals(self.tree.nodes.streets))
        self._room = arrays.room() if room is None else room

    @cached_property
    def _given(self) -> tuple[public.Money, tuple[public.Ends, ...], public.Table]:
        """The betting without bets as kernels take it; cards and hands are those of the tree."""
        from counterfold.kernels import public

        money, ends = money_of(self.nodes, 1.0, self.arrays.dtype)
        none = np.zeros((1, 4), np.float32)  # as most strategies: one kernel for both
        return money, ends, public.Table(none, none)

    def on(self, board: int, me: int, weights: Floats, met: Floats) -> Floats:
        """[holes] a player's equity on a board of the tree against weights of the opponent's.

        ``met`` is how much of these each hole meets. Before the last street the weights must be
        the same for holes that are one hand there.
        """
        tree, rules = self.tree, self.tree.game.rules
        hands = tree.hands[me][board]
        found = np.full(rules.holes, np.nan)
        if tree.boards[board].street == tree.last:
            shown = shown_on(tree, board, weights)
            shares = mean_over(shown.beaten + shown.tied / 2, met)
            found[hands.pairs] = shares[hands.pairs]
            return found
        found[hands.pairs] = mean_over(self._walk(board, me, weights)[hands.of], met[hands.pairs])
        return found

    def _walk(self, board: int, me: int, weights: Floats) -> Floats:
        """What each hand wins in all, over all boards that come after one."""
        from counterfold.kernels import public

        money, ends, table = self._given
        room, tree, arrays, nodes = self._room, self.tree, self.arrays, self.nodes
        street = tree.boards[board].street
        theirs, place = tree.hands[1 - me][board].holes, int(nodes.place[street])
        room.theirs[int(nodes.row[1 - me, street]), : len(theirs)] = weights[theirs]
        room.value[place] = 0
        tape = np.array(tape_of(tree, board)[1:-1], np.uint32).reshape(-1, 2)
        public.traverse(
            tape, public.Ground(money, arrays.boards, ends), arrays.sides((table, table)), room,
            np.array([me]), None, True, public.VALUE,
        )  # fmt: skip
        found: Floats = room.value[place, : len(tree.hands[me][board].holes)].astype(np.float64)
        return found
