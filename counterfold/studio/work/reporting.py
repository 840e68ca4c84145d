"""A job that solves a spot on many flops."""

from __future__ import annotations

from counterfold.files.text import Json
from counterfold.poker.cards import board_name
from counterfold.solvers.flop_report import Flop, FlopReport
from counterfold.solvers.until import Report
from counterfold.studio.worker import Desk


def report_job(desk: Desk) -> Json:
    """Flop by flop; what is done is kept, and the job goes on with what is missing."""
    request, folder = desk.request, desk.root / "flops"
    folder.mkdir(exist_ok=True)
    made = FlopReport(
        request["spot"], request["flops"], accuracy=request["exploitability"], folder=folder
    )
    total = len(made.games)

    def follow(flop: Flop, report: Report) -> None:
        done = len(made.rows)
        desk.tell(doing=f"{board_name(flop.cards)}, {done + 1} of {total}", done=done, total=total)

    for _ in made.run(follow):
        desk.tell(at_once=True, done=len(made.rows), total=total)
    return {"flops": total}
