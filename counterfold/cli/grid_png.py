"""The 13 x 13 grid of a node as a picture: cells split by action and as full as the range."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfold.plot import COLOURS, figure, save
from counterfold.poker import grid_colours as look
from counterfold.poker.cards import RANKS
from counterfold.poker.view import CLASSES, NodeView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAP = 0.035  # between cells, of a cell
INK, SOFT, FAINT = "#15181c", "#5b6570", "#77818c"


def draw_grid(view: NodeView, path: str | os.PathLike[str], mode: str | None = None) -> None:
    """Draw a node: ``strategy`` (or nothing), ``ev``, ``equity``, ``weight`` or an action.

    The file is PNG, SVG or PDF by its suffix, and is written whole or not at all.
    """
    which = look.mode_of(view, mode)
    made, panels = figure(3, 1, size=(9.6, 11.4), height_ratios=[1.15, 9.6, 0.65])
    made.set_layout_engine("constrained", w_pad=0.12, h_pad=0.06, hspace=0.0, wspace=0.0)
    head, grid, foot = panels
    for panel in panels:
        panel.grid(False)
        panel.set_axis_off()
    _head(head, view)
    grid.set_xlim(0, 13)
    grid.set_ylim(13, 0)
    grid.set_aspect("equal")
    if which == "strategy":
        _mixes(grid, view)
        _frequencies(foot, view)
    else:
        found = look.heat(view, which)
        _heats(grid, view, found)
        _scale(foot, view, found, which)
    save(made, path)


def draw_curves(views: Sequence[NodeView], path: str | os.PathLike[str]) -> None:
    """Draw the equity of ranges from the worst hand to the best."""
    made, (panel,) = figure(1, 1, size=(8.5, 5))
    for view, colour in zip(views, COLOURS, strict=False):
        curve = view.equity_curve(201)
        name = f"{view.player}, {look.percent(view.totals.equity)} on average"
        panel.plot(np.linspace(0, 100, len(curve)), [100 * x for x in curve], color=colour,
                   linewidth=2.0, label=name)  # fmt: skip
    panel.set_xlim(0, 100)
    panel.set_ylim(0, 100)
    panel.set_xlabel("hands of the range, from the worst, in percent", size=11)
    panel.set_ylabel("equity, in percent", size=11)
    rows = dict(look.situation(views[0]))
    panel.set_title(_short(f"{views[0].game}, {views[0].street}: {rows['Line']}", 80), fontsize=13)
    panel.legend(frameon=False, fontsize=11)
    save(made, path)


def _head(panel: Axes, view: NodeView) -> None:
    """The node in words, and its board as cards."""
    panel.set_xlim(0, 13)
    panel.set_ylim(1.55, 0)
    rows = dict(look.situation(view))
    panel.text(
        0.03, 0.02, _short(rows["Game"], 48), va="top", fontsize=17, weight="bold", color=INK,
        parse_math=False,
    )  # fmt: skip
    money = rows["Money"] + (f"; {rows['Note']}" if "Note" in rows else "")
    told = ["Line: " + rows["Line"], money[0].upper() + money[1:], rows["Range"]]
    for number, text in enumerate(told):
        panel.text(
            0.03, 0.5 + 0.35 * number, _short(text, 92), va="top", fontsize=11.5, color=SOFT,
            parse_math=False,
        )  # fmt: skip
    wide, gap = 0.72, 0.1
    left = 13 - len(view.board) * (wide + gap) + gap - 0.03
    for number, card in enumerate(view.board):
        _card(panel, left + number * (wide + gap), wide, card)


def _card(panel: Axes, left: float, wide: float, card: int) -> None:
    from matplotlib.patches import FancyBboxPatch

    colour = look.SUIT_COLOURS[card % 4] or "#3b424b"
    panel.add_patch(
        FancyBboxPatch(
            (left, 0.02), wide, 0.72, boxstyle="round,pad=0,rounding_size=0.08",
            facecolor=colour, edgecolor="none",
        )
    )  # fmt: skip
    panel.text(
        left + wide / 2, 0.40, RANKS[card // 4] + look.SUIT_SIGNS[card % 4],
        ha="center", va="center", fontsize=18, weight="bold", color="white",
    )  # fmt: skip


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else "…" + text[1 - most :]


def _mixes(panel: Axes, view: NodeView) -> None:
    """Each cell filled from below as far as the range holds it, split by action."""
    classes, full = view.classes, look.filled(view)
    colours = look.action_colours(view.actions)
    for k in range(169):
        mix = classes.mix[:, k]
        there = bool(full[k] > 0 and np.isfinite(mix).all())
        _box(panel, k, look.EMPTY)
        if there:
            _split(panel, k, mix.tolist(), colours, float(full[k]))
        _name(panel, k, there)
        if there:
            most = int(mix.argmax())
            _number(
                panel, k, "" if look.is_pure(mix[most]) else f"{look.whole_percent(mix[most])}%"
            )


def _box(panel: Axes, k: int, colour: str) -> None:
    row, column = divmod(k, 13)
    _fill(panel, column + GAP, row + GAP, 1 - 2 * GAP, 1 - 2 * GAP, colour)


def _fill(panel: Axes, left: float, top: float, wide: float, high: float, colour: str) -> None:
    from matplotlib.patches import Rectangle

    panel.add_patch(Rectangle((left, top), wide, high, facecolor=colour, linewidth=0))


def _split(
    panel: Axes, k: int, mix: Sequence[float], colours: Sequence[str], height: float
) -> None:
    row, column = divmod(k, 13)
    whole = 1 - 2 * GAP
    high = max(height, 0.03) * whole
    left = column + GAP
    for part, colour in zip(mix, colours, strict=True):
        if part > 0:
            _fill(panel, left, row + 1 - GAP - high, part * whole, high, colour)
            left += part * whole


def _name(panel: Axes, k: int, there: bool) -> None:
    row, column = divmod(k, 13)
    _text(
        panel, column + 0.1, row + 0.12, CLASSES[k], there, ha="left", va="top", fontsize=12.5,
        weight="bold",
    )  # fmt: skip


def _number(panel: Axes, k: int, text: str, size: float = 9.5) -> None:
    row, column = divmod(k, 13)
    _text(panel, column + 0.92, row + 0.9, text, True, ha="right", va="bottom", fontsize=size)


def _text(panel: Axes, x: float, y: float, text: str, there: bool, **how: Any) -> None:
    """Words that can be read on any colour: white with a dark rim."""
    from matplotlib.patheffects import withStroke

    rim = [withStroke(linewidth=1.6, foreground="#00000088")] if there else []
    colour = "white" if there else FAINT
    panel.text(x, y, text, color=colour, path_effects=rim, **how)


def _frequencies(panel: Axes, view: NodeView) -> None:
    """A bar of how often each action is taken, with names below it."""
    panel.set_xlim(0, 1)
    panel.set_ylim(1, 0)
    shares = view.totals.frequencies
    colours = look.action_colours(view.actions)
    if not all(map(math.isfinite, shares.values())):
        return
    left, places = 0.0, np.linspace(0, 1, len(shares) + 1)
    for (action, share), colour, place in zip(shares.items(), colours, places[:-1], strict=True):
        _fill(panel, left, 0.08, share, 0.36, colour)
        left += share
        _fill(panel, place + 0.002, 0.62, 0.022, 0.3, colour)
        panel.text(
            place + 0.032, 0.78, f"{action}  {look.percent(share)}",
            va="center", fontsize=13 if len(shares) < 5 else 10.5, weight="bold", color=INK,
            parse_math=False,
        )  # fmt: skip


def _heats(panel: Axes, view: NodeView, found: look.Heat) -> None:
    for k, (text, colour) in enumerate(zip(found.texts, found.colours, strict=True)):
        _box(panel, k, colour)
        _name(panel, k, bool(text))
        _number(panel, k, text, size=11)


def _scale(panel: Axes, view: NodeView, found: look.Heat, which: str | int) -> None:
    panel.set_xlim(0, 1)
    panel.set_ylim(1, 0)
    steps = 200
    for k in range(steps):
        _fill(panel, k / steps, 0.08, 1.2 / steps, 0.36, look.on_ramp(found.ramp, k / (steps - 1)))
    name = found.name
    if which == "ev":
        name += f" (all hands: {look.chips(view.totals.ev)})"
    elif which == "equity":
        name += f" (all hands: {look.percent(view.totals.equity)})"
    elif isinstance(which, int):
        name += f" (all hands: {look.percent(view.totals.frequencies[view.actions[which]])})"
    low, high = found.scale
    for x, text, place in ((0, low, "left"), (0.5, name, "center"), (1, high, "right")):
        panel.text(x, 0.78, text, ha=place, va="center", fontsize=12.5, color=INK, parse_math=False)
