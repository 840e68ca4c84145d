"""What a user wants of a poker solution beyond equilibrium: locked decisions and a style."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from counterfold.errors import ParameterError
from counterfold.exploit.lock_files import read_locks
from counterfold.exploit.locks import Lock, Locks, needs_start, symmetric
from counterfold.poker.game import PokerGame
from counterfold.poker.hands import hand_weights
from counterfold.poker.spot import read_spot
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.style.preferences import Style
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from counterfold.cli.verbs.solving import SolveRequest

__all__ = ["PokerConditions", "read_conditions"]

_PREFERENCE = re.compile(
    r"(?:(?P<who>[^:=@\[\]]+):)?(?P<action>[^:=@\[\]]+)(?:@(?P<street>[^:=@\[\]]+))?"
    r"(?:\[(?P<hands>[^\[\]]+)\])?=(?P<degree>[^=]+)"
)
_SUITED = re.compile(r"[2-9TJQKA][cdhs]", re.IGNORECASE)


@dataclass(frozen=True)
class PokerConditions:
    """Locks, and preferences for actions of some hands."""

    locks: Sequence[Lock] = ()
    style: Style | None = None

    def __bool__(self) -> bool:
        return bool(self.locks) or self.style is not None

    @property
    def description(self) -> str:
        """The locks and the style in words."""
        count = len(self.locks)
        parts = [f"{count} lock{'s' * (count != 1)}"] if count else []
        return ", ".join([*parts, *([repr(self.style)] if self.style is not None else [])])

    @property
    def needs_start(self) -> bool:
        """Whether a lock shifts the play of a solution, which must be found first."""
        return needs_start(self.locks)

    def symmetric(self, game: PokerGame) -> bool:
        """Whether hands and boards that differ only in suits may be taken as one."""
        places = () if self.style is None else self.style.places
        named = any(_SUITED.search(str(place.hands or "")) for place in places)
        return not named and symmetric(game, self.locks)

    def tree(self, game: PokerGame) -> PublicTree:
        """The tree that can tell what they tell apart."""
        alike = bool(game.about.get("symmetry", True)) and self.symmetric(game)
        return PublicTree(game, symmetry=alike, memory=1 << 62)

    def solver(
        self,
        tree: PublicTree,
        method: str | None,
        start: Strategy[PublicTree] | None,
        settings: Mapping[str, Any],
    ) -> Solver:
        """A solver in which they hold."""
        locks = Locks(self.locks, start)
        return Solver(tree, method, style=self.style, locks=locks, **settings)


def read_conditions(request: SolveRequest, game: PokerGame) -> PokerConditions:
    """The locks and the style of a request, those in the file of its spot among them."""
    locks: list[Lock] = []
    given = None
    if request.game is not None and "spot" in game.about and request.game.endswith(".json"):
        given = read_spot(request.game)
    if isinstance(given, dict) and "locks" in given:
        locks += read_locks({"locks": given["locks"]}, game, f'{request.game}, "locks"')
    if request.locks:
        locks += read_locks(request.locks, game)
    if request.give_up is not None and not request.prefer:
        raise ParameterError("--give-up is what preferences may cost; say them with --prefer")
    if request.give_up is not None and not 0 <= request.give_up < inf:
        raise ParameterError(f"--give-up is {request.give_up:g}, and must be chips from 0 up")
    style: Style | None = None
    for text in request.prefer:
        more = _style(text, game, request.give_up or 0.0)
        style = more if style is None else style + more
    return PokerConditions(locks, style)


def _style(text: str, game: PokerGame, give_up: float) -> Style:
    parts = _PREFERENCE.fullmatch(text.strip())
    try:
        degree = float(parts["degree"]) if parts else float("nan")
    except ValueError:
        parts = None
    if parts is None:
        raise ParameterError(
            f"--prefer {text!r} is not understood; write bet=3, oop:raise@turn=3 or "
            "ip:call[JJ-22,AQ]=3"
        )
    player = None
    if parts["who"]:
        names = [name.lower() for name in game.players]
        who = parts["who"].strip().lower()
        if who not in names:
            raise ParameterError(
                f"--prefer {text!r} names {parts['who']!r}; the players are "
                f"{' and '.join(game.players)}"
            )
        player = names.index(who)
    street = parts["street"] and parts["street"].strip()
    if street and street not in game.streets:
        raise ParameterError(
            f"--prefer {text!r} names {street!r}; the streets are {', '.join(game.streets)}"
        )
    if parts["hands"]:
        try:
            hand_weights(game.rules, parts["hands"])
        except ParameterError as error:
            raise ParameterError(f"--prefer {text!r}: {error}") from None
    return Style(
        {parts["action"].strip(): degree}, give_up, player=player, hands=parts["hands"],
        street=street, per="hand",
    )  # fmt: skip
