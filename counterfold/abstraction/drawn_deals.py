"""Deals of hole cards to all seats of a table, drawn once, and the betting walked in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.poker.cards import CARDS, HIGH, HOLES, LOW, card_sets
from counterfold.poker.equities import BOARDS, OnBoards, preflop_wins
from counterfold.poker.game import DECISION, FOLD, PokerGame
from counterfold.poker.icm import icm
from counterfold.poker.isomorphism import hole_classes

Seed = int | Sequence[int]
BLOCK = 1326
"""Deals in which every seat holds every hole once."""
GROUP = 26
"""Neighbours that have the same holes, one seat further each."""
MOST_BYTES = 200_000_000
"""Of what is kept of all deals."""
USUAL_BLOCKS = 40
MOST_NODES = 40_000_000
"""Of the betting in all deals: what a walk for a player meets at most."""
DEAL_BYTES = 169 * (2 + 4 + 4)


def usual_deals(game: PokerGame) -> int:
    """How many deals a game gets that nobody says more of."""
    fit = min(MOST_BYTES // DEAL_BYTES, MOST_NODES // len(game.betting))
    return max(1, min(USUAL_BLOCKS, fit // BLOCK)) * BLOCK


def draw_deals(players: int, deals: int, seed: Seed, on_boards: OnBoards | None = None) -> Any:
    """Deals as the kernels take them: holes and a board in each, and a hole of every class beside.

    Every seat holds every hole as often in whole blocks of ``BLOCK`` deals.
    """
    from counterfold.kernels import drawn
    from counterfold.kernels.hands import tables

    classes, (win, tie) = hole_classes(), _beaten(on_boards)
    count = len(classes.hole)
    holes = np.full((count, int(classes.weight.max())), HOLES, np.int64)
    for c in range(count):
        mine = np.flatnonzero(classes.of == c)
        holes[c, : len(mine)] = mine
    made = drawn.Deals(
        hole=np.zeros((deals, players), np.uint16), hand=np.zeros((deals, players), np.uint8),
        rank=np.zeros((deals, players), np.uint32), own=np.zeros((deals, count), np.uint16),
        own_rank=np.zeros((deals, count), np.uint32), weight=np.zeros((deals, count), np.float32),
        win=win, tie=tie,
    )  # fmt: skip
    deck = drawn.Deck(
        of=classes.of, holes=holes, sets=card_sets(LOW) | card_sets(HIGH),
        cards=np.arange(CARDS, dtype=np.uint8), order=np.arange(GROUP),
        pairs=np.zeros((GROUP, 2), np.uint8),
        random=np.random.SeedSequence(seed).generate_state(1, np.uint64),
    )  # fmt: skip
    drawn.draw(made, deck, tables())
    return made


def _beaten(on_boards: OnBoards | None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """[holes, holes] how often the second beats the first, and how often they tie."""
    if not _MADE:
        wins = preflop_wins(on_boards)
        win = (wins.T / BOARDS).astype(np.float32)
        tie = ((BOARDS - wins.astype(np.int64) - wins.T) / BOARDS).astype(np.float32)
        _MADE.append((np.ascontiguousarray(win), tie))
    return _MADE[0]


_MADE: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []


def room_for(lines: Any) -> Any:
    """Room for the walks of a thread."""
    from counterfold.kernels import drawn

    nodes, players = lines.same.shape
    return drawn.Room(
        reach=np.zeros(nodes), flat=np.zeros(nodes), worth=np.zeros(len(hole_classes().hole)),
        rank=np.zeros(players, np.int64), level=np.zeros(players, np.uint32),
        after=np.zeros(players), out=np.zeros(1 << players),
    )  # fmt: skip


def lines_of(game: PokerGame, move: NDArray[np.uint32]) -> Any:
    """The betting for the kernel; ``move`` is the first sequence of the move to each node."""
    from counterfold.kernels import drawn

    betting, players = game.betting, game.betting.players
    order, stop = _preorder(betting)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    above = place[np.maximum(betting.parent[order], 0)].astype(np.uint32)
    owner = betting.player[np.maximum(betting.parent[order], 0)].astype(np.uint32)
    last = np.zeros((len(order), players), np.uint32)
    for at in range(1, len(order)):
        last[at] = last[above[at]]
        last[at, owner[at]] = at
    inside = [[p for p in range(players) if not mask >> p & 1] for mask in betting.folded[order]]
    ends = betting.kind[order] != DECISION
    kind = np.where(ends, drawn.CROWD, drawn.DECISION).astype(np.uint32)
    two, worth = np.zeros((len(order), 2), np.uint32), np.zeros((len(order), 3, players))
    for at in np.flatnonzero(ends).tolist():
        if betting.kind[order[at]] == FOLD:
            kind[at] = drawn.FIXED
        elif len(inside[at]) == 2:
            kind[at], two[at] = drawn.PAIR, inside[at]
            one, other = (1 << p for p in inside[at])
            worth[at] = [_payoffs(game, order[at], mask) for mask in (one, one | other, other)]
    pots = np.concatenate([betting.pot[n : n + 2] for n in order]).reshape(-1, 2).astype(np.int64)
    which = np.concatenate([np.arange(*pair) for pair in pots])
    before: tuple[float, ...] = tuple(game.about["stacks"]) if game.prizes else ()
    made = drawn.Lines(
        kind=kind, owner=owner, parent=above, skip=stop.astype(np.uint32), move=move[order],
        last=last, same=np.full((len(order), players), np.nan),
        inside=np.array([sum(1 << p for p in left) for left in inside], np.uint32), two=two,
        worth=worth, base=betting.payoff[order, :, 2].astype(np.float64),
        pot=np.concatenate([[0], np.cumsum(pots[:, 1] - pots[:, 0])]).astype(np.uint32),
        rivals=betting.rivals[which].astype(np.uint32), chips=betting.chips[which].astype(float),
        before=np.array(before, np.float64), prizes=np.array(game.prizes, np.float64),
        shares=np.array(icm(before, game.prizes), np.float64),
    )  # fmt: skip
    _find_same(game, order, made)
    return made


def _find_same(game: PokerGame, order: NDArray[np.int64], lines: Any) -> None:
    """What a player earns in all of a subtree in which it has nothing more to decide."""
    from counterfold.kernels.drawn import DECISION, FIXED

    players = lines.same.shape[1]
    for at in range(len(order) - 1, 0, -1):
        if lines.kind[at] == FIXED:
            lines.same[at] = _payoffs(game, order[at], 0)
            continue
        for p in range(players):
            if lines.kind[at] != DECISION:
                out = not lines.inside[at] >> p & 1
                lines.same[at, p] = lines.base[at, p] if out and not game.prizes else np.nan
                continue
            below = np.flatnonzero(lines.parent == at)
            if (lines.owner[below] != p).all() and len(set(lines.same[below, p].tolist())) == 1:
                lines.same[at, p] = lines.same[below[0], p]


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


def _payoffs(game: PokerGame, node: int, winners: int) -> tuple[float, ...]:
    """What each player gets where these win all pots (a fold has none), in chips or in payouts."""
    betting, players = game.betting, range(game.betting.players)
    won = betting.payoff[node, :, 2].tolist()
    for k in range(int(betting.pot[node]), int(betting.pot[node + 1])):
        for p in players:
            if winners >> p & 1:
                won[p] += float(betting.chips[k]) / winners.bit_count()
    return game.worth(won)
