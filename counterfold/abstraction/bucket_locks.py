"""What strategies over buckets are worth where locks hold, hand by hand."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from counterfold.abstraction.bucket_form import BucketForm
from counterfold.abstraction.bucket_layout import BucketEvaluator
from counterfold.evaluate.assessment import Assessment
from counterfold.evaluate.exact import evaluator_of
from counterfold.evaluate.public import assess_tables, kernel_tables
from counterfold.poker.game import DECISION
from counterfold.solvers.conditions import Fields
from counterfold.solvers.locked_engine import assess_locked
from counterfold.strategy.layout import Tables
from counterfold.tree.public import PublicTree
from counterfold.tree.public_nodes import NOTHING
from counterfold.tree.traversal import Traversal


def assess_held(form: BucketForm, tables: Tables, fields: Fields) -> Assessment:
    """Exact values of what is played, and the best that each player's free part could do."""
    evaluator = evaluator_of(form)
    assert isinstance(evaluator, BucketEvaluator)
    (played,) = evaluator.lift(tables) if form.players > 2 else (None,)
    if played is not None:
        tree, slots = evaluator.histories, evaluator.slots
        trust = np.repeat(fields["trust"], form.widths)[slots]
        begins = tree.infosets.start[:-1].astype(np.int64)
        return assess_locked(tree, played, fields["held"][slots], trust[begins])
    walk = Traversal(evaluator.tree, "float64")
    extras = tuple(
        walk.arrays.extra(p, **lifted_locks(form, evaluator.tree, p, fields)) for p in (0, 1)
    )
    return assess_tables(walk, kernel_tables(evaluator.lift(tables)), extras)


def lifted_locks(form: BucketForm, tree: PublicTree, player: int, fields: Fields) -> Fields:
    """The fields of a public tree that hold a player's hands to what their buckets are held to."""
    nodes, infoset = tree.nodes, np.cumsum(form.counts[form.nodes]) - form.counts[form.nodes]
    first = dict(zip(form.nodes.tolist(), infoset.tolist(), strict=True))
    number = np.full((len(tree.boards), len(nodes.old)), NOTHING, np.uint32)
    trust, held = list[np.ndarray](), list[np.ndarray]()
    own = (nodes.kind == DECISION) & (nodes.owner == player)
    for at, board in enumerate(tree.boards):
        holes = tree.hands[player][at].holes
        of = form.buckets[board.street].on(board.cards)[holes]
        for n in np.flatnonzero(own & (nodes.street == board.street)).tolist():
            node = int(nodes.old[n])
            share = fields["trust"][first[node] :][: form.counts[node]]
            if not share.any():
                continue
            number[at, n] = len(trust)
            start, size = int(form.start[node]), int(form.counts[node] * form.actions[node])
            rows = fields["held"][start : start + size].reshape(len(share), -1)
            trust.append(_wide(share[of], tree.columns(player)))
            held.append(_wide(rows[of].T, tree.columns(player)))
    begins = [0, *accumulate(len(rows) for rows in held)][:-1]
    return {
        "lock": number,
        "first": np.array(begins, np.uint32),
        "trust": np.stack(trust) if trust else np.zeros((0, tree.columns(player))),
        "held": np.concatenate(held) if held else np.zeros((0, tree.columns(player))),
    }


def _wide(numbers: np.ndarray, columns: int) -> np.ndarray:
    """The same with zeros behind, for hands that are not there."""
    wide = np.zeros((*numbers.shape[:-1], columns))
    wide[..., : numbers.shape[-1]] = numbers
    return wide
