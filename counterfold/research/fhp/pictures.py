"""The picture of Flop Hold'em solved exactly: how fast exploitability falls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfold.plot import COLOURS, figure
from counterfold.research.drawing import finished, line
from counterfold.research.fhp.exact import DEEP_CFR, PUBLISHED, FhpRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_fhp(result: FhpRun) -> Figure:
    """Exploitability by iterations, with the points that were published."""
    made, (panel,) = figure(1, 1, size=(8, 5.5))
    curves = {result.method: result.curve, "linear": result.linear}
    for colour, (method, points) in enumerate(curves.items()):
        if points:
            across, heights = [p.iteration for p in points], [p.total for p in points]
            line(panel, across, heights, method, colour, marker=".")
    if result.whole:
        line(
            panel, list(PUBLISHED), list(PUBLISHED.values()), "linear, published", COLOURS[6],
            marker="x", linestyle="", markersize=9, markeredgewidth=2,
        )  # fmt: skip
        panel.axhline(DEEP_CFR, color="#888888", linewidth=1.2, linestyle="--")
        panel.annotate(
            f"Deep CFR, published: {DEEP_CFR:g}", (result.curve[0].iteration, DEEP_CFR),
            xytext=(4, 4), textcoords="offset points", fontsize=9, color="#555555",
        )  # fmt: skip
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel("iterations")
    panel.set_ylabel("exploitability, both players' gains together, mbb/h")
    panel.legend(frameon=False)
    total, iterations = result.last.total, result.last.iteration
    title = f"Flop Hold'em without abstraction: {total:.3g} mbb/h after {iterations:,} iterations"
    return finished(made, title)
