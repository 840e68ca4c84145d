"""Goofspiel: everyone bids a card of an equal hand for a prize, all at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from counterfold.games.base import CHANCE, TERMINAL, Action, Game
from counterfold.games.spec import choice, flag, whole

MOST = 100

Numbers = tuple[int, ...]
BidState = tuple[Numbers, Numbers, Numbers]
"""Prizes shown, bids in the order they were made, and the winner of each round (-1 for none)."""


@dataclass(frozen=True)
class Goofspiel(Game):
    """Goofspiel as OpenSpiel plays it in turns, where nobody sees the bids of a running round.

    Everyone holds the cards 1 to ``cards`` and bids one for each prize; the highest bid takes
    it, and a tie for the highest discards it. The last card is forced and plays itself.
    With ``imperfect=True`` players learn only who won each round, else all its bids.
    ``returns="win_loss"`` pays one for the most points; ``"points"`` pays the points above the
    mean of all players.

    >>> game = Goofspiel(cards=3)
    >>> state = game.root()
    >>> for bid in ("3", "2"):
    ...     state = game.next(state, bid)
    >>> game.observe(state, 0), game.actions(state)
    (('prizes 3 2', 'bids 3', 'won by 1'), ('1', '2'))
    >>> for bid in ("2", "1"):
    ...     state = game.next(state, bid)
    >>> game.payoff(state)
    (1.0, -1.0)
    """

    name: ClassVar[str] = "goofspiel"
    players: int = 2
    cards: int = 4
    prizes: str = "descending"
    imperfect: bool = True
    returns: str = "win_loss"

    def __post_init__(self) -> None:
        whole("players", self.players, least=2, most=MOST)
        whole("cards", self.cards, least=1, most=MOST)
        choice("prizes", self.prizes, ("descending", "ascending", "random"))
        choice("returns", self.returns, ("win_loss", "points"))
        flag("imperfect", self.imperfect)

    @cached_property
    def _end(self) -> int:
        """How many bids are made by choice; a hand of one card is bid all the same."""
        return max(self.cards - 1, 1) * self.players

    @cached_property
    def _order(self) -> Numbers:
        """The prizes in the order they come, nothing where that is random."""
        if self.prizes == "random":
            return ()
        ascending = tuple(range(1, self.cards + 1))
        return ascending if self.prizes == "ascending" else ascending[::-1]

    @cached_property
    def _hands(self) -> dict[Numbers, tuple[str, ...]]:
        """Cards left after bids, filled as they are met."""
        return {}

    @cached_property
    def _texts(self) -> dict[tuple[str, Numbers], str]:
        return {}

    def root(self) -> BidState:
        return self._order[:1], (), ()

    def turn(self, state: BidState) -> int:
        shown, bids, _ = state
        made = len(bids)
        if made == self._end:
            return TERMINAL
        if len(shown) * self.players == made:
            return CHANCE
        return made % self.players

    def chance(self, state: BidState) -> list[tuple[str, float]]:
        hidden = [str(prize) for prize in range(1, self.cards + 1) if prize not in state[0]]
        return [(prize, 1 / len(hidden)) for prize in hidden]

    def actions(self, state: BidState) -> tuple[str, ...]:
        bids = state[1]
        own = bids[len(bids) % self.players :: self.players]
        hand = self._hands.get(own)
        if hand is None:
            hand = tuple(str(card) for card in range(1, self.cards + 1) if card not in own)
            self._hands[own] = hand
        return hand

    def next(self, state: BidState, action: Action) -> BidState:
        shown, bids, winners = state
        number, players = self._numbers.get(action) or int(str(action)), self.players
        made = len(bids)
        if len(shown) * players == made:
            return (*shown, number), bids, winners
        bids = (*bids, number)
        if (made + 1) % players == 0:
            winners = (*winners, _winner(bids[-players:]))
            if self._order:
                shown = self._order[: len(winners) + 1]
        return shown, bids, winners

    @cached_property
    def _numbers(self) -> dict[Action, int]:
        return {str(number): number for number in range(1, self.cards + 1)}

    def observe(self, state: BidState, player: int) -> tuple[str, ...]:
        shown, bids, winners = state
        prizes = self._text("prizes", shown)
        if self.imperfect:
            own = self._text("bids", bids[player :: self.players])
            return prizes, own, self._text("won by", winners)
        whole_rounds = len(winners) * self.players
        rounds = self._text("bids", bids[:whole_rounds])
        return prizes, rounds, self._text("own", bids[whole_rounds + player :][:1])

    def _text(self, title: str, numbers: Numbers) -> str:
        text = self._texts.get((title, numbers))
        if text is None:
            text = self._texts[title, numbers] = self._written(title, numbers)
        return text

    def _written(self, title: str, numbers: Numbers) -> str:
        if not numbers:
            return ""
        if title == "won by":
            words = ["-" if winner < 0 else str(winner + 1) for winner in numbers]
        elif title == "bids" and not self.imperfect:
            step = self.players
            rounds = [numbers[i : i + step] for i in range(0, len(numbers), step)]
            words = [":".join(map(str, bids)) for bids in rounds]
        else:
            words = [str(number) for number in numbers]
        return f"{title} {' '.join(words)}"

    def shown(self, state: BidState) -> str:
        """Who won each round, the last one too, whose cards play themselves."""
        return self._text("won by", self._winners(state))

    def _winners(self, state: BidState) -> Numbers:
        """Winners of all rounds at the end."""
        _, bids, winners = state
        if len(winners) == self.cards:
            return winners
        players = self.players  # who has bid least holds the highest card
        return (*winners, _winner([-sum(bids[player::players]) for player in range(players)]))

    def payoff(self, state: BidState) -> tuple[float, ...]:
        shown = state[0]
        winners = self._winners(state)
        prizes = self._order or shown
        if len(prizes) < self.cards:  # the last one is what is left
            prizes = (*shown, self.cards * (self.cards + 1) // 2 - sum(shown))
        found = self._payoffs.get((prizes, winners))
        if found is None:
            found = self._payoffs[prizes, winners] = self._paid(prizes, winners)
        return found

    @cached_property
    def _payoffs(self) -> dict[tuple[Numbers, Numbers], tuple[float, ...]]:
        """What winners of prizes get, filled as they are met."""
        return {}

    def _paid(self, prizes: Numbers, winners: Numbers) -> tuple[float, ...]:
        points = [0] * self.players
        for prize, winner in zip(prizes, winners, strict=True):
            if winner >= 0:
                points[winner] += prize
        if self.returns == "points":
            mean = sum(points) / self.players
            return tuple(own - mean for own in points)
        best = points.count(max(points))
        if best == self.players:
            return (0.0,) * self.players
        won, lost = 1 / best, -1 / (self.players - best)
        return tuple(won if own == max(points) else lost for own in points)


def _winner(bids: Sequence[int]) -> int:
    if len(bids) == 2:  # the usual, and asked at every end
        one, other = bids
        return 0 if one > other else 1 if other > one else -1
    highest = max(bids)
    return -1 if bids.count(highest) > 1 else bids.index(highest)
