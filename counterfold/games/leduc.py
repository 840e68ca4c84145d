"""Leduc poker: a private card, a board card, and a round of limit betting after each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from counterfold.errors import ParameterError
from counterfold.games.betting import LimitPoker
from counterfold.games.spec import Real, positive, written


@dataclass(frozen=True)
class Leduc(LimitPoker):
    """Leduc poker, by default the standard game of Southey et al. (2005): bets of 2, then 4.

    A pair with the board wins, then the higher card. ``raises`` are the bet sizes of the two
    rounds, ``max_raises`` the bets and raises allowed in each. Players see ranks only, since
    suits never matter; ``suited=True`` shows them, which is how OpenSpiel counts infosets.
    OpenSpiel's ``leduc_poker(players=3)`` is ``Leduc(players=3, ranks=4)``.

    >>> game = Leduc()
    >>> state = game.root()
    >>> for event in ("Ks", "Qh", "check", "bet"):
    ...     state = game.next(state, event)
    >>> game.observe(state, 0), game.actions(state)
    (('K', 'check bet'), ('fold', 'call', 'raise'))
    >>> for event in ("call", "Qs", "check", "bet", "call"):
    ...     state = game.next(state, event)
    >>> game.observe(state, 0), game.payoff(state)
    (('K', 'check bet call', 'Q', 'check bet call'), (-7.0, 7.0))
    """

    name: ClassVar[str] = "leduc"
    players: int = 2
    ranks: int = 3
    suits: int = 2
    ante: Real = 1
    raises: tuple[Real, ...] = (2, 4)
    max_raises: int = 2
    suited: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.raises, tuple | list) or len(self.raises) != 2:
            raise ParameterError(
                "raises must be the bet sizes of the two rounds, such as 2+4, "
                f"not {written(self.raises)}"
            )
        object.__setattr__(self, "raises", tuple(positive("raises", r) for r in self.raises))
        super().__post_init__()
