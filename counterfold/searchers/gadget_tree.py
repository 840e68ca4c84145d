"""A gadget as a game: copies of the subgame under a small top, laid out as a tree.

The shape depends only on the subgame, the player, the kinds of parts and the classes that are
alive. It is made once and kept with the subgame; ranges and marks come in as probabilities and
payoffs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Bools, Floats, Ints
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.searchers.entry import HistoryEntry
from counterfold.searchers.gadget import Part
from counterfold.searchers.subgame import Subgame
from counterfold.tree.history import NONE, HistoryTree, Infosets


def compose(entry: HistoryEntry, parts: Sequence[Part]) -> HistoryTree:
    """The gadget as a tree that any solver takes.

    The player's infosets are those of the subgame that play can still reach, in the same order. The
    opponent has the decisions of the top, and a copy of its infosets for each part.

    >>> import counterfold as cf
    >>> from counterfold.searchers.gadget import ses
    >>> from counterfold.searchers.searcher import Searcher
    >>> entry = Searcher(cf.Strategy.uniform(cf.Leduc()), player=1).entry(0)
    >>> compose(entry, ses(entry, 0.5)).histories
    1209
    """
    shape = _shape(entry, parts)
    share = entry.share[shape.order]
    prob = shape.prob.copy()
    payoff = shape.payoff.copy()
    player, other = entry.player, entry.opponent
    for k, part in enumerate(parts):
        prob[shape.parts[k]] = part.weight
        if part.kind != "choose":
            prob[shape.deals[k]] = part.range[entry.live]
        prob[shape.entries[k]] = share
        marks = part.shift[shape.leaf_class]
        rows = shape.leaves[k]
        payoff[rows, other] -= marks
        payoff[rows, player] += marks
    return HistoryTree(
        spec=f"a gadget in {entry.subgame.tree.spec}",
        players=2,
        turn=shape.turn,
        first=shape.first,
        child=shape.child,
        prob=prob,
        infoset=shape.infoset,
        leaf=shape.leaf,
        payoff=payoff,
        infosets=shape.infosets,
    )


def player_actions(entry: HistoryEntry, parts: Sequence[Part]) -> tuple[Ints, Ints]:
    """Where the player's strategy is: slots of the composed tree, and actions of its treeplex."""
    shape = _shape(entry, parts)
    return shape.slots, shape.actions


@dataclass(frozen=True, eq=False)
class Shape:
    """A gadget without its numbers."""

    turn: NDArray[np.int8]
    first: NDArray[np.uint32]
    child: NDArray[np.uint32]
    prob: Floats
    infoset: NDArray[np.uint32]
    leaf: NDArray[np.uint32]
    payoff: Floats
    infosets: Infosets
    order: Ints  # roots by class, as the edges into the copies go
    parts: Ints  # [parts] edge of each
    deals: tuple[Ints, ...]  # by part, edges that deal the classes
    entries: tuple[Ints, ...]  # by part, edges into the copy
    leaves: tuple[Ints, ...]  # by part, rows of the payoffs
    leaf_class: Ints  # the opponent's class at each leaf of a copy
    slots: Ints  # the player's slots, and the actions of its treeplex that they are
    actions: Ints


def _shape(entry: HistoryEntry, parts: Sequence[Part]) -> Shape:
    kinds = tuple(part.kind for part in parts)
    live = np.flatnonzero(entry.live)
    key = ("shape", entry.player, kinds, live.tobytes())
    kept = entry.subgame.kept
    if key not in kept:
        kept[key] = _made(entry.subgame, entry.player, kinds, live)
    return kept[key]


@dataclass
class _Top:
    """The nodes above the copies, in order; children may be named before they exist."""

    turn: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    infoset: list[int] = field(default_factory=list)
    actions: list[tuple[str, ...]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    def add(self, turn: int, infoset: int = -1) -> int:
        self.turn.append(turn)
        self.children.append([])
        self.infoset.append(infoset)
        return len(self.turn) - 1

    def decide(self, player: int, label: str, actions: tuple[str, ...]) -> int:
        self.actions.append(actions)
        self.labels.append(label)
        return self.add(player, len(self.labels) - 1)

    def under(self, above: int, node: int) -> int:
        self.children[above].append(node)
        return node

    def edges(self, nodes: list[int]) -> Ints:
        """All edges of some nodes."""
        first = np.append(0, np.cumsum([len(below) for below in self.children]))
        ranges = [np.arange(first[v], first[v + 1]) for v in nodes]
        return np.concatenate(ranges).astype(np.int64)


def _made(subgame: Subgame, player: int, kinds: tuple[str, ...], live: Ints) -> Shape:
    other, parts = 1 - player, len(kinds)
    classes = subgame.treeplexes[other].at_root
    copy = _copy(subgame, np.isin(classes, live))
    top, dealers, gates = _top(subgame, other, kinds, live)
    above, size, leaves = len(top.turn), len(copy.nodes), len(copy.leaves)
    begins = above + size * np.arange(parts)  # first node of each copy
    for begin, nodes in zip(begins, gates, strict=True):
        for node, j in zip(nodes, live, strict=True):
            below = np.searchsorted(copy.nodes, subgame.roots[classes == j])
            top.children[node] = (begin + below).tolist()
    out = np.zeros((top.turn.count(TERMINAL), 2))
    out[:, player] = subgame.tree.constant_sum
    rows = len(out) + np.arange(parts * leaves).reshape(parts, leaves)
    leaf = np.full(above + parts * size, NONE, dtype=np.uint32)
    leaf[:above][np.array(top.turn) == TERMINAL] = np.arange(len(out))
    for begin, own in zip(begins, rows, strict=True):
        leaf[begin : begin + size][copy.turn == TERMINAL] = own
    edges = [node for below in top.children for node in below]
    widths = np.concatenate([[len(below) for below in top.children], *[copy.widths] * parts])
    infosets, infoset, slots, actions = _infosets(subgame, player, kinds, top, copy)
    return Shape(
        turn=np.concatenate([np.array(top.turn), *[copy.turn] * parts]).astype(np.int8),
        first=np.append(0, np.cumsum(widths)).astype(np.uint32),
        child=np.concatenate([edges, *(begin + copy.child for begin in begins)]).astype(np.uint32),
        prob=np.concatenate([np.ones(len(edges)), *[copy.prob] * parts]),
        infoset=infoset,
        leaf=leaf,
        payoff=np.concatenate([out, *[subgame.payoff[copy.leaves]] * parts]),
        infosets=infosets,
        order=np.concatenate([np.flatnonzero(classes == j) for j in live]),
        parts=np.arange(parts),
        deals=tuple(top.edges([node]) for node in dealers),
        entries=tuple(top.edges(nodes) for nodes in gates),
        leaves=tuple(rows),
        leaf_class=classes[subgame.root[copy.leaves]],
        slots=slots,
        actions=actions,
    )


def _infosets(
    subgame: Subgame, player: int, kinds: tuple[str, ...], top: _Top, copy: _Copy
) -> tuple[Infosets, NDArray[np.uint32], Ints, Ints]:
    """Infosets, the one of each node, and the player's slots with the actions of its treeplex."""
    tree, other = subgame.tree, 1 - player
    own = np.unique(copy.infoset[copy.turn == player])
    theirs = np.unique(copy.infoset[copy.turn == other])
    mine = [(tree.infosets.labels[i], tree.infosets.actions[i]) for i in own]
    yours = list(zip(top.labels, top.actions, strict=True))
    for kind in kinds:
        yours += [(f"{tree.infosets.labels[i]} ({kind})", tree.infosets.actions[i]) for i in theirs]
    both = [*mine, *yours] if player == 0 else [*yours, *mine]
    base = {player: 0 if player == 0 else len(yours), other: len(mine) if player == 0 else 0}
    start = np.append(0, np.cumsum([len(names) for _, names in both])).astype(np.uint32)
    infosets = Infosets(
        owner=np.repeat(np.arange(2, dtype=np.int8), [base[1], len(both) - base[1]]),
        start=start,
        labels=tuple(label for label, _ in both),
        actions=tuple(names for _, names in both),
    )
    row = np.full(len(copy.nodes), NONE, dtype=np.int64)
    for who, known in ((player, own), (other, theirs)):
        at = copy.turn == who
        row[at] = base[who] + np.searchsorted(known, copy.infoset[at])
    rows = [np.array([NONE if i < 0 else base[other] + i for i in top.infoset])]
    for k in range(len(kinds)):
        shift = len(top.labels) + k * len(theirs)
        rows.append(row + np.where(copy.turn == other, shift, 0))
    treeplex = subgame.treeplexes[player]
    places = np.flatnonzero(np.repeat(np.isin(treeplex.infosets, own), np.diff(treeplex.start)))
    slots = int(start[base[player]]) + np.arange(len(places))
    return infosets, np.concatenate(rows).astype(np.uint32), slots, places


def _top(
    subgame: Subgame, other: int, kinds: tuple[str, ...], live: Ints
) -> tuple[_Top, list[int], list[list[int]]]:
    """The top, the node of each part that deals or chooses the class, and the gates by class."""
    top = _Top()
    root = top.add(CHANCE)
    names = [subgame.knows(other)[j] for j in live]
    dealers = []
    for kind in kinds:
        if kind == "choose":
            node = top.decide(other, "which class", tuple(names))
        else:
            node = top.add(CHANCE)
        dealers.append(top.under(root, node))
    gates: list[list[int]] = []
    for kind, dealer in zip(kinds, dealers, strict=True):
        nodes = []
        for name in names:
            above = dealer
            if kind == "refuse":
                above = top.decide(other, f"{name}: in or out", ("out", "in"))
                top.under(dealer, above)
                top.under(above, top.add(TERMINAL))
            nodes.append(top.under(above, top.add(CHANCE)))
        gates.append(nodes)
    return top, dealers, gates


@dataclass(frozen=True, eq=False)
class _Copy:
    """The part of a subgame that is alive, numbered from 0."""

    nodes: Ints
    turn: NDArray[np.int8]
    infoset: Ints
    widths: Ints
    child: Ints
    prob: Floats
    leaves: Ints  # which of the subgame's leaves


def _copy(subgame: Subgame, alive: Bools) -> _Copy:
    tree = subgame.tree
    under = subgame.under
    nodes = subgame.nodes[alive[under]]
    first = tree.first.astype(np.int64)
    widths = first[nodes + 1] - first[nodes]
    heads = np.cumsum(widths) - widths
    edges = np.repeat(first[nodes] - heads, widths) + np.arange(widths.sum())
    return _Copy(
        nodes=nodes,
        turn=tree.turn[nodes],
        infoset=tree.infoset[nodes].astype(np.int64),
        widths=widths,
        child=np.searchsorted(nodes, tree.child[edges]),
        prob=tree.prob[edges],
        leaves=np.flatnonzero(alive[subgame.root]),
    )
