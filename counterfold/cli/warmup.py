"""``counterfold warmup``: compile every kernel once, so that nothing waits for it later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

from counterfold.abstraction.blueprint import Against, blueprint
from counterfold.abstraction.bucket_maker import BucketMaker, Recipe
from counterfold.abstraction.buckets import every_hand
from counterfold.abstraction.contest import contest
from counterfold.abstraction.deal_form import DealForm
from counterfold.cli.output import StoppedError, duration, print_json, say
from counterfold.cli.progress import Watch
from counterfold.cli.verbs.first_steps import WarmupRequest
from counterfold.evaluate.range_equity import range_equity
from counterfold.exploit.locks import Lock, Locks
from counterfold.games.cheat import Cheat
from counterfold.games.onecard import Kuhn
from counterfold.kernels.cache import cache_folder, trouble
from counterfold.play.agents import make_agent
from counterfold.play.match import Match
from counterfold.poker.cards import parse_board
from counterfold.poker.game import PokerGame
from counterfold.poker.holdem import kuhn, leduc
from counterfold.poker.showdown import strengths
from counterfold.poker.spot import spot
from counterfold.searchers.public_entry import PublicEntry
from counterfold.searchers.searcher import Searcher
from counterfold.solvers.result import solve
from counterfold.solvers.settings import TRAVERSALS
from counterfold.solvers.solver import Solver
from counterfold.solvers.until import Until
from counterfold.strategy.strategy import Strategy
from counterfold.tree.history import compile_game
from counterfold.tree.public import PublicTree

ALL_IN = {
    "board": "Ks 9h 6s 4d", "pot": 2, "stack": 0, "oop": "AhAd", "ip": "QhQd", "bets": [],
    "raises": [],
}  # fmt: skip
"""A spot without a decision: the river alone decides."""


def run(request: WarmupRequest) -> None:
    """Solve and play small games in every way that has a kernel of its own."""
    began = perf_counter()
    with Watch(request.quiet) as watch:
        for what, work in _steps():
            watch.doing(f"compiling {what}")
            work()
            watch.check()
    seconds = perf_counter() - began
    folder = cache_folder()
    if request.json:
        print_json({"seconds": seconds, "cache": None if folder is None else str(folder)})
    elif folder is None:
        say(f"All kernels compile, in {duration(seconds)}, but {trouble()}.")
    else:
        say(f"All kernels are ready in {folder} ({duration(seconds)}).")


def _steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """What is compiled, and how."""
    ways = [(traversal, "auto") for traversal in TRAVERSALS] + [("full", "history")]
    for dtype in ("float64", "float32"):
        for traversal, form in ways:
            yield f"{traversal} ({form} form), {dtype}", partial(_solve, traversal, form, dtype)
    for name in ("uniform", "seocfr-iw", "dbbr-ws"):
        yield f"the arena, {name}", partial(_match, name)
    yield "the walks of Cheat", _cheat
    for bits in (32, 16):
        yield f"poker, all hands at once, {bits} bits", partial(_poker, bits=bits)
    yield "poker with cards to come after the last bet", lambda: _poker(spot(ALL_IN, name="all-in"))
    locks = Locks([Lock("bet", {"call": 1})])
    yield "poker with locks and styles", partial(_poker, locks=locks)
    sampled = partial(blueprint, kuhn(), every_hand(kuhn()), 1)
    for traversal in ("external", "public"):
        yield f"sampled poker, {traversal}", partial(sampled, traversal=traversal)
    yield "responses over buckets", lambda: sampled(against=Against(sampled(), 0, 0.5))
    # Flops: the fewest boards.
    yield "buckets of hands", lambda: BucketMaker(Recipe.of((3,), 2)).make()
    yield "searches with all hands", _search
    yield "strengths of hands and equities", _equities


def _solve(traversal: str, form: str, dtype: str) -> None:
    # Three players as well: their game is not zero-sum between two, so that the
    # kernels of the coarse-correlated-equilibrium gap are compiled too.
    few = Until(iterations=2)
    for players in (2, 3):
        result = solve(Kuhn(players), until=few, traversal=traversal, dtype=dtype, form=form)
        if result.stopped == "interrupted":
            raise StoppedError("stopped; what was compiled so far is kept")


def _match(name: str) -> None:
    tree = compile_game(Kuhn())
    agents = (make_agent(name, tree), make_agent("uniform", tree))
    for stranger in (None, 0):
        Match(tree, *agents, stranger=stranger).play(2)


def _cheat() -> None:
    game = Cheat(health=1)
    Solver(DealForm(game), traversal="chance").step()
    contest(game, "heuristic", "random", games=2)


def _poker(game: PokerGame | None = None, **settings: Any) -> None:
    solver = Solver(game or kuhn(), **settings)
    solver.step(1)
    solver.assess()


def _equities() -> None:
    strengths(parse_board("Ks 9h 6s 4d 2c"))
    for samples in ("all", 10):
        range_equity("AhAd", "KhKd", "Ks 9h 6s", samples=samples)


def _search() -> None:
    """Safe exploitation search on one board of Leduc."""
    searcher: Searcher[PublicEntry] = Searcher(Strategy.uniform(PublicTree(leduc())), 0)
    board = searcher.places[0]
    judged = searcher.range(board, searcher.blueprint)
    searcher.refine(board, "ses", alpha=0.5, range=judged, iterations=2)
