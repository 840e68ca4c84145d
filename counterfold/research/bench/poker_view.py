"""The figures of hold'em spots as a table, a picture and JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from counterfold.plot import COLOURS, figure
from counterfold.research.bench.poker import Cost
from counterfold.research.bench.spots import PEERS, Peer

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["plot", "table", "to_json"]


def _slashed(values: Iterable[float | None], form: str = "{:,}") -> str:
    return " / ".join("-" if value is None else form.format(value) for value in values)


def _each(counts: Sequence[int | None], seconds: float | None) -> str:
    """Seconds to each target, for so many iterations of so many seconds."""
    if seconds is None:
        return ""
    return _slashed((count and count * seconds for count in counts), "{:.3g}")


def _milli(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:,.3g}"


def _mega(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:,.1f}"


def _ours(cost: Cost) -> list[str]:
    counts = [reached.iterations for reached in cost.reached]
    return [
        cost.spot, str(cost.bits), f"{cost.build_seconds:.2f}", _milli(cost.one_thread),
        _milli(cost.two_threads), f"{cost.bandwidth / 1e9:.1f}", f"{cost.share:.0%}",
        _mega(cost.table_bytes), _mega(cost.resident_bytes), _slashed(counts),
        _slashed((reached.seconds for reached in cost.reached), "{:.3g}"),
        _each(counts, cost.two_threads), "-" if cost.ratio is None else f"{cost.ratio:.2f}",
    ]  # fmt: skip


def _theirs(peer: Peer) -> list[str]:
    return [
        f"  {peer.name}", str(peer.bits), "", _milli(peer.one_thread), _milli(peer.two_threads),
        "", "", "" if peer.megabytes is None else f"{peer.megabytes:g}", "",
        _slashed(peer.iterations), _each(peer.iterations, peer.one_thread),
        _each(peer.iterations, peer.two_threads), "",
    ]  # fmt: skip


def table(costs: Sequence[Cost]) -> Table:
    """A row for each spot and kind of table, and one for the fastest other solver of its kind."""
    from rich.table import Table

    method = costs[0].method if costs else ""
    made = Table(title=f"Hold'em spots with {method}: 1 thread in CPU time, 2 by the clock")
    for heading in (
        "spot", "bits", "build s", "ms an iteration", "2 threads", "GB/s", "of triad", "tables MB",
        "resident MB", "iterations to 1 / 0.5 / 0.1%", "seconds", "2 threads", "of the fastest",
    ):  # fmt: skip
        made.add_column(heading, justify="left" if heading == "spot" else "right")
    for cost in costs:
        made.add_row(*_ours(cost))
        if cost.fastest is not None:
            made.add_row(*_theirs(cost.fastest), style="dim")
    made.caption = (
        "Checks of the exploitability count for nobody. Others were measured once on two shared "
        "cores of the same kind, give or take a fifth."
    )
    return made


def plot(costs: Sequence[Cost]) -> Any:
    """Bars of the time to 0.1% of the pot, ours beside the others', a panel a spot."""
    spots = list(dict.fromkeys(cost.spot for cost in costs))
    made, panels = figure(1, len(spots), size=(4.2 * len(spots) + 1, 3.6))
    for panel, name in zip(panels, spots, strict=True):
        own = {
            f"Counterfold, {c.bits} bits": c.reached[-1].seconds for c in costs if c.spot == name
        }
        others = {f"{p.name}, {p.bits} bits": p.seconds for p in PEERS if p.spot == name}
        for some, colour in ((own, COLOURS[0]), (others, "#999999")):
            known = {label: seconds for label, seconds in some.items() if seconds is not None}
            panel.barh(list(known), list(known.values()), color=colour)
        panel.invert_yaxis()
        panel.set_title(name, fontsize=11)
        panel.set_xlabel("seconds to 0.1% of the pot, one thread")
        panel.tick_params(axis="y", labelsize=7)
    return made


def to_json(costs: Sequence[Cost]) -> dict[str, Any]:
    """All figures, and how busy the machine was at the end of them."""
    derived = ("bandwidth", "share", "ratio")
    return {
        "what": "poker",
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "costs": [asdict(c) | {name: getattr(c, name) for name in derived} for c in costs],
        "peers": [asdict(p) | {"seconds": p.seconds} for p in PEERS],
    }
