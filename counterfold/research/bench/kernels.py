"""What an iteration costs, form by form and traversal by traversal."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfold.evaluate.sequence import assess_form, workspace
from counterfold.games.catalog import load
from counterfold.plot import figure
from counterfold.research.bench.bars import bars
from counterfold.research.columns import Columns, rich_table
from counterfold.research.progress import no_progress
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.solver import Solver
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["GAMES", "Cost", "plot", "run", "table", "to_json"]

GAMES = ("kuhn", "one_card", "leduc", "leduc(suited=true)", "goofspiel(cards=5)", "liars_dice")
BUDGET = 0.05

_KINDS: dict[str, dict[str, Any]] = {
    "full": {},
    "full float32": {"dtype": "float32"},
    "history form": {"form": "history"},
    "chance": {"traversal": "chance"},
    "external": {"traversal": "external"},
    "outcome": {"traversal": "outcome"},
    "styled": {"best": False},
    "styled, best": {"best": True},
}


@dataclass(frozen=True)
class Cost:
    """CPU microseconds an iteration (all players updated once), medians of interleaved rounds."""

    game: str
    histories: int
    infosets: int
    leaves: int
    compile_seconds: float
    microseconds: dict[str, float]
    evaluation: float  # exact exploitability, microseconds
    evaluation_in_iterations: float


def _cpu(step: Callable[[], object], times: int = 1) -> float:
    """CPU seconds of one call, on average over some."""
    began = time.process_time()
    for _ in range(times):
        step()
    return (time.process_time() - began) / times


def _liking(tree: HistoryTree, best: bool) -> Conditions:
    """A style that likes every infoset's last action and gives something up for it."""
    delta = np.ones(tree.infosets.slots)
    delta[tree.infosets.start[1:] - 1] = 5.0
    return Conditions.by_infosets(delta, np.full(len(tree.infosets.owner), 1e-3), best)


def measure(spec: str, seconds: float = BUDGET, rounds: int = 7) -> Cost:
    """Measure one game, every kind of iteration side by side."""
    began = time.process_time()
    tree = compile_game(load(spec))
    form = sequence_form(tree)
    compiled = time.process_time() - began
    steps: dict[str, Callable[[], object]] = {}
    counts: dict[str, int] = {}
    for kind, settings in _KINDS.items():
        if "best" in settings:
            settings = {"style": _liking(tree, **settings)}
        solver = Solver(tree, "cfr+", **settings)
        solver.step(2)
        count = 1
        while (took := _cpu(partial(solver.step, count))) < seconds / 4:
            count *= 2
        counts[kind] = max(1, int(count * seconds / took))
        steps[kind] = partial(solver.step, counts[kind])
    probabilities = Solver(tree, "cfr+").probabilities()
    look = partial(assess_form, form, probabilities, workspace(form))
    looks = max(1, int(seconds / max(_cpu(look, 3), 1e-5)))
    spent: dict[str, list[float]] = {kind: [] for kind in _KINDS}
    evaluations = []
    for _ in range(rounds):
        for kind, step in steps.items():
            spent[kind].append(_cpu(step) / counts[kind])
        evaluations.append(_cpu(look, looks))
    middle = {kind: 1e6 * statistics.median(times) for kind, times in spent.items()}
    evaluation = 1e6 * statistics.median(evaluations)
    return Cost(
        spec, tree.histories, len(tree.infosets.owner), form.leaves, compiled, middle,
        evaluation, evaluation / middle["full"],
    )  # fmt: skip


def run(
    games: Sequence[str] = GAMES,
    budget: float = BUDGET,
    on_progress: Callable[[str], None] = no_progress,
) -> list[Cost]:
    """Measure several games, a batch of iterations for about ``budget`` CPU seconds."""
    costs = []
    for spec in games:
        on_progress(spec)
        costs.append(measure(spec, budget))
    return costs


def table(costs: Sequence[Cost]) -> Table:
    """A row a game."""
    columns: Columns = {
        "game": "{0.game}",
        "histories": "{0.histories:,}",
        "infosets": "{0.infosets:,}",
        "leaves": "{0.leaves:,}",
        "compile s": "{0.compile_seconds:.2f}",
        **{kind: f"{{0.microseconds[{kind}]:,.3g}}" for kind in _KINDS},
        "exploitability": "{0.evaluation:,.3g} ({0.evaluation_in_iterations:.1f} it.)",
    }
    return rich_table(
        "CPU microseconds an iteration (CFR+, all players, one thread)", costs, columns
    )


def plot(costs: Sequence[Cost]) -> Any:
    """Bars of microseconds an iteration, a group a game."""
    made, (panel,) = figure(1, 1, size=(1.6 * len(costs) + 3, 4.2))
    series = {kind: [c.microseconds[kind] for c in costs] for kind in _KINDS}
    bars(panel, [c.game for c in costs], series, "CPU microseconds an iteration")
    return made


def to_json(costs: Sequence[Cost]) -> dict[str, Any]:
    """All figures."""
    return {"what": "kernels", "costs": [asdict(c) for c in costs]}
