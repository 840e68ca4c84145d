"""When a run stops, and what it reports on the way."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, fields, replace

from counterfold.errors import OutOfTimeError, ParameterError, short
from counterfold.evaluate.certificate import Certified
from counterfold.notebook import brief
from counterfold.poker.units import Units, parse_amount
from counterfold.tree.walk import Progress

SPARE_SECONDS = 0.5  # after the time that was given, in which small games are read to their end
LEAST_SECONDS = 1e-9  # of a run whose time was over before it began: it has one iteration


@dataclass(frozen=True)
class Until:
    """When to stop: at the first of these that is reached.

    ``seconds`` are of the whole call that is given them: reading the rules, the last check and
    saving are counted in. Compiling a kernel, which happens once on a machine, is not.

    >>> Until(exploitability=1e-6, seconds=60)
    Until(exploitability=1e-06, seconds=60)
    """

    iterations: int | None = None
    exploitability: float | str | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.iterations is None and self.exploitability is None and self.seconds is None:
            raise ParameterError("say when to stop: iterations, exploitability or seconds")
        if self.iterations is not None:
            if isinstance(self.iterations, bool) or not isinstance(self.iterations, int):
                raise ParameterError(f"iterations is {self.iterations!r}, not a whole number")
            if self.iterations < 1:
                raise ParameterError(f"iterations is {self.iterations}, and must be at least 1")
        for name in ("exploitability", "seconds"):
            number = getattr(self, name)
            if name == "exploitability" and isinstance(number, str):
                parse_amount(number)
                continue  # what its unit is worth is the game's to know
            good = isinstance(number, int | float) and math.isfinite(number) and number > 0
            if number is not None and not good:
                raise ParameterError(f"{name} is {number!r}, and must be a number above 0")

    @classmethod
    def of(cls, until: Until | int | str | None) -> Until | None:
        """Limits in full, or in short: iterations, or in words an exploitability.

        >>> Until.of(100), Until.of("0.5%")
        (Until(iterations=100), Until(exploitability='0.5%'))
        """
        if until is None or isinstance(until, Until):
            return until
        if isinstance(until, str):
            return cls(exploitability=until)
        if isinstance(until, int) and not isinstance(until, bool):
            return cls(iterations=until)
        raise ParameterError(
            f"until is {short(until)}, and must be a number of iterations, an exploitability in "
            "words such as '0.1%' or '1e-4', or Until(...)"
        )

    def __repr__(self) -> str:
        given = {item.name: getattr(self, item.name) for item in fields(self)}
        parts = (f"{name}={value!r}" for name, value in given.items() if value is not None)
        return f"Until({', '.join(parts)})"

    def on(self, game: object) -> Until:
        """The same limits in the payoffs of a game or a compiled form, whose units they may name.

        >>> from counterfold.poker.holdem import fhp
        >>> Until(exploitability="1mbb").on(fhp()).exploitability
        0.002
        """
        if not isinstance(self.exploitability, str):
            return self
        units = getattr(game, "units", None) or Units()
        chips = units.chips(self.exploitability, getattr(game, "spec", "the game"))
        return replace(self, exploitability=chips)

    @property
    def target(self) -> float | None:
        """The exploitability to reach, in payoffs."""
        if isinstance(self.exploitability, str):
            raise ParameterError(
                f"exploitability {self.exploitability} has a unit that only a game can tell"
            )
        return self.exploitability

    def after(self, spent: float) -> Until:
        """The same limits when so many of the seconds are gone."""
        if self.seconds is None:
            return self
        return replace(self, seconds=max(self.seconds - spent, LEAST_SECONDS))

    def counting(self, progress: Progress | None) -> Progress | None:
        """Progress in reading rules, which ends when the time is over: it begins now."""
        if self.seconds is None:
            return progress
        end = time.perf_counter() + self.seconds + SPARE_SECONDS

        def count(histories: int, about: float | None) -> None:
            if time.perf_counter() > end:
                raise OutOfTimeError(
                    f"{self.seconds:g} seconds were over before the first iteration, with "
                    f"{histories:,} histories read: give it more time, or a smaller game"
                )
            if progress:
                progress(histories, about)

        return count

    def reached_by(self, report: Report) -> str | None:
        """Which limit a report has reached, if any."""
        measured, target = report.exploitability, self.target
        if target is not None and measured is not None and measured <= target:
            return "exploitability"
        if self.iterations is not None and report.iteration >= self.iterations:
            return "iterations"
        if self.seconds is not None and report.run_seconds >= self.seconds:
            return "seconds"
        if report.verdict == "worse" or (report.verdict and self.exploitability is not None):
            return "precision"
        return None


@dataclass(frozen=True)
class Report(Certified):
    """Where a run stands. Exploitability and values are exact, or absent between checks.

    ``verdict`` is "worse" or "no better" where its numbers are too coarse to go on with.
    """

    iteration: int
    seconds: float
    cpu_seconds: float
    run_seconds: float
    exploitability: float | None = None
    values: tuple[float, ...] | None = None
    gains: tuple[float, ...] | None = None
    cce_gap: float | None = None
    verdict: str | None = None

    def __repr__(self) -> str:
        measured = "not measured" if self.exploitability is None else f"{self.exploitability:.3g}"
        return brief(self, f"of iteration {self.iteration:,}: exploitability {measured}")


def default_target(usual: float, largest: float) -> float:
    """An exploitability to stop at: the usual one for payoffs from 1 to 1,000.

    Of smaller payoffs it is that share of the largest, of larger ones a thousandth of that share.

    >>> default_target(1e-6, 13), default_target(1e-6, 1e-3), default_target(1e-6, 1e19)
    (1e-06, 1e-09, 10000000000.0)
    """
    size = min(largest, 1.0) if largest < 1000 else largest / 1000
    return usual * size if size > 0 else usual
