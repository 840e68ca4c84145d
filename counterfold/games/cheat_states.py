"""The states of Cheat, and what is the same of a move whatever is remembered."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from counterfold.games.cheat_cards import Counts


class Deal(NamedTuple):
    """Cards are being dealt: how many of each rank, player by player."""

    deck: Counts
    hands: tuple[Counts, ...]
    drawn: Counts = ()  # ranks settled for the player who is being dealt to


class Turn(NamedTuple):
    """A turn: somebody discards, then the others are asked one by one."""

    hands: tuple[Counts, ...]
    pile: Counts
    health: Counts
    seat: int  # who discards
    rank: int
    laid: Counts | None  # face down and not yet accepted
    asked: int  # who may challenge
    left: int  # turns until the game is a draw; -1 without such a limit
    past: tuple[str, ...]  # rounds that are over, as they are remembered


class End(NamedTuple):
    """The game is over: somebody has no cards left, or no health, or turns have run out."""

    hands: tuple[Counts, ...]
    health: Counts
    rank: int
    won: int  # -1 if nobody has
    lost: int
    past: tuple[str, ...]


class Step(NamedTuple):
    """Where a move leads, whatever is remembered: the state but for its past."""

    kind: Callable[..., Turn | End]
    parts: tuple[object, ...]
    words: tuple[str, ...] = ()  # that the past of each player gets, if a turn is over
