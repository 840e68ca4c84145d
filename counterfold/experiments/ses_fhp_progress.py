"""How far a long figure has come, counted in CPU seconds that its parts are expected to take."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Count", "Progress"]

Progress = Callable[..., None]
"""Called with what is done, of what, and where things stand in words."""


class Count:
    """Progress, whoever makes it."""

    def __init__(self, told: Progress | None) -> None:
        self.done, self.total, self.told, self.words = 0.0, 1e-9, told, ""

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
        if self.told:
            self.told(self.done + more, self.total, self.words)
