"""How many hands a second are played: fixed strategies, learners, and agents written in Python."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from counterfold.agent import Agent, Observation
from counterfold.exploit.rules import LEARNERS
from counterfold.games.catalog import load
from counterfold.play.agents import make_agent
from counterfold.play.match import Match
from counterfold.play.series import series
from counterfold.plot import figure
from counterfold.research.bench.timing import cpu, each
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.drawing import bars, finished
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.tree.history import HistoryTree, compile_game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GAMES = ("one_card", "leduc")
FIXED = ("uniform", "sophisticated")
RUNS = 7


@dataclass(frozen=True)
class Pace:
    """Hands a second of CPU time on one core, the median of several runs.

    ``reduced`` is the same with luck taken out of every hand, as ``counterfold match`` does;
    ``plain`` is None where only that was measured.
    """

    game: str
    what: str
    plain: float | None
    reduced: float | None


@dataclass(frozen=True)
class Paces(Result, what="arena"):
    """A pace for each pair of agents and each game."""

    paces: tuple[Pace, ...]


class _Coin(Agent):
    """A Python agent that does as little as an agent can."""

    name = "coin"

    def act(self, observation: Observation, rng: np.random.Generator) -> Hashable:
        return observation.actions[int(rng.random() * len(observation.actions))]


class _Pair(NamedTuple):
    """Two agents, and at about how many hands a second they are expected to play."""

    what: str
    make: Callable[[HistoryTree], tuple[Agent, Agent]]
    compiled: bool
    expected: float


def _pairs() -> tuple[_Pair, ...]:
    def named(first: str, second: str) -> Callable[[HistoryTree], tuple[Agent, Agent]]:
        return lambda tree: (make_agent(first, tree), make_agent(second, tree))

    return (
        _Pair("fixed strategies", named(*FIXED), True, 5e6),
        *(_Pair(name, named(name, FIXED[1]), True, 3e6) for name in LEARNERS),
        _Pair("two learners", named("seocfr-iw", "deocfr"), True, 3e6),
        _Pair("Python agents", lambda tree: (_Coin(), _Coin()), False, 5e3),
    )


def _pace(play: Callable[[int], object], hands: int, runs: int) -> float:
    """Hands a second of ``play(hands)``."""
    play(2)  # compiles
    return hands / max(median(cpu(partial(play, hands)) for _ in range(runs)), 1e-9)


def measure(spec: str, seconds: float = 0.2, runs: int = RUNS) -> list[Pace]:
    """All pairs of agents at one game; a run takes about so many seconds."""
    tree = compile_game(load(spec))
    paces = []
    for pair in _pairs():
        hands = max(10, int(pair.expected * seconds))

        def alone(count: int, pair: _Pair = pair) -> object:
            return series(tree, *pair.make(tree), matches=1, marks=(count,), threads=1)

        match = Match(tree, *pair.make(tree), seed=1)
        plain = _pace(alone, hands, runs) if pair.compiled else None
        paces.append(Pace(tree.spec, pair.what, plain, _pace(match.play, hands, runs)))
    return paces


def run(
    games: Sequence[str] = GAMES,
    budget: float = 0.2,
    on_progress: Progress = no_progress,
    runs: int = RUNS,
) -> Paces:
    """Measure several games; a run takes about ``budget`` CPU seconds."""
    paces = each(games, lambda spec: measure(spec, budget, runs), on_progress)
    return Paces(tuple(pace for own in paces for pace in own))


def _short(pace: float | None) -> str:
    return "-" if pace is None else f"{pace:,.0f}" if pace < 1e5 else f"{pace / 1e6:.2f} M"


def show(result: Paces) -> Iterator[Part]:
    """A row a pair of agents and a game."""
    columns: Columns = {
        "game": "{0.game}",
        f"agents (learners against {FIXED[1]})": "{0.what}",
        "plain": lambda pace: _short(pace.plain),
        "luck taken out": lambda pace: _short(pace.reduced),
    }
    yield Table(result.paces, columns, "Hands a second of CPU time, one core")


def draw(result: Paces) -> Figure:
    """Bars of hands a second."""
    made, (panel,) = figure(1, 1, size=(9, 4.6))
    series = {}
    for game in dict.fromkeys(pace.game for pace in result.paces):
        own = [pace for pace in result.paces if pace.game == game]
        series[game] = [pace.plain for pace in own]
        series[f"{game}, luck taken out"] = [pace.reduced for pace in own]
    kinds = list(dict.fromkeys(pace.what for pace in result.paces))
    bars(panel, kinds, series, "hands a second, one core")
    return finished(made, "Hands a second")
