"""A slow, obvious evaluator: the best five cards, compared as tuples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Score = tuple[int, ...]


def five(cards: Sequence[int]) -> Score:
    """The category (0 to 8) and then the ranks in the order in which they decide."""
    ranks = [card // 4 for card in cards]
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape = tuple(count for count, _ in groups)
    order = tuple(rank for _, rank in groups)
    flush = len({card % 4 for card in cards}) == 1
    straight = len(groups) == 5 and order[0] - order[4] == 4
    if order == (12, 3, 2, 1, 0):
        straight, order = True, (3,)
    if straight:
        return (8 if flush else 4, order[0])
    if flush:
        return (5, *order)
    kinds = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    return (kinds.get(shape, 0), *order)


def best(cards: Sequence[int]) -> Score:
    """The best five of five or more cards."""
    return max(five(some) for some in combinations(cards, 5))
