"""What every certificate has in common: its numbers are numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import ClassVar

from counterfold.errors import NumericError


class Certified:
    """The parent of results that tell values: none can be made with NaN or infinity in it.

    Only fields that are named in ``infinite`` may say that there is no bound.

    >>> from counterfold.evaluate.exact import Assessment
    >>> Assessment(values=(math.nan, 0.0), best=(1.0, 1.0))
    Traceback (most recent call last):
        ...
    counterfold.errors.NumericError: no certificate: values came out as nan, which happens where \
payoffs or weights are too large, too small or too far apart for floating point; bring them \
nearer to 1, or use float64
    """

    infinite: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            wrong = _not_finite(getattr(self, field.name))
            if wrong is not None and not (field.name in self.infinite and wrong == math.inf):
                raise NumericError(
                    f"no certificate: {field.name.replace('_', ' ')} came out as {wrong}, which "
                    "happens where payoffs or weights are too large, too small or too far apart "
                    "for floating point; bring them nearer to 1, or use float64"
                )


def _not_finite(value: object) -> float | None:
    """The first number in a value, or in what it holds, that is not finite."""
    if isinstance(value, float):  # numpy's double is one
        return None if math.isfinite(value) else float(value)
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        return next((found for found in map(_not_finite, value) if found is not None), None)
    return None
