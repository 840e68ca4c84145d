"""From a game to a certified result in one call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from counterfold import interrupts
from counterfold.checkpoints import Checkpoints
from counterfold.errors import ParameterError
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import assess
from counterfold.solve.lp import solve_lp
from counterfold.solve.methods import DEFAULT_METHOD, Method
from counterfold.solve.solver import Report, Solver, Until, run_until
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form
from counterfold.tree.walk import Progress

__all__ = [
    "Result",
    "check_every",
    "default_until",
    "equilibrium_of",
    "known",
    "resume",
    "run_to",
    "solve",
]


@dataclass(frozen=True)
class Result(Certified):
    """A strategy with its certificate and its provenance. Frozen.

    The certificate (values, exploitability, gains) is of the iteration ``certified_at``. That is
    the last one, unless a signal ended a run whose checks take long: then the strategy is that of
    the last iteration, and nothing is known of it yet; or the run's numbers became too coarse: then
    the strategy is the best one, of that iteration.
    """

    game: str
    method: str
    traversal: str
    iterations: int
    certified_at: int
    value: float
    values: tuple[float, ...]
    exploitability: float
    nash_conv: tuple[float, ...]
    cce_gap: float | None
    histories: int
    infosets: int
    seconds: float
    cpu_seconds: float
    compile_seconds: float
    stopped: str
    promise: str
    strategy: Strategy = field(repr=False)
    trace: tuple[Report, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON of ``counterfold solve --json``."""
        told = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("strategy", "trace")
        }
        told["trace"] = [
            {
                "iteration": report.iteration,
                "cpu_seconds": report.cpu_seconds,
                "exploitability": report.exploitability,
                "cce_gap": report.cce_gap,
            }
            for report in self.trace
        ]
        return told


def default_until(traversal: str, largest: float = 1.0) -> Until:
    """When to stop if nobody says: at a fine equilibrium (``default_target``), or after a minute.

    ``largest`` is the game's largest payoff.
    """
    if traversal == "full":
        target = default_target(1e-6, largest)
        return Until(exploitability=target, iterations=1_000_000, seconds=60)
    return Until(exploitability=default_target(1e-3, largest), seconds=60)


def default_target(usual: float, largest: float) -> float:
    """An exploitability to stop at: the usual one for payoffs from 1 to 1,000.

    Of smaller payoffs it is that share of the largest, of larger ones a thousandth of that share.

    >>> default_target(1e-6, 13), default_target(1e-6, 1e-3), default_target(1e-6, 1e19)
    (1e-06, 1e-09, 10000000000.0)
    """
    size = min(largest, 1.0) if largest < 1000 else largest / 1000
    return usual * size if size > 0 else usual


def solve(
    game: Any,
    method: str | Method = DEFAULT_METHOD,
    until: Until | None = None,
    traversal: str = "full",
    *,
    save: str | os.PathLike[str] | None = None,
    every: int | None = None,
    rescue: str | os.PathLike[str] | None = None,
    on_report: Callable[[Report], None] | None = None,
    on_compile: Progress | None = None,
    memory: int | None = None,
    **settings: Any,
) -> Result:
    """Solve a game and certify what came out.

    ``method`` is a name of ``METHODS`` or ``"lp"``; ``traversal`` is full, chance, external or
    outcome; further ``settings`` are those of ``Solver``: ``alternating``, ``average``,
    ``dtype``, ``seed``, ``explore``. With ``save`` a checkpoint is written at the end, and on the
    way once a minute, or at every multiple of ``every`` iterations. Ctrl-C and SIGTERM end the run
    cleanly with what it has (and SIGTERM then the process, unless the program takes it);
    ``rescue`` is where a checkpoint goes then if ``save`` names no file.

    >>> import counterfold as cf
    >>> result = cf.solve(cf.Kuhn(), until=cf.Until(exploitability=1e-6))
    >>> round(result.value * 18, 4), result.exploitability <= 1e-6
    (-1.0, True)
    """
    check_every(every, save)
    began = time.perf_counter()
    count = on_compile if until is None else until.counting(on_compile)
    tree = game if isinstance(game, HistoryTree) else compile_game(game, memory, count)
    if method == "lp":
        if traversal != "full" or settings:
            raise ParameterError("the linear program takes no traversal and no solver settings")
        return _by_lp(tree, time.perf_counter() - began, save)
    solver = Solver(tree, method, traversal, **settings)
    compiled = time.perf_counter() - began
    limits = until.after(compiled) if until else default_until(traversal, tree.largest_payoff)
    return _finish(solver, limits, [], save, every, on_report, compiled, rescue)


def equilibrium_of(tree: HistoryTree) -> Strategy:
    """A near-equilibrium of a game, found once for each tree, the same in every process.

    To a millionth of the largest payoff, or as near as 100,000 iterations come.

    >>> import counterfold as cf
    >>> round(cf.exploitability(equilibrium_of(compile_game(cf.Kuhn()))), 5)
    0.0
    """
    kept = vars(tree)  # with the tree, so that both go when it goes
    if "equilibrium" not in kept:
        target = 1e-6 * (tree.largest_payoff or 1.0)
        solver = Solver(tree)
        for _ in solver.run(Until(exploitability=target, iterations=100_000)):
            pass
        kept["equilibrium"] = solver.strategy()
    found: Strategy = kept["equilibrium"]
    return found


def resume(
    path: str | os.PathLike[str],
    until: Until | None = None,
    game: Any = None,
    *,
    save: str | os.PathLike[str] | None = None,
    every: int | None = None,
    on_report: Callable[[Report], None] | None = None,
    memory: int | None = None,
) -> Result:
    """Continue a checkpoint, bit for bit as if it had never been interrupted.

    Limits count from the start of the original run, except ``seconds``, which is for this one.
    Checkpoints go back to ``path`` unless ``save`` names another file.
    """
    began = time.perf_counter()
    solver, trace = Solver.resume(path, game, memory)
    compiled = time.perf_counter() - began
    usual = default_until(solver.settings.traversal, solver.tree.largest_payoff)
    limits = until.after(compiled) if until else usual
    return _finish(solver, limits, trace, save or path, every, on_report, compiled)


def _finish(
    solver: Solver,
    until: Until,
    trace: list[Report],
    save: str | os.PathLike[str] | None,
    every: int | None,
    on_report: Callable[[Report], None] | None,
    compiled: float,
    rescue: str | os.PathLike[str] | None = None,
) -> Result:
    final, stopped = run_to(solver, until, trace, save, every, on_report, rescue)
    assert final.values is not None
    assert final.gains is not None
    assert final.exploitability is not None
    tree = solver.tree
    return Result(
        game=tree.spec,
        method=solver.settings.method,
        traversal=solver.settings.traversal,
        iterations=solver.iteration,
        certified_at=final.iteration,
        value=final.values[0],
        values=final.values,
        exploitability=final.exploitability,
        nash_conv=final.gains,
        cce_gap=final.cce_gap,
        histories=tree.histories,
        infosets=len(tree.infosets.owner),
        seconds=solver.seconds,
        cpu_seconds=solver.cpu_seconds,
        compile_seconds=compiled,
        stopped=stopped,
        promise=promise(tree) + shortfall(solver, final, stopped),
        strategy=solver.strategy(**known(solver, final, stopped)),
        trace=tuple(trace),
    )


def run_to(
    solver: Any,
    until: Until,
    trace: list[Report],
    save: str | os.PathLike[str] | None = None,
    every: int | None = None,
    on_report: Callable[[Report], None] | None = None,
    rescue: str | os.PathLike[str] | None = None,
    on_the_way: bool = False,
) -> tuple[Report, str]:
    """Run a solver to a limit or to a signal, with its checkpoints: the last report, why it ended.

    ``trace`` grows by the reports that know the exploitability. ``on_the_way`` has ``rescue``
    written like ``save``, but for the end. The last report is of the last iteration, but where
    ``Result`` says otherwise.
    """
    target = save or (rescue if on_the_way else None)
    started = solver.iteration
    kept = None  # the iteration and the checks of the last checkpoint

    def keep() -> None:
        nonlocal kept
        assert target is not None
        solver.save(target, trace, **(known(solver, trace[-1], "") if trace else {}))
        kept = solver.iteration, len(trace)

    def look() -> None:
        if interrupts.noted() and trace and not _quick(solver):
            raise _GivenUpError

    clock = Checkpoints(keep if target else None)
    stopped, report = "interrupted", None
    with interrupts.patient(), interrupts.uncut():
        solver.look = look  # which checks of poker call between their walks
        try:
            for report in run_until(solver, until, every, lambda: _saving(solver, save, clock)):
                if report.exploitability is not None and _is_new(report, trace):
                    trace.append(report)
                if on_report:
                    on_report(report)
                if until.reached_by(report) or interrupts.noted():
                    break
                if every and solver.iteration % every == 0 and solver.iteration > started:
                    clock.save()
                elif not every:
                    clock.look()
            else:
                stopped = "seconds"  # or there would not be time for what is left to do
        except _GivenUpError:
            pass
        finally:
            solver.look = None
        if report is not None:
            stopped = until.reached_by(report) or stopped
        if not trace or (
            trace[-1].iteration != solver.iteration and (stopped != "interrupted" or _quick(solver))
        ):
            trace.append(solver.report(0.0 if report is None else report.run_seconds))
        final = _best_check(solver, trace, stopped) or trace[-1]
        target = save or (rescue if stopped == "interrupted" else None)
        if target and (stopped != "interrupted" or kept != (solver.iteration, len(trace))):
            solver.save(target, trace, **known(solver, final, stopped))
    return final, stopped


def known(solver: Any, final: Report, stopped: str) -> dict[str, Any]:
    """Which strategy a run ends with, and what is known of it: for ``strategy`` and ``save``.

    The exploitability is told only of the strategy at which it was measured.
    """
    if _too_coarse(final, stopped) and solver.precision.kept:
        return {"best": True, "exploitability": final.exploitability}
    if final.iteration == solver.iteration:
        return {"exploitability": final.exploitability}
    return {}


def _best_check(solver: Any, trace: list[Report], stopped: str) -> Report | None:
    """The check whose strategy a run ends with that has become too coarse."""
    if not _too_coarse(trace[-1], stopped) or not solver.precision.kept:
        return None
    at, _ = solver.precision.best
    found = next(report for report in trace if report.iteration == at)
    return replace(found, verdict=trace[-1].verdict)


def _too_coarse(final: Report, stopped: str) -> bool:
    return final.verdict == "worse" or (final.verdict is not None and stopped == "precision")


LAST_CHECK = 0.2
"""Seconds that the last check may take when somebody waits for the end."""


class _GivenUpError(Exception):
    """A check that a signal has ended."""


def _quick(solver: Any) -> bool:
    return 0 < solver.check_seconds <= LAST_CHECK


DISK = 2e8
"""Bytes a second that a checkpoint is written with, until one has been."""


def _saving(solver: Any, save: Any, clock: Checkpoints) -> float:
    """Seconds that the last checkpoint will take."""
    if save is None:
        return 0.0
    return clock.cost or solver.nbytes / DISK


def _by_lp(tree: HistoryTree, compiled: float, save: str | os.PathLike[str] | None) -> Result:
    import scipy.optimize  # noqa: F401  (loading it is not solving)

    wall, cpu = time.perf_counter(), time.process_time()
    strategy = solve_lp(tree).strategy
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    found = assess(strategy)
    strategy = strategy.with_about(exploitability=found.exploitability)
    if save:
        strategy.save(save)
    return Result(
        game=tree.spec,
        method="lp",
        traversal="full",
        iterations=0,
        certified_at=0,
        value=found.values[0],
        values=found.values,
        exploitability=found.exploitability,
        nash_conv=found.gains,
        cce_gap=None,
        histories=tree.histories,
        infosets=len(tree.infosets.owner),
        seconds=wall,
        cpu_seconds=cpu,
        compile_seconds=compiled,
        stopped="optimum",
        promise="Two-player zero-sum: the optimum of the linear program is a Nash equilibrium.",
        strategy=strategy,
        trace=(),
    )


def shortfall(solver: Any, final: Report, stopped: str) -> str:
    """What to add to a promise that the numbers of a run keep it from, if they do."""
    if final.verdict is None or not _too_coarse(final, stopped):
        return ""
    told = f" {solver.precision.told(final.verdict)}"
    if solver.precision.kept:
        told += f" The strategy is that of iteration {final.iteration:,}."
    return told


def promise(tree: HistoryTree) -> str:
    """What theory says about the result for this kind of game, in one sentence."""
    if not sequence_form(tree).perfect_recall:
        return (
            "Imperfect recall: CFR has no guarantee here; exploitability is against "
            "responders who remember everything."
        )
    if tree.two_player_zero_sum:
        return "Two-player zero-sum: the average strategy converges to a Nash equilibrium."
    return (
        "Not two-player zero-sum: regret matching promises a coarse correlated equilibrium of "
        "the play so far (see the CCE gap), not a Nash equilibrium."
    )


def check_every(every: int | None, save: Any) -> None:
    """Refuse checkpoints that come never, or have no file."""
    if every is not None and every < 1:
        raise ParameterError(f"every is {every}, and must be at least 1 iteration")
    if every is not None and save is None:
        raise ParameterError("checkpoints need a file: say where with save")


def _is_new(report: Report, trace: list[Report]) -> bool:
    return not trace or report.iteration > trace[-1].iteration
