"""Pictures of safe exploitation search's figures 2 and 3."""

from __future__ import annotations

from typing import Any

from counterfold.experiments.ses_matrix import MatrixFigure
from counterfold.experiments.ses_sweep import Sweep

__all__ = ["draw_figure_2", "draw_figure_3"]


def draw_figure_2(found: MatrixFigure) -> Any:
    """Payoff and exploitability of SES and of mixing by alpha."""
    from counterfold.plot import COLOURS, figure

    made, (left, right) = figure(1, 2, size=(11, 4.5))
    across = [point.alpha for point in found.points]
    for panel, names, title in (
        (left, ("payoff", "mixing_payoff"), "payoff against R"),
        (right, ("exploitability", "mixing_exploitability"), "exploitability"),
    ):
        for name, label, colour in zip(names, ("SES", "mixing"), COLOURS, strict=False):
            heights = [getattr(point, name) for point in found.points]
            panel.plot(across, heights, color=colour, linewidth=1.8, label=label)
        panel.axvline(found.turn, color="#888888", linewidth=0.8, linestyle=":")
        panel.set_xlabel("alpha")
        panel.set_title(title, fontsize=11)
        panel.set_xlim(-0.02, 1.02)
    left.legend(frameon=False)
    made.suptitle(
        f"The matrix game: SES turns to F at alpha {found.turn:.5f} (dotted)", fontsize=13
    )
    return made


def draw_figure_3(found: Sweep) -> Any:
    """Payoffs above, exploitabilities below; a column for each kind of opponent."""
    from counterfold.plot import COLOURS, figure

    columns = len(found.shares)
    made, panels = figure(2, columns, size=(4.4 * columns, 7.5), sharex=True)
    for column, share in enumerate(found.shares):
        above, below = panels[column], panels[columns + column]
        above.axhline(1000 * found.blueprint(share), color=COLOURS[6], linewidth=1.5)
        below.axhline(
            1000 * found.exploitability, color=COLOURS[6], linewidth=1.5, label="blueprint"
        )
        for error, colour in zip(found.errors, COLOURS, strict=False):
            for panel, name in ((above, "payoff"), (below, "exploitability")):
                heights = [1000 * y for y in found.curve(share, error, name)]
                panel.plot(
                    found.alphas, heights, color=colour, linewidth=1.8, marker="o", markersize=3,
                    label=f"SES, error {error:g}",
                )  # fmt: skip
        above.set_title(f"shuffled: {share:g}", fontsize=11)
        below.set_xlabel("alpha")
    panels[0].set_ylabel("payoff, thousandths of a chip a hand")
    panels[columns].set_ylabel("exploitability, the same unit")
    handles, labels = panels[columns].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside right center", frameon=False)
    made.suptitle(f"Safe exploitation search in {found.game}, exact values", fontsize=13)
    return made
