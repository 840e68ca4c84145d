"""Searches from the beginning of a street on, within so many seconds: what all hands do there."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.arrays import Floats
from counterfold.errors import TreeTooLargeError
from counterfold.play.rest import FEWER, Extra, game_of, lifted, rest_of, shadow_of
from counterfold.poker.betting import count
from counterfold.poker.cards import CARDS, HOLES, board_name
from counterfold.poker.game import DECISION, BettingTree
from counterfold.poker.money import Betting, State
from counterfold.poker.ranges import Range
from counterfold.poker.table import STREETS, Holdem
from counterfold.searchers.gadget import gadget
from counterfold.searchers.public import LOOKS, PublicSearch
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree

GADGETS = ("unsafe", "resolving", "maxmargin", "ses", "ox")
"""What may stand at the root of a search here."""
MOST = 1_000_000
"""Iterations of a search, if nobody says how many."""
LEAST = 6
"""Iterations that a search must have time for, or fewer sizes are tried."""
AROUND = 12
"""Iterations that take as long as all that is done before and after them."""
PACE = 4e-9
"""Seconds of an iteration for each hand at each node on each board, before one was measured."""
GAP = 1e-3
"""Of the pot: a search that is so near to its best ends."""
MOST_NODES = 20_000
"""Of the betting that is left."""
RARE = 1e-4
"""Of the likeliest hand of the player who searches: no hand is taken to be rarer, so that what
each of them would do is learned."""


@dataclass(frozen=True)
class Certificate:
    """What is known of a search: where it was, what it believed, and how far it got."""

    street: str
    board: str
    line: str  # of the street, up to the decision for which it was made
    player: int
    kind: str  # "public": every hand its own, to the end; "sampled": over buckets
    gadget: str
    alpha: float | None
    iterations: int
    gap: float | None  # chips, from the best in the subgame; None where it is not measured
    pot: float
    nodes: int  # of the betting
    cpu_seconds: float
    ranges: tuple[str, ...]  # that it believed, of the players still in the hand

    def to_json(self) -> dict[str, Any]:
        """It as plain data."""
        return asdict(self)


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

    def factor(self, player: int, words: Sequence[str]) -> Floats:
        """[holes] how often each hand of a player of the table does what was done."""
        found = np.ones(HOLES)
        for k, word in enumerate(words):
            node = self.find(words[:k])
            if node is None or node not in self.played:
                break
            if self.seats[int(self.betting.player[node])] == player:
                found *= self.played[node][self.betting.actions(node).index(word)]
        return found


class Spot(NamedTuple):
    """Where a search begins: a street, with how all hands came there."""

    state: State  # at the beginning of the street
    board: tuple[int, ...]
    node: int  # of the blueprint's betting; -1 where nothing there is like it
    ranges: Floats  # [players, holes]
    words: tuple[str, ...]  # said on the street so far
    player: int  # who searches


class StreetSearch:
    """Searches by a blueprint at a table, each within so many seconds of CPU."""

    def __init__(
        self, tables: BucketTables, own: Holdem, table: Holdem, *, gadget: str, alpha: float,
        seconds: float, iterations: int | None = None,
    ) -> None:  # fmt: skip
        self.tables, self.own, self.table = tables, own, table
        self.gadget, self.alpha, self.seconds = gadget, alpha, seconds
        self.iterations = iterations
        self._pace = PACE

    def warm_up(self) -> None:
        """Compile now what the first search needs, which must not be late."""
        board, before = (0, 5, 10, 15, 20), self.table.blinds[1]
        paid = (before,) * self.table.players
        folded = (1 << self.table.players) - 4
        state = State(DECISION, 3, 0, paid, (0.0,) * len(paid), folded=folded)
        every = np.ones((self.table.players, HOLES))
        seconds, self.seconds = self.seconds, math.inf
        self._public(Spot(state, board, -1, every, (), 0), {})
        self.seconds, self._pace = seconds, PACE

    def plan(self, spot: Spot, extra: Extra) -> Plan | None:
        """Search; None where it does not fit into the time."""
        inside = self.table.players - bin(spot.state.folded).count("1")
        if inside == 2 and spot.state.street >= 2:
            return self._public(spot, extra)
        return None

    # Two players, every hand its own, to the end of the hand.

    def _public(self, spot: Spot, extra: Extra) -> Plan | None:
        began = time.thread_time()
        fitting = self._fitting(spot, extra)
        if fitting is None:
            return None
        betting, seats, cost = fitting
        rules = self.tables.form.game.rules
        game = game_of(self.table, rules, betting, seats, spot.board)
        tree = PublicTree(game, symmetry=False)
        shadow = shadow_of(game.betting, self.tables.form.game.betting, spot.node, seats)
        blueprint = Strategy.of(tree, lifted(shadow, self.tables, tree))
        me = seats.index(spot.player)
        came = [spot.ranges[p] * (game.ranges[0] > 0) for p in seats]
        for p, each in enumerate(came):
            if p == me:
                came[p] = np.maximum(each, RARE * each.max()) * (game.ranges[p] > 0)
            if not came[p].sum() > 0:
                came[p] = game.ranges[p]
        search = PublicSearch(blueprint, me, came=(came[0], came[1]))
        entry = search.entry(0)
        settings = {"alpha": self.alpha} if self.gadget == "ses" else {}
        parts = gadget(self.gadget, entry, **settings)
        left = self.seconds - (time.thread_time() - began)
        limit = MOST if self.iterations is None else self.iterations
        found = search.refine(entry, parts, limit, gap=GAP * sum(betting.paid), seconds=left)
        spent = found.cpu_seconds / (found.iterations + LOOKS)
        self._pace = (self._pace + spent / cost) / 2
        assert found.reply is not None
        tables = [found.weights, found.reply][:: 1 if me == 0 else -1]
        both = Strategy.of(tree, tuple(tables)).hands
        played = {node: np.nan_to_num(both.at(node)) for node in both.decisions()}
        told = self._told(
            spot, seats, came, kind="public", gadget=self.gadget, iterations=found.iterations,
            alpha=self.alpha if self.gadget == "ses" else None, gap=float(found.gap[0]),
            pot=sum(betting.paid), nodes=len(game.betting),
            cpu_seconds=time.thread_time() - began,
        )  # fmt: skip
        return Plan(game.betting, seats, played, told)

    def _fitting(self, spot: Spot, extra: Extra) -> tuple[Betting, tuple[int, ...], float] | None:
        """The betting with as many sizes as fit into the time, and what an iteration costs."""
        for fewer in range(FEWER):
            betting, seats = rest_of(self.table, self.own, spot.state, extra, fewer)
            try:
                sizes = count(betting, most=MOST_NODES)
            except TreeTooLargeError:
                continue
            boards, cost, left = 1, 0.0, CARDS - len(spot.board)
            for street in sizes:
                cost += boards * street.nodes * HOLES
                boards, left = boards * left, left - 1
            if (LEAST + AROUND) * cost * self._pace <= self.seconds:
                return betting, seats, cost
        return None

    def _told(
        self, spot: Spot, seats: tuple[int, ...], came: Sequence[Floats], **found: Any
    ) -> Certificate:
        shares = [each / max(float(each.max()), 1e-300) for each in came]
        return Certificate(
            street=STREETS[spot.state.street], board=board_name(spot.board),
            line=", ".join(spot.words), player=spot.player,
            ranges=tuple(str(Range(each.round(2))) for each in shares), **found,
        )  # fmt: skip
