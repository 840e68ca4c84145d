"""A person whose decisions are judged by what they are worth, wherever that is known exactly."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import NamedTuple, Unpack

import numpy as np

from counterfold.agent import Agent, Observation
from counterfold.arrays import Floats
from counterfold.evaluate.exact import values
from counterfold.evaluate.public_view import Browser
from counterfold.play.agents import StrategyAgent
from counterfold.play.human import Advice, Seating, Sitting
from counterfold.play.table import PlayedHand
from counterfold.poker.rules import PokerRules
from counterfold.poker.table import TableView
from counterfold.strategy.hands import HandLayout
from counterfold.strategy.strategy import Strategy
from counterfold.tree.public import PublicTree
from counterfold.tree.story import rules_of


class Judgement(NamedTuple):
    """A decision of the person's: what it was worth against the opponent, in chips.

    ``worth`` has each action with the person's hand, over all that the opponent may hold; both
    play the opponent's strategy from then on. ``usual`` is what that strategy makes of it here.
    In games that are no poker with all hands, ``worth`` counts from there, and ``usual`` is 0.
    ``pot`` is what there is to win: the pot, or the largest payoff of the game.
    """

    action: str
    worth: dict[str, float]
    usual: float
    pot: float
    doubt: float = 0.0  # chips by which values may be wrong

    @property
    def best(self) -> str:
        return max(self.worth, key=lambda action: self.worth[action])

    @property
    def lost(self) -> float:
        """Chips less than the best action would have been worth."""
        return self.worth[self.best] - self.worth[self.action]

    @property
    def edge(self) -> float:
        """Chips more than the opponent's own strategy makes in this place."""
        return self.worth[self.action] - self.usual


Told = tuple[dict[str, float], dict[str, float], float]
"""Odds of a decision, what its actions are worth, and how far that may be wrong."""


class Trainer(Sitting):
    """A sitting against strategies that are known, at poker with all hands or a game's tree.

    Every decision is judged by the exact value of its actions, so that the score is known with
    luck taken out: what the opponent's strategy is worth to the player, and the edges of the
    person's decisions. On average over deals and over what the opponent does, that is what the
    person wins. Against other agents, and with ranges of one card, it is a plain sitting. At a
    game's tree there may be more than two players. At a table of hold'em, decisions are judged by
    what an agent that searches finds (``HoldemAgent.judged``).

    >>> import counterfold as cf
    >>> river = cf.spot({"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 40, "oop": "QQ,99",
    ...                  "ip": "JJ,AKs", "bets": ["50%"], "raises": []})
    >>> other = cf.make_agent("uniform", river)
    >>> trainer = Trainer(river, other, ask=lambda seen: seen.actions[0])
    >>> hand = trainer.deal()
    >>> [judged.action for judged in trainer.judged]
    ['check', 'fold']
    """

    def __init__(
        self,
        game: object,
        *others: Agent,
        **seating: Unpack[Seating],
    ) -> None:
        self.strategy: Strategy[PublicTree] | None = None
        self._browser: Browser | None = None
        strategy = _strategy_for_all_hands(others[0]) if len(others) == 1 else None
        grid = strategy is not None and strategy.tree.game.rules.hole == 2
        rules = rules_of(game)
        if strategy and grid and isinstance(rules, PokerRules) and rules.betting.zero_sum:
            self.strategy = strategy
            self._browser = Browser(strategy)
            self._base = list(values(strategy))
        self.judged: list[Judgement] = []
        self._number = -1
        self._told: tuple[tuple[int, Hashable], Told | None] | None = None
        super().__init__(game, *others, **seating)

    @property
    def takes_luck_out(self) -> bool:
        return self._browser is not None or super().takes_luck_out

    @property
    def judges(self) -> bool:
        """Whether the worth of decisions is known."""
        by_agent = callable(getattr(self.agents[1], "judged", None))
        return self._browser is not None or self._insight.advantage.size > 0 or by_agent

    @property
    def doubt(self) -> float:
        """Chips a hand by which the opponent's own strategy is known to be wrong."""
        about = {} if self.strategy is None else self.strategy.about
        return float(about.get("exploitability") or 0.0)

    def deal(self) -> PlayedHand | None:
        self.judged = []  # of a hand without a decision
        return super().deal()

    def judge(self, observation: Observation, action: str) -> Judgement | None:
        """What an action is worth at a decision; None where the opponent never comes there."""
        told = self._by_agent(observation)
        if told is not None:
            odds, worth, doubt = told
            if action not in worth:
                return None
            usual = sum(odds[name] * worth[name] for name in worth)
            state = self.here.betting
            return Judgement(action, worth, usual, sum(state.before) + sum(state.bets), doubt)
        found = self._worth(observation)
        if found is None:
            return None
        worth = found
        if self._browser is None:
            assert self.tree is not None
            return Judgement(action, worth, 0.0, self.tree.largest_payoff)
        odds = self._odds(observation)
        usual = sum(odds[name] * worth[name] for name in worth)
        assert isinstance(self.game, PokerRules)
        pot = float(self.game.betting.paid[self.here[2]].sum())
        return Judgement(action, worth, usual, pot, self.doubt)

    def advice(self, observation: Observation) -> list[Advice]:
        """What the opponent would do in the person's place, and what each action is worth."""
        told = self._by_agent(observation)
        if told is not None:
            return [Advice(self.names[1], *told[:2])]
        if self._browser is None:
            worth = self._worth(observation)
            found = super().advice(observation)
            mine = [one._replace(worth=worth) for one in found if one.who == self.names[1]]
            return [*mine, *(one for one in found if one.who != self.names[1])]
        return [Advice(self.names[1], self._odds(observation), self._worth(observation))]

    def _by_agent(self, observation: Observation) -> Told | None:
        """What an agent who plays whole hands says of a decision itself; it is asked once."""
        tell = getattr(self.agents[1], "judged", None)
        if not callable(tell):
            return None
        here = observation.hand, observation.seen
        if self._told is None or self._told[0] != here:
            self._told = here, tell(observation)
        return self._told[1]

    def _odds(self, observation: Observation) -> dict[str, float]:
        other = self.agents[1]
        assert isinstance(other, StrategyAgent)
        return other.odds(observation)

    def _worth(self, observation: Observation) -> dict[str, float] | None:
        if self._browser is None:
            return self._in_tree(observation)
        assert isinstance(self.game, PokerRules)
        seen = TableView.of(observation.seen)
        hand, line = self.game.hand(seen.hand), seen.line
        values = self._browser.action_values(line)
        worth = {action: float(of[hand]) for action, of in values.items()}
        return worth if np.isfinite(list(worth.values())).all() else None

    def _in_tree(self, observation: Observation) -> dict[str, float] | None:
        """What actions are worth more than the strategy that is known makes on average."""
        if self.tree is None or not self._insight.advantage.size:
            return None
        infosets, player = self.tree.infosets, observation.player
        i = self._places[player, observation.name]
        slots = slice(int(infosets.start[i]), int(infosets.start[i + 1]))
        found = self._insight.advantage[observation.hand % len(self.agents), slots, player]
        return dict(zip(infosets.actions[i], found.tolist(), strict=True))

    @cached_property
    def _places(self) -> dict[tuple[int, str], int]:
        """Infosets by whose they are and their names."""
        assert self.tree is not None
        named = zip(self.tree.infosets.owner.tolist(), self.tree.infosets.labels, strict=True)
        return {pair: i for i, pair in enumerate(named)}

    def _asked(self, observation: Observation) -> Hashable:
        if self._number != observation.hand:
            self._number, self.judged = observation.hand, []
        action = super()._asked(observation)
        if action in observation.actions:
            found = self.judge(observation, str(action))
            if found is not None:
                self.judged.append(found)
        return action

    def _fair(self, hand: PlayedHand, rows: Sequence[Floats | None]) -> Sequence[float]:
        if self._browser is None:
            return super()._fair(hand, rows)
        player = hand.players.index(0)
        edges = self.judged if self._number == hand.number else []
        own = self._base[player] + sum(judged.edge for judged in edges)
        return (own, -own) if player == 0 else (-own, own)


def _strategy_for_all_hands(agent: Agent) -> Strategy[PublicTree] | None:
    """The strategy for all hands of poker that an agent plays throughout; None if it has none."""
    if not isinstance(agent, StrategyAgent):
        return None
    strategy, until = agent.phase(0)
    return strategy if until is None and isinstance(strategy.layout, HandLayout) else None
