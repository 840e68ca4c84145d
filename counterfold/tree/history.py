"""The compiled history graph: a game's rules walked once and laid out in flat arrays."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Bools, Floats, Ints
from counterfold.errors import ParameterError, RulesError, reason, short
from counterfold.games.base import CHANCE, TERMINAL, Action, Game, label, spec_of
from counterfold.notebook import brief
from counterfold.poker.units import Units
from counterfold.tree.walk import Progress, Reading, read_rules

T = TypeVar("T")

_ADDRESS = re.compile(r"<.* at 0x[0-9a-fA-F]+>")

NONE = 0xFFFFFFFF
"""The index that stands for "no such thing" in uint32 arrays."""


class Infosets(NamedTuple):
    """Who decides where, with which actions, under which names.

    Infoset ``i`` belongs to ``owner[i]``; its actions are the slots ``start[i]`` to
    ``start[i + 1]`` of every flat strategy array. Infosets stand in the order of players,
    and within one player in the order in which play can reach them.
    """

    owner: NDArray[np.int8]
    start: NDArray[np.uint32]
    labels: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return brief(self, f"of {len(self.owner):,} with {self.slots:,} actions")

    @property
    def slots(self) -> int:
        return int(self.start[-1])

    @property
    def sizes(self) -> Ints:
        """How many actions each infoset has."""
        return self.start[1:].astype(np.int64) - self.start[:-1]

    def evenly(self) -> Floats:
        """Every action as likely as the others, over the slots."""
        return np.repeat(1.0 / self.sizes, self.sizes)

    def to_one(self, weights: NDArray[np.floating]) -> Floats:
        """Weights over the slots as probabilities; even at an infoset that has none."""
        if not len(weights):
            return np.zeros(0)
        weights = np.maximum(weights.astype(np.float64), 0.0)
        sums = np.add.reduceat(weights, self.start[:-1].astype(np.int64))
        sums = np.repeat(sums, self.sizes)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(sums > 0, weights / sums, self.evenly())


@dataclass(frozen=True, eq=False)
class HistoryTree:
    """A game as a graph of histories in topological order (children after parents).

    ==========  ==========  =====================================================
    array       shape       meaning
    ==========  ==========  =====================================================
    turn        [nodes]     the player who moves, CHANCE or TERMINAL
    first       [nodes+1]   the node's edges are ``first[v]`` to ``first[v + 1]``
    child       [edges]     where an edge leads
    prob        [edges]     probability of a chance outcome, 1 on players' edges
    infoset     [nodes]     row in ``infosets``; NONE where no player moves
    leaf        [nodes]     row in ``payoff``; NONE where the game goes on
    payoff      [leaves,n]  what each player gets
    ==========  ==========  =====================================================

    Without ``merge`` every node has one parent (a tree in preorder).
    """

    spec: str
    players: int
    turn: NDArray[np.int8]
    first: NDArray[np.uint32]
    child: NDArray[np.uint32]
    prob: Floats
    infoset: NDArray[np.uint32]
    leaf: NDArray[np.uint32]
    payoff: Floats
    infosets: Infosets
    merged: bool = False
    game: Game | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        size = f"{self.histories:,} histories, {self.infoset_count:,} infosets"
        return brief(self, f"of {self.spec}: {size}")

    @property
    def histories(self) -> int:
        return len(self.turn)

    @property
    def infoset_count(self) -> int:
        return len(self.infosets.owner)

    @property
    def units(self) -> Units:
        """None: payoffs are what they are."""
        return Units()

    @property
    def source(self) -> Ints:
        """[edges] the node that each edge leaves."""
        return np.repeat(np.arange(self.histories), np.diff(self.first))

    def played(self, nodes: Bools, probabilities: NDArray[np.floating]) -> Floats:
        """[edges] how likely each edge is where a strategy over the slots plays at some nodes."""
        source = self.source
        edges = np.flatnonzero(nodes[source])
        at = source[edges]
        prob = self.prob.copy()
        start = self.infosets.start.astype(np.int64)
        prob[edges] = probabilities[start[self.infoset[at]] + edges - self.first[at]]
        return prob

    @property
    def terminals(self) -> int:
        return len(self.payoff)

    @property
    def nbytes(self) -> int:
        arrays = (self.turn, self.first, self.child, self.prob, self.infoset, self.leaf)
        return sum(a.nbytes for a in arrays) + self.payoff.nbytes

    @cached_property
    def constant_sum(self) -> float | None:
        """What the payoffs of all players add up to at every end, or None if it varies."""
        total = self.payoff.sum(axis=1)
        return float(total[0]) if np.ptp(total) <= 1e-9 * self.largest_payoff else None

    @cached_property
    def largest_payoff(self) -> float:
        """The largest payoff of any player at any end, whatever its sign."""
        return float(np.abs(self.payoff).max(initial=0.0))

    @property
    def two_player_zero_sum(self) -> bool:
        """Two players whose payoffs add up to a constant: one wins what the other loses."""
        return self.players == 2 and self.constant_sum is not None

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that makes this tree what it is, names included."""
        digest = hashlib.sha256()
        for a in (self.turn, self.first, self.child, self.prob, self.infoset, self.leaf):
            digest.update(a.tobytes())
        digest.update(self.payoff.tobytes())
        digest.update(repr((self.players, self.infosets.labels, self.infosets.actions)).encode())
        return digest.hexdigest()[:32]


def kept_with(tree: HistoryTree, name: str, make: Callable[[HistoryTree], T]) -> T:
    """What is made from a tree once, and kept with it, so that both go when it goes."""
    kept = vars(tree)
    if name not in kept:
        kept[name] = make(tree)
    found: T = kept[name]
    return found


def spans(starts: NDArray[np.integer], widths: NDArray[np.integer]) -> Ints:
    """The numbers from each start on, as many as its width says.

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    begin = np.cumsum(widths) - widths
    return np.repeat(starts - begin, widths) + np.arange(widths.sum())


def compile_game(
    game: Game | str, memory: int | None = None, progress: Progress | None = None
) -> HistoryTree:
    """Walk the rules of a game, or of the one that a name means, and lay them out in arrays.

    ``memory`` is the most that may be taken, in bytes (what the machine has, if not given).

    >>> from counterfold.games.onecard import Kuhn
    >>> tree = compile_game(Kuhn())
    >>> tree.histories, tree.terminals, len(tree.infosets.owner)
    (58, 30, 12)
    """
    from counterfold.tree.named import rules_named

    if isinstance(game, HistoryTree):
        return game
    game = rules_named(game)
    found = read_rules(game, memory, progress)
    infosets = _infosets(found)
    turn = np.frombuffer(found.turn, dtype=np.int8)
    decided, dealt = turn >= 0, turn == CHANCE
    # Infosets are counted player by player while they are read, and lie one player after another.
    begin = np.cumsum([0, *map(len, found.rows)])
    infoset = np.full(len(turn), NONE, dtype=np.uint32)
    infoset[decided] = np.frombuffer(found.infoset, dtype=np.uint32) + begin[turn[decided]]
    width = np.zeros(len(turn), dtype=np.uint32)
    width[decided] = infosets.sizes[infoset[decided]]
    width[dealt] = np.frombuffer(found.width, dtype=np.uint32)
    prob = np.ones(found.edges)
    prob[np.repeat(dealt, width)] = np.frombuffer(found.prob, dtype=np.float64)
    if found.node:  # where a visit that meets a known node again goes no further
        node = np.frombuffer(found.node, dtype=np.uint32)
        spread = np.zeros(len(node), dtype=np.uint32)
        spread[np.unique(node, return_index=True)[1]] = width
        child = node[_children(spread)]
    else:
        child = _children(width)
    leaf = np.full(len(turn), NONE, dtype=np.uint32)
    payoff = np.frombuffer(found.payoff, dtype=np.float64).reshape(-1, found.players)
    leaf[turn == TERMINAL] = np.arange(len(payoff), dtype=np.uint32)
    tree = HistoryTree(
        spec=spec_of(game),
        players=found.players,
        turn=turn,
        first=np.concatenate([[0], np.cumsum(width)]).astype(np.uint32),
        child=child,
        prob=prob,
        infoset=infoset,
        leaf=leaf,
        payoff=payoff,
        infosets=infosets,
        merged=hasattr(game, "merge"),
        game=game,
    )
    return _in_topological_order(tree) if tree.merged else tree


def _children(width: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """[edges] the visit to which each edge leads; visits stand in the order of a depth-first walk.

    Whatever is put at a place of the walk's stack is taken from there before anything else is put
    there: edges and visits of one place come in turns.

    >>> _children(np.array([2, 2, 0, 0, 0])).tolist()
    [1, 4, 2, 3]
    """
    last = np.cumsum(width, dtype=np.int64)
    below = last - width - np.arange(len(width))  # how much lies on the stack at a visit
    place = np.repeat(below + last - 1, width) - np.arange(last[-1])
    few = np.min_scalar_type(below.max())  # which sorts faster
    child = np.empty(last[-1], dtype=np.uint32)
    child[np.argsort(place.astype(few), kind="stable")] = (
        np.argsort(below[1:].astype(few), kind="stable") + 1
    )
    return child


def _infosets(found: Reading) -> Infosets:
    """Infosets under their names, player by player."""
    owner = np.repeat(np.arange(found.players), list(map(len, found.rows)))
    # Identical tuples are shared: a hundred thousand infosets have few lists of actions.
    shared: dict[tuple[Action, ...], tuple[str, ...]] = {}
    labels: list[str] = []
    names: list[tuple[str, ...]] = []
    for player, (rows, actions) in enumerate(zip(found.rows, found.actions, strict=True)):
        own = [_label(seen, "observation") for seen in rows]
        if len(set(own)) < len(own):
            twice = next(name for name, times in Counter(own).items() if times > 1)
            raise RulesError(
                f"two infosets of player {player + 1} are both named {short(twice)}; "
                "observations that differ must also print differently"
            )
        labels += own
        for seen, acts in zip(rows, actions, strict=True):
            if acts not in shared:
                shared[acts] = _action_names(acts, player, seen)
            names.append(shared[acts])
    return Infosets(
        owner=owner.astype(np.int8),
        start=np.concatenate([[0], np.cumsum(list(map(len, names)))]).astype(np.uint32),
        labels=tuple(labels),
        actions=tuple(names),
    )


def _action_names(actions: tuple[Action, ...], player: int, seen: Hashable) -> tuple[str, ...]:
    names = tuple(_label(action, "action") for action in actions)
    if len(set(names)) != len(names):
        raise RulesError(
            f"player {player + 1} has two actions of one name at {short(seen)}: "
            f"{short(list(names))}"
        )
    return names


def _label(thing: Hashable, what: str) -> str:
    """How an observation or an action is called, in this run and in every other."""
    try:
        name = label(thing)
        if not name.isascii():
            name.encode()
    except Exception as error:
        raise RulesError(f"the {what} {short(thing)} has no name: {reason(error)}") from error
    if " at 0x" in name and _ADDRESS.search(name):
        raise RulesError(
            f"the {what} {short(thing)} is named by its place in memory, which changes from run to "
            "run; give a text, a number or a tuple of them"
        )
    return name


def _in_topological_order(tree: HistoryTree) -> HistoryTree:
    """Number a merged graph so that every child comes after all of its parents."""
    nodes = tree.histories
    first = tree.first.astype(np.int64)
    parents_left = np.bincount(tree.child, minlength=nodes)
    order = np.empty(nodes, dtype=np.int64)
    done, frontier = 0, np.flatnonzero(parents_left == 0)
    while len(frontier):
        order[done : done + len(frontier)] = frontier
        done += len(frontier)
        widths = first[frontier + 1] - first[frontier]
        below = tree.child[spans(first[frontier], widths)]
        np.subtract.at(parents_left, below, 1)
        frontier = np.unique(below[parents_left[below] == 0])
    if done < nodes:
        raise RulesError(
            f"the game has a cycle: {nodes - done:,} merged states can be reached from themselves"
        )
    place = np.empty(nodes, dtype=np.uint32)
    place[order] = np.arange(nodes, dtype=np.uint32)
    widths = (first[1:] - first[:-1])[order]
    edges = spans(first[order], widths)
    return replace(
        tree,
        turn=tree.turn[order],
        first=np.concatenate([[0], np.cumsum(widths)]).astype(np.uint32),
        child=place[tree.child[edges]],
        prob=tree.prob[edges],
        infoset=tree.infoset[order],
        leaf=tree.leaf[order],
    )


def check_histories(tree: object) -> None:
    """One sentence for what is no game compiled by its histories."""
    if not isinstance(tree, HistoryTree):
        raise ParameterError(
            "a game by its histories is needed, such as cf.compile_game('leduc'), and not "
            f"{short(tree)}"
        )
