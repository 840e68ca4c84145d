"""Telling luck from play: control variates from exact values of histories.

Burch et al. (2018), AIVAT. What chance, or an agent whose strategy is known, happened to choose
is replaced by its expectation under a value function; the mean stays what it was, whatever the
value function is, as long as it does not depend on the hand at hand. Where one stranger meets
known strategies, the hand is judged by the stranger's decisions alone, each over all that the
others may hold: the exact values of its actions against those strategies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from counterfold.arrays import Floats
from counterfold.tree.graph import graph_of
from counterfold.tree.history import HistoryTree

if TYPE_CHECKING:
    from counterfold.kernels.arena import Insight


def no_insight(agents: int) -> Insight:
    """Nothing is taken out."""
    from counterfold.kernels.arena import Insight

    empty = np.zeros((0, 0, 0))
    return Insight(
        empty, np.ones(agents, dtype=np.bool_), empty, np.zeros((agents, agents)), np.zeros(agents)
    )


def insight_of(
    tree: HistoryTree, strategies: Floats, known: Sequence[bool], stranger: int | None
) -> Insight:
    """Values (or a stranger's advantages) if these strategies, one a row, were played.

    The rows of agents that are not known are guesses; a guess may cost spread, never truth.
    """
    from counterfold.kernels import arena

    graph, agents = graph_of(tree), len(known)
    value = np.zeros((agents, tree.histories, tree.players))
    for turn in range(agents):
        arena.values(graph, strategies, turn, value)
    base = value[:, 0, :].copy()
    empty = np.zeros((0, 0, 0))
    advantage = empty
    if stranger is not None:
        advantage = np.zeros((agents, tree.infosets.slots, tree.players))
        reach, mass = np.zeros(tree.histories), np.zeros(len(tree.infosets.owner))
        for turn in range(agents):
            arena.advantages(graph, strategies, turn, stranger, value, reach, mass, advantage)
        value = empty
    return arena.Insight(value, np.array(known), advantage, base, np.zeros(tree.players))


def fair_payoffs(
    tree: HistoryTree,
    insight: Insight,
    strategies: Sequence[Floats | None],
    turn: int,
    places: Sequence[int],
    payoffs: Sequence[float],
) -> tuple[float, ...]:
    """One hand with luck taken out: ``places`` are the moves made, ``turn`` who sat where."""
    node, agents = 0, len(strategies)
    luck = np.zeros(tree.players)
    for place in places:
        first, last = int(tree.first[node]), int(tree.first[node + 1])
        child, who = int(tree.child[first + place]), int(tree.turn[node])
        agent = (who + turn) % agents
        if who < 0:
            if insight.value.size:
                luck += insight.value[turn, child] - insight.value[turn, node]
        elif not insight.known[agent]:
            if insight.advantage.size:
                slot = int(tree.infosets.start[tree.infoset[node]]) + place
                luck += insight.advantage[turn, slot]
        elif insight.value.size:
            lo = int(tree.infosets.start[tree.infoset[node]])
            row = strategies[agent]
            assert row is not None
            odds = row[lo : lo + last - first]
            luck += insight.value[turn, child] - odds @ insight.value[turn, tree.child[first:last]]
        node = child
    if insight.advantage.size:
        return tuple((insight.base[turn] + luck).tolist())
    return tuple((np.asarray(payoffs) - luck).tolist())
