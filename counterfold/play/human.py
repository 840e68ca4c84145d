"""A person at the table: asked for every move, shown what a player sees, free to come back."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Required, TypedDict

import numpy as np

from counterfold.agent import Agent, Observation
from counterfold.arrays import Floats
from counterfold.errors import FileError, MismatchError, ParameterError
from counterfold.exploit.online import Learner
from counterfold.files.whole import write_whole
from counterfold.games.base import CHANCE, State, label
from counterfold.play.agents import StrategyAgent, answer_to
from counterfold.play.match import Match
from counterfold.play.record import read_record, record_bytes, replay_states
from counterfold.play.score import Score
from counterfold.play.table import PlayedHand, Step, view_of
from counterfold.solvers.result import equilibrium_of
from counterfold.strategy.strategy import Strategy

Ask = Callable[[Observation], Hashable]


class Leave(KeyboardInterrupt):
    """Raised by whoever asks the person, when the person gets up: the hand in play is dropped."""


class HumanAgent(Agent):
    """Somebody who is asked: ``ask`` gets the observation and returns an action or its name.

    >>> import counterfold as cf
    >>> bold = HumanAgent(lambda seen: "bet" if "bet" in seen.actions else "call")
    >>> shy = HumanAgent(lambda seen: seen.actions[0], name="shy")
    >>> cf.Match(cf.Kuhn(), bold, shy, seed=1).play(4).scores[0].plain.mean
    1.0
    """

    def __init__(self, ask: Ask, name: str = "you") -> None:
        self.ask = ask
        self.name = name

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        return self.ask(observation)


class Move(NamedTuple):
    """A player's move in the hand at hand."""

    player: int
    action: str


class Advice(NamedTuple):
    """How often somebody would take each action, and in poker what each is worth, in chips."""

    who: str
    odds: dict[str, float]
    worth: dict[str, float] | None = None


class Seating(TypedDict, total=False):
    """Who sits down: what a sitting of any kind takes beside the game and the others."""

    ask: Required[Ask]
    seed: int
    name: str
    against: Sequence[str]


class Sitting(Match):
    """A match of one person, who is agent 0, dealt hand by hand.

    ``ask`` may raise Leave. ``against`` are the names that make the other agents again
    (``make_agent``); they are written into the session's file. Deals depend on the seed and the
    number of the hand only: whoever leaves in the middle of a hand finds the same cards again.

    >>> import counterfold as cf
    >>> uniform = cf.StrategyAgent(cf.Strategy.uniform(cf.Kuhn()), name="uniform")
    >>> sitting = Sitting(cf.Kuhn(), uniform, ask=lambda seen: seen.actions[-1], seed=1)
    >>> hand = sitting.deal()
    >>> hand.number, hand.players, len(sitting.played)
    (0, (0, 1), 1)
    """

    def __init__(
        self,
        game: object,
        *others: Agent,
        ask: Ask,
        seed: int = 0,
        name: str = "you",
        against: Sequence[str] = (),
    ) -> None:
        super().__init__(game, HumanAgent(self._asked, name), *others, seed=seed)
        self.ask = ask
        self.against = tuple(against) or self.names[1:]
        self.files = fingerprints(self.against)
        self.played: list[PlayedHand] = []
        self._script: dict[int, deque[str]] | None = None
        self._trouble: Exception | None = None
        self._best: Strategy | None = None
        self._look()  # kernels are loaded before the first hand, not in it

    @property
    def player(self) -> int:
        """Where the person sits in the hand that is, or will be, played next."""
        return -self.hands % len(self.agents)

    @property
    def score(self) -> Score | None:
        """The person's result so far; None before the first hand is over."""
        return self.result().scores[0] if self.hands else None

    @property
    def here(self) -> State:
        """The state that the hand in play, or the last one, has come to, hidden cards and all."""
        return self._table.state

    def moves(self) -> list[Move]:
        """What the players did in the hand in play, or the last one, hidden moves and all."""
        return [Move(step.turn, label(step.move)) for step in self.steps if step.turn != CHANCE]

    @property
    def steps(self) -> list[Step]:
        """States and moves of the hand in play, or of the last one."""
        return self._table.steps

    def view(self, player: int) -> Hashable | None:
        """What a player sees now, also when others move and at the end."""
        return view_of(self.game, self.here, player)

    def deal(self) -> PlayedHand | None:
        """Play the next hand; None if the person leaves in the middle of it."""
        result = self.play(1)
        del self.played[self.hands :]  # a hand that Ctrl-C kept from being counted
        if self._trouble is not None:
            raise self._trouble
        return None if result.stopped == "interrupted" else self.played[-1]

    def advice(self, observation: Observation) -> list[Advice]:
        """What there is to say about a decision: equilibrium play, what each opponent whose
        strategy is known would do in the person's place, and the best answer to a single one."""
        found: list[Advice] = []
        if self.tree is None:
            return found
        known: dict[str, Strategy] = {}
        if self.tree.two_player_zero_sum:
            known["equilibrium"] = equilibrium_of(self.tree)
        for name, agent in zip(self.names[1:], self.agents[1:], strict=True):
            if isinstance(agent, StrategyAgent):
                strategy, until = agent.phase(observation.hand)
                known.setdefault(name, strategy)
                if until is None and len(self.agents) == 2:
                    known[f"best against {name}"] = self._answer(strategy)
            elif isinstance(agent, Learner):
                known[name] = agent.strategy()
        for who, strategy in known.items():
            found.append(Advice(who, strategy.at(observation.seen, player=observation.player)))
        return found

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the session: a record of all hands, from which it can go on."""
        header = {
            **self._header(),
            "first": 0,
            "human": 0,
            "against": list(self.against),
            "files": self.files,
        }
        write_whole(path, record_bytes(header, self.played))

    def replay(self, session: Session) -> None:
        """Play a session's hands again, the person's moves as they were.

        The others are asked anew, so that learners, random numbers and the score come to where
        they were, but for those whose play is a matter of time; raises FileError where a hand does
        not come out as it is written.
        """
        for path, mark in session.files.items():
            if self.files.get(path, mark) != mark:
                raise MismatchError(
                    f"{path} is no longer the file that {session.path} was played against"
                )
        if not session.hands:
            return
        first = self.hands
        for number, hand in enumerate(session.hands, start=first):
            if hand.number != number:
                raise FileError(f"{session.path} lacks hand {number}")
        moves = {hand.number: self._moves(session.path, hand) for hand in session.hands}
        self._script = {number: own[0] for number, own in moves.items()}
        seated, tells = self._table.agents, self._table.tells
        timed = [bool(getattr(agent, "timed", False)) for agent in seated]
        self._table.tells = tuple(a and not b for a, b in zip(tells, timed, strict=True))
        self._table.agents = tuple(
            HumanAgent(_by_script(moves, g)) if timed[g] else agent
            for g, agent in enumerate(seated)
        )
        stopped = self.play(len(session.hands)).stopped
        self._table.agents, self._table.tells, self._script = seated, tells, None
        if stopped == "interrupted":
            raise KeyboardInterrupt
        for hand, again in zip(session.hands, self.played[first:], strict=True):
            if _outcome(again) != _outcome(hand):
                raise FileError(
                    f"hand {hand.number} of {session.path} comes out otherwise now: an opponent "
                    "changed, or plays by random numbers of its own"
                )

    def _count(self, hand: PlayedHand, rows: Sequence[Floats | None]) -> None:
        self.played.append(hand)
        super()._count(hand, rows)

    def _answer(self, strategy: Strategy) -> Strategy:
        if self._best is None:
            self._best = answer_to(strategy)
        return self._best

    def _moves(self, path: str, hand: PlayedHand) -> list[deque[str]]:
        """The moves of a recorded hand, agent by agent."""
        try:
            states = replay_states(self.game, hand.events)
        except ParameterError as error:
            raise FileError(f"{path}, hand {hand.number}: {error}") from None
        pairs = [(int(self.game.turn(s)), e) for s, e in zip(states, hand.events, strict=False)]
        seats = [(g - hand.number) % len(self.agents) for g in range(len(self.agents))]
        return [deque(event for turn, event in pairs if turn == seat) for seat in seats]

    def _asked(self, observation: Observation) -> Hashable:
        if self._script is not None:
            moves = self._script[observation.hand]
            return moves.popleft() if moves else None
        try:
            return self.ask(observation)
        except Exception as error:  # no fault of the person's: it must not cost the hand
            self._trouble = error
            raise Leave from error


@dataclass(frozen=True)
class Session:
    """A sitting on disk: who played what, and every hand."""

    path: str
    game: str
    against: tuple[str, ...]
    seed: int
    files: Mapping[str, str]
    hands: tuple[PlayedHand, ...]


def read_session(path: str | os.PathLike[str]) -> Session:
    """Read what ``Sitting.write`` wrote."""
    record = read_record(path)
    header = record.header
    if header.raw("human", None) != 0:
        raise FileError(f"{path} records a match of programs, and nobody can sit down to that")
    against = tuple(header.texts("against"))
    if len(against) != len(record.agents) - 1:
        raise FileError(f"{path} is damaged: its header names {len(against)} opponents")
    marks = header.object("files")
    files = {name: marks.text(name) for name in marks.value}
    seed = header.whole("seed", 0)
    return Session(os.fspath(path), record.game, against, seed, files, tuple(record.hands()))


def fingerprints(against: Sequence[str]) -> dict[str, str]:
    """Marks of the files among the names of agents, to know them again."""
    found = {}
    for name in against:
        if os.path.isfile(name):
            with open(name, "rb") as file:
                found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _by_script(moves: Mapping[int, list[deque[str]]], agent: int) -> Ask:
    """An agent's moves as they were."""
    return lambda seen: moves[seen.hand][agent].popleft()


def _outcome(hand: PlayedHand) -> tuple[object, ...]:
    at_fault = None if hand.fault is None else hand.fault.agent
    return hand.players, hand.events, hand.payoffs, at_fault
