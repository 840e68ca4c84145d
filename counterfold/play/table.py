"""One hand at a time over the rules of a game, for agents of any kind."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterfold.agent import Agent, Choice, Observation, SeenHand, SeenMove, TellsOdds
from counterfold.errors import CounterfoldError, cut, reason, short
from counterfold.files.text import Json
from counterfold.games.base import CHANCE, TERMINAL, Action, Even, Game, State, label
from counterfold.play.clock import TooSlowError, within
from counterfold.play.dealer import Dealer
from counterfold.tree.history import HistoryTree
from counterfold.tree.views import views

CLOSE = 1e-4
"""How near to one odds must sum."""
MOST_SEARCHED = 100_000
"""States looked at to find the worst end for an agent at fault."""


class Fault(NamedTuple):
    """What an agent did that the rules do not allow."""

    hand: int
    agent: int
    message: str


@dataclass(frozen=True)
class PlayedHand:
    """A finished hand: who was which player, all that happened, and what each won."""

    number: int
    players: tuple[int, ...]
    events: tuple[str, ...]
    payoffs: tuple[float, ...]
    fault: Fault | None = None
    steps: tuple[Step, ...] = ()
    end: object = None
    """The state it ended in."""
    searches: tuple[Json, ...] = ()  # what agents tell of theirs, with their "agent"


class Step(NamedTuple):
    """A move of a hand as the table saw it."""

    turn: int
    state: State
    place: int  # which of the moves there it was; -1 if it was not listed
    move: Hashable
    odds: Mapping[str, float] | None = None  # how often the agent takes each action, if it tells


class Table:
    """Agents around a game: asks the one to move, and tells all of them how it ended.

    An agent that raises, breaks the time limit or chooses what is not there loses the hand: it
    gets the least that could still happen to it, by the payoffs of that end.

    Which actions of others a player could see is known from the compiled ``tree``; without one they
    are told to nobody, beyond what the rules let a player observe.
    ``steps`` and ``state`` are those of the hand in play, or of the last one. Agents of whom
    ``tells`` is true are asked for their odds when they have acted.
    """

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        *,
        tree: HistoryTree | None = None,
        reveal: bool = False,
        time_limit: float | None = None,
        tells: Sequence[bool] | None = None,
    ) -> None:
        self.game = game
        self.tells = tuple(tells or [False] * len(agents))
        self.tree = tree
        self.agents = tuple(agents)
        self.reveal = reveal
        self.time_limit = time_limit
        # A clock is for other people's code: ours always answers, and a thread a move costs time.
        self._limits = [
            None if type(agent).__module__.startswith("counterfold.play.") else time_limit
            for agent in self.agents
        ]
        self._learns = [learns(agent) for agent in self.agents]
        self.steps: list[Step] = []
        self.state = game.root()

    def play(self, number: int, dealer: Dealer, rngs: Sequence[np.random.Generator]) -> PlayedHand:
        """Play a hand; agent (p + number) mod n is player p."""
        game, count = self.game, len(self.agents)
        players = tuple((player + number) % count for player in range(count))
        self.state, self.steps = game.root(), []
        choices: list[list[Choice]] = [[] for _ in range(count)]
        fault = None
        while True:
            state = self.state
            turn = int(game.turn(state))
            if turn == TERMINAL:
                payoffs = tuple(float(x) for x in game.payoff(state))
                break
            if turn == CHANCE:
                outcomes = game.chance(state)
                if not isinstance(outcomes, Even):
                    outcomes = [(o, p) for o, p in outcomes if p != 0]
                place = dealer.draw(outcomes)
                move, odds = outcomes[place][0], None
            else:
                agent = players[turn]
                actions = tuple(game.actions(state))
                seen = Observation(turn, game.observe(state, turn), actions, number)
                try:
                    place, move = self._ask(agent, seen, rngs[agent])
                    odds = self._odds(agent, seen, move) if self.tells[agent] else None
                except _FaultError as error:
                    fault = Fault(number, agent, str(error))
                    payoffs = worst_end(game, state, turn)
                    break
                choices[turn].append(Choice(seen, move))
            self.state = game.next(state, move)
            self.steps.append(Step(turn, state, place, move, odds))
        events = tuple(label(step.move) for step in self.steps)
        end = None if fault else state
        played = PlayedHand(
            number, players, events, payoffs, fault, tuple(self.steps), end, self._searches(number)
        )
        self._teach(played, end, choices)
        return played

    def _searches(self, number: int) -> tuple[Json, ...]:
        """Certificates of the searches that agents made for a hand, of those who tell them."""
        tells = [getattr(agent, "searches", None) for agent in self.agents]
        return tuple(
            {"agent": place, **found.to_json()}
            for place, tell in enumerate(tells)
            if callable(tell)
            for found in tell(number)
        )

    def _ask(self, agent: int, seen: Observation, rng: np.random.Generator) -> tuple[int, Hashable]:
        """The agent's action and its place, -1 if it is legal but not listed."""
        try:
            action = within(self._limits[agent], self.agents[agent].act, seen, rng)
        except TooSlowError:
            raise _FaultError(
                f"did not move within {self.time_limit:g} s at {short(seen.name)}"
            ) from None
        except (KeyboardInterrupt, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise _FaultError(f"failed at {short(seen.name)} with {reason(error)}") from None
        place = _place(action, seen.actions)
        if place is not None:
            return place, seen.actions[place]
        if not is_legal(self.game, self.state, action):
            legal = cut(", ".join(map(label, seen.actions)), 200)
            raise _FaultError(f"chose {short(action)} at {short(seen.name)}, where it may {legal}")
        return -1, action

    def _odds(self, agent: int, seen: Observation, move: Hashable) -> Mapping[str, float] | None:
        """How often the agent takes each action where it has just acted, if it tells."""
        try:
            teller = self.agents[agent]
            assert isinstance(teller, TellsOdds)
            told = teller.odds(seen)
            if told is None:
                return None
            odds = {label(action): float(share) for action, share in told.items()}
        except (KeyboardInterrupt, MemoryError):
            raise
        except Exception as error:
            raise _FaultError(f"has no odds at {short(seen.name)}: {reason(error)}") from None
        if min(odds.values()) < 0 or abs(sum(odds.values()) - 1) > CLOSE:
            raise _FaultError(f"has odds at {short(seen.name)} that do not sum to one")
        if odds.get(label(move), 0.0) <= 0:
            raise _FaultError(f"did {short(move)} at {short(seen.name)}, which its odds exclude")
        return odds

    def _teach(self, hand: PlayedHand, end: object, choices: list[list[Choice]]) -> None:
        """Tell those who learn what they saw; a hand cut short by a fault teaches nothing."""
        if end is None:
            return
        for player, agent in enumerate(hand.players):
            if not self._learns[agent]:
                continue
            game, show = self.game, getattr(self.game, "shown", None)
            seen = SeenHand(
                player=player,
                choices=tuple(choices[player]),
                others=tuple(self._others(hand.steps, player)),
                final=view_of(game, end, player),
                shown=show(end) if callable(show) else None,
                payoff=hand.payoffs[player],
                hand=hand.number,
                events=hand.events if self.reveal else None,
            )
            self.agents[agent].learn(seen)

    def _others(self, steps: Sequence[Step], player: int) -> list[SeenMove]:
        found, node, tree = [], 0, self.tree
        for step in steps:
            if step.turn >= 0 and step.turn != player:
                told = tree is not None and bool(views(tree).overt[node])
                seen = view_of(self.game, step.state, player)
                found.append(SeenMove(step.turn, seen, step.move if told else None))
            if tree is not None:
                node = int(tree.child[int(tree.first[node]) + step.place])
        return found


class _FaultError(Exception):
    """What an agent did wrong."""


def learns(agent: Agent) -> bool:
    """Does an agent take anything from the hands it has played?"""
    learn = getattr(type(agent), "learn", None)
    return learn is not None and learn is not Agent.learn


def is_legal(game: object, state: object, action: object) -> bool:
    """Does a game with more moves than it lists (any size of a bet) allow this one?"""
    legal = getattr(game, "legal", None)
    return isinstance(action, str) and callable(legal) and bool(legal(state, action))


def _place(action: object, actions: tuple[Hashable, ...]) -> int | None:
    """Which of the legal actions was meant: the action itself, or its name."""
    for place, legal in enumerate(actions):
        if type(action) is type(legal) and action == legal:
            return place
    if isinstance(action, str):
        for place, legal in enumerate(actions):
            if label(legal) == action:
                return place
    return None


def view_of(game: Game, state: State, player: int) -> Hashable | None:
    """What a player sees, also when others move; None where the rules do not say."""
    try:
        return game.observe(state, player)
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, CounterfoldError):
            raise
        return None


def moves_of(game: Game, state: State, turn: int) -> list[Action]:
    """The outcomes that can happen at a state, or the actions there."""
    if turn == CHANCE:
        return [outcome for outcome, chance in game.chance(state) if chance != 0]
    return list(game.actions(state))


def worst_end(game: Game, state: State, player: int) -> tuple[float, ...]:
    """Payoffs of the end that is worst for a player among those that can still happen.

    In a game too large to search it is the worst of the first that are found, unless the game says
    itself what giving up costs, by ``forfeit(player, state)``.
    """
    forfeit = getattr(game, "forfeit", None)
    if callable(forfeit):
        return tuple(float(x) for x in forfeit(player, state))
    stack, worst, looked = [state], None, 0
    while stack:
        here = stack.pop()
        turn = int(game.turn(here))
        looked += 1
        if turn == TERMINAL:
            payoffs = tuple(float(x) for x in game.payoff(here))
            if worst is None or payoffs[player] < worst[player]:
                worst = payoffs
        elif worst is None or looked < MOST_SEARCHED:
            stack.extend(game.next(here, move) for move in reversed(moves_of(game, here, turn)))
    assert worst is not None
    return worst
