"""Pictures of Cheat's tables and figures."""

from __future__ import annotations

from typing import Any

from counterfold.plot import COLOURS, figure
from counterfold.research.cheat.costs import Costs
from counterfold.research.cheat.price import Prices
from counterfold.research.cheat.published import NAMES, VIEWS
from counterfold.research.cheat.rates import BOTS, TRAINED_IN, Curve, Rates

__all__ = ["draw_costs", "draw_prices", "draw_rates"]


def draw_costs(result: Costs) -> Any:
    """Infosets and seconds by health points, ours and the paper's, on logarithmic scales."""
    made, (left, right) = figure(1, 2, size=(11, 4.5))
    for view, colour in zip(VIEWS, COLOURS, strict=False):
        rows = [row for row in result.rows if row.view == view]
        healths = [row.health for row in rows]
        for panel, ours, theirs in (
            (left, "expected", "paper_infosets"),
            (right, "cpu_seconds", "paper_seconds"),
        ):
            look = {"color": colour, "linewidth": 1.6, "markersize": 4}
            panel.semilogy(
                healths, [getattr(row, ours) for row in rows], marker="o", label=NAMES[view], **look
            )
            panel.semilogy(
                healths, [getattr(row, theirs) for row in rows], marker="x", linestyle=":", **look
            )
    for panel, title in (
        (left, f"infosets after {result.iterations} iterations"),
        (right, "seconds"),
    ):
        panel.set_xticks(sorted({row.health for row in result.rows}))
        panel.set_xlabel("health points")
        panel.set_title(title, fontsize=11)
    handles, labels = left.get_legend_handles_labels()
    made.legend(handles, labels, loc="outside right center", frameon=False)
    kind = "with" if result.number == 2 else "without"
    made.suptitle(f"Mini-Cheat {kind} infoset abstraction; dotted: published", fontsize=13)
    return made


def draw_rates(result: Rates) -> Any:
    """Figure 1, 2 or 3: means of all runs, and the bands that hold 90% of them."""
    return {1: _draw_training, 2: _draw_elsewhere, 3: _draw_curriculum}[result.number](result)


def _draw_training(result: Rates) -> Any:
    made, panels = figure(2, 2, size=(11, 8), sharex=True, sharey=True)
    places = [(abstract, bot) for abstract in (False, True) for bot in BOTS]
    for panel, (abstract, bot) in zip(panels, places, strict=True):
        for view, colour in zip(VIEWS, COLOURS, strict=False):
            curve = result.curve(view, bot, abstract)
            _banded(panel, curve, colour, "-", NAMES[view], result.iterations)
        _line(panel, result.baseline[TRAINED_IN[1]].rate)
        panel.set_title(f"{'with' if abstract else 'without'} abstraction, against {bot}", size=11)
    for panel in panels[2:]:
        panel.set_xlabel("iterations")
    return _finished(made, panels, f"Training in Cheat-3, {result.runs} runs")


def _draw_elsewhere(result: Rates) -> Any:
    made, panels = figure(1, 2, size=(11, 4.5), sharey=True)
    for panel, bot in zip(panels, BOTS, strict=True):
        for view, colour in zip(VIEWS, COLOURS, strict=False):
            _banded(panel, result.curve(view, bot), colour, "-", NAMES[view])
        panel.set_xscale("log")
        marks = result.curves[0].marks
        panel.set_xticks(marks, list(map(str, marks)))
        panel.minorticks_off()
        panel.set_xlabel("health points in the game played")
        panel.set_title(f"against {bot}", size=11)
    panels[0].plot(
        list(result.baseline), [one.rate for one in result.baseline.values()], color="#cc0000",
        linewidth=1.0, label="heuristic against random",
    )  # fmt: skip
    return _finished(made, panels, f"Trained in Cheat-3, played elsewhere, {result.runs} runs")


def _draw_curriculum(result: Rates) -> Any:
    made, panels = figure(2, 2, size=(11, 8), sharex=True, sharey=True)
    for panel, view in zip(panels, VIEWS, strict=True):
        for bot, colour in zip(BOTS, (COLOURS[0], COLOURS[2]), strict=True):
            for start, style, told in (
                ("nothing", ":", "from nothing"),
                ("carried", "-", "after Cheat-3"),
            ):
                curve = result.curve(view, bot, start=start)
                _banded(panel, curve, colour, style, f"against {bot}, {told}")
        panel.set_title(f"{NAMES[view]}-4", size=11)
    for panel in panels[2:]:
        panel.set_xlabel("iterations")
    return _finished(made, panels, f"Training in Cheat-4, {result.runs} runs")


def _banded(
    panel: Any, curve: Curve, colour: str, style: str, label: str, until: int | None = None
) -> None:
    (low, high), marks = curve.band, curve.marks
    shown = len(marks) if until is None else sum(mark <= until for mark in marks)
    low, high, means, marks = low[:shown], high[:shown], curve.means[:shown], marks[:shown]
    panel.fill_between(marks, low, high, color=colour, alpha=0.15, linewidth=0)
    panel.plot(marks, means, color=colour, linestyle=style, linewidth=1.8, label=label)


def _line(panel: Any, height: float) -> None:
    panel.axhline(height, color="#cc0000", linewidth=1.0, label="heuristic against random")


def _finished(made: Any, panels: Any, title: str) -> Any:
    for panel in panels:
        panel.set_ylim(0, 1)
    panels[0].set_ylabel("games won")
    handles, labels = panels[0].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside right center", frameon=False)
    made.suptitle(title, fontsize=13)
    return made


def draw_prices(result: Prices) -> Any:
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
    return made
