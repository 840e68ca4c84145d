"""A public tree as kernels take it: the arrays that never change, and room to work in."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from counterfold.arrays import Array, Arrays
from counterfold.files.arrays import Saved
from counterfold.poker.cards import NO_CARD
from counterfold.poker.equities import apart, boards_left
from counterfold.poker.game import DECISION
from counterfold.tree.public import PublicTree
from counterfold.tree.public_nodes import LANES, NOTHING, PublicNodes, ends_of

if TYPE_CHECKING:
    from counterfold.kernels.public import (
        Ends,
        Extra,
        Ground,
        Hands,
        Money,
        Pack,
        Room,
        Sides,
        Table,
    )

Learned: TypeAlias = "Sequence[Table]"
"""What is learned, or a strategy without regrets beside it, of each player."""
Packs: TypeAlias = "Sequence[Pack | None]"
Extras: TypeAlias = "Sequence[Extra | None]"
NEITHER = None, None
"""Packs or extras where no player has any."""
_Wins: TypeAlias = tuple[NDArray[np.uint32] | None, NDArray[np.uint32] | None]


def aligned(shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """Zeros that begin where a cache line does."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 64, np.uint8)
    at = -raw.ctypes.data % 64
    result: Array = raw[at : at + size].view(dtype).reshape(shape)
    return result


def _wide(array: object) -> NDArray[np.uint32]:
    return np.ascontiguousarray(array, np.uint32)


def money_of(nodes: PublicNodes, scale: float, dtype: DTypeLike) -> tuple[Money, tuple[Ends, ...]]:
    """``Money`` and the two players' ``Ends`` of kernels.public, payoffs times ``scale``."""
    from counterfold.kernels import public

    found = [ends_of(nodes, me, scale) for me in (0, 1)]
    table = np.zeros((len(nodes.old), public.FIELDS), np.uint32)
    columns = {
        public.KIND: nodes.kind, public.OWNER: nodes.owner, public.CHILD: nodes.first,
        public.COUNT: nodes.count, public.SLOT: nodes.slot, public.LINE: nodes.line,
        public.PLACE: nodes.place, public.ROW: nodes.row[0], public.ROW + 1: nodes.row[1],
        public.HIDDEN: found[0][1], public.HIDDEN + 1: found[1][1], public.WIDE: nodes.wide,
    }  # fmt: skip
    for column, values in columns.items():
        table[:, column] = values
    ends = []
    for (start, called, folded, share, to, also), _ in found:
        worth = np.ascontiguousarray(share, dtype)
        ends.append(public.Ends(start, called, folded, worth, to, also))
    return public.Money(table, nodes.chunk, nodes.chunks), tuple(ends)


def fields_in(
    saved: Saved, tree: PublicTree, dtypes: tuple[DTypeLike, ...] = (np.float32, np.float64)
) -> list[Arrays]:
    """What a checkpoint says was asked of each player, as ``PublicArrays.extra`` takes it."""
    found: list[Arrays] = [{}, {}]
    nodes, holes = tree.nodes, tree.game.rules.holes
    for p, fields in enumerate(found):
        rows, wide = max(tree.rows(p), 1), tree.columns(p)
        first = len(tree.hands[p][0].holes)

        def take(name: str, *shape: int | None, least: float = 0, most: float = math.inf) -> Array:
            key = f"{name}.{p}"  # noqa: B023
            return saved.array(key, saved.dtype(key, dtypes), shape, least, most)

        if f"delta.{p}" in saved:
            fields["delta"] = take("delta", nodes.actions[p], holes, least=1)
            fields["fallback"] = take("fallback", nodes.actions[p], holes, most=1)
            fields["beta"] = take("beta", len(nodes.old), holes)
        if f"model.{p}" in saved:
            fields["model"] = take("model", rows, wide)
            fields["free"] = take("free", first)
            fields["bound"] = take("bound", first)
        if f"lock.{p}" in saved:
            lock = saved.array(f"lock.{p}", np.uint32, (len(tree.boards), len(nodes.old)))
            start = saved.array(f"first.{p}", np.uint32, (None,))
            fields |= {"lock": lock, "first": start}
            fields["trust"] = take("trust", len(start), wide, most=1)
            fields["held"] = take("held", None, wide, most=1)
            _, locked = np.nonzero(lock != NOTHING)
            which = lock[lock != NOTHING]
            good = not len(which) or which.max() < len(start)
            if good and len(which):
                ends = start[which].astype(np.int64) + nodes.count[locked]
                own = (nodes.kind[locked] == DECISION) & (nodes.owner[locked] == p)
                good = bool(own.all() and ends.max() <= len(fields["held"]))
            if not good:
                raise saved.damaged("its locks do not fit the game")
    saved.finish()
    return found


class PublicArrays:
    """``money``, ``boards`` and ``ends`` of kernels.public, and each player's hands."""

    def __init__(self, tree: PublicTree, dtype: DTypeLike) -> None:
        from counterfold.kernels import public

        self.tree, self.dtype = tree, np.dtype(dtype)
        self.money, self.ends = money_of(tree.nodes, 1.0 / tree.weight_sum, self.dtype)
        inner = np.array([tree.by_class(board) for board in tree.boards])
        self.inner = np.where(inner, np.cumsum(inner) - 1, 0)
        street = _wide([board.street for board in tree.boards])
        left = boards_left(tree.game.rules, tree.boards[-1].cards, tree.rest)
        self.boards = public.Boards(
            street, _wide(self.inner), tree.group, tree.bound, np.array([1.0 / left])
        )
        self.columns = [-(-tree.columns(p) // LANES) * LANES for p in (0, 1)]
        # Rows of sixteen ends: one a hand, then one of zeros for hands that nobody else holds.
        pairs = max(len(hands.pairs) for player in tree.hands for hands in player)
        self.nobody = -(-max(pairs, *self.columns) // LANES) * LANES
        self._holes: dict[int, NDArray[np.uint16]] = {}
        wins = self._wins()
        self.hands = (
            self._counted(0, self._player(0, wins[0])),
            self._counted(1, self._player(1, wins[1])),
        )

    @property
    def ground(self) -> Ground:
        """What kernels.public walks on."""
        from counterfold.kernels import public

        return public.Ground(self.money, self.boards, self.ends)

    def sides(self, tables: Learned, packs: Packs = NEITHER, extras: Extras = NEITHER) -> Sides:
        """What both players have there."""
        from counterfold.kernels import public

        return public.Sides(self.hands, tuple(tables), tuple(packs), tuple(extras))

    def in_kind(self, dtype: DTypeLike) -> PublicArrays:
        """The same in numbers of another kind; all that is whole is shared."""
        found = copy.copy(self)
        found.dtype = np.dtype(dtype)
        found.money, found.ends = money_of(self.tree.nodes, 1.0 / self.tree.weight_sum, dtype)
        found.hands = found._counted(0, self.hands[0]), found._counted(1, self.hands[1])
        return found

    def _counted(self, p: int, hands: Hands) -> Hands:
        """A player's hands with what they count for: at the start, and on the board before."""
        tree, wide = self.tree, self.tree.columns(p)
        passed = np.zeros((len(tree.boards), wide), self.dtype)
        for number, board in enumerate(tree.boards[1:], 1):
            size = tree.hands[p][number].size
            above = tree.hands[p][board.before].size[hands.up[number, : len(size)]]
            passed[number, : len(size)] = board.chance * size / above
        start = np.zeros(wide, self.dtype)
        first = tree.hands[p][0].holes
        start[: len(first)] = np.asarray(tree.game.ranges[p])[first]
        return hands._replace(passed=passed, start=start)

    def _wins(self) -> Sequence[_Wins]:
        """[boards, hands, hands] of each player: on how many boards that can come after the last
        street a hand beats those that a hand of the opponent stands for, and beats or ties; None
        where no cards come."""
        tree = self.tree
        if not tree.rest:
            return [(None, None)] * 2
        last = [k for k, board in enumerate(tree.boards) if board.street == tree.last]
        wide = [tree.columns(p) for p in (0, 1)]
        made = [np.zeros((len(last), wide[p], wide[1 - p]), np.uint32) for p in (0, 0, 1, 1)]
        found = [(made[0], made[1]), (made[2], made[3])]
        left = boards_left(tree.game.rules, tree.boards[-1].cards, tree.rest)
        for k, number in enumerate(last):
            wins = tree.wins(number)
            for p, (beaten, upto) in enumerate(found):
                mine, theirs = tree.hands[p][number], tree.hands[1 - p][number]
                order = np.argsort(theirs.of, kind="stable")
                pairs = theirs.pairs[order]
                begins = np.searchsorted(theirs.of[order], np.arange(len(theirs.holes)))
                both = apart(tree.game.rules.cards)[np.ix_(mine.holes, pairs)]
                lost = wins[np.ix_(pairs, mine.holes)].T
                for into, each in (
                    (beaten, wins[np.ix_(mine.holes, pairs)]),
                    (upto, np.where(both, np.uint32(left) - lost, 0)),
                ):
                    sums = np.add.reduceat(each, begins, axis=1, dtype=np.uint32)
                    into[k, : len(mine.holes), : len(theirs.holes)] = sums
        return found

    def _player(self, p: int, wins: _Wins) -> Hands:
        from counterfold.kernels import public

        tree, rules = self.tree, self.tree.game.rules
        faces, boards, wide = rules.cards, len(tree.boards), tree.columns(p)
        faces[faces == NO_CARD] += p  # so that nobody blocks it
        early = [tree.hands[p][k] for k, b in enumerate(tree.boards) if tree.by_class(b)]
        inner, pairs = max(1, len(early)), max((len(hands.pairs) for hands in early), default=1)
        up, same = (np.full((boards, wide), x, np.uint16) for x in (0, self.nobody))
        face = np.zeros((boards, wide, 2), np.uint8)
        cards, hand = np.zeros((inner, pairs, 2), np.uint8), np.zeros((inner, pairs), np.uint16)
        rows: dict[int, NDArray[np.uint16]] = {}
        where = np.full(rules.holes, self.nobody, np.uint16)
        many = np.zeros(boards, np.uint32)
        for number, board in enumerate(tree.boards):
            hands = tree.hands[p][number]
            width, many[number] = len(hands.holes), len(hands.pairs)
            face[number, :width] = faces[hands.holes]
            if rules.hole == 2:
                theirs = tree.hands[1 - p][number]
                rolled = tree.rest and board.street == tree.last
                where[theirs.pairs] = theirs.of if rolled else np.arange(len(theirs.pairs))
                same[number, :width] = where[hands.holes]
                where[theirs.pairs] = self.nobody
            if number:
                up[number, :width] = rows[board.before][hands.holes]
            if tree.by_class(board):
                rows[number] = np.zeros(rules.holes, np.uint16)
                rows[number][hands.pairs] = hands.of
                k = self.inner[number]
                cards[k, : len(hands.pairs)] = faces[hands.pairs]
                hand[k, : len(hands.pairs)] = hands.of
        base, count = _wide(tree.base[:, p]), tree.hands[p].counts
        none = np.zeros(0)  # what hands count for: see _counted
        fields = base, count, up, none, face, same, many, cards, hand, none, *wins
        return public.Hands._make(fields)

    def holes(self, p: int) -> NDArray[np.uint16]:
        """[boards, hands] the numbers of a player's hands; made when it is first asked for."""
        if p not in self._holes:
            found = np.zeros((len(self.tree.boards), self.tree.columns(p)), np.uint16)
            for row, hands in zip(found, self.tree.hands[p], strict=True):
                row[: len(hands.holes)] = hands.holes
            self._holes[p] = found
        return self._holes[p]

    def extra(self, p: int, **asked: Array) -> Extra:
        """What else is asked of a player: fields of kernels.public.Extra, empty if not given."""
        from counterfold.kernels import public

        none, table = np.zeros(0, self.dtype), np.zeros((0, 0), self.dtype)
        fields = {
            "last": table, "hole": self.holes(p), "styled": self._styled(p, **asked),
            "delta": table, "fallback": table, "beta": table,
            "lock": np.zeros((0, 0), np.uint32), "first": np.zeros(0, np.uint32), "trust": table,
            "held": table, "free": none, "bound": none, "model": table, **asked,
        }  # fmt: skip
        return public.Extra(**fields)

    def _styled(
        self,
        p: int,
        delta: Array | None = None,
        fallback: Array | None = None,
        beta: Array | None = None,
        **_: Array,
    ) -> NDArray[np.uint8]:
        """[nodes] where a style has a say, and whether it tells hands apart."""
        from counterfold.kernels.public_rule import ALIKE, BY_HAND, PLAIN

        nodes = self.tree.nodes
        found = np.full(len(nodes.old), PLAIN, np.uint8)
        if delta is None or fallback is None or beta is None:
            return found[:0]
        live = np.asarray(self.tree.game.ranges[p]) > 0
        for n in np.flatnonzero((nodes.kind == DECISION) & (nodes.owner == p)).tolist():
            own = slice(int(nodes.wide[n]), int(nodes.wide[n] + nodes.count[n]))
            rows = [delta[own][:, live], fallback[own][:, live], beta[n : n + 1, live]]
            usual = 1, 1 / int(nodes.count[n]), 0
            if all((abs(row - x) < 1e-6).all() for row, x in zip(rows, usual, strict=True)):
                continue
            alike = all((row == row[:, :1]).all() for row in rows)
            found[n] = ALIKE if alike else BY_HAND
        return found

    def room(self, model: bool = False) -> Room:
        """Room for one thread."""
        from counterfold.kernels import public

        nodes, dtype = self.tree.nodes, self.dtype
        wide, tall = max(self.columns), self.nobody + LANES
        reach = nodes.reach_rows, wide
        other = reach if model else (0, 0)
        lanes = [aligned((tall, LANES), dtype) for _ in range(4)]
        rows = [aligned((nodes.most_actions, wide), dtype) for _ in range(2)]
        return public.Room(
            mine=aligned(reach, dtype),
            theirs=aligned(reach, dtype),
            free=aligned(other, dtype),
            model=aligned(other, dtype),
            value=aligned((nodes.value_rows, wide), dtype),
            called=lanes[0],
            folded=lanes[1],
            kept=lanes[2],
            lost=lanes[3],
            card=aligned((108, LANES), dtype),
            sigma=rows[0],
            more=rows[1],
            spare=aligned((wide,), dtype),
            zero=aligned((1, LANES), dtype),
        )
