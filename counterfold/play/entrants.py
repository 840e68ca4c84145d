"""Who enters a match: agents that know the game, each of them one, with names of their own."""

from __future__ import annotations

from collections.abc import Sequence

from counterfold.agent import Agent
from counterfold.errors import MismatchError, ParameterError, TreeTooLargeError
from counterfold.exploit.online import Learner
from counterfold.games.base import Game, unlisted
from counterfold.play.agents import StrategyAgent
from counterfold.play.arena import is_tabular
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.named import as_game
from counterfold.tree.story import rules_of

SMALL = 200 << 20
"""Bytes that compiling a game may take for the sake of its statistics alone."""


def players_of_strategies(agents: Sequence[Agent | Strategy | str]) -> list[Agent | str]:
    """Whoever plays a strategy, where the strategy itself was given."""
    return [StrategyAgent(one) if isinstance(one, Strategy) else one for one in agents]


def tree_of(game: object, agents: Sequence[Agent]) -> tuple[HistoryTree | None, Game]:
    """The compiled game, if the agents have it or it is small, and the rules."""
    if isinstance(game, HistoryTree):
        return game, rules_of(game)
    rules = rules_of(as_game(game) if isinstance(game, str) else game)
    if unlisted(rules) or any(getattr(a, "at_table", False) for a in agents):
        return None, rules
    if any(map(is_tabular, agents)):
        return compile_game(rules), rules
    try:
        return compile_game(rules, memory=SMALL), rules
    except TreeTooLargeError:
        return None, rules


def own_copies(agents: Sequence[Agent]) -> list[Agent]:
    """A learner that plays against itself has to be two."""
    found: list[Agent] = []
    for agent in agents:
        if isinstance(agent, Learner) and any(agent is other for other in found):
            agent = agent.copy()
        found.append(agent)
    return found


def learns(agent: Agent) -> bool:
    """Does an agent change by what it sees?"""
    return isinstance(agent, Learner)


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Agents of one name get numbers."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return tuple(told)


def check_agent(agent: Agent, rules: object, tree: HistoryTree | None, spec: str) -> None:
    """Refuse who cannot play the game."""
    if isinstance(agent, StrategyAgent):
        agent.check_fits(rules, tree)
    elif isinstance(agent, Learner) and tree is not None:
        if agent.tree.fingerprint != tree.fingerprint:
            raise MismatchError(f"{agent.name} learned {agent.tree.spec}, and the game is {spec}")
    elif not callable(getattr(agent, "act", None)):
        raise ParameterError(f"{agent!r} has no method act(observation, rng), which an agent has")
