"""The contract of a game: seven methods over immutable, hashable states."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, overload

from counterfold.games.spec import written
from counterfold.notebook import brief

CHANCE = -1
"""What ``turn`` returns where nature moves."""

TERMINAL = -2
"""What ``turn`` returns where the game is over."""

State = Any
"""What a game makes of its histories: its own type, which its own methods alone look into."""
Action = Hashable


class Even(Sequence[tuple[Action, float]]):
    """Outcomes that are equally likely, each made when it is looked at.

    >>> list(Even(2, lambda place: "ab"[place]))
    [('a', 0.5), ('b', 0.5)]
    """

    def __init__(self, count: int, outcome: Callable[[int], Action]) -> None:
        self._count, self._outcome = count, outcome

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> tuple[Action, float]: ...

    @overload
    def __getitem__(self, place: slice) -> list[tuple[Action, float]]: ...

    def __getitem__(self, place: int | slice) -> tuple[Action, float] | list[tuple[Action, float]]:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(self._count))]
        if not -self._count <= place < self._count:
            raise IndexError(place)
        return self._outcome(place % self._count), 1 / self._count


class Game:
    """The rules of a game. Subclass it, or bring any class with the same methods.

    States are immutable and hashable; actions are hashable and read well when printed.
    A game whose histories meet again in one state may add an eighth method,
    ``merge(state) -> Hashable``: states with equal keys become one node of the graph.
    Another that a game may add is ``shown(state) -> Hashable``: what everybody gets to see at a
    terminal state beyond its own ``observe``, such as the cards at a showdown. ``observe`` is
    also asked for players who are not to move and at the end; a game that cannot say what they
    see there gives None.
    """

    name: ClassVar[str] = ""
    players: int = 2

    def __repr__(self) -> str:
        return brief(self, f"for {self.players}")

    def root(self) -> State:
        """The state before anything has happened."""
        raise NotImplementedError

    def turn(self, state: State) -> int:
        """Who moves: a player from 0, or CHANCE, or TERMINAL."""
        raise NotImplementedError

    def chance(self, state: State) -> Sequence[tuple[Action, float]]:
        """Outcomes of a chance node with their probabilities."""
        raise NotImplementedError

    def actions(self, state: State) -> Sequence[Action]:
        """Legal actions in a fixed order, named as people name them."""
        raise NotImplementedError

    def next(self, state: State, action: Action) -> State:
        """The state after a player's action or a chance outcome."""
        raise NotImplementedError

    def observe(self, state: State, player: int) -> Hashable:
        """What this player has seen; equal observations are one infoset."""
        raise NotImplementedError

    def payoff(self, state: State) -> Sequence[float]:
        """One number a player, at a terminal state."""
        raise NotImplementedError

    def __str__(self) -> str:
        return spec_of(self)


def unlisted(game: object) -> bool:
    """Whether a game is for the table alone: it has no end, or says that it is too large to list.

    >>> from counterfold.games.leduc import Leduc
    >>> unlisted(Leduc())
    False
    """
    return bool(getattr(game, "endless", False) or getattr(game, "unlisted", False))


def label(observation: Hashable) -> str:
    """An observation as people read it: the parts of a tuple joined, empty parts left out.

    >>> label(("K", "check bet"))
    'K | check bet'
    >>> label(("K", ""))
    'K'
    """
    if isinstance(observation, tuple):
        parts = [part if type(part) is str else label(part) for part in observation]
        return " | ".join(filter(None, parts))
    return str(observation)


def spec_of(game: object) -> str:
    """The name that loads this game again, with every parameter that is not the default.

    >>> from counterfold.games.leduc import Leduc
    >>> spec_of(Leduc(ranks=4))
    'leduc(ranks=4)'
    """
    given = getattr(game, "spec", None)
    if isinstance(given, str):
        return given
    cls = type(game)
    name = getattr(cls, "name", "") or f"{cls.__module__}:{cls.__qualname__}"
    if not is_dataclass(game):
        return name
    told = [
        f"{f.name}={written(getattr(game, f.name))}"
        for f in fields(game)
        if f.init and getattr(game, f.name) != f.default
    ]
    return f"{name}({','.join(told)})" if told else name
