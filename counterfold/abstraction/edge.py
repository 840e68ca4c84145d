"""Poker cut at a depth limit behind its first street: a tree of hand classes for any solver.

The edge is as in ``searchers.edge``: each player chooses a continuation, unseen by the other, and
what follows is worth what ``edge_values`` found. The cut game has every pair of classes as a deal,
the betting of the first street below it, and the choices at its ends; so it is small, and solved
and measured exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.edge_betting import EdgeForm
from counterfold.abstraction.edge_values import EdgeValues
from counterfold.arrays import Floats
from counterfold.errors import TreeTooLargeError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.notebook import brief
from counterfold.poker.cards import NO_CARD, cards_name
from counterfold.poker.game import DEAL, DECISION
from counterfold.poker.ranges import CELL, cell_name
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import NONE, HistoryTree, Infosets
from counterfold.tree.memory import memory_at_hand

PER_NODE = 120
"""Bytes that a node of the cut game takes while its sequence form is made."""


@dataclass(frozen=True, eq=False)
class CutPoker:
    """A poker game over buckets whose first street is solved, with an edge behind it.

    An infoset of the cut game is a class of hands and a line ("AKs | raise 3, call"), and at the
    edge the same with the word "edge".
    """

    form: BucketForm
    tree: HistoryTree
    skeleton: _Skeleton
    base: dict[int, int]  # the first infoset of each node of the skeleton

    def __repr__(self) -> str:
        return brief(self, f"of {self.form.game.name}: {self.tree.histories:,} histories")

    @property
    def row(self) -> dict[int, int]:
        """The first infoset of each decision, by its node of the betting."""
        skeleton = self.skeleton
        return {node: self.base[m] for m, node in enumerate(skeleton.node) if skeleton.decides(m)}

    def play(self, strategy: Strategy[HistoryTree], node: int = 0) -> Floats:
        """[classes, actions] what a strategy of the cut game does at a decision."""
        classes, (begin, width) = self.form.buckets[0].count, self._rows(self.row[node])
        return strategy.probabilities[begin : begin + classes * width].reshape(classes, width)

    def over_buckets(self, strategy: Strategy[HistoryTree], form: EdgeForm) -> Strategy[EdgeForm]:
        """The same strategy where the edge is a part of the betting: actions, then choices."""
        skeleton, betting, table = self.skeleton, form.game.betting, form.held.copy()
        for m in [m for m, who in enumerate(skeleton.turn) if who >= 0]:
            node = skeleton.node[m]
            if not skeleton.decides(m):
                node = form.choice(node, skeleton.turn[m])
            if node < 0:
                continue  # a choice of who has nothing left to decide
            begin, size = self._rows(self.base[m])[0], int(form.counts[node] * betting.count[node])
            table[form.start[node] :][:size] = strategy.probabilities[begin : begin + size]
        return Strategy.of(form, table)

    def _rows(self, row: int) -> tuple[int, int]:
        """Where the numbers of an infoset begin, and how many it has."""
        infosets = self.tree.infosets
        return int(infosets.start[row]), int(infosets.sizes[row])

    def complete(
        self, strategy: Strategy[HistoryTree], below: Strategy[BucketForm]
    ) -> Strategy[BucketForm]:
        """The whole game: the first street as it was solved, then a blueprint."""
        form, table = self.form, below.tables[0].copy()
        for node in self.row:
            rows = self.play(strategy, node)
            table[form.start[node] : form.start[node] + rows.size] = rows.reshape(-1)
        return Strategy.of(form, table, {**below.about, "depth limit": True})


def class_names(form: BucketForm) -> tuple[str, ...]:
    """The classes of the first street: starting hands ("AKs"), single hands, or numbers."""
    game, count = form.game, form.buckets[0].count
    of = form.buckets[0].on(game.board)
    live = np.flatnonzero((game.ranges[0] > 0) | (game.ranges[1] > 0))
    if game.rules.hole == 2 and len(np.unique(np.stack([of, CELL]), axis=1).T) == count == 169:
        cell = np.zeros(count, np.int64)
        cell[of] = CELL
        return tuple(cell_name(*divmod(int(place), 13)) for place in cell)
    if len(live) == count:
        cards = game.rules.cards
        held = {int(of[h]): [int(c) for c in cards[h] if c != NO_CARD] for h in live}
        return tuple(cards_name(held[n]) for n in range(count))
    return tuple(f"class {n}" for n in range(count))


def cut_poker(values: EdgeValues, choosers: Sequence[int] = (0, 1)) -> CutPoker:
    """The cut game of values at an edge, where these players choose; others have the first."""
    form, count = values.form, len(values.names)
    skeleton = _Skeleton(values, choosers)
    first, second = np.nonzero(values.mass)
    size = len(first) * len(skeleton.turn)
    if PER_NODE * size > memory_at_hand():
        raise TreeTooLargeError(
            f"the cut game has {size:,} histories with {count} continuations; give fewer of them, "
            "or fewer sizes on the first street"
        )
    infosets, base = _infosets(values, skeleton)
    held = np.stack([first, second])
    deals, nodes = len(first), len(skeleton.turn)
    infoset = np.full((deals, nodes), NONE, np.uint32)
    for m, player in enumerate(skeleton.turn):
        if player >= 0:
            infoset[:, m] = base[m] + held[player]
    step = np.arange(deals, dtype=np.int64)[:, None]
    edges = nodes - 1
    begin = deals + step * edges + np.array(skeleton.first[:-1])
    child = 1 + step * nodes + np.array(skeleton.child)
    ends = np.flatnonzero(np.array(skeleton.turn) == TERMINAL)
    leaf = np.full((deals, nodes), NONE, np.uint32)
    leaf[:, ends] = step * len(ends) + np.arange(len(ends))
    won = np.stack([skeleton.matrix(m, values)[first, second] for m in ends.tolist()], 1)
    won = won.reshape(-1)
    prob = np.ones(deals + deals * edges)
    prob[:deals] = values.mass[first, second]
    tree = HistoryTree(
        spec=f"{form.game.spec} to a depth limit",
        players=2,
        turn=np.concatenate([[CHANCE], np.tile(skeleton.turn, deals)]).astype(np.int8),
        first=np.concatenate([[0], begin.reshape(-1), [len(prob)]]).astype(np.uint32),
        child=np.concatenate([1 + step[:, 0] * nodes, child.reshape(-1)]).astype(np.uint32),
        prob=prob,
        infoset=np.concatenate([[NONE], infoset.reshape(-1)]).astype(np.uint32),
        leaf=np.concatenate([[NONE], leaf.reshape(-1)]).astype(np.uint32),
        payoff=np.stack([won, -won], 1),
        infosets=infosets,
    )
    return CutPoker(form, tree, skeleton, base)


@dataclass
class _Skeleton:
    """The betting of the first street with the choices behind it, for any deal."""

    values: EdgeValues
    choosers: Sequence[int]
    turn: list[int] = field(default_factory=list)
    node: list[int] = field(default_factory=list)  # of the betting
    chosen: list[dict[int, int]] = field(default_factory=list)  # continuations, by player
    first: list[int] = field(default_factory=list)
    child: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tree = self.values.form.game.betting
        below: list[list[int]] = []
        place = {0: self._add(0, {}, below)}
        for node in np.flatnonzero(self._tree.street == 0).tolist():
            if self._tree.kind[node] == DECISION:
                for after in self._tree.children(node):
                    place[after] = self._add(after, {}, below)
                    below[place[node]].append(place[after])
            elif self._tree.kind[node] == DEAL and self.values.live[self._edge(node)]:
                self._choices(place[node], below)
        self.first = np.cumsum([0, *map(len, below)]).tolist()
        self.child = [after for own in below for after in own]

    def _edge(self, node: int) -> int:
        return self.values.nodes.index(node)

    def _add(self, node: int, chosen: dict[int, int], below: list[list[int]]) -> int:
        decides = self._tree.kind[node] == DECISION
        self.turn.append(int(self._tree.player[node]) if decides else TERMINAL)
        self.node.append(node)
        self.chosen.append(chosen)
        below.append([])
        return len(below) - 1

    def _choices(self, place: int, below: list[list[int]]) -> None:
        """Each player chooses a continuation, where there are several."""
        count = len(self.values.names)
        if count == 1:
            return
        level = [place]
        for player in self.choosers:
            after = []
            for at in level:
                self.turn[at] = player
                for k in range(count):
                    made = self._add(self.node[at], {**self.chosen[at], player: k}, below)
                    below[at].append(made)
                    after.append(made)
            level = after

    def decides(self, m: int) -> bool:
        """Whether a node is a decision of the betting."""
        return bool(self._tree.kind[self.node[m]] == DECISION)

    def matrix(self, m: int, values: EdgeValues) -> Floats:
        """[classes, classes] what player 0 wins at an end, by some values at the edge."""
        node = self.node[m]
        if self._tree.kind[node] != DEAL:
            return np.full(values.mass.shape, self._tree.payoff[node, 0, 0])
        one, two = (self.chosen[m].get(player, 0) for player in (0, 1))
        won: Floats = values.value[self._edge(node), one, :, two].astype(np.float64)
        return won


def _infosets(values: EdgeValues, skeleton: _Skeleton) -> tuple[Infosets, dict[int, int]]:
    """Infosets by player, and the first of each node's; choices that look alike share theirs."""
    form, names = values.form, class_names(values.form)
    betting = form.game.betting
    owners, labels, actions = list[int](), list[str](), list[tuple[str, ...]]()
    base: dict[int, int] = {}
    for player in (0, 1):
        shared: dict[int, int] = {}
        mine = [m for m, who in enumerate(skeleton.turn) if who == player]
        for m in sorted(mine, key=lambda m: not skeleton.decides(m)):
            node = skeleton.node[m]
            if node in shared:  # the other one's choice is not seen
                base[m] = shared[node]
                continue
            base[m] = shared[node] = len(owners)
            line = ", ".join(betting.line(node))
            if skeleton.decides(m):
                offered = tuple(betting.label[after] for after in betting.children(node))
            else:
                line, offered = f"{line} | edge", values.names
            owners += [player] * len(names)
            labels += [f"{name} | {line}" if line else name for name in names]
            actions += [offered] * len(names)
    start = np.concatenate([[0], np.cumsum([len(some) for some in actions])]).astype(np.uint32)
    return Infosets(np.array(owners, np.int8), start, tuple(labels), tuple(actions)), base
