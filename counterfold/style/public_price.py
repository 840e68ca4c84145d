"""What a style changes and costs in poker with all hands: frequencies, earnings, guarantees."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import best_value, earned_against
from counterfold.evaluate.public_view import Browser
from counterfold.poker.view import compatible
from counterfold.strategy.strategy import Strategy
from counterfold.style.price import Seat
from counterfold.tree.public import PublicTree
from counterfold.tree.traversal import Traversal

__all__ = ["PublicPrice", "PublicShare", "compare_public"]


@dataclass(frozen=True)
class PublicShare(Certified):
    """How often a player takes an action where it can; None where play never gets there."""

    player: int
    action: str
    plain: float | None
    styled: float | None


@dataclass(frozen=True)
class PublicPrice:
    """A styled strategy beside a plain one.

    ``first`` are the actions of the first decision by their labels, ``street`` those of each
    player's decisions on the first street by their kinds, each as often as play gets there.
    """

    first: tuple[PublicShare, ...]
    street: tuple[PublicShare, ...]
    seats: tuple[Seat, Seat]

    def to_dict(self) -> dict[str, Any]:
        found = asdict(self)
        for told, seat in zip(found["seats"], self.seats, strict=True):
            told["cost"] = seat.cost
        return found


def compare_public(plain: Strategy[PublicTree], styled: Strategy[PublicTree]) -> PublicPrice:
    """The price of a style: both strategies are of the same tree.

    >>> from counterfold.poker.spot import spot
    >>> from counterfold.tree.public import PublicTree
    >>> tree = PublicTree(spot({"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+",
    ...                         "ip": "JJ,AKs", "bets": ["50%"], "raises": []}))
    >>> even = Strategy.uniform(tree)
    >>> compare_public(even, even).first[1]
    PublicShare(player=0, action='bet 10', plain=0.5, styled=0.5)
    """
    tree, walk = plain.tree, Traversal(plain.tree, "float64")
    shares = [_shares(strategy, walk) for strategy in (plain, styled)]
    first, street = (
        tuple(PublicShare(p, action, one[p, action], two[p, action]) for p, action in one)
        for one, two in zip(*shares, strict=True)
    )
    fair = tree.game.betting.zero_sum
    seats = []
    for p in (0, 1):
        least = [-best_value(one, 1 - p) if fair else None for one in (plain, styled)]
        seats.append(
            Seat(
                p,
                earned_against(plain, p, plain),
                earned_against(styled, p, styled),
                earned_against(styled, p, plain),
                earned_against(plain, p, styled),
                *least,
            )
        )
    return PublicPrice(first, street, (seats[0], seats[1]))


KINDS = ("fold", "check", "call", "bet", "raise", "all-in")
Shares = dict[tuple[int, str], float | None]


def _shares(strategy: Strategy[PublicTree], walk: Traversal) -> tuple[Shares, Shares]:
    """Of the first decision by label, and of the first street by player and kind of action."""
    betting = strategy.tree.game.betting
    browser = Browser(strategy, walk)
    taken: dict[tuple[int, str], float] = {}
    could: dict[tuple[int, str], float] = {}
    first: Shares = {}
    for node in strategy.hands.decisions(0):
        me = int(betting.player[node])
        reaches = browser.reaches(node, (0,))
        mass = reaches[me] * compatible(reaches[1 - me])
        chosen = np.nan_to_num(strategy.hands.at(node, 0)) @ mass
        labels = [betting.label[child] for child in betting.children(node)]
        kinds = {label.split()[0] for label in labels}
        for kind in kinds:
            could[me, kind] = could.get((me, kind), 0.0) + float(mass.sum())
        for label, share in zip(labels, chosen.tolist(), strict=True):
            key = me, label.split()[0]
            taken[key] = taken.get(key, 0.0) + share
            if node == 0:
                first[me, label] = share / float(mass.sum())
    order = sorted(could, key=lambda key: (key[0], (*KINDS, key[1]).index(key[1])))
    return first, {key: taken[key] / could[key] if could[key] > 0 else None for key in order}
