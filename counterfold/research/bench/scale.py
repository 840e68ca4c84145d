"""How far a cluster goes: what a piece, a task and a byte cost here, and what follows for more.

The model is a simulation of events: a scheduler hands out one piece after the other, workers do
them, and what comes back goes through one wire. Dask runs with 1, 2 and 4 workers say how far it
can be believed; two large jobs are then simulated on as many workers as nobody has at home.
"""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from counterfold.cli.blueprint_gains import size_of
from counterfold.files.text import Json
from counterfold.pieces.cluster import executor_at
from counterfold.pieces.piece import Outcome, Piece, Work, outcomes, packed
from counterfold.plot import figure
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.spot import spot
from counterfold.research.bench.spots import WIDE_RANGES
from counterfold.research.columns import Columns, Part, Table, named
from counterfold.research.drawing import finished
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.flop_report import FlopReport, solve_flop
from counterfold.solvers.result import table_size
from counterfold.solvers.shelf import ENDING
from counterfold.tree.named import poker_game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORKERS = (1, 2, 4)
MANY = (1, 64, 1000)
FLOPS = "AsKhTd, JsJhQs, 9s9hAd, KsQhJd, TsThKs, QsJs9s, AsAhKd, Jh9s9d"
SMALL = {
    "pot": 20, "stack": 60, "deck": "9TJQKA", "bets": ["75%"], "raises": ["allin"],
    "oop": "AA,KQs,QJ,TT,99", "ip": "AK,JJ,QQ,JTs",
}  # fmt: skip
SINGLE_RAISED = {
    "board": "Ks 7h 2d", "pot": 55, "stack": 975, "oop": WIDE_RANGES[0], "ip": WIDE_RANGES[1],
    "bets": ["50%", "allin"], "raises": ["60%", "allin"],
}  # fmt: skip
"""100 big blinds deep, in tenths of one."""
ACCURACY = "0.3%"
ALL_FLOPS = 1755
SIX = "holdem:6max(bets='100%',raises='allin')"
BUCKETS = 1000
DEALS = 10_000_000_000
"""Iterations of a large blueprint."""
MERGES = 600
"""Of which there are as many merges, about, as blocks that grow by a fiftieth make."""
STEPS = 10_000
"""Merges of the trunk, where the table is cut: ten times those that Leduc poker had for as good."""
PACE = 60_000.0
"""Iterations of six players a second and core: 375,000 walks were measured at three."""
EMPTY, HEAVY, BYTES = 60, 8, 4 << 20


@dataclass(frozen=True)
class Costs:
    """What the model knows, in seconds and bytes."""

    piece: float  # CPU seconds of a piece
    spread: float  # their standard deviation, as a share
    size: int  # bytes that come back
    task: float  # seconds that the scheduler needs for one
    rate: float  # bytes a second that come back
    number: float  # CPU seconds an iteration for a number of a table
    iterations: float  # of a piece
    others: float  # processes that wanted the cores as well


@dataclass(frozen=True)
class Run:
    """Pieces on so many workers: what they took, and what the model says."""

    workers: int
    pieces: int
    seconds: float
    simulated: float

    @property
    def ratio(self) -> float:
        return self.simulated / self.seconds


@dataclass(frozen=True)
class Forecast:
    """A large job on so many workers, with a core each."""

    job: str
    workers: int
    hours: float
    efficiency: float  # of a worker's time that is work on pieces
    memory: float  # GB a worker
    first: str  # what keeps it from being faster


@dataclass(frozen=True)
class Scale(Result, what="scale"):
    """Costs, the runs that check them, and what is forecast."""

    cores: int
    costs: Costs
    runs: tuple[Run, ...]
    forecasts: tuple[Forecast, ...]


def simulate(
    pieces: Sequence[float],
    workers: int,
    *,
    task: float,
    wire: float,
    cores: int | None = None,
    others: float = 0.0,
) -> float:
    """Seconds until all pieces are back: a scheduler, workers, one wire.

    Workers share the cores, if these are said, with other processes; they have one each if not.

    >>> simulate([1.0] * 8, 4, task=0.0, wire=0.0)
    2.0
    >>> simulate([1.0] * 8, 4, task=0.0, wire=0.0, cores=2)
    4.0
    >>> simulate([0.0] * 8, 4, task=0.5, wire=0.0), simulate([0.0] * 8, 4, task=0.0, wire=0.25)
    (4.0, 2.0)
    """
    slower = max(1.0, (min(workers, len(pieces)) + others) / (cores or workers))
    free = [0.0] * workers
    scheduler = wired = 0.0
    for seconds in pieces:
        scheduler = max(scheduler, heapq.heappop(free)) + task
        end = scheduler + slower * seconds
        heapq.heappush(free, end)
        wired = max(wired, end) + wire
    return wired


def nothing(given: Json, wants: tuple[str, ...]) -> Outcome:
    """A piece that costs nothing but its way, and comes back with so many bytes."""
    return Outcome({}, {end: bytes(given["bytes"]) for end in wants})


def run(
    games: Sequence[str] | None = None,
    budget: float | None = None,
    on_progress: Progress = no_progress,
) -> Scale:
    """Measure pieces alone, then on Dask's own workers here, and forecast."""
    steps = len(WORKERS) + 2
    on_progress(0, steps, "pieces alone")
    report = FlopReport(SMALL, FLOPS, accuracy=ACCURACY)
    pieces = [replace(report.piece(flop), wants=(ENDING,)) for flop in report.games]
    cores = len(os.sched_getaffinity(0))
    alone, size, number, iterations, share = _alone(pieces)
    others = cores / share - 1 if share < 0.95 else 0.0
    runs, task, rate = [], 0.0, 0.0
    for step, workers in enumerate(WORKERS, 1):
        on_progress(step, steps, f"{workers} workers")
        with executor_at(f"local:{workers}") as executor:
            list(outcomes([_warm(pieces[0], n) for n in range(2 * workers)], solve_flop, executor))
            if workers == 1:
                empty = [Piece("empty", {"n": n, "bytes": 0}) for n in range(EMPTY)]
                task = _timed(empty, nothing, executor) / EMPTY
                heavy = [Piece("heavy", {"n": n, "bytes": BYTES}, ("bin",)) for n in range(HEAVY)]
                spent = _timed(heavy, nothing, executor) - HEAVY * task
                rate = HEAVY * BYTES / max(spent, 1e-3)
            seconds = _timed(pieces, solve_flop, executor)
        wire = size / rate
        said = simulate(alone, workers, task=task, wire=wire, cores=cores, others=others)
        runs.append(Run(workers, len(pieces), seconds, said))
    mean, spread = float(np.mean(alone)), float(np.std(alone) / np.mean(alone))
    costs = Costs(mean, spread, size, task, rate, number, iterations, others)
    on_progress(steps - 1, steps, "forecasts")
    found = [*_flops(costs, alone), *_blueprint(costs)]
    return Scale(cores, costs, tuple(runs), tuple(found))


def _alone(pieces: Sequence[Piece]) -> tuple[list[float], int, float, float, float]:
    """CPU seconds of each piece; in the mean its bytes, seconds for a number of a table, and
    iterations; and the share of a core that it had."""
    spent, sizes, numbers, counts = [], [], [], []
    solve_flop(pieces[0].given, pieces[0].wants)  # kernels are loaded
    waited = 0.0
    for piece in pieces:
        began, cpu = time.perf_counter(), time.process_time()
        outcome = solve_flop(piece.given, piece.wants)
        spent.append(time.process_time() - cpu)
        waited += time.perf_counter() - began
        sizes.append(sum(map(len, packed(piece, outcome).values())))
        table = table_size(spot(piece.given["spot"])).bytes / 4
        counts.append(outcome.result["iterations"])
        numbers.append(spent[-1] / outcome.result["iterations"] / table)
    share = sum(spent) / waited
    means = float(np.mean(numbers)), float(np.mean(counts))
    return spent, int(np.mean(sizes)), *means, share


def _warm(piece: Piece, number: int) -> Piece:
    """A piece like others that nobody needs: every worker loads its kernels by one."""
    return Piece("warm", {**piece.given, "number": number})


def _timed(pieces: Sequence[Piece], work: Work, executor: Executor) -> float:
    began = time.perf_counter()
    for _ in outcomes(pieces, work, executor):
        pass
    return time.perf_counter() - began


def _flops(costs: Costs, alone: Sequence[float]) -> Iterator[Forecast]:
    """All flops of a single-raised pot at 100 big blinds: as many iterations, larger tables."""
    table = table_size(spot(SINGLE_RAISED)).bytes
    each = costs.number * table / 4 * costs.iterations
    random = np.random.default_rng(0)
    times = each * random.choice(np.array(alone) / np.mean(alone), ALL_FLOPS)
    for workers in MANY:
        wire = costs.size / costs.rate
        seconds = simulate(times.tolist(), workers, task=costs.task, wire=wire)
        work = float(times.sum()) / workers
        late = "the last pieces" if workers * 10 > ALL_FLOPS else "nothing: it is all work"
        first = "the scheduler" if ALL_FLOPS * costs.task > work else late
        yield Forecast(
            f"{ALL_FLOPS:,} flops, 100 bb, {ACCURACY}", workers, seconds / 3600, work / seconds,
            table / 1e9, first,
        )  # fmt: skip


def _blueprint(costs: Costs) -> Iterator[Forecast]:
    """A blueprint of six players, as copies and by parts: tables go both ways at every merge."""
    game = poker_game(SIX)
    size = size_of(game, BUCKETS)
    memory, table = size["memory"], 8 * size["infoset_actions"]  # regrets and sums, as they travel
    rows, walks = trunk_of(game, BUCKETS)
    for way in ("copies", "parts"):
        merges, sent = (MERGES, table) if way == "copies" else (STEPS, table * rows)
        for workers in MANY:
            # A copy walks its share; a part walks with all deals, in the trunk and its own lines.
            least = 0.0 if way == "copies" else walks
            share, held = least + (1 - least) / workers, memory
            if way == "parts":
                held *= rows + (1 - rows) / workers
            many = workers > 1
            spent = {
                "nothing: it is all work": DEALS / PACE * (share - least * many),
                "the trunk, which all walk": DEALS / PACE * least * many,
                f"{way} through one wire": merges * 2 * sent * workers / costs.rate * many,
                "the scheduler": merges * costs.task * workers * many,
            }
            seconds = sum(spent.values())
            yield Forecast(
                f"six players, {BUCKETS:,} buckets, {way}", workers, seconds / 3600,
                DEALS / PACE * share / seconds, held / 1e9, max(spent, key=spent.__getitem__),
            )  # fmt: skip


def trunk_of(game: PokerGame, buckets: int) -> tuple[float, float]:
    """The betting before the first board: its share of a table, and of the decisions that a walk
    comes to where everybody plays at random.

    >>> from counterfold.poker.holdem import leduc
    >>> [round(share, 2) for share in trunk_of(leduc(), 6)]
    [0.63, 0.36]
    """
    tree = game.betting
    decides, early = tree.kind == DECISION, tree.street == 0
    counts = np.where(early, 169 if game.rules.hole == 2 else len(game.rules.cards), buckets)
    numbers = counts * tree.count * decides
    depth = np.zeros(len(tree), np.int64)
    for node, parent in enumerate(tree.parent.tolist()):
        depth[node] = depth[parent] + 1 if parent >= 0 else 0
    order = np.argsort(depth, kind="stable")
    starts = np.searchsorted(depth[order], np.arange(depth.max() + 2))
    reach = np.ones((tree.players, len(tree)))
    for level in range(1, depth.max() + 1):
        here = order[starts[level] : starts[level + 1]]
        above = tree.parent[here]
        drawn = decides[above] & (tree.player[above] != np.arange(tree.players)[:, None])
        reach[:, here] = reach[:, above] / np.where(drawn, tree.count[above], 1)
    met = reach.sum(axis=0) * decides
    return float(numbers[early].sum() / numbers.sum()), float(met[early].sum() / met.sum())


def show(result: Scale) -> Iterator[Part]:
    """What things cost, the runs beside the model, and the forecasts."""
    costs: Columns = {
        "a piece": "{0.piece:.3g} s CPU",
        "spread": "{0.spread:.0%}",
        "comes back": "{0.size:,} bytes",
        "a task": "{0.task:.2g} s",
        "bytes a second": "{0.rate:.3g}",
        "others at work": "{0.others:.1f}",
    }
    yield Table((result.costs,), costs, f"What things cost here, on {result.cores} cores")
    runs: Columns = {
        **named("workers", "pieces"),
        **named("seconds", "simulated", to=".2f"),
        "simulated / measured": "{0.ratio:.2f}",
    }
    yield Table(result.runs, runs, "Dask's own workers, and the simulation of them")
    forecasts: Columns = {
        **named("job", "workers"),
        **named("hours", to=",.3g"),
        **named(to=".0%", efficiency="at work"),
        **named(to=",.2g", memory="GB a worker"),
        **named(first="what breaks first"),
    }
    yield Table(result.forecasts, forecasts, "Large jobs on many workers, simulated")


def draw(result: Scale) -> Figure:
    """Hours by workers."""
    made, (panel,) = figure(1, 1, size=(6, 4))
    for job in dict.fromkeys(one.job for one in result.forecasts):
        points = [(one.workers, one.hours) for one in result.forecasts if one.job == job]
        panel.loglog(*zip(*points, strict=True), marker="o", label=job)
    panel.set_xlabel("workers")
    panel.set_ylabel("hours")
    panel.legend()
    return finished(made, "Large jobs on many workers")
