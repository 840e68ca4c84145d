"""How benchmarks measure: CPU time, rounds that take turns, medians, and the peak of memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from time import process_time
from typing import TypeVar

import numpy as np

from counterfold.research.progress import Progress

Made = TypeVar("Made")


@dataclass(frozen=True)
class Reach:
    """The CPU seconds and iterations to a target, or none within the budget."""

    target: float
    seconds: float | None = None
    iterations: int | None = None


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How numbers of milliseconds lie."""

    median: float
    p95: float
    most: float


def spread(numbers: Sequence[float]) -> dict[str, float]:
    """The fields of a ``Spread``."""
    return {
        "median": median(numbers), "p95": float(np.percentile(numbers, 95)), "most": max(numbers)
    }  # fmt: skip


def cpu(step: Callable[[], object], times: int = 1) -> float:
    """CPU seconds of one call, on average over some."""
    began = process_time()
    for _ in range(times):
        step()
    return (process_time() - began) / times


def enough(step: Callable[[int], object], seconds: float) -> int:
    """How many iterations take about so many CPU seconds; the first of them warm up."""
    count = 1
    while (took := cpu(partial(step, count))) < seconds / 4:
        count *= 4
    return max(1, round(count * seconds / took))


def medians(steps: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of what each gives over rounds in which they take turns.

    What disturbs a machine for a while so disturbs all of them.
    """
    given: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            given[name].append(step())
    return {name: median(numbers) for name, numbers in given.items()}


def each(names: Iterable[str], measure: Callable[[str], Made], on_progress: Progress) -> list[Made]:
    """What is measured of each of some games, with progress."""
    every, measured = list(names), []
    for done, name in enumerate(every):
        on_progress(done, len(every), name)
        measured.append(measure(name))
    return measured


def peak_memory() -> int:
    """The peak resident bytes of this process.

    Linux hands ``ru_maxrss`` down from the parent that started us, so VmHWM is asked first.
    """
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
