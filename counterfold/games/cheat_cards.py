"""The cards of Cheat: their names, and all discards from a hand."""

from __future__ import annotations

from functools import cached_property
from itertools import chain, combinations_with_replacement, compress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from counterfold.arrays import Array

Counts = tuple[int, ...]
"""Cards as how many there are of each rank."""

MOST_LOTS = 1_000_000
"""Different discards that a game may have."""

MOST_TEXTS, MOST_MENUS = 200_000, 2_048
"""Hands in words, and lists of discards, that are kept for hands met again."""

FACES = {0: "A", 10: "J", 11: "Q", 12: "K"}


def rank_name(rank: int) -> str:
    """A rank, counted from 0, as it is printed on a card.

    >>> [rank_name(rank) for rank in (0, 1, 9, 10, 12)]
    ['A', '2', '10', 'J', 'K']
    """
    return FACES.get(rank, str(rank + 1))


class Deck:
    """Cards in words and discards by name.

    A discard is named by its cards from the current rank on, so that what may be true comes
    first; a menu has few cards first.

    >>> deck = Deck(("A", "2", "3"), copies=2, most=2)
    >>> deck.menu((1, 0, 2), rank=2), deck.by_name(2)["3 A"], deck.text((1, 0, 2), " ")
    (('3', 'A', '3 3', '3 A'), (1, 0, 1), 'A 3 3')
    """

    def __init__(self, names: tuple[str, ...], copies: int, most: int) -> None:
        self.names, self.copies, self.most = names, copies, most
        self._texts: dict[tuple[Counts, str], str] = {}
        self._menus: dict[tuple[Counts, int], tuple[str, ...]] = {}
        self._named: dict[int, dict[str, Counts]] = {}

    def text(self, counts: Counts, mark: str) -> str:
        """Cards in words, the first rank first."""
        text = self._texts.get((counts, mark))
        if text is None:
            if len(self._texts) > MOST_TEXTS:
                self._texts.clear()
            text = self._texts[counts, mark] = mark.join(_words(self.names, counts))
        return text

    def menu(self, hand: Counts, rank: int) -> tuple[str, ...]:
        """Discards from a hand by name."""
        menu = self._menus.get((hand, rank))
        if menu is None:
            if len(self._menus) > MOST_MENUS:
                self._menus.clear()
            fits = (self._lots - (hand[rank:] + hand[:rank])).max(axis=1) <= 0
            menu = self._menus[hand, rank] = tuple(compress(self.by_name(rank), fits.tolist()))
        return menu

    def by_name(self, rank: int) -> dict[str, Counts]:
        """All discards at a rank, in the order of menus."""
        found = self._named.get(rank)
        if found is None:
            names = self.names[rank:] + self.names[:rank]
            back = len(names) - rank
            found = self._named[rank] = {
                " ".join(_words(names, lot)): (*lot[back:], *lot[:back])
                for lot in self._lots.tolist()
            }
        return found

    @cached_property
    def _lots(self) -> Array:
        """All discards as counts by rank from the current one on, in the order of menus."""
        import numpy as np

        ranks = len(self.names)
        sizes = range(1, min(self.most, ranks * self.copies) + 1)
        chosen = chain(*(combinations_with_replacement(range(ranks), size) for size in sizes))
        lots = [np.bincount(lot, minlength=ranks) for lot in map(list, chosen)]
        table = np.array(lots, dtype=np.int16)
        return table[(table <= self.copies).all(axis=1)]


def _words(names: tuple[str, ...], counts: Iterable[int]) -> list[str]:
    return [name for name, count in zip(names, counts, strict=True) for _ in range(count)]


def added(one: Counts, other: Counts) -> Counts:
    """Two lots of cards together."""
    return tuple(map(int.__add__, one, other))


def changed(hands: tuple[Counts, ...], player: int, cards: Counts, sign: int) -> tuple[Counts, ...]:
    """Hands after one of them has been given cards (1) or has laid them (-1)."""
    hand = tuple(map(int.__add__ if sign > 0 else int.__sub__, hands[player], cards))
    return (*hands[:player], hand, *hands[player + 1 :])
