"""Best replies in Flop Hold'em to a hero who keeps its blueprint before the flop.

``TrunkReply`` knows every hand: it walks up from what each line of betting is worth after the
deal. ``BucketReply`` knows only the bucket of a hand on the last street, as a paper measures. A
bucket forgets the hand of the first street, so that this best reply is no walk up the tree. It is
approached from both ends in turn: the best play of each bucket for how hands come to it, then the
best way to come for how buckets are played. Each step gains, and what comes out is a reply that
nobody gains on by changing one of the two: a bound from below for the best one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.buckets import Buckets
from counterfold.arrays import Array, Floats, Ints
from counterfold.evaluate.public import kernel_tables
from counterfold.poker.game import DEAL, DECISION
from counterfold.research.ses.fhp_setup import rows_of
from counterfold.searchers.public import PublicSearch
from counterfold.searchers.public_entry import Arrivals, PublicEntry, classes_above
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from counterfold.tree.public_nodes import ends_of
from counterfold.tree.traversal import Traversal

ROUNDS = 30


class TrunkReply:
    """The best reply to a hero's blueprint before the deal, whatever the hero plays after it.

    ``base`` [lines, hands] is what the lines are worth against the blueprint, exactly.
    """

    def __init__(self, walk: Traversal, blueprint: Strategy[PublicTree], hero: int) -> None:
        from counterfold.kernels import public

        walk = walk.exact
        self.walk, self.me, self.tree = walk, 1 - hero, blueprint.tree
        self.tables = kernel_tables(blueprint.tables)
        nodes = self.tree.nodes
        self.deals = nodes.line[np.array(nodes.lines[self.tree.last])].astype(np.int64)
        self.places = nodes.place[self.deals].astype(np.int64)
        self.hands = len(self.tree.hands[self.me][0].holes)
        walk.run(self.me, self.tables, (None, None), None, True, public.BEST)
        self.base: Floats = walk.top.value[self.places, : self.hands].astype(np.float64)

    def earns(self, lines: Floats) -> float:
        """What the best reply earns if the lines are worth so much to each hand."""
        from counterfold.kernels import public

        walk, me = self.walk, self.me
        walk.over(np.array([[public.DOWN, 0]], np.uint32), self.tables, me, public.BEST)
        walk.top.value[self.places, : self.hands] = lines
        walk.over(np.array([[public.UP, 0]], np.uint32), self.tables, me, public.BEST)
        return walk.expected(me)

    def comes(self) -> Floats:
        """[lines, hands] how the reply that was found last comes to each line."""
        nodes, values = self.tree.nodes, self.walk.top.value
        start = np.asarray(self.tree.game.ranges[self.me], np.float64)
        reach = {0: start[self.tree.hands[self.me][0].holes]}
        for n in range(nodes.begin[1]):
            if nodes.kind[n] == DECISION:
                children = nodes.children(n)
                worth = np.stack([values[nodes.place[m], : self.hands] for m in children])
                best = worth.argmax(0)
                for a, m in enumerate(children):
                    reach[m] = reach[n] * (best == a) if nodes.owner[n] == self.me else reach[n]
        assert all(nodes.kind[n] == DEAL for n in self.deals)
        return np.stack([reach[int(n)] for n in self.deals])

    def earns_elsewhere(self, lines: Floats, truly: Floats) -> float:
        """What the reply that is best for some worth of the lines earns if it is another."""
        earned = self.earns(lines)
        size = self.tree.hands[self.me][0].size
        return earned + float((self.comes() * size * (truly - lines)).sum())


class BoardValues(NamedTuple):
    """What ends of hands are worth on a board, and where that is counted."""

    cell: Ints  # [hands]
    values: NDArray[np.float32]  # [ends, hands]


class BucketReply:
    """Sums over boards of what ends of hands are worth by first hand and bucket, and replies."""

    def __init__(self, search: PublicSearch, trunk: TrunkReply, buckets: Buckets) -> None:
        self.search, self.trunk, self.buckets = search, trunk, buckets
        self.tree, self.me = search.tree, 1 - search.player
        nodes = self.tree.nodes
        self.hidden = ends_of(nodes, self.me, 1.0)[1]
        within = range(nodes.begin[self.tree.last], nodes.begin[self.tree.last + 1])
        self.ends = [n for n in within if nodes.kind[n] != DECISION and not self.hidden[n]]
        self.line = np.searchsorted(search.starts, self.ends, "right") - 1
        self.size = self.tree.hands[self.me][0].size

    def empty(self) -> NDArray[np.float32]:
        """Sums of nothing yet: [ends, first hands x buckets]."""
        return np.zeros((len(self.ends), len(self.size) * self.buckets.count), np.float32)

    def blueprint(self) -> NDArray[np.float32]:
        """Sums over all boards, on which the hero plays as it does without a search."""
        sums = self.empty()
        for board in self.search.boards:
            rows = rows_of(self.search.blueprint, self.search.player, board)
            chance = self.tree.boards[board].chance
            self.add(sums, self.see(self.search.entry(board), rows, chance))
        return sums

    def see(self, entry: PublicEntry, weights: Array, share: float) -> BoardValues:
        """A board on which the hero plays by weights; ``share`` is how often it comes."""
        board = self.tree.boards[entry.board]
        holes = self.tree.hands[self.me][entry.board].holes
        bucket = self.buckets.on(board.cards)[holes].astype(np.int64)
        cell = classes_above(self.tree, self.me, entry.board) * self.buckets.count + bucket
        found = self.search.ends(entry, weights, self.ends)
        found *= (entry.came[self.line] * share / self.tree.weight_sum)[:, None]
        return BoardValues(cell, found.astype(np.float32))

    def add(self, sums: NDArray[np.float32], seen: BoardValues) -> None:
        """Add a board to sums."""
        for row, numbers in zip(sums, seen.values, strict=True):
            np.add.at(row, seen.cell, numbers)

    def earns(self, sums: NDArray[np.float32]) -> float:
        """What the reply earns that nobody gains on by changing one end of it."""
        table = sums.reshape(len(self.ends), len(self.size), -1)
        blueprint = Arrivals(self.search.blueprint.hands, self.me).ends(0)
        most = -np.inf
        for start in (np.ones_like(self.trunk.base), np.stack(blueprint)):
            comes, before = start, -np.inf
            for _ in range(ROUNDS):
                earned = self.trunk.earns(self._lines(table, comes))
                if earned <= before + 1e-7:
                    break
                before, comes = earned, self.trunk.comes()
            most = max(most, before)
        return most

    def _lines(self, table: NDArray[np.float32], comes: Floats) -> Floats:
        """[lines, first hands] what lines are worth when buckets are played best for a reach."""
        nodes, found = self.tree.nodes, []
        stops = [*self.search.starts.tolist(), nodes.begin[self.tree.last + 1]]
        place = {n: k for k, n in enumerate(self.ends)}
        for line, start in enumerate(self.search.starts.tolist()):
            worth: dict[int, Floats] = {}  # [first hands, buckets]
            for n in range(stops[line + 1] - 1, start - 1, -1):
                if nodes.kind[n] != DECISION:
                    worth[n] = table[place[n]].astype(np.float64) if n in place else np.zeros(1)
                    continue
                below = [worth.pop(m) for m in nodes.children(n)]
                if nodes.owner[n] != self.me:
                    worth[n] = np.sum(np.stack(np.broadcast_arrays(*below)), 0)
                    continue
                best = np.stack([comes[line] @ one for one in below]).argmax(0)
                worth[n] = np.choose(best, below)
            found.append(worth[start].sum(1) / self.size)
        return np.stack(found)
