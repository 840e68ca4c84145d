"""``counterfold style``: a strategy with a style beside the plain one, and what the style costs."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from counterfold.cli import clock
from counterfold.cli.certificate import advise_reading, certificate, print_panel
from counterfold.cli.output import StoppedError, print_json, say
from counterfold.cli.preferences import place_in, read_preferences
from counterfold.cli.progress import Watch
from counterfold.cli.request import check_files
from counterfold.cli.show import nothing_like
from counterfold.cli.solve import WORTH_KEEPING, compiled, farewell, rescue_file, stamp
from counterfold.cli.style_picture import draw
from counterfold.cli.style_tables import print_price, print_standings
from counterfold.cli.verbs.styling import StyleRequest
from counterfold.errors import ParameterError
from counterfold.exploit.lock_files import spot_locks
from counterfold.files.text import Json
from counterfold.games.base import Game
from counterfold.interrupts import aside
from counterfold.poker.game import PokerGame
from counterfold.solvers.conditions import symmetry_under
from counterfold.solvers.engine import check_can
from counterfold.solvers.methods import method as method_of
from counterfold.solvers.result import Result, solve
from counterfold.solvers.run import Saving
from counterfold.solvers.settings import Settings
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.style.frequency import Frequency
from counterfold.style.frontier import Frontier, frontier
from counterfold.style.preferences import PRESETS, Style, StyleSettings, preset
from counterfold.style.price import Price, compare, usual_run
from counterfold.style.standing import Standing, Standings, cost_of
from counterfold.tree.form import Form
from counterfold.tree.named import game_named

STRENGTH = 5.0
EPSILONS = (0.0, 0.01, 0.02, 0.05, 0.1)
"""What may be given up on a frontier, unless the user says."""
BETWEEN = 40
"""Points of a frontier's curve in the picture, beside those that are listed."""
PATIENCE = 4
"""A styled run has so many times the iterations of the plain one where that ends at its target, if
nobody says: a style that gives something up never comes as near to an equilibrium."""


def run(request: StyleRequest) -> None:
    """Solve plainly and with the style, and tell the difference."""
    if request.target:
        from counterfold.cli import target

        target.run(request)
        return
    _check(request)
    game = game_named(request.game)
    named, epsilons = _preferences(request, game), _epsilons(request.epsilon)
    until = clock.until_of(request)
    until = until.on(game) if until else None
    styled = standings = limits = None
    with Watch(request.quiet, game.units if isinstance(game, PokerGame) else None) as watch:
        try:
            form = compiled(game, watch, until, symmetry=symmetry_under(game, None, named))
            style = _style(request, game, named, form)
            if request.frontier:
                watch.doing("solving the linear programs of the frontier")
                limits = _frontier(form, Frequency.parse(request.frontier), epsilons)
            plain = _solved(request, form, None, until, watch, parts=1 if style is None else 2)
            if style is not None:
                if until is None and plain.stopped == "exploitability":
                    until = Until(PATIENCE * plain.iterations, usual_run(form)[1].exploitability)
                styled = _solved(request, form, style, until, watch)
            if limits is not None:
                watch.doing("placing the strategies on the frontier")
                standings = _standings(limits, plain, styled, bool(request.plot))
            watch.doing("comparing the strategies")
            price = None if styled is None else compare(plain, styled, style or "")
        except KeyboardInterrupt:
            raise StoppedError(farewell(None)) from None
    if request.plot:
        draw(plain, price, standings, request.plot)
    if request.json:
        print_json(_document(plain, price, standings, request))
        return
    if price is not None:
        print_price(price, request, until or usual_run(form)[1])
    else:
        print_panel("Certificate", certificate(plain, until or usual_run(form)[1]))
    if standings is not None:
        print_standings(standings)
    if request.plot:
        say()
        say(f"Picture: {request.plot}")
    advise_reading("the styled strategy", request.save)


def _document(
    plain: Result, price: Price | None, standings: Standings | None, request: StyleRequest
) -> Json:
    if price is not None:
        document = price.to_dict()
    else:
        document = {"game": plain.game, "style": None, "plain": plain.to_dict()}
    document["frontier"] = None if standings is None else standings.to_dict()
    return document | {"saved": request.save, "plot": request.plot}


# The request


def _check(request: StyleRequest) -> None:
    """Refuse what cannot work before anything is computed."""
    if request.preset is not None and request.preset not in PRESETS:
        raise ParameterError(
            f"there is no style {request.preset!r}; there are {', '.join(PRESETS)}"
        )
    if request.strength is not None and request.preset is None:
        raise ParameterError("--strength is of a --preset; preferences have theirs in --prefer")
    if request.strength is not None:
        Style({str(request.preset): request.strength})
    if not request.has_style:
        if request.frontier is None:
            raise ParameterError(
                "say which style: --prefer raise=5, or --preset aggressive, or --frontier bet@J "
                "for all that can be had"
            )
        for name in ("player", "seen", "round", "best", "save"):
            if getattr(request, name) not in (None, False):
                raise ParameterError(f"--{name} is about a style: say which with --prefer ACTION=N")
    if request.epsilon is not None and request.frontier is None:
        raise ParameterError("--epsilon is of a frontier: say of what with --frontier bet@J")
    if request.frontier is not None:
        Frequency.parse(request.frontier)
    if request.method is not None and request.method.strip().lower() == "lp":
        raise ParameterError("the linear program has no style; choose a method such as cfr")
    if request.method is not None:
        method_of(request.method)
    Settings(traversal=request.traversal, seed=request.seed)
    check_files(request)


def _place(request: StyleRequest, game: Game | PokerGame) -> StyleSettings:
    names = getattr(game, "players", 2)
    players = names if isinstance(names, int) else len(names)
    if request.player is not None and not 1 <= request.player <= players:
        raise ParameterError(f"--player is {request.player}, and must be from 1 to {players}")
    return place_in(
        game, request.give_up, player=None if request.player is None else request.player - 1,
        seen=request.seen, round=request.round, best=request.best,
    )  # fmt: skip


def _preferences(request: StyleRequest, game: Game | PokerGame) -> Style | None:
    """The style of --prefer and --give-up; what the game refuses is refused before it is read."""
    if isinstance(game, PokerGame) and spot_locks(request.game, game):
        raise ParameterError(
            f'{request.game} has "locks", which hold players to something; a style is compared '
            "where both are free"
        )
    check_can(game, (request.traversal,), "--traversal")
    place = _place(request, game)
    if not request.has_style or (request.preset and not request.prefer):
        return None
    named = read_preferences(request.prefer, game, place)
    for one in named.preferences if request.preset else ():
        if one.action in PRESETS[str(request.preset)]:
            raise ParameterError(
                f"{one.action!r} is in --prefer and in the {request.preset} style: leave one out"
            )
    return named


def _style(
    request: StyleRequest, game: Game | PokerGame, named: Style | None, form: Form
) -> Style | None:
    """The style for a compiled game; ParameterError if it means nothing there."""
    if not request.has_style:
        return None
    place = _place(request, game)
    if request.seen is not None and hasattr(form, "infosets"):
        uniform = Strategy.uniform(form)
        if not any(uniform.rows(request.seen, place["player"])):
            raise ParameterError(nothing_like(request.seen, uniform, place["player"]))
    style = named
    if request.preset is not None:
        strength = STRENGTH if request.strength is None else request.strength
        style = preset(request.preset, strength, form, **place)
        if named is not None:
            style = style + named
    if style is not None:
        style.on(form)
    return style


def _epsilons(text: str | None) -> list[float]:
    if text is None:
        return list(EPSILONS)
    epsilons = []
    for part in text.split(","):
        try:
            number = float(part)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number >= 0):
            raise ParameterError(
                f"--epsilon is {text!r}, and must be numbers from 0 up, such as 0,0.01,0.05"
            )
        epsilons.append(number)
    return sorted(set(epsilons))


# The work


def _solved(
    request: StyleRequest,
    form: Form,
    style: Style | None,
    until: Until | None,
    watch: Watch,
    parts: int = 1,
) -> Result:
    """A run, which has its part of the time that is left."""
    target = request.save if style is not None else None
    rescue = None if target else rescue_file(form.spec)
    method, usual = usual_run(form)
    limits = clock.left(until or usual, parts)
    watch.work = "solving plainly" if style is None else "solving with the style"
    watch.begin(limits)
    result = solve(
        form, request.method or method, limits, request.traversal, style=style,
        save=Saving(target, rescue=rescue), on_report=watch.report, seed=request.seed,
    )  # fmt: skip
    if result.stopped == "interrupted":
        kept = target or (rescue if stamp(rescue) and result.seconds >= WORTH_KEEPING else None)
        if rescue and not kept:
            os.unlink(rescue)
        raise StoppedError(farewell(kept, result.iterations))
    return result


def _frontier(form: Form, frequency: Frequency, epsilons: Sequence[float]) -> Frontier:
    return aside(lambda: frontier(form, frequency, epsilons))


def _standings(limits: Frontier, plain: Result, styled: Result | None, curved: bool) -> Standings:
    """The strategies on a frontier, each with the limits at its own cost."""
    tree, frequency = plain.strategy.tree, limits.frequency
    named = [("plain", plain)] + ([("styled", styled)] if styled is not None else [])
    costs = [cost_of(limits, result.strategy, frequency.player) for _, result in named]
    points = _frontier(tree, frequency, costs).points
    strategies = tuple(
        Standing(name, cost, frequency.of(result.strategy, limits.against), at.low, at.high)
        for (name, result), cost, at in zip(named, costs, points, strict=True)
    )
    curve = None
    if curved:
        epsilons = [point.epsilon for point in limits.points]
        most = max(*epsilons, *costs)
        steps = [most * (k / BETWEEN) ** 2 for k in range(BETWEEN + 1)]
        curve = _frontier(tree, frequency, sorted({*steps, *epsilons}))
    return Standings(limits, curve, strategies)
