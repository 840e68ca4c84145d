"""The solver: iterations of a method over a compiled game, that can be stopped and resumed."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import FileError, OutOfTimeError, ParameterError
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import Assessment, assess_form
from counterfold.files.text import Fields
from counterfold.files.typed import from_json, to_json
from counterfold.games.catalog import load_named
from counterfold.interrupts import uncut
from counterfold.solve.engines import make_engine
from counterfold.solve.leaning import Leaning
from counterfold.solve.methods import DEFAULT_METHOD, Method, method
from counterfold.solve.precision import Precision
from counterfold.strategy.store import read, save_strategy
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form
from counterfold.tree.walk import Progress

__all__ = ["TRAVERSALS", "Report", "Settings", "Solver", "Until"]

TRAVERSALS = ("full", "chance", "external", "outcome")
CHUNK_SECONDS = 0.1
MOST_ITERATIONS = 2**62
SPARE_SECONDS = 0.5  # after the time that was given, in which small games are read to their end
LEAST_SECONDS = 1e-9  # of a run whose time was over before it began: it has one iteration


@dataclass(frozen=True)
class Until:
    """When to stop: at the first of these that is reached.

    ``seconds`` are of the whole call that is given them: reading the rules, the last check and
    saving are counted in.

    >>> Until(exploitability=1e-6, seconds=60)
    Until(iterations=None, exploitability=1e-06, seconds=60)
    """

    iterations: int | None = None
    exploitability: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.iterations is None and self.exploitability is None and self.seconds is None:
            raise ParameterError("say when to stop: iterations, exploitability or seconds")
        if self.iterations is not None:
            if isinstance(self.iterations, bool) or not isinstance(self.iterations, int):
                raise ParameterError(f"iterations is {self.iterations!r}, not a whole number")
            if self.iterations < 1:
                raise ParameterError(f"iterations is {self.iterations}, and must be at least 1")
        for name in ("exploitability", "seconds"):
            number = getattr(self, name)
            good = isinstance(number, int | float) and math.isfinite(number) and number > 0
            if number is not None and not good:
                raise ParameterError(f"{name} is {number!r}, and must be a number above 0")

    def after(self, spent: float) -> Until:
        """The same limits when so many of the seconds are gone."""
        if self.seconds is None:
            return self
        return replace(self, seconds=max(self.seconds - spent, LEAST_SECONDS))

    def counting(self, progress: Progress | None) -> Progress | None:
        """Progress in reading rules, which ends when the time is over: it begins now."""
        if self.seconds is None:
            return progress
        end = time.perf_counter() + self.seconds + SPARE_SECONDS

        def count(histories: int) -> None:
            if time.perf_counter() > end:
                raise OutOfTimeError(
                    f"{self.seconds:g} seconds were over before the first iteration, with "
                    f"{histories:,} histories read: give it more time, or a smaller game"
                )
            if progress:
                progress(histories)

        return count

    def reached_by(self, report: Report) -> str | None:
        """Which limit a report has reached, if any."""
        found = report.exploitability
        if self.exploitability is not None and found is not None and found <= self.exploitability:
            return "exploitability"
        if self.iterations is not None and report.iteration >= self.iterations:
            return "iterations"
        if self.seconds is not None and report.run_seconds >= self.seconds:
            return "seconds"
        if report.verdict == "worse" or (report.verdict and self.exploitability is not None):
            return "precision"
        return None


@dataclass(frozen=True)
class Report(Certified):
    """Where a run stands. Exploitability and values are exact, or absent between checks.

    ``verdict`` is "worse" or "no better" where its numbers are too coarse to go on with.
    """

    iteration: int
    seconds: float
    cpu_seconds: float
    run_seconds: float
    exploitability: float | None = None
    values: tuple[float, ...] | None = None
    gains: tuple[float, ...] | None = None
    cce_gap: float | None = None
    verdict: str | None = None


class Solver:
    """A method at work on a game.

    >>> import counterfold as cf
    >>> solver = cf.Solver(cf.Kuhn(), method="cfr+")
    >>> solver.step(1000)
    >>> round(solver.strategy().at("K", "bet")["call"], 3), solver.exploitability() < 1e-3
    (1.0, True)
    """

    def __init__(
        self,
        game: Any,
        method: str | Method = DEFAULT_METHOD,
        traversal: str = "full",
        *,
        alternating: bool = True,
        average: bool = True,
        dtype: str = "float64",
        seed: int = 0,
        explore: float = 0.6,
        form: str = "auto",
        threads: int | None = None,
        style: Any = None,
        memory: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.method = _method(method)
        self.settings = Settings(
            self.method.name, traversal, alternating, average, dtype, seed, explore, form
        )
        if isinstance(game, HistoryTree):
            self.tree = game
        else:
            self.tree = compile_game(game, memory, progress)
        self.iteration = 0
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self.check_seconds = 0.0  # of the last check
        self._cold = True
        self._piece = FIRST_PIECE
        self._logs = np.zeros(4)
        self.leaning: Leaning | None = None
        if style is not None:
            self.leaning = style if isinstance(style, Leaning) else style.leaning(self.tree)
            self.leaning.check(self.tree)
        check_range(self.tree.largest_payoff, dtype)
        self._engine = make_engine(
            self.tree, traversal, np.dtype(dtype), alternating=alternating, seed=seed,
            explore=explore, form=form, threads=_checked_threads(threads), leaning=self.leaning,
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        """What a checkpoint takes, about: five numbers a slot, and the names."""
        return 40 * self.tree.infosets.slots + 100 * len(self.tree.infosets.owner)

    @cached_property
    def precision(self) -> Precision:
        """The checks so far, and whether the tables still take in what is learned."""
        tree = self.tree
        # A merged graph has a sequence form that may be far too large to build.
        falls = self.leaning is None and tree.two_player_zero_sum and not tree.merged
        falls = falls and sequence_form(tree).perfect_recall
        return Precision(self.settings.dtype, tree.largest_payoff, falls)

    def lean(self, leaning: Leaning) -> None:
        """Go on under another style: what was learned stays, the next regrets weigh anew.

        >>> import counterfold as cf
        >>> solver = cf.Solver(cf.Kuhn(), "cfr+")
        >>> solver.step(100)
        >>> solver.lean(cf.Style({"bet": 20.0}, player=0).leaning(solver.tree))
        >>> solver.step(2000)
        >>> solver.strategy().at("J")["bet"] > 0.22
        True
        """
        leaning.check(self.tree)
        self._engine.lean(leaning)
        if self.leaning is None:
            self._logs[3] = self.method.weight(self.iteration)
        self.leaning = leaning

    def begin_at_random(self, seed: int | np.random.Generator) -> None:
        """Start from regrets drawn evenly from 0 to 1 and a random average strategy."""
        if self.iteration:
            raise ParameterError("the run has begun: a random start comes before the first step")
        random = np.random.default_rng(seed)
        regrets = random.random(self.tree.infosets.slots)
        average = self.tree.infosets.to_one(random.random(self.tree.infosets.slots))
        self._engine.begin(regrets, self._match(regrets), average)

    def learned(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Regrets and the average strategy (summed up, or as probabilities in the sequence form)
        over the tree's slots, for another run to ``begin`` from."""
        return self._engine.learned()

    def begin(
        self,
        regrets: NDArray[np.float64],
        average: NDArray[np.float64],
        strategy: NDArray[np.float64] | None = None,
    ) -> None:
        """Start from what was ``learned`` elsewhere; the regrets say the first strategy, if none
        is given.

        >>> import counterfold as cf
        >>> first, second = cf.Solver(cf.Kuhn(), "cfr"), cf.Solver(cf.Kuhn(), "cfr")
        >>> first.step(1000)
        >>> second.begin(*first.learned())
        >>> abs(second.exploitability() - first.exploitability()) < 1e-12
        True
        """
        if self.iteration:
            raise ParameterError("the run has begun: what it begins from comes before a step")
        slots = self.tree.infosets.slots
        given = (regrets, average) if strategy is None else (regrets, average, strategy)
        if any(np.shape(a) != (slots,) or not np.isfinite(a).all() for a in given):
            raise ParameterError(
                f"{self.tree.spec} begins from {slots:,} finite numbers a table, one a slot"
            )
        first = self._match(regrets) if strategy is None else strategy
        self._engine.begin(regrets, first, average)

    def _match(self, regrets: NDArray[np.float64]) -> NDArray[np.float64]:
        plain = Leaning(np.ones(len(regrets)), np.zeros(len(self.tree.infosets.owner)))
        return (self.leaning or plain).match(self.tree, regrets)

    def step(self, iterations: int = 1) -> None:
        """Run some iterations."""
        from counterfold.kernels import rule

        if iterations < 0:
            raise ParameterError(f"iterations is {iterations}, and must not be negative")
        while iterations > 0:
            count = min(iterations, self._piece)
            styled = self.leaning is not None
            schedule = self.method.schedule(self.iteration + 1, count, self._logs, weighed=styled)
            schedule[:, rule.BEST] = self.leaning is not None and self.leaning.best
            if self._cold:  # compiling or loading the kernel is no part of an iteration
                self._engine.step(schedule[:0])
                self._cold = False
            with uncut():
                wall, cpu = time.perf_counter(), time.process_time()
                self._engine.step(schedule)
                spent = time.perf_counter() - wall
                self.seconds += spent
                self.cpu_seconds += time.process_time() - cpu
                self._logs = schedule[-1, rule.LOG_POSITIVE : rule.WEIGHT + 1].copy()
                self.iteration += count
            iterations -= count
            self._piece = next_piece(self._piece, count, spent)

    def probabilities(self) -> NDArray[np.float64]:
        """The strategy so far over the tree's slots: the average, or the last iterate."""
        return self._engine.average() if self.settings.average else self._engine.current()

    def current(self) -> NDArray[np.float64]:
        """The strategy of the next iteration over the tree's slots."""
        return self._engine.current()

    def strategy(self, best: bool = False, **about: Any) -> Strategy:
        """The strategy so far (or of the ``best`` check), with what is known about it."""
        told = {
            "method": self.settings.method,
            "traversal": self.settings.traversal,
            "iteration": self.precision.best[0] if best and self.precision.best else self.iteration,
            "seed": self.settings.seed,
            "iterate": "average" if self.settings.average else "last",
            **about,
        }
        found = self.precision.kept[0] if best else self.probabilities()
        return Strategy.of(self.tree, found, told)

    def assess(self) -> Assessment:
        """Exact values and best responses of the strategy so far."""
        return assess_form(sequence_form(self.tree), self.probabilities())[0]

    def exploitability(self) -> float:
        """Exact exploitability of the strategy so far."""
        return self.assess().exploitability

    def cce_gaps(self) -> tuple[float, ...] | None:
        """What each player would have gained by one fixed strategy against the play so far.

        The largest of them is the gap to a coarse correlated equilibrium: what regret matching
        promises to close in every game. Followed in full traversals of games of perfect recall
        that are not two-player zero-sum, and of normal-form games; None elsewhere.
        """
        return self._engine.cce_gaps()

    def report(self, run_seconds: float = 0.0, check: bool = True) -> Report:
        """Where the run stands now."""
        base = (self.iteration, self.seconds, self.cpu_seconds, run_seconds)
        if not check:
            return Report(*base)
        began = time.perf_counter()
        found = self.assess()
        gaps = self.cce_gaps()
        if is_check(self.iteration):
            tables = lambda: [self.probabilities()]  # noqa: E731
            self.precision.note(self.iteration, found.exploitability, tables)
        self.check_seconds = time.perf_counter() - began
        return Report(
            *base,
            exploitability=found.exploitability,
            values=found.values,
            gains=found.gains,
            cce_gap=None if gaps is None else max(gaps),
            verdict=self.precision.verdict(),
        )

    def run(self, until: Until) -> Iterator[Report]:
        """Iterate, yielding a report now and then; the last one meets ``until``.

        Exploitability is checked at fixed iterations (each a tenth further than the last), so
        that a resumed run stops where an uninterrupted one would.
        """
        return run_until(self, until)

    def save(
        self, path: str | os.PathLike[str], trace: Any = (), best: bool = False, **about: Any
    ) -> None:
        """Write a checkpoint, which is also a strategy file: of the ``best`` check, or of now."""
        run = run_of(self, trace)
        state = {**self._engine.state(), "logs": self._logs.copy(), **self.precision.state()}
        if self.leaning is not None:
            state |= {"delta": self.leaning.delta, "beta": self.leaning.beta}
            run["best"] = self.leaning.best
        save_strategy(self.strategy(best, **about), path, state, run)

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], game: Any = None, memory: int | None = None
    ) -> tuple[Solver, list[Report]]:
        """Continue from a checkpoint: the solver as it was, and the trace so far."""
        strategy, state, run = read(path)
        if run is None:
            raise FileError(f"{path} holds a strategy without a solver's state: nothing to resume")
        settings = from_json(Settings, run.object("settings"))
        rule = from_json(Method, run.object("rule"))
        if game is None:
            game = load_named(strategy.spec, path)
        tree = game if isinstance(game, HistoryTree) else compile_game(game, memory)
        strategy.check_fits(tree)
        leaning = None
        if "delta" in state and "beta" in state:
            slots, infosets = tree.infosets.slots, len(tree.infosets.owner)
            delta = state.array("delta", np.float64, (slots,), least=1)
            beta = state.array("beta", np.float64, (infosets,), least=0)
            leaning = Leaning(delta, beta, run.flag("best", False))
        solver = cls(tree, **{**asdict(settings), "method": rule}, style=leaning)
        state.fill("logs", solver._logs)
        solver._engine.restore(state)
        solver.precision.restore(state, [strategy.probabilities])
        state.finish()
        return solver, go_on(solver, run)


def run_until(
    solver: Any,
    until: Until,
    every: int | None = None,
    reserve: Callable[[], float] | None = None,
) -> Iterator[Report]:
    """Iterations of a solver in small pieces, with a report after each, up to a limit.

    A piece ends at every multiple of ``every``. The last report is in time for another check and
    for what else is to be done in the end, which takes the seconds that ``reserve`` tells.
    """
    began = time.perf_counter()
    pace, checking = 1e-4, 0.0  # seconds of an iteration, and of a check
    # The first iteration takes longer than others; a second may be begun that seems too long.
    slack = min(1.0, 0.1 * (until.seconds or 0.0))

    def left() -> float:
        """Seconds until the last check must begin."""
        if until.seconds is None:
            return math.inf
        rest = checking + (reserve() if reserve else 0.0)
        return until.seconds - rest - (time.perf_counter() - began)

    checks = 0

    def report(check: bool) -> Report:
        nonlocal checking, checks
        at = time.perf_counter()
        found = solver.report(at - began, check=check)
        if check and checks:  # the first one has kernels to load
            checking = time.perf_counter() - at
        checks += check
        return found

    latest = report(is_check(solver.iteration))
    reached = solver.iteration and until.reached_by(latest)
    if reached or latest.exploitability is not None:  # which a signal may have kept a run from
        yield latest
    if reached:
        return
    while True:
        check_at = _next_check(solver.iteration)
        if until.iterations is not None:
            check_at = min(check_at, until.iterations)
        stop = check_at
        if every:
            stop = min(stop, (solver.iteration // every + 1) * every)
        room = max(min(CHUNK_SECONDS, left()), 0.0)
        chunk = max(1, min(stop - solver.iteration, int(room / pace)))
        before, spent = solver.iteration, solver.seconds
        solver.step(chunk)
        pace = max((solver.seconds - spent) / (solver.iteration - before), 1e-7)
        late = left() + slack < pace
        latest = report(check=solver.iteration == check_at or late)
        if latest.exploitability is not None:  # is there time for another check?
            late |= left() + slack < pace
        yield latest
        if late or until.reached_by(latest):
            return


FIRST_PIECE, MOST_PIECE = 16, 1 << 16
PIECE_SECONDS = 0.25


def next_piece(piece: int, count: int, seconds: float) -> int:
    """Iterations for the next call of a kernel, in which no signal is heard.

    >>> next_piece(16, 16, 0.001), next_piece(16, 3, 0.001), next_piece(16, 16, 2.0)
    (128, 16, 2)
    """
    if seconds > PIECE_SECONDS:
        return max(1, int(count * PIECE_SECONDS / seconds))
    return min(8 * piece, MOST_PIECE) if count == piece and 8 * seconds < PIECE_SECONDS else piece


_method = method


@dataclass(frozen=True)
class Settings:
    """What was asked for; a checkpoint carries it."""

    method: str = DEFAULT_METHOD
    traversal: str = "full"
    alternating: bool = True
    average: bool = True
    dtype: str = "float64"
    seed: int = 0
    explore: float = 0.6
    form: str = "auto"

    def __post_init__(self) -> None:
        if self.traversal not in TRAVERSALS:
            raise ParameterError(
                f"there is no traversal {self.traversal!r}; there are {', '.join(TRAVERSALS)}"
            )
        if self.dtype not in ("float64", "float32"):
            raise ParameterError(f"dtype is float64 or float32, not {self.dtype!r}")
        if self.form not in ("auto", "history"):
            raise ParameterError(f"form is auto or history, not {self.form!r}")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ParameterError(f"the seed is {self.seed}, and must be a whole number from 0 up")
        if self.seed >= 1 << 64:
            raise ParameterError("the seed must be below 2^64")
        if not 0 < self.explore <= 1:
            raise ParameterError(f"explore is {self.explore}, and must be above 0 and at most 1")


def _checked_threads(threads: int | None) -> int | None:
    if threads is not None and not 1 <= threads <= 256:
        raise ParameterError(f"threads is {threads}, and must be from 1 to 256")
    return threads


def _next_check(iteration: int) -> int:
    """The first check after an iteration, on a grid that grows by a tenth."""
    if iteration == 0:
        return 1
    step = math.floor(math.log(iteration, 1.1) + 1e-9) + 1
    return max(iteration + 1, math.ceil(1.1**step))


def is_check(iteration: int) -> bool:
    """Does an uninterrupted run check here?"""
    return iteration > 0 and _next_check(iteration - 1) == iteration


def run_of(solver: Any, trace: Iterable[Report]) -> dict[str, Any]:
    """What a checkpoint tells about a run, beside its arrays."""
    return {
        "settings": to_json(solver.settings),
        "rule": to_json(solver.method),
        "iteration": solver.iteration,
        "seconds": solver.seconds,
        "cpu_seconds": solver.cpu_seconds,
        "trace": [to_json(report) for report in trace],
    }


def go_on(solver: Any, run: Fields) -> list[Report]:
    """Bring a solver to where a run was, but for its arrays; the trace so far."""
    solver.iteration = run.whole("iteration", 0, MOST_ITERATIONS)
    solver.seconds, solver.cpu_seconds = run.number("seconds", 0), run.number("cpu_seconds", 0)
    trace = [from_json(Report, entry) for entry in run.objects("trace")]
    solver.precision.begin(checks_of(trace))
    return trace


def checks_of(trace: Sequence[Report]) -> list[tuple[int, float]]:
    """The checks of a trace at which an uninterrupted run would have looked, too."""
    return [
        (report.iteration, report.exploitability)
        for report in trace
        if report.exploitability is not None and is_check(report.iteration)
    ]


def check_range(largest: float, dtype: Any) -> None:
    """Refuse payoffs of which products and sums leave the range of the numbers of a table."""
    kind = np.finfo(dtype)
    low, high = float(kind.tiny) ** 0.4, float(kind.max) ** 0.4
    if largest and not low <= largest <= high:
        way = "use float64, or write" if np.dtype(dtype) == np.float32 else "write"
        raise ParameterError(
            f"payoffs up to {largest:.3g} are out of the reach of {np.dtype(dtype).name} tables, "
            f"which take {low:.0e} to {high:.0e}; {way} them in another unit"
        )
