"""Since when a verb has been running: --seconds is of all of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterfold.solvers.until import Until

SPARE = 0.5  # seconds after the time that was given, in which something may come to its end

LIMITS = ("iterations", "exploitability", "seconds")

_began = time.perf_counter()


def start() -> None:
    """A verb begins."""
    global _began
    _began = time.perf_counter()


def until_of(request: object) -> Until | None:
    """The limits that a request names; nothing if it names none."""
    from counterfold.cli.request import options_given
    from counterfold.solvers.until import Until

    named = options_given(request, LIMITS)
    return Until(**named) if named else None


def check(until: Until, doing: str) -> None:
    """Raise OutOfTimeError if the time of a verb is over."""
    from counterfold.errors import OutOfTimeError

    if until.seconds is not None and time.perf_counter() - _began > until.seconds + SPARE:
        raise OutOfTimeError(f"{until.seconds:g} seconds were over {doing}")


def left(until: Until, parts: int = 1) -> Until:
    """The limits of the next of so many runs that are left to do: it has its part of the time."""
    from dataclasses import replace

    rest = until.after(time.perf_counter() - _began)
    return rest if rest.seconds is None else replace(rest, seconds=rest.seconds / parts)
