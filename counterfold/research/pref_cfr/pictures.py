"""Pictures of Preference-CFR's figures and of the Leduc table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterfold.games.leduc import Leduc
from counterfold.plot import COLOURS, figure
from counterfold.research.pref_cfr.kuhn import Figure, banded
from counterfold.research.pref_cfr.leduc import OPENING_BET, LeducRow, LeducTable
from counterfold.style.frontier import frontier
from counterfold.tree.history import compile_game

__all__ = ["draw_figure", "draw_leduc"]


def draw_figure(result: Figure) -> Any:
    """Alpha and NashConv over the iterations, with bands that hold 90% of the runs."""
    made, (left, right) = figure(1, 2, size=(11.5, 5))
    left.axhspan(0, 1 / 3, color="#000000", alpha=0.05, linewidth=0)
    for number, runs in enumerate(result.runs):
        colour = COLOURS[number % len(COLOURS)]
        if len(result.runs) == 1:
            for curve in runs.alphas:
                left.plot(runs.iterations, curve, color=colour, linewidth=0.8, alpha=0.4)
        name = f"{runs.setting.name}: {runs.alpha:.3f} ± {runs.spread:.3f}"
        for panel, curves, label in ((left, runs.alphas, name), (right, runs.nash_convs, None)):
            band = banded(curves)
            panel.fill_between(
                runs.iterations, band["low"], band["high"], color=colour, alpha=0.15, linewidth=0
            )
            panel.plot(runs.iterations, band["mean"], color=colour, linewidth=1.8, label=label)
    last = result.runs[0].iterations[-1]
    first = 10 if last >= 1000 else 1  # before that alpha is still where it started
    for panel in (left, right):
        panel.set_xscale("log")
        panel.set_xlim(first if panel is left else 1, last)
        panel.set_xlabel("iterations", size=12)
    right.set_yscale("log")
    left.set_ylim(0, 0.7)
    left.set_ylabel("alpha: player 1's opening bet with J", size=12)
    right.set_ylabel("NashConv (sum of both gains)", size=12)
    left.set_title("which equilibrium (shaded: all there are)", fontsize=11)
    right.set_title("how fast", fontsize=11)
    left.legend(frameon=False, fontsize=10, title="alpha at the end, mean ± sd")
    count = len(result.runs[0].alphas)
    what = "CFR from random starts" if result.number == 3 else "Pref-CFR's six settings"
    made.suptitle(f"Kuhn poker, {what}: {count} runs, mean and 90% band", fontsize=14)
    return made


def draw_leduc(result: LeducTable) -> Any:
    """Where each setting falls: opening bets by what they cost, within all that can be had."""
    tree = compile_game(Leduc())
    most = 1.05 * max(row.cost for row in result.rows)
    limits = frontier(tree, OPENING_BET, [most * (k / 40) ** 2 for k in range(41)])
    across = [point.epsilon for point in limits.points]
    made, panels = figure(1, 2, size=(12, 5.5), sharey=True)
    for panel, traversal in zip(panels, ("full", "external"), strict=True):
        panel.fill_between(
            across,
            [point.low for point in limits.points],
            [point.high for point in limits.points],
            color=COLOURS[4], alpha=0.25, linewidth=0, label="all that can be had",
        )  # fmt: skip
        rows = [row for row in result.rows if row.traversal == traversal]
        marks = {"plain CFR": "s", "normal": "o", "offensive": "^", "defensive": "v"}
        colours = dict(zip(marks, (COLOURS[6], COLOURS[0], COLOURS[1], COLOURS[2]), strict=True))
        for name, mark in marks.items():
            own = [row for row in rows if row.setting.name == name]
            panel.plot(
                [row.cost for row in own], [row.opening_bet for row in own], mark,
                color=colours[name], markersize=8, label=name,
            )  # fmt: skip
        _annotate(panel, [row for row in rows if row.setting.action], most)
        panel.set_xlabel("what player 1's strategy guarantees less than the game's value")
        panel.set_title(f"{traversal}, {rows[0].iterations:,} iterations", fontsize=11)
        panel.set_xlim(0, most)
    panels[0].set_ylabel("player 1's opening bets")
    panels[0].set_ylim(-0.02, 1.04)
    panels[1].legend(frameon=False, fontsize=9, loc="center right")
    made.suptitle("Leduc poker, Pref-CFR(BR): a style and its cost", fontsize=14)
    return made


def _annotate(panel: Any, rows: Sequence[LeducRow], most: float) -> None:
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
