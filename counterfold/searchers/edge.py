"""The edge of a depth limit: where a game is cut, and what the players may do behind it.

At the edge every player chooses one of its continuations, strategies for all that comes after,
without seeing what the others choose (multi-valued states: Brown, Sandholm and Amos 2018). Then the
hand is played to its end with those: what that is worth is summed over the tree below, so that a
cut game has a leaf for each combination. It is a tree as any other, and whatever takes a game takes
it. With one continuation each the edge has plain values, and nobody chooses.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.errors import ParameterError, TreeTooLargeError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.notebook import brief
from counterfold.searchers.paths import Paths, paths
from counterfold.searchers.points import Point, roots_at
from counterfold.searchers.treeplex import summed
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import NONE, HistoryTree, Infosets, check_histories
from counterfold.tree.views import views

Portfolio = Mapping[str, Strategy]
"""Continuations by name."""
MOST_ENDS = 20_000_000


@dataclass(frozen=True, eq=False)
class DepthLimited:
    """A game that is cut at an edge; ``tree`` is the cut game.

    The infosets of a player are those before the edge, in their order, then one for each thing
    that it may know at the edge, whose actions are its continuations.
    """

    whole: HistoryTree
    tree: HistoryTree
    portfolios: tuple[Portfolio, ...]
    trunk: Ints  # the infosets before the edge, by their numbers in the whole game
    place: Ints  # [trunk] the same in the cut one
    edge: _Edge

    def __repr__(self) -> str:
        return brief(self, f"of {self.whole.spec}: {len(self.edge.roots):,} states at the edge")

    def complete(
        self, strategy: Strategy[HistoryTree], below: Strategy[HistoryTree] | None = None
    ) -> Strategy[HistoryTree]:
        """A strategy of the whole game from one of the cut game.

        Behind the edge it is ``below``; if that is not given, what the players choose there, mixed
        as they mix it.
        """
        strategy.check_fits(self.tree)
        whole, cut = self.whole.infosets, self.tree.infosets
        played = self._chosen(strategy) if below is None else below.probabilities.copy()
        for i, j in zip(self.trunk.tolist(), self.place.tolist(), strict=True):
            own = strategy.probabilities[cut.start[j] : cut.start[j + 1]]
            played[whole.start[i] : whole.start[i + 1]] = own
        return Strategy.of(self.whole, played, {"depth limit": True})

    def _chosen(self, strategy: Strategy[HistoryTree]) -> Floats:
        """Behind the edge, the mix of continuations as behaviour.

        An infoset has each continuation by how likely it was chosen, and led there.
        """
        edge, whole = self.edge, self.whole
        played = whole.infosets.evenly()
        start = self.tree.infosets.start.astype(np.int64)
        below = np.flatnonzero((edge.under >= 0) & (whole.turn >= 0))
        infosets, example = np.unique(whole.infoset[below], return_index=True)
        for i, node in zip(infosets.tolist(), below[example].tolist(), strict=True):
            player, root = int(whole.turn[node]), int(edge.under[node])
            one, stop = int(whole.infosets.start[i]), int(whole.infosets.start[i + 1])
            options = [s.probabilities[one:stop] for s in self.portfolios[player].values()]
            if len(options) > 1:
                row = start[edge.row[root, player]]
                mix = strategy.probabilities[row : row + len(options)] * edge.reach[player][:, node]
                share = mix / mix.sum() if mix.sum() > 0 else np.full(len(options), 1 / len(mix))
                played[one:stop] = share @ np.array(options)
            else:
                played[one:stop] = options[0]
        return played


@dataclass(frozen=True, eq=False)
class _Edge:
    """Where the edge runs, and what lies behind it."""

    roots: Ints  # nodes
    under: Ints  # [nodes] the root above each (a root is above itself), or -1
    known: tuple[Ints, ...]  # [roots] by player, what it knows, from 0
    reach: tuple[Floats, ...]  # by player, [continuations, nodes] how likely it leads there
    row: Ints  # [roots, players] the infoset of the choice; -1 where there is none


def depth_limited(
    tree: HistoryTree,
    portfolio: Portfolio | Sequence[Portfolio],
    point: Point = "round:1",
) -> DepthLimited:
    """A game cut at a point (see ``points.roots_at``), for any number of players.

    ``portfolio`` has the continuations of all players, or is one for each of them: strategies of
    the whole game, of which only what lies behind the edge counts.

    >>> import counterfold as cf
    >>> from counterfold.strategy.continuations import continuations
    >>> blueprint = cf.solve(cf.Leduc(), until=cf.Until(iterations=100)).strategy
    >>> cut = depth_limited(blueprint.tree, continuations(blueprint))
    >>> cut.tree.histories, blueprint.tree.histories
    (3457, 9457)
    >>> trunk = cf.solve(cut.tree, until=cf.Until(iterations=500)).strategy
    >>> cf.exploitability(cut.complete(trunk, blueprint)) < 0.1
    True
    """
    check_histories(tree)
    every = [portfolio] * tree.players if isinstance(portfolio, Mapping) else portfolio
    if (
        not isinstance(every, list | tuple)
        or len(every) != tree.players
        or not all(isinstance(own, Mapping) and own for own in every)
    ):
        raise ParameterError(
            f"{tree.spec} has {tree.players} players, and each needs a continuation"
        )
    for strategy in {id(one): one for own in every for one in own.values()}.values():
        if strategy.layout.form is not tree:
            strategy.check_fits(tree)
    way, roots = paths(tree), roots_at(tree, point)
    combinations = math.prod(map(len, every))
    if combinations * len(roots) > MOST_ENDS:
        raise TreeTooLargeError(
            f"{combinations:,} combinations at {len(roots):,} states of the edge are too many; "
            "give fewer continuations"
        )
    edge = _edge(way, roots, every)
    return _cut(way, edge, every)


def _edge(way: Paths, roots: Ints, portfolios: Sequence[Portfolio]) -> _Edge:
    tree = way.tree
    under = way.under(roots)
    reach = []
    for player, own in enumerate(portfolios):
        mine = (way.mover == player) & (under >= 0) & (under[way.parent] >= 0)
        step = np.ones((len(own), tree.histories))
        for k, strategy in enumerate(own.values()):
            step[k, mine] = strategy.probabilities[way.slot[mine]]
        reach.append(_down(way, step))
    known = _known(way, roots)
    row = np.full((len(roots), tree.players), -1, np.int64)
    return _Edge(roots, under, known, tuple(reach), row)


def _down(way: Paths, step: Floats) -> Floats:
    """Products of steps on the way to each node."""
    for level in way.levels[1:]:
        step[..., level] *= step[..., way.parent[level]]
    return step


def _known(way: Paths, roots: Ints) -> tuple[Ints, ...]:
    """What each player knows at each root, as numbers from 0.

    Before a deal that is what it saw when somebody last decided, and the move if all learn it.
    """
    tree, seen = way.tree, views(way.tree)
    dealt = tree.turn[roots] == CHANCE
    above = np.where(dealt, way.parent[roots], roots)
    known = []
    for player in range(tree.players):
        learns = dealt & (seen.overt[above] | (tree.turn[above] == player))
        move = np.where(learns, way.edge[roots] - tree.first[above].astype(np.int64) + 1, 0)
        pairs = np.stack([seen.seen[above, player], move], 1)
        known.append(np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1))
    return tuple(known)


def _payoffs(way: Paths, edge: _Edge, portfolios: Sequence[Portfolio]) -> Floats:
    """[roots, combinations, players] what each combination of continuations is worth."""
    tree = way.tree
    ends = np.flatnonzero((edge.under >= 0) & (tree.turn == TERMINAL))
    step = np.ones(tree.histories)
    dealt = (way.mover == CHANCE) & (edge.under >= 0) & (edge.under[way.parent] >= 0)
    step[dealt] = tree.prob[way.edge[dealt]]
    chance, payoff, root = _down(way, step)[ends], tree.payoff[tree.leaf[ends]], edge.under[ends]
    sizes = [len(own) for own in portfolios]
    out = np.empty((len(edge.roots), math.prod(sizes), tree.players))
    for n, chosen in enumerate(itertools.product(*map(range, sizes))):
        likely = chance.copy()
        for player, k in enumerate(chosen):
            likely *= edge.reach[player][k, ends]
        for player in range(tree.players):
            out[:, n, player] = summed(root, likely * payoff[:, player], len(edge.roots))
    return out


def _cut(way: Paths, edge: _Edge, portfolios: Sequence[Portfolio]) -> DepthLimited:
    """The cut tree: each root becomes a block of choices, one player after the other."""
    tree, roots = way.tree, edge.roots
    choosers = [p for p in range(tree.players) if len(portfolios[p]) > 1]
    widths = [len(portfolios[p]) for p in choosers]
    levels = np.cumprod([1, *widths])  # nodes of a block, by depth
    depth = np.repeat(np.arange(len(levels)), levels)
    within = np.arange(len(depth)) - np.repeat(np.cumsum(levels) - levels, levels)
    kept = (edge.under < 0) | (np.isin(np.arange(tree.histories), roots))
    block = np.where(edge.under < 0, 1, len(depth)) * kept
    place = np.cumsum(block) - block
    source = np.repeat(np.arange(tree.histories), block)
    inner = np.arange(len(source)) - place[source]  # the number in its block
    at_edge = edge.under[source] >= 0
    deep = np.where(at_edge, depth[inner], 0)
    infosets, trunk, new_of = _infosets(way, edge, portfolios, choosers)
    turn = np.where(at_edge, np.array([*choosers, TERMINAL])[deep], tree.turn[source])
    width = np.where(at_edge, np.array([*widths, 0])[deep], np.diff(tree.first)[source])
    first = np.concatenate([[0], np.cumsum(width)])
    owner = np.repeat(np.arange(len(source)), width)
    move = np.arange(first[-1]) - first[owner]
    old = np.where(at_edge[owner], 0, tree.first[source[owner]].astype(np.int64) + move)
    begin = np.cumsum(levels)[deep[owner]]  # of the next level in the block
    follows = np.array([*widths, 0])[deep[owner]] * within[inner[owner]] + move
    child = np.where(at_edge[owner], place[source[owner]] + begin + follows, place[tree.child[old]])
    infoset = np.full(len(source), NONE, np.int64)
    decided = ~at_edge & (turn >= 0)
    infoset[decided] = new_of[tree.infoset[source[decided]]]
    for d, player in enumerate(choosers):
        here = at_edge & (deep == d)
        infoset[here] = edge.row[edge.under[source[here]], player]
    ends = np.flatnonzero(turn == TERMINAL)
    payoff = np.empty((len(ends), tree.players))
    ours = at_edge[ends]
    payoff[~ours] = tree.payoff[tree.leaf[source[ends[~ours]]]]
    values = _payoffs(way, edge, portfolios)
    payoff[ours] = values[edge.under[source[ends[ours]]], within[inner[ends[ours]]]]
    leaf = np.full(len(source), NONE, np.uint32)
    leaf[ends] = np.arange(len(ends))
    made = HistoryTree(
        spec=f"{tree.spec} to a depth limit",
        players=tree.players,
        turn=turn.astype(np.int8),
        first=first.astype(np.uint32),
        child=child.astype(np.uint32),
        prob=np.where(at_edge[owner], 1.0, tree.prob[old]) if len(old) else np.zeros(0),
        infoset=infoset.astype(np.uint32),
        leaf=leaf,
        payoff=payoff,
        infosets=infosets,
    )
    return DepthLimited(tree, made, tuple(portfolios), trunk, new_of[trunk], edge)


def _infosets(
    way: Paths, edge: _Edge, portfolios: Sequence[Portfolio], choosers: Sequence[int]
) -> tuple[Infosets, Ints, Ints]:
    """Infosets of the cut game, those of the trunk by old number, and the new number of each.

    The rows of choices are written into the edge.
    """
    tree, old = way.tree, way.tree.infosets
    cut_off = np.unique(tree.infoset[(edge.under >= 0) & (tree.turn >= 0)])
    trunk = np.setdiff1d(np.arange(len(old.owner)), cut_off)
    new_of = np.full(len(old.owner), -1, np.int64)
    owners, labels, actions = list[int](), list[str](), list[tuple[str, ...]]()
    for player in range(tree.players):
        for i in trunk[old.owner[trunk] == player].tolist():
            new_of[i] = len(owners)
            owners.append(player)
            labels.append(old.labels[i])
            actions.append(old.actions[i])
        if player in choosers:
            known = edge.known[player]
            edge.row[:, player] = len(owners) + known
            for number, root in enumerate(np.unique(known, return_index=True)[1].tolist()):
                owners.append(player)
                labels.append(_name(way, int(edge.roots[root]), player, number))
                actions.append(tuple(portfolios[player]))
    start = np.concatenate([[0], np.cumsum([len(names) for names in actions])])
    made = Infosets(
        np.array(owners, np.int8), start.astype(np.uint32), tuple(labels), tuple(actions)
    )
    return made, trunk, new_of


def _name(way: Paths, node: int, player: int, number: int) -> str:
    """What a player knows at the edge: its last decision, and its number to tell it from others."""
    infosets = way.tree.infosets
    while node > 0:
        above = int(way.parent[node])
        if way.tree.turn[above] == player:
            i = int(way.tree.infoset[above])
            action = infosets.actions[i][int(way.slot[node]) - int(infosets.start[i])]
            return f"edge {number + 1} after {action} at {infosets.labels[i]}"
        node = above
    return f"edge {number + 1}"
