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
from counterfold.games.cheat import Cheat
from counterfold.games.spec import whole
from counterfold.strategy.store import open_arrays, write_whole

__all__ = ["FORMAT", "LargeStrategy", "is_large", "original", "rules_of"]

FORMAT = "counterfold large cheat 1"


def original(players: int = 2) -> Cheat:
    """Cheat as people play it: 52 cards, all dealt, no health points.

    >>> original(3).dealt
    (18, 17, 17)
    """
    whole("players", players, least=2, most=6)
    return Cheat(ranks=13, copies=4, players=players, hand=None, health=None)


def rules_of(players: int) -> Any:
    """The same rules for compiled code."""
    from counterfold.kernels.cheat import Rules

    game = original(players)
    return Rules(game.ranks, game.copies, players, 0, 0, game.largest)


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
        """Write it as one safetensors file, whole or not at all."""
        from safetensors.numpy import save

        rows = np.flatnonzero(self.probabilities.sum(axis=1) > 0)
        header = {
            "format": FORMAT,
            "game": self.game,
            "players": str(self.players),
            "about": json.dumps(dict(self.about)),
        }
        arrays = {"rows": rows.astype(np.uint32), "probabilities": self.probabilities[rows]}
        arrays["shape"] = np.array(self.probabilities.shape, np.uint32)
        write_whole(path, save(arrays, metadata=header))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LargeStrategy:
        """Read a file, checking all that can be checked."""
        from counterfold.kernels.cheat_abstract import MOVES, ROWS

        header, arrays = open_arrays(path)
        if header.get("format") != FORMAT:
            raise FileError(
                f"{path} holds no strategy for the original Cheat (format {header.get('format')!r})"
            )
        try:
            rows, found = arrays["rows"].astype(np.int64), arrays["probabilities"]
            players, about = int(header["players"]), json.loads(header["about"])
            if arrays["shape"].tolist() != [ROWS, MOVES]:
                raise FileError(f"{path} was made with another abstraction; train it again")
            sums = found.sum(axis=1)
            if (
                found.shape != (len(rows), MOVES)
                or not 2 <= players <= 6
                or (len(rows) > 0 and not 0 <= rows.min() <= rows.max() < ROWS)
                or len(np.unique(rows)) != len(rows)
                or not (np.isfinite(found).all() and (found >= 0).all())
                or not np.allclose(sums, 1, atol=1e-4)
            ):
                raise FileError(f"{path} is damaged: its probabilities do not fit")
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise FileError(f"{path} is damaged: {type(error).__name__} {error}") from None
        probabilities = np.zeros((ROWS, MOVES), np.float32)
        probabilities[rows] = found
        return cls(players, probabilities, about)


def is_large(path: str | os.PathLike[str]) -> bool:
    """Does a file hold a strategy for the original Cheat?"""
    return open_arrays(path)[0].get("format") == FORMAT
