"""``counterfold repro depth-limited``: what a depth limit costs, by continuations and gadgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from counterfold.cli.options import option
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.reproduction import Iterations, Job, Seeded, verb_of

if TYPE_CHECKING:
    from counterfold.research.depth_limited.depth import DepthTable

KEYS = """\b
Keys of --json: paper, seed, cpu_seconds, plot, rows: game, blueprint, exploitable (the
blueprint itself), continuations, names, gap, below (both choose), apart (the opponent
chooses), searched (every subgame of the latter searched again: unsafe, resolving,
maxmargin).
"""


@dataclass(frozen=True)
class DepthLimitedRequest(Seeded):
    """Depth-limited solving: 1, 2, 4 and 8 continuations, with gadgets and without.

    All figures are exact exploitabilities of whole strategies. Default: Flop Hold'em of 12 cards.
    """

    game: str | None = option("GAME", "leduc, or fhp with its parameters. [fhp(cap=2,deck=QKA)]")
    iterations: Iterations = None


def _jobs(request: DepthLimitedRequest) -> dict[str, Job]:
    from counterfold.research.depth_limited import depth, pictures

    return {"": Job(depth.depth_table, _show_depth, pictures.draw_depth, unit="row")}


VERBS = verb_of("depth-limited", DepthLimitedRequest, _jobs)


def _show_depth(result: DepthTable) -> Iterator[Part]:
    yield (
        "A trunk solved with an edge behind its first round, by continuations at the edge: exact "
        "exploitability of whole strategies, in chips."
    )
    searched: Columns = {
        name: lambda row, name=name: f"{row.searched[name]:.5f}"  # type: ignore[misc]
        for name in result.rows[0].searched
    }
    columns: Columns = {
        "continuations": lambda row: f"{row.continuations}: … {row.names[-1]}",
        "gap": "{0.gap:.5f}",
        "both choose": "{0.below:.5f}",
        "opponent chooses": "{0.apart:.5f}",
        **searched,
    }
    for name in dict.fromkeys(row.blueprint for row in result.rows):
        rows = [row for row in result.rows if row.blueprint == name]
        title = f"{rows[0].game}, blueprint of {name}: {rows[0].exploitable:.5f}"
        yield Table(rows, columns, title)
    yield (
        "Gap is what is left to gain in the cut game where both choose. Behind the edge stands the "
        "blueprint; in the last columns every subgame of the trunk for which the opponent chooses "
        "is searched again, without a gadget (unsafe) and with one."
    )
