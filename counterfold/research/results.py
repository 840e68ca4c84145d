"""What an experiment hands back: frozen dataclasses whose fields are the keys of their JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from counterfold.arrays import Floats
from counterfold.files.text import Json
from counterfold.intervals import Z95
from counterfold.play.score import Estimate


class Result:
    """A dataclass whose JSON has its fields.

    Before them stand keys that are the same in every result of its class, after them the
    properties that ``also`` names; fields ``without`` which it does are left out.

    >>> @dataclass
    ... class Square(Result, paper="euclid", also=("area",)):
    ...     side: float
    ...
    ...     @property
    ...     def area(self) -> float:
    ...         return self.side**2
    >>> Square(3.0).to_dict()
    {'paper': 'euclid', 'side': 3.0, 'area': 9.0}
    """

    _head: ClassVar[Json] = {}
    _also: ClassVar[tuple[str, ...]] = ()
    _without: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(
        cls, also: tuple[str, ...] = (), without: tuple[str, ...] = (), **head: object
    ) -> None:
        cls._head, cls._also = cls._head | head, (*cls._also, *also)
        cls._without = (*cls._without, *without)

    def to_dict(self) -> Json:
        """The documented JSON."""
        assert is_dataclass(self)
        own = [one.name for one in fields(self) if one.name not in self._without]
        names = [*own, *self._also]
        return {**self._head, **{name: plain(getattr(self, name)) for name in names}}


def plain(value: object) -> object:
    """A value as JSON has it, which knows no infinity.

    >>> plain({"pair": (1, math.inf), "row": np.arange(2)})
    {'pair': [1, None], 'row': [0, 1]}
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Finding(NamedTuple):
    """A claim of a paper, whether it holds here, and what was measured.

    ``holds`` is None where the settings are not the paper's: then nothing is compared.
    """

    claim: str
    holds: bool | None
    measured: str


def estimate(numbers: Floats) -> Estimate:
    """The mean of several runs; its 95% interval comes from the spread between them."""
    half = Z95 * float(numbers.std(ddof=1)) / len(numbers) ** 0.5 if len(numbers) > 1 else None
    return Estimate(float(numbers.mean()), half)


@dataclass(frozen=True)
class Sampled:
    """Several runs, looked at here and there: ``numbers[run, mark]``."""

    marks: tuple[int, ...]
    numbers: Floats = field(repr=False)

    @property
    def means(self) -> Floats:
        """The mean of all runs at each mark."""
        found: Floats = self.numbers.mean(axis=0)
        return found

    @property
    def band(self) -> tuple[Floats, Floats]:
        """What 90% of the runs lie between."""
        low, high = np.quantile(self.numbers, (0.05, 0.95), axis=0)
        return low, high

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The mean at each mark, with its interval."""
        return tuple(estimate(self.numbers[:, mark]) for mark in range(len(self.marks)))

    def at(self, mark: int) -> float:
        """The mean at a mark."""
        return float(self.means[self.marks.index(mark)])
