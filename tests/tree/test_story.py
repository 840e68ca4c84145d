"""Stories: nodes, states and events tell the same hand."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

import counterfold as cf
from counterfold.errors import MismatchError, ParameterError
from counterfold.games.base import CHANCE, TERMINAL, Game, label
from counterfold.tree.story import Story, story
from tests.random_games import games, meeting_games


def hands(game: Any, most: int = 300) -> list[tuple[list[str], list[Any]]]:
    """Events and states of random hands, by the rules alone."""
    rng = random.Random(1)
    found = []
    for _ in range(most):
        state, events, states = game.root(), [], [game.root()]
        while game.turn(state) != TERMINAL:
            if game.turn(state) == CHANCE:
                move = rng.choice([o for o, p in game.chance(state) if p])
            else:
                move = rng.choice(list(game.actions(state)))
            state = game.next(state, move)
            events.append(label(move))
            states.append(state)
        found.append((events, states))
    return found


SPECS = ["kuhn", "kuhn(players=3)", "leduc", "goofspiel(prizes=random,cards=3)",
         "liars_dice(sides=3)", "rps"]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_nodes_states_and_events_are_one_hand(spec: str) -> None:
    tree = cf.compile_game(cf.load(spec))
    game, tale = tree.game, story(tree)
    for events, states in hands(game):
        nodes = tale.follow(events)
        assert nodes[0] == 0
        assert tree.turn[nodes[-1]] == TERMINAL
        assert tree.payoff[tree.leaf[nodes[-1]]].tolist() == list(game.payoff(states[-1]))
        assert tale.events(nodes) == tuple(events)
        assert [tale.state(node) for node in nodes] == states
        assert tale.path(nodes[-1]) == nodes
    for node in range(0, tree.histories, 7):  # in no order of play
        assert len(tale.moves(node)) == tree.first[node + 1] - tree.first[node]


@settings(max_examples=30)
@given(game=games())
def test_random_games(game: Any) -> None:
    tale = Story(cf.compile_game(game))
    for events, states in hands(game, most=20):
        nodes = tale.follow(events)
        assert [tale.state(node) for node in reversed(nodes)] == states[::-1]
        assert tale.events(nodes) == tuple(events)


@settings(max_examples=30)
@given(pair=meeting_games())
def test_merged_graphs(pair: Any) -> None:
    game = pair[1]
    tale = Story(cf.compile_game(game))
    for events, states in hands(game, most=20):
        nodes = tale.follow(events)
        assert [tale.state(node) for node in nodes] == states  # whatever the way there
        assert tale.follow(tale.events(nodes)) == nodes


class Loaded(Game):
    """A coin with a side that never comes up, and a state that is None."""

    def root(self) -> Any:
        return None

    def turn(self, state: Any) -> int:
        return (CHANCE, 0, TERMINAL)[0 if state is None else len(state)]

    def chance(self, state: Any) -> list[tuple[Any, float]]:
        return [("edge", 0.0), (("heads", 1), 0.5), ("never", 0.0), ("tails", 0.5)]

    def actions(self, state: Any) -> list[str]:
        return ["yes", "no"]

    def next(self, state: Any, action: Any) -> Any:
        return (*(state or ()), action)

    def observe(self, state: Any, player: int) -> Any:
        return "asked"

    def payoff(self, state: Any) -> tuple[float, float]:
        return (1.0, -1.0) if state[0] == "tails" else (0.0, 0.0)


def test_outcomes_that_never_come_have_no_edge() -> None:
    tale = story(cf.compile_game(Loaded()))
    assert tale.moves(0) == ("heads | 1", "tails")
    nodes = tale.follow([("heads", 1), "no"])  # events may be moves themselves
    assert tale.state(nodes[-1]) == (("heads", 1), "no")
    assert tale.state(tale.follow(["tails"])[-1]) == ("tails",)


class Sum(Loaded):
    """Two questions whose answers are only counted."""

    def root(self) -> Any:
        return ()

    def turn(self, state: Any) -> int:
        return TERMINAL if len(state) == 2 else 0

    def observe(self, state: Any, player: int) -> Any:
        return self.merge(state)

    def merge(self, state: Any) -> Any:
        return len(state), state.count("yes")

    def payoff(self, state: Any) -> tuple[float, float]:
        return (1.0, -1.0) if state.count("yes") == 1 else (0.0, 0.0)


def test_where_histories_meet_the_first_is_told() -> None:
    tale = story(cf.compile_game(Sum()))
    one, other = tale.follow(["yes", "no"]), tale.follow(["no", "yes"])
    assert one[-1] == other[-1]
    assert tale.events(other) == ("no", "yes")
    assert tale.state(one[-1]) == ("yes", "no")
    assert tale.path(one[-1]) == one


def test_impossible_events_are_told() -> None:
    tale = story(cf.compile_game(cf.load("kuhn")))
    for events, word in [
        (["K", "K"], r"event 2 is 'K', which chance cannot do .* possible: J, Q"),
        (["K", "Q", "check", "call"], r"event 4 is 'call', which player 2 .*: check, bet"),
        (["K", "Q", "check", "check", "bet"], "event 5 is 'bet', but the game of kuhn is over"),
    ]:
        with pytest.raises(ParameterError, match=word) as told:
            tale.follow(events)
        assert "\n" not in str(told.value)
    many = story(cf.compile_game(cf.load("one_card(ranks=13,suits=2)")))
    with pytest.raises(ParameterError, match="and 14 more"):
        many.follow(["joker"])


def test_impossible_nodes_are_told() -> None:
    tale = story(cf.compile_game(cf.load("kuhn")))
    with pytest.raises(ParameterError, match="no move leads from node 0 to node 2"):
        tale.events([0, 2])
    for wrong in (-1, 58):
        with pytest.raises(ParameterError, match="nodes 0 to 57"):
            tale.state(wrong)
        with pytest.raises(ParameterError, match="nodes 0 to 57"):
            tale.moves(wrong)
    assert tale.events([]) == ()


def test_rules_are_loaded_by_name_where_the_tree_has_none() -> None:
    tree = cf.compile_game(cf.load("leduc(ranks=4)"))
    bare = replace(tree, game=None)
    assert story(bare) is not story(tree)
    assert story(bare).state(9) == story(tree).state(9)


def test_rules_that_changed_are_told() -> None:
    tree = replace(cf.compile_game(cf.load("kuhn")), game=cf.load("one_card(ranks=4)"))
    with pytest.raises(MismatchError, match="no longer fit the tree"):
        story(tree).moves(0)


def test_only_nodes_that_are_asked_about_are_paid_for() -> None:
    tale = Story(cf.compile_game(cf.load("leduc")))
    tale.follow(["Ks", "Qh", "check", "bet"])
    assert len(tale._states) <= 4
