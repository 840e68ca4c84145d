"""A poker game as public form sees it: cards, money and ranges, each said once.

The betting is a tree of its own that knows no cards; the public tree is that tree times the
boards that can come, and every node of it holds all hands at once (``tree/public.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import ParameterError
from counterfold.notebook import brief
from counterfold.poker.cards import HIGH, HOLES, LOW, NO_CARD
from counterfold.poker.units import Units

__all__ = [
    "DEAL",
    "DECISION",
    "FOLD",
    "NO_CARD",
    "SHOWDOWN",
    "BettingTree",
    "CardRules",
    "PokerGame",
    "meetings",
    "safe_weights",
]

DECISION, FOLD, DEAL, SHOWDOWN = range(4)
_CARDS: dict[int, NDArray[np.uint8]] = {  # the cards of hands, by how many hands there are
    HOLES: np.stack([HIGH, LOW], 1),
    52: np.stack([np.arange(52), np.full(52, NO_CARD)], 1).astype(np.uint8),
}
SAFE = 1e-3, 1e3  # between these the largest weight of a range may lie


def safe_weights(weights: NDArray[Any]) -> NDArray[np.float64]:
    """The weights of a range in a scale of which products stay in the range of 32 bits.

    Only their proportions mean something. Those of a usual size are left as they are.

    >>> safe_weights(np.array([0.5, 0.0, 1.0])), safe_weights(np.array([1e-20, 3e-20, 0.0]))
    (array([0.5, 0. , 1. ]), array([0.33333333, 1.        , 0.        ]))
    """
    found = np.asarray(weights, np.float64)
    if not (np.isfinite(found) & (found >= 0)).all():
        raise ParameterError("the weights of a range are numbers from 0 up")
    largest = float(found.max(initial=0.0))
    if not largest or SAFE[0] <= largest <= SAFE[1]:
        return found
    scaled: NDArray[np.float64] = found / largest
    return scaled


@dataclass(frozen=True, eq=False)
class BettingTree:
    """The betting of a hand, with no cards: flat arrays, every node after its parent.

    The nodes of one street are neighbours, street after street. A ``DECISION`` has its children
    in the order of its actions, next to each other: ``first[n]`` to ``first[n] + count[n]``. A
    ``DEAL`` ends the betting of a street: its one child begins the next street (another ``DEAL``
    or the ``SHOWDOWN`` where nobody can bet any more). ``FOLD`` and ``SHOWDOWN`` end the hand.
    """

    street: NDArray[np.uint8]  # [nodes] 0 is the street that the game begins on
    kind: NDArray[np.uint8]  # [nodes] DECISION, FOLD, DEAL or SHOWDOWN
    player: NDArray[np.int8]  # [nodes] who decides, or who has folded; -1 elsewhere
    parent: NDArray[np.int32]  # [nodes] -1 at the root
    first: NDArray[np.int32]  # [nodes] the first child; 0 where there is none
    count: NDArray[np.int32]  # [nodes] how many children
    label: tuple[str, ...]  # [nodes] the action that led here: "check", "bet 66"; "" at a deal
    paid: NDArray[np.float64]  # [nodes, 2] what each player has put in, its part of the first pot
    # [nodes, 2, 3] at the end of a hand, what it is worth to each player to win, tie and lose:
    # the share of the pot, after rake, less what was paid. The same three times after a fold.
    payoff: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.kind)

    def __repr__(self) -> str:
        return brief(self, f"of {len(self):,} nodes")

    @property
    def streets(self) -> int:
        """How many rounds of betting there can be."""
        return int(self.street.max()) + 1

    @property
    def zero_sum(self) -> bool:
        """Whether one player loses what the other one wins: not where there is rake."""
        ends = np.isin(self.kind, (FOLD, SHOWDOWN))
        both = self.payoff[ends, 0] + self.payoff[ends, 1, ::-1]
        folds = self.kind[ends] == FOLD
        both[folds] = (self.payoff[ends].sum(1))[folds]
        return bool(np.abs(both).max(initial=0.0) <= 1e-9 * np.abs(self.payoff).max())

    def children(self, node: int) -> range:
        """The nodes after a node."""
        return range(int(self.first[node]), int(self.first[node] + self.count[node]))

    def line(self, node: int) -> tuple[str, ...]:
        """The actions that lead to a node, without deals."""
        labels: list[str] = []
        while node > 0:
            labels.append(self.label[node])
            node = int(self.parent[node])
        return tuple(label for label in reversed(labels) if label)


@dataclass(frozen=True)
class CardRules:
    """Which cards there are, how they are dealt and who wins.

    Cards are numbered ``4 * rank + suit`` whatever the deck. A hand of two cards has its number
    of ``poker.cards`` (0 to 1325), a hand of one card the number of that card (0 to 51).
    """

    deck: tuple[int, ...]
    hole: int  # cards in a hand: 1 or 2
    deal: tuple[int, ...]  # cards that come at the beginning of each street; 0 on the first
    # the strength of every hand on each board: [boards, cards] -> [boards, hands], higher wins;
    # numbers of hands that the board blocks may be anything
    strengths: Callable[[NDArray[np.uint8]], NDArray[np.uint32]] = field(repr=False)

    def __post_init__(self) -> None:
        if self.hole not in (1, 2):
            raise ParameterError(f"hands have one or two cards, not {self.hole}")

    def __repr__(self) -> str:
        return brief(self, f"of {len(self.deck)} cards, {self.hole} in a hand")

    @property
    def holes(self) -> int:
        """How many numbers of hands there are."""
        return HOLES if self.hole == 2 else 52

    @property
    def cards(self) -> NDArray[np.uint8]:
        """[hands, 2] the cards of each hand; ``NO_CARD`` as the second of one."""
        return _CARDS[self.holes].copy()


def meetings(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of a range each hand can meet (card removal): all that hold none of its cards.

    >>> from counterfold.poker.ranges import Range
    >>> of = meetings(Range.parse("AA").weights)
    >>> float(of[Range.parse("AsAh").weights > 0][0]), float(of[Range.parse("AsKh").weights > 0][0])
    (1.0, 3.0)
    """
    high, low = _CARDS[len(weights)].T
    by_card = np.bincount(np.append(high, low), np.tile(weights, 2), NO_CARD + 1)
    by_card[NO_CARD] = 0.0
    same = weights if len(weights) == HOLES else 0.0  # taken off twice with its two cards
    total = weights.sum()
    found: NDArray[np.float64] = total - by_card[high] - by_card[low] + same
    return np.where(found > 1e-12 * total, found, 0.0)  # differences of equal sums leave dust


@dataclass(frozen=True, eq=False)
class PokerGame:
    """A poker game or a spot of one, for two players.

    ``ranges[p]`` weighs each hand of player p; hands that meet the board or are not of the deck
    must weigh nothing. Very small or large weights are scaled (``safe_weights``). ``pot`` and
    ``big_blind`` are units for reports, in chips.
    """

    name: str
    rules: CardRules
    betting: BettingTree
    board: tuple[int, ...]
    ranges: tuple[NDArray[np.float64], NDArray[np.float64]]
    players: tuple[str, str] = ("oop", "ip")
    pot: float | None = None
    big_blind: float | None = None
    streets: tuple[str, ...] = ()  # names, as "flop", "turn", "river"
    about: dict[str, Any] = field(default_factory=dict)  # what it was read from

    def __repr__(self) -> str:
        names = f"{self.players[0]} and {self.players[1]}"
        return brief(self, f"{self.spec}: {names}, {len(self.betting.kind):,} nodes of betting")

    def __post_init__(self) -> None:
        one, two = self.ranges
        object.__setattr__(self, "ranges", (safe_weights(one), safe_weights(two)))

    @property
    def units(self) -> Units:
        """The pot and the big blind."""
        return Units(self.pot, self.big_blind)

    @cached_property
    def spec(self) -> str:
        """The name of a spot; of a named game, with the parameters that are not the usual.

        >>> from counterfold.poker.holdem import fhp, leduc
        >>> fhp(cap=3).spec, leduc().spec
        ('fhp(cap=3)', 'leduc')
        """
        from counterfold.games.spec import Spec
        from counterfold.poker.holdem import POKER_GAMES

        if "game" not in self.about:
            return self.name
        taken = signature(POKER_GAMES[self.about["game"]]).parameters
        given = {
            key: tuple(map(_plain, value)) if isinstance(value, list) else _plain(value)
            for key, value in self.about.get("parameters", {}).items()
        }
        other = {key: value for key, value in given.items() if value != taken[key].default}
        return str(Spec(self.about["game"], (), other))

    def behind(self, node: int) -> tuple[float, float]:
        """What each player has left at a node, of its stack or of the most that it can ever pay."""
        paid, told = self.betting.paid, self.about.get("spot", {})
        if "stack" in told:
            first = paid[0] * 0.0 if "blinds" in told and not self.board else paid[0]
            left = first + np.array(told["stack"], np.float64) - paid[node]
        else:
            left = paid.max(0) - paid[node]
        return float(left[0]), float(left[1])


def _plain(value: Any) -> Any:
    """A whole number without a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
