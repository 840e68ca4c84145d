"""What searches give back, whatever form the game is compiled to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

from counterfold.arrays import Array, Floats
from counterfold.evaluate.certificate import Certified
from counterfold.notebook import brief
from counterfold.searchers.gadget import Entry, Part
from counterfold.strategy.layout import Tables
from counterfold.strategy.strategy import Strategy
from counterfold.tree.form import Form

if TYPE_CHECKING:
    from counterfold.searchers.public_root import PublicRoot

E = TypeVar("E", bound=Entry)
N = TypeVar("N")
F = TypeVar("F", bound=Form)


class WarmStart(NamedTuple):
    """What another search on the same board can go on from."""

    regrets: list[Array]  # of both players
    root: PublicRoot


@dataclass(frozen=True, eq=False)
class Refined(Certified, Generic[E, N]):
    """What a search found for the player in one subgame, or on all lines of a board.

    ``weights`` are the player's actions inside: in the order of its treeplex, or a row for each
    action with a column for each hand. ``objective`` is what they are worth in the gadget, and
    nothing is worth more than ``objective + gap``: numbers, or one for each line. ``reply`` is the
    opponent's average, which is a guess and no more.
    """

    entry: E
    parts: tuple[Part, ...]
    weights: Array
    best: Floats  # [..., classes] what the opponent's best reply earns now
    objective: N
    gap: N
    iterations: int
    cpu_seconds: float
    warm: WarmStart | None = field(default=None, repr=False)
    reply: Array | None = None  # what the opponent did inside, where both have tables

    def __repr__(self) -> str:
        return brief(self, f"{self.entry!r}, {self.iterations} iterations")

    def into(self, table: Array) -> Array:
        """A table of the player's strategy with its decisions of the subgame replaced."""
        out = table.copy()
        self.entry.put(out, self.weights)
        return out


AnyRefined: TypeAlias = Refined[Any, Any]
"""Of a form that only the running program knows."""


@dataclass(frozen=True, eq=False)
class Searched(Certified, Generic[F]):
    """A blueprint with searches put into it; the other player's part is kept."""

    strategy: Strategy[F]
    searches: int  # subgames, or lines of boards, to which the player comes
    gap: float  # the mean of their gaps, in chips
    worst_gap: float
    cpu_seconds: float

    def __repr__(self) -> str:
        return brief(self, f"{self.strategy.spec}: {self.searches} searches, gap {self.gap:.3g}")


def stitch(blueprint: Strategy[F], refined: Iterable[AnyRefined], **about: object) -> Strategy[F]:
    """The blueprint with all that was found in its subgames: a strategy of the whole game.

    >>> import counterfold as cf
    >>> from counterfold.searchers.gadget import maxmargin
    >>> uniform = cf.Strategy.uniform(cf.Leduc())
    >>> better = stitch(uniform, cf.Searcher(uniform, 1).each(maxmargin))
    >>> cf.best_response(better, 0).value < cf.best_response(uniform, 0).value
    True
    """
    tables, copied = list(blueprint.tables), set()
    for found in refined:
        place = found.entry.player if len(tables) > 1 else 0  # a table a player, or one for all
        if place not in copied:
            tables[place] = tables[place].copy()
            copied.add(place)
        found.entry.put(tables[place], found.weights)
    made: Tables = tuple(tables)
    return Strategy.of(blueprint.tree, made, {**blueprint.about, **about, "search": True})
