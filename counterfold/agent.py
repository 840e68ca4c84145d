"""The contract of an agent: who sits at the table, what it sees, and what it may learn from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from counterfold.arrays import Floats
from counterfold.games.base import label
from counterfold.notebook import brief


@dataclass(frozen=True)
class Observation:
    """What an agent sees when it is to move: which player it is, its view, its legal actions.

    ``hand`` counts the hands of the match from 0. ``name`` is the view as people read it, which
    is also the infoset's name in a strategy.
    """

    player: int
    seen: Hashable
    actions: tuple[Hashable, ...]
    hand: int = 0

    @property
    def name(self) -> str:
        return label(self.seen)


@dataclass(frozen=True)
class Choice:
    """A decision of the agent's own."""

    observation: Observation
    action: Hashable


@dataclass(frozen=True)
class SeenMove:
    """A move of another player, as far as it could be seen.

    ``seen`` is the agent's own view before the move; ``action`` is None where the rules hide it.
    """

    player: int
    seen: Hashable
    action: Hashable | None


@dataclass(frozen=True)
class SeenHand:
    """A finished hand as one agent saw it.

    ``final`` is its view at the end and ``shown`` what everybody got to see there (cards at a
    showdown; None where nothing is shown). ``events`` is the whole hand, hidden cards included,
    and only there if the match reveals them after every hand.
    """

    player: int
    choices: tuple[Choice, ...]
    others: tuple[SeenMove, ...]
    final: Hashable
    shown: Hashable | None
    payoff: float
    hand: int = 0
    events: tuple[str, ...] | None = None


class Agent:
    """Somebody who plays. Subclass it, or bring any object with the same methods.

    ``act`` is all that is needed; an agent that learns has ``learn`` as well, which is told of
    each of its hands when it is over. An agent is every player in turn: ``observation.player``
    says which. Its randomness should come from ``rng``, so that a match can be played again.

    An agent that knows how often it takes each action may tell so by ``odds(observation)``, a
    mapping of actions to probabilities: luck is then taken out of its choices (at tables of
    hold'em, where it is asked right after it has acted). ``odds_of_all(observation)`` tells it of
    every hand at once, [holes] for each action.

    >>> class Folder(Agent):
    ...     def act(self, observation, rng):
    ...         return "fold" if "fold" in observation.actions else observation.actions[0]
    >>> Folder().act(Observation(0, ("K", "bet"), ("fold", "call")), None)
    'fold'
    """

    name: str = ""

    def __repr__(self) -> str:
        return brief(self, self.name or "without a name")

    def begin(self, game: object) -> None:
        """A match in this game is about to begin."""

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        """One of ``observation.actions``, or its name."""
        raise NotImplementedError

    def learn(self, hand: SeenHand) -> None:
        """A hand is over."""


@runtime_checkable
class TellsOdds(Protocol):
    """An agent that knows how often it takes each action; None where it does not."""

    def odds(self, observation: Observation) -> Mapping[str, float] | None: ...


@runtime_checkable
class TellsOddsOfAll(Protocol):
    """An agent that tells it of every hand at once, [holes] for each action."""

    def odds_of_all(self, observation: Observation) -> dict[str, Floats]: ...


def drawn(odds: Mapping[str, float], rng: np.random.Generator) -> str:
    """One of some actions, by how often each is taken.

    >>> drawn({"fold": 0.0, "call": 1.0}, np.random.default_rng(0))
    'call'
    """
    if len(odds) == 1:
        return next(iter(odds))
    left = rng.random() * sum(odds.values())
    for action, share in odds.items():
        left -= share
        if left < 0:
            return action
    return max(odds, key=lambda action: odds[action])
