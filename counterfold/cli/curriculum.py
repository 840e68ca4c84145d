"""``counterfold curriculum``: ordered games solved one after another, with checkpoints."""

from __future__ import annotations

import os
import shlex
from contextlib import closing

from counterfold.abstraction.curriculum import Curriculum, Stage
from counterfold.abstraction.fallback import FallbackAgent
from counterfold.abstraction.maps import Mapped, map_of
from counterfold.abstraction.ordered import check_increasing, variant
from counterfold.cli.certificate import print_panel
from counterfold.cli.output import (
    StoppedError,
    advise,
    amount,
    duration,
    print_columns,
    print_json,
    say,
)  # fmt: skip
from counterfold.cli.progress import Watch
from counterfold.cli.request import check_files, options_given
from counterfold.cli.verbs.abstracting import CurriculumRequest
from counterfold.errors import ParameterError, UnsupportedError, short
from counterfold.files.text import whole_of
from counterfold.games.base import spec_of
from counterfold.games.catalog import load
from counterfold.games.cheat import Cheat
from counterfold.play.bots import BOTS
from counterfold.play.winning import WinRate, win_rate
from counterfold.solvers.methods import method
from counterfold.solvers.settings import Settings
from counterfold.strategy.strategy import Strategy

BEGUN = ("game", "health", "order", "view", "iterations", "method", "traversal", "seed", "abstract",
         "save")  # fmt: skip
"""Options that cannot change in the middle."""
ITERATIONS = 100
HANDS = 500
"""Games against each bot after each stage, if nobody says how many."""


def run(request: CurriculumRequest) -> None:
    """Go through the stages, and tell about each."""
    _check(request)
    rates: dict[int, list[WinRate]] = {}
    with Watch(request.quiet) as watch:
        curriculum = None
        try:
            curriculum = _made(request)
            with closing(curriculum.run(watch.counting)) as stages:
                for stage in stages:
                    at = f"stage {stage.number} of {len(curriculum.games)}"
                    note = f"{at}, iteration {stage.iteration:,}"
                    watch.part("solving", stage.iteration, stage.iterations, note)
                    if stage.done:
                        rates[stage.number] = _rates(request, curriculum, stage, watch)
            for stage in curriculum.stages:  # those that were done before
                if stage.number not in rates:
                    rates[stage.number] = _rates(request, curriculum, stage, watch)
        except KeyboardInterrupt:
            raise StoppedError(_farewell(curriculum)) from None
    if request.plot:
        from counterfold.cli.curriculum_picture import draw

        draw(curriculum.stages, rates, request.plot)
    if request.json:
        print_json(_document(request, curriculum, rates))
        return
    _print(request, curriculum, rates)


def _check(request: CurriculumRequest) -> None:
    """Refuse what cannot work before anything is computed."""
    if request.resume:
        for name in options_given(request, BEGUN):
            what = "a game" if name == "game" else f"--{name}"
            raise ParameterError(
                f"--resume goes on as it was begun, in its own folder: leave out {what}"
            )
    elif request.game is None:
        raise ParameterError(
            "say which game to train in, such as `counterfold curriculum cheat:mini --health 3,4,5`"
        )
    elif (request.health is None) == (request.order is None):
        raise ParameterError(
            "say what grows from stage to stage: --health 3,4,5 or --order NAME=3,4"
        )
    if request.hands is not None and request.hands < 0:
        raise ParameterError(f"--hands is {request.hands}, and must not be negative")
    check_files(request, "save", "resume")
    if request.plot and request.hands == 0:
        raise ParameterError("--plot draws win rates against bots: leave --hands above 0")
    if request.method is not None:
        method(request.method)
    Settings(traversal=request.traversal or "full", seed=request.seed or 0)


def _made(request: CurriculumRequest) -> Curriculum:
    if request.resume:
        return Curriculum.resume(request.resume)
    name, _, values = ("health", "", request.health)
    if request.order is not None:
        name, _, values = request.order.partition("=")
    steps = check_increasing(map(_number, str(values).split(",")), name)
    game = load(str(request.game))
    if request.view is not None:
        if not hasattr(game, "view"):
            raise UnsupportedError(f"{spec_of(game)} has one view only; leave out --view")
        game = variant(game, view=request.view)
    maps = [map_of(text) for text in request.abstract]
    games = [variant(game, **{name: step}) for step in steps]
    if maps:
        games = [Mapped(one, *maps) for one in games]
    return Curriculum(
        games,
        iterations=ITERATIONS if request.iterations is None else request.iterations,
        method=request.method or "cfr",
        traversal=request.traversal or "full",
        seed=request.seed or 0,
        folder=request.save,
    )


def _number(text: str) -> int:
    number = whole_of(text)
    if number is None:
        raise ParameterError(f"{short(text)} is not a whole number; write stages such as 3,4,5")
    return number


def _rates(
    request: CurriculumRequest, curriculum: Curriculum, stage: Stage, watch: Watch
) -> list[WinRate]:
    """Win rates of a stage's strategy against the bots, where the game has any."""
    trained = curriculum.games[stage.number - 1]
    rules = trained.game if isinstance(trained, Mapped) else trained
    if not isinstance(rules, Cheat):
        if request.plot:
            raise UnsupportedError("--plot draws win rates against bots, which only Cheat has")
        return []
    hands = HANDS if request.hands is None else request.hands
    if not hands or not stage.done:
        return []
    path = curriculum.stage_file(stage.number)
    if stage.number == len(curriculum.stages):
        strategy = curriculum.strategy()
    else:
        assert path is not None
        strategy = Strategy.load(path)
    full = variant(rules, view="perfect", rounds=None)
    seed = int(curriculum.settings["seed"])

    def playing(done: int, total: int) -> None:
        watch.part("playing", done, total, f"{done:,} of {total:,} games")

    return [
        win_rate(full, FallbackAgent(strategy, trained), bot, hands, seed, playing)
        for bot in BOTS.values()
    ]


def _farewell(curriculum: Curriculum | None) -> str:
    if curriculum is None or not curriculum.stages or curriculum.folder is None:
        return "stopped; nothing was saved"
    at = curriculum.stages[-1]
    return (
        f"stopped in stage {at.number} at iteration {at.iteration:,}; go on with "
        f"`counterfold curriculum --resume {shlex.quote(os.fspath(curriculum.folder))}`"
    )


def _document(
    request: CurriculumRequest, curriculum: Curriculum, rates: dict[int, list[WinRate]]
) -> dict[str, object]:
    stages = []
    for stage in curriculum.stages:
        path = curriculum.stage_file(stage.number)
        stages.append({
            **stage.to_dict(),
            "win_rates": [rate.to_dict() for rate in rates[stage.number]],
            "file": None if path is None else str(path),
        })  # fmt: skip
    saved = None if curriculum.folder is None else str(curriculum.folder)
    return {
        "games": [spec_of(game) for game in curriculum.games],
        **curriculum.settings,
        "stages": stages,
        "saved": saved,
        "plot": request.plot,
    }


def _print(
    request: CurriculumRequest, curriculum: Curriculum, rates: dict[int, list[WinRate]]
) -> None:
    last = curriculum.stages[-1]
    settings = curriculum.settings
    lines = [
        ("game", last.game),
        ("method", f"{settings['method']}, {settings['traversal']} traversal"),
        ("value", f"{amount(last.value or 0.0)} to player 1, between the average strategies"),
        ("time", duration(sum(stage.seconds for stage in curriculum.stages)) + " of iterations"),
    ]
    if curriculum.folder is not None:
        lines.append(("saved", f"{curriculum.folder}, a strategy for each stage"))
    if request.plot:
        lines.append(("picture", request.plot))
    print_panel("Curriculum", lines)
    say()
    bots = [rate.against for rate in rates.get(last.number, [])]
    head = ["stage", "states", "infosets", "known", "nearest", "new", "iterations", "compile"]
    rows = [[*head, "solve", *(f"against {bot}" for bot in bots)]]
    for stage in curriculum.stages:
        rows.append([
            str(stage.number), f"{stage.histories:,}", f"{stage.infosets:,}", f"{stage.same:,}",
            f"{stage.nearest:,}", f"{stage.fresh:,}", f"{stage.iteration:,}",
            duration(stage.compile_seconds), duration(stage.seconds),
            *(_percent(rate) for rate in rates.get(stage.number, [])),
        ])  # fmt: skip
    print_columns(rows)
    say()
    if bots:
        advise("Win rates are in the stage's own game, with their 95% intervals.")
    if curriculum.folder is None:
        advise("Keep the strategies with --save DIR.")


def _percent(rate: WinRate) -> str:
    return f"{100 * rate.share:.1f}% ({100 * rate.low:.1f} to {100 * rate.high:.1f})"
