"""How far recorded play is from correlated equilibria, coarse and not.

A mediator draws one of the profiles that were played, by its weight, and tells each player at each
infoset what to do. The play is a *coarse* correlated equilibrium if nobody gains by a plan of its
own that is fixed beforehand; a *correlated* one if nobody gains by leaving what it is told at the
moment when it is told, knowing it, and playing on as it likes. In games of several moves that is
extensive-form correlated equilibrium (von Stengel and Forges 2008); where everybody moves once it
is Aumann's (1974), and the gap is what the best swap of actions gains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import UnsupportedError
from counterfold.solvers.lp import plans
from counterfold.solvers.methods import Method
from counterfold.solvers.solver import Solver
from counterfold.tree.form import form_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import sequence_form

__all__ = ["CorrelatedGaps", "RecordedPlay", "correlated_gaps"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_PAIRS = 20_000_000


class CorrelatedGaps(NamedTuple):
    """What each player could gain, in payoffs a hand: by a fixed plan, and by leaving advice.

    The coarse one is below zero where every fixed plan earns less than the play did.
    """

    coarse: tuple[float, ...]
    correlated: tuple[float, ...]


class _Player:
    """One player's sequences, and what each would have earned when another was told.

    ``told[k]`` and ``taken[k]`` are columns of its plans: a sequence that ends in advice at an
    infoset, and one at that infoset or below.
    """

    def __init__(self, tree: HistoryTree, player: int) -> None:
        form = sequence_form(tree)
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
            if count > MOST_PAIRS:
                raise UnsupportedError(
                    f"{tree.spec} is too large for its correlated equilibria: more than "
                    f"{MOST_PAIRS:,} pairs of moves"
                )
        nothing = [np.zeros(0, np.int64)]
        self.told, self.taken = np.concatenate(told or nothing), np.concatenate(taken or nothing)
        self.gradient = np.zeros(len(self.plans.sequences))
        self.followed = np.zeros(len(self.plans.sequences))
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
        for sums in (self.gradient, self.followed, self.pairs):
            sums *= fade
        self.gradient += gradient
        self.followed += plan * gradient
        self.pairs += plan[self.told] * gradient[self.taken]

    def _best(self, infoset: int, worth: dict[int, float]) -> float:
        """What the best plan from an infoset on earns, by what each sequence earns at once."""
        return max(
            worth[column] + sum(self._best(below, worth) for below in self.below[column])
            for column in self.columns[infoset]
        )

    def _leaving(self, infoset: int) -> float:
        """The most earned from an infoset on by following advice until it is better not to."""
        total = 0.0
        for column in self.columns[infoset]:
            follow = self.followed[column] + sum(map(self._leaving, self.below[column]))
            begin, reached = self.first[column]
            earned = self.pairs[begin : begin + len(reached)].tolist()
            leave = self._best(infoset, dict(zip(reached.tolist(), earned, strict=True)))
            total += max(float(follow), leave)
        return total

    def gaps(self) -> tuple[float, float]:
        """Coarse and correlated, both summed over the play."""
        earned = float(self.followed[1:].sum())
        fixed = dict(enumerate(self.gradient.tolist()))
        coarse = sum(self._best(infoset, fixed) for infoset in self.below[0])
        leaving = sum(self._leaving(infoset) for infoset in self.below[0])
        return coarse - earned, leaving - earned


class RecordedPlay:
    """Profiles of a game that were played one after the other, whose gaps are exact.

    The diagonal of rock, paper, scissors: no fixed action gains anything, but whoever is told to
    play rock knows that the other plays rock.

    >>> import counterfold as cf
    >>> play = RecordedPlay(cf.load("rps"))
    >>> for action in range(3):
    ...     play.add(np.tile(np.arange(3) == action, 2) * 1.0)
    >>> play.gaps()
    CorrelatedGaps(coarse=(0.0, 0.0), correlated=(1.0, 1.0))
    """

    def __init__(self, game: object) -> None:
        tree = form_of(game)
        if not isinstance(tree, HistoryTree) or not sequence_form(tree).perfect_recall:
            raise UnsupportedError(
                f"gaps to correlated equilibria are for games of perfect recall by their "
                f"histories, and {tree.spec} is none"
            )
        self.tree, self.form = tree, sequence_form(tree)
        self.players = [_Player(tree, player) for player in range(tree.players)]
        self.weight = 0.0

    def add(self, probabilities: Floats, fade: float = 1.0) -> None:
        """Record a profile over the tree's slots; what came before keeps a share of its weight."""
        arrays = self.form.form
        reach = self.form.reach(self.form.by_sequence(probabilities))
        others = arrays.col.reshape(len(arrays.val), self.tree.players - 1)
        widths = arrays.ptr[1:].astype(np.int64) - arrays.ptr[:-1]
        owner = np.repeat(np.arange(self.form.sequences), widths)
        gains = arrays.val * reach[others].prod(axis=1)
        gradient = np.bincount(owner, gains, self.form.sequences).astype(np.float64)
        for player in self.players:
            columns = player.plans.sequences
            player.add(reach[columns], gradient[columns], fade)
        self.weight = self.weight * fade + 1.0

    def gaps(self) -> CorrelatedGaps:
        """What each player could have gained on average."""
        found = [player.gaps() for player in self.players]
        coarse, correlated = (
            tuple(each[k] / max(self.weight, 1.0) for each in found) for k in (0, 1)
        )
        return CorrelatedGaps(coarse, correlated)


def correlated_gaps(
    game: object, method: str | Method = "cfr", iterations: int = 1000, alternating: bool = False
) -> CorrelatedGaps:
    """Play a game by a method, and tell how far the play is from correlated equilibria.

    The coarse gap is what ``Result.cce_gap`` tells of the same run; the other one goes to zero
    only where a method has no regret for swaps, which CFR does not promise.

    >>> import counterfold as cf
    >>> gaps = correlated_gaps(cf.Kuhn(players=3), iterations=50)
    >>> max(gaps.coarse) < 0.1, max(gaps.correlated) > max(gaps.coarse)
    (True, True)
    """
    from counterfold.kernels.rule import AVERAGE

    play = RecordedPlay(game)
    solver = Solver(play.tree, method, alternating=alternating)
    for t in range(1, iterations + 1):
        fade = float(solver.method.schedule(t, 1, np.zeros(4))[0, AVERAGE])
        play.add(solver.current(), fade)
        solver.step()
    return play.gaps()
