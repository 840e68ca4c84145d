"""Pref-CFR under control: delta and beta follow what the average strategy does.

docs/explanation/style.md says what the control rests on and what was tried. It works on cells, the
places where a style sets the odds: infosets (``infoset_cells``), or hands at the nodes of a public
tree (``hand_cells``).
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.solver import Solver
from counterfold.strategy.layout import Tables
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.style.frequency import Frequency

STEP = 5.0  # of the exponentiated gradient, in units of the largest payoff
STEEPEST = 1e6  # the largest delta
FOLLOW = 0.1  # how fast a price follows its bonus
RAISE, LOWER = 1.5, 0.97  # factors on beta


class Epoch(NamedTuple):
    """What some iterations came to."""

    worth: Floats  # [slots] counterfactual values against the play meanwhile
    played: Floats  # [slots] the mean strategy meanwhile
    next: Floats  # [slots] what the next iteration plays
    own: Floats  # [cells] how much the average strategy of their player lets come there
    shares: Floats  # [targets] the frequencies of the average strategy
    totals: Floats  # [targets] how often it comes where they look


class Cells(Protocol):
    """The places where the odds are set, each with a slot for each action, parents first."""

    bends: bool  # whether regrets may overrule the odds, which vulnerability degrees prevent
    sizes: Ints  # [cells] actions
    lead: Ints  # [cells] the slot above that the same player must take to come there, or -1
    named: Floats  # [targets, slots] the actions that count
    comes: Floats  # [cells] how often the others and chance let their player come there
    weights: Floats  # [targets, cells] the same where a target looks, zero elsewhere

    def look(self, against: AnyStrategy) -> None:
        """Count ``comes`` and ``weights`` against the others' part of this strategy."""

    def probabilities(self, strategy: AnyStrategy) -> Floats:
        """[slots] what a strategy does there."""

    def play(self, iterations: int, odds: Floats) -> Epoch:
        """Iterate; where the player all but never goes, the odds stand for what it would do."""

    def average(self, odds: Floats) -> Tables:
        """The average strategy of the run so far, in the same way."""

    def plain(self) -> Conditions:
        """The arrays of a style that prefers nothing."""

    def put(self, style: Conditions, delta: Floats, beta: Floats) -> None:
        """Write degrees into the arrays of a style."""

    def name(self, cell: int) -> tuple[str, str, tuple[str, ...]]:
        """The player whose it is, what is seen there, and the actions."""


def depths(lead: Ints, sizes: Ints) -> Ints:
    """[cells] how many others of its player each follows."""
    cell = np.repeat(np.arange(len(sizes)), sizes)
    depth, deeper = np.zeros(len(sizes), np.int64), True
    while deeper:
        before, depth = depth, np.where(lead >= 0, depth[cell[lead]] + 1, 0)
        deeper = not np.array_equal(before, depth)
    return depth


def kept_weight(solver: Solver, iterations: int, weight: float = 0.0) -> tuple[float, float]:
    """How much of the sums of strategies some iterations will leave, and their weight then."""
    from counterfold.kernels.rule import AVERAGE

    first = solver.iteration + 1
    fades = solver.method.schedule(first, iterations, np.zeros(4))[:, AVERAGE]
    for fade in fades.tolist():
        weight = weight * fade + 1.0
    return float(np.prod(fades)) if first > 1 else 0.0, weight


class ControlledRun:
    """Pref-CFR under some targets, of one player (or of all, with ``player`` None)."""

    def __init__(
        self,
        cells: Cells,
        targets: dict[Frequency, float],
        plain: Strategy,
        solver: Solver,
        player: int | None,
    ) -> None:
        self.cells, self.solver, self.player = cells, solver, player
        self.targets = list(targets)
        self.wanted = np.array(list(targets.values()))
        self.scale = solver.tree.largest_payoff or 1.0
        self.sizes = cells.sizes
        self.begin = np.cumsum(self.sizes) - self.sizes
        depth = depths(cells.lead, cells.sizes)
        self.levels = [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1)]
        self.usual = np.array([frequency.of(plain) for frequency in self.targets])
        # Odds as logarithms without the bonus, and the bonus of each target in the same unit.
        self.logits = np.log(np.maximum(cells.probabilities(plain), 0.01))
        self.bonus = np.zeros(len(self.targets))
        self.price = np.zeros(len(self.targets))
        self.shift = np.zeros(len(self.targets))
        self.beta = np.zeros(len(self.sizes))
        self.needed = np.zeros(len(self.sizes))
        self.odds = self._odds()
        self.shares = self.usual
        self.epochs = 0

    def frequencies(self) -> dict[Frequency, float]:
        """Of the average strategy."""
        return dict(zip(self.targets, self.shares.tolist(), strict=True))

    def step(self, iterations: int, share: float) -> None:
        """Run some iterations and adapt delta and beta to what they did."""
        epoch = self.cells.play(iterations, self.odds)
        fresh = iterations / self.solver.iteration
        self.epochs += 1
        self.shares = epoch.shares
        aim = self.usual + share * (self.wanted - self.usual)
        error = aim - epoch.shares
        self.shift = np.clip(self.shift + 4 * error * fresh, -0.1, 0.1)
        aim = np.clip(aim + self.shift + error, 0.0, 1.0)

        # Exponentiated gradient: what each action earns more than is earned there.
        worth = epoch.worth + self._bonuses(epoch.played, aim)
        gain = worth - self._spread(np.add.reduceat(worth * epoch.played, self.begin))
        step = STEP / math.sqrt(self.epochs) / self.scale
        self.logits += step * gain / self._spread(self.cells.comes)
        self.logits -= self._spread(np.maximum.reduceat(self.logits, self.begin))
        np.maximum(self.logits, -30.0, out=self.logits)

        if self.cells.bends:
            self._allow(epoch, fresh)
        before = self.bonus.copy()
        self._balance(aim, epoch)
        self.price += FOLLOW * (self.bonus - before) / step
        self.price = np.clip(self.price, -2 * self.scale, 2 * self.scale)
        self.odds = self._odds()
        style = self.cells.plain()
        self.cells.put(style, self.as_delta(self.odds), self.beta)
        self.solver.condition(style)

    def _allow(self, epoch: Epoch, fresh: float) -> None:
        """More beta where regrets overruled the odds, less where they did not."""
        late = np.abs(epoch.played - self.odds) - 0.004
        far = np.maximum(late, np.abs(epoch.next - self.odds))
        off = np.maximum.reduceat(far, self.begin) > 0.001
        least = 1e-5 * self.scale * self.cells.comes
        more = np.clip(self.beta * RAISE, least, 2 * self.scale)
        self.beta = np.where(off, more, self.beta * LOWER ** min(1.0, 20 * fresh))
        self.needed = np.maximum(self.needed * (1 - min(fresh, 1.0)), self.beta)

    def _bonuses(self, played: Floats, aim: Floats) -> Floats:
        """[slots] what the targets' prices add to counterfactual values."""
        weights, extra = self.cells.weights, np.zeros(len(played))
        for price, named, weight in zip(self.price, self.cells.named, weights, strict=True):
            extra += price * named * self._spread(weight)
        cost = (self.price * aim) @ weights
        for level in reversed(self.levels):
            below = (np.add.reduceat(extra * played, self.begin) - cost)[level]
            lead = self.cells.lead[level]
            np.add.at(extra, lead[lead >= 0], below[lead >= 0])
        return extra

    def _balance(self, aim: Floats, epoch: Epoch) -> None:
        """Newton's method, target by target: the bonus with which the odds have the aim."""
        visits = self.cells.weights * np.maximum(epoch.own, 1e-6)
        for _ in range(2 if len(aim) == 1 else 4):
            for k, weight in enumerate(np.where(self.sizes == 1, 0.0, visits)):
                if not weight.any():
                    continue
                # Forced moves count too, all of them as named ones.
                forced = 0.0
                if (self.sizes[self.cells.weights[k] > 0] == 1).any():
                    forced = max(1 - float(weight.sum()) / max(float(epoch.totals[k]), 1e-300), 0.0)
                weight *= (1 - forced) / weight.sum()
                for _ in range(4):
                    share = np.add.reduceat(self._odds() * self.cells.named[k], self.begin)
                    miss = aim[k] - forced - float(weight @ share)
                    if abs(miss) < 1e-6:
                        break
                    slope = max(float(weight @ (share * (1 - share))), 1e-3)
                    moved = self.bonus[k] + min(max(miss / slope, -2.0), 2.0)
                    self.bonus[k] = min(max(moved, -40.0), 40.0)

    def _odds(self) -> Floats:
        """Probabilities at the controlled cells: by the logits and the bonuses."""
        tilted = self.logits + self.bonus @ self.cells.named
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

    def describe(self, degrees: Floats) -> list[str]:
        """The style in words; cells at which it is the same but for the hand stand in one line."""
        alike: dict[tuple[str, str, str], list[str]] = {}
        for i, delta in enumerate(np.split(degrees, self.begin[1:])):
            if (delta > 1).any() or self.needed[i] > 0:
                player, seen, actions = self.cells.name(i)
                pairs = zip(actions, delta, strict=True)
                odds = " to ".join(f"{action} {degree:.3g}" for action, degree in pairs)
                given_up = f"; give up {self.needed[i]:.2g}" if self.needed[i] > 0 else ""
                hand, _, after = seen.partition(" | ")
                alike.setdefault((player, after, odds + given_up), []).append(hand)
        return [
            f"{player} at {' | '.join(filter(None, (', '.join(hands), after)))}: {style}"
            for (player, after, style), hands in alike.items()
        ]

    def _spread(self, by_cell: Floats) -> Floats:
        return np.repeat(by_cell, self.sizes)
