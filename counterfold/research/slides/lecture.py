"""A lecture on regret matching and CFR: its worked numbers, made again by the solvers.

The slides have a general-sum rock, paper, scissors in which regret matching is followed for two
iterations and a half; a zero-sum game with an empty table that compares RM with RM+; a small tree
with the regrets of CFR at two infosets; and one sample of external sampling. The tree was a
drawing: it is rebuilt here from the numbers that the text has of it, which leave no choice (the
infoset I.2 apart, of which there is no number).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from counterfold.evaluate.exact import values
from counterfold.games.base import TERMINAL, Game
from counterfold.games.normal_form import NormalForm, general_rock_paper_scissors
from counterfold.games.spec import whole
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game

ACTIONS = ["R", "P", "S"]
COMPARED = [[2, 1, 0], [2, 0, 3], [-1, 3, -3]]
"""What player 1 gets in the zero-sum game of RM and RM+."""

PRINTED: dict[tuple[int, str], str] = {
    (1, "regrets"): "0 -1/3 1/3 | -1/3 2/3 -1/3",
    (1, "cumulative"): "0 -1/3 1/3 | -1/3 2/3 -1/3",
    (1, "next"): "0 0 1 | 0 1 0",
    (2, "regrets"): "-4 -3 0 | 2 0 1",
    (2, "cumulative"): "-4 -10/3 1/3 | 5/3 2/3 2/3",
    (2, "next"): "0 0 1 | 5/2 1 1",
}
"""The slides' numbers of regret matching, by iteration: of player 1, and of player 2."""


@dataclass(frozen=True)
class Number(Result, also=("same",)):
    """A number of the slides beside ours; None where the slides leave it open."""

    iteration: int
    what: str
    player: int  # from 1, as the slides count
    action: str
    ours: float
    theirs: float | None

    @property
    def same(self) -> bool | None:
        return None if self.theirs is None else abs(self.ours - self.theirs) < 1e-9


@dataclass(frozen=True)
class Worked(Result, paper="slides", table="rm", game="general-sum rock, paper, scissors"):
    """Regret matching, iteration by iteration."""

    iterations: int
    numbers: tuple[Number, ...]


def worked(iterations: int = 4, on_progress: Progress = no_progress) -> Worked:
    """Regret matching from uniform play: regrets, their sums and the next strategies.

    >>> [round(n.ours, 4) for n in worked(2).numbers if n.iteration == 2 and n.what == "next"]
    [0.0, 0.0, 1.0, 0.5556, 0.2222, 0.2222]
    """
    whole("iterations", iterations, least=1)
    solver = Solver(general_rock_paper_scissors(), "cfr", alternating=False)
    before, numbers = np.zeros(6), []
    for iteration in range(1, iterations + 1):
        on_progress(iteration - 1, iterations)
        solver.step()
        sums = solver.learned()[0]
        for what, row in (
            ("regrets", sums - before),
            ("cumulative", sums),
            ("next", solver.current()),
        ):
            printed = PRINTED.get((iteration, what), "").replace("|", "").split()
            for slot, ours in enumerate(row.tolist()):
                theirs = float(Fraction(printed[slot])) if printed else None
                numbers.append(
                    Number(iteration, what, 1 + slot // 3, ACTIONS[slot % 3], ours, theirs)
                )
        before = sums
    return Worked(iterations, tuple(numbers))


@dataclass(frozen=True)
class Iteration:
    """One row of the table that the slides leave empty: both players' numbers."""

    method: str
    iteration: int
    regrets: tuple[float, ...]  # cumulative, with RM+ never below 0
    strategy: tuple[float, ...]  # of the next iteration
    average: tuple[float, ...]


@dataclass(frozen=True)
class Comparison(Result, paper="slides", table="rm+", game="zero-sum, three by three"):
    """RM beside RM+, and how far their averages are from an equilibrium."""

    rows: tuple[Iteration, ...]
    gaps: dict[str, dict[int, float]]  # the sum of both gains by method and iteration


def comparison(iterations: int = 10_000, on_progress: Progress = no_progress) -> Comparison:
    """The first three iterations of RM and of RM+, and their gaps at powers of ten."""
    whole("iterations", iterations, least=3)
    game = NormalForm(COMPARED, [ACTIONS, ACTIONS])
    ways = {"RM": Solver(game, "cfr", alternating=False), "RM+": Solver(game, "cfr+")}
    marks = [mark for mark in (10, 100, 1000, 10_000) if mark < iterations] + [iterations]
    rows: list[Iteration] = []
    gaps: dict[str, dict[int, float]] = {}
    for done, (name, solver) in enumerate(ways.items()):
        on_progress(done, len(ways))
        for iteration in (1, 2, 3):
            solver.step()
            tables = solver.learned()[0], solver.current(), solver.probabilities()
            rows.append(Iteration(name, iteration, *(tuple(table.tolist()) for table in tables)))
        gaps[name] = {}
        for mark in marks:
            solver.step(max(mark - solver.iteration, 0))
            gaps[name][mark] = sum(solver.assess().gains)
    return Comparison(tuple(rows), gaps)


class Lecture(Game):
    """The tree of the CFR example; states are the actions so far.

    Player 2 opens: left or middle lead to I.1, right to I.2. After L1 player 2 moves again, and
    after its second action in the middle player 1 is at I.3.
    """

    name = "lecture"
    payoffs: ClassVar[dict[tuple[str, ...], int | Fraction]] = {
        ("l", "L1", "a"): 0, ("l", "L1", "b"): 1, ("l", "R1"): Fraction(8, 3),
        ("m", "L1", "a"): 3, ("m", "L1", "b", "L3"): 0, ("m", "L1", "b", "R3"): 1, ("m", "R1"): 1,
        ("r", "L2"): 0, ("r", "R2"): 0,
    }  # fmt: skip

    def root(self) -> tuple[str, ...]:
        return ()

    def turn(self, state: tuple[str, ...]) -> int:
        if state in self.payoffs:
            return TERMINAL
        return 1 if state == () or state[-1] == "L1" else 0

    def chance(self, state: Hashable) -> Sequence[tuple[str, float]]:
        return []

    def actions(self, state: tuple[str, ...]) -> list[str]:
        if state == ():
            return ["l", "m", "r"]
        number = {1: "2" if state == ("r",) else "1", 2: "", 3: "3"}[len(state)]
        return [f"L{number}", f"R{number}"] if number else ["a", "b"]

    def next(self, state: tuple[str, ...], action: Hashable) -> tuple[str, ...]:
        return (*state, str(action))

    def observe(self, state: tuple[str, ...], player: int) -> Hashable:
        """Player 1 does not see whether player 2 went left or to the middle."""
        return state if player else tuple("l" if move == "m" else move for move in state)

    def payoff(self, state: tuple[str, ...]) -> tuple[float, float]:
        won = float(self.payoffs[state])
        return won, -won


CURRENT = {
    "": (1 / 2, 1 / 4, 1 / 4),
    "l": (2 / 3, 1 / 3),
    "r": (1 / 2, 1 / 2),
    "l | L1": (1 / 3, 2 / 3),
    "m | L1": (1 / 3, 2 / 3),
    "l | L1 | b": (0.0, 1.0),
}
"""What is played on the slides, by infoset: l is I.1, r is I.2, l | L1 | b is I.3."""
SAMPLE = {"": (0.0, 1.0, 0.0), "m | L1": (1.0, 0.0)}
"""What player 2 plays in the sample of external sampling."""


_Asked = tuple[str, str, Mapping[str, tuple[float, ...]], Sequence[str], Sequence[str | None]]
"""What is asked for, at which infoset, what is forced, the actions and what is printed of them."""


@dataclass(frozen=True)
class Regrets(Result, paper="slides", table="cfr", game="the lecture's tree"):
    """Counterfactual regrets at two infosets, and in one sample."""

    numbers: tuple[Number, ...]


def regrets(on_progress: Progress = no_progress) -> Regrets:
    """The regrets of player 1: exact values where it does all it can to reach an infoset.

    >>> [round(number.ours, 4) for number in regrets().numbers]
    [-0.1667, 0.0, -0.2778, 0.5556, 0.6667, -1.3333]
    """
    tree = compile_game(Lecture())
    asked: tuple[_Asked, ...] = (
        ("CFR at I.3", "l | L1 | b", {"l": (1.0, 0.0)}, ("L3", "R3"), ("-1/6", "0")),
        ("CFR at I.1", "l", {}, ("L1", "R1"), ("-5/18", None)),
        ("external sampling at I.1", "l", SAMPLE, ("L1", "R1"), ("2/3", "-4/3")),
    )
    numbers = []
    for what, infoset, forced, actions, printed in asked:
        before = _value(tree, forced)
        for place, (action, theirs) in enumerate(zip(actions, printed, strict=True)):
            pure = tuple(float(k == place) for k in range(2))
            ours = _value(tree, {**forced, infoset: pure}) - before
            known = None if theirs is None else float(Fraction(theirs))
            numbers.append(Number(1, what, 1, action, ours, known))
    return Regrets(tuple(numbers))


def _value(tree: HistoryTree, forced: Mapping[str, tuple[float, ...]]) -> float:
    """What player 1 wins where both play as on the slides, apart from what is forced."""
    plays = {**CURRENT, **forced}
    table = np.concatenate([plays[label] for label in tree.infosets.labels])
    strategy = Strategy.of(tree, table)
    return values(strategy, strategy)[0]
