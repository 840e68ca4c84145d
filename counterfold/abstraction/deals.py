"""Two-player Cheat solved deal by deal, for views whose infosets are too many to lay out first.

Chance-sampled CFR: an iteration deals once, walks the whole tree of that deal in compiled code
without storing it, and keeps a row only for the infosets that it meets. The update rule is that
of every other solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold import interrupts
from counterfold.errors import MismatchError, ParameterError, TreeTooLargeError, UnsupportedError
from counterfold.games.spec import whole
from counterfold.solvers.conditions import plain
from counterfold.solvers.methods import Method
from counterfold.solvers.methods import method as named_method
from counterfold.tree.memory import memory_at_hand

__all__ = ["VIEWS", "Deal", "DealSolver", "Learned", "Lens"]

VIEWS = ("memoryless", "hp", "history", "general", "perfect")
START = 1 << 9
"""Infosets that tables have room for before they grow."""
PAUSE = 200_000
"""Visits after which a walk looks up, so that a long one can be stopped."""


class Deal(NamedTuple):
    """Both hands as counts by rank, and who starts."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    starter: int


class Lens(NamedTuple):
    """What infosets tell apart: one of the views of ``Cheat``, and how it is abstracted.

    ``cards`` counts ranks from the current one, which is then not told apart; ``rounds`` keeps so
    many of the last rounds.

    >>> str(Lens("history", cards=True, rounds=3))
    'history, cards, rounds=3'
    """

    view: str = "general"
    cards: bool = False
    rounds: int | None = None

    def kernel(self, horizon: int, carried: int = 0) -> Any:
        """The same for the kernels, of a game with so many health points."""
        from counterfold.kernels import cheat_views

        records = {
            "history": cheat_views.CLAIMS,
            "general": cheat_views.CLAIMS,
            "perfect": cheat_views.EVERYTHING,
        }
        return cheat_views.View(
            health=self.view not in ("memoryless", "history"),
            horizon=horizon,
            carried=carried,
            record=records.get(self.view, cheat_views.NOTHING),
            window=self.rounds or 0,
            relative=self.cards,
        )

    def check(self) -> None:
        """Refuse what is not a view."""
        if self.view not in VIEWS:
            raise ParameterError(f"there is no view {self.view!r}; there are {', '.join(VIEWS)}")
        if self.rounds is not None:
            whole("rounds", self.rounds, least=1)
            if self.view in ("memoryless", "hp"):
                raise ParameterError(f"rounds is for views with a history; {self.view} has none")

    def __str__(self) -> str:
        cards = ", cards" if self.cards else ""
        return f"{self.view}{cards}" + (f", rounds={self.rounds}" if self.rounds else "")


class Learned(NamedTuple):
    """What a solver has learned, for a larger game to begin with and for agents to play."""

    index: Any
    tables: Any
    view: Any


class DealSolver:
    """Chance-sampled iterations of a method on two-player Cheat.

    ``game`` is a ``Cheat`` of two players with health points, or its numbers as the kernels'
    ``Rules``. With ``before``, what a smaller game has learned, each infoset begins with the
    regrets and the average strategy of its counterpart there: the same one, or where it has
    health points beyond those of the smaller game the one with the most that there are. With
    ``skip`` moves that neither player makes are not followed; all numbers stay the same, and
    infosets that only such moves lead to are not counted.

    Updates are simultaneous, as in the paper: one deal, from which both players learn. With
    ``alternating`` each player learns from a deal of its own, the second after the first.

    >>> from counterfold.games.cheat import Cheat
    >>> solver = DealSolver(Cheat(health=2), Lens("history"))
    >>> solver.step(100)
    >>> solver.infosets > 1000
    True
    """

    def __init__(
        self,
        game: Any,
        lens: Lens,
        *,
        method: str | Method = "cfr",
        alternating: bool = False,
        seed: int = 0,
        before: Learned | None = None,
        skip: bool = False,
    ) -> None:
        from counterfold.kernels import cheat, cheat_views, cheat_walk

        lens.check()
        self.rules = rules_of(game)
        self.lens, self.alternating, self.skip = lens, alternating, skip
        self.method = method if isinstance(method, Method) else named_method(method)
        self.iteration, self.seconds, self.cpu_seconds = 0, 0.0, 0.0
        self._walk, self._logs = cheat_walk, np.zeros(4)
        self._random = np.array([whole("seed", seed, least=0)], dtype=np.uint64)
        self._table = cheat.lots(self.rules.ranks, self.rules.copies, self.rules.most)
        carried = 0
        if before is not None:
            carried = _check_before(before, self.rules, lens)
        self._view = lens.kernel(self.rules.health, carried)
        levels = 2 * longest(self.rules) + 2
        self._frames = cheat_walk.Frames(
            states=cheat.new_states(self.rules, levels),
            lot=np.zeros((levels, len(self._table)), np.int64),
            row=np.zeros(levels, np.int64),
            width=np.zeros(levels, np.int64),
            action=np.zeros(levels, np.int64),
            reach=np.zeros((levels, 2)),
            value=np.zeros(levels),
        )
        self._past = cheat_views.Past(*(np.zeros((levels, 2), np.uint64) for _ in range(2)))
        self._before = before or nothing_learned(self._view)
        if before is None:
            index, tables = _index(2 * START, START), _tables(4 * START, START)
        else:
            index = type(before.index)(*(array.copy() for array in before.index))
            tables = type(before.tables)(*(array.copy() for array in before.tables))
            tables.seen[:] = 0.0
        self._index, self._tables = index, tables
        lines, one = len(tables.seen), np.zeros(1, np.int64)
        self._room = cheat_walk.Room(
            one - 1, one.copy(), np.zeros(lines, np.uint32), np.zeros(lines, np.int64), one
        )
        self._walks = 0

    @property
    def infosets(self) -> int:
        """Infosets that have been met."""
        return int(self._index.count[0])

    @property
    def visits(self) -> int:
        """Decisions that have been visited in all iterations together."""
        return int(self._room.visits[0])

    @property
    def bytes(self) -> int:
        """Memory that the tables take."""
        arrays = (*self._index, *self._tables, *self._room, *self._frames)
        return int(sum(array.nbytes for array in arrays))

    def step(
        self,
        iterations: int = 1,
        deals: Sequence[Deal] | None = None,
        on_pause: Callable[[], None] | None = None,
    ) -> None:
        """Run some iterations, over these deals (one a walk) if they are given."""
        from counterfold.kernels import rule

        updates = (0, 1) if self.alternating else (self._walk.BOTH,)
        if deals is not None:
            iterations = len(deals) // len(updates)
        if iterations < 0:
            raise ParameterError(f"iterations is {iterations}, and must not be negative")
        given = iter(deals) if deals is not None else None
        schedule = self.method.schedule(self.iteration + 1, iterations, self._logs, weighed=False)
        for row in schedule:
            for update in updates:
                self._deal(None if given is None else next(given))
                wall, cpu = time.perf_counter(), time.thread_time()
                self._iterate(row, update, on_pause)
                self.seconds += time.perf_counter() - wall
                self.cpu_seconds += time.thread_time() - cpu
            self._logs = row[rule.LOG_POSITIVE : rule.WEIGHT + 1].copy()
            self.iteration += 1

    def learned(self) -> Learned:
        """What has been learned so far; it goes on changing with the solver."""
        return Learned(self._index, self._tables, self._view)

    def last_met(self) -> NDArray[np.uint32]:
        """Rows of the infosets that the last walk has met."""
        return self._room.touched[: self._room.rows[0]].copy()

    def slots(self, deal: Deal, moves: Sequence[int]) -> slice | None:
        """Where the tables keep whoever is next after these moves, or None where never met.

        Moves are numbers in the order of ``Cheat.actions``, from the deal on.
        """
        from counterfold.kernels import cheat_views

        self._deal(deal)
        key = self._walk.lead(
            self.rules, self._view, self._table, self._frames, self._past,
            np.array(moves, np.int64),
        )  # fmt: skip
        row = cheat_views.row_of(self._index, np.uint64(key))
        if row < 0:
            return None
        return slice(int(self._index.start[row]), int(self._index.start[row + 1]))

    def at(self, deal: Deal, moves: Sequence[int]) -> NDArray[np.float64] | None:
        """The average strategy of whoever is next after these moves, or None where never met."""
        found = self.slots(deal, moves)
        if found is None:
            return None
        total = self._tables.total[found]
        weight = total.sum()
        return total / weight if weight > 0 else np.full(len(total), 1 / len(total))

    def _deal(self, deal: Deal | None) -> None:
        if deal is None:
            self._walk.deal_row(self.rules, self._frames.states, self._random)
            return
        self._frames.states[0, : 2 * self.rules.ranks] = np.concatenate(deal.hands)
        self._walk.begin_row(self.rules, self._frames.states, deal.starter)

    def _iterate(
        self, row: NDArray[np.float64], update: int, on_pause: Callable[[], None] | None
    ) -> None:
        self._walks += 1
        self._room.depth[0] = -1
        while True:
            done = self._walk.walk(
                self.rules, self._view, self._table, self._frames, self._past, self._index,
                self._tables, plain(np.dtype("float64")), self._room, self._before[:2], row,
                update, self._walks, self.skip, PAUSE,
            )  # fmt: skip
            if done == self._walk.DONE:
                return
            interrupts.check()
            if done == self._walk.FULL:
                self._grow()
            elif on_pause:
                on_pause()

    def _grow(self) -> None:
        """Double what is nearly full."""
        from counterfold.kernels import cheat_views

        index, tables, room = self._index, self._tables, self._room
        rows, slots = int(index.count[0]), int(index.count[1])
        more_rows = 2 * rows > len(room.stamp) - 2
        capacity = len(index.place) * (2 if rows * 10 > len(index.place) * 5 else 1)
        size = len(tables.regret) * (2 if 3 * slots > 2 * len(tables.regret) else 1)
        lines = len(room.stamp) * (2 if more_rows else 1)
        needed = 16 * capacity + 32 * size + 40 * lines
        if needed > 0.9 * (memory_at_hand() + self.bytes):
            raise TreeTooLargeError(
                f"{rows:,} infosets were met and more do not fit in memory; abstract the view "
                "or take fewer health points"
            )
        place = index.place
        if capacity > len(place):
            place = np.zeros((capacity, 2), np.uint64)
            cheat_views.rehash(index.place, place)
        self._index = cheat_views.Index(place, _longer(index.start, lines + 1), index.count)
        self._tables = type(tables)(
            *(_longer(array, size) for array in tables[:4]), _longer(tables.seen, lines)
        )
        self._room = room._replace(
            touched=_longer(room.touched, lines), stamp=_longer(room.stamp, lines)
        )


def rules_of(game: Any) -> Any:
    """The kernels' numbers of a two-player game of Cheat that comes to an end."""
    from counterfold.kernels import cheat

    try:
        most = getattr(game, "largest", game.most)
        rules = cheat.Rules(
            game.ranks, game.copies, game.players, game.hand or 0, game.health or 0, most
        )
    except AttributeError:
        raise UnsupportedError(f"only Cheat is solved deal by deal, not {game}") from None
    if rules.players != 2:
        raise UnsupportedError("Cheat is solved deal by deal for two players only")
    if rules.health < 1:
        raise UnsupportedError(
            "Cheat without health points has no end, so a deal cannot be walked through; give it "
            "health points"
        )
    return rules


def longest(rules: Any) -> int:
    """Turns that no game goes beyond: between two challenges every turn takes a card away."""
    cards = 2 * rules.hand if rules.hand else rules.ranks * rules.copies
    return int(cards * (2 * (rules.health - 1) + 2))


def _index(capacity: int, rows: int) -> Any:
    from counterfold.kernels import cheat_views

    return cheat_views.Index(
        np.zeros((capacity, 2), np.uint64),
        np.zeros(rows + 1, np.uint32),
        np.zeros(2, np.int64),
    )


def nothing_learned(view: Any) -> Learned:
    """Tables of no infoset."""
    return Learned(_index(1, 1), _tables(1, 1), view)


def _tables(slots: int, rows: int) -> Any:
    from counterfold.kernels import history

    regret, strategy, total, new = np.zeros((4, slots))
    return history.Tables(regret, strategy, total, new, np.zeros((rows, 3)))


def _check_before(before: Learned, rules: Any, lens: Lens) -> int:
    """Health points of the smaller game, if it is one with the same view."""
    health = int(before.view.horizon)
    if before.view != lens.kernel(health, before.view.carried):
        raise MismatchError(f"what was learned before has another view than {lens}")
    if health > rules.health:
        raise MismatchError(
            f"what was learned before is of a larger game: {health} health points, "
            f"and here are {rules.health}"
        )
    return health


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The same numbers with zeros behind them."""
    if len(array) == size:
        return array
    out = np.zeros((size, *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out
