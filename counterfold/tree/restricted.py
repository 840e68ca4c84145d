"""Games in which the opponent is partly a model: trees whose equilibrium is a response.

A response that trusts a model up to a point is an equilibrium strategy of another game, so that
every method of the engine finds it. Both games here keep the infosets and slots of the game that
they are made from: the strategy of their solution is one of the plain game.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from counterfold.arrays import Floats
from counterfold.games.base import CHANCE
from counterfold.tree.history import NONE, HistoryTree


def restricted_tree(tree: HistoryTree, opponent: int, model: Floats, p: float) -> HistoryTree:
    """The game in which the opponent must follow the model in a share p of the hands.

    Chance decides at the root, seen by the opponent alone: in one copy of the game its moves are
    chance moves with the model's probabilities, in the other it is free. The other player's
    infosets hold the nodes of both copies (Johanson, Zinkevich and Bowling, 2007).
    ``model`` holds probabilities over the tree's slots.

    >>> from counterfold.games.onecard import Kuhn
    >>> from counterfold.tree.history import compile_game
    >>> kuhn = compile_game(Kuhn())
    >>> half = restricted_tree(kuhn, 1, kuhn.infosets.evenly(), 0.5)
    >>> half.histories, half.infosets is kuhn.infosets
    (117, True)
    """
    nodes, edges = tree.histories, len(tree.child)
    theirs = tree.turn == opponent
    first = tree.first.astype(np.int64)
    return replace(
        tree,
        spec=f"{tree.spec} restricted",
        turn=np.concatenate([[CHANCE], np.where(theirs, CHANCE, tree.turn), tree.turn]).astype(
            np.int8
        ),
        first=np.concatenate([[0], 2 + first[:-1], 2 + edges + first]).astype(np.uint32),
        child=np.concatenate(
            [[1, 1 + nodes], 1 + tree.child.astype(np.int64), 1 + nodes + tree.child.astype(int)]
        ).astype(np.uint32),
        prob=np.concatenate([[p, 1 - p], tree.played(theirs, model), tree.prob]),
        infoset=np.concatenate([[NONE], np.where(theirs, NONE, tree.infoset), tree.infoset]).astype(
            np.uint32
        ),
        leaf=np.concatenate([[NONE], tree.leaf, tree.leaf]).astype(np.uint32),
        game=None,
    )


def biased_tree(tree: HistoryTree, opponent: int, model: Floats, confidence: Floats) -> HistoryTree:
    """The game in which the opponent follows the model at each infoset by its confidence.

    Before each decision of the opponent at an infoset I a coin is tossed: with probability
    ``confidence[I]`` chance moves as the model would, else the opponent chooses. Both ways lead
    to the same nodes, so nobody remembers the coins, and the tree becomes a graph (Johanson and
    Bowling, 2009). Forgetting them costs the opponent nothing: coins are private and independent
    of all else, so what it would do after one or the other comes down to the average of both, a
    behaviour that needs no coin. CFR has its guarantee here although recall is not perfect by
    the letter: the opponent's strategies are the products of simplices
    ``confidence * model + (1 - confidence) * anything``, and the weight that an infoset gets
    for the ways there are coins is one number for all of its nodes.
    """
    sure = np.zeros(tree.histories)
    theirs = tree.turn == opponent
    sure[theirs] = confidence[tree.infoset[theirs]]
    # A tossed node becomes three that follow each other: the coin, the model's move, the choice
    # (which a sure coin leaves without weight, so that every infoset keeps its nodes).
    tossed = sure > 0
    block = np.where(tossed, 3, 1)
    place = np.cumsum(block) - block
    source = np.repeat(np.arange(tree.histories), block)
    role = np.arange(len(source)) - place[source]
    coin = tossed[source] & (role == 0)
    fate = tossed[source] & (role == 1)
    first = tree.first.astype(np.int64)
    width = np.where(coin, 2, np.diff(first)[source])
    begin = np.concatenate([[0], np.cumsum(width)])
    owner = np.repeat(np.arange(len(source)), width)
    move = np.arange(begin[-1]) - begin[owner]
    on_coin, on_fate = coin[owner], fate[owner]
    edge = np.where(on_coin, 0, first[source[owner]] + move)
    heads = sure[source[owner]]
    prob = np.where(on_fate, tree.played(theirs, model)[edge], tree.prob[edge])
    by_chance = coin | fate
    return replace(
        tree,
        spec=f"{tree.spec} biased",
        turn=np.where(by_chance, CHANCE, tree.turn[source]).astype(np.int8),
        first=begin.astype(np.uint32),
        child=np.where(on_coin, owner + 1 + move, place[tree.child[edge]]).astype(np.uint32),
        prob=np.where(on_coin, np.where(move == 0, heads, 1 - heads), prob),
        infoset=np.where(by_chance, NONE, tree.infoset[source]).astype(np.uint32),
        leaf=tree.leaf[source],
        merged=True,
        game=None,
    )


def mixed(
    tree: HistoryTree, opponent: int, model: Floats, confidence: Floats, free: Floats
) -> Floats:
    """What the opponent of ``biased_tree`` plays when it chooses as ``free`` says."""
    trust = np.where(tree.infosets.owner == opponent, confidence, 0.0)
    by_slot = np.repeat(trust, tree.infosets.sizes)
    return by_slot * model + (1 - by_slot) * free
