"""Many flops of one spot in a table to sort and to plot; tables of hold'em by position."""

from __future__ import annotations

from dataclasses import asdict

from counterfold.cli.grid_html import frame_of, view_document
from counterfold.errors import ParameterError, UnsupportedError, complaints_of
from counterfold.evaluate.statistics import statistics
from counterfold.files.text import Json
from counterfold.poker.flops import TEXTURES
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.units import parse_amount
from counterfold.solvers.flop_report import FlopReport, flops_of
from counterfold.studio.build import read_spot_of
from counterfold.studio.calls import Given, asked, told
from counterfold.studio.server import Studio

BOARDS = 40
"""Drawn for statistics that are estimated."""
MOST_CHARTS = 12
"""That are shown at once."""
DEPTH = 2
"""Seats that have entered the pot before a chart."""


def begin(studio: Studio, given: Given) -> Json:
    """A new report: a spot of the folder on some flops."""
    name = given.text("file")
    with complaints_of("file"):
        spot = read_spot_of(studio, name)
    flops, accuracy = given.text("flops", "25", 20_000), given.text("exploitability", "0.5%", 40)
    with complaints_of("exploitability"):
        parse_amount(accuracy)
    with complaints_of("flops"):
        flops_of(flops)
    with complaints_of("file"):
        made = FlopReport(spot, flops, accuracy=accuracy)
    request = {"spot": spot, "flops": flops, "exploitability": accuracy, "source": name}
    title = f"{name.rpartition('.')[0]} on {len(made.games)} flops"
    return {"id": studio.queue.add("report", title, request)}


def rows(studio: Studio, given: Given) -> Json:
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


def charts(studio: Studio, given: Given) -> Json:
    """What each seat does in a situation before the flop; a small table is shown in all of them."""
    entry = studio.opened.file(given.text("file"))
    with entry.lock:
        tree = entry.browser.tree
        if tree.game.board:
            raise UnsupportedError(f"{entry.name} begins after the flop; browse it")
        if entry.situations is None:
            entry.situations = situations(tree.game)
        every = [line for one in entry.situations for line in one["lines"]]
        number, small = int(given.number("situation", -1)), len(every) <= MOST_CHARTS
        if not -1 <= number < len(entry.situations):
            raise ParameterError(f"there is no situation {number}")
        number = 0 if number < 0 and not small else number
        lines = every if number < 0 else entry.situations[number]["lines"]
        return {
            "file": entry.name,
            "game": entry.strategy.spec,
            "players": len(tree.game.players),
            "frame": frame_of(),
            "situations": [one["title"] for one in entry.situations],
            "situation": number,
            "small": small,
            "views": [view_document(entry.browser.view(line), hands=False) for line in lines],
        }


def situations(game: PokerGame) -> list[Json]:
    """What may have been done before seats decide, up to a raise and a second one, where all
    others fold: a title, and the line to each seat that decides then."""
    betting, names = game.betting, game.players

    def seats(node: int, line: tuple[str, ...]) -> list[tuple[int, tuple[str, ...]]]:
        """Decisions one after another as seat after seat folds."""
        found = []
        while betting.kind[node] == DECISION and not betting.street[node]:
            found.append((node, line))
            actions = betting.actions(node)
            if "fold" not in actions:
                break
            node, line = int(betting.first[node]) + actions.index("fold"), (*line, "fold")
        return found

    made = [("Folded to", seats(0, ()))]
    for title, after in made:  # which grows on the way
        depth = title.count(",") + (title != made[0][0])
        for node, line in after if depth < DEPTH else ():
            for number, action in enumerate(betting.actions(node)):
                if action == "fold" or (depth and action in ("call", "check")):
                    continue
                found = seats(int(betting.first[node]) + number, (*line, action))
                who = f"{names[int(betting.player[node])]} {action}"
                if found:
                    made.append((f"{title}, {who}" if depth else f"After {who}", found))
    return [{"title": title, "lines": [line for _, line in after]} for title, after in made]


def seats(studio: Studio, given: Given) -> Json:
    """VPIP and its like for every seat; over buckets they are estimated, which takes a while."""
    entry = studio.opened.file(given.text("file"))
    with entry.counting:
        if entry.seats is None:
            entry.seats = statistics(entry.strategy, BOARDS).to_dict()["seats"]
    return {"seats": entry.seats}


ROUTES = [
    told("/report", begin),
    asked("/report", rows),
    asked("/report/charts", charts),
    asked("/report/seats", seats),
]
