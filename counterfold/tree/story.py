"""The way back from a compiled tree to the rules: states, names of moves, and hands as events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import cast

import numpy as np

from counterfold.arrays import Ints
from counterfold.errors import MismatchError, ParameterError
from counterfold.games.base import CHANCE, TERMINAL, Action, Game, State, label, spec_of
from counterfold.games.catalog import load_named
from counterfold.poker.game import PokerGame
from counterfold.poker.rules import PokerRules
from counterfold.tree.history import HistoryTree, kept_with
from counterfold.tree.public import PublicTree

MOST_NAMED = 12
"""Moves that an error lists before it only counts the rest."""


def rules_of(game: object) -> Game:
    """The rules of a game, as a table plays them: of a spot and of a compiled form too.

    Those of a history tree are loaded by their name if it does not hold them.

    >>> from counterfold.games.onecard import Kuhn
    >>> from counterfold.poker.holdem import fhp
    >>> rules_of(Kuhn()).players, rules_of(fhp()).spec
    (2, 'fhp')
    """
    if isinstance(game, HistoryTree):
        return load_named(game.spec, "the tree") if game.game is None else game.game
    if isinstance(game, PublicTree):
        game = game.game
    return PokerRules(game) if isinstance(game, PokerGame) else cast("Game", game)


def moves_at(game: Game, state: State, turn: int, width: int) -> list[Action]:
    """Actions or chance outcomes of a state, one for each of its node's ``width`` edges."""
    if turn == CHANCE:
        moves = [outcome for outcome, chance in game.chance(state) if chance != 0]
    else:
        moves = list(game.actions(state))
    if len(moves) != width:
        raise MismatchError(
            f"the rules of {spec_of(game)} no longer fit the tree that was compiled from them; "
            "compile the game again"
        )
    return moves


class Story:
    """States and names for the nodes of a tree, worked out for those that are asked about.

    In a merged graph several histories may reach one node: its state is then that of the first
    way there (the lowest edges), which differs from the others in nothing that matters to play.

    >>> from counterfold.games.onecard import Kuhn
    >>> from counterfold.tree.history import compile_game
    >>> tale = story(compile_game(Kuhn()))
    >>> nodes = tale.follow(["K", "Q", "check", "bet"])
    >>> tale.moves(nodes[-1]), tale.events(nodes)
    (('fold', 'call'), ('K', 'Q', 'check', 'bet'))
    """

    def __init__(self, tree: HistoryTree) -> None:
        self.tree = tree
        self._states: dict[int, State] = {}
        self._moves: dict[int, dict[str, int]] = {}

    @cached_property
    def game(self) -> Game:
        """The rules."""
        return rules_of(self.tree)

    def state(self, node: int) -> State:
        """The state of the rules at a node.

        >>> from counterfold.games.onecard import Kuhn
        >>> from counterfold.tree.history import compile_game
        >>> story(compile_game(Kuhn())).state(1)
        ((0,), 1)
        """
        node = self._known(node)
        missing = []
        while node and node not in self._states:
            missing.append(node)
            node = self._parent(node)
        state = self._states[node] if node in self._states else self.game.root()
        self._states[node] = state
        for child in reversed(missing):
            move = int(self._edge[child]) - int(self.tree.first[node])
            state = self.game.next(state, self._raw(node, state)[move])
            self._states[child] = state
            node = child
        return state

    def moves(self, node: int) -> tuple[str, ...]:
        """Names of a node's edges: actions or chance outcomes; none at an end."""
        node = self._known(node)
        turn = self.tree.turn[node]
        if turn == TERMINAL:
            return ()
        if turn != CHANCE:
            return self.tree.infosets.actions[int(self.tree.infoset[node])]
        return tuple(map(label, self._raw(node, self.state(node))))

    def follow(self, events: Iterable[object]) -> list[int]:
        """The nodes that a hand passes, the root first; its events are names of moves."""
        node = 0
        nodes = [node]
        for number, event in enumerate(events, 1):
            name = event if isinstance(event, str) else label(event)
            edge = self._places(node).get(name)
            if edge is None:
                raise self._impossible(number, name, node)
            node = int(self.tree.child[edge])
            nodes.append(node)
        return nodes

    def events(self, nodes: Sequence[int]) -> tuple[str, ...]:
        """Names of the moves between nodes that follow each other: what ``follow`` was given.

        Where two moves of a merged graph lead to the same node, the first of them is told.
        """
        told = []
        tree = self.tree
        for node, after in pairwise(nodes):
            first, last = int(tree.first[self._known(node)]), int(tree.first[node + 1])
            ways = np.flatnonzero(tree.child[first:last] == after)
            if not len(ways):
                raise ParameterError(f"no move leads from node {node} to node {after}")
            told.append(self.moves(node)[int(ways[0])])
        return tuple(told)

    def path(self, node: int) -> list[int]:
        """The nodes from the root to this one, both among them.

        >>> from counterfold.games.onecard import Kuhn
        >>> from counterfold.tree.history import compile_game
        >>> story(compile_game(Kuhn())).path(4)
        [0, 1, 2, 3, 4]
        """
        nodes = [self._known(node)]
        while nodes[-1]:
            nodes.append(self._parent(nodes[-1]))
        return nodes[::-1]

    @cached_property
    def _edge(self) -> Ints:
        """The first edge that leads to each node (none leads to the root)."""
        edge = np.zeros(self.tree.histories, dtype=np.int64)
        edges = np.arange(len(self.tree.child))[::-1]
        edge[self.tree.child[edges]] = edges  # of several the one written last stays
        return edge

    def _raw(self, node: int, state: State) -> list[Action]:
        """Moves as the rules have them."""
        width = int(self.tree.first[node + 1]) - int(self.tree.first[node])
        return moves_at(self.game, state, int(self.tree.turn[node]), width)

    def _parent(self, node: int) -> int:
        return int(np.searchsorted(self.tree.first, self._edge[node], side="right")) - 1

    def _places(self, node: int) -> dict[str, int]:
        """Edges by name."""
        places = self._moves.get(node)
        if places is None:
            first = int(self.tree.first[node])
            places = {}
            for place, name in enumerate(self.moves(node), first):
                places.setdefault(name, place)
            self._moves[node] = places
        return places

    def _known(self, node: int) -> int:
        if not 0 <= node < self.tree.histories:
            raise ParameterError(
                f"there is no node {node}; {self.tree.spec} has the nodes 0 to "
                f"{self.tree.histories - 1}"
            )
        return int(node)

    def _impossible(self, number: int, name: str, node: int) -> ParameterError:
        names = self.moves(node)
        if not names:
            return ParameterError(
                f"event {number} is {name!r}, but the game of {self.tree.spec} is over before it"
            )
        listed = ", ".join(names[:MOST_NAMED])
        if len(names) > MOST_NAMED:
            listed += f" and {len(names) - MOST_NAMED} more"
        turn = int(self.tree.turn[node])
        who = "chance" if turn == CHANCE else f"player {turn + 1}"
        return ParameterError(
            f"event {number} is {name!r}, which {who} cannot do there in {self.tree.spec}; "
            f"possible: {listed}"
        )


def story(tree: HistoryTree) -> Story:
    """The story of a tree, made once.

    >>> from counterfold.games.onecard import Kuhn
    >>> from counterfold.tree.history import compile_game
    >>> tree = compile_game(Kuhn())
    >>> story(tree) is story(tree)
    True
    """
    return kept_with(tree, "story", Story)
