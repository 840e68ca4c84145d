"""Commands that read files, each in a child of its own, and what may be said of how they end.

The parent has imported everything and loaded the kernels; a child is a fork of it that lives for
one command. So a crash is the child's alone, and a reading costs little more than its work.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from counterfold.errors import CounterfoldError

__all__ = [
    "HELD",
    "Answer",
    "Job",
    "Main",
    "Reading",
    "judge",
    "listen",
    "no_numbers",
    "read_all",
    "timeless",
]

Main = Callable[[Sequence[str]], Any]
"""The command line: takes the words of a command and leaves by SystemExit."""

SECONDS, CPU_SECONDS = 60.0, 20
MEMORY = 2 << 30
"""What a child may take: by the clock, of a core, and beyond what it was born with."""

LONGEST = 400
"""Characters of a sentence."""

STOPPED = 130
"""How a command ends that Ctrl-C has stopped."""


@dataclass(frozen=True)
class Reading:
    """A command that reads a file, or a call where there is none.

    ``typed`` is what the person of a command types.
    """

    words: tuple[str, ...]
    typed: str = ""
    call: Callable[[], None] | None = None

    @property
    def name(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True)
class Answer:
    """How a command ended: its exit code (less than zero for a signal) and what it said."""

    code: int
    out: str
    err: str
    slow: bool = False
    ran_code: bool = False


HELD = ("refused", "same", "another meaning")
"""Verdicts that are as they should be."""


def judge(good: Answer, got: Answer, free: bool) -> str:
    """What became of a damaged file, by its answer and that of the good one.

    ``free`` files may mean something else: people write them, or their checksum is right.
    """
    if got.ran_code:
        return "ran code"
    if got.slow:
        return "too slow"
    if got.code < 0:
        return "crash"
    if got.code == 2:
        sentence = re.fullmatch(r"counterfold: ([^\n]+)\n", got.err)
        fits = sentence and len(sentence[1]) <= LONGEST and sentence[1].isprintable()
        return "refused" if fits and not got.out else "bad sentence"
    if got.code != 0:
        return "traceback" if got.code == 1 else "other exit"
    if timeless(got.out) == timeless(good.out) and got.err == good.err:
        return "same"
    if not free:
        return "another answer"
    return "another meaning" if _sane(good, got) else "no number"


def timeless(text: str) -> str:
    """An output without what two runs of one command may differ in."""
    text = re.sub(r'"(\w*seconds|memory_bytes)": [-+.\deE]+', r'"\1": 0', text)
    return re.sub(r'"(\w*_a_cpu_second)": [^,\n]+', r'"\1": 0', text)


def _sane(good: Answer, got: Answer) -> bool:
    """Is an answer made of numbers where the good one is, and without warnings?"""
    if not all(line.startswith("counterfold: ") for line in got.err.splitlines()):
        return False
    try:
        known, found = json.loads(good.out), json.loads(got.out)
    except ValueError:
        return not re.search(r"(?<![a-z])(nan|inf|infinity)(?![a-z])", got.out, re.IGNORECASE)
    return not no_numbers(known, found)


def no_numbers(known: Any, found: Any) -> set[str]:
    """Keys that have numbers in one document, and in another something that is none.

    >>> no_numbers({"value": 0.5, "mbb": None}, {"value": None, "mbb": None})
    {'value'}
    """
    values, others = _by_key(known), _by_key(found)
    return {
        key
        for key, kinds in values.items()
        if kinds <= {int, float} and not others.get(key, set()) <= {int, float}
    }


def _by_key(thing: Any, key: str = "") -> dict[str, set[type]]:
    """The types of values that stand at each key, wherever it is."""
    pairs: list[tuple[str, Any]] = []
    if isinstance(thing, dict):  # whoever saves a strategy may say what they like about it
        pairs = [(name, one) for name, one in thing.items() if name != "about"]
    elif isinstance(thing, list):
        pairs = [(key, one) for one in thing]
    else:
        return {key: {type(thing)}}
    found: dict[str, set[type]] = {}
    for name, value in pairs:
        for one, kinds in _by_key(value, name).items():
            found.setdefault(one, set()).update(kinds)
    return found


def listen(main: Main, reading: Reading, folder: Path) -> Answer:
    """Run a command in this process, which has loaded what it needs from then on."""
    out, err, before, stdin = io.StringIO(), io.StringIO(), os.getcwd(), sys.stdin
    os.chdir(folder)
    try:
        sys.stdin = io.StringIO(reading.typed)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = _ended(main, reading)
    finally:
        sys.stdin = stdin
        os.chdir(before)
    if code == STOPPED:
        raise KeyboardInterrupt
    return Answer(code, out.getvalue(), err.getvalue())


def _ended(main: Main, reading: Reading) -> int:
    try:
        main(reading.words) if reading.call is None else reading.call()
        return 0
    except CounterfoldError as error:
        print(f"counterfold: {error}", file=sys.stderr)
        return 2
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)


@dataclass(frozen=True)
class Job:
    """A command to be run in ``folder/here``; beside it lie what was typed and what was said."""

    number: int
    reading: Reading
    folder: Path


def read_all(
    main: Main, jobs: Iterable[Job], trap: str, at_once: int = 2
) -> Iterator[tuple[Job, Answer]]:
    """Run jobs in children, some at once, and hand them out as they end."""
    waiting = iter(jobs)
    running: dict[int, tuple[Job, float]] = {}
    limit = _address_space() + MEMORY
    try:
        while True:
            while len(running) < at_once and (job := next(waiting, None)) is not None:
                with _held(signal.SIGINT):  # a KeyboardInterrupt in a hook of the fork is lost
                    running[_start(main, job, limit)] = job, time.monotonic()
            if not running:
                return
            for pid, (job, began) in list(running.items()):
                slow = time.monotonic() - began > SECONDS
                if slow:
                    os.kill(pid, signal.SIGKILL)
                done, status = os.waitpid(pid, 0 if slow else os.WNOHANG)
                if done:
                    del running[pid]
                    yield job, _answer(job, os.waitstatus_to_exitcode(status), slow, trap)
            time.sleep(0.001)
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@contextlib.contextmanager
def _held(number: signal.Signals) -> Iterator[None]:
    """A signal that comes in here is heard behind it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _answer(job: Job, code: int, slow: bool, trap: str) -> Answer:
    out, err = (
        (job.folder / name).read_text("utf-8", errors="backslashreplace") for name in ("out", "err")
    )
    slow = slow or code in (-signal.SIGXCPU, -signal.SIGALRM)
    return Answer(code, out, err, slow, (job.folder / "here" / trap).exists())


def _start(main: Main, job: Job, limit: int) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    (job.folder / "in").write_text(job.reading.typed)
    pid = os.fork()
    if pid == 0:
        _live(main, job, limit)
    return pid


def _live(main: Main, job: Job, limit: int) -> NoReturn:
    """The whole life of a child."""
    code = 99
    try:
        os.setpgid(0, 0)  # Ctrl-C is the parent's, who ends its children
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        streams = [os.open(job.folder / "in", os.O_RDONLY)]
        for name in ("out", "err"):
            streams.append(os.open(job.folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        os.chdir(job.folder / "here")
        for what, most in (
            (resource.RLIMIT_AS, limit),
            (resource.RLIMIT_CPU, CPU_SECONDS),
            (resource.RLIMIT_FSIZE, 256 << 20),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(what, (most, resource.getrlimit(what)[1]))
        faulthandler.enable(2)  # a crash tells where
        try:
            code = _ended(main, job.reading)
        except BaseException:
            code = 1
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _address_space() -> int:
    try:
        with open("/proc/self/statm") as line:
            return int(line.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 4 << 30
