"""Hands on disk, one JSON document a line, enough to play a match through again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from counterfold.checkpoints import Checkpoints
from counterfold.errors import FileError, ParameterError, Raised
from counterfold.exploit.hands import FORMAT, WHAT, players_in
from counterfold.files.sealed import Seal, read_lines, sealed
from counterfold.files.text import Fields, Json
from counterfold.files.whole import drafted
from counterfold.games.base import TERMINAL, Game, State, label
from counterfold.games.catalog import load_named
from counterfold.play.score import Score, Sums, add_hand, blank_tally, scores
from counterfold.play.table import Fault, PlayedHand, is_legal, moves_of, worst_end
from counterfold.poker.rules import PokerRules
from counterfold.strategy.hands import game_of, source_of


class Recorder:
    """Writes hands as they are played, in a context.

    The record is there, whole, about once a minute and at the end. What was played is kept when a
    match ends early; a full disk leaves the last whole record; without a hand there is none.
    """

    def __init__(self, path: str | os.PathLike[str], header: dict[str, object]) -> None:
        self.path = Path(path)
        self._header = {"format": FORMAT, "sealed": True, **header}
        self._seal = Seal()
        self._checkpoints = Checkpoints(self._publish)
        self.hands = 0

    def __enter__(self) -> Recorder:
        self._drafted = drafted(self.path)
        self._file = self._drafted.__enter__()
        self._put(self._header)
        return self

    def __exit__(self, *raised: *Raised) -> None:
        if isinstance(raised[1], OSError):
            self._drafted.__exit__(*raised)
        elif self.hands:
            self._file.write(self._seal.line())
            self._drafted.__exit__(None, None, None)
        else:
            with suppress(_NoHandError):
                self._drafted.__exit__(_NoHandError, _NoHandError(), None)

    def add(self, hand: PlayedHand) -> None:
        """Write a hand down."""
        self._put(told_hand(hand))
        self.hands += 1
        with suppress(FileError):  # if not now, then later, or in the end
            self._checkpoints.look()

    def _put(self, document: dict[str, object]) -> None:
        line = json.dumps(document, ensure_ascii=False).encode() + b"\n"
        self._file.write(line)
        self._seal.add(line)

    def _publish(self) -> None:
        """The record so far, whole."""
        self._file.flush()
        with drafted(self.path) as copy, open(self._file.name, "rb") as so_far:
            shutil.copyfileobj(so_far, copy, 1 << 20)
            copy.write(self._seal.line())


class _NoHandError(Exception):
    """There is nothing to keep."""


def told_hand(hand: PlayedHand) -> dict[str, object]:
    """A hand as a line of its record."""
    told: dict[str, object] = {
        "hand": hand.number,
        "players": list(hand.players),
        "events": list(hand.events),
        "payoffs": list(hand.payoffs),
    }
    if hand.searches:
        told["searches"] = list(hand.searches)
    if hand.fault is not None:
        told["fault"] = {"agent": hand.fault.agent, "message": hand.fault.message}
    return told


def record_bytes(header: dict[str, object], hands: Iterable[PlayedHand]) -> bytes:
    """A whole record of hands that are all there."""
    documents = [{"format": FORMAT, "sealed": True, **header}, *map(told_hand, hands)]
    return sealed("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in documents).encode())


@dataclass(frozen=True)
class Record:
    """A recorded match: its header, and its hands as they are read from the file."""

    path: str
    game: str
    agents: tuple[str, ...]
    header: Fields

    @property
    def repeat(self) -> int:
        return len(self.agents) if self.header.flag("duplicate", False) else 1

    def rules(self, load: Callable[[str, str], Game] = load_named) -> Game:
        """The rules of the match; ``load`` finds them by a name and the file that it is from."""
        return rules_in(self.header, self.game, self.path, load)

    def hands(self) -> Iterator[PlayedHand]:
        """The hands, one by one; a damaged line is told with its number."""
        for _, told in read_lines(self.path, WHAT)[1]:
            number = told.whole("hand", 0)
            fault = None
            if told.raw("fault", None) is not None:
                blame = told.object("fault")
                who = blame.whole("agent", 0, len(self.agents) - 1)
                fault = Fault(number, who, blame.text("message"))
            yield PlayedHand(
                number=number,
                players=tuple(players_in(told, len(self.agents))),
                events=tuple(told.texts("events")),
                payoffs=tuple(map(float, told.numbers("payoffs"))),
                fault=fault,
                searches=tuple(self._search(one) for one in told.objects("searches", ())),
            )

    def _search(self, told: Fields) -> Json:
        """A search's certificate, of which somebody's it must be."""
        told.whole("agent", 0, len(self.agents) - 1)
        for key in ("street", "board", "line", "kind", "gadget"):
            told.text(key)
        for key in ("iterations", "pot", "cpu_seconds"):
            told.number(key)
        for key in ("gap", "alpha"):
            _ = told.raw(key) is None or told.number(key)
        return dict(told.value)

    def replay(self, game: Game | None = None) -> tuple[Score, ...]:
        """Play every hand through again by the rules, and score the match.

        Raises FileError at a hand that the rules do not allow, or that pays otherwise.
        """
        game = self.rules() if game is None else game
        tally, every = blank_tally(len(self.agents)), np.arange(len(self.agents))
        counts = np.zeros((len(self.agents), len(self.agents)), dtype=np.int64)
        for hand in self.hands():
            self.check(game, hand)
            add_hand(tally, self.repeat, hand.number, hand.players, hand.payoffs, hand.payoffs)
            counts[list(hand.players), every] += 1
        if not counts.any():
            raise FileError(f"{self.path} holds no hands")
        sums = Sums(counts, self.repeat, tally.total, tally.square)
        return scores(self.agents, sums, reduced=False, exact=None)

    def check(self, game: Game, hand: PlayedHand) -> None:
        """Raise FileError unless the rules allow this hand and it pays what the record says."""
        where = f"{self.path}, hand {hand.number}"
        if sorted(hand.players) != list(range(len(self.agents))):
            raise FileError(f"{where}: the players are not the {len(self.agents)} agents")
        try:
            states = replay_states(game, hand.events)
            if hand.fault is not None:
                player = hand.players.index(hand.fault.agent)
                payoffs = worst_end(game, states[-1], player)
            elif game.turn(states[-1]) != TERMINAL:
                raise FileError(f"{where}: the hand stops before its end")
            else:
                payoffs = tuple(float(x) for x in game.payoff(states[-1]))
        except ParameterError as error:
            raise FileError(f"{where}: {error}") from None
        if len(payoffs) != len(hand.payoffs) or not np.allclose(payoffs, hand.payoffs):
            raise FileError(f"{where}: it pays {payoffs}, and the record says {hand.payoffs}")


def source_in(game: object) -> dict[str, object]:
    """What a file says of poker in ranges, beside its name; nothing of other games."""
    made_by_hand = isinstance(game, PokerRules) and not {"spot", "game", "table"} & set(
        game.poker.about
    )
    if not isinstance(game, PokerRules) or made_by_hand:
        return {}
    return {"rules": source_of(game.poker)}


def rules_in(
    header: Fields, name: str, path: str, load: Callable[[str, str], Game] = load_named
) -> Game:
    """The rules that a file tells of, by ``source_in`` or by their name."""
    if "rules" in header:
        return PokerRules(game_of(header.object("rules"), name), name)
    return load(name, path)


def replay_states(game: Game, events: tuple[str, ...]) -> list[State]:
    """The states that a hand passes, the root first."""
    states = [game.root()]
    for number, event in enumerate(events, start=1):
        state = states[-1]
        turn = int(game.turn(state))
        if turn == TERMINAL:
            raise ParameterError(f"event {number} is {event!r}, but the game is over before it")
        moves = moves_of(game, state, turn)
        move = next((m for m in moves if label(m) == event), None)
        if move is None and is_legal(game, state, event):
            move = event
        if move is None:
            listed = ", ".join(label(m) for m in moves[:12])
            raise ParameterError(f"event {number} is {event!r}, and possible are {listed}")
        states.append(game.next(state, move))
    return states


def read_record(path: str | os.PathLike[str]) -> Record:
    """Open a record of hands, or a log of a match in the competition's format."""
    from counterfold.play.acpc_log import is_log, read_log

    if is_log(path):
        return read_log(path)
    header = read_lines(path, WHAT)[0]
    if header.raw("format", None) != FORMAT:
        raise FileError(f"{path} is not a record of hands (its first line is no header)")
    agents = tuple(header.texts("agents"))
    if not agents:
        raise FileError(f"{path} is damaged: its first line names no agents")
    return Record(os.fspath(path), header.text("game"), agents, header)
