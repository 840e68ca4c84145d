"""``counterfold library``: what a folder or an address of solved spots holds."""

from __future__ import annotations

import os
from dataclasses import asdict

from counterfold.cli.output import advise, print_columns, print_json, say
from counterfold.cli.verbs.solving import LibraryRequest
from counterfold.errors import FileError
from counterfold.files.text import Json
from counterfold.pieces.library import Entry, entries
from counterfold.pieces.store import store_at


def run(request: LibraryRequest) -> None:
    """List the pieces; damaged ones end it with exit code 2."""
    if "://" not in request.address and not os.path.isdir(request.address):
        raise FileError(f"there is no folder {request.address}")
    found = list(entries(store_at(request.address), request.check))
    damaged = [entry for entry in found if entry.damage]
    good = [entry for entry in found if not entry.damage and entry.fits(request.pattern)]
    if request.json:
        pieces = [
            {key: value for key, value in asdict(entry).items() if key != "damage"}
            for entry in good
        ]
        names = [entry.name for entry in damaged]
        print_json({"address": request.address, "pieces": pieces, "damaged": names})
    else:
        _tell(request, found, good)
    if damaged:
        raise FileError(
            f"{len(damaged):,} of {len(found):,} pieces cannot be used ({damaged[0].damage}); "
            "the next run that needs them computes them again"
        )


def _tell(request: LibraryRequest, found: list[Entry], good: list[Entry]) -> None:
    if good:
        head = [
            "board or game",
            "pot",
            "stack",
            "method",
            "exploitability",
            "iterations",
            "kept",
            "name",
        ]
        print_columns([head, *map(_row, good)])
        say()
    which = f" fit {request.pattern!r}" if request.pattern else ""
    checked = ", each read through" if request.check else ""
    advise(f"{len(good):,} of {len(found):,} pieces{which}{checked}.")


def _row(entry: Entry) -> list[str]:
    given: Json = dict(entry.given or {})
    result: Json = dict(entry.result or {})
    there = given.get("spot") or {}
    share = result.get("percent_of_pot")
    stacks = there.get("stack", "")
    if share is None and "exploitability" in result:
        far = f"{result['exploitability']:.3g}"
    else:
        far = "" if share is None else f"{share:.3g}%"
    return [
        str(there.get("board") or given.get("game", "")), _plain(there.get("pot", "")),
        ", ".join(dict.fromkeys(map(_plain, stacks if isinstance(stacks, list) else [stacks]))),
        str(given.get("method") or "usual"), far,
        str(result.get("iterations", "")), ", ".join(entry.files) or "numbers", entry.name,
    ]  # fmt: skip


def _plain(number: object) -> str:
    return f"{number:g}" if isinstance(number, float) else str(number)
