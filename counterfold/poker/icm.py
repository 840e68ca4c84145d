"""What chips are worth in a tournament: the independent chip model of Malmuth and Harville."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache


def icm(stacks: Sequence[float], payouts: Sequence[float]) -> tuple[float, ...]:
    """Each player's share of the payouts: the next place goes to a player by its part of the chips.

    >>> [round(share, 4) for share in icm((5000, 3000, 2000), (50, 30, 20))]
    [38.3929, 32.75, 28.8571]
    """
    players = len(stacks)

    @cache
    def shares(left: int, place: int) -> tuple[float, ...]:
        found = [0.0] * players
        chips = sum(stacks[p] for p in range(players) if left >> p & 1)
        if place >= len(payouts) or not chips:
            return tuple(found)
        for p in range(players):
            if left >> p & 1 and stacks[p]:
                wins = stacks[p] / chips
                found[p] += wins * payouts[place]
                for other, share in enumerate(shares(left & ~(1 << p), place + 1)):
                    found[other] += wins * share
        return tuple(found)

    return shares((1 << players) - 1, 0)


def worth_after(
    before: Sequence[float], after: Sequence[float], payouts: Sequence[float]
) -> tuple[float, ...]:
    """What each player's chips are worth after a hand in which some may have lost all of theirs.

    Who is out takes the best place that is left: of several, those who began the hand with more
    chips, and those who began with as many share.

    >>> worth_after((20, 10, 10), (40, 0, 0), (50, 30, 20))
    (50.0, 25.0, 25.0)
    """
    found = list(icm(after, payouts))
    place = sum(chips > 0 for chips in after)
    out = [p for p, chips in enumerate(after) if not chips]
    for stack in sorted({before[p] for p in out}, reverse=True):
        alike = [p for p in out if before[p] == stack]
        prizes = payouts[place : place + len(alike)]
        for p in alike:
            found[p] = sum(prizes) / len(alike)
        place += len(alike)
    return tuple(found)
