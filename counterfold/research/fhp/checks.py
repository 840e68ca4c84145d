"""Flop Hold'em's exact numbers held to hands that are dealt and played."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from counterfold.evaluate.exact import assess, best_response
from counterfold.evaluate.public_sampling import play_hands
from counterfold.games.spec import whole
from counterfold.poker.holdem import fhp
from counterfold.research.fhp.exact import CHECKPOINT
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.solver import Solver
from counterfold.strategy.store import read
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree

DECK = "9TJQKA"
LIMIT = 3.0
"""Standard errors; one fair mean in 370 is further off."""


@dataclass(frozen=True)
class SampleCheck(Result, also=("off", "holds")):
    """An exact number beside the mean of hands that were played; mbb/h."""

    game: str
    what: str
    exact: float
    sampled: float
    error: float  # the standard error of the mean

    @property
    def off(self) -> float:
        """How many standard errors lie between them."""
        return (self.sampled - self.exact) / self.error if self.error > 0 else math.inf

    @property
    def holds(self) -> bool:
        return abs(self.off) < LIMIT


@dataclass(frozen=True)
class FhpChecks(Result, paper="fhp", experiment="check", also=("holds",)):
    """All checks of one run."""

    seed: int
    hands: int  # played for each number
    samples: tuple[SampleCheck, ...]
    seconds: float
    cpu_seconds: float

    @property
    def holds(self) -> bool:
        """Does everything agree?"""
        return all(one.holds for one in self.samples)


def fhp_checks(
    *,
    hands: int = 500_000,
    iterations: int = 20,
    deck: str | None = None,
    folder: str | Path | None = None,
    threads: int | None = None,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> FhpChecks:
    """Play hands with a strategy of few iterations on a smaller deck.

    A strategy that a ``folder`` keeps from ``fhp_exact`` is played as well.
    """
    whole("iterations", iterations, least=1)
    deck = deck or DECK
    wall, cpu = time.perf_counter(), time.process_time()
    kept = Path(folder) / CHECKPOINT if folder else None
    steps = 1 + (kept is not None and kept.exists())
    on_progress(0, steps)
    solver = Solver(fhp(deck=deck), threads=threads)
    solver.step(iterations)
    samples = sample_checks(
        solver.strategy(), hands, np.random.default_rng(seed), f"{deck}, {iterations} iterations"
    )
    if kept is not None and kept.exists():
        on_progress(1, steps)
        strategy, _, _ = read(kept)
        samples += sample_checks(strategy, hands, np.random.default_rng(seed + 1), str(kept))
    return FhpChecks(
        seed, hands, tuple(samples), time.perf_counter() - wall, time.process_time() - cpu
    )


def sample_checks(
    strategy: Strategy[PublicTree],
    hands: int,
    random: np.random.Generator,
    name: str,
) -> list[SampleCheck]:
    """A strategy against itself, and each player's best response to it, exactly and in play."""
    game = strategy.tree.game
    unit = 1000.0 / float(game.big_blind or 1.0)
    exact = assess(strategy)
    played = play_hands(strategy, strategy, hands, random)
    pairs = [("against itself, " + game.players[0], exact.values[0], played, 0)]
    for p in (0, 1):
        pair = [strategy, strategy]
        pair[p] = best_response(strategy, p).strategy
        played = play_hands(pair[0], pair[1], hands, random)
        pairs.append((f"best response, {game.players[p]}", exact.best[p], played, p))
        del pair
    return [
        SampleCheck(name, what, unit * number, unit * played.mean[p], unit * played.error[p])
        for what, number, played, p in pairs
    ]
