"""Beyond the paper: the original 52-card Cheat for two and three players, trained and tested.

A strategy is trained against itself by sampled CFR over an abstraction (``kernels.cheat_abstract``)
with a horizon that moves away (``abstraction.horizon_training``). It has never met a bot when it
plays against them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterfold.abstraction.contest import Contest, contest
from counterfold.abstraction.horizon_form import HorizonForm, met, original
from counterfold.abstraction.horizon_training import HORIZONS, TrainingReport, train
from counterfold.errors import ParameterError
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.strategy.strategy import Strategy

PART = "training-{}.part"
"""The file that the training of a row is kept in, until all of them are done."""
OPPONENTS = ("random", "heuristic")
TRAINING_SHARE = 0.9
"""Of the time of a row, as far as progress is concerned."""


@dataclass(frozen=True)
class OriginalRow(Result, also=("curriculum", "wins")):
    """A trained strategy against bots in all other seats."""

    players: int
    honest: bool  # began with honest play, or with nothing
    horizons: tuple[int, ...]
    training_games: int
    training_seconds: float
    training_cpu_seconds: float
    infosets: int
    contests: tuple[Contest, ...]

    @property
    def curriculum(self) -> bool:
        """Did the horizon move away during training?"""
        return len(self.horizons) > 1

    @property
    def wins(self) -> bool:
        """Does every interval lie above a fair share?"""
        return all(one.interval[0] > one.fair for one in self.contests)


@dataclass(frozen=True)
class OriginalTable(Result, paper="cheat", table="original"):
    """Strategies for the original Cheat, and how they fare against the bots."""

    seed: int
    rows: tuple[OriginalRow, ...]


def file_name(players: int) -> str:
    """The file that a strategy for so many players is kept in."""
    return f"cheat52-{players}.safetensors"


def original_table(  # noqa: PLR0913  (said by their names)
    players: Sequence[int] = (2, 3),
    minutes: float | None = 5.0,
    games: int | None = None,
    contest_games: int = 20_000,
    seed: int = 0,
    threads: int = 2,
    without: bool = False,
    folder: str | Path | None = None,
    on_progress: Progress = no_progress,
) -> OriginalTable:
    """Train for each number of players, and play against the bots.

    ``games`` in place of ``minutes`` makes a run that can be repeated exactly. ``without`` adds
    two rows each that show what the curriculum does: the same training from nothing, with it and
    without it (the last horizon from the start). The first row's strategy is kept in ``folder``
    under ``file_name``; a table that was stopped goes on from there when it is made again.

    >>> row, = original_table((2,), games=100, contest_games=100, threads=1).rows
    >>> row.players, row.contests[0].agents
    (2, ('strategy', 'random'))
    """
    if not players:
        raise ParameterError("the table needs a number of players at least")
    ways = ((True, HORIZONS), (False, HORIZONS), (False, HORIZONS[-1:]))
    plan = [(count, *way) for count in players for way in (ways if without else ways[:1])]
    rows = []
    for done, (count, honest, horizons) in enumerate(plan):

        def tell(part: float, place: int = done, count: int = count) -> None:
            on_progress(place + part, len(plan), f"{count} players")

        def training(report: TrainingReport, tell: Callable[[float], None] = tell) -> None:
            tell(TRAINING_SHARE * report.done)

        part = None if folder is None else Path(folder) / PART.format(done + 1)
        strategy = train(
            count, minutes=None if games is not None else minutes, games=games, seed=seed,
            threads=threads, honest=honest, horizons=horizons, on_progress=training, save=part,
        )  # fmt: skip
        if folder is not None and honest:
            strategy.save(Path(folder) / file_name(count))
        rows.append(_row(strategy, horizons, contest_games, seed))
        tell(1.0)
    if folder is not None:
        for done in range(len(plan)):
            (Path(folder) / PART.format(done + 1)).unlink(missing_ok=True)
    return OriginalTable(seed, tuple(rows))


def _row(
    strategy: Strategy[HorizonForm], horizons: tuple[int, ...], games: int, seed: int
) -> OriginalRow:
    about, game = strategy.about, original(strategy.players)
    return OriginalRow(
        strategy.players,
        about["plan"]["honest"],
        tuple(horizons),
        about["games"],
        about["seconds"],
        about["cpu_seconds"],
        met(strategy),
        tuple(
            contest(game, strategy, *[bot] * (strategy.players - 1), games=games, seed=seed)
            for bot in OPPONENTS
        ),
    )
