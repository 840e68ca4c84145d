"""The verbs of research are called as all others are."""

from tests.cli.conftest import call, shell, start

__all__ = ["call", "shell", "start"]
