"""How often players do what in two strategies of a game, a plain and a styled one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.evaluate.certificate import Certified
from counterfold.poker.game import DECISION, meetings
from counterfold.strategy.strategy import Strategy
from counterfold.style.frequency import visits_of
from counterfold.style.openings import hands
from counterfold.tree.history import HistoryTree
from counterfold.tree.public import PublicTree

Key = tuple[int, int | None, str | None, str]  # player, round, hand, action

SELDOM = 1e-3
"""Infosets to which play comes less often than this do not count for the largest difference."""
KINDS = ("fold", "check", "call", "bet", "raise", "all-in")


@dataclass(frozen=True)
class Share(Certified):
    """How often a player takes an action where it can, in the plain and the styled strategy.

    Each infoset counts as often as play gets there when everybody plays the same strategy.
    ``round`` and ``hand`` say of which part of the game this is told, None for all of it. A
    share is None where that strategy never comes.
    """

    player: int
    round: int | None
    hand: str | None
    action: str
    plain: float | None
    styled: float | None


@dataclass(frozen=True)
class Distance(Certified):
    """How far apart two strategies are.

    ``mean`` is the L1 distance (0 to 2) at an infoset, each weighed by how often plain play
    gets there. ``largest`` is the greatest difference in one probability, at ``infoset``,
    among infosets that either strategy reaches at least once in a thousand hands.
    """

    mean: float
    largest: float
    player: int
    infoset: str
    action: str


class Shares(NamedTuple):
    """Shares of the first decision, and by player, round and hand, as far as a form has them.

    On a public tree ``by_round`` is of the first street, by kinds of actions (all bets are one),
    and there are no others: boards are too many.
    """

    first: tuple[Share, ...]
    by_round: tuple[Share, ...]
    by_player: tuple[Share, ...] = ()
    by_hand: tuple[Share, ...] = ()
    distance: Distance | None = None


# By infoset


def shares_by_infoset(plain: Strategy[HistoryTree], styled: Strategy[HistoryTree]) -> Shares:
    """All shares in a history graph.

    >>> import counterfold as cf
    >>> uniform = cf.Strategy.uniform(cf.Kuhn())
    >>> shares_by_infoset(uniform, uniform).first[1]
    Share(player=0, round=None, hand=None, action='bet', plain=0.5, styled=0.5)
    """
    tree, both = plain.tree, (plain, styled)
    visits = [visits_of(tree, strategy.probabilities) for strategy in both]
    labels = tree.infosets.labels
    round_of = getattr(tree.game, "round_of", None)
    whole: list[None] = [None] * len(labels)
    rounds = whole if round_of is None else [int(round_of(name)) for name in labels]
    held = [name.split(" | ", 1)[0] for name in labels] if hands(tree) else whole
    # With every move barred play comes to what chance alone leads to.
    dealt = visits_of(tree, np.zeros(tree.infosets.slots))
    first = np.flatnonzero(dealt > 0)
    every = np.arange(len(labels))
    return Shares(
        first=_sums(both, [dealt, dealt], whole, whole, first),
        by_round=() if round_of is None else _sums(both, visits, rounds, whole, every),
        by_player=_sums(both, visits, whole, whole, every),
        by_hand=_sums(both, visits, whole, held, every) if hands(tree) else (),
        distance=_distance(plain, styled, visits),
    )


def _sums(
    both: Sequence[Strategy[HistoryTree]],
    visits: Sequence[Floats],
    rounds: Sequence[int | None],
    held: Sequence[str | None],
    chosen: Ints,
) -> tuple[Share, ...]:
    infosets = both[0].tree.infosets
    order = {hand: number for number, hand in enumerate(dict.fromkeys(held))}
    # By key: how often the action could be taken, and how often it was, plainly and styled.
    sums: dict[Key, Floats] = {}
    for i in chosen.tolist():
        owner, start = int(infosets.owner[i]), int(infosets.start[i])
        for offset, action in enumerate(infosets.actions[i]):
            key = (owner, rounds[i], held[i], action)
            sum_ = sums.setdefault(key, np.zeros((2, 2)))
            for which in (0, 1):
                here = visits[which][i]
                sum_[which] += here, here * both[which].probabilities[start + offset]
    ranked = sorted(sums, key=lambda key: (key[0], key[1] or 0, order[key[2]]))
    return tuple(Share(*key, *(_share(*sum_) for sum_ in sums[key].tolist())) for key in ranked)


def _share(chances: float, taken: float) -> float | None:
    return min(taken / chances, 1.0) if chances > 0 else None


def _distance(
    plain: Strategy[HistoryTree], styled: Strategy[HistoryTree], visits: Sequence[Floats]
) -> Distance:
    infosets = plain.tree.infosets
    if not infosets.slots:
        return Distance(0.0, 0.0, 0, "", "")
    apart = np.abs(plain.probabilities - styled.probabilities)
    at = np.add.reduceat(apart, infosets.start[:-1].astype(np.int64))
    mean = float(visits[0] @ at / visits[0].sum()) if visits[0].sum() > 0 else 0.0
    often = np.maximum(*visits) >= SELDOM
    if often.any():
        apart = np.where(np.repeat(often, infosets.sizes), apart, 0.0)
    slot = int(np.argmax(apart))
    i = int(np.searchsorted(infosets.start, slot, side="right")) - 1
    return Distance(
        mean,
        float(apart[slot]),
        int(infosets.owner[i]),
        infosets.labels[i],
        infosets.actions[i][slot - int(infosets.start[i])],
    )


# By hand


def shares_by_hand(plain: Strategy[PublicTree], styled: Strategy[PublicTree]) -> Shares:
    """Shares of the first decision by its actions, and of the first street by their kinds.

    >>> from counterfold.poker.holdem import leduc
    >>> uniform = Strategy.uniform(PublicTree(leduc()))
    >>> shares_by_hand(uniform, uniform).by_round[-1]
    Share(player=1, round=1, hand=None, action='raise', plain=0.3333333333333333, \
styled=0.3333333333333333)
    """
    one, two = (_first_street(strategy) for strategy in (plain, styled))
    first = tuple(
        Share(player, None, None, label, _share(*one[node, player, label]), _share(*sums))
        for (node, player, label), sums in two.items()
        if node == 0
    )
    kinds = [_by_kind(sums) for sums in (one, two)]
    ranked = sorted(kinds[0], key=lambda key: (key[0], (*KINDS, key[1]).index(key[1])))
    street = tuple(
        Share(player, 1, None, kind, *(_share(*sums[player, kind]) for sums in kinds))
        for player, kind in ranked
    )
    return Shares(first, street)


Taken = dict[tuple[int, int, str], tuple[float, float]]  # by node, player, label


def _first_street(strategy: Strategy[PublicTree]) -> Taken:
    """How often each action of the first street could be taken, and how often it was."""
    game = strategy.tree.game
    betting = game.betting
    reaches = {0: tuple(np.asarray(weights, np.float64) for weights in game.ranges)}
    taken: Taken = {}
    for node in sorted(strategy.hands.decisions(0)):  # parents come first
        me, reach = int(betting.player[node]), reaches[node]
        met = meetings(reach[1 - me])
        play = np.nan_to_num(strategy.hands.at(node, 0))
        chances = float(reach[me] @ met)
        for own, child in zip(play * reach[me], betting.children(node), strict=True):
            taken[node, me, betting.label[child]] = chances, float(own @ met)
            if betting.kind[child] == DECISION:
                reaches[child] = (own, reach[1]) if me == 0 else (reach[0], own)
    return taken


def _by_kind(taken: Taken) -> dict[tuple[int, str], tuple[float, float]]:
    """The same by player and first word of the action: how often any of the kind could be."""
    chances: dict[tuple[int, str], dict[int, float]] = {}
    sums: dict[tuple[int, str], float] = {}
    for (node, player, label), (could, was) in taken.items():
        key = player, label.partition(" ")[0]
        chances.setdefault(key, {})[node] = could
        sums[key] = sums.get(key, 0.0) + was
    return {key: (sum(chances[key].values()), sums[key]) for key in sums}
