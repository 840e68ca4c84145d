"""A slow, obvious betting tree: a recursion of its own, which knows nothing of the package's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, BettingTree


class Street(NamedTuple):
    """The betting of one street: who speaks first, by how much one may raise, how many times."""

    first: int
    sizes: tuple[float, ...]
    cap: int
    begun: int = 0  # raises that count already, as a big blind does


class _Money(NamedTuple):
    kind: int
    street: int
    player: int
    paid: tuple[float, float]
    raised: int
    spoken: int  # how many have spoken since the last raise


def naive_betting(
    streets: Sequence[Street],
    paid: tuple[float, float],
    stack: float = 1e9,
    rake: tuple[float, float] = (0.0, 0.0),
) -> BettingTree:
    """A betting tree: each bet or raise adds one of the street's sizes to a call.

    ``stack`` is the most that a player can pay in the whole hand, what it has paid at the start
    among it. ``rake`` is a share of what both have paid, and the most it can be.
    """
    one_size = all(len(s.sizes) == 1 for s in streets)
    begin = _Money(DECISION, 0, streets[0].first, paid, streets[0].begun, 0)
    nodes, parents, labels = [begin], [-1], [""]
    first, count = [0], [0]
    queue = [0]
    for street in range(len(streets)):
        later = []
        while queue:
            at = queue.pop(0)
            node = nodes[at]
            if node.kind in (FOLD, SHOWDOWN):
                continue
            if node.kind == DEAL and node.street == street:
                later.append(at)
                continue
            after = _moves(node, streets, stack, one_size)
            first[at], count[at] = len(nodes), len(after)
            for name, child in after:
                queue.append(len(nodes))
                nodes.append(child)
                parents.append(at)
                labels.append(name)
                first.append(0)
                count.append(0)
        for at in later:
            first[at], count[at] = len(nodes), 1
            queue.append(len(nodes))
            nodes.append(_dealt(nodes[at], streets, stack))
            parents.append(at)
            labels.append("")
            first.append(0)
            count.append(0)
    return BettingTree(
        street=np.array([n.street for n in nodes], np.uint8),
        kind=np.array([n.kind for n in nodes], np.uint8),
        player=np.array([n.player for n in nodes], np.int8),
        parent=np.array(parents, np.int32),
        first=np.array(first, np.int32),
        count=np.array(count, np.int32),
        label=tuple(labels),
        paid=np.array([n.paid for n in nodes], np.float64),
        payoff=np.array([_worth(n, rake) for n in nodes], np.float64),
    )


def _moves(
    node: _Money, streets: Sequence[Street], stack: float, one_size: bool
) -> list[tuple[str, _Money]]:
    street, player, level = streets[node.street], node.player, max(node.paid)
    other = 1 - player
    moves = []
    if node.paid[player] < level:
        moves.append(("fold", node._replace(kind=FOLD)))
    called = node._replace(
        paid=_with(node.paid, player, level), player=other, spoken=node.spoken + 1
    )
    if called.spoken >= 2:
        last = node.street == len(streets) - 1
        called = called._replace(kind=SHOWDOWN if last else DEAL, player=-1)
    moves.append(("call" if node.paid[player] < level else "check", called))
    if node.raised < street.cap and level < stack:
        word = "raise" if node.raised else "bet"
        for amount in dict.fromkeys(min(level + size, stack) for size in street.sizes):
            name = word if one_size else f"{word} {amount:g}"
            paid = _with(node.paid, player, amount)
            moves.append(
                (name, node._replace(paid=paid, player=other, raised=node.raised + 1, spoken=1))
            )
    return moves


def _dealt(node: _Money, streets: Sequence[Street], stack: float) -> _Money:
    street = node.street + 1
    if node.paid[0] < stack:
        return _Money(DECISION, street, streets[street].first, node.paid, 0, 0)
    last = street == len(streets) - 1
    return node._replace(kind=SHOWDOWN if last else DEAL, street=street)


def _with(paid: tuple[float, float], player: int, amount: float) -> tuple[float, float]:
    return (amount, paid[1]) if player == 0 else (paid[0], amount)


def _worth(node: _Money, rake: tuple[float, float]) -> list[list[float]]:
    taken = min(rake[0] * 2 * min(node.paid), rake[1])
    pot = sum(node.paid) - taken
    if node.kind == FOLD:
        return [[(0.0 if node.player == p else pot) - node.paid[p]] * 3 for p in (0, 1)]
    if node.kind == SHOWDOWN:
        return [[share - node.paid[p] for share in (pot, pot / 2, 0.0)] for p in (0, 1)]
    return [[0.0] * 3] * 2
