"""Exact evaluation on public trees: values, best responses and exploitability of all hands.

All of it is computed in double precision, whatever the tables of a strategy are kept in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import MismatchError
from counterfold.evaluate.exact import Assessment
from counterfold.strategy.public import PublicStrategy
from counterfold.tree.traversal import Traversal

__all__ = [
    "PublicAssessment",
    "assess_public",
    "assess_tables",
    "best_against",
    "best_response_values",
    "earned_against",
    "guaranteed",
]


@dataclass(frozen=True)
class PublicAssessment(Assessment):
    """What both players earn, in chips a hand, and what each could gain by leaving."""

    pot: float | None = None
    big_blind: float | None = None

    @property
    def percent_of_pot(self) -> float | None:
        """Exploitability as a share of the pot that the game begins with."""
        return None if not self.pot else 100.0 * self.exploitability / self.pot

    @property
    def mbb(self) -> float | None:
        """Exploitability in thousandths of a big blind a hand."""
        return None if not self.big_blind else 1000.0 * self.exploitability / self.big_blind


def assess_tables(
    walk: Traversal, tables: Any, extras: Any = (None, None), *, average: bool = True,
    rows: NDArray[np.float64] | None = None,
    packs: Any = (None, None), look: Callable[[], None] | None = None,
) -> PublicAssessment:  # fmt: skip
    """Values and best responses of the strategies in a solver's tables.

    ``look`` is called before each of the four walks, and may end it all by raising.
    """
    from counterfold.kernels import public

    walk, game = walk.exact, walk.tree.game
    found = []
    for how in (public.VALUE, public.BEST):
        for me in (0, 1):
            if look:
                look()
            walk.run(me, tables, extras, rows, average, how, packs)
            found.append(walk.expected(me))
    return PublicAssessment((found[0], found[1]), (found[2], found[3]), game.pot, game.big_blind)


def assess_public(
    strategy: PublicStrategy, *, threads: int | None = None, walk: Traversal | None = None
) -> PublicAssessment:
    """Values and best responses of a strategy, exactly."""
    walk = walk or Traversal(strategy.tree, "float64", threads)
    return assess_tables(walk, tables_of(strategy))


def tables_of(strategy: PublicStrategy) -> Any:
    """A strategy's tables as kernels take them, with no regrets beside them."""
    from counterfold.kernels import public

    return tuple(public.Table(table, table) for table in strategy.tables)


def best_response_values(
    strategy: PublicStrategy, player: int, *, walk: Traversal | None = None
) -> NDArray[np.float64]:
    """What each of a player's first hands earns in the best response to a strategy, per hand."""
    from counterfold.kernels import public

    walk = _exact(walk, strategy)
    walk.run(player, tables_of(strategy), (None, None), None, True, public.BEST)
    return walk.found(player)


def _exact(walk: Traversal | None, strategy: PublicStrategy) -> Traversal:
    return Traversal(strategy.tree, "float64") if walk is None else walk.exact


def _pair(hero: PublicStrategy, seat: int, opponent: PublicStrategy) -> Any:
    from counterfold.kernels import public

    if hero.tree is not opponent.tree and hero.tree.fingerprint != opponent.tree.fingerprint:
        raise MismatchError("the two strategies are of different games")
    tables = [(hero if p == seat else opponent).tables[p] for p in (0, 1)]
    if tables[0].dtype != tables[1].dtype:  # a kernel takes one kind; those in 16 bits fit in 32
        kinds = [table.dtype if table.dtype.kind == "f" else np.float32 for table in tables]
        tables = [table.astype(np.result_type(*kinds), copy=False) for table in tables]
    return tuple(public.Table(table, table) for table in tables)


def earned_against(
    hero: PublicStrategy, seat: int, opponent: PublicStrategy, walk: Traversal | None = None
) -> float:
    """What one strategy earns in a seat against another, exactly, in chips a hand."""
    from counterfold.kernels import public

    walk = _exact(walk, hero)
    walk.run(seat, _pair(hero, seat, opponent), (None, None), None, True, public.VALUE)
    return walk.expected(seat)


def guaranteed(hero: PublicStrategy, seat: int, walk: Traversal | None = None) -> float:
    """What a strategy earns in a seat against its best reply (in a game without rake)."""
    return -best_against(hero, 1 - seat, walk)


def best_against(opponent: PublicStrategy, seat: int, walk: Traversal | None = None) -> float:
    """What a best response earns in a seat against a strategy."""
    from counterfold.kernels import public

    walk = _exact(walk, opponent)
    walk.run(seat, _pair(opponent, seat, opponent), (None, None), None, True, public.BEST)
    return walk.expected(seat)
