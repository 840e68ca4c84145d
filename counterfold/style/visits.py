"""How often the hands of a public tree come to its nodes, and what they do there, board by board.

Hands that only suits tell apart are one from the start, and boards that only suits tell apart
stand for each other, so sums over boards mean something for all hands of such a class together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Bools, Floats
from counterfold.errors import ParameterError
from counterfold.poker.game import DEAL, DECISION, meetings
from counterfold.strategy.strategy import Strategy
from counterfold.style.by_hand import nodes_of
from counterfold.style.frequency import Frequency
from counterfold.tree.public import PublicTree


class HandMatch(NamedTuple):
    """A node where a frequency looks: how much each hole counts, and which actions are named."""

    node: int  # as ``tree.nodes`` numbers them
    share: Floats  # [holes]
    named: Bools  # [actions]


class Visit(NamedTuple):
    """A player's decision on a board, by hole."""

    board: int
    node: int  # as ``tree.nodes`` numbers them
    comes: Floats  # [holes] how often chance and the other player let it come there
    own: Floats  # [holes] how much of it the player itself lets come
    play: Floats  # [actions, holes]


def matches_by_hand(frequency: Frequency, tree: PublicTree) -> list[HandMatch]:
    """The nodes, hands and actions of a frequency; ParameterError if there are none.

    >>> from counterfold.poker.holdem import leduc
    >>> len(matches_by_hand(Frequency.parse("raise@round2"), PublicTree(leduc())))
    5
    """
    nodes, labels = tree.nodes, tree.game.betting.label
    names = [
        [labels[nodes.old[child]] for child in nodes.children(n)] for n in range(len(nodes.old))
    ]
    mine = np.flatnonzero((nodes.kind == DECISION) & (nodes.owner == frequency.player)).tolist()
    frequency.check(tree, (name for n in mine for name in names[n]))
    there = list(nodes_of(frequency.place(tree), tree))
    if not there:
        raise ParameterError(
            f"nothing that the player sees in {tree.spec} fits {frequency.where!r}; the streets "
            f"are {', '.join(tree.game.streets) or 'without names'}, and hands stand in brackets"
        )
    matching = []
    for n, share in there:
        named = np.array([frequency.names(name) for name in names[n]])
        if named.any():
            matching.append(HandMatch(n, share, named))
    if not matching:
        raise frequency.nothing(tree, (name for n, _ in there for name in names[n]))
    return matching


def visits_by_hand(
    mine: Strategy[PublicTree], others: Strategy[PublicTree], player: int, wanted: Iterable[int]
) -> Iterator[Visit]:
    """A player's decisions at some nodes on all boards, one after the other."""
    tree = mine.tree
    nodes, rules = tree.nodes, tree.game.rules
    played = [others.hands, others.hands]
    played[player] = mine.hands
    asked, needed = set(wanted), set()
    for n in asked:
        while n >= 0:
            needed.add(n)
            n = int(nodes.parent[n])
    ranges = [np.asarray(weights, np.float64) for weights in tree.game.ranges]

    def walk(n: int, board: int, own: Floats, other: Floats, chance: float) -> Iterator[Visit]:
        if n not in needed:
            return
        if nodes.kind[n] == DEAL:
            for after in tree.children[board]:
                dealt = tree.boards[after]
                free, times = rules.apart(dealt.cards), chance * dealt.chance
                yield from walk(int(nodes.first[n]), after, own * free, other * free, times)
            return
        mover = int(nodes.owner[n])
        play = np.nan_to_num(played[mover].at(int(nodes.old[n]), board))
        if n in asked:
            comes = chance / tree.weight_sum * ranges[player] * meetings(other)
            yield Visit(board, n, comes * (play.sum(0) > 0), own, play)
        for row, child in zip(play, nodes.children(n), strict=True):
            if mover == player:
                yield from walk(child, board, own * row, other, chance)
            else:
                yield from walk(child, board, own, other * row, chance)

    yield from walk(0, 0, np.ones(rules.holes), ranges[1 - player], 1.0)


def share_of(
    frequency: Frequency, strategy: Strategy[PublicTree], against: Strategy[PublicTree]
) -> float:
    """How often a player's hands do what a frequency names; see ``Frequency.of``."""
    tree = strategy.tree
    matching = {match.node: match for match in matches_by_hand(frequency, tree)}
    for others in (against, Strategy.uniform(tree)):
        sums = np.zeros((2, 2))  # what it does and could, what it would and could if it came
        for visit in visits_by_hand(strategy, others, frequency.player, matching):
            _, share, named = matching[visit.node]
            weight = np.stack([visit.comes * visit.own, visit.comes]) * share
            sums += np.stack([weight @ visit.play[named].sum(0), weight.sum(1)], 1)
        for does, could in sums.tolist():
            if could > 0:
                return float(min(max(does / could, 0.0), 1.0))
    raise ParameterError(f"nobody can come where {frequency} looks in {tree.spec}")
