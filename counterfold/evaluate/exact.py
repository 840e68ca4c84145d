"""Exact evaluation: values, best responses, exploitability. Nothing here is an estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import ParameterError
from counterfold.evaluate.certificate import Certified
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree
from counterfold.tree.sequence import SequenceForm, sequence_form

__all__ = [
    "Assessment",
    "BestResponse",
    "assess",
    "assess_form",
    "best_response",
    "exploitability",
    "nash_conv",
    "value",
    "values",
]


@dataclass(frozen=True)
class Assessment(Certified):
    """What a profile of strategies earns, and what each player could gain by leaving it."""

    values: tuple[float, ...]
    best: tuple[float, ...]

    @property
    def gains(self) -> tuple[float, ...]:
        """NashConv by player: the best response's value less the strategy's."""
        return tuple(max(b - v, 0.0) for b, v in zip(self.best, self.values, strict=True))

    @property
    def exploitability(self) -> float:
        """The mean of the gains."""
        return sum(self.gains) / len(self.gains)


@dataclass(frozen=True)
class BestResponse(Certified):
    """The most that a player can earn against the others, and a strategy that earns it."""

    player: int
    value: float
    strategy: Strategy


def workspace(form: SequenceForm, dtype: Any = np.float64) -> Any:
    """Scratch arrays for the kernels of a sequence form."""
    from counterfold.kernels.sequence import Scratch

    widest = int(np.diff(form.form.infoset.astype(np.int64)).max(initial=0))
    return Scratch(
        np.zeros(form.sequences, dtype), np.zeros(widest, dtype), np.zeros(widest, dtype)
    )


def assess_form(
    form: SequenceForm, probabilities: NDArray[np.float64], work: Any = None
) -> tuple[Assessment, NDArray[np.uint32]]:
    """Assess a strategy over the tree's slots; also the best reply's action at each infoset."""
    from counterfold.kernels import sequence as kernels

    players = form.tree.players
    best, earned = np.zeros(players), np.zeros(players)
    choice = np.zeros(len(form.form.parent), dtype=np.uint32)
    kernels.assess(
        form.form,
        form.by_sequence(probabilities),
        np.ones(form.sequences),
        workspace(form) if work is None else work,
        choice,
        earned,
        best,
    )
    return Assessment(tuple(earned.tolist()), tuple(best.tolist())), choice


def profile(strategies: tuple[Strategy, ...]) -> tuple[HistoryTree, NDArray[np.float64]]:
    """One strategy for everybody, or one a player: who plays what, over the tree's slots."""
    tree = strategies[0].tree
    if len(strategies) not in (1, tree.players):
        raise ParameterError(
            f"{tree.spec} has {tree.players} players: give one strategy, or one for each"
        )
    for strategy in strategies[1:]:
        strategy.check_fits(tree)
    probabilities = strategies[0].probabilities.copy()
    for player, strategy in enumerate(strategies[1:], start=1):
        lo, hi = slots_of(tree, player)
        probabilities[lo:hi] = strategy.probabilities[lo:hi]
    return tree, probabilities


def slots_of(tree: HistoryTree, player: int) -> tuple[int, int]:
    """The range of a player's slots in flat strategy arrays."""
    rows = np.searchsorted(tree.infosets.owner, [player, player + 1])
    return int(tree.infosets.start[rows[0]]), int(tree.infosets.start[rows[1]])


def assess(*strategies: Strategy) -> Assessment:
    """Values and best responses of a profile: one strategy for all, or one a player.

    >>> import counterfold as cf
    >>> round(cf.assess(cf.Strategy.uniform(cf.Kuhn())).exploitability, 6)
    0.458333
    """
    tree, probabilities = profile(strategies)
    return assess_form(sequence_form(tree), probabilities)[0]


def values(*strategies: Strategy) -> tuple[float, ...]:
    """What each player earns on average."""
    return assess(*strategies).values


def value(*strategies: Strategy) -> float:
    """What player 1 earns on average.

    >>> import counterfold as cf
    >>> cf.value(cf.Strategy.uniform(cf.Kuhn()))
    0.125
    """
    return values(*strategies)[0]


def nash_conv(*strategies: Strategy) -> tuple[float, ...]:
    """What each player would gain by a best response, player by player."""
    return assess(*strategies).gains


def exploitability(*strategies: Strategy) -> float:
    """The mean over players of what a best response would gain, in payoff units a hand.

    In a game of imperfect recall the responder is granted a perfect memory.
    """
    return assess(*strategies).exploitability


def best_response(strategy: Strategy, player: int) -> BestResponse:
    """The player's best answer to the others' part of a strategy.

    >>> import counterfold as cf
    >>> answer = cf.best_response(cf.Strategy.uniform(cf.Kuhn()), 0)
    >>> answer.value, answer.strategy.at("J")
    (0.5, {'check': 0.0, 'bet': 1.0})
    """
    tree = strategy.tree
    if not 0 <= player < tree.players:
        raise ParameterError(f"player {player} is not one of 0 to {tree.players - 1}")
    form = sequence_form(tree)
    if not form.perfect_recall:
        from counterfold.errors import UnsupportedError

        raise UnsupportedError(
            f"{tree.spec} has imperfect recall: a best response may need more memory "
            "than its infosets have, so there is no strategy to return"
        )
    assessment, choice = assess_form(form, strategy.probabilities)
    pure = np.zeros(form.sequences)
    groups = form.form.groups
    for group in range(int(groups[player]), int(groups[player + 1])):
        lo, hi = int(form.form.infoset[group]), int(form.form.infoset[group + 1])
        start = int(form.form.start[group])
        pure[start + choice[lo:hi].astype(np.int64) * (hi - lo) + np.arange(hi - lo)] = 1.0
    probabilities = strategy.probabilities.copy()
    first, last = slots_of(tree, player)
    probabilities[first:last] = form.by_slot(pure)[first:last]
    about = {"method": "best response", "player": player}
    return BestResponse(player, assessment.best[player], Strategy.of(tree, probabilities, about))
