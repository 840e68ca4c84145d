"""What safe exploitation search promises, as numbers: Liu et al. (2022), and a bound of our own.

All compare with a reference strategy of the player, in which a class of the opponent has the value
``best``. The paper's reference is the nearest equilibrium: the best that the player can do if it
keeps its blueprint before the subgames. The blueprint itself will do as well, and costs nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from counterfold.arrays import Floats
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.sequence import assess_form
from counterfold.games.base import CHANCE
from counterfold.notebook import brief
from counterfold.searchers.entry import HistoryEntry, enters
from counterfold.searchers.gadget import maxmargin, unsafe
from counterfold.searchers.lp import solve_gadget
from counterfold.searchers.refine import HistoryRefined, refine
from counterfold.searchers.refined import AnyRefined
from counterfold.searchers.subgame import Subgames
from counterfold.solvers.lp import solve_lp
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, Infosets, kept_with
from counterfold.tree.sequence import sequence_form


def safety_bound(alpha: float, delta: float, tau: float, slack: float = 0.0) -> float:
    """Theorem 1: by how much SES may be more exploitable than the nearest equilibrium.

    ``delta`` is how far the marks lie from the equilibrium's values, at most; ``tau`` how far the
    judged range lies from the equilibrium's, relative to it; ``slack`` what the search left below
    its optimum. Infinite where (2 tau + 1) alpha reaches 1.

    >>> safety_bound(0.25, 0.01, 0.5), safety_bound(0.5, 0.01, 0.5)
    (0.04, inf)
    """
    if not alpha:
        return 2 * delta + slack
    room = 1 - (2 * tau + 1) * alpha
    return (2 * delta + slack) / room if room > 0 else math.inf


def trade_bound(alpha: float, delta: float, room: float, slack: float = 0.0) -> float:
    """By how much SES may be more exploitable than the reference, whatever the opponent's range.

    ``room`` is what could be won at most, beyond the reference, from an opponent of the judged
    range. SES would not give up more in the worst class than alpha lets it win: from
    SE(refined) >= SE(reference) - slack follows (1 - alpha) m + alpha room >= -2 delta - slack for
    the smallest margin m over the reference. Finite for every alpha below 1, unlike Theorem 1.

    >>> trade_bound(0.5, 0.0, 0.02)
    0.02
    """
    if alpha == 1:
        return math.inf
    return (2 * delta + alpha * room + slack) / (1 - alpha)


def alpha_within(budget: float, delta: float, room: float, slack: float = 0.0) -> float:
    """The largest alpha whose ``trade_bound`` is within a budget; 0 if none is.

    >>> alpha_within(0.02, 0.0, 0.02), alpha_within(0.02, 0.05, 0.02)
    (0.5, 0.0)
    """
    if budget + room <= 0:
        return 0.0
    return min(max((budget - 2 * delta - slack) / (budget + room), 0.0), 1.0)


def room(entry: HistoryEntry, judged: Floats, best: Floats, tolerance: float = 1e-4) -> float:
    """What could be won at most beyond a reference, from an opponent who comes with this range.

    ``best`` is what the opponent's classes earn against the reference at best, such as the
    ``best`` of the entry for the blueprint. The opponent replies as well as it can inside.
    """
    found = refine(entry, unsafe(entry, judged), tolerance=tolerance)
    return float(won_at_most(found, best))


def won_at_most(refined: AnyRefined, best: Floats) -> Floats:
    """The same from an unsafe search against that range, line by line where there are lines."""
    given = (refined.parts[0].range * np.where(refined.entry.live, best, 0.0)).sum(-1)
    out: Floats = np.maximum(given + refined.objective + refined.gap, 0.0)
    return out


def exploitation_bound(
    alpha: float, eta: float, delta: float, error: float, spread: float, slack: float = 0.0
) -> float:
    """Theorem 2: what SES wins at least beyond the nearest equilibrium, given that play comes here.

    ``eta`` is the largest rise of a class's value from the equilibrium to the refined strategy,
    ``error`` the L1 distance of the judged range from the true one, and ``spread`` the largest
    change of a class's value, up or down. The paper has eta in place of ``spread``, which its
    proof does not bear out: the range may err at a class whose value has fallen by more than any
    has risen. With ``spread=eta`` this is the paper's own figure.

    >>> round(exploitation_bound(0.5, 0.03, 0.01, 0.1, 0.05), 6)
    0.005
    """
    if not alpha:
        return -math.inf
    return (1 - alpha) / alpha * (eta - 2 * delta) - error * spread - slack / alpha


@dataclass(frozen=True, eq=False)
class Yardstick:
    """A reference in one subgame: values of the opponent's classes, and their range.

    Theorem 1 asks that the player's reference be its best strategy against that range.
    """

    entry: HistoryEntry
    best: Floats
    range: Floats

    def __repr__(self) -> str:
        return brief(self, f"of {self.entry!r}")

    def delta(self, marks: Floats) -> float:
        """How far marks lie from the reference's values, at most."""
        live = self.entry.live
        return float(np.abs(self.best - marks)[live].max())

    def tau(self, judged: Floats) -> float:
        """How far a judged range lies from the reference's, relative to it, at most."""
        live = self.entry.live
        off, true = np.abs(judged - self.range)[live], self.range[live]
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.where(off <= 1e-12, 0.0, off / true).max())

    def safety(self, refined: HistoryRefined) -> float:
        """Theorem 1's bound for what SES found here."""
        (alpha, judged), marks = _ses(refined), refined.parts[0].shift
        return safety_bound(alpha, self.delta(marks), self.tau(judged), refined.gap)

    def trade(self, refined: HistoryRefined, room: float) -> float:
        """Our own bound for what SES found here; see ``trade_bound`` and ``room``."""
        alpha, _ = _ses(refined)
        return trade_bound(alpha, self.delta(refined.parts[0].shift), room, refined.gap)

    def exploitation(self, refined: HistoryRefined, true: Floats, printed: bool = False) -> float:
        """Theorem 2's bound on what the player wins here, given that play comes here.

        ``true`` is the range with which the opponent really comes. It plays its best reply
        inside. ``printed`` takes the paper's own figure, which does not always hold.
        """
        live = self.entry.live
        alpha, judged = _ses(refined)
        change = (refined.best - self.best)[live]
        eta = max(float(change.max()), 0.0)
        error = float(np.abs(judged - true)[live].sum())
        spread = eta if printed else float(np.abs(change).max())
        delta = self.delta(refined.parts[0].shift)
        gain = exploitation_bound(alpha, eta, delta, error, spread, refined.gap)
        return gain - float(true[live] @ self.best[live])

    def won(self, refined: HistoryRefined, true: Floats) -> float:
        """What the player wins here in the same case."""
        live = self.entry.live
        return -float(true[live] @ refined.best[live])


def _ses(refined: HistoryRefined) -> tuple[float, Floats]:
    """The alpha of SES, and the range that it judges by (of no weight where alpha is 0)."""
    for part in refined.parts:
        if part.kind == "given":
            return float(part.weight), part.range
    return 0.0, np.zeros(len(refined.entry.mass))


@dataclass(frozen=True, eq=False)
class Nearest(Certified):
    """The nearest equilibrium to a player's blueprint, that differs from it in subgames only."""

    strategy: Strategy[HistoryTree]
    value: float  # of the whole game to the player
    exploitability: float  # of the player's strategy
    yardsticks: tuple[Yardstick | None, ...]  # by subgame; None where the player never comes

    def __repr__(self) -> str:
        return brief(self, f"equilibrium of {self.strategy.spec}: value {self.value:.4g}")


def nearest(places: Subgames, blueprint: Strategy[HistoryTree], player: int) -> Nearest:
    """The equilibrium of the game in which the player keeps its blueprint outside of subgames.

    By linear programs. In a subgame into which the opponent does not come in equilibrium, the
    player plays what keeps it out by the largest margin, and the range is one against which that
    is best.
    """
    tree = places.tree
    fixed = ~places.infosets & (tree.infosets.owner == player)
    kept = np.repeat(~fixed, tree.infosets.sizes)
    probabilities = blueprint.probabilities.copy()
    probabilities[kept] = solve_lp(_with_habits(tree, fixed, probabilities)).strategy.probabilities
    yardsticks: list[Yardstick | None] = []
    for subgame in places:
        entry = enters(subgame, probabilities, player)
        if not entry.reached:
            yardsticks.append(None)
            continue
        arriving, reach = entry.range, subgame.reach(probabilities, 1 - player)
        if not entry.expected or (entry.weight * reach).sum() < 1e-12:
            _, actions, arriving = solve_gadget(entry, maxmargin(entry))
            probabilities = probabilities.copy()
            probabilities[subgame.treeplexes[player].slots] = actions
            arriving = np.maximum(arriving, 0.0) / np.maximum(arriving, 0.0).sum()
            entry = enters(subgame, probabilities, player)
        # What enters a search is the blueprint; the equilibrium only measures it.
        measured = enters(subgame, blueprint.probabilities, player)
        yardsticks.append(Yardstick(measured, entry.best, np.where(arriving > 1e-12, arriving, 0)))
    value = _value(tree, player)
    standing = assess_form(sequence_form(tree), probabilities)[0]
    total = tree.constant_sum or 0.0
    told = {"method": "lp", "kept": f"player {player + 1} before {places.point}"}
    return Nearest(
        Strategy.of(tree, probabilities, told),
        value,
        max(value - (total - standing.best[1 - player]), 0.0),
        tuple(yardsticks),
    )


def _value(tree: HistoryTree, player: int) -> float:
    """What the whole game is worth to the player, found once."""
    first = kept_with(tree, "lp_value", lambda tree: solve_lp(tree).value)
    return first if player == 0 else (tree.constant_sum or 0.0) - first


def _with_habits(tree: HistoryTree, fixed: np.ndarray, probabilities: Floats) -> HistoryTree:
    """The tree with some infosets played by chance, as a strategy plays there."""
    infosets = tree.infosets
    at = tree.turn >= 0
    habit = np.zeros(tree.histories, dtype=bool)
    habit[at] = fixed[tree.infoset[at]]
    prob = tree.played(habit, probabilities)
    number = np.cumsum(~fixed) - 1
    infoset = tree.infoset.copy()
    free = at & ~habit
    infoset[free] = number[tree.infoset[free]]
    infoset[habit] = np.iinfo(np.uint32).max
    left = np.flatnonzero(~fixed)
    start = np.append(0, np.cumsum(infosets.sizes[left])).astype(np.uint32)
    return replace(
        tree,
        spec=f"{tree.spec} with habits",
        turn=np.where(habit, CHANCE, tree.turn).astype(np.int8),
        prob=prob,
        infoset=infoset,
        infosets=Infosets(
            infosets.owner[left],
            start,
            tuple(infosets.labels[i] for i in left),
            tuple(infosets.actions[i] for i in left),
        ),
        game=None,
    )
