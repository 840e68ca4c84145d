"""What strategies over buckets win from each other at a table, on boards that are drawn.

All strategies hold all holes of a board in all seats, and no action is drawn, so that little is
left to luck but the boards (``kernels/poker_matrix.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_statistics import betting_arrays, deepest
from counterfold.abstraction.compiled import cards_of
from counterfold.abstraction.edge_betting import EdgeForm
from counterfold.arrays import Floats
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.games.spec import whole
from counterfold.poker.game import DEAL
from counterfold.strategy.strategy import Strategy

if TYPE_CHECKING:
    from counterfold.kernels.poker_matrix import Field, Tables

PIECE = 250
"""Boards between two looks, which have a stream of random numbers of their own."""
LEAST = 0.1
"""Lines that put less of the big blinds of all hands at stake are left out at times."""
LANES = 8  # holes are a multiple of it


class Matrix(NamedTuple):
    """What rows win in one seat from columns in all others, the mean of seats, in chips a hand."""

    wins: Floats  # [strategies, strategies]
    error: Floats  # their standard errors


def winnings(
    strategies: Sequence[Strategy[BucketForm]],
    boards: int,
    seed: int = 0,
    threads: int = 1,
    look: Callable[[int], None] | None = None,
) -> Matrix:
    """Let strategies of one form, whole or with a depth limit, play each other on drawn boards.

    ``look`` is told how many boards are done, and may end it by raising.

    >>> from counterfold.abstraction.buckets import every_hand
    >>> from counterfold.poker.holdem import kuhn
    >>> form = BucketForm(kuhn(players=3), every_hand(kuhn(players=3)))
    >>> even, other = Strategy.uniform(form), Strategy.random(form, 1)
    >>> winnings([even, other], 20).wins.diagonal().tolist()
    [0.0, 0.0]
    """
    from counterfold.kernels.poker_matrix import matrix

    whole("boards", boards, least=2)
    first, *others = strategies
    for other in others:
        if other.fingerprint != first.fingerprint:
            raise MismatchError(f"a strategy of {other.spec} cannot play one of {first.spec}")
    form, size = first.tree, len(strategies)
    played = form.whole if isinstance(form, EdgeForm) else form
    tree, tables = betting_arrays(played), _tables(form, strategies)
    cards, streets = cards_of(played.game, played.buckets), len(played.buckets)
    mass, won = np.zeros(boards), np.zeros((boards, size, size))

    def play(begin: int) -> int:
        field = _field(played, size, int(tables.count), [seed, begin])
        end = min(begin + PIECE, boards)
        matrix(tree, tables, cards, field, streets, mass[begin:end], won[begin:end])
        return end

    with ThreadPoolExecutor(threads) as pool:
        for done in pool.map(play, range(0, boards, PIECE)):
            if look:
                look(done)
    won /= len(played.game.players)
    wins = won.sum(0) / mass.sum()
    off = (won - wins * mass[:, None, None]) / mass.mean()
    error: Floats = off.std(0, ddof=1) / boards**0.5
    return Matrix(wins, error)


def _tables(form: BucketForm, strategies: Sequence[Strategy[BucketForm]]) -> Tables:
    """Before a depth limit the strategies' own numbers, behind it those of the continuations."""
    from counterfold.kernels.poker_matrix import SEATS, Tables

    given = [strategy.tables[0] for strategy in strategies]
    if not isinstance(form, EdgeForm):
        return Tables(
            np.stack(given), np.zeros(0, np.float32), form.start.astype(np.uint64),
            np.zeros((0, SEATS), np.int64), np.uint8(255), np.uint64(1),
        )  # fmt: skip
    below, cut = form.whole, form.game.betting
    own = below.game.betting.street == 0  # nodes with the same numbers in the cut betting
    count = int(form.taken.max()) + 1
    held = np.zeros(below.size * count, np.float32)
    for node in form.nodes[form.taken[form.nodes] >= 0].tolist():
        at, width = int(below.start[form.origin[node]]), int(form.actions[node])
        rows = given[0][form.start[node] :][: int(form.counts[node]) * width]
        place = held[at * count :][: rows.size * count].reshape(-1, count, width)
        place[:, form.taken[node]] = rows.reshape(-1, width)
    size = int((form.counts * form.actions)[form.nodes[cut.street[form.nodes] == 0]].sum())
    start = np.where(own, form.start[: len(own)], below.start)
    choice = np.full((len(own), SEATS), -1, np.int64)
    for deal in np.flatnonzero((below.game.betting.kind == DEAL) & own).tolist():
        for player in range(form.players):
            node = form.choice(deal, player)
            choice[deal, player] = -1 if node < 0 else form.start[node]
    return Tables(
        np.stack([table[:size] for table in given]), held, start.astype(np.uint64), choice,
        np.uint8(1), np.uint64(count),
    )  # fmt: skip


def _field(form: BucketForm, strategies: int, count: int, seed: Sequence[int]) -> Field:
    """Room for a thread's walks, with its stream."""
    from counterfold.kernels.poker_matrix import SEATS, Field

    game, tree = form.game, form.game.betting
    players, rules = len(game.players), game.rules
    if players > SEATS:
        raise UnsupportedError(f"{game.name} has {players} players, and a matrix is for 2 or 3")
    deck = np.array(sorted(set(rules.deck) - set(game.board)), np.uint8)
    holes = (len(deck) - sum(rules.deal)) // rules.hole
    if holes < players:
        raise ParameterError(f"{game.name} has too few cards for all hands beside the board")
    wide, deep = -(-holes // LANES) * LANES, deepest(tree.parent) + 3
    board = np.zeros((1, 5), np.uint8)
    board[0, : len(game.board)] = game.board
    ranges = np.zeros((SEATS, rules.holes), np.float32)
    ranges[:players] = game.ranges
    big_blind = game.big_blind or 1.0
    unit = big_blind * float(np.prod([holes * one.max() for one in ranges[:players]]))

    def room(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, np.float32)

    return Field(
        deck=deck, board=board, hand=np.zeros(wide, np.uint32),
        bucket=np.zeros((4, wide), np.uint64), strength=np.zeros(wide, np.uint64),
        low=np.zeros(wide, np.int64), high=np.zeros(wide, np.int64), ranges=ranges,
        reach=room(SEATS * deep, strategies, wide), total=room(SEATS * deep, strategies),
        lead=room(SEATS * deep, count, wide), chosen=room(SEATS, strategies, count, wide),
        slot=np.zeros((deep, SEATS), np.int64), weight=np.zeros(deep),
        above=np.zeros(deep, np.uint32),
        waiting=np.zeros((deep * int(tree.count.max()) + 1, 3), np.uint32),
        stake=(tree.paid.sum(1) + big_blind) / unit, sums=room(3, wide + 1), worth=room(wide),
        random=np.random.SeedSequence(seed).generate_state(1, np.uint64), holes=holes, least=LEAST,
    )  # fmt: skip
