"""Pictures of online CFR's experiments: win-rate curves, and tables as heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from counterfold.plot import COLOURS, figure
from counterfold.research.ocfr.curves import Curve, Curves
from counterfold.research.ocfr.round_robin import PUBLISHED, RoundRobin, Table

__all__ = ["draw_curves", "draw_round_robin"]

REFERENCE = {"equilibrium": "#888888"}
"""Agents that do not learn are drawn in grey."""
LINES = {"equilibrium": "--", "sarsa": ":"}
"""Sarsa is where Q-learning is: both can be seen."""
STRONGEST = 0.1
"""The win rate at which colours are full."""


def draw_curves(result: Curves) -> Any:
    """A panel an opponent: means over matches with their 95% bands, over the hands played."""
    opponents = list(dict.fromkeys(curve.opponent for curve in result.curves))
    agents = [a for a in dict.fromkeys(c.agent for c in result.curves) if a not in REFERENCE]
    colours = dict(zip(agents, COLOURS, strict=False)) | REFERENCE
    made, panels = figure(1, len(opponents), size=(4.2 * len(opponents) + 1.6, 4.4))
    for panel, opponent in zip(panels, opponents, strict=True):
        for curve in result.curves:
            if curve.opponent == opponent:
                _draw(panel, curve, colours[curve.agent], LINES.get(curve.agent, "-"))
        panel.axhline(
            result.ceilings[opponent],
            color="#444444",
            linestyle="-.",
            linewidth=1,
            label="best response",
        )
        panel.axhline(0.0, color="#bbbbbb", linewidth=0.8, zorder=0)
        panel.set_xscale("log")
        panel.set_title(f"against {opponent}")
        panel.set_xlabel("hands")
    panels[0].set_ylabel("won a hand so far, $")
    handles, labels = panels[0].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside right center", frameon=False)
    made.suptitle(f"One-card poker, 13 cards: {result.matches:,} matches each, 95% bands")
    return made


def _draw(panel: Any, curve: Curve, colour: str, line: str) -> None:
    mean = np.array([point.mean for point in curve.points])
    half = np.array([point.half or 0.0 for point in curve.points])
    panel.plot(curve.hands, mean, color=colour, linestyle=line, linewidth=1.6, label=curve.agent)
    panel.fill_between(curve.hands, mean - half, mean + half, color=colour, alpha=0.18, linewidth=0)


def draw_round_robin(result: RoundRobin) -> Any:
    """The paper's table and ours, side by side."""
    made, panels = figure(1, 3, size=(17, 5.4), width_ratios=(6, 6, 7))
    for panel, title, table in zip(
        panels,
        ("published", "settings that came nearest", "defaults, and our own learner"),
        (PUBLISHED, result.fitted, result.plain),
        strict=True,
    ):
        _heat(panel, title, table.agents, _means(table))
    made.suptitle(
        f"What the row won from the column, thousandths of a $ a hand: matches of {result.hands:,} "
        f"hands, {result.matches:,} a pair"
    )
    return made


def _means(table: Table) -> list[list[float]]:
    size = range(len(table.agents))
    cells = [[table.cell(row, column) for column in size] for row in size]
    return [[cell.mean if cell else 0.0 for cell in row] for row in cells]


def _heat(panel: Any, title: str, names: Sequence[str], means: Sequence[Sequence[float]]) -> None:
    panel.imshow(np.array(means), cmap="PuOr", vmin=-STRONGEST, vmax=STRONGEST)
    for row, values in enumerate(means):
        for column, value in enumerate(values):
            if row != column:
                dark = abs(value) > 0.7 * STRONGEST
                panel.text(
                    column, row, f"{1000 * value:+.0f}", ha="center", va="center", fontsize=9,
                    color="white" if dark else "black",
                )  # fmt: skip
    told = [name.replace("(", "\n(") for name in names]
    panel.set_xticks(range(len(names)), told, rotation=40, ha="right", fontsize=9)
    panel.set_yticks(range(len(names)), told, fontsize=9)
    panel.grid(False)
    panel.set_title(title)
