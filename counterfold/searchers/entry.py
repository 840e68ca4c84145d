"""Who comes into a subgame with what: ranges of both players, and what a blueprint is worth there.

One player searches; the other is the opponent. Both are as good as known by the
opponent's classes, that is, by what it may know at the roots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterfold.arrays import Array, Bools, Floats, Ints
from counterfold.errors import MismatchError, ParameterError
from counterfold.notebook import brief
from counterfold.searchers.gadget import to_one
from counterfold.searchers.gifts import gifts
from counterfold.searchers.subgame import Subgame
from counterfold.searchers.treeplex import summed
from counterfold.strategy.strategy import Strategy


@dataclass(frozen=True, eq=False)
class HistoryEntry:
    """A subgame of a history tree as the player's blueprint leads into it (see ``gadget.Entry``).

    ``weight`` is how likely chance and the player lead to each root.
    """

    subgame: Subgame
    player: int
    probabilities: Floats  # the blueprint, over the slots of the whole tree
    weight: Floats  # [roots]
    mass: Floats  # [classes] weight of all roots of a class
    dealt: Floats  # [classes] the same in proportion
    expected: bool  # does the opponent's own blueprint come here as well?
    range: Floats  # [classes] with what, or as dealt
    value: Floats  # [classes]
    best: Floats  # [classes]

    def __repr__(self) -> str:
        return brief(self, f"of player {self.player + 1} into {self.subgame!r}")

    @property
    def opponent(self) -> int:
        return 1 - self.player

    @property
    def live(self) -> Bools:
        """The opponent's classes in which it may meet the player."""
        return self.mass > 0

    @property
    def reached(self) -> Bools:
        """Does the player ever come here?"""
        return np.asarray(self.live.any())

    @property
    def gifts(self) -> Floats:
        """What the opponent gave away on its way here, class by class."""
        return gifts(self.subgame, self.probabilities, self.opponent)

    def put(self, table: Array, weights: Array) -> None:
        """Replace the player's decisions of the subgame in probabilities over the tree's slots."""
        table[self.subgame.treeplexes[self.player].slots] = weights

    @property
    def share(self) -> Floats:
        """How likely each root is, given the opponent's class: as chance and the player come."""
        classes = self.subgame.treeplexes[self.opponent].at_root
        return _shares(self.weight, self.mass, classes)

    def best_values(self, probabilities: Floats) -> Floats:
        """What the opponent's best reply earns in each class if the player plays this inside."""
        return best_values(self.subgame, self.player, probabilities, self.share)

    def range_of(self, probabilities: Floats) -> Floats:
        """How likely an opponent who plays this comes with each class, given that it comes."""
        reach = self.subgame.reach(probabilities, self.opponent)
        classes = self.subgame.treeplexes[self.opponent]
        return distribution(
            summed(classes.at_root, self.weight * reach, classes.classes),
            "the opponent's range",
        )


def enter(subgame: Subgame, blueprint: Strategy, player: int) -> HistoryEntry:
    """A subgame as a blueprint leads into it, from the side of one player.

    >>> import counterfold as cf
    >>> from counterfold.searchers.subgame import subgames
    >>> uniform = cf.Strategy.uniform(cf.Leduc())
    >>> entry = enter(subgames(uniform.tree)[0], uniform, player=1)
    >>> entry.range.round(2).tolist(), entry.best.round(2).tolist()
    ([0.4, 0.2, 0.4], [-0.81, 5.0, 1.94])
    """
    if player not in (0, 1):
        raise ParameterError(f"the player is 0 or 1, not {player!r}")
    if blueprint.tree is not subgame.tree:
        blueprint.check_fits(subgame.tree)
    return enters(subgame, blueprint.probabilities, player)


def enters(subgame: Subgame, probabilities: Floats, player: int) -> HistoryEntry:
    """The same from probabilities over the slots of the tree."""
    if len(probabilities) != subgame.tree.infosets.slots:
        raise MismatchError(
            f"a strategy of {subgame.tree.spec} has {subgame.tree.infosets.slots:,} "
            f"probabilities, not {len(probabilities):,}"
        )
    treeplex = subgame.treeplexes[1 - player]
    weight = subgame.deal * subgame.reach(probabilities, player)
    mass = summed(treeplex.at_root, weight, treeplex.classes)
    met = weight * subgame.reach(probabilities, 1 - player)
    theirs = summed(treeplex.at_root, met, treeplex.classes)
    dealt, expected = to_one(mass), bool(theirs.sum() > 0)
    share = _shares(weight, mass, treeplex.at_root)
    return HistoryEntry(
        subgame, player, probabilities, weight, mass, dealt, expected,
        range=to_one(theirs) if expected else dealt,
        value=np.where(mass > 0, earned_values(subgame, player, probabilities, share), 0.0),
        best=np.where(mass > 0, best_values(subgame, player, probabilities, share), 0.0),
    )  # fmt: skip


def _shares(weight: Floats, mass: Floats, classes: Ints) -> Floats:
    """How likely each root is, given the opponent's class."""
    return np.divide(weight, mass[classes], where=weight > 0, out=np.zeros(len(weight)))


def _gains(subgame: Subgame, player: int, probabilities: Floats, share: Floats) -> Floats:
    """What each of the opponent's sequences gains at once, against the player's play inside."""
    plan = subgame.treeplexes[player].plan(probabilities)
    other = 1 - player
    met = share[subgame.root] * subgame.chance * plan[subgame.last[:, player]]
    return summed(
        subgame.last[:, other],
        met * subgame.payoff[:, other],
        subgame.treeplexes[other].sequences,
    )


def best_values(subgame: Subgame, player: int, probabilities: Floats, share: Floats) -> Floats:
    """Counterfactual best-response values of the opponent's classes.

    ``share`` is how likely each root is, given the opponent's class.
    """
    gains = _gains(subgame, player, probabilities, share)
    return subgame.treeplexes[1 - player].gather(gains)


def earned_values(subgame: Subgame, player: int, probabilities: Floats, share: Floats) -> Floats:
    """Counterfactual values of the opponent's classes if both follow one strategy."""
    treeplex = subgame.treeplexes[1 - player]
    played = np.append(np.ones(treeplex.classes), probabilities[treeplex.slots])
    return treeplex.gather(_gains(subgame, player, probabilities, share), played)


def distribution(weights: Floats, what: str) -> Floats:
    """Weights as a distribution, or a sentence that says why they are none."""
    weights = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ParameterError(f"{what} must hold finite numbers from 0 up")
    total = weights.sum()
    if not total > 0:
        raise ParameterError(f"{what} sums to zero: nobody would ever be here")
    found: Floats = weights / total
    return found
