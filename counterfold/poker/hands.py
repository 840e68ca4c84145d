"""Hands in words, for games of two cards and of one: which are meant, and how much each counts."""

from __future__ import annotations

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.poker.cards import RANKS, parse_card
from counterfold.poker.game import CardRules
from counterfold.poker.notation import weighed
from counterfold.poker.ranges import Range


def hand_weights(rules: CardRules, hands: object) -> Floats:
    """[hands] a weight from 0 to 1 for each: of a range, or of words for one.

    Hands of one card are named by rank or card, as in ``K,Qs:0.5`` or ``random``.

    >>> from counterfold.poker.holdem import kuhn
    >>> found = hand_weights(kuhn().rules, "K, Qs:0.5")
    >>> float(found[4 * 11 + 3]), float(found[4 * 10 + 3])
    (1.0, 0.5)
    """
    if isinstance(hands, str):
        return Range.parse(hands).weights if rules.hole == 2 else _cards(hands)
    weights = np.asarray(hands.weights if isinstance(hands, Range) else hands, np.float64)
    if weights.shape != (rules.holes,):
        raise ParameterError(f"there are {rules.holes:,} hands, not {weights.size:,}")
    if not ((weights >= 0) & (weights <= 1)).all():
        raise ParameterError("the weights of hands are from 0 to 1")
    return weights


def _cards(text: str) -> Floats:
    weights = np.zeros(52)
    for name, weight, _ in weighed(text):
        rank = RANKS.find(name.upper()) if len(name) == 1 else -1
        if name.lower() == "random":
            weights[:] = weight
        elif rank >= 0:
            weights[4 * rank : 4 * rank + 4] = weight
        else:
            weights[parse_card(name)] = weight
    return weights
