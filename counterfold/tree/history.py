"""The compiled history graph: a game's rules walked once and laid out in flat arrays."""

from __future__ import annotations

import hashlib
import re
from array import array
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import RulesError, reason, short
from counterfold.games.base import CHANCE, TERMINAL, label, spec_of
from counterfold.poker.units import Units
from counterfold.tree.memory import MemoryGuard
from counterfold.tree.rules import players_of
from counterfold.tree.walk import Progress, visits

__all__ = ["NONE", "HistoryTree", "Infosets", "compile_game"]

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

    @property
    def slots(self) -> int:
        return int(self.start[-1])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many actions each infoset has."""
        return self.start[1:].astype(np.int64) - self.start[:-1]

    def evenly(self) -> NDArray[np.float64]:
        """Every action as likely as the others, over the slots."""
        return np.repeat(1.0 / self.sizes, self.sizes)

    def to_one(self, weights: NDArray[np.floating]) -> NDArray[np.float64]:
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
    prob: NDArray[np.float64]
    infoset: NDArray[np.uint32]
    leaf: NDArray[np.uint32]
    payoff: NDArray[np.float64]
    infosets: Infosets
    merged: bool = False
    game: Any = field(default=None, repr=False)

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


def compile_game(
    game: Any, memory: int | None = None, progress: Progress | None = None
) -> HistoryTree:
    """Walk the rules of a game and lay them out in arrays.

    ``memory`` is the most that may be taken, in bytes (what the machine has, if not given).

    >>> from counterfold.games.onecard import Kuhn
    >>> tree = compile_game(Kuhn())
    >>> tree.histories, tree.terminals, len(tree.infosets.owner)
    (58, 30, 12)
    """
    players = players_of(game)
    turn, child, prob = array("b"), array("I"), array("d")
    first, infoset, leaf, payoff = array("Q", [0]), array("I"), array("I"), array("d")
    rows: dict[Any, int] = {}
    actions: list[tuple[Any, ...]] = []
    guard = MemoryGuard(memory, players)
    for visit in visits(game, players):
        if visit.edge >= 0:
            child[first[visit.parent] + visit.edge] = visit.node
        if not visit.new:
            continue
        who, moves = visit.turn, visit.moves
        turn.append(who)
        row = leaf_row = NONE
        if who == TERMINAL:
            leaf_row = len(payoff) // players
            payoff.extend(moves)
            width = 0
        else:
            width = len(moves)
            child.extend([NONE] * width)
            if who == CHANCE:
                prob.extend([p for _, p in moves])
            else:
                prob.extend([1.0] * width)
                row = rows.setdefault(visit.infoset, len(rows))
                if row == len(actions):
                    actions.append(moves)
                elif actions[row] != moves:
                    raise _unlike(visit.infoset, actions[row], moves)
        first.append(first[-1] + width)
        infoset.append(row)
        leaf.append(leaf_row)
        if not visit.node & 0x3FF:
            guard.check(len(turn), len(child), len(payoff) // players, len(rows))
            if progress:
                progress(visit.node)
    guard.check(len(turn), len(child), len(payoff) // players, len(rows))

    infosets, place = _ordered(list(rows), actions)
    found = np.minimum(np.frombuffer(infoset, dtype=np.uint32), len(place))
    tree = HistoryTree(
        spec=spec_of(game),
        players=players,
        turn=np.frombuffer(turn, dtype=np.int8),
        first=np.frombuffer(first, dtype=np.uint64).astype(np.uint32),
        child=np.frombuffer(child, dtype=np.uint32),
        prob=np.frombuffer(prob, dtype=np.float64),
        infoset=np.append(place, np.uint32(NONE))[found],
        leaf=np.frombuffer(leaf, dtype=np.uint32),
        payoff=np.frombuffer(payoff, dtype=np.float64).reshape(-1, players),
        infosets=infosets,
        merged=hasattr(game, "merge"),
        game=game,
    )
    return _in_topological_order(tree) if tree.merged else tree


def _unlike(infoset: Any, one: tuple[Any, ...], other: tuple[Any, ...]) -> RulesError:
    player, observation = infoset
    return RulesError(
        f"player {player + 1} sees {short(observation)} with the actions {short(list(one))} "
        f"and again with {short(list(other))}; one observation must have one list of actions"
    )


def _ordered(
    keys: list[Any], actions: list[tuple[Any, ...]]
) -> tuple[Infosets, NDArray[np.uint32]]:
    """Infosets by player; ``place[old] = new``."""
    order = sorted(range(len(keys)), key=lambda i: (keys[i][0], i))
    place = np.empty(len(keys), dtype=np.uint32)
    place[order] = np.arange(len(keys), dtype=np.uint32)
    sizes = [len(actions[i]) for i in order]
    # Identical tuples are shared: a hundred thousand infosets have few lists of actions.
    shared: dict[tuple[Any, ...], tuple[str, ...]] = {}
    names = []
    for i in order:
        acts = actions[i]
        if acts not in shared:
            shared[acts] = _action_names(acts, keys[i])
        names.append(shared[acts])
    infosets = Infosets(
        owner=np.array([keys[i][0] for i in order], dtype=np.int8),
        start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32),
        labels=tuple(_label(keys[i][1], "observation") for i in order),
        actions=tuple(names),
    )
    _check_labels(infosets)
    return infosets, place


def _action_names(actions: tuple[Any, ...], key: Any) -> tuple[str, ...]:
    names = tuple(_label(action, "action") for action in actions)
    if len(set(names)) != len(names):
        raise RulesError(
            f"player {key[0] + 1} has two actions of one name at {short(key[1])}: "
            f"{short(list(names))}"
        )
    return names


def _label(thing: Any, what: str) -> str:
    """How an observation or an action is called, in this run and in every other."""
    try:
        name = label(thing)
        name.encode()
    except Exception as error:
        raise RulesError(f"the {what} {short(thing)} has no name: {reason(error)}") from error
    if " at 0x" in name and _ADDRESS.search(name):
        raise RulesError(
            f"the {what} {short(thing)} is named by its place in memory, which changes from run to "
            "run; give a text, a number or a tuple of them"
        )
    return name


def _check_labels(infosets: Infosets) -> None:
    seen: set[tuple[int, str]] = set()
    for owner, name in zip(infosets.owner.tolist(), infosets.labels, strict=True):
        if (owner, name) in seen:
            raise RulesError(
                f"two infosets of player {owner + 1} are both named {short(name)}; "
                "observations that differ must also print differently"
            )
        seen.add((owner, name))


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
        edges = np.repeat(first[frontier] - np.cumsum(widths) + widths, widths) + np.arange(
            widths.sum()
        )
        below = tree.child[edges]
        np.subtract.at(parents_left, below, 1)
        frontier = np.unique(below[parents_left[below] == 0])
    if done < nodes:
        raise RulesError(
            f"the game has a cycle: {nodes - done:,} merged states can be reached from themselves"
        )
    place = np.empty(nodes, dtype=np.uint32)
    place[order] = np.arange(nodes, dtype=np.uint32)
    widths = (first[1:] - first[:-1])[order]
    new_first = np.concatenate([[0], np.cumsum(widths)])
    edges = np.repeat(first[order] - new_first[:-1], widths) + np.arange(new_first[-1])
    return HistoryTree(
        spec=tree.spec,
        players=tree.players,
        turn=tree.turn[order],
        first=new_first.astype(np.uint32),
        child=place[tree.child[edges]],
        prob=tree.prob[edges],
        infoset=tree.infoset[order],
        leaf=tree.leaf[order],
        payoff=tree.payoff,
        infosets=tree.infosets,
        merged=True,
        game=tree.game,
    )
