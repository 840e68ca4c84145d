"""The matrix game of safe exploitation search (figure 2): SES against mixing, exactly."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterfold.arrays import Floats
from counterfold.evaluate.sequence import assess_form
from counterfold.games.normal_form import NormalForm
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.searchers.entry import enter
from counterfold.searchers.gadget import ses
from counterfold.searchers.refine import refine
from counterfold.searchers.subgame import subgames
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form


def matrix_game(u: float = 4.0, w: float = 9.9, f: float = 10.0) -> NormalForm:
    """Table 1 of the paper: player 1 picks L, M or R, player 2 (who searches) U, O, D or F.

    R pays ``u`` against U, ``w`` against O and D, and ``f`` against F. The paper's text asks only
    that u < w < f and u + w >= 1; the defaults are the numbers that its table seems to have.
    """
    to_second: list[list[float]] = [[3, -2, 3, -100], [-2, 3, -2, -100], [u, w, w, f]]
    first = [[-x for x in row] for row in to_second]
    return NormalForm(first, [["L", "M", "R"], ["U", "O", "D", "F"]])


@dataclass(frozen=True)
class MatrixPoint:
    """SES and mixing at one alpha: payoff against R, and exploitability."""

    alpha: float
    payoff: float
    exploitability: float
    mixing_payoff: float
    mixing_exploitability: float
    strategy: tuple[float, ...]  # of U, O, D and F


@dataclass(frozen=True)
class MatrixFigure(Result, paper="ses", figure=2, game="matrix"):
    """Figure 2: points by alpha, and the alpha at which SES turns to F."""

    points: tuple[MatrixPoint, ...]
    alpha_star: float
    cpu_seconds: float


def figure_2(
    alphas: Sequence[float] | None = None,
    u: float = 4.0,
    w: float = 9.9,
    f: float = 10.0,
    on_progress: Progress = no_progress,
) -> MatrixFigure:
    """SES against mixing on the matrix game, where the opponent always plays R.

    From the blueprint (U and O evenly) SES finds the equilibrium of O and D, which wins more from
    R and can be exploited as little, until alpha* = 100.5 / (100.5 + f - w); beyond it plays F.
    At alpha 0 all equilibria are as good, and one of them is shown.

    >>> [(round(p.payoff, 6), round(p.exploitability, 6)) for p in figure_2([0.5, 1.0]).points]
    [(9.9, 0.0), (10.0, 100.5)]
    """
    began = time.process_time()
    turn = 100.5 / (100.5 + f - w)
    if alphas is None:
        alphas = sorted({*(k / 50 for k in range(51)), 1e-4, turn - 1e-4, turn + 1e-4})
    tree = compile_game(matrix_game(u, w, f))
    blueprint = Strategy.of(tree, np.array([0.5, 0.5, 0.0, 0.5, 0.5, 0.0, 0.0]))
    (subgame,) = subgames(tree, "move:1")
    entry = enter(subgame, blueprint, 1)
    weak = np.array([0.0, 0.0, 1.0])
    response = np.array([0.0, 0.0, 0.0, 1.0])
    points = []
    for done, alpha in enumerate(alphas):
        actions = refine(entry, ses(entry, alpha, weak), "lp").weights
        mixed = (1 - alpha) * blueprint.probabilities[3:] + alpha * response
        figures = [_against(tree, weak, played) for played in (actions, mixed)]
        points.append(MatrixPoint(alpha, *figures[0], *figures[1], tuple(actions.tolist())))
        on_progress(done + 1, len(alphas))
    return MatrixFigure(tuple(points), turn, time.process_time() - began)


def _against(tree: HistoryTree, weak: Floats, played: Floats) -> tuple[float, float]:
    """What player 2 wins against a strategy of player 1, and what it may lose of the value 1/2."""
    assessed, _ = assess_form(sequence_form(tree), np.append(weak, played))
    return assessed.values[1], 0.5 + assessed.best[0]
