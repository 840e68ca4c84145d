"""One-card poker, and Kuhn's among it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from counterfold.errors import ParameterError
from counterfold.games.betting import MOST_CARDS, MOST_PLAYERS, Betting, LimitPoker, betting
from counterfold.games.spec import positive, whole

__all__ = ["Kuhn", "OneCard"]


class _OneCardRules(LimitPoker):
    """What one-card poker and Kuhn poker have in common, which is everything but the deck."""

    ante: Any
    bet: Any

    @cached_property
    def _betting(self) -> Betting:
        return betting(self.players, self.ante, (self.bet,), 1)


@dataclass(frozen=True)
class OneCard(_OneCardRules):
    """One-card poker: ante, one private card, one bet that the others call or fold to.

    With several suits, cards of one rank look alike and split the pot.

    >>> game = OneCard(ranks=13)
    >>> state = game.root()
    >>> for event in ("9", "A", "check", "bet"):
    ...     state = game.next(state, event)
    >>> game.turn(state), game.observe(state, 0), game.actions(state)
    (0, ('9', 'check bet'), ('fold', 'call'))
    >>> game.payoff(game.next(state, "call"))
    (-2.0, 2.0)
    """

    name: ClassVar[str] = "one_card"
    players: int = 2
    ranks: int = 13
    suits: int = 1
    ante: Any = 1
    bet: Any = 1

    def __post_init__(self) -> None:
        whole("players", self.players, least=2, most=MOST_PLAYERS)
        whole("ranks", self.ranks, least=1, most=MOST_CARDS)
        whole("suits", self.suits, least=1, most=MOST_CARDS)
        positive("ante", self.ante)
        positive("bet", self.bet)
        if self.ranks * self.suits < self.players:
            raise ParameterError(
                f"{self.ranks * self.suits} cards are too few to deal one to each of "
                f"{self.players} players; give more ranks or suits"
            )


@dataclass(frozen=True)
class Kuhn(_OneCardRules):
    """Kuhn poker: one-card poker with one card more than there are players.

    >>> game = Kuhn()
    >>> [outcome for outcome, _ in game.chance(game.root())]
    ['J', 'Q', 'K']
    >>> Kuhn(players=3).ranks
    4
    """

    name: ClassVar[str] = "kuhn"
    players: int = 2

    suits: ClassVar[int] = 1  # type: ignore[misc]
    ante: ClassVar[int] = 1  # type: ignore[misc]
    bet: ClassVar[int] = 1  # type: ignore[misc]

    def __post_init__(self) -> None:
        whole("players", self.players, least=2, most=MOST_PLAYERS)

    @property
    def ranks(self) -> int:  # type: ignore[override]
        """One more than there are players."""
        return self.players + 1
