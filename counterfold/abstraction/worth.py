"""What actions are worth to hands, as what these are compared by when they are sorted into buckets.

A short run without buckets comes near an equilibrium. In it every hand on every last board knows
what each action is worth at each decision: hands for which these are alike lose nothing by sharing
a bucket. An action that is clearly best need not be told apart from one that is best by more, so
differences count by their root.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from counterfold.abstraction.buckets import renamings, set_number, standard_words
from counterfold.abstraction.features import Boards, Points
from counterfold.arrays import Floats
from counterfold.errors import UnsupportedError
from counterfold.evaluate.exact import evaluator_of
from counterfold.evaluate.public import PublicEvaluator
from counterfold.poker.cards import CARDS, HOLES
from counterfold.poker.game import DECISION, PokerGame
from counterfold.poker.isomorphism import hole_classes
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from counterfold.tree.public_size import public_size

AXES = 16
"""Principal axes that are kept of what actions are worth."""

METHOD, ITERATIONS = "dcfr(1.5,0,3)", 60
"""Of the run; on Flop Hold'em that is 6 mbb/h from an equilibrium."""

Look = Callable[[float], None]


def check_worth(game: PokerGame) -> None:
    """Refuse games in which not every hand can be asked on every board."""
    later = [cards for cards in game.rules.deal[: game.betting.streets] if cards]
    if game.board or game.rules.hole != 2 or len(game.rules.deck) != CARDS or len(later) != 1:
        raise UnsupportedError(
            "buckets by worth are for hold'em from the first cards with one street of boards, as "
            f"fhp is, and {game.name} is not; take another kind"
        )
    public_size(game, dtype="float32").check()


@dataclass(frozen=True, eq=False)
class Worth:
    """Points of all holes on the last boards, [standard boards, holes, axes]; -1 where they meet.

    They are made before they are asked for, as a walk through the whole game tells them all.
    """

    size: int  # cards of a board
    points: Points
    squared: bool = True

    def __call__(self, boards: Boards) -> Points:
        words = standard_words(self.size)[2]
        found: Points = self.points[[words[set_number(board.tolist())] // 24 for board in boards]]
        return found

    @classmethod
    def of(cls, game: PokerGame, threads: int = 2, look: Look = lambda share: None) -> Worth:
        """What actions are worth in a game, played as a run of some iterations says."""
        tree = PublicTree(game, symmetry=True)
        solver = Solver(tree, METHOD, threads=threads)
        for report in solver.run(Until(iterations=ITERATIONS)):
            look(0.6 * report.iteration / ITERATIONS)
        strategy, size = solver.strategy(), len(tree.boards[-1].cards)
        del solver
        found = _differences(strategy, size, lambda share: look(0.6 + 0.4 * share))
        return cls(size, _turned(found, size))


def _differences(strategy: Strategy[PublicTree], size: int, look: Look) -> Points:
    """[standard boards, holes, numbers] roots of what actions are worth beside the mean of all."""
    tree, last = strategy.tree, strategy.tree.last
    nodes, words = tree.nodes, standard_words(size)[2]
    decisions = [n for n in range(*_span(tree, last)) if nodes.kind[n] == DECISION]
    width = nodes.count[decisions].astype(np.int64) - 1  # the last difference follows from the rest
    first = dict(zip(decisions, (np.cumsum(width) - width).tolist(), strict=True))
    found = np.zeros((len(standard_words(size)[0]), HOLES, int(width.sum())), np.float32)
    evaluator = evaluator_of(tree)
    assert isinstance(evaluator, PublicEvaluator)
    for player in (0, 1):

        def note(board: int, node: int, worth: Floats, player: int = player) -> None:
            here = tree.boards[board]
            if here.street != last:
                return
            if node == decisions[0]:
                look((player + board / len(tree.boards)) / 2)
            word = int(words[set_number(here.cards)])
            gaps = (worth - worth.mean(axis=0))[:-1]
            columns = renamings()[0][word % 24][tree.hands[player][board].holes]
            rows = found[word // 24, :, first[node] : first[node] + len(gaps)]
            rows[columns] = (np.sign(gaps) * np.sqrt(np.abs(gaps))).T

        evaluator.action_values(strategy.tables, player, note, last)
    return found


def _span(tree: PublicTree, street: int) -> tuple[int, int]:
    return int(tree.nodes.begin[street]), int(tree.nodes.begin[street + 1])


def _turned(found: Points, size: int) -> Points:
    """The same on their principal axes, none of them negative, and -1 where a hole meets a board.

    Holes that suits alone tell apart have the same values but for rounding, and share a point.
    """
    boards, weights, _ = standard_words(size)
    classes = [hole_classes(board.tolist()) for board in boards]
    share = np.concatenate(
        [weights[k] * one.weight.astype(np.float64) for k, one in enumerate(classes)]
    )
    flat = np.concatenate([found[k][one.hole] for k, one in enumerate(classes)])
    flat -= (share / share.sum()).astype(np.float32) @ flat
    spread = (flat * share[:, None].astype(np.float32)).T @ flat
    axes = np.linalg.eigh(spread.astype(np.float64))[1][:, ::-1][:, :AXES]
    turned = flat @ axes.astype(np.float32)
    turned -= turned.min(axis=0)
    points = np.full((len(boards), HOLES, turned.shape[1]), -1, np.float32)
    ends = np.cumsum([len(one.hole) for one in classes])
    for k, (one, end) in enumerate(zip(classes, ends, strict=True)):
        live = one.of < len(one.hole)
        points[k, live] = turned[end - len(one.hole) : end][one.of[live]]
    return points
