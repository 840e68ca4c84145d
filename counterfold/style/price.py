"""What a style changes and what it costs: the styled strategy beside the plain one, exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import MismatchError, ParameterError
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import Assessment, assess, values
from counterfold.solve.methods import Method
from counterfold.solve.result import Result, solve
from counterfold.solve.until import Until
from counterfold.strategy.infosets import slots_of
from counterfold.strategy.strategy import Strategy
from counterfold.style.frequency import _visits
from counterfold.style.preferences import Style
from counterfold.tree.history import HistoryTree, compile_game

__all__ = [
    "Distance",
    "Openings",
    "Price",
    "Seat",
    "Share",
    "compare",
    "hands",
    "openings",
    "price",
]

DEFAULT_UNTIL = Until(iterations=10_000)
SELDOM = 1e-3
"""Infosets to which play comes less often than this do not count for the largest difference."""


@dataclass(frozen=True)
class Share(Certified):
    """How often a player takes an action where it can, in the plain and the styled strategy.

    Each infoset counts as often as play gets there when everybody plays the same strategy.
    ``round`` and ``hand`` say of which part of the game this is told, None for all of it. A
    share is None where that strategy never comes.
    """

    player: int
    round: int | None
    hand: str | None
    action: str
    plain: float | None
    styled: float | None


@dataclass(frozen=True)
class Distance(Certified):
    """How far apart two strategies are.

    ``mean`` is the L1 distance (0 to 2) at an infoset, each weighed by how often plain play
    gets there. ``largest`` is the greatest difference in one probability, at ``infoset``,
    among infosets that either strategy reaches at least once in a thousand hands.
    """

    mean: float
    largest: float
    player: int
    infoset: str
    action: str


@dataclass(frozen=True)
class Seat(Certified):
    """What a player earns a hand: against copies of itself, the other strategy, the worst foe.

    ``styled_against_plain`` is this seat's payoff when it alone has the style, and
    ``plain_against_styled`` when all but it have it. The guarantees, against a best responder,
    are told in two-player zero-sum games only.
    """

    player: int
    plain: float
    styled: float
    styled_against_plain: float
    plain_against_styled: float
    plain_guarantee: float | None
    styled_guarantee: float | None

    @property
    def cost(self) -> float | None:
        """How much less the styled strategy guarantees."""
        if self.plain_guarantee is None or self.styled_guarantee is None:
            return None
        return self.plain_guarantee - self.styled_guarantee


@dataclass(frozen=True)
class Price(Certified):
    """A style's price: the two results, and everything in which they differ. Frozen."""

    style: str
    plain: Result
    styled: Result
    by_player: tuple[Share, ...]
    by_round: tuple[Share, ...]
    by_hand: tuple[Share, ...]
    distance: Distance
    seats: tuple[Seat, ...]

    @property
    def cost(self) -> float:
        """How much more exploitable the styled strategy is."""
        return self.styled.exploitability - self.plain.exploitability

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON of ``counterfold style --json``; players count from 1 there."""
        return {
            "game": self.styled.game,
            "style": self.style,
            "cost": self.cost,
            "plain": self.plain.to_dict(),
            "styled": self.styled.to_dict(),
            "by_player": [_told(share) for share in self.by_player],
            "by_round": [_told(share) for share in self.by_round],
            "by_hand": [_told(share) for share in self.by_hand],
            "distance": _told(self.distance),
            "seats": [_told(seat) | {"cost": seat.cost} for seat in self.seats],
        }


def price(
    game: Any,
    style: Style,
    method: str | Method = "cfr",
    until: Until | None = None,
    traversal: str = "full",
    *,
    on_run: Callable[[str], None] | None = None,
    **settings: Any,
) -> Price:
    """Solve a game plainly and with a style, in the same way, and tell what the style costs.

    ``until`` is 10,000 iterations if not given; ``settings`` are those of ``solve``. Before
    each of the two runs ``on_run`` is called with its name, ``"plain"`` or ``"styled"``.

    >>> import counterfold as cf
    >>> bold = price(cf.Kuhn(), cf.Style({"bet": 10.0}, player=0, best=True))
    >>> bets = next(share for share in bold.by_hand if share.hand == "J" and share.action == "bet")
    >>> round(bets.plain, 1), bets.styled > 0.25, bold.cost < 0.01
    (0.2, True, True)
    """
    if method == "lp":
        raise ParameterError("the linear program has no style; choose a method such as cfr")
    tree = game if isinstance(game, HistoryTree) else compile_game(game)
    leaning = style.on(tree)  # refused here before anything is solved
    limits = until or DEFAULT_UNTIL
    found = []
    for name, taste in (("plain", None), ("styled", leaning)):
        if on_run:
            on_run(name)
        found.append(solve(tree, method, limits, traversal, style=taste, **settings))
    return compare(found[0], found[1], style)


def compare(plain: Result, styled: Result, style: Style | str = "") -> Price:
    """The price of a style from a plain and a styled result of the same game.

    >>> import counterfold as cf
    >>> found = cf.solve(cf.Kuhn())
    >>> compare(found, found).distance.mean
    0.0
    """
    ours, theirs = plain.strategy, styled.strategy
    tree = ours.tree
    if theirs.fingerprint != ours.fingerprint:
        raise MismatchError(f"one result is of {plain.game} and the other of {styled.game}")
    visits = (_visits(tree, ours.probabilities), _visits(tree, theirs.probabilities))
    labels = tree.infosets.labels
    count = len(labels)
    everything: list[Any] = [None] * count
    round_of = getattr(tree.game, "round_of", None)
    rounds = everything if round_of is None else [int(round_of(name)) for name in labels]
    classes = [name.split(" | ", 1)[0] for name in labels] if hands(tree) else everything

    def shares(rounds: Sequence[Any], classes: Sequence[Any]) -> tuple[Share, ...]:
        return _shares(tree, (ours, theirs), visits, rounds, classes)

    return Price(
        style=str(style),
        plain=plain,
        styled=styled,
        by_player=shares(everything, everything),
        by_round=() if round_of is None else shares(rounds, everything),
        by_hand=shares(everything, classes) if hands(tree) else (),
        distance=_distance(tree, ours, theirs, visits),
        seats=_seats(ours, theirs),
    )


def hands(tree: HistoryTree) -> tuple[str, ...]:
    """The hands a player can hold, in the order of play: what names of infosets begin with.

    There are none in games whose infosets have no names of several parts, and none where the
    first part is the same for everybody.

    >>> import counterfold as cf
    >>> hands(cf.compile_game(cf.Kuhn()))
    ('J', 'Q', 'K')
    """
    labels = tree.infosets.labels
    found = tuple(dict.fromkeys(name.split(" | ", 1)[0] for name in labels))
    return found if len(found) > 1 and any(" | " in name for name in labels) else ()


@dataclass(frozen=True)
class Openings:
    """A player's first decisions: the probability of each action with each hand.

    ``plain[h, c]`` belongs to ``hands[h]`` and ``columns[c]``, a pair of what has been said
    before and an action; it is not a number where the hand cannot be held there.
    """

    player: int
    hands: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    plain: NDArray[np.float64]
    styled: NDArray[np.float64]


def openings(plain: Strategy, styled: Strategy, player: int) -> Openings | None:
    """A player's first decisions by hand; None in games without hands.

    >>> import counterfold as cf
    >>> uniform = cf.Strategy.uniform(cf.Kuhn())
    >>> first = openings(uniform, uniform, 1)
    >>> first.hands, first.columns[0], first.columns[-1]
    (('J', 'Q', 'K'), ('check', 'check'), ('bet', 'call'))
    """
    tree = plain.tree
    infosets = tree.infosets
    found = hands(tree)
    # Where play comes although the player has made no move: every move of its own is barred.
    barred = infosets.evenly()
    lo, hi = slots_of(tree.infosets, player)
    barred[lo:hi] = 0.0
    first = np.flatnonzero((_visits(tree, barred) > 0) & (infosets.owner == player)).tolist()
    cells: dict[tuple[str, str], dict[str, int]] = {}
    for i in first:
        hand, _, said = infosets.labels[i].partition(" | ")
        for offset, action in enumerate(infosets.actions[i]):
            cells.setdefault((said, action), {})[hand] = int(infosets.start[i]) + offset
    held = tuple(hand for hand in found if any(hand in slots for slots in cells.values()))
    if len(held) < 2 or not cells:
        return None
    shown = np.full((2, len(held), len(cells)), np.nan)
    for column, slots in enumerate(cells.values()):
        for hand, slot in slots.items():
            both = plain.probabilities[slot], styled.probabilities[slot]
            shown[:, held.index(hand), column] = both
    return Openings(player, held, tuple(cells), shown[0], shown[1])


def _shares(
    tree: HistoryTree,
    strategies: tuple[Strategy, Strategy],
    visits: tuple[NDArray[np.float64], NDArray[np.float64]],
    rounds: Sequence[Any],
    classes: Sequence[Any],
) -> tuple[Share, ...]:
    infosets = tree.infosets
    order = {hand: number for number, hand in enumerate(dict.fromkeys(classes))}
    # By key: how often the action could be taken, and how often it was, plainly and styled.
    sums: dict[tuple[int, Any, Any, str], NDArray[np.float64]] = {}
    for i, (owner, names) in enumerate(zip(infosets.owner.tolist(), infosets.actions, strict=True)):
        start = int(infosets.start[i])
        for offset, action in enumerate(names):
            key = (owner, rounds[i], classes[i], action)
            sum_ = sums.setdefault(key, np.zeros((2, 2)))
            for which in (0, 1):
                here = visits[which][i]
                taken = here * strategies[which].probabilities[start + offset]
                sum_[which] += here, taken
    ranked = sorted(sums, key=lambda key: (key[0], key[1] or 0, order[key[2]]))
    return tuple(Share(*key, *map(_share, sums[key])) for key in ranked)


def _share(sums: NDArray[np.float64]) -> float | None:
    chances, taken = sums.tolist()
    return min(taken / chances, 1.0) if chances > 0 else None


def _distance(
    tree: HistoryTree,
    plain: Strategy,
    styled: Strategy,
    visits: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> Distance:
    infosets = tree.infosets
    if not infosets.slots:
        return Distance(0.0, 0.0, 0, "", "")
    apart = np.abs(plain.probabilities - styled.probabilities)
    at = np.add.reduceat(apart, infosets.start[:-1].astype(np.int64))
    mean = float(visits[0] @ at / visits[0].sum()) if visits[0].sum() > 0 else 0.0
    often = np.maximum(*visits) >= SELDOM
    if often.any():
        apart = np.where(np.repeat(often, infosets.sizes), apart, 0.0)
    slot = int(np.argmax(apart))
    i = int(np.searchsorted(infosets.start, slot, side="right")) - 1
    return Distance(
        mean,
        float(apart[slot]),
        int(infosets.owner[i]),
        infosets.labels[i],
        infosets.actions[i][slot - int(infosets.start[i])],
    )


def _seats(plain: Strategy, styled: Strategy) -> tuple[Seat, ...]:
    tree = plain.tree
    ours, theirs = assess(plain), assess(styled)
    seats = []
    for player in range(tree.players):
        one = [styled if p == player else plain for p in range(tree.players)]
        rest = [plain if p == player else styled for p in range(tree.players)]
        seats.append(
            Seat(
                player,
                plain=ours.values[player],
                styled=theirs.values[player],
                styled_against_plain=values(*one)[player],
                plain_against_styled=values(*rest)[player],
                plain_guarantee=_guarantee(tree, ours, player),
                styled_guarantee=_guarantee(tree, theirs, player),
            )
        )
    return tuple(seats)


def _guarantee(tree: HistoryTree, found: Assessment, player: int) -> float | None:
    if not tree.two_player_zero_sum:
        return None
    assert tree.constant_sum is not None
    return tree.constant_sum - found.best[1 - player]


def _told(thing: Share | Distance | Seat) -> dict[str, Any]:
    told = asdict(thing)
    return told | {"player": told["player"] + 1}
