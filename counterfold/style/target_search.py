"""The search for a style that meets targets: controlled runs of Pref-CFR, and the best so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from counterfold.errors import UnsupportedError
from counterfold.evaluate.exact import assess
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.methods import Method
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.style.control import Cells, ControlledRun
from counterfold.style.frequency import Frequency
from counterfold.style.hand_cells import HandCells
from counterfold.style.infoset_cells import InfosetCells
from counterfold.tree.form import Form
from counterfold.tree.history import HistoryTree
from counterfold.tree.public import PublicTree

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


def cells_of(solver: Solver, targets: Targets, plain: AnyStrategy) -> Cells:
    """The places where a solver's style is controlled."""
    if isinstance(solver.tree, HistoryTree):
        return InfosetCells(solver, list(targets), plain)
    if isinstance(solver.tree, PublicTree):
        return HandCells(solver, list(targets), plain)
    raise UnsupportedError(
        f"{solver.tree.spec} is played by buckets, whose styles cannot change on the way; meet "
        "targets in the game itself, or give the style with preferences"
    )


def allowed_exploitability(tree: Form, give_up: float) -> float:
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
    strategy: Strategy
    style: Conditions
    description: tuple[str, ...]
    exploitability: float


class TargetSearch:
    """All runs that some targets need, one a player, and the profile that they make together."""

    def __init__(
        self,
        tree: Form,
        targets: Targets,
        plain: Strategy,
        give_up: float,
        rule: Method,
        seed: int,
    ) -> None:
        self.targets, self.plain = targets, plain
        self.about: dict[str, object] = {
            "method": f"targets by {rule.name}",
            "targets": {str(frequency): share for frequency, share in targets.items()},
            "give_up": give_up,
            "seed": seed,
        }
        self.plain_exploitability = assess(plain).exploitability
        self.allowed = allowed_exploitability(tree, give_up)
        if not tree.two_player_zero_sum:  # where plain solving need not end at an equilibrium
            self.allowed = max(self.allowed, give_up + self.plain_exploitability)
        parts = list(by_player(targets).items()) if tree.two_player_zero_sum else [(None, targets)]
        self.runs = []
        for player, mine in parts:
            solver = Solver(tree, rule, seed=seed)
            cells = cells_of(solver, mine, plain)
            self.runs.append(ControlledRun(cells, mine, plain, solver, player))
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
            self.epochs += 1
            if self.epochs % 20 == 0 and (len(self.runs) > 1 or self.runs[0].player is None):
                now = self._profile()
                for run in self.runs:
                    run.cells.look(now)

    def _profile(self) -> Strategy:
        """What each targeted player does in its run, and the others in the plain strategy."""
        tables = [self.plain.tables] * self.plain.players
        for run in self.runs:
            average = run.cells.average(run.odds)
            if run.player is None:
                tables = [average] * self.plain.players
            else:
                tables[run.player] = average
        about = {**self.about, "iteration": self.iteration}
        return Strategy(self.plain.layout, self.plain.layout.combine(tables), about)

    def stage(self, cpu_seconds: float) -> Stage:
        """Measure, and remember the best."""
        profile, style = self._profile(), self.runs[0].cells.plain()
        largest = 1.0
        exploitability = assess(profile).exploitability
        words: list[str] = []
        for run in self.runs:
            odds = run.cells.probabilities(profile)
            delta = run.as_delta(odds)
            run.cells.put(style, delta, run.needed)
            largest = max(largest, float(delta.max()))
            words += run.describe(delta)
        frequencies = {f: share for run in self.runs for f, share in run.frequencies().items()}
        missed = max(abs(frequencies[f] - wanted) for f, wanted in self.targets.items())
        over = max(exploitability - self.allowed, 0.0)
        late = max(missed - TOLERANCE / 2, 0.0)
        # The last stage that is within budget and tolerance, or else the one nearest to it.
        misses = (over, late, -float(self.iteration))
        if self._best is None or misses <= self._best.misses:
            self._best = Best(misses, profile, style, tuple(words), exploitability)
        return Stage(
            self.iteration,
            tuple(float(frequencies[frequency]) for frequency in self.targets),
            exploitability,
            largest,
            max(float(run.needed.max()) for run in self.runs),
            cpu_seconds,
        )

    @property
    def best(self) -> Best:
        """The best stage so far."""
        assert self._best is not None  # every run ends with a stage
        return self._best

    def keep_to_budget(self, exploitability: float, pace: float) -> None:
        """Go less far if that costs too much, and farther again if it does not.

        Costs are convex in the way that is gone, so this leads to the budget from either side;
        slowly, since a target on the move costs more than one at rest.
        """
        pull = min(max(1.0 - exploitability / self.allowed, -1.0), 0.5)
        self.share = min(self.share * (1 + pace * pull), 1.0)
