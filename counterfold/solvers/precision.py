"""Whether a run still gets better, or its numbers have become too coarse for that.

Sums of strategies and regrets grow with the iterations while what is added to them does not: in
32 bits a probability of a thousandth is lost for good after some ten thousand iterations, and
what stays is worse than what was there before. A run sees it by its checks, and keeps the strategy
of the best one from where that may come to pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import DTypeLike

from counterfold.arrays import Array, Arrays
from counterfold.files.arrays import Saved

PATIENCE = 4  # times the iterations of the best check, in which no other was better
LEAST = 100  # iterations
WORSE = 2.0  # times the best exploitability: no noise
MUCH_WORSE = 10.0  # times the best, which half of that patience is enough for
NEAR = 8.0  # times the rounding so far: from there on it may become what keeps a run back
LOST = 1e-3  # of a reach: what falls below the resolution of sums that are too coarse
ROUNDING = 64 * float(np.finfo(np.float64).eps)  # of the largest payoff: what a check may be off
WINDOW = 4.0  # times the iterations in which a run that predicts must have halved: 1 / sqrt(T)
SOON = 400  # iterations, before which it is too early to say so
FINEST = 100 * ROUNDING  # where a run that stands still has come to the end of double precision


class Precision:
    """The checks of a run, and what they say about its numbers.

    ``largest`` is the largest payoff. Numbers are to blame only where theory promises that
    exploitability falls (``falls``) and where it has come below what rounding in as many
    iterations can come to. A run that stands still is not yet to be blamed on them: what it
    learns must be too little for them.

    ``kept`` are the tables of the best check, from where coarse numbers may matter: a run that
    does not come there pays nothing for them.
    """

    def __init__(
        self, dtype: DTypeLike, largest: float, falls: bool, bits: int | None = None
    ) -> None:
        unit = float(np.finfo(dtype).eps) / 2 if bits != 16 else 2.0**-16
        self.name = "16-bit tables" if bits == 16 else f"{np.dtype(dtype).name} tables"
        self.unit, self.largest, self.falls = unit, largest, falls
        self._checks: list[tuple[int, float]] = []
        self.best: tuple[int, float] | None = None
        """Where coarse numbers may matter, the iteration and the exploitability of the check that
        no later one has bettered by more than a hundredth."""
        self.kept: tuple[Array, ...] = ()
        self.restarted = 0
        """The iteration after which the run has begun again, if it has."""

    @property
    def latest(self) -> tuple[int, float] | None:
        """The last check before coarse numbers may matter: from there on, none is to be missed."""
        return self._checks[-1] if self._checks and self.best is None else None

    def begin(self, checks: Iterable[tuple[int, float]], restarted: int = 0) -> None:
        """Go on from the checks of a run that is resumed."""
        self._checks, self.best = [], None
        for iteration, exploitability in checks:
            self._take(iteration, exploitability)
            if iteration == restarted:
                self.restarted, self.best = restarted, self._checks[-1]

    @property
    def misled(self) -> bool:
        """Whether a run has not even halved its exploitability in four times the iterations.

        That is what regret matching promises without any predictions, of order 1 / sqrt(T); where
        they are good it falls as 1 / T or faster.

        >>> run = Precision("float64", largest=1.0, falls=True)
        >>> for iteration in (100, 400):
        ...     run.note(iteration, 0.1 - iteration / 1e5, lambda: [])
        >>> run.misled
        True
        """
        now, latest = self._checks[-1] if self._checks else (0, 0.0)
        before = [measured for at, measured in self._checks if WINDOW * at <= now]
        if not self.falls or now < SOON or latest <= FINEST * self.largest or not before:
            return False
        return latest > before[-1] / math.sqrt(WINDOW)

    def restart(self, tables: Sequence[Array]) -> None:
        """The run begins again: its strategy so far is kept until there is a better one."""
        self.best = self._checks[-1]
        self.restarted = self.best[0]
        self.kept = tuple(np.array(table) for table in tables)

    @property
    def behind(self) -> bool:
        """Whether a run that has begun again is not yet as good as it was before."""
        return self.best is not None and self.best[0] == self.restarted

    def note(
        self, iteration: int, exploitability: float, tables: Callable[[], Sequence[Array]]
    ) -> None:
        """Take in a check of the strategy in some tables."""
        if self._checks and iteration <= self._checks[-1][0]:
            return
        if self._take(iteration, exploitability):
            now = tables()
            if not self.kept:
                self.kept = tuple(np.empty_like(table) for table in now)
            for mine, table in zip(self.kept, now, strict=True):
                mine[...] = table

    def _take(self, iteration: int, exploitability: float) -> bool:
        """Whether a check is the best where coarse numbers may matter."""
        self._checks.append((iteration, exploitability))
        if self.behind and self.best is not None and exploitability < self.best[1]:
            self.best, self.kept = None, ()
        near = max(NEAR * self.unit * iteration, FINEST) * self.largest
        better = self.best is None or exploitability < 0.99 * self.best[1]
        if not (self.falls and exploitability <= near and better):
            return False
        self.best = iteration, exploitability
        return True

    def state(self) -> Arrays:
        """What a checkpoint keeps of it."""
        return {f"best.{k}": table for k, table in enumerate(self.kept)}

    def restore(self, state: Saved, like: Sequence[Array]) -> None:
        """Take that back from a file; the tables are ``like`` these."""
        if "best.0" in state:
            self.kept = tuple(
                state.array(f"best.{k}", table.dtype, table.shape, least=0)
                for k, table in enumerate(like)
            )

    def verdict(self) -> str | None:
        """``"worse"`` or ``"no better"`` where the numbers keep a run from getting better.

        >>> run = Precision("float32", largest=1.0, falls=True)
        >>> for iteration in range(1000, 9000, 500):
        ...     run.note(iteration, 1e-6 * iteration / 1000, lambda: [])
        >>> run.verdict()
        'worse'
        """
        if self.best is None or self.behind:
            return None
        now, (at, best) = self._checks[-1][0], self.best
        lost = self.unit * now
        if now < max(LEAST, PATIENCE * at / 2) or best > max(lost, FINEST) * self.largest:
            return None
        lately = min(measured for iteration, measured in self._checks if 1.5 * iteration > now)
        if lately > MUCH_WORSE * max(best, ROUNDING * self.largest):
            return "worse"
        if now < PATIENCE * at:
            return None
        if lately > WORSE * max(best, ROUNDING * self.largest):
            return "worse"
        return "no better" if lost >= LOST or best <= FINEST * self.largest else None

    def sentence(self, verdict: str) -> str:
        """A verdict in a sentence."""
        assert self.best is not None
        at, best = self.best
        since = "has grown" if verdict == "worse" else "has not fallen"
        advice = "" if self.name.startswith("float64") else "; float64 goes further"
        return (
            f"Its {self.name} have become too coarse to get any better: exploitability was "
            f"{best:.2g} at iteration {at:,} and {since} since{advice}."
        )
