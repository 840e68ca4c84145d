"""The exact oracle of a search: a gadget's objective as a linear program.

The hero's realisation plan inside the subgame is x. Variables q bound what the opponent's best
reply earns at each of its infosets and classes from above; the margins and so the objective are
linear in them. Nothing here is shared with the gadget as a tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.search.gadget import Gadget
from counterfold.search.plex import Floats, Plex
from counterfold.solve.lp import solve_program

__all__ = ["solve_gadget"]


def solve_gadget(gadget: Gadget) -> tuple[float, Floats, Floats]:
    """The maximum of a gadget, the hero's actions that reach it, and the opponent's range.

    The range is the weight of each class in the opponent's equilibrium strategy, all parts
    together: the hero's strategy is a best one against that range. Actions are those of the
    hero's plex, in its order.
    """
    entry = gadget.entry
    hero, other = entry.subgame.plexes[entry.hero], entry.subgame.plexes[entry.opponent]
    rows = _Rows(hero, other, gadget)
    met = entry.share[entry.subgame.root] * entry.subgame.chance
    keep = met > 0
    rows.best_reply(
        entry.subgame.last[keep][:, [entry.hero, entry.opponent]],
        (met * entry.subgame.payoff[:, entry.opponent])[keep] / rows.scale,
    )
    rows.margins()
    found = solve_program(
        rows.cost,
        A_ub=rows.matrix(),
        b_ub=np.array(rows.limits),
        A_eq=_plans(hero, rows.width),
        b_eq=np.append(np.ones(hero.classes), np.zeros(len(hero.infosets))),
        bounds=rows.bounds(),
    )
    fallback = entry.probabilities[hero.slots]
    plan = np.maximum(found.x[: hero.sequences], 0.0)
    weights = np.zeros(other.classes)
    prices = -found.ineqlin.marginals
    for place, j in rows.class_rows:
        weights[j] = prices[place]
    return rows.constant - float(found.fun) * rows.scale, hero.behaviour(plan, fallback), weights


class _Rows:
    """Inequalities over (x, q by infoset, q by class, auxiliary margins), and the cost."""

    def __init__(self, hero: Plex, other: Plex, gadget: Gadget) -> None:
        self.hero, self.other, self.gadget = hero, other, gadget
        self.live = gadget.live
        self.at_infoset = hero.sequences
        self.at_class = self.at_infoset + len(other.infosets)
        self.extra = self.at_class + other.classes
        extras = sum(1 if p.kind == "choose" else len(self.live) for p in gadget.parts)
        self.width = self.extra + extras
        self.cost = np.zeros(self.width)
        self.constant = 0.0
        # In units of the largest payoff, so that tolerances mean the same in every game.
        self.scale = float(np.abs(gadget.entry.subgame.payoff).max(initial=0.0)) or 1.0
        self.entries: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        self.limits: list[float] = []
        self.class_rows: list[tuple[int, int]] = []

    def best_reply(self, last: NDArray[np.int64], gains: Floats) -> None:
        """q(I) >= what each action gains and what follows it is worth; the same for classes."""
        other = self.other
        # Row s: gains of sequence s + q of infosets that follow - q of the owner of s <= 0.
        self.entries.append((last[:, 1], last[:, 0], gains))
        self.entries.append(
            (
                other.parent,
                self.at_infoset + np.arange(len(other.infosets)),
                np.ones(len(other.infosets)),
            )
        )
        owner = np.repeat(self.at_infoset + np.arange(len(other.infosets)), np.diff(other.start))
        owner = np.append(self.at_class + np.arange(other.classes), owner)
        self.entries.append((np.arange(other.sequences), owner, -np.ones(other.sequences)))
        self.limits += [0.0] * other.sequences
        self.class_rows = [(int(j), int(j)) for j in self.live]

    def margins(self) -> None:
        """The parts: what the hero gets of the margins ``shift - q``."""
        free = self.extra
        for part in self.gadget.parts:
            shift, shares = part.shift[self.live], part.range[self.live]
            columns = self.at_class + self.live
            if part.kind == "given":
                self.constant += part.weight * float(shares @ shift)
                self.cost[columns] += part.weight * shares
                continue
            one = part.kind == "choose"
            places = np.full(len(self.live), free) if one else free + np.arange(len(self.live))
            free = int(places[-1]) + 1
            first = len(self.limits)
            rows = first + np.arange(len(self.live))
            self.entries.append((rows, places, np.ones(len(self.live))))
            self.entries.append((rows, columns, np.ones(len(self.live))))
            self.limits += (shift / self.scale).tolist()
            self.cost[places] = -part.weight if one else -part.weight * shares

    def matrix(self) -> Any:
        from scipy.sparse import csr_array

        rows, columns, values = (np.concatenate(parts) for parts in zip(*self.entries, strict=True))
        return csr_array((values, (rows, columns)), shape=(len(self.limits), self.width))

    def bounds(self) -> Floats:
        """Plans are not negative; what may be refused is never worth more than nothing."""
        bounds = np.full((self.width, 2), (-np.inf, np.inf))
        bounds[: self.hero.sequences, 0] = 0.0
        free = self.extra
        for part in self.gadget.parts:
            if part.kind == "refuse":
                bounds[free : free + len(self.live), 1] = 0.0
            free += {"given": 0, "choose": 1, "refuse": len(self.live)}[part.kind]
        return bounds


def _plans(plex: Plex, width: int) -> Any:
    """A plan plays each class's empty sequence once, and divides each parent among actions."""
    from scipy.sparse import csr_array

    infosets = plex.classes + np.arange(len(plex.infosets))
    sizes = np.diff(plex.start)
    rows = [np.arange(plex.classes), infosets, np.repeat(infosets, sizes)]
    columns = [np.arange(plex.classes), plex.parent, plex.classes + np.arange(sizes.sum())]
    values = [np.ones(plex.classes), -np.ones(len(infosets)), np.ones(sizes.sum())]
    return csr_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(plex.classes + len(infosets), width),
    )
