"""The picture of a depth limit: exploitability by continuations and by gadgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfold.plot import figure
from counterfold.research.depth_limited.depth import DepthTable
from counterfold.research.drawing import bars, finished

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_depth(result: DepthTable) -> Figure:
    """Exploitability of whole strategies by the number of continuations, blueprint by blueprint."""
    blueprints = list(dict.fromkeys(row.blueprint for row in result.rows))
    made, panels = figure(1, len(blueprints), size=(5.5 * len(blueprints), 4.8))
    for panel, name in zip(panels, blueprints, strict=True):
        rows = [row for row in result.rows if row.blueprint == name]
        groups = [f"{row.continuations} ({row.names[-1]})" for row in rows]
        series: dict[str, list[float | None]] = {
            "blueprint": [row.exploitable for row in rows],
            "trunk, no search": [row.apart for row in rows],
        }
        for gadget in rows[0].searched:
            series[f"searched, {gadget}"] = [row.searched.get(gadget) for row in rows]
        bars(panel, groups, series, "exploitability, chips")
        panel.set_title(f"blueprint: {name}", fontsize=10)
    return finished(made, f"{result.rows[0].game}: a trunk by its number of continuations")
