"""Safe exploitation search in Flop Hold'em: figure 3's lower half, and figure 4 with RNR.

The hero keeps its blueprint before the flop and searches on it. Where not all flops are searched,
some are drawn, each as often as it comes: what the search changes on them stands for what it would
change on all, and everything else is exact. Of exploitability this gives two numbers, one that
is too high on average and one that is too low; with all flops they are one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from counterfold.errors import ParameterError
from counterfold.evaluate.public import best_against, earned_against
from counterfold.experiments.ses_fhp_found import FhpOpponent, FhpPoint, FhpSweep, Spent
from counterfold.experiments.ses_fhp_opponents import Whole, written
from counterfold.experiments.ses_fhp_progress import Count, Progress
from counterfold.experiments.ses_fhp_responses import Responses
from counterfold.experiments.ses_fhp_side import Side
from counterfold.experiments.ses_fhp_store import Store
from counterfold.experiments.ses_fhp_table import Table
from counterfold.games.spec import whole
from counterfold.strategy.public import PublicStrategy

__all__ = ["fhp_figure", "figure_3_fhp", "figure_4"]

ALPHAS = (0.0, 0.25, 0.5, 0.75, 1.0)
ERRORS = (0.0, 0.3, 0.6, 0.9, 1.2)
SHARES = (0.0, 0.3, 0.7)
BUDGETS = {"normal": 10.0, "big": 190.0}
"""CPU seconds of a response at full size, as in the paper; a smaller game gets its part of them."""
GAP, MOST = 0.02, 600
"""Where a search ends: its lines are that many chips from their best on average, or so many
iterations are done."""
OPPONENTS = "shuffled in buckets"
"""How the opponents of a full deck are made; what was kept of others is not taken."""


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
    search_iterations: int = MOST,
    search_gap: float = GAP,
    budgets: dict[str, float] | None = None,
    threads: int | None = None,
    folder: str | Path | None = None,
    on_progress: Progress | None = None,
) -> FhpSweep:
    """Both figures: SES over errors (by figure 4: without any), and for 4 responses beside it.

    ``iterations`` are those of blueprints: sampled over buckets with the full deck, few ones of
    the whole game with a smaller deck. Searches go on from those for the last error or alpha and
    end by their gap; with ``search_gap`` 0 each begins with nothing and has all its iterations.
    ``folder`` keeps what is found, and the next call goes on from there.
    """
    whole("runs", runs, least=1, most=1000)
    whole("seed", seed, least=0)
    if 0.0 not in alphas:
        raise ParameterError("the alphas must have 0 among them")
    errors = errors if errors is not None else ERRORS if figure == 3 else (0.0,)
    threads = threads or min(2, len(os.sched_getaffinity(0)))
    budgets = BUDGETS if budgets is None else budgets
    began = time.process_time()
    setting = {
        "game": game, "runs": runs, "iterations": iterations, "seed": seed, "shares": shares,
        "alphas": alphas, "search_iterations": search_iterations, "search_gap": search_gap,
        "opponents": OPPONENTS,
    }  # fmt: skip
    store = Store(folder, setting, errors)
    table = Table(game, iterations, seed, threads)
    store.claim(table.fingerprint)
    kinds = [(share, run) for share in shares for run in range(runs)]
    opponents = [table.opponent(share, run) for share, run in kinds]
    count = Count(on_progress)
    told, bases, models = [], [], []
    for (share, run), opponent in zip(kinds, opponents, strict=True):
        count.say("measuring opponents")
        strategy = written(table.tree, opponent)
        base = [earned_against(table.blueprint, seat, strategy, table.walk) for seat in (0, 1)]
        best = [best_against(strategy, seat, table.walk) for seat in (0, 1)]
        bases.append(base)
        told.append(
            FhpOpponent(share, run, table.distance(opponent), table.mbb(base), table.mbb(best))
        )
        if figure == 4:
            models.append(strategy)
    sides = [
        Side(table, seat, opponents, alphas, store.errors, search_iterations, search_gap)
        for seat in (0, 1)
    ]
    count.expect(sum(side.expected for side in sides))
    rnr = None
    if figure == 4:
        scaled = {name: table.part * seconds for name, seconds in budgets.items()}
        rnr = Responses(table, kinds, opponents, models, scaled, store, count)
        count.expect(rnr.expected(alphas))
    for side in sides:
        side.go_on(store.searches(side.seat))
        side.run(threads, count, store.saver(side.seat, side.kept))
    responses = rnr.all(alphas) if rnr else []
    count.say("measuring what was found")
    points = []
    for (o, (share, run)), error, alpha in product(enumerate(kinds), errors, alphas):
        found = [side.point(o, store.errors.index(error), alpha) for side in sides]
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
        figure, table.name, table.kind, table.iterations, search_iterations,
        search_gap, seed,
        flops=len(table.boards),
        all_flops=len(table.tree.boards) - 1,
        exploitability=table.mbb([side.reply(None) for side in sides]),
        in_buckets=_both(table, [side.reply_in_buckets(None) for side in sides]),
        random_distance=table.distance(Whole(PublicStrategy.uniform(table.tree))),
        opponents=tuple(told),
        points=tuple(points),
        responses=tuple(responses),
        fresh=_spent(sides, 0),
        later=_spent(sides, 1),
        cpu_seconds=time.process_time() - began,
    )  # fmt: skip


def _both(table: Table, chips: list[float | None]) -> float | None:
    known = [amount for amount in chips if amount is not None]
    return table.mbb(known) if len(known) == len(chips) else None


def _spent(sides: Sequence[Side], kind: int) -> Spent:
    count, seconds = sum(side.spent[kind] for side in sides)
    return Spent(int(count), float(seconds))
