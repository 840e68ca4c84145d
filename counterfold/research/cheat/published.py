"""What the paper has of Cheat: its agents, and its tables 1 and 2."""

from __future__ import annotations

from typing import NamedTuple

VIEWS = ("memoryless", "hp", "history", "general")
NAMES = {
    "memoryless": "Memoryless",
    "hp": "HP-Aware",
    "history": "History-Aware",
    "general": "General",
}
HEALTHS = (3, 4, 5)
PAPER_ITERATIONS = 100


class Published(NamedTuple):
    """The paper's seconds and infosets after 100 iterations, for 3, 4 and 5 health points."""

    seconds: tuple[int, int, int]
    infosets: tuple[int, int, int]


PAPER = {
    1: {
        "memoryless": Published((60, 860, 17887), (292, 292, 292)),
        "hp": Published((52, 1057, 19034), (1331, 2557, 4257)),
        "history": Published((171, 5514, 18371), (10689, 113331, 1209336)),
        "general": Published((224, 5054, 20315), (11433, 120512, 1523174)),
    },
    2: {
        "memoryless": Published((60, 1238, 20759), (100, 100, 100)),
        "hp": Published((80, 1346, 21208), (604, 1063, 1660)),
        "history": Published((159, 4031, 14428), (3668, 46827, 528371)),
        "general": Published((187, 4231, 17891), (4220, 52723, 659312)),
    },
}
"""Tables 1 (without infoset abstraction) and 2 (with it), by view."""
