"""What ``--prefer`` says: a style in words, of actions and, in poker, of players and hands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import Unpack

from counterfold.errors import ParameterError
from counterfold.poker.game import PokerGame
from counterfold.poker.hands import hand_weights
from counterfold.style.preferences import Per, Style, StylePlace, StyleSettings
from counterfold.tree.form import AnyGame

_WORD = r"[^:=@\[\]]+"
_IN_POKER = re.compile(
    rf"(?:(?P<who>{_WORD}):)?(?P<action>{_WORD})(?:@(?P<street>{_WORD}))?"
    r"(?:\[(?P<hands>[^\[\]]+)\])?=(?P<degree>[^=]+)"
)
_ELSEWHERE = re.compile(r"(?P<action>.+)=(?P<degree>[^=]+)", re.DOTALL)


def place_in(game: AnyGame, give_up: float | None, **place: Unpack[StylePlace]) -> StyleSettings:
    """Where a style holds and what it may cost, which counts by hand in poker of all hands."""
    per: Per = "hand" if isinstance(game, PokerGame) else "infoset"
    return {**place, "give_up": give_up or 0.0, "per": per}


def read_preferences(texts: Sequence[str], game: AnyGame, place: StyleSettings) -> Style:
    """The style of some preferences; ``place`` is as for ``Style``.

    >>> import counterfold as cf
    >>> read_preferences(["bet=3", "check=2"], cf.Kuhn(), {"player": 0})
    Style(bet=3 of player 1, check=2 of player 1)
    >>> from counterfold.poker.holdem import kuhn
    >>> read_preferences(["second:call[Q]=3"], kuhn(), place_in(kuhn(), 0.1))
    Style(call=3 of player 2 with Q, give up 0.1 per hand of player 2 with Q)
    """
    together: dict[tuple[tuple[str, object], ...], tuple[StyleSettings, dict[str, float]]] = {}
    for text in texts:
        action, degree, own = _parts(text, game)
        where: StyleSettings = {**place, **own}
        where, degrees = together.setdefault(tuple(where.items()), (where, {}))
        if action in degrees:
            raise ParameterError(f"--prefer names {action!r} twice; give it one number")
        degrees[action] = degree
    styles = [Style(degrees, **where) for where, degrees in together.values()]
    return sum(styles[1:], styles[0]) if styles else Style({}, **place)


def _parts(text: str, game: AnyGame) -> tuple[str, float, StylePlace]:
    """An action, how much it is preferred, and where that holds."""
    poker = game if isinstance(game, PokerGame) else None
    parts = (_IN_POKER if poker else _ELSEWHERE).fullmatch(text.strip())
    action = parts["action"].strip() if parts else ""
    try:
        degree = float(parts["degree"]) if parts else inf
    except ValueError:
        action = ""
    if parts is None or not action:
        where = ", oop:raise@turn=5 or ip:call[JJ-22,AQ]=5" if poker else ""
        raise ParameterError(
            f"--prefer {text!r} is not understood; write an action and a number: raise=5{where}"
        )
    own: StylePlace = {}
    if poker is None:
        return action, degree, own
    for group, names in (("who", poker.players), ("street", poker.streets)):
        word, known = (parts[group] or "").strip().lower(), [name.lower() for name in names]
        if word and word not in known:
            raise ParameterError(
                f"--prefer {text!r} names {parts[group]!r}; there are {', '.join(names)}"
            )
        if word and group == "who":
            own["player"] = known.index(word)
        elif word:
            own["street"] = word
    if parts["hands"]:
        try:
            hand_weights(poker.rules, parts["hands"])
        except ParameterError as error:
            raise ParameterError(f"--prefer {text!r}: {error}") from None
        own["hands"] = parts["hands"]
    return action, degree, own
