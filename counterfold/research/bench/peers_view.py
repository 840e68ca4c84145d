"""The peers' figures as people read them: a table with ratios, and bars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from counterfold.errors import ParameterError
from counterfold.research.bench.peers import TARGETS, Measurement, Report
from counterfold.research.bench.solvers import GAMES, OURS, PEERS

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["plot", "table", "to_json"]


def table(report: Report) -> Table:
    """The report as a table; ratios say how many times our figure the other's is.

    >>> table(Report((Measurement("jax", "cfr+", "kuhn", note="not installed"),), 1.0)).row_count
    1
    """
    from rich.table import Table

    made = Table(title="CPU time of one thread, and how many times ours it is")
    made.add_column("game")
    made.add_column("solver")
    for name in ("iteration", *(f"to {t:g}" for t in TARGETS), "build", "memory"):
        made.add_column(name, justify="right")
    for game in report.games():
        title = GAMES[game].title if game in GAMES else game
        for number, peer in enumerate(report.peers(game)):
            cells = _cells(report, game, peer)
            last = number == len(report.peers(game)) - 1
            made.add_row(title if number == 0 else "", PEERS[peer].title, *cells, end_section=last)
    return made


def _cells(report: Report, game: str, peer: str) -> list[str]:
    plain = report.plain(game, peer)
    if plain.note:
        return [plain.note]
    compared = peer != OURS and OURS in report.peers(game)
    ours = report.plain(game, OURS) if compared else Measurement(OURS, "", game)
    cells = [_told(_time, plain.iteration_seconds, ours.iteration_seconds)]
    for target in TARGETS:
        best = report.fastest(game, peer, target)
        if not best.reached:
            after = plain.exploitability is not None and target == TARGETS[0]
            told = f"{plain.exploitability:.2g} after\n{plain.iterations:,} its" if after else ""
            cells.append(told)
            continue
        seconds = best.reach(target).seconds
        mine = report.fastest(game, OURS, target).reach(target).seconds if compared else None
        if seconds is not None:
            cells.append(f"{_told(_time, seconds, mine)}\n{best.method}")
        else:
            ratio = f" (> {_ratio(best.budget / mine)})" if mine else ""
            cells.append(f"> {best.budget:g} s{ratio}")
    cells.append(_told(_time, plain.build_seconds, ours.build_seconds))
    cells.append(_told(_size, plain.memory_bytes, ours.memory_bytes))
    return cells


def _told(show: Callable[[float], str], value: float | None, ours: float | None) -> str:
    if value is None:
        return ""
    return show(value) + (f" ({_ratio(value / ours)})" if ours else "")


def _ratio(times: float) -> str:
    """How often, in two digits or all before the point.

    >>> _ratio(0.0035), _ratio(1.5), _ratio(12.34), _ratio(1234)
    ('0.0035x', '1.5x', '12x', '1,234x')
    """
    return f"{times:.2g}x" if times < 10 else f"{times:,.0f}x"


def _time(seconds: float) -> str:
    """Seconds in the unit that reads best.

    >>> _time(0.0000185), _time(0.0169), _time(2.5)
    ('18.5 us', '16.9 ms', '2.5 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _size(size: float) -> str:
    """Bytes as megabytes.

    >>> _size(3_500_000), _size(1_040_000_000)
    ('3.5 MB', '1,040 MB')
    """
    return f"{size / 1e6:.2g} MB" if size < 10e6 else f"{size / 1e6:,.0f} MB"


def plot(report: Report) -> Any:
    """A picture of the report: bars by game and solver, on logarithmic axes.

    >>> plot(Report((), 60.0))
    Traceback (most recent call last):
    counterfold.errors.ParameterError: there is nothing to plot: no solver has run
    """
    from counterfold.plot import figure

    if not any(not m.note for m in report.measurements):
        raise ParameterError("there is nothing to plot: no solver has run")
    full = [g for g in report.games() if g not in GAMES or GAMES[g].traversal == "full"]
    made, axes = figure(2, 2, size=(15, 9))
    last = TARGETS[-1]
    panels: list[tuple[str, str, list[str], Callable[[str, str], float | None]]] = [
        (
            "CPU time per iteration (CFR+, or one external-sampling pass)",
            "microseconds",
            report.games(),
            lambda g, p: _times(report.plain(g, p).iteration_seconds, 1e6),
        ),
        (
            f"CPU time to exploitability {last:g}, best method of each",
            "seconds",
            full,
            lambda g, p: report.fastest(g, p, last).reach(last).seconds,
        ),
        (
            "CPU time to build the tree, compilation included",
            "seconds",
            full,
            lambda g, p: report.plain(g, p).build_seconds,
        ),
        (
            "peak memory above that of a warmed-up process",
            "megabytes",
            full,
            lambda g, p: _times(report.plain(g, p).memory_bytes, 1e-6),
        ),
    ]
    for number, (axis, panel) in enumerate(zip(axes, panels, strict=True)):
        _bars(axis, report, *panel, budget=report.budget if number == 1 else None)
    handles, labels = axes[0].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return made


_COLOURS = {OURS: "#0b6e4f", "openspiel": "#d1603d", "jax": "#7d70ba", "liteefg": "#e0a526"}


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _bars(
    axis: Any,
    report: Report,
    title: str,
    unit: str,
    games: Sequence[str],
    value: Callable[[str, str], float | None],
    budget: float | None,
) -> None:
    """One panel; with a budget, what was not reached is an open bar as high as the budget."""
    peers = [p for p in PEERS if any(m.peer == p and not m.note for m in report.measurements)]
    width = 0.8 / len(peers)
    axis.set_yscale("log")
    for number, peer in enumerate(peers):
        places = [i + (number - (len(peers) - 1) / 2) * width for i in range(len(games))]
        ran = [peer in report.peers(g) and not report.plain(g, peer).note for g in games]
        heights = [value(g, peer) if there else None for g, there in zip(games, ran, strict=True)]
        colour, name = _COLOURS[peer], PEERS[peer].title
        known = [(x, h) for x, h in zip(places, heights, strict=True) if h]
        axis.bar([x for x, _ in known], [h for _, h in known], width, color=colour, label=name)
        for x, there, height in zip(places, ran, heights, strict=True):
            if budget and there and height is None:
                axis.bar([x], [budget], width, fill=False, edgecolor=colour, hatch="///")
                axis.text(x, budget * 1.15, ">", ha="center", fontsize=8, color=colour)
            elif not there:
                axis.text(x, 0.01, "-", transform=axis.get_xaxis_transform(), ha="center")
    axis.set_title(title, fontsize=10, loc="left")
    axis.set_ylabel(unit)
    axis.set_xticks(range(len(games)))
    names = [GAMES[g].title if g in GAMES else g for g in games]
    axis.set_xticklabels([n.replace(", ", ",\n") for n in names], fontsize=7.5)
    axis.grid(False, axis="x")


def to_json(report: Report) -> dict[str, Any]:
    """All figures."""
    return report.to_dict()
