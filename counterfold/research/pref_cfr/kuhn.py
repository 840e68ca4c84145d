"""Preference-CFR on Kuhn poker: which of its equilibria is found.

They are told apart by alpha, how often player 1 opens with a bet when holding J (0 to 1/3).
Figure 3 shows that plain CFR finds alpha of about 0.2 from wherever it starts; figure 4, that a
preference at player 1's three opening infosets moves it. Settings as in the authors' public code.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from counterfold.arrays import Floats
from counterfold.files.text import Fields, Json
from counterfold.files.typed import from_json, to_json
from counterfold.games.onecard import Kuhn
from counterfold.games.spec import whole
from counterfold.pieces.piece import Outcome, Piece, gathered
from counterfold.pieces.store import Store
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result, Sampled, plain
from counterfold.solvers.solver import Solver
from counterfold.strategy.layout import Row
from counterfold.style.preferences import Style
from counterfold.tree.history import HistoryTree, compile_game

ITERATIONS = 10_000
"""Of each run; with others nothing is compared with what is expected."""
CHECKS = 25
"""At how many iterations, evenly spaced in their logarithms, a run is looked at."""


@dataclass(frozen=True)
class Setting:
    """A preference at player 1's opening infosets, and what an independent check measured.

    ``alpha`` and ``nash_conv`` (the sum of both players' gains) are means of 30 runs of 10,000
    iterations of a separate implementation, with simultaneous updates and a uniform average.
    """

    name: str
    action: str | None = None
    degree: float = 1.0
    best: bool = False
    alpha: float | None = None
    nash_conv: float | None = None

    def style(self, give_up: float = 0.0) -> Style | None:
        """The preference as a style; None for plain CFR."""
        if self.action is None:
            return Style(best=True) if self.best else None
        prefer = {self.action: self.degree}
        return Style(prefer, give_up, player=0, where=_is_opening, best=self.best)


def _is_opening(row: Row) -> bool:
    return " | " not in row.infoset


FIGURE_3 = Setting("CFR", alpha=0.205, nash_conv=4.6e-3)
# "Pass" of the paper is "check" where nobody has bet.
FIGURE_4 = (
    Setting("(1) BR, bet 10", "bet", 10.0, True, 0.316, 5.8e-3),
    Setting("(2) BR, bet 5", "bet", 5.0, True, 0.286, 5.4e-3),
    Setting("(3) RM, bet 5", "bet", 5.0, False, 0.235, 4.8e-3),
    Setting("(4) RM, pass 5", "check", 5.0, False, 0.172, 4.5e-3),
    Setting("(5) BR, pass 5", "check", 5.0, True, 0.097, 4.8e-3),
    Setting("(6) BR, pass 10", "check", 10.0, True, 0.054, 5.2e-3),
)


@dataclass(frozen=True)
class Runs:
    """Many runs of one setting from random starts: ``[run, check]``, looked at ``iterations``."""

    setting: Setting
    iterations: tuple[int, ...]
    alphas: Floats = field(repr=False)
    nash_convs: Floats = field(repr=False)

    @property
    def alpha(self) -> float:
        """The mean alpha at the end."""
        return float(self.alphas[:, -1].mean())

    @property
    def trace(self) -> Mapping[str, Sampled]:
        """Alpha and NashConv over the iterations."""
        named = {"alpha": self.alphas, "nash_conv": self.nash_convs}
        return {name: Sampled(self.iterations, numbers) for name, numbers in named.items()}

    @property
    def spread(self) -> float:
        """The standard deviation of alpha at the end."""
        return float(self.alphas[:, -1].std(ddof=1)) if len(self.alphas) > 1 else 0.0

    @property
    def nash_conv(self) -> float:
        """The mean NashConv (sum of both gains) at the end."""
        return float(self.nash_convs[:, -1].mean())

    @property
    def off(self) -> float | None:
        """How far alpha is from what is expected after as many iterations."""
        expected = self.setting.alpha
        if expected is None or self.iterations[-1] != ITERATIONS:
            return None
        return self.alpha - expected

    def to_dict(self) -> Json:
        """What ``counterfold repro --json`` tells of a setting."""
        return {
            "setting": self.setting.name,
            "action": self.setting.action,
            "degree": self.setting.degree,
            "best": self.setting.best,
            "alpha": self.alpha,
            "alpha_sd": self.spread,
            "nash_conv": self.nash_conv,
            "expected_alpha": self.setting.alpha,
            "expected_nash_conv": self.setting.nash_conv,
            "off": self.off,
            "alphas": self.alphas[:, -1].tolist(),
            "nash_convs": self.nash_convs[:, -1].tolist(),
            "trace": {
                "iterations": list(self.iterations),
                **{name: _banded(curve) for name, curve in self.trace.items()},
            },
        }


def _banded(curve: Sampled) -> Json:
    low, high = curve.band
    return {"mean": plain(curve.means), "low": plain(low), "high": plain(high)}


@dataclass(frozen=True)
class Figure(Result, paper="pref-cfr", game="kuhn"):
    """A figure's settings with their runs, and the time they took."""

    figure: int
    runs: int
    iterations: int
    settings: tuple[Runs, ...]
    seed: int
    cpu_seconds: float


def figure(
    number: int,
    runs: int = 30,
    iterations: int = ITERATIONS,
    seed: int = 0,
    on_progress: Progress = no_progress,
    executor: Executor | None = None,
    library: Store | None = None,
) -> Figure:
    """Kuhn poker from random starts: which equilibrium CFR (3) or each preference (4) finds.

    >>> found = figure(3, runs=3, iterations=2000)
    >>> abs(found.settings[0].alpha - 0.2) < 0.03
    True
    >>> bold, *_, careful = figure(4, runs=3, iterations=2000).settings
    >>> bold.alpha > 0.25, careful.alpha < 0.15
    (True, True)
    """
    settings = {3: (FIGURE_3,), 4: FIGURE_4}[number]
    check(runs, iterations, seed)
    began = time.process_time()
    pieces = [
        Piece(
            "kuhn",
            {"setting": to_json(setting), "iterations": iterations, "start": [seed, place, run]},
        )
        for place, setting in enumerate(settings)
        for run in range(runs)
    ]
    done = gathered(pieces, kuhn_run, executor, on_progress, library)
    shape = (len(settings), runs, -1)
    alphas, nash_convs = (
        np.array([one.result[name] for one in done]).reshape(shape)
        for name in ("alphas", "nash_convs")
    )
    checks = tuple(_checks(iterations))
    found = tuple(
        Runs(setting, checks, alphas[place], nash_convs[place])
        for place, setting in enumerate(settings)
    )
    return Figure(number, runs, iterations, found, seed, time.process_time() - began)


def _checks(iterations: int) -> list[int]:
    found: list[int] = np.unique(np.geomspace(1, iterations, CHECKS).round().astype(int)).tolist()
    return found


@cache
def _tree() -> HistoryTree:
    return compile_game(Kuhn())


def kuhn_run(given: Json, wants: tuple[str, ...]) -> Outcome:
    """The work of a piece, on whatever machine: one run of a setting from a random start."""
    setting = from_json(Setting, Fields(given, "a run").object("setting"))
    # As in the authors' code: simultaneous updates, uniform average, regrets and the average
    # strategy drawn at random before the first iteration.
    solver = Solver(_tree(), "cfr", alternating=False, style=setting.style())
    solver.begin_at_random(np.random.default_rng(given["start"]))
    alphas, nash_convs = [], []
    for mark in _checks(given["iterations"]):
        solver.step(mark - solver.iteration)
        alphas.append(float(solver.strategy().at("J")["bet"]))
        nash_convs.append(float(sum(solver.assess().gains)))
    return Outcome({"alphas": alphas, "nash_convs": nash_convs})


def check(runs: int, iterations: int, seed: int) -> None:
    whole("runs", runs, least=1, most=10_000)
    whole("iterations", iterations, least=2)
    whole("seed", seed, least=0)
