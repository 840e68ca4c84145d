"""The compiled game behind one protocol, whatever arrays it is laid out in."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Ints
from counterfold.games.base import Game
from counterfold.poker.game import PokerGame
from counterfold.poker.rules import PokerRules
from counterfold.poker.units import Units

if TYPE_CHECKING:
    from counterfold.tree.history import Infosets
    from counterfold.tree.walk import Progress


@runtime_checkable
class Form(Protocol):
    """A compiled game: who decides where, and what it is worth.

    ``spec`` is the name that loads the game again, ``fingerprint`` tells its rules from all others.
    """

    @property
    def spec(self) -> str: ...

    @property
    def players(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def game(self) -> object: ...

    @property
    def units(self) -> Units: ...

    @property
    def histories(self) -> int: ...

    @property
    def infoset_count(self) -> int: ...

    @property
    def largest_payoff(self) -> float: ...

    @property
    def constant_sum(self) -> float | None: ...

    @property
    def two_player_zero_sum(self) -> bool: ...


AnyGame: TypeAlias = Game | PokerGame | Form
"""What a name may mean: rules, poker in ranges, or a game that comes compiled."""


class Groups(Protocol):
    """Hands of a street that are told apart no further."""

    @property
    def count(self) -> int: ...

    def on(self, cards: Sequence[int]) -> Ints:
        """The group of each hand on a board."""


@runtime_checkable
class Bucketed(Form, Protocol):
    """A form whose infosets are decisions of the betting with a bucket."""

    game: PokerGame
    buckets: Sequence[Groups]
    nodes: NDArray[np.uint32]
    counts: Ints
    actions: Ints
    start: Ints
    size: int


class PokerForm:
    """What compiled games of poker have in common, however hands and boards are laid out."""

    game: PokerGame

    @property
    def players(self) -> int:
        return len(self.game.players)

    @property
    def spec(self) -> str:
        """The name of the game, with the parameters that are not the usual."""
        return self.game.spec

    @property
    def units(self) -> Units:
        """The pot and the big blind of the game."""
        return Units(self.game.pot, self.game.big_blind)

    @property
    def constant_sum(self) -> float | None:
        """What all payoffs add up to at every end, or None where there is rake."""
        return 0.0 if self.game.betting.zero_sum else None

    @property
    def two_player_zero_sum(self) -> bool:
        return self.players == 2 and self.constant_sum is not None

    @cached_property
    def largest_payoff(self) -> float:
        """The most chips that anybody can win or lose."""
        return float(abs(self.game.betting.payoff).max())


@runtime_checkable
class InfosetForm(Form, Protocol):
    """A form whose infosets have a list of names, over the slots of which its styles lie."""

    @property
    def infosets(self) -> Infosets: ...


def form_of(
    game: object,
    memory: int | None = None,
    progress: Progress | None = None,
    *,
    symmetry: bool | None = None,
    form: str = "auto",
) -> Form:
    """The compiled form of a game: a public tree of poker in ranges, a history graph of all else.

    A form stays as it is, and a name or a file is the game that it means. ``symmetry`` is for
    poker: whether suits that nothing tells apart are one. ``form`` may ask for Cheat by ``deals``.

    >>> import counterfold as cf
    >>> form_of(cf.Kuhn()).histories, form_of(cf.fhp(deck="QKA")).players
    (58, 2)
    """
    from counterfold.tree.history import compile_game
    from counterfold.tree.named import as_game, by_deals, by_drawn_deals
    from counterfold.tree.public import PublicTree

    game = as_game(game)
    if isinstance(game, Form):
        return game
    if form == "deals":
        return by_deals(game)
    if isinstance(game, PokerRules):
        game = game.poker
    if isinstance(game, PokerGame) and game.of_drawn_deals:
        return by_drawn_deals(game)
    if isinstance(game, PokerGame):
        alike = bool(game.about.get("symmetry", True)) if symmetry is None else symmetry
        return PublicTree(game, symmetry=alike, memory=memory)
    return compile_game(game, memory, progress)
