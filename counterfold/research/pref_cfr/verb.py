"""``counterfold repro pref-cfr``: figures 3 and 4, and the table for Leduc poker."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from counterfold.cli.options import Json, Quiet
from counterfold.cli.output import advise, say
from counterfold.research.columns import Columns, print_table
from counterfold.research.reproduction import (
    Iterations,
    Job,
    Plot,
    Runs,
    Seed,
    given,
    pick,
    reproduce,
    tell_time,
)

if TYPE_CHECKING:
    from counterfold.research.pref_cfr.kuhn import Figure
    from counterfold.research.pref_cfr.leduc import LeducRow, LeducTable

__all__ = ["KEYS", "VERBS"]

KEYS = """\b
Keys of --json: paper, game, seed, cpu_seconds, plot, and figure or table. Of a figure
also runs, iterations and settings: setting, action, degree, best, alpha, alpha_sd,
nash_conv (the sum of both gains), expected_alpha, expected_nash_conv, off, alphas,
nash_convs, trace (iterations; mean, low, high of alpha and nash_conv). Of the table
also value and settings: setting, action, delta, beta, best, traversal, iterations,
runs, opening_bet, raises, exploitability, cost, excess, bound, within.
"""


def pref_cfr(
    figure: Annotated[
        str | None,
        typer.Option(metavar="N", help="3 (CFR's one equilibrium) or 4 (six styles)."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="leduc (preferences and their cost)."),
    ] = None,
    runs: Runs = None,
    iterations: Iterations = None,
    seed: Seed = 0,
    plot: Plot = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Preference-CFR: which equilibrium is found, and what a style costs.

    30 runs of 10,000 iterations; of leduc 3, and 200 times the iterations where sampled.
    """
    part = pick("pref-cfr", figure=(figure, ("3", "4")), table=(table, ("leduc",)))
    from counterfold.research.pref_cfr import kuhn, leduc, pictures

    options = given(runs=runs, iterations=iterations, seed=seed)
    if part == "table leduc":
        job = Job(partial(leduc.leduc_table, **options), _print_leduc, pictures.draw_leduc)
    else:
        make = kuhn.figure_3 if part == "figure 3" else kuhn.figure_4
        job = Job(partial(make, **options), _print_figure, pictures.draw_figure)
    reproduce(job, plot, json, quiet)


VERBS = {"pref-cfr": pref_cfr}


def _print_figure(result: Figure) -> None:
    first = result.runs[0]
    advise(
        f"Pref-CFR, figure {result.number}: Kuhn poker, {len(first.alphas)} random starts of "
        f"{first.iterations[-1]:,} iterations each, simultaneous updates, uniform average. "
        "Alpha is how often player 1 opens with a bet when holding J; equilibria have 0 to 1/3."
    )
    say()
    columns: Columns = {
        "setting": "{0.setting.name}",
        "alpha": "{0.alpha:.3f}",
        "sd": "{0.spread:.3f}",
        "expected": "{0.setting.alpha:.3f}",
        "off by": lambda runs: f"{runs.alpha - runs.setting.alpha:+.3f}",
        "NashConv": "{0.nash_conv:.1e}",
        "expected NashConv": "{0.setting.nash_conv:.1e}",
    }
    print_table(result.runs, columns)
    if len(result.runs) == 1:
        low, high = first.alphas[:, -1].min(), first.alphas[:, -1].max()
        say()
        say(f"Alpha is from {low:.3f} to {high:.3f} in all runs.")
    say()
    tell_time(
        result,
        "Expected figures are a separate implementation's, over 30 runs of 10,000 iterations. "
        "NashConv is the sum of both players' gains.",
    )


def _print_leduc(result: LeducTable) -> None:
    def within(row: LeducRow) -> str:
        return "" if row.within is None else "yes" if row.within else "no"

    advise(
        "Pref-CFR(BR), Leduc poker: preferences (delta) and what may be given up (beta) at player "
        "1's three openings; plain CFR and BR without a preference (normal) beside them."
    )
    for traversal in dict.fromkeys(row.traversal for row in result.rows):
        own = [row for row in result.rows if row.traversal == traversal]
        say()
        times = f", mean of {own[0].runs} runs" if own[0].runs > 1 else ""
        say(f"{traversal}, {own[0].iterations:,} iterations{times}")
        columns: Columns = {
            "setting": "{0.setting.name}",
            "delta": "{0.setting.degree:g}",
            "beta": "{0.beta:g}",
            "opening bet": "{0.opening_bet:.3f}",
            "raise": "{0.raises:.3f}",
            "exploitability": "{0.exploitability:.4f}",
            "excess": lambda row: f"{row.excess:.4f}" if row.beta else "",
            "bound": lambda row: f"{row.bound:.4f}" if row.beta else "",
            "within": within,
        }
        print_table(own, columns)
    say()
    tell_time(
        result,
        "Excess is the exploitability beyond that of the same preference with beta 0. Its bound is "
        "3/2 beta: a regret of up to beta stays at each of 3 infosets of player 1, and "
        "exploitability is the mean of 2 players' gains. It is proven for matching (RM) in the "
        "limit, and here measured for best (BR).",
    )
