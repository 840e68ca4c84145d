"""One-card poker, and Kuhn's among it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterfold.games.betting import LimitPoker
from counterfold.games.spec import Real, positive


@dataclass(frozen=True)
class OneCard(LimitPoker):
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
    ante: Real = 1
    bet: Real = 1

    @property
    def raises(self) -> tuple[Real]:  # type: ignore[override]
        return (self.bet,)

    def __post_init__(self) -> None:
        positive("bet", self.bet)
        super().__post_init__()


@dataclass(frozen=True)
class Kuhn(LimitPoker):
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
    raises: ClassVar[tuple[int]] = (1,)  # type: ignore[misc]

    @property
    def ranks(self) -> int:  # type: ignore[override]
        """One more than there are players."""
        return self.players + 1
