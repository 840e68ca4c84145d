"""Pictures of safe exploitation search: figures 2, 3 and 4, and the drifting opponents."""

from __future__ import annotations

from typing import Any

from counterfold.plot import COLOURS, figure
from counterfold.research.ses.drift import Drift
from counterfold.research.ses.matrix import MatrixFigure
from counterfold.research.ses.sweep import FhpSweep, Sweep

__all__ = ["draw_drift", "draw_figure_2", "draw_figure_3", "draw_figure_4"]

TICKS = (-1000, -100, -10, 0, 10, 100, 1000)
MEASURES = ("payoff", "exploitability")


def draw_figure_2(result: MatrixFigure) -> Any:
    """Payoff and exploitability of SES and of mixing by alpha."""
    made, (left, right) = figure(1, 2, size=(11, 4.5))
    across = [point.alpha for point in result.points]
    for panel, names, title in (
        (left, ("payoff", "mixing_payoff"), "payoff against R"),
        (right, ("exploitability", "mixing_exploitability"), "exploitability"),
    ):
        for name, label, colour in zip(names, ("SES", "mixing"), COLOURS, strict=False):
            heights = [getattr(point, name) for point in result.points]
            panel.plot(across, heights, color=colour, linewidth=1.8, label=label)
        panel.axvline(result.turn, color="#888888", linewidth=0.8, linestyle=":")
        panel.set_xlabel("alpha")
        panel.set_title(title, fontsize=11)
        panel.set_xlim(-0.02, 1.02)
    left.legend(frameon=False)
    made.suptitle(
        f"The matrix game: SES turns to F at alpha {result.turn:.5f} (dotted)", fontsize=13
    )
    return made


def draw_figure_3(sweep: Sweep) -> Any:
    """A curve for each error; dotted, in a game whose flops are drawn, what it is at least."""
    made, panels = _panels(sweep)
    for column, share in enumerate(sweep.shares):
        for error, colour in zip(sweep.errors, COLOURS, strict=False):
            for name, row in zip(MEASURES, panels, strict=True):
                heights = [sweep.scale * y for y in sweep.curve(share, error, name)]
                row[column].plot(
                    sweep.alphas, heights, color=colour, linewidth=1.8, marker="o", markersize=3,
                    label=f"SES, error {error:g}",
                )  # fmt: skip
            if isinstance(sweep, FhpSweep) and not sweep.exact:
                least = sweep.curve(share, error, "at_least")
                panels[1][column].plot(
                    sweep.alphas, least, color=colour, linewidth=1.0, linestyle=":"
                )
        panels[1][column].set_xlabel("alpha")
    return _titled(made, panels, f"Safe exploitation search in {sweep.game}", sweep.unit)


def draw_figure_4(sweep: FhpSweep) -> Any:
    """SES and restricted Nash responses."""
    made, panels = _panels(sweep)
    for column, share in enumerate(sweep.shares):
        for name, row in zip(MEASURES, panels, strict=True):
            panel = row[column]
            curves = {"SES": (sweep.alphas, sweep.curve(share, sweep.errors[0], name))}
            for budget in sweep.budgets:
                response = sweep.response_curve(share, budget, name)
                curves[f"RNR ({budget})"] = (sweep.ps, response)
            for (label, curve), colour in zip(curves.items(), COLOURS, strict=False):
                marker = "o" if label == "SES" else "s"
                panel.plot(
                    *curve, color=colour, linewidth=1.8, marker=marker, markersize=3, label=label
                )
            panel.set_yscale("symlog", linthresh=10)
            panel.set_yticks(TICKS, [f"{tick:,}" for tick in TICKS])
            low, high = panel.dataLim.intervaly
            panel.set_ylim(1.3 * low if low < 0 else -3, 1.5 * high)
        panels[1][column].set_xlabel("alpha of SES, p of RNR")
    title = f"SES against restricted Nash responses in {sweep.game}"
    return _titled(made, panels, title, sweep.unit)


def _panels(sweep: Sweep) -> tuple[Any, Any]:
    """Payoffs above, exploitabilities below; a column for each kind of opponent."""
    columns = len(sweep.shares)
    made, panels = figure(2, columns, size=(max(4.4 * columns, 7.5), 7.5), sharex=True)
    above, below = panels[:columns], panels[columns:]
    for column, share in enumerate(sweep.shares):
        grey = {"color": COLOURS[6], "linewidth": 1.5}
        above[column].axhline(sweep.scale * sweep.blueprint(share), **grey)
        below[column].axhline(sweep.scale * sweep.exploitability, **grey, label="blueprint")
        kind = f"shuffled: {share:g}" if share else "another blueprint"
        above[column].set_title(kind, fontsize=11)
    return made, (above, below)


def _titled(made: Any, panels: Any, title: str, unit: str) -> Any:
    for name, row in zip(MEASURES, panels, strict=True):
        row[0].set_ylabel(f"{name}, {unit}")
    handles, labels = panels[1][0].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside right center", frameon=False)
    made.suptitle(title, fontsize=13)
    return made


def draw_drift(result: Drift) -> Any:
    """Winnings while the opponent drifts, and winnings against exploitability."""
    made, (left, right) = figure(1, 2, (10.0, 4.2))
    for k, row in enumerate(result.rows):
        colour = COLOURS[k % len(COLOURS)]
        hands = [result.every * (j + 1) for j in range(len(row.curve))]
        left.plot(hands, row.curve, color=colour, label=row.contender)
        right.plot(row.exploitability, row.winnings, "o", color=colour, label=row.contender)
    left.axhline(result.best, color="#888888", linestyle=":", linewidth=1)
    left.set_xlabel("hands")
    left.set_ylabel("winnings a hand (exact)")
    right.set_xlabel("exploitability of what is played (exact)")
    right.set_ylabel("winnings a hand (exact)")
    right.legend(frameon=False, fontsize=8)
    return made
