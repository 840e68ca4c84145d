"""The original Cheat by a horizon: games that need not end, looked at through an abstraction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import ClassVar, NoReturn

import numpy as np

from counterfold.abstraction.deal_form import rules_of
from counterfold.arrays import Array, Arrays
from counterfold.errors import FileError, MismatchError, ParameterError, UnsupportedError
from counterfold.files.arrays import Saved
from counterfold.games.base import Game
from counterfold.games.cheat import Cheat
from counterfold.games.spec import whole
from counterfold.poker.units import Units
from counterfold.solvers.settings import Defaults
from counterfold.solvers.until import Until
from counterfold.strategy.layout import HORIZON_BEFORE, FormLayout, Row, Tables, lays_out
from counterfold.strategy.strategy import Strategy

ROUNDS = 100
"""Of a run whose length nobody says."""


def original(players: int = 2) -> Cheat:
    """Cheat as people play it: 52 cards, all dealt, no health points.

    >>> original(3).dealt
    (18, 17, 17)
    """
    whole("players", players, least=2, most=6)
    return Cheat(ranks=13, copies=4, players=players, hand=None, health=None)


def told(game: Cheat) -> tuple[object, ...]:
    """All of a game that a strategy depends on: not when it is broken off."""
    return (
        game.ranks, game.copies, game.dealt, game.health, game.largest, game.view, game.rounds,
    )  # fmt: skip


class HorizonForm:
    """The original Cheat for two to six players, who are told all that can be seen.

    A game may never end, so none is laid out: engines play on up to a horizon. Infosets are those
    of an abstraction (``kernels.cheat_abstract``), the same for whoever is to move.

    >>> import counterfold as cf
    >>> solver = cf.Solver(HorizonForm(original(2)), traversal="external")
    >>> solver.engine.look_ahead(4, until=50)
    >>> solver.step()
    >>> met(solver.strategy()) > 100
    True
    """

    largest_payoff = 1.0
    constant_sum = 0.0
    units = Units()
    histories = 0
    """None are laid out."""
    defaults = Defaults("dcfr(1, 1, 2)", "float64", Until(iterations=ROUNDS))

    game: Cheat

    def __init__(self, game: Game) -> None:
        if not isinstance(game, Cheat) or told(game) != told(original(game.players)):
            raise UnsupportedError(f"only cheat:original is played by a horizon, not {game}")
        self.game, self.players, self.rules = game, game.players, rules_of(game)

    @property
    def two_player_zero_sum(self) -> bool:
        return self.players == 2

    @property
    def spec(self) -> str:
        return "cheat:original" + ("" if self.players == 2 else f"(players={self.players})")

    def __repr__(self) -> str:
        return f"<HorizonForm {self.spec}>"

    @property
    def shape(self) -> tuple[int, int]:
        """Infosets and moves of the abstraction."""
        from counterfold.kernels.cheat_abstract import MOVES, ROWS

        return int(ROWS), int(MOVES)

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(f"horizon {self.spec} {self.shape}".encode()).hexdigest()[:16]

    @property
    def infoset_count(self) -> int:
        """Of the abstraction, those that never come up with them."""
        return self.shape[0]

    @property
    def infosets(self) -> NoReturn:
        raise UnsupportedError(
            "the original Cheat has no list of infosets, which styles and locks are written for"
        )


class HorizonLayout(FormLayout[HorizonForm]):
    """Moves of the abstraction and how often to choose them: a row for each infoset.

    Rows that never came up are empty, and any move is played there.
    """

    name: ClassVar[str] = "horizon"
    before: ClassVar[str] = HORIZON_BEFORE
    size: ClassVar[str] = "moves of an abstraction"

    def check(self, tables: Sequence[Array]) -> Tables:
        (odds,) = tables
        if odds.shape != self.form.shape:
            raise ParameterError(f"a strategy of {self.spec} has a table of {self.form.shape}")
        sums = odds.sum(axis=1)
        if not (odds >= 0).all() or not np.allclose(sums[sums > 0], 1, atol=1e-4):
            raise ParameterError("its probabilities do not sum to one")
        return (odds.astype(np.float32, copy=False),)

    def even(self) -> Tables:
        return (np.zeros(self.form.shape, np.float32),)

    def random(self, random: np.random.Generator) -> Tables:
        odds = random.exponential(size=self.form.shape)
        return ((odds / odds.sum(axis=1, keepdims=True)).astype(np.float32),)

    def combine(self, profile: Sequence[Tables]) -> Tables:
        if any(not np.array_equal(profile[0][0], other[0]) for other in profile[1:]):
            raise UnsupportedError(
                f"players of {self.spec} share their infosets, and are given one strategy for all"
            )
        return profile[0]

    def at(self, tables: Tables, seen: tuple[object, ...], player: int | None) -> NoReturn:
        raise UnsupportedError(
            f"{self.spec} is played by an abstraction of what was seen: match it"
        )

    def rows(self, tables: Tables, pattern: str | None, player: int | None) -> Iterator[Row]:
        raise UnsupportedError(f"the infosets of {self.spec} have no names")

    def header(self) -> dict[str, str]:
        return {"form": self.name}

    def arrays(self, tables: Tables) -> Arrays:
        (odds,) = tables
        rows = np.flatnonzero(odds.sum(axis=1) > 0)
        return {
            "rows": rows.astype(np.uint32),
            "probabilities": odds[rows],
            "shape": np.array(odds.shape, np.uint32),
        }

    @classmethod
    def read(cls, saved: Saved, form: HorizonForm | None) -> tuple[HorizonLayout, Tables]:
        """The layout and the tables of a file."""
        form = cls.form_in(saved, form, HorizonForm)
        if saved.text("game") != form.spec:  # which is all that files of before tell
            raise MismatchError(f"{saved.path} is a strategy of another game than {form.spec}")
        if tuple(saved.array("shape", np.uint32, (2,)).tolist()) != form.shape:
            raise FileError(f"{saved.path} was made with another abstraction; train it again")
        rows = saved.array("rows", np.uint32, (None,), most=form.shape[0] - 1)
        found = saved.array("probabilities", np.float32, (len(rows), form.shape[1]), least=0)
        if len(np.unique(rows)) != len(rows) or (found.sum(axis=1) == 0).any():
            raise saved.damaged("two of its infosets are one, or one of them has no moves")
        odds = np.zeros(form.shape, np.float32)
        odds[rows] = found
        return cls(form), (odds,)


lays_out(HorizonForm, HorizonLayout)


def met(strategy: Strategy[HorizonForm]) -> int:
    """Infosets that came up in training."""
    return int((strategy.tables[0].sum(axis=1) > 0).sum())
