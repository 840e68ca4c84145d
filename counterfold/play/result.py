"""What a match leaves behind: scores, faults, and the curve of win rates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from counterfold.play.score import Score
from counterfold.play.table import Fault

__all__ = ["MatchResult", "Point"]


@dataclass(frozen=True)
class Point:
    """The scores of a match after so many hands."""

    hands: int
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class MatchResult:
    """How a match went."""

    game: str
    agents: tuple[str, ...]
    seed: int
    duplicate: bool
    hands: int
    scores: tuple[Score, ...]
    faults: tuple[int, ...]
    messages: tuple[Fault, ...]
    stopped: str
    compiled: bool
    seconds: float
    cpu_seconds: float
    curve: tuple[Point, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON of ``counterfold match --json``."""
        return {
            "game": self.game,
            "agents": list(self.agents),
            "seed": self.seed,
            "duplicate": self.duplicate,
            "hands": self.hands,
            "scores": [score.to_dict() for score in self.scores],
            "faults": list(self.faults),
            "messages": [
                {"hand": f.hand, "agent": self.agents[f.agent], "message": f.message}
                for f in self.messages
            ],
            "stopped": self.stopped,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "curve": [
                {
                    "hands": point.hands,
                    "mean": [s.plain.mean for s in point.scores],
                    "half": [s.plain.half for s in point.scores],
                    "reduced": [s.reduced and s.reduced.mean for s in point.scores],
                    "reduced_half": [s.reduced and s.reduced.half for s in point.scores],
                }
                for point in self.curve
            ],
        }
