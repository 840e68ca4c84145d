"""The sequence form: treeplexes, recall, and the sparse payoff."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import counterfold as cf
from counterfold.tree.sequence import sequence_form
from tests import naive
from tests.random_games import DrawnGame, Node, games, meeting_games
from tests.solvers.layout import unflat


def payoff_by_rule(form: Any, plan: np.ndarray, player: int) -> float:
    """Sum over the leaves of a player's sequences: own x others x value."""
    arrays = form.form
    players = form.tree.players
    total = 0.0
    for s in range(form.sequences):
        for k in range(int(arrays.ptr[s]), int(arrays.ptr[s + 1])):
            owner = owner_of(form, s)
            if owner == player:
                others = arrays.col[k * (players - 1) : (k + 1) * (players - 1)]
                total += plan[s] * arrays.val[k] * np.prod(plan[others.astype(int)])
    return total


def owner_of(form: Any, sequence: int) -> int:
    if sequence < form.tree.players:
        return sequence
    group = int(np.searchsorted(form.form.start, sequence, side="right")) - 1
    return int(np.searchsorted(form.form.groups, group, side="right")) - 1


def plan_of(form: Any, probabilities: np.ndarray) -> np.ndarray:
    """Reach of every sequence, infoset by infoset."""
    arrays, plan = form.form, np.ones(form.sequences)
    behaviour = form.by_sequence(probabilities)
    for group in range(len(arrays.start) - 1):
        lo, hi = int(arrays.infoset[group]), int(arrays.infoset[group + 1])
        for s in range(int(arrays.start[group]), int(arrays.start[group + 1])):
            infoset = lo + (s - int(arrays.start[group])) % (hi - lo)
            parent = int(arrays.parent[infoset])
            assert parent < s
            assert owner_of(form, parent) == owner_of(form, s)
            plan[s] = plan[parent] * behaviour[s]
    return plan


@pytest.mark.pure
@settings(max_examples=25)
@given(game=games(depths=(1, 4)))
def test_the_sparse_payoff_is_the_games(game: Any) -> None:
    strategy = cf.Strategy.random(game, 1)
    form = sequence_form(strategy.tree)
    assert form.perfect_recall
    plan = plan_of(form, strategy.probabilities)
    slow = naive.values(game, unflat(strategy.tree, naive.uniform(game), strategy.probabilities))
    for player in range(game.players):
        assert payoff_by_rule(form, plan, player) == pytest.approx(slow[player], abs=1e-12)


@settings(max_examples=25)
@given(game=games(recall=False, depths=(3, 5)))
def test_also_where_players_forget(game: Any) -> None:
    strategy = cf.Strategy.random(game, 1)
    form = sequence_form(strategy.tree)
    plan = plan_of(form, strategy.probabilities)
    slow = naive.values(game, unflat(strategy.tree, naive.uniform(game), strategy.probabilities))
    for player in range(game.players):
        assert payoff_by_rule(form, plan, player) == pytest.approx(slow[player], abs=1e-12)


@settings(max_examples=40)
@given(game=games())
def test_every_action_has_one_sequence(game: Any) -> None:
    tree = cf.compile_game(game)
    form = sequence_form(tree)
    real = np.repeat(tree.infosets.sizes > 1, tree.infosets.sizes)
    assert sorted(form.slot[game.players :].tolist()) == np.flatnonzero(real).tolist()
    probabilities = cf.Strategy.random(tree, 2).probabilities
    assert np.array_equal(form.by_slot(form.by_sequence(probabilities)), probabilities)
    assert sequence_form(tree) is form


def forgotten(game: Any) -> set[str]:
    """Infosets that can be met with two memories, by definition; forced moves are none."""
    memories: dict[tuple[int, Any], set[Any]] = {}

    def walk(state: Any, memory: tuple[tuple[Any, ...], ...]) -> None:
        turn = game.turn(state)
        if turn == -2:
            return
        if turn == -1:
            for outcome, _ in game.chance(state):
                walk(game.next(state, outcome), memory)
            return
        seen, actions = game.observe(state, turn), game.actions(state)
        if len(actions) > 1:
            memories.setdefault((turn, seen), set()).add(memory[turn])
        for action in actions:
            after = list(memory)
            if len(actions) > 1:
                after[turn] = (*memory[turn], (seen, action))
            walk(game.next(state, action), tuple(after))

    walk(game.root(), ((),) * game.players)
    return {seen for (_, seen), found in memories.items() if len(found) > 1}


def forgetful(tree: cf.HistoryTree) -> set[str]:
    """Names of the infosets that the sequence form splits by what their owner remembers."""
    form, infosets = sequence_form(tree), tree.infosets
    memories = np.bincount(form.slot[tree.players :], minlength=infosets.slots)
    several = np.flatnonzero(memories[infosets.start[:-1]] > 1)
    return {infosets.labels[i] for i in several}


@settings(max_examples=80)
@given(game=games(recall=False))
def test_recall_is_judged_by_its_definition(game: Any) -> None:
    tree = cf.compile_game(game)
    assert forgetful(tree) == forgotten(game)
    assert sequence_form(tree).perfect_recall == (not forgotten(game))


@settings(max_examples=40)
@given(pair=meeting_games(recall=True))
def test_merging_what_nobody_remembers_keeps_recall(pair: Any) -> None:
    for game in pair:
        assert sequence_form(cf.compile_game(game)).perfect_recall


def test_a_form_goes_with_its_tree() -> None:
    tree = cf.compile_game(cf.Kuhn())
    form = sequence_form(tree)
    assert sequence_form(tree) is form
    gone = weakref.ref(tree), weakref.ref(form)
    del tree, form
    gc.collect()
    assert gone[0]() is gone[1]() is None


def test_an_absent_minded_driver_forgets() -> None:
    """Piccione and Rubinstein: two crossings that look alike; the second exit is worth 4."""
    driver = DrawnGame(
        1,
        [
            Node(0, (1, 2), infoset="crossing"),
            Node(-2, payoff=(0.0,)),
            Node(0, (3, 4), infoset="crossing"),
            Node(-2, payoff=(4.0,)),
            Node(-2, payoff=(1.0,)),
        ],
    )
    tree = cf.compile_game(driver)
    assert not sequence_form(tree).perfect_recall
    exits = cf.Strategy.of(tree, np.array([1 / 3, 2 / 3]))
    assert cf.value(exits) == pytest.approx(2 / 3 * (1 / 3 * 4 + 2 / 3))
    # With a memory the driver would go on and then leave.
    assert cf.nash_conv(exits)[0] == pytest.approx(4 - 4 / 3)
