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
from counterfold.abstraction.bucket_walks import External, Public
from counterfold.abstraction.compiled import alias
from counterfold.arrays import Bools, Floats
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
    from counterfold.kernels.poker_deals import Cards
    from counterfold.kernels.poker_lines import Rule

ROUND = 4_000
"""Iterations between two changes of how the opponent comes."""
KEPT = 0.8
"""Of what walks have told before a round: strategies change slowly, and a round tells little."""
BOARDS = 32
"""That are drawn for the marks, at least, where nobody waits."""
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
    from counterfold.kernels.poker_boards import Told
    from counterfold.kernels.poker_lines import spread

    engine = engine_in(Solver(form, traversal="public", threads=1))
    spread(engine.lines, engine.nodes, form.counts[form.nodes], played, engine.table)
    worker, (won, met) = engine.workers[0], np.zeros((2, form.game.rules.holes))
    assert isinstance(worker, Public)
    told = Told(player, won, met)
    began, done = time.thread_time(), 0
    while done < BOARDS if seconds is None else time.thread_time() - began < seconds:
        worker.worths(told, 4)
        done += 4
    return np.divide(won, met, where=met > 0, out=np.zeros_like(won))[None]


class Entering(External):
    """A thread that walks for the opponent, and then for the player, whose opponent has learned how
    to come to its hands."""

    def __init__(self, engine: BucketEngine, entry: PublicEntry, parts: Sequence[Part]) -> None:
        super().__init__(engine, 0)
        from counterfold.kernels.poker_sampling import Model

        self.entry, self.root = entry, PublicRoot(parts, entry)
        self.rounds, self._rule = 0, method("linear")
        self._sums = np.zeros((2, entry.mass.shape[1]))
        none, self._other = engine.table[:0], 1 - entry.player
        self._theirs = Model(none, self._other, 0.0, alone=True)
        self._mine = Model(none, entry.player, 0.0, alone=True)
        self._even = self._dealing(entry.live[0])

    def _dealing(self, weights: Floats | Bools) -> Cards:
        """Cards with another range of the opponent."""
        cards, (odds, take) = self._engine.cards, alias(np.asarray(weights, np.float64))
        all_odds, all_take = cards.odds.copy(), cards.other.copy()
        all_odds[self._other], all_take[self._other] = odds, take
        return cards._replace(odds=all_odds, other=all_take)

    def work(self, rule: Rule, iterations: int) -> int:
        it = self._engine
        won, came = np.zeros((2, self.entry.mass.shape[1]))
        streets = len(it.form.buckets)
        self._kernels.entered(
            it.lines, self._even, rule, it.table, self._theirs, self.room, iterations, streets,
            won, came,
        )  # fmt: skip
        self._learn(won, came)
        comes = self.root.mix()[0]
        share = float((comes * self.entry.mass[0]).sum())
        walks = int(max(share, LEAST) * iterations)
        return iterations + int(
            self._kernels.external(
                it.lines, self._dealing(comes if share > LEAST else self.entry.live[0]), rule,
                it.table, it.style, self._mine, self.room, walks // 2, streets,
            )
        )  # fmt: skip

    def _learn(self, won: Floats, came: Floats) -> None:
        """Take in a round of the opponent's walks: what hands are worth now, as far as is told."""
        from counterfold.kernels.public_search import learn_root

        self.rounds += 1
        self._sums = KEPT * self._sums + np.stack([won, came])
        told = self._sums[1] > 0
        marks = self.entry.value[0]
        worth = np.divide(self._sums[0], self._sums[1], where=told, out=marks.copy())
        (now,) = self._rule.schedule(self.rounds, 1, np.zeros(4), weighed=False)
        learn_root(self.root.arrays, (worth * self.entry.mass[0])[None], now)
