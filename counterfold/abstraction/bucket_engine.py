"""Sampled CFR for poker that does not fit in memory hand by hand: betting tree x buckets.

An iteration is a walk for each player. External sampling walks with one deal, on which the walking
player tries every action and the others draw their own. Public chance sampling deals a board
only, and walks the whole betting with all hands at once, which share the rows of their buckets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketLayout
from counterfold.abstraction.bucket_walks import External, Public
from counterfold.abstraction.compiled import cards_of, lines_of
from counterfold.arrays import Array, Arrays, Floats, Ints
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.evaluate.assessment import Assessment
from counterfold.files.arrays import Saved
from counterfold.files.text import Fields
from counterfold.games.spec import whole
from counterfold.solvers.conditions import Conditions
from counterfold.solvers.engine import MOST_THREADS, Engine, Setup, runs_on, streams_in
from counterfold.solvers.methods import Method
from counterfold.solvers.settings import Settings
from counterfold.strategy.layout import Tables
from counterfold.tree.public_arrays import aligned

if TYPE_CHECKING:
    from counterfold.kernels.poker_lines import Rule
    from counterfold.kernels.poker_sampling import Model

ROUNDS = {"external": 1000, "public": 10}
"""Iterations that count as one of a method's, by traversal."""
MOST_ROUNDS = 1 << 24  # stamps of rows are exact up to here
BELOW = 1.05  # times the regret that is skipped, no regret falls further: it can come back


class BucketEngine(Engine):
    """Sampled traversals of a betting tree with buckets, one set for each street.

    A method's discounts are of rounds of ``per_round`` iterations, and what lies in a row fades
    when it is next touched. Threads share one table without locks: with one thread a seed gives
    the same table again, with more it does not.

    A style has its degrees by decision and bucket, and so have locks what they hold to and how far;
    a model of the opponent has the fields ``model`` (probabilities), ``hero`` (who meets it) and
    ``share`` (of the hero's walks).
    """

    name = "buckets"
    can = frozenset(
        {
            "external", "public", "rounds", "pruning", "last iterate", "float32", "threads",
            "style", "locks", "model", "warm start",
        }
    )  # fmt: skip
    refusal: ClassVar[str] = "sampled poker over buckets"
    advice: ClassVar[str] = (
        "its traversal is external or public, in 32 bits, by cfr, cfr+, linear, dcfr, dcfr+ or "
        "hs-dcfr"
    )

    def __init__(self, setup: Setup[BucketForm]) -> None:
        form, method, settings = setup.form, setup.method, setup.settings
        threads, conditions = setup.threads, setup.conditions
        self.form: BucketForm = form
        self.settings, self.conditions = settings, conditions
        self.per_round = self.first_piece = settings.per_round or ROUNDS[settings.traversal]
        self._lowest = 0.0 if method.floor else -np.inf
        self._skip = None if settings.prune is None else settings.prune * form.largest_payoff
        self.stamped = not _weighable(method)
        fields = {} if conditions is None else conditions.fields[0]
        self._leaning = None
        if conditions is not None and "delta" in fields:
            self._leaning = Conditions.by_infosets(fields["delta"], fields["beta"], conditions.best)
            self._leaning.check(form.unnamed)
        elif self.locked:  # which are compiled beside a style: one that prefers nothing
            self._leaning = _no_style(form)
        self.lines, self.nodes, size = lines_of(form, self.stamped or self.weighed)
        self.cards = cards_of(form.game, form.buckets)
        self.table = aligned((size,), np.float32)
        if len(form.held):
            self._hold(form.held)
        self.style = self._style()
        self._lock = self._locks(fields)
        self.model = self._model(fields)
        self._method = method
        self._weight, self._gain = 0.0, 1.0  # of regrets when the last round is done, of new ones
        self.iteration = self.visits = 0  # of decisions, in all walks
        self._scale = np.ones((1024, 5))  # by round, of which the first is none; see kernels.Rule
        self._scale[:, 4] = 0.0
        self.ahead = np.zeros(0, np.float32)  # regrets that ``merging`` expects of a cut table
        self._threads = threads
        count = whole("threads", 1 if threads is None else threads, least=1, most=MOST_THREADS)
        streams = np.random.SeedSequence(settings.seed).generate_state(2 * count, np.uint64)
        self._staff(np.ascontiguousarray(streams.reshape(2, count).T))  # plays and deals

    def _staff(self, random: NDArray[np.uint64]) -> None:
        """Have a thread for each pair of streams of random numbers."""
        self.random = random
        kind = External if self.settings.traversal == "external" else Public
        self.workers = [kind(self, n) for n in range(len(random))]

    def _hold(self, held: NDArray[np.float32]) -> None:
        """Put what is played behind a depth limit where regrets lie; they never change."""
        from counterfold.kernels.poker_lines import spread

        spread(self.lines, self.nodes, self._counts, held, self.table)

    @property
    def weighed(self) -> bool:
        """A style alone needs to know what regrets have been summed with."""
        return self._leaning is not None

    @property
    def locked(self) -> bool:
        """Whether a player is held to something."""
        return self.conditions is not None and self.conditions.locked

    def _locks(self, fields: Mapping[str, Array]) -> NDArray[np.float32] | None:
        """Locks for the kernel: what players are held to where regrets lie, and how far."""
        if self.conditions is None or not self.locked:
            return None
        if self.settings.traversal != "external":
            raise UnsupportedError("locks over buckets are held by external sampling only")
        if self._skip is not None:
            raise UnsupportedError("what is pruned may be what a lock plays; leave prune out")
        self.conditions.check_locks(self.form.unnamed)
        return self._placed(fields["held"], fields["trust"])

    def _placed(self, slots: Floats, infosets: Floats) -> NDArray[np.float32]:
        """A table with numbers of actions where regrets lie, and of rows in the stamp's place."""
        table, infoset = aligned(self.table.shape, np.float32), 0
        for node, low in self._rows():
            count, width = len(low), int(self.form.actions[node])
            own = slice(int(self.form.start[node]), int(self.form.start[node]) + count * width)
            table[low[:, None] + np.arange(width)] = slots[own].reshape(count, width)
            table[low + 2 * width] = infosets[infoset : infoset + count]
            infoset += count
        return table

    def _style(self) -> NDArray[np.float32] | None:
        """Degrees for the kernel: delta where regrets lie, the fallback, and beta behind them."""
        if self._leaning is None:
            return None
        table = self._placed(self._leaning.delta, self._leaning.beta)
        fallback = self._leaning.fallback(self.form.unnamed)
        for node, low in self._rows():
            count, width = len(low), int(self.form.actions[node])
            own = slice(int(self.form.start[node]), int(self.form.start[node]) + count * width)
            places = low[:, None] + np.arange(width)
            table[places + width] = fallback[own].reshape(count, width)
        return table

    def _model(self, fields: Mapping[str, Array]) -> Model:
        """The opponent's model for the kernel, in the places of this engine's own table."""
        from counterfold.kernels.poker_lines import spread
        from counterfold.kernels.poker_sampling import Model

        if "model" not in fields:
            return Model(self.table[:0], -1, 0.0)
        if self.settings.traversal != "external":
            raise UnsupportedError("a model of the opponent is met by external sampling only")
        (given,) = BucketLayout(self.form).check((fields["model"],))
        table = aligned(self.table.shape, np.float32)
        spread(self.lines, self.nodes, self._counts, given, table)
        return Model(table, int(fields["hero"][0]), float(fields["share"][0]))

    @property
    def _counts(self) -> Ints:
        """Buckets of each decision."""
        return self.form.counts[self.form.nodes]

    @property
    def about(self) -> Mapping[str, object]:
        told: dict[str, object] = {
            "threads": len(self.random),
            "per_round": self.per_round,
            "buckets": [one.count for one in self.form.buckets],
        }
        if self.model.hero >= 0:
            told |= {"p": self.model.share, "player": self.model.hero}
        return told

    @property
    def nbytes(self) -> int:
        return int(self.table.nbytes) + 4 * self.form.size

    def step(self, schedule: Floats) -> None:
        if not len(schedule):
            for worker in self.workers:
                worker.work(self.rule(np.zeros(schedule.shape[1]), 1), 0)
            return
        done = 0
        with ThreadPoolExecutor(len(self.workers)) as pool:
            while done < len(schedule):
                number, begun = divmod(self.iteration, self.per_round)
                count = min(len(schedule) - done, self.per_round - begun)
                self.visits += self._work(pool, self.rule(schedule[done], number + 1), count)
                self.iteration += count
                done += count

    def _work(self, pool: ThreadPoolExecutor, rule: Rule, count: int) -> int:
        """Some iterations of one round, on all threads."""
        if len(self.workers) == 1:
            return self.workers[0].work(rule, count)
        shares = np.diff(np.linspace(0, count, len(self.workers) + 1).astype(int)).tolist()
        return sum(pool.map(lambda worker, n: worker.work(rule, n), self.workers, shares))

    def rule(self, row: Floats, number: int) -> Rule:
        """The update rule of a round, by its row of the schedule."""
        from counterfold.kernels import rule
        from counterfold.kernels.poker_lines import Rule

        if number >= MOST_ROUNDS:
            raise UnsupportedError(
                f"a run has at most {MOST_ROUNDS:,} rounds; begin with a larger per_round"
            )
        positive, negative, average = row[rule.LOG_POSITIVE : rule.LOG_AVERAGE + 1]
        faded = np.exp([positive, -positive, average, -average])
        gain, share = np.float32(1), np.float32(1)
        if not self.stamped:
            gain, share = np.float32(faded[1]), np.float32(faded[3])
        else:
            while number >= len(self._scale):
                self._scale = np.concatenate([self._scale, np.zeros_like(self._scale)])
            self._scale[number] = *faded, negative
        self._weight, self._gain = float(row[rule.WEIGHT]), float(gain)
        held = max(self._weight - 1, 0.0) * self.per_round
        lowest, skip = self._lowest, None
        if self._skip is not None:
            skip = np.float32(-self._skip * gain)
            lowest = max(lowest, BELOW * float(skip))
        return Rule(
            self._scale, number, self.stamped, gain, share, np.float32(lowest),
            np.float32(held * gain), np.float32((held + 1) * gain), bool(row[rule.BEST] > 0), skip,
            self._lock,
        )  # fmt: skip

    def sums(self, logs: Floats) -> NDArray[np.float32]:
        """Regrets and sums of probability in the order of the form, as of the end of a round.

        ``logs`` are the running sums of the schedule then.
        """
        from counterfold.kernels.poker_lines import sums

        out = np.empty((2, self.form.size), np.float32)
        sums(self.lines, self.nodes, self._counts, self._settled(logs), self.table, out)
        return out

    @property
    def slots(self) -> int:
        return self.form.size

    def begin(self, regrets: Floats, strategy: Floats | None, average: Floats | None) -> None:
        if strategy is not None:
            super().begin(regrets, strategy, average)
        sums = np.zeros(self.slots) if average is None else average
        self.put_sums(np.stack([regrets, sums]).astype(np.float32), np.zeros(4), 0)

    def learned(self, logs: Floats) -> tuple[Floats, Floats]:
        """The average as it was summed up: a bucket that was seldom met counts for little."""
        if self.iteration % self.per_round:
            raise ParameterError(
                f"what was learned over buckets is told at the end of a round: go on to iteration "
                f"{self._rounds * self.per_round:,}"
            )
        regrets, sums = self.sums(logs).astype(np.float64)
        if self.stamped:
            return regrets, sums
        return regrets * np.exp(logs[0]), sums * np.exp(logs[2])

    def put_sums(self, given: NDArray[np.float32], logs: Floats, iteration: int) -> None:
        """Go on from sums like those, at the end of the round with this iteration."""
        from counterfold.kernels.poker_lines import put_sums

        self.iteration = iteration
        put_sums(self.lines, self.nodes, self._counts, self._settled(logs), given, self.table)

    def _settled(self, logs: Floats) -> Rule:
        """The rule of a round that is over."""
        from counterfold.kernels import rule

        row = np.zeros(rule.COLUMNS)
        row[rule.LOG_POSITIVE : rule.WEIGHT + 1] = logs
        return self.rule(row, self._rounds)

    def tables(self, average: bool) -> Tables:
        """The average strategy; even in rows that never came up."""
        from counterfold.kernels.poker_lines import averages

        out = np.empty(self.form.size, np.float32)
        if average:
            averages(self.lines, self.nodes, self._counts, self.table, out)
            return (self._with_held(self._with_locks(out)),)
        leaning = self._leaning or _no_style(self.form)
        played = self._with_locks(leaning.match(self.form.unnamed, self.average_regrets()))
        return (self._with_held(played.astype(np.float32)),)

    def _with_locks(self, free: Array) -> Array:
        """What is played where locks leave a part free."""
        if self.conditions is None or not self.locked:
            return free
        fields = self.conditions.fields[0]
        share = np.repeat(fields["trust"], self.form.widths)
        played: Array = (1 - share) * free + share * fields["held"]
        return played.astype(free.dtype)

    def _with_held(self, table: NDArray[np.float32]) -> NDArray[np.float32]:
        """With what is played behind a depth limit, where walks have come or not."""
        held = self.form.held
        return np.where(self.form.holds, held, table) if len(held) else table

    def assess(self, average: bool, look: Callable[[], None] | None = None) -> Assessment:
        """Exact values and best responses, hand by hand; of the free part where locks hold."""
        if self.conditions is None or not self.locked:
            return super().assess(average, look)
        from counterfold.abstraction.bucket_locks import assess_held

        return assess_held(self.form, self.tables(average), self.conditions.fields[0])

    def condition(self, conditions: Conditions) -> None:
        if not self.weighed:
            super().condition(conditions)
        fields = conditions.fields[0]
        self._leaning = Conditions.by_infosets(fields["delta"], fields["beta"], conditions.best)
        self.conditions = conditions if self.conditions is None else self.conditions | conditions
        self.style = self._style()

    def average_regrets(self) -> Floats:
        """In the order of the form; where they are below zero it does not matter how far."""
        regrets = np.empty(self.form.size)
        left = self._rounds * self.per_round - self.iteration
        summed = self._weight or self._method.weight(self._rounds)  # kept for a style alone
        weight = max(summed * self.per_round - left, 1.0)
        for node, low in self._rows():
            width, start = int(self.form.actions[node]), int(self.form.start[node])
            found = self.table[low[:, None] + np.arange(width)].astype(np.float64)
            factor = np.full(len(low), 1.0 / self._gain)
            if self.stamped:
                stamps = self.table[low + 2 * width].astype(np.int64)
                factor = self._scale[self._rounds, 0] * self._scale[stamps, 1]
            regrets[start : start + found.size] = (found * (factor / weight)[:, None]).reshape(-1)
        return regrets

    def _rows(self) -> list[tuple[int, Ints]]:
        """Each decision, and where the rows of its buckets begin."""
        from counterfold.kernels import poker_lines as kernels

        pair, info = int(kernels.PAIR), self.lines.info.reshape(-1, 4)[self.nodes]
        step = pair * self.lines.step[info[:, 0] & kernels.OWNER].astype(np.int64)
        first = pair * info[:, 2].astype(np.int64)
        return [
            (node, at + apart * np.arange(self.form.counts[node]))
            for node, at, apart in zip(self.form.nodes.tolist(), first, step, strict=True)
        ]

    def state(self, alone: bool = True) -> Arrays:
        state: Arrays = {
            "table": self.table,
            "random": self.random,
            "counts": np.array([self.iteration, self.visits], np.int64),
            "weight": np.array([self._weight, self._gain]),
        }
        if self.stamped:
            state["scale"] = self._scale[: self._rounds + 1]
        if len(self.ahead):
            state["ahead"] = self.ahead
        if self.conditions is not None:
            state |= self.conditions.fields[0]
        return state

    @property
    def _rounds(self) -> int:
        """That have begun."""
        return -(-self.iteration // self.per_round)

    def restore(self, state: Saved, strategy: Tables | None = None) -> None:
        random = streams_in(state, self._threads, 2)
        state.fill("table", self.table)
        counts = state.array("counts", np.int64, (2,), least=0)
        self.iteration, self.visits = counts.tolist()
        self._weight, self._gain = state.array("weight", np.float64, (2,), least=0).tolist()
        if "ahead" in state:
            self.ahead = state.array("ahead", np.float32, (None,))
        if self.stamped:
            scale = state.array("scale", np.float64, (self._rounds + 1, 5), finite=False)
            self._scale = np.concatenate([scale, np.zeros((1024, 5))])
            if not self._stamps_fit():
                raise state.damaged("its rows were touched in rounds that never were")
        self._staff(random)

    def _stamps_fit(self) -> bool:
        """Are the stamps of all rows numbers of rounds that have been? Kernels look up by them."""
        for node, low in self._rows():
            stamps = self.table[low + 2 * int(self.form.actions[node])]
            if not ((stamps >= 0) & (stamps <= self._rounds) & (stamps % 1 == 0)).all():
                return False
        return True

    @classmethod
    def conditions_in(
        cls, form: BucketForm, state: Saved, run: Fields, settings: Settings
    ) -> Conditions | None:
        fields: Arrays = {}
        if "model" in state:
            fields["model"] = state.array("model", np.float32, (form.size,), least=0)
            fields["hero"] = state.array("hero", np.int64, (1,), 0, form.players - 1)
            fields["share"] = state.array("share", np.float64, (1,), 0, 1)
        if "delta" in state:
            fields["delta"] = state.array("delta", np.float64, (form.size,), least=1)
            fields["beta"] = state.array("beta", np.float64, (form.infoset_count,), least=0)
        if "trust" in state:
            fields["held"] = state.array("held", np.float64, (form.size,), 0, 1)
            fields["trust"] = state.array("trust", np.float64, (form.infoset_count,), 0, 1)
        return Conditions((fields,), run.flag("best", False)) if fields else None


runs_on(BucketForm, BucketEngine)


def _no_style(form: BucketForm) -> Conditions:
    """One that prefers nothing and gives up nothing."""
    return Conditions.by_infosets(np.ones(form.size), np.zeros(form.infoset_count))


def _weighable(method: Method) -> bool:
    """Can new numbers weigh more, in the place of old ones that fade? Not where regrets above and
    below zero fade apart, or so fast that weights outgrow 32 bits."""
    steady = not (method.alpha_slope or method.beta_slope or method.gamma_slope)
    together = method.alpha == method.beta or method.floor
    return steady and together and method.alpha >= 1 and method.gamma <= 4
