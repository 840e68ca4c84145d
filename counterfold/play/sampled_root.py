"""The root of a sampled search: how the opponent comes to its hands, by a gadget.

A sampled search cuts what follows a street at a depth limit, and so has no exact values: what the
opponent's hands are worth at the root is told by its own walks, and what they were worth before by
the blueprint's play over boards that are drawn. Both are right on average, and so is the gadget.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.blueprint import engine_in
from counterfold.abstraction.bucket_engine import BucketEngine
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.abstraction.bucket_walks import Public
from counterfold.arrays import Floats, Ints
from counterfold.errors import UnsupportedError
from counterfold.play.rest import Shadow, bucketed
from counterfold.poker.cards import holes_without
from counterfold.poker.game import meetings
from counterfold.searchers.gadget import Part, to_one
from counterfold.searchers.public_entry import PublicEntry, arriving
from counterfold.searchers.public_root import PublicRoot
from counterfold.solvers.methods import method
from counterfold.solvers.solver import Solver

if TYPE_CHECKING:
    from counterfold.kernels.poker_ends import Boards
    from counterfold.kernels.poker_lines import Rule

PIECE = 7
"""Boards between looks at the clock: a seventh of those on which each card has come once."""
BOARDS = 49
"""That are drawn for the marks, at least, where nobody waits."""
KEPT = 0.8
"""Of what boards have told before: strategies change slowly, and one tells little."""
LEAST = 1e-3
"""Of the opponent's hands come in, at least, however many would rather stay out."""


def entry_of(
    form: BucketForm,
    shadow: Shadow,
    tables: BucketTables,
    me: int,
    seconds: float | None,
) -> PublicEntry:
    """How two players come to a street, with what the blueprint earns the opponent's hands there.

    Boards are drawn for so many seconds of CPU, or a given number of them without.
    """
    came, other = form.game.ranges[me][None], 1 - me
    live = holes_without(form.game.board)[None]
    reach = to_one(np.asarray(came, np.float64))
    mass = np.where(live, meetings(reach[0]), 0.0)
    live = live & (mass > 1e-9)
    dealt = to_one(np.where(live, mass, 0.0))
    theirs = arriving(form.game.ranges[other][None] * mass, live, dealt)
    value = np.where(live, _earned(form, _played(form, shadow, tables), other, seconds), 0.0)
    return PublicEntry(
        0, me, np.ones(1), reach, mass, live, dealt, theirs, value, value, 0,
        np.zeros(0, np.int64), True, _no_gifts,
    )  # fmt: skip


def _no_gifts(board: int) -> Floats:
    raise UnsupportedError("what was given away before the root is not known there")


def _played(form: BucketForm, shadow: Shadow, tables: BucketTables) -> NDArray[np.float32]:
    """The blueprint in what is left of the hand, in the order of the form."""
    out, board = bucketed(shadow, tables, form), form.game.board
    live = np.flatnonzero(holes_without(board))
    rows = form.buckets[0].on(board)[live]
    bucket = tables.buckets[len(tables.buckets) - len(form.buckets)].on(board)[live]
    for node in form.nodes[form.game.betting.street[form.nodes] == 0].tolist():
        count, actions = int(form.counts[node]), int(form.actions[node])
        into = out[form.start[node] : form.start[node] + count * actions].reshape(count, actions)
        into[rows] = shadow.played(tables, node)[bucket]
    return out


def _earned(
    form: BucketForm, played: NDArray[np.float32], player: int, seconds: float | None
) -> Floats:
    """[1, holes] what a player's hands earn if all play so, over boards that are drawn."""
    from counterfold.kernels.poker_ends import Told
    from counterfold.kernels.poker_lines import spread

    engine = engine_in(Solver(form, traversal="public", threads=1))
    spread(engine.lines, engine.nodes, form.counts[form.nodes], played, engine.table)
    worker, (won, met) = Sweeping(engine), np.zeros((2, form.game.rules.holes))
    told = Told(player, won, met)
    began, done = time.thread_time(), 0
    while done < BOARDS if seconds is None else time.thread_time() - began < seconds:
        worker.worths(told, PIECE)
        done += PIECE
    return np.divide(won, met, where=met > 0, out=np.zeros_like(won))[None]


class Sweeping(Public):
    """A thread that walks with one board at a time, where each card comes first as often as others.

    Where a gadget stands at the root, the opponent walks first on some boards, and then the player,
    whose opponent has learned how to come to its hands.
    """

    def __init__(
        self, engine: BucketEngine, entry: PublicEntry | None = None, parts: Sequence[Part] = ()
    ) -> None:
        super().__init__(engine, 0)
        self._first: Ints = np.zeros(0, np.int64)
        self.entry, self.root = entry, None if entry is None else PublicRoot(parts, entry)
        self.rounds, self._rule = 0, method("linear")
        self._sums = np.zeros((2, engine.form.game.rules.holes))

    def _picks(self, count: int, size: int, more: int) -> Ints:
        rows = self._shuffle(count, size)
        if not more:
            return rows[:, :0]
        while len(self._first) < count:
            self._first = np.append(self._first, self._shuffle(1, size)[0])
        first, self._first = np.split(self._first, [count])
        others = rows[rows != first[:, None]].reshape(count, size - 1)
        return np.column_stack([first, others[:, : more - 1]])

    def work(self, rule: Rule, iterations: int) -> int:
        from counterfold.kernels.poker_ends import Told

        boards = self._boards(iterations)
        learner = None if self.entry is None else 1 - self.entry.player
        for player in (1, 0) if learner else (0, 1):
            told = np.zeros_like(self._sums)
            self._tell(Told(player, *told), rule, self._met_by(boards, player))
            if player == learner and iterations:
                self._learn(told)
        return 2 * iterations * len(self._engine.form.nodes)

    def _met_by(self, boards: Boards, player: int) -> Boards:
        """Boards as a player meets them: the opponent comes by what it has learned, and learns what
        all of its hands are worth."""
        if self.entry is None or self.root is None:
            return boards
        me, live = self.entry.player, self.entry.live[0]
        comes = live if player != me else self.root.mix()[0]
        if float((comes * self.entry.mass[0]).sum()) <= LEAST:
            comes = LEAST * live
        both = [self.entry.reach[0], comes][:: 1 if me == 0 else -1]
        scale = np.array([1 / self._met], np.float32)
        return boards._replace(ranges=np.stack(both).astype(np.float32), scale=scale)

    def _learn(self, told: Floats) -> None:
        """Take in some walks of the opponent: what hands are worth now, as far as is told."""
        from counterfold.kernels.public_search import learn_root

        assert self.entry is not None
        assert self.root is not None
        self.rounds += 1
        self._sums = KEPT * self._sums + told
        won, met = self._sums
        worth = np.divide(won, met, where=met > 0, out=self.entry.value[0].copy())
        (now,) = self._rule.schedule(self.rounds, 1, np.zeros(4), weighed=False)
        learn_root(self.root.arrays, (worth * self.entry.mass[0])[None], now)
