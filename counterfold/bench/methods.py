"""Which method is fastest to a given exploitability, game by game."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from counterfold.games.catalog import load
from counterfold.solve.methods import METHODS
from counterfold.solve.solver import Solver, Until
from counterfold.tree.history import HistoryTree, compile_game

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["GAMES", "Race", "plot", "race", "run", "table", "to_json", "winner"]

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


def run(
    games: Sequence[str] = GAMES,
    budget: float = 10.0,
    on_progress: Callable[[str], None] | None = None,
) -> list[Race]:
    """Every method on every game, alternating; and simultaneous for the fastest family."""
    races = []
    for spec in games:
        tree = compile_game(load(spec))
        for method in METHODS:
            if on_progress:
                on_progress(f"{spec}: {method}")
            races.append(race(tree, method, budget))
        races.append(race(tree, "hs-pcfr+", budget, alternating=False))
    return races


def winner(races: Sequence[Race], budget: float, target: float = 1e-6) -> str:
    """The method with the least geometric mean of CPU time; what did not arrive counts double."""
    logs: dict[str, list[float]] = {}
    for one in races:
        took = one.cpu_seconds[f"{target:g}"]
        logs.setdefault(one.name, []).append(math.log(max(took or 2 * budget, 1e-4)))
    return min(logs, key=lambda name: sum(logs[name]) / len(logs[name]))


def table(races: Sequence[Race], budget: float) -> Table:
    """CPU seconds and iterations to 1e-6, a row a method, a column a game."""
    from rich.table import Table

    games = list(dict.fromkeys(r.game for r in races))
    names = list(dict.fromkeys(r.name for r in races))
    out = Table(title="CPU time and iterations to exploitability 1e-6")
    out.add_column("method")
    for game in games:
        out.add_column(game, justify="right")
    found = {(r.game, r.name): r for r in races}
    best = winner(races, budget)
    for name in names:
        cells = [_cell(found.get((game, name)), budget) for game in games]
        out.add_row(f"{name} *" if name == best else name, *cells)
    out.caption = f"* fastest over all games (geometric mean); budget {budget:g} s of CPU a cell"
    return out


def _cell(one: Race | None, budget: float) -> str:
    if one is None:
        return ""
    took, iterations = one.cpu_seconds["1e-06"], one.iterations["1e-06"]
    if took is None:
        return f">{budget:g} s ({one.exploitability:.0e})"
    return f"{1000 * took:,.3g} ms ({iterations:,})"


def plot(races: Sequence[Race]) -> Any:
    """Exploitability over CPU time, a panel a game."""
    from counterfold.plot import COLOURS, figure

    names = list(dict.fromkeys(r.name for r in races))
    look = {
        name: {"color": COLOURS[n % len(COLOURS)], "linestyle": ("-", "--", ":")[n // len(COLOURS)]}
        for n, name in enumerate(names)
    }
    games = list(dict.fromkeys(r.game for r in races))
    columns = min(3, len(games))
    rows = math.ceil(len(games) / columns)
    made, axes = figure(rows, columns, size=(4.6 * columns + 1.8, 3.4 * rows))
    for axis, game in zip(axes, games, strict=False):
        for one in (r for r in races if r.game == game):
            points = [(t, e) for t, e in one.curve if t > 0 and e > 1e-16]
            if points:
                axis.loglog(
                    *zip(*points, strict=True), label=one.name, linewidth=1.4, **look[one.name]
                )
        axis.set_title(game)
        axis.set_xlabel("CPU seconds")
        axis.set_ylabel("exploitability")
    for axis in axes[len(games) :]:
        axis.set_visible(False)
    made.legend(
        *axes[0].get_legend_handles_labels(), loc="outside right center", fontsize=8, frameon=False
    )
    return made


def to_json(races: Sequence[Race], budget: float) -> dict[str, Any]:
    """All races and the winner."""
    return {
        "what": "methods",
        "budget": budget,
        "winner": winner(races, budget),
        "races": [asdict(r) for r in races],
    }
