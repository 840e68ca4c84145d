"""Frequencies in words, against a walk over the rules and against realisation plans."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterfold as cf
from counterfold.errors import MismatchError, ParameterError, UnsupportedError
from counterfold.games.base import CHANCE, TERMINAL, label
from counterfold.solvers.lp import plans
from counterfold.style.frequency import Frequency
from counterfold.tree.sequence import sequence_form
from tests.random_games import games, meeting_games


class Rounds(cf.Kuhn):
    """Kuhn poker whose second decisions are said to be a second round."""

    def round_of(self, seen: str) -> int:
        return 1 + ("|" in seen)


def labels(game: Any, text: str) -> list[str]:
    tree = cf.compile_game(game)
    return [tree.infosets.labels[i] for i in Frequency.parse(text).matches(tree).infosets]


def counted(
    game: Any, asked: Frequency, own: cf.Strategy, others: cf.Strategy
) -> tuple[float, float]:
    """How often the player does it, and how often it could, by visiting every history."""
    wanted = set(labels(game, str(asked)))
    done, asked_for = 0.0, 0.0

    def walk(state: Any, reach: float) -> None:
        nonlocal done, asked_for
        turn = game.turn(state)
        if turn == TERMINAL:
            return
        if turn == CHANCE:
            for outcome, chance in game.chance(state):
                walk(game.next(state, outcome), reach * chance)
            return
        seen = game.observe(state, turn)
        chosen = own if turn == asked.player else others
        parts = seen if isinstance(seen, tuple) else (seen,)
        played = chosen.at(*parts, player=turn)
        if turn == asked.player and label(seen) in wanted:
            done += reach * sum(played.get(action, 0.0) for action in asked.actions)
            asked_for += reach
        for action in game.actions(state):
            walk(game.next(state, action), reach * played[label(action)])

    walk(game.root(), 1.0)
    return done, asked_for


def walked(game: Any, asked: Frequency, own: cf.Strategy, others: cf.Strategy) -> float:
    done, asked_for = counted(game, asked, own, others)
    return done / asked_for


def plan(tree: Any, strategy: cf.Strategy, player: int) -> np.ndarray:
    """A strategy as a realisation plan."""
    form = sequence_form(tree)
    mine = plans(form, player)
    played = form.by_sequence(strategy.probabilities)[mine.sequences]
    x = np.ones(len(mine.sequences))
    rows = mine.constraints.toarray()
    for column in range(1, len(x)):  # shallow decisions come first
        (row,) = np.flatnonzero(rows[:, column] > 0)
        (parent,) = np.flatnonzero(rows[row] < 0)
        x[column] = x[parent] * played[column]
    return x


def an_action(tree: Any, player: int, which: int) -> str | None:
    offered = sorted({a for i, o in enumerate(tree.infosets.owner) if o == player
                      for a in tree.infosets.actions[i]})  # fmt: skip
    return offered[which % len(offered)] if offered else None


def test_words() -> None:
    assert Frequency.parse("bet@J") == Frequency(("bet",), "J", 0)
    assert Frequency.parse("bet@J | check bet") == Frequency(("bet",), "J | check bet", 0)
    assert Frequency.parse(" player2: fold + call@ K* ") == Frequency(("fold", "call"), "K*", 1)
    for text in ("raise", "raise@round1", "player2:call@K*", "fold+call@J | bet"):
        assert str(Frequency.parse(text)) == text
        assert Frequency.parse(text) in {Frequency.parse(text): 1}


@pytest.mark.parametrize("text", ["", "@J", "bet@", "bet+", "player0:bet", "player2:", "+"])
def test_words_that_say_nothing(text: str) -> None:
    with pytest.raises(ParameterError, match="not a frequency"):
        Frequency.parse(text)


def test_a_name_comes_before_a_pattern() -> None:
    assert labels(cf.Kuhn(), "bet@J") == ["J"]
    assert labels(cf.Kuhn(), "player2:bet@J") == ["J | check"]
    assert labels(cf.Kuhn(), "player2:call+bet@J") == ["J | check", "J | bet"]
    assert labels(cf.Kuhn(), "bet+call@K*") == ["K", "K | check bet"]
    assert labels(cf.Kuhn(), "bet+call@?") == ["J", "Q", "K"]
    assert labels(cf.Kuhn(), "check") == ["J", "Q", "K"]


def test_rounds() -> None:
    assert labels(Rounds(), "bet@round1") == ["J", "Q", "K"]
    assert labels(Rounds(), "fold@round2") == ["J | check bet", "Q | check bet", "K | check bet"]
    with pytest.raises(ParameterError, match="round1, round2"):
        labels(Rounds(), "fold@round3")
    with pytest.raises(ParameterError, match="has no rounds"):
        labels(cf.load("rps"), "R@round1")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("raise", "check, bet, fold, call"),
        ("bet@A", "near it: '"),
        ("call@K | chek bet", "near it: 'K | check bet'"),
        ("call@J", "the actions there are check, bet"),
        ("player3:bet", "no player 3"),
    ],
)
def test_what_is_not_there_is_named(text: str, hint: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(hint)):
        labels(cf.Kuhn(), text)


def test_a_single_infoset_is_its_probability() -> None:
    strategy = cf.Strategy.random(cf.Kuhn(), 3)
    for row in strategy.rows():
        for action, probability in row.actions.items():
            asked = Frequency((action,), row.infoset, row.player)
            assert asked.of(strategy) == probability


def test_what_is_never_reached_counts_as_it_would_be_played() -> None:
    tree = cf.compile_game(cf.Kuhn())
    numbers = cf.Strategy.random(tree, 1).probabilities.copy()
    for i, actions in enumerate(tree.infosets.actions):
        if actions == ("check", "bet"):
            numbers[tree.infosets.start[i] : tree.infosets.start[i + 1]] = 0, 1
    bold = cf.Strategy.of(tree, numbers)
    calls = [row.actions["call"] for row in bold.rows("check bet", player=0)]
    # Player 2 always bets, so that chance alone tells how often each card would see a bet.
    assert Frequency.parse("call").of(bold) == pytest.approx(np.mean(calls), abs=1e-15)
    # Where the other never goes either, it is taken to go there evenly.
    meek = cf.Strategy.of(tree, np.concatenate([numbers[:12], np.tile([1.0, 0.0], 6)]))
    assert Frequency.parse("call").of(meek) == pytest.approx(np.mean(calls), abs=1e-15)


def test_against_another() -> None:
    game = cf.Kuhn()
    mine, yours = cf.Strategy.random(game, 1), cf.Strategy.random(game, 2)
    calls = Frequency.parse("call")
    assert calls.of(mine, yours) == pytest.approx(walked(game, calls, mine, yours), abs=1e-12)
    assert abs(calls.of(mine, yours) - calls.of(mine)) > 1e-3
    with pytest.raises(MismatchError):
        calls.of(mine, cf.Strategy.uniform(cf.OneCard(ranks=4)))


@settings(max_examples=40)
@given(game=games(), seed=st.integers(0, 100), player=st.integers(0, 3), which=st.integers(0, 5))
def test_random_games(game: Any, seed: int, player: int, which: int) -> None:
    tree = cf.compile_game(game)
    player %= game.players
    mine, yours = cf.Strategy.random(tree, seed), cf.Strategy.random(tree, seed + 1)
    action = an_action(tree, player, which)
    if action is None:
        with pytest.raises(ParameterError):
            Frequency(("a",), "", player).of(mine)
        return
    asked = Frequency((action,), "", player)
    assert asked.of(mine, yours) == pytest.approx(walked(game, asked, mine, yours), abs=1e-12)
    numerator, denominator = asked.coefficients(tree, yours)
    x = plan(tree, mine, player)
    assert numerator @ x / (denominator @ x) == pytest.approx(asked.of(mine, yours), abs=1e-12)
    assert denominator.min() >= 0


@given(pair=meeting_games(recall=True), seed=st.integers(0, 100), player=st.integers(0, 2))
def test_merged_games(pair: Any, seed: int, player: int) -> None:
    plain, merged = (cf.compile_game(game) for game in pair)
    player %= plain.players
    action = an_action(plain, player, seed)
    if action is None:
        return
    asked = Frequency((action,), "", player)
    # Infosets may stand in another order in the graph.
    drawn = cf.Strategy.random(plain, seed)
    rows = {(row.player, row.infoset): list(row.actions.values()) for row in drawn.rows()}
    keys = zip(merged.infosets.owner.tolist(), merged.infosets.labels, strict=True)
    same = cf.Strategy.of(merged, np.concatenate([rows[key] for key in keys]))
    assert asked.of(same) == pytest.approx(asked.of(drawn), abs=1e-12)
    numerator, denominator = asked.coefficients(merged, same)
    x = plan(merged, same, player)
    assert numerator @ x / (denominator @ x) == pytest.approx(asked.of(same), abs=1e-12)


@given(game=games(recall=False, depths=(3, 5)), seed=st.integers(0, 100))
def test_imperfect_recall(game: Any, seed: int) -> None:
    tree = cf.compile_game(game)
    strategy = cf.Strategy.random(tree, seed)
    action = an_action(tree, 0, seed)
    if action is None:
        return
    asked = Frequency((action,))
    assert asked.of(strategy) == pytest.approx(walked(game, asked, strategy, strategy), abs=1e-12)
    if not sequence_form(tree).perfect_recall:
        with pytest.raises(UnsupportedError, match="imperfect recall"):
            asked.coefficients(tree, strategy)
