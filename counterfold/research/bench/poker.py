"""Hold'em spots: the cost of an iteration, memory, and the time to a share of the pot.

Compiling and building are not part of any time, and neither are checks of the exploitability.
Rounds are interleaved (everything once, then everything again) and medians are told.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from counterfold.errors import ParameterError
from counterfold.plot import COLOURS, figure
from counterfold.poker.game import PokerGame
from counterfold.poker.spot import load_spot, spot
from counterfold.research.bench.peers import Reach, peak_memory
from counterfold.research.bench.spots import OTHER_SPOTS, PEERS, SPOTS, Peer
from counterfold.research.progress import no_progress
from counterfold.solvers.settings import POKER_METHOD
from counterfold.solvers.solver import Solver
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "TARGETS",
    "Cost",
    "Triad",
    "load",
    "measure",
    "plot",
    "reach",
    "run",
    "table",
    "to_json",
]

TARGETS = (1.0, 0.5, 0.1)
"""Exploitability in percent of the pot that a spot begins with."""

GAMES = tuple(SPOTS)
BUDGET = 120.0
ROUNDS = 5
PASSES = 5
"""How often an iteration goes over a number of a table: regrets are read when the player learns,
written, and read when the opponent does; sums of strategies are read and written."""


@dataclass(frozen=True)
class Cost:
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

    @property
    def bandwidth(self) -> float:
        """Bytes of the tables a second, in one thread."""
        return self.moved / self.one_thread

    @property
    def share(self) -> float:
        """The same as a share of what the triad loop reaches."""
        return self.bandwidth / self.triad

    @property
    def fastest(self) -> Peer | None:
        """The other solver that is known to be the fastest with as many bits, if any is."""
        known = [p for p in PEERS if (p.spot, p.bits) == (self.spot, self.bits) and p.seconds]
        return min(known, key=lambda p: p.seconds or 0.0, default=None)

    @property
    def ratio(self) -> float | None:
        """The time to the last target as a share of the fastest other solver's."""
        ours, theirs = self.reached[-1].seconds, self.fastest
        return (
            None if ours is None or theirs is None or not theirs.seconds else ours / theirs.seconds
        )


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
        began = process_time()
        for a, b, c in zip(self.a, self.b, self.c, strict=True):
            np.multiply(c, np.float32(3.0), out=self._product)
            np.add(b, self._product, out=a)
        return 4 * self.a.nbytes / max(process_time() - began, 1e-9)


def load(name: str) -> PokerGame:
    """A spot by its name, or from a JSON file."""
    if name in SPOTS | OTHER_SPOTS:
        return spot((SPOTS | OTHER_SPOTS)[name], name=name)
    if name.endswith(".json"):
        return load_spot(name)
    raise ParameterError(
        f"there is no spot {name!r}; give a .json file or one of {', '.join(SPOTS)}"
    )


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
    found: dict[float, Reach] = {}
    for iteration in _checks():
        solver.step(iteration - solver.iteration)
        percent = 100.0 * solver.exploitability() / pot
        for target in targets:
            if percent <= target and target not in found:
                found[target] = Reach(target, solver.cpu_seconds, iteration)
        if len(found) == len(targets) or solver.cpu_seconds > budget:
            break
    return tuple(found.get(target, Reach(target)) for target in targets)


def measure(
    name: str,
    method: str = POKER_METHOD,
    *,
    budget: float = BUDGET,
    seconds: float = 0.2,
    rounds: int = ROUNDS,
    triad: Triad | None = None,
    memory: bool = True,
) -> list[Cost]:
    """Measure one spot with tables of 32 and of 16 bits, side by side.

    How many iterations a target takes is no matter of chance, so that is looked up once.
    """
    game = load(name)
    triad = triad or Triad()
    tree, building = _build(game)
    ways = [(bits, threads) for bits in (32, 16) for threads in (1, 2)]
    solvers, building_of, counts = {}, {}, {}
    for way in ways:
        began = process_time()
        solvers[way] = Solver(tree, method, bits=way[0], threads=way[1])
        building_of[way] = building + process_time() - began
        solvers[way].step(2)  # compiled, and every page of the tables touched
        wall = perf_counter()
        solvers[way].step(1)
        counts[way] = max(1, int(seconds / (perf_counter() - wall)))
    cpu: dict[Any, list[float]] = {way: [] for way in ways}
    clock: dict[Any, list[float]] = {way: [] for way in ways}
    streams = []
    for _ in range(rounds):
        streams.append(triad())
        for way, solver in solvers.items():
            began_cpu, began_wall = solver.cpu_seconds, solver.seconds
            solver.step(counts[way])
            cpu[way].append((solver.cpu_seconds - began_cpu) / counts[way])
            clock[way].append((solver.seconds - began_wall) / counts[way])
    solvers.clear()
    costs = []
    for bits in (32, 16):
        each, table_bytes = median(cpu[bits, 1]), tree.table_bytes(bits // 8)
        reached = tuple(
            Reach(r.target, r.iterations and r.iterations * each, r.iterations)
            for r in reach(tree, method, bits, budget=budget)
        )
        costs.append(
            Cost(
                game.name, bits, method, building_of[bits, 1], each, median(clock[bits, 2]),
                table_bytes / 2 * PASSES, median(streams), table_bytes,
                _resident(game, method, bits) if memory else None, reached,
            )
        )  # fmt: skip
    return costs


def _build(game: PokerGame) -> tuple[PublicTree, float]:
    symmetry = bool(game.about.get("symmetry", True))
    PublicTree(game, symmetry=symmetry)  # whatever it compiles
    began = process_time()
    tree = PublicTree(game, symmetry=symmetry)
    return tree, process_time() - began


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

    name, given, method, bits = json.load(sys.stdin)
    _touch(PublicTree(leduc()), method, bits)
    before = peak_memory()
    _touch(_tree(name, given), method, bits)
    sys.stdout.write(str(peak_memory() - before))


def _tree(name: str, given: Mapping[str, Any]) -> PublicTree:
    game = spot(given, name=name)
    return PublicTree(game, symmetry=bool(game.about.get("symmetry", True)))


def _touch(tree: PublicTree, method: str, bits: int) -> None:
    solver = Solver(tree, method, bits=bits, threads=1)
    solver.step(2)
    solver.assess()


def run(
    games: Sequence[str] = GAMES,
    budget: float = BUDGET,
    on_progress: Callable[[str], None] = no_progress,
    method: str = POKER_METHOD,
) -> list[Cost]:
    """Measure several spots."""
    names = {name: load(name).name for name in games}  # complain before anything is measured
    triad, costs = Triad(), []
    for name, title in names.items():
        on_progress(title)
        costs += measure(name, method, budget=budget, triad=triad)
    return costs


def _slashed(values: Iterable[float | None], form: str = "{:,}") -> str:
    return " / ".join("-" if value is None else form.format(value) for value in values)


def _each(counts: Sequence[int | None], seconds: float | None) -> str:
    """Seconds to each target, for so many iterations of so many seconds."""
    if seconds is None:
        return ""
    return _slashed((count and count * seconds for count in counts), "{:.3g}")


def _milli(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:,.3g}"


def _mega(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:,.1f}"


def _ours(cost: Cost) -> list[str]:
    counts = [reached.iterations for reached in cost.reached]
    return [
        cost.spot, str(cost.bits), f"{cost.build_seconds:.2f}", _milli(cost.one_thread),
        _milli(cost.two_threads), f"{cost.bandwidth / 1e9:.1f}", f"{cost.share:.0%}",
        _mega(cost.table_bytes), _mega(cost.resident_bytes), _slashed(counts),
        _slashed((reached.seconds for reached in cost.reached), "{:.3g}"),
        _each(counts, cost.two_threads), "-" if cost.ratio is None else f"{cost.ratio:.2f}",
    ]  # fmt: skip


def _theirs(peer: Peer) -> list[str]:
    return [
        f"  {peer.name}", str(peer.bits), "", _milli(peer.one_thread), _milli(peer.two_threads),
        "", "", "" if peer.megabytes is None else f"{peer.megabytes:g}", "",
        _slashed(peer.iterations), _each(peer.iterations, peer.one_thread),
        _each(peer.iterations, peer.two_threads), "",
    ]  # fmt: skip


def table(costs: Sequence[Cost]) -> Table:
    """A row for each spot and kind of table, and one for the fastest other solver of its kind."""
    from rich.table import Table

    method = costs[0].method if costs else ""
    made = Table(title=f"Hold'em spots with {method}: 1 thread in CPU time, 2 by the clock")
    for heading in (
        "spot", "bits", "build s", "ms an iteration", "2 threads", "GB/s", "of triad", "tables MB",
        "resident MB", "iterations to 1 / 0.5 / 0.1%", "seconds", "2 threads", "of the fastest",
    ):  # fmt: skip
        made.add_column(heading, justify="left" if heading == "spot" else "right")
    for cost in costs:
        made.add_row(*_ours(cost))
        if cost.fastest is not None:
            made.add_row(*_theirs(cost.fastest), style="dim")
    made.caption = (
        "Checks of the exploitability count for nobody. Others were measured once on two shared "
        "cores of the same kind, give or take a fifth."
    )
    return made


def plot(costs: Sequence[Cost]) -> Any:
    """Bars of the time to 0.1% of the pot, ours beside the others', a panel a spot."""
    spots = list(dict.fromkeys(cost.spot for cost in costs))
    made, panels = figure(1, len(spots), size=(4.2 * len(spots) + 1, 3.6))
    for panel, name in zip(panels, spots, strict=True):
        own = {
            f"Counterfold, {c.bits} bits": c.reached[-1].seconds for c in costs if c.spot == name
        }
        others = {f"{p.name}, {p.bits} bits": p.seconds for p in PEERS if p.spot == name}
        for some, colour in ((own, COLOURS[0]), (others, "#999999")):
            known = {label: seconds for label, seconds in some.items() if seconds is not None}
            panel.barh(list(known), list(known.values()), color=colour)
        panel.invert_yaxis()
        panel.set_title(name, fontsize=11)
        panel.set_xlabel("seconds to 0.1% of the pot, one thread")
        panel.tick_params(axis="y", labelsize=7)
    return made


def to_json(costs: Sequence[Cost]) -> dict[str, Any]:
    """All figures, and how busy the machine was at the end of them."""
    derived = ("bandwidth", "share", "ratio")
    return {
        "what": "poker",
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "costs": [asdict(c) | {name: getattr(c, name) for name in derived} for c in costs],
        "peers": [asdict(p) | {"seconds": p.seconds} for p in PEERS],
    }
