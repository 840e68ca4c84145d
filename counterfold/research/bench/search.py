"""How long a search takes: every Leduc subgame, each gadget, to a ten-thousandth of its optimum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import fmean, median
from typing import TYPE_CHECKING

from counterfold.games.catalog import load
from counterfold.plot import figure
from counterfold.research.bench.timing import Spread, cpu, spread
from counterfold.research.columns import Columns, Part, Table, named
from counterfold.research.drawing import bars, finished
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.searchers.entry import HistoryEntry
from counterfold.searchers.gadget import GADGETS
from counterfold.searchers.opponents import shuffled
from counterfold.searchers.searcher import Searcher
from counterfold.solvers.methods import DEFAULT_METHOD
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAMES = ("leduc", "leduc(raises=1+2)")
TOLERANCE = 1e-4
METHODS = ("auto", DEFAULT_METHOD)
ROUNDS = 5


@dataclass(frozen=True)
class Cost(Spread):
    """CPU milliseconds of a search, warm: over all subgames, seats and a few opponents."""

    game: str
    gadget: str
    method: str
    searches: int
    mean: float


@dataclass(frozen=True)
class Costs(Result, what="search"):
    """What searches cost, gadget by gadget."""

    tolerance: float
    costs: tuple[Cost, ...]


def run(games: Sequence[str] = GAMES, on_progress: Progress = no_progress) -> Costs:
    """Time every gadget in every subgame of games that have a board.

    Every search is timed as often as every other, whatever that takes.
    """
    costs: list[Cost] = []
    for spec in games:
        solver = Solver(compile_game(load(spec)), "cfr+")
        solver.step(500)
        blueprint = solver.strategy()
        models = [shuffled(blueprint, 0.7, seed) for seed in range(3)]
        for name, way in product(GADGETS, METHODS):
            total = len(games) * len(GADGETS) * len(METHODS)
            on_progress(len(costs), total, f"{spec}, {name}")
            spent = _milliseconds(name, way, blueprint, models)
            costs.append(Cost(spec, name, way, len(spent), fmean(spent), **spread(spent)))
    return Costs(TOLERANCE, tuple(costs))


def _milliseconds(
    name: str, method: str, blueprint: Strategy[HistoryTree], models: list[Strategy[HistoryTree]]
) -> list[float]:
    """Medians of some runs for every player, model and subgame."""
    spent = []
    for player, model in product(range(2), models):
        searcher: Searcher[HistoryEntry] = Searcher(blueprint, player, method=method)
        for number in searcher.places:
            search = partial(searcher.refine, number, name, gap=TOLERANCE)
            if name in ("unsafe", "ses", "ox"):
                search = partial(search, range=searcher.range(number, model))
            search()  # warm
            spent.append(1e3 * median(cpu(search) for _ in range(ROUNDS)))
    return spent


def show(result: Costs) -> Iterator[Part]:
    """A row a gadget and a method."""
    columns: Columns = {
        **named("game", "gadget", "method", "searches"),
        **named("median", "mean", to=".2f", p95="95%", most="most"),
    }
    title = f"CPU milliseconds a search, to {result.tolerance:g} chips of the optimum"
    yield Table(result.costs, columns, title)


def draw(result: Costs) -> Figure:
    """Median and 95% by gadget, a panel a game."""
    games = list(dict.fromkeys(c.game for c in result.costs))
    made, panels = figure(1, len(games), size=(5.5 * len(games), 4.2), sharey=True)
    for panel, game in zip(panels, games, strict=True):
        own = [c for c in result.costs if c.game == game]
        series = {}
        for way in METHODS:
            series[way] = [c.median for c in own if c.method == way]
            series[f"{way}, 95%"] = [c.p95 for c in own if c.method == way]
        bars(panel, list(dict.fromkeys(c.gadget for c in own)), series, "CPU ms a search")
        panel.set_title(game, fontsize=11)
    return finished(made, "CPU milliseconds a search")
