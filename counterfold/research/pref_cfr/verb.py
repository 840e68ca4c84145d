"""``counterfold repro pref-cfr``: figures 3 to 6, tables 2 and 3, Leduc poker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from counterfold.cli.options import number, option
from counterfold.cli.request import InPieces
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.reproduction import Job, Swept, verb_of

if TYPE_CHECKING:
    from counterfold.research.pref_cfr.holdem import HoldemTable, StyleRow
    from counterfold.research.pref_cfr.kuhn import Figure
    from counterfold.research.pref_cfr.leduc import LeducRow, LeducTable

KEYS = """\b
Keys of --json: paper, game, seed, cpu_seconds, plot, and figure or table. Of a figure
also runs, iterations and settings: setting, action, degree, best, alpha, alpha_sd,
nash_conv (the sum of both gains), expected_alpha, expected_nash_conv, off, alphas,
nash_convs, trace (iterations; mean, low, high of alpha and nash_conv). Of the table
also value and settings: setting, action, delta, beta, best, traversal, iterations,
runs, opening_bet, raises, exploitability, cost, excess, bound, within. Of hold'em
rows (style, prefers, delta, beta, frequencies, published, exploitability, gains and half
by seat, value, iterations, cpu_seconds), names, wins and half (the matrix and half of its
intervals, in mbb/h) and settings.
"""


@dataclass(frozen=True)
class PrefCfrRequest(Swept, InPieces):
    """Preference-CFR: which equilibrium is found, and what a style costs.

    30 runs of 10,000 iterations; of leduc 3, and 200 times the iterations where sampled.
    """

    figure: str | None = option(
        "N", "3 (CFR's one equilibrium), 4 (six styles), 5 or 6 (hold'em of two or three)."
    )
    table: str | None = option(
        "NAME", "2 or 3 (styles of hold'em and what they win) or leduc (their cost)."
    )
    minutes: float | None = option("M", "CPU minutes for the blueprint of hold'em.")
    boards: int | None = number("N", "Boards on which hold'em of two is played out to solve it.")
    drawn_boards: int | None = number("N", "Boards on which styles of hold'em play each other.")
    threads: int | None = number("N", "Threads that solve hold'em of three and let styles play.")
    cards: str | None = option("FILE", "Buckets of `counterfold buckets`, in place of new ones.")


def _jobs(request: PrefCfrRequest) -> dict[str, Job]:
    from counterfold.research.pref_cfr import holdem, kuhn, leduc, pictures, three

    two = Job(holdem.holdem_table, _show_holdem, pictures.draw_styles, unit="part")
    more = Job(three.three_table, _show_holdem, pictures.draw_styles, unit="part")
    return {
        **{
            f"figure {n}": Job(partial(kuhn.figure, n), _show_figure, pictures.draw_figure)
            for n in (3, 4)
        },
        "figure 5": two,
        "figure 6": more,
        "table 2": two,
        "table 3": more,
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
        "off by": lambda runs: "" if runs.off is None else f"{runs.off:+.3f}",
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
    from counterfold.research.pref_cfr.leduc import ITERATIONS

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
        f"limit, and here measured for best (BR), after {ITERATIONS:,} full iterations or more."
    )


def _show_holdem(result: HoldemTable) -> Iterator[Part]:
    yield (
        f"Preference-CFR in {result.game}: player 1's first decision in % of its hands, ours and "
        "the published; the game before the flop is cut at the flop, where each player chooses "
        f"among {', '.join(result.continuations)}."
    )
    told, exact = result.settings, "boards" in result.settings
    columns: dict[str, str | Callable[[StyleRow], str]] = {"style": "{0.style}"}
    for k, action in enumerate(result.rows[0].frequencies):
        columns[action] = partial(_frequency, action)
        columns[f"({k + 1})"] = partial(_published, k)
    if exact:
        columns |= {"exploitable": "{0.exploitability:.2f}", "wins": "{0.value:.1f}"}
        yield Table(result.rows, columns, "ours (published); mbb/h exactly in the cut game")
    else:
        columns["gains by seat"] = lambda row: ", ".join(
            f"{gain:.1f} ± {half:.1f}" for gain, half in zip(row.gains, row.half, strict=True)
        )
        title = "ours (published); mbb/h that responses learned from deals gain in the cut game"
        yield Table(result.rows, columns, title)
    matrix = [
        [name, *(f"{won:+.2f} ± {half:.2f}" for won, half in zip(wins, halves, strict=True))]
        for name, wins, halves in zip(result.names, result.wins, result.half, strict=True)
    ]
    title = "what rows win in one seat from columns in all others, mean of all seats, mbb/h"
    yield Table(matrix, ["", *result.names], title)
    solved = (
        f"{told['boards']} boards played out behind {told['edges']} lines to solve"
        if exact
        else f"{result.rows[0].iterations:,} samples to solve and {told['deals']:,} deals a seat "
        f"for gains, {told['edges']} lines see a flop"
    )
    played = f"{solved}, {told['drawn_boards']:,} boards with all holes in all seats for the matrix"
    yield (
        f"Preferred: {', '.join(f'{row.prefers} by {row.style}' for row in result.rows[1:])}, with "
        f"delta {result.rows[-1].delta:g} and beta {1000 * result.rows[-1].beta:g} mbb a hand. "
        f"Buckets by street: {told['buckets']}; {played}, {told['infosets']:,} infosets; "
        f"the blueprint took {told.get('blueprint_cpu_seconds', 0):.0f} CPU seconds, "
        f"solving {told['subgame_cpu_seconds']:.0f}, all {result.cpu_seconds:.0f}."
    )


def _frequency(action: str, row: StyleRow) -> str:
    return f"{100 * row.frequencies[action]:.1f}"


def _published(place: int, row: StyleRow) -> str:
    share = row.published[place]
    return "" if share is None else f"({100 * share:.1f})"
