"""The hands at nodes of a public tree at which a style is controlled, on every board.

A style of all hands at once knows no boards, and there the odds depend on them. So players are held
to their odds by locks, which is what vulnerability degrees that are large enough come to.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Arrays, Floats, Ints
from counterfold.errors import UnsupportedError
from counterfold.evaluate.public import PublicEvaluator
from counterfold.poker.cards import board_name
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.solver import Solver
from counterfold.strategy.layout import Tables
from counterfold.strategy.strategy import Strategy
from counterfold.style.by_hand import hand_name
from counterfold.style.control import Epoch, depths, kept_weight
from counterfold.style.frequency import Frequency
from counterfold.style.visits import HandMatch, matches_by_hand, visits_by_hand
from counterfold.tree.public import PublicTree
from counterfold.tree.public_nodes import NOTHING

MOST_SLOTS = 20_000_000
SELDOM = 1e-4  # of what comes there: what the player does so rarely tells nothing


class _Block(NamedTuple):
    """The cells of a node on a board: a hand each."""

    player: int
    board: int
    node: int  # as ``tree.nodes`` numbers them
    above: tuple[int, int]  # the player's own node before it, and the action there; or -1
    columns: Ints  # [hands] of the player's hands on the board
    cell: int
    slot: int
    actions: int

    @property
    def slots(self) -> slice:
        return slice(self.slot, self.slot + self.actions * len(self.columns))

    @property
    def cells(self) -> slice:
        return slice(self.cell, self.cell + len(self.columns))


class HandCells:
    """Hands at the targets' nodes, and at those of the same player on the way there."""

    bends = False

    def __init__(
        self, solver: Solver, targets: Sequence[Frequency], plain: Strategy[PublicTree]
    ) -> None:
        assert isinstance(solver.tree, PublicTree)
        self.tree = solver.tree
        self.solver, self.targets = solver, targets
        matches = [matches_by_hand(frequency, self.tree) for frequency in targets]
        self.blocks: list[_Block] = []
        for player in sorted({frequency.player for frequency in targets}):
            pairs = zip(targets, matches, strict=True)
            self._cut(player, [one for f, some in pairs if f.player == player for one in some])
        self.index = {(block.board, block.node): block for block in self.blocks}
        self.sizes = np.repeat(
            [block.actions for block in self.blocks], [len(block.columns) for block in self.blocks]
        ).astype(np.int64)
        self.lead = np.concatenate([self._lead(block) for block in self.blocks])
        self.depth = depths(self.lead, self.sizes)
        self.named = np.zeros((len(targets), int(self.sizes.sum())))
        self.counts = np.zeros((len(targets), len(self.sizes)))  # how much of a cell is looked at
        for k, some in enumerate(matches):
            by_node = {one.node: one for one in some}
            for block in (block for block in self.blocks if block.node in by_node):
                _, share, named = by_node[block.node]
                self.named[k, block.slots] = np.tile(named, len(block.columns))
                self.counts[k, block.cells] = share[self._holes(block)]
        self.chance = np.ones(len(self.tree.boards))
        for number, board in enumerate(self.tree.boards[1:], 1):
            self.chance[number] = self.chance[board.before] * board.chance
        self.before = tuple(np.zeros_like(table) for table in solver.engine.tables(average=True))
        self.look(plain)

    def _cut(self, player: int, matches: list[HandMatch]) -> None:
        """Lay out the cells of a player, board by board and parents first."""
        tree, nodes = self.tree, self.tree.nodes
        wanted = np.max([one.share for one in matches], 0) > 0
        first = tree.hands[player][0]
        classes = np.unique(first.of[wanted[first.pairs]])
        wanted[first.pairs] = np.isin(first.of, classes)
        above: dict[int, tuple[int, int]] = {}
        for one in matches:
            below, child, n = one.node, one.node, int(nodes.parent[one.node])
            while n >= 0:
                if nodes.owner[n] == player and nodes.count[n] > 1:
                    above[below] = n, child - int(nodes.first[n])
                    below = n
                child, n = n, int(nodes.parent[n])
            above.setdefault(below, (-1, 0))
        last = self.blocks[-1] if self.blocks else None
        cell, slot = (last.cells.stop, last.slots.stop) if last else (0, 0)
        for number, board in enumerate(tree.boards):
            here = [n for n in sorted(above) if nodes.street[n] == board.street]
            if not here:
                continue
            columns = np.flatnonzero(wanted[tree.hands[player][number].holes]).astype(np.int64)
            for n in here:
                count = int(nodes.count[n])
                block = _Block(player, number, n, above[n], columns, cell, slot, count)
                self.blocks.append(block)
                cell, slot = block.cells.stop, block.slots.stop
            if slot > MOST_SLOTS:
                raise UnsupportedError(
                    f"targets on that street of {tree.spec} look at more than {MOST_SLOTS:,} "
                    "decisions; name an earlier street or fewer hands, or begin on a later street"
                )

    def _holes(self, block: _Block) -> Ints:
        return self.tree.hands[block.player][block.board].holes[block.columns]

    def _lead(self, block: _Block) -> Ints:
        """[hands] the slots above a block."""
        node, action = block.above
        if node < 0:
            return np.full(len(block.columns), -1)
        board = block.board
        while self.tree.boards[board].street > self.tree.nodes.street[node]:
            board = self.tree.boards[board].before
        upper, hands = self.index[board, node], self.tree.hands[block.player][board]
        column = np.zeros(self.tree.game.rules.holes, np.int64)
        column[hands.pairs] = hands.of
        place = np.searchsorted(upper.columns, column[self._holes(block)])
        return upper.slot + place * upper.actions + action

    def _gather(self, tables: Tables) -> Floats:
        """[slots] what the tables of a strategy play."""
        out = np.zeros(len(self.named[0]))
        for block in self.blocks:
            rows = self.tree.row(block.board, int(self.tree.nodes.old[block.node]))
            weights = tables[block.player][rows][:, block.columns].astype(np.float64)
            total = weights.sum(0)
            even = np.full_like(weights, 1 / block.actions)
            shares = np.divide(weights, total, out=even, where=total > 0)
            out[block.slots] = shares.T.ravel()
        return out

    def _own(self, shares: Floats) -> Floats:
        """[cells] how much of them their player lets come."""
        own = np.ones(len(self.sizes))
        cell = np.repeat(np.arange(len(self.sizes)), self.sizes)
        for level in range(1, int(self.depth.max()) + 1):
            at = np.flatnonzero(self.depth == level)
            own[at] = own[cell[self.lead[at]]] * shares[self.lead[at]]
        return own

    def look(self, against: Strategy[PublicTree]) -> None:
        for others in (against, Strategy.uniform(self.tree)):
            comes = np.zeros(len(self.sizes))
            for player in {block.player for block in self.blocks}:
                nodes = {block.node for block in self.blocks if block.player == player}
                for visit in visits_by_hand(others, others, player, nodes):
                    block = self.index.get((visit.board, visit.node))
                    if block is not None:
                        size = self.tree.hands[player][visit.board].size[block.columns]
                        comes[block.cells] = visit.comes[self._holes(block)] * size
            self.weights = self.counts * comes
            if self.weights.sum(1).all():
                break
        self.comes = np.maximum(comes, 1e-9 * float(comes.max()))

    def probabilities(self, strategy: Strategy[PublicTree]) -> Floats:
        return self._gather(strategy.tables)

    def play(self, iterations: int, odds: Floats) -> Epoch:
        kept, _ = kept_weight(self.solver, iterations)
        self.solver.step(iterations)
        totals = tuple(table.copy() for table in self.solver.engine.tables(average=True))
        # Where nobody has come meanwhile, the average of before stands for it.
        meanwhile = tuple(
            np.maximum(total - kept * before, 1e-9 * total)
            for total, before in zip(totals, self.before, strict=True)
        )
        self.before = totals
        average = self._gather(totals)
        own = self._own(average)
        average = np.where(np.repeat(own < SELDOM, self.sizes), odds, average)
        visits = self.weights * own
        gone = visits.sum(1, keepdims=True) > 0
        visits = np.where(gone, visits, self.weights)  # elsewhere what would be done counts
        begin = np.cumsum(self.sizes) - self.sizes
        does = np.add.reduceat(self.named * average, begin, axis=1)
        coming = visits.sum(1)
        shares = np.clip((visits * does).sum(1) / np.maximum(coming, 1e-300), 0.0, 1.0)
        return Epoch(self._worth(meanwhile), self._gather(meanwhile), odds, own, shares, coming)

    def _worth(self, tables: Tables) -> Floats:
        """[slots] counterfactual values of actions."""
        out, tree = np.zeros(len(self.named[0])), self.tree
        evaluator = vars(tree).setdefault("evaluator", PublicEvaluator(tree))
        for player in {block.player for block in self.blocks}:
            weight = np.asarray(tree.game.ranges[player], np.float64)

            def note(
                board: int, n: int, worth: Floats, player: int = player, weight: Floats = weight
            ) -> None:
                block = self.index.get((board, n))
                if block is not None:
                    size = tree.hands[player][board].size[block.columns]
                    scale = self.chance[board] * weight[self._holes(block)] * size
                    out[block.slots] = (worth[:, block.columns] * scale).T.ravel()

            last = max(tree.boards[block.board].street for block in self.blocks)
            evaluator.action_values(tables, player, note, last)
        return out

    def average(self, odds: Floats) -> Tables:
        tables = tuple(table.copy() for table in self.before)
        rare = self._own(self._gather(tables)) < SELDOM
        for block in self.blocks:
            seldom = rare[block.cells]
            if seldom.any():
                rows = self.tree.row(block.board, int(self.tree.nodes.old[block.node]))
                play = odds[block.slots].reshape(-1, block.actions).T
                tables[block.player][rows, block.columns[seldom]] = play[:, seldom]
        return tables

    def plain(self) -> Conditions:
        return Conditions(({}, {}))

    def put(self, style: Conditions, delta: Floats, beta: Floats) -> None:
        """Hold the players to odds in these proportions."""
        tree = self.tree
        for player in {block.player for block in self.blocks}:
            mine = [block for block in self.blocks if block.player == player]
            lock = np.full((len(tree.boards), len(tree.nodes.old)), NOTHING, np.uint32)
            first = np.cumsum([0, *(block.actions for block in mine)])
            trust = np.zeros((len(mine), tree.columns(player)))
            held = np.zeros((int(first[-1]), tree.columns(player)))
            for number, (block, (begin, stop)) in enumerate(
                zip(mine, pairwise(first.tolist()), strict=True)
            ):
                lock[block.board, block.node] = number
                trust[number, block.columns] = 1.0
                odds = delta[block.slots].reshape(-1, block.actions).T
                held[begin:stop, block.columns] = odds / odds.sum(0)
            fields: Arrays = {"lock": lock, "first": first[:-1].astype(np.uint32)}
            fields |= {"trust": trust, "held": held}
            style.fields[player].update(fields)  # type: ignore[attr-defined]

    def name(self, cell: int) -> tuple[str, str, tuple[str, ...]]:
        starts = [block.cell for block in self.blocks]
        block = self.blocks[int(np.searchsorted(starts, cell, side="right")) - 1]
        game, node = self.tree.game, int(self.tree.nodes.old[block.node])
        dealt = self.tree.boards[block.board].cards[len(game.board) :]
        hand = hand_name(game, int(self._holes(block)[cell - block.cell]))
        said = (hand, board_name(dealt) if dealt else "", " ".join(game.betting.line(node)))
        labels = game.betting.actions(node)
        return game.players[block.player], " | ".join(filter(None, said)), labels
