"""Pictures of online CFR's experiments: win-rate curves, and tables as heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from counterfold.plot import COLOURS, figure
from counterfold.research.drawing import finished, line
from counterfold.research.ocfr.curves import Curves
from counterfold.research.ocfr.round_robin import PUBLISHED, RoundRobin, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REFERENCE = {"equilibrium": "#888888"}
"""Agents that do not learn are drawn in grey."""
LINES = {"equilibrium": "--", "sarsa": ":"}
"""Sarsa is where Q-learning is: both can be seen."""
STRONGEST = 0.1
"""The win rate at which colours are full."""


def draw_curves(result: Curves) -> Figure:
    """A panel an opponent: means over matches with their 95% bands, over the hands played."""
    opponents = list(dict.fromkeys(curve.opponent for curve in result.curves))
    agents = [a for a in dict.fromkeys(c.agent for c in result.curves) if a not in REFERENCE]
    colours = dict(zip(agents, COLOURS, strict=False)) | REFERENCE
    made, panels = figure(1, len(opponents), size=(4.2 * len(opponents) + 1.6, 4.4))
    for panel, opponent in zip(panels, opponents, strict=True):
        for curve in result.curves:
            if curve.opponent == opponent:
                points, style = curve.points, LINES.get(curve.agent, "-")
                line(
                    panel, curve.hands, [p.mean for p in points], curve.agent,
                    colours[curve.agent], ([p.low for p in points], [p.high for p in points]),
                    linestyle=style,
                )  # fmt: skip
        best = result.ceilings[opponent]
        panel.axhline(best, color="#444444", linestyle="-.", linewidth=1, label="best response")
        panel.axhline(0.0, color="#bbbbbb", linewidth=0.8, zorder=0)
        panel.set_xscale("log")
        panel.set_title(f"against {opponent}")
        panel.set_xlabel("hands")
    panels[0].set_ylabel("won a hand so far, $")
    title = f"One-card poker, 13 cards: {result.matches:,} matches each, 95% bands"
    return finished(made, title, panels[0])


def draw_round_robin(result: RoundRobin) -> Figure:
    """The paper's table and ours, side by side."""
    made, panels = figure(1, 3, size=(17, 5.4), width_ratios=(6, 6, 7))
    tables = {
        "published": PUBLISHED,
        "settings that came nearest": result.fitted,
        "defaults, and our own learner": result.plain,
    }
    for panel, (title, table) in zip(panels, tables.items(), strict=True):
        _heat(panel, title, table)
    return finished(
        made,
        f"What the row won from the column, thousandths of a $ a hand: matches of {result.hands:,} "
        f"hands, {result.matches:,} a pair",
    )


def _heat(panel: Axes, title: str, table: Table) -> None:
    size = range(len(table.agents))
    cells = [[table.cell(row, column) for column in size] for row in size]
    means = np.array([[cell.mean if cell else 0.0 for cell in row] for row in cells])
    panel.imshow(means, cmap="PuOr", vmin=-STRONGEST, vmax=STRONGEST)
    for (row, column), value in np.ndenumerate(means):
        if row != column:
            panel.text(
                column, row, f"{1000 * value:+.0f}", ha="center", va="center", fontsize=9,
                color="white" if abs(value) > 0.7 * STRONGEST else "black",
            )  # fmt: skip
    names = [name.replace("(", "\n(") for name in table.agents]
    panel.set_xticks(size, names, rotation=40, ha="right", fontsize=9)
    panel.set_yticks(size, names, fontsize=9)
    panel.grid(False)
    panel.set_title(title)
