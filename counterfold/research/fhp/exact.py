"""Flop Hold'em solved exactly, without abstraction, beside what the literature reached on it.

``fhp_exact`` runs the solver, ``FhpRun`` is what was found; ``fhp_checks`` holds it to sampled
play and to the history form.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from counterfold.checkpoints import Checkpoints
from counterfold.errors import FileError, MismatchError, ParameterError, SpecError
from counterfold.evaluate.public_view import Browser
from counterfold.files.sealed import read_document, write_document
from counterfold.files.text import csv_text
from counterfold.files.typed import from_json, to_json
from counterfold.games.spec import parse_spec
from counterfold.poker.game import PokerGame
from counterfold.poker.holdem import fhp
from counterfold.poker.view import CLASSES, NodeView
from counterfold.research.bench.peers import peak_memory
from counterfold.research.progress import Progress, no_progress
from counterfold.solvers.methods import method as named_method
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Report
from counterfold.tree.public import PublicTree

__all__ = ["DEEP_CFR", "METHOD", "PUBLISHED", "FhpPoint", "FhpRun", "fhp_exact", "fhp_game"]

METHOD = "dcfr(1.5,0,3)"
"""Picked from sixteen settings on six ranks, one run each, checked every 20 iterations: below 1
mbb/h after 180, as with gamma 4; dcfr takes 220, cfr+(2) 340, sapcfr+ 360, linear 520. On the
whole deck it is ahead of dcfr by less (0.86 against 1.00 mbb/h after 200)."""

TARGET = 1.0
"""Exploitability in thousandths of a big blind a hand, where a run ends if nobody says."""

PUBLISHED = {20: 115.0, 30: 65.0, 50: 32.0}
"""Linear CFR without abstraction, four bets a round: both players' gains together, mbb/h."""

DEEP_CFR = 37.0
"""What Deep CFR was published with, mbb/h; its paper's tabular curve is the sum of both gains."""

MARKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60, 75, 100, 125, 150, 175, 200, 225, 250, 300)
LINEAR = 50
CHECKPOINT, OTHER, PART = "fhp.safetensors", "linear.json", "linear.safetensors"

Tell = Callable[[float, str], None]
"""Called with how much is done, from 0 to 1, and where things stand in words."""


@dataclass(frozen=True)
class FhpPoint:
    """Where a run stood after so many iterations; amounts in thousandths of a big blind a hand."""

    iteration: int
    exploitability: float  # the mean of both players' gains
    value: float  # of the small blind, when both play what was found
    seconds: float
    cpu_seconds: float

    @property
    def total(self) -> float:
        """The sum of both players' gains, as papers on this game quote it."""
        return 2.0 * self.exploitability

    def to_dict(self) -> dict[str, float]:
        return asdict(self) | {"total": self.total}


@dataclass(frozen=True)
class FhpRun:
    """Flop Hold'em solved so far: the curve, and what is played before the flop."""

    game: str
    cap: int
    cards: int
    flops: int
    hands: int  # that a player can hold on a flop
    method: str
    points: tuple[FhpPoint, ...]
    linear: tuple[FhpPoint, ...]
    memory: int  # bytes, the most that the process has held
    tables: int  # bytes of regrets and sums of strategies
    resumed: int  # iterations that were done before this run
    views: tuple[NodeView, ...] = field(repr=False)  # every decision before the flop

    @property
    def last(self) -> FhpPoint:
        return self.points[-1]

    @property
    def whole(self) -> bool:
        """Is it the game of the literature?"""
        return self.cards == 52 and self.cap == 4

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON of ``counterfold repro fhp``."""
        return {
            "paper": "fhp",
            "game": self.game,
            "cap": self.cap,
            "cards": self.cards,
            "flops": self.flops,
            "hands": self.hands,
            "method": self.method,
            "iterations": self.last.iteration,
            "resumed": self.resumed,
            "exploitability": self.last.exploitability,
            "total": self.last.total,
            "value": self.last.value,
            "seconds": self.last.seconds,
            "cpu_seconds": self.last.cpu_seconds,
            "memory_bytes": self.memory,
            "table_bytes": self.tables,
            "curve": [point.to_dict() for point in self.points],
            "linear": [point.to_dict() for point in self.linear],
            "published_linear_total": {str(k): v for k, v in PUBLISHED.items()},
            "published_deep_cfr": DEEP_CFR,
            "preflop": [
                {
                    "line": list(view.line),
                    "player": view.player,
                    "combos": view.totals.combos,
                    "frequencies": view.totals.frequencies,
                    "ev": view.totals.ev,
                }
                for view in self.views
            ],
        }

    def curve_csv(self) -> str:
        """Every point of both runs."""
        names = list(self.last.to_dict())
        rows = [
            [method, *(point.to_dict()[name] for name in names)]
            for method, points in ((self.method, self.points), ("linear", self.linear))
            for point in points
        ]
        return csv_text([["method", *names], *rows])

    def preflop_csv(self) -> str:
        """What each of the 169 classes does at every decision before the flop."""
        actions = list(dict.fromkeys(action for view in self.views for action in view.actions))
        rows: list[list[Any]] = [["line", "player", "hand", "combos", *actions, "ev", "equity"]]
        for view in self.views:
            for k, name in enumerate(CLASSES):
                if not view.classes.combos[k] > 0:
                    continue
                mix = dict(zip(view.actions, view.classes.mix[:, k].tolist(), strict=True))
                numbers = [mix.get(action, math.nan) for action in actions]
                numbers += [float(view.classes.ev[k]), float(view.classes.equity[k])]
                told = ["" if math.isnan(x) else f"{x:.6f}" for x in numbers]
                combos = f"{view.classes.combos[k]:.6f}"
                rows.append([" ".join(view.line), view.player, name, combos, *told])
        return csv_text(rows)


def fhp_game(spec: str | None = None) -> PokerGame:
    """The game of a name such as ``fhp(cap=3)`` or ``fhp(deck=TJQKA)``.

    >>> len(fhp_game("fhp(deck=TJQKA)").rules.deck), len(fhp_game().rules.deck)
    (20, 52)
    """
    found = parse_spec("fhp" if spec is None else spec)
    if found.name.lower() != "fhp":
        raise ParameterError(f"this experiment is about fhp, not {found.name}")
    try:
        return fhp(*found.args, **dict(found.kwargs))
    except TypeError:
        raise SpecError(f"{spec!r} does not fit: fhp takes cap, raises, blinds and deck") from None


def fhp_exact(
    game: PokerGame | None = None,
    *,
    iterations: int | None = None,
    minutes: float | None = None,
    method: str = METHOD,
    linear: int = LINEAR,
    threads: int | None = None,
    folder: str | Path | None = None,
    on_progress: Progress = no_progress,
) -> FhpRun:
    """Solve Flop Hold'em: so many iterations, so many minutes, or to 1 mbb/h.

    Linear CFR runs first for ``linear`` iterations, to be held beside published curves. A
    ``folder`` keeps a checkpoint, from which the next call goes on; it is written now and then,
    at the end, and when the run is stopped.
    """
    game, method = game or fhp(), named_method(method).name

    def tell(part: float, words: str) -> None:
        on_progress(part, 1.0, words)

    until = _Until(iterations, minutes)
    began = time.monotonic()
    other = _linear(game, linear, threads, folder, tell)
    solver, trace = _begin(game, method, threads, folder)
    before = solver.iteration
    clock = Checkpoints(None if folder is None else lambda: _save(solver, trace, folder))

    def look(part: float, words: str) -> None:
        tell(part, words)
        clock.look()

    try:
        for report in until.run(solver, trace, look, began):
            trace.append(report)
    except KeyboardInterrupt:
        if solver.iteration > before:
            clock.save()
        raise
    if folder and solver.iteration > before:
        tell(1.0, "saving")
        clock.save()
    tell(1.0, "looking at the hands before the flop")
    views = Browser(solver.strategy()).walk_through()
    tree, told = solver.tree, game.about["parameters"]
    return FhpRun(
        game.name, int(told["cap"]), len(game.rules.deck), len(tree.boards) - 1,
        len(tree.hands[0][-1].holes), method, tuple(_point(game, report) for report in trace),
        other, peak_memory(), tree.table_bytes(), before,
        tuple(view for seen in views.values() for view in seen),
    )  # fmt: skip


class _Until:
    """When to check, when to save and when to stop."""

    def __init__(self, iterations: int | None, minutes: float | None) -> None:
        if iterations is not None and minutes is not None:
            raise ParameterError("a run ends after so many iterations or minutes: give one of them")
        if iterations is not None and iterations < 1:
            raise ParameterError(f"iterations is {iterations}, and must be at least 1")
        if minutes is not None and not 0 < minutes < math.inf:
            raise ParameterError(f"minutes is {minutes:g}, and must be above 0")
        self.iterations, self.minutes = iterations, minutes
        self.began = time.monotonic()

    def run(
        self,
        solver: Solver,
        trace: list[Report],
        tell: Tell,
        began: float | None = None,
    ) -> Any:
        """Iterate, with a report at each mark; the last one meets the limit."""
        self.began = time.monotonic() if began is None else began
        while not (trace and self._is_over(solver, trace[-1])):  # the caller adds to the trace
            mark = _next_mark(solver.iteration)
            if self.iterations is not None:
                mark = min(mark, self.iterations)
            while solver.iteration < mark and not self._is_late():
                solver.step(1)
                tell(self._part(solver, trace), _words(solver, trace))
            yield solver.report(time.monotonic() - self.began)

    def _is_late(self) -> bool:
        return self.minutes is not None and time.monotonic() - self.began >= 60 * self.minutes

    def _is_over(self, solver: Solver, report: Report) -> bool:
        if report.iteration < solver.iteration:  # stopped between two checks
            return False
        if self.iterations is not None:
            return solver.iteration >= self.iterations
        if self.minutes is not None:
            return self._is_late()
        return _point(solver.tree.game, report).exploitability < TARGET

    def _part(self, solver: Solver, trace: list[Report]) -> float:
        """How much is done; exploitability falls about as the iterations to the power -1.8."""
        if self.iterations is not None:
            return min(1.0, solver.iteration / self.iterations)
        if self.minutes is not None:
            return min(1.0, (time.monotonic() - self.began) / (60 * self.minutes))
        if len(trace) < 3:
            return 0.0
        last = trace[-1]
        over = _point(solver.tree.game, last).exploitability / TARGET
        goal = last.iteration * max(over, 1.0) ** (1 / 1.8)
        return min(0.999, solver.iteration / max(goal, solver.iteration))


def _next_mark(iteration: int) -> int:
    """The next iteration at which exploitability is computed, which costs about two more."""
    for mark in MARKS:
        if mark > iteration:
            return mark
    return iteration // 100 * 100 + 100


def _words(solver: Solver, trace: list[Report]) -> str:
    words = f"{solver.method.name}, iteration {solver.iteration:,}"
    if trace:
        words += f", {_point(solver.tree.game, trace[-1]).exploitability:.3g} mbb/h"
    return words


def _point(game: PokerGame, report: Report) -> FhpPoint:
    unit = 1000.0 / float(game.big_blind or 1.0)
    assert report.exploitability is not None
    assert report.values is not None
    return FhpPoint(
        report.iteration, unit * report.exploitability, unit * report.values[0],
        report.seconds, report.cpu_seconds,
    )  # fmt: skip


def _linear(
    game: PokerGame,
    iterations: int,
    threads: int | None,
    folder: str | Path | None,
    tell: Tell,
) -> tuple[FhpPoint, ...]:
    """Linear CFR's curve, or what the folder remembers of it."""
    if iterations < 1:
        return ()
    kept = Path(folder) / OTHER if folder else None
    tree = PublicTree(game)
    if kept is not None and kept.exists():
        try:
            told = read_document(kept, "a curve")
            done = told.whole("iterations") == iterations
            if done and told.text("fingerprint") == tree.fingerprint:
                return tuple(from_json(FhpPoint, point) for point in told.objects("points"))
        except FileError as error:
            raise FileError(f"{kept} is damaged ({error}); delete it and run again") from None
    solver, trace = _begin(game, "linear", threads, folder, PART)
    if solver.iteration > iterations:  # those of a longer curve
        solver, trace = Solver(tree, "linear", threads=threads), []
    before = solver.iteration
    clock = Checkpoints(None if folder is None else lambda: _save(solver, trace, folder, PART))

    def look(part: float, words: str) -> None:
        tell(0.0, words)
        clock.look()

    try:
        for report in _Until(iterations, None).run(solver, trace, look):
            trace.append(report)
    except KeyboardInterrupt:
        if solver.iteration > before:
            clock.save()
        raise
    points = tuple(_point(game, report) for report in trace)
    if kept is not None:
        rows = [to_json(point) for point in points]
        found = {"fingerprint": tree.fingerprint, "iterations": iterations, "points": rows}
        write_document(kept, found)
        (kept.parent / PART).unlink(missing_ok=True)
    return points


def _begin(
    game: PokerGame,
    method: str,
    threads: int | None,
    folder: str | Path | None,
    name: str = CHECKPOINT,
) -> tuple[Solver, list[Report]]:
    """A new run, or the one that the folder keeps under a name."""
    kept = Path(folder) / name if folder else None
    if kept is None or not kept.exists():
        return Solver(game, method, threads=threads), []
    solver, trace = Solver.resume(kept, threads=threads)
    if solver.tree.game.about != game.about or solver.method.name != method:
        raise MismatchError(
            f"{kept} is a run of {solver.method.name} on another game or of another method than "
            f"{method}; choose another folder, or delete it"
        )
    return solver, trace


def _save(solver: Solver, trace: list[Report], folder: str | Path, name: str = CHECKPOINT) -> None:
    solver.save(Path(folder) / name, trace)
