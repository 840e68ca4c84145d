"""What states at the edge of a depth limit are worth, hand class by hand class, from drawn boards.

A board is drawn whole, and on it a hand for each class and player. For each pair of hands the
betting behind the edge is summed exactly, for each pair of continuations; a board and its hands
weigh as much as the deals that they stand for. Where all boards are taken and classes are single
hands, the values are exact.

Who would win a showdown explains much of what a deal is worth, and is known better from many more
boards than the betting is played out on (``class_wins``). So luck is taken out: values are
corrected by how much more a class wins on the boards drawn than on those (control variates).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.arrays import Array, Bools, Floats, Ints
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.poker.cards import NO_CARD
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, PokerGame


@dataclass(frozen=True, eq=False)
class EdgeValues:
    """What player 0 wins at each state of the edge, on average over boards.

    The other one loses it. ``mass`` is how likely each pair of classes is dealt.
    """

    form: BucketForm
    names: tuple[str, ...]  # of the continuations
    nodes: tuple[int, ...]  # states of the edge: deals that end the first street
    live: tuple[bool, ...]  # whether anybody decides behind each
    value: NDArray[np.float32]  # [edges, continuations, classes, continuations, classes]
    mass: Floats  # [classes, classes]
    boards: int

    def first(self, count: int) -> EdgeValues:
        """With the first so many continuations alone."""
        value = np.ascontiguousarray(self.value[:, :count, :, :count])
        return replace(self, names=self.names[:count], value=value)


def drawn_boards(
    game: PokerGame, count: int, seed: int | Sequence[int]
) -> Iterable[tuple[int, ...]]:
    """Whole boards, each as likely as another."""
    random = np.random.default_rng(seed)
    deck = np.array(sorted(set(game.rules.deck) - set(game.board)))
    for _ in range(count):
        more = random.choice(deck, sum(game.rules.deal), replace=False)
        yield (*game.board, *more.tolist())


def all_boards(game: PokerGame) -> Iterable[tuple[int, ...]]:
    """All whole boards of a small deck, card by card as streets have them."""
    boards: list[tuple[int, ...]] = [game.board]
    for count in game.rules.deal:
        boards = [
            (*board, *more)
            for board in boards
            for more in itertools.combinations(sorted(set(game.rules.deck) - set(board)), count)
        ]
    return boards


def edge_values(
    form: BucketForm,
    tables: dict[str, NDArray[np.float32]],
    boards: Iterable[tuple[int, ...]],
    seed: int | Sequence[int] = 0,
    *,
    wins: Floats | None = None,
    look: Callable[[int], None] | None = None,
) -> EdgeValues:
    """Play continuations (tables of strategies over buckets, by name) out behind the first street.

    ``look`` is told after each board how many are done. ``wins`` are those of ``class_wins``.
    """
    game = form.game
    if not game.betting.zero_sum or len(game.ranges) != 2:
        raise UnsupportedError(
            f"{game.name} has rake or more than two players, and values of an edge are for two "
            "who win what the other loses"
        )
    rollout = _Rollout(form, np.stack([*tables.values()]), np.random.default_rng(seed))
    done = 0
    for done, board in enumerate(boards, 1):
        rollout.add(board)
        if look:
            look(done)
    nodes, live = rollout.nodes, tuple(len(one.decided) > 0 for one in rollout.edges)
    return EdgeValues(form, tuple(tables), nodes, live, rollout.value(wins), class_mass(form), done)


def class_wins(
    form: BucketForm, boards: Iterable[tuple[int, ...]], seed: int | Sequence[int] = 0
) -> Floats:
    """[classes, classes] how often player 0's class wins a showdown, less how often it loses."""
    rollout = _Rollout(form, np.zeros((1, 1), np.float32), np.random.default_rng(seed))
    for board in boards:
        _, weight, wins = rollout.deal(board)
        rollout.weight += weight
        rollout.won += weight * wins
    wins = np.divide(
        rollout.won, rollout.weight, where=rollout.weight > 0, out=np.zeros_like(rollout.won)
    )
    return np.asarray(wins)


def class_mass(form: BucketForm) -> Floats:
    """[classes, classes] how likely each pair of classes is dealt."""
    of, (first, second) = form.buckets[0].on(form.game.board), form.game.ranges
    apart = _apart(form.game, np.arange(len(of)), np.arange(len(of)))
    pairs = apart * first[:, None] * second
    out = np.zeros((form.buckets[0].count,) * 2)
    rows = np.zeros((len(out), len(of)))
    np.add.at(rows, of, pairs)
    np.add.at(out.T, of, rows.T)
    shares: Floats = out / out.sum()
    return shares


def _apart(game: PokerGame, one: Array, two: Array) -> Bools:
    """Which hands have no card in common."""
    cards = game.rules.cards
    apart = np.ones((len(one), len(two)), bool)
    for a, b in itertools.product(range(2), repeat=2):
        first, second = cards[one, a][:, None], cards[two, b][None]
        apart &= (first != second) | (first == NO_CARD)
    return apart


class _Below:
    """The betting behind one state of the edge, and its ends."""

    def __init__(self, form: BucketForm, root: int) -> None:
        from counterfold.kernels.poker_edge import Below

        tree = form.game.betting
        nodes = [root]
        for node in nodes:
            nodes.extend(tree.children(node))
        nodes.sort()
        at = np.array(nodes)
        above = np.concatenate([at[:1], tree.parent[at[1:]]])
        self.decided = at[tree.kind[at] == DECISION]
        moved = tree.kind[above] == DECISION
        owner = np.where(moved, tree.player[above], 255)
        row = form.start[above] + at - tree.first[above]
        self.arrays = Below(
            np.searchsorted(at, above).astype(np.uint32),
            owner.astype(np.uint8),
            tree.street[above].astype(np.uint32),
            np.where(moved, row, 0).astype(np.uint32),
            np.where(moved, form.actions[above], 0).astype(np.uint32),
        )
        worth = tree.payoff[at, 0]
        folds, shown = (np.flatnonzero(tree.kind[at] == kind) for kind in (FOLD, SHOWDOWN))
        middle = (worth[shown, 0] + worth[shown, 2]) / 2
        if not np.allclose(middle, worth[shown, 1]):
            raise UnsupportedError("a tie must be worth the mean of a win and a loss")
        self.ends = np.concatenate([folds, shown])
        self.flat = np.concatenate([worth[folds, 0], middle]).astype(np.float32)
        """What an end is worth whoever wins, in the order of ``ends``."""
        self.shown = shown
        self.stake = ((worth[shown, 0] - worth[shown, 2]) / 2).astype(np.float32)
        """What is won or lost beside that at a showdown."""


class _Rollout:
    def __init__(
        self, form: BucketForm, tables: NDArray[np.float32], random: np.random.Generator
    ) -> None:
        from counterfold.kernels.poker_edge import lead

        self.form, self.tables, self.random, self._lead = form, tables, random, lead
        game = form.game
        tree = game.betting
        self.nodes = tuple(np.flatnonzero((tree.kind == DEAL) & (tree.street == 0)).tolist())
        if not self.nodes:
            raise UnsupportedError(f"{game.name} has one street, and no edge behind it")
        self.edges = [_Below(form, node) for node in self.nodes]
        self.of = form.buckets[0].on(game.board).astype(np.int64)
        count, classes = len(tables), form.buckets[0].count
        self.sums = np.zeros((len(self.nodes), count * classes, count * classes))
        self.weight = np.zeros((classes, classes))
        self.won = np.zeros((classes, classes))  # by player 0, less what is lost
        self.slope = np.zeros((len(self.nodes), count, count))  # of values on wins; sums at first
        self.spread = 0.0
        most = max(len(edge.arrays.parent) for edge in self.edges)
        self._reach = np.empty((2, most, count, classes), np.float32)

    def add(self, board: tuple[int, ...]) -> None:
        """One board with a hand for each class and player."""
        form, count = self.form, len(self.tables)
        hands, weight, wins = self.deal(board)
        by_street = [one.on(board[: one.cards]).astype(np.uint32) for one in form.buckets]
        buckets = [np.stack([row[held] for row in by_street]) for held in hands]
        won, both = np.tile(wins, (count, count)).astype(np.float32), np.tile(weight, (count,) * 2)
        shape = (count, len(weight), count, len(weight))
        for edge, sums, slope in zip(self.edges, self.sums, self.slope, strict=True):
            worth = both * self._pairs(edge, buckets, won)
            sums += worth
            slope += (worth * won).reshape(shape).sum(axis=(1, 3))
        self.weight += weight
        self.won += weight * wins
        self.spread += float((weight * wins**2).sum())

    def deal(self, board: tuple[int, ...]) -> tuple[Sequence[Ints], Floats, Ints]:
        """A hand for each class and player, what each pair weighs, and who wins it: 1, 0 or -1."""
        game = self.form.game
        free = ~np.isin(game.rules.cards, board).any(axis=1)
        hands, weights = zip(*(self._hands(game.ranges[p] * free) for p in (0, 1)), strict=True)
        weight = weights[0][:, None] * weights[1] * _apart(game, *hands)
        strength = game.rules.strengths(np.array([board], np.uint8))[0].astype(np.int64)
        return hands, weight, np.sign(strength[hands[0]][:, None] - strength[hands[1]])

    def _hands(self, weights: Floats) -> tuple[Ints, Floats]:
        """A hand of each class by its weight, and the weight of the class."""
        held = np.flatnonzero(weights)
        order = held[np.argsort(self.of[held], kind="stable")]
        total = np.cumsum(weights[order])
        sums = np.zeros(self.form.buckets[0].count)
        np.add.at(sums, self.of[order], weights[order])
        begin = np.cumsum(sums) - sums
        drawn = begin + self.random.random(len(sums)) * sums
        place = np.searchsorted(total, drawn, side="right")
        found = order[np.minimum(place, len(order) - 1)]
        return np.where(self.of[found] == np.arange(len(sums)), found, 0), sums

    def _pairs(
        self, edge: _Below, buckets: Sequence[NDArray[np.uint32]], won: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """What each hand of player 0 wins from each of player 1's, for all continuations."""
        size = len(edge.arrays.parent)
        reach = []
        for player in (0, 1):
            out = self._reach[player, :size]
            self._lead(edge.arrays, player, self.tables, buckets[player], out)
            reach.append(out.reshape(size, -1))
        first, second = (one[edge.ends] for one in reach)
        flat = (first * edge.flat[:, None]).T @ second
        first, second = (one[edge.shown] for one in reach)
        shown: NDArray[np.float32] = (first * edge.stake[:, None]).T @ second
        shown *= won
        shown += flat
        return shown

    def value(self, wins: Floats | None) -> NDArray[np.float32]:
        """Averages over the boards; luck is what was won beyond ``wins``."""
        met = class_mass(self.form) > 0
        if (self.weight[met] <= 0).any():
            raise ParameterError("some hands never met on the boards drawn; draw more of them")
        count, classes = len(self.tables), self.form.buckets[0].count
        shape = (len(self.nodes), count, classes, count, classes)
        weight = np.where(met, self.weight, 1.0)[None, None, :, None, :]
        sums = self.sums.reshape(shape)
        won = self.won / np.where(met, self.weight, 1.0)
        slope = self.slope - np.einsum("eapbq,pq->eab", sums, won)  # within pairs of classes
        slope /= max(self.spread - float((won * self.won).sum()), 1e-9)
        luck = np.zeros_like(won) if wins is None else won - wins
        taken = slope[:, :, None, :, None] * luck[None, None, :, None, :]
        out: NDArray[np.float32] = (sums / weight - taken).astype(np.float32)
        return out
