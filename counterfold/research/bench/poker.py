"""Hold'em spots: the cost of an iteration, memory, and the time to a share of the pot.

Compiling and building are not part of any time, and neither are checks of the exploitability.
Rounds are interleaved (everything once, then everything again) and medians are told.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Protocol

import numpy as np

from counterfold.errors import ParameterError
from counterfold.plot import COLOURS, figure
from counterfold.poker.game import PokerGame
from counterfold.poker.spot import load_spot, read_spot, spot
from counterfold.research.bench.spot_peer import SpotPeer
from counterfold.research.bench.spots import OTHER_SPOTS, SPOTS
from counterfold.research.bench.timing import Reach, cpu, each, medians, peak_memory
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.drawing import finished
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.settings import POKER_METHOD
from counterfold.solvers.solver import Solver
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TARGETS = (1.0, 0.5, 0.1)
"""Exploitability in percent of the pot that a spot begins with."""

GAMES = tuple(SPOTS)
BITS = (32, 16)
BUDGET = 120.0
ROUNDS = 5
PASSES = 5
"""How often an iteration goes over a number of a table: regrets are read when the player learns,
written, and read when the opponent does; sums of strategies are read and written."""


@dataclass(frozen=True)
class PeerCost:
    """What another solver took in the same rounds, in tables of so many bits, by its own clock."""

    spot: str
    bits: int
    one_thread: float
    """CPU seconds an iteration (both players updated once)."""
    reached: tuple[Reach, ...]


@dataclass(frozen=True)
class Cost(Result, also=("bandwidth", "share", "ratio", "iteration_ratio"), without=("peer",)):
    """What a spot costs in tables of so many bits."""

    spot: str
    bits: int
    method: str
    build_seconds: float
    """CPU time for the tree and the solver, without compiling."""
    one_thread: float
    """CPU seconds an iteration (both players updated once)."""
    two_threads: float
    """Seconds an iteration by the clock."""
    moved: float
    """Bytes an iteration moves at the least: every number of the tables, ``PASSES`` times."""
    triad: float
    """Bytes a second that the triad loop moved in one thread, in the same rounds."""
    table_bytes: int
    resident_bytes: int | None
    """The peak of a process with this one solver, above what it had before the tree was built."""
    reached: tuple[Reach, ...]
    """Iterations, and so many times the CPU time of one, in one thread."""
    peer: PeerCost | None = None

    @property
    def bandwidth(self) -> float:
        """Bytes of the tables a second, in one thread."""
        return self.moved / self.one_thread

    @property
    def share(self) -> float:
        """The same as a share of what the triad loop reaches."""
        return self.bandwidth / self.triad

    @property
    def ratio(self) -> float | None:
        """The time to the last target as a share of the peer's."""
        theirs = self.peer and self.peer.reached[-1].seconds
        ours = self.reached[-1].seconds
        return ours / theirs if ours and theirs else None

    @property
    def iteration_ratio(self) -> float | None:
        """The time of an iteration as a share of the peer's."""
        return None if self.peer is None else self.one_thread / self.peer.one_thread


@dataclass(frozen=True)
class Costs(Result, what="poker", also=("peers",)):
    """All spots; and how busy the machine was at the end of them."""

    costs: tuple[Cost, ...]
    cores: int | None
    load: tuple[float, float, float]

    @property
    def peers(self) -> list[PeerCost]:
        """What the other solver took, if one was measured."""
        return [cost.peer for cost in self.costs if cost.peer is not None]


class Triad:
    """The loop a = b + s c over arrays that no cache holds.

    The sum is made in blocks, so that the product of a block stays in the cache. Four transfers
    are counted: b, c and a, and a once more, as its lines are fetched before they are written.
    """

    def __init__(self, megabytes: float = 64.0, block: int = 1 << 15) -> None:
        blocks = max(1, int(megabytes * 2**18) // block)
        self.a, self.b, self.c = (np.full((blocks, block), x, np.float32) for x in (0.0, 1.0, 2.0))
        self._product = np.empty(block, np.float32)

    def __call__(self) -> float:
        """Run it once; bytes a second of CPU time."""
        return 4 * self.a.nbytes / max(cpu(self._add), 1e-9)

    def _add(self) -> None:
        for a, b, c in zip(self.a, self.b, self.c, strict=True):
            np.multiply(c, np.float32(3.0), out=self._product)
            np.add(b, self._product, out=a)


def load(name: str) -> PokerGame:
    """A spot by its name, or from a JSON file."""
    if name in SPOTS | OTHER_SPOTS:
        return spot((SPOTS | OTHER_SPOTS)[name], name=name)
    if name.endswith(".json"):
        return load_spot(name)
    raise ParameterError(
        f"there is no spot {name!r}; give a .json file or one of {', '.join(SPOTS)}"
    )


def _as_written(name: str) -> Mapping[str, object]:
    """A spot as its author wrote it, for a peer that reads ranges in its own way."""
    if name in SPOTS | OTHER_SPOTS:
        return (SPOTS | OTHER_SPOTS)[name]
    written: Mapping[str, object] = read_spot(name)
    return written


def _checks(limit: int = 1 << 16) -> list[int]:
    """The iterations at which exploitability is looked at: every 3% and less."""
    found = [0]
    while found[-1] < limit:
        found.append(found[-1] + max(1, found[-1] // 32))
    return found[1:]


def reach(
    tree: PublicTree,
    method: str = POKER_METHOD,
    bits: int = 32,
    *,
    targets: Sequence[float] = TARGETS,
    budget: float = BUDGET,
) -> tuple[Reach, ...]:
    """Iterations and CPU seconds in one thread to each target, checks not counted.

    It gives up after ``budget`` CPU seconds of iterations.
    """
    pot = tree.game.pot
    if not pot:
        raise ParameterError(f"{tree.game.name} begins without a pot, of which targets are shares")
    solver = Solver(tree, method, bits=bits, threads=1)
    return _reached(solver, lambda: 100.0 * solver.exploitability() / pot, targets, budget)


class Stepper(Protocol):
    """What has iterations: our solver, or a peer."""

    iteration: int
    cpu_seconds: float

    def step(self, count: int, /) -> object: ...


def _reached(
    solver: Stepper, percent_of_pot: Callable[[], float], targets: Sequence[float], budget: float
) -> tuple[Reach, ...]:
    met: dict[float, Reach] = {}
    for iteration in _checks():
        solver.step(iteration - solver.iteration)
        percent = percent_of_pot()
        for target in targets:
            if percent <= target and target not in met:
                met[target] = Reach(target, solver.cpu_seconds, iteration)
        if len(met) == len(targets) or solver.cpu_seconds > budget:
            break
    return tuple(met.get(target, Reach(target)) for target in targets)


def measure(
    name: str,
    method: str = POKER_METHOD,
    *,
    peer: str | None = None,
    budget: float = BUDGET,
    seconds: float = 0.2,
    rounds: int = ROUNDS,
    triad: Triad | None = None,
    memory: bool = True,
) -> list[Cost]:
    """Measure one spot with tables of 32 and of 16 bits, and another solver, side by side.

    How many iterations a target takes is no matter of chance, so that is looked up once.
    """
    game = load(name)
    tree, building = _build(game)
    building_of: dict[int, float] = {}
    steps: dict[str, Callable[[], float]] = {"triad": triad or Triad()}
    with ExitStack() as running:
        for bits in BITS:
            for threads in (1, 2):
                began = process_time()
                solver = Solver(tree, method, bits=bits, threads=threads)
                building_of.setdefault(bits, building + process_time() - began)
                clock = "cpu_seconds" if threads == 1 else "seconds"
                steps[f"{bits}/{threads}"] = _step(solver, clock, seconds)
            if peer is not None:
                other = running.enter_context(SpotPeer(peer, _as_written(name), bits))
                steps[f"{bits}/peer"] = _step(other, "cpu_seconds", seconds)
        middle = medians(steps, rounds)
    steps.clear()
    costs = []
    for bits in BITS:
        table_bytes = tree.table_bytes(bits // 8)
        reached = reach(tree, method, bits, budget=budget)
        cost = Cost(
            game.name, bits, method, building_of[bits], middle[f"{bits}/1"], middle[f"{bits}/2"],
            table_bytes / 2 * PASSES, middle["triad"], table_bytes,
            _resident(game, method, bits) if memory else None,
            _at(reached, middle[f"{bits}/1"]),
        )  # fmt: skip
        if peer is not None:
            with SpotPeer(peer, _as_written(name), bits) as other:
                theirs = _reached(other, other.exploitability, TARGETS, budget)
            took = middle[f"{bits}/peer"]
            cost = replace(cost, peer=PeerCost(game.name, bits, took, _at(theirs, took)))
        costs.append(cost)
    return costs


def _at(reached: Iterable[Reach], seconds: float) -> tuple[Reach, ...]:
    """Iterations that take so many seconds each."""
    return tuple(replace(r, seconds=r.iterations and r.iterations * seconds) for r in reached)


def _step(solver: Stepper, clock: str, seconds: float) -> Callable[[], float]:
    """What runs some iterations for about so many seconds, and tells those of one."""
    solver.step(2)  # compiled, and every page of the tables touched
    began = perf_counter()
    solver.step(1)
    count = max(1, int(seconds / (perf_counter() - began)))

    def step() -> float:
        before: float = getattr(solver, clock)
        solver.step(count)
        return (float(getattr(solver, clock)) - before) / count

    return step


def _build(game: PokerGame) -> tuple[PublicTree, float]:
    symmetry = bool(game.about.get("symmetry", True))
    PublicTree(game, symmetry=symmetry)  # whatever it compiles
    began = process_time()
    return PublicTree(game, symmetry=symmetry), process_time() - began


def _resident(game: PokerGame, method: str, bits: int) -> int | None:
    """Peak memory of a fresh process that builds and solves, or None where it fails."""
    job = json.dumps([game.name, game.about["spot"], method, bits])
    done = subprocess.run(
        [sys.executable, "-c", "from counterfold.research.bench.poker import _worker; _worker()"],
        input=job,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return int(done.stdout) if done.returncode == 0 else None


def _worker() -> None:
    """Read a job, and write how far the peak rises; kernels are loaded before, on Leduc."""
    from counterfold.poker.holdem import leduc

    name, options, method, bits = json.load(sys.stdin)
    _touch(PublicTree(leduc()), method, bits)
    before = peak_memory()
    _touch(_tree(name, options), method, bits)
    sys.stdout.write(str(peak_memory() - before))


def _tree(name: str, options: Mapping[str, object]) -> PublicTree:
    game = spot(options, name=name)
    return PublicTree(game, symmetry=bool(game.about.get("symmetry", True)))


def _touch(tree: PublicTree, method: str, bits: int) -> None:
    solver = Solver(tree, method, bits=bits, threads=1)
    solver.step(2)
    solver.assess()


def run(
    games: Sequence[str] = GAMES,
    budget: float = BUDGET,
    on_progress: Progress = no_progress,
    method: str = POKER_METHOD,
    peer: str | None = None,
) -> Costs:
    """Measure several spots, beside a ``peer`` if the command of one is given."""
    for name in games:  # complain before anything is measured
        load(name)
        if peer is not None:
            with SpotPeer(peer, _as_written(name), BITS[0]):
                pass
    triad = Triad()
    costs = each(
        games, lambda name: measure(name, method, peer=peer, budget=budget, triad=triad),
        on_progress,
    )  # fmt: skip
    return Costs(tuple(cost for own in costs for cost in own), os.cpu_count(), os.getloadavg())


def slashed(values: Iterable[float | None], form: str = "{:,}") -> str:
    """Numbers in one cell; a line where there is none."""
    return " / ".join("-" if value is None else form.format(value) for value in values)


def _mega(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:,.1f}"


def _seconds(reached: Iterable[Reach]) -> str:
    return slashed((one.seconds for one in reached), "{:.3g}")


def show(result: Costs) -> Iterator[Part]:
    """A row for each spot and kind of table, and the peer's figures beside it."""
    shared = {"spot": "{0.spot}", "bits": "{0.bits}"}
    columns: Columns = {
        **shared,
        "build s": "{0.build_seconds:.2f}",
        "ms an iteration": lambda cost: f"{1e3 * cost.one_thread:,.3g}",
        "2 threads": lambda cost: f"{1e3 * cost.two_threads:,.3g}",
        "GB/s": lambda cost: f"{cost.bandwidth / 1e9:.1f}",
        "of triad": "{0.share:.0%}",
        "tables MB": lambda cost: _mega(cost.table_bytes),
        "resident MB": lambda cost: _mega(cost.resident_bytes),
        "iterations to 1 / 0.5 / 0.1%": lambda cost: slashed(r.iterations for r in cost.reached),
        "seconds": lambda cost: _seconds(cost.reached),
        "seconds, 2 threads": lambda cost: _seconds(_at(cost.reached, cost.two_threads)),
    }
    method = result.costs[0].method
    title = f"Hold'em spots with {method}: 1 thread in CPU time, 2 by the clock"
    yield Table(result.costs, columns, title)
    beside: Columns = {
        **shared,
        "their ms an iteration": lambda cost: f"{1e3 * cost.peer.one_thread:,.3g}",
        "their iterations": lambda cost: slashed(r.iterations for r in cost.peer.reached),
        "their seconds": lambda cost: _seconds(cost.peer.reached),
        "ours / theirs, an iteration": "{0.iteration_ratio:.2f}",
        "to 0.1%": lambda cost: "-" if cost.ratio is None else f"{cost.ratio:.2f}",
    }
    if result.peers:
        own = [cost for cost in result.costs if cost.peer is not None]
        yield Table(own, beside, "The peer in the same rounds, CPU time of one thread")
    yield f"Checks of the exploitability count for nobody. Load at the end: {result.load[0]:.1f}."


def draw(result: Costs) -> Figure:
    """Bars of the time to 0.1% of the pot, ours beside the peer's, a panel a spot."""
    spots = list(dict.fromkeys(cost.spot for cost in result.costs))
    made, panels = figure(1, len(spots), size=(4.2 * len(spots) + 1, 3.6))
    for panel, name in zip(panels, spots, strict=True):
        for who, costs, colour in (
            ("Counterfold", result.costs, COLOURS[0]),
            ("the peer", result.peers, "#999999"),
        ):
            own = [cost for cost in costs if cost.spot == name]
            known = {f"{who}, {c.bits} bits": c.reached[-1].seconds or np.nan for c in own}
            panel.barh(list(known), list(known.values()), color=colour)
        panel.invert_yaxis()
        panel.set_title(name, fontsize=11)
        panel.set_xlabel("seconds to 0.1% of the pot, one thread")
        panel.tick_params(axis="y", labelsize=7)
    return finished(made, "Seconds to 0.1% of the pot")
