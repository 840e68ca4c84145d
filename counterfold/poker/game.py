"""A poker game as public form sees it: cards, money and ranges, each said once.

The betting is a tree of its own that knows no cards; the public tree is that tree times the
boards that can come, and every node of it holds all hands at once (``tree/public.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from inspect import signature

import numpy as np
from numpy.typing import NDArray

from counterfold.arrays import Array, Bools, Floats
from counterfold.errors import ParameterError
from counterfold.files.text import Json
from counterfold.notebook import brief
from counterfold.poker.cards import HIGH, HOLES, LOW, NO_CARD
from counterfold.poker.icm import icm, worth_after
from counterfold.poker.units import Units

DECISION, FOLD, DEAL, SHOWDOWN = range(4)
_CARDS: dict[int, NDArray[np.uint8]] = {  # the cards of hands, by how many hands there are
    HOLES: np.stack([HIGH, LOW], 1),
    52: np.stack([np.arange(52), np.full(52, NO_CARD)], 1).astype(np.uint8),
}
SAFE = 1e-3, 1e3  # between these the largest weight of a range may lie


def safe_weights(weights: Array) -> Floats:
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
    scaled: Floats = found / largest
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
    # [nodes, players] what each player has put in, its part of the first pot
    paid: Floats
    # [nodes, players, 3] at the end of a hand, what it is worth to each player to win all that it
    # can, to tie with all and to lose to all: the share of the pots, after rake, less what was
    # paid. The same three times after a fold, and for those who have folded.
    payoff: Floats
    # What two players need not be told: [nodes] who has folded, a bit for each player;
    folded: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, np.uint16))
    # [nodes + 1] the pots of a showdown that several can win, from one node's first to the next's;
    pot: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    # [pots] what lies in each, after rake;
    chips: Floats = field(default_factory=lambda: np.zeros(0))
    # [pots] and who can win it, a bit for each player
    rivals: NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, np.uint16))

    def __post_init__(self) -> None:
        if len(self.pot) or self.players != 2:
            return
        shown = self.kind == SHOWDOWN
        given = {
            "folded": np.where(self.kind == FOLD, 1 << self.player.clip(0), 0).astype(np.uint16),
            "pot": np.concatenate([[0], np.cumsum(shown)]).astype(np.uint32),
            "chips": self.payoff[shown, 0, 0] - self.payoff[shown, 0, 2],
            "rivals": np.full(shown.sum(), 3, np.uint16),
        }
        for name, array in given.items():
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.kind)

    def __repr__(self) -> str:
        return brief(self, f"of {len(self):,} nodes")

    @property
    def streets(self) -> int:
        """How many rounds of betting there can be."""
        return int(self.street.max()) + 1

    @property
    def players(self) -> int:
        """How many there are."""
        return int(self.paid.shape[1])

    @property
    def zero_sum(self) -> bool:
        """Whether some players lose what others win: not where there is rake."""
        lost = self.payoff[:, :, 2].sum(1)
        np.add.at(lost, np.repeat(np.arange(len(self)), np.diff(self.pot)), self.chips)
        return bool(np.abs(lost).max(initial=0.0) <= 1e-9 * np.abs(self.payoff).max())

    def won(self, node: int, strengths: Sequence[int]) -> list[float]:
        """What each player has won or lost at an end; the highest strength takes a pot.

        Chips that cannot be split are split all the same.
        """
        won: list[float] = self.payoff[node, :, 2].tolist()
        for pot in range(int(self.pot[node]), int(self.pot[node + 1])):
            inside = [p for p in range(self.players) if self.rivals[pot] >> p & 1]
            best = max(strengths[p] for p in inside)
            winners = [p for p in inside if strengths[p] == best]
            for p in winners:
                won[p] += float(self.chips[pot]) / len(winners)
        return won

    @property
    def played(self) -> int:
        """How many streets there are until the last decision."""
        decides = self.street[self.kind == DECISION]
        return int(decides.max(initial=0)) + 1

    def checked_down(self) -> BettingTree:
        """The tree as far as anybody decides: what comes later is one showdown that ends it there.

        Nodes keep their numbers.
        """
        if self.played == self.streets:
            return self
        size, end = int((self.street < self.played).sum()), np.arange(len(self))
        for node in np.flatnonzero(self.kind == DEAL)[::-1].tolist():
            end[node] = end[self.first[node]]
        dealt = (self.kind == DEAL) & (self.street == self.played - 1)
        end, pots = np.where(dealt, end, np.arange(len(self)))[:size], np.diff(self.pot)
        which = np.concatenate([np.arange(self.pot[n], self.pot[n + 1]) for n in end.tolist()])
        arrays = {each.name: getattr(self, each.name)[:size] for each in fields(self)} | {
            "kind": np.where(dealt, SHOWDOWN, self.kind)[:size].astype(np.uint8),
            "first": np.where(dealt, 0, self.first)[:size],
            "count": np.where(dealt, 0, self.count)[:size],
            "payoff": self.payoff[end],
            "pot": np.concatenate([[0], np.cumsum(pots[end])]).astype(np.uint32),
            "chips": self.chips[which],
            "rivals": self.rivals[which],
        }
        return BettingTree(**arrays)

    def children(self, node: int) -> range:
        """The nodes after a node."""
        return range(int(self.first[node]), int(self.first[node] + self.count[node]))

    def actions(self, node: int) -> tuple[str, ...]:
        """The labels of what can be done at a decision."""
        return tuple(self.label[child] for child in self.children(node))

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

    def apart(self, cards: Iterable[int]) -> Bools:
        """[hands] those that hold none of some cards."""
        dealt = np.zeros(NO_CARD + 1, bool)
        dealt[list(cards)] = True
        dealt[NO_CARD] = False
        return np.asarray(~dealt[_CARDS[self.holes]].any(1))


def meetings(weights: Floats) -> Floats:
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
    found: Floats = total - by_card[high] - by_card[low] + same
    return np.where(found > 1e-12 * total, found, 0.0)  # differences of equal sums leave dust


@dataclass(frozen=True, eq=False)
class PokerGame:
    """A poker game or a spot of one.

    ``ranges[p]`` weighs each hand of player p; hands that meet the board or are not of the deck
    must weigh nothing. Very small or large weights are scaled (``safe_weights``). ``pot`` and
    ``big_blind`` are units for reports, in chips.
    """

    name: str
    rules: CardRules
    betting: BettingTree
    board: tuple[int, ...]
    ranges: tuple[Floats, ...]
    players: tuple[str, ...] = ("oop", "ip")
    pot: float | None = None
    big_blind: float | None = None
    streets: tuple[str, ...] = ()  # names, as "flop", "turn", "river"
    prizes: tuple[float, ...] = ()  # what places of a tournament pay, if ends count in these
    about: Json = field(default_factory=dict)  # what it was read from

    def __repr__(self) -> str:
        names = f"{', '.join(self.players[:-1])} and {self.players[-1]}"
        return brief(self, f"{self.spec}: {names}, {len(self.betting.kind):,} nodes of betting")

    def __post_init__(self) -> None:
        object.__setattr__(self, "ranges", tuple(safe_weights(each) for each in self.ranges))
        if not len(self.ranges) == len(self.players) == self.betting.players:
            raise ParameterError(
                f"{self.name} has {len(self.ranges)} ranges and {len(self.players)} names for "
                f"{self.betting.players} players"
            )

    @property
    def units(self) -> Units:
        """The pot and the big blind."""
        return Units(self.pot, self.big_blind)

    @property
    def before_the_flop(self) -> bool:
        """Whether nobody bets once a card lies on the table, though some are to come."""
        return not self.board and self.betting.played == 1 < self.betting.streets

    def worth(self, won: Sequence[float]) -> tuple[float, ...]:
        """What chips that were won count for: in payouts, if there are prizes."""
        if not self.prizes:
            return tuple(won)
        before = tuple(self.about["stacks"])
        after = [round(stack + chips, 9) for stack, chips in zip(before, won, strict=True)]
        shares = zip(worth_after(before, after, self.prizes), icm(before, self.prizes), strict=True)
        return tuple(after - before for after, before in shares)

    @property
    def of_drawn_deals(self) -> bool:
        """Whether it is solved over deals that are drawn: three and more, before the flop alone."""
        return self.before_the_flop and self.rules.hole == 2 and len(self.players) > 2

    @cached_property
    def spec(self) -> str:
        """The name of a spot; of a named game, with the parameters that are not the usual.

        >>> from counterfold.poker.holdem import fhp, leduc
        >>> fhp(cap=3).spec, leduc().spec
        ('fhp(cap=3)', 'leduc')
        """
        from counterfold.games.spec import Spec
        from counterfold.poker.holdem import POKER_GAMES

        if "table" in self.about:
            return str(self.about["table"])
        if "game" not in self.about:
            return self.name
        taken = signature(POKER_GAMES[self.about["game"]]).parameters
        given = {
            key: tuple(map(_plain, value)) if isinstance(value, list) else _plain(value)
            for key, value in self.about.get("parameters", {}).items()
        }
        other = {key: value for key, value in given.items() if value != taken[key].default}
        return str(Spec(self.about["game"], (), other))

    def behind(self, node: int) -> tuple[float, ...]:
        """What each player has left at a node, of its stack or of the most that it can ever pay."""
        paid, told = self.betting.paid, self.about.get("spot", {})
        if "stack" in told:
            first = paid[0] * 0.0 if "blinds" in told and not self.board else paid[0]
            left = first + np.array(told["stack"], np.float64) - paid[node]
        else:
            left = np.array(self.about.get("stacks", paid.max(0))) - paid[node]
        return tuple(left.tolist())


def _plain(value: object) -> object:
    """A whole number without a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
