"""Betting before the flop over deals that were drawn: what each player's moves would earn in them.

In a deal every seat has a hole, and there is a board. The others of a player hold theirs; the
player itself holds one hole of each class at a time, so a deal tells what all of its hands earn.

Nodes lie in the order in which a walk meets them, every subtree in one piece, so that what the
others never play is skipped. A strategy is by sequence, as ``kernels.sequence`` lays it out; hands
of one class are neighbours there.

What an end is worth depends on who wins its pots alone: that is told once for each outcome
(``tabulate``). In a walk, ends that follow the same own move are summed up before hands are looked
at: what they are worth to all hands alike, by how often a hand wins and ties against each other
seat, and by where its strength lies among those of the others.
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
CROWDED, ALIKE = 1 << 30, 1 << 31  # marks of what is summed behind a move, beside one a player


class Ends(NamedTuple):
    """Showdowns; those that are worth the same are one. Index arrays are all uint32.

    An outcome is a digit for each member after the first: whether it is weaker than the best of
    those before it (0), ties with it (1) or is stronger (2); the first digit is the smallest.
    """

    first: np.ndarray  # [ends + 1] where each one's members begin
    member: np.ndarray  # who is left, rivals of smaller pots first
    pot: np.ndarray  # [ends + 1] where each one's pots begin
    rivals: np.ndarray  # [pots] who can win a pot, a bit for each player
    chips: np.ndarray  # [pots]
    base: np.ndarray  # [ends, players] chips beside the pots, of those who win nothing
    case: np.ndarray  # [ends + 1] where each one's outcomes begin
    worth: np.ndarray  # [players, outcomes] what everybody earns
    before: np.ndarray  # [players] stacks, where places are paid
    prizes: np.ndarray  # of the places, the first one first; none where chips are counted
    shares: np.ndarray  # [players] what stacks are worth before the hand


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
    end: np.ndarray  # [nodes] of a showdown: which one
    ends: Ends


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
    """Room for a walk; ``flat``, ``pair``, ``zones`` and ``mark`` are zeros between walks."""

    reach: np.ndarray  # [nodes]
    flat: np.ndarray  # [nodes] what all hands earn alike behind an own move
    pair: np.ndarray  # [nodes, players, 2] what wins and ties against another are worth
    zones: np.ndarray  # [nodes, 2 * players] what is earned with a strength among the others'
    mark: np.ndarray  # uint32 [nodes] what there is of these: a bit for each other, and two more
    marked: np.ndarray  # uint32 [nodes + 1] nodes with a mark, and at last how many
    worth: np.ndarray  # [classes]
    rank: np.ndarray  # int64 [players] strengths as zones
    level: np.ndarray  # uint32 [players] strengths of the others, from the weakest
    at: np.ndarray  # uint32 [players] who has each of them, a bit for each player
    zone: np.ndarray  # uint8 [classes] where each own hand is among them
    known: np.ndarray  # int64 [players + 2] equities that were looked up, zones, how many levels
    win: np.ndarray  # float32 [players, classes]
    tie: np.ndarray  # float32 [players, classes]


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
def draw(deals, deck, known, begin, stop):
    """Fill some deals: each block has every hole in every seat once.

    52 cards meet each other in 51 rounds of 26 disjoint holes, whose names are drawn. The holes of
    a round lie in a circle that is mixed, and each deal begins at another of them.
    """
    players = deals.hole.shape[1]
    for d in range(begin, stop):
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
def _fallen(ends, after, player):
    """What a player gets who has lost all chips, of the places that are left to such players."""
    ahead, alike, found = 0, 0, 0.0
    for q in range(after.size):
        if after[q] >= NONE or ends.before[q] > ends.before[player]:
            ahead += 1
        elif ends.before[q] == ends.before[player]:
            alike += 1
    for place in range(ahead, min(ahead + alike, ends.prizes.size)):
        found += ends.prizes[place] / alike
    return found


@inlined
def _placed(ends, after, left, out, at):
    """What stacks after the hand are worth: places are taken by parts of the chips (ICM).

    ``out`` has room for how likely each set of the players that are ``left`` takes the first
    places; a set gives its chances to those with one player more.
    """
    count, places = 0, ends.prizes.size
    for p in range(after.size):
        ends.worth[p, at] = -ends.shares[p]
        if after[p] < NONE:
            ends.worth[p, at] += _fallen(ends, after, p)
        else:
            left[count] = p
            count += 1
    for taken in range(1 << count):
        out[taken] = 0.0
    out[0] = 1.0
    for taken in range((1 << count) - 1):
        chance, place, chips = out[taken], 0, 0.0
        if chance <= 0.0:
            continue
        for k in range(count):
            if taken >> k & 1:
                place += 1
            else:
                chips += after[left[k]]
        for k in range(count):
            if not taken >> k & 1:
                here = chance * after[left[k]] / chips
                ends.worth[left[k], at] += here * ends.prizes[place]
                if place + 1 < places:
                    out[taken | 1 << k] += here


@inlined
def _shared(ends, after, e, outcome):
    """The chips beside and of the pots, by who wins them."""
    first, last, k = ends.first[e], ends.first[e + 1], np.int64(ends.pot[e + 1])
    for p in range(after.size):
        after[p] = ends.base[e, p]
    best, inside = 0, 0
    for m in range(first, last):
        own, digit = 1 << np.int64(ends.member[m]), 2
        if m > first:
            digit, outcome = outcome % 3, outcome // 3
        best = own if digit == 2 else best | own if digit == 1 else best
        inside |= own
        while k > ends.pot[e] and ends.rivals[k - 1] == inside:
            k -= 1
            winners = 0
            for p in range(after.size):
                winners += best >> p & 1
            for p in range(after.size):
                if best >> p & 1:
                    after[p] += ends.chips[k] / winners


@jit
def tabulate(ends, after, left, out, begin, stop):
    """Fill what each outcome of some ends is worth."""
    for e in range(begin, stop):
        for at in range(ends.case[e], ends.case[e + 1]):
            _shared(ends, after, e, at - np.int64(ends.case[e]))
            if ends.prizes.size == 0:
                for p in range(after.size):
                    ends.worth[p, at] = after[p]
            else:
                for p in range(after.size):
                    after[p] += ends.before[p]
                _placed(ends, after, left, out, at)


@inlined
def _outcome(ends, room, e):
    """Which outcome of an end ``room.rank`` gives."""
    first, last = ends.first[e], ends.first[e + 1]
    best, step, found = room.rank[ends.member[first]], 1, np.int64(ends.case[e])
    for m in range(first + np.uint32(1), last):
        rank = room.rank[ends.member[m]]
        found += step * (np.int64(rank >= best) + np.int64(rank > best))
        best, step = max(best, rank), 3 * step
    return found


@inlined
def _levels(deals, room, d, player):
    """Where the others' strengths lie: their levels, and who has which."""
    levels, players = 0, room.rank.size
    for q in range(players):
        rank = deals.rank[d, q]
        at = levels
        while at > 0 and room.level[at - 1] >= rank:
            at -= 1
        if q == player or (at < levels and room.level[at] == rank):
            continue
        for k in range(levels, at, -1):
            room.level[k] = room.level[k - 1]
        room.level[at] = rank
        levels += 1
    for k in range(levels):
        room.at[k] = 0
        for q in range(players):
            if q != player and deals.rank[d, q] == room.level[k]:
                room.at[k] |= np.uint32(1 << q)
                room.rank[q] = 2 * k + 1
    room.known[players + 1] = levels


@inlined
def _mark(room, at, what):
    if room.mark[at] == 0:
        last = room.marked.size - 1
        room.marked[room.marked[last]] = at
        room.marked[last] += np.uint32(1)
    room.mark[at] |= np.uint32(what)


@inlined
def _add(room, at, worth):
    """Add what all hands earn alike behind an own move."""
    _mark(room, at, ALIKE)
    room.flat[at] += worth


@inlined
def _crowd(ends, room, e, inside, player, at, here):
    """What own hands earn among several: it changes only where one passes one of the others."""
    _mark(room, at, CROWDED)
    worth, zones, levels = ends.worth[player], room.zones[at], room.known[room.rank.size + 1]
    room.rank[player] = 0
    now = here * worth[_outcome(ends, room, e)]
    zones[0] += now
    for k in range(levels):
        even = now
        if room.at[k] & inside:
            room.rank[player] = 2 * k + 1
            even = here * worth[_outcome(ends, room, e)]
            room.rank[player] = 2 * k + 2
            now = here * worth[_outcome(ends, room, e)]
        zones[2 * k + 1] += even
        zones[2 * k + 2] += now


@inlined
def _pair(ends, deals, room, d, e, player, at, here):
    """What own hands earn against the one other who is left, or the two without them."""
    begin, members = np.int64(ends.case[e]), ends.member
    one, two = np.int64(members[ends.first[e]]), np.int64(members[ends.first[e] + 1])
    worth = ends.worth[player]  # the first wins, ties, loses
    won, even, lost = worth[begin], worth[begin + 1], worth[begin + 2]
    if player in (one, two):
        other = two
        if player == two:
            won, lost, other = lost, won, one
        _mark(room, at, 1 << other)
        room.pair[at, other, 0] += here * (won - lost)
        room.pair[at, other, 1] += here * (even - lost)
        _add(room, at, here * lost)
    else:
        first, second = deals.hole[d, one], deals.hole[d, two]
        win, tie = deals.win[second, first], deals.tie[second, first]
        _add(room, at, here * (lost + win * (won - lost) + tie * (even - lost)))


@inlined
def _looked_up(deals, room, d, player, other):
    """How often each own hand beats another seat's, and ties with it."""
    if not room.known[other]:
        room.known[other] = 1
        win, tie = deals.win[deals.hole[d, other]], deals.tie[deals.hole[d, other]]
        for c in range(room.worth.size):
            own = deals.own[d, c]
            room.win[other, c] = win[own]
            room.tie[other, c] = tie[own]


@inlined
def _zoned(deals, room, d):
    """Where each own hand's strength lies among those of the others."""
    players = room.rank.size
    if not room.known[players]:
        room.known[players] = 1
        for c in range(room.worth.size):
            zone, rank = 0, deals.own_rank[d, c]
            for k in range(room.known[players + 1]):
                zone += (rank >= room.level[k]) + (rank > room.level[k])
            room.zone[c] = zone


@inlined
def _behind(deals, room, d, player, at):
    """Write what each own hand earns behind a move; what was summed for it is zero again."""
    worth, mark = room.worth, room.mark[at]
    flat, zones = room.flat[at], room.zones[at]
    room.mark[at], room.flat[at] = 0, 0.0
    for c in range(worth.size):
        worth[c] = flat
    for q in range(room.rank.size):
        if mark >> np.uint32(q) & np.uint32(1):
            _looked_up(deals, room, d, player, q)
            win, tie = room.win[q], room.tie[q]
            won, even = room.pair[at, q, 0], room.pair[at, q, 1]
            room.pair[at, q, 0], room.pair[at, q, 1] = 0.0, 0.0
            for c in range(worth.size):
                worth[c] += won * win[c] + even * tie[c]
    if mark & np.uint32(CROWDED):
        _zoned(deals, room, d)
        for c in range(worth.size):
            worth[c] += zones[room.zone[c]]
        for k in range(zones.size):
            zones[k] = 0.0


@inlined
def _given(lines, deals, room, d, player, table, told):
    """Add what own hands earn behind each move (0: before any) to the move's place in the table.

    If it is to be told, the table has how often own moves are played, and the sum comes back.
    """
    told_of, worth, weight = 0.0, room.worth, deals.weight[d]
    last = room.marked.size - 1
    for k in range(room.marked[last]):
        at = room.marked[k]
        _behind(deals, room, d, player, at)
        if at == 0:
            for c in range(worth.size):
                told_of += weight[c] * worth[c]
            continue
        own = table[lines.move[at] : lines.move[at] + np.uint32(worth.size)]
        if told:
            for c in range(worth.size):
                told_of += weight[c] * worth[c] * own[c]
        else:
            for c in range(worth.size):
                own[c] += weight[c] * worth[c]
    room.marked[last] = 0
    return told_of


@inlined
def _walk(lines, deals, room, d, player, strategy, table, told):
    """What a player earns in a deal: all of its hands by move, or what its own play makes of it."""
    ends, nodes, scale = lines.ends, lines.kind.size, 1.0 if told else 1.0 / deals.hole.shape[0]
    for k in range(room.known.size):
        room.known[k] = 0
    _levels(deals, room, d, player)
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
            _add(room, at, here * same)
            n = lines.skip[n]
            continue
        room.reach[n] = here
        kind, inside = lines.kind[n], lines.inside[n]
        if kind == PAIR:
            _pair(ends, deals, room, d, lines.end[n], player, at, here)
        elif kind == CROWD and inside >> np.uint32(player) & np.uint32(1):
            _crowd(ends, room, lines.end[n], inside, player, at, here)
        elif kind == CROWD:
            worth = ends.worth[player]
            _add(room, at, here * worth[_outcome(ends, room, lines.end[n])])
        n += np.uint32(1)
    total = _given(lines, deals, room, d, player, table, told)
    if not told:
        table[player] += total
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
