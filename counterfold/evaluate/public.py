"""Exact evaluation on public trees: values and best responses of all hands.

All of it is computed in double precision, whatever the tables of a strategy are kept in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from counterfold.arrays import Floats
from counterfold.evaluate.assessment import Assessment, Evaluator
from counterfold.poker.game import DECISION
from counterfold.strategy.layout import Tables
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import NEITHER, Extras, Learned, Packs
from counterfold.tree.traversal import Traversal, one_chunk, tape_of

if TYPE_CHECKING:
    from counterfold.kernels.public import Ground

Note = Callable[[int, int, Floats], None]
"""Told a board, a node (as ``tree.nodes`` numbers them), and what each action [actions, hands] is
worth there, per deal; the array is used again afterwards."""


class PublicEvaluator(Evaluator):
    """Measures strategies for all hands of a public tree.

    ``walk`` is a traversal of the tree, if there is one already; what its last walk left behind is
    lost.
    """

    def __init__(
        self, tree: PublicTree, walk: Traversal | None = None, threads: int | None = None
    ) -> None:
        self.tree = tree
        self._walk, self._threads = walk, threads

    @cached_property
    def walk(self) -> Traversal:
        """Made when it is first needed."""
        return (self._walk or Traversal(self.tree, "float64", self._threads)).exact

    def assess(self, tables: Tables) -> Assessment:
        return assess_tables(self.walk, kernel_tables(tables))

    def values(self, tables: Tables) -> tuple[float, ...]:
        return self.value(tables, 0), self.value(tables, 1)

    def value(self, tables: Tables, player: int) -> float:
        """One walk, where both players' would be two."""
        return self._run(tables, player, best=False).expected(player)

    def best_value(self, tables: Tables, player: int) -> float:
        return self._run(tables, player, best=True).expected(player)

    def best_response(self, tables: Tables, player: int) -> tuple[float, Tables]:
        """Every hand takes the first of its best actions; the other player's table is shared."""
        answer = list(tables)
        table = answer[player] = np.zeros(tables[player].shape, tables[player].dtype)
        tree = self.tree

        def note(board: int, node: int, worth: Floats) -> None:
            first = int(tree.base[board, player]) + int(tree.nodes.slot[node])
            table[first + worth.argmax(0), np.arange(worth.shape[1])] = 1

        self.best_actions(tables, player, note)
        return self.best_value(tables, player), tuple(answer)

    def best_actions(self, tables: Tables, player: int, note: Note) -> None:
        """Tell what each action of a player's nodes is worth to its hands in the best response."""
        _Response(tables, note, player, self.walk).visit(0)

    def action_values(self, tables: Tables, player: int, note: Note, last: int) -> None:
        """The same of the player's own strategy, as far as a street."""
        from counterfold.kernels import public

        _Response(tables, note, player, self.walk, public.VALUE, last).visit(0)

    def _run(self, tables: Tables, me: int, best: bool) -> Traversal:
        from counterfold.kernels import public

        how = public.BEST if best else public.VALUE
        self.walk.run(me, kernel_tables(tables), (None, None), None, True, how)
        return self.walk


def assess_tables(
    walk: Traversal, tables: Learned, extras: Extras = NEITHER, *, average: bool = True,
    rows: Floats | None = None,
    packs: Packs = NEITHER, look: Callable[[], None] | None = None,
) -> Assessment:  # fmt: skip
    """Values and best responses of the strategies in a solver's tables.

    ``look`` is called before each of the four walks, and may end it all by raising.
    """
    from counterfold.kernels import public

    walk = walk.exact
    numbers = []
    for how in (public.VALUE, public.BEST):
        for me in (0, 1):
            if look:
                look()
            walk.run(me, tables, extras, rows, average, how, packs)
            numbers.append(walk.expected(me))
    return Assessment((numbers[0], numbers[1]), (numbers[2], numbers[3]), walk.tree.units)


def kernel_tables(tables: Tables) -> Learned:
    """A strategy's tables as kernels take them, with no regrets beside them."""
    from counterfold.kernels import public

    return tuple(public.Table(table, table) for table in tables)


class _Response:
    """One walk, board by board, that tells what actions are worth at each node."""

    def __init__(
        self, tables: Tables, note: Note, me: int, walk: Traversal, how: int | None = None,
        last: int | None = None,
    ) -> None:  # fmt: skip
        from counterfold.kernels import public

        how = public.BEST if how is None else how
        self.last = walk.tree.last if last is None else last

        self.tree, self.nodes, self.me = walk.tree, walk.tree.nodes, me
        self.tell, self.room, self.arrays = note, walk.top, walk.arrays
        self.walk, self.tables, self.how = walk, kernel_tables(tables), how

    def visit(self, board: int) -> None:
        """A board and all that come after it."""
        from counterfold.kernels import public

        street, money = self.tree.boards[board].street, self.arrays.money
        if street > self.last:
            self.do(tape_of(self.tree, board))
            return
        if street < self.tree.last:
            self.do([(public.DOWN, board)])
            for child in self.tree.children[board]:
                self.visit(child)
            self.do([(public.UP, board)])
            self.note(board, self.nodes.begin[street], self.nodes.begin[street + 1])
            return
        # Chunks of the last street work in the same rows, so each is read before the next.
        for chunk in range(*(int(k) for k in money.chunks[street])):
            ground = one_chunk(self.arrays.ground, street, chunk)
            self.do([(public.LAST, board)], ground)
            self.note(board, int(money.chunk[chunk]), int(money.chunk[chunk + 1]))

    def do(self, steps: list[tuple[int, int]], ground: Ground | None = None) -> None:
        tape = np.array(steps, np.uint32)
        self.walk.over(tape, self.tables, self.me, self.how, ground)

    def note(self, board: int, begin: int, stop: int) -> None:
        """Tell of the player's nodes, whose values are in the room now."""
        nodes, count = self.nodes, len(self.tree.hands[self.me][board].holes)
        for n in range(begin, stop):
            if nodes.kind[n] != DECISION or nodes.owner[n] != self.me:
                continue
            below, actions = int(nodes.place[nodes.first[n]]), int(nodes.count[n])
            self.tell(board, n, self.room.value[below : below + actions, :count])
