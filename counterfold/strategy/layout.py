"""How the strategies of a form lie in tables, and by which names they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from counterfold.files.arrays import Saved

__all__ = ["Layout", "Row", "Tables", "fits", "layout_in", "layout_of"]

Tables = tuple[NDArray[Any], ...]


class Row(NamedTuple):
    """One infoset of a strategy, as people read it."""

    player: int
    infoset: str
    actions: dict[str, float]


class Layout(Protocol):
    """The order of a strategy's numbers; one kind for each kind of form."""

    @property
    def spec(self) -> str:
        """The name of the game."""

    @property
    def players(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def size(self) -> str:
        """How large the game is, in words."""

    @property
    def form(self) -> Any:
        """The compiled game."""

    def check(self, tables: Sequence[NDArray[Any]]) -> Tables:
        """The tables of a strategy, or an error that says why they are none."""

    def even(self) -> Tables:
        """Every action equally often."""

    def random(self, random: np.random.Generator) -> Tables:
        """A strategy drawn evenly from the simplex at each infoset."""

    def combine(self, profile: Sequence[Tables]) -> Tables:
        """What each player does in its own strategy, as one."""

    def at(self, tables: Tables, seen: tuple[Any, ...], player: int | None) -> dict[str, float]:
        """Action probabilities where a player sees this."""

    def rows(self, tables: Tables, pattern: str | None, player: int | None) -> Iterator[Row]:
        """Infosets whose name fits a pattern."""

    def header(self) -> dict[str, str]:
        """What a file says about the game."""

    def arrays(self, tables: Tables) -> dict[str, NDArray[Any]]:
        """What a file holds of a strategy."""


def layout_of(form: Any) -> Layout:
    """The layout of strategies over a compiled game."""
    from counterfold.strategy.hands import HandLayout
    from counterfold.strategy.infosets import InfosetLayout
    from counterfold.tree.history import HistoryTree

    return InfosetLayout.of(form) if isinstance(form, HistoryTree) else HandLayout(form)


def layout_in(saved: Saved, form: Any = None) -> tuple[Layout, Tables]:
    """The layout and the tables of a file; of a form that is compiled already, if it is given."""
    from counterfold.strategy.hands import HandLayout
    from counterfold.strategy.infosets import InfosetLayout

    name = saved.header.get("form", "history")
    if name == HandLayout.name or saved.kind == HandLayout.before:
        return HandLayout.read(saved, form)
    saved.choice("form", (HandLayout.name, InfosetLayout.name)) if "form" in saved.header else None
    return InfosetLayout.read(saved, form)


def fits(name: str, pattern: str) -> bool:
    """Does an infoset's name hold this text, or fit this glob?"""
    if any(c in pattern for c in "*?["):
        return fnmatchcase(name, pattern)
    return pattern in name
