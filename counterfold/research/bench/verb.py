"""``counterfold bench``: measure, show a table, and write the figures down.

A benchmark is a module with ``run(games, budget, on_progress)``, and with ``show`` and ``draw`` of
what that gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from counterfold.cli.options import option
from counterfold.cli.request import command_of
from counterfold.errors import ParameterError
from counterfold.research.reproduction import Drawn, Job, run_job

KEYS = None
TEXTS = {
    "methods": "CPU time of every method to an exploitability, game by game.",
    "peers": "Other libraries and ours on the same games.",
    "kernels": "What an iteration costs, form by form and traversal by traversal.",
    "arena": "Hands a second that are played.",
    "search": "How long a search takes, gadget by gadget.",
    "poker": "Hold'em spots: an iteration, memory, and the time to a share of the pot.",
    "studio": "From a click in the browser to the grid, on rivers, turns and flops.",
    "scale": "What pieces, tasks and bytes cost on a cluster, and how far it goes.",
    "poker-methods": "Iterations of every method on hold'em spots.",
}


@dataclass(frozen=True)
class BenchRequest(Drawn):
    """What is measured, and where it is told."""

    game: tuple[str, ...] = option(
        "SPEC", "A game, in poker a spot; may be given again.", default=()
    )
    budget: float | None = option("SECONDS", "CPU time for each measurement.")
    out: str | None = option("FILE.json", "Write the JSON to a file as well.")


@dataclass(frozen=True)
class PokerRequest(BenchRequest):
    """The same of hold'em spots."""

    peer: str | None = option(
        "COMMAND", "Another solver, measured in turn with ours: docs/benchmarks.md"
    )


def run(name: str, request: BenchRequest) -> None:
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
