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

from counterfold.arrays import Floats
from counterfold.errors import UnsupportedError
from counterfold.solvers.advice import advice
from counterfold.solvers.methods import Method
from counterfold.solvers.solver import Solver
from counterfold.tree.form import form_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import sequence_form

MOST_PAIRS = 20_000_000


class CorrelatedGaps(NamedTuple):
    """What each player could gain, in payoffs a hand: by a fixed plan, and by leaving advice.

    The coarse one is below zero where every fixed plan earns less than the play did.
    """

    coarse: tuple[float, ...]
    correlated: tuple[float, ...]


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
        found = advice(self.form, MOST_PAIRS)
        if found is None:
            raise UnsupportedError(
                f"{tree.spec} is too large for its correlated equilibria: more than "
                f"{MOST_PAIRS:,} pairs of moves"
            )
        self.players = found
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

    The coarse gap is what ``Result.cce_gap`` tells of the same run, the other one what
    ``Result.correlated_gap`` tells if the game is small; that goes to zero only where a method
    has no regret for swaps, which CFR does not promise.

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
