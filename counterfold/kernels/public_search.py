"""Searches on one board, all hands at once: how the opponent comes to its hands, and both learn.

The opponent comes in parts (``search.gadget``): it is dealt a hand, picks one, or stays out if it
likes to. The parts are mixed at the root, hand by hand, and walked through the board as one.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit, subkernel
from counterfold.kernels.public import LEARN, MINE, NOW, THEIRS, traverse
from counterfold.kernels.rule import (
    AVERAGE,
    LOWEST,
    NEGATIVE,
    POSITIVE,
    accumulate,
    average,
    match,
    weigh,
)

GIVEN, CHOOSE, REFUSE = 0, 1, 2  # kinds of parts


class Root(NamedTuple):
    """How the opponent comes to its hands on each line."""

    kind: np.ndarray  # [parts]
    weight: np.ndarray  # [parts]
    shift: np.ndarray  # [parts, lines, hands] what margins are counted from
    range: np.ndarray  # [parts, lines, hands] how hands are dealt
    live: np.ndarray  # [lines, hands] 1 for hands that can meet the hero
    scale: np.ndarray  # [lines, hands] from values of deals to values of a hand; 0 if not live
    play: np.ndarray  # [parts, lines, hands] how it comes now
    total: np.ndarray  # [parts, lines, hands] and how it came, weighted
    regret: np.ndarray  # [parts, 2, lines, hands] of coming in, and of staying out
    sum: np.ndarray  # [1] of the weights of the total
    spare: np.ndarray  # [hands]


class Seats(NamedTuple):
    """Where lines begin in a room to work in, and whose they are."""

    place: np.ndarray  # [lines] rows of values
    row: np.ndarray  # [2, lines] rows of reaches, by player
    reach: np.ndarray  # [lines, hands] the hero's
    whos: np.ndarray  # [2, 1] the opponent and the hero
    scale: float  # what all deals weigh
    start: tuple  # [1, hands] of each player: what a game begins with
    whole: bool  # it begins with the game: reaches are put there instead


@inlined
def _come(root, line, out, row):
    """The opponent's reach on a line, all parts together."""
    for h in range(root.live.shape[1]):
        mixed = root.weight[0] * root.play[0, line, h]
        for part in range(1, root.kind.size):
            mixed += root.weight[part] * root.play[part, line, h]
        out[row, h] = mixed * root.scale[line, h]


@inlined
def _enter(seats, line, out, row):
    for h in range(seats.reach.shape[1]):
        out[row, h] = seats.reach[line, h]


@inlined
def _pick(root, part, line, gains, now):
    """Regrets of the hands that could be picked on a line, and how they are picked next."""
    hands = root.live.shape[1]
    mean, total, alive = 0.0, 0.0, 0.0
    for h in range(hands):
        mean += root.play[part, line, h] * gains[h]
    for h in range(hands):
        new = (gains[h] - mean) * root.live[line, h]
        regret = accumulate(
            root.regret[part, 0, line, h], new, now[POSITIVE], now[NEGATIVE], now[LOWEST]
        )
        root.regret[part, 0, line, h] = regret
        total += weigh(regret)
        alive += root.live[line, h]
    for h in range(hands):
        even = root.live[line, h] / max(alive, 1.0)
        root.play[part, line, h] = match(weigh(root.regret[part, 0, line, h]), total, even)


@inlined
def _refuse(root, part, line, gains, now):
    """Regrets of coming in and of staying out, hand by hand."""
    for h in range(root.live.shape[1]):
        dealt = root.range[part, line, h]
        share = root.play[part, line, h] / dealt if dealt > 0 else 0.0
        here = share * gains[h]
        come = accumulate(
            root.regret[part, 0, line, h], gains[h] - here, now[POSITIVE], now[NEGATIVE],
            now[LOWEST],
        )  # fmt: skip
        stay = accumulate(
            root.regret[part, 1, line, h], -here, now[POSITIVE], now[NEGATIVE], now[LOWEST]
        )
        root.regret[part, 0, line, h], root.regret[part, 1, line, h] = come, stay
        root.play[part, line, h] = dealt * match(weigh(come), weigh(come) + weigh(stay), 0.5)


@subkernel
def _learn_root(root, line, value, place, scale, now):
    """Take in what hands are worth on a line; what was played so far joins the average."""
    hands, gains = root.live.shape[1], root.spare
    for part in range(root.kind.size):
        for h in range(hands):
            root.total[part, line, h] = average(
                root.total[part, line, h], now[AVERAGE], root.play[part, line, h]
            )
        kind = root.kind[part]
        if kind != GIVEN:
            for h in range(hands):
                worth = value[place, h] * scale * root.scale[line, h]
                gains[h] = (worth - root.shift[part, line, h]) * root.live[line, h]
            if kind == CHOOSE:
                _pick(root, part, line, gains, now)
            else:
                _refuse(root, part, line, gains, now)


@jit
def learn_root(root, value, now):
    """One iteration of a root with one line, by what hands [1, hands] are worth there."""
    _learn_root(root, 0, value, 0, 1.0, now)
    root.sum[0] = average(root.sum[0], now[AVERAGE], 1.0)


@jit
def search(tape, ground, sides, room, root, seats, schedule, rows):
    """Iterations of a search, one for each row of the schedule; the opponent learns first.

    ``rows[0]`` are the numbers of the rule as ``traverse`` takes them, and hold those of the last
    iteration before.
    """
    lines = root.live.shape[0]
    other, hero = seats.whos[0, 0], seats.whos[1, 0]
    for k in range(schedule.shape[0]):
        now = schedule[k]
        for c in range(now.size):
            rows[0, NOW, c] = now[c]
        for turn in range(2):
            for line in range(lines):
                mine, theirs = room.mine, room.theirs
                if seats.whole:
                    _come(root, line, seats.start[0 if other == 0 else 1], 0)
                    _enter(seats, line, seats.start[1 if other == 0 else 0], 0)
                elif turn == 0:
                    _come(root, line, mine, seats.row[other, line])
                    _enter(seats, line, theirs, seats.row[hero, line])
                else:
                    _enter(seats, line, mine, seats.row[hero, line])
                    _come(root, line, theirs, seats.row[other, line])
                for h in range(room.value.shape[1]):
                    room.value[seats.place[line], h] = 0
            traverse(tape, ground, sides, room, seats.whos[turn], rows, False, LEARN)
            if turn == 0:
                for line in range(lines):
                    _learn_root(root, line, room.value, seats.place[line], seats.scale, now)
                root.sum[0] = average(root.sum[0], now[AVERAGE], 1.0)
                for c in range(now.size):
                    rows[0, THEIRS, c] = now[c]
        for c in range(now.size):
            rows[0, MINE, c] = now[c]
