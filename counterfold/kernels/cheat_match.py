"""Games of two-player Cheat between learned tables and bots, played in compiled code."""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import cheat, cheat_bot, cheat_views
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit

RANDOM, HEURISTIC, LEARNED = 0, 1, 2
"""Who sits in a seat."""


class Seats(NamedTuple):
    """Two agents, and room for the game that they play."""

    kind: np.ndarray  # [2] by agent
    lot: np.ndarray  # [lots] discards that can be made
    states: np.ndarray  # [1, width]
    random: np.ndarray  # [1] the stream of all choices and deals


@inlined
def _learned(rules, view, past, index, total, states, count, random):
    """Draw from the average strategy; evenly where nothing was learned."""
    wanted = cheat_views.key(rules, view, view.horizon, past, states, 0)
    row = cheat_views.find(index, wanted)
    if row < 0 and view.carried > 0:
        wanted = cheat_views.key(rules, view, view.carried, past, states, 0)
        row = cheat_views.find(index, wanted)
    if row < 0:
        return int(uniform(random) * count)
    first = np.int64(index.start[row])
    weight = 0.0
    for a in range(count):
        weight += total[first + a]
    if weight <= 0:
        return int(uniform(random) * count)
    left = uniform(random) * weight
    last = 0
    for a in range(count):
        if total[first + a] > 0:
            last = a
            left -= total[first + a]
            if left < 0:
                return a
    return last


@inlined
def _discard(rules, view, table, past, index, total, memory, seats, kind):
    """Whoever discards in row 0 does so."""
    states = seats.states
    if kind == HEURISTIC:
        cheat_bot.lay(rules, memory, states, 0)
        return
    count = 0
    for lot in range(table.shape[0]):
        if cheat.has_lot(rules, states, 0, table, lot):
            seats.lot[count] = lot
            count += 1
    if kind == RANDOM:
        a = int(uniform(seats.random) * count)
    else:
        a = _learned(rules, view, past, index, total, states, count, seats.random)
    cheat.lay_lot(rules, states, 0, table, seats.lot[a])


@inlined
def _challenges(rules, view, past, index, total, memory, seats, kind):
    """Does whoever is asked in row 0 challenge?"""
    if kind == HEURISTIC:
        return not cheat_bot.passes(rules, memory, seats.states, 0)
    if kind == RANDOM:
        return uniform(seats.random) < 0.5
    return _learned(rules, view, past, index, total, seats.states, 2, seats.random) == 1


@jit
def play(rules, view, table, past, index, total, memory, seats, games, won):
    """Games between the two agents, who change seats; ``won`` counts each one's, and the turns.

    A game that does not end before ``past`` is full is nobody's.
    """
    states = seats.states
    for game in range(games):
        cheat.deal(rules, states, 0, seats.random)
        cheat_bot.forget(rules, memory)
        while cheat.phase(rules, states, 0) != cheat.OVER:
            if cheat.turns(rules, states, 0) + 2 > past.code.shape[0]:
                break
            agent = (cheat.mover(rules, states, 0) + game) % 2
            kind = seats.kind[agent]
            if cheat.phase(rules, states, 0) == cheat.DISCARD:
                _discard(rules, view, table, past, index, total, memory, seats, kind)
                continue
            challenged = _challenges(rules, view, past, index, total, memory, seats, kind)
            cheat_views.remember(rules, view, past, states, 0, challenged)
            cheat_bot.note(rules, memory, states, 0, challenged)
            if challenged:
                cheat.challenge(rules, states, 0)
            else:
                cheat.let_pass(rules, states, 0)
        won[2] += cheat.turns(rules, states, 0)
        if cheat.phase(rules, states, 0) == cheat.OVER:
            seat = 0 if cheat.payoff(rules, states, 0, 0) > 0 else 1
            won[(seat + game) % 2] += 1
