"""Results as a notebook shows them: one short line, a small table in HTML, a frame of pandas."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from counterfold.errors import MissingExtraError, cut, visible

if TYPE_CHECKING:
    import pandas as pd

LONGEST = 110  # characters of a line
MOST_ROWS = 20


def brief(thing: object, text: str) -> str:
    """What ``repr`` says of a thing: its class and one short line.

    >>> brief(brief, "of Kuhn poker")
    '<function of Kuhn poker>'
    """
    return cut(f"<{type(thing).__name__} {visible(text)}", LONGEST) + ">"


def html_table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], most: int = MOST_ROWS
) -> str:
    """A table of a page, cut after some rows; numbers stand to the right."""
    lines = [f"<caption>{escape(caption)}</caption>", _line("th", head)]
    for number, row in enumerate(rows):
        if number == most:
            lines.append(f'<tr><td colspan="{len(head)}">\u2026</td></tr>')
            break
        lines.append(_line("td", row))
    return f"<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Iterable[object]) -> str:
    return f"<tr>{''.join(_cell(tag, cell) for cell in cells)}</tr>"


def _cell(tag: str, cell: object) -> str:
    side = "left" if isinstance(cell, str) else "right"
    text = f"{cell:.6g}" if isinstance(cell, float) else str(cell)
    return f'<{tag} style="text-align:{side}">{escape(visible(text))}</{tag}>'


def frame(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Rows as a DataFrame."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError(
            "pandas is not installed: pip install 'counterfold[pandas]'"
        ) from None
    return pd.DataFrame(list(rows), columns=list(columns))


class Tabular(ABC):
    """A result that is a table: ``len``, a page and a frame of its rows."""

    @abstractmethod
    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """The names of the columns, and the rows."""

    def __len__(self) -> int:
        return len(self.table()[1])

    def _repr_html_(self) -> str:
        return html_table(repr(self), *self.table())

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a DataFrame (needs the extra ``pandas``)."""
        return frame(*self.table())
