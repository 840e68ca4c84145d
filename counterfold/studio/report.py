"""Many flops of one spot in a table to sort and to plot; tables of hold'em by position."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_view import BucketBrowser
from counterfold.cli.grid_html import frame_of, view_document
from counterfold.evaluate.statistics import statistics
from counterfold.poker.flops import TEXTURES
from counterfold.poker.game import DECISION
from counterfold.poker.view import NodeView
from counterfold.solvers.flop_report import FlopReport
from counterfold.studio.build import read_spot_of
from counterfold.studio.calls import Given, asked, told
from counterfold.studio.opened import Open
from counterfold.studio.server import Studio
from counterfold.tree.find import find_place

BOARDS = 200
"""Drawn for statistics that are estimated."""


def begin(studio: Studio, given: Given) -> dict[str, Any]:
    """A new report: a spot of the folder on some flops."""
    name = given.text("file")
    spot = read_spot_of(studio, name)
    flops, accuracy = given.text("flops", "25", 20_000), given.text("exploitability", "0.5%", 40)
    made = FlopReport(spot, flops, accuracy=accuracy)
    request = {"spot": spot, "flops": flops, "exploitability": accuracy, "source": name}
    title = f"{name.rpartition('.')[0]} on {len(made.games)} flops"
    return {"id": studio.queue.add("report", title, request)}


def rows(studio: Studio, given: Given) -> dict[str, Any]:
    """What a report has found so far."""
    job = studio.queue.job(given.text("job"))
    request = job["request"]
    made = FlopReport(
        request["spot"], request["flops"], accuracy=request["exploitability"],
        folder=studio.queue.root / job["id"] / "flops",
    )  # fmt: skip
    return {
        "title": job["title"],
        "phase": job["phase"],
        "players": made.spot.players,
        "pot": made.spot.pot,
        "textures": list(TEXTURES),
        "all": len(made.games),
        "source": request["source"],
        "flops": request["flops"],
        "exploitability": request["exploitability"],
        "rows": [asdict(row) for row in made.done()],
    }


def charts(studio: Studio, given: Given) -> dict[str, Any]:
    """What positions do that are folded to or raised, and the statistics of every seat."""
    entry = studio.opened.file(given.text("file"))
    with entry.lock:
        look, tree = _looker(entry), entry.strategy.tree
        views: list[NodeView] = []
        line: tuple[str, ...] = ()
        while True:
            place = find_place(tree, line)
            if tree.game.betting.kind[place.node] != DECISION:
                break
            view = look.view(place)
            views.append(view)
            after = find_place(tree, (*line, view.actions[-1]))  # the largest raise is answered
            if tree.game.betting.kind[after.node] == DECISION:
                views.append(look.view(after))
            if "fold" not in view.actions:
                break
            line = (*line, "fold")
        return {
            "file": entry.name,
            "game": entry.strategy.spec,
            "frame": frame_of(),
            "views": [view_document(view, hands=False) for view in views],
            "statistics": _statistics(entry),
        }


def _looker(entry: Open) -> Any:
    """What shows the places of a poker strategy: exactly, or over buckets."""
    if isinstance(entry.strategy.tree, BucketForm):
        return BucketBrowser(entry.strategy)
    return entry.browser


def _statistics(entry: Open) -> dict[str, Any] | None:
    if entry.seats is None:
        entry.seats = statistics(entry.strategy, BOARDS).to_dict()["seats"]
    return entry.seats


ROUTES = [told("/report", begin), asked("/report", rows), asked("/report/charts", charts)]
