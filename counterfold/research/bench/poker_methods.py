"""How many iterations each method needs on hold'em spots, and what one of them costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from counterfold.plot import COLOURS, figure
from counterfold.research.bench.peers import Reach
from counterfold.research.bench.poker import TARGETS, load, reach
from counterfold.research.bench.spots import OTHER_SPOTS, SPOTS
from counterfold.research.columns import Columns, rich_table
from counterfold.research.progress import no_progress
from counterfold.solvers.methods import method
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["GAMES", "METHODS", "Race", "plot", "run", "table", "to_json"]

GAMES = (*SPOTS, *OTHER_SPOTS)
BUDGET = 60.0
METHODS = (
    "cfr+(2)",
    "dcfr",
    "dcfr(1.5, 0, 4)",
    "dcfr(1.4, 0, 4)",
    "dcfr(1.3, 0, 4)",
    "dcfr(1.5, 0.5, 3)",
    "dcfr+",
    "sapcfr+",
    "pcfr+",
    "pdcfr+",
    "hs-dcfr(10, 300)",
)


@dataclass(frozen=True)
class Race:
    """How one method did on one spot, 32 bits and one thread."""

    spot: str
    method: str
    reached: tuple[Reach, ...]


def run(
    games: Sequence[str] = GAMES,
    budget: float = BUDGET,
    on_progress: Callable[[str], None] = no_progress,
    methods: Sequence[str] = METHODS,
) -> list[Race]:
    """Let every method run on every spot, for so many CPU seconds at most."""
    for text in methods:
        method(text)  # complain before anything is measured
    races = []
    for game in [load(name) for name in games]:
        tree = PublicTree(game, symmetry=bool(game.about.get("symmetry", True)))
        for text in methods:
            on_progress(f"{game.name}, {text}")
            races.append(Race(game.name, text, reach(tree, text, budget=budget)))
    return races


def means(races: Sequence[Race]) -> dict[str, list[float]]:
    """Geometric means over spots of the iterations to each target, by method.

    A target that was not reached makes the mean infinite.
    """
    found = {}
    for name in dict.fromkeys(race.method for race in races):
        own = [race for race in races if race.method == name]
        found[name] = [
            math.exp(
                sum(math.log(race.reached[n].iterations or math.inf) for race in own) / len(own)
            )
            for n in range(len(TARGETS))
        ]
    return found


def table(races: Sequence[Race]) -> Table:
    """A row a method: iterations to each target, and their geometric means."""
    spots, mean = list(dict.fromkeys(race.spot for race in races)), means(races)
    reached = {(race.method, race.spot): race.reached for race in races}

    def shown(spot: str, name: str) -> str:
        counts = (r.iterations for r in reached[name, spot])
        return " / ".join("-" if count is None else f"{count}" for count in counts)

    columns: Columns = {
        "method": "{}",
        **{spot: partial(shown, spot) for spot in spots},
        "geometric mean": lambda name: " / ".join(
            "-" if math.isinf(x) else f"{x:.0f}" for x in mean[name]
        ),
    }
    return rich_table(
        "Iterations to 1 / 0.5 / 0.1% of the pot (32 bits, one thread)", mean, columns
    )


def plot(races: Sequence[Race]) -> Any:
    """Iterations to the finest target, a line of dots a method."""
    spots = list(dict.fromkeys(race.spot for race in races))
    made, (axis,) = figure(1, 1, size=(0.8 * len(spots) + 4, 4.2))
    for k, name in enumerate(dict.fromkeys(race.method for race in races)):
        own = [race for race in races if race.method == name]
        count = [race.reached[-1].iterations or math.nan for race in own]
        places = [spots.index(race.spot) for race in own]
        mark = "os^Dv"[k // len(COLOURS) % 5]
        axis.plot(places, count, mark, color=COLOURS[k % len(COLOURS)], label=name)
    axis.set_yscale("log")
    axis.set_xticks(range(len(spots)), spots, rotation=20, ha="right")
    axis.set_ylabel(f"iterations to {TARGETS[-1]:g}% of the pot")
    axis.legend(ncols=2, fontsize=8)
    return made


def to_json(races: Sequence[Race]) -> dict[str, Any]:
    """All figures."""
    return {"what": "poker-methods", "races": [asdict(race) for race in races]}
