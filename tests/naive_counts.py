"""Slow and obvious walks over the rules: counts, values of uniform play, transcripts of hands."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from counterfold.games.base import CHANCE, TERMINAL, label


@dataclass(frozen=True)
class Counts:
    histories: int
    terminals: int
    infosets: tuple[int, ...]


def survey(game: Any) -> tuple[Counts, tuple[float, ...]]:
    """Counts, and what each player wins when all play every action alike."""
    histories = terminals = 0
    seen: list[set[Any]] = [set() for _ in range(game.players)]
    value = [0.0] * game.players
    stack = [(game.root(), 1.0)]
    while stack:
        state, reach = stack.pop()
        histories += 1
        turn = game.turn(state)
        if turn == TERMINAL:
            terminals += 1
            for player, won in enumerate(game.payoff(state)):
                value[player] += reach * won
        elif turn == CHANCE:
            for outcome, chance in game.chance(state):
                stack.append((game.next(state, outcome), reach * chance))
        else:
            seen[turn].add(game.observe(state, turn))
            actions = game.actions(state)
            for action in actions:
                stack.append((game.next(state, action), reach / len(actions)))
    return Counts(histories, terminals, tuple(map(len, seen))), tuple(value)


def counts(game: Any) -> Counts:
    """Histories, terminal ones, and infosets of each player."""
    return survey(game)[0]


def same_tree(game: Any, native: Any, one_deal: int | None = None) -> Counts:
    """Walk both trees hand in hand: turns, chances, payoffs, and infosets must correspond.

    ``one_deal`` follows only the first outcome of that deal, which leaves a part to compare.
    """
    histories = terminals = 0
    ours: list[dict[Any, str]] = [{} for _ in range(game.players)]
    theirs: list[dict[str, Any]] = [{} for _ in range(game.players)]
    stack = [(game.root(), native.new_initial_state(), 0)]
    assert game.players == native.num_players()
    while stack:
        state, other, deals = stack.pop()
        histories += 1
        turn = game.turn(state)
        if turn == TERMINAL:
            assert other.is_terminal()
            terminals += 1
            assert [round(won, 9) for won in game.payoff(state)] == [
                round(won, 9) for won in other.returns()
            ]
            continue
        assert not other.is_terminal()
        if turn == CHANCE:
            assert other.is_chance_node()
            chances, others = game.chance(state), other.chance_outcomes()
            assert len(chances) == len(others)
            pairs = list(zip(chances, others, strict=True))
            for (outcome, chance), (number, probability) in (
                pairs if deals != one_deal else pairs[:1]
            ):
                assert abs(chance - probability) < 1e-12
                stack.append((game.next(state, outcome), other.child(number), deals + 1))
            continue
        assert turn == other.current_player()
        observed, told = game.observe(state, turn), other.information_state_string(turn)
        assert ours[turn].setdefault(observed, told) == told
        assert theirs[turn].setdefault(told, observed) == observed
        actions, numbers = game.actions(state), other.legal_actions()
        for action, number in zip(actions, numbers, strict=True):
            stack.append((game.next(state, action), other.child(number), deals))
    return Counts(histories, terminals, tuple(map(len, ours)))


def openspiel_value(native: Any) -> tuple[float, ...]:
    """Uniform play by OpenSpiel's own rules and own evaluation."""
    import pyspiel

    uniform = pyspiel.UniformRandomPolicy(native)
    return tuple(pyspiel.expected_returns(native.new_initial_state(), uniform, -1, False))


def transcript(game: Any, seed: int) -> list[str]:
    """One hand, every choice by chance: who saw what and did what, and the payoffs."""
    rng = random.Random(seed)
    lines = []
    state = game.root()
    while (turn := game.turn(state)) != TERMINAL:
        if turn == CHANCE:
            outcomes, chances = zip(*game.chance(state), strict=True)
            move = rng.choices(outcomes, chances)[0]
            lines.append(f"chance: {move}")
        else:
            actions = game.actions(state)
            move = rng.choice(actions)
            seen = label(game.observe(state, turn))
            lines.append(f"player {turn} [{seen}] {'/'.join(actions)}: {move}")
        state = game.next(state, move)
    return [*lines, f"payoff: {' '.join(f'{won:g}' for won in game.payoff(state))}"]


def after(game, *events):
    """The state of a game after some events."""
    state = game.root()
    for event in events:
        state = game.next(state, event)
    return state
