"""``counterfold repro fhp``: Flop Hold'em solved without abstraction, and its checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from counterfold.cli.options import number, option
from counterfold.cli.output import duration, size
from counterfold.errors import FileError, ParameterError
from counterfold.research.columns import Columns, Part, Table
from counterfold.research.progress import Progress, no_progress
from counterfold.research.reproduction import Folder, Job, Seeded, verb_of

if TYPE_CHECKING:
    from counterfold.research.fhp.checks import FhpChecks
    from counterfold.research.fhp.exact import FhpPoint, FhpRun
    from counterfold.research.fhp.price import FhpPrices

SHOWN = (1, 5, 10, 20, 30, 50, 100, 150, 200, 300, 500, 1000)
"""Iterations that the table shows, beside the last ones."""
KEYS = """\b
Keys of --json: paper, game, cap, cards, flops, hands, method, iterations, resumed,
exploitability, total, value (mbb/h), seconds, cpu_seconds, memory_bytes, table_bytes,
curve, linear, preflop, plot. Of check: hands, holds, samples. Of buckets: iterations,
method, seed, rows (kind, buckets, infoset_actions, exploitability, building_cpu_seconds,
sampling_cpu_seconds).
"""


@dataclass(frozen=True)
class FhpRequest(Seeded):
    """Flop Hold'em solved exactly, beside what the literature reached on it."""

    experiment: str | None = option("NAME", "check: against played hands; buckets: their price.")
    game: str | None = option("GAME", "A smaller one: 'fhp(deck=TJQKA)'.")
    iterations: int | None = number("N", "Iterations. [to 1 mbb/h]")
    minutes: float | None = option("M", "Or so much time.")
    hands: int | None = number("N", "check: hands played.")
    buckets: str | None = option("N,N,...", "buckets: how many. [50,200,1000]")
    folder: Folder = None


def _jobs(request: FhpRequest) -> dict[str, Job]:
    from counterfold.research.fhp import checks, pictures, price
    from counterfold.research.fhp.exact import fhp_game

    fhp_game(request.game)
    if request.iterations is not None and request.minutes is not None:
        raise ParameterError("give --iterations or --minutes, not both")
    folder = request.folder
    if request.experiment == "check" and folder is not None and not Path(folder).is_dir():
        raise FileError(f"--folder {folder}: there is no such folder; solve into it first")
    return {
        "": Job(_solve, _show_run, pictures.draw_fhp),
        "experiment check": Job(checks.fhp_checks, _show_checks, None, "checking", "check"),
        "experiment buckets": Job(price.fhp_prices, _show_prices, None, "measuring", "buckets"),
    }


VERBS = verb_of("fhp", FhpRequest, _jobs)


def _solve(
    game: str | None = None,
    iterations: int | None = None,
    minutes: float | None = None,
    folder: str | None = None,
    on_progress: Progress = no_progress,
) -> FhpRun:
    from counterfold.research.fhp.exact import fhp_exact

    result = fhp_exact(
        game, iterations=iterations, minutes=minutes, folder=folder, on_progress=on_progress
    )
    if folder is not None:
        _write(result, Path(folder))
    return result


def _write(result: FhpRun, folder: Path) -> None:
    """Numbers and pictures into a folder, beside the strategy."""
    import json

    from counterfold.errors import MissingExtraError
    from counterfold.files.whole import write_whole
    from counterfold.plot import check_plot, save
    from counterfold.research.fhp.pictures import draw_fhp

    write_whole(folder / "fhp.json", json.dumps(result.to_dict(), indent=1).encode())
    write_whole(folder / "curve.csv", result.curve_csv().encode())
    write_whole(folder / "preflop.csv", result.preflop_csv().encode())
    try:
        check_plot(folder / "curve.png")
    except MissingExtraError:
        return
    from counterfold.cli.grid_png import draw_grid

    save(draw_fhp(result), folder / "curve.png")
    draw_grid(result.views[0], folder / "preflop.png")


def _show_run(result: FhpRun) -> Iterator[Part]:
    from counterfold.research.fhp.exact import DEEP_CFR, PUBLISHED

    yield (
        f"Flop Hold'em without abstraction: {result.cards} cards, at most {result.cap} bets a "
        f"round, {result.flops:,} flops up to the names of suits, {result.hands:,} hands on each. "
        "Exact exploitability in thousandths of a big blind a hand (mbb/h): mean is that of a "
        "player, total the sum of both, which papers on this game quote."
    )
    linear = {point.iteration: f"{point.total:.2f}" for point in result.linear}

    def published(point: FhpPoint) -> str:
        known = result.whole and point.iteration in PUBLISHED
        return f"{PUBLISHED[point.iteration]:g}" if known else ""

    columns: Columns = {
        "iteration": "{0.iteration:,}",
        "mean": "{0.exploitability:.2f}",
        "total": "{0.total:.2f}",
        "linear CFR, total": lambda point: linear.get(point.iteration, ""),
        "published": published,
        "value of sb": "{0.value:+.2f}",
        "wall": lambda point: duration(point.seconds),
        "CPU": lambda point: duration(point.cpu_seconds),
    }
    yield Table([p for p in result.curve if p.iteration in SHOWN or p is result.last], columns)
    actions = list(dict.fromkeys(action for view in result.views for action in view.actions))
    rows = []
    for view in result.views:
        shares = view.totals.frequencies
        cells = [f"{100 * shares[a]:.1f}%" if a in shares else "" for a in actions]
        line = " ".join(view.line) or "(first)"
        rows.append([line, view.player, f"{view.totals.combos:,.1f}", *cells])
    title = "Before the flop, how often of the hands that get there:"
    yield Table(rows, ["after", "player", "hands", *actions], title)
    last = result.last
    compared = (
        f" Deep CFR was published with {DEEP_CFR:g}, linear CFR without abstraction with "
        f"{PUBLISHED[50]:g} after 50 iterations (totals)."
        if result.whole
        else ""
    )
    yield (
        f"{result.method}: {last.exploitability:.3g} mbb/h (total {last.total:.3g}) after "
        f"{last.iteration:,} iterations, {duration(last.seconds)}, CPU time "
        f"{duration(last.cpu_seconds)}, checks not counted; {size(result.table_bytes)} of tables, "
        f"{size(result.memory_bytes)} of memory at most.{compared}"
    )


def _show_checks(result: FhpChecks) -> Iterator[Part]:
    yield (
        f"Exact numbers beside the means of {result.hands:,} hands that were dealt and played, "
        "in mbb/h. Off: how many standard errors lie between."
    )
    samples: Columns = {
        "strategy": "{0.game}", "what": "{0.what}", "exact": "{0.exact:+.2f}",
        "played": "{0.sampled:+.2f}", "error": "{0.error:.2f}", "off": "{0.off:+.1f}",
    }  # fmt: skip
    yield Table(result.samples, samples)
    yield "Everything agrees." if result.holds else "NOT everything agrees."


def _show_prices(result: FhpPrices) -> Iterator[Part]:
    yield (
        f"What buckets cost: blueprints of {result.iterations:,} iterations of external-sampled "
        f"{result.method} CFR, measured by best responses that see every hand (mbb/h, exact)."
    )
    rows: Columns = {
        "kind": "{0.kind}", "buckets": "{0.buckets:,}", "infoset-actions": "{0.infoset_actions:,}",
        "mbb/h": "{0.exploitability:.1f}",
        "making them": lambda row: duration(row.building_cpu_seconds),
        "sampling": lambda row: duration(row.sampling_cpu_seconds),
    }  # fmt: skip
    yield Table(result.rows, rows, "Times are of the processor.")
