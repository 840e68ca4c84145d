"""The contract that every game passes, ours and a user's."""

from __future__ import annotations

import copy
import math
import random
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from counterfold.errors import CounterfoldError, RulesError
from counterfold.games.base import CHANCE, TERMINAL
from counterfold.games.spec import whole

__all__ = ["GameReport", "check_game"]

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


def check_game(game: Any, limit: int = 20_000) -> GameReport:
    """Walk a game and raise ``RulesError`` at the first state that breaks the contract.

    At most ``limit`` states are looked at: outwards from the root, and along lines to their end.
    Equal states are walked once.

    >>> from counterfold.games.onecard import Kuhn
    >>> check_game(Kuhn())
    GameReport(states=58, infosets=12, terminals=30, complete=True)
    """
    return _Walk(game).run(whole("limit", limit, least=1))


class _Walk:
    def __init__(self, game: Any) -> None:
        self.game = game
        for name in _METHODS:
            if not callable(getattr(game, name, None)):
                raise RulesError(f"{type(game).__name__} lacks the method {name}()")
        self.players = getattr(game, "players", 2)
        if isinstance(self.players, bool) or not isinstance(self.players, int) or self.players < 1:
            raise RulesError(f"players must be a whole number of at least 1, not {self.players!r}")
        self.infosets: dict[tuple[int, Hashable], tuple[Any, ...]] = {}
        self.merged: dict[Hashable, tuple[Any, Any]] = {}
        self.terminals = 0

    def run(self, limit: int) -> GameReport:
        root = self.twice("root")
        self.hash_of(root)
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

    def look(self, state: Any) -> list[Any]:
        """Check one state and return those that follow it."""
        hashed = self.hash_of(state)
        before = _copied(state)
        turn = self.twice("turn", state)
        good = isinstance(turn, int) and not isinstance(turn, bool)
        if not good or not (turn in (CHANCE, TERMINAL) or 0 <= turn < self.players):
            raise RulesError(
                f"turn is {turn!r} at {_short(state)}; it must be a player from 0 to "
                f"{self.players - 1}, CHANCE or TERMINAL"
            )
        content: tuple[Any, ...]
        if turn == TERMINAL:
            self.terminals += 1
            content = self.payoff(state)
            self.shown(state)
            moves: tuple[Any, ...] = ()
        elif turn == CHANCE:
            content = self.chance(state)
            moves = tuple(outcome for outcome, _ in content)
        else:
            content = moves = self.actions(state, turn)
        children = [self.twice("next", state, move) for move in moves]
        for child in children:
            self.hash_of(child)
        self.merge(state, turn, content)
        if self.hash_of(state) != hashed or (before is not None and before[0] != state):
            was = _short(before[0] if before else state)
            raise RulesError(f"a method changed the state it was given, which was {was}")
        return children

    def actions(self, state: Any, player: int) -> tuple[Any, ...]:
        actions = self.listed("actions", state)
        if not actions:
            raise RulesError(f"player {player} has no action at {_short(state)}")
        self.distinct(actions, "action", state)
        observation = self.twice("observe", state, player)
        try:
            known = self.infosets.setdefault((player, observation), actions)
        except TypeError:
            raise RulesError(
                f"the observation {_short(observation)} is not hashable, at {_short(state)}"
            ) from None
        if known != actions:
            raise RulesError(
                f"player {player} observes {_short(observation)} both with the actions "
                f"{_short(list(known))} and with {_short(list(actions))}"
            )
        return actions

    def chance(self, state: Any) -> tuple[tuple[Any, float], ...]:
        if not callable(getattr(self.game, "chance", None)):
            raise RulesError(f"{_short(state)} is CHANCE but the game lacks the method chance()")
        outcomes = self.listed("chance", state)
        try:
            pairs = tuple((outcome, chance) for outcome, chance in outcomes)
            total = math.fsum(chance for _, chance in pairs)
        except (TypeError, ValueError, OverflowError):
            raise RulesError(
                f"chance must be pairs of an outcome and its probability at {_short(state)}, "
                f"not {_short(outcomes)}"
            ) from None
        for outcome, chance in pairs:
            if not math.isfinite(chance) or chance <= 0:
                raise RulesError(
                    f"the outcome {_short(outcome)} has probability {chance!r} at {_short(state)}; "
                    "it must be above 0"
                )
        if abs(total - 1) > 1e-9:
            raise RulesError(f"probabilities sum to {total:.12g}, not 1, at {_short(state)}")
        self.distinct(tuple(outcome for outcome, _ in pairs), "outcome", state)
        return pairs

    def payoff(self, state: Any) -> tuple[float, ...]:
        payoffs = self.listed("payoff", state)
        if len(payoffs) != self.players:
            raise RulesError(
                f"there are {len(payoffs)} payoffs for {self.players} players at {_short(state)}"
            )
        for player, payoff in enumerate(payoffs):
            try:
                finite = math.isfinite(payoff)
            except (TypeError, OverflowError):
                finite = False
            if not finite:
                raise RulesError(
                    f"the payoff of player {player} is {payoff!r}, not a finite number, "
                    f"at {_short(state)}"
                )
        return payoffs

    def shown(self, state: Any) -> None:
        if not callable(getattr(self.game, "shown", None)):
            return
        thing = self.twice("shown", state)
        try:
            hash(thing)
        except TypeError:
            raise RulesError(
                f"shown gives {_short(thing)}, which is not hashable, at {_short(state)}"
            ) from None

    def merge(self, state: Any, turn: int, content: tuple[Any, ...]) -> None:
        if not callable(getattr(self.game, "merge", None)):
            return
        key = self.twice("merge", state)
        try:
            known, first = self.merged.setdefault(key, ((turn, content), state))
        except TypeError:
            raise RulesError(
                f"merge gives {_short(key)}, which is not hashable, at {_short(state)}"
            ) from None
        if known != (turn, content):
            same = (
                "turn"
                if known[0] != turn
                else {TERMINAL: "payoff", CHANCE: "chance"}.get(turn, "actions")
            )
            raise RulesError(
                f"merge makes one of {_short(first)} and {_short(state)}, whose {same} differ"
            )

    def distinct(self, values: tuple[Any, ...], what: str, state: Any) -> None:
        seen = set()
        for value in values:
            try:
                again = value in seen
                seen.add(value)
            except TypeError:
                raise RulesError(
                    f"the {what} {_short(value)} is not hashable, at {_short(state)}"
                ) from None
            if again:
                raise RulesError(f"the {what} {_short(value)} comes twice at {_short(state)}")

    def hash_of(self, state: Any) -> int:
        try:
            return hash(state)
        except TypeError:
            raise RulesError(f"the state {_short(state)} is not hashable") from None

    def listed(self, name: str, state: Any) -> tuple[Any, ...]:
        answer = self.twice(name, state, convert=_as_tuple)
        if answer is None:
            raise RulesError(f"{name} must give a sequence at {_short(state)}")
        told: tuple[Any, ...] = answer
        return told

    def twice(
        self, name: str, *given: Any, convert: Callable[[Any], Any] = lambda answer: answer
    ) -> Any:
        """Call a method two times; it must not change its mind, nor fail."""
        method = getattr(self.game, name)
        try:
            first, second = convert(method(*given)), convert(method(*given))
        except CounterfoldError:
            raise
        except Exception as error:
            where = f" at {_short(given[0])}" if given else ""
            after = f" for {_short(given[1])}" if len(given) > 1 else ""
            raise RulesError(
                f"{name} raised {type(error).__name__}: {_short(str(error))}{after}{where}"
            ) from error
        if not _same(first, second):
            where = f" at {_short(given[0])}" if given else ""
            raise RulesError(
                f"{name} gives two answers to the same call{where}: {_short(first)} and "
                f"{_short(second)}"
            )
        return first


def _same(first: Any, second: Any) -> bool:
    """Equality, for which a payoff of NaN is the same as another."""
    if isinstance(first, tuple) and isinstance(second, tuple) and type(first) is type(second):
        return len(first) == len(second) and all(map(_same, first, second))
    if first is second or (isinstance(first, float) and math.isnan(first)):
        return True
    return bool(first == second)


def _as_tuple(answer: Any) -> tuple[Any, ...] | None:
    try:
        return tuple(answer)
    except TypeError:
        return None


def _copied(state: Any) -> tuple[Any] | None:
    """A copy to compare with later, where the state has a meaningful one."""
    try:
        copied = copy.deepcopy(state)
        return (copied,) if copied == state else None
    except Exception:
        return None


def _no_cycle(states: list[Any], edges: dict[int, list[int]]) -> None:
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
        f"the state {_short(states[at])} comes again after itself, so play may never end"
    )


def _short(value: Any, most: int = 80) -> str:
    try:
        text = value if isinstance(value, str) and " " in value else repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 3]}..."
