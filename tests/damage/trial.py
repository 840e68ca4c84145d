"""Do damaged files end in a sentence? Good files of every kind, damaged one way at a time.

A command that reads a damaged file must refuse it in one sentence with exit code 2, or answer as it
answers the good one; nothing else. Files that people write themselves, and damage with a right
checksum, may mean something else, but what is answered then must be made of numbers.
"""

from __future__ import annotations

import gc
import json
import re
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

from counterfold.errors import CounterfoldError
from tests.damage.corpus import KINDS, Corpus, Kind
from tests.damage.files import form_of
from tests.damage.mutations import TRAP, TRAP_RUN, TRAP_SOURCE, Mutated, mutate
from tests.damage.readings import (
    HELD,
    Answer,
    Job,
    Main,
    Reading,
    judge,
    listen,
    no_numbers,
    read_all,
    timeless,
)

__all__ = ["Damage", "Failure", "run", "to_json"]

FAILED = (
    "ran code", "crash", "too slow", "traceback", "other exit", "another answer", "no number",
    "bad sentence",
)  # fmt: skip
"""Verdicts that are not as they should be, the worst first."""


@dataclass(frozen=True)
class Failure:
    """A damaged file that was neither refused nor read as it was."""

    number: int
    kind: str
    verdict: str
    command: str
    how: str
    code: int
    said: str


@dataclass
class Damage:
    """What became of damaged files: verdicts by kind, and every failure."""

    seed: int
    wanted: int
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def done(self) -> int:
        return sum(sum(result.values()) for result in self.counts.values())


def numbers(mutations: int, kinds: Sequence[str] = ()) -> list[int]:
    """The mutations to try: they take turns among all kinds, whichever are asked for.

    >>> numbers(3), [KINDS[n % len(KINDS)].name for n in numbers(2, ["model"])]
    ([0, 1, 2], ['model', 'model'])
    """
    wanted = (n for n in count() if not kinds or _kind(n).name in kinds)
    return list(islice(wanted, mutations))


def _kind(number: int) -> Kind:
    return KINDS[number % len(KINDS)]


def run(
    main: Main,
    wanted: Sequence[int],
    seed: int = 0,
    *,
    keep: str | Path | None = None,
    on_progress: Callable[[str], object] = lambda words: None,
    report: Damage | None = None,
) -> Damage:
    """Try mutations by their numbers; ``main`` is the command line. ``report`` grows meanwhile."""
    result = report or Damage(seed, len(wanted))
    began = said = time.monotonic()
    kept = None if keep is None else Path(keep)
    with tempfile.TemporaryDirectory(prefix="counterfold-damage-") as folder:
        trial = _Trial(main, Path(folder), seed)
        kinds = {_kind(n).name: _kind(n) for n in wanted}
        for number, kind in enumerate(kinds.values(), 1):
            on_progress(f"making good files: {kind.name} ({number} of {len(kinds)})")
            result.counts[kind.name] = Counter()
            trial.prepare(kind)
        gc.collect()
        gc.freeze()  # children share these pages as long as nobody touches them
        for job, answer in read_all(main, trial.jobs(wanted), TRAP_RUN):
            failure = trial.judged(job, answer, result.counts)
            if failure is not None:
                result.failures.append(failure)
                if kept is not None:
                    shutil.copytree(job.folder, kept / str(job.number), dirs_exist_ok=True)
            shutil.rmtree(job.folder)
            result.seconds = time.monotonic() - began
            if time.monotonic() - said > 5:
                said = time.monotonic()
                on_progress(f"{result.done:,} of {len(wanted):,}, {len(result.failures):,} failed")
    result.failures.sort(key=lambda one: (FAILED.index(one.verdict), one.kind, one.number))
    return result


class _Trial:
    """Good files, what commands say to them, and the damaged ones that are out."""

    def __init__(self, main: Main, folder: Path, seed: int) -> None:
        self._main, self._folder, self._seed = main, folder, seed
        (folder / "good").mkdir()
        self._corpus = Corpus(folder / "good", main)
        self._good: dict[tuple[str, str], Answer] = {}
        self._out: dict[int, Mutated] = {}

    def prepare(self, kind: Kind) -> None:
        """Make a kind's files, and hear what its readings say to the good one.

        The first hearing is in this process, which has the kernels from then on.
        """
        for reading in kind.readings:
            job = self._laid_out(kind, reading, -1)
            first = listen(self._main, reading, job.folder / "here")
            shutil.rmtree(job.folder)
            job = self._laid_out(kind, reading, -1)
            ((_, second),) = read_all(self._main, [job], TRAP_RUN)
            shutil.rmtree(job.folder)
            if first.code or judge(first, second, free=False) != "same":
                raise CounterfoldError(
                    f"`{reading.name}` cannot be tried: with the good file it ends with "
                    f"{first.code} and {second.code}: {_said(first, second, 'another answer')}"
                )
            self._good[kind.name, reading.name] = second

    def _laid_out(self, kind: Kind, reading: Reading, number: int) -> Job:
        job = Job(number, reading, self._folder / str(number))
        (job.folder / "here").mkdir(parents=True)
        self._corpus.lay_out(kind, job.folder / "here")
        return job

    def jobs(self, wanted: Sequence[int]) -> Iterator[Job]:
        """Damage a file for every number, and lay it out."""
        for number in wanted:
            kind, rng = _kind(number), Random(f"{self._seed}/{number}")
            reading = rng.choice(kind.readings)
            content = self._corpus.content(kind)
            self._out[number] = mutate(content, form_of(kind.file, content), rng)
            job = self._laid_out(kind, reading, number)
            (job.folder / "here" / kind.file).write_bytes(self._out[number].content)
            (job.folder / "here" / TRAP).write_text(TRAP_SOURCE)
            yield job

    def judged(self, job: Job, answer: Answer, counts: dict[str, Counter[str]]) -> Failure | None:
        """Count an answer; the failure, if it is one."""
        kind, mutated = _kind(job.number), self._out.pop(job.number)
        free = kind.own or not mutated.by_chance
        good = self._good[kind.name, job.reading.name]
        verdict = judge(good, answer, free)
        counts[kind.name][verdict] += 1
        if verdict in HELD:
            return None
        said = _said(good, answer, verdict)
        name = job.reading.name
        return Failure(job.number, kind.name, verdict, name, mutated.how, answer.code, said)


def _said(good: Answer, answer: Answer, verdict: str) -> str:
    """The one line that tells most."""
    if answer.code < 0 and not answer.slow:
        places = re.findall(r'File "(?:.*counterfold/)?([^"]+)", line (\d+) in (\w+)', answer.err)
        where = " < ".join(f"{file}:{line} {name}" for file, line, name in places[:3])
        return f"{signal.Signals(-answer.code).name} in {where or 'an unknown place'}"
    if verdict == "no number" and not answer.err:
        with suppress(ValueError):
            keys = no_numbers(json.loads(good.out), json.loads(answer.out))
            return f"no number at {', '.join(sorted(keys))}"
    if verdict in ("another answer", "no number") and not answer.err:
        pairs = zip(
            timeless(good.out).splitlines(), timeless(answer.out).splitlines(), strict=False
        )
        differ = [f"{new.strip()} for {old.strip()}" for old, new in pairs if old != new]
        return (differ or ["another length"])[0][:200]
    lines = answer.err.strip().splitlines() or [""]
    return (lines[-1] if "Traceback" in lines[0] else lines[0])[:300]


def to_json(result: Damage) -> dict[str, Any]:
    """What ``make damage`` prints."""
    return {
        "seed": result.seed,
        "mutations": result.wanted,
        "done": result.done,
        "failed": len(result.failures),
        "seconds": result.seconds,
        "kinds": {kind: dict(counts) for kind, counts in result.counts.items()},
        "failures": [asdict(one) for one in result.failures],
    }
