"""Gadgets: what a search in a subgame maximises, put together from three kinds of parts.

The player wants small best-response values of the opponent's classes, each counted from a mark
(the ``shift``): the margin of class j is ``shift[j] - best[j]``. A part says how the opponent comes
to its classes, and so what becomes of the margins:

===========  ==============================================================  ==================
part         the opponent                                                    the player gets
===========  ==============================================================  ==================
``given``    is dealt a class by a range                                     the mean margin
``choose``   picks a class                                                   the smallest margin
``refuse``   is dealt a class by a range, and stays out if it likes to       the mean of
                                                                             min(margin, 0)
===========  ==============================================================  ==================

A gadget is a weighted sum of parts. The opponent knows in which part it is, and the player does
not: this is the game of ``gadget_tree.compose`` and of ``kernels.public_search``, and its value to
the player is the maximum of ``objective``. Gadgets ask an ``Entry`` only, whatever form the game
is compiled to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from counterfold.arrays import Array, Bools, Floats
from counterfold.errors import ParameterError, SpecError
from counterfold.notebook import brief

Kind = Literal["given", "choose", "refuse"]
Mark = Literal["best", "blueprint"]


class Entry(Protocol):
    """A subgame as a player's blueprint leads into it.

    The last axis of every array is what the opponent may know: its classes, or its hands. Where
    all lines of betting on a board are entered at once, an axis of lines comes before it. Classes
    that never meet the player are not ``live``: their values are 0 and mean nothing.
    """

    @property
    def player(self) -> int: ...

    @property
    def mass(self) -> Floats:
        """How much of the player's range each class can meet."""
        ...

    @property
    def live(self) -> Bools:
        """Which classes may meet the player."""
        ...

    @property
    def dealt(self) -> Floats:
        """How likely each class is if the opponent does all things alike."""
        ...

    @property
    def range(self) -> Floats:
        """How likely the opponent's own blueprint comes with each; as dealt if it never does."""
        ...

    @property
    def value(self) -> Floats:
        """What the opponent earns in each class if both follow the blueprint."""
        ...

    @property
    def best(self) -> Floats:
        """What the opponent's best reply earns in each."""
        ...

    @property
    def reached(self) -> Bools:
        """Does the player ever come here? Without the axis of classes."""
        ...

    @property
    def expected(self) -> bool:
        """Does the opponent's own blueprint come here as well?"""
        ...

    @property
    def gifts(self) -> Floats:
        """What the opponent gave away on its way here, class by class."""
        ...

    def put(self, table: Array, weights: Array) -> None:
        """Replace the player's decisions of the subgame in a table of its strategy."""
        ...


@dataclass(frozen=True, eq=False)
class Part:
    """One way in which the opponent comes to its classes, and the marks of its margins."""

    weight: float | Floats  # one for all lines, or one for each
    kind: Kind
    shift: Floats  # [..., classes]
    range: Floats  # [..., classes]; of no meaning where the opponent chooses

    def __repr__(self) -> str:
        return brief(self, f"{self.kind}, {self.shift.shape[-1]} classes")


def objective(entry: Entry, parts: Sequence[Part], best: Floats) -> Floats:
    """What the player gets if the opponent's best reply earns so much, line by line.

    Lines to which the player never comes have 0.
    """
    total = np.zeros(best.shape[:-1])
    for part in parts:
        margins = np.where(entry.live, part.shift - best, 0.0)
        if part.kind == "choose":
            worth = np.where(entry.live, margins, np.inf).min(-1)
        elif part.kind == "given":
            worth = (part.range * margins).sum(-1)
        else:
            worth = (part.range * np.minimum(margins, 0.0)).sum(-1)
        total = total + part.weight * worth
    return np.where(entry.reached, total, 0.0)


def to_one(weights: Floats) -> Floats:
    """Each row in proportion; rows of nothing stay so."""
    total = weights.sum(-1, keepdims=True)
    found: Floats = np.divide(weights, total, where=total > 0, out=np.zeros_like(weights))
    return found


def _parts(entry: Entry, *parts: Part) -> list[Part]:
    if not np.any(entry.reached):
        raise ParameterError("the player's blueprint never comes into this subgame")
    return [part for part in parts if np.any(np.asarray(part.weight) > 0)]


def _marks(entry: Entry, mark: Mark) -> Floats:
    if mark not in ("best", "blueprint"):
        raise ParameterError(f"margins are counted from best or blueprint, not from {mark!r}")
    return entry.best if mark == "best" else entry.value


def _range(entry: Entry, given: Floats | None) -> Floats:
    """A range over the classes that are alive; the blueprint's own if none is given."""
    weights = entry.range if given is None else np.asarray(given, dtype=np.float64)
    if weights.shape != entry.mass.shape:
        raise ParameterError(
            f"a range here has {_size(entry.mass)}, one a class of the opponent, "
            f"not {_size(weights)}"
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ParameterError("the opponent's range must hold finite numbers from 0 up")
    weights = np.where(entry.live, weights, 0.0)
    if np.any(entry.reached & ~(weights.sum(-1) > 0)):
        raise ParameterError("the opponent's range sums to zero: nobody would ever be here")
    return to_one(weights)


def _size(array: Floats) -> str:
    return " lines of ".join(map(str, array.shape)) + " numbers"


def unsafe(entry: Entry, range: Floats | None = None) -> list[Part]:
    """Believe in a range of the opponent (its blueprint's if none is given) and nothing else."""
    return _parts(entry, Part(1.0, "given", np.zeros_like(entry.mass), _range(entry, range)))


def resolving(entry: Entry, mark: Mark = "best") -> list[Part]:
    """The opponent may stay out for what it had before (Burch, Johanson and Bowling 2014).

    What it had is the best reply's value (Brown and Sandholm 2017) or the blueprint's own.
    """
    return _parts(entry, Part(1.0, "refuse", _marks(entry, mark), entry.dealt))


def maxmargin(entry: Entry, mark: Mark = "best") -> list[Part]:
    """The largest smallest margin (Moravčík et al. 2016)."""
    return _parts(entry, Part(1.0, "choose", _marks(entry, mark), entry.dealt))


def reach_maxmargin(entry: Entry) -> list[Part]:
    """Maxmargin that also counts what the opponent gave away on its way here (Brown 2017)."""
    return _parts(entry, Part(1.0, "choose", entry.best + entry.gifts, entry.dealt))


def ses(
    entry: Entry, alpha: float = 0.5, range: Floats | None = None, mark: Mark = "blueprint"
) -> list[Part]:
    """Safe exploitation search (Liu et al. 2022): alpha on a range, the rest on the margin.

    With alpha 0 it is maxmargin, with alpha 1 unsafe search.
    """
    if not (isinstance(alpha, int | float) and 0 <= alpha <= 1):
        raise ParameterError(f"alpha is {alpha!r}, and must be from 0 to 1")
    marks = _marks(entry, mark)
    return _parts(
        entry,
        Part(1.0 - alpha, "choose", marks, entry.dealt),
        Part(float(alpha), "given", marks, _range(entry, range)),
    )


def ox(entry: Entry, beta: float = 1.0, range: Floats | None = None) -> list[Part]:
    """Search with adaptation safety (Ge et al. 2024): no more exploitable than the blueprint.

    Margins below zero cost, margins above zero gain nothing. ``beta`` weighs safety: with k
    classes it has the share k beta / (k beta + 1), dealt evenly over the classes.
    """
    if not (isinstance(beta, int | float) and math.isfinite(beta) and beta >= 0):
        raise ParameterError(f"beta is {beta!r}, and must be a number from 0 up")
    weighed = beta * entry.live.sum(-1)
    return _parts(
        entry,
        Part(weighed / (weighed + 1), "refuse", entry.best, to_one(entry.live.astype(np.float64))),
        Part(1 / (weighed + 1), "given", entry.best, _range(entry, range)),
    )


GADGETS: dict[str, Callable[..., list[Part]]] = {
    "unsafe": unsafe,
    "resolving": resolving,
    "maxmargin": maxmargin,
    "reach-maxmargin": reach_maxmargin,
    "ses": ses,
    "ox": ox,
}
"""Every gadget by its name."""


def gadget(name: str, entry: Entry, **settings: object) -> list[Part]:
    """The parts of the gadget of a name, with its own settings.

    >>> import counterfold as cf
    >>> from counterfold.searchers.entry import enter
    >>> from counterfold.searchers.subgame import subgames
    >>> uniform = cf.Strategy.uniform(cf.Leduc())
    >>> entry = enter(subgames(uniform.tree)[0], uniform, player=1)
    >>> parts = gadget("ses", entry, alpha=0.5)
    >>> [part.kind for part in parts], round(float(objective(entry, parts, entry.best)), 3)
    (['choose', 'given'], -2.038)
    """
    if name not in GADGETS:
        raise SpecError(f"there is no gadget {name!r}; there are {', '.join(GADGETS)}")
    try:
        return GADGETS[name](entry, **settings)
    except TypeError:
        raise ParameterError(f"{name} does not take {', '.join(settings) or 'nothing'}") from None
