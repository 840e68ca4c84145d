"""Safe exploitation search on Leduc poker: figure 3's upper half, with every theorem checked.

The hero keeps its blueprint before the board is dealt and searches after it, with a range of the
opponent that may be wrong by a known amount. All payoffs and exploitabilities are exact.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.evaluate.sequence import assess_form
from counterfold.files.text import Fields, Json
from counterfold.files.typed import from_json, to_json
from counterfold.games.catalog import load
from counterfold.games.spec import whole
from counterfold.pieces.piece import Outcome, Piece, gathered
from counterfold.pieces.store import Store
from counterfold.research.progress import Progress, no_progress
from counterfold.research.ses.sweep import ERRORS, SHARES, Opponent, Point, Sweep
from counterfold.searchers.bounds import Nearest, Yardstick, nearest, room
from counterfold.searchers.entry import HistoryEntry
from counterfold.searchers.gadget import maxmargin, ses, unsafe
from counterfold.searchers.opponents import misjudged, shuffled
from counterfold.searchers.refine import refine
from counterfold.searchers.refined import Refined
from counterfold.searchers.subgame import Subgames, subgames
from counterfold.solvers.lp import solve_lp
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form

Profile = Strategy[HistoryTree]

ALPHAS = tuple(round(k / 10, 1) for k in range(11))
GAMES = {"leduc": ("leduc(raises=1+2)", "board")}
"""Games of figure 3 by their names: the game as in the paper, and where the search begins."""
SLACK = 1e-7
"""What rounding may add to a theorem's bound."""


@dataclass(frozen=True, kw_only=True)
class LeducPoint(Point):
    """A point with what the theorems say of it.

    ``bound`` is Theorem 1's: what exploitability may be at most (infinite where the theorem says
    nothing). ``certificate`` is the same by our own bound (``search.bounds.trade_bound``). Neither
    is exceeded in any seat where it is ``safe``.

    ``reserve`` is the least that the hero wins in a subgame beyond Theorem 2's bound (infinite at
    alpha 0), and ``printed`` the same for the theorem as printed, which does not always hold (see
    ``search.bounds``).
    """

    bound: float
    certificate: float
    safe: bool
    reserve: float
    printed: float

    @property
    def holds(self) -> bool:
        """Do both theorems hold here?"""
        return self.safe and self.reserve >= -SLACK


@dataclass(frozen=True, kw_only=True)
class LeducSweep(Sweep, figure=3, also=("theorems_hold", "finite_bounds")):
    """Figure 3's upper half."""

    points: tuple[LeducPoint, ...]
    point: str  # where searches begin
    nearest: float  # exploitability of the nearest equilibrium
    maxmargin_gap: float
    unsafe_gap: float
    searches: int
    search_seconds: float

    def to_dict(self) -> Json:
        """The documented JSON, in which exploitabilities say whose they are."""
        document = super().to_dict()
        return document | {
            "blueprint_exploitability": document.pop("exploitability"),
            "nearest_exploitability": document.pop("nearest"),
        }

    @property
    def theorems_hold(self) -> bool:
        """Do both theorems hold at every point?"""
        return all(point.holds for point in self.points)

    @property
    def finite_bounds(self) -> int:
        """At how many points with alpha above 0 does Theorem 1 say something?"""
        return sum(point.alpha > 0 and math.isfinite(point.bound) for point in self.points)


def figure_3(  # noqa: PLR0913  (said by their names)
    game: str = "leduc",
    runs: int = 3,
    iterations: int = 1_000_000,
    seed: int = 0,
    *,
    alphas: Sequence[float] = ALPHAS,
    errors: Sequence[float] = ERRORS,
    shares: Sequence[float] = SHARES,
    point: str | None = None,
    tolerance: float = 1e-4,
    on_progress: Progress = no_progress,
    executor: Executor | None = None,
    library: Store | None = None,
) -> LeducSweep:
    """SES by alpha and error of judgement, against ``runs`` opponents of each kind.

    Opponents of share 0 are blueprints of other seeds; the others are the hero's own blueprint,
    shuffled at that share of infosets. The hero sits in both seats, and figures are the means.
    Other games than the paper's are named as everywhere; their search begins at ``point``.
    """
    whole("runs", runs, least=1, most=1000)
    whole("iterations", iterations, least=1)
    whole("seed", seed, least=0)
    began = time.process_time()
    spec, usual = GAMES.get(game, (game, "board"))
    point = point or usual
    common: Json = {
        "game": spec, "point": point, "iterations": iterations, "seed": seed,
        "tolerance": tolerance,
    }  # fmt: skip
    swept = {"alphas": list(alphas), "errors": list(errors)}
    pieces = [
        Piece("ses", {**common, **swept, "share": share, "run": run})
        for share in shares
        for run in range(runs)
    ]
    done = [
        from_json(_Met, Fields(one.result, "an opponent"))
        for one in gathered(pieces, meet_opponent, executor, on_progress, library)
    ]
    blueprint, heroes = _table(**common)
    careful = [made for hero in heroes for made in hero.careful] if 0 in alphas else []
    return LeducSweep(
        game=spec,
        point=point,
        iterations=iterations,
        seed=seed,
        opponents=tuple(met.opponent for met in done),
        exploitability=float(np.mean([hero.lost(blueprint.probabilities) for hero in heroes])),
        nearest=float(np.mean([hero.nearest.exploitability for hero in heroes])),
        maxmargin_gap=max(hero.maxmargin_gap() for hero in heroes),
        unsafe_gap=max(hero.unsafe_gap(blueprint) for hero in heroes),
        points=tuple(point for met in done for point in met.points),
        searches=sum(met.searches for met in done) + len(careful),
        search_seconds=sum(met.seconds for met in done) + sum(m.cpu_seconds for m in careful),
        cpu_seconds=time.process_time() - began,
    )


@dataclass(frozen=True)
class _Met:
    """What came of one opponent."""

    opponent: Opponent
    points: tuple[LeducPoint, ...]
    searches: int  # with alpha above 0; the others are the same for all
    seconds: float


def meet_opponent(given: Json, wants: tuple[str, ...]) -> Outcome:
    """The work of a piece, on whatever machine: all points of one opponent."""
    common = {key: given[key] for key in ("game", "point", "iterations", "seed", "tolerance")}
    blueprint, heroes = _table(**common)
    share, run, seed = given["share"], given["run"], given["seed"]
    before = [(hero.searches, hero.seconds) for hero in heroes]
    if share:
        opponent = shuffled(blueprint, share, np.random.default_rng([seed, run, 1]))
    else:
        opponent = sampled_blueprint(blueprint.tree, given["iterations"], seed + run + 1)
    points = []
    for error in given["errors"]:
        judged = [(hero, hero.judge(opponent, error, [seed, run])) for hero in heroes]
        for alpha in given["alphas"]:
            sides = [hero.play(opponent, alpha, ranges) for hero, ranges in judged]
            points.append(_point(share, run, error, alpha, sides))
    spent = [
        (hero.searches - searches, hero.seconds - seconds)
        for hero, (searches, seconds) in zip(heroes, before, strict=True)
    ]
    searches, seconds = map(sum, zip(*spent, strict=True))
    found = _opponent(share, run, blueprint, opponent, heroes)
    return Outcome(to_json(_Met(found, tuple(points), int(searches), seconds)))


@lru_cache(1)
def _table(
    game: str, point: str, iterations: int, seed: int, tolerance: float
) -> tuple[Profile, list[_Hero]]:
    """The blueprint, and itself in both seats, made once in a process."""
    tree = compile_game(load(game))
    value = solve_lp(tree).value
    blueprint = sampled_blueprint(tree, iterations, seed)
    places = subgames(tree, point)
    return blueprint, [_Hero(places, blueprint, player, value, tolerance) for player in (0, 1)]


def sampled_blueprint(tree: HistoryTree, iterations: int, seed: int) -> Profile:
    """A blueprint by external sampling, so that two seeds give two of them."""
    solver = Solver(tree, "linear", "external", seed=seed)
    solver.step(iterations)
    return solver.strategy()


def _opponent(
    share: float,
    run: int,
    blueprint: Profile,
    opponent: Profile,
    heroes: list[_Hero],
) -> Opponent:
    moved = np.abs(opponent.probabilities - blueprint.probabilities).sum()
    payoffs = [hero.payoff(opponent, blueprint.probabilities) for hero in heroes]
    best = assess_form(sequence_form(blueprint.tree), opponent.probabilities)[0].best
    return Opponent(
        share,
        run,
        float(moved / len(blueprint.infosets.owner)),
        float(np.mean(payoffs)),
        float(np.mean(best)),
    )


@dataclass(frozen=True)
class _Side:
    """One seat's part of a point."""

    payoff: float
    lost: float
    limit: float
    certificate: float
    reserve: float
    printed: float


class _Judged(NamedTuple):
    """How an opponent comes into a subgame, as it is and as it is judged."""

    true: Floats
    range: Floats
    room: float  # what could be won from the judged range beyond the nearest equilibrium
    own_room: float  # and beyond the blueprint


class _Hero:
    """The blueprint in one seat, with what the theorems measure by."""

    def __init__(
        self,
        places: Subgames,
        blueprint: Profile,
        player: int,
        value: float,
        tolerance: float,
    ) -> None:
        self.blueprint, self.player, self.tolerance = blueprint, player, tolerance
        self.total = blueprint.tree.constant_sum or 0.0
        self.value = value if player == 0 else self.total - value
        self.nearest: Nearest = nearest(places, blueprint, player)
        self.searches, self.seconds = 0, 0.0

        # References by subgame: the nearest equilibrium, and the blueprint itself.
        self.yardsticks = [y for y in self.nearest.yardsticks if y is not None]
        self.own = [Yardstick(y.entry, y.entry.best, y.entry.range) for y in self.yardsticks]

    def judge(self, opponent: Profile, error: float, seed: list[int]) -> list[_Judged]:
        """By subgame, the range with which an opponent comes, and what it is judged to be."""
        ranges = []
        for place, (yardstick, own) in enumerate(zip(self.yardsticks, self.own, strict=True)):
            true = _arriving(yardstick.entry, opponent)
            random = np.random.default_rng([*seed, self.player, place])
            judged = misjudged(true, error, random)
            rooms = [room(own.entry, judged, ref.best, self.tolerance) for ref in (yardstick, own)]
            ranges.append(_Judged(true, judged, rooms[0], rooms[1]))
        return ranges

    def play(self, opponent: Profile, alpha: float, ranges: list[_Judged]) -> _Side:
        """Search in every subgame, and measure what comes out."""
        refined = self._refined(alpha, [one.range for one in ranges])
        probabilities = self.blueprint.probabilities
        bound = trade = own_trade = 0.0
        reserve = printed = math.inf
        for made, star, own, judged in zip(refined, self.yardsticks, self.own, ranges, strict=True):
            probabilities = made.into(probabilities)
            bound = max(bound, star.safety(made))
            trade = max(trade, star.trade(made, judged.room))
            own_trade = max(own_trade, own.trade(made, judged.own_room))
            if alpha:
                won = star.won(made, judged.true)
                reserve = min(reserve, won - star.exploitation(made, judged.true))
                printed = min(printed, won - star.exploitation(made, judged.true, printed=True))
        return _Side(
            self.payoff(opponent, probabilities),
            self.lost(probabilities),
            self.nearest.exploitability + bound,
            min(
                self.nearest.exploitability + trade,
                self.lost(self.blueprint.probabilities) + own_trade,
            ),
            reserve,
            printed,
        )

    def _refined(self, alpha: float, judged: list[Floats]) -> list[Refined[HistoryEntry, float]]:
        if not alpha:
            return self.careful
        refined = []
        for yardstick, believed in zip(self.yardsticks, judged, strict=True):
            made = refine(
                yardstick.entry, ses(yardstick.entry, alpha, believed), tolerance=self.tolerance
            )
            self.searches += 1
            self.seconds += made.cpu_seconds
            refined.append(made)
        return refined

    @cached_property
    def careful(self) -> list[Refined[HistoryEntry, float]]:
        """With alpha 0, where no range matters."""
        return [
            refine(yardstick.entry, ses(yardstick.entry, 0.0), tolerance=self.tolerance)
            for yardstick in self.yardsticks
        ]

    def payoff(self, opponent: Profile, probabilities: Floats) -> float:
        """What the hero earns with a strategy against an opponent."""
        infosets = opponent.infosets
        mine = np.repeat(infosets.owner == self.player, infosets.sizes)
        profile = np.where(mine, probabilities, opponent.probabilities)
        return assess_form(sequence_form(opponent.tree), profile)[0].values[self.player]

    def lost(self, probabilities: Floats) -> float:
        """Exploitability: how much less than the game's value a strategy guarantees."""
        best = assess_form(sequence_form(self.blueprint.tree), probabilities)[0].best
        return max(self.value - self.total + best[1 - self.player], 0.0)

    def maxmargin_gap(self) -> float:
        """How far SES with alpha 0 is from maxmargin at most, by what they maximise."""
        gaps = []
        for yardstick, careful in zip(self.yardsticks, self.careful, strict=True):
            margin = refine(yardstick.entry, maxmargin(yardstick.entry, "blueprint"), "lp")
            gaps.append(abs(careful.objective - margin.objective))
        return max(gaps, default=0.0)

    def unsafe_gap(self, opponent: Profile) -> float:
        """The same for alpha 1 and unsafe search, with the opponent's true range."""
        gaps = []
        for yardstick in self.yardsticks:
            entry = yardstick.entry
            true = _arriving(entry, opponent)
            bold = refine(entry, ses(entry, 1.0, true), tolerance=self.tolerance)
            trusting = refine(entry, unsafe(entry, true), "lp")
            level = float(true[entry.live] @ entry.value[entry.live])
            gaps.append(abs(bold.objective - level - trusting.objective))
        return max(gaps, default=0.0)


def _arriving(entry: HistoryEntry, opponent: Profile) -> Floats:
    """The range with which an opponent comes; as if it did all things evenly if it never does."""
    try:
        return entry.range_of(opponent.probabilities)
    except ParameterError:
        evenly: Floats = entry.mass / entry.mass.sum()
        return evenly


def _point(share: float, run: int, error: float, alpha: float, sides: list[_Side]) -> LeducPoint:
    return LeducPoint(
        share=share, seed=run, error=error, alpha=alpha,
        payoff=float(np.mean([side.payoff for side in sides])),
        exploitability=float(np.mean([side.lost for side in sides])),
        bound=float(np.mean([side.limit for side in sides])),
        certificate=float(np.mean([side.certificate for side in sides])),
        safe=all(side.lost <= min(side.limit, side.certificate) + SLACK for side in sides),
        reserve=min(side.reserve for side in sides),
        printed=min(side.printed for side in sides),
    )  # fmt: skip
