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
    who, rank = cheat.discarder(rules, states, k), cheat.current_rank(rules, states, k)
    count, size = cheat.claimed(rules, states, k), cheat.hand_size(rules, states, k, who)
    lie = cheat.lied(rules, states, k)
    takes = who if lie else cheat.mover(rules, states, k)
    for p in range(rules.players):
        if p != who:
            held = 0
            for r in range(rules.ranks):
                gone = count if r == rank else 0
                if challenged:
                    gone = np.int64(states[k, cheat.laid_column(rules, r)])
                memory.known[p, who, r] -= min(memory.known[p, who, r], gone)
                held += memory.known[p, who, r]
            if held > size:
                for r in range(rules.ranks):
                    memory.known[p, who, r] = 0
        for r in range(rules.ranks):
            laid = np.int64(states[k, cheat.laid_column(rules, r)])
            if challenged:
                if takes != p:
                    memory.known[p, takes, r] += laid + memory.pile[p, r]
                memory.pile[p, r] = 0
            elif p == who:
                memory.pile[p, r] += laid


@inlined
def passes(rules, memory, states, k):
    """Does whoever is asked in row k let the claim pass?"""
    seat, who = cheat.mover(rules, states, k), cheat.discarder(rules, states, k)
    count, left = cheat.claimed(rules, states, k), cheat.hand_size(rules, states, k, who)
    if left == 0:
        return False
    rank = cheat.current_rank(rules, states, k)
    hidden = rules.ranks * rules.copies - cheat.hand_size(rules, states, k, seat)
    of_rank = rules.copies - cheat.in_hand(rules, states, k, seat, rank)
    unknown = left + count
    for r in range(rules.ranks):
        hidden -= memory.pile[seat, r]
        unknown -= memory.known[seat, who, r]
        for p in range(rules.players):
            if p != seat:
                hidden -= memory.known[seat, p, r]
    of_rank -= memory.pile[seat, rank]
    for p in range(rules.players):
        if p != seat:
            of_rank -= memory.known[seat, p, rank]
    hidden = max(hidden, 0)
    of_rank = min(max(of_rank, 0), hidden)
    drawn = min(unknown, hidden)
    needed = max(count - memory.known[seat, who, rank], 0)
    good = 0.0
    for n in range(needed, min(of_rank, drawn) + 1):
        if drawn - n <= hidden - of_rank:
            good += memory.ways[of_rank, n] * memory.ways[hidden - of_rank, drawn - n]
    return 2.0 * good >= memory.ways[hidden, drawn]


@inlined
def discard(rules, memory, states, k):
    """The rank of the cards to lay in row k; all that may be laid if it is the current one."""
    who, rank = cheat.discarder(rules, states, k), cheat.current_rank(rules, states, k)
    best = -1
    for steps in range(rules.ranks):
        held = cheat.in_hand(rules, states, k, who, cheat.ahead(rules, rank, steps))
        if held > 0:
            if steps == 0:
                return rank
            if best < 0 or memory.until[steps] > memory.until[best]:
                best = steps
    return cheat.ahead(rules, rank, best)


@inlined
def lay(rules, memory, states, k):
    """Carry out the bot's discard in row k."""
    who, rank = cheat.discarder(rules, states, k), discard(rules, memory, states, k)
    count = np.int64(1)
    if rank == cheat.current_rank(rules, states, k):
        count = min(cheat.in_hand(rules, states, k, who, rank), np.int64(rules.most))
    cheat.lay(rules, states, k, rank, count)
    cheat.claim(rules, states, k)
