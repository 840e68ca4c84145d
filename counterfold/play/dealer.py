"""Deals in plain Python, number for number those of the compiled arena."""

from __future__ import annotations

from collections.abc import Sequence

from counterfold.games.base import Even

_MASK = (1 << 64) - 1


def deal_seed(seed: int) -> int:
    """Where the deals of a match with this seed begin."""
    return (seed * 0x9FB21C651E98DF25 + 0x632BE59BD9B4E019) & _MASK


def choice_seed(seed: int) -> int:
    """Where the agents' choices in compiled code begin, far from the deals."""
    return deal_seed(seed) ^ 0xA5A5A5A55A5A5A5A


class Dealer:
    """Draws chance outcomes: a stream of numbers that depends on the seed and the deal only.

    >>> dealer = Dealer(deal_seed(1), deal=5)
    >>> dealer.draw([("a", 0.5), ("b", 0.5)]) in (0, 1)
    True
    """

    def __init__(self, seed: int, deal: int) -> None:
        z = (seed + deal * 0xD1342543DE82EF95) & _MASK
        for _ in range(2):
            z = ((z ^ (z >> 32)) * 0xDABA0B6EB09322E3) & _MASK
        self._state = z ^ (z >> 32)

    def uniform(self) -> float:
        """The next number in [0, 1)."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((z ^ (z >> 31)) >> 11) / (1 << 53)

    def draw(self, outcomes: Sequence[tuple[object, float]]) -> int:
        """Which of the outcomes of a chance node happens."""
        left = self.uniform()
        if isinstance(outcomes, Even):
            return int(left * len(outcomes))
        odds = [chance for _, chance in outcomes]
        if max(odds) - min(odds) <= 1e-15:
            return int(left * len(odds))
        for place, chance in enumerate(odds[:-1]):
            left -= chance
            if left < 0:
                return place
        return len(odds) - 1
