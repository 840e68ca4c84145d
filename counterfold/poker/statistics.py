"""The statistics that players use, VPIP and its like: what each counts in a betting tree.

All but W$SD and AF are shares: of the hands that come to some nodes of the betting, those that come
to some others. So what a strategy has of them follows from how often play comes to each node.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Floats, Ints
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.files.text import Json
from counterfold.notebook import Tabular, brief
from counterfold.poker.game import DEAL, DECISION, SHOWDOWN, BettingTree, PokerGame

NAMES = ("vpip", "pfr", "3bet", "fold-to-3bet", "cbet", "fold-to-cbet", "wtsd", "w$sd", "af")
PREFLOP = NAMES[:4]
"""Those of the first street."""
_BETS = ("bet", "raise", "all-in")


class Event(NamedTuple):
    """What a statistic counts for a seat: nodes with a chance to do it, and where it is done."""

    chances: Ints
    done: Ints


class Stat(NamedTuple):
    """A statistic of a seat, with half of its 95% interval, and how often a hand has the chance."""

    value: float
    half: float
    chances: float


@dataclass(frozen=True)
class Statistics(Tabular):
    """The statistics of every seat; None where a seat never has the chance."""

    game: str
    seats: tuple[str, ...]
    by_name: Mapping[str, tuple[Stat | None, ...]]
    boards: int | None  # that were drawn; None where all is exact

    def __repr__(self) -> str:
        return brief(self, f"of {self.game}: {', '.join(self.seats)}")

    def of(self, name: str, player: int) -> Stat:
        """A statistic of a player, from 0; ParameterError if it has none."""
        found = self.by_name[known_name(name)][player]
        if found is None:
            raise ParameterError(
                f"{self.seats[player]} never has the chance of {name} in {self.game}"
            )
        return found

    def table(self) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        rows = [
            [seat, *(stat and stat.value for stat in by_seat)]
            for seat, *by_seat in zip(self.seats, *self.by_name.values(), strict=True)
        ]
        return ("seat", *self.by_name), rows

    def to_dict(self) -> Json:
        """By seat and name: value, half, chances."""
        seats = {
            seat: {
                name: None if (one := own[p]) is None else one._asdict()
                for name, own in self.by_name.items()
            }
            for p, seat in enumerate(self.seats)
        }
        return {"boards": self.boards, "seats": seats}


def known_name(name: str) -> str:
    """The statistic that a word means; ParameterError if there is none.

    >>> known_name("VPIP"), known_name("fold_to_3bet")
    ('vpip', 'fold-to-3bet')
    """
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    if plain not in NAMES:
        raise ParameterError(f"there is no statistic {name!r}; there are {', '.join(NAMES)}")
    return plain


class _Past(NamedTuple):
    """What was done before a node; sets of players are whole numbers, a bit for each."""

    entered: int = 0  # who has put chips in of its own will before the flop
    raised: int = 0  # who has raised before the flop
    opener: int = -1  # who raised first before the flop
    aggressor: int = -1  # who raised last before the flop
    bets: int = 0  # bets and raises of this street, without the blinds
    bettor: int = -1  # whose the last of these was


def events(tree: BettingTree) -> dict[str, tuple[Event, ...]]:
    """What each statistic but W$SD counts, by seat.

    >>> from counterfold.poker.holdem import fhp
    >>> tree = fhp().betting
    >>> small_blind = events(tree)["vpip"][0]
    >>> small_blind.chances.tolist(), [tree.label[node] for node in small_blind.done]
    ([0], ['call', 'raise'])
    """
    sets: dict[str, list[tuple[list[int], list[int]]]] = {
        name: [([], []) for _ in range(tree.players)] for name in NAMES[:6]
    }
    early = int(np.searchsorted(tree.street, 2))  # streets follow each other
    past = [_Past()] * early
    for node in range(early):
        if tree.kind[node] == DECISION:
            for name, chance, done in _counted(tree, node, past[node]):
                own = sets[name][int(tree.player[node])]
                own[0].extend(chance)
                own[1].extend(done)
        for child in tree.children(node):
            if child < early:
                past[child] = _after(tree, node, child, past[node])
    for name in ("vpip", "pfr"):
        for chances, _ in sets[name]:
            chances[:] = [0]
    found = {
        name: tuple(Event(np.array(a, np.int64), np.array(b, np.int64)) for a, b in own)
        for name, own in sets.items()
    }
    return found | _later(tree)


def _later(tree: BettingTree) -> dict[str, tuple[Event, ...]]:
    """WTSD and AF, whose nodes are on all streets."""
    words = np.array([label.split(" ")[0] for label in tree.label])
    actor = np.where(tree.parent >= 0, tree.player[tree.parent], -1)
    late = (tree.street[tree.parent] > 0) & (tree.kind[tree.parent] == DECISION) & (actor >= 0)
    bets, calls = np.isin(words, _BETS) & late, (words == "call") & late
    flops = (tree.kind == DEAL) & (tree.street == 0)
    ends = tree.kind == SHOWDOWN
    shown, force = [], []
    for p in range(tree.players):
        inside = tree.folded >> p & 1 == 0
        shown.append(Event(np.flatnonzero(flops & inside), np.flatnonzero(ends & inside)))
        force.append(
            Event(np.flatnonzero(calls & (actor == p)), np.flatnonzero(bets & (actor == p)))
        )
    return {"wtsd": tuple(shown), "af": tuple(force)}


def _bets(tree: BettingTree, child: int) -> bool:
    return tree.label[child].split(" ")[0] in _BETS


def _counted(
    tree: BettingTree, node: int, past: _Past
) -> Iterator[tuple[str, list[int], list[int]]]:
    """Statistics that a decision counts for: the chance, if it is one, and the moves that do it."""
    player, here = int(tree.player[node]), [node]
    bets = [child for child in tree.children(node) if _bets(tree, child)]
    folds = [child for child in tree.children(node) if tree.label[child] == "fold"]
    calls = [child for child in tree.children(node) if tree.label[child] == "call"]
    if tree.street[node] == 0:
        if not past.entered >> player & 1:
            yield "vpip", [], calls + bets
        if not past.raised >> player & 1:
            yield "pfr", [], bets
        if past.bets == 1 and past.opener != player and bets:
            yield "3bet", here, bets
        if past.bets == 2 and past.opener == player:
            yield "fold-to-3bet", here, folds
    elif tree.street[node] == 1:
        if past.bets == 0 and past.aggressor == player and bets:
            yield "cbet", here, bets
        if past.bets == 1 and past.bettor == past.aggressor != player:
            yield "fold-to-cbet", here, folds


def _after(tree: BettingTree, node: int, child: int, past: _Past) -> _Past:
    player = int(tree.player[node])
    if tree.kind[node] == DEAL:
        return past._replace(bets=0, bettor=-1)
    preflop, bets = tree.street[node] == 0, _bets(tree, child)
    if preflop and (bets or tree.label[child] == "call"):
        past = past._replace(entered=past.entered | 1 << player)
    if not bets:
        return past
    if preflop:
        opener = player if past.opener < 0 else past.opener
        past = past._replace(raised=past.raised | 1 << player, opener=opener, aggressor=player)
    return past._replace(bets=past.bets + 1, bettor=player)


class Tally:
    """What was counted on each of some boards, as sums: chances and what was done."""

    def __init__(self, game: PokerGame) -> None:
        if game.board or not game.streets:
            raise UnsupportedError(
                f"{game.spec} begins after the first card, so nobody has a VPIP there; statistics "
                "are of games from the first card"
            )
        self.game = game
        self.events = events(game.betting)
        self._sums: dict[str, list[Floats]] = {name: [] for name in NAMES}

    def add(self, mass: Floats, names: Sequence[str], won: Floats | None = None) -> None:
        """How often play came to each node, and how often each seat won a showdown it got to."""
        for name in names:
            if name != "w$sd":
                own = [(mass[e.done].sum(), mass[e.chances].sum()) for e in self.events[name]]
            elif won is not None:
                shown = [mass[event.done].sum() for event in self.events["wtsd"]]
                own = list(zip(won.tolist(), shown, strict=True))
            else:
                continue
            self._sums[name].append(np.array([*own, (mass[0], mass[0])], np.float64))

    def statistics(self, boards: int | None = None) -> Statistics:
        """All of them; exact if nothing was drawn."""
        found: dict[str, tuple[Stat | None, ...]] = {}
        for name, sums in self._sums.items():
            if sums:
                all_ = np.stack(sums)  # [boards, seats and all hands, done and chances]
                found[name] = tuple(_ratio(all_, p) for p in range(all_.shape[1] - 1))
        return Statistics(self.game.spec, self.game.players, found, boards)


def _ratio(sums: Floats, seat: int) -> Stat | None:
    done, chances = sums[:, seat].T
    total, hands = float(chances.sum()), float(sums[:, -1, 0].sum())
    if not total > 1e-12 * hands:
        return None
    value = float(done.sum()) / total
    half = 0.0
    if len(sums) > 1:  # the usual error of a ratio of means
        half = 1.959964 * math.sqrt(float(((done - value * chances) ** 2).sum())) / total
    return Stat(value, half, total / hands)
