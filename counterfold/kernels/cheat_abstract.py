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

DOUBTS, PILES, SIZES, LEASTS, RUNS = 3, 6, 9, 6, 6
DISCARDS = 5 * DOUBTS * 2 * 2 * PILES * SIZES * LEASTS * RUNS
ODDS, EVEN, CLAIMS = 6, 2, 3  # classes of odds, and the first of those that are even or better
ANSWERS = ODDS * CLAIMS * 2 * 2 * 2 * PILES * LEASTS * SIZES
ROWS = DISCARDS + ANSWERS
"""Infosets: those of who discards, then those of who is asked."""


@inlined
def _size_class(cards):
    if cards <= 4:
        return max(cards - 1, 0)
    if cards <= 6:
        return 4
    if cards <= 9:
        return 5
    if cards <= 14:
        return 6
    return 7 if cards <= 20 else 8


@inlined
def _least_class(cards):
    if cards <= 1:
        return 0
    if cards <= 3:
        return 1
    if cards <= 6:
        return 2
    if cards <= 12:
        return 3
    return 4 if cards <= 20 else 5


@inlined
def _pile_class(cards):
    if cards == 0:
        return 0
    if cards <= 2:
        return 1
    if cards <= 5:
        return 2
    if cards <= 10:
        return 3
    return 4 if cards <= 18 else 5


@inlined
def _share(ways, hidden, good, drawn, needed):
    """The chance that of so many hidden cards, some of them good, those drawn hold enough."""
    drawn = min(drawn, hidden)
    good = min(good, hidden)
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
    seat, who = cheat.mover(rules, states, k), cheat.discarder(rules, states, k)
    rank, count = cheat.current_rank(rules, states, k), cheat.claimed(rules, states, k)
    hidden = rules.ranks * rules.copies - cheat.hand_size(rules, states, k, seat)
    good = rules.copies - cheat.in_hand(rules, states, k, seat, rank) - memory.pile[seat, rank]
    drawn = np.int64(cheat.hand_size(rules, states, k, who) + count)
    for r in range(rules.ranks):
        hidden -= memory.pile[seat, r]
        drawn -= memory.known[seat, who, r]
        for p in range(rules.players):
            if p != seat:
                hidden -= memory.known[seat, p, r]
    for p in range(rules.players):
        if p != seat:
            good -= memory.known[seat, p, rank]
    needed = count - memory.known[seat, who, rank]
    return _share(memory.ways, max(hidden, 0), max(good, 0), max(drawn, 0), needed)


@inlined
def _standing(rules, memory, states, k, count):
    """How likely a claim of so many must seem to others, as the discarder in row k sees it."""
    who, rank = cheat.discarder(rules, states, k), cheat.current_rank(rules, states, k)
    size = np.int64(cheat.hand_size(rules, states, k, who))
    own = cheat.in_hand(rules, states, k, who, rank) + memory.pile[who, rank]
    if rules.players == 2:
        hidden = size
        for r in range(rules.ranks):
            hidden += memory.pile[who, r]
        return _share(memory.ways, hidden, own, size, count)
    # Of the cards of the rank elsewhere, each of the others holds its part.
    after = (who + 1) % rules.players
    other = np.int64(cheat.hand_size(rules, states, k, after))
    cards = rules.ranks * rules.copies
    held = memory.known[who, after, rank]
    rest = rules.copies - own
    for p in range(rules.players):
        if p != who:
            rest -= memory.known[who, p, rank]
    held += max(rest, 0) * other // max(cards - size, 1)
    return _share(memory.ways, cards - other, max(rules.copies - held, 0), size, count)


@inlined
def _plausible(rules, memory, states, k):
    """The most cards that can be claimed without being a certain liar."""
    if rules.players > 2:
        return np.int64(rules.most)
    who, rank = cheat.discarder(rules, states, k), cheat.current_rank(rules, states, k)
    own = cheat.in_hand(rules, states, k, who, rank) + memory.pile[who, rank]
    return min(own, np.int64(rules.most))


@inlined
def _look_discard(rules, memory, states, k):
    who, rank = cheat.discarder(rules, states, k), cheat.current_rank(rules, states, k)
    size = np.int64(cheat.hand_size(rules, states, k, who))
    true = np.int64(cheat.in_hand(rules, states, k, who, rank))
    least = np.int64(rules.ranks * rules.copies)
    for p in range(rules.players):
        if p != who:
            least = min(least, np.int64(cheat.hand_size(rules, states, k, p)))
    run, inside, after = 0, 0, rank
    while run < rules.ranks:
        held = cheat.in_hand(rules, states, k, who, after)
        if held == 0:
            break
        run += 1
        inside += held
        after = (after + rules.players) % rules.ranks
    follows = cheat.in_hand(rules, states, k, who, (rank + rules.players) % rules.ranks)
    if inside == size:
        way = min(run, 4) - 1  # honest play to the end, in so many turns
    else:
        way = 4 + min(follows, 1)
    more = _standing(rules, memory, states, k, true + 1)
    doubt = 0 if more < 0.2 else (1 if more < 0.5 else 2)
    trusted = 1 if true > 0 and _standing(rules, memory, states, k, true) >= 0.5 else 0
    following = (rank + 1) % rules.ranks
    blocked = cheat.in_hand(rules, states, k, who, following) + memory.pile[who, following]
    row = min(true, 4)
    row = row * DOUBTS + doubt
    row = row * 2 + trusted
    row = row * 2 + (1 if blocked == rules.copies else 0)
    row = row * PILES + _pile_class(cheat.pile_size(rules, states, k))
    row = row * SIZES + _size_class(size)
    row = row * LEASTS + _least_class(least)
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
    seat, who = cheat.mover(rules, states, k), cheat.discarder(rules, states, k)
    rank, count = cheat.current_rank(rules, states, k), cheat.claimed(rules, states, k)
    left = cheat.hand_size(rules, states, k, who)
    chance = belief(rules, memory, states, k)
    ahead = (seat - who) % rules.players
    coming = (rank + ahead) % rules.ranks
    ready = cheat.in_hand(rules, states, k, seat, coming) > 0
    if rules.players == 2:
        ready = ready or memory.pile[seat, coming] > 0
        elsewhere = rules.copies - cheat.in_hand(rules, states, k, seat, rank)
        extra = elsewhere - memory.pile[seat, rank] > count
    else:
        extra = memory.known[seat, who, rank] > 0
    moves = 3
    if left == 0 or chance == 0.0:
        moves = 1 << CHALLENGE
    odds = 0
    if chance >= 1.0:
        odds = 5
    elif chance >= 0.85:
        odds = 4
    elif chance >= 0.65:
        odds = 3
    elif chance >= 0.5:
        odds = 2
    elif chance >= 0.25:
        odds = 1
    row = odds
    row = row * CLAIMS + min(count, CLAIMS) - 1
    row = row * 2 + (1 if extra else 0)
    row = row * 2 + (1 if ready else 0)
    row = row * 2 + (1 if ahead == rules.players - 1 else 0)
    row = row * PILES + _pile_class(cheat.pile_size(rules, states, k))
    row = row * LEASTS + _least_class(left)
    row = row * SIZES + _size_class(cheat.hand_size(rules, states, k, seat))
    return DISCARDS + row, moves


@jit
def look(rules, memory, states, k):
    """The infoset of whoever is to move in row k, and the moves there as bits."""
    if cheat.phase(rules, states, k) == cheat.DISCARD:
        return _look_discard(rules, memory, states, k)
    return _look_answer(rules, memory, states, k)


@inlined
def _lay_others(rules, states, k, count):
    """Lay cards that are not of the current rank: lone ones that would be claimed late."""
    who, rank = cheat.discarder(rules, states, k), cheat.current_rank(rules, states, k)
    for _ in range(count):
        best, which = -1000, rank
        for turn in range(1, rules.ranks):
            r = (rank + turn * rules.players) % rules.ranks
            held = cheat.in_hand(rules, states, k, who, r)
            if held > 0 and r != rank and 2 * turn - 3 * held > best:
                best, which = 2 * turn - 3 * held, r
        cheat.lay(rules, states, k, which, 1)


@jit
def move(rules, memory, states, k, chosen):
    """Carry out a move of ``look`` in row k, and remember what everybody saw."""
    if cheat.phase(rules, states, k) == cheat.ANSWER:
        if chosen == CHALLENGE:
            cheat_bot.note(rules, memory, states, k, True)
            cheat.challenge(rules, states, k)
        else:
            if (cheat.mover(rules, states, k) + 1) % rules.players == cheat.discarder(
                rules, states, k
            ):
                cheat_bot.note(rules, memory, states, k, False)
            cheat.let_pass(rules, states, k)
        return
    who, rank = cheat.discarder(rules, states, k), cheat.current_rank(rules, states, k)
    true = np.int64(cheat.in_hand(rules, states, k, who, rank))
    others = np.int64(cheat.hand_size(rules, states, k, who)) - true
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
