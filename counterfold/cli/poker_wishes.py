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
from counterfold.solve.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.style.preferences import Style
from counterfold.style.public import HandStyle, public_style
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from counterfold.cli.solve import Request

__all__ = ["Wishes", "read_wishes"]

_WISH = re.compile(
    r"(?:(?P<who>[^:=@\[\]]+):)?(?P<action>[^:=@\[\]]+)(?:@(?P<street>[^:=@\[\]]+))?"
    r"(?:\[(?P<hands>[^\[\]]+)\])?=(?P<degree>[^=]+)"
)
_SUITED = re.compile(r"[2-9TJQKA][cdhs]", re.IGNORECASE)


@dataclass(frozen=True)
class Wishes:
    """Locks, and preferences for actions of some hands."""

    locks: Sequence[Lock] = ()
    styles: Sequence[HandStyle] = ()

    def __bool__(self) -> bool:
        return bool(self.locks or self.styles)

    @property
    def told(self) -> str:
        """The wishes in words."""
        count = len(self.locks)
        parts = [f"{count} lock{'s' * (count != 1)}"] if count else []
        for part in self.styles:
            hands = f" with {part.hands}" if part.hands else ""
            parts.append(f"{part.style!r}{hands}" + (f" on the {part.street}" * bool(part.street)))
        return ", ".join(parts)

    @property
    def needs_start(self) -> bool:
        """Whether a lock shifts the play of a solution, which must be found first."""
        return needs_start(self.locks)

    def symmetric(self, game: PokerGame) -> bool:
        """Whether hands and boards that differ only in suits may be taken as one."""
        named = any(_SUITED.search(str(style.hands or "")) for style in self.styles)
        return not named and symmetric(game, self.locks)

    def tree(self, game: PokerGame) -> PublicTree:
        """The tree that can tell what the wishes tell apart."""
        alike = bool(game.about.get("symmetry", True)) and self.symmetric(game)
        return PublicTree(game, symmetry=alike, memory=1 << 62)

    def solver(
        self,
        tree: PublicTree,
        method: str | None,
        start: Strategy[PublicTree] | None,
        settings: Mapping[str, Any],
    ) -> Solver:
        """A solver in which the wishes hold."""
        style = public_style(self.styles, tree, per="hand")
        return Solver(tree, method, style=style, locks=Locks(self.locks, start), **settings)


def read_wishes(request: Request, game: PokerGame) -> Wishes:
    """The wishes of a request, those in the file of its spot among them."""
    locks: list[Lock] = []
    given = None
    if request.game is not None and "spot" in game.about and request.game.endswith(".json"):
        given = read_spot(request.game)
    if isinstance(given, dict) and "locks" in given:
        locks += read_locks({"locks": given["locks"]}, game, f'{request.game}, "locks"')
    if request.locks:
        locks += read_locks(request.locks, game)
    if request.give_up is not None and not request.prefer:
        raise ParameterError("--give-up is what wishes may cost; say them with --prefer")
    if request.give_up is not None and not 0 <= request.give_up < inf:
        raise ParameterError(f"--give-up is {request.give_up:g}, and must be chips from 0 up")
    styles = [_style(text, game, request.give_up or 0.0) for text in request.prefer]
    return Wishes(locks, styles)


def _style(text: str, game: PokerGame, give_up: float) -> HandStyle:
    found = _WISH.fullmatch(text.strip())
    try:
        degree = float(found["degree"]) if found else float("nan")
    except ValueError:
        found = None
    if found is None:
        raise ParameterError(
            f"--prefer {text!r} is not understood; write bet=3, oop:raise@turn=3 or "
            "ip:call[JJ-22,AQ]=3"
        )
    player = None
    if found["who"]:
        names = [name.lower() for name in game.players]
        who = found["who"].strip().lower()
        if who not in names:
            raise ParameterError(
                f"--prefer {text!r} names {found['who']!r}; the players are "
                f"{' and '.join(game.players)}"
            )
        player = names.index(who)
    street = found["street"] and found["street"].strip()
    if street and street not in game.streets:
        raise ParameterError(
            f"--prefer {text!r} names {street!r}; the streets are {', '.join(game.streets)}"
        )
    if found["hands"]:
        try:
            hand_weights(game.rules, found["hands"])
        except ParameterError as error:
            raise ParameterError(f"--prefer {text!r}: {error}") from None
    style = Style({found["action"].strip(): degree}, player=player, give_up=give_up)
    return HandStyle(style, found["hands"], street)
