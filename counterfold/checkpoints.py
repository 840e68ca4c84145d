"""When long work is saved: once a minute, unless that would cost more than a twentieth of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from counterfold import interrupts

SECONDS = 60.0
"""Between two checkpoints."""

SHARE = 0.05
"""Of the time, at most, is spent on them."""


class Checkpoints:
    """A clock for ``save``; without it nothing is ever due.

    >>> saved = []
    >>> clock = Checkpoints(lambda: saved.append("now"), seconds=0)
    >>> clock.look()
    >>> saved
    ['now']
    """

    def __init__(self, save: Callable[[], None] | None, seconds: float | None = None) -> None:
        self._save, self._seconds = save, SECONDS if seconds is None else seconds
        self.cost = 0.0  # seconds of the last one
        self._last = time.monotonic()

    @property
    def saves(self) -> bool:
        """Is there anything that could be due?"""
        return self._save is not None

    @property
    def due(self) -> bool:
        """Is it time for the next?"""
        wait = max(self._seconds, self.cost / SHARE)
        return self._save is not None and time.monotonic() - self._last >= wait

    def save(self) -> None:
        """Save now, and not again for a while. A signal waits until it is done."""
        if self._save is None:
            return
        began = time.monotonic()
        with interrupts.uncut():
            self._save()
        self._last = time.monotonic()
        self.cost = self._last - began

    def look(self) -> None:
        """Save if it is time to."""
        if self.due:
            self.save()
