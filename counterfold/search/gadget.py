"""Gadgets: what a search in a subgame maximises, put together from three kinds of parts.

The player wants small best-response values of the opponent's classes, each counted from a mark (the
``shift``): the margin of class j is ``shift[j] - best[j]``. A part says how the opponent comes to
its classes, and so what becomes of the margins:

===========  ==============================================================  ==================
part         the opponent                                                    the player gets
===========  ==============================================================  ==================
``given``    is dealt a class by a range                                     the mean margin
``choose``   picks a class                                                   the smallest margin
``refuse``   is dealt a class by a range, and stays out if it likes to       the mean of
                                                                             min(margin, 0)
===========  ==============================================================  ==================

A gadget is a weighted sum of parts. The opponent knows in which part it is, and the player does not:
this is the game of ``gadget_tree.compose``, and its value to the player is the maximum of ``objective``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from counterfold.errors import ParameterError, SpecError
from counterfold.search.entry import Entry, distribution
from counterfold.search.gifts import gifts
from counterfold.search.treeplex import Floats, Ints

__all__ = [
    "GADGETS",
    "Gadget",
    "Part",
    "gadget",
    "maxmargin",
    "ox",
    "reach_maxmargin",
    "resolving",
    "ses",
    "unsafe",
]

Kind = Literal["given", "choose", "refuse"]
Mark = Literal["best", "blueprint"]


@dataclass(frozen=True, eq=False)
class Part:
    """One way in which the opponent comes to its classes, and the marks of its margins."""

    weight: float
    kind: Kind
    shift: Floats  # [classes]
    range: Floats  # [classes]; of no meaning where the opponent chooses


@dataclass(frozen=True, eq=False)
class Gadget:
    """What is to be maximised in a subgame: a weighted sum of parts."""

    name: str
    entry: Entry
    parts: tuple[Part, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def live(self) -> Ints:
        """The opponent's classes in which it may meet the player."""
        return self.entry.live

    def objective(self, probabilities: Floats) -> float:
        """What the gadget is worth to a player who plays this inside, against the best reply."""
        best = self.entry.best_values(probabilities)[self.live]
        total = 0.0
        for part in self.parts:
            margins = part.shift[self.live] - best
            shares = part.range[self.live]
            if part.kind == "choose":
                total += part.weight * float(margins.min())
            elif part.kind == "given":
                total += part.weight * float(shares @ margins)
            else:
                total += part.weight * float(shares @ np.minimum(margins, 0.0))
        return total


def _gadget(name: str, entry: Entry, parts: list[Part], **settings: Any) -> Gadget:
    if not entry.reached:
        raise ParameterError("the player's blueprint never comes into this subgame")
    return Gadget(name, entry, tuple(part for part in parts if part.weight > 0), settings)


def _marks(entry: Entry, mark: Mark) -> Floats:
    if mark not in ("best", "blueprint"):
        raise ParameterError(f"margins are counted from best or blueprint, not from {mark!r}")
    return entry.best if mark == "best" else entry.value


def _range(entry: Entry, given: Floats | None) -> Floats:
    """A range over the classes that are alive; the blueprint's own if none is given."""
    if given is None:
        given = entry.range if not np.isnan(entry.range).any() else entry.mass
    given = np.asarray(given, dtype=np.float64)
    if given.shape != entry.mass.shape:
        raise ParameterError(
            f"a range here has {len(entry.mass)} numbers, one a class of the opponent, "
            f"not {given.size}"
        )
    return distribution(np.where(entry.mass > 0, given, 0.0), "the opponent's range")


def unsafe(entry: Entry, range: Floats | None = None) -> Gadget:
    """Believe in a range of the opponent (its blueprint's if none is given) and nothing else."""
    shift = np.zeros(len(entry.mass))
    return _gadget("unsafe", entry, [Part(1.0, "given", shift, _range(entry, range))])


def resolving(entry: Entry, mark: Mark = "best") -> Gadget:
    """The opponent may stay out for what it had before (Burch, Johanson and Bowling 2014).

    What it had is the best reply's value (Brown and Sandholm 2017) or the blueprint's own.
    """
    marks = _marks(entry, mark)
    parts = [Part(1.0, "refuse", marks, entry.mass / entry.mass.sum())]
    return _gadget("resolving", entry, parts, mark=mark)


def maxmargin(entry: Entry, mark: Mark = "best") -> Gadget:
    """The largest smallest margin (Moravčík et al. 2016)."""
    parts = [Part(1.0, "choose", _marks(entry, mark), entry.mass)]
    return _gadget("maxmargin", entry, parts, mark=mark)


def reach_maxmargin(entry: Entry) -> Gadget:
    """Maxmargin that also counts what the opponent gave away on its way here (Brown 2017)."""
    parts = [Part(1.0, "choose", entry.best + gifts(entry), entry.mass)]
    return _gadget("reach-maxmargin", entry, parts)


def ses(
    entry: Entry, alpha: float = 0.5, range: Floats | None = None, mark: Mark = "blueprint"
) -> Gadget:
    """Safe exploitation search (Liu et al. 2022): alpha on a range, the rest on the margin.

    With alpha 0 it is maxmargin, with alpha 1 unsafe search.
    """
    if not (isinstance(alpha, int | float) and 0 <= alpha <= 1):
        raise ParameterError(f"alpha is {alpha!r}, and must be from 0 to 1")
    marks = _marks(entry, mark)
    parts = [
        Part(1.0 - alpha, "choose", marks, entry.mass),
        Part(float(alpha), "given", marks, _range(entry, range)),
    ]
    return _gadget("ses", entry, parts, alpha=alpha, mark=mark)


def ox(entry: Entry, beta: float = 1.0, range: Floats | None = None) -> Gadget:
    """Search with adaptation safety (Ge et al. 2024): no more exploitable than the blueprint.

    Margins below zero cost, margins above zero gain nothing. ``beta`` weighs safety: with k
    classes it has the share k beta / (k beta + 1), dealt evenly over the classes.
    """
    if not (isinstance(beta, int | float) and math.isfinite(beta) and beta >= 0):
        raise ParameterError(f"beta is {beta!r}, and must be a number from 0 up")
    alive = entry.mass > 0
    classes = int(alive.sum())
    parts = [
        Part(classes * beta / (classes * beta + 1), "refuse", entry.best, alive / max(classes, 1)),
        Part(1 / (classes * beta + 1), "given", entry.best, _range(entry, range)),
    ]
    return _gadget("ox", entry, parts, beta=beta)


GADGETS: dict[str, Callable[..., Gadget]] = {
    "unsafe": unsafe,
    "resolving": resolving,
    "maxmargin": maxmargin,
    "reach-maxmargin": reach_maxmargin,
    "ses": ses,
    "ox": ox,
}
"""Every gadget by its name."""


def gadget(name: str, entry: Entry, **settings: Any) -> Gadget:
    """The gadget of a name, with its own settings.

    >>> import counterfold as cf
    >>> from counterfold.search.entry import enter
    >>> from counterfold.search.subgame import subgames
    >>> uniform = cf.Strategy.uniform(cf.Leduc())
    >>> entry = enter(subgames(uniform.tree)[0], uniform, player=1)
    >>> round(gadget("ses", entry, alpha=0.5).objective(uniform.probabilities), 3)
    -2.038
    """
    if name not in GADGETS:
        raise SpecError(f"there is no gadget {name!r}; there are {', '.join(GADGETS)}")
    try:
        return GADGETS[name](entry, **settings)
    except TypeError:
        raise ParameterError(f"{name} does not take {', '.join(settings) or 'nothing'}") from None
