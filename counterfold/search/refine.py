"""A search: solve a gadget, and put what the player found back into its blueprint."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterfold.errors import ParameterError
from counterfold.evaluate.certificate import Certified
from counterfold.search.entry import Entry, enters
from counterfold.search.gadget import Gadget
from counterfold.search.gadget_tree import compose, player_actions
from counterfold.search.lp import solve_gadget
from counterfold.search.subgame import Subgames
from counterfold.search.treeplex import Floats, summed
from counterfold.solve.methods import DEFAULT_METHOD, Method
from counterfold.solve.solver import Solver
from counterfold.strategy.strategy import Strategy

__all__ = ["AUTO", "Refined", "refine", "refine_all", "stitch"]

TOLERANCE = 1e-4
FIRST_CHECK = 64
AUTO = "auto"
SMALL = 1_000
"""Sequences of both players up to which a linear program is faster than CFR (measured)."""


@dataclass(frozen=True, eq=False)
class Refined(Certified):
    """What a search found for the player in one subgame.

    ``actions`` are the probabilities of the player's actions inside, in the order of its treeplex.
    ``objective`` is what they are worth in the gadget, and no strategy is worth more than
    ``objective + gap``.
    """

    gadget: Gadget
    actions: Floats
    objective: float
    gap: float
    iterations: int
    seconds: float

    @property
    def entry(self) -> Entry:
        return self.gadget.entry

    def into(self, probabilities: Floats) -> Floats:
        """The strategy with the player's decisions of the subgame replaced."""
        out = probabilities.copy()
        out[self.entry.subgame.treeplexes[self.entry.player].slots] = self.actions
        return out


def refine(
    gadget: Gadget,
    method: str | Method = AUTO,
    tolerance: float = TOLERANCE,
    most: int = 100_000,
) -> Refined:
    """Solve a gadget for the player: until it is within ``tolerance`` of its optimum, in chips.

    ``method`` is any of the solver's, or ``"lp"``, or ``"auto"``: the program for a small subgame
    (which it solves exactly), else the solver's default. The player's decisions to which play
    cannot come in the gadget stay as in the blueprint.

    >>> import counterfold as cf
    >>> from counterfold.search.entry import enter
    >>> from counterfold.search.gadget import maxmargin
    >>> from counterfold.search.subgame import subgames
    >>> uniform = cf.Strategy.uniform(cf.Leduc())
    >>> entry = enter(subgames(uniform.tree)[0], uniform, player=1)
    >>> found, exact = refine(maxmargin(entry), "cfr+"), refine(maxmargin(entry), "lp")
    >>> found.gap <= 1e-4, abs(found.objective - exact.objective) <= 1e-4
    (True, True)
    """
    if not tolerance > 0:
        raise ParameterError(f"tolerance is {tolerance!r}, and must be above 0")
    began = time.perf_counter()
    if method == AUTO:
        sequences = sum(treeplex.sequences for treeplex in gadget.entry.subgame.treeplexes)
        method = "lp" if sequences <= SMALL else DEFAULT_METHOD
    if method == "lp":
        optimum, actions, _ = solve_gadget(gadget)
        kept = gadget.entry.probabilities[
            gadget.entry.subgame.treeplexes[gadget.entry.player].slots
        ]
        actions = np.where(_met(gadget), actions, kept)
        found = Refined(gadget, actions, optimum, 0.0, 0, 0.0)
        worth = gadget.objective(found.into(gadget.entry.probabilities))
        gap = max(optimum - worth, 0.0)
        return Refined(gadget, actions, worth, gap, 0, time.perf_counter() - began)
    slots, places = player_actions(gadget)
    tree = compose(gadget)
    solver = Solver(tree, method)
    player, other = gadget.entry.player, gadget.entry.opponent
    even = tree.constant_sum or 0.0
    worth, most_worth = -np.inf, np.inf
    found_at = tree.infosets.evenly()
    while worth < most_worth - tolerance and solver.iteration < most:
        solver.step(min(max(FIRST_CHECK, solver.iteration // 2), most - solver.iteration))
        standing = solver.assess()
        # Any strategy of the opponent bounds the optimum; the best so far of each count.
        most_worth = min(most_worth, standing.best[player] - even)
        if -standing.best[other] > worth:
            worth = -standing.best[other]
            found_at = solver.probabilities()
    treeplex = gadget.entry.subgame.treeplexes[player]
    actions = gadget.entry.probabilities[treeplex.slots].copy()
    played = found_at[slots]
    met = _met(gadget)[places]
    actions[places[met]] = played[met]
    return Refined(
        gadget, actions, worth, max(most_worth - worth, 0.0), solver.iteration,
        time.perf_counter() - began,
    )  # fmt: skip


def _met(gadget: Gadget) -> Any:
    """At which of the player's actions play may come by in the gadget."""
    entry = gadget.entry
    subgame, treeplex = entry.subgame, entry.subgame.treeplexes[entry.player]
    classes = subgame.treeplexes[entry.opponent].at_root
    comes = np.zeros(len(entry.mass), dtype=bool)
    for part in gadget.parts:
        comes |= (entry.mass > 0) if part.kind == "choose" else (part.range > 0)
    weight = (entry.share * comes[classes])[subgame.root] * subgame.chance
    below = treeplex.totals(summed(subgame.last[:, entry.player], weight, treeplex.sequences))
    # An infoset is met if anything below any of its actions is.
    met = np.add.reduceat(below, treeplex.start[:-1]) if len(treeplex.infosets) else below[:0]
    return np.repeat(met > 0, np.diff(treeplex.start))


def refine_all(
    found: Subgames,
    blueprint: Strategy,
    player: int,
    make: Callable[[Entry], Gadget],
    method: str | Method = AUTO,
    tolerance: float = TOLERANCE,
) -> list[Refined]:
    """Search in every subgame into which the player's blueprint comes.

    ``make`` gives the gadget of each, such as ``maxmargin``.
    """
    if blueprint.tree is not found.tree:
        blueprint.check_fits(found.tree)
    refined = []
    for subgame in found:
        entry = enters(subgame, blueprint.probabilities, player)
        if entry.reached and len(subgame.treeplexes[player].infosets):
            refined.append(refine(make(entry), method, tolerance))
    return refined


def stitch(blueprint: Strategy, refined: Iterable[Refined], **about: Any) -> Strategy:
    """The blueprint with all that was found in its subgames: a strategy of the whole game.

    >>> import counterfold as cf
    >>> from counterfold.search.gadget import maxmargin
    >>> from counterfold.search.subgame import subgames
    >>> uniform = cf.Strategy.uniform(cf.Leduc())
    >>> better = stitch(uniform, refine_all(subgames(uniform.tree), uniform, 1, maxmargin))
    >>> cf.best_response(better, 0).value < cf.best_response(uniform, 0).value
    True
    """
    probabilities = blueprint.probabilities
    for found in refined:
        probabilities = found.into(probabilities)
    told = {**blueprint.about, **about, "search": True}
    return Strategy.of(blueprint.tree, probabilities, told)
