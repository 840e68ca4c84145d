"""Deals for sampled walks: hands, whole boards, who wins, and where the rows of buckets begin.

They are made some at a time, and each asks for what it will read before it is read.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.hands import bit, strength
from counterfold.kernels.jit import inlined
from counterfold.kernels.poker_buckets import RENAMINGS, ask_for, look_up, set_number, word_of
from counterfold.kernels.poker_lines import OWNERS, WHO
from counterfold.kernels.prefetch import prefetch_to_read

TIED = np.uint32(16)  # bits of an outcome before those of ties
END, START = 4, 5  # in ``Cards.sizes``
DECK_BITS = np.uint64((1 << 52) - 1)
PLAYS, DEALT = 0, 1  # streams of random numbers


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
def uniform(random, stream):
    """The next number in [0, 1) of a splitmix64 stream."""
    z = random[stream] + np.uint64(0x9E3779B97F4A7C15)
    random[stream] = z
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(np.int64(z >> np.uint64(11))) * (1.0 / 9007199254740992.0)


@inlined
def _hand(cards, player, random):
    drawn = uniform(random, DEALT) * cards.odds.shape[1]
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
            card = cards.deck[np.uint32(uniform(random, DEALT) * cards.deck.size)]
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
def walker_of(lines, model, number):
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
        room.outcome[n] = _outcome(lines, cards, room, n, walker_of(lines, model, begin + n))
    for n in range(count):
        for street in range(streets):
            for player in range(players):
                found = look_up(cards, room.word[n, street], room.hand[n, player], street)
                owner = player << WHO | street
                room.start[OWNERS * n + owner] = np.uint32(found) * lines.step[owner]
