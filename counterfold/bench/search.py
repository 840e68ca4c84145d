"""How long a search takes: every Leduc subgame, each gadget, to a ten-thousandth of its optimum."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterfold.games.catalog import load
from counterfold.search.gadget import GADGETS
from counterfold.search.opponents import shuffled
from counterfold.search.searcher import Searcher
from counterfold.solve.methods import DEFAULT_METHOD
from counterfold.solve.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import compile_game

__all__ = ["GAMES", "Cost", "plot", "run", "table", "to_json"]

GAMES = ("leduc", "leduc(raises=1+2)")
TOLERANCE = 1e-4
METHODS = ("auto", DEFAULT_METHOD)
ROUNDS = 5


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
    games: Sequence[str] = GAMES, on_progress: Callable[[str], None] | None = None
) -> list[Cost]:
    """Time every gadget in every subgame of games that have a board."""
    costs: list[Cost] = []
    for spec in games:
        tree = compile_game(load(spec))
        solver = Solver(tree, "cfr+")
        solver.step(500)
        blueprint = solver.strategy()
        models = [shuffled(blueprint, 0.7, seed) for seed in range(3)]
        searchers = [Searcher(blueprint, seat) for seat in range(2)]
        for name in GADGETS:
            if on_progress:
                on_progress(f"{spec}, {name}")
            costs.extend(_cost(spec, name, way, searchers, models) for way in METHODS)
    return costs


def _cost(
    spec: str, name: str, method: str, searchers: Sequence[Searcher], models: list[Strategy]
) -> Cost:
    spent = []
    for searcher in searchers:
        for model in models:
            for number in searcher.reached:
                settings: dict[str, Any] = {}
                if name in ("unsafe", "ses", "ox"):
                    settings["range"] = searcher.range(number, model)
                searcher.refine(number, name, method, TOLERANCE, **settings)  # warm
                took = []
                for _ in range(ROUNDS):
                    began = time.process_time()
                    searcher.refine(number, name, method, TOLERANCE, **settings)
                    took.append(time.process_time() - began)
                spent.append(1e3 * float(np.median(took)))
    found = np.array(spent)
    return Cost(
        spec, name, method, len(found), float(np.median(found)), float(found.mean()),
        float(np.percentile(found, 95)), float(found.max()),
    )  # fmt: skip


def to_json(costs: Sequence[Cost]) -> dict[str, Any]:
    """The document of ``counterfold bench search``."""
    return {
        "what": "search",
        "tolerance": TOLERANCE,
        "costs": [{n: getattr(c, n) for n in c.__dataclass_fields__} for c in costs],
    }


def table(costs: Sequence[Cost]) -> Any:
    """A table for people."""
    from rich.table import Table

    made = Table(title=f"CPU milliseconds a search, to {TOLERANCE:g} chips of the optimum")
    for heading in ("game", "gadget", "method", "searches", "median", "mean", "95%", "most"):
        made.add_column(
            heading, justify="left" if heading in ("game", "gadget", "method") else "right"
        )
    for c in costs:
        numbers = (c.median, c.mean, c.p95, c.most)
        made.add_row(c.game, c.gadget, c.method, str(c.searches), *(f"{x:.2f}" for x in numbers))
    return made


def plot(costs: Sequence[Cost]) -> Any:
    """Median and 95% by gadget, a panel a game."""
    from counterfold.plot import COLOURS, figure

    games = list(dict.fromkeys(c.game for c in costs))
    made, panels = figure(1, len(games), size=(5.5 * len(games), 4.2), sharey=True)
    for panel, game in zip(panels, games, strict=True):
        for k, (way, colour) in enumerate(zip(METHODS, COLOURS, strict=False)):
            own = [c for c in costs if (c.game, c.method) == (game, way)]
            places = [n + 0.4 * k for n in range(len(own))]
            panel.bar(places, [c.median for c in own], 0.38, color=colour, label=way)
            panel.plot(places, [c.p95 for c in own], "_", color="#444444")
        panel.set_xticks([n + 0.2 for n in range(len(own))], [c.gadget for c in own], rotation=30)
        panel.set_title(game, fontsize=11)
    panels[0].set_ylabel("CPU ms a search (bar: median, dash: 95%)")
    panels[0].legend(frameon=False)
    return made
