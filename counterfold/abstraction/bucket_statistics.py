"""What strategies over buckets do and win: statistics and values over boards that are drawn.

On each board the cards that are left are dealt as holes that share no card, to all players in many
ways at once, so that little is left to luck but the board. Before the flop two players' numbers are
exact, over all hands.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.arrays import Floats, Ints
from counterfold.errors import ParameterError
from counterfold.games.spec import whole
from counterfold.poker.game import DECISION, meetings
from counterfold.poker.statistics import NAMES, PREFLOP, Statistics, Tally
from counterfold.strategy.strategy import Strategy

if TYPE_CHECKING:
    from counterfold.kernels.poker_mass import Tree

BOARDS = 400
DECKS, BATCH = 4_000, 20
"""Boards that are drawn unless somebody says how many; decks without a board for the first street
of three and more players, and how many of them are counted together."""
TUPLES = 512  # ways to deal some holes, at most


class Played(NamedTuple):
    """What came of one board: sums over all ways to deal the holes."""

    mass: Floats  # [nodes] how often play comes there
    value: Floats  # [players] what they win
    won: Floats  # [players] showdowns of which they win something


class BoardWalk:
    """Walks over a betting tree by the strategy of a form, a board at a time.

    >>> from counterfold.abstraction.buckets import every_hand
    >>> from counterfold.poker.holdem import kuhn
    >>> form = BucketForm(kuhn(), every_hand(kuhn()))
    >>> walk, table = BoardWalk(form), Strategy.uniform(form).tables[0]
    >>> played = next(walk.boards(table, 1, seed=0))
    >>> round(float(played.value[0] / played.mass[0]), 3)
    0.125
    """

    def __init__(self, form: BucketForm) -> None:
        from counterfold.kernels import poker_mass as kernels

        self.form, self._kernels = form, kernels
        tree, self.game = form.game.betting, form.game
        self.tree = betting_arrays(form)
        self._deepest = deepest(tree.parent) + 3
        self._waiting = self._deepest * int(tree.count.max()) + 1

    def boards(
        self,
        table: NDArray[np.float32],
        count: int,
        seed: int,
        streets: int | None = None,
        batch: int = 1,
    ) -> Iterator[Played]:
        """Draw boards, or with ``streets`` below all of them only what those streets know.

        What is counted on ``batch`` of them is one sum.
        """
        rules, game = self.game.rules, self.game
        rng = np.random.default_rng(seed)
        deck = np.array(sorted(set(rules.deck) - set(game.board)), np.int64)
        played = game.betting.streets if streets is None else streets
        dealt = sum(rules.deal[:played])
        holes = (len(deck) - dealt) // rules.hole
        if holes < len(game.players):
            raise ParameterError(f"{game.name} has too few cards for all hands beside the board")
        tuples = _tuples(holes, len(game.players), rng)
        kernels, shape = self._kernels, (self._deepest, len(game.players), holes)
        room = kernels.Room(
            *np.zeros((3, self._waiting), np.uint32),
            np.zeros(self._deepest, np.uint32),
            np.zeros(shape),
        )
        sums = Played(np.zeros(len(game.betting)), *np.zeros((2, len(game.players))))
        for number in range(1, count + 1):
            rng.shuffle(deck)
            board, rest = (*game.board, *deck[:dealt].tolist()), deck[dealt:]
            cards = rest[: holes * rules.hole].reshape(holes, rules.hole)
            numbers = _numbers(cards)
            deal = kernels.Deal(
                self._buckets(board, numbers, played),
                np.stack([weights[numbers] for weights in game.ranges]),
                self._strengths(board, numbers, streets is None),
                tuples,
            )
            kernels.masses(self.tree, table, deal, room, played, *sums)
            if number % batch == 0:
                yield sums
                sums = Played(np.zeros(len(game.betting)), *np.zeros((2, len(game.players))))

    def _buckets(self, board: Sequence[int], holes: Ints, streets: int) -> NDArray[np.uint32]:
        of = [one.on(board[: one.cards])[holes] for one in self.form.buckets[:streets]]
        return np.array(of, np.uint32)

    def _strengths(
        self, board: Sequence[int], holes: Ints, whole_board: bool
    ) -> NDArray[np.uint32]:
        if not whole_board:
            return np.zeros(len(holes), np.uint32)
        every = self.game.rules.strengths(np.array([board], np.uint8))[0]
        return np.ascontiguousarray(every[holes], np.uint32)


def betting_arrays(form: BucketForm) -> Tree:
    """The betting for compiled code."""
    from counterfold.kernels import poker_mass as kernels

    tree = form.game.betting
    return kernels.Tree(
        tree.kind, tree.player, tree.street, tree.first.astype(np.uint32),
        tree.count.astype(np.uint32), form.start.astype(np.uint64),
        np.ascontiguousarray(tree.payoff[:, :, 2]), tree.pot, tree.chips, tree.rivals,
    )  # fmt: skip


def bucket_statistics(
    strategy: Strategy[BucketForm], boards: int | None = None, seed: int = 0
) -> Statistics:
    """VPIP and its like for every seat, over boards that are drawn."""
    count = whole("boards", BOARDS if boards is None else boards, least=2, most=10**7)
    form, table = strategy.tree, BucketTables.of(strategy).table
    tally, walk = Tally(form.game), BoardWalk(form)
    if len(form.game.players) == 2:
        tally.add(first_street(strategy), PREFLOP)
    else:
        for played in walk.boards(table, DECKS, seed, 1, BATCH):
            tally.add(played.mass, PREFLOP)
    later = [name for name in NAMES if name not in PREFLOP]
    if form.game.betting.streets > 1:
        for played in walk.boards(table, count, seed):
            tally.add(played.mass, later, played.won)
    return tally.statistics(count)


def first_street(strategy: Strategy[BucketForm]) -> Floats:
    """How often two players come to each node of the first street, over all hands."""
    tables = BucketTables.of(strategy)
    tree, game = tables.form.game.betting, tables.form.game
    mass = np.zeros(len(tree))
    reach = {0: tuple(np.asarray(weights, np.float64) for weights in game.ranges)}
    total = float(reach[0][0] @ meetings(reach[0][1]))
    for node in range(int(np.searchsorted(tree.street, 1))):
        one, two = reach.pop(node)
        mass[node] = float(one @ meetings(two)) / total
        if tree.kind[node] != DECISION:
            continue
        play, mine = tables.expand(game.board, node), int(tree.player[node])
        for own, child in zip(play.astype(np.float64), tree.children(node), strict=True):
            reach[child] = (one * own, two) if mine == 0 else (one, two * own)
    return mass


def _numbers(cards: Ints) -> Ints:
    """The numbers of holes: of the pair, or the card itself."""
    if cards.shape[1] == 1:
        return cards[:, 0]
    low, high = cards.min(1), cards.max(1)
    numbers: Ints = high * (high - 1) // 2 + low
    return numbers


def _tuples(holes: int, players: int, rng: np.random.Generator) -> NDArray[np.uint32]:
    """All ways to deal holes to players, or some of them if they are many."""
    if math.perm(holes, players) <= TUPLES:
        found = np.array(list(itertools.permutations(range(holes), players)))
    else:
        found = rng.random((TUPLES, holes)).argsort(1)[:, :players]
    return np.ascontiguousarray(found, np.uint32)


def deepest(parent: NDArray[np.int32]) -> int:
    """How many nodes are above the deepest one."""
    depth, above = 0, parent
    while len(above := above[above >= 0]):
        above, depth = parent[above], depth + 1
    return depth
