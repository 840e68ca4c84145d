"""CFR for the original Cheat: rounds of games against oneself, played on up to a horizon.

An iteration is a round. What a move is worth is found out by playing on for a number of turns
only, and by asking how positions like the one reached ended in games between the strategies of the
moment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.horizon_form import HorizonForm
from counterfold.arrays import Arrays, Floats
from counterfold.errors import ParameterError
from counterfold.files.arrays import Saved
from counterfold.games.spec import whole
from counterfold.solvers.engine import MOST_THREADS, Engine, Setup, runs_on, streams_in
from counterfold.strategy.layout import Tables

if TYPE_CHECKING:
    from counterfold.kernels.cheat_sampling import Place
    from counterfold.kernels.cheat_sampling import Tables as Sums

NEAREST = 4
"""Turns that are played on after a move that is tried, if nobody says."""
LONGEST = 500
"""Turns after which a game in training is given up."""
ROUND = 1_000
"""Games of a round, after which what the threads have learned is added up."""
CARRIED = 0.1
"""What is left of the average strategy at the next horizon; regrets are carried over whole."""
FADE = 0.5
"""What is left, a round later, of how positions ended."""
MOST = 2**53
"""Games and rounds that can be counted."""


class HorizonEngine(Engine):
    """Tables for the original Cheat, and rounds of games that fill them.

    Threads play with tables of their own, which are added up after each round, so a seed gives the
    same tables again with the same number of threads. ``look_ahead`` moves the horizon away.
    """

    name = "horizon"
    can = frozenset({"external", "last iterate", "float64", "threads", "warm start"})
    refusal: ClassVar[str] = "the original Cheat by a horizon"
    advice: ClassVar[str] = (
        "its traversal is external, in 64 bits, by cfr, cfr+, linear, dcfr, dcfr+ or hs-dcfr"
    )

    def __init__(self, setup: Setup[HorizonForm]) -> None:
        from counterfold.kernels.cheat_sampling import BINS

        self.form: HorizonForm = setup.form
        self.rounds = self.games = 0
        self.horizon, self.until = NEAREST, 0
        self._cells = self.form.players * int(BINS) ** 2
        self.common = self._new()
        """What all threads have learned, as of the end of a round."""
        self.plan: Mapping[str, object] = {}
        """What whoever trains by a plan has it tell."""
        self._threads = setup.threads
        count = whole(
            "threads", 1 if setup.threads is None else setup.threads, least=1, most=MOST_THREADS
        )
        streams = np.random.SeedSequence(setup.settings.seed).generate_state(count, np.uint64)
        self._staff(streams.astype(np.uint64))

    def _new(self) -> Sums:
        from counterfold.kernels.cheat_sampling import Tables

        shape = self.form.shape
        worth = np.zeros((self._cells, 2))
        return Tables(np.zeros(shape), np.zeros(shape), np.zeros(shape[0]), worth)

    def _staff(self, streams: NDArray[np.uint64]) -> None:
        """Have a thread for each stream of random numbers."""
        from counterfold.kernels.cheat import new_states
        from counterfold.kernels.cheat_bot import new_memory
        from counterfold.kernels.cheat_sampling import Place, Room

        rules, moves = self.form.rules, self.form.shape[1]

        def place() -> Place:
            return Place(new_states(rules, 1), new_memory(rules))

        self._own = [self._new() for _ in streams]
        self._rooms = [
            Room(place(), place(), np.zeros(moves), np.zeros(moves), np.array([stream]))
            for stream in streams
        ]
        self._seen = [np.zeros((LONGEST, self.form.players), np.int64) for _ in streams]

    @property
    def about(self) -> Mapping[str, object]:
        told = {"threads": len(self._own), "games": self.games}
        return {**told, "plan": self.plan} if self.plan else told

    @property
    def nbytes(self) -> int:
        return int(sum(table.nbytes for table in self.common))

    @property
    def slots(self) -> int:
        rows, moves = self.form.shape
        return rows * moves

    def look_ahead(self, horizon: int, until: int = 0) -> None:
        """Play on for so many turns from the next round on, which is one of ``ROUND`` games.

        ``until`` is how many games there are to be in all, so that the last round is shorter.
        """
        if whole("a horizon", horizon, least=1) != self.horizon:
            self.horizon = horizon
            self.common.total[...] *= CARRIED
        self.until = until

    def step(self, schedule: Floats) -> None:
        """A round a row: see how positions end, then train."""
        if not len(schedule):
            self._watch(0, 0)
            self._train(0, 0)
        for row in schedule:
            self._round(row, min(ROUND, self.until - self.games) if self.until else ROUND)

    def _round(self, row: Floats, games: int) -> None:
        from counterfold.kernels import rule

        if games < 1:
            raise ParameterError(f"all {self.until:,} games of this horizon have been played")
        regret, total, _, worth = self.common
        if self.rounds:  # in the first there is nothing to fade
            regret *= np.where(regret > 0, row[rule.POSITIVE], row[rule.NEGATIVE])
            total *= row[rule.AVERAGE]
        worth *= FADE
        shares = [len(part) for part in np.array_split(np.arange(games), len(self._own))]
        self._share(lambda n: self._watch(n, shares[n]))
        self._share(lambda n: self._train(n, shares[n]))
        np.maximum(regret, row[rule.LOWEST], out=regret)
        self.rounds += 1
        self.games += games

    def _watch(self, n: int, games: int) -> None:
        from counterfold.kernels.cheat_sampling import watch

        own = self._own[n]
        watch(self.form.rules, self._rooms[n], own.regret, own.worth, self._seen[n], games)

    def _train(self, n: int, games: int) -> None:
        from counterfold.kernels.cheat_sampling import train

        own, room = self._own[n], self._rooms[n]
        train(self.form.rules, room, own, games, LONGEST, self.horizon, 1.0, 1.0)

    def _share(self, work: Callable[[int], None]) -> None:
        """Let every thread work on tables of its own, and add up what has changed."""
        for own in self._own:
            for mine, common in zip(own, self.common, strict=True):
                np.copyto(mine, common)
        if len(self._own) == 1:
            work(0)
        else:
            with ThreadPoolExecutor(len(self._own)) as pool:
                list(pool.map(work, range(len(self._own))))
        for at, common in enumerate(self.common):
            change = sum(own[at] - common for own in self._own)
            common += change

    def tables(self, average: bool) -> Tables:
        weights = self.common.total if average else np.maximum(self.common.regret, 0.0)
        sums = weights.sum(axis=1, keepdims=True)
        odds = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
        return (odds.astype(np.float32),)

    def begin(self, regrets: Floats, strategy: Floats | None, average: Floats | None) -> None:
        if strategy is not None:
            super().begin(regrets, strategy, average)
        self.common.regret[...] = regrets.reshape(self.form.shape)
        self.common.total[...] = 0 if average is None else average.reshape(self.form.shape)

    def learned(self, logs: Floats) -> tuple[Floats, Floats]:
        """The average as it was summed up: what was seldom met counts for little."""
        return self.common.regret.reshape(-1).copy(), self.common.total.reshape(-1).copy()

    def state(self, alone: bool = True) -> Arrays:
        counts = np.array([self.rounds, self.games, self.horizon, self.until], np.int64)
        random = np.concatenate([room.random for room in self._rooms])
        return {**self.common._asdict(), "random": random, "counts": counts}

    def restore(self, state: Saved, strategy: Tables | None = None) -> None:
        streams = streams_in(state, self._threads)
        counts = state.array("counts", np.int64, (4,), least=0, most=MOST).tolist()
        if not counts[2]:
            raise state.damaged("it plays on for no turns")
        for name, table in self.common._asdict().items():
            state.fill(name, table)
        self.rounds, self.games, self.horizon, self.until = counts
        self._staff(streams)


runs_on(HorizonForm, HorizonEngine)
