"""How the strategies of a form lie in tables, and by which names they are read."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from counterfold.arrays import Array, Arrays
from counterfold.errors import MismatchError, UnsupportedError, short
from counterfold.files.arrays import Saved
from counterfold.games.base import Game
from counterfold.games.catalog import load_named
from counterfold.tree.form import Form

Tables = tuple[Array, ...]
ABSTRACT = ("buckets", "deals", "drawn", "horizon")
"""Forms of games made smaller, which are loaded where they are needed."""
HORIZON_BEFORE = "large cheat"
"""The kind of file that held strategies of the original Cheat once."""
F = TypeVar("F", bound=Form)


class Row(NamedTuple):
    """One infoset of a strategy, as people read it."""

    player: int
    infoset: str
    actions: dict[str, float]


class Layout(Protocol[F]):
    """The order of a strategy's numbers; one kind for each kind of form."""

    name: ClassVar[str]
    """What files call the form."""
    before: ClassVar[str]
    """The kind of file that held such strategies once; empty if there was none."""

    @classmethod
    def of(cls, form: F) -> Self:
        """The layout of a compiled game."""

    @classmethod
    def read(cls, saved: Saved, form: F | None) -> tuple[Self, Tables]:
        """The layout and the tables of a file; of a compiled game, if it is given."""

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
    def infoset_count(self) -> int: ...

    @property
    def form(self) -> F:
        """The compiled game."""

    def check(self, tables: Sequence[Array]) -> Tables:
        """The tables of a strategy, or an error that says why they are none."""

    def even(self) -> Tables:
        """Every action equally often."""

    def random(self, random: np.random.Generator) -> Tables:
        """A strategy drawn evenly from the simplex at each infoset."""

    def combine(self, profile: Sequence[Tables]) -> Tables:
        """What each player does in its own strategy, as one."""

    def weighed(self, tables: Tables, weigh: Callable[[str], float]) -> Tables:
        """The tables with each action multiplied by what its name weighs, to one again."""

    def at(self, tables: Tables, seen: tuple[object, ...], player: int | None) -> dict[str, float]:
        """Action probabilities where a player sees this."""

    def rows(self, tables: Tables, pattern: str | None, player: int | None) -> Iterator[Row]:
        """Infosets whose name fits a pattern."""

    def header(self) -> dict[str, str]:
        """What a file says about the game."""

    def arrays(self, tables: Tables) -> Arrays:
        """What a file holds of a strategy."""


class OfGame:
    """What belongs to a game, and tells of it what its ``whose`` tells."""

    @property
    def whose(self) -> Form | Layout[Any]:
        raise NotImplementedError

    @property
    def spec(self) -> str:
        """The name of the game."""
        return self.whose.spec

    @property
    def players(self) -> int:
        return self.whose.players

    @property
    def fingerprint(self) -> str:
        """What tells the game from all others."""
        return self.whose.fingerprint

    @property
    def infoset_count(self) -> int:
        return self.whose.infoset_count


@dataclass(frozen=True, eq=False)
class FormLayout(OfGame, Generic[F]):
    """What layouts have in common that are made from a compiled game and keep it."""

    form: F

    before: ClassVar[str] = ""

    @classmethod
    def of(cls, form: F) -> Self:
        return cls(form)

    @property
    def whose(self) -> F:
        return self.form

    @classmethod
    def form_in(cls, saved: Saved, form: F | None, make: Callable[[Game], F]) -> F:
        """The form that a file's strategy is of: the one that is given, or of the game it names.

        MismatchError if it is of another.
        """
        if form is None:
            form = make(load_named(saved.text("game"), saved.path))
        if saved.header.get("fingerprint", form.fingerprint) != form.fingerprint:
            raise MismatchError(f"{saved.path} is a strategy of another game than {form.spec}")
        return form

    def weighed(self, tables: Tables, weigh: Callable[[str], float]) -> Tables:
        raise UnsupportedError(f"strategies of {self.spec} in this form cannot be biased")


_LAYOUTS: dict[type, type[Layout[Any]]] = {}


def lays_out(form: type[F], layout: type[Layout[F]]) -> None:
    """Have strategies over a kind of form lie in a layout; whoever makes such a form says so."""
    _LAYOUTS[form] = layout


def layout_of(form: F) -> Layout[F]:
    """The layout of strategies over a compiled game."""
    for kind in type(form).__mro__:
        if kind in _LAYOUTS:
            return _LAYOUTS[kind].of(form)
    raise UnsupportedError(f"strategies are for compiled games, and not for {short(form)}")


def layout_in(saved: Saved, form: Form | None = None) -> tuple[Layout[Any], Tables]:
    """The layout and the tables of a file; of a form that is compiled already, if it is given."""
    if (
        saved.header.get("form") in ABSTRACT or saved.kind == HORIZON_BEFORE
    ):  # whoever makes such forms registers them
        importlib.import_module("counterfold.abstraction")
    known = {layout.name: layout for layout in _LAYOUTS.values()}
    before = {layout.before: layout.name for layout in _LAYOUTS.values() if layout.before}
    name = saved.header.get("form", before.get(saved.kind, "history"))
    if form is not None and (mine := type(layout_of(form))).name != name:
        raise MismatchError(
            f"{saved.path} is a strategy in {name} form, and {form.spec} is in {mine.name} form"
        )
    if name not in known:
        raise saved.damaged(f"its form is {short(name)}, and not {' or '.join(sorted(known))}")
    return known[name].read(saved, form)


def fits(name: str, pattern: str) -> bool:
    """Does an infoset's name hold this text, or fit this glob?"""
    if any(c in pattern for c in "*?["):
        return fnmatchcase(name, pattern)
    return pattern in name
