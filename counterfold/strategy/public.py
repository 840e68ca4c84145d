"""A strategy over the public tree of a poker game: what every hand does at every node."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import (
    CounterfoldError,
    FileError,
    MismatchError,
    ParameterError,
    short,
)
from counterfold.files.arrays import Saved, read_arrays, write_arrays
from counterfold.files.text import Fields
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.holdem import POKER_GAMES
from counterfold.poker.spot import spot
from counterfold.tree.public import PublicTree

__all__ = ["KIND", "PublicStrategy", "game_of", "read_public"]

KIND = "poker"


@dataclass(frozen=True, eq=False)
class PublicStrategy:
    """Weights of actions, in proportion to which they are played; evenly where all are zero.

    ``tables[p]`` has a row for each action of each of player p's nodes on each board
    (``tree.row``) and a column for each of its hands there (``tree.hands``).
    """

    tree: PublicTree
    tables: tuple[NDArray[Any], NDArray[Any]]
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for p in (0, 1):
            shape = max(self.tree.rows(p), 1), self.tree.columns(p)
            if self.tables[p].shape != shape:
                raise MismatchError(
                    f"the strategy's tables do not fit {self.tree.game.name}: "
                    f"{self.tables[p].shape} where {shape} is expected"
                )

    @classmethod
    def uniform(cls, tree: PublicTree, dtype: Any = np.float32) -> PublicStrategy:
        """Every action equally often."""
        shapes = [(max(tree.rows(p), 1), tree.columns(p)) for p in (0, 1)]
        return cls(tree, (np.zeros(shapes[0], dtype), np.zeros(shapes[1], dtype)))

    def rows(self, node: int, board: int = 0) -> NDArray[np.float64]:
        """[actions, hands] what the owner's hands do at a betting node on a board of the tree."""
        n = int(self.tree.nodes.new[node])
        owner = int(self.tree.nodes.owner[n])
        count = len(self.tree.hands[owner][board].holes)
        weights = self.tables[owner][self.tree.row(board, node), :count].astype(np.float64)
        weights = np.maximum(weights, 0.0)
        total = weights.sum(0)
        found: NDArray[np.float64] = np.where(
            total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / len(weights)
        )
        return found

    def at(self, node: int, board: int = 0) -> NDArray[np.float64]:
        """[actions, holes] the same by the numbers of holes; NaN for those that are not there."""
        owner = int(self.tree.nodes.owner[int(self.tree.nodes.new[node])])
        hands = self.tree.hands[owner][board]
        rows = self.rows(node, board)
        found = np.full((len(rows), self.tree.game.rules.holes), np.nan)
        found[:, hands.pairs] = rows[:, hands.of]
        return found

    def put(self, node: int, board: int, probabilities: NDArray[Any]) -> None:
        """Write what is played at a node of a table that may be written: [actions, holes]."""
        owner = int(self.tree.nodes.owner[int(self.tree.nodes.new[node])])
        holes = self.tree.hands[owner][board].holes
        self.tables[owner][self.tree.row(board, node), : len(holes)] = probabilities[:, holes]

    def decisions(self, board: int = 0) -> list[int]:
        """The betting nodes at which somebody decides on a board."""
        nodes, street = self.tree.nodes, self.tree.boards[board].street
        begin, stop = nodes.begin[street], nodes.begin[street + 1]
        return [int(nodes.old[n]) for n in range(begin, stop) if nodes.kind[n] == DECISION]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the strategy to a file."""
        save_public(self, path)


def save_public(
    strategy: PublicStrategy,
    path: str | os.PathLike[str],
    state: Mapping[str, NDArray[Any]] | None = None,
    run: Mapping[str, Any] | None = None,
) -> None:
    """Write a strategy; with ``state`` and ``run`` the file is a checkpoint too."""
    game = strategy.tree.game
    if not ({"spot", "game"} & set(game.about)):
        raise ParameterError(f"{game.name} was made by hand, so no file can say which game it is")
    header = {
        "game": game.name,
        "rules": json.dumps(
            {key: game.about[key] for key in ("spot", "game", "parameters") if key in game.about}
        ),
        "symmetry": json.dumps(strategy.tree.symmetry),
        "fingerprint": strategy.tree.fingerprint,
        "about": json.dumps(dict(strategy.about)),
    }
    if run is not None:
        header["run"] = json.dumps(dict(run))
    arrays = {"total.0": strategy.tables[0], "total.1": strategy.tables[1]}
    arrays |= {f"state.{key}": value for key, value in (state or {}).items()}
    write_arrays(path, KIND, header, arrays)


def game_of(rules: Fields, name: str) -> PokerGame:
    """The game that a file or a name tells of: a spot, or one of ``POKER_GAMES``."""
    if "spot" in rules:
        return spot(rules.raw("spot"), name=name)
    make = POKER_GAMES.get(rules.text("game"))
    if make is None:
        raise FileError(f"{rules.where}: there is no poker game {short(rules.raw('game'))}")
    given = dict(rules.object("parameters", {}).value)
    try:
        signature(make).bind(**given)
    except TypeError:
        raise FileError(f"{rules.where}: the parameters {short(given)} do not fit") from None
    return make(**given)


def read_public(
    path: str | os.PathLike[str], tree: PublicTree | None = None
) -> tuple[PublicStrategy, Saved, Fields | None]:
    """The strategy of a file, and a solver's arrays and run if it is a checkpoint."""
    saved = read_arrays(path, KIND, "a poker strategy for all hands")
    state = saved.part("state.")
    if tree is None:
        try:
            game = game_of(saved.fields("rules"), saved.text("game"))
        except FileError:
            raise
        except CounterfoldError as error:
            raise saved.damaged(error) from None
        tree = PublicTree(game, symmetry=saved.choice("symmetry", ("true", "false")) == "true")
    if saved.text("fingerprint") != tree.fingerprint:
        raise MismatchError(f"{path} is a strategy of another game than {tree.game.name}")
    tables = []
    for p in (0, 1):
        shape = max(tree.rows(p), 1), tree.columns(p)
        dtype = saved.dtype(f"total.{p}", (np.float32, np.float64, np.uint16))
        tables.append(saved.array(f"total.{p}", dtype, shape, least=0))
    saved.finish()
    about = saved.fields("about").value
    run = saved.fields("run") if "run" in saved.header else None
    return PublicStrategy(tree, (tables[0], tables[1]), about), state, run
