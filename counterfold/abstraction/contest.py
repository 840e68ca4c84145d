"""Contests at the original Cheat: strategies and bots in compiled games, and what they won."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterfold.abstraction.large import LargeStrategy, rules_of
from counterfold.errors import MismatchError, ParameterError
from counterfold.games.spec import whole

__all__ = ["BOTS", "LONGEST", "Contest", "contest"]

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
        n, p, z = self.games, self.rate, 1.959963984540054
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(middle - half, 0.0), min(middle + half, 1.0)

    def to_dict(self) -> dict[str, Any]:
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
    *agents: LargeStrategy | str, games: int = 10_000, seed: int = 0, longest: int = LONGEST
) -> Contest:
    """Let two or more agents play: strategies, or bots by their names.

    >>> contest("heuristic", "random", games=200).rate > 0.9
    True
    """
    from counterfold.kernels import cheat, cheat_abstract, cheat_bot, cheat_contest
    from counterfold.kernels.cheat_sampling import Place

    players = len(agents)
    rules = rules_of(players)
    whole("games", games, least=1)
    whole("longest", longest, least=1, most=30_000)
    kinds: list[int] = []
    tables: list[Any] = []
    names: list[str] = []
    for agent in agents:
        if isinstance(agent, LargeStrategy):
            if agent.players != players:
                raise MismatchError(
                    f"a strategy for {agent.players} players cannot play with {players}"
                )
            kinds.append(len(tables) * cheat_abstract.ROWS)
            tables.append(agent.probabilities)
            names.append("strategy")
        elif agent in BOTS:
            kinds.append((cheat_contest.RANDOM, cheat_contest.HEURISTIC)[BOTS.index(agent)])
            names.append(agent)
        else:
            raise ParameterError(f"there is no bot {agent!r}; there are {', '.join(BOTS)}")
    table = np.concatenate(tables) if tables else np.zeros((1, cheat_abstract.MOVES), np.float32)
    lots = cheat.lots(rules.ranks, rules.copies, rules.most)
    seats = cheat_contest.Seats(
        np.array(kinds, np.int64),
        lots,
        np.zeros(len(lots), np.int64),
        Place(cheat.new_states(rules, 1), cheat_bot.new_memory(rules)),
        np.random.SeedSequence(whole("seed", seed, least=0)).generate_state(1, np.uint64),
    )
    won = np.zeros(players + 1, np.int64)
    turns = cheat_contest.play(rules, seats, table, 0, games, longest, won)
    *wins, unfinished = won.tolist()
    return Contest(tuple(names), games, tuple(wins), unfinished, int(turns))
