"""From a game to a certified result in one call."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from counterfold import interrupts
from counterfold.checkpoints import Checkpoints
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import assess
from counterfold.poker.game import PokerGame, meetings
from counterfold.solvers.conditions import symmetry_under
from counterfold.solvers.lp import solve_lp
from counterfold.solvers.methods import Method
from counterfold.solvers.methods import method as method_of
from counterfold.solvers.settings import Settings, defaults_of
from counterfold.solvers.solver import Solver, run_until
from counterfold.solvers.until import Report, Until
from counterfold.strategy.strategy import Strategy
from counterfold.tree.form import Form, form_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.memory import ANY_SIZE
from counterfold.tree.public import PublicTree
from counterfold.tree.public_size import PublicSize, public_size, size_of
from counterfold.tree.sequence import sequence_form
from counterfold.tree.walk import Progress

__all__ = [
    "PokerPart",
    "Result",
    "check_every",
    "check_lp",
    "equilibrium_of",
    "known",
    "resume",
    "root_frequencies",
    "run_to",
    "solve",
    "table_size",
]

PathLike = str | os.PathLike[str]
OnReport = Callable[[Report], None]


@dataclass(frozen=True)
class PokerPart(Certified):
    """What poker has beside other games: its seats, its units, how often the first one does what.

    ``evs`` are of the whole pot, as solver programs tell them; ``memory`` is of the tables.
    """

    bits: int
    players: tuple[str, str]
    pot: float | None
    evs: tuple[float, float] | None
    percent_of_pot: float | None
    mbb: float | None
    frequencies: dict[str, float]
    boards: int
    nodes: int
    memory: int


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
    strategy: Strategy[Any] = field(repr=False)
    trace: tuple[Report, ...] = field(repr=False)
    poker: PokerPart | None = None

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON of ``counterfold solve --json``; poker has more keys."""
        apart = ["strategy", "trace", "poker"]
        if self.poker is not None:  # which is walked in one way, and has no such gap
            apart += ["traversal", "cce_gap"]
        plain = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name not in apart
        }
        if self.poker is not None:
            plain |= asdict(self.poker)
        plain["trace"] = [
            {
                "iteration": report.iteration,
                "cpu_seconds": report.cpu_seconds,
                "exploitability": report.exploitability,
                "cce_gap": report.cce_gap,
            }
            for report in self.trace
        ]
        return plain


def solve(
    game: Any,
    method: str | Method | None = None,
    until: Until | None = None,
    traversal: str = "full",
    *,
    save: PathLike | None = None,
    every: int | None = None,
    rescue: PathLike | None = None,
    on_the_way: bool = False,
    on_report: OnReport | None = None,
    on_compile: Progress | None = None,
    on_size: Callable[[PublicSize], None] | None = None,
    memory: int | None = None,
    symmetry: bool | None = None,
    **settings: Any,
) -> Result:
    """Solve a game and certify what came out.

    ``game`` is rules, a poker game or spot, a compiled form, or a ``Solver`` that is ready.
    ``method`` is a name of ``METHODS`` or ``"lp"``; ``traversal`` is full, chance, external or
    outcome; further ``settings`` are those of ``Solver``: ``alternating``, ``average``,
    ``dtype``, ``bits``, ``seed``, ``explore``, ``threads``, ``style``, ``locks``.

    With ``save`` a checkpoint is written at the end, and on the way once a minute, or at every
    multiple of ``every`` iterations. Ctrl-C and SIGTERM end the run cleanly with what it has (and
    SIGTERM then the process, unless the program takes it); ``rescue`` is where a checkpoint goes
    then if ``save`` names no file, and with ``on_the_way`` once a minute too. ``on_size`` hears
    how large poker will be before anything is built; what does not fit into ``memory`` is refused.

    >>> import counterfold as cf
    >>> result = cf.solve(cf.Kuhn(), until=cf.Until(exploitability=1e-6))
    >>> round(result.value * 18, 4), result.exploitability <= 1e-6
    (-1.0, True)
    >>> river = cf.spot({"board": "Ks 9h 6s 4d 2c", "pot": 200, "stack": 600,
    ...     "oop": "AA,QQ", "ip": "JJ,TT", "bets": ["75%"], "raises": []})
    >>> result = cf.solve(river)
    >>> abs(result.poker.evs[0] - 200) < 1, result.poker.percent_of_pot <= 0.3
    (True, True)
    """
    check_every(every, save)
    began = time.perf_counter()
    by_lp = isinstance(method, str) and method.strip().lower() == "lp"
    if isinstance(game, Solver):
        if method is not None or settings:
            raise ParameterError("a solver that is ready has its method and settings already")
        solver = game
    else:
        count = on_compile if until is None else until.counting(on_compile)
        symmetry = symmetry_under(game, symmetry, settings.get("style"), settings.get("locks"))
        if by_lp:
            check_lp(game)
            if traversal != "full" or settings:
                raise ParameterError("the linear program takes no traversal and no solver settings")
        elif isinstance(game, PokerGame):
            expected = table_size(game, method, settings, symmetry)
            if on_size:
                on_size(expected)
            expected.check(memory)
            memory = ANY_SIZE
        form = form_of(game, memory, count, symmetry=symmetry)
        if by_lp:
            return _by_lp(form, time.perf_counter() - began, save)
        solver = Solver(form, method, traversal, **settings)
    if "exact" not in solver.engine.can:  # what cannot be certified is refused before the run
        solver.report()
    compiled = time.perf_counter() - began
    usual = defaults_of(solver.tree, solver.settings.traversal).until
    limits = until.on(solver.tree).after(compiled) if until else usual
    size = _size_of(solver)  # before anybody waits for the end: it goes over all boards
    trace: list[Report] = []
    end = run_to(solver, limits, trace, save, every, on_report, rescue, on_the_way)
    return _result(solver, trace, end, compiled, size)


def table_size(
    game: PokerGame,
    method: str | Method | None = None,
    settings: Mapping[str, Any] = MappingProxyType({}),
    symmetry: bool | None = None,
) -> PublicSize:
    """How large a public tree and the tables of a run on it will be, before it is built.

    >>> from counterfold.poker.holdem import fhp
    >>> table_size(fhp(deck="QKA"), settings={"bits": 16}).boards
    21
    """
    usual = defaults_of(game)
    rule = method_of(method or usual.method)
    bits, dtype = settings.get("bits", 32), settings.get("dtype") or usual.dtype
    Settings(rule.name, dtype=dtype, bits=bits)
    alike = bool(game.about.get("symmetry", True)) if symmetry is None else symmetry
    return public_size(game, symmetry=alike, predictive=rule.prediction > 0, bits=bits, dtype=dtype)


def check_lp(game: Any) -> None:
    """Refuse a linear program over all hands of poker."""
    if isinstance(game, PokerGame | PublicTree):
        raise UnsupportedError(
            "the linear program is for games in history form; a public tree takes a method of CFR"
        )


def equilibrium_of(form: Form, on_report: OnReport | None = None) -> Strategy[Any]:
    """A near-equilibrium of a compiled game, found once for each, the same in every process.

    To a millionth of the largest payoff, and of hold'em to the usual share of the pot or of the big
    blind (``defaults_of``), or as near as 100,000 iterations come.

    >>> import counterfold as cf
    >>> round(cf.exploitability(equilibrium_of(cf.compile_game(cf.Kuhn()))), 5)
    0.0
    """
    kept = vars(form)  # with the form, so that both go when it goes
    if "equilibrium" not in kept:
        target: float | str | None = 1e-6 * (form.largest_payoff or 1.0)
        if form.units.pot or form.units.big_blind:
            target = defaults_of(form).until.exploitability
        until = Until(exploitability=target, iterations=100_000)
        result = solve(form, until=until, on_report=on_report)
        if result.stopped == "interrupted":
            raise KeyboardInterrupt
        kept["equilibrium"] = result.strategy
    equilibrium: Strategy[Any] = kept["equilibrium"]
    return equilibrium


def resume(
    path: PathLike,
    until: Until | None = None,
    game: Any = None,
    *,
    save: PathLike | None = None,
    every: int | None = None,
    on_report: OnReport | None = None,
    memory: int | None = None,
    threads: int | None = None,
    on_the_way: bool = False,
) -> Result:
    """Continue a checkpoint, bit for bit as if it had never been interrupted.

    Limits count from the start of the original run, except ``seconds``, which is for this one.
    Checkpoints go back to ``path`` unless ``save`` names another file; with ``on_the_way`` they
    are written until the end, but not then.
    """
    began = time.perf_counter()
    solver, trace = Solver.resume(path, game, memory, threads=threads)
    compiled = time.perf_counter() - began
    usual = defaults_of(solver.tree, solver.settings.traversal).until
    limits = until.on(solver.tree).after(compiled) if until else usual
    target, rescue = (None, path) if on_the_way else (save or path, None)
    size = _size_of(solver)
    end = run_to(solver, limits, trace, target, every, on_report, rescue, on_the_way)
    return _result(solver, trace, end, compiled, size)


def _result(
    solver: Solver,
    trace: list[Report],
    end: tuple[Report, str],
    compiled: float,
    size: PublicSize | None,
) -> Result:
    final, stopped = end
    assert final.values is not None
    assert final.gains is not None
    assert final.exploitability is not None
    form = solver.tree
    strategy = solver.strategy(**known(solver, final, stopped))
    poker = None
    if size is not None:
        poker = _poker_part(size, solver, final, strategy)
    return Result(
        game=form.spec,
        method=solver.settings.method,
        traversal=solver.settings.traversal,
        iterations=solver.iteration,
        certified_at=final.iteration,
        value=final.values[0],
        values=final.values,
        exploitability=final.exploitability,
        nash_conv=final.gains,
        cce_gap=final.cce_gap,
        histories=form.histories,
        infosets=form.infoset_count,
        seconds=solver.seconds,
        cpu_seconds=solver.cpu_seconds,
        compile_seconds=compiled,
        stopped=stopped,
        promise=promise(form, solver.engine.locked) + shortfall(solver, final, stopped),
        strategy=strategy,
        trace=tuple(trace),
        poker=poker,
    )


def _size_of(solver: Solver) -> PublicSize | None:
    form, settings = solver.tree, solver.settings
    if not isinstance(form, PublicTree):
        return None
    predictive = solver.method.prediction > 0
    return size_of(form, predictive=predictive, bits=settings.bits, dtype=settings.dtype)


def _poker_part(
    size: PublicSize, solver: Solver, final: Report, strategy: Strategy[PublicTree]
) -> PokerPart:
    assert final.values is not None
    assert final.exploitability is not None
    form, settings, game = strategy.tree, solver.settings, strategy.tree.game
    one, two = (
        float(value + paid) for value, paid in zip(final.values, game.betting.paid[0], strict=True)
    )
    return PokerPart(
        bits=settings.bits,
        players=game.players,
        pot=game.pot,
        evs=(one, two) if game.pot else None,
        percent_of_pot=form.units.percent_of_pot(final.exploitability),
        mbb=form.units.mbb(final.exploitability),
        frequencies=root_frequencies(strategy),
        boards=size.boards,
        nodes=size.nodes,
        memory=size.bytes,
    )


def root_frequencies(strategy: Strategy[PublicTree]) -> dict[str, float]:
    """How often each action is taken at the first decision, over all hands as they are dealt."""
    game = strategy.tree.game
    owner = int(game.betting.player[0])
    if owner < 0:
        return {}
    mass = game.ranges[owner] * meetings(game.rules, game.ranges[1 - owner])
    shares = np.nan_to_num(strategy.hands.at(0)) @ mass / mass.sum()
    labels = [game.betting.label[child] for child in game.betting.children(0)]
    return dict(zip(labels, shares.tolist(), strict=True))


def run_to(
    solver: Solver,
    until: Until,
    trace: list[Report],
    save: PathLike | None = None,
    every: int | None = None,
    on_report: Callable[[Report], None] | None = None,
    rescue: PathLike | None = None,
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


def known(solver: Solver, final: Report, stopped: str) -> dict[str, Any]:
    """Which strategy a run ends with, and what is known of it: for ``strategy`` and ``save``.

    The exploitability is told only of the strategy at which it was measured.
    """
    if _too_coarse(final, stopped) and solver.precision.kept:
        return {"best": True, "exploitability": final.exploitability}
    if final.iteration == solver.iteration:
        return {"exploitability": final.exploitability}
    return {}


def _best_check(solver: Solver, trace: list[Report], stopped: str) -> Report | None:
    """The check whose strategy a run ends with that has become too coarse."""
    if not _too_coarse(trace[-1], stopped) or not solver.precision.kept:
        return None
    assert solver.precision.best is not None
    at, _ = solver.precision.best
    found = next(report for report in trace if report.iteration == at)
    return replace(found, verdict=trace[-1].verdict)


def _too_coarse(final: Report, stopped: str) -> bool:
    return final.verdict == "worse" or (final.verdict is not None and stopped == "precision")


LAST_CHECK = 0.2
"""Seconds that the last check may take when somebody waits for the end."""


class _GivenUpError(Exception):
    """A check that a signal has ended."""


def _quick(solver: Solver) -> bool:
    return 0 < solver.check_seconds <= LAST_CHECK


DISK = 2e8
"""Bytes a second that a checkpoint is written with, until one has been."""


def _saving(solver: Solver, save: PathLike | None, clock: Checkpoints) -> float:
    """Seconds that the last checkpoint will take."""
    if save is None:
        return 0.0
    return clock.cost or solver.nbytes / DISK


def _by_lp(form: Form, compiled: float, save: PathLike | None) -> Result:
    import scipy.optimize  # noqa: F401  (loading it is not solving)

    assert isinstance(form, HistoryTree)  # by check_lp
    wall, cpu = time.perf_counter(), time.process_time()
    strategy = solve_lp(form).strategy
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    measured = assess(strategy)
    strategy = strategy.with_about(exploitability=measured.exploitability)
    if save:
        strategy.save(save)
    return Result(
        game=form.spec,
        method="lp",
        traversal="full",
        iterations=0,
        certified_at=0,
        value=measured.values[0],
        values=measured.values,
        exploitability=measured.exploitability,
        nash_conv=measured.gains,
        cce_gap=None,
        histories=form.histories,
        infosets=form.infoset_count,
        seconds=wall,
        cpu_seconds=cpu,
        compile_seconds=compiled,
        stopped="optimum",
        promise="Two-player zero-sum: the optimum of the linear program is a Nash equilibrium.",
        strategy=strategy,
        trace=(),
    )


def shortfall(solver: Solver, final: Report, stopped: str) -> str:
    """What to add to a promise that the numbers of a run keep it from, if they do."""
    if final.verdict is None or not _too_coarse(final, stopped):
        return ""
    told = f" {solver.precision.told(final.verdict)}"
    if solver.precision.kept:
        told += f" The strategy is that of iteration {final.iteration:,}."
    return told


def promise(form: Form, locked: bool = False) -> str:
    """What theory says about the result for this kind of game, in one sentence."""
    if locked:
        return (
            "With locks: an equilibrium of the game in which they hold; exploitability is what "
            "could be gained where nothing is locked."
        )
    own = getattr(form, "promise", None)
    if isinstance(own, str):
        return own
    if isinstance(form, HistoryTree) and not sequence_form(form).perfect_recall:
        return (
            "Imperfect recall: CFR has no guarantee here; exploitability is against "
            "responders who remember everything."
        )
    if form.two_player_zero_sum:
        return "Two-player zero-sum: the average strategy converges to a Nash equilibrium."
    if isinstance(form, PublicTree):
        return (
            "With rake the game is not zero-sum: CFR has no guarantee here, but the exploitability "
            "is exact, and low is an equilibrium."
        )
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
