"""Strategies that see less, measured in the game where everything is seen."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from counterfold.errors import UnsupportedError
from counterfold.evaluate.assessment import Assessment, Evaluator
from counterfold.strategy.layout import Tables


class LiftedEvaluator(Evaluator):
    """Measures strategies of an abstract form by an evaluator of the full one."""

    fully: ClassVar[str]
    """What a strategy of the full game sees, and this one does not."""

    def __init__(self, form: object) -> None:
        self.form = form

    def measure(self) -> Evaluator:
        """The evaluator of the full game."""
        raise NotImplementedError

    @cached_property
    def full(self) -> Evaluator:
        return self.measure()

    def lift(self, tables: Tables) -> Tables:
        """The same strategy in the full game."""
        raise NotImplementedError

    def assess(self, tables: Tables) -> Assessment:
        return self.full.assess(self.lift(tables))

    def values(self, tables: Tables) -> tuple[float, ...]:
        return self.full.values(self.lift(tables))

    def value(self, tables: Tables, player: int) -> float:
        return self.full.value(self.lift(tables), player)

    def best_value(self, tables: Tables, player: int) -> float:
        return self.full.best_value(self.lift(tables), player)

    def best_response(self, tables: Tables, player: int) -> tuple[float, Tables]:
        raise UnsupportedError(f"a best response plays {self.fully}: write the strategy so first")
