"""What a match leaves behind: scores, faults, and the curve of win rates."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from counterfold.notebook import brief, frame, html_table
from counterfold.play.score import Document, Estimate, Score
from counterfold.play.table import Fault

if TYPE_CHECKING:
    import pandas as pd


Rows = tuple[tuple[str, ...], list[tuple[object, ...]]]


@dataclass(frozen=True)
class Point:
    """The scores of a match after so many hands."""

    hands: int
    scores: tuple[Score, ...]


@dataclass(frozen=True, kw_only=True)
class ArenaResult:
    """What a match and a tournament have in common."""

    game: str
    agents: tuple[str, ...]
    seed: int
    duplicate: bool
    hands: int
    messages: tuple[Fault, ...]
    stopped: str
    seconds: float
    cpu_seconds: float

    def _repr_html_(self) -> str:
        return html_table(f"{self.game}, {self.hands:,} hands, seed {self.seed}", *self._rows())

    def to_pandas(self) -> pd.DataFrame:
        """What each agent won a hand, a row each."""
        return frame(*self._rows())

    def _rows(self) -> Rows:
        """The head of a table of the agents, and its rows."""
        raise NotImplementedError

    def to_dict(self) -> Document:
        names = [field.name for field in fields(ArenaResult)]
        messages = [f._asdict() | {"agent": self.agents[f.agent]} for f in self.messages]
        common = {name: getattr(self, name) for name in names}
        return common | {"agents": list(self.agents), "messages": messages}


@dataclass(frozen=True, kw_only=True)
class MatchResult(ArenaResult):
    """How a match went."""

    scores: tuple[Score, ...]
    faults: tuple[int, ...]
    compiled: bool
    curve: tuple[Point, ...] = field(repr=False)

    def _rows(self) -> Rows:
        rows: list[tuple[object, ...]] = []
        for score, faults in zip(self.scores, self.faults, strict=True):
            reduced = score.reduced or Estimate(math.nan, None)
            both = (score.plain.mean, score.plain.half, reduced.mean, reduced.half)
            rows.append((score.name, score.hands, *both, score.exact, faults))
        head = ("agent", "hands", "mean", "half", "reduced", "reduced_half", "exact", "faults")
        return head, rows

    def __repr__(self) -> str:
        return brief(self, f"of {self.game}: {', '.join(self.agents)}, {self.hands:,} hands")

    def to_dict(self) -> Document:
        """The documented JSON of ``counterfold match --json``."""
        return super().to_dict() | {
            "scores": [score.to_dict() for score in self.scores],
            "faults": list(self.faults),
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
