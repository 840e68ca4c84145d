"""The nodes of a public tree: where their numbers are kept, and how hands end at them.

Nodes of a betting tree are numbered anew, street by street and line by line, so that a chunk of
lines can be worked on in a room of its own that the next chunk uses again.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Array, Floats
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, BettingTree

LANES = 16  # ends that are settled at once, as in kernels.lanes
NOTHING = 0xFFFFFFFF
CHUNK = 64  # ends of a chunk of the last street, if it has more than one line


class PublicNodes:
    """A betting tree as kernels take it; ``old[n]`` is the betting node of node ``n``."""

    def __init__(self, betting: BettingTree) -> None:
        self.betting = betting
        self.streets = betting.streets
        self._number()
        old = self.old
        self.kind = betting.kind[old].astype(np.uint32)
        self.owner = np.where(betting.player[old] < 0, 2, betting.player[old]).astype(np.uint32)
        self.count = betting.count[old].astype(np.uint32)
        self.first = np.where(self.count > 0, self.new[betting.first[old]], 0).astype(np.uint32)
        self.parent = np.where(betting.parent[old] >= 0, self.new[betting.parent[old]], -1)
        self.street = betting.street[old].astype(np.int64)
        after_deal = (self.parent >= 0) & (self.kind[self.parent] == DEAL)
        self.line = np.where(after_deal, self.parent, NOTHING).astype(np.uint32)
        self._count_rows()
        self._cut()
        self._place()

    def _number(self) -> None:
        betting = self.betting
        order: list[int] = []
        self.lines: list[list[int]] = []
        self.begin = [0]
        starts = [0]
        for _ in range(self.streets):
            found, after = [], []
            for root in starts:
                found.append(len(order))
                queue = [root]
                for node in queue:  # grows while it is read
                    if betting.kind[node] == DEAL:
                        after.append(int(betting.first[node]))
                    else:
                        queue.extend(betting.children(node))
                order.extend(queue)
            self.lines.append(found)
            self.begin.append(len(order))
            starts = after
        self.old = np.array(order, np.int64)
        self.new = np.empty(len(order), np.int64)
        self.new[self.old] = np.arange(len(order))

    def _count_rows(self) -> None:
        """Rows of what is learned: by board of a street, and over all streets."""
        size = len(self.old)
        self.slot, self.wide = (np.zeros(size, np.uint32) for _ in range(2))
        self.width = np.zeros((self.streets, 2), np.int64)
        wide = [0, 0]
        for n in np.flatnonzero(self.kind == DECISION):
            street, player, actions = self.street[n], int(self.owner[n]), int(self.count[n])
            self.slot[n], self.wide[n] = self.width[street, player], wide[player]
            self.width[street, player] += actions
            wide[player] += actions
        self.actions = tuple(wide)
        self.most_actions = int(self.count.max())

    def _cut(self) -> None:
        """Chunks: a street each, but on the last one lines are taken together up to a size."""
        last = self.streets - 1
        shown = np.zeros(len(self.old) + 1, np.int64)
        for n in range(self.begin[last], self.begin[-1]):
            shown[n + 1] = self.kind[n] == SHOWDOWN
        ends = np.cumsum(shown)
        chunk, held = self.begin[: last + 1], 0
        bounds = [*self.lines[last], self.begin[-1]]
        for line, stop in pairwise(bounds):
            more = int(ends[stop] - ends[line])
            if held and held + more > CHUNK:
                chunk.append(line)
                held = 0
            held += more
        firsts = range(last + 1)
        self.chunks = np.array([(k, k + 1) for k in firsts], np.uint32)
        self.chunks[last, 1] = len(chunk)
        self.chunk = np.array([*chunk, self.begin[-1]], np.uint32)

    def _place(self) -> None:
        """Rows of values and reaches. Row 0 is nobody's; a player's reach changes by its own
        actions alone; chunks of the last street use the same rows."""
        size, last = len(self.old), self.streets - 1
        self.place = np.zeros(size, np.uint32)
        self.row = np.zeros((2, size), np.uint32)
        value, reach = 1, [1, 1]
        self.value_rows, self.reach_rows = 1, 1
        for c in range(len(self.chunk) - 1):
            kept = value, list(reach)
            for n in range(self.chunk[c], self.chunk[c + 1]):
                self.place[n] = value
                value += 1
                parent = self.parent[n]
                for p in (0, 1):
                    if parent < 0 or self.line[n] != NOTHING or self.owner[parent] == p:
                        self.row[p, n] = reach[p]
                        reach[p] += 1
                    else:
                        self.row[p, n] = self.row[p, parent]
            self.value_rows = max(self.value_rows, value)
            self.reach_rows = max(self.reach_rows, *reach)
            if c == 0 and last > 0:
                self.first_rows = max(reach)  # reaches of the first street
            if c >= last:
                value, reach = kept

    def children(self, node: int) -> range:
        """The nodes after a node."""
        return range(int(self.first[node]), int(self.first[node] + self.count[node]))


class _Ends:
    """Ends of hands for one player, as they are found."""

    def __init__(self, nodes: PublicNodes, me: int, scale: float) -> None:
        self.nodes, self.me, self.other, self.scale = nodes, me, 1 - me, scale
        self.hidden = np.zeros(len(nodes.old), np.uint8)
        self.start = [0]
        self.found: list[tuple[object, ...]] = []  # called, folded, to, also, shares

    def pay(self, node: int) -> Floats:
        """What it is worth to win, tie and lose at a node."""
        found: Floats = self.nodes.betting.payoff[self.nodes.old[node], self.me] * self.scale
        return found

    def add(
        self, called: int, to: int, shares: tuple[float, ...], folded: int = 0,
        also: int | None = None,
    ) -> None:  # fmt: skip
        place = self.nodes.place
        second = 0 if also is None else int(place[also])
        self.found.append((int(called), int(folded), int(place[to]), second, shares))

    def look(self, n: int) -> None:
        """Note the ends at a node."""
        nodes, row = self.nodes, self.nodes.row[self.other]
        if nodes.kind[n] == SHOWDOWN and (n == 0 or nodes.line[n] != NOTHING):  # nobody can bet
            win, tie, lose = self.pay(n)
            self.add(row[n], n, (lose, 0, win - tie, tie - lose, 1, 0))
        if nodes.kind[n] != DECISION:
            return
        shown = [m for m in nodes.children(n) if nodes.kind[m] == SHOWDOWN]
        folds = [m for m in nodes.children(n) if nodes.kind[m] == FOLD]
        own, gone = nodes.owner[n] == self.me, folds[0] if folds else None
        out = 0.0 if gone is None else float(self.pay(gone)[0])
        if shown:
            win, tie, lose = self.pay(shown[0])
            if own:  # the opponent's reach is the same whether the player folds or calls
                self.add(row[n], shown[0], (1, 0, win - tie, tie - lose, lose, out), also=gone)
            else:  # its fold and its call are worth what they come to together
                shares = (lose, out, win - tie, tie - lose, 1, 0)
                self.add(row[shown[0]], shown[0], shares, 0 if gone is None else row[gone])
                if gone is not None:
                    self.hidden[gone] = 1
        elif gone is not None:
            self.add(row[n] if own else row[gone], gone, (1, 0, 0, 0, out, 0))

    def close(self) -> None:
        """End a chunk: fill the last batch."""
        while len(self.found) % LANES:
            self.found.append((0, 0, 0, 0, (0,) * 6))
        self.start.append(len(self.found))

    def arrays(self) -> tuple[Array, ...]:
        """In the order of kernels.public.Ends."""
        columns = list(zip(*self.found, strict=True)) if self.found else [()] * 5
        called, folded, to, also = (np.array(column, np.uint32) for column in columns[:4])
        share = np.array(columns[4], np.float64).reshape(-1, LANES, 6).transpose(0, 2, 1)
        return np.array(self.start, np.uint32), called, folded, share.reshape(-1, LANES), to, also


def ends_of(
    nodes: PublicNodes, me: int, scale: float
) -> tuple[tuple[Array, ...], NDArray[np.uint8]]:
    """How hands end for a player, and which nodes' values are counted with a neighbour's.

    ``scale`` is what a pair of hands is worth: one over the sum of their weights.
    """
    ends = _Ends(nodes, me, scale)
    for c in range(len(nodes.chunk) - 1):
        for n in range(nodes.chunk[c], nodes.chunk[c + 1]):
            ends.look(n)
        ends.close()
    return ends.arrays(), ends.hidden
