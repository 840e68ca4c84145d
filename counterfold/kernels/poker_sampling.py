"""Sampled CFR over a betting tree and buckets of hands: one deal a walk.

A walk deals hands and a whole board. The walking player tries every action, the others play by
their strategies ("external sampling"), so that each decision of the player has sampled regrets, and
each of the others' adds to its average strategy. A row of the table is a decision with a bucket:
the regrets of its actions, their sums of probability and, where a row fades when it is next
touched, the round in which it was last brought up.

A walk has a queue for the player and one for the others. Where it comes to a decision it asks for
the row, and goes on elsewhere until the row has come; the walking player's own rows are read on the
way back only. Deals are made some at a time, for the same reason. Nothing is read that a walk does
not need, and what it needs lies together: the rows of a bucket, and the nodes of a street after the
same line.

With three players and more, what an average strategy is made of weighs as much as the players who
neither walk nor decide play towards it: walks come there as often. Where one player alone leaves
its strategy, which is all that an equilibrium asks about, that is how often they are there at all.

Actions that are far behind may be skipped in most walks ("pruning", Brown and Sandholm 2019): they
have no regrets then, and their values are not numbers. What ends the hand is never skipped, nor
what leads to the last street, nor anything where no action has done well.

Where a player is answered whose play is known in part (a restricted Nash response), some of the
hero's walks meet a table that does not learn, in the place of the one that does.

Where a table is cut, a walk knows a part of the lines alone, and what lies elsewhere is worth
nothing to it. Regrets are sums over lines, so those of the trunk, which all parts share, are whole
once the parts' are added up; until then they lie aside, and the trunk is played as it was. Draws
are then by deal and node, so that all parts walk alike.

A style is a table of the same places: preference degrees where regrets lie, the fallback where sums
do, and the vulnerability degree in the place of the stamp. Without one it is None, and kernels are
compiled as if there were no such thing. Locks are one more such table, beside a style: what players
are held to where regrets lie, and how far in the place of the stamp. What a row learns is the part
that is left free, and what is drawn and what a visit is worth is of both parts.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.hands import bit, strength
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.poker_buckets import RENAMINGS, ask_for, look_up, set_number, word_of
from counterfold.kernels.prefetch import prefetch, prefetch_to_read
from counterfold.kernels.rule import accumulate, average, match, weigh

FOLD, SHOWDOWN = 14, 15  # kinds of nodes; smaller ones are decisions of that player
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
WHAT, NEXT, BASE, PAYOFF = ZERO, ONE, TWO, THREE  # of a node, in ``Lines.info``
ROW, FIRST, IS, SLOT = ZERO, ONE, TWO, THREE  # of a visit, in ``Room.visit``
FOUR, EIGHT = np.uint64(4), np.uint64(8)  # numbers of a node or visit, and of a payoff of two
WHO, COUNT = np.uint32(2), np.uint32(6)  # bits of WHAT before: kind, number of actions
STREETS, KIND = np.uint32(3), np.uint32(15)
OWNER, OWNERS = np.uint32(63), 64  # street and kind, and how many there are
TIED = np.uint32(16)  # bits of an outcome before those of ties
PAIR = TWO  # places of rows are counted in pairs of numbers
DEALS = 16  # that are made at a time
NOTHING = -30.0  # the logarithm of a factor that leaves nothing
END, START = 4, 5  # in ``Cards.sizes``
DECK_BITS = np.uint64((1 << 52) - 1)
PLAYS, DEALT = 0, 1  # streams of random numbers
LOWER = np.uint32((1 << 16) - 1)
LOOKS = 0.05  # of all walks skip nothing


class Lines(NamedTuple):
    """The betting. A deal is written as what comes after it, so that lines run through."""

    info: np.ndarray  # uint32 [nodes x 4] what it is, its first child, its rows and its payoff
    payoff: np.ndarray  # float32 [payoffs x 8] what it is worth to each of two, 4 numbers a player:
    # if player 0 wins, ties or loses. Of more players [payoffs x block_of]: what each has who wins
    # no pot, then pots, each its chips and a bit for each rival, until there are no chips
    step: np.ndarray  # uint32 [64] by street and owner, from a bucket's rows to those of the next
    seats: tuple  # numbers of players: how many there are is known where this is compiled
    held: np.uint32  # the street from which rows stay as they are: what lies behind a depth limit
    aside: tuple | None  # of a part: the first street behind the trunk, and how far behind a row of
    # the trunk its regrets are added; None: a table is whole


class Cards(NamedTuple):
    """How cards are dealt, who wins, and the bucket of each hand (see ``abstraction.buckets``)."""

    deck: np.ndarray  # uint8, without the board at the start
    cards: np.ndarray  # uint8 [hands, 2]
    odds: (
        np.ndarray
    )  # float64 [players, hands] each player's range for drawing: keep the hand drawn
    other: np.ndarray  # uint32 [players, hands] or take this one
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
    later: np.float32  # the same for players who have walked in this iteration
    best: bool  # a style plays the heaviest action alone
    skip: np.float32 | None  # regrets below it are skipped in most walks; None: nothing ever is
    lock: np.ndarray | None = None  # float32 [table] of locks; None: nobody is held to anything


class Model(NamedTuple):
    """A player who follows a table of its own in a share of the other one's walks."""

    table: np.ndarray  # float32 probabilities where regrets lie (a row may fade as a whole: the
    # mix stays); sums mean nothing
    hero: int  # who meets it; -1 if nobody does
    share: float
    alone: bool = False  # whether the hero alone walks


class Room(NamedTuple):
    """Room for one walk, and for the deals of some."""

    visit: np.ndarray  # uint32 [2 x visits x 4] of the player, and of the others: its row, its
    # first child, what it is, and where its value goes
    value: np.ndarray  # float32 [visits x actions] by the player's own visits
    width: int  # actions at most
    board: np.ndarray  # uint8 [deals, 5]
    hand: np.ndarray  # uint32 [deals, players]
    word: np.ndarray  # uint32 [deals, 4] of the board on each street; first its number
    start: np.ndarray  # uint32 [deals x 64] by street and player, where a bucket's rows begin
    outcome: np.ndarray  # uint32 [deals] of a showdown of two, for player 0: 0 wins, 1 ties, 2
    # loses; of more, for the walking player: bits of those who are stronger, and of those who tie
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
def _chance(aside, room, n, node):
    """A number in [0, 1) for a draw: the next of the stream, or that of a deal and a node."""
    if aside is None:
        return _uniform(room.random, PLAYS)
    z = room.random[DEALT] + np.uint64(node) * np.uint64(0xD1B54A32D192ED03)
    z = z ^ ((np.uint64(n) + ONE) * np.uint64(0x9E3779B97F4A7C15))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(np.int64(z >> np.uint64(11))) * (1.0 / 9007199254740992.0)


@inlined
def _learned_at(aside, what, low):
    """Where the regrets of a row are added."""
    if aside is None:
        return low
    street, behind = aside
    return low + behind if what & STREETS < street else low


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
    apart = False
    while not apart:
        gone, apart = np.uint64(0), True
        for player in range(room.hand.shape[1]):
            hand = _hand(cards, player, random)
            held = _held(cards, hand)
            apart &= gone & held == 0
            gone |= held
            room.hand[n, player] = hand
    for k in range(cards.sizes[START], cards.sizes[END]):
        while True:
            card = cards.deck[np.uint32(_uniform(random, DEALT) * cards.deck.size)]
            mark = np.uint64(1) << np.uint64(card)
            if gone & mark == 0:
                break
        gone |= mark
        room.board[n, k] = card


@inlined
def shown_board(cards, room, n):
    """The whole board of a deal: its row by the rules' own table, and its cards as a set."""
    word, board = np.uint32(0), np.uint64(0)
    if cards.ends.size > 0:
        number = set_number(room.board, n, cards.sizes[END], cards.choose)
        word = cards.ends[number] // RENAMINGS
    else:
        for k in range(cards.sizes[END]):
            board |= bit(room.board[n, k])
    return word, board


@inlined
def shown_strength(cards, hand, shown):
    """The strength of a hand on a whole board: by the row of the board, or by its cards."""
    word, board = shown
    if cards.ends.size > 0:
        return np.uint64(cards.strength[word, hand])
    own = bit(cards.cards[hand, 0]) | bit(cards.cards[hand, 1])
    return np.uint64(strength(board | own, cards.known))


@inlined
def _outcome(lines, cards, room, n, walker):
    """Who wins a showdown."""
    shown = shown_board(cards, room, n)
    if len(lines.seats) == 2:
        first = shown_strength(cards, room.hand[n, 0], shown)
        second = shown_strength(cards, room.hand[n, 1], shown)
        return np.uint32(first <= second) + np.uint32(first < second)
    own, found = shown_strength(cards, room.hand[n, walker], shown), np.uint32(0)
    for player in range(len(lines.seats)):
        if player != walker:
            theirs = shown_strength(cards, room.hand[n, player], shown)
            mark = np.uint32(1 << player)
            found |= mark if theirs > own else np.uint32(0)
            found |= mark << TIED if theirs == own else np.uint32(0)
    return found


@inlined
def _walker(lines, model, number):
    """Who walks with a deal."""
    return model.hero if model.alone else number % len(lines.seats)


@inlined
def deals(lines, cards, model, room, begin, count, streets):
    """Some deals: cards first, then words of boards, then buckets; each asks for the next."""
    players = len(lines.seats)
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
                for player in range(players):
                    ask_for(cards, word, room.hand[n, player], street)
        room.outcome[n] = _outcome(lines, cards, room, n, _walker(lines, model, begin + n))
    for n in range(count):
        for street in range(streets):
            for player in range(players):
                found = look_up(cards, room.word[n, street], room.hand[n, player], street)
                owner = player << WHO | street
                room.start[OWNERS * n + owner] = np.uint32(found) * lines.step[owner]


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
def kind_of(what):
    """Who decides, or how the hand ends."""
    return what >> WHO & KIND


@inlined
def row_of(lines, node, bucket):
    """Where the row of a decision and a bucket begins."""
    at = told(lines, node, BASE) + bucket * lines.step[told(lines, node, WHAT) & OWNER]
    return np.uint64(at) * PAIR


@inlined
def block_of(players):
    """How many numbers a payoff of so many players takes: what each has, and their pots."""
    return np.uint64(8 if players <= 3 else 16 if players <= 5 else 32)  # a zero behind the pots


@inlined
def _won(lines, row, player, outcome):
    """What the walking player of three and more has at an end; nothing where there is none."""
    players = len(lines.seats)
    at = np.uint64(row) * block_of(players)
    won = lines.payoff[at + np.uint64(player)]
    at += np.uint64(players)
    while lines.payoff[at] > 0:
        rivals = np.uint32(lines.payoff[at + ONE])
        mine = rivals & (np.uint32(1) << player) != 0
        if mine and rivals & outcome & LOWER == 0:
            tied, share = rivals & (outcome >> TIED), np.float32(1)
            while tied != 0:
                tied &= tied - np.uint32(1)
                share += np.float32(1)
            won += lines.payoff[at] / share
        at += TWO
    return won


@inlined
def _arrive(lines, table, room, walk, node, slot, own, others):
    """Come to a node: an end has its value at once, a decision waits for its turn.

    Both are done without asking which it is, since asking takes longer: what a decision is worth
    is overwritten later, and the visit of an end by the next one.
    """
    player, start, outcome = walk
    what, after = told(lines, node, WHAT), told(lines, node, NEXT)
    if len(lines.seats) == 2:
        payoff = np.uint64(told(lines, node, PAYOFF)) * EIGHT
        room.value[slot] = lines.payoff[payoff + outcome]
    else:
        room.value[slot] = _won(lines, told(lines, node, PAYOFF), player, np.uint32(outcome))
    at = told(lines, node, BASE) + room.start[start + np.uint64(what & OWNER)]
    low = np.uint64(at) * PAIR
    prefetch(table, low)
    prefetch(table, low + np.uint64(what >> COUNT) * TWO - ONE)
    prefetch_to_read(lines.info, np.uint64(after) * FOUR)
    kind = kind_of(what)
    mine = (kind == player) & (what & STREETS < lines.held)  # behind a depth limit all draw
    to = own if mine else others
    room.visit[to + ROW] = at
    room.visit[to + FIRST] = after
    room.visit[to + IS] = what
    room.visit[to + SLOT] = slot
    own += FOUR if mine else ZERO
    theirs = (kind < FOLD) & (not mine)
    others += FOUR if theirs else ZERO
    return own, others


@inlined
def _draw(table, rule, chance, low, count):
    """An action of another player, by a strategy that joins its average."""
    zero, one = np.float32(0), np.float32(1)
    total = zero
    for a in range(low, low + count):
        total += weigh(table[a])
    known = total > 0
    whole = total if known else np.float32(count)
    share = rule.share / whole
    left = np.float32(chance) * whole
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
def _with_lock(lock, low, count, a, free):
    """What is played of an action, of which a row has learned the free part."""
    if lock is None:
        return free
    trust = lock[low + TWO * count]
    return (np.float32(1) - trust) * free + trust * lock[low + a]


@inlined
def _draw_styled(table, style, rule, chance, low, count, held):
    """The same under a style."""
    one = np.float32(1)
    total, first = styled_sums(table, style, low, count, held)
    left = np.float32(chance)
    chosen, last = np.uint32(0), np.uint32(0)
    for a in range(count):
        part = styled_weight(table, style, low, count, a, held)
        part = styled_share(part, style[low + count + a], total, a == first, rule.best)
        at = low + count + a
        table[at] = average(table[at], one, part * rule.share)
        part = _with_lock(rule.lock, low, count, a, part)
        left -= part
        chosen += np.uint32(left >= 0)
        if part > 0:
            last = np.uint32(a)
    return min(chosen, last)


@inlined
def _tried(skip, worth):
    """What an action is worth; nothing if it was skipped, which is never played."""
    if skip is None:
        return worth
    return worth if worth == worth else np.float32(0)


@inlined
def _value(table, style, rule, room, low, count, slot):
    """What a visit of the walking player's is worth by its strategy, as far as it is free."""
    zero = np.float32(0)
    total, value, plain = zero, zero, zero
    if style is None:
        for a in range(count):
            part, worth = weigh(table[low + a]), room.value[slot + a]
            worth = _tried(rule.skip, worth)
            total += part
            value += part * worth
            plain += worth
        return match(value, total, plain / np.float32(count))
    total, first = styled_sums(table, style, low, count, rule.held)
    for a in range(count):
        part = styled_weight(table, style, low, count, a, rule.held)
        part = styled_share(part, style[low + count + a], total, a == first, rule.best)
        value += part * _tried(rule.skip, room.value[slot + a])
    return value


@inlined
def _earned(lock, room, low, count, slot, value):
    """What a visit is worth with what the player is held to."""
    if lock is None:
        return value
    forced, trust = np.float32(0), lock[low + TWO * count]
    for a in range(count):
        forced += lock[low + a] * room.value[slot + a]
    return (np.float32(1) - trust) * value + trust * forced


@inlined
def _collect(lines, rule, table, style, room, own):
    """Carry values back up, adding the regrets of each own visit to its row.

    Without ``lines`` no regrets are added: it is what a walk is worth by the table.
    """
    one = np.float32(1)
    width = np.uint64(room.width)
    k, slot = own, own // FOUR * width
    while k > FOUR:
        k -= FOUR
        slot -= width
        low = np.uint64(room.visit[k + ROW]) * PAIR
        count = np.uint64(room.visit[k + IS] >> COUNT)
        if lines is not None:
            refresh(table, low, count, rule)
        value = _value(table, style, rule, room, low, count, slot)
        if lines is not None:
            to = _learned_at(lines.aside, room.visit[k + IS], low)
            for a in range(count):
                gained = (room.value[slot + a] - value) * rule.gain
                gained = _tried(rule.skip, gained)
                table[to + a] = accumulate(table[to + a], gained, one, one, rule.lowest)
        room.value[room.visit[k + SLOT]] = _earned(rule.lock, room, low, count, slot, value)
    return room.value[0]


@inlined
def _other(theirs, style, rule, chance, low, count, later, known):
    """What another player draws: by its style, unless its play is known."""
    if style is None:
        return _draw(theirs, rule, chance, low, count)
    if known:
        return _draw(theirs, rule, chance, low, count)
    held = rule.later if later else rule.held
    return _draw_styled(theirs, style, rule, chance, low, count, held)


@inlined
def _skips(lines, node, regret, skip, spared):
    """Whether a walk passes over an action that is far behind."""
    what = told(lines, node, WHAT)
    ends = kind_of(what) >= FOLD or what & STREETS >= spared
    return regret < skip and not ends


@inlined
def _try(lines, rule, skip, table, room, walk, at, ends):
    """Go on from an own visit along the actions that are not far behind."""
    (k, slot, spared), (own, others) = at, ends
    after, count = room.visit[k + FIRST], room.visit[k + IS] >> COUNT
    low, leads = np.uint64(room.visit[k + ROW]) * PAIR, False
    refresh(table, low, np.uint64(count), rule)
    for a in range(count):
        leads |= table[low + np.uint64(a)] > 0
    for a in range(count):
        if leads and _skips(lines, after + a, table[low + np.uint64(a)], skip, spared):
            room.value[slot + a] = np.float32(np.nan)
        else:
            own, others = _arrive(lines, table, room, walk, after + a, slot + a, own, others)
    return own, others


@inlined
def descend(lines, rule, table, style, theirs, known, room, n, player, skip, spared):
    """A walk of a player with deal n, down to the ends; returns its visits, and all of them.

    The others play by ``theirs``: the same table, or a model's, whose play is ``known``. Nothing
    is skipped that leads to streets from ``spared`` on.
    """
    outcome = np.uint64(room.outcome[n])
    if len(lines.seats) == 2:
        outcome += np.uint64(4 * player)
    walk = np.uint32(player), np.uint64(OWNERS * n), outcome
    zero, width = np.uint32(0), np.uint32(room.width)
    middle = np.uint64(room.visit.size // 2)
    k, slot, j = FOUR, width, middle  # the first place for a value is that of the whole walk
    own, others = _arrive(lines, table, room, walk, zero, zero, FOUR, middle)
    while k < own or j < others:
        while k < own:  # every action
            if skip is None:
                after, count = room.visit[k + FIRST], room.visit[k + IS] >> COUNT
                for a in range(count):
                    to = slot + a
                    own, others = _arrive(lines, table, room, walk, after + a, to, own, others)
            else:
                at, ends = (k, slot, spared), (own, others)
                own, others = _try(lines, rule, skip, table, room, walk, at, ends)
            k += FOUR
            slot += width
        while j < others:  # one that is drawn
            low = np.uint64(room.visit[j + ROW]) * PAIR
            count = np.uint64(room.visit[j + IS] >> COUNT)
            refresh(theirs, low, count, rule)
            later = kind_of(room.visit[j + IS]) < np.uint32(player)
            still = known or room.visit[j + IS] & STREETS >= lines.held
            chance = _chance(lines.aside, room, n, room.visit[j + FIRST])
            drawn = _other(theirs, style, rule, chance, low, count, later, still)
            node = room.visit[j + FIRST] + drawn
            to = room.visit[j + SLOT]
            own, others = _arrive(lines, table, room, walk, node, to, own, others)
            j += FOUR
    return own, np.int64(own + others - middle) // 4 - 1


@inlined
def _spared(skip, room, streets):
    """The street to which everything is tried in a walk: the first in one of twenty walks."""
    if skip is None:
        return np.uint32(0)
    return np.uint32(0 if _uniform(room.random, PLAYS) < LOOKS else streets - 1)


@jit
def external(lines, cards, rule, table, style, model, room, iterations, streets):
    """Walks, one for each player an iteration; returns how many decisions they came to."""
    met, players = 0, len(lines.seats)
    walks = players * iterations
    for begin in range(0, walks, DEALS):
        count = min(DEALS, walks - begin)
        deals(lines, cards, model, room, begin, count, streets)
        for n in range(count):
            player = _walker(lines, model, begin + n)
            theirs, known = table, False
            if player == model.hero and _uniform(room.random, PLAYS) < model.share:
                theirs, known = model.table, True
            skip, spared = rule.skip, _spared(rule.skip, room, streets)
            own, visits = descend(
                lines, rule, table, style, theirs, known, room, n, player, skip, spared
            )
            _collect(lines, rule, table, style, room, own)
            met += visits
    return met


@jit
def entered(lines, cards, rule, table, model, room, walks, streets, won, came):
    """Walks of the hero of a model alone: what each of its hands wins in all, and how often it was
    dealt."""
    hero = model.hero
    for begin in range(0, walks, DEALS):
        count = min(DEALS, walks - begin)
        deals(lines, cards, model, room, begin, count, streets)
        for n in range(count):
            own, _ = descend(
                lines, rule, table, None, table, False, room, n, hero, None, np.uint32(0)
            )
            hand = room.hand[n, hero]
            won[hand] += _collect(lines, rule, table, None, room, own)
            came[hand] += 1


@jit
def gained(lines, cards, rule, model, response, rooms, streets, out):
    """What the hero of a model wins more on each of some deals by a response than by the model's
    own play in its seat: both meet the same cards and the same moves of the others."""
    room, twin = rooms
    for begin in range(0, out.size, DEALS):
        count = min(DEALS, out.size - begin)
        deals(lines, cards, model, room, begin, count, streets)
        for n in range(count):
            own, _ = descend(
                lines, rule, model.table, None, model.table, True, room, n, model.hero, None,
                np.uint32(0),
            )  # fmt: skip
            for k in range((own // FOUR + ONE) * np.uint64(room.width)):
                twin.value[k] = room.value[k]
            before = _collect(None, rule, model.table, None, room, own)
            after = _collect(None, rule, response, None, twin, own)
            out[begin + n] = np.float64(after) - np.float64(before)


@jit
def most_visits(lines, player, most):
    """How many decisions the longest walk of a player can meet; ``most`` is room for each node."""
    for back in range(most.size):
        v = most.size - 1 - back
        kind, count = kind_of(told(lines, v, WHAT)), told(lines, v, WHAT) >> COUNT
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


@inlined
def _whole_row(lines, node, bucket):
    """How many actions a row has, where it begins, and where its regrets are added."""
    what, low = told(lines, node, WHAT), row_of(lines, node, bucket)
    return np.uint64(what >> COUNT), low, _learned_at(lines.aside, what, low)


@jit
def sums(lines, nodes, buckets, rule, table, out):
    """Regrets and sums of probability in the order of ``averages``, brought up to a round.

    Regrets that lie aside come in the place of those of the trunk.
    """
    at = np.uint64(0)
    for n in range(nodes.size):
        for bucket in range(buckets[n]):
            count, low, learned = _whole_row(lines, nodes[n], np.uint32(bucket))
            refresh(table, low, count, rule)
            for a in range(count):
                out[0, at] = table[learned + a]
                out[1, at] = table[low + count + a]
                at += ONE


@jit
def put_sums(lines, nodes, buckets, rule, given, table):
    """The same back, as of a round; nothing lies aside."""
    at = np.uint64(0)
    for n in range(nodes.size):
        for bucket in range(buckets[n]):
            count, low, learned = _whole_row(lines, nodes[n], np.uint32(bucket))
            for a in range(count):
                table[learned + a] = np.float32(0)
                table[low + a] = given[0, at]
                table[low + count + a] = given[1, at]
                at += ONE
            if rule.fading:
                table[low + TWO * count] = np.float32(rule.now)
