"""The rules of Cheat over rows of small integers: any ranks, copies, players and health points.

A state is a row of an int16 array with ``width(rules)`` columns, so that a walk keeps one row a
level and copies downwards. Cards are counts by rank. What a move leads to is written into the
row that it is given; ``copy`` the row first if it is still needed.

Who has laid the last card and survives the challenges wins; who has lost the last health point
loses. If a wrong challenge brings about both at once, the empty hand has won. Payoffs sum to
zero: the winner has 1 and the others share the loss, or the loser has -1 and the others share
the gain.
"""

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


def width(rules: Rules) -> int:
    """Columns of a state."""
    return rules.ranks * (rules.players + 2) + 2 * rules.players + 9


def new_states(rules: Rules, rows: int) -> np.ndarray:
    """Room for so many states."""
    return np.zeros((rows, width(rules)), np.int16)


def lots(ranks: int, copies: int, most: int) -> np.ndarray:
    """All discards as counts by rank, one a row: fewer cards first, then low ranks first.

    >>> lots(2, 2, 2).tolist()
    [[1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    """
    found: list[list[int]] = []

    def choose(so_far: list[int], left: int) -> None:
        if len(so_far) == ranks:
            if left == 0:
                found.append(so_far)
            return
        for count in range(min(left, copies), -1, -1):
            choose([*so_far, count], left - count)

    for cards in range(1, min(most, ranks * copies) + 1):
        choose([], cards)
    return np.array(found, np.int16).reshape(-1, ranks)


# The last columns of a state.
PHASE, DISCARDER, MOVER, RANK, CLAIM, PILE, TURNS, WINNER, LOSER = range(9)

# The columns before them. Hands come first, player by player; then the pile, then what was laid in
# this turn, face down; then the number of cards in each hand, and each player's health.


@inlined
def hand_column(rules, player, rank):
    """Where a player's cards of a rank are counted."""
    return player * rules.ranks + rank


@inlined
def pile_column(rules, rank):
    """Where cards on the pile are counted; those laid in this turn are not yet among them."""
    return rules.players * rules.ranks + rank


@inlined
def laid_column(rules, rank):
    """Where the cards laid in this turn are counted."""
    return (rules.players + 1) * rules.ranks + rank


@inlined
def size_column(rules, player):
    """Where the cards in a player's hand are counted, of all ranks."""
    return (rules.players + 2) * rules.ranks + player


@inlined
def health_column(rules, player):
    """Where a player's health is; always 0 in a game without health points."""
    return (rules.players + 2) * rules.ranks + rules.players + player


@inlined
def _rest(rules):
    return (rules.players + 2) * rules.ranks + 2 * rules.players


@inlined
def phase(rules, states, k):
    """DISCARD, ANSWER or OVER."""
    return np.int64(states[k, _rest(rules) + PHASE])


@inlined
def discarder(rules, states, k):
    """Whose discard this turn is."""
    return np.int64(states[k, _rest(rules) + DISCARDER])


@inlined
def mover(rules, states, k):
    """Who is to move."""
    return np.int64(states[k, _rest(rules) + MOVER])


@inlined
def current_rank(rules, states, k):
    """The rank that has to be claimed in this turn."""
    return np.int64(states[k, _rest(rules) + RANK])


@inlined
def claimed(rules, states, k):
    """How many cards were laid and claimed in this turn."""
    return np.int64(states[k, _rest(rules) + CLAIM])


@inlined
def pile_size(rules, states, k):
    """Cards on the pile, without those laid in this turn."""
    return np.int64(states[k, _rest(rules) + PILE])


@inlined
def turns(rules, states, k):
    """How many turns are over."""
    return np.int64(states[k, _rest(rules) + TURNS])


@inlined
def winner(rules, states, k):
    """Who has won by an empty hand, or -1."""
    return np.int64(states[k, _rest(rules) + WINNER])


@inlined
def loser(rules, states, k):
    """Who has lost the last health point, or -1."""
    return np.int64(states[k, _rest(rules) + LOSER])


@inlined
def in_hand(rules, states, k, player, rank):
    """A player's cards of a rank."""
    return np.int64(states[k, hand_column(rules, player, rank)])


@inlined
def hand_size(rules, states, k, player):
    """A player's cards."""
    return np.int64(states[k, size_column(rules, player)])


@inlined
def health(rules, states, k, player):
    """A player's health points."""
    return np.int64(states[k, health_column(rules, player)])


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
    for r in range(rules.ranks):
        states[k, pile_column(rules, r)] = 0
        states[k, laid_column(rules, r)] = 0
    for p in range(rules.players):
        cards = 0
        for r in range(rules.ranks):
            cards += states[k, hand_column(rules, p, r)]
        states[k, size_column(rules, p)] = cards
        states[k, health_column(rules, p)] = rules.health
    for c in range(_rest(rules), states.shape[1]):
        states[k, c] = 0
    states[k, _rest(rules) + DISCARDER] = starter
    states[k, _rest(rules) + MOVER] = starter
    states[k, _rest(rules) + WINNER] = -1
    states[k, _rest(rules) + LOSER] = -1


@inlined
def deal(rules, states, k, random):
    """Shuffle, deal and choose who starts, with numbers from the stream ``random``."""
    left = rules.ranks * rules.copies
    for r in range(rules.ranks):
        states[k, pile_column(rules, r)] = rules.copies  # the stock, until all have their cards
        for p in range(rules.players):
            states[k, hand_column(rules, p, r)] = 0
    for p in range(rules.players):
        for _ in range(cards_dealt(rules, p)):
            drawn = int(uniform(random) * left)
            r = 0
            while drawn >= states[k, pile_column(rules, r)]:
                drawn -= states[k, pile_column(rules, r)]
                r += 1
            states[k, pile_column(rules, r)] -= 1
            states[k, hand_column(rules, p, r)] += 1
            left -= 1
    begin(rules, states, k, int(uniform(random) * rules.players))


@inlined
def lay(rules, states, k, rank, count):
    """Put cards of one rank face down; ``claim`` says when all of a discard lie there."""
    who = states[k, _rest(rules) + DISCARDER]
    states[k, hand_column(rules, who, rank)] -= count
    states[k, laid_column(rules, rank)] += count
    states[k, size_column(rules, who)] -= count
    states[k, _rest(rules) + CLAIM] += count


@inlined
def claim(rules, states, k):
    """End the discard: what lies there is claimed to be of the current rank."""
    states[k, _rest(rules) + PHASE] = ANSWER
    states[k, _rest(rules) + MOVER] = (states[k, _rest(rules) + DISCARDER] + 1) % rules.players


@inlined
def has_lot(rules, states, k, table, lot):
    """Can the discarder lay this row of ``lots``, its ranks counted from the current one?"""
    who, rank = states[k, _rest(rules) + DISCARDER], states[k, _rest(rules) + RANK]
    for r in range(rules.ranks):
        if table[lot, r] > states[k, hand_column(rules, who, ahead(rules, rank, r))]:
            return False
    return True


@inlined
def lay_lot(rules, states, k, table, lot):
    """Discard a row of ``lots``, its ranks counted from the current one, and claim."""
    rank = states[k, _rest(rules) + RANK]
    for r in range(rules.ranks):
        if table[lot, r] > 0:
            lay(rules, states, k, ahead(rules, rank, r), table[lot, r])
    claim(rules, states, k)


@inlined
def lied(rules, states, k):
    """Is a card among those laid in this turn that is not of the current rank?"""
    return (
        states[k, laid_column(rules, states[k, _rest(rules) + RANK])]
        != states[k, _rest(rules) + CLAIM]
    )


@inlined
def _next_turn(rules, states, k):
    """The next player's discard of the next rank, unless the game is over."""
    who = states[k, _rest(rules) + DISCARDER]
    states[k, _rest(rules) + CLAIM] = 0
    states[k, _rest(rules) + TURNS] += 1
    if states[k, size_column(rules, who)] == 0:
        states[k, _rest(rules) + WINNER] = who
    if states[k, _rest(rules) + WINNER] >= 0 or states[k, _rest(rules) + LOSER] >= 0:
        states[k, _rest(rules) + PHASE] = OVER
        return
    states[k, _rest(rules) + PHASE] = DISCARD
    states[k, _rest(rules) + DISCARDER] = (who + 1) % rules.players
    states[k, _rest(rules) + MOVER] = (who + 1) % rules.players
    states[k, _rest(rules) + RANK] = (states[k, _rest(rules) + RANK] + 1) % rules.ranks


@subkernel
def let_pass(rules, states, k):
    """Whoever is asked does not challenge; after the last one the cards go to the pile."""
    asked = (states[k, _rest(rules) + MOVER] + 1) % rules.players
    if asked != states[k, _rest(rules) + DISCARDER]:
        states[k, _rest(rules) + MOVER] = asked
        return
    for r in range(rules.ranks):
        states[k, pile_column(rules, r)] += states[k, laid_column(rules, r)]
        states[k, laid_column(rules, r)] = 0
    states[k, _rest(rules) + PILE] += states[k, _rest(rules) + CLAIM]
    _next_turn(rules, states, k)


@subkernel
def challenge(rules, states, k):
    """Whoever is asked challenges: the loser takes all cards and loses a health point."""
    takes = states[k, _rest(rules) + MOVER]
    if lied(rules, states, k):
        takes = states[k, _rest(rules) + DISCARDER]
    for r in range(rules.ranks):
        states[k, hand_column(rules, takes, r)] += (
            states[k, pile_column(rules, r)] + states[k, laid_column(rules, r)]
        )
        states[k, pile_column(rules, r)] = 0
        states[k, laid_column(rules, r)] = 0
    states[k, size_column(rules, takes)] += (
        states[k, _rest(rules) + CLAIM] + states[k, _rest(rules) + PILE]
    )
    states[k, _rest(rules) + PILE] = 0
    if rules.health > 0:
        states[k, health_column(rules, takes)] -= 1
        if states[k, health_column(rules, takes)] == 0:
            states[k, _rest(rules) + LOSER] = takes
    _next_turn(rules, states, k)


@inlined
def payoff(rules, states, k, player):
    """What a player has won or lost at the end."""
    won = states[k, _rest(rules) + WINNER]
    if won >= 0:
        return 1.0 if player == won else -1.0 / (rules.players - 1)
    lost = states[k, _rest(rules) + LOSER]
    return -1.0 if player == lost else 1.0 / (rules.players - 1)
