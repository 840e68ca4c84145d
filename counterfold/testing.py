"""The contract that every game passes, ours and a user's."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from counterfold.errors import CounterfoldError, RulesError, reason, short
from counterfold.games.base import CHANCE, TERMINAL, Action
from counterfold.games.spec import whole
from counterfold.tree.rules import (
    actions_at,
    chances_at,
    hash_of,
    keep,
    payoffs_at,
    players_of,
    same,
    still,
    turn_at,
)

T = TypeVar("T")
_METHODS = ("root", "turn", "actions", "next", "observe", "payoff")
_LONGEST_LINE = 200


@dataclass(frozen=True)
class GameReport:
    """What ``check_game`` has walked. Where ``complete`` is false, the limit ended the walk.

    >>> from counterfold.games.leduc import Leduc
    >>> check_game(Leduc(), limit=100).complete
    False
    """

    states: int
    infosets: int
    terminals: int
    complete: bool


def check_game(game: object, limit: int = 20_000) -> GameReport:
    """Walk a game and raise ``RulesError`` at the first state that breaks the contract.

    At most ``limit`` states are looked at: outwards from the root, and along lines to their end.
    Equal states are walked once.

    >>> from counterfold.games.onecard import Kuhn
    >>> check_game(Kuhn())
    GameReport(states=58, infosets=12, terminals=30, complete=True)
    """
    try:
        return _Walk(game).run(whole("limit", limit, least=1))
    except (CounterfoldError, MemoryError):
        raise
    except Exception as error:  # of an equality or a hash, which are asked everywhere
        raise RulesError(f"the rules fail with {reason(error)}") from error


class _Walk:
    def __init__(self, game: object) -> None:
        self.game = game
        for name in _METHODS:
            if not callable(getattr(game, name, None)):
                raise RulesError(f"{type(game).__name__} lacks the method {name}()")
        self.players = players_of(game)
        self.infosets: dict[tuple[int, object], tuple[Action, ...]] = {}
        self.merged: dict[object, tuple[tuple[int, tuple[object, ...]], object]] = {}
        self.terminals = 0

    def run(self, limit: int) -> GameReport:
        root = self.twice("root", _hashed)
        states, number = [root], {root: 0}
        edges: dict[int, list[int]] = {}  # of each state that was looked at
        wide = deque([0])
        rng = random.Random(0)
        repeats = False
        while wide and len(edges) < limit:
            at: int | None = wide.popleft()
            # From every other state of the breadth one line is followed towards its end.
            steps = _LONGEST_LINE if len(edges) % 2 == 0 else 1
            while at is not None and at not in edges and steps and len(edges) < limit:
                edges[at] = reached = []
                for child in self.look(states[at]):
                    if child in number:
                        repeats = True
                    else:
                        number[child] = len(states)
                        wide.append(len(states))
                        states.append(child)
                    reached.append(number[child])
                at = rng.choice(reached) if reached else None
                steps -= 1
        if repeats:
            _no_cycle(states, edges)
        complete = len(edges) == len(states)
        return GameReport(len(edges), len(self.infosets), self.terminals, complete)

    def look(self, state: object) -> list[object]:
        """Check one state and return those that follow it."""
        kept = keep(state)
        turn = turn_at(state, self.twice("turn", _given, state), self.players)
        content: tuple[object, ...]
        moves: tuple[Action, ...] = ()
        if turn == TERMINAL:
            self.terminals += 1
            content = self.payoff(state)
            self.shown(state)
        elif turn == CHANCE:
            content = outcomes = self.chance(state)
            moves = tuple(outcome for outcome, _ in outcomes)
        else:
            content = moves = self.actions(state, turn)
        still(kept, "a method")
        children = [self.twice("next", _hashed, state, move) for move in moves]
        still(kept, "next")
        self.merge(state, turn, content)
        still(kept, "merge")
        return children

    def actions(self, state: object, player: int) -> tuple[Action, ...]:
        actions = self.twice("actions", lambda answer: actions_at(state, answer, player), state)
        self.distinct(actions, "action", state)
        observation = self.twice("observe", _given, state, player)
        try:
            known = self.infosets.setdefault((player, observation), actions)
        except TypeError:
            raise RulesError(
                f"the observation {short(observation)} is not hashable, at {short(state)}"
            ) from None
        if known != actions:
            raise RulesError(
                f"player {player + 1} observes {short(observation)} both with the actions "
                f"{short(list(known))} and with {short(list(actions))}"
            )
        return actions

    def chance(self, state: object) -> tuple[tuple[Action, float], ...]:
        if not callable(getattr(self.game, "chance", None)):
            raise RulesError(f"{short(state)} is CHANCE but the game lacks the method chance()")
        pairs = self.twice("chance", lambda answer: tuple(chances_at(state, answer)), state)
        for outcome, chance in pairs:
            if not chance:
                raise RulesError(
                    f"the outcome {short(outcome)} has probability 0 at {short(state)}; leave out "
                    "what cannot happen"
                )
        self.distinct(tuple(outcome for outcome, _ in pairs), "outcome", state)
        return pairs

    def payoff(self, state: object) -> tuple[float, ...]:
        return self.twice("payoff", lambda answer: payoffs_at(state, answer, self.players), state)

    def shown(self, state: object) -> None:
        if not callable(getattr(self.game, "shown", None)):
            return
        thing = self.twice("shown", _given, state)
        try:
            hash(thing)
        except TypeError:
            raise RulesError(
                f"shown gives {short(thing)}, which is not hashable, at {short(state)}"
            ) from None

    def merge(self, state: object, turn: int, content: tuple[object, ...]) -> None:
        if not callable(getattr(self.game, "merge", None)):
            return
        key = self.twice("merge", _given, state)
        try:
            known, first = self.merged.setdefault(key, ((turn, content), state))
        except TypeError:
            raise RulesError(
                f"merge gives {short(key)}, which is not hashable, at {short(state)}"
            ) from None
        if known != (turn, content):
            same = (
                "turn"
                if known[0] != turn
                else {TERMINAL: "payoff", CHANCE: "chance"}.get(turn, "actions")
            )
            raise RulesError(
                f"merge makes one of {short(first)} and {short(state)}, whose {same} differ"
            )

    def distinct(self, values: tuple[Action, ...], what: str, state: object) -> None:
        seen = set()
        for value in values:
            if value in seen:
                raise RulesError(f"the {what} {short(value)} comes twice at {short(state)}")
            seen.add(value)

    def twice(self, name: str, convert: Callable[[object], T], *given: object) -> T:
        """What is made of a method's answer; called two times, it must not change its mind."""
        method = getattr(self.game, name)
        try:
            first, second = convert(method(*given)), convert(method(*given))
            alike = same(first, second)
        except (CounterfoldError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            where = f" at {short(given[0])}" if given else ""
            after = f" for {short(given[1])}" if len(given) > 1 else ""
            raise RulesError(f"{name} raised {reason(error)}{after}{where}") from error
        if not alike:
            where = f" at {short(given[0])}" if given else ""
            raise RulesError(
                f"{name} gives two answers to the same call{where}: {short(first)} and "
                f"{short(second)}"
            )
        return first


def _given(answer: object) -> object:
    return answer


def _hashed(state: object) -> object:
    hash_of(state)
    return state


def _no_cycle(states: list[object], edges: dict[int, list[int]]) -> None:
    """Take away states that nothing leads to, again and again; what stays is on a cycle."""
    entering = dict.fromkeys(edges, 0)
    for children in edges.values():
        for child in children:
            if child in entering:
                entering[child] += 1
    free = [state for state, count in entering.items() if not count]
    while free:
        for child in edges[free.pop()]:
            if child in entering:
                entering[child] -= 1
                if not entering[child]:
                    free.append(child)
    rest = {state for state, count in entering.items() if count}
    if not rest:
        return
    # Some of these only lie behind a cycle: follow edges backwards, which must come round.
    back = {child: at for at in rest for child in edges[at] if child in rest}
    at, passed = next(iter(rest)), set()
    while at not in passed:
        passed.add(at)
        at = back[at]
    raise RulesError(
        f"the state {short(states[at])} comes again after itself, so play may never end"
    )
