"""Training for the original Cheat: a curriculum whose ordered games are those with horizons.

Horizons of 4, 8, 16, ... turns: each goes on with the regrets and the average strategy of the one
before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from counterfold.abstraction import horizon_engine
from counterfold.abstraction.horizon_engine import HorizonEngine
from counterfold.abstraction.horizon_form import HorizonForm, original
from counterfold.arrays import Floats
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.files.arrays import header_of
from counterfold.games.spec import whole
from counterfold.solvers.run import Saving, run_to
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Report, Until
from counterfold.strategy.strategy import Strategy

KIND_BEFORE = "cheat training"
"""What checkpoints were once called that no solver made."""
HORIZONS = (4, 8, 16, 32)
"""Turns that are played on after a move that is tried, stage by stage."""
HONEST = 2.0
"""The regrets with which honest play begins, where it does."""


@dataclass(frozen=True)
class TrainingReport:
    """How far training has come."""

    done: float  # a share of the whole
    horizon: int
    games: int
    seconds: float


def honest_play() -> Floats:
    """Honest play as a table: the weight of each move at each infoset."""
    from counterfold.kernels import cheat_abstract as abstract

    table = np.zeros((abstract.ROWS, abstract.MOVES))
    table[: abstract.DISCARDS, abstract.ALL] = 1.0
    table[: abstract.DISCARDS, abstract.LIE] = 0.02
    odds = np.arange(abstract.ANSWERS) // (abstract.ANSWERS // abstract.ODDS)
    table[abstract.DISCARDS :, abstract.PASS] = odds >= abstract.EVEN
    table[abstract.DISCARDS :, abstract.CHALLENGE] = odds < abstract.EVEN
    return table


def beginner(players: int = 2, seed: int = 0, threads: int = 2, honest: bool = True) -> Solver:
    """A solver that has not begun: rounds weigh in linearly, their strategies squared.

    Games between players who choose at random do not end. With ``honest`` the first games are
    therefore played honestly: all cards of the rank, or one other if there is none; a challenge
    to what is rather false than true by the cards one knows. A few trials outweigh that.
    """
    form = HorizonForm(original(players))
    solver = Solver(form, traversal="external", seed=seed, threads=threads)
    if honest:
        regrets = HONEST * honest_play().reshape(-1)
        solver.begin(regrets, np.zeros_like(regrets))
    return solver


def engine_in(solver: Solver) -> HorizonEngine:
    """The engine of a solver of the original Cheat."""
    assert isinstance(solver.engine, HorizonEngine)
    return solver.engine


@dataclass(frozen=True)
class Plan:
    """A training in full: whose, how long, and with which horizons, of equal shares."""

    players: int
    minutes: float | None
    games: int | None
    seed: int
    threads: int
    honest: bool
    horizons: tuple[int, ...] = field(default=HORIZONS)

    def __post_init__(self) -> None:
        if (self.minutes is None) == (self.games is None):
            raise ParameterError("training needs either minutes or games")
        if self.minutes is not None and not self.minutes > 0:
            raise ParameterError(f"minutes must be above 0, not {self.minutes}")
        if self.games is not None:
            whole("games", self.games, least=1)
        if not self.horizons or any(
            whole("a horizon", turns, least=1) < 1 for turns in self.horizons
        ):
            raise ParameterError("training needs a horizon at least")

    def done(self, solver: Solver) -> float:
        """The share of the training that is done."""
        if self.games is not None:
            return min(engine_in(solver).games / self.games, 1.0)
        assert self.minutes is not None
        return min(solver.seconds / (60 * self.minutes), 1.0)

    def end(self, stage: int, solver: Solver) -> Until | None:
        """Where a stage ends, counted from 0, with its horizon told; None if it is over."""
        engine, share = engine_in(solver), (stage + 1) / len(self.horizons)
        if self.games is not None:
            until = -(-self.games * (stage + 1) // len(self.horizons))
            if engine.games >= until:
                return None
            rounds = -(-(until - engine.games) // horizon_engine.ROUND)
            limit = Until(iterations=solver.iteration + rounds)
        else:
            assert self.minutes is not None
            until, left = 0, 60 * self.minutes * share - solver.seconds
            begun = solver.iteration > 0 and engine.horizon == self.horizons[stage]
            if left <= (solver.seconds / solver.iteration if begun else 0.0):
                return None  # there is no time for another round
            limit = Until(seconds=left)
        engine.look_ahead(self.horizons[stage], until)
        return limit


def train(  # noqa: PLR0913  (said by their names)
    players: int = 2,
    *,
    minutes: float | None = None,
    games: int | None = None,
    seed: int = 0,
    threads: int = 2,
    honest: bool = True,
    horizons: Sequence[int] = HORIZONS,
    on_progress: Callable[[TrainingReport], None] | None = None,
    save: str | os.PathLike[str] | None = None,
) -> Strategy[HorizonForm]:
    """Learn the original Cheat for a time, or for a number of games (which can be done again).

    Every horizon gets an equal share. ``save`` is a file for a checkpoint, once a minute, on Ctrl-C
    and in the end; the next call goes on from there.

    >>> train(2, games=50, threads=1).players
    2
    """
    plan = Plan(players, minutes, games, seed, threads, honest, tuple(horizons))
    solver = _solver_of(plan, save)

    def tell(report: Report) -> None:
        if on_progress is None:
            return
        engine = engine_in(solver)
        try:
            on_progress(
                TrainingReport(plan.done(solver), engine.horizon, engine.games, solver.seconds)
            )
        except KeyboardInterrupt:
            if save is not None:
                solver.save(save)
            raise

    for stage in range(len(plan.horizons)):
        limit = plan.end(stage, solver)
        if limit is None:
            continue
        _, stopped = run_to(solver, limit, [], Saving(save), tell, measures=False)
        if stopped == "interrupted":
            raise KeyboardInterrupt
    return solver.strategy(seconds=solver.seconds, cpu_seconds=solver.cpu_seconds)


def _solver_of(plan: Plan, save: str | os.PathLike[str] | None) -> Solver:
    """The solver of a training, as its file has it where there is one."""
    told = {**asdict(plan), "horizons": list(plan.horizons)}
    if save is None or not os.path.exists(save):
        solver = beginner(plan.players, plan.seed, plan.threads, plan.honest)
    else:
        if header_of(save).get("kind") == KIND_BEFORE:
            raise FileError(
                f"{save} is a training that an older version began; delete it to begin anew"
            )
        if Strategy.load(save).about.get("plan") != told:
            raise MismatchError(
                f"{save} is of a training with other settings; delete it, or choose another folder"
            )
        solver, _ = Solver.resume(save, HorizonForm(original(plan.players)), threads=plan.threads)
    engine_in(solver).plan = told
    return solver
