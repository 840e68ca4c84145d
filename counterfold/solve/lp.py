"""The exact oracle: a two-player zero-sum game as a linear program over sequences.

Koller, Megiddo and von Stengel (1996): player 1 chooses a realisation plan x (Ex = e, x >= 0)
that maximises the value q_0 which player 2's best response leaves, A'x >= F'q. The dual prices
of those constraints are player 2's optimal plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import CounterfoldError, UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.interrupts import aside
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import SequenceForm, sequence_form

__all__ = ["LpSolution", "Plans", "payoff_matrix", "plans", "solve_lp", "solve_program"]

TOLERANCES = (1e-10, 1e-9, 1e-7)  # the finest that the solver keeps is taken
INFEASIBLE = 2


@dataclass(frozen=True)
class LpSolution(Certified):
    """An equilibrium and the game's value to player 1, exact to the solver's tolerance."""

    value: float
    strategy: Strategy


@dataclass(frozen=True)
class Plans:
    """A player's realisation plans: the vectors x >= 0 with ``constraints @ x == total``.

    Column 0 is the empty sequence; column k the player's k-th own sequence.
    """

    sequences: NDArray[np.int64]  # the sequence form's number of each column
    constraints: Any  # sparse [infosets + 1, columns]
    total: NDArray[np.float64]


def plans(form: SequenceForm, player: int) -> Plans:
    """The realisation plans of a player."""
    from scipy.sparse import csr_array

    arrays = form.form
    first, last = int(arrays.groups[player]), int(arrays.groups[player + 1])
    start, stop = int(arrays.start[first]), int(arrays.start[last])
    sequences = np.concatenate([[player], np.arange(start, stop)])

    def column(sequence: NDArray[np.integer]) -> NDArray[np.int64]:
        found = sequence.astype(np.int64)
        return np.where(found == player, 0, found - start + 1)

    row_of, col_of, value = [np.zeros(1, int)], [np.zeros(1, int)], [np.ones(1)]
    above = int(arrays.infoset[first])
    for group in range(first, last):
        lo, hi = int(arrays.infoset[group]), int(arrays.infoset[group + 1])
        width, begin = hi - lo, int(arrays.start[group])
        actions = (int(arrays.start[group + 1]) - begin) // width
        rows = 1 + np.arange(lo, hi) - above
        row_of += [rows, np.tile(rows, actions)]
        col_of += [
            column(arrays.parent[lo:hi]),
            column(begin + np.arange(actions * width)),
        ]
        value += [-np.ones(width), np.ones(actions * width)]
    infosets = int(arrays.infoset[last]) - above
    matrix = csr_array(
        (np.concatenate(value), (np.concatenate(row_of), np.concatenate(col_of))),
        shape=(infosets + 1, len(sequences)),
    )
    total = np.zeros(infosets + 1)
    total[0] = 1.0
    return Plans(sequences, matrix, total)


def payoff_matrix(form: SequenceForm) -> Any:
    """Player 1's expected payoff by own sequence (rows) and player 2's (columns), sparse."""
    from scipy.sparse import csr_array

    arrays = form.form
    place = np.zeros(form.sequences, dtype=np.int64)
    for player in range(2):
        sequences = plans(form, player).sequences
        place[sequences] = np.arange(len(sequences))
    mine = plans(form, 0).sequences
    counts = arrays.ptr[mine + 1].astype(np.int64) - arrays.ptr[mine]
    entries = np.concatenate(
        [np.arange(int(arrays.ptr[s]), int(arrays.ptr[s + 1])) for s in mine]
    ).astype(np.int64)
    return csr_array(
        (
            arrays.val[entries],
            (np.repeat(np.arange(len(mine)), counts), place[arrays.col[entries]]),
        ),
        shape=(len(mine), len(plans(form, 1).sequences)),
    )


def solve_program(aim: NDArray[np.float64], *, may_fail: bool = False, **program: Any) -> Any:
    """The least ``aim @ x`` of a linear program in scipy's words, by HiGHS; how it was found.

    Tolerances of the solver are absolute, so payoffs come in units of the largest one. With
    ``may_fail`` a program that nothing solves is None, and an error otherwise.
    """
    from scipy.optimize import linprog

    for tolerance in TOLERANCES:
        options = dict.fromkeys(
            ("primal_feasibility_tolerance", "dual_feasibility_tolerance"), tolerance
        )
        # Beside the main thread, for HiGHS hears no signals while it computes.
        found = aside(partial(linprog, aim, method="highs", options=options, **program))
        if found.status == 0:
            return found
        if found.status == INFEASIBLE and may_fail:
            return None
    raise CounterfoldError(f"the linear program was not solved: {found.message}")


def solve_lp(tree: HistoryTree) -> LpSolution:
    """An equilibrium of a two-player zero-sum game of perfect recall, by HiGHS.

    >>> import counterfold as cf
    >>> from counterfold.tree.history import compile_game
    >>> round(solve_lp(compile_game(cf.Kuhn())).value * 18, 9)
    -1.0
    """
    from scipy.sparse import csr_array, hstack

    form = sequence_form(tree)
    if not tree.two_player_zero_sum:
        raise UnsupportedError(
            f"{tree.spec} is not a two-player zero-sum game, so no linear program solves it; "
            "use a CFR method, which approaches a coarse correlated equilibrium"
        )
    if not form.perfect_recall:
        raise UnsupportedError(
            f"{tree.spec} has imperfect recall, so no linear program solves it; use a CFR method"
        )
    scale = tree.largest_payoff or 1.0
    payoff = payoff_matrix(form) / scale
    mine, yours = plans(form, 0), plans(form, 1)
    rows, columns = payoff.shape
    duals = yours.constraints.shape[0]
    # Variables (x, q): maximise q_0 with F'q - A'x <= 0 and Ex = e.
    inequality = hstack([-payoff.T, yours.constraints.T]).tocsr()
    equality = hstack([mine.constraints, csr_array((mine.constraints.shape[0], duals))]).tocsr()
    objective = np.concatenate([np.zeros(rows), -yours.total])
    bounds = np.full((rows + duals, 2), (-np.inf, np.inf))
    bounds[:rows, 0] = 0.0
    found = solve_program(
        objective,
        A_ub=inequality,
        b_ub=np.zeros(columns),
        A_eq=equality,
        b_eq=mine.total,
        bounds=bounds,
    )
    strategy = np.ones(form.sequences)
    strategy[mine.sequences] = found.x[:rows]
    strategy[yours.sequences] = -found.ineqlin.marginals
    return LpSolution(-float(found.fun) * scale, _behaviour(form, strategy))


def _behaviour(form: SequenceForm, plan: NDArray[np.float64]) -> Strategy:
    from counterfold.evaluate.sequence import workspace
    from counterfold.kernels.sequence import normalise

    strategy = np.ones(form.sequences)
    plan = np.where(plan > 1e-12, plan, 0.0)
    normalise(form.form, plan, strategy, workspace(form))
    return Strategy.of(form.tree, form.by_slot(strategy), {"method": "lp"})
