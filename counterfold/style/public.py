"""Styles on public trees: preferences by hand, action and street as the arrays of vector CFR."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.errors import ParameterError
from counterfold.poker.cards import cards_name
from counterfold.poker.game import DECISION, NO_CARD, PokerGame, meetings
from counterfold.poker.hands import hand_weights
from counterfold.solve.conditions import Conditions
from counterfold.strategy.layout import Row, fits
from counterfold.style.preferences import PRESETS, Style, Wish, _place
from counterfold.tree.boards import renamed_holes
from counterfold.tree.public import PublicTree

__all__ = ["HandStyle", "public_preset", "public_style"]

Fields = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class HandStyle:
    """A style for a part of the range, or for one street by its name.

    ``hands`` are words (``JJ-22,AQ``) or a Range; a weight there says how much of the preference
    a hand has.
    """

    style: Style
    hands: Any = None
    street: str | None = None


def public_style(
    style: Style | HandStyle | Sequence[Style | HandStyle],
    tree: PublicTree,
    *,
    per: str = "infoset",
) -> Conditions:
    """A style as the arrays of a public tree, for each player.

    Actions are named by label or by their first word (``bet`` is every bet, ``bet 66`` one of
    them); rounds are streets, counted from 1 where the game begins. Names of infosets, for
    ``seen`` and ``where``, are the hand and what was said street by street, with no board.

    ``give_up`` has the units of a style on any tree: counterfactual regret, which counts a hand
    and a board by how seldom they come. With ``per="hand"`` it is chips each time that the hand
    meets the board.

    >>> from counterfold.poker.holdem import kuhn
    >>> tree = PublicTree(kuhn())
    >>> made = public_style(HandStyle(Style({"bet": 5.0}, player=0), "J"), tree)
    >>> first, second = made.fields
    >>> first["delta"][1, 4 * 9 + 3], first["delta"][1, 4 * 11 + 3], second, made.best
    (np.float64(5.0), np.float64(1.0), {}, False)
    """
    if per not in ("infoset", "hand"):
        raise ParameterError(f"what is given up is told per infoset or per hand, not {per!r}")
    parts = [style] if isinstance(style, Style | HandStyle) else list(style)
    styles = [part if isinstance(part, HandStyle) else HandStyle(part) for part in parts]
    best = any(part.style.best for part in styles)
    nodes, holes = tree.nodes, tree.game.rules.holes
    delta = [np.ones((nodes.actions[p], holes)) for p in (0, 1)]
    beta = [np.zeros((len(nodes.old), holes)) for _ in (0, 1)]
    for part in styles:
        _lean(part, tree, delta, beta)
    found: list[Fields] = []
    for p in (0, 1):
        if not best and (delta[p] == 1).all() and not beta[p].any():
            found.append({})
            continue
        _check_suits(tree, p, delta[p], beta[p])
        fields = {
            "delta": delta[p],
            "fallback": _fallback(tree, p, delta[p], best),
            "beta": beta[p] * _unit(tree, p, per),
        }
        found.append(fields)
    return Conditions((found[0], found[1]), best)


def public_preset(name: str, strength: float, tree: PublicTree, **place: Any) -> Style:
    """A style of poker by its name, with a strength from 1 up; see ``PRESETS``.

    Who likes to bet or raise likes to do so with everything as well.

    >>> from counterfold.poker.holdem import leduc
    >>> public_preset("aggressive", 5, PublicTree(leduc()))
    Style(bet=5, raise=5)
    """
    if name not in PRESETS:
        raise ParameterError(f"there is no style {name!r}; there are {', '.join(PRESETS)}")
    known = {label.partition(" ")[0] for label in tree.game.betting.label}
    wanted = [*PRESETS[name], *(("all-in",) if "bet" in PRESETS[name] else ())]
    liked = [action for action in wanted if action in known]
    if not liked:
        raise ParameterError(f"{tree.game.name} has none of the actions of a {name} style")
    return Style(dict.fromkeys(liked, float(strength)), **place)


def _lean(part: HandStyle, tree: PublicTree, delta: list[Any], beta: list[Any]) -> None:
    """Write one style's preferences into the arrays of both players."""
    game, nodes = tree.game, tree.nodes
    share = np.ones(game.rules.holes)
    if part.hands is not None:
        share = hand_weights(game.rules, part.hands)
    only = None if part.street is None else _street(game, part.street)
    liked = np.zeros((len(nodes.old), game.rules.holes), bool)
    for wish in part.style.wishes:
        _check_wish(wish, game)
        met = False
        for n, there in _places(wish, tree, only):
            labels = game.betting.label
            for a, child in enumerate(nodes.children(n)):
                if _means(wish.action, labels[nodes.old[child]]):
                    p = int(nodes.owner[n])
                    degree = 1.0 + (wish.degree - 1.0) * share * there
                    delta[p][int(nodes.wide[n]) + a] *= degree
                    liked[n] |= there & (share > 0)
                    met = met or bool((there & (share > 0)).any())
        if not met:
            raise ParameterError(
                f"{game.name} has no infoset{_place(wish)}{_told(part)} where {wish.action!r} "
                "can be chosen"
            )
    for place, amount, narrow in part.style.allowances:
        for n, there in _places(place, tree, only):
            p = int(nodes.owner[n])
            here = there & liked[n] if narrow else there
            beta[p][n] = np.maximum(beta[p][n], np.where(here, amount * share, 0.0))


def _places(
    wish: Wish, tree: PublicTree, street: int | None
) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Nodes that a wish speaks of, with the hands there."""
    game, nodes = tree.game, tree.nodes
    whole = _is_whole(wish.seen, game)
    for n in np.flatnonzero(nodes.kind == DECISION).tolist():
        p, round_ = int(nodes.owner[n]), int(nodes.street[n]) + 1
        if wish.player is not None and wish.player != p:
            continue
        if wish.round not in (None, round_) or street not in (None, round_ - 1):
            continue
        there = np.asarray(game.ranges[p]) > 0
        if wish.seen is not None or wish.where is not None:
            there = _seen(wish, whole, game, int(nodes.old[n]), there)
        if there.any():
            yield n, there


def _is_whole(seen: str | None, game: PokerGame) -> bool:
    """Is this the whole name of an infoset?"""
    if seen is None:
        return False
    hand, _, said = seen.partition(" | ")
    for node in np.flatnonzero(game.betting.kind == DECISION).tolist():
        if " | ".join(filter(None, _said(game, node))) == said:
            live = np.flatnonzero(np.asarray(game.ranges[game.betting.player[node]]) > 0)
            if any(_hand_name(game, hole) == hand for hole in live.tolist()):
                return True
    return False


def _seen(
    wish: Wish, whole: bool, game: PokerGame, node: int, live: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Of some hands, those whose names at a node fit."""
    owner, said = int(game.betting.player[node]), _said(game, node)
    actions = dict.fromkeys((game.betting.label[c] for c in game.betting.children(node)), 0.0)
    found = np.zeros_like(live)
    for hole in np.flatnonzero(live).tolist():
        name = " | ".join(filter(None, (_hand_name(game, hole), *said)))
        if wish.seen is not None and not (name == wish.seen if whole else fits(name, wish.seen)):
            continue
        found[hole] = wish.where is None or wish.where(Row(owner, name, actions))
    return found


def _said(game: PokerGame, node: int) -> list[str]:
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


def _hand_name(game: PokerGame, hole: int) -> str:
    return cards_name(int(card) for card in game.rules.cards[hole] if card != NO_CARD)


def _means(action: str, label: str) -> bool:
    return action in (label, label.partition(" ")[0])


def _check_wish(wish: Wish, game: PokerGame) -> None:
    known = sorted({label for label in game.betting.label if label})
    if not any(_means(wish.action, label) for label in known):
        words = sorted({label.partition(" ")[0] for label in known})
        near = difflib.get_close_matches(wish.action, [*words, *known], n=3) or words
        raise ParameterError(
            f"{game.name} has no action {wish.action!r}; it has {', '.join(map(repr, near))}"
        )
    if wish.player not in (None, 0, 1):
        raise ParameterError(f"{game.name} has players 0 to 1, not {wish.player}")


def _street(game: PokerGame, name: str) -> int:
    if name not in game.streets:
        raise ParameterError(
            f"{game.name} has no street {name!r}; it has {', '.join(game.streets) or 'no names'}"
        )
    return game.streets.index(name)


def _told(part: HandStyle) -> str:
    told = "" if part.hands is None else f" with {part.hands}"
    return told + ("" if part.street is None else f" on the {part.street}")


def _fallback(
    tree: PublicTree, p: int, delta: NDArray[np.float64], best: bool
) -> NDArray[np.float64]:
    """What is played where no regret counts: in proportion to delta, or the most liked evenly."""
    nodes, found = tree.nodes, delta.copy()
    for n in np.flatnonzero((nodes.kind == DECISION) & (nodes.owner == p)):
        rows = slice(int(nodes.wide[n]), int(nodes.wide[n]) + int(nodes.count[n]))
        if best:
            found[rows] = delta[rows] == delta[rows].max(0)
        found[rows] /= found[rows].sum(0)
    return found


def _unit(tree: PublicTree, p: int, per: str) -> NDArray[np.float64]:
    """[nodes, holes] what a unit of regret is where regrets are kept.

    They are kept for a deal of the hand and a board that has come. A player's infoset counts
    by the weight of its hand and the chance of its board; a hand by what it can meet.
    """
    game, nodes = tree.game, tree.nodes
    weight = np.asarray(game.ranges[p], np.float64)
    if per == "hand":
        met = meetings(game.rules, np.asarray(game.ranges[1 - p], np.float64)) / tree.weight_sum
        return np.tile(np.where(weight > 0, met, 0.0), (len(nodes.old), 1))
    rules = game.rules
    left = len(rules.deck) - len(game.board) - 2 * rules.hole
    dealt = np.cumsum([0, *rules.deal[1 : nodes.streets]])
    ways = [comb(left - int(dealt[s - 1]), rules.deal[s]) for s in range(1, nodes.streets)]
    boards = np.array([prod(ways[:s]) for s in range(nodes.streets)], np.float64)
    by_hand = np.where(weight > 0, 1.0 / np.where(weight > 0, weight, 1.0), 0.0)
    out: NDArray[np.float64] = boards[nodes.street][:, None] * by_hand
    return out


def _check_suits(tree: PublicTree, p: int, *arrays: NDArray[np.float64]) -> None:
    """Hands that the tree takes as one must be asked for the same."""
    live = np.flatnonzero(np.asarray(tree.game.ranges[p]) > 0)
    for names in tree.boards[0].renamings:
        turned = renamed_holes(tree.game.rules, live, names)
        if any((array[:, turned] != array[:, live]).any() for array in arrays):
            raise ParameterError(
                "the style tells hands apart that differ only in suits, which this tree takes as "
                "one; build it with symmetry=False"
            )
