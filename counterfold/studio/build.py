"""Building a spot or choosing a game: ranges in words and weights, checks, size and time."""

from __future__ import annotations

import json
from contextlib import suppress
from glob import escape

import numpy as np

from counterfold.cli.blueprint_gains import size_of as blueprint_size
from counterfold.cli.buckets import counts_in
from counterfold.errors import CounterfoldError, ParameterError, UnsupportedError, complaints_of
from counterfold.files.text import Json, read_json
from counterfold.files.whole import write_whole
from counterfold.games.catalog import games
from counterfold.poker.cards import HOLES, hole_name
from counterfold.poker.game import PokerGame
from counterfold.poker.ranges import CELL, Range
from counterfold.poker.spot import read_spot, spot
from counterfold.poker.table import Holdem
from counterfold.poker.view import CLASSES
from counterfold.solvers.result import table_size
from counterfold.studio.calls import Given, asked, told
from counterfold.studio.expect import expected_seconds
from counterfold.studio.server import Studio
from counterfold.studio.solve import limits_of, sampling_of
from counterfold.tree.memory import memory_at_hand
from counterfold.tree.public import PublicTree
from counterfold.tree.walk import measure

__all__ = ["ROUTES", "read_spot_of", "size_of"]

COUNTED = 2_000_000
"""Histories that are counted while somebody waits."""


def cards(studio: Studio, given: Given) -> Json:
    """The grid: its classes, and the holes of each by number and name."""
    holes = [np.flatnonzero(k == CELL)[::-1].tolist() for k in range(169)]
    return {"classes": CLASSES, "holes": holes, "names": [hole_name(k) for k in range(HOLES)]}


def range_of(studio: Studio, given: Given) -> Json:
    """A range in words as weights of its holes."""
    text = given.text("text", "")
    hands = Range.parse(text) if text.strip() else Range(np.zeros(HOLES))
    return _range(hands)


def words_of(studio: Studio, given: Given) -> Json:
    """Weights of holes as a range in words."""
    weights = given.list("weights")
    if len(weights) != HOLES or not all(isinstance(x, int | float) for x in weights):
        raise ParameterError(f"a range has {HOLES:,} weights from 0 to 1")
    return _range(Range(np.asarray(weights, np.float64)))


def _range(hands: Range) -> Json:
    share = hands.combos / HOLES
    return {
        "text": str(hands),
        "weights": hands.weights.round(4).tolist(),
        "combos": hands.combos,
        "share": share,
    }


def check(studio: Studio, given: Given) -> Json:
    """A spot in normal form, with what it will take; or what is wrong, and where."""
    game = spot(given.object("spot"), name=given.text("name", "spot", 100))
    accuracy = given.text("exploitability", "0.3%", 40)
    return {"spot": game.about["spot"], **size_of(studio, game, accuracy)}


def size_of(studio: Studio, game: PokerGame, accuracy: str) -> Json:
    """The memory and the time that solving a poker game will take."""
    size = table_size(game)
    room = int(0.9 * memory_at_hand())
    with complaints_of("exploitability"):
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


def save(studio: Studio, given: Given) -> Json:
    """Keep what a command line needs in the folder: a spot, given or that of a file, and locks."""
    found: Json = {}
    name = given.maybe("file")
    if given.maybe("game"):
        stem, found["game"] = given.text("name", "game", 100), given.text("game")
    elif name is None:
        stem = given.text("name", "spot", 100)
        found["file"] = _kept(studio, stem, spot(given.object("spot"), name=stem).about["spot"])
    else:
        stem = name.rpartition("/")[2].rpartition(".")[0]
        if name.endswith(".json") or _has_spot(studio, name):
            found["file"] = _kept(studio, stem, read_spot_of(studio, name))
        else:
            found["game"] = studio.opened.file(name).strategy.spec
    if given.list("locks"):
        found["locks"] = _kept(studio, f"{stem} locks", given.list("locks"))
    return found


def _has_spot(studio: Studio, name: str) -> bool:
    tree = studio.opened.file(name).strategy.tree
    return isinstance(tree, PublicTree) and "spot" in tree.game.about


def _kept(studio: Studio, stem: str, content: object) -> str:
    """A JSON file of the folder that says this: one that is there, or a new one."""
    alike = studio.folder.path.glob(f"{escape(stem)}*.json")
    for item in sorted(alike, key=lambda path: (len(path.name), path.name)):
        with suppress(CounterfoldError, OSError):
            there = read_json(studio.folder.inside(item.name), "a file")
            if isinstance(content, dict) and isinstance(there, dict):
                there = {**spot(there, name=stem).about["spot"], "name": content.get("name")}
            if there == content:
                return item.name
    with complaints_of("name"):
        name = studio.folder.fresh(stem, ".json")
    write_whole(studio.folder.inside(name, new=True), json.dumps(content, indent=2).encode())
    return name


def read_spot_of(studio: Studio, name: str) -> Json:
    """The spot of a file in the folder: of JSON, or of a solution."""
    path = studio.folder.inside(name)
    if path.suffix != ".json":
        if not _has_spot(studio, name):
            raise UnsupportedError(f"{name} is a table and no spot; build it as a game by name")
        about: Json = studio.opened.file(name).strategy.tree.game.about
    else:
        about = spot(read_spot(path), name=path.stem, where=name).about
    found: Json = about["spot"]
    return found


def opened(studio: Studio, given: Given) -> Json:
    """The spot of a file, to begin from."""
    return {"spot": read_spot_of(studio, given.text("file"))}


def catalog(studio: Studio, given: Given) -> Json:
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


def game_size(studio: Studio, given: Given) -> Json:
    """What a game by name will take; small ones are counted, others estimated."""
    game = studio.opened.game(given.text("game", most=400))
    room = int(0.9 * memory_at_hand())
    if isinstance(game, Holdem):
        run = sampling_of(given, game)
        told = blueprint_size(game.poker, counts_in(run["buckets"]))
        return {
            "table": True,
            "nodes": told["nodes"],
            "infosets": told["infosets"],
            "bytes": told["memory"],
            "room": room,
            "fits": told["memory"] <= room,
            "seconds": run.get("seconds", 0.0),
            "learned": 0,
        }
    accuracy = limits_of(given, game).get("exploitability", "")
    if isinstance(game, PokerGame):
        return {"poker": True, **size_of(studio, game, accuracy)}
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
