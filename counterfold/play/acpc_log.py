"""Logs of matches in the competition's format: written while hands are played, and read again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from counterfold.errors import FileError, ParameterError, Raised, cut, visible
from counterfold.files.text import Fields, read_text
from counterfold.files.whole import drafted
from counterfold.games.base import Game
from counterfold.games.catalog import load_named
from counterfold.play.record import Record
from counterfold.play.table import Fault, PlayedHand
from counterfold.poker.acpc import GAMES, Notation, parse_game
from counterfold.poker.table import Holdem

WHAT = "a log of a match"
_FAULT = "# FAULT:"
_GAME = "# game "


class Log:
    """Writes hands as ``STATE:hand:betting:cards:won:names``, in a context.

    A hand that somebody lost by a fault is a comment: others who read the log pass over it.
    """

    def __init__(self, path: str | os.PathLike[str], game: object, names: tuple[str, ...]) -> None:
        if not isinstance(game, Holdem):
            raise ParameterError("logs of the competition's kind are of hold'em tables only")
        self.path, self.names = path, tuple(_plain(name) for name in names)
        self.notation = Notation.of(game)
        self._won = dict.fromkeys(range(len(names)), 0.0)
        self.hands = 0

    def __enter__(self) -> Log:
        self._drafted = drafted(self.path)
        self._file = self._drafted.__enter__()
        for line in self.notation.game.splitlines():
            self._put(f"{_GAME}{line}")
        return self

    def __exit__(self, *raised: *Raised) -> None:
        if not isinstance(raised[1], OSError):
            raised = (None, None, None)
            won = "|".join(f"{self._won[g]:g}" for g in range(len(self.names)))
            self._put(f"SCORE:{won}:{'|'.join(self.names)}")
        self._drafted.__exit__(*raised)

    def add(self, hand: PlayedHand) -> None:
        """Write a hand down."""
        self._put(log_line(self.notation, hand, self.names))
        for player, agent in enumerate(hand.players):
            self._won[agent] += hand.payoffs[player]
        self.hands += 1

    def _put(self, line: str) -> None:
        self._file.write(f"{line}\n".encode())


def log_line(notation: Notation, hand: PlayedHand, names: tuple[str, ...]) -> str:
    """A hand as a line of a log."""
    count = notation.table.players
    holes, line = hand.events[:count], list[str]()
    state = notation.table.deal(*holes)
    for event in hand.events[count:]:
        state = notation.table.next(state, event)
        line = list(state.line)
    told = ":".join(
        (
            str(hand.number),
            notation.betting(line),
            notation.cards(line, holes),
            notation.by_position([f"{won:g}" for won in hand.payoffs]),
            notation.by_position([names[agent] for agent in hand.players]),
        )
    )
    if hand.fault is None:
        return f"STATE:{told}"
    return f"{_FAULT}{told}:{names[hand.fault.agent]}:{cut(visible(hand.fault.message), 200)}"


def _plain(name: str) -> str:
    """A name without the marks of the format."""
    return "".join("_" if mark in ":|\r\n " else mark for mark in visible(name)) or "nobody"


@dataclass(frozen=True)
class LogRecord(Record):
    """A match from its log, to be played through again by the rules as other records are."""

    notation: Notation

    def rules(self, load: Callable[[str, str], Game] = load_named) -> Holdem:
        return self.notation.table

    def hands(self) -> Iterator[PlayedHand]:
        for number, line in enumerate(read_text(self.path, WHAT).splitlines(), start=1):
            if line.startswith(("STATE:", _FAULT)):
                yield self._hand(f"{self.path}, line {number}", line)

    def _hand(self, where: str, line: str) -> PlayedHand:
        is_fault = line.startswith(_FAULT)
        parts = line.removeprefix(_FAULT).removeprefix("STATE:").strip().split(":", 6)
        if len(parts) < (7 if is_fault else 5):
            raise FileError(f"{where} is cut short")
        number, betting, cards, won, names = parts[:5]
        count, seats = self.notation.table.players, names.split("|")
        try:
            heard = self.notation.hand(0, int(number), betting, cards)
            payoffs = [float(chips) for chips in won.split("|")]
            players = [self.agents.index(seats[self.notation.position(p)]) for p in range(count)]
        except (ParameterError, ValueError, IndexError) as error:
            raise FileError(f"{where} is no hand of this match: {error}") from None
        if len(payoffs) != count or not all(heard.holes):
            raise FileError(f"{where} does not tell the cards and chips of {count} players")
        events = (*heard.holes, *(word.strip("[]") for word in heard.line))
        fault = None
        if is_fault and parts[5] in self.agents:
            fault = Fault(heard.hand, self.agents.index(parts[5]), parts[6])
        return PlayedHand(
            number=heard.hand,
            players=tuple(players),
            events=events,
            payoffs=tuple(payoffs[self.notation.position(p)] for p in range(count)),
            fault=fault,
        )


def is_log(path: str | os.PathLike[str]) -> bool:
    """Does a file look like a log of the competition's kind?"""
    try:
        with open(path, "rb") as file:
            return file.read(6).startswith((b"#", b"STATE:"))
    except OSError:
        return False


def read_log(path: str | os.PathLike[str]) -> LogRecord:
    """Open a log. The game stands in it, or is one of the competitions' by its name.

    A log that names no game is of the no-limit game for as many players as it has.
    """
    lines = read_text(path, WHAT).splitlines()
    told = [line.removeprefix(_GAME) for line in lines if line.startswith(_GAME)]
    first = next((line for line in lines if line.startswith(("STATE:", _FAULT))), "")
    names = first.removeprefix("# ").strip().split(":")[5:6]
    names = names[0].split("|") if names else []
    if len(names) < 2 or len(set(names)) < len(names):
        raise FileError(f"{path} is no log of a match between two or more players")
    named = next((GAMES[word] for line in lines[:3] for word in line.split() if word in GAMES), "")
    kind = f"holdem.nolimit.{'2p.reverse_blinds' if len(names) == 2 else '3p'}.game"
    notation = parse_game("\n".join(told) or named or GAMES[kind], str(path))
    if notation.table.players != len(names):
        raise FileError(f"{path} has hands of {len(names)} players in a game for others")
    by_player = tuple(names[notation.position(p)] for p in range(len(names)))
    return LogRecord(
        os.fspath(path), str(notation.table), by_player, Fields({}, str(path)), notation
    )
