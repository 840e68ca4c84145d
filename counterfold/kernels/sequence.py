"""Full traversals in sequence form: a gradient is one gather, an update two passes.

All players live in one numbering of sequences: ``0 .. n - 1`` are the players' empty ones,
then come groups of infosets that have one owner, one depth in the owner's own decisions and
one number of actions. A group of m infosets with A actions takes A runs of m sequences, one
run an action, so that every loop below runs over neighbours in memory. ``x[s]`` is the
probability that the owner's own choices play sequence ``s``.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels import rule
from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.rule import accumulate, average, heaviest, match, predict, weigh


class Form(NamedTuple):
    """A game in sequence form. Index arrays are all uint32."""

    groups: np.ndarray  # [players + 1] groups of player p: groups[p] to groups[p + 1]
    infoset: np.ndarray  # [groups + 1] first infoset of each group
    start: np.ndarray  # [groups + 1] first sequence of each group
    parent: np.ndarray  # [infosets] the sequence that leads to an infoset
    ptr: np.ndarray  # [sequences + 1] a sequence's leaves: ptr[s] to ptr[s + 1]
    col: np.ndarray  # [leaves * (players - 1)] the other players' sequences at a leaf
    val: np.ndarray  # [leaves] chance x payoff to the sequence's owner


class Tables(NamedTuple):
    """What a solver learns, one number a sequence."""

    regret: np.ndarray
    strategy: np.ndarray  # the strategy of the next iteration, by infoset
    reach: np.ndarray  # the same as probabilities of sequences
    total: np.ndarray  # weighted sum of reach over iterations: the average strategy


class Play(NamedTuple):
    """The play so far, summed with the weights of the average strategy."""

    gradient: np.ndarray  # [sequences] what each sequence would have earned
    earned: np.ndarray  # [players] what was earned
    pairs: np.ndarray  # [pairs] what a sequence would have earned where another was told
    told: np.ndarray  # [pairs] the sequence that was told
    taken: np.ndarray  # [pairs] the one that is taken in its place


class Scratch(NamedTuple):
    """Room to work in."""

    gradient: np.ndarray  # [sequences]
    value: np.ndarray  # [largest group]
    weight: np.ndarray  # [largest group]


@inlined
def _pair(form, x, s):
    """Expected payoff of the leaves at sequence s, against one other player."""
    acc = x.dtype.type(0)
    for k in range(form.ptr[s], form.ptr[s + 1]):
        acc += form.val[k] * x[form.col[k]]
    return acc


@inlined
def _crowd(form, x, s, others):
    """The same against several others (or none)."""
    acc = x.dtype.type(0)
    for k in range(form.ptr[s], form.ptr[s + 1]):
        term = form.val[k]
        for j in range(others):
            term *= x[form.col[k * others + j]]
        acc += term
    return acc


@inlined
def _gather(form, x, g, first, last):
    others = np.uint32(form.groups.size - 2)
    if others == 1:
        for s in range(first, last):
            g[s] = _pair(form, x, s)
    else:
        for s in range(first, last):
            g[s] = _crowd(form, x, s, others)


@inlined
def gradient(form, player, x, g):
    """g[s] for the player's sequences: expected payoff of leaves at s, given the others' x."""
    _gather(form, x, g, player, player + 1)
    _gather(form, x, g, form.start[form.groups[player]], form.start[form.groups[player + 1]])


@inlined
def earned(form, player, x, g):
    """The player's expected payoff, from a gradient to which no values were added yet."""
    total = g[player]
    for s in range(form.start[form.groups[player]], form.start[form.groups[player + 1]]):
        total += g[s] * x[s]
    return total


@inlined
def _weigh_run(tables, preference, g, work, lo, below, width, row):
    """Regrets and weights of one action at a group of infosets."""
    dtype = g.dtype.type
    positive, negative, lowest = rule.discounts(row, dtype)
    prediction, summed = dtype(row[rule.PREDICTION]), dtype(row[rule.WEIGHT])
    worth, played = g[lo : lo + width], tables.strategy[lo : lo + width]
    regret, value, weight = tables.regret[lo : lo + width], work.value, work.weight
    styled = preference.delta.size > 0
    delta, beta = preference.delta[lo : lo + width], preference.beta[below : below + width]
    best = styled and row[rule.BEST] > 0
    for k in range(width):
        new = worth[k] - value[k]
        now = accumulate(regret[k], new, positive, negative, lowest)
        regret[k] = now
        ahead = predict(now, new, prediction)
        ahead = weigh(ahead, delta[k], summed * beta[k]) if styled else weigh(ahead)
        played[k] = ahead
        weight[k] = max(weight[k], ahead) if best else weight[k] + ahead


@inlined
def _match_runs(tables, preference, work, start, stop, width, best):
    """Strategies from weights, whose sums or largest ``work.weight`` holds."""
    dtype = work.weight.dtype.type
    one, weight = dtype(1), work.weight
    even = one / dtype((stop - start) // width)
    rest, plain = work.value, preference.delta.size == 0
    if plain:
        for k in range(width):
            weight[k], rest[k] = rule.split(rule.scale(weight[k], one, even))
    elif not best:
        for k in range(width):
            weight[k] = rule.scale(weight[k], one, even)
    for lo in range(start, stop, width):
        played = tables.strategy[lo : lo + width]
        if plain:
            for k in range(width):
                played[k] = average(played[k], weight[k], rest[k])
        else:
            fallback = preference.fallback[lo : lo + width]
            if best:
                for k in range(width):
                    played[k], weight[k] = heaviest(played[k], weight[k], fallback[k])
            else:
                for k in range(width):
                    played[k] = rule.share(played[k], weight[k], fallback[k])


@inlined
def _bottom_up(form, player, tables, preference, work, row):
    """Values from the last decisions to the first; regrets and the next strategy on the way."""
    zero = work.gradient.dtype.type(0)
    best = preference.delta.size > 0 and row[rule.BEST] > 0
    g, value, weight = work.gradient, work.value, work.weight
    for back in range(form.groups[player + 1] - form.groups[player]):
        group = np.int64(form.groups[player + 1]) - 1 - back
        start, below = np.int64(form.start[group]), np.int64(form.infoset[group])
        width = np.int64(form.infoset[group + 1]) - below
        actions = (np.int64(form.start[group + 1]) - start) // width
        parent = form.parent[below : below + width]
        for k in range(width):
            value[k] = zero
            weight[k] = zero
        for lo in range(start, start + actions * width, width):
            played, worth = tables.strategy[lo : lo + width], g[lo : lo + width]
            for k in range(width):
                value[k] += played[k] * worth[k]
        for k in range(width):
            g[parent[k]] += value[k]
        for lo in range(start, start + actions * width, width):
            _weigh_run(tables, preference, g, work, lo, below, width, row)
        _match_runs(tables, preference, work, start, start + actions * width, width, best)


@inlined
def spread(form, player, strategy, x, work):
    """Probabilities of the player's sequences from a strategy by infoset."""
    above = work.weight
    for group in range(form.groups[player], form.groups[player + 1]):
        start, below = np.int64(form.start[group]), np.int64(form.infoset[group])
        width = np.int64(form.infoset[group + 1]) - below
        parent = form.parent[below : below + width]
        for k in range(width):
            above[k] = x[parent[k]]
        for lo in range(start, np.int64(form.start[group + 1]), width):
            played, reach = strategy[lo : lo + width], x[lo : lo + width]
            for k in range(width):
                reach[k] = above[k] * played[k]


@inlined
def _respond(form, player, tables, preference, work, row):
    _bottom_up(form, player, tables, preference, work, row)
    dtype = work.gradient.dtype.type
    factor = dtype(row[rule.AVERAGE])
    tables.total[player] = average(tables.total[player], factor, dtype(1))
    first, last = form.start[form.groups[player]], form.start[form.groups[player + 1]]
    total, reach = tables.total[first:last], tables.reach[first:last]
    for s in range(total.size):
        total[s] = average(total[s], factor, reach[s])
    spread(form, player, tables.strategy, tables.reach, work)


@jit
def iterate(form, tables, preference, play, work, schedule, alternating):
    """One iteration for each row of the schedule.

    The average takes in the strategies that were played in the iteration. ``play`` follows
    the joint play where it has arrays of full size, and is left alone where it is empty.
    """
    players = form.groups.size - 1
    follow = play.earned.size > 0
    g, x = work.gradient, tables.reach
    for t in range(schedule.shape[0]):
        row = schedule[t]
        if follow or not alternating:
            for player in range(players):
                gradient(form, player, x, g)
        if follow:
            for player in range(players):
                now = earned(form, player, x, g)
                play.earned[player] = average(play.earned[player], row[rule.AVERAGE], now)
            for s in range(g.size):
                play.gradient[s] = average(play.gradient[s], row[rule.AVERAGE], g[s])
            for k in range(play.pairs.size):
                gain = x[play.told[k]] * g[play.taken[k]]
                play.pairs[k] = average(play.pairs[k], row[rule.AVERAGE], gain)
        for player in range(players):
            if alternating:
                gradient(form, player, x, g)
            _respond(form, player, tables, preference, work, row)


@jit
def gather(form, x, g, first, last):
    """A part of a gradient, for one of several threads."""
    _gather(form, x, g, first, last)


@jit
def respond(form, player, tables, preference, work, row):
    """The rest of a player's half of an iteration, once its gradient is there."""
    _respond(form, player, tables, preference, work, row)


@inlined
def best_reply(form, player, work, choice):
    """The most that can be made of a gradient; ``choice[i]`` is the first best action."""
    g, best = work.gradient, work.value
    for back in range(form.groups[player + 1] - form.groups[player]):
        group = np.int64(form.groups[player + 1]) - 1 - back
        start, below = np.int64(form.start[group]), np.int64(form.infoset[group])
        width = np.int64(form.infoset[group + 1]) - below
        parent, chosen = form.parent[below : below + width], choice[below : below + width]
        worth = g[start : start + width]
        for k in range(width):
            best[k] = worth[k]
            chosen[k] = 0
        for a in range(1, (np.int64(form.start[group + 1]) - start) // width):
            worth = g[start + a * width : start + (a + 1) * width]
            for k in range(width):
                if worth[k] > best[k]:
                    best[k] = worth[k]
                    chosen[k] = a
        for k in range(width):
            g[parent[k]] += best[k]
    return g[player]


@jit
def assess(form, strategy, x, work, choice, values, best):
    """Each player's expected payoff, and the best it could get against the others."""
    players = form.groups.size - 1
    for player in range(players):
        x[player] = 1
        spread(form, player, strategy, x, work)
    for player in range(players):
        gradient(form, player, x, work.gradient)
        values[player] = earned(form, player, x, work.gradient)
        best[player] = best_reply(form, player, work, choice)


@jit
def hindsight(form, work, choice, best):
    """The best that each player could have made of the gradients summed in the scratch."""
    for player in range(form.groups.size - 1):
        best[player] = best_reply(form, player, work, choice)


@jit
def normalise(form, total, strategy, work):
    """The average strategy by infoset; even where the player never goes."""
    weight = work.weight
    for group in range(form.start.size - 1):
        start = np.int64(form.start[group])
        width = np.int64(form.infoset[group + 1]) - np.int64(form.infoset[group])
        actions = (np.int64(form.start[group + 1]) - start) // width
        for k in range(width):
            weight[k] = 0.0
        for lo in range(start, start + actions * width, width):
            summed = total[lo : lo + width]
            for k in range(width):
                weight[k] += summed[k]
        for lo in range(start, start + actions * width, width):
            summed, played = total[lo : lo + width], strategy[lo : lo + width]
            for k in range(width):
                played[k] = match(summed[k], weight[k], 1.0 / actions)
