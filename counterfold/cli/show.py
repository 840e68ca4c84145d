"""``counterfold show``: a strategy as people read it."""

from __future__ import annotations

import difflib
import json as json_module
import os
import shlex
import sys
from collections.abc import Mapping
from typing import Any

from counterfold.cli.output import advise, check_can_write, on_terminal, print_json, say, tell
from counterfold.cli.table import print_rows
from counterfold.errors import FileError, ParameterError, SpecError, cut
from counterfold.files.text import whole_of
from counterfold.files.whole import write_whole
from counterfold.strategy.strategy import Row, Strategy

__all__ = ["provenance", "run"]

ROWS = 40
"""How many rows a terminal gets unless it asks for more."""

QUICK = 10.0
"""Seconds for a game that has to be solved before it is shown."""

GAME_FILES = (".efg", ".txt", ".json")
ORDERS = ("play", "name")


def run(
    what: str,
    pattern: str | None,
    player: str | None,
    *,
    sort: str,
    limit: int | None,
    csv: str | None,
    json: bool,
    quiet: bool,
    poker: Mapping[str, Any] | None = None,
) -> None:
    """Print, or export, the strategy of a file or of a game.

    ``poker`` are the options of a poker solution, which is shown place by place.
    """
    from counterfold.cli.poker_names import is_poker_file, means_poker

    given = {key: value for key, value in (poker or {}).items() if value}
    if is_poker_file(what) or (not os.path.isdir(what) and means_poker(what)):
        from counterfold.cli.poker_show import Asked
        from counterfold.cli.poker_show import run as show_poker

        if sort != "play":
            raise ParameterError("--sort is for tables of infosets; poker is shown place by place")
        show_poker(
            Asked(what, pattern, player, limit=limit, csv=csv, json=json, quiet=quiet, **given)
        )
        return
    for name in given:
        raise ParameterError(f"--{name.rstrip('s')} is for poker; {what} is a table of infosets")
    if sort not in ORDERS:
        raise ParameterError(f"--sort is {sort!r}, and must be play or name")
    if limit is not None and limit < 0:
        raise ParameterError(f"--limit is {limit}, and must be 0 (all rows) or more")
    if csv == "-" and json:
        raise ParameterError("--csv - and --json both want standard output; give CSV a file")
    if (csv or json) and (limit is not None or sort != "play"):
        raise ParameterError("--limit and --sort are for the table; CSV and JSON have all rows")
    if csv and csv != "-":
        check_can_write(csv, "--csv")
    strategy = _strategy(what, quiet)
    who = None
    if player is not None:
        number = whole_of(player)
        if number is None or not 1 <= number <= strategy.players:
            raise ParameterError(
                f"--player is {cut(player, 60)}, and must be from 1 to {strategy.players}"
            )
        who = number - 1
    rows = list(strategy.rows(pattern, who))
    if pattern is not None and not rows:
        raise ParameterError(nothing_like(pattern, strategy, who))
    if csv == "-":
        sys.stdout.write(strategy.to_csv(pattern, who))
    elif csv:
        write_whole(csv, strategy.to_csv(pattern, who).encode())
        tell(f"{len(rows):,} infosets are in {csv}")
    if json:
        print_json(json_module.loads(strategy.to_json(pattern, who)))
    if csv or json:
        return
    if sort == "name":
        rows.sort(key=lambda row: (row.player, row.infoset))
    if limit is None:
        limit = ROWS if on_terminal(sys.stdout) else 0
    advise(provenance(strategy))
    left_out = print_rows(rows, limit)
    if left_out:
        command = f"counterfold show {shlex.quote(what)}"
        say()
        advise(
            f"{left_out:,} of {len(rows):,} rows are left out: `{command} --limit 0` prints all, "
            f"`{command} {shlex.quote(_example(rows))}` those of a pattern."
        )


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
    found = about.get("exploitability")
    if isinstance(found, int | float):
        parts.append(f"exploitability {found:.3g}")
    return ", ".join(parts)


def _strategy(what: str, quiet: bool) -> Strategy:
    suffix = os.path.splitext(what)[1].lower()
    if os.path.isdir(what) and os.sep in what:
        raise FileError(f"{what} is a folder, not a strategy file")
    if os.path.isfile(what) and suffix not in GAME_FILES:
        return Strategy.load(what)
    from counterfold.cli.solve import Request, solved
    from counterfold.games.catalog import load

    try:
        load(what)
    except SpecError as error:
        raise SpecError(f"there is no file {what}, and {error}") from None
    if not quiet:
        tell(f"{what} is a game: solving it first, for at most {QUICK:.0f} seconds")
    outcome = solved(Request(what, exploitability=1e-6, seconds=QUICK, quiet=quiet))
    outcome.end()
    return outcome.result.strategy


def nothing_like(pattern: str, strategy: Strategy, who: int | None) -> str:
    names = list(dict.fromkeys(row.infoset for row in strategy.rows(None, who)))
    bare = pattern.replace("*", "").replace("?", "")
    near = difflib.get_close_matches(bare, names, n=3, cutoff=0.0)
    of = f"player {who + 1} of {strategy.spec}" if who is not None else strategy.spec
    return f"no infoset of {of} fits {pattern!r}; the nearest are " + ", ".join(map(repr, near))


def _example(rows: list[Row]) -> Any:
    """A pattern that picks some of the rows: what the first one's name begins with."""
    return rows[0].infoset.split(" ")[0] + "*"
