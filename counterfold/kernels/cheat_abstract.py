"""Cheat with many cards made small: what a player looks at, and the few moves it chooses from.

A player looks at its own cards, at what it remembers (``cheat_bot.Memory``, its own row only) and
at what lies open: sizes of hands and pile, the rank, the claim. ``look`` makes the number of an
infoset of that, and a set of moves as bits; ``move`` carries a move out, choosing the cards.
"""

import numpy as np

from counterfold.kernels import cheat, cheat_bot
from counterfold.kernels.jit import inlined, jit

MOVES = 8
ALL, ONE, BUT_ONE, LIE, LIES, MANY, AND_LIE, AND_LIES = range(MOVES)
"""Discards: all cards of the rank, one of them, all but one; one, two or as many others as one
can hope to get away with; all of the rank and one other, or as many."""
PASS, CHALLENGE = 0, 1

OF_SIZE, OF_LEAST, OF_PILE = (2, 3, 4, 5, 7, 10, 15, 21), (2, 4, 7, 13, 21), (1, 3, 6, 11, 19)
OF_DOUBT, OF_ODDS = (0.2, 0.5), (0.25, 0.5, 0.65, 0.85, 1.0)  # where classes begin
SIZES, LEASTS, PILES = len(OF_SIZE) + 1, len(OF_LEAST) + 1, len(OF_PILE) + 1
DOUBTS, ODDS = len(OF_DOUBT) + 1, len(OF_ODDS) + 1
EVEN, CLAIMS, RUNS = 2, 3, 6  # EVEN is the first class of odds that are even or better
DISCARDS = 5 * DOUBTS * 2 * 2 * PILES * SIZES * LEASTS * RUNS
ANSWERS = ODDS * CLAIMS * 2 * 2 * 2 * PILES * LEASTS * SIZES
ROWS = DISCARDS + ANSWERS
"""Infosets: those of who discards, then those of who is asked."""


@inlined
def _class(number, bounds):
    """How many of these bounds a number reaches."""
    found = 0
    for bound in bounds:
        found += number >= bound
    return found


@inlined
def least(rules, states, k, player):
    """The fewest cards that anybody else has."""
    found = np.int64(rules.ranks * rules.copies)
    for p in range(rules.players):
        if p != player:
            found = min(found, cheat.size(states, k, p))
    return found


@inlined
def _standing(rules, memory, states, k, count):
    """How likely a claim of so many must seem to others, as the discarder in row k sees it."""
    who, rank = cheat.turn(states, k)
    size = cheat.size(states, k, who)
    own = cheat.held(rules, states, k, who, rank) + memory.pile[who, rank]
    if rules.players == 2:
        hidden = size
        for r in range(rules.ranks):
            hidden += memory.pile[who, r]
        return cheat_bot.share(memory.ways, hidden, own, size, count)
    # Of the cards of the rank elsewhere, each of the others holds its part.
    after = (who + 1) % rules.players
    other = cheat.size(states, k, after)
    cards = rules.ranks * rules.copies
    held = memory.known[who, after, rank]
    rest = rules.copies - own
    for p in range(rules.players):
        if p != who:
            rest -= memory.known[who, p, rank]
    held += max(rest, 0) * other // max(cards - size, 1)
    return cheat_bot.share(memory.ways, cards - other, rules.copies - held, size, count)


@inlined
def _plausible(rules, memory, states, k):
    """The most cards that can be claimed without being a certain liar."""
    if rules.players > 2:
        return np.int64(rules.most)
    who, rank = cheat.turn(states, k)
    own = cheat.held(rules, states, k, who, rank) + memory.pile[who, rank]
    return min(own, np.int64(rules.most))


@inlined
def _look_discard(rules, memory, states, k):
    who, rank = cheat.turn(states, k)
    size = cheat.size(states, k, who)
    true = cheat.held(rules, states, k, who, rank)
    few = least(rules, states, k, who)
    run, inside, after = 0, 0, rank
    while run < rules.ranks:
        held = cheat.held(rules, states, k, who, after)
        if held == 0:
            break
        run += 1
        inside += held
        after = (after + rules.players) % rules.ranks
    follows = cheat.held(rules, states, k, who, (rank + rules.players) % rules.ranks)
    if inside == size:
        way = min(run, 4) - 1  # honest play to the end, in so many turns
    else:
        way = 4 + min(follows, 1)
    doubt = _class(_standing(rules, memory, states, k, true + 1), OF_DOUBT)
    trusted = 1 if true > 0 and _standing(rules, memory, states, k, true) >= 0.5 else 0
    following = (rank + 1) % rules.ranks
    blocked = cheat.held(rules, states, k, who, following) + memory.pile[who, following]
    row = min(true, 4)
    row = row * DOUBTS + doubt
    row = row * 2 + trusted
    row = row * 2 + (1 if blocked == rules.copies else 0)
    row = row * PILES + _class(states[k, cheat.PILE], OF_PILE)
    row = row * SIZES + _class(size, OF_SIZE)
    row = row * LEASTS + _class(few, OF_LEAST)
    row = row * RUNS + way

    others, limit = size - true, _plausible(rules, memory, states, k)
    moves = 0
    if true > 0:
        moves |= 1 << ALL
    if true > 1:
        moves |= 1 << ONE
    if true > 2:
        moves |= 1 << BUT_ONE
    if limit == 0 or (others >= 1 and limit >= 1):
        moves |= 1 << LIE
    if others >= 2 and limit >= 2:
        moves |= 1 << LIES
    if others >= 3 and (limit >= 3 or limit == 0):
        moves |= 1 << MANY
    if true > 0 and others >= 1 and limit > true:
        moves |= 1 << AND_LIE
    if true > 0 and others >= 2 and limit > true + 1:
        moves |= 1 << AND_LIES
    return row, moves


@inlined
def _look_answer(rules, memory, states, k):
    who, rank = cheat.turn(states, k)
    player, count = np.int64(states[k, cheat.MOVER]), np.int64(states[k, cheat.CLAIM])
    left = cheat.size(states, k, who)
    chance = cheat_bot.belief(rules, memory, states, k)
    ahead = (player - who) % rules.players
    coming = (rank + ahead) % rules.ranks
    ready = cheat.held(rules, states, k, player, coming) > 0
    if rules.players == 2:
        ready = ready or memory.pile[player, coming] > 0
        elsewhere = rules.copies - cheat.held(rules, states, k, player, rank)
        extra = elsewhere - memory.pile[player, rank] > count
    else:
        extra = memory.known[player, who, rank] > 0
    moves = 3
    if left == 0 or chance == 0.0:
        moves = 1 << CHALLENGE
    row = _class(chance, OF_ODDS)
    row = row * CLAIMS + min(count, CLAIMS) - 1
    row = row * 2 + (1 if extra else 0)
    row = row * 2 + (1 if ready else 0)
    row = row * 2 + (1 if ahead == rules.players - 1 else 0)
    row = row * PILES + _class(states[k, cheat.PILE], OF_PILE)
    row = row * LEASTS + _class(left, OF_LEAST)
    row = row * SIZES + _class(cheat.size(states, k, player), OF_SIZE)
    return DISCARDS + row, moves


@jit
def look(rules, memory, states, k):
    """The infoset of whoever is to move in row k, and the moves there as bits."""
    if states[k, cheat.PHASE] == cheat.DISCARD:
        return _look_discard(rules, memory, states, k)
    return _look_answer(rules, memory, states, k)


@inlined
def _lay_others(rules, states, k, count):
    """Lay cards that are not of the current rank: lone ones that would be claimed late."""
    who, rank = cheat.turn(states, k)
    for _ in range(count):
        best, which = -1000, rank
        for turn in range(1, rules.ranks):
            r = (rank + turn * rules.players) % rules.ranks
            held = cheat.held(rules, states, k, who, r)
            if held > 0 and r != rank and 2 * turn - 3 * held > best:
                best, which = 2 * turn - 3 * held, r
        cheat.lay(rules, states, k, which, 1)


@jit
def move(rules, memory, states, k, chosen):
    """Carry out a move of ``look`` in row k, and remember what everybody saw."""
    if states[k, cheat.PHASE] == cheat.ANSWER:
        challenged = chosen == CHALLENGE
        last = (states[k, cheat.MOVER] + 1) % rules.players == states[k, cheat.DISCARDER]
        if challenged or last:
            cheat_bot.note(rules, memory, states, k, challenged)
        cheat.answer(rules, states, k, challenged)
        return
    who, rank = cheat.turn(states, k)
    true = cheat.held(rules, states, k, who, rank)
    others = cheat.size(states, k, who) - true
    limit = _plausible(rules, memory, states, k)
    if limit == 0:
        limit = np.int64(rules.most)
    if chosen == ALL or chosen >= AND_LIE:
        honest = true
    elif chosen == ONE:
        honest = np.int64(1)
    elif chosen == BUT_ONE:
        honest = true - 1
    else:
        honest = np.int64(0)
    lies = np.int64(0)
    if chosen in (LIE, AND_LIE):
        lies = np.int64(1)
    elif chosen == LIES:
        lies = np.int64(2)
    elif chosen in (MANY, AND_LIES):
        lies = min(others, limit - honest)
    if honest > 0:
        cheat.lay(rules, states, k, rank, min(honest, np.int64(rules.most)))
    _lay_others(rules, states, k, lies)
    cheat.claim(rules, states, k)
