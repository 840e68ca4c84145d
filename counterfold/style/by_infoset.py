"""Styles on history graphs: preferences by the names of infosets, as arrays over the slots."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from counterfold.errors import ParameterError
from counterfold.solvers.conditions import Conditions
from counterfold.strategy.layout import Row, fits
from counterfold.style.preferences import Place, Style, names_action
from counterfold.tree.form import InfosetForm


def style_by_infoset(style: Style, tree: InfosetForm) -> Conditions:
    """A style as arrays over the slots and the infosets of a history graph."""
    infosets = tree.infosets
    delta = np.ones(infosets.slots)
    beta = np.zeros(len(infosets.owner))
    for one in style.preferences:
        slots = [
            int(infosets.start[i]) + a
            for i in infosets_of(one.place, tree)
            for a, action in enumerate(infosets.actions[i])
            if names_action(one.action, action)
        ]
        if not slots:
            raise ParameterError(
                f"{tree.spec} has no infoset{one.place} where {one.action!r} can be chosen"
            )
        delta[slots] *= one.degree
    for allowed in style.allowances:
        for i in infosets_of(allowed.place, tree):
            if not allowed.actions or any(
                names_action(name, action)
                for name in allowed.actions
                for action in infosets.actions[i]
            ):
                beta[i] = max(beta[i], allowed.amount)
    return Conditions.by_infosets(delta, beta, style.best)


def infosets_of(place: Place, tree: InfosetForm) -> Iterator[int]:
    """The infosets of a place."""
    infosets = tree.infosets
    in_round = rounds(tree) if place.round is not None else None
    labels = list(enumerate(zip(infosets.owner.tolist(), infosets.labels, strict=True)))
    if place.player is not None:
        labels = [each for each in labels if each[1][0] == place.player]
    exact = any(name == place.seen for _, (_, name) in labels)  # a whole name is that one alone
    for i, (owner, name) in labels:
        if place.seen is not None and not (name == place.seen if exact else fits(name, place.seen)):
            continue
        if in_round is not None and in_round(name) != place.round:
            continue
        if place.where is not None:
            row = Row(owner, name, dict.fromkeys(infosets.actions[i], 0.0))
            if not place.where(row):
                continue
        yield i


def rounds(tree: InfosetForm) -> Callable[[str], int]:
    """In which round an infoset lies, by its name, for games that have rounds."""
    round_of: Callable[[str], int] | None = getattr(tree.game, "round_of", None)
    if round_of is None:
        raise ParameterError(f"{tree.spec} has no rounds; use a pattern on what is seen instead")
    return round_of
