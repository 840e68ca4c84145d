"""What experiments and benchmarks print: paragraphs and tables, a line between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterfold.cli.output import advise, say

Columns = Mapping[str, str | Callable[[Any], str]]
"""Headings with what stands below: a format such as ``{0.value:.3f}``, or a function of a row."""


def named(*fields: str, to: str = "", **heads: str) -> dict[str, str]:
    """Columns headed by the names of the fields that they show, as they are or in a format.

    Then come fields with other headings.

    >>> named("game", "method") | named("mean", to=".2f", p95="95%")
    {'game': '{0.game}', 'method': '{0.method}', 'mean': '{0.mean:.2f}', '95%': '{0.p95:.2f}'}
    """
    headed = {name: name for name in fields} | heads
    return {head: f"{{0.{name}:{to}}}" if to else f"{{0.{name}}}" for name, head in headed.items()}


@dataclass(frozen=True)
class Table:
    """Rows below headings, the first column to the left; what has no word in it is left out.

    Without formats the rows are lists of cells.

    >>> Table([0.125, 1.0], {"share": "{:.0%}", "twice": lambda x: f"{2 * x:g}"}).lines()
    ['  share  twice', '  12%     0.25', '  100%       2']
    """

    rows: Iterable[Any]
    columns: Columns | Sequence[str]
    title: str = ""

    def cells(self) -> list[list[str]]:
        """The headings and all rows."""
        columns = self.columns
        if not isinstance(columns, Mapping):
            return [list(columns), *map(list, self.rows)]
        formats = columns.values()
        rows = [[f.format(r) if isinstance(f, str) else f(r) for f in formats] for r in self.rows]
        return [list(columns), *rows]

    def lines(self) -> list[str]:
        """The cells under one another, below the title."""
        cells = self.cells()
        filled = [k for k, _ in enumerate(cells[0]) if any(row[k] for row in cells[1:])] or [0]
        widths = {k: max(len(row[k]) for row in cells) for k in filled}
        lines = [self.title] if self.title else []
        for row in cells if any(cells[0]) else cells[1:]:
            first, *others = filled
            aligned = [row[first].ljust(widths[first]), *(row[k].rjust(widths[k]) for k in others)]
            lines.append(("  " + "  ".join(aligned)).rstrip())
        return lines


Part = str | Table


def print_parts(parts: Iterable[Part]) -> None:
    """Paragraphs and tables on standard output."""
    for number, part in enumerate(parts):
        if number:
            say()
        if isinstance(part, str):
            advise(part)
        else:
            for line in part.lines():
                say(line)
