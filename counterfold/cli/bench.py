"""``counterfold bench``: measure, show a table, and write the figures down."""

from __future__ import annotations

import json as jsonlib
import sys
from typing import Any

from counterfold.cli.output import on_terminal, print_json, safe_console, say, tell
from counterfold.files.whole import write_whole
from counterfold.plot import save

__all__ = ["run", "show"]


def run(
    what: str,
    *,
    games: list[str] | None = None,
    budget: float | None = None,
    plot: str | None = None,
    out: str | None = None,
    json: bool = False,
) -> None:
    """Run one benchmark and tell about it in every form that was asked for."""
    document, table, picture = _MEASURES[what](games, budget)
    if out:
        write_whole(out, (jsonlib.dumps(document, indent=1) + "\n").encode())
    if plot:
        save(picture(), plot)
    if json:
        print_json(document)
        return
    show(table)
    for path in (out, plot):
        if path:
            say(f"Written: {path}")


def _methods(games: list[str] | None, budget: float | None) -> tuple[Any, Any, Any]:
    from counterfold.bench import methods

    spend = budget or 10.0
    races = methods.run(games or methods.GAMES, spend, on_progress=tell)
    table = methods.table(races, spend)
    return methods.to_json(races, spend), table, lambda: methods.plot(races)


def _kernels(games: list[str] | None, budget: float | None) -> tuple[Any, Any, Any]:
    from counterfold.bench import kernels

    costs = kernels.run(games or kernels.GAMES, on_progress=tell)
    return kernels.to_json(costs), kernels.table(costs), lambda: kernels.plot(costs)


def _arena(games: list[str] | None, budget: float | None) -> tuple[Any, Any, Any]:
    from counterfold.bench import arena

    paces = arena.run(games or arena.GAMES, tell, budget or 0.2)
    return arena.to_json(paces), arena.table(paces), lambda: arena.plot(paces)


def _peers(games: list[str] | None, budget: float | None) -> tuple[Any, Any, Any]:
    from counterfold.bench import peers, peers_view

    def progress(done: int, total: int, doing: str) -> None:
        tell(f"{done} of {total}: {doing}")

    report = peers.run(games, budget or 60.0, progress)
    return report.to_dict(), peers_view.table(report), lambda: peers_view.plot(report)


def _search(games: list[str] | None, budget: float | None) -> tuple[Any, Any, Any]:
    from counterfold.bench import search

    costs = search.run(games or search.GAMES, on_progress=tell)
    return search.to_json(costs), search.table(costs), lambda: search.plot(costs)


def _cheat(games: list[str] | None, budget: float | None) -> tuple[Any, Any, Any]:
    from counterfold.bench import cheat

    costs = cheat.run(games or cheat.GAMES, on_progress=tell)
    return cheat.to_json(costs), cheat.table(costs), lambda: cheat.plot(costs)


def _poker(games: list[str] | None, budget: float | None) -> tuple[Any, Any, Any]:
    from counterfold.bench import poker, poker_view

    costs = poker.run(games or tuple(poker.SPOTS), budget or 120.0, tell)
    return poker_view.to_json(costs), poker_view.table(costs), lambda: poker_view.plot(costs)


def _poker_methods(games: list[str] | None, budget: float | None) -> tuple[Any, Any, Any]:
    from counterfold.bench import poker_methods

    races = poker_methods.run(games or poker_methods.NAMES, budget or 60.0, tell)
    table = poker_methods.table(races)
    return poker_methods.to_json(races), table, lambda: poker_methods.plot(races)


_MEASURES = {
    "methods": _methods,
    "kernels": _kernels,
    "peers": _peers,
    "arena": _arena,
    "search": _search,
    "cheat": _cheat,
    "poker": _poker,
    "poker-methods": _poker_methods,
}


def show(table: Any) -> None:
    """A table as wide as it needs to be in a pipe, and as wide as it can be on a terminal."""
    width = None if on_terminal(sys.stdout) else 240
    safe_console(width=width).print(table)
