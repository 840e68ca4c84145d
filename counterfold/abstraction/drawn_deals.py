"""Deals of hole cards to all seats of a table, drawn once, and who wins what in each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.poker.cards import CARDS
from counterfold.poker.equities import BOARDS, OnBoards, preflop_wins
from counterfold.poker.game import DECISION, FOLD, PokerGame
from counterfold.poker.isomorphism import hole_classes

MOST_BYTES = 400_000_000
"""Of what is kept of all deals."""
MOST_DEALS = 400_000
MOST_NODES = 60_000_000
"""Of the betting in all deals: what a walk for a player meets at most."""
MOST_BOARDS = 8
Pots = tuple[int, ...]
"""Who can win each pot that several can win, a bit for each player."""


class Ends(NamedTuple):
    """Where hands end, node by node of a betting tree that is checked down."""

    inside: list[list[int]]  # who is left
    pots: list[Pots]
    crowds: list[Pots]  # the patterns of pots of three and more, each once


def ends_of(game: PokerGame) -> Ends:
    """The ends of a table's betting."""
    betting, everybody = game.betting, range(game.betting.players)
    inside, pots = [], []
    for node in range(len(betting)):
        inside.append([p for p in everybody if not betting.folded[node] >> p & 1])
        pots.append(tuple(betting.rivals[betting.pot[node] : betting.pot[node + 1]].tolist()))
    ends = [n for n in range(len(betting)) if betting.kind[n] not in (DECISION, FOLD)]
    crowds = list(dict.fromkeys(pots[n] for n in ends if len(inside[n]) > 2))
    return Ends(inside, pots, crowds)


def deal_bytes(players: int, ends: Ends, boards: int) -> int:
    """What is kept of a deal."""
    return players + 4 * players * (players - 1) + 2 * boards * len(ends.crowds)


def usual_deals(game: PokerGame, ends: Ends) -> tuple[int, int]:
    """How many deals, and boards for each, a game gets that nobody says more of."""
    players = game.betting.players
    boards = max(1, min(MOST_BOARDS, 16 // max(1, len(ends.crowds))))
    fit = MOST_BYTES // deal_bytes(players, ends, boards), MOST_NODES // len(game.betting)
    return max(1000, min(MOST_DEALS, min(fit) // 1000 * 1000)), boards


class Drawn:
    """Deals as the kernel takes them, and what outcomes of each pattern of pots they have.

    Every set of hands goes once around the table, so that no seat is dealt better ones.
    """

    def __init__(
        self, ends: Ends, players: int, deals: int, boards: int, seed: int,
        on_boards: OnBoards | None = None,
    ) -> None:  # fmt: skip
        from counterfold.kernels import drawn

        self.ends, self.seed = ends, seed
        holes, ranks = dealt(players, deals, boards if ends.crowds else 0, seed)
        wins, pairs = preflop_wins(on_boards), list(combinations(range(players), 2))
        deals = len(holes)
        win, lose = (np.empty((deals, len(pairs)), np.float32) for _ in range(2))
        for k, (p, q) in enumerate(pairs):
            win[:, k] = wins[holes[:, p], holes[:, q]] / BOARDS
            lose[:, k] = wins[holes[:, q], holes[:, p]] / BOARDS
        tie = np.maximum(1 - win - lose, 0, dtype=np.float32)
        outcome = np.zeros((len(ends.crowds), deals, boards), np.uint16)
        self.outcomes: list[list[tuple[int, ...]]] = []
        for k, pots in enumerate(ends.crowds):
            won = np.stack([_winners(ranks, pot) for pot in pots], -1).reshape(-1, len(pots))
            code = np.zeros(len(won), np.int64)
            for column in won.T:
                code = code << players | column
            _, first, which = np.unique(code, return_index=True, return_inverse=True)
            self.outcomes.append([tuple(row) for row in won[first].tolist()])
            outcome[k] = which.reshape(deals, boards)
        hands = hole_classes().of[holes].astype(np.uint8)
        self.arrays = drawn.Deals(hands, win, tie, outcome)


def dealt(
    players: int, deals: int, boards: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """[deals, players] holes, and [deals, boards, players] how strong they are on boards."""
    from counterfold.kernels import drawn
    from counterfold.kernels.hands import tables

    random = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    rounds = -(-deals // players)
    cards = np.empty((rounds, players, 2), np.uint8)
    ranks = np.empty((rounds, boards, players), np.uint32)
    drawn.draw(np.arange(CARDS, dtype=np.uint8), random, tables(), cards, ranks)
    high, low = cards.max(2).astype(np.int64), cards.min(2).astype(np.int64)
    return _around(high * (high - 1) // 2 + low, 1), _around(ranks, 2)


def _around(drawn: NDArray[Any], seats: int) -> NDArray[Any]:
    """What was drawn for each seat once for every rotation of them, which are neighbours."""
    turned = [np.roll(drawn, shift, seats) for shift in range(drawn.shape[seats])]
    rows = len(drawn) * len(turned)
    found: NDArray[Any] = np.stack(turned, 1).reshape(rows, *drawn.shape[1:])
    return found


def _winners(ranks: NDArray[np.uint32], pot: int) -> NDArray[np.int64]:
    """[deals, boards] who wins a pot, a bit for each player."""
    rivals = [p for p in range(ranks.shape[2]) if pot >> p & 1]
    best = ranks[:, :, rivals].max(2)
    found: NDArray[np.int64] = sum((ranks[:, :, p] == best).astype(np.int64) << p for p in rivals)
    return found


def lines_of(game: PokerGame, drawn: Drawn, move: NDArray[np.uint32]) -> Any:
    """The betting for the kernel; ``move`` is the first sequence of the move to each node."""
    from counterfold.kernels import drawn as kernels

    betting, ends, players = game.betting, drawn.ends, game.betting.players
    order, stop = _preorder(betting)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    kind, row, which = (np.zeros(len(order), np.uint32) for _ in range(3))
    last = np.full((len(order), players), kernels.NOTHING, np.uint32)
    worth: list[Sequence[float]] = []
    pairs = {pair: k for k, pair in enumerate(combinations(range(players), 2))}
    for at, node in enumerate(order):
        parent = int(betting.parent[node])
        if parent >= 0:
            last[at] = last[place[parent]]
            last[at, betting.player[parent]] = move[node]
        inside, pots = ends.inside[node], ends.pots[node]
        if betting.kind[node] == DECISION:
            continue
        row[at] = len(worth)
        if betting.kind[node] == FOLD:
            kind[at], cases = kernels.FOLD, [tuple(0 for _ in pots)]
        elif len(inside) == 2:
            one, two = inside
            kind[at], which[at] = kernels.PAIR, pairs[one, two]
            winners = (1 << one, 1 << one | 1 << two, 1 << two)
            cases = [tuple(mask for _ in pots) for mask in winners]
        else:
            kind[at], which[at] = kernels.CROWD, ends.crowds.index(pots)
            cases = drawn.outcomes[int(which[at])]
        worth += [_payoffs(game, node, case) for case in cases]
    owner = betting.player[np.maximum(betting.parent[order], 0)].astype(np.uint32)
    above = place[np.maximum(betting.parent[order], 0)].astype(np.uint32)
    return kernels.Lines(
        kind, owner, above, stop.astype(np.uint32), move[order], last, row, which,
        np.array(worth, np.float64),
    )  # fmt: skip


def _preorder(betting: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes, every subtree in one piece, and where each one's ends."""
    order: list[int] = []
    stop = np.zeros(len(betting), np.int64)

    def visit(node: int) -> None:
        at = len(order)
        order.append(node)
        for child in betting.children(node):
            visit(child)
        stop[at] = len(order)

    visit(0)
    return np.array(order), stop


def _payoffs(game: PokerGame, node: int, winners: Sequence[int]) -> tuple[float, ...]:
    """What each player gets where these win the pots, in chips or in payouts."""
    betting, players = game.betting, range(game.betting.players)
    won = betting.payoff[node, :, 2].tolist()
    first = int(betting.pot[node])
    for k, mask in enumerate(winners):
        for p in players:
            if mask >> p & 1:
                won[p] += float(betting.chips[first + k]) / mask.bit_count()
    return game.worth(won)
