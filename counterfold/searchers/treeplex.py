"""One player's decisions inside a subgame: plans, values and best replies over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.notebook import brief
from counterfold.solvers.program import ROUNDING, Plans


def summed(place: Ints, weights: Floats, size: int) -> Floats:
    """Weights added up by their place."""
    return np.bincount(place, weights, size).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Treeplex:
    """One player's decisions inside a subgame.

    ``classes`` is what the player may know on entering: roots of one class look alike to it.
    Sequences ``0 .. classes - 1`` stand for having done nothing since the root of that class;
    then come the actions of each infoset. ``slots`` are the actions' places in the strategy
    arrays of the whole tree.
    """

    classes: int
    at_root: Ints  # [roots] the class of each root
    infosets: Ints  # [infosets] numbers in the whole tree; parents before children
    start: Ints  # [infosets + 1] first sequence of each infoset
    parent: Ints  # [infosets] the sequence that leads there
    slots: Ints  # [actions]

    def __repr__(self) -> str:
        return brief(self, f"of {len(self.infosets)} infosets, {self.classes} classes")

    @property
    def sequences(self) -> int:
        return int(self.start[-1])

    @cached_property
    def plans(self) -> Plans:
        """Realisation plans inside the subgame, for linear programs: the classes are the roots."""
        own = np.repeat(np.arange(len(self.infosets)), np.diff(self.start))
        owner = np.append(np.arange(self.classes), self.classes + own)
        return Plans(np.arange(self.sequences), owner, self.parent, roots=self.classes)

    @cached_property
    def _layers(self) -> tuple[tuple[Ints, Ints, Ints, Ints], ...]:
        """Infosets by how many of the player's own decisions lie above them inside.

        For each layer: the infosets' parents, their sequences, where each begins, and sizes.
        """
        depth = np.zeros(len(self.infosets), dtype=np.int64)
        above = np.searchsorted(self.start, self.parent, side="right") - 1
        for i, j in enumerate(above.tolist()):
            depth[i] = depth[j] + 1 if j >= 0 else 0
        layers = []
        for d in range(int(depth.max(initial=-1)) + 1):
            layer = np.flatnonzero(depth == d)
            sizes = self.start[layer + 1] - self.start[layer]
            heads = np.cumsum(sizes) - sizes
            sequences = np.repeat(self.start[layer] - heads, sizes) + np.arange(sizes.sum())
            layers.append((self.parent[layer], sequences, heads, sizes))
        return tuple(layers)

    def plan(self, probabilities: Floats) -> Floats:
        """How likely the player plays each sequence once inside, from a strategy of the tree."""
        played = np.append(np.ones(self.classes), probabilities[self.slots])
        for parent, sequences, _, sizes in self._layers:
            played[sequences] *= np.repeat(played[parent], sizes)
        return played

    def gather(self, gains: Floats, played: Floats | None = None) -> Floats:
        """What each class is worth from the gains at each sequence.

        With a strategy by sequence, what it earns; without one, what the best reply does.
        """
        worth = gains.copy()
        for parent, sequences, heads, _ in reversed(self._layers):
            if played is None:
                best = np.maximum.reduceat(worth[sequences], heads)
            else:
                best = np.add.reduceat(worth[sequences] * played[sequences], heads)
            np.add.at(worth, parent, best)
        return worth[: self.classes]

    def totals(self, weights: Floats) -> Floats:
        """The weight of each sequence with all that follows it."""
        total = weights.copy()
        for parent, sequences, heads, _ in reversed(self._layers):
            np.add.at(total, parent, np.add.reduceat(total[sequences], heads))
        return total

    def behaviour(self, plan: Floats, fallback: Floats) -> Floats:
        """A plan as action probabilities; those of the fallback where the plan never goes."""
        out = fallback.copy()
        for _, sequences, heads, sizes in self._layers:
            sums = np.repeat(np.add.reduceat(plan[sequences], heads), sizes)
            goes = sums > ROUNDING
            out[sequences[goes] - self.classes] = plan[sequences[goes]] / sums[goes]
        return out
