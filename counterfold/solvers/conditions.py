"""What a run is held to beside the rules: a style, locks, a model of the opponent, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike

from counterfold.arrays import Array, Floats
from counterfold.errors import ParameterError
from counterfold.notebook import brief
from counterfold.poker.game import PokerGame
from counterfold.tree.history import Infosets

if TYPE_CHECKING:
    from counterfold.kernels.rule import Preference
    from counterfold.tree.form import Form

Fields = Mapping[str, Array]


class ByInfosets(Protocol):
    """A form whose strategies lie infoset by infoset."""

    @property
    def spec(self) -> str: ...

    @property
    def infosets(self) -> Infosets: ...


@dataclass(frozen=True, eq=False)
class Conditions:
    """Arrays for each table of a form's strategies, by name.

    A style has preference degrees ``delta`` >= 1 and vulnerability degrees ``beta`` >= 0. By
    infosets they are over the slots and over the infosets; for all hands of a public tree they
    are by hand (``style.by_hand``), and locks and models have fields beside them
    (``kernels.public.Extra``). Locks at infosets are probabilities ``held`` over the slots and
    ``trust`` over the infosets.

    ``best`` plays the heaviest action alone, Pref-CFR(BR), instead of all by their weight,
    Pref-CFR(RM). Where no average regret exceeds beta, delta decides alone: in proportion to it,
    or with ``best`` by the most preferred actions evenly.
    """

    fields: tuple[Fields, ...]
    best: bool = False

    def __repr__(self) -> str:
        names = dict.fromkeys(name for fields in self.fields for name in fields)
        return brief(self, f"on {', '.join(names) or 'nothing'}")

    @classmethod
    def by_infosets(cls, delta: Floats, beta: Floats, best: bool = False) -> Conditions:
        """A style over the slots and infosets of a history graph."""
        return cls(({"delta": delta, "beta": beta},), best)

    @property
    def locked(self) -> bool:
        """Whether a player is held to something at infosets."""
        return any("trust" in each and "held" in each for each in self.fields)

    def check_locks(self, tree: ByInfosets) -> None:
        """Raise ParameterError unless the arrays of locks fit a game and mean something."""
        held, trust = self.fields[0]["held"], self.fields[0]["trust"]
        infosets = tree.infosets
        if held.shape != (infosets.slots,) or trust.shape != infosets.owner.shape:
            raise ParameterError(f"the locks' arrays do not fit {tree.spec}")
        sums = np.add.reduceat(held, infosets.start[:-1].astype(np.int64))
        if not (held >= 0).all() or not np.allclose(sums, 1.0, atol=1e-9):
            raise ParameterError("what locks hold to are probabilities that add up to one")
        if not ((trust >= 0) & (trust <= 1)).all():
            raise ParameterError("the trust of a lock is from 0 to 1")

    def __or__(self, other: Conditions) -> Conditions:
        """Both: where they speak of the same field, the other one counts."""
        pairs = zip(self.fields, other.fields, strict=True)
        return Conditions(
            tuple({**mine, **theirs} for mine, theirs in pairs), self.best or other.best
        )

    @property
    def delta(self) -> Floats:
        return self.fields[0]["delta"]

    @property
    def beta(self) -> Floats:
        return self.fields[0]["beta"]

    def check(self, tree: ByInfosets) -> None:
        """Raise ParameterError unless the arrays of a style fit a game and mean something."""
        infosets = tree.infosets
        if len(self.fields) != 1 or self.fields[0].keys() != {"delta", "beta"}:
            raise ParameterError(f"the style's arrays do not fit {tree.spec}")
        if self.delta.shape != (infosets.slots,) or self.beta.shape != infosets.owner.shape:
            raise ParameterError(f"the style's arrays do not fit {tree.spec}")
        if not np.isfinite(self.delta).all() or (self.delta < 1).any():
            raise ParameterError("preference degrees (delta) must be numbers from 1 up")
        if not np.isfinite(self.beta).all() or (self.beta < 0).any():
            raise ParameterError("vulnerability degrees (beta) must be numbers from 0 up")

    def fallback(self, tree: ByInfosets) -> Floats:
        """What is played where no regret counts, over the slots."""
        if not self.best or not len(self.delta):
            return tree.infosets.to_one(self.delta)
        most = np.maximum.reduceat(self.delta, tree.infosets.start[:-1].astype(np.int64))
        return tree.infosets.to_one((self.delta == np.repeat(most, tree.infosets.sizes)) * 1.0)

    def match(self, tree: ByInfosets, regrets: Floats) -> Floats:
        """The strategy that the rule draws from average regrets, over the slots."""
        sizes = tree.infosets.sizes
        weights = self.delta * np.maximum(regrets - np.repeat(self.beta, sizes), 0.0)
        start = tree.infosets.start[:-1].astype(np.int64)
        if self.best and len(weights):
            most = np.repeat(np.maximum.reduceat(weights, start), sizes)
            heaviest = (weights == most) & (weights > 0)
            before = np.cumsum(heaviest) - heaviest
            first = before == np.repeat(before[start], sizes)  # of several, the first
            weights = (heaviest & first) * 1.0
        sums = np.repeat(np.add.reduceat(weights, start), sizes) if len(weights) else weights
        return np.where(sums > 0, tree.infosets.to_one(weights), self.fallback(tree))

    def preference(
        self, tree: ByInfosets, slot: Array, infoset: Array, dtype: DTypeLike
    ) -> Preference:
        """The arrays of a kernel whose actions and infosets are these of the tree."""
        from counterfold.kernels.rule import Preference

        return Preference(
            self.delta[slot].astype(dtype),
            self.fallback(tree)[slot].astype(dtype),
            self.beta[infoset].astype(dtype),
        )


class Condition(Protocol):
    """A style or a set of locks: it knows its own arrays on any form."""

    def on(self, form: Form) -> Conditions:
        """The arrays for a compiled game."""


@runtime_checkable
class SuitCondition(Protocol):
    """A condition of poker that knows whether it tells suits apart."""

    def symmetric(self, game: PokerGame) -> bool:
        """Whether it treats hands and boards alike that differ only in suits."""


def symmetry_under(game: object, symmetry: bool | None, *given: object) -> bool | None:
    """Whether suits may be one: as is asked for, unless a condition tells them apart."""
    if isinstance(game, PokerGame):
        for one in given:
            if isinstance(one, SuitCondition) and not one.symmetric(game):
                return False
    return symmetry


def conditions_on(form: Form, *given: Condition | Conditions | None) -> Conditions | None:
    """All conditions of a run on a form as one; None where there are none."""
    total: Conditions | None = None
    for one in given:
        if one is None:
            continue
        made = one if isinstance(one, Conditions) else one.on(form)
        total = made if total is None else total | made
    return total


def plain(dtype: DTypeLike) -> Preference:
    """No style: the empty arrays that kernels take for it."""
    from counterfold.kernels.rule import Preference

    return Preference(*(np.zeros(0, dtype) for _ in range(3)))
