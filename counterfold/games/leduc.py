"""Leduc poker: a private card, a board card, and a round of limit betting after each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from counterfold.errors import ParameterError
from counterfold.games.base import CHANCE, Action, Game
from counterfold.games.onecard import (
    MOST_CARDS,
    MOST_PLAYERS,
    Betting,
    PokerState,
    betting,
    card_names,
    rank_names,
    settle,
)
from counterfold.games.spec import flag, positive, whole, written

__all__ = ["Leduc"]


@dataclass(frozen=True)
class Leduc(Game):
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
    ante: Any = 1
    raises: tuple[Any, ...] = (2, 4)
    max_raises: int = 2
    suited: bool = False

    def __post_init__(self) -> None:
        whole("players", self.players, least=2, most=MOST_PLAYERS)
        whole("ranks", self.ranks, least=1, most=MOST_CARDS)
        whole("suits", self.suits, least=1, most=MOST_CARDS)
        whole("max_raises", self.max_raises, least=1, most=100)
        positive("ante", self.ante)
        flag("suited", self.suited)
        if not isinstance(self.raises, tuple | list) or len(self.raises) != 2:
            raise ParameterError(
                "raises must be the bet sizes of the two rounds, such as 2+4, "
                f"not {written(self.raises)}"
            )
        object.__setattr__(self, "raises", tuple(positive("raises", r) for r in self.raises))
        if self.ranks * self.suits <= self.players:
            raise ParameterError(
                f"{self.ranks * self.suits} cards are too few for {self.players} players and the "
                "board; give more ranks or suits"
            )

    @cached_property
    def _betting(self) -> Betting:
        return betting(self.players, self.ante, self.raises, self.max_raises)

    @cached_property
    def _turns(self) -> tuple[int, ...]:
        return self._betting.turns

    @cached_property
    def _actions(self) -> tuple[tuple[str, ...], ...]:
        return self._betting.actions

    @cached_property
    def _after(self) -> tuple[Mapping[Action, int], ...]:
        return self._betting.after

    @cached_property
    def _said(self) -> tuple[tuple[str, ...], ...]:
        return self._betting.said

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return card_names(self.ranks, self.suits)

    @cached_property
    def _cards(self) -> Mapping[Action, int]:
        return {name: card for card, name in enumerate(self._names)}

    @cached_property
    def _seen(self) -> tuple[str, ...]:
        """What a card looks like to the players."""
        if self.suited:
            return self._names
        names = rank_names(self.ranks)
        return tuple(names[card // self.suits] for card in range(len(self._names)))

    def root(self) -> PokerState:
        return (), 0

    def turn(self, state: PokerState) -> int:
        return self._turns[state[1]]

    def chance(self, state: PokerState) -> list[tuple[str, float]]:
        deck = [name for card, name in enumerate(self._names) if card not in state[0]]
        return [(name, 1 / len(deck)) for name in deck]

    def actions(self, state: PokerState) -> tuple[str, ...]:
        return self._actions[state[1]]

    def next(self, state: PokerState, action: Action) -> PokerState:
        cards, node = state
        if self._turns[node] == CHANCE:
            return (*cards, self._cards[action]), self._betting.dealt[node]
        return cards, self._after[node][action]

    def observe(self, state: PokerState, player: int) -> tuple[str, ...]:
        cards, node = state
        said = self._said[node]
        if len(said) == 2:
            return self._seen[cards[player]], said[0], self._seen[cards[-1]], said[1]
        return self._seen[cards[player]] if player < len(cards) else "", said[0]

    def round_of(self, label: str) -> int:
        """The betting round in which an infoset of this name lies, 1 or 2."""
        return 2 if label.count(" | ") >= 2 else 1

    def payoff(self, state: PokerState) -> tuple[float, ...]:
        cards, node = state
        strengths = [card // self.suits for card in cards]
        if len(cards) > self.players:
            board = strengths.pop()
            strengths = [rank + self.ranks * (rank == board) for rank in strengths]
        return settle(self._betting.paid[node], self._betting.left[node], strengths)
