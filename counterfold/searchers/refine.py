"""A search in a subgame of a history tree: solve a gadget, as a linear program or by CFR."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from counterfold.arrays import Bools, Floats
from counterfold.errors import ParameterError
from counterfold.searchers.entry import HistoryEntry
from counterfold.searchers.gadget import Part, objective
from counterfold.searchers.gadget_tree import compose, player_actions
from counterfold.searchers.lp import solve_gadget
from counterfold.searchers.refined import Refined
from counterfold.searchers.treeplex import summed
from counterfold.solvers.methods import DEFAULT_METHOD, Method
from counterfold.solvers.solver import Solver

TOLERANCE = 1e-4
FIRST_CHECK = 64
MOST = 100_000
AUTO = "auto"
SMALL = 1_000
"""Sequences of both players up to which a linear program is faster than CFR (measured)."""

HistoryRefined = Refined[HistoryEntry, float]


def refine(
    entry: HistoryEntry,
    parts: Sequence[Part],
    method: str | Method = AUTO,
    tolerance: float = TOLERANCE,
    most: int = MOST,
) -> HistoryRefined:
    """Solve a gadget for the player: until it is within ``tolerance`` of its optimum, in chips.

    ``method`` is any of the solver's, or ``"lp"``, or ``"auto"``: the program for a small subgame
    (which it solves exactly), else the solver's default. The player's decisions to which play
    cannot come in the gadget stay as in the blueprint.

    >>> import counterfold as cf
    >>> from counterfold.searchers.gadget import maxmargin
    >>> from counterfold.searchers.searcher import Searcher
    >>> entry = Searcher(cf.Strategy.uniform(cf.Leduc()), player=1).entry(0)
    >>> found, exact = (refine(entry, maxmargin(entry), method) for method in ("cfr+", "lp"))
    >>> found.gap <= 1e-4, abs(found.objective - exact.objective) <= 1e-4
    (True, True)
    """
    if not tolerance > 0:
        raise ParameterError(f"tolerance is {tolerance!r}, and must be above 0")
    began = time.thread_time()
    if method == AUTO:
        sequences = sum(treeplex.sequences for treeplex in entry.subgame.treeplexes)
        method = "lp" if sequences <= SMALL else DEFAULT_METHOD
    iterations = 0
    if method == "lp":
        optimum, played, _ = solve_gadget(entry, parts)
    else:
        optimum, played, iterations = _by_iterations(entry, parts, method, tolerance, most)
    treeplex = entry.subgame.treeplexes[entry.player]
    probabilities = entry.probabilities.copy()
    probabilities[treeplex.slots] = np.where(
        _met(entry, parts), played, probabilities[treeplex.slots]
    )
    best = np.where(entry.live, entry.best_values(probabilities), 0.0)
    worth = float(objective(entry, parts, best))
    return Refined(
        entry, tuple(parts), probabilities[treeplex.slots], best, worth,
        gap=max(optimum - worth, 0.0), iterations=iterations,
        cpu_seconds=time.thread_time() - began,
    )  # fmt: skip


def _by_iterations(
    entry: HistoryEntry, parts: Sequence[Part], method: str | Method, tolerance: float, most: int
) -> tuple[float, Floats, int]:
    """A bound on the optimum, the player's actions, and how many iterations it took."""
    tree = compose(entry, parts)
    solver = Solver(tree, method)
    even = tree.constant_sum or 0.0
    worth, optimum = -np.inf, np.inf
    best_at = tree.infosets.evenly()
    while worth < optimum - tolerance and solver.iteration < most:
        solver.step(min(max(FIRST_CHECK, solver.iteration // 2), most - solver.iteration))
        standing = solver.assess()
        # Any strategy of the opponent bounds the optimum; the best so far of each count.
        optimum = min(optimum, standing.best[entry.player] - even)
        if -standing.best[entry.opponent] > worth:
            worth = -standing.best[entry.opponent]
            best_at = solver.probabilities()
    slots, places = player_actions(entry, parts)
    actions = entry.probabilities[entry.subgame.treeplexes[entry.player].slots].copy()
    actions[places] = best_at[slots]
    return optimum, actions, solver.iteration


def _met(entry: HistoryEntry, parts: Sequence[Part]) -> Bools:
    """At which of the player's actions play may come by in the gadget."""
    subgame, treeplex = entry.subgame, entry.subgame.treeplexes[entry.player]
    classes = subgame.treeplexes[entry.opponent].at_root
    comes = np.zeros(len(entry.mass), dtype=bool)
    for part in parts:
        comes |= entry.live if part.kind == "choose" else (part.range > 0)
    weight = (entry.share * comes[classes])[subgame.root] * subgame.chance
    below = treeplex.totals(summed(subgame.last[:, entry.player], weight, treeplex.sequences))
    # An infoset is met if anything below any of its actions is.
    met = np.add.reduceat(below, treeplex.start[:-1]) if len(treeplex.infosets) else below[:0]
    return np.asarray(np.repeat(met > 0, np.diff(treeplex.start)))
