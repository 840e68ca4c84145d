"""How often an agent wins: hands at a table in Python, for games that cannot be compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from counterfold.agent import Agent
from counterfold.errors import ParameterError
from counterfold.games.base import Game
from counterfold.games.spec import whole
from counterfold.intervals import wilson
from counterfold.play.dealer import Dealer, deal_seed
from counterfold.play.table import Table
from counterfold.tree.rules import players_of


@dataclass(frozen=True)
class WinRate:
    """How many hands were won; a draw is half a win. ``low`` and ``high`` are Wilson's 95%.

    >>> rate = WinRate("heuristic", hands=100, wins=60.0, draws=0)
    >>> rate.share, round(rate.low, 3), round(rate.high, 3)
    (0.6, 0.502, 0.691)
    """

    against: str
    hands: int
    wins: float
    draws: int

    @property
    def share(self) -> float:
        return self.wins / self.hands

    @property
    def low(self) -> float:
        return wilson(self.share, self.hands)[0]

    @property
    def high(self) -> float:
        return wilson(self.share, self.hands)[1]

    def to_dict(self) -> dict[str, object]:
        return {
            "against": self.against, "hands": self.hands, "share": self.share,
            "low": self.low, "high": self.high, "draws": self.draws,
        }  # fmt: skip


def win_rate(
    game: Game,
    agent: Agent,
    other: Callable[[], Agent],
    hands: int = 1_000,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> WinRate:
    """Let an agent play against others of one kind, as every player in turn.

    A hand is won by the one payoff that is highest, and drawn if all are equal; where several
    share the best payoff they share the win.

    >>> from counterfold.games.cheat import Cheat
    >>> from counterfold.play.bots import Heuristic, Random
    >>> win_rate(Cheat(), Heuristic(), Random, hands=200, seed=1).low > 0.7
    True
    """
    whole("hands", hands, least=1)
    players = players_of(game)
    agents = [agent, *(other() for _ in range(players - 1))]
    for one in agents:
        if hasattr(one, "begin"):
            one.begin(game)
    table = Table(game, agents)
    rngs = [np.random.default_rng([seed, g]) for g in range(players)]
    wins, draws = 0.0, 0
    for number in range(hands):
        if on_progress is not None and number % 64 == 0:
            on_progress(number, hands)
        hand = table.play(number, Dealer(deal_seed(seed), number), rngs)
        if hand.fault is not None:
            who = getattr(agents[hand.fault.agent], "name", "an agent")
            raise ParameterError(f"{who} {hand.fault.message}")
        best = max(hand.payoffs)
        winners = [g for player, g in enumerate(hand.players) if hand.payoffs[player] == best]
        wins += (0 in winners) / len(winners)
        draws += len(winners) == players
    return WinRate(str(getattr(agents[1], "name", "")), hands, wins, draws)
