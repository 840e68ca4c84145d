"""How long a search takes: every Leduc subgame, each gadget, to a ten-thousandth of its optimum."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfold.games.catalog import load
from counterfold.plot import figure
from counterfold.research.bench.bars import bars
from counterfold.research.columns import Columns, rich_table
from counterfold.research.progress import no_progress
from counterfold.searchers.entry import HistoryEntry
from counterfold.searchers.gadget import GADGETS
from counterfold.searchers.opponents import shuffled
from counterfold.searchers.searcher import Searcher
from counterfold.solvers.methods import DEFAULT_METHOD
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import compile_game

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["GAMES", "Cost", "plot", "run", "table", "to_json"]

GAMES = ("leduc", "leduc(raises=1+2)")
TOLERANCE = 1e-4
METHODS = ("auto", DEFAULT_METHOD)
ROUNDS = 5
BUDGET = None
"""Every search is timed as often as every other, whatever that takes."""


@dataclass(frozen=True)
class Cost:
    """CPU milliseconds of a search, warm: over all subgames, seats and a few opponents."""

    game: str
    gadget: str
    method: str
    searches: int
    median: float
    mean: float
    p95: float
    most: float


def run(
    games: Sequence[str] = GAMES,
    budget: None = BUDGET,
    on_progress: Callable[[str], None] = no_progress,
) -> list[Cost]:
    """Time every gadget in every subgame of games that have a board."""
    costs: list[Cost] = []
    for spec in games:
        tree = compile_game(load(spec))
        solver = Solver(tree, "cfr+")
        solver.step(500)
        blueprint = solver.strategy()
        models = [shuffled(blueprint, 0.7, seed) for seed in range(3)]
        for name in GADGETS:
            on_progress(f"{spec}, {name}")
            for way in METHODS:
                searchers: list[Searcher[HistoryEntry]] = [
                    Searcher(blueprint, player, method=way) for player in range(2)
                ]
                costs.append(_cost(spec, name, way, searchers, models))
    return costs


def _cost(
    spec: str,
    name: str,
    method: str,
    searchers: Sequence[Searcher[HistoryEntry]],
    models: list[Strategy],
) -> Cost:
    spent = []
    for searcher in searchers:
        for model in models:
            for number in searcher.places:
                settings: dict[str, Any] = {}
                if name in ("unsafe", "ses", "ox"):
                    settings["range"] = searcher.range(number, model)
                searcher.refine(number, name, gap=TOLERANCE, **settings)  # warm
                took = []
                for _ in range(ROUNDS):
                    began = time.process_time()
                    searcher.refine(number, name, gap=TOLERANCE, **settings)
                    took.append(time.process_time() - began)
                spent.append(1e3 * float(np.median(took)))
    found = np.array(spent)
    return Cost(
        spec, name, method, len(found), float(np.median(found)), float(found.mean()),
        float(np.percentile(found, 95)), float(found.max()),
    )  # fmt: skip


def to_json(costs: Sequence[Cost]) -> dict[str, Any]:
    """The document of ``counterfold bench search``."""
    return {"what": "search", "tolerance": TOLERANCE, "costs": [asdict(c) for c in costs]}


def table(costs: Sequence[Cost]) -> Table:
    """A row a gadget and a method."""
    columns: Columns = {
        "game": "{0.game}",
        "gadget": "{0.gadget}",
        "method": "{0.method}",
        "searches": "{0.searches}",
        "median": "{0.median:.2f}",
        "mean": "{0.mean:.2f}",
        "95%": "{0.p95:.2f}",
        "most": "{0.most:.2f}",
    }
    title = f"CPU milliseconds a search, to {TOLERANCE:g} chips of the optimum"
    return rich_table(title, costs, columns, left=("gadget", "method"))


def plot(costs: Sequence[Cost]) -> Any:
    """Median and 95% by gadget, a panel a game."""
    games = list(dict.fromkeys(c.game for c in costs))
    made, panels = figure(1, len(games), size=(5.5 * len(games), 4.2), sharey=True)
    for panel, game in zip(panels, games, strict=True):
        own = [c for c in costs if c.game == game]
        series = {}
        for way in METHODS:
            series[way] = [c.median for c in own if c.method == way]
            series[f"{way}, 95%"] = [c.p95 for c in own if c.method == way]
        bars(panel, list(dict.fromkeys(c.gadget for c in own)), series, "CPU ms a search")
        panel.set_title(game, fontsize=11)
    return made
