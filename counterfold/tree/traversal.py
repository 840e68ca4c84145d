"""Walks over a public tree for one player at a time, boards in parallel.

Boards after the first deal are cut into tasks, always the same ones, and what they come to is
added up in their order: results do not depend on how many threads there are.

What is called exact is walked in double precision (``Traversal.exact``), whatever the tables of
strategies are kept in.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike, NDArray

from counterfold.arrays import Floats, Ints
from counterfold.errors import ParameterError
from counterfold.poker.game import DEAL
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import NEITHER, Extras, Learned, Packs, PublicArrays

if TYPE_CHECKING:
    from counterfold.kernels.public import Ground, Room

Tape = NDArray[np.uint32]
"""[steps, 2] what is done, and on which board."""
TASKS = 8
SMALL = 1 << 20  # bytes of tables below which one thread walks over all boards in one call
WHO = np.array([0], np.int64), np.array([1], np.int64)


def _threads(threads: int | None) -> int:
    if threads is None:
        return max(1, min(TASKS, len(os.sched_getaffinity(0))))
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= 256:
        raise ParameterError(f"threads is {threads!r}, and must be a whole number from 1 to 256")
    return threads


class Traversal:
    """Rooms, tapes and threads for walks over one tree."""

    def __init__(
        self,
        tree: PublicTree,
        dtype: DTypeLike = "float32",
        threads: int | None = None,
        model: bool = False,
        like: Traversal | None = None,
    ) -> None:
        self.tree, self.model = tree, model
        self.arrays: PublicArrays
        self.arrays = PublicArrays(tree, dtype) if like is None else like.arrays.in_kind(dtype)
        self._exact: Traversal | None = None
        self.threads = _threads(threads)
        self.top = self.arrays.room(model)
        self._rows = np.zeros((1, 3, _columns()))
        self._tapes(model, None if like is None else like.pool)

    @property
    def exact(self) -> Traversal:
        """The same walks in double precision, for numbers that certify."""
        if self.arrays.dtype == np.float64:
            return self
        if self._exact is None:
            self._exact = Traversal(self.tree, "float64", self.threads, self.model, like=self)
        return self._exact

    def _tapes(self, model: bool, pool: ThreadPoolExecutor | None) -> None:
        from counterfold.kernels import public

        tree = self.tree

        self.pool = pool
        self.tasks: list[Tape] = []
        self.whole = _tape([])
        if tree.last == 0 or tree.table_bytes() < SMALL:
            self.whole = _tape(tape_of(tree, 0))
            return
        self.down, self.up = _tape([(public.DOWN, 0)]), _tape([(public.UP, 0)])
        each = [tape_of(tree, child) for child in tree.children[0]]
        count = min(TASKS, len(each))
        cuts = np.linspace(0, len(each), count + 1).astype(int)
        for begin, stop in pairwise(cuts):
            self.tasks.append(_tape([step for part in each[begin:stop] for step in part]))
        self.rooms: SimpleQueue[Room] = SimpleQueue()
        self.rooms.put(self.top)  # of which tasks leave the first street as it is
        for _ in range(1, min(self.threads, count)):
            self.rooms.put(self.arrays.room(model))
        first = range(tree.nodes.begin[1])
        self.deals = np.array([tree.nodes.place[n] for n in first if tree.nodes.kind[n] == DEAL])
        self.sums = np.zeros((count, len(self.deals), self.top.value.shape[1]), self.arrays.dtype)
        if self.threads > 1 and self.pool is None:
            self.pool = ThreadPoolExecutor(self.threads)

    def run(
        self,
        me: int,
        tables: Learned,
        extras: Extras,
        rows: Floats | None,
        average: bool,
        how: int,
        packs: Packs = NEITHER,
    ) -> None:
        """One walk for a player; values of the first street stay in ``top``."""
        from counterfold.kernels import public

        arrays, top = self.arrays, self.top
        given = arrays.ground, arrays.sides(tables, packs, extras)
        if rows is not None:
            rows = rows[None]
        elif not average:
            rows = self._rows
        asked = WHO[me], rows, average, how
        if not self.tasks:
            public.traverse(self.whole, *given, top, *asked)
            return
        public.traverse(self.down, *given, top, *asked)
        kept = self.tree.nodes.first_rows

        def work(task: int, room: Room) -> None:
            room.value[self.deals] = 0
            public.traverse(self.tasks[task], *given, room, *asked)
            self.sums[task] = room.value[self.deals]

        def work_apart(task: int) -> None:
            room = self.rooms.get()
            try:
                if room is not top:
                    for mine, theirs in ((room.mine, top.mine), (room.theirs, top.theirs)):
                        mine[:kept] = theirs[:kept]
                    if len(top.free):
                        room.free[:kept], room.model[:kept] = top.free[:kept], top.model[:kept]
                work(task, room)
            finally:
                self.rooms.put(room)

        if self.pool is None:
            for task in range(len(self.tasks)):
                work(task, top)
        else:
            list(self.pool.map(work_apart, range(len(self.tasks))))
        top.value[self.deals] = 0
        for found in self.sums:
            top.value[self.deals] += found
        public.traverse(self.up, *given, top, *asked)

    def call(
        self, tape: Tape, tables: Learned, packs: Packs, extras: Extras, who: Ints, rows: Floats
    ) -> None:
        """Learn in walks over one tape, in this thread."""
        from counterfold.kernels import public

        sides = self.arrays.sides(tables, packs, extras)
        public.traverse(tape, self.arrays.ground, sides, self.top, who, rows, False, public.LEARN)

    def over(
        self, tape: Tape, tables: Learned, me: int, how: int, ground: Ground | None = None
    ) -> None:
        """Walk once over a tape by the sums in tables, in this thread; values stay in ``top``."""
        from counterfold.kernels import public

        arrays = self.arrays
        sides = arrays.sides(tables)
        public.traverse(tape, ground or arrays.ground, sides, self.top, WHO[me], None, True, how)

    def first_values(self, me: int) -> Floats:
        """What each of the player's first hands came to in the last walk, per deal of it."""
        hands = self.tree.hands[me][0]
        place = int(self.tree.nodes.place[0])
        values: Floats = self.top.value[place, : len(hands.holes)].astype(np.float64)
        return values

    def expected(self, me: int) -> float:
        """The player's expected payoff in the last walk."""
        hands = self.tree.hands[me][0]
        weight = np.asarray(self.tree.game.ranges[me])[hands.holes] * hands.size
        return float(self.first_values(me) @ weight)


def tape_of(tree: PublicTree, board: int) -> list[tuple[int, int]]:
    """What a walk does on a board and on all that come after it (kernels.public.traverse)."""
    from counterfold.kernels import public

    if tree.boards[board].street == tree.last:
        return [(public.LAST, board)]
    within = [step for child in tree.children[board] for step in tape_of(tree, child)]
    return [(public.DOWN, board), *within, (public.UP, board)]


def one_chunk(ground: Ground, street: int, chunk: int) -> Ground:
    """The same with one chunk of a street alone; chunks of the last one use the same rows."""
    chunks = ground.money.chunks.copy()
    chunks[street] = chunk, chunk + 1
    return ground._replace(money=ground.money._replace(chunks=chunks))


def _tape(steps: list[tuple[int, int]]) -> Tape:
    return np.array(steps, np.uint32).reshape(-1, 2)


def _columns() -> int:
    from counterfold.kernels import rule

    return rule.COLUMNS
