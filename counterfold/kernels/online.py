"""Learning while playing: what each online learner does with a hand that has just ended.

A learner knows its own decisions in the hand, what it won, and the moves that everybody saw.
All learners keep their tables in one set of arrays, a row each, and update the infosets that
they passed through from the last to the first. ``exploit/online.py`` says where each rule
comes from.
"""

from typing import NamedTuple

import numpy as np

from counterfold.kernels.dbbr import rebuild
from counterfold.kernels.jit import inlined, jit, subkernel
from counterfold.kernels.rule import accumulate, match, weigh

NONE = np.uint32(0xFFFFFFFF)

FIXED, SEOCFR, SEOCFR_IW, DEOCFR, MCCFR_OS, Q, SARSA, DBBR = range(8)
RATE, EXPLORE, PLUS, PRIOR, WAIT, EVERY, FLAVOUR = range(7)
PARAMETERS = 7


class Minds(NamedTuple):
    """What the agents of a match know, a row each; unused tables are one number wide."""

    kind: np.ndarray  # [agents]
    param: np.ndarray  # [agents, PARAMETERS]
    strategy: np.ndarray  # [agents, slots] what is played
    target: np.ndarray  # [agents, slots] the same without exploration; DBBR's equilibrium
    regret: np.ndarray  # [agents, slots]
    value: np.ndarray  # [agents, slots] of actions, in the learner's own unit; DBBR's model
    worth: np.ndarray  # [agents, infosets] what an infoset last counted for above
    won: np.ndarray  # [agents, ends] sum of payoffs in hands that ended like this
    end: np.ndarray  # [agents, ends] its last estimated value
    moves: np.ndarray  # [agents, moves] how often others made a public move
    hands: np.ndarray  # [agents, players] hands learned from in each seat


class Ground(NamedTuple):
    """What learners need of the game."""

    start: np.ndarray  # [infosets + 1]
    above: np.ndarray  # [infosets] own action that leads here, or NONE
    ends: np.ndarray  # [leaves, players] what a player sees at the end
    move: np.ndarray  # [nodes] number of the node's first public move, or NONE


class Trace(NamedTuple):
    """One hand as each agent saw it."""

    infoset: np.ndarray  # [agents, depth] own decisions
    slot: np.ndarray  # [agents, depth] actions taken there
    length: np.ndarray  # [agents]
    moves: np.ndarray  # [agents, depth] public moves of the others
    others: np.ndarray  # [agents]


@inlined
def _match(minds, g, lo, hi, into):
    """Regret matching; even where no regret is positive."""
    total, even = 0.0, 1.0 / (hi - lo)
    for a in range(lo, hi):
        total += weigh(minds.regret[g, a])
    for a in range(lo, hi):
        into[g, a] = match(weigh(minds.regret[g, a]), total, even)


@inlined
def _reach(minds, trace, g):
    """How likely the learner's own play was to make these decisions."""
    reach = 1.0
    for k in range(trace.length[g]):
        reach *= minds.strategy[g, trace.slot[g, k]]
    return reach


@subkernel
def _regrets(minds, ground, trace, g, unit):
    """Values from the last own decision to the first, and regrets from them.

    ``value`` counts in units: the sum of weighted results, or their mean.
    """
    n = trace.length[g]
    lowest = 0.0 if minds.param[g, PLUS] > 0 else -np.inf
    for back in range(n):
        i = trace.infoset[g, n - 1 - back]
        lo, hi = ground.start[i], ground.start[i + 1]
        value = 0.0
        for a in range(lo, hi):
            value += minds.strategy[g, a] * minds.value[g, a]
        for a in range(lo, hi):
            new = (minds.value[g, a] - value) / unit
            minds.regret[g, a] = accumulate(minds.regret[g, a], new, 1.0, 1.0, lowest)
        _match(minds, g, lo, hi, minds.strategy)
        above = ground.above[i]
        if above != NONE:
            minds.value[g, above] += value - minds.worth[g, i]
        minds.worth[g, i] = value


@inlined
def _static(minds, ground, trace, g, seat, leaf, payoff):
    """seOCFR as published: an end's value is what was won there, by how often one got there."""
    hands = minds.hands[g, seat]
    last = trace.slot[g, trace.length[g] - 1]
    z = ground.ends[leaf, seat]
    minds.won[g, z] += payoff
    estimate = minds.won[g, z] / (_reach(minds, trace, g) * hands)
    minds.value[g, last] += estimate - minds.end[g, z]
    minds.end[g, z] = estimate
    _regrets(minds, ground, trace, g, 1.0)


@inlined
def _weighted(minds, ground, trace, g, seat, payoff):
    """seOCFR with every hand weighed when it is played: consistent as the strategy moves."""
    last = trace.slot[g, trace.length[g] - 1]
    minds.value[g, last] += payoff / _reach(minds, trace, g)
    _regrets(minds, ground, trace, g, minds.hands[g, seat])


@subkernel
def _dynamic(minds, ground, trace, g, payoff):
    """deOCFR: action values that follow the latest results, and regrets from them."""
    n, rate, goal = trace.length[g], minds.param[g, RATE], payoff
    for back in range(n):
        i, taken = trace.infoset[g, n - 1 - back], trace.slot[g, n - 1 - back]
        lo, hi = ground.start[i], ground.start[i + 1]
        minds.value[g, taken] += rate * (goal - minds.value[g, taken])
        value = 0.0
        for a in range(lo, hi):
            value += minds.strategy[g, a] * minds.value[g, a]
        for a in range(lo, hi):
            new = minds.value[g, a] - value
            minds.regret[g, a] = accumulate(minds.regret[g, a], new, 1.0, 1.0, -np.inf)
        _match(minds, g, lo, hi, minds.strategy)
        goal = value


@subkernel
def _sampled(minds, ground, trace, g, payoff):
    """Outcome-sampling MCCFR with the hand as its sample."""
    n, explore = trace.length[g], minds.param[g, EXPLORE]
    weight = payoff / _reach(minds, trace, g)
    tail = 1.0
    for back in range(n):
        i, taken = trace.infoset[g, n - 1 - back], trace.slot[g, n - 1 - back]
        lo, hi = ground.start[i], ground.start[i + 1]
        after = tail
        tail *= minds.target[g, taken]
        for a in range(lo, hi):
            new = weight * ((after if a == taken else 0.0) - tail)
            minds.regret[g, a] = accumulate(minds.regret[g, a], new, 1.0, 1.0, -np.inf)
        _match(minds, g, lo, hi, minds.target)
        for a in range(lo, hi):
            minds.strategy[g, a] = explore / (hi - lo) + (1.0 - explore) * minds.target[g, a]


@inlined
def _best(minds, g, lo, hi):
    best = lo
    for a in range(lo, hi):
        if minds.value[g, a] > minds.value[g, best]:
            best = a
    return best


@subkernel
def _temporal(minds, ground, trace, g, payoff):
    """Q-learning, and Sarsa, which looks ahead to the action taken instead of the best."""
    n, explore = trace.length[g], minds.param[g, EXPLORE]
    goal = payoff
    for back in range(n):
        i, taken = trace.infoset[g, n - 1 - back], trace.slot[g, n - 1 - back]
        lo, hi = ground.start[i], ground.start[i + 1]
        ahead = minds.value[g, taken if minds.kind[g] == SARSA else _best(minds, g, lo, hi)]
        minds.value[g, taken] += minds.param[g, RATE] * (goal - minds.value[g, taken])
        goal = ahead  # as it stood when the hand came here
        best = _best(minds, g, lo, hi)
        for a in range(lo, hi):
            minds.strategy[g, a] = explore / (hi - lo) + (1.0 - explore if a == best else 0.0)


@jit
def note_moves(minds, study, trace, g, seat):
    """DBBR: count what others do; from ``wait`` hands on, best-respond to the model of it."""
    minds.hands[g, seat] += 1.0
    for k in range(trace.others[g]):
        minds.moves[g, trace.moves[g, k]] += 1.0
    hands = minds.hands[g, 0] + minds.hands[g, 1]
    wait, every = minds.param[g, WAIT], minds.param[g, EVERY]
    if hands >= wait and (hands - wait) % every == 0:
        for modelled in range(2):
            rebuild(
                study, minds.moves[g], minds.target[g], minds.value[g], minds.strategy[g],
                modelled, minds.param[g, PRIOR], np.int64(minds.param[g, FLAVOUR]),
            )  # fmt: skip


@jit
def learn(minds, ground, trace, g, seat, leaf, payoff):
    """Agent g, who sat in this seat, learns from the hand in the trace; DBBR has its own way."""
    minds.hands[g, seat] += 1.0
    kind = minds.kind[g]
    if trace.length[g] == 0:
        return
    if kind == SEOCFR:
        _static(minds, ground, trace, g, seat, leaf, payoff)
    elif kind == SEOCFR_IW:
        _weighted(minds, ground, trace, g, seat, payoff)
    elif kind == DEOCFR:
        _dynamic(minds, ground, trace, g, payoff)
    elif kind == MCCFR_OS:
        _sampled(minds, ground, trace, g, payoff)
    else:
        _temporal(minds, ground, trace, g, payoff)
