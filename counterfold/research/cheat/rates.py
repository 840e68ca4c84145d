"""Cheat's figures: how often the four agents win against two bots, and where that carries over.

Figure 1 follows the agents through their training, figure 2 sends them into games with other
health points, figure 3 begins their training in Cheat-4 with what they learned in Cheat-3.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from counterfold.abstraction.contest import BOTS, contest
from counterfold.abstraction.deal_form import DealForm
from counterfold.abstraction.maps import Mapped
from counterfold.arrays import Floats
from counterfold.errors import ParameterError
from counterfold.files.text import Json
from counterfold.games.cheat import Cheat
from counterfold.games.spec import whole
from counterfold.research.cheat.costs import Pause, agent_game, deal_solver, lens_name, side_by_side
from counterfold.research.cheat.published import NAMES, PAPER_ITERATIONS, VIEWS
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Finding, Result, Sampled, plain
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy

CHECK_EVERY = 5
PLACES = (2, 3, 4, 5, 10, 20, 50, 100)
"""Health points of the games that figure 2 goes to."""
BEYOND = 10
"""Figure 1 has one mark more, after so many times the iterations."""
TRAINED_IN = {1: 3, 2: 3, 3: 4}
MOST = 20_000
"""Turns after which a game is given up."""
ENOUGH = 0.01
"""Differences of win rates below this are called none."""


class Baseline(NamedTuple):
    """How often the heuristic bot beats the random one."""

    rate: float
    margin: float


@dataclass(frozen=True)
class Curve:
    """Win rates of an agent against a bot, ``[run, mark]``.

    Marks are iterations of the training, or health points of the games played (figure 2).
    ``start`` tells of the training: from nothing, or carried over from a smaller game.
    """

    view: str
    abstract: bool
    bot: str
    start: str
    marks: tuple[int, ...]
    rates: Floats = field(repr=False)

    @property
    def name(self) -> str:
        """The agent as the paper calls it, with a dagger where infosets are abstracted."""
        return NAMES[self.view] + ("†" if self.abstract else "")

    @property
    def sampled(self) -> Sampled:
        """The rates by run and mark."""
        return Sampled(self.marks, self.rates)

    def at(self, mark: int) -> float:
        """The mean at a mark."""
        return self.sampled.at(mark)

    def to_dict(self) -> Json:
        """What ``--json`` tells of a curve."""
        low, high = self.sampled.band
        return {
            "agent": self.name,
            "view": self.view,
            "lens": lens_name(self.view, self.abstract),
            "bot": self.bot,
            "start": self.start,
            "marks": list(self.marks),
            "mean": plain(self.sampled.means),
            "margin": [one.half for one in self.sampled.estimates],
            "low": plain(low),
            "high": plain(high),
        }


@dataclass(frozen=True)
class Rates(Result, paper="cheat", game="cheat:mini", also=("trained_in", "findings")):
    """A figure: curves, and the heuristic bot against the random one as a baseline."""

    figure: int
    curves: tuple[Curve, ...]
    baseline: dict[int, Baseline]  # by health points
    runs: int
    iterations: int
    games: int
    seed: int
    cpu_seconds: float

    @property
    def trained_in(self) -> int:
        """The health points of the game in which agents are trained."""
        return TRAINED_IN[self.figure]

    def curve(self, view: str, bot: str, abstract: bool = True, start: str = "nothing") -> Curve:
        """One of the curves."""
        wanted = (view, bot, abstract, start)
        return next(c for c in self.curves if (c.view, c.bot, c.abstract, c.start) == wanted)

    @property
    def findings(self) -> list[Finding]:
        """What the paper says of this figure, held against these rates.

        With other iterations than the paper's nothing is said.
        """
        from counterfold.research.cheat import findings

        judge = (findings.training, findings.elsewhere, findings.curriculum)[self.figure - 1]
        if self.iterations == PAPER_ITERATIONS:
            return judge(self)
        return [finding._replace(holds=None) for finding in judge(self)]


def figure(
    number: int,
    runs: int = 20,
    iterations: int = PAPER_ITERATIONS,
    games: int = 4000,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> Rates:
    """Figure 1, 2 or 3, with so many seeds and so many games at each mark.

    >>> figure(1, runs=2, iterations=20, games=500).curve("memoryless", "random").marks
    (0, 5, 10, 15, 20, 200)
    """
    if number not in TRAINED_IN:
        raise ParameterError(f"there is no figure {number}; there are 1, 2 and 3")
    whole("runs", runs, least=1, most=10_000)
    whole("iterations", iterations, least=CHECK_EVERY)
    whole("games", games, least=1)
    whole("seed", seed, least=0)
    began = time.process_time()
    make = {1: _training, 2: _elsewhere, 3: _curriculum}[number]
    abstracts = (False, True) if number == 1 else (True,)
    settings = [(view, abstract) for abstract in abstracts for view in VIEWS]
    on_progress(0, len(settings) * runs)
    healths = PLACES if number == 2 else (TRAINED_IN[number],)
    baseline = {}
    for health in healths:
        won = contest(Cheat(health=health), "heuristic", "random", games=100_000, seed=seed)
        baseline[health] = Baseline(won.rate, won.margin)
    deal_solver(Cheat(health=1), seed)[0].step()
    jobs = [
        partial(make, partial(agent_game, view, abstract), iterations, games, [seed, place, run])
        for place, (view, abstract) in enumerate(settings)
        for run in range(runs)
    ]
    results = side_by_side(jobs, on_progress)
    curves = []
    for place, (view, abstract) in enumerate(settings):
        own = results[place * runs : (place + 1) * runs]
        for start, bot in own[0]:
            marks = tuple(own[0][start, bot])
            rates = np.array([list(one[start, bot].values()) for one in own])
            curves.append(Curve(view, abstract, bot, start, marks, rates))
    return Rates(
        number, tuple(curves), baseline, runs, iterations, games, seed,
        time.process_time() - began,
    )  # fmt: skip


Agent = Callable[[int], Cheat | Mapped]
"""The game as an agent sees it, by its health points."""
RatesByMark = dict[tuple[str, str], dict[int, float]]
"""Rates by start and bot, and then by mark."""


def _training(
    game: Agent, iterations: int, games: int, seeds: Sequence[int], pause: Pause
) -> RatesByMark:
    """A training in Cheat-3, looked at now and then, and once much later."""
    solver, _ = deal_solver(game(TRAINED_IN[1]), _seed(seeds))
    marks = [*range(0, iterations + 1, CHECK_EVERY), BEYOND * iterations]
    return _followed("nothing", solver, marks, games, seeds, pause)


def _elsewhere(
    game: Agent, iterations: int, games: int, seeds: Sequence[int], pause: Pause
) -> RatesByMark:
    """A training in Cheat-3, then games with other health points."""
    solver, _ = deal_solver(game(TRAINED_IN[2]), _seed(seeds))
    _advance(solver, iterations, pause)
    strategy = solver.strategy()
    return {
        ("nothing", bot): {
            health: _rate(strategy, bot, health, games, [*seeds, health]) for health in PLACES
        }
        for bot in BOTS
    }


def _curriculum(
    game: Agent, iterations: int, games: int, seeds: Sequence[int], pause: Pause
) -> RatesByMark:
    """Two trainings in Cheat-4 on the same deals: from nothing, and after one in Cheat-3."""
    health, marks = TRAINED_IN[3], range(0, iterations + 1, CHECK_EVERY)
    smaller, taught = deal_solver(game(health - 1), _seed([*seeds, 1]))
    _advance(smaller, iterations, pause)
    rates: RatesByMark = {}
    for start in ("nothing", "carried"):
        solver, engine = deal_solver(game(health), _seed(seeds))
        if start == "carried":
            engine.inherit(taught)
        rates |= _followed(start, solver, marks, games, seeds, pause)
    return rates


def _advance(solver: Solver, iteration: int, pause: Pause) -> None:
    """Train up to an iteration."""
    while solver.iteration < iteration:
        solver.step()
        pause()


def _followed(
    start: str,
    solver: Solver,
    marks: Sequence[int],
    games: int,
    seeds: Sequence[int],
    pause: Pause,
) -> RatesByMark:
    """Win rates at some iterations of a training."""
    rates: RatesByMark = {(start, bot): {} for bot in BOTS}
    for mark in marks:
        _advance(solver, mark, pause)
        assert isinstance(solver.tree, DealForm)
        strategy, health = solver.strategy(), solver.tree.rules.health
        for bot in BOTS:
            rates[start, bot][mark] = _rate(strategy, bot, health, games, [*seeds, mark])
    return rates


def _rate(
    strategy: Strategy[DealForm], bot: str, health: int, games: int, seeds: Sequence[int]
) -> float:
    seed = _seed([*seeds, BOTS.index(bot)])
    return contest(Cheat(health=health), strategy, bot, games=games, seed=seed, longest=MOST).rate


def _seed(seeds: Sequence[int]) -> int:
    """One number from several."""
    return int(np.random.default_rng(list(seeds)).integers(1 << 62))
