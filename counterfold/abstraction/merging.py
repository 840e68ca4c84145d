"""Blueprints by many workers: each trains a copy of the table or a part of it, and they are merged.

A copy counts what it learns as often as there are copies, since the others learn as much
meanwhile. What each has learned is added to the table that all began from, once, which makes the
mean of the copies. (Copies that count it once play on as if nobody else learned; their sum is then
too far in whatever direction all of them went. On Leduc poker that costs ten times the
exploitability.)

A table can be cut by public line: the trunk is what comes before a street, and every line of
betting behind it belongs to one part. A part walks with every deal, the same as all parts, but
along its own lines alone; regrets are sums over lines, so those of the trunk are whole when the
parts' are added up. Until then the trunk is played as it was, by regrets to which those of the last
block are added once more, as what the next one will bring (predictive regret matching, Farina,
Kroer and Sandholm, 2021): a table that is cut takes few steps of its trunk, and these are better
ones. On Leduc poker that takes the exploitability from 1.3 times that of one process to as much. A
part's rows are nobody else's.

Tables go from one to the other through a store, in blocks of whole rounds. A block is a pure piece
of work, by its table, its random numbers and where the run stands: one that is lost is done again.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from pathlib import Path
from types import EllipsisType

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.blueprint import Against, against_in, engine_in
from counterfold.abstraction.bucket_form import BucketForm, Part
from counterfold.abstraction.buckets import load_buckets, save_buckets
from counterfold.arrays import Bools
from counterfold.errors import ClusterError, FileError, ParameterError, UnsupportedError
from counterfold.files.text import Fields, Json
from counterfold.files.typed import from_json, to_json
from counterfold.games.spec import whole
from counterfold.interrupts import uncut
from counterfold.pieces.piece import TRIES, Outcome, Piece, outcomes
from counterfold.pieces.store import Kept, Store, got, put, store_at
from counterfold.poker.game import DEAL
from counterfold.solvers.methods import Method
from counterfold.solvers.settings import Settings
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Report, Until
from counterfold.strategy.hands import game_of, source_of
from counterfold.strategy.strategy import Strategy

SHARE = 0.02
"""Of the iterations so far, between two merges of copies."""
LEAST = 2_000
"""Iterations between them at the least: a merge costs the time of thousands."""
NUMBERS = 10
"""Numbers of a table for which there is an iteration at least before it is sent back."""
PART_ROUNDS = 1
"""Rounds between two merges of the trunk, where a table is cut."""
CUT = 1
"""The street that a table is cut before: the flop of hold'em."""

Sums = NDArray[np.float32]
"""[2, slots] regrets, and sums of probability."""


def parts_of(form: BucketForm, count: int, street: int = CUT) -> list[Part]:
    """A table cut into parts of about the same size, by the lines that come to a street.

    >>> from counterfold.abstraction.buckets import every_hand
    >>> from counterfold.poker.holdem import leduc
    >>> parts = parts_of(BucketForm(leduc(), every_hand(leduc())), 3)
    >>> [int(part.own.sum()) for part in parts]
    [45, 30, 15]
    """
    tree = form.game.betting
    line = np.full(len(tree), -1)
    for node, parent in enumerate(tree.parent.tolist()):
        if parent >= 0:
            begins = line[parent] < 0 and tree.kind[parent] == DEAL and tree.street[node] >= street
            line[node] = node if begins else line[parent]
    size = np.zeros(len(tree), np.int64)
    np.add.at(size, line[form.nodes], form.counts[form.nodes] * form.actions[form.nodes])
    lines = [number for number in np.unique(line).tolist() if number >= 0 and size[number]]
    if not 1 <= count <= len(lines):
        raise ParameterError(
            f"{form.game.name} has {len(lines)} lines behind its first street, to be cut into "
            f"1 to {len(lines)} parts, not {count}"
        )
    load, owner = np.zeros(count, np.int64), np.zeros(len(tree), np.int64)  # the first has the rest
    for number in sorted(lines, key=lambda number: (-size[number], number)):
        lightest = int(load.argmin())
        owner[line == number] = lightest
        load[lightest] += size[number]
    return [
        Part(street, (line < 0) | (owner == k), owner == k)
        for k in range(count)
    ]  # fmt: skip


class Merging:
    """A blueprint in training by whatever executes it: ``run`` it, then ``collect``.

    There are as many copies as the solver has threads, or as many ``parts`` as the table is cut
    into. ``every`` is how many iterations lie between two merges. The result depends on these, on
    the seed and on nothing else: not on how many workers there are, nor on who does what.
    """

    def __init__(
        self,
        solver: Solver,
        executor: Executor,
        store: Store,
        *,
        every: int | None = None,
        parts: int = 0,
    ) -> None:
        self.solver, self.engine, self.form = solver, engine_in(solver), engine_in(solver).form
        self._executor, self._store, self._run = executor, store, uuid.uuid4().hex[:12]
        self.copies = len(self.engine.random)
        if every is not None:
            whole("every", every, least=1)
        self._every = every
        self._cut = parts_of(self.form, parts) if parts else []
        self._check()
        self.merges, self.bytes_moved = 0, 0
        slots = self._slots
        self._trunk_slots = (
            slots(self.form.game.betting.street < self._cut[0].street) if parts else slots(...)
        )
        self._own_slots = [slots(part.seen) & ~self._trunk_slots for part in self._cut]
        self._own: list[Kept] = []
        self._table: Sums = np.zeros((2, 0), np.float32)
        trunk, known = int(self._trunk_slots.sum()) if parts else 0, self.engine.ahead
        self._ahead = known if len(known) == trunk else np.zeros(trunk, np.float32)

    def _check(self) -> None:
        engine = self.engine
        if len(self.form.held) or (self.form.twin != np.arange(len(self.form.twin))).any():
            raise UnsupportedError("a game with a depth limit is trained by one process")
        if self._cut and (
            engine.stamped or engine.settings.prune is not None or self.solver.method.floor
        ):
            raise UnsupportedError(
                "a table that is cut adds up regrets of its parts, which nothing may cut short on "
                "the way: train it by cfr or linear, without pruning"
            )
        plain = self.solver.conditions is None
        if self._cut and (not plain or engine.settings.traversal != "external"):
            raise UnsupportedError(
                "a table that is cut is trained by external sampling, and in answer to nobody"
            )
        if not plain and against_in(self.solver) is None:
            raise UnsupportedError("a style is trained by one process")
        if self._cut and self.copies > 1:
            raise ParameterError("a table is either cut or trained in copies, not both")

    def _slots(self, nodes: Bools | EllipsisType) -> Bools:
        """Which numbers of the table lie at some nodes of the betting."""
        form, here = self.form, np.zeros(len(self.form.game.betting), bool)
        here[nodes] = True
        return np.repeat(here[form.nodes], (form.counts * form.actions)[form.nodes])

    def run(self, until: Until, reserve: Callable[[], float] = lambda: 0.0) -> Iterator[Report]:
        """Blocks of iterations, with a report after each, up to a limit."""
        solver, began, pace = self.solver, time.perf_counter(), 0.0
        size, last = self.engine.per_round, until.iterations
        self._alone(-solver.iteration % size, last)
        self._begin()

        def left() -> float:
            spent = time.perf_counter() - began
            return float("inf") if until.seconds is None else until.seconds - reserve() - spent

        while last is None or solver.iteration + size <= last:
            rounds = self._rounds()
            if last is not None:
                rounds = min(rounds, (last - solver.iteration) // size)
            if pace:
                rounds = int(min(rounds, left() / pace))
            if rounds < 1 or left() <= 0:
                break
            at = time.perf_counter()
            self._block(rounds)
            pace = (time.perf_counter() - at) / rounds
            yield solver.report(time.perf_counter() - began, check=False)
        self.collect()
        if last is not None and last - solver.iteration < size:
            self._alone(last - solver.iteration, last)
            yield solver.report(time.perf_counter() - began, check=False)

    def collect(self) -> None:
        """Put what was learned so far into the solver's own table."""
        if self._table.size:
            sums = np.empty((2, self.form.size), np.float32)
            sums[:, self._trunk_slots] = self._table
            for kept, slots in zip(self._own, self._own_slots, strict=True):
                sums[:, slots] = self._got(kept, int(slots.sum()))
            self.engine.put_sums(sums, self.solver.logs, self.solver.iteration)
            self.engine.ahead = self._ahead

    def close(self) -> None:
        """Leave nothing in the store, also of blocks that nobody waits for any more."""
        for name in self._store.names():
            if name.startswith(f"blueprint-{self._run}-"):
                self._store.remove(name)

    def _alone(self, iterations: int, last: int | None) -> None:
        """Up to the border of a round, here and in one thread: the rest of a round is little."""
        if last is not None:
            iterations = min(iterations, last - self.solver.iteration)
        staff = self.engine.workers
        self.engine.workers = staff[:1]
        if iterations > 0:
            self.solver.step(iterations)
        self.engine.workers = staff

    def _begin(self) -> None:
        """Put into the store what every block needs, and the parts as they are."""
        form, against = self.form, against_in(self.solver)
        sums = self.engine.sums(self.solver.logs)
        self._table = sums[:, self._trunk_slots]
        self._own = [
            self._put(f"{n}-{self.solver.iteration}", sums[:, slots])
            for n, slots in enumerate(self._own_slots)
        ]
        with tempfile.TemporaryDirectory() as folder:
            save_buckets(Path(folder, "cards"), form.buckets)
            self._how: Json = {
                "rules": source_of(form.game),
                "name": form.game.name,
                "cards": self._put("cards", Path(folder, "cards").read_bytes()),
                "settings": to_json(self.solver.settings),
                "method": to_json(self.solver.method),
                "parts": len(self._cut),
            }
            if against is not None:
                against.model.save(Path(folder, "model"))
                self._how["model"] = self._put("model", Path(folder, "model").read_bytes())
                self._how |= {"player": against.player, "p": against.p}

    def _rounds(self) -> int:
        """Until the next merge."""
        size, done = self.engine.per_round, self.solver.iteration
        if self._every is not None:
            return max(1, self._every // size)
        if self._cut:
            return PART_ROUNDS
        return max(1, int(max(SHARE * done, LEAST, self.form.size / NUMBERS)) // size)

    def _block(self, rounds: int) -> None:
        """Have one trained by all, and merge what comes back."""
        solver, shown = self.solver, self._table
        if self._cut:
            shown = np.stack([self._table[0] + self._ahead, self._table[1]])
        table = self._put(f"table-{solver.iteration}", shown)
        count = len(self._cut) or self.copies
        pieces = [
            Piece(
                "block",
                {
                    "store": self._store.address,
                    "how": self._how,
                    "table": table,
                    "own": self._own[n] if self._own else None,
                    "number": n,
                    "copies": self.copies,
                    "rounds": rounds,
                    "iteration": solver.iteration,
                    "logs": solver.logs.tolist(),
                    "random": self.engine.random[n % self.copies].tolist(),
                    "run": self._run,
                },
            )
            for n in range(count)
        ]
        began = time.perf_counter()
        done = self._trained(pieces)
        with uncut():
            self._merge([change for change, _, _ in done])
            for n, (_, _, told) in enumerate(done):
                self.engine.random[n % self.copies] = told["random"]
                self.engine.visits += told["visits"]
                solver.cpu_seconds += told["seconds"]
            before = [table, *self._own]
            self._own = [kept for _, kept, _ in done] if self._own else []
            solver.stand_at(done[0][2]["iteration"], done[0][2]["logs"])
            solver.seconds += time.perf_counter() - began
            self.merges += 1
        for kept in before:
            self._store.remove(kept.name)

    def _trained(self, pieces: Sequence[Piece]) -> list[tuple[Sums, Kept, Json]]:
        """What came of each piece: its trunk, where its own rows are, and what it tells."""
        found: dict[str, tuple[Sums, Kept, Json]] = {}
        for _ in range(TRIES):
            left = [piece for piece in pieces if piece.name not in found]
            for piece, outcome in outcomes(left, train_block, self._executor):
                told = outcome.result
                out, own = (Kept(*map(str, told[key])) for key in ("table", "own"))
                try:
                    change = self._got(out, self._table.shape[1])
                except FileError:
                    continue  # it is handed out again
                found[piece.name] = change, own, told
                self._store.remove(out.name)
            if len(found) == len(pieces):
                return [found[piece.name] for piece in pieces]
        raise ClusterError(
            f"a part of the table came back damaged {TRIES} times through {self._store.address}; "
            "what was merged before is kept"
        )

    def _merge(self, learned: Sequence[Sums]) -> None:
        if not self._cut:
            self._table = np.asarray(np.mean(learned, axis=0, dtype=np.float64), np.float32)
            return
        before = self._table.astype(np.float64)
        change = np.stack(learned).sum(axis=0, dtype=np.float64)
        change[1] -= len(learned) * before[1]  # sums went on from what was there, regrets lay aside
        self._table = (before + change).astype(np.float32)
        self._ahead = change[0].astype(np.float32)

    # The store.

    def _put(self, name: str, content: Sums | bytes) -> Kept:
        kept = _put(self._store, f"blueprint-{self._run}-{name}", content)
        self.bytes_moved += len(content) if isinstance(content, bytes) else content.nbytes
        return kept

    def _got(self, kept: Kept, slots: int) -> Sums:
        found = _got(self._store, kept, slots)
        self.bytes_moved += found.nbytes
        return found


def _put(store: Store, name: str, content: Sums | bytes) -> Kept:
    data = content if isinstance(content, bytes) else np.ascontiguousarray(content).tobytes()
    return put(store, name, data, lasting=False)


def _got(store: Store, kept: Sequence[str], slots: int) -> Sums:
    found = np.frombuffer(got(store, kept), np.float32)
    if found.size != 2 * slots or not np.isfinite(found).all():
        raise FileError(f"{kept[0]} is no table of {slots:,} numbers")
    return found.reshape(2, slots)


def train_block(given: Json, wants: tuple[str, ...]) -> Outcome:
    """The work of a piece, on whatever machine: some rounds of a copy, or of a part."""
    store, how = store_at(given["store"]), given["how"]
    solver = _solver(store, how, given["number"] if how["parts"] else None)
    engine = engine_in(solver)
    form, copies, size = engine.form, given["copies"], engine.per_round
    trunk = np.ones(form.size, bool)
    if form.part is not None:
        early = form.game.betting.street[form.nodes] < form.part.street
        trunk = np.repeat(early, (form.counts * form.actions)[form.nodes])
    sums = np.empty((2, form.size), np.float32)
    sums[:, trunk] = _got(store, given["table"], int(trunk.sum()))
    if given["own"] is not None:
        sums[:, ~trunk] = _got(store, given["own"], int((~trunk).sum()))
    solver.stand_at(given["iteration"], given["logs"])
    engine.put_sums(sums, solver.logs, solver.iteration)
    engine.random[0] = given["random"]
    began, visits = time.thread_time(), 0
    share = np.diff(np.linspace(0, size, copies + 1).astype(int))[given["number"] % copies]
    weight = np.float32(copies)
    for _ in range(given["rounds"]):
        rule = engine.rule(solver.next_round(), solver.iteration // size)
        rule = rule._replace(gain=rule.gain * weight, share=rule.share * weight)
        visits += engine.workers[0].work(rule, int(share))
        engine.iteration = solver.iteration
    out = engine.sums(solver.logs)
    spent = time.thread_time() - began
    name = f"blueprint-{given['run']}-{given['number']}-{solver.iteration}"
    return Outcome(
        {
            "table": _put(store, f"{name}-out", out[:, trunk]),
            "own": _put(store, name, out[:, ~trunk]),
            "random": engine.random[0].tolist(),
            "visits": visits,
            "seconds": spent,
            "iteration": solver.iteration,
            "logs": solver.logs.tolist(),
        }
    )


ROOM = 1 << 26
"""Bytes of tables that a thread keeps for blocks to come, beside that of the last one."""
_at_hand = threading.local()


def _solver(store: Store, how: Json, part: int | None) -> Solver:
    """The solver of a thread for a copy or a part, as its last block has left it."""
    key = json.dumps([store.address, how, part], sort_keys=True)
    known: dict[str, Solver] = vars(_at_hand).setdefault("solvers", {})
    while key not in known and sum(solver.nbytes for solver in known.values()) > ROOM:
        del known[next(iter(known))]
    if key not in known:
        known[key] = _made(store, how, part)
    return known[key]


def _made(store: Store, how: Json, part: int | None) -> Solver:
    game = game_of(Fields(how["rules"], "the run"), how["name"])
    settings = from_json(Settings, Fields(how["settings"], "the run"))
    method = from_json(Method, Fields(how["method"], "the run"))
    against = None
    with tempfile.TemporaryDirectory() as folder:
        cards = Path(folder, "cards")
        cards.write_bytes(got(store, how["cards"]))
        form = BucketForm(game, load_buckets(cards))
        if "model" in how:
            model = Path(folder, "model")
            model.write_bytes(got(store, how["model"]))
            against = Against(Strategy.load(model, form), how["player"], how["p"])
    if part is not None:
        form = BucketForm(game, form.buckets, part=parts_of(form, how["parts"])[part])
    solver = Solver(form, **{**asdict(settings), "method": method}, threads=1, locks=against)
    solver.step(0)
    return solver
