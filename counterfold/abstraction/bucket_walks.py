"""Threads that sample poker over buckets: with one deal at a time, or with one board."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.compiled import edges_of, pair_mass
from counterfold.arrays import Ints
from counterfold.errors import UnsupportedError

if TYPE_CHECKING:
    from counterfold.abstraction.bucket_engine import BucketEngine
    from counterfold.abstraction.bucket_form import BucketForm
    from counterfold.kernels.poker_deals import Room
    from counterfold.kernels.poker_ends import Boards, Told
    from counterfold.kernels.poker_lines import Lines, Rule

BOARDS = 64  # that are sorted out at a time


def room_for(form: BucketForm, lines: Lines, random: NDArray[np.uint64]) -> Room:
    """Room for the walks of one thread."""
    from counterfold.kernels.poker_deals import Room
    from counterfold.kernels.poker_lines import OWNERS, most_visits
    from counterfold.kernels.poker_sampling import DEALS

    room = np.zeros(len(form.game.betting), np.int64)
    most = max(most_visits(lines, player, room) for player in range(form.players))
    width, deals = int(form.actions.max()), DEALS
    board = np.zeros((deals, 5), np.uint8)
    board[:, : len(form.game.board)] = form.game.board
    return Room(
        visit=np.zeros(8 * (most + 1), np.uint32),
        value=np.zeros((most + 1) * width, np.float32),
        width=width,
        board=board,
        hand=np.zeros((deals, form.players), np.uint32),
        word=np.zeros((deals, 4), np.uint32),
        start=np.zeros(deals * OWNERS, np.uint32),
        outcome=np.zeros(deals, np.uint32),
        random=random,
    )


class External:
    """A thread that walks with one deal at a time."""

    def __init__(self, engine: BucketEngine, number: int) -> None:
        from counterfold.kernels import poker_sampling as kernels

        self._engine, self._kernels = engine, kernels
        self.room = room_for(engine.form, engine.lines, engine.random[number])

    def work(self, rule: Rule, iterations: int) -> int:
        it = self._engine
        return int(
            self._kernels.external(
                it.lines, it.cards, rule, it.table, it.style, it.model, self.room, iterations,
                len(it.form.buckets),
            )
        )  # fmt: skip


class Public:
    """A thread that walks with one board at a time."""

    def __init__(self, engine: BucketEngine, number: int) -> None:
        from counterfold.kernels import poker_boards as kernels
        from counterfold.kernels.poker_ends import Field

        if engine.form.players != 2:
            raise UnsupportedError(
                "public chance sampling is for two players; leave out --traversal, or make it "
                "external"
            )
        self._engine, self._kernels = engine, kernels
        self._random = engine.random[number, :1]
        form, game = engine.form, engine.form.game
        tree = game.betting
        deep = [0] * len(tree)
        parent = tree.parent.tolist()
        for node in range(1, len(tree)):
            deep[node] = deep[parent[node]] + 1
        depth, width = max(deep) + 1, int(form.actions.max())
        self._live = np.flatnonzero((game.ranges[0] > 0) | (game.ranges[1] > 0))
        hands, buckets = len(self._live), max(one.count for one in engine.form.buckets)

        def rows(count: int) -> NDArray[np.float32]:
            return np.zeros((count, hands), np.float32)

        field = Field(
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
        self._room = field, edges_of(form, depth, hands)
        deck, more = len(game.rules.deck) - len(game.board), sum(game.rules.deal)
        held = 2 * game.rules.hole
        self._met = math.comb(deck - held, more) / math.comb(deck, more)  # pairs a board leaves
        self._scale = np.array([1 / (pair_mass(game) * self._met)], np.float32)
        self._ranges = np.stack(game.ranges).astype(np.float32)

    def _boards(self, count: int) -> Boards:
        """Random boards, and the hands that they leave from the weakest to the strongest."""
        from counterfold.kernels.poker_ends import Boards

        game = self._engine.form.game
        deck = np.array(sorted(set(game.rules.deck) - set(game.board)), np.uint8)
        more = sum(game.rules.deal)
        picks = self._picks(count, len(deck), more)
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
        return Boards(
            cards,
            (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32),
            (keys >> np.uint64(32)).astype(np.uint32),
            (~gone).sum(axis=1),
            self._ranges,
            self._scale,
        )

    def _picks(self, count: int, size: int, more: int) -> Ints:
        """So many cards to come on each board, by their places in the deck."""
        return self._shuffle(count, size)[:, :more]

    def _shuffle(self, count: int, size: int) -> Ints:
        """Orders of a deck, from the stream of ``kernels.history``: however many at a time."""
        steps = np.arange(1, count * size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        bits = steps + self._random
        self._random[:] = bits[-1:] if count else self._random
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
        bits ^= bits >> np.uint64(31)
        return bits.reshape(count, size).argsort(axis=1)

    def work(self, rule: Rule, iterations: int) -> int:
        it = self._engine
        for done in range(0, max(iterations, 1), BOARDS):
            boards = self._boards(min(BOARDS, iterations - done))
            self._kernels.public(
                it.lines,
                it.cards,
                rule,
                it.table,
                it.style,
                boards,
                self._room,
                len(it.form.buckets),
            )
        return 2 * iterations * len(it.form.nodes)

    def worths(self, told: Told, count: int) -> None:
        """Add to ``Told`` what hands of a player win on some boards, both playing by what
        is regretted; nothing is learned."""
        from counterfold.kernels.rule import COLUMNS

        rule = self._engine.rule(np.zeros(COLUMNS), 1)
        rule = rule._replace(gain=np.float32(0), share=np.float32(0))
        self._tell(told, rule, self._boards(count))

    def _tell(self, told: Told, rule: Rule, boards: Boards) -> None:
        """Walks of one player, with what its hands win."""
        it = self._engine
        self._kernels.worths(
            it.lines, it.cards, rule, it.table, boards, self._room, len(it.form.buckets),
            told,
        )  # fmt: skip
