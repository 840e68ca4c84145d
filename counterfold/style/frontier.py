"""The price of a style, exactly: how often a player can do something at a given cost.

A strategy of one player *costs* what it guarantees less than the game's value, against an
opponent who answers it best: ``epsilon = value - guarantee``, in payoff units a hand. Beside
an equilibrium strategy of the other player, the exploitability of the profile (the mean of
both players' gains) is half of that.

The strategies that cost at most epsilon are realisation plans x with ``F'q <= A'x`` and
``q_0 >= value - epsilon`` (see ``solve.lp``), a polytope; a frequency is a ratio of two linear
functions of x. Charnes and Cooper (1962) make the ratio linear: scale the plan by t > 0 until
the denominator is 1. So every question here is a linear program over one cone, the scaled
plans (x, q, t) with ``Ex = et`` and ``F'q <= A'x``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import CounterfoldError, ParameterError, UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.solve.lp import payoff_matrix, plans, solve_lp, solve_program
from counterfold.strategy.infosets import slots_of
from counterfold.strategy.strategy import Strategy
from counterfold.style.frequency import Frequency
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form

__all__ = ["Cheapest", "Frontier", "FrontierPoint", "cheapest", "frontier"]

SLACK = 1e-9
"""What a strategy may cost beyond epsilon, as a share of the largest payoff."""

NEVER = 1e-8
"""A denominator below this is a plan that never goes there."""


@dataclass(frozen=True)
class FrontierPoint(Certified):
    """The least and the greatest frequency at a cost of at most ``epsilon``.

    The two strategies that show them have the other player's part from an equilibrium. Of
    those that show an extreme which would not move with a little more epsilon, the cheapest.
    """

    epsilon: float
    low: float
    high: float
    lowest: Strategy
    highest: Strategy

    @property
    def profile_exploitability(self) -> float:
        """The most exploitable that ``lowest`` and ``highest`` are, as profiles."""
        return self.epsilon / 2


@dataclass(frozen=True)
class Frontier(Certified):
    """What a player's frequency can be, by what it may cost. ``value`` is player 1's.

    The frequency is counted against ``against``, an equilibrium unless another was asked for.
    """

    frequency: Frequency
    value: float
    points: tuple[FrontierPoint, ...]
    against: Strategy


class Cheapest(NamedTuple):
    """The least that some targets cost, and a strategy that meets them at that cost."""

    cost: float
    strategy: Strategy


def frontier(
    game: Any,
    frequency: Frequency | str,
    epsilons: Sequence[float],
    *,
    against: Strategy | None = None,
) -> Frontier:
    """The exact range of a frequency over all strategies that cost at most epsilon.

    ``game`` is a two-player zero-sum game of perfect recall, or its compiled tree. Epsilon is
    what the player's strategy guarantees less than the game's value (see the module's text).
    A strategy that never goes where the frequency looks has the frequency of what it would do
    there, which nothing restrains.

    >>> import counterfold as cf
    >>> bluffs = frontier(cf.Kuhn(), "bet@J", [0, 0.05])
    >>> [(point.epsilon, round(point.low, 6), round(point.high, 6)) for point in bluffs.points]
    [(0.0, 0.0, 0.333333), (0.05, 0.0, 0.483333)]
    """
    tree = _checked(game)
    budgets = [_cost("epsilon", epsilon) for epsilon in epsilons]
    if not budgets:
        raise ParameterError("give at least one epsilon")
    asked = _parsed(frequency)
    cone = _Cone(tree, asked.player)
    ratio = _Ratio.of(asked, tree, against or cone.equilibrium)
    points = []
    idle = cone.idle(ratio)
    for epsilon in budgets:
        (low, lowest), (high, highest) = (
            _extreme(cone, ratio, epsilon, sign, idle) for sign in (1, -1)
        )
        points.append(FrontierPoint(epsilon, min(low, high), high, lowest, highest))
    return Frontier(asked, cone.game_value, tuple(points), against or cone.equilibrium)


def cheapest(
    game: Any,
    targets: Mapping[Frequency, float] | Mapping[str, float],
    *,
    against: Strategy | None = None,
    budget: float | None = None,
) -> Cheapest:
    """The least cost at which a player can meet target frequencies, all of them exactly.

    ParameterError if no strategy meets them, or none that costs at most ``budget``; for a
    single target it names the nearest that can be had.

    >>> import counterfold as cf
    >>> cost, strategy = cheapest(cf.Kuhn(), {"bet@J": 0.5, "bet@Q": 0.25})
    >>> round(cost, 6), round(strategy.at("J")["bet"], 6), round(strategy.at("Q")["bet"], 6)
    (0.069444, 0.5, 0.25)
    """
    tree = _checked(game)
    if not targets:
        raise ParameterError("give at least one target")
    if budget is not None:
        budget = _cost("the budget", budget)
    asked = {_parsed(frequency): _share(frequency, share) for frequency, share in targets.items()}
    if len({frequency.player for frequency in asked}) > 1:
        raise ParameterError("the targets must all be of one player")
    cone = _Cone(tree, next(iter(asked)).player)
    wanted = [
        (_Ratio.of(frequency, tree, against or cone.equilibrium), share)
        for frequency, share in asked.items()
    ]
    found = _meet(cone, wanted)
    if found is None:
        raise ParameterError(_impossible(cone, wanted))
    if budget is not None and found.cost > budget + SLACK * cone.scale:
        raise ParameterError(_too_dear(cone, wanted, found.cost, budget))
    return found


def _checked(game: Any) -> HistoryTree:
    tree = game if isinstance(game, HistoryTree) else compile_game(game)
    if not tree.two_player_zero_sum:
        raise UnsupportedError(
            f"{tree.spec} is not a two-player zero-sum game, so the cost of a style has no "
            "exact frontier there"
        )
    if not sequence_form(tree).perfect_recall:
        raise UnsupportedError(
            f"{tree.spec} has imperfect recall, so the cost of a style has no exact frontier there"
        )
    return tree


def _parsed(frequency: Frequency | str) -> Frequency:
    return Frequency.parse(frequency) if isinstance(frequency, str) else frequency


def _cost(name: str, number: float) -> float:
    if not (math.isfinite(number) and number >= 0):
        raise ParameterError(f"{name} must be a number from 0 up, not {number}")
    return float(number)


def _share(frequency: Frequency | str, number: float) -> float:
    if not 0 <= number <= 1:
        raise ParameterError(f"the target for {frequency} must be from 0 to 1, not {number}")
    return float(number)


@dataclass(frozen=True, eq=False)
class _Ratio:
    """A frequency as a ratio of linear functions of the plan, its denominator about 1."""

    frequency: Frequency
    numerator: NDArray[np.float64]
    denominator: NDArray[np.float64]
    infosets: NDArray[np.int64]
    named: NDArray[np.bool_]
    against: Strategy

    @classmethod
    def of(cls, frequency: Frequency, tree: HistoryTree, against: Strategy) -> _Ratio:
        numerator, denominator = frequency.coefficients(tree, against)
        scale = denominator.max()
        matches = frequency.matches(tree)
        return cls(frequency, numerator / scale, denominator / scale, *matches, against)

    @property
    def sure(self) -> bool:
        """Whether at some of the infosets every action is a named one."""
        start = self.against.infosets.start.astype(np.int64)
        return bool(np.logical_and.reduceat(self.named, start[:-1])[self.infosets].any())


class _Plan(NamedTuple):
    """A point of the cone, scaled back to a realisation plan."""

    x: NDArray[np.float64]
    cost: float
    objective: float
    price: float  # what a little more epsilon would be worth to the objective


class _Cone:
    """All scaled plans of a player with what they guarantee, and the game's value."""

    def __init__(self, tree: HistoryTree, player: int) -> None:
        from scipy.sparse import csr_array, hstack

        self.tree, self.player, self.form = tree, player, sequence_form(tree)
        self.equilibrium = solve_lp(tree).strategy
        # In units of the largest payoff, so that tolerances mean the same in every game.
        self.scale = tree.largest_payoff or 1.0
        payoff = payoff_matrix(self.form) / self.scale
        payoff = payoff if player == 0 else -payoff.T
        self.mine, yours = plans(self.form, player), plans(self.form, 1 - player)
        self.columns, self.replies = payoff.shape[0], len(yours.total)
        self.inequality = hstack(
            [-payoff.T, yours.constraints.T, csr_array((payoff.shape[1], 1))]
        ).tocsr()
        rows = len(self.mine.total)
        self.equality = hstack(
            [
                self.mine.constraints,
                csr_array((rows, self.replies)),
                csr_array(-self.mine.total[:, None]),
            ]
        ).tocsr()
        self.value = 0.0
        best = self.solve(guarantee=1.0)
        assert best is not None  # every game has a plan
        self.value = -best.objective

    @property
    def game_value(self) -> float:
        return self.value * self.scale * (1 if self.player == 0 else -1)

    def solve(
        self,
        objective: NDArray[np.float64] | None = None,
        guarantee: float = 0.0,
        unit: NDArray[np.float64] | None = None,
        epsilon: float | None = None,
        zero: Sequence[NDArray[np.float64]] = (),
        most: Sequence[tuple[NDArray[np.float64], float]] = (),
        closed: NDArray[np.bool_] | None = None,
    ) -> _Plan | None:
        """Minimise ``objective @ x - guarantee * q_0``; None if no plan is left.

        The plan is scaled so that ``unit @ x`` is 1 (so that t is, if not given), costs at
        most epsilon, and has ``zero @ x == 0``, ``row @ x <= bound`` for the rows of ``most``
        and ``x == 0`` where closed.
        """
        from scipy.sparse import csr_array, vstack

        size = self.columns + self.replies + 1
        aim = np.zeros(size)
        if objective is not None:
            aim[: self.columns] = objective
        aim[self.columns] = -guarantee
        scaling = np.zeros(size)
        scaling[-1] = unit is None
        scaling[: self.columns] = 0.0 if unit is None else unit
        equal, unequal = [scaling, *map(self._wide, zero)], [self._wide(row) for row, _ in most]
        bounds_above = [bound for _, bound in most]
        if epsilon is not None:
            floor = np.zeros(size)
            floor[self.columns] = -1.0
            floor[-1] = self.value - epsilon / self.scale - SLACK
            unequal.append(floor)
            bounds_above.append(0.0)
        limits = np.full((size, 2), (0.0, np.inf))
        limits[self.columns : -1, 0] = -np.inf
        if closed is not None:
            limits[: self.columns][closed, 1] = 0.0
        fixed = np.zeros(len(self.mine.total) + len(equal))
        fixed[len(self.mine.total)] = 1.0
        above = np.concatenate([np.zeros(self.inequality.shape[0]), bounds_above])
        extra = [csr_array(np.array(unequal))] if unequal else []
        found = solve_program(
            aim,
            A_ub=vstack([self.inequality, *extra]).tocsr(),
            b_ub=above,
            A_eq=vstack([self.equality, csr_array(np.array(equal))]).tocsr(),
            b_eq=fixed,
            bounds=limits,
            may_fail=True,
        )
        if found is None:
            return None
        t = float(found.x[-1])
        cost = (self.value - float(found.x[self.columns]) / t) * self.scale
        return _Plan(
            np.maximum(found.x[: self.columns], 0.0) / t,
            cost if cost > 2 * SLACK * self.scale else 0.0,
            float(found.fun),
            -float(found.ineqlin.marginals[-1]) if epsilon is not None else 0.0,
        )

    def _wide(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([row, np.zeros(self.replies + 1)])

    def idle(self, ratio: _Ratio) -> _Plan | None:
        """The cheapest plan that never goes where the frequency looks, if there is one."""
        closed = ratio.denominator > 0
        return None if closed[0] else self.solve(guarantee=1.0, closed=closed)

    def probabilities(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """A plan as behaviour over the slots of the tree; the equilibrium where it never goes."""
        plan = np.zeros(self.form.sequences)
        plan[self.mine.sequences] = np.where(x > 1e-10, x, 0.0)
        played, start = self.form.by_slot(plan), self.tree.infosets.start.astype(np.int64)
        visited = np.add.reduceat(played, start[:-1]) > 0
        lo, hi = slots_of(self.tree.infosets, self.player)
        own = np.repeat(visited, self.tree.infosets.sizes)
        own[:lo] = own[hi:] = False
        out = np.where(own, played, self.equilibrium.probabilities)
        return self.tree.infosets.to_one(out)

    def strategy(self, probabilities: NDArray[np.float64], cost: float, **about: Any) -> Strategy:
        told = {"method": "frontier", "player": self.player, "cost": cost, **about}
        return Strategy.of(self.tree, probabilities, told)


def _extreme(
    cone: _Cone, ratio: _Ratio, epsilon: float, sign: int, idle: _Plan | None
) -> tuple[float, Strategy]:
    """The least (sign 1) or greatest (sign -1) frequency at a cost of at most epsilon."""
    about = {"frequency": str(ratio.frequency), "epsilon": epsilon}
    best: tuple[float, Strategy] | None = None
    if idle is not None and idle.cost <= epsilon + SLACK * cone.scale:
        probabilities = _all_or_nothing(cone, ratio, cone.probabilities(idle.x), sign < 0)
        strategy = cone.strategy(probabilities, idle.cost, **about)
        best = ratio.frequency.of(strategy, ratio.against), strategy
        if sign < 0 or not ratio.sure:
            return best  # 1 or 0: nothing lies beyond
    plan = cone.solve(sign * ratio.numerator, unit=ratio.denominator, epsilon=epsilon)
    if plan is None:
        raise CounterfoldError(f"no strategy was found that costs at most {epsilon}")
    share = min(max(sign * plan.objective, 0.0), 1.0)
    if plan.price < 1e-9:
        thrifty = _same_for_less(cone, ratio, share, sign)
        plan = thrifty if thrifty is not None and thrifty.cost < plan.cost else plan
    if best is not None and sign * best[0] <= sign * share:
        return best
    return share, cone.strategy(cone.probabilities(plan.x), plan.cost, **about)


def _same_for_less(cone: _Cone, ratio: _Ratio, share: float, sign: int) -> _Plan | None:
    """The cheapest plan with this extreme frequency, unless rounding spoils it."""
    beyond = sign * (ratio.numerator - share * ratio.denominator)
    plan = cone.solve(guarantee=1.0, most=[(beyond, 0.0)])
    if plan is None or ratio.denominator @ plan.x < NEVER:
        return None
    found = ratio.numerator @ plan.x / (ratio.denominator @ plan.x)
    return plan if abs(found - share) < 1e-8 else None


def _all_or_nothing(
    cone: _Cone, ratio: _Ratio, probabilities: NDArray[np.float64], every: bool
) -> NDArray[np.float64]:
    """Only named actions at the frequency's infosets, or none where there are others."""
    start = cone.tree.infosets.start
    out = probabilities.copy()
    for i in ratio.infosets:
        lo, hi = int(start[i]), int(start[i + 1])
        kept = ratio.named[lo:hi] == every
        out[lo:hi] = kept if kept.any() else 1.0
    return cone.tree.infosets.to_one(out)


def _meet(cone: _Cone, wanted: list[tuple[_Ratio, float]]) -> Cheapest | None:
    """The cheapest strategy that meets all targets; None if none does."""
    rows = [ratio.numerator - share * ratio.denominator for ratio, share in wanted]
    plan = cone.solve(guarantee=1.0, zero=rows)
    if plan is None:
        return None
    about = {"targets": {str(ratio.frequency): share for ratio, share in wanted}}
    unseen = _unseen(plan, wanted)
    if unseen:  # go there after all, if it costs nothing more
        visits = np.sum([ratio.denominator for ratio, _ in unseen], axis=0)
        busy = cone.solve(-visits, epsilon=plan.cost, zero=rows)
        if busy is not None and len(_unseen(busy, wanted)) < len(unseen):
            plan, unseen = busy._replace(cost=plan.cost), _unseen(busy, wanted)
    probabilities = cone.probabilities(_without(plan.x, unseen))
    filled = _filled(cone, unseen, probabilities)
    if filled is None:  # what it would do there cannot be all that; so it has to go there
        visited = [(-ratio.denominator, -1e-3) for ratio, _ in unseen]
        plan = cone.solve(guarantee=1.0, zero=rows, most=visited)
        if plan is None:
            return None
        filled = cone.probabilities(plan.x)
    return Cheapest(plan.cost, cone.strategy(filled, plan.cost, **about))


def _unseen(plan: _Plan, wanted: list[tuple[_Ratio, float]]) -> list[tuple[_Ratio, float]]:
    return [(ratio, share) for ratio, share in wanted if ratio.denominator @ plan.x < NEVER]


def _without(x: NDArray[np.float64], unseen: Iterable[tuple[_Ratio, float]]) -> NDArray[np.float64]:
    """The plan without the traces by which rounding comes where it never goes."""
    out = x.copy()
    for ratio, _ in unseen:
        out[ratio.denominator > 0] = 0.0
    return out


def _filled(
    cone: _Cone, unseen: list[tuple[_Ratio, float]], probabilities: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Behaviour that meets targets at infosets where the player never goes; None if none can."""
    if not unseen:
        return probabilities
    infosets = cone.tree.infosets
    rows = np.unique(np.concatenate([ratio.infosets for ratio, _ in unseen]))
    slots = np.concatenate([np.arange(infosets.start[i], infosets.start[i + 1]) for i in rows])
    owner = np.repeat(rows, infosets.sizes[rows])
    sums = (owner[None, :] == rows[:, None]).astype(np.float64)
    shares = np.array([_weights(cone, ratio)[slots] for ratio, _ in unseen])
    found = solve_program(
        np.zeros(len(slots)),
        A_eq=np.concatenate([sums, shares]),
        b_eq=np.concatenate([np.ones(len(rows)), [share for _, share in unseen]]),
        bounds=(0.0, 1.0),
        may_fail=True,
    )
    if found is None:
        return None
    out = probabilities.copy()
    out[slots] = found.x
    return cone.tree.infosets.to_one(out)


def _weights(cone: _Cone, ratio: _Ratio) -> NDArray[np.float64]:
    """By slot: what an action adds to a frequency where the player never goes."""
    infosets, start = cone.tree.infosets, cone.tree.infosets.start
    out = np.zeros(infosets.slots)
    weights = ratio.frequency.weights(cone.tree, ratio.against)
    for i, weight in zip(ratio.infosets, weights / weights.sum(), strict=True):
        lo, hi = int(start[i]), int(start[i + 1])
        out[lo:hi] = ratio.named[lo:hi] * weight
    return out


def _nearest(cone: _Cone, ratio: _Ratio, share: float, epsilon: float | None) -> float:
    """The frequency nearest to a target at a cost of at most epsilon (None: at any cost)."""
    epsilon = 4 * cone.scale if epsilon is None else epsilon  # more than any strategy costs
    idle = cone.idle(ratio)
    low, high = (_extreme(cone, ratio, epsilon, sign, idle)[0] for sign in (1, -1))
    return min(max(share, low), high)


def _impossible(cone: _Cone, wanted: list[tuple[_Ratio, float]]) -> str:
    if len(wanted) > 1:
        asked = ", ".join(f"{ratio.frequency} = {share:g}" for ratio, share in wanted)
        return f"no strategy meets all of these at once: {asked}"
    ((ratio, share),) = wanted
    nearest = _nearest(cone, ratio, share, None)
    return f"no strategy has {ratio.frequency} = {share:g}; the nearest is {nearest:.6g}"


def _too_dear(cone: _Cone, wanted: list[tuple[_Ratio, float]], cost: float, budget: float) -> str:
    asked = ", ".join(f"{ratio.frequency} = {share:g}" for ratio, share in wanted)
    text = f"{asked} costs {cost:.6g}, more than the {budget:g} that may be given up"
    if len(wanted) > 1:
        return text
    ((ratio, share),) = wanted
    return f"{text}; the nearest to be had for that is {_nearest(cone, ratio, share, budget):.6g}"
