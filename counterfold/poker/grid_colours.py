"""What the grids share: what can be shown of a node, and the colours it is shown in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.poker.view import CLASSES, NodeView

MODES = ("strategy", "ev", "equity", "weight")

# Far apart for the colour-blind, too: tests/studio/test_colours.py.
FOLD, PASSIVE, LIGHTEST, DARKEST, ALL_IN = "#3f6fd0", "#5cc0a0", "#ee9a50", "#b8341c", "#4a0a16"
EMPTY = "#2e343b"
HARDLY = 0.001
"""A class that has less of its hands here, next to the fullest, is not shown."""
GOODNESS = ("#a83c1f", "#e0b050", "#2f6fb0")  # from bad to good
NONE, FULL = "#474f59", "#d89a2b"  # nothing and all of a share
SUIT_SIGNS = "♣♦♥♠"  # in the order of poker.cards.SUITS
SUIT_COLOURS = ("#3f9e58", "#4a8fc7", "#d9483b", "")  # spades as plain text


class Heat(NamedTuple):
    """A number for each class, and where it lies from low (0) to high (1)."""

    values: Floats  # [169]
    texts: tuple[str, ...]  # [169] the number as it is written
    colours: tuple[str, ...]  # [169]
    scale: tuple[str, str]  # what low and high are
    ramp: tuple[str, ...]  # colours from low to high
    name: str


def kind(action: str) -> str:
    """What an action is: fold, check, call, bet, raise or all-in.

    >>> kind("bet 66"), kind("All-in 600"), kind("allin")
    ('bet', 'all-in', 'all-in')
    """
    word = action.split(" ")[0].lower()
    return "all-in" if word.startswith("all") else word


def blend(low: str, high: str, share: float) -> str:
    """The colour between two.

    >>> blend("#000000", "#ff8000", 0.5)
    '#804000'
    """
    pairs = [(int(low[k : k + 2], 16), int(high[k : k + 2], 16)) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def action_colours(actions: Sequence[str]) -> tuple[str, ...]:
    """Colours as poker tools have them: folds blue, checks and calls green, bets orange to red.

    >>> action_colours(["fold", "call", "raise 300", "all-in 600"])
    ('#3f6fd0', '#5cc0a0', '#d36736', '#4a0a16')
    """
    bets = [a for a in actions if kind(a) not in ("fold", "check", "call", "all-in")]
    fixed = {"fold": FOLD, "check": PASSIVE, "call": PASSIVE, "all-in": ALL_IN}
    found = []
    for action in actions:
        if action in bets:
            place = bets.index(action) / (len(bets) - 1) if len(bets) > 1 else 0.5
            found.append(blend(LIGHTEST, DARKEST, place))
        else:
            found.append(fixed[kind(action)])
    return tuple(found)


def action_keys(actions: Sequence[str]) -> tuple[str, ...]:
    """One or two letters for each action, for grids without colours.

    >>> action_keys(["check", "bet 66", "bet 150", "all-in 600"])
    ('X', 'B1', 'B2', 'A')
    """
    letters = [{"check": "X"}.get(kind(a), kind(a)[:1].upper()) for a in actions]
    return tuple(
        letter + str(letters[: k + 1].count(letter)) if letters.count(letter) > 1 else letter
        for k, letter in enumerate(letters)
    )


def mode_of(view: NodeView, mode: str | None) -> str | int:
    """The mode that is meant, or the number of an action whose frequency is to be shown.

    Without one: the strategy, or at the end of a hand the equity. ``ev:ACTION`` is what an
    action is worth.
    """
    if mode is None:
        return "strategy" if view.actions else "equity"
    if mode in view.actions:
        return view.actions.index(mode)
    if mode == "strategy" and not view.actions:
        raise ParameterError("nobody decides here; choose ev, equity or weight")
    if mode not in MODES and mode.removeprefix("ev:") not in view.worth:
        others = ", ".join([*MODES, *view.actions, *(f"ev:{action}" for action in view.worth)])
        raise ParameterError(f"there is no {mode!r} to show here; choose one of {others}")
    return mode


def heat(view: NodeView, mode: str | int) -> Heat:
    """The numbers of a mode, or of one action, as a heat map."""
    classes = view.classes
    there = filled(view) > 0
    ramp: tuple[str, ...] = GOODNESS
    scale = ("0%", "100%")
    if isinstance(mode, str) and mode.startswith("ev"):
        values, name = classes.ev, "EV in chips"
        if mode != "ev":
            values = classes.evs[view.actions.index(mode[3:])]
            name = f"EV of {mode[3:]} in chips"
        low = min(0.0, _least(values))
        high = max(-_least(-values), low + 1e-9)
        places = (values - low) / (high - low)
        texts, scale = [chips(x) for x in values], (chips(low), chips(high))
    else:
        if isinstance(mode, int):
            values, name = classes.mix[mode], f"how often {view.actions[mode]}"
            ramp = (NONE, action_colours(view.actions)[mode])
        elif mode == "equity":
            values, name = classes.equity, "equity"
        else:
            values, name = classes.weight, "weight in the range"
            ramp = (NONE, FULL)
        places, texts = values, [whole_percent(x) for x in values]
    colours = [
        on_ramp(ramp, place) if some and math.isfinite(place) else EMPTY
        for some, place in zip(there, places.tolist(), strict=True)
    ]
    shown = [text if some else "" for some, text in zip(there, texts, strict=True)]
    return Heat(values, tuple(shown), tuple(colours), scale, ramp, name)


def _least(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.min()) if known.size else 0.0


def on_ramp(ramp: Sequence[str], place: float) -> str:
    """The colour at a place from 0 to 1.

    >>> on_ramp(("#000000", "#ff0000", "#ffff00"), 0.75)
    '#ff8000'
    """
    at = min(max(place, 0.0), 1.0) * (len(ramp) - 1)
    step = min(int(at), len(ramp) - 2)
    return blend(ramp[step], ramp[step + 1], at - step)


def filled(view: NodeView) -> Floats:
    """[169] how full each class is, where the fullest one is 1; next to nothing is nothing."""
    weight = view.classes.weight
    full = weight / max(float(weight.max()), 1e-300)
    return np.where(full >= HARDLY, full, 0.0)


def chips(number: float) -> str:
    """An amount of chips with four digits at most.

    >>> chips(1234.5), chips(66.0), chips(3.14159), chips(-0.0001), chips(float("nan"))
    ('1234', '66', '3.14', '0', '')
    """
    if not math.isfinite(number):
        return ""
    digits = 0 if abs(number) >= 999.5 else 1 if abs(number) >= 99.5 else 2
    text = f"{number:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def percent(number: float) -> str:
    """A share with one decimal.

    >>> percent(0.12345), percent(float("nan"))
    ('12.3%', '')
    """
    return f"{(_steps(number) + 50) // 100 / 10:.1f}%" if math.isfinite(number) else ""


def whole_percent(number: float) -> str:
    """A share in whole percent, without the sign.

    >>> whole_percent(0.4946), whole_percent(0.485)
    ('49', '49')
    """
    return str((_steps(number) + 500) // 1000) if math.isfinite(number) else ""


def thousandths(number: float) -> float:
    """A share as a page keeps it, which rounds as ``percent`` and ``whole_percent`` do."""
    return _steps(number) / 100


def is_pure(share: float) -> bool:
    """Whether an action is written without its percentage."""
    return _steps(share) >= 99_500


def _steps(share: float) -> int:
    """In steps of a hundred-thousandth: from there halves go up, in Python and in a page."""
    return math.floor(100_000 * float(share) + 0.5)


def situation(view: NodeView) -> list[tuple[str, str]]:
    """The node in words: what, and how it is. The board is left to the reader's means."""
    totals = view.totals
    who = f"{view.player} to act" if view.actions else f"{view.player}'s hands"
    *some, last = (f"{name} {chips(x)}" for name, x in zip(view.players, view.stacks, strict=True))
    rows = [
        ("Game", f"{view.game}, {view.street}, {who}"),
        ("Line", ", ".join(view.line) or "nothing yet"),
        ("Money", f"pot {chips(view.pot)} chips, behind {', '.join(some)} and {last}"),
    ]
    if totals.combos > 0:
        told = f"{totals.combos:.1f} combos against {totals.against:.1f}"
        if len(view.players) > 2:
            told += " in each seat that is in, on average"
        if math.isfinite(totals.ev):
            part = f" ({percent(totals.ev / view.pot)} of pot)" if view.pot else ""
            told += f", EV {chips(totals.ev)} chips{part}"
        if math.isfinite(totals.equity):
            told += f", equity {percent(totals.equity)}"
        rows += [("Range", told)]
    else:
        rows += [("Range", "no hand gets here")]
    return [*rows, ("Note", view.note)] if view.note else rows


def grid_html(view: NodeView) -> str:
    """The grid as a table of a notebook: cells split by action, or coloured by equity."""
    mix, full, colours = view.classes.mix, filled(view), action_colours(view.actions)
    equity = heat(view, "equity")
    cells = []
    for k, name in enumerate(CLASSES):
        back, told = EMPTY, name
        if full[k] > 0 and view.actions and np.isfinite(mix[:, k]).all():
            ends = 100 * np.cumsum([0.0, *mix[:, k]])
            parts = zip(colours, ends, ends[1:], strict=False)
            stops = ", ".join(f"{c} {begin:.1f}% {end:.1f}%" for c, begin, end in parts)
            back = f"linear-gradient(90deg, {stops})"
            shares = zip(view.actions, mix[:, k], strict=True)
            told += ": " + ", ".join(f"{action} {percent(p)}" for action, p in shares)
        elif full[k] > 0 and not view.actions:
            back, told = equity.colours[k], f"{name}: equity {equity.texts[k]}%"
        ink = "#fff" if full[k] > 0 else "#77818c"
        cells.append(
            f'<td title="{escape(told)}" style="background:{back};color:{ink};'
            f'text-align:left;width:3em">{name}</td>'
        )
    rows = ("".join(cells[at : at + 13]) for at in range(0, 169, 13))
    caption = escape("; ".join(text for _, text in situation(view)))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><caption>{caption}</caption>{body}</table>"
