"""What a view of Cheat costs: the exact exploitability of each agent in the game itself."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from counterfold.abstraction.fallback import lifted
from counterfold.abstraction.maps import LastRounds, Map, Mapped, RelativeCards
from counterfold.evaluate.exact import exploitability
from counterfold.games.cheat import Cheat
from counterfold.games.spec import whole
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.solvers.solver import Solver
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import HistoryTree, compile_game

METHODS = ("cfr", "cfr+")
AGENTS: dict[str, tuple[str, tuple[Map, ...]]] = {
    "memoryless": ("memoryless", ()),
    "memoryless, cards": ("memoryless", (RelativeCards(),)),
    "hp": ("hp", ()),
    "hp, cards": ("hp", (RelativeCards(),)),
    "history": ("history", ()),
    "history, last 3 rounds": ("history", (LastRounds(3),)),
    "history, last 3 rounds, cards": ("history", (LastRounds(3), RelativeCards())),
    "general": ("general", ()),
    "general, last 3 rounds": ("general", (LastRounds(3),)),
    "general, last 3 rounds, cards": ("general", (LastRounds(3), RelativeCards())),
}
"""Views with the maps over them, by the names that the table has."""


@dataclass(frozen=True)
class Price:
    """One agent: what a responder who remembers everything wins from it, a game."""

    agent: str
    infosets: int
    exploitability: dict[str, float]  # by method and iterations, such as "cfr 100"


@dataclass(frozen=True)
class Prices(Result, paper="cheat", table="price"):
    """The table: exploitability in the whole game, beside that of uniform play."""

    health: int
    infosets: int  # of the whole game
    uniform: float
    columns: tuple[str, ...]
    rows: tuple[Price, ...]
    cpu_seconds: float


def prices(health: int = 3, iterations: int = 1_000, on_progress: Progress = no_progress) -> Prices:
    """Train every agent over all deals, and meet it with best responders in the whole game.

    Plain CFR is also shown after a tenth of the iterations, CFR+ only at the end.
    """
    whole("health", health, least=1)
    whole("iterations", iterations, least=10)
    began = time.process_time()
    tree = compile_game(Cheat(health=health))
    marks = {"cfr": (iterations // 10, iterations), "cfr+": (iterations,)}
    rows = []
    for done, (name, (view, maps)) in enumerate(AGENTS.items()):
        on_progress(done, len(AGENTS))
        rows.append(_price(name, Cheat(health=health, view=view), maps, tree, marks))
    return Prices(
        health=health,
        infosets=len(tree.infosets.owner),
        uniform=exploitability(Strategy.uniform(tree)),
        columns=tuple(f"{method} {n}" for method in METHODS for n in marks[method]),
        rows=tuple(rows),
        cpu_seconds=time.process_time() - began,
    )


def _price(
    name: str,
    game: Cheat,
    maps: tuple[Map, ...],
    tree: HistoryTree,
    marks: Mapping[str, Sequence[int]],
) -> Price:
    abstract = compile_game(Mapped(game, *maps) if maps else game)
    exploitable = {}
    for method, stops in marks.items():
        solver = Solver(abstract, method, form="history")
        for stop in stops:
            solver.step(stop - solver.iteration)
            exploitable[f"{method} {stop}"] = exploitability(lifted(solver.strategy(), tree))
    return Price(name, len(abstract.infosets.owner), exploitable)
