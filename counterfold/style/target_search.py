"""The search for a style that meets targets: controlled runs of Pref-CFR, and the best so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.evaluate.sequence import assess_form
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.methods import Method
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.style.control import ControlledRun
from counterfold.style.frequency import Frequency
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import sequence_form

__all__ = ["TOLERANCE", "Stage", "TargetSearch", "Targets", "allowed_exploitability", "by_player"]

Floats = NDArray[np.float64]
Targets = dict[Frequency, float]

TOLERANCE = 0.01
"""A target counts as met within this."""

PRECISION = 1e-4
"""What solving itself may leave of exploitability, as a share of the largest payoff."""

EPOCH = 25  # iterations between two changes of delta and beta, fewer at the start


def by_player(targets: Targets) -> dict[int, Targets]:
    """The targets of each player who has any."""
    players: dict[int, Targets] = {}
    for frequency, share in targets.items():
        players.setdefault(frequency.player, {})[frequency] = share
    return players


def allowed_exploitability(tree: HistoryTree, give_up: float) -> float:
    """The budget, or what solving itself may leave if that is more."""
    unit = tree.largest_payoff or 1.0
    return max(give_up + 1e-9 * unit, PRECISION * unit)


@dataclass(frozen=True)
class Stage:
    """Where a run stood: frequencies in the order of the targets, the largest delta and beta."""

    iteration: int
    reached: tuple[float, ...]
    exploitability: float
    delta: float
    beta: float
    cpu_seconds: float


class Best(NamedTuple):
    """The stage that a search would end with: misses of budget and targets, and what had them."""

    misses: tuple[float, ...]
    profile: Floats
    style: Conditions
    exploitability: float


class TargetSearch:
    """All runs that some targets need, one a player, and the profile that they make together."""

    def __init__(
        self,
        tree: HistoryTree,
        targets: Targets,
        plain: Strategy,
        give_up: float,
        rule: Method,
        seed: int,
    ) -> None:
        self.tree, self.form, self.targets = tree, sequence_form(tree), targets
        self.about: dict[str, object] = {
            "method": f"targets by {rule.name}",
            "targets": {str(frequency): share for frequency, share in targets.items()},
            "give_up": give_up,
            "seed": seed,
        }
        self.profile = plain.probabilities.copy()
        self.plain_exploitability = self._exploitability()
        self.allowed = allowed_exploitability(tree, give_up)
        if not tree.two_player_zero_sum:  # where plain solving need not end at an equilibrium
            self.allowed = max(self.allowed, give_up + self.plain_exploitability)
        parts = list(by_player(targets).items()) if tree.two_player_zero_sum else [(None, targets)]
        self.runs = [
            ControlledRun(tree, mine, plain, Solver(tree, rule, seed=seed), player)
            for player, mine in parts
        ]
        self.share = 1.0  # of the way from the plain frequencies to the targets
        self.epochs = 0
        self._best: Best | None = None

    @property
    def iteration(self) -> int:
        return self.runs[0].solver.iteration

    def run_to(self, iteration: int) -> None:
        while self.iteration < iteration:
            count = max(5, min(self.iteration // 100, EPOCH))
            for run in self.runs:
                run.step(min(count, iteration - run.solver.iteration), self.share)
                self.profile[run.own] = run.average[run.own]
            self.epochs += 1
            if self.epochs % 20 == 0 and (len(self.runs) > 1 or self.runs[0].player is None):
                now = Strategy.of(self.tree, self.tree.infosets.to_one(self.profile))
                for run in self.runs:
                    run.look(now)

    def stage(self, cpu_seconds: float) -> Stage:
        """Measure, and remember the best."""
        exploitability = self._exploitability()
        style = self._style()
        frequencies = {f: share for run in self.runs for f, share in run.frequencies().items()}
        missed = max(abs(frequencies[f] - wanted) for f, wanted in self.targets.items())
        over = max(exploitability - self.allowed, 0.0)
        late = max(missed - TOLERANCE / 2, 0.0)
        # The last stage that is within budget and tolerance, or else the one nearest to it.
        misses = (over, late, -float(self.iteration))
        if self._best is None or misses <= self._best.misses:
            self._best = Best(misses, self.profile.copy(), style, exploitability)
        return Stage(
            self.iteration,
            tuple(float(frequencies[frequency]) for frequency in self.targets),
            exploitability,
            float(style.delta.max()),
            float(style.beta.max()),
            cpu_seconds,
        )

    @property
    def best(self) -> Best:
        """The best stage so far."""
        assert self._best is not None  # every run ends with a stage
        return self._best

    def strategy(self) -> Strategy:
        """The strategy of that stage."""
        about = {**self.about, "iteration": self.iteration}
        return Strategy.of(self.tree, self.best.profile, about)

    def keep_to_budget(self, exploitability: float, pace: float) -> None:
        """Go less far if that costs too much, and farther again if it does not.

        Costs are convex in the way that is gone, so this leads to the budget from either side;
        slowly, since a target on the move costs more than one at rest.
        """
        pull = min(max(1.0 - exploitability / self.allowed, -1.0), 0.5)
        self.share = min(self.share * (1 + pace * pull), 1.0)

    def _exploitability(self) -> float:
        return assess_form(self.form, self.profile)[0].exploitability

    def _style(self) -> Conditions:
        """The style as it stands: the odds of the average strategy, and what they need."""
        infosets = self.tree.infosets
        delta, beta = np.ones(infosets.slots), np.zeros(len(infosets.owner))
        for run in self.runs:
            delta[run.slots] = run.as_delta(self.profile[run.slots])
            beta[run.infosets] = run.needed
        return Conditions.by_infosets(delta, beta)
