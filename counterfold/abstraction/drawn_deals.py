"""Deals of hole cards to all seats of a table, drawn once, and the betting walked in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Floats, Ints
from counterfold.poker.cards import CARDS, HIGH, HOLES, LOW, card_sets
from counterfold.poker.equities import BOARDS, OnBoards, preflop_wins
from counterfold.poker.game import DECISION, FOLD, SHOWDOWN, BettingTree, PokerGame
from counterfold.poker.icm import icm
from counterfold.poker.isomorphism import hole_classes

if TYPE_CHECKING:
    from counterfold.kernels.drawn import Deals, Ends, Lines, Room

Seed = int | Sequence[int]
BLOCK = 1326
"""Deals in which every seat holds every hole once."""
GROUP = 26
"""Neighbours that have the same holes, one seat further each."""
MOST_BYTES = 200_000_000
"""Of what is kept of all deals."""
USUAL_BLOCKS = 40
MOST_NODES = 100_000_000
"""Of the betting in all deals: what a walk for a player meets at most."""
DEAL_BYTES = 169 * (2 + 4 + 4)
PIECE = 10
"""Showdowns, or groups of deals, between which a signal is heard."""


def usual_deals(game: PokerGame) -> int:
    """How many deals a game gets that nobody says more of."""
    fit = min(MOST_BYTES // DEAL_BYTES, MOST_NODES // len(game.betting))
    return max(1, min(USUAL_BLOCKS, fit // BLOCK)) * BLOCK


def draw_deals(players: int, deals: int, seed: Seed, on_boards: OnBoards | None = None) -> Deals:
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
    known = tables()
    for begin in range(0, deals, PIECE * GROUP):  # a signal is heard between them
        drawn.draw(made, deck, known, begin, min(begin + PIECE * GROUP, deals))
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


def room_for(lines: Lines) -> Room:
    """Room for the walks of a thread."""
    from counterfold.kernels import drawn

    (nodes, players), classes = lines.same.shape, len(hole_classes().hole)
    return drawn.Room(
        reach=np.zeros(nodes), flat=np.zeros(nodes), pair=np.zeros((nodes, players, 2)),
        zones=np.zeros((nodes, 2 * players)), mark=np.zeros(nodes, np.uint32),
        marked=np.zeros(nodes + 1, np.uint32), worth=np.zeros(classes),
        rank=np.zeros(players, np.int64), level=np.zeros(players, np.uint32),
        at=np.zeros(players, np.uint32), zone=np.zeros(classes, np.uint8),
        known=np.zeros(players + 2, np.int64), win=np.zeros((players, classes), np.float32),
        tie=np.zeros((players, classes), np.float32),
    )  # fmt: skip


class Showdowns(NamedTuple):
    """The showdowns of a tree of betting; those that are worth the same in all cases are one."""

    nodes: Ints  # [showdowns] a node of each
    of: NDArray[np.uint32]  # [nodes of the betting] which one it is; 0 elsewhere

    @classmethod
    def among(cls, betting: BettingTree) -> Showdowns:
        known: dict[tuple[bytes, ...], int] = {}
        nodes, of = list[int](), np.zeros(len(betting), np.uint32)
        for node in np.flatnonzero(betting.kind == SHOWDOWN).tolist():
            pots = slice(int(betting.pot[node]), int(betting.pot[node + 1]))
            parts = betting.payoff[node, :, 2], betting.chips[pots], betting.rivals[pots]
            of[node] = known.setdefault(tuple(part.tobytes() for part in parts), len(nodes))
            if of[node] == len(nodes):
                nodes.append(node)
        return cls(np.array(nodes, np.int64), of)

    def members(self, betting: BettingTree) -> list[list[int]]:
        """Who is left in each; rivals of smaller pots come first."""
        found = []
        for node in self.nodes.tolist():
            pots = betting.rivals[betting.pot[node] : betting.pot[node + 1]].tolist()
            seats = [p for p in range(betting.players) if pots[0] >> p & 1]
            found.append(sorted(seats, key=lambda p: -sum(each >> p & 1 for each in pots)))
        return found


def outcomes_of(betting: BettingTree) -> int:
    """How many outcomes the showdowns of a tree have, all together."""
    return sum(3 ** (len(each) - 1) for each in Showdowns.among(betting).members(betting))


def ends_of(game: PokerGame) -> tuple[Ends, NDArray[np.uint32]]:
    """What each outcome of each showdown is worth, and which one is at each node."""
    from counterfold.kernels import drawn

    betting, players = game.betting, game.betting.players
    shown = Showdowns.among(betting)
    members, pots = shown.members(betting), betting.pot.astype(np.int64)
    which = [np.arange(pots[node], pots[node + 1]) for node in shown.nodes]
    each = np.concatenate([*which, np.zeros(0, np.int64)])
    case = _from_zero([3 ** (len(seats) - 1) for seats in members])
    before: tuple[float, ...] = tuple(game.about["stacks"]) if game.prizes else ()
    ends = drawn.Ends(
        first=_from_zero([len(seats) for seats in members]),
        member=np.array([p for seats in members for p in seats], np.uint32),
        pot=_from_zero([len(some) for some in which]), chips=betting.chips[each].astype(np.float64),
        rivals=betting.rivals[each].astype(np.uint32),
        base=betting.payoff[shown.nodes, :, 2].astype(np.float64), case=case,
        worth=np.zeros((players, int(case[-1]))), before=np.array(before, np.float64),
        prizes=np.array(game.prizes, np.float64),
        shares=np.array(icm(before, game.prizes), np.float64),
    )  # fmt: skip
    after, left, out = np.zeros(players), np.zeros(players, np.int64), np.zeros(1 << players)
    for begin in range(0, len(members), PIECE):  # a signal is heard between them
        stop = min(begin + PIECE, len(members))
        drawn.tabulate(ends, after, left, out, begin, stop)
    return ends, shown.of


def _from_zero(counts: Sequence[int]) -> NDArray[np.uint32]:
    """Where parts of these sizes begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)


def lines_of(game: PokerGame, move: NDArray[np.uint32]) -> Lines:
    """The betting for the kernel; ``move`` is the first sequence of the move to each node."""
    from counterfold.kernels import drawn

    betting, players, (ends, end) = game.betting, game.betting.players, ends_of(game)
    order, stop = _preorder(betting)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    above = place[np.maximum(betting.parent[order], 0)].astype(np.uint32)
    owner = betting.player[np.maximum(betting.parent[order], 0)].astype(np.uint32)
    last = np.zeros((len(order), players), np.uint32)
    for at in range(1, len(order)):
        last[at] = last[above[at]]
        last[at, owner[at]] = at
    inside = ~betting.folded[order] & np.uint16((1 << players) - 1)
    left = sum(inside >> p & 1 for p in range(players))
    shown = np.where(left == 2, drawn.PAIR, drawn.CROWD)
    ended = np.where(betting.kind[order] == FOLD, drawn.FIXED, shown)
    kind = np.where(betting.kind[order] == DECISION, drawn.DECISION, ended)
    return drawn.Lines(
        kind=kind.astype(np.uint32), owner=owner, parent=above, skip=stop.astype(np.uint32),
        move=move[order], last=last, same=_same(game)[order], inside=inside.astype(np.uint32),
        end=end[order], ends=ends,
    )  # fmt: skip


def _same(game: PokerGame) -> Floats:
    """[nodes, players] what a player earns in all of a subtree in which nothing it does matters."""
    betting = game.betting
    same = np.full((len(betting), betting.players), np.nan)
    for node in range(len(betting) - 1, 0, -1):  # children come after their parents
        lost = betting.payoff[node, :, 2]
        if betting.kind[node] == FOLD:
            same[node] = game.worth(lost.tolist())
        elif betting.kind[node] != DECISION:
            out = betting.folded[node] >> np.arange(betting.players) & 1 > 0
            if not game.prizes:  # of places, others win and lose as well
                same[node, out] = lost[out]
        else:
            below = same[betting.first[node] : betting.first[node] + betting.count[node]]
            alike = (below == below[0]).all(0)
            alike[betting.player[node]] = False
            same[node, alike] = below[0, alike]
    return same


def _preorder(betting: BettingTree) -> tuple[Ints, Ints]:
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
