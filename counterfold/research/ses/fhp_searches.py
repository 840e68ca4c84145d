"""The searcher of Flop Hold'em as one player: all its searches, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold import interrupts
from counterfold.arrays import Arrays, Floats
from counterfold.checkpoints import Checkpoints
from counterfold.files.arrays import Saved
from counterfold.research.progress import Count
from counterfold.research.ses.fhp_replies import BoardValues, BucketReply, TrunkReply
from counterfold.research.ses.fhp_setup import FhpOpponent, Rows, Setup, misjudged_ranges, rows_of
from counterfold.searchers.gadget import gadget
from counterfold.searchers.public import PublicRefined, PublicSearch
from counterfold.searchers.public_entry import Arrivals, classes_above


@dataclass(frozen=True)
class SeatPoint:
    """one player's part of a point, in chips: the payoff beyond the blueprint's."""

    payoff: float
    spread: float
    reply: float
    cautious: float
    in_buckets: float | None
    gap: float


class _FlopSearch(NamedTuple):
    """One search on one flop."""

    plan: int
    lines: int  # to which the hero comes
    gap: float  # their mean
    fresh: bool  # Did it begin with nothing?
    seconds: float
    change: Floats  # [lines, first hands]
    seen: BoardValues | None


class Searches:
    """The searcher as one player: searches on all flops that were drawn, for all points."""

    def __init__(
        self, setup: Setup, player: int, opponents: Sequence[FhpOpponent], alphas: Sequence[float],
        errors: Sequence[float], iterations: int, gap: float = 0.0,
    ) -> None:  # fmt: skip
        self.setup, self.player, self.opponents = setup, player, opponents
        self.other, self.iterations, self.gap = 1 - player, iterations, gap
        self.alphas, self.errors = [a for a in alphas if a], list(errors)
        self.search = PublicSearch(setup.blueprint, player, threads=setup.threads)
        self.arrivals = [Arrivals(who.strategy.hands, self.other) for who in opponents]
        self.plans = 1 + len(opponents) * len(self.errors) * len(self.alphas)
        classes = len(setup.tree.hands[self.other][0].holes)
        lines, boards = len(self.search.starts), len(setup.boards)
        # Plan 0 is alpha 0, which no opponent changes. What it earns depends on the opponent.
        self.change = np.zeros((2, self.plans, lines, classes))  # of every other flop each
        self.gaps = np.zeros((self.plans, boards))
        self.earned = np.zeros((self.plans, boards))
        self.careful = np.zeros((len(opponents), boards))
        self.spent = np.zeros((2, 2))  # searches and seconds, of fresh ones and of the others
        self.taken = 0  # flops
        self.trunk = TrunkReply(setup.walk, setup.blueprint, player)
        self.bucketed: BucketReply | None = None
        if setup.buckets is not None:
            self.bucketed = BucketReply(self.search, self.trunk, setup.buckets[-1])
        # By an opponent who knows buckets, plans are measured where all flops are searched:
        # fewer flops would say too little of a bucket.
        self.sums: list[NDArray[np.float32]] = []
        if self.bucketed is not None and setup.exact:
            self.sums = [self.bucketed.empty() for _ in range(self.plans)]

    def plan(self, opponent: int, error: int, alpha: float) -> int:
        """The number of a plan: what is searched for."""
        if not alpha:
            return 0
        by_error = opponent * len(self.errors) + error
        return 1 + by_error * len(self.alphas) + self.alphas.index(alpha)

    def arrays(self) -> Arrays:
        """All that was found so far, to be written to a file."""
        arrays = {
            "change": self.change, "gaps": self.gaps, "earned": self.earned,
            "careful": self.careful, "spent": self.spent, "taken": np.array([self.taken]),
        }  # fmt: skip
        return arrays | {f"sums{plan}": sums for plan, sums in enumerate(self.sums)}

    def restore(self, kept: Saved | None) -> None:
        """Take over what was found before, if anything was."""
        if kept is None:
            return
        arrays = self.arrays()
        for name, array in arrays.items():
            kept.fill(name, array, finite=False)
        kept.finish()
        self.taken = int(arrays["taken"][0])

    @property
    def weight(self) -> float:
        """CPU seconds that all searches on a flop may take."""
        return self.plans * (0.02 if self.gap else 0.0004 * self.iterations)

    @property
    def expected(self) -> float:
        """CPU seconds that all flops may take."""
        return self.weight * len(self.setup.boards)

    def run(self, threads: int, count: Count, save: Callable[[], None] | None = None) -> None:
        """Search on all flops that are left; what they come to is added up in their order."""
        total = len(self.setup.boards)
        count.spare(
            self.taken * self.weight, f"player {self.player}, {self.taken:,} of {total:,} flops"
        )
        begun, checkpoints = self.taken, Checkpoints(save)
        left = range(begun, total)
        try:
            with ThreadPoolExecutor(threads) as pool:
                for k, notes in zip(left, pool.map(self._flop, left), strict=True):
                    with interrupts.uncut():
                        for note in notes:
                            self._take(k, note)
                        self.taken = k + 1
                    checkpoints.look()
                    count.add(self.weight, f"player {self.player}, {k + 1:,} of {total:,} flops")
        finally:
            if self.taken > begun:
                checkpoints.save()

    def _flop(self, k: int) -> list[_FlopSearch]:
        """All searches on one flop."""
        search, setup = self.search, self.setup
        board = setup.boards[k]
        entry = search.entry(board)
        share = setup.tree.boards[board].chance * setup.weights[k]
        blueprint = rows_of(setup.blueprint, self.player, board)
        kept = entry.kept
        notes = []

        def made(
            plan: int, alpha: float, judged: Floats | None, after: PublicRefined | None = None
        ) -> PublicRefined:
            interrupts.check()
            parts = gadget("ses", entry, alpha=alpha, range=judged)
            found = search.refine(entry, parts, self.iterations, gap=self.gap, after=after)
            seen = None
            if self.sums and self.bucketed is not None:
                seen = self.bucketed.see(entry, found.weights, share)
            lines = int(entry.reached.sum())
            gap = float(found.gap[entry.reached].mean()) if lines else 0.0
            change = self._change(found, share)
            notes.append(
                _FlopSearch(plan, lines, gap, after is None, found.cpu_seconds, change, seen)
            )
            return found

        def worth(found: PublicRefined | None, theirs: Rows, reach: Floats) -> float:
            weights = blueprint
            if found is not None:
                weights = blueprint.copy()
                weights[kept] = found.weights[kept]
            return float(share * search.earned(entry, weights, theirs, reach))

        careful = made(0, 0.0, None)
        for o, opponent in enumerate(self.opponents):
            reach, theirs = (
                self.arrivals[o].at(board),
                rows_of(opponent.strategy, self.other, board),
            )
            base, true = worth(None, theirs, reach), entry.range_of(reach)
            self.careful[o, k] = worth(careful, theirs, reach) - base
            last: dict[float, PublicRefined] = {}
            for e, error in enumerate(self.errors):
                judged = misjudged_ranges(true, error, [setup.seed, o, self.player, board])
                found = careful
                for alpha in self.alphas:
                    # From the last error if there was one, else from the last alpha.
                    start = last.get(alpha, found) if self.gap else None
                    plan = self.plan(o, e, alpha)
                    last[alpha] = found = made(plan, alpha, judged, start)
                    self.earned[plan, k] = worth(found, theirs, reach) - base
        return notes

    def _change(self, found: PublicRefined, share: float) -> Floats:
        """What the opponent's best reply gains by a search, by line and first hand."""
        tree, entry = self.setup.tree, found.entry
        up = classes_above(tree, self.other, entry.board)
        more = (found.best - entry.best) * entry.mass * entry.came[:, None]
        size = tree.hands[self.other][0].size
        rows = [np.bincount(up, row, len(size)) / size for row in more]
        return np.stack(rows) * share / tree.weight_sum

    def _take(self, k: int, note: _FlopSearch) -> None:
        self.change[k % 2, note.plan] += note.change
        if note.seen is not None and self.bucketed is not None:
            self.bucketed.add(self.sums[note.plan], note.seen)
        self.gaps[note.plan, k] = note.gap
        self.spent[0 if note.fresh else 1] += note.lines, note.seconds

    def reply(self, plan: int | None) -> float:
        """What the opponent's best reply earns in the whole game; of the blueprint without plan."""
        more = 0.0 if plan is None else self.change[:, plan].sum(0)
        return self.trunk.earns(self.trunk.base + more)

    def cautious_reply(self, plan: int) -> float:
        """What a reply earns that was chosen on one half of the flops, on the other half.

        A reply that is chosen on the flops on which it is measured makes use of what only these
        have in common, and seems to earn more than it does; this one is far from that.
        """
        if self.setup.exact:
            return self.reply(plan)
        lines = [self.trunk.base + 2 * half[plan] for half in self.change]
        pairs = ((lines[0], lines[1]), (lines[1], lines[0]))
        return float(np.mean([self.trunk.earns_elsewhere(*pair) for pair in pairs]))

    def reply_in_buckets(self, plan: int | None) -> float | None:
        """The same for one who knows buckets only; None where that is not known."""
        if self.bucketed is None:
            return None
        if plan is None:
            return self.bucketed.earns(self.bucketed.blueprint())
        return self.bucketed.earns(self.sums[plan]) if self.sums else None

    def point(self, opponent: int, error: int, alpha: float) -> SeatPoint:
        """This player's part of a point."""
        plan = self.plan(opponent, error, alpha)
        earned = self.earned[plan] if alpha else self.careful[opponent]
        spread = 0.0 if self.setup.exact else float(np.sqrt(len(earned)) * earned.std(ddof=1))
        return SeatPoint(
            float(earned.sum()),
            spread,
            self.reply(plan),
            self.cautious_reply(plan),
            self.reply_in_buckets(plan),
            float(self.gaps[plan].mean()),
        )
