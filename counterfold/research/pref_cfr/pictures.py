"""Pictures of Preference-CFR's figures and of the Leduc table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from counterfold.games.leduc import Leduc
from counterfold.plot import COLOURS, figure
from counterfold.poker.grid_colours import action_colours
from counterfold.poker.ranges import cell_name
from counterfold.research.drawing import finished, line
from counterfold.research.pref_cfr.holdem import HoldemTable
from counterfold.research.pref_cfr.kuhn import Figure
from counterfold.research.pref_cfr.leduc import OPENING_BET, LeducRow, LeducTable
from counterfold.style.frontier import frontier
from counterfold.tree.history import compile_game

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

MARKS = {"plain CFR": ("s", 6), "normal": ("o", 0), "offensive": ("^", 1), "defensive": ("v", 2)}
"""Marks and colours of the settings by their names."""


def draw_figure(result: Figure) -> Picture:
    """Alpha and NashConv over the iterations, with bands that hold 90% of the runs."""
    made, (left, right) = figure(1, 2, size=(11.5, 5))
    left.axhspan(0, 1 / 3, color="#000000", alpha=0.05, linewidth=0)
    for number, runs in enumerate(result.settings):
        if len(result.settings) == 1:
            for curve in runs.alphas:
                line(left, runs.iterations, curve, None, number, linewidth=0.8, alpha=0.4)
        label = f"{runs.setting.name}: {runs.alpha:.3f} ± {runs.spread:.3f}"
        for panel, curve in zip((left, right), runs.trace.values(), strict=True):
            line(panel, runs.iterations, curve.means, label, number, curve.band)
    first = 10 if result.iterations >= 1000 else 1  # before that alpha is still where it started
    for panel in (left, right):
        panel.set_xscale("log")
        panel.set_xlim(first if panel is left else 1, result.iterations)
        panel.set_xlabel("iterations", size=12)
    right.set_yscale("log")
    left.set_ylim(0, 0.7)
    left.set_ylabel("alpha: player 1's opening bet with J", size=12)
    right.set_ylabel("NashConv (sum of both gains)", size=12)
    left.set_title("which equilibrium (shaded: all there are)", fontsize=11)
    right.set_title("how fast", fontsize=11)
    left.legend(frameon=False, fontsize=10, title="alpha at the end, mean ± sd")
    what = "CFR from random starts" if result.figure == 3 else "Pref-CFR's six settings"
    return finished(made, f"Kuhn poker, {what}: {result.runs} runs, mean and 90% band")


def draw_leduc(result: LeducTable) -> Picture:
    """Where each setting falls: opening bets by what they cost, within all that can be had."""
    tree = compile_game(Leduc())
    most = 1.05 * max(row.cost for row in result.settings)
    limits = frontier(tree, OPENING_BET, [most * (k / 40) ** 2 for k in range(41)])
    across = [point.epsilon for point in limits.points]
    made, panels = figure(1, 2, size=(12, 5.5), sharey=True)
    had = "all that can be had"
    for panel, traversal in zip(panels, ("full", "external"), strict=True):
        low, high = ([getattr(point, end) for point in limits.points] for end in ("low", "high"))
        panel.fill_between(across, low, high, color=COLOURS[4], alpha=0.25, linewidth=0, label=had)
        rows = [row for row in result.settings if row.traversal == traversal]
        for name, (mark, colour) in MARKS.items():
            own = [row for row in rows if row.setting.name == name]
            costs, bets = [row.cost for row in own], [row.opening_bet for row in own]
            line(panel, costs, bets, name, colour, marker=mark, linestyle="", markersize=8)
        _annotate(panel, [row for row in rows if row.setting.action], most)
        panel.set_xlabel("what player 1's strategy guarantees less than the game's value")
        panel.set_title(f"{traversal}, {rows[0].iterations:,} iterations", fontsize=11)
        panel.set_xlim(0, most)
    panels[0].set_ylabel("player 1's opening bets")
    panels[0].set_ylim(-0.02, 1.04)
    panels[1].legend(frameon=False, fontsize=9, loc="center right")
    return finished(made, "Leduc poker, Pref-CFR(BR): a style and its cost")


def _annotate(panel: Axes, rows: Sequence[LeducRow], most: float) -> None:
    """Degrees beside the points; points that lie together share their words."""
    groups: list[list[LeducRow]] = []
    for row in rows:
        for group in groups:
            near = abs(row.cost - group[0].cost) < 0.12 * most
            if near and abs(row.opening_bet - group[0].opening_bet) < 0.045:
                group.append(row)
                break
        else:
            groups.append([row])
    for group in groups:
        at = max(group, key=lambda row: row.cost)
        right = at.cost > 0.8 * most
        if right:
            at = min(group, key=lambda row: row.cost)
        panel.annotate(
            "\n".join(f"δ {row.setting.degree:g}, β {row.beta:g}" for row in group),
            (at.cost, at.opening_bet), (-9 if right else 9, 0), textcoords="offset points",
            ha="right" if right else "left", va="center", fontsize=8,
        )  # fmt: skip


def draw_styles(result: HoldemTable) -> Picture:
    """A grid of starting hands for each style: what player 1 does first with each."""
    made, panels = figure(1, len(result.rows), size=(5.2 * len(result.rows), 5.8))
    actions = list(result.rows[0].frequencies)
    cells = {cell_name(*divmod(cell, 13)): cell for cell in range(169)}
    down, across = np.divmod([cells[name] for name in result.classes], 13)
    for panel, row in zip(panels, result.rows, strict=True):
        left = across.astype(float)
        for k, (action, colour) in enumerate(zip(actions, action_colours(actions), strict=True)):
            wide = row.hands[:, k]
            panel.barh(down, wide, 1.0, left, color=colour, label=action, linewidth=0)
            left = left + wide
        for name, x, y in zip(result.classes, across, down, strict=True):
            panel.text(x + 0.5, y, name, ha="center", va="center", size=6)
        panel.set_xlim(0, 13)
        panel.set_ylim(12.5, -0.5)
        panel.set_aspect("equal")
        panel.set_axis_off()
        shares = ", ".join(f"{a} {100 * p:.1f}" for a, p in row.frequencies.items() if p > 5e-4)
        panel.set_title(f"{row.style}: {shares}", fontsize=8)
    return finished(made, f"Player 1's first decision, % of hands: {result.game}", panels[0])
