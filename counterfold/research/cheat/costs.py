"""Cheat's experiments: what four views of the game cost, and how many infosets they have.

The paper trains agents in Mini-Cheat with 3, 4 and 5 health points by 100 chance-sampled
iterations of CFR: memoryless, HP-aware, history-aware and general ones, without infoset
abstraction (table 1) and with it (table 2: cards relative to the current rank, and for those with
a history only its last three rounds). Figures have a file of their own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from threading import Event
from typing import TypeVar

import numpy as np

from counterfold.abstraction.coverage import coverage
from counterfold.abstraction.deal_engine import DealEngine
from counterfold.abstraction.deal_form import DealForm
from counterfold.abstraction.maps import Mapped, map_of
from counterfold.errors import ParameterError
from counterfold.games.cheat import Cheat
from counterfold.games.spec import whole
from counterfold.research.cheat.published import HEALTHS, PAPER, PAPER_ITERATIONS, VIEWS
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Finding, Result
from counterfold.solvers.solver import Solver
from counterfold.tree.history import compile_game

Done = TypeVar("Done")
Pause = Callable[[], None]
"""What a job calls now and then, so that it can be stopped."""

COUNTED_RUNS = 300
"""Runs of which the spread of infoset counts is taken; they cost next to nothing."""


@dataclass(frozen=True)
class Row(Result, also=("off",)):
    """What a view costs in a game of so many health points."""

    view: str
    lens: str
    health: int
    reachable: int  # infosets of the game
    expected: float  # mean number met in so many sampled deals
    spread: float  # its standard deviation over runs
    met: int  # infosets met in the run whose time was taken
    visits: int  # decisions visited in it
    cpu_seconds: float
    megabytes: float  # of all tables
    paper_infosets: int
    paper_seconds: int
    graph_seconds: float | None = None  # CPU time with every deal in every iteration

    @property
    def faster(self) -> float:
        """How many times the paper took."""
        return self.paper_seconds / max(self.cpu_seconds, 1e-9)

    @property
    def off(self) -> float:
        """How far the paper's count is from the mean, in standard deviations."""
        return (self.paper_infosets - self.expected) / self.spread if self.spread else 0.0


@dataclass(frozen=True)
class Costs(Result, paper="cheat", game="cheat:mini", also=("findings",)):
    """Table 1 or 2 with the paper's figures beside ours."""

    table: int
    rows: tuple[Row, ...]
    iterations: int
    seed: int
    seconds: float
    cpu_seconds: float

    @property
    def alike(self) -> bool:
        """Whether there are as many iterations as in the paper."""
        return self.iterations == PAPER_ITERATIONS

    def at(self, view: str, health: int) -> Row:
        """The row of a view and a number of health points."""
        return next(row for row in self.rows if (row.view, row.health) == (view, health))

    @property
    def findings(self) -> list[Finding]:
        """What the paper says about costs, held against these figures.

        What is met and visited depends on the iterations: with others than the paper's nothing is
        said of it.
        """
        healths = sorted({row.health for row in self.rows})
        alike = self.alike

        def growth(view: str, name: str) -> list[float]:
            numbers = [float(getattr(self.at(view, health), name)) for health in healths]
            return [b / a for a, b in pairwise(numbers)]

        def listed(ratios: list[float]) -> str:
            return ", ".join(f"x{ratio:.1f}" for ratio in ratios)

        same, hp = ([self.at(view, health) for health in healths] for view in ("memoryless", "hp"))
        claims = [
            Finding(
                "memoryless infosets do not grow with health points, and are as many as published",
                all(row.reachable == row.paper_infosets for row in same),
                ", ".join(str(row.reachable) for row in same),
            ),
            Finding(
                "HP-aware infosets are as many as published, within 3 standard deviations",
                all(abs(row.off) <= 3 for row in hp) if alike else None,
                ", ".join(f"{row.off:+.1f} sd" for row in hp),
            ),
        ]
        if len(healths) > 1:
            views = {view: growth(view, "expected") for view in ("hp", "history", "general")}
            visits = growth("memoryless", "visits")
            tenfold = [*views["history"], *views["general"]]
            claims += [
                Finding(
                    "HP-aware infosets grow by about 2 with each health point",
                    all(1.3 < ratio < 3 for ratio in views["hp"]) if alike else None,
                    listed(views["hp"]),
                ),
                Finding(
                    "those with a history grow by about 10",
                    all(5 < ratio < 20 for ratio in tenfold) if alike else None,
                    f"history {listed(views['history'])}; general {listed(views['general'])}",
                ),
                Finding(
                    "work grows exponentially with health points (published seconds: x14, x21)",
                    all(ratio > 8 for ratio in visits) if alike else None,
                    f"decisions visited: {listed(visits)}",
                ),
            ]
        return claims


def agent_game(view: str, abstract: bool, health: int) -> Cheat | Mapped:
    """Cheat as an agent of the paper sees it, without its infoset abstraction or with it."""
    game = Cheat(health=health, view=view)
    return Mapped(game, *(map_of(name) for name in maps_of(view))) if abstract else game


def maps_of(view: str) -> tuple[str, ...]:
    """The maps of an agent's infoset abstraction."""
    return ("cards", "rounds=3") if view in ("history", "general") else ("cards",)


def lens_name(view: str, abstract: bool) -> str:
    """A view with its maps, in words."""
    return ", ".join((view, *(maps_of(view) if abstract else ())))


def deal_solver(
    game: Cheat | Mapped, seed: int, thorough: bool = False
) -> tuple[Solver, DealEngine]:
    """The paper's training: one deal an iteration, from which both players learn."""
    form = DealForm(game, thorough)
    solver = Solver(form, "cfr", "chance", alternating=False, seed=seed)
    assert isinstance(solver.engine, DealEngine)
    return solver, solver.engine


def table(
    number: int,
    iterations: int = PAPER_ITERATIONS,
    healths: tuple[int, ...] = HEALTHS,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> Costs:
    """Time, memory and infosets of the four agents: table 1 without abstraction, 2 with it.

    >>> [(row.view, row.reachable) for row in table(2, healths=(3,)).rows[:2]]
    [('memoryless', 100), ('hp', 606)]
    """
    if number not in PAPER:
        raise ParameterError(f"there is no table {number}; there are 1 and 2")
    whole("iterations", iterations, least=1)
    whole("seed", seed, least=0)
    if not healths or not set(healths) <= set(HEALTHS):
        raise ParameterError(f"the paper's health points are 3, 4 and 5, not {healths}")
    on_progress(0, len(VIEWS) * len(healths))
    deal_solver(Cheat(health=1), seed)[0].step()  # compiling is no part of an iteration
    began, cpu = time.perf_counter(), time.process_time()
    cells = [(view, health) for view in VIEWS for health in healths]
    heavy_first = sorted(cells, key=lambda cell: -cell[1])
    jobs = [partial(_row, number, view, health, iterations, seed) for view, health in heavy_first]
    rows = dict(zip(heavy_first, side_by_side(jobs, on_progress), strict=True))
    return Costs(
        number, tuple(rows[cell] for cell in cells), iterations, seed,
        time.perf_counter() - began, time.process_time() - cpu,
    )  # fmt: skip


def _row(number: int, view: str, health: int, iterations: int, seed: int, pause: Pause) -> Row:
    game = agent_game(view, number == 2, health)
    solver, engine = deal_solver(game, seed, thorough=True)
    cpu = time.thread_time()  # others may work beside this
    for _ in range(iterations):
        solver.step()
        pause()
    cpu = time.thread_time() - cpu
    covered = coverage(game, on_deal=pause)
    counts = covered.sampled(iterations, COUNTED_RUNS, seed)
    published, place = PAPER[number][view], HEALTHS.index(health)
    return Row(
        view=view,
        lens=lens_name(view, number == 2),
        health=health,
        reachable=covered.reachable,
        expected=covered.expected(iterations),
        spread=float(np.std(counts, ddof=1)),
        met=engine.infosets,
        visits=engine.visits,
        cpu_seconds=cpu,
        megabytes=engine.nbytes / 1e6,
        paper_infosets=published.infosets[place],
        paper_seconds=published.seconds[place],
        graph_seconds=_graph_seconds(view, health, iterations) if number == 1 else None,
    )


def _graph_seconds(view: str, health: int, iterations: int) -> float | None:
    """The same over the merged graph, where each state is there once; histories do not merge."""
    if view not in ("memoryless", "hp"):
        return None
    tree = compile_game(Cheat(health=health, view=view))
    solver = Solver(tree, "cfr", alternating=False, form="history")
    solver.step(2)  # compiling is no part of an iteration
    solver = Solver(tree, "cfr", alternating=False, form="history")
    began = time.thread_time()
    solver.step(iterations)
    return time.thread_time() - began


class _StoppedError(Exception):
    """Somebody has asked for an end."""


def side_by_side(
    jobs: Sequence[Callable[[Pause], Done]],
    on_progress: Progress = no_progress,
    workers: int | None = None,
) -> list[Done]:
    """Run jobs in threads, in order of the list; each is given what to call now and then.

    Their kernels hold no lock, so two cores do two jobs. Results do not depend on it.
    """
    stop = Event()

    def pause() -> None:
        if stop.is_set():
            raise _StoppedError

    done = 0
    pool = ThreadPoolExecutor(workers or min(2, os.cpu_count() or 1))
    try:
        futures = [pool.submit(job, pause) for job in jobs]
        left = set(futures)
        while left:
            on_progress(done, len(jobs))
            ended, left = wait(left, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in ended:
                future.result()
            done += len(ended)
        on_progress(done, len(jobs))
        return [future.result() for future in futures]
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
