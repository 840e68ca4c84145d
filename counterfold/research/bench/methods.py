"""Which method is fastest to a given exploitability, game by game."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from counterfold.games.catalog import load
from counterfold.plot import COLOURS, figure
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.drawing import finished, line
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.methods import METHODS
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.tree.history import HistoryTree, compile_game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAMES = (
    "kuhn",
    "one_card",
    "leduc",
    "leduc(suited=true)",
    "leduc:ses",
    "goofspiel(cards=4)",
    "goofspiel(cards=5)",
    "liars_dice(sides=4)",
    "liars_dice",
)
TARGETS = (1e-3, 1e-6)


@dataclass(frozen=True)
class Race:
    """One method on one game: what each target took, None where the budget ran out first."""

    game: str
    method: str
    alternating: bool
    iterations: dict[str, int | None]
    cpu_seconds: dict[str, float | None]
    exploitability: float
    curve: tuple[tuple[float, float], ...]  # CPU seconds, exploitability

    @property
    def name(self) -> str:
        return self.method if self.alternating else f"{self.method} simultaneous"


def race(tree: HistoryTree, method: str, budget: float, *, alternating: bool = True) -> Race:
    """Run a method until the finest target or until its CPU budget is spent."""
    solver = Solver(tree, method, alternating=alternating)
    solver.step(2)  # loads the compiled kernels before the clock starts
    solver = Solver(tree, method, alternating=alternating)
    curve: list[tuple[float, float]] = []
    iterations: dict[str, int | None] = {f"{target:g}": None for target in TARGETS}
    seconds: dict[str, float | None] = {f"{target:g}": None for target in TARGETS}
    exploitability = math.inf
    for report in solver.run(Until(exploitability=min(TARGETS), seconds=20 * budget)):
        if report.exploitability is None:
            continue
        exploitability = report.exploitability
        curve.append((report.cpu_seconds, exploitability))
        for target in TARGETS:
            if exploitability <= target and iterations[f"{target:g}"] is None:
                iterations[f"{target:g}"] = report.iteration
                seconds[f"{target:g}"] = report.cpu_seconds
        if report.cpu_seconds > budget:
            break
    return Race(tree.spec, method, alternating, iterations, seconds, exploitability, tuple(curve))


@dataclass(frozen=True)
class Races(Result, what="methods", also=("winner",)):
    """All races, and the CPU seconds that each could have."""

    races: Sequence[Race]
    budget: float

    @property
    def games(self) -> list[str]:
        return list(dict.fromkeys(race.game for race in self.races))

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(race.name for race in self.races))

    @property
    def winner(self) -> str:
        """The least geometric mean of CPU time; a method that did not arrive counts double."""
        logs: dict[str, list[float]] = {}
        for race in self.races:
            took = race.cpu_seconds[f"{min(TARGETS):g}"]
            logs.setdefault(race.name, []).append(math.log(max(took or 2 * self.budget, 1e-4)))
        return min(logs, key=lambda name: sum(logs[name]) / len(logs[name]))


def run(
    games: Sequence[str] = GAMES, budget: float = 10.0, on_progress: Progress = no_progress
) -> Races:
    """Every method on every game, alternating; and simultaneous for the fastest family."""
    ways = [*((method, True) for method in METHODS), ("hs-pcfr+", False)]
    races: list[Race] = []
    for spec in games:
        tree = compile_game(load(spec))
        for method, alternating in ways:
            on_progress(len(races), len(games) * len(ways), f"{spec}: {method}")
            races.append(race(tree, method, budget, alternating=alternating))
    return Races(races, budget)


def show(results: Races) -> Iterator[Part]:
    """CPU seconds and iterations to 1e-6, a row a method, a column a game."""
    races, best = {(race.game, race.name): race for race in results.races}, results.winner

    def shown(game: str, name: str) -> str:
        race = races.get((game, name))
        if race is None:
            return ""
        took, iterations = race.cpu_seconds["1e-06"], race.iterations["1e-06"]
        if took is None:
            return f">{results.budget:g} s ({race.exploitability:.0e})"
        return f"{1000 * took:,.3g} ms ({iterations:,})"

    columns: Columns = {
        "method": lambda name: f"{name} *" if name == best else name,
        **{game: partial(shown, game) for game in results.games},
    }
    yield Table(results.names, columns, "CPU time and iterations to exploitability 1e-6")
    yield f"* fastest over all games (geometric mean); budget {results.budget:g} s of CPU a cell"


def draw(results: Races) -> Figure:
    """Exploitability over CPU time, a panel a game."""
    columns = min(3, len(results.games))
    rows = math.ceil(len(results.games) / columns)
    made, panels = figure(rows, columns, size=(4.6 * columns + 1.8, 3.4 * rows))
    for panel, game in zip(panels, results.games, strict=False):
        for race in (race for race in results.races if race.game == game):
            number = results.names.index(race.name)
            points = [(t, e) for t, e in race.curve if t > 0 and e > 1e-16]
            style = ("-", "--", ":")[number // len(COLOURS)]
            seconds, heights = [t for t, _ in points], [e for _, e in points]
            line(panel, seconds, heights, race.name, number, linewidth=1.4, linestyle=style)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(game)
        panel.set_xlabel("CPU seconds")
        panel.set_ylabel("exploitability")
    for panel in panels[len(results.games) :]:
        panel.set_visible(False)
    return finished(made, "Exploitability over CPU time", panels[0])
