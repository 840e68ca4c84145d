"""Nodes of a solved spot as one web page that needs nothing else: a grid, its hands, a tree."""

from __future__ import annotations

import html
import json
import math
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.files.text import Json
from counterfold.poker.cards import board_name
from counterfold.poker.grid_colours import (
    FULL,
    GOODNESS,
    NONE,
    SUIT_COLOURS,
    action_colours,
    filled,
    situation,
    thousandths,
)
from counterfold.poker.view import CLASSES, Hand, NodeView

Path = tuple[str, ...]
Nodes = Mapping[Path, NodeView | Sequence[NodeView]]
"""Nodes by the words that lead to them; several views of a node are of different players."""


def write_page(
    nodes: Nodes, path: str | os.PathLike[str], title: str = "", *, hands: bool = True
) -> None:
    """Write the page of some nodes, whole or not at all."""
    from counterfold.files.whole import write_whole

    write_whole(path, page(nodes, title, hands=hands).encode())


def page(nodes: Nodes, title: str = "", *, hands: bool = True) -> str:
    """The page: a node is the child of the one with the longest beginning of its path.

    Without ``hands`` it knows the 169 classes only, which makes it less than half as large.
    """
    if not nodes:
        raise ParameterError("a page needs one node at least")
    listed = _in_order(nodes)
    numbers = {path: k for k, path in enumerate(listed)}
    told: list[Json] = []
    for path in listed:
        found = nodes[path]
        views = [found] if isinstance(found, NodeView) else list(found)
        parent = _parent(path, numbers)
        shared = len(listed[parent]) if parent >= 0 else 0
        told.append(
            {
                "parent": parent,
                "depth": told[parent]["depth"] + 1 if parent >= 0 else 0,
                "label": " ".join(path[shared:]) or "start",
                "who": views[0].player if views[0].actions else "",
                "next": {
                    action: numbers[(*path, action)]
                    for action in views[0].actions
                    if (*path, action) in numbers
                },
                "views": [view_document(view, hands) for view in views],
            }
        )
    document = {**frame_of(), "nodes": told}
    first = nodes[listed[0]]
    name = title or (first if isinstance(first, NodeView) else first[0]).game
    before, after = _template().split("@DATA@")
    return before.replace("@TITLE@", html.escape(name)) + _script_safe(document) + after


def frame_of() -> Json:
    """What all views share: the classes of the grid, and colours."""
    return {
        "classes": CLASSES,
        "suits": [colour or "#59636f" for colour in SUIT_COLOURS],
        "goodness": GOODNESS,
        "shares": [NONE, FULL],
    }


@cache
def _template() -> str:
    """The page without title and nodes: grid_page.html with its looks and its behaviour in it."""
    folder = files("counterfold.cli")
    frame, css, js = (
        (folder / f"grid_page.{kind}").read_text("utf-8") for kind in ("html", "css", "js")
    )
    drawing = (folder / "grid_draw.js").read_text("utf-8").replace("export ", "")
    return frame.replace("@STYLE@", css).replace("@SCRIPT@", drawing + js)


def _in_order(nodes: Nodes) -> list[Path]:
    """Every node after its parent and its parent's earlier children, in the order given."""
    place = {path: k for k, path in enumerate(nodes)}
    # A beginning that is no node itself stands where its first node does.
    for path in nodes:
        for cut in range(len(path)):
            place.setdefault(path[:cut], place[path])
    return sorted(nodes, key=lambda path: [place[path[:cut]] for cut in range(len(path) + 1)])


def _parent(path: Path, numbers: Mapping[Path, int]) -> int:
    for cut in range(len(path) - 1, -1, -1):
        if path[:cut] in numbers:
            return numbers[path[:cut]]
    return -1


def view_document(view: NodeView, hands: bool) -> Json:
    """A view with rounded numbers; shares are in thousandths."""
    rows = dict(situation(view))
    classes, totals = view.classes, view.totals
    document: dict[str, object] = {
        "title": rows.pop("Game"),
        "player": view.player,
        "line": list(view.line),
        "told": [text[:1].upper() + text[1:] for name, text in rows.items() if name != "Line"],
        "board": board_name(view.board).split(),
        "actions": list(view.actions),
        "colours": action_colours(view.actions),
        "frequencies": _thousandths(list(totals.frequencies.values())),
        "ev": _amounts([totals.ev])[0],
        "cells": {
            "possible": classes.possible.tolist(),
            "combos": _amounts(classes.combos),
            "full": [x and max(x, 1) for x in _thousandths(filled(view))],
            "weight": _thousandths(classes.weight),
            "mix": [_thousandths(row) for row in classes.mix],
            "ev": _amounts(classes.ev),
            "equity": _thousandths(classes.equity),
            "evs": [_amounts(row) for row in classes.evs],
        },
    }
    if hands:
        document["hands"] = _hands(view)
    return document


def _hands(view: NodeView) -> dict[str, object]:
    """The hands that get here, class by class: those of class k from begin[k] on."""
    found: list[Hand] = []
    begin = [0]
    for k in range(169):
        if view.classes.combos[k] > 0:
            found += [hand for hand in view.in_class(k) if hand.weight >= 0.0005]
        begin.append(len(found))
    return {
        "begin": begin,
        "names": "".join(hand.name for hand in found),
        "weight": _thousandths([hand.weight for hand in found]),
        "mix": [_thousandths([hand.mix[k] for hand in found]) for k in range(len(view.actions))],
        "ev": _amounts([hand.ev for hand in found]),
        "equity": _thousandths([hand.equity for hand in found]),
        "evs": [_amounts([hand.evs[k] for hand in found]) for k in range(len(view.worth))],
    }


def _thousandths(numbers: Sequence[float] | Floats) -> list[float | None]:
    return [thousandths(x) if math.isfinite(x) else None for x in numbers]


def _amounts(numbers: Sequence[float] | Floats) -> list[float | int | None]:
    """Six digits each, whole numbers without a point: the page shows them as ``chips`` does."""
    rounded = (float(f"{x:.6g}") if math.isfinite(x) else None for x in numbers)
    return [int(x) if x is not None and x.is_integer() else x for x in rounded]


def _script_safe(document: object) -> str:
    """JSON that no text in it can break out of."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
