"""Who comes into a subgame with what: ranges of both players, and what a blueprint is worth there.

One player is the hero, who searches; the other is the opponent. Both are as good as known by the
opponent's classes, that is, by what it may know at the roots.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from counterfold.errors import MismatchError, ParameterError
from counterfold.search.plex import Floats, Ints, summed
from counterfold.search.subgame import Subgame
from counterfold.strategy.strategy import Strategy

__all__ = ["Entry", "best_values", "distribution", "enter", "enters", "earned_values"]


@dataclass(frozen=True, eq=False)
class Entry:
    """A subgame as the hero's blueprint leads into it.

    ``weight`` is how likely chance and the hero lead to each root. Classes of the opponent in
    which the hero is never met (``live`` is False) are out of the game: their values are nan.
    ``spread`` is the hero's blueprint inside, by its own actions.
    """

    subgame: Subgame
    hero: int
    probabilities: Floats  # the blueprint, over the slots of the whole tree
    weight: Floats  # [roots]
    mass: Floats  # [classes] weight of all roots of a class
    range: Floats  # [classes] how likely the opponent's own blueprint comes with each
    value: Floats  # [classes] what the opponent earns there if both follow the blueprint
    best: Floats  # [classes] what the opponent's best reply earns there

    @property
    def opponent(self) -> int:
        return 1 - self.hero

    @property
    def live(self) -> Ints:
        """The opponent's classes in which it may meet the hero."""
        return np.flatnonzero(self.mass > 0)

    @property
    def reached(self) -> bool:
        """Does the hero ever come here?"""
        return bool((self.mass > 0).any())

    @property
    def share(self) -> Floats:
        """How likely each root is, given the opponent's class: as chance and the hero come."""
        classes = self.subgame.plexes[self.opponent].at_root
        return np.divide(
            self.weight, self.mass[classes], where=self.weight > 0, out=np.zeros(len(self.weight))
        )

    def best_values(self, probabilities: Floats) -> Floats:
        """What the opponent's best reply earns in each class if the hero plays this inside."""
        return best_values(self.subgame, self.hero, probabilities, self.share)

    def range_of(self, probabilities: Floats) -> Floats:
        """How likely an opponent who plays this comes with each class, given that it comes."""
        reach = self.subgame.reach(probabilities, self.opponent)
        classes = self.subgame.plexes[self.opponent]
        return distribution(
            summed(classes.at_root, self.weight * reach, classes.classes),
            "the opponent's range",
        )


def enter(subgame: Subgame, blueprint: Strategy, hero: int) -> Entry:
    """A subgame as a blueprint leads into it, from the side of one player.

    >>> import counterfold as cf
    >>> from counterfold.search.subgame import subgames
    >>> uniform = cf.Strategy.uniform(cf.Leduc())
    >>> entry = enter(subgames(uniform.tree)[0], uniform, hero=1)
    >>> entry.range.round(2).tolist(), entry.best.round(2).tolist()
    ([0.4, 0.2, 0.4], [-0.81, 5.0, 1.94])
    """
    if hero not in (0, 1):
        raise ParameterError(f"the hero is player 0 or 1, not {hero!r}")
    if blueprint.tree is not subgame.tree:
        blueprint.check_fits(subgame.tree)
    return enters(subgame, blueprint.probabilities, hero)


def enters(subgame: Subgame, probabilities: Floats, hero: int) -> Entry:
    """The same from probabilities over the slots of the tree."""
    if len(probabilities) != subgame.tree.infosets.slots:
        raise MismatchError(
            f"a strategy of {subgame.tree.spec} has {subgame.tree.infosets.slots:,} "
            f"probabilities, not {len(probabilities):,}"
        )
    plex = subgame.plexes[1 - hero]
    weight = subgame.deal * subgame.reach(probabilities, hero)
    mass = summed(plex.at_root, weight, plex.classes)
    theirs = summed(plex.at_root, weight * subgame.reach(probabilities, 1 - hero), plex.classes)
    dead = np.full(plex.classes, np.nan)
    bare = Entry(
        subgame, hero, probabilities, weight, mass,
        range=theirs / theirs.sum() if theirs.sum() > 0 else dead, value=dead, best=dead,
    )  # fmt: skip
    share = bare.share
    return Entry(
        subgame, hero, probabilities, weight, mass, bare.range,
        value=np.where(mass > 0, earned_values(subgame, hero, probabilities, share), np.nan),
        best=np.where(mass > 0, best_values(subgame, hero, probabilities, share), np.nan),
    )  # fmt: skip


def _gains(subgame: Subgame, hero: int, probabilities: Floats, share: Floats) -> Floats:
    """What each of the opponent's sequences gains at once, against the hero's play inside."""
    plan = subgame.plexes[hero].plan(probabilities)
    other = 1 - hero
    met = share[subgame.root] * subgame.chance * plan[subgame.last[:, hero]]
    return summed(
        subgame.last[:, other],
        met * subgame.payoff[:, other],
        subgame.plexes[other].sequences,
    )


def best_values(subgame: Subgame, hero: int, probabilities: Floats, share: Floats) -> Floats:
    """Counterfactual best-response values of the opponent's classes.

    ``share`` is how likely each root is, given the opponent's class.
    """
    gains = _gains(subgame, hero, probabilities, share)
    return subgame.plexes[1 - hero].gather(gains)


def earned_values(subgame: Subgame, hero: int, probabilities: Floats, share: Floats) -> Floats:
    """Counterfactual values of the opponent's classes if both follow one strategy."""
    plex = subgame.plexes[1 - hero]
    played = np.append(np.ones(plex.classes), probabilities[plex.slots])
    return plex.gather(_gains(subgame, hero, probabilities, share), played)


def distribution(weights: Floats, what: str) -> Floats:
    """Weights as a distribution, or a sentence that says why they are none."""
    weights = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ParameterError(f"{what} must hold finite numbers from 0 up")
    total = weights.sum()
    if not total > 0:
        raise ParameterError(f"{what} sums to zero: nobody would ever be here")
    return weights / total
