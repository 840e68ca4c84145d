"""Searches in the subgames of a history tree, one subgame at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.games.base import label
from counterfold.searchers.entry import HistoryEntry, enter
from counterfold.searchers.gadget import Part
from counterfold.searchers.points import Point
from counterfold.searchers.refine import AUTO, MOST, TOLERANCE, HistoryRefined, refine
from counterfold.searchers.subgame import Subgames, subgames
from counterfold.solvers.methods import Method
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree


class HistorySearch:
    """A player's blueprint with the subgames at a point; entries into them are found once."""

    def __init__(
        self,
        blueprint: Strategy[HistoryTree],
        player: int,
        point: Point = "board",
        method: str | Method = AUTO,
    ) -> None:
        if player not in (0, 1):
            raise ParameterError(f"the player is 0 or 1, not {player!r}")
        self.blueprint, self.player, self.method = blueprint, player, method
        self.tree = blueprint.tree
        self.subgames: Subgames = subgames(self.tree, point)
        self._entries: dict[int, HistoryEntry] = {}

    @cached_property
    def places(self) -> Sequence[int]:
        """Numbers of the subgames into which the blueprint comes, and where the player decides."""
        return tuple(
            number
            for number, subgame in enumerate(self.subgames)
            if self.entry(number).reached and len(subgame.treeplexes[self.player].infosets)
        )

    def entry(self, place: int) -> HistoryEntry:
        """The subgame of a number as the blueprint leads into it."""
        if place not in self._entries:
            self._entries[place] = enter(self.subgames[place], self.blueprint, self.player)
        return self._entries[place]

    def at(self, node: int) -> int | None:
        """The number of the subgame in which a node of the tree lies; None before the point."""
        number = int(self.subgames.of[node])
        return None if number < 0 else number

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Subgames by the names of the player's infosets in them."""
        labels = self.tree.infosets.labels
        return {
            labels[i]: number
            for number in self.places
            for i in self.subgames[number].treeplexes[self.player].infosets.tolist()
        }

    def place(self, seen: Sequence[object]) -> int | None:
        """The number of the subgame in which the player sees this; None where there is none."""
        return self._numbers.get(label(tuple(seen)))

    def range(self, entry: HistoryEntry, model: Strategy[HistoryTree]) -> Floats:
        """With which classes an opponent comes into a subgame if it plays as a model says."""
        if model.tree is not self.tree:
            model.check_fits(self.tree)
        return entry.range_of(model.probabilities)

    def refine(
        self,
        entry: HistoryEntry,
        parts: Sequence[Part],
        iterations: int | None = None,
        *,
        gap: float | None = None,
        after: HistoryRefined | None = None,
    ) -> HistoryRefined:
        """Solve a gadget to within a gap; another search leaves nothing to go on from here."""
        tolerance = TOLERANCE if gap is None else gap
        most = MOST if iterations is None else iterations
        return refine(entry, parts, self.method, tolerance, most)

    def each(
        self,
        places: Sequence[int],
        make: Callable[[HistoryEntry], Sequence[Part]],
        iterations: int | None = None,
        gap: float | None = None,
    ) -> Iterator[HistoryRefined]:
        """Search in subgames; ``make`` says what to maximise in each."""
        for place in places:
            entry = self.entry(place)
            yield self.refine(entry, make(entry), iterations or None, gap=gap)
