"""How large a game is, judged by a few random ways through it before it has been read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from time import thread_time
from typing import NamedTuple

from counterfold.games.base import CHANCE, TERMINAL, Action, Game

PROBES = 128
GROUPS = 4
MOST_LOOKED = 100_000
"""Moves that all probes together may look at, so that games with many of them take no longer."""
DEEPEST = 10_000
PATIENCE = 3.0  # seconds after which slow rules are asked no more


class Estimate(NamedTuple):
    """The number of histories, as random probes tell it.

    A probe that finds ``b`` moves, chooses one of them evenly and goes on stands for ``b`` ways:
    the sum of these products along it has the number of histories as its mean (Knuth 1975).
    Its spread is wide, so ``least`` is the smallest mean of a quarter of the probes.
    """

    histories: float
    least: float


def estimate(game: Game, seed: int = 0) -> Estimate:
    """Judge how many histories a game has; histories that merge are counted one by one.

    >>> from counterfold.games.leduc import Leduc
    >>> found = estimate(Leduc())  # 9,457 histories
    >>> 9457 / 2 < found.least <= found.histories < 2 * 9457
    True
    """
    rng = random.Random(seed)
    looked, ways, begin = 0, [], thread_time()
    for _ in range(PROBES):
        ended, count = _probe(game, rng)
        ways.append(ended)
        looked += count
        if (looked > MOST_LOOKED or thread_time() - begin > PATIENCE) and len(ways) >= GROUPS:
            break
    means = [sum(part) / len(part) for part in (ways[k::GROUPS] for k in range(GROUPS))]
    return Estimate(sum(ways) / len(ways), min(means))


def _probe(game: Game, rng: random.Random) -> tuple[float, int]:
    """Histories that one random way stands for, and the moves that were looked at."""
    state, weight, total, looked = game.root(), 1.0, 1.0, 0
    for _ in range(DEEPEST):
        turn = game.turn(state)
        if turn == TERMINAL:
            break
        moves: Sequence[Action]
        if turn == CHANCE:
            moves = [outcome for outcome, chance in game.chance(state) if chance]
        else:
            moves = list(game.actions(state))
        weight *= len(moves)
        total += weight
        looked += len(moves)
        state = game.next(state, rng.choice(moves))
    return total, looked
