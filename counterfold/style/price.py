"""What a style changes and what it costs: the styled strategy beside the plain one, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from counterfold.errors import MismatchError, ParameterError
from counterfold.evaluate.assessment import Assessment
from counterfold.evaluate.certificate import Certified
from counterfold.evaluate.exact import assess, earned_against
from counterfold.files.text import Json
from counterfold.notebook import brief
from counterfold.solvers.methods import Method
from counterfold.solvers.result import Result, solve
from counterfold.solvers.settings import defaults_of
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.style.preferences import Style
from counterfold.style.shares import Distance, Share, shares_by_hand, shares_by_infoset
from counterfold.tree.form import Form, form_of
from counterfold.tree.history import HistoryTree

CLOSER = 3
"""How much nearer to an equilibrium than usual hands are solved: a small price is to be seen."""


@dataclass(frozen=True)
class Earnings(Certified):
    """What a player earns a hand: against copies of itself, the other strategy, the worst foe.

    ``styled_against_plain`` is the payoff when it alone has the style, and
    ``plain_against_styled`` when all but it have it. The guarantees, against a best responder,
    are told in two-player zero-sum games only.
    """

    player: int
    plain: float
    styled: float
    styled_against_plain: float
    plain_against_styled: float
    plain_guarantee: float | None
    styled_guarantee: float | None

    @property
    def cost(self) -> float | None:
        """How much less the styled strategy guarantees."""
        if self.plain_guarantee is None or self.styled_guarantee is None:
            return None
        return self.plain_guarantee - self.styled_guarantee


@dataclass(frozen=True)
class Price(Certified):
    """A style's price: the two results, and everything in which they differ. Frozen.

    ``first`` are the actions of the first decision. On a public tree ``by_round`` is of the first
    street alone, by kinds of actions, and ``by_player``, ``by_hand`` and ``distance`` are left out.
    """

    style: str
    plain: Result
    styled: Result
    players: tuple[Earnings, ...]
    first: tuple[Share, ...]
    by_round: tuple[Share, ...]
    by_player: tuple[Share, ...] = ()
    by_hand: tuple[Share, ...] = ()
    distance: Distance | None = None

    def __repr__(self) -> str:
        return brief(self, f"of {self.style} in {self.styled.game}: {self.cost:.3g}")

    @property
    def cost(self) -> float:
        """How much more exploitable the styled strategy is."""
        return self.styled.exploitability - self.plain.exploitability

    def to_dict(self) -> Json:
        """The documented JSON of ``counterfold style --json``; players count from 1 there."""
        document: Json = {
            "game": self.styled.game,
            "style": self.style,
            "cost": self.cost,
            "plain": self.plain.to_dict(),
            "styled": self.styled.to_dict(),
            "distance": None if self.distance is None else _row(self.distance),
            "players": [_row(player) | {"cost": player.cost} for player in self.players],
        }
        for name in ("first", "by_player", "by_round", "by_hand"):
            document[name] = [_row(share) for share in getattr(self, name)]
        return document


def price(
    game: object,
    style: Style,
    method: str | Method | None = None,
    until: Until | None = None,
    traversal: str = "full",
    *,
    on_run: Callable[[str], None] | None = None,
    **settings: Any,
) -> Price:
    """Solve a game plainly and with a style, in the same way, and tell what the style costs.

    ``method`` and ``until`` are those of ``usual_run`` if not given; ``settings`` are those of
    ``solve``. Before each of the two runs ``on_run`` is called with its name,
    ``"plain"`` or ``"styled"``.

    >>> import counterfold as cf
    >>> bold = price(cf.Kuhn(), cf.Style({"bet": 10.0}, player=0, best=True))
    >>> bets = next(share for share in bold.by_hand if share.hand == "J" and share.action == "bet")
    >>> round(bets.plain, 1), bets.styled > 0.25, bold.cost < 0.01
    (0.2, True, True)
    """
    if method == "lp":
        raise ParameterError("the linear program has no style; choose a method such as cfr")
    form = form_of(game)
    conditions = style.on(form)  # refused here before anything is solved
    usual_method, usual_until = usual_run(form)
    method, until = method or usual_method, until or usual_until
    results = []
    for name, given in (("plain", None), ("styled", conditions)):
        if on_run:
            on_run(name)
        results.append(solve(form, method, until, traversal, style=given, **settings))
    return compare(results[0], results[1], style)


def usual_run(form: Form) -> tuple[str, Until]:
    """The method and the limits of both runs, if nobody says.

    >>> import counterfold as cf
    >>> usual_run(cf.compile_game(cf.Kuhn()))[1].iterations
    10000
    """
    if isinstance(form, HistoryTree):
        return "cfr", Until(iterations=10_000)
    usual = defaults_of(form)
    assert usual.until.target is not None
    return usual.method, replace(usual.until, exploitability=usual.until.target / CLOSER)


def compare(plain: Result, styled: Result, style: Style | str = "") -> Price:
    """The price of a style from a plain and a styled result of the same game.

    >>> import counterfold as cf
    >>> result = cf.solve(cf.Kuhn())
    >>> compare(result, result).distance.mean
    0.0
    """
    ours, theirs = plain.strategy, styled.strategy
    if theirs.fingerprint != ours.fingerprint:
        raise MismatchError(f"one result is of {plain.game} and the other of {styled.game}")
    by_infoset = isinstance(ours.tree, HistoryTree)
    shares = shares_by_infoset(ours, theirs) if by_infoset else shares_by_hand(ours, theirs)
    return Price(str(style), plain, styled, earnings(ours, theirs), *shares)


def earnings(plain: Strategy, styled: Strategy) -> tuple[Earnings, ...]:
    """What each player earns with either strategy, against both and against the worst.

    >>> import counterfold as cf
    >>> uniform = cf.Strategy.uniform(cf.Kuhn())
    >>> round(earnings(uniform, uniform)[0].plain_guarantee, 4)
    -0.4167
    """
    form = plain.tree
    ours, theirs = assess(plain), assess(styled)

    def guarantee(of: Assessment, player: int) -> float | None:
        if not form.two_player_zero_sum or form.constant_sum is None:
            return None
        return float(form.constant_sum - of.best[1 - player])

    return tuple(
        Earnings(
            player,
            plain=ours.values[player],
            styled=theirs.values[player],
            styled_against_plain=earned_against(styled, player, plain),
            plain_against_styled=earned_against(plain, player, styled),
            plain_guarantee=guarantee(ours, player),
            styled_guarantee=guarantee(theirs, player),
        )
        for player in range(form.players)
    )


def _row(part: Share | Distance | Earnings) -> Json:
    row = asdict(part)
    return row | {"player": row["player"] + 1}
