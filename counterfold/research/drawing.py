"""What the pictures of research share: lines with bands, bars in groups, titles and legends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from counterfold.plot import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MANY_COLOURS = (*COLOURS, "#999999")


def line(
    panel: Axes,
    across: Sequence[float],
    heights: ArrayLike,
    label: str | None = None,
    colour: int | str = 0,
    band: tuple[ArrayLike, ArrayLike] | None = None,
    **look: Any,
) -> None:
    """A curve in one of our colours, and the band around it."""
    colour = COLOURS[colour % len(COLOURS)] if isinstance(colour, int) else colour
    if band is not None:
        panel.fill_between(across, *band, color=colour, alpha=0.15, linewidth=0)
    panel.plot(across, np.asarray(heights), color=colour, label=label, **{"linewidth": 1.8} | look)


def bars(
    panel: Axes,
    groups: Sequence[str],
    series: Mapping[str, Sequence[float | None]],
    unit: str,
) -> None:
    """A group of bars by each name, one of each series in it, on a logarithmic axis."""
    width = 0.8 / len(series)
    for n, (label, heights) in enumerate(series.items()):
        places = [k + (n + 0.5) * width - 0.4 for k in range(len(groups))]
        known = [float("nan") if height is None else height for height in heights]
        colour = MANY_COLOURS[n % len(MANY_COLOURS)]
        panel.bar(places, known, 0.95 * width, label=label, color=colour)
    panel.set_yscale("log")
    panel.set_xticks(range(len(groups)), groups, rotation=20, ha="right", fontsize=8)
    panel.set_ylabel(unit)
    panel.legend(frameon=False, ncols=2, fontsize=8)


def finished(made: Figure, title: str, legend: Axes | None = None) -> Figure:
    """The picture with its title and, beside it, the legend of one of its panels."""
    if legend is not None:
        handles, labels = legend.get_legend_handles_labels()
        made.legend(handles, labels, loc="outside right center", frameon=False)
    made.suptitle(title, fontsize=13)
    return made
