"""Made hands and draws: what each hole is on a board, in the words of poker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from counterfold.arrays import Bools
from counterfold.errors import ParameterError, short
from counterfold.poker.cards import HOLES, hole_cards, holes_without
from counterfold.poker.ranges import Range

Mask = Bools
MADE = (
    "straight flush", "quads", "full house", "flush", "straight", "set", "trips", "two pair",
    "overpair", "top pair", "second pair", "low pair", "underpair", "ace high", "nothing",
)  # fmt: skip
"""A hole is exactly one of these, the first that fits. Pairs are those that it makes itself."""

DRAWS = ("flush draw", "open-ender", "gutshot", "backdoor flush draw", "overcards")
"""To a better hand than is made; an open-ender is any draw to a straight by two ranks."""

UNIONS = {
    "pair": MADE[8:13],
    "straight draw": ("open-ender", "gutshot"),
    "draw": ("flush draw", "open-ender", "gutshot"),
    "middle pair": ("second pair",),
    "bottom pair": ("low pair",),
    "oesd": ("open-ender",),
}
ACE = 12


@lru_cache(8)
def kinds(board: tuple[int, ...]) -> dict[str, Mask]:
    """[1326] the holes of each kind of made hand, draw and union of them on a board.

    >>> from counterfold.poker.cards import hole_number, parse_board, parse_cards
    >>> on = kinds(parse_board("Ks 9s 4d"))
    >>> hole = hole_number(*parse_cards("QsJs"))
    >>> [name for name, mask in on.items() if mask[hole]]
    ['nothing', 'flush draw', 'gutshot', 'straight draw', 'draw']
    """
    found = {name: np.zeros(HOLES, np.bool_) for name in (*MADE, *DRAWS)}
    for hole in np.flatnonzero(holes_without(board)).tolist():
        for name in kinds_of(hole_cards(hole), board):
            found[name][hole] = True
    parts = {name: np.any([found[one] for one in some], 0) for name, some in UNIONS.items()}
    return found | parts


def kinds_of(own: Sequence[int], board: tuple[int, ...]) -> list[str]:
    """What a hole is on a board: its made hand, and its draws."""
    made = _made(own, board)
    return [made, *_draws(own, board, MADE.index(made))]


def _made(own: Sequence[int], board: tuple[int, ...]) -> str:
    cards = (*own, *board)
    ranks, suits = Counter(card // 4 for card in cards), Counter(card % 4 for card in cards)
    flush = next((suit for suit, count in suits.items() if count >= 5), None)
    counts = sorted(ranks.values(), reverse=True)
    if flush is not None and _is_straight(card // 4 for card in cards if card % 4 == flush):
        return "straight flush"
    if counts[0] == 4:
        return "quads"
    if counts[0] == 3 and counts[1] >= 2:
        return "full house"
    if flush is not None:
        return "flush"
    if _is_straight(ranks):
        return "straight"
    return _by_ranks(sorted(card // 4 for card in own), Counter(card // 4 for card in board))


def _by_ranks(own: list[int], board: Counter[int]) -> str:
    """What is left: sets, pairs and high cards, as far as the hole has a part in them."""
    low, high = own
    order = sorted(board, reverse=True)
    if low == high:
        if low in board:
            return "set"
        return "overpair" if low > order[0] else "underpair"
    met = [rank for rank in own if rank in board]
    if any(board[rank] == 2 for rank in met):
        return "trips"
    if len(met) == 2:
        return "two pair"
    if met:
        place = order.index(met[0])
        return ("top pair", "second pair", "low pair")[min(place, 2)]
    return "ace high" if high == ACE else "nothing"


def _draws(own: Sequence[int], board: tuple[int, ...], made: int) -> list[str]:
    if len(board) >= 5:
        return []
    found = []
    suits = Counter(card % 4 for card in (*own, *board))
    most = max(suits[card % 4] for card in own)
    if made > MADE.index("flush"):
        found += ["flush draw"] if most == 4 else []
        found += ["backdoor flush draw"] if most == 3 and len(board) == 3 else []
    if made > MADE.index("straight"):
        ranks, there = {card // 4 for card in (*own, *board)}, {card // 4 for card in board}
        outs = [r for r in range(13) if _is_straight({*ranks, r}) and not _is_straight({*there, r})]
        found += ["open-ender"] if len(outs) > 1 else ["gutshot"] if outs else []
    if made >= MADE.index("ace high") and min(own) // 4 > max(board) // 4:
        found.append("overcards")
    return found


def _is_straight(ranks: Iterable[int]) -> bool:
    mask = 0
    for rank in ranks:
        mask |= 2 << rank | (rank == ACE)  # an ace is below the two as well
    return bool(mask & mask >> 1 & mask >> 2 & mask >> 3 & mask >> 4)


def names_kind(words: str) -> bool:
    """Do words name a made hand or a draw, and not only ranges?"""
    return any(part in _NAMES for part in _parts(words))


def check_words(words: str) -> None:
    """Refuse what names no hands.

    >>> check_words("flush draw & AKs, set, QQ+")
    >>> check_words("flsh draw")
    Traceback (most recent call last):
    counterfold.errors.ParameterError: 'flsh draw' is no range, made hand or draw; did you mean \
'flush draw'?
    """
    for part in _parts(words):
        if part in _NAMES:
            continue
        try:
            Range.parse(part)
        except ParameterError:
            import difflib

            near = difflib.get_close_matches(part, _NAMES, 1, 0.6)
            advice = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(_NAMES)}"
            if near or " " in part:
                raise ParameterError(
                    f"{short(part)} is no range, made hand or draw; {advice}"
                ) from None
            raise


def wanted_holes(words: str, board: tuple[int, ...]) -> Mask:
    """[1326] the holes that words name: ranges, made hands and draws; "," is or, "&" is and.

    >>> from counterfold.poker.cards import parse_board
    >>> int(wanted_holes("flush draw & AQ, set", parse_board("Ks 9s 4d")).sum())
    10
    """
    check_words(words)
    if names_kind(words) and len(board) < 3:
        raise ParameterError(f"{short(words)}: made hands and draws begin with the flop")
    wanted = np.zeros(HOLES, np.bool_)
    for group in words.split(","):
        holes = holes_without(board)
        for part in _parts(group):
            holes &= kinds(tuple(board))[part] if part in _NAMES else Range.parse(part).weights > 0
        wanted |= holes
    return wanted


def _parts(words: str) -> list[str]:
    listed = (part.strip() for group in words.split(",") for part in group.split("&"))
    return [_singular(part.lower()) or part for part in listed]


def _singular(name: str) -> str | None:
    """The name of a kind, of which there may be several: flush draws are flush draw."""
    return next((one for one in (name, name.removesuffix("s")) if one in _NAMES), None)


_NAMES = {*MADE, *DRAWS, *UNIONS}
