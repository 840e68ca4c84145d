"""Sampled CFR over a betting tree and buckets of hands: one deal a walk.

A walk deals hands and a whole board. The walking player tries every action, the other one plays by
its strategy ("external sampling"), so that each decision of the player has sampled regrets, and
each of the other's adds to its average strategy. A row of the table is a decision with a bucket:
the regrets of its actions, their sums of probability and, where a row fades when it is next
touched, the round in which it was last brought up.

A walk has a queue for each player. Where it comes to a decision it asks for the row, and goes on
elsewhere until the row has come; the walking player's own rows are read on the way back only. Deals
are made some at a time, for the same reason. Nothing is read that a walk does not need, and what it
needs lies together: the rows of a bucket, and the nodes of a street after the same line.

Where a player is answered whose play is known in part (a restricted Nash response), some of the
hero's walks meet a table that does not learn, in the place of the one that does.

A style is a table of the same places: preference degrees where regrets lie, the fallback where sums
do, and the vulnerability degree in the place of the stamp. Without one it is None, and kernels are
compiled as if there were no such thing.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.hands import bit, strength
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.poker_buckets import RENAMINGS, ask_for, look_up, set_number, word_of
from counterfold.kernels.prefetch import prefetch, prefetch_to_read
from counterfold.kernels.rule import accumulate, average, match, weigh

FOLD, SHOWDOWN = 2, 3  # kinds of nodes; 0 and 1 are decisions of that player
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
WHAT, NEXT, BASE, PAYOFF = ZERO, ONE, TWO, THREE  # of a node, in ``Lines.info``
ROW, FIRST, IS, SLOT = ZERO, ONE, TWO, THREE  # of a visit, in ``Room.visit``
FOUR, EIGHT = np.uint64(4), np.uint64(8)  # numbers of a node or visit, and of a payoff
STREET, COUNT = np.uint32(2), np.uint32(4)  # bits of WHAT: kind, street, number of actions
KIND, STREETS = np.uint32(3), np.uint32(3)
OWNER = np.uint32(15)  # kind and street
PAIR = TWO  # places of rows are counted in pairs of numbers
DEALS = 16  # that are made at a time
NOTHING = -30.0  # the logarithm of a factor that leaves nothing
END, START = 4, 5  # in ``Cards.sizes``
DECK_BITS = np.uint64((1 << 52) - 1)
PLAYS, DEALT = 0, 1  # streams of random numbers


class Lines(NamedTuple):
    """The betting. A deal is written as what comes after it, so that lines run through."""

    info: np.ndarray  # uint32 [nodes x 4] what it is, its first child, its rows and its payoff
    payoff: np.ndarray  # float32 [payoffs x 8] what it is worth to each, 4 numbers a player: if
    # player 0 wins, ties or loses
    step: np.ndarray  # uint32 [16] by street and owner, from a bucket's rows to those of the next


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
    """How a row fades from one round to another, and the least that a regret can be.

    Either rows fade when they are next touched, or what is new weighs more in each round.
    """

    scale: np.ndarray  # [rounds, 5] of regrets above zero and its inverse; of the average and its;
    now: int  # the running logarithm of the other regrets
    fading: bool
    gain: np.float32  # the weight of new regrets
    share: np.float32  # the weight of a strategy in the average
    lowest: np.float32
    held: np.float32  # what regrets have been summed with when the round began, for a style
    later: np.float32  # the same for player 0 when player 1 walks, one walk later
    best: bool  # a style plays the heaviest action alone


class Model(NamedTuple):
    """A player who follows a table of its own in a share of the other one's walks."""

    table: np.ndarray  # float32 probabilities where regrets lie (a row may fade as a whole: the
    # mix stays); sums mean nothing
    hero: int  # who meets it; -1 if nobody does
    share: float


class Room(NamedTuple):
    """Room for one walk, and for the deals of some."""

    visit: np.ndarray  # uint32 [2 x visits x 4] of the player, and of the other: its row, its
    # first child, what it is, and where its value goes
    value: np.ndarray  # float32 [visits x actions] by the player's own visits
    width: int  # actions at most
    board: np.ndarray  # uint8 [deals, 5]
    hand: np.ndarray  # uint32 [deals, 2]
    word: np.ndarray  # uint32 [deals, 4] of the board on each street; first its number
    start: np.ndarray  # uint32 [deals x 16] by street and player, where a bucket's rows begin
    outcome: np.ndarray  # uint32 [deals] of a showdown, for player 0: 0 wins, 1 ties, 2 loses
    random: np.ndarray  # uint64 [2] the states of its streams


@inlined
def _uniform(random, stream):
    """The next number in [0, 1) of a splitmix64 stream."""
    z = random[stream] + np.uint64(0x9E3779B97F4A7C15)
    random[stream] = z
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(np.int64(z >> np.uint64(11))) * (1.0 / 9007199254740992.0)


@inlined
def _hand(cards, player, random):
    drawn = _uniform(random, DEALT) * cards.odds.shape[1]
    hand = np.uint32(drawn)
    return hand if drawn - hand < cards.odds[player, hand] else cards.other[player, hand]


@inlined
def _held(cards, hand):
    one = np.uint64(1)
    held = (one << np.uint64(cards.cards[hand, 0])) | (one << np.uint64(cards.cards[hand, 1]))
    return held & DECK_BITS


@inlined
def deal(cards, room, n):
    """Hands by the ranges, then a whole board from the cards that are left, as deal n."""
    random = room.random
    while True:
        first, second = _hand(cards, 0, random), _hand(cards, 1, random)
        gone, more = _held(cards, first), _held(cards, second)
        if gone & more == 0:
            break
    gone |= more
    room.hand[n, 0] = first
    room.hand[n, 1] = second
    for k in range(cards.sizes[START], cards.sizes[END]):
        while True:
            card = cards.deck[np.uint32(_uniform(random, DEALT) * cards.deck.size)]
            mark = np.uint64(1) << np.uint64(card)
            if gone & mark == 0:
                break
        gone |= mark
        room.board[n, k] = card


@inlined
def _outcome(cards, room, n):
    """Who wins a showdown."""
    h, g = room.hand[n, 0], room.hand[n, 1]
    if cards.ends.size > 0:
        number = set_number(room.board, n, cards.sizes[END], cards.choose)
        row = cards.ends[number] // RENAMINGS
        first, second = np.uint64(cards.strength[row, h]), np.uint64(cards.strength[row, g])
    else:
        board = np.uint64(0)
        for k in range(cards.sizes[END]):
            board |= bit(room.board[n, k])
        one = bit(cards.cards[h, 0]) | bit(cards.cards[h, 1])
        two = bit(cards.cards[g, 0]) | bit(cards.cards[g, 1])
        first = np.uint64(strength(board | one, cards.known))
        second = np.uint64(strength(board | two, cards.known))
    return np.uint32(first <= second) + np.uint32(first < second)


@inlined
def _deals(lines, cards, room, count, streets):
    """Some deals: cards first, then words of boards, then buckets; each asks for the next."""
    for n in range(count):
        deal(cards, room, n)
        for street in range(streets):
            number = set_number(room.board, n, cards.sizes[street], cards.choose)
            room.word[n, street] = number
            if street == 3:
                prefetch_to_read(cards.words3, np.uint64(number))
    for n in range(count):
        for street in range(streets):
            word = np.uint32(word_of(cards, room.word[n, street], street))
            room.word[n, street] = word
            if street >= 2:
                ask_for(cards, word, room.hand[n, 0], street)
                ask_for(cards, word, room.hand[n, 1], street)
        room.outcome[n] = _outcome(cards, room, n)
    for n in range(count):
        for street in range(streets):
            for player in range(2):
                found = look_up(cards, room.word[n, street], room.hand[n, player], street)
                owner = 4 * street + player
                room.start[16 * n + owner] = np.uint32(found) * lines.step[owner]


@inlined
def refresh(table, low, count, rule):
    """Let a row fade for the rounds since it was last touched."""
    if rule.fading:
        stamp = low + TWO * count
        then, now, scale = np.int64(table[stamp]), rule.now, rule.scale
        if then != now:
            table[stamp] = np.float32(now)
            positive = np.float32(scale[now, 0] * scale[then, 1])
            factor = np.float32(scale[now, 2] * scale[then, 3])
            gap = scale[now, 4] - scale[then, 4]
            negative = np.float32(np.exp(gap)) if gap > NOTHING else np.float32(0)
            zero = np.float32(0)
            for a in range(low, low + count):
                table[a] = accumulate(table[a], zero, positive, negative, rule.lowest)
                table[a + count] = average(table[a + count], factor, zero)


@inlined
def told(lines, node, what):
    """One of the four numbers of a node."""
    return lines.info[np.uint64(node) * FOUR + what]


@inlined
def row_of(lines, node, bucket):
    """Where the row of a decision and a bucket begins."""
    at = told(lines, node, BASE) + bucket * lines.step[told(lines, node, WHAT) & OWNER]
    return np.uint64(at) * PAIR


@inlined
def _arrive(lines, table, room, walk, node, slot, own, others):
    """Come to a node: an end has its value at once, a decision waits for its turn.

    Both are done without asking which it is, since asking takes longer: what a decision is worth
    is overwritten later, and the visit of an end by the next one.
    """
    player, start, column = walk
    what, after = told(lines, node, WHAT), told(lines, node, NEXT)
    payoff = np.uint64(told(lines, node, PAYOFF)) * EIGHT
    room.value[slot] = lines.payoff[payoff + column]
    at = told(lines, node, BASE) + room.start[start + np.uint64(what & OWNER)]
    low = np.uint64(at) * PAIR
    prefetch(table, low)
    prefetch(table, low + np.uint64(what >> COUNT) * TWO - ONE)
    prefetch_to_read(lines.info, np.uint64(after) * FOUR)
    kind = what & KIND
    mine = kind == player
    to = own if mine else others
    room.visit[to + ROW] = at
    room.visit[to + FIRST] = after
    room.visit[to + IS] = what
    room.visit[to + SLOT] = slot
    own += FOUR if mine else ZERO
    others += FOUR if kind == np.uint32(1) - player else ZERO
    return own, others


@inlined
def _draw(table, rule, room, low, count):
    """An action of the other player, by a strategy that joins its average."""
    zero, one = np.float32(0), np.float32(1)
    total = zero
    for a in range(low, low + count):
        total += weigh(table[a])
    known = total > 0
    whole = total if known else np.float32(count)
    share = rule.share / whole
    left = np.float32(_uniform(room.random, PLAYS)) * whole
    chosen = np.uint32(0)
    for a in range(low, low + count):
        part = weigh(table[a]) if known else one
        table[a + count] = average(table[a + count], one, part * share)
        left -= part
        chosen += np.uint32(left >= 0)
    if chosen >= count:  # rounding must not choose what is never played
        chosen = np.uint32(count - ONE)
        while known and chosen > 0 and table[low + chosen] <= 0:
            chosen -= np.uint32(1)
    return chosen


@inlined
def styled_weight(table, style, low, count, a, held):
    """What an action weighs under a style."""
    return weigh(table[low + a], style[low + a], held * style[low + TWO * count])


@inlined
def styled_sums(table, style, low, count, held):
    """The sum of all weights at a row, and the heaviest action, the first of several.

    Weights are computed again where they are used, and may be rounded otherwise there: so it is
    the action that is remembered, and not its weight.
    """
    total, most, first = np.float32(0), np.float32(0), np.int64(-1)
    for a in range(count):
        part = styled_weight(table, style, low, count, a, held)
        total += part
        if part > most:
            most, first = part, np.int64(a)
    return total, first


@inlined
def styled_share(part, fallback, total, first, best):
    """What is played of an action, which is the ``first`` of the heaviest or not."""
    if best and total > np.float32(0):
        return np.float32(1) if first else np.float32(0)
    return match(part, total, fallback)


@inlined
def _draw_styled(table, style, rule, room, low, count, held):
    """The same under a style."""
    one = np.float32(1)
    total, first = styled_sums(table, style, low, count, held)
    left = np.float32(_uniform(room.random, PLAYS))
    chosen, last = np.uint32(0), np.uint32(0)
    for a in range(count):
        part = styled_weight(table, style, low, count, a, held)
        part = styled_share(part, style[low + count + a], total, a == first, rule.best)
        at = low + count + a
        table[at] = average(table[at], one, part * rule.share)
        left -= part
        chosen += np.uint32(left >= 0)
        if part > 0:
            last = np.uint32(a)
    return min(chosen, last)


@inlined
def _value(table, style, rule, room, low, count, slot):
    """What a visit of the walking player's is worth by its strategy."""
    zero = np.float32(0)
    total, value, plain = zero, zero, zero
    if style is None:
        for a in range(count):
            part, worth = weigh(table[low + a]), room.value[slot + a]
            total += part
            value += part * worth
            plain += worth
        return match(value, total, plain / np.float32(count))
    total, first = styled_sums(table, style, low, count, rule.held)
    for a in range(count):
        part = styled_weight(table, style, low, count, a, rule.held)
        part = styled_share(part, style[low + count + a], total, a == first, rule.best)
        value += part * room.value[slot + a]
    return value


@inlined
def _collect(rule, table, style, room, own):
    """Carry values back up, adding the regrets of each own visit to its row."""
    one = np.float32(1)
    width = np.uint64(room.width)
    k, slot = own, own // FOUR * width
    while k > FOUR:
        k -= FOUR
        slot -= width
        low = np.uint64(room.visit[k + ROW]) * PAIR
        count = np.uint64(room.visit[k + IS] >> COUNT)
        refresh(table, low, count, rule)
        value = _value(table, style, rule, room, low, count, slot)
        for a in range(count):
            gained = (room.value[slot + a] - value) * rule.gain
            table[low + a] = accumulate(table[low + a], gained, one, one, rule.lowest)
        room.value[room.visit[k + SLOT]] = value


@inlined
def _other(theirs, style, rule, room, low, count, player, known):
    """What the other player draws: by its style, unless its play is known."""
    if style is None:
        return _draw(theirs, rule, room, low, count)
    if known:
        return _draw(theirs, rule, room, low, count)
    held = rule.later if player == 1 else rule.held
    return _draw_styled(theirs, style, rule, room, low, count, held)


@inlined
def _walk(lines, rule, table, style, theirs, known, room, n, player):
    """A walk of a player with deal n; returns how many decisions it came to.

    The other one plays by ``theirs``: the same table, or a model's, whose play is ``known``.
    """
    walk = np.uint32(player), np.uint64(16 * n), np.uint64(4 * player + room.outcome[n])
    zero, width = np.uint32(0), np.uint32(room.width)
    middle = np.uint64(room.visit.size // 2)
    k, slot, j = FOUR, width, middle  # the first place for a value is that of the whole walk
    own, others = _arrive(lines, table, room, walk, zero, zero, FOUR, middle)
    while k < own or j < others:
        while k < own:  # every action
            after, count = room.visit[k + FIRST], room.visit[k + IS] >> COUNT
            for a in range(count):
                own, others = _arrive(lines, table, room, walk, after + a, slot + a, own, others)
            k += FOUR
            slot += width
        while j < others:  # one that is drawn
            low = np.uint64(room.visit[j + ROW]) * PAIR
            count = np.uint64(room.visit[j + IS] >> COUNT)
            refresh(theirs, low, count, rule)
            drawn = _other(theirs, style, rule, room, low, count, player, known)
            node = room.visit[j + FIRST] + drawn
            to = room.visit[j + SLOT]
            own, others = _arrive(lines, table, room, walk, node, to, own, others)
            j += FOUR
    _collect(rule, table, style, room, own)
    return np.int64(own + others - middle) // 4 - 1


@jit
def external(lines, cards, rule, table, style, model, room, iterations, streets):
    """Walks, one for each player an iteration; returns how many decisions they came to."""
    met = 0
    walks = 2 * iterations
    for begin in range(0, walks, DEALS):
        count = min(DEALS, walks - begin)
        _deals(lines, cards, room, count, streets)
        for n in range(count):
            player = n & 1
            theirs, known = table, False
            if player == model.hero and _uniform(room.random, PLAYS) < model.share:
                theirs, known = model.table, True
            met += _walk(lines, rule, table, style, theirs, known, room, n, player)
    return met


@jit
def most_visits(lines, player, most):
    """How many decisions the longest walk of a player can meet; ``most`` is room for each node."""
    for back in range(most.size):
        v = most.size - 1 - back
        kind, count = told(lines, v, WHAT) & KIND, told(lines, v, WHAT) >> COUNT
        most[v] = 0
        if kind < FOLD:
            below = 0
            for a in range(count):
                here = most[told(lines, v, NEXT) + np.uint32(a)]
                below = below + here if kind == player else max(below, here)
            most[v] = below + 1
    return most[0] + 1


@jit
def spread(lines, nodes, buckets, given, table):
    """Put probabilities, in the order of ``averages``, where a table has regrets."""
    at = np.uint64(0)
    for n in range(nodes.size):
        count = np.uint64(told(lines, nodes[n], WHAT) >> COUNT)
        for bucket in range(buckets[n]):
            low = row_of(lines, nodes[n], np.uint32(bucket))
            for a in range(count):
                table[low + np.uint64(a)] = given[at]
                at += np.uint64(1)


@jit
def averages(lines, nodes, buckets, table, out):
    """The average strategy of each decision and bucket, one after the other."""
    to = np.uint64(0)
    for n in range(nodes.size):
        count = np.uint64(told(lines, nodes[n], WHAT) >> COUNT)
        even = np.float32(1) / np.float32(count)
        for bucket in range(buckets[n]):
            low = row_of(lines, nodes[n], np.uint32(bucket)) + count
            total = np.float32(0)
            for a in range(count):
                total += table[low + np.uint64(a)]
            for a in range(count):
                out[to] = match(table[low + np.uint64(a)], total, even)
                to += np.uint64(1)
