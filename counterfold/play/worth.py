"""What the actions of a hand are worth against a blueprint, over boards that are drawn.

Own cards are known and the other's are not: on each board all hands of its range are played out at
once, both players by the blueprint, and only the cards to come are left to luck. Among three and
more the others' hands are drawn as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.arrays import Floats, Ints
from counterfold.play.table_insight import Deals, TableInsight
from counterfold.poker.cards import CARDS, HIGH, HOLES, LOW, holes_without
from counterfold.poker.game import DEAL, DECISION, FOLD
from counterfold.poker.showdown import strengths

BOARDS = 64
DEALS = 200_000
"""Among three and more, where hands are drawn with the boards."""


class Worth(NamedTuple):
    """Chips that each action of a blueprint's decision wins from here on, on average."""

    value: Floats  # [actions]
    error: Floats  # [actions] the standard error of what an action is worth less than the best


def worth_of(
    tables: BucketTables,
    node: int,
    hole: int,
    board: tuple[int, ...],
    against: Floats,
    random: np.random.Generator,
    boards: int = BOARDS,
) -> Worth:
    """Of the one who decides at a node and holds a hand, against a range [holes]."""
    betting, ends = tables.form.game.betting, sum(tables.form.game.rules.deal)
    me, held = int(betting.player[node]), (int(HIGH[hole]), int(LOW[hole]))
    left = np.array([card for card in range(CARDS) if card not in (*board, *held)])
    more = np.stack([random.permutation(left)[: ends - len(board)] for _ in range(boards)])
    whole = np.hstack([np.tile(np.array(board, np.int64), (boards, 1)), more]).astype(np.uint8)
    range_ = np.asarray(against) * holes_without(held)
    met = np.stack([range_ * holes_without(cards) for cards in whole.tolist()])
    strong = strengths(whole).astype(np.int64)
    ahead = (strong < strong[:, hole, None]).astype(np.float64)
    even = (strong == strong[:, hole, None]).astype(np.float64)
    buckets = [
        np.stack([one.on(cards[: one.cards]) for cards in whole.tolist()]).astype(np.int64)
        for one in tables.buckets
    ]

    def earned(at: int, reach: Floats) -> Floats:
        """[boards] what is won below a node."""
        kind = betting.kind[at]
        if kind == DEAL:
            return earned(int(betting.first[at]), reach)
        payoff = betting.payoff[at, me]
        if kind == FOLD:
            return np.asarray(payoff[0] * reach.sum(1))
        if kind != DECISION:
            won, tied = (reach * ahead).sum(1), (reach * even).sum(1)
            lost = reach.sum(1) - won - tied
            return np.asarray(payoff[0] * won + payoff[1] * tied + payoff[2] * lost)
        rows, bucket = tables.rows(at), buckets[int(betting.street[at])]
        mine = betting.player[at] == me
        total = np.zeros(len(reach))
        for k, child in enumerate(betting.children(at)):
            share = rows[:, k]
            if mine:
                own = share[bucket[:, hole]]
                if own.any():
                    total += own * earned(child, reach)
            else:
                total += earned(child, reach * share[bucket])
        return total

    mass = met.sum(1)
    won = np.stack([earned(child, met) for child in betting.children(node)])
    value: Floats = won.sum(1) / max(float(mass.sum()), 1e-300)
    below = won - won[int(value.argmax())]
    off = below - (below.sum(1) / max(float(mass.sum()), 1e-300))[:, None] * mass
    error = off.std(1) * np.sqrt(len(mass)) / max(float(mass.sum()), 1e-300)
    return Worth(value + float(betting.paid[node, me]), error)


def worth_among(
    insight: TableInsight,
    node: int,
    hole: int,
    board: tuple[int, ...],
    ranges: Floats,
    random: np.random.Generator,
) -> Worth:
    """Of the one who decides at a node and holds a hand, among others with [players, holes]."""
    me = int(insight.tree.player[node])
    holes, rest = _drawn(me, hole, board, ranges, sum(insight.poker.rules.deal), random)
    cards = np.stack([HIGH[holes], LOW[holes]], -1).astype(np.int64)
    boards = np.hstack([np.tile(np.array(board, np.int64), (len(rest), 1)), rest])
    deals = Deals(cards, boards, np.full(len(rest), 1 / len(rest)))
    won = insight.played_out(node, deals, int(random.integers(2**63)))
    value: Floats = won.mean(0)
    below = won - won[:, [int(value.argmax())]]
    error = below.std(0) / np.sqrt(len(won))
    return Worth(value + float(insight.tree.paid[node, me]), error)


def _drawn(
    me: int,
    hole: int,
    board: tuple[int, ...],
    ranges: Floats,
    ends: int,
    random: np.random.Generator,
) -> tuple[Ints, Ints]:
    """[deals, players] hands that can be held together, as likely as their weights say, and
    [deals, cards] those that come to the board."""
    free = holes_without((*board, int(HIGH[hole]), int(LOW[hole])))
    weights = np.where((ranges * free).sum(1, keepdims=True) > 0, ranges * free, free * 1.0)
    left = np.array([c for c in range(CARDS) if c not in (*board, HIGH[hole], LOW[hole])])
    found, count = np.zeros((0, len(weights) + ends - len(board)), np.int64), 2 * DEALS
    while len(found) < DEALS:
        holes = np.full((count, len(weights)), hole)
        for p, row in enumerate(weights):
            if p != me:
                holes[:, p] = random.choice(HOLES, count, p=row / row.sum())
        more = random.choice(left, (count, ends - len(board)))
        cards = np.sort(np.hstack([HIGH[holes], LOW[holes], more]).astype(np.int64), 1)
        apart = (np.diff(cards, axis=1) > 0).all(1)
        found = np.vstack([found, np.hstack([holes, more])[apart]])
    return found[:DEALS, : len(weights)], found[:DEALS, len(weights) :]
