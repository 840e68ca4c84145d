"""VPIP and its like of any strategy of poker from the first card: exact where all hands are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import UnsupportedError
from counterfold.poker.game import DEAL, DECISION, meetings
from counterfold.poker.statistics import NAMES, Statistics, Tally
from counterfold.strategy.strategy import Strategy, check_strategies
from counterfold.tree.public import PublicTree

Counter = Callable[..., Statistics]

_COUNTERS: dict[type, Counter] = {}


def counted_by(form: type, counter: Counter) -> None:
    """Have statistics of strategies over a kind of form counted so."""
    _COUNTERS[form] = counter


def statistics(strategy: Strategy, boards: int | None = None, seed: int = 0) -> Statistics:
    """The statistics that players use, for every seat: see docs/reference/statistics.md.

    Exact for strategies of all hands; over buckets estimated from ``boards`` that are drawn.

    >>> from counterfold.poker.holdem import leduc
    >>> found = statistics(Strategy.uniform(PublicTree(leduc())))
    >>> round(found.of("vpip", 0).value, 4), found.of("vpip", 0).half
    (0.6667, 0.0)
    """
    check_strategies(strategy)
    for kind in type(strategy.tree).__mro__:
        if kind in _COUNTERS:
            return _COUNTERS[kind](strategy, boards=boards, seed=seed)
    raise UnsupportedError(
        f"{strategy.spec} is no poker in ranges, so nobody knows a VPIP there; solve it with "
        "--form public, or take a blueprint"
    )


def public_statistics(
    strategy: Strategy[PublicTree], boards: int | None = None, seed: int = 0
) -> Statistics:
    """Those of a public tree: over all hands and boards."""
    tally = Tally(strategy.tree.game)
    tally.add(node_masses(strategy), NAMES)
    return tally.statistics()


counted_by(PublicTree, public_statistics)


def node_masses(strategy: Strategy[PublicTree]) -> Floats:
    """How often play comes to each node of the betting, over all hands and boards."""
    tree = strategy.tree
    nodes = tree.nodes
    mass = np.zeros(len(tree.game.betting))

    def walk(n: int, board: int, reach: tuple[Floats, Floats], chance: float) -> None:
        mass[nodes.old[n]] += chance * float(reach[0] @ meetings(reach[1]))
        if nodes.kind[n] == DEAL:
            for after in tree.children[board]:
                dealt = tree.boards[after]
                free, times = tree.game.rules.apart(dealt.cards), chance * dealt.chance
                walk(int(nodes.first[n]), after, (reach[0] * free, reach[1] * free), times)
        elif nodes.kind[n] == DECISION:
            mine = int(nodes.owner[n])
            play = np.nan_to_num(strategy.hands.at(int(nodes.old[n]), board))
            for row, child in zip(play, nodes.children(n), strict=True):
                own = reach[mine] * row
                walk(child, board, (own, reach[1]) if mine == 0 else (reach[0], own), chance)

    one, two = (np.asarray(weights, np.float64) for weights in tree.game.ranges)
    walk(0, 0, (one, two), 1 / tree.weight_sum)
    betting = tree.game.betting
    for node in np.flatnonzero((betting.kind == DEAL) & (betting.street >= tree.last)).tolist():
        mass[betting.first[node]] = mass[node]  # nobody decides any more: cards come, hands show
    return mass
