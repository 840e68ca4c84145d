"""The hands that a player can have on each board of a public tree, kept small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Ints


@dataclass(frozen=True, eq=False)
class Hands:
    """One player's hands on one board.

    On a last board every hand stands for itself, and they lie in the order of strength. Where
    cards are still to come, hands that a renaming of suits makes equal are one.
    """

    holes: Ints  # [hands] one hole for each
    pairs: Ints  # [pairs] all holes of the range that the board leaves
    of: Ints  # [pairs] the hand that each is
    size: Ints  # [hands] how many holes each stands for


class Dealt(Sequence[Hands]):
    """One player's hands on all boards, the boards of the last street at the end.

    Of the last street only the holes are kept, as all the rest follows from them, so that its
    ``Hands`` are made when they are asked for.
    """

    def __init__(self, early: Sequence[Hands], holes: NDArray[np.uint16], count: Sequence[int]):
        self._early = tuple(early)
        self._holes = holes  # [boards of the last street, hands]
        self.counts = np.array([*(len(hands.holes) for hands in early), *count], np.uint32)
        """[boards] how many hands there are."""

    @cached_property
    def _same(self) -> tuple[Ints, Ints]:
        """Each hand's own number, and a one for each: the same on all boards."""
        made = np.arange(self._holes.shape[1]), np.ones(self._holes.shape[1], np.int64)
        for array in made:
            array.flags.writeable = False
        return made

    def __len__(self) -> int:
        return len(self.counts)

    @overload
    def __getitem__(self, board: int) -> Hands: ...
    @overload
    def __getitem__(self, board: slice) -> list[Hands]: ...
    def __getitem__(self, board: int | slice) -> Hands | list[Hands]:
        if isinstance(board, slice):
            return [self[k] for k in range(*board.indices(len(self)))]
        number = range(len(self))[board]
        if number < len(self._early):
            return self._early[number]
        count = int(self.counts[number])
        holes = self._holes[number - len(self._early), :count].astype(np.int64)
        each, one = self._same
        return Hands(holes, holes, each[:count], one[:count])

    def __iter__(self) -> Iterator[Hands]:
        return (self[k] for k in range(len(self)))
