"""Any traversal of any history graph, and what engines over infosets have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import TreeTooLargeError
from counterfold.evaluate.assessment import Assessment
from counterfold.evaluate.sequence import assess_form
from counterfold.files.arrays import Saved
from counterfold.files.text import Fields
from counterfold.solvers.conditions import Conditions, plain
from counterfold.solvers.engine import Arrays, Slots
from counterfold.solvers.methods import Method
from counterfold.solvers.settings import Settings
from counterfold.strategy.layout import Tables
from counterfold.tree.graph import graph_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.memory import memory_at_hand
from counterfold.tree.sequence import sequence_form

__all__ = ["HistoryEngine", "InfosetEngine"]

# Which of the other players and the updating player itself a traversal samples.
SAMPLED = {"chance": (False, False), "external": (True, False), "outcome": (True, True)}


class InfosetEngine:
    """Tables over the slots of a history graph's infosets."""

    first_piece = 16
    per_round = 1
    about: ClassVar[dict[str, Any]] = {}
    refusal: ClassVar[str] = "a game by its histories"
    advice: ClassVar[str] = "leave it out here"

    def __init__(self, tree: HistoryTree, conditions: Conditions | None) -> None:
        self.form = tree
        self.conditions = conditions
        if conditions is not None:
            conditions.check(tree)

    @property
    def weighed(self) -> bool:
        """A style alone needs to know what regrets have been summed with."""
        return self.conditions is not None

    def _style(self) -> Arrays:
        """The arrays of a style, for a checkpoint."""
        return {} if self.conditions is None else dict(self.conditions.fields[0])

    @property
    def falls(self) -> bool:
        # A merged graph has a sequence form that may be far too large to build.
        tree = self.form
        falls = not self.weighed and tree.two_player_zero_sum and not tree.merged
        return falls and sequence_form(tree).perfect_recall

    @property
    def nbytes(self) -> int:
        """Five numbers a slot, and the names."""
        return 40 * self.form.infosets.slots + 100 * len(self.form.infosets.owner)

    def average(self) -> Slots:
        """The average strategy over the tree's slots."""
        raise NotImplementedError

    def current(self) -> Slots:
        """The strategy of the next iteration over the tree's slots."""
        raise NotImplementedError

    def tables(self, average: bool) -> Tables:
        return (self.average() if average else self.current(),)

    def assess(self, average: bool, look: Callable[[], None] | None = None) -> Assessment:
        return assess_form(sequence_form(self.form), self.tables(average)[0])[0]

    def _start(self, conditions: Conditions | None) -> tuple[Slots, Slots, None]:
        """No regrets, and what the rule plays without any."""
        tree = self.form
        strategy = tree.infosets.evenly() if conditions is None else conditions.fallback(tree)
        return np.zeros(tree.infosets.slots), strategy, None

    @classmethod
    def conditions_in(
        cls, form: HistoryTree, state: Saved, run: Fields, settings: Settings
    ) -> Conditions | None:
        slots, infosets = form.infosets.slots, len(form.infosets.owner)
        fields: Arrays = {}
        if "delta" in state and "beta" in state:
            fields["delta"] = state.array("delta", np.float64, (slots,), least=1)
            fields["beta"] = state.array("beta", np.float64, (infosets,), least=0)
        if "held" in state and "trust" in state:
            fields["held"] = state.array("held", np.float64, (slots,), least=0, most=1)
            fields["trust"] = state.array("trust", np.float64, (infosets,), least=0, most=1)
        return Conditions((fields,), run.flag("best", False)) if fields else None


class HistoryEngine(InfosetEngine):
    """Any traversal of any history graph."""

    name = "history"
    can = frozenset(
        {"full", "chance", "external", "outcome", "prediction", "simultaneous", "last iterate"}
        | {"float64", "float32", "style", "warm start", "exact"}
    )

    def __init__(
        self,
        tree: HistoryTree,
        method: Method,
        settings: Settings,
        threads: int | None = None,
        conditions: Conditions | None = None,
    ) -> None:
        from counterfold.kernels import history as kernels

        super().__init__(tree, conditions)
        dtype = np.dtype(settings.dtype)
        self._kernels = kernels
        self._tree = tree
        self._alternating = settings.alternating
        self._explore = settings.explore
        self._graph = graph_of(tree)
        slots, infosets = tree.infosets.slots, len(tree.infosets.owner)
        self._tables = kernels.Tables(
            regret=np.zeros(slots, dtype),
            strategy=np.zeros(slots, dtype),
            total=np.zeros(slots, dtype),
            new=np.zeros(slots, dtype),
            seen=np.zeros((infosets, 3)),
        )
        self._preference = plain(dtype)
        if conditions is not None:
            self.condition(conditions)
        self.begin(*self._start(conditions))
        self._random = np.array([settings.seed], dtype=np.uint64)
        self._clock = 0
        self._sampled = SAMPLED.get(settings.traversal)
        self._room = self._make_room(dtype)

    def condition(self, conditions: Conditions) -> None:
        conditions.check(self._tree)
        self.conditions = conditions
        slots, infosets = self._tree.infosets.slots, len(self._tree.infosets.owner)
        self._preference = conditions.preference(
            self._tree, np.arange(slots), np.arange(infosets), self._tables.regret.dtype
        )

    def _make_room(self, dtype: Any) -> Any:
        kernels, tree = self._kernels, self._tree
        if self._sampled is None:
            return kernels.Dense(*(np.zeros(tree.histories, dtype) for _ in range(3)))
        room = np.zeros(tree.histories)
        most = max(
            kernels.most_visits(tree.turn, tree.first, tree.child, player, self._sampled, room)
            for player in range(tree.players)
        )
        if most * 60 > 0.9 * memory_at_hand():
            raise TreeTooLargeError(
                f"one sampled traversal may visit {most:.3g} histories, which do not fit in "
                "memory; sample more of the game (external or outcome)"
            )
        size = int(most)
        infosets = len(tree.infosets.owner)
        return kernels.Sparse(
            *(np.zeros(size, np.uint32) for _ in range(3)),
            *(np.zeros(size) for _ in range(5)),
            touched=np.zeros(infosets, np.uint32),
            stamp=np.zeros(infosets, np.int64),
        )

    def begin(self, regrets: Slots, strategy: Slots, average: Slots | None) -> None:
        self._tables.regret[:] = regrets
        self._tables.strategy[:] = strategy
        self._tables.total[:] = 0 if average is None else average

    def learned(self) -> tuple[Slots, Slots]:
        """The average as it was summed up: an infoset that was seldom reached counts for little."""
        return self._tables.regret.astype(np.float64), self._tables.total.astype(np.float64)

    def step(self, schedule: NDArray[np.float64]) -> None:
        if self._sampled is None:
            self._kernels.sweep(
                self._graph, self._tables, self._preference, self._room, schedule, self._alternating
            )
            return
        self._kernels.sample(
            self._graph, self._tables, self._preference, self._room, schedule, self._alternating,
            self._random, self._explore, self._sampled, self._clock,
        )  # fmt: skip
        self._clock += len(schedule)

    def average(self) -> NDArray[np.float64]:
        return self._tree.infosets.to_one(self._tables.total)

    def current(self) -> NDArray[np.float64]:
        return self._tree.infosets.to_one(self._tables.strategy)

    def cce_gaps(self) -> tuple[float, ...] | None:
        return None

    def state(self, alone: bool = True) -> Arrays:
        tables = {name: array.copy() for name, array in self._tables._asdict().items()}
        return {**tables, "random": self._random.copy(), **self._style()}

    def restore(self, state: Saved, strategy: Tables | None = None) -> None:
        for name, array in {**self._tables._asdict(), "random": self._random}.items():
            state.fill(name, array)
