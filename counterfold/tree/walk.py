"""A walk over a game's rules: every history once, the contract checked at each state."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple

from counterfold.errors import CounterfoldError, RulesError, reason, short
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.tree.memory import MemoryGuard, bytes_needed
from counterfold.tree.rules import (
    Kept,
    actions_at,
    chances_at,
    keep,
    payoffs_at,
    players_of,
    still,
    turn_at,
)

__all__ = ["Progress", "Size", "Visit", "measure", "visits"]

Progress = Callable[[int], None]

WATCHED = 64
"""At so many states of a walk it is looked whether rules change them; who does so does it there."""
DEEPEST = 1_000_000
"""Moves of one line of play; a game without merged states that has more does not end."""

_LARGEST = sys.float_info.max


class Size(NamedTuple):
    """What compiling and solving a game takes, told before it is taken."""

    histories: int
    terminals: int
    infosets: int
    slots: int
    bytes: int


class Visit(NamedTuple):
    """One edge of the walk over the rules, and the node it leads to if that is new."""

    parent: int
    edge: int
    node: int
    new: bool
    turn: int
    moves: Any  # outcomes with probabilities, actions, or payoffs
    infoset: Any  # (player, observation) where a player moves


def visits(game: Any, players: int) -> Iterator[Visit]:
    """Walk the rules depth first, checking the contract at each state.

    Whatever goes wrong in them is a RulesError that says in which method, and where.
    """
    known: dict[Any, int] = {}
    numbers = count()
    # A state that stands above itself on one path is a cycle. On an endless path the walk
    # ends up in the cycle, where a marker set at each power of two meets it (Brent).
    markers: dict[int, Any] = {}
    watched: list[Kept | None] = []  # of the first nodes
    stack: list[tuple[int, int, Any, Any, int]] = [(0, -1, None, None, 0)]
    asked, state = "", None  # for what is told when rules fail
    try:
        merge = getattr(game, "merge", None)
        turn_of, chance_of, actions_of = game.turn, getattr(game, "chance", None), game.actions
        next_of, observe, payoff_of = game.next, game.observe, game.payoff
        while stack:
            parent, edge, before, move, depth = stack.pop()
            if edge < 0:
                asked = "root"
                state = game.root()
            else:
                asked, state = "next", before
                state = next_of(before, move)
                if parent < WATCHED:
                    still(watched[parent], "next")
            if merge is not None:
                asked = "merge"
                key = merge(state)
                seen = known.get(key)
                if seen is not None:
                    yield Visit(parent, edge, seen, False, 0, None, None)
                    continue
                node = known[key] = next(numbers)
            else:
                node = next(numbers)
                if depth >= 64:
                    _check_line(state, depth, markers)
            if node < WATCHED:
                watched.append(keep(state))
            asked = "turn"
            who = turn_of(state)
            if type(who) is not int or not TERMINAL <= who < players:
                who = turn_at(state, who, players)
            infoset = None
            if who == TERMINAL:
                asked = "payoff"
                moves: Any = payoff_of(state)
                kind = type(moves)
                if (kind is not tuple and kind is not list) or len(moves) != players:
                    moves = payoffs_at(state, moves, players)
                for amount in moves:
                    if (
                        type(amount) is not float and type(amount) is not int
                    ) or not -_LARGEST <= amount <= _LARGEST:
                        moves = payoffs_at(state, moves, players)
                        break
            elif who == CHANCE:
                if chance_of is None:
                    raise RulesError(
                        f"chance moves at {short(state)}, and the game has no chance()"
                    )
                asked = "chance"
                moves = _outcomes(state, chance_of(state))
                for i in range(len(moves) - 1, -1, -1):
                    stack.append((node, i, state, moves[i][0], depth + 1))
            else:
                asked = "actions"
                moves = actions_of(state)
                kind = type(moves)
                if (kind is not tuple and kind is not list) or not moves:
                    moves = actions_at(state, moves, who)
                elif kind is list:
                    moves = tuple(moves)
                asked = "observe"
                infoset = (who, observe(state, who))
                try:
                    hash((infoset, moves))
                except TypeError:
                    actions_at(state, moves, who)  # complains if it is one of them
                    raise RulesError(
                        f"the observation {short(infoset[1])} is not hashable, at {short(state)}"
                    ) from None
                for i in range(len(moves) - 1, -1, -1):
                    stack.append((node, i, state, moves[i], depth + 1))
            if node < WATCHED:
                still(watched[node], "turn" if asked == "turn" else f"turn or {asked}")
            yield Visit(parent, edge, node, True, who, moves, infoset)
    except (CounterfoldError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        where = f" at {short(state)}" if asked not in ("", "root") else ""
        raise RulesError(f"{asked or 'a method'} fails{where} with {reason(error)}") from error


def _check_line(state: Any, depth: int, markers: dict[int, Any]) -> None:
    """Refuse a line of play that comes round, or goes on for ever."""
    power = 1 << (depth.bit_length() - 1)
    if depth == power:
        markers[power] = state
    elif markers[power] == state:
        raise RulesError(f"the game has a cycle: {short(state)} leads to itself again")
    if depth > DEEPEST:
        raise RulesError(
            f"a line of play goes on for more than {DEEPEST:,} moves, to {short(state)}; does the "
            "game end?"
        )


def _outcomes(state: Any, answer: Any) -> list[tuple[Any, float]]:
    """Outcomes that can happen; whatever is not plainly right is looked at closely."""
    if type(answer) is list or type(answer) is tuple:
        try:
            found = [(o, p) for o, p in answer if type(p) is float and p > 0]
            if len(found) == len(answer) and abs(math.fsum([p for _, p in found]) - 1) <= 1e-9:
                return found
        except (TypeError, ValueError):
            pass
    return [(outcome, chance) for outcome, chance in chances_at(state, answer) if chance]


def measure(game: Any, memory: int | None = None, progress: Progress | None = None) -> Size:
    """Count what a game's tree would take, without building it.

    >>> from counterfold.games.leduc import Leduc
    >>> measure(Leduc()).histories
    9457
    """
    players = players_of(game)
    guard = MemoryGuard(memory, players)
    nodes = edges = leaves = slots = 0
    rows: set[Any] = set()
    for visit in visits(game, players):
        if not visit.new:
            continue
        nodes += 1
        if visit.turn == TERMINAL:
            leaves += 1
        else:
            edges += len(visit.moves)
            if visit.turn != CHANCE and visit.infoset not in rows:
                rows.add(visit.infoset)
                slots += len(visit.moves)
        if not nodes & 0x3FF:
            guard.check(nodes, edges, leaves, len(rows))
            if progress:
                progress(nodes)
    need = bytes_needed(nodes, edges, leaves, len(rows), players) + 48 * slots
    return Size(nodes, leaves, len(rows), slots, need)
