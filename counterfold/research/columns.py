"""Tables in plain text: what experiments and benchmarks print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from counterfold.cli.output import say

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Columns", "cells", "print_columns", "print_table", "rich_table"]

Columns = Mapping[str, str | Callable[[Any], str]]
"""Headings with what stands below: a format such as ``{0.value:.3f}``, or a function of a row."""


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Cells under one another, the first column to the left."""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    for row in rows:
        right = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        say(("  " + "  ".join([row[0].ljust(widths[0]), *right[1:]])).rstrip())


def cells(row: Any, columns: Columns) -> list[str]:
    """One row of a table.

    >>> cells(0.125, {"share": "{:.0%}", "twice": lambda x: f"{2 * x:g}"})
    ['12%', '0.25']
    """
    return [c.format(row) if isinstance(c, str) else c(row) for c in columns.values()]


def print_table(rows: Iterable[Any], columns: Columns) -> None:
    """Headings, and a line for each row."""
    print_columns([list(columns), *(cells(row, columns) for row in rows)])


def rich_table(
    title: str, rows: Iterable[Any], columns: Columns, left: Sequence[str] = ()
) -> Table:
    """The same with a frame; columns of numbers, which are not ``left``, to the right."""
    from rich.table import Table

    table = Table(title=title)
    for number, name in enumerate(columns):
        table.add_column(name, justify="left" if name in left or not number else "right")
    for row in rows:
        table.add_row(*cells(row, columns))
    return table
