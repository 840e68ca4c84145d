"""``counterfold bench``: measure, show a table, and write the figures down.

A benchmark is a module with ``run(games, budget, on_progress)``, and with ``show`` and ``draw`` of
what that gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Annotated

import typer

from counterfold.cli.options import Json, Quiet
from counterfold.cli.request import command_of
from counterfold.errors import ParameterError
from counterfold.research.reproduction import Job, Plot, run_job

__all__ = ["KEYS", "VERBS", "run"]

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

Budget = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="CPU time for each measurement.")
]
Games = Annotated[
    tuple[str, ...],
    typer.Option("--game", metavar="SPEC", help="A game, in poker a spot; may be given again."),
]
Out = Annotated[
    str | None, typer.Option(metavar="FILE.json", help="Write the JSON to a file as well.")
]


@dataclass(frozen=True)
class BenchRequest:
    """What is measured, and where it is told."""

    game: Games = ()
    budget: Budget = None
    plot: Plot = None
    out: Out = None
    json: Json = False
    quiet: Quiet = False


@dataclass(frozen=True)
class PokerRequest:
    """Hold'em spots: an iteration, memory, and the time to a share of the pot."""

    game: Games = ()
    budget: Budget = None
    peer: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="Another solver, measured in turn with ours: docs/benchmarks.md"
        ),
    ] = None
    plot: Plot = None
    out: Out = None
    json: Json = False
    quiet: Quiet = False


def run(name: str, request: BenchRequest | PokerRequest) -> None:
    """Run one benchmark and tell about it in every form that was asked for."""
    budget = request.budget
    if budget is not None and not 0 < budget < float("inf"):
        raise ParameterError(f"--budget is {budget}, and must be a number above 0")
    module = import_module(f"counterfold.research.bench.{name.replace('-', '_')}")
    job = Job(module.run, module.show, module.draw, "measuring", "measurement")
    peer = {"peer": request.peer} if isinstance(request, PokerRequest) else {}
    run_job(f"bench {name}", job, request, games=request.game or None, budget=budget, **peer)


def _verb(name: str) -> Callable[..., None]:
    kind = PokerRequest if name == "poker" else BenchRequest
    verb = command_of(kind, partial(run, name))
    verb.__doc__ = TEXTS[name]
    return verb


VERBS = {name: _verb(name) for name in TEXTS}
