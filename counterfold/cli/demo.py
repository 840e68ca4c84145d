"""``counterfold demo``: the whole of it in a few seconds, on two games with known answers."""

from __future__ import annotations

import os

from counterfold.cli.certificate import certificate, print_panel
from counterfold.cli.output import StoppedError, advise, check_can_write, print_json, say
from counterfold.cli.progress import Watch
from counterfold.cli.table import print_rows
from counterfold.cli.verbs.first_steps import DemoRequest
from counterfold.errors import MissingExtraError
from counterfold.games.leduc import Leduc
from counterfold.games.onecard import Kuhn
from counterfold.plot import Curve, Point, check_plot, convergence
from counterfold.solvers.methods import METHODS
from counterfold.solvers.result import Result, solve
from counterfold.solvers.settings import default_until
from counterfold.solvers.until import Until
from counterfold.tree.history import HistoryTree

__all__ = ["run"]

PICTURE = "counterfold-demo.png"
COMPARE = 20_000
"""Iterations of each method in the picture."""

KUHN = ("-1/18", -1 / 18)
LEDUC = ("-0.0856064241", -0.0856064241)  # the sequence-form linear program's


def run(request: DemoRequest) -> None:
    """Solve Kuhn and Leduc, print what is found, draw all methods."""
    json, quiet = request.json, request.quiet
    path = os.path.join(request.folder, PICTURE)
    check_can_write(path, "--folder")
    lacking = ""
    try:
        check_plot(path)
    except MissingExtraError as error:
        lacking = str(error)

    kuhn = _solved(Kuhn(), quiet)
    if not json:
        print_panel("Kuhn poker", certificate(kuhn, default_until("full"), known=KUHN))
        say()
        advise("The whole strategy: what each player does with each card after each action.")
        print_rows(list(kuhn.strategy.rows()))
        say()

    leduc = _solved(Leduc(), quiet)
    if not json:
        print_panel("Leduc poker", certificate(leduc, default_until("full"), known=LEDUC))
        say()
        advise("How it opens (player 1), and how it answers a bet before the board (player 2).")
        rows = [row for row in leduc.strategy.rows() if _opening(row.player, row.infoset)]
        print_rows(rows)
        say()

    curves: dict[str, Result] = {}
    if not lacking:
        curves = _all_methods(leduc.strategy.tree, quiet)
        title = f"Leduc poker: all methods over {COMPARE:,} iterations"
        convergence([Curve(name, _points(run)) for name, run in curves.items()], title, path)
    if json:
        print_json(
            {
                "kuhn": kuhn.to_dict(),
                "leduc": leduc.to_dict(),
                "methods": {name: run.to_dict() for name, run in curves.items()},
                "plot": None if lacking else path,
            }
        )
    elif lacking:
        advise(f"There is no picture: {lacking}.")
    else:
        advise(f"All methods compared on Leduc: {path}")
    if not json:
        advise(
            "Next: `counterfold solve leduc --save leduc.safetensors`, then "
            "`counterfold show leduc.safetensors`."
        )


def _solved(game: Kuhn | Leduc, quiet: bool) -> Result:
    until = default_until("full")
    with Watch(quiet) as watch:
        watch.doing("loading the kernels (compiled when they are first used)")
        watch.begin(until)
        return _finished(solve(game, until=until, on_report=watch.report))


def _all_methods(tree: HistoryTree, quiet: bool) -> dict[str, Result]:
    found = {}
    until = Until(iterations=COMPARE)
    with Watch(quiet) as watch:
        for name in METHODS:
            watch.begin(until)
            found[name] = _finished(solve(tree, name, until, on_report=watch.report))
    return found


def _finished(result: Result) -> Result:
    if result.stopped == "interrupted":
        raise StoppedError("stopped; the demo saves nothing before its picture")
    return result


def _points(result: Result) -> list[Point]:
    return [Point(r.iteration, r.cpu_seconds, r.exploitability) for r in result.trace]


def _opening(player: int, infoset: str) -> bool:
    _, _, said = infoset.partition(" | ")
    return (player, said) in ((0, ""), (1, "bet"))
