"""Between the oracles' dictionaries and the engine's flat arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterfold.games.base import label
from counterfold.solvers.sequence_engine import SequenceEngine
from tests.naive import Table


def rows(tree: Any) -> dict[tuple[int, str], slice]:
    """Where the slots of each named infoset lie."""
    sets = tree.infosets
    start = sets.start.tolist()
    return {
        (owner, name): slice(start[i], start[i + 1])
        for i, (owner, name) in enumerate(zip(sets.owner.tolist(), sets.labels, strict=True))
    }


def flat(tree: Any, table: Table) -> np.ndarray:
    """A table of the oracle over the tree's slots; it must have the very same infosets."""
    where = rows(tree)
    assert {(player, label(seen)) for player, seen in table} == set(where)
    out = np.full(tree.infosets.slots, np.nan)
    for (player, seen), numbers in table.items():
        out[where[player, label(seen)]] = numbers
    assert not np.isnan(out).any()
    return out


def unflat(tree: Any, table: Table, numbers: np.ndarray) -> Table:
    """The other way round; ``table`` tells the infosets."""
    where = rows(tree)
    return {i: numbers[where[i[0], label(i[1])]].tolist() for i in table}


def regrets(solver: Any) -> np.ndarray:
    """A solver's table of regrets over the tree's slots."""
    engine = solver.engine
    if not isinstance(engine, SequenceEngine):
        return engine._tables.regret.astype(float)
    form = engine._form
    players = form.tree.players
    out = np.zeros(form.tree.infosets.slots)
    out[form.slot[players:]] = engine._tables.regret[players:]
    return out
