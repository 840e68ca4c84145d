"""A result as a person reads it: what was solved, how well, and what it cost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from counterfold.cli.output import amount, duration, on_terminal, paint, say, tiny
from counterfold.errors import visible

if TYPE_CHECKING:
    from counterfold.solve.result import Result
    from counterfold.solve.until import Until

__all__ = ["Lines", "certificate", "exactly", "pace", "print_panel", "why_stopped"]

Lines = list[tuple[str, str]]


def certificate(
    result: Result,
    until: Until | None = None,
    saved: str | None = None,
    known: tuple[str, float] | None = None,
) -> Lines:
    """The lines of a certificate; ``known`` is a published value to compare with."""
    lines: Lines = [("game", result.game), ("method", _method(result))]
    if result.method != "lp":
        speed = pace(result)
        lines.append(
            (
                "iterations",
                f"{result.iterations:,}" + (f" ({speed:,.0f} a second)" if speed else ""),
            )
        )
    lines.append(("value", _value(result)))
    if known:
        text, number = known
        lines.append(("known value", f"{text}; off by {tiny(abs(result.value - number))}"))
    lines.append(("exploitability", f"{tiny(result.exploitability)} ({exactly(result)})"))
    lines.append(("NashConv", _by_player(result.nash_conv, tiny)))
    if result.cce_gap is not None:
        lines.append(("CCE gap", f"{tiny(result.cce_gap)} (of the play so far)"))
    lines.append(("promise", result.promise))
    lines.append(("tree", f"{result.histories:,} histories, {result.infosets:,} infosets"))
    lines.append(
        (
            "time",
            f"{duration(result.cpu_seconds)} CPU, {duration(result.seconds)} wall; "
            f"before that {duration(result.compile_seconds)} to read the rules and load kernels",
        )
    )
    lines.append(("stopped", why_stopped(result, until)))
    if saved:
        lines.append(("saved", saved))
    return lines


def print_panel(title: str, lines: Lines) -> None:
    """Lines in a frame on a terminal, bare in a pipe."""
    if not on_terminal(sys.stdout):
        say(title)
        width = max(len(name) for name, _ in lines)
        for name, text in lines:
            say(f"  {name.ljust(width)}  {text}")
        return
    from rich import box
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in lines:
        grid.add_row(name, Text(visible(text), style="bold" if name in STRONG else ""))
    head = Text(visible(title), style="bold")
    paint(Panel(grid, title=head, title_align="left", box=box.ROUNDED, expand=False))


STRONG = ("value", "exploitability")


def _method(result: Result) -> str:
    about = result.strategy.about
    if result.method == "lp":
        return "lp (sequence-form linear program, HiGHS)"
    text = f"{result.method}, "
    if result.traversal == "full":
        text += "full traversal"
    else:
        text += f"{result.traversal} sampling, seed {about.get('seed', 0)}"
    return text + (", last iterate" if about.get("iterate") == "last" else ", average strategy")


def pace(result: Result) -> float | None:
    """Iterations a second between the first and the last check."""
    if not result.trace:
        return None
    first, last = result.trace[0], result.trace[-1]
    if last.iteration > first.iteration and last.seconds > first.seconds:
        return (last.iteration - first.iteration) / (last.seconds - first.seconds)
    return None


def _value(result: Result) -> str:
    scale = result.strategy.tree.largest_payoff
    if len(result.values) == 2 and abs(sum(result.values)) <= 1e-9 * scale:
        return f"{amount(result.value)} to player 1"
    return _by_player(result.values, amount)


def _by_player(numbers: tuple[float, ...], written: object) -> str:
    assert callable(written)
    return ", ".join(f"player {i + 1} {written(number)}" for i, number in enumerate(numbers))


def exactly(result: Result) -> str:
    """What kind of certificate it is, and of which iteration if that is not the last."""
    if result.certified_at == result.iterations:
        return "exact"
    return f"exact, at iteration {result.certified_at:,}"


def why_stopped(
    result: Result, until: Until | None, told: Callable[[float], str] = "{:g}".format
) -> str:
    """Which limit ended a run, in words, and whether it came before the exploitability asked for.

    ``told`` writes an exploitability.
    """
    target = None if until is None else until.target
    if target is not None and result.exploitability > target:
        return f"{_limit(result, until)}, before the exploitability asked for ({told(target)})"
    if target is not None and result.stopped == "exploitability":
        return f"at the exploitability asked for ({told(target)})"
    return _limit(result, until)


def _limit(result: Result, until: Until | None) -> str:
    limits = {
        "iterations": until and until.iterations and f"of {until.iterations:,}",
        "seconds": until and until.seconds and f"of {until.seconds:g} s",
    }
    limit = limits.get(result.stopped)
    return {
        "exploitability": "at the exploitability asked for",
        "iterations": f"at the limit {limit + ' ' if limit else ''}iterations",
        "seconds": f"at the time limit {limit or ''}".rstrip(),
        "interrupted": "by Ctrl-C",
        "optimum": "at the optimum",
        "precision": "where its numbers are too coarse to get any better",
    }.get(result.stopped, result.stopped)
