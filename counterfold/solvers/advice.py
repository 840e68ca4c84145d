"""What a player could gain who is told what to do: sums behind gaps to correlated equilibria."""

from __future__ import annotations

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.tree.sequence import SequenceForm


class _TooManyError(Exception):
    """More pairs than are allowed."""


def advice(form: SequenceForm, most: int) -> list[Advised] | None:
    """All players of a game; None if one of them has more than so many pairs of moves."""
    try:
        return [Advised(form, player, most) for player in range(form.tree.players)]
    except _TooManyError:
        return None


class Advised:
    """One player's sequences, and what each would have earned when another was told.

    ``told[k]`` and ``taken[k]`` are columns of its plans: a sequence that ends in advice at an
    infoset, and one at that infoset or below.
    """

    def __init__(self, form: SequenceForm, player: int, most: int) -> None:
        from counterfold.solvers.lp import plans

        self.plans = plans(form, player)
        self.columns: list[list[int]] = [[] for _ in self.plans.parent]  # by infoset
        for column, infoset in enumerate(self.plans.owner[1:].tolist(), 1):
            self.columns[infoset - 1].append(column)
        self.below: list[list[int]] = [[] for _ in self.plans.sequences]  # infosets by column
        for infoset, column in enumerate(self.plans.parent.tolist()):
            self.below[column].append(infoset)
        told, taken, self.first = [], [], {}
        count = 0
        for infoset, columns in enumerate(self.columns):
            reached = self._under(infoset)
            for column in columns:
                self.first[column] = count, reached
                told.append(np.full(len(reached), column))
                taken.append(reached)
                count += len(reached)
            if count > most:
                raise _TooManyError
        nothing = [np.zeros(0, np.int64)]
        self.told, self.taken = np.concatenate(told or nothing), np.concatenate(taken or nothing)
        self.gradient = np.zeros(len(self.plans.sequences))
        self.pairs = np.zeros(count)

    def _under(self, infoset: int) -> Ints:
        """The columns at an infoset and below, in order."""
        found, waiting = [], [infoset]
        while waiting:
            for column in self.columns[waiting.pop()]:
                found.append(column)
                waiting.extend(self.below[column])
        return np.array(sorted(found), np.int64)

    def add(self, plan: Floats, gradient: Floats, fade: float) -> None:
        for sums in (self.gradient, self.pairs):
            sums *= fade
        self.gradient += gradient
        self.pairs += plan[self.told] * gradient[self.taken]

    def _best(self, infoset: int, worth: dict[int, float]) -> float:
        """What the best plan from an infoset on earns, by what each sequence earns at once."""
        return max(
            worth[column] + sum(self._best(below, worth) for below in self.below[column])
            for column in self.columns[infoset]
        )

    def _leaving(self, infoset: int, followed: Floats) -> float:
        """The most earned from an infoset on by following advice until it is better not to."""
        total = 0.0
        for column in self.columns[infoset]:
            follow = followed[column]
            follow += sum(self._leaving(below, followed) for below in self.below[column])
            begin, reached = self.first[column]
            earned = self.pairs[begin : begin + len(reached)].tolist()
            leave = self._best(infoset, dict(zip(reached.tolist(), earned, strict=True)))
            total += max(float(follow), leave)
        return total

    def gaps(self) -> tuple[float, float]:
        """Coarse and correlated, both summed over the play."""
        followed, same = np.zeros(len(self.plans.sequences)), self.told == self.taken
        followed[self.told[same]] = self.pairs[same]
        earned = float(followed.sum())
        fixed = dict(enumerate(self.gradient.tolist()))
        coarse = sum(self._best(infoset, fixed) for infoset in self.below[0])
        leaving = sum(self._leaving(infoset, followed) for infoset in self.below[0])
        return coarse - earned, leaving - earned
