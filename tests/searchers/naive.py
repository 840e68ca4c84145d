"""Slow and obvious: ranges and values at a point, by recursion over the rules."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from counterfold.games.base import CHANCE, TERMINAL


def walk(game: Any, strategy: Any, player: int, stop: Any) -> list[tuple[Any, float, float]]:
    """States at which ``stop`` is met, with the player's own reach and that of all others."""
    found = []

    def go(state: Any, own: float, others: float) -> None:
        if stop(state):
            found.append((state, own, others))
            return
        who = game.turn(state)
        if who == TERMINAL:
            return
        if who == CHANCE:
            for move, p in game.chance(state):
                go(game.next(state, move), own, others * p)
            return
        for move, p in zip(game.actions(state), play(game, strategy, state), strict=True):
            if who == player:
                go(game.next(state, move), own * p, others)
            else:
                go(game.next(state, move), own, others * p)

    go(game.root(), 1.0, 1.0)
    return found


def play(game: Any, strategy: Any, state: Any) -> list[float]:
    who = game.turn(state)
    seen = game.observe(state, who)
    return list(strategy.at(*seen, player=who).values())


def worth(
    game: Any, strategy: Any, player: int, bundle: list[tuple[Any, float]], best: bool
) -> Any:
    """What a player earns from states it cannot tell apart, each with the others' reach.

    By its best reply, or by the strategy itself.
    """
    total, groups = 0.0, defaultdict(list)

    def sink(state: Any, weight: float) -> None:
        nonlocal total
        who = game.turn(state)
        if who == TERMINAL:
            total += weight * game.payoff(state)[player]
        elif who == CHANCE:
            for move, p in game.chance(state):
                sink(game.next(state, move), weight * p)
        elif who == player:
            groups[game.observe(state, player)].append((state, weight))
        else:
            for move, p in zip(game.actions(state), play(game, strategy, state), strict=True):
                sink(game.next(state, move), weight * p)

    for state, weight in bundle:
        sink(state, weight)
    for members in groups.values():
        actions = game.actions(members[0][0])
        after = [
            worth(game, strategy, player, [(game.next(s, a), w) for s, w in members], best)
            for a in actions
        ]
        if best:
            total += max(after)
        else:
            chosen = play(game, strategy, members[0][0])
            total += sum(p * v for p, v in zip(chosen, after, strict=True))
    return total
