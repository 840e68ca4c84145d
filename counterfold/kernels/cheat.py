"""The rules of Cheat over rows of small integers: any ranks, copies, players and health points.

A state is a row of an int16 array (``new_states``), so that a walk keeps one row a
level and copies downwards. Cards are counts by rank. What a move leads to is written into the
row that it is given; ``copy`` the row first if it is still needed.

Who has laid the last card and survives the challenges wins; who has lost the last health point
loses. If a wrong challenge brings about both at once, the empty hand has won. Payoffs sum to
zero: the winner has 1 and the others share the loss, or the loser has -1 and the others share
the gain.
"""

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, subkernel

DISCARD, ANSWER, OVER = 0, 1, 2
"""Phases: somebody discards, somebody passes or challenges, the game is over."""


class Rules(NamedTuple):
    """The numbers that make a game of Cheat."""

    ranks: int = 3
    copies: int = 2
    players: int = 2
    hand: int = 2  # cards each; 0 deals them all, the first seats getting one more if need be
    health: int = 3  # challenges that a player can lose; 0 for a game without an end
    most: int = 2  # cards at a discard


# Columns of a state: the turn, then each player's number of cards and health points in pairs
# (``SIZE + 2 * player``; health is always 0 in a game without), then cards by rank (``cards``).
PHASE, DISCARDER, MOVER, RANK, CLAIM, PILE, TURNS, WINNER, LOSER, SIZE, HEALTH = range(11)
"""Of a turn: whose discard it is, who is to move, the rank to be claimed, how many cards are laid
and claimed, those on the pile without them, turns that are over, who has won by an empty hand and
who has lost the last health point, or -1."""


@inlined
def cards(rules, owner, rank):
    """The column of an owner's cards of a rank.

    Behind the players' hands come the pile (``rules.players``) and what was laid in this turn, face
    down (``rules.players + 1``).
    """
    return SIZE + 2 * rules.players + owner * rules.ranks + rank


@inlined
def held(rules, states, k, owner, rank):
    """An owner's cards of a rank."""
    return np.int64(states[k, cards(rules, owner, rank)])


@inlined
def turn(states, k):
    """Whose discard this turn is, and the rank that has to be claimed in it."""
    return np.int64(states[k, DISCARDER]), np.int64(states[k, RANK])


@inlined
def size(states, k, player):
    """How many cards a player has in hand."""
    return np.int64(states[k, SIZE + 2 * player])


def new_states(rules: Rules, rows: int) -> np.ndarray:
    """Room for so many states."""
    return np.zeros((rows, SIZE + 2 * rules.players + (rules.players + 2) * rules.ranks), np.int16)


def lots(rules: Rules) -> np.ndarray:
    """All discards as counts by rank, one a row: fewer cards first, then low ranks first.

    >>> lots(Rules(ranks=2)).tolist()
    [[1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    """
    found = [
        np.bincount(chosen, minlength=rules.ranks)
        for count in range(1, rules.most + 1)
        for chosen in combinations_with_replacement(range(rules.ranks), count)
    ]
    kept = [lot for lot in found if lot.max() <= rules.copies]
    return np.array(kept, np.int16).reshape(-1, rules.ranks)


@inlined
def ahead(rules, rank, steps):
    """The rank so many steps after another, fewer than there are ranks."""
    found = rank + steps
    return found - rules.ranks if found >= rules.ranks else found


@inlined
def copy(states, k, m):
    """Make row m the same state as row k."""
    for c in range(states.shape[1]):
        states[m, c] = states[k, c]


@inlined
def cards_dealt(rules, player):
    """How many cards a player is dealt."""
    if rules.hand > 0:
        return rules.hand
    cards = rules.ranks * rules.copies
    return cards // rules.players + (1 if player < cards % rules.players else 0)


@inlined
def begin(rules, states, k, starter):
    """Start from the hands that lie in row k; everything else in it is set."""
    for c in range(SIZE):
        states[k, c] = 0
    for c in range(cards(rules, rules.players, 0), states.shape[1]):
        states[k, c] = 0
    for p in range(rules.players):
        states[k, SIZE + 2 * p] = 0
        for r in range(rules.ranks):
            states[k, SIZE + 2 * p] += states[k, cards(rules, p, r)]
        states[k, HEALTH + 2 * p] = rules.health
    states[k, DISCARDER] = starter
    states[k, MOVER] = starter
    states[k, WINNER] = -1
    states[k, LOSER] = -1


@inlined
def deal(rules, states, k, random):
    """Shuffle, deal and choose who starts, with numbers from the stream ``random``."""
    left = rules.ranks * rules.copies
    stock = cards(rules, rules.players, 0)  # in the place of the pile, until all have their cards
    for r in range(rules.ranks):
        states[k, stock + r] = rules.copies
        for p in range(rules.players):
            states[k, cards(rules, p, r)] = 0
    for p in range(rules.players):
        for _ in range(cards_dealt(rules, p)):
            drawn = int(uniform(random) * left)
            r = 0
            while drawn >= states[k, stock + r]:
                drawn -= states[k, stock + r]
                r += 1
            states[k, stock + r] -= 1
            states[k, cards(rules, p, r)] += 1
            left -= 1
    begin(rules, states, k, int(uniform(random) * rules.players))


@inlined
def lay(rules, states, k, rank, count):
    """Put cards of one rank face down; ``claim`` says when all of a discard lie there."""
    who = states[k, DISCARDER]
    states[k, cards(rules, who, rank)] -= count
    states[k, cards(rules, rules.players + 1, rank)] += count
    states[k, SIZE + 2 * who] -= count
    states[k, CLAIM] += count


@inlined
def claim(rules, states, k):
    """End the discard: what lies there is claimed to be of the current rank."""
    states[k, PHASE] = ANSWER
    states[k, MOVER] = (states[k, DISCARDER] + 1) % rules.players


@inlined
def has_lot(rules, states, k, lots, lot):
    """Can the discarder lay this row of ``lots``, its ranks counted from the current one?"""
    who, rank = states[k, DISCARDER], states[k, RANK]
    for r in range(rules.ranks):
        if lots[lot, r] > states[k, cards(rules, who, ahead(rules, rank, r))]:
            return False
    return True


@inlined
def list_lots(rules, states, k, lots, found):
    """Write down the discards that can be made in row k, in row k; returns how many there are."""
    count = 0
    for lot in range(lots.shape[0]):
        if has_lot(rules, states, k, lots, lot):
            found[k, count] = lot
            count += 1
    return count


@inlined
def lay_lot(rules, states, k, lots, lot):
    """Discard a row of ``lots``, its ranks counted from the current one, and claim."""
    rank = states[k, RANK]
    for r in range(rules.ranks):
        if lots[lot, r] > 0:
            lay(rules, states, k, ahead(rules, rank, r), lots[lot, r])
    claim(rules, states, k)


@inlined
def lied(rules, states, k):
    """Is a card among those laid in this turn that is not of the current rank?"""
    return held(rules, states, k, rules.players + 1, states[k, RANK]) != states[k, CLAIM]


@inlined
def _next_turn(rules, states, k):
    """The next player's discard of the next rank, unless the game is over."""
    who = states[k, DISCARDER]
    states[k, CLAIM] = 0
    states[k, TURNS] += 1
    if states[k, SIZE + 2 * who] == 0:
        states[k, WINNER] = who
    if states[k, WINNER] >= 0 or states[k, LOSER] >= 0:
        states[k, PHASE] = OVER
        return
    states[k, PHASE] = DISCARD
    states[k, DISCARDER] = (who + 1) % rules.players
    states[k, MOVER] = (who + 1) % rules.players
    states[k, RANK] = (states[k, RANK] + 1) % rules.ranks


@subkernel
def answer(rules, states, k, challenged):
    """Whoever is asked challenges, or not.

    The loser of a challenge takes all cards and loses a health point. If nobody challenges, the
    cards go to the pile after the last one has been asked.
    """
    takes = states[k, MOVER]
    if challenged:
        if lied(rules, states, k):
            takes = states[k, DISCARDER]
        states[k, SIZE + 2 * takes] += states[k, CLAIM] + states[k, PILE]
        states[k, PILE] = 0
    else:
        asked = (takes + 1) % rules.players
        if asked != states[k, DISCARDER]:
            states[k, MOVER] = asked
            return
        states[k, PILE] += states[k, CLAIM]
    pile, laid = cards(rules, rules.players, 0), cards(rules, rules.players + 1, 0)
    for r in range(rules.ranks):
        if challenged:
            states[k, cards(rules, takes, r)] += states[k, pile + r] + states[k, laid + r]
            states[k, pile + r] = 0
        else:
            states[k, pile + r] += states[k, laid + r]
        states[k, laid + r] = 0
    if challenged and rules.health > 0:
        states[k, HEALTH + 2 * takes] -= 1
        if states[k, HEALTH + 2 * takes] == 0:
            states[k, LOSER] = takes
    _next_turn(rules, states, k)


@inlined
def payoff(rules, states, k, player):
    """What a player has won or lost at the end."""
    won, lost = states[k, WINNER], states[k, LOSER]
    share = 1.0 / (rules.players - 1)
    if won >= 0:
        return 1.0 if player == won else -share
    return -1.0 if player == lost else share
