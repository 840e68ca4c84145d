"""Training for the original Cheat: sampled CFR against oneself with a horizon that moves away.

A game may never end, so what a move is worth is found out by playing on for a number of turns
only, and by asking how positions like the one reached ended in games between the strategies of the
moment. The ordered games of this curriculum are those with horizons of 4, 8, 16, ... turns: each
goes on with the regrets and the average strategy of the one before.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterfold.abstraction.deal_form import rules_of
from counterfold.abstraction.large import LargeStrategy, original
from counterfold.checkpoints import Checkpoints
from counterfold.errors import MismatchError, ParameterError
from counterfold.files.arrays import read_arrays, write_arrays
from counterfold.files.text import Fields
from counterfold.games.spec import whole
from counterfold.interrupts import uncut

KIND = "cheat training"
HORIZONS = (4, 8, 16, 32)
"""Turns that are played on after a move that is tried, stage by stage."""
LONGEST = 500
"""Turns after which a game in training is given up."""
ROUND = 1_000
"""Games between two merges of what the threads have learned."""
CARRIED = 0.1
"""What is left of the average strategy at the next horizon; regrets are carried over whole."""
HONEST = 2.0
"""The regrets with which honest play begins, where it does."""
FADE = 0.5
"""What is left, a round later, of how positions ended."""


@dataclass(frozen=True)
class TrainingReport:
    """How far training has come."""

    done: float  # a share of the whole
    horizon: int
    games: int
    seconds: float


class Trainer:
    """Tables for the original Cheat, and rounds of games that fill them.

    Rounds weigh in linearly (their regrets with the number of the round, their strategies with
    its square). Threads play with tables of their own, which are added up after each round, so a
    seed gives the same tables again with the same number of threads.

    Games between players who choose at random do not end. With ``honest`` the first games are
    therefore played honestly: all cards of the rank, or one other if there is none; a challenge
    to what is rather false than true by the cards one knows. A few trials outweigh that.
    """

    def __init__(
        self, players: int = 2, seed: int = 0, threads: int = 2, honest: bool = True
    ) -> None:
        from counterfold.kernels.cheat import new_states
        from counterfold.kernels.cheat_abstract import MOVES, ROWS
        from counterfold.kernels.cheat_bot import new_memory
        from counterfold.kernels.cheat_sampling import BINS, Place, Room, Tables

        self.players, self.seed = players, whole("seed", seed, least=0)
        self.threads = whole("threads", threads, least=1, most=64)
        self.rules = rules = rules_of(original(players))
        self.rounds = self.games = self.horizon = 0
        self.seconds = 0.0, 0.0  # wall and CPU, of training

        def tables() -> Any:
            worth = np.zeros((players * BINS * BINS, 2))
            return Tables(np.zeros((ROWS, MOVES)), np.zeros((ROWS, MOVES)), np.zeros(ROWS), worth)

        def place() -> Any:
            return Place(new_states(rules, 1), new_memory(rules))

        streams = np.random.SeedSequence(seed).generate_state(threads, np.uint64)
        self.tables = tables()
        if honest:
            self.tables.regret[...] = HONEST * honest_play()
        self._own = [tables() for _ in range(threads)]
        self._rooms = [
            Room(place(), place(), np.zeros(MOVES), np.zeros(MOVES), np.array([stream]))
            for stream in streams
        ]
        self._seen = [np.zeros((LONGEST, players), np.int64) for _ in range(threads)]

    def play(self, horizon: int, games: int = ROUND) -> None:
        """A round: see how positions end, then train with this horizon."""
        if horizon != self.horizon:
            self.horizon = horizon
            self.tables.total[...] *= CARRIED
        self.rounds += 1
        self.games += games
        shares = [len(part) for part in np.array_split(np.arange(games), self.threads)]
        self.tables.worth[...] *= FADE
        self._share(lambda n: self._watch(n, shares[n]))
        self._share(lambda n: self._train(n, shares[n], horizon))

    def _watch(self, n: int, games: int) -> None:
        from counterfold.kernels.cheat_sampling import watch

        own = self._own[n]
        watch(self.rules, self._rooms[n], own.regret, own.worth, self._seen[n], games)

    def _train(self, n: int, games: int, horizon: int) -> None:
        from counterfold.kernels.cheat_sampling import train

        weight = float(self.rounds)
        train(
            self.rules, self._rooms[n], self._own[n], games, LONGEST, horizon, weight, weight**2
        )  # fmt: skip

    def _share(self, work: Callable[[int], None]) -> None:
        """Let every thread work on tables of its own, and add up what has changed."""
        for own in self._own:
            for mine, common in zip(own, self.tables, strict=True):
                np.copyto(mine, common)
        if self.threads == 1:
            work(0)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(work, range(self.threads)))
        for at, common in enumerate(self.tables):
            change = sum(own[at] - common for own in self._own)
            common += change

    def save(self, path: str | os.PathLike[str], settings: Mapping[str, Any]) -> None:
        """Write all that the next round depends on; ``settings`` tell which training it is of."""
        header = {name: str(getattr(self, name)) for name in ("rounds", "games", "horizon")}
        header |= {"settings": json.dumps(settings), "seconds": json.dumps(self.seconds)}
        arrays = {**self.tables._asdict(), "random": self._streams()}
        write_arrays(path, KIND, header, arrays)

    def go_on(self, path: str | os.PathLike[str], settings: Mapping[str, Any]) -> None:
        """Go on from a file that was saved with the same settings."""
        saved = read_arrays(path, KIND, "a training of Cheat")
        if saved.json("settings") != settings:
            raise MismatchError(
                f"{path} is of a training with other settings; delete it, or choose another folder"
            )
        for name, table in self.tables._asdict().items():
            saved.fill(name, table)
        streams = saved.array("random", np.uint64, (self.threads, 1))
        saved.finish()
        for room, stream in zip(self._rooms, streams, strict=True):
            room.random[:] = stream
        self.rounds, self.games = (saved.whole(name, 0, 2**53) for name in ("rounds", "games"))
        self.horizon = saved.whole("horizon", 0, 2**31)
        spent = Fields({"seconds": saved.json("seconds")}, str(path)).numbers("seconds", low=0)
        if len(spent) != 2:
            raise saved.damaged("it does not say its seconds")
        self.seconds = spent[0], spent[1]

    def _streams(self) -> NDArray[np.uint64]:
        return np.stack([room.random for room in self._rooms])

    def strategy(self, **about: object) -> LargeStrategy:
        """The average strategy so far."""
        total = self.tables.total.sum(axis=1, keepdims=True)
        odds = np.divide(
            self.tables.total, total, out=np.zeros_like(self.tables.total), where=total > 0
        )
        made = {"seed": self.seed, "threads": self.threads, "games": self.games} | about
        return LargeStrategy(self.players, odds.astype(np.float32), made)


def honest_play() -> NDArray[np.float64]:
    """Honest play as a table: the weight of each move at each infoset."""
    from counterfold.kernels import cheat_abstract as abstract

    table = np.zeros((abstract.ROWS, abstract.MOVES))
    table[: abstract.DISCARDS, abstract.ALL] = 1.0
    table[: abstract.DISCARDS, abstract.LIE] = 0.02
    odds = np.arange(abstract.ANSWERS) // (abstract.ANSWERS // abstract.ODDS)
    table[abstract.DISCARDS :, abstract.PASS] = odds >= abstract.EVEN
    table[abstract.DISCARDS :, abstract.CHALLENGE] = odds < abstract.EVEN
    return table


def train(  # noqa: PLR0913  (said by their names)
    players: int = 2,
    *,
    minutes: float | None = None,
    games: int | None = None,
    seed: int = 0,
    threads: int = 2,
    honest: bool = True,
    horizons: Sequence[int] = HORIZONS,
    on_progress: Callable[[TrainingReport], None] | None = None,
    save: str | os.PathLike[str] | None = None,
) -> LargeStrategy:
    """Learn the original Cheat for a time, or for a number of games (which can be done again).

    Every horizon gets an equal share. ``save`` is a file for a checkpoint, once a minute, on Ctrl-C
    and in the end; the next call goes on from there.

    >>> train(2, games=50, threads=1).players
    2
    """
    if (minutes is None) == (games is None):
        raise ParameterError("training needs either minutes or games")
    if minutes is not None and not minutes > 0:
        raise ParameterError(f"minutes must be above 0, not {minutes}")
    if games is not None:
        whole("games", games, least=1)
    if not horizons or any(whole("a horizon", turns, least=1) < 1 for turns in horizons):
        raise ParameterError("training needs a horizon at least")
    trainer = Trainer(players, seed, threads, honest)
    if minutes is not None:
        Trainer(players, seed, threads).play(1, threads)  # compiling does not count
    settings = {
        "players": players, "minutes": minutes, "games": games, "seed": seed, "threads": threads,
        "honest": honest, "horizons": list(horizons),
    }  # fmt: skip
    if save is not None and os.path.exists(save):
        trainer.go_on(save, settings)
    checkpoints = Checkpoints(None if save is None else lambda: trainer.save(save, settings))
    before = trainer.rounds
    try:
        _train(trainer, minutes, games, horizons, on_progress, checkpoints)
    except KeyboardInterrupt:
        if trainer.rounds > before:
            checkpoints.save()
        raise
    if trainer.rounds > before:
        checkpoints.save()
    return trainer.strategy(
        horizons=list(horizons),
        honest=honest,
        seconds=trainer.seconds[0],
        cpu_seconds=trainer.seconds[1],
    )


def _train(
    trainer: Trainer,
    minutes: float | None,
    games: int | None,
    horizons: Sequence[int],
    on_progress: Callable[[TrainingReport], None] | None,
    checkpoints: Checkpoints,
) -> None:
    """Rounds to the end of the time or of the games."""
    wall, cpu = trainer.seconds
    began, began_cpu = time.perf_counter() - wall, time.process_time() - cpu

    def share() -> float:
        if games is not None:
            return trainer.games / games
        assert minutes is not None
        return trainer.seconds[0] / (60 * minutes)

    while (done := share()) < 1:
        horizon = horizons[int(done * len(horizons))]
        size = ROUND if games is None else min(ROUND, _stage_end(games, horizons, done, trainer))
        with uncut():
            trainer.play(horizon, size)
            trainer.seconds = time.perf_counter() - began, time.process_time() - began_cpu
        if on_progress:
            on_progress(
                TrainingReport(min(share(), 1.0), horizon, trainer.games, trainer.seconds[0])
            )
        checkpoints.look()


def _stage_end(games: int, horizons: Sequence[int], done: float, trainer: Trainer) -> int:
    """Games left until the horizon changes."""
    stage = int(done * len(horizons)) + 1
    return max(-(-games * stage // len(horizons)) - trainer.games, 1)
