"""What may be bet at a table, as one line of text: by seat, by street, by number of raises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from counterfold.errors import ParameterError, short
from counterfold.poker.sizes import Size, Sizes, parse_sizes


def table_sizes(
    bets: str, raises: str, places: Sequence[str], streets: Sequence[str], big_blind: float
) -> tuple[tuple[Sizes, ...], ...]:
    """[seat][street] the sizes that two texts give.

    A semicolon stands between seats ("BTN:2.5bb;3bb", the last for those without a name), a bar
    between streets (the last goes on), and a slash between raises by how many there have been.

    >>> button, small = table_sizes("50%", "SB:3bb/2.2x;4bb|60%", ["BB", "SB"], ["pre", "flop"], 2)
    >>> str(button[0].raises[0]), str(button[1].raises[0]), str(small[1].again[0][0])
    ('8c', '60%', '2.2x')
    """
    found = []
    for place in places:
        by_street = [
            _by_street(name, _of_seat(name, text, place, places), streets)
            for name, text in (("bets", bets), ("raises", raises))
        ]
        own = []
        for bet, levels in zip(*by_street, strict=True):
            first, *again = [parse_sizes(level, big_blind=big_blind) for level in levels.split("/")]
            own.append(Sizes(parse_sizes(bet, big_blind=big_blind), first, again=tuple(again)))
        found.append(tuple(own))
    return tuple(found)


def sizes_text(sizes: Sequence[Sequence[Sequence[Iterable[Size]]]], places: Sequence[str]) -> str:
    """The text of sizes by seat, street and number of raises, as ``table_sizes`` reads it.

    >>> sizes_text([[[[Size("pot", 50)]]], [[[Size("all-in")], []]]], ["SB", "BB"])
    'SB:50%;BB:allin/'
    """
    own = [
        "|".join("/".join(",".join(map(str, level)) for level in street) for street in seat)
        for seat in sizes
    ]
    if len(set(own)) == 1:
        return own[0]
    return ";".join(f"{place}:{text}" for place, text in zip(places, own, strict=True))


def _of_seat(name: str, text: str, place: str, places: Sequence[str]) -> str:
    """The part of a text that is about a seat, or about those that it does not name."""
    named: dict[str, str] = {}
    for part in text.split(";"):
        seat, _, sizes = part.rpartition(":")
        seat = seat.strip().upper()
        if seat and seat not in places:
            raise ParameterError(
                f"{name}: {short(seat)} is no seat of this table; there are {', '.join(places)}"
            )
        if named.setdefault(seat, sizes) != sizes:
            raise ParameterError(f"{name}: {seat or 'seats without a name'} have sizes twice")
    if place not in named and "" not in named:
        raise ParameterError(
            f"{name} says nothing about {place}; end with sizes for all others, as in BTN:3x;2.5x"
        )
    return named.get(place, named.get("", ""))


def _by_street(name: str, text: str, streets: Sequence[str]) -> list[str]:
    parts = text.split("|")
    if len(parts) > len(streets):
        raise ParameterError(
            f"{name}: {short(text)} has sizes for more streets than {len(streets)}"
        )
    return [parts[min(k, len(parts) - 1)] for k in range(len(streets))]
