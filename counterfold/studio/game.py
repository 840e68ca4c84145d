"""A game of whatever rules: its infosets, what is played there, its tree, how it was solved."""

from __future__ import annotations

from itertools import islice

from starlette.responses import Response

from counterfold.errors import FileError, UnsupportedError
from counterfold.evaluate.exact import assess
from counterfold.files.arrays import header_in
from counterfold.files.text import Json
from counterfold.games.base import CHANCE, TERMINAL, State, label
from counterfold.strategy.strategy import Strategy
from counterfold.studio.calls import Given, asked
from counterfold.studio.opened import Open
from counterfold.studio.server import Studio
from counterfold.tree.history import HistoryTree
from counterfold.tree.story import rules_of

ROWS = 1000
"""Infosets that are listed at once."""
DRAWN = 600
"""Nodes of a tree that is drawn."""


def game(studio: Studio, given: Given) -> Json:
    """The strategy of a file, infoset by infoset."""
    entry = studio.opened.file(given.text("file"))
    with entry.lock:
        strategy, pattern = entry.strategy, given.maybe("pattern")
        found = list(islice(strategy.rows(pattern), ROWS + 1))
        measured = assess(strategy) if isinstance(strategy.tree, HistoryTree) else None
        return {
            "file": entry.name,
            "game": strategy.spec,
            "players": strategy.players,
            "infosets": len(strategy),
            "about": {k: v for k, v in strategy.about.items() if isinstance(v, str | int | float)},
            "values": list(measured.values) if measured else None,
            "exploitability": measured.exploitability if measured else None,
            "rows": [[row.player, row.infoset, row.actions] for row in found[:ROWS]],
            "more": len(found) > ROWS,
            "trace": _trace(studio, entry),
        }


def _trace(studio: Studio, entry: Open) -> list[list[float]]:
    """The checks of the run, which its checkpoint has."""
    try:
        run = header_in(str(studio.folder.inside(entry.name))).fields("run")
        checks = [(e.whole("iteration", 0), e.number("seconds", 0), e.number("exploitability", 0))
                  for e in run.objects("trace")]  # fmt: skip
    except (FileError, KeyError):
        return []
    return [list(check) for check in checks]


def tree(studio: Studio, given: Given) -> Json:
    """The tree of a small game, node by node, with how often each action is taken."""
    entry = studio.opened.file(given.text("file"))
    with entry.lock:
        if not isinstance(entry.strategy.tree, HistoryTree):
            raise UnsupportedError(f"{entry.strategy.spec} is too large for a tree to be drawn")
        return {"nodes": _walk(entry.strategy)}


def _walk(strategy: Strategy[HistoryTree]) -> list[Json]:
    """Nodes in the order of a walk from the root, each after its parent."""
    rules = rules_of(strategy.tree)
    nodes: list[Json] = []
    stack: list[tuple[State, int, str, float, float]] = [(rules.root(), -1, "", 1.0, 1.0)]
    while stack:
        state, parent, action, share, reach = stack.pop()
        if len(nodes) >= DRAWN:
            raise UnsupportedError(f"this game has more than {DRAWN} histories, too many to draw")
        turn, number = int(rules.turn(state)), len(nodes)
        node = {"parent": parent, "action": action, "share": share, "reach": reach, "who": turn}
        nodes.append(node)
        if turn == TERMINAL:
            node["payoff"] = [float(x) for x in rules.payoff(state)]
            continue
        if turn == CHANCE:
            odds = [(move, float(p)) for move, p in rules.chance(state)]
        else:
            seen = rules.observe(state, turn)
            chosen = strategy.at(seen, player=turn)
            node["infoset"] = label(seen)
            odds = [(move, chosen[label(move)]) for move in rules.actions(state)]
        stack += [
            (rules.next(state, move), number, label(move), p, reach * p)
            for move, p in reversed(odds)
        ]
    return nodes


def table(studio: Studio, given: Given) -> Response:
    """The strategy as CSV."""
    entry = studio.opened.file(given.text("file"))
    text = entry.strategy.to_csv(given.maybe("pattern"))
    named = {"Content-Disposition": 'attachment; filename="strategy.csv"'}
    return Response(text, media_type="text/csv", headers=named)


ROUTES = [asked("/game", game), asked("/game/tree", tree), asked("/game/csv", table)]
