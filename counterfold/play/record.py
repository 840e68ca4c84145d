"""Hands on disk, one JSON document a line, enough to play a match through again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from counterfold.errors import CounterfoldError, FileError, ParameterError
from counterfold.exploit.hands import FORMAT
from counterfold.games.base import CHANCE, TERMINAL, label
from counterfold.play.score import Score, Sums, scores
from counterfold.play.table import Fault, PlayedHand, worst_end

__all__ = ["FORMAT", "Record", "Recorder", "read_record"]


class Recorder:
    """Writes hands as they are played; the file gets its name when it is whole.

    Used as a context: what was played is kept when a match ends early, and nothing is left if
    the first hand was never finished.
    """

    def __init__(self, path: str | os.PathLike[str], header: dict[str, Any]) -> None:
        self.path = Path(path)
        self._draft = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        self._header = {"format": FORMAT, **header}
        self.hands = 0

    def __enter__(self) -> Recorder:
        try:
            self._file = self._draft.open("w", encoding="utf-8")
        except OSError as error:
            raise FileError(f"cannot write {self.path}: {error.strerror or error}") from None
        self._file.write(json.dumps(self._header, ensure_ascii=False) + "\n")
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        if self.hands:
            os.replace(self._draft, self.path)
        else:
            self._draft.unlink(missing_ok=True)

    def add(self, hand: PlayedHand) -> None:
        """Write a hand down."""
        told: dict[str, Any] = {
            "hand": hand.number,
            "seats": hand.seats,
            "events": hand.events,
            "payoffs": hand.payoffs,
        }
        if hand.fault is not None:
            told["fault"] = {"agent": hand.fault.agent, "message": hand.fault.message}
        self.write(json.dumps(told, ensure_ascii=False))

    def write(self, line: str) -> None:
        """Write a hand down that is a line already."""
        self._file.write(line + "\n")
        self.hands += 1


@dataclass(frozen=True)
class Record:
    """A recorded match: its header, and its hands as they are read from the file."""

    path: str
    game: str
    agents: tuple[str, ...]
    header: dict[str, Any]

    @property
    def repeat(self) -> int:
        return len(self.agents) if self.header.get("duplicate") else 1

    def hands(self) -> Iterator[PlayedHand]:
        """The hands, one by one; a damaged line is told with its number."""
        with open(self.path, encoding="utf-8") as lines:
            next(lines)
            for number, line in enumerate(lines, start=2):
                try:
                    told = json.loads(line)
                    fault = told.get("fault")
                    yield PlayedHand(
                        number=int(told["hand"]),
                        seats=tuple(int(g) for g in told["seats"]),
                        events=tuple(str(event) for event in told["events"]),
                        payoffs=tuple(float(x) for x in told["payoffs"]),
                        fault=fault
                        and Fault(int(told["hand"]), int(fault["agent"]), str(fault["message"])),
                    )
                except (KeyError, TypeError, ValueError, AttributeError):
                    raise FileError(
                        f"{self.path}, line {number}: this is no recorded hand"
                    ) from None

    def replay(self, game: Any = None) -> tuple[Score, ...]:
        """Play every hand through again by the rules, and score the match.

        Raises FileError at a hand that the rules do not allow, or that pays otherwise.
        """
        if game is None:
            from counterfold.games.catalog import load

            game = load(self.game)
        count = len(self.agents)
        total, square = np.zeros((count, count, 2)), np.zeros((count, count, 2))
        deal, counts = np.zeros(count), np.zeros((count, count), dtype=np.int64)
        for hand in self.hands():
            self.check(game, hand)
            for seat, agent in enumerate(hand.seats):
                won = hand.payoffs[seat]
                total[agent, seat, 0] += won
                square[agent, seat, 0] += won * won if self.repeat == 1 else 0.0
                counts[agent, seat] += 1
                deal[agent] += won
            if self.repeat > 1 and hand.number % count == count - 1:
                square[:, 0, 0] += deal**2
                deal[:] = 0.0
        if not counts.any():
            raise FileError(f"{self.path} holds no hands")
        sums = Sums(counts, self.repeat, total, square)
        return scores(self.agents, sums, reduced=False, exact=None)

    def check(self, game: Any, hand: PlayedHand) -> None:
        """Raise FileError unless the rules allow this hand and it pays what the record says."""
        where = f"{self.path}, hand {hand.number}"
        if sorted(hand.seats) != list(range(len(self.agents))):
            raise FileError(f"{where}: the seats are not those of {len(self.agents)} agents")
        try:
            states = replay_states(game, hand.events)
            if hand.fault is not None:
                seat = hand.seats.index(hand.fault.agent)
                payoffs = worst_end(game, states[-1], seat)
            elif game.turn(states[-1]) != TERMINAL:
                raise FileError(f"{where}: the hand stops before its end")
            else:
                payoffs = tuple(float(x) for x in game.payoff(states[-1]))
        except ParameterError as error:
            raise FileError(f"{where}: {error}") from None
        if len(payoffs) != len(hand.payoffs) or not np.allclose(payoffs, hand.payoffs):
            raise FileError(f"{where}: it pays {payoffs}, and the record says {hand.payoffs}")


def replay_states(game: Any, events: tuple[str, ...]) -> list[Any]:
    """The states that a hand passes, the root first."""
    states = [game.root()]
    for number, event in enumerate(events, start=1):
        state = states[-1]
        turn = int(game.turn(state))
        if turn == TERMINAL:
            raise ParameterError(f"event {number} is {event!r}, but the game is over before it")
        if turn == CHANCE:
            moves = [outcome for outcome, chance in game.chance(state) if chance != 0]
        else:
            moves = list(game.actions(state))
        move = next((m for m in moves if label(m) == event), None)
        if move is None:
            listed = ", ".join(label(m) for m in moves[:12])
            raise ParameterError(f"event {number} is {event!r}, and possible are {listed}")
        states.append(game.next(state, move))
    return states


def read_record(path: str | os.PathLike[str]) -> Record:
    """Open a record of hands."""
    try:
        with open(path, encoding="utf-8") as lines:
            header = json.loads(next(lines, "null"))
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise FileError(f"{path} is not a record of hands (its first line is no header)")
        agents = tuple(str(name) for name in header["agents"])
        return Record(os.fspath(path), str(header["game"]), agents, header)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    except CounterfoldError:
        raise
    except (KeyError, TypeError, ValueError):
        raise FileError(f"{path} is not a record of hands") from None
