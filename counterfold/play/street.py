"""Searches from the beginning of a street on, within so many seconds: what all hands do there."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from counterfold.abstraction.blueprint import engine_in
from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.abstraction.edge_betting import EdgeForm
from counterfold.arrays import Bools, Floats, Ints
from counterfold.errors import TreeTooLargeError
from counterfold.evaluate.public_view import Browser
from counterfold.play.certificate import Certificate
from counterfold.play.habits import tilted
from counterfold.play.rest import (
    FEWER,
    Extra,
    Shadow,
    bucketed,
    completed,
    game_of,
    lifted,
    rest_of,
    shadow_of,
    single_hands,
)
from counterfold.play.safe import MOST_ALPHA, evidence
from counterfold.play.sampled_root import BOARDS, Sweeping, entry_of
from counterfold.play.sampled_root import PIECE as BOARDS_A_LOOK
from counterfold.poker.betting import count
from counterfold.poker.cards import CARDS, HOLES, board_name, holes_without
from counterfold.poker.game import DECISION, BettingTree, PokerGame, meetings
from counterfold.poker.money import Betting, State
from counterfold.poker.ranges import Range
from counterfold.poker.table import DEALT, STREETS, Holdem
from counterfold.searchers.gadget import Part, gadget
from counterfold.searchers.public import PublicSearch
from counterfold.searchers.public_entry import PublicEntry
from counterfold.solvers.solver import Solver
from counterfold.strategy.continuations import continuations
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree

GADGETS = ("unsafe", "resolving", "maxmargin", "ses", "ox")
"""What may stand at the root of a search here."""
TRIALS = 3
"""Alphas that are tried where it sets itself, each half of the last; then none."""
MOST = 1_000_000
"""Iterations of a search, if nobody says how many."""
LEAST = 6
"""Iterations that a search must have time for, or fewer sizes are tried."""
MANY = 40
"""The same on the flop, where sampling is the other way."""
AROUND = 12
"""Iterations that take as long as all that is done before and after them."""
PACE = 4e-9
"""Seconds of an iteration for each hand at each node on each board, before one was measured."""
PIECE = 2_000
"""Iterations of a sampled search between looks at the clock."""
SAMPLES = 1_000
"""Iterations of a sampled search of three for each that was asked for."""
MARKING = 0.15
"""Of the seconds of a sampled search: what the blueprint earns is found out in it."""
FEW = 50_000
"""Iterations below which a sampled search of three has found nothing yet."""
BUILT = 2e-5
"""Seconds that a node of a cut betting takes until it can be searched, at most."""
SPARE = 0.2
"""Of what was done before a sampled search: reading its result takes about as long."""
ALMOST = 0.85
"""Of the seconds: a search ends so early that nothing after it comes too late."""
GAP = 1e-3
"""Of the pot: a search that is so near to its best ends."""
MOST_NODES = 20_000
"""Of the betting that is left."""
RARE = 1e-4
"""Of the likeliest hand of the player who searches: no hand is taken to be rarer, so that what
each of them would do is learned."""
LEFT_OUT = (0.0, 0.001, 0.001, 0.0)
"""Of a range, at most, by street: its rarest hands, which the tree leaves out and the blueprint
plays. An iteration costs as much as there are hands, and little where no cards come."""
BELIEVING = ("unsafe", "ses")
"""Gadgets that believe in a range of the opponent, and may leave out its rarest hands."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What a search found for one street: what the hands of those in it do at its decisions."""

    betting: BettingTree
    seats: tuple[int, ...]
    played: dict[int, Floats]  # [actions, holes] by decision of the first street
    certificate: Certificate

    def find(self, words: Sequence[str]) -> int | None:
        """The node after some words of the street; None where one is not in the tree."""
        node = 0
        for word in words:
            below = [k for k in self.betting.children(node) if self.betting.label[k] == word]
            if not below:
                return None
            node = below[0]
        return node

    def factor(self, player: int, words: Sequence[str], tilt: Floats | None = None) -> Floats:
        """[holes] how often each hand of a player of the table does what was done, with its own
        habits if they are given."""
        found = np.ones(HOLES)
        for k, word in enumerate(words):
            node = self.find(words[:k])
            if node is None or node not in self.played:
                break
            if self.seats[int(self.betting.player[node])] == player:
                shares, actions = self.played[node], self.betting.actions(node)
                shares = shares if tilt is None else tilted(shares, actions, tilt)
                found *= shares[actions.index(word)]
        return found


class Spot(NamedTuple):
    """Where a search begins: a street, with how all hands came there."""

    state: State  # at the beginning of the street
    board: tuple[int, ...]
    node: int  # of the blueprint's betting; -1 where nothing there is like it
    ranges: Floats  # [players, holes]
    words: tuple[str, ...]  # said on the street so far
    player: int  # who searches
    judged: Floats = np.zeros((0, 0, 0))  # [1 + draws, players, holes] ranges by what was learned


class Belief(TypedDict, total=False):
    """Settings of a gadget: what margins are counted from, and how far which range is believed."""

    mark: str
    alpha: float | None
    range: Floats


class Outcome(TypedDict):
    """What a certificate tells of a search itself."""

    kind: str
    gadget: str
    alpha: float | None
    iterations: int
    gap: float | None
    pot: float
    nodes: int


class _Root(NamedTuple):
    """A gadget of a sampled search."""

    entry: PublicEntry
    parts: list[Part]
    alpha: float | None


class _Last(NamedTuple):
    """The last search of all hands: what it found for those that were in its tree."""

    plan: Plan
    game: PokerGame  # with all hands
    found: Strategy[PublicTree]
    shadow: Shadow


Fitting = tuple[Betting, tuple[int, ...], float]
"""A betting, who is in it, and what an iteration costs."""


class StreetSearch:
    """Searches by a blueprint at a table, each within so many seconds of CPU."""

    def __init__(
        self, tables: BucketTables, own: Holdem, table: Holdem, *, gadget: str,
        alpha: float | None, budget: float, seconds: float, iterations: int | None = None,
    ) -> None:  # fmt: skip
        self.tables, self.own, self.table = tables, own, table
        self.gadget, self.alpha, self.budget, self.seconds = gadget, alpha, budget, seconds
        self.iterations = iterations
        self._pace = PACE
        self.last: _Last | None = None
        whole = Strategy.of(tables.form, tables.table)
        self.continuations = {name: one.tables[0] for name, one in continuations(whole).items()}

    def warm_up(self) -> None:
        """Compile now what the first search needs, which must not be late."""
        board, before = (0, 5, 10, 15, 20), self.table.blinds[1]
        paid = (before,) * self.table.players
        folded = (1 << self.table.players) - 4
        state = State(DECISION, 3, 0, paid, (0.0,) * len(paid), folded=folded)
        every = np.ones((self.table.players, HOLES))
        seconds, self.seconds = self.seconds, math.inf
        spot = Spot(state, board, -1, every, (), 0, np.stack([every, every]))
        self._public(spot, self._fitting(spot, {}), 0.0)
        iterations, self.iterations = self.iterations, 1
        turn = spot._replace(state=state._replace(street=2), board=board[: DEALT[2]])
        self._sampled(turn, {}, 0.0)
        self.seconds, self.iterations, self._pace = seconds, iterations, PACE

    def plan(self, spot: Spot, extra: Extra) -> Plan | None:
        """Search; None where it does not fit into the time."""
        began, inside = time.thread_time(), self.table.players - spot.state.folded.bit_count()
        if inside == 2:
            flop = len(spot.board) == DEALT[1]  # with all sizes and enough time, or else sampled
            fitting = self._fitting(spot, extra, *((1, MANY) if flop else ()))
            if fitting is not None or not flop:
                return self._public(spot, fitting, began)
        return self._sampled(spot, extra, began)

    # Two players, every hand its own, to the end of the hand.

    def _public(self, spot: Spot, fitting: Fitting | None, began: float) -> Plan | None:
        if fitting is None:
            return None
        betting, seats, cost = fitting
        rules = self.tables.form.game.rules
        every = game_of(self.table, rules, betting, seats, spot.board)
        game = replace(every, ranges=self._likely(spot, seats))
        tree = PublicTree(game, symmetry=False)
        shadow = shadow_of(game.betting, self.tables.form.game.betting, spot.node, seats)
        blueprint = Strategy.of(tree, lifted(shadow, self.tables, tree))
        me = seats.index(spot.player)
        came = self._came(spot, seats)
        search = PublicSearch(blueprint, me, came=(came[0], came[1]))
        entry = search.entry(0)
        gap, limit = GAP * sum(betting.paid), MOST if self.iterations is None else self.iterations
        settings = self._settings(spot, seats, entry, "best", tree.hands[1 - me][0].holes)
        trials, done = self._trials if settings.get("alpha") else 1, 0
        for trial in range(trials):
            parts = gadget(self.gadget, entry, **settings)
            left = ALMOST * self.seconds - (time.thread_time() - began)
            left = left / (trials - trial) if self.iterations is None else math.inf
            found = search.refine(entry, parts, limit, gap=gap, seconds=left)
            done += found.iterations
            rise = float((found.best - entry.best)[entry.live].max())
            if trials == 1 or rise <= self.budget:
                break
            settings["alpha"] = (settings["alpha"] or 0.0) / 2 if trial < trials - 2 else 0.0
        if self.iterations is None:
            spent = (time.thread_time() - began) / (done + AROUND)
            self._pace = (self._pace + spent / cost) / 2
            if found.iterations < LEAST:
                return None  # the blueprint knows more
        assert found.reply is not None
        tables = [found.weights, found.reply][:: 1 if me == 0 else -1]
        solved = Strategy.of(tree, tuple(tables))
        both = solved.hands
        played = {node: self._whole(spot, shadow, node, both.at(node)) for node in both.decisions()}
        told = self._told(
            spot, seats, came, began, kind="public", gadget=self.gadget,
            iterations=found.iterations, alpha=settings.get("alpha"), gap=float(found.gap[0]),
            pot=sum(betting.paid), nodes=len(game.betting),
        )  # fmt: skip
        plan = Plan(game.betting, seats, played, told)
        everything = [np.asarray(each) for each in every.ranges]
        everything[me] = came[me]
        self.last = _Last(plan, replace(every, ranges=tuple(everything)), solved, shadow)
        return plan

    def _settings(
        self, spot: Spot, seats: tuple[int, ...], entry: PublicEntry, mark: str,
        held: Ints | None = None,
    ) -> Belief:  # fmt: skip
        """Of the gadget: what margins are counted from, and how far a range is believed in."""
        settings: Belief = {}
        if self.gadget != "unsafe" and self.gadget != "ox":
            settings = {"mark": mark}
        if self.gadget == "ses":
            settings["alpha"] = self.alpha
            if self.alpha is None:
                judged = spot.judged[:, seats[1 - entry.player]]
                judged = judged if held is None else judged[:, held]
                worlds = [entry.range_of(each[None]) for each in judged]
                settings |= {"alpha": MOST_ALPHA * evidence(entry.range, worlds)}
                settings["range"] = worlds[0]
        return settings

    def values(self, plan: Plan, words: Sequence[str]) -> dict[str, Floats] | None:
        """[holes] what actions of the other one are worth to it against the last search's player,
        both playing what was found; None of another search."""
        if self.last is None or self.last.plan is not plan:
            return None
        _, game, found, shadow = self.last
        tree = PublicTree(game, symmetry=False)
        whole = Strategy.of(tree, completed(found, lifted(shadow, self.tables, tree), tree))
        return Browser(whole).action_values(", ".join(words))

    # Any number of players, over buckets, to the end of the street.

    def _sampled(self, spot: Spot, extra: Extra, began: float) -> Plan | None:
        """Every hand its own on this street; behind it the players choose among continuations of
        the blueprint, which hold buckets to what they do (multi-valued states)."""
        own = self.tables.form
        fitting = self._cut(spot, extra)
        if fitting is None:
            return None
        betting, seats, names = fitting
        came, two = self._came(spot, seats), len(seats) == 2
        likely = self._likely(spot, seats) if two else [np.ones(HOLES)] * len(seats)
        game = game_of(self.table, own.game.rules, betting, seats, spot.board)
        game = replace(game, ranges=tuple(w * each for w, each in zip(came, likely, strict=True)))
        hands = single_hands(spot.board)
        form = BucketForm(game, (hands, *own.buckets[spot.state.street + 1 :]))
        trunk = {node: node for node in form.nodes.tolist()}
        shadow = shadow_of(game.betting, own.game.betting, spot.node, seats)
        root = self._root(spot, seats, form, shadow) if two else None
        if game.betting.played > 1:
            held = {
                name: bucketed(shadow, BucketTables(own, self.continuations[name]), form)
                for name in names
            }
            others = [p for p in range(len(seats)) if seats[p] != spot.player]
            form = EdgeForm(form, held, others if two else None)
            trunk = form.trunk
        solver = self._walked(form, root, spot.player, began)
        if solver.iteration < (BOARDS if two else FEW) and self.iterations is None:
            return None  # the blueprint has seen more
        found, of = BucketTables.of(solver.strategy()), hands.on(spot.board)
        played = dict[int, Floats]()
        for old, new in trunk.items():
            own_hands = likely[int(game.betting.player[old])] > 0
            shares = np.where(own_hands, found.rows(new)[of].T.astype(np.float64), np.nan)
            played[old] = self._whole(spot, shadow, old, shares)
        told = self._told(
            spot, seats, came, began, kind="sampled", gap=None, iterations=solver.iteration,
            gadget="unsafe" if root is None else self.gadget,
            alpha=None if root is None else root.alpha,
            pot=sum(betting.paid), nodes=len(form.game.betting),
        )  # fmt: skip
        return Plan(game.betting, seats, played, told)

    def _root(
        self, spot: Spot, seats: tuple[int, ...], form: BucketForm, shadow: Shadow
    ) -> _Root | None:
        """What stands at the root of a sampled search of two; None of one that believes."""
        if self.gadget == "unsafe":
            return None
        seconds = None if self.iterations else MARKING * self.seconds
        entry = entry_of(form, shadow, self.tables, seats.index(spot.player), seconds)
        settings = self._settings(spot, seats, entry, "blueprint")
        return _Root(entry, gadget(self.gadget, entry, **settings), settings.get("alpha"))

    def _walked(self, form: BucketForm, root: _Root | None, seed: int, began: float) -> Solver:
        """A sampled search in its time."""
        two, each = form.players == 2, SAMPLES
        traversal, piece = ("public", BOARDS_A_LOOK) if two else ("external", PIECE)
        solver = Solver(
            form,
            traversal=traversal,
            threads=1,
            seed=seed,
            per_round=1 if two else None,
        )
        if two:
            engine, each = engine_in(solver), 1
            entry, parts = (None, []) if root is None else (root.entry, root.parts)
            engine.workers = [Sweeping(engine, entry, parts)]
        seconds = ALMOST * self.seconds - SPARE * (time.thread_time() - began)
        limit = each * (MOST if self.iterations is None else self.iterations)
        while solver.iteration < limit:
            before = time.thread_time()
            solver.step(min(piece, limit - solver.iteration))
            after = time.thread_time()
            if 2 * after - before - began > seconds and self.iterations is None:
                break
        return solver

    def _cut(
        self, spot: Spot, extra: Extra
    ) -> tuple[Betting, tuple[int, ...], tuple[str, ...]] | None:
        """The betting with as many sizes and continuations as fit into the time."""
        every = tuple(self.continuations)
        for few in range(FEWER):
            betting, seats = rest_of(self.table, self.own, spot.state, extra, few)
            try:
                nodes = sum(street.nodes for street in count(betting, most=MOST_NODES))
            except TreeTooLargeError:
                continue
            choose = 1 if len(seats) == 2 else len(seats)
            for names in (every, every[:2], every[:1]):
                if nodes * len(names) ** choose * BUILT <= self.seconds / 4:
                    return betting, seats, names
        return None

    def _came(self, spot: Spot, seats: tuple[int, ...]) -> list[Floats]:
        """[holes] how the hands of all in the hand came, none of the own ones never."""
        left = holes_without(spot.board).astype(np.float64)
        came = [spot.ranges[p] * left for p in seats]
        for p, each in enumerate(came):
            if seats[p] == spot.player:
                came[p] = np.maximum(each, RARE * each.max()) * left
            if not came[p].sum() > 0:
                came[p] = left
        return came

    def _likely(self, spot: Spot, seats: tuple[int, ...]) -> tuple[Floats, ...]:
        """[holes] of each player in the hand: 1 for the hands that are searched."""
        left, found = holes_without(spot.board).astype(np.float64), []
        part = LEFT_OUT[spot.state.street]
        for p, came in zip(seats, self._came(spot, seats), strict=True):
            if not part or (p != spot.player and self.gadget not in BELIEVING):
                found.append(left)
            else:
                judged = (each[p] for each in spot.judged if p != spot.player)
                found.append(left * np.any([_most_of(each, part) for each in (came, *judged)], 0))
        met = float((found[0] * meetings(found[1])).sum())
        return tuple(found) if met > 0 else (left,) * len(seats)

    def _whole(self, spot: Spot, shadow: Shadow, node: int, shares: Floats) -> Floats:
        """[actions, holes] what hands do, by the blueprint those that were left out."""
        held = self.tables.buckets[spot.state.street].on(spot.board)
        rest = shadow.played(self.tables, node).T[:, held] * holes_without(spot.board)
        return np.where(np.isnan(shares), rest, shares)

    @property
    def _trials(self) -> int:
        """How many alphas may have to be tried in the time."""
        return TRIALS if self.gadget == "ses" and self.alpha is None else 1

    def _fitting(
        self, spot: Spot, extra: Extra, trees: int = FEWER, least: int = LEAST
    ) -> Fitting | None:
        """The betting with as many sizes as fit into the time, and what an iteration costs."""
        for fewer in range(trees):
            betting, seats = rest_of(self.table, self.own, spot.state, extra, fewer)
            hands = float(np.mean([each.sum() for each in self._likely(spot, seats)]))
            try:
                sizes = count(betting, most=MOST_NODES)
            except TreeTooLargeError:
                continue
            boards, cost, left = 1, 0.0, CARDS - len(spot.board)
            for street in sizes:
                cost += boards * street.nodes * hands
                boards, left = boards * left, left - 1
            if (least * self._trials + AROUND) * cost * self._pace <= ALMOST * self.seconds:
                return betting, seats, cost
        return None

    def _told(
        self, spot: Spot, seats: tuple[int, ...], came: Sequence[Floats], began: float,
        **found: Unpack[Outcome],
    ) -> Certificate:  # fmt: skip
        shares = [each / max(float(each.max()), 1e-300) for each in came]
        return Certificate(
            street=STREETS[spot.state.street], board=board_name(spot.board),
            line=", ".join(spot.words), player=spot.player,
            ranges=tuple(str(Range(each.round(2))) for each in shares), **found,
            cpu_seconds=time.thread_time() - began,
        )  # fmt: skip


def _most_of(weights: Floats, left_out: float) -> Bools:
    """The likeliest hands, which make up all of a range but for a part."""
    order = np.argsort(-weights, kind="stable")
    sums = np.cumsum(weights[order])
    found = np.zeros(len(weights), bool)
    found[order[: int(np.searchsorted(sums, (1 - left_out) * sums[-1])) + 1]] = True
    return found & (weights > 0)
