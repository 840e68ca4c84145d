"""Sampled CFR for Cheat with many cards: games against oneself, and every move tried out.

A game is played by regret matching. At some decisions every move is tried: the game goes on from
there by regret matching, to its end or for so many turns, and what came of it, or what positions
like the last one were worth in other games, is the move's value. Regrets are of these values.
Infosets come up as often as one's own play reaches them, so that regrets are weighed by that; for
counterfactual regrets they would have to be divided by it, at the price of a large spread.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import cheat, cheat_abstract, cheat_bot
from counterfold.kernels.cheat_abstract import MOVES
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit, subkernel
from counterfold.kernels.rule import accumulate, average, match, weigh

BINS = 32
"""Classes of hand sizes in estimates of what a position is worth."""
PRIOR = 10.0
"""Games for which a first guess by hand sizes counts in them."""
TRIED, ASTRAY = 0.1, 0.02
"""Shares of decisions at which every move is tried, and at which any is played."""


class Tables(NamedTuple):
    """What is learned, by infoset and move, and what positions turned out to be worth."""

    regret: np.ndarray
    total: np.ndarray
    visits: np.ndarray  # [infosets] decisions at which all moves were tried
    worth: np.ndarray  # [players * BINS * BINS, 2] games won and games played from there


class Place(NamedTuple):
    """A game in play: its row, and what its players remember."""

    states: np.ndarray
    memory: cheat_bot.Memory


class Room(NamedTuple):
    """A game, another one for trying moves, and room for one decision."""

    game: Place
    trial: Place
    odds: np.ndarray  # [MOVES]
    value: np.ndarray  # [MOVES]
    random: np.ndarray  # [1] the stream


@inlined
def draw(table, row, moves, random):
    """A move by the positive numbers of a row; any where there is none."""
    total, count = 0.0, 0
    for a in range(MOVES):
        if moves >> a & 1:
            count += 1
            total += weigh(table[row, a])
    left, last = uniform(random), 0
    left *= total if total > 0.0 else count
    for a in range(MOVES):
        if moves >> a & 1:
            part = weigh(table[row, a]) if total > 0.0 else 1.0
            if part > 0.0:
                last = a
                left -= part
                if left < 0.0:
                    return a
    return last


@inlined
def _copy(rules, source, target):
    for c in range(source.states.shape[1]):
        target.states[0, c] = source.states[0, c]
    for p in range(rules.players):
        for r in range(rules.ranks):
            target.memory.pile[p, r] = source.memory.pile[p, r]
            for q in range(rules.players):
                target.memory.known[p, q, r] = source.memory.known[p, q, r]


@inlined
def start(rules, place, random):
    """Deal, and forget the game before."""
    cheat.deal(rules, place.states, 0, random)
    cheat_bot.forget(rules, place.memory)


@inlined
def goes_on(states, until):
    """Is the game in row 0 to be played on, as it is not over nor so many turns long?"""
    return states[0, cheat.PHASE] != cheat.OVER and states[0, cheat.TURNS] < until


@inlined
def _bin(cards):
    if cards < 16:
        return np.int64(cards)
    return min(np.int64(12 + cards // 4), np.int64(BINS - 1))


@inlined
def _cell(rules, states, player):
    """Whose turn it is from a player's seat, its own cards, and the least of the others'."""
    least = cheat_abstract.least(rules, states, 0, player)
    ahead = (player - np.int64(states[0, cheat.DISCARDER])) % rules.players
    own = _bin(cheat.size(states, 0, player))
    return (ahead * BINS + own) * BINS + _bin(least)


@subkernel
def _worth(rules, states, worth, player):
    """A player's share of the game in row 0: all or nothing at the end, an estimate before."""
    if states[0, cheat.PHASE] == cheat.OVER:
        return 1.0 if states[0, cheat.WINNER] == player else 0.0
    total, own = 0.0, 0.0
    for p in range(rules.players):
        part = 1.0 / (2.0 + cheat.size(states, 0, p))
        total += part
        if p == player:
            own = part
    cell = _cell(rules, states, player)
    return (worth[cell, 0] + PRIOR * own / total) / (worth[cell, 1] + PRIOR)


@subkernel
def _play_on(rules, place, table, random, until):
    """Regret matching to the end, or until so many turns are over."""
    while goes_on(place.states, until):
        row, moves = cheat_abstract.look(rules, place.memory, place.states, 0)
        chosen = draw(table, row, moves, random)
        cheat_abstract.move(rules, place.memory, place.states, 0, chosen)


@jit
def watch(rules, room, table, worth, seen, games):
    """Play games by a table and count how positions ended; ``seen`` has room for a game."""
    place = room.game
    for _ in range(games):
        start(rules, place, room.random)
        turns = 0
        while goes_on(place.states, seen.shape[0]):
            for p in range(rules.players):
                seen[turns, p] = _cell(rules, place.states, p)
            turns += 1
            _play_on(rules, place, table, room.random, turns)
        over = place.states[0, cheat.PHASE] == cheat.OVER
        for turn in range(turns):
            for p in range(rules.players):
                won = 1.0 / rules.players
                if over:
                    won = 1.0 if place.states[0, cheat.WINNER] == p else 0.0
                worth[seen[turn, p], 0] += won
                worth[seen[turn, p], 1] += 1.0


@inlined
def _try_all(rules, room, tables, row, moves, horizon, weight):
    """Every move once; regrets from what came of it."""
    player = np.int64(room.game.states[0, cheat.MOVER])
    until = room.game.states[0, cheat.TURNS] + horizon
    mean = 0.0
    for a in range(MOVES):
        if moves >> a & 1:
            _copy(rules, room.game, room.trial)
            cheat_abstract.move(rules, room.trial.memory, room.trial.states, 0, a)
            _play_on(rules, room.trial, tables.regret, room.random, until)
            room.value[a] = _worth(rules, room.trial.states, tables.worth, player)
            mean += room.odds[a] * room.value[a]
    for a in range(MOVES):
        if moves >> a & 1:
            new = weight * (room.value[a] - mean)
            tables.regret[row, a] = accumulate(tables.regret[row, a], new, 1.0, 1.0, -np.inf)
    tables.visits[row] += 1.0


@inlined
def _match(room, tables, row, moves, weight):
    """Regret matching into ``room.odds``, and into the average."""
    total, count = 0.0, 0
    for a in range(MOVES):
        if moves >> a & 1:
            count += 1
            total += weigh(tables.regret[row, a])
    for a in range(MOVES):
        if moves >> a & 1:
            room.odds[a] = match(weigh(tables.regret[row, a]), total, 1.0 / count)
            tables.total[row, a] = average(tables.total[row, a], 1.0, weight * room.odds[a])


@jit
def train(rules, room, tables, games, longest, horizon, weight, averaged):
    """Games against oneself, in which every move is tried at a share ``TRIED`` of the decisions.

    With chance ``ASTRAY`` any move is played in the game itself, so that no infoset is left out.
    ``weight`` is that of new regrets, ``averaged`` that of the strategy in the average.
    """
    game = room.game
    for _ in range(games):
        start(rules, game, room.random)
        while goes_on(game.states, longest):
            row, moves = cheat_abstract.look(rules, game.memory, game.states, 0)
            chosen = draw(tables.regret, row, moves, room.random)
            if moves & (moves - 1):
                _match(room, tables, row, moves, averaged)
                if uniform(room.random) < TRIED:
                    _try_all(rules, room, tables, row, moves, horizon, weight)
                if uniform(room.random) < ASTRAY:
                    other = int(uniform(room.random) * MOVES)
                    if moves >> other & 1:
                        chosen = other
            cheat_abstract.move(rules, game.memory, game.states, 0, chosen)
