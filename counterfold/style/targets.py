"""A style from what it should do: preference and vulnerability degrees that meet frequencies.

Pref-CFR takes delta and beta and gives some frequency. Here they are adapted while the solver runs
(``control``), in a run for each targeted player; docs/explanation/style.md says why so.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from counterfold.arrays import Floats
from counterfold.checkpoints import Checkpoints
from counterfold.errors import ParameterError, UnsupportedError, short
from counterfold.evaluate.certificate import Certified
from counterfold.notebook import Tabular, brief
from counterfold.solvers.conditions import Conditions, symmetry_under
from counterfold.solvers.lp import plans
from counterfold.solvers.methods import Method
from counterfold.solvers.methods import method as method_named
from counterfold.solvers.program import Program
from counterfold.solvers.settings import defaults_of
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.style.frequency import Frequency
from counterfold.style.frontier import cheapest, frontier
from counterfold.style.target_search import (
    TOLERANCE,
    Stage,
    Targets,
    TargetSearch,
    allowed_exploitability,
    by_player,
)
from counterfold.style.visits import matches_by_hand
from counterfold.tree.form import Form, form_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.public import PublicTree
from counterfold.tree.sequence import sequence_form

Tree = HistoryTree | PublicTree
"""Where the frequency of an action can be counted."""


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
class Meeting(Certified, Tabular):
    """A strategy that meets targets, the style that makes it, and what it costs. Frozen.

    ``style`` is the style as arrays, which ``solve(game, style=...)`` takes (all seats then
    answer to it, so that a frequency that depends on the others may come out a little
    differently), and ``description`` says it in words, infosets that are alike in one line.
    ``exploitability`` is exact, ``cost`` is what it is above that of plain solving, and ``optimum``
    the least at which any strategy has the wanted frequencies, by linear programs (None where there
    are none). ``optima`` is the same by player, as an epsilon of the frontier: what that player's
    part guarantees less than the game's value. (Exploitability is the mean over both players, so
    ``optimum`` is half of the sum.)
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
    description: tuple[str, ...]
    style: Conditions = field(repr=False)
    strategy: Strategy = field(repr=False)
    plain: Strategy = field(repr=False)
    trace: tuple[Stage, ...] = field(repr=False)

    def __repr__(self) -> str:
        reached = ", ".join(f"{one.frequency} = {one.reached:.4g}" for one in self.targets)
        return brief(self, f"of {self.game}: {reached} at {self.exploitability:.3g}")

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """The way there: a row a stage."""
        names = [str(one.frequency) for one in self.targets]
        rows = [(s.iteration, *s.reached, s.exploitability, s.delta, s.beta) for s in self.trace]
        return ("iteration", *names, "exploitability", "delta", "beta"), rows

    @property
    def cost(self) -> float:
        """Exploitability above that of plain solving."""
        return self.exploitability - self.plain_exploitability

    @property
    def met(self) -> bool:
        """Whether every target is met within TOLERANCE and the budget."""
        return self.within_budget and all(abs(one.error) <= TOLERANCE for one in self.targets)


def meet(
    game: object,
    targets: Mapping[str, float] | Mapping[Frequency, float],
    give_up: float = 0.0,
    method: str | Method | None = None,
    iterations: int | None = None,
    seed: int = 0,
    on_report: Callable[[Stage], None] | None = None,
    save: str | os.PathLike[str] | None = None,
) -> Meeting:
    """Find the style whose average strategy meets target frequencies at the least cost.

    ``game`` is a game of perfect recall or a poker spot, or one compiled; ``targets`` maps
    frequencies (see ``Frequency``), of one player or of several, to numbers from 0 to 1. ``method``
    is the usual one of the game if not given, and there are 20,000 iterations, or 1,000 for all
    hands of poker at once. ``give_up`` is the most exploitability, as the mean over players, that
    may be spent: with 0 only equilibria will do, up to what solving leaves (PRECISION). Frequencies
    are counted against the other seats of the same strategy. ``save`` is where the best strategy so
    far goes once a minute, and on Ctrl-C; the seed is kept for the record.

    ParameterError if no strategy of a two-player zero-sum game meets the targets within the
    budget; it says what is the nearest and what the wanted would need. Elsewhere the budget
    is kept by stopping short of the targets, as ``met`` then tells.

    >>> import counterfold as cf
    >>> meeting = meet(cf.Kuhn(), {"bet@J": 0.25}, iterations=5000)
    >>> meeting.met, round(meeting.strategy.at("J")["bet"], 2), meeting.exploitability < 1e-3
    (True, 0.25, True)
    >>> meeting.description[0].split(";")[0]
    'player 1 at J: check 3 to bet 1'
    """
    tree = _form(game, targets)
    rule, parsed = method_named(method or defaults_of(tree).method), _parsed(tree, targets)
    iterations = _checked_limits(tree, iterations, give_up)
    clock = time.perf_counter(), time.process_time()
    plain = _plain(tree, rule, iterations, seed)
    _check_possible(tree, parsed, plain, give_up)
    search = TargetSearch(tree, parsed, plain, give_up, rule, seed)
    trace = _adapt(search, iterations, clock[1], on_report, save)
    spent = time.perf_counter() - clock[0], time.process_time() - clock[1]
    best, optima = search.best, _optima(tree, parsed, search.best.strategy)
    return Meeting(
        game=tree.spec,
        method=rule.name,
        targets=_met(parsed, best.strategy, plain),
        give_up=float(give_up),
        exploitability=best.exploitability,
        plain_exploitability=search.plain_exploitability,
        optimum=sum(optima.values()) / 2 if optima else None,
        optima=optima,
        within_budget=best.exploitability <= search.allowed,
        iterations=iterations,
        seconds=spent[0],
        cpu_seconds=spent[1],
        description=best.description,
        style=best.style,
        strategy=best.strategy,
        plain=plain,
        trace=trace,
    )


def _form(game: object, targets: Iterable[str | Frequency]) -> Tree:
    """The compiled game, in which suits are told apart if a target does so."""
    if not isinstance(targets, Mapping):
        raise ParameterError(
            f'targets are frequencies by name, such as {{"bet@J": 0.25}}, not {short(targets)}'
        )
    words = (Frequency.parse(one) if isinstance(one, str) else one for one in targets)
    form = form_of(game, symmetry=symmetry_under(game, None, *words))
    if not isinstance(form, Tree):
        raise UnsupportedError(
            "targets are met over histories, or over all hands of poker at once, and "
            f"{form.spec} is compiled to another form"
        )
    return form


def _plain(tree: Form, rule: Method, iterations: int, seed: int) -> Strategy:
    """The game solved without a style."""
    solver = Solver(tree, rule, seed=seed)
    solver.step(iterations)
    return solver.strategy()


def _met(targets: Targets, strategy: Strategy, plain: Strategy) -> tuple[Met, ...]:
    return tuple(Met(f, share, f.of(strategy), f.of(plain)) for f, share in targets.items())


def _adapt(
    search: TargetSearch,
    iterations: int,
    began: float,
    on_report: Callable[[Stage], None] | None,
    save: str | os.PathLike[str] | None,
) -> tuple[Stage, ...]:
    """Run a search to its end in about fifty stages, with reports and checkpoints on the way."""
    trace: list[Stage] = []
    marks = {round(iterations * k / 50) for k in range(1, 50)} | {iterations}

    def keep() -> None:
        exploitability = search.best.exploitability
        search.best.strategy.with_about(exploitability=exploitability).save(str(save))

    checkpoints = Checkpoints(keep if save else None)
    try:
        while search.iteration < iterations:
            mark = min(m for m in marks if m > search.iteration)
            search.run_to(mark)
            trace.append(search.stage(time.process_time() - began))
            if mark > 0.2 * iterations:
                search.keep_to_budget(trace[-1].exploitability, 1 / len(trace))
            checkpoints.look()
            if on_report is not None:
                on_report(trace[-1])
    except KeyboardInterrupt:
        if trace:
            checkpoints.save()
        raise
    return tuple(trace)


# The targets, and whether they can be had.


def _checked_limits(tree: Form, iterations: int | None, give_up: float) -> int:
    if iterations is None:
        iterations = 1_000 if isinstance(tree, PublicTree) else 20_000
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise ParameterError(f"iterations is {iterations!r}, and must be at least 1")
    if not (isinstance(give_up, int | float) and math.isfinite(give_up) and give_up >= 0):
        raise ParameterError(f"give_up is {give_up}, and must be a number from 0 up")
    return iterations


def _parsed(
    tree: Tree, targets: Mapping[str, float] | Mapping[Frequency, float]
) -> dict[Frequency, float]:
    if not targets:
        raise ParameterError("give at least one target")
    shares: dict[Frequency, float] = {}
    for name, share in targets.items():
        frequency = Frequency.on(tree, name)
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ParameterError(f"the target for {frequency} must be from 0 to 1, not {share!r}")
        named = _named(tree, frequency)
        for other, wanted in shares.items():
            if wanted != share and np.array_equal(_named(tree, other), named):
                raise ParameterError(
                    f"the targets contradict each other: {other} = {wanted:g} and "
                    f"{frequency} = {share:g} are the same frequency"
                )
        shares[frequency] = float(share)
    return shares


def _named(tree: Tree, frequency: Frequency) -> Floats:
    """What a frequency counts, as one array."""
    if isinstance(tree, HistoryTree):
        return frequency.matches(tree).named.astype(np.float64)
    matches = matches_by_hand(frequency, tree)
    rows = [np.append([one.node, frequency.player, *one.named], one.share) for one in matches]
    return np.concatenate(rows)


def _listed(targets: Targets) -> str:
    return ", ".join(f"{frequency} = {share:g}" for frequency, share in targets.items())


def _check_possible(tree: Form, targets: Targets, plain: AnyStrategy, give_up: float) -> None:
    """Refuse targets that no strategy has, or none within the budget, where programs can tell."""
    if not isinstance(tree, HistoryTree):
        return
    if not sequence_form(tree).perfect_recall:
        raise UnsupportedError(f"{tree.spec} has imperfect recall, so targets cannot be met there")
    if not tree.two_player_zero_sum:
        for mine in by_player(targets).values():
            _check_consistent(tree, mine, plain)
        return
    needed = sum(cheapest(tree, mine, against=plain).cost for mine in by_player(targets).values())
    if needed / 2 <= allowed_exploitability(tree, give_up):
        return
    nearest = []
    for frequency, share in targets.items():
        point = frontier(tree, frequency, [2 * give_up], against=plain).points[0]
        nearest.append(f"{frequency} = {round(min(max(share, point.low), point.high), 4):g}")
    alone = "the nearest is" if len(targets) == 1 else "the nearest that each could be alone is"
    raise ParameterError(
        f"{_listed(targets)} needs an exploitability of {needed / 2:.4g} (epsilon {needed:.4g}), "
        f"and {give_up:g} may be given up; {alone} {', '.join(nearest)}"
    )


def _check_consistent(tree: HistoryTree, targets: Targets, against: AnyStrategy) -> None:
    """Refuse targets of one player that no plan has, whatever it costs."""
    (player,) = by_player(targets)
    program = Program()
    x = program.plan(plans(sequence_form(tree), player))
    for frequency, share in targets.items():
        numerator, denominator = frequency.coefficients(tree, against)
        program.equal((numerator - share * denominator) @ x, 0.0)
    if program.solve_if_feasible() is None:
        raise ParameterError(f"no strategy meets all of these at once: {_listed(targets)}")


def _optima(tree: Form, targets: Targets, against: AnyStrategy) -> dict[int, float]:
    """What the cheapest strategy with these frequencies costs each targeted player."""
    if not isinstance(tree, HistoryTree) or not tree.two_player_zero_sum:
        return {}
    try:
        return {
            player: cheapest(tree, mine, against=against).cost
            for player, mine in by_player(targets).items()
        }
    except ParameterError:  # the others' styles have closed a way; nothing to compare with
        return {}
