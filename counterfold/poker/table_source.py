"""Tables of hold'em from JSON: who sits where with what, and what each may bet."""

from __future__ import annotations

from collections.abc import Mapping

from counterfold.errors import ParameterError, short
from counterfold.games.spec import Parameter
from counterfold.poker.sizes import Size, parse_sizes
from counterfold.poker.spot_source import STREETS, Source, quoted
from counterfold.poker.table import MOST_PLAYERS, Holdem, positions
from counterfold.poker.table_sizes import sizes_text

OTHERS = "others"
"""The seats that a dictionary does not name."""
_PLAIN = ("limps", "chip", "cap", "last_street", "no_flop_no_drop")
_RAKE = ("rate", "cap", "no_flop_no_drop")


def is_table(given: object) -> bool:
    """Whether JSON describes a table: it says how many players there are, not their names.

    >>> is_table({"players": 3}), is_table({"players": ["hero", "villain"]})
    (True, False)
    """
    if not isinstance(given, Mapping) or {"payoffs", "matrix"} & set(given):
        return False
    return not isinstance(given.get("players", []), list)


def table(given: Mapping[str, object], *, where: str = "the table") -> Holdem:
    """The table that a dictionary describes.

    Stacks are one for all, a list from the first to act, or by seat; sizes a list for all, or by
    street, by seat, or by both; raises may have a list for each number of raises before. ``others``
    are the seats that are not named.

    >>> game = table({"players": 3, "stack": {"BTN": 40, "others": 100}, "bets": ["50%"],
    ...               "raises": {"preflop": [["2.5bb"], ["3x", "allin"]], "flop": ["100%"]},
    ...               "last_street": "flop"})
    >>> game.stack, game.bets, game.raises
    ((40.0, 100.0, 100.0), '50%', '2.5c/3x,allin|100%')
    """
    source = _TableSource(given, "table", where)
    players = len(source.players)
    made: dict[str, Parameter] = {"players": players}
    read = source.given
    if read.get("stack") is not None:
        made["stack"] = _stacks(source)
    for key in ("blinds", "limit"):
        if read.get(key) is not None:
            made[key] = _pair(source, key)
    for key in ("ante", "big_blind_ante", "straddle"):
        if read.get(key) is not None:
            made[key] = source.number(key, read[key], zero=True)
    made |= {key: read[key] for key in _PLAIN if read.get(key) is not None}
    made |= _rake(source) | _payouts(source)
    big_blind = made.get("blinds", Holdem.blinds)[1]
    made |= _sizes(source, str(made.get("last_street", Holdem.last_street)), big_blind)
    try:
        return Holdem(**made)
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from None


class _TableSource(Source):
    what = "table"
    keys = (
        *("name", "players", "stack", "blinds", "ante", "big_blind_ante", "straddle", "bets"),
        *("raises", "limit", "cap", "limps", "last_street", "chip", "rake", "payouts"),
    )
    aliases: Mapping[str, str] = {"stacks": "stack", "effective_stack": "stack", "raise_cap": "cap"}
    example = '"players", "stack" and "raises"'

    def _players(self) -> tuple[str, ...]:
        for key in self.given:
            if key in Source.keys and key not in self.keys:
                raise self.complaint(key, "this is of a spot, and no key of a table; leave it out")
        count = self.given.get("players")
        if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= MOST_PLAYERS:
            raise self.complaint(
                "players",
                f"this must be a whole number from 2 to {MOST_PLAYERS}, not {short(count)}",
            )
        return positions(count, bool(self.given.get("straddle")))

    @property
    def names(self) -> list[str]:
        return [*self.players, OTHERS]

    def of_player(self, key: str, values: Mapping[str, object], player: int) -> object:
        for name in (self.players[player], OTHERS):
            if name in values:
                return values[name]
        raise self.complaint(
            key, f"this says nothing about {self.players[player]}, nor about {quoted(OTHERS)}"
        )


def _stacks(source: _TableSource) -> float | tuple[float, ...]:
    """One for all, or one for each."""
    given = source.given["stack"]
    if isinstance(given, Mapping):
        source.only("stack", given, source.names)
        given = [source.of_player("stack", given, p) for p in range(len(source.players))]
    if isinstance(given, list):
        if len(given) != len(source.players):
            raise source.complaint(
                "stack", f"there are {len(source.players)} players, and {len(given)} stacks"
            )
        return tuple(source.number("stack", chips) for chips in given)
    return source.number("stack", given)


def _pair(source: _TableSource, key: str) -> tuple[float, float]:
    given = source.given[key]
    if key == "blinds" and isinstance(given, Mapping):
        source.only(key, given, ("SB", "BB"))
        given = [given.get("SB"), given.get("BB")]
    if not isinstance(given, list) or len(given) != 2:
        raise source.complaint(key, f"give two amounts, as in [1, 2], not {short(given)}")
    return source.number(key, given[0]), source.number(key, given[1])


def _rake(source: _TableSource) -> dict[str, float]:
    given = source.given.get("rake")
    if given is None:
        return {}
    source.only("rake", given, _RAKE)
    made = {
        name: source.number(f"rake: {key}", given[key], zero=True)
        for key, name in (("rate", "rake"), ("cap", "rake_cap"))
        if given.get(key) is not None
    }
    free = source.flag("rake: no_flop_no_drop", given.get("no_flop_no_drop", False))
    return made | ({"no_flop_no_drop": True} if free else {})


def _payouts(source: _TableSource) -> dict[str, tuple[float, ...]]:
    given = source.given.get("payouts")
    if given is None:
        return {}
    if not isinstance(given, list) or not given:
        raise source.complaint(
            "payouts", f"give what each place is paid, as in [50, 30, 20], not {short(given)}"
        )
    return {"payouts": tuple(source.number("payouts", prize) for prize in given)}


def _sizes(source: _TableSource, last: str, big_blind: float) -> dict[str, str]:
    """The texts of bets and raises that the table takes."""
    if source.given.get("limit") is not None:
        for key in ("bets", "raises"):
            if source.given.get(key) is not None:
                raise source.complaint(key, 'a table with "limit" has no other sizes')
        return {}
    if last not in STREETS:
        raise source.complaint("last_street", f"{short(last)} is none of {', '.join(STREETS)}")
    streets = [*STREETS][: [*STREETS].index(last) + 1]
    made = {}
    for key in ("bets", "raises"):
        if source.given.get(key) is None:
            continue
        by_seat = []
        for player in range(len(source.players)):
            # After blinds every bet is a raise, so bets before the flop are never asked for.
            asked = streets if key == "raises" else [*streets[1:2], *streets[1:]] or ["flop"]
            levels = [_levels(source, key, player, street, big_blind) for street in asked]
            while len(levels) > 1 and levels[-1] == levels[-2]:
                levels.pop()  # the last goes on
            by_seat.append(levels)
        made[key] = sizes_text(by_seat, source.players)
    return made


def _levels(
    source: _TableSource, key: str, player: int, street: str, big_blind: float
) -> list[tuple[Size, ...]]:
    """The sizes of a seat on a street, for each number of raises before."""
    picked = source.pick(key, source.given[key], player, street)
    if picked is None or isinstance(picked, Mapping):
        source.only(key, picked or {}, [*source.names, *STREETS])
        raise source.complaint(key, f"this says nothing about the {street}; give [] for no sizes")
    levels = picked if isinstance(picked, list) else []
    nested: list[object] = [one for one in levels if isinstance(one, list)]
    if nested and (key == "bets" or len(nested) < len(levels)):
        raise source.complaint(
            key, "give one list of sizes, or for raises a list for each number of raises before"
        )
    with source.at(key):
        return [parse_sizes(one, big_blind=big_blind) for one in nested or [picked]]
