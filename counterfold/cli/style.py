"""``counterfold style``: a strategy with a style beside the plain one, and what the style costs."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Sequence
from typing import Any

from counterfold.cli import clock
from counterfold.cli.certificate import certificate, print_panel
from counterfold.cli.names import check_no_unit, means_poker
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    check_not_foreign,
    print_json,
    say,
)
from counterfold.cli.progress import Watch
from counterfold.cli.show import nothing_like
from counterfold.cli.solve import (
    WORTH_KEEPING,
    compiled_game,
    farewell,
    rescue_file,
    stamp,
)
from counterfold.cli.style_picture import draw
from counterfold.cli.style_tables import print_price, print_standings
from counterfold.cli.verbs.styling import StyleRequest
from counterfold.errors import ParameterError
from counterfold.interrupts import aside
from counterfold.plot import check_plot
from counterfold.solvers.methods import method as method_of
from counterfold.solvers.result import Result, solve
from counterfold.solvers.run import Saving
from counterfold.solvers.settings import Settings
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.style.frequency import Frequency
from counterfold.style.frontier import Frontier, frontier
from counterfold.style.preferences import PRESETS, Style, preset
from counterfold.style.price import DEFAULT_UNTIL, Price, compare
from counterfold.style.standing import Standing, Standings, cost_of
from counterfold.tree.history import HistoryTree

__all__ = ["run"]

METHOD = "cfr"
EPSILONS = (0.0, 0.01, 0.02, 0.05, 0.1)
"""What may be given up on a frontier, unless the user says."""
BETWEEN = 40
"""Points of a frontier's curve in the picture, beside those that are listed."""


def _until(request: StyleRequest) -> Until:
    return clock.until_of(request) or DEFAULT_UNTIL


def run(request: StyleRequest) -> None:
    """Solve plainly and with the style, and tell the difference."""
    if request.target:
        from counterfold.cli import target

        target.run(request)
        return
    if means_poker(request.game):
        from counterfold.cli import poker_style

        poker_style.run(request)
        return
    check_no_unit(request.exploitability)
    degrees, epsilons = _check(request)
    with Watch(request.quiet) as watch:
        try:
            tree = compiled_game(request.game, None, watch, _until(request))
            style = _style(request, degrees, tree)
            limits = None
            if request.frontier:
                watch.doing("solving the linear programs of the frontier")
                limits = _frontier(tree, Frequency.parse(request.frontier), epsilons)
            plain = _solved(request, tree, None, watch, 1 if style is None else 2)
            styled = _solved(request, tree, style, watch) if style is not None else None
            standings = None
            if limits is not None:
                watch.doing("placing the strategies on the frontier")
                standings = _standings(limits, plain, styled, bool(request.plot))
        except KeyboardInterrupt:
            raise StoppedError(farewell(None)) from None
    price = None if styled is None or style is None else compare(plain, styled, style)
    if request.plot:
        draw(plain, price, standings, request.plot)
    if request.json:
        print_json(_document(plain, price, standings, request))
        return
    if price is not None:
        print_price(price, request)
    else:
        print_panel("Certificate", certificate(plain, _until(request)))
    if standings is not None:
        print_standings(standings)
    if request.plot:
        say()
        say(f"Picture: {request.plot}")
    if request.save:
        advise(f"Read the styled strategy with `counterfold show {shlex.quote(request.save)}`.")


def _document(
    plain: Result, price: Price | None, standings: Standings | None, request: StyleRequest
) -> dict[str, Any]:
    if price is not None:
        document = price.to_dict()
    else:
        document = {"game": plain.game, "style": None, "plain": plain.to_dict()}
    document["frontier"] = None if standings is None else standings.to_dict()
    return document | {"saved": request.save, "plot": request.plot}


# The request


def _check(request: StyleRequest) -> tuple[dict[str, float], list[float]]:
    """Refuse what cannot work before anything is computed; the preferences, the epsilons."""
    degrees = _degrees(request.prefer)
    Style(degrees, request.give_up or 0.0, round=request.round)
    if request.preset is not None and request.preset not in PRESETS:
        raise ParameterError(
            f"there is no style {request.preset!r}; there are {', '.join(PRESETS)}"
        )
    if request.strength is not None and request.preset is None:
        raise ParameterError("--strength is of a --preset; preferences have theirs in --prefer")
    if request.strength is not None:
        Style({str(request.preset): request.strength})
    if request.preset is not None:
        for action in set(degrees) & set(PRESETS[request.preset]):
            raise ParameterError(
                f"{action!r} is in --prefer and in the {request.preset} style: leave one out"
            )
    if not request.has_style:
        if request.frontier is None:
            raise ParameterError(
                "say which style: --prefer raise=5, or --preset aggressive, or --frontier bet@J "
                "for all that can be had"
            )
        given = {
            "--player": request.player, "--seen": request.seen, "--round": request.round,
            "--best": request.best or None, "--save": request.save,
        }  # fmt: skip
        for option in (name for name, value in given.items() if value is not None):
            raise ParameterError(f"{option} is about a style: say which with --prefer ACTION=N")
    if request.epsilon is not None and request.frontier is None:
        raise ParameterError("--epsilon is of a frontier: say of what with --frontier bet@J")
    if request.frontier is not None:
        Frequency.parse(request.frontier)
    if request.method is not None and request.method.strip().lower() == "lp":
        raise ParameterError("the linear program has no style; choose a method such as cfr")
    method_of(request.method or METHOD)
    Settings(traversal=request.traversal, seed=request.seed)
    _ = _until(request)
    if request.plot:
        check_can_write(request.plot, "--plot")
        check_plot(request.plot)
    if request.save:
        check_can_write(request.save, "--save")
        check_not_foreign(request.save)
    return degrees, _epsilons(request.epsilon)


def _degrees(preferences: Sequence[str]) -> dict[str, float]:
    degrees: dict[str, float] = {}
    for text in preferences:
        action, equals, number = text.rpartition("=")
        action = action.strip()
        try:
            degree = float(number)
        except ValueError:
            equals = ""
        if not equals or not action:
            raise ParameterError(f"--prefer {text!r} must be an action and a number: raise=5")
        if action in degrees:
            raise ParameterError(f"--prefer names {action!r} twice; give it one number")
        degrees[action] = degree
    return degrees


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


def _style(request: StyleRequest, degrees: dict[str, float], tree: HistoryTree) -> Style | None:
    """The style for a compiled game; ParameterError if it means nothing there."""
    if request.player is not None and not 1 <= request.player <= tree.players:
        raise ParameterError(f"--player is {request.player}, and must be from 1 to {tree.players}")
    if not request.has_style:
        return None
    who = None if request.player is None else request.player - 1
    uniform = Strategy.uniform(tree)
    if request.seen is not None and not any(uniform.rows(request.seen, who)):
        raise ParameterError(nothing_like(request.seen, uniform, who))
    place: dict[str, Any] = {
        "player": who, "seen": request.seen, "round": request.round, "best": request.best,
        "give_up": request.give_up or 0.0,
    }  # fmt: skip
    styles = []
    if request.preset is not None:
        styles.append(preset(request.preset, request.strength or 5.0, tree, **place))
    if degrees or not styles:
        styles.append(Style(degrees, **place))
    style = styles[0] if len(styles) == 1 else styles[0] + styles[1]
    style.on(tree).check(tree)
    return style


# The work


def _solved(
    request: StyleRequest, tree: HistoryTree, style: Style | None, watch: Watch, parts: int = 1
) -> Result:
    """A run, which has its part of the time that is left."""
    target = request.save if style is not None else None
    rescue = None if target else rescue_file(tree.spec)
    until = clock.left(_until(request), parts)
    watch.begin(until)
    result = solve(
        tree,
        request.method or METHOD,
        until,
        request.traversal,
        seed=request.seed,
        style=style,
        save=Saving(target, rescue=rescue),
        on_report=watch.report,
    )
    if result.stopped == "interrupted":
        kept = target or (rescue if stamp(rescue) and result.seconds >= WORTH_KEEPING else None)
        if rescue and not kept:
            os.unlink(rescue)
        raise StoppedError(farewell(kept, result.iterations))
    return result


def _frontier(tree: HistoryTree, frequency: Frequency, epsilons: Sequence[float]) -> Frontier:
    return aside(lambda: frontier(tree, frequency, epsilons))


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
