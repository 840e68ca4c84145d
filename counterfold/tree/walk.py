"""A walk over a game's rules: every history once, the contract checked at each state."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Hashable, Sequence
from itertools import chain
from time import thread_time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from counterfold.errors import CounterfoldError, RulesError, reason, short
from counterfold.games.base import CHANCE, TERMINAL, Action, Game, State
from counterfold.tree.memory import (
    ANY_SIZE,
    LIBRARIES,
    MemoryGuard,
    bytes_needed,
    bytes_remembered,
)
from counterfold.tree.rules import (
    Watched,
    actions_at,
    chances_at,
    payoffs_at,
    players_of,
    turn_at,
)

if TYPE_CHECKING:
    from counterfold.tree.form import AnyGame

Progress = Callable[[int, float | None], None]
"""Is told how many histories have been read, and about how many there are, if that is known."""

WATCHED = 64
"""At so many states of a walk it is looked whether rules change them; who does so does it there."""
JUDGED = 1 << 16
"""After so many nodes it is judged how many there will be: smaller games are read before that."""
TIGHT = 1 / 16  # of the memory that may be taken: what needs as much is judged sooner
SLOW = 1.0  # seconds of reading after which it is judged sooner
STEP = 1 << 10
"""Nodes from one look around to the next."""
DEEPEST = 1_000_000
"""Moves of one line of play; a game without merged states that has more does not end."""

_END: State = object()


class _OddPayoffError(Exception):
    """Payoffs that are not plainly one finite number a player; at which state is not known."""


class Size(NamedTuple):
    """What compiling and solving a game takes, told before it is taken."""

    histories: int
    terminals: int
    infosets: int
    slots: int
    bytes: int

    @property
    def peak(self) -> int:
        """The most that the process takes that solves it, in bytes."""
        return self.bytes + LIBRARIES


class Reading:
    """What a walk has found, in its order: nodes are numbered as they are met, depth first.

    Where states merge, ``node`` has the node of each visit, those of nodes known already too.
    ``infoset`` counts the infosets of each player from 0, in the order in which they are met.
    """

    def __init__(self, players: int) -> None:
        self.players = players
        self.turn = array("b")
        self.node = array("I")
        self.edges = 0
        self.payoff = array("d")  # of all players, end by end
        self.paid: list[tuple[float, ...]] = []  # payoffs that are still to be looked at
        self.prob, self.width = array("d"), array("I")  # of outcomes, and their number at a node
        self.infoset = array("I")  # at each decision
        self.rows: list[dict[Hashable, int]] = [{} for _ in range(players)]
        self.actions: list[list[tuple[Action, ...]]] = [[] for _ in range(players)]
        self.held = 0  # bytes of the states that were kept to know which of them merge

    def settle(self) -> None:
        """Take the last payoffs all at once, if they are plainly right."""
        paid = self.paid
        flat = list(chain.from_iterable(paid))
        if not (set(map(len, paid)) <= {self.players} and set(map(type, flat)) <= {float, int}):
            raise _OddPayoffError
        try:
            amounts = array("d", flat)
        except OverflowError:
            raise _OddPayoffError from None
        if not np.isfinite(amounts).all():
            raise _OddPayoffError
        self.payoff += amounts
        paid.clear()

    def sizes(self) -> tuple[int, int, int, int]:
        """Nodes, edges, ends and infosets."""
        infosets = sum(map(len, self.rows))
        return len(self.turn), self.edges, len(self.payoff) // self.players, infosets

    @property
    def size(self) -> Size:
        """What compiling and solving the game takes."""
        nodes, edges, leaves, infosets = self.sizes()
        slots = sum(map(len, chain(*self.actions)))
        need = bytes_needed(nodes, edges, leaves, infosets, self.players) + 48 * slots
        return Size(nodes, leaves, infosets, slots, max(need, self.held))


def read_rules(
    game: Game,
    memory: int | None = None,
    progress: Progress | None = None,
    closely: bool = False,
) -> Reading:
    """Walk the rules depth first, checking the contract at each state.

    Whatever goes wrong in them is a RulesError that says in which method, and where. Payoffs are
    looked at one by one (``closely``) once some are not plainly right, from the beginning on.
    """
    players = players_of(game)
    found = Reading(players)
    pace = _Pace(game, found, memory, progress)
    known: dict[Hashable, int] = {}
    markers: dict[int, State] = {}
    stack: list[State] = []  # what is still to be met, and an end above the states after each
    pop, visit, decided = stack.pop, found.turn.append, found.infoset.append
    paid, end = found.paid, _END
    rows, menus = found.rows, found.actions
    moves: Sequence[Action]
    asked, state, node, depth, pause = "a method", None, 0, 0, 0
    try:
        merge, rules = getattr(game, "merge", None), Watched(game)
        asked = "root"
        stack.append(game.root())
        while stack:
            state = pop()
            if state is end:
                depth -= 1
                continue
            if merge is not None:
                asked = "merge"
                met = known.setdefault(merge(state), node)
                found.node.append(met)
                if met != node:
                    continue
            if node == pause:
                asked = ""  # what fails there is no fault of the rules
                found.edges = (len(found.node) - 1 if found.node else node) + len(stack) - depth
                pause, rules = pace.at(node)
                turn_of, actions_of, next_of = rules.turn, rules.actions, rules.next
                observe, payoff_of = rules.observe, rules.payoff
            asked = "turn"
            who = turn_of(state)
            if type(who) is not int or not TERMINAL <= who < players:
                who = turn_at(state, who, players)
            visit(who)
            node += 1
            if who == TERMINAL:
                asked = "payoff"
                amounts = payoff_of(state)
                if closely or type(amounts) is not tuple:
                    listed = type(amounts) is list and not closely
                    amounts = tuple(amounts) if listed else payoffs_at(state, amounts, players)
                paid.append(amounts)
                continue
            if who == CHANCE:
                asked = "chance"
                moves = _outcomes(found, state, rules)
            else:
                asked = "actions"
                moves = actions_of(state)
                if type(moves) is not tuple:
                    moves = tuple(moves) if type(moves) is list else actions_at(state, moves, who)
                asked = "observe"
                seen = observe(state, who)
                try:
                    row = rows[who].get(seen)
                except TypeError:
                    row = None  # which is told below
                if row is None or menus[who][row] != moves:
                    row = _infoset(found, state, who, seen, moves)
                decided(row)
            asked = "next"
            if depth >= WATCHED and merge is None:
                _check_line(state, depth, markers)
            stack.append(end)
            depth += 1
            for move in reversed(moves):
                stack.append(next_of(state, move))
        found.settle()
    except _OddPayoffError:
        return read_rules(game, memory, progress, closely=True)
    except (CounterfoldError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if not asked:
            raise
        where = f" at {short(state)}" if asked not in ("a method", "root") else ""
        raise RulesError(f"{asked} fails{where} with {reason(error)}") from error
    found.edges = (len(found.node) or node) - 1
    pace.guard.check(*found.sizes())
    found.held = pace.guard.held if known else 0
    return found


class _Pace:
    """What is done from time to time on a walk: memory is guarded, and its length is judged.

    Methods are watched on the first states, lest they change what they are given.
    """

    def __init__(
        self, game: Game, found: Reading, memory: int | None, progress: Progress | None
    ) -> None:
        self.game, self.found, self.progress = game, found, progress
        self.guard = MemoryGuard(memory, found.players)
        self.about: float | None = None
        self.begin, self.judged = thread_time(), False

    def at(self, node: int) -> tuple[int, Any]:
        """Look around at a node: at which one to do so again, and whom to ask till then.

        That is the game, or the same under watch.
        """
        if node < WATCHED:
            return WATCHED, Watched(self.game)
        self.found.settle()
        share = self.guard.check(*self.found.sizes())
        late = node >= JUDGED or thread_time() > self.begin + SLOW
        if not self.judged and (late or share > TIGHT):
            self.judged, self.about = True, self.guard.judge(self.game)
        if self.progress and node > WATCHED:
            self.progress(node, self.about)
        return node + STEP, self.game


def _check_line(state: State, depth: int, markers: dict[int, State]) -> None:
    """Refuse a line of play that comes round, or goes on for ever.

    A state that stands above itself on one path is a cycle. On an endless path the walk
    ends up in the cycle, where a marker set at each power of two meets it (Brent).
    """
    power = 1 << (depth.bit_length() - 1)
    if depth == power:
        markers[power] = state
    elif markers[power] == state:
        raise RulesError(f"the game has a cycle: {short(state)} leads to itself again")
    if depth > DEEPEST:
        raise RulesError(
            f"a line of play goes on for more than {DEEPEST:,} moves, to {short(state)}; does the "
            "game end?"
        )


def _outcomes(found: Reading, state: State, game: object) -> list[Action]:
    """Outcomes that can happen; whatever is not plainly right is looked at closely."""
    chance = getattr(game, "chance", None)
    if chance is None:
        raise RulesError(f"chance moves at {short(state)}, and the game has no chance()")
    answer = chance(state)
    pairs: list[tuple[Action, float]] = []
    if type(answer) is list or type(answer) is tuple:
        try:
            pairs = [(o, p) for o, p in answer if type(p) is float and p > 0]
        except (TypeError, ValueError):
            pairs = []
    chances = [p for _, p in pairs]
    if not pairs or len(pairs) < len(answer) or abs(math.fsum(chances) - 1) > 1e-9:
        pairs = [(outcome, p) for outcome, p in chances_at(state, answer) if p]
        chances = [p for _, p in pairs]
    found.prob.extend(chances)
    found.width.append(len(pairs))
    return [outcome for outcome, _ in pairs]


def _infoset(
    found: Reading, state: State, who: int, seen: Hashable, moves: tuple[Action, ...]
) -> int:
    """The infoset of a decision among its player's, which always has the same actions."""
    rows, actions = found.rows[who], found.actions[who]
    try:
        row = rows.setdefault(seen, len(actions))
    except TypeError:
        actions_at(state, moves, who)  # complains if it is one of them
        raise RulesError(
            f"the observation {short(seen)} is not hashable, at {short(state)}"
        ) from None
    if row == len(actions):
        actions.append(actions_at(state, moves, who))
    elif actions[row] != moves:
        raise RulesError(
            f"player {who + 1} sees {short(seen)} with the actions {short(list(actions[row]))} "
            f"and again with {short(list(moves))}; one observation must have one list of actions"
        )
    return row


def measure(
    game: AnyGame | str, memory: int | None = None, progress: Progress | None = None
) -> Size:
    """Count what the tree of a game, or of the one that a name means, would take, unbuilt.

    >>> from counterfold.games.leduc import Leduc
    >>> measure(Leduc()).histories
    9457
    """
    from counterfold.tree.named import rules_named

    rules = rules_named(game)
    size = read_rules(rules, memory, progress).size
    if not hasattr(rules, "merge"):
        return size
    judged = min(bytes_remembered(rules), float(ANY_SIZE))
    return size._replace(bytes=max(size.bytes, int(judged)))
