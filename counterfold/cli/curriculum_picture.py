"""The picture of a curriculum: win rates against the bots, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counterfold.abstraction.curriculum import Stage
from counterfold.play.winning import WinRate
from counterfold.plot import COLOURS, figure, save


def draw(stages: Sequence[Stage], rates: Mapping[int, Sequence[WinRate]], path: str) -> None:
    """Draw each bot's line with 95% intervals."""
    made, (panel,) = figure(1, 1, size=(8, 5))
    numbers = [stage.number for stage in stages if rates[stage.number]]
    for place, first in enumerate(rates[numbers[0]] if numbers else ()):
        found = [rates[number][place] for number in numbers]
        shares = [rate.share for rate in found]
        below = [rate.share - rate.low for rate in found]
        above = [rate.high - rate.share for rate in found]
        panel.errorbar(
            numbers, shares, yerr=[below, above], color=COLOURS[place], marker="o", capsize=4,
            linewidth=1.8, label=f"against {first.against} ({first.hands:,} games each)",
        )  # fmt: skip
    panel.axhline(0.5, color="#777777", linewidth=0.8, zorder=1)
    panel.set_xticks(numbers, [f"{number}" for number in numbers])
    panel.set_xlabel("stage", size=11)
    panel.set_ylabel("share of games won", size=11)
    panel.set_ylim(0, 1)
    panel.set_title(f"to {stages[-1].game}", fontsize=12)
    panel.legend(fontsize=10, frameon=False, loc="lower right")
    save(made, path)
