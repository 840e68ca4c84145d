"""A curriculum: ordered games solved one after another, each from what the last one taught."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from counterfold.abstraction.deal_engine import DealEngine
from counterfold.abstraction.fallback import natural
from counterfold.abstraction.ordered import Down, Fit, fit
from counterfold.arrays import Floats
from counterfold.checkpoints import Checkpoints
from counterfold.errors import FileError, MismatchError, ParameterError, UnsupportedError
from counterfold.files.sealed import read_document, write_document
from counterfold.files.text import Json
from counterfold.files.typed import from_json
from counterfold.games.base import Game, spec_of
from counterfold.games.catalog import load_named
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import AnyStrategy
from counterfold.tree.form import InfosetForm, form_of
from counterfold.tree.graph import graph_of
from counterfold.tree.history import HistoryTree, Infosets
from counterfold.tree.walk import Progress

FORMAT = "counterfold curriculum 1"
CHUNK_SECONDS = 0.2


@dataclass(frozen=True)
class Stage:
    """A stage of a curriculum, and how far it has come.

    ``same`` infosets began from those of the same name in the stage before, ``nearest`` from
    another one that answered for them, and ``fresh`` from nothing. ``histories`` are states
    where equal ones are merged. The value is player 1's, between the average strategies.
    """

    number: int
    game: str
    iteration: int
    iterations: int
    histories: int
    infosets: int
    same: int
    nearest: int
    fresh: int
    value: float | None  # not told deal by deal
    compile_seconds: float
    seconds: float
    cpu_seconds: float

    @property
    def done(self) -> bool:
        return self.iteration >= self.iterations

    def to_dict(self) -> Json:
        return asdict(self)


class Curriculum:
    """Games in order, each solved from the regrets and the average strategy of the one before.

    ``down`` gives for each game (but the first) the rule from its infosets to those of the game
    before; without it, counters such as health points are clipped to what the smaller game has.
    With a ``folder`` every stage is a checkpoint there, and ``resume`` goes on.

    Games of Cheat may be deal by deal (``DealForm``), with the traversal ``chance``.

    Iterations follow the average of imperfect recall (the history graph), so that any game will
    do; nothing is promised beyond what CFR promises there.

    >>> from counterfold.games.cheat import Cheat
    >>> games = [Cheat(health=n, view="memoryless") for n in (1, 2)]
    >>> stages = [stage for stage in Curriculum(games, iterations=10).run() if stage.done]
    >>> [(stage.infosets, stage.same, stage.fresh) for stage in stages]
    [(72, 0, 72), (286, 72, 214)]
    """

    def __init__(
        self,
        games: Sequence[object],
        *,
        iterations: int | Sequence[int] = 100,
        method: str = "cfr",
        traversal: str = "full",
        alternating: bool = True,
        seed: int = 0,
        down: Sequence[Down] | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        if not games:
            raise ParameterError("a curriculum needs a game at least")
        self.games = tuple(games)
        counts = [iterations] * len(games) if isinstance(iterations, int) else list(iterations)
        if len(counts) != len(games) or any(
            not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in counts
        ):
            raise ParameterError(
                f"iterations are a whole number above 0, or one for each of the {len(games)} stages"
            )
        self.iterations = tuple(counts)
        for game in self.games:
            if getattr(game, "endless", False):
                raise UnsupportedError(
                    f"{spec_of(game)} has no end that could be reached in training; give it fewer "
                    "health points, or a view that remembers less"
                )
        if down is not None and len(down) != len(games) - 1:
            raise ParameterError(
                f"{len(games)} games have {len(games) - 1} ways down, not {len(down)}"
            )
        self.down = [natural(game) for game in games[:-1]] if down is None else list(down)
        self.settings: Json = {
            "method": method, "traversal": traversal, "alternating": alternating, "seed": seed,
        }  # fmt: skip
        self.folder = None if folder is None else Path(folder)
        self.stages: list[Stage] = []
        self.solver: Solver | None = None
        """At work, or done with the last stage."""
        self._begun = False  # in its folder

    def run(self, progress: Progress | None = None) -> Generator[Stage, None, None]:
        """Go through the stages that are not done, telling now and then how far it has come.

        The last word on a stage is that it is done; by then its checkpoint is written. If the
        run is closed or interrupted, the unfinished stage is written as well.
        """
        self._prepare()
        first = max(len(self.stages) - 1, 0)
        for place in range(first, len(self.games)):
            if place < len(self.stages) and self.stages[place].done:
                continue
            yield from self._run_stage(place, progress)

    def strategy(self) -> AnyStrategy:
        """The average strategy of the last stage that was begun."""
        if self.solver is None:
            raise ParameterError("the curriculum has not begun")
        return self.solver.strategy(curriculum=[stage.game for stage in self.stages])

    def stage_file(self, number: int) -> Path | None:
        """The checkpoint of a stage, counted from 1."""
        return None if self.folder is None else self.folder / f"stage-{number}.safetensors"

    def _run_stage(self, place: int, progress: Progress | None) -> Iterator[Stage]:
        goal = self.iterations[place]
        resumed = place < len(self.stages)
        began = time.perf_counter()
        if resumed:
            assert self.solver is not None
            solver, before = self.solver, self.stages.pop()
            found = (before.same, before.nearest, before.fresh)
            compiled = before.compile_seconds
        else:
            tree = form_of(self.games[place], progress=progress)
            compiled = time.perf_counter() - began
            solver = Solver(tree, form="history", **self.settings)
            found = self._begin(solver, place)
        self.solver = solver
        pace = 1e-4

        def stage() -> Stage:
            infosets, value = _met(solver), None
            if isinstance(solver.tree, HistoryTree):
                value = graph_values(solver.tree, solver.probabilities())[0]
            return Stage(
                place + 1, solver.tree.spec, solver.iteration, goal, solver.tree.histories,
                infosets, *found, value, compiled, solver.seconds, solver.cpu_seconds,
            )  # fmt: skip

        self.stages.append(stage())
        checkpoints = Checkpoints(partial(self._save, place))
        try:
            while solver.iteration < goal:
                chunk = max(1, min(goal - solver.iteration, int(CHUNK_SECONDS / pace)))
                spent, at = solver.seconds, solver.iteration
                solver.step(chunk)
                pace = max((solver.seconds - spent) / (solver.iteration - at), 1e-7)
                self.stages[place] = stage()
                if solver.iteration < goal:
                    checkpoints.look()
                    yield self.stages[place]
        finally:
            self.stages[place] = stage()
            checkpoints.save()
        yield self.stages[place]

    def _begin(self, solver: Solver, place: int) -> tuple[int, int, int]:
        """Carry over what the stage before has learned."""
        if place == 0:
            return 0, 0, _met(solver)
        assert self.solver is not None
        found = carry(self.solver, solver, self.down[place - 1])
        return found.same, found.nearest, found.fresh

    # On disk.

    def _prepare(self) -> None:
        if self.folder is None or self._begun:
            return
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot make {self.folder}: {error.strerror or error}") from None
        if (self.folder / "curriculum.json").exists():
            raise FileError(
                f"{self.folder} holds a curriculum already; go on with it, or choose another folder"
            )
        self._note()
        self._begun = True

    def _save(self, place: int) -> None:
        path = self.stage_file(place + 1)
        if path is None or self.solver is None:
            return
        self.solver.save(path, curriculum=[stage.game for stage in self.stages])
        self._note()

    def _note(self) -> None:
        assert self.folder is not None
        document = {
            "format": FORMAT,
            "games": [spec_of(game) for game in self.games],
            "iterations": list(self.iterations),
            "settings": self.settings,
            "stages": [stage.to_dict() for stage in self.stages],
        }
        write_document(self.folder / "curriculum.json", document)

    @classmethod
    def resume(
        cls,
        folder: str | os.PathLike[str],
        games: Sequence[Game] | None = None,
        down: Sequence[Down] | None = None,
    ) -> Curriculum:
        """A curriculum as it was left, ready to ``run`` on."""
        path = Path(folder) / "curriculum.json"
        if not path.exists():
            raise FileError(f"there is no curriculum in {folder} (no {path.name})")
        document = read_document(path, "a curriculum")
        if document.text("format") != FORMAT:
            raise FileError(f"{path} is not a curriculum of this version")
        specs, iterations = document.texts("games"), document.wholes("iterations", 1)
        stages = [from_json(Stage, stage) for stage in document.objects("stages")]
        if len(stages) > len(specs):
            raise FileError(f"{path} has {len(stages)} stages of {len(specs)} games")
        told = document.object("settings")
        settings: Json = {
            "method": told.text("method"),
            "traversal": told.text("traversal"),
            "alternating": told.flag("alternating"),
            "seed": told.whole("seed"),
        }
        if games is None:
            games = [load_named(spec, path) for spec in specs]
        if [spec_of(game) for game in games] != specs:
            raise MismatchError(f"{folder} holds a curriculum of other games: {', '.join(specs)}")
        made = cls(games, iterations=iterations, down=down, folder=folder, **settings)
        made._begun = True
        if stages:
            tree = form_of(games[len(stages) - 1])
            made.solver = Solver.resume(str(made.stage_file(len(stages))), tree)[0]
            made.stages = stages
        return made


def _met(solver: Solver) -> int:
    """The infosets of a stage; deal by deal, those that were met so far."""
    engine = solver.engine
    return engine.infosets if isinstance(engine, DealEngine) else len(_infosets(solver).owner)


def _infosets(solver: Solver) -> Infosets:
    assert isinstance(solver.tree, InfosetForm)
    return solver.tree.infosets


def carry(smaller: Solver, larger: Solver, down: Down) -> Fit:
    """Let a solver begin where another one in a smaller game has come to.

    Regrets and the summed average strategy go over; the first strategy is the average of the
    smaller game, and even where nothing answers.
    """
    if isinstance(larger.engine, DealEngine) and isinstance(smaller.engine, DealEngine):
        larger.engine.inherit(smaller.engine)
        none = np.zeros(0, np.int64)
        return Fit(none, 0, larger.engine.infosets, none)
    found = fit(_infosets(larger), _infosets(smaller), down)
    regrets, average = (found.carried(table) for table in smaller.learned())
    even = _infosets(larger).evenly()
    strategy = np.where(found.slots >= 0, found.carried(smaller.probabilities()), even)
    larger.begin(regrets, average, strategy)
    return found


def graph_values(tree: HistoryTree, probabilities: Floats) -> tuple[float, ...]:
    """What each player earns when all play these probabilities, found over the graph itself.

    It is exact in games of imperfect recall and merged states too, whose sequence form may be
    too large to build.

    >>> import counterfold as cf
    >>> tree = cf.compile_game(cf.Kuhn())
    >>> graph_values(tree, tree.infosets.evenly())
    (0.125, -0.125)
    """
    from counterfold.kernels import arena

    value = np.zeros((1, tree.histories, tree.players))
    arena.values(graph_of(tree), np.tile(probabilities, (tree.players, 1)), 0, value)
    return tuple(value[0, 0].tolist())
