"""Ranges: how likely each of the 1,326 holes is to be played, in the notation of poker tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Floats, Ints
from counterfold.errors import ParameterError, short
from counterfold.notebook import LONGEST, brief
from counterfold.poker.cards import (
    HIGH,
    HOLES,
    LOW,
    RANKS,
    check_distinct,
    hole_cards,
    hole_name,
    hole_number,
    holes_without,
    parse_hole,
)
from counterfold.poker.notation import Cell, cell_of, entries, span, weighed

_ROW_HIGH, _ROW_LOW = 12 - HIGH.astype(np.int64) // 4, 12 - LOW.astype(np.int64) // 4
_SUITED = HIGH % 4 == LOW % 4
# [1,326] the cell of each hole in the grid of 13 x 13, row by row
CELL: Ints = np.where(_SUITED, 13 * _ROW_HIGH + _ROW_LOW, 13 * _ROW_LOW + _ROW_HIGH)
CELL.flags.writeable = False
_PER_CELL = np.bincount(CELL, minlength=169)

_HOLE = re.compile(r"(?:[2-9TJQKA][cdhs]){2}", re.IGNORECASE)


def cell_name(row: int, column: int) -> str:
    """What a cell of the grid holds: aces first, suited above the diagonal, offsuit below.

    >>> cell_name(0, 0), cell_name(0, 1), cell_name(1, 0)
    ('AA', 'AKs', 'AKo')
    """
    if not (0 <= row < 13 and 0 <= column < 13):
        raise ParameterError(f"the grid has no cell {row}, {column}; rows and columns are 0 to 12")
    first, second = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
    return first + second + ("" if row == column else "s" if row < column else "o")


@dataclass(frozen=True, eq=False)
class Range:
    """A weight from 0 to 1 for each hole.

    In words, entries with commas between them:

    - ``AA``, ``AKs``, ``AKo``, ``AK`` (suited and offsuit), ``AhKd`` (one hole), ``random`` (all);
    - ``QQ+`` this pair and all higher; ``KTs+`` this kicker and all higher below the king;
      ``T9s+`` (neighbours) both cards higher together: T9s, JTs, QJs, KQs, AKs;
    - ``66-22``, ``A5s-A2s`` with one card in common, ``76s-54s`` with one gap; either end first;
    - ``top 20%``, so many of the strongest classes, whole ones, that they come nearest to this
      share of all holes: by their exact equity against a hand drawn evenly, before the flop;
    - a weight after a colon, ``A5s-A2s:0.5``; without one it is 1.

    Where entries overlap, the later one counts: ``22+,AA:0.5`` has aces at one half, and
    ``random,72o:0`` is all but one class. (Some solvers let the first one count; ranges that
    tools print never overlap.)

    >>> hands = Range.parse("QQ+, AKs, A5s-A2s:0.5")
    >>> hands.combos, hands["AhAd"], hands["5s As"], hands["KhQh"]
    (30.0, 1.0, 0.5, 0.0)
    >>> str(Range.parse("top 5%, AA:0.5"))
    'KK-77,AJs+,AKo,AA:0.5'
    >>> str(Range.parse("AA,KK,22,33,44,AKs,AKo,AQs,AJs,76s,65s,54s,AhTh,KdQh:.25"))
    'KK+,44-22,AJs+,76s-54s,AKo,AhTh,KdQh:0.25'
    """

    weights: Floats  # [1,326], by the numbers of poker.cards

    def __post_init__(self) -> None:
        if isinstance(self.weights, str):
            raise ParameterError(f"a range in words is Range.parse({short(self.weights)})")
        weights = np.array(self.weights, np.float64)
        if weights.shape != (HOLES,):
            raise ParameterError(f"a range has {HOLES:,} weights, not {weights.size:,}")
        if not ((weights >= 0) & (weights <= 1)).all():
            raise ParameterError("the weights of a range are from 0 to 1")
        weights += 0.0  # no negative zero
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    @classmethod
    def parse(cls, text: str) -> Range:
        """The range that a text names; an empty text is refused.

        >>> Range.parse("QQ+,AKx")
        Traceback (most recent call last):
        ...
        counterfold.errors.ParameterError: 'AKx' at character 5 of the range is not understood; \
write hands as in QQ+, AKs, A5s-A2s, KTo+, AhKd, top 20% or random, with a weight as in AA:0.5
        """
        weights = np.zeros(HOLES)
        for name, weight, place in weighed(text):
            weights[_holes(name, place)] = weight
        return cls(weights)

    @property
    def combos(self) -> float:
        """How many holes the range has, counted by their weights."""
        return float(self.weights.sum())

    def __getitem__(self, hole: str | int) -> float:
        """The weight of one hole, by its name or number."""
        number = parse_hole(hole) if isinstance(hole, str) else hole_number(*hole_cards(hole))
        return float(self.weights[number])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and bool((self.weights == other.weights).all())

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __repr__(self) -> str:
        if not self.weights.any():
            return "Range(no hands)"
        whole = f"Range.parse({str(self)!r})"
        return whole if len(whole) <= LONGEST else brief(self, f"of {self.combos:g} combos: {self}")

    def __len__(self) -> int:
        """How many holes have a weight."""
        return int(np.count_nonzero(self.weights))

    def __iter__(self) -> Iterator[str]:
        """The names of the holes that have a weight, from the highest cards down.

        >>> list(Range.parse("AA").without([51, 50]))
        ['AdAc']
        """
        names = [hole_name(hole) for hole in np.flatnonzero(self.weights).tolist()]
        return iter(sorted(names, key=_by_rank))

    def __contains__(self, hole: str | int) -> bool:
        return self[hole] > 0

    def _repr_html_(self) -> str:
        """The grid of 13 x 13 as a notebook shows it, darker where more of a class is in."""
        rows = []
        for row, weights in enumerate(self.grid()):
            cells = [
                f'<td style="background:rgba(46,125,50,{weight:.2f})" title="{100 * weight:.0f}%">'
                f"{cell_name(row, column)}</td>"
                for column, weight in enumerate(weights)
            ]
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return f"<table><caption>{self.combos:g} combos</caption>{''.join(rows)}</table>"

    def without(self, cards: Iterable[int]) -> Range:
        """The range after card removal: holes with one of these cards are gone.

        >>> from counterfold.poker.cards import parse_board
        >>> str(Range.parse("AA,KQs").without(parse_board("As Kh 2d")))
        'AdAc,AhAc,AhAd,KcQc,KdQd,KsQs'
        """
        return Range(np.where(holes_without(check_distinct(cards)), self.weights, 0.0))

    def grid(self) -> Floats:
        """The mean weight of each of the 169 classes, as 13 rows; see ``cell_name``.

        >>> Range.parse("AA,AhKh").grid()[0, :3].tolist()
        [1.0, 0.25, 0.0]
        """
        total = np.bincount(CELL, self.weights, minlength=169)
        return (total / _PER_CELL).reshape(13, 13)

    def __str__(self) -> str:
        """The range in few words: heaviest first; in these, runs of classes, then single holes."""
        low, high = np.full(169, 2.0), np.full(169, -1.0)
        np.minimum.at(low, CELL, self.weights)
        np.maximum.at(high, CELL, self.weights)
        whole = low == high
        words: list[str] = []
        for weight in np.unique(self.weights)[::-1]:
            if weight == 0:
                break
            cells = {cell_of(int(k)) for k in np.flatnonzero(whole & (high == weight))}
            holes = np.flatnonzero((self.weights == weight) & ~whole[CELL])
            found = ["random"] if len(cells) == 169 else entries(cells)
            found += sorted((hole_name(int(hole)) for hole in holes), key=_by_rank)
            tail = "" if weight == 1 else f":{float(weight)!r}"
            words += [name + tail for name in found]
        return ",".join(words)


def _by_rank(name: str) -> tuple[int, int, str]:
    return -RANKS.index(name[0]), -RANKS.index(name[2]), name


def _holes(name: str, place: str) -> NDArray[np.intp] | int:
    """The numbers of the holes that an entry without its weight names."""
    if name.lower() == "random":
        return np.arange(HOLES)
    if _HOLE.fullmatch(name):
        if name[:2].lower() == name[2:].lower():
            raise ParameterError(f"{place} has the same card twice")
        return parse_hole(name)
    cells: set[Cell] = span(name, place)
    wanted = np.zeros(169, np.bool_)
    wanted[[cell.number for cell in cells]] = True
    return np.flatnonzero(wanted[CELL])
