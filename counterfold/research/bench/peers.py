"""Counterfold beside other solvers: the same games, one run, CPU time of one thread.

Every measurement is a fresh process, pinned to one core and warmed up by a run on Kuhn, so that
memory and compilation are its own and what is paid once a process counts for nobody. Rounds are
interleaved (all solvers once, then all again) and reported as medians. Checks of the
exploitability are never part of a solver's time.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from counterfold.errors import ParameterError
from counterfold.files.text import Json
from counterfold.plot import figure
from counterfold.research.bench.solvers import (
    GAMES,
    OURS,
    PEERS,
    RUNNERS,
    BenchGame,
    Runner,
    warm_up,
)
from counterfold.research.bench.timing import Reach, cpu, enough, peak_memory
from counterfold.research.columns import Part, Table
from counterfold.research.drawing import bars, finished
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TARGETS = (1e-3, 1e-6)
SAMPLED_ITERATIONS = 100_000
"""Sampling is far from the targets here; its exploitability after so many iterations is told."""

QUICK = 20.0
"""What needed more CPU seconds than this in the first round is not repeated in the others: the
search for the targets, or, where building alone took so long, everything."""


@dataclass(frozen=True)
class Measurement:
    """What one solver did on one game; ``note`` says why where it did nothing."""

    peer: str
    method: str
    game: str
    iteration_seconds: float | None = None
    build_seconds: float | None = None
    memory_bytes: int | None = None
    """The peak above the baseline, after building and the first iteration."""
    baseline_bytes: int | None = None
    """The peak after the imports and a first run on Kuhn."""
    reached: tuple[Reach, ...] = ()
    iterations: int = 0
    exploitability: float | None = None
    budget: float = 0.0
    cpu_seconds: float = 0.0
    rounds: int = 1
    note: str = ""

    def reach(self, target: float) -> Reach:
        """What is known about one target."""
        return next((r for r in self.reached if r.target == target), Reach(target))

    @classmethod
    def from_dict(cls, data: Json) -> Measurement:
        """The inverse of ``dataclasses.asdict``.

        >>> Measurement.from_dict(asdict(Measurement("jax", "cfr+", "kuhn"))).game
        'kuhn'
        """
        return cls(**{**data, "reached": tuple(Reach(**r) for r in data.get("reached", ()))})


@dataclass(frozen=True)
class Report(Result, what="peers"):
    """All measurements of a run, and where they were made."""

    measurements: tuple[Measurement, ...]
    budget: float
    machine: Mapping[str, str] = field(default_factory=dict)

    def games(self) -> list[str]:
        """The games measured, in order."""
        return list(dict.fromkeys(m.game for m in self.measurements))

    def peers(self, game: str) -> list[str]:
        """The solvers measured on a game, in order."""
        return list(dict.fromkeys(m.peer for m in self.measurements if m.game == game))

    def _of(self, game: str, peer: str) -> list[Measurement]:
        return [m for m in self.measurements if (m.game, m.peer) == (game, peer)]

    def plain(self, game: str, peer: str) -> Measurement:
        """The measurement of a solver's first method: CFR+, or its external sampling."""
        return self._of(game, peer)[0]

    def fastest(self, game: str, peer: str, target: float) -> Measurement:
        """The measurement of the solver's method that came first to a target."""
        return min(self._of(game, peer), key=lambda m: _or_infinity(m.reach(target).seconds))


def _or_infinity(seconds: float | None) -> float:
    return math.inf if seconds is None else seconds


def measure(
    game: BenchGame,
    peer: str,
    method: str,
    budget: float,
    build: Callable[[BenchGame, str], Runner] | None = None,
) -> Measurement:
    """Measure one solver on one game in this process, with ``budget`` CPU seconds for the targets.

    >>> measure(GAMES["kuhn"], "openspiel", "cfr+", budget=0.2).reach(1e-3).iterations < 1000
    True
    """
    begun = process_time()
    if build is None:
        warm_up(peer, method, game.traversal)
    baseline = peak_memory()
    start = process_time()
    make = build or RUNNERS[peer]
    runner = make(game, method)
    runner.step(1)
    built = process_time() - start
    memory = peak_memory() - baseline
    reached: list[Reach] = []
    if game.traversal == "full":
        reached, iterations, exploitability = _to_targets(runner, TARGETS, budget)
    else:
        iterations, exploitability = _sampled(runner, budget)
    iteration = _iteration_time(runner)
    # The first iteration ran while building; it belongs to the way to a target.
    reached = [_timed_alone(lambda: make(game, method), r, iteration) for r in reached]
    return Measurement(
        peer=peer,
        method=method,
        game=game.key,
        iteration_seconds=iteration,
        build_seconds=max(built - iteration, 0.0),
        memory_bytes=memory,
        baseline_bytes=baseline,
        reached=tuple(reached),
        iterations=iterations,
        exploitability=exploitability,
        budget=budget,
        cpu_seconds=process_time() - begun,
    )


def _to_targets(
    runner: Runner, targets: Sequence[float], budget: float
) -> tuple[list[Reach], int, float | None]:
    """Iterate to each target, checking after ever longer stretches (5% more, or 25% if slow)."""
    reached: dict[float, Reach] = {}
    spent = checking = 0.0
    done, exploitability = 1, None
    while len(reached) < len(targets) and spent < budget:
        start = process_time()
        exploitability = runner.exploitability()
        checking += process_time() - start
        for target in targets:
            if exploitability <= target and target not in reached:
                reached[target] = Reach(target, spent, done)
        if len(reached) == len(targets):
            break
        n = math.ceil(done * (0.05 if checking <= spent else 0.25))
        if spent:
            n = min(n, math.ceil((budget - spent) / (spent / done)))
        start = process_time()
        runner.step(n)
        spent += process_time() - start
        done += n
    return [reached.get(t, Reach(t)) for t in targets], done, exploitability


def _sampled(runner: Runner, budget: float) -> tuple[int, float]:
    """Iterate as often as all samplers do, or as long as the budget lasts."""
    done, begun = 1, process_time()
    while done < SAMPLED_ITERATIONS and process_time() - begun < budget:
        n = min(1000, SAMPLED_ITERATIONS - done)
        runner.step(n)
        done += n
    return done, runner.exploitability()


def _timed_alone(make: Callable[[], Runner], met: Reach, iteration: float) -> Reach:
    """The way to a target once more without stops, where stops may have cost more than it did.

    The search stops for a check after nearly each of the first iterations, and every call has its
    fixed cost; this asks a fresh solver for as many iterations in one call.
    """
    if met.seconds is None or met.iterations is None:
        return met
    with_stops = replace(met, seconds=met.seconds + iteration)
    if met.seconds > 1 or met.iterations < 2:
        return with_stops
    runner = make()
    runner.step(1)
    start = process_time()
    runner.step(met.iterations - 1)
    seconds = process_time() - start + iteration
    # Sampled or threaded solvers might go another way; then the first finding stands.
    if runner.exploitability() <= met.target * 1.01:
        return replace(met, seconds=seconds)
    return with_stops


def _iteration_time(runner: Runner, batch: float = 0.1, batches: int = 5) -> float:
    """The median over batches that each take about ``batch`` CPU seconds."""
    n = enough(runner.step, batch)
    return median(cpu(lambda: runner.step(n)) / n for _ in range(batches))


_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


def _in_worker(game: BenchGame, peer: str, method: str, budget: float) -> Measurement:
    """``measure`` in a fresh process; whatever goes wrong there is a note, never an exception."""
    failed = Measurement(peer, method, game.key, budget=budget)
    job = json.dumps([game.key, peer, method, budget])
    limit = 5 * budget + 300
    with tempfile.TemporaryDirectory() as home:
        env = os.environ | _ONE_THREAD
        if peer == "liteefg":
            env["HOME"] = home  # LiteEFG writes the game there
        try:
            done = subprocess.run(
                [sys.executable, "-m", "counterfold.research.bench.peers", "--worker", job],
                env=env,
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return replace(failed, note=f"no result within {limit:.0f} s")
    if done.returncode == 0:
        return Measurement.from_dict(json.loads(done.stdout))
    if done.returncode < 0:
        return replace(failed, note=f"failed: killed by signal {-done.returncode}")
    lines = done.stderr.strip().splitlines() or ["it said nothing"]
    return replace(failed, note=f"failed: {lines[-1][:160]}")


def _worker(job: str) -> None:
    """Measure and write one JSON document; what the solvers print goes to standard error."""
    answer = os.dup(1)
    os.dup2(2, 1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    key, peer, method, budget = json.loads(job)
    measured = measure(GAMES[key], peer, method, budget)
    with os.fdopen(answer, "w") as out:
        json.dump(asdict(measured), out)


def run(
    games: Iterable[str] = GAMES,
    budget: float = 60.0,
    on_progress: Progress = no_progress,
    *,
    peers: Iterable[str] = PEERS,
    rounds: int = 3,
) -> Report:
    """Measure all solvers on all games.

    >>> report = run(["kuhn"], budget=0.1, peers=["openspiel"], rounds=1)
    >>> report.plain("kuhn", "openspiel").iteration_seconds > 0
    True
    """
    keys = _known("game", games, GAMES)
    names = _known("solver", peers, PEERS)
    if not (math.isfinite(budget) and budget > 0):
        raise ParameterError(f"The budget must be a positive number of seconds, not {budget}.")
    if rounds < 1:
        raise ParameterError(f"At least one round is needed, not {rounds}.")
    cells = [
        (GAMES[key], name, method)
        for key in keys
        for name in names
        for method in PEERS[name].methods(GAMES[key].traversal)
    ]
    taken: dict[tuple[BenchGame | str, ...], list[Measurement]] = {}
    for turn in range(rounds):
        for number, (game, name, method) in enumerate(cells):
            words = f"{game.title}: {PEERS[name].title} {method}"
            on_progress(turn * len(cells) + number, rounds * len(cells), words)
            before = taken.setdefault((game.key, name, method), [])
            missing = PEERS[name].missing()
            if not before and missing:
                before.append(Measurement(name, method, game.key, note=missing))
            elif not before:
                before.append(_in_worker(game, name, method, budget))
            elif not before[0].note and (before[0].build_seconds or 0.0) <= QUICK:
                slow = before[0].cpu_seconds > QUICK
                before.append(_in_worker(game, name, method, 0.0 if slow else budget))
    return Report(tuple(_median(each) for each in taken.values()), budget, _machine())


def _known(what: str, wanted: Iterable[str], known: Mapping[str, object]) -> list[str]:
    names = list(wanted)
    for name in names:
        if name not in known:
            raise ParameterError(f"There is no {what} '{name}' here; choose of {', '.join(known)}.")
    return names


def _median(rounds: Sequence[Measurement]) -> Measurement:
    """The rounds of one cell as one measurement."""
    good = [m for m in rounds if not m.note]
    if not good:
        return rounds[0]

    def typical(values: Iterable[float | None]) -> float | None:
        # A target missed in most rounds is missed, however fast the others were.
        middle = median(map(_or_infinity, values))
        return middle if math.isfinite(middle) else None

    searched = [m for m in good if m.budget == good[0].budget]
    reached = [
        replace(r, seconds=typical(m.reach(r.target).seconds for m in searched))
        for r in good[0].reached
    ]
    return replace(
        good[0],
        iteration_seconds=typical(m.iteration_seconds for m in good),
        build_seconds=typical(m.build_seconds for m in good),
        memory_bytes=round(typical(m.memory_bytes for m in good) or 0),
        baseline_bytes=round(typical(m.baseline_bytes for m in good) or 0),
        reached=tuple(reached),
        rounds=len(good),
    )


def _machine() -> dict[str, str]:
    machine = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
    }
    for package in ("counterfold", "numba", "open_spiel", "jax", "LiteEFG"):
        try:
            machine[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            machine[package] = "not installed"
    return machine


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def show(report: Report) -> Iterator[Part]:
    """The report as a table; ratios say how many times our figure the other's is."""
    head = ["game", "solver", "iteration", *(f"to {t:g}" for t in TARGETS), "build", "memory"]
    rows, notes = [], []
    for game in report.games():
        title = GAMES[game].title
        for number, peer in enumerate(report.peers(game)):
            note = report.plain(game, peer).note
            if note:
                notes.append(f"{title}, {PEERS[peer].title}: {note}.")
                continue
            rows.append(["" if number else title, PEERS[peer].title, *_cells(report, game, peer)])
    yield Table(rows, head, "CPU time of one thread, and how many times ours it is")
    yield from notes


def _cells(report: Report, game: str, peer: str) -> list[str]:
    plain = report.plain(game, peer)
    compared = peer != OURS and OURS in report.peers(game)
    ours = report.plain(game, OURS) if compared else Measurement(OURS, "", game)
    cells = [_beside(_time, plain.iteration_seconds, ours.iteration_seconds)]
    for target in TARGETS:
        best = report.fastest(game, peer, target)
        if not best.reached:
            after = plain.exploitability is not None and target == TARGETS[0]
            words = f"{plain.exploitability:.2g} after {plain.iterations:,} its" if after else ""
            cells.append(words)
            continue
        seconds = best.reach(target).seconds
        mine = report.fastest(game, OURS, target).reach(target).seconds if compared else None
        if seconds is not None:
            cells.append(f"{_beside(_time, seconds, mine)} {best.method}")
        else:
            ratio = f" (> {_ratio(best.budget / mine)})" if mine else ""
            cells.append(f"> {best.budget:g} s{ratio}")
    cells.append(_beside(_time, plain.build_seconds, ours.build_seconds))
    cells.append(_beside(_size, plain.memory_bytes, ours.memory_bytes))
    return cells


def _beside(show: Callable[[float], str], value: float | None, ours: float | None) -> str:
    if value is None:
        return ""
    return show(value) + (f" ({_ratio(value / ours)})" if ours else "")


def _ratio(times: float) -> str:
    """How often, in two digits or all before the point.

    >>> _ratio(0.0035), _ratio(1.5), _ratio(12.34), _ratio(1234)
    ('0.0035x', '1.5x', '12x', '1,234x')
    """
    return f"{times:.2g}x" if times < 10 else f"{times:,.0f}x"


def _time(seconds: float) -> str:
    """Seconds in the unit that reads best.

    >>> _time(0.0000185), _time(0.0169), _time(2.5)
    ('18.5 us', '16.9 ms', '2.5 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _size(size: float) -> str:
    """Bytes as megabytes.

    >>> _size(3_500_000), _size(1_040_000_000)
    ('3.5 MB', '1,040 MB')
    """
    return f"{size / 1e6:.2g} MB" if size < 10e6 else f"{size / 1e6:,.0f} MB"


def draw(report: Report) -> Figure:
    """A picture of the report: bars by game and solver; what was not reached has none.

    >>> draw(Report((), 60.0))
    Traceback (most recent call last):
    counterfold.errors.ParameterError: there is nothing to plot: no solver has run
    """
    ran = [m for m in report.measurements if not m.note]
    if not ran:
        raise ParameterError("there is nothing to plot: no solver has run")
    full = [g for g in report.games() if g not in GAMES or GAMES[g].traversal == "full"]
    last = TARGETS[-1]
    made, panels = figure(2, 2, size=(15, 9))
    shown: list[tuple[str, list[str], Callable[[str, str], float | None]]] = [
        ("seconds an iteration", report.games(), lambda g, p: report.plain(g, p).iteration_seconds),
        (f"seconds to {last:g}", full, lambda g, p: report.fastest(g, p, last).reach(last).seconds),
        ("seconds to build the tree", full, lambda g, p: report.plain(g, p).build_seconds),
        ("bytes above a warmed-up process", full, lambda g, p: report.plain(g, p).memory_bytes),
    ]
    for panel, (unit, games, value) in zip(panels, shown, strict=True):
        series = {
            PEERS[peer].title: [value(g, peer) if peer in report.peers(g) else None for g in games]
            for peer in dict.fromkeys(m.peer for m in ran)
        }
        bars(panel, [GAMES[g].title if g in GAMES else g for g in games], series, unit)
    return finished(made, "Other solvers beside ours, CPU time of one thread")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--worker":
        sys.exit("This is the worker of `counterfold bench peers`; run that instead.")
    _worker(sys.argv[2])
