"""``counterfold show`` for poker: a place of a solution as a grid, hands, a picture or a page."""

from __future__ import annotations

import json as json_module
import shlex
import sys
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from counterfold.cli.grid import print_grid, print_hands
from counterfold.cli.grid_colours import MODES, mode_of
from counterfold.cli.output import advise, check_can_write, print_json, say, tell
from counterfold.cli.poker_names import is_poker_file
from counterfold.cli.table import print_rows
from counterfold.errors import ParameterError
from counterfold.evaluate.public_view import Browser
from counterfold.exploit.locks import fill_locks
from counterfold.files.whole import write_whole
from counterfold.poker.cards import board_name, card_name
from counterfold.poker.game import DEAL, DECISION, PokerGame
from counterfold.poker.ranges import CELL, Range
from counterfold.poker.view import CLASSES, NodeView
from counterfold.strategy.store import read
from counterfold.strategy.strategy import Row, Strategy
from counterfold.tree.find import Place, find_place
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import asked_in

__all__ = ["Asked", "named_mode", "next_words", "player_of", "run"]

QUICK = 30.0
"""Seconds for a spot that has to be solved before it is shown."""
ENOUGH = "0.5%"
PAGES = 60
"""Places on a page of --html unless --limit says more."""


@dataclass(frozen=True)
class Asked:
    """What was asked for; None where an option was not given."""

    what: str
    path: str | None = None
    player: str | None = None
    hand: str | None = None
    mode: str | None = None
    png: str | None = None
    html: str | None = None
    deals: tuple[str, ...] = ()
    limit: int | None = None
    csv: str | None = None
    browse: bool = False
    json: bool = False
    quiet: bool = False


def run(asked: Asked) -> None:
    """Print, draw, export or walk through a solution."""
    _check(asked)
    strategy = _strategy(asked)
    game = strategy.tree.game
    player = player_of(game, asked.player)
    if game.rules.hole == 1:
        _rows(asked, strategy, player)
        return
    place = find_place(strategy.tree, asked.path or "")  # a wrong word before any work
    browser = Browser(strategy)
    if asked.browse:
        from counterfold.cli.poker_browse import browse

        advise(provenance(strategy))
        browse(browser, place, player, asked.mode)
        return
    if asked.html:
        _write_page(asked, browser)
    view = browser.view(place, player)
    mode = named_mode(view, asked.mode)
    mode_of(view, mode)
    if asked.png:
        from counterfold.cli.grid_png import draw_grid

        draw_grid(view, asked.png, mode)
        tell(f"the picture is {asked.png}")
    if asked.csv == "-":
        sys.stdout.write(view.to_csv(asked.hand))
    elif asked.csv:
        write_whole(asked.csv, view.to_csv(asked.hand).encode())
        tell(f"{len(view.hands(asked.hand)):,} hands are in {asked.csv}")
    if asked.json:
        print_json(_document(asked, strategy, place, view))
    if not (asked.json or asked.csv or asked.png or asked.html):
        _print(asked, strategy, place, view)


def _check(asked: Asked) -> None:
    if asked.csv == "-" and asked.json:
        raise ParameterError("--csv - and --json both want standard output; give CSV a file")
    for option, path in (("--png", asked.png), ("--html", asked.html), ("--csv", asked.csv)):
        if path and path != "-":
            check_can_write(path, option)
    if asked.png:
        from counterfold.plot import check_plot

        check_plot(asked.png)
    if asked.browse and (asked.json or asked.csv or asked.png or asked.html or asked.hand):
        raise ParameterError("--browse is a walk of its own; leave out the other outputs")
    if asked.deals and not asked.html:
        raise ParameterError("--deal says which cards --html goes on with; name the page as well")
    if asked.limit is not None and asked.limit < 1:
        raise ParameterError(f"--limit is {asked.limit}, and must be at least 1 place of a page")
    if asked.hand:
        Range.parse(asked.hand)


def player_of(game: PokerGame, text: str | None) -> int | None:
    """The player that a word means: a name, or 1 or 2."""
    if text is None:
        return None
    words = [name.lower() for name in game.players]
    if text.lower() in words:
        return words.index(text.lower())
    if text in ("1", "2"):
        return int(text) - 1
    raise ParameterError(f"--player is {text!r}, and must be {' or '.join(game.players)} (or 1, 2)")


def _strategy(asked: Asked) -> Strategy[PublicTree]:
    if is_poker_file(asked.what):
        found, state, _ = read(asked.what)
        asked_for = asked_in(state.part("asked."), found.tree)
        given = {key for fields in asked_for for key in fields}
        wishes = [told for key, told in (("lock", "locks"), ("delta", "a style")) if key in given]
        about = {**found.about, **({"with": " and ".join(wishes)} if wishes else {})}
        # Single precision, whatever it was stored in: any scale will do.
        one, two = (table.astype(np.float32, copy=False) for table in found.tables)
        found = replace(found, tables=(one, two), about=about)
        for p in (0, 1):  # hands that never get to a lock show it as well
            if "lock" in asked_for[p]:
                fill_locks(found, p, asked_for[p])
        return found
    from counterfold.cli.poker_names import poker_game
    from counterfold.cli.poker_solve import solved
    from counterfold.cli.solve import Request

    game = poker_game(asked.what)
    goal: Any = ENOUGH if game.pot else "1mbb" if game.big_blind else 1e-6
    if not asked.quiet:
        tell(f"{asked.what} is solved first, to {goal}, for at most {QUICK:.0f} seconds")
    outcome = solved(
        Request(asked.what, exploitability=goal, seconds=QUICK, quiet=asked.quiet), game
    )
    outcome.end()
    return outcome.result.strategy


def provenance(strategy: Strategy[PublicTree]) -> str:
    """Where a strategy comes from, on one line."""
    about, game = strategy.about, strategy.tree.game
    parts = [game.spec, str(about.get("method", "of unknown origin"))]
    if isinstance(about.get("iteration"), int):
        parts.append(f"{about['iteration']:,} iterations")
    if about.get("with"):
        parts.append(f"with {about['with']}")
    found = about.get("exploitability")
    if isinstance(found, int | float):
        if game.pot:
            parts.append(f"exploitability {100 * found / game.pot:.3g}% of the pot")
        elif game.big_blind:
            parts.append(f"exploitability {1000 * found / game.big_blind:.3g} mbb/h")
        else:
            parts.append(f"exploitability {found:.3g}")
    return ", ".join(parts)


def _print(asked: Asked, strategy: Strategy[PublicTree], place: Place, view: NodeView) -> None:
    advise(provenance(strategy))
    say()
    if asked.hand:
        print_hands(view, asked.hand)
    else:
        print_grid(view, named_mode(view, asked.mode))
    say()
    word = next_words(strategy.tree.game, place)
    if not word:
        advise("The hand ends here.")
        return
    path = ", ".join([*place.line, word[0]])
    dealt = strategy.tree.game.betting.kind[place.node] == DEAL
    told = f"cards, such as {word[0]}" if dealt else _listed(word)
    advise(
        f"Next: {told}. See it with `counterfold show {shlex.quote(asked.what)} "
        f"{shlex.quote(path)}`, or walk the tree with --browse."
    )


def named_mode(view: NodeView, text: str | None) -> str | None:
    """The mode that a word means; the beginning of an action's name will do."""
    fits = [action for action in view.actions if text and action.startswith(text)]
    if text is None or text in MODES or text in view.actions or len(fits) != 1:
        return text
    return fits[0]


def _listed(words: list[str]) -> str:
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


def _document(
    asked: Asked, strategy: Strategy[PublicTree], place: Place, view: NodeView
) -> dict[str, Any]:
    game = strategy.tree.game
    document = view.to_dict()
    if asked.hand:
        wanted = {hand.name: CLASSES[CELL[hand.hole]] for hand in view.hands(asked.hand)}
        for key, names in (("classes", {*wanted.values()}), ("hands", wanted)):
            document[key] = [entry for entry in document[key] if entry["hand"] in names]
    kind = int(game.betting.kind[place.node])
    document["next"] = next_words(game, place) if kind == DECISION else []
    document["deals"] = kind == DEAL
    document["about"] = dict(strategy.about)
    return document


def _write_page(asked: Asked, browser: Browser) -> None:
    from counterfold.cli.grid_html import write_page

    nodes = browser.walk_through(
        asked.deals, start=asked.path or "", limit=asked.limit or PAGES, both=True
    )
    if not nodes:
        raise ParameterError("nobody decides after that, so a page would be empty; go back a step")
    assert asked.html is not None
    write_page(nodes, asked.html, provenance(browser.strategy))
    tell(f"{len(nodes):,} places are in {asked.html}")


# Hands of one card.


def _rows(asked: Asked, strategy: Strategy[PublicTree], player: int | None) -> None:
    """A strategy for hands of one card as a table."""
    for option in ("hand", "mode", "png", "html", "browse"):
        if getattr(asked, option):
            raise ParameterError(f"--{option} is for hold'em; {strategy.tree.game.name} is a table")
    rows = [row for row in rows_of(strategy) if player in (None, row.player)]
    pattern = asked.path
    if pattern is not None:
        glob = pattern if set("*?") & set(pattern) else f"*{pattern}*"
        rows = [row for row in rows if fnmatchcase(row.infoset, glob)]
        if not rows:
            raise ParameterError(f"no hand of {strategy.tree.game.name} fits {pattern!r}")
    document = [
        {"player": row.player + 1, "infoset": row.infoset, "actions": row.actions} for row in rows
    ]
    if asked.csv:
        lines = ["player,infoset,action,probability"]
        for row in rows:
            lines += [
                f"{row.player + 1},{row.infoset},{a},{float(p)!r}" for a, p in row.actions.items()
            ]
        text = "\n".join(lines) + "\n"
        if asked.csv == "-":
            sys.stdout.write(text)
        else:
            write_whole(asked.csv, text.encode())
    if asked.json:
        game = strategy.tree.game.spec
        told = {"game": game, "about": dict(strategy.about), "infosets": document}
        print_json(json_module.loads(json_module.dumps(told)))
    if not (asked.csv or asked.json):
        advise(provenance(strategy))
        print_rows(rows)


def rows_of(strategy: Strategy[PublicTree]) -> list[Row]:
    """Every decision with every hand of one card: "Ks check bet", "Kh Qs | check bet call"."""
    tree, found = strategy.tree, []
    betting = tree.game.betting
    for number, board in enumerate(tree.boards):
        for node in strategy.hands.decisions(number):
            owner = int(betting.player[node])
            played = strategy.hands.at(node, number)
            labels = [betting.label[child] for child in betting.children(node)]
            for hole in sorted(tree.hands[owner][number].holes.tolist()):
                words = [card_name(hole), board_name(board.cards), *betting.line(node)]
                mix = dict(zip(labels, played[:, hole].tolist(), strict=True))
                found.append(Row(owner, " ".join(filter(None, words)), mix))
    return sorted(found, key=lambda row: row.player)
