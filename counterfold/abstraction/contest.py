"""Contests at Cheat: strategies and bots in compiled games, and what they won."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.deal_form import DealForm, index_of, rules_of
from counterfold.abstraction.horizon_form import HorizonLayout, original
from counterfold.errors import MismatchError, ParameterError
from counterfold.files.text import Json
from counterfold.games.cheat import Cheat
from counterfold.games.spec import whole
from counterfold.intervals import Z95, wilson
from counterfold.strategy.strategy import AnyStrategy, Strategy

if TYPE_CHECKING:
    from counterfold.kernels.cheat_play import Learned

BOTS = ("random", "heuristic")
LONGEST = 2_000
"""Turns after which a game is given up."""


@dataclass(frozen=True)
class Contest:
    """Games between agents who change seats from game to game.

    A game that was not over after ``LONGEST`` turns counts as a fair share for everybody.
    """

    agents: tuple[str, ...]
    games: int
    wins: tuple[int, ...]
    unfinished: int
    turns: int  # of all games together

    @property
    def fair(self) -> float:
        """What an agent as good as the others wins."""
        return 1 / len(self.agents)

    @property
    def rate(self) -> float:
        """The share of games that the first agent won."""
        return (self.wins[0] + self.unfinished * self.fair) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The rate's 95% interval (Wilson's)."""
        low, high = wilson(self.rate, self.games)
        return max(low, 0.0), min(high, 1.0)

    @property
    def margin(self) -> float:
        """Half the width of the rate's 95% interval (the usual one)."""
        return Z95 * math.sqrt(max(self.rate * (1 - self.rate), 0.0) / self.games)

    def to_dict(self) -> Json:
        low, high = self.interval
        return {
            "agents": list(self.agents),
            "games": self.games,
            "wins": list(self.wins),
            "unfinished": self.unfinished,
            "rate": self.rate,
            "low": low,
            "high": high,
            "fair": self.fair,
            "turns": self.turns / self.games,
        }


def contest(
    game: Cheat,
    *agents: Strategy | str,
    games: int = 10_000,
    seed: int = 0,
    longest: int = LONGEST,
) -> Contest:
    """Let as many agents play as a game of Cheat has players.

    An agent is a bot by its name, a strategy of the original Cheat, or one that was found deal by
    deal in a variant of the game: there may be one of those, which plays by chance where it has
    learned nothing, and answers health points beyond its own as the highest it knows.

    >>> contest(original(), "heuristic", "random", games=200).rate > 0.9
    True
    >>> contest(Cheat(), "heuristic", "random", games=1000).rate > 0.7
    True
    """
    from counterfold.kernels import cheat, cheat_abstract, cheat_bot, cheat_play, cheat_views
    from counterfold.kernels.cheat_sampling import Place

    rules = rules_of(game)
    whole("games", games, least=1)
    whole("longest", longest, least=1, most=30_000)
    if len(agents) != rules.players:
        raise ParameterError(f"{game} has {rules.players} players, and not {len(agents)}")
    kinds, tables, deals = _kinds(game, agents)
    lots, moves = cheat.lots(rules), cheat_abstract.MOVES
    room = longest + 1 if deals is not None else 1
    table = cheat_play.Table(
        np.array(kinds, np.int64),
        np.concatenate(tables) if tables else np.zeros((1, moves), np.float32),
        lots,
        np.zeros((1, len(lots)), np.int64),
        Place(cheat.new_states(rules, 1), cheat_bot.new_memory(rules)),
        cheat_views.Past(*np.zeros((2, room, 2), np.uint64)),
        np.random.SeedSequence(whole("seed", seed, least=0)).generate_state(1, np.uint64),
    )
    won = np.zeros(rules.players + 1, np.int64)
    turns = cheat_play.play(rules, table, _learned(deals), games, longest, won)
    *wins, unfinished = won.tolist()
    names = (agent if isinstance(agent, str) else "strategy" for agent in agents)
    return Contest(tuple(names), games, tuple(wins), unfinished, int(turns))


def _kinds(
    game: Cheat, agents: Sequence[AnyStrategy | str]
) -> tuple[list[int], list[NDArray[np.float32]], Strategy[DealForm] | None]:
    """How compiled code knows each agent, the tables of strategies, and what learned by deals."""
    from counterfold.kernels import cheat_abstract, cheat_play

    kinds: list[int] = []
    tables: list[NDArray[np.float32]] = []
    deals: Strategy[DealForm] | None = None
    for agent in agents:
        if isinstance(agent, Strategy) and isinstance(agent.layout, HorizonLayout):
            if rules_of(game) != rules_of(original(agent.players)):
                raise MismatchError(f"a strategy of {agent.spec} cannot play {game}")
            kinds.append(len(tables) * cheat_abstract.ROWS)
            tables.append(agent.tables[0])
        elif isinstance(agent, Strategy):
            if deals is not None:
                raise ParameterError("only one of the agents may be one that learned deal by deal")
            deals = agent
            kinds.append(cheat_play.LEARNED)
        elif agent in BOTS:
            kinds.append((cheat_play.RANDOM, cheat_play.HEURISTIC)[BOTS.index(agent)])
        else:
            raise ParameterError(f"there is no bot {agent!r}; there are {', '.join(BOTS)}")
    return kinds, tables, deals


def _learned(strategy: Strategy[DealForm] | None) -> Learned:
    """What was found deal by deal, for compiled code."""
    from counterfold.kernels.cheat_play import Learned

    if strategy is None:
        strategy = Strategy.uniform(DealForm(Cheat(view="memoryless")))
    keys, start, weights, horizons = strategy.tables
    return Learned(strategy.tree.view(horizons), index_of(keys, start), weights.astype(np.float64))
