"""``counterfold bench``: measure, show a table, and write the figures down.

A benchmark is a module with ``run(games, budget, on_progress)``, and with ``table``, ``plot`` and
``to_json`` of what that gives.
"""

from __future__ import annotations

import json as jsonlib
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer

from counterfold.cli.options import Json
from counterfold.cli.output import (
    check_can_write,
    on_terminal,
    print_json,
    safe_console,
    say,
    tell,
)
from counterfold.errors import ParameterError
from counterfold.files.whole import write_whole
from counterfold.research.reproduction import Plot

__all__ = ["KEYS", "VERBS", "Out", "publish", "run"]

KEYS = None
TEXTS = {
    "methods": "CPU time of every method to an exploitability, game by game.",
    "peers": "Other libraries and ours on the same games.",
    "kernels": "What an iteration costs, form by form and traversal by traversal.",
    "arena": "Hands a second that are played.",
    "search": "How long a search takes, gadget by gadget.",
    "poker": "Hold'em spots: an iteration, memory, and the time to a share of the pot.",
    "poker-methods": "Iterations of every method on hold'em spots.",
}
VIEWS = {"peers": "peers_view"}
"""Benchmarks that are shown by another module than the one that measures."""

Out = Annotated[
    str | None, typer.Option(metavar="FILE.json", help="Write the JSON to a file as well.")
]


def _verb(name: str) -> Callable[..., None]:
    def verb(
        game: Annotated[
            list[str] | None,
            typer.Option(metavar="SPEC", help="A game, in poker a spot; may be given again."),
        ] = None,
        budget: Annotated[
            float | None, typer.Option(metavar="SECONDS", help="CPU time for each measurement.")
        ] = None,
        plot: Plot = None,
        out: Out = None,
        json: Json = False,
    ) -> None:
        if budget is not None and not 0 < budget < float("inf"):
            raise ParameterError(f"--budget is {budget}, and must be a number above 0")
        run(name, games=game, budget=budget, plot=plot, out=out, json=json)

    verb.__doc__ = TEXTS[name]
    return verb


VERBS = {name: _verb(name) for name in TEXTS}


def run(
    name: str,
    *,
    games: list[str] | None = None,
    budget: float | None = None,
    plot: str | None = None,
    out: str | None = None,
    json: bool = False,
) -> None:
    """Run one benchmark and tell about it in every form that was asked for."""
    if out is not None:
        check_can_write(out, "--out")
    if plot is not None:
        from counterfold.plot import check_plot, save

        check_can_write(plot, "--plot")
        check_plot(plot)
    module = name.replace("-", "_")
    measuring = import_module(f"counterfold.research.bench.{module}")
    shown = import_module(f"counterfold.research.bench.{VIEWS.get(module, module)}")
    if budget is not None and measuring.BUDGET is None:
        raise ParameterError(f"{name} takes as long as it takes: leave --budget out")
    results = measuring.run(games or measuring.GAMES, budget or measuring.BUDGET, tell)
    if plot is not None:
        save(shown.plot(results), plot)
    publish(shown.to_json(results), shown.table(results), out, json)
    if plot is not None and not json:
        say(f"Written: {plot}")


def publish(document: dict[str, Any], table: Any, out: str | None, json: bool) -> None:
    """A document into a file and, in JSON or as a table, on standard output.

    A table is as wide as it needs to be in a pipe, and as wide as it can be on a terminal.
    """
    if out:
        write_whole(out, (jsonlib.dumps(document, indent=1) + "\n").encode())
    if json:
        print_json(document)
        return
    width = None if on_terminal(sys.stdout) else 240
    safe_console(width=width).print(table)
    if out:
        say(f"Written: {out}")
