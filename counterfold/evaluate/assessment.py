"""What a profile of strategies earns, and what leaving it would gain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from counterfold.evaluate.certificate import Certified
from counterfold.notebook import brief
from counterfold.poker.units import Units
from counterfold.strategy.layout import Tables

PLAIN = Units()
"""Of a game without any."""


@dataclass(frozen=True)
class Assessment(Certified):
    """What a profile of strategies earns, and what each player could gain by leaving it."""

    values: tuple[float, ...]
    best: tuple[float, ...]
    units: Units = PLAIN

    def __repr__(self) -> str:
        values = ", ".join(f"{value:.6g}" for value in self.values)
        return brief(self, f"of exploitability {self.exploitability:.3g}: values {values}")

    @property
    def gains(self) -> tuple[float, ...]:
        """NashConv by player: the best response's value less the strategy's."""
        return tuple(max(b - v, 0.0) for b, v in zip(self.best, self.values, strict=True))

    @property
    def exploitability(self) -> float:
        """The mean of the gains."""
        return sum(self.gains) / len(self.gains)

    @property
    def percent_of_pot(self) -> float | None:
        """Exploitability as a share of the pot that the game begins with, if it has one."""
        return self.units.percent_of_pot(self.exploitability)

    @property
    def mbb(self) -> float | None:
        """Exploitability in thousandths of a big blind a hand, if there is one."""
        return self.units.mbb(self.exploitability)


class Evaluator(ABC):
    """Measures strategies of one compiled game, given as the tables of its layout."""

    @abstractmethod
    def assess(self, tables: Tables) -> Assessment:
        """Values and best-response values of all players."""

    @abstractmethod
    def best_response(self, tables: Tables, player: int) -> tuple[float, Tables]:
        """What a best response of a player earns, and the tables in which that player plays it."""

    def value(self, tables: Tables, player: int) -> float:
        """What one player earns."""
        return self.assess(tables).values[player]

    def values(self, tables: Tables) -> tuple[float, ...]:
        """What each player earns."""
        return self.assess(tables).values

    def best_value(self, tables: Tables, player: int) -> float:
        """What a best response of a player earns against the others."""
        return self.assess(tables).best[player]
