"""A walk over a game's rules: every history once, the contract checked at each state."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count
from operator import index
from typing import Any, NamedTuple

from counterfold.errors import CounterfoldError, RulesError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.tree.memory import MemoryGuard, bytes_needed

__all__ = ["Progress", "Size", "Visit", "measure", "players_of", "short", "visits"]

Progress = Callable[[int], None]


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


def players_of(game: Any) -> int:
    players = getattr(game, "players", 2)
    if not isinstance(players, int) or isinstance(players, bool) or not 1 <= players <= 100:
        raise RulesError(f"players is {players!r}, and must be a whole number from 1 to 100")
    return players


def visits(game: Any, players: int) -> Iterator[Visit]:
    """Walk the rules; whatever goes wrong in them is a RulesError that says where."""
    at: list[Any] = [None]
    try:
        yield from _walk(game, players, at)
    except (CounterfoldError, MemoryError):
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise RulesError(f"the rules fail at {short(at[0])} with {told}") from error


def _walk(game: Any, players: int, at: list[Any]) -> Iterator[Visit]:
    """Walk depth first, checking the contract at each state; ``at`` holds the last one."""
    merge = getattr(game, "merge", None)
    known: dict[Any, int] = {}
    numbers = count()
    turn_of, chance_of, actions_of = game.turn, getattr(game, "chance", None), game.actions
    next_of, observe, payoff_of = game.next, game.observe, game.payoff
    # A state that stands above itself on one path is a cycle. On an endless path the walk
    # ends up in the cycle, where a marker set at each power of two meets it (Brent).
    markers: dict[int, Any] = {}
    stack: list[tuple[int, int, Any, Any, int]] = [(0, -1, None, None, 0)]
    while stack:
        parent, edge, before, move, depth = stack.pop()
        at[0] = before
        state = at[0] = game.root() if edge < 0 else next_of(before, move)
        if merge is not None:
            key = merge(state)
            seen = known.get(key)
            if seen is not None:
                yield Visit(parent, edge, seen, False, 0, None, None)
                continue
            node = known[key] = next(numbers)
        else:
            node = next(numbers)
            if depth >= 64:
                power = 1 << (depth.bit_length() - 1)
                if depth == power:
                    markers[power] = state
                elif markers[power] == state:
                    raise RulesError(f"the game has a cycle: {short(state)} leads to itself again")
        who = index(turn_of(state))
        infoset = None
        if who == TERMINAL:
            moves: Any = payoff_of(state)
            if len(moves) != players:
                raise RulesError(
                    f"payoff at {short(state)} has {len(moves)} numbers for {players} players"
                )
            for amount in moves:
                if not math.isfinite(amount):
                    raise RulesError(f"payoff at {short(state)} is {short(moves)}, not finite")
        elif who == CHANCE:
            if chance_of is None:
                raise RulesError(f"chance moves at {short(state)}, and the game has no chance()")
            outcomes = [(o, p) for o, p in chance_of(state) if p != 0]
            total = math.fsum(p for _, p in outcomes)
            if not abs(total - 1) <= 1e-9 or any(not p > 0 for _, p in outcomes):
                raise RulesError(
                    f"chance probabilities at {short(state)} sum to {total:.12g}; "
                    "they must be positive and sum to one"
                )
            moves = outcomes
            for i in range(len(moves) - 1, -1, -1):
                stack.append((node, i, state, moves[i][0], depth + 1))
        elif 0 <= who < players:
            moves = tuple(actions_of(state))
            if not moves:
                raise RulesError(f"player {who + 1} has no action at {short(state)}")
            infoset = (who, observe(state, who))
            hash((infoset, moves))  # an unhashable one fails here, where its state is known
            for i in range(len(moves) - 1, -1, -1):
                stack.append((node, i, state, moves[i], depth + 1))
        else:
            raise RulesError(f"turn at {short(state)} is {who!r}, which is no player")
        yield Visit(parent, edge, node, True, who, moves, infoset)


def short(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) <= 80 else text[:77] + "..."


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
