"""Where strategies stand on a frontier: how often they do a thing, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import assess
from counterfold.strategy.strategy import Strategy
from counterfold.style.frontier import Frontier

__all__ = ["Edge", "Spot", "cost_of"]


@dataclass(frozen=True)
class Spot(Certified):
    """Where a strategy stands on a frontier: what it costs its player, and its frequency."""

    name: str
    cost: float
    frequency: float
    low: float
    high: float


@dataclass(frozen=True)
class Edge:
    """A frontier with the strategies on it."""

    found: Frontier
    curve: Frontier | None
    spots: tuple[Spot, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "frequency": str(self.found.frequency),
            "value": self.found.value,
            "points": [
                {"epsilon": point.epsilon, "low": point.low, "high": point.high}
                for point in self.found.points
            ],
            "strategies": [vars(spot) for spot in self.spots],
        }


def cost_of(found: Frontier, strategy: Strategy, player: int) -> float:
    """What the player's strategy guarantees less than the game's value."""
    worst = assess(strategy).best[1 - player]
    total = strategy.tree.constant_sum or 0.0
    value = found.value if player == 0 else total - found.value
    return max(value - (total - worst), 0.0)


# Words
