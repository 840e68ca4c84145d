"""The best response on a public tree as a strategy: which action every hand takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterfold.errors import ParameterError
from counterfold.evaluate.public import tables_of
from counterfold.poker.game import DECISION
from counterfold.strategy.public import PublicStrategy
from counterfold.tree.traversal import Traversal, walk_tape

__all__ = ["public_response"]


def public_response(
    strategy: PublicStrategy, player: int, *, walk: Traversal | None = None
) -> PublicStrategy:
    """A strategy in which one player answers the other as well as can be.

    Every hand takes the first of its best actions; the other player's table is shared.

    >>> from counterfold.evaluate.public import assess_public
    >>> from counterfold.poker.holdem import kuhn
    >>> from counterfold.tree.public import PublicTree
    >>> uniform = PublicStrategy.uniform(PublicTree(kuhn()))
    >>> answer = public_response(uniform, 0)
    >>> round(assess_public(uniform).best[0], 6), round(assess_public(answer).values[0], 6)
    (0.5, 0.5)
    """
    if player not in (0, 1):
        raise ParameterError(f"the players are 0 and 1, not {player!r}")
    walk = (walk or Traversal(strategy.tree, "float64", 1)).exact
    tables = list(strategy.tables)
    tables[player] = np.zeros(tables[player].shape, tables[player].dtype)
    answer = PublicStrategy(strategy.tree, (tables[0], tables[1]), {"method": "best response"})
    _Response(strategy, answer, player, walk).visit(0)
    return answer


class _Response:
    """One walk, board by board, that writes down which action was best at each node."""

    def __init__(
        self, strategy: PublicStrategy, answer: PublicStrategy, me: int, walk: Traversal
    ) -> None:
        from counterfold.kernels import public

        self.tree, self.nodes, self.me = strategy.tree, strategy.tree.nodes, me
        self.table, self.room, self.arrays = answer.tables[me], walk.top, walk.arrays
        turn = slice(None, None, 1 if me == 0 else -1)
        self.given: tuple[Any, ...] = (
            tuple(walk.arrays.hands[turn]), tuple(tables_of(strategy)[turn]), (None, None),
            walk.arrays.ends[me], walk.top, me, np.zeros((3, _columns())), True, public.BEST,
        )  # fmt: skip

    def visit(self, board: int) -> None:
        """A board and all that come after it."""
        from counterfold.kernels import public

        street, money = self.tree.boards[board].street, self.arrays.money
        if street < self.tree.last:
            self.do(public.DOWN, board, money)
            for child in self.tree.children[board]:
                self.visit(child)
            self.do(public.UP, board, money)
            self.note(board, self.nodes.begin[street], self.nodes.begin[street + 1])
            return
        # Chunks of the last street work in the same rows, so each is read before the next.
        for chunk in range(*(int(k) for k in money.chunks[street])):
            chunks = money.chunks.copy()
            chunks[street] = chunk, chunk + 1
            self.do(public.LAST, board, money._replace(chunks=chunks))
            self.note(board, int(money.chunk[chunk]), int(money.chunk[chunk + 1]))

    def do(self, what: int, board: int, money: Any) -> None:
        tape = np.array([(what, board)], np.uint32)
        walk_tape(tape, money, self.arrays.boards, *self.given)

    def note(self, board: int, begin: int, stop: int) -> None:
        """The best actions at the player's nodes, whose values are in the room now."""
        nodes, count = self.nodes, len(self.tree.hands[self.me][board].holes)
        base, hands = int(self.tree.base[board, self.me]), np.arange(count)
        for n in range(begin, stop):
            if nodes.kind[n] != DECISION or nodes.owner[n] != self.me:
                continue
            below, actions = int(nodes.place[nodes.first[n]]), int(nodes.count[n])
            best = self.room.value[below : below + actions, :count].argmax(0)
            self.table[base + int(nodes.slot[n]) + best, hands] = 1


def _columns() -> int:
    from counterfold.kernels import rule

    return rule.COLUMNS
