"""What the methods of a game may answer: the one place where the contract is held.

``visits`` and ``counterfold.testing.check_game`` both ask here, so that a game which one refuses
the other refuses too. Every complaint names the method and the state.
"""

from __future__ import annotations

import copy
import math
import numbers
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from itertools import islice
from operator import index
from typing import Any, NamedTuple, SupportsIndex

import numpy as np

from counterfold.errors import RulesError, reason, short
from counterfold.games.base import CHANCE, TERMINAL, Action

MOST_MOVES = 1_000_000
"""Actions, or outcomes of chance, at one state; a generator that gives more has no end."""

_PLAIN = frozenset((type(None), bool, int, float, str, bytes, complex, range, type))
_MOST_LOOKED = 64


def players_of(game: object) -> int:
    """How many players a game has."""
    try:
        players = getattr(game, "players", 2)
    except Exception as error:
        raise RulesError(f"players fails with {type(error).__name__}") from error
    if not isinstance(players, int) or isinstance(players, bool) or not 1 <= players <= 100:
        raise RulesError(f"players is {short(players)}, and must be a whole number from 1 to 100")
    return players


def turn_at(state: object, answer: object, players: int) -> int:
    """Who moves, from what ``turn`` gave."""
    who = players
    if isinstance(answer, SupportsIndex) and not isinstance(answer, bool):
        with suppress(TypeError):
            who = index(answer)
    if not (0 <= who < players or who in (CHANCE, TERMINAL)):
        raise RulesError(
            f"turn is {short(answer)} at {short(state)}; it must be a player from 0 to "
            f"{players - 1}, CHANCE or TERMINAL"
        )
    return who


def actions_at(state: object, answer: object, who: int) -> tuple[Action, ...]:
    """The actions of a player, from what ``actions`` gave."""
    actions = _listed("actions", state, answer)
    if not actions:
        raise RulesError(f"player {who + 1} has no action at {short(state)}: actions gives none")
    for action in actions:
        _check_hash("action", action, state)
    return actions


def chances_at(state: object, answer: object) -> list[tuple[Action, float]]:
    """Outcomes with probabilities that sum to one, from what ``chance`` gave."""
    if isinstance(answer, Mapping):
        raise _no_sequence("chance", state, answer)
    pairs: list[tuple[Action, float]] = []
    for pair in _listed("chance", state, answer):
        try:
            outcome, chance = pair
        except (TypeError, ValueError):
            raise RulesError(
                "chance must give pairs of an outcome and its probability at "
                f"{short(state)}, not {short(pair)}"
            ) from None
        number = _number(chance)
        if number is None or not 0 <= number <= 1:
            raise RulesError(
                f"chance gives {short(outcome)} the probability {short(chance)} at "
                f"{short(state)}; it must be a number from 0 to 1"
            )
        _check_hash("outcome", outcome, state)
        pairs.append((outcome, number))
    total = math.fsum(chance for _, chance in pairs)
    if not abs(total - 1) <= 1e-9:
        raise RulesError(
            f"chance probabilities at {short(state)} sum to {total:.12g}, not 1; "
            "they must be positive and sum to one"
        )
    return pairs


def payoffs_at(state: object, answer: object, players: int) -> tuple[float, ...]:
    """One finite number a player, from what ``payoff`` gave."""
    if isinstance(answer, Mapping | str | bytes):
        raise _no_sequence("payoff", state, answer)
    given = _listed("payoff", state, answer)
    if len(given) != players:
        raise RulesError(f"payoff has {len(given)} numbers for {players} players at {short(state)}")
    found = []
    for player, amount in enumerate(given):
        number = _number(amount)
        if number is None or not math.isfinite(number):
            raise RulesError(
                f"the payoff of player {player + 1} is {short(amount)} at {short(state)}, "
                "not a finite number"
            )
        found.append(number)
    return tuple(found)


def _listed(name: str, state: object, answer: Any) -> tuple[Any, ...]:
    """What rules gave, which may be anything."""
    if isinstance(answer, tuple | list):
        return tuple(answer)
    if isinstance(answer, set | frozenset):
        raise RulesError(
            f"{name} gives a set at {short(state)}, which has no order; give a list or a tuple"
        )
    try:
        steps = iter(answer)
    except TypeError:
        raise _no_sequence(name, state, answer) from None
    found = tuple(islice(steps, MOST_MOVES + 1))
    if len(found) > MOST_MOVES:
        raise RulesError(
            f"{name} gives more than {MOST_MOVES:,} things at {short(state)}; does it end?"
        )
    return found


def _no_sequence(name: str, state: object, answer: object) -> RulesError:
    return RulesError(f"{name} must give a sequence at {short(state)}, not {short(answer)}")


def _number(value: object) -> float | None:
    """A real number of any make as a float; None for what is none, a truth among them."""
    if type(value) is float:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real | Decimal):
        return None
    try:
        return float(value)
    except (OverflowError, ValueError):
        return math.inf


def _check_hash(what: str, value: object, state: object) -> None:
    try:
        hash(value)
    except TypeError:
        raise RulesError(f"the {what} {short(value)} is not hashable, at {short(state)}") from None


class Kept(NamedTuple):
    """A state as it was when it was first seen."""

    state: object
    hash: int
    copied: tuple[object] | None  # in a tuple of its own; None where copies are not equal
    looks: object


def hash_of(state: object) -> int:
    """The hash that every state has."""
    try:
        return hash(state)
    except TypeError:
        raise RulesError(
            f"the state {short(state)} is not hashable; states must not change, so use a tuple "
            "or a frozen dataclass"
        ) from None
    except Exception as error:
        raise RulesError(f"the state {short(state)} has no hash: {reason(error)}") from error


def keep(state: object) -> Kept | None:
    """What to compare a state with later; None if it cannot change."""
    hashed = hash_of(state)
    if _constant(state):
        return None
    copied, looks = None, None
    try:
        twin = copy.deepcopy(state)
        copied = (twin,) if twin is not state and twin == state else None
    except Exception:  # no copy to compare with
        copied = None
    if copied is None:
        looks = _looks(state)
    return Kept(state, hashed, copied, looks)


def still(kept: Kept | None, method: str) -> None:
    """Complain if a state is not any more what it was."""
    if kept is None:
        return
    state, hashed, copied, looks = kept
    changed = hash_of(state) != hashed
    if copied is not None:
        changed = changed or copied[0] != state
    elif looks is not None:
        changed = changed or not same(looks, _looks(state))
    if changed:
        was = short(copied[0] if copied else state)
        raise RulesError(f"{method} changed the state it was given, which was {was}")


class Watched:
    """A game that complains of the method that changes a state it is given."""

    def __init__(self, game: object) -> None:
        self._game = game

    def __getattr__(self, name: str) -> object:
        method = getattr(self._game, name)

        def watched(state: object, *given: object) -> object:
            kept = keep(state)
            answer = method(state, *given)
            still(kept, name)
            return answer

        return watched


def _constant(value: object) -> bool:
    """Whether a value is made of nothing that can change."""
    if type(value) in _PLAIN or isinstance(value, Enum):
        return True
    if isinstance(value, tuple | frozenset):
        return all(map(_constant, value))
    made = getattr(type(value), "__dataclass_params__", None)
    if made is not None and made.frozen and is_dataclass(value):
        return all(_constant(getattr(value, field.name, None)) for field in fields(value))
    return False


class _Fields(dict[str, object]):
    """Attributes of an object."""


def _looks(thing: object, depth: int = 3) -> object:
    """What can be seen of an object that has no equality of its own."""
    if type(thing) in _PLAIN:
        return thing
    if not depth:
        return id(thing)
    if isinstance(thing, list | tuple):
        return [len(thing), *(_looks(one, depth - 1) for one in thing[:_MOST_LOOKED])]
    if isinstance(thing, dict):
        items = islice(thing.items(), _MOST_LOOKED)
        return [len(thing), *((key, _looks(one, depth - 1)) for key, one in items)]
    if isinstance(thing, set | frozenset | bytearray):
        return copy.copy(thing)
    if isinstance(thing, np.ndarray):
        return thing.tobytes()
    names = [*getattr(thing, "__dict__", ()), *getattr(type(thing), "__slots__", ())]
    # What is private or not yet known may be filled in when it is first asked for.
    return _Fields(
        (name, _looks(getattr(thing, name), depth - 1))
        for name in names[:_MOST_LOOKED]
        if not name.startswith("_") and getattr(thing, name, None) is not None
    )


def same(old: object, new: object) -> bool:
    """Equality as Python has it, of attributes that were known before, and of NaN with NaN."""
    if old is new or (isinstance(old, float) and math.isnan(old)):
        return True
    if isinstance(old, _Fields) and isinstance(new, _Fields):
        return all(name in new and same(value, new[name]) for name, value in old.items())
    if isinstance(old, list | tuple) and type(old) is type(new):
        return len(old) == len(new) and all(map(same, old, new))
    return bool(old == new)
