"""Games of Cheat between bots, strategies over the abstraction, and those learned by deals."""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import cheat, cheat_abstract, cheat_bot, cheat_views
from counterfold.kernels.cheat_sampling import Place, draw, goes_on, start
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit

RANDOM, HEURISTIC, LEARNED = -1, -2, -3
"""Agents; a strategy over the abstraction is told by the first of its rows in the table."""


class Table(NamedTuple):
    """Who plays, and room for the game."""

    agents: np.ndarray  # [players] RANDOM, HEURISTIC, LEARNED or the first row of a strategy
    strategy: np.ndarray  # [rows, moves] strategies over the abstraction, one after the other
    lots: np.ndarray  # all discards, see ``cheat.lots``
    fit: np.ndarray  # [1, lots] those that can be made
    place: Place
    past: cheat_views.Past  # as long as a game may be, if anybody has learned by what it tells
    random: np.ndarray  # [1] the stream of all choices and deals


class Learned(NamedTuple):
    """What was learned deal by deal."""

    sight: cheat_views.View  # how infosets are told apart
    index: cheat_views.Index
    total: np.ndarray  # strategies, summed up


@inlined
def _learned(rules, learned, table, count):
    """Draw from the average strategy; evenly where nothing was learned."""
    view, random, states = learned.sight, table.random, table.place.states
    wanted = cheat_views.key(rules, view, view.horizon, table.past, states, 0)
    row = cheat_views.find(learned.index, wanted)
    if row < 0 and view.carried > 0:
        wanted = cheat_views.key(rules, view, view.carried, table.past, states, 0)
        row = cheat_views.find(learned.index, wanted)
    first = np.int64(learned.index.start[row]) if row >= 0 else np.int64(0)
    weight = 0.0
    if row >= 0:
        for a in range(count):
            weight += learned.total[first + a]
    if weight <= 0:
        return int(uniform(random) * count)
    left = uniform(random) * weight
    last = 0
    for a in range(count):
        if learned.total[first + a] > 0:
            last = a
            left -= learned.total[first + a]
            if left < 0:
                return a
    return last


@inlined
def _discard(rules, learned, table, agent):
    """Whoever discards does so; a strategy by the rules of its abstraction."""
    states, memory = table.place.states, table.place.memory
    if agent == HEURISTIC:
        cheat_bot.lay(rules, memory, states, 0)
        return
    count = cheat.list_lots(rules, states, 0, table.lots, table.fit)
    if agent == RANDOM:
        chosen = int(uniform(table.random) * count)
    else:
        chosen = _learned(rules, learned, table, count)
    cheat.lay_lot(rules, states, 0, table.lots, table.fit[0, chosen])


@inlined
def _challenges(rules, learned, table, agent):
    """Does whoever is asked challenge?"""
    if agent == HEURISTIC:
        return not cheat_bot.passes(rules, table.place.memory, table.place.states, 0)
    if agent == RANDOM:
        return uniform(table.random) < 0.5
    return _learned(rules, learned, table, 2) == 1


@jit
def play(rules, table, learned, games, longest, won):
    """Games in each of which agents sit one seat further back; gives the turns of all of them.

    ``won`` counts games by agent, and in its last place those that were not over after
    ``longest`` turns.
    """
    states, memory, turns = table.place.states, table.place.memory, 0
    for number in range(games):
        start(rules, table.place, table.random)
        while goes_on(states, longest):
            agent = table.agents[(np.int64(states[0, cheat.MOVER]) + number) % rules.players]
            answers = states[0, cheat.PHASE] == cheat.ANSWER
            if agent >= 0:
                row, moves = cheat_abstract.look(rules, memory, states, 0)
                chosen = draw(table.strategy, agent + row, moves, table.random)
                cheat_abstract.move(rules, memory, states, 0, chosen)
            elif answers:
                challenged = _challenges(rules, learned, table, agent)
                cheat_views.remember(rules, learned.sight, table.past, states, 0, challenged)
                cheat_abstract.move(rules, memory, states, 0, 1 if challenged else 0)
            else:
                _discard(rules, learned, table, agent)
        turns += np.int64(states[0, cheat.TURNS])
        winner = np.int64(states[0, cheat.WINNER])
        if winner < 0 and states[0, cheat.LOSER] >= 0:  # of two players
            winner = 1 - np.int64(states[0, cheat.LOSER])
        won[(winner + number) % rules.players if winner >= 0 else rules.players] += 1
    return turns
