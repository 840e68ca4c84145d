"""A walk over a game's rules: every history once, the contract checked at each state."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable, Hashable
from itertools import chain
from time import thread_time
from typing import Any, NamedTuple

from counterfold.errors import CounterfoldError, RulesError, reason, short
from counterfold.games.base import CHANCE, TERMINAL, Action, Game, State
from counterfold.tree.memory import MemoryGuard, bytes_needed
from counterfold.tree.rules import (
    Kept,
    actions_at,
    chances_at,
    keep,
    payoffs_at,
    players_of,
    still,
    turn_at,
)

__all__ = ["Progress", "Reading", "Size", "measure", "read_rules"]

Progress = Callable[[int, float | None], None]
"""Is told how many histories have been read, and about how many there are, if that is known."""

WATCHED = 64
"""At so many states of a walk it is looked whether rules change them; who does so does it there."""
JUDGED = 1 << 13
"""After so many nodes it is judged how many there will be: smaller games are read before that."""
SLOW = 1.0  # seconds of reading after which it is judged sooner
DEEPEST = 1_000_000
"""Moves of one line of play; a game without merged states that has more does not end."""

_LARGEST = sys.float_info.max


class Size(NamedTuple):
    """What compiling and solving a game takes, told before it is taken."""

    histories: int
    terminals: int
    infosets: int
    slots: int
    bytes: int


class Reading:
    """What a walk has found, in its order: nodes are numbered as they are met, depth first.

    ``edge`` has the edge that leads to each node but the root. Where states merge, edges that
    lead to a node known already are in ``edge`` too, and ``node`` has where each one leads.
    ``infoset`` counts the infosets of each player from 0, in the order in which they are met.
    """

    def __init__(self, players: int) -> None:
        self.players = players
        self.turn = array("b")
        self.edge, self.node = array("I"), array("I")
        self.edges = 0
        self.payoff = array("d")  # of all players, end by end
        self.prob, self.width = array("d"), array("I")  # of outcomes, and their number at a node
        self.infoset = array("I")  # at each decision
        self.rows: list[dict[Hashable, int]] = [{} for _ in range(players)]
        self.actions: list[list[tuple[Action, ...]]] = [[] for _ in range(players)]

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
        return Size(nodes, leaves, infosets, slots, need)


def read_rules(game: Game, memory: int | None = None, progress: Progress | None = None) -> Reading:
    """Walk the rules depth first, checking the contract at each state.

    Whatever goes wrong in them is a RulesError that says in which method, and where.
    """
    players = players_of(game)
    found = Reading(players)
    guard = MemoryGuard(memory, players)
    known: dict[Hashable, int] = {}
    # A state that stands above itself on one path is a cycle. On an endless path the walk
    # ends up in the cycle, where a marker set at each power of two meets it (Brent).
    markers: dict[int, State] = {}
    watched: Kept | None = None
    about, begin, judged = None, thread_time(), hasattr(game, "merge")
    asked, state, node = "a method", None, 0  # for what is told when rules fail
    turn, edges, payoff, infoset = found.turn, found.edge, found.payoff, found.infoset
    try:
        merge = getattr(game, "merge", None)
        turn_of, actions_of, next_of = game.turn, game.actions, game.next
        observe, payoff_of = game.observe, game.payoff
        asked = "root"
        levels = [enumerate([game.root()])]  # edges and states that are still to be met
        while levels:
            for edge, state in levels[-1]:
                edges.append(edge)
                if merge is not None:
                    asked = "merge"
                    met = known.setdefault(merge(state), node)
                    found.node.append(met)
                    if met != node:
                        continue
                elif len(levels) > WATCHED:
                    _check_line(state, len(levels) - 1, markers)
                if node < WATCHED:
                    watched = keep(state)
                asked = "turn"
                who = turn_of(state)
                if type(who) is not int or not TERMINAL <= who < players:
                    who = turn_at(state, who, players)
                turn.append(who)
                moves: Any = ()
                if who == TERMINAL:
                    asked = "payoff"
                    payoff.extend(_payoffs(state, payoff_of(state), players))
                elif who == CHANCE:
                    asked = "chance"
                    moves = _outcomes(found, state, game)
                else:
                    asked = "actions"
                    moves = actions_of(state)
                    if type(moves) is list:
                        moves = tuple(moves)
                    elif type(moves) is not tuple:
                        moves = actions_at(state, moves, who)
                    asked = "observe"
                    infoset.append(_infoset(found, state, who, observe(state, who), moves))
                node += 1
                if node <= WATCHED:
                    still(watched, "turn" if asked == "turn" else f"turn or {asked}")
                if not node & 0x3FF:
                    asked = ""  # what fails there is no fault of the rules
                    guard.check(*found.sizes())
                    if not judged and (node >= JUDGED or thread_time() > begin + SLOW):
                        judged, about = True, guard.judge(game, *found.sizes())
                    if progress:
                        progress(node, about)
                if moves:
                    asked = "next"
                    levels.append(enumerate([next_of(state, move) for move in moves], found.edges))
                    found.edges += len(moves)
                    if node <= WATCHED:
                        still(watched, "next")
                    break
            else:
                levels.pop()
    except (CounterfoldError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if not asked:
            raise
        where = f" at {short(state)}" if asked not in ("a method", "root") else ""
        raise RulesError(f"{asked} fails{where} with {reason(error)}") from error
    guard.check(*found.sizes())
    return found


def _check_line(state: State, depth: int, markers: dict[int, State]) -> None:
    """Refuse a line of play that comes round, or goes on for ever."""
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


def _payoffs(state: State, answer: Any, players: int) -> Any:
    """Payoffs as they are where they are plainly right; else they are looked at closely."""
    if (type(answer) is tuple or type(answer) is list) and len(answer) == players:
        for amount in answer:
            if (type(amount) is not float and type(amount) is not int) or not (
                -_LARGEST <= amount <= _LARGEST
            ):
                break
        else:
            return answer
    return payoffs_at(state, answer, players)


def _outcomes(found: Reading, state: State, game: Game) -> list[Action]:
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


def measure(game: Game, memory: int | None = None, progress: Progress | None = None) -> Size:
    """Count what a game's tree would take, without building it.

    >>> from counterfold.games.leduc import Leduc
    >>> measure(Leduc()).histories
    9457
    """
    return read_rules(game, memory, progress).size
