"""Searches in a poker game, all hands at once: on the last street, or from the first node on.

On the last street all lines of a board are searched together. From the first node on there is one
line and one place: a spot whose ranges are how both players came there.

The gadget of SES and its kin holds two copies of a subgame: one for the opponent who chooses its
hand, one for the opponent who is dealt it. Here the copies are one. What a hand of the opponent
is worth does not depend on the copy it is in (it meets the same hands of the player, and its payoff
is shifted by the same mark), and the player, who cannot tell the copies apart, meets each hand as
often as both copies bring it. Whatever the two copies of a hand do, their mixture does as one, and
the player is paid the same. So it is the same game for the player, with the same optimum: only the
range at the root is mixed, by the weights of the parts.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from counterfold.arrays import Array, Bools, Floats, Ints
from counterfold.errors import ParameterError, UnsupportedError
from counterfold.games.spec import whole
from counterfold.poker.game import DECISION
from counterfold.searchers.gadget import Part, objective, to_one
from counterfold.searchers.public_entry import (
    Arrivals,
    AtRoot,
    Came,
    CarriedDown,
    PublicEntry,
    arriving,
    met_by,
)
from counterfold.searchers.public_gifts import public_gifts
from counterfold.searchers.public_root import PublicRoot
from counterfold.searchers.refined import Refined, WarmStart
from counterfold.solvers.methods import Method
from counterfold.solvers.methods import method as method_of
from counterfold.solvers.settings import POKER_METHOD
from counterfold.strategy.strategy import Strategy
from counterfold.tree.find import find_boards, find_place
from counterfold.tree.public import PublicTree
from counterfold.tree.public_arrays import PublicArrays, aligned
from counterfold.tree.traversal import WHO, tape_of

if TYPE_CHECKING:
    from counterfold.kernels.public import Hands

ITERATIONS = 200
LATER = 30
"""A search that goes on from another one begins with the weights of this iteration: its regrets
are about right, and should neither be forgotten at once nor kept for long."""
LOOK = 10  # iterations, at least, between looks at the gap
LOOKS = 4  # iterations that take as long as a look
EARLY = 32  # iterations before which a search within a time does not look at its gap


PublicRefined = Refined[PublicEntry, Floats]


class PublicSearch:
    """Searches for one player, who keeps its blueprint up to the last street.

    With ``came``, how each player's hands [holes] came to the root, the place is the whole game:
    what is left of a larger one, whose tree must not take suits as equal.
    """

    def __init__(
        self,
        blueprint: Strategy[PublicTree],
        player: int,
        *,
        came: tuple[Floats, Floats] | None = None,
        method: str | Method = POKER_METHOD,
        dtype: str = "float32",
        threads: int = 1,
    ) -> None:
        if player not in (0, 1):
            raise ParameterError(f"the player is 0 or 1, not {player!r}")
        tree = blueprint.tree
        if not tree.two_player_zero_sum:
            raise UnsupportedError(f"{tree.spec} has rake, where no search is safe; leave it out")
        if came is None and not tree.last:
            raise ParameterError(f"{tree.game.name} has one street: there is nothing to search in")
        if came is not None and any(int(hands[0].size.max()) > 1 for hands in tree.hands):
            raise UnsupportedError("a search from the root tells suits apart: make its tree so")
        self.blueprint, self.player, self.tree = blueprint, player, tree
        self.method = method_of(method)
        if self.method.prediction:
            raise UnsupportedError(f"{self.method.name} predicts, which a search here does not")
        self.threads = whole("threads", threads, least=1, most=64)
        self.arrays = PublicArrays(tree, dtype)
        self.exact = self.arrays.in_kind("float64")  # for what is measured
        nodes, self.street = tree.nodes, tree.last if came is None else 0
        self.starts = np.array(nodes.lines[tree.last] if came is None else [0])
        # Where reaches are put and values found: at the deals before, or at the root itself.
        before = (nodes.line[self.starts] if came is None else self.starts).astype(np.int64)
        self.value_rows = nodes.place[before].astype(np.int64)
        self.rows = np.ascontiguousarray(nodes.row[:, before], np.int64)
        self.arrivals: list[Came] = [
            Arrivals(blueprint.hands, p) if came is None else AtRoot(tree, p, came[p])
            for p in (0, 1)
        ]
        self.hands, self.measured = (
            (self._standing(arrays, 0), self._standing(arrays, 1))
            for arrays in (self.arrays, self.exact)
        )
        self._model: tuple[Strategy[PublicTree], Arrivals] | None = None
        self._lock = threading.Lock()
        self._gifts: CarriedDown | None = None
        self._workspaces: queue.SimpleQueue[_Workspace] = queue.SimpleQueue()
        for _ in range(self.threads):
            self._workspaces.put(_Workspace(self))

    @property
    def places(self) -> Sequence[int]:
        """Where it can search: the boards of the last street, or the first board."""
        return self.boards

    @property
    def boards(self) -> list[int]:
        """The boards of the street on which searches begin."""
        return [k for k, board in enumerate(self.tree.boards) if board.street == self.street]

    @property
    def whole(self) -> bool:
        """Whether it begins with the game."""
        return isinstance(self.arrivals[0], AtRoot)

    def _standing(self, arrays: PublicArrays, p: int) -> Hands:
        """A player's hands, for boards that stand alone: each begins where it ends."""
        hands = arrays.hands[p]
        if self.whole:
            return hands._replace(start=np.zeros_like(hands.start))
        up = np.empty_like(hands.up)
        up[:] = np.arange(up.shape[1], dtype=up.dtype)
        return hands._replace(
            base=np.zeros_like(hands.base), up=up, passed=np.ones_like(hands.passed)
        )

    def count(self, p: int, board: int) -> int:
        """How many hands a player has on a board."""
        return len(self.tree.hands[p][board].holes)

    def entry(self, board: int) -> PublicEntry:
        """The subgames of a board, as the blueprint leads into them."""
        workspace = self._workspaces.get()
        try:
            return workspace.enter(board)
        finally:
            self._workspaces.put(workspace)

    def refine(
        self,
        entry: PublicEntry,
        parts: Sequence[Part],
        iterations: int | None = None,
        *,
        gap: float | None = None,
        seconds: float = math.inf,
        after: PublicRefined | None = None,
    ) -> PublicRefined:
        """Solve a gadget on all lines of a board for the player.

        It ends after so many iterations, or when lines are no further than ``gap`` chips from
        their best on average, or when it could not look at the result any more within so many
        seconds of CPU. ``after`` is a search for something else on the same board, to go
        on from: alike gadgets have alike solutions. Nothing goes on from one within seconds, which
        has no time to copy what that needs.
        """
        most = whole("iterations", ITERATIONS if iterations is None else iterations, least=1)
        if after is not None and (after.entry.board, after.entry.player) != (
            entry.board,
            self.player,
        ):
            raise ParameterError("a search can go on only from one of the same board and player")
        if after is not None and after.warm is None:
            raise ParameterError("a search cannot go on from one that was bound by seconds")
        workspace = self._workspaces.get()
        try:
            return workspace.refine(entry, parts, most, gap or 0.0, seconds, after)
        finally:
            self._workspaces.put(workspace)

    def rows_of(self, board: int, player: int) -> slice:
        """A player's rows of a board in its table."""
        at = int(self.tree.base[board, player])
        return slice(at, at + self.height(player))

    def height(self, player: int) -> int:
        """How many rows a place has for a player."""
        if self.whole:
            return self.tree.rows(player)
        return int(self.tree.nodes.width[self.tree.last, player])

    def columns(self, board: int, player: int) -> int:
        """How many columns of its rows hold hands."""
        return self.tree.columns(player) if self.whole else self.count(player, board)

    def earned(self, entry: PublicEntry, weights: Array, theirs: Array, reach: Floats) -> float:
        """The part of the player's expected payoff that is earned on a board, were it to come.

        Both play by weights of their rows there, and the opponent comes with ``reach``
        [lines, hands]. Times the chance of the board this is a part of the whole payoff.
        """
        workspace = self._workspaces.get()
        try:
            return float(workspace.earn(entry, weights, theirs, reach).sum())
        finally:
            self._workspaces.put(workspace)

    def ends(self, entry: PublicEntry, weights: Array, nodes: Sequence[int]) -> Floats:
        """[nodes, hands] what ends of hands are worth to the opponent if weights are played.

        Nodes are of the last street, by their numbers in ``tree.nodes``. Values are by the
        player's ``reach`` on their lines, counted where the opponent's best reply counts them.
        """
        workspace = self._workspaces.get()
        try:
            return workspace.ends(entry, weights, nodes)
        finally:
            self._workspaces.put(workspace)

    def range(self, entry: PublicEntry, model: Strategy[PublicTree]) -> Floats:
        """With which hands an opponent comes to a board if it plays as a model says."""
        if self.whole:
            raise UnsupportedError("how hands came to the root is given, and no model of the rest")
        if self._model is None or self._model[0] is not model:
            if model.tree is not self.tree:
                model.check_fits(self.tree)
            self._model = model, Arrivals(model.hands, 1 - self.player)
        return entry.range_of(self._model[1].at(entry.board))

    def each(
        self,
        places: Sequence[int],
        make: Callable[[PublicEntry], Sequence[Part]],
        iterations: int | None = None,
        gap: float | None = None,
    ) -> Iterator[PublicRefined]:
        """Search on boards; ``make`` says what to maximise on each to which the player comes."""

        def work(board: int) -> PublicRefined | None:
            entry = self.entry(board)
            if not entry.reached.any():
                return None
            return self.refine(entry, make(entry), iterations or None, gap=gap)

        with ThreadPoolExecutor(self.threads) as pool:
            yield from (found for found in pool.map(work, places) if found is not None)

    def gifts_at(self, board: int) -> Floats:
        """[lines, hands] what the opponent gave away on its way to a board."""
        if self.whole:
            raise UnsupportedError("what was given away before the root is not known there")
        with self._lock:
            if self._gifts is None:
                self._gifts = public_gifts(self.blueprint, 1 - self.player)
        return self._gifts.at(board)

    def place(self, seen: Sequence[object]) -> int | None:
        """The board of the last street on which a player sees this; None before it."""
        if self.whole:
            return 0
        boards, _ = find_boards(self.tree, find_place(self.tree, str(seen[-1])).cards)
        return boards[-1] if self.tree.boards[boards[-1]].street == self.tree.last else None

    def kept(self, reached: Bools) -> Ints:
        """The player's rows of a board on lines to which it comes."""
        nodes = self.tree.nodes
        if self.whole:
            return np.arange(self.height(self.player) if reached.any() else 0)
        found: list[int] = []
        for n in range(nodes.begin[self.tree.last], nodes.begin[self.tree.last + 1]):
            line = int(np.searchsorted(self.starts, n, "right")) - 1
            if nodes.kind[n] == DECISION and nodes.owner[n] == self.player and reached[line]:
                found.extend(range(int(nodes.slot[n]), int(nodes.slot[n] + nodes.count[n])))
        return np.array(found, np.int64)


class _Workspace:
    """Room and tables for one search at a time."""

    def __init__(self, search: PublicSearch) -> None:
        from counterfold.kernels import public, rule

        tree, arrays = search.tree, search.arrays
        self.search, self.room, self.fine = search, arrays.room(), search.exact.room()
        shapes = [(max(search.height(p), 1), tree.columns(p)) for p in (0, 1)]
        self.tables = [
            public.Table(aligned(shape, arrays.dtype), aligned(shape, arrays.dtype))
            for shape in shapes
        ]
        self.scale = tree.weight_sum
        self.still = np.zeros((3, rule.COLUMNS))

    def walk(self, board: int, me: int, mine: Floats, theirs: Floats, how: int) -> Floats:
        """Values of a player's hands by line, per deal of them; reaches are by line too.

        In double precision: this is what searches are measured by.
        """
        from counterfold.kernels import public

        search, room, other = self.search, self.fine, 1 - me
        if search.whole:
            search.measured[me].start[: mine.shape[1]] = mine[0]
            search.measured[other].start[: theirs.shape[1]] = theirs[0]
        else:
            room.mine[search.rows[me], : mine.shape[1]] = mine
            room.theirs[search.rows[other], : theirs.shape[1]] = theirs
        room.value[search.value_rows] = 0
        public.traverse(
            np.array(tape_of(search.tree, board), np.uint32), search.exact.ground,
            search.exact.sides(self.tables)._replace(hands=search.measured), room, WHO[me],
            None, True, how,
        )  # fmt: skip
        out: Floats = room.value[search.value_rows, : mine.shape[1]] * self.scale
        return out

    def read(self, board: int) -> None:
        """Take the blueprint of a board as the average."""
        search = self.search
        for p in (0, 1):
            total, given = self.tables[p].total, search.blueprint.tables[p]
            count, rows = search.columns(board, p), search.rows_of(board, p)
            total[: rows.stop - rows.start, :count] = given[rows, :count]

    def enter(self, board: int) -> PublicEntry:
        from counterfold.kernels import public

        search, tree = self.search, self.search.tree
        player, other = search.player, 1 - search.player
        reach = search.arrivals[player].at(board)
        total = reach.sum(1, keepdims=True)
        reach = np.divide(reach, total, where=total > 0, out=np.zeros_like(reach))
        holes = [tree.hands[p][board].holes for p in (0, 1)]
        mass = met_by(tree, holes[player], reach, holes[other])
        live = mass > 1e3 * np.finfo(search.arrays.dtype).eps
        self.read(board)
        values = []
        for how in (public.VALUE, public.BEST):
            found = self.walk(board, other, np.ones_like(mass), reach, how)
            values.append(np.divide(found, mass, where=live, out=np.zeros_like(found)))
        weight = np.asarray(tree.game.ranges[other], np.float64)[holes[other]]
        dealt = to_one(np.where(live, mass * weight, 0.0))
        met = search.arrivals[other].at(board) * mass
        theirs = arriving(met, live, dealt)
        return PublicEntry(
            board, player, total[:, 0], reach, mass, live, dealt, theirs, values[0], values[1],
            int(tree.base[board, player]), search.kept(live.any(1)),
            bool(met[live].sum() > 0), search.gifts_at,
        )  # fmt: skip

    def refine(
        self, entry: PublicEntry, parts: Sequence[Part], iterations: int, gap: float,
        seconds: float, after: PublicRefined | None,
    ) -> PublicRefined:  # fmt: skip
        began = time.thread_time()
        warm = None if after is None else after.warm
        for p, table in enumerate(self.tables):
            table.regret[:] = 0 if warm is None else warm.regrets[p]
            table.total[:] = 0
        done = 0 if warm is None else LATER
        root = PublicRoot(parts, entry, None if warm is None else warm.root)
        rows = self.still[None].copy()
        first, stop, room, found = done, done + iterations, iterations, None
        while done < stop:
            # Looking takes as long as an iteration or two.
            count = min(max(LOOK, (done - LATER) // 4) if gap else iterations, stop - done)
            if seconds < math.inf:
                count = max(1, min(count, done // 2, room))
            self._iterate(entry, root, done + 1, count, rows)
            done += count
            pace = (time.thread_time() - began) / (done - first)
            left = (seconds - (time.thread_time() - began)) / max(pace, 1e-9)
            room = int(min(left, iterations)) - LOOKS
            late = room < 1
            if late or done == stop or (gap and (done >= EARLY or seconds == math.inf)):
                found = self._look(entry, root)
                if late or found[2].sum() <= gap * entry.reached.sum():
                    break
        assert found is not None
        player, count = entry.player, self.search.columns(entry.board, entry.player)
        return Refined(
            entry, tuple(parts), self.tables[player].total[:, :count].copy(), *found,
            iterations=done - first,
            cpu_seconds=time.thread_time() - began,
            warm=None
            if seconds < math.inf
            else WarmStart([table.regret.copy() for table in self.tables], root),
            reply=self.tables[1 - player].total[:, : self.search.columns(entry.board, 1 - player)]
            .copy(),
        )  # fmt: skip

    def _iterate(
        self, entry: PublicEntry, root: PublicRoot, first: int, count: int, rows: Array
    ) -> None:
        """Some iterations, of which the first has a number; ``rows`` are the rule's numbers."""
        from counterfold.kernels import public_search

        search, player = self.search, entry.player
        whos = np.array([[1 - player], [player]], np.int64)
        start = search.hands[0].start[None], search.hands[1].start[None]
        seats = public_search.Seats(
            search.value_rows, search.rows, entry.reach, whos, self.scale, start, search.whole
        )
        schedule = search.method.schedule(first, count, np.zeros(4), weighed=False)
        tape = np.array(tape_of(search.tree, entry.board), np.uint32)
        arrays = search.arrays
        sides = arrays.sides(self.tables)._replace(hands=search.hands)
        public_search.search(
            tape, arrays.ground, sides, self.room, root.arrays, seats, schedule, rows
        )

    def _look(self, entry: PublicEntry, root: PublicRoot) -> tuple[Floats, Floats, Floats]:
        """What the opponent's best reply earns, what the gadget is worth, and the gap by line."""
        from counterfold.kernels import public

        board, player, other = entry.board, entry.player, 1 - entry.player
        scale = root.arrays.scale
        anyhow = np.ones_like(entry.mass)
        best = self.walk(board, other, anyhow, entry.reach, public.BEST) * scale
        worth = objective(entry, root.parts, best)
        came = root.average()
        earned = self.walk(board, player, entry.reach, came, public.BEST)
        most = (earned * entry.reach).sum(1) + root.marks()
        return best, worth, np.where(entry.reached, np.maximum(most - worth, 0.0), 0.0)

    def earn(self, entry: PublicEntry, weights: Array, theirs: Array, reach: Floats) -> Floats:
        from counterfold.kernels import public

        player, other = entry.player, 1 - entry.player
        for p, given in ((player, weights), (other, theirs)):
            self.tables[p].total[: len(given), : given.shape[1]] = given
        found = self.walk(entry.board, player, entry.reach, reach, public.VALUE)
        out: Floats = (found * entry.reach).sum(1) * entry.came / self.scale
        return out

    def ends(self, entry: PublicEntry, weights: Array, nodes: Sequence[int]) -> Floats:
        from counterfold.kernels import public

        player, other, tree = entry.player, 1 - entry.player, self.search.tree
        first, stop = tree.nodes.chunks[tree.last]
        if stop - first != 1:
            raise UnsupportedError(f"{tree.game.name} has too many lines to see all ends at once")
        self.tables[player].total[: len(weights), : weights.shape[1]] = weights
        anyhow = np.ones_like(entry.mass)
        self.walk(entry.board, other, anyhow, entry.reach, public.BEST)
        places = tree.nodes.place[list(nodes)].astype(np.int64)
        count = self.search.count(other, entry.board)
        out: Floats = self.fine.value[places, :count] * self.scale
        return out
