"""Sampled CFR over a betting tree and buckets of hands: one deal a walk.

A walk deals hands and a whole board. The walking player tries every action, the other one plays by
its strategy ("external sampling"), so that each decision of the player has sampled regrets, and
each of the other's adds to its average strategy. A row of the table is a decision with a bucket:
the round in which it was last brought up, the regrets of its actions, and their sums of
probability. What lies in a row fades when it is next touched.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.hands import bit, strength
from counterfold.kernels.history import uniform
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.poker_buckets import RENAMINGS, set_number
from counterfold.kernels.prefetch import prefetch

FOLD, SHOWDOWN = 2, 3  # kinds of nodes; 0 and 1 are decisions of that player
WHAT, NEXT, BASE = 0, 1, 2  # columns of ``Lines.info``
STREET, COUNT = np.uint32(2), np.uint32(4)  # bits of WHAT: kind, street, number of actions
KIND, STREETS = np.uint32(3), np.uint32(3)
ONE, TWO = np.uint32(1), np.uint32(2)
NOTHING = -30.0  # the logarithm of a factor that leaves nothing
END, START = 4, 5  # in ``Cards.sizes``
DECK_BITS = np.uint64((1 << 52) - 1)


class Lines(NamedTuple):
    """The betting. A deal is written as what comes after it, so that lines run through."""

    info: np.ndarray  # uint32 [nodes, 8] what it is, and at a decision its child and first row
    payoff: np.ndarray  # float32, the same memory: at an end, from 1 on, what it is worth to each


class Cards(NamedTuple):
    """How cards are dealt, who wins, and the bucket of each hand (see ``abstraction.buckets``)."""

    deck: np.ndarray  # uint8, without the board at the start
    cards: np.ndarray  # uint8 [hands, 2]
    odds: np.ndarray  # float64 [2, hands] each player's range for drawing: keep the hand drawn
    other: np.ndarray  # uint32 [2, hands] or take this one
    sizes: np.ndarray  # int64 [6] cards on the board: on each street, at the end, at the start
    choose: np.ndarray
    renamed: np.ndarray
    words0: np.ndarray
    words1: np.ndarray
    words2: np.ndarray
    words3: np.ndarray
    table0: np.ndarray
    table1: np.ndarray
    table2: np.ndarray
    table3: np.ndarray
    known: tuple  # the evaluator's tables, ``hands.Tables``
    ends: np.ndarray  # words of whole boards, where the rules are not the evaluator's; or empty
    strength: np.ndarray  # strengths by these


class Rule(NamedTuple):
    """How a row fades from one round to another, and the least that a regret can be."""

    scale: np.ndarray  # [rounds, 5] of regrets above zero and its inverse; of the average and its;
    now: int  # the running logarithm of the other regrets
    fading: bool
    apart: bool  # whether the other regrets fade otherwise
    lowest: np.float32


class Room(NamedTuple):
    """Room for one walk: its visits in the order in which they were made, and its deal."""

    what: np.ndarray  # uint32, as in ``Lines.info``
    first: np.ndarray
    at: np.ndarray  # uint32 the row in the table
    above: np.ndarray  # the player's own visit that led here, and by which action
    action: np.ndarray
    play: np.ndarray  # float32 [visits, actions] the strategy, at the player's own
    value: np.ndarray  # float32 [visits, actions]
    board: np.ndarray  # uint8 [1, 5]
    hand: np.ndarray  # [2]
    bucket: np.ndarray  # [2, 4] or -1 where it has not been looked up
    word: np.ndarray  # [4] of the board; or -1
    outcome: np.ndarray  # [1] of a showdown, for player 0: 0 wins, 1 ties, 2 loses; or -1
    random: np.ndarray


@inlined
def _hand(cards, player, random):
    drawn = uniform(random) * cards.odds.shape[1]
    hand = int(drawn)
    return hand if drawn - hand < cards.odds[player, hand] else np.int64(cards.other[player, hand])


@inlined
def _held(cards, hand):
    one = np.uint64(1)
    held = (one << np.uint64(cards.cards[hand, 0])) | (one << np.uint64(cards.cards[hand, 1]))
    return held & DECK_BITS


@inlined
def deal(cards, room):
    """Hands by the ranges, then a whole board from the cards that are left."""
    random = room.random
    while True:
        first, second = _hand(cards, 0, random), _hand(cards, 1, random)
        gone, more = _held(cards, first), _held(cards, second)
        if gone & more == 0:
            break
    gone |= more
    room.hand[0] = first
    room.hand[1] = second
    for k in range(cards.sizes[START], cards.sizes[END]):
        while True:
            card = cards.deck[int(uniform(random) * cards.deck.size)]
            mark = np.uint64(1) << np.uint64(card)
            if gone & mark == 0:
                break
        gone |= mark
        room.board[0, k] = card
    for street in range(4):
        room.bucket[0, street] = -1
        room.bucket[1, street] = -1
        room.word[street] = -1
    room.outcome[0] = -1


@inlined
def board_word(cards, boards, row, street):
    """The word of a board of a street."""
    number = set_number(boards, row, cards.sizes[street], cards.choose)
    if street == 0:
        return cards.words0[number]
    if street == 1:
        return cards.words1[number]
    if street == 2:
        return cards.words2[number]
    return cards.words3[number]


@inlined
def look_up(cards, word, hand, street):
    """The bucket of a hand on the board of a street."""
    row = word // RENAMINGS
    column = cards.renamed[word % RENAMINGS, hand]
    if street == 0:
        return cards.table0[row, column]
    if street == 1:
        return cards.table1[row, column]
    if street == 2:
        return cards.table2[row, column]
    return cards.table3[row, column]


@inlined
def _bucket(cards, room, player, street):
    """The bucket of a player's hand, looked up once a deal."""
    found = room.bucket[player, street]
    if found < 0:
        if room.word[street] < 0:
            room.word[street] = np.int64(board_word(cards, room.board, 0, street))
        word = np.uint32(room.word[street])
        found = np.int64(look_up(cards, word, room.hand[player], street))
        room.bucket[player, street] = found
    return np.uint32(found)


@inlined
def _outcome(cards, room):
    """Who wins a showdown, found out once a deal."""
    if room.outcome[0] < 0:
        if cards.ends.size > 0:
            number = set_number(room.board, 0, cards.sizes[END], cards.choose)
            row = cards.ends[number] // RENAMINGS
            first = np.uint64(cards.strength[row, room.hand[0]])
            second = np.uint64(cards.strength[row, room.hand[1]])
        else:
            board = np.uint64(0)
            for k in range(cards.sizes[END]):
                board |= bit(room.board[0, k])
            h, g = room.hand[0], room.hand[1]
            one = bit(cards.cards[h, 0]) | bit(cards.cards[h, 1])
            two = bit(cards.cards[g, 0]) | bit(cards.cards[g, 1])
            first = np.uint64(strength(board | one, cards.known))
            second = np.uint64(strength(board | two, cards.known))
        room.outcome[0] = 0 if first > second else 1 if first == second else 2
    return room.outcome[0]


@inlined
def refresh(table, at, count, rule):
    """Let a row fade for the rounds since it was last touched."""
    if rule.fading:
        then, now, scale = np.int64(table[at]), rule.now, rule.scale
        if then != now:
            table[at] = np.float32(now)
            positive = np.float32(scale[now, 0] * scale[then, 1])
            average = np.float32(scale[now, 2] * scale[then, 3])
            negative = positive
            if rule.apart:
                gap = scale[now, 4] - scale[then, 4]
                negative = np.float32(np.exp(gap)) if gap > NOTHING else np.float32(0)
            for a in range(at + ONE, at + ONE + count):
                table[a] *= positive if table[a] > 0 else negative
                table[a + count] *= average


@inlined
def _arrive(lines, cards, table, room, player, node, above, action, visits):
    """Come to a node: an end has its value at once, a decision waits for its turn."""
    what = lines.info[node, WHAT]
    kind = what & KIND
    if kind >= FOLD:
        column = ONE
        if kind == SHOWDOWN:
            outcome = _outcome(cards, room)
            column += np.uint32(2 - outcome if player == 1 else outcome)
        room.value[above, action] = lines.payoff[node, np.uint32(3 * player) + column]
        return visits
    count = what >> COUNT
    bucket = _bucket(cards, room, kind, (what >> STREET) & STREETS)
    at = lines.info[node, BASE] + bucket * (TWO * count + ONE)
    prefetch(table, at)
    prefetch(table, at + TWO * count)
    room.what[visits] = what
    room.first[visits] = lines.info[node, NEXT]
    room.at[visits] = at
    room.above[visits] = above
    room.action[visits] = action
    return visits + 1


@inlined
def _draw(table, room, low, count, total):
    """An action of the other player, by a strategy that joins its average."""
    zero, even = np.float32(0), np.float32(1) / np.float32(count)
    scale = np.float32(1) / total if total > 0 else zero
    left = np.float32(uniform(room.random))
    chosen = np.uint32(0)
    for a in range(count):
        part = max(table[low + a], zero) * scale if total > 0 else even
        table[low + count + a] += part
        left -= part
        chosen += np.uint32(left >= 0)
    if chosen >= count or (total > 0 and table[low + chosen] <= 0):
        chosen = np.uint32(count - ONE)  # rounding must not choose what is never played
        while total > 0 and chosen > 0 and table[low + chosen] <= 0:
            chosen -= ONE
    return chosen


@inlined
def _go_on(lines, cards, rule, table, room, player, k, visits):
    """Go on from visit k: along every action, or along one that the other player draws."""
    what = room.what[k]
    count = what >> COUNT
    refresh(table, room.at[k], count, rule)
    low = room.at[k] + ONE
    total = np.float32(0)
    for a in range(count):
        total += max(table[low + a], np.float32(0))
    if what & KIND == player:
        scale = np.float32(1) / (total if total > 0 else np.float32(count))
        for a in range(count):
            part = max(table[low + a], np.float32(0)) if total > 0 else np.float32(1)
            room.play[k, a] = part * scale
        for a in range(count):
            visits = _arrive(
                lines, cards, table, room, player, room.first[k] + np.uint32(a), np.uint32(k),
                np.uint32(a), visits,
            )  # fmt: skip
        return visits
    chosen = _draw(table, room, low, count, total)
    return _arrive(
        lines, cards, table, room, player, room.first[k] + chosen, room.above[k], room.action[k],
        visits,
    )  # fmt: skip


@inlined
def _collect(rule, table, room, player, visits):
    """Carry values back up, adding the regrets of each own visit to its row."""
    for back in range(1, visits):
        k = visits - back
        if room.what[k] & KIND != player:
            continue
        count = room.what[k] >> COUNT
        value = np.float32(0)
        for a in range(count):
            value += room.play[k, a] * room.value[k, a]
        low = room.at[k] + ONE
        for a in range(count):
            table[low + a] = max(table[low + a] + (room.value[k, a] - value), rule.lowest)
        room.value[room.above[k], room.action[k]] = value


@jit
def external(lines, cards, rule, table, room, iterations):
    """Walks, one for each player an iteration; returns how many decisions they came to."""
    met = 0
    zero = np.uint32(0)
    for _ in range(iterations):
        for player in range(2):
            deal(cards, room)
            visits = _arrive(lines, cards, table, room, player, zero, zero, zero, 1)
            k = 1
            while k < visits:  # visits grow while they are made
                visits = _go_on(lines, cards, rule, table, room, player, k, visits)
                k += 1
            _collect(rule, table, room, player, visits)
            met += visits - 1
    return met


@jit
def most_visits(info, player, most):
    """How many decisions the longest walk of a player can meet; ``most`` is room for each node."""
    for back in range(info.shape[0]):
        v = info.shape[0] - 1 - back
        kind, count = info[v, WHAT] & KIND, info[v, WHAT] >> COUNT
        most[v] = 0
        if kind < FOLD:
            below = 0
            for a in range(count):
                here = most[info[v, NEXT] + np.uint32(a)]
                below = below + here if kind == player else max(below, here)
            most[v] = below + 1
    return most[0] + 1


@jit
def averages(info, nodes, buckets, table, out):
    """The average strategy of each decision and bucket, one after the other."""
    to = np.uint64(0)
    for n in range(nodes.size):
        node = nodes[n]
        count = info[node, WHAT] >> COUNT
        at = np.uint64(info[node, BASE])
        for _ in range(buckets[node]):
            low = at + np.uint64(1 + count)
            total = np.float32(0)
            for a in range(count):
                total += table[low + np.uint64(a)]
            for a in range(count):
                even = np.float32(1) / np.float32(count)
                out[to] = table[low + np.uint64(a)] / total if total > 0 else even
                to += np.uint64(1)
            at += np.uint64(2 * count + 1)
