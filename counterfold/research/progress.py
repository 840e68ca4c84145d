"""How far an experiment has come."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[..., None]
"""Called with what is done, of how much, and, if there are any, words on where things stand."""


def no_progress(*_: object) -> None:
    """For those who do not want to know."""


class Count:
    """Progress of several parts, in the CPU seconds that they are expected to take."""

    def __init__(self, on_progress: Progress) -> None:
        self.done, self.total, self.words = 0.0, 1e-9, ""
        self._on_progress = on_progress

    def expect(self, seconds: float) -> None:
        """So much more is to be done."""
        self.total += seconds

    def add(self, seconds: float, words: str) -> None:
        """So much is done."""
        self.done += seconds
        self.say(words)

    def spare(self, seconds: float, words: str) -> None:
        """So much need not be done: it was kept. It says nothing of how fast things go."""
        self.total -= seconds
        self.say(words)

    def say(self, words: str) -> None:
        """Tell what is being done."""
        self.words = words
        self.check()

    def check(self, more: float = 0.0) -> None:
        """Let somebody stop it here; ``more`` is done of what will be added."""
        self._on_progress(self.done + more, self.total, self.words)
