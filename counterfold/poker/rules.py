"""Poker as rules: a spot or a game in ranges, hand by hand, for whoever sits at a table."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Floats
from counterfold.errors import ParameterError, UnsupportedError, short
from counterfold.games.base import CHANCE, TERMINAL, Game
from counterfold.notebook import brief
from counterfold.poker.cards import (
    NO_CARD,
    board_name,
    card_name,
    cards_name,
    parse_card,
    parse_cards,
)
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, PokerGame, meetings

State = tuple[tuple[int, ...], tuple[int, ...], int]
"""The hands dealt so far, the cards that came to the board, and the node of the betting."""


class PokerRules(Game):
    """A poker game or spot as rules: a hand to each player by its range, bets, and cards.

    A player sees its hand, the board and what was said. What it wins is in chips; in a spot each
    player has paid half of the first pot.

    >>> from counterfold.poker.spot import spot
    >>> rules = PokerRules(spot({"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+",
    ...                          "ip": "JJ,AKs", "bets": ["50%"], "raises": []}))
    >>> state = rules.root()
    >>> for move in ("QhQd", "JsJh", "bet 10"):
    ...     state = rules.next(state, move)
    >>> rules.observe(state, 1), rules.actions(state)
    (('JsJh', 'Ks 9h 6s 4d 2c', 'bet 10'), ('fold', 'call'))
    >>> rules.payoff(rules.next(state, "call"))
    (20.0, -20.0)
    """

    unlisted = True

    def __repr__(self) -> str:
        return brief(self, f"of {self.poker.name}")

    def __init__(self, poker: PokerGame, spec: str = "") -> None:
        self.poker, self.betting, self.players = poker, poker.betting, len(poker.players)
        self.spec = spec or poker.spec
        self._cards = [
            tuple(int(card) for card in cards if card != NO_CARD) for cards in poker.rules.cards
        ]
        self._names = [cards_name(cards) for cards in self._cards]
        self._numbers = {frozenset(cards): hand for hand, cards in enumerate(self._cards)}
        self._moves: dict[int, dict[str, int]] = {}
        self._strengths = lru_cache(16)(self._strengths_on)

    def hand(self, text: str) -> int:
        """The number of the hand that a text names, as "AhKd" or, of hands of one card, "Ah"."""
        cards = parse_cards(text)
        if frozenset(cards) not in self._numbers:
            raise ParameterError(f"{short(text)} is no hand of {self.poker.name}")
        return self._numbers[frozenset(cards)]

    def root(self) -> State:
        return (), (), 0

    def turn(self, state: State) -> int:
        hands, _, node = state
        kind = self.betting.kind[node]
        if len(hands) < self.players or kind == DEAL:
            return CHANCE
        return int(self.betting.player[node]) if kind == DECISION else TERMINAL

    def chance(self, state: State) -> list[tuple[str, float]]:
        hands, dealt, _ = state
        if len(hands) < self.players:
            mass = self._after(hands) if hands else self._first
            there = np.flatnonzero(mass)
            shares = (mass[there] / mass[there].sum()).tolist()
            return [(self._names[h], p) for h, p in zip(there.tolist(), shares, strict=True)]
        gone = {*self.poker.board, *dealt, *(c for hand in hands for c in self._cards[hand])}
        left = [card for card in self.poker.rules.deck if card not in gone]
        return [(card_name(card), 1 / len(left)) for card in left]

    @cached_property
    def _first(self) -> Floats:
        """How likely hands of the first player are: the others must be able to hold some too."""
        first, second, *more = self.poker.ranges
        if not more:
            weights: Floats = first * meetings(second)
            return weights
        if any(not np.array_equal(each > 0, each == each.max()) for each in self.poker.ranges):
            raise UnsupportedError(
                f"{self.poker.name} has ranges of {self.players} players, from which hands are "
                "not dealt one by one; begin with all hands"
            )
        return first

    def _after(self, hands: tuple[int, ...]) -> Floats:
        """How likely hands of the next player are beside those that have been dealt."""
        gone = [card for hand in hands for card in self._cards[hand]]
        weights: Floats = self.poker.ranges[len(hands)] * self.poker.rules.apart(gone)
        return weights

    def actions(self, state: State) -> tuple[str, ...]:
        return tuple(self._labels(state[2]))

    def _labels(self, node: int) -> dict[str, int]:
        if node not in self._moves:
            children = self.betting.children(node)
            self._moves[node] = {self.betting.label[child]: child for child in children}
        return self._moves[node]

    def next(self, state: State, action: Hashable) -> State:
        hands, dealt, node = state
        move = str(action)
        if len(hands) < self.players:
            return (*hands, self.hand(move)), dealt, node
        if self.betting.kind[node] == DEAL:  # the cards of a street come one by one
            dealt = (*dealt, parse_card(move))
            street = int(self.betting.street[node]) + 1
            whole = len(dealt) == sum(self.poker.rules.deal[: street + 1])
            return hands, dealt, int(self.betting.first[node]) if whole else node
        return hands, dealt, self._labels(node)[move]

    @property
    def positions(self) -> tuple[str, ...]:
        """The names of the places, by player."""
        return self.poker.players

    def paid(self, state: State) -> list[float]:
        """What each player has put in."""
        return [float(chips) for chips in self.betting.paid[state[2]]]

    def behind(self, state: State) -> list[float]:
        """What each player has left."""
        return [float(chips) for chips in self.poker.behind(state[2])]

    def line(self, state: State) -> tuple[str, ...]:
        """What was said and dealt, street by street: ("check", "bet 66", "call", "[7h]")."""
        _, dealt, node = state
        words: list[str] = []
        at = node
        while at > 0:
            before = int(self.betting.parent[at])
            if self.betting.kind[before] == DEAL:
                street = int(self.betting.street[before]) + 1
                end = sum(self.poker.rules.deal[: street + 1])
                cards = dealt[end - self.poker.rules.deal[street] : end]
                words.append(f"[{board_name(cards)}]")
            else:
                words.append(self.betting.label[at])
            at = before
        return tuple(reversed(words))

    def observe(self, state: State, player: int) -> Hashable:
        hands, dealt, _ = state
        if player >= len(hands):
            return None
        board = board_name((*self.poker.board, *dealt))
        return self._names[hands[player]], board, ", ".join(self.line(state))

    def shown(self, state: State) -> tuple[str, ...] | None:
        """The hands of those who have not folded, if there was a showdown."""
        hands, _, node = state
        if self.betting.kind[node] != SHOWDOWN:
            return None
        folded = int(self.betting.folded[node])
        return tuple("" if folded >> p & 1 else self._names[h] for p, h in enumerate(hands))

    def payoff(self, state: State) -> tuple[float, ...]:
        hands, dealt, node = state
        if self.betting.kind[node] == FOLD:
            return self.poker.worth(self.betting.payoff[node, :, 0].tolist())
        strengths = self._strengths((*self.poker.board, *dealt))
        return self.poker.worth(self.betting.won(node, [int(strengths[hand]) for hand in hands]))

    def _strengths_on(self, board: tuple[int, ...]) -> NDArray[np.uint32]:
        boards = np.array([board], np.uint8).reshape(1, len(board))
        strengths: NDArray[np.uint32] = self.poker.rules.strengths(boards)[0]
        return strengths
