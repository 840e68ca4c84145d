"""CFR by histories in the game in which locks hold: coins before the locked decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from counterfold.arrays import Arrays
from counterfold.errors import UnsupportedError
from counterfold.evaluate.assessment import Assessment
from counterfold.evaluate.sequence import assess_form, workspace
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.engine import Engine, Setup, Slots
from counterfold.solvers.history_engine import HistoryEngine
from counterfold.strategy.layout import Tables
from counterfold.tree.history import HistoryTree
from counterfold.tree.restricted import biased_tree
from counterfold.tree.sequence import SequenceForm, sequence_form


class LockedEngine(HistoryEngine):
    """Any traversal of the graph of ``biased_tree``, for every player that is held to something.

    Its strategies are those of the plain game: what a lock says by its trust, and what the free
    part has learned by the rest.
    """

    name = "history with locks"
    can = (HistoryEngine.can | {"locks"}) - {"warm start"}
    refusal: ClassVar[str] = "a game with locks"
    advice: ClassVar[str] = "leave it out, or the locks"
    falls = False
    locked = True

    def __init__(self, setup: Setup[HistoryTree]) -> None:
        tree, conditions = setup.form, setup.conditions
        assert conditions is not None
        if not sequence_form(tree).perfect_recall:
            raise UnsupportedError(
                f"{tree.spec} has imperfect recall, where nobody can tell what the free part of a "
                "locked player could gain; leave the locks out"
            )
        conditions.check_locks(tree)
        self._held, self._trust = conditions.fields[0]["held"], conditions.fields[0]["trust"]
        self.plain, owner = tree, tree.infosets.owner
        graph = tree
        for player in range(tree.players):
            trust = np.where(owner == player, self._trust, 0.0)
            if trust.any():
                graph = biased_tree(graph, player, self._held, trust)
        style = _without_locks(conditions)
        super().__init__(replace(setup, form=graph, conditions=style if style.fields[0] else None))

    def tables(self, average: bool) -> Tables:
        share = np.repeat(self._trust, self.plain.infosets.sizes)
        return (share * self._held + (1 - share) * super().tables(average)[0],)

    def assess(self, average: bool, look: Callable[[], None] | None = None) -> Assessment:
        """Exact values, and the best that the free part of each player could do."""
        return assess_locked(self.plain, self.tables(average)[0], self._held, self._trust)

    def begin(self, regrets: Slots, strategy: Slots | None, average: Slots | None) -> None:
        if np.any(regrets) or average is not None:
            Engine.begin(self, regrets, strategy, average)
        super().begin(regrets, strategy, average)

    learned = Engine.learned  # which refuses, as begin does

    def state(self, alone: bool = True) -> Arrays:
        return {**super().state(alone), "held": self._held, "trust": self._trust}

    def condition(self, conditions: Conditions) -> None:
        super().condition(_without_locks(conditions))


def assess_locked(tree: HistoryTree, played: Slots, held: Slots, trust: Slots) -> Assessment:
    """Exact values of what is played under locks, and the best that each one's free part could do.

    ``held`` is over the slots of a plain game, and ``trust`` over its infosets.
    """
    form = sequence_form(tree)
    values = assess_form(form, played)[0].values
    best = [_best(form, played, held, trust, player) for player in range(tree.players)]
    return Assessment(values, tuple(best))


def _best(form: SequenceForm, played: Slots, held: Slots, trust: Slots, player: int) -> float:
    """The best reply of a player that follows its locks, from its last decisions to the first.

    An infoset is worth ``trust * (what the lock earns) + (1 - trust) * (the best action)``.
    """
    from counterfold.kernels import sequence as kernels

    worth = workspace(form).gradient
    kernels.gradient(form.form, player, form.reach(form.by_sequence(played)), worth)
    arrays, trust = form.form, trust[form.infosets()]
    held = form.by_sequence(held)
    first, last = int(arrays.groups[player]), int(arrays.groups[player + 1])
    for group in range(last - 1, first - 1, -1):
        lo, hi = int(arrays.infoset[group]), int(arrays.infoset[group + 1])
        begin, end = int(arrays.start[group]), int(arrays.start[group + 1])
        actions = worth[begin:end].reshape(-1, hi - lo)
        copied = (held[begin:end].reshape(-1, hi - lo) * actions).sum(axis=0)
        free = actions.max(axis=0)
        left = trust[lo:hi] * copied + (1 - trust[lo:hi]) * free
        np.add.at(worth, arrays.parent[lo:hi].astype(np.int64), left)
    return float(worth[player])


def _without_locks(conditions: Conditions) -> Conditions:
    fields = conditions.fields[0]
    style = {name: array for name, array in fields.items() if name not in ("held", "trust")}
    return Conditions((style,), conditions.best)
