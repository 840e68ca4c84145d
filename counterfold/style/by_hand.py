"""Styles on public trees: preferences by hand, action and street as the arrays of vector CFR."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, prod

import numpy as np

from counterfold.arrays import Arrays, Bools, Floats, Ints
from counterfold.errors import ParameterError
from counterfold.poker.cards import NO_CARD, cards_name
from counterfold.poker.game import DECISION, BettingTree, PokerGame, meetings
from counterfold.poker.hands import hand_weights
from counterfold.solvers.conditions import Conditions
from counterfold.strategy.layout import Row, fits
from counterfold.style.preferences import Allowance, Place, Preference, Style, names_action
from counterfold.tree.boards import renamed_holes
from counterfold.tree.public import PublicTree


def style_by_hand(style: Style, tree: PublicTree) -> Conditions:
    """A style as arrays over the nodes and hands of a public tree, for each player.

    >>> import counterfold as cf
    >>> from counterfold.poker.holdem import kuhn
    >>> style = cf.Style({"bet": 5.0}, player=0, hands="J").on(PublicTree(kuhn()))
    >>> first, second = style.fields
    >>> first["delta"][1, 4 * 9 + 3], first["delta"][1, 4 * 11 + 3], second, style.best
    (np.float64(5.0), np.float64(1.0), {}, False)
    """
    nodes, holes = tree.nodes, tree.game.rules.holes
    delta = [np.ones((nodes.actions[p], holes)) for p in (0, 1)]
    beta = [np.zeros((len(nodes.old), holes)) for _ in (0, 1)]
    for one in style.preferences:
        _prefer(one, tree, delta)
    for allowed in style.allowances:
        _allow(allowed, tree, beta)
    fields: list[Arrays] = [{}, {}]
    for p in (0, 1):
        if style.best or (delta[p] != 1).any() or beta[p].any():
            _check_suits(tree, p, delta[p], beta[p])
            fallback = fallback_of(tree, p, delta[p], style.best)
            fields[p] = {"delta": delta[p], "fallback": fallback, "beta": beta[p]}
    return Conditions(tuple(fields), style.best)


def _prefer(one: Preference, tree: PublicTree, delta: list[Floats]) -> None:
    """Multiply a preference into the degrees of both players."""
    nodes, labels = tree.nodes, tree.game.betting.label
    offered = False
    for n, share in nodes_of(one.place, tree):
        for a, child in enumerate(nodes.children(n)):
            if names_action(one.action, labels[nodes.old[child]]):
                delta[int(nodes.owner[n])][int(nodes.wide[n]) + a] *= 1 + (one.degree - 1) * share
                offered = True
    if not offered:
        raise ParameterError(
            f"{tree.spec} has no infoset{one.place} where {one.action!r} can be chosen"
        )


def _allow(allowed: Allowance, tree: PublicTree, beta: list[Floats]) -> None:
    """Let both players ignore some regret where it is allowed, as regrets are kept."""
    nodes, labels = tree.nodes, tree.game.betting.label
    units = [_unit(tree, p, allowed.per) for p in (0, 1)]
    for n, share in nodes_of(allowed.place, tree):
        here = [labels[nodes.old[child]] for child in nodes.children(n)]
        if not allowed.actions or any(
            names_action(name, label) for name in allowed.actions for label in here
        ):
            p = int(nodes.owner[n])
            beta[p][n] = np.maximum(beta[p][n], allowed.amount * share * units[p][n])


def nodes_of(place: Place, tree: PublicTree) -> Iterator[tuple[int, Floats]]:
    """The nodes of a place, with how much each hole has of what is said there."""
    game, nodes = tree.game, tree.nodes
    share = np.ones(game.rules.holes)
    if place.hands is not None:
        share = hand_weights(game.rules, place.hands)
    street = None if place.street is None else street_of(game, place.street)
    whole, raised = _is_whole(place, game), raises_at(game.betting)
    for n in np.flatnonzero(nodes.kind == DECISION).tolist():
        p, round_ = int(nodes.owner[n]), int(nodes.street[n]) + 1
        if place.player not in (None, p):
            continue
        if place.round not in (None, round_) or street not in (None, round_ - 1):
            continue
        if place.raises not in (None, int(raised[nodes.old[n]])):
            continue
        there = (np.asarray(game.ranges[p]) > 0) & (share > 0)
        if place.seen is not None or place.where is not None:
            there = _seen(place, whole, game, int(nodes.old[n]), there)
        if there.any():
            yield n, np.where(there, share, 0.0)


def _is_whole(place: Place, game: PokerGame) -> bool:
    """Is what is seen there the whole name of an infoset of the player?"""
    if place.seen is None:
        return False
    hand, _, said = place.seen.partition(" | ")
    for node in np.flatnonzero(game.betting.kind == DECISION).tolist():
        if place.player not in (None, int(game.betting.player[node])):
            continue
        if " | ".join(filter(None, said_at(game, node))) == said:
            live = np.flatnonzero(np.asarray(game.ranges[game.betting.player[node]]) > 0)
            if any(hand_name(game, hole) == hand for hole in live.tolist()):
                return True
    return False


def _seen(place: Place, whole: bool, game: PokerGame, node: int, live: Bools) -> Bools:
    """Of some hands, those whose names at a node fit."""
    owner, said = int(game.betting.player[node]), said_at(game, node)
    actions = dict.fromkeys(game.betting.actions(node), 0.0)
    fitting = np.zeros_like(live)
    for hole in np.flatnonzero(live).tolist():
        name = " | ".join(filter(None, (hand_name(game, hole), *said)))
        if place.seen is not None and not (name == place.seen if whole else fits(name, place.seen)):
            continue
        fitting[hole] = place.where is None or place.where(Row(owner, name, actions))
    return fitting


def raises_at(betting: BettingTree) -> Ints:
    """[nodes] how many bets and raises there were on a street before each node of it.

    >>> from counterfold.poker.holdem import kuhn
    >>> raises_at(kuhn().betting).tolist()
    [0, 0, 1, 0, 1, 1, 1, 1, 1]
    """
    raised = np.zeros(len(betting), np.int64)
    for node in range(1, len(betting)):
        above = int(betting.parent[node])
        if betting.street[above] == betting.street[node]:
            bold = betting.label[node].partition(" ")[0] in ("bet", "raise", "all-in")
            raised[node] = raised[above] + bold
    return raised


def said_at(game: PokerGame, node: int) -> list[str]:
    """What was said at a node, street by street."""
    betting, words = game.betting, [""]
    while node > 0:
        above = int(betting.parent[node])
        if betting.street[above] != betting.street[node]:
            words.insert(0, "")
        else:
            words[0] = f"{betting.label[node]} {words[0]}".rstrip()
        node = above
    return words


def hand_name(game: PokerGame, hole: int) -> str:
    return cards_name(int(card) for card in game.rules.cards[hole] if card != NO_CARD)


def street_of(game: PokerGame, name: str) -> int:
    if name not in game.streets:
        raise ParameterError(
            f"{game.name} has no street {name!r}; it has {', '.join(game.streets) or 'no names'}"
        )
    return game.streets.index(name)


def fallback_of(tree: PublicTree, p: int, delta: Floats, best: bool) -> Floats:
    """What is played where no regret counts: in proportion to delta, or the most liked evenly."""
    nodes, out = tree.nodes, delta.copy()
    for n in np.flatnonzero((nodes.kind == DECISION) & (nodes.owner == p)):
        rows = slice(int(nodes.wide[n]), int(nodes.wide[n]) + int(nodes.count[n]))
        if best:
            out[rows] = delta[rows] == delta[rows].max(0)
        out[rows] /= out[rows].sum(0)
    return out


def _unit(tree: PublicTree, p: int, per: str) -> Floats:
    """[nodes, holes] what a unit of regret is where regrets are kept.

    They are kept for a deal of the hand and a board that has come. A player's infoset counts
    by the weight of its hand and the chance of its board; a hand by what it can meet.
    """
    game, nodes = tree.game, tree.nodes
    weight = np.asarray(game.ranges[p], np.float64)
    if per == "hand":
        met = meetings(np.asarray(game.ranges[1 - p], np.float64)) / tree.weight_sum
        return np.tile(np.where(weight > 0, met, 0.0), (len(nodes.old), 1))
    rules = game.rules
    left = len(rules.deck) - len(game.board) - 2 * rules.hole
    dealt = np.cumsum([0, *rules.deal[1 : nodes.streets]])
    ways = [comb(left - int(dealt[s - 1]), rules.deal[s]) for s in range(1, nodes.streets)]
    boards = np.array([prod(ways[:s]) for s in range(nodes.streets)], np.float64)
    by_hand = np.where(weight > 0, 1.0 / np.where(weight > 0, weight, 1.0), 0.0)
    out: Floats = boards[nodes.street][:, None] * by_hand
    return out


def _check_suits(tree: PublicTree, p: int, *arrays: Floats) -> None:
    """Hands that the tree takes as one must be given the same."""
    live = np.flatnonzero(np.asarray(tree.game.ranges[p]) > 0)
    for names in tree.boards[0].renamings:
        turned = renamed_holes(tree.game.rules, live, names)
        if not all(np.allclose(one[:, turned], one[:, live], 1e-9, 0.0) for one in arrays):
            raise ParameterError(
                "the style tells hands apart that differ only in suits, which this tree takes as "
                "one; build it with symmetry=False"
            )
