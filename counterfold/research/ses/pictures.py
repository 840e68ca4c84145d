"""Pictures of safe exploitation search: figures 2, 3 and 4, and the drifting opponents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfold.plot import COLOURS, figure
from counterfold.research.drawing import finished, line
from counterfold.research.ses.drift import Drift
from counterfold.research.ses.matrix import MatrixFigure
from counterfold.research.ses.sweep import FhpSweep, Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TICKS = (-1000, -100, -10, 0, 10, 100, 1000)
MEASURES = ("payoff", "exploitability")


def draw_figure_2(result: MatrixFigure) -> Figure:
    """Payoff and exploitability of SES and of mixing by alpha."""
    made, (left, right) = figure(1, 2, size=(11, 4.5))
    across = [point.alpha for point in result.points]
    for panel, names, title in (
        (left, ("payoff", "mixing_payoff"), "payoff against R"),
        (right, ("exploitability", "mixing_exploitability"), "exploitability"),
    ):
        for colour, (name, label) in enumerate(zip(names, ("SES", "mixing"), strict=True)):
            line(panel, across, [getattr(point, name) for point in result.points], label, colour)
        panel.axvline(result.alpha_star, color="#888888", linewidth=0.8, linestyle=":")
        panel.set_xlabel("alpha")
        panel.set_title(title, fontsize=11)
        panel.set_xlim(-0.02, 1.02)
    left.legend(frameon=False)
    title = f"The matrix game: SES turns to F at alpha {result.alpha_star:.5f} (dotted)"
    return finished(made, title)


def draw_figure_3(sweep: Sweep) -> Figure:
    """A curve for each error; dotted, in a game whose flops are drawn, what it is at least."""
    made, panels = _panels(sweep)
    for column, share in enumerate(sweep.shares):
        for colour, error in enumerate(sweep.errors):
            label = f"SES, error {error:g}"
            for name, row in zip(MEASURES, panels, strict=True):
                heights = [sweep.scale * y for y in sweep.curve(share, error, name)]
                line(row[column], sweep.alphas, heights, label, colour, marker="o", markersize=3)
            if isinstance(sweep, FhpSweep) and not sweep.exact:
                least = sweep.curve(share, error, "at_least")
                line(
                    panels[1][column], sweep.alphas, least, None, colour, linewidth=1, linestyle=":"
                )
        panels[1][column].set_xlabel("alpha")
    return _titled(made, panels, f"Safe exploitation search in {sweep.game}", sweep.unit)


def draw_figure_4(sweep: FhpSweep) -> Figure:
    """SES and restricted Nash responses."""
    made, panels = _panels(sweep)
    for column, share in enumerate(sweep.shares):
        for name, row in zip(MEASURES, panels, strict=True):
            panel = row[column]
            curves = {"SES": (sweep.alphas, sweep.curve(share, sweep.errors[0], name))}
            for budget in sweep.budgets:
                response = sweep.response_curve(share, budget, name)
                curves[f"RNR ({budget})"] = (sweep.ps, response)
            for colour, (label, (across, heights)) in enumerate(curves.items()):
                marker = "o" if label == "SES" else "s"
                line(panel, across, heights, label, colour, marker=marker, markersize=3)
            panel.set_yscale("symlog", linthresh=10)
            panel.set_yticks(TICKS, [f"{tick:,}" for tick in TICKS])
            low, high = panel.dataLim.intervaly
            panel.set_ylim(1.3 * low if low < 0 else -3, 1.5 * high)
        panels[1][column].set_xlabel("alpha of SES, p of RNR")
    title = f"SES against restricted Nash responses in {sweep.game}"
    return _titled(made, panels, title, sweep.unit)


Rows = tuple["Sequence[Axes]", "Sequence[Axes]"]


def _panels(sweep: Sweep) -> tuple[Figure, Rows]:
    """Payoffs above, exploitabilities below; a column for each kind of opponent."""
    columns = len(sweep.shares)
    made, panels = figure(2, columns, size=(max(4.4 * columns, 7.5), 7.5), sharex=True)
    above, below = panels[:columns], panels[columns:]
    for column, share in enumerate(sweep.shares):
        for panel, height in (
            (above[column], sweep.blueprint(share)),
            (below[column], sweep.exploitability),
        ):
            height *= sweep.scale
            panel.axhline(height, color=COLOURS[6], linewidth=1.5, label="blueprint")
        kind = f"shuffled: {share:g}" if share else "another blueprint"
        above[column].set_title(kind, fontsize=11)
    return made, (above, below)


def _titled(made: Figure, panels: Rows, title: str, unit: str) -> Figure:
    for name, row in zip(MEASURES, panels, strict=True):
        row[0].set_ylabel(f"{name}, {unit}")
    return finished(made, title, panels[1][0])


def draw_drift(result: Drift) -> Figure:
    """Winnings while the opponent drifts, and winnings against exploitability."""
    made, (left, right) = figure(1, 2, (10.0, 4.2))
    for k, row in enumerate(result.rows):
        hands = [result.every * (j + 1) for j in range(len(row.curve))]
        line(left, hands, row.curve, row.contender, k)
        line(right, [row.exploitability], [row.winnings], row.contender, k, marker="o")
    left.axhline(result.best, color="#888888", linestyle=":", linewidth=1)
    left.set_xlabel("hands")
    left.set_ylabel("winnings a hand (exact)")
    right.set_xlabel("exploitability of what is played (exact)")
    right.set_ylabel("winnings a hand (exact)")
    right.legend(frameon=False, fontsize=8)
    return finished(made, f"Opponents that drift in {result.game}")
