"""What is learned of an opponent at a table: how often it folds, calls and raises.

Counts are kept beside what was expected of the range that it was believed to hold, by street.
Tilted by their quotient, what all hands were believed to do becomes what this opponent's do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from counterfold.arrays import Floats

KINDS = ("fold", "call", "raise")
PRIOR = 20.0
"""Actions of each kind that what was believed counts for."""


def kind_of(action: str) -> int:
    """The number of an action's kind.

    >>> [KINDS[kind_of(action)] for action in ("check", "all-in 20", "fold")]
    ['call', 'raise', 'fold']
    """
    verb = action.partition(" ")[0]
    return 0 if verb == "fold" else 1 if verb in ("check", "call") else 2


class Habits:
    """Actions of an opponent by street and kind: those that were seen, and those expected."""

    def __init__(self, streets: int) -> None:
        self.seen, self.expected = np.zeros((2, streets, len(KINDS)))

    def learn(self, street: int, action: str, actions: Sequence[str], odds: Floats) -> None:
        """An action, where these were expected so often."""
        self.seen[street, kind_of(action)] += 1
        for name, share in zip(actions, odds, strict=True):
            self.expected[street, kind_of(name)] += share

    def tilts(self, draws: int, random: np.random.Generator) -> Floats:
        """[1 + draws, streets, kinds] how many times as often it takes actions of a kind: by the
        counts, and as it may be by what they leave open (gamma posteriors)."""
        count, rest = self.seen + PRIOR, self.expected + PRIOR
        drawn = random.gamma(count, size=(draws, *count.shape))
        return np.concatenate([count[None], drawn]) / rest


def tilted(shares: Floats, actions: Sequence[str], tilt: Floats) -> Floats:
    """[actions, holes] with some kinds taken more often.

    >>> tilted(np.full((2, 1), 0.5), ("fold", "call"), np.array([3.0, 1.0, 1.0])).tolist()
    [[0.75], [0.25]]
    """
    weighed = shares * tilt[[kind_of(action) for action in actions]][:, None]
    total = weighed.sum(0)
    found: Floats = np.divide(weighed, total, where=total > 0, out=np.zeros_like(weighed))
    return found
