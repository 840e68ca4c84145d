"""The door to searches: a blueprint that is ready to be refined, whatever form its game has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypedDict, TypeVar, Unpack, cast

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import UnsupportedError
from counterfold.notebook import brief
from counterfold.searchers.bounds import alpha_within, won_at_most
from counterfold.searchers.gadget import Entry, Part, gadget
from counterfold.searchers.history import HistorySearch
from counterfold.searchers.points import Point
from counterfold.searchers.refine import TOLERANCE
from counterfold.searchers.refined import Refined, Searched, stitch
from counterfold.strategy.strategy import AnyStrategy, Strategy, check_strategies
from counterfold.tree.form import Form
from counterfold.tree.public import PublicTree

E = TypeVar("E", bound=Entry)
F = TypeVar("F", bound=Form)
Found: TypeAlias = Refined[E, Any]
"""What it is worth is one number, or one for each line of a board."""


class Limits(TypedDict, total=False):
    """When the search at each place ends: within so many chips of the best, or after iterations."""

    gap: float | None
    iterations: int | None


class SearchEngine(Protocol[E]):
    """Searches for one player in one form of a game: ``HistorySearch``, ``PublicSearch``."""

    @property
    def places(self) -> Sequence[int]:
        """Where it can search, by number."""
        ...

    def entry(self, place: int, /) -> E: ...

    def place(self, seen: Sequence[object], /) -> int | None: ...

    def range(self, entry: E, model: AnyStrategy) -> Floats: ...

    def refine(
        self, entry: E, parts: Sequence[Part], iterations: int | None = None, *,
        gap: float | None = None, after: Found[E] | None = None,
    ) -> Found[E]: ...  # fmt: skip

    def each(
        self, places: Sequence[int], make: Callable[[E], Sequence[Part]],
        iterations: int | None = None, gap: float | None = None,
    ) -> Iterator[Found[E]]: ...  # fmt: skip


class Searcher(Generic[E]):
    """A player's blueprint, and searches in the subgames at a point.

    A place is the number of a subgame; on a public tree, of a board of the last street, all of
    whose lines are searched at once. ``options`` are those of the form: ``method``, and on public
    trees ``dtype`` and ``threads``.

    >>> import counterfold as cf
    >>> searcher = Searcher(cf.Strategy.uniform(cf.Leduc()), player=1)
    >>> model = cf.Strategy.random(searcher.blueprint.tree, 1)
    >>> found = searcher.refine(0, "ses", alpha=0.3, range=searcher.range(0, model))
    >>> found.gap <= 1e-4
    True
    """

    def __init__(
        self, blueprint: Strategy, player: int, point: Point = "board", **options: object
    ) -> None:
        check_strategies(blueprint)
        self.blueprint, self.player = blueprint, player
        self._last: tuple[int, E] | None = None
        self.engine: SearchEngine[E] = cast(
            "SearchEngine[E]", _engine(blueprint, player, point, **options)
        )

    def __repr__(self) -> str:
        return brief(self, f"of {self.blueprint.spec}: player {self.player}")

    @property
    def places(self) -> Sequence[int]:
        """Where it can search: subgames to which the player comes, or boards."""
        return self.engine.places

    def entry(self, place: int) -> E:
        """A place as the blueprint leads into it; the last one is kept."""
        if self._last is None or self._last[0] != place:
            self._last = place, self.engine.entry(place)
        return self._last[1]

    def place(self, seen: Sequence[object]) -> int | None:
        """Where the player is when it sees this; None where there is nothing to search in."""
        return self.engine.place(seen)

    def range(self, place: int, model: Strategy) -> Floats:
        """With which classes or hands an opponent comes to a place if it plays as a model says."""
        return self.engine.range(self.entry(place), model)

    def refine(
        self,
        place: int,
        name: str = "ses",
        *,
        gap: float | None = None,
        iterations: int | None = None,
        after: Found[E] | None = None,
        **settings: object,
    ) -> Found[E]:
        """Search at one place with a gadget of ``GADGETS`` and its settings.

        It ends after so many iterations, or within ``gap`` chips of the best. On a public tree it
        may go on from another search at the same place, ``after``.
        """
        entry = self.entry(place)
        parts = gadget(name, entry, **settings)
        return self.engine.refine(entry, parts, iterations, gap=gap, after=after)

    def each(
        self,
        make: Callable[[E], Sequence[Part]],
        places: Sequence[int] | None = None,
        **limits: Unpack[Limits],
    ) -> Iterator[Found[E]]:
        """Search at many places (all, if none are named) to which the player comes, one by one.

        ``make`` gives the parts of the gadget at each, such as ``maxmargin``.
        """
        where = self.places if places is None else places
        return self.engine.each(where, make, limits.get("iterations"), limits.get("gap"))

    def everywhere(
        self,
        make: Callable[[E], Sequence[Part]],
        places: Sequence[int] | None = None,
        *,
        on_progress: Callable[[int, int], None] | None = None,
        **limits: Unpack[Limits],
    ) -> Searched[Any]:
        """The same put into the blueprint: a strategy of the whole game."""
        count = len(self.places if places is None else places)
        gaps, seconds = [np.zeros(0)], 0.0

        def watched() -> Iterator[Found[E]]:
            nonlocal seconds
            every = self.each(make, places, **limits)
            for done, found in enumerate(every, 1):
                gaps.append(np.atleast_1d(found.gap)[np.atleast_1d(found.entry.reached)])
                seconds += found.cpu_seconds
                if on_progress:
                    on_progress(done, count)
                yield found

        strategy = stitch(self.blueprint, watched())
        all_gaps = np.concatenate(gaps)
        mean, worst = (float(f(all_gaps)) if len(all_gaps) else 0.0 for f in (np.mean, np.max))
        return Searched(strategy, len(all_gaps), mean, worst, seconds)

    def alpha_within(
        self, place: int, judged: Floats, budget: float, gap: float = TOLERANCE
    ) -> float:
        """The largest alpha that keeps SES within a budget of exploitability at a place.

        It is for SES with ``mark="best"``: no class of the opponent then gains more than the
        budget over the blueprint, in chips each time that play comes here, whatever the opponent
        really does (see ``bounds.trade_bound``).
        """
        entry = self.entry(place)
        able = won_at_most(self.refine(place, "unsafe", range=judged, gap=gap), entry.best)
        rooms = np.atleast_1d(able)[np.atleast_1d(entry.reached)].tolist()
        return min(alpha_within(budget, 0.0, room, gap) for room in rooms)

    def rise(self, refined: Found[E]) -> float:
        """By how much any class of the opponent really gains from a search, exactly.

        The largest over all places bounds what the search adds to the player's exploitability.
        """
        entry = refined.entry
        return max(float((refined.best - entry.best)[entry.live].max()), 0.0)


def _engine(blueprint: AnyStrategy, player: int, point: Point, **options: Any) -> SearchEngine[Any]:
    tree = blueprint.tree
    if not isinstance(tree, PublicTree):
        return HistorySearch(blueprint, player, point, **options)
    from counterfold.searchers.public import PublicSearch

    last = ("board", "deal:1") if tree.last == 1 else (f"deal:{tree.last}",)
    if tree.last and point not in last:
        raise UnsupportedError(
            f"a search over all hands of {tree.game.name} begins on its last street, at "
            f"{last[0]!r}, not at {point!r}"
        )
    return PublicSearch(blueprint, player, **options)


def search(
    strategy: Strategy[F],
    place: int | None = None,
    gadget: str = "maxmargin",
    *,
    player: int,
    point: Point = "board",
    gap: float | None = None,
    iterations: int | None = None,
    **settings: object,
) -> Searched[F]:
    """Refine a player's part of a strategy by searches with a gadget, at one place or everywhere.

    >>> import counterfold as cf
    >>> uniform = cf.Strategy.uniform(cf.Leduc())
    >>> found = cf.search(uniform, gadget="maxmargin", player=1)
    >>> cf.best_response(found.strategy, 0).value < cf.best_response(uniform, 0).value
    True
    """
    from counterfold.searchers.gadget import gadget as gadget_of

    searcher: Searcher[Entry] = Searcher(strategy, player, point)
    places = None if place is None else [place]
    return searcher.everywhere(
        lambda entry: gadget_of(gadget, entry, **settings), places, gap=gap, iterations=iterations
    )
