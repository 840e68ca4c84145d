"""The picture of Flop Hold'em solved exactly: how fast exploitability falls."""

from __future__ import annotations

from typing import Any

from counterfold.research.fhp.exact import DEEP_CFR, PUBLISHED, FhpRun

__all__ = ["draw_fhp"]


def draw_fhp(result: FhpRun) -> Any:
    """Exploitability by iterations, with the points that were published."""
    from counterfold.plot import COLOURS, figure

    made, (panel,) = figure(1, 1, size=(8, 5.5))
    for method, points, colour in (
        (result.method, result.points, COLOURS[0]),
        ("linear", result.linear, COLOURS[1]),
    ):
        if points:
            across, heights = [p.iteration for p in points], [p.total for p in points]
            panel.plot(across, heights, color=colour, linewidth=1.8, marker=".", label=method)
    if result.whole:
        panel.plot(
            list(PUBLISHED), list(PUBLISHED.values()), "x", color=COLOURS[6], markersize=9,
            markeredgewidth=2, label="linear, published",
        )  # fmt: skip
        panel.axhline(DEEP_CFR, color="#888888", linewidth=1.2, linestyle="--")
        panel.annotate(
            f"Deep CFR, published: {DEEP_CFR:g}", (result.points[0].iteration, DEEP_CFR),
            xytext=(4, 4), textcoords="offset points", fontsize=9, color="#555555",
        )  # fmt: skip
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel("iterations")
    panel.set_ylabel("exploitability, both players' gains together, mbb/h")
    panel.legend(frameon=False)
    made.suptitle(
        f"Flop Hold'em without abstraction: {result.last.total:.3g} mbb/h after "
        f"{result.last.iteration:,} iterations",
        fontsize=13,
    )
    return made
