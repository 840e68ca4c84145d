"""Pictures of safe exploitation search in Flop Hold'em: figures 3 and 4."""

from __future__ import annotations

from typing import Any

from counterfold.experiments.ses_fhp_found import FhpSweep

__all__ = ["draw_figure_3_fhp", "draw_figure_4"]

TICKS = (-1000, -100, -10, 0, 10, 100, 1000)


def draw_figure_3_fhp(found: FhpSweep) -> Any:
    """Payoffs above, exploitabilities below; a column for each kind of opponent."""
    from counterfold.plot import COLOURS

    made, panels, columns = _panels(found)
    for column, share in enumerate(found.shares):
        for error, colour in zip(found.errors, COLOURS, strict=False):
            for row, name in enumerate(("payoff", "exploitability")):
                panel = panels[row * columns + column]
                panel.plot(
                    found.alphas, found.curve(share, error, name), color=colour, linewidth=1.8,
                    marker="o", markersize=3, label=f"SES, error {error:g}",
                )  # fmt: skip
            if not found.exact:
                panels[columns + column].plot(
                    found.alphas, found.curve(share, error, "at_least"), color=colour,
                    linewidth=1.0, linestyle=":",
                )  # fmt: skip
        panels[columns + column].set_xlabel("alpha")
    return _titled(made, panels, columns, f"Safe exploitation search in {found.game}")


def draw_figure_4(found: FhpSweep) -> Any:
    """SES and restricted Nash responses: payoffs above, exploitabilities below."""
    from counterfold.plot import COLOURS

    made, panels, columns = _panels(found)
    for column, share in enumerate(found.shares):
        for row, name in enumerate(("payoff", "exploitability")):
            panel = panels[row * columns + column]
            curve = found.curve(share, found.errors[0], name)
            panel.plot(
                found.alphas, curve, color=COLOURS[0], linewidth=1.8, marker="o", markersize=3,
                label="SES",
            )  # fmt: skip
            for budget, colour in zip(found.budgets, COLOURS[1:], strict=False):
                panel.plot(
                    found.ps, found.response_curve(share, budget, name), color=colour,
                    linewidth=1.8, marker="s", markersize=3, label=f"RNR ({budget})",
                )  # fmt: skip
            panel.set_yscale("symlog", linthresh=10)
            panel.set_yticks(TICKS, [f"{tick:,}" for tick in TICKS])
            low, high = panel.dataLim.intervaly
            panel.set_ylim(1.3 * low if low < 0 else -3, 1.5 * high)
        panels[columns + column].set_xlabel("alpha of SES, p of RNR")
    title = f"SES against restricted Nash responses in {found.game}"
    return _titled(made, panels, columns, title)


def _panels(found: FhpSweep) -> tuple[Any, Any, int]:
    from counterfold.plot import COLOURS, figure

    columns = len(found.shares)
    made, panels = figure(2, columns, size=(max(4.4 * columns, 7.5), 7.5), sharex=True)
    for column, share in enumerate(found.shares):
        above, below = panels[column], panels[columns + column]
        above.axhline(found.blueprint(share), color=COLOURS[6], linewidth=1.5)
        below.axhline(found.exploitability, color=COLOURS[6], linewidth=1.5, label="blueprint")
        kind = f"shuffled: {share:g}" if share else "another blueprint"
        above.set_title(kind, fontsize=11)
    return made, panels, columns


def _titled(made: Any, panels: Any, columns: int, title: str) -> Any:
    panels[0].set_ylabel("payoff, mbb a hand")
    panels[columns].set_ylabel("exploitability, mbb a hand")
    handles, labels = panels[columns].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside right center", frameon=False)
    made.suptitle(title, fontsize=13)
    return made
