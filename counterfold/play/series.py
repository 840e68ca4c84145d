"""Many matches between the same agents, each from a fresh start: statistics over matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue

import numpy as np

from counterfold import interrupts
from counterfold.agent import Agent
from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.exploit.online import Learner
from counterfold.games.spec import whole
from counterfold.play.agents import StrategyAgent
from counterfold.play.arena import Arena
from counterfold.play.dealer import choice_seed, deal_seed
from counterfold.play.insight import no_insight
from counterfold.play.score import blank_tally
from counterfold.tree.history import HistoryTree

Entrant = Agent | Callable[[int], Agent]
"""An agent, or what makes one from the number of the match."""

BLOCK = 8
"""Matches that a thread takes at a time."""


def match_seed(seed: int, number: int) -> int:
    """The seed of one match of a series.

    >>> match_seed(1, 0) != match_seed(1, 1)
    True
    """
    return int(
        np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0] >> np.uint64(1)
    )


def series(
    tree: HistoryTree,
    *entrants: Entrant,
    matches: int,
    marks: Sequence[int],
    seed: int = 0,
    threads: int = 2,
    on_progress: Callable[[int], None] | None = None,
) -> Floats:
    """What each agent has won a hand by each mark of each match: ``[matches, marks, agents]``.

    Match m is ``Match(tree, ..., seed=match_seed(seed, m))``, hand for hand, whatever the number
    of threads. A learner begins every match as it stands and is left as it was; strategies that
    differ from match to match are made by a function of the match's number. ``marks`` are numbers
    of hands, the last of them the length of a match. ``on_progress`` is told how many matches
    are done, and may raise to give up.

    >>> import counterfold as cf
    >>> from counterfold.tree.history import compile_game
    >>> tree = compile_game(cf.Kuhn())
    >>> uniform = cf.StrategyAgent(cf.Strategy.uniform(tree))
    >>> won = series(tree, cf.Learner(tree), uniform, matches=20, marks=(100, 2000), seed=1)
    >>> won.shape, bool(won[:, 1, 0].mean() > won[:, 0, 0].mean() > 0)
    ((20, 2, 2), True)
    """
    whole("matches", matches, least=1)
    whole("threads", threads, least=1)
    whole("seed", seed, least=0)
    _check_marks(marks)
    if len(entrants) != tree.players:
        raise ParameterError(
            f"{tree.spec} is a game for {tree.players}; agents given: {len(entrants)}"
        )
    won = np.zeros((matches, len(marks), len(entrants)))
    rooms: SimpleQueue[_Room] = SimpleQueue()
    seated = [_seated(entrant, 0) for entrant in entrants]
    for _ in range(threads):
        rooms.put(_Room(tree, seated))

    def play(begin: int) -> int:
        end = min(begin + BLOCK, matches)
        room = rooms.get()
        for number in range(begin, end):
            interrupts.check()
            agents = [_seated(entrant, number) for entrant in entrants]
            room.match(agents, match_seed(seed, number), marks, won[number])
        rooms.put(room)
        return end - begin

    done = 0
    with _workers(threads) as workers:
        for count in workers.map(play, range(0, matches, BLOCK)):
            done += count
            if on_progress:
                on_progress(done)
    return won


@contextmanager
def _workers(threads: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that start nothing new once the work is given up."""
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _check_marks(marks: Sequence[int]) -> None:
    before = 0
    for mark in marks:
        if whole("a mark", mark, least=1) <= before:
            raise ParameterError("marks must be numbers of hands, each greater than the one before")
        before = mark
    if not before:
        raise ParameterError("a series needs a mark: the number of hands of a match")


def _seated(entrant: Entrant, number: int) -> StrategyAgent | Learner:
    """Who sits down in a match; only agents that play in compiled code can."""
    agent = entrant if isinstance(entrant, Agent) else entrant(number)
    if not isinstance(agent, StrategyAgent | Learner):
        raise UnsupportedError(
            f"{agent!r} plays at a table in Python; a series takes strategies and learners"
        )
    return agent


class _Room(Arena):
    """One thread's place to play, made ready again for every match."""

    def __init__(self, tree: HistoryTree, agents: Sequence[StrategyAgent | Learner]) -> None:
        super().__init__(tree, agents, seed=0, repeat=1)
        self._tally, self._nothing = blank_tally(len(agents)), no_insight(len(agents))
        self._unrecorded = np.zeros(0, dtype=np.uint32)

    def match(
        self,
        agents: Sequence[StrategyAgent | Learner],
        seed: int,
        marks: Sequence[int],
        won: Floats,
    ) -> None:
        """One match; ``won[mark, agent]`` is filled."""
        self._sit_down(agents, seed)
        hand = 0
        for place, mark in enumerate(marks):
            while hand < mark:
                until = _until(agents, hand, mark)
                self.play(hand, until - hand, self._tally, self._nothing, self._unrecorded)
                hand = until
            won[place] = self._tally.total[:, :, 0].sum(axis=1) / mark

    def _sit_down(self, agents: Sequence[StrategyAgent | Learner], seed: int) -> None:
        self.agents = tuple(agents)
        self.random[0] = choice_seed(seed)
        self._course = self._course._replace(deal_seed=np.uint64(deal_seed(seed)))
        self._tally.total[...] = 0.0
        for g, agent in enumerate(agents):
            if isinstance(agent, Learner):
                agent.lend(self._minds, g)


def _until(agents: Sequence[StrategyAgent | Learner], hand: int, mark: int) -> int:
    """The first hand, at the latest the mark, at which somebody changes its strategy."""
    changes = [a.phase(hand).until for a in agents if isinstance(a, StrategyAgent)]
    return min(mark, *(change for change in changes if change is not None), mark)
