"""Safe exploitation search in Flop Hold'em: figure 3's lower half, and figure 4 with RNR.

The hero keeps its blueprint before the flop and searches on it. Where not all flops are searched,
some are drawn, each as often as it comes: what the search changes on them stands for what it would
change on all, and everything else is exact. Of exploitability this gives two numbers, one that
is too high on average and one that is too low; with all flops they are one.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from counterfold.arrays import Arrays
from counterfold.errors import MismatchError, ParameterError
from counterfold.evaluate.exact import best_value, earned_against
from counterfold.files.arrays import Saved, read_arrays, write_arrays
from counterfold.files.sealed import read_document, write_document
from counterfold.files.text import Fields, Json
from counterfold.games.spec import whole
from counterfold.research.progress import Count, Progress, no_progress
from counterfold.research.ses.fhp_responses import Responses
from counterfold.research.ses.fhp_searches import Searches
from counterfold.research.ses.fhp_setup import Setup
from counterfold.research.ses.sweep import (
    ERRORS,
    SHARES,
    FhpPoint,
    FhpSweep,
    Opponent,
    Spent,
)

BUDGETS = {"normal": 10.0, "big": 190.0}
"""CPU seconds of a response at full size, as in the paper; a smaller game gets its part of them."""

KIND = "searches"
_NUMBERS = ("payoff", "exploitability", "in_buckets", "gap", "iterations", "cpu_seconds")


@dataclass(frozen=True)
class Setting:
    """What a figure is made of, and with which effort.

    ``iterations`` are those of blueprints: sampled over buckets with the full deck, few ones of
    the whole game with a smaller deck. Searches go on from those for the last error or alpha and
    end ``search_gap`` chips from their best on average, or after so many iterations; with gap 0
    each begins with nothing and has all its iterations.
    """

    figure: int
    game: str = "fhp"
    runs: int = 1
    iterations: int | None = None
    seed: int = 0
    alphas: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0)
    errors: Sequence[float] | None = None  # by figure 4: none
    shares: Sequence[float] = SHARES
    search_iterations: int = 600
    search_gap: float = 0.02
    budgets: Mapping[str, float] = field(default_factory=lambda: BUDGETS)
    threads: int | None = None

    def __post_init__(self) -> None:
        whole("runs", self.runs, least=1, most=1000)
        whole("seed", self.seed, least=0)
        if 0.0 not in self.alphas:
            raise ParameterError("the alphas must have 0 among them")

    @property
    def kinds(self) -> list[tuple[float, int]]:
        """The opponents: shares of infosets that are shuffled, and runs."""
        return list(product(self.shares, range(self.runs)))

    def identity(self) -> Json:
        """What must be the same where searches that were kept are to be gone on with."""
        own = asdict(self)
        for name in ("figure", "errors", "budgets", "threads"):
            del own[name]
        return own | {"opponents": "shuffled in buckets"}


def fhp_figure(
    figure: int,
    game: str = "fhp",
    *,
    folder: str | Path | None = None,
    on_progress: Progress = no_progress,
    **setting: Any,
) -> FhpSweep:
    """Figure 3 or 4: SES over errors (by 4: without any), and for 4 responses beside it.

    ``setting`` is of ``Setting``. ``folder`` keeps what is found, and the next call goes on from
    there.
    """
    made = Setting(figure, game, **setting)
    return _Making(made, folder, Count(on_progress)).sweep()


class _Making:
    """A figure in the making: the game, the opponents, and the searches of both players."""

    def __init__(self, setting: Setting, folder: str | Path | None, count: Count) -> None:
        self.began = time.process_time()
        self.setting, self.count = setting, count
        errors = setting.errors
        if errors is None:
            errors = ERRORS if setting.figure == 3 else (0.0,)
        self.errors = errors
        self.threads = setting.threads or min(2, len(os.sched_getaffinity(0)))
        self.folder = FigureFolder(folder, setting.identity(), errors)
        self.setup = Setup(setting.game, setting.iterations, setting.seed, self.threads)
        self.folder.claim(self.setup.fingerprint)
        self.opponents = [self.setup.opponent(share, run) for share, run in setting.kinds]
        self.base: list[list[float]] = []  # what the blueprint earns by opponent and player

    def sweep(self) -> FhpSweep:
        """Measure the opponents, search, respond, and measure that."""
        setting, setup = self.setting, self.setup
        opponents = self._measured_opponents()
        players = [
            Searches(
                setup, player, self.opponents, setting.alphas, self.folder.errors,
                setting.search_iterations, setting.search_gap,
            )
            for player in (0, 1)
        ]  # fmt: skip
        self.count.expect(sum(searches.expected for searches in players))
        rnr = self._responses() if setting.figure == 4 else None
        for searches in players:
            searches.restore(self.folder.searches(searches.player))
            save = self.folder.saver(searches.player, searches.arrays)
            searches.run(self.threads, self.count, save)
        responses = rnr.all(setting.alphas) if rnr else []
        self.count.say("measuring what was found")
        return FhpSweep(
            **setup.described(),
            figure=setting.figure,
            search_iterations=setting.search_iterations,
            search_gap=setting.search_gap,
            seed=setting.seed,
            exploitability=setup.mbb([searches.reply(None) for searches in players]),
            in_buckets=setup.mbb_or_none([s.reply_in_buckets(None) for s in players]),
            opponents=opponents,
            points=self._points(players),
            responses=tuple(responses),
            fresh=_spent(players, 0),
            later=_spent(players, 1),
            cpu_seconds=time.process_time() - self.began,
        )

    def _measured_opponents(self) -> tuple[Opponent, ...]:
        setup, measured = self.setup, []
        for (share, run), opponent in zip(self.setting.kinds, self.opponents, strict=True):
            self.count.say("measuring opponents")
            base = [earned_against(setup.blueprint, player, opponent.strategy) for player in (0, 1)]
            best = [best_value(opponent.strategy, player) for player in (0, 1)]
            self.base.append(base)
            distance = setup.distance(opponent.strategy)
            measured.append(Opponent(share, run, distance, setup.mbb(base), setup.mbb(best)))
        return tuple(measured)

    def _responses(self) -> Responses:
        scaled = {name: self.setup.part * s for name, s in self.setting.budgets.items()}
        rnr = Responses(
            self.setup, self.setting.kinds, self.opponents, scaled, self.folder.responses,
            self.folder.write, self.count,
        )  # fmt: skip
        self.count.expect(rnr.expected(self.setting.alphas))
        return rnr

    def _points(self, players: Sequence[Searches]) -> tuple[FhpPoint, ...]:
        setup, points = self.setup, []
        kinds = enumerate(self.setting.kinds)
        for (o, (share, run)), error, alpha in product(kinds, self.errors, self.setting.alphas):
            parts = [s.point(o, self.folder.errors.index(error), alpha) for s in players]
            earned = [base + part.payoff for base, part in zip(self.base[o], parts, strict=True)]
            points.append(
                FhpPoint(
                    share=share,
                    seed=run,
                    error=error,
                    alpha=alpha,
                    payoff=setup.mbb(earned),
                    payoff_error=setup.mbb([math.hypot(*(part.spread for part in parts))]) / 2,
                    exploitability=setup.mbb([part.reply for part in parts]),
                    at_least=setup.mbb([part.cautious for part in parts]),
                    gap=setup.mbb([part.gap for part in parts]),
                    in_buckets=setup.mbb_or_none([part.in_buckets for part in parts]),
                )
            )
        return tuple(points)


def _spent(players: Sequence[Searches], kind: int) -> Spent:
    count, seconds = sum(searches.spent[kind] for searches in players)
    return Spent(int(count), float(seconds))


class FigureFolder:
    """Searches and responses of one setting; without a folder nothing is kept.

    Figure 3's searches hold those of figure 4: ``errors`` are all that are made here.
    """

    def __init__(self, folder: str | Path | None, setting: Json, errors: Sequence[float]) -> None:
        self.folder = None if folder is None else Path(folder)
        text = json.dumps(setting, sort_keys=True)
        self.name = f"ses-fhp-{hashlib.sha256(text.encode()).hexdigest()[:10]}"
        self.setting, self.errors = setting, list(errors)
        self.responses: dict[str, dict[str, float | None]] = {}
        self.blueprint: str | None = None
        if self.folder is None:
            return
        for path in sorted(self.folder.glob(f"{self.name}-*-0.safetensors")):
            with suppress(ValueError):  # a file of somebody else's with a name alike
                kept = [float(word) for word in path.name.split("-")[3:-1]]
                if set(errors) <= set(kept):
                    self.errors = kept
        self.responses = self._kept()

    def claim(self, blueprint: str) -> None:
        """Say from which blueprint all this is; what the folder has must be from the same."""
        if self.blueprint not in (None, blueprint):
            raise MismatchError(
                f"what {self.folder} has was made from another blueprint; name another folder"
            )
        self.blueprint = blueprint

    def _path(self, player: int) -> Path:
        assert self.folder is not None
        tag = "-".join(f"{error:g}" for error in self.errors)
        return self.folder / f"{self.name}-{tag}-{player}.safetensors"

    def searches(self, player: int) -> Saved | None:
        """What was kept of a player's searches."""
        if self.folder is None or not self._path(player).exists():
            return None
        saved = read_arrays(self._path(player), KIND, "searches of this figure")
        self.claim(saved.text("blueprint"))
        return saved

    def saver(self, player: int, kept: Callable[[], Arrays]) -> Callable[[], None] | None:
        """What writes a player's searches."""
        if self.folder is None:
            return None
        about = {"setting": json.dumps(self.setting), "blueprint": str(self.blueprint)}
        return lambda: write_arrays(self._path(player), KIND, about, kept())

    def _kept(self) -> dict[str, dict[str, float | None]]:
        """Responses that the folder has."""
        assert self.folder is not None
        path = self.folder / f"{self.name}.json"
        if not path.exists():
            return {}
        kept = read_document(path, "a list of responses")
        if kept.raw("blueprint", None) is not None:
            self.blueprint = kept.text("blueprint")
        rows = kept.object("responses", default={})
        return {key: _row(rows.object(key)) for key in rows.value}

    def write(self) -> None:
        """Keep the responses, beside those that others have written since."""
        if self.folder is not None:
            self.responses.update(self._kept() | self.responses)
            document = {
                "setting": self.setting,
                "blueprint": self.blueprint,
                "responses": self.responses,
            }
            write_document(self.folder / f"{self.name}.json", document)


def _row(numbers: Fields) -> dict[str, float | None]:
    numbers.only(_NUMBERS)
    return {key: None if numbers.raw(key) is None else numbers.number(key) for key in _NUMBERS}
