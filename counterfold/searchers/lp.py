"""The exact oracle of a search: a gadget's objective as a linear program.

The player's realisation plan inside the subgame is x, and q what the opponent's best reply leaves
to the player by the opponent's infosets and classes; the margins and so the objective are linear
in q. Nothing here is shared with the gadget as a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Floats
from counterfold.searchers.entry import HistoryEntry
from counterfold.searchers.gadget import Part
from counterfold.solvers.program import Affine, Program


class GadgetOptimum(NamedTuple):
    """The maximum of a gadget, and an equilibrium that has it.

    ``actions`` are the player's, in the order of its treeplex. ``range`` is the weight of each
    class in the opponent's strategy, all parts together: the player's is a best one against that
    range.
    """

    objective: float
    actions: Floats
    range: Floats


def solve_gadget(entry: HistoryEntry, parts: Sequence[Part]) -> GadgetOptimum:
    """The maximum of a gadget, by HiGHS."""
    from scipy.sparse import csr_array

    subgame, live = entry.subgame, np.flatnonzero(entry.live)
    player, other = subgame.treeplexes[entry.player], subgame.treeplexes[entry.opponent]
    unit = float(np.abs(subgame.payoff).max(initial=0.0)) or 1.0
    met = entry.share[subgame.root] * subgame.chance
    kept = met > 0
    payoff = csr_array(
        (
            -(met * subgame.payoff[:, entry.opponent])[kept] / unit,
            (subgame.last[kept, entry.opponent], subgame.last[kept, entry.player]),
        ),
        shape=(other.sequences, player.sequences),
    )
    program = Program()
    x = program.plan(player.plans)
    q, replies = program.best_reply(other.plans, payoff @ x)
    # The margin of class j is shift[j] - best[j], and the opponent's best is -q[j].
    worth = [
        float(part.weight)
        * _worth(program, part, part.shift[live] / unit + q[live], part.range[live])
        for part in parts
    ]
    program.maximise(sum(worth[1:], worth[0]))
    solution = program.solve()
    weights = np.zeros(other.classes)
    weights[live] = solution.price(replies)[live]
    actions = player.behaviour(solution[x], entry.probabilities[player.slots])
    return GadgetOptimum(solution.objective * unit, actions, weights)


def _worth(program: Program, part: Part, margins: Affine, shares: Floats) -> Affine:
    """What the player gets of the margins (see ``gadget``)."""
    if part.kind == "given":
        return shares @ margins
    if part.kind == "choose":
        smallest = program.variables(1, least=-np.inf)
        program.at_most(np.ones((len(shares), 1)) @ smallest, margins)
        return smallest
    lost = program.variables(len(shares), least=-np.inf, most=0.0)
    program.at_most(lost, margins)
    return shares @ lost
