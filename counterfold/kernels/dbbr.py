"""Deviation-based best response: a model of an opponent from action counts, and its best reply.

Ganzfried and Sandholm (2011). The opponent acts in public sets; the infosets of one set are its
buckets, among which only the opponent can tell. What it did in a set was counted, whatever it
held. The model is the strategy nearest to an equilibrium that acts as often as was counted; the
three flavours are three meanings of near.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.jit import inlined, jit
from counterfold.kernels.layout import NONE
from counterfold.kernels.nearest import in_proportion, least_squares, rates, shift_weight
from counterfold.kernels.sequence import best_reply

L1, L2, WEIGHT_SHIFTING = 1, 2, 3
"""The flavours."""


class Public(NamedTuple):
    """The public sets of a two-player game, both players' in one numbering. Indices are uint32.

    Buckets stand in the order of their sets, and within one in the order of infosets.
    """

    seats: np.ndarray  # [players + 1] sets of player p: order[seats[p]] to order[seats[p + 1]]
    order: np.ndarray  # sets with a choice, by player, none before a set that leads to it
    of: np.ndarray  # [infosets] the set of each infoset
    first: np.ndarray  # [sets + 1] action a of set n is counted in counts[first[n] + a]
    bucket: np.ndarray  # [sets + 1] first bucket of each set
    start: np.ndarray  # [buckets] first slot of each bucket's actions
    parent: np.ndarray  # [buckets] slot of its owner's last choice before; NONE if there is none
    weight: np.ndarray  # [buckets] chance of its histories, all actions taken as certain
    slots: np.ndarray  # [players + 1] slots of player p: slots[p] to slots[p + 1]
    slot: np.ndarray  # [sequences] slot of each sequence of the sequence form


class Room(NamedTuple):
    """Room to work in."""

    ideal: np.ndarray  # [slots] how likely the equilibrium's own choices lead there
    reach: np.ndarray  # [slots] the same for the model
    holds: np.ndarray  # [most buckets] how likely each bucket of a set is
    left: np.ndarray  # [most buckets] what its settled actions leave to the others
    sorted: np.ndarray  # [most buckets] places of buckets, int64
    wanted: np.ndarray  # [most actions] how often the model has to take each action
    found: np.ndarray  # [most actions] how often it does so far
    gap: np.ndarray  # [most actions] found less wanted
    price: np.ndarray  # [most actions]
    step: np.ndarray  # [most actions]
    trial: np.ndarray  # [most actions]
    matrix: np.ndarray  # [most actions squared]
    settled: np.ndarray  # [most actions] 1 once an action is done with
    x: np.ndarray  # [sequences] probabilities of the opponent's sequences
    met: np.ndarray  # [sequences] how much of the model's play is met after a sequence
    gradient: np.ndarray  # [sequences]
    value: np.ndarray  # [largest group]
    choice: np.ndarray  # [infosets of the form] uint32


class Study(NamedTuple):
    """What DBBR works with."""

    form: NamedTuple  # the sequence form
    public: Public
    room: Room


@jit
def chance_weights(first, child, prob, weight):
    """Chance of each node, all players' actions taken as certain; ``weight`` starts as zeros."""
    weight[0] = 1.0
    for v in range(first.size - 1):
        for e in range(first[v], first[v + 1]):
            weight[child[e]] += weight[v] * prob[e]


@inlined
def _hold(public, lo, hi, reach, holds):
    """How likely each bucket is, up to a factor, for a player with these reaches; their sum."""
    total = 0.0
    for j in range(lo, hi):
        above = public.parent[j]
        weight = public.weight[j]
        if above != NONE:
            weight *= reach[above]
        holds[j - lo] = weight
        total += weight
    return total


@inlined
def _descend(public, lo, hi, size, strategy, reach):
    """Reach of the actions of a set, from the reach of its buckets."""
    for j in range(lo, hi):
        above = public.parent[j]
        own = 1.0
        if above != NONE:
            own = reach[above]
        s = np.int64(public.start[j])
        for a in range(size):
            reach[s + a] = own * strategy[s + a]


@inlined
def _posterior(public, n, counts, equilibrium, prior, room):
    """How often the opponent takes each action: the equilibrium's rates as ``prior`` sightings."""
    lo, hi = np.int64(public.bucket[n]), np.int64(public.bucket[n + 1])
    first, holds = np.int64(public.first[n]), room.holds
    size = np.int64(public.first[n + 1]) - first
    total = _hold(public, lo, hi, room.ideal, holds)
    if total <= 0.0:  # the equilibrium never comes here: by chance alone
        total = 0.0
        for j in range(lo, hi):
            holds[j - lo] = public.weight[j]
            total += public.weight[j]
    for k in range(hi - lo):
        holds[k] /= total
    rates(public, lo, hi, size, holds, equilibrium, room.wanted)
    seen = 0.0
    for a in range(size):
        seen += counts[first + a]
    if seen > 0.0:
        for a in range(size):
            room.wanted[a] = (room.wanted[a] * prior + counts[first + a]) / (prior + seen)


@inlined
def _respond(form, public, equilibrium, strategy, room, seat):
    """The best reply to the model whose reach is in ``room``."""
    hero, x, met = 1 - seat, room.x, room.met
    for s in range(np.int64(public.slots[hero]), np.int64(public.slots[hero + 1])):
        strategy[s] = equilibrium[s]
    first, last = np.int64(form.groups[seat]), np.int64(form.groups[seat + 1])
    x[seat] = 1.0
    for q in range(np.int64(form.start[first]), np.int64(form.start[last])):
        x[q] = room.reach[public.slot[q]]
    first, last = np.int64(form.groups[hero]), np.int64(form.groups[hero + 1])
    room.gradient[hero] = 0.0
    met[hero] = 0.0
    for q in range(np.int64(form.start[first]), np.int64(form.start[last])):
        worth, total = 0.0, 0.0
        for k in range(form.ptr[q], form.ptr[q + 1]):
            total += x[form.col[k]]
            worth += form.val[k] * x[form.col[k]]
        room.gradient[q] = worth
        met[q] = total
    best_reply(form, hero, room, room.choice)
    for back in range(last - first):
        group = last - 1 - back
        start, below = np.int64(form.start[group]), np.int64(form.infoset[group])
        width = np.int64(form.infoset[group + 1]) - below
        stop = np.int64(form.start[group + 1])
        for k in range(width):
            total = 0.0
            for q in range(start + k, stop, width):
                total += met[q]
            if total > 0.0:
                met[form.parent[below + k]] += total
                chosen = start + np.int64(room.choice[below + k]) * width + k
                for q in range(start + k, stop, width):
                    strategy[public.slot[q]] = 1.0 if q == chosen else 0.0


@jit
def rebuild(study, counts, equilibrium, model, strategy, seat, prior, flavour):
    """Model player ``seat`` from counts, and reply to it as the other player.

    Writes the model into the slots of ``seat`` in ``model``, and the best reply into the other
    player's slots of ``strategy``. Public sets are modelled from the top down: how likely each
    bucket is follows from chance and from the model above. Sets that the model never comes to
    keep the equilibrium. The reply is pure, ties go to the first action; it is the equilibrium
    at infosets to which the model never lets it come (or where the model leaves nothing to win
    or lose), for there the equilibrium is the better guess if the model proves wrong.
    """
    form, public, room = study
    for s in range(np.int64(public.slots[seat]), np.int64(public.slots[seat + 1])):
        model[s] = equilibrium[s]
    for place in range(np.int64(public.seats[seat]), np.int64(public.seats[seat + 1])):
        n = np.int64(public.order[place])
        lo, hi = np.int64(public.bucket[n]), np.int64(public.bucket[n + 1])
        size = np.int64(public.first[n + 1]) - np.int64(public.first[n])
        _posterior(public, n, counts, equilibrium, prior, room)
        _descend(public, lo, hi, size, equilibrium, room.ideal)
        total = _hold(public, lo, hi, room.reach, room.holds)
        if total > 0.0:
            for k in range(hi - lo):
                room.holds[k] /= total
            if flavour == L1:
                in_proportion(public, lo, hi, size, model, room)
            elif flavour == L2:
                least_squares(public, lo, hi, size, equilibrium, model, room)
            else:
                shift_weight(public, lo, hi, size, equilibrium, model, room)
        _descend(public, lo, hi, size, model, room.reach)
    _respond(form, public, equilibrium, strategy, room, seat)
