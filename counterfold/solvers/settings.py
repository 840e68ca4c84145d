"""What is asked of a solver, in one place: a checkpoint carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from counterfold.errors import ParameterError
from counterfold.games.spec import whole
from counterfold.poker.game import PokerGame
from counterfold.solvers.methods import DEFAULT_METHOD, Method
from counterfold.solvers.methods import method as method_of
from counterfold.solvers.until import Until, default_target
from counterfold.tree.form import Form
from counterfold.tree.public import PublicTree

if TYPE_CHECKING:
    from counterfold.solvers.conditions import Condition, Conditions

TRAVERSALS = ("full", "chance", "external", "outcome")
BY_BOARDS = "public"
"""A traversal of poker over buckets alone: boards are sampled, and all hands walk at once."""
FORMS = ("auto", "history", "public", "deals")

POKER_METHOD = "dcfr(1.5, 0, 4)"
"""The fewest iterations to 0.1% of the pot without leaps, by ``bench poker-methods``."""
PREFLOP_METHOD = "pdcfr+"
PREFLOP = 1e-8
"""Of the big blind: where betting before the flop alone is solved to, to the digits of charts."""
PERCENT = 0.3
"""Of the pot: where a spot is solved to if nobody says; what solver programs stop at."""
MBB = 1.0
"""Thousandths of a big blind a hand: where a game with blinds and no pot is solved to."""


@dataclass(frozen=True)
class Settings:
    """What was asked for. ``bits`` are of poker's tables: 16 are half as large as 32.

    ``per_round`` is how many iterations share a row of the method's schedule, where an engine
    has rounds. With ``prune``, actions whose regret is below minus so many times the largest payoff
    are skipped in 19 of 20 walks.
    """

    method: str = DEFAULT_METHOD
    traversal: str = "full"
    alternating: bool = True
    average: bool = True
    dtype: str = "float64"
    seed: int = 0
    explore: float = 0.6
    form: str = "auto"
    bits: int = 32
    per_round: int | None = None
    prune: float | None = None

    def __post_init__(self) -> None:
        if self.traversal not in (*TRAVERSALS, BY_BOARDS):
            raise ParameterError(
                f"there is no traversal {self.traversal!r}; there are {', '.join(TRAVERSALS)}"
            )
        if self.per_round is not None:
            whole("per_round", self.per_round, least=1)
        if self.prune is not None and not 0 < self.prune < np.inf:
            raise ParameterError(f"prune is {self.prune}, and must be a number above 0")
        if self.dtype not in ("float64", "float32"):
            raise ParameterError(f"dtype is float64 or float32, not {self.dtype!r}")
        if self.form not in FORMS:
            raise ParameterError(f"form is {' or '.join(FORMS)}, not {self.form!r}")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ParameterError(f"the seed is {self.seed}, and must be a whole number from 0 up")
        if self.seed >= 1 << 64:
            raise ParameterError("the seed must be below 2^64")
        if not 0 < self.explore <= 1:
            raise ParameterError(f"explore is {self.explore}, and must be above 0 and at most 1")
        if self.bits not in (16, 32):
            raise ParameterError(f"tables are stored in 16 or 32 bits, not {self.bits!r}")


class Given(TypedDict, total=False):
    """Fields of ``Settings`` that a person may give, beside the method and the traversal."""

    alternating: bool
    average: bool
    dtype: str
    seed: int
    explore: float
    form: str
    bits: int
    per_round: int | None
    prune: float | None


class Asked(Given, total=False):
    """And what else a ``Solver`` takes."""

    threads: int | None
    style: Condition | Conditions | None
    locks: Condition | Conditions | None


def settings_for(
    game: object, method: str | Method | None, given: Given, traversal: str = "full"
) -> tuple[Method, Settings]:
    """The method and the settings of a run: what is given, and the usual ones of the game."""
    usual = defaults_of(game)
    rule = method_of(usual.method if method is None else method)
    for name in given:
        if name not in Settings.__dataclass_fields__:
            known = ", ".join([*Settings.__dataclass_fields__, "threads", "style", "locks"])
            raise ParameterError(f"there is no setting {name!r} of a solver; there are {known}")
    given["dtype"] = given.get("dtype") or usual.dtype
    return rule, Settings(method=rule.name, traversal=traversal, **given)


@dataclass(frozen=True)
class Defaults:
    """What a game is solved with if nobody says."""

    method: str
    dtype: str
    until: Until


def defaults_of(game: object, traversal: str = "full") -> Defaults:
    """The usual method, numbers and limits of a game, a poker game or a compiled form.

    >>> from counterfold.poker.holdem import fhp
    >>> defaults_of(fhp()).dtype, defaults_of(fhp()).until.exploitability
    ('float32', 0.002)
    """
    own = getattr(game, "defaults", None)  # of a form that knows better
    if isinstance(own, Defaults):
        return own
    poker = game.game if isinstance(game, PublicTree) else game
    largest = float(getattr(game, "largest_payoff", 1.0))
    if isinstance(poker, PokerGame):
        if poker.before_the_flop:
            return Defaults(PREFLOP_METHOD, "float64", _preflop_until(poker))
        if poker.rules.hole == 2:
            return Defaults(POKER_METHOD, "float32", _poker_until(poker))
        # Hands of one card: small games, to be compared with others.
        largest = float(np.abs(poker.betting.payoff).max())
    return Defaults(DEFAULT_METHOD, "float64", default_until(traversal, largest))


def _poker_until(game: PokerGame) -> Until:
    """A spot at 0.3% of its pot, other hold'em at 1 mbb/h."""
    if game.pot:
        return Until(exploitability=PERCENT / 100 * game.pot)
    if game.big_blind:
        return Until(exploitability=MBB / 1000 * game.big_blind)
    return default_until("full", float(np.abs(game.betting.payoff).max()))


def _preflop_until(game: PokerGame) -> Until:
    """As near as the digits of charts need, or some seconds."""
    unit = game.big_blind or float(np.abs(game.betting.payoff).max())
    return Until(exploitability=PREFLOP * unit, iterations=20_000, seconds=60)


def default_until(traversal: str, largest: float = 1.0) -> Until:
    """A fine equilibrium (``default_target``), or a minute."""
    if traversal == "full":
        target = default_target(1e-6, largest)
        return Until(exploitability=target, iterations=1_000_000, seconds=60)
    return Until(exploitability=default_target(1e-3, largest), seconds=60)


def check_threads(threads: int | None, name: str = "threads") -> int | None:
    """Refuse a number of threads that nobody has; ``name`` is what the caller calls it."""
    wrong = isinstance(threads, bool) or not isinstance(threads, int | None)
    if wrong or (threads is not None and not 1 <= threads <= 256):
        raise ParameterError(f"{name} is {threads!r}, and must be a whole number from 1 to 256")
    return threads


def check_range(form: Form, dtype: str) -> None:
    """Refuse payoffs of which products and sums leave the range of the numbers of a table."""
    kind = np.finfo(dtype)
    low, high = float(kind.tiny) ** 0.4, float(kind.max) ** 0.4
    # Ranges of poker weigh what is summed up.
    weights = form.weight_sum if isinstance(form, PublicTree) else 1.0
    largest = form.largest_payoff / min(1.0, weights)
    if largest and not low <= largest <= high:
        way = "use float64, or write" if dtype == "float32" else "write"
        raise ParameterError(
            f"payoffs up to {largest:.3g} are out of the reach of {dtype} tables, "
            f"which take {low:.0e} to {high:.0e}; {way} them in another unit"
        )
