"""Building a spot or choosing a game: ranges in words and weights, checks, size and time."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from counterfold.errors import ParameterError, UnsupportedError
from counterfold.files.text import read_json
from counterfold.files.whole import write_whole
from counterfold.games.catalog import games
from counterfold.poker.cards import HOLES, hole_name
from counterfold.poker.game import PokerGame
from counterfold.poker.ranges import CELL, Range
from counterfold.poker.spot import spot
from counterfold.poker.units import parse_amount
from counterfold.poker.view import CLASSES
from counterfold.solvers.result import table_size
from counterfold.studio.calls import Given, asked, told
from counterfold.studio.expect import expected_seconds
from counterfold.studio.server import Studio
from counterfold.tree.memory import memory_at_hand
from counterfold.tree.walk import measure

__all__ = ["ROUTES", "read_spot_of", "size_of"]

COUNTED = 2_000_000
"""Histories that are counted while somebody waits."""


def cards(studio: Studio, given: Given) -> dict[str, Any]:
    """The grid: its classes, and the holes of each by number and name."""
    holes = [np.flatnonzero(k == CELL)[::-1].tolist() for k in range(169)]
    return {"classes": CLASSES, "holes": holes, "names": [hole_name(k) for k in range(HOLES)]}


def range_of(studio: Studio, given: Given) -> dict[str, Any]:
    """A range in words as weights of its holes."""
    text = given.text("text", "")
    hands = Range.parse(text) if text.strip() else Range(np.zeros(HOLES))
    return _range(hands)


def words_of(studio: Studio, given: Given) -> dict[str, Any]:
    """Weights of holes as a range in words."""
    weights = given.list("weights")
    if len(weights) != HOLES or not all(isinstance(x, int | float) for x in weights):
        raise ParameterError(f"a range has {HOLES:,} weights from 0 to 1")
    return _range(Range(np.asarray(weights, np.float64)))


def _range(hands: Range) -> dict[str, Any]:
    share = hands.combos / HOLES
    return {
        "text": str(hands),
        "weights": hands.weights.round(4).tolist(),
        "combos": hands.combos,
        "share": share,
    }


def check(studio: Studio, given: Given) -> dict[str, Any]:
    """A spot in normal form, with what it will take; or what is wrong, and where."""
    game = spot(given.object("spot"), name=given.text("name", "spot", 100))
    accuracy = given.text("exploitability", "0.3%", 40)
    return {"spot": game.about["spot"], **size_of(studio, game, accuracy)}


def size_of(studio: Studio, game: PokerGame, accuracy: str) -> dict[str, Any]:
    """The memory and the time that solving a poker game will take."""
    size = table_size(game)
    room = int(0.9 * memory_at_hand())
    chips = game.units.chips(accuracy, game.name) if accuracy else None
    percent = None if chips is None else game.units.percent_of_pot(chips)
    seconds, jobs = expected_seconds(size.infosets, percent, studio.queue.jobs())
    return {
        "boards": size.boards,
        "nodes": size.nodes,
        "infosets": size.infosets,
        "bytes": size.bytes,
        "half": size.half,
        "room": room,
        "fits": size.bytes <= room,
        "seconds": seconds,
        "learned": jobs,
    }


def save(studio: Studio, given: Given) -> dict[str, Any]:
    """Keep a spot in the folder, in normal form."""
    game = spot(given.object("spot"), name=given.text("name", "spot", 100))
    name = studio.folder.fresh(given.text("name", "spot", 100), ".json")
    content = json.dumps(game.about["spot"], indent=2).encode()
    write_whole(studio.folder.inside(name, new=True), content)
    return {"file": name}


def read_spot_of(studio: Studio, name: str) -> dict[str, Any]:
    """The spot of a file in the folder: of JSON, or of a solution."""
    path = studio.folder.inside(name)
    if path.suffix != ".json":
        about: dict[str, Any] = studio.opened.file(name).browser.tree.game.about
        if "spot" not in about:
            raise UnsupportedError(f"{name} is a table and no spot; build it as a game by name")
    else:
        about = spot(read_json(path, "a spot"), name=path.stem, where=name).about
    found: dict[str, Any] = about["spot"]
    return found


def opened(studio: Studio, given: Given) -> dict[str, Any]:
    """The spot of a file, to begin from."""
    return {"spot": read_spot_of(studio, given.text("file"))}


def catalog(studio: Studio, given: Given) -> dict[str, Any]:
    """The games that have a name, and those that were named at the start."""
    listed = [
        {"name": e.name, "parameters": e.parameters, "about": e.summary, "example": e.example}
        for e in games()
        if e.name != "normal_form"
    ]
    own = [
        {"name": name, "parameters": "", "about": "a game of your own", "example": name}
        for name in studio.games
    ]
    return {"games": [*own, *listed]}


def game_size(studio: Studio, given: Given) -> dict[str, Any]:
    """What a game by name will take; small ones are counted, others estimated."""
    game = studio.opened.game(given.text("game", most=400))
    if isinstance(game, PokerGame):
        return {"poker": True, **size_of(studio, game, "")}
    room = int(0.9 * memory_at_hand())
    size = measure(game, room)
    seconds = 1.0 + 2e-7 * size.histories * 1000
    return {
        "poker": False,
        "histories": size.histories,
        "infosets": size.infosets,
        "bytes": size.bytes,
        "room": room,
        "fits": size.bytes <= room,
        "seconds": round(min(seconds, 60.0), 1),
        "learned": 0,
    }


def checked_accuracy(text: str) -> str:
    """An exploitability in words that a person gives, checked."""
    parse_amount(text)
    return text


ROUTES = [
    asked("/build/cards", cards),
    told("/build/range", range_of),
    told("/build/words", words_of),
    told("/build/check", check),
    told("/build/save", save),
    asked("/build/spot", opened),
    asked("/build/games", catalog),
    asked("/build/game", game_size),
]
