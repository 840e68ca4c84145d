"""Does a compiled game remember? Where it does not, say so."""

from __future__ import annotations

import numpy as np

from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import sequence_form

__all__ = ["forgetful"]


def forgetful(tree: HistoryTree) -> tuple[str, ...]:
    """Names of the infosets at which a player has forgotten what it saw or did before.

    >>> from counterfold.games.onecard import Kuhn
    >>> from counterfold.tree.history import compile_game
    >>> forgetful(compile_game(Kuhn()))
    ()
    """
    form = sequence_form(tree)
    if form.perfect_recall:
        return ()
    infosets = tree.infosets
    memories = np.bincount(form.slot[tree.players :], minlength=infosets.slots)
    several = np.flatnonzero(memories[infosets.start[:-1]] > 1)
    return tuple(infosets.labels[i] for i in several)
