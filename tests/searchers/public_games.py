"""Random games with a public course of play: private types, and moves that others may not see."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from counterfold.errors import ParameterError
from counterfold.games.base import CHANCE, TERMINAL, Game
from counterfold.searchers.subgame import Subgames, subgames
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game


class PublicGame(Game):
    """Chance deals a type to each player; then moves follow a random public course.

    What happens after a course is drawn from the seed and the course itself, so that it is the
    same for all types. Now and then a move is hidden from the other player, or chance moves.
    A state is the types and the moves; a hidden move is seen as "?".
    """

    def __init__(self, seed: int, types: int = 3, moves: int = 4) -> None:
        self.seed, self.moves = seed, moves
        self.players, self.spec = 2, f"public({seed},{types},{moves})"
        rng = random.Random(seed)
        weights = {
            (f"t{a}", f"t{b}"): rng.choice([0, 1, 1, 2, 3])
            for a in range(types)
            for b in range(types)
        }
        weights["t0", "t0"] += 1
        total = sum(weights.values())
        self.deals = [(deal, w / total) for deal, w in weights.items() if w]

    def _course(self, state: Any) -> tuple[str, ...]:
        return tuple("?" if hidden else move for _, move, hidden in state[1])

    def _drawn(self, state: Any) -> tuple[int, int, bool]:
        """Who moves after a course, with how many actions, and whether the other one sees it."""
        course = self._course(state)
        rng = random.Random(f"{self.seed} {course}")
        if len(course) == self.moves or (len(course) > 1 and rng.random() < 0.15):
            return TERMINAL, 0, False
        if len(course) > 1 and course[-1] != "?" and rng.random() < 0.2:
            return CHANCE, 2, False
        return rng.randrange(2), rng.choice([2, 2, 3]), rng.random() < 0.25

    def root(self) -> Any:
        return None

    def turn(self, state: Any) -> int:
        return CHANCE if state is None else self._drawn(state)[0]

    def chance(self, state: Any) -> Any:
        return self.deals if state is None else [("x", 0.25), ("y", 0.75)]

    def actions(self, state: Any) -> Any:
        return tuple("abc"[: self._drawn(state)[1]])

    def next(self, state: Any, action: Any) -> Any:
        if state is None:
            return (action, ())
        who, _, hidden = self._drawn(state)
        return (state[0], (*state[1], (who, action, hidden)))

    def observe(self, state: Any, player: int) -> Any:
        seen = ["?" if hidden and who != player else move for who, move, hidden in state[1]]
        return (state[0][player], " ".join(seen))

    def payoff(self, state: Any) -> tuple[float, float]:
        rng = random.Random(f"{self.seed} {state}")
        gain = rng.uniform(-3, 3)
        return (gain, -gain)


def passing(tree: HistoryTree, point: str) -> Subgames | None:
    """The subgames below a point, or None if play always ends before it."""
    try:
        return subgames(tree, point)
    except ParameterError:
        return None


def own_slots(tree: HistoryTree, player: int) -> NDArray[np.bool_]:
    """Which slots are of the player's infosets."""
    return np.repeat(tree.infosets.owner == player, tree.infosets.sizes)


def opened(game: Game, random: Any, point: str) -> tuple[Strategy[HistoryTree], Subgames | None]:
    """A random strategy of a game, and the subgames below a point if there are any."""
    tree = compile_game(game)
    return Strategy.random(tree, random), passing(tree, point)


@st.composite
def public_games(draw: Any, types: int = 3, moves: int = 4) -> PublicGame:
    """A random game of this kind; ``move:1`` and ``move:2`` are public points of it."""
    return PublicGame(draw(st.integers(0, 10**6)), types, moves)
