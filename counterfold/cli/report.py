"""``counterfold report``: a spot on many flops, as a table and as CSV."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict

from counterfold.cli.output import (
    StoppedError,
    advise,
    duration,
    in_units,
    make_folder,
    memory_of,
    print_columns,
    print_json,
    say,
    tell,
)
from counterfold.cli.progress import Watch
from counterfold.cli.request import check_files
from counterfold.cli.verbs.solving import ReportRequest
from counterfold.errors import ParameterError
from counterfold.files.text import csv_text, read_text
from counterfold.files.whole import write_whole
from counterfold.pieces.cluster import reached
from counterfold.pieces.store import store_at
from counterfold.poker.cards import board_name
from counterfold.poker.grid_colours import chips
from counterfold.poker.spot import read_spot
from counterfold.poker.units import Units
from counterfold.solvers.flop_report import Flop, FlopReport, FlopRow, mean_row
from counterfold.solvers.methods import method
from counterfold.solvers.result import table_size
from counterfold.solvers.settings import check_threads
from counterfold.solvers.until import Report


class FlopWatch(Watch):
    """Tells which flop is being solved, and how long all of them will take."""

    def __init__(self, report: FlopReport, quiet: bool = False) -> None:
        super().__init__(quiet)
        self.flops = report
        self.before = len(report.rows)
        self.began = self._since = time.monotonic()  # of all flops, and of the one at hand
        self._flop: Flop | None = None
        self._far = ""

    def flop(self, flop: Flop, report: Report) -> None:
        """The solver has come so far on a flop."""
        total, done = len(self.flops.games), len(self.flops.rows)
        if flop != self._flop:
            self._flop, self._far, self._since = flop, "", time.monotonic()
        if report.exploitability is not None and self.flops.spot.pot:
            share = in_units(Units(self.flops.spot.pot), report.exploitability)
            self._far = f", exploitability {share}"
        note = f"{done + 1} of {total}, iteration {report.iteration:,}{self._far}"
        if done > self.before:
            left = self.left(total - done, time.monotonic())
            note += f", {duration(max(1.0, left))} left"
        self._face.show(board_name(flop.cards), note, done / total)

    def handed_out(self) -> None:
        """Others solve the flops; so many of them have come back."""
        total, done = len(self.flops.games), len(self.flops.rows)
        note, now = f"{done} of {total} flops", time.monotonic()
        if done > self.before:
            left = (now - self.began) / (done - self.before) * (total - done)
            note += f", {duration(max(1.0, left))} left"
        self._face.show("on the cluster", note, done / total)

    def left(self, flops: int, now: float) -> float:
        """Seconds for so many flops, the one at hand among them, if all take as long as before."""
        each = (self._since - self.began) / (len(self.flops.rows) - self.before)
        return each * (flops - 1) + max(0.1 * each, each - (now - self._since))


def run(request: ReportRequest) -> None:
    """Solve the spot on every flop, and print what came out."""
    _check(request)
    report = _made(request)
    if not request.quiet:
        _announce(report, request)
    stopped = False
    watch = FlopWatch(report, request.quiet)
    with watch:
        try:
            watch.doing("building trees and loading kernels (compiled when first used)")
            with reached(request.cluster, watch.doing) as executor:
                if executor:
                    watch.handed_out()
                for _ in report.run(watch.flop, executor):
                    watch.check()
                    if executor:
                        watch.handed_out()
        except KeyboardInterrupt:
            stopped = True
    _tell(report, request, stopped)
    if stopped:
        raise StoppedError(_farewell(report, request))


def _check(request: ReportRequest) -> None:
    check_files(request)
    if request.keep and not (request.folder or request.library):
        raise ParameterError("--keep needs a place for the solutions: name it with --folder")
    check_threads(request.threads, "--threads")
    if request.method is not None:
        method(request.method)
    make_folder(request.folder)


def _made(request: ReportRequest) -> FlopReport:
    flops = request.flops
    if os.path.isfile(flops):
        flops = read_text(flops, "a list of flops")
    given = read_spot(request.spot)
    if isinstance(given, dict) and given.get("locks"):
        raise ParameterError(
            f'{request.spot} has "locks", which a report does not hold; leave them out, or solve '
            "flop by flop"
        )
    memory = None if request.memory is None else memory_of(request.memory)
    stem = os.path.splitext(os.path.basename(request.spot))[0]
    return FlopReport(
        given, flops, accuracy=request.exploitability, method=request.method,
        bits=request.bits or 32, threads=request.threads, memory=memory,
        folder=request.folder, keep=request.keep, name=stem,
        library=store_at(request.library) if request.library else None, where=request.spot,
    )  # fmt: skip


def _announce(report: FlopReport, request: ReportRequest) -> None:
    """How large it will be, before it is built."""
    first = next(iter(report.games.values()))
    size = table_size(first, request.method, {"bits": request.bits or 32})
    count = f"{len(report.games):,} flop" + ("s" if len(report.games) > 1 else "")
    done = f"; {len(report.rows):,} of them are done already" if report.rows else ""
    tell(
        f"{report.spot.name} on {count}, of about {size.nodes:,} nodes and "
        f"{size.bytes / 2**20:,.0f} MB each{done}"
    )
    if report.impossible:
        names = ", ".join(board_name(flop.cards) for flop in report.impossible[:3])
        more = ", ..." if len(report.impossible) > 3 else ""
        tell(f"left out, since no two hands can be held there: {names}{more}")


def _tell(report: FlopReport, request: ReportRequest, stopped: bool) -> None:
    rows = report.done()
    mean = mean_row(rows) if rows else None
    if request.csv and rows:
        text = _csv(rows, report.spot.players)
        if request.csv == "-":
            sys.stdout.write(text)
        else:
            write_whole(request.csv, text.encode())
            if not request.quiet:
                tell(f"{len(rows):,} flops are in {request.csv}")
    if request.json:
        print_json(
            {
                "spot": report.spot.name,
                "accuracy": report.accuracy,
                "pot": report.spot.pot,
                "players": list(report.spot.players),
                "flops": [asdict(row) for row in rows],
                "mean": None if mean is None else asdict(mean),
                "asked": len(report.games),
                "stopped": "interrupted" if stopped else "done",
                "folder": request.folder,
                "csv": request.csv,
            }
        )
    elif rows and request.csv != "-":
        assert mean is not None
        _print(report, rows, mean)


def _farewell(report: FlopReport, request: ReportRequest) -> str:
    done = f"stopped after {len(report.rows):,} of {len(report.games):,} flops"
    where = request.folder or request.library
    if where is None:
        return f"{done}; with --folder they would be kept, to go on from"
    words = ["counterfold", "report", request.spot, "--flops", request.flops]
    words += ["--accuracy", str(request.exploitability)]
    for option in ("folder", "library", "method", "bits", "csv", "cluster"):
        value = getattr(request, option)
        words += [] if value is None else [f"--{option}", str(value)]
    words += ["--keep"] * request.keep
    return f"{done}; all is kept in {where}: go on with `{shlex.join(words)}`"


def _head(rows: Sequence[FlopRow], players: Sequence[str]) -> list[str]:
    return ["flop", "flops", f"EV {players[0]}", "of pot", "equity", *rows[0].frequencies]


def _cells(row: FlopRow, players: Sequence[str], pot: float) -> list[str]:
    ev = row.ev[players[0]]
    return [
        row.flop,
        f"{row.weight:,.4g}" if row.weight < 10_000 else f"{row.weight:,.0f}",
        chips(ev),
        f"{100 * ev / pot:.1f}%",
        f"{100 * row.equity[players[0]]:.1f}%",
        *(f"{100 * share:.1f}%" for share in row.frequencies.values()),
    ]


def _print(report: FlopReport, rows: Sequence[FlopRow], mean: FlopRow) -> None:
    spot = report.spot
    pot = spot.pot or 1.0
    table = [_cells(row, spot.players, pot) for row in (*rows, mean)]
    head = _head(rows, spot.players)
    print_columns([head, *table])
    say()
    who = spot.players[int(spot.betting.player[0])]
    advise(
        f"EV in chips of a pot of {chips(pot)}, and how often {who} takes each first action; the "
        f"mean weighs flops by how often they come with hands that can be held. Every flop is "
        f"solved to {max(row.percent_of_pot for row in rows):.2g}% of the pot or better."
    )


def _csv(rows: Sequence[FlopRow], players: Sequence[str]) -> str:
    """All numbers of all flops; the mean is left to whoever reads it, with weight x mass."""
    actions = list(rows[0].frequencies)
    after = list(dict.fromkeys((a, b) for row in rows for a in row.after for b in row.after[a]))
    head = ["flop", "texture", "weight", "mass", *(f"ev {who}" for who in players)]
    head += [f"equity {who}" for who in players]
    head += [*actions, *(f"{a}, {b}" for a, b in after)]
    table = [[*head, "percent_of_pot", "iterations", "seconds"]]
    for row in rows:
        known = [row.after.get(a, {}).get(b) for a, b in after]
        numbers = [row.ev[who] for who in players] + [row.equity[who] for who in players]
        numbers += [row.frequencies[a] for a in actions]
        table.append(
            [row.flop, row.texture, f"{row.weight:g}", f"{row.mass:.6g}"]
            + [f"{x:.6g}" for x in numbers]
            + ["" if x is None else f"{x:.6g}" for x in known]
            + [f"{row.percent_of_pot:.4g}", str(row.iterations), f"{row.seconds:.3g}"]
        )
    return csv_text(table)
