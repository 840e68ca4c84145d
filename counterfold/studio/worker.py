"""The process of one job: ``python -m counterfold.studio.worker FOLDER JOB``."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from counterfold import interrupts
from counterfold.errors import CounterfoldError, FileError, reason
from counterfold.files.text import Fields, Json, read_json
from counterfold.studio.folder import Folder
from counterfold.studio.jobs import held, read_state, write_state

__all__ = ["WORK", "Desk", "main"]

WORK = {
    "solve": "counterfold.studio.work.solving:solve_job",
    "style": "counterfold.studio.work.bending:style_job",
    "target": "counterfold.studio.work.bending:target_job",
    "exploit": "counterfold.studio.work.bending:exploit_job",
    "report": "counterfold.studio.work.reporting:report_job",
    "blueprint": "counterfold.studio.work.sampling:blueprint_job",
}
"""Kinds of jobs, and the functions that do them: given a desk, they return what came out."""
PAUSE = 0.25
"""Seconds between two notes of progress."""
PATIENCE = 1.0
"""Seconds that it waits for the lock of its job."""


class Desk:
    """What a job works with: its request, its folder, and where it tells how far it is."""

    def __init__(self, folder: Folder, name: str) -> None:
        self.folder, self.root = folder, folder.own / "jobs" / name
        self.job = self.asked()
        self.request: Json = self.job["request"]
        self.state: Json = read_state(self.root)
        self._told = 0.0

    def asked(self) -> Json:
        """What the job's file says now."""
        path = self.root / "job.json"
        return dict(Fields(read_json(path, "a job"), str(path)).value)

    @property
    def file(self) -> Path:
        """Where the result goes."""
        return self.folder.inside(self.job["file"], new=True)

    def tell(self, *, at_once: bool = False, **what: object) -> None:
        """Note how far the job is; not more often than somebody can see."""
        self.state |= what
        now = time.monotonic()
        if at_once or now - self._told >= PAUSE:
            self._told = now
            write_state(self.root, self.state)


def main(folder: str, name: str) -> int:
    """Do a job; what it comes to is in its state. If another process is at it, that goes on."""
    desk = Desk(Folder(folder), name)
    with ExitStack() as stack:
        try:
            stack.enter_context(held(desk.root / "lock", PATIENCE))
        except FileError:
            return 0
        stack.enter_context(interrupts.taken())
        desk.tell(at_once=True, phase="running", pid=os.getpid(), message="", begun=time.time())
        if desk.asked().get("wanted") == "stop":
            desk.tell(at_once=True, phase="waiting")  # said before it could be heard here
        else:
            _tell_of_kernels(desk)
            _do(desk)
    return 0


def _do(desk: Desk) -> None:
    try:
        result = _work(desk.job["kind"])(desk)
    except KeyboardInterrupt:
        desk.tell(at_once=True, phase="waiting")
    except CounterfoldError as error:
        desk.tell(at_once=True, phase="failed", message=str(error))
    except Exception as error:
        desk.tell(at_once=True, phase="failed", message=f"unexpected: {reason(error)}")
        raise
    else:
        phase = "waiting" if result is None else "done"
        desk.tell(at_once=True, phase=phase, ended=time.time(), result=result)


def _tell_of_kernels(desk: Desk) -> None:
    """Name the kernels that are compiled, which takes a while once on a machine."""
    log, listener = logging.getLogger("counterfold.kernels"), logging.Handler()
    listener.emit = lambda record: desk.tell(  # type: ignore[method-assign]
        doing=f"compiling, once on this machine: {record.getMessage()}"
    )
    log.addHandler(listener)
    log.setLevel(logging.INFO)


def _work(kind: str) -> Callable[[Desk], Json | None]:
    module, _, name = WORK[kind].partition(":")
    found: Callable[[Desk], Json | None] = getattr(import_module(module), name)
    return found


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
