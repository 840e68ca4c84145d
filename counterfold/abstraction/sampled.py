"""Sampled CFR for poker that does not fit in memory hand by hand: betting tree x buckets.

An iteration is a walk for each player. External sampling walks with one deal, on which the walking
player tries every action and the other one draws its own. Public chance sampling deals a board
only, and walks the whole betting with all hands at once, which share the rows of their buckets.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.blueprint import (
    Blueprint,
    Layout,
    check_fits,
    check_prints,
    game_print,
)
from counterfold.abstraction.buckets import Buckets
from counterfold.abstraction.clusters import buckets_for
from counterfold.abstraction.compiled import cards_of, lines_of, pair_mass
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.files.arrays import read_arrays, write_arrays
from counterfold.files.typed import from_json, to_json
from counterfold.games.spec import whole
from counterfold.interrupts import uncut
from counterfold.poker.game import PokerGame
from counterfold.solve.methods import Method
from counterfold.solve.methods import method as method_of
from counterfold.solve.until import Report, Until
from counterfold.tree.public_arrays import aligned

__all__ = ["Against", "SampledPoker", "blueprint"]

KIND = "sampled poker"
ROUNDS = {"external": 1000, "public": 10}
"""Iterations that count as one of a method's, by traversal."""
CHUNK_SECONDS = 0.1
BOARDS = 64  # that are sorted out at a time
MOST_ROUNDS = 1 << 24  # stamps of rows are exact up to here


@dataclass(frozen=True, eq=False)
class Against:
    """A model of the opponent, whom the hero in a seat meets in a share p of its hands.

    In the others it meets one who plays as well as it can. The hero's average strategy becomes a
    restricted Nash response (Johanson, Zinkevich and Bowling, 2007) among those that see buckets.
    """

    model: Blueprint
    seat: int
    p: float

    def __post_init__(self) -> None:
        if self.seat not in (0, 1):
            raise ParameterError(f"the hero is player 0 or 1, not {self.seat!r}")
        if isinstance(self.p, bool) or not 0 <= self.p <= 1:
            raise ParameterError(f"p is {self.p!r}, and must be from 0 to 1")

    @property
    def print(self) -> str:
        """Tells models, seats and shares apart."""
        digest = hashlib.sha256(repr((self.seat, float(self.p))).encode())
        digest.update(self.model.probabilities.tobytes())
        return digest.hexdigest()[:16]


class SampledPoker:
    """Sampled CFR at work on a poker game with buckets, one set for each street.

    ``method`` is any that does not predict. Its discounts are of rounds of ``per_round``
    iterations, and what lies in a row fades when it is next touched. Threads share one table
    without locks: with one thread a seed gives the same table again, with more it does not.
    ``against`` makes it answer an opponent of whom there is a model.
    """

    def __init__(
        self,
        game: PokerGame,
        buckets: Sequence[Buckets],
        method: str | Method = "linear",
        traversal: str = "external",
        *,
        seed: int = 0,
        threads: int = 1,
        per_round: int | None = None,
        against: Against | None = None,
    ) -> None:
        if traversal not in ROUNDS:
            raise ParameterError(f"traversal is external or public, not {traversal!r}")
        if against is not None and traversal != "external":
            raise UnsupportedError("a model of the opponent is met by external sampling only")
        self.method = method_of(method)
        if self.method.prediction:
            raise UnsupportedError(
                f"{self.method.name} predicts the next regrets from the last, which sampling makes "
                "noise; use cfr, cfr+, linear, dcfr, dcfr+ or hs-dcfr"
            )
        self.game, self.buckets, self.traversal = game, tuple(buckets), traversal
        self.seed = whole("seed", seed, least=0, most=(1 << 64) - 1)
        self.threads = whole("threads", threads, least=1, most=64)
        self.per_round = whole("per_round", per_round or ROUNDS[traversal], least=1)
        self.iteration = self.visits = 0  # of decisions, in all walks
        self.seconds = self.cpu_seconds = 0.0
        self.layout = Layout.of(game, self.buckets)
        self._stamped = not _weighable(self.method)
        self._lines, self._nodes, size = lines_of(game, self.layout, self._stamped)
        self._cards = cards_of(game, self.buckets)
        self._table = aligned((size,), np.float32)
        self.against = against
        self._model = self._met(against)
        streams = np.random.SeedSequence(seed).generate_state(2 * threads, np.uint64)
        self._random = np.ascontiguousarray(streams.reshape(2, threads).T)  # plays and deals
        self._logs = np.zeros(3)
        self._scale = np.array([[1.0, 1.0, 1.0, 1.0, 0.0]])  # by round; see ``kernels.Rule``
        workers = _External if traversal == "external" else _Public
        self._workers = [workers(self, n) for n in range(threads)]
        self._cold = True

    def _met(self, against: Against | None) -> Any:
        """The opponent's model for the kernel, in the places of this solver's own table."""
        from counterfold.kernels.poker_sampling import Model, spread

        if against is None:
            return Model(self._table[:0], -1, 0.0)
        check_fits(against.model, self.game, self.buckets)
        table, layout = aligned(self._table.shape, np.float32), self.layout
        buckets = layout.buckets[layout.nodes]
        spread(self._lines, self._nodes, buckets, against.model.probabilities, table)
        return Model(table, against.seat, float(against.p))

    @property
    def size(self) -> int:
        """Bytes of the table."""
        return self._table.nbytes

    def step(self, iterations: int = 1) -> None:
        """Run some iterations: a walk of each player in each."""
        left = whole("iterations", iterations, least=0)
        if self._cold:  # compiling or loading the kernel is no part of an iteration
            for worker in self._workers:
                worker.work(self._rule(1), 0)
            self._cold = False
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            with ThreadPoolExecutor(self.threads) as pool:
                while left > 0:
                    count = min(left, self.per_round - self.iteration % self.per_round)
                    with uncut():
                        self.visits += self._work(pool, count)
                        self.iteration += count
                    left -= count
        finally:  # also when somebody stops it
            self.seconds += time.perf_counter() - wall
            self.cpu_seconds += time.process_time() - cpu

    def _work(self, pool: ThreadPoolExecutor, count: int) -> int:
        """Some iterations of one round, on all threads."""
        rule = self._rule(self.iteration // self.per_round + 1)
        if self.threads == 1:
            return self._workers[0].work(rule, count)
        shares = np.diff(np.linspace(0, count, self.threads + 1).astype(int)).tolist()
        return sum(pool.map(lambda worker, n: worker.work(rule, n), self._workers, shares))

    def _rule(self, number: int) -> Any:
        """The update rule of a round."""
        from counterfold.kernels import rule
        from counterfold.kernels.poker_sampling import Rule

        if number >= MOST_ROUNDS:
            raise UnsupportedError(
                f"a run has at most {MOST_ROUNDS:,} rounds; begin with a larger per_round"
            )
        while number >= len(self._scale):
            logs = np.append(self._logs, 0.0)
            rows = self.method.schedule(len(self._scale), 1024, logs, weighed=False)
            self._logs = rows[-1, rule.LOG_POSITIVE : rule.LOG_AVERAGE + 1].copy()
            positive, negative, average = (rows[:, rule.LOG_POSITIVE + n] for n in range(3))
            more = [np.exp(positive), np.exp(-positive), np.exp(average), np.exp(-average)]
            self._scale = np.concatenate([self._scale, np.stack([*more, negative], 1)])
        lowest = np.float32(0.0 if self.method.floor else -np.inf)
        gain, share = (1.0, 1.0) if self._stamped else self._scale[number, [1, 3]]
        return Rule(self._scale, number, self._stamped, np.float32(gain), np.float32(share), lowest)

    def run(self, until: Until, reserve: Callable[[], float] | None = None) -> Iterator[Report]:
        """Iterate, yielding a report now and then (without exploitability: nobody measures it).

        Of the seconds, as many are left over as ``reserve`` tells.
        """
        if until.exploitability is not None and until.iterations is None and until.seconds is None:
            raise UnsupportedError(
                "sampling does not measure exploitability; say iterations or seconds"
            )
        began, chunk = time.perf_counter(), self.per_round
        if reserve and until.seconds is not None:
            until = until.after(reserve())
        while True:
            if until.iterations is not None:
                chunk = min(chunk, max(until.iterations - self.iteration, 0))
            spent = self.seconds
            self.step(chunk)
            pace = max((self.seconds - spent) / max(chunk, 1), 1e-9)
            report = Report(
                self.iteration, self.seconds, self.cpu_seconds, time.perf_counter() - began
            )
            yield report
            late = until.seconds is not None and (
                report.run_seconds + pace * self.per_round > until.seconds
            )
            if late or until.reached_by(report):
                return
            chunk = max(1, int(CHUNK_SECONDS / pace))
            chunk = math.ceil(chunk / self.per_round) * self.per_round

    def table(self) -> NDArray[np.float32]:
        """The average strategy in the order of ``layout``; even in rows that never came up."""
        from counterfold.kernels.poker_sampling import averages

        out = np.empty(self.layout.size, np.float32)
        buckets = self.layout.buckets[self.layout.nodes]
        averages(self._lines, self._nodes, buckets, self._table, out)
        return out

    def blueprint(self, **about: Any) -> Blueprint:
        """The average strategy so far, with what is known about it."""
        told = {
            "method": self.method.name,
            "traversal": self.traversal,
            "iterations": self.iteration,
            "seed": self.seed,
            "threads": self.threads,
            "per_round": self.per_round,
            "buckets": [one.count for one in self.buckets],
            "cpu_seconds": self.cpu_seconds,
            **({"p": self.against.p, "seat": self.against.seat} if self.against else {}),
            **about,
        }
        return Blueprint(self.game, self.buckets, self.layout, self.table(), told)

    def strategy_at(self, node: int, bucket: int) -> dict[str, float]:
        """How often each action is taken with a bucket, on average."""
        return self.blueprint().strategy_at(node, bucket)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint, whole or not at all."""
        run = {
            "rule": to_json(self.method),
            "traversal": self.traversal,
            "seed": self.seed,
            "threads": self.threads,
            "per_round": self.per_round,
            "iteration": self.iteration,
            "visits": self.visits,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }
        header = {
            "game": self.game.name,
            "fingerprint": game_print(self.game),
            "buckets": json.dumps([one.fingerprint for one in self.buckets]),
            "against": self.against.print if self.against else "",
            "run": json.dumps(run),
        }
        write_arrays(path, KIND, header, {"table": self._table, "random": self._random})

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], game: PokerGame, buckets: Sequence[Buckets],
        against: Against | None = None,
    ) -> SampledPoker:  # fmt: skip
        """Go on from a checkpoint of this game with these buckets (and this opponent)."""
        saved = read_arrays(path, KIND, "a checkpoint of sampled poker")
        check_prints(saved, game, buckets)
        if saved.text("against") != (against.print if against else ""):
            raise MismatchError(
                f"{path} answers another opponent, or another share of the hands, than this"
            )
        run = saved.fields("run")
        try:
            solver = cls(
                game, buckets, from_json(Method, run.object("rule")), run.text("traversal"),
                seed=run.whole("seed", 0, 2**64 - 1), threads=run.whole("threads", 1, 64),
                per_round=run.whole("per_round", 1), against=against,
            )  # fmt: skip
        except ParameterError as error:
            raise saved.damaged(error) from None
        solver.iteration, solver.visits = run.whole("iteration", 0), run.whole("visits", 0)
        solver.seconds, solver.cpu_seconds = run.number("seconds", 0), run.number("cpu_seconds", 0)
        saved.fill("table", solver._table)
        saved.fill("random", solver._random)
        saved.finish()
        if not solver._stamps_fit():
            raise saved.damaged("its rows were touched in rounds that never were")
        return solver

    def _stamps_fit(self) -> bool:
        """Are the stamps of all rows numbers of rounds that have been? Kernels look up by them."""
        from counterfold.kernels import poker_sampling as kernels

        if not self._stamped:
            return True
        now = self.iteration // self.per_round + 1
        pair, info = int(kernels.PAIR), self._lines.info.reshape(-1, 4)[self._nodes]
        step = self._lines.step[info[:, 0] & kernels.OWNER].astype(np.int64)
        first = pair * info[:, 2].astype(np.int64) + 2 * self.layout.actions[self.layout.nodes]
        for at, apart, count in zip(
            first, pair * step, self.layout.buckets[self.layout.nodes], strict=True
        ):
            stamps = self._table[at + apart * np.arange(count)]
            if not ((stamps >= 0) & (stamps <= now) & (stamps % 1 == 0)).all():
                return False
        return True


def _weighable(method: Method) -> bool:
    """Can new numbers weigh more, in the place of old ones that fade? Not where regrets above and
    below zero fade apart, or so fast that weights outgrow 32 bits."""
    steady = not (method.alpha_slope or method.beta_slope or method.gamma_slope)
    together = method.alpha == method.beta or method.floor
    return steady and together and method.alpha >= 1 and method.gamma <= 4


class _External:
    """A thread that walks with one deal at a time."""

    def __init__(self, solver: SampledPoker, number: int) -> None:
        from counterfold.kernels import poker_sampling as kernels

        self._solver, self._kernels = solver, kernels
        room = np.zeros(len(solver.game.betting), np.int64)
        most = max(kernels.most_visits(solver._lines, player, room) for player in (0, 1))
        width = int(solver.layout.actions.max())
        deals = kernels.DEALS
        board = np.zeros((deals, 5), np.uint8)
        board[:, : len(solver.game.board)] = solver.game.board
        self._room = kernels.Room(
            visit=np.zeros(8 * (most + 1), np.uint32),
            value=np.zeros((most + 1) * width, np.float32),
            width=width,
            board=board,
            hand=np.zeros((deals, 2), np.uint32),
            word=np.zeros((deals, 4), np.uint32),
            start=np.zeros(deals * 16, np.uint32),
            outcome=np.zeros(deals, np.uint32),
            random=solver._random[number],
        )

    def work(self, rule: Any, iterations: int) -> int:
        it = self._solver
        return int(
            self._kernels.external(
                it._lines,
                it._cards,
                rule,
                it._table,
                it._model,
                self._room,
                iterations,
                len(it.buckets),
            )
        )


class _Public:
    """A thread that walks with one board at a time."""

    def __init__(self, solver: SampledPoker, number: int) -> None:
        from counterfold.kernels import poker_boards as kernels

        self._solver, self._kernels = solver, kernels
        self._random = solver._random[number, :1]
        game, layout, tree = solver.game, solver.layout, solver.game.betting
        deep = [0] * len(tree)
        parent = tree.parent.tolist()
        for node in range(1, len(tree)):
            deep[node] = deep[parent[node]] + 1
        depth, width = max(deep) + 1, int(layout.actions.max())
        self._live = np.flatnonzero((game.ranges[0] > 0) | (game.ranges[1] > 0))
        hands, buckets = len(self._live), max(one.count for one in solver.buckets)

        def rows(count: int) -> NDArray[np.float32]:
            return np.zeros((count, hands), np.float32)

        self._field = kernels.Field(
            bucket=np.zeros((4, hands), np.uint32),
            low=np.zeros(hands, np.uint8),
            high=np.zeros(hands, np.uint8),
            weight=np.zeros(hands, np.float32),
            theirs=rows(depth),
            own=rows(depth),
            value=rows(depth),
            play=rows(depth * width),
            worth=rows(depth * width),
            node=np.zeros(depth, np.uint32),
            done=np.zeros(depth, np.int64),
            sums=np.zeros((2, 54)),
            fresh=np.zeros((buckets, 2 * width), np.float32),
            met=np.zeros(buckets, np.int64),
            list=np.zeros(buckets, np.uint32),
            tick=np.zeros(1, np.int64),
        )
        deck, more = len(game.rules.deck) - len(game.board), sum(game.rules.deal)
        held = 2 * game.rules.hole
        met = math.comb(deck - held, more) / math.comb(deck, more)  # pairs that a board leaves
        self._scale = np.array([1 / (pair_mass(game) * met)], np.float32)
        self._ranges = np.stack(game.ranges).astype(np.float32)

    def _boards(self, count: int) -> Any:
        """Random boards, and the hands that they leave from the weakest to the strongest."""
        game = self._solver.game
        deck = np.array(sorted(set(game.rules.deck) - set(game.board)), np.uint8)
        more = sum(game.rules.deal)
        picks = self._shuffle(count, len(deck))[:, :more]
        start = np.tile(np.array(game.board, np.uint8), (count, 1))
        cards = np.ascontiguousarray(np.concatenate([start, deck[picks]], axis=1))
        strength = game.rules.strengths(cards)[:, self._live].astype(np.uint64)
        held = game.rules.cards[self._live]
        gone = np.zeros(strength.shape, bool)
        for k in range(cards.shape[1]):
            gone |= (held[None, :, 0] == cards[:, k, None]) | (
                held[None, :, 1] == cards[:, k, None]
            )
        keys = strength << np.uint64(32) | self._live.astype(np.uint64)
        keys[gone] = np.uint64(0xFFFFFFFFFFFFFFFF)
        keys.sort(axis=1)
        return self._kernels.Boards(
            cards,
            (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32),
            (keys >> np.uint64(32)).astype(np.uint32),
            (~gone).sum(axis=1),
            self._ranges,
            self._scale,
        )

    def _shuffle(self, count: int, size: int) -> NDArray[np.int64]:
        """Orders of a deck, from the stream of ``kernels.history``: however many at a time."""
        steps = np.arange(1, count * size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        bits = steps + self._random
        self._random[:] = bits[-1:] if count else self._random
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
        bits ^= bits >> np.uint64(31)
        return bits.reshape(count, size).argsort(axis=1)

    def work(self, rule: Any, iterations: int) -> int:
        it = self._solver
        for done in range(0, max(iterations, 1), BOARDS):
            boards = self._boards(min(BOARDS, iterations - done))
            self._kernels.public(
                it._lines, it._cards, rule, it._table, boards, self._field, len(it.buckets)
            )
        return 2 * iterations * len(it.layout.nodes)


def blueprint(
    game: PokerGame,
    buckets: int | Sequence[Buckets] = 200,
    iterations: int = 10_000_000,
    seed: int = 0,
    *,
    method: str | Method = "linear",
    traversal: str = "external",
    threads: int = 1,
    against: Against | None = None,
) -> Blueprint:
    """A strategy by sampled CFR over buckets, as the paper on safe exploitation search has it.

    ``buckets`` is how many there are on each street after the flop (clustered with the same seed),
    or the buckets themselves.
    """
    given = buckets_for(game, buckets, seed=seed) if isinstance(buckets, int) else buckets
    solver = SampledPoker(
        game, given, method, traversal, seed=seed, threads=threads, against=against
    )
    for _ in solver.run(Until(iterations=iterations)):
        pass
    return solver.blueprint()
