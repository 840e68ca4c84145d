"""The heuristic bot of Cheat in compiled code, for any number of players.

The same rules as ``play.bots``, card by card: what is remembered, what is discarded, and when a
claim is challenged. One memory serves every seat.
"""

from math import comb
from typing import NamedTuple

import numpy as np

from counterfold.kernels import cheat
from counterfold.kernels.jit import inlined


class Memory(NamedTuple):
    """What each player (first index) knows of where cards are, and two tables to reckon with."""

    known: np.ndarray  # [players, players, ranks] cards that another is known to hold
    pile: np.ndarray  # [players, ranks] own discards on the pile
    until: np.ndarray  # [ranks] own turns until the rank so many steps ahead comes again
    ways: np.ndarray  # [cards + 1, cards + 1] how many ways there are to choose so many of so many


def new_memory(rules: cheat.Rules) -> Memory:
    """A memory of nothing, for games by these rules."""
    cards = rules.ranks * rules.copies
    until = [
        next(
            (n for n in range(1, rules.ranks + 1) if n * rules.players % rules.ranks == steps),
            rules.ranks,
        )
        for steps in range(rules.ranks)
    ]
    return Memory(
        np.zeros((rules.players, rules.players, rules.ranks), np.int64),
        np.zeros((rules.players, rules.ranks), np.int64),
        np.array(until, np.int64),
        np.array([[float(comb(n, k)) for k in range(cards + 1)] for n in range(cards + 1)]),
    )


@inlined
def forget(rules, memory):
    """A new game begins."""
    for p in range(rules.players):
        for r in range(rules.ranks):
            memory.pile[p, r] = 0
            for other in range(rules.players):
                memory.known[p, other, r] = 0


@inlined
def note(rules, memory, states, k, challenged):
    """Everybody remembers how the round in row k ends, before its last answer is carried out."""
    who, count = np.int64(states[k, cheat.DISCARDER]), np.int64(states[k, cheat.CLAIM])
    takes = who if cheat.lied(rules, states, k) else np.int64(states[k, cheat.MOVER])
    for p in range(rules.players):
        if p != who:
            held = 0
            for r in range(rules.ranks):
                gone = count if r == states[k, cheat.RANK] else 0
                if challenged:
                    gone = cheat.held(rules, states, k, rules.players + 1, r)
                memory.known[p, who, r] -= min(memory.known[p, who, r], gone)
                held += memory.known[p, who, r]
            if held > cheat.size(states, k, who):
                for r in range(rules.ranks):
                    memory.known[p, who, r] = 0
        for r in range(rules.ranks):
            laid = cheat.held(rules, states, k, rules.players + 1, r)
            if challenged:
                if takes != p:
                    memory.known[p, takes, r] += laid + memory.pile[p, r]
                memory.pile[p, r] = 0
            elif p == who:
                memory.pile[p, r] += laid


@inlined
def share(ways, hidden, good, drawn, needed):
    """The chance that of so many hidden cards, some of them good, those drawn hold enough."""
    hidden = max(hidden, 0)
    good, drawn = min(max(good, 0), hidden), min(max(drawn, 0), hidden)
    if needed <= 0:
        return 1.0
    found = 0.0
    for n in range(needed, min(good, drawn) + 1):
        if drawn - n <= hidden - good:
            found += ways[good, n] * ways[hidden - good, drawn - n]
    return found / ways[hidden, drawn]


@inlined
def belief(rules, memory, states, k):
    """How likely the claim in row k is to be possible, as its answerer sees it."""
    player, who = np.int64(states[k, cheat.MOVER]), np.int64(states[k, cheat.DISCARDER])
    rank, count = np.int64(states[k, cheat.RANK]), np.int64(states[k, cheat.CLAIM])
    hidden = rules.ranks * rules.copies - cheat.size(states, k, player)
    good = rules.copies - cheat.held(rules, states, k, player, rank) - memory.pile[player, rank]
    drawn = cheat.size(states, k, who) + count
    for r in range(rules.ranks):
        hidden -= memory.pile[player, r]
        drawn -= memory.known[player, who, r]
        for p in range(rules.players):
            if p != player:
                hidden -= memory.known[player, p, r]
    for p in range(rules.players):
        if p != player:
            good -= memory.known[player, p, rank]
    needed = count - memory.known[player, who, rank]
    return share(memory.ways, hidden, good, drawn, needed)


@inlined
def passes(rules, memory, states, k):
    """Does whoever is asked in row k let the claim pass?"""
    last = cheat.size(states, k, states[k, cheat.DISCARDER]) == 0
    return not last and belief(rules, memory, states, k) >= 0.5


@inlined
def discard(rules, memory, states, k):
    """The rank of the cards to lay in row k; all that may be laid if it is the current one."""
    who, rank = states[k, cheat.DISCARDER], np.int64(states[k, cheat.RANK])
    best = 0
    for steps in range(rules.ranks):
        if cheat.held(rules, states, k, who, cheat.ahead(rules, rank, steps)) > 0:
            if steps == 0:
                return rank
            if best == 0 or memory.until[steps] > memory.until[best]:
                best = steps
    return cheat.ahead(rules, rank, best)


@inlined
def lay(rules, memory, states, k):
    """Carry out the bot's discard in row k."""
    who, rank = states[k, cheat.DISCARDER], discard(rules, memory, states, k)
    count = np.int64(1)
    if rank == states[k, cheat.RANK]:
        count = min(cheat.held(rules, states, k, who, rank), np.int64(rules.most))
    cheat.lay(rules, states, k, rank, count)
    cheat.claim(rules, states, k)
