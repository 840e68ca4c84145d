"""Hands on one board: the room for a walk with all of them, and what ends are worth."""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined
from counterfold.kernels.poker_lines import FOLD, PAYOFF, WHAT, kind_of, told

NO_CARD = 52


class Boards(NamedTuple):
    """Whole boards, and the hands that each leaves in the order of their strength."""

    cards: np.ndarray  # uint8 [boards, 5]
    hand: np.ndarray  # uint32 [boards, hands]
    strength: np.ndarray  # uint32 [boards, hands]
    count: np.ndarray  # int64 [boards]
    ranges: np.ndarray  # float32 [2, hands by number]
    scale: np.ndarray  # float32 [1] so that the weight of all pairs is one, on average


class Field(NamedTuple):
    """Room for a walk; rows of hands are by depth, or by depth and action."""

    bucket: np.ndarray  # uint32 [4, hands]
    low: np.ndarray  # uint8 [hands] their cards
    high: np.ndarray
    weight: np.ndarray  # float32 [hands] of the walking player's hands
    theirs: np.ndarray  # float32 [depth, hands] how likely the other player comes here
    own: np.ndarray  # the same for the walking player
    value: np.ndarray
    play: np.ndarray  # [depth * actions, hands]
    worth: np.ndarray
    node: np.ndarray  # uint32 [depth]
    done: np.ndarray  # int64 [depth] actions tried
    sums: np.ndarray  # float64 [2, 54] by card; 53 for all
    fresh: np.ndarray  # float32 [buckets, 2 * actions] new regrets and strategies, or a strategy
    met: np.ndarray  # int64 [buckets] when a bucket was last met
    list: np.ndarray  # uint32 [buckets] those that were met
    tick: np.ndarray  # int64 [1]


class Edges(NamedTuple):
    """States where a game is cut, and room for what lies behind them.

    A player chooses among continuations there, or goes on by the first. Behind the edge a player's
    rows are those of the copy in which it alone chose otherwise; all copies have the same shape.
    """

    number: np.ndarray  # int32 [nodes] the state that begins there, or -1
    choice: np.ndarray  # int64 [states, 2] the decision where a player chooses, or -1
    root: np.ndarray  # uint32 [states, 2, continuations] where each player's copies begin
    node: np.ndarray  # uint32 [depth, 2, continuations]
    done: np.ndarray  # int64 [depth] actions tried
    theirs: np.ndarray  # float32 [depth * continuations, hands] how likely the other player came
    value: np.ndarray  # [depth * continuations, hands] by each of the own continuations


class Told(NamedTuple):
    """What walks tell of a player's hands, by number: chips in all, and what they met."""

    player: int
    won: np.ndarray  # float64
    met: np.ndarray  # float64


class Walk(NamedTuple):
    """A walk of a player on a board."""

    lines: NamedTuple
    rule: NamedTuple
    table: np.ndarray
    boards: Boards
    field: Field
    board: int
    player: int
    hands: int  # that the board leaves
    width: int  # actions at most


@inlined
def _add(sums, row, low, high, mass):
    sums[row, 53] += mass
    sums[row, low] += mass
    if high < NO_CARD:
        sums[row, high] += mass


@inlined
def _free(sums, row, low, high, same):
    """What shares no card with a hand; its own mass has been taken away twice if it has two."""
    left = sums[row, 53] - sums[row, low]
    if high < NO_CARD:
        left += same - sums[row, high]
    return left


@inlined
def fold(field, d, hands, worth):
    sums = field.sums
    for c in range(54):
        sums[0, c] = 0.0
    for j in range(hands):
        _add(sums, 0, field.low[j], field.high[j], field.theirs[d, j])
    for j in range(hands):
        mass = _free(sums, 0, field.low[j], field.high[j], field.theirs[d, j])
        field.value[d, j] = np.float32(mass * worth)


@inlined
def _showdown(walk, d, win, tie, lose):
    """All that is met loses, and then those that are weaker and those that tie are set right."""
    field, hands, strength = walk.field, walk.hands, walk.boards.strength[walk.board]
    fold(field, d, hands, lose)
    sums = field.sums
    for c in range(54):
        sums[0, c] = 0.0  # of weaker hands
        sums[1, c] = 0.0  # of hands that tie
    i = 0
    while i < hands:
        j = i
        while j < hands and strength[j] == strength[i]:
            _add(sums, 1, field.low[j], field.high[j], field.theirs[d, j])
            j += 1
        for k in range(i, j):
            low, high = field.low[k], field.high[k]
            won = _free(sums, 0, low, high, 0.0) * (win - lose)
            even = _free(sums, 1, low, high, field.theirs[d, k]) * (tie - lose)
            field.value[d, k] += np.float32(won + even)
        for k in range(i, j):
            _add(sums, 0, field.low[k], field.high[k], field.theirs[d, k])
        for k in range(i, j):
            low, high = field.low[k], field.high[k]
            sums[1, low] = 0.0
            sums[1, high] = 0.0
        sums[1, 53] = 0.0
        i = j


@inlined
def end_of(walk, d):
    """The values of the end of a hand, at depth d."""
    lines, field, player = walk.lines, walk.field, walk.player
    node = field.node[d]
    row = 8 * np.int64(told(lines, node, PAYOFF))
    win, tie = lines.payoff[row + 6 * player], lines.payoff[row + 4 * player + 1]
    lose = lines.payoff[row + 2 + 2 * player]
    if kind_of(told(lines, node, WHAT)) == FOLD:
        fold(field, d, walk.hands, win)
    else:
        _showdown(walk, d, win, tie, lose)
