"""Restricted Nash responses of the whole of Flop Hold'em, with little and with much time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterfold.experiments.ses_fhp_found import FhpResponse
from counterfold.experiments.ses_fhp_progress import Count
from counterfold.experiments.ses_fhp_store import Store
from counterfold.experiments.ses_fhp_table import Table
from counterfold.exploit.public import PublicResponse, RestrictedSolver, earned_against
from counterfold.strategy.public import PublicStrategy

__all__ = ["Responses"]

DONE = 2e-5
"""In chips: a response that is so near its best is not made better."""
LOOKS = (0.125, 0.25, 0.5)
"""Parts of a budget after which one looks whether that is so."""
MOMENT = 2.0  # CPU seconds after which a run can be stopped


class Responses:
    """Responses to opponents by p, seat and budget; those that were kept are not made again.

    With p = 0 nobody is responded to: one strategy stands for all opponents.
    """

    def __init__(
        self, table: Table, kinds: Sequence[tuple[float, int]], models: Sequence[PublicStrategy],
        budgets: dict[str, float], store: Store, count: Count,
    ) -> None:  # fmt: skip
        self.table, self.kinds, self.models = table, list(kinds), models
        self.budgets = dict(sorted(budgets.items(), key=lambda item: item[1]))
        self.store, self.count = store, count

    @property
    def longest(self) -> float:
        """CPU seconds of one p, seat and opponent."""
        return max(self.budgets.values(), default=0.0)

    def expected(self, ps: Sequence[float]) -> float:
        """CPU seconds of all of them, at most."""
        return self.longest * sum(2 * len(group) for p in ps for group in self._groups(p))

    def _groups(self, p: float) -> list[list[int]]:
        """Opponents by number, those together that have one response."""
        every = list(range(len(self.kinds)))
        return [[one] for one in every] if p else [every]

    def _key(self, opponent: int, p: float, seat: int, name: str) -> str:
        share, run = self.kinds[opponent]
        return f"{share:g} {run} {p:g} {seat} {self.budgets[name]:g}"

    def all(self, ps: Sequence[float]) -> list[FhpResponse]:
        """Every response: means of both seats. First both ends, then the middle, then the rest."""
        for p in sorted(ps, key=lambda p: (0 < p < 1, abs(p - 0.5), -p)):
            for group in self._groups(p):
                for seat in (0, 1):
                    self._make(group, p, seat)
        found = []
        for p in ps:
            for opponent, (share, run) in enumerate(self.kinds):
                for name in self.budgets:
                    pair = [
                        self.store.responses[self._key(opponent, p, seat, name)] for seat in (0, 1)
                    ]
                    means = {key: float(np.mean([one[key] for one in pair])) for key in pair[0]}
                    found.append(FhpResponse(share, run, p, name, **means))
        return found

    def _make(self, group: list[int], p: float, seat: int) -> None:
        keys = [self._key(o, p, seat, name) for o in group for name in self.budgets]
        if not all(key in self.store.responses for key in keys):
            solver = RestrictedSolver(self.models[group[0]], seat, p, threads=self.table.threads)
            for name, seconds in self.budgets.items():
                self.count.say(f"RNR with p {p:g}, seat {seat}, {seconds:.3g} s")
                self._run(solver, seconds)
                told = solver.response()
                for o in group:
                    self.store.responses[self._key(o, p, seat, name)] = self._numbers(told, o)
                del told  # which holds on to the solver's tables
            self.store.write()
        self.count.add(self.longest * len(group), f"RNR with p {p:g}, seat {seat}")

    def _run(self, solver: RestrictedSolver, seconds: float) -> None:
        """Spend a budget, or less if nothing is left to gain."""
        spent = solver.solver.cpu_seconds
        for part in (*LOOKS, 1.0):
            goal = spent + (seconds - spent) * part
            while solver.solver.cpu_seconds < goal:
                solver.run_for(min(goal, solver.solver.cpu_seconds + MOMENT))
                self.count.check()
            if part < 1 and solver.response().gap < DONE:
                return

    def _numbers(self, told: PublicResponse, opponent: int) -> dict[str, float]:
        """In mbb a hand, against one of the opponents."""
        table, won = self.table, told.winnings
        if not told.p:
            won = earned_against(told.strategy, told.seat, self.models[opponent], table.walk)
        found: dict[str, Any] = {
            "payoff": table.mbb([won]),
            "exploitability": table.mbb([-told.guarantee]),
            "gap": table.mbb([told.gap]),
            "iterations": float(told.iterations),
            "cpu_seconds": told.cpu_seconds,
        }
        return found
