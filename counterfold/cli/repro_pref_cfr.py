"""Preference-CFR's figures and table, as ``counterfold repro`` shows them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from counterfold.cli.output import advise, duration, say
from counterfold.cli.repro import ITERATIONS, Job, Wish, print_columns
from counterfold.errors import ParameterError

__all__ = ["job"]

FIGURES = ("3", "4")
TABLES = ("leduc",)


def job(wish: Wish) -> Job:
    """The figure or the table that is wished for."""
    wish.refuse_other("pref-cfr", "figure", "table", "runs", "iterations")
    if (wish.figure is None) == (wish.table is None):
        raise ParameterError(f"say which: --figure {' or '.join(FIGURES)}, or --table leduc")
    for option, name, known in (("figure", wish.figure, FIGURES), ("table", wish.table, TABLES)):
        if name is not None and name not in known:
            raise ParameterError(f"pref-cfr has no {option} {name!r}; it has {', '.join(known)}")
    from counterfold.experiments import pref_cfr

    iterations = ITERATIONS if wish.iterations is None else wish.iterations
    given = {"iterations": iterations, "seed": wish.seed}
    given |= {} if wish.runs is None else {"runs": wish.runs}
    makers: dict[str, tuple[Callable[..., Any], Callable[[Any], Any], Callable[[Any], None]]] = {
        "3": (pref_cfr.figure_3, pref_cfr.draw_figure, _print_figure),
        "4": (pref_cfr.figure_4, pref_cfr.draw_figure, _print_figure),
        "leduc": (pref_cfr.leduc_table, pref_cfr.draw_leduc, _print_leduc),
    }
    make, draw, show = makers[wish.figure or str(wish.table)]
    return Job(partial(make, **given), draw, show)


def _print_figure(found: Any) -> None:
    first = found.runs[0]
    advise(
        f"Pref-CFR, figure {found.number}: Kuhn poker, {len(first.alphas)} random starts of "
        f"{first.iterations[-1]:,} iterations each, simultaneous updates, uniform average. "
        "Alpha is how often player 1 opens with a bet when holding J; equilibria have 0 to 1/3."
    )
    say()
    rows = [["setting", "alpha", "sd", "expected", "off by", "NashConv", "expected"]]
    for runs in found.runs:
        wanted = runs.setting
        rows.append(
            [
                wanted.name,
                f"{runs.alpha:.3f}",
                f"{runs.spread:.3f}",
                f"{wanted.alpha:.3f}",
                f"{runs.alpha - wanted.alpha:+.3f}",
                f"{runs.nash_conv:.1e}",
                f"{wanted.nash_conv:.1e}",
            ]
        )
    print_columns(rows)
    if len(found.runs) == 1:
        low, high = first.alphas[:, -1].min(), first.alphas[:, -1].max()
        say()
        say(f"Alpha is from {low:.3f} to {high:.3f} in all runs.")
    say()
    advise(
        "Expected figures are a separate implementation's, over 30 runs of 10,000 iterations. "
        f"NashConv is the sum of both players' gains. CPU time {duration(found.cpu_seconds)}."
    )


def _print_leduc(found: Any) -> None:
    advise(
        "Pref-CFR(BR), Leduc poker: preferences (delta) and what may be given up (beta) at player "
        "1's three openings; plain CFR and BR without a preference (normal) beside them."
    )
    for traversal in dict.fromkeys(row.traversal for row in found.rows):
        own = [row for row in found.rows if row.traversal == traversal]
        say()
        times = f", mean of {own[0].runs} runs" if own[0].runs > 1 else ""
        say(f"{traversal}, {own[0].iterations:,} iterations{times}")
        rows = [
            ["setting", "delta", "beta", "opening bet", "raise", "exploitability", "excess",
             "bound", "within"]
        ]  # fmt: skip
        for row in own:
            rows.append(
                [
                    row.setting.name,
                    f"{row.setting.degree:g}",
                    f"{row.beta:g}",
                    f"{row.opening_bet:.3f}",
                    f"{row.raises:.3f}",
                    f"{row.exploitability:.4f}",
                    f"{row.excess:.4f}" if row.beta else "",
                    f"{row.bound:.4f}" if row.beta else "",
                    "" if row.within is None else "yes" if row.within else "no",
                ]
            )
        print_columns(rows)
    say()
    advise(
        "Excess is the exploitability beyond that of the same preference with beta 0. Its bound is "
        "3/2 beta: a regret of up to beta stays at each of 3 infosets of player 1, and "
        "exploitability is the mean of 2 players' gains. It is proven for matching (RM) in the "
        f"limit, and here measured for best (BR). CPU time {duration(found.cpu_seconds)}."
    )
