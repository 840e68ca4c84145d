"""The seam between a solver and the tables it learns in: one protocol, an engine a form.

An engine keeps its tables as flat arrays, takes a schedule (see ``methods``), and can hand its
whole state out and take it back, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import UnsupportedError
from counterfold.evaluate.assessment import Assessment
from counterfold.files.arrays import Saved
from counterfold.files.text import Fields
from counterfold.poker.game import PokerGame
from counterfold.solve.conditions import Conditions
from counterfold.solve.methods import Method
from counterfold.solve.settings import Settings
from counterfold.strategy.layout import Tables
from counterfold.tree.history import HistoryTree
from counterfold.tree.public import PublicTree
from counterfold.tree.sequence import sequence_form

__all__ = ["FEATURES", "Arrays", "Engine", "can_table", "check_can", "engine_for", "engine_of"]

Arrays = dict[str, NDArray[Any]]
Slots = NDArray[np.float64]

FEATURES = {
    "sampling": "chance-, external- and outcome-sampled traversals",
    "prediction": "methods that predict",
    "simultaneous": "simultaneous updates",
    "last iterate": "the last iterate instead of the average",
    "float32": "tables in 32 bits",
    "16 bits": "tables in 16 bits",
    "threads": "several threads",
    "style": "preference and vulnerability degrees",
    "locks": "locks and models of the opponent",
    "warm start": "beginning from what was learned elsewhere",
    "cce gap": "the gap to a coarse correlated equilibrium",
    "exact": "exact exploitability while it runs",
}
"""What engines may be able to do, in words."""


class Engine(Protocol):
    """What a solver needs of an engine."""

    name: ClassVar[str]
    can: ClassVar[frozenset[str]]
    form: Any
    falls: bool
    """Whether theory promises that exploitability falls."""
    weighed: bool
    """Whether it needs to know what regrets have been summed with."""
    first_piece: int
    """Iterations of the first call, in which no signal is heard."""

    @property
    def nbytes(self) -> int:
        """What a checkpoint takes, about."""

    def step(self, schedule: NDArray[np.float64]) -> None:
        """Run one iteration a row; with no rows, only compile or load what is needed."""

    def tables(self, average: bool) -> Tables:
        """The average strategy so far, or that of the next iteration, in the form's layout."""

    def assess(self, average: bool, look: Callable[[], None] | None = None) -> Assessment:
        """Exact values and best responses of it; ``look`` is called on the way, and may raise."""

    def begin(self, regrets: Slots, strategy: Slots, average: Slots | None) -> None:
        """Start from these, over the tree's slots; the average strategy counts as one iteration."""

    def learned(self) -> tuple[Slots, Slots]:
        """Regrets and the average strategy over the tree's slots, as ``begin`` takes them."""

    def condition(self, conditions: Conditions) -> None:
        """Follow this style from the next update on."""

    def cce_gaps(self) -> tuple[float, ...] | None:
        """What each player would have gained by one fixed strategy against the play so far."""

    def state(self, alone: bool = True) -> Arrays:
        """Everything that the next iteration depends on; but for what the average strategy beside
        it tells, unless it is ``alone``."""

    def restore(self, state: Saved, strategy: Tables | None = None) -> None:
        """Take back what ``state`` handed out, alone or with the average strategy beside it."""

    @classmethod
    def conditions_in(
        cls, form: Any, state: Saved, run: Fields, settings: Settings
    ) -> Conditions | None:
        """The conditions that a checkpoint was made under."""


def engine_of(form: Any, settings: Settings) -> type[Any]:
    """The kind of engine that runs a traversal of a form: the fastest that is right."""
    sequence, history, _, public = _kinds()
    if not isinstance(form, HistoryTree):
        return public
    by_sequences = settings.traversal == "full" and settings.form != "history"
    if by_sequences and sequence_form(form).perfect_recall:
        return sequence
    return history


def engine_for(
    form: Any,
    method: Method,
    settings: Settings,
    threads: int | None = None,
    conditions: Conditions | None = None,
) -> Engine:
    """The engine of a run, or an error that says what it cannot do."""
    kind = engine_of(form, settings)
    if conditions is not None and conditions.locked and isinstance(form, HistoryTree):
        from counterfold.solve.locked_engine import LockedEngine

        kind = LockedEngine
    asked = {
        "sampling": settings.traversal != "full",
        "prediction": method.prediction > 0,
        "simultaneous": not settings.alternating,
        "last iterate": not settings.average,
        "float32": settings.dtype == "float32",
        "16 bits": settings.bits == 16,
        "style": conditions is not None and any("delta" in each for each in conditions.fields),
        "locks": conditions is not None
        and any(name in each for each in conditions.fields for name in ("lock", "model", "trust")),
    }
    for feature, wanted in asked.items():
        if wanted and feature not in kind.can:
            raise _refusal(kind, feature, kind.advice)
    engine: Engine = kind(form, method, settings, threads, conditions)
    return engine


def check_can(game: Any, feature: str, option: str, traversal: str = "full") -> None:
    """Refuse what no engine of a game can do, before anything is compiled; it came as ``option``.

    >>> import counterfold as cf
    >>> check_can(cf.Kuhn(), "sampling", "traversal")
    >>> check_can(cf.fhp(), "style", "style")
    """
    sequence, history, locked, public = _kinds()
    kinds = [sequence, history, locked] if traversal == "full" else [history]
    if isinstance(game, PokerGame | PublicTree):
        kinds = [public]
    if not any(feature in kind.can for kind in kinds):
        raise _refusal(kinds[0], feature, f"leave out {option}")


def _refusal(kind: type[Any], feature: str, advice: str) -> UnsupportedError:
    others = [other.name for other in _kinds() if feature in other.can]
    have = f" ({' and '.join(others)} ha{'ve' if len(others) > 1 else 's'})" if others else ""
    return UnsupportedError(f"{kind.refusal} has no {FEATURES[feature]}{have}; {advice}")


def _kinds() -> tuple[type[Any], type[Any], type[Any], type[Any]]:
    from counterfold.solve.history_engine import HistoryEngine
    from counterfold.solve.locked_engine import LockedEngine
    from counterfold.solve.public_engine import PublicEngine
    from counterfold.solve.sequence_engine import SequenceEngine

    return SequenceEngine, HistoryEngine, LockedEngine, PublicEngine


def can_table() -> list[tuple[str, dict[str, bool]]]:
    """What each engine can do, for the docs."""
    return [
        (kind.name, {feature: feature in kind.can for feature in FEATURES}) for kind in _kinds()
    ]
