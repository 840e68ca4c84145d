"""The 169 classes of starting hands in words: one class, a run of them, and few words for many."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from counterfold.errors import ParameterError
from counterfold.poker.cards import RANKS

_CLASS = r"([2-9TJQKA])([2-9TJQKA])([so]?)"
_ENTRY = re.compile(rf"{_CLASS}\s*(?:(\+)|-\s*{_CLASS})?", re.IGNORECASE)
_HOW = (
    "write hands as in QQ+, AKs, A5s-A2s, KTo+, AhKd, top 20% or random, with a weight as in AA:0.5"
)
STRONGEST = """
    AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o
    KJo 55 QJs K9s A5s A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44
    A4o K6s K8o Q8s A3o K5s J9s Q9o JTo K7o A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o K5o J9o K2s
    Q5s T8s K4o J7s Q4s Q7o T9o J8o K3o Q6o Q3s 98s T7s J6s K2o 22 Q2s Q5o J5s T8o J7o Q4o 97s
    J4s T6s J3s Q3o 98o 87s T7o J6o 96s J2s Q2o T5s J5o T4s 97o 86s J4o T6o 95s T3s 76s J3o 87o
    T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o 65s 84s 95o T3o 92s 76o 74s T2o 54s 85o 64s 83s 94o
    75o 82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s 54o 64o 52s 62s 83o 42s 82o 73o 53o 63o 32s
    43o 72o 52o 62o 42o 32o
"""
"""The 169 classes by their exact equity before the flop against a hand drawn evenly."""
_TOP = re.compile(r"top\s*(\d+(?:\.\d*)?|\.\d+)\s*%", re.IGNORECASE)

_WEIGHT = re.compile(r"(\d+(?:\.\d*)?(?:e-?\d+)?|\.\d+(?:e-?\d+)?)\s*(%?)", re.IGNORECASE)
_GROUP = re.compile(r"(?:\[\s*([^]/]*)\])?\s*([^][]*?)\s*(\[/[^]]*\])?")


def weighed(text: str) -> Iterator[tuple[str, float, str]]:
    """The entries of a range with their weights, and where each stands, for complaints.

    >>> [(name, weight) for name, weight, _ in weighed("QQ+, AKs:0.5")]
    [('QQ+', 1.0), ('AKs', 0.5)]
    >>> [(name, weight) for name, weight, _ in weighed("AA, [50]KK, QQ[/50], AKs:25%")]
    [('AA', 1.0), ('KK', 0.5), ('QQ', 0.5), ('AKs', 0.25)]
    """
    at, some, shared, group = 0, False, 1.0, ""
    for part in text.split(","):
        entry = part.strip()
        place = f"{entry!r} at character {at + len(part) - len(part.lstrip()) + 1} of the range"
        at += len(part) + 1
        if not entry:
            continue
        some = True
        found = _GROUP.fullmatch(entry)
        opened, inner, closed = found.groups() if found else (None, entry, None)
        if opened is not None:
            shared, group = _weight(f"{opened}%", place), place
        name, colon, weight = (piece.strip() for piece in inner.partition(":"))
        yield name, shared * _weight(weight, place) if colon else shared, place
        if closed:
            shared, group = 1.0, ""
    if group:
        raise ParameterError(f"{group} opens a group of one weight that nothing closes")
    if not some:
        raise ParameterError("the range is empty; write hands as in QQ+,AKs,A5s-A2s:0.5")


def _weight(text: str, place: str) -> float:
    """A number from 0 to 1, or a percentage."""
    found = _WEIGHT.fullmatch(text)
    value = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= value <= 1:
        raise ParameterError(f"{place} has no good weight; write one from 0 to 1, as in AA:0.5")
    return value


class Cell(NamedTuple):
    """A class of starting hands: its ranks from deuce (0) to ace (12), and s, o or a pair."""

    high: int
    low: int
    kind: str  # "s", "o", or "" for a pair

    @property
    def number(self) -> int:
        """Its place in the grid of 13 x 13, row by row from the aces."""
        row, column = 12 - self.high, 12 - self.low
        return 13 * column + row if self.kind == "o" else 13 * row + column


def cell_of(number: int) -> Cell:
    """The class at a place of the grid.

    >>> cell_of(1), cell_of(1).number
    (Cell(high=12, low=11, kind='s'), 1)
    """
    row, column = divmod(number, 13)
    kind = "" if row == column else "s" if row < column else "o"
    return Cell(12 - min(row, column), 12 - max(row, column), kind)


def span(name: str, place: str) -> set[Cell]:
    """The classes that an entry names; ``place`` says where it stands, for complaints.

    >>> sorted(cell.low for cell in span("KTs+", "here"))
    [8, 9, 10]
    """
    if share := _TOP.fullmatch(name):
        return _top(float(share[1]) / 100, place)
    found = _ENTRY.fullmatch(name)
    if found is None:
        raise ParameterError(f"{place} is not understood; {_HOW}")
    first, second, kind, plus, *other = found.groups()
    high, low, kind = _ends(first, second, kind, place)
    steps = [(high, low)]
    if plus:
        if high - low <= 1:
            steps = [(high + k, low + k) for k in range(13 - high)]
        else:
            steps = [(high, k) for k in range(low, high)]
    elif other[0]:
        high2, low2, kind2 = _ends(other[0], other[1], other[2], place)
        by = abs(low - low2)
        if kind != kind2:
            raise ParameterError(f"{place} goes from one kind of hand to another; {_HOW}")
        if high == high2 and high != low and high2 != low2:
            steps = [(high, k) for k in range(min(low, low2), max(low, low2) + 1)]
        elif high - low == high2 - low2:
            steps = [(min(high, high2) + k, min(low, low2) + k) for k in range(by + 1)]
        else:
            raise ParameterError(
                f"{place} has ends that share neither their high card nor their gap; {_HOW}"
            )
    return {Cell(a, b, one) for a, b in steps for one in (("",) if a == b else kind or "so")}


def _top(share: float, place: str) -> set[Cell]:
    """So many of the strongest classes that they come nearest to a share of all holes."""
    if not 0 < share <= 1:
        raise ParameterError(f"{place} has no good share; write one above 0 and up to 100%")
    cells = [cell for name in STRONGEST.split() for cell in span(name, place)]
    held = list(accumulate({"": 6, "s": 4, "o": 12}[cell.kind] for cell in cells))
    count = min(range(len(held)), key=lambda k: abs(held[k] - share * held[-1]))
    return set(cells[: count + 1])


def _ends(first: str, second: str, kind: str, place: str) -> tuple[int, int, str]:
    one, two = RANKS.index(first.upper()), RANKS.index(second.upper())
    if one == two and kind:
        raise ParameterError(f"{place} has a pair with a suit; write pairs as in QQ or QQ+")
    return max(one, two), min(one, two), kind.lower()


def _runs(values: Iterable[int]) -> list[tuple[int, int]]:
    """Neighbours joined, highest first: (highest, lowest) of each run."""
    found: list[tuple[int, int]] = []
    for value in sorted(values, reverse=True):
        if found and found[-1][1] == value + 1:
            found[-1] = (found[-1][0], value)
        else:
            found.append((value, value))
    return found


def _row(high: int, lows: set[int], kind: str) -> list[str]:
    """Entries for hands that share their high card."""
    words = []
    for top, bottom in _runs(lows):
        one, two = (RANKS[high] + RANKS[k] + kind for k in (top, bottom))
        if top == bottom:
            words.append(one)
        else:
            # Among neighbours a plus would climb with both cards, but those are alone in a run.
            words.append(two + "+" if top == high - 1 else f"{one}-{two}")
    return words


def _diagonals(cells: set[Cell], kind: str) -> list[tuple[str, set[Cell]]]:
    """Runs of one gap through classes that a row could only list one by one."""
    alone = set()
    for high in range(13):
        for top, bottom in _runs(c.low for c in cells if c.high == high and c.kind == kind):
            if top == bottom:
                alone.add(Cell(high, top, kind))
    found = []
    for gap in range(1, 13):
        for top, bottom in _runs(c.high for c in alone if c.high - c.low == gap):
            one, two = (RANKS[k] + RANKS[k - gap] + kind for k in (top, bottom))
            if top - bottom >= 2:  # two are as short in a list
                # Never as T9s+: to some tools that is T9s alone.
                run = {Cell(k, k - gap, kind) for k in range(bottom, top + 1)}
                found.append((f"{one}-{two}", run))
    return found


def entries(cells: set[Cell]) -> list[str]:
    """Few words for a set of classes: pairs, suited, offsuit, highest first.

    Hands that share a high card make runs (``A5s-A2s``), and where they would stand alone,
    hands of one gap (``76s-54s``); suited and offsuit share an entry (``AK``) where that is
    shorter.

    >>> entries(span("22+", "") | span("A2s+", "") | span("AT+", "") | span("KQ", ""))
    ['22+', 'A2s+', 'ATo+', 'KQ']
    """
    words = []
    for top, bottom in _runs(c.high for c in cells if not c.kind):
        one, two = RANKS[top] * 2, RANKS[bottom] * 2
        words.append(one if top == bottom else two + "+" if top == 12 else f"{one}-{two}")
    left = set(cells)
    level: dict[str, list[str]] = {"s": [], "o": [], "": []}
    slanted: dict[str, list[str]] = {"s": [], "o": []}
    for kind in "so":
        for word, run in _diagonals(cells, kind):
            slanted[kind].append(word)
            left -= run
    for high in range(12, 0, -1):
        suited, offsuit = ({c.low for c in left if c[::2] == (high, kind)} for kind in "so")
        both = suited & offsuit
        apart = {"s": _row(high, suited, "s"), "o": _row(high, offsuit, "o"), "": []}
        joined = {
            "s": _row(high, suited - both, "s"),
            "o": _row(high, offsuit - both, "o"),
            "": _row(high, both, ""),
        }
        for kind, found in min(apart, joined, key=_length).items():
            level[kind] += found
    return words + level["s"] + slanted["s"] + level["o"] + slanted["o"] + level[""]


def _length(words: dict[str, list[str]]) -> int:
    return sum(len(word) + 1 for found in words.values() for word in found)
