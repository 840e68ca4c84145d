"""The sequence form of a compiled game: one treeplex a player, and the leaves as a sparse sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Array, Floats, Ints
from counterfold.games.base import TERMINAL
from counterfold.notebook import brief
from counterfold.tree.history import NONE, HistoryTree, kept_with
from counterfold.tree.memory import MemoryGuard

if TYPE_CHECKING:
    from counterfold.kernels.sequence import Form
    from counterfold.tree.form import InfosetForm

LOOKED = 1 << 8
"""Nodes from one look at the memory to the next where players remember more than the game."""


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game as its players remember it.

    Sequences ``0 .. players - 1`` are the empty ones. ``slot[s]`` is the place of sequence
    ``s`` in the flat strategy arrays of the tree (``slot`` of an empty sequence is unused).
    Infosets with a single action have no sequence of their own.

    Where the game itself forgets (``perfect_recall`` is False), the form splits each infoset
    by what its owner did and saw before, so it describes players with a perfect memory: right
    for values and for what a responder could gain, and not for solving.
    """

    tree: InfosetForm
    form: Form
    slot: NDArray[np.uint32]
    perfect_recall: bool

    def __repr__(self) -> str:
        return brief(self, f"of {self.tree.spec}: {self.sequences:,} sequences")

    @property
    def sequences(self) -> int:
        return len(self.slot)

    @property
    def leaves(self) -> int:
        """Entries of the sparse payoff, all players together."""
        return len(self.form.val)

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in self.form)

    def by_sequence(self, probabilities: Floats) -> Floats:
        """A strategy over slots, laid out by sequence."""
        out, players = np.empty(self.sequences), self.tree.players
        out[:players] = 1.0
        out[players:] = probabilities[self.slot[players:]]
        return out

    def infosets(self) -> Ints:
        """The tree's infoset behind each of the form's, in the form's own order."""
        first = []
        for group in range(len(self.form.start) - 1):
            lo, hi = int(self.form.infoset[group]), int(self.form.infoset[group + 1])
            first.append(self.slot[int(self.form.start[group]) :][: hi - lo])
        slots = np.concatenate(first) if first else np.zeros(0, dtype=np.uint32)
        return np.searchsorted(self.tree.infosets.start, slots, side="right") - 1

    def above(self) -> NDArray[np.uint32]:
        """The slot of the owner's last choice before each infoset of the tree; NONE at the first.

        Forced moves are no choices; they have nothing above them.
        """
        above = np.full(len(self.tree.infosets.owner), NONE, dtype=np.uint32)
        parent = self.form.parent
        above[self.infosets()] = np.where(
            parent < self.tree.players, np.uint32(NONE), self.slot[parent]
        )
        return above

    def reach(self, strategy: Floats) -> Floats:
        """Probabilities of sequences from a strategy by sequence."""
        reach = np.ones(self.sequences)
        for group in range(len(self.form.start) - 1):
            lo, hi = int(self.form.infoset[group]), int(self.form.infoset[group + 1])
            first, last = int(self.form.start[group]), int(self.form.start[group + 1])
            above = reach[self.form.parent[lo:hi]]
            reach[first:last] = np.tile(above, (last - first) // (hi - lo)) * strategy[first:last]
        return reach

    def by_slot(self, strategy: NDArray[np.floating]) -> Floats:
        """A strategy by sequence, laid out over the slots of the tree (perfect recall only)."""
        out = np.ones(self.tree.infosets.slots)
        players = self.tree.players
        out[self.slot[players:]] = strategy[players:]
        return out

    def pure(self, choice: NDArray[np.uint32], player: int) -> Floats:
        """What a player does that takes one action at each infoset, over the slots of the tree."""
        arrays, out = self.form, np.zeros(self.sequences)
        for group in range(int(arrays.groups[player]), int(arrays.groups[player + 1])):
            lo, hi = int(arrays.infoset[group]), int(arrays.infoset[group + 1])
            chosen = choice[lo:hi].astype(np.int64) * (hi - lo) + np.arange(hi - lo)
            out[int(arrays.start[group]) + chosen] = 1.0
        return self.by_slot(out)


def sequence_form(tree: HistoryTree) -> SequenceForm:
    """The sequence form of a tree, built once.

    >>> from counterfold.games.onecard import Kuhn
    >>> from counterfold.tree.history import compile_game
    >>> kuhn = sequence_form(compile_game(Kuhn()))
    >>> kuhn.sequences, kuhn.leaves, kuhn.perfect_recall
    (26, 60, True)
    """
    return kept_with(tree, "sequence_form", lambda tree: _remembered(tree) or _refined(tree))


def treeplex(
    tree: InfosetForm, owner: Array, size: Array, parent: Array, slot: Array
) -> SequenceForm:
    """A form of infosets alone, whose leaves are counted elsewhere.

    Infosets come with their owners, sizes, the sequences that lead to them (numbered as they
    come, after the players' empty ones) and their first slots.
    """
    none = np.zeros((0, tree.players), np.uint32)
    plex = _Treeplexes(owner, size, parent, slot)
    return SequenceForm(tree, *_assemble(tree.players, plex, none, np.zeros(none.shape)), True)


def _remembered(tree: HistoryTree) -> SequenceForm | None:
    """The sequence form of a game of perfect recall; None for any other."""
    from counterfold.kernels.layout import Memory, own_sequences

    players, infosets = tree.players, tree.infosets
    sizes = infosets.sizes
    real = np.flatnonzero(sizes > 1)
    start = players + np.concatenate([[0], np.cumsum(sizes[real])])
    first_sequence = np.full(len(sizes), NONE, dtype=np.uint32)
    first_sequence[real] = start[:-1]
    seq = np.full((tree.histories, players), NONE, dtype=np.uint32)
    parent = np.full(len(sizes), NONE, dtype=np.uint32)
    weight = np.zeros(tree.histories)
    if not own_sequences(
        tree.turn, tree.first, tree.child, tree.prob, tree.infoset, first_sequence,
        Memory(seq, parent, weight),
    ):  # fmt: skip
        return None
    ends = np.flatnonzero(tree.turn == TERMINAL)
    plex = _Treeplexes(infosets.owner[real], sizes[real], parent[real], infosets.start[real])
    seq, gains = seq[ends], weight[ends, None] * tree.payoff[tree.leaf[ends]]
    del weight, ends  # as large as the tree, and used no more
    return SequenceForm(tree, *_assemble(players, plex, seq, gains), True)


def _refined(tree: HistoryTree) -> SequenceForm:
    """The sequence form for players who remember all that they saw and did."""
    players = tree.players
    start_of = tree.infosets.start.tolist()
    turn, first, child = tree.turn.tolist(), tree.first.tolist(), tree.child.tolist()
    prob, infoset, leaf = tree.prob.tolist(), tree.infoset.tolist(), tree.leaf.tolist()
    known: dict[tuple[int, int], int] = {}  # (infoset, own sequence) -> its first sequence
    found: list[tuple[int, int, int]] = []  # owner, infoset, own sequence
    size = players
    ends: dict[tuple[int, ...], Floats] = {}
    guard = MemoryGuard(None, players)
    # Memories with which a node can be reached, each with the chance of getting there.
    reached: list[dict[tuple[int, ...], float]] = [{} for _ in turn]
    reached[0][tuple(range(players))] = 1.0
    seen = due = 0  # memories; a node may have any number of them
    for v, who in enumerate(turn):
        seen += len(reached[v])
        if seen >= due:
            guard.check_memories(len(ends))
            due = seen + LOOKED
        for memory, weight in reached[v].items():
            if who == TERMINAL:
                gain = weight * tree.payoff[leaf[v]]
                ends[memory] = ends[memory] + gain if memory in ends else gain
                continue
            base = -1
            if who >= 0:
                i = infoset[v]
                key = (i, memory[who])
                width = start_of[i + 1] - start_of[i]
                if width > 1:
                    if key not in known:
                        known[key] = size
                        found.append((who, i, memory[who]))
                        size += width
                    base = known[key]
            for e in range(first[v], first[v + 1]):
                after = memory
                if base >= 0:
                    after = (*memory[:who], base + e - first[v], *memory[who + 1 :])
                below = reached[child[e]]
                below[after] = below.get(after, 0.0) + weight * prob[e]
        reached[v] = {}
    owner, original, parent = np.array(found, dtype=np.int64).reshape(-1, 3).T
    plex = _Treeplexes(owner, tree.infosets.sizes[original], parent, tree.infosets.start[original])
    memories = np.array(list(ends), dtype=np.int64).reshape(-1, players)
    gains = np.array(list(ends.values())).reshape(-1, players)
    # Merged histories may differ in what a player did who never moves again: nothing is lost.
    remembers = len(np.unique(original)) == len(original)
    return SequenceForm(tree, *_assemble(players, plex, memories, gains), remembers)


class _Treeplexes(NamedTuple):
    """Infosets in order of discovery, whose sequences follow each other after the empty ones."""

    owner: NDArray[np.integer]
    size: NDArray[np.integer]
    parent: NDArray[np.integer]  # sequence that leads there
    slot: NDArray[np.integer]  # place of the first action in the tree's strategy arrays


def _depths(players: int, plex: _Treeplexes) -> Ints:
    """How many of its owner's decisions lie above each infoset."""
    of_sequence = np.repeat(np.arange(len(plex.size)), plex.size)
    parent = plex.parent.astype(np.int64) - players
    above = np.where(parent < 0, -1, of_sequence[np.maximum(parent, 0)])
    depth = np.zeros(len(plex.size), dtype=np.int64)
    pending = np.flatnonzero(above >= 0)
    while len(pending):
        deeper = depth[above[pending]] + 1
        pending = pending[deeper != depth[pending]]
        depth[pending] = depth[above[pending]] + 1
    return depth


def _assemble(
    players: int, plex: _Treeplexes, memories: NDArray[np.integer], gains: Floats
) -> tuple[Form, NDArray[np.uint32]]:
    """Arrays for the kernels, and the slot of each sequence.

    Infosets are sorted into groups of one owner, depth and size (see ``kernels.sequence``).
    """
    from counterfold.kernels.sequence import Form

    depth = _depths(players, plex)
    order = np.lexsort((plex.size, depth, plex.owner))
    owner, size = plex.owner[order], plex.size[order].astype(np.int64)
    keys = np.stack([owner, depth[order], size])
    heads = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
    heads = heads[: len(order)]  # no infosets, no groups
    widths = np.diff(np.append(heads, len(order)))
    group = np.repeat(np.arange(len(heads)), widths)
    group_start = players + np.concatenate([[0], np.cumsum(size[heads] * widths)])
    # Sequence of action a at the k-th infoset of its group: start + a * width + k.
    place_in_group = np.arange(len(order)) - heads[group]
    action = np.concatenate([np.arange(n) for n in size]) if len(size) else np.zeros(0, np.int64)
    new = (
        np.repeat(group_start[group] + place_in_group, size)
        + np.repeat(widths[group], size) * action
    )
    old_start = players + np.concatenate([[0], np.cumsum(plex.size)])[:-1].astype(np.int64)
    renamed = np.arange(group_start[-1], dtype=np.uint32)
    renamed[np.repeat(old_start[order], size) + action] = new
    slot = np.zeros(group_start[-1], dtype=np.uint32)
    slot[new] = np.repeat(plex.slot[order].astype(np.int64), size) + action
    ptr, col, val = _sparse(int(group_start[-1]), renamed[memories], gains)
    return Form(
        groups=np.searchsorted(owner[heads], np.arange(players + 1)).astype(np.uint32),
        infoset=np.append(heads, len(order)).astype(np.uint32),
        start=group_start.astype(np.uint32),
        parent=renamed[plex.parent[order]].astype(np.uint32),
        ptr=ptr.astype(np.uint32),
        col=col.reshape(-1),
        val=val,
    ), slot


def _sparse(
    sequences: int, memories: NDArray[np.uint32], gains: Floats
) -> tuple[Ints, NDArray[np.uint32], Floats]:
    """Leaves by own sequence; those that all players remember alike are one, zeros are none.

    One player after another, so that the room that sorting takes is that of one.
    """
    parts = [_merged(memories, gains, player) for player in range(memories.shape[1])]
    own, col, val = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(own, kind="stable")  # empty sequences of all players come first
    ends = np.concatenate([[0], np.cumsum(np.bincount(own, minlength=sequences))])
    return ends, col[order], val[order]


def _merged(
    memories: NDArray[np.uint32], gains: Floats, player: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Floats]:
    """A player's leaves by own sequence and those of the others, equal ones added up."""
    some = np.flatnonzero(gains[:, player])
    others = [p for p in range(memories.shape[1]) if p != player]
    own = memories[some, player]
    order = np.lexsort((*(memories[some, p] for p in reversed(others)), own))
    own, some = own[order], some[order]
    del order
    col = memories[some][:, others]
    if len(own):
        differs = (own[1:] != own[:-1]) | (col[1:] != col[:-1]).any(axis=1)
        heads = np.flatnonzero(np.append(True, differs))
        own, col = own[heads], col[heads]
        val = np.add.reduceat(gains[some, player], heads)
    else:
        val = np.zeros(0)
    keep = val != 0
    return own[keep], col[keep], val[keep]
