"""The tree of all ways to bet by some rules of money, and its size before it is built."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, BettingTree
from counterfold.poker.money import Betting, Rake, State
from counterfold.poker.sizes import Size, Sizes

__all__ = ["Betting", "Rake", "StreetCount", "build", "count", "limit"]

MOST_NODES = 4_000_000
_MOST_STATES = 300_000  # that differ, at one depth
_MOST_DEPTH = 20_000


class StreetCount(NamedTuple):
    """How large the betting of one street is, over all ways to come there."""

    lines: int  # ways to come to this street
    decisions: int
    actions: int  # at all of these decisions
    folds: int  # hands that end by a fold
    showdowns: int
    deals: int  # lines that go on to the next street

    @property
    def terminals(self) -> int:
        """Hands that end on this street."""
        return self.folds + self.showdowns

    @property
    def nodes(self) -> int:
        """Nodes of a ``BettingTree``."""
        return self.decisions + self.folds + self.showdowns + self.deals


def count(betting: Betting) -> tuple[StreetCount, ...]:
    """The size of a betting tree, street by street, without building it.

    Equal states of one depth are counted together, so that it is quick for huge trees too.

    >>> count(limit((1, 1), raises=(2, 4), cap=2))[1]
    StreetCount(lines=5, decisions=30, actions=70, folds=20, showdowns=25, deals=0)
    """
    kinds = [[0] * 4 for _ in range(betting.streets)]
    actions, lines = [0] * betting.streets, [1] + [0] * (betting.streets - 1)
    layer, depth = Counter([betting.root()]), 0
    while layer:
        after: Counter[State] = Counter()
        for state, ways in layer.items():
            kinds[state.street][state.kind] += ways
            moves = betting.moves(state)
            if state.kind == DEAL:
                lines[state.street + 1] += ways
            else:
                actions[state.street] += ways * len(moves)
            for _, follower in moves:
                after[follower] += ways
        layer, depth = after, depth + 1
        if len(layer) > _MOST_STATES or depth > _MOST_DEPTH:
            ways = sum(layer.values())
            size = (
                f"{ways:,} lines" if len(layer) > _MOST_STATES else f"a line of {depth:,} actions"
            )
            raise TreeTooLargeError(
                f"the betting has over {size}; give fewer or larger sizes, or a cap of raises"
            )
    return tuple(
        StreetCount(
            lines[s],
            kinds[s][DECISION],
            actions[s],
            kinds[s][FOLD],
            kinds[s][SHOWDOWN],
            kinds[s][DEAL],
        )
        for s in range(betting.streets)
    )


def build(betting: Betting) -> BettingTree:
    """The tree of all ways to bet.

    >>> tree = build(limit((1, 1), raises=(1,), cap=1))
    >>> [tree.label[child] for child in tree.children(0)]
    ['check', 'bet']
    """
    size = sum(street.nodes for street in count(betting))
    if size > MOST_NODES:
        raise TreeTooLargeError(
            f"the betting has {size:,} nodes, more than {MOST_NODES:,}; "
            "give fewer or larger sizes, or a cap of raises"
        )
    states: list[State] = []
    parents, labels = [], []
    first, children = np.zeros(size, np.int32), np.zeros(size, np.int32)
    begun: list[tuple[State, int, str]] = [(betting.root(), -1, "")]
    while begun:  # a street at a time
        waiting: list[tuple[State, int, str]] = []
        at = len(states)
        for state, parent, label in begun:
            states.append(state)
            parents.append(parent)
            labels.append(label)
            if parent >= 0:
                first[parent], children[parent] = len(states) - 1, 1
        while at < len(states):
            state = states[at]
            if state.kind == DEAL:
                waiting += [(follower, at, label) for label, follower in betting.moves(state)]
            elif state.kind == DECISION:
                moves = betting.moves(state)
                first[at], children[at] = len(states), len(moves)
                for label, follower in moves:
                    states.append(follower)
                    parents.append(at)
                    labels.append(label)
            at += 1
        begun = waiting
    payoff = np.zeros((size, 2, 3))
    for at, state in enumerate(states):
        if state.kind in (FOLD, SHOWDOWN):
            payoff[at] = betting.payoff(state)
    paid = [[state.before[p] + state.bets[p] for p in (0, 1)] for state in states]
    players = [state.player if state.kind in (DECISION, FOLD) else -1 for state in states]
    return BettingTree(
        street=np.array([state.street for state in states], np.uint8),
        kind=np.array([state.kind for state in states], np.uint8),
        player=np.array(players, np.int8),
        parent=np.array(parents, np.int32),
        first=first,
        count=children,
        label=tuple(labels),
        paid=np.array(paid, np.float64),
        payoff=payoff,
    )


def limit(
    paid: tuple[float, float],
    raises: Sequence[float],
    cap: int | None = None,
    *,
    first: Sequence[int] | None = None,
    **options: Any,
) -> Betting:
    """Limit: bets and raises by one amount on each street, at most ``cap`` of them on each.

    ``posted=(1, 2), opened=1`` makes the payments blinds, the big one of which is the first bet.

    >>> tree = build(limit((1, 1), raises=(1,), cap=1))  # Kuhn poker
    >>> [tree.line(node) for node in range(len(tree)) if tree.kind[node] == FOLD]
    [('bet', 'fold'), ('check', 'bet', 'fold')]
    """
    sizes = []
    for amount in raises:
        if not 0 < amount < math.inf:
            raise ParameterError(f"the bets of a limit game are above zero, not {amount}")
        sizes.append(Sizes((Size("by", amount),), (Size("by", amount),)))
    options.setdefault("stacks", (math.inf, math.inf))
    if cap is None and math.inf in options["stacks"]:
        raise ParameterError("raises without a cap never end unless there are stacks; give either")
    return Betting(
        paid=(float(paid[0]), float(paid[1])),
        sizes=(tuple(sizes),) * 2,
        first=(0,) * len(sizes) if first is None else tuple(first),
        caps=(cap,) * len(sizes),
        least=0.0,
        fixed=True,
        **options,
    )
