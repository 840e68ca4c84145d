"""Flop Hold'em solved exactly, without abstraction, beside what the literature reached on it.

``fhp_exact`` runs the solver, ``FhpRun`` is what was found; ``fhp_checks`` holds it to sampled
play and to the history form.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path

from counterfold.checkpoints import Checkpoints
from counterfold.errors import FileError, MismatchError, ParameterError, SpecError
from counterfold.evaluate.public_view import Browser
from counterfold.files.sealed import read_document, write_document
from counterfold.files.text import Json, csv_text
from counterfold.files.typed import from_json, to_json
from counterfold.games.spec import parse_spec, whole
from counterfold.poker.game import PokerGame
from counterfold.poker.holdem import fhp
from counterfold.poker.view import CLASSES, NodeView
from counterfold.research.bench.timing import peak_memory
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.methods import method as named_method
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Report, Until
from counterfold.tree.public import PublicTree

METHOD = "dcfr(1.5,0,3)"
"""Picked from sixteen settings on six ranks, one run each, checked every 20 iterations: below 1
mbb/h after 180, as with gamma 4; dcfr takes 220, cfr+(2) 340, sapcfr+ 360, linear 520. On the
whole deck it is ahead of dcfr by less (0.86 against 1.00 mbb/h after 200)."""

TARGET = "1mbb"
"""The exploitability at which a run ends if nobody says."""

PUBLISHED = {20: 115.0, 30: 65.0, 50: 32.0}
"""Linear CFR without abstraction, four bets a round: both players' gains together, mbb/h."""

DEEP_CFR = 37.0
"""What Deep CFR was published with, mbb/h; its paper's tabular curve is the sum of both gains."""

MARKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60, 75, 100, 125, 150, 175, 200, 225, 250, 300)
LINEAR = 50
CHECKPOINT, OTHER, PART = "fhp.safetensors", "linear.json", "linear.safetensors"


@dataclass(frozen=True)
class FhpPoint(Result, also=("total",)):
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


@dataclass(frozen=True)
class FhpRun(
    Result,
    paper="fhp",
    published_linear_total={str(iteration): total for iteration, total in PUBLISHED.items()},
    published_deep_cfr=DEEP_CFR,
    also=("preflop",),
    without=("views",),
):
    """Flop Hold'em solved so far: the curve, and what is played before the flop."""

    game: str
    cap: int
    cards: int
    flops: int
    hands: int  # that a player can hold on a flop
    method: str
    curve: tuple[FhpPoint, ...]
    linear: tuple[FhpPoint, ...]
    memory_bytes: int  # the most that the process has held
    table_bytes: int  # of regrets and sums of strategies
    resumed: int  # iterations that were done before this run
    views: tuple[NodeView, ...] = field(repr=False)  # every decision before the flop

    @property
    def last(self) -> FhpPoint:
        return self.curve[-1]

    @property
    def whole(self) -> bool:
        """Is it the game of the literature?"""
        return self.cards == 52 and self.cap == 4

    @property
    def preflop(self) -> list[Json]:
        """What is done how often before the flop."""
        return [
            {
                "line": list(view.line),
                "player": view.player,
                "combos": view.totals.combos,
                "frequencies": view.totals.frequencies,
                "ev": view.totals.ev,
            }
            for view in self.views
        ]

    def to_dict(self) -> Json:
        """The documented JSON: the last point of the curve stands at the top as well."""
        last = self.last.to_dict()
        return super().to_dict() | {"iterations": last.pop("iteration")} | last

    def curve_csv(self) -> str:
        """Every point of both runs."""
        names = list(self.last.to_dict())
        rows = [
            [method, *(point.to_dict()[name] for name in names)]
            for method, points in ((self.method, self.curve), ("linear", self.linear))
            for point in points
        ]
        return csv_text([["method", *names], *rows])

    def preflop_csv(self) -> str:
        """What each of the 169 classes does at every decision before the flop."""
        actions = list(dict.fromkeys(action for view in self.views for action in view.actions))
        rows: list[list[object]] = [["line", "player", "hand", "combos", *actions, "ev", "equity"]]
        for view in self.views:
            for k, name in enumerate(CLASSES):
                if not view.classes.combos[k] > 0:
                    continue
                mix = dict(zip(view.actions, view.classes.mix[:, k].tolist(), strict=True))
                numbers = [mix.get(action, math.nan) for action in actions]
                numbers += [float(view.classes.ev[k]), float(view.classes.equity[k])]
                texts = ["" if math.isnan(x) else f"{x:.6f}" for x in numbers]
                combos = f"{view.classes.combos[k]:.6f}"
                rows.append([" ".join(view.line), view.player, name, combos, *texts])
        return csv_text(rows)


def read_game(text: str | None) -> tuple[PokerGame, int | None]:
    """Flop Hold'em by a name, and on how many flops searches are made (None: on all).

    >>> game, flops = read_game("fhp(deck=TJQKA, flops=50)")
    >>> len(game.rules.deck), flops
    (20, 50)
    """
    spec = parse_spec(text or "fhp")
    if spec.name.lower() != "fhp":
        raise SpecError(f"this is about fhp, such as 'fhp(deck=TJQKA)', not about {text!r}")
    options = dict(spec.kwargs)
    flops = options.pop("flops", None)
    if isinstance(options.get("deck"), int):  # ranks that look like a number
        options["deck"] = str(options["deck"])
    try:
        game = fhp(*spec.args, **options)
    except TypeError:
        raise SpecError(f"fhp takes cap, raises, blinds, deck and flops, not {text!r}") from None
    return game, None if flops in (None, "all") else whole("flops", flops, least=2)


def fhp_game(text: str | None = None) -> PokerGame:
    """The whole game of a name such as ``fhp(cap=3)``."""
    game, flops = read_game(text)
    if flops is not None:
        raise SpecError(f"it is solved on all flops: leave flops out of {text!r}")
    return game


def fhp_exact(
    game: PokerGame | str | None = None,
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
    if iterations is not None and minutes is not None:
        raise ParameterError("a run ends after so many iterations or minutes, not both")
    if minutes is not None and not 0 < minutes < math.inf:
        raise ParameterError(f"minutes is {minutes:g}, and must be above 0")
    target = None if iterations or minutes else TARGET
    until = Until(iterations, target, None if minutes is None else 60 * minutes)
    game = game if isinstance(game, PokerGame) else fhp_game(game)
    method = named_method(method).name
    began = time.monotonic()
    kept = None if folder is None else Path(folder)
    other = _linear(game, linear, threads, kept, on_progress)
    run = _Run(game, method, threads, kept and kept / CHECKPOINT)
    run.go(until.on(game), began, on_progress)
    on_progress(1.0, 1.0, "looking at the hands before the flop")
    views = Browser(run.solver.strategy()).walk_through()
    tree, parameters = run.tree, game.about["parameters"]
    return FhpRun(
        game.name, int(parameters["cap"]), len(game.rules.deck), len(tree.boards) - 1,
        len(tree.hands[0][-1].holes), method, run.points, other, peak_memory(),
        tree.table_bytes(), run.resumed, tuple(view for seen in views.values() for view in seen),
    )  # fmt: skip


class _Run:
    """A solver with its trace, which goes on from a checkpoint if there is one."""

    def __init__(
        self, game: PokerGame, method: str, threads: int | None, path: Path | None
    ) -> None:
        self.game, self.method, self.path = game, method, path
        self.trace: list[Report] = []
        if path is None or not path.exists():
            self.solver = Solver(game, method, threads=threads)
        else:
            self.solver, self.trace = Solver.resume(path, threads=threads)
            if self.tree.game.about != game.about or self.solver.method.name != method:
                raise MismatchError(
                    f"{path} is a run of {self.solver.method.name} on another game or of another "
                    f"method than {method}; choose another folder, or delete it"
                )
        self.resumed = self.solver.iteration

    @property
    def tree(self) -> PublicTree:
        assert isinstance(self.solver.tree, PublicTree)
        return self.solver.tree

    @property
    def points(self) -> tuple[FhpPoint, ...]:
        """The trace in thousandths of a big blind."""
        return tuple(map(self._point, self.trace))

    def _point(self, report: Report) -> FhpPoint:
        unit = 1000.0 / float(self.game.big_blind or 1.0)
        assert report.exploitability is not None
        assert report.values is not None
        return FhpPoint(
            report.iteration, unit * report.exploitability, unit * report.values[0],
            report.seconds, report.cpu_seconds,
        )  # fmt: skip

    def go(self, until: Until, began: float, on_progress: Progress) -> None:
        """Iterate to a limit, with a check at each mark and a checkpoint now and then."""
        solver, path = self.solver, self.path
        clock = Checkpoints(None if path is None else lambda: solver.save(path, self.trace))
        try:
            while not self._is_over(until):
                mark = min(_next_mark(solver.iteration), until.iterations or math.inf)
                late = False
                while solver.iteration < mark and not late:
                    solver.step(1)
                    on_progress(self._part(until, began), 1.0, self._words())
                    clock.look()
                    late = time.monotonic() - began >= (until.seconds or math.inf)
                self.trace.append(solver.report(time.monotonic() - began))
        finally:
            if solver.iteration > self.resumed:
                clock.save()

    def _is_over(self, until: Until) -> bool:
        last = self.trace[-1] if self.trace else None
        if last is None or last.iteration < self.solver.iteration:  # stopped between two checks
            return False
        return until.reached_by(last) is not None

    def _part(self, until: Until, began: float) -> float:
        """How much is done; exploitability falls about as the iterations to the power -1.8."""
        done = self.solver.iteration
        if until.iterations is not None:
            return min(1.0, done / until.iterations)
        if until.seconds is not None:
            return min(1.0, (time.monotonic() - began) / until.seconds)
        if len(self.trace) < 3 or until.target is None:
            return 0.0
        last = self.trace[-1]
        over = max((last.exploitability or 0.0) / until.target, 1.0)
        goal = float(last.iteration * over ** (1 / 1.8))
        return min(0.999, done / max(goal, done))

    def _words(self) -> str:
        words = f"{self.method}, iteration {self.solver.iteration:,}"
        if self.trace:
            words += f", {self._point(self.trace[-1]).exploitability:.3g} mbb/h"
        return words


def _next_mark(iteration: int) -> int:
    """The next iteration at which exploitability is computed, which costs about two more."""
    later = [mark for mark in MARKS if mark > iteration]
    return later[0] if later else iteration // 100 * 100 + 100


def _linear(
    game: PokerGame,
    iterations: int,
    threads: int | None,
    folder: Path | None,
    on_progress: Progress,
) -> tuple[FhpPoint, ...]:
    """Linear CFR's curve, or what the folder remembers of it."""
    if iterations < 1:
        return ()
    kept = None if folder is None else folder / OTHER
    identity: Json = {"fingerprint": PublicTree(game).fingerprint, "iterations": iterations}
    if kept is not None and kept.exists():
        try:
            known = read_document(kept, "a curve")
            if {name: known.raw(name) for name in identity} == identity:
                return tuple(from_json(FhpPoint, point) for point in known.objects("points"))
        except FileError as error:
            raise FileError(f"{kept} is damaged ({error}); delete it and run again") from None
    part = None if folder is None else folder / PART
    run = _Run(game, "linear", threads, part)
    if part is not None and run.resumed > iterations:  # those of a longer curve
        part.unlink()
        run = _Run(game, "linear", threads, part)

    def silently(done: float, total: float, words: str) -> None:
        on_progress(0.0, 1.0, words)

    run.go(Until(iterations), time.monotonic(), silently)
    if kept is not None and part is not None:
        write_document(kept, identity | {"points": to_json(run.points)})
        part.unlink(missing_ok=True)
    return run.points
