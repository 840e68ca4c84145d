"""Cheat-5: 100 iterations of each of the paper's agents, beside the seconds that it published.

Memoryless and HP-aware agents run in two ways: deal by deal as in the paper, and with every deal
in every iteration over the merged graph, where each state is there once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from counterfold.abstraction.deals import DealSolver, Lens
from counterfold.errors import ParameterError
from counterfold.games.cheat import Cheat
from counterfold.solve.solver import Solver
from counterfold.tree.history import compile_game

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["HEALTHS", "NAMES", "PAPER", "VIEWS", "Cost", "plot", "run", "table", "to_json"]

VIEWS = ("memoryless", "hp", "history", "general")
NAMES = {
    "memoryless": "Memoryless",
    "hp": "HP-Aware",
    "history": "History-Aware",
    "general": "General",
}
HEALTHS = (3, 4, 5)


class Published(NamedTuple):
    """The paper's seconds and infosets after 100 iterations, for 3, 4 and 5 health points."""

    seconds: tuple[int, int, int]
    infosets: tuple[int, int, int]


PAPER = {
    1: {
        "memoryless": Published((60, 860, 17887), (292, 292, 292)),
        "hp": Published((52, 1057, 19034), (1331, 2557, 4257)),
        "history": Published((171, 5514, 18371), (10689, 113331, 1209336)),
        "general": Published((224, 5054, 20315), (11433, 120512, 1523174)),
    },
    2: {
        "memoryless": Published((60, 1238, 20759), (100, 100, 100)),
        "hp": Published((80, 1346, 21208), (604, 1063, 1660)),
        "history": Published((159, 4031, 14428), (3668, 46827, 528371)),
        "general": Published((187, 4231, 17891), (4220, 52723, 659312)),
    },
}
"""Tables 1 (without infoset abstraction) and 2 (with it), by view."""

SAMPLED, EVERY = "one deal an iteration", "every deal"
GAMES = ("cheat:mini(health=5)",)


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
    games: Sequence[str] = GAMES, on_progress: Callable[[str], None] | None = None
) -> list[Cost]:
    """Measure all agents in games of 3, 4 or 5 health points."""
    from counterfold.games.catalog import load

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
                if on_progress:
                    on_progress(f"Cheat-{health}, {NAMES[view]}, {way}")
                costs.append(measure(view, health, way))
    return costs


def table(costs: Sequence[Cost]) -> Table:
    """A row an agent."""
    from rich.table import Table

    out = Table(title="100 iterations of CFR in Mini-Cheat, one thread, beside the paper's seconds")
    for name in (
        "agent", "health", "iteration", "seconds", "CPU s", "compile s", "infosets", "MB",
        "paper s", "times",
    ):  # fmt: skip
        out.add_column(name, justify="left" if name in ("agent", "iteration") else "right")
    for cost in costs:
        out.add_row(
            NAMES[cost.view],
            str(cost.health),
            cost.way,
            f"{cost.seconds:,.2f}",
            f"{cost.cpu_seconds:,.2f}",
            f"{cost.compile_seconds:,.2f}" if cost.way == EVERY else "",
            f"{cost.infosets:,}",
            "" if cost.megabytes is None else f"{cost.megabytes:,.1f}",
            f"{cost.paper_seconds:,}",
            f"{cost.faster:,.0f}",
        )
    return out


def plot(costs: Sequence[Cost]) -> Any:
    """Bars of seconds, ours and the paper's."""
    from counterfold.plot import COLOURS, figure

    made, (axis,) = figure(1, 1, size=(1.5 * len(costs) + 3, 4.2))
    for n, (name, colour) in enumerate((("paper_seconds", COLOURS[1]), ("seconds", COLOURS[0]))):
        places = [place + (n - 0.5) * 0.36 for place in range(len(costs))]
        label = "published" if name == "paper_seconds" else "Counterfold"
        axis.bar(places, [getattr(c, name) for c in costs], 0.34, label=label, color=colour)
    axis.set_yscale("log")
    named = [f"{NAMES[c.view]}-{c.health}\n{c.way}" for c in costs]
    axis.set_xticks(range(len(costs)), named, fontsize=8)
    axis.set_ylabel("seconds for 100 iterations")
    axis.legend(frameon=False)
    return made


def to_json(costs: Sequence[Cost]) -> dict[str, Any]:
    """All figures."""
    return {"what": "cheat", "costs": [asdict(c) | {"faster": c.faster} for c in costs]}
