"""``counterfold show``: a strategy as people read it, by infosets or by hands."""

from __future__ import annotations

import difflib
import json as json_module
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from counterfold.cli.output import (
    advise,
    in_units,
    on_terminal,
    print_json,
    say,
    tell,
)
from counterfold.cli.request import check_files
from counterfold.cli.table import print_rows
from counterfold.cli.verbs.solving import ShowRequest, SolveRequest
from counterfold.errors import FileError, ParameterError, SpecError, TreeTooLargeError, cut
from counterfold.files.arrays import Saved
from counterfold.files.text import whole_of
from counterfold.files.whole import write_whole
from counterfold.games.base import Game
from counterfold.poker.game import PokerGame
from counterfold.poker.units import Units
from counterfold.strategy.hands import HandLayout
from counterfold.strategy.layout import ABSTRACT, Row
from counterfold.strategy.store import read
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.named import game_named

ROWS = 40
"""How many rows a terminal gets unless it asks for more."""
GAME_FILES = (".efg", ".txt", ".json")
ORDERS = ("play", "name")
OF_HANDS = ("hand", "mode", "png", "html", "deal", "cards", "browse", "board")
GRIDS = (HandLayout.name, "buckets", "drawn")
"""Options of places where every hand of two cards has its own strategy."""


def run(request: ShowRequest) -> None:
    """Print, or export, the strategy of a file or of a game."""
    check_files(request)
    if _is_strategy_file(request.what):
        strategy = _saved(request.what)
        grid = strategy.layout.name in GRIDS and _has_grid(strategy.tree.game)
        _check_part(request, grid)
    else:
        game = _game(request.what)
        grid = _has_grid(game)
        _check_part(request, grid)  # before it is solved
        strategy = _solved(request, game)
    if request.stats:
        from counterfold.cli.show_statistics import show_statistics

        show_statistics(request, strategy)
    elif grid:
        from counterfold.cli.show_hands import show_hands

        show_hands(request, strategy)
    else:
        _show_rows(request, strategy)


def _has_grid(game: Game | PokerGame) -> bool:
    """Whether hands are of two cards, and so have a grid."""
    return isinstance(game, PokerGame) and game.rules.hole == 2


def _check_part(request: ShowRequest, grid: bool) -> None:
    """Refuse the options of grids for rows, and those of rows for grids."""
    if request.boards is not None and not request.stats:
        raise ParameterError("--boards are drawn for --stats; ask for them as well")
    others = ("pattern", "csv", "limit", *OF_HANDS)
    if request.stats and (named := [name for name in others if getattr(request, name)]):
        raise ParameterError(f"--stats is a table of its own; leave out {named[0]}")
    if grid:
        from counterfold.cli.show_hands import check_hands

        check_hands(request)
        return
    for name in OF_HANDS:
        if getattr(request, name):
            raise ParameterError(
                f"--{name} is for poker with hands of two cards, as in hold'em; {request.what} is "
                "a table of infosets"
            )
    if request.sort not in ORDERS:
        raise ParameterError(f"--sort is {request.sort!r}, and must be play or name")
    if request.limit is not None and request.limit < 0:
        raise ParameterError(f"--limit is {request.limit}, and must be 0 (all rows) or more")
    if (request.csv or request.json) and (request.limit is not None or request.sort != "play"):
        raise ParameterError("--limit and --sort are for the table; CSV and JSON have all rows")


# Where the strategy comes from.


def _is_strategy_file(what: str) -> bool:
    if os.path.isdir(what) and os.sep in what:
        raise FileError(f"{what} is a folder, not a strategy file")
    return os.path.isfile(what) and os.path.splitext(what)[1].lower() not in GAME_FILES


def _game(what: str) -> Game | PokerGame:
    try:
        return game_named(what)
    except SpecError as error:
        raise SpecError(f"there is no file {what}, and {error}") from None


def _solved(request: ShowRequest, game: Game | PokerGame) -> AnyStrategy:
    """The strategy of a game that is solved for a short time."""
    from counterfold.cli.solve import solved
    from counterfold.cli.task import task_of

    units = game.units if isinstance(game, PokerGame) else Units()
    goal = "0.5%" if units.pot else "1mbb" if units.big_blind else 1e-6
    seconds = 30.0 if isinstance(game, PokerGame) else 10.0
    if not request.quiet:
        tell(
            f"{request.what} is a game: solving it first, to {goal}, for at most "
            f"{seconds:.0f} seconds"
        )
    task = SolveRequest(
        request.what, exploitability=goal, seconds=seconds, quiet=request.quiet,
        library=request.library,
    )  # fmt: skip
    outcome = solved(task_of(task))
    outcome.end()
    return outcome.result.strategy


def _saved(path: str) -> AnyStrategy:
    strategy, state, _ = read(path)
    if strategy.layout.name in ABSTRACT:
        return _in_full(strategy)
    return _with_locks(strategy, state) if isinstance(strategy.layout, HandLayout) else strategy


def _in_full(strategy: AnyStrategy) -> AnyStrategy:
    """What a strategy of a game made smaller does in the game itself, where that fits."""
    from counterfold.abstraction.bucket_layout import by_hand
    from counterfold.abstraction.deal_form import by_infosets

    if strategy.layout.name == "deals":
        return by_infosets(strategy)
    try:
        lifted = strategy.layout.name == "buckets" and strategy.players == 2
        return by_hand(strategy) if lifted else strategy
    except TreeTooLargeError:
        return strategy


def _with_locks(strategy: AnyStrategy, state: Saved) -> AnyStrategy:
    """A strategy in which hands that never get to a lock show it as well."""
    from counterfold.exploit.locks import fill_locks
    from counterfold.tree.public_arrays import fields_in

    conditions = fields_in(state.part("asked."), strategy.tree)
    held = {key for fields in conditions for key in fields}
    words = [word for key, word in (("lock", "locks"), ("delta", "a style")) if key in held]
    about = {**strategy.about, **({"with": " and ".join(words)} if words else {})}
    # Single precision, whatever it was stored in: any scale will do.
    one, two = (table.astype(np.float32, copy=False) for table in strategy.tables)
    strategy = replace(strategy, tables=(one, two), about=about)
    for player, fields in enumerate(conditions):
        if "lock" in fields:
            fill_locks(strategy, player, fields)
    return strategy


def provenance(strategy: Strategy) -> str:
    """Where a strategy comes from, on one line."""
    about = strategy.about
    parts = [strategy.spec, str(about.get("method", "of unknown origin"))]
    if about.get("traversal", "full") != "full":
        parts.append(f"{about['traversal']} sampling")
    if isinstance(about.get("iteration"), int):
        parts.append(f"{about['iteration']:,} iterations")
    if about.get("iterate") == "last":
        parts.append("last iterate")
    if about.get("with"):
        parts.append(f"with {about['with']}")
    measured = about.get("exploitability")
    if isinstance(measured, int | float):
        # Rules may be gone: only a public tree, which its file has whole, is asked for units.
        units = strategy.tree.units if isinstance(strategy.layout, HandLayout) else Units()
        parts.append(f"exploitability {in_units(units, measured)}")
    return ", ".join(parts)


# Rows of infosets.


def _show_rows(request: ShowRequest, strategy: Strategy) -> None:
    pattern, csv = request.pattern, request.csv
    who = player_of(request.player, strategy.players, ())
    rows = list(strategy.rows(pattern, who))
    if pattern is not None and not rows:
        raise ParameterError(nothing_like(pattern, strategy, who))
    if csv == "-":
        sys.stdout.write(strategy.to_csv(pattern, who))
    elif csv:
        write_whole(csv, strategy.to_csv(pattern, who).encode())
        tell(f"{len(rows):,} infosets are in {csv}")
    if request.json:
        print_json(json_module.loads(strategy.to_json(pattern, who)))
    if not (csv or request.json):
        _print_rows(request, strategy, rows)


def _print_rows(request: ShowRequest, strategy: Strategy, rows: list[Row]) -> None:
    if request.sort == "name":
        rows.sort(key=lambda row: (row.player, row.infoset))
    rows.sort(key=lambda row: (row.player, row.infoset != request.pattern))  # what was named first
    limit = request.limit
    if limit is None:
        limit = ROWS if on_terminal(sys.stdout) else 0
    advise(provenance(strategy))
    left_out = print_rows(rows, limit)
    if left_out:
        command = f"counterfold show {shlex.quote(request.what)}"
        example = rows[0].infoset.split(" ")[0] + "*"
        say()
        advise(
            f"{left_out:,} of {len(rows):,} rows are left out: `{command} --limit 0` prints all, "
            f"`{command} {shlex.quote(example)}` those of a pattern."
        )


def player_of(text: str | None, players: int, names: Sequence[str]) -> int | None:
    """The player that a word means: a number from 1, or a name where players have one.

    >>> player_of("2", 2, ()), player_of("OOP", 2, ("oop", "ip"))
    (1, 0)
    """
    if text is None:
        return None
    words = [name.lower() for name in names]
    if text.lower() in words:
        return words.index(text.lower())
    number = whole_of(text)
    if number is None or not 1 <= number <= players:
        named = f"{' or '.join(names)}, or " if names else ""
        raise ParameterError(f"--player is {cut(text, 60)}, and must be {named}from 1 to {players}")
    return number - 1


def nothing_like(pattern: str, strategy: Strategy, who: int | None) -> str:
    """That no infoset fits a pattern, and which come nearest."""
    names = list(dict.fromkeys(row.infoset for row in strategy.rows(None, who)))
    bare = pattern.replace("*", "").replace("?", "")
    near = difflib.get_close_matches(bare, names, n=3, cutoff=0.0)
    of = f"player {who + 1} of {strategy.spec}" if who is not None else strategy.spec
    return f"no infoset of {of} fits {pattern!r}; the nearest are " + ", ".join(map(repr, near))
