"""Strategies for Cheat with 52 cards: learned against oneself over an abstraction, and files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import FileError
from counterfold.files.arrays import header_of, read_arrays, write_arrays
from counterfold.games.cheat import Cheat
from counterfold.games.spec import whole

KIND = "large cheat"


def original(players: int = 2) -> Cheat:
    """Cheat as people play it: 52 cards, all dealt, no health points.

    >>> original(3).dealt
    (18, 17, 17)
    """
    whole("players", players, least=2, most=6)
    return Cheat(ranks=13, copies=4, players=players, hand=None, health=None)


@dataclass(frozen=True)
class LargeStrategy:
    """How to play the original Cheat: moves of an abstraction and how often to choose them.

    ``probabilities`` has a row for each infoset and a column for each move (see
    ``kernels.cheat_abstract``); rows that never came up are empty, and any move is played there.
    ``about`` says how it was made.
    """

    players: int
    probabilities: NDArray[np.float32] = field(repr=False)
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> str:
        """The name of the game that it plays."""
        return "cheat:original" + ("" if self.players == 2 else f"(players={self.players})")

    @property
    def infosets(self) -> int:
        """Infosets that came up in training."""
        return int((self.probabilities.sum(axis=1) > 0).sum())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as one file, whole or not at all."""
        rows = np.flatnonzero(self.probabilities.sum(axis=1) > 0)
        header = {
            "game": self.game,
            "players": str(self.players),
            "about": json.dumps(dict(self.about)),
        }
        arrays = {"rows": rows.astype(np.uint32), "probabilities": self.probabilities[rows]}
        arrays["shape"] = np.array(self.probabilities.shape, np.uint32)
        write_arrays(path, KIND, header, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LargeStrategy:
        """Read a file, checking all that can be checked."""
        from counterfold.kernels.cheat_abstract import MOVES, ROWS

        saved = read_arrays(path, KIND, "a strategy for the original Cheat")
        if saved.array("shape", np.uint32, (2,)).tolist() != [ROWS, MOVES]:
            raise FileError(f"{path} was made with another abstraction; train it again")
        rows = saved.array("rows", np.uint32, (None,), most=ROWS - 1)
        found = saved.array("probabilities", np.float32, (len(rows), MOVES), least=0)
        saved.finish()
        if len(np.unique(rows)) != len(rows) or not np.allclose(found.sum(axis=1), 1, atol=1e-4):
            raise saved.damaged("its probabilities do not sum to one")
        probabilities = np.zeros((ROWS, MOVES), np.float32)
        probabilities[rows] = found
        return cls(saved.whole("players", 2, 6), probabilities, saved.fields("about").value)


def is_large(path: str | os.PathLike[str]) -> bool:
    """Does a file hold a strategy for the original Cheat?"""
    return header_of(path).get("kind") == KIND
