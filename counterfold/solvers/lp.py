"""The exact oracle: a two-player zero-sum game as a linear program over sequences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.solvers.program import ROUNDING, Affine, Plans, Program
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import SequenceForm, sequence_form


@dataclass(frozen=True)
class LpSolution(Certified):
    """An equilibrium and the game's value to player 1, exact to the solver's tolerance."""

    value: float
    strategy: Strategy[HistoryTree]


class Optimum(NamedTuple):
    """The best plan of a program, and the objective in payoff units."""

    plan: Floats
    objective: float


def plans(form: SequenceForm, player: int) -> Plans:
    """The realisation plans of a player: column 0 is the empty sequence, k the k-th own one."""
    arrays = form.form
    first, last = int(arrays.groups[player]), int(arrays.groups[player + 1])
    start = int(arrays.start[first])
    bounds = arrays.infoset[first : last + 1].astype(np.int64) - int(arrays.infoset[first])
    sizes = np.diff(arrays.start[first : last + 1].astype(np.int64))
    # In a group of w infosets the actions of each are w sequences apart.
    groups = zip(bounds[:-1], np.diff(bounds), sizes, strict=True)
    owner = [1 + above + np.arange(size) % width for above, width, size in groups]
    parent = arrays.parent[arrays.infoset[first] : arrays.infoset[last]].astype(np.int64)
    return Plans(
        sequences=np.append(player, np.arange(start, int(arrays.start[last]))),
        owner=np.concatenate([np.zeros(1, dtype=np.int64), *owner]),
        parent=np.where(parent == player, 0, parent - start + 1),
    )


class ZeroSumSeat:
    """A two-player zero-sum game of perfect recall from one seat: max over x of min over y of x'Ay.

    ``mine`` and ``yours`` are the plans x of the seat and y of its opponent, and ``payoff`` is A,
    what the seat earns by both players' sequences, in units of the game's largest payoff.
    """

    def __init__(self, tree: HistoryTree, player: int) -> None:
        from scipy.sparse import csr_array

        self.tree, self.player, self.opponent = tree, player, 1 - player
        self.form = sequence_form(tree)
        self.mine, self.yours = plans(self.form, player), plans(self.form, 1 - player)
        self.unit = tree.largest_payoff or 1.0
        arrays = self.form.form
        column = np.zeros(self.form.sequences, dtype=np.int64)
        for side in (self.mine, self.yours):
            column[side.sequences] = np.arange(len(side.sequences))
        # Leaves are listed by every player's own sequences; the seat's own are A.
        ends = arrays.ptr.astype(np.int64)
        sequence = np.repeat(np.arange(self.form.sequences), ends[1:] - ends[:-1])
        kept = np.isin(sequence, self.mine.sequences)
        payoff = csr_array(
            (arrays.val[kept], (column[sequence[kept]], column[arrays.col[kept]])),
            shape=(len(self.mine.sequences), len(self.yours.sequences)),
        )
        self.payoff = payoff / self.unit

    def guarantees(self) -> tuple[Program, Affine, Affine, slice]:
        """All plans x with what they guarantee, F'q <= A'x: the program, x, q_0 and the rows."""
        program = Program()
        x = program.plan(self.mine)
        q, replies = program.best_reply(self.yours, self.payoff.T @ x)
        return program, x, q[0], replies

    @cached_property
    def equilibrium(self) -> Optimum:
        """A plan with the best guarantee; the objective is the game's value to the seat."""
        program, x, guarantee, _ = self.guarantees()
        program.maximise(guarantee)
        solution = program.solve()
        return Optimum(solution[x], solution.objective * self.unit)

    @property
    def value(self) -> float:
        """What the seat can guarantee."""
        return self.equilibrium.objective

    def behaviour(self, plan: Floats, elsewhere: Floats) -> Floats:
        """Probabilities over the tree's slots: a plan's where it goes, and others elsewhere."""
        infosets = self.tree.infosets
        weights = _weights(self.form, (self.mine, plan))
        goes = np.add.reduceat(weights, infosets.start[:-1].astype(np.int64)) > 0
        return infosets.to_one(np.where(np.repeat(goes, infosets.sizes), weights, elsewhere))


def solve_lp(tree: HistoryTree) -> LpSolution:
    """An equilibrium of a two-player zero-sum game of perfect recall, by HiGHS.

    >>> import counterfold as cf
    >>> from counterfold.tree.history import compile_game
    >>> round(solve_lp(compile_game(cf.Kuhn())).value * 18, 9)
    -1.0
    """
    check_zero_sum(tree, "no linear program solves it; use a CFR method")
    game = ZeroSumSeat(tree, 0)
    # max q_0 with Ex = e, F'q <= A'x; the prices of the latter are player 2's optimal plan.
    program, x, guarantee, replies = game.guarantees()
    program.maximise(guarantee)
    solution = program.solve()
    both = (game.mine, solution[x]), (game.yours, solution.price(replies))
    played = tree.infosets.to_one(_weights(game.form, *both))
    return LpSolution(solution.objective * game.unit, Strategy.of(tree, played, {"method": "lp"}))


def check_zero_sum(tree: HistoryTree, consequence: str) -> None:
    """Refuse a game whose equilibria are no linear program, and say what follows from that."""
    if not tree.two_player_zero_sum:
        raise UnsupportedError(f"{tree.spec} is not a two-player zero-sum game, so {consequence}")
    if not sequence_form(tree).perfect_recall:
        raise UnsupportedError(f"{tree.spec} has imperfect recall, so {consequence}")


def _weights(form: SequenceForm, *parts: tuple[Plans, Floats]) -> Floats:
    """Plans over the tree's slots, zero where a player never goes; forced moves weigh one."""
    weights = np.zeros(form.sequences)
    for some, plan in parts:
        weights[some.sequences] = np.where(plan > ROUNDING, plan, 0.0)
    return form.by_slot(weights)
