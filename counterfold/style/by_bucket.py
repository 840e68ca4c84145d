"""Styles over betting tree x buckets: preferences by decision and bucket, for sampled engines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.poker.hands import hand_weights
from counterfold.solvers.conditions import Conditions
from counterfold.strategy.layout import Row, fits
from counterfold.style.by_hand import raises_at, street_of
from counterfold.style.preferences import Place, Style, names_action
from counterfold.tree.form import Bucketed


def style_by_bucket(style: Style, form: Bucketed) -> Conditions:
    """A style as arrays over decisions, buckets and actions, in the order of the form."""
    betting = form.game.betting
    counts = form.counts[form.nodes]
    first = dict(zip(form.nodes.tolist(), (np.cumsum(counts) - counts).tolist(), strict=True))
    delta, beta = np.ones(form.size), np.zeros(int(counts.sum()))
    for one in style.preferences:
        offered = False
        for node, share in _nodes_of(one.place, form):
            own = delta[form.start[node] :][: form.counts[node] * form.actions[node]]
            own = own.reshape(form.counts[node], -1)
            for a, child in enumerate(betting.children(node)):
                if names_action(one.action, betting.label[child]):
                    own[:, a] *= 1 + (one.degree - 1) * share
                    offered = True
        if not offered:
            raise ParameterError(
                f"{form.spec} has no infoset{one.place} where {one.action!r} can be chosen"
            )
    for allowed in style.allowances:
        for node, share in _nodes_of(allowed.place, form):
            if allowed.per == "hand":
                share = share * _dealt(form, node)
            here = [betting.label[child] for child in betting.children(node)]
            if not allowed.actions or any(
                names_action(name, label) for name in allowed.actions for label in here
            ):
                part = beta[first[node] :][: form.counts[node]]
                part[:] = np.maximum(part, allowed.amount * share)
    return Conditions.by_infosets(delta, beta, style.best)


def _nodes_of(place: Place, form: Bucketed) -> Iterator[tuple[int, Floats]]:
    """The decisions of a place, with how much each bucket has of what is said there."""
    game, betting = form.game, form.game.betting
    street = None if place.street is None else street_of(game, place.street)
    raised, whole = raises_at(betting), _is_whole(place, form)
    for node in form.nodes.tolist():
        here = int(betting.street[node])
        if place.player not in (None, int(betting.player[node])) or street not in (None, here):
            continue
        if place.round not in (None, here + 1) or place.raises not in (None, int(raised[node])):
            continue
        share = np.ones(form.counts[node])
        if place.hands is not None:
            if here:
                raise ParameterError(
                    "buckets tell hands apart on the first street only; say street="
                    f"{(game.streets or ('the first',))[0]!r} beside hands"
                )
            share = _held(place.hands, form, int(betting.player[node]))
        if place.seen is not None or place.where is not None:
            share = share * _seen(place, whole, form, node)
        if share.any():
            yield node, share


def _dealt(form: Bucketed, node: int) -> Floats:
    """How often each bucket of the first street is dealt to who decides."""
    game, betting = form.game, form.game.betting
    if betting.street[node]:
        raise ParameterError(
            "over buckets what is given up counts per hand on the first street only; say street="
            f"{(game.streets or ('the first',))[0]!r}, or count per infoset"
        )
    weights = np.asarray(game.ranges[int(betting.player[node])], np.float64)
    dealt = np.bincount(form.buckets[0].on(game.board), weights, form.buckets[0].count)
    return np.asarray(dealt / dealt.sum())


def _held(hands: object, form: Bucketed, player: int) -> Floats:
    """How much of each bucket of the first street some hands are."""
    game = form.game
    of, weights = form.buckets[0].on(game.board), np.asarray(game.ranges[player])
    whole = np.bincount(of, weights, form.buckets[0].count)
    part = np.bincount(of, weights * hand_weights(game.rules, hands), form.buckets[0].count)
    return np.divide(part, whole, where=whole > 0, out=np.zeros(len(whole)))


def _is_whole(place: Place, form: Bucketed) -> bool:
    """Is what is seen there the whole name of an infoset of the player?"""
    head, _, line = (place.seen or "").partition(" | ")
    number, betting = head.removeprefix("bucket "), form.game.betting
    return number.isdecimal() and any(
        place.player in (None, int(betting.player[node]))
        and ", ".join(betting.line(node)) == line
        and int(number) < form.counts[node]
        for node in form.nodes.tolist()
    )


def _seen(place: Place, whole: bool, form: Bucketed, node: int) -> Floats:
    """Which buckets have a name that fits: "bucket 7 | raise 3, call"."""
    betting = form.game.betting
    line = ", ".join(betting.line(node))
    actions = dict.fromkeys((betting.label[child] for child in betting.children(node)), 0.0)
    found = np.zeros(form.counts[node])
    for n in range(len(found)):
        name = f"bucket {n} | {line}" if line else f"bucket {n}"
        fitting = name == place.seen if whole else fits(name, place.seen or "")
        if place.seen is None or fitting:
            row = Row(int(betting.player[node]), name, actions)
            found[n] = place.where is None or place.where(row)
    return found
