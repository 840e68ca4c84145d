"""What a player holds and does at one node of a public tree: hand by hand, by class, in all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, NotRequired, TypedDict, Unpack

import numpy as np

from counterfold.arrays import Bools, Floats, Ints
from counterfold.errors import ParameterError
from counterfold.files.text import Json, csv_text
from counterfold.notebook import brief
from counterfold.poker.cards import HIGH, HOLES, LOW, board_name, hole_name, holes_without
from counterfold.poker.game import PokerGame, meetings
from counterfold.poker.made import names_kind, wanted_holes
from counterfold.poker.ranges import CELL, cell_name

CLASSES: tuple[str, ...] = tuple(cell_name(k // 13, k % 13) for k in range(169))
"""The names of the 169 classes of starting hands, row by row of the grid."""


class Totals(NamedTuple):
    """A whole range at a node; NaN where no hand gets there."""

    combos: float  # holes, counted by their weights
    against: float  # the opponent's
    frequencies: dict[str, float]  # how often each action is taken
    ev: float  # chips
    equity: float


class Classes(NamedTuple):
    """The 169 classes at a node, in the order of the grid; NaN where a class has no hand."""

    possible: Ints  # [169] holes that the board leaves
    combos: Floats  # [169] holes, counted by their weights
    weight: Floats  # [169] the mean weight of the possible holes
    mix: Floats  # [actions, 169] how often each action is taken
    ev: Floats  # [169] chips
    equity: Floats  # [169]
    evs: Floats  # [actions, 169] chips, if the action is taken


class Hand(NamedTuple):
    """One hole at a node."""

    hole: int
    name: str
    weight: float
    mass: float
    mix: tuple[float, ...]  # the probability of each action
    ev: float  # chips
    equity: float
    evs: tuple[float, ...]  # chips, if each action is taken


class Seen(TypedDict):
    """What ``NodeView.at`` is told beside the place."""

    actions: tuple[str, ...]
    weight: Floats
    against: Floats
    strategy: Floats
    ev: Floats
    equity: Floats
    note: str
    mass: NotRequired[Floats]
    evs: NotRequired[Floats]


@dataclass(frozen=True, eq=False)
class NodeView:
    """What a player holds and does at one node of a public tree, hand by hand.

    Arrays go by the numbers of holes. Sums and means over hands weigh each hole with its
    ``mass``: its weight times the opponent's holes that leave it possible. That is computed from
    ``weight`` and ``against`` unless it is given.

    >>> from counterfold.poker.cards import parse_board
    >>> from counterfold.poker.ranges import Range
    >>> board = parse_board("Ks 9h 6s 4d 2c")
    >>> range_ = Range.parse("KK,QQ,JJ").without(board).weights
    >>> bets = np.isin(CELL, [CLASSES.index("KK")]).astype(float)
    >>> view = NodeView(
    ...     "river", "oop", "river", (), board, pot=100.0, stacks=(200.0, 200.0),
    ...     actions=("check", "bet 50"), weight=range_, against=range_,
    ...     strategy=np.stack([1 - bets, bets]), ev=50 + 50 * bets, equity=0.5 + 0.5 * bets,
    ... )
    >>> view.totals.combos, {a: round(f, 3) for a, f in view.totals.frequencies.items()}
    (15.0, {'check': 0.769, 'bet 50': 0.231})
    >>> view.classes.combos[CLASSES.index("KK")], [hand.name for hand in view.hands("KK")]
    (np.float64(3.0), ['KhKd', 'KhKc', 'KdKc'])
    """

    game: str
    player: str  # who holds these hands, and decides where there are actions
    street: str
    line: tuple[str, ...]  # actions and dealt cards so far, as in ("check", "bet 66", "[Ah]")
    board: tuple[int, ...]
    pot: float
    stacks: tuple[float, ...]
    actions: tuple[str, ...]  # none at an end, or where the other one decides
    weight: Floats  # [1326] how much of each hole gets here: range x own choices
    against: Floats  # [1326] the opponent's
    strategy: Floats  # [actions, 1326]; NaN where the hole is impossible
    # [1326] chips won from here on, where the two players' add up to the pot; NaN as above
    ev: Floats
    equity: Floats  # [1326] share of the pot if all money went in now; NaN as above
    note: str = ""  # a sentence for the reader
    mass: Floats | None = None
    players: tuple[str, ...] = ("oop", "ip")  # whose the stacks are
    # [actions, 1326] ``ev`` if the action is taken and all is played as before from then on
    evs: Floats | None = None

    @classmethod
    def at(
        cls, game: PokerGame, place: tuple[int, tuple[int, ...], tuple[str, ...]], me: int,
        **seen: Unpack[Seen],
    ) -> NodeView:  # fmt: skip
        """A betting node with its board and line as a player sees it; ``seen`` is all else."""
        node, board, line = place
        names, street = game.streets, int(game.betting.street[node])
        return cls(
            game=game.name,
            player=game.players[me],
            street=names[street] if street < len(names) else f"street {street + 1}",
            line=line,
            board=board,
            pot=float(game.betting.paid[node].sum()),
            stacks=game.behind(node),
            players=game.players,
            **seen,
        )

    def __repr__(self) -> str:
        line = ", ".join(self.line) or "at first"
        return brief(self, f"of {self.game}: {self.player} on the {self.street}, {line}")

    def __post_init__(self) -> None:
        by_action = (len(self.actions), HOLES)
        shapes = {"strategy": by_action, "evs": by_action}
        for name in ("weight", "against", "strategy", "ev", "equity", "mass", "evs"):
            if getattr(self, name) is None:
                continue
            found = np.array(getattr(self, name), np.float64)
            if found.shape != shapes.get(name, (HOLES,)):
                raise ParameterError(
                    f"the {name} of a node has the shape {found.shape}, "
                    f"not {shapes.get(name, (HOLES,))}"
                )
            if name in ("weight", "against", "mass") and not (found >= 0).all():
                raise ParameterError(f"the {name} of every hole at a node must be 0 or more")
            found.flags.writeable = False
            object.__setattr__(self, name, found)
        if len(set(self.actions)) < len(self.actions):
            raise ParameterError("two actions of a node have the same name")
        if (self.weight[~self.possible] > 0).any():
            raise ParameterError("a hole with a card of the board has weight at this node")

    def _repr_html_(self) -> str:
        from counterfold.poker.grid_colours import grid_html

        return grid_html(self)

    @cached_property
    def possible(self) -> Bools:
        """[1326] the holes that the board leaves."""
        return holes_without(self.board)

    @cached_property
    def share(self) -> Floats:
        """[1326] how much each hole counts in sums and means: its mass."""
        return self.weight * meetings(self.against) if self.mass is None else self.mass

    @cached_property
    def totals(self) -> Totals:
        """The whole range."""
        mix, ev, equity = (
            self._means(values, np.zeros(HOLES, np.int64), 1)[..., 0]
            for values in (self.strategy, self.ev, self.equity)
        )
        return Totals(
            combos=float(self.weight.sum()),
            against=float(self.against.sum()),
            frequencies=dict(zip(self.actions, mix.tolist(), strict=True)),
            ev=float(ev),
            equity=float(equity),
        )

    @cached_property
    def classes(self) -> Classes:
        """The 169 classes."""
        possible = np.bincount(CELL[self.possible], minlength=169)
        combos: Floats = np.bincount(CELL, self.weight, 169).astype(np.float64)
        means = (
            self._means(values, CELL, 169)
            for values in (self.strategy, self.ev, self.equity, self.action_evs)
        )
        return Classes(possible, combos, combos / np.maximum(possible, 1), *means)

    @property
    def action_evs(self) -> Floats:
        """[actions, 1326] what each action is worth; of no action where that is not known."""
        return np.zeros((0, HOLES)) if self.evs is None else self.evs

    @property
    def worth(self) -> tuple[str, ...]:
        """The actions of which it is known what they are worth."""
        return () if self.evs is None else self.actions

    def _means(self, values: Floats, group: Ints, groups: int) -> Floats:
        """The mean of each row in each group of holes, by their share.

        A group that meets no opponent goes by weight; one without any hand has NaN.
        """
        rows = np.atleast_2d(values)
        out = np.full((len(rows), groups), math.nan)
        for row, into in zip(rows, out, strict=True):
            there = np.isfinite(row)
            for by in (self.weight[there], self.share[there]):  # the share where there is any
                count = np.bincount(group[there], by, groups)
                total = np.bincount(group[there], by * row[there], groups)
                some = count > 0
                into[some] = total[some] / count[some]
        return out if values.ndim == 2 else out[0]

    def hands(self, which: str | None = None) -> list[Hand]:
        """The possible holes in words: a class or range (``AKs``, ``AhKd``, ``QQ+``), or those that
        get here and are a made hand or draw (``top pair``, ``flush draw & QQ+``; see ``made``).

        Without words, all holes that get here. They come from the highest cards down.
        """
        wanted = self.weight > 0 if which is None else self._wanted(which)
        return [self._hand(hole) for hole in _from_the_top(np.flatnonzero(wanted).tolist())]

    def _wanted(self, which: str) -> Bools:
        wanted = wanted_holes(which, self.board)
        if names_kind(which):
            wanted &= self.weight > 0
        if not wanted.any():
            what = "lets no hand get here that is" if names_kind(which) else "leaves no hand of"
            raise ParameterError(f"the board {board_name(self.board)} {what} {which!r}")
        return wanted

    def only(self, which: str) -> NodeView:
        """The same with nothing but some hands in words, as of ``hands``."""
        return replace(self, weight=np.where(self._wanted(which), self.weight, 0.0), mass=None)

    def equity_curve(self, points: int = 21) -> list[float]:
        """The equity of the hands from the worst to the best, at even steps of the range.

        >>> from counterfold.poker.cards import parse_board
        >>> from counterfold.poker.ranges import Range
        >>> range_ = Range.parse("KK,QQ").without(board := parse_board("Ks 9h 6s 4d 2c")).weights
        >>> equity = np.where(CELL == CLASSES.index("KK"), 0.9, 0.3)
        >>> view = NodeView("river", "oop", "river", (), board, 100.0, (200.0, 200.0), (), range_,
        ...                 range_, np.zeros((0, 1326)), equity, equity)
        >>> view.equity_curve(4)
        [0.3, 0.3, 0.9, 0.9]
        """
        there = np.flatnonzero((self.share > 0) & np.isfinite(self.equity))
        if not len(there):
            return []
        order = there[np.argsort(self.equity[there], kind="stable")]
        upto = np.cumsum(self.share[order])
        places = np.searchsorted(upto, np.linspace(0, 1, points) * upto[-1] * (1 - 1e-12))
        curve: list[float] = self.equity[order[places]].tolist()
        return curve

    def in_class(self, number: int) -> list[Hand]:
        """The possible holes of a class, by its place in ``CLASSES``."""
        holes = np.flatnonzero((number == CELL) & self.possible)
        return [self._hand(hole) for hole in _from_the_top(holes.tolist())]

    def _hand(self, hole: int) -> Hand:
        return Hand(
            hole,
            hole_name(hole),
            float(self.weight[hole]),
            float(self.share[hole]),
            tuple(self.strategy[:, hole].tolist()),
            float(self.ev[hole]),
            float(self.equity[hole]),
            tuple(self.action_evs[:, hole].tolist()),
        )

    def to_dict(self, hands: bool = True) -> Json:
        """The node for JSON. The keys are stable; numbers that are not known are None.

        ``game``, ``player``, ``street``, ``line``, ``board`` (names of cards), ``pot`` and
        ``stacks`` (chips), ``actions``, ``note``; of the whole range ``combos``, ``against``,
        ``frequencies`` (by action), ``ev`` (chips), ``ev_percent_of_pot``, ``equity``,
        ``equity_curve`` (from the worst hand to the best, by twentieths of the range); and two
        lists of what gets here: ``classes`` with ``hand``, ``combos``, ``weight``, ``actions``
        (the probability of each), ``ev``, ``equity``, ``evs`` (chips, by action); and ``hands``
        (left out unless ``hands``) with the same but for ``combos``.
        """
        totals, classes = self.totals, self.classes
        document: dict[str, object] = {
            "game": self.game,
            "player": self.player,
            "street": self.street,
            "line": list(self.line),
            "board": board_name(self.board).split(),
            "pot": float(self.pot),
            "stacks": {
                who: float(chips) for who, chips in zip(self.players, self.stacks, strict=True)
            },
            "actions": list(self.actions),
            "note": self.note,
            "combos": totals.combos,
            "against": totals.against,
            "frequencies": {a: _known(f) for a, f in totals.frequencies.items()},
            "ev": _known(totals.ev),
            "ev_percent_of_pot": _known(100 * totals.ev / self.pot) if self.pot else None,
            "equity": _known(totals.equity),
            "equity_curve": self.equity_curve(),
            "classes": [
                {
                    "hand": CLASSES[k],
                    "combos": float(classes.combos[k]),
                    "weight": float(classes.weight[k]),
                    "actions": self._named(classes.mix[:, k].tolist()),
                    "ev": _known(float(classes.ev[k])),
                    "equity": _known(float(classes.equity[k])),
                    "evs": self._named(classes.evs[:, k].tolist()),
                }
                for k in np.flatnonzero(classes.combos > 0)
            ],
        }
        if hands:
            document["hands"] = [
                {
                    "hand": hand.name,
                    "weight": hand.weight,
                    "actions": self._named(hand.mix),
                    "ev": _known(hand.ev),
                    "equity": _known(hand.equity),
                    "evs": self._named(hand.evs),
                }
                for hand in self.hands()
            ]
        return document

    def _named(self, mix: Iterable[float]) -> dict[str, float | None]:
        return {action: _known(p) for action, p in zip(self.actions, mix, strict=False)}

    def rows(self, which: str | None = None) -> Iterator[tuple[str | float, ...]]:
        """A table of the hands that get here (or of those in words), its head first; for CSV."""
        by_action = [f"ev {action}" for action in self.worth]
        yield ("hand", "class", "weight", *self.actions, "ev", "equity", *by_action)
        for hand in self.hands(which):
            numbers = (hand.weight, *hand.mix, hand.ev, hand.equity, *hand.evs)
            known = ("" if _known(x) is None else round(x, 6) + 0.0 for x in numbers)
            yield (hand.name, CLASSES[CELL[hand.hole]], *known)

    def to_csv(self, which: str | None = None) -> str:
        """The rows as CSV: probabilities and equity from 0 to 1, EV in chips."""
        return csv_text(self.rows(which))


def _from_the_top(holes: Iterable[int]) -> list[int]:
    """Holes by their ranks, then their suits, highest first."""
    return sorted(holes, key=lambda h: (HIGH[h] // 4, LOW[h] // 4, h), reverse=True)


def _known(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
