"""Deep checks of Flop Hold'em: exact numbers held to sampled play and to the history form."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterfold.errors import ParameterError
from counterfold.evaluate.public import assess_public
from counterfold.evaluate.public_response import public_response
from counterfold.evaluate.public_sampling import play_hands
from counterfold.poker.holdem import fhp
from counterfold.research.fhp.exact import CHECKPOINT
from counterfold.research.fhp.history import FormCheck, compare_forms
from counterfold.research.progress import Progress, no_progress
from counterfold.solve.public import PublicSolver
from counterfold.strategy.public import PublicStrategy, read_public
from counterfold.tree.traversal import Traversal

__all__ = ["FhpChecks", "SampleCheck", "fhp_checks", "sample_checks"]

DECK = "9TJQKA"
SMALL = (("Qh Qs Kh Ks Ah As Ad", 3), ("Jh Js Qh Qs Kh Ks Ah As", 4))
"""Decks and caps that the history form can hold."""

LIMIT = 3.0
"""Standard errors; one fair mean in 370 is further off."""


@dataclass(frozen=True)
class SampleCheck:
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
class FhpChecks:
    """All checks of one run."""

    seed: int
    hands: int  # played for each number
    samples: tuple[SampleCheck, ...]
    forms: tuple[FormCheck, ...]
    seconds: float
    cpu_seconds: float

    @property
    def holds(self) -> bool:
        """Does everything agree?"""
        return all(one.holds for one in self.samples) and all(one.holds for one in self.forms)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON of ``counterfold repro fhp --experiment check``."""
        return {
            "paper": "fhp",
            "experiment": "check",
            "seed": self.seed,
            "hands": self.hands,
            "holds": self.holds,
            "samples": [
                {**asdict(check), "off": check.off, "holds": check.holds} for check in self.samples
            ],
            "forms": [{**asdict(check), "holds": check.holds} for check in self.forms],
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }


def fhp_checks(
    *,
    hands: int = 500_000,
    iterations: int = 20,
    deck: str | None = None,
    small: Sequence[tuple[str, int]] | None = None,
    folder: str | Path | None = None,
    threads: int | None = None,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> FhpChecks:
    """Play hands with a strategy of few iterations on a smaller deck, and solve in both forms.

    A strategy that a ``folder`` keeps from ``fhp_exact`` is played as well.
    """
    if iterations < 1:
        raise ParameterError(f"iterations is {iterations}, and must be at least 1")
    deck, small = deck or DECK, SMALL if small is None else small
    wall, cpu = time.perf_counter(), time.process_time()
    kept = Path(folder) / CHECKPOINT if folder else None
    steps = len(small) + 1 + (kept is not None and kept.exists())
    done = 0

    def next_step() -> None:
        nonlocal done
        on_progress(done, steps)
        done += 1

    forms = []
    for cards, cap in small:
        next_step()
        forms.append(compare_forms(cards, cap, seed=seed))
    next_step()
    solver = PublicSolver(fhp(deck=deck), threads=threads)
    solver.step(iterations)
    samples = sample_checks(
        solver.strategy(), hands, np.random.default_rng(seed), f"{deck}, {iterations} iterations",
        solver.traversal,
    )  # fmt: skip
    if kept is not None and kept.exists():
        next_step()
        strategy, _, _ = read_public(kept)
        samples += sample_checks(strategy, hands, np.random.default_rng(seed + 1), str(kept))
    return FhpChecks(
        seed, hands, tuple(samples), tuple(forms), time.perf_counter() - wall,
        time.process_time() - cpu,
    )  # fmt: skip


def sample_checks(
    strategy: PublicStrategy,
    hands: int,
    random: np.random.Generator,
    name: str,
    walk: Traversal | None = None,
) -> list[SampleCheck]:
    """A strategy against itself, and each player's best response to it, exactly and in play."""
    walk = walk or Traversal(strategy.tree)
    game = strategy.tree.game
    unit = 1000.0 / float(game.big_blind or 1.0)
    exact = assess_public(strategy, walk=walk)
    played = play_hands(strategy, strategy, hands, random)
    found = [("against itself, " + game.players[0], exact.values[0], played, 0)]
    for p in (0, 1):
        pair = [strategy, strategy]
        pair[p] = public_response(strategy, p, walk=walk)
        played = play_hands(pair[0], pair[1], hands, random)
        found.append((f"best response, {game.players[p]}", exact.best[p], played, p))
        del pair
    return [
        SampleCheck(name, what, unit * number, unit * played.mean[p], unit * played.error[p])
        for what, number, played, p in found
    ]
