"""The first decisions of players by hand: what a chart of openings shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterfold.arrays import Floats
from counterfold.notebook import brief
from counterfold.strategy.infosets import slots_of
from counterfold.strategy.strategy import Strategy
from counterfold.style.frequency import visits_of
from counterfold.tree.history import HistoryTree


def hands(tree: HistoryTree) -> tuple[str, ...]:
    """The hands a player can hold, in the order of play: what names of infosets begin with.

    There are none in games whose infosets have no names of several parts, and none where the
    first part is the same for everybody.

    >>> import counterfold as cf
    >>> hands(cf.compile_game(cf.Kuhn()))
    ('J', 'Q', 'K')
    """
    labels = tree.infosets.labels
    held = tuple(dict.fromkeys(name.split(" | ", 1)[0] for name in labels))
    return held if len(held) > 1 and any(" | " in name for name in labels) else ()


@dataclass(frozen=True)
class Openings:
    """A player's first decisions: the probability of each action with each hand.

    ``plain[h, c]`` belongs to ``hands[h]`` and ``columns[c]``, a pair of what has been said
    before and an action; it is not a number where the hand cannot be held there.
    """

    player: int
    hands: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    plain: Floats
    styled: Floats

    def __repr__(self) -> str:
        return brief(self, f"of player {self.player + 1}: {len(self.hands)} hands")


def openings(
    plain: Strategy[HistoryTree], styled: Strategy[HistoryTree], player: int
) -> Openings | None:
    """A player's first decisions by hand; None in games without hands.

    >>> import counterfold as cf
    >>> uniform = cf.Strategy.uniform(cf.Kuhn())
    >>> first = openings(uniform, uniform, 1)
    >>> first.hands, first.columns[0], first.columns[-1]
    (('J', 'Q', 'K'), ('check', 'check'), ('bet', 'call'))
    """
    tree = plain.tree
    infosets = tree.infosets
    # Where play comes although the player has made no move: every move of its own is barred.
    barred = infosets.evenly()
    lo, hi = slots_of(tree.infosets, player)
    barred[lo:hi] = 0.0
    first = np.flatnonzero((visits_of(tree, barred) > 0) & (infosets.owner == player)).tolist()
    cells: dict[tuple[str, str], dict[str, int]] = {}
    for i in first:
        hand, _, said = infosets.labels[i].partition(" | ")
        for offset, action in enumerate(infosets.actions[i]):
            cells.setdefault((said, action), {})[hand] = int(infosets.start[i]) + offset
    held = tuple(hand for hand in hands(tree) if any(hand in slots for slots in cells.values()))
    if len(held) < 2 or not cells:
        return None
    shown = np.full((2, len(held), len(cells)), np.nan)
    for column, slots in enumerate(cells.values()):
        for hand, slot in slots.items():
            both = plain.probabilities[slot], styled.probabilities[slot]
            shown[:, held.index(hand), column] = both
    return Openings(player, held, tuple(cells), shown[0], shown[1])
