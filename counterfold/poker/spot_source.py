"""The dictionary of a spot or a table while it is read: its keys, complaints that say where."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from counterfold.errors import ParameterError, cut, short
from counterfold.files.text import Json

SEATS = ("oop", "ip")
STREETS = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}  # cards on the board

_ALIASES = {"effective_stack": "stack", "stacks": "stack", "donk_bets": "donks"}
_KEYS = (
    *("name", "board", "deck", "starting_street", "last_street", "symmetry", "players"),
    *("ranges", "oop", "ip", "pot", "stack", "blinds", "ante", "big_blind", "aggressor"),
    *("actions", "bets", "raises", "donks", "limit", "raise_cap", "rake"),
    *("force_allin_spr", "force_allin_share", "merge_sizes"),
)
_REMARKS = ("game", "description", "rules", "note", "notes", "comment", "source", "author", "date")
_MOST = 1e12  # chips
_CLOSE = 0.7  # an unknown key as near as this to a known one is a slip; others are remarks


def nearest_name(name: object, known: Sequence[str]) -> str:
    """Advice to someone who wrote a name that is not known.

    >>> nearest_name("rivr", ["flop", "turn", "river"])
    'did you mean "river"?'
    """
    close = difflib.get_close_matches(str(name).lower(), known, 1)
    return f'did you mean "{close[0]}"?' if close else f"known are {', '.join(known)}"


def quoted(name: object) -> str:
    """A name as JSON writes it, cut where it is long."""
    return f'"{cut(str(name), 60)}"'


class Source:
    """What was given, and in ``told`` the same in normalised form, as far as it has been read."""

    what = "spot"
    keys: tuple[str, ...] = _KEYS
    aliases: Mapping[str, str] = _ALIASES
    example = '"board", "pot" and "oop"'

    def __init__(self, given: object, name: str, where: str, saved: bool = False) -> None:
        self.where, self.saved = where, saved
        if not isinstance(given, Mapping):
            raise ParameterError(f"{where} must be a JSON object with keys such as {self.example}")
        self.given: Json = {}
        for key, value in given.items():
            plain = self.aliases.get(key) or str(key)
            if plain in self.given:
                raise ParameterError(f'{where}: "{plain}" is given twice, under two names')
            self.given[plain] = value
        self.players: tuple[str, ...] = self._players()
        known = [*dict.fromkeys((*self.keys, *self.aliases, *self.players))]
        for key in self.given:
            if key in known or key in _REMARKS:
                continue
            if difflib.get_close_matches(key.lower(), known, 1, _CLOSE):
                raise ParameterError(
                    f"{where}: {quoted(key)} is no key of a {self.what}; {nearest_name(key, known)}"
                )
        self.name = str(self.given.get("name") or name)
        if not self.name.isprintable() or len(self.name) > 200:
            raise self.complaint("name", f"{short(self.name)} is no name; give letters in one line")
        self.told: Json = {"name": self.name}

    def _players(self) -> tuple[str, ...]:
        names = self.given.get("players", SEATS)
        good = isinstance(names, Sequence) and not isinstance(names, str) and len(names) == 2
        if not good or len({str(name) for name in names} - {""}) != 2:
            raise self.complaint(
                "players", "give two different names, first the one out of position"
            )
        first, second = (str(name) for name in names)
        if not (first + second).isprintable() or len(first + second) > 80:
            raise self.complaint("players", "give two short names, in letters")
        for name, other in ((first, SEATS[1]), (second, SEATS[0])):
            if name == other or (name in _KEYS and name not in SEATS) or name in STREETS:
                raise self.complaint("players", f'"{name}" means something else; take another name')
        return first, second

    def complaint(self, key: str, what: str, *parts: str) -> ParameterError:
        """An error that says where it is, and whose key names the part of the value as well."""
        error = ParameterError(f'{self.where}, "{key}": {what}')
        error.key = ": ".join((key, *parts))
        return error

    @contextmanager
    def at(self, key: str, *parts: str) -> Iterator[None]:
        """While a key is read, complaints say so."""
        try:
            yield
        except ParameterError as error:
            raise self.complaint(key, str(error), *parts) from None

    def needed(self, key: str, example: str) -> object:
        """The value of a key that must be there."""
        if self.given.get(key) is None:
            error = ParameterError(f'{self.where} has no "{key}"; give it as in {example}')
            error.key = key
            raise error
        return self.given[key]

    def number(
        self, key: str, value: object, *parts: str, zero: bool = False, whole: bool = False
    ) -> float:
        """A number above zero (or zero as well), of chips that are whole if it says so."""
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else -1
        if not 0 <= number <= _MOST or not (number or zero):
            least = "from 0 up" if zero else "above 0"
            raise self.complaint(key, f"this must be a number {least}, not {short(value)}", *parts)
        if whole and number != int(number):
            raise self.complaint(
                key, f"no-limit chips are whole, not {short(value)}; count in smaller ones", *parts
            )
        return float(number)

    def pair(
        self, key: str, value: object, *, zero: bool = False, whole: bool = False
    ) -> list[float]:
        """Two numbers: a list of two, one for both, or by player."""
        if isinstance(value, Mapping):
            self.only(key, value, self.names)
            value = [self.of_player(key, value, p) for p in (0, 1)]
        values = value if isinstance(value, list | tuple) else [value, value]
        if len(values) != 2:
            raise self.complaint(key, f"give one number or two, not {len(values)}")
        return [
            self.number(key, number, seat, zero=zero, whole=whole)
            for number, seat in zip(values, SEATS, strict=True)
        ]

    def flag(self, key: str, value: object) -> bool:
        """True or false."""
        if not isinstance(value, bool):
            raise self.complaint(key, f"this must be true or false, not {short(value)}")
        return value

    @property
    def names(self) -> list[str]:
        """Every word that means a player."""
        return [*dict.fromkeys((*self.players, *SEATS))]

    def player(self, key: str, name: object) -> int:
        """The number of the player that a word means."""
        for p in (0, 1):
            if name in (self.players[p], SEATS[p]):
                return p
        raise self.complaint(key, f"{quoted(name)} is nobody; {nearest_name(name, self.names)}")

    def of_player(self, key: str, values: Mapping[str, object], player: int) -> object:
        """What a dictionary by player holds for one."""
        for name in (self.players[player], SEATS[player]):
            if name in values:
                return values[name]
        raise self.complaint(key, f'this says nothing about "{self.players[player]}"')

    def only(self, key: str, values: object, known: Sequence[str]) -> Mapping[str, object]:
        """A dictionary; a complaint if it is none, or has keys that are not known."""
        if not isinstance(values, Mapping):
            raise self.complaint(key, f"this must be an object with keys {', '.join(known)}")
        for name in values:
            if name not in known:
                raise self.complaint(key, f"{quoted(name)} is unknown; {nearest_name(name, known)}")
        return values

    def pick(self, key: str, value: object, player: int, street: str) -> object:
        """What a value says for a player on a street: for all, by street, by player, or by both.

        None where it is by street and says nothing about this one.
        """
        while isinstance(value, Mapping):
            if any(name in value for name in self.names):
                self.only(key, value, self.names)
                value = self.of_player(key, value, player)
            elif not value or any(name in value for name in STREETS):
                self.only(key, value, list(STREETS))
                value = value.get(street)
            else:
                break
        return value
