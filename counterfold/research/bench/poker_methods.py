"""How many iterations each method needs on hold'em spots, and what one of them costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from counterfold.plot import COLOURS, figure
from counterfold.research.bench.poker import TARGETS, load, reach, slashed
from counterfold.research.bench.spots import OTHER_SPOTS, SPOTS
from counterfold.research.bench.timing import Reach
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.drawing import finished, line
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.methods import method
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAMES = (*SPOTS, *OTHER_SPOTS)
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


@dataclass(frozen=True)
class Races(Result, what="poker-methods"):
    """Every method on every spot."""

    races: tuple[Race, ...]

    @property
    def spots(self) -> list[str]:
        return list(dict.fromkeys(race.spot for race in self.races))

    @property
    def means(self) -> dict[str, list[float]]:
        """Geometric means over spots of the iterations to each target, by method.

        A target that was not reached makes the mean infinite.
        """
        means = {}
        for name in dict.fromkeys(race.method for race in self.races):
            own = [race for race in self.races if race.method == name]
            means[name] = [
                math.exp(
                    sum(math.log(race.reached[n].iterations or math.inf) for race in own) / len(own)
                )
                for n in range(len(TARGETS))
            ]
        return means


def run(
    games: Sequence[str] = GAMES,
    budget: float = 60.0,
    on_progress: Progress = no_progress,
    methods: Sequence[str] = METHODS,
) -> Races:
    """Let every method run on every spot, for so many CPU seconds at most."""
    for text in methods:
        method(text)  # complain before anything is measured
    races: list[Race] = []
    for game in [load(name) for name in games]:
        tree = PublicTree(game, symmetry=bool(game.about.get("symmetry", True)))
        for text in methods:
            on_progress(len(races), len(games) * len(methods), f"{game.name}, {text}")
            races.append(Race(game.name, text, reach(tree, text, budget=budget)))
    return Races(tuple(races))


def show(result: Races) -> Iterator[Part]:
    """A row a method: iterations to each target, and their geometric means."""
    mean = result.means
    reached = {(race.method, race.spot): race.reached for race in result.races}

    def shown(spot: str, name: str) -> str:
        return slashed(one.iterations for one in reached[name, spot])

    columns: Columns = {
        "method": "{}",
        **{spot: partial(shown, spot) for spot in result.spots},
        "geometric mean": lambda name: slashed(
            (None if math.isinf(x) else x for x in mean[name]), "{:.0f}"
        ),
    }
    yield Table(mean, columns, "Iterations to 1 / 0.5 / 0.1% of the pot (32 bits, one thread)")


def draw(result: Races) -> Figure:
    """Iterations to the finest target, a line of dots a method."""
    spots = result.spots
    made, (panel,) = figure(1, 1, size=(0.8 * len(spots) + 4, 4.2))
    for k, name in enumerate(result.means):
        own = [race for race in result.races if race.method == name]
        counts = [race.reached[-1].iterations or math.nan for race in own]
        mark = "os^Dv"[k // len(COLOURS) % 5]
        places = [spots.index(race.spot) for race in own]
        line(panel, places, counts, name, k, marker=mark, linestyle="")
    panel.set_yscale("log")
    panel.set_xticks(range(len(spots)), spots, rotation=20, ha="right")
    panel.set_ylabel(f"iterations to {TARGETS[-1]:g}% of the pot")
    panel.legend(ncols=2, fontsize=8)
    return finished(made, "Iterations by method and spot")
