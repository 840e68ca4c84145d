"""How large a game is, judged by random ways through it before it has been read."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Hashable
from time import thread_time
from typing import NamedTuple

from counterfold.games.base import CHANCE, TERMINAL, Game, State

PROBES, MANY = 128, 1 << 13
"""Probes that tell what kind of size a game has, and that tell it within some percent."""
GROUPS = 4
MOST_LOOKED = 800
"""Moves that a probe may look at in the mean, so that games with many of them take no longer."""
DEEPEST = 10_000
PATIENCE = 2.0  # seconds after which slow rules are asked no more
AT_RANDOM = 0.2
"""How often a probe goes anywhere, and not where most histories are expected."""
COUNTLESS = 1e250
"""Histories below a state that are as good as no end of them."""

Kind = tuple[int, int, int]
"""States whose games below are taken to be alike: at a depth, whose turn, how many actions."""


class Estimate(NamedTuple):
    """How much there is of a game, as random probes tell it.

    A probe that takes one of several moves with the chance ``p`` stands for ``1 / p`` ways: what
    it finds, times the product of these along it, has the true number as its mean (Knuth 1975).
    Probes go where earlier ones have found much (Chen 1992). ``least`` is the smallest mean of a
    quarter of them. Infosets are judged by how often two probes see the same.
    """

    histories: float
    least: float
    ends: float
    infosets: float


def estimate(game: Game, probes: int = PROBES, seed: int = 0) -> Estimate:
    """Judge how large a game is; histories that merge are counted one by one.

    >>> from counterfold.games.leduc import Leduc
    >>> found = estimate(Leduc())  # 9,457 histories
    >>> 9457 / 2 < found.least <= found.histories < 2 * 9457
    True
    """
    found, ways = _Probes(game, random.Random(seed)), list[float]()
    begin = thread_time()
    while len(ways) < probes:
        ways.append(found.go())
        slow = found.looked > MOST_LOOKED * probes or thread_time() - begin > PATIENCE
        if slow and len(ways) >= GROUPS:
            break
    means = [sum(part) / len(part) for part in (ways[k::GROUPS] for k in range(GROUPS))]
    many = len(ways)
    return Estimate(sum(ways) / many, min(means), found.ends / many, found.infosets(many))


class _Probes:
    """Random ways through a game, and what they have met."""

    def __init__(self, game: Game, rng: random.Random) -> None:
        self.game, self.rng = game, rng
        self.looked, self.ends = 0, 0.0
        self._below: dict[Kind, tuple[float, int]] = {}  # histories, and how often they were judged
        self._seen: dict[tuple[int, int], Counter[Hashable]] = defaultdict(Counter)
        self._there: dict[tuple[int, int], float] = defaultdict(float)
        self._odds: dict[tuple[int, int], float] = defaultdict(float)

    def go(self) -> float:
        """The histories that one random way stands for."""
        state, weight = self.game.root(), 1.0
        kinds, odds = [self._kind(state, 0)], list[float]()
        while kinds[-1][1] != TERMINAL and len(odds) < DEEPEST:
            depth, who, _ = kinds[-1]
            if who != CHANCE:
                self._seen[depth, who][self.game.observe(state, who)] += 1
                self._there[depth, who] += weight
                self._odds[depth, who] += 1 / weight
            state, kind, chance = self._step(state, depth, who)
            weight /= chance
            kinds.append(kind)
            odds.append(chance)
        self.ends += weight
        return self._learn(kinds, odds)

    def _kind(self, state: State, depth: int) -> Kind:
        who = self.game.turn(state)
        return depth, who, len(self.game.actions(state)) if who >= 0 else 0

    def _step(self, state: State, depth: int, who: int) -> tuple[State, Kind, float]:
        """A move, the state that it leads to, what kind that is and how likely it was taken."""
        game = self.game
        if who == CHANCE:  # whatever is dealt, games go on alike
            moves = [outcome for outcome, chance in game.chance(state) if chance]
            self.looked += len(moves)
            state = game.next(state, moves[self.rng.randrange(len(moves))])
            return state, self._kind(state, depth + 1), 1 / len(moves)
        after = [game.next(state, move) for move in game.actions(state)]
        self.looked += len(after)
        kinds = [self._kind(one, depth + 1) for one in after]
        weights = [self._judged(kind) for kind in kinds]
        total, even = sum(weights), AT_RANDOM / len(after)
        odds = [even + (1 - AT_RANDOM) * one / total for one in weights]
        place = self.rng.choices(range(len(after)), odds)[0]
        return after[place], kinds[place], odds[place]

    def _judged(self, kind: Kind) -> float:
        total, times = self._below.get(kind, (1.0, 1))
        return total / times

    def _learn(self, kinds: list[Kind], odds: list[float]) -> float:
        """Histories below each state of a way, from its end back to the root."""
        below = 1.0
        for k in range(len(kinds) - 1, -1, -1):
            below = 1 + below / odds[k] if k < len(odds) else 1.0
            total, times = self._below.get(kinds[k], (0.0, 0))
            self._below[kinds[k]] = total + min(below, COUNTLESS), times + 1
        return below

    def infosets(self, probes: int) -> float:
        """How many there are: of those that have m histories each, two probes meet m times as
        often in one of them as in one history."""
        found = 0.0
        for where, seen in self._seen.items():
            histories = self._there[where] / probes
            pairs = sum(times * (times - 1) for times in seen.values())
            if pairs and self._odds[where]:
                histories /= max(pairs / (probes - 1) / self._odds[where], 1.0)
            elif not pairs:
                histories = min(histories, seen.total() ** 2)
            found += max(len(seen), histories)
        return found
