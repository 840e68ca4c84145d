"""Online CFR's experiments (Hu, Gao and An 2014): learners at one-card poker with 13 cards.

Experiment 1 plays six learners against opponents that do not learn; experiment 2, in
``round_robin.py``, against each other. The paper's text is damaged; beside what
``exploit/rules.py`` says about the learners, this was chosen: matches of experiment 1 have 5,000
hands (its axis is lost); a sophisticated opponent leaves the equilibrium with probability 0.2 (a
"0.2" stands before the remains of the words for Nash equilibrium, just ahead of those for the
dynamic opponent); a dynamic one draws its strategy as a random one does, anew every 500 hands.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cache, partial
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from counterfold.arrays import Floats
from counterfold.evaluate.exact import assess
from counterfold.exploit.rules import DEFAULT_LEARNER
from counterfold.files.text import Json
from counterfold.games.catalog import load
from counterfold.games.spec import whole
from counterfold.pieces.piece import Outcome, Piece, gathered
from counterfold.pieces.store import Store
from counterfold.play.agents import Dynamic, StrategyAgent, make_agent, sophisticated
from counterfold.play.score import Estimate
from counterfold.play.series import Entrant, match_seed, series
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result, Sampled, estimate, plain
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game

GAME = "one_card"

LEARNERS = ("dbbr-ws", "mccfr-os", "q", "sarsa", "seocfr", "deocfr", DEFAULT_LEARNER)
"""The paper's six with their defaults here, and our own."""

FLAW, EVERY = 0.2, 500
MARKS = 25
"""Points of a curve, evenly spaced in the logarithm of the hands."""
LEAST_WON, MOST_LOST = 0.31, 0.07
"""What is promised of our own learner: won from uniform play, lost to an equilibrium."""
CHECKED = 20_000
"""Over so many hands."""


class Opponent(NamedTuple):
    """A kind of opponent that does not learn; ``make`` takes the tree and a seed."""

    name: str
    description: str
    make: Callable[[HistoryTree, int], StrategyAgent]


OPPONENTS = (
    Opponent(
        "random",
        "a strategy drawn evenly at every infoset, another in every match",
        lambda tree, seed: StrategyAgent(Strategy.random(tree, seed)),
    ),
    Opponent(
        "sophisticated",
        f"an equilibrium, left with probability {FLAW} for a habit that is another in every match",
        lambda tree, seed: StrategyAgent(sophisticated(tree, FLAW, seed)),
    ),
    Opponent(
        "dynamic",
        f"a random strategy, drawn anew every {EVERY} hands",
        lambda tree, seed: Dynamic(tree, EVERY, seed),
    ),
)


@dataclass(frozen=True)
class Curve:
    """What an agent won a hand up to each mark: ``rates[match, mark]``."""

    agent: str
    opponent: str
    hands: tuple[int, ...]
    rates: Floats = field(repr=False)

    @property
    def points(self) -> tuple[Estimate, ...]:
        """The mean over matches at each mark."""
        return Sampled(self.hands, self.rates).estimates

    @property
    def whole(self) -> Estimate:
        """The win rate of whole matches."""
        return self.points[-1]

    @property
    def late(self) -> Estimate:
        """The win rate after the last mark but one, when all there was to learn was learned."""
        if len(self.hands) < 2:
            return self.whole
        won = self.rates * self.hands
        return estimate((won[:, -1] - won[:, -2]) / (self.hands[-1] - self.hands[-2]))

    def to_dict(self) -> Json:
        """A curve of the documented JSON."""
        return {
            "agent": self.agent,
            "opponent": self.opponent,
            **self.whole.to_dict(),
            "late": self.late.to_dict(),
            "hands": list(self.hands),
            "curve": plain(self.points),
        }


@dataclass(frozen=True)
class Curves(Result, paper="ocfr", game=GAME, also=("matches", "hands")):
    """Win-rate curves of many agents; ``ceilings`` has what a best response would win."""

    experiment: str
    curves: tuple[Curve, ...]
    ceilings: dict[str, float]
    seed: int
    seconds: float
    cpu_seconds: float

    @property
    def matches(self) -> int:
        return len(self.curves[0].rates)

    @property
    def hands(self) -> int:
        return self.curves[0].hands[-1]

    def of(self, agent: str, opponent: str) -> Curve:
        """The curve of an agent against an opponent."""
        return next(c for c in self.curves if (c.agent, c.opponent) == (agent, opponent))


class Meeting(NamedTuple):
    """Many matches of an agent, looked at after some hands each.

    Its opponent is another agent or, ``drawn``, of a kind of ``OPPONENTS``, another in every match.
    """

    agent: str
    opponent: str
    drawn: bool
    matches: int
    marks: tuple[int, ...]
    seed: int

    def opposing(self, tree: HistoryTree) -> Entrant:
        if not self.drawn:
            return make_agent(self.opponent, tree)
        kind = next(one for one in OPPONENTS if one.name == self.opponent)
        return partial(_drawn, kind, tree, self.seed)

    def play(self, tree: HistoryTree, threads: int, tell: Callable[[int], None]) -> Floats:
        """What the agent won a hand, ``[match, mark]``."""
        won = series(
            tree, make_agent(self.agent, tree), self.opposing(tree), matches=self.matches,
            marks=self.marks, seed=self.seed, threads=threads, on_progress=tell,
        )  # fmt: skip
        return won[:, :, 0]


def play_meeting(given: Json, wants: tuple[str, ...]) -> Outcome:
    """The work of a piece, on whatever machine: all matches of two."""
    meeting = Meeting(**{**given, "marks": tuple(given["marks"])})
    return Outcome({"rates": meeting.play(_tree(), 1, no_progress).tolist()})


@cache
def _tree() -> HistoryTree:
    return compile_game(load(GAME))


class How(TypedDict, total=False):
    """How experiments are run, beside where: settings of ``Work``."""

    threads: int | None
    on_progress: Progress


class Work:
    """The game, who plays, and how far the work has come: what experiments take as ``how``."""

    def __init__(
        self,
        threads: int | None = None,
        on_progress: Progress = no_progress,
        executor: Executor | None = None,
        library: Store | None = None,
    ) -> None:
        self.tree = _tree()
        self.threads = threads or min(os.cpu_count() or 1, 8)
        self._on_progress, self._executor, self._library = on_progress, executor, library
        self._began = time.monotonic(), time.process_time()

    def play(self, meetings: Sequence[Meeting]) -> list[Floats]:
        """What came of meetings: a piece each for an executor or a library, by threads here."""
        total = sum(meeting.matches for meeting in meetings)
        if self._executor is not None or self._library is not None:
            pieces = [Piece("meeting", meeting._asdict()) for meeting in meetings]
            done = gathered(
                pieces, play_meeting, self._executor,
                lambda done, of: self._on_progress(done * total // of, total), self._library,
            )  # fmt: skip
            return [np.array(one.result["rates"]) for one in done]
        # Compile before the clock of the progress starts.
        meetings[0]._replace(matches=1, marks=(1,)).play(self.tree, 1, no_progress)
        found: list[Floats] = []

        def tell(done: int) -> None:
            self._on_progress(sum(map(len, found)) + done, total)

        for meeting in meetings:
            tell(0)
            found.append(meeting.play(self.tree, self.threads, tell))
        return found

    def spent(self) -> tuple[float, float]:
        """Seconds by the clock, and of the processors."""
        return time.monotonic() - self._began[0], time.process_time() - self._began[1]


def marks_up_to(hands: int) -> tuple[int, ...]:
    """Where the curves of a match are looked at.

    >>> marks_up_to(5000)[-3:]
    (3156, 3972, 5000)
    """
    found = np.unique(np.geomspace(min(20, hands), hands, MARKS).round().astype(int))
    return tuple(found.tolist())


class Experiment(NamedTuple):
    """Agents that all meet the same opponents, who may be drawn, and the same deals."""

    agents: tuple[str, ...]
    opponents: tuple[str, ...]
    drawn: bool
    hands: int


EXPERIMENTS = {
    "1": Experiment(
        (*LEARNERS, "equilibrium"), tuple(one.name for one in OPPONENTS), drawn=True, hands=5000
    ),
    "check": Experiment((DEFAULT_LEARNER,), ("uniform", "equilibrium"), drawn=False, hands=CHECKED),
}
"""Learners, and an equilibrium that never learns, against who does not learn; and what is promised
of our own learner: ``LEAST_WON`` and ``MOST_LOST``."""


def _drawn(opponent: Opponent, tree: HistoryTree, seed: int, number: int) -> StrategyAgent:
    return opponent.make(tree, match_seed(seed, number))


def experiment(
    name: str,
    matches: int = 1000,
    hands: int | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    library: Store | None = None,
    **how: Unpack[How],
) -> Curves:
    """Each agent against each opponent, who may be another one in every match."""
    agents, opponents, drawn, usual = EXPERIMENTS[name]
    whole("seed", seed, least=0)
    whole("matches", matches, least=2)
    hands = whole("hands", usual if hands is None else hands, least=2)
    marks, work = marks_up_to(hands), Work(executor=executor, library=library, **how)
    meetings = [
        Meeting(agent, opponent, drawn, matches, marks, seed)
        for opponent in opponents
        for agent in agents
    ]
    curves = [
        Curve(meeting.agent, meeting.opponent, marks, rates)
        for meeting, rates in zip(meetings, work.play(meetings), strict=True)
    ]
    ceilings = {}
    for meeting in meetings[:: len(agents)]:
        opponent = meeting.opposing(work.tree)
        met = [opponent(number) for number in range(matches)] if callable(opponent) else [opponent]
        ceilings[meeting.opponent] = float(
            np.mean([_ceiling(one, hands) for one in met if isinstance(one, StrategyAgent)])
        )
    return Curves(name, tuple(curves), ceilings, seed, *work.spent())


def _ceiling(opponent: StrategyAgent, hands: int) -> float:
    """What a best response would win a hand that knew the opponent from the first one on."""
    total, hand = 0.0, 0
    while hand < hands:
        strategy, until = opponent.phase(hand)
        end = hands if until is None else min(until, hands)
        total += (end - hand) * float(np.mean(assess(strategy).best))
        hand = end
    return total / hands
