"""From a game to a certified result in one call."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from counterfold import interrupts
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import assess
from counterfold.files.text import Json
from counterfold.notebook import brief, frame, html_table
from counterfold.poker.game import PokerGame, meetings
from counterfold.solvers.conditions import symmetry_under
from counterfold.solvers.lp import solve_lp
from counterfold.solvers.methods import Method
from counterfold.solvers.run import (
    OnReport,
    PathLike,
    Saving,
    known,
    run_to,
    shortfall,
    working_time,
)
from counterfold.solvers.settings import Asked, Given, defaults_of, settings_for
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Report, Until
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.form import Form, form_of
from counterfold.tree.history import HistoryTree
from counterfold.tree.memory import ANY_SIZE
from counterfold.tree.named import as_game
from counterfold.tree.public import PublicTree
from counterfold.tree.public_size import PublicSize, public_size
from counterfold.tree.sequence import sequence_form
from counterfold.tree.walk import Progress

if TYPE_CHECKING:
    import pandas as pd


TRACE = ("iteration", "cpu_seconds", "exploitability", "cce_gap")
"""What is told of each check."""


@dataclass(frozen=True)
class PokerPart(Certified):
    """What poker has beside other games: its seats, its units, how often the first one does what.

    ``evs`` are of the whole pot, as solver programs tell them; ``memory`` is of the tables.
    """

    bits: int
    players: tuple[str, ...]
    pot: float | None
    evs: tuple[float, float] | None
    percent_of_pot: float | None
    mbb: float | None
    frequencies: dict[str, float]
    boards: int
    nodes: int
    memory: int

    def __repr__(self) -> str:
        evs = zip(self.players, self.evs or (), strict=False)
        told = [f"{name} {ev:.6g}" for name, ev in evs]
        return brief(self, ", ".join([*told, f"boards {self.boards:,}", f"nodes {self.nodes:,}"]))


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
    correlated_gap: float | None
    histories: int
    infosets: int
    seconds: float
    cpu_seconds: float
    compile_seconds: float
    stopped: str
    promise: str
    strategy: AnyStrategy = field(repr=False)
    trace: tuple[Report, ...] = field(repr=False)
    poker: PokerPart | None = None
    drawn: Json | None = None
    """Of a game over drawn deals: how many there are, and what others say of values and gains."""

    def __repr__(self) -> str:
        part = self.poker
        if part is not None and part.evs is not None and part.pot:
            reached = f"{part.players[0]} wins {part.evs[0]:.6g} of {part.pot:g}, exploitability "
            reached += f"{part.percent_of_pot:.3g}% of the pot"
        else:
            reached = f"value {self.value:.6g}, exploitability {self.exploitability:.3g}"
        done = f"{self.iterations:,} iterations of {self.method}"
        return brief(self, f"of {self.game}: {reached}, {done}")

    def _repr_html_(self) -> str:
        names = ("value", "exploitability", "method", "iterations", "certified_at", "stopped",
                 "histories", "infosets", "cpu_seconds", "promise")  # fmt: skip
        rows = [(name.replace("_", " "), getattr(self, name)) for name in names]
        return html_table(f"Result of {self.game}", ("", ""), rows)

    def to_pandas(self) -> pd.DataFrame:
        """The checks of the run, a row each, by the keys of ``trace`` in the JSON."""
        rows = [tuple(entry.values()) for entry in self._trace()]
        return frame(tuple(TRACE), rows)

    def _trace(self) -> list[dict[str, object]]:
        return [{name: getattr(report, name) for name in TRACE} for report in self.trace]

    def to_dict(self) -> dict[str, object]:
        """The documented JSON of ``counterfold solve --json``; poker has more keys."""
        apart = ["strategy", "trace", "poker"]
        if self.poker is not None:  # which is walked in one way, and has no such gap
            apart += ["traversal", "cce_gap", "correlated_gap"]
        if self.drawn is None:
            apart.append("drawn")
        plain = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name not in apart
        }
        if self.poker is not None:
            plain |= asdict(self.poker)
        return {**plain, "trace": self._trace()}


def solve(  # noqa: PLR0913  (said by their names)
    game: object,
    method: str | Method | None = None,
    until: Until | int | str | None = None,
    traversal: str = "full",
    *,
    save: PathLike | Saving | None = None,
    every: int | None = None,
    on_report: OnReport | None = None,
    on_compile: Progress | None = None,
    memory: int | None = None,
    symmetry: bool | None = None,
    **settings: Unpack[Asked],
) -> Result:
    """Solve a game and certify what came out.

    ``game`` is a name (``"leduc"``), the file of a spot, rules, a poker game, a compiled form, or a
    ``Solver`` that is ready. ``until`` is an ``Until``, a number of iterations, or in words an
    exploitability: ``"0.1%"`` of the pot, ``"1mbb"``, ``"1e-4"``. ``method`` is a name of
    ``METHODS`` or ``"lp"``; further ``settings`` are those of ``Solver`` (``style``, ...).

    With ``save`` a checkpoint is written at the end, and on the way once a minute or at multiples
    of ``every`` iterations; a ``Saving`` says more. Ctrl-C and SIGTERM end a run cleanly with what
    it has (SIGTERM then the process as well). What does not fit into ``memory`` is refused.

    >>> import counterfold as cf
    >>> result = cf.solve(cf.Kuhn(), until=cf.Until(exploitability=1e-6))
    >>> round(result.value * 18, 4), cf.solve("kuhn", until=100).iterations
    (-1.0, 100)
    >>> river = cf.spot({"board": "Ks 9h 6s 4d 2c", "pot": 200, "stack": 600,
    ...     "oop": "AA,QQ", "ip": "JJ,TT", "bets": ["75%"], "raises": []})
    >>> result = cf.solve(river)
    >>> abs(result.poker.evs[0] - 200) < 1, result.poker.percent_of_pot <= 0.3
    (True, True)
    """
    saving, until = Saving.of(save, every), Until.of(until)
    began, work = time.perf_counter(), working_time()
    if isinstance(game, Solver):
        if method is not None or settings:
            raise ParameterError("a solver that is ready has its method and settings already")
        solver = game
    else:
        game = as_game(game)
        count = on_compile if until is None else until.counting(on_compile)
        symmetry = symmetry_under(game, symmetry, settings.get("style"), settings.get("locks"))
        if isinstance(method, str) and method.strip().lower() == "lp":
            if traversal != "full" or settings:
                raise ParameterError("the linear program takes no traversal and no solver settings")
            return _by_lp(game, memory, count, saving.path)
        if isinstance(game, PokerGame) and not game.of_drawn_deals:
            table_size(game, method, settings, symmetry).check(memory)
            memory = ANY_SIZE
        form = form_of(game, memory, count, symmetry=symmetry, form=settings.get("form", "auto"))
        solver = Solver(form, method, traversal, **settings)
    if "exact" not in solver.engine.can:  # what cannot be certified is refused before the run
        solver.report()
    compiled, trace = time.perf_counter() - began, list[Report]()
    end = run_to(solver, _limits(solver, until, work), trace, saving, on_report)
    return _result(solver, trace, *end, compiled)


def resume(
    path: PathLike,
    until: Until | int | str | None = None,
    game: object = None,
    *,
    save: PathLike | Saving | None = None,
    every: int | None = None,
    on_report: OnReport | None = None,
    memory: int | None = None,
    threads: int | None = None,
) -> Result:
    """Continue a checkpoint, bit for bit as if it had never been interrupted.

    Limits count from the start of the original run, except ``seconds``, which is for this one.
    Checkpoints go back to ``path`` unless ``save`` names another file.
    """
    began, work = time.perf_counter(), working_time()
    until = Until.of(until)
    solver, trace = Solver.resume(path, game, memory, threads=threads)
    compiled, saving = time.perf_counter() - began, Saving.of(save or path, every)
    end = run_to(solver, _limits(solver, until, work), trace, saving, on_report)
    return _result(solver, trace, *end, compiled)


def _limits(solver: Solver, until: Until | None, began: float) -> Until:
    """When a run stops that began at some working time."""
    form = solver.tree
    _ = form.infoset_count  # before anybody waits for the end: poker goes over all boards for it
    usual = defaults_of(form, solver.settings.traversal).until
    return until.on(form).after(working_time() - began) if until else usual


def _result(
    solver: Solver, trace: list[Report], final: Report, stopped: str, compiled: float
) -> Result:
    form, settings = solver.tree, solver.settings
    strategy = solver.strategy(**known(solver, final, stopped))
    with interrupts.patient():
        drawn = _drawn(strategy)
        stopped = "interrupted" if drawn and interrupts.noted() else stopped
    gaps = solver.correlated_gaps() if final.iteration == solver.iteration else None
    return Result(
        **_certificate(form, final, gaps),
        method=settings.method,
        traversal=settings.traversal,
        iterations=solver.iteration,
        seconds=solver.seconds,
        cpu_seconds=solver.cpu_seconds,
        compile_seconds=compiled,
        stopped=stopped,
        promise=promise(form, solver.engine.locked) + shortfall(solver, final, stopped),
        strategy=strategy,
        trace=tuple(trace),
        poker=_poker_part(settings.bits, solver.engine.nbytes, final, strategy)
        if isinstance(form, PublicTree)
        else None,
        drawn=drawn,
    )


def _drawn(strategy: AnyStrategy) -> Json | None:
    form = strategy.tree
    return form.measured(strategy.tables) if hasattr(form, "measured") else None


def _certificate(form: Form, final: Report, gaps: tuple[float, ...] | None = None) -> Json:
    """What a check has measured, by the names of a result."""
    assert final.values is not None
    return {
        "game": form.spec,
        "certified_at": final.iteration,
        "value": final.values[0],
        "values": final.values,
        "exploitability": final.exploitability,
        "nash_conv": final.gains,
        "cce_gap": final.cce_gap,
        "correlated_gap": None if gaps is None else max(gaps),
        "histories": form.histories,
        "infosets": form.infoset_count,
    }


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
    given: Given = {"bits": settings.get("bits", 32), "dtype": settings.get("dtype", "")}
    rule, made = settings_for(game, method, given)
    alike = bool(game.about.get("symmetry", True)) if symmetry is None else symmetry
    return public_size(
        game, symmetry=alike, predictive=rule.prediction > 0, bits=made.bits, dtype=made.dtype
    )


def check_lp(game: object) -> None:
    """Refuse a linear program over all hands of poker."""
    if isinstance(game, PokerGame | PublicTree):
        raise UnsupportedError(
            "the linear program is for games in history form; a public tree takes a method of CFR"
        )


def equilibrium_of(form: Form, on_report: OnReport | None = None) -> AnyStrategy:
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
    equilibrium: AnyStrategy = kept["equilibrium"]
    return equilibrium


def certified(strategy: AnyStrategy, bits: int = 32) -> Result:
    """A result of a strategy that is there already: measured now, and told as what it says it is.

    >>> import counterfold as cf
    >>> certified(cf.solve("kuhn", until=100).strategy).iterations
    100
    """
    form, about, began = strategy.tree, strategy.about, time.perf_counter()
    measured, at = assess(strategy), int(about.get("iteration", 0))
    spent = time.perf_counter() - began
    final = Report(at, 0.0, 0.0, spent, measured.exploitability, measured.values, measured.gains)
    size = sum(table.nbytes for table in strategy.tables)
    poker = isinstance(form, PublicTree)
    return Result(
        **_certificate(form, final),
        method=str(about.get("method", "")),
        traversal=str(about.get("traversal", "full")),
        iterations=at,
        seconds=0.0,
        cpu_seconds=0.0,
        compile_seconds=spent,
        stopped="library",
        promise=promise(form),
        strategy=strategy,
        trace=(final,),
        poker=_poker_part(bits, size, final, strategy) if poker else None,
        drawn=_drawn(strategy),
    )


def _poker_part(bits: int, memory: int, final: Report, strategy: Strategy[PublicTree]) -> PokerPart:
    assert final.values is not None
    assert final.exploitability is not None
    form, game = strategy.tree, strategy.tree.game
    one, two = (
        float(value + paid) for value, paid in zip(final.values, game.betting.paid[0], strict=True)
    )
    return PokerPart(
        bits=bits,
        players=game.players,
        pot=game.pot,
        evs=(one, two) if game.pot else None,
        percent_of_pot=form.units.percent_of_pot(final.exploitability),
        mbb=form.units.mbb(final.exploitability),
        frequencies=root_frequencies(strategy),
        boards=form.size.boards,
        nodes=form.size.nodes,
        memory=memory,
    )


def root_frequencies(strategy: Strategy[PublicTree]) -> dict[str, float]:
    """How often each action is taken at the first decision, over all hands as they are dealt."""
    game = strategy.tree.game
    owner = int(game.betting.player[0])
    if owner < 0:
        return {}
    mass = game.ranges[owner] * meetings(game.ranges[1 - owner])
    shares = np.nan_to_num(strategy.hands.at(0)) @ mass / mass.sum()
    labels = game.betting.actions(0)
    return dict(zip(labels, shares.tolist(), strict=True))


def _by_lp(
    game: object, memory: int | None, progress: Progress | None, save: PathLike | None
) -> Result:
    check_lp(game)
    wall = time.perf_counter()
    form = form_of(game, memory, progress)
    assert isinstance(form, HistoryTree)  # by check_lp
    compiled = time.perf_counter() - wall
    import scipy.optimize  # noqa: F401  (loading it is not solving)

    wall, cpu = time.perf_counter(), time.process_time()
    strategy = solve_lp(form).strategy
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    measured = assess(strategy)
    exploitability = measured.exploitability
    final = Report(0, wall, cpu, wall, exploitability, measured.values, measured.gains)
    strategy = strategy.with_about(exploitability=exploitability)
    if save:
        strategy.save(save)
    return Result(
        **_certificate(form, final),
        method="lp",
        traversal="full",
        iterations=0,
        seconds=wall,
        cpu_seconds=cpu,
        compile_seconds=compiled,
        stopped="optimum",
        promise="Two-player zero-sum: the optimum of the linear program is a Nash equilibrium.",
        strategy=strategy,
        trace=(),
    )


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
