"""What every player sees at every node, and what all of them know in common."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Bools, Ints
from counterfold.errors import CounterfoldError, RulesError, reason, short
from counterfold.games.base import CHANCE, TERMINAL, Game, State
from counterfold.tree.history import HistoryTree, kept_with, spans
from counterfold.tree.story import moves_at, rules_of

NOTHING = -1
"""The last own move of a player who has not moved."""

UNSURE = -2
"""The last own move where merged histories differ in it, so that nobody remembers it."""


@dataclass(frozen=True, eq=False)
class Views:
    """What players see, as numbers: equal numbers of one player are one view.

    A view is what ``observe`` tells that player, together with its own last move (infoset and
    action), so that it holds all that its infosets tell. Where the rules do not say what a player
    sees while others move, or at the end (``observe`` raises, or gives None), the own last move
    is all that counts there, and ``complete`` is False.

    ========  ===============  ========================================================
    array     shape            meaning
    ========  ===============  ========================================================
    seen      [nodes,players]  the view of each player; -1 at chance nodes
    ends      [leaves,players] the view at the end, numbered from 0 by its own
    final     [leaves,players] the same with what ``shown`` tells everybody at the end
    public    [nodes]          the public set of a decision; -1 elsewhere
    overt     [nodes]          whether all others learn at once what is decided here
    ========  ===============  ========================================================

    A public set is what the players know in common: two decisions of one player with the same
    actions are in one set if some player cannot tell them apart, or a chain of such pairs links
    them. An action is overt if in the public set no other player has the same view after two
    different actions (at the next node that is not chance, or the end).

    In a merged graph the views are those of one state of each node (see ``Story``).
    """

    seen: NDArray[np.int32]
    final: NDArray[np.int32]
    ends: NDArray[np.int32]
    public: NDArray[np.int32]
    overt: Bools
    complete: bool


def views(tree: HistoryTree) -> Views:
    """The views of a tree, found once by a walk over its rules.

    >>> from counterfold.games.onecard import Kuhn
    >>> from counterfold.tree.history import compile_game
    >>> kuhn = views(compile_game(Kuhn()))
    >>> int(kuhn.public.max()) + 1  # open, after a check, after check and bet, after a bet
    4
    >>> kuhn.ends.max(axis=0) + 1, kuhn.final.max(axis=0) + 1, kuhn.complete
    (array([15, 15], dtype=int32), array([24, 24], dtype=int32), True)
    """
    return kept_with(tree, "views", _seen)


def _seen(tree: HistoryTree) -> Views:
    seen, shown, complete = _walk(tree)
    at_end = np.empty((tree.terminals, tree.players), dtype=np.int64)
    leaves = np.flatnonzero(tree.turn == TERMINAL)
    at_end[tree.leaf[leaves]] = seen[leaves]
    with_shown = at_end * (int(shown.max(initial=0)) + 1) + shown[:, None]
    public = _public(tree, seen)
    return Views(
        seen=seen,
        final=_by_player(with_shown),
        ends=_by_player(at_end),
        public=public,
        overt=_overt(tree, seen, public),
        complete=complete,
    )


def _walk(tree: HistoryTree) -> tuple[NDArray[np.int32], Ints, bool]:
    """Views by node, what is shown by leaf, and whether the rules tell all of it."""
    game, players = rules_of(tree), tree.players
    observe, after, show = game.observe, game.next, getattr(game, "shown", None)
    turn, first, child = tree.turn.tolist(), tree.first.tolist(), tree.child.tolist()
    infoset, start = tree.infoset.tolist(), tree.infosets.start.tolist()
    numbers: list[dict[Hashable, int]] = [{} for _ in range(players)]
    things: dict[Hashable, int] = {}
    shown = np.zeros(tree.terminals, dtype=np.int64)
    seen = array("i")
    complete = True
    states: list[object] = [None] * len(turn)
    states[0] = game.root()
    # Each player's last own slot, where a way to the node has been found.
    last: list[tuple[int, ...] | None] = [None] * len(turn)
    last[0] = (NOTHING,) * players
    for node, who in enumerate(turn):
        state, own = states[node], last[node]
        states[node] = last[node] = None
        assert own is not None
        if who == CHANCE:
            seen.extend([-1] * players)
        else:
            for player in range(players):
                sight = observe(state, who) if player == who else _sight(game, state, player)
                complete &= player == who or sight is not None
                known = numbers[player]
                seen.append(known.setdefault((own[player], sight), len(known)))
        if who == TERMINAL:
            if callable(show):
                thing = _shown(show, state)
                shown[tree.leaf[node]] = things.setdefault(thing, len(things))
            continue
        begin = first[node]
        slot = start[infoset[node]] if who >= 0 else 0
        width = first[node + 1] - begin
        for place, move in enumerate(moves_at(game, state, who, width)):
            below = child[begin + place]
            then = own if who < 0 else (*own[:who], slot + place, *own[who + 1 :])
            before = last[below]
            if before is None:
                states[below], last[below] = after(state, move), then
            elif before != then:
                last[below] = tuple(
                    a if a == b else UNSURE for a, b in zip(before, then, strict=True)
                )
    return np.array(seen, dtype=np.int32).reshape(-1, players), shown, complete


def _sight(game: Game, state: State, player: int) -> Hashable:
    """What a player sees who is not to move; None where the rules do not say."""
    try:
        sight = game.observe(state, player)
        hash(sight)
    except MemoryError:
        raise
    except Exception:
        return None
    return sight


def _shown(show: Callable[[State], Hashable], state: State) -> Hashable:
    try:
        thing = show(state)
        hash(thing)
    except (CounterfoldError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise RulesError(f"shown fails at {short(state)} with {reason(error)}") from error
    return thing


def _public(tree: HistoryTree, seen: NDArray[np.int32]) -> NDArray[np.int32]:
    """Decisions that share a view are linked through it; linked ones are one set."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    public = np.full(tree.histories, -1, dtype=np.int32)
    nodes = np.flatnonzero(tree.turn >= 0)
    if not len(nodes):
        return public
    lists: dict[tuple[str, ...], int] = {}
    menu = np.array([lists.setdefault(names, len(lists)) for names in tree.infosets.actions])
    rows = tree.infoset[nodes].astype(np.int64)
    kind = tree.turn[nodes].astype(np.int64) * len(lists) + menu[rows]
    # The mover of a forgetful game cannot tell the nodes of its infoset apart either.
    links = [rows]
    for player in range(tree.players):
        links.append(kind * (int(seen.max()) + 1) + seen[nodes, player])
    vertices, members, size = [], [], len(nodes)
    for link in links:
        link = np.unique(link, return_inverse=True)[1].reshape(-1)
        vertices.append(size + link)
        members.append(np.arange(len(nodes)))
        size += int(link.max()) + 1
    # Of 64-bit indices old scipy finds no components, and does not say so.
    ends = tuple(np.concatenate(part).astype(np.int32) for part in (members, vertices))
    graph = coo_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(size, size))
    public[nodes] = _numbered(connected_components(graph, directed=False)[1][: len(nodes)])
    return public


def _overt(tree: HistoryTree, seen: NDArray[np.int32], public: NDArray[np.int32]) -> Bools:
    """A decision is not overt if in its set one view of another player follows two actions."""
    first = tree.first.astype(np.int64)
    source = tree.source
    decided = np.flatnonzero(tree.turn[source] >= 0)
    source = source[decided]
    # Rows: a set, an action, who chose it, and a node that may come next.
    rows = np.stack(
        [public[source], decided - first[source], tree.turn[source], tree.child[decided]], axis=1
    )
    hidden = np.zeros(int(public.max(initial=-1)) + 1, dtype=bool)
    arrived = [np.zeros((0, 4), dtype=np.int64)]
    while len(rows):
        at_chance = tree.turn[rows[:, 3]] == CHANCE
        arrived.append(rows[~at_chance])
        rows = rows[at_chance]
        widths = first[rows[:, 3] + 1] - first[rows[:, 3]]
        edges = spans(first[rows[:, 3]], widths)
        rows = np.repeat(rows, widths, axis=0)
        rows[:, 3] = tree.child[edges]
        if tree.merged:
            rows = np.unique(rows, axis=0)
    group, action, mover, node = np.concatenate(arrived).T
    for player in range(tree.players):
        other = mover != player
        sight = group[other] * (int(seen.max()) + 1) + seen[node[other], player]
        order = np.lexsort((action[other], sight))
        sight, chosen, sets = sight[order], action[other][order], group[other][order]
        twice = (sight[1:] == sight[:-1]) & (chosen[1:] != chosen[:-1])
        hidden[sets[1:][twice]] = True
    overt: Bools = (public >= 0) & ~np.append(hidden, False)[public]
    return overt


def _by_player(keys: Ints) -> NDArray[np.int32]:
    return np.stack([_numbered(column) for column in keys.T], axis=1)


def _numbered(keys: NDArray[np.integer]) -> NDArray[np.int32]:
    """Equal keys as equal numbers from 0, in order of first appearance."""
    _, where, number = np.unique(keys, return_index=True, return_inverse=True)
    place = np.empty(len(where), dtype=np.int32)
    place[np.argsort(where)] = np.arange(len(where), dtype=np.int32)
    found: NDArray[np.int32] = place[number.reshape(-1)]
    return found
