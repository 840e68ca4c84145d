"""What the actions of a hand are worth against a blueprint, over boards that are drawn.

Own cards are known and the other's are not: on each board all hands of its range are played out at
once, both players by the blueprint, and only the cards to come are left to luck.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from counterfold.abstraction.bucket_layout import BucketTables
from counterfold.arrays import Floats
from counterfold.poker.cards import CARDS, HIGH, LOW, holes_without
from counterfold.poker.game import DEAL, DECISION, FOLD
from counterfold.poker.showdown import strengths

BOARDS = 64


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
