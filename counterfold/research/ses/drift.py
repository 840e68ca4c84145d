"""Safe exploitation against opponents that drift: what is won, what is risked, what it costs.

Every contender meets the same opponents over the same deals, and learns from what it sees only.
Now and then its present strategy is taken in whole and measured exactly: against the opponent as
it plays then, and against a best response.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from counterfold.evaluate.exact import exploitability, values
from counterfold.evaluate.sequence import assess_form
from counterfold.exploit.models import OpponentModel
from counterfold.games.catalog import load
from counterfold.games.spec import whole
from counterfold.play.agents import Drifting, StrategyAgent
from counterfold.play.match import Match
from counterfold.play.safe import RestrictedAgent, SafeSearcher
from counterfold.play.score import Estimate
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.research.ses.leduc import sampled_blueprint
from counterfold.searchers.opponents import shuffled
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game
from counterfold.tree.sequence import sequence_form

HALF_LIFE = 400.0
"""Hands after which a hand counts half in every contender's model: the opponent moves."""

STRENGTH = 10.0


def _model(blueprint: Strategy[HistoryTree]) -> OpponentModel:
    return OpponentModel(blueprint, STRENGTH, half_life=HALF_LIFE)


Contender = StrategyAgent | SafeSearcher | RestrictedAgent
CONTENDERS: dict[str, Callable[[Strategy[HistoryTree]], Contender]] = {
    "blueprint": lambda b: StrategyAgent(b, "blueprint"),
    "ses(0.2)": lambda b: SafeSearcher(b, 0.2, model=_model(b)),
    "ses(0.8)": lambda b: SafeSearcher(b, 0.8, model=_model(b)),
    "ses(auto,budget=0.02)": lambda b: SafeSearcher(b, "auto", 0.02, model=_model(b)),
    "ses(auto,budget=0.2)": lambda b: SafeSearcher(b, "auto", 0.2, model=_model(b)),
    "rnr(0.5)": lambda b: RestrictedAgent(b, 0.5, model=_model(b)),
    "rnr(0.8)": lambda b: RestrictedAgent(b, 0.8, model=_model(b)),
}


@dataclass(frozen=True)
class DriftRow:
    """One contender over all opponents; chips a hand, seats alternating.

    ``winnings`` and ``exploitability`` are exact, means over the moments at which the contender's
    whole strategy was taken; ``worst`` is the largest exploitability; ``played`` is what the match
    itself says with luck taken out, and half its 95% interval. ``milliseconds`` is CPU time a
    hand, learning and searching included.
    """

    contender: str
    winnings: float
    exploitability: float
    worst: float
    played: float
    played_half: float
    milliseconds: float
    curve: tuple[float, ...]


@dataclass(frozen=True)
class Drift(Result, paper="ses", table="drift"):
    """The table, and how it was made."""

    game: str
    hands: int
    opponents: int
    share: float
    every: int
    best: float
    blueprint: float
    rows: tuple[DriftRow, ...]


def drift(  # noqa: PLR0913  (said by their names)
    game: str = "leduc(raises=1+2)",
    hands: int = 1_000,
    runs: int = 3,
    share: float = 0.7,
    iterations: int = 100_000,
    seed: int = 0,
    *,
    every: int = 100,
    contenders: tuple[str, ...] = tuple(CONTENDERS),
    on_progress: Progress = no_progress,
) -> Drift:
    """Let every contender play opponents that go from one shuffled blueprint to another.

    There are ``runs`` of them; ``share`` is the share of infosets that are shuffled; ``every`` how
    many hands lie between two exact looks.
    """
    whole("hands", hands, least=every)
    whole("runs", runs, least=1)
    tree = compile_game(load(game))
    blueprint = sampled_blueprint(tree, iterations, seed)
    drifters = [_drifter(tree, iterations, seed + 1 + k, share, hands) for k in range(runs)]
    rows = []
    for number, name in enumerate(contenders):
        meetings = []
        for k, opponent in enumerate(drifters):
            on_progress(number * runs + k, len(contenders) * runs)
            meetings.append(_meet(CONTENDERS[name](blueprint), opponent, hands, every, seed + k))
        rows.append(_row(name, meetings, hands))
    return Drift(
        game=game,
        hands=hands,
        opponents=runs,
        share=share,
        every=every,
        best=float(np.mean([_most(tree, opponent, hands, every) for opponent in drifters])),
        blueprint=exploitability(blueprint),
        rows=tuple(rows),
    )


def _drifter(tree: HistoryTree, iterations: int, seed: int, share: float, hands: int) -> Drifting:
    base = sampled_blueprint(tree, iterations, seed)
    start, end = (shuffled(base, share, np.random.default_rng([seed, k])) for k in range(2))
    return Drifting(start, end, hands)


class _Meeting(NamedTuple):
    """A match against one opponent: exact numbers at every look, and what the match says."""

    winnings: list[float]
    exploitability: list[float]
    played: Estimate
    cpu_seconds: float


def _meet(agent: Contender, opponent: Drifting, hands: int, every: int, seed: int) -> _Meeting:
    """The match, and exact looks at what the agent plays in it."""
    tree = opponent.start.tree
    match = Match(tree, agent, opponent, seed=seed, stranger=0)
    won, risk = [], []
    for _ in range(hands // every):
        match.play(every)
        now = agent.strategy if isinstance(agent, StrategyAgent) else agent.strategy()
        there = opponent.phase(match.hands).strategy
        won.append((values(now, there)[0] + values(there, now)[1]) / 2)
        risk.append(exploitability(now))
    score = match.result().scores[0]
    assert score.reduced is not None
    return _Meeting(won, risk, score.reduced, getattr(agent, "cpu_seconds", 0.0))


def _most(tree: HistoryTree, opponent: Drifting, hands: int, every: int) -> float:
    """What a best response that knows the opponent would win."""
    won = []
    for hand in range(every, hands + 1, every):
        there = opponent.phase(hand).strategy
        best = assess_form(sequence_form(tree), there.probabilities)[0].best
        won.append((best[0] + best[1]) / 2)
    return float(np.mean(won))


def _row(name: str, meetings: list[_Meeting], hands: int) -> DriftRow:
    won = np.array([meeting.winnings for meeting in meetings])
    risk = np.array([meeting.exploitability for meeting in meetings])
    halves = np.array([meeting.played.half or 0.0 for meeting in meetings])
    return DriftRow(
        contender=name,
        winnings=float(won.mean()),
        exploitability=float(risk.mean()),
        worst=float(risk.max()),
        played=float(np.mean([meeting.played.mean for meeting in meetings])),
        played_half=float(np.sqrt((halves**2).sum()) / len(meetings)),
        milliseconds=float(1e3 * np.mean([meeting.cpu_seconds for meeting in meetings]) / hands),
        curve=tuple(won.mean(axis=0).tolist()),
    )
