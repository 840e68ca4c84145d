"""The picture of ``counterfold style``: bars by action, heat maps by hand, the frontier."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from counterfold.cli.output import tiny
from counterfold.cli.style_tables import MOST_ACTIONS, in_words
from counterfold.plot import COLOURS, figure, save
from counterfold.solvers.result import Result
from counterfold.style.openings import Openings, openings
from counterfold.style.price import Price
from counterfold.style.standing import Standings

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(plain: Result, price: Price | None, standings: Standings | None, path: str) -> None:
    if price is None:
        assert standings is not None
        made, (panel,) = figure(1, 1, size=(7.5, 5))
        _draw_standings(panel, standings)
        made.suptitle(plain.game, fontsize=14)
        save(made, path)
        return
    players = len(price.players)
    maps = [openings(price.plain.strategy, price.styled.strategy, p) for p in range(players)]
    shown = [m for m in maps if m is not None and len(m.columns) <= 2 * MOST_ACTIONS]
    rows = 1 + (2 if shown else 0) + (1 if standings is not None else 0)
    tallest = max((len(m.hands) for m in shown), default=0)
    heights = [3.2] + ([max(1.9, min(0.32 * tallest + 1.1, 6.0))] * 2 if shown else [])
    heights += [4.0] if standings is not None else []
    size = (max(5.2 * players, 7.5), sum(heights))
    made, panels = figure(rows, players, size, height_ratios=heights)
    for player in range(players):
        _draw_bars(panels[player], price, player, legend=player == 0)
        chart = maps[player] if shown and maps[player] in shown else None
        for row in (1, 2) if shown else ():
            panel = panels[row * players + player]
            if chart is None:
                panel.set_axis_off()
            else:
                _draw_heat(panel, chart, styled=row == 2)
    if standings is not None:
        grid = panels[-1].get_gridspec()
        assert grid is not None
        for panel in panels[-players:]:
            panel.remove()
        wide = made.add_subplot(grid[rows - 1, :])
        wide.grid(True, color="#dddddd", linewidth=0.8)
        wide.spines[["top", "right"]].set_visible(False)
        _draw_standings(wide, standings)
    made.suptitle(
        f"{price.styled.game}, {in_words(price.style)}\nexploitability "
        f"{tiny(price.plain.exploitability)} plain, {tiny(price.styled.exploitability)} styled",
        fontsize=13,
    )
    save(made, path)


def _draw_bars(panel: Axes, price: Price, player: int, *, legend: bool) -> None:
    shares = [s for s in price.by_round or price.by_player if s.player == player]
    several = len({share.round for share in shares}) > 1
    places = []
    at, last = 0.0, shares[0].round if shares else None
    for share in shares:
        at += 1.0 if share.round == last else 1.7
        last = share.round
        places.append(at)
    for offset, name, colour in ((-0.2, "plain", COLOURS[0]), (0.2, "styled", COLOURS[1])):
        heights = [getattr(share, name) or 0.0 for share in shares]
        panel.bar([x + offset for x in places], heights, 0.4, color=colour, label=name)
    panel.set_xticks(places, [s.action for s in shares], rotation=30 if len(shares) > 6 else 0)
    panel.grid(False, axis="x")
    panel.set_ylim(0, 1)
    panel.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}%")
    if several:
        panel.set_ylim(0, 1.12)
        panel.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
        for number in dict.fromkeys(share.round for share in shares):
            own = [x for x, share in zip(places, shares, strict=True) if share.round == number]
            middle = sum(own) / len(own)
            panel.text(middle, 1.1, f"round {number}", ha="center", va="top", color="#555555")
    panel.set_title(f"player {player + 1}: how often, where it can", fontsize=11)
    if legend and several:
        panel.legend(frameon=False, fontsize=9, loc="upper right", bbox_to_anchor=(1, 0.93))
    elif legend:
        panel.legend(frameon=False, fontsize=9)


def _draw_heat(panel: Axes, chart: Openings, *, styled: bool) -> None:
    cells = chart.styled if styled else chart.plain
    panel.grid(False)
    panel.imshow(cells, aspect="auto", cmap="Blues", vmin=0, vmax=1, origin="lower")
    panel.set_yticks(range(len(chart.hands)), chart.hands)
    few = len(chart.columns) <= 6
    gap = " " if few else "\n"
    panel.set_xticks(
        range(len(chart.columns)),
        [
            f"{action}\nafter{gap}{said.replace(' ', gap)}" if said else action
            for said, action in chart.columns
        ],
        fontsize=9 if few else 8,
    )
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    if cells.size <= 150:
        for row, numbers in enumerate(cells.tolist()):
            for column, number in enumerate(numbers):
                if not math.isnan(number):
                    ink = "white" if number > 0.55 else "black"
                    text = f"{100 * number:.0f}%"
                    panel.text(column, row, text, ha="center", va="center", color=ink, fontsize=9)
    name = "styled" if styled else "plain"
    panel.set_title(f"player {chart.player + 1}'s first decision by hand, {name}", fontsize=11)


def _draw_standings(panel: Axes, standings: Standings) -> None:
    frontier = standings.frontier
    points = (standings.curve or frontier).points
    across = [point.epsilon for point in points]
    low, high = [point.low for point in points], [point.high for point in points]
    panel.fill_between(across, low, high, color=COLOURS[4], alpha=0.25, linewidth=0)
    panel.plot(across, high, color=COLOURS[4], linewidth=1.8, label="highest and lowest")
    panel.plot(across, low, color=COLOURS[4], linewidth=1.8)
    epsilons = [point.epsilon for point in frontier.points]
    for side in ("low", "high"):
        heights = [getattr(point, side) for point in frontier.points]
        panel.plot(epsilons, heights, "o", color=COLOURS[4], markersize=4)
    for number, (one, mark) in enumerate(zip(standings.strategies, "sD", strict=False)):
        words = f"{one.name}: {one.frequency:.3f} for {tiny(one.cost)}"
        panel.plot(
            [one.cost], [one.frequency], mark, color=COLOURS[number], markersize=8,
            label=words, clip_on=False, zorder=5,
        )  # fmt: skip
    panel.set_xlim(left=0)
    panel.set_ylim(-0.02, 1.02)
    panel.set_xlabel("what the strategy may guarantee less than the game's value")
    panel.set_ylabel(str(frontier.frequency))
    panel.set_title("what can be had, exactly", fontsize=11)
    panel.legend(frameon=False, fontsize=9)
