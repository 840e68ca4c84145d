"""Styles as people say them: which actions, whose, where, how strongly, and what they may cost."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict, Unpack, get_args

from counterfold.errors import ParameterError, short
from counterfold.poker.game import PokerGame
from counterfold.poker.ranges import Range
from counterfold.solvers.conditions import Conditions
from counterfold.strategy.layout import Row
from counterfold.tree.form import Bucketed, Form, InfosetForm
from counterfold.tree.public import PublicTree

Per = Literal["infoset", "hand"]
_CARD = re.compile(r"[2-9TJQKA][cdhs]", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """Infosets of a game: those that fit everything that is not None."""

    player: int | None = None
    seen: str | None = None
    round: int | None = None
    where: Callable[[Row], bool] | None = None
    hands: str | Range | None = None
    street: str | None = None
    raises: int | None = None

    def __str__(self) -> str:
        """In words, each after a blank: nothing for the whole game."""
        parts = {
            f" of player {(self.player or 0) + 1}": self.player,
            f" in round {self.round}": self.round,
            f" at {self.seen!r}": self.seen,
            " where a predicate holds": self.where,
            f" with {self.hands}": self.hands,
            f" on the {self.street}": self.street,
            f" after {self.raises} raises": self.raises,
        }
        return "".join(words for words, given in parts.items() if given is not None)


@dataclass(frozen=True)
class Preference:
    """A preference degree (delta) for an action, and where it holds."""

    action: str
    degree: float
    place: Place


@dataclass(frozen=True)
class Allowance:
    """A vulnerability degree (beta): regret that may be ignored, and where.

    That is where one of the ``actions`` is offered, or in the whole place if none are named.
    """

    amount: float
    place: Place
    actions: tuple[str, ...]
    per: Per


class StylePlace(TypedDict, total=False):
    """Where a ``Style`` holds and how it plays, by the names of its settings."""

    player: int | None
    seen: str | None
    round: int | None
    where: Callable[[Row], bool] | None
    hands: str | Range | None
    street: str | None
    raises: int | None
    best: bool


class StyleSettings(StylePlace, total=False):
    """All settings of a ``Style`` beside its preferences."""

    give_up: float
    per: Per


class Style:
    """Preference degrees (delta) by action, and what may be given up for them (beta).

    ``prefer`` maps names of actions to degrees from 1 (no preference) up; the first word of an
    action stands for all that begin with it (``bet`` is every bet, ``bet 66`` one of them). A
    style holds for all seats or for one ``player`` (from 0), everywhere or where an infoset's name
    fits ``seen`` (a whole name, else a part of one or a glob), in all rounds or in one (from 1), or
    where a predicate ``where`` on the infoset's row is true. In poker of all hands at once names
    are the hand and what was said street by street, with no board; a style may be for some
    ``hands`` (``JJ-22,AQ`` or a Range, whose weights say how much of the preference a hand has),
    for one ``street`` by its name, or after so many bets and ``raises`` on a street (blinds are
    none). Over buckets hands are told apart on the first street only.

    ``give_up`` is the average counterfactual regret, in payoff units, that may be ignored at each
    such infoset; the price of it in exploitability is measured, not assumed. It counts a hand and
    a board by how seldom they come; with ``per="hand"`` it is chips each time that a hand of poker
    meets the board.
    ``best`` plays the heaviest action alone, Pref-CFR(BR), which pulls two to three times
    harder than playing all actions by weight, Pref-CFR(RM).

    Styles add up: where several speak of an action their degrees multiply, and the largest
    ``give_up`` counts.

    >>> import counterfold as cf
    >>> bold = cf.Style({"bet": 10.0}, player=0, best=True) + cf.Style({"call": 2.0}, seen="Q*")
    >>> result = cf.solve(cf.Kuhn(), "cfr", cf.Until(iterations=5000), style=bold)
    >>> result.strategy.at("J")["bet"] > 0.25
    True
    >>> river = cf.spot({"board": "Ks 9h 6s 4d 2c", "pot": 20, "stack": 60, "oop": "QQ+,76s",
    ...     "ip": "99+,AK", "bets": ["50%"], "raises": []})
    >>> bluffs = cf.Style({"bet": 9.0}, give_up=2.0, player=0, hands="76s", per="hand")
    >>> result = cf.solve(river, until=cf.Until(iterations=200), style=bluffs)
    >>> result.strategy.at("7d6d", "")["bet 10"] > 0.6  # 0.41 without
    True
    """

    def __init__(  # noqa: PLR0913  (said by their names)
        self,
        prefer: Mapping[str, float] | None = None,
        give_up: float = 0.0,
        *,
        player: int | None = None,
        seen: str | None = None,
        round: int | None = None,
        where: Callable[[Row], bool] | None = None,
        hands: str | Range | None = None,
        street: str | None = None,
        raises: int | None = None,
        per: Per = "infoset",
        best: bool = False,
    ) -> None:
        if not (isinstance(give_up, int | float) and math.isfinite(give_up) and give_up >= 0):
            raise ParameterError(f"give_up is {give_up}, and must be a number from 0 up")
        if not isinstance(prefer or {}, Mapping):
            raise ParameterError(
                f'preferences are degrees by action, such as {{"bet": 2}}, and not {short(prefer)}'
            )
        if round is not None and round < 1:
            raise ParameterError(f"rounds count from 1, so there is no round {round}")
        if per not in get_args(Per):
            raise ParameterError(f"what is given up counts per infoset or per hand, not {per!r}")
        if raises is not None and raises < 0:
            raise ParameterError(f"there are 0 raises or more before a decision, not {raises}")
        place = Place(player, seen, round, where, hands, street, raises)
        self.preferences: tuple[Preference, ...] = tuple(
            Preference(action, _degree(action, degree), place)
            for action, degree in (prefer or {}).items()
        )
        self.allowances: tuple[Allowance, ...] = ()
        if give_up:
            self.allowances = (Allowance(float(give_up), place, tuple(prefer or ()), per),)
        self.best = best

    def __add__(self, other: Style) -> Style:
        if not isinstance(other, Style):
            return NotImplemented
        both = Style(best=self.best or other.best)
        both.preferences = self.preferences + other.preferences
        both.allowances = self.allowances + other.allowances
        return both

    def __repr__(self) -> str:
        words = [f"{one.action}={one.degree:g}{one.place}" for one in self.preferences]
        for allowed in self.allowances:
            per = " per hand" if allowed.per == "hand" else ""
            words.append(f"give up {allowed.amount:g}{per}{allowed.place}")
        return f"Style({', '.join(words) or 'plain'}{', best' if self.best else ''})"

    @property
    def places(self) -> tuple[Place, ...]:
        """Where the style speaks."""
        preferred = tuple(one.place for one in self.preferences)
        return preferred + tuple(allowed.place for allowed in self.allowances)

    def symmetric(self, game: PokerGame) -> bool:
        """Whether it treats hands alike that differ only in suits, since it names no card."""
        return not any(_CARD.search(str(place.hands or "")) for place in self.places)

    def on(self, form: Form) -> Conditions:
        """The arrays of this style for a compiled game.

        >>> import counterfold as cf
        >>> Style({"bet": 5.0}, hands="J").on(cf.compile_game(cf.Kuhn()))
        Traceback (most recent call last):
            ...
        counterfold.errors.ParameterError: kuhn is played history by history, so hands, streets \
and chips per hand mean nothing there; say where with seen, round or where
        """
        from counterfold.style.by_bucket import style_by_bucket
        from counterfold.style.by_hand import style_by_hand
        from counterfold.style.by_infoset import style_by_infoset

        for one in self.preferences:
            _check_action(one.action, form)
        for place in self.places:
            if place.player is not None and not 0 <= place.player < form.players:
                raise ParameterError(
                    f"{form.spec} has players 0 to {form.players - 1}, not {place.player}"
                )
        if isinstance(form, PublicTree):
            return style_by_hand(self, form)
        if isinstance(form, Bucketed):
            return style_by_bucket(self, form)
        poker = (p.hands is not None or p.street or p.raises is not None for p in self.places)
        if any(poker) or any(allowed.per == "hand" for allowed in self.allowances):
            raise ParameterError(
                f"{form.spec} is played history by history, so hands, streets and chips per hand "
                "mean nothing there; say where with seen, round or where"
            )
        assert isinstance(form, InfosetForm)
        return style_by_infoset(self, form)


def _degree(action: str, degree: float) -> float:
    if not (isinstance(degree, int | float) and math.isfinite(degree) and degree >= 1):
        raise ParameterError(
            f"the preference for {action!r} is {degree}, and must be a number from 1 up; "
            "to like an action less, prefer the others"
        )
    return float(degree)


def names_action(name: str, action: str) -> bool:
    """Whether an action is meant by this name: its own, or its first word."""
    return name in (action, action.partition(" ")[0])


def _offered(form: Form) -> set[str]:
    """All actions of a game."""
    if isinstance(form.game, PokerGame):
        return {label for label in form.game.betting.label if label}
    assert isinstance(form, InfosetForm)
    return {action for actions in set(form.infosets.actions) for action in actions}


def _words(actions: Iterable[str]) -> set[str]:
    return {action.partition(" ")[0] for action in actions}


def _check_action(name: str, form: Form) -> None:
    actions = _offered(form)
    words = _words(actions)
    if name not in actions | words:
        near = difflib.get_close_matches(name, sorted(actions | words), n=3) or sorted(words)[:12]
        raise ParameterError(
            f"{form.spec} has no action {name!r}; it has {', '.join(map(repr, near))}"
        )


PRESETS: dict[str, tuple[str, ...]] = {
    "aggressive": ("bet", "raise", "all-in"),
    "passive": ("check", "call"),
    "loose": ("call", "raise", "bet", "all-in"),
    "tight": ("fold", "check"),
}
"""Styles of poker by the actions they prefer, of those that a game has."""


def preset(name: str, strength: float, form: Form, **place: Unpack[StyleSettings]) -> Style:
    """A style of poker by its name, with a strength from 1 up; ``place`` is as for ``Style``.

    >>> import counterfold as cf
    >>> preset("aggressive", 5, cf.compile_game(cf.Leduc()))
    Style(bet=5, raise=5)
    >>> preset("passive", 2, PublicTree(cf.fhp(deck="QKA")), player=0, hands="KK+")
    Style(check=2 of player 1 with KK+, call=2 of player 1 with KK+)
    """
    if name not in PRESETS:
        raise ParameterError(f"there is no style {name!r}; there are {', '.join(PRESETS)}")
    words = _words(_offered(form))
    preferred = [action for action in PRESETS[name] if action in words]
    if not preferred:
        raise ParameterError(f"{form.spec} has none of the actions of a {name} style")
    return Style(dict.fromkeys(preferred, float(strength)), **place)
