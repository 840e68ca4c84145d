"""Cheat-5: 100 iterations of each of the paper's agents, beside the seconds that it published.

Memoryless and HP-aware agents run in two ways: deal by deal as in the paper, and with every deal
in every iteration over the merged graph, where each state is there once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from counterfold.abstraction.deals import DealSolver, Lens
from counterfold.errors import ParameterError
from counterfold.games.catalog import load
from counterfold.games.cheat import Cheat
from counterfold.plot import figure
from counterfold.research.bench.bars import bars
from counterfold.research.cheat.published import HEALTHS, NAMES, PAPER, VIEWS
from counterfold.research.columns import Columns, rich_table
from counterfold.research.progress import no_progress
from counterfold.solve.solver import Solver
from counterfold.tree.history import compile_game

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["EVERY", "GAMES", "SAMPLED", "Cost", "plot", "run", "table", "to_json"]

SAMPLED, EVERY = "one deal an iteration", "every deal"
GAMES = ("cheat:mini(health=5)",)
BUDGET = None
"""Every agent has 100 iterations, whatever they take."""


@dataclass(frozen=True)
class Cost:
    """What 100 iterations took."""

    view: str
    health: int
    way: str
    seconds: float  # wall clock, as the paper's are
    cpu_seconds: float
    compile_seconds: float  # of the graph; nothing is compiled deal by deal
    infosets: int
    megabytes: float | None
    paper_seconds: int

    @property
    def faster(self) -> float:
        """How many times the paper took."""
        return self.paper_seconds / self.seconds


def measure(view: str, health: int, way: str, iterations: int = 100, seed: int = 0) -> Cost:
    """Run one agent once."""
    paper = PAPER[1][view].seconds[HEALTHS.index(health)]
    if way == SAMPLED:
        DealSolver(Cheat(health=1), Lens()).step()  # the kernels are compiled before
        solver = DealSolver(Cheat(health=health), Lens(view), seed=seed)
        solver.step(iterations)
        return Cost(
            view, health, way, solver.seconds, solver.cpu_seconds, 0.0, solver.infosets,
            solver.bytes / 1e6, paper,
        )  # fmt: skip
    began = time.perf_counter()
    tree = compile_game(Cheat(health=health, view=view))
    compiled = time.perf_counter() - began
    full = Solver(tree, "cfr", alternating=False, form="history")
    full.step(iterations)
    return Cost(
        view, health, way, full.seconds, full.cpu_seconds, compiled, len(tree.infosets.owner),
        None, paper,
    )  # fmt: skip


def run(
    games: Sequence[str] = GAMES,
    budget: None = BUDGET,
    on_progress: Callable[[str], None] = no_progress,
) -> list[Cost]:
    """Measure all agents in games of 3, 4 or 5 health points."""
    costs = []
    for spec in games:
        game = load(spec)
        health = getattr(game, "health", None)
        if not isinstance(game, Cheat) or health not in HEALTHS:
            raise ParameterError(
                f"{spec}: the paper's seconds are of cheat:mini with 3, 4 or 5 health points"
            )
        for view in VIEWS:
            for way in (SAMPLED, EVERY) if view in ("memoryless", "hp") else (SAMPLED,):
                on_progress(f"Cheat-{health}, {NAMES[view]}, {way}")
                costs.append(measure(view, health, way))
    return costs


def table(costs: Sequence[Cost]) -> Table:
    """A row an agent."""
    columns: Columns = {
        "agent": lambda cost: NAMES[cost.view],
        "health": "{0.health}",
        "iteration": "{0.way}",
        "seconds": "{0.seconds:,.2f}",
        "CPU s": "{0.cpu_seconds:,.2f}",
        "compile s": lambda c: f"{c.compile_seconds:,.2f}" if c.way == EVERY else "",
        "infosets": "{0.infosets:,}",
        "MB": lambda cost: "" if cost.megabytes is None else f"{cost.megabytes:,.1f}",
        "paper s": "{0.paper_seconds:,}",
        "times": "{0.faster:,.0f}",
    }
    title = "100 iterations of CFR in Mini-Cheat, one thread, beside the paper's seconds"
    return rich_table(title, costs, columns, left=("iteration",))


def plot(costs: Sequence[Cost]) -> Any:
    """Bars of seconds, ours and the paper's."""
    made, (panel,) = figure(1, 1, size=(1.5 * len(costs) + 3, 4.2))
    names = [f"{NAMES[c.view]}-{c.health}\n{c.way}" for c in costs]
    series: dict[str, list[float]] = {
        "Counterfold": [c.seconds for c in costs],
        "published": [c.paper_seconds for c in costs],
    }
    bars(panel, names, series, "seconds for 100 iterations")
    return made


def to_json(costs: Sequence[Cost]) -> dict[str, Any]:
    """All figures."""
    return {"what": "cheat", "costs": [asdict(c) | {"faster": c.faster} for c in costs]}
