"""95% intervals: of a mean, from its standard error, and of a share."""

from __future__ import annotations

import math

Z95 = 1.959963984540054
"""Half the width of a 95% interval in standard errors."""


class Erring:
    """What is known with a standard error."""

    error: float

    @property
    def half(self) -> float:
        """Half of the 95% interval."""
        return Z95 * self.error


def wilson(share: float, count: int) -> tuple[float, float]:
    """Wilson's interval of a share of so many.

    >>> low, high = wilson(0.6, 100)
    >>> round(low, 3), round(high, 3)
    (0.502, 0.691)
    """
    width = Z95 * Z95 / count
    spread = Z95 * math.sqrt(share * (1 - share) / count + width / (4 * count))
    middle = share + width / 2
    return (middle - spread) / (1 + width), (middle + spread) / (1 + width)
