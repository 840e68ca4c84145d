"""Games of Cheat with many cards between strategies and bots, played in compiled code."""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import cheat, cheat_abstract, cheat_bot
from counterfold.kernels.cheat_sampling import Place, draw, start
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit, subkernel

RANDOM, HEURISTIC = -1, -2
"""Bots; a strategy is told by the first of its rows in the table."""


class Seats(NamedTuple):
    """Who plays, and room for the game."""

    kinds: np.ndarray  # [players] a bot, or the first row of a strategy
    lots: np.ndarray  # all discards, see ``cheat.lots``
    fit: np.ndarray  # [lots] those that can be made
    place: Place
    random: np.ndarray  # [1] the stream of all choices and deals


@inlined
def _answer(rules, place, challenges):
    cheat_abstract.move(rules, place.memory, place.states, 0, 1 if challenges else 0)


@subkernel
def _by_chance(rules, seats):
    """Any of all discards, or of the two answers, with equal chance."""
    states = seats.place.states
    if cheat.phase(rules, states, 0) == cheat.ANSWER:
        _answer(rules, seats.place, uniform(seats.random) < 0.5)
        return
    count = 0
    for lot in range(seats.lots.shape[0]):
        if cheat.has_lot(rules, states, 0, seats.lots, lot):
            seats.fit[count] = lot
            count += 1
    lot = seats.fit[int(uniform(seats.random) * count)]
    cheat.lay_lot(rules, states, 0, seats.lots, lot)


@subkernel
def _by_heart(rules, place):
    """The heuristic bot."""
    if cheat.phase(rules, place.states, 0) == cheat.ANSWER:
        _answer(rules, place, not cheat_bot.passes(rules, place.memory, place.states, 0))
    else:
        cheat_bot.lay(rules, place.memory, place.states, 0)


@jit
def play(rules, seats, table, first, games, longest, won):
    """Games from the number ``first`` on; agents sit one seat further back in each of them.

    ``won`` counts games by agent, and in its last place those that were not over after
    ``longest`` turns. Gives the turns of all games.
    """
    place, turns = seats.place, 0
    for number in range(first, first + games):
        start(rules, place, seats.random)
        while (
            cheat.phase(rules, place.states, 0) != cheat.OVER
            and cheat.turns(rules, place.states, 0) < longest
        ):
            agent = (cheat.mover(rules, place.states, 0) + number) % rules.players
            if seats.kinds[agent] == RANDOM:
                _by_chance(rules, seats)
            elif seats.kinds[agent] == HEURISTIC:
                _by_heart(rules, place)
            else:
                row, moves = cheat_abstract.look(rules, place.memory, place.states, 0)
                chosen = draw(table, seats.kinds[agent] + row, moves, seats.random)
                cheat_abstract.move(rules, place.memory, place.states, 0, chosen)
        turns += cheat.turns(rules, place.states, 0)
        if cheat.phase(rules, place.states, 0) == cheat.OVER:
            won[(cheat.winner(rules, place.states, 0) + number) % rules.players] += 1
        else:
            won[rules.players] += 1
    return turns
