"""What a profile of strategies earns, and what leaving it would gain."""

from __future__ import annotations

from dataclasses import dataclass, field

from counterfold.evaluate.certificate import Certified
from counterfold.poker.units import Units

__all__ = ["Assessment"]


@dataclass(frozen=True)
class Assessment(Certified):
    """What a profile of strategies earns, and what each player could gain by leaving it."""

    values: tuple[float, ...]
    best: tuple[float, ...]
    units: Units = field(default_factory=Units)

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
