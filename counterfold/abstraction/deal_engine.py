"""Chance-sampled CFR for two-player Cheat, for views whose infosets are too many to lay out first.

An iteration deals once, walks the whole tree of that deal in compiled code without storing it, and
keeps a row only for the infosets that it meets. The update rule is that of every other engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.deal_form import DealForm, index_of, longest
from counterfold.arrays import Array, Arrays, Floats
from counterfold.errors import MismatchError, TreeTooLargeError
from counterfold.files.arrays import Saved
from counterfold.solvers.conditions import plain
from counterfold.solvers.engine import Engine, Setup, runs_on
from counterfold.strategy.layout import Tables
from counterfold.tree.memory import memory_at_hand

if TYPE_CHECKING:
    from counterfold.kernels.cheat_views import Index
    from counterfold.kernels.cheat_walk import Learned

START = 1 << 9
"""Infosets that tables have room for before they grow."""
PAUSE = 200_000
"""Visits after which a walk comes back, so that signals are heard in a long one."""
KEPT = ("regret", "strategy", "total")
"""Tables by slot that a run depends on."""


class Deal(NamedTuple):
    """Both hands as counts by rank, and who starts."""

    hands: tuple[tuple[int, ...], tuple[int, ...]]
    starter: int


class DealEngine(Engine):
    """Walks through one deal after another; with alternating updates, through one for each player.

    ``deals`` are walked through before any that are drawn.
    """

    name = "deals"
    can = frozenset(
        {"chance", "prediction", "simultaneous", "last iterate", "float64", "float32", "warm start"}
    )
    refusal: ClassVar[str] = "Cheat deal by deal"
    advice: ClassVar[str] = "its traversal is chance, with nothing that names its infosets"

    def __init__(self, setup: Setup[DealForm]) -> None:
        from counterfold.kernels import cheat, cheat_views, cheat_walk

        form, settings = setup.form, setup.settings
        self.form: DealForm = form
        self.deals: Iterator[Deal] = iter(())
        rules, lots = form.rules, cheat.lots(form.rules)
        self._walk, self._dtype = cheat_walk, np.dtype(settings.dtype)
        self._updates = (0, 1) if settings.alternating else (cheat_walk.BOTH,)
        self._random = np.array([settings.seed], np.uint64)
        self._horizons = np.array([rules.health], np.int64)
        self._game = cheat_walk.Game(rules, form.view(self._horizons), lots)
        levels = 2 * longest(rules) + 2
        row, width, action = np.zeros((3, levels), np.int64)
        self._frames = cheat_walk.Frames(
            states=cheat.new_states(rules, levels),
            past=cheat_views.Past(*np.zeros((2, levels, 2), np.uint64)),
            lot=np.zeros((levels, len(lots)), np.int64),
            row=row,
            width=width,
            action=action,
            reach=np.zeros((levels, 2)),
            value=np.zeros(levels),
        )
        one = np.zeros(1, np.int64)
        self._room = cheat_walk.Room(
            one - 1, one.copy(), np.zeros(0, np.uint32), np.zeros(0, np.int64), one.copy()
        )
        self._walks = 0
        self._before = self._learned = self._nothing()
        self._take_room(START, 4 * START)

    def _nothing(self) -> Learned:
        """Tables of no infoset."""
        index = index_of(np.zeros(0, np.uint64), np.zeros(2, np.uint32))
        return self._put(index, [np.zeros(1, self._dtype) for _ in KEPT])

    @property
    def infosets(self) -> int:
        """Infosets that have been met."""
        return int(self._learned.index.count[0])

    @property
    def visits(self) -> int:
        """Decisions that have been visited in all iterations together."""
        return int(self._room.visits[0])

    @property
    def nbytes(self) -> int:
        index, tables = self._learned
        return int(sum(array.nbytes for array in (*index, *tables, *self._room)))

    def met(self) -> NDArray[np.uint32]:
        """Rows of the infosets that the last walk has met."""
        return self._room.touched[: self._room.rows[0]].copy()

    def step(self, schedule: Floats) -> None:
        """An iteration a row. With none, compile for a deal that is left at once."""
        if not len(schedule):
            self._go(np.zeros(schedule.shape[1]), 0, 0)
        for row in schedule:
            for update in self._updates:
                self._deal()
                self._walks += 1
                while (done := self._go(row, update, PAUSE)) != self._walk.DONE:
                    if done == self._walk.FULL:
                        self._grow()

    def _go(self, row: Floats, update: int, pause: int) -> int:
        """Walk on, from the start if the last walk is done."""
        how = self._walk.Walk(row, update, self._walks, not self.form.thorough, pause)
        done = int(
            self._walk.iterate(
                self._game, self._frames, self._learned, self._before, plain(self._dtype),
                self._room, how,
            )
        )  # fmt: skip
        if not pause:
            self._room.depth[0] = -1
        return done

    def _deal(self) -> None:
        from counterfold.kernels import cheat

        rules, states, deal = self.form.rules, self._frames.states, next(self.deals, None)
        if deal is None:
            cheat.deal(rules, states, 0, self._random)
            return
        for player, hand in enumerate(deal.hands):
            first = cheat.cards(rules, player, 0)
            states[0, first : first + rules.ranks] = hand
        cheat.begin(rules, states, 0, deal.starter)

    def _grow(self) -> None:
        """Double what is nearly full."""
        (_, _, (rows, slots)), tables = self._learned
        lines, size = len(self._room.stamp), len(tables.regret)
        lines *= 2 if 2 * rows > lines - 2 else 1
        size *= 2 if 3 * slots > 2 * size else 1
        if 32 * lines + 32 * size + 40 * lines > 0.9 * (memory_at_hand() + self.nbytes):
            raise TreeTooLargeError(
                f"{rows:,} infosets were met and more do not fit in memory; abstract the view "
                "or take fewer health points"
            )
        self._take_room(lines, size)

    def _take_room(self, lines: int, slots: int) -> None:
        """Room for so many infosets and actions, with what there is in it."""
        from counterfold.kernels import cheat_views

        (place, start, count), tables = self._learned
        if len(place) < 2 * lines:
            grown = np.zeros((1 << (2 * lines - 1).bit_length(), 2), np.uint64)
            cheat_views.rehash(place, grown)
            place = grown
        self._learned = self._walk.Learned(
            cheat_views.Index(place, _longer(start, lines + 1), count),
            type(tables)._make(
                [*(_longer(array, slots) for array in tables[:4]), _longer(tables.seen, lines)]
            ),
        )
        room = self._room
        self._room = room._replace(
            touched=_longer(room.touched, lines), stamp=_longer(room.stamp, lines)
        )

    def tables(self, average: bool) -> Tables:
        keys, start = self._rows(self._learned)
        tables = self._learned.tables
        weights = tables.total if average else tables.strategy
        return keys, start, weights[: start[-1]].copy(), self._horizons

    @staticmethod
    def _rows(learned: Learned) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """The key of each row, and where its actions begin."""
        place, start, count = learned.index
        used, keys = place[place[:, 0] != 0], np.zeros(count[0], np.uint64)
        keys[used[:, 1].astype(np.int64)] = used[:, 0]
        return keys, start[: count[0] + 1].copy()

    def inherit(self, smaller: DealEngine) -> None:
        """Begin with what a game with fewer health points has taught.

        Each infoset has the regrets and the average strategy of its counterpart there: the same
        one, or where it has health points beyond those of the smaller game the one with the most
        that there are.
        """
        mine, other = self.form, smaller.form
        if (mine.own.view, mine.own.rounds, mine.relative) != (
            other.own.view, other.own.rounds, other.relative,
        ):  # fmt: skip
            raise MismatchError(f"what was learned before has another view than {mine.spec}")
        if other.rules.health > mine.rules.health:
            raise MismatchError(
                f"what was learned before is of a larger game: {other.rules.health} health points, "
                f"and here are {mine.rules.health}"
            )
        self._inherit(self._copied(smaller._learned), other.rules.health)

    def _inherit(self, before: Learned, health: int) -> None:
        self._before, self._learned = before, self._copied(before)
        self._learned.tables.seen[:] = 0.0
        self._horizons = np.array([self.form.rules.health, health], np.int64)
        self._game = self._game._replace(sight=self.form.view(self._horizons))
        self._take_room(len(before.tables.seen), len(before.tables.regret))

    def _copied(self, learned: Learned) -> Learned:
        index, tables = learned
        return type(learned)(
            type(index)(*(array.copy() for array in index)),
            type(tables)(*(array.copy() for array in tables)),
        )

    @property
    def weighed(self) -> bool:
        return False

    def state(self, alone: bool = True) -> Arrays:
        state: Arrays = {
            "random": self._random,
            "counts": np.array([self._walks, self.visits], np.int64),
            "horizons": self._horizons,
            "seen": self._learned.tables.seen[: self.infosets],
        }
        parts = {"": self._learned}
        if len(self._horizons) > 1:
            parts["before."] = self._before
        for prefix, learned in parts.items():
            keys, start = self._rows(learned)
            state |= {f"{prefix}keys": keys, f"{prefix}start": start}
            for name in KEPT:
                state[prefix + name] = getattr(learned.tables, name)[: start[-1]]
        return state

    def restore(self, state: Saved, strategy: Tables | None = None) -> None:
        state.fill("random", self._random)
        walks, visits = state.array("counts", np.int64, (2,), least=0).tolist()
        horizons = state.array("horizons", np.int64, (None,), 1, self.form.rules.health).tolist()
        if not 1 <= len(horizons) <= 2 or horizons[0] != self.form.rules.health:
            raise state.damaged("its health points are not those of its game")
        if len(horizons) > 1:
            self._inherit(self._restored(state, "before."), horizons[1])
        self._learned = self._restored(state, "")
        state.fill("seen", self._learned.tables.seen[: self.infosets])
        lines, slots = max(self.infosets, START), len(self._learned.tables.regret)
        self._take_room(1 << lines.bit_length(), max(slots, 4 * START))
        self._walks, self._room.visits[0] = walks, visits

    def _restored(self, state: Saved, prefix: str) -> Learned:
        """What was learned, as ``state`` has it."""
        keys = state.array(f"{prefix}keys", np.uint64, (None,))
        start = state.array(f"{prefix}start", np.uint32, (len(keys) + 1,))
        if start[0] or (np.diff(start.astype(np.int64)) < 1).any() or (keys == 0).any():
            raise state.damaged("its infosets have no actions")
        if len(np.unique(keys)) != len(keys):
            raise state.damaged("two of its infosets are one")
        size = int(start[-1])
        tables = [state.array(prefix + name, self._dtype, (size,)) for name in KEPT]
        return self._put(index_of(keys, start), tables)

    def _put(self, index: Index, kept: Sequence[Array]) -> Learned:
        """Tables over an index, with nothing new in them."""
        from counterfold.kernels.history import Tables

        regret, strategy, total = kept
        rows = max(len(index.start) - 1, 1)
        tables = Tables(regret, strategy, total, np.zeros_like(regret), np.zeros((rows, 3)))
        return self._walk.Learned(index, tables)


runs_on(DealForm, DealEngine)


def _longer(array: Array, size: int) -> Array:
    """The same numbers with zeros behind them, if there are fewer."""
    if len(array) >= size:
        return array
    out = np.zeros((size, *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out
