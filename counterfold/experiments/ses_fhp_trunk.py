"""Best replies in a game of two streets from what each line of betting is worth after the deal."""

from __future__ import annotations

import numpy as np

from counterfold.evaluate.public import tables_of
from counterfold.poker.game import DEAL, DECISION
from counterfold.search.public_entry import Floats
from counterfold.strategy.public import PublicStrategy
from counterfold.tree.traversal import Traversal, walk_tape

__all__ = ["TrunkReply"]


class TrunkReply:
    """The best reply to a hero's blueprint before the deal, whatever the hero plays after it.

    ``base`` [lines, hands] is what the lines are worth against the blueprint, exactly.
    """

    def __init__(self, walk: Traversal, blueprint: PublicStrategy, hero: int) -> None:
        from counterfold.kernels import public

        walk = walk.exact
        self.walk, self.me, self.tree = walk, 1 - hero, blueprint.tree
        self.tables = tables_of(blueprint)
        nodes = self.tree.nodes
        self.deals = nodes.line[np.array(nodes.lines[self.tree.last])].astype(np.int64)
        self.places = nodes.place[self.deals].astype(np.int64)
        self.hands = len(self.tree.hands[self.me][0].holes)
        walk.run(self.me, self.tables, (None, None), None, True, public.BEST)
        self.base: Floats = walk.top.value[self.places, : self.hands].astype(np.float64)

    def earns(self, lines: Floats) -> float:
        """What the best reply earns if the lines are worth so much to each hand."""
        from counterfold.kernels import public, rule

        walk, me, arrays = self.walk, self.me, self.walk.arrays
        given = (
            arrays.money, arrays.boards, (arrays.hands[me], arrays.hands[1 - me]),
            (self.tables[me], self.tables[1 - me]), (None, None), arrays.ends[me], walk.top, me,
            np.zeros((3, rule.COLUMNS)), True, public.BEST,
        )  # fmt: skip
        walk_tape(np.array([[public.DOWN, 0]], np.uint32), *given)
        walk.top.value[self.places, : self.hands] = lines
        walk_tape(np.array([[public.UP, 0]], np.uint32), *given)
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
