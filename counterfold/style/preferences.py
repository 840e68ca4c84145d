"""Styles as people say them: which actions, whose, where, how strongly, and what they may cost."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from counterfold.errors import ParameterError
from counterfold.solve.conditions import Conditions
from counterfold.strategy.layout import Row, fits
from counterfold.tree.history import HistoryTree

__all__ = ["PRESETS", "Style", "preset"]


@dataclass(frozen=True)
class Wish:
    """One preference: an action, how much it is liked, and where."""

    action: str
    degree: float
    player: int | None = None
    seen: str | None = None
    round: int | None = None
    where: Callable[[Row], bool] | None = None


class Style:
    """Preference degrees (delta) by action, and what may be given up for them (beta).

    ``prefer`` maps names of actions to degrees from 1 (no preference) up. A style holds for all
    seats or for one ``player`` (from 0), everywhere or where an infoset's name fits ``seen`` (a
    whole name, else a part of one or a glob), in all rounds or in one (from 1), or where a
    predicate ``where`` on the infoset's row is true. ``give_up`` is the average counterfactual
    regret, in payoff units, that may be ignored at each such infoset; the price of it in
    exploitability is measured, not assumed.
    ``best`` plays the heaviest action alone, Pref-CFR(BR), which pulls two to three times
    harder than playing all actions by weight, Pref-CFR(RM).

    Styles add up: where several speak of an action their degrees multiply, and the largest
    ``give_up`` counts.

    >>> import counterfold as cf
    >>> bold = cf.Style({"bet": 10.0}, player=0, best=True) + cf.Style({"call": 2.0}, seen="Q*")
    >>> result = cf.solve(cf.Kuhn(), "cfr", cf.Until(iterations=5000), style=bold)
    >>> result.strategy.at("J")["bet"] > 0.25
    True
    """

    def __init__(
        self,
        prefer: Mapping[str, float] | None = None,
        give_up: float = 0.0,
        *,
        player: int | None = None,
        seen: str | None = None,
        round: int | None = None,
        where: Callable[[Row], bool] | None = None,
        best: bool = False,
    ) -> None:
        if not (isinstance(give_up, int | float) and math.isfinite(give_up) and give_up >= 0):
            raise ParameterError(f"give_up is {give_up}, and must be a number from 0 up")
        if round is not None and round < 1:
            raise ParameterError(f"rounds count from 1, so there is no round {round}")
        wishes = []
        for action, degree in (prefer or {}).items():
            if not (isinstance(degree, int | float) and math.isfinite(degree) and degree >= 1):
                raise ParameterError(
                    f"the preference for {action!r} is {degree}, and must be a number from 1 up; "
                    "to like an action less, prefer the others"
                )
            wishes.append(Wish(action, float(degree), player, seen, round, where))
        self.wishes: tuple[Wish, ...] = tuple(wishes)
        # What may be given up, and where: at the infosets of the wishes, or of this place.
        place = Wish("", 1.0, player, seen, round, where)
        self.allowances: tuple[tuple[Wish, float, bool], ...] = (
            ((place, float(give_up), bool(wishes)),) if give_up else ()
        )
        self.best = best

    def __add__(self, other: Style) -> Style:
        if not isinstance(other, Style):
            return NotImplemented
        both = Style(best=self.best or other.best)
        both.wishes = self.wishes + other.wishes
        both.allowances = self.allowances + other.allowances
        return both

    def __repr__(self) -> str:
        told = [f"{w.action}={w.degree:g}{_place(w)}" for w in self.wishes]
        told += [f"give up {amount:g}{_place(place)}" for place, amount, _ in self.allowances]
        return f"Style({', '.join(told) or 'plain'}{', best' if self.best else ''})"

    def for_player(self, player: int) -> Style:
        """The same style for one seat only."""
        one = Style(best=self.best)
        one.wishes = tuple(replace(w, player=player) for w in self.wishes)
        one.allowances = tuple(
            (replace(place, player=player), amount, narrow)
            for place, amount, narrow in self.allowances
        )
        return one

    def on(self, tree: HistoryTree) -> Conditions:
        """The arrays of this style for a compiled game."""
        infosets = tree.infosets
        delta = np.ones(infosets.slots)
        beta = np.zeros(len(infosets.owner))
        liked = np.zeros(len(infosets.owner), dtype=bool)
        for wish in self.wishes:
            _check_wish(wish, tree)
            met = 0
            for i in _places(wish, tree):
                if wish.action in infosets.actions[i]:
                    slot = int(infosets.start[i]) + infosets.actions[i].index(wish.action)
                    delta[slot] *= wish.degree
                    liked[i] = True
                    met += 1
            if not met:
                raise ParameterError(
                    f"{tree.spec} has no infoset{_place(wish)} where {wish.action!r} can be chosen"
                )
        for place, amount, narrow in self.allowances:
            for i in _places(place, tree):
                if liked[i] or not narrow:
                    beta[i] = max(beta[i], amount)
        return Conditions.by_infosets(delta, beta, self.best)


def _check_wish(wish: Wish, tree: HistoryTree) -> None:
    known = sorted({action for actions in set(tree.infosets.actions) for action in actions})
    if wish.action not in known:
        near = difflib.get_close_matches(wish.action, known, n=3) or known[:12]
        raise ParameterError(
            f"{tree.spec} has no action {wish.action!r}; it has {', '.join(map(repr, near))}"
        )
    if wish.player is not None and not 0 <= wish.player < tree.players:
        raise ParameterError(f"{tree.spec} has players 0 to {tree.players - 1}, not {wish.player}")


def _places(wish: Wish, tree: HistoryTree) -> Iterator[int]:
    """Infosets that a wish speaks of."""
    infosets = tree.infosets
    in_round = rounds(tree) if wish.round is not None else None
    exact = wish.seen in infosets.labels  # a whole name means that infoset alone
    for i, (owner, name) in enumerate(zip(infosets.owner.tolist(), infosets.labels, strict=True)):
        if wish.player is not None and owner != wish.player:
            continue
        if wish.seen is not None and not (name == wish.seen if exact else fits(name, wish.seen)):
            continue
        if in_round is not None and in_round(name) != wish.round:
            continue
        if wish.where is not None:
            row = Row(owner, name, dict.fromkeys(infosets.actions[i], 0.0))
            if not wish.where(row):
                continue
        yield i


def rounds(tree: HistoryTree) -> Callable[[str], int]:
    """In which round an infoset lies, by its name, for games that have rounds."""
    told = getattr(tree.game, "round_of", None)
    if told is None:
        raise ParameterError(f"{tree.spec} has no rounds; use a pattern on what is seen instead")
    return told


def _place(wish: Wish) -> str:
    parts = []
    if wish.player is not None:
        parts.append(f" of player {wish.player + 1}")
    if wish.round is not None:
        parts.append(f" in round {wish.round}")
    if wish.seen is not None:
        parts.append(f" at {wish.seen!r}")
    if wish.where is not None:
        parts.append(" where asked")
    return "".join(parts)


PRESETS: dict[str, tuple[str, ...]] = {
    "aggressive": ("bet", "raise"),
    "passive": ("check", "call"),
    "loose": ("call", "raise", "bet"),
    "tight": ("fold", "check"),
}
"""Styles of poker by the actions they prefer."""


def preset(name: str, strength: float, tree: HistoryTree, **place: Any) -> Style:
    """A style of poker by its name, with a strength from 1 up.

    >>> import counterfold as cf
    >>> preset("aggressive", 5, cf.compile_game(cf.Leduc()))
    Style(bet=5, raise=5)
    """
    if name not in PRESETS:
        raise ParameterError(f"there is no style {name!r}; there are {', '.join(PRESETS)}")
    known = {action for actions in set(tree.infosets.actions) for action in actions}
    liked = [action for action in PRESETS[name] if action in known]
    if not liked:
        raise ParameterError(f"{tree.spec} has none of the actions of a {name} style")
    return Style(dict.fromkeys(liked, float(strength)), **place)
