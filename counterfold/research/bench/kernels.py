"""What an iteration costs, form by form and traversal by traversal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from counterfold.evaluate.sequence import assess_form, workspace
from counterfold.files.text import Json
from counterfold.games.catalog import load
from counterfold.plot import figure
from counterfold.research.bench.timing import cpu, each, enough, medians
from counterfold.research.columns import Columns, Part, Table, named
from counterfold.research.drawing import bars, finished
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.solver import Solver
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAMES = ("kuhn", "one_card", "leduc", "leduc(suited=true)", "goofspiel(cards=5)", "liars_dice")

_KINDS: dict[str, Json] = {
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


@dataclass(frozen=True)
class Costs(Result, what="kernels"):
    """What iterations cost, game by game."""

    costs: tuple[Cost, ...]


def _liking(tree: HistoryTree, best: bool) -> Conditions:
    """A style that likes every infoset's last action and gives something up for it."""
    delta = np.ones(tree.infosets.slots)
    delta[tree.infosets.start[1:] - 1] = 5.0
    return Conditions.by_infosets(delta, np.full(len(tree.infosets.owner), 1e-3), best)


def measure(spec: str, seconds: float = 0.05, rounds: int = 7) -> Cost:
    """Measure one game, every kind of iteration side by side."""
    tree = compile_game(load(spec))
    compiled = cpu(lambda: sequence_form(compile_game(load(spec))))
    form = sequence_form(tree)
    steps: dict[str, Callable[[], float]] = {}

    def timed(kind: str, step: Callable[[int], object]) -> None:
        step(2)
        count = enough(step, seconds)
        steps[kind] = lambda: 1e6 * cpu(partial(step, count)) / count

    for kind, settings in _KINDS.items():
        if "best" in settings:
            settings = {"style": _liking(tree, **settings)}
        timed(kind, Solver(tree, "cfr+", **settings).step)
    evaluate = partial(assess_form, form, Solver(tree, "cfr+").probabilities(), workspace(form))
    timed("evaluation", lambda count: [evaluate() for _ in range(count)])
    middle = medians(steps, rounds)
    evaluation = middle.pop("evaluation")
    return Cost(
        spec, tree.histories, len(tree.infosets.owner), form.leaves, compiled, middle,
        evaluation, evaluation / middle["full"],
    )  # fmt: skip


def run(
    games: Sequence[str] = GAMES, budget: float = 0.05, on_progress: Progress = no_progress
) -> Costs:
    """Measure several games, a batch of iterations for about ``budget`` CPU seconds."""
    return Costs(tuple(each(games, lambda spec: measure(spec, budget), on_progress)))


def show(result: Costs) -> Iterator[Part]:
    """A row a game."""
    columns: Columns = {
        **named("game"),
        **named("histories", "infosets", "leaves", to=","),
        "compile s": "{0.compile_seconds:.2f}",
        **{kind: f"{{0.microseconds[{kind}]:,.3g}}" for kind in _KINDS},
        "exploitability": "{0.evaluation:,.3g} ({0.evaluation_in_iterations:.1f} it.)",
    }
    title = "CPU microseconds an iteration (CFR+, all players, one thread)"
    yield Table(result.costs, columns, title)


def draw(result: Costs) -> Figure:
    """Bars of microseconds an iteration, a group a game."""
    costs = result.costs
    made, (panel,) = figure(1, 1, size=(1.6 * len(costs) + 3, 4.2))
    series = {kind: [c.microseconds[kind] for c in costs] for kind in _KINDS}
    bars(panel, [c.game for c in costs], series, "CPU microseconds an iteration")
    return finished(made, "CPU microseconds an iteration of CFR+")
