"""What a job will take, told before it begins: from its size and from jobs done before."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from counterfold.files.text import Json

__all__ = ["expected_seconds"]

SECONDS = 2e-8
"""Of one infoset in one iteration on a usual machine; jobs of the folder replace it."""
ITERATIONS, ACCURACY = 120.0, 0.3
"""Iterations to an exploitability in percent of the pot, which falls as their power 1.5."""
OVERHEAD = 1.0
"""Seconds in which a process starts and kernels are loaded."""


def expected_seconds(
    infosets: int, percent: float | None, jobs: Iterable[Json] = ()
) -> tuple[float, int]:
    """Seconds that a spot will take to an accuracy, and how many jobs were learned from.

    >>> expected_seconds(10_000, 0.3)
    (1.0, 0)
    >>> known = {"result": {"seconds": 10.0, "iterations": 100, "infosets": 1_000, "boards": 1,
    ...                     "percent_of_pot": 0.3}}
    >>> expected_seconds(2_000, 0.3, [known])
    (21.0, 1)
    """
    done = [job["result"] for job in jobs if (job.get("result") or {}).get("boards")]
    good = [r for r in done if r["iterations"] and r["infosets"] and r.get("percent_of_pot")]
    goal = percent or ACCURACY
    pace = median(r["seconds"] / r["iterations"] / r["infosets"] for r in good) if good else SECONDS
    share = (
        median(r["iterations"] * (r["percent_of_pot"] / goal) ** (2 / 3) for r in good)
        if good
        else ITERATIONS * (ACCURACY / goal) ** (2 / 3)
    )
    return round(OVERHEAD + pace * share * infosets, 1), len(good)
