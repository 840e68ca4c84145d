"""Pictures of Cheat's tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfold.abstraction.contest import BOTS
from counterfold.plot import COLOURS, figure
from counterfold.research.cheat.costs import Costs
from counterfold.research.cheat.price import Prices
from counterfold.research.cheat.published import NAMES, VIEWS
from counterfold.research.cheat.rates import Curve, Rates
from counterfold.research.drawing import finished, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_costs(result: Costs) -> Figure:
    """Infosets and seconds by health points, ours and the paper's, on logarithmic scales."""
    made, panels = figure(1, 2, size=(11, 4.5))
    titles = (f"infosets after {result.iterations} iterations", "seconds")
    names = (("expected", "paper_infosets"), ("cpu_seconds", "paper_seconds"))
    for panel, title, (ours, theirs) in zip(panels, titles, names, strict=True):
        for colour, view in enumerate(VIEWS):
            rows = [row for row in result.rows if row.view == view]
            healths = [row.health for row in rows]
            line(panel, healths, [getattr(row, ours) for row in rows], NAMES[view], colour,
                 marker="o", markersize=4)  # fmt: skip
            line(panel, healths, [getattr(row, theirs) for row in rows], None, colour,
                 marker="x", markersize=4, linestyle=":")  # fmt: skip
        panel.set_yscale("log")
        panel.set_xticks(sorted({row.health for row in result.rows}))
        panel.set_xlabel("health points")
        panel.set_title(title, fontsize=11)
    kind = "with" if result.table == 2 else "without"
    return finished(made, f"Mini-Cheat {kind} infoset abstraction; dotted: published", panels[0])


def draw_rates(result: Rates) -> Figure:
    """Figure 1, 2 or 3: means of all runs, and the bands that hold 90% of them."""
    draw = {1: _draw_training, 2: _draw_elsewhere, 3: _draw_curriculum}[result.figure]
    made, panels, title = draw(result)
    for panel in panels:
        panel.set_ylim(0, 1)
    panels[0].set_ylabel("games won")
    return finished(made, f"{title}, {result.runs} runs", panels[0])


Panels = tuple["Figure", "Sequence[Axes]", str]


def _draw_training(result: Rates) -> Panels:
    made, panels = figure(2, 2, size=(11, 8), sharex=True, sharey=True)
    places = [(abstract, bot) for abstract in (False, True) for bot in BOTS]
    for panel, (abstract, bot) in zip(panels, places, strict=True):
        for colour, view in enumerate(VIEWS):
            _banded(panel, result.curve(view, bot, abstract), colour, NAMES[view], result)
        height = result.baseline[result.trained_in].rate
        panel.axhline(height, color="#cc0000", linewidth=1.0, label="heuristic against random")
        panel.set_title(f"{'with' if abstract else 'without'} abstraction, against {bot}", size=11)
    for panel in panels[2:]:
        panel.set_xlabel("iterations")
    return made, panels, "Training in Cheat-3"


def _draw_elsewhere(result: Rates) -> Panels:
    made, panels = figure(1, 2, size=(11, 4.5), sharey=True)
    for panel, bot in zip(panels, BOTS, strict=True):
        for colour, view in enumerate(VIEWS):
            _banded(panel, result.curve(view, bot), colour, NAMES[view])
        panel.set_xscale("log")
        marks = result.curves[0].marks
        panel.set_xticks(marks, list(map(str, marks)))
        panel.minorticks_off()
        panel.set_xlabel("health points in the game played")
        panel.set_title(f"against {bot}", size=11)
    rates = [one.rate for one in result.baseline.values()]
    line(panels[0], list(result.baseline), rates, "heuristic against random", "#cc0000",
         linewidth=1.0)  # fmt: skip
    return made, panels, "Trained in Cheat-3, played elsewhere"


def _draw_curriculum(result: Rates) -> Panels:
    made, panels = figure(2, 2, size=(11, 8), sharex=True, sharey=True)
    starts = {"nothing": (":", "from nothing"), "carried": ("-", "after Cheat-3")}
    for panel, view in zip(panels, VIEWS, strict=True):
        for bot, colour in zip(BOTS, (0, 2), strict=True):
            for start, (style, words) in starts.items():
                curve = result.curve(view, bot, start=start)
                _banded(panel, curve, colour, f"against {bot}, {words}", linestyle=style)
        panel.set_title(f"{NAMES[view]}-4", size=11)
    for panel in panels[2:]:
        panel.set_xlabel("iterations")
    return made, panels, "Training in Cheat-4"


def _banded(
    panel: Axes,
    curve: Curve,
    colour: int,
    label: str,
    within: Rates | None = None,
    linestyle: str = "-",
) -> None:
    """A curve; of a figure with a mark far beyond its iterations, those ``within`` them."""
    marks = [mark for mark in curve.marks if within is None or mark <= within.iterations]
    low, high = (end[: len(marks)] for end in curve.sampled.band)
    means = curve.sampled.means[: len(marks)]
    line(panel, marks, means, label, colour, (low, high), linestyle=linestyle)


def draw_prices(result: Prices) -> Figure:
    """Bars by agent on a logarithmic scale."""
    made, (panel,) = figure(1, 1, (9.0, 4.8))
    count = len(result.columns)
    for k, (column, colour) in enumerate(zip(result.columns, COLOURS, strict=False)):
        places = [n + k * 0.8 / count for n in range(len(result.rows))]
        heights = [row.exploitability[column] for row in result.rows]
        panel.barh(places, heights, 0.8 / count, color=colour, label=column)
    panel.axvline(result.uniform, color="#888888", linestyle=":", label="uniform play")
    panel.set_yticks([n + 0.3 for n in range(len(result.rows))], [r.agent for r in result.rows])
    panel.invert_yaxis()
    panel.set_xscale("log")
    panel.set_xlabel("exploitability in the whole game (exact)")
    panel.legend(frameon=False, fontsize=8)
    return finished(made, f"What a view costs in Mini-Cheat with {result.health} health points")
