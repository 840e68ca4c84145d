"""A strategy: what every player does at every infoset, and which game it belongs to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

from counterfold.arrays import Array, Floats
from counterfold.errors import MismatchError, ParameterError, UnsupportedError, short
from counterfold.files.text import csv_text
from counterfold.notebook import brief, frame, html_table
from counterfold.strategy.hands import HandLayout, HandTables
from counterfold.strategy.infosets import InfosetLayout
from counterfold.strategy.layout import Layout, OfGame, Row, Tables, layout_of
from counterfold.tree.form import Form, form_of
from counterfold.tree.history import Infosets

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import TypeVar as Default

    from counterfold.games.base import Game
    from counterfold.games.openspiel import SpielGame
    from counterfold.strategy.openspiel import Policy, TabularPolicy

    F_co = Default("F_co", bound=Form, covariant=True, default=Form)
else:
    F_co = TypeVar("F_co")
G = TypeVar("G", bound=Form)


@dataclass(frozen=True, eq=False)
class Strategy(OfGame, Generic[F_co]):
    """What all players do at every infoset of a game, whatever form it is compiled to. Immutable.

    ``tables`` hold its numbers in the order of ``layout``: probabilities by infoset, or weights
    for all hands of poker at once.

    >>> import counterfold as cf
    >>> strategy = cf.Strategy.uniform(cf.Kuhn())
    >>> strategy.at("K", "bet") == strategy["K", "bet"]
    True
    >>> strategy
    <Strategy of kuhn: 12 infosets, method uniform>
    >>> len(strategy), strategy == cf.Strategy.uniform("kuhn")
    (12, True)
    """

    layout: Layout[F_co] = field(repr=False)
    tables: Tables = field(repr=False)
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not hasattr(self.layout, "check"):
            raise ParameterError(
                f"a strategy lies in a game's layout, and not in {short(self.layout)}; take "
                "cf.Strategy.uniform(game) or cf.solve(game).strategy"
            )
        object.__setattr__(self, "tables", self.layout.check(self.tables))
        object.__setattr__(self, "about", MappingProxyType(dict(self.about)))

    def __repr__(self) -> str:
        about = "".join(f", {key} {value}" for key, value in self.about.items() if key == "method")
        return brief(self, f"of {self.spec}: {self.layout.size}{about}")

    def _repr_html_(self) -> str:
        rows = (
            (row.player + 1, row.infoset, ", ".join(f"{a} {p:.1%}" for a, p in row.actions.items()))
            for row in self
        )
        return html_table(repr(self)[1:-1], ("player", "infoset", "actions"), rows)

    def __eq__(self, other: object) -> bool:
        """Of one game and the same in every number, whatever is told about them."""
        if not isinstance(other, Strategy):
            return NotImplemented
        return self is other or (
            (self.layout.name, self.fingerprint) == (other.layout.name, other.fingerprint)
            and all(np.array_equal(a, b) for a, b in zip(self.tables, other.tables, strict=True))
        )

    def __hash__(self) -> int:
        # By the game alone: the numbers may be those of a solver that goes on.
        return hash((self.layout.name, self.fingerprint))

    def __len__(self) -> int:
        """How many infosets it has."""
        return self.infoset_count

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Row]:
        return self.rows()

    def __getitem__(self, seen: object) -> dict[str, float]:
        """``strategy["K", "bet"]`` is ``strategy.at("K", "bet")``."""
        return self.at(*(seen if isinstance(seen, tuple) else (seen,)))

    @classmethod
    def of(
        cls,
        form: G,
        tables: Array | Tables,
        about: Mapping[str, object] = MappingProxyType({}),
    ) -> Strategy[G]:
        """A strategy of a compiled game: over the slots of its infosets, or for all hands."""
        given = tables if isinstance(tables, tuple) else (tables,)
        return Strategy(layout_of(form), given, about)

    @classmethod
    def uniform(cls, game: object) -> AnyStrategy:
        """Every action equally often everywhere, in a game or a compiled form."""
        layout = layout_of(form_of(game))
        return Strategy(layout, layout.even(), {"method": "uniform"})

    @classmethod
    def random(cls, game: object, seed: int | np.random.Generator) -> AnyStrategy:
        """A strategy drawn evenly from the simplex at each infoset."""
        layout = layout_of(form_of(game))
        return Strategy(layout, layout.random(np.random.default_rng(seed)), {"method": "random"})

    @classmethod
    def ruled(
        cls,
        game: object,
        rule: Callable[[int, str, tuple[str, ...]], str | Sequence[float] | Floats],
    ) -> AnyStrategy:
        """A strategy from a rule: what a player does at an infoset, given its actions.

        The rule returns the name of an action, or a weight for each of them.

        >>> import counterfold as cf
        >>> bold = cf.Strategy.ruled(cf.Kuhn(), lambda player, infoset, actions: actions[-1])
        >>> bold.at("J"), bold.at("J", "bet")
        ({'check': 0.0, 'bet': 1.0}, {'fold': 0.0, 'call': 1.0})
        """
        even = cls.uniform(game)
        weights: list[float] = []
        for player, infoset, shares in even.rows():
            actions = tuple(shares)
            chosen = rule(player, infoset, actions)
            if isinstance(chosen, str):
                chosen = [float(action == chosen) for action in actions]
            if len(chosen) != len(actions) or not sum(chosen) > 0:
                raise ParameterError(
                    f"the rule gives {chosen!r} at {infoset!r}, where the actions are "
                    f"{', '.join(actions)}"
                )
            weights.extend(chosen)
        slots = even.infosets.to_one(np.array(weights))
        return cls(even.layout, (slots,), {"method": "rule"})

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: object = None) -> AnyStrategy:
        """Read a strategy (or the strategy of a checkpoint) from a file.

        ``game`` is needed where its rules are a Python file, which no file may name.
        """
        from counterfold.strategy.store import read

        form = None if game is None else form_of(game)
        strategy = read(path, form)[0]
        if form is not None:
            strategy.check_fits(form)
        return strategy

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the strategy to a file, whole or not at all."""
        from counterfold.strategy.store import save_strategy

        save_strategy(self, path)

    def to_openspiel(self, game: SpielGame | str | None = None) -> TabularPolicy:
        """The strategy as an OpenSpiel policy; see ``counterfold.strategy.openspiel``."""
        from counterfold.strategy.openspiel import to_openspiel

        return to_openspiel(self, game)

    @classmethod
    def from_openspiel(cls, policy: Policy, game: Game | str | None = None) -> AnyStrategy:
        """A strategy from an OpenSpiel policy; see ``counterfold.strategy.openspiel``."""
        from counterfold.strategy.openspiel import from_openspiel

        return from_openspiel(policy, game)

    @property
    def whose(self) -> Layout[F_co]:
        return self.layout

    @property
    def tree(self) -> F_co:
        """The compiled game, built from its name if the strategy came from a file."""
        return self.layout.form

    @property
    def infosets(self) -> Infosets:
        """Who decides where, of a strategy by infosets."""
        return self._by_infosets().infosets

    @property
    def probabilities(self) -> Floats:
        """Over the slots of ``infosets``."""
        self._by_infosets()
        return self.tables[0]

    def _by_infosets(self) -> InfosetLayout:
        if not isinstance(self.layout, InfosetLayout):
            raise UnsupportedError(
                f"{self.spec} is kept for all hands at once or by buckets, which has no list of "
                "infosets; read it with at(hand, line)"
            )
        return self.layout

    @property
    def hands(self) -> HandTables:
        """What all hands do, of a strategy for a public tree."""
        if not isinstance(self.layout, HandLayout):
            raise UnsupportedError(f"{self.spec} is kept by infosets, and not by hands")
        return HandTables(self.layout.form, self.tables)

    def check_fits(self, form: Form) -> None:
        """Raise MismatchError unless this strategy was made for the same game."""
        if form.fingerprint != self.fingerprint:
            raise MismatchError(
                f"the strategy is for {self.spec} ({self.layout.size}), "
                f"and the game here is {form.spec} ({layout_of(form).size})"
                + ("; the rules have changed since" if form.spec == self.spec else "")
            )

    def at(self, *seen: object, player: int | None = None) -> dict[str, float]:
        """Action probabilities where a player sees this; parts are given as they are printed.

        Of poker for all hands, a hand and a line: ``at("AhKd", "check, bet 66")``.
        """
        return self.layout.at(self.tables, seen, player)

    def rows(self, pattern: str | None = None, player: int | None = None) -> Iterator[Row]:
        """Infosets whose name fits a pattern: a part of the name, or a glob with ``*`` and ``?``.

        >>> import counterfold as cf
        >>> [row.infoset for row in cf.Strategy.uniform(cf.Kuhn()).rows("K*", player=0)]
        ['K', 'K | check bet']
        """
        return self.layout.rows(self.tables, pattern, player)

    def with_about(self, **more: object) -> Strategy[F_co]:
        """The same strategy with more told about it."""
        return replace(self, about={**self.about, **more})

    def to_csv(self, pattern: str | None = None, player: int | None = None) -> str:
        """Lines of ``player,infoset,action,probability``."""
        lines = (
            [row.player + 1, row.infoset, action, repr(probability)]
            for row in self.rows(pattern, player)
            for action, probability in row.actions.items()
        )
        return csv_text([["player", "infoset", "action", "probability"], *lines])

    def to_pandas(self, pattern: str | None = None, player: int | None = None) -> pd.DataFrame:
        """A row for each action: player (from 0), infoset, action, probability."""
        rows = (
            (row.player, row.infoset, action, probability)
            for row in self.rows(pattern, player)
            for action, probability in row.actions.items()
        )
        return frame(("player", "infoset", "action", "probability"), rows)

    def to_json(self, pattern: str | None = None, player: int | None = None) -> str:
        """A document with the game, what is known of the strategy, and all infosets."""
        document = {
            "game": self.spec,
            "about": dict(self.about),
            "infosets": [
                {"player": row.player + 1, "infoset": row.infoset, "actions": row.actions}
                for row in self.rows(pattern, player)
            ],
        }
        return json.dumps(document, indent=1)


AnyStrategy: TypeAlias = Strategy[Any]
"""Of a form that only the running program knows: from a name, a file or a solver."""


def check_strategies(*given: object) -> None:
    """One sentence for what is no strategy.

    >>> check_strategies("leduc")
    Traceback (most recent call last):
    counterfold.errors.ParameterError: a strategy is needed, such as cf.solve('leduc').strategy \
or one that cf.load reads, and not 'leduc'
    """
    for one in given or (None,):
        if not isinstance(one, Strategy):
            raise ParameterError(
                "a strategy is needed, such as cf.solve('leduc').strategy or one that cf.load "
                f"reads, and not {short(one)}"
            )
