"""Subgames: the parts of a game that play enters at a public point, closed under what players know.

A set of histories is a subgame if no infoset of either player lies partly inside and partly
outside of it (Burch et al. 2014). All subgames at a point are the connected components of its
roots, where two roots belong together if some player cannot tell them apart there, or at some
infoset below.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from counterfold.arrays import Bools, Floats, Ints
from counterfold.errors import CounterfoldError, ParameterError, UnsupportedError
from counterfold.games.base import TERMINAL
from counterfold.notebook import brief
from counterfold.searchers.paths import Paths, paths
from counterfold.searchers.points import Point, roots_at
from counterfold.searchers.treeplex import Treeplex
from counterfold.tree.history import NONE, HistoryTree, check_histories
from counterfold.tree.sequence import sequence_form
from counterfold.tree.views import views

if TYPE_CHECKING:
    from counterfold.searchers.gadget_tree import Shape


@dataclass(frozen=True, eq=False)
class Subgame:
    """A subgame with all that a search needs of it, taken from the tree once.

    ``leaves`` are told by the root they lie under, each player's last sequence inside, and the
    probability of chance inside.
    """

    tree: HistoryTree
    point: str
    roots: Ints  # nodes
    nodes: Ints  # all nodes inside, in the order of the tree
    under: Ints  # [nodes] the root above each of them
    treeplexes: tuple[Treeplex, Treeplex]
    deal: Floats  # [roots] probability of chance on the way to each root
    ways: tuple[Ints, Ints]  # [roots, moves] each player's slots on the way, padded with -1
    root: Ints  # [leaves]
    last: Ints  # [leaves, 2]
    chance: Floats  # [leaves]
    payoff: Floats  # [leaves, 2]
    kept: dict[Hashable, Shape] = field(default_factory=dict, repr=False)
    """What others derive from the subgame and want to find again."""

    def __repr__(self) -> str:
        return brief(self, f"of {self.tree.spec}: {self.name()}")

    def reach(self, probabilities: Floats, player: int) -> Floats:
        """How likely the player's own choices lead to each root."""
        way = self.ways[player]
        found: Floats = np.append(probabilities, 1.0)[way].prod(axis=1)
        return found

    def name(self) -> str:
        """What the subgame is called: the infosets in which it is entered."""
        labels = self.tree.infosets.labels
        first = [labels[i] for i in self.tree.infoset[self.roots] if i != NONE]
        names = list(dict.fromkeys(first)) or [f"node {n}" for n in self.roots]
        return " / ".join(names[:3]) + (" / …" if len(names) > 3 else "")

    def knows(self, player: int) -> tuple[str, ...]:
        """A name for each class of a player: the first infoset that it comes to, or its number."""
        treeplex, labels = self.treeplexes[player], self.tree.infosets.labels
        names = [f"class {k + 1}" for k in range(treeplex.classes)]
        for i, parent in reversed(list(zip(treeplex.infosets, treeplex.parent, strict=True))):
            if parent < treeplex.classes:
                names[parent] = labels[i]
        return tuple(names)


@dataclass(frozen=True, eq=False)
class Subgames:
    """All subgames at a point; ``of[node]`` is the number of the one a node lies in, or -1."""

    tree: HistoryTree
    point: str
    subgames: tuple[Subgame, ...]
    of: Ints

    def __repr__(self) -> str:
        return brief(self, f"of {self.tree.spec} at {self.point}: {len(self)}")

    def __len__(self) -> int:
        return len(self.subgames)

    def __iter__(self) -> Iterator[Subgame]:
        return iter(self.subgames)

    def __getitem__(self, number: int) -> Subgame:
        return self.subgames[number]

    @cached_property
    def infosets(self) -> Bools:
        """Which infosets of the tree lie inside."""
        found = np.zeros(len(self.tree.infosets.owner), dtype=bool)
        for subgame in self.subgames:
            for treeplex in subgame.treeplexes:
                found[treeplex.infosets] = True
        return found

    @property
    def outside(self) -> Bools:
        """Which slots of the tree's strategies belong to decisions before the point."""
        return np.repeat(~self.infosets, self.tree.infosets.sizes)


def subgames(tree: HistoryTree, point: Point = "board") -> Subgames:
    """The subgames at a point (see ``roots_at`` for its names).

    >>> import counterfold as cf
    >>> found = subgames(cf.compile_game(cf.Leduc()))
    >>> len(found), found[0].name()
    (15, 'J | check check | Q / Q | check check | Q / K | check check | Q')
    >>> subgames(cf.compile_game(cf.Kuhn()), "seen:K*")
    Traceback (most recent call last):
    counterfold.errors.UnsupportedError: 'seen:K*' is no public point of kuhn: player 1 at \
'J | check bet' cannot tell whether play has passed it (nor at 5 more infosets)
    """
    check_histories(tree)
    kept = vars(tree).setdefault("subgames", {})
    if isinstance(point, str) and point in kept:
        found: Subgames = kept[point]
        return found
    if not tree.two_player_zero_sum:
        raise UnsupportedError(
            f"{tree.spec} is not a two-player zero-sum game, and a search in subgames is safe "
            "only there"
        )
    if not sequence_form(tree).perfect_recall:
        raise UnsupportedError(
            f"{tree.spec} has imperfect recall, and a subgame needs players who remember"
        )
    name = point if isinstance(point, str) else "the point given"
    found = _split(tree, name, roots_at(tree, point))
    if isinstance(point, str):
        kept[point] = found
    return found


def _split(tree: HistoryTree, name: str, roots: Ints) -> Subgames:
    way = paths(tree)
    under = way.under(roots)
    inside = under >= 0
    _check_closed(tree, name, inside)
    moves = [_last_moves(way, under, player) for player in range(2)]
    known = _known(tree, roots, moves)
    decided = np.flatnonzero(inside & (tree.turn >= 0))
    rows = tree.infoset[decided].astype(np.int64)
    number = _components(len(roots), (under[decided], rows), *((None, k) for k in known))
    # Where nobody decides any more there is nothing to search.
    alive = np.unique(number[under[decided]])
    if not len(alive):
        raise ParameterError(f"nobody decides anything after {name!r} in {tree.spec}")
    place = np.full(number.max() + 1, -1)
    place[alive] = np.arange(len(alive))
    number = place[number]
    of = np.where(inside, number[under], -1)
    deal = way.reach(tree.infosets.evenly(), -1)
    order = np.argsort(of, kind="stable")
    bounds = np.searchsorted(of[order], np.arange(len(alive) + 1))
    made = []
    for k in range(len(alive)):
        nodes = order[bounds[k] : bounds[k + 1]]
        made.append(_subgame(way, name, roots, nodes, under, moves, known, deal))
    return Subgames(tree, name, tuple(made), of)


def _check_closed(tree: HistoryTree, name: str, inside: Bools) -> None:
    decisions = tree.turn >= 0
    count = len(tree.infosets.owner)
    there = np.bincount(tree.infoset[decisions & inside], minlength=count) > 0
    elsewhere = np.bincount(tree.infoset[decisions & ~inside], minlength=count) > 0
    both = np.flatnonzero(there & elsewhere)
    if len(both):
        i = int(both[0])
        more = f" (nor at {len(both) - 1} more infosets)" if len(both) > 1 else ""
        raise UnsupportedError(
            f"{name!r} is no public point of {tree.spec}: player {tree.infosets.owner[i] + 1} at "
            f"{tree.infosets.labels[i]!r} cannot tell whether play has passed it{more}"
        )


def _known(tree: HistoryTree, roots: Ints, moves: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """What each player knows at each root, as numbers.

    It is what the rules say that it sees there, or its own last move where they say nothing.
    """
    seen = np.full((len(roots), 2), -1)
    with suppress(CounterfoldError):  # a tree without rules
        seen = views(tree).seen[roots]
    told = [np.where(seen[:, p] >= 0, seen[:, p], -2 - moves[p][0][roots]) for p in range(2)]
    return told[0].astype(np.int64), told[1].astype(np.int64)


def _components(count: int, *links: tuple[Ints | None, Ints]) -> Ints:
    """Components of ``count`` things, linked where they share a number of one kind."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    one, other, size = [], [], count
    for things, numbers in links:
        one.append(np.arange(count) if things is None else things)
        found, place = np.unique(numbers, return_inverse=True)
        other.append(size + place.reshape(-1))
        size += len(found)
    # Of 64-bit indices old scipy finds no components, and does not say so.
    ends = tuple(np.concatenate(part).astype(np.int32) for part in (one, other))
    graph = coo_array((np.ones(len(ends[0]), np.int8), ends), shape=(size, size))
    labels = connected_components(graph, directed=False)[1][:count]
    # Numbered in order of first appearance.
    _, firsts, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(firsts))[inverse.reshape(-1)].astype(np.int64)


def _last_moves(way: Paths, under: Ints, player: int) -> tuple[Ints, Ints]:
    """Slots of the player's last move on the way to each node: at all, and since the point.

    -1 where there was none.
    """
    ever, since = np.full((2, len(way.parent)), -1, dtype=np.int64)
    mine = way.mover == player
    for level in way.levels[1:]:
        above = way.parent[level]
        ever[level] = np.where(mine[level], way.slot[level], ever[above])
        inside = np.where(mine[level], way.slot[level], since[above])
        since[level] = np.where(under[above] >= 0, inside, -1)
    return ever, since


def _subgame(
    way: Paths,
    name: str,
    roots: Ints,
    nodes: Ints,
    under: Ints,
    moves: list[tuple[Ints, Ints]],
    known: tuple[Ints, Ints],
    deal: Floats,
) -> Subgame:
    tree = way.tree
    mine = np.unique(under[nodes])
    local = np.searchsorted(mine, under[nodes])
    treeplexes = tuple(
        _treeplex(tree, p, nodes, local, moves[p][1], known[p][mine]) for p in range(2)
    )
    ends = tree.turn[nodes] == TERMINAL
    leaves, root = nodes[ends], local[ends]
    last = np.stack([_sequence(x, moves[p][1][leaves], root) for p, x in enumerate(treeplexes)], 1)
    return Subgame(
        tree=tree,
        point=name,
        roots=roots[mine],
        nodes=nodes,
        under=local,
        treeplexes=(treeplexes[0], treeplexes[1]),
        deal=deal[roots[mine]],
        ways=(_way(way, roots[mine], 0), _way(way, roots[mine], 1)),
        root=root,
        last=last,
        chance=deal[leaves] / deal[roots[mine]][root],
        payoff=tree.payoff[tree.leaf[leaves]],
    )


def _sequence(treeplex: Treeplex, slot: Ints, root: Ints) -> Ints:
    """Sequences of a treeplex from slots of the tree, the class of the root where there is none."""
    return np.where(
        slot < 0, treeplex.at_root[root], treeplex.classes + np.searchsorted(treeplex.slots, slot)
    )


def _treeplex(
    tree: HistoryTree, player: int, nodes: Ints, local: Ints, since: Ints, known: Ints
) -> Treeplex:
    decided = tree.turn[nodes] == player
    mine, under = nodes[decided], local[decided]
    rows = tree.infoset[mine].astype(np.int64)
    # Roots look alike to the player where it cannot tell them apart now or later.
    at_root = _components(len(known), (under, rows), (None, known))
    infosets, example = np.unique(rows, return_index=True)
    sizes = tree.infosets.sizes[infosets]
    classes = int(at_root.max()) + 1
    start = classes + np.append(0, np.cumsum(sizes))
    slots = np.repeat(tree.infosets.start[infosets] - start[:-1] + classes, sizes) + np.arange(
        sizes.sum()
    )
    treeplex = Treeplex(
        classes, at_root, infosets, start, np.zeros(0, np.int64), slots.astype(np.int64)
    )
    parent = _sequence(treeplex, since[mine[example]], under[example])
    return Treeplex(classes, at_root, infosets, start, parent, treeplex.slots)


def _way(way: Paths, roots: Ints, player: int) -> Ints:
    """The player's slots on the way to each root, padded with -1."""
    found: list[list[int]] = []
    for node in roots.tolist():
        slots, v = [], node
        while v > 0:
            if way.tree.turn[way.parent[v]] == player:
                slots.append(int(way.slot[v]))
            v = int(way.parent[v])
        found.append(slots)
    width = max(map(len, found), default=0)
    return np.array([s + [-1] * (width - len(s)) for s in found], dtype=np.int64).reshape(
        len(found), width
    )
