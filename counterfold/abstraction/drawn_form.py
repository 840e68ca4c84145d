"""Betting before the flop for three and more: a game over deals that were drawn once.

Players see the class of their hand (169 of them) and what was said. A deal has a hole for each seat
and a board. What a seat earns is that of all of its hands, beside those of the deal, against what
the others hold in it: so every class meets every deal, and few deals teach much. Where two are
left, equities are exact over all boards; where more are, the board drawn decides.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from counterfold import interrupts
from counterfold.abstraction.bucket_form import BucketForm, check_prints, game_print
from counterfold.abstraction.bucket_layout import BucketLayout
from counterfold.abstraction.buckets import starting_hands
from counterfold.abstraction.drawn_deals import (
    BLOCK,
    DEAL_BYTES,
    GROUP,
    Seed,
    draw_deals,
    lines_of,
    outcomes_of,
    room_for,
    usual_deals,
)
from counterfold.arrays import Array, Arrays, Floats, Ints
from counterfold.errors import ParameterError
from counterfold.evaluate.assessment import Assessment, Evaluator
from counterfold.evaluate.exact import evaluator_of, measured_by
from counterfold.evaluate.sequence import workspace
from counterfold.files.arrays import Saved
from counterfold.files.text import Json
from counterfold.games.spec import whole
from counterfold.poker.equities import OnBoards
from counterfold.poker.game import PokerGame
from counterfold.poker.isomorphism import hole_classes
from counterfold.poker.ranges import CELL
from counterfold.poker.view import CLASSES
from counterfold.solvers.settings import Defaults
from counterfold.solvers.until import Until
from counterfold.strategy.hands import saved_game
from counterfold.strategy.layout import Tables, lays_out
from counterfold.tree.history import Infosets
from counterfold.tree.sequence import SequenceForm, treeplex

if TYPE_CHECKING:
    from counterfold.kernels.drawn import Deals, Lines, Room

TARGET = 1e-5
Z95 = 1.959964
Look = Callable[[], None]
"""Called between pieces of work, which it may end by raising."""
TASK = 2 * BLOCK  # deals at most, a quarter of all at most
MOST_VISITS = 2_000_000  # of nodes, from one look to the next
FRESH_TIMES = 8
"""How many times as many other deals tell how far values are off."""


class DrawnForm(BucketForm):
    """A table's betting before the flop over ``deals`` that a seed draws.

    >>> from counterfold.poker.table import jam_or_fold
    >>> form = DrawnForm(jam_or_fold(players=3).poker, deals=100)
    >>> form.infoset_count, form.deals, form.players
    (1014, 104, 3)
    """

    merged = False
    promise = (
        "Three and more: CFR has no guarantee here, but what each seat could gain by deviating is "
        "exact over the deals that were drawn, and little of it is an equilibrium of them."
    )

    def __init__(
        self, game: PokerGame, deals: int | None = None, seed: int = 0,
        on_boards: OnBoards | None = None,
    ) -> None:  # fmt: skip
        if any((weights != weights[0]).any() for weights in game.ranges):
            raise ParameterError(f"{game.name}: tables before the flop begin with all hands")
        super().__init__(replace(game, betting=game.betting.checked_down()), (starting_hands(),))
        self._whole_game = game
        wanted = whole("deals", usual_deals(self.game) if deals is None else deals, 1, 1 << 26)
        self.deals = -(-wanted // GROUP) * GROUP
        self.seed = seed
        self._on_boards = on_boards
        self.on_fresh: Callable[[int, int], None] | None = None
        """Told how many fresh deals are measured, of how many."""

    @property
    def whole_game(self) -> PokerGame:
        return self._whole_game

    @property
    def defaults(self) -> Defaults:  # type: ignore[override]
        """To a hundredth of a thousandth of a big blind, or of all payouts."""
        unit = self.game.big_blind or sum(self.game.prizes) or self.largest_payoff
        until = Until(exploitability=TARGET * unit, iterations=1000, seconds=600)
        return Defaults("pdcfr+", "float64", until)

    @cached_property
    def drawn(self) -> Deals:
        """The deals; drawn when they are first needed."""
        return self.draw(self.seed)

    def draw(self, seed: Seed) -> Deals:
        """As many deals from another seed."""
        return draw_deals(self.players, self.deals, seed, self._on_boards)

    @cached_property
    def lines(self) -> Lines:
        """The betting for the kernels."""
        return lines_of(self.game, self._moves)

    @property
    def nbytes(self) -> int:
        """About what the deals, others to measure with, and the tables of a run take."""
        shown, tasks = 8 * self.players * outcomes_of(self.game.betting), len(_tasks(self.deals))
        return 2 * self.deals * DEAL_BYTES + (100 + 8 * tasks) * self.size + shown

    def measured(self, tables: Tables) -> Json:
        """What is known of a strategy beside its certificate, which is of the deals it is for.

        ``errors`` are standard errors of the values, as if the strategy had not been found on the
        same deals. Fresh deals, ``FRESH_TIMES`` as many, have
        ``fresh_values`` with ``fresh_errors``; ``off`` is how far the values may be off by these:
        the difference, and the 95% interval beside it. ``fresh_gains`` are what each seat's best
        response over the first deals gains in the fresh ones (below zero where it does not carry
        over). A signal ends it with what is known by then.
        """
        told: Json = {"deals": self.deals, "seed": self.seed}
        fresh, gained = list[Floats](), list[Floats]()
        own, look = evaluator_of(self), interrupts.give_up
        assert isinstance(own, DrawnEvaluator)
        try:
            played = own.earned(tables, look=look)
            mine, own_errors = _told([played - own.spare(played)])
            told["errors"] = tuple(own_errors.tolist())
            replies = own.best_responses(tables, look)
            for number in range(FRESH_TIMES):
                if self.on_fresh:
                    self.on_fresh(number * self.deals, FRESH_TIMES * self.deals)
                other = DrawnEvaluator(self, self.draw([self.seed, number + 1]))
                played = other.earned(tables, look=look)
                gained.append(other.earned(tables, replies, look=look) - played)
                fresh.append(played - other.spare(played))
        except interrupts.GivenUpError:
            pass
        if not fresh:
            return told
        (values, errors), (gains, _) = _told(fresh), _told(gained)
        return told | {
            "off": tuple((np.abs(mine - values) + Z95 * errors).tolist()),
            "fresh_deals": len(fresh) * self.deals, "fresh_values": tuple(values.tolist()),
            "fresh_errors": tuple(errors.tolist()), "fresh_gains": tuple(gains.tolist()),
        }  # fmt: skip

    @cached_property
    def fingerprint(self) -> str:
        told = super().fingerprint, self.deals, self.seed, self.game.prizes
        return hashlib.sha256(repr(told).encode()).hexdigest()[:16]

    @property
    def histories(self) -> int:
        """Nodes of the betting in all deals."""
        return self.deals * len(self.game.betting)

    @property
    def constant_sum(self) -> float | None:
        return 0.0 if self.game.betting.zero_sum else None

    @cached_property
    def largest_payoff(self) -> float:
        most = max(self.game.prizes, default=0.0)
        return most or float(abs(self.game.betting.payoff).max())

    @cached_property
    def infosets(self) -> Infosets:
        """All infosets by name: a class of hands and what was said."""
        plain, names = super().infosets, [CLASSES[CELL[hole]] for hole in hole_classes().hole]
        betting, labels = self.game.betting, list[str]()
        for node in self.nodes.tolist():
            line = ", ".join(betting.line(node))
            labels += [f"{name} | {line}" if line else name for name in names]
        return plain._replace(labels=tuple(labels))

    @cached_property
    def sequence_form(self) -> SequenceForm:
        """What each player remembers: classes of its hand with its own moves. It has no leaves."""
        betting, players = self.game.betting, self.players
        widths, slots = self.widths, np.cumsum(self.widths) - self.widths
        owner = np.repeat(betting.player[self.nodes], self.counts[self.nodes])
        # Sequences are numbered as slots are, after the empty ones.
        parent = np.repeat(betting.player[self.nodes].astype(np.int64), self.counts[self.nodes])
        begin = np.cumsum(self.counts) - self.counts
        for node in self.nodes.tolist():
            child, above = node, int(betting.parent[node])
            while above >= 0 and betting.player[above] != betting.player[node]:
                child, above = above, int(betting.parent[above])
            if above >= 0:
                many, action = int(self.actions[above]), child - int(betting.first[above])
                classes = np.arange(int(self.counts[node]))
                at = int(begin[node]) + classes
                parent[at] = players + int(self.start[above]) + classes * many + action
        return treeplex(self, owner, widths, parent, slots)

    @cached_property
    def _moves(self) -> NDArray[np.uint32]:
        """[nodes] the sequence of the move that leads to a node, by hands of class 0."""
        betting, form = self.game.betting, self.sequence_form
        of_slot = np.zeros(self.size, np.uint32)
        of_slot[form.slot[self.players :]] = np.arange(self.players, form.sequences)
        moves = np.zeros(len(betting), np.uint32)
        for node in self.nodes.tolist():
            for action, child in enumerate(betting.children(node)):
                moves[child] = of_slot[self.start[node] + action]
        return moves


class DrawnLayout(BucketLayout):
    """Probabilities by decision and class of hands."""

    name: ClassVar[str] = "drawn"
    form: DrawnForm

    def header(self) -> dict[str, str]:
        form = self.form
        told = {"deals": str(form.deals), "seed": str(form.seed)}
        return {**super().header(), "betting": game_print(form.game), **told}

    def arrays(self, tables: Tables) -> Arrays:
        return {"probabilities": tables[0]}  # classes of hands are always the same

    @classmethod
    def read(cls, saved: Saved, form: BucketForm | None) -> tuple[DrawnLayout, Tables]:
        if form is None:
            deals, seed = (_whole(saved, name) for name in ("deals", "seed"))
            form = DrawnForm(saved_game(saved), deals, seed)
        assert isinstance(form, DrawnForm)
        check_prints(saved, form)
        return cls(form), (saved.array("probabilities", np.float32, (form.size,), least=0),)


def _whole(saved: Saved, name: str) -> int:
    text = saved.text(name)
    if not text.isdecimal() or len(text) > 18:
        raise saved.damaged(f"its {name} are no number")
    return int(text)


lays_out(DrawnForm, DrawnLayout)


class DrawnEvaluator(Evaluator):
    """Exact values and best responses over deals: those of the form, or others.

    Tasks are always the same, and what they come to is added up in their order: results do not
    depend on how many threads there are.
    """

    def __init__(
        self, form: DrawnForm, drawn: Deals | None = None, threads: int | None = None
    ) -> None:
        self.form, self._drawn = form, drawn
        self.threads = threads or max(1, min(8, len(os.sched_getaffinity(0))))

    @cached_property
    def drawn(self) -> Deals:
        return self.form.drawn if self._drawn is None else self._drawn

    @cached_property
    def _found(self) -> Floats:
        """[tasks, sequences] what each task comes to."""
        return np.zeros((len(_tasks(len(self.drawn.hole))), self.form.sequence_form.sequences))

    def gradient(self, strategy: Array, player: int, into: Array, look: Look | None = None) -> None:
        """What a player's sequences earn, written to where they lie in ``into``."""
        from counterfold.kernels import drawn

        form, found = self.form.sequence_form.form, self._found
        first, last = (int(form.start[form.groups[p]]) for p in (player, player + 1))
        found[:, player] = found[:, first:last] = 0
        walk = partial(drawn.gradient, self.form.lines, self.drawn)
        self._in_tasks(
            lambda room, task, *deals: walk(room, player, strategy, found[task], *deals), look
        )
        into[player] = found[:, player].sum()
        into[first:last] = found[:, first:last].sum(0)

    def _in_tasks(self, walk: Callable[[Room, int, int, int], None], look: Look | None) -> None:
        """Walk all deals, piece by piece: room for it, the task, its first deal, and its end."""
        lines = self.form.lines
        size = max(1, MOST_VISITS // len(lines.kind))

        def work(task: int, deals: range) -> None:
            room = room_for(lines)
            for begin in deals[::size]:
                if look:
                    look()
                walk(room, task, begin, min(begin + size, deals.stop))

        pool = ThreadPoolExecutor(self.threads)
        try:
            list(pool.map(work, *zip(*enumerate(_tasks(len(self.drawn.hole))), strict=True)))
        finally:
            pool.shutdown(cancel_futures=True)

    def _measure(
        self, tables: Tables, look: Look | None = None
    ) -> tuple[Assessment, NDArray[np.uint32]]:
        from counterfold.kernels import sequence

        form, players = self.form.sequence_form, self.form.players
        strategy = form.by_sequence(tables[0].astype(np.float64))
        reach, work = form.reach(strategy), workspace(form)
        for player in range(players):
            self.gradient(strategy, player, work.gradient, look)
        owner = np.append(np.arange(players), self._owners)
        values = np.bincount(owner, work.gradient * reach, players).astype(np.float64)
        best, choice = np.zeros(players), np.zeros(len(form.form.parent), np.uint32)
        sequence.hindsight(form.form, work, choice, best)
        spare, units = self.spare(values), self.form.units
        told = tuple((values - spare).tolist()), tuple((best - spare).tolist())
        return Assessment(*told, units), choice

    def spare(self, values: Floats) -> Floats | float:
        """What values add up to beside nothing, shared out: seats hold other hands beside a deal.

        It is nothing on average, so values are as right without it, and nearer.
        """
        return values.mean(-1, keepdims=True) if self.form.constant_sum == 0 else 0.0

    @cached_property
    def _owners(self) -> Ints:
        """Whose each sequence after the empty ones is."""
        form = self.form.sequence_form.form
        starts = form.start[form.groups].astype(np.int64)
        return np.repeat(np.arange(self.form.players), np.diff(starts))

    def assess(self, tables: Tables, look: Look | None = None) -> Assessment:
        return self._measure(tables, look)[0]

    def best_response(self, tables: Tables, player: int) -> tuple[float, Tables]:
        assessment, choice = self._measure(tables)
        pure = self.form.sequence_form.pure(choice, player)
        owner = np.repeat(self.form.infosets.owner, self.form.widths)
        answer = np.where(owner == player, pure, tables[0])
        return assessment.best[player], (answer,)

    def best_responses(self, tables: Tables, look: Look | None = None) -> Tables:
        """A best response of each player to the others, all in one table."""
        choice, form = self._measure(tables, look)[1], self.form.sequence_form
        owner = np.repeat(self.form.infosets.owner, self.form.widths)
        every = [form.pure(choice, player) for player in range(self.form.players)]
        return (np.choose(owner, every),)

    def earned(self, tables: Tables, own: Tables | None = None, look: Look | None = None) -> Floats:
        """[deals, players] what everybody earns in each deal, with ``own`` against the others."""
        from counterfold.kernels import drawn

        form = self.form.sequence_form
        strategy, mine = (
            form.by_sequence(one[0].astype(np.float64)) for one in (tables, own or tables)
        )
        reach, found = form.reach(mine), np.empty((len(self.drawn.hole), self.form.players))
        walk = partial(drawn.earnings, self.form.lines, self.drawn)
        self._in_tasks(lambda room, _, *deals: walk(room, strategy, reach, found, *deals), look)
        return found


def _tasks(deals: int) -> list[range]:
    """Deals that are walked together, whatever the threads: so sums are the same with any."""
    size = min(TASK, -(-deals // 4))
    return [range(begin, min(begin + size, deals)) for begin in range(0, deals, size)]


def _told(earned: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Means over deals and their standard errors: blocks, or else groups, belong together."""
    each = BLOCK if len(earned[0]) % BLOCK == 0 else GROUP
    every = np.concatenate([some.reshape(-1, each, some.shape[1]).mean(1) for some in earned])
    off = every.std(0, ddof=1) if len(every) > 1 else np.abs(every[0])
    return every.mean(0), off / len(every) ** 0.5


measured_by(DrawnForm, DrawnEvaluator)
