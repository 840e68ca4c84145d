"""How much memory there is, how much a game's tree takes, and the guard between the two."""

from __future__ import annotations

import os
import sys
from math import inf

from counterfold.errors import TreeTooLargeError
from counterfold.games.base import Game
from counterfold.tree.estimate import MANY, PROBES, WHERE_MERGED, Estimate, estimate

LARGEST_INDEX = 0xFFFFFFFE

ANY_SIZE = 1 << 62
"""Bytes that are allowed where a size has been checked already, as that of tables in 16 bits."""
SLACK = 1 << 26
"""Bytes that the interpreter may take on top of what is counted."""
BY_MEMORY = 640
"""Bytes for an end of a game with players who remember everything, where states merge."""
LIBRARIES = 180 << 20
"""Bytes that a process takes that solves a game of next to no size: Python and the kernels."""


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


def gigabytes(count: float) -> str:
    """A number of bytes as people read it."""
    return f"{count / 2**30:,.1f} GB" if count >= 2**30 else f"{count / 2**20:,.1f} MB"


def count_in_words(count: float) -> str:
    """A large number as people read it.

    >>> count_in_words(9_500_000), count_in_words(1.57e10), count_in_words(float("inf"))
    ('about 9,500,000', 'about 1.6e+10', 'countless')
    """
    if count == float("inf"):
        return "countless"
    return f"about {count:,.0f}" if count < 1e9 else f"about {count:.1e}"


def bytes_needed(nodes: int, edges: int, leaves: int, infosets: int, players: int) -> int:
    """The most that is taken at once: flat arrays, the infosets' names and a solver's tables,
    and what is held beside them while the sequence form is made, by node or by leaf."""
    tree = 13 * nodes + 12 * edges + 8 * players * leaves
    making = max((8 + 4 * players) * nodes, (28 + 20 * players) * leaves)
    return int(1.1 * (tree + making)) + 400 * infosets


def _memory_taken() -> int:
    """Bytes that this process holds now; 0 if it cannot be told."""
    try:
        with open("/proc/self/statm") as line:
            return int(line.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def bytes_remembered(game: Game) -> float:
    """The most that is taken to judge strategies of a game whose states merge, to which responders
    come who remember all that they saw and did: their ends are those of histories told apart."""
    return BY_MEMORY * estimate(game, WHERE_MERGED, apart=True).ends


class MemoryGuard:
    """Stops a walk before it takes more than it may, in arrays to come or in the rules' states.

    An endless game whose states grow fills memory with states long before its tree is large.
    """

    def __init__(self, memory: int | None, players: int) -> None:
        self.memory = int(0.9 * memory_at_hand()) if memory is None else memory
        self.players = players
        self.at_start = _memory_taken()
        self.held = self.nodes = 0  # bytes that this process took since, by the latest look

    def check(self, nodes: int, edges: int, leaves: int, infosets: int) -> float:
        """The share of the memory that is needed so far; refused if there is no more."""
        need = bytes_needed(nodes, edges, leaves, infosets, self.players)
        self.held, self.nodes = max(0, _memory_taken() - self.at_start - SLACK), nodes
        need = max(need, self.held)
        if need > self.memory or edges >= LARGEST_INDEX:
            raise self._too_large(f"more than {nodes:,}", f"over {gigabytes(need + LIBRARIES)}")
        return need / max(self.memory, 1)

    def check_memories(self, ends: int) -> None:
        """Refuse more ends of players who remember everything than there is room for."""
        need = max(_memory_taken() - self.at_start, BY_MEMORY * ends)
        if need > self.memory:
            raise TreeTooLargeError(
                "what players could gain who remember everything takes "
                f"over {gigabytes(need + LIBRARIES)} for more than {ends:,} ends, where "
                f"{gigabytes(self.memory)} may be used; choose smaller parameters"
            )

    def judge(self, game: Game) -> float | None:
        """About how many histories there will be; refused if they cannot fit.

        Where that is not plain it is looked at more closely. None if the rules fail, which is
        told where they are read.
        """
        merged = hasattr(game, "merge")
        try:
            about = estimate(game, WHERE_MERGED if merged else PROBES)
            if self.memory / 16 < self._needed(about, merged) < 256 * self.memory:
                about = estimate(game, MANY)
        except Exception:
            return None
        need = self._needed(about, merged)
        share = about.least / about.histories if about.histories < inf else about.least > 2**60
        if need * share > 1.1 * self.memory:  # what is near it is read
            takes = (
                f"some {gigabytes(need + LIBRARIES)}"
                if need < 2**60
                else "more than any machine has"
            )
            raise self._too_large(count_in_words(about.histories), takes)
        return about.histories

    def _needed(self, about: Estimate, merged: bool) -> float:
        if not about.histories + about.infosets < 2**60:
            return inf
        nodes, edges, ends, infosets = map(
            int, (about.histories, about.edges, about.ends, about.infosets)
        )
        need = bytes_needed(nodes, edges, ends, infosets, self.players)
        return max(need, self.held / max(self.nodes, 1) * nodes if merged else 0)

    def _too_large(self, histories: str, takes: str) -> TreeTooLargeError:
        return TreeTooLargeError(
            f"the game tree has {histories} histories and would take {takes}, where "
            f"{gigabytes(self.memory)} may be used; choose smaller parameters, or raise the limit "
            "with --memory (`memory` in Python); a class of your own that has `unlisted = True` is "
            "played (match, play) without a tree"
        )
