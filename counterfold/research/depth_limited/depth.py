"""What a depth limit costs: exact exploitability of whole strategies by number of continuations.

The trunk is solved with an edge behind its first round; behind the edge stands the blueprint, or
what searches find there, with a gadget or without. Leduc poker has its edge before the board, Flop
Hold'em before the flop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from counterfold.abstraction.blueprint import blueprint as make_blueprint
from counterfold.abstraction.bucket_layout import by_hand
from counterfold.abstraction.buckets import every_hand
from counterfold.abstraction.edge import cut_poker
from counterfold.abstraction.edge_values import all_boards, drawn_boards, edge_values
from counterfold.errors import ParameterError
from counterfold.evaluate.exact import assess, best_response
from counterfold.games.leduc import Leduc
from counterfold.poker.cards import CARDS
from counterfold.poker.game import PokerGame
from counterfold.research.progress import Progress, no_progress
from counterfold.research.results import Result
from counterfold.searchers.edge import depth_limited
from counterfold.searchers.gadget import Entry, Part, maxmargin, resolving, unsafe
from counterfold.searchers.searcher import Searcher
from counterfold.solvers.result import solve
from counterfold.solvers.until import Until
from counterfold.strategy.continuations import continuations
from counterfold.strategy.strategy import AnyStrategy, Strategy
from counterfold.tree.form import Form
from counterfold.tree.history import compile_game
from counterfold.tree.named import poker_game
from counterfold.tree.public import PublicTree

F = TypeVar("F", bound=Form)

SIZES = (1, 2, 4, 8)
CHOOSERS = ((0, 1), (1,), (0,))
GAME = "fhp(cap=2,deck=QKA)"
GADGETS: dict[str, Callable[..., list[Part]]] = {
    "unsafe": unsafe,
    "resolving": resolving,
    "maxmargin": maxmargin,
}
"""How subgames are searched again."""
TRUNK = 2000
"""Iterations of a trunk."""
FLOPS = 2000
"""Drawn where the deck is whole."""
REPLIES = 3
"""Best replies of each player that join the continuations of Leduc, one after the other."""


@dataclass(frozen=True)
class DepthRow(Result):
    """A blueprint and a number of continuations.

    ``gap`` is what is left to gain in the cut game; the others are exploitabilities of whole
    strategies: the blueprint itself, the trunk with the blueprint behind its edge, the same where
    only the opponent chooses while a player's trunk is made, and that with every subgame behind it
    searched again, by each gadget that was tried (none where that was not done).
    """

    game: str
    blueprint: str
    exploitable: float
    continuations: int
    names: tuple[str, ...]
    gap: float
    below: float
    apart: float
    searched: dict[str, float]


@dataclass(frozen=True)
class DepthTable(Result, paper="depth-limited"):
    """All rows, in chips of the games."""

    rows: tuple[DepthRow, ...]
    seed: int
    cpu_seconds: float


def portfolio(blueprint: Strategy[F], size: int) -> dict[str, Strategy[F]]:
    """The first so many continuations: the blueprint; towards calls; folds and raises; the same
    three weaker; and play that is even.

    >>> list(portfolio(Strategy.uniform(Leduc()), 2))
    ['blueprint', 'call']
    """
    every = continuations(blueprint)
    order = {name: every[name] for name in ("blueprint", "call", "fold", "raise")}
    milder = continuations(blueprint, 3.0)
    order |= {f"{name} x3": milder[name] for name in ("call", "fold", "raise")}
    order["even"] = Strategy(blueprint.layout, blueprint.layout.even())
    return dict(list(order.items())[:size])


def depth_table(
    game: str = GAME,
    iterations: int = TRUNK,
    seed: int = 0,
    on_progress: Progress = no_progress,
) -> DepthTable:
    """The table of one game: ``leduc``, or ``fhp`` with any of its parameters."""
    began = time.process_time()
    name = game.partition("(")[0].strip()
    if name not in ("leduc", "fhp"):
        raise ParameterError(f"the edge is tried on leduc or fhp, not on {game!r}")
    made = _leduc(iterations) if name == "leduc" else _flop(poker_game(game), iterations, seed)
    rows = []
    for row, total in made:
        rows.append(row)
        on_progress(len(rows), total)
    return DepthTable(tuple(rows), seed, time.process_time() - began)


def _leduc(iterations: int) -> Iterator[tuple[DepthRow, int]]:
    """Blueprints of few and of many iterations; best replies of both join the last rows."""
    tree, steps = compile_game(Leduc()), len(SIZES) + REPLIES
    for words, method, length in (("10 of CFR", "cfr", 10), ("2,000 of DCFR", "dcfr", 2000)):
        blueprint = solve(tree, method, Until(iterations=length)).strategy
        own = [portfolio(blueprint, 4) for _ in range(2)]
        for step in range(steps):
            biases = step < len(SIZES)
            used = [portfolio(blueprint, SIZES[step])] * 2 if biases else own
            whole, gap = _trunk(depth_limited(tree, used), blueprint, iterations)
            alone = {"blueprint": blueprint}
            parts = (depth_limited(tree, pair) for pair in ((alone, used[1]), (used[0], alone)))
            apart = together([_trunk(cut, blueprint, iterations)[0] for cut in parts])
            yield (
                DepthRow(
                    "leduc", words, assess(blueprint).exploitability, len(used[0]),
                    tuple(used[0]), gap, assess(whole).exploitability,
                    assess(apart).exploitability, _searched(apart),
                ),
                2 * steps,
            )  # fmt: skip
            if not biases or SIZES[step] == 4:  # what each would reply becomes a continuation
                for player, continuing in enumerate(own):
                    name = f"reply {len(continuing) - 3}"
                    continuing[name] = best_response(apart, player).strategy


class _Cut(Protocol[F]):
    """A game cut at a depth limit, which strategies of a trunk make whole again."""

    @property
    def tree(self) -> Form: ...

    def complete(self, below: AnyStrategy, blueprint: Strategy[F], /) -> Strategy[F]: ...


def _trunk(cut: _Cut[F], blueprint: Strategy[F], iterations: int) -> tuple[Strategy[F], float]:
    """The whole strategy of a cut game over a blueprint, and the gap of its trunk."""
    found = solve(cut.tree, until=Until(iterations=iterations))
    return cut.complete(found.strategy, blueprint), found.exploitability


def together(made: Sequence[Strategy[F]]) -> Strategy[F]:
    """What each player does in its own of two strategies."""
    layout = made[0].layout
    return Strategy(layout, layout.combine([one.tables for one in made]))


def _searched(whole: Strategy[F]) -> dict[str, float]:
    """The exploitability when every subgame is searched again for both players, by gadget."""
    searchers: list[Searcher[Entry]] = [Searcher(whole, player) for player in (0, 1)]
    found = {}
    for name, make in GADGETS.items():
        made = [searcher.everywhere(make).strategy for searcher in searchers]
        found[name] = assess(together(made)).exploitability
    return found


def _flop(game: PokerGame, iterations: int, seed: int) -> Iterator[tuple[DepthRow, int]]:
    """Flop Hold'em: every hand of a small deck, or buckets and drawn flops with the whole one."""
    small = len(game.rules.deck) < CARDS
    lengths = (10_000, 1_000_000) if small else (10_000_000,)
    tree = PublicTree(game, symmetry=not small)
    boards = all_boards(game) if small else drawn_boards(game, FLOPS, seed)
    boards = list(boards)
    for length in lengths:
        buckets = every_hand(game) if small else 200
        blueprint = make_blueprint(game, buckets, length, seed)
        exploitable = assess(by_hand(blueprint, tree)).exploitability
        tables = {n: s.tables[0] for n, s in portfolio(blueprint, SIZES[-1]).items()}
        every = edge_values(blueprint.tree, tables, boards, seed)
        for size in SIZES:
            values = every.first(size)
            made = [_trunk(cut_poker(values, who), blueprint, iterations) for who in CHOOSERS]
            (whole, gap), *alone = made
            below = assess(by_hand(whole, tree)).exploitability
            apart = by_hand(together([one for one, _ in alone]), tree)  # one at a time: gigabytes
            yield (
                DepthRow(
                    game.spec, f"{length:,} samples", exploitable, size, values.names, gap, below,
                    assess(apart).exploitability, _searched(apart) if small else {},
                ),
                len(SIZES) * len(lengths),
            )  # fmt: skip
