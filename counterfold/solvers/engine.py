"""The seam between a solver and the tables it learns in: one protocol, an engine a form.

An engine keeps its tables as flat arrays, takes a schedule (see ``methods``), and can hand its
whole state out and take it back, bit for bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Arrays, Floats
from counterfold.errors import ParameterError, UnsupportedError, short
from counterfold.evaluate.assessment import Assessment
from counterfold.evaluate.exact import evaluator_of
from counterfold.files.arrays import Saved
from counterfold.files.text import Fields
from counterfold.poker.game import PokerGame
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.methods import Method
from counterfold.solvers.settings import Settings
from counterfold.strategy.layout import Tables
from counterfold.tree.form import Form
from counterfold.tree.history import HistoryTree
from counterfold.tree.public import PublicTree

Slots = Floats
G = TypeVar("G", bound=Form)
F = TypeVar("F", covariant=True)

FEATURES = {
    "full": "full traversals",
    "chance": "chance-sampled traversals",
    "external": "external-sampled traversals",
    "outcome": "outcome-sampled traversals",
    "public": "traversals of sampled boards",
    "rounds": "rounds of several iterations",
    "pruning": "pruning of actions with very negative regret",
    "prediction": "method that predicts the next regrets",
    "simultaneous": "simultaneous updates",
    "last iterate": "the last iterate instead of the average",
    "float64": "tables in 64 bits",
    "float32": "tables in 32 bits",
    "16 bits": "tables in 16 bits",
    "threads": "several threads",
    "style": "preference and vulnerability degrees",
    "locks": "locks",
    "model": "models of the opponent",
    "warm start": "beginning from what was learned elsewhere",
    "cce gap": "the gap to a coarse correlated equilibrium",
    "exact": "exact exploitability while it runs",
}
"""What engines may be able to do, in words; first the traversals by their names."""
SAMPLING = ("chance", "external", "outcome", "public")
"""The traversals that draw."""
MOST_THREADS = 64
"""That draw, each from a stream of its own."""


@dataclass(frozen=True, eq=False)
class Setup(Generic[F]):
    """What an engine is made from: a compiled game and all that a run is to be."""

    form: F
    method: Method
    settings: Settings
    threads: int | None = None
    conditions: Conditions | None = None

    def needs(self) -> tuple[str, ...]:
        """What the run needs of its engine, of ``FEATURES``.

        >>> from counterfold.solvers.methods import method
        >>> Setup(None, method("pcfr+"), Settings(traversal="external")).needs()
        ('external', 'float64', 'prediction')
        """
        settings = self.settings
        fields = () if self.conditions is None else self.conditions.fields
        wanted = {
            "rounds": settings.per_round is not None,
            "pruning": settings.prune is not None,
            "prediction": self.method.prediction > 0,
            "simultaneous": not settings.alternating,
            "last iterate": not settings.average,
            "16 bits": settings.bits == 16,
            "style": any("delta" in each for each in fields),
            "locks": any("lock" in each or "trust" in each for each in fields),
            "model": any("model" in each for each in fields),
        }
        further = (feature for feature, is_wanted in wanted.items() if is_wanted)
        return settings.traversal, settings.dtype, *further


class Engine(ABC):
    """The tables of a run over a form, and how they learn; what it cannot do is not in ``can``."""

    name: ClassVar[str]
    can: ClassVar[frozenset[str]]
    refusal: ClassVar[str]
    """What it is, as the subject of a sentence on what it has not."""
    checks_cost: ClassVar[bool] = False
    """Does a check take longer than an iteration, so that those that can be done without are?"""
    checks_first: ClassVar[bool] = True
    """Is the first check made whatever it takes, as there is no result without a certificate?"""
    advice: ClassVar[str]
    form: Form
    per_round: int = 1
    """Iterations that share a row of the schedule."""
    first_piece: int = 1
    """Iterations of the first call, in which no signal is heard."""

    @abstractmethod
    def __init__(self, setup: Setup[Any]) -> None:
        """The tables of a run over a form of its kind."""

    @property
    def falls(self) -> bool:
        """Whether theory promises that exploitability falls."""
        return False

    @property
    def weighed(self) -> bool:
        """Whether it needs to know what regrets have been summed with."""
        return True

    @property
    def locked(self) -> bool:
        """Whether a player is held to something."""
        return False

    @property
    def about(self) -> Mapping[str, object]:
        """What its strategies tell of it beside what all solvers do."""
        return {}

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """What a checkpoint takes, about."""

    @abstractmethod
    def step(self, schedule: Floats) -> None:
        """Run one iteration a row; with no rows, only compile or load what is needed."""

    @abstractmethod
    def tables(self, average: bool) -> Tables:
        """The average strategy so far, or that of the next iteration, in the form's layout."""

    def assess(self, average: bool, look: Callable[[], None] | None = None) -> Assessment:
        """Exact values and best responses of it; ``look`` is called on the way, and may raise."""
        return evaluator_of(self.form).assess(self.tables(average))

    @property
    def slots(self) -> int:
        """How many numbers a table of ``begin`` and of ``learned`` has."""
        raise UnsupportedError(f"{self.refusal} begins from nothing, or from its own checkpoint")

    def begin(self, regrets: Slots, strategy: Slots | None, average: Slots | None) -> None:
        """Start from these, over the tree's slots; the average strategy counts as one iteration.

        Without a ``strategy`` the regrets say what is played first.
        """
        raise UnsupportedError(f"{self.refusal} begins from nothing, or from its own checkpoint")

    def learned(self, logs: Floats) -> tuple[Slots, Slots]:
        """Regrets and the average strategy over the tree's slots, as ``begin`` takes them.

        ``logs`` are the running sums of the schedule so far.
        """
        raise UnsupportedError(f"what is learned by {self.refusal} stays there")

    def condition(self, conditions: Conditions) -> None:
        """Follow this style from the next update on."""
        raise UnsupportedError(
            f"{self.refusal} takes a style or a model before the first iteration"
        )

    def cce_gaps(self) -> tuple[float, ...] | None:
        """What each player would have gained by one fixed strategy against the play so far."""
        return None

    def correlated_gaps(self) -> tuple[float, ...] | None:
        """What each player would have gained by leaving the play so far when told its next move."""
        return None

    @abstractmethod
    def state(self, alone: bool = True) -> Arrays:
        """Everything that the next iteration depends on; but for what the average strategy beside
        it tells, unless it is ``alone``."""

    @abstractmethod
    def restore(self, state: Saved, strategy: Tables | None = None) -> None:
        """Take back what ``state`` handed out, alone or with the average strategy beside it."""

    @classmethod
    def conditions_in(
        cls, form: Any, state: Saved, run: Fields, settings: Settings
    ) -> Conditions | None:
        """The conditions that a checkpoint was made under; none by what takes none."""
        return None


def streams_in(state: Saved, threads: int | None, *shape: int) -> NDArray[np.uint64]:
    """The streams of random numbers that threads of a run draw from: one of a shape for each.

    ``threads`` are those that a run is to go on with, if somebody has said.
    """
    random = state.array("random", np.uint64, (None, *shape))
    if not 1 <= len(random) <= MOST_THREADS:
        raise state.damaged("its streams of random numbers are none of a run")
    if threads not in (None, len(random)):
        raise ParameterError(
            f"{state.path} is a run of {len(random)} threads, each with random numbers of its "
            "own: go on with as many"
        )
    return random


Choice = Callable[[Any, Settings], type[Engine]]
_CHOICES: dict[type, Choice] = {}
_ENGINES: dict[type, list[type[Engine]]] = {}


def runs_on(
    form: type[G],
    *kinds: type[Engine],
    choose: Callable[[G, Settings], type[Engine]] | None = None,
) -> None:
    """Have engines of these kinds run on a kind of form; ``choose`` says which, of several."""
    _CHOICES[form] = choose or (lambda form, settings: kinds[0])
    _ENGINES[form] = list(kinds)


def engine_of(form: Form, settings: Settings) -> type[Engine]:
    """The kind of engine that runs a traversal of a form: the fastest that is right."""
    for kind in type(form).__mro__:
        if kind in _CHOICES:
            return _CHOICES[kind](form, settings)
    raise UnsupportedError(f"no engine runs on {short(form)}")


def engine_for(setup: Setup[Form]) -> Engine:
    """The engine of a run, or an error that says what it cannot do."""
    form, conditions = setup.form, setup.conditions
    kind = engine_of(form, setup.settings)
    if conditions is not None and conditions.locked and isinstance(form, HistoryTree):
        from counterfold.solvers.locked_engine import LockedEngine

        kind = LockedEngine
    for feature in setup.needs():
        if feature not in kind.can:
            raise _refusal(kind, feature, kind.advice)
    return kind(setup)


def check_can(
    game: object, features: tuple[str, ...], option: str, traversal: str = "full"
) -> None:
    """Refuse an ``option`` for which no engine of a game has any of these features.

    Nothing is compiled for that.

    >>> import counterfold as cf
    >>> check_can(cf.Kuhn(), SAMPLING, "--seed")
    >>> check_can(cf.fhp(), ("style",), "--prefer")
    """
    from counterfold.solvers import public_engine, sequence_engine  # noqa: F401  (they register)

    form = PublicTree if isinstance(game, PokerGame | PublicTree) else HistoryTree
    kinds = [kind for kind in _ENGINES[form] if traversal in kind.can] or _ENGINES[form]
    if not any(feature in kind.can for kind in kinds for feature in features):
        raise _refusal(kinds[0], features[0], f"leave out {option}")


def _refusal(kind: type[Engine], feature: str, advice: str) -> UnsupportedError:
    others = [other.name for other in _kinds() if feature in other.can]
    have = f" ({' and '.join(others)} ha{'ve' if len(others) > 1 else 's'})" if others else ""
    return UnsupportedError(f"{kind.refusal} has no {FEATURES[feature]}{have}; {advice}")


def _kinds() -> list[type[Engine]]:
    """All kinds of engines that have been imported."""
    return [kind for kinds in _ENGINES.values() for kind in kinds]


def can_table() -> list[tuple[str, dict[str, bool]]]:
    """What each kind of engine can do that has been imported, by name."""
    kinds = sorted(_kinds(), key=lambda kind: kind.name)
    return [(kind.name, {feature: feature in kind.can for feature in FEATURES}) for kind in kinds]
