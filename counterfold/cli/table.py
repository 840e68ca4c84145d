"""Rows of a strategy as columns of percentages: with bars on a terminal, plain in a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

from counterfold.cli.output import on_terminal, say, styled
from counterfold.strategy.layout import Row

MOST_COLUMNS = 24
BAR = 5
HARDLY = 0.0005
"""Below this a probability is printed as less than a tenth of a percent."""
EIGHTHS = " ▏▎▍▌▋▊▉█"
GAP = "  "


def print_rows(rows: Sequence[Row], limit: int = 0) -> int:
    """Print rows player by player, at most ``limit`` in all (0 is no limit); how many are left."""
    watched = on_terminal(sys.stdout)
    players = sorted({row.player for row in rows})
    shares = _shares([sum(row.player == p for row in rows) for p in players], limit)
    for player, share in zip(players, shares, strict=True):
        own = [row for row in rows if row.player == player]
        say()
        more = f", {share:,} of {len(own):,} infosets" if share < len(own) else ""
        say(styled(f"player {player + 1}{more}", "1"))
        for line in _lines(own[:share], watched):
            say(line)
    return len(rows) - sum(shares)


def percent(probability: float) -> str:
    """A probability that never looks certain when it is not.

    >>> percent(0.25), percent(1.0), percent(0.9999), percent(1e-9), percent(0.0)
    ('25.0%', '100.0%', '>99.9%', '<0.1%', '0.0%')
    """
    if 0 < probability < HARDLY:
        return "<0.1%"
    if 1 - HARDLY <= probability < 1:
        return ">99.9%"
    return f"{100 * probability:.1f}%"


def _shares(sizes: list[int], limit: int) -> list[int]:
    """A fair part of the limit for each, and what one does not need for the others."""
    if not limit or sum(sizes) <= limit:
        return sizes
    shares = [0] * len(sizes)
    for place, number in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[number] = min(sizes[number], (limit - sum(shares)) // (len(sizes) - place))
    return shares


def _lines(rows: Sequence[Row], watched: bool) -> Iterator[str]:
    """The widest layout that fits: one table, a table for each list of actions, or prose."""
    if not watched:
        width = 0
        if len(_actions(rows)) <= MOST_COLUMNS:
            yield from _table(rows, 0, watched)
            return
    else:
        width = os.get_terminal_size(sys.stdout.fileno()).columns
        apart: dict[tuple[str, ...], list[Row]] = {}
        for row in rows:
            apart.setdefault(tuple(row.actions), []).append(row)
        for tables in ([rows], list(apart.values())):
            for bar in (BAR, 0):
                if all(_width(table, bar) <= width for table in tables):
                    for number, table in enumerate(tables):
                        yield from ([""] if number else [])
                        yield from _table(table, bar, watched)
                    return
    yield from _prose(rows, width)


def _actions(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(action for row in rows for action in row.actions))


def _columns(rows: Sequence[Row], bar: int) -> tuple[int, list[int]]:
    """Width of the names, and of each action's column."""
    names = max([len(row.infoset) for row in rows] + [7])
    return names, [max(len(action), 6 + (bar and bar + 1)) for action in _actions(rows)]


def _width(rows: Sequence[Row], bar: int) -> int:
    names, columns = _columns(rows, bar)
    return names + sum(columns) + len(GAP) * len(columns)


def _table(rows: Sequence[Row], bar: int, watched: bool) -> Iterator[str]:
    actions = _actions(rows)
    names, columns = _columns(rows, bar)
    head = [action.rjust(6).ljust(n) for action, n in zip(actions, columns, strict=True)]
    yield styled(GAP.join(["infoset".ljust(names), *head]).rstrip(), "2")
    for row in rows:
        cells = [
            _cell(row.actions.get(action), n, bar, watched)
            for action, n in zip(actions, columns, strict=True)
        ]
        yield GAP.join([row.infoset.ljust(names), *cells]).rstrip()


def _cell(probability: float | None, width: int, bar: int, watched: bool) -> str:
    if probability is None:
        return " " * width if watched else "-".rjust(6).ljust(width)
    number = percent(probability).rjust(6)
    style = "2" if probability < HARDLY else "1" if probability >= 0.5 else ""
    text = styled(number, style)
    if bar:
        text += " " + styled(_bar(probability, bar), "36")
    return text + " " * (width - 6 - (bar and bar + 1))


def _bar(probability: float, width: int) -> str:
    eighths = round(probability * 8 * width)
    if probability >= HARDLY:
        eighths = max(1, eighths)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (EIGHTHS[rest] if rest else "")).ljust(width)


def _prose(rows: Sequence[Row], width: int) -> Iterator[str]:
    """For games of many actions: one after the other, those never played left out."""
    import textwrap

    for row in rows:
        played = [f"{action} {percent(p)}" for action, p in row.actions.items() if p >= HARDLY]
        never = len(row.actions) - len(played)
        text = f"{row.infoset}: " + ", ".join(played)
        text += f" ({never} others never or hardly)" if never else ""
        yield from textwrap.wrap(text, width, subsequent_indent="    ") if width else [text]
