"""The infosets of a history graph at which a style is controlled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.lp import plans
from counterfold.solvers.solver import Solver
from counterfold.strategy.layout import Tables
from counterfold.strategy.strategy import Strategy
from counterfold.style.control import Epoch, kept_weight
from counterfold.style.frequency import Frequency
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import SequenceForm, sequence_form


class InfosetCells:
    """The targets' infosets, and those on the way to the ones that are counted together."""

    bends = True

    def __init__(
        self, solver: Solver, targets: Sequence[Frequency], plain: Strategy[HistoryTree]
    ) -> None:
        assert isinstance(solver.tree, HistoryTree)
        self.tree = solver.tree
        self.form, self.solver, self.targets = sequence_form(self.tree), solver, targets
        infosets = self.tree.infosets
        matches = [frequency.matches(self.tree) for frequency in targets]
        self.leads = np.zeros(len(infosets.owner), dtype=np.int64)
        self.leads[self.form.infosets()] = self.form.form.parent  # sequence above each infoset
        self.infosets = self._controlled([match.infosets for match in matches])
        self.sizes = infosets.sizes[self.infosets].astype(np.int64)
        first = infosets.start[self.infosets].astype(np.int64)
        begin = np.cumsum(self.sizes) - self.sizes
        self.slots = np.repeat(first - begin, self.sizes) + np.arange(self.sizes.sum())
        above = self.leads[self.infosets]
        slot = np.where(above >= self.tree.players, self.form.slot[above].astype(np.int64), -1)
        place = np.searchsorted(self.slots, slot)
        known = np.append(self.slots, -2)[np.minimum(place, len(self.slots))] == slot
        self.lead = np.where(known & (slot >= 0), place, -1)
        self.named = np.array([match.named[self.slots] for match in matches], dtype=np.float64)
        self.columns = [plans(self.form, f.player).sequences for f in targets]
        self.matched = [match.infosets for match in matches]
        self.played = plain.probabilities  # the average strategy so far
        self.total, self.weight = np.zeros(self.form.sequences), 0.0
        self.look(plain)

    def _controlled(self, looked: list[Ints]) -> Ints:
        infosets, players = self.tree.infosets, self.tree.players
        controlled = set(np.concatenate(looked).tolist())
        ways = [i for some in looked if len(some) > 1 for i in some.tolist()]
        while ways:
            lead = int(self.leads[ways.pop()])
            if lead >= players:
                slot = self.form.slot[lead]
                above = int(np.searchsorted(infosets.start, slot, side="right")) - 1
                controlled.add(above)
                ways.append(above)
        return np.array(sorted(controlled), dtype=np.int64)

    def look(self, against: Strategy[HistoryTree]) -> None:
        self.ratios = []
        self.weights = np.zeros((len(self.targets), len(self.infosets)))
        for k, (frequency, looked) in enumerate(zip(self.targets, self.matched, strict=True)):
            top, bottom = frequency.coefficients(self.tree, against)
            weights = frequency.weights(self.tree, against)
            if len(looked) == 1:  # whose weight was left out
                top, bottom = top * weights[0], bottom * weights[0]
            self.ratios.append((top, bottom))
            self.weights[k, np.searchsorted(self.infosets, looked)] = weights
        comes = np.zeros(len(self.tree.infosets.owner))
        for player in {frequency.player for frequency in self.targets}:
            mine = np.flatnonzero(self.tree.infosets.owner == player)
            actions = dict.fromkeys(name for i in mine for name in self.tree.infosets.actions[i])
            comes[mine] = Frequency(tuple(actions), "", player).weights(self.tree, against)
        self.comes = np.maximum(comes[self.infosets], 1e-9 * float(comes[self.infosets].max()))

    def probabilities(self, strategy: Strategy[HistoryTree]) -> Floats:
        found: Floats = strategy.probabilities[self.slots]
        return found

    def play(self, iterations: int, odds: Floats) -> Epoch:
        kept, weight = kept_weight(self.solver, iterations, self.weight)
        self.solver.step(iterations)
        self.played = self.solver.probabilities().copy()
        plan = self.form.reach(self.form.by_sequence(self.played))
        total = weight * plan
        fresh = self.form.by_slot(np.maximum(total - kept * self.total, 0.0))
        self.total, self.weight = total, weight
        infosets, current = self.tree.infosets, self.solver.current()
        gone = np.add.reduceat(fresh, infosets.start[:-1].astype(np.int64)) > 1e-9 * weight
        meanwhile = np.where(np.repeat(gone, infosets.sizes), infosets.to_one(fresh), current)
        # There an average is of the player's first steps.
        rare = np.repeat(plan[self.leads[self.infosets]] < 1e-4, self.sizes)
        if rare.any():
            self.played[self.slots[rare]] = odds[rare]
            plan = self.form.reach(self.form.by_sequence(self.played))
        sums = np.array(
            [
                (top @ plan[columns], bottom @ plan[columns])
                for (top, bottom), columns in zip(self.ratios, self.columns, strict=True)
            ]
        )
        return Epoch(
            worth=_values(self.form, meanwhile)[self.slots],
            played=meanwhile[self.slots],
            next=current[self.slots],
            own=plan[self.leads[self.infosets]],
            shares=np.clip(sums[:, 0] / np.maximum(sums[:, 1], 1e-300), 0.0, 1.0),
            totals=sums[:, 1],
        )

    def average(self, odds: Floats) -> Tables:
        return (self.played,)

    def plain(self) -> Conditions:
        infosets = self.tree.infosets
        return Conditions.by_infosets(np.ones(infosets.slots), np.zeros(len(infosets.owner)))

    def put(self, style: Conditions, delta: Floats, beta: Floats) -> None:
        style.delta[self.slots] = delta
        style.beta[self.infosets] = beta

    def name(self, cell: int) -> tuple[str, str, tuple[str, ...]]:
        infosets, i = self.tree.infosets, int(self.infosets[cell])
        return f"player {infosets.owner[i] + 1}", infosets.labels[i], infosets.actions[i]


def _values(form: SequenceForm, probabilities: Floats) -> Floats:
    """Counterfactual values by slot: what an action earns, where the others let one come."""
    arrays, players = form.form, form.tree.players
    strategy = form.by_sequence(probabilities)
    reach = form.reach(strategy)
    others = arrays.col.reshape(len(arrays.val), players - 1)
    counts = arrays.ptr[1:].astype(np.int64) - arrays.ptr[:-1]
    owner = np.repeat(np.arange(form.sequences), counts)
    gains = arrays.val * reach[others].prod(axis=1)
    worth = np.bincount(owner, weights=gains, minlength=form.sequences).astype(np.float64)
    for group in reversed(range(len(arrays.start) - 1)):
        lo, hi = int(arrays.infoset[group]), int(arrays.infoset[group + 1])
        own = slice(int(arrays.start[group]), int(arrays.start[group + 1]))
        value = (strategy[own] * worth[own]).reshape(-1, hi - lo).sum(axis=0)
        np.add.at(worth, arrays.parent[lo:hi].astype(np.int64), value)
    out = np.zeros(form.tree.infosets.slots)
    out[form.slot[players:]] = worth[players:]
    return out
