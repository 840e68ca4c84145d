"""Poker at full size at the table: its rules, and agents that play strategies for all hands."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.bucket_form import game_print
from counterfold.agent import Agent, Observation
from counterfold.errors import FileError, MismatchError, SpecError, UnsupportedError
from counterfold.evaluate.exact import earned_against
from counterfold.files.arrays import header_of
from counterfold.games.base import CHANCE, TERMINAL, Game
from counterfold.play.agents import own_agent
from counterfold.play.match import Match
from counterfold.poker.cards import (
    HOLES,
    board_name,
    card_name,
    hole_name,
    parse_card,
    parse_hole,
)
from counterfold.poker.game import DEAL, DECISION, FOLD, SHOWDOWN, PokerGame
from counterfold.solve.result import solve
from counterfold.solve.until import Report
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree, meetings

__all__ = ["PokerAgent", "PokerMatch", "PokerRules", "hand_and_line", "poker_agents"]

NAMES = ("equilibrium", "uniform")
"""Agents that every poker game has."""

_NAMES = [hole_name(hole) for hole in range(HOLES)]

State = tuple[tuple[int, ...], tuple[int, ...], int]
"""The hands dealt so far, the cards that came to the board, and the node of the betting."""


class PokerRules(Game):
    """A poker game or spot as rules: a hand to each player by its range, bets, and cards.

    A seat sees its hand, the board and what was said. What it wins is in chips; in a spot each
    player has paid half of the first pot.

    >>> from counterfold.poker.spot import spot
    >>> rules = PokerRules(spot({"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+",
    ...                          "ip": "JJ,AKs", "bets": ["50%"], "raises": []}))
    >>> state = rules.root()
    >>> for move in ("QhQd", "JsJh", "bet 10"):
    ...     state = rules.next(state, move)
    >>> rules.observe(state, 1), rules.actions(state)
    (('JsJh', 'Ks 9h 6s 4d 2c', 'bet 10'), ('fold', 'call'))
    >>> rules.payoff(rules.next(state, "call"))
    (20.0, -20.0)
    """

    unlisted = True

    def __init__(self, poker: PokerGame, spec: str = "") -> None:
        if poker.rules.hole != 2:
            raise UnsupportedError(
                f"{poker.name} has hands of one card: play it in its history form"
            )
        self.poker, self.betting = poker, poker.betting
        self.spec = spec or poker.spec
        self._moves: dict[int, dict[str, int]] = {}
        self._strengths = lru_cache(16)(self._strengths_on)

    def root(self) -> State:
        return (), (), 0

    def turn(self, state: State) -> int:
        hands, _, node = state
        kind = self.betting.kind[node]
        if len(hands) < 2 or kind == DEAL:
            return CHANCE
        return int(self.betting.player[node]) if kind == DECISION else TERMINAL

    def chance(self, state: State) -> list[tuple[str, float]]:
        hands, dealt, _ = state
        if len(hands) < 2:
            mass = self._second(hands[0]) if hands else self._first
            there = np.flatnonzero(mass)
            shares = (mass[there] / mass[there].sum()).tolist()
            return [(_NAMES[h], p) for h, p in zip(there.tolist(), shares, strict=True)]
        cards = self.poker.rules.cards
        gone = {*self.poker.board, *dealt, *(int(c) for hand in hands for c in cards[hand])}
        left = [card for card in self.poker.rules.deck if card not in gone]
        return [(card_name(card), 1 / len(left)) for card in left]

    @cached_property
    def _first(self) -> NDArray[np.float64]:
        """How likely hands of the first player are: the other must be able to hold one too."""
        first, second = (np.asarray(weights, np.float64) for weights in self.poker.ranges)
        found: NDArray[np.float64] = first * meetings(self.poker.rules, second)
        return found

    def _second(self, other: int) -> NDArray[np.float64]:
        cards = self.poker.rules.cards
        apart = ~np.isin(cards, cards[other]).any(1)
        found: NDArray[np.float64] = np.asarray(self.poker.ranges[1], np.float64) * apart
        return found

    def actions(self, state: State) -> tuple[str, ...]:
        return tuple(self._labels(state[2]))

    def _labels(self, node: int) -> dict[str, int]:
        if node not in self._moves:
            children = self.betting.children(node)
            self._moves[node] = {self.betting.label[child]: child for child in children}
        return self._moves[node]

    def next(self, state: State, action: Any) -> State:
        hands, dealt, node = state
        if len(hands) < 2:
            return (*hands, parse_hole(action)), dealt, node
        if self.betting.kind[node] == DEAL:  # the cards of a street come one by one
            dealt = (*dealt, parse_card(action))
            street = int(self.betting.street[node]) + 1
            whole = len(dealt) == sum(self.poker.rules.deal[: street + 1])
            return hands, dealt, int(self.betting.first[node]) if whole else node
        return hands, dealt, self._labels(node)[action]

    def line(self, state: State) -> tuple[str, ...]:
        """What was said and dealt, street by street: ("check", "bet 66", "call", "[7h]")."""
        _, dealt, node = state
        words: list[str] = []
        at = node
        while at > 0:
            before = int(self.betting.parent[at])
            if self.betting.kind[before] == DEAL:
                street = int(self.betting.street[before]) + 1
                end = sum(self.poker.rules.deal[: street + 1])
                cards = dealt[end - self.poker.rules.deal[street] : end]
                words.append(f"[{board_name(cards)}]")
            else:
                words.append(self.betting.label[at])
            at = before
        return tuple(reversed(words))

    def observe(self, state: State, player: int) -> Hashable:
        hands, dealt, _ = state
        if player >= len(hands):
            return None
        board = board_name((*self.poker.board, *dealt))
        return _NAMES[hands[player]], board, ", ".join(self.line(state))

    def shown(self, state: State) -> tuple[str, str] | None:
        """Both hands, if there was a showdown."""
        hands, _, node = state
        if self.betting.kind[node] != SHOWDOWN:
            return None
        return _NAMES[hands[0]], _NAMES[hands[1]]

    def payoff(self, state: State) -> tuple[float, float]:
        hands, dealt, node = state
        worth = self.betting.payoff[node]
        if self.betting.kind[node] == FOLD:
            return float(worth[0, 0]), float(worth[1, 0])
        strengths = self._strengths((*self.poker.board, *dealt))
        first, second = int(strengths[hands[0]]), int(strengths[hands[1]])
        case = 0 if first > second else 1 if first == second else 2
        return float(worth[0, case]), float(worth[1, 2 - case])

    def _strengths_on(self, board: tuple[int, ...]) -> NDArray[np.uint32]:
        found: NDArray[np.uint32] = self.poker.rules.strengths(np.array([board], np.uint8))[0]
        return found


def hand_and_line(observation: Observation) -> tuple[int, str]:
    """The hand of whoever is to move, and all that was said and dealt before."""
    seen: Any = observation.seen
    return parse_hole(seen[0]), str(seen[2])


class PokerAgent(Agent):
    """Plays a strategy for all hands, in whichever seat.

    >>> from counterfold.poker.spot import spot
    >>> game = spot({"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ+",
    ...              "ip": "JJ,AKs", "bets": ["50%"], "raises": []})
    >>> agent = PokerAgent(Strategy.uniform(PublicTree(game)), "uniform")
    >>> seen = Observation(1, ("JsJh", "Ks 9h 6s 4d 2c", "bet 10"), ("fold", "call"))
    >>> agent.odds(seen)
    {'fold': 0.5, 'call': 0.5}
    """

    at_table = True

    def __init__(self, strategy: Strategy[PublicTree], name: str = "") -> None:
        self.strategy = strategy
        self.name = name or str(strategy.about.get("method", "strategy"))

    def begin(self, game: Any) -> None:
        mine = self.strategy.tree.game
        if not isinstance(game, PokerRules) or game_print(game.poker) != game_print(mine):
            raise MismatchError(f"{self.name} plays another game than {game}")

    def odds(self, observation: Observation) -> dict[str, float]:
        """How often it takes each action."""
        seen: Any = observation.seen
        return self.strategy.at(*seen, player=observation.seat)

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        shares = np.array(list(self.odds(observation).values()))
        return observation.actions[int(rng.choice(len(shares), p=shares / shares.sum()))]


class PokerMatch(Match):
    """A match at a poker game; strategies for all hands are compared exactly beside it."""

    def exact(self) -> tuple[float, ...] | None:
        pair = [agent for agent in self.agents if isinstance(agent, PokerAgent)]
        if len(pair) < 2:
            return None
        one, other = (agent.strategy for agent in pair)
        if one.tree.symmetry != other.tree.symmetry:  # of one game, but hand by hand only in one
            return None
        won = sum(earned_against(one, seat, other) for seat in (0, 1)) / 2
        if one.tree.game.betting.zero_sum:
            return won, -won
        return won, sum(earned_against(other, seat, one) for seat in (0, 1)) / 2


def poker_agents(
    rules: PokerRules,
    specs: Sequence[str],
    on_report: Callable[[Report], None] | None = None,
) -> list[Agent]:
    """Agents by name: a strategy file of `counterfold solve`, equilibrium, uniform, mybot.py:Bot.

    Those that play strategies share one tree.
    """
    trees: dict[bool, PublicTree] = {}
    alike = bool(rules.poker.about.get("symmetry", True))

    def tree(symmetry: bool) -> PublicTree:
        if symmetry not in trees:
            trees[symmetry] = PublicTree(rules.poker, symmetry=symmetry)
        return trees[symmetry]

    found: dict[str, Agent] = {}
    for spec in dict.fromkeys(spec.strip() for spec in specs):
        if ".py:" in spec:
            continue
        if spec == "uniform":
            found[spec] = PokerAgent(Strategy.uniform(tree(alike)), spec)
        elif spec == "equilibrium":
            found[spec] = PokerAgent(_equilibrium(tree(alike), on_report), spec)
        elif os.path.isfile(spec) or spec.endswith(".safetensors"):
            found[spec] = PokerAgent(_from_file(spec, tree), spec)
        else:
            raise SpecError(
                f"there is no agent {spec!r} for poker with all hands; there are "
                f"{', '.join(NAMES)}, strategy files of `counterfold solve`, and mybot.py:MyBot"
            )
    return [found[s] if (s := spec.strip()) in found else own_agent(s) for spec in specs]


def _equilibrium(
    tree: PublicTree, on_report: Callable[[Report], None] | None
) -> Strategy[PublicTree]:
    result = solve(tree, on_report=on_report)
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return result.strategy


def _from_file(path: str, tree: Callable[[bool], PublicTree]) -> Strategy[PublicTree]:
    if not os.path.isfile(path):
        raise FileError(f"there is no file {path}")
    return Strategy.load(path, tree(header_of(path).get("symmetry") != "false"))
