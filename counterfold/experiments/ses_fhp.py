"""Safe exploitation search in Flop Hold'em: figure 3's lower half, and figure 4 with RNR.

The hero keeps its blueprint before the flop and searches on it. Where not all flops are searched,
some are drawn, each as often as it comes: what the search changes on them stands for what it would
change on all, and everything else is exact. Of exploitability this gives two numbers, one that
is too high on average and one that is too low; with all flops they are one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from counterfold.errors import ParameterError
from counterfold.experiments.ses_fhp_found import FhpOpponent, FhpPoint, FhpResponse, FhpSweep
from counterfold.experiments.ses_fhp_opponents import Whole, written
from counterfold.experiments.ses_fhp_side import Side
from counterfold.experiments.ses_fhp_table import Table
from counterfold.exploit.public import RestrictedSolver, best_against, earned_against
from counterfold.games.spec import whole
from counterfold.strategy.public import PublicStrategy

__all__ = ["fhp_figure", "figure_3_fhp", "figure_4"]

ALPHAS = (0.0, 0.25, 0.5, 0.75, 1.0)
ERRORS = (0.0, 0.3, 0.6, 0.9, 1.2)
SHARES = (0.0, 0.3, 0.7)
BUDGETS = {"normal": 10.0, "big": 190.0}
"""CPU seconds of a response at full size, as in the paper; a smaller game gets its part of them."""
FULL_BYTES = 3.0e9  # of a solver's tables at full size

Progress = Callable[[int, int], None]


def figure_3_fhp(game: str = "fhp", runs: int = 1, **given: Any) -> FhpSweep:
    """SES by alpha and error of judgement, against ``runs`` opponents of each kind."""
    return fhp_figure(3, game, runs, **given)


def figure_4(game: str = "fhp", runs: int = 1, **given: Any) -> FhpSweep:
    """SES that judges rightly against restricted Nash responses with little and much time."""
    return fhp_figure(4, game, runs, **given)


def fhp_figure(
    figure: int,
    game: str = "fhp",
    runs: int = 1,
    iterations: int | None = None,
    seed: int = 0,
    *,
    alphas: Sequence[float] = ALPHAS,
    errors: Sequence[float] | None = None,
    shares: Sequence[float] = SHARES,
    search_iterations: int = 200,
    budgets: dict[str, float] | None = None,
    threads: int | None = None,
    on_progress: Progress | None = None,
) -> FhpSweep:
    """Both figures: SES over errors (by figure 4: without any), and for 4 responses beside it.

    ``iterations`` are those of blueprints: sampled over buckets with the full deck, few ones of
    the whole game with a smaller deck.
    """
    whole("runs", runs, least=1, most=1000)
    whole("seed", seed, least=0)
    if 0.0 not in alphas:
        raise ParameterError("the alphas must have 0 among them")
    errors = errors if errors is not None else ERRORS if figure == 3 else (0.0,)
    threads = threads or min(2, len(os.sched_getaffinity(0)))
    began = time.process_time()
    table = Table(game, iterations, seed, threads)
    kinds = [(share, run) for share in shares for run in range(runs)]
    opponents = [table.opponent(share, run) for share, run in kinds]
    budgets = BUDGETS if budgets is None else budgets
    more = len(kinds) * len(alphas) * len(budgets) if figure == 4 else 0
    total = 2 * len(table.boards) + more
    count = _Count(total, on_progress)
    told, responses, bases = [], [], []
    for (share, run), opponent in zip(kinds, opponents, strict=True):
        strategy = written(table.tree, opponent)
        base = [earned_against(table.blueprint, seat, strategy, table.walk) for seat in (0, 1)]
        best = [best_against(strategy, seat, table.walk) for seat in (0, 1)]
        bases.append(base)
        told.append(
            FhpOpponent(share, run, table.distance(opponent), table.mbb(base), table.mbb(best))
        )
        if figure == 4:
            responses += _responses(table, share, run, strategy, alphas, budgets, count)
    sides = [Side(table, seat, opponents, alphas, errors, search_iterations) for seat in (0, 1)]
    for side in sides:
        side.run(threads, count.one)
    points = []
    for (o, (share, run)), error, alpha in product(enumerate(kinds), errors, alphas):
        found = [side.point(o, errors.index(error), alpha) for side in sides]
        points.append(
            FhpPoint(
                share,
                run,
                error,
                alpha,
                payoff=table.mbb([bases[o][s] + found[s].payoff for s in (0, 1)]),
                payoff_error=table.mbb([np.hypot(found[0].spread, found[1].spread)]) / 2,
                exploitability=table.mbb([f.reply for f in found]),
                at_least=table.mbb([f.cautious for f in found]),
                gap=table.mbb([f.gap for f in found]),
                in_buckets=_both(table, [f.in_buckets for f in found]),
            )
        )
    return FhpSweep(
        figure, table.name, table.kind, table.iterations, search_iterations, seed,
        flops=len(table.boards),
        all_flops=len(table.tree.boards) - 1,
        exploitability=table.mbb([side.reply(None) for side in sides]),
        in_buckets=_both(table, [side.reply_in_buckets(None) for side in sides]),
        random_distance=table.distance(Whole(PublicStrategy.uniform(table.tree))),
        opponents=tuple(told),
        points=tuple(points),
        responses=tuple(responses),
        searches=sum(side.searches for side in sides),
        search_seconds=sum(side.seconds for side in sides),
        cpu_seconds=time.process_time() - began,
    )  # fmt: skip


def _both(table: Table, chips: list[float | None]) -> float | None:
    known = [amount for amount in chips if amount is not None]
    return table.mbb(known) if len(known) == len(chips) else None


class _Count:
    """Progress, whoever makes it."""

    def __init__(self, total: int, told: Progress | None) -> None:
        self.done, self.total, self.told = 0, total, told
        if told:
            told(0, total)

    def one(self) -> None:
        self.done += 1
        if self.told:
            self.told(self.done, self.total)


def _responses(
    table: Table, share: float, run: int, model: PublicStrategy, ps: Sequence[float],
    budgets: dict[str, float], count: _Count,
) -> list[FhpResponse]:  # fmt: skip
    """Restricted Nash responses to an opponent, in both seats."""
    found = []
    scale = min(1.0, table.tree.table_bytes() / FULL_BYTES)
    for p in ps:
        made: dict[str, list[dict[str, float]]] = {name: [] for name in budgets}
        for seat in (0, 1):
            solver = RestrictedSolver(model, seat, p, threads=table.threads)
            for name, seconds in sorted(budgets.items(), key=lambda item: item[1]):
                solver.run_for(scale * seconds)
                told = solver.response()
                made[name].append(
                    {
                        "payoff": table.mbb([told.winnings]),
                        "exploitability": table.mbb([-told.guarantee]),
                        "gap": table.mbb([told.gap]),
                        "iterations": float(told.iterations),
                        "cpu_seconds": told.cpu_seconds,
                    }
                )
                del told  # which holds on to the solver's tables
                if seat:
                    count.one()
            del solver
        for name, pair in made.items():
            means = {key: float(np.mean([one[key] for one in pair])) for key in pair[0]}
            found.append(FhpResponse(share, run, p, name, **means))
    return found
