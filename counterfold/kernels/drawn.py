"""Betting before the flop over deals that were drawn: what each player's moves would earn in them.

In a deal every seat has a hole, and there is a board. The others of a player hold theirs; the
player itself holds one hole of each class at a time, so a deal tells what all of its hands earn.

Nodes lie in the order in which a walk meets them, every subtree in one piece, so that what the
others never play is skipped. A strategy is by sequence, as ``kernels.sequence`` lays it out; hands
of one class are neighbours there.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.hands import bit, strength
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit

DECISION, FIXED, PAIR, CROWD = 0, 1, 2, 3  # kinds of nodes: who is left at an end
NEVER = 1e-9  # how often what is never played comes at most, in averages of what is played
CARDS, PAIRS, ROUNDS = 52, 26, 51
NONE = 1e-9  # chips that are none


class Lines(NamedTuple):
    """The betting. Index arrays are all uint32."""

    kind: np.ndarray  # [nodes]
    owner: np.ndarray  # [nodes] who has moved to get here
    parent: np.ndarray  # [nodes]
    skip: np.ndarray  # [nodes] the node after its subtree
    move: np.ndarray  # [nodes] the sequence of that move by hands of class 0
    last: np.ndarray  # [nodes, players] the node that each player's last move led to; 0 if none
    same: np.ndarray  # [nodes, players] what is earned whatever comes, where that is so; else NaN
    inside: np.ndarray  # [nodes] who is left, a bit for each player
    two: np.ndarray  # [nodes, 2] of a pair: who
    worth: np.ndarray  # [nodes, 3, players] of a pair whose first wins, ties and loses
    base: np.ndarray  # [nodes, players] chips beside the pots, of those who win nothing
    pot: np.ndarray  # [nodes + 1] where each node's pots begin
    rivals: np.ndarray  # [pots] who can win a pot, a bit for each player
    chips: np.ndarray  # [pots]
    before: np.ndarray  # [players] stacks, where places are paid
    prizes: np.ndarray  # of the places, the first one first; none where chips are counted
    shares: np.ndarray  # [players] what stacks are worth before the hand


class Deals(NamedTuple):
    """What was drawn."""

    hole: np.ndarray  # uint16 [deals, players]
    hand: np.ndarray  # uint8 [deals, players] their classes
    rank: np.ndarray  # uint32 [deals, players] how strong they are on the board
    own: np.ndarray  # uint16 [deals, classes] a hole of each class that nobody has
    own_rank: np.ndarray  # uint32 [deals, classes]
    weight: np.ndarray  # float32 [deals, classes] how likely a class is held beside the deal
    win: np.ndarray  # float32 [holes, holes] how often the second beats the first
    tie: np.ndarray  # float32 [holes, holes]


class Deck(NamedTuple):
    """What is drawn from, and room for it."""

    of: np.ndarray  # [holes] their classes
    holes: np.ndarray  # int64 [classes, most] the holes of each; beyond them what is no hole
    sets: np.ndarray  # uint64 [holes] their cards
    cards: np.ndarray  # uint8 [52] whose places meet in rounds
    order: np.ndarray  # int64 [26] the circle of a round's holes
    pairs: np.ndarray  # uint8 [26, 2]
    random: np.ndarray  # uint64 [1]


class Room(NamedTuple):
    """Room for a walk."""

    reach: np.ndarray  # [nodes]
    flat: np.ndarray  # [nodes] what all hands earn alike behind a move; zeros between walks
    worth: np.ndarray  # [classes]
    rank: np.ndarray  # int64 [players] twice the strength, and one more beyond it
    level: np.ndarray  # uint32 [players] strengths of the others, from the weakest
    after: np.ndarray  # [players] stacks
    out: np.ndarray  # [sets of players] how likely these take the first places


@inlined
def _mixed(cards, random):
    for k in range(cards.size - 1, 0, -1):
        at = int(uniform(random) * (k + 1))
        cards[k], cards[at] = cards[at], cards[k]


@inlined
def _pairing(r, deck):
    """Round r of 51 in which 52 cards meet each other once: 26 holes."""
    cards, pairs = deck.cards, deck.pairs
    pairs[0, 0], pairs[0, 1] = cards[ROUNDS], cards[r]
    for k in range(1, PAIRS):
        pairs[k, 0], pairs[k, 1] = cards[(r + k) % ROUNDS], cards[(r - k + ROUNDS) % ROUNDS]


@inlined
def _hole(one, two):
    high, low = max(np.int64(one), np.int64(two)), min(np.int64(one), np.int64(two))
    return high * (high - 1) // 2 + low


@inlined
def _own(deals, deck, d, taken, board, known):
    """A hole of each class that none of the cards are in; the class weighs as many as there are."""
    holes, total = deck.holes, np.float32(0)
    for c in range(holes.shape[0]):
        left = 0
        for k in range(holes.shape[1]):
            left += holes[c, k] < deck.sets.size and not deck.sets[holes[c, k]] & taken
        deals.weight[d, c] = left
        total += np.float32(left)
        at, k = int(uniform(deck.random) * left), 0
        while left > 0:
            if not deck.sets[holes[c, k]] & taken:
                if at == 0:
                    break
                at -= 1
            k += 1
        if left > 0:
            deals.own[d, c] = holes[c, k]
            deals.own_rank[d, c] = strength(board | deck.sets[holes[c, k]], known)
    for c in range(holes.shape[0]):
        deals.weight[d, c] /= total


@jit
def draw(deals, deck, known):
    """Fill deals: each block has every hole in every seat once.

    52 cards meet each other in 51 rounds of 26 disjoint holes, whose names are drawn. The holes of
    a round lie in a circle that is mixed, and each deal begins at another of them.
    """
    count, players = deals.hole.shape
    for d in range(count):
        place = d % PAIRS
        if place == 0:
            r = d // PAIRS % ROUNDS
            if r == 0:
                _mixed(deck.cards, deck.random)
            _pairing(r, deck)
            _mixed(deck.order, deck.random)
        taken = np.uint64(0)
        for p in range(players):
            k = deck.order[(place + p) % PAIRS]
            hole = _hole(deck.pairs[k, 0], deck.pairs[k, 1])
            deals.hole[d, p], deals.hand[d, p] = hole, deck.of[hole]
            taken |= deck.sets[hole]
        board, left = np.uint64(0), 5
        while left > 0:
            card = bit(int(uniform(deck.random) * CARDS))
            if not card & (taken | board):
                board |= card
                left -= 1
        for p in range(players):
            deals.rank[d, p] = strength(board | deck.sets[deals.hole[d, p]], known)
        _own(deals, deck, d, taken | board, board, known)


@inlined
def _placed(lines, room, player):
    """What a player's stack is worth after the hand: places are taken by parts of the chips."""
    after, places, players = room.after, lines.prizes.size, lines.before.size
    if after[player] < NONE:
        ahead, alike, found = 0, 0, 0.0
        for q in range(players):
            if after[q] >= NONE or lines.before[q] > lines.before[player]:
                ahead += 1
            elif lines.before[q] == lines.before[player]:
                alike += 1
        for place in range(ahead, min(ahead + alike, places)):
            found += lines.prizes[place] / alike
        return found - lines.shares[player]
    total, found, sets = 0.0, 0.0, 1 << players
    for q in range(players):
        total += after[q]
    for taken in range(sets):
        room.out[taken] = 0.0
    room.out[0] = 1.0
    for taken in range(sets):
        chance, place, chips = room.out[taken], 0, total
        if chance <= 0.0:
            continue
        for q in range(players):
            if taken >> q & 1:
                place += 1
                chips -= after[q]
        if place >= places:
            continue
        found += chance * after[player] / chips * lines.prizes[place]
        for q in range(players):
            if q != player and after[q] >= NONE and not taken >> q & 1:
                room.out[taken | 1 << q] += chance * after[q] / chips
    return found - lines.shares[player]


@inlined
def _settled(lines, room, n, player):
    """What a player earns where several show their hands, by ``room.rank``."""
    base, prizes = lines.base, lines.prizes.size > 0
    found = base[n, player]
    if prizes:
        for q in range(lines.before.size):
            room.after[q] = lines.before[q] + base[n, q]
    for k in range(lines.pot[n], lines.pot[n + 1]):
        rivals, best, winners = lines.rivals[k], np.int64(-1), 0
        for q in range(room.rank.size):
            if rivals >> q & 1:
                if room.rank[q] > best:
                    best, winners = room.rank[q], 1
                elif room.rank[q] == best:
                    winners += 1
        share = lines.chips[k] / winners
        if prizes:
            for q in range(room.rank.size):
                if rivals >> q & 1 and room.rank[q] == best:
                    room.after[q] += share
        elif rivals >> player & 1 and room.rank[player] == best:
            found += share
    return _placed(lines, room, player) if prizes else found


@inlined
def _crowd(lines, deals, room, d, n, player):
    """What each own hand earns among several: it changes only where it passes one of the others."""
    levels, inside = 0, lines.inside[n]
    for q in range(room.rank.size):
        rank = deals.rank[d, q]
        room.rank[q] = 2 * np.int64(rank)
        if q != player and inside >> q & 1:
            at = levels
            while at > 0 and room.level[at - 1] > rank:
                room.level[at] = room.level[at - 1]
                at -= 1
            room.level[at] = rank
            levels += 1
    room.rank[player] = 0
    before = _settled(lines, room, n, player)
    for c in range(room.worth.size):
        room.worth[c] = before
    for k in range(levels):
        level = room.level[k]
        if k > 0 and room.level[k - 1] == level:
            continue
        room.rank[player] = 2 * np.int64(level)
        even = _settled(lines, room, n, player)
        room.rank[player] += 1
        beyond = _settled(lines, room, n, player)
        first, second = even - before, beyond - even
        before = beyond
        for c in range(room.worth.size):
            rank = deals.own_rank[d, c]
            room.worth[c] += (first if rank >= level else 0.0) + (second if rank > level else 0.0)


@inlined
def _pair(lines, deals, room, d, n, player):
    """What each own hand earns against the one other who is left."""
    mine = 0 if lines.two[n, 0] == player else 1
    other = deals.hole[d, lines.two[n, 1 - mine]]
    won, even = lines.worth[n, 2 * mine, player], lines.worth[n, 1, player]
    lost = lines.worth[n, 2 - 2 * mine, player]
    won, even = won - lost, even - lost
    for c in range(room.worth.size):
        own = deals.own[d, c]
        room.worth[c] = lost + won * deals.win[other, own] + even * deals.tie[other, own]


@inlined
def _between(lines, deals, room, d, n, player):
    """What a player earns where others are left."""
    if lines.kind[n] == PAIR:
        one, two = deals.hole[d, lines.two[n, 0]], deals.hole[d, lines.two[n, 1]]
        win, tie = deals.win[two, one], deals.tie[two, one]
        won, even, lost = (
            lines.worth[n, 0, player],
            lines.worth[n, 1, player],
            lines.worth[n, 2, player],
        )
        return lost + win * (won - lost) + tie * (even - lost)
    for q in range(room.rank.size):
        room.rank[q] = 2 * np.int64(deals.rank[d, q])
    return _settled(lines, room, n, player)


@inlined
def _give(lines, deals, room, d, at, here, table, told):
    """Add what own hands earn behind a move (0: before any) to the move's place in the table.

    If it is to be told, the table has how often own moves are played, and the sum comes back.
    """
    total, worth, weight = 0.0, room.worth, deals.weight
    if at == 0:
        for c in range(worth.size):
            total += weight[d, c] * worth[c]
        room.flat[0] += here * total
        return 0.0
    move = lines.move[at]
    if told:
        for c in range(worth.size):
            total += weight[d, c] * worth[c] * table[move + np.uint32(c)]
    else:
        for c in range(worth.size):
            table[move + np.uint32(c)] += here * weight[d, c] * worth[c]
    return here * total


@inlined
def _walk(lines, deals, room, d, player, strategy, table, told):
    """What a player earns in a deal: all of its hands by move, or what its own play makes of it."""
    nodes, total, scale = lines.kind.size, 0.0, 1.0 if told else 1.0 / deals.hole.shape[0]
    room.reach[0] = scale
    n = np.uint32(1)
    while n < nodes:
        owner, here = lines.owner[n], room.reach[lines.parent[n]]
        if owner != player:
            here *= strategy[lines.move[n] + np.uint32(deals.hand[d, owner])]
            if here < NEVER * scale:
                n = lines.skip[n]
                continue
        same, at = lines.same[n, player], lines.last[n, player]
        if same == same:
            room.flat[at] += here * same
            n = lines.skip[n]
            continue
        room.reach[n] = here
        if lines.kind[n] != DECISION:
            if not lines.inside[n] >> player & 1:
                room.flat[at] += here * _between(lines, deals, room, d, n, player)
            else:
                if lines.kind[n] == PAIR:
                    _pair(lines, deals, room, d, n, player)
                else:
                    _crowd(lines, deals, room, d, n, player)
                total += _give(lines, deals, room, d, at, here, table, told)
        n += np.uint32(1)
    for c in range(room.worth.size):
        room.worth[c] = 1.0
    for m in range(1, nodes):
        flat = room.flat[m]
        if flat != 0.0:
            room.flat[m] = 0.0
            total += _give(lines, deals, room, d, m, flat, table, told)
    if told:
        total += room.flat[0]
    else:
        table[player] += room.flat[0]
    room.flat[0] = 0.0
    return total


@jit
def gradient(lines, deals, room, player, strategy, into, begin, stop):
    """Add what the player's sequences earn in some deals against the others' strategies."""
    for d in range(begin, stop):
        _walk(lines, deals, room, d, player, strategy, into, False)


@jit
def earnings(lines, deals, room, strategy, reach, earned, begin, stop):
    """[deals, players] what everybody earns in each deal who plays by ``reach`` (by sequence).

    The others play by ``strategy``.
    """
    for d in range(begin, stop):
        for p in range(earned.shape[1]):
            earned[d, p] = _walk(lines, deals, room, d, p, strategy, reach, True)
