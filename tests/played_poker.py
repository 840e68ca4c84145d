"""What agents at a poker table do, as a strategy of the compiled rules."""

import numpy as np

import counterfold as cf
from counterfold.agent import Observation
from counterfold.games.base import CHANCE, TERMINAL, label


def as_strategy(tree, rules, agent):
    """What an agent does at every infoset of the compiled rules."""
    met, stack = {}, [rules.root()]
    while stack:
        state = stack.pop()
        turn = rules.turn(state)
        if turn == CHANCE:
            stack += [rules.next(state, move) for move, _ in rules.chance(state)]
        elif turn != TERMINAL:
            seen = rules.observe(state, turn)
            met[turn, label(seen)] = Observation(turn, seen, rules.actions(state))
            stack += [rules.next(state, move) for move in rules.actions(state)]
    infosets = tree.infosets
    places = zip(infosets.owner.tolist(), infosets.labels, strict=True)
    return cf.Strategy.of(tree, np.concatenate([[*agent.odds(met[p]).values()] for p in places]))
