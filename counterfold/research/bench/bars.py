"""Bars side by side: how most benchmarks are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterfold.plot import COLOURS

__all__ = ["bars"]


def bars(
    panel: Any,
    groups: Sequence[str],
    series: Mapping[str, Sequence[float | None] | Sequence[float]],
    unit: str,
) -> None:
    """A group of bars by each name, one of each series in it, on a logarithmic axis."""
    width = 0.8 / len(series)
    colours = (*COLOURS, "#999999")
    for n, (label, heights) in enumerate(series.items()):
        places = [k + (n + 0.5) * width - 0.4 for k in range(len(groups))]
        known = [float("nan") if height is None else height for height in heights]
        panel.bar(places, known, 0.95 * width, label=label, color=colours[n % len(colours)])
    panel.set_yscale("log")
    panel.set_xticks(range(len(groups)), groups, rotation=20, ha="right", fontsize=8)
    panel.set_ylabel(unit)
    panel.legend(frameon=False, ncols=2, fontsize=8)
