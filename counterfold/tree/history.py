"""The compiled history graph: a game's rules walked once and laid out in flat arrays."""

from __future__ import annotations

import hashlib
import math
import os
import sys
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import RulesError, TreeTooLargeError
from counterfold.games.base import CHANCE, TERMINAL, label, spec_of

__all__ = ["HistoryTree", "Infosets", "Size", "compile_game", "measure", "memory_at_hand"]

NONE = 0xFFFFFFFF
"""The index that stands for "no such thing" in uint32 arrays."""

Progress = Callable[[int], None]


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
        scale = max(1.0, float(np.abs(self.payoff).max(initial=0.0)))
        return float(total[0]) if np.ptp(total) <= 1e-9 * scale else None

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


class Size(NamedTuple):
    """What compiling and solving a game takes, told before it is taken."""

    histories: int
    terminals: int
    infosets: int
    slots: int
    bytes: int


class Visit(NamedTuple):
    """One edge of the walk over the rules, and the node it leads to if that is new."""

    parent: int
    edge: int
    node: int
    new: bool
    turn: int
    moves: Any  # outcomes with probabilities, actions, or payoffs
    infoset: Any  # (player, observation) where a player moves


def memory_at_hand() -> int:
    """Bytes that can still be taken on this machine (a large number if it cannot be told)."""
    room = sys.maxsize
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable"):
                    room = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        try:
            room = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
        except (ValueError, OSError, AttributeError):
            return room
    return room


def _bytes_needed(nodes: int, edges: int, leaves: int, infosets: int, players: int) -> int:
    """Flat arrays, their sequence form, the solver's tables and the infosets' names."""
    tree = 21 * nodes + 12 * edges + 8 * players * leaves
    sequence_form = leaves * players * (8 + 4 * players)
    return tree + sequence_form + 400 * infosets


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
    players = _players_of(game)
    turn, child, prob = array("b"), array("I"), array("d")
    first, infoset, leaf, payoff = array("Q", [0]), array("I"), array("I"), array("d")
    rows: dict[Any, int] = {}
    actions: list[tuple[Any, ...]] = []
    guard = _MemoryGuard(memory, players)
    for visit in _visits(game, players):
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
        if not visit.node & 0xFFF:
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


def measure(game: Any, memory: int | None = None, progress: Progress | None = None) -> Size:
    """Count what a game's tree would take, without building it.

    >>> from counterfold.games.leduc import Leduc
    >>> measure(Leduc()).histories
    9457
    """
    players = _players_of(game)
    guard = _MemoryGuard(memory, players)
    nodes = edges = leaves = slots = 0
    rows: set[Any] = set()
    for visit in _visits(game, players):
        if not visit.new:
            continue
        nodes += 1
        if visit.turn == TERMINAL:
            leaves += 1
            continue
        edges += len(visit.moves)
        if visit.turn != CHANCE and visit.infoset not in rows:
            rows.add(visit.infoset)
            slots += len(visit.moves)
        if not nodes & 0xFFF:
            guard.check(nodes, edges, leaves, len(rows))
            if progress:
                progress(nodes)
    need = _bytes_needed(nodes, edges, leaves, len(rows), players) + 48 * slots
    return Size(nodes, leaves, len(rows), slots, need)


class _MemoryGuard:
    def __init__(self, memory: int | None, players: int) -> None:
        self.memory = int(0.9 * memory_at_hand()) if memory is None else memory
        self.players = players

    def check(self, nodes: int, edges: int, leaves: int, infosets: int) -> None:
        need = _bytes_needed(nodes, edges, leaves, infosets, self.players)
        if need > self.memory or edges >= NONE:
            raise TreeTooLargeError(
                f"the game tree has more than {nodes:,} histories and would take over "
                f"{need / 2**20:,.0f} MB where {self.memory / 2**20:,.0f} MB may be used; "
                "choose smaller parameters, or raise the limit with `memory`"
            )


def _players_of(game: Any) -> int:
    players = getattr(game, "players", 2)
    if not isinstance(players, int) or isinstance(players, bool) or not 1 <= players <= 100:
        raise RulesError(f"players is {players!r}, and must be a whole number from 1 to 100")
    return players


def _visits(game: Any, players: int) -> Iterator[Visit]:
    """Walk the rules depth first, checking the contract at each state."""
    merge = getattr(game, "merge", None)
    known: dict[Any, int] = {}
    numbers = count()
    turn_of, chance_of, actions_of = game.turn, game.chance, game.actions
    next_of, observe, payoff_of = game.next, game.observe, game.payoff
    # A state that stands above itself on one path is a cycle. On an endless path the walk
    # ends up in the cycle, where a marker set at each power of two meets it (Brent).
    markers: dict[int, Any] = {}
    stack: list[tuple[int, int, Any, Any, int]] = [(0, -1, None, None, 0)]
    while stack:
        parent, edge, before, move, depth = stack.pop()
        state = game.root() if edge < 0 else next_of(before, move)
        if merge is not None:
            key = merge(state)
            seen = known.get(key)
            if seen is not None:
                yield Visit(parent, edge, seen, False, 0, None, None)
                continue
            node = known[key] = next(numbers)
        else:
            node = next(numbers)
            if depth >= 64:
                power = 1 << (depth.bit_length() - 1)
                if depth == power:
                    markers[power] = state
                elif markers[power] == state:
                    raise RulesError(f"the game has a cycle: {_short(state)} leads to itself again")
        who = turn_of(state)
        infoset = None
        if who == TERMINAL:
            moves: Any = payoff_of(state)
            if len(moves) != players:
                raise RulesError(
                    f"payoff at {_short(state)} has {len(moves)} numbers for {players} players"
                )
            for amount in moves:
                if not math.isfinite(amount):
                    raise RulesError(f"payoff at {_short(state)} is {_short(moves)}, not finite")
        elif who == CHANCE:
            outcomes = [(o, p) for o, p in chance_of(state) if p != 0]
            total = math.fsum(p for _, p in outcomes)
            if not abs(total - 1) <= 1e-9 or any(not p > 0 for _, p in outcomes):
                raise RulesError(
                    f"chance probabilities at {_short(state)} sum to {total:.12g}; "
                    "they must be positive and sum to one"
                )
            moves = outcomes
            for i in range(len(moves) - 1, -1, -1):
                stack.append((node, i, state, moves[i][0], depth + 1))
        elif 0 <= who < players:
            moves = tuple(actions_of(state))
            if not moves:
                raise RulesError(f"player {who + 1} has no action at {_short(state)}")
            infoset = (who, observe(state, who))
            for i in range(len(moves) - 1, -1, -1):
                stack.append((node, i, state, moves[i], depth + 1))
        else:
            raise RulesError(f"turn at {_short(state)} is {who!r}, which is no player")
        yield Visit(parent, edge, node, True, who, moves, infoset)


def _short(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) <= 80 else text[:77] + "..."


def _unlike(infoset: Any, one: tuple[Any, ...], other: tuple[Any, ...]) -> RulesError:
    player, observation = infoset
    return RulesError(
        f"player {player + 1} sees {label(observation)!r} with the actions {_short(list(one))} "
        f"and again with {_short(list(other))}; one observation must have one list of actions"
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
        labels=tuple(label(keys[i][1]) for i in order),
        actions=tuple(names),
    )
    _check_labels(infosets)
    return infosets, place


def _action_names(actions: tuple[Any, ...], key: Any) -> tuple[str, ...]:
    names = tuple(label(a) for a in actions)
    if len(set(names)) != len(names):
        raise RulesError(
            f"player {key[0] + 1} has two actions of one name at {label(key[1])!r}: "
            f"{_short(list(names))}"
        )
    return names


def _check_labels(infosets: Infosets) -> None:
    seen: set[tuple[int, str]] = set()
    for owner, name in zip(infosets.owner.tolist(), infosets.labels, strict=True):
        if (owner, name) in seen:
            raise RulesError(
                f"two infosets of player {owner + 1} are both named {name!r}; "
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
