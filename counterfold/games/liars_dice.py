"""Liar's dice: hidden dice, rising bids on what lies on the table, and a challenge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from counterfold.errors import ParameterError
from counterfold.games.base import CHANCE, TERMINAL, Action, Game
from counterfold.games.spec import whole, written

LIAR = "liar"
MOST = 100

DiceState = tuple[tuple[int, ...], int]
"""The dice rolled so far, and the bids made: bid ``b`` is bit ``b``, the challenge the highest.

Bids only rise, so the set of them tells their order.
"""


@dataclass(frozen=True)
class LiarsDice(Game):
    """Liar's dice as OpenSpiel plays it: one round, the highest face is wild.

    A bid such as ``2x5`` claims two fives among all dice; each bid has a larger number of dice,
    or as many of a higher face. After ``liar`` the last bidder wins if the claim holds, else the
    challenger; the loser pays one. ``dice`` is a number for all or one for each player.

    >>> game = LiarsDice(sides=6)
    >>> state = game.root()
    >>> for event in ("5", "6", "1x5", "2x5"):
    ...     state = game.next(state, event)
    >>> game.observe(state, 0), game.actions(state)
    (('5', '1x5 2x5'), ('2x6', 'liar'))
    >>> state = game.next(state, "liar")
    >>> game.payoff(state), game.shown(state)
    ((-1.0, 1.0), ('5', '6'))
    """

    name: ClassVar[str] = "liars_dice"
    players: int = 2
    dice: int | tuple[int, ...] = 1
    sides: int = 6

    def __post_init__(self) -> None:
        whole("players", self.players, least=2, most=MOST)
        whole("sides", self.sides, least=2, most=MOST)
        if isinstance(self.dice, tuple | list):
            if len(self.dice) != self.players:
                raise ParameterError(
                    f"dice must be one number or one for each of the {self.players} players, "
                    f"not {written(self.dice)}"
                )
            object.__setattr__(
                self, "dice", tuple(whole("dice", d, least=1, most=MOST) for d in self.dice)
            )
        else:
            whole("dice", self.dice, least=1, most=MOST)

    @cached_property
    def _hands(self) -> tuple[tuple[int, int], ...]:
        """Where each player's dice begin and end."""
        counts = self.dice if isinstance(self.dice, tuple) else (self.dice,) * self.players
        return tuple((sum(counts[:p]), sum(counts[: p + 1])) for p in range(self.players))

    @cached_property
    def _total(self) -> int:
        return self._hands[-1][1]

    @cached_property
    def _bids(self) -> tuple[str, ...]:
        faces = range(1, self.sides + 1)
        return tuple(f"{count}x{face}" for count in range(1, self._total + 1) for face in faces)

    @cached_property
    def _called(self) -> int:
        return 1 << len(self._bids)

    @cached_property
    def _bits(self) -> Mapping[Action, int]:
        return {name: 1 << bid for bid, name in enumerate((*self._bids, LIAR))}

    @cached_property
    def _menu(self) -> tuple[tuple[str, ...], ...]:
        """What may be said, by the number of the lowest bid still free."""
        names = (*self._bids, LIAR)
        return (self._bids, *(names[bid:] for bid in range(1, len(names))))

    @cached_property
    def _rolls(self) -> tuple[tuple[str, float], ...]:
        return tuple((str(face), 1 / self.sides) for face in range(1, self.sides + 1))

    @cached_property
    def _texts(self) -> dict[int, str]:
        """The bids as text, filled as they are met."""
        return {0: ""}

    @cached_property
    def _hand_texts(self) -> dict[tuple[int, ...], str]:
        return {}

    def root(self) -> DiceState:
        return (), 0

    def turn(self, state: DiceState) -> int:
        dice, bids = state
        if bids >= self._called:
            return TERMINAL
        if len(dice) < self._total:
            return CHANCE
        return bids.bit_count() % self.players

    def chance(self, state: DiceState) -> tuple[tuple[str, float], ...]:
        return self._rolls

    def actions(self, state: DiceState) -> tuple[str, ...]:
        return self._menu[state[1].bit_length()]

    def next(self, state: DiceState, action: Action) -> DiceState:
        dice, bids = state
        if len(dice) < self._total:
            return (*dice, int(str(action))), bids
        return dice, bids | self._bits[action]

    def observe(self, state: DiceState, player: int) -> tuple[str, str]:
        dice, bids = state
        begin, end = self._hands[player]
        hand, text = self._hand_texts.get(dice[begin:end]), self._texts.get(bids)
        return (
            self._hand(dice, player) if hand is None else hand,
            self._text(bids) if text is None else text,
        )

    def shown(self, state: DiceState) -> tuple[str, ...]:
        """The dice of all players, which a challenge lays open."""
        return tuple(self._hand(state[0], player) for player in range(self.players))

    def _hand(self, dice: tuple[int, ...], player: int) -> str:
        begin, end = self._hands[player]
        hand = dice[begin:end]
        text = self._hand_texts.get(hand)
        if text is None:
            text = self._hand_texts[hand] = " ".join(map(str, sorted(hand)))
        return text

    def _text(self, bids: int) -> str:
        names = (*self._bids, LIAR)
        text = " ".join(names[bid] for bid in range(len(names)) if bids >> bid & 1)
        self._texts[bids] = text
        return text

    def payoff(self, state: DiceState) -> tuple[float, ...]:
        dice, bids = state
        count, face = self._claims[(bids ^ self._called).bit_length()]
        matches = dice.count(face)
        if face != self.sides:
            matches += dice.count(self.sides)
        return self._paid[matches >= count][bids.bit_count() % self.players]

    @cached_property
    def _claims(self) -> tuple[tuple[int, int], ...]:
        """How many of which face each bid claims, counted from 1."""
        faces, counts = range(1, self.sides + 1), range(1, self._total + 1)
        return ((0, 0), *((count, face) for count in counts for face in faces))

    @cached_property
    def _paid(self) -> tuple[tuple[tuple[float, ...], ...], ...]:
        """Payoffs if a claim is false and if it is true, by the number of things said."""

        def paid(winner: int, loser: int) -> tuple[float, ...]:
            return tuple(float((p == winner) - (p == loser)) for p in range(self.players))

        said = [((n - 1) % self.players, (n - 2) % self.players) for n in range(self.players)]
        return tuple(paid(*who) for who in said), tuple(paid(*who[::-1]) for who in said)
