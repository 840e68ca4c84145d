"""How large a game is, judged by random ways through it before it has been read."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Hashable
from math import sqrt
from time import thread_time
from typing import NamedTuple

from counterfold.games.base import CHANCE, TERMINAL, Game, State

PROBES, MANY = 128, 1 << 13
"""Probes that tell what kind of size a game has, and that tell it within some percent."""
WHERE_MERGED = 1 << 10
"""Probes for the kind of size where states merge: n probes can tell n squared states at a depth."""
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

    Where states merge, ``histories`` are the states that are left. They are judged as infosets
    are, and ``least`` by how many of them one and two probes met, which is a lower bound in the
    mean whichever way probes go (Chao 1987).
    """

    histories: float
    least: float
    ends: float
    infosets: float
    edges: float


def estimate(game: Game, probes: int = PROBES, seed: int = 0, apart: bool = False) -> Estimate:
    """Judge how large a game is; histories that merge are counted once, or else ``apart``.

    >>> from counterfold.games.leduc import Leduc
    >>> found = estimate(Leduc())  # 9,457 histories
    >>> 9457 / 2 < found.least <= found.histories < 2 * 9457
    True
    """
    probing = _MergedProbes if hasattr(game, "merge") and not apart else _Probes
    found, ways, begin = probing(game, random.Random(seed)), list[float](), thread_time()
    while len(ways) < probes:
        ways.append(found.go())
        slow = found.looked > MOST_LOOKED * probes or thread_time() - begin > PATIENCE
        if slow and len(ways) >= GROUPS:
            break
    return found.told(ways)


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

    def told(self, ways: list[float]) -> Estimate:
        """What so many ways tell."""
        means = [sum(part) / len(part) for part in (ways[k::GROUPS] for k in range(GROUPS))]
        many, histories = len(ways), sum(ways) / len(ways)
        infosets = sum(
            _different(seen, self._there[where], self._odds[where], many)
            for where, seen in self._seen.items()
        )
        return Estimate(histories, min(means), self.ends / many, infosets, histories)


class _MergedProbes:
    """Random ways through a game whose states merge, and which of them they have met.

    All moves are as likely: where most histories are expected, most of them are one state.
    """

    def __init__(self, game: Game, rng: random.Random) -> None:
        self.game, self.rng = game, rng
        self.looked = 0
        self._met: dict[Kind, Counter[Hashable]] = defaultdict(Counter)
        self._there: dict[Kind, float] = defaultdict(float)
        self._odds: dict[Kind, float] = defaultdict(float)
        self._sights = Counter[Hashable]()

    def go(self) -> float:
        """The ways like one random way."""
        game, state, ways = self.game, self.game.root(), 1.0
        sights = set[Hashable]()
        for depth in range(DEEPEST):
            who = game.turn(state)
            moves = _moves(game, state, who)
            kind = depth, who, len(moves)
            self._met[kind][game.merge(state)] += 1  # type: ignore[attr-defined]
            self._there[kind] += ways
            self._odds[kind] += 1 / ways
            if not moves:
                break
            if who >= 0:
                sights.add((who, game.observe(state, who)))
            self.looked += 1
            ways = min(ways * len(moves), COUNTLESS)
            state = game.next(state, moves[self.rng.randrange(len(moves))])
        self._sights.update(sights)
        return ways

    def told(self, ways: list[float]) -> Estimate:
        """What so many ways tell."""
        many, states, ends, edges, least = len(ways), 0.0, 0.0, 0.0, 0.0
        for kind, met in self._met.items():
            here = _different(met, self._there[kind], self._odds[kind], many)
            states, edges, least = states + here, edges + here * kind[2], least + _least(met, many)
            ends += here * (kind[1] == TERMINAL)
        by_depth = sum(map(len, self._met.values()))
        once = len(set[Hashable]().union(*self._met.values())) / by_depth  # whatever their depth
        infosets = _least(self._sights, many)
        return Estimate(states * once, least * once, ends * once, infosets, edges * once)


def _moves(game: Game, state: State, who: int) -> list[Hashable]:
    if who == TERMINAL:
        return []
    if who != CHANCE:
        return list(game.actions(state))
    return [outcome for outcome, chance in game.chance(state) if chance]


def _different(seen: Counter[Hashable], ways: float, odds: float, probes: int) -> float:
    """How many there are of what ``probes`` ways have seen, at places that stand for so many ways:
    of those that have m ways each, two probes meet m times as often in one of them as on one way.
    """
    found = ways / probes
    pairs = sum(times * (times - 1) for times in seen.values())
    if pairs and odds:
        found /= max(pairs / (probes - 1) / odds, 1.0)
    elif not pairs:
        found = min(found, seen.total() ** 2)
    return max(len(seen), found)


def _least(seen: Counter[Hashable], probes: int) -> float:
    """How many there are at least, seen and unseen, from what was seen once and twice.

    As many twice again may have been expected as two standard errors allow.
    """
    once = sum(1 for times in seen.values() if times == 1)
    twice = 1 + sum(1 for times in seen.values() if times == 2)
    return len(seen) + (probes - 1) / probes * once * (once - 1) / 2 / (twice + 2 * sqrt(twice))
