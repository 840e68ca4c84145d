"""Flop Hold'em solved exactly, and its checks, as ``counterfold repro`` shows them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from counterfold.cli.output import advise, duration, make_folder, say, size
from counterfold.cli.repro import Job, Wish, print_columns
from counterfold.errors import FileError, ParameterError

__all__ = ["job"]

SHOWN = (1, 5, 10, 20, 30, 50, 100, 150, 200, 300, 500, 1000)
"""Iterations that the table shows, beside the last ones."""


def job(wish: Wish) -> Job:
    """The whole run, or the checks."""
    wish.refuse_other("fhp", "experiment", "game", "iterations", "minutes", "hands", "folder")
    if wish.experiment not in (None, "check"):
        raise ParameterError(f"fhp has no experiment {wish.experiment!r}; it has check")
    if wish.experiment == "check":
        return _checks(wish)
    wish.refuse_other("fhp without --experiment", "game", "iterations", "minutes", "folder")
    if wish.iterations is not None and wish.minutes is not None:
        raise ParameterError("give --iterations or --minutes, not both")
    if wish.minutes is not None and not 0 < wish.minutes < float("inf"):
        raise ParameterError(f"--minutes is {wish.minutes:g}, and must be above 0")
    from counterfold.experiments import fhp, fhp_pictures

    game = fhp.fhp_game(wish.game)
    make_folder(wish.folder)

    def make(on_progress: Any) -> Any:
        found = fhp.fhp_exact(
            game,
            iterations=wish.iterations,
            minutes=wish.minutes,
            folder=wish.folder,
            on_progress=lambda part, words: on_progress(int(1000 * part), 1000, words),
        )
        if wish.folder is not None:
            _write(found, Path(wish.folder))
        return found

    stopped = "stopped; nothing was saved"
    if wish.folder is not None:
        stopped = f"stopped; the same command goes on from what {wish.folder} keeps"
    return Job(make, fhp_pictures.draw_fhp, _print_run, stopped=stopped)


def _checks(wish: Wish) -> Job:
    from counterfold.experiments import fhp_checks

    wish.refuse_other("fhp --experiment check", "experiment", "iterations", "hands", "folder")
    if wish.folder is not None and not Path(wish.folder).is_dir():
        raise FileError(f"--folder {wish.folder}: there is no such folder; solve into it first")
    given: dict[str, Any] = {"seed": wish.seed, "folder": wish.folder}
    given |= {} if wish.hands is None else {"hands": wish.hands}
    given |= {} if wish.iterations is None else {"iterations": wish.iterations}
    return Job(
        lambda on_progress: fhp_checks.fhp_checks(**given, on_progress=on_progress),
        _no_picture, _print_checks, "checking", "check",
    )  # fmt: skip


def _no_picture(found: Any) -> Any:
    raise ParameterError("the checks have no picture: leave --plot out")


def _write(found: Any, folder: Path) -> None:
    """Numbers and pictures into a folder, beside the strategy."""
    from counterfold.errors import MissingExtraError
    from counterfold.experiments.fhp_pictures import draw_fhp
    from counterfold.files.whole import write_whole
    from counterfold.plot import check_plot, save

    write_whole(folder / "fhp.json", json.dumps(found.to_dict(), indent=1).encode())
    write_whole(folder / "curve.csv", found.curve_csv().encode())
    write_whole(folder / "preflop.csv", found.preflop_csv().encode())
    try:
        check_plot(folder / "curve.png")
    except MissingExtraError:
        return
    from counterfold.cli.grid_png import draw_grid

    save(draw_fhp(found), folder / "curve.png")
    draw_grid(found.views[0], folder / "preflop.png")


def _print_run(found: Any) -> None:
    from counterfold.experiments.fhp import DEEP_CFR, PUBLISHED

    advise(
        f"Flop Hold'em without abstraction: {found.cards} cards, at most {found.cap} bets a round, "
        f"{found.flops:,} flops up to the names of suits, {found.hands:,} hands on each. Exact "
        "exploitability in thousandths of a big blind a hand (mbb/h): mean is that of a player, "
        "total the sum of both, which papers on this game quote."
    )
    say()
    linear = {point.iteration: point for point in found.linear}
    rows = [
        ["iteration", "mean", "total", "linear CFR, total", "published", "value of sb", "wall",
         "CPU"]
    ]  # fmt: skip
    for point in found.points:
        if point.iteration not in SHOWN and point is not found.last:
            continue
        published = PUBLISHED.get(point.iteration) if found.whole else None
        other = linear.get(point.iteration)
        rows.append(
            [
                f"{point.iteration:,}",
                f"{point.exploitability:.2f}",
                f"{point.total:.2f}",
                "" if other is None else f"{other.total:.2f}",
                "" if published is None else f"{published:g}",
                f"{point.value:+.2f}",
                duration(point.seconds),
                duration(point.cpu_seconds),
            ]
        )
    filled = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])]
    print_columns([[row[k] for k in filled] for row in rows])
    say()
    say("Before the flop, how often of the hands that get there:")
    actions = list(dict.fromkeys(action for view in found.views for action in view.actions))
    rows = [["after", "player", "hands", *actions]]
    for view in found.views:
        shares = view.totals.frequencies
        cells = [f"{100 * shares[a]:.1f}%" if a in shares else "" for a in actions]
        rows.append(
            [" ".join(view.line) or "(first)", view.player, f"{view.totals.combos:,.1f}", *cells]
        )
    print_columns(rows)
    say()
    last = found.last
    compared = (
        f" Deep CFR was published with {DEEP_CFR:g}, linear CFR without abstraction with "
        f"{PUBLISHED[50]:g} after 50 iterations (totals)."
        if found.whole
        else ""
    )
    advise(
        f"{found.method}: {last.exploitability:.3g} mbb/h (total {last.total:.3g}) after "
        f"{last.iteration:,} iterations, {duration(last.seconds)}, CPU time "
        f"{duration(last.cpu_seconds)}, checks not counted; {size(found.tables)} of tables, "
        f"{size(found.memory)} of memory at most.{compared}"
    )


def _print_checks(found: Any) -> None:
    advise(
        f"Exact numbers beside the means of {found.hands:,} hands that were dealt and played, "
        "in mbb/h. Off: how many standard errors lie between."
    )
    say()
    rows = [["strategy", "what", "exact", "played", "error", "off"]]
    for check in found.samples:
        rows.append(
            [
                check.game,
                check.what,
                f"{check.exact:+.2f}",
                f"{check.sampled:+.2f}",
                f"{check.error:.2f}",
                f"{check.off:+.1f}",
            ]
        )
    print_columns(rows)
    say()
    advise(
        "The public tree beside the history form, from rules of its own: the largest differences "
        "of all values and best responses (chips), regrets (chips per deal) and probabilities."
    )
    say()
    rows = [["cards", "cap", "histories", "infosets", "value", "best", "regret", "average"]]
    for form in found.forms:
        rows.append(
            [
                form.deck,
                str(form.cap),
                f"{form.histories:,}",
                f"{form.infosets:,}",
                f"{form.value:.1e}",
                f"{form.best:.1e}",
                f"{form.regret:.1e}",
                f"{form.average:.1e}",
            ]
        )
    print_columns(rows)
    say()
    word = "Everything agrees" if found.holds else "NOT everything agrees"
    advise(f"{word}. CPU time {duration(found.cpu_seconds)}.")
