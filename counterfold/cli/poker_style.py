"""``counterfold style`` for poker spots: a style beside the plain solution, and what it costs."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from counterfold.cli import clock
from counterfold.cli.certificate import Lines, print_panel, won
from counterfold.cli.names import poker_game
from counterfold.cli.output import (
    StoppedError,
    advise,
    check_can_write,
    check_not_foreign,
    duration,
    in_units,
    print_json,
    say,
)
from counterfold.cli.poker_conditions import PokerConditions, read_conditions
from counterfold.cli.progress import Watch
from counterfold.cli.solve import farewell
from counterfold.cli.style_tables import columns
from counterfold.cli.table import percent
from counterfold.cli.verbs.solving import SolveRequest
from counterfold.errors import ParameterError
from counterfold.poker.game import PokerGame
from counterfold.solvers.methods import method as method_of
from counterfold.solvers.result import Result, solve
from counterfold.solvers.settings import defaults_of
from counterfold.solvers.until import Until
from counterfold.style.preferences import PRESETS, Style
from counterfold.style.price import Price, compare
from counterfold.style.shares import Share

if TYPE_CHECKING:
    from counterfold.cli.verbs.styling import StyleRequest

__all__ = ["run"]

ELSEWHERE = ("seen", "round", "frontier", "epsilon", "plot")
STRENGTH = 5.0
CLOSER = 3
"""How much nearer to an equilibrium than usual both are solved: a small price is to be seen."""
PATIENCE = 4
"""A styled run has so many times the iterations of the plain one, if nobody says: a style that
gives something up never comes as near to an equilibrium."""


def run(request: StyleRequest) -> None:
    """Solve plainly and with the style, and tell the difference."""
    game = poker_game(request.game)
    conditions, until = _check(request, game), _limits(request, game)
    with Watch(request.quiet, game.units) as watch:
        watch.doing("building the tree and loading the kernels (compiled when first used)")
        try:
            tree = conditions.tree(game)
            watch.work = "solving plainly"
            half = clock.left(until, 2)
            watch.begin(half)
            plain = _whole(solve(tree, request.method, half, on_report=watch.report))
            limit = until
            if not _given(request):
                limit = replace(until, iterations=PATIENCE * plain.iterations)
            limit = clock.left(limit)
            watch.work = "solving with the style"
            watch.begin(limit)
            solver = conditions.solver(tree, request.method, None, {})
            styled = _whole(solve(solver, until=limit, save=request.save, on_report=watch.report))
            watch.doing("comparing the strategies")
            price = compare(plain, styled, conditions.description)
        except KeyboardInterrupt:
            raise StoppedError(farewell(None)) from None
    if request.json:
        print_json(price.to_dict() | {"saved": request.save})
        return
    _tell(request, game, price)


def _whole(result: Result) -> Result:
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return result


# The request


def _check(request: StyleRequest, game: PokerGame) -> PokerConditions:
    for name in ELSEWHERE:
        if getattr(request, name) is not None:
            raise ParameterError(
                f"--{name} is for games in history form; in a spot say where in the "
                "preference itself, as in --prefer oop:bet@turn[JJ-22]=5"
            )
    if request.traversal != "full":
        raise ParameterError("--traversal is for games in history form; a spot is walked in full")
    if request.preset is not None and request.preset not in PRESETS:
        raise ParameterError(
            f"there is no style {request.preset!r}; there are {', '.join(PRESETS)}"
        )
    if request.strength is not None and request.preset is None:
        raise ParameterError("--strength is of a --preset; preferences have theirs in --prefer")
    if request.player is not None and request.player not in (1, 2):
        raise ParameterError(f"--player is {request.player}, and must be 1 or 2")
    if request.method is not None:
        method_of(request.method)
    if request.save:
        check_can_write(request.save, "--save")
        check_not_foreign(request.save)
    conditions = read_conditions(
        SolveRequest(request.game, prefer=_preferences(request, game), give_up=request.give_up),
        game,
    )
    if conditions.style is None:
        raise ParameterError("say which style: --prefer raise=5, or --preset aggressive")
    if conditions.locks:
        raise ParameterError(
            f'{request.game} has "locks", which hold players to something; a style is compared '
            "where both are free"
        )
    return (
        PokerConditions(style=conditions.style + Style(best=True)) if request.best else conditions
    )


def _preferences(request: StyleRequest, game: PokerGame) -> tuple[str, ...]:
    """The preferences in words, each with the player that was named."""
    words = list(request.prefer)
    if request.preset is not None:
        offered = {label.split()[0] for label in game.betting.label if label}
        degree = STRENGTH if request.strength is None else request.strength
        preferred = [action for action in PRESETS[request.preset] if action in offered]
        words += [f"{action}={degree:g}" for action in preferred]
    if request.player is not None:
        who = game.players[request.player - 1]
        words = [text if ":" in text else f"{who}:{text}" for text in words]
    return tuple(words)


def _given(request: StyleRequest) -> dict[str, Any]:
    names = ("iterations", "exploitability", "seconds")
    return {n: getattr(request, n) for n in names if getattr(request, n) is not None}


def _limits(request: StyleRequest, game: PokerGame) -> Until:
    given = _given(request)
    if "exploitability" in given:
        given["exploitability"] = game.units.chips(given["exploitability"])
    if given:
        return Until(**given)
    usual = defaults_of(game).until
    assert usual.target is not None
    return replace(usual, exploitability=usual.target / CLOSER)


# The answer


def _tell(
    request: StyleRequest,
    game: PokerGame,
    price: Price,
) -> None:
    advise(f"{game.spec}, {price.style}")
    street = game.streets[0] if game.streets else "first street"
    for title, shares in (
        ("the first decision", price.first),
        (f"all decisions on the {street}, where an action is offered", price.by_round),
    ):
        say()
        say(title)
        _say_columns(_rows(game, shares))
    say()
    say("what a player gets of the pot" if game.pot else "what a player wins a hand")
    _say_columns(_earnings(game, price))
    say()
    print_panel("Price", _lines(game, price, request))
    if request.save:
        advise(f"Look at it with `counterfold show {shlex.quote(request.save)}`.")


def _say_columns(rows: list[list[str]]) -> None:
    for line in columns(rows):
        say(line)


def _rows(game: PokerGame, shares: tuple[Share, ...]) -> list[list[str]]:
    rows, last = [["player", "action", "plain", "styled", "change"]], -1
    for share in shares:
        change = ""
        if share.plain is not None and share.styled is not None:
            change = f"{100 * (share.styled - share.plain):+.1f}"
        cells = ["never" if x is None else percent(x) for x in (share.plain, share.styled)]
        who = "" if share.player == last else game.players[share.player]
        rows.append([who, share.action, *cells, "" if change in ("+0.0", "-0.0") else change])
        last = share.player
    return rows


def _earnings(game: PokerGame, price: Price) -> list[list[str]]:
    rows = [["player", "against", "plain", "styled", "change"]]
    for seat in price.seats:
        paid = float(game.betting.paid[0][seat.player]) if game.pot else 0.0
        foes = [
            ("itself", seat.plain, seat.styled),
            ("the other strategy", seat.plain_against_styled, seat.styled_against_plain),
        ]
        if seat.plain_guarantee is not None and seat.styled_guarantee is not None:
            foes.append(("a best responder", seat.plain_guarantee, seat.styled_guarantee))
        for number, (foe, one, two) in enumerate(foes):
            who = "" if number else game.players[seat.player]
            cells = [f"{one + paid:.5g}", f"{two + paid:.5g}", f"{two - one:+.3g}"]
            rows.append([who, foe, *cells])
    return rows


def _lines(
    game: PokerGame,
    price: Price,
    request: StyleRequest,
) -> Lines:
    plain, styled = price.plain, price.styled
    lines: Lines = [
        (
            "exploitability",
            f"plain {in_units(game, plain.exploitability)}; styled "
            f"{in_units(game, styled.exploitability)} (both exact)",
        )
    ]
    for seat in price.seats:
        if seat.cost is not None and seat.styled_guarantee is not None:
            sure = won(game, seat.player, seat.styled_guarantee)
            words = f"guarantees {sure}, {_less(game, seat.cost)} the plain one"
            lines.append((game.players[seat.player], words))
    lines.append(
        (
            "time",
            f"{plain.iterations:,} and {styled.iterations:,} iterations, "
            f"{duration(plain.cpu_seconds + styled.cpu_seconds)} CPU",
        )
    )
    if request.save:
        lines.append(("saved", request.save))
    return lines


def _less(game: PokerGame, cost: float) -> str:
    return f"{in_units(game, abs(cost))} {'less' if cost > 0 else 'more'} than"
