"""The compiled side of a match: hands between strategies and learners, millions a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.agent import Agent
from counterfold.arrays import Floats
from counterfold.exploit.online import Learner, blank, setup, trace_for
from counterfold.exploit.rules import Setting
from counterfold.play.agents import StrategyAgent
from counterfold.play.dealer import choice_seed, deal_seed
from counterfold.strategy.infosets import InfosetLayout
from counterfold.strategy.strategy import Strategy
from counterfold.tree.graph import graph_of
from counterfold.tree.history import HistoryTree

if TYPE_CHECKING:
    from counterfold.kernels.arena import Insight, Tally


class Arena:
    """Strategies and learners at a compiled game; it deals and plays, and keeps no score."""

    def __init__(self, tree: HistoryTree, agents: Sequence[Agent], seed: int, repeat: int) -> None:
        from counterfold.kernels.arena import Course

        self.tree, self.agents = tree, tuple(agents)
        self.random = np.array([choice_seed(seed)], dtype=np.uint64)
        self._course = Course(
            len(self.agents),
            np.uint64(deal_seed(seed)),
            repeat,
            self.random,
            np.zeros(1, dtype=np.uint64),
        )
        self._cold = True
        settings = tuple(a.setting for a in self.agents if isinstance(a, Learner))
        self._learning = bool(settings)
        if self._learning:
            self._seat_learners(settings)

    def _seat_learners(self, settings: tuple[Setting, ...]) -> None:
        self._ready = setup(self.tree, settings)
        uniform = Strategy.uniform(self.tree)
        rows = tuple(a.setting if isinstance(a, Learner) else uniform for a in self.agents)
        self._minds = blank(self.tree, rows, self._ready, uniform)
        self._trace = trace_for(self.tree, len(self.agents))
        for g, agent in enumerate(self.agents):
            if isinstance(agent, Learner):
                agent.lend(self._minds, g)

    def odds(self, hand: int) -> Floats:
        """What the agents play at this hand, a row each."""
        rows = []
        for g, agent in enumerate(self.agents):
            if isinstance(agent, StrategyAgent):
                rows.append(agent.phase(hand).strategy.probabilities)
            else:
                rows.append(self._minds.strategy[g])
        return np.array(rows)

    def play(
        self, begin: int, hands: int, tally: Tally, insight: Insight, leaves: NDArray[np.uint32]
    ) -> None:
        """Play hands from number ``begin`` on, within which no agent changes its strategy."""
        from counterfold.kernels import arena

        odds, learning, study = self.odds(begin), None, None
        if self._learning:
            self._minds.strategy[...] = odds
            odds, study = self._minds.strategy, self._ready.study
            learning = arena.Learning(self._minds, self._ready.ground, self._trace)
        book = arena.Book(tally, insight, leaves)
        arena.play(graph_of(self.tree), odds, learning, study, self._course, book, begin, hands)

    def warm(self, tally: Tally, insight: Insight) -> None:
        """Compile or load the kernels, which is no part of playing."""
        if self._cold:
            self._cold = False
            self.play(0, 0, tally, insight, np.zeros(0, dtype=np.uint32))

    def hand_back(self) -> None:
        """The learners remember what they learned."""
        for g, agent in enumerate(self.agents):
            if isinstance(agent, Learner):
                agent.take(self._minds, g)


def is_tabular(agent: Agent) -> bool:
    """Does an agent choose by a table over the infosets of a history tree?"""
    if isinstance(agent, StrategyAgent):
        return isinstance(agent.phase(0).strategy.layout, InfosetLayout)
    return isinstance(agent, Learner)


def is_fixed(agent: Agent) -> bool:
    return isinstance(agent, StrategyAgent) and agent.phase(0).until is None


def odds_of(agent: Agent, hand: int) -> Floats | None:
    """The odds with which an agent chooses now, if they are known."""
    if isinstance(agent, Learner):
        odds: Floats = agent.minds.strategy[0].copy()
        return odds
    if isinstance(agent, StrategyAgent) and is_tabular(agent):
        return agent.phase(hand).strategy.probabilities
    return None
