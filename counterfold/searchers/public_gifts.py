"""Gifts on public trees: what an opponent gave away on its way to the last street, hand by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfold.arrays import Floats
from counterfold.evaluate.public import PublicEvaluator
from counterfold.searchers.public_entry import Arrivals, CarriedDown, met_by
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree


def public_gifts(blueprint: Strategy[PublicTree], player: int) -> CarriedDown:
    """The gifts of a player's own moves, added up along the way (see ``gifts``).

    A move gives away what the best one at its node is worth more, by best responses to the other's
    blueprint, each time that the hand meets the other there.
    """
    tree = blueprint.tree
    nodes = tree.nodes
    worth: dict[tuple[int, int], Floats] = {}

    def note(board: int, node: int, values: Floats) -> None:
        if tree.boards[board].street < tree.last:
            worth[board, node] = values * tree.weight_sum

    PublicEvaluator(tree, threads=1).best_actions(blueprint.tables, player, note)
    arrivals = Arrivals(blueprint.hands, 1 - player)
    reach = {board: arrivals.within(board) for board, _ in worth}

    def step(board: int, n: int, given: Floats) -> Sequence[Floats]:
        if int(nodes.owner[n]) != player:
            return [given] * int(nodes.count[n])
        theirs, mine = tree.hands[1 - player][board], tree.hands[player][board]
        mass = met_by(tree, theirs.pairs, reach[board][n][theirs.of][None], mine.holes)[0]
        room = worth[board, n].max(0) - worth[board, n]
        return list(given + np.divide(room, mass, where=mass > 0, out=np.zeros_like(room)))

    return CarriedDown(tree, player, np.zeros(len(tree.hands[player][0].holes)), step)
