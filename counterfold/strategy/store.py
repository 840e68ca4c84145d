"""Strategies and checkpoints on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import CounterfoldError, FileError
from counterfold.files.arrays import Saved, read_arrays, write_arrays
from counterfold.files.text import Fields, parse_json
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import Infosets

__all__ = ["CHECKPOINT", "STRATEGY", "read", "save_strategy"]

STRATEGY, CHECKPOINT = "strategy", "checkpoint"
MOST_PLAYERS = 127  # an owner is an int8
PathLike = str | os.PathLike[str]


def save_strategy(
    strategy: Strategy,
    path: PathLike,
    state: Mapping[str, NDArray[Any]] | None = None,
    run: Mapping[str, Any] | None = None,
) -> None:
    """Write a strategy; with ``state`` and ``run`` (a solver's) the file is a checkpoint too."""
    infosets = strategy.infosets
    lists = {actions: n for n, actions in enumerate(dict.fromkeys(infosets.actions))}
    names = {
        "labels": infosets.labels,
        "lists": list(lists),
        "actions": [lists[actions] for actions in infosets.actions],
    }
    blob = json.dumps(names, ensure_ascii=False, separators=(",", ":")).encode()
    arrays: dict[str, NDArray[Any]] = {
        "probabilities": strategy.probabilities,
        "owner": infosets.owner,
        "start": infosets.start,
        "names": np.frombuffer(blob, dtype=np.uint8),
    }
    arrays |= {f"state.{key}": value for key, value in (state or {}).items()}
    header = {
        "game": strategy.spec,
        "players": str(strategy.players),
        "fingerprint": strategy.fingerprint,
        "about": json.dumps(dict(strategy.about)),
    }
    if run is not None:
        header["run"] = json.dumps(dict(run))
    write_arrays(path, STRATEGY if state is None else CHECKPOINT, header, arrays)


def read(path: PathLike) -> tuple[Strategy, Saved, Fields | None]:
    """A file's strategy, and the arrays and the run of whoever saved it as a checkpoint."""
    saved = read_arrays(path, (STRATEGY, CHECKPOINT), "a strategy of such a game")
    state = saved.part("state.")
    try:
        players = saved.whole("players", 1, MOST_PLAYERS)
        infosets = _infosets(saved, players)
        strategy = Strategy(
            saved.text("game"),
            players,
            infosets,
            saved.array("probabilities", np.float64, (infosets.slots,)),
            saved.text("fingerprint"),
            saved.fields("about").value,
        )
        saved.finish()
    except FileError:
        raise
    except CounterfoldError as error:
        raise saved.damaged(error) from None
    return strategy, state, saved.fields("run") if "run" in saved.header else None


def _infosets(saved: Saved, players: int) -> Infosets:
    owner = saved.array("owner", np.int8, (None,), 0, players - 1)
    count = len(owner)
    start = saved.array("start", np.uint32, (count + 1,))
    blob = saved.array("names", np.uint8, (None,)).tobytes()
    where = f"{saved.path} is damaged: its names"
    names = Fields(parse_json(blob, where), where)
    lists = [
        tuple(Fields({"actions": one}, where).texts("actions")) for one in names.items("lists")
    ]
    chosen = names.wholes("actions", 0, len(lists) - 1)
    infosets = Infosets(owner, start, tuple(names.texts("labels")), tuple(lists[n] for n in chosen))
    sizes = [len(actions) for actions in infosets.actions]
    ends = np.cumsum([0, *sizes])
    if len(infosets.labels) != count or len(sizes) != count or not np.array_equal(start, ends):
        raise saved.damaged("the sizes of its tables do not fit each other")
    return infosets
