"""Linear programs over realisation plans, written as their equations.

A player's plan x is how likely it plays each of its sequences: x >= 0 with ``Ex = e``. What the
other player's best reply leaves to it is linear as well (Koller, Megiddo and von Stengel 1996):
with payoffs A by both players' sequences, a plan is worth q_0 for the largest values q of the
replier's infosets with ``F'q <= A'x``, and the prices of these rows are the reply's own plan.

HiGHS has absolute tolerances, so whoever writes a program brings payoffs in units of the largest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from counterfold.arrays import Floats, Ints
from counterfold.errors import CounterfoldError
from counterfold.interrupts import aside

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult
    from scipy.sparse import csr_array


TOLERANCES = (1e-10, 1e-9, 1e-7)
"""Tried in turn: the finest that the solver keeps is taken."""

ROUNDING = TOLERANCES[0]
"""A plan that plays a sequence less often than this does not play it."""

SLACK = 1e-9
"""How far a bound taken from one program may be missed in the next, in units."""

OPTIMAL, INFEASIBLE = 0, 2  # scipy's numbers


@dataclass(frozen=True, eq=False)
class Plans:
    """A player's realisation plans: the vectors x >= 0 with ``constraints @ x == total``.

    The first ``roots`` columns are sequences without any action, each played with certainty; then
    come the player's own sequences. Rows are the roots, then the infosets.
    """

    sequences: Ints  # [columns] the game's number of each column
    owner: Ints  # [columns] the row that the sequence belongs to
    parent: Ints  # [infosets] the column of the sequence that leads there
    roots: int = 1

    @cached_property
    def constraints(self) -> csr_array:
        """E: a root is played once, and what leads to an infoset is divided among its actions."""
        from scipy.sparse import csr_array

        columns, infosets = np.arange(len(self.owner)), np.arange(len(self.parent))
        values = np.append(np.ones(len(columns)), -np.ones(len(infosets)))
        rows = np.append(self.owner, self.roots + infosets)
        shape = (self.roots + len(infosets), len(columns))
        return csr_array((values, (rows, np.append(columns, self.parent))), shape=shape)

    @cached_property
    def total(self) -> Floats:
        """e: one for the roots, nothing for the infosets."""
        return np.append(np.ones(self.roots), np.zeros(len(self.parent)))


@dataclass(frozen=True, eq=False)
class Affine:
    """Some affine functions of a program's variables: a vector ``matrix @ variables + constant``.

    ``M @ f``, ``f + g``, ``f - g``, ``factor * f``, ``-f`` and ``f[rows]`` are such vectors again,
    where numbers and arrays stand for constants.
    """

    matrix: csr_array  # [functions, variables]; later variables do not occur
    constant: Floats  # [functions]

    __array_ufunc__ = None  # arrays leave operators to this class

    def __rmatmul__(self, matrix: Floats | csr_array) -> Affine:
        from scipy.sparse import csr_array

        rows = csr_array(np.atleast_2d(matrix) if isinstance(matrix, np.ndarray) else matrix)
        return Affine(rows @ self.matrix, rows @ self.constant)

    def __add__(self, other: Affine | ArrayLike) -> Affine:
        if not isinstance(other, Affine):
            return Affine(self.matrix, self.constant + np.asarray(other, dtype=np.float64))
        width = max(self.matrix.shape[1], other.matrix.shape[1])
        return Affine(self._widened(width) + other._widened(width), self.constant + other.constant)

    __radd__ = __add__

    def __neg__(self) -> Affine:
        return Affine(-self.matrix, -self.constant)

    def __sub__(self, other: Affine | ArrayLike) -> Affine:
        return self + (-other if isinstance(other, Affine) else -np.asarray(other))

    def __rsub__(self, other: ArrayLike) -> Affine:
        return -self + other

    def __rmul__(self, factor: float) -> Affine:
        return Affine(self.matrix * factor, self.constant * factor)

    def __getitem__(self, rows: int | Ints) -> Affine:
        rows = np.atleast_1d(rows)
        return Affine(self.matrix[rows], self.constant[rows])

    def _widened(self, width: int) -> csr_array:
        from scipy.sparse import csr_array

        kept = self.matrix
        return csr_array((kept.data, kept.indices, kept.indptr), shape=(kept.shape[0], width))


@dataclass(frozen=True, eq=False)
class Solution:
    """An optimum of a program: what it is worth, its variables and the prices of its bounds."""

    objective: float
    variables: Floats
    prices: Floats

    def __getitem__(self, functions: Affine) -> Floats:
        """What some functions of the variables come to."""
        known = self.variables[: functions.matrix.shape[1]]
        values: Floats = functions.matrix @ known + functions.constant
        return values

    def price(self, bounds: slice) -> Floats:
        """How much the objective would gain from a bound that is one unit wider."""
        return self.prices[bounds]


class Program:
    """A linear program: the most of an affine function of some variables within bounds.

    >>> program = Program()
    >>> x = program.variables(2)
    >>> bound = program.at_most(np.array([1.0, 2.0]) @ x, 4)
    >>> program.equal(x[0], 1)
    >>> program.maximise(x[1] + 10)
    >>> solution = program.solve()
    >>> solution.objective, solution[x].tolist(), solution.price(bound).tolist()
    (11.5, [1.0, 1.5], [0.5])
    """

    def __init__(self) -> None:
        self._limits = np.zeros((0, 2))
        self._unequal: list[Affine] = []  # <= 0
        self._equal: list[Affine] = []  # == 0
        self._bounds = 0
        self._aim: Affine | None = None

    def variables(self, count: int, least: float = 0.0, most: float = np.inf) -> Affine:
        """New variables between limits."""
        from scipy.sparse import csr_array

        first = len(self._limits)
        self._limits = np.concatenate([self._limits, np.full((count, 2), (least, most))])
        places = np.arange(count), first + np.arange(count)
        identity = csr_array((np.ones(count), places), shape=(count, first + count))
        return Affine(identity, np.zeros(count))

    def plan(self, plans: Plans, scale: Affine | None = None) -> Affine:
        """A realisation plan: Ex = e, or Ex = et for one that is scaled by some variable t."""
        x = self.variables(len(plans.owner))
        total = plans.total if scale is None else plans.total[:, None] @ scale
        self.equal(plans.constraints @ x, total)
        return x

    def best_reply(self, replies: Plans, worth: Affine) -> tuple[Affine, slice]:
        """What the best reply leaves: values q with F'q <= worth, and the rows that say so.

        ``worth`` is by the replier's sequences, A'x for a plan x. The values are by the rows of
        ``replies`` (the roots come first), and the price of the rows is the reply's plan.
        """
        q = self.variables(len(replies.total), least=-np.inf)
        return q, self.at_most(replies.constraints.T @ q, worth)

    def at_most(self, left: Affine, right: Affine | ArrayLike) -> slice:
        """Bounds left <= right; their places among the prices."""
        self._unequal.append(left - right)
        first, self._bounds = self._bounds, self._bounds + left.matrix.shape[0]
        return slice(first, self._bounds)

    def at_least(self, left: Affine, right: Affine | ArrayLike) -> slice:
        """Bounds left >= right; their places among the prices."""
        return self.at_most(-left, -right if isinstance(right, Affine) else -np.asarray(right))

    def equal(self, left: Affine, right: Affine | ArrayLike) -> None:
        """Constraints left == right."""
        self._equal.append(left - right)

    def maximise(self, aim: Affine) -> None:
        """The aim, in place of any earlier one; without any, all that is within bounds will do."""
        self._aim = aim

    def solve(self) -> Solution:
        """An optimum of a program that has one; CounterfoldError if none is found."""
        return self._solution(self._by_highs(OPTIMAL))

    def solve_if_feasible(self) -> Solution | None:
        """An optimum; None if nothing is within the bounds."""
        result = self._by_highs(OPTIMAL, INFEASIBLE)
        return None if result.status == INFEASIBLE else self._solution(result)

    def _solution(self, result: OptimizeResult) -> Solution:
        constant = 0.0 if self._aim is None else self._aim.constant.sum()
        variables = np.clip(result.x, *self._limits.T)
        return Solution(float(constant - result.fun), variables, -result.ineqlin.marginals)

    def _by_highs(self, *final: int) -> OptimizeResult:
        """The answer at the finest tolerance at which it is one of these."""
        from scipy.optimize import linprog

        unequal, most = self._stacked(self._unequal)
        equal, fixed = self._stacked(self._equal)
        aim, _ = self._stacked([] if self._aim is None else [self._aim])
        for tolerance in TOLERANCES:
            options = dict.fromkeys(
                ("primal_feasibility_tolerance", "dual_feasibility_tolerance"), tolerance
            )
            solver = partial(
                linprog, -aim.sum(axis=0), A_ub=unequal, b_ub=-most, A_eq=equal, b_eq=-fixed,
                bounds=self._limits, method="highs", options=options,
            )  # fmt: skip
            # Beside the main thread, for HiGHS hears no signals while it computes.
            result = aside(solver)
            if result.status in final:
                return result
        raise CounterfoldError(f"the linear program was not solved: {result.message}")

    def _stacked(self, functions: list[Affine]) -> tuple[csr_array, Floats]:
        """Functions below each other: their matrix over all variables, and their constants."""
        from scipy.sparse import csr_array, vstack

        width = len(self._limits)
        every = [*functions, Affine(csr_array((0, width)), np.zeros(0))]
        matrix = vstack([function._widened(width) for function in every]).tocsr()
        return matrix, np.concatenate([function.constant for function in every])
