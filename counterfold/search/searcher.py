"""A blueprint that is ready to search: all that an agent in play needs of the subgames."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from counterfold.errors import ParameterError
from counterfold.search.bounds import alpha_within, room
from counterfold.search.entry import Entry, enter
from counterfold.search.gadget import Gadget, gadget
from counterfold.search.points import Point
from counterfold.search.refine import AUTO, TOLERANCE, Refined, refine, stitch
from counterfold.search.subgame import Subgames, subgames
from counterfold.search.treeplex import Floats
from counterfold.solve.methods import Method
from counterfold.strategy.strategy import Strategy

__all__ = ["Searcher"]


class Searcher:
    """A player's blueprint with the subgames at a point; entries into them are found once.

    >>> import counterfold as cf
    >>> searcher = Searcher(cf.Strategy.uniform(cf.Leduc()), player=1)
    >>> model = cf.Strategy.random(searcher.tree, 1)
    >>> found = searcher.refine(0, "ses", alpha=0.3, range=searcher.range(0, model))
    >>> found.gap <= 1e-4
    True
    """

    def __init__(self, blueprint: Strategy, player: int, point: Point = "board") -> None:
        if player not in (0, 1):
            raise ParameterError(f"the player is 0 or 1, not {player!r}")
        self.blueprint, self.player = blueprint, player
        self.tree = blueprint.tree
        self.subgames: Subgames = subgames(self.tree, point)
        self._entries: dict[int, Entry] = {}

    @cached_property
    def reached(self) -> tuple[int, ...]:
        """Numbers of the subgames into which the blueprint comes, and where the player decides."""
        return tuple(
            number
            for number, subgame in enumerate(self.subgames)
            if self.entry(number).reached and len(subgame.treeplexes[self.player].infosets)
        )

    def entry(self, number: int) -> Entry:
        """The subgame of a number as the blueprint leads into it."""
        if number not in self._entries:
            self._entries[number] = enter(self.subgames[number], self.blueprint, self.player)
        return self._entries[number]

    def at(self, node: int) -> int | None:
        """The number of the subgame in which a node of the tree lies; None before the point."""
        number = int(self.subgames.of[node])
        return None if number < 0 else number

    def range(self, number: int, model: Strategy) -> Floats:
        """With which classes an opponent comes into a subgame if it plays as a model says."""
        if model.tree is not self.tree:
            model.check_fits(self.tree)
        return self.entry(number).range_of(model.probabilities)

    def refine(
        self,
        number: int,
        name: str = "ses",
        method: str | Method = AUTO,
        tolerance: float = TOLERANCE,
        **settings: Any,
    ) -> Refined:
        """Search in one subgame with a gadget of ``GADGETS`` and its settings."""
        return refine(gadget(name, self.entry(number), **settings), method, tolerance)

    def alpha_within(self, number: int, judged: Floats, budget: float) -> float:
        """The largest alpha that keeps SES within a budget of exploitability in a subgame.

        It is for SES with ``mark="best"``: no class of the opponent then gains more than the
        budget over the blueprint, in chips each time that play comes here, whatever the opponent
        really does (see ``bounds.trade_bound``).
        """
        entry = self.entry(number)
        return alpha_within(budget, 0.0, room(entry, judged, entry.best), TOLERANCE)

    def risen(self, found: Refined) -> float:
        """By how much any class of the opponent really gains from a search, exactly.

        The largest over all subgames bounds what the search adds to the player's exploitability.
        """
        entry = found.entry
        after = entry.best_values(found.into(entry.probabilities))
        return max(float((after - entry.best)[entry.live].max()), 0.0)

    def everywhere(
        self,
        make: Callable[[Entry], Gadget],
        method: str | Method = AUTO,
        tolerance: float = TOLERANCE,
    ) -> Strategy:
        """Search in every subgame that is reached: a strategy of the whole game."""
        refined = [refine(make(self.entry(n)), method, tolerance) for n in self.reached]
        return stitch(self.blueprint, refined)
