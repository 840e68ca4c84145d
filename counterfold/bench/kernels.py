"""What an iteration costs, form by form and traversal by traversal."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfold.evaluate.exact import assess_form, workspace
from counterfold.games.catalog import load
from counterfold.solve.leaning import Leaning
from counterfold.solve.solver import Solver
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["GAMES", "Cost", "plot", "run", "table", "to_json"]

GAMES = ("kuhn", "one_card", "leduc", "leduc(suited=true)", "goofspiel(cards=5)", "liars_dice")

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


def _liking(tree: HistoryTree, best: bool) -> Leaning:
    """A style that likes every infoset's last action and gives something up for it."""
    delta = np.ones(tree.infosets.slots)
    delta[tree.infosets.start[1:] - 1] = 5.0
    return Leaning(delta, np.full(len(tree.infosets.owner), 1e-3), best)


def measure(spec: str, seconds: float = 0.05, rounds: int = 7) -> Cost:
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
    games: Sequence[str] = GAMES, on_progress: Callable[[str], None] | None = None
) -> list[Cost]:
    """Measure several games."""
    costs = []
    for spec in games:
        if on_progress:
            on_progress(spec)
        costs.append(measure(spec))
    return costs


def table(costs: Sequence[Cost]) -> Table:
    """A row a game."""
    from rich.table import Table

    out = Table(title="CPU microseconds an iteration (CFR+, all players, one thread)")
    for name in ("game", "histories", "infosets", "leaves", "compile s", *_KINDS, "exploitability"):
        out.add_column(name, justify="left" if name == "game" else "right")
    for cost in costs:
        out.add_row(
            cost.game,
            f"{cost.histories:,}",
            f"{cost.infosets:,}",
            f"{cost.leaves:,}",
            f"{cost.compile_seconds:.2f}",
            *(f"{cost.microseconds[kind]:,.3g}" for kind in _KINDS),
            f"{cost.evaluation:,.3g} ({cost.evaluation_in_iterations:.1f} it.)",
        )
    return out


def plot(costs: Sequence[Cost]) -> Any:
    """Bars of microseconds an iteration, a group a game."""
    from counterfold.plot import COLOURS, figure

    made, (axis,) = figure(1, 1, size=(1.6 * len(costs) + 3, 4.2))
    for n, (kind, colour) in enumerate(zip(_KINDS, (*COLOURS, "#999999"), strict=True)):
        places = [g + (n - len(_KINDS) / 2) * 0.1 for g in range(len(costs))]
        axis.bar(places, [c.microseconds[kind] for c in costs], 0.09, label=kind, color=colour)
    axis.set_yscale("log")
    axis.set_xticks(range(len(costs)), [c.game for c in costs], rotation=12, ha="right")
    axis.set_ylabel("CPU microseconds an iteration")
    axis.legend(ncols=2, fontsize=8)
    return made


def to_json(costs: Sequence[Cost]) -> dict[str, Any]:
    """All figures."""
    return {"what": "kernels", "costs": [asdict(c) for c in costs]}
