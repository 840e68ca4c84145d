"""The price of a style, exactly: how often a player can do something at a given cost.

A strategy of one player *costs* what it guarantees less than the game's value, against an
opponent who answers it best: ``epsilon = value - guarantee``, in payoff units a hand. Beside
an equilibrium strategy of the other player, the exploitability of the profile (the mean of
both players' gains) is half of that.

The strategies that cost at most epsilon are realisation plans x with ``F'q <= A'x`` and
``q_0 >= value - epsilon`` (see ``solve.program``), a polytope; a frequency is a ratio of two linear
functions of x, so every question here is a linear program.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Bools, Floats, Ints
from counterfold.errors import CounterfoldError, ParameterError, UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.notebook import Tabular, brief
from counterfold.poker.game import PokerGame
from counterfold.solvers.lp import ZeroSumSeat, check_zero_sum, solve_lp
from counterfold.solvers.program import SLACK, Affine, Program
from counterfold.strategy.strategy import Strategy
from counterfold.style.frequency import Frequency
from counterfold.tree.form import form_of
from counterfold.tree.history import HistoryTree

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
    lowest: Strategy[HistoryTree]
    highest: Strategy[HistoryTree]

    def __repr__(self) -> str:
        return brief(self, f"{self.low:.4g} to {self.high:.4g} at {self.epsilon:g}")

    @property
    def profile_exploitability(self) -> float:
        """The most exploitable that ``lowest`` and ``highest`` are, as profiles."""
        return self.epsilon / 2


@dataclass(frozen=True)
class Frontier(Certified, Tabular):
    """What a player's frequency can be, by what it may cost. ``value`` is player 1's.

    The frequency is counted against ``against``, an equilibrium unless another was given.
    """

    frequency: Frequency
    value: float
    points: tuple[FrontierPoint, ...]
    against: Strategy[HistoryTree]

    def __repr__(self) -> str:
        return brief(self, f"of {self.frequency}: {len(self.points)} points")

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        rows = [(point.epsilon, point.low, point.high) for point in self.points]
        return ("epsilon", "low", "high"), rows

    def __iter__(self) -> Iterator[FrontierPoint]:
        return iter(self.points)

    def __getitem__(self, number: int) -> FrontierPoint:
        return self.points[number]


class Cheapest(NamedTuple):
    """The least that some targets cost, and a strategy that meets them at that cost."""

    cost: float
    strategy: Strategy[HistoryTree]


def frontier(
    game: object,
    frequency: Frequency | str,
    epsilons: Sequence[float],
    *,
    against: Strategy[HistoryTree] | None = None,
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
    tree = _compiled(game)
    budgets = [_cost("epsilon", epsilon) for epsilon in epsilons]
    if not budgets:
        raise ParameterError("give at least one epsilon")
    frequency = _parsed(frequency)
    seat = _Seat(tree, frequency.player)
    against = against or seat.profile
    ratio = _Ratio.of(frequency, tree, against)
    idle = _idle(seat, ratio)
    points = []
    for epsilon in budgets:
        (low, lowest), (high, highest) = (
            _extreme(seat, ratio, epsilon, sign, idle) for sign in (1, -1)
        )
        points.append(FrontierPoint(epsilon, min(low, high), high, lowest, highest))
    return Frontier(frequency, seat.game_value, tuple(points), against)


def cheapest(
    game: object,
    targets: Mapping[Frequency, float] | Mapping[str, float],
    *,
    against: Strategy[HistoryTree] | None = None,
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
    tree = _compiled(game)
    if not targets:
        raise ParameterError("give at least one target")
    if budget is not None:
        budget = _cost("the budget", budget)
    shares = {_parsed(frequency): _share(frequency, share) for frequency, share in targets.items()}
    if len({frequency.player for frequency in shares}) > 1:
        raise ParameterError("the targets must all be of one player")
    seat = _Seat(tree, next(iter(shares)).player)
    ratios = [
        (_Ratio.of(frequency, tree, against or seat.profile), share)
        for frequency, share in shares.items()
    ]
    met = _meet(seat, ratios)
    if met is None:
        raise ParameterError(_impossible(seat, ratios))
    if budget is not None and met.cost > budget + SLACK * seat.unit:
        raise ParameterError(_too_dear(seat, ratios, met.cost, budget))
    return met


def _compiled(game: object) -> HistoryTree:
    tree = game if isinstance(game, PokerGame) else form_of(game)
    if not isinstance(tree, HistoryTree):
        raise UnsupportedError(
            f"a frontier is exact by linear programs over histories, and {tree.spec} is compiled "
            "to another form; a style tells what it costs there"
        )
    check_zero_sum(tree, "the cost of a style has no exact frontier there")
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
    numerator: Floats
    denominator: Floats
    infosets: Ints
    named: Bools
    against: Strategy[HistoryTree]

    @classmethod
    def of(cls, frequency: Frequency, tree: HistoryTree, against: Strategy[HistoryTree]) -> _Ratio:
        numerator, denominator = frequency.coefficients(tree, against)
        scale = denominator.max()
        matches = frequency.matches(tree)
        return cls(frequency, numerator / scale, denominator / scale, *matches, against)

    @property
    def sure(self) -> bool:
        """Whether at some of the infosets every action is a named one."""
        start = self.against.infosets.start.astype(np.int64)
        return bool(np.logical_and.reduceat(self.named, start[:-1])[self.infosets].any())

    def above(self, share: float) -> Floats:
        """A row over plans: zero where the frequency is the share, and positive above."""
        return self.numerator - share * self.denominator

    def visits(self, plan: _Plan) -> float:
        """How often a plan goes where the frequency looks; 0 if only by rounding."""
        visits = float(self.denominator @ plan.x)
        return visits if visits >= NEVER else 0.0


_Targets = Sequence[tuple[_Ratio, float]]


class _Plan(NamedTuple):
    """A realisation plan, and what it guarantees less than the game's value."""

    x: Floats
    cost: float


class _Seat(ZeroSumSeat):
    """A player whose strategies have costs; ``profile`` is an equilibrium."""

    def __init__(self, tree: HistoryTree, player: int) -> None:
        super().__init__(tree, player)
        self.profile = solve_lp(tree).strategy

    @property
    def game_value(self) -> float:
        """The game's value to player 1."""
        return self.value if self.player == 0 else (self.tree.constant_sum or 0.0) - self.value

    def floor(self, epsilon: float) -> float:
        """The least guarantee of a strategy that costs at most epsilon, in units."""
        return (self.value - epsilon) / self.unit - SLACK

    def plan(self, x: Floats, guarantee: float) -> _Plan:
        cost = self.value - guarantee * self.unit
        return _Plan(x, cost if cost > 2 * SLACK * self.unit else 0.0)

    def cheapest(self, program: Program, x: Affine, guarantee: Affine) -> _Plan | None:
        """The plan with the best guarantee; None if the constraints leave none."""
        program.maximise(guarantee)
        solution = program.solve_if_feasible()
        return None if solution is None else self.plan(solution[x], solution.objective)

    def probabilities(self, plan: _Plan) -> Floats:
        """A plan as behaviour over the slots of the tree; the equilibrium where it never goes."""
        return self.behaviour(plan.x, self.profile.probabilities)

    def strategy(
        self, probabilities: Floats, cost: float, **about: object
    ) -> Strategy[HistoryTree]:
        made = {"method": "frontier", "player": self.player, "cost": cost, **about}
        return Strategy.of(self.tree, probabilities, made)


# The extremes of one frequency.


def _idle(seat: _Seat, ratio: _Ratio) -> _Plan | None:
    """The cheapest plan that never goes where the frequency looks, if there is one."""
    program, x, guarantee, _ = seat.guarantees()
    program.equal((ratio.denominator > 0).astype(np.float64) @ x, 0.0)
    return seat.cheapest(program, x, guarantee)


def _extreme(
    seat: _Seat, ratio: _Ratio, epsilon: float, sign: int, idle: _Plan | None
) -> tuple[float, Strategy[HistoryTree]]:
    """The least (sign 1) or greatest (sign -1) frequency at a cost of at most epsilon."""
    about = {"frequency": str(ratio.frequency), "epsilon": epsilon}
    outside: tuple[float, Strategy[HistoryTree]] | None = None
    if idle is not None and idle.cost <= epsilon + SLACK * seat.unit:
        probabilities = _all_or_nothing(ratio, seat.probabilities(idle), sign < 0)
        strategy = seat.strategy(probabilities, idle.cost, **about)
        outside = ratio.frequency.of(strategy, ratio.against), strategy
        if sign < 0 or not ratio.sure:
            return outside  # 1 or 0: nothing lies beyond
    share, plan = _extreme_plan(seat, ratio, epsilon, sign)
    if outside is not None and sign * outside[0] <= sign * share:
        return outside
    return share, seat.strategy(seat.probabilities(plan), plan.cost, **about)


def _extreme_plan(seat: _Seat, ratio: _Ratio, epsilon: float, sign: int) -> tuple[float, _Plan]:
    """The same among plans that go where the frequency looks, and the cheapest that shows it.

    Charnes and Cooper (1962): the extreme of n'x / d'x is that of n'x over scaled plans (x, q, t)
    with Ex = et, F'q <= A'x and q_0 >= (value - epsilon) t, where d'x = 1.
    """
    program = Program()
    t = program.variables(1)
    x = program.plan(seat.mine, scale=t)
    q, _ = program.best_reply(seat.yours, seat.payoff.T @ x)
    program.equal(ratio.denominator @ x, 1.0)
    budget = program.at_least(q[0], seat.floor(epsilon) * t)
    program.maximise(-sign * (ratio.numerator @ x))
    solution = program.solve_if_feasible()
    if solution is None:
        raise CounterfoldError(f"no strategy was found that costs at most {epsilon}")
    share = min(max(0.0, -sign * solution.objective), 1.0)  # and never -0.0
    scale = solution[t].item()
    plan = seat.plan(solution[x] / scale, solution[q[0]].item() / scale)
    if solution.price(budget).item() < 1e-9:  # a little more epsilon would be worth nothing
        thrifty = _same_for_less(seat, ratio, share, sign)
        plan = thrifty if thrifty is not None and thrifty.cost < plan.cost else plan
    return share, plan


def _same_for_less(seat: _Seat, ratio: _Ratio, share: float, sign: int) -> _Plan | None:
    """The cheapest plan with this extreme frequency, unless rounding spoils it."""
    program, x, guarantee, _ = seat.guarantees()
    program.at_most(sign * ratio.above(share) @ x, 0.0)
    plan = seat.cheapest(program, x, guarantee)
    if plan is None or not ratio.visits(plan):
        return None
    shown = ratio.numerator @ plan.x / ratio.visits(plan)
    return plan if abs(shown - share) < 1e-8 else None


def _all_or_nothing(ratio: _Ratio, probabilities: Floats, every: bool) -> Floats:
    """Only named actions at the frequency's infosets, or none where there are others."""
    infosets = ratio.against.infosets
    out = probabilities.copy()
    for i in ratio.infosets:
        lo, hi = int(infosets.start[i]), int(infosets.start[i + 1])
        kept = ratio.named[lo:hi] == every
        out[lo:hi] = kept if kept.any() else 1.0
    return infosets.to_one(out)


# The cheapest strategy that meets targets.


def _meet(seat: _Seat, targets: _Targets) -> Cheapest | None:
    """The cheapest strategy that meets all targets; None if none does."""
    rows = np.array([ratio.above(share) for ratio, share in targets])
    program, x, guarantee, _ = seat.guarantees()
    program.equal(rows @ x, 0.0)
    plan = seat.cheapest(program, x, guarantee)
    if plan is None:
        return None
    unseen = _unseen(plan, targets)
    if unseen:  # go there after all, if it costs nothing more
        program.at_least(guarantee, seat.floor(plan.cost))
        program.maximise(np.sum([ratio.denominator for ratio, _ in unseen], axis=0) @ x)
        solution = program.solve_if_feasible()
        busy = plan if solution is None else _Plan(solution[x], plan.cost)
        if len(_unseen(busy, targets)) < len(unseen):
            plan, unseen = busy, _unseen(busy, targets)
    probabilities = _filled(seat, unseen, seat.probabilities(_without(plan, unseen)))
    if probabilities is None:  # what it would do there cannot be all that; so it has to go there
        program, x, guarantee, _ = seat.guarantees()
        program.equal(rows @ x, 0.0)
        program.at_least(np.array([ratio.denominator for ratio, _ in unseen]) @ x, 1e-3)
        plan = seat.cheapest(program, x, guarantee)
        if plan is None:
            return None
        probabilities = seat.probabilities(plan)
    wanted = {str(ratio.frequency): share for ratio, share in targets}
    return Cheapest(plan.cost, seat.strategy(probabilities, plan.cost, targets=wanted))


def _unseen(plan: _Plan, targets: _Targets) -> _Targets:
    """The targets at infosets where the plan never goes."""
    return [(ratio, share) for ratio, share in targets if not ratio.visits(plan)]


def _without(plan: _Plan, unseen: _Targets) -> _Plan:
    """The plan without the traces by which rounding comes where it never goes."""
    x = plan.x.copy()
    for ratio, _ in unseen:
        x[ratio.denominator > 0] = 0.0
    return plan._replace(x=x)


def _filled(seat: _Seat, unseen: _Targets, probabilities: Floats) -> Floats | None:
    """Behaviour that meets targets at infosets where the player never goes; None if none can."""
    if not unseen:
        return probabilities
    infosets = seat.tree.infosets
    rows = np.unique(np.concatenate([ratio.infosets for ratio, _ in unseen]))
    slots = np.concatenate([np.arange(infosets.start[i], infosets.start[i + 1]) for i in rows])
    owner = np.repeat(rows, infosets.sizes[rows])
    program = Program()
    chosen = program.variables(len(slots), most=1.0)
    program.equal((owner == rows[:, None]).astype(np.float64) @ chosen, 1.0)
    for ratio, share in unseen:
        weights = np.zeros(len(infosets.owner))  # of the infosets in what the player would do
        weights[ratio.infosets] = ratio.frequency.weights(seat.tree, ratio.against)
        program.equal((ratio.named[slots] * weights[owner] / weights.sum()) @ chosen, share)
    solution = program.solve_if_feasible()
    if solution is None:
        return None
    out = probabilities.copy()
    out[slots] = solution[chosen]
    return infosets.to_one(out)


def _nearest(seat: _Seat, ratio: _Ratio, share: float, epsilon: float) -> float:
    """The frequency nearest to a target at a cost of at most epsilon."""
    idle = _idle(seat, ratio)
    low, high = (_extreme(seat, ratio, epsilon, sign, idle)[0] for sign in (1, -1))
    return min(max(share, low), high)


def _in_words(targets: _Targets) -> str:
    return ", ".join(f"{ratio.frequency} = {share:g}" for ratio, share in targets)


def _impossible(seat: _Seat, targets: _Targets) -> str:
    if len(targets) > 1:
        return f"no strategy meets all of these at once: {_in_words(targets)}"
    ((ratio, share),) = targets
    nearest = _nearest(seat, ratio, share, 4 * seat.unit)  # more than any strategy costs
    return f"no strategy has {_in_words(targets)}; the nearest is {nearest:.6g}"


def _too_dear(seat: _Seat, targets: _Targets, cost: float, budget: float) -> str:
    text = f"{_in_words(targets)} costs {cost:.6g}, more than the {budget:g} that may be given up"
    if len(targets) > 1:
        return text
    ((ratio, share),) = targets
    return f"{text}; the nearest to be had for that is {_nearest(seat, ratio, share, budget):.6g}"
