"""Win rates in two-player Cheat: what was learned deal by deal, and bots, in compiled games."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterfold.abstraction.deals import Learned, Lens, longest, nothing_learned, rules_of
from counterfold.errors import ParameterError
from counterfold.games.spec import whole

__all__ = ["BOTS", "Duel", "duel"]

BOTS = ("random", "heuristic")
MOST_TURNS = 20_000


@dataclass(frozen=True)
class Duel:
    """Games between two agents who change seats from game to game."""

    games: int
    wins: int  # of the first agent
    losses: int
    turns: int  # of all games together

    @property
    def rate(self) -> float:
        """The share of games that the first agent won; unfinished ones count half."""
        return (self.wins + 0.5 * (self.games - self.wins - self.losses)) / self.games

    @property
    def margin(self) -> float:
        """Half the width of the rate's 95% interval."""
        return 1.96 * math.sqrt(max(self.rate * (1 - self.rate), 0.0) / self.games)


def duel(
    game: Any, first: Learned | str, second: Learned | str, games: int = 10_000, seed: int = 0
) -> Duel:
    """Let two agents play: a bot by its name, or what a ``DealSolver`` has learned.

    Only one of them may be learned. It answers infosets that it has never met by chance, and
    health points beyond those it was trained with as the highest it knows.

    >>> from counterfold.games.cheat import Cheat
    >>> duel(Cheat(), "heuristic", "random", games=1000).rate > 0.7
    True
    """
    from counterfold.kernels import cheat, cheat_bot, cheat_match, cheat_views

    rules = rules_of(game)
    whole("games", games, least=1)
    kinds, learned = [], None
    for one in (first, second):
        if isinstance(one, str):
            if one not in BOTS:
                raise ParameterError(f"there is no bot {one!r}; there are {', '.join(BOTS)}")
            kinds.append(BOTS.index(one))
        else:
            if learned is not None:
                raise ParameterError("only one of the two agents may be a learned one")
            learned = one
            kinds.append(cheat_match.LEARNED)
    learned = learned or nothing_learned(Lens("memoryless").kernel(rules.health))
    table = cheat.lots(rules.ranks, rules.copies, rules.most)
    rounds = min(longest(rules) + 2, MOST_TURNS)
    past = cheat_views.Past(*(np.zeros((rounds, 2), np.uint64) for _ in range(2)))
    seats = cheat_match.Seats(
        np.array(kinds, np.int64),
        np.zeros(len(table), np.int64),
        cheat.new_states(rules, 1),
        np.array([whole("seed", seed, least=0)], np.uint64),
    )
    won = np.zeros(3, np.int64)
    cheat_match.play(
        rules, learned.view, table, past, learned.index, learned.tables.total,
        cheat_bot.new_memory(rules), seats, games, won,
    )  # fmt: skip
    return Duel(games, *won.tolist())
