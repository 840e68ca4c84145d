"""Where strategies stand on a frontier: how often they do a thing, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass

from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import assess
from counterfold.strategy.strategy import Strategy
from counterfold.style.frontier import Frontier
from counterfold.tree.history import HistoryTree


@dataclass(frozen=True)
class Standing(Certified):
    """A strategy on a frontier: its cost to its player, its frequency, the limits at that cost."""

    name: str
    cost: float
    frequency: float
    low: float
    high: float


@dataclass(frozen=True)
class Standings:
    """A frontier with the strategies on it, and the same frontier in finer steps for a picture."""

    frontier: Frontier
    curve: Frontier | None
    strategies: tuple[Standing, ...]

    def to_dict(self) -> dict[str, object]:
        """The documented JSON of ``counterfold style --frontier --json``."""
        return {
            "frequency": str(self.frontier.frequency),
            "value": self.frontier.value,
            "points": [
                {"epsilon": point.epsilon, "low": point.low, "high": point.high}
                for point in self.frontier.points
            ],
            "strategies": [vars(one) for one in self.strategies],
        }


def cost_of(frontier: Frontier, strategy: Strategy[HistoryTree], player: int) -> float:
    """What the player's strategy guarantees less than the game's value."""
    worst = assess(strategy).best[1 - player]
    total = strategy.tree.constant_sum or 0.0
    value = frontier.value if player == 0 else total - frontier.value
    return max(value - (total - worst), 0.0)
