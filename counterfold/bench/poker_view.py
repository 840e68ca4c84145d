"""The figures of hold'em spots as a table, a picture and JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from counterfold.bench.poker import Cost
from counterfold.bench.spots import PEERS

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["plot", "table", "to_json"]


def _slashed(values: Sequence[float | int | None], form: str = "{:,}") -> str:
    return " / ".join("-" if value is None else form.format(value) for value in values)


def _mega(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:,.1f}"


def table(costs: Sequence[Cost]) -> Table:
    """A row for each spot and kind of table, and one for the fastest other solver of its kind."""
    from rich.table import Table

    method = costs[0].method if costs else ""
    out = Table(title=f"Hold'em spots with {method}: 1 thread in CPU time, 2 by the clock")
    for heading in (
        "spot", "bits", "build s", "ms an iteration", "2 threads", "GB/s", "of triad", "tables MB",
        "resident MB", "iterations to 1 / 0.5 / 0.1%", "seconds", "2 threads", "of the fastest",
    ):  # fmt: skip
        out.add_column(heading, justify="left" if heading == "spot" else "right")
    for cost in costs:
        count = [reached.iterations for reached in cost.reached]
        out.add_row(
            cost.spot,
            str(cost.bits),
            f"{cost.build_seconds:.2f}",
            f"{1e3 * cost.one_thread:,.3g}",
            f"{1e3 * cost.two_threads:,.3g}",
            f"{cost.bandwidth / 1e9:.1f}",
            f"{cost.share:.0%}",
            _mega(cost.table_bytes),
            _mega(cost.resident_bytes),
            _slashed(count),
            _slashed([reached.seconds for reached in cost.reached], "{:.3g}"),
            _slashed([n and n * cost.two_threads for n in count], "{:.3g}"),
            "-" if cost.ratio is None else f"{cost.ratio:.2f}",
        )
        peer = cost.fastest
        if peer is not None:
            count = list(peer.iterations)
            two = peer.two_threads
            out.add_row(
                f"  {peer.name}",
                str(peer.bits),
                "",
                f"{1e3 * peer.one_thread:,.3g}",
                "" if two is None else f"{1e3 * two:,.3g}",
                "",
                "",
                "" if peer.megabytes is None else f"{peer.megabytes:g}",
                "",
                _slashed(count),
                _slashed([n and n * peer.one_thread for n in count], "{:.3g}"),
                "" if two is None else _slashed([n and n * two for n in count], "{:.3g}"),
                "",
                style="dim",
            )
    out.caption = (
        "Checks of the exploitability count for nobody. Others were measured once on two shared "
        "cores of the same kind, give or take a fifth."
    )
    return out


def plot(costs: Sequence[Cost]) -> Any:
    """Bars of the time to 0.1% of the pot, ours beside the others', a panel a spot."""
    from counterfold.plot import COLOURS, figure

    spots = list(dict.fromkeys(cost.spot for cost in costs))
    made, panels = figure(1, len(spots), size=(4.2 * len(spots) + 1, 3.6))
    for panel, name in zip(panels, spots, strict=True):
        bars = [
            (f"Counterfold, {cost.bits} bits", cost.reached[-1].seconds, COLOURS[0])
            for cost in costs
            if cost.spot == name
        ]
        bars += [
            (f"{p.name}, {p.bits} bits", p.seconds, "#999999") for p in PEERS if p.spot == name
        ]
        known = [bar for bar in bars if bar[1] is not None]
        panel.barh(
            [bar[0] for bar in known],
            [bar[1] for bar in known],
            color=[bar[2] for bar in known],
        )
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
