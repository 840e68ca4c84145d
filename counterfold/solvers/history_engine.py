"""Any traversal of any history graph, and what engines over infosets have in common."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from counterfold.arrays import Array, Arrays, Floats
from counterfold.errors import TreeTooLargeError
from counterfold.files.arrays import Saved
from counterfold.files.text import Fields
from counterfold.solvers.conditions import Conditions, plain
from counterfold.solvers.engine import Engine, Setup, Slots
from counterfold.solvers.settings import Settings
from counterfold.strategy.layout import Tables
from counterfold.tree.graph import graph_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.memory import memory_at_hand
from counterfold.tree.sequence import sequence_form

# Which of the other players and the updating player itself a traversal samples.
SAMPLED = {"chance": (False, False), "external": (True, False), "outcome": (True, True)}


class InfosetEngine(Engine):
    """Tables over the slots of a history graph's infosets."""

    first_piece = 16
    refusal: ClassVar[str] = "a game by its histories"
    advice: ClassVar[str] = "leave it out here"

    def __init__(self, setup: Setup[HistoryTree]) -> None:
        self.form: HistoryTree = setup.form
        self.dtype = np.dtype(setup.settings.dtype)
        self.alternating = setup.settings.alternating
        self.conditions: Conditions | None = None
        self._preference = plain(self.dtype)
        if setup.conditions is not None:
            self.condition(setup.conditions)

    @property
    def slots(self) -> int:
        return self.form.infosets.slots

    def begin_from_nothing(self) -> None:
        """No regrets, and what the rule plays without any."""
        tree, conditions = self.form, self.conditions
        strategy = tree.infosets.evenly() if conditions is None else conditions.fallback(tree)
        self.begin(np.zeros(tree.infosets.slots), strategy, None)

    def _match(self, regrets: Slots) -> Slots:
        """What the rule draws from regrets."""
        infosets = self.form.infosets
        plain = np.ones(infosets.slots), np.zeros(len(infosets.owner))
        return (self.conditions or Conditions.by_infosets(*plain)).match(self.form, regrets)

    def condition(self, conditions: Conditions) -> None:
        conditions.check(self.form)
        self.conditions = conditions
        self._preference = conditions.preference(self.form, *self._places(), self.dtype)

    def _places(self) -> tuple[Array, Array]:
        """The slots and the infosets of the tree in the order of the kernel's."""
        infosets = self.form.infosets
        return np.arange(infosets.slots), np.arange(len(infosets.owner))

    @property
    def weighed(self) -> bool:
        """A style alone needs to know what regrets have been summed with."""
        return self.conditions is not None

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

    def _changing(self) -> Arrays:
        """The arrays that iterations change."""
        raise NotImplementedError

    def state(self, alone: bool = True) -> Arrays:
        style = {} if self.conditions is None else self.conditions.fields[0]
        return {**{name: array.copy() for name, array in self._changing().items()}, **style}

    def restore(self, state: Saved, strategy: Tables | None = None) -> None:
        for name, array in self._changing().items():
            state.fill(name, array)

    @classmethod
    def conditions_in(
        cls, form: HistoryTree, state: Saved, run: Fields, settings: Settings
    ) -> Conditions | None:
        slots, infosets = (form.infosets.slots,), form.infosets.owner.shape
        fields: Arrays = {}
        if "delta" in state and "beta" in state:
            fields["delta"] = state.array("delta", np.float64, slots, least=1)
            fields["beta"] = state.array("beta", np.float64, infosets, least=0)
        if "held" in state and "trust" in state:
            fields["held"] = state.array("held", np.float64, slots, least=0, most=1)
            fields["trust"] = state.array("trust", np.float64, infosets, least=0, most=1)
        return Conditions((fields,), run.flag("best", False)) if fields else None


class HistoryEngine(InfosetEngine):
    """Any traversal of any history graph."""

    name = "history"
    can = frozenset(
        {"full", "chance", "external", "outcome", "prediction", "simultaneous", "last iterate"}
        | {"float64", "float32", "style", "warm start", "exact"}
    )

    def __init__(self, setup: Setup[HistoryTree]) -> None:
        from counterfold.kernels import history as kernels

        super().__init__(setup)
        self._kernels = kernels
        self._explore = setup.settings.explore
        self._graph = graph_of(self.form)
        slots, infosets = self.form.infosets.slots, len(self.form.infosets.owner)
        tables = (np.zeros(slots, self.dtype) for _ in range(4))
        self._tables = kernels.Tables._make([*tables, np.zeros((infosets, 3))])
        self.begin_from_nothing()
        self._random = np.array([setup.settings.seed], dtype=np.uint64)
        self._clock = 0
        self._sampled = SAMPLED.get(setup.settings.traversal)
        self._scratch = self._dense() if self._sampled is None else self._sparse(self._sampled)

    def _dense(self) -> object:
        return self._kernels.Dense(*(np.zeros(self.form.histories, self.dtype) for _ in range(3)))

    def _sparse(self, sampled: tuple[bool, bool]) -> object:
        """What one sampled traversal works in."""
        tree, counts = self.form, np.zeros(self.form.histories)
        most = max(
            self._kernels.most_visits(tree.turn, tree.first, tree.child, player, sampled, counts)
            for player in range(tree.players)
        )
        if most * 60 > 0.9 * memory_at_hand():
            raise TreeTooLargeError(
                f"one sampled traversal may visit {most:.3g} histories, which do not fit in "
                "memory; sample more of the game (external or outcome)"
            )
        size, infosets = int(most), len(tree.infosets.owner)
        places, numbers = np.zeros((3, size), np.uint32), np.zeros((5, size))
        touched, stamps = np.zeros(infosets, np.uint32), np.zeros(infosets, np.int64)
        return self._kernels.Sparse._make([*places, *numbers, touched, stamps])

    def begin(self, regrets: Slots, strategy: Slots | None, average: Slots | None) -> None:
        self._tables.regret[:] = regrets
        self._tables.strategy[:] = self._match(regrets) if strategy is None else strategy
        self._tables.total[:] = 0 if average is None else average

    def learned(self, logs: Floats) -> tuple[Slots, Slots]:
        """The average as it was summed up: an infoset that was seldom reached counts for little."""
        return self._tables.regret.astype(np.float64), self._tables.total.astype(np.float64)

    def step(self, schedule: Floats) -> None:
        work = (
            self._graph, self._tables, self._preference, self._scratch, schedule, self.alternating
        )  # fmt: skip
        if self._sampled is None:
            self._kernels.sweep(*work)
            return
        sampling = self._kernels.Sampling(self._random, self._explore, *self._sampled)
        self._kernels.sample(*work, sampling, self._clock)
        self._clock += len(schedule)

    def average(self) -> Slots:
        return self.form.infosets.to_one(self._tables.total)

    def current(self) -> Slots:
        return self.form.infosets.to_one(self._tables.strategy)

    def _changing(self) -> Arrays:
        return {**self._tables._asdict(), "random": self._random}
