"""Equities by hand from ``AllIn``: the boards of a tree on which nobody bets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.evaluate.equity import AllIn, deals, mean_over, showdown
from counterfold.poker.game import NO_CARD, CardRules, PokerGame, meetings
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import PublicArrays

Floats = NDArray[np.float64]


class Equity(NamedTuple):
    """Shares of the pot by the numbers of hands, and player 0's over all pairs of hands."""

    first: Floats  # NaN where a hand weighs nothing or meets nobody
    second: Floats
    mean: float


def equity(
    rules: CardRules, board: Sequence[int], first: Any, second: Any, deal: Sequence[int] = ()
) -> Equity:
    """Equities of two ranges on a board; ``deal`` has how many cards each later street brings."""
    there = np.zeros(NO_CARD + 1, bool)
    there[[*(set(rules.deck) - set(board)), NO_CARD]] = True
    free = there[rules.cards].all(1)
    ranges = tuple(np.where(free, weights, 0.0) for weights in (first, second))
    met = [meetings(weights) for weights in reversed(ranges)]
    total = float(ranges[0] @ met[0])
    shares = []
    if deal:
        dealt = CardRules(rules.deck, rules.hole, (0, *deal), rules.strengths)
        betting = deals(len(deal) + 1)
        game = PokerGame("equity", dealt, betting, tuple(board), (ranges[0], ranges[1]))
        all_in = AllIn(PublicArrays(PublicTree(game), "float64"))
        shares = [all_in.on(0, p, ranges[1 - p], met[p]) for p in (0, 1)]
    else:
        for p in (0, 1):
            shown = showdown(rules, board, ranges[1 - p])
            share = mean_over(shown.beaten + shown.tied / 2, met[p])
            shares.append(np.where(ranges[p] > 0, share, np.nan))
    mean = float(np.nansum(shares[0] * ranges[0] * met[0]) / total)
    return Equity(shares[0], shares[1], mean)
