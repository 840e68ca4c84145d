"""How a blueprint leads into the last street of a poker game, or players into what is left of one.

A board of the last street holds one subgame for each line of betting that leads to it. All of
them are entered at once: arrays have a row for each line and a column for each hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from counterfold.arrays import Array, Bools, Floats, Ints
from counterfold.notebook import brief
from counterfold.poker.cards import NO_CARD
from counterfold.poker.game import DEAL, DECISION
from counterfold.searchers.gadget import to_one
from counterfold.tree.public import PublicTree


@dataclass(frozen=True, eq=False)
class PublicEntry:
    """The subgames of one board as the player's blueprint leads into them (see ``gadget.Entry``).

    What the opponent may hold is a class of its own, hand by hand.
    """

    board: int
    player: int
    came: Floats  # [lines] how much of the player's range comes here at all
    reach: Floats  # [lines, the player's hands] with what; sums to one, or is all zero
    mass: Floats  # [lines, the opponent's hands] how much of that each hand can meet
    live: Bools  # [lines, the opponent's hands]
    dealt: Floats  # how likely each hand is if the opponent does all things alike
    range: Floats  # how likely its own blueprint comes with each
    value: Floats  # what the opponent's hands earn if both follow the blueprint
    best: Floats  # what its best reply earns
    base: int  # the first row of the board in the player's table
    kept: Ints  # the player's rows of the board on lines to which it comes, from there
    expected: bool  # does the opponent's own blueprint come here as well?
    gifts_at: Callable[[int], Floats]  # of a board: worked out only where a gadget asks for it

    def __repr__(self) -> str:
        return brief(
            self, f"of player {self.player + 1} into board {self.board}: {len(self.came)} lines"
        )

    @property
    def reached(self) -> Bools:
        """[lines] Does the player ever come here?"""
        return np.asarray(self.live.any(1))

    @property
    def gifts(self) -> Floats:
        """What the opponent gave away on its way here, hand by hand."""
        return self.gifts_at(self.board)

    def put(self, table: Array, weights: Array) -> None:
        """Replace the player's decisions of the board in its table, on lines to which it comes."""
        table[self.base + self.kept, : weights.shape[1]] = weights[self.kept]

    def range_of(self, reach: Floats) -> Floats:
        """How likely an opponent with this reach comes with each hand, given that both come.

        An opponent that never comes is taken to have done all things alike.
        """
        return arriving(reach * self.mass, self.live, self.dealt)


def arriving(met: Floats, live: Bools, dealt: Floats) -> Floats:
    """Ranges out of what is met, hand by hand; as dealt where nothing is."""
    met = np.where(live, met, 0.0)
    return to_one(np.where(met.sum(1, keepdims=True) > 0, met, dealt))


class Playing(Protocol):
    """What says how hands are played at the nodes of a tree, as a strategy for all hands does."""

    @property
    def tree(self) -> PublicTree: ...

    def rows(self, node: int, board: int = 0) -> Floats:
        """[actions, hands] what the owner's hands do at a betting node."""
        ...


class CarriedDown:
    """Numbers of a player's hands, carried down the streets of a tree move by move.

    ``first`` has them at the root. ``step`` says what they are after each action of a node of
    a board, from what they were before.
    """

    def __init__(
        self,
        tree: PublicTree,
        player: int,
        first: Floats,
        step: Callable[[int, int, Floats], Sequence[Floats]],
    ) -> None:
        self.tree, self.player = tree, player
        self._first, self._step = first, step
        self._ends: dict[int, dict[int, Floats]] = {}  # by board: numbers where its street ends
        for number, board in enumerate(self.tree.boards):
            if board.street < self.tree.last:
                within = self.within(number)
                kind = self.tree.nodes.kind
                self._ends[number] = {n: one for n, one in within.items() if kind[n] == DEAL}

    def at(self, board: int) -> Floats:
        """[lines, hands] the numbers of a board of the last street, line by line."""
        found = self._begin(board)
        return np.stack([found[int(start)] for start in self.tree.nodes.lines[self.tree.last]])

    def ends(self, board: int) -> list[Floats]:
        """Numbers of a board's hands where its street ends, one for each line that goes on."""
        return list(self._ends[board].values())

    def within(self, board: int) -> dict[int, Floats]:
        """The numbers at all nodes of a board's street."""
        nodes, found = self.tree.nodes, self._begin(board)
        street = self.tree.boards[board].street
        for n in range(nodes.begin[street], nodes.begin[street + 1]):
            if nodes.kind[n] == DECISION:
                after = self._step(board, n, found[n])
                found.update(zip(nodes.children(n), after, strict=True))
        return found

    def _begin(self, board: int) -> dict[int, Floats]:
        """The numbers where the lines of a board's street begin."""
        tree = self.tree
        if not tree.boards[board].street:
            return {0: self._first}
        up = classes_above(tree, self.player, board)
        ends, nodes = self._ends[tree.boards[board].before], tree.nodes
        starts = nodes.lines[tree.boards[board].street]
        return {int(n): ends[int(nodes.line[n])][up] for n in starts}


class Arrivals(CarriedDown):
    """How one player's hands come to the last street by a strategy: their reach."""

    def __init__(self, strategy: Playing, player: int) -> None:
        tree = strategy.tree
        nodes = tree.nodes

        def step(board: int, n: int, reach: Floats) -> Sequence[Floats]:
            if int(nodes.owner[n]) != player:
                return [reach] * int(nodes.count[n])
            return [reach * played for played in strategy.rows(int(nodes.old[n]), board)]

        first = np.asarray(tree.game.ranges[player], np.float64)
        super().__init__(tree, player, first[tree.hands[player][0].holes], step)


class Came(Protocol):
    """How one player's hands come to the boards on which searches begin."""

    def at(self, board: int) -> Floats:
        """[lines, hands] their reach, line by line."""
        ...


class AtRoot:
    """Hands that came to the root of a tree with a given reach [holes]."""

    def __init__(self, tree: PublicTree, player: int, reach: Floats) -> None:
        self.reach = np.asarray(reach, np.float64)[tree.hands[player][0].holes]

    def at(self, board: int) -> Floats:
        """[1, hands] it."""
        return self.reach[None]


def classes_above(tree: PublicTree, player: int, board: int) -> Ints:
    """[hands] the hand on the board before that each hand of a board was."""
    above = tree.hands[player][tree.boards[board].before]
    where = np.zeros(tree.game.rules.holes, np.int64)
    where[above.pairs] = above.of
    return where[tree.hands[player][board].holes]


def met_by(tree: PublicTree, mine: Array, reach: Floats, theirs: Array) -> Floats:
    """[lines, their holes] how much of the reach of some holes each other hole can meet."""
    rules = tree.game.rules
    cards = rules.cards.astype(np.int64)
    has = np.zeros((len(mine), NO_CARD + 1))
    for column in (0, 1):
        has[np.arange(len(mine)), cards[mine, column]] = 1.0
    has[:, NO_CARD] = 0.0
    by_card = reach @ has
    met = reach.sum(1, keepdims=True) - by_card[:, cards[theirs, 0]] - by_card[:, cards[theirs, 1]]
    if rules.hole == 2:  # the same hole was taken off twice
        where = np.full(rules.holes, len(mine))
        where[mine] = np.arange(len(mine))
        met += np.pad(reach, ((0, 0), (0, 1)))[:, where[theirs]]
    found: Floats = np.maximum(met, 0.0)
    return found
