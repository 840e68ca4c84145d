"""Gifts: what an opponent gave away on its way into a subgame, if it wanted to be there at all."""

from __future__ import annotations

import numpy as np

from counterfold.arrays import Floats
from counterfold.evaluate.sequence import assess_form, workspace
from counterfold.searchers.paths import paths
from counterfold.searchers.subgame import Subgame
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import sequence_form


def gifts(subgame: Subgame, probabilities: Floats, player: int) -> Floats:
    """For each class of a player, the sum of the gifts of its own moves on the way to a subgame.

    Brown and Sandholm (2017): a move that is worth less than the best one at its infoset, by best
    responses to the other's blueprint, leaves so much room to the other in all that follows it.
    The same room for every class that follows a move is safe, as they come with probabilities that
    sum to one at most.
    """
    found = np.append(gifts_by_slot(subgame.tree, probabilities, player), 0.0)
    treeplex = subgame.treeplexes[player]
    out = np.zeros(treeplex.classes)
    out[treeplex.at_root] = found[subgame.ways[player]].sum(axis=1)
    return out


def gifts_by_slot(tree: HistoryTree, probabilities: Floats, player: int) -> Floats:
    """What each move of a player gives away against a strategy, in payoff units once there."""
    form = sequence_form(tree)
    work = workspace(form)
    assess_form(form, probabilities, work)
    # The scratch holds what each sequence is worth to a best reply, by its chance of being met.
    worth = np.zeros(tree.infosets.slots)
    worth[form.slot[tree.players :]] = work.gradient[tree.players :]
    start = tree.infosets.start[:-1].astype(np.int64)
    best = np.maximum.reduceat(worth, start) if len(worth) else worth
    way = paths(tree)
    met = way.reach(probabilities, -1) * way.reach(probabilities, 1 - player)
    mine = tree.turn == player
    mass = np.bincount(tree.infoset[mine], met[mine], len(start))
    room = np.repeat(best, tree.infosets.sizes) - worth
    mass = np.repeat(mass, tree.infosets.sizes)
    own = np.repeat(tree.infosets.owner == player, tree.infosets.sizes)
    return np.divide(room, mass, out=np.zeros(len(room)), where=own & (mass > 0))
