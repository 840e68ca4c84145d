"""What a blueprint is worth hand by hand, in the game without buckets, within the time there is."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

from counterfold.abstraction.blueprint import against_in, engine_in
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.cli import clock
from counterfold.evaluate.assessment import Assessment
from counterfold.evaluate.exact import assess, best_value, earned_against, evaluator_of
from counterfold.evaluate.public import PublicEvaluator, assess_tables, kernel_tables
from counterfold.solvers.run import DISK
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree

TRIAL = 0.3  # seconds of writing a strategy down, from which the rest is guessed
CAUTION = 1.3  # times what a measurement seems to take is kept free for it
WALKS = 4  # over the tree, two for each player


@dataclass(frozen=True)
class Measured:
    """What a strategy is worth in the game without buckets.

    That of an answer is what it wins from the opponent it answers, and what it wins at least.
    """

    whole: Assessment | None = None
    winnings: float | None = None
    guarantee: float | None = None


class _EnoughError(Exception):
    """A trial has shown what it was for."""


class Measurement:
    """A measurement that is to come when a solver is done, and what it will take."""

    def __init__(self, solver: Solver, until: Until, save: str | None) -> None:
        self._solver, self._until, self._save = solver, until, save
        form = engine_in(solver).form
        self.seconds = 0.0
        if form.players > 2:  # in the history form
            return
        self._tree = PublicTree(form.game, symmetry=not form.tells_suits)
        evaluator = evaluator_of(self._tree)
        assert isinstance(evaluator, PublicEvaluator)
        self._walk = evaluator.walk
        self.seconds = 0.0 if until.seconds is None else CAUTION * self._guess()

    @property
    def fits(self) -> bool:
        """Whether there is time for it at all."""
        left = clock.left(self._until).seconds
        return left is None or self.seconds < left

    def _guess(self) -> float:
        """Seconds for it, from a part of it."""
        from counterfold.kernels import public

        strategy = Strategy.uniform(self._tree)
        tables, none = kernel_tables(strategy.tables), (None, None)
        walk = self._walk
        began = time.perf_counter()
        walk.run(0, tables, none, None, True, public.VALUE)
        if time.perf_counter() - began < 5 * TRIAL:  # or loading the kernel does not matter
            began = time.perf_counter()
            walk.run(0, tables, none, None, True, public.VALUE)
        walks = WALKS * (time.perf_counter() - began)
        began, done = time.perf_counter(), 1.0

        def look(share: float) -> None:
            nonlocal done
            if time.perf_counter() - began > TRIAL:
                done = share
                raise _EnoughError

        with suppress(_EnoughError):
            by_hand(self._solver.strategy(), self._tree, look)
        writing = (time.perf_counter() - began) / done
        strategies = 1 if against_in(self._solver) is None else 2
        size = sum(table.nbytes for table in strategy.tables) if self._save else 0
        return walks + strategies * writing + size / DISK

    def run(self) -> Measured:
        """Measure the strategy, and save it if it has a file; OutOfTimeError if it takes longer."""
        solver = self._solver
        if solver.tree.players > 2:
            return Measured(assess(solver.strategy()))
        walk = self._walk

        def look(share: float = 0.0) -> None:
            clock.check(self._until, "while the strategy was measured without buckets")

        strategy, against = by_hand(solver.strategy(), self._tree, look), against_in(solver)
        if against is None:
            found = Measured(assess_tables(walk, kernel_tables(strategy.tables), look=look))
        else:
            player, model = against.player, by_hand(against.model, self._tree, look)
            known = -best_value(strategy, 1 - player) if self._tree.two_player_zero_sum else None
            look()
            found = Measured(None, earned_against(strategy, player, model), known)
            pair = [model.tables[0], model.tables[1]]
            pair[player] = strategy.tables[player]
            strategy = Strategy.of(strategy.tree, (pair[0], pair[1]), strategy.about)
        if self._save:
            strategy.save(self._save)
        return found
