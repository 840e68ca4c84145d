"""Pref-CFR under control: delta and beta follow what the average strategy does.

docs/explanation/style.md says what the control rests on and what was tried.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from counterfold.solvers.conditions import Conditions
from counterfold.solvers.lp import plans
from counterfold.solvers.solver import Solver
from counterfold.strategy.infosets import slots_of
from counterfold.strategy.strategy import Strategy
from counterfold.style.frequency import Frequency
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import SequenceForm, sequence_form

__all__ = ["ControlledRun"]

Floats = NDArray[np.float64]

STEP = 5.0  # of the exponentiated gradient, in units of the largest payoff
STEEPEST = 1e6  # the largest delta
FOLLOW = 0.1  # how fast a price follows its bonus
RAISE, LOWER = 1.5, 0.97  # factors on beta


class ControlledRun:
    """Pref-CFR under some targets, of one player (or of all, with ``player`` None)."""

    def __init__(
        self,
        tree: HistoryTree,
        targets: dict[Frequency, float],
        plain: Strategy,
        solver: Solver,
        player: int | None,
    ) -> None:
        self.tree, self.form, self.solver, self.player = tree, sequence_form(tree), solver, player
        self.targets = list(targets)
        self.wanted = np.array(list(targets.values()))
        self.own = slice(*slots_of(tree.infosets, player)) if player is not None else slice(None)
        self.scale = tree.largest_payoff or 1.0
        matches = [frequency.matches(tree) for frequency in self.targets]
        # The controlled infosets, their slots, and where each one's slots begin among these.
        self.leads = np.zeros(len(tree.infosets.owner), dtype=np.int64)
        self.leads[self.form.infosets()] = self.form.form.parent  # sequence above each infoset
        self.infosets = self._controlled([match.infosets for match in matches])
        self.sizes = tree.infosets.sizes[self.infosets]
        first = tree.infosets.start[self.infosets].astype(np.int64)
        self.begin = np.cumsum(self.sizes) - self.sizes
        self.slots = np.repeat(first - self.begin, self.sizes) + np.arange(self.sizes.sum())
        self.named = np.array([match.named[self.slots] for match in matches], dtype=np.float64)
        self.looks = np.array([np.isin(self.infosets, match.infosets) for match in matches])
        self.columns = [plans(self.form, f.player).sequences for f in self.targets]
        self.look(plain)
        self.usual = np.array([frequency.of(plain) for frequency in self.targets])
        # Odds as logarithms without the bonus, and the bonus of each target in the same unit.
        self.logits = np.log(np.maximum(plain.probabilities[self.slots], 0.01))
        self.bonus = np.zeros(len(self.targets))
        self.price = np.zeros(len(self.targets))
        self.shift = np.zeros(len(self.targets))
        self.beta = np.zeros(len(self.infosets))
        self.needed = np.zeros(len(self.infosets))
        self.odds = self._odds()
        self.average = plain.probabilities
        self.total = np.zeros(self.form.sequences)
        self.weight = 0.0
        self.epochs = 0

    def _controlled(self, looked: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        """The targets' infosets, and those on the way to the ones that are counted together."""
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

    def look(self, against: Strategy) -> None:
        """Count frequencies against the others' part of this strategy."""
        self.ratios = []
        for frequency in self.targets:
            top, bottom = frequency.coefficients(self.tree, against)
            if len(frequency.matches(self.tree).infosets) == 1:  # whose weight was left out
                weight = float(frequency.weights(self.tree, against)[0])
                top, bottom = top * weight, bottom * weight
            self.ratios.append((top, bottom))
        players = {frequency.player for frequency in self.targets}
        comes = _comes(self.tree, players, against)[self.infosets]
        self.comes = np.maximum(comes, 1e-9 * float(comes.max()))

    def frequencies(self) -> dict[Frequency, float]:
        """Of the average strategy."""
        plan = self.form.reach(self.form.by_sequence(self.average))
        return dict(zip(self.targets, self._shares(plan).tolist(), strict=True))

    def _shares(self, plan: Floats) -> Floats:
        shares = []
        for (top, bottom), columns in zip(self.ratios, self.columns, strict=True):
            shares.append(float(top @ plan[columns]) / max(float(bottom @ plan[columns]), 1e-300))
        return np.clip(shares, 0.0, 1.0)

    def step(self, iterations: int, share: float) -> None:
        """Run some iterations and adapt delta and beta to what they did."""
        played, plan, fresh = self._play(iterations)
        self.epochs += 1
        aim = self.usual + share * (self.wanted - self.usual)
        error = aim - self._shares(plan)
        self.shift = np.clip(self.shift + 4 * error * fresh, -0.1, 0.1)
        aim = np.clip(aim + self.shift + error, 0.0, 1.0)

        # Exponentiated gradient: what each action earns more than is earned there.
        extra = np.zeros(self.form.sequences)
        for k, (top, bottom) in enumerate(self.ratios):
            extra[self.columns[k]] += self.price[k] * (top - aim[k] * bottom)
        worth = _values(self.form, played, extra)[self.slots]
        mine = played[self.slots]
        gain = worth - self._spread(np.add.reduceat(worth * mine, self.begin))
        step = STEP / math.sqrt(self.epochs) / self.scale
        self.logits += step * gain / self._spread(self.comes)
        self.logits -= self._spread(np.maximum.reduceat(self.logits, self.begin))
        np.maximum(self.logits, -30.0, out=self.logits)

        # Beta: more where regrets overruled the odds, less where they did not.
        now = self.solver.current()[self.slots]
        far = np.maximum(np.abs(mine - self.odds) - 0.004, np.abs(now - self.odds))
        off = np.maximum.reduceat(far, self.begin) > 0.001
        least = 1e-5 * self.scale * self.comes
        more = np.clip(self.beta * RAISE, least, 2 * self.scale)
        self.beta = np.where(off, more, self.beta * LOWER ** min(1.0, 20 * fresh))
        self.needed = np.maximum(self.needed * (1 - min(fresh, 1.0)), self.beta)

        before = self.bonus.copy()
        self._balance(aim, plan)
        self.price += FOLLOW * (self.bonus - before) / step
        self.price = np.clip(self.price, -2 * self.scale, 2 * self.scale)
        self.odds = self._odds()
        infosets = self.tree.infosets
        delta, beta = np.ones(infosets.slots), np.zeros(len(infosets.owner))
        delta[self.slots] = self.as_delta(self.odds)
        beta[self.infosets] = self.beta
        self.solver.condition(Conditions.by_infosets(delta, beta))

    def _play(self, iterations: int) -> tuple[Floats, Floats, float]:
        """Iterate: the mean strategy meanwhile, the average plan, and the share that is new."""
        from counterfold.kernels.rule import AVERAGE

        first = self.solver.iteration + 1
        fades = self.solver.method.schedule(first, iterations, np.zeros(4))[:, AVERAGE]
        weight = self.weight
        for fade in fades.tolist():
            weight = weight * fade + 1.0
        kept = float(np.prod(fades)) if first > 1 else 0.0
        self.solver.step(iterations)
        self.average = self.solver.probabilities().copy()
        plan = self.form.reach(self.form.by_sequence(self.average))
        total = weight * plan
        fresh = np.maximum(total - kept * self.total, 0.0)
        self.total, self.weight = total, weight
        played = self.form.by_slot(fresh)
        start = self.tree.infosets.start[:-1].astype(np.int64)
        gone = np.add.reduceat(played, start) > 1e-9 * weight
        played = self.tree.infosets.to_one(played)
        played = np.where(np.repeat(gone, self.tree.infosets.sizes), played, self.solver.current())
        # Where the player all but never goes, an average is of its first steps, and the odds
        # themselves stand for what it would do there.
        rare = np.repeat(plan[self.leads[self.infosets]] < 1e-4, self.sizes)
        if rare.any():
            self.average[self.slots[rare]] = self.odds[rare]
            plan = self.form.reach(self.form.by_sequence(self.average))
        return played, plan, iterations / self.solver.iteration

    def _balance(self, aim: Floats, plan: Floats) -> None:
        """Newton's method, target by target: the bonus with which the odds have the aim."""
        visits = self.comes * np.maximum(plan[self.leads[self.infosets]], 1e-6)
        visits[self.sizes == 1] = 0.0
        for _ in range(2 if len(aim) == 1 else 4):
            for k, looks in enumerate(self.looks):
                weight = visits * looks
                if not weight.any():
                    continue
                # Forced moves count too, all of them as named ones.
                forced = 0.0
                if (self.sizes[looks] == 1).any():
                    everywhere = float(self.ratios[k][1] @ plan[self.columns[k]])
                    forced = max(1 - float(weight.sum()) / max(everywhere, 1e-300), 0.0)
                weight *= (1 - forced) / weight.sum()
                for _ in range(4):
                    share = np.add.reduceat(self._odds() * self.named[k], self.begin)
                    miss = aim[k] - forced - float(weight @ share)
                    if abs(miss) < 1e-6:
                        break
                    slope = max(float(weight @ (share * (1 - share))), 1e-3)
                    moved = self.bonus[k] + min(max(miss / slope, -2.0), 2.0)
                    self.bonus[k] = min(max(moved, -40.0), 40.0)

    def _odds(self) -> Floats:
        """Probabilities at the controlled infosets: by the logits and the bonuses."""
        tilted = self.logits + self.bonus @ self.named
        tilted -= self._spread(np.maximum.reduceat(tilted, self.begin))
        weights = np.exp(tilted)
        odds: Floats = weights / self._spread(np.add.reduceat(weights, self.begin))
        return odds

    def as_delta(self, odds: Floats) -> Floats:
        """Preference degrees from 1 up in these proportions."""
        most = self._spread(np.maximum.reduceat(odds, self.begin))
        delta = np.maximum(odds / most, 1 / STEEPEST)
        scaled: Floats = delta / self._spread(np.minimum.reduceat(delta, self.begin))
        return np.maximum(scaled, 1.0)

    def _spread(self, by_infoset: Floats) -> Floats:
        return np.repeat(by_infoset, self.sizes)


def _comes(tree: HistoryTree, players: set[int], against: Strategy) -> Floats:
    """By infoset of these players: how often the others and chance let them come there."""
    comes = np.zeros(len(tree.infosets.owner))
    for player in players:
        mine = np.flatnonzero(tree.infosets.owner == player)
        actions = dict.fromkeys(name for i in mine for name in tree.infosets.actions[i])
        comes[mine] = Frequency(tuple(actions), "", player).weights(tree, against)
    return comes


def _values(form: SequenceForm, probabilities: Floats, extra: Floats) -> Floats:
    """Counterfactual values by slot: what an action earns, where the others let one come."""
    arrays, players = form.form, form.tree.players
    strategy = form.by_sequence(probabilities)
    reach = form.reach(strategy)
    others = arrays.col.reshape(len(arrays.val), players - 1)
    counts = arrays.ptr[1:].astype(np.int64) - arrays.ptr[:-1]
    owner = np.repeat(np.arange(form.sequences), counts)
    gains = arrays.val * reach[others].prod(axis=1)
    worth: Floats = np.bincount(owner, weights=gains, minlength=form.sequences) + extra
    for group in reversed(range(len(arrays.start) - 1)):
        lo, hi = int(arrays.infoset[group]), int(arrays.infoset[group + 1])
        own = slice(int(arrays.start[group]), int(arrays.start[group + 1]))
        value = (strategy[own] * worth[own]).reshape(-1, hi - lo).sum(axis=0)
        np.add.at(worth, arrays.parent[lo:hi].astype(np.int64), value)
    out = np.zeros(form.tree.infosets.slots)
    out[form.slot[players:]] = worth[players:]
    return out
