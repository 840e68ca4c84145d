"""The 13 x 13 grid of a node in the terminal: in colours, or in letters where there are none."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from counterfold.cli.output import coloured, paint, print_columns, say
from counterfold.poker.cards import RANKS, board_name, hole_cards
from counterfold.poker.grid_colours import (
    EMPTY,
    SUIT_COLOURS,
    SUIT_SIGNS,
    Heat,
    action_colours,
    action_keys,
    blend,
    chips,
    filled,
    heat,
    is_pure,
    mode_of,
    on_ramp,
    percent,
    situation,
    whole_percent,
)
from counterfold.poker.ranges import CELL
from counterfold.poker.view import CLASSES, Hand, NodeView

if TYPE_CHECKING:
    from rich.text import Text


LEVELS = "▁▂▃▄▅▆▇█"
EIGHTHS = " ▏▎▍▌▋▊▉"
TALL = 36
"""Lines of a terminal that has room for cells of two lines."""
INDENT = 7
FAINT = "#6b747e"


def print_grid(view: NodeView, mode: str | None = None) -> None:
    """Print a node: ``strategy`` (or nothing), ``ev``, ``equity``, ``weight`` or an action."""
    if coloured():
        size = os.get_terminal_size(sys.stdout.fileno())
        paint(*painted_grid(view, mode, size.columns, size.lines))
    else:
        for line in plain_grid(view, mode):
            say(line)


def print_place(view: NodeView) -> None:
    """Print where a node is, and who is to act."""
    for title, text in _rows(view)[:3]:
        say(f"{title.ljust(INDENT)}{text}")


def print_hands(view: NodeView, which: str) -> None:
    """Print each hole of a class or range in words (``AKs``, ``AhKd``, ``QQ+``)."""
    if coloured():
        width = os.get_terminal_size(sys.stdout.fileno()).columns
        paint(*painted_hands(view, which, width))
    else:
        for line in plain_hands(view, which):
            say(line)


def print_cards(views: Mapping[str, NodeView]) -> None:
    """Print what every card makes of a line; suits that are alike stand in one row."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for card, view in views.items():
        key = (card[0], chips(view.totals.ev), *map(percent, view.totals.frequencies.values()))
        alike.setdefault(key, []).append(card)
    first = next(iter(views.values()))
    say(f"{first.player} after each card, by EV in chips; pot {chips(first.pot)}")
    rows = [["card", "EV", "equity", *first.actions]]
    mixes: list[list[float]] = []
    for cards in sorted(alike.values(), key=lambda cards: -views[cards[0]].totals.ev):
        totals = views[cards[0]].totals
        shares = list(totals.frequencies.values())
        mixes.append(shares)
        numbers = [chips(totals.ev), percent(totals.equity), *map(percent, shares)]
        rows.append([" ".join(cards), *numbers])
    if not coloured():
        print_columns(rows)
        return
    from rich.text import Text

    colours, widths = action_colours(first.actions), _widths(rows)
    for row, mix in zip(rows, [[], *mixes], strict=True):
        cells = (text.rjust(n) for text, n in zip(row[1:], widths[1:], strict=True))
        line = Text("  ".join([row[0].ljust(widths[0]), *cells]), "" if mix else "dim")
        if mix and np.isfinite(mix).all():
            line.append("  ").append_text(_bar(mix, colours, 20))
        paint(line)


def print_curves(views: Sequence[NodeView]) -> None:
    """Print the equity of ranges from the worst hand to the best."""
    say("Equity of the hands of a range, from the worst to the best")
    rows = [["range", "curve", *(f"{10 * k}%" for k in range(0, 11, 2)), "mean"]]
    for view in views:
        deciles = map(percent, view.equity_curve(6) or [math.nan] * 6)
        rows.append([view.player, sparkline(view), *deciles, percent(view.totals.equity)])
    print_columns(rows)


def sparkline(view: NodeView) -> str:
    """The equity of a range from the worst hand to the best, in eighths of a line."""
    curve = view.equity_curve(24)
    return "".join(LEVELS[min(int(8 * equity), 7)] for equity in curve)


# Without colours.


def plain_grid(view: NodeView, mode: str | None = None) -> Iterator[str]:
    """The grid in letters, at most 80 columns wide."""
    which = mode_of(view, mode)
    for title, text in _rows(view):
        yield f"{title.ljust(INDENT)}{text}"
    yield ""
    if which == "strategy":
        texts, keys = _letters(view), action_keys(view.actions)
        told = "The action taken most, in percent unless it is pure"
        legend = [
            f"{key.ljust(3)}{action}  {percent(view.totals.frequencies[action])}"
            for key, action in zip(keys, view.actions, strict=True)
        ]
    else:
        found = heat(view, which)
        texts, legend = list(found.texts), []
        told = found.name[0].upper() + found.name[1:]
        told += "" if "in chips" in told else ", in percent"
        if isinstance(which, int):
            whole = percent(view.totals.frequencies[view.actions[which]])
            legend = [f"{view.actions[which]}  {whole}"]
    yield f"{told}; suited above the diagonal"
    yield ("  " + "".join(rank.rjust(5).ljust(6) for rank in RANKS[::-1])).rstrip()
    for row, rank in enumerate(RANKS[::-1]):
        cells = [(text or ".").rjust(5) for text in texts[13 * row : 13 * row + 13]]
        yield f"{rank} " + " ".join(cells)
    if legend:
        yield ""
        yield from legend


def _letters(view: NodeView) -> list[str]:
    """The action that each class takes most, by its key."""
    classes, full, keys = view.classes, filled(view), action_keys(view.actions)
    texts = []
    for k in range(169):
        mix = classes.mix[:, k]
        if not full[k] > 0 or not np.isfinite(mix).all():
            texts.append("")
            continue
        most = int(mix.argmax())
        part = "   " if is_pure(mix[most]) else whole_percent(mix[most]).rjust(3)
        texts.append(keys[most] + part)
    return texts


def plain_hands(view: NodeView, which: str) -> Iterator[str]:
    """Holes one by one, as a table in plain text."""
    head, rows, widths = _hand_table(view, view.hands(which))
    for row in (head, *rows):
        yield "  ".join(text.rjust(n) for text, n in zip(row, widths, strict=True))


def _hand_table(
    view: NodeView, hands: Sequence[Hand]
) -> tuple[list[str], list[list[str]], list[int]]:
    """The head of a table of hands, its rows, and the widths of its columns."""
    if not np.isfinite(view.ev).any():  # over buckets nobody knows it
        head = ["hand", "weight", *view.actions]
        rows = [[h.name, percent(h.weight), *(percent(x) or "-" for x in h.mix)] for h in hands]
        return head, rows, _widths([head, *rows])
    head = ["hand", "weight", *view.actions, "EV", "equity", *(f"EV {a}" for a in view.worth)]
    rows = []
    for hand in hands:
        shares, worth = map(percent, (*hand.mix, hand.equity)), map(chips, (hand.ev, *hand.evs))
        *mix, equity = (text or "-" for text in shares)
        ev, *evs = (text or "-" for text in worth)
        rows.append([hand.name, percent(hand.weight), *mix, ev, equity, *evs])
    return head, rows, _widths([head, *rows])


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _rows(view: NodeView) -> list[tuple[str, str]]:
    """The node in words, its board in letters."""
    game, line, *rest = situation(view)
    board = ("Board", board_name(view.board) or "none yet")
    known = view.totals.combos and view.equity_curve()
    curve = [("Curve", f"{sparkline(view)} equity, worst to best")] if known else []
    return [game, line, board, *rest, *curve]


# With colours.


def painted_grid(
    view: NodeView, mode: str | None = None, width: int = 80, height: int = 50
) -> list[Text]:
    """The grid in colours, as lines of rich text that fit the width."""
    from rich.text import Text

    which = mode_of(view, mode)
    cell = min(max(width // 13, 4), 10)
    lines = _head(view)
    if which == "strategy":
        painted = _mixes(view, cell, tall=height >= TALL)
        foot = _legend(view, min(width, 13 * cell) - 1)
    else:
        found = heat(view, which)
        painted = _heats(view, found, cell)
        foot = [_scale(found, min(width, 13 * cell) - 1)]
    lines.append(Text())
    for row in range(13):
        cells = painted[13 * row : 13 * row + 13]
        lines += [Text.assemble(*parts) for parts in zip(*cells, strict=True)]
    return [*lines, Text(), *foot]


def _head(view: NodeView) -> list[Text]:
    from rich.text import Text

    lines = []
    for title, text in _rows(view):
        line = Text().append(title.ljust(INDENT), "cyan")
        if title == "Board" and view.board:
            for card in view.board:
                line.append_text(_card(card)).append(" ")
        else:
            line.append(text, "bold" if title == "Game" else "default")
        lines.append(line)
    return lines


def _card(card: int) -> Text:
    from rich.text import Text

    colour = SUIT_COLOURS[card % 4]
    return Text(RANKS[card // 4] + SUIT_SIGNS[card % 4], f"bold {colour}" if colour else "bold")


def _mixes(view: NodeView, cell: int, tall: bool) -> list[list[Text]]:
    """The lines of each cell, split as its class mixes its actions."""
    from rich.text import Text

    classes, full = view.classes, filled(view)
    colours = action_colours(view.actions)
    gap = 1 if cell > 4 else 0
    found = []
    for k, name in enumerate(CLASSES):
        mix = classes.mix[:, k]
        if not full[k] > 0 or not np.isfinite(mix).all():
            lines = [
                Text().append(text.ljust(cell - gap), f"{FAINT} on {EMPTY}")
                for text in [name, ""][: 1 + tall]
            ]
        else:
            shades = [blend(EMPTY, colour, 0.2 + 0.8 * float(full[k])) for colour in colours]
            lines = [
                _bar(mix.tolist(), shades, cell - gap, text) for text in [name, ""][: 1 + tall]
            ]
        found.append([line.append(" " * gap) for line in lines])
    return found


def _bar(mix: Sequence[float], colours: Sequence[str], width: int, text: str = "") -> Text:
    """A bar split between colours, to an eighth of a column where no letter stands."""
    from rich.text import Text

    ends = np.cumsum(mix) / max(float(np.sum(mix)), 1e-12) * width

    def at(place: float) -> str:
        return colours[min(int(np.searchsorted(ends, place, side="right")), len(colours) - 1)]

    under = [at(column + 0.5) for column in range(len(text))]
    bar = Text()
    for letter, colour in zip(text, under, strict=True):
        bar.append(letter, f"bold {_ink(under)} on {colour}")
    for column in range(len(text), width):
        left, right = at(column + 1 / 16), at(column + 15 / 16)
        if left == right:
            bar.append(" ", f"on {left}")
        else:
            inside = ends[ends > column][0] - column
            part = min(max(round(8 * inside), 1), 7)
            bar.append(EIGHTHS[part], f"{left} on {right}")
    return bar


def _heats(view: NodeView, found: Heat, cell: int) -> list[list[Text]]:
    """The two lines of each cell: its name and its number."""
    from rich.text import Text

    gap = 1 if cell > 5 else 0
    cells = []
    for name, text, colour in zip(CLASSES, found.texts, found.colours, strict=True):
        ink = _ink([colour]) if text else FAINT
        lines = [
            Text().append(name.ljust(cell - gap), f"{'bold ' if text else ''}{ink} on {colour}"),
            Text().append(text[: cell - gap].rjust(cell - gap), f"{ink} on {colour}"),
        ]
        cells.append([line.append(" " * gap) for line in lines])
    return cells


def _legend(view: NodeView, width: int) -> list[Text]:
    """A bar of how often each action is taken, and what its colours are."""
    from rich.text import Text

    colours, shares = action_colours(view.actions), view.totals.frequencies
    if not np.isfinite(list(shares.values())).all():
        return []
    line = Text()
    lines = [_bar(list(shares.values()), colours, width), line]
    for action, colour in zip(view.actions, colours, strict=True):
        entry = f" {action} {percent(shares[action])}   "
        if line.cell_len + len(entry) > width:
            lines.append(line := Text())
        line.append("██", colour).append(entry)
    return lines


def _scale(found: Heat, width: int) -> Text:
    from rich.text import Text

    low, high = found.scale
    line = Text(f"{found.name}: {low} ")
    room = max(min(width - len(line) - len(high) - 1, 30), 2)
    for k in range(room):
        line.append(" ", f"on {on_ramp(found.ramp, k / (room - 1))}")
    return line.append(f" {high}")


def _ink(colours: Sequence[str]) -> str:
    """Black where all the colours behind it are light, else white."""
    for colour in colours:
        red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
        if 0.299 * red + 0.587 * green + 0.114 * blue < 125:
            return "#ffffff"
    return "#101418"


def painted_hands(view: NodeView, which: str, width: int = 1000) -> list[Text]:
    """Holes with signs of suits and a bar of their actions; what is alike stands in one row.

    What does not fit the width of the terminal comes in two tables, the EVs of actions below.
    """
    from rich.text import Text

    groups = _alike(view, view.hands(which))
    first = [group[0] for group in groups]
    head, rows, widths = _hand_table(view, first)
    names = [_hand_name(group) for group in groups]
    widths[0] = max(map(len, names), default=widths[0])
    inks = [f"{_ink([c])} on {c}" for c in action_colours(view.actions)]
    styles = ["dim", "dim", *inks, "dim", "dim", *inks[: len(view.worth)]]
    every, split = range(1, len(head)), len(head) - len(view.worth)
    tables = [every]
    if sum(widths) + 2 * len(every) > width:
        tables = [range(1, split), range(split, len(head))]
    lines = []
    for table in filter(len, tables):
        line = Text("hand".ljust(widths[0]), "dim")
        for k in table:
            line.append("  " + " " * (widths[k] - len(head[k]))).append(head[k], styles[k])
        lines.append(line)
        room = width - widths[0] - sum(widths[k] + 2 for k in table)
        for hand, name, row in zip(first, names, rows, strict=True):
            line = name.copy()
            line.append(" " * (widths[0] - len(name)))
            for k in table:
                line.append("  ").append(row[k].rjust(widths[k]), "" if hand.weight > 0 else "dim")
            if room >= 12 and 1 in table and view.actions and np.isfinite(hand.mix).all():
                line.append("  ").append_text(_bar(hand.mix, action_colours(view.actions), 10))
            lines.append(line)
    return lines


def _alike(view: NodeView, hands: Sequence[Hand]) -> list[list[Hand]]:
    """Hands of one class that a table tells the same of, together."""
    alike: dict[tuple[str, ...], list[Hand]] = {}
    for hand, row in zip(hands, _hand_table(view, hands)[1], strict=True):
        alike.setdefault((CLASSES[CELL[hand.hole]], *row[1:]), []).append(hand)
    return list(alike.values())


def _hand_name(group: Sequence[Hand]) -> Text:
    """The hands of a row: up to three of them, else the first and how many more."""
    from rich.text import Text

    name = Text()
    for number, hand in enumerate(group[: 3 if len(group) <= 3 else 1]):
        name.append(" " if number else "")
        for card in hole_cards(hand.hole):
            name.append_text(_card(card))
    return name.append(f" +{len(group) - 1}") if len(group) > 3 else name
