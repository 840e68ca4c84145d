"""Strategies to and from OpenSpiel's tabular policies.

The two trees are walked side by side, move by move in the order in which each game lists its
moves; they must be the same game history by history, whatever the infosets are called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import MismatchError, MissingExtraError
from counterfold.games.base import CHANCE, TERMINAL, Game
from counterfold.games.openspiel import OpenSpielGame, SpielGame, SpielState
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.history import HistoryTree, compile_game


class Policy(Protocol):
    """A policy as OpenSpiel has it."""

    game: SpielGame

    def action_probabilities(self, state: SpielState, /) -> Mapping[int, float]: ...


class TabularPolicy(Policy, Protocol):
    """A policy of OpenSpiel's with a row for each infoset."""

    def policy_for_key(self, key: str, /) -> Floats: ...


def to_openspiel(strategy: AnyStrategy, game: SpielGame | str | None = None) -> TabularPolicy:
    """The strategy as an OpenSpiel ``TabularPolicy``.

    ``game`` is OpenSpiel's game (an object or its name); it is known for games that were
    loaded from OpenSpiel.

    >>> import counterfold as cf
    >>> policy = to_openspiel(cf.Strategy.uniform(cf.Kuhn()), "kuhn_poker")
    >>> state = policy.game.new_initial_state().child(0).child(1)
    >>> sorted(policy.action_probabilities(state).values()) == [0.5, 0.5]
    True
    """
    theirs = _openspiel_game(strategy.tree, game)
    policy = _tabular_policy(theirs)
    start = strategy.infosets.start
    for node, state in _side_by_side(strategy.tree, theirs):
        i = int(strategy.tree.infoset[node])
        row = policy.policy_for_key(state.information_state_string())
        for k, action in enumerate(state.legal_actions()):
            row[action] = strategy.probabilities[int(start[i]) + k]
    return policy


def from_openspiel(policy: Policy, game: Game | str | None = None) -> Strategy[HistoryTree]:
    """A strategy from any OpenSpiel policy, for OpenSpiel's game or for the same one of ours.

    >>> import counterfold as cf
    >>> even = to_openspiel(cf.Strategy.uniform(cf.Kuhn()), "kuhn_poker")
    >>> from_openspiel(even, cf.Kuhn()).at("Q", "check bet")
    {'fold': 0.5, 'call': 0.5}
    """
    theirs = policy.game
    tree = compile_game(OpenSpielGame(str(theirs)) if game is None else game)
    probabilities = np.full(tree.infosets.slots, np.nan)
    for node, state in _side_by_side(tree, theirs):
        i = int(tree.infoset[node])
        lo, hi = int(tree.infosets.start[i]), int(tree.infosets.start[i + 1])
        given = policy.action_probabilities(state)
        new = np.array([given.get(action, 0.0) for action in state.legal_actions()])
        old = probabilities[lo:hi]
        if not np.isnan(old).any() and np.abs(old - new).max() > 1e-9:
            raise MismatchError(
                f"the policy plays differently in situations that {tree.spec} shows as one, "
                f"{tree.infosets.labels[i]!r}; use a variant of the game that tells them apart"
            )
        probabilities[lo:hi] = new
    return Strategy.of(tree, probabilities, {"method": "OpenSpiel policy"})


def _side_by_side(tree: HistoryTree, game: SpielGame) -> Iterator[tuple[int, SpielState]]:
    """Decision nodes of our tree with OpenSpiel's state at the same history."""
    stack = [(0, game.new_initial_state())]
    while stack:
        node, state = stack.pop()
        who = int(tree.turn[node])
        first, last = int(tree.first[node]), int(tree.first[node + 1])
        if state.is_terminal():
            same = who == TERMINAL and np.allclose(
                tree.payoff[tree.leaf[node]], state.returns(), atol=1e-9
            )
            moves: list[int] = []
        elif state.is_chance_node():
            outcomes = [(a, p) for a, p in state.chance_outcomes() if p > 0]
            moves = [a for a, _ in outcomes]
            same = who == CHANCE and len(moves) == last - first
            same = same and np.allclose(tree.prob[first:last], [p for _, p in outcomes], atol=1e-9)
        else:
            moves = state.legal_actions()
            same = who == state.current_player() and len(moves) == last - first
        if not same:
            raise MismatchError(
                f"{tree.spec} and OpenSpiel's {game} are not the same game: they differ after "
                f"the moves {state.history_str() or '(none)'}"
            )
        if who >= 0:
            yield node, state
        for k, move in enumerate(moves):
            stack.append((int(tree.child[first + k]), state.child(move)))


def _openspiel_game(tree: HistoryTree, game: SpielGame | str | None) -> SpielGame:
    import pyspiel

    if game is None:
        if not tree.spec.startswith("openspiel:"):
            raise MismatchError(
                f"{tree.spec} was not loaded from OpenSpiel: say which of its games is the same"
            )
        game = tree.spec.removeprefix("openspiel:")
    theirs: SpielGame = pyspiel.load_game(game) if isinstance(game, str) else game
    if theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        theirs = pyspiel.convert_to_turn_based(theirs)
    return theirs


def _tabular_policy(game: SpielGame) -> TabularPolicy:
    try:
        from open_spiel.python import policy
    except ImportError:
        raise MissingExtraError(
            "OpenSpiel is not installed: pip install 'counterfold[openspiel]'"
        ) from None
    made: TabularPolicy = policy.TabularPolicy(game)
    return made
