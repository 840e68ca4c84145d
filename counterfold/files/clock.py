"""When long work is saved: on a clock, at a cost that stays small."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["EVERY", "SHARE", "Clock"]

EVERY = 60.0
"""Seconds between two saves."""
SHARE = 20
"""Saving may take one part in so many of the time: a save of 5 s comes every 100 s at most."""


class Clock:
    """Tells when the next save is due.

    >>> clock = Clock(every=0.0)
    >>> clock.due()
    True
    >>> with clock.saving():
    ...     pass
    """

    def __init__(self, every: float = EVERY) -> None:
        self.every = every
        self._last = time.monotonic()
        self._cost = 0.0

    def due(self) -> bool:
        """Has enough time passed since the last save?"""
        return time.monotonic() - self._last >= max(self.every, SHARE * self._cost)

    @contextmanager
    def saving(self) -> Iterator[None]:
        """The save itself, which is timed."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._last = time.monotonic()
            self._cost = self._last - began
