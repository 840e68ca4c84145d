"""``counterfold repro pref-cfr``: figures 3 and 4, and the table for Leduc poker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from counterfold.cli.options import option
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.reproduction import Drawn, Job, Seed, iterations, runs, verb_of

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


@dataclass(frozen=True)
class PrefCfrRequest(Drawn):
    """Preference-CFR: which equilibrium is found, and what a style costs.

    30 runs of 10,000 iterations; of leduc 3, and 200 times the iterations where sampled.
    """

    figure: str | None = option("N", "3 (CFR's one equilibrium) or 4 (six styles).")
    table: str | None = option("NAME", "leduc (preferences and their cost).")
    runs: int | None = runs()
    iterations: int | None = iterations()
    seed: Seed = 0


def _jobs(request: PrefCfrRequest) -> dict[str, Job]:
    from counterfold.research.pref_cfr import kuhn, leduc, pictures

    return {
        "figure 3": Job(kuhn.figure_3, _show_figure, pictures.draw_figure),
        "figure 4": Job(kuhn.figure_4, _show_figure, pictures.draw_figure),
        "table leduc": Job(leduc.leduc_table, _show_leduc, pictures.draw_leduc),
    }


VERBS = verb_of("pref-cfr", PrefCfrRequest, _jobs)


def _show_figure(result: Figure) -> Iterator[Part]:
    yield (
        f"Pref-CFR, figure {result.figure}: Kuhn poker, {result.runs} random starts of "
        f"{result.iterations:,} iterations each, simultaneous updates, uniform average. "
        "Alpha is how often player 1 opens with a bet when holding J; equilibria have 0 to 1/3."
    )
    columns: Columns = {
        "setting": "{0.setting.name}",
        "alpha": "{0.alpha:.3f}",
        "sd": "{0.spread:.3f}",
        "expected": "{0.setting.alpha:.3f}",
        "off by": lambda runs: f"{runs.alpha - runs.setting.alpha:+.3f}",
        "NashConv": "{0.nash_conv:.1e}",
        "expected NashConv": "{0.setting.nash_conv:.1e}",
    }
    yield Table(result.settings, columns)
    if len(result.settings) == 1:
        alphas = result.settings[0].alphas[:, -1]
        yield f"Alpha is from {alphas.min():.3f} to {alphas.max():.3f} in all runs."
    yield (
        "Expected figures are a separate implementation's, over 30 runs of 10,000 iterations. "
        "NashConv is the sum of both players' gains."
    )


def _show_leduc(result: LeducTable) -> Iterator[Part]:
    def within(row: LeducRow) -> str:
        return "" if row.within is None else "yes" if row.within else "no"

    yield (
        "Pref-CFR(BR), Leduc poker: preferences (delta) and what may be given up (beta) at player "
        "1's three openings; plain CFR and BR without a preference (normal) beside them."
    )
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
    for traversal in dict.fromkeys(row.traversal for row in result.settings):
        own = [row for row in result.settings if row.traversal == traversal]
        times = f", mean of {own[0].runs} runs" if own[0].runs > 1 else ""
        yield Table(own, columns, f"{traversal}, {own[0].iterations:,} iterations{times}")
    yield (
        "Excess is the exploitability beyond that of the same preference with beta 0. Its bound is "
        "3/2 beta: a regret of up to beta stays at each of 3 infosets of player 1, and "
        "exploitability is the mean of 2 players' gains. It is proven for matching (RM) in the "
        "limit, and here measured for best (BR)."
    )
