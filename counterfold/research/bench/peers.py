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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from statistics import median
from time import process_time
from typing import Any

from counterfold.errors import ParameterError
from counterfold.research.bench.solvers import GAMES, PEERS, RUNNERS, BenchGame, Runner, warm_up
from counterfold.research.progress import no_progress

__all__ = ["TARGETS", "Measurement", "Reach", "Report", "measure", "run"]

TARGETS = (1e-3, 1e-6)
BUDGET = 60.0
SAMPLED_ITERATIONS = 100_000
"""Sampling is far from the targets here; its exploitability after so many iterations is told."""

QUICK = 20.0
"""What needed more CPU seconds than this in the first round is not repeated in the others: the
search for the targets, or, where building alone took so long, everything."""


@dataclass(frozen=True)
class Reach:
    """The CPU seconds and iterations to a target, or none within the budget."""

    target: float
    seconds: float | None = None
    iterations: int | None = None


@dataclass(frozen=True)
class Measurement:
    """What one solver did on one game; ``note`` says why where it did nothing.

    >>> Measurement("jax", "cfr+", "kuhn", note="not installed").reach(1e-3).seconds is None
    True
    """

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
    def from_dict(cls, data: Mapping[str, Any]) -> Measurement:
        """The inverse of ``dataclasses.asdict``.

        >>> Measurement.from_dict(asdict(Measurement("jax", "cfr+", "kuhn"))).game
        'kuhn'
        """
        return cls(**{**data, "reached": tuple(Reach(**r) for r in data.get("reached", ()))})


@dataclass(frozen=True)
class Report:
    """All measurements of a run, and where they were made."""

    measurements: tuple[Measurement, ...]
    budget: float
    machine: Mapping[str, str] = field(default_factory=dict)

    def games(self) -> list[str]:
        """The games measured, in order.

        >>> Report((Measurement("jax", "cfr+", "kuhn"),), 1.0).games()
        ['kuhn']
        """
        return list(dict.fromkeys(m.game for m in self.measurements))

    def peers(self, game: str) -> list[str]:
        """The solvers measured on a game, in order.

        >>> Report((Measurement("jax", "cfr+", "kuhn"),), 1.0).peers("kuhn")
        ['jax']
        """
        return list(dict.fromkeys(m.peer for m in self.measurements if m.game == game))

    def plain(self, game: str, peer: str) -> Measurement:
        """The measurement of a solver's first method: CFR+, or its external sampling.

        >>> Report((Measurement("jax", "cfr+", "kuhn"),), 1.0).plain("kuhn", "jax").method
        'cfr+'
        """
        return next(m for m in self.measurements if (m.game, m.peer) == (game, peer))

    def fastest(self, game: str, peer: str, target: float) -> Measurement:
        """The measurement of the solver's method that came first to a target.

        >>> Report((Measurement("jax", "cfr+", "kuhn"),), 1.0).fastest("kuhn", "jax", 1e-3).method
        'cfr+'
        """
        ran = [m for m in self.measurements if (m.game, m.peer) == (game, peer)]
        return min(ran, key=lambda m: _or_infinity(m.reach(target).seconds))

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON takes it.

        >>> Report((), 60.0).to_dict()
        {'budget': 60.0, 'machine': {}, 'measurements': []}
        """
        return {
            "budget": self.budget,
            "machine": dict(self.machine),
            "measurements": [asdict(m) for m in self.measurements],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """The inverse of ``to_dict``.

        >>> Report.from_dict(Report((), 60.0).to_dict())
        Report(measurements=(), budget=60.0, machine={})
        """
        measurements = tuple(Measurement.from_dict(m) for m in data["measurements"])
        return cls(measurements, data["budget"], data["machine"])


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


def _timed_alone(make: Callable[[], Runner], found: Reach, iteration: float) -> Reach:
    """The way to a target once more without stops, where stops may have cost more than it did.

    The search stops for a check after nearly each of the first iterations, and every call has its
    fixed cost; this asks a fresh solver for as many iterations in one call.
    """
    if found.seconds is None or found.iterations is None:
        return found
    with_stops = replace(found, seconds=found.seconds + iteration)
    if found.seconds > 1 or found.iterations < 2:
        return with_stops
    runner = make()
    runner.step(1)
    start = process_time()
    runner.step(found.iterations - 1)
    seconds = process_time() - start + iteration
    # Sampled or threaded solvers might go another way; then the first finding stands.
    if runner.exploitability() <= found.target * 1.01:
        return replace(found, seconds=seconds)
    return with_stops


def _iteration_time(runner: Runner, batch: float = 0.1, batches: int = 5) -> float:
    """The median over batches that each take about ``batch`` CPU seconds."""
    n = 1
    while True:
        start = process_time()
        runner.step(n)
        took = process_time() - start
        if took >= batch / 4:
            break
        n *= 4
    n = max(1, round(n * batch / took))
    times = []
    for _ in range(batches):
        start = process_time()
        runner.step(n)
        times.append((process_time() - start) / n)
    return median(times)


def peak_memory() -> int:
    """The peak resident bytes of this process.

    Linux hands ``ru_maxrss`` down from the parent that started us, so VmHWM is asked first.
    """
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


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
    budget: float = BUDGET,
    on_progress: Callable[[str], None] = no_progress,
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
            done, title = turn * len(cells) + number, PEERS[name].title
            on_progress(f"{done} of {rounds * len(cells)}: {game.title}: {title} {method}")
            before = taken.setdefault((game.key, name, method), [])
            missing = PEERS[name].missing()
            if not before and missing:
                before.append(Measurement(name, method, game.key, note=missing))
            elif not before:
                before.append(_in_worker(game, name, method, budget))
            elif not before[0].note and (before[0].build_seconds or 0.0) <= QUICK:
                slow = before[0].cpu_seconds > QUICK
                before.append(_in_worker(game, name, method, 0.0 if slow else budget))
    on_progress(f"{rounds * len(cells)} of {rounds * len(cells)}: done")
    return Report(tuple(_median(each) for each in taken.values()), budget, _machine())


def _known(what: str, given: Iterable[str], known: Mapping[str, Any]) -> list[str]:
    names = list(given)
    for name in names:
        if name not in known:
            raise ParameterError(f"There is no {what} '{name}' here; choose of {', '.join(known)}.")
    return names


def _median(rounds: Sequence[Measurement]) -> Measurement:
    """The rounds of one cell as one measurement."""
    good = [m for m in rounds if not m.note]
    if not good:
        return rounds[0]

    def middle(values: Iterable[float | None]) -> float | None:
        # A target missed in most rounds is missed, however fast the others were.
        found = median(map(_or_infinity, values))
        return found if math.isfinite(found) else None

    searched = [m for m in good if m.budget == good[0].budget]
    reached = [
        replace(r, seconds=middle(m.reach(r.target).seconds for m in searched))
        for r in good[0].reached
    ]
    return replace(
        good[0],
        iteration_seconds=middle(m.iteration_seconds for m in good),
        build_seconds=middle(m.build_seconds for m in good),
        memory_bytes=round(middle(m.memory_bytes for m in good) or 0),
        baseline_bytes=round(middle(m.baseline_bytes for m in good) or 0),
        reached=tuple(reached),
        rounds=len(good),
    )


def _machine() -> dict[str, str]:
    found = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
    }
    for package in ("counterfold", "numba", "open_spiel", "jax", "LiteEFG"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--worker":
        sys.exit("This is the worker of `counterfold bench peers`; run that instead.")
    _worker(sys.argv[2])
