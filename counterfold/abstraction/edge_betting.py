"""Betting cut behind its first street, for any number of players: choices, then held copies.

At each state of the edge the players who still decide choose a continuation, one after the other
and unseen: decisions of the first street, with its classes of hands. Behind each combination stands
a copy of the betting, whose decisions share the rows of their owner's continuation, whatever the
others chose, and are held to it. So the cut game is a betting tree with buckets as any other, and
sampled engines take it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.arrays import Array, Ints
from counterfold.errors import TreeTooLargeError, UnsupportedError
from counterfold.poker.betting import MOST_NODES
from counterfold.poker.game import DEAL, DECISION, BettingTree
from counterfold.strategy.strategy import Strategy


class EdgeForm(BucketForm):
    """A game over buckets cut behind its first street.

    ``origin`` is the node of the whole betting that each node is a copy of, ``taken`` the
    continuation of its owner behind the edge (-1 before it). Where ``choosers`` are given, all
    others go on by the first continuation.
    """

    def __init__(
        self,
        blueprint: BucketForm,
        tables: dict[str, NDArray[np.float32]],
        choosers: Collection[int] | None = None,
    ) -> None:
        cut = cut_betting(blueprint.game.betting, tuple(tables), choosers)
        about = {"cut": True}
        game = replace(blueprint.game, betting=cut.betting, about=about, name=_name(blueprint))
        super().__init__(game, blueprint.buckets, twin=cut.twin, held_from=1)
        self.whole, self.origin, self.taken = blueprint, cut.origin, cut.taken
        self.choices, self.copies = cut.choice, cut.root
        every = list(tables.values())
        self.held: NDArray[np.float32] = np.zeros(self.size, np.float32)
        for node in self.nodes[cut.taken[self.nodes] >= 0].tolist():
            size = int(self.counts[node] * self.actions[node])
            given = every[int(cut.taken[node])][blueprint.start[cut.origin[node]] :][:size]
            self.held[self.start[node] : self.start[node] + size] = given

    @property
    def trunk(self) -> dict[int, int]:
        """The decisions before the edge, by their nodes of the whole betting."""
        inside = (self.taken < 0) & (self.game.betting.kind == DECISION) & (self.origin >= 0)
        return {int(self.origin[node]): int(node) for node in np.flatnonzero(inside)}

    def choice(self, deal: int, player: int) -> int:
        """The decision at which a player chooses behind a deal of the whole betting; -1 if none."""
        cut, node = self.game.betting, deal  # whose numbers before the edge are the same
        while cut.kind[node] == DECISION and self.origin[node] < 0:
            if cut.player[node] == player:
                return node
            node = int(cut.first[node])
        return -1

    def complete(
        self, strategy: Strategy[EdgeForm], below: Strategy[BucketForm]
    ) -> Strategy[BucketForm]:
        """The whole game: the first street as it was solved, then a blueprint."""
        table, whole = below.tables[0].copy(), self.whole
        for old, new in self.trunk.items():
            size = int(self.counts[new] * self.actions[new])
            given = strategy.tables[0][self.start[new] : self.start[new] + size]
            table[whole.start[old] : whole.start[old] + size] = given
        return Strategy.of(whole, table, {**below.about, "depth limit": True})


def _name(form: BucketForm) -> str:
    return f"{form.game.spec} to a depth limit"


class CutBetting(NamedTuple):
    """A betting tree with an edge behind its first street."""

    betting: BettingTree
    origin: Ints  # [nodes] of the whole betting; -1 of choices
    twin: Ints  # [nodes] whose rows a decision has
    taken: Ints  # [nodes] the owner's continuation, -1 before the edge
    choice: Ints  # [states, players] where a player chooses; -1 if it does not
    root: Ints  # [states, players, continuations] the copy in which a player alone chose otherwise


class _Copy(NamedTuple):
    """One combination of choices at a state of the edge."""

    edge: int  # the number of the state
    deal: int  # the new node that leads there
    chosen: dict[int, int]


def cut_betting(
    tree: BettingTree, names: Sequence[str], choosers: Collection[int] | None = None
) -> CutBetting:
    """Cut a betting tree; continuations have these names, and all or some players choose."""
    first = np.flatnonzero(tree.street == 0)
    edges = [n for n in first.tolist() if tree.kind[n] == DEAL]
    if not edges:
        raise UnsupportedError("betting of one street has no edge behind it")
    below = [_below(tree, int(tree.first[node])) for node in edges]
    made = _Cut(tree, tuple(names), first)
    copies = [
        copy
        for number, node in enumerate(edges)
        for copy in made.choices(number, node, _choosers(tree, below[number], choosers))
    ]
    size = len(made.origin) + sum(len(below[copy.edge]) for copy in copies)
    if size > MOST_NODES:
        raise TreeTooLargeError(
            f"the cut betting has {size:,} nodes, more than {MOST_NODES:,}; give fewer sizes or "
            "continuations"
        )
    return made.finish(copies, below)


def _below(tree: BettingTree, root: int) -> Ints:
    nodes = [root]
    for node in nodes:
        nodes.extend(tree.children(node))
    return np.sort(np.array(nodes))


def _choosers(tree: BettingTree, nodes: Ints, some: Collection[int] | None) -> list[int]:
    deciding = {int(p) for p in tree.player[nodes[tree.kind[nodes] == DECISION]]}
    return sorted(deciding if some is None else deciding.intersection(some))


class _Cut:
    """The first street and the choices behind it; then the copies, street by street."""

    def __init__(self, tree: BettingTree, names: tuple[str, ...], first: Ints) -> None:
        self.tree, self.names = tree, names
        self.origin: list[int] = first.tolist()
        self.kind: list[int] = tree.kind[first].tolist()
        self.player: list[int] = tree.player[first].tolist()
        self.parent: list[int] = tree.parent[first].tolist()
        self.first: list[int] = tree.first[first].tolist()
        self.count: list[int] = tree.count[first].tolist()
        self.label: list[str] = [tree.label[n] for n in first.tolist()]
        self.twin: list[int] = list(range(len(first)))
        self.like: list[int] = first.tolist()  # whose chips a node has

    def choices(self, number: int, node: int, choosers: list[int]) -> list[_Copy]:
        """Each who decides later chooses, where there is a choice."""
        level = [_Copy(number, node, {})]
        for player in choosers if len(self.names) > 1 else []:
            after, shared = [], level[0].deal
            for copy in level:
                at, begin = copy.deal, len(self.origin)
                self.kind[at], self.player[at] = DECISION, player
                self.first[at], self.count[at] = begin, len(self.names)
                self.twin[at], self.origin[at] = shared, -1
                for k, name in enumerate(self.names):
                    self._add(at, node, f"edge {name}")
                    after.append(_Copy(number, begin + k, {**copy.chosen, player: k}))
            level = after
        return level

    def _add(self, parent: int, node: int, label: str) -> None:
        self.twin.append(len(self.origin))
        self.origin.append(node)
        self.kind.append(DEAL)
        self.player.append(-1)
        self.parent.append(parent)
        self.first.append(0)
        self.count.append(1)
        self.label.append(label)
        self.like.append(node)

    def finish(self, copies: Sequence[_Copy], below: Sequence[Ints]) -> CutBetting:
        """Lay the copies out behind the choices."""
        tree, begin = self.tree, len(self.origin)
        places = self._places(copies, below, begin)
        total = begin + sum(map(len, places))
        origin, like = (np.zeros(total, np.int64) for _ in range(2))
        parent, first, twin = (np.zeros(total, np.int64) for _ in range(3))
        taken = np.full(total, -1, np.int64)
        given = (self.origin, self.like, self.parent, self.first, self.twin)
        for array, head in zip((origin, like, parent, first, twin), given, strict=True):
            array[:begin] = head
        found = np.full(len(tree), -1, np.int64)
        known = {(c.edge, tuple(sorted(c.chosen.items()))): n for n, c in enumerate(copies)}
        for copy, place in zip(copies, places, strict=True):
            nodes = below[copy.edge]
            found[nodes] = place
            origin[place] = like[place] = nodes
            parent[place], first[place] = found[tree.parent[nodes]], found[tree.first[nodes]]
            parent[place[0]], first[copy.deal] = copy.deal, place[0]
            twin[place] = place
            for player in range(tree.players):
                mine = (tree.kind[nodes] == DECISION) & (tree.player[nodes] == player)
                k = copy.chosen.get(player, 0)
                alone = {p: k if p == player else 0 for p in copy.chosen}
                other = places[known[copy.edge, tuple(sorted(alone.items()))]]
                twin[place[mine]], taken[place[mine]] = other[mine], k
        return CutBetting(
            self._tree(like, parent, first, begin), origin, twin, taken, *self._states(copies)
        )

    def _states(self, copies: Sequence[_Copy]) -> tuple[Ints, Ints]:
        """Where players choose at each state where anybody does, and where their copies begin."""
        known = {(c.edge, tuple(sorted(c.chosen.items()))): c.deal for c in copies if c.chosen}
        states = {c.edge: tuple(sorted(c.chosen)) for c in copies if c.chosen}
        players, many = self.tree.players, len(self.names)
        choice, root = np.full((len(states), players), -1), np.zeros((len(states), players, many))
        for n, (edge, choosers) in enumerate(states.items()):
            deal = known[edge, tuple((p, 0) for p in choosers)]
            root[n] = deal
            for p in reversed(choosers):  # whose decisions lie one above the other
                deal = self.parent[deal]
                choice[n, p] = self.twin[deal]
                for k in range(many):
                    alone = tuple((q, k if q == p else 0) for q in choosers)
                    root[n, p, k] = known[edge, alone]
        return choice, root.astype(np.int64)

    def _places(self, copies: Sequence[_Copy], below: Sequence[Ints], begin: int) -> list[Ints]:
        """Where the nodes of each copy go: the nodes of a street are neighbours."""
        places = [np.zeros(len(below[copy.edge]), np.int64) for copy in copies]
        for street in range(1, self.tree.streets):
            for copy, place in zip(copies, places, strict=True):
                here = self.tree.street[below[copy.edge]] == street
                count = int(here.sum())
                place[here] = np.arange(begin, begin + count)
                begin += count
        return places

    def _tree(self, like: Ints, parent: Ints, first: Ints, begin: int) -> BettingTree:
        tree = self.tree

        def joined(head: Sequence[int], whole: Array) -> Array:
            return np.concatenate([head, whole[like[begin:]]]).astype(whole.dtype)

        kind = joined(self.kind, tree.kind)
        ends: Ints = (tree.pot[1:].astype(np.int64) - tree.pot[:-1])[like]
        ends[np.isin(kind, (DECISION, DEAL))] = 0
        pots = np.concatenate([[0], np.cumsum(ends)])
        which = np.repeat(tree.pot[like].astype(np.int64) - pots[:-1], ends) + np.arange(pots[-1])
        return BettingTree(
            street=tree.street[like],
            kind=kind,
            player=joined(self.player, tree.player),
            parent=parent.astype(np.int32),
            first=first.astype(np.int32),
            count=joined(self.count, tree.count),
            label=(*self.label, *(tree.label[n] for n in like[begin:].tolist())),
            paid=tree.paid[like],
            payoff=tree.payoff[like],
            folded=tree.folded[like],
            pot=pots.astype(np.uint32),
            chips=tree.chips[which],
            rivals=tree.rivals[which],
        )
