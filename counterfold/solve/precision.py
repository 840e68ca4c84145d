"""Whether a run still gets better, or its numbers have become too coarse for that.

Sums of strategies and regrets grow with the iterations while what is added to them does not: in
32 bits a probability of a thousandth is lost for good after some ten thousand iterations, and
what stays is worse than what was there before. A run sees it by its checks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["Precision"]

PATIENCE = 4  # times the iterations of the best check, in which no other was better
LEAST = 100  # iterations
WORSE = 2.0  # times the best exploitability: no noise
MUCH_WORSE = 10.0  # times the best, which half of that patience is enough for
LOST = 1e-3  # of a reach: what falls below the resolution of sums that are too coarse
ROUNDING = 64 * float(np.finfo(np.float64).eps)  # of the largest payoff: what a check may be off
FINEST = 100 * ROUNDING  # where a run that stands still has come to the end of double precision


class Precision:
    """The checks of a run, and what they say about its numbers.

    ``largest`` is the largest payoff. Numbers are to blame only where theory promises that
    exploitability falls (``falls``) and where it has come below what rounding in as many
    iterations can come to. A run that stands still is not yet to be blamed on them: what it
    learns must be too little for them.
    """

    def __init__(self, dtype: Any, largest: float, falls: bool, bits: int | None = None) -> None:
        unit = float(np.finfo(dtype).eps) / 2 if bits != 16 else 2.0**-16
        self.name = "16-bit tables" if bits == 16 else f"{np.dtype(dtype).name} tables"
        self.unit, self.largest, self.falls = unit, largest, falls
        self._checks: list[tuple[int, float]] = []

    def begin(self, checks: Iterable[tuple[int, float]]) -> None:
        """Go on from the checks of a run that is resumed."""
        self._checks = list(checks)

    def note(self, iteration: int, exploitability: float) -> None:
        """Take in a check."""
        if not self._checks or iteration > self._checks[-1][0]:
            self._checks.append((iteration, exploitability))

    @property
    def best(self) -> tuple[int, float]:
        """The check that no later one has bettered by more than a hundredth, and its iteration."""
        at, best = self._checks[0]
        for iteration, found in self._checks:
            if found < 0.99 * best:
                at, best = iteration, found
        return at, best

    def verdict(self) -> str | None:
        """``"worse"`` or ``"no better"`` where the numbers keep a run from getting better.

        >>> run = Precision("float32", largest=1.0, falls=True)
        >>> for iteration in range(1000, 9000, 500):
        ...     run.note(iteration, 1e-6 * iteration / 1000)
        >>> run.verdict()
        'worse'
        """
        if not self.falls or not self._checks:
            return None
        now, (at, best) = self._checks[-1][0], self.best
        lost = self.unit * now
        if now < max(LEAST, PATIENCE * at / 2) or best > max(lost, FINEST) * self.largest:
            return None
        lately = min(found for iteration, found in self._checks if 1.5 * iteration > now)
        if lately > MUCH_WORSE * max(best, ROUNDING * self.largest):
            return "worse"
        if now < PATIENCE * at:
            return None
        if lately > WORSE * max(best, ROUNDING * self.largest):
            return "worse"
        return "no better" if lost >= LOST or best <= FINEST * self.largest else None

    def told(self, verdict: str) -> str:
        """A verdict in a sentence."""
        at, best = self.best
        since = "has grown" if verdict == "worse" else "has not fallen"
        advice = "" if self.name.startswith("float64") else "; float64 goes further"
        return (
            f"Its {self.name} have become too coarse to get any better: exploitability was "
            f"{best:.2g} at iteration {at:,} and {since} since{advice}."
        )
