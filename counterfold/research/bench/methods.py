"""Which method is fastest to a given exploitability, game by game."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from counterfold.games.catalog import load
from counterfold.plot import COLOURS, figure
from counterfold.research.columns import Columns, rich_table
from counterfold.research.progress import no_progress
from counterfold.solvers.methods import METHODS
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.tree.history import HistoryTree, compile_game

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["GAMES", "Race", "Races", "plot", "race", "run", "table", "to_json"]

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
BUDGET = 10.0


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
    found = math.inf
    for report in solver.run(Until(exploitability=min(TARGETS), seconds=20 * budget)):
        if report.exploitability is None:
            continue
        found = report.exploitability
        curve.append((report.cpu_seconds, found))
        for target in TARGETS:
            if found <= target and iterations[f"{target:g}"] is None:
                iterations[f"{target:g}"] = report.iteration
                seconds[f"{target:g}"] = report.cpu_seconds
        if report.cpu_seconds > budget:
            break
    return Race(tree.spec, method, alternating, iterations, seconds, found, tuple(curve))


@dataclass(frozen=True)
class Races:
    """All races, and the CPU seconds that each could have."""

    races: Sequence[Race]
    budget: float

    @property
    def games(self) -> list[str]:
        return list(dict.fromkeys(race.game for race in self.races))

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(race.name for race in self.races))

    def winner(self, target: float = 1e-6) -> str:
        """The least geometric mean of CPU time; a method that did not arrive counts double."""
        logs: dict[str, list[float]] = {}
        for race in self.races:
            took = race.cpu_seconds[f"{target:g}"]
            logs.setdefault(race.name, []).append(math.log(max(took or 2 * self.budget, 1e-4)))
        return min(logs, key=lambda name: sum(logs[name]) / len(logs[name]))


def run(
    games: Sequence[str] = GAMES,
    budget: float = BUDGET,
    on_progress: Callable[[str], None] = no_progress,
) -> Races:
    """Every method on every game, alternating; and simultaneous for the fastest family."""
    races = []
    for spec in games:
        tree = compile_game(load(spec))
        for method in METHODS:
            on_progress(f"{spec}: {method}")
            races.append(race(tree, method, budget))
        races.append(race(tree, "hs-pcfr+", budget, alternating=False))
    return Races(races, budget)


def table(results: Races) -> Table:
    """CPU seconds and iterations to 1e-6, a row a method, a column a game."""
    races, best = {(race.game, race.name): race for race in results.races}, results.winner()

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
    made = rich_table("CPU time and iterations to exploitability 1e-6", results.names, columns)
    made.caption = (
        f"* fastest over all games (geometric mean); budget {results.budget:g} s of CPU a cell"
    )
    return made


def plot(results: Races) -> Any:
    """Exploitability over CPU time, a panel a game."""
    look = {
        name: {"color": COLOURS[n % len(COLOURS)], "linestyle": ("-", "--", ":")[n // len(COLOURS)]}
        for n, name in enumerate(results.names)
    }
    columns = min(3, len(results.games))
    rows = math.ceil(len(results.games) / columns)
    made, panels = figure(rows, columns, size=(4.6 * columns + 1.8, 3.4 * rows))
    for panel, game in zip(panels, results.games, strict=False):
        for race in (race for race in results.races if race.game == game):
            points = [(t, e) for t, e in race.curve if t > 0 and e > 1e-16]
            if points:
                panel.loglog(
                    *zip(*points, strict=True), label=race.name, linewidth=1.4, **look[race.name]
                )
        panel.set_title(game)
        panel.set_xlabel("CPU seconds")
        panel.set_ylabel("exploitability")
    for panel in panels[len(results.games) :]:
        panel.set_visible(False)
    made.legend(
        *panels[0].get_legend_handles_labels(), loc="outside right center", fontsize=8,
        frameon=False,
    )  # fmt: skip
    return made


def to_json(results: Races) -> dict[str, Any]:
    """All races and the winner."""
    return {"what": "methods", "winner": results.winner(), **asdict(results)}
