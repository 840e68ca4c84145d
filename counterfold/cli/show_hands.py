"""A place of a poker solution, for all its hands: a grid, hands, a picture or a page."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfold.cli.grid import print_cards, print_curves, print_grid, print_hands, print_place
from counterfold.cli.output import advise, print_json, say, tell
from counterfold.cli.show import player_of, provenance
from counterfold.errors import ParameterError
from counterfold.evaluate.public_view import Browser
from counterfold.files.text import Json
from counterfold.files.whole import write_whole
from counterfold.poker.cards import board_name, parse_cards
from counterfold.poker.game import DEAL, DECISION, PokerGame
from counterfold.poker.grid_colours import MODES, mode_of
from counterfold.poker.made import check_words, names_kind
from counterfold.poker.ranges import CELL
from counterfold.poker.view import CLASSES, NodeView
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.find import Place, find_place
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from counterfold.abstraction.bucket_view import BucketBrowser
    from counterfold.cli.verbs.solving import ShowRequest

PAGES = 60
"""Places on a page of --html unless --limit says more."""


def check_hands(request: ShowRequest) -> None:
    """Refuse what cannot be shown of hands."""
    if request.sort != "play":
        raise ParameterError("--sort is for tables of infosets; poker is shown place by place")
    outputs = (request.json, request.csv, request.png, request.html, request.hand)
    if request.browse and any(outputs):
        raise ParameterError("--browse is a walk of its own; leave out the other outputs")
    if request.deal and not request.html:
        raise ParameterError("--deal says which cards --html goes on with; name the page as well")
    if request.limit is not None and request.limit < 1:
        raise ParameterError(f"--limit is {request.limit}, and must be at least 1 place of a page")
    if request.hand:
        check_words(request.hand)
    if request.cards and (request.browse or request.csv or request.png or request.hand):
        raise ParameterError("--cards is a table of its own, also with --json or --html")


def show_hands(request: ShowRequest, strategy: AnyStrategy) -> None:
    """Print, draw, export or walk through a solution."""
    tree = strategy.tree
    player = player_of(request.player, tree.players, tree.game.players)
    board = parse_cards(request.board) if request.board else ()
    place = find_place(tree, request.pattern or "", board)  # a wrong word before any work
    if isinstance(tree, PublicTree):
        browser = Browser(strategy)
    else:
        _show_view(request, strategy, place, _by_bucket(request, strategy).view(place, player))
        return
    if request.browse:
        from counterfold.cli.browse import browse

        advise(provenance(strategy))
        browse(browser, place, player, request.mode)
        return
    if request.cards:
        _show_cards(request, browser, place, player)
        return
    if request.html:
        _write_page(request, browser)
    if request.mode == "curve":
        _show_curves(request, browser, place)
        return
    _show_view(request, strategy, place, browser.view(place, player))


def _by_bucket(request: ShowRequest, strategy: AnyStrategy) -> BucketBrowser:
    """A strategy over buckets, where EV and equity are not known."""
    from counterfold.abstraction.bucket_view import BucketBrowser

    for name in ("browse", "cards", "html"):
        if getattr(request, name):
            raise ParameterError(
                f"--{name} needs the EV of every hand, and {strategy.spec} is too large for that: "
                "look at its places one by one"
            )
    worth = (request.mode or "").partition(":")[0]
    if worth in ("ev", "equity", "curve"):
        raise ParameterError(
            f"--mode {worth} is not known over buckets; there are strategy, weight and actions"
        )
    return BucketBrowser(strategy)


def _show_view(request: ShowRequest, strategy: Strategy, place: Place, view: NodeView) -> None:
    """A place in every way that is wanted."""
    if request.hand:
        view.hands(request.hand)  # what the board does not leave is refused before any output
    mode = named_mode(view, request.mode)
    mode_of(view, mode)
    part = view.only(request.hand) if request.hand and names_kind(request.hand) else view
    if request.png:
        from counterfold.cli.grid_png import draw_grid

        draw_grid(part, request.png, mode)
        tell(f"the picture is {request.png}")
    if request.csv == "-":
        sys.stdout.write(view.to_csv(request.hand))
    elif request.csv:
        write_whole(request.csv, view.to_csv(request.hand).encode())
        tell(f"{len(view.hands(request.hand)):,} hands are in {request.csv}")
    if request.json:
        print_json(_document(request, strategy, place, view))
    if not (request.json or request.csv or request.png or request.html):
        _print(request, strategy, place, view)


def _print(request: ShowRequest, strategy: AnyStrategy, place: Place, view: NodeView) -> None:
    advise(provenance(strategy))
    say()
    if request.hand:
        if names_kind(request.hand):
            print_grid(view.only(request.hand), named_mode(view, request.mode))
        else:
            print_place(view)
        say()
        print_hands(view, request.hand)
    else:
        print_grid(view, named_mode(view, request.mode))
    say()
    words = next_words(strategy.tree.game, place)
    if not words:
        advise("The hand ends here.")
        return
    path = ", ".join([*place.line, words[0]])
    dealt = strategy.tree.game.betting.kind[place.node] == DEAL
    following = f"cards, such as {words[0]}" if dealt else _listed(words)
    browse = ", or walk the tree with --browse" if isinstance(strategy.tree, PublicTree) else ""
    advise(
        f"Next: {following}. See it with `counterfold show {shlex.quote(request.what)} "
        f"{shlex.quote(path)}`{browse}."
    )


def named_mode(view: NodeView, text: str | None) -> str | None:
    """The mode that a word means; the beginning of an action's name will do, also after ev:."""
    worth, _, action = (text or "").rpartition(":")
    fits = [one for one in view.actions if action and one.startswith(action)]
    if text is None or text in MODES or action in view.actions or len(fits) != 1:
        return text
    return f"{worth}:{fits[0]}" if worth else fits[0]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def next_words(game: PokerGame, place: Place) -> list[str]:
    """What can follow a place: actions, or at a deal an example of cards; nothing at an end."""
    betting, node = game.betting, place.node
    if betting.kind[node] == DECISION:
        return [betting.label[child] for child in betting.children(node)]
    if betting.kind[node] != DEAL:
        return []
    count = game.rules.deal[int(betting.street[node]) + 1]
    left = [card for card in game.rules.deck if card not in place.cards]
    middle = len(left) // 2
    return [f"[{board_name(left[middle : middle + 5 * count : 5])}]"]


def _document(request: ShowRequest, strategy: AnyStrategy, place: Place, view: NodeView) -> Json:
    game = strategy.tree.game
    document = view.to_dict()
    if request.hand:
        wanted = {hand.name: CLASSES[CELL[hand.hole]] for hand in view.hands(request.hand)}
        for key, names in (("classes", {*wanted.values()}), ("hands", wanted)):
            document[key] = [entry for entry in document[key] if entry["hand"] in names]
        part = view.only(request.hand).totals
        document["part"] = {"hand": request.hand, **part._asdict()}
    kind = int(game.betting.kind[place.node])
    document["next"] = next_words(game, place) if kind == DECISION else []
    document["deals"] = kind == DEAL
    document["about"] = dict(strategy.about)
    return document


def _show_cards(request: ShowRequest, browser: Browser, place: Place, player: int | None) -> None:
    """What every card that can come makes of a line."""
    views = browser.cards(place, player)
    if request.html:
        from counterfold.cli.grid_html import write_page

        nodes = {view.line: view for view in views.values()}
        write_page(nodes, request.html, provenance(browser.strategy))
        tell(f"{len(nodes):,} cards are in {request.html}")
    if request.json:
        cards = {card: view.to_dict(hands=False) for card, view in views.items()}
        keys = ("player", "ev", "ev_percent_of_pot", "equity", "frequencies", "combos")
        print_json(
            {
                "line": list(place.line),
                "cards": [
                    {"card": card, **{key: document[key] for key in keys}}
                    for card, document in cards.items()
                ],
            }
        )
    elif not request.html:
        advise(provenance(browser.strategy))
        say()
        print_cards(views)


def _show_curves(request: ShowRequest, browser: Browser, place: Place) -> None:
    """The equity of both ranges from the worst hand to the best."""
    views = [browser.view(place, player) for player in (0, 1)]
    if request.png:
        from counterfold.cli.grid_png import draw_curves

        draw_curves(views, request.png)
        tell(f"the picture is {request.png}")
    if request.json:
        print_json({view.player: view.equity_curve() for view in views})
    elif not request.png:
        advise(provenance(browser.strategy))
        say()
        print_curves(views)


def _write_page(request: ShowRequest, browser: Browser) -> None:
    from counterfold.cli.grid_html import write_page

    nodes = browser.walk_through(
        request.deal, start=request.pattern or "", limit=request.limit or PAGES, both=True
    )
    if not nodes:
        raise ParameterError("nobody decides after that, so a page would be empty; go back a step")
    assert request.html is not None
    write_page(nodes, request.html, provenance(browser.strategy))
    tell(f"{len(nodes):,} places are in {request.html}")
