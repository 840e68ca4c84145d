"""A style from what it should do: preference and vulnerability degrees that meet frequencies.

Pref-CFR takes delta and beta and gives some frequency; its authors leave open which to take
for a frequency that somebody wants. Here they are adapted while the solver runs. What the
control rests on, and what was tried on Kuhn and Leduc before it was chosen:

* *Delta sets odds.* Where no average regret exceeds beta, Pref-CFR plays in proportion to
  delta. So delta at the targets' infosets is the odds that are wanted there, and beta only has
  to be large enough for delta to decide: it starts at 0, is raised where play leaves the odds
  (the regrets spoke louder) and lowered where it keeps them. Inside the set of equilibria the
  regrets vanish, and beta with them.
* *Which odds.* A target fixes one number, and there may be many infosets. The odds follow the
  counterfactual values (exponentiated gradient) under a bonus on the named actions which is
  set so that the targets hold: the bonus is the Lagrange multiplier of the target, so actions
  and infosets where it costs least give way first. Where a frequency counts several infosets,
  it is a ratio, and how often the player gets to each matters as well: the earlier decisions
  on the way are controlled too, with the bonus as a price in payoff units. (Without, raise@round1
  = 0.5 on Leduc cost 0.039 instead of 0.026, and raise = 0.3 cost 0.031 instead of 0.014.) The
  aim is shifted by the measured error of the average strategy.
* *The other seats.* In a two-player zero-sum game exploitability is the sum of what each
  player's own part costs, so each targeted player is solved for in a run of its own, against
  an opponent who is free to punish the style, and seats without a target keep their part of
  the plain solution. The punisher's own part would be needlessly exploitable: for bet@J = 0.35
  in Kuhn the profile of the run costs 0.06 instead of 0.003. In other games nothing can be
  taken apart, and all targets share one run, whose profile is the result.

Tried and dropped: one integral controller a target that moves log-delta and, at its end stop,
beta (as "turn it up until it fits"). With one beta for all infosets of a target it met most
targets within 0.02, at up to thirty times the exact optimum on Leduc (which infoset gives
way is left to chance, and the last actions of the preferred ones are mixed evenly); with beta
in proportion to how often the preferred action is played it swung between all and nothing,
since regrets summed over the whole run answer late. Neither gave a delta and beta that mean
anything by themselves, whereas the ones found here can be given to ``solve``.

What remains: the odds are fitted to the aim as if how often each infoset is reached did not
depend on them. Where a named action itself leads to many more (or to forced) decisions that
count, the fit may go the wrong way, and the target is missed or met dearly: in 2 of 120 games
drawn at random (``tests/random_games`` of depth 5: seed 21 missed by 0.06, seed 142 met at 1.8
times the optimum). ``Meeting`` then says so.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.checkpoints import Checkpoints
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import assess_form
from counterfold.solve.leaning import Leaning
from counterfold.solve.lp import plans
from counterfold.solve.methods import DEFAULT_METHOD, Method, method
from counterfold.solve.program import Program
from counterfold.solve.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.style.control import ControlledRun, largest_payoff
from counterfold.style.frequency import Frequency
from counterfold.style.frontier import cheapest, frontier
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form

__all__ = ["TOLERANCE", "Meeting", "Met", "Stage", "meet"]

Floats = NDArray[np.float64]

TOLERANCE = 0.01
"""A target counts as met within this."""

PRECISION = 1e-4
"""What solving itself may leave of exploitability, as a share of the largest payoff."""

EPOCH = 25  # iterations between two changes of delta and beta, fewer at the start


@dataclass(frozen=True)
class Met:
    """One target, and what came of it."""

    frequency: Frequency
    wanted: float
    reached: float
    plain: float  # without a style

    @property
    def error(self) -> float:
        return self.reached - self.wanted


@dataclass(frozen=True)
class Stage:
    """Where a run stood: frequencies in the order of the targets, the largest delta and beta."""

    iteration: int
    reached: tuple[float, ...]
    exploitability: float
    delta: float
    beta: float
    cpu_seconds: float


@dataclass(frozen=True)
class Meeting(Certified):
    """A strategy that meets targets, the style that makes it, and what it costs. Frozen.

    ``style`` is the style as arrays, which ``solve(game, style=...)`` takes (all seats then
    answer to it, so that a frequency that depends on the others may come out a little
    differently), and ``told`` says it in words, a line an infoset. ``exploitability`` is exact,
    ``cost`` is what it is above that of plain solving, and ``optimum`` the least exploitability
    at which any strategy has the wanted frequencies, by linear programs (None where there are
    none). ``optima`` is the same by player, as an epsilon of the frontier: what that player's
    part guarantees less than the game's value. (Exploitability is the mean over both players,
    so ``optimum`` is half of the sum.)
    """

    game: str
    method: str
    targets: tuple[Met, ...]
    give_up: float
    exploitability: float
    plain_exploitability: float
    optimum: float | None
    optima: Mapping[int, float]
    within_budget: bool
    iterations: int
    seconds: float
    cpu_seconds: float
    told: tuple[str, ...]
    style: Leaning = field(repr=False)
    strategy: Strategy = field(repr=False)
    plain: Strategy = field(repr=False)
    trace: tuple[Stage, ...] = field(repr=False)

    @property
    def cost(self) -> float:
        """Exploitability above that of plain solving."""
        return self.exploitability - self.plain_exploitability

    @property
    def met(self) -> bool:
        """Whether every target is met within TOLERANCE and the budget."""
        return self.within_budget and all(abs(one.error) <= TOLERANCE for one in self.targets)


def meet(
    game: Any,
    targets: Mapping[str, float] | Mapping[Frequency, float],
    give_up: float = 0.0,
    method: str | Method = DEFAULT_METHOD,
    iterations: int = 20_000,
    seed: int = 0,
    on_report: Callable[[Stage], None] | None = None,
    save: str | os.PathLike[str] | None = None,
) -> Meeting:
    """Find the style whose average strategy meets target frequencies at the least cost.

    ``game`` is a game of perfect recall or its compiled tree; ``targets`` maps frequencies
    (see ``Frequency``), of one player or of several, to numbers from 0 to 1. ``give_up`` is
    the most exploitability, as the mean over players, that may be spent: with 0 only
    equilibria will do, up to what solving leaves (PRECISION). Frequencies are counted against
    the other seats of the same strategy. Traversals are full, so the seed is only kept for the
    record. ``save`` is where the best strategy so far goes once a minute, and on Ctrl-C.

    ParameterError if no strategy of a two-player zero-sum game meets the targets within the
    budget; it says what is the nearest and what the wanted would need. Elsewhere the budget
    is kept by stopping short of the targets, as ``met`` then tells.

    >>> import counterfold as cf
    >>> found = meet(cf.Kuhn(), {"bet@J": 0.25}, iterations=5000)
    >>> found.met, round(found.strategy.at("J")["bet"], 2), found.exploitability < 1e-3
    (True, 0.25, True)
    >>> found.told[0].split(";")[0]
    'player 1 at J: check 3 to bet 1'
    """
    tree = game if isinstance(game, HistoryTree) else compile_game(game)
    rule = _method(method)
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise ParameterError(f"iterations is {iterations!r}, and must be at least 1")
    if not (isinstance(give_up, int | float) and math.isfinite(give_up) and give_up >= 0):
        raise ParameterError(f"give_up is {give_up}, and must be a number from 0 up")
    asked = _asked(tree, targets)
    wall, cpu = time.perf_counter(), time.process_time()
    usual = Solver(tree, rule, seed=seed)
    usual.step(iterations)
    plain = usual.strategy()
    _check_possible(tree, asked, plain, give_up)
    search = _Search(tree, asked, plain, give_up, rule, seed)
    trace = []
    marks = {round(iterations * k / 50) for k in range(1, 50)} | {iterations}

    def found() -> Strategy:
        """The best so far."""
        about = {
            "method": f"targets by {rule.name}",
            "targets": {str(frequency): share for frequency, share in asked.items()},
            "give_up": give_up,
            "iteration": search.iteration,
            "seed": seed,
        }
        return Strategy.of(tree, search.result()[0], about)

    def keep() -> None:
        found().with_about(exploitability=search.result()[2]).save(str(save))

    checkpoints = Checkpoints(keep if save else None)
    try:
        while search.iteration < iterations:
            mark = min(m for m in marks if m > search.iteration)
            search.run_to(mark)
            trace.append(search.stage(time.process_time() - cpu))
            if mark > 0.2 * iterations:
                search.keep_to_budget(trace[-1].exploitability, 1 / len(trace))
            checkpoints.look()
            if on_report is not None:
                on_report(trace[-1])
    except KeyboardInterrupt:
        if trace:
            checkpoints.save()
        raise
    _, style, exploitability = search.result()
    spent = time.perf_counter() - wall, time.process_time() - cpu
    strategy = found()
    optima = _optima(tree, asked, strategy)
    return Meeting(
        game=tree.spec,
        method=rule.name,
        targets=tuple(
            Met(frequency, share, frequency.of(strategy), frequency.of(plain))
            for frequency, share in asked.items()
        ),
        give_up=float(give_up),
        exploitability=exploitability,
        plain_exploitability=search.plain_exploitability,
        optimum=sum(optima.values()) / 2 if optima else None,
        optima=optima,
        within_budget=exploitability <= search.allowed,
        iterations=iterations,
        seconds=spent[0],
        cpu_seconds=spent[1],
        told=_in_words(tree, style),
        style=style,
        strategy=strategy,
        plain=plain,
        trace=tuple(trace),
    )


_method = method


# What is asked, and whether it can be had.


def _asked(tree: HistoryTree, targets: Mapping[Any, float]) -> dict[Frequency, float]:
    if not targets:
        raise ParameterError("give at least one target")
    asked: dict[Frequency, float] = {}
    for name, share in targets.items():
        frequency = Frequency.parse(name) if isinstance(name, str) else name
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ParameterError(f"the target for {frequency} must be from 0 to 1, not {share!r}")
        named = frequency.matches(tree).named
        for other, wanted in asked.items():
            if wanted != share and np.array_equal(other.matches(tree).named, named):
                raise ParameterError(
                    f"the targets contradict each other: {other} = {wanted:g} and "
                    f"{frequency} = {share:g} are the same frequency"
                )
        asked[frequency] = float(share)
    return asked


def _by_player(asked: Mapping[Frequency, float]) -> dict[int, dict[Frequency, float]]:
    found: dict[int, dict[Frequency, float]] = {}
    for frequency, share in asked.items():
        found.setdefault(frequency.player, {})[frequency] = share
    return found


def _check_possible(
    tree: HistoryTree, asked: dict[Frequency, float], plain: Strategy, give_up: float
) -> None:
    """Refuse targets that no strategy has, or none within the budget."""
    if not sequence_form(tree).perfect_recall:
        raise UnsupportedError(f"{tree.spec} has imperfect recall, so targets cannot be met there")
    if not tree.two_player_zero_sum:
        for mine in _by_player(asked).values():
            _check_consistent(tree, mine, plain)
        return
    needed = sum(cheapest(tree, mine, against=plain).cost for mine in _by_player(asked).values())
    if needed / 2 <= _allowed(tree, give_up):
        return
    nearest = []
    for frequency, share in asked.items():
        point = frontier(tree, frequency, [2 * give_up], against=plain).points[0]
        nearest.append(f"{frequency} = {round(min(max(share, point.low), point.high), 4):g}")
    wanted = ", ".join(f"{frequency} = {share:g}" for frequency, share in asked.items())
    alone = "the nearest is" if len(asked) == 1 else "the nearest that each could be alone is"
    raise ParameterError(
        f"{wanted} needs an exploitability of {needed / 2:.4g} (epsilon {needed:.4g}), and "
        f"{give_up:g} may be given up; {alone} {', '.join(nearest)}"
    )


def _check_consistent(tree: HistoryTree, asked: dict[Frequency, float], against: Strategy) -> None:
    """Refuse targets of one player that no plan has, whatever it costs."""
    (player,) = {frequency.player for frequency in asked}
    program = Program()
    x = program.plan(plans(sequence_form(tree), player))
    for frequency, share in asked.items():
        top, bottom = frequency.coefficients(tree, against)
        program.equal((top - share * bottom) @ x, 0.0)
    if program.solve_if_feasible() is None:
        wanted = ", ".join(f"{frequency} = {share:g}" for frequency, share in asked.items())
        raise ParameterError(f"no strategy meets all of these at once: {wanted}")


def _optima(
    tree: HistoryTree, asked: dict[Frequency, float], against: Strategy
) -> dict[int, float]:
    """What the cheapest strategy with these frequencies costs each targeted player."""
    if not tree.two_player_zero_sum:
        return {}
    try:
        return {
            player: cheapest(tree, mine, against=against).cost
            for player, mine in _by_player(asked).items()
        }
    except ParameterError:  # the others' styles have closed a way; nothing to compare with
        return {}


def _allowed(tree: HistoryTree, give_up: float) -> float:
    """The budget, or what solving itself may leave if that is more."""
    return max(give_up + 1e-9 * largest_payoff(tree), PRECISION * largest_payoff(tree))


# The search: runs of Pref-CFR with a controller each.


class _Search:
    """All runs that some targets need, and the profile that they make together."""

    def __init__(
        self,
        tree: HistoryTree,
        asked: dict[Frequency, float],
        plain: Strategy,
        give_up: float,
        rule: Method,
        seed: int,
    ) -> None:
        self.tree, self.form, self.asked = tree, sequence_form(tree), asked
        self.profile = plain.probabilities.copy()
        self.plain_exploitability = self._exploitability()
        self.allowed = _allowed(tree, give_up)
        if not tree.two_player_zero_sum:  # where plain solving need not end at an equilibrium
            self.allowed = max(self.allowed, give_up + self.plain_exploitability)
        parts = list(_by_player(asked).items()) if tree.two_player_zero_sum else [(None, asked)]
        self.runs = [
            ControlledRun(tree, mine, plain, Solver(tree, rule, seed=seed), player)
            for player, mine in parts
        ]
        self.share = 1.0  # of the way from the plain frequencies to the targets
        self.epochs = 0
        self.best: tuple[tuple[float, ...], Floats, Leaning, float] | None = None

    @property
    def iteration(self) -> int:
        return self.runs[0].solver.iteration

    def run_to(self, iteration: int) -> None:
        while self.iteration < iteration:
            count = max(5, min(self.iteration // 100, EPOCH))
            for run in self.runs:
                run.step(min(count, iteration - run.solver.iteration), self.share)
                self.profile[run.own] = run.average[run.own]
            self.epochs += 1
            if self.epochs % 20 == 0 and (len(self.runs) > 1 or self.runs[0].player is None):
                now = Strategy.of(self.tree, self.tree.infosets.to_one(self.profile))
                for run in self.runs:
                    run.look(now)

    def stage(self, cpu_seconds: float) -> Stage:
        """Measure, and remember the best."""
        exploitability = self._exploitability()
        style = self._style()
        reached = {f: share for run in self.runs for f, share in run.frequencies().items()}
        stage = Stage(
            self.iteration,
            tuple(float(reached[frequency]) for frequency in self.asked),
            exploitability,
            float(style.delta.max()),
            float(style.beta.max()),
            cpu_seconds,
        )
        missed = max(abs(reached[f] - wanted) for f, wanted in self.asked.items())
        over = max(exploitability - self.allowed, 0.0)
        late = max(missed - TOLERANCE / 2, 0.0)
        # The last stage that is within budget and tolerance, or else the one nearest to it.
        key = (over, late, -float(self.iteration))
        if self.best is None or key <= self.best[0]:
            self.best = key, self.profile.copy(), style, exploitability
        return stage

    def keep_to_budget(self, exploitability: float, pace: float) -> None:
        """Go less far if that costs too much, and farther again if it does not.

        Costs are convex in the way that is gone, so this leads to the budget from either side;
        slowly, since a target on the move costs more than one at rest.
        """
        pull = min(max(1.0 - exploitability / self.allowed, -1.0), 0.5)
        self.share = min(self.share * (1 + pace * pull), 1.0)

    def result(self) -> tuple[Floats, Leaning, float]:
        assert self.best is not None  # every run ends with a stage
        return self.best[1], self.best[2], self.best[3]

    def _exploitability(self) -> float:
        return assess_form(self.form, self.profile)[0].exploitability

    def _style(self) -> Leaning:
        """The style as it stands: the odds of the average strategy, and what they need."""
        infosets = self.tree.infosets
        delta, beta = np.ones(infosets.slots), np.zeros(len(infosets.owner))
        for run in self.runs:
            delta[run.slots] = run.as_delta(self.profile[run.slots])
            beta[run.infosets] = run.needed
        return Leaning(delta, beta)


def _in_words(tree: HistoryTree, style: Leaning) -> tuple[str, ...]:
    infosets = tree.infosets
    lines = []
    for i, (owner, name) in enumerate(zip(infosets.owner.tolist(), infosets.labels, strict=True)):
        delta = style.delta[int(infosets.start[i]) : int(infosets.start[i + 1])]
        if (delta > 1).any() or style.beta[i] > 0:
            degrees = " to ".join(
                f"{action} {degree:.3g}"
                for action, degree in zip(infosets.actions[i], delta, strict=True)
            )
            lines.append(f"player {owner + 1} at {name}: {degrees}; give up {style.beta[i]:.2g}")
    return tuple(lines)
