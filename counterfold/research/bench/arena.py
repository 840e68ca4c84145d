"""How many hands a second are played: fixed strategies, learners, and agents written in Python."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from counterfold.agent import Agent, Observation
from counterfold.exploit.rules import LEARNERS
from counterfold.games.catalog import load
from counterfold.play.agents import make_agent
from counterfold.play.match import Match
from counterfold.play.series import series
from counterfold.plot import figure
from counterfold.research.bench.bars import bars
from counterfold.research.columns import Columns, rich_table
from counterfold.research.progress import no_progress
from counterfold.tree.history import HistoryTree, compile_game

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["GAMES", "Pace", "measure", "plot", "run", "table", "to_json"]

GAMES = ("one_card", "leduc")
FIXED = ("uniform", "sophisticated")
RUNS = 7
BUDGET = 0.2
"""CPU seconds of a run."""


@dataclass(frozen=True)
class Pace:
    """Hands a second of CPU time on one core, the median of several runs.

    ``reduced`` is the same with luck taken out of every hand, as ``counterfold match`` does;
    None where only that was measured, or nothing is taken out.
    """

    game: str
    what: str
    plain: float | None
    reduced: float | None


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
    times = []
    for _ in range(runs):
        began = time.process_time()
        play(hands)
        times.append(time.process_time() - began)
    return hands / max(statistics.median(times), 1e-9)


def measure(spec: str, seconds: float = 0.2, runs: int = RUNS) -> list[Pace]:
    """All pairs of agents at one game; a run takes about so many seconds."""
    tree = compile_game(load(spec))
    found = []
    for pair in _pairs():
        hands = max(10, int(pair.expected * seconds))

        def alone(count: int, pair: _Pair = pair) -> object:
            return series(tree, *pair.make(tree), matches=1, marks=(count,), threads=1)

        match = Match(tree, *pair.make(tree), seed=1)
        plain = _pace(alone, hands, runs) if pair.compiled else None
        found.append(Pace(tree.spec, pair.what, plain, _pace(match.play, hands, runs)))
    return found


def run(
    games: Sequence[str] = GAMES,
    budget: float = BUDGET,
    on_progress: Callable[[str], None] = no_progress,
    runs: int = RUNS,
) -> list[Pace]:
    """Measure several games; a run takes about ``budget`` CPU seconds."""
    paces = []
    for spec in games:
        on_progress(spec)
        paces += measure(spec, budget, runs)
    return paces


def _shown(pace: float | None) -> str:
    return "-" if pace is None else f"{pace:,.0f}" if pace < 1e5 else f"{pace / 1e6:.2f} M"


def table(paces: Sequence[Pace]) -> Table:
    """A row a pair of agents and a game."""
    columns: Columns = {
        "game": "{0.game}",
        f"agents (learners against {FIXED[1]})": "{0.what}",
        "plain": lambda pace: _shown(pace.plain),
        "luck taken out": lambda pace: _shown(pace.reduced),
    }
    title = "Hands a second of CPU time, one core"
    return rich_table(title, paces, columns, left=list(columns)[:2])


def plot(paces: Sequence[Pace]) -> Any:
    """Bars of hands a second."""
    made, (panel,) = figure(1, 1, size=(9, 4.6))
    series = {}
    for game in dict.fromkeys(pace.game for pace in paces):
        own = [pace for pace in paces if pace.game == game]
        series[game] = [pace.plain for pace in own]
        series[f"{game}, luck taken out"] = [pace.reduced for pace in own]
    kinds = list(dict.fromkeys(pace.what for pace in paces))
    bars(panel, kinds, series, "hands a second, one core")
    return made


def to_json(paces: Sequence[Pace]) -> dict[str, Any]:
    """All figures."""
    return {"what": "arena", "paces": [asdict(pace) for pace in paces]}
