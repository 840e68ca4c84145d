"""Pictures of the arena: win-rate curves of a match, and the table of a tournament."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfold.cli.scores import common_decimals, rate, versus
from counterfold.play.result import MatchResult
from counterfold.play.score import Estimate
from counterfold.play.tournament import TournamentResult
from counterfold.plot import COLOURS, figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLAIN = "#999999"
FEW = 10
"""Hands at the start of a long match that its curve leaves out."""

MOST_CELLS = 15
"""Agents up to which the cells of a table hold numbers."""


def draw_curves(result: MatchResult, path: str) -> None:
    """Win rates over hands with 95% bands; of two that win what the other loses, the first."""
    shown = _shown(result)
    made, (panel,) = figure(1, 1, size=(8.5, 5))
    for number, g in enumerate(shown):
        _draw_agent(panel, result, g, COLOURS[number % len(COLOURS)], alone=len(shown) == 1)
    panel.axhline(0.0, color="#777777", linewidth=0.8, zorder=1)
    panel.set_xscale("log")
    panel.set_xlim(FEW if result.hands >= 100 * FEW else 1, max(result.hands, 2))
    panel.set_ylim(*_limits(result, shown))
    panel.set_xlabel("hands", size=11)
    whose = f"win rate of {result.agents[0]}" if len(shown) == 1 else "win rate"
    panel.set_ylabel(f"{whose}, a hand", size=11)
    panel.set_title(f"{result.game}: {versus(result.agents)}", fontsize=13)
    panel.legend(fontsize=10, facecolor="white", edgecolor="none", framealpha=0.9)
    save(made, path)


def _draw_agent(panel: Axes, result: MatchResult, g: int, colour: str, *, alone: bool) -> None:
    scores = [point.scores[g] for point in result.curve]
    hands = [point.hands for point in result.curve]
    name = "" if alone else f"{result.agents[g]}, "
    plain = [score.plain for score in scores]
    reduced = [score.reduced for score in scores if score.reduced is not None]
    if len(reduced) < len(scores):
        told = f"{name}plain {rate(plain[-1])}"
        _draw_band(panel, hands, plain, colour, label=told, strong=True)
    else:
        grey, own = (PLAIN, f"plain {rate(plain[-1])}") if alone else (colour, None)
        _draw_band(panel, hands, plain, grey, label=own, strong=False, band=alone)
        told = f"{name}luck taken out {rate(reduced[-1])}"
        _draw_band(panel, hands, reduced, colour, label=told, strong=True)
    exact = scores[-1].exact
    if exact is not None:
        panel.axhline(
            exact,
            color="black" if alone else colour,
            linewidth=1.2,
            linestyle="--",
            zorder=4,
            label=f"{name}exactly {exact:+.6g}",
        )


def _shown(result: MatchResult) -> list[int]:
    """Whose curves to draw."""
    means = [score.plain.mean for score in result.scores]
    mirrored = len(means) == 2 and abs(sum(means)) <= 1e-9 * max(1.0, *map(abs, means))
    return [0] if mirrored else list(range(len(means)))


def _draw_band(
    panel: Axes,
    hands: Sequence[int],
    curve: Sequence[Estimate],
    colour: str,
    *,
    label: str | None,
    strong: bool,
    band: bool = True,
) -> None:
    known = [(n, e) for n, e in zip(hands, curve, strict=True) if e.half is not None]
    if band:
        panel.fill_between(
            [n for n, _ in known],
            [e.low for _, e in known],
            [e.high for _, e in known],
            color=colour,
            alpha=0.25 if strong else 0.15,
            linewidth=0,
            zorder=2,
        )
    panel.plot(
        hands,
        [e.mean for e in curve],
        color=colour,
        label=label,
        zorder=3,
        linewidth=2.0 if strong else 1.0,
        alpha=1.0 if strong else 0.8 if band else 0.5,
    )


def _limits(result: MatchResult, shown: Sequence[int]) -> tuple[float, float]:
    """Heights that show where the curves go; the first hands may leave the picture."""
    late = [point for point in result.curve if 30 * point.hands >= result.hands]
    found = [0.0]
    for point in late or result.curve[-1:]:
        for g in shown:
            for estimate in (point.scores[g].plain, point.scores[g].reduced):
                if estimate is not None:
                    ends = (estimate.low, estimate.high, estimate.mean)
                    found += [end for end in ends if math.isfinite(end)]
    low, high = min(found), max(found)
    room = 0.08 * (high - low) or 1.0
    return low - room, high + room


def draw_table(result: TournamentResult, path: str) -> None:
    """What each agent (row) won from each other (column), the best on top."""
    order = [result.agents.index(standing.agent) for standing in result.ranking]
    names = [result.agents[g] for g in order]
    count = len(order)
    cells = [[result.cell(row, column) for column in order] for row in order]
    places = common_decimals([cell for row in cells for cell in row if cell is not None])
    most = max((abs(c.mean) for row in cells for c in row if c is not None), default=0.0) or 1.0
    side = max(4.5, 0.95 * count + 1.8)
    longest = max(map(len, names))
    made, (panel,) = figure(1, 1, size=(side + 0.09 * longest + 1.0, 0.72 * side + 0.5))
    panel.grid(False)
    means = [[math.nan if cell is None else cell.mean for cell in row] for row in cells]
    image = panel.imshow(means, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    if count <= MOST_CELLS:
        for row, own in enumerate(cells):
            for column, cell in enumerate(own):
                if cell is not None:
                    ink = "white" if abs(cell.mean) > 0.6 * most else "black"
                    text = _two_lines(rate(cell, places))
                    panel.text(column, row, text, ha="center", va="center", color=ink, fontsize=9)
    across = 30 if longest > 9 else 0
    panel.set_xticks(range(count), names, rotation=across, ha="right" if across else "center")
    standings = [rate(standing.estimate, places) for standing in result.ranking]
    told = [f"{name}\n{mean}" for name, mean in zip(names, standings, strict=True)]
    panel.set_yticks(range(count), told)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    bar = made.colorbar(image, ax=panel, shrink=0.85, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label("row's win rate against column, a hand", size=10)
    times = f"{result.matches:,} matches of " if result.matches > 1 else ""
    panel.set_title(f"{result.game}, {times}{result.hands:,} hands a line-up", fontsize=13)
    save(made, path)


def _two_lines(text: str) -> str:
    """A win rate over its interval, or alone if that has no width."""
    return text.removesuffix(" ±0").replace(" ", "\n")
