"""How much memory there is, how much a game's tree takes, and the guard between the two."""

from __future__ import annotations

import os
import sys

from counterfold.errors import TreeTooLargeError

__all__ = ["ANY_SIZE", "MemoryGuard", "bytes_needed", "memory_at_hand"]

LARGEST_INDEX = 0xFFFFFFFE

ANY_SIZE = 1 << 62
"""Bytes that are allowed where a size has been checked already, as that of tables in 16 bits."""
SLACK = 1 << 26
"""Bytes that the interpreter may take on top of what is counted."""


def memory_at_hand() -> int:
    """Bytes that can still be taken on this machine (a large number if it cannot be told)."""
    room = sys.maxsize
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable"):
                    room = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        try:
            room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
        except (ValueError, OSError, AttributeError):
            return room
    return room


def bytes_needed(nodes: int, edges: int, leaves: int, infosets: int, players: int) -> int:
    """Flat arrays, their sequence form, the solver's tables and the infosets' names."""
    tree = 21 * nodes + 12 * edges + 8 * players * leaves
    sequence_form = leaves * players * (8 + 4 * players)
    return tree + sequence_form + 400 * infosets


def _memory_taken() -> int:
    """Bytes that this process holds now; 0 if it cannot be told."""
    try:
        with open("/proc/self/statm") as line:
            return int(line.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


class MemoryGuard:
    """Stops a walk before it takes more than it may, in arrays to come or in the rules' states.

    An endless game whose states grow fills memory with states long before its tree is large.
    """

    def __init__(self, memory: int | None, players: int) -> None:
        self.memory = int(0.9 * memory_at_hand()) if memory is None else memory
        self.players = players
        self.at_start = _memory_taken()

    def check(self, nodes: int, edges: int, leaves: int, infosets: int) -> None:
        need = bytes_needed(nodes, edges, leaves, infosets, self.players)
        need = max(need, _memory_taken() - self.at_start - SLACK)
        if need > self.memory or edges >= LARGEST_INDEX:
            raise TreeTooLargeError(
                f"the game tree has more than {nodes:,} histories and would take over "
                f"{need / 2**20:,.0f} MB where {self.memory / 2**20:,.0f} MB may be used; "
                "choose smaller parameters, or raise the limit with `memory`"
            )
