"""Sizes of bets and raises in words: "50%", "3x", "300c", "3bb", "+100", "2e", "allin"."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from counterfold.errors import ParameterError, short

_NUMBER = r"(\d+(?:\.\d*)?|\.\d+)"
_FORMS = {
    "pot": re.compile(rf"{_NUMBER}\s*%"),
    "times": re.compile(rf"{_NUMBER}\s*x"),
    "to": re.compile(rf"{_NUMBER}\s*c(?:hips)?"),
    "blinds": re.compile(rf"{_NUMBER}\s*bb"),
    "by": re.compile(rf"\+\s*{_NUMBER}"),
    "even": re.compile(r"(\d*)\s*e"),
    "all-in": re.compile(r"(a|all[\s_-]?in)"),
}
_BARE = re.compile(_NUMBER)
_HOW = (
    "write 50% (of the pot), 3x (times the bet to match), 300c (to 300 chips), 3bb (to 3 big "
    "blinds), +100 (100 more than the bet to match), 2e (all-in by 2 equal parts of the pot), "
    "e (by one a street) or allin"
)


@dataclass(frozen=True)
class Size:
    """How much to bet, or to raise to, told so that it fits any pot.

    >>> parse_size("60%").reach(pot=332, level=66, most=600, streets=1)
    265.2
    >>> parse_size("2e").reach(pot=200, level=0, most=800, streets=3)  # then 600 into a pot of 600
    200.0
    """

    kind: str  # "pot", "times", "to", "by", "even" or "all-in"
    amount: float = 0.0  # percent, multiple, chips, or bets (0: one for each street left)

    def reach(self, pot: float, level: float, most: float, streets: int) -> float:
        """What it comes to, in chips put in on this street, before rounding and legal limits.

        ``pot`` is the pot after calling, ``level`` what there is to match on this street,
        ``most`` what a player can put in on it, ``streets`` how many are left with this one.
        """
        if self.kind == "pot":
            return level + self.amount * pot / 100
        if self.kind == "times":
            return level * self.amount
        if self.kind == "to":
            return self.amount
        if self.kind == "by":
            return level + self.amount
        if self.kind == "all-in":
            return most
        growth: float = (1 + 2 * (most - level) / pot) ** (1 / (self.amount or streets))
        return level + pot * (growth - 1) / 2

    def __str__(self) -> str:
        number = chips_name(self.amount)
        if self.kind == "even":
            return f"{number}e" if self.amount else "e"
        forms = {"pot": f"{number}%", "times": f"{number}x", "to": f"{number}c", "by": f"+{number}"}
        return forms.get(self.kind, "allin")


@dataclass(frozen=True)
class Sizes:
    """What a player may choose from on a street; no ``donks`` means the same as ``bets``.

    A donk is the bet of the player who acts first after calling on the street before. ``again``
    has the sizes of the second raise of a street, of the third and so on; the last go on.
    """

    bets: tuple[Size, ...] = ()
    raises: tuple[Size, ...] = ()
    donks: tuple[Size, ...] | None = None
    again: tuple[tuple[Size, ...], ...] = ()

    def __post_init__(self) -> None:
        for size in (*self.bets, *(self.donks or ())):
            if size.kind == "times":
                raise ParameterError(
                    f"{size} multiplies a bet that is there already, so it is a size of raises; "
                    "give bets as in 50% or 100c"
                )


def parse_size(given: object, *, bare_chips: bool = False, big_blind: float | None = None) -> Size:
    """One size from its text. A number has its unit, unless those without one are chips.

    Big blinds become chips where it is known how many one has.

    >>> str(parse_size("2.5bb", big_blind=2))
    '5c'

    >>> str(parse_size("33 %")), str(parse_size("2.5X")), str(parse_size("All-in"))
    ('33%', '2.5x', 'allin')
    >>> parse_size("50")
    Traceback (most recent call last):
    ...
    counterfold.errors.ParameterError: '50' has no unit: write 50% of the pot, or 50c for 50 chips
    >>> parse_size("50 percent")
    Traceback (most recent call last):
    ...
    counterfold.errors.ParameterError: '50 percent' is not a size; write 50% (of the pot), \
3x (times the bet to match), 300c (to 300 chips), 3bb (to 3 big blinds), +100 (100 more than \
the bet to match), 2e (all-in by 2 equal parts of the pot), e (by one a street) or allin
    """
    if isinstance(given, Size):
        return given
    text = str(given).strip().lower()
    if _BARE.fullmatch(text):
        if not bare_chips:
            # Who writes 0.5, as some solvers do, means half of the pot and not half a percent.
            percent = f"{100 * float(text):g}" if float(text) <= 2 else text
            raise ParameterError(
                f"{short(given)} has no unit: write {percent}% of the pot, or {text}c for {text} "
                "chips"
            )
        text += "c"
    for kind, form in _FORMS.items():
        found = form.fullmatch(text)
        if found is None or isinstance(given, bool):
            continue
        if kind == "all-in":
            return Size(kind)
        amount = float(found[1] or 0)
        least = 1 if kind == "times" else 0
        if kind == "blinds" and big_blind is None:
            raise ParameterError(
                f"{short(given)} is in big blinds, and nothing says how many chips one has; give a "
                '"big_blind", or chips as in 300c'
            )
        if (amount > least or found[1] == "") and math.isfinite(amount):
            return Size("to", amount * (big_blind or 1)) if kind == "blinds" else Size(kind, amount)
        raise ParameterError(f"{short(given)} is not a size; it must be a number above {least}")
    raise ParameterError(f"{short(given)} is not a size; {_HOW}")


def parse_sizes(
    given: object, *, bare_chips: bool = False, big_blind: float | None = None
) -> tuple[Size, ...]:
    """Sizes from a list, or from a text with commas between them.

    >>> [str(size) for size in parse_sizes("33%, 75%, allin")]
    ['33%', '75%', 'allin']
    """
    if isinstance(given, str):
        given = [part for part in given.split(",") if part.strip()]
    elif isinstance(given, Size | int | float):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, dict):
        raise ParameterError(
            f'{short(given)} is no list of sizes; write one as in ["50%", "allin"]'
        )
    return tuple(parse_size(part, bare_chips=bare_chips, big_blind=big_blind) for part in given)


def nearest(chips: float) -> int:
    """The nearest whole number of chips; halves go up.

    >>> nearest(265.2), nearest(49.5)
    (265, 50)
    """
    return math.floor(chips + 0.5)


def chips_name(chips: float) -> str:
    """A number of chips in words, whole where it is.

    >>> chips_name(66.0), chips_name(2.5)
    ('66', '2.5')
    """
    return str(int(chips)) if chips == int(chips) else str(float(chips))
