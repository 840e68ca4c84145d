"""``counterfold games``: the games that have a name, and a closer look at one."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from counterfold.cli.certificate import Lines, print_entries, print_panel
from counterfold.cli.output import advise, amount, print_json, say
from counterfold.cli.progress import Watch
from counterfold.cli.verbs.solving import GamesRequest, SolveRequest
from counterfold.errors import TreeTooLargeError
from counterfold.games.catalog import Entry, games, load
from counterfold.games.spec import parse_spec, written

if TYPE_CHECKING:
    from counterfold.games.base import Game
    from counterfold.tree.walk import Reading

PATIENCE = 10.0
"""Seconds to count the histories of a game before its size is called large."""

ALSO = (
    ("path/to/mygame.py:MyGame", "your own class with seven methods"),
    ("game.txt, game.json", "a normal form from a file"),
    ("game.efg", "a Gambit file"),
    ("fhp, fhp(cap=3)", "Flop Hold'em poker, every hand at every node"),
    ("spot.json", "a spot of hold'em: a board, two ranges, a pot and what may be bet"),
    ("table.json", "a table of hold'em: players, stacks, blinds, and what each seat may bet"),
    ("openspiel:NAME(...)", "any game of OpenSpiel, such as openspiel:leduc_poker(players=3)"),
)


def run(request: GamesRequest) -> None:
    """All games, or one."""
    if request.name is None:
        _overview(request.json)
    else:
        _describe(request.name, request.json)


def _overview(json: bool) -> None:
    """All named games."""
    if json:
        print_json({"games": [_as_dict(entry) for entry in games()], "also": dict(ALSO)})
        return
    entries = []
    for entry in games():
        about = entry.summary + (f", a preset of {entry.cls.name}" if entry.preset else "")
        example = "" if entry.example == entry.name else f"such as {entry.example}"
        entries.append((entry.name, about, entry.parameters, example))
    print_entries([*entries, *ALSO])
    say()
    advise("Look closer with `counterfold games leduc`; solve with `counterfold solve leduc`.")


def _as_dict(entry: Entry) -> dict[str, object]:
    parameters = parse_spec(f"{entry.name}({entry.parameters})").kwargs
    return {
        "name": entry.name,
        "summary": entry.summary,
        "parameters": dict(parameters),
        "example": entry.example,
        "preset": dict(entry.preset),
    }


def _kind(reading: Reading) -> str:
    """What the payoffs of all players add up to."""
    payoff = np.array(reading.payoff).reshape(-1, reading.players)
    sums, scale = payoff.sum(axis=1), max(1.0, float(np.abs(payoff).max()))
    if np.ptp(sums) > 1e-9 * scale:
        return "general-sum"
    return "zero-sum" if abs(sums[0]) <= 1e-9 * scale else "constant-sum"


class _LargeError(Exception):
    pass


def _describe(spec: str, json: bool) -> None:
    """One game: its parameters, its size, and what kind of game it is."""
    from counterfold.games.base import spec_of
    from counterfold.tree.estimate import MANY, estimate
    from counterfold.tree.memory import count_in_words as in_words
    from counterfold.tree.named import means_poker
    from counterfold.tree.walk import Size

    if means_poker(spec):
        from counterfold.cli.solve import run as solve

        solve(SolveRequest(spec, dry_run=True, json=json))
        return
    game = load(spec)
    reading, counted = _counted(game)
    found = reading.size if reading else None
    about = None if reading or hasattr(game, "merge") else estimate(game, MANY).histories
    kind = _kind(reading) if reading else None
    lowest, highest = (min(reading.payoff), max(reading.payoff)) if reading else (None, None)
    entry = next((e for e in games() if e.name == parse_name(spec)), None)
    players = getattr(game, "players", 2)
    parameters = _parameters(game)
    if json:
        document: dict[str, object] = {
            "game": spec_of(game),
            "summary": entry.summary if entry else None,
            "players": players,
            "counted": found is not None,
            "about_histories": about if about is not None and math.isfinite(about) else None,
            "kind": kind,
            "lowest_payoff": lowest,
            "highest_payoff": highest,
        }
        counts = found._asdict() if found else dict.fromkeys(Size._fields)
        print_json(document | counts | {"parameters": parameters})
        return
    lines: Lines = [("game", spec_of(game))]
    if entry:
        lines.append(("what", entry.summary))
    if parameters:
        lines.append(("parameters", ", ".join(f"{k}={written(v)}" for k, v in parameters.items())))
    lines.append(("players", str(players)))
    if found is None or lowest is None or highest is None:
        many = f"more than {counted:,}" if about is None else in_words(about)
        lines.append(("histories", f"{many}, too many to count here"))
        lines.append(("count them", f"counterfold solve '{spec}' --dry-run"))
    else:
        lines += [
            ("histories", f"{found.histories:,}, {found.terminals:,} of them terminal"),
            ("infosets", f"{found.infosets:,}"),
            ("payoffs", f"{kind}, from {amount(lowest)} to {amount(highest)}"),
        ]
    print_panel("Game", lines)


def _counted(game: Game) -> tuple[Reading | None, int]:
    """A game as far as patience goes: its reading if it came to an end, and how many histories."""
    from counterfold.tree.walk import read_rules

    began, reading = time.monotonic(), None
    with Watch() as watch:

        def count(histories: int, about: float | None) -> None:
            watch.counting(histories, about)
            if time.monotonic() - began > PATIENCE:
                raise _LargeError

        with suppress(_LargeError, TreeTooLargeError):
            reading = read_rules(game, progress=count)
    return reading, watch.histories


def parse_name(spec: str) -> str:
    """The name before the parameters."""
    return spec.strip().partition("(")[0].strip()


def _parameters(game: object) -> dict[str, object]:
    from dataclasses import fields, is_dataclass

    if not is_dataclass(game):
        return {}
    told = {f.name: getattr(game, f.name) for f in fields(game) if f.init}
    plain = (bool, int, float, str, tuple, list)
    return {key: value for key, value in told.items() if isinstance(value, plain)}
