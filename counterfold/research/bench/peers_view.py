"""The peers' figures as people read them: a table with ratios, and bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from counterfold.errors import ParameterError
from counterfold.plot import figure
from counterfold.research.bench.bars import bars
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
    """A picture of the report: bars by game and solver; what was not reached has none.

    >>> plot(Report((), 60.0))
    Traceback (most recent call last):
    counterfold.errors.ParameterError: there is nothing to plot: no solver has run
    """
    ran = [m for m in report.measurements if not m.note]
    if not ran:
        raise ParameterError("there is nothing to plot: no solver has run")
    full = [g for g in report.games() if g not in GAMES or GAMES[g].traversal == "full"]
    last = TARGETS[-1]
    made, panels = figure(2, 2, size=(15, 9))
    shown: list[tuple[str, list[str], Callable[[str, str], float | None]]] = [
        ("seconds an iteration", report.games(), lambda g, p: report.plain(g, p).iteration_seconds),
        (f"seconds to {last:g}", full, lambda g, p: report.fastest(g, p, last).reach(last).seconds),
        ("seconds to build the tree", full, lambda g, p: report.plain(g, p).build_seconds),
        ("bytes above a warmed-up process", full, lambda g, p: report.plain(g, p).memory_bytes),
    ]
    for panel, (unit, games, value) in zip(panels, shown, strict=True):
        series = {
            PEERS[peer].title: [value(g, peer) if peer in report.peers(g) else None for g in games]
            for peer in dict.fromkeys(m.peer for m in ran)
        }
        bars(panel, [GAMES[g].title if g in GAMES else g for g in games], series, unit)
    return made


def to_json(report: Report) -> dict[str, Any]:
    """All figures."""
    return report.to_dict()
