"""Looking at a solution: a place with its grid, what can come next, and every next card."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.responses import Response

from counterfold.abstraction.bucket_view import BucketBrowser
from counterfold.cli.grid_html import frame_of, view_document
from counterfold.cli.grid_html import page as whole_page
from counterfold.errors import ParameterError
from counterfold.evaluate.public_view import Browser
from counterfold.files.text import Json
from counterfold.poker.cards import board_name
from counterfold.poker.game import DEAL, DECISION
from counterfold.poker.grid_colours import action_colours
from counterfold.poker.view import NodeView
from counterfold.studio.calls import Given, asked
from counterfold.studio.opened import Open
from counterfold.studio.server import Studio
from counterfold.tree.find import Place, find_place

PLACES = 60
"""On a page that is sent."""


def place(studio: Studio, given: Given) -> Json:
    """A place as the one who decides sees it, or as a player does who is named."""
    entry = studio.opened.file(given.text("file"))
    with entry.lock:
        browser = entry.browser
        tree = browser.tree
        at = find_place(tree, given.text("line", ""))
        sides = [browser.view(at)]
        if given.maybe("both"):
            folded, names = int(tree.game.betting.folded[at.node]), tree.game.players
            sides += [
                browser.view(at, name)
                for p, name in enumerate(names)
                if name != sides[0].player and not folded >> p & 1
            ]
        entry.look_ahead()
        return {
            "file": entry.name,
            "game": tree.game.name,
            "players": tree.game.players,
            "deals": bool((tree.game.betting.kind == DEAL).any()),
            "frame": frame_of(),
            "line": at.line,
            "steps": _steps(browser, at),
            "next": _next(browser, at),
            "views": [view_document(view, hands=False) for view in sides],
            "about": _about(entry),
            "other": _other(studio, given.maybe("with"), at, sides[0].player),
        }


def _other(studio: Studio, name: str | None, at: Place, player: str) -> Json | None:
    """The same place of another solution, as the same player sees it."""
    if name is None:
        return None
    entry = studio.opened.file(name)
    with entry.lock:
        try:
            there = entry.browser.view(at.line, player)
        except ParameterError as error:
            return {"file": name, "view": None, "why": str(error)}
        return {"file": name, "view": view_document(there, hands=False), "why": ""}


def _about(entry: Open) -> str:
    """How a solution came about, and how good it is, in words."""
    about, game = entry.strategy.about, entry.browser.tree.game
    count, gap = about.get("iteration"), about.get("exploitability")
    words = [f"{count:,} iterations of {about.get('method')}"] if isinstance(count, int) else []
    if isinstance(gap, int | float):
        percent = game.units.percent_of_pot(gap) if game.pot else None
        part = f"{percent:.2g}% of the pot" if percent is not None else f"{gap:.2g}"
        words.append(f"exploitability {part}, exactly")
    if isinstance(entry.browser, BucketBrowser):
        words.append("hands share buckets, so EV and equity are not known")
    return "; ".join(words)


def _steps(browser: Browser | BucketBrowser, at: Place) -> list[Json]:
    """Every place on the way here: who decided, what could be done, what was done."""
    betting, players = browser.tree.game.betting, browser.tree.game.players
    found = []
    for count in range(len(at.line) + 1):
        here = find_place(browser.tree, at.line[:count])
        kind = int(betting.kind[here.node])
        actions = [betting.label[child] for child in betting.children(here.node)]
        decides = kind == DECISION
        found.append(
            {
                "who": players[int(betting.player[here.node])] if decides else "",
                "kind": "decision" if decides else "deal" if kind == DEAL else "end",
                "actions": actions if decides else [],
                "colours": action_colours(actions) if decides else [],
                "taken": at.line[count] if count < len(at.line) else None,
                "pot": float(betting.paid[here.node].sum()),
            }
        )
    return found


def _next(browser: Browser | BucketBrowser, at: Place) -> Json:
    """What can follow: actions, or cards, or nothing."""
    game = browser.tree.game
    kind = int(game.betting.kind[at.node])
    if kind == DECISION:
        words = [game.betting.label[child] for child in game.betting.children(at.node)]
        return {"kind": "decision", "actions": words, "cards": [], "count": 0}
    if kind != DEAL:
        return {"kind": "end", "actions": [], "cards": [], "count": 0}
    count = game.rules.deal[int(game.betting.street[at.node]) + 1]
    left = [board_name([card]) for card in reversed(game.rules.deck) if card not in at.cards]
    return {"kind": "deal", "actions": [], "cards": left, "count": count}


def hands(studio: Studio, given: Given) -> Json:
    """The hands of a place one by one, as a player holds them."""
    entry = studio.opened.file(given.text("file"))
    with entry.lock:
        view = entry.browser.view(given.text("line", ""), given.maybe("player"))
        return {"hands": view_document(view, hands=True)["hands"], "player": view.player}


def strip(studio: Studio, given: Given) -> Json:
    """Every card that can come: EV, equity and how often each action follows."""
    entry = studio.opened.file(given.text("file"))
    line, player = given.text("line", ""), given.maybe("player")
    if (line, player) not in entry.strips:
        entry.strips[line, player] = _strip(entry, line, player)
    return entry.strips[line, player]


def _strip(entry: Open, line: str, player: str | None) -> Json:
    views, following = {}, entry.browser.each_card(line, player)
    while True:  # card by card, so that nobody who clicks waits for all of them
        with entry.lock:
            card, view = next(following, (None, None))
        if card is None or view is None:
            break
        views[card] = view
    deck = [board_name([card]) for card in reversed(entry.browser.tree.game.rules.deck)]
    first = next(iter(views.values()))
    return {
        "player": first.player,
        "actions": first.actions,
        "colours": action_colours(first.actions),
        "cards": [
            {
                "card": card,
                "ev": views[card].totals.ev,
                "equity": views[card].totals.equity,
                "frequencies": list(views[card].totals.frequencies.values()),
            }
            for card in deck
            if card in views
        ],
    }


def table(studio: Studio, given: Given) -> Response:
    """The hands of a place as CSV."""
    entry = studio.opened.file(given.text("file"))
    with entry.lock:
        view = entry.browser.view(given.text("line", ""), given.maybe("player"))
    named = {"Content-Disposition": 'attachment; filename="hands.csv"'}
    return Response(view.to_csv(), media_type="text/csv", headers=named)


def page(studio: Studio, given: Given) -> Response:
    """This place and those after it on a page that needs nothing else."""
    entry = studio.opened.file(given.text("file"))
    line = given.text("line", "")
    with entry.lock:
        nodes: dict[tuple[str, ...], Sequence[NodeView]] = {}
        if isinstance(entry.browser, Browser):
            nodes = {**entry.browser.walk_through(start=line, limit=PLACES, both=True)}
        nodes = nodes or {(): [entry.browser.view(line)]}
    named = {"Content-Disposition": 'attachment; filename="places.html"'}
    return Response(whole_page(nodes, entry.name), media_type="text/html", headers=named)


ROUTES = [
    asked("/browse", place),
    asked("/browse/hands", hands),
    asked("/browse/cards", strip),
    asked("/browse/csv", table),
    asked("/browse/page", page),
]
