"""Whatever a name or a file is: a game, a spot, a strategy, a match, a record of hands."""

from __future__ import annotations

import os
from typing import Any

from counterfold.errors import FileError
from counterfold.files.arrays import header_of
from counterfold.tree.named import as_game


def load(name: str | os.PathLike[str]) -> Any:
    """What a name means, or what a file holds.

    A name such as ``leduc(raises=1+2)``, ``openspiel:kuhn_poker`` or ``game.py:MyGame`` is a game,
    and so are the files of other programs; the JSON of a spot is a ``PokerGame``. What Counterfold
    has saved comes back as it was: a ``Strategy`` (a checkpoint has one, and ``cf.resume`` goes on
    with the run), a ``Match``, or the ``Record`` of hands.

    >>> load("leduc(raises=1+2)") == load("leduc:ses")
    True
    """
    if not isinstance(name, str | os.PathLike) or not os.path.isfile(name):
        return as_game(name)
    from counterfold.exploit import hands
    from counterfold.play import record, saved
    from counterfold.strategy import store

    kind = header_of(name).get("kind")
    if kind in store.KINDS:
        return store.read(name)[0]
    if kind == saved.KIND:
        return saved.load_match(name)
    if kind is not None:
        raise FileError(f"{name} holds a {kind}, which only the verb that made it reads")
    if _begins_with(name, hands.FORMAT):
        return record.read_record(name)
    return as_game(name)


def _begins_with(path: str | os.PathLike[str], mark: str) -> bool:
    """Whether the first line of a file says this."""
    try:
        with open(path, "rb") as file:
            return mark.encode() in file.readline(1 << 12)
    except OSError:
        return False
