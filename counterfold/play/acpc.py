"""Matches with other people's programs, by the protocol of the Annual Computer Poker Competition.

Both ways: a ``RemoteAgent`` is a program that connects to us, and sits in a match as any agent
does; ``play_at`` takes a seat at somebody's dealer. Lines of comments, line ends of all kinds and
``GUI`` lines are passed over; what the rules do not allow is an error.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from counterfold.agent import Agent, Observation, SeenHand
from counterfold.errors import CounterfoldError, ParameterError, UnsupportedError, short
from counterfold.notebook import brief
from counterfold.poker.acpc import Heard, Notation
from counterfold.poker.game import DECISION, SHOWDOWN
from counterfold.poker.table import Holdem, TableView

VERSION = "VERSION:2.0.0"
_LONGEST = 4_096  # bytes of a line
_POLL = 0.1  # seconds between looks whether somebody has given up on us


class ConnectionLostError(CounterfoldError):
    """The other program is gone."""


class Lines:
    """Lines of text over a socket."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._rest = b""
        connection.settimeout(_POLL)
        with suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, line: str) -> None:
        """One line, as the protocol ends it."""
        try:
            self.socket.sendall(f"{line}\r\n".encode())
        except OSError as error:
            raise ConnectionLostError(f"the connection is lost: {error}") from None

    def read(self, seconds: float | None = None) -> str | None:
        """The next line that says something; None at the end. TimeoutError when time is over."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            line, mark, rest = self._rest.partition(b"\n")
            if mark:
                self._rest = rest
                text = line.decode("utf-8", "replace").strip()
                if text and text[0] not in "#;" and not text.startswith("GUI"):
                    return text
                continue
            if len(self._rest) > _LONGEST:
                start, self._rest = self._rest[:40], b""
                raise ParameterError(f"a line of over {_LONGEST:,} bytes came: {short(start)}")
            try:
                more = self.socket.recv(_LONGEST)
            except TimeoutError:
                if until is not None and time.monotonic() > until:
                    raise
                continue
            except OSError:
                return None
            if not more:
                return None
            self._rest += more

    def close(self) -> None:
        with suppress(OSError):
            self.socket.close()


class RemoteAgent(Agent):
    """A program that connects to a port of ours and is dealt to.

    It is told of every move of a hand before its own, and of the end. Who leaves may come back;
    until then each of its hands is lost, and so is one in which it thinks for more than ``seconds``
    about a move. Only this machine is listened to, unless ``host`` says otherwise.

    >>> agent = RemoteAgent()
    >>> agent.listen() > 0
    True
    >>> agent.close()
    """

    def __init__(
        self, port: int = 0, host: str = "127.0.0.1", name: str = "", seconds: float = 10.0
    ) -> None:
        self.host, self.port, self.seconds = host, port, seconds
        self.name = name or (f"acpc:{port}" if port else "acpc")
        self._door: socket.socket | None = None
        self._lines: Lines | None = None
        self._notation: Notation | None = None
        self._hand, self._told = -1, 0

    def __repr__(self) -> str:
        return brief(self, f"{self.name} at {self.host}:{self.port}")

    def listen(self) -> int:
        """Open the port, and tell which one it is."""
        if self._door is None:
            try:
                self._door = socket.create_server((self.host, self.port))
            except OSError as error:
                raise ParameterError(
                    f"cannot listen at {self.host}:{self.port}: {error.strerror}; choose "
                    "another port"
                ) from None
            self._door.settimeout(_POLL)
            self.port = int(self._door.getsockname()[1])
        return self.port

    def close(self) -> None:
        """Leave, and close the port."""
        for one in (self._lines, self._door):
            if one is not None:
                one.close()
        self._lines = self._door = None

    def welcome(self, seconds: float | None = None) -> bool:
        """Wait until the program is there and has told its version; False if it does not come."""
        self.listen()
        assert self._door is not None
        until = None if seconds is None else time.monotonic() + seconds
        while self._lines is None:
            with suppress(TimeoutError):
                lines = Lines(self._door.accept()[0])
                try:
                    first = lines.read(5.0) or ""
                except (TimeoutError, ParameterError):
                    first = ""
                if first.upper().startswith("VERSION:2."):
                    self._lines, self._hand = lines, -1
                else:
                    lines.close()
            if until is not None and time.monotonic() > until:
                break  # having looked once, however little time there was
        return self._lines is not None

    def begin(self, game: object) -> None:
        if not isinstance(game, Holdem):
            raise UnsupportedError(f"other programs are dealt to at hold'em only, not at {game}")
        self._notation = Notation.of(game)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        assert self._notation is not None
        seen = TableView.of(observation.seen)
        state = self._tell(observation.player, observation.hand, seen.words, {-1: seen.hand})
        heard, until = self._notation.read(state), time.monotonic() + self.seconds
        while True:
            try:
                reply = self._connected().read(until - time.monotonic())
            except TimeoutError:
                raise ParameterError(
                    f"{self.name} did not answer within {self.seconds:g} seconds"
                ) from None
            if reply is None:
                self._leave()
                raise ConnectionLostError(f"{self.name} has left")
            told, _, token = reply.rpartition(":")
            if told == state:
                return self._notation.word(heard.betting, token.strip())
            if not told.startswith("MATCHSTATE:"):
                raise ParameterError(f"{self.name} says {short(reply)}")
            # What was said too late, of a state that is over, is passed over.

    def learn(self, hand: SeenHand) -> None:
        """A hand is over."""
        if self._lines is None or not isinstance(hand.final, tuple):
            return
        seen = TableView.of(hand.final)
        shown = dict(enumerate(hand.shown)) if isinstance(hand.shown, tuple) else {}
        with suppress(ConnectionLostError):
            self._tell(hand.player, hand.hand, seen.words, {**shown, -1: seen.hand})

    def _connected(self) -> Lines:
        if self._lines is None and not self.welcome(0.0):
            raise ConnectionLostError(f"{self.name} is not there")
        assert self._lines is not None
        return self._lines

    def _leave(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def _tell(self, player: int, number: int, line: Sequence[str], holes: dict[int, str]) -> str:
        """Send the states that are new to it, the last one of which is the present."""
        assert self._notation is not None
        lines = self._connected()
        if number != self._hand:
            self._hand, self._told = number, 0
        places = [k for k, word in enumerate(line) if not word.startswith("[")]
        hidden = [""] * self._notation.table.players
        hidden[player] = holes[-1]
        seen = [holes.get(p) or own for p, own in enumerate(hidden)]
        try:
            for length in places[self._told :]:
                lines.send(self._notation.tell(player, number, line[:length], hidden))
                self._told += 1
            state = self._notation.tell(player, number, line, seen)
            self._told += 1
            lines.send(state)
        except ConnectionLostError:
            self._leave()
            raise
        return state


@dataclass
class Seat:
    """What a seat at somebody's dealer has come to."""

    hands: int = 0
    untold: int = 0
    """Hands of which the dealer did not show enough to know what was won."""
    won: float = 0.0
    """Chips."""
    stopped: str = "the dealer has closed the match"


def play_at(
    address: tuple[str, int],
    agent: Agent,
    notation: Notation,
    *,
    seed: int = 0,
    on_hand: Callable[[Seat], None] | None = None,
) -> Seat:
    """Take a seat at a dealer, and play until the match is over (or Ctrl-C)."""
    host, port = address
    try:
        lines = Lines(socket.create_connection((host, port), timeout=30))
    except OSError as error:
        raise ParameterError(
            f"there is no dealer at {host}:{port} ({error.strerror or error})"
        ) from None
    seat, rng, over = Seat(), np.random.default_rng(seed), -1
    if hasattr(agent, "begin"):
        agent.begin(notation.table)
    try:
        lines.send(VERSION)
        while (line := lines.read()) is not None:
            if not line.startswith("MATCHSTATE:"):
                raise ParameterError(f"the dealer says {short(line)}, which is no state of a match")
            heard = notation.read(line)
            if heard.ended and heard.hand != over:
                over = heard.hand
                _count(seat, notation, heard)
                if on_hand is not None:
                    on_hand(seat)
            elif heard.betting.kind == DECISION and heard.betting.player == heard.player:
                lines.send(f"{line}:{_token(notation, agent, heard, rng)}")
    except KeyboardInterrupt:
        seat.stopped = "interrupted"
    except ConnectionLostError:
        pass
    finally:
        lines.close()
    return seat


def _token(notation: Notation, agent: Agent, heard: Heard, rng: np.random.Generator) -> str:
    names = tuple(name for name, _ in notation.table.betting.moves(heard.betting))
    word = agent.act(Observation(heard.player, heard.seen, names, heard.hand), rng)
    notation.after(heard.betting, str(word))  # an agent of our own may err, too
    return notation.token(heard.betting, str(word))


def _count(seat: Seat, notation: Notation, heard: Heard) -> None:
    """Add a hand that is over to the score, if enough of it was shown."""
    seat.hands += 1
    table, betting = notation.table, heard.betting
    inside = [p for p in range(table.players) if not betting.folded >> p & 1]
    if betting.kind == SHOWDOWN and not all(heard.holes[p] for p in inside):
        seat.untold += 1
        return
    strengths = [0] * table.players
    if betting.kind == SHOWDOWN:
        from counterfold.poker.cards import parse_cards
        from counterfold.poker.showdown import strength

        board = parse_cards(heard.board)
        for p in inside:
            strengths[p] = strength((*parse_cards(heard.holes[p]), *board))
    seat.won += table.betting.payoffs(betting, strengths)[heard.player]


def remote_agents(agents: Sequence[Agent]) -> list[RemoteAgent]:
    """Those of some agents who are to connect to us."""
    return [agent for agent in agents if isinstance(agent, RemoteAgent)]
