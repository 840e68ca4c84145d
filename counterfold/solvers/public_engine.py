"""Vector CFR: a method at work on the public tree of a poker game, all hands at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from counterfold.arrays import Array, Arrays, Floats
from counterfold.evaluate.assessment import Assessment
from counterfold.evaluate.public import PublicEvaluator, assess_tables
from counterfold.files.arrays import Saved
from counterfold.files.text import Fields
from counterfold.poker.game import DECISION
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.engine import Engine, Setup, Slots, runs_on
from counterfold.solvers.settings import Settings
from counterfold.strategy.layout import Tables
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import NEITHER, Extras, Learned, Packs, aligned, fields_in
from counterfold.tree.public_nodes import NOTHING
from counterfold.tree.traversal import Traversal

if TYPE_CHECKING:
    from counterfold.kernels.public import Extra

DERIVED = ("hole", "last", "styled")
"""Further fields that a checkpoint need not keep as asked for: they follow from the rest."""


class PublicEngine(Engine):
    """Full traversals of a public tree, player by player, all hands at once.

    In simultaneous updates the second player meets what the first one had before its own.

    What a run is held to comes as fields of ``kernels.public.Extra`` for each player.
    """

    name = "public tree"
    can = frozenset(
        {"full", "prediction", "simultaneous", "last iterate", "float64", "float32", "16 bits"}
        | {"threads", "style", "locks", "model", "warm start", "exact"}
    )
    refusal: ClassVar[str] = "a public tree, which is walked in full,"
    checks_cost: ClassVar[bool] = True  # in double precision, whatever iterations are in
    advice: ClassVar[str] = "leave it out, or solve a game by its histories"

    def __init__(self, setup: Setup[PublicTree]) -> None:
        from counterfold.kernels import rule

        tree, self.settings = setup.form, setup.settings
        self.form: PublicTree = tree
        fields = ({}, {}) if setup.conditions is None else setup.conditions.fields
        modelled = any("model" in each for each in fields)
        self._styled = modelled or any("delta" in each for each in fields)
        self.traversal = Traversal(tree, self.settings.dtype, setup.threads, model=modelled)
        if not modelled:  # what measures strategies of this tree later need not build it again
            vars(tree).setdefault("evaluator", PublicEvaluator(tree, self.traversal))
        self._row = np.zeros(rule.COLUMNS)
        self._make_tables(fields, setup.method.prediction > 0)

    @property
    def falls(self) -> bool:
        return self.form.two_player_zero_sum and not self._styled

    def _make_tables(self, fields: Sequence[Mapping[str, Array]], predictive: bool) -> None:
        from counterfold.kernels import public

        arrays, tree = self.traversal.arrays, self.form
        packed = self.settings.bits == 16
        kinds = (np.int16, np.uint16) if packed else (arrays.dtype, arrays.dtype)
        learned, packs, extras = [], [], []
        for p in (0, 1):
            shape = max(tree.rows(p), 1), tree.columns(p)
            given = self._as_kept(fields[p])
            if predictive:
                given["last"] = aligned(shape, arrays.dtype)
            scales = (np.zeros(shape[0], arrays.dtype) for _ in range(2))
            learned.append(public.Table(*(aligned(shape, kind) for kind in kinds)))
            packs.append(public.Pack(*scales) if packed else None)
            extras.append(given)
        self.learning: Learned = tuple(learned)
        self.packs: Packs = tuple(packs)
        self.extras: Extras = NEITHER
        if any(extras):
            self.extras = tuple(arrays.extra(p, **given) for p, given in enumerate(extras))

    def _as_kept(self, fields: Mapping[str, Array]) -> Arrays:
        """Fields of a condition in the numbers of the tables."""
        dtype = self.traversal.arrays.dtype
        return {
            name: np.ascontiguousarray(array, dtype) if array.dtype.kind == "f" else array
            for name, array in fields.items()
        }

    @property
    def nbytes(self) -> int:
        tables = [array for table in self.learning for array in table]
        tables += [extra.last for extra in self.extras if extra is not None]
        return sum(int(table.nbytes) for table in tables)

    def step(self, schedule: Floats) -> None:
        from counterfold.kernels import public, rule

        walk, own = self.traversal, (self.learning, self.packs, self.extras)
        if not len(schedule):
            nobody, rows = np.zeros(0, np.int64), np.zeros((0, 3, rule.COLUMNS))
            walk.call(walk.whole, *own, nobody, rows)
            return
        before = np.vstack([self._row, schedule])[:-1]
        alternating = self.settings.alternating
        last = schedule if alternating else before
        rows = np.stack([schedule, before, before, schedule, before, last], 1)
        rows = rows.reshape(-1, 3, schedule.shape[1])
        if not walk.tasks and alternating:
            walk.call(walk.whole, *own, np.tile(np.array([0, 1]), len(schedule)), rows)
        else:
            for pair in rows.reshape(len(schedule), 2, *rows.shape[1:]):
                met = own if alternating else self._kept()
                for me, (tables, packs, extras) in enumerate((own, met)):
                    walk.run(me, tables, extras, pair[me], False, public.LEARN, packs)
        self._row = schedule[-1].copy()

    def _kept(self) -> tuple[Learned, Packs, Extras]:
        """What both have now, of which nothing of the first player's changes any more."""
        table, pack, extra = self.learning[0], self.packs[0], self.extras[0]
        table = table._replace(regret=table.regret.copy())
        if pack is not None:
            pack = pack._replace(regret=pack.regret.copy())
        if extra is not None:
            extra = extra._replace(last=extra.last.copy())
        return (table, self.learning[1]), (pack, self.packs[1]), (extra, self.extras[1])

    @property
    def slots(self) -> int:
        return sum(int(table.regret.size) for table in self.learning)

    def begin(self, regrets: Slots, strategy: Slots | None, average: Slots | None) -> None:
        if strategy is not None or self.settings.bits == 16:
            super().begin(regrets, strategy, average)
        sums = np.zeros(self.slots) if average is None else average
        at = 0
        for table in self.learning:
            own = slice(at, at := at + table.regret.size)
            table.regret[:] = regrets[own].reshape(table.regret.shape)
            table.total[:] = sums[own].reshape(table.total.shape)

    def learned(self, logs: Floats) -> tuple[Slots, Slots]:
        if self.settings.bits == 16:
            super().learned(logs)
        regrets, sums = zip(*self.learning, strict=True)
        return (
            np.concatenate([table.ravel() for table in regrets], dtype=np.float64),
            np.concatenate([table.ravel() for table in sums], dtype=np.float64),
        )

    def tables(self, average: bool) -> Tables:
        """The sums of strategies, shared with the run, or what the next iteration plays."""
        if average:
            return self.learning[0].total, self.learning[1].total
        return self._current(0), self._current(1)

    def _current(self, p: int) -> Floats:
        """What the rule draws from the regrets of now, at each node on each board."""
        from counterfold.kernels import rule

        table, pack, extra = self.learning[p], self.packs[p], self.extras[p]
        nodes = self.form.nodes
        weights: Floats = table.regret.astype(np.float64)
        if pack is None and extra is None:
            return np.maximum(weights, 0.0)
        if extra is not None and extra.last.size:
            guess = self._row[rule.PREDICTION] * extra.last
        own = np.flatnonzero((nodes.kind == DECISION) & (nodes.owner == p))
        for board in range(len(self.form.boards)):
            for n in own[nodes.street[own] == self.form.boards[board].street].tolist():
                rows = self.form.row(board, int(nodes.old[n]))
                if pack is not None:  # all rows of a node have one scale
                    weights[rows] *= pack.regret[rows.start]
                if extra is not None and extra.last.size:
                    weights[rows] += guess[rows]
                weights[rows] = self._chosen(p, board, n, np.maximum(weights[rows], 0.0))
        return weights

    def _chosen(self, p: int, board: int, n: int, weights: Floats) -> Floats:
        """[actions, hands] what is played at a node by weights, under a style and locks."""
        from counterfold.kernels import rule

        extra, nodes = self.extras[p], self.form.nodes
        if extra is None:
            return weights
        holes = self.form.hands[p][board].holes
        own = slice(int(nodes.wide[n]), int(nodes.wide[n] + nodes.count[n]))
        rest = np.full(weights.shape, 1.0 / len(weights))
        if extra.delta.size:
            held_back = self._row[rule.WEIGHT] * extra.beta[n, holes]
            some = weights[:, : len(holes)]
            some[:] = extra.delta[own][:, holes] * np.maximum(some - held_back, 0.0)
            rest[:, : len(holes)] = extra.fallback[own][:, holes]
            if self._row[rule.BEST] > 0:
                heaviest = weights.argmax(0)
                weights = np.where(
                    np.arange(len(weights))[:, None] == heaviest, weights.max(0) > 0, 0.0
                )
        total = weights.sum(0)
        played = np.where(total > 0, weights / np.where(total > 0, total, 1.0), rest)
        if extra.lock.size and extra.lock[board, n] != NOTHING:
            lock = int(extra.lock[board, n])
            first, trust = int(extra.first[lock]), extra.trust[lock]
            played = (1 - trust) * played + trust * extra.held[first : first + len(played)]
        return played

    def assess(self, average: bool, look: Callable[[], None] | None = None) -> Assessment:
        """Exact values and best responses, in double precision."""
        if average and not self.locked:  # what the sums say is all there is to know
            return assess_tables(self.traversal, self.learning, look=look)
        rows, packs = np.stack([self._row] * 3), (None, None) if average else self.packs
        return assess_tables(
            self.traversal, self.learning, self._held(average), average=average, rows=rows,
            packs=packs, look=look,
        )  # fmt: skip

    @property
    def locked(self) -> bool:
        """Whether a player is held to something."""
        return any(extra is not None and extra.lock.size > 0 for extra in self.extras)

    def _held(self, average: bool) -> Extras:
        """What counts when a strategy is measured: locks do, a model does not."""
        none = np.zeros((0, 0), self.traversal.arrays.dtype)
        return tuple(
            extra and in_double(extra._replace(model=none, last=none if average else extra.last))
            for extra in self.extras
        )

    def condition(self, conditions: Conditions) -> None:
        if any("model" in fields for fields in conditions.fields):
            super().condition(conditions)
        extras = []
        for p, extra in enumerate(self.extras):
            held = {} if extra is None else extra._asdict()
            asked = {k: a for k, a in held.items() if a.size and k not in ("hole", "styled")}
            asked |= self._as_kept(conditions.fields[p])
            extras.append(self.traversal.arrays.extra(p, **asked))
        self.extras = tuple(extras)
        self._styled = True

    def state(self, alone: bool = True) -> Arrays:
        state = {"row": self._row}
        if alone:
            state |= {f"total.{p}": table.total for p, table in enumerate(self.learning)}
        for p in (0, 1):
            state |= {f"{name}.{p}": array for name, array in self._changing(p).items()}
            if (extra := self.extras[p]) is not None:
                asked = {k: a for k, a in extra._asdict().items() if a.size}
                state |= {f"asked.{k}.{p}": asked[k] for k in asked if k not in DERIVED}
        return state

    def _changing(self, p: int) -> Arrays:
        """What changes with every iteration, beside the sums of strategies."""
        changing, pack, extra = {"regret": self.learning[p].regret}, self.packs[p], self.extras[p]
        if pack is not None:
            changing |= {"scale": pack.regret, "size": pack.total}
        if extra is not None and extra.last.size:
            changing["last"] = extra.last
        return changing

    def restore(self, state: Saved, strategy: Tables | None = None) -> None:
        for p in (0, 1):
            if strategy is None:
                state.fill(f"total.{p}", self.learning[p].total, least=0)
            elif strategy[p].dtype != self.learning[p].total.dtype:
                raise state.damaged("its sums of strategies are of another kind than its settings")
            else:
                self.learning[p].total[:] = strategy[p]
            for name, array in self._changing(p).items():
                state.fill(f"{name}.{p}", array)
        state.fill("row", self._row, finite=False)

    @classmethod
    def conditions_in(
        cls, form: PublicTree, state: Saved, run: Fields, settings: Settings
    ) -> Conditions | None:
        one, two = fields_in(state.part("asked."), form, (settings.dtype,))
        best = run.flag("best")
        return Conditions((one, two), best) if one or two or best else None


runs_on(PublicTree, PublicEngine)


def in_double(extra: Extra) -> Extra:
    """What is asked of a player in double precision, for walks that certify.

    What locks hold to adds up to one again: chips times what 32 bits leave over can be a pot.
    The large tables stay as they are.
    """
    fine = {
        name: array.astype(np.float64)
        for name, array in extra._asdict().items()
        if array.dtype.kind == "f" and name not in ("last", "model")
    }
    held, first = fine["held"], extra.first.tolist()
    for begin, stop in pairwise([*first, len(held)]):
        total = held[begin:stop].sum(0)
        held[begin:stop] /= np.where(total > 0, total, 1.0)
    return extra._replace(**fine)
